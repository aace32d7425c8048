"""The command line's front door: arguments in, exit code out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from phasegate import VERSION
from phasegate.cli.terminal import GITHUB, USAGE, Terminal, UsageError

COMMANDS = {
    "demo": "gate a recorded pull request offline, to see what a reviewer would see",
    "check": "decide a pull request, saved or live: statuses, summary and next step",
    "replay": "decide a saved snapshot again and compare the report byte for byte",
    "lint": "check comment bodies, artifacts, policy files and snapshots before anybody else does",
    "stage": "the pipeline's stage gate: is a stage of an issue done, by its artifacts?",
    "route": "say what an envelope asks for next: who does what, and which message follows",
    "explain": "say what a problem code means, why it matters and how to fix it",
    "formats": "try a described format on posted bodies and their twins, or learn one from some",
    "context": "build or check what an agent is given to read: a context pack or a list of files",
    "schema": "print a JSON Schema: of the policy, the snapshot, or a dialect's signals",
    "release": "make the tree of a release: the code of this commit with its packages beside it",
    "action": "run as a step of a workflow (what action.yml calls)",
}
EPILOG = """\
examples:
  python3 scripts demo                          gate a recorded pull request, offline
  python3 scripts lint comment.md               check a comment before you post it
  python3 scripts check --snapshot pr.json      decide a saved snapshot
  python3 scripts explain PG112                 what a code means and how to fix it

exit codes: 0 pass, 1 the gate (or the check) says anything but success, 2 wrong usage or policy,
            3 internal error, 4 GitHub could not be read or written
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Run one command."""
    terminal = Terminal(stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr, environ=environ)
    options = _parser(arguments).parse_args(arguments)
    try:
        return int(options.run(options, terminal))
    except UsageError as error:
        terminal.complain(str(error))
        return USAGE
    except Exception as error:
        from phasegate.github.client.answers import GitHubError  # noqa: PLC0415  (most commands ask nobody)

        if not isinstance(error, GitHubError):
            raise
        terminal.complain(str(error))
        return GITHUB


def _parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """The parser; only the command that was named is loaded, and stands for all of them."""
    parser = argparse.ArgumentParser(
        prog="phase-gate",
        description="Phase gates for pull requests that AI agents plan, build, review and test.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"phase-gate {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="command", required=True)
    named = [name for name in arguments[:1] if name in COMMANDS]
    for name in named or COMMANDS:
        summary = COMMANDS[name]
        added = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if named:
            command = import_module(f"phasegate.cli.{name}")
            added.add_argument("--json", action="store_true", help="print the answer as JSON")
            command.add_arguments(added)
            added.set_defaults(run=command.run)
    return parser
