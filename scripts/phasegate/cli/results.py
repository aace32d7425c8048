"""The results of a step: log, summary, outputs and files, and everything written besides the statuses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from phasegate.cli.action import append, exit_code
from phasegate.cli.live import Decision, annotate, comment_on, file_counted, unreported_line
from phasegate.cli.sweep import sweep, table
from phasegate.cli.terminal import GITHUB, Terminal
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import ANNOTATING_SECONDS, Client, make_client
from phasegate.github.event import PULL_REQUEST_EVENTS
from phasegate.model.problem import Severity
from phasegate.model.report import State
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import BranchRules
from phasegate.report.annotations import annotation_lines
from phasegate.report.data import report_text, tasks_data
from phasegate.report.inert import plain, prose, safe_json
from phasegate.report.status import status_lines
from phasegate.report.summary.page import summary
from phasegate.report.tasks import next_action
from phasegate.report.wording import SEVERITY_MARK, STATE_MARK
from phasegate.rules.phases import WORST_FIRST
from phasegate.settings import Annotations, Settings

SUMMARY_BYTES = 900_000
TIMELINE_SECONDS = 10  # a job should not wait long for its timeline
PHASES = ("plan", "build", "qa")


def give_up(terminal: Terminal, told: dict[str, str], reason: str) -> None:
    """Says in the log, the summary and the outputs why nothing was decided."""
    terminal.complain(reason)
    told["next-action"] = plain(reason, 500)
    text = f"## {STATE_MARK[State.ERROR]} Phase Gate: nothing was decided\n\n{prose(reason)}\n"
    append(terminal.environ.get("GITHUB_STEP_SUMMARY"), text)


def tell(settings: Settings, decisions: Sequence[Decision], terminal: Terminal, told: dict[str, str]) -> None:
    """Writes log, files and summary of the decisions. The outputs are those of the worst one."""
    folder = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp))
    worst = min(decisions, key=lambda decision: WORST_FIRST.index(decision.report.state), default=None)
    for decision in decisions:
        report = decision.report
        _log(decision, settings, terminal)
        files = _leave(folder, decision, settings, terminal)
        if decision is worst:
            told |= _outputs(decision) | files
        name = f"# {settings.repository}#{report.pull_request}\n\n" if len(decisions) > 1 else ""
        note = "dry run: nothing was written" if decision.written is None else ""
        page = summary(report, SUMMARY_BYTES // len(decisions), note, settings.help_url)
        append(settings.summary_path, name + page)
        if "timeline" in files and settings.run_url is not None:
            kept = f"[Timeline and snapshot]({settings.run_url}#artifacts), if the run keeps them"
            append(settings.summary_path, kept)


def _log(decision: Decision, settings: Settings, terminal: Terminal) -> None:
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
        for line in annotation_lines(report, decision.snapshot):
            terminal.say(line)


def required_line(rules: BranchRules | None, name: str, context: str = OVERALL) -> str:
    """Whether the status gates, by the rules that were read anyway; doctor tells the rest."""
    if rules is None or not rules.readable:
        return f"whether the branch requires {context} was not read: phase-gate doctor --repo {name} tells"
    if any(each.context.lower() == context.lower() for each in rules.required):
        return f"the branch requires {context}"
    return f"the branch does NOT require {context}: this keeps nothing out (phase-gate doctor --repo {name})"


def _leave(folder: Path, decision: Decision, settings: Settings, terminal: Terminal) -> dict[str, str]:
    """Writes the report, and the snapshot if asked for, as files; their paths are outputs."""
    report, number = decision.report, decision.report.pull_request
    texts = {f"report-{number}.json": report_text(report)}
    if settings.save_snapshot:
        from phasegate.cli import files, replay  # noqa: PLC0415  (most runs leave neither)

        line = replay.timeline_text(decision.snapshot, report, terminal, TIMELINE_SECONDS)
        texts[f"snapshot-{number}.json"] = files.snapshot_text(decision.snapshot)
        texts[f"timeline-{number}.html"] = line
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name.partition("-")[0]: str(folder / name) for name in texts}


def _outputs(decision: Decision) -> dict[str, str]:
    report = decision.report
    phases = {phase.name: phase.state.value for phase in report.phases}
    return {
        "state": report.state.value,
        "next-action": plain(next_action(report), 500),
        "next": safe_json(tasks_data(report), indent=None),
        **{name: phases.get(name, "") for name in PHASES},
    }


def write_besides(settings: Settings, decisions: Sequence[Decision], terminal: Terminal) -> bool:
    """Publishes check runs and comments where wanted. True if all succeeded."""
    check_run = partial(annotate, run_url=settings.run_url)
    well = True
    for decision in decisions:  # the check run stands on the head, which may be better off than the queue
        if settings.annotations is Annotations.CHECK_RUN and decision.report.queued is None:
            well &= _beside(settings, decision, terminal, "annotations", check_run)
    for decision in decisions if settings.comment else ():
        well &= _beside(settings, decision, terminal, "comment", comment_on)
    return well


def _beside(
    settings: Settings, decision: Decision, terminal: Terminal, name: str, write: Callable[[Client, Decision], str]
) -> bool:
    """Writes something besides the statuses, which stay whatever happens here. True if it succeeded."""
    if decision.written is None:
        return True
    try:
        told = write(make_client(settings.api).with_time(ANNOTATING_SECONDS), decision)
    except GitHubError as error:
        reason = f"{decision.report.repository}#{decision.report.pull_request}: {error}"
        terminal.complain(reason)
        append(settings.summary_path, f"{SEVERITY_MARK[Severity.ERROR]} {prose(reason, 1000)}\n")
        return False
    terminal.say(f"  {name}: {told}")
    return True


def file_all(settings: Settings, decisions: Sequence[Decision], terminal: Terminal) -> bool:
    """Files the proposals that count, where wanted. True if all succeeded."""
    well = True
    for decision in decisions if settings.create_issues and not settings.dry_run else ():
        well &= file_counted(make_client(settings.api), decision.report, terminal)
    return well


def sweep_all(settings: Settings, terminal: Terminal, told: dict[str, str], workflow: str | None) -> int:
    """Decides the open pull requests that changed. The outputs are those of the worst one."""
    found = sweep(settings, terminal, workflow)
    append(settings.summary_path, table(found))
    told |= dict.fromkeys(told, "")
    folder = Path(tempfile.mkdtemp(prefix="phase-gate-", dir=settings.temp))
    for decision in sorted(found.decisions, key=lambda each: -WORST_FIRST.index(each.report.state)):
        told |= _outputs(decision) | _leave(folder, decision, settings, terminal)
    besides = write_besides(settings, found.decisions, terminal)
    filed = file_all(settings, found.decisions, terminal)
    terminal.say(
        f"{len(found.decisions)} decided, {len(found.undecided)} could not be, {found.left} left to the next sweep"
    )
    if found.undecided:
        told |= dict.fromkeys(("state", *PHASES), State.ERROR.value)
        number, reason = found.undecided[0]
        terminal.complain(f"{settings.repository}#{number} could not be decided: {reason}")
        told["next-action"] = f"Look at #{number}, which could not be decided"
    if found.bugs:
        raise found.bugs[0]
    return exit_code(settings, told["state"]) if besides and filed and not found.undecided else GITHUB
