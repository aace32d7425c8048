"""What goes back to the client: an answer as data, how it is put on the wire, and GitHub's ways of refusing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

JSON = dict[str, Any]
DOCS = "https://docs.github.com/rest"


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """How the bytes of an answer reach the client: ``whole``, or broken in one of the ways of ``faults``."""

    way: str = "whole"
    pause: float = 0.0
    piece: int = 1
    part: float = 0.5


@dataclass(frozen=True, kw_only=True)
class Answer:
    """An answer: ``data`` is sent as JSON unless there are ``raw`` bytes."""

    status: int = 200
    data: object = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    media: str = "application/json; charset=utf-8"
    delivery: Delivery = Delivery()

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        try:
            return json.dumps(self.data, ensure_ascii=False, separators=(",", ":")).encode()
        except UnicodeEncodeError:  # half a character, which only an escape can carry
            return json.dumps(self.data, separators=(",", ":")).encode()


class RefusedError(Exception):
    """The API refuses a request, with an answer of its own."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class NotModelledError(Exception):
    """A request that GitHub would answer and the fake does not know: the fake, or the test, is to be mended."""


def error(status: int, message: str, **headers: str) -> Answer:
    data: JSON = {"message": message, "documentation_url": DOCS}
    if status != 422:  # the published shape of a validation error has no status in it
        data["status"] = str(status)
    return Answer(status=status, data=data, headers={name.replace("_", "-"): text for name, text in headers.items()})


def not_found() -> RefusedError:
    """There is no such thing, or the token may not see it."""
    return RefusedError(error(404, "Not Found"))


def invalid(message: str, **fault: str) -> RefusedError:
    """A request that breaks a rule; ``fault`` says in which resource and field."""
    answer = error(422, message)
    if not fault:
        return RefusedError(answer)
    data = {"message": "Validation Failed", "documentation_url": DOCS}
    return RefusedError(Answer(status=422, data=data | {"errors": [{"code": "custom", "message": message} | fault]}))
