"""Decide a pull request, saved or live: statuses, summary and next step."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from phasegate.cli.terminal import Terminal, UsageError
from phasegate.model.snapshot import POLICY
from phasegate.settings import Annotations, SettingsError, api_from_environ, number, policy_path, repository

if TYPE_CHECKING:
    from phasegate.model.report import Report
    from phasegate.model.snapshot import Snapshot


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--snapshot", type=Path, metavar="FILE", help="decide a saved snapshot")
    which.add_argument("--repo", metavar="OWNER/NAME", help="decide a live pull request of this repository (with --pr)")
    parser.add_argument("--pr", metavar="N", help="the number of the live pull request")
    parser.add_argument("--policy", type=Path, metavar="FILE", help="judge a saved snapshot by this policy instead")
    parser.add_argument("--policy-path", default=POLICY, metavar="PATH", help="the policy on the default branch")
    parser.add_argument("--publish", action="store_true", help="write the statuses of a live pull request")
    marks = "with --publish: mark problems in files, in a check run on the head commit; default: none"
    ways = [item.value for item in Annotations if item is not Annotations.LOG]
    parser.add_argument("--annotations", choices=ways, metavar="check-run|none", help=marks)
    parser.add_argument("--save-snapshot", type=Path, metavar="FILE", help="save the snapshot of a live pull request")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the JSON report here")
    parser.add_argument("--sarif", type=Path, metavar="FILE", help="write the findings that count here, as SARIF")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a timeline of all that happened, as a page")
    parser.add_argument("--markdown", action="store_true", help="print the summary that reviewers see, as Markdown")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Decide and say so."""
    snapshot, report = _saved(options, terminal) if options.snapshot is not None else _live(options, terminal)
    from phasegate.cli.replay import tell, write_findings, write_timeline  # noqa: PLC0415  (loaded while GitHub was asked)

    if options.html is not None:
        write_timeline(snapshot, report, options.html, terminal)
    if options.sarif is not None:
        write_findings(report, options.sarif)
    return tell(report, options, terminal)


def _saved(options: argparse.Namespace, terminal: Terminal) -> tuple[Snapshot, Report]:
    for name in ("pr", "publish", "annotations", "save_snapshot"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} goes with --repo, not with --snapshot")
    from phasegate.cli.replay import decide_saved  # noqa: PLC0415  (a live run is to ask first)

    with terminal.progress(f"Deciding {options.snapshot} …"):
        return decide_saved(options.snapshot, options.policy)


def _live(options: argparse.Namespace, terminal: Terminal) -> tuple[Snapshot, Report]:
    from phasegate.github.client.client import ANNOTATING_SECONDS, make_client  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import Target, set_out  # noqa: PLC0415  (needs HTTP)

    if options.policy is not None:
        raise UsageError("--policy goes with --snapshot; a live pull request is judged by its default branch's policy")
    if options.annotations and not options.publish:
        raise UsageError("--annotations goes with --publish: a check run is written beside the statuses")
    try:
        target = Target(
            repository=repository(options.repo, "--repo"),
            number=number(options.pr or "", "--pr"),
            policy_path=policy_path(options.policy_path),
        )
        client = make_client(api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", "")))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    with terminal.progress(f"Reading {options.repo}#{options.pr} …"):
        trip = set_out(client, target)
        from phasegate.cli.live import decide, decide_and_publish, snapshot_text  # noqa: PLC0415  (GitHub is asked by now)

        act = partial(decide_and_publish, run_url=None) if options.publish else decide
        decision = act(client, target, trip=trip)
    if options.save_snapshot is not None:
        from phasegate.cli.files import write_text  # noqa: PLC0415  (loaded while GitHub was asked)

        write_text(options.save_snapshot, snapshot_text(decision.snapshot), "--save-snapshot")
    if options.annotations == Annotations.CHECK_RUN.value:
        from phasegate.cli.live import annotate  # noqa: PLC0415  (loaded while GitHub was asked)

        annotate(client.with_time(ANNOTATING_SECONDS), decision, None)
    return decision.snapshot, decision.report
