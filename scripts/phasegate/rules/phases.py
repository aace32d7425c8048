"""The phases in their order: which are judged, what each needs, and the state that follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.decision import (
    Act,
    IssueRoute,
    Need,
    NeedKind,
    NeedState,
    PhaseReport,
    Round,
    Route,
    Standing,
    State,
    Word,
)
from phasegate.model.evidence import EvidenceFolder
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Where
from phasegate.model.signal import Kind, Place
from phasegate.policy import Phase
from phasegate.rules.bench import Bench
from phasegate.rules.history import failures_told, history_needs
from phasegate.rules.needs import needs
from phasegate.rules.paths import matches_any
from phasegate.rules.rounds import rounds
from phasegate.rules.weighing import Scales

CONTEXT = "phase-gate"
WORST_FIRST = (State.ERROR, State.FAILURE, State.PENDING, State.SUCCESS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hearing:
    """All that the phases are decided from; words and acts in order of time, and where the evidence is."""

    scales: Scales
    words: tuple[Word, ...]
    acts: tuple[Act, ...]
    route: Route
    evidence: tuple[EvidenceFolder, ...] = ()


def decide_phases(hearing: Hearing) -> tuple[PhaseReport, ...]:
    """Every phase, each knowing those before it."""
    decided: list[PhaseReport] = []
    for phase in hearing.scales.policy.phases:
        decided.append(_decide(hearing, phase, tuple(decided)))
    return tuple(decided)


def worst(states: Iterator[State]) -> State:
    """The state that stands for several; of none it is an error, since nothing was decided."""
    found = set(states)
    return next((state for state in WORST_FIRST if state in found), State.ERROR)


def _decide(hearing: Hearing, phase: Phase, earlier: tuple[PhaseReport, ...]) -> PhaseReport:
    skipped = _skipped(hearing, phase)
    if skipped:
        return _report(phase, State.SUCCESS, note=skipped)
    benches = tuple(_benches(hearing, phase))
    before = tuple(_earlier(earlier))
    idle = _optional_and_idle(hearing, phase, benches)
    if idle and not before:
        return _report(phase, State.SUCCESS, note=idle, rounds=_rounds(benches))
    if idle:
        return _report(phase, _state(before), needs=before, rounds=_rounds(benches))
    overridden = {bench.issue: act for bench in benches if (act := override(bench)) is not None}
    asked = tuple(_asked(hearing, phase, benches))
    if overridden and len(overridden) == len(benches):
        note = "; ".join(_overridden(act) for act in overridden.values())
        return _report(phase, State.SUCCESS, note=note, needs=(*before, *asked), rounds=_rounds(benches))
    open_benches = tuple(bench for bench in benches if bench.issue not in overridden)
    found = (*before, *(_asked(hearing, phase, open_benches) if overridden else asked))
    note = "; ".join(_overridden(act) for act in overridden.values())
    return _report(phase, _state(found), note=note, needs=found, rounds=_rounds(benches))


def override(bench: Bench) -> Act | None:
    """A human's override of this phase for the present content."""
    return next((act for act in reversed(bench.given("override")) if act.content == bench.content), None)


def _overridden(act: Act) -> str:
    author = act.command.source.author
    place = f" on #{act.command.source.issue}" if act.command.source.issue is not None else ""
    return f"Overridden by {author.login if author else '?'}{place}: {act.command.reason}"


def _asked(hearing: Hearing, phase: Phase, benches: tuple[Bench, ...]) -> Iterator[Need]:
    if not hearing.route.issues and _needs_issue(hearing, phase):
        todo = "Link the issue this pull request closes (write 'Closes #N' in its description)"
        yield Need(
            kind=NeedKind.LINKED_ISSUE,
            name="issue",
            state=NeedState.WAITING,
            text="No linked issue, so there is no plan" if phase.where is Place.ISSUE else "No linked issue",
            todo=todo,
        )
    for bench in benches:
        yield from needs(bench)


def _needs_issue(hearing: Hearing, phase: Phase) -> bool:
    """Whether nothing can be judged without a linked issue: the plan stands on it, the evidence is found by it."""
    return phase.where is Place.ISSUE or bool(phase.artifacts and not hearing.evidence)


def _state(found: tuple[Need, ...]) -> State:
    states = {need.state for need in found}
    if NeedState.FAILED in states:
        return State.FAILURE
    if NeedState.WAITING in states or not states:
        return State.PENDING
    return State.SUCCESS


def _report(
    phase: Phase, state: State, *, note: str = "", needs: tuple[Need, ...] = (), rounds: tuple[Round, ...] = ()
) -> PhaseReport:
    return PhaseReport(
        name=phase.name,
        context=f"{CONTEXT}/{phase.name}",
        state=state,
        where=phase.where,
        note=note,
        needs=needs,
        rounds=rounds,
    )


def _rounds(benches: tuple[Bench, ...]) -> tuple[Round, ...]:
    return tuple(item for bench in benches for item in rounds(bench))


def _skipped(hearing: Hearing, phase: Phase) -> str:
    """Why a phase is not judged at all; empty if it is."""
    if not phase.enabled:
        return "Turned off by the policy"
    if hearing.route.quick and not phase.quick_judges:
        numbers = ", ".join(f"#{issue.number}" for issue in hearing.route.issues)
        return f"Skipped on the quick route of {numbers}"
    files = hearing.scales.snapshot.files
    if phase.paths and files.complete:
        changed = [path for entry in files.entries for path in (entry.path, entry.previous_path) if path]
        if not any(matches_any(path, phase.paths) for path in changed):
            return "No changed file is among the paths of this phase"
    return ""


def _earlier(decided: tuple[PhaseReport, ...]) -> Iterator[Need]:
    for phase in decided:
        if phase.state is not State.SUCCESS:
            title = phase.name.capitalize() if phase.name != "qa" else "QA"
            text = f"Waiting for {title}"
            yield Need(kind=NeedKind.EARLIER_PHASE, name=phase.name, state=NeedState.WAITING, text=text)


def _benches(hearing: Hearing, phase: Phase) -> Iterator[Bench]:
    roles = phase.quick_roles if hearing.route.quick else phase.roles
    if phase.where is Place.PULL_REQUEST:
        yield _bench(hearing, phase, roles, None)
        return
    for issue in hearing.route.issues:
        if not issue.quick:
            yield _bench(hearing, phase, roles, issue)


def _bench(hearing: Hearing, phase: Phase, roles: tuple[str, ...], route: IssueRoute | None) -> Bench:
    issue = None if route is None else route.number
    here = (phase.where, issue)
    return Bench(
        scales=hearing.scales,
        phase=phase,
        roles=roles,
        issue=issue,
        spent_by=None if route is None else route.spent_by,
        told=failures_told(hearing.words),
        evidence=tuple(_evidence(hearing, phase, issue)),
        words=tuple(word for word in hearing.words if _is_here(word, here) and _is_said(word)),
        acts=tuple(
            act
            for act in hearing.acts
            if act.command.phase == phase.name and (act.command.source.place, act.command.source.issue) == here
        ),
    )


def _is_said(word: Word) -> bool:
    """Whether it is a word of a role; a proposal is made beside one and decides nothing."""
    return word.signal.kind is not Kind.PROPOSAL


def _is_here(word: Word, here: tuple[Place, int | None]) -> bool:
    """Whether a word stands at a place; the files of all issues are on the pull request, each for its own issue too."""
    source, (_, issue) = word.signal.source, here
    return issue in (None, source.issue) if source.pushed else (source.place, source.issue) == here


def _evidence(hearing: Hearing, phase: Phase, issue: int | None) -> Iterator[tuple[EvidenceFolder, tuple[str, ...]]]:
    """The folders that a phase looks into, each with the artifacts that its issue's route asks for."""
    routes = {route.number: route for route in hearing.route.issues}
    for folder in hearing.evidence if phase.evidence else ():
        route = routes.get(folder.issue or 0)
        if issue in (None, folder.issue):
            names = phase.quick_artifacts if route is not None and route.quick else phase.artifacts
            yield (folder if route is None else _unspent(folder, route)), names


def _unspent(folder: EvidenceFolder, route: IssueRoute) -> EvidenceFolder:
    """The folder of an issue that is still open for this work."""
    if route.spent_by is None:
        return folder
    message = f"#{route.number} was closed by {route.spent_by}, so its evidence is spent"
    return replace(folder, wrong=problem("PG404", message, Where(url=route.url)))


def _optional_and_idle(hearing: Hearing, phase: Phase, benches: tuple[Bench, ...]) -> str:
    """Why an optional phase need not run: nobody has judged the present content in it. Empty if it must be judged."""
    if not phase.by_issue_type or hearing.route.qa_required:
        return ""
    heard = [
        word
        for bench in benches
        for word in bench.words
        if word.role in bench.seats and word.standing not in (Standing.EDITED_AWAY, Standing.IGNORED)
    ]
    tampered = any(True for bench in benches for _ in history_needs(bench))
    if tampered or any(word.fresh or word.signal.source.tampered_by is not None for word in heard):
        return ""
    ran = "not run on this content" if heard else "not run"
    return f"Optional ({hearing.route.reason}) and {ran}"
