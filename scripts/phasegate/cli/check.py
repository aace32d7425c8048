"""Decide a pull request: statuses, summary and next step."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from phasegate.cli.exits import NOT_PASSED, PASSED, USAGE
from phasegate.cli.files import read_snapshot, read_text
from phasegate.cli.terminal import Terminal
from phasegate.gate import judge
from phasegate.model.decision import Report, State
from phasegate.model.digest import text_digest
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.report.data import report_text
from phasegate.report.next_action import next_action
from phasegate.report.status import status_lines
from phasegate.report.summary import summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--snapshot", type=Path, required=True, metavar="FILE", help="a saved snapshot")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="judge by this policy, not by the snapshot's own")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the JSON report here")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Decide the snapshot and say so."""
    snapshot = read_snapshot(options.snapshot)
    if options.policy is not None:
        snapshot = with_policy(snapshot, options.policy)
    report = judge(snapshot)
    text = report_text(report)
    if options.report is not None:
        options.report.write_text(text, encoding="utf-8")
    if options.json:
        terminal.stdout.write(text)
    else:
        show(report, terminal)
    return exit_code(report)


def with_policy(snapshot: Snapshot, path: Path) -> Snapshot:
    """The snapshot as if the repository had this policy."""
    text = read_text(path, "--policy")
    return replace(snapshot, policy=PolicyFile(path=str(path), text=text, digest=text_digest(text)))


def show(report: Report, terminal: Terminal) -> None:
    """The report for a person."""
    terminal.statuses(status_lines(report))
    terminal.say()
    terminal.say(summary(report))
    terminal.say(f"Next: {next_action(report)}")


def exit_code(report: Report) -> int:
    """What the shell is told."""
    if report.state is State.SUCCESS:
        return PASSED
    return USAGE if report.state is State.ERROR else NOT_PASSED
