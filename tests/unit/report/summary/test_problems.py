"""Problems in the summary: a group for each file or comment, the gravest first, from the top of each down."""

from __future__ import annotations

import re
from dataclasses import replace

from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Report
from phasegate.report.links import Links
from phasegate.report.summary.problems import problems
from tests.unit.report.builders import BASE, HEAD, comment, problem, report

PLAN, STATE = ".pipeline/7/plan.json", ".pipeline/7/state.json"
FILES = f"{BASE}/blob/{HEAD}"


def at(code: str, where: Where, severity: Severity = Severity.ERROR) -> Problem:
    """A problem at a place."""
    return problem(code, "is wrong", where, severity=severity)


def shown(*found: Problem, given: Report | None = None) -> str:
    """The section with these problems."""
    told = replace(given or report(), problems=found)
    section = problems(told, Links.of(told))
    return section.opening + "".join(section.items)


def outline(text: str) -> list[str]:
    """The headings without their links, and the codes below them, in order."""
    return [
        heading or code for heading, code in re.findall(r"^\*\*\[?`?([^`\]*]+)|^- \S+ \w+ `(\w+)`", text, re.MULTILINE)
    ]


def test_problems__each_file_is_a_group_linked_at_the_head() -> None:
    text = shown(at("PG001", Where(path=PLAN, line=3, column=5, json_path="$.a")), at("PG002", Where(path=STATE)))
    plan, state = f"{FILES}/{PLAN}", f"{FILES}/{STATE}"
    assert f"**[`{PLAN}`]({plan})**\n\n- ❌ error `PG001` at [3:5]({plan}#L3) in `$.a`: is wrong" in text
    assert f"**[`{STATE}`]({state})**\n\n- ❌ error `PG002`: is wrong" in text


def test_problems__one_file_is_one_group_wherever_its_problems_stand_in_the_report() -> None:
    url = f"{FILES}/{PLAN}"
    text = shown(
        at("PG003", Where(path=PLAN, line=9)), at("PG002", Where(path=STATE)), at("PG001", Where(path=PLAN, url=url))
    )
    assert outline(text) == [PLAN, "PG001", "PG003", STATE, "PG002"]


def test_problems__the_gravest_group_comes_first_and_each_goes_from_top_to_bottom() -> None:
    text = shown(
        at("PG001", Where(path=STATE, line=1), Severity.NOTICE),
        at("PG004", Where(path=PLAN, line=10, column=1), Severity.NOTICE),
        at("PG003", Where(path=PLAN, line=9, column=10)),
        at("PG002", Where(path=PLAN, line=9, column=2), Severity.WARNING),
        at("PG001", Where(path=PLAN)),
    )
    assert outline(text) == [PLAN, "PG001", "PG002", "PG003", "PG004", STATE, "PG001"]


def test_problems__comments_go_from_top_to_bottom_too() -> None:
    text = shown(
        at("PG003", Where(url=comment(2), line=7, column=1)),
        at("PG002", Where(url=comment(1), line=2, column=1), Severity.WARNING),
        at("PG001", Where(url=comment(2), line=4, column=1), Severity.NOTICE),
    )
    assert outline(text) == ["pull/12#issuecomment-2", "PG001", "PG003", "pull/12#issuecomment-1", "PG002"]
    assert "`PG001` at 4:1: is wrong" in text


def test_problems__equals_keep_the_order_of_the_report() -> None:
    found = [at("PG001", Where(path=path)) for path in (STATE, PLAN)] + [at("PG001", Where(url=comment(1)))]
    assert outline(shown(*found))[::2] == [STATE, PLAN, "pull/12#issuecomment-1"]


def test_problems__the_policy_is_not_at_the_head() -> None:
    path = ".github/phase-gate.yml"
    given = replace(report(), provenance=replace(report().provenance, policy_source=path))
    assert f"**`{path}`**\n\n- ❌ error `PG501` at 3:1: is wrong" in shown(
        at("PG501", Where(path=path, line=3, column=1)), given=given
    )


def test_problems__a_path_that_is_not_clean_is_not_linked() -> None:
    for path in ("/etc/passwd", "../x.json", "a b.json", "a/](https://evil.example)", "a//b", "\u202egnp.json"):
        assert "](" not in shown(at("PG001", Where(path=path, line=1))).replace("`a/](https://evil.example)`", "")
