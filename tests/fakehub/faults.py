"""What can go wrong between a client and GitHub, to be asked for by name, with options.

An answer of its own:
``status`` an error: ``status``, ``message``, ``retry_after``.
``rate_limit`` no requests left, in GraphQL with status 200: ``status``, ``reset_in`` seconds or ``reset``.
``secondary_limit`` too many at once: ``status``, ``retry_after``.
``graphql_errors`` errors with status 200: ``type``, ``message``; with ``null_at``, such as ``repository.pullRequest``,
the rest of the data is there.
``graphql_timeout`` as GraphQL words it: ``status``.
``nonsense`` the right answer with ``value`` at one place: ``at``, such as ``data.repository`` or ``0.user``.
``html``, ``empty``, ``wrong_type`` a 200 that is no such answer. ``gzip_bomb``, ``huge``: ``size`` bytes of text.
``redirect``: ``status``, ``to``; without the latter to the same machine by another name.

The right answer, broken on its way:
``reset`` the connection breaks: ``when`` before_headers, after_headers, in_body.
``truncated`` the body ends early: ``framing`` length, chunked, close; ``part`` of it comes.
``slow`` in pieces: ``piece`` bytes, ``pause`` seconds. ``silence`` nothing at all for ``seconds``.

The right list, in the wrong pages: ``no_entries`` of folders, ``no_texts`` of files, ``no_contexts`` of commits, all
``but`` those of a commit,
``empty_page``, ``no_next_page``, ``link_loop``, ``duplicate_ids``,
``item_inserted``, ``item_missing``; in GraphQL, ``connection`` names the list.

Of a fault on GraphQL requests, ``containing`` says which: those with these words in the document.
"""

from __future__ import annotations

import copy
import fnmatch
import functools
import operator
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.fakehub.answer import JSON, Answer, Delivery, error
from tests.fakehub.ledger import Request
from tests.fakehub.paging_faults import LIST_FAULTS, broken_list

SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
    "If you reach out to GitHub Support for help, please include the request ID."
)
PRIMARY = "API rate limit exceeded for installation ID 1."
TIMEOUT = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it could be a GitHub "
    "bug. Please include `0000:0000` when reporting this issue."
)
HTML = b"<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body>Unicorn!</body></html>\n"
WORDS = {
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    422: "Validation Failed",
    429: "Too Many Requests",
    500: "Server Error",
    502: "Server Error",
    503: "Service Unavailable",
    504: "We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request.",
}


Right = Callable[..., Answer]


@dataclass(kw_only=True)
class Fault:
    """A fault that waits for its requests; ``left`` is None if it never ends."""

    match: str | Callable[[Request], bool]
    kind: str
    left: int | None
    options: JSON = field(default_factory=dict)

    def takes(self, request: Request) -> bool:
        """Whether this is a request of its kind: by pattern, and by words of the GraphQL document."""
        if self.left == 0:
            return False
        if callable(self.match):
            return self.match(request)
        containing = self.options.get("containing", "")
        return fnmatch.fnmatchcase(request.target, self.match) and containing in request.text


def apply(fault: Fault, request: Request, right: Right, base: str) -> Answer:
    """The answer that a request gets because of a fault; ``right`` gives the answer it would have got."""
    if fault.kind in LIST_FAULTS:
        return broken_list(fault.kind, fault.options, request, right)
    return KINDS[fault.kind](fault.options, request, right, base)


def _status(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, right, base
    status = options["status"]
    headers = {"retry_after": str(options["retry_after"])} if "retry_after" in options else {}
    return error(status, options.get("message", WORDS.get(status, "Server Error")), **headers)


def _rate_limit(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del right, base
    reset = options.get("reset", int(time.time() + options.get("reset_in", 1)))
    headers = {"x-ratelimit-limit": "1000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
    if request.path == "/graphql":
        data = {"data": None, "errors": [{"type": "RATE_LIMITED", "message": PRIMARY}]}
        return Answer(data=data, headers=headers)
    made = error(options.get("status", 403), PRIMARY)
    return replace(made, headers={**made.headers, **headers})


def _secondary_limit(options: JSON, request: Request, right: Right, base: str) -> Answer:
    return _status({"status": 403, "message": SECONDARY} | options, request, right, base)


def _graphql_errors(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, base
    fault: JSON = {"type": options["type"]} if "type" in options else {}
    fault["message"] = options.get("message", "Something went wrong.")
    if "null_at" not in options:
        return Answer(data={"data": None, "errors": [fault]})
    answer, path = right(), options["null_at"].split(".")
    place = answer.data["data"] if isinstance(answer.data, dict) else {}
    for name in path[:-1]:
        place = place[int(name) if name.isdigit() else name]
    place[int(path[-1]) if path[-1].isdigit() else path[-1]] = None
    fault["path"] = [int(name) if name.isdigit() else name for name in path]
    return Answer(data={**(answer.data if isinstance(answer.data, dict) else {}), "errors": [fault]})


def _graphql_timeout(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, right, base
    return Answer(status=options.get("status", 200), data={"data": None, "errors": [{"message": TIMEOUT}]})


def _wrong_type(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, base
    return Answer(data=options.get("data", {} if isinstance(right().data, list) else []))


def _nonsense(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, base
    answer, (*steps, last) = right(), (int(step) if step.isdigit() else step for step in options["at"].split("."))
    data: Any = copy.deepcopy(answer.data)
    place = functools.reduce(operator.getitem, steps, data)
    place[last] = options["value"]
    return replace(answer, data=data)


def _bomb(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, right, base
    return Answer(raw=_packed(options.get("size", 200_000_000)), headers={"Content-Encoding": "gzip"})


def _huge(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del request, right, base
    return Answer(raw=b'["' + b"a" * options.get("size", 50_000_000) + b'"]')


@functools.lru_cache(maxsize=2)
def _packed(size: int) -> bytes:
    """A JSON text with a long string in it, compressed piece by piece so that only the client needs the room."""
    packer = zlib.compressobj(1, wbits=31)
    piece = b"a" * 1_000_000
    pieces = [packer.compress(b'["'), *(packer.compress(piece) for _ in range(size // len(piece)))]
    return b"".join([*pieces, packer.compress(b"a" * (size % len(piece)) + b'"]'), packer.flush()])


def _redirect(options: JSON, request: Request, right: Right, base: str) -> Answer:
    del right
    path = request.target.partition(" ")[2]
    # the same machine by another name is another host to a client
    elsewhere = base.replace("127.0.0.1", "localhost")
    where = options.get("to") or f"{elsewhere}{path}"
    return replace(error(options.get("status", 302), "Moved Permanently"), headers={"Location": where})


def _delivered(way: str) -> Callable[[JSON, Request, Right, str], Answer]:
    def broken(options: JSON, request: Request, right: Right, base: str) -> Answer:
        del request, base
        which = options.get("when") or options.get("framing") or ""
        pause = float(options.get("pause") or options.get("seconds") or 0)
        piece, part = options.get("piece", 1), options.get("part", 0.5)
        named = f"{way}_{which or 'before_headers'}" if way == "reset" else f"{way}_{which}" if which else way
        return replace(right(), delivery=Delivery(way=named, pause=pause, piece=piece, part=part))

    return broken


KINDS: dict[str, Callable[[JSON, Request, Right, str], Answer]] = {
    "status": _status, "rate_limit": _rate_limit, "secondary_limit": _secondary_limit,
    "graphql_errors": _graphql_errors, "graphql_timeout": _graphql_timeout, "reset": _delivered("reset"),
    "truncated": _delivered("truncated"), "slow": _delivered("slow"), "silence": _delivered("silence"),
    "html": lambda *_: Answer(raw=HTML, media="text/html; charset=utf-8"), "empty": lambda *_: Answer(raw=b""),
    "wrong_type": _wrong_type, "nonsense": _nonsense, "gzip_bomb": _bomb, "huge": _huge, "redirect": _redirect,
}  # fmt: skip
