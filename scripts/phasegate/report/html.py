"""Self-contained HTML pages: no script, nothing loaded, and all foreign text escaped.

The policy of a page allows only our style sheet, by its digest, so even text that got past the escaping could do
nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from phasegate.model.report import Report, State
from phasegate.report.inert import Links, block, plain
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import turn
from phasegate.report.timeline import Mark, Moment, Timeline
from phasegate.report.wording import phase_title

MOST_BYTES = 950_000  # of a page; to fit, its texts are cut first, then the names of its marks
LEAST_TEXT, LONGEST_TEXT = 80, 8_000  # bytes of HTML
NAMES = (250, 160, 100, 60)  # the same, the longest that leaves room for texts
STATE_SIGN = {State.SUCCESS: "✓", State.FAILURE: "✗", State.PENDING: "…", State.ERROR: "!"}
FOLDER = Path(__file__).parent  # of the style sheets
LEGEND = (
    "✓ pass, ✗ fail, ‖ blocked, ? cannot be read, • other report; ★ act of a human; ↑ push; ✎ edit; ⌫ deletion; "
    "⊘ dismissal; # label or type; ↔ link. Filled: it counts. Dashed: it does not, and its text says why. "
    "Below: what the gate would have said after it; with a question mark where the past cannot be told for sure."
)


class Room(NamedTuple):
    """How many bytes of HTML a text and the name of a mark may take."""

    text: int
    name: int


def page(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page. The body is ours, with foreign text already escaped."""
    sheet = (FOLDER / "page.css").read_text(encoding="utf-8") + style
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    lines = (
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{shown(title)}</title><style>{sheet}</style></head><body><main>",
        *body,
        "</main></body></html>",
    )
    return "".join(f"{line}\n" for line in lines)


def shown(text: str, limit: int = 300) -> str:
    """Anybody's text on one line, escaped."""
    return escape(plain(text, limit))


def timeline_page(line: Timeline, report: Report) -> str:
    """The timeline as a page: state and next step, lanes with a mark for each event, and the state after each."""
    style = (FOLDER / "timeline.css").read_text(encoding="utf-8").replace("LANES", str(len(line.lanes)))
    marks = sum(len(moment.marks) for moment in line.moments) or 1
    for name in NAMES:
        without = sum(len(part.encode()) for part in _body(line, report, Room(text=0, name=name)))
        room = Room(text=min(LONGEST_TEXT, (MOST_BYTES - without) // marks), name=name)
        if room.text >= LEAST_TEXT:
            break
    room = Room(text=max(room.text, LEAST_TEXT), name=room.name)
    return page(f"Timeline of {report.repository}#{report.pull_request}", _body(line, report, room), style)


def _body(line: Timeline, report: Report, room: Room) -> Iterator[str]:
    seen, links = overview(report), Links.of(report)
    step = turn(report, [blocker.problem for blocker in seen.blockers], seen.headline)
    state, title = report.state, f"{report.repository}#{report.pull_request}"
    yield f'<header><h1><span class="{state.value}">{STATE_SIGN[state]}</span> {shown(seen.headline)}</h1>'
    yield f'<p class="soft">{_linked(report.url, title, links)} at {shown(report.head[:7])}</p></header>'
    told = " ".join(shown(each, 600) for each in (step.text, step.line) if each)
    if told:
        yield f'<div class="next"><strong>Next:</strong> {told}</div>'
    yield '<a class="skip soft" href="#end">Skip to the newest</a>'
    yield '<section class="scroll" tabindex="0" aria-label="Timeline"><ol>'
    names = "".join(f"<div>{shown(phase_title(lane), 40)}</div>" for lane in line.lanes)
    yield f'<li class="names" aria-hidden="true"><time>UTC</time>{names}<div class="after">Gate</div></li>'
    number, day, before = 0, "", Moment(at="", marks=(), state=None, said="")
    for moment in line.moments:
        date = f"{shown(moment.at[:10])}<br>" if moment.at[:10] != day else ""
        clock = f'<time title="{_when(moment.at)}">{date}{shown(moment.at[11:16])}</time>'
        yield f"<li{' class=day' if date else ''}>{clock}"
        for lane in line.lanes:
            found = [mark for mark in moment.marks if mark.lane == lane]
            yield f"<div>{''.join(_mark(mark, number + place, room, links) for place, mark in enumerate(found))}</div>"
            number += len(found)
        yield f"{_after(moment, number, before, room)}</li>"
        number, day, before = number + 1, moment.at[:10], moment
    yield "</ol></section>"
    yield f'<details id="end"><summary>What the signs mean</summary><p class="soft">{LEGEND}</p></details>'
    yield from (f'<p class="soft">{shown(note, 600)}</p>' for note in line.notes)


def _when(at: str) -> str:
    return f"{shown(at[:19].replace('T', ' '))} UTC"


def _linked(url: str, text: str, links: Links) -> str:
    told = shown(text)
    return f'<a href="{escape(url)}" rel="noreferrer">{told}</a>' if links.holds(url) else told


def _mark(mark: Mark, number: int, room: Room, links: Links) -> str:
    text, name = _cut(block(mark.text), room.text), _cut(plain(f"{mark.who}: {mark.what}", 160), room.name)
    opened = f'<p class="soft">{_when(mark.at)}</p>'
    opened += f"<p>{_cut(plain(mark.why, 300), 2 * room.name)}</p>" if mark.why else ""
    opened += f"<p>{_linked(mark.url, 'See it on GitHub', links)}</p>" if links.holds(mark.url) else ""
    opened += f"<pre>{text}</pre>" if text else ""
    return _button(number, mark.sign, name, name, opened, f' class="mark {mark.tone}"')


def _button(number: int, sign: str, name: str, title: str, opened: str, kind: str = "") -> str:  # noqa: PLR0913, PLR0917
    return (
        f'<button{kind} popovertarget="e{number}" title="{name}"><i aria-hidden="true">{sign}</i></button>'
        f'<div popover id="e{number}"><h2>{title}</h2>{opened}</div>'
    )


def _cut(text: str, most: int) -> str:
    """A text, escaped and cut to a number of bytes of HTML."""
    raw = escape(text)
    while (size := len(raw.encode())) > most:
        text = text[: max(len(text) * (most - 3) // size - 1, 0)]
        raw = f"{escape(text)}…" if text else ""
    return raw


def _after(moment: Moment, number: int, before: Moment, room: Room) -> str:
    """What the gate would have said after a moment, unless it is the same as before."""
    if moment.state is None:
        return f'<div class="after" title="{shown(moment.said)}">·</div>'
    sign = STATE_SIGN[moment.state]
    kind = f"after {moment.state.value}{' unsure' if moment.doubts else ''}"
    if (before.state, before.said) == (moment.state, moment.said):
        return f'<div class="{kind}" title="unchanged">{sign}</div>'
    doubts = moment.doubts if moment.doubts != before.doubts else ("as before",) if moment.doubts else ()
    opened = "".join(f"<p>It may have said something else: {shown(doubt)}.</p>" for doubt in doubts)
    name = f"Gate: {moment.state.value}"
    button = _button(number, sign, name, f"{name}. {_cut(plain(moment.said, 160), room.name)}", opened)
    return f'<div class="{kind}">{button}</div>'
