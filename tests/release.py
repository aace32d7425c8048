"""Builds a release from the current commit, the code with its locked packages: ``python3 tests/release.py --out DIR``.

In: the commit, the lock and the Pythons to compile for. Out: a folder, the same byte for byte whenever it is made from
the same ones; a manifest in it is what ``carried.py`` holds the tree against when it starts. Only the standard library
is used here: ``compile_tree`` is run by other Pythons.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import marshal
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import bootstrap  # noqa: E402  (can be found only now)
from carried import COMPILED, MANIFEST, PACKAGES, compiled_name  # noqa: E402
from phasegate import VERSION  # noqa: E402

LOCK = "scripts/requirements.txt"
STAND_INS = {"rpds-py": "scripts/stand_in/rpds.py"}  # in place of packages that are nothing without compiled code
SPED_UP = frozenset({"pyyaml"})  # no wheel without compiled code, which only makes it faster and is left behind
# What a package is without: no Python of ours runs any of it.
LEFT_BEHIND = re.compile(
    r"[^/]+/(.+/)?(tests|benchmarks)/.*|.*\.dist-info/(?!METADATA|LICEN|NOTICE|AUTHORS|licenses/).*"
)
NATIVE = (".so", ".pyd", ".dll", ".dylib")
PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; [^\\]+?)? (?P<hashes>\\.*)", re.DOTALL)
# The oldest Python that is supported: what fits it fits the others, and no choice depends on who makes the release.
ANY_MACHINE = ("--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.10")
ONE_MACHINE = ("--platform", "manylinux_2_17_x86_64", "--python-version", "3.10", "--implementation", "cp")
COMPILE = "import sys; sys.path.insert(0, sys.argv[1]); from tests.release import compile_tree as run; run()"

MOST_TOLD = 20


class ReleaseError(Exception):
    """Why there is no release, and what to do."""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    """Build it, or build it again and compare: 0 done, 1 it differs, 2 it cannot be built."""
    parser = argparse.ArgumentParser(prog="release.py", description="Build a release from the current commit.")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to put the release: a new folder")
    compiling = "a Python to compile for, such as python3.12; may be given several times (default: this one)"
    parser.add_argument("--python", action="append", metavar="PROGRAM", help=compiling)
    parser.add_argument("--check", action="store_true", help="rebuild it, and compare it with DIR byte for byte")
    options = parser.parse_args(arguments)
    try:
        return run(options.out, tuple(options.python or [sys.executable]), environ, check=options.check)
    except (ReleaseError, bootstrap.BootstrapError) as error:
        sys.stderr.write(f"{error}\n")
        return 2


def run(out: Path, pythons: Sequence[str], environ: Mapping[str, str], *, check: bool) -> int:
    """Make the tree, or make it again and compare."""
    if check != (out.is_dir() and any(out.iterdir())):
        raise ReleaseError(f"--out {out}: {'there is nothing to compare' if check else 'it is there already'}")
    with tempfile.TemporaryDirectory(prefix="phase-gate-release-") as place:
        tree = Path(place) / "tree"
        commit = build(tree, pythons, environ)
        differing = list(differences(tree, out)) if check else []
        count = sum(len(names) for _, _, names in os.walk(tree))
        if not check:
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(tree, out, dirs_exist_ok=True)
    done = f"{len(differing)} differ" if check else f"written to {out}"
    lines = (*differing[:MOST_TOLD], f"Phase Gate {VERSION} of {commit[:12]}: {count} files, {done}")
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if differing else 0


def build(tree: Path, pythons: Sequence[str], environ: Mapping[str, str]) -> str:
    """Make the tree in a new folder; the commit that it is made from."""
    commit = _export(tree)
    _bundle(tree / "schemas")
    packages = tree / "scripts" / PACKAGES
    with tempfile.TemporaryDirectory(prefix="phase-gate-wheels-") as place:
        for wheel in download(tree / LOCK, Path(place), environ):
            unpack(wheel, packages)
    for source in STAND_INS.values():
        (tree / source).rename(packages / PurePosixPath(source).name)
        (tree / source).parent.rmdir()
    versions = [_compile(python, tree / "scripts") for python in pythons]
    _write_manifest(tree, commit, versions)
    return commit


def _export(tree: Path) -> str:
    """The files of the current commit, without those that .gitattributes keeps out of archives; the commit."""
    try:
        commit = _git("rev-parse", "HEAD").decode().strip()
        archive = _git("archive", "--format=tar", "HEAD")
    except (OSError, subprocess.CalledProcessError) as error:
        told = getattr(error, "stderr", b"").decode(errors="replace").strip() or str(error)
        raise ReleaseError(f"a release is made from a commit, in a clone with git: {told}") from None
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for entry in files:
            if entry.isfile():
                contents = files.extractfile(entry)
                assert contents
                _write(tree / entry.name, contents.read(), executable=bool(entry.mode & 0o100))
            elif not entry.isdir() and entry.type != tarfile.XGLTYPE:
                raise ReleaseError(f"{entry.name} is no plain file: a release holds nothing else")
    return commit


def _bundle(folder: Path) -> None:
    """Let each schema stand alone, so that an editor can use it from where the release is."""
    from phasegate.reading.schema.registry import bundled_schemas  # noqa: PLC0415  (other Pythons only compile)

    for path, text in bundled_schemas(folder).items():
        path.write_text(text, encoding="utf-8", newline="\n")


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S607


def _write(path: Path, contents: bytes, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    path.chmod(0o755 if executable else 0o644)


def download(lock: Path, folder: Path, environ: Mapping[str, str]) -> list[Path]:
    """The wheels of a lock, by hash, chosen without a look at the machine that this runs on."""
    wanted: dict[str, list[str]] = {"any": [], "one": []}
    names = set[str]()
    for entry in re.split(r"\n(?=[^ ])", lock.read_text(encoding="utf-8")):
        pin = PIN.match(entry)
        name = pin["name"].lower() if pin else ""
        if pin is None or name in STAND_INS:
            continue
        if name in names:
            raise ReleaseError(f"{name} is locked in two versions, and a release can carry one: relax requirements.in")
        names.add(name)
        # without its marker: what one Python needs, all of them carry
        wanted["one" if name in SPED_UP else "any"].append(f"{name}=={pin['version']} {pin['hashes']}")
    for kind, machine in (("any", ANY_MACHINE), ("one", ONE_MACHINE)):
        if wanted[kind]:
            part = folder / f"{kind}-machine.txt"
            part.write_text("\n".join(wanted[kind]) + "\n", encoding="utf-8")
            bootstrap.run_pip(["download", *machine, "--dest", str(folder)], str(part), environ)
    return sorted(folder.glob("*.whl"))


def unpack(wheel: Path, packages: Path) -> None:
    """The files of a wheel, without what is not run and what is compiled."""
    name = wheel.name.partition("-")[0].lower().replace("_", "-")
    with zipfile.ZipFile(wheel) as archive:
        for path in sorted(archive.namelist()):
            if path.endswith("/") or LEFT_BEHIND.fullmatch(path):
                continue
            if path.endswith(NATIVE):
                if name not in SPED_UP:
                    raise ReleaseError(f"{wheel.name} holds compiled code ({path}): it needs a stand-in of ours")
                continue
            if ".." in PurePosixPath(path).parts or path.startswith("/") or ".data/" in path or "\\" in path:
                raise ReleaseError(f"{wheel.name} holds {path}, which does not go beside the code")
            if (packages / path).exists():
                raise ReleaseError(f"{wheel.name} holds {path}, which another package has too")
            _write(packages / path, archive.read(path))


def _compile(python: str, scripts: Path) -> str:
    """Let a Python compile all that the tree holds; its version."""
    # a clean start with one seed, so that the result is the same each time
    command = [python, "-s", "-S", "-c", COMPILE, str(ROOT), str(scripts)]
    environ = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    try:
        done = subprocess.run(command, env=environ, capture_output=True, check=True, encoding="utf-8")
    except (OSError, subprocess.CalledProcessError) as error:
        told = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1]
        raise ReleaseError(f"--python {python}: {told}") from None
    return done.stdout.strip()


def compile_tree() -> None:
    """Compile all modules of the tree that is named last into one file for this Python; tell its version."""
    scripts = sys.argv[-1]
    found = dict(_modules(Path(scripts) / PACKAGES, scripts))
    found |= _modules(Path(scripts) / "phasegate", scripts, "phasegate")
    index: dict[str, tuple[str, int, int]] = {}
    end = 0
    for name, (place, code) in found.items():
        index[name] = (place, end, end + len(code))
        end += len(code)
    told = marshal.dumps(index)
    codes = b"".join(code for _, code in found.values())
    _write(Path(scripts) / compiled_name(), len(told).to_bytes(8, "big") + told + codes)
    sys.stdout.write(sys.version.split()[0])


def _modules(folder: Path, scripts: str, package: str = "") -> Iterator[tuple[str, tuple[str, bytes]]]:
    """Name, place and code of every module."""
    for path in sorted(folder.rglob("*.py")):
        name = ".".join((*([package] if package else []), *path.relative_to(folder).with_suffix("").parts))
        if path.parent != folder and not (path.parent / "__init__.py").exists():
            raise ReleaseError(f"{path.parent} holds modules and no __init__.py")
        place = path.relative_to(scripts).as_posix()
        code = compile(path.read_bytes(), place, "exec", dont_inherit=True, optimize=0)
        yield name.removesuffix(".__init__"), (place, marshal.dumps(code))


def _write_manifest(tree: Path, commit: str, versions: Sequence[str]) -> None:
    scripts = tree / "scripts"
    lines = [
        f"# Phase Gate {VERSION}, made from {commit} by `python3 tests/release.py`; compiled by {', '.join(versions)}.",
        "# SHA-256, size and path of every file; what is used is held against this at every start.",
    ]
    for path in sorted(path for path in tree.rglob("*") if path.is_file()):
        contents = path.read_bytes()
        told = os.path.relpath(path, scripts).replace(os.sep, "/")
        lines.append(f"{hashlib.sha256(contents).hexdigest()} {len(contents)} {told}")
    _write(scripts / MANIFEST, ("\n".join(lines) + "\n").encode())


def differences(first: Path, second: Path) -> Iterator[str]:
    """What is not the same in two trees; the manifest, which tells the same again, comes last."""
    held = [{path.relative_to(tree).as_posix(): path for path in _files(tree)} for tree in (first, second)]
    for name in sorted(held[0].keys() | held[1].keys(), key=lambda name: (name.endswith(f"/{MANIFEST}"), name)):
        if name not in held[1]:
            yield f"{name}: is missing"
        elif name not in held[0]:
            hint = " (compiled by a Python that was not named with --python?)" if f"/{COMPILED}/" in name else ""
            yield f"{name}: should not be there{hint}"
        elif held[0][name].read_bytes() != held[1][name].read_bytes():
            yield f"{name}: differs"


def _files(tree: Path) -> Iterator[Path]:
    ours = {".git", "__pycache__"}  # made by whoever cloned or ran it
    return (path for path in tree.rglob("*") if path.is_file() and ours.isdisjoint(path.relative_to(tree).parts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
