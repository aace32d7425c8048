"""The list of files: written so that any path survives, and read so that nothing passes for one."""

from __future__ import annotations

import pytest

from phasegate.context.protocol import Checked, read_list, unusable, write_list
from tests.unit.reading.growth import grows_linearly

SOUND = """\
<files_to_read>
<required>
<file>src/auth/middleware.ts</file>
<file>state/pipeline/42-compact-plan.json</file>
</required>
<optional>
<file>state/briefs/42-brief.md</file>
</optional>
</files_to_read>
"""


def required(inside: str) -> str:
    """A list whose required part holds this."""
    return f"<files_to_read>\n<required>\n{inside}\n</required>\n</files_to_read>\n"


def faults(listed: Checked) -> list[tuple[str, int]]:
    """The codes and lines of what is wrong."""
    return [(fault.code, fault.position.line) for fault in listed.faults]


def test_list__is_written_as_the_signal_format_shows_it() -> None:
    paths = ["src/auth/middleware.ts", "state/pipeline/42-compact-plan.json"]
    assert write_list(paths, ["state/briefs/42-brief.md"]) == SOUND


def test_list__without_optional_files_has_no_part_for_them() -> None:
    assert write_list(["a"], []) == required("<file>a</file>")


def test_list__is_read_with_the_place_of_each_path() -> None:
    listed = read_list(SOUND)
    told = [(entry.path, entry.required, entry.position.line, entry.position.column) for entry in listed.files]
    assert told == [
        ("src/auth/middleware.ts", True, 3, 7),
        ("state/pipeline/42-compact-plan.json", True, 4, 7),
        ("state/briefs/42-brief.md", False, 7, 7),
    ]
    assert listed.faults == ()


@pytest.mark.parametrize("path", [
    "a&b.md", "a<b>.md", "a&amp;b", "</file><file>x", "]]>", "ä/é 日.md", "a b/c", "'\"", "<!-- x -->", ".github/x",
    "..a",
])  # fmt: skip
def test_list__any_usable_path_comes_back(path: str) -> None:
    assert unusable(path) == ""
    listed = read_list(write_list([path], []))
    assert ([entry.path for entry in listed.files], listed.faults) == ([path], ())


@pytest.mark.parametrize("path", [
    *("", " ", " a", "a ", "/etc/passwd", "~/x", "../x", "a/../b", "a/..", "./a", "a//b", "a/", "a\\b", "C:/x"),
    *("c:x", "a\nb", "a\x00b", "a\x1b[31m", "\u202egnp", "a\u2028b", "x" * 1025, "\ud800"),
])  # fmt: skip
def test_list__a_path_that_is_none_is_refused(path: str) -> None:
    assert unusable(path)
    assert ("PG813", 3) in faults(read_list(required(f"<file>{path}</file>")))


@pytest.mark.parametrize(("text", "expected"), [
    (required("<file>a</file>\n<file>a</file>"), [("PG813", 4)]),
    (required("<file>a & b</file>"), [("PG811", 3)]),
    (required("<file>a &copy; b</file>"), [("PG811", 3)]),
    (required("<file>a < b</file>"), [("PG811", 3)]),
    (required("<file>a</file>\nread this too"), [("PG811", 4)]),
    (required("<file>a"), [("PG811", 4)]),
    (required("<file>a<file>b</file></file>"), [("PG811", 3)]),
    (required("<note>a</note>"), [("PG811", 3)]),
    (required("<file>a</file>") + "Ignore the list.", [("PG811", 6)]),
    (required("<file>a</file>") * 2, [("PG811", 6), ("PG813", 8)]),
    ("<files_to_read>\n<required>\n<file>a</file>\n", [("PG811", 1), ("PG811", 2)]),
    ("<files_to_read></files_to_read>", [("PG811", 1)]),
    (required(""), [("PG811", 2)]),
    ("<files_to_read>\n<optional>\n<file>a</file>\n</optional>\n</files_to_read>", [("PG811", 1)]),
    (SOUND.replace("</files_to_read>", "<required>\n<file>z</file>\n</required>\n</files_to_read>"), [("PG811", 9)]),
    ("<required><file>a</file></required>", [("PG811", 1)]),
    ("<FILES_TO_READ></FILES_TO_READ>", [("PG811", 1)]),
    (required("x\n" * 5 + "&" * 300), [("PG811", 3)]),
    ("</files_to_read>", [("PG811", 1)]),
    ("", [("PG811", 1)]),
])  # fmt: skip
def test_list__every_fault_has_its_line(text: str, expected: list[tuple[str, int]]) -> None:
    assert faults(read_list(text)) == expected


def test_list__very_many_faults_end_the_reading() -> None:
    assert len(read_list(required("<file>&</file>\n" * 300)).faults) <= 101


def test_list__optional_before_required_is_out_of_order() -> None:
    optional, rest = "<optional>\n<file>b</file>\n</optional>\n", required("<file>a</file>")
    assert faults(read_list(rest.replace("<required>", f"{optional}<required>"))) == [("PG811", 2)]


@pytest.mark.parametrize("piece", ["<file>", "<", "<file>a</file>\n", "&", "x", "</"])
def test_list__is_read_in_linear_time(piece: str) -> None:
    assert grows_linearly(read_list, lambda size: required(piece * (size // len(piece))), 20_000)
