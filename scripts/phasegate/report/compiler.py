"""Problems as compilers show them: with the line and a caret for people, as workflow commands, and as SARIF.

Problems and the texts that they are in come in, text or data goes out. Foreign text is made harmless here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from phasegate.catalogue import entry
from phasegate.model.problem import Problem, Severity
from phasegate.report.inert import plain

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "note"}
COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTICE: "notice"}
WIDEST, LEFT = 100, 40
SHORT_HINT = 60
# What stands at a place: a string, a word, or else one character.
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_.+-]+|\S')


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems as a reader meets them: document by document, from top to bottom."""
    told = list(problems)
    documents = list(dict.fromkeys(item.where.path for item in told))
    return sorted(
        told, key=lambda item: (documents.index(item.where.path), item.where.line or 0, item.where.column or 0)
    )


def excerpts(problems: Sequence[Problem], texts: Mapping[str, str]) -> Iterator[tuple[Severity, str]]:
    """Each problem as a paragraph, with the line it is about where the text is known."""
    for item in problems:
        yield item.severity, "\n".join(_paragraph(item, texts.get(item.where.path or "")))


def _paragraph(item: Problem, text: str | None) -> Iterator[str]:
    yield f"{item.severity.value}[{item.code}]: {plain(item.message, 1000)}"
    yield f"  --> {plain(str(item.where), 500)}"
    lines = [] if text is None else text.split("\n")
    number, column = item.where.line, item.where.column
    hint = plain(item.hint, 1000)
    if number is None or column is None or not 0 < number <= len(lines):
        yield f"   = fix: {hint}"
        return
    shown, at, length = _windowed(lines[number - 1], column - 1)
    gutter = " " * len(str(number))
    beside = hint if len(hint) <= SHORT_HINT else ""
    yield f" {gutter} |"
    yield f" {number} | {shown}"
    yield f" {gutter} | {' ' * at}{'^' * length}{f' {beside}' if beside else ''}"
    if not beside:
        yield f" {gutter} = fix: {hint}"


def _windowed(line: str, column: int) -> tuple[str, int, int]:
    """The part of a line around a column, where in it the column is, and how long what stands there is."""
    token = _TOKEN.match(line, min(column, len(line)))
    length = len(token[0]) if token else 1
    begin = max(0, column - LEFT) if len(line) > WIDEST else 0
    before, after = _flat(line[begin:column]), _flat(line[column : begin + WIDEST])
    left, right = "…" if begin else "", "…" if begin + WIDEST < len(line) else ""
    return f"{left}{before}{after}{right}", len(left) + len(before), max(1, min(length, max(len(after), 1)))


def _flat(text: str) -> str:
    """A piece of a line, character by character: what is not plain text is shown as a dot, so that carets fit."""
    shown = "".join(char if char.isprintable() and char <= "\uffff" else "·" for char in text)
    return shown.replace("::", ":·").replace("##[", "#·[")


def commands(problems: Iterable[Problem]) -> Iterator[str]:
    """Each problem as a workflow command, which GitHub shows on the line."""
    for item in problems:
        places = {"file": item.where.path, "line": item.where.line, "col": item.where.column, "title": item.code}
        told = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in places.items() if value is not None)
        yield f"::{COMMANDS[item.severity]} {told}::{_escaped(f'{item.message}. {item.hint}')}"


def _escaped(text: str, more: str = "") -> str:
    shown = plain(text, 1000).replace("%", "%25")
    for sign in more:
        shown = shown.replace(sign, f"%{ord(sign):02X}")
    return shown


def sarif(problems: Sequence[Problem], version: str) -> dict[str, Any]:
    """All problems as SARIF 2.1.0."""
    codes = sorted({item.code for item in problems})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Phase Gate",
                        "semanticVersion": version,
                        "rules": [_rule(code) for code in codes],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(item, codes) for item in problems],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    listed = entry(code)
    return {
        "id": code,
        "shortDescription": {"text": listed.title},
        "fullDescription": {"text": listed.why},
        "help": {"text": listed.fix},
        "defaultConfiguration": {"level": LEVELS[listed.severity]},
    }


def _result(item: Problem, codes: Sequence[str]) -> dict[str, Any]:
    where = item.where
    region = {"startLine": where.line, "startColumn": where.column}
    place = {"artifactLocation": {"uri": _address(where.path or where.url or "input")}}
    told = {key: value for key, value in region.items() if value}
    return {
        "ruleId": item.code,
        "ruleIndex": codes.index(item.code),
        "level": LEVELS[item.severity],
        "message": {"text": f"{plain(item.message, 1000)}. Fix: {plain(item.hint, 1000)}"},
        "locations": [{"physicalLocation": {**place, **({"region": told} if told else {})}}],
    }


def _address(path: str) -> str:
    """A path as a relative address."""
    return re.sub(r"[^A-Za-z0-9._~/:-]", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), path)
