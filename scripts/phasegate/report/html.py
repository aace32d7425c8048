"""Pages of HTML that stand alone: no script, nothing loaded from anywhere, and every text of others escaped.

The policy of a page names the one style sheet by its digest, so that even what got past the escaping could do nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from phasegate.model.report import Report, State
from phasegate.report.inert import Links, block, plain
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import turn
from phasegate.report.timeline import Mark, Moment, Timeline
from phasegate.report.wording import phase_title

MOST_TEXT, LEAST_TEXT, LONGEST_TEXT = 240_000, 120, 8_000  # characters of HTML: of all texts, and of each
STATE_SIGN = {State.SUCCESS: "✓", State.FAILURE: "✗", State.PENDING: "…", State.ERROR: "!"}
FOLDER = Path(__file__).parent  # of the style sheets
LEGEND = (
    "✓ pass, ✗ fail, ‖ blocked, ? cannot be read, • other report; ★ act of a human; ↑ push; ✎ edit; ⌫ deletion; "
    "⊘ dismissal; # label or type; ↔ link. Filled: it counts. Dashed: it does not, and its text says why. "
    "Below: what the gate would have said after it; with a question mark where the past cannot be told for sure."
)


def page(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page; the body is ours, and what it shows of others is escaped already."""
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
    """One line of anybody's text."""
    return escape(plain(text, limit))


def timeline_page(line: Timeline, report: Report) -> str:
    """The timeline as a page: state and next step, the lanes with a mark for each event, and the state after each."""
    seen = overview(report)
    step = turn(report, [blocker.problem for blocker in seen.blockers], seen.headline)
    title = f"{report.repository}#{report.pull_request}"
    style = (FOLDER / "timeline.css").read_text(encoding="utf-8").replace("LANES", str(len(line.lanes)))
    return page(f"Timeline of {title}", _body(line, report, title, seen.headline, (step.text, step.line)), style)


def _body(line: Timeline, report: Report, title: str, headline: str, step: tuple[str, str]) -> Iterator[str]:
    state = report.state
    yield f'<header><h1><span class="{state.value}">{STATE_SIGN[state]}</span> {shown(headline)}</h1>'
    links = Links.of(report)
    yield f'<p class="soft">{_linked(report.url, title, links)} at {shown(report.head[:7])}</p></header>'
    if any(step):
        yield f'<div class="next"><strong>Next:</strong> {" ".join(shown(each, 600) for each in step if each)}</div>'
    yield '<section class="scroll" tabindex="0" aria-label="Timeline"><ol>'
    names = "".join(f"<div>{shown(phase_title(lane), 40)}</div>" for lane in line.lanes)
    yield f'<li class="names" aria-hidden="true"><time>UTC</time>{names}<div class="after">Gate</div></li>'
    marks = sum(len(moment.marks) for moment in line.moments)
    most = max(LEAST_TEXT, min(LONGEST_TEXT, MOST_TEXT // max(marks, 1)))
    number, day, before = 0, "", None
    for moment in line.moments:
        yield f"<li{' class=day' if moment.at[:10] != day else ''}>{_time(moment.at, day)}"
        for lane in line.lanes:
            found = [mark for mark in moment.marks if mark.lane == lane]
            yield f"<div>{''.join(_mark(mark, number + place, most, links) for place, mark in enumerate(found))}</div>"
            number += len(found)
        yield f"{_after(moment, number, before)}</li>"
        number, day, before = number + 1, moment.at[:10], (moment.state, moment.said)
    yield "</ol></section>"
    yield f'<details><summary>What the signs mean</summary><p class="soft">{LEGEND}</p></details>'
    yield from (f'<p class="soft">{shown(note, 600)}</p>' for note in line.notes)


def _time(at: str, day: str) -> str:
    date = f"{shown(at[5:10])}<br>" if at[:10] != day else ""
    return f'<time datetime="{shown(at)}">{date}{shown(at[11:16])}</time>'


def _linked(url: str, text: str, links: Links) -> str:
    """The text, linked where the address lies in the repository."""
    told = shown(text)
    return f'<a href="{escape(url)}" rel="noreferrer">{told}</a>' if links.holds(url) else told


def _mark(mark: Mark, number: int, most: int, links: Links) -> str:
    """A mark as a button that opens what it is about."""
    text = _cut(mark.text, most)
    opened = f"<p>{shown(mark.why, 300)}</p>" if mark.why else ""
    opened += f"<p>{_linked(mark.url, 'on GitHub', links)}</p>" if links.holds(mark.url) else ""
    opened += f"<pre>{text}</pre>" if text else ""
    return _button(number, f"mark {mark.tone}", mark.sign, (f"{mark.who}: {mark.what}", mark.at), opened)


def _button(number: int, kind: str, sign: str, said: tuple[str, str], opened: str) -> str:
    """What is said by a sign, and when; the rest opens."""
    name, when = shown(said[0], 160), f"{shown(said[1], 30)} UTC"
    return (
        f'<button class="{kind}" popovertarget="e{number}" aria-label="{name}" title="{name}">{sign}</button>'
        f'<div popover id="e{number}"><h2>{name}</h2><p class="soft">{when}</p>{opened}</div>'
    )


def _cut(text: str, most: int) -> str:
    """A text of several lines, escaped, of so much HTML at most."""
    told = block(text)
    raw = escape(told, quote=False)
    while len(raw) > most:
        told = told[: max(len(told) * (most - 1) // len(raw) - 1, 0)]
        raw = f"{escape(told, quote=False)}…" if told else "…"[:most]
    return raw


def _after(moment: Moment, number: int, before: tuple[State | None, str] | None) -> str:
    """What the gate would have said after a moment; what it said before already is not said again."""
    if moment.state is None:
        return '<div class="after" title="not worked out">·</div>'
    sign = STATE_SIGN[moment.state]
    kind = f"after {moment.state.value}{' unsure' if moment.doubts else ''}"
    if before == (moment.state, moment.said):
        return f'<div class="{kind}" title="unchanged">{sign}</div>'
    opened = "<p>What the gate would have said then.</p>"
    opened += "".join(f"<p>It may have said something else: {shown(doubt)}.</p>" for doubt in moment.doubts)
    button = _button(number, "", sign, (f"{moment.state.value}: {moment.said}", moment.at), opened)
    return f'<div class="{kind}">{button}</div>'
