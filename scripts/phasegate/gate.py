"""The table of contents: a snapshot in, the stages one after the other, a report out. All of it is pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from phasegate import VERSION
from phasegate.catalogue import by_code, problem
from phasegate.dialects.collect import Collected, collect
from phasegate.dialects.described.boxes import reviewer_of
from phasegate.dialects.dialect import Known, Surroundings, Text
from phasegate.dialects.registry import plan_of
from phasegate.model.codec import text_digest, value_digest
from phasegate.model.contexts import with_base
from phasegate.model.frozen import replace
from phasegate.model.plan import COMMENT_MARKER, Evidence, ReadingPlan
from phasegate.model.problem import Problem, Where
from phasegate.model.report import (
    WHERE_COMMENT,
    WHERE_POLICY,
    NeedKind,
    NeedState,
    Note,
    NoteKind,
    Party,
    PhaseReport,
    Product,
    Provenance,
    Remedy,
    Report,
    State,
    Task,
    Why,
    Withheld,
)
from phasegate.model.signal import OVERALL, HowTo, Medium, Place, Role, Unread
from phasegate.model.snapshot import POLICY, REMOVED, SHARED_POLICY, PolicyFile, Sibling, Snapshot
from phasegate.model.texts import Issue
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import Exempt, Policy
from phasegate.reading.schema.registry import get_ready as get_schemas_ready
from phasegate.rules.accounts import Accounts, unreadable_teams
from phasegate.rules.binding import adjusted
from phasegate.rules.ledger import Ground, Ledger, weigh
from phasegate.rules.next import find_tasks, relabelled, switched
from phasegate.rules.phases import by_one_account, decide, decide_queued, queue_problems, queued_of, with_rounds, worst
from phasegate.rules.rounds import dispositions
from phasegate.rules.route import is_labelled_quick, missed_exemption

CLOSED, MERGED = "closed", "merged"
MOST_STRAYS = 20
SHARED_HEAD = "PG406"  # another open pull request has the same head commit
# What makes the success of a phase without needs no empty one; an act on an issue is about its plan alone.
LOOKED_AT = (NoteKind.EXEMPT, NoteKind.OVERRIDDEN)
MOST_EXEMPT = 5  # files that a line of policy for just this pull request names
NO_FLOOR = (
    "Put the file on the default branch there. If that repository is private, pass a token that may read it "
    "(Contents: read) as the input token."
)
CHANGED = "the policy in the snapshot is not the one that its digest was made of"
# The key of a described format by which its words end at some time.
EXPIRES = "expires"
FindTasks = Callable[[Ground, Ledger, tuple[PhaseReport, ...], Withheld | None], tuple[Task, ...]]


def judge(snapshot: Snapshot, find: FindTasks | None = None, known: Known | None = None) -> Report:
    """The report on a snapshot under its policy. A broken policy is an error, never a default.

    ``known`` holds readings of other cuts of the same snapshot.
    """
    policy = policy_in(snapshot.policy)
    report = evaluate(policy, snapshot, find, known) if isinstance(policy, Policy) else undecided(snapshot, policy)
    report = replace(report, problems=(*report.problems, *_unreported(snapshot)))
    return with_base(report, snapshot.pull_request.base.ref) if snapshot.base_in_context else report


def judge_state(snapshot: Snapshot, known: Known | None = None) -> Report:
    """The report without the way to green, which takes most of the time."""
    return judge(snapshot, lambda *_: (), known)


def _unreported(snapshot: Snapshot) -> Iterator[Problem]:
    """A problem if no run reported on the head when it came. It does not affect the judged content."""
    if snapshot.unreported is not None:
        asked = "did the signal workflow run" if snapshot.base_in_context else "is pull_request_target allowed"
        told = f"no run reported on {snapshot.pull_request.head.sha[:7]} when it came, at {snapshot.unreported}"
        yield problem("PG416", f"{told}: {asked}?", Where(url=snapshot.pull_request.url))


def policy_in(held: PolicyFile) -> Policy | tuple[Problem, ...]:
    """The policy of a file, or its problems. Without a file the organisation's policy applies, or else the default."""
    shared, where = held.shared, Where(path=held.path)
    if shared is not None and shared.digest != text_digest(shared.text):
        return (problem("PG602", CHANGED, Where(path=shared.place)),)
    if held.text is None and held.digest is None:
        missing = tuple(misplaced_policy(held))
        if missing or shared is None:
            return missing or default_policy()
        found, where = load_policy(shared.text, shared.place), Where(path=shared.place)
        alone = isinstance(found, Policy) and found.extends
        return (problem("PG530", "an organisation's policy extends no other", where),) if alone else found
    if held.text is None or held.digest != text_digest(held.text):
        return (problem("PG602", CHANGED, where),)
    schemas = tuple((file.path, file.text) for file in held.schemas if file.text is not None)
    found = load_policy(held.text, held.path, schemas, None if shared is None else (shared.place, shared.text))
    if isinstance(found, Policy) and found.extends and shared is None:
        message = f"extends: organisation, and {SHARED_POLICY} of its .github repository cannot be read"
        return (problem("PG530", message, where, hint=NO_FLOOR),)
    return found


def misplaced_policy(held: PolicyFile) -> Iterator[Problem]:
    """Problems if there is no policy but somebody expects one: at a wrong path, or at the given path."""
    for path in held.misplaced:
        yield problem("PG514", f"the policy is not read from {path} but from {held.path}", Where(path=path))
    if held.path != POLICY and not held.misplaced:
        yield problem("PG515", f"there is no policy at {held.path}, the path that was given", Where(path=held.path))


def reading_plan(file: PolicyFile) -> ReadingPlan:
    """What to fetch under the policy of a file; nothing if the policy is broken."""
    named = _schema_paths(file.text or "")
    if named and not file.schemas:
        return ReadingPlan(schemas=named)
    policy = policy_in(file)
    if not isinstance(policy, Policy):
        return ReadingPlan()
    return replace(
        plan_of(policy.dialects, policy.folder, tuple(phase.name for phase in policy.phases)),
        approvals=policy.humans.dispatch,
        checks=tuple(dict.fromkeys(check.name for phase in policy.phases if phase.enabled for check in phase.checks)),
        teams=tuple(dict.fromkeys(account.team.lower() for account in policy.agents.accounts if account.team)),
        named=frozenset(account.login.lower() for account in policy.agents.accounts),
        numbers=frozenset(
            number
            for account in policy.agents.accounts
            for number in (account.id, account.app_id)
            if number is not None
        ),
        expiring=EXPIRES in f"{file.text} {file.shared.text if file.shared else ''}",
        reviews=policy.humans.reviews,
        exempts=bool(policy.exempt),
        steering=policy.instructions.patterns if policy.instructions.guard or policy.exempt else (),
        exempt=frozenset(author.id for entry in policy.exempt for author in entry.authors),
        threads=any(dialect.footprint.thread is not None for dialect in policy.dialects),
    )


def _schema_paths(text: str) -> tuple[str, ...]:
    """The JSON Schemas that a policy's text names. The formats' reader is loaded only if there may be some."""
    if "formats" not in text:
        return ()
    from phasegate.dialects.described.declaration import schema_paths  # noqa: PLC0415  (see above)

    return schema_paths(text)


def awaited(file: PolicyFile, report: Report) -> frozenset[str]:
    """Logins, in lower case, of accounts whose every comment matters.

    A seat waits for them, and the report does not yet say that one of them wrote something unexpected.
    """
    policy = policy_in(file)
    accounts = policy.agents.accounts if isinstance(policy, Policy) else ()
    needs = (need for phase in report.phases for need in phase.needs if need.kind is NeedKind.SEAT)
    seats = {need.name for need in needs if need.state is NeedState.WAITING and need.why is not Why.DRIFTED}
    return frozenset(account.login.lower() for account in accounts if seats.intersection(account.roles))


def evaluate(policy: Policy, snapshot: Snapshot, find: FindTasks | None = None, known: Known | None = None) -> Report:
    """The decision, a pure function of policy and snapshot."""
    unread = tuple(unreadable_teams(policy, snapshot))
    if unread:
        return undecided(snapshot, unread)
    around = replace(_surroundings(policy, snapshot), known=known)
    collected = collect(around, policy.dialects, tuple(policy.roles.values()))
    ground = _ground(policy, snapshot, collected)
    ledger = weigh(ground)
    phases = tuple(with_rounds(ledger, decide(ledger)))
    alone, kept, others = _overall(snapshot, phases)
    state, withheld = decide_queued(policy, snapshot, alone, kept)
    evidence = plan_of(policy.dialects, policy.folder).evidence
    names = ", ".join(f"#{sibling.number}" for sibling in others)
    shared = [problem(SHARED_HEAD, f"{names} has the same head commit", Where(url=others[0].url))] if others else []
    stray = strays(evidence, snapshot, collected.problems)
    beside = adjusted(policy, (*collected.problems, *stray, *_of_phases(ledger, phases)))
    return _report_on(
        snapshot,
        state=state,
        withheld=withheld,
        siblings=tuple(sibling.number for sibling in others),
        route=ledger.route,
        phases=phases,
        signals=dispositions(ledger, phases),
        acts=ledger.acts,
        left_out=collected.left_out,
        aside=_aside(snapshot),
        problems=tuple(_problems(policy, ledger, (*shared, *queue_problems(snapshot, withheld), *beside))),
        provenance=_provenance(snapshot, policy.digest, policy.source, policy.floor),
        how_to=_how_to(policy),
        findings=tuple(told for _, told in ledger.findings.raised),
        tasks=(find or _tasks)(ground, ledger, phases, withheld),
        one_account=tuple(by_one_account(ledger)),
    )


def _report_on(snapshot: Snapshot, **told: Any) -> Report:  # noqa: ANN401  (all that was decided)
    pull_request = snapshot.pull_request
    return Report(
        repository=snapshot.repository.name,
        pull_request=pull_request.number,
        url=pull_request.url,
        head=pull_request.head.sha,
        context=OVERALL,
        queued=queued_of(snapshot),
        **told,
    )


def _tasks(
    ground: Ground, ledger: Ledger, phases: tuple[PhaseReport, ...], withheld: Withheld | None
) -> tuple[Task, ...]:
    """The way to green. For a closed pull request it begins with reopening."""
    snapshot = ground.snapshot
    if snapshot.pull_request.state == CLOSED:
        return _last_tasks(Withheld.CLOSED, ground)
    found = find_tasks(ground, ledger, phases, _how_to(ground.policy))
    for task in relabelled(ground, ledger, phases):
        place = next((place for place, each in enumerate(found) if each.phase == task.phase), len(found))
        found = (*found[:place], task, *found[place:])
    alone = switched(ground, ledger, phases) if found else None
    if alone is not None:
        after = next((place for place, task in enumerate(found[1:], 1) if not task.instead), len(found))
        return (*found[:after], alone, *found[after:])
    return found or _last_tasks(withheld, ground)


def _last_tasks(withheld: Withheld | None, ground: Ground) -> tuple[Task, ...]:
    """What is left to do if every phase is green but the whole is not."""
    task = partial(Task, actor=Party.AUTHOR, phase="")
    if withheld is Withheld.CLOSED:  # what was pushed meanwhile becomes the head then
        return (task(do=Remedy.REOPEN),)
    if withheld is Withheld.SHARED_HEAD:
        return (task(do=Remedy.SEPARATE_HEAD, hint=by_code()[SHARED_HEAD].fix, turns_green=(OVERALL,)),)
    if withheld is Withheld.NOTHING_JUDGED:
        return _unjudged_tasks(ground)
    return tuple(task(do=Remedy.REQUEUE, hint=each.hint) for each in queue_problems(ground.snapshot, withheld))


def _unjudged_tasks(ground: Ground) -> tuple[Task, ...]:
    """Tasks if no phase has anything to judge: a line of policy for such changes, or somebody who looked."""
    policy, path, paths = ground.policy, ground.snapshot.policy.path, ground.snapshot.files.paths
    free = len(paths) <= MOST_EXEMPT and Exempt(reason="", paths=paths).covers(paths, policy.instructions)
    text = f"exempt: [{{paths: {json.dumps(paths)}, reason: <reason>}}]" if free else ""
    hint = "if nobody has to look at such changes" if free else f"leave the paths out of one phase in {path}"
    made = Product(medium=WHERE_POLICY, path=path, text=text)
    task = partial(Task, turns_green=(OVERALL,))
    line = task(do=Remedy.ADD_POLICY_LINE, actor=Party.MAINTAINER, phase="", product=made, hint=hint)
    skipped = (each for each in policy.phases if each.enabled and each.paths and each.where is Place.PULL_REQUEST)
    name = next((each.name for each in skipped if policy.overrides), None)
    if name is None:
        return (line,)
    url, least = ground.snapshot.pull_request.url, policy.humans.minimum_permission
    made = Product(medium=WHERE_COMMENT, url=url, text=f"/gate override {name}: <reason>")
    return (line, task(do=Remedy.OVERRIDE, actor=Party.HUMAN, phase=name, permission=least, product=made, instead=True))


def _how_to(policy: Policy) -> dict[str, HowTo]:
    """How each role writes its words."""
    dialects = {dialect.name: dialect for dialect in policy.dialects}
    return {role.name: replace(dialects[role.dialect].how_to(role), noun=role.noun) for role in policy.roles.values()}


def _surroundings(policy: Policy, snapshot: Snapshot) -> Surroundings:
    who = Accounts(policy, snapshot).speaker
    return Surroundings(
        snapshot=snapshot,
        issues=snapshot.own_issues,
        asked=partial(_asked, policy),
        folder=policy.folder,
        without_issue=not policy.issue.required,
        footers=policy.verdicts.footers,
        marks=policy.marks,
        phases=tuple(phase.name for phase in policy.phases),
        stranger=lambda source: not who(source).deserves_reply and who(source).is_unheard,
        unheard=lambda source: who(source).is_unheard,
        speaks=lambda source, role: not who(source, role).refusals,
    )


def _asked(policy: Policy, issue: Issue | None) -> frozenset[str]:
    """The seats that phases require for an issue, by its labels."""
    quick = issue is not None and is_labelled_quick(policy, issue.labels)
    enabled = [phase for phase in policy.phases if phase.enabled]
    return frozenset(name for phase in enabled for name in (phase.quick_seats if quick else phase.seats))


def _ground(policy: Policy, snapshot: Snapshot, collected: Collected) -> Ground:
    return Ground(
        policy=policy,
        snapshot=snapshot,
        signals=collected.signals,
        commands=collected.commands,
        folders=collected.folders,
        unread=tuple(_unread(policy, collected.unread)),
        foreseen=collected.foreseen,
    )


def _unread(policy: Policy, texts: Sequence[Text]) -> Iterator[Unread]:
    """Texts without a word, oldest first, each with how it misses the form of a role's words.

    If agents and the gate share an account, the gate's own comment is not a miss; it is read like any other.
    """
    dialects = {dialect.name: dialect for dialect in policy.dialects}

    def miss(text: Text, role: Role) -> Problem:
        near, author = dialects[role.dialect].nearest(text, role), text.source.author
        reviewer = reviewer_of(author.login) if author and author.login.endswith("[bot]") else None
        found = problem("PG222", near, text.where)
        if reviewer is None or role.dialect == reviewer:
            return found
        return replace(found, hint=f"Name it as {{format: {reviewer}}} in agents.accounts.")

    for text in sorted(texts, key=lambda text: text.source.moment):
        if not (text.body or "").startswith(COMMENT_MARKER):
            yield Unread(
                source=text.source,
                blank=text.is_blank and text.source.medium is not Medium.CHECK_RUN,
                commands=text.commands,
                name=text.fields.get("name", ""),
                miss=partial(miss, text),
            )


def _overall(snapshot: Snapshot, phases: tuple[PhaseReport, ...]) -> tuple[State, Withheld | None, tuple[Sibling, ...]]:
    """The overall state. Success is withheld if nothing was judged, or another pull request would share it."""
    state, withheld = worst(phase.state for phase in phases), None
    looked_at = (note.kind in LOOKED_AT and not note.issues for phase in phases for note in phase.notes)
    judged = any(looked_at) or any(phase.needs for phase in phases)
    if state is State.SUCCESS and not judged:
        state, withheld = State.PENDING, Withheld.NOTHING_JUDGED
    others = tuple(sibling for sibling in snapshot.siblings if sibling.number != snapshot.pull_request.number)
    if others and state is State.SUCCESS:
        state, withheld = State.PENDING, Withheld.SHARED_HEAD
    if is_closed(snapshot) and state is State.SUCCESS:
        merged = snapshot.pull_request.state == MERGED
        state, withheld = State.PENDING, Withheld.MERGED if merged else Withheld.CLOSED
    return state, withheld, others


def is_closed(snapshot: Snapshot) -> bool:
    """True if the pull request is over and its commit may come back in another one with another base.

    That is so if it was closed unmerged, or merged into another branch than the default one.
    """
    pull_request = snapshot.pull_request
    return pull_request.state == CLOSED or (pull_request.state == MERGED and bool(_aside(snapshot)))


def _aside(snapshot: Snapshot) -> str:
    """The base branch, or "" if it is the default branch."""
    base = snapshot.pull_request.base.ref
    return "" if base == snapshot.repository.default_branch else base


def _of_phases(ledger: Ledger, phases: tuple[PhaseReport, ...]) -> Iterator[Problem]:
    """Problems reported by phases: unreadable texts, checks that contradict judges, an act without effect."""
    needs = [need for phase in phases for need in phase.needs]
    drifted = [need.problem for need in needs if need.why in (Why.DRIFTED, Why.STANDS)]
    disagreeing = [need.problem for need in needs if need.kind is NeedKind.CHECK]
    idle = [note.problem for phase in phases for note in phase.notes if note.kind is NoteKind.RESUME_IDLE]
    yield from dict.fromkeys(item for item in (*drifted, *disagreeing, *idle) if item is not None)
    waits = any(phase.state is not State.SUCCESS for phase in phases)
    missed = missed_exemption(ledger) if waits and not ledger.exempt else None
    yield from () if missed is None else (missed,)


def _problems(policy: Policy, ledger: Ledger, others: tuple[Problem, ...]) -> Iterator[Problem]:
    yield from policy.problems
    yield from ledger.route.problems
    yield from others
    # of a file, the version at the head tells its problems
    there = (vote for vote in ledger.votes if vote.source.latest or not vote.source.pushed)
    of_votes = (item for vote in there for item in vote.problems)
    of_acts = (item for act in ledger.acts for item in act.problems)
    yield from dict.fromkeys((*of_votes, *of_acts))


def _provenance(snapshot: Snapshot, policy_digest: str, source: str, floor: str | None = None) -> Provenance:
    return Provenance(
        snapshot_digest=value_digest(snapshot),
        policy_digest=policy_digest,
        policy_source=source,
        policy_floor=floor,
        version=VERSION,
    )


def undecided(snapshot: Snapshot, problems: tuple[Problem, ...]) -> Report:
    """The report if the policy cannot be used: every context is an error with file, line and cause."""
    note = Note(kind=NoteKind.POLICY, problem=problems[0])
    phases = tuple(
        PhaseReport(
            name=phase.name, context=f"{OVERALL}/{phase.name}", state=State.ERROR, where=phase.where, notes=(note,)
        )
        for phase in default_policy().phases
    )
    product = Product(medium=WHERE_POLICY, path=snapshot.policy.path)
    task = Task(do=Remedy.FIX_POLICY, actor=Party.MAINTAINER, phase="", product=product, reasons=problems)
    return _report_on(
        snapshot,
        state=State.ERROR,
        withheld=Withheld.POLICY,
        phases=phases,
        problems=problems,
        provenance=_provenance(snapshot, text_digest(snapshot.policy.text or ""), snapshot.policy.path),
        how_to={},
        tasks=(task,),
    )


def strays(shapes: Sequence[Evidence], snapshot: Snapshot, told: Iterable[Problem]) -> Iterator[Problem]:
    """Problems for files in evidence folders that the gate does not read but people may take for evidence.

    ``told`` are problems already reported about a file or its folder.
    """
    roots = tuple(f"{shape.root}/" for shape in shapes if shape.root.startswith("."))
    known = tuple(dict.fromkeys(item.where.path for item in told if item.where.path))
    changed = (entry.path for entry in snapshot.files.entries if entry.status != REMOVED)
    unread = (path for path in changed if path.startswith(roots) and not any(each.holds(path) for each in shapes))
    new = (path for path in unread if not any(path == other or path.startswith(f"{other}/") for other in known))
    for path in islice(new, MOST_STRAYS):
        yield problem("PG236", f"{path} is in an evidence folder, but the gate does not read it", Where(path=path))


def get_ready() -> None:
    """Does what takes long the first time, under any policy."""
    get_schemas_ready()
    default_policy()


def get_ready_for(file: PolicyFile) -> None:
    """Loads the readers of a policy's dialects, and no others."""
    policy = policy_in(file)
    for dialect in policy.dialects if isinstance(policy, Policy) else ():
        dialect.get_ready()
