"""What an answer of TheHood says against itself: one row for each contradiction, over the validated payload."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.dialects.described.forms import Data, Hit, Row, at

DECISION, IMPLEMENTED, CRITIQUE = "decision", "implementation_result", "critique_result"
RECONCILED, FANOUT = "reconciliation_result", "fanout"


def _unsaid(holder: str, flag: str, reason: str) -> Row:
    """That something is asked for or stopped without a word why."""

    def hits(data: Data) -> list[Hit]:
        told = data.get(holder) if holder else data
        path = (holder, flag) if holder else (flag,)
        return [(path, ".".join(path))] if isinstance(told, dict) and told.get(flag) and not told.get(reason) else []

    kind = DECISION if holder else RECONCILED
    return Row((kind,), "PG839", hits, "{0} is true, but " + reason + " does not say why")


def _next(data: Data) -> object:
    told = data.get("next_action")
    return told.get("role") if isinstance(told, dict) else None


def _beyond(data: Data) -> Iterator[Hit]:
    """Counts of a fan-out that do not fit together."""
    bounds, items = data["bounds"], data["items"]
    for less, more in (
        ("executedItems", "requestedItems"),
        ("executedItems", "maxItems"),
        ("maxItems", "hardMaxItems"),
    ):
        if bounds[less] > bounds[more]:
            yield ("bounds", less), f"{less} is {bounds[less]}, and {more} {bounds[more]}"
    if len(items) != bounds["executedItems"]:
        yield ("items",), f"there are {len(items)} items, and executedItems is {bounds['executedItems']}"


ROWS = (
    Row(
        (IMPLEMENTED,),
        "PG838",
        at("changed_files")(lambda d: d["status"] == "no_change" and d.get("changed_files")),
        "status is no_change, but changed_files is not empty",
    ),
    Row(
        (CRITIQUE,),
        "PG838",
        at("blocking_concerns")(lambda d: d["verdict"] == "acceptable" and d.get("blocking_concerns")),
        "the verdict is acceptable, but blocking_concerns is not empty",
    ),
    Row(
        ("verification_result",),
        "PG838",
        at("next_action", "role")(lambda d: d["verdict"] == "approve" and _next(d) == "implementer"),
        'the verdict is approve, but next_action.role is "implementer"',
    ),
    Row(
        (RECONCILED,),
        "PG838",
        at("missing_plan_items")(lambda d: d["status"] == "complete" and d.get("missing_plan_items")),
        "status is complete, but missing_plan_items is not empty",
    ),
    Row(
        (DECISION,),
        "PG838",
        at("approval_request", "required")(
            lambda d: d["action"] == "request_approval" and (d.get("approval_request") or {}).get("required") is False
        ),
        "the action is request_approval, but approval_request.required is false",
    ),
    _unsaid("stop", "should_stop", "reason"),
    _unsaid("", "needs_user_decision", "user_decision_reason"),
    Row((FANOUT,), "PG834", _beyond, "{0}"),
)
