"""How an answer goes out on the socket: whole, or broken on its way as a fault asks."""

from __future__ import annotations

import contextlib
import http.client
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator

from tests.fakehub.answer import Answer

Send = Callable[[bytes], object]


def head_of(answer: Answer, body: bytes, framing: str = "length") -> bytes:
    headers = {"Content-Type": answer.media, **answer.headers}
    if framing == "length":
        headers["Content-Length"] = str(len(body))
    elif framing == "chunked":
        headers["Transfer-Encoding"] = "chunked"
    else:
        headers["Connection"] = "close"
    words = http.client.responses.get(answer.status, "Unknown")
    lines = [f"HTTP/1.1 {answer.status} {words}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def deliver(answer: Answer, body: bytes, connection: socket.socket, closing: threading.Event) -> bool:
    """Send an answer; whether the connection is good for another request."""
    way = answer.delivery.way
    if way == "whole":
        connection.sendall(head_of(answer, body) + body)
        return True
    if way == "slow":
        for piece in _pieces(head_of(answer, body) + body, answer.delivery.piece):
            connection.sendall(piece)
            if closing.wait(answer.delivery.pause):
                return False
        return True
    if way == "silence":
        closing.wait(answer.delivery.pause)
    elif way.startswith("reset_"):
        connection.sendall({"reset_before_headers": b"", "reset_after_headers": head_of(answer, body)}.get(
            way, head_of(answer, body) + _beginning(answer, body)
        ))  # fmt: skip
        abort(connection)
    else:
        connection.sendall(_truncated(answer, body, way.removeprefix("truncated_")))
    return False


def abort(connection: socket.socket) -> None:
    """Break a connection so that the other side gets a reset instead of an end."""
    with contextlib.suppress(OSError):
        form = "hh" if sys.platform == "win32" else "ii"
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(form, 1, 0))


def _truncated(answer: Answer, body: bytes, framing: str) -> bytes:
    part = _beginning(answer, body)
    if framing == "chunked":
        return head_of(answer, body, "chunked") + f"{len(part):x}\r\n".encode() + part + b"\r\n"
    return head_of(answer, body, framing) + part


def _beginning(answer: Answer, body: bytes) -> bytes:
    return body[: int(len(body) * answer.delivery.part)]


def _pieces(data: bytes, size: int) -> Iterator[bytes]:
    yield from (data[start : start + size] for start in range(0, len(data), size))
