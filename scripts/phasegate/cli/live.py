"""A live pull request: fetched, decided, and published if nothing changed meanwhile."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timezone
from functools import partial
from importlib import import_module

from phasegate.cli.terminal import INTERRUPTED, Terminal
from phasegate.dialects.commands import COMMANDS
from phasegate.dialects.registry import DEFAULT_DIALECT, built_in, default_plan, every_dialect, plan_of
from phasegate.github.client.answers import LATER, GitHubError, MovedError, RefusedError
from phasegate.github.client.client import Client
from phasegate.github.reading.fetch import BETWEEN_TRIES, Fetched, fetch, unreported
from phasegate.github.reading.fingerprint import later
from phasegate.github.reading.mark import MARK, is_worn, mark_of
from phasegate.github.reading.opening import Target, Trip, set_out, tip_of
from phasegate.github.record import is_record, record_lines
from phasegate.github.writing.beside import file_proposals, keep_comment, publish_check_run
from phasegate.github.writing.publish import Edition, Place, publish, statuses_on, take_back, withdraw
from phasegate.model.contexts import context_in, context_name, is_of
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import RECORD, Report, State, StatusLine, Why
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import CommitStatus, PolicyFile, Snapshot
from phasegate.model.texts import is_own
from phasegate.report.annotations import check_draft
from phasegate.report.inert import plain
from phasegate.report.status import LIMIT, left_line, other_line, published_lines, status_lines
from phasegate.report.summary.page import comment_text, issue_drafts
from phasegate.settings import Settings

LAST_WORD_SECONDS = 20.0
TRIES = 3
DEPENDABOT = 49699333
READ_ONLY = (
    ". Runs that Dependabot starts may have a read-only token, whatever the workflow asks for: a run that somebody "
    "else starts, by a comment or on a schedule, writes the statuses"
)
OLD = f"That could not be written on the commit either: what {OVERALL} says there, if anything, is old"
UNREPORTED = "PG416"
DECIDING, TELLING = "phasegate.gate", "phasegate.cli.replay"


@dataclass(frozen=True, kw_only=True, slots=True)
class Heads:
    """Commits that a success may stand on: the head in the event, and heads seen by the run since.

    ``renewed``: the statuses there are written again. ``tried``: commits where the run itself may have left a success.
    ``contexts``: the overall contexts as judged.
    """

    told: str | None = None
    renewed: bool = False
    seen: list[str] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    contexts: list[str] = field(default_factory=list)

    @property
    def latest(self) -> tuple[str, ...]:
        """Where to withdraw a success: the last head seen, and the event's."""
        return tuple(dict.fromkeys(head for head in (*self.seen[-1:], self.told) if head))


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A report with its snapshot, and the number of statuses written.

    ``unknown``: what was not asked for because the server does not know it.
    """

    snapshot: Snapshot
    report: Report
    written: int | None
    unknown: tuple[str, ...] = ()


def utc_now() -> str:
    """The time in the snapshot's form."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _plan(file: PolicyFile) -> ReadingPlan:
    """What to read of a pull request. Without a policy file it is known before the deciding modules are loaded."""
    if file.is_default:
        plan = default_plan()
    else:
        from phasegate.gate import reading_plan  # noqa: PLC0415  (loaded while GitHub is asked)

        plan = reading_plan(file)
    threading.Thread(target=_get_ready, args=(file,), daemon=True).start()
    return plan


def _judged(client: Client, snapshot: Snapshot) -> Report:
    """The report, within the remaining time. Reaching the deadline fails the run like any other error."""
    from phasegate.gate import judge  # noqa: PLC0415  (loaded while GitHub is asked)

    return client.in_time(partial(judge, snapshot), "judging")


def _under_way(client: Client, target: Target, trip: Trip | None) -> Trip:
    """The first trip, started if necessary. The deciding modules are loaded meanwhile."""
    begun = trip or set_out(client, target)
    if DECIDING not in sys.modules:
        built_in(DEFAULT_DIALECT)  # before the thread, so that no two of them load the same modules
        threading.Thread(target=_get_ready, daemon=True).start()
    return begun


def _get_ready(file: PolicyFile | None = None) -> None:
    with suppress(Exception):  # whoever needs it will meet the same failure
        deciding = import_module(DECIDING)
        if file is None:
            deciding.get_ready()
            import_module(TELLING)
        else:
            deciding.get_ready_for(file)


def decide(client: Client, target: Target, trip: Trip | None = None) -> Decision:
    """Reads and decides without writing. ``trip`` is the first trip, if already started."""
    snapshot = fetch(client, target, utc_now, _plan, _under_way(client, target, trip)).snapshot
    snapshot = replace(snapshot, unreported=unreported(client, snapshot, target))
    return Decision(snapshot=snapshot, report=_judged(client, snapshot), written=None, unknown=client.known.left_out)


def decide_and_publish(  # noqa: PLR0913  (what to decide, and what is known of it)
    client: Client,
    target: Target,
    run_url: str | None,
    trip: Trip | None = None,
    head: str | None = None,
    *,
    renewed: bool = False,
) -> Decision:
    """Reads, decides and writes. If it cannot finish, it leaves no success behind.

    ``head``: from the event, so that a success can be withdrawn even if nothing can be read. ``renewed``: the overall
    status is written even if unchanged, to show when it was decided.
    """
    heads = Heads(told=head, renewed=renewed)
    try:
        return _published(client, target, run_url, _under_way(client, target, trip), heads)
    except (Exception, KeyboardInterrupt) as error:
        reason = str(error) if isinstance(error, GitHubError) else "internal error, see the log of the run"
        reason = "the run was cancelled" if isinstance(error, KeyboardInterrupt) else reason
        told = say_undecided(client.last_word(LAST_WORD_SECONDS), target, reason, run_url, heads)
        if not told and isinstance(error, GitHubError):
            raise GitHubError(f"{error}. {OLD}") from error
        raise


def _published(client: Client, target: Target, run_url: str | None, trip: Trip | None, heads: Heads) -> Decision:
    """Starts over if the pull request changed meanwhile."""
    came: dict[str, str | None] = {}  # asked once of each head: this run itself may have reported on it since
    for attempt in range(TRIES):
        if attempt:
            client.pause(BETWEEN_TRIES[attempt - 1], "waiting until the pull request stays as it is")
        fetched = fetch(client, target, utc_now, _plan, trip, heads.seen.append, later)
        trip = None
        snapshot = fetched.snapshot
        if snapshot.pull_request.head.sha not in came:
            came[snapshot.pull_request.head.sha] = unreported(client, snapshot, target)
        snapshot = replace(snapshot, unreported=came[snapshot.pull_request.head.sha])
        report = _judged(client, replace(snapshot, merge_group=None))
        heads.contexts.append(report.context)
        place = _place(target, run_url, report.head)
        edition = _edition(fetched, report)
        marked = _marked(place, fetched, report, edition.lines)
        now = client.there(client.now())
        marked_at_all = marked.url is not None and MARK.search(marked.url) is not None
        bears = marked_at_all and report.state is not State.SUCCESS  # which every run but a sweep confirms anew
        worn = bears and now is not None and is_worn(edition.standing, str(marked.url), now)  # which is not so often
        edition = replace(edition, renewed=heads.renewed or worn)
        heads.tried.append(place.commit)
        try:
            written = publish(client, marked, edition)
            if snapshot.merge_group is not None:
                report = _judged(client, snapshot)
                place = replace(place, commit=snapshot.merge_group.head)
                heads.tried.append(place.commit)
                standing = tuple(  # on the commit of the queue, which has no record of its own
                    CommitStatus(context=context, state=state, description=description, at="")
                    for context, (state, description) in statuses_on(client, place).items()
                )
                sight = fetched.sight.at(place.commit)
                edition = replace(
                    _edition(fetched, report), record={}, left={}, standing=standing, foreign=frozenset(), sight=sight
                )
                written += publish(client, place, edition)
        except MovedError:
            continue
        except RefusedError as error:
            author = snapshot.pull_request.author
            known = READ_ONLY if author is not None and author.id == DEPENDABOT else ""
            raise RefusedError(f"{error}{known}") from error
        if INTERRUPTED.is_set():
            raise KeyboardInterrupt
        return Decision(snapshot=snapshot, report=report, written=written, unknown=client.known.left_out)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was judged. {LATER}")


def _marked(place: Place, fetched: Fetched, report: Report, lines: tuple[StatusLine, ...]) -> Place:
    """The place with a mark of the decision in its link, so that a later run can tell if it still holds."""
    from phasegate.gate import awaited  # noqa: PLC0415  (loaded while GitHub is asked)

    if place.url is None:
        return place
    snapshot = fetched.snapshot
    mark = mark_of(snapshot, fetched.sight, lines, awaited(snapshot.policy, report))
    return replace(place, url=place.url + mark)


def _edition(fetched: Fetched, report: Report) -> Edition:
    snapshot, votes = fetched.snapshot, (item.vote for item in report.signals)
    unseen = (need for phase in report.phases for need in phase.needs if need.why is Why.UNSEEN)
    accepted = all(need.said != RECORD for need in unseen)
    return Edition(
        lines=published_lines(report, snapshot.pull_request.base.ref),
        record=record_lines(votes, snapshot.record, report.head, fetched.life, accepted=accepted),
        left=_left(fetched, report),
        standing=snapshot.statuses,
        foreign=frozenset(
            each.context.lower() for each in snapshot.statuses if not is_own(each.creator, snapshot.own_account)
        ),
        sight=fetched.sight,
        looked=fetched.looked,
    )


def _left(fetched: Fetched, report: Report) -> dict[tuple[str, str], StatusLine]:
    """Lines that withdraw each obsolete success: on a former head, and on this head in another base's name.

    The phases of another open pull request with this head and another base are its own; its overall success is not.
    """
    snapshot = fetched.snapshot
    base = snapshot.pull_request.base.ref if snapshot.base_in_context else None
    theirs = [each.base for each in snapshot.siblings] if snapshot.base_in_context else []
    written = [each.context for each in snapshot.statuses if each.state == State.SUCCESS.value]
    others = [
        name
        for name in written
        if (found := context_in(name)) is not None and not is_of(name, base) and not is_record(name)
        if found.overall or not any(is_of(name, other) for other in theirs)
    ]
    left = {(commit, context): left_line(report, context) for commit, context in fetched.left}
    return left | {(report.head, context): other_line(report, context) for context in others}


def say_undecided(client: Client, target: Target, reason: str, run_url: str | None, heads: Heads | None = None) -> bool:
    """Sets the overall context to an error, so that an older success does not stand for an unreadable state.

    Nothing is read if head and context are known; otherwise it asks for them.
    """
    line = plain(f"Could not decide: {reason}", LIMIT)
    known = Heads() if heads is None else heads
    place_of = partial(_place, target, run_url)
    context = known.contexts[-1] if known.contexts else "" if target.base_in_context else OVERALL
    done: dict[str, bool] = {}
    if context:
        done |= {head: _is_done(client, place_of(head), context, line, known) for head in known.latest}
    if not context or not known.seen:
        tip = tip_of(client, target)
        context = context or ("" if tip is None else context_name(base=tip[1]))
        left = [head for head in (*known.latest, *([] if tip is None else tip[:1])) if head not in done]
        done |= {head: bool(context) and _is_done(client, place_of(head), context, line, known) for head in left}
    return bool(done) and all(done.values())


def _place(target: Target, run_url: str | None, commit: str) -> Place:
    return Place(repository=target.repository, commit=commit, url=run_url)


def refuse(client: Client, settings: Settings, commit: str, context: str, reason: str) -> None:
    """Sets an error on a commit whose pull request is unknown."""
    place = Place(repository=settings.repository, commit=commit, url=settings.run_url)
    with suppress(GitHubError):  # the step fails for the same reason in any case
        withdraw(client, place, context, plain(f"Could not decide: {reason}", LIMIT))


def _is_done(client: Client, place: Place, context: str, line: str, known: Heads) -> bool:
    """True if a success, if there may be one, could be replaced."""
    how = take_back if place.commit in known.tried else withdraw
    try:
        how(client, place, context, line)
    except GitHubError:
        return False
    return True


def file_counted(client: Client, report: Report, terminal: Terminal) -> bool:
    """Files the proposals that count. True if all of them are in the tracker now."""
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


def annotate(client: Client, decision: Decision, run_url: str | None) -> str:
    """Publishes a decision's annotations and says in a line what was done."""
    report = decision.report
    draft = check_draft(report, decision.snapshot)
    # GitHub asks for both where a check run and a required status have one name, which it compares without case
    if draft.name.lower() in {line.context.lower() for line in status_lines(report)}:
        raise GitHubError(f'the check run "{draft.name}" is called like a status of the gate: rename the phase')
    place = Place(repository=report.repository, commit=report.head, url=run_url)
    try:
        written = publish_check_run(client, place, draft)
    except GitHubError as error:
        raise GitHubError(f"the statuses are written, but the annotations are not: {error}") from error
    return f"{draft.title}: check run {'written' if written else 'is there already'}"


def comment_on(client: Client, decision: Decision) -> str:
    """Keeps the first screen as a comment on the pull request and says in a line what was done."""
    report = decision.report
    body = comment_text(report, _markers(decision.snapshot.policy))
    try:
        return keep_comment(client, report.repository, report.pull_request, body)
    except GitHubError as error:
        raise GitHubError(f"the statuses are written, but the comment is not: {error}") from error


def unreported_line(report: Report) -> str:
    """The log's line about a head on which no run reported, or ""."""
    found = [each for each in report.problems if each.code == UNREPORTED]
    return plain(f"{UNREPORTED} {found[0].message} {found[0].hint}", 700) if found else ""


def _markers(file: PolicyFile) -> tuple[str, ...]:
    """Every dialect's triggers. Commands count only on their own line, which never is one of ours."""
    triggers = [*plan_of(every_dialect()).triggers, *_plan(file).triggers]
    return tuple(trigger for trigger in dict.fromkeys(triggers) if trigger != COMMANDS)
