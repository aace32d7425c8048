"""The grid of rounds: a column for each content that was judged, a row for each role."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.report import NeedKind, PhaseReport, Report, Round, RoundFinding, RoundVote
from phasegate.report.inert import code, code_cell, prose_cell
from phasegate.report.links import Links
from phasegate.report.wording import OUTCOME_MARK, listing, phase_title, role_title

MOST_COLUMNS = 8
STORY_FROM = 2
NOTHING = "\N{EN DASH}"


def grids(report: Report, links: Links) -> Iterator[str]:
    """A table for each phase in which somebody has spoken."""
    urls = {item.id: item.vote.signal.source.url for item in report.signals}
    for phase in report.phases:
        if any(item.votes for item in phase.rounds):
            yield _grid(phase, urls, links) + _story(phase)


def _grid(phase: PhaseReport, urls: dict[str, str], links: Links) -> str:
    columns = list(_columns(phase.rounds))
    rows = [
        [prose_cell(phase_title(phase.name)), *(_heading(column) for column in columns)],
        ["---"] * (len(columns) + 1),
        *(
            [prose_cell(role_title(role)), *(_cell(column, role, urls, links) for column in columns)]
            for role in _roles(phase)
        ),
    ]
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _story(phase: PhaseReport) -> str:
    """What each failing round held, where there were several: what came back, and what is fixed."""
    failing = [item for item in phase.rounds if item.findings]
    if len(failing) < STORY_FROM:
        return ""
    return "\n" + "".join(f"- {_told(item)}\n" for item in phase.rounds if item.findings or item.fixed)


def _told(item: Round) -> str:
    said = [f"{code(finding.id)} fixed" for finding in item.fixed]
    if item.findings:
        roles = listing([role_title(finding.role) for finding in item.findings])
        held = ", ".join(_trend(finding, item.label) for finding in item.findings)
        said.insert(0, f"failed by {roles}: {held}")
    return f"{code(item.label)} {'; '.join(said)}"


def _trend(finding: RoundFinding, label: str) -> str:
    if finding.first_in == label:
        return f"{code(finding.id)} new"
    return f"{code(finding.id)} **came back** (first in {code(finding.first_in)})"


def _columns(rounds: tuple[Round, ...]) -> Iterator[Round | int]:
    """The rounds to show, with a number wherever so many are left out: the first, the present and the last remain."""
    shown = {0, *(index for index, item in enumerate(rounds) if item.current)}
    for index in reversed(range(len(rounds))):
        if len(shown) < MOST_COLUMNS:
            shown.add(index)
    previous = -1
    for index in sorted(shown):
        if index > previous + 1:
            yield index - previous - 1
        yield rounds[index]
        previous = index


def _roles(phase: PhaseReport) -> tuple[str, ...]:
    asked = [need.name for need in phase.needs if need.kind is NeedKind.SEAT]
    heard = [vote.role for item in phase.rounds for vote in item.votes]
    return tuple(dict.fromkeys([*asked, *heard]))


def _heading(column: Round | int) -> str:
    if isinstance(column, int):
        return f"… {column} more"
    label = code_cell(column.label)
    return f"**{label} now**" if column.current else label


def _cell(column: Round | int, role: str, urls: dict[str, str], links: Links) -> str:
    if isinstance(column, int):
        return "…"
    vote = next((vote for vote in column.votes if vote.role == role), None)
    return NOTHING if vote is None else links.to(urls.get(vote.signal), _said(vote))


def _said(vote: RoundVote) -> str:
    mark = OUTCOME_MARK.get(vote.outcome)
    said = prose_cell(vote.outcome)
    return f"{mark} {said}" if mark else said
