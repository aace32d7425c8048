"""The README's commands and links, and that CI runs the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DEMO = "python3 scripts demo"
TESTS = "python3 tests"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md")])


def command_lines(shell: str) -> list[str]:
    """What a shell text runs, without its comments."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in shell.splitlines())
    return [line for line in lines if line]


def section(markdown: str, heading: str) -> str:
    """What stands under a heading of the second level, up to the next one."""
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", markdown, re.DOTALL | re.MULTILINE)
    assert found, f"there is no section {heading!r}"
    return found[1]


def shell_lines(markdown: str) -> list[str]:
    """What a reader would paste into a shell."""
    blocks = re.findall(r"^```(?:sh|bash|shell|console)\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in command_lines(block)]


def test_readme__quick_start_has_exactly_two_local_commands() -> None:
    assert shell_lines(section(README.read_text(encoding="utf-8"), "Quick start")) == [DEMO, TESTS]


def test_ci_run__runs_the_second_command_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    housekeeping = ("set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."')
    assert [line for line in command_lines(script.read_text(encoding="utf-8")) if line not in housekeeping] == [
        f"exec {TESTS}"
    ]


def test_ci_workflow__runs_both_commands() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    runs = re.findall(r"run: (.*)", workflow)
    assert {DEMO, TESTS} <= set(runs)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents__links_to_files_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    local = [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]
    assert [target for target in local if not (document.parent / target).exists()] == []
