"""Contradictions in an answer of TheHood: one row for each, over the validated payload."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from phasegate.dialects.thehood.declaration import PAYLOADS
from phasegate.reading.document import Json, JsonPath, json_path
from phasegate.reading.keys import Data, Hit, Row, at

DECISION, IMPLEMENTED, CRITIQUE = "decision", "implementation_result", "critique_result"
VERIFIED, RECONCILED, FANOUT = "verification_result", "reconciliation_result", "fanout"


def _unsaid(holder: str, flag: str, reason: str) -> Row:
    """A request or a stop without a reason."""

    def hits(data: Data) -> list[Hit]:
        told = data.get(holder) if holder else data
        path = (holder, flag) if holder else (flag,)
        return [(path, ".".join(path))] if isinstance(told, dict) and told.get(flag) and not told.get(reason) else []

    kind = DECISION if holder else RECONCILED
    return Row((kind,), "PG839", hits, "{0} is true, but " + reason + " does not say why")


def _beyond(data: Data) -> Iterator[Hit]:
    bounds, items = data["bounds"], data["items"]
    done = "executedItems"
    for less, more in ((done, "requestedItems"), (done, "maxItems"), ("maxItems", "hardMaxItems")):
        if bounds[less] > bounds[more]:
            yield ("bounds", less), f"{less} is {bounds[less]}, and {more} {bounds[more]}"
    if len(items) != bounds[done]:
        yield ("items",), f"there are {len(items)} items, and {done} is {bounds[done]}"


LONGEST_CONTROL, DEEPEST = 1_000, 4


def _overlong(data: Data) -> Iterator[Hit]:
    """Control fields with long texts or deep trees; each field is reported once."""
    for key, value in data.items():
        for path, inner in _walk(value, (key,)) if key != "markdown" else ():
            deep = len(path) > DEEPEST
            if deep or (isinstance(inner, str) and len(inner) > LONGEST_CONTROL):
                told = "is nested deep" if deep else f"has more than {LONGEST_CONTROL} characters"
                yield path, json_path(path)[2:], told
                break


def _walk(value: Json, path: JsonPath) -> Iterator[tuple[JsonPath, Json]]:
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield from _walk(inner, (*path, key))


ROWS = (
    Row((IMPLEMENTED,), "PG915", at("changed_files")(lambda d: d["status"] == "no_change" and d.get("changed_files")),
        "status is no_change, but changed_files is not empty"),
    Row((CRITIQUE,), "PG915",
        at("blocking_concerns")(lambda d: d["verdict"] == "acceptable" and d.get("blocking_concerns")),
        "the verdict is acceptable, but blocking_concerns is not empty"),
    Row((VERIFIED,), "PG915", at("next_action", "role")(lambda d: d["verdict"] == "approve"
            and isinstance(d.get("next_action"), dict) and d["next_action"].get("role") == "implementer"),
        'the verdict is approve, but next_action.role is "implementer"'),
    Row((RECONCILED,), "PG915",
        at("missing_plan_items")(lambda d: d["status"] == "complete" and d.get("missing_plan_items")),
        "status is complete, but missing_plan_items is not empty"),
    Row((DECISION,), "PG915", at("approval_request", "required")(lambda d: d["action"] == "request_approval"
            and (d.get("approval_request") or {}).get("required") is False),
        "the action is request_approval, but approval_request.required is false"),
    _unsaid("stop", "should_stop", "reason"),
    _unsaid("", "needs_user_decision", "user_decision_reason"),
    Row((FANOUT,), "PG915", _beyond, "{0}"),
    Row((*PAYLOADS,), "PG833", _overlong, "{0} {1}; markdown is for that"),
)  # fmt: skip


# ---- evidence and risks in plain words

DIFF, TESTED = "diff", "test_log"
EVIDENCE = (
    "Add evidence of kind diff, and of kind test_log where tests are changed; plain evidenceRefs are recognised by "
    "their names, such as diff.patch and test.log."
)
# Kinds of evidence by a reference's name, which must have a word of each group.
TOLD_BY_NAME = {
    DIFF: (("diff", "patch"),),
    TESTED: (("test", "tests"), ("log", "logs", "stdout", "output", "report", "result", "results")),
    "lint_log": (("lint",), ("log", "logs", "stdout", "output", "report")),
    "typecheck_log": (("typecheck", "types"), ("log", "logs", "stdout", "output", "report")),
}
# Endings of files that a run leaves, unlike sources.
RECORDED = ("", "diff", "patch", "log", "txt", "json", "md", "out", "xml")
# Words in a name for something missing, and fillers in place of a reference.
DENYING = frozenset({"no", "not", "none", "missing", "absent", "without", "empty", "skipped", "unavailable", "stderr"})
NOWHERE = frozenset({"", "n/a", "na", "none", "null", "nil", "tbd", "todo", "unknown", "missing", "not available"})
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
# A high severity in plain text: "HIGH: …", "[high] …", "Severity: high, …", "High risk - …".
_HIGH = re.compile(
    r"\W{0,9}(?:severity\W{1,4})?(?:high|critical)(?: (?:risk|severity))?(?:\W{0,3}[]:;,.)]|\s+[-\u2013\u2014]|\W*$)",
    re.ASCII | re.IGNORECASE,
)


def evidence_kinds(payload: Mapping[str, Json]) -> frozenset[str]:
    """The kinds of a verification's evidence; a plain reference is judged by its name."""
    told, refs = payload.get("evidence"), payload.get("evidence_refs")
    items = [item for item in told if isinstance(item, dict)] if isinstance(told, list) else []
    kinds = {str(item.get("kind")) for item in items if leads_somewhere(item.get("ref"))}
    plain = refs if isinstance(refs, list) else []
    return frozenset(kinds | {kind for ref in plain if isinstance(ref, str) for kind in _told_by_name(ref)})


def leads_somewhere(ref: Json) -> bool:
    """True if a reference names something, and is not a word or sentence for "none"."""
    if not isinstance(ref, str) or ref.strip(" \t\r\n-_.()[]<>\"'`*").lower() in NOWHERE:
        return False
    told = ref.lower().replace("n/a", "none").strip(" \t\r\n.")
    # what has a path, an address or an ending names something, whatever that is called
    return any(sign in told for sign in "/\\.") or not set(_WORD.findall(told)) & (DENYING | NOWHERE)


def _told_by_name(ref: str) -> Iterator[str]:
    """The kinds of a reference, by its last part.

    A source file is not the record of a run, whatever its name; nor is a sentence, or a name that says there is none.
    """
    name = re.split(r"[/\\#?]", ref.strip())[-1]
    ending = name.rpartition(".")[2].lower() if "." in name else ""
    words = {word.lower() for word in _WORD.findall(name)}
    if words & DENYING or any(character.isspace() for character in name):
        return
    for kind, groups in TOLD_BY_NAME.items():
        if ending in RECORDED and all(words & set(group) for group in groups):
            yield kind


def says_high(risk: str) -> bool:
    """True if a plain text begins with a high severity."""
    return _HIGH.match(risk[:LONGEST_CONTROL]) is not None
