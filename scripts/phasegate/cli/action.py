"""Run as a step of a workflow: find the pull requests of the event, decide, publish, and tell the step's outputs."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from phasegate.cli.terminal import GITHUB, NOT_PASSED, PASSED, USAGE, Terminal
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import ANNOTATING_SECONDS, Client, make_client
from phasegate.github.event import (
    MERGE_GROUP,
    PULL_REQUEST_EVENTS,
    PULL_REQUEST_TARGET,
    Heads,
    NoPullRequestError,
    concerned,
    event_head,
    queued,
    remark,
)
from phasegate.github.reading.opening import Target, policy_alone, set_out
from phasegate.model.contexts import context_name
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Severity
from phasegate.model.report import State
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import MergeGroup
from phasegate.report.inert import plain
from phasegate.settings import Annotations, Command, FailOn, Settings, SettingsError, settings_from_environ

if TYPE_CHECKING:
    from phasegate.cli.live import Decision
    from phasegate.model.snapshot import BranchRules

SUMMARY_BYTES = 900_000
SIDE_BY_SIDE = 4
OPEN = "open"
STATES = ("state", "plan", "build", "qa")
OUTPUTS = (*STATES, "next-action", "next", "report", "snapshot", "timeline", "context")
TIMELINE_WORK = 6_000  # a job is not to wait long for its timeline
FAILING = {
    FailOn.NEVER: (),
    FailOn.FAILURE: (State.FAILURE, State.ERROR),
    FailOn.PENDING: (State.FAILURE, State.ERROR, State.PENDING),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Undecided:
    """A pull request that could not be decided or published, and why."""

    name: str
    reason: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything comes from the environment that action.yml sets."""
    del parser


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the step; whatever happens, every output is written, and what was not decided is an error."""
    del options
    told = dict.fromkeys(OUTPUTS, "") | dict.fromkeys(STATES, State.ERROR.value)
    try:
        return _run(settings_from_environ(terminal.environ), terminal, told)
    except (SettingsError, NoPullRequestError) as error:
        _give_up(terminal, told, str(error))
        return USAGE
    except GitHubError as error:
        _give_up(terminal, told, str(error))
        return GITHUB
    finally:
        output = terminal.environ.get("GITHUB_OUTPUT")
        if output:
            write_outputs(Path(output), told)


def _run(settings: Settings, terminal: Terminal, told: dict[str, str]) -> int:
    for notice in settings.notices:
        terminal.say(plain(notice))
    if settings.skip_chatter and _is_chatter(settings):
        terminal.say("The comment holds nothing that the policy reads; there is nothing to decide.")
        told |= dict.fromkeys(OUTPUTS, "")
        return PASSED
    if settings.command is Command.SWEEP:
        return _sweep(settings, terminal, told)
    group = _queued(settings)
    heads = _heads(settings)
    if not heads:
        terminal.say("No pull request is concerned; there is nothing to decide.")
        told |= dict.fromkeys(OUTPUTS, "")
        return PASSED
    if settings.command is Command.CONTEXT:
        told |= dict.fromkeys(OUTPUTS, "")
        return _leave_context(settings, next(iter(heads)), terminal, told)
    if _is_unchanged(settings, heads, terminal, told):
        return NOT_PASSED if State(told["state"]) in FAILING[settings.fail_on] else PASSED
    outcomes = _outcomes(settings, heads, group)
    decisions = [outcome for outcome in outcomes if not isinstance(outcome, Undecided)]
    _tell(settings, decisions, terminal, told)
    annotated = [_annotate(settings, decision, terminal) for decision in decisions]
    commented = [_comment(settings, decision, terminal) for decision in decisions]
    undecided = [outcome for outcome in outcomes if isinstance(outcome, Undecided)]
    if undecided:
        told |= dict.fromkeys(OUTPUTS, "") | dict.fromkeys(STATES, State.ERROR.value)
        for each in reversed(undecided):
            _give_up(terminal, told, f"{each.name} could not be decided: {each.reason}")
        return GITHUB
    filed = [_file(settings, decision, terminal) for decision in decisions]
    if not all([*annotated, *commented, *filed]):
        return GITHUB
    return NOT_PASSED if State(told["state"]) in FAILING[settings.fail_on] else PASSED


def _sweep(settings: Settings, terminal: Terminal, told: dict[str, str]) -> int:
    """Decide the open pull requests that changed; the outputs are those of the worst one."""
    from phasegate.cli.sweep import sweep, table  # noqa: PLC0415  (rarely needed)
    from phasegate.rules.phases import WORST_FIRST  # noqa: PLC0415  (rarely needed)

    found = sweep(settings, terminal, watched(settings))
    _append(settings.summary_path, table(found))
    told |= dict.fromkeys(OUTPUTS, "")
    folder = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp))
    for decision in sorted(found.decisions, key=lambda each: -WORST_FIRST.index(each.report.state)):
        told |= _outputs(decision) | _leave(folder, decision, settings)
    annotated = [_annotate(settings, decision, terminal) for decision in found.decisions]
    commented = [_comment(settings, decision, terminal) for decision in found.decisions]
    filed = [_file(settings, decision, terminal) for decision in found.decisions]
    terminal.say(
        f"{len(found.decisions)} decided, {len(found.undecided)} could not be, {found.left} left to the next sweep"
    )
    if found.undecided:
        told |= dict.fromkeys(STATES, State.ERROR.value)
        number, reason = found.undecided[0]
        terminal.complain(f"{settings.repository}#{number} could not be decided: {reason}")
        told["next-action"] = f"Look at #{number}, which could not be decided"
    if found.bugs:
        raise found.bugs[0]
    if found.undecided or not all([*annotated, *commented, *filed]):
        return GITHUB
    return NOT_PASSED if told["state"] in [state.value for state in FAILING[settings.fail_on]] else PASSED


def _is_chatter(settings: Settings) -> bool:
    """Whether the event is a comment that no rule would look at; it takes no more than the policy to know."""
    if settings.pull_request is not None or settings.command is Command.CONTEXT:
        return False
    said = remark(settings.event, _payload(settings.event_path))
    if said is None:
        return False
    from phasegate.gate import reading_plan  # noqa: PLC0415  (rarely needed)

    plan = reading_plan(policy_alone(make_client(settings.api), settings.repository, settings.policy_path))
    return plan.is_chatter(said.texts, said.author, said.app_id)


def _is_unchanged(settings: Settings, heads: Heads, terminal: Terminal, told: dict[str, str]) -> bool:
    """Whether the event is a comment that changed nothing (and no re-run); then report the current decision."""
    if settings.event != "issue_comment" or settings.pull_request is not None or settings.again:
        return False
    from phasegate.cli import still  # noqa: PLC0415  (needed for comments alone)

    found = still.unchanged(settings, _payload(settings.event_path), heads)
    for line in still.lines(found):
        terminal.say(line)
    if found:
        _append(settings.summary_path, still.summary(found))
        told |= dict.fromkeys(OUTPUTS, "") | still.outputs(found)
    return bool(found)


def _queued(settings: Settings) -> MergeGroup | None:
    """The merge group of the event; one that names no pull request gets an error, so that no queue waits for it."""
    if settings.event != MERGE_GROUP:
        return None
    payload = _payload(settings.event_path)
    try:
        return _named(queued(payload), settings.pull_request)
    except NoPullRequestError as error:
        head = event_head(settings.event, payload)
        if head is not None and not settings.dry_run:
            from phasegate.cli.live import refuse  # noqa: PLC0415  (rarely needed)
            from phasegate.github.writing.publish import Place  # noqa: PLC0415  (rarely needed)

            branch = payload["merge_group"].get("base_ref")
            base = str(branch).removeprefix("refs/heads/") if settings.base_in_context and branch else None
            place = Place(repository=settings.repository, commit=head, url=settings.run_url)
            refuse(make_client(settings.api), place, context_name(base=base), str(error))
        raise


def _named(told: tuple[int, MergeGroup], asked: int | None) -> MergeGroup:
    """The merge group, if it is of the pull request that was asked for."""
    number, group = told
    if asked not in (None, number):
        raise NoPullRequestError(f"the merge group is of #{number}, and the input pull-request names #{asked}")
    return group


def _outcomes(settings: Settings, heads: Heads, group: MergeGroup | None) -> list[Decision | Undecided]:
    """What becomes of each pull request; where one is closed, also of those that its success was shared with."""
    outcomes = _side_by_side(settings, heads, group)
    if group is not None:
        return outcomes
    closed = [each for each in outcomes if not isinstance(each, Undecided) and each.snapshot.pull_request.state != OPEN]
    freed = [(number, each.report.head) for each in closed for number in each.report.siblings if number not in heads]
    return [*outcomes, *_side_by_side(settings, dict(freed))]


def _side_by_side(settings: Settings, heads: Heads, group: MergeGroup | None = None) -> list[Decision | Undecided]:
    """Several are decided at a time, in their order, so that a slow one starves none of the others."""
    if len(heads) == 1:
        return [_decide(settings, number, head, group) for number, head in heads.items()]
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
        return list(pool.map(partial(_decide, settings), heads, heads.values()))


def _file(settings: Settings, decision: Decision, terminal: Terminal) -> bool:
    """File the proposals that count where that is wanted; whether all is well."""
    if not settings.create_issues or settings.dry_run:
        return True
    from phasegate.cli.live import file_counted  # noqa: PLC0415  (rarely needed)

    return file_counted(make_client(settings.api), decision.report, terminal)


def _leave_context(settings: Settings, number: int, terminal: Terminal, told: dict[str, str]) -> int:
    """Make the context pack of a pull request; its path is an output."""
    from phasegate.cli import context  # noqa: PLC0415  (rarely needed)

    path = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp)) / f"context-{number}.txt"
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    context.add_arguments(parser)
    request = ["build", "--repo", settings.repository, "--pr", str(number), "--output", str(path)]
    environ = {**terminal.environ, "GITHUB_TOKEN": settings.api.token, "GITHUB_API_URL": settings.api.rest}
    environ["GITHUB_GRAPHQL_URL"] = settings.api.graphql
    options = parser.parse_args([*request, "--policy-path", settings.policy_path])
    code = context.run(options, replace(terminal, environ=environ))
    told["context"] = str(path)
    return code


def _heads(settings: Settings) -> Heads:
    """The pull requests to decide, each with its head where that is known already."""
    if settings.pull_request is not None and settings.event != MERGE_GROUP:
        return {settings.pull_request: None}
    return concerned(make_client(settings.api), settings.repository, settings.event, _payload(settings.event_path))


def _payload(path: str) -> Mapping[str, Any]:
    """The event's payload, which the runner wrote."""
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise NoPullRequestError("the event's payload cannot be read; pass the input pull-request") from None
    return payload if isinstance(payload, dict) else {}


def _decide(settings: Settings, number: int, head: str | None, group: MergeGroup | None = None) -> Decision | Undecided:
    """One pull request, in a time of its own; that it cannot be decided keeps no other one waiting."""
    target = Target(
        repository=settings.repository,
        number=number,
        policy_path=settings.policy_path,
        group=group,
        base_in_context=settings.base_in_context,
        workflow=watched(settings),
        retention_days=settings.retention_days,
    )
    try:
        client = make_client(settings.api)
        trip = set_out(client, target)
        from phasegate.cli.live import decide, decide_and_publish  # noqa: PLC0415  (loaded while GitHub is asked)

        if settings.dry_run:
            return decide(client, target, trip)
        return decide_and_publish(client, target, settings.run_url, trip, head)
    except GitHubError as error:
        return Undecided(name=f"{settings.repository}#{number}", reason=str(error))


def watched(settings: Settings) -> str | None:
    """The workflow file that tells whether an event is missing; the run of that event itself cannot miss it."""
    return None if settings.event == PULL_REQUEST_TARGET else settings.workflow


def _give_up(terminal: Terminal, told: dict[str, str], reason: str) -> None:
    """Say in the log, in the summary and in the outputs why nothing was decided."""
    from phasegate.report.inert import prose  # noqa: PLC0415  (rarely needed)
    from phasegate.report.wording import STATE_MARK  # noqa: PLC0415  (rarely needed)

    terminal.complain(reason)
    told["next-action"] = plain(reason, 500)
    text = f"## {STATE_MARK[State.ERROR]} Phase Gate: nothing was decided\n\n{prose(reason)}\n"
    _append(terminal.environ.get("GITHUB_STEP_SUMMARY"), text)


def _tell(settings: Settings, decisions: list[Decision], terminal: Terminal, told: dict[str, str]) -> None:
    """Log, files and summary of what was decided; the outputs are those of the worst one."""
    from phasegate.report.summary.page import summary  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.rules.phases import WORST_FIRST  # noqa: PLC0415  (loaded while GitHub is asked)

    folder = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp))
    worst = min(decisions, key=lambda decision: WORST_FIRST.index(decision.report.state), default=None)
    for decision in decisions:
        _tell_log(decision, settings, terminal)
        files = _leave(folder, decision, settings)
        if decision is worst:
            told |= _outputs(decision) | files
        name = f"# {settings.repository}#{decision.report.pull_request}\n\n" if len(decisions) > 1 else ""
        _append(settings.summary_path, name + summary(decision.report, SUMMARY_BYTES // len(decisions)))
        if "timeline" in files and settings.run_url is not None:
            kept = f"[Timeline and snapshot]({settings.run_url}#artifacts), if the run keeps them"
            _append(settings.summary_path, kept)


def _tell_log(decision: Decision, settings: Settings, terminal: Terminal) -> None:
    from phasegate.cli.live import unreported_line  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.status import status_lines  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.tasks import next_action  # noqa: PLC0415  (loaded while GitHub is asked)

    report = decision.report
    terminal.say(f"{report.repository}#{report.pull_request} at {report.head}")
    terminal.statuses(status_lines(report))
    terminal.say(f"  next: {plain(next_action(report), 500)}")
    wrote = "nothing was written (dry-run)" if decision.written is None else f"{decision.written} statuses written"
    terminal.say(f"  {wrote}")
    if decision.written is not None:
        terminal.say(f"  {required_line(decision.snapshot.branch_rules, report.repository, report.context)}")
    if warning := unreported_line(report):
        terminal.say(f"  {warning}")
    if decision.unknown:
        terminal.say("  this server does not tell who set the type of an issue: one that asks for less does not count")
    # other runs do not belong to the pull request
    if settings.annotations is Annotations.LOG and settings.event in PULL_REQUEST_EVENTS:
        from phasegate.report.annotations import annotation_lines  # noqa: PLC0415  (loaded while GitHub is asked)

        for line in annotation_lines(report, decision.snapshot):
            terminal.say(line)


def required_line(rules: BranchRules | None, name: str, context: str = OVERALL) -> str:
    """Whether what was written gates, by the rules that were read anyway; doctor tells the rest."""
    if rules is None or not rules.readable:
        return f"whether the branch requires {context} was not read: phase-gate doctor --repo {name} tells"
    if any(each.context.lower() == context.lower() for each in rules.required):
        return f"the branch requires {context}"
    return f"the branch does NOT require {context}: this keeps nothing out (phase-gate doctor --repo {name})"


def _annotate(settings: Settings, decision: Decision, terminal: Terminal) -> bool:
    """Publish the check run where it is wanted; whether all is well."""
    if settings.annotations is not Annotations.CHECK_RUN or decision.written is None:
        return True
    if decision.report.queued is not None:  # the check run stands on the head, which may be better off than the queue
        return True
    from phasegate.cli.live import annotate  # noqa: PLC0415  (rarely needed)

    return _beside(settings, decision, terminal, "annotations", partial(annotate, run_url=settings.run_url))


def _comment(settings: Settings, decision: Decision, terminal: Terminal) -> bool:
    """Keep the comment where it is wanted; whether all is well."""
    if not settings.comment or decision.written is None:
        return True
    from phasegate.cli.live import comment_on  # noqa: PLC0415  (rarely needed)

    return _beside(settings, decision, terminal, "comment", comment_on)


def _beside(
    settings: Settings, decision: Decision, terminal: Terminal, name: str, write: Callable[[Client, Decision], str]
) -> bool:
    """Write everything besides the statuses, which stay whatever happens here; whether it all succeeded."""
    from phasegate.report.inert import prose  # noqa: PLC0415  (rarely needed)
    from phasegate.report.wording import SEVERITY_MARK  # noqa: PLC0415  (rarely needed)

    try:
        told = write(make_client(settings.api).with_time(ANNOTATING_SECONDS), decision)
    except GitHubError as error:
        reason = f"{decision.report.repository}#{decision.report.pull_request}: {error}"
        terminal.complain(reason)
        _append(settings.summary_path, f"{SEVERITY_MARK[Severity.ERROR]} {prose(reason, 1000)}\n")
        return False
    terminal.say(f"  {name}: {told}")
    return True


def _leave(folder: Path, decision: Decision, settings: Settings) -> dict[str, str]:
    """Leave the report, and the snapshot if asked for, as files; their paths are outputs."""
    from phasegate.cli.live import snapshot_text  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.data import report_text  # noqa: PLC0415  (loaded while GitHub is asked)

    report = folder / f"report-{decision.report.pull_request}.json"
    report.write_text(report_text(decision.report), encoding="utf-8")
    if not settings.save_snapshot:
        return {"report": str(report)}
    from phasegate.gate import judge  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.html import timeline_page  # noqa: PLC0415  (rarely needed)
    from phasegate.report.timeline import timeline  # noqa: PLC0415  (rarely needed)

    snapshot = folder / f"snapshot-{decision.report.pull_request}.json"
    snapshot.write_text(snapshot_text(decision.snapshot), encoding="utf-8")
    page = folder / f"timeline-{decision.report.pull_request}.html"
    line = timeline(decision.snapshot, decision.report, decide=judge, most=TIMELINE_WORK)
    page.write_text(timeline_page(line, decision.report), encoding="utf-8")
    return {"report": str(report), "snapshot": str(snapshot), "timeline": str(page)}


def _outputs(decision: Decision) -> dict[str, str]:
    from phasegate.report.data import tasks_data  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.inert import safe_json  # noqa: PLC0415  (loaded while GitHub is asked)
    from phasegate.report.tasks import next_action  # noqa: PLC0415

    report = decision.report
    phases = {phase.name: phase.state.value for phase in report.phases}
    return {
        "state": report.state.value,
        "next-action": plain(next_action(report), 500),
        "next": safe_json(tasks_data(report), indent=None),
        **{name: phases.get(name, "") for name in ("plan", "build", "qa")},
    }


def write_outputs(path: Path, values: Mapping[str, str]) -> None:
    """Append outputs with a delimiter that no text can guess."""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for name, value in values.items():
            delimiter = f"phase_gate_{uuid4().hex}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _append(path: str | None, text: str) -> None:
    """Add to the step's summary, where there is one."""
    if path:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
