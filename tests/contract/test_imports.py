"""Who may import whom, and how long files and functions may be: the shape of the house, read from the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SOURCES = sorted(SCRIPTS.rglob("*.py"))

# The part on the left may import, besides itself, only the parts on the right.
# "version" is phasegate/__init__.py, "entry" what stands beside the package.
MAY_IMPORT = {
    "version": set(), "model": set(), "catalogue": {"model"}, "reading": {"model", "catalogue"},
    "policy": {"model", "catalogue", "reading", "dialects"},
    "dialects": {"model", "catalogue", "reading"},
    "context": {"model", "catalogue", "reading"},
    "rules": {"model", "catalogue", "policy"},
    "report": {"version", "model", "catalogue"},
    "settings": {"model", "catalogue", "policy"},
    "github": {"version", "model", "catalogue", "reading", "settings"},
    "gate": {"version", "model", "catalogue", "reading", "policy", "dialects", "rules"},
    "cli": {*("version", "model", "catalogue", "reading", "policy", "dialects", "rules", "report"),
            *("settings", "context", "github", "gate")},
    "entry": {"cli", "gate"},
}  # fmt: skip
# The table of contents is opened from outside alone.
OPENS_GATE = {"cli", "entry"}
# Each of these packages is known to one part alone.
ONLY_IN = {
    "requests": "github",
    "urllib3": "github",
    "yaml": "reading",
    "jsonschema": "reading",
    "referencing": "reading",
}
# What gives the same answer twice has no clock, chance, environment or network.
PURE = ("model", "catalogue", "reading", "policy", "dialects", "context", "rules", "report", "gate")
IMPURE = {"http", "os", "random", "secrets", "socket", "ssl", "subprocess", "tempfile", "time", "urllib", "uuid"}

LONGEST_FILE = 500
LONGEST_FUNCTION = 50


def name_of(path: Path) -> str:
    """A source file as tests show it."""
    return str(path.relative_to(SCRIPTS))


def part_of(path: Path) -> str:
    """The part a source file belongs to."""
    package, *rest = path.relative_to(SCRIPTS).with_suffix("").parts
    if package != "phasegate":
        return "entry"
    return "version" if rest == ["__init__"] else rest[0]


def imported_modules(tree: ast.AST) -> Iterator[str]:
    """Every module that a source file names in an import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            assert node.module
            whole = [f"phasegate.{alias.name}" for alias in node.names]
            yield from whole if node.module == "phasegate" else [node.module]


def imported_parts(tree: ast.AST) -> set[str]:
    """The parts of ours that a source file imports."""
    modules = (module.split(".") for module in imported_modules(tree))
    names = {[*steps, ""][1] for steps in modules if steps[0] == "phasegate"}
    # `from phasegate import gate` takes a part, `from phasegate import VERSION` a name of phasegate/__init__.py
    return {name if name in MAY_IMPORT else "version" for name in names}


def parse(path: Path) -> ast.Module:
    """The syntax tree of a source file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_parts__import_only_what_they_may(path: Path) -> None:
    part = part_of(path)
    assert part in MAY_IMPORT, f"phasegate/{part} is new: give it a row in MAY_IMPORT"
    assert imported_parts(parse(path)) <= MAY_IMPORT[part] | {part}


def test_gate__is_imported_by_nobody_but_cli_and_the_entry() -> None:
    assert {part for part, others in MAY_IMPORT.items() if "gate" in others} == OPENS_GATE


def test_parts__are_those_that_there_are() -> None:
    assert {part_of(path) for path in SOURCES} == set(MAY_IMPORT)


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_parts__keep_third_party_packages_to_themselves(path: Path) -> None:
    packages = {module.split(".")[0] for module in imported_modules(parse(path))}
    owners = {package: ONLY_IN[package] for package in packages & set(ONLY_IN)}
    assert {package: owner for package, owner in owners.items() if owner != part_of(path)} == {}


@pytest.mark.parametrize("path", [path for path in SOURCES if part_of(path) in PURE], ids=name_of)
def test_parts__between_snapshot_and_report_are_pure(path: Path) -> None:
    assert not {module.split(".")[0] for module in imported_modules(parse(path))} & IMPURE


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_sources__have_a_docstring_and_stay_short(path: Path) -> None:
    tree = parse(path)
    assert ast.get_docstring(tree)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_FUNCTION} == {}


@pytest.mark.parametrize(("source", "expected"), [
    ("import phasegate.gate", {"gate"}),
    ("from phasegate import VERSION", {"version"}),
    ("from phasegate import VERSION, gate", {"version", "gate"}),
    ("from phasegate.rules.accounts import may_speak", {"rules"}),
    ("def f():\n    import phasegate.github.client.client as c", {"github"}),
    ("import json, phasegatelike", set()),
])  # fmt: skip
def test_imported_parts__sees_every_form(source: str, expected: set[str]) -> None:
    assert imported_parts(ast.parse(source)) == expected
