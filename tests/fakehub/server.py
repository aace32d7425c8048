"""The sockets: one thread for each connection, kept alive between requests, on loopback only."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import json
import socket
import socketserver
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from tests.fakehub.answer import Answer
from tests.fakehub.delivery import deliver
from tests.fakehub.ledger import Ledger, Request

SMALLEST_COMPRESSED = 1400
HOST = "127.0.0.1"


class Server(http.server.ThreadingHTTPServer):
    """Listens; closes every connection when it is told to stop."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, port: int, ledger: Ledger, token: str, latency: float, answer: Callable[[Request], Answer]
    ) -> None:
        self.ledger = ledger
        self.token = token
        self.latency = latency
        self.answer = answer
        self.closing = threading.Event()
        self.connections = 0
        self._open: set[socket.socket] = set()
        self._serving: list[threading.Thread] = []
        super().__init__((HOST, port), Handler)

    def server_bind(self) -> None:
        """Bind without asking for the machine's name, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def process_request(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """Serve a connection in a thread of its own, and remember both."""
        self.connections += 1
        if isinstance(request, socket.socket):
            self._open.add(request)
        thread = threading.Thread(target=self.process_request_thread, args=(request, client_address), daemon=True)
        self._serving = [each for each in self._serving if each.is_alive()] + [thread]
        thread.start()

    def listen(self) -> None:
        while not self.closing.is_set():
            self.handle_request()

    def verify_request(self, request: object, client_address: object) -> bool:
        """Serve nobody any more once it is told to stop: this is only the connection that wakes it."""
        del request, client_address
        return not self.closing.is_set()

    def shutdown_request(self, request: socket.socket | tuple[bytes, socket.socket]) -> None:
        if isinstance(request, socket.socket):
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is nobody's error."""

    def stop(self, listening: threading.Thread) -> None:
        """Stop listening, in the thread that does it, and end every connection."""
        self.closing.set()
        with contextlib.suppress(OSError):
            socket.create_connection((HOST, self.server_port), timeout=5).close()
        listening.join(timeout=5)
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._serving:
            thread.join(timeout=5)
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    """Reads one request after the other and hands it to the hub."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server
    METHODS: ClassVar = ("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD")

    def handle_one_request(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                return
            self._serve()

    def _serve(self) -> None:
        request = self.server.ledger.open(self.command, self.path, dict(self.headers), self.server.token)
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length) if length else b""
        request.body = _parsed(raw)
        answer, body = _encoded(self.server.answer(request), request)
        self.server.closing.wait(max(0.0, self.server.latency - (time.monotonic() - request.started)))
        request.status = answer.status
        request.ended = time.monotonic()
        kept = deliver(answer, body, self.connection, self.server.closing)
        self.close_connection = not kept or request.headers.get("connection", "").lower() == "close"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's name
        """Say nothing; the ledger has it."""


def _parsed(raw: bytes) -> object:
    """The body of a request: a document, or the text of what is none."""
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw.decode("utf-8", "replace")


def _encoded(answer: Answer, request: Request) -> tuple[Answer, bytes]:
    """The answer with its bytes, compressed if the client can read that and it is worth it."""
    body = answer.body()
    accepts = "gzip" in request.headers.get("accept-encoding", "")
    if not accepts or len(body) < SMALLEST_COMPRESSED or "Content-Encoding" in answer.headers:
        return answer, body
    return replace(answer, headers={**answer.headers, "Content-Encoding": "gzip"}), gzip.compress(body, 1)
