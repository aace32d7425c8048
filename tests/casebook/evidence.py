"""Evidence in the little world: sound artifacts, and what a snapshot tells of files that were pushed over time."""

from __future__ import annotations

import hashlib
import json
from typing import Any

JSON = dict[str, Any]
Tree = dict[str, str]

FOLDER = ".pipeline/12"
PRODUCT = ("src/auth.py", "tests/test_auth.py")
CRITERION = "AC-1: Sessions expire"


def _text(data: JSON) -> str:
    return json.dumps(data, indent=2) + "\n"


def plan(**changes: object) -> str:
    """A sound ``plan.json`` for the product of the little world."""
    steps = [
        {"order": 1, "action": "modify", "file": PRODUCT[0], "description": "Check the expiry", "depends_on": []},
        {"order": 2, "action": "modify", "file": PRODUCT[1], "description": "Test it", "depends_on": [1]},
    ]
    mapping = {CRITERION: f"{PRODUCT[1]}::test_expiry"}
    return _text({"affected_files": list(PRODUCT), "steps": steps, "acceptance_mapping": mapping, **changes})


def worker(**changes: object) -> str:
    """A sound ``worker-result.json``."""
    data = {"status": "completed", "files_changed": list(PRODUCT), "blockers": [], "summary": "Sessions expire."}
    return _text({**data, **changes})


def results(verdict: str = "PASS", second: str | None = "PASS", **changes: object) -> str:
    """A sound ``test-result.json``; ``second`` is how its second phase went, if it ran."""
    checks = {"lint": {"result": "PASS", "output": None}, "test": {"result": verdict, "output": None}}
    after = None if second is None else {"e2e": {"result": second, "output": None}}
    return _text({"verdict": verdict, "phase_1": checks, "phase_2": after, "classification": None, **changes})


def review(verdict: str = "PASS", **changes: object) -> str:
    """A sound ``review-result.json``."""
    found = [{"file": PRODUCT[0], "line": 42, "description": "Expired tokens are accepted"}]
    blockers = found if verdict == "FAIL" else []
    return _text({"verdict": verdict, "blockers": blockers, "concerns": [], "nits": [], **changes})


def diagnosis(**changes: object) -> str:
    """A sound ``debug-diagnosis.json``."""
    data = {
        "failure_source": "tester Phase 1",
        "failure_description": "test_expiry failed",
        "root_cause": "The expiry is not compared",
        "root_cause_file": PRODUCT[0],
        "root_cause_line": "42",
        "classification": "fix_target",
        "fix_instructions": "Compare the expiry with the clock.",
    }
    return _text({**data, **changes})


def files(**texts: str | None) -> dict[str, str | None]:
    """Files of the usual folder by the first word of their names: ``plan``, ``worker``, ``test``."""
    names = {
        "plan": "plan.json",
        "worker": "worker-result.json",
        "test": "test-result.json",
        "review": "review-result.json",
        "debug": "debug-diagnosis.json",
        "git": "git-result.json",
        "state": "state.yaml",
    }
    return {f"{FOLDER}/{names[name]}": text for name, text in texts.items()}


def blob(text: str) -> str:
    """The id that Git gives a text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def artifacts(moves: list[JSON], trees: list[Tree]) -> list[JSON]:
    """What a snapshot tells of the files in the trees that the branch went through."""
    paths = sorted({path for tree in trees for path in tree})
    return [_artifact(path, moves, [tree.get(path) for tree in trees]) for path in paths]


def _artifact(path: str, moves: list[JSON], texts: list[str | None]) -> JSON:
    runs: list[tuple[JSON, str | None]] = []
    for move, text in zip(moves, texts, strict=True):
        if not runs or runs[-1][1] != text:
            merged = move["kind"] in ("pr_merge", "merge_queue_merge")
            actor = None if merged else move["actor"]
            runs.append(({"at": move["at"], "commit": move["after"], "actor": actor}, text))
    *before, (pushed, text) = runs
    told = path.endswith(("test-result.json", "review-result.json")) or not path.startswith(".pipeline/")
    earlier = [
        {"pushed": push, "blob": blob(old), "text": old if told else None} for push, old in before if old is not None
    ]
    made: JSON = {"path": path, "pushed": pushed}
    if text is not None:
        made |= {"size": len(text.encode()), "blob": blob(text), "text": text}
    return made | ({"earlier": earlier} if earlier else {})
