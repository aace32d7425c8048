"""How GitHub shows a comment: its own Markdown engine, then the elements a browser makes of what that writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Comment, Element

import html5lib
from cmarkgfm import cmark  # type: ignore[import-untyped]

OPTIONS = cmark.Options.CMARK_OPT_UNSAFE | cmark.Options.CMARK_OPT_GITHUB_PRE_LANG | cmark.Options.CMARK_OPT_FOOTNOTES
EXTENSIONS = ["table", "strikethrough", "autolink", "tagfilter", "tasklist"]
# Every element of the HTML standard and those it calls obsolete; GitHub drops any other name.
ELEMENTS = frozenset(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
    button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed
    fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img
    input ins kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter nav nobr
    noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rb rp rt rtc
    ruby s samp script search section select slot small source spacer span strike strong style sub summary sup svg table
    tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
    """.split()  # noqa: SIM905  (a list would be a hundred lines)
)
HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_INSIDE_A_LINE = {"em", "strong", "del"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Block:
    """A comment or code block that carries the marker: its text, and the names of the elements around it."""

    text: str
    around: tuple[str, ...]


def html(text: str) -> str:
    """The page that GitHub's engine makes of a comment."""
    page: str = cmark.markdown_to_html_with_extensions(text, OPTIONS, EXTENSIONS)
    return page


def tree(text: str) -> Element:
    """The elements of that page, as a browser reads it."""
    page: Element = html5lib.parseFragment(html(text), treebuilder="etree", namespaceHTMLElements=False)
    return page


def marked_blocks(text: str, marker: str) -> list[Block]:
    """The hidden comments and the code blocks of a marker."""
    return list(_marked(tree(text), marker))


def _marked(page: Element, marker: str) -> Iterator[Block]:
    waiting: list[tuple[Element, tuple[str, ...]]] = [(child, ()) for child in page]
    while waiting:
        element, around = waiting.pop()
        if _is_comment(element):
            if marker in (element.text or ""):
                yield Block(text=element.text or "", around=around)
        elif element.tag == "pre" and element.get("lang") == marker:
            yield Block(text="".join(element.itertext()), around=around)
        else:
            waiting.extend((child, (*around, str(element.tag))) for child in element)


def top_level_headings(text: str) -> list[int]:
    """The levels of the headings that nothing holds."""
    return [HEADINGS[str(element.tag)] for element in tree(text) if element.tag in HEADINGS]


def top_level_lines(text: str) -> list[str]:
    """The lines of the text that no element holds but a paragraph."""
    return list(_top_level(tree(text)))


def _top_level(page: Element) -> Iterator[str]:
    yield from _lines(page.text)
    for element in page:
        if element.tag == "p":
            yield from _lines(_visible(element))
        elif not _is_comment(element) and element.tag not in ELEMENTS:
            yield from _top_level(element)
        yield from _lines(element.tail)


def _is_comment(element: Element) -> bool:
    tag: object = element.tag
    return tag is Comment


def _lines(text: str | None) -> list[str]:
    return [line.strip(" ") for line in (text or "").split("\n")]


def _visible(element: Element) -> str:
    """The text of a paragraph; what another element holds is one strange character."""
    text = element.text or ""
    for child in element:
        if child.tag in _INSIDE_A_LINE or (not _is_comment(child) and child.tag not in ELEMENTS):
            text += _visible(child)
        elif child.tag != "br":
            text += "\ufffc"
        text += child.tail or ""
    return text
