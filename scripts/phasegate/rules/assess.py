"""Assessing: each signal becomes a vote that counts, is invalid or is ignored, always with the reason (L2 to L4).

In: signals in normal form, and the ledger so far. Out: votes, one for each role that a signal speaks for. An objection
without a clear role, or in the wrong place, is moved to the seats that it concerns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import GOOD, Does, Kind, Outcome, Place, Role, Signal, Source, Validity, Vote
from phasegate.policy.model import Edited, Policy
from phasegate.rules.accounts import DISMISSED, Refusal, Row, first
from phasegate.rules.binding import SpokenRoles, adjusted, consistent, short, spoken_roles

if TYPE_CHECKING:
    from phasegate.rules.ledger import Ledger

UNHEARD_REVIEWS = ("PENDING", DISMISSED)
STANDING = (Validity.VALID, Validity.INVALID)
PASSING = (Outcome.PASS, Outcome.COMPLETE)
NO_ROLE, WRONG_PLACE = ("PG120", "PG125"), "PG209"


class Said(NamedTuple):
    """A signal with what it is assessed against."""

    ledger: Ledger
    signal: Signal
    source: Source


# Why a signal does not count, whoever wrote it: the first row that holds. A dismissed verdict may stay in the history
# (4.5). Files come from this pull request and its own repository (4.7).
UNHEARD: tuple[Row[Said], ...] = (
    ("review", "PG207", lambda s: s.source.state == UNHEARD_REVIEWS[0] or
     (s.source.state == DISMISSED and s.signal.kind is not Kind.VERDICT),
     "a review that is {0.source.state} does not count"),
    ("version", "PG205", lambda s: not s.source.latest and not s.source.by_author,
     "this version was written by somebody other than its author"),
    ("spent", "PG404", lambda s: s.source.place is Place.ISSUE and s.source.issue not in s.ledger.renewed and
     s.ledger.is_spent(s.source),
     "it is older than the merge that closed this issue, and belongs to it"),
)  # fmt: skip
FILES: tuple[Row[Said], ...] = (
    ("fork", "PG231", lambda s: s.ledger.snapshot.of_a_fork,
     "the branch belongs to a fork, and files from forks do not count"),
    ("merged before", "PG234", lambda s: s.source.latest and
     not any(entry.path == s.signal.where.path for entry in s.ledger.snapshot.files.entries),
     "this pull request does not change it, so it belongs to what was merged before"),
    ("pusher", "PG232", lambda s: s.source.latest and s.source.author is None,
     "it is not known who pushed its last change"),
)  # fmt: skip
# Why the present text is not a valid word: the first row that holds.
TOUCHED: tuple[Row[Said], ...] = (
    ("another hand", "PG205", lambda s: s.source.tampered_by is not None,
     "edited by {0.source.tampered_by}, who is not its author"),
    ("edited", "PG208", lambda s: s.source.edited and s.ledger.policy.verdicts.edited is Edited.NEVER,
     "it was edited, and the policy does not count edited comments"),
    ("history", "PG216", lambda s: not s.source.history_complete,
     "it was edited, and not all of its earlier versions can be read"),
)  # fmt: skip
# What counts although its author opened or pushed the work: every objection to it.
# Nobody can push to get rid of an invalid word. An invalid word of the work's opener must name a failure to count.
HOLDS_BACK: tuple[tuple[str, Callable[[Vote, bool], bool]], ...] = (
    ("invalid", lambda vote, opened: vote.why is not None and (not opened or vote.signal.objects)),
    ("objection", lambda vote, _opened: vote.outcome in (Outcome.FAIL, Outcome.BLOCKED)),
)


def assess(ledger: Ledger, signals: Iterable[Signal]) -> tuple[Vote, ...]:
    """The votes that some signals make, oldest first: one for each role that a signal speaks for."""
    return tuple(sorted((vote for each in signals for vote in _votes(ledger, each)), key=lambda vote: vote.order))


def _votes(ledger: Ledger, signal: Signal) -> Iterator[Vote]:
    told = _spoken(ledger, signal)
    if not told.roles:
        yield _ignored(ledger, signal, None, *(refused_as(ledger, signal, None) or told.problems[:1]))
        return
    seated = tuple(role for role in told.roles if role in ledger.homes)
    roles = seated or told.roles if signal.may_be else told.roles
    strayed = {role: _misplaced(ledger, signal, role) for role in roles}
    at_home = _meant(ledger, signal, tuple(role for role in roles if strayed[role] is None))
    astray = () if at_home else tuple(filter(None, (strayed[roles[0]],)))
    for role in at_home or roles:
        why = (*refused_as(ledger, signal, role), *astray)
        if why:
            yield _counted_once(ledger, signal, role, why) or _ignored(ledger, signal, role, *why)
        else:
            yield vote_at_home(ledger, signal, role, *told.problems)


# ---- L3: whose a word is


def _spoken(ledger: Ledger, signal: Signal) -> SpokenRoles:
    """The roles that a signal speaks for.

    An example counts only for roles that its author is named for or was heard in here. The same goes for a text that
    may belong to several roles, if it has such a role (L3).
    """
    told, heard = spoken_roles(ledger.policy, signal, _mapped(ledger, signal)), ledger.heard(signal.source)
    if signal.shown:
        own = (*ledger.accounts.speaker(signal.source).mapped, *heard)
        kept = tuple(role for role in told.roles if role in own)
        message = "it quotes or shows a block, and its author speaks for no such role"
        example = problem("PG125", message, signal.where)
        told = replace(told, roles=kept, problems=told.problems if kept else (example,))
    if signal.may_be and not signal.claims:
        told = replace(told, roles=tuple(role for role in told.roles if role in heard) or told.roles)
    return told


def _mapped(ledger: Ledger, signal: Signal) -> tuple[str, ...]:
    """The roles that the author speaks for; an unreadable text may belong to any of them."""
    mapped = ledger.accounts.speaker(signal.source).mapped
    return mapped if mapped or signal.known or signal.claims else ledger.heard(signal.source)


def _meant(ledger: Ledger, signal: Signal, roles: tuple[str, ...]) -> tuple[str, ...]:
    """The roles that a word speaks for. Unsure claims give way to the roles that have a seat here, if any do."""
    sure = {claim.role for claim in signal.claims if not claim.gives_way}
    unsure = {claim.role for claim in signal.claims} - sure - set(_mapped(ledger, signal))
    return tuple(role for role in roles if role not in unsure and role in ledger.homes) or roles if unsure else roles


def _misplaced(ledger: Ledger, signal: Signal, role: str) -> Problem | None:
    """Why a role may not speak here, if its phase is judged elsewhere."""
    phase = ledger.homes.get(role)
    if phase is None or phase.where is signal.source.place or signal.source.pushed:
        return None
    place = "the linked issue" if phase.where is Place.ISSUE else "the pull request"
    return problem(WRONG_PLACE, f"{role} speaks on {place}, not here", signal.where)


def at_home(ledger: Ledger, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, oldest first. An objection in the wrong place or without a clear role counts at its seats."""
    found = (each for vote in votes for each in tuple(_brought_home(ledger, vote)) or (vote,))
    return tuple(sorted(found, key=lambda vote: vote.order))


def _brought_home(ledger: Ledger, vote: Vote) -> Iterator[Vote]:
    """A vote at its seats, if only its place or its missing role keeps it from counting against the work."""
    signal, named, source, why = vote.signal, vote.signal.commit, vote.source, vote.why
    if why is None or vote.heard or signal.kind not in (Kind.VERDICT, Kind.REPORT) or signal.shown:
        return
    astray = why.code == WRONG_PLACE or (vote.role is None and why.code in NO_ROLE)
    against = signal.objects or signal.outcome in (Outcome.FAIL, Outcome.BLOCKED)
    older = source.place is Place.ISSUE and source.at < ledger.snapshot.pull_request.created_at
    elsewhere = older or (named is not None and not ledger.timeline.named(named))
    if not (astray and against) or elsewhere or refused_as(ledger, signal, vote.role):
        return
    known = vote.role is None and any(item.severity is Severity.ERROR for item in signal.problems)
    wrong = () if known else (replace(why, severity=Severity.ERROR),)
    for role in map(ledger.policy.role, held_seats(ledger, source) if vote.role is None else (vote.role,)):
        home = ledger.homes.get(role.name)
        if home is not None and role.dialect == signal.dialect:
            everywhere = places_of(ledger, role)
            for issue in [source.issue] if source.issue in everywhere else everywhere:
                moved = replace(signal, source=replace(source, place=home.where, issue=issue))
                own = vote_at_home(ledger, moved, role.name, *wrong)
                yield from (own,) if own.heard else ()


def held_seats(ledger: Ledger, source: Source) -> tuple[str, ...]:
    """The seats judged here that an account holds by policy, or else has filled here.

    Required seats go first. An account that the policy names without roles, and that has filled no seat, holds every
    judging seat of the place.
    """
    policy, who = ledger.policy, ledger.accounts.speaker(source)
    own = who.mapped or ledger.heard(source)
    if not own and who.entries:
        here = (phase for phase in policy.phases if phase.enabled and phase.where is source.place)
        own = tuple(name for phase in here for name in phase.seats if policy.role(name).judges)
    seats = {name: home for name in own if name in policy.roles and (home := ledger.homes.get(name)) is not None}
    required = {name: home for name, home in seats.items() if name in (*home.seats, *home.quick_seats)} or seats
    return tuple(name for name, home in required.items() if home.where is source.place) or tuple(required)


def places_of(ledger: Ledger, role: Role) -> Sequence[int | None]:
    """Where a role's words are judged: the pull request (None), or each linked issue."""
    home = ledger.homes.get(role.name)
    on_issues = home is not None and home.where is Place.ISSUE
    return [issue.number for issue in ledger.snapshot.own_issues] if on_issues else [None]


# ---- L2: what counts


def refused_as(ledger: Ledger, signal: Signal, role: str | None) -> tuple[Problem, ...]:
    """Every reason why nothing in a signal counts for a role."""
    source, unheard = signal.source, _unheard(ledger, signal)
    if unheard is not None:
        return _problems(signal, unheard)
    if source.pushed and source.author is None:
        return ()  # a file that is gone counts against the work even without a named author
    who = ledger.accounts.speaker(source, role)
    return _problems(signal, *who.refusals, who.own_work if who.refusals else None)


def _unheard(ledger: Ledger, signal: Signal) -> Refusal | None:
    said = Said(ledger, signal, signal.source)
    return first(UNHEARD, said) or (first(FILES, said) if signal.source.pushed else None)


def _problems(signal: Signal, *refusals: Refusal | None) -> tuple[Problem, ...]:
    return tuple(problem(each.code, each.reason, signal.where) for each in refusals if each is not None)


def _ignored(ledger: Ledger, signal: Signal, role: str | None, why: Problem, *also: Problem) -> Vote:
    lesser = (replace(item, severity=Severity.NOTICE) for item in signal.problems)
    problems = adjusted(ledger.policy, (why, *also, *lesser))
    return Vote(signal=signal, role=role, validity=Validity.IGNORED, why=why, problems=problems)


def _counted_once(ledger: Ledger, signal: Signal, role: str, why: tuple[Problem, ...]) -> Vote | None:
    """The objection that a word was recorded as. It counts even if its author lost the permission since (L2)."""
    record, source = [seen for seen in ledger.snapshot.record.signals if seen.role == role], signal.source
    if not record or _unheard(ledger, signal) or _misplaced(ledger, signal, role):
        return None
    vote = vote_at_home(ledger, signal, role, *(replace(item, severity=Severity.NOTICE) for item in why))
    told = (vote.place, vote.objection, source.account)
    return vote if told in [(seen.source, seen.outcome, seen.account) for seen in record] else None


def vote_at_home(ledger: Ledger, signal: Signal, role: str, *claims: Problem) -> Vote:
    """A signal as a vote of a role that its author may speak for. ``claims`` are problems with its role."""
    source, timeline, plans, issue = signal.source, ledger.timeline, ledger.plans, signal.source.issue
    outcome, contradictions = consistent(ledger.policy, signal, role)
    touched = first(TOUCHED, Said(ledger, signal, source)) if source.latest else None
    commit, unbound = _commit(ledger, signal)
    if source.place is Place.ISSUE:  # words there may be about a plan that was deleted since; a plan is about itself
        content, here = plans.at(issue, source.at), plans.current(issue)
        lost = plans.loss(issue, source.at, signal.where) if signal.kind is Kind.VERDICT else None
    else:
        content, here = None if commit is None else timeline.content_at(commit, source.at), timeline.current
        lost = None
    on_it = not source.pushed or (source.commit is not None and timeline.is_current(source.commit, source.at))
    stale = () if lost is None else (lost,)
    found = (
        *claims,
        *signal.problems,
        *_problems(signal, touched),
        *contradictions,
        *_problems(signal, unbound),
        *stale,
    )
    problems = adjusted(ledger.policy, found)
    why = next((item for item in problems if item.severity is Severity.ERROR), None)
    dismissed = source.state == DISMISSED
    if dismissed and why is None and outcome in GOOD:
        wrong = problem("PG207", f"a review that is {source.state} does not count", signal.where)
        return _ignored(ledger, signal, role, wrong)
    who = ledger.accounts.speaker(source, role)
    own, gone = _problems(signal, who.own_work), dismissed or not source.latest
    vote = Vote(
        signal=signal,
        role=role,
        validity=Validity.EDITED_AWAY if gone else Validity.VALID if why is None else Validity.INVALID,
        why=why,
        outcome=outcome,
        commit=commit,
        content=content,
        fresh=content is not None and content == here and on_it,
        stale=lost,
        problems=problems if why is None else (*problems, *own),
    )
    barred = own and not any(holds(vote, who.opened) for _, holds in HOLDS_BACK)
    return _ignored(ledger, signal, role, *own) if barred else vote


# ---- L4: about what


def _commit(ledger: Ledger, signal: Signal) -> tuple[str | None, Refusal | None]:
    """The commit that a verdict judges, and what is wrong with it.

    This is the commit it names, or that of its review or push, or the head when it was written.
    """
    source, timeline = signal.source, ledger.timeline
    if source.place is Place.ISSUE or signal.kind is not Kind.VERDICT:
        return None, None
    written_at = source.commit if source.pushed else timeline.head_at(source.at)
    named = signal.commit or (None if source.pushed else source.commit)
    if named is None:
        if ledger.policy.verdicts.require_commit:
            return written_at, Refusal("PG304", "it names no commit, but the policy requires one")
        untold = "it names no commit, and the log of pushes does not show one"
        known = written_at is not None or source.pushed
        return written_at, None if known else Refusal("PG305", untold)
    told = f"commit {short(named)}"
    if source.pushed:
        before = {after for at, after in timeline.moves if at <= source.at and after.startswith(named.lower())}
        if len(before) == 1:
            return before.pop(), None
        return written_at, Refusal("PG301", f"{told} was not the head of this branch before")
    heads = timeline.named(named)
    if len(heads) > 1:
        return written_at, Refusal("PG302", f"{told} matches {len(heads)} commits")
    own_review = signal.commit is None and not timeline.complete  # GitHub itself tells what it is a review of
    if heads and (own_review or timeline.was_head(heads[0], source.at)):
        return heads[0], None
    if not timeline.complete:
        unknown = f"it is not known whether {told} was the head when this was written"
        return None, Refusal("PG305", unknown)
    never = "was not yet the head when this was written" if heads else timeline.never_head(named)
    return written_at, Refusal("PG301", f"{told} {never}")


class Stage:
    """A standing vote, and the first later file or word of an earlier seat. Only a pass becomes stale by a word.

    Two events in the same second may have come in either order.
    """

    def __init__(self, ledger: Ledger, vote: Vote, files: Sequence[Vote], said: Sequence[Vote]) -> None:
        self.vote, self.judged, self.head = vote, short(vote.commit or "?"), short(ledger.timeline.head)
        below = ledger.policy.role(vote.role).after if vote.role is not None else ()
        good = vote.validity is Validity.VALID and vote.outcome in PASSING

        def newer(votes: Sequence[Vote]) -> Vote | None:
            own = (each for each in votes if each.role in below and each.source.issue == vote.source.issue)
            return next((each for each in own if not vote.source.is_after(each.source)), None)

        self.newer_file, self.newer_word = newer(files), newer(said) if good else None
        theirs = None if self.newer_file is None else self.newer_file.source
        self.at_once = theirs is not None and theirs.at == vote.source.at
        self.changed_with = short((theirs and theirs.commit) or "?")


# Why a vote is stale though it may be for the present content: the first row that holds.
STALE: tuple[Row[Stage], ...] = (
    ("file at once", "PG306", lambda stage: stage.at_once,
     "it was pushed in the same second as {0.newer_file.role}, so nobody can tell which came first"),
    ("newer file", "PG306", lambda stage: stage.newer_file is not None,
     "it is older than {0.newer_file.role}, which was changed with {0.changed_with}"),
    ("content", "PG303", lambda stage: stage.vote.source.pushed and stage.vote.signal.kind is Kind.VERDICT and
     not stage.vote.fresh, "it was for {0.judged}, and {0.head} has other content"),
    ("newer word", "PG308", lambda stage: stage.newer_word is not None,
     "it is older than the latest {0.newer_word.role}, of {0.newer_word.source.at}"),
)  # fmt: skip


def mark_stale(ledger: Ledger, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes; stale are those whose earlier stage spoke again since, and those in files about another product."""
    stacked = {role.name: role.after for role in ledger.policy.roles.values() if role.after}
    grounds = {below for after in stacked.values() for below in after}
    standing = [vote for vote in votes if vote.validity in STANDING]
    files = [vote for vote in standing if vote.source.pushed]
    said = [vote for vote in standing if vote.role in grounds]
    spoken = [vote for vote in said if not vote.source.pushed]

    def settle(vote: Vote) -> Vote:
        in_files = vote.source.pushed
        if vote.validity not in STANDING or not (in_files or vote.role in stacked):
            return vote
        why = first(STALE, Stage(ledger, vote, files if in_files else (), spoken if in_files else said))
        if why is None:
            return vote
        stale = problem(why.code, why.reason, vote.signal.where)
        return replace(vote, fresh=False, stale=stale, problems=(*vote.problems, *adjusted(ledger.policy, [stale])))

    return tuple(map(settle, votes))


def with_references(policy: Policy, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """The votes, with a warning on each refuted id that no challenger of the phase raised."""

    def checked(vote: Vote) -> Vote:
        if not (vote.signal.false_positives and vote.heard and vote.role):
            return vote
        beside = {name for phase in policy.phases if vote.role in phase.seats for name in phase.seats}
        challengers = {name for name in beside if policy.role(name).does is Does.CHALLENGES}
        raised = (each.signal.findings for each in votes if each.heard and each.role in challengers)
        known = {finding.id for findings in raised for finding in findings}
        unknown = [item for item in vote.signal.false_positives if item not in known]
        if not unknown or policy.role(vote.role).does is not Does.CONFIRMS:
            return vote
        has = f"has {', '.join(sorted(known))}" if known else "it raised none"
        message = f"false_positives names {', '.join(unknown)}, which the challenger did not raise ({has})"
        return replace(vote, problems=(*vote.problems, problem("PG117", message, vote.signal.where)))

    return tuple(map(checked, votes))
