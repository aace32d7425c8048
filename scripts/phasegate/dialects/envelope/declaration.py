"""What the envelope dialect declares: a seat for each message that a phase waits for. Reading is all described."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from phasegate.dialects.dialect import Deciding, Dialect, Footprint, Gathered, Reading, Surroundings, Text
from phasegate.model.signal import Does, HowTo, Medium, Role, Subject

NAME = "envelope"
SIGNAL = "signal:"
TYPES = {
    "worker_submission": "worker-submission",
    "review_verdict": "review-verdict",
    "audit_verdict": "audit-verdict",
    "triage_result": "triage-result",
    "plan_result": "plan-result",
    "research_result": "research-result",
    "task_assignment": "orchestrator-message",
    "revision_request": "orchestrator-message",
    "approval": "orchestrator-message",
    "triage_request": "orchestrator-message",
    "architecture_request": "orchestrator-message",
    "research_request": "orchestrator-message",
}
MEDIA = frozenset({Medium.COMMENT, Medium.REVIEW})
TRIAGE, PLAN, WORK = "triage-result", "plan-result", "worker-submission"

# The smallest message of each type that a phase waits for; a judging one finds something to fix.
EXAMPLES = {
    "triage_result": "signal: triage_complete\ntier: 2\nresearch_needed: false\n---\n\n## Triage\n\nWhat it is about.",
    "plan_result": "signal: plan_complete\nplan_file: plans/sessions-expire.md\nwave_count: 1\nrisk_tags: []\n---\n\n"
    "What the plan is, in words.",
    "worker_submission": "signal: rfr\nfiles_changed: [src/auth.py]\nac_coverage: {{AC1: fail}}\nqa_check: fail\n"
    "---\n\n## Result\n\nWhat was done.\n\n## Self-Assessment\n\nWhat is open.",
    "review_verdict": "signal: fail\ncritical_count: 1\nac_coverage: {{AC1: fail}}\n{commit}---\n\nWhat you found.\n\n"
    "## AC Coverage\n\nAC1 does not hold.\n\nIf nothing has to be fixed: signal: pass, and no critical finding.",
    "audit_verdict": "signal: fail\nsecurity_findings: {{critical: 1, high: 0, medium: 0, low: 0}}\n"
    "build_status: pass\ntest_status: fail\n{commit}---\n\nWhat you found.\n\n"
    "If nothing has to be fixed: signal: pass, and no finding.",
}

_role = partial(Role, dialect=NAME, media=MEDIA, document=True)
ROLES = (
    _role(name=TRIAGE, does=Does.CREATES, about=Subject.NOTHING),
    _role(name=PLAN, does=Does.CREATES, about=Subject.NOTHING, after=(TRIAGE,)),
    _role(name="research-result", does=Does.CREATES, about=Subject.NOTHING),
    _role(name=WORK, does=Does.CREATES),
    _role(name="review-verdict", does=Does.CHALLENGES, after=(WORK,)),
    _role(name="audit-verdict", does=Does.CHALLENGES, after=(WORK,)),
    _role(name="orchestrator-message", does=Does.CREATES, about=Subject.NOTHING),
)


class Envelope(Dialect):
    """The dialect: twelve messages in comments and reviews."""

    name = NAME
    reader = "phasegate.dialects.envelope.reader"
    roles = ROLES
    media = MEDIA
    footprint = Footprint(
        triggers=(SIGNAL, *(kind for kind in TYPES if "_" in kind)),
        deciding=(Deciding(key="signal", values=("fail", "blocked", "escalate")),),
    )

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The message in one text."""
        lowered = (text.body or "").lower()
        if not any(trigger in lowered for trigger in self.footprint.triggers):
            return Reading(text=text)
        from phasegate.dialects.envelope.reader import read_envelope  # noqa: PLC0415  (loaded when it is asked for)

        return read_envelope(text, roles)

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """All messages, and whether the research behind a plan is there."""
        if not any(reading.signals for reading in readings):
            return Gathered()
        from phasegate.dialects.envelope.reader import together  # noqa: PLC0415  (loaded when it is asked for)

        return together(readings, around)

    def how_to(self, role: Role) -> HowTo:
        """Front matter of the message's type."""
        kind = next(kind for kind, name in TYPES.items() if name == role.name) if role.name in TYPES.values() else ""
        heading = f"---\ntype: {kind}" if kind else "---"
        below = EXAMPLES.get(kind, "").format(commit="commit: {commit}\n")
        example = f"{heading}\n{below}" if below else ""
        return HowTo(medium=Medium.COMMENT, heading=heading, schema=f"{NAME}/{kind}" if kind else "", example=example)


DIALECT = Envelope()
