"""The table of contents: a snapshot goes in, the stages follow each other, a report comes out; all of it pure."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from phasegate import VERSION
from phasegate.catalogue import problem
from phasegate.dialects.collect import Heard, collect
from phasegate.model.digest import text_digest, value_digest
from phasegate.model.evidence import Gathered
from phasegate.model.problem import Problem, Where
from phasegate.model.report import PhaseReport, Provenance, Report, State
from phasegate.model.signal import Place, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Issue
from phasegate.model.vote import Act, Validity, Vote
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import Policy
from phasegate.rules.accounts import unreadable_teams
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import Facts
from phasegate.rules.binding import Timeline
from phasegate.rules.consistency import adjusted
from phasegate.rules.dispositions import dispositions
from phasegate.rules.evidence import settled
from phasegate.rules.phases import CONTEXT, Evaluation, decide_phases, worst
from phasegate.rules.plans import Plans
from phasegate.rules.references import with_references
from phasegate.rules.route import find_route, is_labelled_quick, linked_issues


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
    facts = Facts(policy=policy, snapshot=snapshot, timeline=Timeline.of(snapshot), plans=Plans())
    evidence = _read_evidence(policy, snapshot)
    evaluation = _evaluation(facts, heard, evidence)
    phases = decide_phases(evaluation)
    state, note, siblings = _overall(snapshot, phases)
    return Report(
        repository=snapshot.repository.name,
        pull_request=snapshot.pull_request.number,
        url=snapshot.pull_request.url,
        head=snapshot.pull_request.head.sha,
        state=state,
        context=CONTEXT,
        note=note,
        route=evaluation.route,
        phases=phases,
        signals=dispositions(evaluation, phases),
        acts=evaluation.acts,
        problems=tuple(_problems(policy, evaluation, (*siblings, *adjusted(policy, evidence.problems)))),
        provenance=_provenance(snapshot, policy.digest, policy.source),
    )


def _read_evidence(policy: Policy, snapshot: Snapshot) -> Gathered:
    """What the artifacts of the linked issues say, if any phase asks for them."""
    issues = linked_issues(snapshot)
    enabled = [phase for phase in policy.phases if phase.enabled]
    if not any(phase.evidence for phase in enabled) or (policy.issue.required and not issues):
        return Gathered()
    from phasegate.dialects.pipeline.gather import read_evidence  # noqa: PLC0415  (much to load, and seldom needed)

    return read_evidence(snapshot, issues, policy.artifacts.folder, partial(_asked, policy))


def _asked(policy: Policy, issue: Issue | None) -> frozenset[str]:
    """The artifacts that the phases ask of an issue, by its labels."""
    quick = issue is not None and is_labelled_quick(policy, issue.labels)
    enabled = [phase for phase in policy.phases if phase.enabled]
    return frozenset(name for phase in enabled for name in (phase.quick_artifacts if quick else phase.artifacts))


def _evaluation(facts: Facts, heard: Heard, evidence: Gathered) -> Evaluation:
    """Weighed in two steps: plans first, since verdicts on a plan are bound to its text."""
    creators = frozenset(
        phase.creator for phase in facts.policy.phases if phase.where is Place.ISSUE and phase.creator is not None
    )
    first = _assessed(facts, heard.signals)
    informed = Facts(
        policy=facts.policy,
        snapshot=facts.snapshot,
        timeline=facts.timeline,
        plans=Plans.of(first, creators),
        voices=_voices(first),
    )
    said = _assessed(informed, (*heard.signals, *evidence.signals))
    votes = with_references(facts.policy, settled(facts.policy, facts.timeline, said))
    acts = assess_acts(informed, heard.commands, votes)
    return Evaluation(
        facts=informed,
        votes=votes,
        acts=tuple(sorted(acts, key=_when)),
        route=find_route(facts.policy, facts.snapshot, votes),
        evidence=evidence.folders,
    )


def _voices(votes: tuple[Vote, ...]) -> dict[int, tuple[str, ...]]:
    """The roles that each account has spoken for here."""
    spoken: dict[int, dict[str, None]] = {}
    for vote in votes:
        author = vote.signal.source.author
        if vote.role is not None and vote.validity is not Validity.IGNORED and author is not None:
            spoken.setdefault(author.id or 0, {})[vote.role] = None
    return {account: tuple(roles) for account, roles in spoken.items()}


def _assessed(facts: Facts, signals: tuple[Signal, ...]) -> tuple[Vote, ...]:
    votes = (vote for signal in signals for vote in facts.assess(signal))
    return tuple(sorted(votes, key=lambda vote: vote.order))


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


def _problems(policy: Policy, evaluation: Evaluation, others: tuple[Problem, ...]) -> Iterator[Problem]:
    yield from policy.problems
    yield from unreadable_teams(policy, evaluation.facts.snapshot)
    yield from evaluation.route.problems
    yield from others
    of_words = (item for vote in evaluation.votes if _is_there(vote) for item in vote.problems)
    of_acts = (item for act in evaluation.acts for item in act.problems)
    yield from dict.fromkeys((*of_words, *of_acts))


def _is_there(vote: Vote) -> bool:
    """Whether what is wrong with a vote can still be looked at; of a file only what stands at the head."""
    return vote.signal.source.latest or not vote.signal.source.pushed


def _provenance(snapshot: Snapshot, policy_digest: str, source: str) -> Provenance:
    return Provenance(
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
        provenance=_provenance(snapshot, text_digest(snapshot.policy.text or ""), snapshot.policy.path),
    )
