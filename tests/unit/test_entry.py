"""The entry, as a program of its own around a stand-in for the command line."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
STAND_IN = """
import sys

def main(arguments, environ):
    {body}
"""


def load_entry() -> ModuleType:
    """The entry as a module, without running it."""
    spec = importlib.util.spec_from_file_location("entry", SCRIPTS / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_program(folder: Path, body: str) -> Path:
    """The entry with a command line that does only this."""
    program = folder / "scripts"
    (program / "phasegate" / "cli").mkdir(parents=True)
    for name in ("__main__.py", "bootstrap.py", "requirements.txt"):
        shutil.copy(SCRIPTS / name, program)
    (program / "phasegate" / "cli" / "main.py").write_text(STAND_IN.format(body=body), encoding="utf-8")
    return program


def run(program: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Start the program as a person would."""
    command, around = [sys.executable, str(program), *arguments], {**os.environ, **environ}
    return subprocess.run(command, env=around, cwd=program.parent, capture_output=True, encoding="utf-8", check=False)


def test_entry__hands_over_arguments_environment_and_exit_code(tmp_path: Path) -> None:
    program = make_program(tmp_path, "print(arguments, environ['MARK']); return 1")
    done = run(program, "lint", "a b", "-", MARK="here")
    assert (done.returncode, done.stdout, done.stderr) == (1, "['lint', 'a b', '-'] here\n", "")


@pytest.mark.parametrize(("ending", "code"), [("return 1", 1), ("raise SystemExit(1)", 1), ("raise SystemExit(2)", 2)])
def test_entry__keeps_its_exit_code_and_does_what_is_to_be_done_at_the_end(
    ending: str, code: int, tmp_path: Path
) -> None:
    """Packages that were installed for one run only are removed so."""
    done = run(make_program(tmp_path, f"import atexit; atexit.register(print, 'tidied up'); {ending}"))
    assert (done.returncode, done.stdout, done.stderr) == (code, "tidied up\n", "")


@pytest.mark.parametrize("flags", [[], ["-I"], ["-S"], ["-I", "-S"]])
def test_entry__imports_nothing_from_its_surroundings(flags: list[str], tmp_path: Path) -> None:
    program = make_program(tmp_path, "import json, yaml; print(sys.path); return 0")
    for name in ("json", "yaml", "bootstrap", "phasegate"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    command = [sys.executable, *flags, str(program)]
    environ = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    path = ast.literal_eval(done.stdout)
    assert path[0] == str(program)
    assert str(tmp_path) not in path
    assert not [entry for entry in path if "site-packages" in entry or "dist-packages" in entry or not entry]


def test_entry__given_both_flags_does_not_start_again(tmp_path: Path) -> None:
    program = make_program(tmp_path, "print(sys._xoptions); return 0")
    command = [sys.executable, "-I", "-S", "-X", "mark", "scripts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout == "{'mark': True}\n", done.stderr
    assert run(program).stdout == "{}\n"


def test_entry__can_be_read_by_older_pythons() -> None:
    ast.parse((SCRIPTS / "__main__.py").read_text(encoding="utf-8"), feature_version=(3, 6))


def test_entry__older_python_gets_one_clear_line() -> None:
    program = "import runpy, sys; sys.version_info = (3, 9, 2); runpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-c", program, str(SCRIPTS / "__main__.py")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Phase Gate needs Python 3.10 or newer, this is 3.9.2 (")
    assert done.stderr.count("\n") == 1


def test_entry__speaks_utf8_whatever_the_locale(tmp_path: Path) -> None:
    program = make_program(tmp_path, r"print('✔ \udcff'); return 0")
    done = run(program, LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "✔ \\udcff\n", "")


def test_entry__interrupt_exits_130(tmp_path: Path) -> None:
    # where the surroundings ignore the signal, a child would too
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = make_program(tmp_path, f"{heed}; print('ready', flush=True); import time; time.sleep(60)")
    process = subprocess.Popen(
        [sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=30) == ("", "")
    assert process.returncode == 130


@pytest.mark.parametrize("lines", [1, 100_000])
def test_entry__closed_output_ends_it_quietly(lines: int, tmp_path: Path) -> None:
    program = make_program(tmp_path, f"for _ in range({lines}): print('line')")
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([sys.executable, program], stdout=writer, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("body", ["print('line')", "open('/dev/full', 'wb', 0).write(b'line')"])
def test_entry__a_full_disk_is_no_bug_of_ours(body: str, tmp_path: Path) -> None:
    program = make_program(tmp_path, body)
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run([sys.executable, program], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"could not be: No space left on device. Make room and run it again\n" in done.stderr
    assert b"bug of ours" not in done.stderr


def test_entry__missing_packages_are_explained_without_a_traceback(tmp_path: Path) -> None:
    program = make_program(tmp_path, "return 0")
    done = run(program, PHASE_GATE_CACHE="here")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("set PHASE_GATE_CACHE to an absolute path\n")
    assert done.stderr.count("\n") == 1


def test_entry__crash_is_reported_and_inert(tmp_path: Path) -> None:
    hostile = r"bad\n::set-output name=state::success\r##[error]\x1b[2J"
    program = make_program(tmp_path, f"raise ValueError('{hostile} ' + 'x' * 9999)")
    done = run(program)
    assert (done.returncode, done.stdout) == (3, "")
    lines = done.stderr.split("\n")
    assert lines[0] == "internal error (a bug of ours): ValueError: bad"
    assert "open an issue" in lines[1]
    assert "Traceback (most recent call last):" in lines
    assert not [line for line in lines if line.lstrip().startswith("::") or "##[" in line or len(line) > 600]
    assert not set(done.stderr) & {"\r", "\x1b"}


@pytest.mark.parametrize(("text", "expected"), [
    ("plain: text, ümlaut\nand a second line", "plain: text, ümlaut\nand a second line"),
    ("::warning::x", ":\u200b:warning:\u200b:x"),
    ("::::x", ":\u200b:\u200b:\u200b:x"),
    ("a ##[group]b", "a #\u200b#[group]b"),
    ("###[group]", "##\u200b#[group]"),
    (":\x00:", ":\\x00:"),
    ("a\u2028::error::", "a\\u2028:\u200b:error:\u200b:"),
    ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
    ("\u202egnp.exe", "\\u202egnp.exe"),
    (":\u200b:", ":\\u200b:"),
])  # fmt: skip
def test_inert__breaks_commands_and_shows_controls(text: str, expected: str) -> None:
    assert load_entry().inert(text) == expected
