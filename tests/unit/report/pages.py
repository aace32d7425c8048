"""What a page of HTML of ours may hold, as a browser's parser sees it."""

from __future__ import annotations

import base64
import hashlib
import re

import html5lib

# The elements of a page of ours; none of them loads or runs anything.
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "p", "span", "a", "div",
      "strong"),
    *("section", "ol", "li", "time", "br", "button", "pre", "details", "summary", "table", "thead", "tbody", "tr"),
    *("th", "td", "i"),
}  # fmt: skip


def assert_page_inert(page: str) -> None:
    """A page that has nothing but our elements, attributes and links, and a policy that forbids the rest."""
    root = html5lib.parse(page, treebuilder="etree", namespaceHTMLElements=False)
    elements = list(root.iter())
    assert {str(each.tag) for each in elements} <= TAGS
    names = {name for each in elements for name in each.attrib}
    assert not {name for name in names if name.startswith("on") or name in ("src", "style", "srcdoc", "action")}
    links = [each.attrib["href"] for each in elements if "href" in each.attrib]
    assert all(link == "#end" or link.startswith("https://github.com/octo/shop/") for link in links)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" in page
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
