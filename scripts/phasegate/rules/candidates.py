"""Candidates: what may help against a need, the smallest first, each as a task and as an edit of the position."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from phasegate.catalogue import by_code
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.report import (
    WHERE_BRANCH,
    WHERE_COMMENT,
    WHERE_DESCRIPTION,
    WHERE_POLICY,
    Grant,
    Need,
    NeedKind,
    Party,
    Product,
    Remedy,
    State,
    Task,
    Why,
)
from phasegate.model.signal import Finding, HowTo, Medium, Place, Role, Vote
from phasegate.policy.model import AgentAccount, Phase
from phasegate.rules import edits
from phasegate.rules.edits import Position, Speaker, actors, grantable, names_agents, speakers

FILES = frozenset({Medium.FILE})  # what a role that speaks in files alone has
OVERRIDDEN = (State.FAILURE,)  # the states in which an override is worth a word
TOLD_FIRST = (Why.REFUSED, Why.INVALID, Why.DRIFTED, Why.COMMIT_UNKNOWN)  # there is something, and it does not count
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
    def key(self) -> object:
        """The name of the need, whatever is said of it."""
        return key_of(self.phase.name, self.need)

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
        return next((issue.url for issue in snapshot.own_issues if issue.number == self.place), "")

    def vote(self) -> Vote | None:
        """The vote that the need is about."""
        found = [vote for vote in self.position.evaluation.votes if vote.id == self.need.signal]
        own = (vote for vote in found if vote.role in (None, self.need.name, self.need.actor))
        return next(own, None)

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


def key_of(phase: str, need: Need) -> object:
    """The name of a need of a phase, whatever is said of it."""
    return phase, need.kind, need.name, need.issue, need.folder


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
        yield from _said_anew(case)
        yield _act(case, Remedy.RESUME)
    elif kind is NeedKind.WORKER:
        yield from _worker(case)
    elif kind is NeedKind.FOLDER:
        yield from _folder(case)
    elif kind is NeedKind.CHECK:
        yield _check(case)


def _seat(case: Case) -> Iterator[Candidate]:
    need = case.need
    role = case.position.ground.policy.role(need.name)
    again = _file(case, role) if role.media == FILES else _verdict(case, role)
    if need.why is Why.FAILED:
        yield _fix(case)
    if need.why is Why.INVALID:
        yield from _elsewhere(case)
    if need.why is Why.DRIFTED and _medium(case, role) in role.only_objects:
        yield from override_of(case)
    asked = granted(case, role) if need.why is Why.REFUSED else ()
    first = need.problem is not None and need.problem.code == UNGRANTED
    yield from (again, *asked) if first else (*asked, again)
    yield _somebody_named(case, role)


def _product(case: Case, role: Role) -> Product:
    how = case.how_to.get(role.name) or HowTo(medium=Medium.COMMENT)
    complete = case.position.evaluation.facts.timeline.complete
    asks = case.position.ground.policy.verdicts.require_commit
    return Product(
        medium=(_medium(case, role) or how.medium).value,
        url="" if how.medium is Medium.FILE else case.url(),
        heading=how.heading,
        marker=how.marker,
        schema=how.schema,
        says=how.says,
        path=_path(case, role) if how.medium is Medium.FILE else "",
        names_commit=how.names_commit
        or (case.place is None and how.medium is not Medium.FILE and (asks or not complete)),
    )


def _path(case: Case, role: Role) -> str:
    """Where the file of a seat stands or should: in its issue's folder, where it is, or as its format has it."""
    if case.need.folder is not None:
        return f"{case.need.folder}/{role.file}"
    vote = case.vote()
    there = None if vote is None or not vote.signal.source.pushed else vote.signal.where.path
    return there or case.how_to[role.name].path


def _refused(case: Case) -> dict[str, object]:
    """The word that is there and does not count, with every reason."""
    need = case.need
    if need.why not in TOLD_FIRST and not need.also:
        return {}
    return {"refused": need.signal, "reasons": reasons(need)}


def reasons(need: Need) -> tuple[Problem, ...]:
    """Everything that is wrong with what is there."""
    return tuple(dict.fromkeys(item for item in (need.problem, *need.also) if item is not None))


def _document(case: Case, role: Role) -> tuple[Role, ...]:
    """The seats that one document fills: its own, and those of its parts that some phase asks for."""
    policy = case.position.ground.policy
    parts = (each for each in policy.roles.values() if each.file == role.file and each.dialect == role.dialect)
    asked = {name for phase in policy.phases for name in phase.every_seat}
    return tuple(each for each in parts if each.name in asked or each.part_of is None)


def _verdict(case: Case, role: Role) -> Candidate:
    able = speakers(case.position, role, case.phase, case.place)
    return _spoken(case, role, able, able[0] if able else edits.somebody(case.position))


def _spoken(case: Case, role: Role, able: tuple[Speaker, ...], who: Speaker) -> Candidate:
    """A verdict that one of these accounts gives."""
    whole = _document(case, role)
    task = case.task(
        Remedy.GIVE_VERDICT,
        Party.ROLE,
        role=role.file,
        accounts=_logins(able),
        permission="" if able else "write",
        product=_product(case, role),
        **_refused(case),
    )

    def apply(at: Position) -> Position:
        said = (edits.word_of(at, each, who, case.place, _medium(case, each)) for each in whole)
        return edits.spoken(at, tuple(said), who)

    return Candidate(task=task, apply=apply)


def _said_anew(case: Case) -> Iterator[Candidate]:
    """A new verdict of the account that deleted its own: like an edit, that needs no human."""
    role = case.position.ground.policy.roles.get(case.need.other)
    if case.need.why is not Why.DELETED or role is None or role.media == FILES:
        return
    for who in speakers(case.position, role, case.phase, case.place):
        if who.account.login == case.need.by:
            yield _spoken(case, role, (who,), who)


def _medium(case: Case, role: Role) -> Medium | None:
    """Where a role has to speak again: where nobody could read what it wrote, or where its check run still objects."""
    where = None if case.need.problem is None or case.need.why is not Why.DRIFTED else case.need.problem.where.url
    unread = (each for each in case.position.evaluation.unread if where is not None and each.source.url == where)
    medium, vote = next((each.source.medium for each in unread), None), case.vote()
    if medium is None and vote is not None and vote.signal.source.medium is Medium.CHECK_RUN:
        medium = Medium.CHECK_RUN
    return medium if medium in role.media else None


def _logins(found: tuple[Speaker, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.account.login for each in found))


def _file(case: Case, role: Role) -> Candidate:
    able = speakers(case.position, role, case.phase, case.place)
    who = able[0] if able else edits.somebody(case.position)
    whole, path = _document(case, role), _path(case, role)
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


def mended_elsewhere(case: Case) -> list[tuple[Problem, str]]:
    """What is wrong with a file because of another one, and the seat of that."""
    vote, roles = case.vote(), case.position.ground.policy.roles
    wrong = () if vote is None else (item for item in vote.problems if item.severity is Severity.ERROR)
    told = ((item, by_code()[item.code].mended_in) for item in wrong)
    return [(item, name) for item, name in told if name in roles and name != case.need.name]


def _elsewhere(case: Case) -> Iterator[Candidate]:
    """What is wrong with a file because of another one is mended there; this one is pushed again after that."""
    policy, told = case.position.ground.policy, mended_elsewhere(case)
    for other in dict.fromkeys(name for _, name in told):
        items = tuple(item for item, name in told if name == other)
        found = _file(case, policy.role(other))
        task = replace(found.task, refused=case.need.signal, reasons=items)

        def apply(at: Position, found: Candidate = found, items: tuple[Problem, ...] = items) -> Position:
            cured = frozenset(item.code for item in items)
            return edits.without(found.apply(at), case.need.signal or "", cured)

        yield Candidate(task=task, apply=apply)


def _fix(case: Case) -> Candidate:
    fixer = case.phase.fixer or ""
    actor = Party.ROLE if fixer else Party.AUTHOR
    findings = tuple(dict.fromkeys(found for vote in _failing(case) for found in must_fix(vote)))
    product = Product(medium=WHERE_BRANCH)
    wrong = () if case.need.problem is None else (case.need.problem,)
    hint = " ".join(f"{item.message}. {item.hint}" for item in case.need.also if item.hint)
    task = case.task(
        Remedy.FIX_FINDINGS, actor, role=fixer, findings=findings, product=product, reasons=wrong, hint=hint
    )
    if case.place is not None:
        return Candidate(task=replace(task, product=_plan_product(case)), apply=lambda at: _planned(at, case))
    return Candidate(task=task, apply=edits.fixed)


def _failing(case: Case) -> Iterator[Vote]:
    """The votes that fail what this one fails, in any phase: all their findings are fixed at once."""
    names = [
        need.signal
        for phase in case.position.phases
        for need in phase.needs
        if need.why is Why.FAILED and need.issue == case.need.issue
    ]
    yield from (vote for vote in case.position.evaluation.votes if vote.id in names)


def must_fix(vote: Vote) -> tuple[Finding, ...]:
    """The findings that must be fixed: those that are named, or else all."""
    named = vote.signal.must_fix
    return tuple(finding for finding in vote.signal.findings if not named or finding.id in named)


def granted(case: Case, role: Role) -> tuple[Candidate, ...]:
    """A line of policy that would let the account of a refused word speak; never for one that nobody can vouch for."""
    vote = case.vote()
    grant = None if vote is None else grantable(case.position, vote, role)
    if grant is None:
        return ()
    entry = AgentAccount(login=grant.login, id=grant.id, app_id=grant.app_id, roles=grant.roles)
    product = Product(medium=WHERE_POLICY, path=case.position.snapshot.policy.path)
    task = case.task(
        Remedy.ADD_POLICY_LINE, Party.MAINTAINER, role=role.name, grant=grant, product=product, **_refused(case)
    )
    return (Candidate(task=task, apply=lambda at: edits.granted(at, entry)),)


def _somebody_named(case: Case, role: Role) -> Candidate:
    """A line of policy that names an account for a role, where nobody may speak for it; it speaks then."""
    grant = Grant(login="", roles=(role.file,), beside=names_agents(case.position.ground))
    who = edits.somebody(case.position)
    entry = AgentAccount(login=who.account.login, id=who.account.id, roles=(role.file,))
    product = Product(medium=WHERE_POLICY, path=case.position.snapshot.policy.path)
    task = case.task(Remedy.ADD_POLICY_LINE, Party.MAINTAINER, role=role.name, grant=grant, product=product)

    def apply(position: Position) -> Position:
        named = edits.granted(position, entry)
        if role.media == FILES:
            return _file(replace(case, position=named), role).apply(named)
        if case.need.kind is NeedKind.PLAN:
            return _planned(named, case)
        return edits.spoken(named, (edits.word_of(named, role, who, case.place),), who)

    return Candidate(task=task, apply=apply)


def _plan_product(case: Case) -> Product:
    role = case.position.ground.policy.roles.get(case.phase.creator or "")
    return Product(medium=WHERE_COMMENT, url=case.url()) if role is None else _product(case, role)


def _planned(position: Position, case: Case) -> Position:
    role = position.ground.policy.role(case.phase.creator or case.need.name)
    able = speakers(position, role, case.phase, case.place)
    who = able[0] if able else edits.somebody(case.position)
    if role.name in case.phase.seats:
        return edits.spoken(position, (edits.word_of(position, role, who, case.place),), who)
    return edits.planned(position, role, who, case.place)


def _plan(case: Case) -> Iterator[Candidate]:
    if case.need.why is Why.SPENT:
        yield _link(case)
        return
    role = case.position.ground.policy.roles.get(case.phase.creator or "")
    if case.need.why is Why.REFUSED and role is not None:
        yield from granted(case, role)
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
        yield _somebody_named(case, role)


def _link(case: Case) -> Candidate:
    text = "" if case.need.place else "Closes #<number of the issue>"
    hint = case.need.place or (case.need.why.value if case.need.why is Why.SPENT else "")
    product = Product(medium=WHERE_DESCRIPTION, url=case.position.snapshot.pull_request.url, text=text)
    task = case.task(Remedy.LINK_ISSUE, Party.AUTHOR, product=product, hint=hint)
    return Candidate(task=task, apply=lambda at: edits.linked(at, _folder_of_an_issue(case)))


def _folder_of_an_issue(case: Case) -> str | None:
    """Where the files of an issue stand, where there are any."""
    policy = case.position.ground.policy
    seats = (policy.role(name) for phase in policy.phases if phase.enabled for name in phase.seats)
    paths = (case.how_to[role.name].path for role in seats if role.per_issue and role.name in case.how_to)
    return next((path.rpartition("/")[0] for path in paths if path), None)


def _act(case: Case, do: Remedy) -> Candidate:
    able = actors(case.position)
    who = able[0] if able else edits.somebody(case.position)
    verb = do.value
    reason = "" if do is Remedy.APPROVE else ": <reason>"
    complete = case.position.evaluation.facts.timeline.complete
    named = case.place is None and not complete and do is not Remedy.RESUME
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


def override_of(case: Case) -> Iterator[Candidate]:
    """What a human may do in place of a phase that failed, where the policy lets them."""
    state = next(phase.state for phase in case.position.phases if phase.name == case.phase.name)
    unread = case.need.why is Why.DRIFTED  # who speaks in one form when it finds something may never answer in it
    if case.position.ground.policy.overrides and (
        state in OVERRIDDEN or unread or case.need.kind is NeedKind.LINKED_ISSUE
    ):
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


def _check(case: Case) -> Candidate:
    """A check that must be good: it runs, or what it found is fixed by another commit, on which it succeeds."""
    need, absent = case.need, case.need.why is Why.MISSING
    check = next(each for each in case.phase.checks if each.name == need.name)
    product = Product(medium=Medium.CHECK_RUN.value, url=need.place)
    task = case.task(Remedy.PASS_CHECK, Party.MAINTAINER if absent else Party.AUTHOR, product=product)
    red = need.why is Why.FAILED
    return Candidate(task=task, apply=lambda at: edits.checked(edits.fixed(at) if red else at, check))
