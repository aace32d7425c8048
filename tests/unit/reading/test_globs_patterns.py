"""Patterns that choose files, as a policy writes them."""

from __future__ import annotations

import pytest

from phasegate.model.plan import INSTRUCTION_FILES
from phasegate.reading.globs import any_among, is_covered
from tests.unit.reading.growth import grows_linearly, seconds


@pytest.mark.parametrize(("pattern", "path"), [
    ("src/**", "src/auth.py"), ("src/**", "src/deep/down/auth.py"), ("/src/**", "src/auth.py"),
    ("src/*.py", "src/auth.py"), ("**/auth.py", "auth.py"), ("**/auth.py", "src/deep/auth.py"),
    ("src/**/auth.py", "src/auth.py"), ("src/**/auth.py", "src/a/b/auth.py"), ("*.py", "src/deep/auth.py"),
    ("auth.py", "src/auth.py"), ("**", "anything/at/all"), ("v?.txt", "v1.txt"), ("a.b", "a.b"),
    ("docs/**", "docs/with\nline break.md"), ("src", "lib/src/auth.py"), ("/src", "src/auth.py"),
    ("lib/src", "lib/src/deep/auth.py"), ("src/**", "src"), ("a**z/x", "abz/x"),
])  # fmt: skip
def test_any_among__matches(pattern: str, path: str) -> None:
    assert any_among([path], (pattern,))


@pytest.mark.parametrize(("pattern", "path"), [
    ("src/**", "source/auth.py"), ("src/**", "lib/src/auth.py"), ("src/*.py", "src/deep/auth.py"), ("*.py", "auth.pyc"),
    ("a.b", "axb"), ("v?.txt", "v/.txt"), ("v?.txt", "v.txt"), ("src/**", "SRC/auth.py"), ("/src", "lib/src/auth.py"),
    ("a**/b", "ab"), ("src", "srcs/auth.py"),
])  # fmt: skip
def test_any_among__does_not_match(pattern: str, path: str) -> None:
    assert not any_among([path], (pattern,))


def test_any_among__one_of_several_is_enough() -> None:
    assert any_among(["web/a.css"], ("src/**", "*.css"))
    assert not any_among(["web/a.css"], ())


@pytest.mark.parametrize("text", ["(a+)+$", "[a-z]", "a|b", "\\d", "^x", "{a,b}"])
def test_any_among__signs_of_regular_expressions_are_plain_letters(text: str) -> None:
    assert any_among([text], (text,))
    assert not any_among(["a"], (text,))


@pytest.mark.parametrize("pattern", ["src/", "./src/**"])
def test_any_among__a_folder_as_people_write_it(pattern: str) -> None:
    assert any_among(["src/auth.py"], (pattern,))


@pytest.mark.parametrize("pattern", ["*a*a*a*a*b", "**/a/**/a/**/b", "?" * 50 + "*b", "a/**"])
@pytest.mark.parametrize("piece", ["a", "a/", "ab/"])
def test_any_among__takes_twice_the_time_for_twice_the_path(pattern: str, piece: str) -> None:
    assert grows_linearly(lambda path: any_among([path], [pattern]), lambda size: piece * (size // len(piece)), 4_000)


@pytest.mark.parametrize("piece", ["d/", "agents.mdx/", "/agents.m", ".github/"])
def test_any_among__thousands_of_deep_paths_take_no_time(piece: str) -> None:
    paths = [piece * (2_000 // len(piece)) + str(number) for number in range(1_000)]
    patterns = [each.lower() for each in INSTRUCTION_FILES if each.lower() != piece]
    assert seconds(lambda _: any_among(paths, patterns), "") < 1
    assert any_among([*paths, f"{paths[0]}/agents.md"], ("agents.md",))


COVERED = (
    ("docs/**", "docs/a/b.md"),
    ("docs/", "docs/a.md"),
    ("docs", "docs/a/b.md"),
    ("LICENSE", "LICENSE"),
    (".changes", ".changes/1.md"),
    ("docs/v1.0/", "docs/v1.0/a.md"),
    ("CHANGELOG.md", "web/CHANGELOG.md"),
    ("*.md", "a/b.md"),
    ("docs/*", "docs/a.md"),
    ("docs/**/*.md", "docs/a/b.md"),
    ("**", "a/b.py"),
    ("**/", "a.py"),
    ("./**", "a.py"),
)
UNCOVERED = (
    ("docs/**", "docs"),
    ("docs/", "docs"),
    ("*.md", "a.md/b.py"),
    ("CHANGELOG.md", "CHANGELOG.md/conftest.py"),
    ("docs/notes.md", "docs/notes.md/conftest.py"),
    ("docs/*", "docs/a/b.py"),
    ("docs/**/*.md", "docs/a.md/b.py"),
    ("docs/**", "src/docs/a.md"),
)


@pytest.mark.parametrize(("pattern", "path"), COVERED)
def test_is_covered__what_the_pattern_means(pattern: str, path: str) -> None:
    assert is_covered(path, ("nothing", pattern))


@pytest.mark.parametrize(("pattern", "path"), UNCOVERED)
def test_is_covered__nothing_else_of_its_name(pattern: str, path: str) -> None:
    assert not is_covered(path, (pattern,))


@pytest.mark.parametrize(
    "pattern", ["*e*e*e*e*e*e*e*e*b", "**/e*e*/**/*e?e/**/e*e*/**/b", "**/*e*e*e/*e*e*e/**/c", "*?*?*?*?*?*?b"]
)
@pytest.mark.parametrize("piece", ["e", "ee/", "eee/e/", "eeeeeeeeeeeeeeee/"])
def test_is_covered__takes_twice_the_time_for_twice_the_path(pattern: str, piece: str) -> None:
    assert grows_linearly(lambda path: is_covered(path, [pattern]), lambda size: piece * (size // len(piece)), 8_000)
