"""The step summary: read in ten seconds, the same each time, inert and bounded."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from phasegate.model import plan
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Disposition, NeedKind, NeedState, Note, NoteKind, Report, State, Why, Withheld
from phasegate.model.signal import Outcome
from phasegate.report.inert import Links
from phasegate.report.summary.overview import overview
from phasegate.report.summary.page import comment_text, summary
from phasegate.report.summary.sections import problems
from tests.casebook import world
from tests.casebook.chapters import HINT
from tests.casebook.update import SUMMARIES
from tests.pictures import KINDS, report_of_kind
from tests.unit.report.builders import (
    BASE,
    HEAD,
    comment,
    earlier,
    failed,
    failing_report,
    finding,
    need,
    overridden,
    passed,
    phase,
    problem,
    report,
    round_of,
    route,
    signal_report,
    source,
)
from tests.unit.report.oracle import rendering

GREEN = report(State.SUCCESS, phase("build", State.SUCCESS, passed("judge")))
SPACE = "\N{NO-BREAK SPACE}"
PLAN, STATE = ".pipeline/7/plan.json", ".pipeline/7/state.json"
FILES = f"{BASE}/blob/{HEAD}"
AWAITED = (NeedState.WAITING, Why.MISSING)


@pytest.mark.parametrize("kind", KINDS)
def test_summary__reads_as_its_golden_file(kind: str) -> None:
    assert summary(report_of_kind(kind)) == (SUMMARIES / f"{kind}.md").read_text(encoding="utf-8"), HINT


def test_goldens__are_all_shown() -> None:
    assert {path.stem for path in SUMMARIES.iterdir()} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_summary__begins_with_one_screen(kind: str) -> None:
    head, _, rest = summary(report_of_kind(kind)).partition("| | Phase | |")
    assert head.count("\n## ") == 0
    assert head.startswith("## ")
    assert head.partition("<details>")[0].count("\n- ") <= 5
    assert rest.count("<details>") == rest.count("</details>")


@pytest.mark.parametrize("kind", KINDS)
def test_summary__says_nothing_twice(kind: str) -> None:
    shown = report_of_kind(kind)
    text = summary(shown).partition("Prompt for the")[0]
    for blocker in overview(shown).blockers:
        assert text.count(blocker.text) <= 1, blocker.text
    assert len(summary(shown).encode()) < 60_000


def test_summary__is_the_same_each_time() -> None:
    assert summary(failing_report()) == summary(failing_report())


def test_summary__of_a_green_has_no_prompt_and_no_empty_folds() -> None:
    assert re.findall("<summary>(.*)</summary>", summary(GREEN)) == ["Evidence"]
    assert "Next" not in summary(GREEN)


@pytest.mark.parametrize(("notes", "headline"), [
    ((), "✅ Ready to merge"),
    ((overridden("hotfix"),), "⚠️ Ready to merge: QA overridden by mona"),
    ((Note(kind=NoteKind.OPTIONAL),), "✅ Ready to merge: QA not run"),
    ((Note(kind=NoteKind.TURNED_OFF),), "✅ Ready to merge: QA not run"),
])  # fmt: skip
def test_summary__a_green_says_what_it_rests_on(notes: tuple[Note, ...], headline: str) -> None:
    needs = () if notes and notes[0].kind is not NoteKind.OVERRIDDEN else (passed("lens"),)
    given = report(State.SUCCESS, phase("qa", State.SUCCESS, *needs, notes=notes), way=route())
    assert summary(given).startswith(f"## {headline}\n")


def test_summary__strikes_out_what_an_override_left_open() -> None:
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=(finding(),))
    qa = phase("qa", State.SUCCESS, failed("judge", "J1", signal="comment-1/verdict"), notes=(overridden("hotfix"),))
    text = summary(report(State.SUCCESS, qa, signals=(verdict,)))
    assert 'mona overrode QA: "hotfix"\n' in text
    assert "- <del>**J1 · HIGH** Expired tokens are accepted</del>" in text


@pytest.mark.parametrize(("withheld", "headline"), [
    (Withheld.SHARED_HEAD, "Success is withheld"),
    (Withheld.CLOSED, "Closed without merging"),
    (Withheld.NOTHING_JUDGED, "Nobody has looked at this: no phase had to judge it"),
])  # fmt: skip
def test_summary__says_why_success_is_withheld(withheld: Withheld, headline: str) -> None:
    given = replace(GREEN, state=State.PENDING, withheld=withheld, siblings=(13,))
    assert summary(given).startswith(f"## ⏳ {headline}\n\n**Next →** ")


def test_summary__a_phase_that_waits_for_another_is_no_blocker() -> None:
    verdict = signal_report(1, "lens", Outcome.FAIL, findings=(finding("L1"),))
    qa = phase("qa", State.PENDING, earlier("build"), failed("lens", "L1", signal="comment-1/verdict"))
    given = report(State.PENDING, phase("build", State.PENDING, need("judge", *AWAITED)), qa, signals=(verdict,))
    assert summary(given).startswith("## ⏳ Build waits for Judge\n")
    assert "**L1" not in summary(given).partition("| Phase")[0]
    assert f"| ⚪ | QA | after Build: ❌{SPACE}[Lens]({comment(1)}) failed |" in summary(given)


@pytest.mark.parametrize("why", Why)
def test_summary__has_words_for_every_reason(why: Why) -> None:
    kind = NeedKind.PLAN if why in (Why.PASSED, Why.SPENT) else NeedKind.SEAT
    state = AWAITED[0]
    given = report(State.PENDING, phase("build", State.PENDING, need("judge", state, why, kind, issue=7)))
    row = summary(given).partition("| ⏳ | **Build** |")[2].partition("|")[0]
    assert row.strip()
    assert overview(given).headline.startswith("Build")


def test_summary__says_of_evidence_commits_that_the_content_is_the_same() -> None:
    rounds = (round_of("a1b2c3d", judge="FAIL"), round_of("b2c3d4e", current=True, judge="PASS"))
    text = summary(report(State.SUCCESS, phase("build", State.SUCCESS, passed("judge"), rounds=rounds)))
    assert f"| `a1b2c3d` | **`b2c3d4e` now** (same content as `{HEAD[:7]}`) |" in text
    assert "Build round 2" in text


def test_summary__counts_rounds_only_while_they_failed() -> None:
    rounds = (round_of("a1b2c3d", judge="FAIL"), round_of("b2c3d4e", current=True, judge="PASS"))
    failing = replace(phase("build", State.SUCCESS, passed("judge"), rounds=rounds), most_rounds=4)
    passing = replace(failing, rounds=rounds[::-1])
    assert "Build round 2 of 4\n" in summary(report(State.SUCCESS, failing))
    assert "Build round 2\n" in summary(report(State.SUCCESS, passing))


def test_summary__shows_five_findings_and_folds_the_rest() -> None:
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=tuple(finding(f"J{number}") for number in range(1, 8)))
    minor = replace(verdict.vote.signal, must_fix=tuple(f"J{number}" for number in range(1, 7)))
    item = replace(verdict, vote=replace(verdict.vote, signal=minor))
    build = phase("build", State.FAILURE, failed("judge", "J1", signal="comment-1/verdict"))
    text = summary(report(State.FAILURE, build, signals=(item,)))
    first, _, rest = text.partition("<details><summary>1 more to fix, 1 finding that need not be fixed</summary>")
    assert first.startswith("## ❌ Build failed: 6 findings to fix\n")
    assert re.findall(r"\*\*(J\d)", first) == ["J1", "J2", "J3", "J4", "J5"]
    assert re.findall(r"\*\*(J\d)", rest.partition("| Phase")[0]) == ["J6", "J7"]


def test_summary__puts_what_must_be_fixed_first() -> None:
    minor = replace(finding("J1"), severity="LOW", summary="Typo")
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=(minor, finding("J2")))
    signal = replace(verdict.vote.signal, must_fix=("J2",))
    item = replace(verdict, vote=replace(verdict.vote, signal=signal))
    build = phase("build", State.FAILURE, failed("judge", "J2", signal="comment-1/verdict"))
    text = summary(report(State.FAILURE, build, signals=(item,)))
    assert text.index("**J2 · HIGH**") < text.index("need not be fixed") < text.index("**J1 · LOW**")


def test_summary__names_the_role_of_a_finding_where_several_fail() -> None:
    verdicts = (
        signal_report(1, "judge", Outcome.FAIL, findings=(finding(),)),
        signal_report(2, "inspector", Outcome.FAIL, findings=(finding("I1"),)),
    )
    needs = (failed("judge", signal="comment-1/verdict"), failed("inspector", signal="comment-2/verdict"))
    text = summary(report(State.FAILURE, phase("build", State.FAILURE, *needs), signals=verdicts))
    assert "**J1 · HIGH · Judge**" in text
    assert "**I1 · HIGH · Inspector**" in text


def test_summary__offers_the_line_that_names_a_bot() -> None:
    text = summary(report_of_kind("refused"))
    line = 'agents: {accounts: [{login: "helper[bot]", id: 555, app_id: 777, roles: [judge]}]}'
    assert f"(lets it speak as Judge):\n\n```text\n{line}\n```\n" in text


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


@pytest.mark.parametrize(("location", "target"), [
    ("src/auth.py:42", f"{BASE}/blob/{HEAD}/src/auth.py#L42"),
    ("a_b/c.d:7", f"{BASE}/blob/{HEAD}/a_b/c.d#L7"),
    ("a-b.c/d.e:1-20", f"{BASE}/blob/{HEAD}/a-b.c/d.e#L1-L20"),
    ("src/auth.py", None), ("src/auth.py:0", None), ("/etc/passwd:1", None), ("../other/repo:1", None),
    ("src/../../x:1", None), ("./src/x:1", None), ("src//x:1", None), ("https://evil.example/x:1", None),
    ("src/a b.py:1", None), ("src/auth.py:42\n", None), ("src/auth.py:\u0664\u0662", None),
])  # fmt: skip
def test_summary__links_only_clean_locations(location: str, target: str | None) -> None:
    verdict = signal_report(1, "judge", Outcome.FAIL, findings=(finding(location=location),))
    build = phase("build", State.FAILURE, failed("judge", "J1", signal="comment-1/verdict"))
    links = rendering(summary(report(State.FAILURE, build, signals=(verdict,)))).links
    assert [link for link in links if "/blob/" in link] == ([target] if target else [])


def test_summary__links_no_location_without_a_commit() -> None:
    verdict = signal_report(1, "auditor", Outcome.FAIL, findings=(finding(),), commit=None)
    build = phase("build", State.FAILURE, failed("auditor", "J1", signal="comment-1/verdict"))
    text = summary(report(State.FAILURE, build, signals=(verdict,)))
    assert "src/auth.py:42" in text
    assert "/blob/" not in text


@pytest.mark.parametrize("url", [
    "https://evil.example/pull/12#issuecomment-1", f"{BASE}-evil/pull/12", f"{BASE}/../../evil/repo",
    f"{BASE}/pull/12)![x](https://evil.example", f"{BASE}/pull/12 title", f"{BASE}/pull/12\nx", BASE,
    "javascript:alert(1)", "",
])  # fmt: skip
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
    assert "`octo/shop#12` at `3f2a91c`" in text


def test_summary__names_each_of_several_issues() -> None:
    way = route()
    other = replace(way.issues[0], number=8, url="https://github.com/octo/other/issues/8", qa_required=True, quick=True)
    several = replace(way, issues=(way.issues[0], other), qa_required=True, qa_failed=True)
    text = summary(report(State.PENDING, way=several))
    assert (
        '- Route: bug by label "bug" of `#7`: QA is required because QA has failed this pull request before\n' in text
    )
    assert f'- [#7]({BASE}/issues/7): bug by label "bug" of `#7`: QA is optional\n' in text
    assert '- `#8`: bug by label "bug" of `#7`: quick route\n' in text


def test_summary__says_that_an_account_is_gone() -> None:
    gone = replace(source(1), author=None)
    text = summary(
        report(State.PENDING, signals=(signal_report(1, None, disposition=Disposition.IGNORED, written=gone),))
    )
    assert "- No role: PASS by a deleted account" in text


def test_summary__shows_only_findings_that_count() -> None:
    verdicts = (
        signal_report(1, "judge", Outcome.FAIL, Disposition.SUPERSEDED, findings=(finding(),)),
        signal_report(2, "judge", Outcome.PASS, findings=(finding(),)),
    )
    assert "Expired tokens" not in summary(report(State.FAILURE, signals=verdicts))


def test_summary__stays_within_its_size_and_says_what_is_missing() -> None:
    many = tuple(problem("PG101", "wrong " * 60 + str(number), Where(url=comment(number))) for number in range(90))
    given = replace(failing_report(), problems=many)
    whole = len(summary(given).encode())
    assert "✂️" not in summary(given, whole)
    for limit in [0, 100, 600, *range(1000, whole, 9_001), whole - 1]:
        text = summary(given, limit)
        assert len(text.encode()) <= limit
        assert text.count("<details>") == text.count("</details>")
    cut = summary(given, 30_000)
    assert re.search(r"✂️ Left out to stay within the size limit: \d+ of 90 problems", cut)
    assert cut.index("## ❌") < cut.index("**J1") < cut.index("✂️")
    assert len(cut.encode()) > 25_000


def test_summary__keeps_what_matters_when_there_is_little_room() -> None:
    text = summary(failing_report(), 2_000)
    assert "**Next →** Doctor: fix J1, J2, push, then ask Judge again" in text
    assert "| ❌ | **Build** |" in text


def test_comment__is_the_first_screen_and_holds_no_trigger() -> None:
    given = report_of_kind("failing")
    text = comment_text(given, ["jkz:verdict-json", "expired TOKENS", "issuecomment"])
    assert text.startswith("<!-- phase-gate-summary -->\n## ❌ Build failed: 1 finding to fix\n")
    assert "<details>" not in text
    assert not re.search("jkz:verdict-json|expired tokens|issuecomment", text, re.IGNORECASE)
    assert f"❌{SPACE}Judge failed" in text  # an address that holds one is left out
    assert "https://github.com/octo/shop/blob/" in text


def at(code: str, where: Where, severity: Severity = Severity.ERROR) -> Problem:
    """A problem at a place."""
    return problem(code, "is wrong", where, severity=severity)


def told(*found: Problem, given: Report | None = None) -> str:
    """The section with these problems."""
    each = replace(given or report(), problems=found)
    section = problems(each, Links.of(each))
    return section.opening + "".join(section.items)


def outline(text: str) -> list[str]:
    """The headings without their links, and the codes below them, in order."""
    return [
        heading or code for heading, code in re.findall(r"^\*\*\[?`?([^`\]*]+)|^- \S+ \w+ `(\w+)`", text, re.MULTILINE)
    ]


def test_problems__each_file_is_a_group_linked_at_the_head() -> None:
    text = told(at("PG001", Where(path=PLAN, line=3, column=5, json_path="$.a")), at("PG002", Where(path=STATE)))
    plan, state = f"{FILES}/{PLAN}", f"{FILES}/{STATE}"
    assert f"**[`{PLAN}`]({plan})**\n\n- ❌ error `PG001` at [3:5]({plan}#L3) in `$.a`: is wrong" in text
    assert f"**[`{STATE}`]({state})**\n\n- ❌ error `PG002`: is wrong" in text


def test_problems__one_file_is_one_group_wherever_its_problems_stand_in_the_report() -> None:
    url = f"{FILES}/{PLAN}"
    text = told(
        at("PG003", Where(path=PLAN, line=9)), at("PG002", Where(path=STATE)), at("PG001", Where(path=PLAN, url=url))
    )
    assert outline(text) == [PLAN, "PG001", "PG003", STATE, "PG002"]


def test_problems__the_gravest_group_comes_first_and_each_goes_from_top_to_bottom() -> None:
    text = told(
        at("PG001", Where(path=STATE, line=1), Severity.NOTICE),
        at("PG004", Where(path=PLAN, line=10, column=1), Severity.NOTICE),
        at("PG003", Where(path=PLAN, line=9, column=10)),
        at("PG002", Where(path=PLAN, line=9, column=2), Severity.WARNING),
        at("PG001", Where(path=PLAN)),
    )
    assert outline(text) == [PLAN, "PG001", "PG002", "PG003", "PG004", STATE, "PG001"]


def test_problems__comments_go_from_top_to_bottom_too() -> None:
    text = told(
        at("PG003", Where(url=comment(2), line=7, column=1)),
        at("PG002", Where(url=comment(1), line=2, column=1), Severity.WARNING),
        at("PG001", Where(url=comment(2), line=4, column=1), Severity.NOTICE),
    )
    assert outline(text) == ["pull/12#issuecomment-2", "PG001", "PG003", "pull/12#issuecomment-1", "PG002"]
    assert "`PG001` at 4:1: is wrong" in text


def test_problems__equals_keep_the_order_of_the_report() -> None:
    found = [at("PG001", Where(path=path)) for path in (STATE, PLAN)] + [at("PG001", Where(url=comment(1)))]
    assert outline(told(*found))[::2] == [STATE, PLAN, "pull/12#issuecomment-1"]


def test_problems__the_policy_is_not_at_the_head() -> None:
    path = ".github/phase-gate.yml"
    given = replace(report(), provenance=replace(report().provenance, policy_source=path))
    assert f"**`{path}`**\n\n- ❌ error `PG501` at 3:1: is wrong" in told(
        at("PG501", Where(path=path, line=3, column=1)), given=given
    )


def test_problems__a_path_that_is_not_clean_is_not_linked() -> None:
    for path in ("/etc/passwd", "../x.json", "a b.json", "a/](https://evil.example)", "a//b", "\u202egnp.json"):
        assert "](" not in told(at("PG001", Where(path=path, line=1))).replace("`a/](https://evil.example)`", "")


def test_comment__begins_with_the_marker_that_the_stories_tell_of() -> None:
    assert world.COMMENT_MARKER == plan.COMMENT_MARKER
