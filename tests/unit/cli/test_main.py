"""The front door: help, wrong use, exit codes, and no traceback for any mistake of a user; by the real entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.shell import BROKEN, COMMAND, FAILED, GREEN, HOSTILE, WAITING, Shell, start

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
