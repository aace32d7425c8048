"""The step summary: readable, the same each time, inert and bounded."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from phasegate.model.problem import Severity, Where
from phasegate.model.report import Disposition, Note, NoteKind, State, Withheld
from phasegate.model.signal import Outcome
from phasegate.report.data import report_text
from phasegate.report.summary.page import summary
from tests.unit.report.builders import (
    BASE,
    HEAD,
    comment,
    failing_report,
    finding,
    passed,
    phase,
    problem,
    report,
    round_of,
    route,
    signal_report,
    source,
)
from tests.unit.report.oracle import NASTY, commands, rendering
from tests.unit.report.poison import poisoned

GOLDEN = Path(__file__).with_name("failing-summary.md")
OURS = {
    *("h2", "h3", "p", "strong", "code", "a", "br", "ul", "li", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}
GREEN = report(State.SUCCESS, phase("build", State.SUCCESS, passed("judge")))


def test_summary__reads_as_the_golden_file() -> None:
    assert summary(failing_report()) == GOLDEN.read_text(encoding="utf-8")


def test_summary__is_the_same_each_time() -> None:
    assert summary(failing_report()) == summary(failing_report())


def test_summary__leaves_empty_sections_out() -> None:
    assert re.findall("^### .*", summary(GREEN), re.MULTILINE) == []
    assert "<details>" in summary(GREEN)


def test_summary__shows_a_phase_that_did_not_run() -> None:
    given = report(State.SUCCESS, phase("qa", notes=(Note(kind=NoteKind.OPTIONAL),)), way=route())
    assert '| QA | ✅ success (not run) | Optional (bug by label "bug" of `#7`) and not run |' in summary(given)


def test_summary__says_why_success_is_withheld() -> None:
    given = replace(GREEN, state=State.PENDING, withheld=Withheld.SHARED_HEAD, siblings=(13,))
    assert summary(given).startswith("## ⏳ Phase Gate: pending on ")
    assert summary(given).count("Withheld: `#13` has the same head commit") == 1


def test_summary__shows_a_note_that_nothing_else_tells() -> None:
    given = replace(failing_report(), withheld=Withheld.SHARED_HEAD, siblings=(13,))
    assert "ask Judge again\n\nWithheld: `#13` has the same head commit\n\n| Phase" in summary(given)


def test_summary__links_the_cells_of_the_grid_to_their_comments() -> None:
    said = round_of("3f2a91c", current=True, judge="PASS")
    votes = tuple(replace(vote, signal="comment-1/verdict") for vote in said.votes)
    given = report(State.SUCCESS, phase("build", rounds=(replace(said, votes=votes),)), signals=(signal_report(1),))
    assert f"| Judge | [✅ PASS]({comment(1)}) |" in summary(given)


def test_summary__shows_the_first_the_present_and_the_last_of_many_rounds() -> None:
    rounds = tuple(round_of(f"c{number}", current=number == 4, judge="FAIL") for number in range(20))
    text = summary(report(State.FAILURE, phase("build", State.FAILURE, rounds=rounds)))
    header = "| Build | `c0` | … 3 more | **`c4` now** | … 9 more | `c14` | `c15` | `c16` | `c17` | `c18` | `c19` |"
    assert header in text
    assert len(set(rendering(text).tables[1])) == 1


def test_summary__shows_eight_rounds_whole() -> None:
    rounds = tuple(round_of(f"c{number}", current=number == 7, judge="BLOCKED") for number in range(8))
    text = summary(report(State.FAILURE, phase("build", State.FAILURE, rounds=rounds)))
    assert "more" not in text
    assert "| Judge | BLOCKED | BLOCKED |" in text


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("src/auth.py:42", f"{BASE}/blob/{HEAD}/src/auth.py#L42"),
        ("a_b/c.d:7", f"{BASE}/blob/{HEAD}/a_b/c.d#L7"),
        ("a-b.c/d.e:1-20", f"{BASE}/blob/{HEAD}/a-b.c/d.e#L1-L20"),
        ("src/auth.py", None),
        ("src/auth.py:0", None),
        ("/etc/passwd:1", None),
        ("../other/repo:1", None),
        ("src/../../x:1", None),
        ("./src/x:1", None),
        ("src//x:1", None),
        ("https://evil.example/x:1", None),
        ("src/a b.py:1", None),
        ("src/auth.py:42\n", None),
        ("src/auth.py:\u0664\u0662", None),
    ],
)
def test_summary__links_only_clean_locations(location: str, target: str | None) -> None:
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=(finding(location=location),))
    links = rendering(summary(report(State.FAILURE, signals=(verdict,)))).links
    assert [link for link in links if "/blob/" in link] == ([target] if target else [])


def test_summary__links_no_location_without_a_commit() -> None:
    verdict = signal_report(1, "auditor", Outcome.FAIL, findings=(finding(),), commit=None)
    assert "/blob/" not in summary(report(State.FAILURE, signals=(verdict,)))


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/pull/12#issuecomment-1",
        f"{BASE}-evil/pull/12",
        f"{BASE}/../../evil/repo",
        f"{BASE}/pull/12)![x](https://evil.example",
        f"{BASE}/pull/12 title",
        f"{BASE}/pull/12\nx",
        BASE,
        "javascript:alert(1)",
        "",
    ],
)
def test_summary__links_no_comment_outside_the_repository(url: str) -> None:
    verdict = signal_report(1, "judge", disposition=Disposition.IGNORED, written=source(1, url=url))
    given = report(State.FAILURE, signals=(verdict,), problems=(problem("PG101", "wrong", Where(url=url)),))
    ours = {f"{BASE}/pull/12", f"{BASE}/commit/{HEAD}"}
    assert set(rendering(summary(given)).links) == ours


@pytest.mark.parametrize(
    "url", ["https://github.com/octo/other/pull/12", "https://evil.example", "", f"{BASE}/pull/12 x"]
)
def test_summary__links_nothing_if_the_pull_request_is_elsewhere(url: str) -> None:
    text = summary(replace(failing_report(), url=url))
    assert rendering(text).links == ()
    assert "on `octo/shop#12` at `3f2a91c`" in text


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("spare", [("repository", "url", "head"), ()], ids=["foreign fields", "all fields"])
def test_summary__is_inert_whatever_a_field_holds(text: str, spare: tuple[str, ...]) -> None:
    given = poisoned(failing_report(), text, spare=spare)
    shown = rendering(summary(given))
    assert shown.tags <= OURS
    assert all(link.startswith(f"{BASE}/") for link in shown.links)
    assert not re.search(r"@|<|>|\[|\]|\||`|evil|forged|[0-9a-f]{7}", shown.loose)
    assert set(re.findall(r"#\w*", shown.loose)) <= {"#12"}
    assert all(len(set(table)) == 1 for table in shown.tables)
    assert commands(summary(given)) == []
    assert commands(report_text(given)) == []


def test_summary__groups_problems_by_document_the_gravest_first() -> None:
    found = (
        problem("PG105", "light", Where(url=comment(1)), severity=Severity.WARNING),
        problem("PG101", "grave", Where(url=comment(2))),
        problem("PG102", "grave too", Where(url=comment(1)), hint=""),
        problem("PG999", "nowhere", Where(), severity=Severity.NOTICE),
    )
    text = summary(report(State.FAILURE, problems=found))
    assert text.index("pull/12#issuecomment-2") < text.index("PG101") < text.index("pull/12#issuecomment-1")
    assert text.index("PG102") < text.index("PG105") < text.index("**Elsewhere**") < text.index("PG999")
    assert "- ❌ error `PG102`: grave too\n" in text


def test_summary__names_each_of_several_issues() -> None:
    way = route()
    other = replace(way.issues[0], number=8, url="https://github.com/octo/other/issues/8", qa_required=True, quick=True)
    several = replace(way, issues=(way.issues[0], other), qa_required=True, qa_failed=True)
    text = summary(report(State.PENDING, way=several))
    assert '- bug by label "bug" of `#7`: QA is required because QA has failed this pull request before\n' in text
    assert f'- [#7]({BASE}/issues/7): bug by label "bug" of `#7`: QA is optional\n' in text
    assert '- `#8`: bug by label "bug" of `#7`: QA is required, quick route\n' in text


def test_summary__says_that_an_account_is_gone() -> None:
    gone = replace(source(1), author=None)
    text = summary(
        report(State.PENDING, signals=(signal_report(1, None, disposition=Disposition.IGNORED, written=gone),))
    )
    assert "- No role: PASS by a deleted account" in text


def test_summary__puts_what_must_be_fixed_first() -> None:
    minor = replace(finding("J1"), severity="LOW")
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=(minor, finding("J2")))
    signal = replace(verdict.vote.signal, must_fix=("J2",))
    text = summary(report(State.FAILURE, signals=(replace(verdict, vote=replace(verdict.vote, signal=signal)),)))
    assert text.index("**`J2`** HIGH, must fix:") < text.index("**`J1`** LOW:")


def test_summary__shows_only_findings_that_count() -> None:
    verdicts = (
        signal_report(1, "judge", Outcome.FAIL, Disposition.SUPERSEDED, findings=(finding(),)),
        signal_report(2, "judge", Outcome.PASS, findings=(finding(),)),
    )
    assert "### Findings" not in summary(report(State.FAILURE, signals=verdicts))


def test_summary__stays_within_its_size_and_says_what_is_missing() -> None:
    many = tuple(problem("PG101", "wrong " * 60 + str(number), Where(url=comment(number))) for number in range(150))
    given = replace(failing_report(), problems=many)
    whole = len(summary(given).encode())
    assert "✂️" not in summary(given, whole)
    for limit in [0, 100, 600, *range(1000, whole, 9_001), whole - 1]:
        text = summary(given, limit)
        assert len(text.encode()) <= limit
        assert rendering(text).tags <= OURS
    cut = summary(given, 30_000)
    assert re.search(r"✂️ Left out to stay within the size limit: \d+ of 150 problems", cut)
    assert cut.index("## ❌") < cut.index("### Findings") < cut.index("✂️") < cut.index("<details>")
    assert len(cut.encode()) > 25_000


def test_summary__keeps_what_matters_when_there_is_little_room() -> None:
    text = summary(failing_report(), 2_000)
    assert "**Now:** Doctor: fix `J1`, `J2`; then ask Judge again" in text
    assert "| Build | ❌ failure |" in text
    assert "2 of 2 findings" in text
