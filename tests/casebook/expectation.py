"""Expectations: what the gate says about a story, in some five to ten lines for a reviewer to read.

A story and its report go in, plain text comes out: the phases that are no success, the next action, why each open need
is open, and the codes. What follows from a line above is not said again: the overall status where it is that of the
first of the worst phases, that a phase waits for the one before it, and what every green pull request reads.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeVar

from phasegate.cli.files import parse_snapshot
from phasegate.gate import judge
from phasegate.model.report import NeedKind, NeedState, PhaseReport, Report, State, StatusLine
from phasegate.model.snapshot import Snapshot
from phasegate.report.inert import plain
from phasegate.report.status import LIMIT, status_lines
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import next_action
from phasegate.report.wording import phase_title, short
from tests.casebook.attacks.attack import Attack
from tests.casebook.story import Story

Row = tuple[str, ...]
T = TypeVar("T")
WIDTH = 120
CONTEXT = "phase-gate"


def expectation(story: Story, report: Report) -> str:
    """The text that is kept of a story; its first line is the story's point."""
    lines = [_about(story), *_steps(story), *_told(report), *_reasons(report), *_codes(report)]
    return "".join(f"{line}\n" for line in lines)


def laid_out(value: object, indent: str = "") -> str:
    """JSON for people: as many members stand on a line as fit, and an object in a list begins its own."""
    text = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(text) <= WIDTH or not isinstance(value, dict | list | tuple):
        return text
    inner = f"{indent} "
    if isinstance(value, dict):
        members = [f"{json.dumps(key)}: {laid_out(member, inner)}" for key, member in value.items()]
    else:
        members = [laid_out(member, inner) for member in value]
    lines = members[:1]
    for member in members[1:]:
        lone = not isinstance(value, dict) or "\n" in f"{lines[-1]}{member}"
        if lone or len(inner) + len(lines[-1]) + len(member) > WIDTH:
            lines.append(member)
        else:
            lines[-1] += f", {member}"
    start, end = "{}" if isinstance(value, dict) else "[]"
    between = f",\n{inner}"
    return f"{start}{between.join(lines)}{end}"


def _about(story: Story) -> str:
    says = _line(story.says)
    return f"{says} Stopped by {story.defence}." if isinstance(story, Attack) else says


def _steps(story: Story) -> Iterator[str]:
    """What a person reads at each step of a story that is told in steps: the overall status, headline, next action."""
    for what, text in story.world().looks:
        snapshot = parse_snapshot(text, "snapshot.json")
        assert isinstance(snapshot, Snapshot), snapshot
        report = judge(snapshot)
        overall = status_lines(report)[-1]
        yield f"step: {_line(what)}"
        yield f"  {overall.state.value}  {_line(overall.description)}"
        yield f"  headline: {_line(overview(report).headline)}"
        yield f"  next: {_line(next_action(report))}"


def _told(report: Report) -> Iterator[str]:
    """The phases that are no success, the overall status unless it follows from them, and the next action."""
    *phases, overall = status_lines(report)
    told = [line for line in phases if line.state is not State.SUCCESS]
    if report.state is State.SUCCESS:
        follows = overall.description == f"Plan, Build and QA passed on {short(report.head)}"
    else:
        worst = next((line for line in told if line.state is report.state), None)
        follows = worst is not None and overall.description == _as_overall(worst)
    if not follows or overall.context != CONTEXT:
        told.append(overall)
    yield from _columns((state, of, text) for (state, text), of in _alike(_row(line) for line in told))
    if report.state is not State.SUCCESS:
        yield f"next: {_line(next_action(report))}"


def _row(line: StatusLine) -> tuple[str, tuple[str, str]]:
    return line.context.removeprefix(f"{CONTEXT}/"), (line.state.value, line.description)


def _alike(rows: Iterable[tuple[str, T]]) -> Iterator[tuple[T, str]]:
    """What is told, and of which all."""
    told: dict[T, list[str]] = {}
    for name, text in rows:
        told.setdefault(text, []).append(name)
    yield from ((text, ", ".join(names)) for text, names in told.items())


def _as_overall(line: StatusLine) -> str:
    """What the overall line says where this phase decides."""
    title = phase_title(line.context.rpartition("/")[2])
    return plain(f"{title}: {line.description}", LIMIT)


def _reasons(report: Report) -> Iterator[str]:
    """Why each need is open, and what a phase says of itself beyond its needs."""
    reasons = (
        (phase.name, ", ".join([*_open_needs(phase), *(x.kind.value for x in phase.notes)])) for phase in report.phases
    )
    yield from (f"{of}: {told}" for told, of in _alike(reasons) if told)
    if report.withheld is not None:
        yield f"withheld: {report.withheld.value}"


def _open_needs(phase: PhaseReport) -> Iterator[str]:
    for need in phase.needs:
        if need.state is not NeedState.MET and need.kind is not NeedKind.EARLIER_PHASE:
            yield f"{need.name or need.kind.value} {need.why.value}"


def _codes(report: Report) -> Iterator[str]:
    counted = Counter(f"{problem.code} {problem.severity.value}" for problem in report.problems)
    if counted:
        yield "problems: " + ", ".join(f"{code} x{n}" if n > 1 else code for code, n in sorted(counted.items()))


def _columns(rows: Iterable[Row]) -> list[str]:
    """Rows with their cells one below the other."""
    columns = list(zip(*(map(_line, row) for row in rows), strict=True))
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _line(text: str) -> str:
    """A text on one line, with what nobody could see in it made visible."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
