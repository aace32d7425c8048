"""The front door of the command line: arguments in, exit code out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise, takewhile
from typing import NoReturn

from phasegate import VERSION
from phasegate.cli.terminal import GITHUB, JSON, USAGE, Answer, Terminal, UsageError, add_arguments, program, unknown
from phasegate.report.inert import safe_json

COMMANDS = {
    "demo": "gate a recorded pull request, to see what a reviewer sees",
    "check": "decide a pull request, saved or live: statuses, summary and next step",
    "replay": "decide a saved snapshot again and compare the report byte for byte",
    "init": "set up a repository: write the workflow and the policy, and list the remaining steps",
    "doctor": "check the wiring: is the status required, is the workflow complete, are forgeries refused",
    "lint": "check comments, artifacts, policy files and snapshots before you post or push them",
    "stage": "the pipeline's stage gate: say whether a stage of an issue is done, judging by its artifacts",
    "route": "say what an envelope asks for next: who does what, and which message follows",
    "explain": "say what a problem code means, why it matters and how to fix it",
    "formats": "try your own format on saved comments and their forged variants",
    "context": "build or check the context for an agent: a context pack or a list of files",
    "audit": "decide saved or merged pull requests by another policy, and tell which would have been held",
    "conformance": "ask another gate about whole pull requests, and tell where it is unfair or too strict",
    "schema": "print a JSON Schema: of the policy, the snapshot, or a dialect's signals",
    "action": "run as a step of a workflow (what action.yml calls)",
}
EPILOG = """\
examples:
  {program} demo                          gate a recorded pull request, offline
  {program} lint comment.md               check a comment before you post it
  {program} check --snapshot pr.json      decide a saved snapshot
  {program} explain PG112                 what a code means and how to fix it

exit codes: 0 pass, 1 the gate (or the check) says anything but success, 2 wrong usage or policy,
            3 internal error, 4 GitHub could not be read or written
"""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Runs one command."""
    terminal = Terminal(stdin=sys.stdin, stdout=sys.stdout, stderr=sys.stderr, environ=environ)
    try:
        parser = make_parser(arguments)
        _look_for_slips(parser, arguments)
        options = parser.parse_args(arguments)
        answer = options.run(options, terminal)
        return answer.give(terminal, as_json=options.json) if isinstance(answer, Answer) else int(answer)
    except UsageError as error:
        return _fail(terminal, arguments, str(error), USAGE)
    except Exception as error:
        from phasegate.github.client.answers import GitHubError  # noqa: PLC0415  (most commands ask nobody)
        from phasegate.settings import SettingsError  # noqa: PLC0415  (as above)

        if not isinstance(error, (GitHubError, SettingsError)):
            raise
        return _fail(terminal, arguments, str(error), GITHUB if isinstance(error, GitHubError) else USAGE)


def _fail(terminal: Terminal, arguments: Sequence[str], message: str, code: int) -> int:
    """Reports an error to the user and, if JSON was asked for, to a program too."""
    terminal.complain(message)
    words = list(takewhile(lambda word: word != "--", arguments))
    formats = [f"--format={word}" for before, word in pairwise(words) if before == "--format"]
    asked = any("--json".startswith(word) and len(word) > len("--") for word in words)
    if asked or "--format=json" in (*words, *formats):
        kind = "github" if code == GITHUB else "usage"
        terminal.say(safe_json({"ok": False, "exit": code, "error": {"kind": kind, "message": message}}))
    return code


class Parser(argparse.ArgumentParser):
    """A parser that suggests the intended word."""

    def error(self, message: str) -> NoReturn:
        """Ends with the usage."""
        self.print_usage(sys.stderr)
        raise UsageError(message)

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            raise argparse.ArgumentError(action, f"{unknown(str(value), known)} (one of {', '.join(known)})")


def _look_for_slips(parser: Parser, arguments: Sequence[str]) -> None:
    """Reports a misspelt command or option before its neighbours count as missing."""
    command = next((word for word in arguments if not word.startswith("-")), None)
    if command is None:
        return
    if command not in COMMANDS:
        raise UsageError(f"{unknown(command, COMMANDS)} (commands: {', '.join(COMMANDS)})")
    known = sorted(set(_options_of(parser)))
    for word in takewhile(lambda word: word != "--", arguments):
        name = word.partition("=")[0]
        if word.startswith("--") and not any(option.startswith(name) for option in known):
            raise UsageError(f"{command}: {unknown(name, known)} ({program()} {command} --help lists the options)")


def _options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001  (argparse has no other list of them)
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  (nor another name for this)
            for each in action.choices.values():
                yield from _options_of(each)


def make_parser(arguments: Iterable[str]) -> Parser:
    """The parser. Only the named command is loaded, in place of all."""
    parser = Parser(
        prog="phase-gate",
        description="Phase gates for pull requests that AI agents plan, build, review and test.",
        epilog=EPILOG.format(program=program()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"phase-gate {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="command", required=True)
    named = [name for name in list(arguments)[:1] if name in COMMANDS]
    for name in named or COMMANDS:
        summary = COMMANDS[name]
        stop = "" if summary.endswith("?") else "."
        added = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}{stop}")
        if named:
            command = import_module(f"phasegate.cli.{name}")
            add_arguments(added, {**JSON, **command.ARGUMENTS})
            added.set_defaults(run=command.run)
    return parser
