"""What the tests of jkz share: a text goes in, its signals come out."""

from __future__ import annotations

from phasegate.dialects.dialect import Text
from phasegate.dialects.jkz.reader import read_text
from phasegate.model.problem import Where
from phasegate.model.signal import Place, Signal, Source
from phasegate.policy.load import default_policy
from tests.casebook.world import JSON, block

ROLES = tuple(default_policy().roles.values())
HERE = Where(url="https://github.com/octo/shop/pull/7#issuecomment-1")
SOURCE = Source(id="comment-1", number=1, url=str(HERE), place=Place.PULL_REQUEST, at="2026-03-02T10:00:00Z")
PASS = '{"verdict": "PASS", "issues": []}'


def read(text: str) -> tuple[Signal, ...]:
    """The signals in a text."""
    return read_text(Text(source=SOURCE, where=HERE, body=text), ROLES)


def read_one(text: str) -> Signal:
    """The one signal in a text."""
    (signal,) = read(text)
    return signal


def says(data: JSON | str, role: str = "judge") -> Signal:
    """A role's signal with this block."""
    return read_one(f"## jkz:{role}\n\nWords.\n\n{block(data)}\n")


def codes(signal: Signal) -> list[str]:
    """The codes of a signal's problems."""
    return [item.code for item in signal.problems]
