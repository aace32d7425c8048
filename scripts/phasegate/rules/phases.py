"""The phases in their order: which are judged, what each needs, and the state that follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.model.evidence import IssueFolder
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Where
from phasegate.model.report import IssueRoute, Need, NeedKind, NeedState, PhaseReport, Round, Route, State
from phasegate.model.signal import Kind, Place
from phasegate.model.vote import Act, Validity, Vote
from phasegate.policy.model import Phase
from phasegate.rules.assess import Facts
from phasegate.rules.history import failures_told, history_needs
from phasegate.rules.needs import needs
from phasegate.rules.paths import matches_any
from phasegate.rules.rounds import rounds
from phasegate.rules.view import PhaseView

CONTEXT = "phase-gate"
WORST_FIRST = (State.ERROR, State.FAILURE, State.PENDING, State.SUCCESS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Evaluation:
    """All that the phases are decided from; votes and acts in order of time, and where the evidence is."""

    facts: Facts
    votes: tuple[Vote, ...]
    acts: tuple[Act, ...]
    route: Route
    evidence: tuple[IssueFolder, ...] = ()


def decide_phases(evaluation: Evaluation) -> tuple[PhaseReport, ...]:
    """Every phase, each knowing those before it."""
    decided: list[PhaseReport] = []
    for phase in evaluation.facts.policy.phases:
        decided.append(_decide(evaluation, phase, tuple(decided)))
    return tuple(decided)


def worst(states: Iterator[State]) -> State:
    """The state that stands for several; of none it is an error, since nothing was decided."""
    found = set(states)
    return next((state for state in WORST_FIRST if state in found), State.ERROR)


def _decide(evaluation: Evaluation, phase: Phase, earlier: tuple[PhaseReport, ...]) -> PhaseReport:
    skipped = _skipped(evaluation, phase)
    if skipped:
        return _report(phase, State.SUCCESS, note=skipped)
    views = tuple(_views(evaluation, phase))
    before = tuple(_earlier(earlier))
    idle = _optional_and_idle(evaluation, phase, views)
    if idle and not before:
        return _report(phase, State.SUCCESS, note=idle, rounds=_rounds(views))
    if idle:
        return _report(phase, _state(before), needs=before, rounds=_rounds(views))
    overridden = {view.issue: act for view in views if (act := override(view)) is not None}
    asked = tuple(_asked(evaluation, phase, views))
    if overridden and len(overridden) == len(views):
        note = "; ".join(_overridden(act) for act in overridden.values())
        return _report(phase, State.SUCCESS, note=note, needs=(*before, *asked), rounds=_rounds(views))
    open_views = tuple(view for view in views if view.issue not in overridden)
    found = (*before, *(_asked(evaluation, phase, open_views) if overridden else asked))
    note = "; ".join(_overridden(act) for act in overridden.values())
    return _report(phase, _state(found), note=note, needs=found, rounds=_rounds(views))


def override(view: PhaseView) -> Act | None:
    """A human's override of this phase for the present content."""
    return next((act for act in reversed(view.given("override")) if act.content == view.content), None)


def _overridden(act: Act) -> str:
    author = act.command.source.author
    place = f" on #{act.command.source.issue}" if act.command.source.issue is not None else ""
    return f"Overridden by {author.login if author else '?'}{place}: {act.command.reason}"


def _asked(evaluation: Evaluation, phase: Phase, views: tuple[PhaseView, ...]) -> Iterator[Need]:
    if not evaluation.route.issues and _needs_issue(evaluation, phase):
        todo = "Link the issue this pull request closes (write 'Closes #N' in its description)"
        yield Need(
            kind=NeedKind.LINKED_ISSUE,
            name="issue",
            state=NeedState.WAITING,
            text="No linked issue, so there is no plan" if phase.where is Place.ISSUE else "No linked issue",
            todo=todo,
        )
    for view in views:
        yield from needs(view)


def _needs_issue(evaluation: Evaluation, phase: Phase) -> bool:
    """Whether nothing can be judged without a linked issue: the plan stands on it, the evidence is found by it."""
    return phase.where is Place.ISSUE or bool(phase.artifacts and not evaluation.evidence)


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


def _rounds(views: tuple[PhaseView, ...]) -> tuple[Round, ...]:
    return tuple(item for view in views for item in rounds(view))


def _skipped(evaluation: Evaluation, phase: Phase) -> str:
    """Why a phase is not judged at all; empty if it is."""
    if not phase.enabled:
        return "Turned off by the policy"
    if evaluation.route.quick and not phase.quick_judges:
        numbers = ", ".join(f"#{issue.number}" for issue in evaluation.route.issues)
        return f"Skipped on the quick route of {numbers}"
    files = evaluation.facts.snapshot.files
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


def _views(evaluation: Evaluation, phase: Phase) -> Iterator[PhaseView]:
    roles = phase.quick_roles if evaluation.route.quick else phase.roles
    if phase.where is Place.PULL_REQUEST:
        yield _view(evaluation, phase, roles, None)
        return
    for issue in evaluation.route.issues:
        if not issue.quick:
            yield _view(evaluation, phase, roles, issue)


def _view(evaluation: Evaluation, phase: Phase, roles: tuple[str, ...], route: IssueRoute | None) -> PhaseView:
    issue = None if route is None else route.number
    here = (phase.where, issue)
    return PhaseView(
        facts=evaluation.facts,
        phase=phase,
        roles=roles,
        issue=issue,
        spent_by=None if route is None else route.spent_by,
        told=failures_told(evaluation.votes),
        evidence=tuple(_evidence(evaluation, phase, issue)),
        votes=tuple(vote for vote in evaluation.votes if _is_here(vote, here) and _is_said(vote)),
        acts=tuple(
            act
            for act in evaluation.acts
            if act.command.phase == phase.name and (act.command.source.place, act.command.source.issue) == here
        ),
    )


def _is_said(vote: Vote) -> bool:
    """Whether it is a vote of a role; a proposal is made beside one and decides nothing."""
    return vote.signal.kind is not Kind.PROPOSAL


def _is_here(vote: Vote, here: tuple[Place, int | None]) -> bool:
    """Whether a vote stands at a place; the files of all issues are on the pull request, each for its own issue too."""
    source, (_, issue) = vote.signal.source, here
    return issue in (None, source.issue) if source.pushed else (source.place, source.issue) == here


def _evidence(evaluation: Evaluation, phase: Phase, issue: int | None) -> Iterator[tuple[IssueFolder, tuple[str, ...]]]:
    """The folders that a phase looks into, each with the artifacts that its issue's route asks for."""
    routes = {route.number: route for route in evaluation.route.issues}
    for folder in evaluation.evidence if phase.evidence else ():
        route = routes.get(folder.issue or 0)
        if issue in (None, folder.issue):
            names = phase.quick_artifacts if route is not None and route.quick else phase.artifacts
            yield (folder if route is None else _unspent(folder, route)), names


def _unspent(folder: IssueFolder, route: IssueRoute) -> IssueFolder:
    """The folder of an issue that is still open for this work."""
    if route.spent_by is None:
        return folder
    message = f"#{route.number} was closed by {route.spent_by}, so its evidence is spent"
    return replace(folder, wrong=problem("PG404", message, Where(url=route.url)))


def _optional_and_idle(evaluation: Evaluation, phase: Phase, views: tuple[PhaseView, ...]) -> str:
    """Why an optional phase need not run: nobody has judged the present content in it. Empty if it must be judged."""
    if not phase.by_issue_type or evaluation.route.qa_required:
        return ""
    heard = [
        vote
        for view in views
        for vote in view.votes
        if vote.role in view.seats and vote.validity not in (Validity.EDITED_AWAY, Validity.IGNORED)
    ]
    tampered = any(True for view in views for _ in history_needs(view))
    if tampered or any(vote.fresh or vote.signal.source.tampered_by is not None for vote in heard):
        return ""
    ran = "not run on this content" if heard else "not run"
    return f"Optional ({evaluation.route.reason}) and {ran}"
