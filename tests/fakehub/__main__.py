"""Runs the fake until it is told to stop: ``python3 tests/fakehub SNAPSHOT.json``.

Its first line of output is a JSON object with ``url``, ``graphql_url`` and ``token``. On SIGTERM or Ctrl-C it writes
what was asked and written to ``--report``, and ends with 1 if it gave an answer that GitHub could not have given.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/fakehub", description="GitHub's API on loopback, from a snapshot.")
    parser.add_argument("snapshot", type=Path, help="a pull request, as schemas/snapshot.schema.json has it")
    parser.add_argument("--more", type=Path, action="append", default=[], help="another one of the same repository")
    parser.add_argument("--port", type=int, default=0, help="where to listen; 0, the default, is any free port")
    parser.add_argument("--token", help="the token that requests must have")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that every answer takes at least")
    parser.add_argument("--page-cap", type=int, default=100, help="items that a page has at most")
    parser.add_argument(
        "--fail", type=json.loads, action="append", default=[], help='a fault: {"match": …, "times": …, "kind": …, …}'
    )
    parser.add_argument("--report", type=Path, help="where to write what was asked, in the end")
    return parser.parse_args(words)


def load(path: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def main(words: list[str]) -> int:
    from tests.fakehub import TOKEN, FakeHub  # noqa: PLC0415 - can be found only now

    asked = arguments(words)
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    hub = FakeHub(
        load(asked.snapshot), token=asked.token or TOKEN, port=asked.port, latency=asked.latency,
        page_cap=asked.page_cap, more=[load(path) for path in asked.more],
    )  # fmt: skip
    for fault in asked.fail:
        hub.fail(**fault)
    with hub:
        sys.stdout.write(json.dumps({"url": hub.url, "graphql_url": hub.graphql_url, "token": hub.token}) + "\n")
        sys.stdout.flush()
        while not stop.wait(0.2):
            pass
        violations, hub.violations = hub.violations, []
    report = {
        "requests": [vars(request) for request in hub.requests], "sequential_depth": hub.sequential_depth(),
        "written": hub.written, "violations": violations,
    }  # fmt: skip
    if asked.report:
        asked.report.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.stderr.writelines(f"{violation}\n" for violation in violations)
    return 1 if violations else 0


def prepare() -> None:
    """Make the packages of the tests importable, as ``python3 tests`` does."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    try:
        import graphql  # noqa: F401, PLC0415 - only whether it is there
    except ImportError:
        import bootstrap  # noqa: PLC0415 - can be found only now

        locks = (ROOT / "tests" / "requirements.txt", ROOT / "scripts" / "requirements.txt")
        sys.path[:0] = [bootstrap.ensure(str(lock), os.environ) for lock in locks]


if __name__ == "__main__":
    prepare()
    sys.exit(main(sys.argv[1:]))
