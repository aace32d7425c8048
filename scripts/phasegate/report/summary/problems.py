"""The problems of the report, grouped by the file or comment they are in: the gravest group first, each top down."""

from __future__ import annotations

from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Report
from phasegate.report.inert import code, prose
from phasegate.report.links import Links
from phasegate.report.summary.sections import Section
from phasegate.report.wording import SEVERITY_MARK, role_title

GRAVEST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.NOTICE)

Document = tuple[str, str]  # the path of a file, or else the address of a comment


def problems(report: Report, links: Links) -> Section:
    """What is wrong where, and how to fix it."""
    groups: dict[Document, list[Problem]] = {}
    for item in sorted(report.problems, key=_gravity):
        groups.setdefault(_document(item.where), []).append(item)
    speakers = _speakers(report)
    items: list[str] = []
    for (path, url), group in groups.items():
        address = _file(path, report, links) if path else url
        name = code(path) if path else _comment(url, links)
        heading = f"\n**{links.to(address, name)}**{speakers.get(url, '')}\n\n"
        lines = address if path else None
        first, *others = [_line(item, lines, links) for item in sorted(group, key=position)]
        items += [heading + first, *others]
    return Section(opening="### Problems\n", items=tuple(items), things="problems")


def position(item: Problem) -> tuple[int, int]:
    """Where in its document a problem is, to sort by; one of the whole document comes first."""
    return item.where.line or 0, item.where.column or 0


def _gravity(item: Problem) -> int:
    return GRAVEST_FIRST.index(item.severity)


def _document(where: Where) -> Document:
    return (where.path, "") if where.path else ("", where.url or "")


def _speakers(report: Report) -> dict[str, str]:
    """Who wrote the comment at an address, as Markdown."""
    speakers: dict[str, str] = {}
    for source, role in (
        *((item.vote.signal.source, item.vote.role) for item in report.signals),
        *((act.command.source, None) for act in report.acts),
    ):
        if source.author is not None:
            title = f", {prose(role_title(role))}" if role else ""
            speakers.setdefault(source.url, f" by {code(source.author.login)}{title}")
    return speakers


def _file(path: str, report: Report, links: Links) -> str | None:
    """The address of a file at the head; the policy is not there but on the default branch."""
    return None if path == report.provenance.policy_source else links.file(path, report.head)


def _comment(url: str, links: Links) -> str:
    """An address without the part that all share."""
    shared = f"{links.base}/"
    return code(url[len(shared) :] if links.holds(url) else url) if url else "Elsewhere"


def _line(item: Problem, file: str | None, links: Links) -> str:
    mark = f"{SEVERITY_MARK[item.severity]} {item.severity.value} {code(item.code)}"
    hint = f"<br>Fix: {prose(item.hint)}" if item.hint else ""
    return f"- {mark}{_place(item.where, file, links)}: {prose(item.message)}{hint}\n"


def _place(where: Where, file: str | None, links: Links) -> str:
    """The place in the document; of a file that is linked, its line is too."""
    inside = f" in {code(where.json_path)}" if where.json_path else ""
    if where.line is None:
        return inside
    spot = f"{where.line}:{where.column or 1}"
    return f" at {links.to(file and f'{file}#L{where.line}', spot)}{inside}"
