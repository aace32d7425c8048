"""What hostile input costs: whole judgements of made-up pull requests, each in a process of its own.

``python3 tests/benchmarks/hostile_cost.py [OTHER_TREE]`` prints a table; with another tree of this project its figures
stand beside ours, measured in the same run. Times are those of the processor, which other programs disturb least.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
KIB_64 = 65_536
LONGEST = 30  # seconds of the processor
JSON = dict[str, Any]


def filled(piece: str, size: int = KIB_64) -> str:
    """A text of some size."""
    return (piece * (size // len(piece) + 1))[:size]


def refuting() -> str:
    """A verdict that calls thousands of ids noise, each with lines of files beside it."""
    ids = ", ".join(f'"J{number}"' for number in range(1, 100))
    verdict = f'{{"verdict": "PASS", "issues": [], "false_positives": [{ids}]}}'
    head = f"## jkz:inspector\n\n<!-- jkz:verdict-json\n{verdict}\n-->"
    names = " ".join(f"J{number}" for number in range(1, 2000))
    return head.replace("\n\n<!--", f"\n\n{names} {filled('a:1 ', 30_000)}\n\n<!--")


def proposing() -> str:
    """85 findings and 800 proposals."""
    one = {"severity": "HIGH", "summary": "The token is never checked for its expiry", "location": "src/auth.py:1"}
    block = {"verdict": "FAIL", "issues": [{"id": f"J{n}", **one} for n in range(1, 86)], "must_fix": ["J1"]}
    proposals = "\n".join(f"<!-- jkz:propose-issue: Check number {n} | It is not -->" for n in range(800))
    return f"## jkz:judge\n\n{proposals}\n\n<!-- jkz:verdict-json\n{json.dumps(block)}\n-->"


def comment(number: int, who: str, text: str, versions: int = 1) -> JSON:
    """A comment, edited so often."""
    number_of = {"ana": 21, "eve": 66, "helper[bot]": 555}
    author = {"login": who, "id": number_of[who], "type": "Bot" if who.endswith("[bot]") else "User"}
    made: JSON = {
        "id": 1000 + number,
        "url": f"https://github.com/octo/shop/pull/7#issuecomment-{1000 + number}",
        "author": author,
        "created_at": "2026-03-02T10:00:00Z",
        "text": text,
    }
    if versions > 1:
        at = [f"2026-03-02T1{1 + n // 60}:{n % 60:02}:00Z" for n in range(versions)]
        made["history"] = [{"at": each, "editor": author, "text": text} for each in at]
        made |= {"created_at": at[0], "edited_at": at[-1], "editor": author}
    return made


def ticking(number: int, who: str, versions: int) -> JSON:
    """A comment of 64 KiB of boxes, of which one is ticked and cleared in turns."""
    made = comment(number, who, filled("- [ ] a\n"), versions)
    for place, edit in enumerate(made["history"]):
        edit["text"] = made["text"] if place % 2 else made["text"].replace("[ ]", "[x]", 1)
    made["history"][-1]["text"] = made["text"]
    return made


def chattering(number: int, who: str, versions: int, word: str = "jkz:judge") -> JSON:
    """A comment of 64 KiB that was short in every version before."""
    made = comment(number, who, filled(f"J1 a:1 {word} "), versions)
    for place, edit in enumerate(made["history"][:-1]):
        edit["text"] = f"{word} {place}"
    return made


def said(*comments: JSON) -> JSON:
    """A pull request with these comments."""
    from tests.casebook.world import World  # noqa: PLC0415  (of the tree that is measured)

    world = World()
    made = world.snapshot()
    made["comments"] = list(comments)
    return made


def left(name: str, text: str, earlier: int = 0) -> JSON:
    """A pull request whose evidence is this file, and was so often before."""
    from tests.casebook.world import World  # noqa: PLC0415  (of the tree that is measured)

    world = World()
    world.policy = "version: 1\nprofile: pipeline\n"
    made = world.snapshot()
    push = {"at": made["taken_at"], "commit": made["pull_request"]["head"]["sha"], "actor": made["people"][1]}
    push["actor"] = {key: push["actor"][key] for key in ("login", "id", "type")}
    path = f".pipeline/12/{name}"
    before = [{"pushed": push, "blob": f"{n:040x}", "text": text} for n in range(earlier)]
    made["branch_files"] = [{"path": path, "size": len(text), "blob": "f" * 40, "text": text, "pushed": push}]
    made["branch_files"][0]["earlier"] = before
    made["artifacts"] = made["branch_files"]  # as it was called before
    made["files"]["entries"].append({"path": path})
    return made


def deep_paths(count: int) -> JSON:
    """A pull request that changes so many files, each a thousand folders deep."""
    made = said()
    made["files"]["entries"] = [{"path": "d/" * 1_000 + f"AGENTS.mdx/{number}"} for number in range(count)]
    return made


def under(profile: str, made: JSON) -> JSON:
    """The same under another profile."""
    from tests.casebook.world import digest  # noqa: PLC0415  (of the tree that is measured)

    text = f"version: 1\nprofile: {profile}\n"
    return {**made, "policy": {**made["policy"], "text": text, "digest": digest(text)}}


def folders(count: int, owner: str) -> JSON:
    """A pull request of somebody's repository that brings so many folders, each with three results of a megabyte."""
    made = left("test-result.json", checks(35_000, "PASS", PASSED))
    (first,) = made["branch_files"]
    names = ("test-result.json", "review-result.json", "worker-result.json")
    paths = [f".pipeline/{folder}/{name}" for folder in ("12", *"abcdefghijklmnopqrs")[:count] for name in names]
    made["branch_files"] = made["artifacts"] = [{**first, "path": path} for path in paths]
    made["files"]["entries"] = [{"path": path} for path in paths]
    made["pull_request"]["head"]["repository"] = f"{owner}/shop"
    return made


PASSED, FAILED = {"result": "PASS"}, {"result": "FAIL"}


def checks(count: int, verdict: str, each: object) -> str:
    """A test result with so many checks that are all the same."""
    told = {f"c{number}": each for number in range(count)}
    return json.dumps({"verdict": verdict, "phase_1": told}, separators=(",", ":"))


VERDICT = '## jkz:judge\n\n<!-- jkz:verdict-json\n{"verdict": "PASS", "issues": []}\n-->\n'


def many(count: int, text: str, who: str = "eve", versions: int = 1) -> Callable[[], JSON]:
    """A pull request with so many comments of this text, each edited so often."""
    return lambda: said(*(comment(number, who, text, versions) for number in range(count)))


def each(count: int, make: Callable[..., JSON], who: str, *more: Any) -> Callable[[], JSON]:  # noqa: ANN401
    """A pull request with so many comments of a kind."""
    return lambda: said(*(make(number, who, *more) for number in range(count)))


EVIDENT = VERDICT + filled("J1 a:1\n", 60_000)
CASES: dict[str, Callable[[], JSON]] = {
    "1,000 strangers' comments of 64 KiB: ids and a:1":
     many(1000, refuting() + filled("\nJ1 a:1 ", KIB_64 - len(refuting()))),
    "1,000 of markers": many(1000, filled("<!-- jkz:verdict-json {} -->\n")),
    "1,000 of commands": many(1000, filled("/gate approve qa\n")),
    "1,000 of quotes and unclosed HTML": many(1000, "jkz:judge\n" + filled("> > - <details>`<b ")),
    "1,000 of headings, under the envelope profile":
     lambda: under("envelope", many(1000, filled("## jkz:judge\n"))()),
    "1,000 of an app that nobody named: headings": many(1000, filled("## jkz:judge\n"), "helper[bot]"),
    "1,000 of an app that nobody named: commands": many(1000, filled("/gate approve qa\n"), "helper[bot]"),
    "3,000 changed files, each 1,000 folders deep": lambda: deep_paths(3_000),
    "10 of 64 KiB, each edited 98 times": many(10, EVIDENT, "eve", 98),
    "10 of 64 KiB of boxes, each ticked 98 times": each(10, ticking, "eve", 98),
    "1,000 of 64 KiB, each with 97 short versions": each(1000, chattering, "eve", 98),
    "the same without a marker": each(1000, chattering, "eve", 98, "a judge"),
    "a writer's boxes, ticked 98 times": lambda: said(ticking(1, "ana", 98)),
    "a writer's comment: 100 refuted ids and 7,500 a:1": lambda: said(comment(1, "ana", refuting())),
    "a writer's comment of 60 KB, edited 98 times": lambda: said(comment(1, "ana", EVIDENT, 98)),
    "30 of a writer's comments, each edited 98 times": many(30, EVIDENT, "ana", 98),
    "30 of a writer's comments of 64 KiB: commands": many(30, filled("/gate approve qa\n"), "ana"),
    "a writer's 85 findings and 800 proposals": lambda: said(comment(1, "ana", proposing())),
    "55,000 wrong checks in test-result.json": lambda: left("test-result.json", checks(55_000, "PASS", "no")),
    "60 results of a megabyte in 20 folders of a fork": lambda: folders(20, "eve"),
    "60 results of a megabyte in 20 folders of a branch": lambda: folders(20, "octo"),
    "25 MB of earlier results": lambda: left("test-result.json", checks(9_000, "PASS", "no"), 200),
    "200 earlier results of 31 KB: failed checks": lambda: left("test-result.json", checks(1_000, "FAIL", FAILED), 200),
    "25,000 failed checks in test-result.json": lambda: left("test-result.json", checks(25_000, "FAIL", FAILED)),
    "state.yaml of 60 KB in one flow": lambda: left("state.yaml", "retries: [" + "test, " * 9_000 + "]"),
}  # fmt: skip


def measure(path: str) -> None:
    """One case in this process: what parsing and judging take."""
    from phasegate.gate import judge  # noqa: PLC0415  (of the tree that is measured)
    from phasegate.model.codec import from_data  # noqa: PLC0415
    from phasegate.model.snapshot import Snapshot  # noqa: PLC0415
    from phasegate.report.data import report_text  # noqa: PLC0415

    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST + 1))
    judge(from_data(Snapshot, said()))
    before = peak()
    text = Path(path).read_text(encoding="utf-8")
    begin = time.process_time()
    data = json.loads(text)
    parsed, with_data = time.process_time(), peak()
    snapshot = from_data(Snapshot, data)
    report = judge(snapshot)
    judged, with_report = time.process_time(), peak()
    told = {
        "parse": parsed - begin,
        "judge": judged - parsed,
        "parse_mb": with_data - before,
        "judge_mb": with_report - with_data,
        "report_kb": len(report_text(report)) / 1000,
    }
    sys.stdout.write(json.dumps(told))


def peak() -> float:
    """The most memory that this process ever had, in MB; what is told of its resources includes who started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def measured(tree: Path, case: str) -> JSON | None:
    """One case in a process of its own, on some tree; none if it takes too long."""
    path = os.pathsep.join([str(tree), str(tree / "scripts"), *sys.path])
    command = [sys.executable, "-S", __file__, "--case", case]
    environ = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environ, capture_output=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return None
    done.check_returncode()
    found: JSON = json.loads(done.stdout)
    return found


def row(told: JSON | None) -> str:
    """The figures of one tree."""
    if told is None:
        return f"over {LONGEST} s | | "
    return f"{told['judge']:.2f} s | {told['judge_mb']:.0f} MB | {told['report_kb']:.0f} KB"


def main(arguments: list[str]) -> None:
    """Print the table."""
    if arguments[:1] == ["--case"]:
        measure(arguments[1])
        return
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    import bootstrap  # noqa: PLC0415  (found by the line above)

    sys.path.append(bootstrap.ensure(str(ROOT / "scripts" / "requirements.txt"), dict(os.environ)))
    trees = [*(Path(each).resolve() for each in arguments), ROOT]
    titles = ("before: time", "memory", "report", "now: time", "memory", "report")[-3 * len(trees) :]
    sys.stdout.write(f"| input | parsing its JSON | {' | '.join(titles)} |\n|{'---|' * (2 + len(titles))}\n")
    for name, make in CASES.items():
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            json.dump(make(), file)
            file.flush()
            found = [measured(tree, file.name) for tree in trees]
        parsed = next((each for each in reversed(found) if each is not None), None)
        base = "" if parsed is None else f"{parsed['parse']:.2f} s, {parsed['parse_mb']:.0f} MB"
        sys.stdout.write(f"| {name} | {base} | {' | '.join(row(each) for each in found)} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
