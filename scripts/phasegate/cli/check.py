"""Decide a pull request, saved or live: statuses, summary and next step."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from phasegate.cli.exits import NOT_PASSED, PASSED, USAGE
from phasegate.cli.files import UsageError, read_snapshot, read_text, write_text
from phasegate.cli.terminal import Terminal
from phasegate.gate import judge
from phasegate.model.decision import Report, State
from phasegate.model.digest import text_digest
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.policy import DEFAULT_PATH
from phasegate.report.data import report_text
from phasegate.report.next_action import next_action
from phasegate.report.status import status_lines
from phasegate.report.summary import summary
from phasegate.settings import SettingsError, api_from_environ, number, policy_path, repository

PATIENCE = 1.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--snapshot", type=Path, metavar="FILE", help="decide a saved snapshot")
    which.add_argument("--repo", metavar="OWNER/NAME", help="decide a live pull request of this repository (with --pr)")
    parser.add_argument("--pr", metavar="N", help="the number of the live pull request")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="judge a saved snapshot by this policy instead")
    parser.add_argument("--policy-path", default=DEFAULT_PATH, metavar="PATH", help="the policy on the default branch")
    parser.add_argument("--publish", action="store_true", help="write the statuses of a live pull request")
    parser.add_argument("--save-snapshot", type=Path, metavar="FILE", help="save the snapshot of a live pull request")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the JSON report here")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Decide and say so."""
    report = _saved(options) if options.snapshot is not None else _live(options, terminal)
    text = report_text(report)
    if options.report is not None:
        write_text(options.report, text, "--report")
    if options.json:
        terminal.stdout.write(text)
    else:
        show(report, terminal)
    return exit_code(report)


def _saved(options: argparse.Namespace) -> Report:
    for name in ("pr", "publish", "save_snapshot"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} goes with --repo, not with --snapshot")
    snapshot = read_snapshot(options.snapshot)
    return judge(snapshot if options.policy is None else with_policy(snapshot, options.policy))


def _live(options: argparse.Namespace, terminal: Terminal) -> Report:
    from phasegate.cli.live import decide, decide_and_publish, make_client, snapshot_text  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.opening import Target  # noqa: PLC0415  (needs HTTP)

    if options.policy is not None:
        raise UsageError("--policy goes with --snapshot; a live pull request is judged by its default branch's policy")
    try:
        target = Target(
            repository=repository(options.repo, "--repo"),
            number=number(options.pr or "", "--pr"),
            policy_path=policy_path(options.policy_path),
        )
        client = make_client(api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", "")))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    with _progress(terminal, f"Reading {options.repo}#{options.pr} …"):
        decision = decide_and_publish(client, target, None) if options.publish else decide(client, target)
    if options.save_snapshot is not None:
        write_text(options.save_snapshot, snapshot_text(decision.snapshot), "--save-snapshot")
    return decision.report


@contextmanager
def _progress(terminal: Terminal, text: str) -> Iterator[None]:
    """A line for a person who has waited longer than a moment."""
    timer = threading.Timer(PATIENCE, lambda: print(text, file=terminal.stderr, flush=True))
    timer.daemon = True
    if terminal.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


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
