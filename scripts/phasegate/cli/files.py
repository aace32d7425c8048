"""Reads files named by the user. An unreadable file is reported as the user's mistake."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from phasegate.catalogue import problem, problem_of
from phasegate.cli.terminal import UsageError
from phasegate.dialects.described.declaration import schema_paths
from phasegate.dialects.dialect import Dialect, LocalFile
from phasegate.dialects.registry import every_dialect
from phasegate.model.codec import compact, from_data
from phasegate.model.problem import Fault, Position, Problem, Where
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Limits
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate

if TYPE_CHECKING:
    from phasegate.model.snapshot import Snapshot

SNAPSHOT = 1  # the version of the format
MAX_BYTES = 64 * 1024 * 1024
LARGEST = 4 * 1024 * 1024  # document of a dialect
STDIN = Path("-")
T = TypeVar("T", "Snapshot", Policy)


def read_text(path: Path, name: str) -> str:
    """The text of a file."""
    with refusing(name, path):
        with sys.stdin.buffer if path == STDIN else path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UsageError(f"{name} {path}: larger than {MAX_BYTES} bytes")
        return content.decode("utf-8")


@contextmanager
def refusing(name: str, path: Path) -> Iterator[None]:
    """Reports a read or write error as a user's mistake."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{name} {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} {path}: not UTF-8 at byte {error.start}") from None
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None


def write_text(path: Path, text: str, name: str) -> None:
    """Writes a file for the user."""
    with refusing(name, path):
        path.write_text(text, encoding="utf-8")


def parse_snapshot(text: str, path: str) -> Snapshot | tuple[Problem, ...]:
    """The snapshot in a text, or everything wrong with it."""
    where = Where(path=path)
    document = read_json(text, limits=Limits(characters=MAX_BYTES, depth=32))
    told = (
        None if isinstance(document, Fault) or not isinstance(document.value, dict) else document.value.get("snapshot")
    )
    if isinstance(told, int) and told != SNAPSHOT:
        message = f"this is a snapshot of version {told}; this version of Phase Gate reads version {SNAPSHOT}"
        return (problem_of(Fault(code="PG021", message=message, position=Position(line=1, column=1)), where),)
    faults = (document,) if isinstance(document, Fault) else validate("snapshot", document)
    if faults or isinstance(document, Fault):
        return tuple(problem_of(fault, where) for fault in faults)
    if not isinstance(document.value, dict):
        fault = Fault(code="PG021", message="a snapshot is an object", position=Position(line=1, column=1))
        return (problem_of(fault, where),)
    from phasegate.model.snapshot import Snapshot  # noqa: PLC0415  (much to load, for few commands)

    return from_data(Snapshot, document.value)


def snapshot_text(snapshot: Snapshot) -> str:
    """A snapshot in its saved form."""
    return json.dumps(compact(snapshot), indent=1, ensure_ascii=True) + "\n"


def _sound(found: T | tuple[Problem, ...], option: str) -> T:
    """The value read, unless it has problems."""
    if not isinstance(found, tuple):
        return found
    first = found[0]
    raise UsageError(f"{option} {first.where}: {first.code} {first.message} (fix: {first.hint})")


def read_snapshot(path: Path, option: str = "--snapshot") -> Snapshot:
    """The snapshot in the file of an option."""
    return _sound(parse_snapshot(read_text(path, option), str(path)), option)


def read_policy(path: Path | None) -> Policy:
    """The policy in a named file, or the default one."""
    return (
        default_policy() if path is None else _sound(local_policy(read_text(path, "--policy"), str(path)), "--policy")
    )


def local_policy(text: str, path: str) -> Policy | tuple[Problem, ...]:
    """The policy in a text with the files that it names from the clone, or everything wrong with it."""
    return load_policy(text, path, tuple(named_files(text, path).items()))


def named_files(text: str, path: str) -> dict[str, str]:
    """The schemas and descriptions that a policy names, from its clone's root."""
    folder = Path(path).absolute().parent
    root = folder.parent if folder.name == ".github" else folder
    return {name: read_text(root / name, name) for name in schema_paths(text) if (root / name).is_file()}


def owner_of(path: Path, dialects: Sequence[Dialect]) -> Dialect | None:
    """The dialect of a file, by its path."""
    return next((dialect for dialect in dialects if dialect.owns(path.as_posix())), None)


def load_folder(path: Path) -> list[LocalFile]:
    """The files of a folder, by name."""
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    return [
        load_file(file)
        for file in entries
        if file.is_symlink() or not file.is_dir() or any(dialect.owns(file.name) for dialect in every_dialect())
    ]


def load_file(path: Path) -> LocalFile:
    """One file, or why it cannot be read."""
    where = Where(path=str(path))
    found = _content(path)
    if isinstance(found, bytes):
        try:
            return LocalFile(name=path.name, where=where, text=found.decode("utf-8"))
        except UnicodeDecodeError as error:
            before = found[: error.start].decode("utf-8")
            place = Position(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
            message = f"byte {error.start} is not UTF-8"
            wrong = problem("PG704", message, where.at(place), hint="Save the file as UTF-8.")
    else:
        wrong = problem("PG704", found, where)
    return LocalFile(name=path.name, where=where, text=wrong)


def _content(path: Path) -> bytes | str:
    """The bytes of a file, or why it is not read."""
    try:
        if path.is_symlink():
            return "this is a symbolic link"
        if not path.is_file():
            return "this is not a regular file"
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    return data if len(data) <= LARGEST else f"the file has {path.stat().st_size} bytes; at most {LARGEST} are read"
