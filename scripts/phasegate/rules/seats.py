"""The ladder: what a seat needs, whatever its medium, each step with how it stands and why."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Need, NeedKind, NeedState, Why
from phasegate.model.signal import (
    Does,
    Drift,
    IssueFolder,
    Kind,
    Outcome,
    Place,
    Refutation,
    Role,
    Subject,
    Validity,
    Vote,
)
from phasegate.model.snapshot import RETARGETED
from phasegate.model.texts import Actor
from phasegate.rules.accounts import same_account
from phasegate.rules.binding import short
from phasegate.rules.view import PhaseView, Seat

GOOD = (Outcome.PASS, Outcome.COMPLETE)
# Why nothing of an account counts here, or of a text that does not tell its role.
REFUSALS = frozenset({"PG125", "PG201", "PG202", "PG203", "PG204", "PG206", "PG209"})
MET, WAITING, FAILED = NeedState.MET, NeedState.WAITING, NeedState.FAILED


def seat_needs(view: PhaseView) -> Iterator[Need]:
    """One need for each seat that must be filled, and for each other one that is filled and wrong."""
    unusable = [folder for folder in view.folders if folder.wrong is not None and _is_asked(view, folder)]
    seen: set[str] = set()
    for seat in view.seats:
        if seat.folder not in unusable:
            yield from (_explain_empty(view, seat, need, seen) for need in _seat(view, seat))
    yield from (_unusable(view, folder) for folder in unusable)


def _explain_empty(view: PhaseView, seat: Seat, need: Need, seen: set[str]) -> Need:
    """Explain an empty seat: by a GitHub approval, or by a verdict without a clear role that may be meant for it."""
    if need.why is not Why.MISSING or not seat.judges:
        return need
    vote = view.roleless(seat)
    explained = view.approved_on_github() if vote is None and not seen and not view.phase.human_approval else None
    if explained is not None:
        seen.add(explained.code)
        return replace(need, also=(explained,))
    if vote is None or vote.id in seen:
        return need
    seen.add(vote.id)
    return replace(_refused(view, seat, vote), name=seat.name)


def _is_asked(view: PhaseView, folder: IssueFolder) -> bool:
    return any(seat.required and seat.folder == folder for seat in view.seats)


def _unusable(view: PhaseView, folder: IssueFolder) -> Need:
    wrong = folder.wrong
    state = FAILED if wrong is not None and wrong.severity is Severity.ERROR else WAITING
    return Need(
        kind=NeedKind.FOLDER,
        name=folder.path,
        state=state,
        why=Why.UNUSABLE,
        commit=view.commit,
        folder=folder.path,
        problem=wrong,
    )


def _seat(view: PhaseView, seat: Seat) -> Iterator[Need]:
    need = seat_need(view, seat) if seat.required else optional_need(view, seat)
    if need is not None:
        yield need


def optional_need(view: PhaseView, seat: Seat) -> Need | None:
    """The need of an optional seat whose vote is wrong; an invalid vote counts however old it is."""
    vote = view.latest(seat)
    if vote is None:
        return None
    need = _invalid(view, seat, vote) or seat_need(view, seat)
    return need if need.state is FAILED or need.why is Why.NOT_DONE else None


def failing_seats(view: PhaseView) -> Iterator[Need]:
    """One need for each seat whose latest vote fails the present content."""
    for seat in view.seats:
        vote = view.latest(seat)
        if vote is not None and vote.fresh and vote.failed:
            yield from (need for need in (seat_need(view, seat),) if need.state is FAILED)


def seat_need(view: PhaseView, seat: Seat) -> Need:
    """How a seat stands: an objection in the wrong place keeps it from being filled by an older word."""
    need, strayed = _on_the_ladder(view, seat), view.strayed(seat)
    return need if need.state is not MET or strayed is None else _refused(view, seat, strayed)


def _on_the_ladder(view: PhaseView, seat: Seat) -> Need:
    """The first step of the ladder that a seat does not take."""
    vote = view.latest(seat)
    unbound = seat.role.about is Subject.NOTHING
    if vote is None or (view.content is None and not unbound):
        refused = view.refused(seat)
        if refused is not None:
            return _refused(view, seat, refused)
        return _drifted(view, seat) or _missing(view, seat)
    return (
        _touched(view, seat, vote)
        or (None if vote.fresh else _drifted(view, seat))
        or _refused_since(view, seat, vote)
        or _stale(view, seat, vote)
        or _failed(view, seat, vote)
        or _invalid(view, seat, vote)
        or _early(view, seat, vote)
        or _shared(view, seat, vote)
        or _unread(view, seat)
        or _filled(view, seat, vote)
    )


def _need(view: PhaseView, seat: Seat, state: NeedState, why: Why, vote: Vote | None = None, **values: object) -> Need:
    by = None if vote is None else vote.signal.source.author
    told: dict[str, object] = {
        "commit": view.commit,
        "issue": view.issue,
        "folder": None if seat.folder is None else seat.folder.path,
        "place": f"{seat.folder.path}/{seat.name}" if seat.folder is not None and len(view.folders) > 1 else "",
        "judged": None if vote is None else vote.commit,
        "said": "" if vote is None else _said(vote),
        "by": "" if by is None else by.login,
        "actor": seat.name,
        "signal": None if vote is None else vote.id,
        "noun": seat.role.noun if seat.folder is None else "",
        **values,
    }
    return Need(kind=NeedKind.SEAT, name=seat.name, state=state, why=why, **told)  # type: ignore[arg-type]


def _said(vote: Vote) -> str:
    """What it said in its own word; nothing where it could not be read."""
    if vote.signal.kind is Kind.REPORT:
        return vote.signal.said
    if vote.validity is Validity.INVALID and vote.outcome is not Outcome.FAIL:
        return ""
    return vote.signal.said or (vote.outcome.value if vote.outcome else "")


def _missing(view: PhaseView, seat: Seat) -> Need:
    vote = None if seat.role.part_of is None else _document(view, seat)
    if vote is None:
        astray = _astray(view, seat)
        return _need(view, seat, WAITING, Why.MISSING, also=() if astray is None else (astray,))
    why = Why.PART_OF_INVALID if vote.validity is Validity.INVALID else Why.PART_NOT_RUN
    return _need(view, seat, WAITING, why, other=seat.role.file)


def _astray(view: PhaseView, seat: Seat) -> Problem | None:
    """A file of the branch that was probably meant for a seat: with its name elsewhere, or in its place misspelt."""
    if seat.folder is None or seat.role.part_of is not None:
        return None
    root, known = seat.folder.path.partition("/")[0], {folder.path for folder in view.folders}
    for entry in view.facts.snapshot.files.entries:
        folder, _, name = entry.path.rpartition("/")
        near = folder.partition("/")[0] == root and folder.count("/") <= 1
        alike = name.lower().replace("_", "-") == seat.role.file
        if entry.status == "removed" or not (near and alike) or (folder in known and name == seat.role.file):
            continue
        other = f"Move {entry.path} there" + ("." if folder == root else ", or link the issue of its folder.")
        hint = f"Rename {entry.path} to {seat.role.file}." if folder in known else other
        return problem("PG236", f"{entry.path} is read by nobody", Where(path=entry.path), hint=hint)
    return None


def _document(view: PhaseView, seat: Seat) -> Vote | None:
    """What the document says as a whole that a seat is a part of."""
    issue = None if seat.folder is None else seat.folder.issue
    own = (vote for vote in reversed(view.votes) if vote.role == seat.role.file and vote.signal.source.latest)
    return next((vote for vote in own if vote.signal.source.issue == issue), None)


def _drifted(view: PhaseView, seat: Seat) -> Need | None:
    """The account of this seat wrote something in no known format: that is not silence, and never a pass."""
    drift = view.drifted(seat)
    return None if drift is None else _not_read(view, seat, drift)


def _unread(view: PhaseView, seat: Seat) -> Need | None:
    """A review or check run in no known format: the reviewer's pass elsewhere says nothing about it."""
    drift = view.unread(seat)
    return None if drift is None else _not_read(view, seat, drift)


def _not_read(view: PhaseView, seat: Seat, drift: Drift) -> Need:
    by = drift.source.author
    return _need(view, seat, WAITING, Why.DRIFTED, by="" if by is None else by.login, problem=drift.problem)


def _refused(view: PhaseView, seat: Seat, vote: Vote) -> Need:
    outcome = vote.signal.outcome if vote.signal.kind is Kind.VERDICT else None
    said = vote.signal.said or (outcome.value if outcome else "")
    return _need(view, seat, WAITING, Why.REFUSED, vote, said=said, problem=vote.why, also=_also(vote))


def _also(vote: Vote) -> tuple[Problem, ...]:
    """What else is wrong with a word, apart from what decided: all that would still stand in its way."""
    own = (item for item in vote.signal.problems if item.severity is Severity.ERROR)
    found = (item for item in vote.problems if item.severity is Severity.ERROR or item.code in REFUSALS)
    decided = None if vote.why is None else (vote.why.code, vote.why.message)
    told = {(item.code, item.message): item for item in (*found, *own)}
    return tuple(item for key, item in told.items() if key != decided)


def _refused_since(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    """A word that was given after one that is stale, and does not count."""
    refused = None if vote.fresh else view.refused(seat)
    if refused is None or refused.signal.source.moment <= vote.signal.source.moment:
        return None
    stale = _stale(view, seat, vote)
    return None if stale is None else _refused(view, seat, refused)


def _touched(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    """A vote that another account edited is invalid, whatever it says now and whatever it was for."""
    if vote.signal.source.tampered_by is None or vote.validity is Validity.VALID:
        return None
    return _need(view, seat, FAILED, Why.INVALID, vote, problem=vote.why, also=_also(vote))


def _stale(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    unbound = seat.role.about is Subject.NOTHING
    if vote.stale is not None and (unbound or vote.content == view.content):
        return _need(view, seat, WAITING, Why.OLDER_THAN_GROUND, vote, problem=vote.stale)
    if vote.fresh or unbound:
        return None
    if view.phase.where is Place.ISSUE:
        why = Why.OLDER_PLAN if vote.stale is None else Why.PLAN_LOST
        return _need(view, seat, WAITING, why, vote, problem=vote.stale)
    if _named_too_early(view, vote):
        return _need(view, seat, WAITING, Why.REFUSED, vote, problem=vote.why, also=_also(vote))
    why = _other_content(view, vote)
    other = view.facts.timeline.rebased if why is Why.BASE_REWRITTEN else None
    return _need(view, seat, WAITING, why, vote, problem=vote.why, other=other or "")


def _named_too_early(view: PhaseView, vote: Vote) -> bool:
    """Whether a word that does not count names the very head: it was written before that was there."""
    named = vote.signal.commit
    return (
        vote.validity is Validity.INVALID and named is not None and view.facts.timeline.named(named) == (view.commit,)
    )


def _other_content(view: PhaseView, vote: Vote) -> Why:
    """In what a vote's content differs; the same into another base is another content."""
    timeline = view.facts.timeline
    if vote.commit is None:
        return Why.COMMIT_UNKNOWN
    if timeline.content(vote.commit) != timeline.current:
        return Why.OLDER_COMMIT
    return Why.OTHER_BASE if timeline.rebased == RETARGETED else Why.BASE_REWRITTEN


def _failed(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    if vote.outcome is not Outcome.FAIL:
        return None
    confirming = overruled_by(view, vote)
    if confirming is not None:
        return _need(view, seat, MET, Why.OVERRULED, vote, other=confirming.role or "")
    found = vote.signal.must_fix or tuple(finding.summary for finding in vote.signal.findings[:3])
    values = {"findings": found, "actor": view.phase.fixer or "", "other": _contradicting(view, seat, vote)}
    unproven = _unproven(view, vote) or _passed_in_vain(view, seat, vote)
    also = () if unproven is None else (unproven,)
    return _need(view, seat, FAILED, Why.FAILED, vote, problem=vote.why, also=also, **values)


def _passed_in_vain(view: PhaseView, seat: Seat, failure: Vote) -> Problem | None:
    """That somebody whose words do not count has answered a FAIL since."""
    since = view.refused(seat)
    if since is None or since.why is None or not _later(since, failure):
        return None
    need = _refused(view, seat, since)
    whose = f"{seat.role.title}'s {need.said or 'word'}" if need.noun else seat.role.title
    return replace(since.why, message=f"{whose} by {need.by} is ignored: {since.why.message}", hint="")


def _unproven(view: PhaseView, failure: Vote) -> Problem | None:
    """That somebody who confirms calls the findings of a FAIL noise and shows no evidence for it."""
    for seat in view.seats:
        latest = view.latest(seat) if seat.role.does is Does.CONFIRMS else None
        if latest is None or not (latest.passes and latest.fresh and _later(latest, failure)):
            continue
        wrong = _unconvincing(view, seat, latest, tuple(failure.signal.must_fix or ()))
        if wrong is not None:
            return wrong
    return None


def _unconvincing(view: PhaseView, seat: Seat, confirming: Vote, demanded: tuple[str, ...]) -> Problem | None:
    """What is called noise to no effect, and why."""
    signal, lead = confirming.signal, f"{seat.role.title} calls {', '.join(confirming.signal.false_positives)} noise"
    if not signal.false_positives or not demanded:
        return None
    if not set(demanded).intersection(signal.false_positives):
        names = ", ".join(demanded)
        hint = f"Post the verdict again with {names} in false_positives, and evidence beside the id."
        return problem("PG226", f"{lead}, but must_fix names {names}", signal.where, hint=hint)
    proven = {item.id for item in signal.refutations if _proven(view, item)}
    bare = [name for name in signal.false_positives if name in demanded and name not in proven]
    if not bare:
        return None
    lines = [f"{path}:{line}" for item in signal.refutations if item.id in bare for path, line in item.lines]
    absent = f"; {lines[0]} does not exist at {short(view.facts.timeline.head)}" if lines else " without evidence"
    return problem("PG226", f"{seat.role.title} calls {', '.join(bare)} noise{absent}", signal.where)


def _contradicting(view: PhaseView, seat: Seat, vote: Vote) -> str:
    """Who has passed the same content after this FAIL without refuting it."""
    if view.phase.parallel:
        return ""
    for other in view.beside(seat):
        theirs = view.latest(other) if other.role.does is Does.CONFIRMS else None
        passed = theirs is not None and theirs.passes and theirs.fresh
        if passed and theirs is not None and theirs.signal.source.moment > vote.signal.source.moment:
            return other.name
    return ""


def _invalid(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    if vote.validity is Validity.VALID:
        return None
    since = view.refused(seat)
    if since is None or vote.why is None or since.signal.source.moment <= vote.signal.source.moment:
        return _need(view, seat, FAILED, Why.INVALID, vote, problem=vote.why, also=_also(vote))
    need = _refused(view, seat, since)
    before = replace(vote.why, message=f"the one before it is invalid: {vote.why.message}", hint="")
    return replace(need, state=FAILED, also=(*need.also, before))


def _early(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    other = out_of_order(view, seat)
    return None if other is None else _need(view, seat, WAITING, Why.TOO_EARLY, vote, other=other)


def out_of_order(view: PhaseView, seat: Seat) -> str | None:
    """Who challenges and has spoken on this content only after who confirms it."""
    if view.phase.parallel or seat.role.does is not Does.CONFIRMS:
        return None
    own = view.standing(seat)[-1]
    for other in view.beside(seat):
        if other.role.does is not Does.CHALLENGES:
            continue
        challenge = view.standing_pass(other)
        if challenge is not None and not own.signal.source.is_after(challenge.signal.source):
            return other.name
    return None


def _shared(view: PhaseView, seat: Seat, vote: Vote) -> Need | None:
    other = shared_account(view, seat)
    return None if other is None else _need(view, seat, WAITING, Why.ONE_ACCOUNT, vote, other=other)


def shared_account(view: PhaseView, seat: Seat) -> str | None:
    """With ``distinct_accounts``: who else in the phase speaks from the account of one who judges."""
    own = view.standing(seat)[-1].signal.source.author
    if not view.facts.policy.verdicts.distinct_accounts or not seat.judges or own is None:
        return None
    for name, account in _accounts(view, seat):
        if same_account(account, own):
            return name
    return None


def _accounts(view: PhaseView, seat: Seat) -> Iterator[tuple[str, Actor]]:
    """Everybody else who has a part in the phase; who makes the work without a word is who opened the pull request."""
    creator = view.phase.creator
    if creator is not None:
        yield from ((creator, account) for account in creators(view, creator))
    for other in view.seats:
        vote = view.latest(other) or view.refused(other)
        author = None if vote is None else vote.signal.source.author
        if other.role.file != seat.role.file and author is not None:
            yield other.name, author


def creators(view: PhaseView, creator: str) -> Iterator[Actor]:
    """Who wrote the plan, or everybody who said to have made the work; else who opened the pull request."""
    votes = view.heard(Seat(role=view.facts.policy.role(creator)))
    said = [vote.signal.source.author for vote in (votes[-1:] if view.phase.where is Place.ISSUE else votes)]
    plan = view.facts.plans.latest(view.issue)
    opened = view.facts.snapshot.pull_request.author if plan is None else plan.signal.source.author
    yield from dict.fromkeys(author for author in said or [opened] if author is not None)


def _filled(view: PhaseView, seat: Seat, vote: Vote) -> Need:
    if vote.outcome not in _good(seat.role):
        return _need(view, seat, WAITING, Why.NOT_DONE, vote)
    if vote.signal.kind is Kind.REPORT:
        return _need(view, seat, MET, Why.VALID, vote)
    why = Why.PASSED if vote.outcome is Outcome.PASS else Why.COMPLETED
    return _need(view, seat, MET, why, vote)


def _good(role: Role) -> tuple[Outcome | None, ...]:
    """What fills a seat; a file that is about nothing need only be there and be valid."""
    return (*GOOD, None) if role.about is Subject.NOTHING else GOOD


def overruled_by(view: PhaseView, failure: Vote) -> Vote | None:
    """The confirming vote that takes a challenger's FAIL back; none if it still blocks."""
    role = None if failure.role is None else view.facts.policy.role(failure.role)
    if role is None or role.does is not Does.CHALLENGES or not failure.signal.must_fix:
        return None
    if failure.validity is not Validity.VALID:
        return None
    for seat in view.seats:
        if seat.role.does is Does.CONFIRMS:
            latest = view.latest(seat)
            if latest is not None and _refutes(view, latest, failure):
                return latest
    return None


def _refutes(view: PhaseView, confirming: Vote, failure: Vote) -> bool:
    if not confirming.passes or not confirming.fresh or not _later(confirming, failure):
        return False
    proven = {item.id for item in confirming.signal.refutations if _proven(view, item)}
    return set(failure.signal.must_fix or ()) <= proven & set(confirming.signal.false_positives)


def _later(confirming: Vote, failure: Vote) -> bool:
    return confirming.signal.source.is_after(failure.signal.source)


def _proven(view: PhaseView, refutation: Refutation) -> bool:
    """Whether there is output beside the id, or a line of a file that exists at the head."""
    if refutation.output:
        return True
    snapshot, head = view.facts.snapshot, view.facts.timeline.head
    known = {file.path: file.lines or 0 for file in snapshot.cited_files if file.commit == head}
    return any(0 < line <= known.get(path, 0) for path, line in refutation.lines)
