"""The twelve messages as data: how each is read, its contradictions and gaps, and its next step."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

from phasegate.dialects.envelope.declaration import TYPES
from phasegate.model.signal import Step
from phasegate.reading.document import excerpt
from phasegate.reading.keys import Data, Hit, Row, at, slip_of
from phasegate.reading.markdown.page import Page

WORK, REVIEW, AUDIT, PLAN = "worker_submission", "review_verdict", "audit_verdict", "plan_result"

# ---- how each is read, in the terms of described formats

STOPS = {"blocked": "blocked", "escalate": "blocked"}  # of the type, and of the table of signals
JUDGED = {"pass": "pass", "pass_with_notes": "pass", "fail": "fail", **STOPS}
USER = [{"for": "human", "when": [{"of": "envelope/signal", "equals": "escalate"}]}]
AUDIT_TAGS = ["security", "auth", "data-mutation", "concurrent"]
AUDITS = {"any_of": "envelope/risk_tags/*", "in": AUDIT_TAGS}
SKIPPED = [{"of": f"envelope/{key}", "equals": "skipped"} for key in ("build_status", "test_status")]
OVER = [{"of": "envelope/max_iterations", "present": True},
        {"of": "envelope/iteration", "above": {"of": "envelope/max_iterations"}}]  # fmt: skip
# The words of each type, and what takes them back or asks for more.
FORMS: Mapping[str, Mapping[str, Any]] = {
    WORK: {"says": {"rfr": "complete", **STOPS}, "commit": "stated", "asks": USER},
    REVIEW: {"says": JUDGED, "commit": "stated", "asks": USER,
             "vetoes": [{"when": [{"any_of": "envelope/ac_coverage/*", "equals": "fail"}], "is": "fail"}]},
    AUDIT: {"says": JUDGED, "commit": "stated", "asks": USER, "vetoes": [{"when": SKIPPED, "is": "blocked"}]},
    "triage_result": {"says": {"triage_complete": "complete", **STOPS}, "asks": USER},
    PLAN: {"says": {"plan_complete": "complete", **STOPS},
           "asks": [*USER, {"for": "human", "when": [{"of": "envelope/has_blockers", "equals": True}]},
                    {"for": "qa", "when": [AUDITS]}]},
    "research_result": {"says": {"research_complete": "complete", **STOPS}, "asks": USER, "notes": "envelope/topic"},
    "task_assignment": {"says": {"execute": "complete"}},
    "revision_request": {"says": {"revise": "complete"}, "vetoes": [{"when": OVER}]},
    "approval": {"says": {"lgtm": "complete"}},
    "triage_request": {"says": {"execute": "complete"}},
    "architecture_request": {"says": {"plan": "complete"}},
    "research_request": {"says": {"research": "complete"}},
}  # fmt: skip
STATED = {"value": "envelope/commit", "as": "text", "optional": True}


def description(kind: str) -> dict[str, Any]:
    """The description of one message type as a format."""
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
    return {
        "about": "Typed messages as YAML front matter, routed by signal.",
        "in": ["comment", "review"],
        "role": {"of": "envelope/type", "map": TYPES},
        "forms": {kind: form},
    }


# ---- what follows from each

FIX = "Fix what was found; in iterations 1 to 3 all of it and in 4 and 5 what is critical."
AUDIT_TOO = "Audit it too if the plan has a risk tag security, auth, data-mutation or concurrent."
REVIEWED, AUDITED = "Once an audit that was asked for has passed too, commit", "Once the review has passed too, commit"
NOTES = "; show the notes at delivery."
UNVERIFIED = "Plan once every question is answered; this answer is not verified."
DELIVER = "Deliver with the open issues disclosed; five review cycles are over."
TRIAGED, AGAIN = "Say how big the work is and what must be found out.", "Fix what is listed and hand it in again."
UNBLOCK = "Take away what blocks the work or cut it otherwise."
NO_RESEARCH = "No research needed — proceed."
REVIEWS, RESEARCHED = "Review the work against its acceptance criteria.", "Plan once every question is answered."
LATE = range(6, 1_000_000)  # iterations
# The next step of each message: its type (empty: any), a key and its values, who acts, which message is sent or
# expected, and what to do. The first row that holds counts, with others of the same condition.
ROUTES: tuple[tuple[str, str, Container[object], str, str | None, str], ...] = (
    (WORK, "signal", ("rfr",), "reviewer", REVIEW, REVIEWS),
    (WORK, "signal", ("rfr",), "auditor", AUDIT, AUDIT_TOO),
    (REVIEW, "signal", ("fail",), "worker", "revision_request", FIX),
    (REVIEW, "signal", ("pass_with_notes",), "worker", "approval", REVIEWED + NOTES),
    (REVIEW, "signal", ("pass",), "worker", "approval", f"{REVIEWED}."),
    (AUDIT, "signal", ("fail",), "worker", "revision_request", FIX),
    (AUDIT, "signal", ("pass_with_notes",), "worker", "approval", AUDITED + NOTES),
    (AUDIT, "signal", ("pass",), "worker", "approval", f"{AUDITED}."),
    (PLAN, "signal", ("blocked",), "user", None, "Decide what blocks the plan."),
    ("", "signal", ("escalate",), "user", None, "Decide what is beyond the agents."),
    ("", "signal", ("blocked",), "orchestrator", "task_assignment", UNBLOCK),
    ("triage_result", "research_needed", (True,), "researcher", "research_request", "Answer each research question."),
    ("triage_result", "research_needed", (False,), "architect", "architecture_request", NO_RESEARCH),
    (PLAN, "has_blockers", (True,), "user", None, "Decide on the plan's blockers before work is assigned."),
    (PLAN, "signal", ("plan_complete",), "worker", "task_assignment", "Do the first wave of the plan."),
    ("research_result", "verified", (False,), "architect", "architecture_request", UNVERIFIED),
    ("research_result", "verified", (True,), "architect", "architecture_request", RESEARCHED),
    ("task_assignment", "signal", ("execute",), "worker", WORK, "Do the task and hand it in."),
    ("revision_request", "iteration", LATE, "user", None, DELIVER),
    ("revision_request", "signal", ("revise",), "worker", WORK, AGAIN),
    ("approval", "signal", ("lgtm",), "worker", None, "Commit now in the form of conventional commits."),
    ("triage_request", "signal", ("execute",), "architect", "triage_result", TRIAGED),
    ("architecture_request", "signal", ("plan",), "architect", PLAN, "Write the plan."),
    ("research_request", "signal", ("research",), "researcher", "research_result", "Answer the question with sources."),
)


def route(data: Mapping[str, Any]) -> tuple[Step, ...]:
    """The next steps that a message asks for."""
    holding = [row for row in ROUTES if row[0] in ("", data.get("type")) and data.get(row[1]) in row[2]]
    first = [row for row in holding if row[:3] == holding[0][:3]]
    return tuple(Step(to=to, says=says, answer=answer) for _, _, _, to, answer, says in first)


# ---- what each says against itself, or leaves open

# Who sends each type, as agents call themselves, and the keys of their own under which they do.
EMITTERS = {
    WORK: ("worker", "debugger", "documenter", "grunt", "senior"),
    REVIEW: ("reviewer",),
    AUDIT: ("auditor",),
    "triage_result": ("architect",),
    PLAN: ("architect",),
    "research_result": ("researcher",),
}
AGENTS = {name for names in EMITTERS.values() for name in names} | {"orchestrator"}
SENDER = ("agent", "role", "from", "by", "emitted_by")
OWN_STOPS = {WORK: tuple(STOPS), PLAN: ("blocked",)}  # of the other types only the table of signals has them


def _another_agent(data: Data) -> Iterator[Hit]:
    own = EMITTERS.get(data["type"], ("orchestrator",))
    for key in SENDER:
        told = str(data.get(key, "")).strip().lower()
        if told in AGENTS and told not in own:
            yield (key,), key, told, data["type"], " or ".join(own)


def _left_open(data: Data) -> Iterator[Hit]:
    """What contradicts a pass in every version of the message schema."""
    signal = data["signal"]
    if signal not in ("pass", "pass_with_notes"):
        return
    told: list[tuple[tuple[str, ...], Any]] = []
    if data["type"] == AUDIT:
        told = [(("security_findings", "high"), data["security_findings"]["high"] or None)]
        skipped = ("skipped",) if signal == "pass" else ()
        keys = ("build_status", "test_status", "typecheck_status")
        told += [((key,), data[key]) for key in keys if data.get(key) in ("fail", "partial", *skipped)]
    elif signal == "pass":
        told = [(("moderate_count",), data.get("moderate_count") or None)]
    yield from ((path, signal, ".".join(path), value) for path, value in told if value is not None)


def _lacks(*keys: str) -> Callable[[Data], Iterable[Hit]]:
    return lambda data: [(("type",), key) for key in keys if data["signal"] not in STOPS and key not in data]


def covers_nothing(data: Data) -> bool:
    """True if a review names no criterion."""
    return data["signal"] not in STOPS and not data.get("ac_coverage")


ROWS = (
    Row((*EMITTERS,), "PG827",
        lambda data: [(("signal",), data["signal"], data["type"])]
        if data["signal"] in STOPS and data["signal"] not in OWN_STOPS.get(data["type"], ()) else [],
        "the signal {0} is not among those of {1}, but any agent may stop"),
    Row((*TYPES,), "PG822", _another_agent, "{0} is {1}, and a {2} is written by the {3}"),
    Row((REVIEW, AUDIT), "PG824", _left_open, "the signal is {0}, and {1} is {2}; pass_with_notes or fail say so"),
    Row((REVIEW,), "PG826", _lacks("moderate_count", "minor_count"), "{0} is left out"),
    Row((PLAN,), "PG826", _lacks("has_blockers"), "{0} is left out"),
    Row((REVIEW,), "PG828", at("ac_coverage")(lambda data: covers_nothing(data)),  # noqa: PLW0108  (tests switch it off)
        "ac_coverage is missing or empty: how each criterion was met"),
)  # fmt: skip

# The sections of bodies in their order: headings of the second level, or names under a heading or before a text, as the
# schema has no headings for them; and the line that may stand in place of a section.
HEADINGS = {WORK: ("## Result", "## Self-Assessment"), "architecture_request": ("## Research Context",)}
TOLD = {
    REVIEW: ("AC Coverage",),
    AUDIT: ("Runtime",),
    "triage_result": ("Triage", "Research Questions"),
    "research_result": ("Answer", "Verified Facts", "Version Constraints", "Gotchas", "Unverified"),
    "task_assignment": ("Task", "Acceptance Criteria", "Context", "Files"),
    "revision_request": ("Issues",),
}
TEXT = {
    PLAN: "one paragraph that says what the plan covers",
    "triage_request": "what the user asks for",
    "research_request": "the question, why it matters and where to look",
}
INSTEAD = {"architecture_request": NO_RESEARCH}
BEFORE_NAMES = " \t#*_+-0123456789.)"  # headings, lists and bold type
COUNTED = ("CRITICAL", "MODERATE", "MINOR")
# A heading, an item of a list or a line of a finding, with the severity that it begins with.
LISTED = re.compile(
    r"[ ]{0,3}(?:(?P<title>#{1,6})[ ]{1,4}|(?P<item>(?:[-*+]|[0-9]{1,4}[.)])[ ]{1,4}))?"
    r"(?:\*\*|\[|`)?(?P<name>CRITICAL|MODERATE|MINOR|HIGH|MEDIUM|LOW)?\b",
    re.ASCII,
)
ROUTE_LINE = re.compile(r"^[ ]{0,3}(?:\*\*)?Route:", re.MULTILINE)
Remark = tuple[str, str, tuple[str, ...]]


def body_remarks(data: Data, page: Page, body: str) -> Iterator[Remark]:
    """What the body of a message lacks, given its envelope: code, message and the key to report it on."""
    kind, signal = data["type"], data["signal"]
    if signal in STOPS:
        if not ROUTE_LINE.search(body):
            yield "PG826", f"{signal}, and there is no line Route: that names who acts next", ("signal",)
        return
    if kind in TEXT and not body.strip():
        yield "PG823", f"the body is empty: {TEXT[kind]}", ("type",)
    lines = body.splitlines()
    if INSTEAD.get(kind) not in [line.strip() for line in lines]:
        titles = {heading.text.strip() for heading in page.headings} if kind in HEADINGS else set()
        places = [(name, _line(lines, name) if name[3:] in titles else None) for name in HEADINGS.get(kind, ())]
        names = [name for name in TOLD.get(kind, ()) if name != "Research Questions" or data["research_needed"]]
        yield from _order([*places, *((name, _line(lines, name)) for name in names)])
    for path, told, found in _miscounted(lines, data):
        yield "PG825", f"{'.'.join(path)} is {told}, and the body lists {found}", path


def _line(lines: list[str], name: str) -> int | None:
    bare = name.lstrip(BEFORE_NAMES)
    return next((number for number, line in enumerate(lines) if line.lstrip(BEFORE_NAMES).startswith(bare)), None)


def _order(places: list[tuple[str, int | None]]) -> Iterator[Remark]:
    last = ("", -1)
    for name, line in places:
        if line is None:
            yield "PG823", f"the body has no section {name}", ("type",)
        elif line < last[1]:
            yield "PG823", f"the section {name} comes before {last[0]}", ("type",)
        else:
            last = (name, line)


def _miscounted(lines: list[str], data: Data) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Counts of findings that differ from the body, if it lists findings."""
    keys = {name: f"{name.lower()}_count" for name in COUNTED}
    told: dict[str, tuple[str, ...]] = {name: (key,) for name, key in keys.items() if key in data}
    if data["type"] == AUDIT:
        told = {name.upper(): ("security_findings", name) for name in data["security_findings"]}
    found, section = dict.fromkeys(told, 0), ""
    for match in filter(None, map(LISTED.match, lines)):
        item, title, name = match.group("item", "title", "name")
        section = (name or "") if title else section
        counted = "" if title else name or (section if item else "")
        if counted in found:
            found[counted] += 1
    for name, path in told.items() if any(found.values()) else ():
        count = data[path[0]] if len(path) == 1 else data[path[0]][path[1]]
        if isinstance(count, int) and count != found[name]:
            yield path, count, found[name]


# ---- across messages

# What they are about, as people write it too.
_RISKS = dict.fromkeys(
    ("security", "auth", "authentication", "authorization", "mutation", "concurrent", "concurrency"), False
)


def risky(tags: object) -> tuple[int, str] | None:
    """The tag that resembles one which asks for an audit, with its index."""
    told = tags if isinstance(tags, list) else []
    like = (
        (place, excerpt(tag))
        for place, tag in enumerate(told)
        if isinstance(tag, str) and tag not in AUDIT_TAGS and is_risky(tag)
    )
    return next(like, None)


def is_risky(tag: str) -> bool:
    """True if a word of a tag stands for a risk, or is one slip away from such a word."""
    return any(word in _RISKS or slip_of(word, word, _RISKS) for word in tag.split("-"))
