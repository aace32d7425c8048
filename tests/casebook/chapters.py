"""The files of ``tests/cases``: one of expectations for each chapter, and one of some whole reports.

The stories go in; the text of each file comes out, and from such a text the expectation of each story again.
"""

from __future__ import annotations

import re
from pathlib import Path

from phasegate.report.data import report_data
from tests.casebook import every
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import FULL, STORIES
from tests.casebook.expectation import expectation, laid_out
from tests.casebook.story import Story

CASES = Path(__file__).resolve().parents[1] / "cases"
REPORTS = CASES / "full.txt"
HINT = "run `python3 tests pytest --update-cases` and read the difference"
HEAD = "Made from the case book by `python3 tests pytest --update-cases`, to be read as a difference."
TITLE = re.compile(r"^=== (\S+)(?:: |\n)", re.MULTILINE)


def chapters() -> dict[str, list[Story]]:
    """The stories of each chapter in the order of their telling, by the name of its file; attacks by their kind."""
    found: dict[str, list[Story]] = {module.__name__.rpartition(".")[2]: [] for module in every.CHAPTERS}
    for story in STORIES.values():
        found[story.tell.__module__.rpartition(".")[2]].append(story)
    for attack in ATTACKS.values():
        found.setdefault(attacks_file(attack.kind), []).append(attack)
    return found


def attacks_file(kind: str) -> str:
    """The name of the file with the attacks of a kind."""
    return f"attacks-{kind.replace(' ', '-')}"


def path_of(chapter: str) -> Path:
    """The file of a chapter."""
    return CASES / f"{chapter}.txt"


def full_text(name: str) -> str:
    """The whole report on a story, as it is kept."""
    return f"{laid_out(report_data(report_of(STORIES[name])))}\n"


def chapter_text(stories: list[Story]) -> str:
    """The expectations of a chapter."""
    sections = (f"\n=== {story.name}: {expectation(story, report_of(story))}" for story in stories)
    return f"{HEAD}\n{''.join(sections)}"


def sections_of(text: str) -> list[tuple[str, str]]:
    """The name and the expectation of each story in a chapter."""
    _, *parts = TITLE.split(text)
    return [(name, f"{body.rstrip()}\n") for name, body in zip(parts[::2], parts[1::2], strict=True)]


def case_files() -> dict[Path, str]:
    """Every file of ``tests/cases`` with the text that it should have."""
    expectations = {path_of(chapter): chapter_text(stories) for chapter, stories in chapters().items()}
    reports = "".join(f"\n=== {name}\n{full_text(name)}" for name in FULL)
    return expectations | {REPORTS: f"{HEAD}\n{reports}"}
