"""The distribution: named like the command, made of the same files, with all data inside; as an installed tree."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.test_lock import direct_names

ROOT = Path(__file__).resolve().parents[2]
TOML = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
PROJECT = TOML.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WHEEL = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from phasegate.__main__ import main; main()"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """What an installed wheel leaves: the packages, and what is put among them, as pyproject.toml says."""
    site = tmp_path / "site-packages"
    kept = shutil.ignore_patterns("__pycache__")
    for source in WHEEL["packages"]:
        shutil.copytree(ROOT / source, site / Path(source).name, ignore=kept)
    for source, target in WHEEL["force-include"].items():
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, site / target)
    return site


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Start the command as its console script does, in an empty folder, with the packages of the tests."""
    empty = site.parent / "empty"
    empty.mkdir(exist_ok=True)
    command = [sys.executable, "-S", "-c", START, str(site), *words]
    return subprocess.run(command, cwd=empty, capture_output=True, encoding="utf-8", check=False)


def test_distribution__has_one_name_and_one_entry() -> None:
    project = PROJECT["project"]
    assert (project["name"], project["scripts"]) == ("phase-gate", {"phase-gate": "phasegate.__main__:main"})
    assert WHEEL["force-include"]["scripts/__main__.py"] == "phasegate/__main__.py"
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "scripts/phasegate/__init__.py"


def test_distribution__asks_for_what_the_lock_is_made_from() -> None:
    assert {re.split("[<>=]", each)[0] for each in PROJECT["project"]["dependencies"]} == direct_names("scripts")


def test_distribution__keeps_no_data_outside_of_the_package(installed: Path) -> None:
    assert {path.name for path in installed.iterdir()} == {"phasegate"}
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    data = [path for path in (ROOT / "scripts" / "phasegate").rglob("*") if path.suffix in (".json", ".yml", ".yaml")]
    assert data
    assert not [path for path in data if path.name in ignored]


@pytest.mark.parametrize(("words", "code", "told"), [
    (("demo",), 0, "Ready to merge"),
    (("lint", str(ROOT / "tests" / "examples" / "jkz" / "valid" / "judge-passes.md")), 0, "no problems"),
    (("lint", "nowhere.md"), 2, ""),
    (("schema", "policy"), 0, "$schema"),
    (("init", "--repo", "octo/shop"), 0, "phase-gate doctor --repo octo/shop"),
], ids=lambda value: value[0] if isinstance(value, tuple) else "")  # fmt: skip
def test_installed__is_the_same_program(installed: Path, words: tuple[str, ...], code: int, told: str) -> None:
    done = run(installed, *words)
    assert (done.returncode, told in done.stdout) == (code, True), done


@pytest.mark.parametrize(("path", "environ", "named"), [
    ("bin", {}, False), ("", {}, True), ("other:bin", {}, True), ("bin", {"UV": "/usr/bin/uv"}, True),
], ids=["on the path", "of pipx run", "behind another", "of uvx"])  # fmt: skip
def test_installed__names_the_command_as_it_can_be_called_again(
    installed: Path, tmp_path: Path, path: str, environ: dict[str, str], *, named: bool
) -> None:
    for folder in ("bin", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "phase-gate").write_text(START, encoding="utf-8")
    program = tmp_path / "bin" / "phase-gate"
    environ |= {"PATH": os.pathsep.join(str(tmp_path / each) for each in path.split(":") if each)}
    command = [sys.executable, "-S", str(program), str(installed), "init", "--repo", "octo/shop"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | environ, capture_output=True, text=True, check=True)
    assert f" {program if named else 'phase-gate'} doctor --repo octo/shop" in done.stdout


@pytest.mark.parametrize(("lack", "words"), [
    ("schemas", ("lint", "comment.md")),
    ("cli/templates", ("demo",)),
    ("cli/templates/phase-gate.yml", ("init",)),
    ("dialects/jkz/codes.yml", ("explain", "PG112")),
    ("cli/demo.py", ("demo",)),
], ids=lambda value: value if isinstance(value, str) else "")  # fmt: skip
def test_installed__without_its_data_says_so(installed: Path, lack: str, words: tuple[str, ...]) -> None:
    gone = installed / "phasegate" / lack
    gone.rename(gone.with_name("gone"))
    done = run(installed, *words, "--json")
    assert (done.returncode, done.stderr.endswith("Fix: install phase-gate again.\n")) == (2, True), done
    assert ('"kind": "usage"' in done.stdout, "Traceback" in done.stderr) == (True, False)
