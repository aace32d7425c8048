"""The twelve messages as data: how each is read, in the terms of described formats, and what it asks for next."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from phasegate.dialects.envelope.declaration import TYPES
from phasegate.model.signal import Step

STOPS = {"blocked": "blocked", "escalate": "blocked"}
JUDGED = {"pass": "pass", "pass_with_notes": "pass", "fail": "fail", **STOPS}
USER = [{"for": "human", "when": [{"of": "envelope/signal", "equals": "escalate"}]}]
AUDITS = {"any_of": "envelope/risk_tags/*", "in": ["security", "auth", "data-mutation", "concurrent"]}
SHARED = {
    "about": "Typed messages as YAML front matter, routed by signal.",
    "in": ["comment", "review"],
    "role": {"of": "envelope/type", "map": TYPES},
}
SKIPPED = [{"of": f"envelope/{key}", "equals": "skipped"} for key in ("build_status", "test_status")]
# What each type says, and what takes it back or asks for more.
FORMS: Mapping[str, Mapping[str, Any]] = {
    "worker_submission": {"says": {"rfr": "complete", **STOPS}, "commit": "stated", "asks": USER},
    "review_verdict": {
        "says": JUDGED,
        "commit": "stated",
        "asks": USER,
        "vetoes": [{"when": [{"any_of": "envelope/ac_coverage/*", "equals": "fail"}], "is": "fail"}],
    },
    "audit_verdict": {"says": JUDGED, "commit": "stated", "asks": USER, "vetoes": [{"when": SKIPPED, "is": "blocked"}]},
    "triage_result": {"says": {"triage_complete": "complete", **STOPS}, "asks": USER},
    "plan_result": {
        "says": {"plan_complete": "complete", **STOPS},
        "asks": [
            *USER,
            {"for": "human", "when": [{"of": "envelope/has_blockers", "equals": True}]},
            {"for": "qa", "when": [AUDITS]},
        ],
    },
    "research_result": {"says": {"research_complete": "complete", **STOPS}, "asks": USER, "notes": "envelope/topic"},
    "task_assignment": {"says": {"execute": "complete"}},
    "revision_request": {
        "says": {"revise": "complete"},
        "vetoes": [
            {
                "when": [
                    {"of": "envelope/max_iterations", "present": True},
                    {"of": "envelope/iteration", "above": {"of": "envelope/max_iterations"}},
                ]
            }
        ],
    },
    "approval": {"says": {"lgtm": "complete"}},
    "triage_request": {"says": {"execute": "complete"}},
    "architecture_request": {"says": {"plan": "complete"}},
    "research_request": {"says": {"research": "complete"}},
}
STATED = {"value": "envelope/commit", "as": "text", "optional": True}


def description(kind: str) -> dict[str, Any]:
    """The description of one type as a format."""
    own = dict(FORMS[kind])
    front = {"front_matter": True, "or_fence": "envelope", "holds": "signal:", "own_keys": True}
    read: dict[str, Any] = {"envelope": {**front, "schema_file": f"envelope/{kind}"}}
    judged = "commit" in own
    form = {
        "read": {**read, "stated": STATED} if judged else read,
        "when": [{"of": "envelope/type", "equals": kind}],
        "outcome": {"of": "envelope/signal", "map": own.pop("says")},
        **({} if judged else {"kind": "report"}),
        **own,
    }
    return {**SHARED, "forms": {kind: form}}


FIX = "Fix what was found; in iterations 1 to 3 all of it and in 4 and 5 what is critical."
AUDIT_TOO = "Audit it too if the plan has a risk tag security, auth, data-mutation or concurrent."
REVIEWED, AUDITED = "Once an audit that was asked for has passed too, commit", "Once the review has passed too, commit"
NOTES = "; show the notes at delivery."
UNVERIFIED = "Plan once every question is answered; this answer is not verified."
DELIVER = "Deliver with the open issues disclosed; five review cycles are over."
TRIAGE, AGAIN = "Say how big the work is and what must be found out.", "Fix what is listed and hand it in again."
UNBLOCK = "Take away what blocks the work or cut it otherwise."
LATE = range(6, 1_000_000)  # iterations
# What each message asks for next: its type (none: any), a key and the values for which the route holds, who acts, which
# message is sent or expected, and what is to do. The first that holds counts, with others of the same condition.
ROUTES: tuple[tuple[str, str, Container[object], str, str | None, str], ...] = (
    (
        "worker_submission",
        "signal",
        ("rfr",),
        "reviewer",
        "review_verdict",
        "Review the work against its acceptance criteria.",
    ),
    ("worker_submission", "signal", ("rfr",), "auditor", "audit_verdict", AUDIT_TOO),
    ("review_verdict", "signal", ("fail",), "worker", "revision_request", FIX),
    ("review_verdict", "signal", ("pass_with_notes",), "worker", "approval", REVIEWED + NOTES),
    ("review_verdict", "signal", ("pass",), "worker", "approval", f"{REVIEWED}."),
    ("audit_verdict", "signal", ("fail",), "worker", "revision_request", FIX),
    ("audit_verdict", "signal", ("pass_with_notes",), "worker", "approval", AUDITED + NOTES),
    ("audit_verdict", "signal", ("pass",), "worker", "approval", f"{AUDITED}."),
    ("plan_result", "signal", ("blocked",), "user", None, "Decide what blocks the plan."),
    ("", "signal", ("escalate",), "user", None, "Decide what is beyond the agents."),
    ("", "signal", ("blocked",), "orchestrator", "task_assignment", UNBLOCK),
    ("triage_result", "research_needed", (True,), "researcher", "research_request", "Answer each research question."),
    (
        "triage_result",
        "research_needed",
        (False,),
        "architect",
        "architecture_request",
        "No research needed — proceed.",
    ),
    ("plan_result", "has_blockers", (True,), "user", None, "Decide on the plan's blockers before work is assigned."),
    ("plan_result", "signal", ("plan_complete",), "worker", "task_assignment", "Do the first wave of the plan."),
    ("research_result", "verified", (False,), "architect", "architecture_request", UNVERIFIED),
    (
        "research_result",
        "verified",
        (True,),
        "architect",
        "architecture_request",
        "Plan once every question is answered.",
    ),
    ("task_assignment", "signal", ("execute",), "worker", "worker_submission", "Do the task and hand it in."),
    ("revision_request", "iteration", LATE, "user", None, DELIVER),
    ("revision_request", "signal", ("revise",), "worker", "worker_submission", AGAIN),
    ("approval", "signal", ("lgtm",), "worker", None, "Commit now in the form of conventional commits."),
    ("triage_request", "signal", ("execute",), "architect", "triage_result", TRIAGE),
    ("architecture_request", "signal", ("plan",), "architect", "plan_result", "Write the plan."),
    ("research_request", "signal", ("research",), "researcher", "research_result", "Answer the question with sources."),
)


def route(data: Mapping[str, Any]) -> tuple[Step, ...]:
    """What a message asks for next."""
    holding = [row for row in ROUTES if row[0] in ("", data.get("type")) and data.get(row[1]) in row[2]]
    first = [row for row in holding if row[:3] == holding[0][:3]]
    return tuple(Step(to=to, says=says, answer=answer) for _, _, _, to, answer, says in first)
