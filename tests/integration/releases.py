"""Releases for the tests: made by the real command, from wheels that are put together from the installed packages."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import bootstrap

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("action.yml", "schemas", "scripts", "docs", "README.md", "LICENSE", ".gitattributes")
SPED_UP = "pyyaml"
# Stands for a Python in which there is no pip, whoever asks for it.
NO_PIP = '#!/bin/sh\ncase " $* " in *" pip "*) echo "pip was asked for" >&2; exit 97;; esac\nexec "{}" "$@"\n'
GIT = ["git", "-c", "user.name=Tests", "-c", "user.email=tests@example.invalid", "-c", "commit.gpgsign=false"]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pythons() -> dict[tuple[int, int], str]:
    """The Pythons of this machine that are supported, by version: on the path, and beside the one that runs this."""
    here = Path(sys.executable).resolve()
    beside = [*here.parents[2].glob("3.*/bin/python3"), *here.parents[3].glob("3.*/*/bin/python3")]
    named = (shutil.which(f"python3.{minor}") for minor in range(10, 15))
    found: dict[tuple[int, int], str] = {sys.version_info[:2]: sys.executable}
    for program in filter(None, (*named, *map(str, sorted(beside)))):
        asked = [program, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])"]
        told = subprocess.run(asked, capture_output=True, encoding="utf-8", check=False).stdout.split()
        version = (int(told[0]), int(told[1])) if len(told) == 2 else (0, 0)
        if (3, 10) <= version <= (3, 14):
            found.setdefault(version, program)
    return dict(sorted(found.items()))


def make_wheels(folder: Path) -> str:
    """Wheels without compiled code of all that the product is locked to; a lock that has their hashes."""
    folder.mkdir()
    locked = (ROOT / "scripts" / "requirements.txt").read_text(encoding="utf-8")
    wanted = {canonical(name) for name in re.findall(r"^([\w.-]+)==", locked, re.MULTILINE)}
    places = [bootstrap.ensure(str(ROOT / name / "requirements.txt"), os.environ) for name in ("scripts", "tests")]
    lines = ["rpds-py==1.0 \\", f"    --hash=sha256:{'0' * 64}"]
    for found in importlib.metadata.distributions(path=places):
        name = canonical(found.name)
        if name in wanted - {"rpds-py"}:
            wanted.remove(name)
            marker = " ; python_full_version < '3.0'" if name == "typing-extensions" else ""
            lines += [f"{name}=={found.version}{marker} \\", f"    --hash=sha256:{_make_wheel(folder, found, name)}"]
    assert wanted == {"rpds-py"}
    return "\n".join(lines) + "\n"


def _make_wheel(folder: Path, found: importlib.metadata.Distribution, name: str) -> str:
    tag = "cp310-cp310-manylinux_2_17_x86_64" if name == SPED_UP else "py3-none-any"
    wheel = folder / f"{name.replace('-', '_')}-{found.version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in found.files or ():
            path = Path(str(file.locate()))
            if path.suffix not in (".pyc", ".so", ".pyd") and ".." not in file.parts and file.parts[0] != "bin":
                archive.writestr(file.as_posix(), path.read_bytes())
        if name == SPED_UP:
            archive.writestr("yaml/_yaml.cpython-310-x86_64-linux-gnu.so", b"compiled")
            archive.writestr("yaml/tests/test_it.py", b"assert False\n")
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def make_source(folder: Path) -> Path:
    """A repository as main is, with one commit, whose lock has the wheels beside it."""
    source = folder / "main"
    source.mkdir(parents=True)
    for name in SHIPPED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    (source / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "release.py", source / "tests" / "release.py")
    (source / ".gitignore").write_text("__pycache__/\n", encoding="utf-8")
    (source / "scripts" / "requirements.txt").write_text(make_wheels(folder / "wheels"), encoding="utf-8")
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "--all"], ["commit", "--quiet", "--message=x"]):
        subprocess.run([*GIT, *words], cwd=source, check=True)
    return source


def release(source: Path, out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command; its packages come from the wheels beside the repository, and from nowhere else."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    offline = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "true", "PIP_FIND_LINKS": str(source.parent / "wheels")}
    command = [sys.executable, "-S", str(source / "tests" / "release.py"), "--out", str(out), *words]
    return subprocess.run(
        command, cwd=source.parent, env={**kept, **offline}, capture_output=True, encoding="utf-8", check=False
    )


def every_python() -> list[str]:
    return [word for program in pythons().values() for word in ("--python", program)]
