"""Objections: for the seat of any dialect a text by which it fails the work, and how that text can be misspelt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import yaml

from phasegate.model.signal import Medium
from tests.casebook import reviewers
from tests.casebook.envelope import FAILING, message
from tests.casebook.evidence import results, review, worker
from tests.casebook.thehood import answer_data, carried
from tests.casebook.world import LETTERS, World, commit, verdict
from tests.metamorphic.scene import JSON, Scene, Seat


@dataclass(frozen=True, kw_only=True)
class Objection:
    """A whole and valid FAIL.

    ``decides`` is the pattern of the key and value that fail, ``misspelt`` a part of the text and its misspelling,
    ``bare`` the same without heading or type, the role told by a key alone at most. ``medium``: in which this account
    says so, ``fields`` what its check run says beside the text.
    """

    whole: str
    decides: str
    misspelt: tuple[str, str] | None = None
    bare: str | None = None
    tells_role: bool = True  # the bare form does
    medium: Medium | None = None
    fields: JSON = field(default_factory=dict)


def objection_of(scene: Scene, seat: Seat, world: World) -> Objection | None:
    """How a seat fails the work; none where its dialect has no such word."""
    if seat.dialect == "jkz":
        return _jkz(seat, world)
    if seat.dialect in FIXED:
        return FIXED[seat.dialect](seat)
    if seat.dialect in BOXED:
        return BOXED[seat.dialect](world)
    return next(_described(scene, seat), None)


def _jkz(seat: Seat, world: World) -> Objection | None:
    if seat.role not in LETTERS:
        return None
    named = {"commit": commit(world.head)} if '"commit"' in seat.text else {}
    whole = verdict(seat.role, "FAIL", **named)
    headless = whole.replace(f"## jkz:{seat.role}\n\n", "")
    return Objection(
        whole=whole,
        decides=r'"verdict": "FAIL"',
        misspelt=("jkz:verdict-json", "jkz:verdict_json"),
        bare=headless.replace('"verdict"', f'"role": "{seat.role}",\n "verdict"', 1),
    )


AUDIT = (
    "signal: fail\nsecurity_findings: {critical: 1, high: 0, medium: 0, low: 0}\nbuild_status: pass\ntest_status: fail"
)
STUCK = "signal: blocked\nfiles_changed:\n- src/auth.py\nac_coverage:\n  AC1: fail\nqa_check: fail"
MESSAGES = {"review-verdict": FAILING, "audit-verdict": AUDIT, "worker-submission": STUCK}


def _envelope(seat: Seat) -> Objection | None:
    if seat.role not in MESSAGES:
        return None
    kind = seat.role.replace("-", "_")
    whole = message(kind, MESSAGES[seat.role])
    return Objection(
        whole=whole,
        decides=r"(?m)^signal: (?:fail|blocked)$",
        misspelt=(f"type: {kind}", f"type: {kind[:-1]}"),
        bare=whole.replace(f"type: {kind}", f"role: {kind}"),
        tells_role=False,
    )


ANSWERS: dict[str, JSON] = {
    "verifier": {"verification_result": {"verdict": "revise", "failed_criteria": ["AC1"]}},
    "implementer": {"implementation_result": {"status": "failed"}},
    "orchestrator": {"decision": {"action": "abort"}},
}
FAILS = r'"(?:verdict|status|action)": "(?:revise|failed|abort)"'


def _thehood(seat: Seat) -> Objection | None:
    if seat.role not in ANSWERS:
        return None
    ((kind, changes),) = ANSWERS[seat.role].items()
    data = answer_data(kind, **changes)
    inner = {"role": seat.role, **data["data"][kind]}
    if seat.medium is Medium.FILE:
        return Objection(whole=json.dumps(data, indent=1) + "\n", decides=FAILS, misspelt=(kind, kind[:-1]))
    return Objection(
        whole=carried(data),
        decides=FAILS,
        misspelt=("thehood:agent-response", "thehood:agent_response"),
        bare=carried(inner, "json"),
        tells_role=False,
    )


ARTIFACTS = {
    "review-result.json": (review("FAIL"), r'"verdict": "FAIL"', ("verdict", "verdit")),
    "test-result.json": (results("FAIL", second=None), r'"verdict": "FAIL"', ("verdict", "verdit")),
    "test-result.json#phase_2": (results("FAIL", second="FAIL"), r'"verdict": "FAIL"', ("verdict", "verdit")),
    "worker-result.json": (worker(status="blocked", blockers=["The clock cannot be read"]), r'"status": "blocked"',
                           ("status", "state")),
}  # fmt: skip


def _pipeline(seat: Seat) -> Objection | None:
    if seat.role not in ARTIFACTS:
        return None
    whole, decides, misspelt = ARTIFACTS[seat.role]
    return Objection(whole=whole, decides=decides, misspelt=misspelt)


FIXED: dict[str, Callable[[Seat], Objection | None]] = {
    "envelope": _envelope,
    "thehood": _thehood,
    "pipeline": _pipeline,
}


def _in_review(text: str) -> Callable[[World], Objection]:
    return lambda _: Objection(whole=text, decides=re.escape(text[:40]), medium=Medium.REVIEW)


def _run(text: str = "", **fields: object) -> Callable[[World], Objection]:
    return lambda _: Objection(whole=text, decides="(?!)", fields=fields)


# What reviewers that teams already have write when they found something.
BOXED: dict[str, Callable[[World], Objection]] = {
    "coderabbit": _in_review(reviewers.actionable(2)),
    "codex": _in_review(reviewers.CODEX_FINDINGS),
    "copilot": _in_review(reviewers.copilot(count="3 comments")),
    "greptile": lambda world: Objection(whole=reviewers.greptile(score=2, head=world.head), decides="Score: 2/5",
                                        misspelt=("Score:", "Scoring:")),
    "claude-review": _run(text=reviewers.counted(important=2), title="Code review found 2 important issues"),
    "bugbot": _run(conclusion="neutral", summary=reviewers.bugbot("and found 2 potential issues")),
    "runs": _run(title="blocking: 2, files: 7"),  # a team's own, in the stories of described formats
    "gsd": lambda _: Objection(whole=reviewers.gsd("gaps_found", good=3, more=reviewers.GAPS),
                               decides="status: gaps_found", misspelt=("status: gaps_found", "state: gaps_found")),
    "bmad": lambda _: Objection(whole=reviewers.bmad("FAIL", more=reviewers.HIGH), decides="gate: FAIL",
                                misspelt=("gate: FAIL", "gates: FAIL")),
}  # fmt: skip


def _described(scene: Scene, seat: Seat) -> Iterator[Objection]:
    """The seat's own pass with a word for FAIL in place of the word for PASS, by the map of the format."""
    policy = yaml.safe_load(scene.story.world().policy or "{}")
    for values in _maps(policy.get("formats", {}).get(seat.dialect, {})):
        goods = [str(key) for key, value in values.items() if value == "pass"]
        bads = [str(key) for key, value in values.items() if value == "fail"]
        for good in goods:
            pattern = rf"(?<![\w-]){re.escape(good)}(?![\w-])"
            if bads and re.search(pattern, seat.text):
                whole = re.sub(pattern, bads[0], seat.text)
                yield Objection(whole=whole, decides=rf"(?<![\w-]){re.escape(bads[0])}(?![\w-])")


def _maps(data: object) -> Iterator[JSON]:
    """The maps from words to outcomes, wherever the format has them."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key == "map" and isinstance(value, dict):
                yield value
            yield from _maps(value)
    elif isinstance(data, list):
        for item in data:
            yield from _maps(item)
