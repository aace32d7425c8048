"""How people are told about a seat: what is there and does not do, and what comes nearest where nothing is.

In: a seat. Out: needs and problems for its reader. No state depends on anything here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.finding import Settled
from phasegate.model.frozen import replace
from phasegate.model.ledger import Word
from phasegate.model.problem import Problem, Severity, Where, near
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import (
    DISMISS,
    INVALID,
    VERDICT,
    Asks,
    Does,
    Kind,
    Medium,
    Outcome,
    Place,
    Role,
    Source,
    Unread,
    Validity,
    Vote,
)
from phasegate.model.snapshot import REMOVED
from phasegate.rules.accounts import RANK, live_permission
from phasegate.rules.assess import UNHEARD_REVIEWS
from phasegate.rules.binding import short
from phasegate.rules.findings import APPROVED, REQUESTED

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk
    from phasegate.rules.ladder import Seat

UNSETTLED = (Settled.RETURNED, Settled.COMMANDED, Settled.NOT_ALLOWED)  # a thread is resolved, and its finding stands
SPOKEN = frozenset({Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN})
REQUESTS = "Post the verdict with what is to be changed; or approve, or have the review dismissed."
UNFENCE = "Post it without the lines of the fence around it."
# Why nothing of an account counts here, or of a text that does not tell its role.
REFUSALS = frozenset({"PG125", "PG201", "PG202", "PG203", "PG204", "PG206", "PG209"})


def tell(seat: Seat, why: Why, vote: Vote | None = None, **values: object) -> Need:
    """A need of a seat, with what is known of it."""
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
    if vote is not None and why in (Why.FAILED, Why.NOT_DONE):
        told |= {"causes": tuple(each for each in vote.signal.causes if each.asks is None)}
        told |= {"question": vote.signal.question}
        if vote.signal.notes and vote.signal.idle:  # when a vendor says that it reviews again
            told["said"] = f"{told['said']}: {vote.signal.notes.rstrip('.')}"
    return seat.desk.need(NeedKind.SEAT, NeedState.WAITING, why, **{**told, **values})


def also(vote: Vote) -> tuple[Problem, ...]:
    """What else is wrong with a word, apart from what decided: all that would still stand in its way."""
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


# ---- what comes nearest to a word that is not there


def empty(seat: Seat) -> Need:
    """The need of an empty seat, with what comes nearest to its word."""
    desk, role, found = seat.desk, seat.role, nearest(seat)
    if found is not None:
        return found
    wholes = (vote for vote in reversed(desk.votes) if vote.role == role.file and vote.source.latest)
    for whole in wholes if role.part_of is not None else ():
        if seat.is_own(whole.source):
            invalid = whole.validity is Validity.INVALID
            return tell(seat, Why.PART_MISSING, other=role.file, said=INVALID if invalid else "")
    untold = (_fenced(seat) or _roleless(seat)) if seat.judges else None
    if untold is not None:
        return tell_refused(seat, untold)
    first = seat.judges and seat.name == _first_empty(desk)
    near_by = _misplaced_file(seat) or (github_approval(desk) if first and not desk.phase.human_approval else None)
    causes = desk.causes(Asks.QA) if desk.phase.by_issue_type else ()
    strange = sum(_is_strangers(desk, vote) for vote in desk.ledger.refusals) if first else 0
    return tell(seat, Why.MISSING, also=() if near_by is None else (near_by,), causes=causes, count=strange)


def _is_strangers(desk: Desk, vote: Vote) -> bool:
    """True if a text holds a mark, stands here about the present work, and its author may not speak (4.9)."""
    here = vote.signal.kind is Kind.UNREAD and (vote.source.place, vote.source.issue) == desk.place
    return here and _is_about_now(desk, vote.source)


def nearest(seat: Seat, since: Source | None = None) -> Need | None:
    """What comes nearest to a word of a seat, or to one after something: a refused one, or a text in no format.

    Such a text is the newest about the present work by an account that the policy names for the seat.
    """
    desk, (at, number) = seat.desk, ("", 0) if since is None else since.moment
    refused = desk.refused(seat)
    if refused is not None and refused.source.moment > (at, number):
        return tell_refused(seat, refused)
    for text in reversed(desk.ledger.unread):
        source = text.source
        here = (source.place, source.issue) == desk.place and source.latest and not text.commands and not text.blank
        if not here or source.at <= at or source.medium not in SPOKEN or source.state in UNHEARD_REVIEWS:
            continue
        who = desk.ledger.accounts.speaker(source, seat.name)
        if seat.name in who.mapped and not who.refusals and _is_about_now(desk, source):
            return _not_in_form(seat, text)
    return None


def not_read(seat: Seat, word: Word) -> Need:
    """A formal review or check run of a seat that nobody can read, or a request for changes without a verdict."""
    return tell(seat, Why.DRIFTED) if word.unread is None else _not_in_form(seat, word.unread)


def standing(seat: Seat) -> Need:
    """Findings of a reviewer that stand though nothing else is said against what is there now (L8)."""
    told = tuple(word.finding for word in seat.objections if word.finding is not None)
    desk, first, names = seat.desk, told[0], (seat.name, seat.role.dialect)
    tried = (act for act in reversed(desk.ledger.acts) if act.command.verb == DISMISS and not act.counts)
    meant = (act.why for act in tried if act.command.phase in names and desk.leads(act.source))
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


def _not_in_form(seat: Seat, text: Unread) -> Need:
    found, said = text.miss(seat.role), ""
    if text.source.state == REQUESTED:
        found, said = replace(found, hint=REQUESTS), REQUESTED
    return tell(seat, Why.DRIFTED, by=text.source.login, said=said, problem=found)


def _is_about_now(desk: Desk, source: Source) -> bool:
    if desk.phase.where is Place.ISSUE:
        plan = desk.ledger.plans.latest(desk.issue)
        return plan is not None and source.at > plan.source.at
    return (source.commit or desk.timeline.head_at(source.at)) == desk.timeline.head


def _of_nobody(desk: Desk, role: Role) -> Iterator[tuple[Vote, list[str]]]:
    """Words in a role's dialect here that name no clear role, each with those it may mean; the latest first."""
    for vote in reversed(desk.ledger.refusals):
        source = vote.source
        own = vote.role is None and vote.signal.dialect == role.dialect
        if own and (source.place, source.issue) == desk.place and desk.leads(source):
            yield vote, [name for told in vote.signal.roles for name in near(told, desk.policy.roles)]


def _roleless(seat: Seat) -> Vote | None:
    """The latest verdict on the present work that names no clear role and may be meant for this seat."""
    desk, said = seat.desk, [word.source for own in seat.desk.words.values() for word in own if word.stands]
    for vote, meant in _of_nobody(desk, seat.role):
        again = any(each.author == vote.source.author and each.moment > vote.source.moment for each in said)
        own = seat.name in meant if meant else seat.name == _first_empty(desk) and not again
        if vote.signal.kind is Kind.VERDICT and not vote.signal.shown and own and _is_about_now(desk, vote.source):
            return vote
    return None


def _fenced(seat: Seat) -> Vote | None:
    """A whole comment of the seat's role that stands inside a code fence, as if it were an example."""
    for vote in reversed(seat.desk.ledger.refusals):
        source, meant = vote.signal.source, vote.signal.fenced == seat.name and vote.signal.shown
        if meant and (source.place, source.issue) == seat.desk.place and seat.desk.leads(source):
            wrong = problem("PG031", "the whole comment is inside a code fence", vote.signal.where, hint=UNFENCE)
            bare = replace(vote, why=wrong, problems=(), signal=replace(vote.signal, problems=()))
            return bare if _is_about_now(seat.desk, source) else None
    return None


def _first_empty(desk: Desk) -> str:
    """The first judging seat without a word at this place, in any phase: what is nobody's is shown once, there."""
    here = (phase for phase in desk.policy.phases if phase.enabled and phase.where is desk.phase.where)
    seats = (name for phase in here for name in phase.seats if desk.policy.role(name).noun == VERDICT)
    return next((name for name in seats if name not in desk.words), "")


def untold_plan(desk: Desk, creator: str) -> Vote | None:
    """The latest text here that was probably meant as the plan, by a heading that is none, or is misspelt."""
    found = ((vote, vote.signal, meant) for vote, meant in _of_nobody(desk, desk.policy.role(creator)))
    plans = (v for v, said, meant in found if creator in meant or (said.kind is Kind.REPORT and not said.roles))
    return next(plans, None)


def github_approval(desk: Desk) -> Problem | None:
    """An approving review of the head by a writer: GitHub's own, and nothing that the gate counts."""
    snapshot = desk.ledger.snapshot
    acts = {act.source.url for act in desk.acts}
    words = {vote.source.url for vote in desk.votes}
    for review in reversed(snapshot.reviews) if desk.phase.where is Place.PULL_REQUEST else ():
        author, approved = review.author, (review.state or "").upper() == APPROVED and review.commit == desk.commit
        if author is None or not approved or review.url in words | acts:
            continue
        if RANK[live_permission(snapshot, author)] >= RANK["write"]:
            barred = desk.ledger.accounts.account(author).act_refusals
            counts = desk.policy.humans.reviews and bool(barred)
            why = f"does not count: {barred[0].reason}" if counts else "is no verdict and no approval of a phase"
            message = f"{author.login}'s approving review on GitHub {why}"
            return problem("PG225", message, Where(url=review.url))
    return None


def _misplaced_file(seat: Seat) -> Problem | None:
    """A file of the branch that was probably meant for a seat: with its name elsewhere, or in its place misspelt."""
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


def in_vain(seat: Seat, failure: Word) -> Problem | None:
    """That who confirms calls its findings noise without evidence, or that an answer since does not count."""
    desk, demanded = seat.desk, () if failure.vote is None else tuple(failure.vote.signal.must_fix or ())
    for other, vote in _confirming(desk.seats if demanded else ()):
        signal, noise, names = vote.signal, ", ".join(vote.signal.false_positives), ", ".join(demanded)
        if not noise or not signal.source.is_after(failure.source):
            continue
        called = [name for name in signal.false_positives if name in demanded]
        if not called:
            message = f"{other.role.title} calls {noise} noise, but must_fix names {names}"
            hint = f"Post the verdict again with {names} in false_positives, and evidence beside the id."
            return problem("PG226", message, signal.where, hint=hint)
        bare = [name for name in called if name not in refuted(desk, vote)]
        if bare:
            lines = [f"{path}:{line}" for item in signal.refutations if item.id in bare for path, line in item.lines]
            absent = f"; {lines[0]} does not exist at {short(desk.timeline.head)}" if lines else " without evidence"
            return problem("PG226", f"{other.role.title} calls {', '.join(bare)} noise{absent}", signal.where)
    after = desk.refused(seat)
    if after is None or after.why is None or not after.source.is_after(failure.source):
        return None
    need = tell_refused(seat, after)
    whose = f"{seat.role.title}'s {need.said or 'word'}" if need.noun else seat.role.title
    return replace(after.why, message=f"{whose} by {need.by} is ignored: {after.why.message}", hint="")


def disagreeing(seat: Seat, failure: Word) -> str:
    """Who has passed the same content after a FAIL without refuting it."""
    later = (
        other.name
        for other, vote in _confirming(() if seat.desk.phase.parallel else seat.desk.seats)
        if other.role.dialect == seat.role.dialect and other.folder == seat.folder and other.name != seat.name
        if vote.source.moment > failure.source.moment
    )
    return next(later, "")


def _confirming(seats: tuple[Seat, ...]) -> Iterator[tuple[Seat, Vote]]:
    """The seats that confirm and whose last word passes the present content."""
    for seat in (each for each in seats if each.role.does is Does.CONFIRMS):
        if seat.last in seat.passes and seat.last_vote is not None and seat.last_vote.passes:
            yield seat, seat.last_vote


def refuted(desk: Desk, vote: Vote | None) -> set[str]:
    """The findings that a vote calls noise, with output beside the id or a line of a file that exists at the head."""
    head, said = desk.timeline.head, () if vote is None else vote.signal.refutations
    lines = {file.path: file.lines or 0 for file in desk.ledger.snapshot.cited_files if file.commit == head}
    proven = (item.id for item in said if item.output or any(0 < at <= lines.get(path, 0) for path, at in item.lines))
    return set() if vote is None else set(vote.signal.false_positives).intersection(proven)
