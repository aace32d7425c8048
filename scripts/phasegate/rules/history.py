"""History: failing rounds and the escalation that only a human ends, and a FAIL that was tampered with or deleted.

A failing round is one content that a required seat failed. Deleting, editing, closing or reopening resets nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from phasegate.model.frozen import dataclass, replace
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import ASKS, GOOD, INVALID, Act, Medium, Outcome, Place, Role, Validity, Vote
from phasegate.model.snapshot import RecordedVote
from phasegate.model.texts import BranchFile, DeletedComment, Push
from phasegate.rules.accounts import DISMISSED, may_have_spoken
from phasegate.rules.view import JUDGING, RESUME, PhaseView


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempts:
    """How often a phase has failed since it began or was resumed, and whether that was once too often."""

    failed: tuple[str, ...]
    escalated: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Event:
    """A failure of a content, or (without content) a resume."""

    at: str
    content: str | None


def count_attempts(view: PhaseView) -> Attempts:
    """Walk through the history: the failing round beyond the last attempt escalates, a resume begins anew.

    A resume of the same second as a failure is not after it.
    """
    failed: dict[str, None] = {}
    escalated = False
    for event in sorted(_events(view), key=lambda event: (event.at, event.content is not None)):
        if event.content is None:
            if escalated:
                failed, escalated = {}, False
        else:
            failed[event.content] = None
            escalated = escalated or len(failed) > view.phase.max_attempts
    return Attempts(failed=tuple(failed), escalated=escalated)


def _events(view: PhaseView) -> Iterator[_Event]:
    seats = counted_seats(view)
    for vote in view.spoken.failed:
        if vote.role in seats:
            yield _Event(at=vote.signal.source.at, content=_failed_content(view, vote))
    for seen in deleted_failures(view):
        content = recorded_content(view, seen)
        told = None if content is None else view.facts.timeline.for_base(content, seen.at)
        yield _Event(at=seen.at, content=told or f"unknown:{seen.source}")
    for act in view.resumes():
        yield _Event(at=act.command.source.at, content=None)


def counted_seats(view: PhaseView) -> tuple[str, ...]:
    """The seats whose failures are rounds: those that need not be filled count where they are."""
    return (*view.phase.seats, *view.phase.optional_seats)


def _failed_content(view: PhaseView, vote: Vote) -> str:
    """The content that a vote failed; for another base it was another one."""
    if vote.commit is not None:
        timeline = view.facts.timeline
        return timeline.for_base(timeline.content(vote.commit), vote.signal.source.at)
    return vote.content or f"unknown:{vote.signal.source.id}"


def recorded_content(view: PhaseView, seen: RecordedVote) -> str | None:
    """The content that a vote on record was about; none where that cannot be told."""
    timeline = view.facts.timeline
    heads = timeline.named(seen.commit or "-")
    return timeline.content(heads[0]) if len(heads) == 1 else None


def attempts_need(view: PhaseView) -> Need | None:
    """That the phase is not escalated."""
    attempts = count_attempts(view)
    if not attempts.escalated:
        return None
    return Need(
        kind=NeedKind.ATTEMPTS,
        name=view.phase.name,
        state=NeedState.FAILED,
        why=Why.ESCALATED,
        commit=view.commit,
        issue=view.issue,
        count=len(attempts.failed),
        limit=view.phase.max_attempts,
    )


def idle_resume(view: PhaseView) -> Act | None:
    """The last resume of a phase, where nobody has spoken or pushed since, and there was nothing for it to resume."""
    tried = [act for act in view.refused_acts if act.command.verb == RESUME and view.leads(act)]
    last = max((*view.resumes(), *tried), key=lambda act: act.command.source.moment, default=None)
    if last is None:
        return None
    since = last.command.source.at
    pushed = view.commit is not None and view.facts.timeline.arrived(view.commit) > since
    without = replace(view, acts=tuple(act for act in view.acts if act is not last))
    return None if pushed or spoken_since(view, since) or is_held_back(without) else last


def spoken_since(view: PhaseView, at: str) -> bool:
    """Whether somebody in a seat of the phase has spoken after a moment."""
    words = (vote for name in counted_seats(view) for vote in view.spoken.heard.get(name, ()))
    return any(vote.signal.source.at > at for vote in words)


def is_held_back(view: PhaseView) -> bool:
    """Whether a phase is escalated or blocked by its history."""
    return count_attempts(view).escalated or any(True for _ in history_needs(view))


def history_needs(view: PhaseView) -> Iterator[Need]:
    """One need for each word that is no PASS, was taken away or changed by another, and not resumed since."""
    for vote in (*tampered_failures(view), *dismissed_words(view)):
        source = vote.signal.source
        why = Why.DISMISSED if source.tampered_by is None else Why.EDITED
        who = source.tampered_by or source.dismissed_by or ""
        if not view.resumed_since(touched_at(view, vote)):
            yield _blocked(view, why, seat=vote.role or "", by=who, signal=vote.id, said=_told(vote))
    for vote, push in removed_files(view):
        if not view.resumed_since(push.at):
            who = "" if push.actor is None else push.actor.login
            yield _blocked(view, Why.DELETED, seat=vote.role or "", by=who, signal=vote.id, said=_told(vote))
    traces = _Traces(view)
    for seen in (*deleted_failures(view), *deleted_words(view)):
        touched = next((vote for vote in view.votes if vote.place == seen.source and _tampered(vote)), None)
        if touched is not None:
            if not view.resumed_since(touched_at(view, touched)):
                who = touched.signal.source.tampered_by or ""
                yield _blocked(view, Why.EDITED, seat=seen.role, by=who, signal=touched.id, said=seen.outcome)
            continue
        event = traces.deletion_since(seen)
        who = event.actor.login if event is not None and event.actor is not None else ""
        if not taken_back(view, seen, traces) and not traces.resumed(view, seen):
            yield _blocked(view, Why.DELETED, seat=seen.role, by=who, said=seen.outcome)
    found = (unseen_need(view), unread_need(view), full_need(view), unrecorded_need(view))
    yield from (need for need in found if need is not None)


def _told(vote: Vote) -> str:
    """How a word that is no PASS is called; an invalid PASS is called invalid."""
    return INVALID if vote.signal.outcome is Outcome.PASS else vote.objection or INVALID


def unseen_need(view: PhaseView) -> Need | None:
    """That no result of an older commit is out of sight, as far as a human has not looked at it."""
    unseen = view.facts.snapshot.branch_files_unseen
    roles = [view.facts.policy.role(name) for name in counted_seats(view)]
    judged = any(Medium.FILE in role.media and role.does in JUDGING for role in roles)
    if unseen is None or not judged or view.resumed_since(unseen):
        return None
    return _blocked(view, Why.UNSEEN, at=unseen)


def unread_need(view: PhaseView) -> Need | None:
    """That no FAIL may stand on a part of the record that was not read, as far as a human has not looked at it."""
    record = view.facts.snapshot.record
    roles = [view.facts.policy.role(name) for name in view.phase.seats]
    written = any(role.media != {Medium.FILE} and role.does in JUDGING for role in roles)
    at = record.unseen or view.facts.timeline.arrived(view.facts.timeline.head)
    if record.complete or not written or view.resumed_since(at):
        return None
    return _blocked(view, Why.RECORD_UNREAD, at=at)


def unrecorded_need(view: PhaseView) -> Need | None:
    """The need that the gate knows what a deleted comment said, as far as it may have been a word of a seat."""
    event = next(iter(unrecorded_deletions(view)), None)
    if event is None:
        return None
    by = "somebody" if event.actor is None else event.actor.login
    whose = "an unknown account" if event.author is None else event.author.login
    return replace(_blocked(view, Why.UNRECORDED, by=by, at=event.at, said=whose), state=NeedState.WAITING)


def unrecorded_deletions(view: PhaseView) -> Iterator[DeletedComment]:
    """The deletions since the opening that no record covers, of comments that may have been words of a seat.

    A seat whose word its own account took away is answered by that account's next one; anything by a resume.
    """
    facts, record = view.facts, view.facts.snapshot.record
    opened = facts.snapshot.pull_request.created_at
    judging = [name for name in counted_seats(view) if _is_spoken(facts.policy.role(name))]
    for event in view.deletions():
        covered = record.since is not None and record.since < event.at
        if event.at < opened or covered or view.resumed_since(event.at):
            continue
        if any(_may_be_word(view, event, name) for name in judging):
            yield event


def _is_spoken(role: Role) -> bool:
    return role.does in JUDGING and Medium.COMMENT in role.media


def _may_be_word(view: PhaseView, event: DeletedComment, name: str) -> bool:
    """Whether a deleted comment may have been a word of a seat that its account has not answered since."""
    author = event.author
    own = [] if author is None else [vote for vote in view.spoken.heard.get(name, ()) if _account(vote) == author.id]
    if not own and not may_have_spoken(view.facts.policy, view.facts.snapshot, author, name):
        return False
    by_itself = author is not None and event.actor is not None and event.actor.id == author.id
    answered = any(vote.validity is Validity.VALID and vote.signal.source.at > event.at for vote in own)
    return not (by_itself and answered)


def full_need(view: PhaseView) -> Need | None:
    """The need that the head's record has room for more: a resume cannot replace what was never recorded."""
    judged = any(view.facts.policy.role(name).does in JUDGING for name in counted_seats(view))
    if not view.facts.snapshot.record.full or not judged:
        return None
    return replace(_blocked(view, Why.RECORD_FULL), commit=view.facts.timeline.head)


def _blocked(  # noqa: PLR0913  (what was found, and where)
    view: PhaseView, why: Why, *, seat: str = "", by: str = "", at: str = "", signal: str | None = None, said: str = ""
) -> Need:
    return Need(
        kind=NeedKind.HISTORY,
        name=view.phase.name,
        state=NeedState.FAILED,
        why=why,
        signal=signal,
        commit=view.commit,
        issue=view.issue,
        other=seat,
        by=by,
        at=at,
        said=said,
    )


def tampered_failures(view: PhaseView) -> Iterator[Vote]:
    """The failing votes of required seats that somebody else edited or dismissed since."""
    for vote in view.spoken.failed:
        touched = _tampered(vote) or vote.signal.source.state == DISMISSED
        if touched and vote.role in counted_seats(view):
            yield vote


def touched_at(view: PhaseView, vote: Vote) -> str:
    """When a vote was last edited or dismissed; what GitHub does not tell the time of happened just now."""
    source, times = vote.signal.source, []
    if source.tampered_by is not None:
        times += [view.last_change(source.id), source.tampered_at]
    if source.state == DISMISSED:
        times.append(source.dismissed_at or view.facts.snapshot.taken_at)
    return max(times)


def dismissed_words(view: PhaseView) -> Iterator[Vote]:
    """The dismissed words of required seats that are neither FAIL nor PASS and that nobody has answered."""
    answers = _answers(view) if any(vote.signal.source.state == DISMISSED for vote in view.votes) else {}
    for vote in view.votes:
        source = vote.signal.source
        kept = vote.validity is Validity.EDITED_AWAY and source.latest and source.state == DISMISSED
        if not kept or vote.failed or vote.role not in counted_seats(view):
            continue
        if answers.get((vote.role, None), "") <= source.at:
            yield vote


def removed_files(view: PhaseView) -> Iterator[tuple[Vote, Push]]:
    """The words in files that are no PASS and were taken away, each with the push that did it, till they are answered.

    A newer text in their place by an account that may speak is an answer. A branch that goes back to a commit from
    before them brings no newer text, whoever pushes that.
    """
    files = {file.path: file for file in view.facts.snapshot.branch_files}
    seats = counted_seats(view)
    pushed = [vote for vote in view.votes if vote.signal.source.pushed and vote.role in view.facts.policy.roles]
    versions = {_version(view, vote): vote for vote in pushed}
    for vote in pushed:
        if vote.role not in seats or vote.signal.source.latest or vote.objection is None:
            continue
        push = _next_push(files.get(vote.signal.where.path or ""), vote)
        path, document, number = _version(view, vote)
        after = versions.get((path, document, number + 1))
        if push is not None and not _is_newer_text(view, after, vote) and not _is_answered(view, vote, push):
            yield vote, push


def _version(view: PhaseView, vote: Vote) -> tuple[str, str, int]:
    """The document and version of a vote."""
    path, role = vote.signal.where.path or "", view.facts.policy.role(vote.role or "")
    return path, role.file, vote.signal.source.version


def _next_push(file: BranchFile | None, vote: Vote) -> Push | None:
    """The push that took a version of a file away; none where it still stands there."""
    number = vote.signal.source.version
    if file is None or number > len(file.earlier):
        return None
    if number < len(file.earlier):
        return file.earlier[number].pushed
    return file.pushed or Push(at=vote.signal.source.at, commit=vote.signal.source.commit or "")


def _is_newer_text(view: PhaseView, after: Vote | None, vote: Vote) -> bool:
    """Whether the version that followed a word in its file is a word too, and one that was given after it."""
    if after is None or after.validity is Validity.IGNORED:
        return False
    back = view.facts.timeline.arrived(after.signal.source.commit or "") < vote.signal.source.at
    return not back or _account(after) == _account(vote)


def _is_answered(view: PhaseView, vote: Vote, push: Push) -> bool:
    """Whether who failed the work has judged it anew since; any valid word since answers what was no FAIL.

    Who took the own word away need not be told so where the seat is waited for.
    """
    own, source, valid = _account(vote), vote.signal.source, list(_valid(view, vote.role))
    by_itself = own is not None and push.actor is not None and push.actor.id == own
    if by_itself and not valid and vote.role in view.names:
        return True
    since = source.at if by_itself else push.at
    for answer in valid:
        theirs = answer.signal.source
        later = theirs.at > since or (theirs.at, theirs.commit) == (push.at, push.commit)
        if later and (not vote.failed or (own is not None and _account(answer) == own)):
            return True
    return False


def deleted_failures(view: PhaseView) -> Iterator[RecordedVote]:
    """The failing votes on the gate's own record that can no longer be found, neither as text nor as history."""
    seats = counted_seats(view)
    yield from (seen for seen in _gone(view) if seen.outcome == Outcome.FAIL.value and seen.role in seats)


def deleted_words(view: PhaseView) -> Iterator[RecordedVote]:
    """The other words on record that are gone and that nobody has answered."""
    answers = _answers(view) if view.facts.snapshot.record.signals else {}
    for seen in _gone(view):
        heard = answering_roles(view, seen)
        answered = any(is_followed(view, seen, answers.get((role, None), "")) for role in heard)
        if seen.outcome != Outcome.FAIL.value and heard and not answered:
            yield seen


def answering_roles(view: PhaseView, seen: RecordedVote) -> tuple[str, ...]:
    """The roles of which any answers a word on record that was no FAIL; none where it kept the phase from nothing.

    Of those who make the work only a BLOCKED does, and each of them takes it back.
    """
    if seen.role in counted_seats(view):
        return (seen.role,)
    blocked = seen.outcome == Outcome.BLOCKED.value and view.phase.where is Place.PULL_REQUEST
    return view.phase.workers if blocked and seen.role in view.phase.workers else ()


def taken_back(view: PhaseView, seen: RecordedVote, traces: _Traces) -> bool:
    """Whether an account surely deleted its own vote and gave a new one for the same role: like an edit of its own."""
    author, medium = seen.account, seen.source.partition("-")[0]
    if medium == Medium.CHECK_RUN.value:  # only its own app can change it, and nobody delete it
        return True
    if medium == Medium.FILE.value or author is None:
        return False
    answered = is_followed(view, seen, traces.answers.get((seen.role, author), ""))
    return answered and traces.deleted_by_itself(author, seen.at)


class _Traces:
    """What tells who deleted which words of a place, and who has spoken since; each account is looked at once."""

    def __init__(self, view: PhaseView) -> None:
        self.answers = _answers(view) if view.facts.snapshot.record.signals else {}
        self._events = sorted(view.deletions(), key=lambda event: event.at)
        self._gone: dict[int | None, dict[str, str]] = {}
        for seen in _gone(view):
            self._gone.setdefault(seen.account, {}).setdefault(seen.source, seen.at)
        self._own: dict[int, list[DeletedComment]] = {}
        self._foreign: dict[int, str] = {}

    def deletion_since(self, seen: RecordedVote) -> DeletedComment | None:
        """The last deletion since a vote was written that may have deleted it."""
        return next(iter(self._deletions(seen)), None)

    def resumed(self, view: PhaseView, seen: RecordedVote) -> bool:
        """Whether a human resumed the phase after a vote surely was deleted.

        Deletions after that are none of its, where as many words of its account were written since and are gone. Of
        words on issues the record does not tell on which.
        """
        events = [event.at for event in self._deletions(seen)]
        if not events:
            return view.resumed_since(seen.at)
        here = view.phase.where is Place.PULL_REQUEST and seen.account is not None
        roles = (*counted_seats(view), *view.phase.workers) if here else ()
        own = {each.source: each.at for each in _gone(view) if each.account == seen.account and each.role in roles}
        words = tuple(own.values())
        for resume in (act.command.source.at for act in view.resumes()):
            later = sum(at >= resume for at in events)
            if later < len(events) and later <= sum(at > resume for at in words):
                return True
        return False

    def _deletions(self, seen: RecordedVote) -> list[DeletedComment]:
        """The deletions since a vote was written that may have deleted it, the last one first."""
        since = (event for event in reversed(self._events) if event.at >= seen.at)
        return [event for event in since if may_be_of(event, seen.account)]

    def _words(self, author: int) -> tuple[str, ...]:
        """When the words were written that are gone and may be of an account."""
        return tuple({**self._gone.get(None, {}), **self._gone.get(author, {})}.values())

    def deleted_by_itself(self, author: int, at: str) -> bool:
        """Whether an account deleted all of its own comments that were deleted since, and they are enough."""
        if author not in self._own:
            own = [event for event in self._events if may_be_of(event, author)]
            foreign = (event.at for event in own if not (event.author and event.actor and event.actor.id == author))
            self._own[author], self._foreign[author] = own, max(foreign, default="")
        own, gone = self._own[author], self._words(author)
        since = len(own) - bisect_left(own, at, key=lambda event: event.at)
        enough = since >= sum(written >= at for written in gone) and len(own) >= len(gone)
        return self._foreign[author] < at and enough


def may_be_of(event: DeletedComment, account: int | None) -> bool:
    """Whether a deleted comment may have been an account's; one of an unknown account may be anybody's."""
    return account is None or event.author is None or event.author.id == account


def _gone(view: PhaseView) -> tuple[RecordedVote, ...]:
    """What is on record and no longer to be found, as it was first recorded."""
    first: dict[tuple[str, str, str], RecordedVote] = {}
    for seen in (seen for seen in view.facts.snapshot.record.signals if not seen.outcome.startswith(ASKS)):
        first.setdefault((seen.source, seen.role, seen.outcome), seen)
    return tuple(seen for key, seen in first.items() if key not in view.told)


def _valid(view: PhaseView, role: str | None) -> Iterator[Vote]:
    return (vote for vote in view.votes if vote.role == role and vote.validity is Validity.VALID)


def _account(vote: Vote) -> int | None:
    return None if vote.signal.source.author is None else vote.signal.source.author.id


def _answers(view: PhaseView) -> dict[tuple[str | None, int | None], str]:
    """When the last valid votes of each role were given, by anybody (none) and by each account."""
    latest: dict[tuple[str | None, int | None], str] = {}
    for vote in view.votes:
        if vote.validity is Validity.VALID:
            for key in {(vote.role, None), (vote.role, _account(vote))}:
                latest[key] = max(latest.get(key, ""), vote.signal.source.at)
    return latest


def is_followed(view: PhaseView, seen: RecordedVote, answered: str) -> bool:
    """Whether a vote was given after one on record: when a comment was begun tells nothing, since it may be edited."""
    heads = view.facts.timeline.named(seen.commit or "-")
    in_a_file = seen.source.partition("-")[0] == Medium.FILE.value and len(heads) == 1
    pushed = view.facts.timeline.arrived(heads[0]) if in_a_file else ""
    return answered > (pushed or seen.at)


def words_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None, str]]:
    """Each word that is still to be found, as text or as history, by its source, role and outcome on record.

    A FAIL is found where a version says it: one whose version was taken out of the history is not.
    """
    failed = [vote for vote in votes if vote.failed]
    heard = [vote for vote in votes if vote.validity is not Validity.IGNORED]
    others = (INVALID, *(outcome.value for outcome in Outcome if outcome not in (*GOOD, Outcome.FAIL)))
    told = (
        *((vote, Outcome.FAIL.value) for vote in failed),
        *((vote, outcome) for vote in heard for outcome in others),
    )
    return frozenset((vote.place, vote.role, outcome) for vote, outcome in told)


def _tampered(vote: Vote) -> bool:
    return vote.signal.source.tampered_by is not None
