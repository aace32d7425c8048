"""What the context command works from: files that the user names, a saved snapshot, or a live pull request."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from phasegate.cli.files import MAX_BYTES, UsageError, read_snapshot
from phasegate.cli.terminal import Terminal
from phasegate.gate import judge
from phasegate.model.frozen import dataclass
from phasegate.model.report import Report
from phasegate.model.snapshot import Snapshot
from phasegate.settings import SettingsError, api_from_environ, number, policy_path, repository

STDIN = "-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """A pull request, saved or live: what was decided, from what, and the diff of a live one."""

    report: Report
    snapshot: Snapshot
    diff: str = ""


def read_bytes(name: str, option: str, terminal: Terminal) -> bytes:
    """A file that the user named, or standard input."""
    if name == STDIN:
        stream = getattr(terminal.stdin, "buffer", None)
        return terminal.stdin.read().encode() if stream is None else bytes(stream.read(MAX_BYTES))
    try:
        path = Path(name)
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{option} {name}: larger than {MAX_BYTES} bytes")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{option} {name}: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None


def read_lines(name: str, option: str, terminal: Terminal) -> str:
    """The text of a file with its last line ended; bytes that are no UTF-8, as diffs have them, are marked."""
    text = read_bytes(name, option, terminal).decode("utf-8", "replace")
    return text if text.endswith("\n") or not text else f"{text}\n"


def decided(options: argparse.Namespace, terminal: Terminal) -> Decided | None:
    """The pull request that the user named, if one was."""
    if options.snapshot is not None and options.repo is not None:
        raise UsageError("--snapshot and --repo: name one of them")
    if options.snapshot is not None:
        snapshot = read_snapshot(options.snapshot)
        return Decided(report=judge(snapshot), snapshot=snapshot)
    return None if not _is_live(options) else _live(options, terminal)


def _is_live(options: argparse.Namespace) -> bool:
    if options.pr is not None and options.repo is None:
        raise UsageError("--pr goes with --repo")
    return options.repo is not None


def _live(options: argparse.Namespace, terminal: Terminal) -> Decided:
    from phasegate.cli.context_live import diff_of, read_live  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import Target  # noqa: PLC0415  (needs HTTP)

    try:
        target = Target(
            repository=repository(options.repo, "--repo"),
            number=number(options.pr or "", "--pr"),
            policy_path=policy_path(options.policy_path),
        )
        api = api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", ""))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    snapshot, report = read_live(api, target)
    needless = options.files or options.diff is not None
    return Decided(report=report, snapshot=snapshot, diff="" if needless else diff_of(api, target, report.head))


def existence(options: argparse.Namespace, terminal: Terminal) -> Callable[[str], bool]:
    """Whether a file exists: below the root, or at the head of a live pull request, which is read when first asked."""
    if not _is_live(options):
        return _below(options.root or Path())
    if options.root is not None:
        raise UsageError("--root and --repo: name one of them")
    return _at_head(options, terminal)


def _below(root: Path) -> Callable[[str], bool]:
    """Files below a folder; a link that leads out of it does not count."""
    if not root.is_dir():
        raise UsageError(f"--root {root}: no such folder")
    home = root.resolve()

    def exists(path: str) -> bool:
        try:
            found = (home / path).resolve()
            return found.is_file() and found.is_relative_to(home)
        except (OSError, ValueError, RuntimeError):
            return False

    return exists


def _at_head(options: argparse.Namespace, terminal: Terminal) -> Callable[[str], bool]:
    from phasegate.cli.context_live import files_at_head  # noqa: PLC0415  (needs HTTP)

    try:
        name, pull = repository(options.repo, "--repo"), number(options.pr or "", "--pr")
        api = api_from_environ(terminal.environ, terminal.environ.get("GITHUB_TOKEN", ""))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    known: list[frozenset[str]] = []

    def exists(path: str) -> bool:
        if not known:
            known.append(files_at_head(api, name, pull))
        return path in known[0]

    return exists
