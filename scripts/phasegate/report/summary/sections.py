"""The folds of the summary: everything that the first screen leaves out, each as items made from the report."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Problem, Severity
from phasegate.model.report import (
    Disposition,
    IssueRoute,
    NeedKind,
    NoteKind,
    PhaseReport,
    Report,
    Round,
    RoundFinding,
    Route,
    SignalReport,
)
from phasegate.model.signal import Act, Kind, role_title
from phasegate.model.texts import Actor
from phasegate.report.inert import Links, code, code_cell, prose, prose_cell
from phasegate.report.wording import (
    SEVERITY_MARK,
    disposition_text,
    listing,
    phase_title,
    route_reason,
    settled_text,
    short,
    source_text,
)

OUTCOME_MARK = {"PASS": "✅", "FAIL": "❌", "invalid": "⚠️"}
NOT_COUNTED = (Disposition.IGNORED, Disposition.STALE)
GRAVEST_FIRST = (Severity.ERROR, Severity.WARNING, Severity.NOTICE)
MOST_ITEMS = 100
QA = "qa"
OVERRIDE = "override"  # its reason stands at the top
MOST_COLUMNS = 8
STORY_FROM = 2
NOTHING = "\N{EN DASH}"
COMMIT = late(r"[0-9a-f]{7}")


Document = tuple[str, str]  # the path of a file, or else the address of a comment


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of the summary: text before and after its items, and the items, each a whole piece of Markdown.

    ``things`` is the noun for the items.
    """

    opening: str = ""
    items: tuple[str, ...]
    things: str
    closing: str = "\n"


def folded(section: Section, title: str) -> Section:
    """The section behind its title, cut to the first items if there are too many."""
    items, more = section.items, len(section.items) - MOST_ITEMS
    if more > 0:
        items = (*items[:MOST_ITEMS], f"\n… and {more} more {section.things}, which the JSON report has.\n")
    opening = f"<details><summary>{title}</summary>\n\n"
    return replace(section, opening=opening, items=items, closing="\n</details>\n\n")


def fitted(sections: Iterable[Section], limit: int) -> tuple[str, list[str]]:
    """As many sections as fit into a number of bytes, and the names of the others."""
    text, missing = "", []
    for section in sections:
        room = limit - size(text) - size(section.opening) - size(section.closing)
        kept = sum(total <= room for total in accumulate(map(size, section.items)))
        if kept:
            text += section.opening + "".join(section.items[:kept]) + section.closing
        if left := len(section.items) - kept:
            missing.append(f"{left} of {len(section.items)} {section.things}")
    return text, missing


def left_out(missing: list[str]) -> str:
    """A sentence about what was cut."""
    return f"✂️ Left out to stay within the size limit: {listing(missing)}. The JSON report has them.\n\n"


def size(text: str) -> int:
    """The number of bytes of a text."""
    return len(text.encode())


def _by(author: Actor | None, url: str, links: Links) -> str:
    return f"by {'a deleted account' if author is None else prose(author.login)}{links.comment(url)}"


def _fix(hint: str, code_of: str = "") -> str:
    return f"<br>Fix: {prose(hint)}" + (f" {code(code_of)}" if code_of else "")


# Rounds


def rounds(report: Report, links: Links) -> Section:
    """A table for each phase in which somebody has spoken: votes by content, and findings that came back."""
    urls = {item.id: item.vote.signal.source.url for item in report.signals}
    spoken = [phase for phase in report.phases if any(item.votes for item in phase.rounds)]
    grids = list[str]()
    for phase in spoken:
        grids.append(_grid(phase, short(report.head), urls, links))
        if sum(bool(item.findings) for item in phase.rounds) >= STORY_FROM:  # what came back, and what is fixed
            told = "".join(f"- {_told(item)}\n" for item in phase.rounds if item.findings or item.fixed)
            grids[-1] += f"\n{told}"
    return Section(items=tuple(grids), things="tables of rounds")


def _grid(phase: PhaseReport, head: str, urls: dict[str, str], links: Links) -> str:
    columns = list(_columns(phase.rounds))
    asked = [need.name for need in phase.needs if need.kind is NeedKind.SEAT]
    heard = [vote.role for item in phase.rounds for vote in item.votes]
    rows = [
        [prose_cell(phase_title(phase.name)), *(_heading(column, head) for column in columns)],
        ["---"] * (len(columns) + 1),
    ]
    rows += [
        [prose_cell(role_title(role)), *(_cell(column, role, urls, links) for column in columns)]
        for role in dict.fromkeys([*asked, *heard])
    ]
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _told(item: Round) -> str:
    said = [f"{prose(finding.id)} fixed" for finding in item.fixed]
    if item.findings:
        roles = prose(listing(role_title(finding.role) for finding in item.findings))
        held = ", ".join(_trend(finding, item.label) for finding in item.findings)
        said.insert(0, f"failed by {roles}: {held}")
    return f"{code(item.label)} {'; '.join(said)}"


def _trend(finding: RoundFinding, label: str) -> str:
    told = f"{prose(finding.id)} ({prose(finding.summary, 120)})" if finding.summary else prose(finding.id)
    return told if finding.first_in == label else f"{told} **came back**, first in {code(finding.first_in)}"


def _columns(rounds: tuple[Round, ...]) -> Iterator[Round | int]:
    """The rounds to show. A number stands for rounds left out; the first, the present and the last stay."""
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


def _heading(column: Round | int, head: str) -> str:
    """A round by its commit; if only evidence was pushed since, with the head, which has the same content."""
    if isinstance(column, int):
        return f"… {column} more"
    label = code_cell(column.label)
    if not column.current:
        return label
    moved = COMMIT.fullmatch(column.label) is not None and column.label != head
    return f"**{label} now**" + (f" (same content as {code_cell(head)})" if moved else "")


def _cell(column: Round | int, role: str, urls: dict[str, str], links: Links) -> str:
    if isinstance(column, int):
        return "…"
    vote = next((vote for vote in column.votes if vote.role == role), None)
    if vote is None:
        return NOTHING
    mark = OUTCOME_MARK.get(vote.outcome)
    return links.to(urls.get(vote.signal), f"{mark} {prose_cell(vote.outcome)}" if mark else prose_cell(vote.outcome))


# Problems


def problems(report: Report, links: Links, told: Collection[Problem] = ()) -> Section:
    """The problems by document, worst first, without those on the first screen."""
    groups: dict[Document, list[Problem]] = {}
    for item in sorted(report.problems, key=lambda item: GRAVEST_FIRST.index(item.severity)):
        if item not in told:
            where = item.where
            groups.setdefault((where.path, "") if where.path else ("", where.url or ""), []).append(item)
    speakers = _speakers(report)
    items: list[str] = []
    for (path, url), group in groups.items():
        # the policy is not at the head but on the default branch
        file = links.file(path, report.head) if path and path != report.provenance.policy_source else None
        name = links.to(file, code(path)) if path else links.to(url, _comment(url, links))
        first, *others = [_line(item, file, links) for item in sorted(group, key=position)]
        items += [f"\n**{name}**{speakers.get(url, '')}\n\n{first}", *others]
    return Section(items=tuple(items), things="problems")


def position(item: Problem) -> tuple[int, int]:
    """Where a problem is in its document, as a sorting key. One of the whole document comes first."""
    return item.where.line or 0, item.where.column or 0


def _speakers(report: Report) -> dict[str, str]:
    """The author of the comment at each address, as Markdown."""
    speakers: dict[str, str] = {}
    for source, role in (
        *((item.vote.signal.source, item.vote.role) for item in report.signals),
        *((act.command.source, None) for act in report.acts),
    ):
        if source.author is not None:
            title = f", {prose(role_title(role))}" if role else ""
            speakers.setdefault(source.url, f" by {prose(source.author.login)}{title}")
    return speakers


def _comment(url: str, links: Links) -> str:
    """An address without the common part."""
    shared = f"{links.base}/"
    return code(url[len(shared) :] if links.holds(url) else url) if url else "Elsewhere"


def _line(item: Problem, file: str | None, links: Links) -> str:
    """A problem below its document's heading. In a linked file its line is linked too."""
    where, place = item.where, ""
    if where.line is not None:
        place = f" at {links.to(file and f'{file}#L{where.line}', f'{where.line}:{where.column or 1}')}"
    place += f" in {code(where.json_path)}" if where.json_path else ""
    mark = f"{SEVERITY_MARK[item.severity]} {item.severity.value} {code(item.code)}"
    return f"- {mark}{place}: {prose(item.message)}{_fix(item.hint) if item.hint else ''}\n"


def problem_line(item: Problem) -> str:
    """A problem on its own, with its full place."""
    told = f"{SEVERITY_MARK[item.severity]} {code(item.code)} {prose(str(item.where))}: {prose(item.message)}"
    return f"- {told}{_fix(item.hint) if item.hint else ''}\n"


# What did not count, and what people did


def not_counted(report: Report, links: Links, told: Collection[str] = ()) -> Section:
    """The words that did not count, and why, without those on the first screen."""
    unheard = [item for item in report.signals if item.disposition in NOT_COUNTED and item.id not in told]
    items = [_unheard(item, report, links) for item in unheard]
    if report.left_out:
        items.append(f"- and {report.left_out} older by accounts that may not speak here\n")
    return Section(items=tuple(items), things="words that did not count")


def _unheard(item: SignalReport, report: Report, links: Links) -> str:
    signal, why = item.vote.signal, item.vote.why
    by = _by(signal.source.author, signal.source.url, links)
    reason = prose(disposition_text(item, report))
    refused = why is not None and item.disposition is Disposition.IGNORED
    fix = _fix(why.hint, why.code) if why and refused else ""
    if signal.kind is Kind.UNREAD:
        return f"- Not read: a text {by}; {item.disposition.value}: {reason}\n"
    who = prose(role_title(item.vote.role)) if item.vote.role else "No role"
    said = signal.outcome.value if signal.outcome else signal.kind.value
    return f"- {who}: {said} {by}; {item.disposition.value}: {reason}{fix}\n"


def acts(report: Report, links: Links) -> Section:
    """The acts of people."""
    return Section(items=tuple(_act(act, links) for act in report.acts), things="approvals")


def _act(act: Act, links: Links) -> str:
    command = act.command
    mark = "✅" if act.counts else "⚠️"
    written = code(f"/gate {command.verb} {command.phase}")
    reason = f": {prose(command.reason)}" if command.reason and not (act.counts and command.verb == OVERRIDE) else ""
    told = f"- {mark} {written} {_by(command.source.author, command.source.url, links)}{reason}"
    if act.counts or act.why is None:
        return f"{told}\n"
    return f"{told}; does not count: {prose(act.why.message)}{_fix(act.why.hint, act.why.code)}\n"


def findings(report: Report, links: Links) -> Section:
    """Reviewers' findings: who, where, since which commit, and how each ended or why it stands."""
    return Section(items=tuple(_standing(told, links) for told in report.findings), things="findings")


def _standing(told: ReviewFinding, links: Links) -> str:
    mark = "❌" if told.stands else "✅"
    place = f" in {code(told.path)}" if told.path else ""
    since = f" since {code(short(told.commit))}" if told.commit else ""
    who = links.to(told.url, role_title(told.role))
    return f"- {mark} {who}: {prose(told.summary)}{place}{since}: {prose(settled_text(told))}\n"


def beside(report: Report, links: Links) -> Section:
    """The blocks that agents left for each other beside their votes."""
    heard = (item.vote for item in report.signals if item.disposition is not Disposition.IGNORED)
    left = [vote for vote in heard if vote.signal.title and vote.signal.kind is not Kind.PROPOSAL]
    items = (
        f"- {prose(role_title(vote.role or 'nobody'))}"
        f" {_by(vote.signal.source.author, vote.signal.source.url, links)}: {prose(vote.signal.title)}\n"
        for vote in left
    )
    return Section(items=tuple(items), things="blocks for the next role")


# Route and evidence


def route(report: Report, links: Links) -> Iterator[str]:
    """The route that the linked issues ask for, and why; then the issues, if there are several."""
    way = report.route
    if way is None:
        return
    reason = route_reason(way)
    why = "" if reason == _typed(way) else f" because {prose(reason)}"
    off = any(note.kind is NoteKind.TURNED_OFF for phase in report.phases if phase.name == QA for note in phase.notes)
    yield f"- Route: {prose(_typed(way))}: {'QA is turned off' if off else f'{_asks(way)}{why}'}\n"
    for issue in way.issues if len(way.issues) > 1 else ():
        number = f"#{issue.number}"
        name = links.to(issue.url, number) if links.holds(issue.url) else code(number)
        yield f"- {name}: {prose(_typed(issue))}: {_asks(issue)}\n"


def _typed(way: Route | IssueRoute) -> str:
    return f"{way.type} by {source_text(way.source)}"


def _asks(way: Route | IssueRoute) -> str:
    return "quick route" if way.quick else f"QA is {'required' if way.qa_required else 'optional'}"


def evidence(report: Report, links: Links) -> Section:
    """The route, and the inputs of the decision."""
    proof = report.provenance
    extends = f", which extends {code(proof.policy_floor)}" if proof.policy_floor else ""
    items = (
        *route(report, links),
        f"- Head: {code(report.head)}\n",
        f"- Snapshot: {code(proof.snapshot_digest)}\n",
        f"- Policy: {code(proof.policy_digest)} from {code(proof.policy_source)}{extends}\n",
        f"- Phase Gate: {code(proof.version)}\n",
    )
    return Section(items=items, things="lines of evidence")
