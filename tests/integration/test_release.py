"""A release as it is made, started and damaged: its own packages, no pip, no network, no cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.releases import NO_PIP, ROOT, every_python, pythons, release

SUPPORTED = pythons()
ENDS = sorted({min(SUPPORTED), max(SUPPORTED)})


@pytest.fixture
def tree(release_tree: Path, tmp_path: Path) -> Path:
    """A copy of the release that a test may damage."""
    return shutil.copytree(release_tree, tmp_path / "a tree", ignore=shutil.ignore_patterns("__pycache__"))


def start(tree: Path, *words: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """Start a release with nothing around it: no pip, no network, no home that could be written."""
    folder = tree.parent / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "python3"
    program.write_text(NO_PIP.format(python), encoding="utf-8")
    program.chmod(0o755)
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    return subprocess.run(
        [program, str(tree / "scripts"), *words],
        env={"PATH": str(folder), "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null", **nowhere},
        cwd=tree.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def files(tree: Path) -> set[str]:
    return {path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file()}


def as_sources(tree: Path) -> None:
    """Turn a release into one that was compiled for other Pythons alone."""
    manifest = tree / "scripts" / "MANIFEST"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    manifest.write_text("".join(line for line in lines if " compiled/" not in line), encoding="utf-8")
    shutil.rmtree(tree / "scripts" / "compiled")


def test_release__holds_code_and_packages_and_nothing_compiled_by_others(release_tree: Path) -> None:
    held = files(release_tree)
    assert {"action.yml", "README.md", "LICENSE", "schemas/policy.schema.json", "scripts/phasegate/gate.py"} <= held
    assert {f"scripts/packages/{name}" for name in ("yaml/scanner.py", "requests/api.py", "rpds.py")} <= held
    assert {f"scripts/packages/{name}" for name in ("typing_extensions.py", "certifi/cacert.pem")} <= held
    assert not [path for path in held if path.endswith((".so", ".pyc", ".pyd"))]
    assert not [path for path in held if "tests/" in path or "benchmarks/" in path or "stand_in" in path]
    assert {path for path in held if "/compiled/" in path} == {
        f"scripts/compiled/cpython-{major}{minor}" for major, minor in SUPPORTED
    }


def test_release__keeps_the_licences_of_what_it_carries(release_tree: Path) -> None:
    folders = sorted((release_tree / "scripts" / "packages").glob("*.dist-info"))
    assert len(folders) == 11
    for folder in folders:
        assert (folder / "METADATA").exists()
        assert [path for path in folder.rglob("*") if "LICENSE" in path.name.upper() or "COPYING" in path.name.upper()]


def test_release__is_the_same_whoever_makes_it(release_source: Path, release_tree: Path) -> None:
    done = release(release_source, release_tree, "--check", *every_python())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("files, 0 differ\n")


def test_check__tells_what_differs(release_source: Path, tree: Path) -> None:
    with (tree / "scripts" / "packages" / "requests" / "api.py").open("a", encoding="utf-8") as file:
        file.write("\n")
    (tree / "schemas" / "policy.schema.json").unlink()
    (tree / "scripts" / "packages" / "more.py").write_text("", encoding="utf-8")
    done = release(release_source, tree, "--check", *every_python())
    assert done.returncode == 1
    *told, _ = done.stdout.splitlines()
    assert told == [
        "schemas/policy.schema.json: is missing",
        "scripts/packages/more.py: should not be there",
        "scripts/packages/requests/api.py: differs",
    ]


def test_release__says_why_it_cannot_be_made(release_source: Path, tree: Path, tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns(".git", "__pycache__")
    bare = shutil.copytree(release_source, tmp_path / "main", ignore=ignored)
    for source, out, words, said in (
        (release_source, tree, (), "it is there already"),
        (release_source, tmp_path / "nowhere", ("--check",), "there is nothing to compare"),
        (bare, tmp_path / "out", (), "a release is made from a commit, in a clone with git"),
        (release_source, tmp_path / "out", ("--python", "/nowhere/python3"), "--python /nowhere/python3: "),
    ):
        done = release(source, out, *words)
        assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "out").exists()


def test_main__is_free_of_what_others_wrote() -> None:
    assert not (ROOT / "scripts" / "packages").exists()
    assert not (ROOT / "scripts" / "MANIFEST").exists()


def test_release__refuses_a_wheel_that_was_not_locked(release_source: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(
        release_source.parent, tmp_path / "all", ignore=shutil.ignore_patterns("a release", "__pycache__")
    )
    wheel = next((copy / "wheels").glob("requests-*.whl"))
    wheel.write_bytes(wheel.read_bytes() + b"more")
    done = release(copy / "main", tmp_path / "out")
    assert (done.returncode, "is not the file that was locked" in done.stderr) == (2, True)


@pytest.mark.parametrize("version", ENDS, ids=str)
def test_start__needs_no_pip_no_network_and_no_cache(tree: Path, version: tuple[int, int]) -> None:
    done = start(tree, "demo", python=SUPPORTED[version])
    environ = {**os.environ, "NO_COLOR": "1"}
    told = subprocess.run(
        [sys.executable, ROOT / "scripts", "demo"], env=environ, capture_output=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (told.returncode, told.stdout, "")


def test_start__reads_sources_where_nothing_is_compiled_for_this_python(tree: Path) -> None:
    as_sources(tree)
    done = start(tree, "demo")
    assert (done.returncode, done.stderr) == (0, "")
    (tree / "scripts" / "packages" / "json.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    done = start(tree, "demo")
    assert done.returncode == 2
    assert done.stderr.startswith("This release is damaged: scripts/packages/json.py was not released.\nFix: ")


def test_start__finds_no_module_that_was_laid_beside_and_writes_nothing(tree: Path) -> None:
    for folder in (tree / "scripts", tree / "scripts" / "packages", tree / "scripts" / "phasegate"):
        (folder / "json.py").write_text("raise SystemExit('hijacked')", encoding="utf-8")
    for path in (tree, *tree.rglob("*")):
        path.chmod(path.stat().st_mode & 0o555)
    done = start(tree, "explain", "PG112")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [
    "packages/requests/api.py", "packages/certifi/cacert.pem", "phasegate/policy/profiles/jkz.yml", "phasegate/gate.py",
    "../schemas/policy.schema.json", f"compiled/{sys.implementation.cache_tag}",
])  # fmt: skip
@pytest.mark.parametrize("compiled", [True, False])
def test_start__refuses_a_tree_that_does_not_fit_its_manifest(tree: Path, name: str, *, compiled: bool) -> None:
    if not compiled:
        as_sources(tree)
    path = tree / "scripts" / name
    shown = os.path.normpath(f"scripts/{name}")
    if path.exists():
        path.write_bytes(path.read_bytes() + b"\n")
        done = start(tree, "demo")
        assert done.returncode == 2
        assert done.stderr.startswith(
            f"This release is damaged: {shown} is not what was released.\nFix: use the release"
        )
        path.unlink()
        done = start(tree, "demo")
        assert (done.returncode, f"{shown} cannot be read (No such file" in done.stderr) == (2, True)


@pytest.mark.parametrize("text", ["", "\x00", "abc\n", "abc def ghi\n"])
def test_start__says_that_the_manifest_cannot_be_read(tree: Path, text: str) -> None:
    (tree / "scripts" / "MANIFEST").write_text(text, encoding="utf-8")
    done = start(tree, "demo")
    assert done.returncode == 2
    assert re.search(r"manifest that cannot be read|was not released", done.stderr)
    assert "\nFix: " in done.stderr


def test_stand_in__asked_for_what_it_lacks_says_so(tree: Path) -> None:
    program = tree / "scripts" / "phasegate" / "cli" / "main.py"
    program.write_text("import rpds\n\ndef main(words, environ):\n    return rpds.Queue()\n", encoding="utf-8")
    as_sources(tree)
    manifest = tree / "scripts" / "MANIFEST"
    lines = manifest.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if " phasegate/cli/main.py" not in line]
    told = f"{hashlib.sha256(program.read_bytes()).hexdigest()} {program.stat().st_size} phasegate/cli/main.py\n"
    manifest.write_text("".join([*kept, told]), encoding="utf-8")
    done = start(tree)
    assert done.returncode == 3
    assert "ImportError: rpds.Queue is asked for, and the stand-in for rpds-py does not have it." in done.stderr


def test_crash__of_a_release_shows_its_source(tree: Path) -> None:
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import carried; carried.start(sys.argv[1])\n"
        "import traceback\nfrom phasegate.settings import repository\n"
        "try:\n    repository('', 'NAME')\nexcept Exception:\n    traceback.print_exc()"
    )
    command = [sys.executable, "-I", "-S", "-c", program, str(tree / "scripts")]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert 'File "phasegate/settings.py", line' in done.stderr
    assert "    raise SettingsError(f'{name} is not owner/name" in done.stderr.replace('"', "'")
