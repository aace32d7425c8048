"""Lists that come in the wrong pages: faults on the answer that would have been right, for REST and GraphQL alike."""

from __future__ import annotations

import base64
import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tests.fakehub.answer import JSON, Answer
from tests.fakehub.ledger import Request

LIST_FAULTS = {
    "no_entries", "no_texts", "no_contexts", "empty_page", "no_next_page", "link_loop", "duplicate_ids",
    "item_inserted", "item_missing",
}  # fmt: skip


# What a folder, a file or the statuses of a commit are told by.
GIT_FAULTS = {"no_entries": "entries", "no_texts": "byteSize", "no_contexts": "contexts"}
# A cursor that points before the first item.
TO_THE_START = base64.b64encode(b"cursor:v2:-00001").decode()


@dataclass(kw_only=True)
class Page:
    """A page of a list as both APIs have it: its items, those of the page before, whether and where it goes on."""

    items: list[object]
    goes_on: bool
    former: list[object]
    loops: bool = False


def broken_list(kind: str, options: JSON, request: Request, right: Callable[..., Answer]) -> Answer:
    """The answer with its list broken; ``right`` gives the answer that would be right, also for another query."""
    answer = right()
    if request.path == "/graphql":
        data = copy.deepcopy(answer.data)
        if kind in GIT_FAULTS:
            whole = re.findall(rf'(\w+): object\(oid: "{options.get("but")}"\)', request.text)
            _without(data, GIT_FAULTS[kind], whole)
            return replace(answer, data=data)
        for found, name in _connections(data, ""):
            if name == options.get("connection", name if "pageInfo" in found else ""):
                goes_on = found.get("pageInfo", {}).get("hasNextPage", False)
                page = Page(items=list(found["nodes"]), goes_on=goes_on, former=found["nodes"][:1])
                _write_back(found, _break(kind, page))
        return replace(answer, data=data)
    number = int(request.query.get("page", "1"))
    former = right(page=str(number - 1)).data if number > 1 else []
    page = Page(
        items=_items(answer.data), goes_on='rel="next"' in answer.headers.get("Link", ""), former=_items(former)
    )
    page = _break(kind, page)
    return replace(answer, data=page.items, headers=_headers(answer, page, request))


def _without(value: object, kind: str, whole: list[str]) -> None:
    """Leave out what folders or commits hold, or what files do, but for some names of the answer."""
    for item in value if isinstance(value, list) else ():
        _without(item, kind, whole)
    for key, item in list(value.items()) if isinstance(value, dict) else []:
        if key in whole:
            continue
        if kind in (item if isinstance(item, dict) else {}):
            assert isinstance(value, dict)
            value[key] = None if kind == "byteSize" else {**item, kind: []}
        else:
            _without(item, kind, whole)


def _items(data: object) -> list[object]:
    return list(data) if isinstance(data, list) else []


def _break(kind: str, page: Page) -> Page:
    if kind == "empty_page":
        page.items = []
    elif kind == "no_next_page":
        page.goes_on = False
    elif kind == "link_loop":
        page.goes_on = page.loops = True
    elif kind == "duplicate_ids":
        page.items = page.items[:1] + page.items[:-1]
    elif kind == "item_inserted":
        # all moved on by one since the page before, whose last item is here again
        page.items = page.former[-1:] + page.items[:-1]
    else:
        # all moved back by one: the first item has slipped onto the page before, which the client has already
        page.items = page.items[1:]
    return page


def _connections(value: object, name: str) -> Iterator[tuple[JSON, str]]:
    """The lists in a GraphQL answer that were asked for with their nodes."""
    if isinstance(value, dict):
        if "nodes" in value:
            yield value, name
        for key, item in value.items():
            yield from _connections(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _connections(item, name)


def _write_back(found: JSON, page: Page) -> None:
    found["nodes"] = page.items
    if "pageInfo" not in found:
        return
    found["pageInfo"]["hasNextPage"] = page.goes_on
    if page.loops and "endCursor" in found["pageInfo"]:
        found["pageInfo"]["endCursor"] = TO_THE_START


def _headers(answer: Answer, page: Page, request: Request) -> dict[str, str]:
    """The links of a broken page; a loop leads to the page itself."""
    links = [part for part in answer.headers.get("Link", "").split(", ") if part]
    if page.loops or not page.goes_on:
        links = [part for part in links if 'rel="next"' not in part and 'rel="last"' not in part]
    if page.loops:
        links.append(f'<http://{request.headers["host"]}{request.target.partition(" ")[2]}>; rel="next"')
    return {**answer.headers, "Link": ", ".join(links)}
