"""The sections of the summary below its head: each takes the report and gives a piece of Markdown, or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.model.actors import Actor
from phasegate.model.frozen import dataclass
from phasegate.model.report import (
    Disposition,
    IssueRoute,
    Need,
    NeedKind,
    PhaseReport,
    Report,
    Round,
    RoundFinding,
    RoundVote,
    Route,
    SignalReport,
    State,
)
from phasegate.model.signal import Finding, Kind, Outcome
from phasegate.model.vote import Act
from phasegate.report.inert import code, code_cell, prose, prose_cell
from phasegate.report.links import Links
from phasegate.report.wording import (
    NEED_MARK,
    OUTCOME_MARK,
    STATE_MARK,
    disposition_text,
    listing,
    need_text,
    phase_note,
    phase_title,
    role_title,
    route_reason,
    short,
    source_text,
    was_judged,
)

NOT_COUNTED = (Disposition.IGNORED, Disposition.STALE)


def phases(report: Report, links: Links) -> Section:
    """Where each phase is, and why."""
    urls = {item.id: item.vote.signal.source.url for item in report.signals}
    return Section(
        opening="| Phase | State | Why |\n| --- | --- | --- |\n",
        items=tuple(_phase_row(phase, report, urls, links) for phase in report.phases),
        things="phases",
    )


def _phase_row(phase: PhaseReport, report: Report, urls: dict[str, str], links: Links) -> str:
    state = f"{STATE_MARK[phase.state]} {phase.state.value}"
    if phase.state is State.SUCCESS and not was_judged(phase):
        state += " (not run)"
    note = phase_note(phase, report)
    reasons = [prose_cell(note)] if note else []
    reasons += [_need(need, urls, links) for need in phase.needs]
    return f"| {prose_cell(phase_title(phase.name))} | {state} | {'<br>'.join(reasons)} |\n"


def _need(need: Need, urls: dict[str, str], links: Links) -> str:
    comment = links.comment(urls.get(need.signal)) if need.signal else ""
    return f"{NEED_MARK[need.state]} {prose_cell(need_text(need))}{comment}"


def rounds(report: Report, links: Links) -> Section:
    """Who said what about which content."""
    return Section(opening="### Rounds\n", items=tuple(grids(report, links)), things="grids of rounds")


def findings(report: Report, links: Links) -> Section:
    """What the failing verdicts that count hold against the work."""
    items = [line for item in report.signals if _fails(item) for line in _findings_of(item, links)]
    return Section(opening="### Findings\n", items=tuple(items), things="findings")


def _fails(item: SignalReport) -> bool:
    return item.disposition is Disposition.COUNTED and item.vote.outcome is Outcome.FAIL


def _findings_of(item: SignalReport, links: Links) -> Iterator[str]:
    """The findings of one verdict; its heading goes with the first of them."""
    heading = f"\n{_speaker(item, links)}\n\n"
    for finding in sorted(item.vote.signal.findings, key=lambda finding: not _must_fix(finding, item)):
        yield heading + _finding(finding, item, links)
        heading = ""


def _speaker(item: SignalReport, links: Links) -> str:
    source = item.vote.signal.source
    subject = f"on {links.commit(item.vote.commit)} " if item.vote.commit else ""
    return (
        f"**{prose(role_title(item.vote.role or '?'))}** {subject}by {_login(source.author)}{links.comment(source.url)}"
    )


def _login(author: Actor | None) -> str:
    return "a deleted account" if author is None else code(author.login)


def _must_fix(finding: Finding, item: SignalReport) -> bool:
    return finding.id in (item.vote.signal.must_fix or ())


def _finding(finding: Finding, item: SignalReport, links: Links) -> str:
    weight = ", must fix" if _must_fix(finding, item) else ""
    place = f" at {links.location(finding.location, item.vote.commit)}" if finding.location else ""
    cause = f" ({code(finding.root_cause)})" if finding.root_cause else ""
    hint = f"<br>Fix: {code(finding.fix_hint)}" if finding.fix_hint else ""
    severity = prose(finding.severity, 20)
    return f"- **{code(finding.id, 20)}** {severity}{weight}: {code(finding.summary)}{place}{cause}{hint}\n"


def not_counted(report: Report, links: Links) -> Section:
    """Which votes did not count, and why."""
    items = [_unheard(item, report, links) for item in report.signals if item.disposition in NOT_COUNTED]
    if report.left_out:
        items.append(f"- and {report.left_out} older by accounts that may not speak here\n")
    return Section(opening="### Did not count\n\n", items=tuple(items), things="signals that did not count")


def _unheard(item: SignalReport, report: Report, links: Links) -> str:
    signal = item.vote.signal
    if signal.kind is Kind.UNREAD:
        by = f"by {_login(signal.source.author)}{links.comment(signal.source.url)}"
        return f"- Not read: a text {by}; {item.disposition.value}: {prose(disposition_text(item, report))}\n"
    who = prose(role_title(item.vote.role)) if item.vote.role else "No role"
    said = signal.outcome.value if signal.outcome else signal.kind.value
    by = f"by {_login(signal.source.author)}{links.comment(signal.source.url)}"
    return f"- {who}: {said} {by}; {item.disposition.value}: {prose(disposition_text(item, report))}\n"


def beside(report: Report, links: Links) -> Section:
    """The blocks that agents left for each other beside their votes."""
    items = tuple(_left(item, links) for item in report.signals if _leaves(item))
    return Section(opening="### Left for the next role\n\n", items=items, things="comments with further blocks")


def _leaves(item: SignalReport) -> bool:
    signal = item.vote.signal
    return bool(signal.title) and signal.kind is not Kind.PROPOSAL and item.disposition is not Disposition.IGNORED


def _left(item: SignalReport, links: Links) -> str:
    source = item.vote.signal.source
    who = prose(role_title(item.vote.role or "nobody"))
    return f"- {who} by {_login(source.author)}{links.comment(source.url)}: {prose(item.vote.signal.title)}\n"


def acts(report: Report, links: Links) -> Section:
    """What people did."""
    items = tuple(_act(act, links) for act in report.acts)
    return Section(opening="### Approvals\n\n", items=items, things="approvals")


def _act(act: Act, links: Links) -> str:
    command = act.command
    mark = "✅" if act.counts else "⚠️"
    written = code(f"/gate {command.verb} {command.phase}")
    reason = f": {code(command.reason)}" if command.reason else ""
    refusal = "" if act.counts else f"; does not count: {prose(act.why.message if act.why else '')}"
    return (
        f"- {mark} {written} by {_login(command.source.author)}{links.comment(command.source.url)}{reason}{refusal}\n"
    )


def route(report: Report, links: Links) -> Section:
    """Which way through the phases the linked issues ask for."""
    items = () if report.route is None else tuple(_route_lines(report.route, links))
    return Section(opening="### Route\n\n", items=items, things="lines on the route")


def _route_lines(way: Route, links: Links) -> Iterator[str]:
    """The route and why; then the issues, where it takes more than one of them to tell."""
    told = f"{way.type} by {source_text(way.source)}"
    reason = route_reason(way)
    why = "" if reason == told else f" because {prose(reason)}"
    yield f"- {prose(told)}: {_asks(way)}{why}\n"
    if len(way.issues) > 1:
        yield from (_issue(issue, links) for issue in way.issues)


def _issue(issue: IssueRoute, links: Links) -> str:
    number = f"#{issue.number}"
    name = links.to(issue.url, number) if links.holds(issue.url) else code(number)
    return f"- {name}: {prose(f'{issue.type} by {source_text(issue.source)}')}: {_asks(issue)}\n"


def _asks(way: Route | IssueRoute) -> str:
    qa = "QA is required" if way.qa_required else "QA is optional"
    return f"{qa}, quick route" if way.quick else qa


def provenance(report: Report) -> str:
    """What the decision was made from, folded away."""
    proof = report.provenance
    lines = (
        f"- Snapshot: {code(proof.snapshot_digest)}",
        f"- Policy: {code(proof.policy_digest)} from {code(proof.policy_source)}",
        f"- Head: {code(report.head)}",
        f"- Phase Gate: {code(proof.version)}",
    )
    return "<details><summary>Provenance</summary>\n\n" + "\n".join(lines) + "\n\n</details>\n"


def subject(report: Report, links: Links) -> str:
    """The pull request and its head, and the merge group that was decided, linked."""
    queued = f", merge group {links.commit(report.queued.commit)}" if report.queued else ""
    if links.base is None:
        return f"{code(f'{report.repository}#{report.pull_request}')} at {code(short(report.head))}{queued}"
    return f"{links.to(report.url, f'#{report.pull_request}')} at {links.commit(report.head)}{queued}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the summary: what stands before its items, and the items, each a whole piece of Markdown.

    ``things`` is what people call the items.
    """

    opening: str
    items: tuple[str, ...]
    things: str


def fitted(sections: Iterable[Section], limit: int) -> tuple[str, list[str]]:
    """As much of the sections as fits into a number of bytes, and what was left out."""
    pieces: list[str] = []
    missing: list[str] = []
    room = limit
    for section in sections:
        kept = _kept(section, room)
        if kept:
            text = section.opening + "".join(section.items[:kept]) + "\n"
            pieces.append(text)
            room -= size(text)
        left = len(section.items) - kept
        if left:
            missing.append(f"{left} of {len(section.items)} {section.things}")
    return "".join(pieces), missing


def _kept(section: Section, room: int) -> int:
    """How many items of a section fit."""
    left = room - size(section.opening) - 1
    for count, item in enumerate(section.items):
        left -= size(item)
        if left < 0:
            return count
    return len(section.items)


def left_out(missing: list[str]) -> str:
    """The sentence that says what was cut."""
    return f"✂️ Left out to stay within the size limit: {listing(missing)}. The JSON report has them.\n\n"


def size(text: str) -> int:
    """The bytes of a text in a file."""
    return len(text.encode())


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
