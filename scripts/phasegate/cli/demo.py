"""Gate a recorded pull request offline, to see what a reviewer would see."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from phasegate.cli.files import UsageError, read_snapshot
from phasegate.cli.replay import show
from phasegate.cli.terminal import PASSED, Terminal
from phasegate.gate import judge
from phasegate.report.data import report_text
from phasegate.report.summary.page import summary

CASES = Path(__file__).parent / "demos"
REPORT = "phase-gate-report.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--case", default="feature", help=f"which recorded pull request: {', '.join(_names())}")
    where = f"where to leave the report (default {REPORT})"
    parser.add_argument("--markdown", action="store_true", help="print the summary that reviewers see, as Markdown")
    parser.add_argument("--report", type=Path, default=Path(REPORT), metavar="FILE", help=where)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Show the whole job on one recorded pull request."""
    if options.case not in _names():
        raise UsageError(f'--case: there is no case "{options.case}" (cases: {", ".join(_names())})')
    if not options.report.name:
        raise UsageError("--report: the name of a file is missing")
    snapshot = read_snapshot(CASES / f"{options.case}.json")
    report = judge(snapshot)
    text = report_text(report)
    left = _leave(options.report, text)
    if options.json:
        terminal.stdout.write(text)
        return PASSED
    if options.markdown:
        terminal.say(summary(report))
        return PASSED
    request = snapshot.pull_request
    name = f"{snapshot.repository.name}#{request.number}: {request.title} (recorded, nothing is sent anywhere)"
    terminal.paragraph(name)
    terminal.say()
    show(report, terminal)
    terminal.say(f"Report: {left}")
    return PASSED


def _names() -> tuple[str, ...]:
    return tuple(sorted(case.stem for case in CASES.glob("*.json")))


def _leave(path: Path, text: str) -> Path:
    """Write the report; where the folder is read-only, in a temporary one."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError:
        path = Path(tempfile.mkdtemp(prefix="phase-gate-")) / path.name
        path.write_text(text, encoding="utf-8")
    return path
