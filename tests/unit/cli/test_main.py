"""The front door: help, wrong use, exit codes, and no traceback for any mistake of a user; by the real entry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from phasegate.cli import main
from phasegate.reading.document import Document
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate
from tests.casebook.every import STORIES
from tests.fakehub import FakeHub
from tests.unit.cli.shell import BROKEN, COMMAND, FAILED, GREEN, HOSTILE, ROOT, WAITING, Shell, start, written

COMMANDS = ("demo", "check", "replay", "lint", "explain", "schema")


def test_entry__without_a_command_says_how_it_is_used() -> None:
    done = start()
    assert (done.code, done.out) == (2, "")
    assert "usage: phase-gate" in done.err


@pytest.mark.parametrize(("snapshot", "code"), [(GREEN, 0), (FAILED, 1), (WAITING, 1), (BROKEN, 2)])
def test_entry__exit_codes_say_what_the_gate_says(snapshot: Path, code: int) -> None:
    done = start("check", "--json", "--snapshot", snapshot)
    assert (done.code, done.err) == (code, "")
    assert {"state", "phases", "problems", "signals"} <= set(done.data)


def test_entry__mistakes_of_the_user(tmp_path: Path) -> None:
    assert start("check", "--snapshot", "nowhere.json").is_a_mistake_of_the_user("--snapshot nowhere.json")
    (tmp_path / "a.md").write_bytes(b"## jkz:judge \xff\xfe")
    assert start("lint", tmp_path / "a.md").is_a_mistake_of_the_user("a.md", "not UTF-8 at byte 13")


HOSTILE_COMMENT = f'## jkz:judge\n\n{HOSTILE}\n\n<!-- jkz:verdict-json\n{{"verdict": "::error::", "##[x]": 1}}\n-->\n'


@pytest.mark.parametrize(("words", "given", "codes"), [
    (["-"], b"", {1}), (["-"], HOSTILE_COMMENT.encode(), {1}), (["--json", "-"], HOSTILE_COMMENT.encode(), {1}),
    (["-"], b"## jkz:judge\n\n\xff\xfe\n", {1, 2}),
], ids=["nothing", "hostile", "hostile, as JSON", "no UTF-8"])  # fmt: skip
def test_entry__lints_what_comes_on_standard_input(words: list[str], given: bytes, codes: set[int]) -> None:
    done = start("lint", *words, given=given)
    assert done.code in codes
    assert not COMMAND.search(done.out + done.err)
    assert "Traceback" not in done.err
    assert given or (done.err, "PG601" in done.out) == ("", True)


def test_entry__a_file_name_with_a_command_in_it_is_made_harmless(tmp_path: Path) -> None:
    done = start("lint", written(tmp_path / "x\n::error::y ##[group]z.md", "## jkz:judge\n"))
    assert (done.code, COMMAND.search(done.out)) == (1, None)


@pytest.mark.parametrize("command", COMMANDS)
def test_help__every_command_has_one(shell: Shell, command: str) -> None:
    done = shell(command, "--help")
    assert done.code == 0
    assert f"usage: phase-gate {command}" in done.out
    assert "--json" in done.out


def test_help__lists_the_commands_and_the_exit_codes(shell: Shell) -> None:
    done = shell("--help")
    assert done.code == 0
    assert all(f"\n    {command}" in done.out for command in COMMANDS)
    assert "exit codes: 0 pass" in done.out
    assert shell("--version").out.startswith("phase-gate ")


@pytest.mark.parametrize(("arguments", "meant"), [
    (["chek"], '"chek" is not known; did you mean "check"?'),
    (["chek", "--snapshot", "x"], '"chek" is not known; did you mean "check"?'),
    (["check", "--snapshoot", "x"], '"--snapshoot" is not known; did you mean "--snapshot"?'),
    (["check", "--snapshoot=x"], 'did you mean "--snapshot"?'),
    (["stage", "--issue", "1", "--stage", "plann"], 'did you mean "plan"?'),
    (["context", "buld"], 'did you mean "build"?'),
])  # fmt: skip
def test_main__a_slip_is_told_with_what_was_meant(shell: Shell, arguments: list[str], meant: str) -> None:
    done = shell(*arguments)
    assert (done.code, done.out) == (2, "")
    assert meant in done.err


def test_main__abbreviated_options_and_what_follows_two_dashes_are_left_alone(shell: Shell) -> None:
    assert shell("check", "--snap", GREEN).code == 0
    assert shell("lint", "--", "--nowhere").is_a_mistake_of_the_user("--nowhere")


def test_main__a_hostile_word_gives_the_runner_no_command(shell: Shell) -> None:
    for arguments in ([HOSTILE], ["check", f"--{HOSTILE}"], ["demo", HOSTILE]):
        done = shell(*arguments)
        assert done.code == 2
        assert not COMMAND.search(done.err)
        assert "\x1b" not in done.err


@pytest.mark.parametrize("arguments", [
    ["bogus"],
    ["lint"],
    ["check"],
    ["check", "--snapshot"],
    ["check", "--snapshot", "a", "--bogus"],
    ["explain", "PG001", "PG002"],
    ["demo", "more"],
    ["--bogus"],
])  # fmt: skip
def test_main__wrong_use_is_exit_code_two(shell: Shell, arguments: list[str]) -> None:
    done = shell(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "phase-gate" in done.err


ALL = {
    "demo": ["--case", "nobody"],
    "check": ["--snapshot", "nowhere.json"],
    "replay": ["nowhere.json"],
    "init": ["--dir", "nowhere"],
    "doctor": ["--dir", "nowhere"],
    "lint": ["nowhere.md"],
    "stage": ["--issue", "1", "--stage", "plan", "--dir", "nowhere"],
    "route": ["nowhere.md"],
    "explain": ["PG999"],
    "formats": ["try", "nowhere.md"],
    "context": ["check", "nowhere"],
    "audit": ["--repo", "nobody"],
    "conformance": ["run", "--cmd", "nothing", "--vectors", "nowhere"],
    "schema": ["nobody"],
    "action": [],
}


def test_json__every_command_is_tried() -> None:
    assert set(ALL) == set(main.COMMANDS)


@pytest.mark.parametrize("command", sorted(set(ALL) - {"action"}))
@pytest.mark.parametrize("words", [None, ["--bogus"], ["--case"]])
def test_json__a_failure_is_an_answer_too(shell: Shell, command: str, words: list[str] | None) -> None:
    done = shell(command, *(ALL[command] if words is None else words), "--json")
    assert done.code == 2, done
    assert (done.data["ok"], done.data["exit"], done.data["error"]["kind"]) == (False, 2, "usage")
    assert done.data["error"]["message"]
    assert "phase-gate: " in done.err
    document = read_json(done.out)
    assert isinstance(document, Document)
    assert validate("failure", document) == ()


def test_json__so_is_one_of_github(shell: Shell) -> None:
    with FakeHub(STORIES["feature-green"].world().snapshot()) as hub:
        hub.fail("*", times=None, kind="status", status=403)
        done = shell("check", "--repo", "octo/shop", "--pr", "7", "--json", environ=hub.environ)
    assert (done.code, done.data["error"]["kind"]) == (4, "github")


def test_json__so_is_an_internal_error(tmp_path: Path) -> None:
    scripts = tmp_path / "scripts"
    shutil.copytree(ROOT / "scripts", scripts, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    (scripts / "phasegate" / "cli" / "explain.py").write_text("1 / 0\n", encoding="utf-8")
    command = [sys.executable, str(scripts), "explain", "--json"]
    environ = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 3
    assert json.loads(done.stdout)["error"]["kind"] == "internal"
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize("words", [["lint", "--format", "json"], ["lint", "--format=json"], ["bogus", "--js"]])
def test_json__is_asked_for_in_several_ways(shell: Shell, words: list[str]) -> None:
    assert shell(*words).data["ok"] is False


LOADS = """
import os, sys
sys.path[:0] = sys.argv.pop(1).split(os.pathsep)
from phasegate.cli.main import main
main(sys.argv[1:], os.environ)
print(*sys.modules, file=sys.stderr)
"""
NOT_FOR_LINT = {"requests", "urllib3", "phasegate.github", "phasegate.gate", "phasegate.model.report", "html"}
OTHER_READERS = {f"phasegate.dialects.{name}" for name in ("described.build", "envelope.reader", "pipeline.reading")}


@pytest.mark.parametrize(
    ("words", "not_loaded"),
    [(["lint", "tests/examples/jkz/valid/judge-passes.md"], NOT_FOR_LINT | OTHER_READERS),
     (["lint", "tests/examples/envelope/valid/a-date-is-a-text.md"], {"requests", "phasegate.github"}),
     (["check", "--snapshot", "scripts/phasegate/cli/demos/feature.json"], {"requests", "urllib3"} | OTHER_READERS),
     (["check", "--snapshot", "scripts/phasegate/cli/demos/pipeline.json"], {"phasegate.dialects.jkz.reader"}),
     (["explain", "PG112"], {"requests", "jsonschema", "yaml"})],
    ids=lambda value: value[-1].rpartition("/")[2] if isinstance(value, list) else "",
)  # fmt: skip
def test_command__loads_nothing_that_it_does_not_need(words: list[str], not_loaded: set[str]) -> None:
    command = [sys.executable, "-I", "-S", "-c", LOADS, os.pathsep.join([str(ROOT / "scripts"), *sys.path]), *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode in (0, 1), done.stderr
    loaded = set(done.stderr.splitlines()[-1].split())
    assert {
        name for name in not_loaded if name in loaded or any(each.startswith(f"{name}.") for each in loaded)
    } == set()


@pytest.mark.parametrize(
    ("name", "needed"),
    [("feature-green", "jkz.reader"), ("pipeline-green", "pipeline.gather"), ("envelope-green", "envelope.reader")],
)
def test_live__loads_what_reads_the_dialects_of_the_policy_and_no_others(name: str, needed: str) -> None:
    readers = {f"phasegate.dialects.{each}" for each in ("jkz.reader", "pipeline.gather", "envelope.reader")}
    path = os.pathsep.join([str(ROOT / "scripts"), *sys.path])
    command = [sys.executable, "-I", "-S", "-c", LOADS, path, "check", "--repo", "octo/shop", "--pr", "7"]
    with FakeHub(STORIES[name].world().snapshot()) as hub:
        environ = {**os.environ, **hub.environ}
        done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert readers & set(done.stderr.splitlines()[-1].split()) == {f"phasegate.dialects.{needed}"}
