"""How people are told about a seat: what is there and does not do, and what comes nearest where nothing is.

In: a seat. Out: needs and problems for its reader. No state depends on anything here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.ledger import About, Word
from phasegate.model.problem import Problem, Severity, Where, near
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import VERDICT, Does, Kind, Medium, Outcome, Place, Source, Unread, Validity, Vote
from phasegate.model.snapshot import REMOVED
from phasegate.rules.accounts import RANK, live_permission, mapped_roles, may_speak
from phasegate.rules.binding import short
from phasegate.rules.ledger import refuted

if TYPE_CHECKING:
    from phasegate.rules.desk import Desk
    from phasegate.rules.ladder import Seat

APPROVED = "APPROVED"
SPOKEN = frozenset({Medium.COMMENT, Medium.REVIEW, Medium.CHECK_RUN})
UNHEARD = ("PENDING", "DISMISSED")
# Why nothing of an account counts here, or of a text that does not tell its role.
REFUSALS = frozenset({"PG125", "PG201", "PG202", "PG203", "PG204", "PG206", "PG209"})


def tell(seat: Seat, why: Why, vote: Vote | None = None, **values: object) -> Need:
    """A need of a seat, with what is known of it."""
    by = None if vote is None else vote.signal.source.author
    several = seat.folder is not None and len(seat.desk.folders) > 1
    told: dict[str, object] = {
        "commit": seat.desk.commit,
        "issue": seat.desk.issue,
        "folder": None if seat.folder is None else seat.folder.path,
        "place": f"{seat.folder.path}/{seat.name}" if several and seat.folder is not None else "",
        "judged": None if vote is None else vote.commit,
        "said": "" if vote is None else _said(vote),
        "by": "" if by is None else by.login,
        "actor": seat.name,
        "signal": None if vote is None else vote.id,
        "noun": seat.role.noun if seat.folder is None else "",
        **values,
    }
    return Need(kind=NeedKind.SEAT, name=seat.name, state=NeedState.WAITING, why=why, **told)  # type: ignore[arg-type]


def _said(vote: Vote) -> str:
    """What it said in its own word; nothing where it could not be read."""
    if vote.signal.kind is Kind.REPORT:
        return vote.signal.said
    if vote.validity is Validity.INVALID and vote.outcome is not Outcome.FAIL:
        return ""
    return vote.signal.said or (vote.outcome.value if vote.outcome else "")


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
    refused = seat.desk.refused(seat)
    if refused is not None:
        return tell_refused(seat, refused)
    unread = nearest_text(seat, None)
    if unread is not None:
        return _not_in_form(seat, unread)
    if seat.role.part_of is not None and (whole := _document(seat)) is not None:
        why = Why.PART_OF_INVALID if whole.validity is Validity.INVALID else Why.PART_NOT_RUN
        return tell(seat, why, other=seat.role.file)
    untold = roleless(seat) if seat.judges else None
    if untold is not None:
        return tell_refused(seat, untold)
    found = _misplaced_file(seat) or approved_on_github(seat)
    return tell(seat, Why.MISSING, also=() if found is None else (found,))


def since(seat: Seat, vote: Vote) -> Need | None:
    """What the seat's account said after a word about something else, and does not count."""
    unread = nearest_text(seat, vote.signal.source)
    if unread is not None:
        return _not_in_form(seat, unread)
    refused = seat.desk.refused(seat)
    if refused is None or refused.signal.source.moment <= vote.signal.source.moment:
        return None
    return tell_refused(seat, refused)


def not_read(seat: Seat, word: Word) -> Need:
    """A formal review or check run of a seat that nobody can read, or a request for changes without a verdict."""
    return tell(seat, Why.DRIFTED) if word.unread is None else _not_in_form(seat, word.unread)


def _not_in_form(seat: Seat, text: Unread) -> Need:
    by = text.source.author
    return tell(seat, Why.DRIFTED, by="" if by is None else by.login, problem=text.miss(seat.role))


def nearest_text(seat: Seat, after: Source | None) -> Unread | None:
    """The newest text about the present work by an account named for the seat that matches no format."""
    desk = seat.desk
    for text in reversed(desk.evaluation.unread):
        source = text.source
        here = (source.place, source.issue) == desk.place and source.latest and not text.commands and not text.blank
        if not here or (after is not None and source.at <= after.at) or source.medium not in SPOKEN:
            continue
        named = seat.name in mapped_roles(desk.policy, desk.facts.snapshot, source)
        spoken = named and may_speak(desk.policy, desk.facts.snapshot, source, seat.name) is None
        if spoken and source.state not in UNHEARD and is_about_now(desk, source):
            return text
    return None


def is_about_now(desk: Desk, source: Source) -> bool:
    """Whether a text was written about what is judged now."""
    if desk.phase.where is Place.ISSUE:
        plan = desk.facts.plans.latest(desk.issue)
        return plan is not None and source.at > plan.signal.source.at
    return (source.commit or desk.timeline.head_at(source.at)) == desk.timeline.head


def roleless(seat: Seat) -> Vote | None:
    """The latest verdict on the present work that names no clear role and may be meant for this seat."""
    desk = seat.desk
    for vote in reversed(desk.evaluation.refusals):
        source, signal = vote.signal.source, vote.signal
        verdict = signal.kind is Kind.VERDICT and not signal.shown and signal.dialect == seat.role.dialect
        if vote.role is not None or not verdict or (source.place, source.issue) != desk.place or not desk.leads(vote):
            continue
        meant = [name for told in signal.roles for name in near(told, desk.policy.roles)]
        own = seat.name in meant if meant else seat.name == _first_empty(desk) and not _spoken_again(desk, source)
        if own and is_about_now(desk, source):
            return vote
    return None


def _first_empty(desk: Desk) -> str:
    """The first judging seat without a word at this place, in any phase: what is nobody's is shown once, there."""
    words, policy = desk.ledger.words.get(desk.place, {}), desk.policy
    here = (phase for phase in policy.phases if phase.enabled and phase.where is desk.phase.where)
    seats = (name for phase in here for name in phase.seats if policy.role(name).noun == VERDICT)
    return next((name for name in seats if name not in words), "")


def _spoken_again(desk: Desk, source: Source) -> bool:
    """Whether the account of a text has spoken for a role since, here."""
    words = (word for own in desk.ledger.words.get(desk.place, {}).values() for word in own if word.stands)
    return any(word.source.author == source.author and word.source.moment > source.moment for word in words)


def untold_plan(desk: Desk, creator: str) -> Vote | None:
    """The latest text here that was probably meant as the plan, by a heading that is none, or is misspelt."""
    for vote in reversed(desk.evaluation.refusals):
        source, roles = vote.signal.source, vote.signal.roles
        meant = any(creator in near(told, desk.policy.roles) for told in roles)
        made = meant or (vote.signal.kind is Kind.REPORT and not roles)
        nobody = made and vote.role is None and vote.signal.dialect == desk.policy.role(creator).dialect
        if nobody and (source.place, source.issue) == desk.place and desk.leads(vote):
            return vote
    return None


def approved_on_github(seat: Seat) -> Problem | None:
    """An approving review of the head by a writer: GitHub's own, and nothing that the gate counts.

    Told once, at the first seat that is empty.
    """
    desk = seat.desk
    if not seat.judges or desk.phase.human_approval or seat.name != _first_empty(desk):
        return None
    return github_approval(desk)


def github_approval(desk: Desk) -> Problem | None:
    """The approving review of the head that is no verdict."""
    snapshot = desk.facts.snapshot
    words = {vote.signal.source.url for vote in desk.votes}
    for review in reversed(snapshot.reviews) if desk.phase.where is Place.PULL_REQUEST else ():
        author, approved = review.author, (review.state or "").upper() == APPROVED and review.commit == desk.commit
        if author is None or not approved or review.url in words:
            continue
        if RANK[live_permission(snapshot, author)] >= RANK["write"]:
            message = f"{author.login}'s approving review on GitHub is no verdict and no approval of a phase"
            return problem("PG225", message, Where(url=review.url))
    return None


def _misplaced_file(seat: Seat) -> Problem | None:
    """A file of the branch that was probably meant for a seat: with its name elsewhere, or in its place misspelt."""
    if seat.folder is None or seat.role.part_of is not None:
        return None
    root, known = seat.folder.path.partition("/")[0], {folder.path for folder in seat.desk.folders}
    for entry in seat.desk.facts.snapshot.files.entries:
        folder, _, name = entry.path.rpartition("/")
        below = folder.partition("/")[0] == root and folder.count("/") <= 1
        alike = name.lower().replace("_", "-") == seat.role.file
        if entry.status == REMOVED or not (below and alike) or (folder in known and name == seat.role.file):
            continue
        other = f"Move {entry.path} there" + ("." if folder == root else ", or link the issue of its folder.")
        hint = f"Rename {entry.path} to {seat.role.file}." if folder in known else other
        return problem("PG236", f"{entry.path} is read by nobody", Where(path=entry.path), hint=hint)
    return None


def _document(seat: Seat) -> Vote | None:
    """What the document says as a whole that a seat is a part of."""
    issue = None if seat.folder is None else seat.folder.issue
    own = (vote for vote in reversed(seat.desk.votes) if vote.role == seat.role.file and vote.signal.source.latest)
    return next((vote for vote in own if vote.signal.source.issue == issue), None)


# ---- what was said about a FAIL


def passed_in_vain(seat: Seat, failure: Word) -> Problem | None:
    """That somebody whose words do not count has answered a FAIL since."""
    after = seat.desk.refused(seat)
    if after is None or after.why is None or not after.signal.source.is_after(failure.source):
        return None
    need = tell_refused(seat, after)
    whose = f"{seat.role.title}'s {need.said or 'word'}" if need.noun else seat.role.title
    return replace(after.why, message=f"{whose} by {need.by} is ignored: {after.why.message}", hint="")


def unproven(seat: Seat, failure: Word) -> Problem | None:
    """That somebody who confirms calls the findings of a FAIL noise and shows no evidence for it."""
    demanded = () if failure.vote is None else tuple(failure.vote.signal.must_fix or ())
    for other in seat.desk.seats if demanded else ():
        last = other.last if other.role.does is Does.CONFIRMS else None
        if last is None or last.vote is None or not (last.vote.passes and last.about is About.NOW):
            continue
        signal = last.vote.signal
        if not signal.false_positives or not last.source.is_after(failure.source):
            continue
        if not set(demanded).intersection(signal.false_positives):
            lead = f"{other.role.title} calls {', '.join(signal.false_positives)} noise"
            names = ", ".join(demanded)
            hint = f"Post the verdict again with {names} in false_positives, and evidence beside the id."
            return problem("PG226", f"{lead}, but must_fix names {names}", signal.where, hint=hint)
        proven = refuted(seat.desk.facts, last.vote)
        bare = [name for name in signal.false_positives if name in demanded and name not in proven]
        if bare:
            lines = [f"{path}:{line}" for item in signal.refutations if item.id in bare for path, line in item.lines]
            head = short(seat.desk.timeline.head)
            absent = f"; {lines[0]} does not exist at {head}" if lines else " without evidence"
            return problem("PG226", f"{other.role.title} calls {', '.join(bare)} noise{absent}", signal.where)
    return None


def disagreeing(seat: Seat, failure: Word) -> str:
    """Who has passed the same content after a FAIL without refuting it."""
    for other in () if seat.desk.phase.parallel else seat.desk.seats:
        beside = other.role.dialect == seat.role.dialect and other.folder == seat.folder and other.name != seat.name
        last = other.last if beside and other.role.does is Does.CONFIRMS else None
        if last is None or last.vote is None or not (last.vote.passes and last.about is About.NOW):
            continue
        if last.source.moment > failure.source.moment:
            return other.name
    return ""
