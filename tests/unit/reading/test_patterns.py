"""Patterns of a policy: what is read, what is refused and where, and that no match takes long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phasegate.reading.patterns import LONGEST_SUBJECT, Pattern, Refusal, read_pattern
from tests.chance import examples


def read(text: str) -> Pattern:
    """A pattern that is not refused."""
    found = read_pattern(text)
    assert isinstance(found, Pattern), found
    return found


@pytest.mark.parametrize(("text", "subject", "groups"), [
    ("Verdict: (?P<word>[A-Z-]{1,20})", "Verdict: FIX-FIRST", {"word": "FIX-FIRST"}),
    (r"a\.b\\c\{", r"a.b\c{", {}),
    (r"(?P<n>\d{1,3}) of (?P<m>\d{1,3})", "6 of 7", {"n": "6", "m": "7"}),
    ("x(?: (?P<y>[^()]{1,9}))?z", "x abz", {"y": "ab"}),
    ("x(?: (?P<y>[^()]{1,9}))?z", "xz", {"y": None}),
    ("(?P<w>ok|not ok)\\.", "not ok.", {"w": "not ok"}),
    ("💡 Codex", "💡 Codex", {}), (r"[\]\-x]{2}", "]-", {}), ("colou?r", "color", {}), ("a.{1,3}c", "a.bc", {}),
])  # fmt: skip
def test_pattern__matches_all_of_a_text(text: str, subject: str, groups: dict[str, str | None]) -> None:
    match = read(text).match(subject)
    assert match is not None
    assert match.groupdict() == groups
    assert read(text).match(subject + "\n") is None
    assert read(text).match("!" + subject) is None


def test_pattern__knows_only_ascii_classes() -> None:
    assert read(r"x\d").match("x٣") is None
    assert read(r"x\w").match("xé") is None


@pytest.mark.parametrize(("text", "beginnings"), [
    ("Verdict: (?P<w>[a-z]{1,9})", ("Verdict: ",)),
    ("(?P<r>review-code|review-doc): x", ("review-code: x", "review-doc: x")),
    ("(?:a|b)(?:c|d)e[0-9]", ("ace", "ade", "bce", "bde")),
    ("a{3}b?c", ("aaa",)), ("[ab]c", ()), ("(?:abc|[d])x", ()), ("x?abc", ()),
])  # fmt: skip
def test_beginnings__are_all_literal_texts_that_a_match_begins_with(text: str, beginnings: tuple[str, ...]) -> None:
    assert read(text).beginnings == beginnings


@pytest.mark.parametrize(("text", "offset", "reason"), [
    ("a+", 1, "without an end"), ("[a-z]*x", 5, "without an end"), ("a{2,}", 1, "no bound"), ("a{5,2}", 1, "go up"),
    ("a{0,5000}", 1, "go up"),
    ("(?:ab){1,3}", 0, "single character"),
    ("a{1,3}{1,3}", 6, "repetition of a repetition"),
    ("a{1,3}?", 6, "repetition of a repetition"),
    ("a??", 2, "repetition of a repetition"),
    ("(a)", 0, "named"),
    (r"(?P<a>x)\1", 8, "refers back"),
    ("(?P<a>x)(?P=a)", 8, "a group is named"),
    ("(?=x)y", 0, "a group is named"), ("(?<!x)y", 0, "a group is named"), ("(?i)x", 0, "named"),
    ("^x", 0, "not needed"), ("x$", 1, "not needed"), (r"\bx", 0, "is not read"), (r"x\Z", 1, "is not read"),
    ("(?P<A>x)", 4, "lower-case"),
    ("(?P<a>x)(?P<a>y)", 12, "two groups"),
    ("(?P<a>x", 0, "never closed"), ("x)", 1, "closes nothing"), ("[", 0, "empty or never closed"),
    ("[]", 0, "empty or never closed"), ("[z-a]", 1, "range"), ("[[:alpha:]]", 1, "inside a class"),
    ("x\\", 1, "is not read"), ("x{0,3}", 0, "empty text"), ("", 0, "empty text"), ("x" * 601, 0, "601 characters"),
    ("(?:" * 7 + "x" + ")" * 7, 18, "nest"),
])  # fmt: skip
def test_pattern__is_refused_with_place_and_reason(text: str, offset: int, reason: str) -> None:
    found = read_pattern(text)
    assert isinstance(found, Refusal)
    assert (found.offset, reason in found.reason) == (offset, True), found


EXPLOSIVE = [
    ".{0,200}.{0,200}.{0,200}x",
    "(?:a{0,200})a{0,200}(?:a{0,200})b",
    "(?:a|a)" * 40 + "b",
    "x?" * 200 + "y",
    "(?:x?y?)?" * 60 + "z",
    "(?:a|ab|abc)" * 30 + "z",
    "[ab]{0,200}(?:[ab]{0,200}c?)?[ab]{0,200}z",
]


@pytest.mark.parametrize("text", EXPLOSIVE, ids=lambda text: text[:20])
def test_explosive_pattern__is_refused_at_once(text: str) -> None:
    began = time.process_time()
    assert isinstance(read_pattern(text), Refusal)
    assert time.process_time() - began < 0.5


PIECES = st.sampled_from(["a", "b", "[ab]", ".", "x", "(?:", "(?P<g>", ")", "|", "?", "{0,9}", "{0,90}", "{2}", r"\d"])


@examples(400)
@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["a" * 600, "ab" * 300, "a" * 300 + "x", "b"]))
def test_every_pattern_that_is_taken__compiles_and_is_quick(text: str, subject: str) -> None:
    found = read_pattern(text)
    if isinstance(found, Refusal):
        return
    assert set(re.compile(text).groupindex) == set(found.groups)
    began = time.process_time()
    match = found.match(subject)
    assert time.process_time() - began < 0.5
    assert match is None or not found.beginnings or subject.startswith(found.beginnings)


def test_long_subject__does_not_match() -> None:
    assert read("a{1,900}").match("a" * (LONGEST_SUBJECT + 1)) is None
