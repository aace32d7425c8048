"""The diff of a pull request: asked for in its own media type, and what is done where GitHub does not make one."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from phasegate.github.client.answers import GitHubError, TooLargeError
from phasegate.github.client.client import Clock, Server
from phasegate.github.diff import DIFF, DiffReader, DiffTooLargeError, read_diff
from tests.fakehub import TOKEN
from tests.unit.github.canned import Canned

TEXT = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-caf\u00e9\n+b\n"
FILES = "/repos/octo/shop/pulls/7/files"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers every request with what it was told, and remembers what was asked."""

    answer: ClassVar[tuple[int, str, bytes]] = (200, "", b"")
    asked: ClassVar[list[tuple[str, str]]] = []

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Accept"]))
        status, media, body = self.answer
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def reader(status: int, body: bytes, media: str = f"{DIFF}; charset=utf-8") -> Iterator[DiffReader]:
    Handler.answer, Handler.asked = (status, media, body), []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    clock = Clock(monotonic=time.monotonic, epoch=time.time, sleep=lambda _: None)
    try:
        yield DiffReader(Server(rest=url, graphql=f"{url}/graphql", token=TOKEN), clock, 10.0)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def entry(path: str, **more: object) -> dict[str, Any]:
    return {"filename": path, "status": "modified", "patch": "@@ -1 +1 @@\n-a\n+b", **more}


class Without(DiffReader):
    """A reader that gets no diff."""

    def __init__(self, failure: GitHubError) -> None:
        self.failure = failure

    def diff(self, repository: str, number: int) -> str:
        del repository, number
        raise self.failure


@pytest.mark.parametrize(("body", "text"), [(TEXT.encode(), TEXT), (b"-caf\xe9\n", "-caf\ufffd\n")])
def test_diff__is_asked_for_in_its_own_media_type(body: bytes, text: str) -> None:
    with reader(200, body) as asking:
        assert asking.diff("octo/shop", 7) == text
    assert Handler.asked == [("/repos/octo/shop/pulls/7", "application/vnd.github.diff")]


@pytest.mark.parametrize(("status", "failure", "said"), [
    (406, DiffTooLargeError, "as a diff"), (404, GitHubError, "as a diff"), (403, GitHubError, "as a diff"),
    (500, GitHubError, "as a diff"), (200, GitHubError, "JSON"),
])  # fmt: skip
def test_diff__what_github_refuses_is_said(status: int, failure: type[GitHubError], said: str) -> None:
    body = b'{"message": "no"}'
    with reader(status, body, "application/json; charset=utf-8") as asking, pytest.raises(failure, match=said):
        asking.diff("octo/shop", 7)


@pytest.mark.parametrize("failure", [DiffTooLargeError("x"), TooLargeError("x")])
def test_read__of_what_is_too_large_the_files_are_put_together(failure: GitHubError) -> None:
    files = [
        entry("a.py"), entry("new.py", status="added"), entry("old.py", status="removed"),
        entry("b.py", status="renamed", previous_filename="c.py"), {"filename": "image.png", "status": "added"},
    ]  # fmt: skip
    told = read_diff(Without(failure), Canned({FILES: files}), "octo/shop", 7, 10_000)
    assert told == (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/new.py b/new.py\n--- /dev/null\n+++ b/new.py\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/old.py b/old.py\n--- a/old.py\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/c.py b/b.py\n--- a/c.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n"
        "diff --git a/image.png b/image.png\n(not shown by GitHub)\n"
    )


def test_read__only_as_many_pages_as_are_needed() -> None:
    pages = tuple([entry(f"{page}-{index}.py") for index in range(100)] for page in range(4))
    client = Canned({FILES: pages})
    read_diff(Without(DiffTooLargeError("x")), client, "octo/shop", 7, 10_000)
    assert [asked["page"] for _, asked in client.asked] == [1, 2]


def test_read__any_other_failure_is_one() -> None:
    with pytest.raises(GitHubError, match="refused"):
        read_diff(Without(GitHubError("refused")), Canned({}), "octo/shop", 7, 10)
