"""Decide a saved snapshot again and compare the report with the one that was left, byte for byte."""

from __future__ import annotations

import argparse
import difflib
import itertools
from pathlib import Path

from phasegate.cli.files import read_snapshot, read_text, write_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, USAGE, Terminal
from phasegate.gate import judge
from phasegate.model.digest import text_digest
from phasegate.model.frozen import replace
from phasegate.model.report import Report, State
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.report.data import report_text
from phasegate.report.inert import plain, safe_json
from phasegate.report.next_action import next_action
from phasegate.report.status import status_lines
from phasegate.report.summary.page import summary

SHOWN = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("snapshot", type=Path, metavar="SNAPSHOT", help="a saved snapshot")
    parser.add_argument("report", type=Path, nargs="?", metavar="REPORT", help="the report that was left with it")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="judge by this policy, not by the snapshot's own")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Decide again; without a report to compare with, decide twice."""
    snapshot = read_snapshot(options.snapshot)
    if options.policy is not None:
        snapshot = with_policy(snapshot, options.policy)
    report = judge(snapshot)
    again = report_text(report)
    left = report_text(judge(snapshot)) if options.report is None else read_text(options.report, "REPORT")
    same = again == left
    if options.json:
        answer = {"same": same, "state": report.state.value, "digest": text_digest(again)}
        terminal.say(safe_json(answer))
    elif same:
        terminal.say(f"Same bytes: {text_digest(again)} ({report.state.value})")
    else:
        _differences(left, again, terminal)
    return PASSED if same else NOT_PASSED


def _differences(left: str, again: str, terminal: Terminal) -> None:
    terminal.say("Different: the decision made now is not the one that was left.")
    lines = difflib.unified_diff(left.splitlines(), again.splitlines(), "left", "now", lineterm="", n=1)
    for line in itertools.islice(lines, SHOWN):
        terminal.say(plain(line, 400))


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
