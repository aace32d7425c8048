"""Comments as agents and people write them, without the verdict block: each must be able to end with one."""

from __future__ import annotations

REVIEW = """## jkz:judge

Reviewed `3f2a91c` against the plan. **2 findings**, 1 blocking.

| id | severity | where | what |
|----|----------|-------|------|
| J1 | HIGH | `src/auth/middleware.ts:42` | token compared with `==` <br> use `timingSafeEqual` |
| J2 | MEDIUM | [`src/db.ts#L7`](https://example.com/db.ts#L7) | `Map<string, User>` never shrinks |

### J1

1. Start the server.
2. Send `Authorization: Bearer <token>`:

   ```console
   $ curl -H 'Authorization: Bearer <b>x</b>' localhost
   <html><body>
   ```

3. The handler returns `Promise<void>` and not Promise<Response>.

> The plan says: "compare in constant time"
> <sub>section 3</sub>
"""

DETAILS = """### Sentinel report

All checks passed. See <https://example.com/runs/1> or mail <qa@example.com>.

<details>
<summary><b>Full log</b> (12 files)</summary>

```diff
-<div class="old">
+<div class="new">
```

- nested
  <details><summary>more</summary>

  ~~~
  </details> in a fence
  ~~~

  </details>

</details>
"""

DETAILS_DIRECTLY = """<details open><summary>Coverage</summary>

| file | % |
|:--|--:|
| a.py | 98 |

</details>"""

GENERICS = """The signature is List<String> -> Optional<T>, Vec<u8> elsewhere; if a < b && c > 0 it loops.

* Result<(), Box<dyn Error>> is fine
* `Array<object>` and `<Button>` are code; 5 <= 6
+ x<y, y > z
"""

MARKUP = """<p align="center">
  <img src="https://example.com/logo.png" width="80">
</p>

<table>
  <tr><th>Role<th>Verdict
  <tr><td>Judge</td><td>PASS</td></tr>
</table>

Press <kbd>Ctrl</kbd>+<kbd>C</kbd>, H<sub>2</sub>O, <a href="https://example.com">link</a>, [![ci](x.svg)](https://example.com).

<!-- a note for
maintainers -- please keep -->
- [x] done
- [ ] open: see [docs](https://example.com/a_(b) "the title")[^1]

[^1]: A footnote with `code`.

[docs]: https://example.com/docs
"""

HTML_REVIEW = """The `<form>` in `login.html` is not closed, and ``<input name="`x`">`` has no label:

```html
<form action="/login">
  <input name="user">
<!-- end
```

    <div class="indented code">

Escaped \\<div> and &lt;div&gt; are text; so is the <title> tag.
Use ```` ``` ```` to open a fence.
"""

SETEXT = """Verdict
=======

Text directly above a rule
---
***
Line one\x20\x20
line two\\
line three

- list

      indented in an item
- > quote in an item
  continued

1) one
2) two
"""

UNICODE = "### 判定 ✅\n\n\uff30ASS — “looks good”\u00a0… naïve\u2028text 🎉\n\n- é\n"
CRLF = REVIEW.replace("\n", "\r\n")
EMPTY = ""

TICKS = """Write `` nowhere: `a` and `b` are enough, and so is <kbd>c</kbd>.

The fence ``` in `docs/style.md` is not closed, and `x` <br> is.
"""

HONEST = {
    "details left open in a quote": "> <details>\n> <summary>The log</summary>\n>\n> It passed.\n\nSo it does.",
    "details left open in an item": "- <details><summary>The log</summary>\n\n  It passed.\n\nSo it does.",
    "span that closes itself in a table": "| file | what |\n|---|---|\n| a.py | <span/> fine |\n\nSo it is.",
    "end tags of nothing": "It is in `a.py`.\n\n</code></pre></p>\n\nSo it is.",
    "ticks that stay open": TICKS,
    "review": REVIEW,
    "details": DETAILS,
    "details-directly": DETAILS_DIRECTLY,
    "generics": GENERICS,
    "markup": MARKUP,
    "html-review": HTML_REVIEW,
    "setext": SETEXT,
    "unicode": UNICODE,
    "crlf": CRLF,
    "empty": EMPTY,
    "all": f"{REVIEW}\n{DETAILS}\n{GENERICS}\n{MARKUP}\n{HTML_REVIEW}\n{SETEXT}\n{UNICODE}",
}
