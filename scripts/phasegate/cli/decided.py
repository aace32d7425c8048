"""A decision and how it is told; a live run loads this, and with it all that decides, while GitHub is being asked."""

from __future__ import annotations

import argparse
from pathlib import Path

from phasegate.cli.files import read_snapshot, read_text, write_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, USAGE, Terminal
from phasegate.gate import judge
from phasegate.model.digest import text_digest
from phasegate.model.frozen import replace
from phasegate.model.report import Report, State
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.report.data import report_text
from phasegate.report.next_action import next_action
from phasegate.report.status import status_lines
from phasegate.report.summary.page import summary


def decide_saved(path: Path, policy: Path | None) -> Report:
    """The report on a saved snapshot, by another policy if one is named."""
    snapshot = read_snapshot(path)
    return judge(snapshot if policy is None else with_policy(snapshot, policy))


def with_policy(snapshot: Snapshot, path: Path) -> Snapshot:
    """The snapshot as if the repository had this policy."""
    text = read_text(path, "--policy")
    return replace(snapshot, policy=PolicyFile(path=str(path), text=text, digest=text_digest(text)))


def tell(report: Report, options: argparse.Namespace, terminal: Terminal) -> int:
    """Say it as it was asked for; what the shell is told."""
    text = report_text(report)
    if options.report is not None:
        write_text(options.report, text, "--report")
    if options.json:
        terminal.stdout.write(text)
    else:
        show(report, terminal)
    if report.state is State.SUCCESS:
        return PASSED
    return USAGE if report.state is State.ERROR else NOT_PASSED


def show(report: Report, terminal: Terminal) -> None:
    """The report for a person."""
    terminal.statuses(status_lines(report))
    terminal.say()
    terminal.say(summary(report))
    terminal.say(f"Next: {next_action(report)}")
