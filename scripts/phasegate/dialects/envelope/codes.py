"""PG82x: what can be wrong with envelopes beyond what their description tells."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG820",
        title="An envelope that cannot be routed",
        severity=ERROR,
        why="An envelope is routed by its type and its signal. One that has no such signal, or a type that nobody "
        "knows, may hold anything, and an agent that wrote it wanted to say something.",
        fix="Begin the text with a line ---, write type and signal as plain keys with exact values in lower case, and "
        "end the envelope with a second line ---.",
        bad='---\n"type": review_verdict\n"signal": fail\n---',
        good="---\ntype: review_verdict\nsignal: fail\ncritical_count: 1\nac_coverage: {AC1: pass}\n---",
    ),
    Entry(
        code="PG821",
        title="Fewer research results than the triage asked for",
        severity=WARNING,
        adjustable=True,
        why="The triage says how many questions must be answered before the plan is made. A plan without the answers "
        "stands on assumptions.",
        fix="Post a research_result for each question, then the plan_result again.",
        bad="research_count: 3, and one research_result before plan_complete",
        good="research_count: 3, and three of them before plan_complete",
    ),
    Entry(
        code="PG822",
        title="The plan stands on research that was not verified",
        severity=WARNING,
        adjustable=True,
        why="An answer that nobody has verified may be wrong, and with it the plan. Whoever approves it should know.",
        fix="Verify the answer and post the research_result again, or accept the assumption.",
        bad="verified: false",
        good="verified: true",
    ),
    Entry(
        code="PG823",
        title="The body of a message lacks a section",
        severity=NOTICE,
        adjustable=True,
        why="The envelope routes a message, and its body says the rest. Whoever reads it next looks for it in sections "
        "with these names.",
        fix="Add the section that the message names.",
        bad="a worker_submission without ## Self-Assessment",
        good="a worker_submission with ## Result and ## Self-Assessment",
    ),
    Entry(
        code="PG824",
        title="An audit passes with something left open",
        severity=NOTICE,
        adjustable=True,
        why="Versions of the message schema disagree whether high findings, a failed type check, tests that "
        "ran in part or a check that was skipped go with a pass. The oldest says nothing, so this is a setting.",
        fix="Let the auditor fail the work or pass it with notes; or make this an error under rules in the policy.",
        bad="signal: pass, security_findings: {critical: 0, high: 2, medium: 0, low: 0}",
        good="signal: fail, security_findings: {critical: 0, high: 2, medium: 0, low: 0}",
    ),
)
