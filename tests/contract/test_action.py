"""action.yml, the names of its variables, the settings and the tables of docs/workflow.md say the same."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from phasegate.cli.action import OUTPUTS, STATES
from phasegate.github.record import CONTEXT as RECORD
from phasegate.model.plan import CHECK_NAME
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import POLICY
from phasegate.policy.load import default_policy
from phasegate.settings import settings_from_environ
from tests.contract.test_readme import ROOT, WORKFLOWS, page, section, table

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
(STEP,) = STEPS
PAGE = page("workflow")
PREFIX = "PHASE_GATE_"
# What the page says of a default that is no fixed text.
TOLD_DEFAULTS = {"token": "the workflow's own token", "pull-request": "from the event", "api-url": "the runner's own"}


def variable(name: str) -> str:
    """The environment variable of an input."""
    return PREFIX + name.upper().replace("-", "_")


def described() -> list[tuple[str, str]]:
    """Every input and output with its description."""
    return [(name, item["description"]) for part in ("inputs", "outputs") for name, item in ACTION[part].items()]


def names_read(path: Path) -> set[str]:
    """The variables of ours that a source file names."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return {text for text in constants if isinstance(text, str) and re.fullmatch(rf"{PREFIX}[A-Z_]+", text)}


def test_action__is_one_step_that_runs_the_program_isolated() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert "uses" not in STEP
    assert STEP["shell"] == "sh"
    assert "${{" not in STEP["run"]
    started = '"$python" -I -S "$GITHUB_ACTION_PATH/scripts/__main__.py" action'
    # in the place of the shell, so that it hears of being cancelled
    assert STEP["run"].rstrip().splitlines()[-1] == f"exec {started}"


def run_step(place: Path, path: Path, **environ: str) -> tuple[int, str, dict[str, str]]:
    """Run the script of the step around a program that tells its Python: exit code, what was printed, the outputs."""
    program = place / "action of ours" / "scripts" / "__main__.py"
    program.parent.mkdir(parents=True)
    program.write_text("import sys; print(sys.argv[1], sys.flags.isolated, sys.flags.no_site)\n", encoding="utf-8")
    told = {"GITHUB_OUTPUT": str(place / "output"), "GITHUB_ACTION_PATH": str(program.parents[1])}
    shell = shutil.which("sh")
    assert shell
    done = subprocess.run(
        [shell, "-e", "-c", STEP["run"]],
        env={"PATH": str(path), "RUNNER_TEMP": str(place), **told, **environ},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    lines = (place / "output").read_text(encoding="utf-8").splitlines()
    return done.returncode, done.stdout + done.stderr, dict(line.split("=", 1) for line in lines)


def make_program(path: Path, script: str) -> None:
    """A program of that name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


THIS_PYTHON = f'exec "{sys.executable}" "$@"'
# What is found under a name and is no Python that can be used, as RHEL 9 and Windows have it.
TOO_OLD, STUB = "exit 1", 'echo "Python was not found; run without arguments to install" >&2; exit 49'


@pytest.mark.skipif(shutil.which("sh") is None, reason="the step is a script for sh")
@pytest.mark.parametrize("found", [
    {"bin/python3": THIS_PYTHON},
    {"bin/python": THIS_PYTHON},
    {"bin/python3": STUB, "bin/python": THIS_PYTHON},
    {"bin/python3": TOO_OLD, "bin/python": TOO_OLD, "bin/python3.12": THIS_PYTHON},
    {"bin/python3": TOO_OLD, "the tools/Python/3.13.1/x64/bin/python3": THIS_PYTHON},
    {"bin/python3": STUB, "the tools/Python/3.9.18/x64/bin/python3": "exit 97", "bin/python3.10": THIS_PYTHON},
    {"bin/python3": STUB, "the tools/Python/3.12.10/x64/python.exe": THIS_PYTHON},
], ids=", ".join)  # fmt: skip
def test_step__finds_a_python_by_trying(tmp_path: Path, found: dict[str, str]) -> None:
    for name, script in found.items():
        make_program(tmp_path / name, script)
    code, printed, outputs = run_step(tmp_path, tmp_path / "bin", RUNNER_TOOL_CACHE=str(tmp_path / "the tools"))
    assert (code, printed) == (0, "action 1 1\n")
    assert outputs["state"] == "error"


@pytest.mark.skipif(shutil.which("sh") is None, reason="the step is a script for sh")
@pytest.mark.parametrize("script", [TOO_OLD, STUB, None])
def test_step__says_which_python_it_needs(tmp_path: Path, script: str | None) -> None:
    (tmp_path / "bin").mkdir()
    if script:
        make_program(tmp_path / "bin" / "python3", script)
    code, printed, outputs = run_step(tmp_path, tmp_path / "bin")
    says = "Phase Gate needs Python 3.10 to 3.14, and found none: put actions/setup-python before it, or install one"
    assert (code, printed) == (2, f"phase-gate: {says}\n")
    assert outputs == {**dict.fromkeys(OUTPUTS, ""), **dict.fromkeys(STATES, "error"), "next-action": says}


def test_inputs__reach_the_step_by_name_and_are_all_that_the_settings_read() -> None:
    assert names_read(ROOT / "scripts" / "phasegate" / "settings.py") == set(STEP["env"])
    assert [name for name, item in ACTION["inputs"].items() if "required" in item or "default" not in item] == []
    assert STEP["env"] == {variable(name): f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}


def test_inputs__have_the_defaults_of_the_settings() -> None:
    given = {variable(name): item["default"] for name, item in ACTION["inputs"].items() if name != "token"}
    least = {"PHASE_GATE_TOKEN": "t0", "GITHUB_REPOSITORY": "octo/shop"}
    assert settings_from_environ(least | given) == settings_from_environ(least)
    assert ACTION["inputs"]["policy-path"]["default"] == POLICY
    assert ACTION["inputs"]["token"]["default"] == "${{ github.token }}"


@pytest.mark.parametrize(("name", "text"), described(), ids=[name for name, _ in described()])
def test_description__is_made_of_whole_sentences(name: str, text: str) -> None:
    assert re.fullmatch(r"[A-Z].*\.", text, re.DOTALL)
    assert name not in ACTION["inputs"] or re.search(r"[Dd]efault", text)
    assert len(text.split()) >= 5


def test_outputs__are_those_of_the_step() -> None:
    values = {name: item["value"] for name, item in ACTION["outputs"].items()}
    assert values == {name: f"${{{{ steps.{STEP['id']}.outputs.{name} }}}}" for name in OUTPUTS}


def test_outputs__stand_before_anything_can_go_wrong() -> None:
    first, second, *_ = STEP["run"].splitlines()
    assert first == f"""printf '%s=error\\n' {" ".join(STATES)} >> "$GITHUB_OUTPUT\""""
    rest = [name for name in OUTPUTS if name not in STATES]
    assert second == f"""printf '%s=\\n' {" ".join(rest)} >> "$GITHUB_OUTPUT\""""


def test_page__lists_every_output_and_every_input_with_its_default() -> None:
    assert [name for name, _ in table(section(PAGE, "Outputs"))] == [f"`{name}`" for name in OUTPUTS]
    told = {name: default for name, default, _ in table(section(PAGE, "Inputs"))}
    fixed = {name: f"`{item['default']}`" for name, item in ACTION["inputs"].items()}
    assert told == {f"`{name}`": TOLD_DEFAULTS.get(name, default) for name, default in fixed.items()}


def test_check_run__is_called_like_no_status() -> None:
    # GitHub asks for both where they have one name, and compares without case; every context begins like this
    contexts = {OVERALL, *(f"{OVERALL}/{phase.name}" for phase in default_policy().phases), RECORD}
    assert all(context.startswith(OVERALL) for context in contexts)
    assert not CHECK_NAME.lower().startswith(OVERALL.lower())
    assert f"`{CHECK_NAME}`" in PAGE


def test_permissions__are_the_same_in_page_and_example() -> None:
    example = yaml.safe_load((WORKFLOWS / "phase-gate.yml").read_text(encoding="utf-8"))
    asked = {f"`{name}: {level}`" for name, level in example["jobs"]["gate"]["permissions"].items()}
    told = {row[0]: row[1] for row in table(section(PAGE, "Permissions"))}
    assert set(told) - {"`checks: read`", "`checks: write`"} == asked
    assert "`annotations: check-run`" in told["`checks: write`"]
    for name in example["jobs"]["gate"]["permissions"]:
        assert name in ACTION["inputs"]["token"]["description"]
