"""Strict YAML against whatever comes: only faults come out, what PyYAML writes is read, and time."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from phasegate.model.problem import Fault
from phasegate.reading.document import Document, Json, Limits
from phasegate.reading.yaml import plain_lines, read_yaml
from tests.chance import examples
from tests.unit.reading.growth import grows_linearly

BOUNDED = examples(400)
CODES = {"PG005", "PG010", "PG011", "PG012", "PG013"}

YAML_VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15) + 1, 10**15 - 1)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), inner, max_size=4)
    ),
    max_leaves=10,
)
SIGNS = [*"[]{}:,-?&*!|>'\"%@`#~=<\\ \n\t\ra0", "\x00", "\x85", "\u2028", "\ufeff", "\ud800"]
WORDS = [
    "true", "null", "a: ", "- ", "? ", ": ", "  ", "\n  ", "---", "...", "<<", "!!int", "\\U00110000", "%YAML 1.1",
    "|2", ">+",
]  # fmt: skip
SCRAPS = st.lists(st.sampled_from(SIGNS + WORDS), max_size=16).map("".join)


class PlainDumper(yaml.SafeDumper):
    """Writes equal values out instead of sharing them by alias."""

    def ignore_aliases(self, _: object) -> bool:
        return True


@BOUNDED
@given(YAML_VALUES, st.sampled_from([True, False, None]))
def test_read_yaml__reads_what_pyyaml_writes(value: Json, flow: bool | None) -> None:  # noqa: FBT001 - drawn by hypothesis
    text = yaml.dump(value, Dumper=PlainDumper, default_flow_style=flow, sort_keys=False)
    document = read_yaml(text)
    assert isinstance(document, Document)
    assert repr(document.value) == repr(value)


@BOUNDED
@given(SCRAPS | st.text(max_size=24))
def test_read_yaml__lets_nothing_but_faults_out(text: str) -> None:
    found = read_yaml(text)
    if isinstance(found, Fault):
        assert found.code in CODES
        assert 1 <= found.position.line <= text.count("\n") + 1
        assert 1 <= found.position.column <= len(text) + 1
        assert found.message.isprintable()
        assert found.hint.isprintable()


HOSTILE: dict[str, Callable[[int], str]] = {
    "keys": lambda size: "".join(f"k{number:05}: v\n" for number in range(size // 10)),
    "plain words": lambda size: "a " * (size // 2),
    "plain lines": lambda size: "a\n" * (size // 2),
    "quoted words": lambda size: '"' + "a " * (size // 2) + '"',
    "escapes": lambda size: '"' + "\\n" * (size // 2) + '"',
    "comments": lambda size: "#\n" * (size // 2),
    "spaces": lambda size: " " * size,
    "lines": lambda size: "\n" * size,
    "block": lambda size: "a: |\n" + "  x\n" * (size // 4),
    "colons": lambda size: ":" * size,
    "dashes": lambda size: "-" * size,
    "long key": lambda size: "a" * size + ": b",
    "quotes": lambda size: "''" * (size // 2),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_read_yaml__takes_linear_time(name: str) -> None:
    assert grows_linearly(read_yaml, HOSTILE[name], 16_384)


KEYS = st.sampled_from(["type", "signal", "AC1", "true", "null", "_", "risk_tags"])
PLAIN = st.sampled_from(
    ["pass", "x y", "0", "007", "-1", "1e3", "true", "null", "no", "...", "---", ".a/b-c.md", "2026-01-01", "0x1"]
)
ROWS = st.one_of(
    st.builds("{}: {}".format, KEYS, PLAIN),
    st.builds("{}:".format, KEYS),
    st.builds("  {}: {}".format, KEYS, PLAIN),
    st.builds("{}- {}".format, st.sampled_from(["", "  "]), PLAIN),
    st.sampled_from(["  x", "# c", "", "   a: b", "a: 'b'", "a: b: c", "- a: b", "a:b", "a : b", "a: b ", "a: ~"]),
)


@examples(1_000)
@given(st.lists(ROWS, min_size=1, max_size=6).map("\n".join), st.sampled_from(["", "\n"]))
def test_plain_lines__are_what_the_parser_makes_of_them(text: str, end: str) -> None:
    plain = plain_lines(text + end)
    if plain is not None:
        parsed = read_yaml(text + end, limits=Limits(characters=131_072, depth=11))
        assert isinstance(parsed, Document)
        assert (parsed.value, parsed.mark) == plain


@pytest.mark.parametrize("text", [
    "type: approval\nsignal: lgtm",
    "type: review_verdict\nsignal: pass\ncritical_count: 0\nac_coverage:\n  AC1: pass\n  AC2: fail\n",
    "files_changed:\n- src/a.py\n- src/b.py\nqa_check: pass\n",
])  # fmt: skip
def test_plain_lines__are_read_without_the_parser(text: str) -> None:
    assert plain_lines(text) is not None


@pytest.mark.parametrize("text", ["a: b\n  c: d", "a:\nb: c", "a: b\na: c", "a: b\n- c", "- a", "a:", "a: b\n  c", ""])
def test_plain_lines__leave_the_rest_to_the_parser(text: str) -> None:
    assert plain_lines(text) is None
