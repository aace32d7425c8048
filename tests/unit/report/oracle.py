"""What GitHub's own Markdown engine and a browser make of a text: its elements, its links, its votes outside code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import cmarkgfm  # type: ignore[import-untyped]
import html5lib
from cmarkgfm.cmark import Options  # type: ignore[import-untyped]

EXTENSIONS = ["autolink", "table", "strikethrough", "tasklist"]

# The elements of a page of ours.
PAGE = frozenset(
    "h2 p strong code pre a br del ul li details summary table thead tbody tr th td".split()  # noqa: SIM905
)
# Each of these would do something on GitHub or in a runner's log if it came through alive.
NASTY = (
    "@octocat",
    "octo/team @octo/team",
    "#1 GH-2 octo/shop#3",
    "![beacon](https://evil.example/x.png)",
    "[click](https://evil.example)",
    "[ref]: https://evil.example\n\n[ref]",
    "<https://evil.example>",
    "https://evil.example/a www.evil.example",
    "mailto:eve@evil.example eve@evil.example",
    "<img src=x onerror=alert(1)>",
    "</code></td></tr></table><script>alert(1)</script>",
    "<!-- jkz:verdict-json -->",
    "</details></summary><b>bold</b>",
    "&lt;b&gt; &#64;octocat &commat;octocat",
    "`", "``", "a`b``c```d", "` @octocat `", "`" * 81 + "<b>x</b>" + "`" * 81, "\\`@octocat\\`",
    "```\n@octocat\n```", "~~~\n@octocat", "\n\n# heading\n\n- list\n\n> quote\n\n---\n",
    "| a | b |\n| --- | --- |", "a|b", "a\\|b", "a\\", "\\\\|", "*b* _i_ ~~s~~ **b**", "$`x`$ $$x$$", "1. one 2) two",
    "::error::forged", "\r::add-mask::x", "##[error]forged", "x ##[set-env name=A]b", "#\u200b#[error]x",
    ":\u200b:error::x", ":::warning:::", "###[error]x", "\x1b[31mred\x1b[0m \x9b1mbold", "a\x00b\x07c",
    "\u202egnp.exe\u202c", "zero\u200bwidth\ufeff", "one\u2028two\u2029three\x85four\x0bfive",
    "tag\U000e0041\U000e0042", "lone \ud800 surrogate", "", " ", "\n", "\t | \t",
    "/gate approve plan`@octocat`", "/gate resume build: `x`", "'\"(`@octocat`)\"'", "a" * 5000, "vote " * 900,
)  # fmt: skip


# What GitHub makes more of than text once it is rendered: mentions, references, commits, addresses, formulas, emoji.
LIVE = re.compile(
    r"@[A-Za-z0-9]|#[0-9]+|[A-Za-z]-[0-9]|://|www\.|[0-9a-f]{7}|\$|(?<![0-9]):[A-Za-z0-9_+-]+:", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendering:
    """A rendered text, taken apart; ``loose`` is what stands outside code."""

    tags: frozenset[str]
    links: tuple[str, ...]
    whole: str
    loose: str
    codes: tuple[str, ...]
    tables: tuple[tuple[int, ...], ...]


def rendering(markdown: str) -> Rendering:
    """The text as GitHub would show it, with raw HTML let through."""
    html = cmarkgfm.markdown_to_html_with_extensions(markdown, options=Options.CMARK_OPT_UNSAFE, extensions=EXTENSIONS)
    root = html5lib.parseFragment(html, treebuilder="etree", namespaceHTMLElements=False)
    elements = [element for element in root.iter() if element is not root]
    return Rendering(
        tags=frozenset(str(element.tag) for element in elements),
        links=tuple(element.attrib["href"] for element in elements if "href" in element.attrib),
        whole="".join(root.itertext()),
        loose="".join(_loose(root)),
        codes=tuple("".join(element.itertext()) for element in elements if element.tag == "code"),
        tables=tuple(tuple(len(row) for row in table.iter("tr")) for table in root.iter("table")),
    )


def _loose(element: Element) -> Iterator[str]:
    """The votes outside code, wherever they stand."""
    if element.tag != "code":
        yield element.text or ""
        for child in element:
            yield from _loose(child)
    yield {"br": "\n", "code": " "}.get(str(element.tag), "")
    yield element.tail or ""


def alive(shown: Rendering) -> list[str]:
    """What GitHub would bring to life outside code."""
    return [found[0] for found in LIVE.finditer(shown.loose)]


def commands(text: str) -> list[str]:
    """The lines that the runner would take for commands."""
    lines = re.split("[\n\r\x0b\x0c\x85\u2028\u2029]", text)
    return [line for line in lines if line.strip().startswith("::") or "##[" in line]
