"""Print a JSON Schema that needs no other: of the policy, the snapshot, an answer, or a dialect's signals."""

from __future__ import annotations

import argparse
from difflib import get_close_matches

from phasegate.cli.terminal import PASSED, Terminal, UsageError
from phasegate.reading.schema.registry import bundled_text, schema_names
from phasegate.report.inert import safe_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="such as policy; without it all are listed")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Print one schema, or the list."""
    names = schema_names()
    if options.name is None:
        terminal.say(safe_json(list(names)) if options.json else "\n".join(names))
        return PASSED
    if options.name not in names:
        close = get_close_matches(options.name, names, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f'NAME: "{options.name}" is not a schema{meant} (schemas: {", ".join(names)})')
    terminal.stdout.write(bundled_text(options.name))
    return PASSED
