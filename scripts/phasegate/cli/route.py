"""What an envelope asks for next: who does what, and which message follows, for an orchestrator."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from phasegate.cli.files import UsageError, read_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal
from phasegate.dialects.dialect import Text
from phasegate.dialects.envelope.declaration import DIALECT
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Place, Signal, Source
from phasegate.reading.document import Document
from phasegate.report.data import problem_data
from phasegate.report.inert import plain, safe_json

STDIN = "<standard input>"


class Routed(NamedTuple):
    """A message by its type and its word, which has the steps that it asks for."""

    type: str
    word: Signal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("path", metavar="PATH", help="a file with one envelope, or - for standard input")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Route one envelope; one that breaks a rule is routed nowhere."""
    name = STDIN if options.path == "-" else options.path
    body = terminal.stdin.read() if options.path == "-" else read_text(Path(options.path), "PATH")
    source = Source(id="route", number=0, url=name, place=Place.PULL_REQUEST, at="")
    text = Text(source=source, where=Where(path=name), body=body)
    reading = DIALECT.read(text, DIALECT.roles)
    signals = reading.signals
    if not signals:
        raise UsageError(f"PATH {name}: there is no envelope in it")
    problems = tuple(item for signal in signals for item in signal.problems)
    errors = any(item.severity is Severity.ERROR for item in problems)
    message = reading.content.value if isinstance(reading.content, Document) and not errors else None
    found = Routed(str(message["type"]), signals[0]) if isinstance(message, dict) and signals[0].route else None
    if options.json:
        terminal.say(safe_json(_data(found, problems)))
    else:
        terminal.problems(problems)
        terminal.say("routed nowhere" if found is None else _told(found))
    return NOT_PASSED if found is None else PASSED


def _data(found: Routed | None, problems: tuple[Problem, ...]) -> dict[str, object]:
    return {
        "ok": found is not None,
        "type": None if found is None else found.type,
        "signal": None if found is None else found.word.said,
        "steps": [
            {"to": step.to, "answer": step.answer, "says": step.says}
            for step in (() if found is None else found.word.route)
        ],
        "problems": [problem_data(item) for item in problems],
    }


def _told(found: Routed) -> str:
    lines = [f"{plain(found.type)}, {plain(found.word.said)}:"]
    for step in found.word.route:
        answer = f" ({step.answer})" if step.answer else ""
        lines.append(f"  {step.to}: {step.says}{answer}")
    return "\n".join(lines)
