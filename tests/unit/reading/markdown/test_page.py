"""Which block of a comment counts, why another does not, and what stands at top level: one row per trap."""

from __future__ import annotations

import pytest

from phasegate.model.problem import Fault, Position
from phasegate.reading.markdown.page import Aside, Carrier, CarrierKind, Hidden, Page, PartKind

MARKER = "jkz:verdict-json"
PREFIX = "jkz:"
JSON = '{"verdict": "PASS"}'
BLOCK = f"<!-- {MARKER}\n{JSON}\n-->"
FENCE = f"```{MARKER}\n{JSON}\n```"
PROPOSAL = "<!-- jkz:propose-issue: Split the parser | see src/parser.py -->"
DEEP = "> - " * 7
SOUND = ("jkz:propose-issue", "jkz:diagnosis-json")
ASIDE = Aside(sound=lambda carrier: carrier.marker in SOUND, markers=(PREFIX,), footers=("A footer.",))


def found(text: str) -> Carrier | Fault | None:
    """What ``locate`` says of a comment."""
    said = Page.of(text).locate(MARKER, prefix=PREFIX, aside=ASIDE)
    return said.fault if isinstance(said, Hidden) else said


@pytest.mark.parametrize(("text", "line", "column"), [
    pytest.param(BLOCK, 2, 1, id="alone"),
    pytest.param(BLOCK + "\n", 2, 1, id="alone-with-line-end"),
    pytest.param("\n \t\n" + BLOCK, 4, 1, id="blank-lines-before"),
    pytest.param(BLOCK + "\n\nProse\n\n> quote\n<details>", 2, 1, id="at-the-start"),
    pytest.param("## jkz:judge\n\nProse.\n\n" + BLOCK, 6, 1, id="at-the-end"),
    pytest.param("Prose.\n" + BLOCK + "\n\n", 3, 1, id="directly-under-a-paragraph"),
    pytest.param("- item\n" + BLOCK, 3, 1, id="directly-under-a-list"),
    pytest.param("> quote\n" + BLOCK, 3, 1, id="directly-under-a-quote"),
    pytest.param("| a |\n|---|\n| b |\n" + BLOCK, 5, 1, id="directly-under-a-table"),
    pytest.param("# Title\r\n\r\n" + BLOCK.replace("\n", "\r\n") + "\r\n", 4, 1, id="line-ends-of-the-web-form"),
    pytest.param("Prose\n\n" + BLOCK + "\n" + PROPOSAL, 4, 1, id="proposal-after"),
    pytest.param("Prose\n\n" + PROPOSAL + "\n" + BLOCK, 5, 1, id="proposal-before"),
    pytest.param(PROPOSAL + "\n\n" + BLOCK + "\n\nProse", 4, 1, id="proposal-before-at-the-start"),
    pytest.param("Prose\n\n" + BLOCK + "\n```jkz:diagnosis-json\n{}\n```\n", 4, 1, id="fence-beside"),
    pytest.param("Prose\n\n" + BLOCK + "\n<!-- other -->\n", 4, 1, id="plain-comment-after"),
    pytest.param("Prose\n\n" + BLOCK + "\n\n  A footer.  \n", 4, 1, id="footer-after"),
    pytest.param(f"Prose\n\n<!-- {MARKER} {JSON} -->", 3, 23, id="on-one-line"),
    pytest.param(f"<!-- {MARKER}: {JSON} -->", 1, 24, id="with-a-colon"),
    pytest.param(f"<!--\n\n{MARKER}\n\n  {JSON}\n\n-->", 5, 3, id="blank-lines-inside"),
    pytest.param("Prose\n\n   " + BLOCK, 4, 1, id="three-spaces"),
    pytest.param(FENCE, 2, 1, id="fence"),
    pytest.param("Prose\n" + FENCE + "\n", 3, 1, id="fence-at-the-end"),
    pytest.param(f"~~~~  {MARKER} \n{JSON}\n~~~~", 2, 1, id="fence-of-tildes"),
    pytest.param("<details>\n<summary>Log</summary>\n\nx\n\n</details>\n\n" + BLOCK, 9, 1, id="after-details"),
    pytest.param("<details>\n\nx\n\n</details>\n" + BLOCK, 7, 1, id="directly-under-details"),
    pytest.param("`<details>` and ``<a>` ``\n\n" + BLOCK, 4, 1, id="tags-in-code"),
    pytest.param("```html\n<details>\n```\n\n    <div>\n\n" + BLOCK, 8, 1, id="tags-in-code-blocks"),
    pytest.param("Returns List<String>, \\<b> and a < b.\n\n" + BLOCK, 4, 1, id="generics"),
    pytest.param("a<br>b <img src='x'> <hr/>\n\n" + BLOCK, 4, 1, id="void-elements"),
    pytest.param("The <title> and <script> tags\n\n" + BLOCK, 4, 1, id="names-that-github-shows-as-text"),
    pytest.param("<ul><li>a<li>b</ul>\n\n" + BLOCK, 4, 1, id="end-tags-that-may-be-left-out"),
    pytest.param("<!-- note -->\n\nx <!-- y --> z\n\n" + BLOCK, 6, 1, id="other-comments"),
    pytest.param("x\u2028y\u0085z\u200b\x1b[0m\n\n" + BLOCK, 4, 1, id="odd-characters-before"),
])  # fmt: skip
def test_locate__takes_the_block_that_counts(text: str, line: int, column: int) -> None:
    carrier = found(text)
    assert isinstance(carrier, Carrier)
    assert (carrier.marker, carrier.payload) == (MARKER, JSON)
    assert carrier.position == Position(line=line, column=column)
    assert carrier.fault is None


@pytest.mark.parametrize(("text", "code", "line", "message"), [
    pytest.param(BLOCK + "\n\n" + BLOCK, "PG030", 5, "occurs 2 times", id="two-blocks"),
    pytest.param(BLOCK + "\n" + FENCE, "PG030", 4, "occurs 2 times", id="both-carriers"),
    pytest.param(f"The `{MARKER}` is below.\n\n" + BLOCK, "PG030", 3, "occurs 2 times", id="named-in-prose"),
    pytest.param("```\n" + BLOCK + "\n```", "PG031", 2, "inside a code fence", id="in-a-fence"),
    pytest.param("```\n" + BLOCK, "PG031", 2, "inside a code fence", id="behind-an-open-fence"),
    pytest.param("    " + BLOCK, "PG031", 1, "inside an indented code block", id="in-indented-code"),
    pytest.param("Prose\n\n\t" + BLOCK, "PG031", 3, "inside an indented code block", id="behind-a-tab"),
    pytest.param("> " + BLOCK, "PG031", 1, "inside a quote", id="in-a-quote"),
    pytest.param("> ```\n> " + FENCE, "PG031", 2, "inside a quote", id="in-a-fence-in-a-quote"),
    pytest.param("- " + BLOCK, "PG031", 1, "inside a list item", id="in-a-list"),
    pytest.param("1. x\n\n   " + BLOCK, "PG031", 3, "inside a list item", id="in-a-list-by-indent"),
    pytest.param("x[^1]\n\n[^1]: " + BLOCK, "PG031", 3, "inside a footnote", id="in-a-footnote"),
    pytest.param(f"see `<!-- {MARKER} {JSON} -->`", "PG031", 1, "inside inline code", id="in-inline-code"),
    pytest.param("see ``\n" + MARKER + "\n``", "PG031", 2, "inside inline code", id="in-code-over-lines"),
    pytest.param("Verdict: " + BLOCK, "PG031", 1, "in a paragraph", id="in-a-paragraph"),
    pytest.param("\u200b" + BLOCK, "PG031", 1, "in a paragraph", id="behind-an-invisible-character"),
    pytest.param("\u00a0" + BLOCK, "PG031", 1, "in a paragraph", id="behind-a-hard-space"),
    pytest.param("\\" + BLOCK, "PG031", 1, "in a paragraph", id="escaped"),
    pytest.param(f"## {MARKER}", "PG031", 1, "in a heading", id="in-a-heading"),
    pytest.param(f"| a |\n|---|\n| <!-- {MARKER} x --> |", "PG031", 3, "inside a table", id="in-a-table"),
    pytest.param(f"<details>\n\n{BLOCK}\n\n</details>", "PG031", 3, "inside <details>", id="in-details"),
    pytest.param(f"<div>\n{BLOCK}\n</div>", "PG031", 2, "inside <div>, which line 1", id="in-an-html-block"),
    pytest.param(f"<hr> {BLOCK}", "PG031", 1, "behind other text", id="behind-a-tag"),
    pytest.param(f"<!-- see {MARKER} -->", "PG031", 1, "inside a piece of HTML", id="later-in-a-comment"),
    pytest.param(f"<a title='{MARKER}'>\n", "PG031", 1, "inside a piece of HTML", id="in-an-attribute"),
    pytest.param(f"```json {MARKER}\n{JSON}\n```", "PG031", 1, "not the only word", id="fence-with-more-words"),
    pytest.param(f"<!-- {MARKER}-v2 {JSON} -->", "PG031", 1, f'beginning of "{MARKER}-v2"', id="longer-name"),
    pytest.param(f"<!-- {MARKER}/x {JSON} -->", "PG031", 1, f'beginning of "{MARKER}/x"', id="longer-word"),
    pytest.param(f"<!-- jkz:note {MARKER} -->", "PG031", 1, 'HTML comment "jkz:note"', id="in-another-carrier"),
    pytest.param(f"[{MARKER}]: /x", "PG031", 1, "in a paragraph", id="in-a-link-definition"),
    pytest.param(f"</details>\n<!-- {MARKER}\n\n{JSON} -->", "PG031", 2, "line 1", id="html-ends-at-a-blank-line"),
    pytest.param(DEEP + "x\n\n" + BLOCK, "PG031", 3, "more than 12", id="after-deep-nesting"),
    pytest.param("- [a]: b\n\n\n  x\n\n" + BLOCK, "PG031", 6, "link definition", id="after-a-hollow-item"),
    pytest.param("[a]: b\n---\n\n" + BLOCK, "PG031", 4, "link definition", id="after-an-underlined-definition"),
    pytest.param("- [x] \n\n" + BLOCK, "PG031", 3, "task list item", id="after-an-empty-task"),
    pytest.param("<search>\n\n" + BLOCK, "PG031", 3, "versions of CommonMark", id="after-a-tag-of-one-version"),
    pytest.param("|" * 200 + "\n" + "|-" * 199 + "|\n\n" + BLOCK, "PG031", 4, "128 columns", id="after-a-wide-table"),
    pytest.param(f"<!-- {MARKER}\n{JSON}", "PG032", 1, "--> is missing", id="comment-not-closed"),
    pytest.param(f"Prose\n\n<!-- {MARKER}\n{JSON}\n--", "PG032", 3, "--> is missing", id="comment-half-closed"),
    pytest.param(f"```{MARKER}\n{JSON}", "PG032", 1, "ends before the code fence is closed", id="fence-not-closed"),
    pytest.param(f"````{MARKER}\n{JSON}\n```", "PG032", 1, "ends before the code fence is closed",
                 id="fence-closed-too-short"),
    pytest.param("Before\n\n" + BLOCK + "\n\nafter", "PG033", 3, "in the middle", id="in-the-middle"),
    pytest.param("Before\n\n" + BLOCK + "\n<!-- a jkz:x -->", "PG033", 3, "in the middle",
                 id="comment-with-a-marker-after"),
    pytest.param("Before\n\n" + BLOCK + "\n<!-- jkz:x", "PG033", 3, "in the middle", id="broken-proposal-after"),
    pytest.param("Before\n\n" + BLOCK + "\n\u00a0", "PG033", 3, "in the middle", id="hard-space-after"),
    pytest.param(f"<!-- {MARKER}\n<!-- x\n{JSON}\n-->", "PG034", 2, "<!-- inside", id="second-start"),
    pytest.param(f'<!-- {MARKER}\n{{"a": "--!>"}}\n-->', "PG034", 2, "--!> inside", id="end-of-browsers"),
    pytest.param(f'<!-- {MARKER}\n{{"a": "-->"}}\n-->', "PG034", 2, "text follows", id="end-in-a-string"),
    pytest.param(BLOCK + " done", "PG034", 3, "text follows", id="text-behind"),
    pytest.param(f"<!-- {MARKER} -->\n{JSON}", "PG034", 1, "right after the marker", id="json-outside"),
    pytest.param(f"<!-- {MARKER} -->\n```json\n{JSON}\n```", "PG034", 1, "right after", id="json-in-a-fence-below"),
    pytest.param(f"<!-- {MARKER}\n{JSON}\x0c\n-->", "PG035", 2, "U+000C", id="form-feed-inside"),
    pytest.param(f"<!-- {MARKER}\n\x00{JSON}\n-->", "PG035", 2, "U+0000", id="nul-inside"),
    pytest.param(f"<!-- {MARKER}\n\n\n\n{JSON}\x0b\n-->", "PG035", 5, "U+000B", id="vertical-tab-far-inside"),
    pytest.param(f"<!-- {MARKER}\n{JSON}\x85\n-->", "PG035", 2, "U+0085", id="c1-control-inside"),
    pytest.param(f"<!-- {MARKER}\n\ufeff{JSON}\n-->", "PG035", 2, "U+FEFF", id="byte-order-mark-inside"),
    pytest.param(f"```{MARKER}\n\x1b{JSON}\n```", "PG035", 2, "U+001B", id="escape-in-a-fence"),
    pytest.param(f"<!-- {MARKER}\r{JSON}\n-->", "PG035", 1, "U+000D", id="lone-carriage-return-inside"),
    pytest.param("\ufeff" + BLOCK, "PG035", 1, "U+FEFF", id="byte-order-mark-before"),
    pytest.param("Prose\rmore\n\n" + BLOCK, "PG035", 1, "U+000D", id="lone-carriage-return-before"),
    pytest.param("\x0b\n\n" + BLOCK, "PG035", 1, "U+000B", id="vertical-tab-before"),
    pytest.param("<details>\n\nx\n\n" + BLOCK, "PG036", 5, "<details>, which line 1 opens", id="open-details"),
    pytest.param("x <a href='y'>z\n\n" + BLOCK, "PG036", 3, "<a>, which line 1 opens", id="open-link"),
    pytest.param("x\ny <B\nid=1>z\n\n" + BLOCK, "PG036", 5, "<b>, which line 2 opens", id="open-tag-over-lines"),
    pytest.param("- <b>\n\n" + BLOCK, "PG036", 3, "in the list item", id="open-in-a-list"),
    pytest.param("| a |\n|-|\n| <b> |\n\n" + BLOCK, "PG036", 5, "line 3", id="open-in-a-table-cell"),
    pytest.param("<div title='x\n\n" + BLOCK, "PG036", 3, "line 1 leaves open", id="cut-off-tag"),
    pytest.param("<div>\n<!-- x\n\n" + BLOCK, "PG036", 4, "line 2 leaves open", id="cut-off-comment"),
    pytest.param("- <!-- x\n\n" + BLOCK, "PG036", 3, "line 1 leaves open", id="cut-off-comment-in-a-list"),
    pytest.param("<b><i></b></i>\n\n" + BLOCK, "PG036", 3, "</b> does not close", id="crossed-tags"),
    pytest.param("<span>\n\nx</span>\n\n" + BLOCK, "PG036", 5, "</span> does not", id="closed-in-a-paragraph"),
    pytest.param("<b> ![</b>](x)\n\n" + BLOCK, "PG036", 3, "more than one way", id="closed-in-an-image"),
    pytest.param("<b> [x](</b>)\n\n" + BLOCK, "PG036", 3, "more than one way", id="closed-in-a-link"),
    pytest.param("[x](`) <div> `y\n\n" + BLOCK, "PG036", 3, "more than one way", id="link-that-swallows-a-tick"),
    pytest.param("http://x.y/`<div>`\n\n" + BLOCK, "PG036", 3, "more than one way", id="address-that-swallows"),
    pytest.param("x <!-- y -- z -->\n\n" + BLOCK, "PG036", 3, "more than one way", id="comment-of-one-version"),
    pytest.param("x " + "`" * 81 + "<b>" + "`" * 81 + "\n\n" + BLOCK, "PG036", 3, "more", id="too-many-ticks"),
    pytest.param("`` `a` `<b>`\n\n" + BLOCK, "PG036", 3, "more than one way", id="code-after-open-ticks"),
    pytest.param("a ``` ``b ` c`` `<b>`\n\n" + BLOCK, "PG036", 3, "more than", id="code-after-passed-ticks"),
    pytest.param("x <button>\n\n</button>\n" + BLOCK, "PG036", 4, "</button> does not", id="button"),
    pytest.param("x <template> y\n\n" + BLOCK, "PG036", 3, "no place in a comment", id="template"),
    pytest.param("<td>\n\n" + BLOCK, "PG036", 3, "outside of a <table>", id="cell-without-a-table"),
    pytest.param("<xmp/x>\n<div\n\n" + BLOCK, "PG036", 4, "more than one way", id="filtered-only-by-some"),
])  # fmt: skip
def test_locate__says_why_a_block_does_not_count(text: str, code: str, line: int, message: str) -> None:
    fault = found(text)
    assert isinstance(fault, Fault), fault
    assert (fault.code, fault.position.line) == (code, line), fault
    assert message in fault.message


@pytest.mark.parametrize("text", ["", "Looks good.", "jkz:verdict", "<!-- jkz:verdict_json -->", "JKZ:VERDICT-JSON"])
def test_locate__is_silent_where_the_marker_is_not(text: str) -> None:
    assert found(text) is None


def test_locate__hints_at_the_escape() -> None:
    fault = found(f'<!-- {MARKER}\n{{"a": "x --> y"}}\n-->')
    assert isinstance(fault, Fault)
    assert r"--\u003e" in fault.hint
    assert fault.position == Position(line=2, column=14)


def test_locate__takes_a_block_of_its_own_prefix_only() -> None:
    text = "Prose\n\n<!-- other:verdict {} -->\n<!-- jkz:propose-issue: x -->"
    assert isinstance(Page.of(text).locate("other:verdict", prefix="other:"), Hidden)
    carrier = Page.of(text.partition("<!-- jkz")[0]).locate("other:verdict", prefix="other:")
    assert isinstance(carrier, Carrier)
    assert (carrier.payload, carrier.kind) == ("{}", CarrierKind.HTML_COMMENT)


def test_page__lists_the_top_level() -> None:
    text = f"## jkz:judge ##\n\nProse\nmore\n\nTitle\n=====\n\n> # quoted\n\n{PROPOSAL}\n\n{FENCE}\n<!-- note -->"
    page = Page.of(text)
    carriers = page.carriers_with(PREFIX)
    assert [(heading.level, heading.text, heading.line) for heading in page.headings] == [
        (2, "jkz:judge", 1),
        (1, "Title", 6),
    ]
    assert [(line.text, line.line) for line in page.lines] == [("Prose", 3), ("more", 4)]
    assert [(carrier.marker, carrier.kind, carrier.first_line) for carrier in carriers] == [
        ("jkz:propose-issue", CarrierKind.HTML_COMMENT, 11),
        (MARKER, CarrierKind.FENCE, 13),
    ]
    assert carriers[0].payload == "Split the parser | see src/parser.py"
    assert page.doubt is None


def test_page__splits_a_comment_into_parts() -> None:
    items = "- `a.py:3`\n\n  ```\n  output\n  ```\n- J2"
    text = f"### J1\n\n{items}\n\n<details>\n\n| a |\n|---|\n\n</details>\n\n---\n    code"
    parts = Page.of(text).parts
    assert [(part.kind, part.line, part.last_line, part.fenced, part.within) for part in parts] == [
        (PartKind.HEADING, 1, 1, False, ""),
        (PartKind.ITEM, 3, 7, True, ""),
        (PartKind.ITEM, 8, 8, False, ""),
        (PartKind.HTML, 10, 10, False, ""),
        (PartKind.TABLE, 12, 13, False, "details"),
        (PartKind.HTML, 15, 15, False, "details"),
        (PartKind.RULE, 17, 17, False, ""),
        (PartKind.CODE, 18, 18, False, ""),
    ]
    assert parts[1].text == "- `a.py:3`\n\n  ```\n  output\n  ```"


COMMAND = "/gate approve build"


@pytest.mark.parametrize(("text", "lines"), [
    pytest.param(COMMAND, [1], id="alone"),
    pytest.param(f'Thanks, `x`.\n  {COMMAND}  \nand [more](url "title")', [2], id="among-other-lines"),
    pytest.param(f"# Title\n{COMMAND}\n- list", [2], id="between-blocks"),
    pytest.param(f"Two:\r\n\r\n{COMMAND}\r\n\r\n{COMMAND}", [3, 5], id="twice"),
    pytest.param(f"> {COMMAND}\n{COMMAND}", [], id="quote"),
    pytest.param(f"```\n{COMMAND}\n```", [], id="fence"),
    pytest.param(f"    {COMMAND}", [], id="indented-code"),
    pytest.param(f"- x\n{COMMAND}\n\n  {COMMAND}", [], id="list"),
    pytest.param(f"x\n`a\n{COMMAND}\nb`", [], id="code-over-lines"),
    pytest.param(f"x\n`a\n{COMMAND}\nb", [3], id="tick-without-end"),
    pytest.param(f"<details>\n{COMMAND}\n\n{COMMAND}\n\n</details>\n\n{COMMAND}", [8], id="details"),
    pytest.param(f"a <b>\n{COMMAND}\n</b>\n{COMMAND}", [4], id="element-in-a-paragraph"),
    pytest.param(f"a <b\n{COMMAND}\n>", [2], id="no-tag"),
    pytest.param(f"a <b x='\n{COMMAND}\n'>y</b>", [], id="attribute"),
    pytest.param(f"x <!--\n{COMMAND}\n-->", [], id="comment-in-a-paragraph"),
    pytest.param(f"<!--\n{COMMAND}\n-->", [], id="comment"),
    pytest.param(f"[a\n{COMMAND}\n](x)", [], id="link"),
    pytest.param(f"![a\n{COMMAND}\n](x)", [], id="image"),
    pytest.param(f"[a]: /u '\n{COMMAND}\n'", [], id="link-definition"),
    pytest.param(f"{COMMAND}\n---", [], id="heading"),
    pytest.param(f"{COMMAND}\n:--", [], id="table-header"),
    pytest.param(f"| a |\n|---|\n{COMMAND}", [], id="table-row"),
    pytest.param(f"x[^1]\n\n[^1]: {COMMAND}", [], id="footnote"),
    pytest.param(f"<a>\n\n{COMMAND}", [], id="behind-an-open-element"),
    pytest.param(f"x\ry\n\n{COMMAND}", [], id="behind-a-lone-carriage-return"),
])  # fmt: skip
def test_page__offers_a_line_only_where_it_is_plain_text(text: str, lines: list[int]) -> None:
    assert [line.line for line in Page.of(text).lines if line.text == COMMAND] == lines


@pytest.mark.parametrize(
    "text", ["<details>\n\n## jkz:judge", "> ## jkz:judge", "- ## jkz:judge", "<b>\n\n## jkz:judge"]
)
def test_page__offers_no_heading_that_something_holds(text: str) -> None:
    assert Page.of(text).headings == ()


def test_page__says_from_where_on_nothing_counts() -> None:
    page = Page.of(f"# One\n\nx\n\n{DEEP}y\n\n# Two")
    assert [heading.text for heading in page.headings] == ["One"]
    assert page.doubt is not None
    assert (page.doubt.line, "12 quotes and lists" in page.doubt.reason) == (5, True)


@pytest.mark.parametrize(("text", "quoted"), [
    pytest.param("\n".join(f"> {line}" for line in BLOCK.splitlines()), True, id="quoted"),
    pytest.param("\n".join(f"> > {line}" for line in BLOCK.splitlines()), True, id="quoted-twice"),
    pytest.param("\n".join("> " * 13 + line for line in BLOCK.splitlines()), False, id="deeper-than-is-read"),
    pytest.param(f"```jkz:quote\n{BLOCK}\n```", False, id="fence-called-quote"),
    pytest.param(f"<blockquote>\n{BLOCK}\n</blockquote>", False, id="html-element"),
    pytest.param("\n".join(f"- > {line}" for line in BLOCK.splitlines()[:1]), False, id="list-item"),
    pytest.param(f"the quote is {MARKER}", False, id="the-word-quote"),
])  # fmt: skip
def test_locate__says_whether_a_block_is_quoted(text: str, quoted: bool) -> None:  # noqa: FBT001
    said = Page.of(text).locate(MARKER, prefix=PREFIX)
    assert isinstance(said, Hidden)
    assert said.quoted is quoted


@pytest.mark.parametrize("text", [
    "</div>--!><a</p><br>/gate hold qa", '</div><div title="</p>"<br>/gate hold qa',
    "<x/y><div x='<p></div><br>/gate hold qa\n\"'</select>", "</a><a~~<template> /gate hold qa",
    "<div<table><tr><td> /gate hold qa",
])  # fmt: skip
def test_own_lines__begin_wherever_an_odd_tag_may_end(text: str) -> None:
    assert "/gate hold qa" in [line.text for line in Page.of(text).own_lines]
