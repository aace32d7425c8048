"""Starts a release from what it carries, held against its manifest; no pip, no network, no cache.

In: the folder of the program. Out: its modules and packages can be imported, from code that was compiled when the
release was made where that fits this Python, else from their sources. Short: it is compiled anew at every first start.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

TYPE_CHECKING = False  # as type checkers read it; importing typing would cost more than all the rest here
if TYPE_CHECKING:
    from types import CodeType

MANIFEST, PACKAGES, COMPILED = "MANIFEST", "packages", "compiled"
USED = (f"{PACKAGES}/", "phasegate/", "../schemas/")
FIX = (
    "Fix: use the release as it was published, by its tag or commit; a copy must not change line ends, and a tree with "
    "changes of your own is made with `python3 tests/release.py`."
)


class DamagedError(Exception):
    """A release that is not what was released; the text says which file and the fix."""


def start(here: str) -> None:
    """Make all that this release carries importable, or say what is wrong with it."""
    try:
        with open(os.path.join(here, MANIFEST), encoding="utf-8") as file:
            lines = [line.split(" ", 2) for line in file.read().splitlines() if line[:1] != "#"]
        files = {path: (digest, int(size)) for digest, size, path in lines}
    except (OSError, ValueError):
        raise DamagedError(f"The release in {here} has a manifest that cannot be read.\n{FIX}") from None
    compiled = compiled_name()
    fits = sys.version_info.releaselevel == "final" and compiled in files
    contents = _checked(here, files, compiled) if fits else b""
    for path in files:
        if path.startswith(USED):
            # what is run of a source was compiled, so a look at its size will do
            only_read = fits and (path.endswith(".py") or ".dist-info/" in path)
            (_sized if only_read else _checked)(here, files, path)
    if fits:
        sys.meta_path.insert(0, Compiled(here, contents))
        sys.path.remove(here)  # nothing else that lies here is found
        return
    for name in (PACKAGES, "phasegate"):
        for folder, _, names in os.walk(os.path.join(here, name)):
            within = os.path.relpath(folder, here).replace(os.sep, "/")
            for path in [] if within.endswith("/__pycache__") else [f"{within}/{each}" for each in names]:
                if path not in files:  # no module lies where it would be imported, but those that were released
                    raise _damaged(here, path, "was not released")
    sys.path.insert(1, os.path.join(here, PACKAGES))


def compiled_name() -> str:
    """Where the code that fits this Python is kept."""
    return f"{COMPILED}/{sys.implementation.cache_tag}"


class Compiled:
    """Finds modules among the compiled ones; the rest of Python finds the others.

    ``contents``: the length of an index in 8 bytes; the index, which has place, start and end for each name; all code.
    """

    def __init__(self, here: str, contents: bytes) -> None:
        self._here = here
        held, size = memoryview(contents), int.from_bytes(contents[:8], "big")
        self._modules = marshal.loads(held[8 : 8 + size])  # noqa: S302  (held against the manifest)
        self._codes = held[8 + size :]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """As Python asks for it; a module has the place of its source, which tracebacks and data files need."""
        del path, target
        if name not in self._modules:
            return None
        relative, begin, end = self._modules[name]
        place = os.path.join(self._here, relative)
        package = relative.endswith("/__init__.py")
        spec = ModuleSpec(name, Loader(name, place, self._codes[begin:end]), origin=place, is_package=package)
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [os.path.dirname(place)]
        return spec


class Loader(SourceFileLoader):
    """Loads a module from its compiled code, whatever became of its source."""

    def __init__(self, name: str, path: str, code: memoryview) -> None:
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname: str) -> CodeType:
        """The code."""
        del fullname
        code: CodeType = marshal.loads(self._code)  # noqa: S302  (held against the manifest)
        return code


def _checked(here: str, files: dict[str, tuple[str, int]], path: str) -> bytes:
    """What is in a file, if it is what was released."""
    try:
        with open(os.path.join(here, path), "rb") as file:
            contents = file.read()
    except OSError as error:
        raise _damaged(here, path, f"cannot be read ({error.strerror})") from None
    if hashlib.sha256(contents).hexdigest() != files[path][0]:
        raise _damaged(here, path, "is not what was released")
    return contents


def _sized(here: str, files: dict[str, tuple[str, int]], path: str) -> None:
    """That a file is there in the size that was released."""
    try:
        size = os.stat(os.path.join(here, path)).st_size
    except OSError as error:
        raise _damaged(here, path, f"cannot be read ({error.strerror})") from None
    if size != files[path][1]:
        raise _damaged(here, path, "is not what was released")


def _damaged(here: str, path: str, what: str) -> DamagedError:
    shown = os.path.normpath(os.path.join(os.path.basename(here), path)).replace(os.sep, "/")
    return DamagedError(f"This release is damaged: {shown} {what}.\n{FIX}")
