"""The front door: help, wrong use, exit codes, and no traceback for any mistake of a user; by the real entry."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.casebook.every import STORIES
from tests.fakehub import FakeHub
from tests.unit.cli.shell import BROKEN, COMMAND, FAILED, GREEN, HOSTILE, WAITING, Shell, start

ROOT = Path(__file__).resolve().parents[3]
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


def test_entry__a_missing_file_is_a_mistake_of_the_user() -> None:
    assert start("check", "--snapshot", "nowhere.json").is_a_mistake_of_the_user("--snapshot nowhere.json")


def test_entry__so_is_one_that_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"## jkz:judge \xff\xfe")
    assert start("lint", file).is_a_mistake_of_the_user("a.md", "not UTF-8 at byte 13")


def test_entry__nothing_on_standard_input_is_nothing_to_check() -> None:
    done = start("lint", "-")
    assert (done.code, done.err) == (1, "")
    assert "PG601" in done.out


def test_entry__a_hostile_comment_gives_the_runner_no_command() -> None:
    text = f'## jkz:judge\n\n{HOSTILE}\n\n<!-- jkz:verdict-json\n{{"verdict": "::error::", "##[x]": 1}}\n-->\n'
    for arguments in (["lint", "-"], ["lint", "--json", "-"]):
        done = start(*arguments, given=text.encode())
        assert done.code == 1
        assert not COMMAND.search(done.out + done.err)


def test_entry__input_that_is_not_utf8_is_no_crash() -> None:
    done = start("lint", "-", given=b"## jkz:judge\n\n\xff\xfe\n")
    assert done.code in {1, 2}
    assert "Traceback" not in done.err


def test_entry__a_file_name_with_a_command_in_it_is_made_harmless(tmp_path: Path) -> None:
    file = tmp_path / "x\n::error::y ##[group]z.md"
    file.write_text("## jkz:judge\n", encoding="utf-8")
    done = start("lint", file)
    assert done.code == 1
    assert not COMMAND.search(done.out)


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


def test_version__is_told(shell: Shell) -> None:
    assert shell("--version").out.startswith("phase-gate ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["bogus"],
        ["lint"],
        ["check"],
        ["check", "--snapshot"],
        ["check", "--snapshot", "a", "--bogus"],
        ["explain", "PG001", "PG002"],
        ["demo", "more"],
        ["--bogus"],
    ],
)
def test_main__wrong_use_is_exit_code_two(shell: Shell, arguments: list[str]) -> None:
    done = shell(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "phase-gate" in done.err


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
    [
        (["lint", "tests/examples/jkz/valid/judge-passes.md"], NOT_FOR_LINT | OTHER_READERS),
        (["lint", "tests/examples/envelope/valid/a-date-is-a-text.md"], {"requests", "phasegate.github"}),
        (["check", "--snapshot", "scripts/phasegate/cli/demos/feature.json"], {"requests", "urllib3"} | OTHER_READERS),
        (["check", "--snapshot", "scripts/phasegate/cli/demos/pipeline.json"], {"phasegate.dialects.jkz.reader"}),
        (["explain", "PG112"], {"requests", "jsonschema", "yaml"}),
    ],
    ids=lambda value: value[-1].rpartition("/")[2] if isinstance(value, list) else "",
)
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
        environ = {**os.environ, "GITHUB_API_URL": hub.url, "GITHUB_TOKEN": hub.token}
        done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert readers & set(done.stderr.splitlines()[-1].split()) == {f"phasegate.dialects.{needed}"}
