"""Pieces of Markdown and HTML from which hostile comments are made."""

from __future__ import annotations

TAGS = [
    *("<div>", "</div>", "<details>", "</details>", "<details><summary>x</summary>", "<b>", "</b>", "<a href='x'>"),
    *("</a>", "<span>", "</span>", "<p>", "</p>", "<table>", "</table>", "<table><tr><td>", "<td>", "</td>", "<ul>"),
    *("<li>", "</ul>", "<!--", "-->", "<!-- x -->", "<!-->", "<!--->", "--!>", "<?", "?>", "<![CDATA[", "]]>"),
    *("<!DOCTYPE", "<!x>", "<xmp>", "</xmp>", "<title>", "<title x='<div>'>", "<script>", "</script>", "<style>"),
    *("<pre>", "</pre>", "<textarea>", "<svg>", "</svg>", "<select>", "</select>", "<option>", "<button>"),
    *("</button>", "<h2>", "</h2>", "<form>", "</form>", "<br>", "<img src=x>", "<String>", "List<T>", "</String>"),
    *("<template>", "<noscript>", "</body>", "<DIV>", "</Div>", '<div title="', "<div x='", '"', "'", "<div", "<a"),
    *("</", "<kbd>", "</kbd>", "<\u017fcript>", "<object>", "<x/y>"),
]
SIGNS = [
    *("a", "b", "- ", "* ", "1. ", "2) ", "> ", ">", "    ", "  ", " ", "\t", "\n", "\n", "\n\n", "\n\n", "\n> "),
    *("\n- ", "```", "~~~", "````", "`", "``", "---", "===", "***", "# ", "## x\n", "|", "| a | b |\n|---|---|\n"),
    *("\n    ", "\n  ", "[a]: /u", "[a]: </b>", "[x]", "[x](", "](", ")", "![", "[", "]", "\\", "\\|", "- [x] "),
    *("|-|", ":-", "*", "**", "http://x.y/", "www.x.y", "<http://x>", "<a@b.c>", "~~", "&lt;", '"t"', "é", "\xa0"),
    *("\u2028", "`" * 81, "$"),
]
FOOTNOTES = ["[^a]: ", "[^a]", "[^"]
HIDERS = [
    *("", "x\n\n", "x\n", "```\n", "~~~\n", "    ", "> ", "> x\n", "- ", "- x\n", "- x\n\n  ", "1. x\n\n   ", "`"),
    *("``\n", "<details>\n\n", "<details>\n", "<details>\n\n</details>\n\n", "</details>\n", "<div>\n\n</div>\n"),
    *("x <b>\n\n", "<b>x</b>\n", "<!--\n", "<!-- x -->", "<!-- x -->\n", "- <!--\n", "- ```\n", "> ```\n", "<?\n"),
    *("<![CDATA[\n", "<!X\n", "<div title='\n\n", "<xmp>\n\n", "<pre>\n\n", "<script>\n", "<textarea>\n\n"),
    *("<table>\n\n", "| a |\n|-|\n", "| a |\n|-|\n| <b> |\n\n", "[a]: b\n", "[a]: b '\n", "[^a]: x\n\n"),
    *("[^a]: x\n\n    ", "[x](", "![", "\\", "# ", "x\n---\n", "***\n", "<String>\n\n", "\ufeff", "\u200b", "\xa0\n"),
    *("\u2028", "\x0b\n", "\x0c", "\r", "\x00\n", "\t", " \t", "&lt;", "<a\n", "</b\n\n", "<a@b.c>\n"),
]
ENDINGS = ["", "\n", "\n\nx", "\n-->", "\n```", "\n</details>", "\n</div>", "\n<!-- jkz:propose-issue: x -->"]
