"""The places of a page that a described format may read from: front matter, first and last line, fences, labels."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Fault, Position
from phasegate.reading.markdown.page import Carrier, Page, Passage, Stands
from tests.unit.reading.growth import grows_linearly


def told(passage: Passage | None) -> tuple[str, int, int] | None:
    """A passage as text, line and column."""
    return None if passage is None else (passage.text, passage.position.line, passage.position.column)


@pytest.mark.parametrize(("text", "expected"), [
    pytest.param("---\nverdict: clean\n---\n\nWords.", "verdict: clean", id="closed"),
    pytest.param("---\r\na: 1\r\nb: 2\r\n---\r\n", "a: 1\nb: 2", id="line-ends-of-the-web-form"),
    pytest.param("---\na: 1\n...\nb: 2\n---\n", "a: 1\n...\nb: 2", id="dots-close-nothing"),
    pytest.param("---\n---\nWords.", "", id="empty"),
    pytest.param("---\na: |\n  ---\n---", "a: |\n  ---", id="indented-dashes-close-nothing"),
    pytest.param("---\na: 1\n--- \n---", "a: 1\n--- ", id="dashes-and-a-space-close-nothing"),
])  # fmt: skip
def test_front_matter__is_what_stands_between_the_lines(text: str, expected: str) -> None:
    found = Page.of(text).front_matter
    assert found == Passage(text=expected, position=Position(line=2, column=1))


@pytest.mark.parametrize(
    "text",
    ["", "Words.", "\n---\na: 1\n---", "--- \na: 1\n---", "----\na: 1\n---", " ---\na: 1\n---", "\ufeff---\n---"],
)
def test_front_matter__begins_with_the_very_first_line(text: str) -> None:
    assert Page.of(text).front_matter is None


@pytest.mark.parametrize("text", ["---", "---\n", "---\na: 1\n", "---\na: 1\n ---\n", "---\na: 1\n---x"])
def test_front_matter__that_is_not_closed_is_a_fault(text: str) -> None:
    found = Page.of(text).front_matter
    assert isinstance(found, Fault)
    assert (found.code, found.position) == ("PG032", Position(line=1, column=1))
    assert "not closed" in found.message


@pytest.mark.parametrize(("text", "first", "last"), [
    pytest.param("PASS", ("PASS", 1, 1), ("PASS", 1, 1), id="one-line"),
    pytest.param("\n \t\n  PASS  \nmore\n\nDone.\n\n", ("PASS", 3, 3), ("Done.", 6, 1), id="blank-lines-around"),
    pytest.param("## PASS ##\n\n###   Done", ("PASS", 1, 4), ("Done", 3, 7), id="headings"),
    pytest.param("PASS\n====\n\nx\ny", ("PASS", 1, 1), ("y", 5, 1), id="underlined-heading-first"),
    pytest.param("One\nTwo\n---", ("One", 1, 1), None, id="the-underline-is-no-text"),
    pytest.param("x\n    # y", ("x", 1, 1), ("# y", 2, 5), id="indented-sign-in-a-paragraph"),
    pytest.param("> PASS\n\n- PASS", None, None, id="quote-and-list"),
    pytest.param("> x\nPASS", None, None, id="lazy-line-of-a-quote"),
    pytest.param("```\nPASS\n```", None, None, id="fence"),
    pytest.param("    PASS", None, None, id="indented-code"),
    pytest.param("<!-- x -->\n\nPASS", None, ("PASS", 3, 1), id="comment-first"),
    pytest.param("PASS\n<!-- x -->", ("PASS", 1, 1), None, id="comment-last"),
    pytest.param("<details>\n\nPASS\n\n</details>", None, None, id="element"),
    pytest.param("<b>\n\nPASS", None, None, id="behind-an-open-element"),
    pytest.param("[a]: /u '\nPASS'", None, None, id="link-definition"),
    pytest.param("x `a\nPASS`", None, None, id="code-over-lines"),
    pytest.param("[\nPASS\n](<`> )", None, None, id="link-that-is-not-plain"),
    pytest.param("| a |\n|---|\n| PASS |", None, None, id="table"),
    pytest.param("---\nPASS\n\nx", None, ("x", 4, 1), id="rule"),
    pytest.param("x\n\n\x0cPASS", ("x", 1, 1), None, id="behind-a-doubt"),
    pytest.param("#\n\n#", None, None, id="empty-headings"),
    pytest.param("", None, None, id="nothing"),
    pytest.param(" \n\t\n", None, None, id="blank"),
])  # fmt: skip
def test_first_and_last_line__are_lines_that_a_reader_sees(
    text: str, first: tuple[str, int, int] | None, last: tuple[str, int, int] | None
) -> None:
    page = Page.of(text)
    assert (told(page.first_line), told(page.last_line)) == (first, last)


def test_fences__are_all_closed_ones_at_top_level() -> None:
    inside = "- ```\n  x\n  ```\n\n> ```\n> x\n> ```\n"
    text = f"```json title=x\n{{}}\n\n[]\n```\n~~~\n~~~\n\n  ````yaml\n  a: 1\n  ````\n{inside}\n```\nx"
    found = Page.of(text).fences
    assert [(item.marker, item.payload, item.first_line, item.last_line) for item in found] == [
        ("json title=x", "{}\n\n[]", 1, 5),
        ("", "", 6, 7),
        ("yaml", "  a: 1", 9, 11),
    ]
    assert [item.position for item in found] == [Position(line=line, column=1) for line in (2, 7, 10)]
    assert all(item.fault is None for item in found)


@pytest.mark.parametrize(
    "text", ["<details>\n\n```\nx\n```\n\n</details>", "<b>\n\n```\nx\n```", "x\ry\n\n```\nx\n```"]
)
def test_fences__that_something_holds_or_nobody_can_place_are_left_out(text: str) -> None:
    assert Page.of(text).fences == ()


def test_fences__name_a_character_that_readers_differ_on() -> None:
    (found,) = Page.of("```json\n{\x1b}\n```").fences
    assert found.fault is not None
    assert (found.fault.code, found.fault.position) == ("PG035", Position(line=2, column=2))


@pytest.mark.parametrize(("text", "expected"), [
    pytest.param("Verdict: clean", [("clean", 1, 10)], id="plain"),
    pytest.param("**Verdict:** clean", [("clean", 1, 14)], id="colon-inside"),
    pytest.param("**Verdict**: clean", [("clean", 1, 14)], id="colon-outside"),
    pytest.param("__Verdict:__ clean", [("clean", 1, 14)], id="underscores"),
    pytest.param("**Verdict: clean**", [("clean", 1, 12)], id="all-of-it"),
    pytest.param("**Verdict:** **clean**", [("clean", 1, 16)], id="the-value-too"),
    pytest.param("Verdict: **a** and **b**", [("**a** and **b**", 1, 10)], id="emphasis-inside-the-value"),
    pytest.param("Words.\n  Verdict:\tclean  \nMore.", [("clean", 2, 12)], id="among-others"),
    pytest.param("Verdict:", [("", 1, 9)], id="without-a-value"),
    pytest.param("Verdict: a: b", [("a: b", 1, 10)], id="a-second-colon"),
    pytest.param("Verdict: a\n\nVerdict: b", [("a", 1, 10), ("b", 3, 10)], id="twice"),
    pytest.param("Verdict clean", [], id="without-a-colon"),
    pytest.param("Verdicts: clean", [], id="another-word"),
    pytest.param("verdict: clean", [], id="another-case"),
    pytest.param("The Verdict: clean", [], id="later-on-the-line"),
    pytest.param("**Verdict: clean", [], id="emphasis-without-end"),
    pytest.param("**Verdict:__ clean", [], id="two-kinds-of-emphasis"),
    pytest.param("> Verdict: clean", [], id="quote"),
    pytest.param("- Verdict: clean", [], id="list"),
    pytest.param("# Verdict: clean", [], id="heading"),
    pytest.param("`Verdict: clean`", [], id="code"),
    pytest.param("```\nVerdict: clean\n```", [], id="fence"),
    pytest.param("<!--\nVerdict: clean\n-->", [], id="comment"),
    pytest.param("<details>\n\nVerdict: clean\n\n</details>", [], id="element"),
    pytest.param("---\nVerdict: clean\n---", [], id="front-matter"),
])  # fmt: skip
def test_labelled__finds_lines_that_begin_with_the_label(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert [told(item) for item in Page.of(text).labelled("Verdict")] == expected


def test_labelled__takes_signs_in_the_label_for_letters() -> None:
    assert [item.text for item in Page.of("Go (y/n)?: y").labelled("Go (y/n)?")] == ["y"]
    assert Page.of("Verdict: x").labelled("V.*") == ()


@pytest.mark.parametrize(
    "piece",
    ["---\n", "\n", " ", "Verdict: ", "Verdict: x\n", "**Verdict: ", "**Verdict:** **", "```\n", "# x\n", "**V", "_"],
)
@pytest.mark.parametrize("first", ["", "**Verdict: x", "---\n"])
def test_places__are_found_in_linear_time(first: str, piece: str) -> None:
    def places(text: str) -> object:
        page = Page.of(text)
        return page.front_matter, page.first_line, page.last_line, page.fences, page.labelled("Verdict")

    assert grows_linearly(places, lambda size: first + piece * (size // len(piece)), 8_000)


@pytest.mark.parametrize(("before", "after", "counts"), [
    pytest.param("<details>", "</details>", True, id="a-fold"),
    pytest.param("<details>\n\n<details>", "</details>\n\n</details>", True, id="a-fold-in-a-fold"),
    pytest.param("<div>\n\n<details>", "</details>\n\n</div>", False, id="a-fold-in-something-else"),
    pytest.param("<pre>\n<details>", "</details>\n</pre>", False, id="a-fold-that-is-only-shown"),
    pytest.param("<details>", "", False, id="a-fold-without-an-end"),
])  # fmt: skip
def test_begun_with__in_a_fold_and_in_nothing_else(before: str, after: str, counts: bool) -> None:  # noqa: FBT001
    page = Page.of(f"Words.\n\n{before}\n\n<!-- ours: 1 -->\n\n{after}\n")
    assert isinstance(page.begun_with("ours:", Stands.FOLDED), Carrier) is counts
    assert not isinstance(page.begun_with("ours:", Stands.ANYWHERE), Carrier)
