"""Prints a self-contained JSON Schema of an input, an answer or a dialect's signals."""

from __future__ import annotations

import argparse

from phasegate.cli.terminal import PASSED, Answer, Arguments, Terminal, UsageError, unknown
from phasegate.reading.schema.registry import bundled_text, schema_names

ARGUMENTS: Arguments = {"name NAME": ("such as policy; without it, all are listed", {"nargs": "?"})}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer | int:
    """One schema, always as JSON, or the list."""
    names = schema_names()
    if options.name is None:
        return Answer(PASSED, lambda: list(names), lambda _: "\n".join(names))
    if options.name not in names:
        raise UsageError(f"NAME: {unknown(options.name, names)} (schemas: {', '.join(names)})")
    terminal.stdout.write(bundled_text(options.name))
    return PASSED
