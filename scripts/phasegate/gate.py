"""The table of contents: a snapshot goes in, the stages follow each other, a report comes out; all of it pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from phasegate import VERSION
from phasegate.catalogue import problem
from phasegate.dialects.collect import Heard, collect
from phasegate.model.conversation import Issue
from phasegate.model.decision import Act, Evidence, PhaseReport, Report, Standing, State, Word
from phasegate.model.digest import text_digest, value_digest
from phasegate.model.evidence import BranchEvidence
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Place, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.policy import Policy
from phasegate.policy.load import default_policy, load_policy
from phasegate.rules.acts import weigh_acts
from phasegate.rules.consistency import adjusted
from phasegate.rules.dispositions import dispositions
from phasegate.rules.evidence import settled
from phasegate.rules.freshness import Timeline
from phasegate.rules.issue_type import find_route, is_labelled_quick, linked_issues
from phasegate.rules.phases import CONTEXT, Hearing, decide_phases, worst
from phasegate.rules.plans import Plans
from phasegate.rules.references import with_references
from phasegate.rules.teams import unreadable_teams
from phasegate.rules.weighing import Scales


def judge(snapshot: Snapshot) -> Report:
    """The report on a snapshot under the policy that it holds; a broken policy is an error, never a default."""
    policy = policy_of(snapshot)
    if isinstance(policy, Policy):
        return evaluate(policy, snapshot)
    return undecided(snapshot, policy)


def policy_of(snapshot: Snapshot) -> Policy | tuple[Problem, ...]:
    """The policy that a snapshot holds, or what is wrong with it."""
    held = snapshot.policy
    if held.text is None and held.digest is None:
        return default_policy()
    if held.text is None or held.digest != text_digest(held.text):
        where = Where(path=held.path)
        return (problem("PG602", "the policy in the snapshot is not the one that its digest was made of", where),)
    return load_policy(held.text, held.path)


def evaluate(policy: Policy, snapshot: Snapshot) -> Report:
    """The decision: a pure function of its two arguments."""
    heard = collect(snapshot, tuple(dict.fromkeys(phase.dialect for phase in policy.phases)), policy.roles)
    scales = Scales(policy=policy, snapshot=snapshot, timeline=Timeline.of(snapshot), plans=Plans())
    evidence = _read_evidence(policy, snapshot)
    hearing = _hearing(scales, heard, evidence)
    phases = decide_phases(hearing)
    state, note, siblings = _overall(snapshot, phases)
    return Report(
        repository=snapshot.repository.name,
        pull_request=snapshot.pull_request.number,
        url=snapshot.pull_request.url,
        head=snapshot.pull_request.head.sha,
        state=state,
        context=CONTEXT,
        note=note,
        route=hearing.route,
        phases=phases,
        signals=dispositions(hearing, phases),
        acts=hearing.acts,
        problems=tuple(_problems(policy, hearing, (*siblings, *adjusted(policy, evidence.problems)))),
        evidence=_evidence(snapshot, policy.digest, policy.source),
    )


def _read_evidence(policy: Policy, snapshot: Snapshot) -> BranchEvidence:
    """What the artifacts of the linked issues say, if any phase asks for them."""
    issues = linked_issues(snapshot)
    enabled = [phase for phase in policy.phases if phase.enabled]
    if not any(phase.evidence for phase in enabled) or (policy.issue.required and not issues):
        return BranchEvidence()
    from phasegate.dialects.pipeline_evidence import read_evidence  # noqa: PLC0415  (much to load, and seldom needed)

    return read_evidence(snapshot, issues, policy.artifacts.folder, partial(_asked, policy))


def _asked(policy: Policy, issue: Issue | None) -> frozenset[str]:
    """The artifacts that the phases ask of an issue, by its labels."""
    quick = issue is not None and is_labelled_quick(policy, issue.labels)
    enabled = [phase for phase in policy.phases if phase.enabled]
    return frozenset(name for phase in enabled for name in (phase.quick_artifacts if quick else phase.artifacts))


def _hearing(scales: Scales, heard: Heard, evidence: BranchEvidence) -> Hearing:
    """Weighed in two steps: plans first, since verdicts on a plan are bound to its text."""
    creators = frozenset(
        phase.creator for phase in scales.policy.phases if phase.where is Place.ISSUE and phase.creator is not None
    )
    first = _weighed(scales, heard.signals)
    informed = Scales(
        policy=scales.policy,
        snapshot=scales.snapshot,
        timeline=scales.timeline,
        plans=Plans.of(first, creators),
        voices=_voices(first),
    )
    said = _weighed(informed, (*heard.signals, *evidence.signals))
    words = with_references(scales.policy, settled(scales.policy, scales.timeline, said))
    acts = weigh_acts(informed, heard.commands, words)
    return Hearing(
        scales=informed,
        words=words,
        acts=tuple(sorted(acts, key=_when)),
        route=find_route(scales.policy, scales.snapshot, words),
        evidence=evidence.folders,
    )


def _voices(words: tuple[Word, ...]) -> dict[int, tuple[str, ...]]:
    """The roles that each account has spoken for here."""
    spoken: dict[int, dict[str, None]] = {}
    for word in words:
        author = word.signal.source.author
        if word.role is not None and word.standing is not Standing.IGNORED and author is not None:
            spoken.setdefault(author.id or 0, {})[word.role] = None
    return {account: tuple(roles) for account, roles in spoken.items()}


def _weighed(scales: Scales, signals: tuple[Signal, ...]) -> tuple[Word, ...]:
    words = (word for signal in signals for word in scales.weigh(signal))
    return tuple(sorted(words, key=lambda word: word.order))


def _when(act: Act) -> tuple[str, int]:
    return act.command.source.moment


def _overall(snapshot: Snapshot, phases: tuple[PhaseReport, ...]) -> tuple[State, str, tuple[Problem, ...]]:
    """The overall state; success is withheld where nothing was judged, or another pull request would share it."""
    state, note = worst(phase.state for phase in phases), ""
    if state is State.SUCCESS and not any(phase.needs for phase in phases):
        state, note = State.PENDING, "No phase had to judge this pull request, so nothing is known of it"
    others = [sibling for sibling in snapshot.siblings if sibling.number != snapshot.pull_request.number]
    if not others:
        return state, note, ()
    names = ", ".join(f"#{sibling.number}" for sibling in others)
    shared = problem("PG406", f"{names} has the same head commit", Where(url=others[0].url))
    if state is State.SUCCESS:
        state, note = State.PENDING, f"Withheld: {names} has the same head commit"
    return state, note, (shared,)


def _problems(policy: Policy, hearing: Hearing, others: tuple[Problem, ...]) -> Iterator[Problem]:
    yield from policy.problems
    yield from unreadable_teams(policy, hearing.scales.snapshot)
    yield from hearing.route.problems
    yield from others
    of_words = (item for word in hearing.words if _is_there(word) for item in word.problems)
    of_acts = (item for act in hearing.acts for item in act.problems)
    yield from dict.fromkeys((*of_words, *of_acts))


def _is_there(word: Word) -> bool:
    """Whether what is wrong with a word can still be looked at; of a file only what stands at the head."""
    return word.signal.source.latest or not word.signal.source.pushed


def _evidence(snapshot: Snapshot, policy_digest: str, source: str) -> Evidence:
    return Evidence(
        snapshot_digest=value_digest(snapshot),
        policy_digest=policy_digest,
        policy_source=source,
        version=VERSION,
    )


def undecided(snapshot: Snapshot, problems: tuple[Problem, ...]) -> Report:
    """The report when the policy cannot be used: every context is an error that says file, line and cause."""
    note = f"Policy {problems[0].where}: {problems[0].message}"
    phases = tuple(
        PhaseReport(name=phase.name, context=f"{CONTEXT}/{phase.name}", state=State.ERROR, where=phase.where, note=note)
        for phase in default_policy().phases
    )
    return Report(
        repository=snapshot.repository.name,
        pull_request=snapshot.pull_request.number,
        url=snapshot.pull_request.url,
        head=snapshot.pull_request.head.sha,
        state=State.ERROR,
        context=CONTEXT,
        note=note,
        route=None,
        phases=phases,
        signals=(),
        acts=(),
        problems=problems,
        evidence=_evidence(snapshot, text_digest(snapshot.policy.text or ""), snapshot.policy.path),
    )
