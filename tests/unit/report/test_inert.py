"""Foreign text: whatever comes in, what comes out is only text."""

from __future__ import annotations

import itertools
import json
import re
import time

import pytest

from phasegate.report.inert import BREAK, code, code_cell, plain, prose, prose_cell, safe_json, shorten
from tests.unit.report.oracle import NASTY, alive, commands, rendering

SHARP = ("`", "|", "\\", "@octocat", "<b>", "\n\n", ":", "#", "[x](y)")
PAIRS = [text for one, other in itertools.product(NASTY[:-2], SHARP) for text in (one + other, other + one)]
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u200c-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)


@pytest.mark.parametrize(("text", "expected"), [
    ("eve", "`eve`"), ("a`b", "``a`b``"), ("`a`", "`` `a` ``"), ("a``b`c", "```a``b`c```"),
    ("`" * 200, "```` ```… ````"), ("", "`(empty)`"), ("\u200b\n", "`(empty)`"), (" two\r\n lines ", "`two lines`"),
    ("a\u202eb\x07c\U000e0041d", "`abcd`"),
    ("\x1b[31mred\x1b[0m", "`red`"),
    ("lone \ud800", "`lone \ufffd`"),
    ("::error::x", "`:\u200b:error:\u200b:x`"),
    ("##[error]", "`#\u200b#[error]`"),
    ("a | b", "`a | b`"),
])  # fmt: skip
def test_code__says_what_the_text_says(text: str, expected: str) -> None:
    assert code(text) == expected


def test_code__caps_the_length_between_words() -> None:
    assert code("one two three", 9) == "`one two…`"
    assert len(code("x" * 5000)) == 202


@pytest.mark.parametrize("text", NASTY)
def test_code__is_nothing_but_code(text: str) -> None:
    shown = rendering(code(text))
    assert shown.tags == {"p", "code"}
    assert shown.loose.strip() == ""
    assert shown.codes == (code(text).strip("`").strip(" ") if "`" not in text else shown.codes[0],)


def test_code__is_nothing_but_code_in_any_mixture() -> None:
    for text in PAIRS:
        shown = rendering(f"- **{code(text)}** of {code(text)}")
        assert shown.tags == {"ul", "li", "strong", "code"}, text
        assert shown.loose.strip() == "of", text


def test_code__can_stand_in_a_link_of_ours() -> None:
    for text in NASTY:
        shown = rendering(f"[{code(text)}](https://github.com/octo/shop)")
        assert (shown.links, len(shown.codes)) == (("https://github.com/octo/shop",), 1), text


def test_cells__keep_the_columns_of_their_table() -> None:
    assert code_cell("a|b\\") == "`a¦b\\`"
    for text in PAIRS:
        row = f"| {code_cell(text)} | {prose_cell(text)} | last |"
        shown = rendering(f"| a | b | c |\n| --- | --- | --- |\n{row}\n")
        assert shown.tables == ((3, 3),), text
        assert shown.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}, text
        assert shown.loose.split()[-1] == "last", text


@pytest.mark.parametrize(("text", "expected"), [
    ("Waiting for Lens on 3f2a91c", "Waiting for Lens on `3f2a91c`"),
    ("Judge failed 3f2a91c: J1, J2", "Judge failed `3f2a91c`: J1, J2"),
    ('bug by label "bug" of #12', 'bug by label "bug" of `#12`'),
    ("a human's top-level vote (here).", "a human's top-level vote (here)."),
    ('"complexity:quick" is unknown', '"complexity:quick" is unknown'),
    ("Waiting for a human's /gate approve plan", "Waiting for a human's `/gate approve plan`"),
    ("comment /gate approve qa, then wait", "comment `/gate approve qa`, then wait"),
    ("it has 17 votes (at most 15)", "it has 17 votes (at most 15)"),
    ("1. first", r"1\. first"),
    ("- first", r"\- first"),
    ("under the heading ## jkz:judge.", "under the heading `## jkz:judge`."),
    ("comment /gate resume qa: <reason> on #7", "comment `/gate resume qa: <reason>` on `#7`"),
    ("*b* _i_ ~~s~~ `c` <b> &amp; a|b", r"\*b\* \_i\_ \~\~s\~\~ \`c\` \<b\> \&amp; a\|b"),
    ("see https://evil.example, www.evil.example", "see `https://evil.example`, `www.evil.example`"),
    ("JIRA-12 and $x$ and :tada: there", "`JIRA-12` and `$x$` and `:tada`: there"),
    ("must_fix is not in issues[] (has J1)", r"must\_fix is not in issues\[\] (has J1)"),
    ("asked @octocat!", "asked `@octocat`!"),
    ("naïve", "naïve"),
    ("::error::", "`:\u200b:error`::"),
    ("deadbeef faced", "`deadbeef` faced"),
    ("?! … (", "?! … ("),
    ("", ""),
])  # fmt: skip
def test_prose__shows_text_as_it_is_and_what_could_come_to_life_as_code(text: str, expected: str) -> None:
    assert prose(text).replace("\u200b", "") == expected.replace("\u200b", "")


def test_prose__is_nothing_but_words_and_code() -> None:
    for text in (*NASTY, *PAIRS):
        shown = rendering(f"Note: {prose(text)}")
        assert shown.tags <= {"p", "code"}, text
        assert alive(shown) == [], text
        assert rendering(prose(text)).tags <= {"p", "code"}, text  # at the start of a line it begins no block
        assert plain(plain(text)) == plain(text), text


def test_prose__shows_what_the_text_says() -> None:
    for text in (text for text in (*NASTY, *PAIRS) if "````" not in text):
        markup = rendering(f"Note: {prose(text)}")
        said = "".join(markup.whole.split()).removesuffix(BREAK)
        assert said == "".join(f"Note: {plain(text, 500)}".split()), text


@pytest.mark.parametrize("render", [plain, code, code_cell, prose, prose_cell])
def test_all__are_one_line_without_commands_or_hidden_characters(render: object) -> None:
    assert callable(render)
    for text in (*NASTY, *PAIRS):
        shown = render(text)
        assert commands(shown) == [], text
        assert not HIDDEN.search(shown), text
        assert shown.encode() or not plain(text)


@pytest.mark.parametrize("render", [plain, code, code_cell, prose, prose_cell])
@pytest.mark.parametrize("unit", ["`", "``a", ":", "#[", "\x1b[", "\u200b", "(", "a|", " ", "/gate "])
def test_all__take_linear_time(render: object, unit: str) -> None:
    assert callable(render)
    began = time.process_time()
    render(unit * 64 * 1024)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(("text", "limit", "expected"), [
    ("short", 5, "short"), ("one two three", 12, "one two…"), ("one two; three", 10, "one two…"),
    ("unbreakable", 5, "unbr…"), ("a unbreakable", 8, "a unbre…"),
])  # fmt: skip
def test_shorten__cuts_between_words_where_it_can(text: str, limit: int, expected: str) -> None:
    assert shorten(text, limit) == expected


def test_shorten__never_exceeds_its_limit() -> None:
    for text in PAIRS:
        for limit in (1, 2, 7, 40, 140):
            assert len(shorten(text, limit)) <= limit


def test_safe_json__means_the_same_and_commands_nothing() -> None:
    data = {"z": list(PAIRS), "a::b": {"##[error]": None}, "n": 1}
    text = safe_json(data)
    assert json.loads(text) == data
    assert list(json.loads(text)) == ["z", "a::b", "n"]
    assert "::" not in text
    assert "##[" not in text
    assert text.isascii()


def test_safe_json__escapes_only_what_it_must() -> None:
    assert safe_json(["a:b", "::", "###[", "C:\\::"]) == (
        '[\n  "a:b",\n  "\\u003a:",\n  "#\\u0023#[",\n  "C:\\\\\\u003a:"\n]'
    )
