"""Digests of texts and values."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from phasegate.model.codec import text_digest, value_digest
from phasegate.model.problem import Where
from tests.casebook.world import World
from tests.unit.rules.parties import taken


def test_text_digest__is_the_sha256_of_the_utf8_bytes() -> None:
    assert text_digest("ä") == "sha256:" + hashlib.sha256("ä".encode()).hexdigest()


def test_text_digest__one_byte_makes_another_digest() -> None:
    assert len({text_digest(text) for text in ("", " ", "\n", "a", "A", "a\n", "a\r\n", "a\u200b")}) == 8


def test_text_digest__half_a_surrogate_pair_has_a_digest_of_its_own() -> None:
    assert text_digest("\ud800") not in {text_digest(""), text_digest("\udfff"), text_digest("\ufffd")}


def test_value_digest__a_value_and_its_equal_have_the_same() -> None:
    assert value_digest(Where(path="a", line=None)) == value_digest(Where(path="a"))
    assert value_digest(Where(path="a")) != value_digest(Where(path="b"))
    assert value_digest(Where(path="a")) != value_digest(Where(url="a"))


def test_value_digest__of_a_snapshot_changes_with_every_part_of_it() -> None:
    world = World()
    world.judges("judge")
    snapshot = taken(world)
    others = (
        replace(snapshot, taken_at="2026-03-02T23:59:59Z"),
        replace(snapshot, comments=()),
        replace(snapshot, people=snapshot.people[:-1]),
        replace(snapshot, policy=replace(snapshot.policy, text="version: 1\n")),
        replace(snapshot, ref_log=replace(snapshot.ref_log, complete=False)),
    )
    assert len({value_digest(item) for item in (snapshot, *others)}) == 1 + len(others)
