"""The report as data, for ``--json`` and the report file. The same report gives the same bytes."""

from __future__ import annotations

from phasegate.model.codec import compact, to_data
from phasegate.model.problem import Problem
from phasegate.model.report import IssueRoute, Need, PhaseReport, Report, Route, SignalReport, Task
from phasegate.model.signal import Act, Finding, Kind
from phasegate.model.texts import Actor
from phasegate.report.inert import safe_json
from phasegate.report.status import describe, describe_phase, stanza, withheld_text
from phasegate.report.tasks import need_todo, next_action, task_text
from phasegate.report.wording import disposition_text, need_text, phase_note, route_reason, settled_text, source_text

FORMAT = 1
NAMED = {"noun", "kind", "name", "state", "why", "problem", "also", "standing"}  # fields with keys of their own

Data = dict[str, object]


def report_text(report: Report) -> str:
    """The report as the text of a JSON file, safe to print to a log."""
    return safe_json(report_data(report)) + "\n"


def report_data(report: Report) -> Data:
    """The report as JSON data."""
    route, way = report.route, None
    if route is not None:
        issues = [{"number": each.number, "url": each.url, **_way(each)} for each in route.issues]
        way = {**_way(route), "reason": route_reason(route), "issues": issues}
    standing = [{**to_data(told), "text": settled_text(told)} for told in report.findings]
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
        "route": way,
        "phases": {phase.name: _phase(phase, report) for phase in report.phases},
        "signals": [_signal(item, report) for item in report.signals],
        "acts": [_act(act) for act in report.acts],
        **({"findings": standing} if standing else {}),
        **({"left_out": report.left_out} if report.left_out else {}),
        **({"one_account": list(report.one_account)} if report.one_account else {}),
        **({"merge_group": to_data(report.queued)} if report.queued else {}),
        "problems": [problem_data(item) for item in report.problems],
        "provenance": to_data(report.provenance),
    }


def _way(way: Route | IssueRoute) -> Data:
    return {"type": way.type, "source": source_text(way.source), "quick": way.quick, "qa_required": way.qa_required}


def _phase(phase: PhaseReport, report: Report) -> Data:
    return {
        "state": phase.state.value,
        "description": describe_phase(phase, report),
        "context": phase.context,
        "where": phase.where.value,
        "note": phase_note(phase, report),
        "notes": [_without({"problem"}, compact(note)) for note in phase.notes],
        "needs": [_need(need, report) for need in phase.needs],
        "rounds": to_data(phase.rounds),
    }


def _signal(item: SignalReport, report: Report) -> Data:
    vote, signal = item.vote, item.vote.signal
    return {
        "id": item.id,
        "dialect": signal.dialect,
        "kind": signal.kind.value,
        "role": vote.role,
        "phase": item.phase,
        "said": to_data(signal.outcome),
        "outcome": to_data(vote.outcome),
        "author": _author(signal.source.author),
        "at": signal.source.at,
        "url": signal.source.url,
        "issue": signal.source.issue,
        "commit": vote.commit,
        "fresh": vote.fresh,
        "disposition": item.disposition.value,
        "reason": disposition_text(item, report),
        "title": signal.title,
        **({"description": signal.description} if signal.kind is Kind.PROPOSAL else {}),
        "findings": [_finding(finding) for finding in signal.findings],
        "must_fix": None if signal.must_fix is None else list(signal.must_fix),
        "false_positives": list(signal.false_positives),
        "problems": [found.code for found in vote.problems],
        **({"route": to_data(signal.route)} if signal.route else {}),
    }


def _need(need: Need, report: Report) -> Data:
    """A need with its sentences, and those values of its reason that it has."""
    told = _without(NAMED, compact(need))
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


def _without(keys: set[str], data: Data) -> Data:
    return {key: value for key, value in data.items() if key not in keys}


def tasks_data(report: Report) -> list[Data]:
    """The whole list ``next``."""
    return [_task(task, report) for task in report.tasks]


def _task(task: Task, report: Report) -> Data:
    written = {"text": stanza(task.grant)} if task.grant else {}
    return {
        "do": task.do.value,
        "actor": task.actor.value,
        "role": task.role,
        "text": task_text(task, report),
        "phase": task.phase,
        "need": task.need,
        "commit": task.commit,
        "issue": task.issue,
        "findings": [_without({"blocking"}, _finding(finding)) for finding in task.findings],
        "accounts": list(task.accounts),
        "permission": task.permission,
        "produce": to_data(task.product) and {**to_data(task.product), **written},
        "refused": None if not task.reasons else _refused_data(task, report),
        "turns_green": list(task.turns_green),
        "instead": task.instead,
    }


def _refused_data(task: Task, report: Report) -> Data:
    """What is there and does not count: its place, its author, and every reason."""
    urls = {item.id: item.vote.signal.source for item in report.signals}
    urls |= {act.id: act.command.source for act in report.acts}
    source = urls.get(task.refused or "")
    author = None if source is None else source.author
    return {
        "signal": task.refused,
        "url": task.reasons[0].where.url if source is None else source.url,
        "by": None if author is None else author.login,
        "reasons": [_without({"severity", "where", "fix"}, to_data(item)) for item in task.reasons],
    }


def _author(author: Actor | None) -> Data | None:
    return None if author is None else {"login": author.login, "id": author.id}


def _finding(finding: Finding) -> Data:
    return _without({"threaded", "count", "where"}, to_data(finding))


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
    return _without(set() if item.fix else {"fix"}, to_data(item))
