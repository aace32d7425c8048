"""Expectations: what the gate says about a story, in some 25 lines for a reviewer to read.

A story and its report go in, plain text comes out. But for the status lines it is taken from the report's data, and a
digest of the whole report stands for what is left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any

from phasegate.cli.files import parse_snapshot
from phasegate.gate import judge
from phasegate.model.report import Report
from phasegate.model.snapshot import Snapshot
from phasegate.report.data import report_data, report_text
from phasegate.report.status import status_lines
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import next_action
from tests.casebook.attacks.attack import Attack
from tests.casebook.story import Story

Data = dict[str, Any]
Row = tuple[str, ...]
COUNTED, MET, FAIL = "counted", "met", "FAIL"
REPOSITORY = re.compile(r"https://github\.com/[^/]+/[^/]+/")
COMMENT = re.compile(r".*#(?:issue|pullrequest)(comment|review)-")


def expectation(story: Story, report: Report) -> str:
    """The text that is kept of a story."""
    data: Data = report_data(report)
    lines = [
        *_about(story),
        "",
        *_steps(story),
        *_columns(_statuses(report)),
        f"next: {_line(data['next_action'])}",
        *([f"route: {_line(data['route']['reason'])}"] if data["route"] else []),
        *_section("needs", _needs(data)),
        *_section("rounds", _rounds(data)),
        *_section("votes", _votes(data)),
        *_section("acts", _acts(data)),
        *_section("problems", _problems(data)),
        f"report: {digest(report)}",
    ]
    return "".join(f"{line}\n" for line in lines)


def digest(report: Report) -> str:
    """The digest of the whole report as machines get it."""
    return "sha256:" + hashlib.sha256(report_text(report).encode()).hexdigest()


def _about(story: Story) -> Iterator[str]:
    yield _line(story.says)
    if isinstance(story, Attack):
        yield f"Stopped by {story.defence}."


def _steps(story: Story) -> Iterator[str]:
    """What a person reads at each step of a story that is told in steps: every status, and the next action."""
    for what, text in story.world().looks:
        snapshot = parse_snapshot(text, "snapshot.json")
        assert isinstance(snapshot, Snapshot), snapshot
        report = judge(snapshot)
        yield f"step: {_line(what)}"
        yield from (f"  {line}" for line in _columns(_statuses(report)))
        yield f"  headline: {_line(overview(report).headline)}"
        yield f"  next: {_line(next_action(report))}"


def _statuses(report: Report) -> Iterator[Row]:
    for line in status_lines(report):
        yield line.state.value, line.context, line.description


def _needs(data: Data) -> Iterator[Row]:
    """What each phase needs. A vote that simply meets a need is told here, by its author, and nowhere else."""
    for phase, need in _each_need(data):
        signal, vote = need["signal"] or "", _meeting(need, data)
        known = ["" if f"/{need['name']}" in signal else signal, f"by {_author(vote)}" if vote else ""]
        source = " ".join(filter(None, known))
        yield phase, need["state"], need["kind"], need["name"], f"{need['text']} ({source})" if source else need["text"]


def _each_need(data: Data) -> Iterator[tuple[str, Data]]:
    for phase, told in data["phases"].items():
        for need in told["needs"]:
            yield phase, need


def _meeting(need: Data, data: Data) -> Data | None:
    """The vote that meets a need, where it counts for what it says; one signal may be the vote of several roles."""
    if need["state"] != MET:
        return None
    votes = [vote for vote in data["signals"] if vote["id"] == need["signal"] and _is_plain(vote)]
    return next((vote for vote in votes if len(votes) == 1 or vote["role"] == need["name"]), None)


def _is_plain(vote: Data) -> bool:
    return bool(vote["disposition"] == COUNTED and vote["said"] == vote["outcome"] != FAIL)


def _rounds(data: Data) -> Iterator[Row]:
    """What was said in each round, where a phase had more than one."""
    for phase, told in data["phases"].items():
        rounds = told["rounds"] if len(told["rounds"]) > 1 else []
        for number, item in enumerate(rounds, 1):
            said = (f"{word['role']} {word['outcome']}" for word in item["votes"])
            yield phase, str(number), item["label"], ", ".join(said)


def _votes(data: Data) -> Iterator[Row]:
    """What was done with every signal that does not simply meet a need."""
    told = [_meeting(need, data) for _, need in _each_need(data)]
    for vote in data["signals"]:
        if not any(vote is other for other in told):
            role = vote["role"] or "?"
            named = "" if f"/{role}" in vote["id"] else role
            yield vote["id"], named, _said(vote), _author(vote), vote["disposition"], vote["reason"]


def _said(vote: Data) -> str:
    """What a signal says, and what it is taken for where that is something else."""
    said, outcome = vote["said"] or vote["kind"], vote["outcome"]
    return said if outcome in (None, vote["said"]) else f"{said}, taken for {outcome}"


def _acts(data: Data) -> Iterator[Row]:
    for act in data["acts"]:
        told = "counts" if act["counts"] else f"refused: {act['refusal']}"
        yield f"{act['verb'] or '?'} {act['phase'] or ''}".rstrip(), _author(act), told


def _problems(data: Data) -> Iterator[Row]:
    for problem in data["problems"]:
        yield problem["code"], problem["severity"], _where(problem["where"]), problem["message"]


def _author(item: Data) -> str:
    return item["author"]["login"] if item["author"] else "?"


def _where(where: Data) -> str:
    """A place, without what every place begins with."""
    place = where["path"] or COMMENT.sub(r"\1-", REPOSITORY.sub("", where["url"] or "?"))
    return place if where["line"] is None else f"{place}:{where['line']}:{where['column']}"


def _section(title: str, rows: Iterable[Row]) -> list[str]:
    """Rows under their title; nothing where there are none."""
    lines = [f"  {line}" for line in _columns(rows)]
    return [title, *lines] if lines else []


def _columns(rows: Iterable[Row]) -> list[str]:
    """Rows with their cells one below the other, without the columns that are empty."""
    columns = [column for column in zip(*(map(_line, row) for row in rows), strict=True) if any(column)]
    widths = [max(map(len, column)) for column in columns]
    rows = zip(*columns, strict=True)
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _line(text: str) -> str:
    """A text on one line, with what nobody could see in it made visible."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
