"""Tests another gate with the conformance vectors: whole pull requests with their right states.

Each vector's pull request is given to the program as JSON on standard input; ``{"state": ...}`` is expected on its
standard output. Out: a table of what held, what was wrongly green, what was needlessly refused, and what got no
answer.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from phasegate.cli.files import read_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Colour, Steps, Terminal, UsageError
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass
from phasegate.model.report import State
from phasegate.report.inert import plain, safe_json

FOLDER, MANIFEST = Path("conformance"), "manifest.json"
FIRST = 10
LONGEST_ANSWER, LONGEST_LINE = 1024 * 1024, 2_000
SECONDS = 10.0
EXITS = (0, 1, 2)  # exit codes of a gate, by state; any other is not an answer
STATES = {state.value for state in State}
NEEDED = ("id", "says", "statement", "class", "dialect", "allowed", "never", "input")
# The results of a vector, in column order; all but the first are listed one by one.
HELD, UNFAIR, STRICT = "held", "unfairly green", "too strict"
CRASHED, HUNG, NONSENSE = "crashed", "hung", "nonsense"
_BAD = dict.fromkeys((UNFAIR, STRICT, CRASHED, HUNG, NONSENSE), Colour.RED)
COLUMNS = {HELD: Colour.GREEN, **_BAD, STRICT: Colour.YELLOW}
Vector = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """A program's answer to a vector: how it ended, with the state or the reason."""

    vector: Vector
    ended: str
    said: str


VECTORS: Arguments = {"--vectors DIR": (f"the vectors; default {FOLDER}", {"default": FOLDER})}
ARGUMENTS: Arguments = {
    "step": Steps(
        "what to do",
        "run|show",
        {
            "run": (
                "ask a program about every vector",
                {
                    "--cmd COMMAND": ('the program: JSON in, {"state": ...} out', {"required": True}),
                    "--timeout SECONDS": ("for one answer; default 10", {"type": float, "default": SECONDS}),
                    "--jobs N": ("how many are asked at a time", {"type": int, "default": os.cpu_count() or 1}),
                    "--sample N": ("ask only about every Nth vector", {"type": int, "default": 1}),
                    "--only NAME": "ask only about a class, a dialect, a statement or one vector",
                    **VECTORS,
                },
            ),
            "show": ("print the pull request of a vector, as a program gets it", {"id ID": "which vector", **VECTORS}),
        },
    )
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Asks about all vectors, and reports the result."""
    known = read_vectors(options.vectors)
    if options.does == "show":
        found = next((each for each in known if each["id"] == options.id), None)
        if found is None:
            raise UsageError(f'ID: there is no vector "{options.id}" in {options.vectors}')
        return Answer(PASSED, lambda: found["input"], lambda _: safe_json(found["input"]))
    if min(options.timeout, options.jobs, options.sample) <= 0:
        raise UsageError("--timeout, --jobs and --sample are more than zero")
    try:
        command = shlex.split(options.cmd)
    except ValueError as error:
        raise UsageError(f"--cmd: {error}") from None
    wanted = [each for each in known if not options.only or options.only in (*_group(each).values(), each["id"])][
        :: options.sample
    ]
    if not wanted or not command:
        raise UsageError("--cmd: a program is missing" if not command else f'--only: no vector is of "{options.only}"')
    answers: list[Asked] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for answer in pool.map(partial(ask, command, seconds=options.timeout), wanted):
            answers.append(answer)
            terminal.bar(len(answers), len(wanted), str(answer.vector["id"]))
    held = all(answer.ended == HELD for answer in answers)
    return Answer(PASSED if held else NOT_PASSED, partial(data, answers), partial(_tell, answers))


def read_vectors(folder: Path) -> list[Vector]:
    """Every vector in the manifest, with its files checked."""
    if not (folder / MANIFEST).is_file():
        where = "unpack phase-gate-conformance-VERSION.tar.gz of a release here, or name its folder with --vectors"
        raise UsageError(f"--vectors {folder}: there is no {MANIFEST} ({where})")
    found: list[Vector] = []
    manifest = _parsed(read_text(folder / MANIFEST, "--vectors"), f"{folder / MANIFEST}")
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise UsageError(f"--vectors {folder / MANIFEST}: it lists no files")
    for name, told in files.items():
        path = folder / Path(name).name
        text = read_text(path, "--vectors")
        if not isinstance(told, dict) or text_digest(text) != f"sha256:{told.get('sha256')}":
            raise UsageError(f"--vectors {path}: this is not the file that {MANIFEST} lists")
        for number, line in enumerate(text.splitlines(), 1):
            vector = _parsed(line, f"{path}:{number}")
            if any(key not in vector for key in NEEDED):
                raise UsageError(f"--vectors {path}:{number}: a vector has {', '.join(NEEDED)}")
            found.append(vector)
    return sorted(found, key=lambda vector: str(vector["id"]))


def _parsed(text: str, where: str) -> Vector:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise UsageError(f"--vectors {where}: this is no JSON object")
    return value


def ask(command: Sequence[str], vector: Vector, *, seconds: float) -> Asked:
    """Gives a program one pull request, in a process with a time limit."""
    answer = partial(Asked, vector=vector)
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as complaint:
        given.write(json.dumps(vector["input"]).encode())
        given.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603  (the program that the user named)
                command, stdin=given, stdout=subprocess.PIPE, stderr=complaint, start_new_session=True
            )
        except OSError as error:
            raise UsageError(f"--cmd {command[0]}: {error.strerror or error}") from None
        text, code = _heard(process, seconds)
        complaint.seek(max(complaint.seek(0, os.SEEK_END) - LONGEST_LINE, 0))
        last = plain((complaint.read(LONGEST_LINE).decode(errors="replace").strip().splitlines() or [""])[-1], 120)
    if code is None:
        return answer(ended=HUNG, said=f"no answer within {seconds:g} s")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    state = str(found.get("state")) if isinstance(found, dict) else ""
    if len(text) <= LONGEST_ANSWER and (code not in EXITS or (code and not text.strip())):
        how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
        return answer(ended=CRASHED, said=f"{how}: {last}" if last else how)
    if state not in STATES:
        return answer(ended=NONSENSE, said=plain(text.decode(errors="replace"), 80) or "it printed nothing")
    ended = HELD if state in vector["allowed"] else UNFAIR if state in vector["never"] else STRICT
    return answer(ended=ended, said=state)


def _heard(process: subprocess.Popen[bytes], seconds: float) -> tuple[bytes, int | None]:
    """A program's limited output and its exit code; None if it did not end in time.

    Its children may outlive it and hold the output open, so nothing here waits for the output's end. The reading
    thread closes it, however late.
    """
    deadline = time.monotonic() + seconds
    heard: list[bytes] = []
    output = cast("IO[bytes]", process.stdout)

    def hear() -> None:
        with output:
            heard.append(output.read(LONGEST_ANSWER + 1))

    reader = threading.Thread(target=hear, daemon=True)
    reader.start()
    reader.join(seconds)
    text = heard[0] if heard else b""
    code: int | None = None
    with suppress(subprocess.TimeoutExpired):
        if heard and len(text) <= LONGEST_ANSWER:
            code = process.wait(max(deadline - time.monotonic(), 0))
    _end(process)
    ended = process.wait()
    return text, ended if len(text) > LONGEST_ANSWER else code


def _end(process: subprocess.Popen[bytes]) -> None:
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def data(answers: Sequence[Asked]) -> dict[str, Any]:
    """The result as JSON."""
    groups = {
        name: {key: _counts(part) for key, part in _grouped(answers, name)}
        for name in ("class", "dialect", "statement")
    }
    failed = [
        {
            **{key: each.vector[key] for key in ("id", "says", "class", "dialect", "allowed", "never")},
            "statement": each.vector["statement"]["id"],
            "ended": each.ended,
            "said": each.said,
        }
        for each in answers
        if each.ended != HELD
    ]
    return {"ok": not failed, "all": _counts(answers), **groups, "failed": failed}


def _counts(answers: Sequence[Asked]) -> dict[str, int]:
    ended = Counter(answer.ended for answer in answers)
    return {name.replace(" ", "_"): ended[name] for name in COLUMNS}


def _group(vector: Vector) -> dict[str, str]:
    return {"class": vector["class"], "dialect": vector["dialect"], "statement": vector["statement"]["id"]}


def _grouped(answers: Sequence[Asked], name: str) -> list[tuple[str, list[Asked]]]:
    groups: dict[str, list[Asked]] = {}
    for answer in answers:
        groups.setdefault(str(_group(answer.vector)[name]), []).append(answer)
    return sorted(groups.items())


def _tell(answers: Sequence[Asked], terminal: Terminal) -> None:
    """The tables, and the first failing vector of each column."""
    for name in ("class", "dialect"):
        rows = [*_grouped(answers, name), ("all", list(answers))]
        width = max(len(name), *(len(plain(key, 30)) for key, _ in rows))
        terminal.say(terminal.coloured(f"{name:<{width}}  {'vectors':>7}  {'  '.join(COLUMNS)}", Colour.BOLD))
        for key, part in rows:
            counts = Counter(answer.ended for answer in part)
            cells = (terminal.coloured(f"{counts[each] or '·':>{len(each)}}", COLUMNS[each]) for each in COLUMNS)
            terminal.say(f"{plain(key, 30):<{width}}  {len(part):>7}  {'  '.join(cells)}")
        terminal.say()
    for ended in [name for name in COLUMNS if name != HELD]:
        found = [answer for answer in answers if answer.ended == ended]
        if found:
            terminal.say(terminal.coloured(f"{ended}: {len(found)}", COLUMNS[ended]))
        for answer in found[:FIRST]:
            told, name = answer.vector, f"  {plain(answer.vector['id'], 60)}  "
            terminal.paragraph(f"{told['says']} [{told['statement']['id']}] said {answer.said}", name)
        if len(found) > FIRST:
            terminal.say(f"  and {len(found) - FIRST} more (--json lists them)")
    held = sum(answer.ended == HELD for answer in answers)
    terminal.say(f"{held} of {len(answers)} held")
