"""Patterns of paths."""

from __future__ import annotations

import pytest

from phasegate.rules.paths import matches_any


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/**", "src/auth.py"),
        ("src/**", "src/deep/down/auth.py"),
        ("/src/**", "src/auth.py"),
        ("src/*.py", "src/auth.py"),
        ("**/auth.py", "auth.py"),
        ("**/auth.py", "src/deep/auth.py"),
        ("src/**/auth.py", "src/auth.py"),
        ("src/**/auth.py", "src/a/b/auth.py"),
        ("*.py", "src/deep/auth.py"),
        ("auth.py", "src/auth.py"),
        ("**", "anything/at/all"),
        ("v?.txt", "v1.txt"),
        ("a.b", "a.b"),
        ("docs/**", "docs/with\nline break.md"),
    ],
)
def test_matches_any__matches(pattern: str, path: str) -> None:
    assert matches_any(path, (pattern,))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/**", "source/auth.py"),
        ("src/**", "lib/src/auth.py"),
        ("src/*.py", "src/deep/auth.py"),
        ("*.py", "auth.pyc"),
        ("a.b", "axb"),
        ("v?.txt", "v/.txt"),
        ("v?.txt", "v.txt"),
        ("src/**", "SRC/auth.py"),
    ],
)
def test_matches_any__does_not_match(pattern: str, path: str) -> None:
    assert not matches_any(path, (pattern,))


def test_matches_any__one_of_several_is_enough() -> None:
    assert matches_any("web/a.css", ("src/**", "*.css"))
    assert not matches_any("web/a.css", ())


@pytest.mark.parametrize("text", ["(a+)+$", "[a-z]", "a|b", "\\d", "^x", "{a,b}"])
def test_matches_any__signs_of_regular_expressions_are_plain_letters(text: str) -> None:
    assert matches_any(text, (text,))
    assert not matches_any("a", (text,))


@pytest.mark.parametrize("pattern", ["src/", "./src/**"])
def test_matches_any__a_folder_as_people_write_it(pattern: str) -> None:
    assert matches_any("src/auth.py", (pattern,))
