"""Next steps: tries on the pull request what could be done, and proposes only what helps.

In: a pull request as read and decided. Out: tasks in the order in which they turn it green, each checked by the same
rules as the real event. An alternative follows the task that it replaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from phasegate.model import report
from phasegate.model.frozen import replace
from phasegate.model.report import Grant, Need, NeedKind, NeedState, PhaseReport, Remedy, State, Task, Why
from phasegate.model.signal import HowTo
from phasegate.model.texts import Actor, NameEvent, Person
from phasegate.policy.model import Policy
from phasegate.rules import remedies
from phasegate.rules.accounts import RANK, first, is_author
from phasegate.rules.ledger import Ground, Ledger, weigh
from phasegate.rules.phases import decide
from phasegate.rules.position import END_OF_TIME, Position, Who, actors, begin
from phasegate.rules.remedies import ALTERNATIVES, REMEDIES, Candidate, Case, Row, candidates, fixed_elsewhere
from phasegate.rules.route import LOWERING, Asked, Lowering

MOST = 50  # remedies tried for one pull request
RED = NeedState.FAILED
COMMIT = "{commit}"  # the placeholder in a role's example
AGAIN = 3  # how often a need may come back: a new word can undo what depended on the old one
# Needs for which several remedies are possible, or which come before everything else.
ALONE = (Why.DRIFTED, Why.ESCALATED, Why.FAILED, Why.STANDS, Why.NOT_DONE, Why.REFUSED, Why.SPENT, Why.UNUSABLE)
OWN_ACTS = ("PG211", "PG212")  # commands of the author, and of an account that agents use
# The switches that let them count, the smallest change first.
APPROVERS = (("author_may_approve",), ("agents_may_approve",), ("author_may_approve", "agents_may_approve"))
Phases = tuple[PhaseReport, ...]


def find_tasks(ground: Ground, evaluation: Ledger, phases: Phases, how_to: dict[str, HowTo]) -> tuple[Task, ...]:
    """The way to green, step by step. Steps that could not be shown to help are left out."""
    search, head = Search(begin(ground, evaluation, phases)), ground.snapshot.pull_request.head.sha
    while search.tried < MOST and len(search.tasks) < MOST:
        cases = [case for case in _cases(search.position, how_to) if search.met[case.key] < AGAIN]
        if not cases:
            break
        single = next((case for case in cases if _is_alone(case)), None)
        names = [case.phase.name for case in cases]
        before = cases if single is None else cases[: names.index(single.phase.name)]
        together = [case for case in before if case.key not in search.alone]
        if together:
            search.try_together(together)
        else:
            search.try_one_by_one(single or cases[0])
    return tuple(_named(task, head) for task in search.tasks[:MOST])


def _named(task: Task, head: str) -> Task:
    """The task with its commit filled in; a commit still to be pushed has no name yet."""
    made, known = task.product, task.commit == head
    if made is not None and COMMIT in made.example:
        made = replace(made, example=made.example.replace(COMMIT, head if known else "<the head commit>"))
    return replace(task, commit=head if known else None, product=made)


def _cases(position: Position, how_to: dict[str, HowTo]) -> Iterator[Case]:
    """The open needs: failed phases before waiting ones, and in a phase escalation first, then failures."""
    policy = {phase.name: phase for phase in position.ground.policy.phases}
    for phase in sorted(position.phases, key=lambda phase: phase.state is not State.FAILURE):
        for need in sorted(_open(phase), key=lambda need: (need.kind is not NeedKind.ATTEMPTS, need.state is not RED)):
            yield Case(position=position, phase=policy[phase.name], need=need, how_to=how_to)


def _open(phase: PhaseReport) -> list[Need]:
    """What a phase still needs; empty if it is green."""
    needs = () if phase.state is State.SUCCESS else phase.needs
    return [need for need in needs if need.state is not NeedState.MET and need.kind is not NeedKind.EARLIER_PHASE]


def _is_alone(case: Case) -> bool:
    """True if a need's remedies are tried one by one. Approvals are given last, when everything else is there."""
    need = case.need
    if need.kind in (NeedKind.CHECK, NeedKind.HUMAN):
        return need.why is Why.NOT_DONE
    invalid = need.why is Why.INVALID and (case.code == remedies.OTHER_ROLE or bool(fixed_elsewhere(case)))
    return invalid or need.why in ALONE or need.kind is NeedKind.LINKED_ISSUE


class Search:
    """State of the search: the position reached, the tasks that lead there, and what was tried."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.tasks: tuple[Task, ...] = ()
        self.tried = 0
        self.met: Counter[object] = Counter()  # how often each need was met
        self.alone: set[object] = set()  # the needs that were not met together with others

    def try_together(self, cases: list[Case]) -> None:
        """All waiting roles speak at once and the phases are decided once; a document comes with all its parts."""
        position, tasks, done, lasts = self.position, list[Task](), dict[object, int](), dict[str, int]()
        for case in cases:
            task, after = next(candidates(replace(case, position=position), REMEDIES), (None, position))
            if task is None:
                continue
            path = "" if task.product is None else task.product.path
            once = path or (task.do is Remedy.GIVE_VERDICT and (task.role, task.issue))
            key = (task.do, once or case.key)
            if key not in done:
                position, done[key] = after, len(tasks)
                tasks.append(task)
            lasts[case.phase.name] = max(lasts.get(case.phase.name, 0), done[key])
        after, keys = position.decided(), {case.key for case in cases}
        stuck = keys & {case.key for case in _cases(after, {})}
        if stuck or not tasks:
            self.tried += 1
            self.alone |= stuck or keys
            return
        turned = _turns(self.position.phases, after.phases, lasts)
        self.tasks += tuple(replace(task, turns_green=turned.get(each, ())) for each, task in enumerate(tasks))
        self.position, self.tried = after, self.tried + len(tasks)
        self.met.update(case.key for case in cases)

    def try_one_by_one(self, case: Case) -> None:
        """Takes the first remedy that helps, with its alternatives."""
        task, after = next(self._helpful(case, REMEDIES), (None, self.position))
        self.met[case.key] += AGAIN if task is None else 1
        if task is not None:
            instead = {each.phase for each in self.tasks if each.instead and each.do is Remedy.OVERRIDE}
            skipped = {task.do, Remedy.OVERRIDE} if case.phase.name in instead else {task.do}
            others = tuple(replace(other, instead=True) for other, _ in self._helpful(case, ALTERNATIVES, skipped))
            self.tasks, self.position = (*self.tasks, task, *others), after

    def _helpful(self, case: Case, rows: tuple[Row, ...], skipped: Collection[Remedy] = ()) -> Iterator[Candidate]:
        """The candidates that help, decided one by one. A fresh failing vote is fixed in any case."""
        found = case.vote is not None and case.vote.fresh and not self.met[case.key]
        for task, made in candidates(case, rows):
            if task.do not in skipped and self.tried < MOST:
                self.tried += 1
                after = made.decided()
                if _helps(case, after) or (found and task.do is Remedy.FIX_FINDINGS):
                    yield (replace(task, turns_green=_turns(case.position.phases, after.phases, {}).get(0, ())), after)


def _turns(before: Phases, after: Phases, lasts: dict[str, int]) -> dict[int, tuple[str, ...]]:
    """Which of several tasks turns which phases green: the last task of the phase or of an earlier one."""
    found: dict[int, tuple[str, ...]] = {}
    last = 0
    for old, new in zip(before, after, strict=True):
        last = max(last, lasts.get(new.name, 0))
        if old.state is not State.SUCCESS and new.state is State.SUCCESS:
            found[last] = (*found.get(last, ()), new.context)
    return found


def _helps(case: Case, after: Position) -> bool:
    """True if the phase needs less or the need is met, and nothing new fails except for reasons in the past.

    Words that depended on the old one may have to be given again. That is then the next need.
    """
    before, red = (
        sum(need.state is RED and need.kind is not NeedKind.HISTORY for phase in at.phases for need in _open(phase))
        for at in (case.position, after)
    )
    old, new = (_left(phase) for at in (case.position, after) for phase in at.phases if phase.name == case.phase.name)
    return red <= before and (new < old or case.key not in {each.key for each in _cases(after, {})})


def _left(phase: PhaseReport) -> tuple[int, int, int]:
    """How far a phase is from green: failures first, then what everything else waits for, then all open needs."""
    needs = _open(phase)
    unplanned = sum(need.kind is NeedKind.LINKED_ISSUE or need.why is Why.SPENT for need in needs)
    plans = sum(need.kind is NeedKind.PLAN and need.why is not Why.SPENT for need in needs)
    return sum(need.state is RED for need in needs), 2 * unplanned + plans, len(needs)


def switched(ground: Ground, evaluation: Ledger, phases: Phases) -> Task | None:
    """The smallest policy change that helps a person who works alone and whom nobody else can help."""
    product = report.Product(medium=report.WHERE_POLICY, path=ground.snapshot.policy.path)
    for grant, policy in _switches(ground, begin(ground, evaluation, phases)):
        then = decide(weigh(replace(ground, policy=policy)))
        green = _turns(phases, then, {}).get(0, ())
        for name in [phase.name for phase in then if phase.context in green][:1]:
            task = Task(do=Remedy.ADD_POLICY_LINE, actor=report.Party.MAINTAINER, phase=name, product=product)
            return replace(task, grant=grant, turns_green=green, instead=True)
    return None


def relabelled(ground: Ground, evaluation: Ledger, phases: Phases) -> Iterator[Task]:
    """Repeats by an entitled account what somebody lowered without permission, if a phase then needs less."""
    begun = begin(ground, evaluation, phases)
    if not {problem.code for problem in evaluation.route.problems} & set(remedies.NOT_LOWERED):
        return
    asked = Asked(weigh(begun.ground))
    able = [person for person in begun.snapshot.people if person.type == "User" and _may_lower(asked, person)]
    who = Who(Actor(login=able[0].login, type="User", id=able[0].id)) if able else begun.somebody
    for snapshot, event, issue, why in asked.done_again(who.account, begun.now):
        known = replace(begun, ground=replace(ground, snapshot=snapshot)).known_as(who, "triage")
        after = begun.after(replace(ground, snapshot=known)).decided()
        spared = [new for old, new in zip(phases, after.phases, strict=True) if len(_open(new)) < len(_open(old))]
        if spared:
            yield Task(
                do=Remedy.RELABEL,
                actor=report.Party.HUMAN,
                phase=spared[0].name,
                need=event.name,
                issue=issue.number,
                accounts=tuple(person.login for person in able),
                permission="triage",
                reasons=(why,),
                hint=event.action,
                turns_green=_turns(phases, after.phases, {}).get(0, ()),
            )


def _may_lower(asked: Asked, person: Person) -> bool:
    """True if an account may lower the requirements of the pull request now."""
    account = Actor(login=person.login, type=person.type, id=person.id)
    event = NameEvent(name="", action="added", at=END_OF_TIME, actor=account)
    return first(LOWERING, Lowering(asked, event)) is None


def _switches(ground: Ground, at: Position) -> Iterator[tuple[Grant, Policy]]:
    """One account may do everything, if nobody else takes part; the author may approve, if nobody else can."""
    policy, snapshot, author = ground.policy, ground.snapshot, ground.snapshot.pull_request.author
    words = ((vote.signal.source, vote.why) for vote in at.evaluation.votes if vote.signal.source.latest)
    own = (source.author for source, why in words if why is not None and why.code == remedies.OWN_WORK)
    labelled = {event.actor.id for issue in snapshot.issues for event in issue.label_events if event.actor is not None}
    said = (*snapshot.comments, *snapshot.reviews, *(each for issue in snapshot.issues for each in issue.comments))
    only = labelled - {each.author.id for each in said if each.author is not None}  # they take no other part
    able = (
        person.id
        for person in snapshot.people
        if person.id not in only and RANK.get(person.permission, 0) >= RANK["write"]
    )
    single = author is not None and not policy.agents.accounts and all(each == author.id for each in able)
    if author is not None and single and any(who is not None and is_author(snapshot, who) for who in own):
        alone = replace(
            policy,
            agents=replace(policy.agents, author_may_judge=True),
            humans=replace(policy.humans, author_may_approve=True, agents_may_approve=True),
            issue=replace(policy.issue, author_may_lower=True),
        )
        yield Grant(login=author.login, id=author.id, roles=(), alone=True), alone
    acts = [act.command.source.author for act in at.evaluation.acts if act.why and act.why.code in OWN_ACTS]
    who = acts[-1] if acts and not actors(at) else None
    if who is None:
        return
    line = Grant(login=who.login, id=who.id, roles=(), beside="humans:" in (snapshot.policy.text or ""))
    for names in APPROVERS:
        humans = replace(policy.humans, **dict.fromkeys(names, True))  # type: ignore[arg-type]
        yield replace(line, approvers=names), replace(policy, humans=humans)
