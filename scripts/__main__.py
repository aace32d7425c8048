"""The one entry for the action, people and agents: ``python3 scripts <command>``, and ``phase-gate`` if installed.

As a folder it starts itself again cut off from the working directory, from ``PYTHON*`` variables and from installed
packages, and brings its locked dependencies. The installed distribution has this file in the package ``phasegate``, and
its environment has the dependencies. Both hand over to ``phasegate.cli``. Older Pythons must be able to read this file.
"""

import errno
import io
import os
import sys

OLDEST_PYTHON = (3, 10)
HERE = os.path.dirname(os.path.abspath(__file__))
INSTALLED = not os.path.isdir(os.path.join(HERE, "phasegate"))

WRONG_USAGE = 2
INTERNAL_ERROR = 3
INTERRUPTED = 130
OUTPUT_CLOSED = 141

DATA = ("schemas", "cli/demos", "cli/templates", "dialects/described/boxed")  # what a package may lack unnoticed
# What a disk says that is full or may not be written to.
NO_ROOM = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EROFS)
LAST_LINES = 60
LONGEST_LINE = 500


def start() -> int:
    """Check the interpreter, leave the surroundings behind, and run."""
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        return refuse(f"Phase Gate needs Python 3.10 or newer, this is {found} ({sys.executable}): use another python3")
    if not INSTALLED:
        if not (sys.flags.isolated and sys.flags.no_site):
            return start_isolated()
        sys.path[:] = [HERE] + [entry for entry in sys.path if os.path.isabs(entry) and entry != HERE]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return run()


def start_isolated() -> int:
    """Start again with ``-I`` (no working directory, no ``PYTHON*``, no user's packages) and ``-S`` (no others)."""
    command = [sys.executable, "-I", "-S", os.path.join(HERE, "__main__.py")] + sys.argv[1:]
    if os.name == "posix":
        os.execv(sys.executable, command)
    import subprocess

    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return INTERRUPTED


def run() -> int:
    """Bring the dependencies and run the command; whatever goes wrong here ends in an exit code of its own."""
    import gc

    gc.set_threshold(100_000, 50, 50)  # most of what a run makes lives until its end
    sys.setswitchinterval(0.0005)  # so that what is being loaded does not keep GitHub's answers waiting
    try:
        failure = bring_packages()
        return refuse(failure) if failure else run_command()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return OUTPUT_CLOSED
    except Exception as error:  # the last resort
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            where = "" if error.filename is None else f" ({error.filename})"
            return refuse(f"what was to be written could not be: {error.strerror}{where}. Make room and run it again")
        if INSTALLED and isinstance(error, ModuleNotFoundError):
            return refuse(incomplete(f"there is no {error.name}"))
        if isinstance(error, FileNotFoundError) and str(error.filename).startswith(HERE):
            return refuse(incomplete(f"there is no {error.filename}"))
        complain(describe_crash(error))
        return answer("internal", f"internal error (a bug of ours): {type(error).__name__}", INTERNAL_ERROR)


def bring_packages() -> str:
    """Make the locked packages importable: those that a release carries, else installed ones; why not, if it fails."""
    if INSTALLED:
        missing = [name for name in DATA if not os.path.isdir(os.path.join(HERE, name))]
        return incomplete(f"{HERE} has no {missing[0]}") if missing else ""
    if os.path.exists(os.path.join(HERE, "MANIFEST")):
        import carried

        try:
            carried.start(HERE)
        except carried.DamagedError as failure:
            return str(failure)
        return ""
    import bootstrap

    try:
        sys.path.insert(1, bootstrap.ensure(os.path.join(HERE, "requirements.txt"), os.environ))
    except bootstrap.BootstrapError as failure:
        return str(failure)
    return ""


def incomplete(lack: str) -> str:
    """What to say of a package that was built or copied without all of its files."""
    return f"This installation is incomplete: {lack}.\nFix: install phase-gate again."


def run_command() -> int:
    """Hand over to the command line, and see that all of its output went out."""
    from phasegate.cli.main import main

    try:
        return main(sys.argv[1:], os.environ)
    finally:
        if sys.stdout:
            sys.stdout.flush()


def forget_output() -> None:
    """Let what is still buffered go nowhere: the reader, a pager or ``head``, has had enough."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream:
            os.dup2(nowhere, stream.fileno())


def describe_crash(error: Exception) -> str:
    """What happened, as a report that is safe to print."""
    import platform
    import traceback

    name = "".join(traceback.format_exception_only(type(error), error)).split("\n")[0]
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip().split("\n")
    version = getattr(sys.modules.get("phasegate"), "VERSION", "of unknown version")
    report = [
        f"internal error (a bug of ours): {name}",
        "Please open an issue in Phase Gate's repository with what follows; look through it for secrets first.",
        f"Phase Gate {version}, Python {platform.python_version()}, {platform.platform()}",
        *lines[-LAST_LINES:],
    ]
    return "\n".join(inert(line[:LONGEST_LINE]) for line in report)


def inert(text: str) -> str:
    """Text that the Actions runner prints but does not obey, nor does a terminal.

    The runner takes commands from lines that begin with ``::`` and from ``##[`` anywhere, on both outputs.
    """
    shown = "".join(
        char if char == "\n" or char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )
    return shown.replace("::", ":\u200b:").replace("::", ":\u200b:").replace("##[", "#\u200b#[")


def complain(message: str) -> None:
    """Say it on standard error."""
    if sys.stderr:
        sys.stderr.write(message + "\n")


def refuse(message: str) -> int:
    """Say what the user can change; the exit code."""
    complain(inert(message))
    return answer("usage", message, WRONG_USAGE)


def answer(kind: str, message: str, code: int) -> int:
    """The same as JSON on standard output, where that was asked for; the exit code."""
    if "--json" in sys.argv[1:] and sys.stdout:
        import json

        told = {"ok": False, "exit": code, "error": {"kind": kind, "message": inert(message)}}
        sys.stdout.write(json.dumps(told) + "\n")
    return code


def leave(code: int) -> None:
    """End at once: taking the interpreter apart takes some 10 ms, and what it frees the system frees anyway.

    What is to be done at the end, such as removing packages that were installed for one run only, is done.
    """
    import atexit

    atexit._run_exitfuncs()  # noqa: SLF001  (there is no other way to have it done before the end)
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
    except OSError:  # which was complained about already
        code = code or INTERNAL_ERROR
    os._exit(code)


def main() -> None:
    """Run one command and end with its exit code; being interrupted is no error to explain."""
    try:
        code = start()
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave(code)


if __name__ == "__main__":
    main()
