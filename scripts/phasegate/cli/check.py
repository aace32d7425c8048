"""Decides a pull request, saved or live: statuses, summary and next step."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from phasegate.cli.terminal import EITHER, HTML, MARKDOWN, Answer, Arguments, Terminal, UsageError, hear_interrupts
from phasegate.model.snapshot import POLICY
from phasegate.settings import Annotations, api_from_environ, number, policy_path, repository

if TYPE_CHECKING:
    from phasegate.github.reading.opening import Target
    from phasegate.model.report import Report
    from phasegate.model.snapshot import Snapshot


ARGUMENTS: Arguments = {
    EITHER: {
        "--snapshot FILE": "decide a saved snapshot",
        "--repo OWNER/NAME": "decide a live pull request of this repository (with --pr)",
    },
    "--pr N": "the number of the live pull request",
    "--policy FILE": "judge a saved snapshot by this policy instead",
    "--policy-path PATH": ("the policy on the default branch", {"default": POLICY}),
    "--publish": "write the statuses of a live pull request",
    "--annotations check-run|none": (
        "with --publish: mark problems in files, in a check run on the head commit; default: none",
        {"choices": [item.value for item in Annotations if item is not Annotations.LOG]},
    ),
    "--save-snapshot FILE": "save the snapshot of a live pull request",
    "--report FILE": "write the JSON report here",
    "--sarif FILE": "write the findings that count here, as SARIF",
    **HTML,
    **MARKDOWN,
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Decides and reports."""
    found = None if options.snapshot is not None else _live(options, terminal)
    from phasegate.cli import replay  # noqa: PLC0415  (loaded while GitHub was asked)

    if found is None:
        for name in ("pr", "publish", "annotations", "save_snapshot"):
            if getattr(options, name):
                raise UsageError(f"--{name.replace('_', '-')} goes with --repo, not with --snapshot")
        with terminal.progress(f"Deciding {options.snapshot} …"):
            found = replay.decide_saved(options.snapshot, options.policy)
    snapshot, report = found
    if options.html is not None:
        replay.write_timeline(snapshot, report, options.html, terminal)
    if options.sarif is not None:
        replay.write_findings(report, options.sarif)
    return replay.answer(report, options)


def target_of(options: argparse.Namespace) -> Target:
    """The live pull request named by the user."""
    from phasegate.github.reading.opening import Target  # noqa: PLC0415  (needs HTTP)

    return Target(
        repository=repository(options.repo, "--repo"),
        number=number(options.pr or "", "--pr"),
        policy_path=policy_path(options.policy_path),
    )


def _live(options: argparse.Namespace, terminal: Terminal) -> tuple[Snapshot, Report]:
    from phasegate.github.client.client import ANNOTATING_SECONDS, make_client  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import set_out  # noqa: PLC0415  (needs HTTP)

    if options.policy is not None:
        raise UsageError("--policy goes with --snapshot; a live pull request is judged by its default branch's policy")
    if options.annotations and not options.publish:
        raise UsageError("--annotations goes with --publish: a check run is written beside the statuses")
    target, client = target_of(options), make_client(api_from_environ(terminal.environ))
    hear_interrupts()
    with terminal.progress(f"Reading {options.repo}#{options.pr} …"):
        trip = set_out(client, target)
        from phasegate.cli import live  # noqa: PLC0415  (loaded while GitHub is asked)
        from phasegate.cli.files import snapshot_text, write_text  # noqa: PLC0415  (as above)

        act = partial(live.decide_and_publish, run_url=None) if options.publish else live.decide
        decision = act(client, target, trip=trip)
    if options.save_snapshot is not None:
        write_text(options.save_snapshot, snapshot_text(decision.snapshot), "--save-snapshot")
    if options.annotations == Annotations.CHECK_RUN.value:
        live.annotate(client.with_time(ANNOTATING_SECONDS), decision, None)
    return decision.snapshot, decision.report
