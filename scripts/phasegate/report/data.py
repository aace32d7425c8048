"""The report as data: for ``--json`` and the report file. The same report gives the same bytes."""

from __future__ import annotations

from phasegate.model.codec import compact, to_data
from phasegate.model.problem import Problem
from phasegate.model.report import Need, Note, PhaseReport, Product, Report, Route, SignalReport, Task
from phasegate.model.signal import Act, Finding, Kind, Outcome
from phasegate.model.texts import Actor
from phasegate.report.inert import safe_json
from phasegate.report.status import describe, describe_phase, stanza, withheld_text
from phasegate.report.tasks import need_todo, next_action, task_text
from phasegate.report.wording import (
    disposition_text,
    need_text,
    phase_note,
    route_reason,
    settled_text,
    source_text,
)

FORMAT = 1
NAMED = (
    "noun",
    "kind",
    "name",
    "state",
    "why",
    "problem",
    "also",
    "standing",
)  # members of a need that are told by themselves

Data = dict[str, object]


def report_text(report: Report) -> str:
    """The report as the text of a JSON file, fit to be printed to a log."""
    return safe_json(report_data(report)) + "\n"


def report_data(report: Report) -> Data:
    """The report as JSON data."""
    return {
        "report": FORMAT,
        "repository": report.repository,
        "pull_request": report.pull_request,
        "url": report.url,
        "head": report.head,
        "context": report.context,
        "state": report.state.value,
        "description": describe(report),
        "next_action": next_action(report),
        "next": tasks_data(report),
        "note": withheld_text(report),
        "route": _route(report.route) if report.route else None,
        "phases": {phase.name: _phase(phase, report) for phase in report.phases},
        "signals": [_signal(item, report) for item in report.signals],
        "acts": [_act(act) for act in report.acts],
        **({"findings": _findings(report)} if report.findings else {}),
        **({"left_out": report.left_out} if report.left_out else {}),
        **({"merge_group": to_data(report.queued)} if report.queued else {}),
        "problems": [problem_data(item) for item in report.problems],
        "provenance": to_data(report.provenance),
    }


def _route(route: Route) -> Data:
    return {
        "type": route.type,
        "source": source_text(route.source),
        "quick": route.quick,
        "qa_required": route.qa_required,
        "reason": route_reason(route),
        "issues": [
            {
                "number": issue.number,
                "url": issue.url,
                "type": issue.type,
                "source": source_text(issue.source),
                "quick": issue.quick,
                "qa_required": issue.qa_required,
            }
            for issue in route.issues
        ],
    }


def _phase(phase: PhaseReport, report: Report) -> Data:
    return {
        "state": phase.state.value,
        "description": describe_phase(phase, report),
        "context": phase.context,
        "where": phase.where.value,
        "note": phase_note(phase, report),
        "notes": [_note(note) for note in phase.notes],
        "needs": [_need(need, report) for need in phase.needs],
        "rounds": to_data(phase.rounds),
    }


def _signal(item: SignalReport, report: Report) -> Data:
    vote, signal = item.vote, item.vote.signal
    proposed = {"description": signal.description} if signal.kind is Kind.PROPOSAL else {}
    routed = {"route": to_data(signal.route)} if signal.route else {}
    return {
        "id": item.id,
        "dialect": signal.dialect,
        "kind": signal.kind.value,
        "role": vote.role,
        "phase": item.phase,
        "said": _outcome(signal.outcome),
        "outcome": _outcome(vote.outcome),
        "author": _author(signal.source.author),
        "at": signal.source.at,
        "url": signal.source.url,
        "issue": signal.source.issue,
        "commit": vote.commit,
        "fresh": vote.fresh,
        "disposition": item.disposition.value,
        "reason": disposition_text(item, report),
        "title": signal.title,
        **proposed,
        "findings": [_finding(finding) for finding in signal.findings],
        "must_fix": None if signal.must_fix is None else list(signal.must_fix),
        "false_positives": list(signal.false_positives),
        "problems": [found.code for found in vote.problems],
        **routed,
    }


def _need(need: Need, report: Report) -> Data:
    """A need with its sentences, and of the values beside its reason those that it has."""
    told = {key: value for key, value in compact(need).items() if key not in NAMED}
    if need.causes:
        told["causes"] = [{**compact(cause), "where": to_data(cause.where)} for cause in need.causes]
    return {
        "kind": need.kind.value,
        "name": need.name,
        "state": need.state.value,
        "why": need.why.value,
        "text": need_text(need),
        "todo": need_todo(need, report),
        "signal": None,
        **told,
        "code": None if need.problem is None else need.problem.code,
    }


def _note(note: Note) -> Data:
    told = compact(note)
    return {key: value for key, value in told.items() if key != "problem"}


def tasks_data(report: Report) -> list[Data]:
    """The list ``next``, whole."""
    return [_task(task, report) for task in report.tasks]


def _task(task: Task, report: Report) -> Data:
    return {
        "do": task.do.value,
        "actor": task.actor.value,
        "role": task.role,
        "text": task_text(task, report),
        "phase": task.phase,
        "need": task.need,
        "commit": task.commit,
        "issue": task.issue,
        "findings": [_to_fix(finding) for finding in task.findings],
        "accounts": list(task.accounts),
        "permission": task.permission,
        "produce": None if task.product is None else _produce(task),
        "refused": None if not task.reasons else _refused_data(task, report),
        "turns_green": list(task.turns_green),
        "instead": task.instead,
    }


def _produce(task: Task) -> Data:
    made = task.product or Product(medium="")
    text = made.text if task.grant is None else stanza(task.grant)
    return {
        "medium": made.medium,
        "url": made.url,
        "heading": made.heading,
        "marker": made.marker,
        "path": made.path,
        "schema": made.schema,
        "text": text,
        "names_commit": made.names_commit,
        "request": made.request,
        "reviewer": made.reviewer,
    }


def _refused_data(task: Task, report: Report) -> Data:
    """What is there and does not count: where it stands, whose it is, and every reason."""
    urls = {item.id: item.vote.signal.source for item in report.signals}
    urls |= {act.id: act.command.source for act in report.acts}
    source = urls.get(task.refused or "")
    author = None if source is None else source.author
    return {
        "signal": task.refused,
        "url": task.reasons[0].where.url if source is None else source.url,
        "by": None if author is None else author.login,
        "reasons": [{"code": item.code, "message": item.message, "hint": item.hint} for item in task.reasons],
    }


def _to_fix(finding: Finding) -> Data:
    """A finding of a task, which must be fixed anyway."""
    return {key: value for key, value in _finding(finding).items() if key != "blocking"}


def _outcome(outcome: Outcome | None) -> str | None:
    return None if outcome is None else outcome.value


def _author(author: Actor | None) -> Data | None:
    return None if author is None else {"login": author.login, "id": author.id}


def _finding(finding: Finding) -> Data:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "summary": finding.summary,
        "location": finding.location,
        "root_cause": finding.root_cause,
        "fix_hint": finding.fix_hint,
        "blocking": finding.blocking,
    }


def _findings(report: Report) -> list[Data]:
    """The findings of reviewers that a push does not end."""
    return [{**to_data(told), "text": settled_text(told)} for told in report.findings]


def _act(act: Act) -> Data:
    command = act.command
    return {
        "id": act.id,
        "verb": command.verb,
        "phase": command.phase,
        "reason": command.reason,
        "counts": act.counts,
        "refusal": "" if act.why is None else act.why.message,
        "author": _author(command.source.author),
        "at": command.source.at,
        "url": command.source.url,
        "issue": command.source.issue,
        "problems": [found.code for found in act.problems],
    }


def problem_data(item: Problem) -> Data:
    """A problem as JSON data."""
    return {
        "code": item.code,
        "severity": item.severity.value,
        "message": item.message,
        "where": to_data(item.where),
        "hint": item.hint,
        **({"fix": to_data(item.fix)} if item.fix else {}),
    }
