"""The proven next action: what could be done is thought through, and what does not help is never proposed.

In: a pull request as it was read and decided. Out: tasks in the order in which they turn it green, each put through the
same rules as the real thing. An alternative follows the task that it stands for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from phasegate.model.frozen import dataclass, replace
from phasegate.model.report import (
    WHERE_POLICY,
    Grant,
    Need,
    NeedKind,
    NeedState,
    Party,
    PhaseReport,
    Product,
    Remedy,
    State,
    Task,
    Why,
)
from phasegate.model.signal import HowTo, Vote
from phasegate.policy.model import Policy
from phasegate.rules import edits
from phasegate.rules.accounts import RANK, is_author
from phasegate.rules.candidates import UNGRANTED, Case, candidates, granted, key_of, mended_elsewhere, override_of
from phasegate.rules.desk import Evaluation
from phasegate.rules.edits import Position, actors
from phasegate.rules.phases import decide
from phasegate.rules.weighing import Ground, weigh

MOST = 50  # remedies that are tried for one pull request
AGAIN = 3  # how often one need may come back on the way, since what stands on others falls with them
# Of these more than one remedy is thought of, or nothing else is worth doing before.
BY_ITSELF = (Why.DRIFTED, Why.ESCALATED, Why.FAILED, Why.REFUSED, Why.SPENT, Why.UNUSABLE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Search:
    """How far the way to green is known: where it leads, what was tried, and which needs came back how often."""

    position: Position
    tasks: tuple[Task, ...] = ()
    tried: int = 0
    met: Counter[object]
    alone: frozenset[object] = frozenset()
    overridden: frozenset[str] = frozenset()


def find_tasks(
    ground: Ground, evaluation: Evaluation, phases: tuple[PhaseReport, ...], how_to: dict[str, HowTo]
) -> tuple[Task, ...]:
    """The way to green, step by step; what could not be shown to help is left out."""
    search = Search(position=edits.begin(ground, evaluation, phases), met=Counter())
    while search.tried < MOST and len(search.tasks) < MOST:
        cases = [case for case in _cases(search.position, how_to) if search.met[case.key] < AGAIN]
        if not cases:
            break
        single = next((case for case in cases if _is_by_itself(case)), None)
        before = cases if single is None else _before(cases, single)
        together = [case for case in before if case.key not in search.alone]
        search = _all_at_once(search, together) if together else _one(search, single or cases[0])
    head = ground.snapshot.pull_request.head.sha
    return tuple(_on_a_known_commit(task, head) for task in search.tasks[:MOST])


def _is_by_itself(case: Case) -> bool:
    """Whether more than one remedy is thought of; a human's approval is given once everything else is there."""
    need = case.need
    other = need.problem is not None and need.problem.code == edits.OTHER_ROLE
    invalid = need.why is Why.INVALID and (other or bool(mended_elsewhere(case)))
    unlinked = need.kind is NeedKind.LINKED_ISSUE
    alone = need.why in BY_ITSELF and need.kind is not NeedKind.CHECK
    return (alone or invalid or unlinked) and need.kind is not NeedKind.HUMAN


def _before(cases: list[Case], single: Case) -> list[Case]:
    """What is open in the phases that come before that of a need."""
    names = [case.phase.name for case in cases]
    return cases[: names.index(single.phase.name)]


def _on_a_known_commit(task: Task, head: str) -> Task:
    """A commit that is still to be made has no name yet."""
    return task if task.commit in (head, None) else replace(task, commit=None)


def _cases(position: Position, how_to: dict[str, HowTo]) -> Iterator[Case]:
    """What is open: of a phase that failed before one that waits, in it whom only a human helps, then what failed."""
    policy = {phase.name: phase for phase in position.ground.policy.phases}
    for report in sorted(position.phases, key=lambda phase: phase.state is not State.FAILURE):
        if report.state is not State.SUCCESS:
            for need in sorted(_open(report), key=_urgency):
                yield Case(position=position, phase=policy[report.name], need=need, how_to=how_to)


def _open(phase: PhaseReport) -> Iterator[Need]:
    for need in phase.needs:
        if need.state is not NeedState.MET and need.kind is not NeedKind.EARLIER_PHASE:
            yield need


def _urgency(need: Need) -> int:
    if need.kind is NeedKind.ATTEMPTS:
        return 0
    return 1 if need.state is NeedState.FAILED else 2


def _all_at_once(search: Search, cases: list[Case]) -> Search:
    """What nobody need choose: everybody says and does what is awaited, and the phases are asked once."""
    position, done = search.position, dict[object, int]()
    tasks: list[Task] = []
    lasts: dict[str, int] = {}
    for case in cases:
        candidate = next(candidates(replace(case, position=position)), None)
        if candidate is None:
            continue
        key = _same(case, candidate.task)
        if key not in done:
            position = candidate.apply(position)
            done[key] = len(tasks)
            tasks.append(candidate.task)
        lasts[case.phase.name] = max(lasts.get(case.phase.name, 0), done[key])
    after = edits.weighed(position)
    stuck = {case.key for case in cases if case.key in _still_open(after)}
    if stuck or not tasks:
        return replace(search, tried=search.tried + 1, alone=search.alone | (stuck or {case.key for case in cases}))
    turned = _turned_by(search.position, after, lasts)
    told = (replace(task, turns_green=turned[each]) if each in turned else task for each, task in enumerate(tasks))
    met = search.met + Counter(case.key for case in cases)
    return replace(search, position=after, tasks=(*search.tasks, *told), tried=search.tried + len(tasks), met=met)


def _same(case: Case, task: Task) -> object:
    """What is done only once: a file is pushed, and a verdict given, with all its parts."""
    product = task.product
    if product is not None and product.path:
        return task.do, product.path
    return (task.do, task.role, task.issue) if task.do is Remedy.GIVE_VERDICT else case.key


def _still_open(position: Position) -> set[object]:
    return {
        key_of(phase.name, need)
        for phase in position.phases
        if phase.state is not State.SUCCESS
        for need in _open(phase)
    }


def _turned_by(before: Position, after: Position, lasts: dict[str, int]) -> dict[int, tuple[str, ...]]:
    """Which of several tasks turns a phase green: the last of its own and of those before it."""
    found: dict[int, tuple[str, ...]] = {}
    last = 0
    for old, new in zip(before.phases, after.phases, strict=True):
        last = max(last, lasts.get(new.name, 0))
        if old.state is not State.SUCCESS and new.state is State.SUCCESS:
            found[last] = (*found.get(last, ()), new.context)
    return found


def _one(search: Search, case: Case) -> Search:
    """What may be helped in several ways: they are tried one by one, and the first that helps is taken."""
    tried = search.tried
    for candidate in candidates(case):
        if tried == MOST:
            break
        tried += 1
        after = edits.weighed(candidate.apply(case.position))
        if helps(case, after):
            task = replace(candidate.task, turns_green=_turned(case.position, after))
            others, more = _alternatives(case, task, search, MOST - tried)
            met = search.met + Counter([case.key])
            names = search.overridden | {each.phase for each in others if each.do is Remedy.OVERRIDE}
            tasks = (*search.tasks, task, *others)
            return replace(search, position=after, tasks=tasks, tried=tried + more, met=met, overridden=names)
    met = search.met + Counter({case.key: AGAIN})
    return replace(search, tried=tried, met=met)


def _alternatives(case: Case, chosen: Task, search: Search, most: int) -> tuple[list[Task], int]:
    """What would do as well: a line of policy, or a human who overrides what failed."""
    found: list[Task] = []
    tries = 0
    role = case.position.ground.policy.roles.get(case.need.name)
    refused = case.need.why in (Why.REFUSED, Why.INVALID)
    grants = granted(case, role) if refused and role is not None else ()
    override = () if case.phase.name in search.overridden else override_of(case)
    for candidate in chain(grants, override):
        if candidate.task.do is chosen.do or tries == most:
            continue
        tries += 1
        after = edits.weighed(candidate.apply(case.position))
        if helps(case, after):
            found.append(replace(candidate.task, turns_green=_turned(case.position, after), instead=True))
    return found, tries


def helps(case: Case, after: Position) -> bool:
    """Whether a phase is further than before: less is left of it, or the need is met and nothing failed by that.

    What stood on the old word may have to be said again, which is the next need then.
    """
    before = case.position
    if sum(map(_failed, after.phases)) > sum(map(_failed, before.phases)):
        return False
    old, new = (_named(each.phases, case.phase.name) for each in (before, after))
    return _left(new) < _left(old) or case.key not in _still_open(after)


def _failed(phase: PhaseReport) -> int:
    """How much failed that would not come to light anyway: what lies in the past a human can clear afterwards."""
    needs = () if phase.state is State.SUCCESS else tuple(_open(phase))
    return sum(need.state is NeedState.FAILED and need.kind is not NeedKind.HISTORY for need in needs)


def _named(phases: tuple[PhaseReport, ...], name: str) -> PhaseReport:
    return next(phase for phase in phases if phase.name == name)


def _left(phase: PhaseReport) -> tuple[int, int, int]:
    """How far a phase has to go: what failed, then what nothing else can begin without, then what is awaited."""
    needs = () if phase.state is State.SUCCESS else tuple(_open(phase))
    failed = sum(need.state is NeedState.FAILED for need in needs)
    unplanned = (need.kind is NeedKind.LINKED_ISSUE or need.why is Why.SPENT for need in needs)
    first = 2 * sum(unplanned) + sum(need.kind is NeedKind.PLAN and need.why is not Why.SPENT for need in needs)
    return (failed, first, len(needs))


def _turned(before: Position, after: Position) -> tuple[str, ...]:
    """The contexts that became green."""
    pairs = zip(before.phases, after.phases, strict=True)
    turned = [new.context for old, new in pairs if old.state is not State.SUCCESS and new.state is State.SUCCESS]
    return tuple(turned)


OWN_ACTS = ("PG211", "PG212")  # acts of the author, and of an account that agents use
AUTHOR_ACTS, AGENT_ACTS = "author_may_approve", "agents_may_approve"  # the switches that let them count


def switched(ground: Ground, evaluation: Evaluation, phases: tuple[PhaseReport, ...]) -> Task | None:
    """The smallest switch of the policy that helps who works alone here, where nobody else could do what is missing."""
    for grant, policy in (*_one_for_all(ground, evaluation), *_own_approvals(ground, evaluation, phases)):
        then = decide(weigh(replace(ground, policy=policy)))
        open_now = {phase.name for phase in phases if phase.state is not State.SUCCESS}
        turned = [phase for phase in then if phase.state is State.SUCCESS and phase.name in open_now]
        if turned:
            return Task(
                do=Remedy.ADD_POLICY_LINE,
                actor=Party.MAINTAINER,
                phase=turned[0].name,
                grant=grant,
                product=Product(medium=WHERE_POLICY, path=ground.snapshot.policy.path),
                turns_green=tuple(phase.context for phase in turned),
                instead=True,
            )
    return None


def _one_for_all(ground: Ground, evaluation: Evaluation) -> Iterator[tuple[Grant, Policy]]:
    """What lets one account do everything, where nobody else has a part in it so far."""
    policy, snapshot, author = ground.policy, ground.snapshot, ground.snapshot.pull_request.author
    if author is None or policy.agents.accounts or not any(_is_own_work(ground, vote) for vote in evaluation.votes):
        return
    able = (person for person in snapshot.people if RANK.get(person.permission, 0) >= RANK["write"])
    if any(person.id != author.id for person in able):
        return
    alone = replace(
        policy,
        agents=replace(policy.agents, author_may_judge=True),
        humans=replace(policy.humans, author_may_approve=True, agents_may_approve=True),
        issue=replace(policy.issue, author_may_lower=True),
    )
    yield Grant(login=author.login, id=author.id, roles=(), alone=True), alone


def _own_approvals(
    ground: Ground, evaluation: Evaluation, phases: tuple[PhaseReport, ...]
) -> Iterator[tuple[Grant, Policy]]:
    """What lets the author approve, or an account that agents use, where no account is known that may."""
    refused = [act.command.source.author for act in evaluation.acts if act.why and act.why.code in OWN_ACTS]
    author = refused[-1] if refused else None
    if author is None or actors(edits.begin(ground, evaluation, phases)):
        return
    beside = "humans:" in (ground.snapshot.policy.text or "")
    humans = ground.policy.humans
    for names in ((AUTHOR_ACTS,), (AGENT_ACTS,), (AUTHOR_ACTS, AGENT_ACTS)):
        allowed = replace(
            humans,
            author_may_approve=humans.author_may_approve or AUTHOR_ACTS in names,
            agents_may_approve=humans.agents_may_approve or AGENT_ACTS in names,
        )
        grant = Grant(login=author.login, id=author.id, roles=(), beside=beside, approvers=names)
        yield grant, replace(ground.policy, humans=allowed)


def _is_own_work(ground: Ground, vote: Vote) -> bool:
    """Whether a word is there of who opened the pull request, and does not count for that."""
    author = vote.signal.source.author
    own = author is not None and is_author(ground.snapshot, author)
    return own and vote.signal.source.latest and vote.why is not None and vote.why.code == UNGRANTED
