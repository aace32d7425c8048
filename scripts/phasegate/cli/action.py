"""Run as a step of a workflow: find the pull requests of the event, decide, publish, and tell the step's outputs."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from phasegate.cli.exits import GITHUB, NOT_PASSED, PASSED, USAGE
from phasegate.cli.live import Decision, decide, decide_and_publish, make_client, say_undecided, snapshot_text
from phasegate.cli.terminal import Terminal
from phasegate.github.answers import GitHubError
from phasegate.github.client import Client
from phasegate.github.event import NoPullRequestError, concerned
from phasegate.github.opening import Target
from phasegate.model.decision import State
from phasegate.report.annotations import annotation_lines
from phasegate.report.data import report_text
from phasegate.report.inert import plain
from phasegate.report.next_action import next_action
from phasegate.report.status import status_lines
from phasegate.report.summary import summary
from phasegate.rules.phases import WORST_FIRST
from phasegate.settings import FailOn, Settings, SettingsError, settings_from_environ

SUMMARY_BYTES = 900_000
OUTPUTS = ("state", "plan", "build", "qa", "next-action", "report", "snapshot")
FAILING = {
    FailOn.NEVER: (),
    FailOn.FAILURE: (State.FAILURE, State.ERROR),
    FailOn.PENDING: (State.FAILURE, State.ERROR, State.PENDING),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Everything comes from the environment that action.yml sets."""
    del parser


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the step; whatever happens, every output is written."""
    del options
    output = terminal.environ.get("GITHUB_OUTPUT")
    told: dict[str, str] = dict.fromkeys(OUTPUTS, "")
    try:
        settings = settings_from_environ(terminal.environ)
        return _run(settings, terminal, told)
    except (SettingsError, NoPullRequestError) as error:
        terminal.complain(str(error))
        told["state"] = State.ERROR.value
        return USAGE
    except GitHubError as error:
        terminal.complain(str(error))
        told["state"] = State.ERROR.value
        return GITHUB
    finally:
        if output:
            write_outputs(Path(output), told)


def _run(settings: Settings, terminal: Terminal, told: dict[str, str]) -> int:
    client = make_client(settings.api)
    numbers = _numbers(client, settings)
    if not numbers:
        terminal.say("No open pull request closes this issue; there is nothing to decide.")
        return PASSED
    decisions = [_decide(client, settings, number) for number in numbers]
    folder = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp))
    worst = min(decisions, key=lambda decision: WORST_FIRST.index(decision.report.state))
    for decision in decisions:
        _tell_log(decision, terminal)
        files = _leave(folder, decision, settings)
        if decision is worst:
            told |= _outputs(decision) | files
    _write_summary(settings, decisions)
    return NOT_PASSED if worst.report.state in FAILING[settings.fail_on] else PASSED


def _numbers(client: Client, settings: Settings) -> tuple[int, ...]:
    if settings.pull_request is not None:
        return (settings.pull_request,)
    return concerned(client, settings.repository, settings.event, _payload(settings.event_path))


def _payload(path: str) -> Mapping[str, Any]:
    """The event's payload, which the runner wrote."""
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise NoPullRequestError("the event's payload cannot be read; pass the input pull-request") from None
    return payload if isinstance(payload, dict) else {}


def _decide(client: Client, settings: Settings, number: int) -> Decision:
    target = Target(repository=settings.repository, number=number, policy_path=settings.policy_path)
    if settings.dry_run:
        return decide(client, target)
    try:
        return decide_and_publish(client, target, settings.run_url)
    except GitHubError as error:
        say_undecided(client, target, str(error), settings.run_url)
        raise


def _tell_log(decision: Decision, terminal: Terminal) -> None:
    report = decision.report
    terminal.say(f"{report.repository}#{report.pull_request} at {report.head}")
    terminal.statuses(status_lines(report))
    terminal.say(f"  next: {plain(next_action(report), 500)}")
    wrote = "nothing was written (dry-run)" if decision.written is None else f"{decision.written} statuses written"
    terminal.say(f"  {wrote}")
    for line in annotation_lines(report, decision.snapshot):
        terminal.say(line)


def _leave(folder: Path, decision: Decision, settings: Settings) -> dict[str, str]:
    """Leave the report, and the snapshot if asked for, as files; their paths are outputs."""
    report = folder / f"report-{decision.report.pull_request}.json"
    report.write_text(report_text(decision.report), encoding="utf-8")
    if not settings.save_snapshot:
        return {"report": str(report)}
    snapshot = folder / f"snapshot-{decision.report.pull_request}.json"
    snapshot.write_text(snapshot_text(decision.snapshot), encoding="utf-8")
    return {"report": str(report), "snapshot": str(snapshot)}


def _outputs(decision: Decision) -> dict[str, str]:
    report = decision.report
    phases = {phase.name: phase.state.value for phase in report.phases}
    return {
        "state": report.state.value,
        "next-action": plain(next_action(report), 500),
        **{name: phases.get(name, "") for name in ("plan", "build", "qa")},
    }


def write_outputs(path: Path, values: Mapping[str, str]) -> None:
    """Append outputs with a delimiter that no text can guess."""
    with path.open("a", encoding="utf-8", newline="\n") as file:
        for name, value in values.items():
            delimiter = f"phase_gate_{uuid4().hex}"
            file.write(f"{name}<<{delimiter}\n{value}\n{delimiter}\n")


def _write_summary(settings: Settings, decisions: list[Decision]) -> None:
    if settings.summary_path is None:
        return
    share = SUMMARY_BYTES // len(decisions)
    text = "\n".join(summary(decision.report, share) for decision in decisions)
    with Path(settings.summary_path).open("a", encoding="utf-8", newline="\n") as file:
        file.write(text + "\n")
