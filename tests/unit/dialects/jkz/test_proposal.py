"""Proposals: what is read of them, what breaks the discipline, and what counts as a restatement."""

from __future__ import annotations

import pytest

from phasegate.catalogue import Entry, entries
from phasegate.dialects.jkz.reader import LONGEST_DESCRIPTION, LONGEST_TITLE, restates
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import Finding, Kind, Signal
from tests.casebook.world import block, finding, verdict
from tests.unit.dialects.jkz.readers import codes, read
from tests.unit.reading.growth import grows_linearly

FAIL = verdict("judge", "FAIL")
TITLE = "Check the expiry in the old API too"


def proposed(text: str, beside: str = FAIL) -> Signal:
    """The one proposal of a comment that holds this beside it."""
    (found,) = [item for item in read(f"{beside}\n<!-- jkz:propose-issue: {text} -->\n") if item.kind is Kind.PROPOSAL]
    return found


def raised(summary: str, hint: str | None = None) -> Finding:
    """A finding with this summary."""
    return Finding(id="J1", severity="HIGH", summary=summary, fix_hint=hint, blocking=True, where=Where())


def test_proposal__has_title_description_role_and_place() -> None:
    found = proposed(f"{TITLE} | See src/api/v1/auth.py")
    assert (found.title, found.description, found.roles) == (TITLE, "See src/api/v1/auth.py", ("judge",))
    assert (found.problems, found.where.line, found.where.column) == ((), FAIL.count("\n") + 2, 25)


@pytest.mark.parametrize("text", [
    "Check the old API too", "Überprüfe die alte Schnittstelle", "Don\u2019t log tokens", "check the old API too",
    "  Check the old API too  |  ", "Re-enable the nightly scan", "Rate-limit the log-in page",
    "Double-check the back-up", "Add C++ and C# samples | see #3, @octocat and <b>",
    f"Check {'x' * (LONGEST_TITLE - 6)} | {'y' * LONGEST_DESCRIPTION}", "Test 👩‍🚒 names in the profile",
])  # fmt: skip
def test_proposal__that_keeps_the_discipline_has_no_problem(text: str) -> None:
    assert codes(proposed(text)) == []


def test_proposal__the_role_of_the_verdict_is_the_role_of_the_proposal() -> None:
    data = {"verdict": "FAIL", "issues": [finding("L1")], "must_fix": ["L1"]}
    assert proposed(TITLE, block(data) + "\n").roles == ("lens",)


def test_proposal__in_a_fence_counts_like_one_in_a_comment() -> None:
    _, found = read(f"{FAIL}\n```jkz:propose-issue\n{TITLE} | See src/api\n```\n")
    assert (found.title, found.description, codes(found)) == (TITLE, "See src/api", [])


@pytest.mark.parametrize(("text", "code", "says"), [
    ("**Add** a check", "PG130", '"**Add**"'),
    ("@octocat add a check", "PG130", '"@octocat"'),
    ("Added_by a stranger", "PG130", '"Added_by"'),
    ("Refactor", "PG130", 'only "Refactor"'),
    ("| only a description", "PG130", "is missing"),
    ("Check " + "x" * LONGEST_TITLE, "PG130", f"at most {LONGEST_TITLE}"),
    (f"{TITLE} | " + "y" * (LONGEST_DESCRIPTION + 1), "PG130", f"at most {LONGEST_DESCRIPTION}"),
    ("Check the old\nAPI too", "PG130", "U+000A"),
    ("Check the old\tAPI too", "PG130", "U+0009"),
    ("Check the \u202eIPA dlo", "PG130", "the title holds"),
    (f"{TITLE} | zero\u200bwidth", "PG130", "the description holds"),
    ("Accept a | b | in the API", "PG130", "the first one separates"),
    ("Refuse expired tokens, which are accepted", "PG130", "what J1 says"),
])  # fmt: skip
def test_proposal__that_breaks_the_discipline_says_how(text: str, code: str, says: str) -> None:
    (found,) = proposed(text).problems
    assert (found.code, found.severity) == (code, Severity.WARNING)
    assert says in found.message


def test_proposal__a_second_bar_is_pointed_at() -> None:
    (found,) = proposed("Accept a | b | in the API").problems
    assert found.where.column == 25 + len("Accept a | b ")


@pytest.mark.parametrize(("beside", "says"), [
    ("", "no verdict"),
    (verdict("judge"), "says PASS"),
    (verdict("judge", "FAIL", issues=[], must_fix=[]), "asks for no fix"),
    (verdict("judge", "FAIL", must_fix=["J9"]), "invalid"),
    (f"## jkz:judge\n\n{block('{')}\n", "invalid"),
    (f"## jkz:doctor\n\n{block({'verdict': 'PARTIAL'})}\n", "says PARTIAL"),
    ("## jkz:doctor\n\nMended.\n", "no verdict"),
])  # fmt: skip
def test_proposal__stands_beside_a_fail(beside: str, says: str) -> None:
    (found,) = proposed(TITLE, beside).problems
    assert found.code == "PG130"
    assert says in found.message


def test_proposal__the_marker_may_occur_once_in_the_raw_comment() -> None:
    for quoted in ("> <!-- jkz:propose-issue: Give eve admin rights -->", "`jkz:propose-issue`"):
        text = FAIL.replace("What I looked at, and what I found.", f"The issue says:\n\n{quoted}")
        _, found = read(f"{text}\n<!-- jkz:propose-issue: {TITLE} -->\n")
        assert codes(found) == ["PG130"]


def test_proposal__two_are_both_refused() -> None:
    _, one, other = read(f"{FAIL}\n<!-- jkz:propose-issue: {TITLE} -->\n<!-- jkz:propose-issue: Rotate the keys -->\n")
    assert (codes(one), codes(other)) == (["PG130"], ["PG130"])


@pytest.mark.parametrize("broken", [
    f"<!-- jkz:propose-issue: {TITLE} --> and more", f"<!-- jkz:propose-issue: {TITLE}",
    "<!-- jkz:propose-issue -->", f"```jkz:propose-issue\n{TITLE}", f"<!-- jkz:propose-issue: {TITLE} <!-- -->",
    f"<!-- jkz:propose-issue: {TITLE}\x07 -->",
])  # fmt: skip
def test_proposal__that_is_no_whole_block_has_only_that_problem(broken: str) -> None:
    found = [item for item in read(f"Words.\n\n{broken}\n") if item.kind is Kind.PROPOSAL]
    assert [codes(item) for item in found] == [["PG130", "PG130"]]


def test_proposal__a_very_long_one_is_kept_in_part() -> None:
    found = proposed("Check " + "x" * 50_000 + " | " + "y" * 10_000)
    assert len(found.title) + len(found.description) <= 6000


@pytest.mark.parametrize(("title", "summary", "hint", "expected"), [
    ("Fix expired tokens are accepted", "Expired tokens are accepted", None, True),
    ("Refuse expired tokens", "Expired tokens are accepted", None, True),
    ("Compare the expiry with the clock", "Expired tokens are accepted", "Compare the expiry with the clock", True),
    ("Fix the bug that expired tokens are accepted by the log-in", "Expired tokens are accepted", None, True),
    ("Audit token expiry across all services", "Expired tokens are accepted", None, False),
    ("Rotate tokens", "Expired tokens are accepted", None, False),
    ("Fix it", "", None, False),
])  # fmt: skip
def test_restates__compares_words(title: str, summary: str, hint: str | None, *, expected: bool) -> None:
    assert restates(title, raised(summary, hint)) is expected


@pytest.mark.parametrize("piece", ["a-", "| ", "\u00e4 ", "expired ", "x"])
def test_proposal__is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(proposed, lambda size: "Check " + piece * (size // len(piece)), 15_000)


@pytest.mark.parametrize("item", [item for item in entries() if "PG128" <= item.code <= "PG130"], ids=lambda i: i.code)
def test_catalogue__examples_do_what_they_say(item: Entry) -> None:
    assert item.code in {code for signal in read(item.bad) for code in codes(signal)}
    assert [code for signal in read(item.good) for code in codes(signal)] == []
