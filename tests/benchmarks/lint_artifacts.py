"""How long linting takes beside plain reading and validating: ``python3 tests/benchmarks/lint_artifacts.py``.

A folder of seven artifacts of 100 KB each. Plain is ``json.loads`` (for ``state.yaml`` PyYAML's ``safe_load``) and
``jsonschema`` with a ready validator of the same schema; ours reads strictly, keeps the place of every value, checks
the rules in and between the files. In one process, in turns. Prints the table that docs/pipeline.md shows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SIZE = 100_000
TARGET = 3.0
JSON = dict[str, Any]


def prepare() -> None:
    """Make the packages of the program and of the tests importable."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    import bootstrap  # noqa: PLC0415 - can be found only now

    locks = (str(ROOT / name / "requirements.txt") for name in ("tests", "scripts"))
    sys.path[:0] = [bootstrap.ensure(lock, os.environ) for lock in locks]


def filled(make: Callable[[int], JSON]) -> str:
    """An artifact as text, with as many parts as it takes to reach the size."""
    small, large = (len(json.dumps(make(count), indent=2)) for count in (10, 20))
    count = 10 + (SIZE - small) * 10 // (large - small)
    return json.dumps(make(count), indent=2) + "\n"


def plan(count: int) -> JSON:
    """A plan of so many steps, each after the one before it."""
    files = [f"src/shop/module_{number}.py" for number in range(count)]
    steps = []
    for number, file in enumerate(files):
        said = {"description": f"Add function {number} with its default", "rationale": f"AC-{number}: Implement it"}
        after = [number - 1] if number else []
        steps.append({"order": number, "action": "modify", "file": file, **said, "depends_on": after})
    mapping = {f"AC-{number}: Implement it": f"{file}::test_it" for number, file in enumerate(files)}
    return {"affected_files": files, "steps": steps, "acceptance_mapping": mapping}


def worker(count: int) -> JSON:
    """Work on so many files."""
    files = [f"src/shop/module_{number}.py" for number in range(count)]
    return {"status": "completed", "files_changed": files, "blockers": [], "summary": "Done."}


def test(count: int) -> JSON:
    """So many checks, one of which failed."""
    checks = {f"check_{number}": {"result": "PASS", "output": f"{number} passed"} for number in range(count)}
    failed = {"result": "FAIL", "output": "AssertionError"}
    return {"verdict": "FAIL", "phase_1": {**checks, "test": failed}, "phase_2": None}


def review(count: int) -> JSON:
    """So many blockers."""
    blockers = [
        {"file": f"src/shop/module_{number}.py", "line": number + 1, "description": "Used before it is checked"}
        for number in range(count)
    ]
    return {"verdict": "FAIL", "blockers": blockers, "concerns": [], "nits": []}


def debug(count: int) -> JSON:
    """A cause of so many failures."""
    found = {"failure_source": "tester Phase 1", "failure_description": "tests failed", "root_cause": "wrong default"}
    place = {"root_cause_file": "src/shop/module_1.py", "root_cause_line": "42", "classification": "fix_target"}
    related = [f"test_{number} failed: AssertionError" for number in range(count)]
    return {**found, **place, "fix_instructions": "Change the default.", "related_failures": related}


def git(count: int) -> JSON:
    """A delivery that lets so many issues go on."""
    issues = [f"SPEC-X-{number:06}" for number in range(count)]
    told = {"branch": "feature/42", "commit_sha": "abc1234", "commit_message": "feat(42): add X"}
    return {**told, "downstream_unblocked": issues}


def state(count: int) -> str:
    """Notes on so many criteria, in YAML."""
    criteria = "".join(
        f'  - id: "AC-{number}"\n    text: "Implement it per contract"\n'
        f'    test_mapped: "src/shop/module_{number}.py::test_it"\n    status: "pending"\n'
        for number in range(count)
    )
    return f'issue: "42"\nissue_number: 42\nacceptance_criteria:\n{criteria}retries: []\n'


def artifacts() -> dict[str, str]:
    """The seven files."""
    makers = {"plan": plan, "worker-result": worker, "test-result": test, "review-result": review}
    makers |= {"debug-diagnosis": debug, "git-result": git}
    one = len(state(101)) - len(state(100))
    return {**{f"{name}.json": filled(make) for name, make in makers.items()}, "state.yaml": state(SIZE // one)}


def plain_reader(name: str, text: str) -> Callable[[], object]:
    """Reads and validates one file with nothing but the libraries."""
    import yaml  # noqa: PLC0415 - can be found only now
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - "
    from referencing import Registry  # noqa: PLC0415 - "
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - "

    folder = ROOT / "schemas" / "pipeline"
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    registry: Registry[Any] = Registry().with_resources(
        [(schema["$id"], DRAFT202012.create_resource(schema)) for schema in schemas]
    )
    own = next(schema for schema in schemas if schema["title"] == name)
    validator = Draft202012Validator(own, registry=registry)
    load = yaml.safe_load if name.endswith(".yaml") else json.loads
    return lambda: list(validator.iter_errors(load(text)))


def our_reader(texts: dict[str, str]) -> Callable[[], object]:
    """Lints these files as a folder."""
    from phasegate.dialects.dialect import LocalFile  # noqa: PLC0415 - "
    from phasegate.dialects.pipeline.rules import artifact_problems, read_folder  # noqa: PLC0415 - can be found only now
    from phasegate.model.problem import Where  # noqa: PLC0415 - "

    files = [LocalFile(name=name, text=text, where=Where(path=name)) for name, text in texts.items()]
    return lambda: artifact_problems(read_folder("42", files, Where(path=".")))


def seconds(run: Callable[[], object]) -> float:
    """The processor time of one run."""
    began = time.process_time()
    run()
    return time.process_time() - began


def medians(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """The median of each, measured in turns after one run that does not count."""
    for run in runs.values():
        run()
    found = [{name: seconds(run) for name, run in runs.items()} for _ in range(repeat)]
    return {name: statistics.median(turn[name] for turn in found) for name in runs}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    size: int
    plain: float
    ours: float

    def __str__(self) -> str:
        """The line in Markdown."""
        times = f"{self.plain * 1000:.1f} ms | {self.ours * 1000:.1f} ms | {self.ours / self.plain:.2f}"
        return f"| {self.name} | {self.size / 1000:.0f} KB | {times} |\n"


def joined(name: str, rows: list[Row]) -> Row:
    """Several lines as one."""
    return Row(name, sum(row.size for row in rows), sum(row.plain for row in rows), sum(row.ours for row in rows))


def measured(repeat: int) -> list[Row]:
    """The lines of the table."""
    texts = artifacts()
    runs = {f"plain {name}": plain_reader(name, text) for name, text in texts.items()}
    runs.update({f"ours {name}": our_reader({name: text}) for name, text in texts.items()})
    found = medians({**runs, "folder": our_reader(texts)}, repeat)
    rows = [Row(name, len(text), found[f"plain {name}"], found[f"ours {name}"]) for name, text in texts.items()]
    six = joined("the six JSON files", [row for row in rows if row.name.endswith(".json")])
    whole = replace(joined("the folder, rules between files included", rows), ours=found["folder"])
    return [*rows, six, whole]


def main(words: list[str]) -> int:
    """Measure, and print the table; 1 if ours takes longer than it should."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/lint_artifacts.py", description=__doc__)
    parser.add_argument("--repeat", type=int, default=15, help="how often each is run")
    repeat = parser.parse_args(words).repeat
    prepare()
    rows = measured(repeat)
    sys.stdout.write(f"{repeat} runs each; Python {platform.python_version()}, {platform.system()}\n\n")
    sys.stdout.write("| file | size | plain | ours | ratio |\n|---|---|---|---|---|\n")
    sys.stdout.writelines(str(row) for row in rows)
    return 0 if rows[-1].ours <= TARGET * rows[-1].plain else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
