"""Stories of the thehood profile: decisions, work and verification as answers to directives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.casebook.history import deletes
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import JSON, World, commit

RUNTIME = "jkz-runner[bot]"
ACCOUNTS = f"agents: {{accounts: [{{login: '{RUNTIME}', id: 987, roles: [runtime]}}]}}\n"
PROFILE = f"version: 1\nprofile: thehood\n{ACCOUNTS}"
IN_FILES = f"{PROFILE}dialects: {{thehood: {{files: '.thehood/{{folder}}/{{name}}.json'}}}}\n"
PLAN_WAITS, PLAN_FAILED = "pending pending pending", "failure pending pending"
MARKER, RECORD = "thehood:agent-response", "thehood:runtime"
RUN, NONCE = "run_7f3c", "directive_ack_91d2"
ACK = {"runId": RUN, "nonce": NONCE, "responseField": "thehoodDirectiveAck"}
DIFF = {"kind": "diff", "ref": "runs/7f3c/diff.patch", "finding": "The expiry is compared."}
LOG = {"kind": "test_log", "ref": "runs/7f3c/test.log", "finding": "42 passed"}
PAYLOADS: dict[str, JSON] = {
    "decision": {"action": "delegate", "reason": "The plan is ready.", "next_role": "implementer"},
    "implementation_result": {
        "status": "changed",
        "changed_files": [{"path": "src/auth.py", "change_type": "modified"}],
    },
    "verification_result": {
        "verdict": "approve",
        "summary": "Sessions expire.",
        "evidence": [DIFF, LOG],
        "failed_criteria": [],
        "risks": [{"severity": "low", "description": "Clocks differ."}],
        "next_action": {"role": "none", "instruction": ""},
    },
    "qa_result": {"verdict": "pass", "summary": "I would test the clock.", "suggested_commands": ["pytest -k clock"]},
    "critique_result": {"verdict": "acceptable", "blocking_concerns": [], "recommended_next_action": "Go on."},
    "reconciliation_result": {"status": "complete", "completed_plan_items": ["Check the expiry"]},
}
RECORDS: dict[str, JSON] = {
    "directive": {"schemaVersion": 1, "kind": "directive", "runId": RUN, "nonce": NONCE},
    "revision_packet": {
        "schemaVersion": 1,
        "kind": "revision_packet",
        "runId": RUN,
        "createdAt": "2026-03-02T09:30:00Z",
        "sourceRole": "qa",
        "reasonCode": "qa_needs_revision",
        "reason": "The clock is not tested.",
        "repairObjective": "Test the clock.",
        "acceptanceCriteria": [],
        "evidenceRefs": [],
    },
    "fanout": {
        "schemaVersion": 1,
        "kind": "fanout",
        "runId": RUN,
        "createdAt": "2026-03-02T09:30:00Z",
        "status": "completed",
        "bounds": {
            "requestedItems": 1,
            "maxItems": 4,
            "hardMaxItems": 8,
            "executedItems": 1,
            "execution": "sequential",
        },
        "safety": {"sidecarOnly": True, "readOnlyRolesOnly": True, "canSatisfyRequiredGates": False},
        "items": [{"index": 0, "role": "verifier", "summonKind": "review", "status": "completed"}],
    },
}


def answer_data(kind: str, *, answered: str = "ok", **changes: object) -> JSON:
    """An answer that breaks no rule, unless something else is told."""
    return {"status": answered, "summary": "What I did, in short.", "data": {kind: {**PAYLOADS[kind], **changes}}}


def carried(data: Mapping[str, Any], marker: str = MARKER, carrier: str = "fence") -> str:
    """A comment that carries an answer or a record."""
    text = json.dumps(data, indent=1)
    return f"<!-- {marker}\n{text}\n-->\n" if carrier == "html" else f"What I did.\n\n```{marker}\n{text}\n```\n"


def answer(kind: str, **changes: Any) -> str:  # noqa: ANN401  (of several types)
    """A comment with an answer."""
    return carried(answer_data(kind, **changes))


def camel(value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """The same with its keys as the program spells them."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {re.sub(r"_([a-z])", lambda match: match[1].upper(), key): camel(inner) for key, inner in value.items()}


def records(world: World, kind: str, who: str = RUNTIME, on: int | None = None, **changes: object) -> JSON:
    """The runtime leaves a record."""
    place = {} if on is None else {"on": on}
    app = {"app_id": 12345} if who == RUNTIME else {}
    return world.say(who, carried({**RECORDS[kind], **changes}, RECORD), **place, **app)


def decides(world: World, who: str = "ana", on: int | None = 12, **changes: Any) -> JSON:  # noqa: ANN401
    """The orchestrator decides, on the issue."""
    return world.say(who, answer("decision", **changes), **({} if on is None else {"on": on}))


def hooded(world: World, policy: str = PROFILE, **changes: Any) -> None:  # noqa: ANN401  (of several types)
    """The profile, and a decision that delegates."""
    world.policy = policy
    decides(world, **changes)


def implements(world: World, who: str = "octo-dev", **changes: Any) -> JSON:  # noqa: ANN401  (of several types)
    """The implementer hands in."""
    return world.say(who, answer("implementation_result", **changes))


def verifies(world: World, who: str = "ben", **changes: Any) -> JSON:  # noqa: ANN401  (of several types)
    """The verifier judges."""
    return world.say(who, answer("verification_result", **changes))


def leaves(world: World, name: str, kind: str, who: str = "ben", path: str = "", **changes: Any) -> None:  # noqa: ANN401
    """An answer is pushed as a file, and the product stays as it is."""
    text = json.dumps(answer_data(kind, **changes), indent=1) + "\n"
    pushes(world, name, who, {path or f".thehood/12/{kind}.json": text})


def pushes(world: World, name: str, who: str, files: Mapping[str, str | None]) -> None:
    """A push of files that leaves the product as it is."""
    content = world.contents[commit(world.head)]
    world.push(name, by=who, evidence=files)
    world.contents[commit(name)] = content
    only_the_product(world)


def only_the_product(world: World) -> None:
    """The pull request changes one source file and evidence, and no tests."""
    entries = [{"path": path} for path in sorted(["src/auth.py", *world.trees[-1]])]
    world.changes["files"] = {"complete": True, "entries": entries}


def touches(world: World, *paths: str) -> None:
    """The pull request changes these files."""
    world.changes["files"] = {"complete": True, "entries": [{"path": path} for path in paths]}


@story("thehood-green", "Delegated, implemented, approved with a diff and a test log.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world)


@story(
    "thehood-in-the-programs-spelling",
    "The program writes camelCase, plain references and HTML comments: the same answers.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = PROFILE
    logs = "/home/Jane Doe/shop/.thehood/artifacts/run_7f3c/log"  # as the program names what it captures
    refs = [f"{logs}/git_diff-tool_5b1e.stdout.txt", f"{logs}/validation_test-tool_90aa.stdout.txt"]
    done = {"status": "changed", "changedFiles": ["src/auth.py"], "commandsRun": ["npm test"], "evidenceRefs": refs}
    checked = {"verdict": "approve", "summary": "Fine.", "failedCriteria": [], "risks": [], "evidenceRefs": refs}
    said = {"status": "ok", "summary": "Done."}
    world.say("ana", carried(camel(answer_data("decision")), carrier="html"), on=12)
    world.say("octo-dev", carried({**said, "data": {"implementationResult": done}}, carrier="html"))
    world.say("ben", carried({**said, "data": {"verificationResult": checked}}, carrier="html"))


@story(
    "thehood-names-tell-nothing",
    "Plain references whose names do not say what they are, are no evidence.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG917",
    because="Verifier's verdict is invalid",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, evidence=[], evidence_refs=["artifact_17", "src/diff.py"])


@story(
    "thehood-no-test-log",
    "An approval without a test log passes build, and QA waits for one.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Test log",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, evidence=[DIFF])


@story("thehood-bug-without-test-log", "A bug needs no test log.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug")
    hooded(world)
    implements(world)
    verifies(world, evidence=[DIFF])


@story(
    "thehood-tests-without-log",
    "A change with tests is not approved without their log.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG917 PG818",
    because="Verifier's verdict is invalid",
)
def _(world: World) -> None:
    hooded(world)
    touches(world, "src/auth.py", "src/test_auth.py")
    implements(world)
    verifies(world, evidence=[DIFF])


@story(
    "thehood-protected-file",
    "A change of protected files waits for a human.",
    state="pending",
    phases=BUILD_WAITS,
    because="/gate approve build",
    codes="PG836 PG818",
)
def _(world: World) -> None:
    hooded(world)
    touches(world, "src/auth.py", "tests/test_auth.py")
    implements(world)
    verifies(world)


@story(
    "thehood-protected-file-approved", "A human has approved it.", state="success", phases=GREEN, codes="PG836 PG818"
)
def _(world: World) -> None:
    hooded(world)
    touches(world, "src/auth.py", "tests/test_auth.py")
    implements(world)
    verifies(world)
    world.say("mona", "/gate approve build")


@story(
    "thehood-protected-by-word",
    "The implementer tells of a protected file that no pattern has.",
    state="pending",
    phases=BUILD_WAITS,
    because="/gate approve build",
    codes="PG836",
)
def _(world: World) -> None:
    hooded(world)
    implements(world, protected_file_changes=[{"path": "golden/a.txt", "reason": "The output changed."}])
    verifies(world)


@story("thehood-own-patterns", "The policy protects other files.", state="success", phases=GREEN, codes="PG818")
def _(world: World) -> None:
    hooded(world, f"{PROFILE}dialects: {{thehood: {{protected: ['golden/**']}}}}\n")
    touches(world, "src/auth.py", "tests/test_auth.py")
    implements(world)
    verifies(world)


@story(
    "thehood-revise", "The verifier asks for a repair.", state="failure", phases=BUILD_FAILED, because="Verifier failed"
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(
    "thehood-repaired", "Revised, repaired, captured again and approved.", state="success", phases=GREEN, codes="PG308"
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])
    records(world, "revision_packet", sourceRole="verifier", reasonCode="verifier_revise")
    world.push("b")
    implements(world)
    verifies(world)


@story(
    "thehood-after-packet",
    "After a revision packet what was approved before is stale, though nothing was pushed.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG308",
    because="Implementer is stale",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world)
    records(world, "revision_packet")


@story("thehood-captured-again", "Captured again after the packet.", state="success", phases=GREEN, codes="PG308")
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world)
    records(world, "revision_packet", on=12)
    implements(world)
    verifies(world)


@story(
    "thehood-abort",
    "The verifier gives up: it fails, and a human decides.",
    state="failure",
    phases=BUILD_FAILED,
    because="Verifier failed",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, verdict="abort")


@story(
    "thehood-ask-user",
    "The verifier asks the user.",
    state="pending",
    phases=BUILD_WAITS,
    because="Verifier says ask_user",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, verdict="ask_user")


@story("thehood-user-answered", "The user was asked, and the verifier approves.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, verdict="ask_user")
    verifies(world)


@story(
    "thehood-no-change",
    "An implementer that changed nothing.",
    state="pending",
    phases=BUILD_WAITS,
    because="Implementer says no_change",
)
def _(world: World) -> None:
    hooded(world)
    implements(world, status="no_change", changed_files=[])


@story(
    "thehood-approval-asked-for",
    "The decision asks for a human's approval.",
    state="pending",
    phases=PLAN_WAITS,
    because="/gate approve plan",
)
def _(world: World) -> None:
    hooded(world, approval_request={"required": True, "reason": "It touches sessions.", "options": ["approve"]})


@story("thehood-plan-approved", "A human has approved the plan.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world, approval_request={"required": True, "reason": "It touches sessions."})
    world.say("mona", "/gate approve plan", on=12)
    implements(world)
    verifies(world)


@story(
    "thehood-plan-aborted",
    "The orchestrator aborts.",
    state="failure",
    phases=PLAN_FAILED,
    because="Orchestrator failed",
)
def _(world: World) -> None:
    hooded(world)
    decides(world, action="abort", reason="Out of scope.")


@story(
    "thehood-plan-revised",
    "The plan is being revised.",
    state="pending",
    phases=PLAN_WAITS,
    because="Orchestrator says revise_plan",
)
def _(world: World) -> None:
    hooded(world)
    decides(world, action="revise_plan")


@story("thehood-later-steps", "Later steps of the orchestrator take no plan back.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    decides(world, action="verify")
    verifies(world)
    decides(world, action="complete")


@story("thehood-advice", "Advice is shown and decides nothing.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    world.say("ana", answer("qa_result", verdict="needs_revision"))
    world.say("ana", answer("critique_result", verdict="unclear"))
    world.say("ana", answer("reconciliation_result", status="partial"))
    records(world, "fanout")
    verifies(world)


@story("thehood-acknowledged", "Every answer repeats its directive.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = PROFILE
    records(world, "directive", on=12)
    decides(world, thehoodDirectiveAck=ACK)
    implements(world, thehoodDirectiveAck=ACK)
    records(world, "directive", role="verifier", nonce="second")
    verifies(world, thehoodDirectiveAck={**ACK, "nonce": "second"})


@story(
    "thehood-directive-of-the-policy",
    "The policy names the run, and an answer repeats nothing.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG832",
    because="it acknowledges no directive",
)
def _(world: World) -> None:
    hooded(world, f"{PROFILE}dialects: {{thehood: {{directives: [{{run_id: {RUN}, role: verifier}}]}}}}\n")
    implements(world)
    verifies(world)


@story(
    "thehood-runs-of-the-policy", "The policy names the runs of several pull requests.", state="success", phases=GREEN
)
def _(world: World) -> None:
    runs = ", ".join(f"{{run_id: {run}, role: verifier}}" for run in (RUN, "run_of_another"))
    hooded(world, f"{PROFILE}dialects: {{thehood: {{directives: [{runs}]}}}}\n")
    implements(world)
    verifies(world, thehoodDirectiveAck=ACK)


@story("thehood-two-issues", "Two issues, each planned in a run of its own.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issue(13)
    world.policy = PROFILE
    for number, run in ((12, RUN), (13, "run_of_13")):
        records(world, "directive", on=number, role="orchestrator", runId=run)
        decides(world, on=number, thehoodDirectiveAck={**ACK, "runId": run})
    implements(world)
    verifies(world)


@story(
    "thehood-asked-and-answered-again", "Asked again, and answered again.", state="success", phases=GREEN, codes="PG308"
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    for nonce in ("the first", "the second"):
        records(world, "directive", role="verifier", nonce=nonce)
        verifies(world, thehoodDirectiveAck={**ACK, "nonce": nonce})


@story(
    "thehood-final-report",
    "The runtime ends with a record that the gate does not know: it is said, and takes nothing back.",
    state="success",
    phases=GREEN,
    codes="PG830",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world)
    final = {"schemaVersion": 1, "kind": "final_report", "runId": RUN, "stopReason": "approved after one revise"}
    world.say(RUNTIME, carried(final, RECORD), app_id=12345)


@story("thehood-in-files", "All answers are files of the branch.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = IN_FILES
    leaves(world, "p", "decision", "ana")
    leaves(world, "i", "implementation_result", "ana")
    leaves(world, "v", "verification_result")


@story(
    "thehood-two-media",
    "One seat, a comment and a file: the verifier pushes, the others comment.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    implements(world)
    leaves(world, "v", "verification_result")


@story(
    "thehood-file-after-comment",
    "The verifier approved in a comment, and asks for a repair in a file.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG308",
    because="Verifier failed",
)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    implements(world)
    verifies(world)
    leaves(world, "v", "verification_result", verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(
    "thehood-file-before-work",
    "A file that approves, and work that was handed in after it.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG308",
    because="Verifier is stale",
)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    leaves(world, "v", "verification_result")
    implements(world)


@story("thehood-plan-in-a-file", "A plan in a file is approved on the issue.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = IN_FILES
    leaves(world, "p", "decision", "ana", approval_request={"required": True, "reason": "It touches sessions."})
    world.say("mona", "/gate approve plan", on=12)
    implements(world)
    verifies(world)


@story(
    "thehood-plan-in-another-folder",
    "A decision in the folder of an issue that is not linked.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG708",
    because="Waiting for Orchestrator",
)
def _(world: World) -> None:
    world.policy = IN_FILES
    leaves(world, "p", "decision", "ana", path=".thehood/13/decision.json")


@story("thehood-quick", "A quick issue needs only the verifier.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("complexity:quick")
    world.policy = PROFILE
    verifies(world)


@story("thehood-names-commit", "An answer may name its commit.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world, commit=commit("a")[:12])
    verifies(world, commit=commit("a"))


@story(
    "thehood-misspelt",
    "Keys in two spellings.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG925",
    because="Verifier's verdict is invalid",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world, failedCriteria=["Expired sessions are refused"])


@story(
    "thehood-cut-off-and-again",
    "The verifier's answer is cut off, and then it answers again: the implementer need not.",
    state="success",
    phases=GREEN,
    codes="PG001",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    world.say("ben", '```thehood:agent-response\n{"status": "ok", "summary": "Expired sess\n```\n')
    world.look("the answer is cut off")
    verifies(world)


@story(
    "thehood-without-runtime",
    "Nobody is named as the runtime: a packet is ignored, and says so.",
    state="success",
    phases=GREEN,
    codes="PG229",
)
def _(world: World) -> None:
    hooded(world, "version: 1\nprofile: thehood\n")
    implements(world)
    verifies(world)
    records(world, "revision_packet", who="ana")


@story(
    "thehood-plan-replaced-in-its-file",
    "A human approved the decision, and the file was replaced since.",
    state="pending",
    phases=PLAN_WAITS,
    because="was for earlier content",
)
def _(world: World) -> None:
    world.policy = IN_FILES
    asked = {"required": True, "reason": "It touches sessions."}
    leaves(world, "p", "decision", "ana", approval_request=asked)
    world.say("mona", "/gate approve plan", on=12)
    leaves(world, "q", "decision", "ana", approval_request=asked, reason="Another plan.")
    implements(world)
    verifies(world)


@story(
    "thehood-fanout-claims-a-gate",
    "A fan-out that claims to satisfy a gate is a problem, and satisfies none.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG022",
    because="Waiting for Verifier",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    safety = {"sidecarOnly": True, "readOnlyRolesOnly": True, "canSatisfyRequiredGates": True}
    records(world, "fanout", safety=safety)


@story("thehood-runtime-tidies-up", "The runtime deletes a record of its own.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    verifies(world)
    deletes(world, records(world, "fanout"), RUNTIME)


@story("thehood-answered-after-deletion", "Answers from after the deletion count.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world)
    deletes(world, records(world, "revision_packet"))
    implements(world)
    verifies(world)


@story("thehood-work-and-file-in-one-push", "The work is pushed with its result.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    text = json.dumps(answer_data("implementation_result"))
    world.push("b", evidence={".thehood/12/implementer.json": text})
    only_the_product(world)
    leaves(world, "v", "verification_result")


@story(
    "thehood-approved-after-file-was-taken-out",
    "A file that asked for a repair is gone, and the verifier has approved since.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    implements(world)
    leaves(world, "v", "verification_result", verdict="revise", failed_criteria=["Expired sessions are refused"])
    pushes(world, "w", "ben", {".thehood/12/verification_result.json": None})
    implements(world)
    verifies(world)


@story(
    "thehood-question-taken-out",
    "A file that asks the user is taken out of the branch by another account: an older approval does not count.",
    state="pending",
    phases=BUILD_WAITS,
    because="Verifier's BLOCKED was deleted by octo-dev",
)
def _(world: World) -> None:
    hooded(world, IN_FILES)
    implements(world)
    verifies(world)
    leaves(world, "v", "verification_result", verdict="ask_user")
    pushes(world, "w", "octo-dev", {".thehood/12/verification_result.json": None})


@story(
    "thehood-marker-mentioned",
    "Somebody who never judged speaks of the markers.",
    state="success",
    phases=GREEN,
    codes="PG031 PG125 PG229 PG911",
)
def _(world: World) -> None:
    hooded(world)
    only_the_product(world)
    implements(world)
    verifies(world)
    world.say("mona", "The next answer should stand under `thehood:agent-response`. TheHood: runtime was slow today.")
    world.say("mona", "See the docs of TheHood:runtime.")


@story("thehood-within-the-task", "The task allows what was changed.", state="success", phases=GREEN)
def _(world: World) -> None:
    hooded(world, task={"allowed_paths": ["src/"], "disallowed_paths": ["infra/"], "tool_permissions": {"edit": True}})
    implements(world)
    verifies(world)


@story(
    "thehood-beyond-the-task",
    "A file that the task disallows makes the implementer's answer invalid, whoever approves it.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG841",
    because="is changed, and the task's disallowed_paths name it",
)
def _(world: World) -> None:
    hooded(world, task={"disallowed_paths": ["src/**"]})
    implements(world)
    verifies(world)


@story(
    "thehood-outside-of-the-task",
    "A file that is none of those that the task allows.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG841",
    because="is changed, and the task's allowed_paths do not name it",
)
def _(world: World) -> None:
    hooded(world, task={"allowed_paths": ["docs/"]})
    implements(world)
    verifies(world)


@story(
    "thehood-edits-without-permission",
    "A task without the permission to edit, and a change.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG841",
    because="the task has tool_permissions.edit: false",
)
def _(world: World) -> None:
    hooded(world, task={"tool_permissions": {"edit": False}})
    implements(world)
    verifies(world)


@story(
    "thehood-other-files-told",
    "The implementer names a file that is not changed: shown, and it decides nothing.",
    state="success",
    phases=GREEN,
    codes="PG818",
)
def _(world: World) -> None:
    hooded(world)
    implements(world, changed_files=["src/auth.py", "src/cart.py"])
    verifies(world)


@story(
    "thehood-advice-alone",
    "What QA tester and critic say takes nobody's place.",
    state="pending",
    phases=BUILD_WAITS,
    because="Waiting for Verifier",
)
def _(world: World) -> None:
    hooded(world)
    implements(world)
    world.say("ben", answer("qa_result"))
    world.say("ben", answer("critique_result"))


@story(
    "thehood-four-rounds",
    "The verifier has asked for a repair once too often.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated",
)
def _(world: World) -> None:
    hooded(world)
    for number in range(4):
        if number:
            world.push(f"c{number}")
        implements(world)
        verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(
    "thehood-delegates-to-the-critic",
    "A delegation to the critic is no plan of the work, and the status says so.",
    state="pending",
    phases="pending pending pending",
    because='Orchestrator says delegate, but next_role is "critic"',
)
def _(world: World) -> None:
    hooded(world, next_role="critic")
    implements(world)
    verifies(world)
