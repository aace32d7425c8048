"""The block reader takes linear time on any comment, the hostile ones too."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from phasegate.reading.markdown.page import Page
from tests.unit.reading.growth import grows_linearly, seconds
from tests.unit.reading.markdown.honest_comments import HONEST

MARKER = "jkz:verdict-json"
BLOCK = f"\n\n<!-- {MARKER}\n{{}}\n-->"
SIZE = 4_000
LARGEST = 65_536
# Ten times what the slowest takes on one core, and far from what a quadratic reader would take.
SLOWEST = 10.0

REPEATED = [
    *("<", "<!--", "<!--\n", "x <!-- ", "<!-- -", "<?\n", "x <?", "<![CDATA[", "<!A\n", "x <!a ", "<div>\n"),
    *("<div>\n\n", "<a ", "<a \n", "<a b", "<a x='<a x=\" y='", "x <b>", "x </b>", "<b></b> ", "</p>", "<title "),
    *("<title>", "x <a@", "x <ab:", ">", "> ", "> a\n", ">>>>>>>>>>> a\n", "- ", "- a\n", "- a\n\n"),
    *("  - a\n    - b\n", "1. ", "> - ", "> - a\n", "* * a\n", "`", "``` ", "```\n", "```jkz:a\n```\n", "~~~a`\n"),
    *("\\`", "` `` ``` ", "[", "[\n", "[a", "](", "][", "![", "[^", "]\n", "[a]: /u\n", "[a]:\n", "[a]: /u '\n"),
    *("[^a]: b\n", "[a](b) ", "http://a ", "www.", "|", "|\n", "|a", "a|b\n-|\n", "-|-\n", "&", "\\", "#", "# a\n"),
    *("=\n", "a\n=\n", "a\n", "a\n\n", "\n", " ", "\t", "\t\n", "     a\n", "- [ ] a\n", "<!-- jkz:a b -->\n"),
    *("a\r\n", "a\x0c\n", "\u2028", "<p></p>\n<!-- jkz:a -->", "| <b> | </b> |\n", "-->\n", "<T>\n\n", "a <br> b\n"),
]


def behind(first: str, repeated: str, last: str = "") -> Callable[[int], str]:
    """Makes a text of any length from something said once and something repeated."""
    return lambda size: first + (repeated * (size // len(repeated) + 1))[:size] + last


STAIRS = {
    "ticks of growing length": lambda size: "x <b> " + " ".join("`" * (number % 80) for number in range(size // 41)),
    "runs of growing length": lambda size: (
        "x <b> " + " ".join("`" * number for number in range(1, int((2 * size) ** 0.5)))
    ),
    "quotes of growing depth": lambda size: "".join(">" * number + "\n" for number in range(1, int((2 * size) ** 0.5))),
    "lists of growing depth": lambda size: "".join(" " * number + "- a\n" for number in range(int((2 * size) ** 0.5))),
    "brackets over lines": lambda size: "[\n" * (size // 4) + "]\n" * (size // 4),
    "wide table": lambda size: "|a" * (size // 4) + "\n" + "|-" * (size // 4) + "\n" + "a\n",
    "table of many cells": behind("|a" * 100 + "\n" + "|-" * 100 + "\n", "|<"),
    "deep and lazy": behind("> " * 12 + "a\n", "b\n"),
    "deep and blank": behind("- " * 12 + "a\n", "\n"),
    "deep and fenced": behind("- " * 11 + "```\n", "\n"),
    "one long comment": behind("<!-- jkz:", "._-"),
    "one long word": behind("x <ab:", "c"),
    "open tags": behind("x " + "<i>" * 99, "</b>"),
    "comments in a line": behind("<div>\n", "<!-- jkz:a b -->"),
}
HOSTILE = {**{repr(text): behind("", text) for text in REPEATED}, **STAIRS}


def read(text: str) -> None:
    """All that is ever done with a comment."""
    whole(text)
    Page.of(text + BLOCK).locate(MARKER, prefix="jkz:")


def whole(text: str) -> None:
    """All that a page holds."""
    page = Page.of(text)
    assert isinstance((page.headings, page.lines, page.parts, page.doubt, page.carriers_with("jkz:")), tuple)


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_markdown__takes_twice_the_time_for_twice_the_text(make: Callable[[int], str]) -> None:
    assert grows_linearly(read, make, SIZE)


def test_markdown__reads_the_largest_comment_in_time() -> None:
    slow = ("deep and lazy", "table of many cells")
    assert max(seconds(read, STAIRS[name](LARGEST)) for name in slow) < SLOWEST


def test_locate__costs_nothing_without_the_marker() -> None:
    text = HONEST["all"] * 20
    assert seconds(lambda body: Page.of(body).locate(MARKER, prefix="jkz:"), text) < seconds(whole, text) / 50
