"""The timeline in a browser: five pull requests, wide and narrow, by keyboard, and one of a thousand events.

No plain run collects it: ``python3 tests pytest tests/timeline.py --browser chromium``; without that browser every test
is skipped. With ``--save-pictures`` the pictures in ``docs/pictures`` are made anew.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from phasegate.gate import judge
from phasegate.report.html import timeline_page
from phasegate.report.status import describe
from phasegate.report.timeline import timeline
from tests.casebook.decided import report_of, snapshot_of
from tests.casebook.every import STORIES
from tests.casebook.world import World
from tests.pictures import DOCS, Browser
from tests.pictures import browser as browser  # noqa: PLC0414  (a fixture)
from tests.unit.report.test_timeline import afresh

SHOWN = (
    "escalated-and-resumed",
    "envelope-six-rounds",
    "pipeline-run-again",
    "thehood-repaired",
    "two-of-three-with-a-finding",
)
WIDTHS = {"wide": 1012, "narrow": 390}
OPENS_IN = 1000  # milliseconds
# What a page is like at its width, and after the first mark was opened by the keyboard's way: focus, then activation.
LOOK = """
<script>
addEventListener("load", () => setTimeout(() => {
  const told = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const inside = frame.contentDocument, buttons = [...inside.querySelectorAll("button")];
    const mark = buttons[0], text = inside.getElementById(mark.getAttribute("popovertarget"));
    mark.focus();
    const focused = inside.activeElement === mark, closed = text.matches(":popover-open");
    mark.click();
    told[frame.id] = {
      sticks: inside.documentElement.scrollWidth - inside.documentElement.clientWidth, focused, closed,
      open: text.matches(":popover-open"),
      wide: text.getBoundingClientRect().right > inside.documentElement.clientWidth,
      buttons: buttons.length, reached: buttons.every(each => each.tabIndex === 0 && each.title),
      height: Math.ceil(inside.querySelector("main").getBoundingClientRect().bottom) + 16,
      ran: inside.title,
    };
  }
  document.getElementById("told").textContent = JSON.stringify(told);
}, 200));
</script>
"""


@pytest.fixture(autouse=True)
def _there(request: pytest.FixtureRequest) -> None:
    """Skip where there is no browser."""
    if shutil.which(request.config.getoption("--browser")) is None:
        pytest.skip(f"there is no {request.config.getoption('--browser')}")


def shown(name: str) -> str:
    """The page of a story."""
    report, snapshot = report_of(STORIES[name]), snapshot_of(STORIES[name].world())
    return timeline_page(timeline(snapshot, report, partial(afresh, snapshot)), report)


def looked_at(browser: Browser, pages: dict[str, tuple[str, int]]) -> dict[str, Any]:
    """What each page is like at its width."""
    frames = "".join(
        f'<iframe id="{name}" style="width: {width}px; height: 900px" srcdoc="{html.escape(text)}"></iframe>'
        for name, (text, width) in pages.items()
    )
    path = browser.folder / "look.html"
    path.write_text(f'<!doctype html><pre id="told"></pre>{LOOK}{frames}', encoding="utf-8")
    dumped = browser.run(path, 1100, 1000, "--virtual-time-budget=10000", "--dump-dom")
    found = re.search(r'<pre id="told">(.*?)</pre>', dumped, re.DOTALL)
    assert found, dumped[:500]
    told: dict[str, Any] = json.loads(html.unescape(found[1]))
    return told


def test_timeline__fits_wide_and_narrow_and_opens_by_keyboard(browser: Browser) -> None:
    pages = {f"{name}-{kind}": (shown(name), width) for name in SHOWN for kind, width in WIDTHS.items()}
    for name, told in looked_at(browser, pages).items():
        assert (told["sticks"] <= 0, told["focused"], told["closed"], told["open"]) == (True, True, False, True), name
        assert (told["wide"], told["reached"]) == (False, True), name


def test_timeline__runs_nothing_that_got_into_it(browser: Browser) -> None:
    evil = '<script>document.title = "ran"</script><img src=x onerror="document.title = \'ran\'">'
    page = shown("overridden").replace("</main>", f"{evil}</main>")  # as if the escaping had failed
    told = looked_at(browser, {"evil": (page, 1012)})
    assert told["evil"]["ran"] == "Timeline of octo/shop#7"


def test_timeline__of_a_thousand_events_opens_in_a_second(browser: Browser) -> None:
    world = World()
    world.planned()
    for number in range(330):
        world.push(f"c{number}")
        world.judges("judge", "FAIL" if number % 3 else "PASS")
        world.judges("inspector")
    snapshot = snapshot_of(world)
    report = judge(snapshot)
    page = timeline_page(
        timeline(snapshot, report, lambda times: dict.fromkeys(times, (report.state, describe(report)))), report
    )
    assert len(page.encode()) < 1_000_000
    clock = (
        '<iframe id="one"></iframe><pre id="told"></pre><script>const page = PAGE, frame = '
        'document.getElementById("one"), began = performance.now(); frame.onload = () => { frame.contentDocument.body'
        ".getBoundingClientRect(); document.getElementById('told').textContent = "
        "Math.round(performance.now() - began) }; frame.srcdoc = page</script>"
    ).replace("PAGE", json.dumps(page).replace("</", "<\\/"))
    path = browser.folder / "clock.html"
    path.write_text(f"<!doctype html>{clock}", encoding="utf-8")
    dumped = browser.run(path, 1100, 1000, "--timeout=20000", "--dump-dom")
    found = re.search(r'<pre id="told">(\d+)</pre>', dumped)
    assert found, dumped[-500:]
    assert int(found[1]) < OPENS_IN


def test_timelines__are_saved(request: pytest.FixtureRequest, browser: Browser) -> None:
    if not request.config.getoption("--save-pictures"):
        pytest.skip("the pictures are made anew with --save-pictures")
    pages = {f"{kind}-{name}": (shown(name), width) for name in SHOWN for kind, width in WIDTHS.items()}
    for name, told in looked_at(browser, pages).items():
        text, width = pages[name]
        browser.photograph(text, width, told["height"], Path(DOCS) / f"timeline-{name}.png")
