"""The README: commands that CI runs too, examples that are files under test, messages that the source can say."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from phasegate.cli.main import COMMANDS, main
from phasegate.gate import reading_plan
from phasegate.model.snapshot import POLICY, PolicyFile
from tests.contract.test_lock import direct_names

PLACES_OF_TEXT = ("comment.body", "changes.body.from")
TRIGGERS = reading_plan(PolicyFile(path=POLICY)).triggers
ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DEMO = "python3 scripts demo"
TESTS = "python3 tests"
EXAMPLES = ROOT / "tests" / "examples"
OTHERS = ("Expected — Waiting for status to be reported",)  # what GitHub says, not we
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md")])


def command_lines(shell: str) -> list[str]:
    """What a shell text runs, without its comments."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in shell.splitlines())
    return [line for line in lines if line]


def section(markdown: str, heading: str) -> str:
    """What stands under a heading of the second level, up to the next one that is not inside a fence."""
    without = re.sub(r"^(`{3,}).*?^\1$", lambda fence: "_" * len(fence[0]), markdown, flags=re.DOTALL | re.MULTILINE)
    found = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", without, re.DOTALL | re.MULTILINE)
    assert found, f"there is no section {heading!r}"
    return markdown[found.start(1) : found.end(1)]


def table(markdown: str) -> list[tuple[str, ...]]:
    """The cells of the first table, row by row, without its heading."""
    lines = re.search(r"^\|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", markdown, re.MULTILINE)
    assert lines, "there is no table"
    rows = (re.split(r" (?<!\\)\| ", line.strip("| \n")) for line in lines[1].splitlines())
    return [tuple(cell.strip() for cell in row) for row in rows]


def fences(markdown: str, language: str) -> list[str]:
    """What stands in the fences of a language."""
    return [text for _, text in re.findall(rf"^(`{{3,}}){language}\n(.*?)^\1$", markdown, re.DOTALL | re.MULTILINE)]


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


def test_readme__shows_the_whole_workflow_by_line_30() -> None:
    text = README.read_text(encoding="utf-8")
    workflow = (EXAMPLES / "workflows" / "phase-gate.yml").read_text(encoding="utf-8")
    assert workflow in fences(section(text, "Quick start"), "yaml")
    assert text[: text.index(workflow) + len(workflow)].count("\n") <= 30


def test_readme__shows_the_sweep_as_it_is_tested() -> None:
    workflow = (EXAMPLES / "workflows" / "phase-gate-sweep.yml").read_text(encoding="utf-8")
    assert workflow in fences(section(README.read_text(encoding="utf-8"), "Forks and triggers"), "yaml")


def test_readme__shows_verdicts_that_are_valid_examples() -> None:
    valid = {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*/valid/*.md")}
    shown = fences(section(README.read_text(encoding="utf-8"), "The dialects"), "markdown")
    assert shown
    assert [text for text in shown if text not in valid] == []


def test_readme__shows_an_artifact_that_is_a_valid_example() -> None:
    valid = {path.read_text(encoding="utf-8") for path in EXAMPLES.glob("pipeline/valid/*.json")}
    (shown,) = fences(section(README.read_text(encoding="utf-8"), "The dialects"), "json")
    assert shown in valid


def test_readme__shows_a_policy_that_is_valid(tmp_path: Path) -> None:
    (policy,) = fences(section(README.read_text(encoding="utf-8"), "The dialects"), "yaml")
    path = tmp_path / "phase-gate.yml"
    path.write_text(policy, encoding="utf-8")
    assert main(["lint", str(path)], {}) == 0


@pytest.mark.parametrize("path", sorted((EXAMPLES / "workflows").iterdir()), ids=lambda path: path.name)
def test_example_workflow__passes_schema_and_audit(path: Path) -> None:
    schema = ["check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    subprocess.run([sys.executable, "-S", "-m", *schema], check=True)
    folders = [str(Path(entry) / name) for entry in sys.path for name in ("bin", "Scripts")]
    zizmor = shutil.which("zizmor", path=os.pathsep.join(folders))
    assert zizmor
    audit = subprocess.run(
        [zizmor, "--offline", "--persona=pedantic", "--no-progress", "--strict-collection", str(path)], check=False
    )
    assert audit.returncode == 0


def test_readme__lists_every_command() -> None:
    rows = table(section(README.read_text(encoding="utf-8"), "The dialects").partition("### On the command line")[2])
    listed = {name.strip("`").split()[0] for name, _ in rows}
    assert set(COMMANDS) - {"action"} <= listed


def test_readme__lists_every_dependency() -> None:
    rows = table(section(README.read_text(encoding="utf-8"), "Dependencies"))
    names = [re.match(r"\[([\w-]+)\]", package) for package, *_ in rows]
    assert {name[1].lower() for name in names if name} == direct_names("scripts")


def test_readme__troubleshooting_quotes_what_the_source_says() -> None:
    said = "\n".join(texts_of_the_source())
    rows = table(section(README.read_text(encoding="utf-8"), "Troubleshooting by message"))
    quoted = [message.strip("`") for message, _ in rows if message.strip("`") not in OTHERS]
    parts = [part.strip() for message in quoted for part in re.split(r"…|/gate", message)]
    assert [part for part in parts if part not in said] == []


def texts_of_the_source() -> list[str]:
    """Every text in the source, with what is filled in cut out."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.glob("scripts/**/*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_approvals_guide__shows_the_workflow_as_it_is_tested() -> None:
    workflow = (EXAMPLES / "workflows" / "phase-gate-approve.yml").read_text(encoding="utf-8")
    guide = (ROOT / "docs" / "approvals.md").read_text(encoding="utf-8")
    assert textwrap.indent(workflow, "   ") in guide


@pytest.mark.parametrize("path", sorted((EXAMPLES / "workflows").iterdir()), ids=lambda path: path.name)
def test_example_workflow__what_waits_for_people_holds_no_group_that_others_need(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    waiting = [job for job in workflow["jobs"].values() if "environment" in job]
    groups = [held["concurrency"]["group"] for held in (workflow, *waiting) if "concurrency" in held]
    assert not waiting or all("github.run_id" in group for group in groups)
    assert all("steps" in job and not any("uses" in step for step in job["steps"]) for job in waiting)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "workflows").iterdir()), ids=lambda path: path.name)
def test_example_workflow__what_decides_one_pull_request_holds_its_group(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            given = step.get("with", {})
            if "uses" in step and given.get("command") != "sweep":
                group = (job.get("concurrency") or workflow["concurrency"])["group"]
                named = given["pull-request"].strip("${} ")
                assert group.startswith("phase-gate-${{")
                assert named in group


def test_example_workflow__every_merge_group_has_a_group_of_its_own() -> None:
    text = (EXAMPLES / "workflows" / "phase-gate.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert "merge_group" in workflow[True]  # what YAML makes of "on"
    assert "|| github.sha" in workflow["concurrency"]["group"]


def test_readme__the_filter_of_comments_lets_through_whatever_the_default_policy_reads() -> None:
    shown = fences(section(README.read_text(encoding="utf-8"), "Forks and triggers"), "yaml")
    (text,) = [each for each in shown if each.startswith("    if: >-")]
    words = {f"contains(github.event.{place}, '{word}')" for word in TRIGGERS for place in PLACES_OF_TEXT}
    parts = {part.strip() for part in text.partition(">-")[2].replace("\n", " ").split("||")}
    assert parts == {"github.event_name != 'issue_comment'", "github.event.action == 'deleted'", *words}
