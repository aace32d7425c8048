"""A live pull request: fetched, decided, and published if nothing moved meanwhile."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from datetime import datetime, timezone
from importlib import import_module

from phasegate.cli.terminal import Terminal
from phasegate.dialects.registry import DEFAULT_DIALECT, built_in, plan_of
from phasegate.github.client.answers import LATER, GitHubError, MovedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.fetch import Fetched, fetch
from phasegate.github.reading.opening import Target, Trip, set_out
from phasegate.github.record import record_lines
from phasegate.github.writing.proposals import file_proposals
from phasegate.github.writing.publish import Edition, Place, publish, withdraw
from phasegate.model.codec import compact
from phasegate.model.frozen import dataclass
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import OVERALL, Report
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.report.inert import plain
from phasegate.report.summary.proposals import issue_drafts

LAST_WORD_SECONDS = 20.0
TRIES = 3
DECIDING, TELLING = "phasegate.gate", "phasegate.cli.decided"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A report with the snapshot it was made from, and how many statuses had to be written."""

    snapshot: Snapshot
    report: Report
    written: int | None


def utc_now() -> str:
    """The time as snapshots write it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _plan(file: PolicyFile) -> ReadingPlan:
    """What of a pull request is worth a look; without a policy file that is known before all that decides is loaded."""
    if file.text is None:
        return plan_of([built_in(DEFAULT_DIALECT)])
    from phasegate.gate import reading_plan  # noqa: PLC0415  (loaded while GitHub is asked)

    return reading_plan(file)


def _judged(snapshot: Snapshot) -> Report:
    from phasegate.gate import judge  # noqa: PLC0415  (loaded while GitHub is asked)

    return judge(snapshot)


def _under_way(client: Client, target: Target, trip: Trip | None) -> Trip:
    """The first trip, begun if it is not yet; all that decides is loaded beside it."""
    begun = trip or set_out(client, target)
    if DECIDING not in sys.modules:
        built_in(DEFAULT_DIALECT)  # before the thread, so that no two of them load the same modules
        threading.Thread(target=_get_ready, daemon=True).start()
    return begun


def _get_ready() -> None:
    with suppress(Exception):  # whoever needs it will meet the same failure
        import_module(DECIDING).get_ready()
        import_module(TELLING)


def decide(client: Client, target: Target, trip: Trip | None = None) -> Decision:
    """Read and decide; nothing is written. ``trip``: the first one, if it is under way already."""
    snapshot = fetch(client, target, utc_now, _plan, _under_way(client, target, trip)).snapshot
    return Decision(snapshot=snapshot, report=_judged(snapshot), written=None)


def decide_and_publish(client: Client, target: Target, run_url: str | None, trip: Trip | None = None) -> Decision:
    """Read, decide and write; what cannot be done to its end leaves no success behind."""
    try:
        return _published(client, target, run_url, _under_way(client, target, trip))
    except GitHubError as error:
        say_undecided(client.with_time(LAST_WORD_SECONDS), target, str(error), run_url)
        raise


def _published(client: Client, target: Target, run_url: str | None, trip: Trip | None) -> Decision:
    """Start over where the pull request moved meanwhile."""
    for _ in range(TRIES):
        fetched = fetch(client, target, utc_now, _plan, trip)
        trip = None
        snapshot = fetched.snapshot
        report = _judged(snapshot)
        place = Place(repository=target.repository, commit=report.head, url=run_url)
        try:
            written = publish(client, place, _edition(fetched, report))
        except MovedError:
            continue
        return Decision(snapshot=snapshot, report=report, written=written)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was judged. {LATER}")


def _edition(fetched: Fetched, report: Report) -> Edition:
    from phasegate.report.status import status_lines  # noqa: PLC0415  (loaded while GitHub is asked)

    votes = (item.vote for item in report.signals)
    return Edition(
        lines=status_lines(report),
        record=record_lines(votes, fetched.snapshot.record, report.head),
        standing=fetched.snapshot.statuses,
        sight=fetched.sight,
    )


def say_undecided(client: Client, target: Target, reason: str, run_url: str | None) -> bool:
    """Put an error on the overall context, so that an older success does not stand for what could not be read."""
    from phasegate.report.status import LIMIT  # noqa: PLC0415  (loaded while GitHub is asked)

    try:
        with as_documented(target.root):
            head = client.get(f"{target.root}/pulls/{target.number}")["head"]["sha"]
        place = Place(repository=target.repository, commit=head, url=run_url)
        withdraw(client, place, OVERALL, plain(f"Could not decide: {reason}", LIMIT))
    except GitHubError:
        return False
    return True


def snapshot_text(snapshot: Snapshot) -> str:
    """A snapshot as it is saved."""
    return json.dumps(compact(snapshot), indent=1, ensure_ascii=True) + "\n"


def file_counted(client: Client, report: Report, terminal: Terminal) -> bool:
    """File the proposals that count; whether all of them are in the tracker now."""
    drafts = issue_drafts(report)
    try:
        filed = file_proposals(client, report.repository, drafts)
    except GitHubError as error:
        terminal.complain(f"proposals of {report.repository}#{report.pull_request} could not be filed: {error}")
        return False
    for each in filed:
        told = "filed as" if each.new else "is already"
        terminal.say(f"  proposal {told} #{each.number}: {plain(each.draft.title, 200)}")
    if len(filed) < len(drafts):
        terminal.say(f"  {len(drafts) - len(filed)} more proposals are left to the next run")
    return True
