"""Annotations: workflow commands that mark the very line of a file of the pull request."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.decision import Report
from phasegate.model.problem import Problem, Severity
from phasegate.model.snapshot import Snapshot
from phasegate.report.inert import plain

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "notice"}
MOST = 10  # of each kind; the runner shows no more for a step


def annotation_lines(report: Report, snapshot: Snapshot) -> Iterator[str]:
    """One command for each problem in a file that the pull request changes."""
    changed = {file.path for file in snapshot.files.entries}
    for severity, command in COMMANDS.items():
        found = [item for item in report.problems if item.severity is severity and item.where.path in changed]
        for item in found[:MOST]:
            yield _annotation(command, item)


def _annotation(command: str, item: Problem) -> str:
    places = {"file": item.where.path, "line": item.where.line, "col": item.where.column, "title": item.code}
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items() if value is not None)
    return f"::{command} {properties}::{_data(f'{item.message}. {item.hint}')}"


def _data(text: str) -> str:
    return plain(text, 1000).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
