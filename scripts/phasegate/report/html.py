"""Pages of HTML that stand alone: no script, nothing loaded from anywhere, and every text of others escaped.

The policy of a page names the one style sheet by its digest, so that even what got past the escaping could do nothing.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape

from phasegate.model.report import Report, State
from phasegate.report.inert import Links, block, plain
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import turn
from phasegate.report.timeline import Mark, Moment, Timeline
from phasegate.report.wording import phase_title

MOST_TEXT, LEAST_TEXT, LONGEST_TEXT = 240_000, 120, 8_000  # characters of HTML: of all texts, and of each
STATE_SIGN = {State.SUCCESS: "✓", State.FAILURE: "✗", State.PENDING: "…", State.ERROR: "!"}
STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --page: #fff; --card: #f6f8fa;
  --good: #1a7f37; --bad: #cf222e; --wait: #9a6700; --link: #0969da }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f6fc; --soft: #9198a1; --line: #3d444d; --page: #0d1117;
  --card: #151b23; --good: #3fb950; --bad: #f85149; --wait: #d29922; --link: #4493f8 } }
* { box-sizing: border-box }
body { margin: 0; padding: 1rem; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page) }
main { max-width: 1200px; margin: 0 auto }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 .25rem; overflow-wrap: anywhere }
p { margin: .25rem 0; overflow-wrap: anywhere } .soft, time { color: var(--soft) } a { color: var(--link) }
.success { color: var(--good) } .failure, .error { color: var(--bad) } .pending { color: var(--wait) }
.next { border: 1px solid var(--line); border-radius: 6px; background: var(--card); padding: .5rem .75rem;
  margin: .75rem 0 }
.scroll { overflow: auto; border: 1px solid var(--line); border-radius: 6px; margin: 1rem 0; max-height: 85vh }
:focus-visible { outline: 2px solid var(--link); outline-offset: 1px }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top;
  padding: .35rem .6rem;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere } thead th { position: sticky; top: 0;
  background: var(--card) }
"""
LINE = """
.scroll { width: fit-content; max-width: 100% }
ol { list-style: none; margin: 0; padding: 0; display: grid; grid-auto-flow: column; width: max-content;
  grid-template-rows: auto repeat(LANES, minmax(2.6rem, auto)) auto }
li { display: contents }
li > * { padding: .3rem; align-content: center; border-bottom: 1px solid var(--line); text-align: center;
  min-width: 2.7rem }
li > time { font-size: 11px; line-height: 1.3; white-space: nowrap; background: var(--card) }
li.day > * { border-left: 1px solid var(--line) }
.names > * { position: sticky; left: 0; z-index: 1; background: var(--card); text-align: left; font-weight: 600;
  border-right: 1px solid var(--line); padding: .5rem .6rem; color: var(--ink) }
.names > time { font-size: inherit }
button { font: inherit; color: inherit; background: var(--page); cursor: pointer }
.mark { width: 1.9rem; height: 1.9rem; margin: 1px; padding: 0; border: 1.5px solid var(--soft); border-radius: 50%;
  font-weight: 700 }
.mark.good { color: var(--page); background: var(--good); border-color: var(--good) }
.mark.bad { color: var(--page); background: var(--bad); border-color: var(--bad) }
.mark.idle { border-style: dashed; color: var(--soft); font-weight: 400 }
.after { border-bottom: 0; font-weight: 700 }
.after.success { background: color-mix(in srgb, var(--good) 14%, var(--page)) }
.after.failure, .after.error { background: color-mix(in srgb, var(--bad) 14%, var(--page)) }
.after.pending { background: color-mix(in srgb, var(--wait) 14%, var(--page)) }
.after.unsure { opacity: .75 } .after.unsure button { border-style: dotted } .after.unsure::after { content: "?" }
.after button { border: 1px solid currentColor; border-radius: 4px; min-width: 1.9rem; padding: 0 .3rem }
[popover] { text-align: left; font-weight: 400; max-width: min(42rem, 94vw); max-height: 80vh; overflow: auto;
  padding: 1rem; color: var(--ink);
  background: var(--page); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 8px 24px #0006 }
[popover] h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere }
[popover] pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); padding: .6rem;
  border-radius: 6px;
  font-size: 12px }
[popover]::backdrop { background: #0003 }
@media (max-width: 700px) {
  body { padding: .6rem } .scroll { width: auto }
  ol { grid-auto-flow: row; width: 100%; grid-template-rows: none;
    grid-template-columns: max-content repeat(LANES, minmax(0, 1fr)) max-content }
  li > * { min-width: 0; padding: .2rem } li.day > * { border-left: 0; border-top: 1px solid var(--soft) }
  .names > * { top: 0; left: auto; text-align: center; padding: .3rem .1rem; border-right: 0; font-size: 12px;
    overflow-wrap: anywhere }
  .after { border-bottom: 1px solid var(--line) }
}
"""
LEGEND = (
    "✓ pass, ✗ fail, ‖ blocked, ? cannot be read, • other report; ★ act of a human; ↑ push; ✎ edit; ⌫ deletion; "
    "⊘ dismissal; # label or type; ↔ link. Filled: it counts. Dashed: it does not, and its text says why. "
    "Below: what the gate would have said after it; with a question mark where the past cannot be told for sure."
)


def page(title: str, body: Iterable[str], style: str = "") -> str:
    """A whole page; the body is ours, and what it shows of others is escaped already."""
    sheet = STYLE + style
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
    return page(f"Timeline of {title}", _body(line, report, title, seen.headline, (step.text, step.line)), _sized(line))


def _sized(line: Timeline) -> str:
    return LINE.replace("LANES", str(len(line.lanes)))


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
    name = shown(f"{mark.who}: {mark.what}", 160)
    text = _cut(mark.text, most)
    counts = f"<p>{shown(mark.why, 300)}</p>" if mark.why else ""
    place = f"<p>{_linked(mark.url, 'on GitHub', links)}</p>" if links.holds(mark.url) else ""
    opened = f"{counts}{place}{f'<pre>{text}</pre>' if text else ''}"
    return _button(number, f"mark {mark.tone}", mark.sign, name, f"{shown(mark.at, 30)} UTC", opened)


def _button(number: int, kind: str, sign: str, name: str, when: str, opened: str) -> str:  # noqa: PLR0913, PLR0917
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
    told, sign = shown(moment.said, 160), STATE_SIGN[moment.state]
    kind = f"after {moment.state.value}{' unsure' if moment.doubts else ''}"
    if before == (moment.state, moment.said):
        return f'<div class="{kind}" title="unchanged">{sign}</div>'
    name = f"{moment.state.value}: {told}"
    opened = "<p>What the gate would have said then.</p>"
    opened += "".join(f"<p>It may have said something else: {shown(doubt)}.</p>" for doubt in moment.doubts)
    button = _button(number, "", sign, name, f"{shown(moment.at, 30)} UTC", opened)
    return f'<div class="{kind}">{button}</div>'
