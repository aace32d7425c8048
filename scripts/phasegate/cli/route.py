"""The next step that an envelope asks for: who does what, and which message follows. For an orchestrator."""

from __future__ import annotations

import argparse
from pathlib import Path

from phasegate.cli.files import read_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Terminal, UsageError
from phasegate.dialects.dialect import Text
from phasegate.dialects.envelope.declaration import DIALECT
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import Place, Source
from phasegate.reading.document import Document
from phasegate.report.data import problem_data
from phasegate.report.inert import plain

STDIN = "<standard input>"


ARGUMENTS: Arguments = {"path PATH": "a file with one envelope, or - for standard input"}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Routes one envelope. One that breaks a rule goes nowhere."""
    name = STDIN if options.path == "-" else options.path
    body = terminal.stdin.read() if options.path == "-" else read_text(Path(options.path), "PATH")
    source = Source(id="route", number=0, url=name, place=Place.PULL_REQUEST, at="")
    reading = DIALECT.read(Text(source=source, where=Where(path=name), body=body), DIALECT.roles)
    signals = reading.signals
    if not signals:
        raise UsageError(f"PATH {name}: there is no envelope in it")
    problems = tuple(item for signal in signals for item in signal.problems)
    errors = any(item.severity is Severity.ERROR for item in problems)
    message = reading.content.value if isinstance(reading.content, Document) and not errors else None
    routed = signals[0] if isinstance(message, dict) and signals[0].route else None
    kind = str(message["type"]) if routed is not None and isinstance(message, dict) else None

    def data() -> dict[str, object]:
        steps = () if routed is None else routed.route
        return {
            "ok": routed is not None,
            "type": kind,
            "signal": routed and routed.said,
            "steps": [{"to": step.to, "answer": step.answer, "says": step.says} for step in steps],
            "problems": [problem_data(item) for item in problems],
        }

    def text(terminal: Terminal) -> str:
        terminal.problems(problems)
        if routed is None:
            return "routed nowhere"
        steps = (f"  {step.to}: {step.says}{f' ({step.answer})' if step.answer else ''}" for step in routed.route)
        return "\n".join((f"{plain(str(kind))}, {plain(routed.said)}:", *steps))

    return Answer(NOT_PASSED if routed is None else PASSED, data, text)
