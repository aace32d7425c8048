"""Artifacts on disk: files and folders of the pipeline, read as they stand and never through a link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from phasegate.catalogue import problem
from phasegate.cli.files import UsageError
from phasegate.dialects.pipeline.rules import NAMES, OTHERS, Context, File, Folder, read_folder, unknown_name
from phasegate.model.problem import Position, Problem, Where

LARGEST = 4 * 1024 * 1024
ENDINGS = (".json", ".yaml", ".yml")


def is_artifact(path: Path) -> bool:
    """Whether the name of a file is that of an artifact."""
    return path.name in NAMES


def load_folder(path: Path, context: Context | None = None) -> Folder:
    """The folder of one issue, with those of its files that the pipeline knows."""
    files = [load_file(file) for file in _entries(path) if is_artifact(file)]
    return read_folder(path.resolve().name, files, Where(path=str(path)), context)


def load_file(path: Path) -> File:
    """One file, or what keeps it from being read."""
    return File(name=path.name, where=Where(path=str(path)), text=_text(path))


def strays(path: Path) -> Iterator[Problem]:
    """The files beside the artifacts that look like artifacts and are none."""
    for file in _entries(path):
        if file.suffix in ENDINGS and file.name not in (*NAMES, *OTHERS):
            yield unknown_name(file.name, Where(path=str(file)))


def _entries(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None


def _text(path: Path) -> str | Problem:
    try:
        if path.is_symlink():
            return _refused(path, "this is a symbolic link")
        if not path.is_file():
            return _refused(path, "this is not a regular file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return _refused(path, f"the file cannot be read: {error.strerror or error}")
    if len(data) > LARGEST:
        return _refused(path, f"the file has {path.stat().st_size} bytes; at most {LARGEST} are read")
    return _decoded(path, data)


def _decoded(path: Path, data: bytes) -> str | Problem:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        place = Position(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
        message = f"byte {error.start} is not UTF-8"
        return problem("PG704", message, Where(path=str(path)).at(place), hint="Save the file as UTF-8.")


def _refused(path: Path, message: str) -> Problem:
    return problem("PG704", message, Where(path=str(path)))
