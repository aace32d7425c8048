"""The command line's front door: arguments in, exit code out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence

from phasegate import VERSION
from phasegate.cli import check, demo, explain, lint, replay, schema
from phasegate.cli.exits import USAGE
from phasegate.cli.files import UsageError
from phasegate.cli.terminal import Terminal

COMMANDS = (demo, check, replay, lint, explain, schema)
EPILOG = """\
examples:
  python3 scripts demo                          gate a recorded pull request, offline
  python3 scripts lint comment.md               check a comment before you post it
  python3 scripts check --snapshot pr.json      decide a saved snapshot
  python3 scripts explain PG112                 what a code means and how to mend it

exit codes: 0 pass, 1 the gate (or the check) says anything but success, 2 wrong usage or policy,
            3 internal error, 4 GitHub could not be read or written
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command."""
    terminal = Terminal(stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr, environ=environ)
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options, terminal))
    except UsageError as error:
        terminal.complain(str(error))
        return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="phase-gate",
        description="Phase gates for pull requests that AI agents plan, build, review and test.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"phase-gate {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="command", required=True)
    for command in COMMANDS:
        name = command.__name__.rpartition(".")[2]
        summary = (command.__doc__ or "").partition("\n")[0]
        added = commands.add_parser(name, help=summary, description=command.__doc__)
        added.add_argument("--json", action="store_true", help="print the answer as JSON")
        command.add_arguments(added)
        added.set_defaults(run=command.run)
    return parser
