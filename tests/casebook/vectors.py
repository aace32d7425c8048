"""The conformance vectors: every story and attack as a pull request that any gate can be asked about.

``python3 tests export --vectors DIR`` writes them: one line of JSON for each, a file for each dialect, and a manifest.
What only this gate can know, its own record and statuses, is taken out; where that changes the answer,
there is no vector.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from phasegate import VERSION
from phasegate.cli.files import parse_snapshot
from phasegate.dialects.described.boxes import box_names
from phasegate.gate import judge
from phasegate.model.report import NeedKind, NeedState, NoteKind, Report, State, Why, Withheld
from phasegate.model.snapshot import Snapshot
from tests.casebook.attacks.attack import Attack
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.every import STORIES
from tests.casebook.story import Story

JSON = dict[str, Any]
OWN = ("record", "own_account", "branch_rules", "unreported", "base_in_context")
NOT_GREEN = ["failure", "pending", "error"]
EVERYDAY = "everyday"  # the class of what is no attack
WHOLE = ("jkz", "envelope", "pipeline", "thehood")
REVIEWERS, DESCRIBED, MIXED = "reviewers", "described", "mixed"

# The sentences that vectors test, by name.
PAGE = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"
SENTENCES = PAGE.read_text(encoding="utf-8").partition("## The sentences")[2]
STATEMENTS = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", SENTENCES, re.MULTILINE))
BY_REASON = {
    Why.MISSING: "missing",
    Why.REFUSED: "word",
    Why.DRIFTED: "malformed",
    Why.OLDER: "content",
    Why.OTHER_BASE: "content",
    Why.PLAN_LOST: "content",
    Why.OLDER_THAN_GROUND: "order",
    Why.COMMIT_UNKNOWN: "content",
    Why.TOO_EARLY: "order",
    Why.ONE_ACCOUNT: "accounts",
    Why.INSTRUCTIONS: "instructions",
    Why.UNCOVERED: "approval",
    Why.FAILED: "objection",
    Why.INVALID: "malformed",
    Why.UNUSABLE: "malformed",
    Why.ESCALATED: "rounds",
    Why.EARLIER_PHASE: "phases",
    Why.SPENT: "plan",
    Why.STANDS: "standing",
    Why.GROUP: "missing",
    Why.NOT_DONE: "unfinished",
    Why.BLOCKED: "unfinished",
    Why.PART_MISSING: "unfinished",
}
BY_KIND = {
    NeedKind.CHECK: "checks",
    NeedKind.FOLDER: "checks",
    NeedKind.HUMAN: "approval",
    NeedKind.HISTORY: "removed",
    NeedKind.LINKED_ISSUE: "plan",
}
BY_NOTE = {
    NoteKind.NOT_EXEMPT: "exempt",
    NoteKind.EXEMPT: "exempt",
    NoteKind.NOT_LOWERED: "lowered",
    NoteKind.OVERRIDDEN: "lifted",
    NoteKind.OVERRIDE_REFUSED: "lifted",
    NoteKind.OVERRIDE_OLDER: "lifted",
    NoteKind.POLICY: "policy",
}
WITHHELD = {
    Withheld.OTHER_QUEUE: "queue",
    Withheld.QUEUED_UNKNOWN: "queue",
    Withheld.QUEUED_OTHERWISE: "queue",
    Withheld.POLICY: "policy",
}
SAID = (Why.REFUSED, Why.INSTRUCTIONS, Why.UNCOVERED, Why.INVALID)  # which tell more than the kind of need
ELSE = ("pass", "scope")  # what the tables do not lead to


def statement(report: Report) -> str:
    """The sentence that decides a pull request: by what holds the phase that decides, or by how it became green."""
    if report.withheld is not None:
        return WITHHELD.get(report.withheld, "scope")
    deciding = [phase for phase in report.phases if phase.state is report.state]
    notes = [BY_NOTE[note.kind] for phase in deciding for note in phase.notes if note.kind in BY_NOTE]
    needs = [need for phase in deciding for need in phase.needs]
    if report.state is State.SUCCESS:
        lifted = any(need.why is Why.OVERRULED for need in needs)
        return "queue" if report.queued else "lifted" if lifted else next(iter(notes), "pass")
    if notes:
        return notes[0]
    state = NeedState.FAILED if report.state is State.FAILURE else NeedState.WAITING
    held = next((need for need in needs if need.state is state), None)
    if held is None:
        return "phases"
    if held.kind in BY_KIND and held.why not in SAID:
        return BY_KIND[held.kind]
    return BY_REASON[held.why]


def neutral(told: JSON) -> JSON:
    """A snapshot without what only this gate has written or can know."""
    kept = {key: value for key, value in told.items() if key not in OWN}
    others = [each for each in told.get("statuses", []) if not each["context"].startswith("phase-gate")]
    return {
        **{key: value for key, value in kept.items() if key != "statuses"},
        **({"statuses": others} if others else {}),
    }


def vector(story: Story) -> JSON | None:
    """A story as a vector; none where the answer depends on what this gate remembers."""
    told = neutral(story.world().snapshot())
    snapshot = parse_snapshot(json.dumps(told), story.name)
    assert isinstance(snapshot, Snapshot), story.name
    report = judge(snapshot)
    if report.state.value != story.state:
        return None
    green = report.state is State.SUCCESS
    name = statement(report)
    return {
        "vector": 1,
        "id": story.name,
        "says": story.says,
        "statement": {"id": name, "text": STATEMENTS[name]},
        "class": story.kind if isinstance(story, Attack) else EVERYDAY,
        "dialect": _dialect(report),
        "allowed": ["success"] if green else NOT_GREEN,
        "never": [] if green else ["success"],
        "answer": report.state.value,
        "input": told,
    }


def _dialect(report: Report) -> str:
    """The family of what is said: a built-in dialect, the built-in reviewers, or formats that the policy describes."""
    spoken = {item.vote.signal.dialect for item in report.signals}
    families = {each if each in WHOLE else REVIEWERS if each in box_names() else DESCRIBED for each in spoken} or {
        WHOLE[0]
    }
    return families.pop() if len(families) == 1 else MIXED


def write_vectors(folder: Path, stories: Iterable[Story] = ()) -> JSON:
    """Write some or all of them and the manifest, the same bytes each time; the manifest."""
    named = {story.name: story for story in stories} or {**STORIES, **ATTACKS}
    made = [vector(named[name]) for name in sorted(named)]
    kept = [each for each in made if each is not None]
    files: dict[str, JSON] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for dialect in sorted({each["dialect"] for each in kept}):
        lines = [json.dumps(each, ensure_ascii=True) for each in kept if each["dialect"] == dialect]
        text = "".join(f"{line}\n" for line in lines).encode()
        (folder / f"{dialect}.jsonl").write_bytes(text)
        files[f"{dialect}.jsonl"] = {"vectors": len(lines), "sha256": hashlib.sha256(text).hexdigest()}
    manifest: JSON = {
        "conformance": 1,
        "version": VERSION,
        "vectors": len(kept),
        "left_out": len(made) - len(kept),
        "classes": dict(sorted(Counter(each["class"] for each in kept).items())),
        "statements": dict(sorted(Counter(each["statement"]["id"] for each in kept).items())),
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8", newline="\n")
    return manifest
