"""Digests of texts and values."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from phasegate.model.codec import text_digest, value_digest
from phasegate.model.problem import Where
from tests.casebook.world import World
from tests.unit.rules.parties import taken


def test_text_digest__is_the_sha256_of_the_utf8_bytes() -> None:
    texts = ("", " ", "\n", "a", "A", "a\n", "a\r\n", "a\u200b", "\ud800", "\udfff", "\ufffd")
    assert len({text_digest(text) for text in texts}) == len(texts)
    assert text_digest("ä") == "sha256:" + hashlib.sha256("ä".encode()).hexdigest()


def test_value_digest__a_value_and_its_equal_have_the_same() -> None:
    assert value_digest(Where(path="a", line=None)) == value_digest(Where(path="a"))
    assert value_digest(Where(path="a")) != value_digest(Where(path="b"))
    assert value_digest(Where(path="a")) != value_digest(Where(url="a"))


def test_value_digest__of_a_snapshot_changes_with_every_part_of_it() -> None:
    snapshot = taken(World().passed_by("judge"))
    others = (
        replace(snapshot, taken_at="2026-03-02T23:59:59Z"),
        replace(snapshot, comments=()),
        replace(snapshot, people=snapshot.people[:-1]),
        replace(snapshot, policy=replace(snapshot.policy, text="version: 1\n")),
        replace(snapshot, ref_log=replace(snapshot.ref_log, complete=False)),
    )
    assert len({value_digest(item) for item in (snapshot, *others)}) == 1 + len(others)
