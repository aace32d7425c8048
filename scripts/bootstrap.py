"""Installs a hash-locked requirements file, once, into a cache folder for this interpreter; standard library only.

In: a lock file and the environment. Out: the folder to put on ``sys.path``. What only an installation needs is
imported when there is one, so that every other start pays for a digest and a look at the folder.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import os
import stat
import sys

TYPE_CHECKING = False  # as type checkers read it; importing typing would cost more than all the rest here
if TYPE_CHECKING:
    from collections.abc import Mapping

# What pip prints, what that usually means, and the fix; the first that pip printed counts.
CAUSES = (
    (
        "No module named pip",
        "this Python has no pip",
        "install it (Debian, Ubuntu: python3-pip; elsewhere: python3 -m ensurepip)",
    ),
    (
        "DO NOT MATCH THE HASHES",
        "a download is not the file that was locked, so it was refused; a mirror or a proxy may have changed it",
        "try without the mirror; if it stays so, report it: an attack looks the same",
    ),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "the package index's certificate is not trusted on this machine, as behind a proxy that reads along",
        "tell pip which certificates are right (PIP_CERT)",
    ),
    ("No space left on device", "the disk is full", "make room, or set PHASE_GATE_CACHE to a folder on another disk"),
    (
        "Retrying (",
        "the package index cannot be reached: no network, or a proxy that pip does not know of",
        "connect this once, or point pip to a mirror (PIP_INDEX_URL) or to wheels (PIP_NO_INDEX and PIP_FIND_LINKS)",
    ),
    (
        "No matching distribution found",
        "the package index has no ready-made wheel for this Python on this machine",
        "use CPython 3.10 to 3.14 on Linux, macOS or Windows, or complete the mirror that pip is set up with",
    ),
)
UNKNOWN_CAUSE = ("pip failed", "see its own words below")
LAST_LINES = 5
LONGEST_LINE = 300


class BootstrapError(Exception):
    """The locked packages could not be installed; the text says what failed, what it means and the fix."""


def ensure(requirements: str, environ: Mapping[str, str]) -> str:
    """The folder with the packages of this lock for this interpreter; they are installed if it is not there yet."""
    with open(requirements, "rb") as lock:
        digest = hashlib.sha256(lock.read()).hexdigest()
    folder = os.path.join(cache_folder(environ), f"{digest[:20]}-{interpreter()}")
    if os.path.isdir(folder) and not open_to_others(folder):
        return folder
    import shutil

    staging = _staging_folder(folder)  # of our own beside the final one, which gets its final name in one step
    sys.stderr.write(f"Installing the packages of {_shown(requirements)} (once) ...\n")
    sys.stderr.flush()
    try:
        command = ["install", "--compile", "--no-user", "--no-warn-script-location", "--target", staging]
        run_pip(command, requirements, environ)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise
    return _settle(staging, folder)


def cache_folder(environ: Mapping[str, str]) -> str:
    """Where installed packages are kept: ``PHASE_GATE_CACHE``, else the platform's place for caches.

    Never a relative path: packages found in the working directory would be code that a pull request brings along.
    """
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        caches = environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif sys.platform == "darwin":
        caches = os.path.join(home, "Library", "Caches")
    else:
        caches = environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache")
    chosen = environ.get("PHASE_GATE_CACHE") or os.path.join(caches, "phase-gate")
    if os.path.isabs(chosen):
        return chosen
    message = f'the folder for installed packages, "{chosen}", is relative: set PHASE_GATE_CACHE to an absolute path'
    raise BootstrapError(message)


def interpreter() -> str:
    """All that decides which wheels fit: implementation, version, ABI, machine and C library."""
    parts = [suffix.strip(".").partition(".")[0] for suffix in importlib.machinery.EXTENSION_SUFFIXES[:1]]
    if sys.platform != "win32":  # there the suffix of extension modules names the machine too
        parts.append(os.uname().machine)
        if "CS_GNU_LIBC_VERSION" in os.confstr_names:
            parts.append((os.confstr("CS_GNU_LIBC_VERSION") or "").replace(" ", "-"))
    return "-".join(parts)


def open_to_others(path: str) -> str:
    """The first of a folder and those around it that another user could have written into; nothing if none is.

    Code from there would run with our token. In a folder like /tmp others may add files but not replace ours.
    """
    if os.name != "posix":
        return ""
    for way in (os.path.abspath(path), os.path.realpath(path)):
        step, sticky = way, 0
        while True:
            held = os.lstat(step)
            shared = held.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(held.st_mode)
            if held.st_uid not in (0, os.geteuid()) or (shared and not held.st_mode & sticky):
                return step
            if os.path.dirname(step) == step:
                break
            step, sticky = os.path.dirname(step), stat.S_ISVTX
    return ""


def _staging_folder(folder: str) -> str:
    """A new folder in the cache, or among the temporary files where the cache cannot be written or trusted."""
    import tempfile

    cache = os.path.dirname(folder)
    try:
        os.makedirs(cache, mode=0o700, exist_ok=True)
        shared = open_to_others(folder if os.path.isdir(folder) else cache)
        if not shared:
            return tempfile.mkdtemp(prefix="new-", dir=cache)
        reason = f"{shared} can be written by other users"
        fix = "take that right away (chmod go-w), or set PHASE_GATE_CACHE to a folder of your own"
    except OSError as refused:
        reason = f"{cache} cannot be written ({refused.strerror})"
        fix = "set PHASE_GATE_CACHE to a folder that can"
    try:
        staging = tempfile.mkdtemp(prefix="phase-gate-")
    except OSError:
        raise BootstrapError(f"{reason}, and there is no place for temporary files either.\nFix: {fix}.") from None
    sys.stderr.write(f"{reason}, so this holds for one run only. To keep it: {fix}.\n")
    return staging


def _settle(staging: str, folder: str) -> str:
    """The complete folder under its final name; whoever comes second takes the first one's."""
    import atexit
    import shutil

    try:
        if os.path.dirname(staging) == os.path.dirname(folder):
            os.rename(staging, folder)
            return folder
    except OSError:
        if os.path.isdir(folder) and not open_to_others(folder):
            shutil.rmtree(staging, ignore_errors=True)
            return folder
    atexit.register(shutil.rmtree, staging, ignore_errors=True)
    return staging


def run_pip(command: list[str], requirements: str, environ: Mapping[str, str]) -> None:
    """Let pip work on the lock: wheels only, each with a locked hash; pip's own configuration stays in force."""
    import subprocess

    command = [sys.executable, "-I", "-m", "pip", *command, "--quiet", "--no-input", "--disable-pip-version-check"]
    command += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--requirement", requirements]
    done = subprocess.run(
        command,
        env={**environ, "PIP_REQUIRE_VIRTUALENV": "false"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        cause, fix = next(((cause, fix) for sign, cause, fix in CAUSES if sign in done.stdout), UNKNOWN_CAUSE)
        words = [line[:LONGEST_LINE] for line in done.stdout.splitlines() if line.strip()][-LAST_LINES:]
        head = f"The packages of {_shown(requirements)} could not be installed: {cause}.\nFix: {fix}."
        raise BootstrapError("\n".join([head, "pip's last words:", *(f"  {line}" for line in words)]))


def _shown(requirements: str) -> str:
    """The lock file by its folder and name, as in ``scripts/requirements.txt``."""
    return "/".join(requirements.split(os.sep)[-2:])
