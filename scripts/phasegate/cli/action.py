"""Runs as a step of a workflow: finds the event's pull requests, decides, publishes, and writes the step's outputs."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from phasegate.cli.terminal import GITHUB, NOT_PASSED, PASSED, USAGE, Arguments, Terminal, hear_interrupts
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import make_client
from phasegate.github.event import (
    MERGE_GROUP,
    PULL_REQUEST_TARGET,
    WORKFLOW_RUN,
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
from phasegate.model.report import State
from phasegate.model.snapshot import MergeGroup
from phasegate.report.inert import plain
from phasegate.settings import Command, FailOn, Settings, SettingsError, settings_from_environ

if TYPE_CHECKING:
    from phasegate.cli.live import Decision

SIDE_BY_SIDE = 4
OPEN = "open"
STATES = ("state", "plan", "build", "qa")
OUTPUTS = (*STATES, "next-action", "next", "report", "snapshot", "timeline", "context")
FAILING = {FailOn.NEVER: (), FailOn.FAILURE: ("failure", "error"), FailOn.PENDING: ("failure", "error", "pending")}
NOTHING, ERRORS = dict.fromkeys(OUTPUTS, ""), dict.fromkeys(STATES, State.ERROR.value)
ARGUMENTS: Arguments = {}  # everything comes from the environment that action.yml sets


@dataclass(frozen=True, kw_only=True, slots=True)
class Undecided:
    """A pull request that could not be decided or published, and why."""

    name: str
    reason: str


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Runs the step. Whatever happens, every output is written, and anything undecided is an error."""
    del options
    hear_interrupts()
    told = NOTHING | ERRORS
    try:
        return _run(settings_from_environ(terminal.environ), terminal, told)
    except (SettingsError, NoPullRequestError, GitHubError) as error:
        from phasegate.cli.results import give_up  # noqa: PLC0415  (rarely needed)

        give_up(terminal, told, str(error))
        return GITHUB if isinstance(error, GitHubError) else USAGE
    finally:
        output = terminal.environ.get("GITHUB_OUTPUT")
        if output:
            write_outputs(Path(output), told)


def _run(settings: Settings, terminal: Terminal, told: dict[str, str]) -> int:
    for notice in settings.notices:
        terminal.say(plain(notice))
    if settings.skip_chatter and _is_chatter(settings):
        terminal.say("The comment holds nothing that the policy reads; there is nothing to decide.")
        told |= NOTHING
        return PASSED
    if settings.command is Command.SWEEP:
        from phasegate.cli.results import sweep_all  # noqa: PLC0415  (rarely needed)

        return sweep_all(settings, terminal, told, watched(settings))
    group, heads = _queued(settings), _heads(settings)
    if not heads:
        terminal.say("No pull request is concerned; there is nothing to decide.")
        told |= NOTHING
        return PASSED
    if settings.command is Command.CONTEXT:
        told |= NOTHING
        return _leave_context(settings, next(iter(heads)), terminal, told)
    if _is_unchanged(settings, heads, terminal, told):
        return exit_code(settings, told["state"])
    outcomes = _side_by_side(settings, heads, group)
    if group is None:  # where one is closed, those that its success was shared with are decided too
        done = [each for each in outcomes if not isinstance(each, Undecided)]
        closed = [each.report for each in done if each.snapshot.pull_request.state != OPEN]
        freed: Heads = {number: each.head for each in closed for number in each.siblings if number not in heads}
        outcomes += _side_by_side(settings, freed)
    from phasegate.cli import results  # noqa: PLC0415  (loaded while GitHub is asked)

    decisions = [outcome for outcome in outcomes if not isinstance(outcome, Undecided)]
    results.tell(settings, decisions, terminal, told)
    besides = results.write_besides(settings, decisions, terminal)
    undecided = [outcome for outcome in outcomes if isinstance(outcome, Undecided)]
    if undecided:
        told |= NOTHING | ERRORS
        for each in reversed(undecided):
            results.give_up(terminal, told, f"{each.name} could not be decided: {each.reason}")
        return GITHUB
    filed = results.file_all(settings, decisions, terminal)
    return exit_code(settings, told["state"]) if besides and filed else GITHUB


def exit_code(settings: Settings, state: str) -> int:
    """The exit code of a step whose pull requests were all decided."""
    return NOT_PASSED if state in FAILING[settings.fail_on] else PASSED


def _is_chatter(settings: Settings) -> bool:
    """True if the event is a comment that no rule needs. Only the policy is read to know."""
    if settings.pull_request is not None or settings.command is Command.CONTEXT:
        return False
    said = remark(settings.event, _payload(settings.event_path))
    if said is None:
        return False
    from phasegate.gate import reading_plan  # noqa: PLC0415  (rarely needed)

    plan = reading_plan(policy_alone(make_client(settings.api), settings.repository, settings.policy_path))
    return plan.is_chatter(said.texts, said.author, said.app_id)


def _is_unchanged(settings: Settings, heads: Heads, terminal: Terminal, told: dict[str, str]) -> bool:
    """True if the event is a comment that changed nothing (and no re-run). Then reports the current decision."""
    if settings.event != "issue_comment" or settings.pull_request is not None or settings.again:
        return False
    from phasegate.cli import still  # noqa: PLC0415  (needed for comments alone)

    found = still.unchanged(settings, _payload(settings.event_path), heads)
    for line in still.lines(found):
        terminal.say(line)
    if found:
        append(settings.summary_path, still.summary(found))
        told |= NOTHING | still.outputs(found)
    return bool(found)


def _queued(settings: Settings) -> MergeGroup | None:
    """The event's merge group. If it names no pull request it gets an error, so that no queue waits for it."""
    if settings.event != MERGE_GROUP:
        return None
    payload, asked = _payload(settings.event_path), settings.pull_request
    try:
        number, group = queued(payload)
    except NoPullRequestError as error:
        wrong = error
    else:
        if asked in (None, number):
            return group
        wrong = NoPullRequestError(f"the merge group is of #{number}, and the input pull-request names #{asked}")
    head = event_head(settings.event, payload)
    if head is not None and not settings.dry_run:
        from phasegate.cli.live import refuse  # noqa: PLC0415  (rarely needed)

        branch = payload["merge_group"].get("base_ref")
        base = str(branch).removeprefix("refs/heads/") if settings.base_in_context and branch else None
        refuse(make_client(settings.api), settings, head, context_name(base=base), str(wrong))
    raise wrong


def _side_by_side(settings: Settings, heads: Heads, group: MergeGroup | None = None) -> list[Decision | Undecided]:
    """Decides several at a time, in order, so that a slow one does not starve the others."""
    if len(heads) == 1:
        return [_decide(settings, number, head, group) for number, head in heads.items()]
    with ThreadPoolExecutor(max_workers=SIDE_BY_SIDE) as pool:
        return list(pool.map(partial(_decide, settings), heads, heads.values()))


def _leave_context(settings: Settings, number: int, terminal: Terminal, told: dict[str, str]) -> int:
    """Writes the context pack of a pull request; its path is an output."""
    from phasegate.cli.context import pack_text  # noqa: PLC0415  (rarely needed)

    text = pack_text(settings.api, target_of(settings, number))
    path = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp)) / f"context-{number}.txt"
    path.write_text(text, encoding="utf-8")
    terminal.say(f"{plain(str(path), 500)}: {len(text.encode())} bytes")
    told["context"] = str(path)
    return PASSED


def _heads(settings: Settings) -> Heads:
    """The pull requests to decide, each with its head if known."""
    if settings.pull_request is not None and settings.event != MERGE_GROUP:
        return {settings.pull_request: None}
    return concerned(make_client(settings.api), settings.repository, settings.event, _payload(settings.event_path))


def _payload(path: str) -> Mapping[str, Any]:
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise NoPullRequestError("the event's payload cannot be read; pass the input pull-request") from None
    return payload if isinstance(payload, dict) else {}


def _decide(settings: Settings, number: int, head: str | None, group: MergeGroup | None = None) -> Decision | Undecided:
    """Decides one pull request in a time of its own. A failure does not hold up the others."""
    target = replace(target_of(settings, number, watched(settings)), group=group)
    try:
        client = make_client(settings.api)
        trip = set_out(client, target)
        from phasegate.cli.live import decide, decide_and_publish  # noqa: PLC0415  (loaded while GitHub is asked)

        if settings.dry_run:
            return decide(client, target, trip)
        return decide_and_publish(client, target, settings.run_url, trip, head)
    except GitHubError as error:
        return Undecided(name=f"{settings.repository}#{number}", reason=str(error))


def target_of(settings: Settings, number: int, workflow: str | None = None) -> Target:
    """A pull request of the repository, to be read with these settings."""
    return Target(
        repository=settings.repository,
        number=number,
        policy_path=settings.policy_path,
        base_in_context=settings.base_in_context,
        workflow=workflow,
        retention_days=settings.retention_days,
    )


def watched(settings: Settings) -> str | None:
    """The workflow file whose runs show a missed event. The run that reports a push cannot miss it itself."""
    reporting = WORKFLOW_RUN if settings.base_in_context else PULL_REQUEST_TARGET
    return None if settings.event == reporting else settings.workflow


def write_outputs(path: Path, values: Mapping[str, str]) -> None:
    """Appends outputs with a delimiter that no text can guess."""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for name, value in values.items():
            delimiter = f"phase_gate_{uuid4().hex}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def append(path: str | None, text: str) -> None:
    """Adds to the step's summary, if there is one."""
    if path:
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"{text}\n")
