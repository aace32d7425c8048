"""Ignore files are read as git reads them, and none takes long."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from phasegate.model.texts import IgnoreRule
from phasegate.reading.globs import ignored_by

PATH = ".pipeline/12/plan.json"
GIT = shutil.which("git")
# An ignore file, and the line with the pattern that ignores the path.
FILES: dict[str, tuple[int, str] | None] = {
    "": None,
    "\n\n# .pipeline\n": None,
    ".pipeline": (1, ".pipeline"),
    "*.log\n.pipeline/\n": (2, ".pipeline/"),
    "/.pipeline\n": (1, "/.pipeline"),
    "/.pipeline/\n": (1, "/.pipeline/"),
    ".pipeline/*\n": (1, ".pipeline/*"),
    ".pipeline/**\n": (1, ".pipeline/**"),
    "**/.pipeline\n": (1, "**/.pipeline"),
    "**/.pipeline/**\n": (1, "**/.pipeline/**"),
    "/**/.pipeline/\n": (1, "/**/.pipeline/"),
    ".*\n": (1, ".*"),
    ".*/\n": (1, ".*/"),
    ".p?peline\n": (1, ".p?peline"),
    ".[!p]ipeline\n": None,
    ".[[:digit:]]ipeline\n": None,
    ".[[:nothing:]]ipeline\n": None,
    ".[pipeline\n": None,
    ".pipeline  \n": (1, ".pipeline"),
    ".pipeline\\ \n": None,
    ".pipeline\t\n": None,
    " .pipeline\n": None,
    ".pipeline\r\n": (1, ".pipeline"),
    "\ufeff.pipeline\n": (1, ".pipeline"),
    ".pipeline\\\n": None,
    "\\!.pipeline\n\\#.pipeline\n": None,
    ".pipeline\n!.pipeline\n": None,
    "!.pipeline\n.pipeline\n": (2, ".pipeline"),
    ".pipeline\n!.pipeline/12\n": (1, ".pipeline"),
    ".pipeline/*\n!.pipeline/12\n": None,
    ".pipeline/*\n!.pipeline/13\n": (1, ".pipeline/*"),
    ".pipeline/**\n!.pipeline/**\n": None,
    "*\n!.pipeline/\n": (1, "*"),
    "*\n!*/\n": (1, "*"),
    "*\n!*/\n!*.json\n": None,
    "/*\n!/.pipeline\n": None,
    ".pipeline/12\n": (1, ".pipeline/12"),
    "12/\n": (1, "12/"),
    "pipeline\n": None,
    "src/.pipeline\n": None,
    ".pipeline/plan.json\n": None,
    ".pipeline/*/plan.json\n": (1, ".pipeline/*/plan.json"),
    ".pipeline/*.json\n": None,
    ".pipeline/**/*.json\n": (1, ".pipeline/**/*.json"),
    "plan.json/\n": None,
    ".PIPELINE\n": None,
    "a\nb\n.pipeline": (3, ".pipeline"),
}


@pytest.mark.parametrize("text", FILES, ids=repr)
def test_ignored_by__is_the_last_line_that_fits(text: str) -> None:
    found = ignored_by(text, [PATH])
    assert (None if found is None else (found.line, found.pattern)) == FILES[text]


@pytest.mark.skipif(GIT is None, reason="there is no git on this machine")
@pytest.mark.parametrize("text", FILES, ids=repr)
def test_ignored_by__says_what_git_says(text: str, tmp_path: Path) -> None:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def git(*arguments: str, text: str = "") -> str:
        made = subprocess.run(
            [str(GIT), *arguments], cwd=tmp_path, env=environ, input=text, capture_output=True, text=True, check=False
        )
        assert made.returncode < 2, made.stderr
        return made.stdout

    git("init", "--quiet", ".")
    (tmp_path / ".gitignore").write_text(text, encoding="utf-8", newline="")
    told = git("check-ignore", "-v", "-z", "--no-index", "--stdin", text=f"{PATH}\0")
    _, line, pattern, *_ = [*told.split("\0"), "", ""]
    expected = IgnoreRule(path=".gitignore", line=int(line), pattern=pattern) if line and pattern[0] != "!" else None
    assert ignored_by(text, [PATH]) == expected


def test_ignored_by__names_a_line_only_if_every_file_is_kept_out() -> None:
    paths = [PATH, ".pipeline/12/state.yaml"]
    assert ignored_by("*.json\n", paths) is None
    assert ignored_by("*.json\n*.yaml\n", paths) == IgnoreRule(path=".gitignore", line=1, pattern="*.json")
    assert ignored_by("*.json\n.pipeline\n", paths) == IgnoreRule(path=".gitignore", line=2, pattern=".pipeline")
    assert ignored_by(".pipeline\n", []) is None


STRETCHING = ("*?" * 7 + "b", "**/?" * 4 + "b", "*a" * 99 + "b", "**/" * 60 + "b", "**/" + "*e" * 6)
UNENDING = ("?" * 199, "[" * 199, "[a-" * 60, "\\" * 199)


@pytest.mark.parametrize("pattern", [*STRETCHING, *UNENDING])
def test_ignored_by__takes_no_long_time(pattern: str) -> None:
    began = time.process_time()
    lines = "".join(f"{pattern}{'' if number % 2 else '?'}{number % 7}\n" for number in range(2000))
    assert ignored_by(lines, [f".pipeline/12/{number}.json" for number in range(10)]) is None
    assert time.process_time() - began < 5


def test_ignored_by__passes_over_what_nobody_writes_by_hand() -> None:
    assert ignored_by("*" * 201, [PATH]) is None
    assert ignored_by("\n" * 2000 + ".pipeline", [PATH]) is None
    assert ignored_by("\n" * 1999 + ".pipeline", [PATH]) is not None
