"""README and docs: commands that CI runs too, examples that are files under test, messages that the source can say."""

from __future__ import annotations

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from phasegate.cli.main import COMMANDS, main, make_parser
from phasegate.cli.setup import event_policy_command, triggers_in
from phasegate.gate import reading_plan
from phasegate.model.snapshot import POLICY, PolicyFile
from phasegate.reading.markdown.page import FOOTERS
from phasegate.report.data import report_data
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.contract.test_lock import direct_names

PLACES_OF_TEXT = ("comment.body", "changes.body.from")
TRIGGERS = reading_plan(PolicyFile(path=POLICY)).triggers
ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
MOST_WORDS = 1200
DEMO = "python3 scripts demo"
TESTS = "python3 tests"
EXAMPLES = ROOT / "tests" / "examples"
WORKFLOWS = ROOT / "docs" / "examples" / "workflows"
KEYS = "phase-gate-app"  # an environment that holds a key, and waits for nobody
# What GitHub says, not we.
OTHERS = (
    "Expected — Waiting for status to be reported",
    "Event … is not allowed to trigger Actions workflows. Workflow file: …", "Workflow execution policy warning",
    "Invalid lockfile: …", "startup_failure",
)  # fmt: skip
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


def tables(markdown: str) -> list[tuple[str, ...]]:
    """The rows of all tables, section by section."""
    parts = re.split(r"^## ", markdown, flags=re.MULTILINE)
    return [row for part in parts if re.search(r"^\|[-| ]+\|$", part, re.MULTILINE) for row in table(part)]


def page(name: str) -> str:
    """A page of the docs."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    """The anchors of a page."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def fences(markdown: str, language: str) -> list[str]:
    """What stands in the fences of a language."""
    return [text for _, text in re.findall(rf"^(`{{3,}}){language}\n(.*?)^\1$", markdown, re.DOTALL | re.MULTILINE)]


def shell_lines(markdown: str) -> list[str]:
    """What a reader would paste into a shell."""
    blocks = re.findall(r"^```(?:sh|bash|shell|console)\n(.*?)^```$", markdown, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in command_lines(block)]


def test_readme__has_exactly_two_local_commands() -> None:
    text = README.read_text(encoding="utf-8")
    assert shell_lines(section(text, "Try it")) == shell_lines(text) == [DEMO, TESTS]


def test_readme__is_short_and_begins_with_a_sentence_and_a_picture() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.split()) < MOST_WORDS
    title, sentence, picture = [line for line in text.splitlines() if line][:3]
    assert title == "# Phase Gate"
    assert re.fullmatch(r"[A-Z][^.]*\.", sentence)
    assert re.fullmatch(r"> !\[[^]]+\]\(docs/pictures/[\w-]+\.png\)", picture)


def test_readme__says_what_each_role_does_and_has_a_door_for_each_of_five_people() -> None:
    before = section(README.read_text(encoding="utf-8"), "How it works")
    roles = ("Architect", "Auditor", "Curator", "Builder", "Judge", "Inspector", "Sentinel", "Lens")
    assert [role for role in roles if not re.search(rf"{role}( and Lens)? [a-z]+", before)] == []
    people = [row[0] for row in table(section(README.read_text(encoding="utf-8"), "Documentation"))]
    named = [found[1] for found in (re.match(r"\*\*([\w ]+)\*\*", cell) for cell in people) if found]
    assert named == ["Maintainer", "Reviewer", "Agent author", "Your own pipeline", "Security"]


def test_ci__runs_both_commands_and_its_script_only_the_second() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    housekeeping = ("set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."')
    assert [line for line in command_lines(script.read_text(encoding="utf-8")) if line not in housekeeping] == [
        f"exec {TESTS}"
    ]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert {DEMO, TESTS} <= set(re.findall(r"run: (.*)", workflow))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents__links_lead_to_files_and_headings(document: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    local = [target.partition("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)]
    assert [target for target in local if not (document.parent / target).exists()] == []
    led = re.findall(r"\]\(([^)\s]*\.md|)#([^)\s]+)\)", document.read_text(encoding="utf-8"))
    own = [(document.parent / name if name else document, anchor) for name, anchor in led if ":" not in name]
    assert [anchor for path, anchor in own if anchor not in anchors(path)] == []


def test_index__leads_to_every_page() -> None:
    linked = {(DOCS / target).resolve() for target in re.findall(r"\]\(([^)#\s]+)", page("README"))}
    pages = {path.resolve() for path in DOCS.glob("**/*.md")} - {(DOCS / "README.md").resolve()}
    assert {path.relative_to(DOCS).as_posix() for path in pages - linked} == set()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents__show_commands_that_can_be_called(document: Path) -> None:
    for line in shell_lines(document.read_text(encoding="utf-8")):
        called = re.search(r"python3 scripts ([^|)<>]*)", line)
        if called:
            make_parser(shlex.split(called[1])).parse_args(shlex.split(called[1]))


def test_readme__shows_the_whole_workflow_by_line_40() -> None:
    text = README.read_text(encoding="utf-8")
    workflow = (WORKFLOWS / "phase-gate.yml").read_text(encoding="utf-8")
    assert workflow in fences(section(text, "Install"), "yaml")
    assert text[: text.index(workflow) + len(workflow)].count("\n") <= 40


def test_readme_and_guide__show_the_line_that_allows_the_event_before_the_status_is_required() -> None:
    line = event_policy_command(triggers_in((WORKFLOWS / "phase-gate.yml").read_text(encoding="utf-8")), None)
    for text in (section(README.read_text(encoding="utf-8"), "Install"), page("getting-started")):
        assert f"{line}\n" in fences(text, "text")
        assert 0 < text.index(line) < re.search("[Rr]equire (the status )?`phase-gate`", text).start()  # type: ignore[union-attr]


@pytest.mark.parametrize(("name", "heading", "workflow"), [
    ("workflow", "The file", "phase-gate"),
    ("workflow", "Reviews and check runs", "phase-gate-signal"),
    ("workflow", "Without pull_request_target", "phase-gate-without-target"),
    ("workflow", "Agents that post with GITHUB_TOKEN", "phase-gate-sweep"),
    ("approvals", "When humans and agents share an account", "phase-gate-approve"),
    ("app", "", "phase-gate-app"),
])  # fmt: skip
def test_guide__leads_to_the_workflow_as_it_is_tested(name: str, heading: str, workflow: str) -> None:
    told = section(page(name), heading) if heading else page(name)
    assert f"](examples/workflows/{workflow}.yml)" in told


@pytest.mark.parametrize(("name", "heading", "kind", "least"), [
    ("jkz", "The verdict block", "markdown", 3), ("envelope", "", "markdown", 1), ("pipeline", "", "json", 1),
])  # fmt: skip
def test_dialect_page__shows_texts_that_are_valid_examples(name: str, heading: str, kind: str, least: int) -> None:
    valid = {path.read_text(encoding="utf-8") for path in EXAMPLES.glob(f"{name}/valid/*") if path.is_file()}
    shown = fences(section(page(name), heading) if heading else page(name), kind)
    assert len(shown) >= least
    assert [text for text in shown if text not in valid] == []


def test_workflow__every_merge_group_has_a_group_of_its_own() -> None:
    workflow = yaml.safe_load((WORKFLOWS / "phase-gate.yml").read_text(encoding="utf-8"))
    assert "merge_group" in workflow[True]  # what YAML makes of "on"
    assert "|| github.sha" in workflow["concurrency"]["group"]


def test_commands_page__shows_what_lint_prints_and_what_fix_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    part = section(page("commands"), "Check before you post")
    (comment,), (printed,) = fences(part, "markdown"), fences(part, "text")
    monkeypatch.chdir(tmp_path)
    Path("comment.md").write_text(comment, encoding="utf-8")
    assert main(["lint", "comment.md"], {}) == 1
    assert capsys.readouterr().out == printed
    assert main(["lint", "--fix", "comment.md"], {}) == 0


def test_machine_answers__show_what_lint_and_the_report_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, linted = (json.loads(shown) for shown in fences(page("machine-answers"), "json"))
    report = json.loads(json.dumps(report_data(report_of(STORIES["judge-failed"]))))
    assert first == {key: report[key] for key in first}
    monkeypatch.chdir(tmp_path)
    Path("comment.md").write_text("## jkz:judge\n\nFine.\n", encoding="utf-8")
    assert main(["lint", "--json", "comment.md"], {}) == 1
    assert json.loads(capsys.readouterr().out) == linted
    told = {row[0].strip("`") for row in table(section(page("machine-answers"), "What lint answers"))}
    assert told == set(linted)


@pytest.mark.parametrize(("part", "profile"), [("Install", "review"), ("How it works", "jkz")])
def test_readme__shows_policies_that_are_valid(tmp_path: Path, part: str, profile: str) -> None:
    policy = fences(section(README.read_text(encoding="utf-8"), part), "yaml")[-1]
    path = tmp_path / "phase-gate.yml"
    path.write_text(policy, encoding="utf-8")
    assert main(["lint", str(path)], {}) == 0
    assert yaml.safe_load(policy).get("profile", "jkz") == profile


@pytest.mark.parametrize("path", sorted(WORKFLOWS.iterdir()), ids=lambda path: path.name)
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


def test_commands_page__lists_every_command() -> None:
    rows = table(section(page("commands"), "Commands"))
    listed = {name.strip("`").split()[0] for name, _ in rows}
    assert set(COMMANDS) - {"action"} <= listed


def test_readme__lists_every_dependency() -> None:
    rows = table(section(README.read_text(encoding="utf-8"), "Dependencies"))
    names = [re.match(r"\[([\w-]+)\]", package) for package, *_ in rows]
    assert {name[1].lower() for name in names if name} == direct_names("scripts")


def test_troubleshooting__quotes_what_the_source_says() -> None:
    said = "\n".join(texts_of_the_source())
    rows = tables(page("troubleshooting"))
    assert len(rows) >= 30
    quoted = [message.strip("`") for message, _ in rows if message.strip("`") not in OTHERS]
    parts = [part.strip() for message in quoted for part in re.split(r"…|/gate", message)]
    assert [part for part in parts if part not in said] == []


@pytest.mark.parametrize("message", OTHERS)
def test_troubleshooting__has_a_row_for_what_github_says(message: str) -> None:
    (remedy,) = (told for quoted, told in tables(page("troubleshooting")) if quoted.strip("`") == message)
    assert "GitHub's own" in remedy


def texts_of_the_source() -> list[str]:
    """Every text in the source, with what is filled in cut out."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.glob("scripts/**/*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


@pytest.mark.parametrize("path", sorted(WORKFLOWS.iterdir()), ids=lambda path: path.name)
def test_example_workflow__what_waits_for_people_holds_no_group_that_others_need(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    waiting = [job for job in workflow["jobs"].values() if job.get("environment", KEYS) != KEYS]
    groups = [held["concurrency"]["group"] for held in (workflow, *waiting) if "concurrency" in held]
    assert not waiting or all("github.run_id" in group for group in groups)
    assert all("steps" in job and not any("uses" in step for step in job["steps"]) for job in waiting)


@pytest.mark.parametrize("path", sorted(WORKFLOWS.iterdir()), ids=lambda path: path.name)
def test_example_workflow__what_decides_one_pull_request_holds_its_group(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            given = step.get("with", {})
            if "phase-gate@" in step.get("uses", "") and given.get("command") != "sweep":
                group = (job.get("concurrency") or workflow["concurrency"])["group"]
                named = given["pull-request"].strip("${} ")
                assert group.startswith("phase-gate-${{")
                assert named in group


def test_workflow_page__the_filter_of_comments_lets_through_whatever_the_default_policy_reads() -> None:
    shown = fences(section(page("workflow"), "Many comments"), "yaml")
    (text,) = [each for each in shown if each.startswith("    if: >-")]
    words = {f"contains(github.event.{place}, '{word}')" for word in TRIGGERS for place in PLACES_OF_TEXT}
    parts = {part.strip() for part in text.partition(">-")[2].replace("\n", " ").split("||")}
    assert parts == {"github.event_name != 'issue_comment'", "github.event.action == 'deleted'", *words}


def test_footers__are_shown() -> None:
    text = (ROOT / "docs" / "jkz.md").read_text(encoding="utf-8")
    assert "```text\n{}\n```".format("\n".join(FOOTERS)) in text
