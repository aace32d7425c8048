"""The proven next action: what could be done is thought through, and what does not help is never proposed.

In: a pull request as it was read and decided. Out: tasks in the order in which they turn it green, each put through the
same rules as the real thing. An alternative follows the task that it stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem
from phasegate.model.report import Need, NeedKind, NeedState, PhaseReport, State, Why
from phasegate.model.signal import Finding, HowTo, Medium, Place, Role
from phasegate.model.task import (
    WHERE_BRANCH,
    WHERE_COMMENT,
    WHERE_DESCRIPTION,
    WHERE_POLICY,
    Grant,
    Party,
    Product,
    Remedy,
    Task,
)
from phasegate.model.vote import Vote
from phasegate.policy.model import AgentAccount, Phase
from phasegate.rules import edits
from phasegate.rules.edits import SOMEBODY, Position, Speaker
from phasegate.rules.phases import Evaluation
from phasegate.rules.speakers import actors, grantable, speakers
from phasegate.rules.weighing import Ground

MOST = 50  # remedies that are tried for one pull request
AGAIN = 3  # how often one need may come back on the way, since what stands on others falls with them
OVERRIDDEN = (State.FAILURE,)  # the states in which an override is worth a word
UNGRANTED = "PG202"  # what asks for another account first, and for a line of policy only then

Apply = Callable[[Position], Position]


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """Something that may help, and the position after it."""

    task: Task
    apply: Apply


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """What remedies are sought for: a need of a phase, in a position."""

    position: Position
    phase: Phase
    need: Need
    how_to: dict[str, HowTo]

    @property
    def issue(self) -> int | None:
        """The issue that it stands on; none on the pull request, and none yet where it is still to be opened."""
        return self.need.issue or None

    @property
    def place(self) -> int | None:
        """Where words are put: an issue by its number, or the pull request."""
        return self.need.issue if self.phase.where is Place.ISSUE else None

    def url(self) -> str:
        """The page on which words are put."""
        snapshot = self.position.snapshot
        if self.place is None:
            return snapshot.pull_request.url
        return next((issue.url for issue in snapshot.issues if issue.number == self.place), "")

    def vote(self) -> Vote | None:
        """The vote that the need is about."""
        found = (vote for vote in self.position.evaluation.votes if vote.id == self.need.signal)
        return next((vote for vote in found if vote.role in (None, self.need.name)), None)

    def task(self, do: Remedy, actor: Party, **values: object) -> Task:
        """A task about this need."""
        told: dict[str, object] = {
            "phase": self.phase.name,
            "need": self.need.name,
            "commit": self.need.commit,
            "issue": self.issue,
            **values,
        }
        return Task(do=do, actor=actor, **told)  # type: ignore[arg-type]


def find_tasks(
    ground: Ground, evaluation: Evaluation, phases: tuple[PhaseReport, ...], how_to: dict[str, HowTo]
) -> tuple[Task, ...]:
    """The way to green, step by step; what could not be shown to help is left out."""
    position, tried, found = edits.begin(ground, evaluation, phases), 0, list[Task]()
    met: Counter[object] = Counter()
    while tried < MOST and len(found) < MOST:
        case = _next_case(position, how_to, met)
        if case is None:
            break
        step, tries = _first_that_helps(case, MOST - tried)
        tried += tries
        met[_key(case.phase.name, case.need)] += 1 if step is not None else AGAIN
        if step is None:
            continue
        task, after = step
        found.append(replace(task, turns_green=_turned(position, after)))
        others, tries = _alternatives(case, task, min(MOST - tried, MOST - len(found)))
        tried += tries
        found.extend(others)
        position = after
    return tuple(_on_a_known_commit(task, ground.snapshot.pull_request.head.sha) for task in found)


def _on_a_known_commit(task: Task, head: str) -> Task:
    """A commit that is still to be made has no name yet."""
    return task if task.commit in (head, None) else replace(task, commit=None)


def _key(phase: str, need: Need) -> object:
    return phase, need.kind, need.name, need.issue, need.folder


def _next_case(position: Position, how_to: dict[str, HowTo], met: Counter[object]) -> Case | None:
    """What to do first: a phase that failed before one that waits; in it whom only a human helps, then what failed."""
    policy = {phase.name: phase for phase in position.ground.policy.phases}
    order = sorted(position.phases, key=lambda phase: phase.state is not State.FAILURE)
    for report in order:
        if report.state is State.SUCCESS:
            continue
        for need in sorted(_open(report), key=_urgency):
            if met[_key(report.name, need)] < AGAIN:
                return Case(position=position, phase=policy[report.name], need=need, how_to=how_to)
    return None


def _open(phase: PhaseReport) -> Iterator[Need]:
    for need in phase.needs:
        if need.state is not NeedState.MET and need.kind is not NeedKind.EARLIER_PHASE:
            yield need


def _urgency(need: Need) -> int:
    if need.kind is NeedKind.ATTEMPTS:
        return 0
    return 1 if need.state is NeedState.FAILED else 2


def _first_that_helps(case: Case, most: int) -> tuple[tuple[Task, Position] | None, int]:
    """The first candidate that brings the phase forward, and how many were tried."""
    tries = 0
    for candidate in candidates(case):
        if tries == most:
            break
        tries += 1
        after = candidate.apply(case.position)
        if helps(case, after):
            return (candidate.task, after), tries
    return None, tries


def _alternatives(case: Case, chosen: Task, most: int) -> tuple[list[Task], int]:
    """What would do as well: a line of policy, or a human who overrides what failed."""
    found: list[Task] = []
    tries = 0
    for candidate in chain(candidates(case), _override(case)):
        grant = candidate.task.grant
        other = candidate.task.do is Remedy.OVERRIDE or (grant is not None and grant.login)
        if not other or candidate.task.do is chosen.do or tries == most:
            continue
        tries += 1
        after = candidate.apply(case.position)
        if helps(case, after):
            found.append(replace(candidate.task, turns_green=_turned(case.position, after), instead=True))
    return found, tries


def helps(case: Case, after: Position) -> bool:
    """Whether a phase is further than before: less is left of it, or the need is met and nothing failed by that.

    What stood on the old word may have to be said again, which is the next need then.
    """
    before = case.position
    if sum(_left(phase)[0] for phase in after.phases) > sum(_left(phase)[0] for phase in before.phases):
        return False
    old, new = (_named(each.phases, case.phase.name) for each in (before, after))
    if _left(new) < _left(old):
        return True
    key = _key(case.phase.name, case.need)
    return key not in {_key(case.phase.name, need) for need in _open(new)}


def _named(phases: tuple[PhaseReport, ...], name: str) -> PhaseReport:
    return next(phase for phase in phases if phase.name == name)


def _left(phase: PhaseReport) -> tuple[int, int, int]:
    """How far a phase has to go: what failed, then what nothing else can begin without, then what is awaited."""
    needs = () if phase.state is State.SUCCESS else tuple(_open(phase))
    failed = sum(need.state is NeedState.FAILED for need in needs)
    first = sum(2 if need.why in (Why.NO_ISSUE, Why.SPENT) else need.kind is NeedKind.PLAN for need in needs)
    return (failed, first, len(needs))


def _turned(before: Position, after: Position) -> tuple[str, ...]:
    """The contexts that became green."""
    pairs = zip(before.phases, after.phases, strict=True)
    turned = [new.context for old, new in pairs if old.state is not State.SUCCESS and new.state is State.SUCCESS]
    return tuple(turned)


def candidates(case: Case) -> Iterator[Candidate]:
    """What may help against a need, the smallest first."""
    kind = case.need.kind
    if kind is NeedKind.SEAT:
        yield from _seat(case)
    elif kind is NeedKind.PLAN:
        yield from _plan(case)
    elif kind is NeedKind.LINKED_ISSUE:
        yield _link(case)
    elif kind is NeedKind.HUMAN:
        yield _act(case, Remedy.APPROVE)
    elif kind in (NeedKind.ATTEMPTS, NeedKind.HISTORY):
        yield _act(case, Remedy.RESUME)
    elif kind is NeedKind.WORKER:
        yield from _worker(case)
    elif kind is NeedKind.FOLDER:
        yield from _folder(case)


def _seat(case: Case) -> Iterator[Candidate]:
    need = case.need
    role = case.position.ground.policy.role(need.name)
    again = _file(case, role) if need.folder is not None else _verdict(case, role)
    if need.why is Why.FAILED:
        yield _fix(case)
    asked = _granted(case, role) if need.why is Why.REFUSED else ()
    first = need.problem is not None and need.problem.code == UNGRANTED
    yield from (again, *asked) if first else (*asked, again)
    yield _somebody_named(case, role)


def _product(case: Case, role: Role) -> Product:
    how = case.how_to.get(role.name) or HowTo(medium=Medium.COMMENT)
    complete = case.position.snapshot.ref_log.complete
    asks = case.position.ground.policy.verdicts.require_commit
    folder = case.need.folder
    return Product(
        medium=how.medium.value,
        url="" if how.medium is Medium.FILE else case.url(),
        heading=how.heading,
        marker=how.marker,
        schema=how.schema,
        says=how.says,
        path=how.path if folder is None else f"{folder}/{role.file}",
        names_commit=how.names_commit
        or (case.place is None and how.medium is not Medium.FILE and (asks or not complete)),
    )


def _refused(case: Case) -> dict[str, object]:
    """The word that is there and does not count, with every reason."""
    need = case.need
    if need.why not in (Why.REFUSED, Why.INVALID, Why.DRIFTED, Why.COMMIT_UNKNOWN):
        return {}
    return {"refused": need.signal, "reasons": reasons(need)}


def reasons(need: Need) -> tuple[Problem, ...]:
    """Everything that is wrong with what is there."""
    return tuple(dict.fromkeys(item for item in (need.problem, *need.also) if item is not None))


def _verdict(case: Case, role: Role) -> Candidate:
    able = speakers(case.position, role, case.phase, case.place)
    who = able[0] if able else Speaker(account=SOMEBODY)
    task = case.task(
        Remedy.GIVE_VERDICT,
        Party.ROLE,
        role=role.name,
        accounts=_logins(able),
        permission="" if able else "write",
        product=_product(case, role),
        **_refused(case),
    )
    return Candidate(task=task, apply=lambda at: edits.spoken(at, edits.word_of(at, role, who, case.place), who))


def _logins(found: tuple[Speaker, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.account.login for each in found))


def _file(case: Case, role: Role) -> Candidate:
    able = speakers(case.position, role, case.phase, case.place)
    who = able[0] if able else Speaker(account=SOMEBODY)
    roles = case.position.ground.policy.roles
    parts = tuple(each for each in roles.values() if each.file == role.file and each.dialect == role.dialect)
    asked = {name for phase in case.position.ground.policy.phases for name in phase.every_seat}
    whole = tuple(each for each in parts if each.name in asked or each.part_of is None)
    path = f"{case.need.folder}/{role.file}"
    folder = next((each for each in case.position.ground.folders if each.path == case.need.folder), None)
    issue = None if folder is None else folder.issue
    task = case.task(
        Remedy.PUSH_EVIDENCE,
        Party.ROLE,
        role=role.name,
        accounts=_logins(able),
        permission="" if able else "write",
        product=_product(case, role),
        **_refused(case),
    )
    return Candidate(task=task, apply=lambda at: edits.filed(at, whole, who, path, issue))


def _fix(case: Case) -> Candidate:
    vote, fixer = case.vote(), case.phase.fixer or ""
    actor = Party.ROLE if fixer else Party.AUTHOR
    findings = () if vote is None else must_fix(vote)
    product = Product(medium=WHERE_BRANCH)
    wrong = reasons(case.need)
    task = case.task(Remedy.FIX_FINDINGS, actor, role=fixer, findings=findings, product=product, reasons=wrong)
    if case.place is not None:
        return Candidate(task=replace(task, product=_plan_product(case)), apply=lambda at: _planned(at, case))
    return Candidate(task=task, apply=edits.fixed)


def must_fix(vote: Vote) -> tuple[Finding, ...]:
    """The findings that must be fixed: those that are named, or else all."""
    named = vote.signal.must_fix
    return tuple(finding for finding in vote.signal.findings if not named or finding.id in named)


def _granted(case: Case, role: Role) -> tuple[Candidate, ...]:
    """A line of policy that would let the account of a refused word speak; never for one that nobody can vouch for."""
    vote = case.vote()
    grant = None if vote is None else grantable(case.position.ground, vote, role)
    if grant is None:
        return ()
    entry = AgentAccount(login=grant.login, id=grant.id, app_id=grant.app_id, roles=(role.file,))
    product = Product(medium=WHERE_POLICY, path=case.position.snapshot.policy.path)
    task = case.task(
        Remedy.ADD_POLICY_LINE, Party.MAINTAINER, role=role.name, grant=grant, product=product, **_refused(case)
    )
    return (Candidate(task=task, apply=lambda at: edits.granted(at, entry)),)


def _somebody_named(case: Case, role: Role) -> Candidate:
    """A line of policy that names an account for a role, where nobody may speak for it; it speaks then."""
    grant = Grant(login="", role=role.file, beside=bool(case.position.ground.policy.agents.accounts))
    entry = AgentAccount(login=SOMEBODY.login, id=SOMEBODY.id, roles=(role.file,))
    product = Product(medium=WHERE_POLICY, path=case.position.snapshot.policy.path)
    task = case.task(Remedy.ADD_POLICY_LINE, Party.MAINTAINER, role=role.name, grant=grant, product=product)
    who = Speaker(account=SOMEBODY)

    def apply(position: Position) -> Position:
        named = edits.granted(position, entry)
        if case.need.folder is not None:
            return _file(replace(case, position=named), role).apply(named)
        if case.need.kind is NeedKind.PLAN:
            return _planned(named, case)
        return edits.spoken(named, edits.word_of(named, role, who, case.place), who)

    return Candidate(task=task, apply=apply)


def _plan_product(case: Case) -> Product:
    role = case.position.ground.policy.roles.get(case.phase.creator or "")
    return Product(medium=WHERE_COMMENT, url=case.url()) if role is None else _product(case, role)


def _planned(position: Position, case: Case) -> Position:
    role = position.ground.policy.role(case.phase.creator or case.need.name)
    able = speakers(position, role, case.phase, case.place)
    who = able[0] if able else Speaker(account=SOMEBODY)
    if role.name in case.phase.seats:
        return edits.spoken(position, edits.word_of(position, role, who, case.place), who)
    return edits.planned(position, role, who, case.place)


def _plan(case: Case) -> Iterator[Candidate]:
    if case.need.why is Why.SPENT:
        yield _link(case)
        return
    role = case.position.ground.policy.roles.get(case.phase.creator or "")
    able = () if role is None else speakers(case.position, role, case.phase, case.place)
    task = case.task(
        Remedy.WRITE_PLAN,
        Party.ROLE,
        role=case.phase.creator or "",
        accounts=_logins(able),
        product=_plan_product(case),
        **_refused(case),
    )
    yield Candidate(task=task, apply=lambda at: _planned(at, case))
    if role is not None:
        yield from _granted(case, role) if case.need.why is Why.REFUSED else ()
        yield _somebody_named(case, role)


def _link(case: Case) -> Candidate:
    product = Product(
        medium=WHERE_DESCRIPTION, url=case.position.snapshot.pull_request.url, text="Closes #<number of the issue>"
    )
    task = case.task(Remedy.LINK_ISSUE, Party.AUTHOR, product=product, hint=case.need.why.value)
    return Candidate(task=task, apply=lambda at: edits.linked(at, _folder_of_an_issue(case)))


def _folder_of_an_issue(case: Case) -> str | None:
    """Where the files of an issue stand, where there are any."""
    policy = case.position.ground.policy
    seats = (policy.role(name) for phase in policy.phases if phase.enabled for name in phase.seats)
    paths = (case.how_to[role.name].path for role in seats if role.per_issue and role.name in case.how_to)
    return next((path.rpartition("/")[0] for path in paths if path), None)


def _act(case: Case, do: Remedy) -> Candidate:
    able = actors(case.position)
    who = able[0] if able else Speaker(account=SOMEBODY)
    verb = do.value
    reason = "" if do is Remedy.APPROVE else ": <reason>"
    named = case.place is None and not case.position.snapshot.ref_log.complete and do is not Remedy.RESUME
    commit = f" {case.position.head[:7]}" if named else ""
    product = Product(
        medium=WHERE_COMMENT,
        url=case.url(),
        text=f"/gate {verb} {case.phase.name}{commit}{reason}",
        names_commit=named,
    )
    task = case.task(
        do,
        Party.HUMAN,
        accounts=_logins(able),
        permission=case.position.ground.policy.humans.minimum_permission,
        product=product,
        **_refused(case),
    )
    return Candidate(task=task, apply=lambda at: edits.acted(at, verb, case.phase.name, who, case.place))


def _override(case: Case) -> Iterator[Candidate]:
    """What a human may do in place of a phase that failed, where the policy lets them."""
    state = next(phase.state for phase in case.position.phases if phase.name == case.phase.name)
    if case.position.ground.policy.overrides and (state in OVERRIDDEN or case.need.kind is NeedKind.LINKED_ISSUE):
        yield _act(case, Remedy.OVERRIDE)


def _worker(case: Case) -> Iterator[Candidate]:
    role = case.position.ground.policy.role(case.need.name)
    found = _verdict(case, role)
    yield replace(found, task=replace(found.task, do=Remedy.REPORT_AGAIN))


def _folder(case: Case) -> Iterator[Candidate]:
    need = case.need
    hint = "" if need.problem is None else need.problem.hint
    product = Product(medium=WHERE_BRANCH, path=need.name)
    task = case.task(Remedy.FIX_FOLDER, Party.AUTHOR, product=product, hint=hint, reasons=reasons(need))
    yield Candidate(task=task, apply=lambda at: edits.cleared(at, need.name))
    yield _link(case)
