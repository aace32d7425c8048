"""Explains a seat to people: what is there and does not count, and the closest thing to a word if nothing is there.

In: a seat and the step of the ladder that holds. Out: its need, with the problems for its reader. No state depends on
anything here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.finding import Settled
from phasegate.model.frozen import replace
from phasegate.model.ledger import About, Word
from phasegate.model.problem import Problem, Severity, Where, near
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import (
    DISMISS,
    INVALID,
    VERDICT,
    Asks,
    Does,
    Kind,
    Outcome,
    Role,
    Source,
    Unread,
    Validity,
    Vote,
)
from phasegate.model.snapshot import REMOVED, RETARGETED
from phasegate.rules.assess import UNHEARD_REVIEWS
from phasegate.rules.binding import short
from phasegate.rules.findings import APPROVED, REQUESTED

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk
    from phasegate.rules.ladder import Seat

UNSETTLED = (Settled.RETURNED, Settled.COMMANDED, Settled.NOT_ALLOWED)  # a thread is resolved, and its finding stands
REQUESTS = "Post the verdict with what is to be changed; or approve, or have the review dismissed."
UNFENCE = "Post it without the lines of the fence around it."
# The author may not speak here, or the text does not name its role.
REFUSALS = frozenset({"PG125", "PG201", "PG202", "PG203", "PG204", "PG206", "PG209"})


def tell(seat: Seat, why: Why, vote: Vote | None = None, **values: object) -> Need:
    """A need of a seat, with what is known about it."""
    told: dict[str, object] = {"name": seat.name, "actor": seat.name, "noun": seat.role.noun}
    if seat.folder is not None:
        place = f"{seat.folder.path}/{seat.name}" if len(seat.desk.folders) > 1 else ""
        told |= {"folder": seat.folder.path, "place": place, "noun": ""}
    if vote is not None:
        report = vote.signal.kind is Kind.REPORT
        said = vote.signal.said or (vote.outcome.value if vote.outcome and not report else "")
        if not report and vote.validity is Validity.INVALID and vote.outcome is not Outcome.FAIL:
            said = ""  # it could not be read
        told |= {"judged": vote.commit, "said": said, "by": vote.source.login, "signal": vote.id}
        if why in (Why.FAILED, Why.NOT_DONE):
            causes = tuple(each for each in vote.signal.causes if each.asks is None)
            told |= {"causes": causes, "question": vote.signal.question}
            if vote.signal.notes and vote.signal.idle:  # when a vendor says that it reviews again
                told["said"] = f"{said}: {vote.signal.notes.rstrip('.')}"
    return seat.desk.need(NeedKind.SEAT, NeedState.WAITING, why, **{**told, **values})


def also(vote: Vote) -> tuple[Problem, ...]:
    """The other errors of a word, besides the one that decided. They would have to be fixed too."""
    own = (item for item in vote.signal.problems if item.severity is Severity.ERROR)
    found = (item for item in vote.problems if item.severity is Severity.ERROR or item.code in REFUSALS)
    decided = None if vote.why is None else (vote.why.code, vote.why.message)
    told = {(item.code, item.message): item for item in (*found, *own)}
    return tuple(item for key, item in told.items() if key != decided)


def tell_refused(seat: Seat, vote: Vote) -> Need:
    """A word that is there and does not count, with every reason."""
    outcome = vote.signal.outcome if vote.signal.kind is Kind.VERDICT else None
    said = vote.signal.said or (outcome.value if outcome else "")
    return tell(seat, Why.REFUSED, vote, said=said, problem=vote.why, also=also(vote))


# ---- one for each step of the ladder


def empty(seat: Seat) -> Need:
    """A seat without a word, with the closest thing to one."""
    desk, role, found = seat.desk, seat.role, nearest(seat)
    if found is not None:
        return found
    wholes = (vote for vote in reversed(desk.votes) if vote.role == role.file and vote.source.latest)
    for whole in wholes if role.part_of is not None else ():
        if seat.is_own(whole.source):
            invalid = whole.validity is Validity.INVALID
            return tell(seat, Why.PART_MISSING, other=role.file, said=INVALID if invalid else "")
    untold = (_fenced(seat) or _roleless(seat)) if role.judges else None
    if untold is not None:
        return tell_refused(seat, untold)
    first = role.judges and seat.name == _first_empty_seat(desk)
    near_by = _misplaced_file(seat) or (github_approval(desk) if first and not desk.phase.human_approval else None)
    causes = desk.causes(Asks.QA) if desk.phase.by_issue_type else ()
    strangers = (vote for vote in desk.ledger.refusals if vote.signal.kind is Kind.UNREAD)
    strange = [vote for vote in strangers if is_about_now(desk, vote.source)] if first else []  # of 4.9
    return tell(seat, Why.MISSING, also=() if near_by is None else (near_by,), causes=causes, count=len(strange))


def objection(seat: Seat) -> Need:
    """What fails the seat: a FAIL with its findings, or an unreadable word."""
    red = [word for word in seat.objections if word.is_red]
    word = max(red, key=lambda word: (word.touched, word.finding is None, word.source.moment))
    vote = word.vote
    if not word.is_vote:
        return _standing(seat) if word.unread is None else _not_in_form(seat, word.unread)
    fails = vote.outcome is Outcome.FAIL or (vote.signal.outcome is Outcome.FAIL and bool(vote.signal.findings))
    if word.touched or not fails:  # a FAIL whose findings can be read is to be fixed, however it is written
        return invalid(seat, word)
    told = [each for each in vote.signal.findings if each.blocking] or vote.signal.findings
    wrong = _failed_answer(seat, vote)
    return tell(
        seat,
        Why.FAILED,
        vote,
        problem=vote.why,
        also=() if wrong is None else (wrong,),
        findings=vote.signal.must_fix or tuple(finding.summary for finding in told[:3]),
        actor=seat.desk.phase.fixer or "",
        other=_disagreeing(seat, vote),
    )


def invalid(seat: Seat, word: Word) -> Need:
    """A word that does not count as written; a later refused one is shown first."""
    vote, since = word.vote, seat.refused
    if since is None or word.touched or vote.why is None or since.source.moment <= vote.source.moment:
        return tell(seat, Why.INVALID, vote, problem=vote.why, also=also(vote))
    need = tell_refused(seat, since)
    before = replace(vote.why, message=f"the one before it is invalid: {vote.why.message}", hint="")
    return replace(need, also=(*need.also, before))


def stale(seat: Seat) -> Need:
    """A word about other content, or a later one that does not count."""
    if any(word.finding is not None for word in seat.objections):
        return _standing(seat)
    newer = None if seat.last is None else nearest(seat, seat.last.source)
    if seat.last is None or newer is not None:
        return newer or empty(seat)
    vote, desk = seat.last.vote, seat.desk
    if vote.stale is not None and (seat.unbound or vote.content == desk.content):
        return tell(seat, Why.OLDER_THAN_GROUND, vote, problem=vote.stale)
    if desk.on_issue:
        return tell(seat, Why.OLDER if vote.stale is None else Why.PLAN_LOST, vote, problem=vote.stale)
    timeline, named = desk.timeline, vote.signal.commit
    early = vote.validity is Validity.INVALID and named is not None and timeline.named(named) == (desk.commit,)
    if early:  # it was written before its commit was there
        return tell(seat, Why.REFUSED, vote, problem=vote.why, also=also(vote))
    if vote.commit is None:
        return tell(seat, Why.COMMIT_UNKNOWN, vote, problem=vote.why)
    if timeline.content(vote.commit) != timeline.current:
        return tell(seat, Why.OLDER, vote, problem=vote.why)
    rebased = timeline.rebased(vote.commit)
    rewritten = "rewritten" if rebased is None else "" if rebased.kind == RETARGETED else rebased.kind
    return tell(seat, Why.OTHER_BASE, vote, problem=vote.why, other=rewritten)


def held(seat: Seat) -> Need:
    """An objection that only needs an answer: BLOCKED, nothing recognised, or unknown content."""
    if any(word.finding is not None for word in seat.objections):
        return _standing(seat)
    word = max(seat.objections, key=lambda word: word.source.moment)
    if word.unread is not None:
        return _not_in_form(seat, word.unread)
    if word.about is About.UNKNOWN:
        return tell(seat, Why.COMMIT_UNKNOWN, word.vote, problem=word.vote.why)
    return tell(seat, Why.NOT_DONE, word.vote)


def passed(seat: Seat) -> Need:
    """A pass, finished work, or a FAIL that was overruled."""
    if seat.last is None:
        return empty(seat)
    vote, confirming = seat.last.vote, seat.overruling(seat.last)
    if confirming is not None:
        return tell(seat, Why.OVERRULED, vote, other=confirming.seat)
    done = Why.PASSED if vote.outcome is Outcome.PASS else Why.COMPLETED
    return tell(seat, Why.VALID if vote.signal.kind is Kind.REPORT else done, vote)


# ---- what comes nearest to a word that is not there


def nearest(seat: Seat, since: Source | None = None) -> Need | None:
    """The closest thing to a word of a seat, or to a word after ``since``: a refused word, or a text without a format.

    Such a text is the newest about the present work by an account that the policy names for the seat.
    """
    desk, refused, (at, number) = seat.desk, seat.refused, ("", 0) if since is None else since.moment
    if refused is not None and refused.source.moment > (at, number):
        return tell_refused(seat, refused)
    for text in reversed(desk.ledger.unread):
        source = text.source
        talk = text.commands or text.blank or source.pushed or source.state in UNHEARD_REVIEWS
        if talk or not source.latest or source.at <= at:
            continue
        who = desk.ledger.accounts.speaker(source, seat.name)
        if seat.name in who.mapped and not who.refusals and is_about_now(desk, source):
            return _not_in_form(seat, text)
    return None


def _not_in_form(seat: Seat, text: Unread) -> Need:
    """A seat's unreadable formal review or check run, or its request for changes without a verdict."""
    found, said = text.miss(seat.role), ""
    if text.source.state == REQUESTED:
        found, said = replace(found, hint=REQUESTS), REQUESTED
    return tell(seat, Why.DRIFTED, by=text.source.login, said=said, problem=found)


def _standing(seat: Seat) -> Need:
    """A reviewer's findings that stand, while nothing else objects to the present content (L8)."""
    told = tuple(word.finding for word in seat.objections if word.finding is not None)
    desk, first, names = seat.desk, told[0], (seat.name, seat.role.dialect)
    tried = (act for act in reversed(desk.ledger.acts) if act.command.verb == DISMISS and not act.counts)
    meant = (act.why for act in tried if act.command.phase in names and desk.deserves_reply(act.source))
    vain = next((why for why in meant if why is not None), None)
    wrong = next((each for each in told if each.settled in UNSETTLED), None)
    where = Where(url=first.url if wrong is None else wrong.url)
    return tell(
        seat,
        Why.STANDS,
        by=first.by,
        judged=first.commit,
        findings=tuple(each.summary for each in told),
        standing=told,
        permission=desk.policy.humans.minimum_permission,
        problem=None if wrong is None else problem("PG242", wrong.reason or wrong.settled.value, where),
        also=() if vain is None else (vain,),
        actor=desk.phase.fixer or "",
    )


def is_about_now(desk: Desk, source: Source) -> bool:
    """True if a text was written here about the present work."""
    if (source.place, source.issue) != desk.place:
        return False
    if desk.on_issue:
        plan = desk.ledger.plans.latest(desk.issue)
        return plan is not None and source.at > plan.source.at
    return (source.commit or desk.timeline.head_at(source.at)) == desk.timeline.head


def _unclear_votes(desk: Desk, role: Role) -> Iterator[tuple[Vote, list[str]]]:
    """Votes in a role's dialect here that name no clear role, newest first, each with the roles it may mean."""
    for vote in reversed(desk.ledger.refusals):
        source = vote.source
        own = vote.role is None and vote.signal.dialect == role.dialect
        if own and (source.place, source.issue) == desk.place and desk.deserves_reply(source):
            yield vote, [name for told in vote.signal.roles for name in near(told, desk.policy.roles)]


def _roleless(seat: Seat) -> Vote | None:
    """The newest verdict on the present work that names no clear role and may be meant for this seat."""
    desk, said = seat.desk, [word.source for own in seat.desk.words.values() for word in own if word.stands]
    for vote, meant in _unclear_votes(desk, seat.role):
        again = any(each.author == vote.source.author and each.moment > vote.source.moment for each in said)
        own = seat.name in meant if meant else seat.name == _first_empty_seat(desk) and not again
        if vote.signal.kind is Kind.VERDICT and not vote.signal.shown and own and is_about_now(desk, vote.source):
            return vote
    return None


def _fenced(seat: Seat) -> Vote | None:
    """A whole comment of the role inside a code fence, as if it were an example."""
    meant = (vote for vote in reversed(seat.desk.ledger.refusals) if vote.signal.shown)
    for vote in (each for each in meant if each.signal.fenced == seat.name and seat.desk.deserves_reply(each.source)):
        if is_about_now(seat.desk, vote.source):
            wrong = problem("PG031", "the whole comment is inside a code fence", vote.signal.where, hint=UNFENCE)
            return replace(vote, why=wrong, problems=(), signal=replace(vote.signal, problems=()))
    return None


def _first_empty_seat(desk: Desk) -> str:
    """The first judging seat of any phase here without a word. Texts without a clear role are shown once, there."""
    here = (phase for phase in desk.policy.phases if phase.enabled and phase.where is desk.phase.where)
    seats = (name for phase in here for name in phase.seats if desk.policy.role(name).noun == VERDICT)
    return next((name for name in seats if name not in desk.words), "")


def untold_plan(desk: Desk, creator: str) -> Vote | None:
    """The newest text here probably meant as the plan, whose heading is misspelt or is not a heading."""
    found = ((vote, vote.signal, meant) for vote, meant in _unclear_votes(desk, desk.policy.role(creator)))
    plans = (v for v, said, meant in found if creator in meant or (said.kind is Kind.REPORT and not said.roles))
    return next(plans, None)


def github_approval(desk: Desk) -> Problem | None:
    """A writer's approving review of the head that counts only for GitHub, not for the gate."""
    counted = {*(act.source.url for act in desk.acts), *(vote.source.url for vote in desk.votes)}
    for review in () if desk.on_issue else reversed(desk.ledger.snapshot.reviews):
        author, approved = review.author, (review.state or "").upper() == APPROVED and review.commit == desk.commit
        who = desk.ledger.accounts.account(author)
        if author is not None and approved and review.url not in counted and not who.lacks("write"):
            barred = who.act_refusals if desk.policy.humans.reviews else ()
            why = f"does not count: {barred[0].reason}" if barred else "is no verdict and no approval of a phase"
            message = f"{author.login}'s approving review on GitHub {why}"
            return problem("PG225", message, Where(url=review.url))
    return None


def _misplaced_file(seat: Seat) -> Problem | None:
    """A file of the branch that was probably meant for a seat: its name elsewhere, or misspelt in place."""
    if seat.folder is None or seat.role.part_of is not None:
        return None
    root, known = seat.folder.path.partition("/")[0].lstrip("."), {folder.path for folder in seat.desk.folders}
    for entry in seat.desk.ledger.snapshot.files.entries:
        folder, _, name = entry.path.rpartition("/")
        below = folder.partition("/")[0].lstrip(".") == root and folder.count("/") <= 1
        alike = name.lower().replace("_", "-") == seat.role.file
        if entry.status == REMOVED or not (below and alike) or (folder in known and name == seat.role.file):
            continue
        other = f"Move {entry.path} there" + ("." if "/" not in folder else ", or link the issue of its folder.")
        hint = f"Rename {entry.path} to {seat.role.file}." if folder in known else other
        message = f"{entry.path} is not where the gate looks for {seat.role.file}"
        return problem("PG236", message, Where(path=entry.path), hint=hint)
    return None


# ---- what was said about a FAIL


def _failed_answer(seat: Seat, failure: Vote) -> Problem | None:
    """Why a FAIL is not answered: a confirming role gave no evidence, or its later answer does not count."""
    desk, demanded = seat.desk, tuple(failure.signal.must_fix or ())
    for other, vote in _confirming(desk.seats if demanded else ()):
        signal, noise, names = vote.signal, ", ".join(vote.signal.false_positives), ", ".join(demanded)
        if not noise or not signal.source.is_after(failure.source):
            continue
        called = [name for name in signal.false_positives if name in demanded]
        if not called:
            message = f"{other.role.title} calls {noise} noise, but must_fix names {names}"
            hint = f"Post the verdict again with {names} in false_positives, and evidence beside the id."
            return problem("PG226", message, signal.where, hint=hint)
        bare = [name for name in called if name not in desk.refuted(vote)]
        if bare:
            lines = [f"{path}:{line}" for item in signal.refutations if item.id in bare for path, line in item.lines]
            absent = f"; {lines[0]} does not exist at {short(desk.timeline.head)}" if lines else " without evidence"
            return problem("PG226", f"{other.role.title} calls {', '.join(bare)} noise{absent}", signal.where)
    after = seat.refused
    if after is None or after.why is None or not after.source.is_after(failure.source):
        return None
    need = tell_refused(seat, after)
    whose = f"{seat.role.title}'s {need.said or 'word'}" if need.noun else seat.role.title
    return replace(after.why, message=f"{whose} by {need.by} is ignored: {after.why.message}", hint="")


def _disagreeing(seat: Seat, failure: Vote) -> str:
    """The confirming roles that passed the same content after a FAIL without refuting it."""
    for other, vote in _confirming(() if seat.desk.phase.parallel else seat.desk.seats):
        beside = other.role.dialect == seat.role.dialect and other.folder == seat.folder and other.name != seat.name
        if beside and vote.source.moment > failure.source.moment:
            return other.name
    return ""


def _confirming(seats: tuple[Seat, ...]) -> Iterator[tuple[Seat, Vote]]:
    """The confirming seats whose last word passes the present content."""
    for seat in (each for each in seats if each.role.does is Does.CONFIRMS):
        if seat.last is not None and seat.last in seat.passes and seat.last.vote.passes:
            yield seat, seat.last.vote
