"""Pictures of the summary as GitHub shows it, for ten kinds of pull request, and where the eye finds what it looks for.

Needs a Chromium and GitHub's stylesheet, so no plain run collects it:
``npm --prefix tests ci --ignore-scripts``, then ``python3 tests pytest tests/pictures.py --browser chromium``. With
``--save-pictures`` the pictures in ``docs/pictures`` are made anew.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import cmarkgfm  # type: ignore[import-untyped]
import pytest
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]

from phasegate.model.problem import Where
from phasegate.model.report import Disposition, Report, State
from phasegate.model.signal import OVERALL
from phasegate.report.status import status_lines
from phasegate.report.summary.page import summary
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.unit.report.builders import comment, failing_report, finding, problem, signal_report, source, tasks_of
from tests.unit.report.oracle import EXTENSIONS, NASTY, PAGE
from tests.unit.report.poison import poisoned

# What a pull request can be, by the story that tells it.
KINDS = {
    "failing": "judge-failed",
    "huge": "",
    "pipeline": "pipeline-beyond-the-plan",
    "refused": "bot-unnamed",
    "escalated": "escalated",
    "approval": "plan-not-approved",
    "policy": "policy-not-yaml",
    "overridden": "overridden",
    "overruled": "overruled",
    "green": "feature-green",
}
WIDTHS = (1012, 390)  # of the summary of a run on a wide screen, and of a telephone
TOP = 200  # pixels in which the first finding of a failing pull request stands
FAILING = ("failing", "huge", "pipeline")
TALLEST = 1200
DOCS = Path(__file__).resolve().parents[1] / "docs" / "pictures"
CHECK_SIGN = {State.SUCCESS: "#1a7f37", State.FAILURE: "#d1242f", State.PENDING: "#dbab0a", State.ERROR: "#d1242f"}
CHECKS_STYLE = """
.markdown-body { border: 1px solid #d1d9e0; border-radius: 6px; margin: 16px; padding: 16px 24px }
.markdown-body h3 { margin: 0 0 4px } .markdown-body p { margin: 0 0 12px; color: #59636e }
.markdown-body ul { list-style: none; margin: 0; padding: 0 }
.markdown-body li { border-top: 1px solid #d1d9e0; display: flex; gap: 12px; margin: 0; padding: 8px 0 }
.markdown-body li b { border-radius: 50%; height: 14px; margin-top: 5px; width: 14px }
.markdown-body li span { flex: 1 }
.markdown-body li em { border: 1px solid #d1d9e0; border-radius: 12px; font-style: normal; font-size: 12px }
.markdown-body li em { padding: 1px 8px }
"""
OURS = PAGE | {"html", "head", "body", "meta", "style", "article"}


def report_of_kind(kind: str) -> Report:
    """The report on a pull request of a kind."""
    return report_of(STORIES[KINDS[kind]]) if KINDS[kind] else _huge()


def _huge() -> Report:
    """Sixty findings, and a thousand comments by accounts that may not speak."""
    given = failing_report()
    *others, judge = given.signals
    numbers = range(1, 61)
    findings = tuple(finding(f"J{number}", f"Expired tokens are accepted by endpoint v{number}.") for number in numbers)
    signal = replace(judge.vote.signal, findings=findings, must_fix=tuple(item.id for item in findings))
    many = tuple(problem("PG201", "eve has read permission", Where(url=comment(number))) for number in range(100, 1100))
    ignored = tuple(
        signal_report(number, disposition=Disposition.IGNORED, why=why, written=source(number, "eve"))
        for number, why in enumerate(many, 100)
    )
    voices = (*others, replace(judge, vote=replace(judge.vote, signal=signal)), *ignored)
    ids = tuple(item.id for item in findings)
    phases = tuple(
        replace(phase, needs=tuple(replace(need, findings=ids if need.findings else ()) for need in phase.needs))
        for phase in given.phases
    )
    told = (*given.problems, *many)
    return replace(given, phases=phases, signals=voices, problems=told, tasks=tuple(tasks_of(*phases)))


def page(markdown: str, stylesheet: str) -> str:
    """A text as GitHub shows it, with raw HTML let through."""
    shown = cmarkgfm.markdown_to_html_with_extensions(markdown, options=Options.CMARK_OPT_UNSAFE, extensions=EXTENSIONS)
    style = f"{stylesheet}\nbody {{ margin: 0 }}\n.markdown-body {{ box-sizing: border-box; padding: 16px }}"
    head = f'<meta charset="utf-8"><style>{style}</style>'
    return (
        f'<!doctype html><html><head>{head}</head><body><article class="markdown-body">{shown}</article></body></html>'
    )


def checks_box(report: Report, stylesheet: str) -> str:
    """The box of checks at the end of a pull request, with the statuses of a report; GitHub's is drawn alike."""
    rows = "".join(
        f"<li><b style='background: {CHECK_SIGN[line.state]}'></b>"
        f"<span><strong>{line.context}</strong> — {html.escape(line.description)}</span>"
        f"{'<em>Required</em>' if line.context == OVERALL else ''}</li>"
        for line in status_lines(report)
    )
    title = "<h3>Some checks were not successful</h3><p>Merging is blocked: a required status has not succeeded</p>"
    style = f"{stylesheet}\n{CHECKS_STYLE}"
    return (
        f'<!doctype html><html><head><meta charset="utf-8"><style>{style}</style></head>'
        f'<body><article class="markdown-body">{title}<ul>{rows}</ul></article></body></html>'
    )


# In each frame: how tall it is, where its first finding stands, what sticks out of it, how wide it is with every fold
# open (where tables and blocks may scroll by themselves), its elements and its links.
MEASURE = """
<script>
addEventListener("load", () => {
  const told = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const inside = frame.contentDocument, all = [...inside.querySelectorAll("*")];
    const width = inside.documentElement.clientWidth;
    const first = [...inside.querySelectorAll("li")].find(each => !each.closest("details"));
    told[frame.id] = {
      height: Math.ceil(inside.querySelector("article").getBoundingClientRect().height),
      first: first ? Math.round(first.getBoundingClientRect().top) : null,
      wide: all.filter(each => !each.closest("details:not([open])") && !each.closest("pre")
        && each.getBoundingClientRect().right > width + 1).map(each => each.tagName),
      tags: [...new Set(all.map(each => each.tagName.toLowerCase()))],
      links: [...inside.querySelectorAll("[href], [src]")].map(each => each.getAttribute("href") || each.src),
    };
    inside.querySelectorAll("details").forEach(fold => { fold.open = true; });
    told[frame.id].open = inside.documentElement.scrollWidth - width;
  }
  document.getElementById("told").textContent = JSON.stringify(told);
});
</script>
"""


@dataclass(frozen=True, kw_only=True)
class Browser:
    """A Chromium without a screen."""

    program: str
    folder: Path

    def run(self, path: Path, width: int, height: int, *arguments: str) -> str:
        """Open a page and do something with it; what is printed."""
        command = [
            *(self.program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
            *("--allow-file-access-from-files", f"--user-data-dir={self.folder / 'profile'}"),
            *(f"--window-size={width},{height}", *arguments, path.as_uri()),
        ]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout

    def measured(self, pages: dict[str, tuple[str, int]]) -> dict[str, Any]:
        """What each page is like at its width; narrower than a window can be, so each in a frame of its own."""
        frames = "".join(
            f'<iframe id="{name}" style="width: {width}px; height: 1000px" srcdoc="{html.escape(text)}"></iframe>'
            for name, (text, width) in pages.items()
        )
        path = self.folder / "measure.html"
        path.write_text(f'<!doctype html><pre id="told"></pre>{MEASURE}{frames}', encoding="utf-8")
        shown = self.run(path, 1100, 1000, "--virtual-time-budget=10000", "--dump-dom")
        found = re.search(r'<pre id="told">(.*?)</pre>', shown, re.DOTALL)
        assert found, shown[:500]
        told: dict[str, Any] = json.loads(html.unescape(found[1]))
        return told

    def photograph(self, text: str, width: int, height: int, picture: Path) -> None:
        """Take a picture of a page."""
        path = self.folder / "page.html"
        frame = (
            f'<iframe style="border: 0; width: {width}px; height: {height}px" srcdoc="{html.escape(text)}"></iframe>'
        )
        path.write_text(f'<!doctype html><body style="margin: 0">{frame}</body>', encoding="utf-8")
        self.run(path, width, height, f"--screenshot={picture}")


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    """The browser that the command line names."""
    return Browser(program=request.config.getoption("--browser"), folder=tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def stylesheet(request: pytest.FixtureRequest) -> str:
    """GitHub's stylesheet for Markdown."""
    return Path(request.config.getoption("--stylesheet")).read_text(encoding="utf-8")


@cache
def shown(kind: str) -> str:
    """The summary of a kind."""
    return summary(report_of_kind(kind))


@pytest.fixture(scope="session")
def measured(browser: Browser, stylesheet: str) -> dict[str, Any]:
    """What every kind is like at every width."""
    return browser.measured(
        {f"{kind}-{width}": (page(shown(kind), stylesheet), width) for kind in KINDS for width in WIDTHS}
    )


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", FAILING)
def test_picture__of_a_failing_pull_request_has_its_first_finding_near_the_top(
    kind: str, width: int, measured: dict[str, Any]
) -> None:
    assert measured[f"{kind}-{width}"]["first"] < TOP


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_picture__nothing_overflows_and_it_stays_a_page(kind: str, width: int, measured: dict[str, Any]) -> None:
    told = measured[f"{kind}-{width}"]
    assert told["wide"] == []
    assert told["open"] <= 0
    assert told["height"] < TALLEST


def test_hostile__text_is_text_in_a_browser_too(browser: Browser, stylesheet: str) -> None:
    spare = ("repository", "url", "head")
    pages = {
        f"n{number}-{kind}": (page(summary(poisoned(report_of_kind(kind), text, spare=spare)), stylesheet), 390)
        for number, text in enumerate(NASTY)
        for kind in ("failing", "overridden")
    }
    for told in browser.measured(pages).values():
        assert OURS.issuperset(told["tags"])
        assert all(link.startswith("https://github.com/octo/shop/") for link in told["links"])


def test_pictures__are_saved(
    request: pytest.FixtureRequest, browser: Browser, stylesheet: str, measured: dict[str, Any]
) -> None:
    if not request.config.getoption("--save-pictures"):
        pytest.skip("the pictures are made anew with --save-pictures")
    DOCS.mkdir(parents=True, exist_ok=True)
    browser.photograph(checks_box(report_of_kind("failing"), stylesheet), WIDTHS[0], 330, DOCS / "checks-1012.png")
    for kind in KINDS:
        for width in WIDTHS:
            height = measured[f"{kind}-{width}"]["height"]
            browser.photograph(page(shown(kind), stylesheet), width, height, DOCS / f"{kind}-{width}.png")
    (DOCS / "README.md").write_text("\n".join(_index(measured)) + "\n", encoding="utf-8")


def _index(measured: dict[str, Any]) -> Iterator[str]:
    yield "# The summary in pictures"
    yield ""
    yield "Made by [tests/pictures.py](../../tests/pictures.py), with GitHub's Markdown engine and stylesheet in a"
    yield f"browser, {WIDTHS[0]} and {WIDTHS[1]} pixels wide. *First* is how many pixels from the top the first finding"
    yield "or reason stands. Nothing sticks out on either side."
    yield ""
    yield "| pull request | story | first, wide | first, narrow |"
    yield "| --- | --- | --: | --: |"
    for kind, story in KINDS.items():
        told = [measured[f"{kind}-{width}"] for width in WIDTHS]
        first = " | ".join("-" if each["first"] is None else str(each["first"]) for each in told)
        yield f"| [{kind}](#{kind}) | {story or '60 findings, 1,000 comments'} | {first} |"
    for kind in KINDS:
        yield f"\n## {kind}\n"
        yield from (f"![{kind} at {width}]({kind}-{width}.png)" for width in WIDTHS)
