"""The installer of locked packages, with real pip and small wheels of our own instead of a package index."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import bootstrap

SCRIPTS = Path(bootstrap.__file__).parent
PROGRAM = """
import os, sys
sys.path.insert(0, sys.argv[1])
import bootstrap
print(bootstrap.ensure(sys.argv[2], os.environ))
"""


def make_wheel(folder: Path, name: str = "parcel") -> str:
    """Write a wheel with one module; its digest."""
    folder.mkdir(exist_ok=True)
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}.py", "CONTENT = 'here'\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


@pytest.fixture
def lock(tmp_path: Path) -> str:
    """A lock file with one package, whose wheel lies beside it."""
    path = tmp_path / "project" / "requirements.txt"
    path.parent.mkdir()
    path.write_text(f"parcel==1.0 --hash=sha256:{make_wheel(tmp_path / 'wheels')}\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The surroundings of an installation: a new cache, and pip set up to know only our wheels."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    return {
        **kept,
        "PHASE_GATE_CACHE": str(tmp_path / "cache"),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "true",
        "PIP_FIND_LINKS": str(tmp_path / "wheels"),
    }


def start(lock: str, environ: dict[str, str]) -> subprocess.Popen[str]:
    """Install in a process of its own."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(SCRIPTS), lock]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ensure__installs_once(
    lock: str, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bootstrap.ensure(lock, environ)
    assert Path(folder, "parcel.py").read_text(encoding="utf-8") == "CONTENT = 'here'\n"
    assert capsys.readouterr() == ("", "Installing the packages of project/requirements.txt (once) ...\n")
    monkeypatch.setattr(sys, "executable", "/nowhere")
    assert bootstrap.ensure(lock, environ) == folder
    assert capsys.readouterr() == ("", "")


def test_ensure__brings_valid_bytecode(lock: str, environ: dict[str, str]) -> None:
    folder = bootstrap.ensure(lock, environ)
    program = f"import sys; sys.path.insert(0, {folder!r}); import parcel"
    done = subprocess.run([sys.executable, "-ISvc", program], capture_output=True, text=True, check=True)
    assert re.search(r"parcel\.[\w-]+\.pyc matches .*parcel\.py", done.stderr)


def test_ensure__imports_no_installer_when_warm(lock: str, environ: dict[str, str]) -> None:
    bootstrap.ensure(lock, environ)
    program = PROGRAM + "print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", program, str(SCRIPTS), lock]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert "hashlib" in imported
    assert not imported & {"pathlib", "re", "shutil", "subprocess", "tempfile", "typing"}


def test_ensure__new_lock_gets_a_new_folder(lock: str, environ: dict[str, str], tmp_path: Path) -> None:
    first = bootstrap.ensure(lock, environ)
    Path(lock).write_text(f"bundle==1.0 --hash=sha256:{make_wheel(tmp_path / 'wheels', 'bundle')}\n", encoding="utf-8")
    second = bootstrap.ensure(lock, environ)
    assert first != second
    assert Path(first, "parcel.py").exists()
    assert not Path(second, "parcel.py").exists()


def test_ensure__several_at_once_share_one_folder(lock: str, environ: dict[str, str], tmp_path: Path) -> None:
    processes = [start(lock, environ) for _ in range(3)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], outputs
    folders = {stdout.strip() for stdout, _ in outputs}
    assert [str(path) for path in (tmp_path / "cache").iterdir()] == list(folders)
    assert Path(folders.pop(), "parcel.py").exists()


def test_ensure__killed_half_way_is_not_taken_for_complete(lock: str, environ: dict[str, str], tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    process = start(lock, environ)
    while not (cache.exists() and list(cache.iterdir())):
        assert process.poll() is None
        time.sleep(0.001)
    process.kill()
    process.communicate()
    (left_over,) = cache.iterdir()
    folder = bootstrap.ensure(lock, environ)
    assert folder != str(left_over)
    assert Path(folder, "parcel.py").exists()


def test_ensure__unwritable_cache_serves_this_run_only(lock: str, environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, where a folder should be", encoding="utf-8")
    process = start(lock, {**environ, "TMPDIR": str(tmp_path)})
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert Path(stdout.strip()).parent == tmp_path
    assert "cache cannot be written" in stderr
    assert not Path(stdout.strip()).exists()


@pytest.mark.skipif(os.name != "posix", reason="about the owners and modes of POSIX")
@pytest.mark.parametrize("open_part", ["project", "cache", "packages"])
@pytest.mark.parametrize("mode", [0o775, 0o757])
def test_ensure__packages_that_others_could_have_written_are_not_trusted(
    lock: str, environ: dict[str, str], tmp_path: Path, open_part: str, mode: int
) -> None:
    place = tmp_path / "place"
    place.mkdir(mode=0o755)
    environ |= {"PHASE_GATE_CACHE": str(place / "cache"), "TMPDIR": str(tmp_path)}
    folder = Path(bootstrap.ensure(lock, environ))
    shared = {"project": place, "cache": place / "cache", "packages": folder}[open_part]
    shared.chmod(mode)
    (folder / "parcel.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    process = start(lock, environ)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert Path(stdout.strip()) != folder
    assert f"{shared} can be written by other users, so this holds for one run only. To keep it: " in stderr
    assert (folder / "parcel.py").read_text(encoding="utf-8") == "raise SystemExit('hijacked')"


@pytest.mark.skipif(os.name != "posix", reason="about the owners and modes of POSIX")
def test_open_to_others__looks_at_owners_modes_and_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True, mode=0o700)
    outer, link = inner.parent, tmp_path / "link"
    outer.chmod(0o700)
    link.symlink_to(inner)
    assert (bootstrap.open_to_others(str(inner)), bootstrap.open_to_others(str(link))) == ("", "")
    outer.chmod(0o1777)  # like /tmp: others may add to it
    assert bootstrap.open_to_others(str(inner)) == ""
    assert bootstrap.open_to_others(str(outer)) == str(outer)
    outer.chmod(0o777)
    assert bootstrap.open_to_others(str(inner)) == str(outer)
    assert bootstrap.open_to_others(str(link)) == str(outer)
    outer.chmod(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    if os.getuid():  # what root owns is trusted by all
        assert bootstrap.open_to_others(str(inner)) == str(inner)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give a folder away")
def test_open_to_others__a_folder_or_a_link_of_somebody_else_is_not_trusted(tmp_path: Path) -> None:
    folder, link = tmp_path / "folder", tmp_path / "link"
    folder.mkdir(mode=0o700)
    link.symlink_to(folder)
    os.chown(link, 1234, 1234, follow_symlinks=False)
    assert bootstrap.open_to_others(str(link)) == str(link)
    os.chown(folder, 1234, 1234)
    assert bootstrap.open_to_others(str(folder)) == str(folder)


def test_ensure__other_configuration_of_pip_does_not_matter(lock: str, environ: dict[str, str]) -> None:
    hostile = {"PIP_USER": "true", "PIP_REQUIRE_VIRTUALENV": "true", "PIP_NO_COMPILE": "true"}
    folder = bootstrap.ensure(lock, {**environ, **hostile})
    assert list(Path(folder, "__pycache__").glob("parcel.*.pyc"))


def test_ensure__pip_is_not_taken_from_the_surroundings(
    lock: str, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Path(bootstrap.ensure(lock, {**environ, "PYTHONPATH": str(tmp_path)}), "parcel.py").exists()


def failure(lock: str, environ: dict[str, str]) -> str:
    """What a failing installation says; it leaves nothing in the cache."""
    with pytest.raises(bootstrap.BootstrapError) as caught:
        bootstrap.ensure(lock, environ)
    assert not list(Path(environ["PHASE_GATE_CACHE"]).iterdir())
    text = str(caught.value)
    assert text.startswith("The packages of project/requirements.txt could not be installed: ")
    assert "\nFix: " in text
    return text


OFFLINE = {"PIP_NO_INDEX": "false", "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_FIND_LINKS": "", "PIP_RETRIES": "1"}
NO_MATCH = "No matching distribution found for parcel==1.0"


# what is done to the wheel or the lock, the surroundings, and what is said
@pytest.mark.parametrize(("spoil", "more", "told"), [
    (lambda wheel, _: wheel.write_bytes(wheel.read_bytes() + b"more"), {}, ["is not the file that was locked"]),
    (lambda wheel, _: wheel.unlink(), {}, ["has no ready-made wheel", NO_MATCH]),
    (lambda *_: None, OFFLINE, ["cannot be reached: no network"]),
    (lambda _, lock: lock.write_text("parcel==1.0\n"), {}, ["Hashes are required in --require-hashes mode"]),
], ids=["changed wheel", "missing wheel", "no network", "unknown failure"])  # fmt: skip
def test_ensure__failure_is_named(  # noqa: PLR0913, PLR0917  (a row, and fixtures)
    spoil: Callable[[Path, Path], object],
    more: dict[str, str],
    told: list[str],
    lock: str,
    environ: dict[str, str],
    tmp_path: Path,
) -> None:
    spoil(tmp_path / "wheels" / "parcel-1.0-py3-none-any.whl", Path(lock))
    text = failure(lock, environ | more)
    assert [part for part in told if part not in text] == []


def test_ensure__source_is_never_built(lock: str, environ: dict[str, str], tmp_path: Path) -> None:
    project = {
        "pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "backend.py": f"open({str(tmp_path / 'built')!r}, 'w')\n",
    }
    (tmp_path / "wheels" / "parcel-1.0-py3-none-any.whl").unlink()
    source = tmp_path / "wheels" / "parcel-1.0.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for name, text in project.items():
            archive.writestr(f"parcel-1.0/{name}", text)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    Path(lock).write_text(f"parcel==1.0 --hash=sha256:{digest}\n", encoding="utf-8")
    assert "has no ready-made wheel" in failure(lock, environ)
    assert not (tmp_path / "built").exists()


def test_ensure__no_pip_is_named(
    lock: str, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / "bin" / "python"))
    assert "this Python has no pip.\nFix: install it" in failure(lock, environ)


@pytest.mark.parametrize(("system", "environ", "expected"), [
    ("linux", {"PHASE_GATE_CACHE": "/given", "XDG_CACHE_HOME": "/xdg"}, "/given"),
    ("linux", {"PHASE_GATE_CACHE": "", "XDG_CACHE_HOME": "/xdg"}, "/xdg/phase-gate"),
    ("linux", {"XDG_CACHE_HOME": ""}, "/home/ann/.cache/phase-gate"),
    ("linux", {}, "/home/ann/.cache/phase-gate"),
    ("darwin", {"XDG_CACHE_HOME": "/xdg"}, "/home/ann/Library/Caches/phase-gate"),
])  # fmt: skip
def test_cache_folder(system: str, environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setattr(sys, "platform", system)
    assert bootstrap.cache_folder(environ) == expected


@pytest.mark.parametrize("name", ["PHASE_GATE_CACHE", "XDG_CACHE_HOME"])
@pytest.mark.parametrize("relative", ["cache", "./cache", "../cache", "~/cache"])
def test_cache_folder__relative_path_is_refused(name: str, relative: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(bootstrap.BootstrapError, match="set PHASE_GATE_CACHE to an absolute path"):
        bootstrap.cache_folder({name: relative})


def test_cache_folder__without_a_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(bootstrap.BootstrapError, match=r'"~.*set PHASE_GATE_CACHE to an absolute path'):
        bootstrap.cache_folder({})


def test_interpreter__tells_versions_and_machines_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    here = bootstrap.interpreter()
    assert f"{sys.version_info.major}{sys.version_info.minor}" in here
    assert os.uname().machine in here
    monkeypatch.setattr("importlib.machinery.EXTENSION_SUFFIXES", [".cpython-313t-x86_64-linux-musl.so"])
    assert bootstrap.interpreter().startswith("cpython-313t-x86_64-linux-musl-")
