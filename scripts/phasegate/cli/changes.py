"""The files that a working tree has changed, asked of git in a way that lets nothing in the repository run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from phasegate.cli.files import UsageError
from phasegate.model.frozen import dataclass

WORKING_TREE = "HEAD"
SECONDS = 60
BASE = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@./~^{}+-]{0,199}", re.ASCII)
# What a repository's own configuration could start, and what would change how paths are written.
QUIET = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.quotePath=false", "diff.relative=false")
KEPT = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "TEMP")


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """The root of a working tree, and the files in it that were changed since a commit."""

    root: Path
    files: tuple[str, ...]


def changes_since(base: str, folder: Path, environ: Mapping[str, str]) -> Changes:
    """What the working tree around a folder has changed since it left ``base``, new files included."""
    if not BASE.fullmatch(base):
        raise UsageError(f'--git: "{base}" is not the name of a commit')
    git = _Git(folder, environ)
    root = Path(git.text("rev-parse", "--show-toplevel", wrong=f"{folder} is in no git working tree").rstrip("\n"))
    commit = git.text(
        *("rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}"),
        wrong=f'there is no commit "{base}" here (a shallow clone lacks most)',
    ).strip()
    fork = git.text("merge-base", commit, "HEAD", wrong=f'"{base}" and HEAD have no commit in common').strip()
    top = _Git(root, environ)
    changed = top.names("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", fork, "--")
    untracked = top.names("ls-files", "--others", "--exclude-standard", "-z")
    return Changes(root=root, files=tuple(sorted({*changed, *untracked})))


class _Git:
    """The program git in one folder."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._options = ["-C", str(folder), "--no-pager", *(part for setting in QUIET for part in ("-c", setting))]
        kept = {name: environ[name] for name in KEPT if name in environ}
        self._environ = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

    def text(self, *arguments: str, wrong: str) -> str:
        """What git prints."""
        done = self._run(arguments)
        if done.returncode:
            reason = os.fsdecode(done.stderr).strip().partition("\n")[0]
            raise UsageError(f"--git: {wrong}{f' (git: {reason})' if reason else ''}")
        return os.fsdecode(done.stdout)

    def names(self, *arguments: str) -> list[str]:
        """The paths that git lists."""
        listed = self.text(*arguments, wrong=f"git {arguments[0]} failed")
        return [name for name in listed.split("\0") if name]

    def _run(self, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[bytes]:
        command = ["git", *self._options, *arguments]
        try:
            return subprocess.run(  # noqa: S603  (a list of our own making; the one name from outside is checked)
                command, capture_output=True, check=False, env=self._environ, stdin=subprocess.DEVNULL, timeout=SECONDS
            )
        except FileNotFoundError:
            raise UsageError("--git: there is no program git here") from None
        except subprocess.TimeoutExpired:
            raise UsageError(f"--git: git {arguments[0]} took longer than {SECONDS} seconds") from None
