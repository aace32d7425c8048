"""The problems of the report, grouped by the comment or file they are in, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.decision import Report
from phasegate.model.problem import Problem, Severity, Where
from phasegate.report.inert import code, prose
from phasegate.report.links import Links
from phasegate.report.section import Section
from phasegate.report.words import SEVERITY_MARK, role_title

GRAVEST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.NOTICE)

Document = tuple[str, str]


def problems(report: Report, links: Links) -> Section:
    """What is wrong where, and how to mend it."""
    groups: dict[Document, list[Problem]] = {}
    for item in sorted(report.problems, key=_gravity):
        groups.setdefault(_document(item.where), []).append(item)
    speakers = _speakers(report)
    items = [line for key, group in groups.items() for line in _group(key, group, speakers, links)]
    return Section(opening="### Problems\n", items=tuple(items), things="problems")


def _gravity(item: Problem) -> int:
    return GRAVEST_FIRST.index(item.severity)


def _document(where: Where) -> Document:
    return (where.path or "", where.url or "")


def _speakers(report: Report) -> dict[str, str]:
    """Who wrote the comment at an address, as Markdown."""
    speakers: dict[str, str] = {}
    for source, role in (
        *((item.word.signal.source, item.word.role) for item in report.signals),
        *((act.command.source, None) for act in report.acts),
    ):
        if source.author is not None:
            title = f", {prose(role_title(role))}" if role else ""
            speakers.setdefault(source.url, f" by {code(source.author.login)}{title}")
    return speakers


def _group(document: Document, group: list[Problem], speakers: dict[str, str], links: Links) -> Iterator[str]:
    """The problems of one document; its heading goes with the first of them."""
    path, url = document
    name = code(path) if path else _address(url, links)
    heading = f"\n**{links.to(url, name)}**{speakers.get(url, '')}\n\n"
    for item in group:
        yield heading + _line(item)
        heading = ""


def _address(url: str, links: Links) -> str:
    """An address without the part that all share."""
    shared = f"{links.base}/"
    return code(url[len(shared) :] if links.holds(url) else url) if url else "Elsewhere"


def _line(item: Problem) -> str:
    mark = f"{SEVERITY_MARK[item.severity]} {item.severity.value} {code(item.code)}"
    hint = f"<br>Fix: {prose(item.hint)}" if item.hint else ""
    return f"- {mark}{_place(item.where)}: {prose(item.message)}{hint}\n"


def _place(where: Where) -> str:
    spot = "" if where.line is None else f" at {where.line}:{where.column or 1}"
    inside = f" in {code(where.json_path)}" if where.json_path else ""
    return spot + inside
