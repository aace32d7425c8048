"""Stories of the thehood profile: decisions, work and verification as answers to directives."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

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
    "implementation_result": {"status": "changed",
                              "changed_files": [{"path": "src/auth.py", "change_type": "modified"}]},
    "verification_result": {"verdict": "approve", "summary": "Sessions expire.", "evidence": [DIFF, LOG],
                            "failed_criteria": [], "risks": [{"severity": "low", "description": "Clocks differ."}],
                            "next_action": {"role": "none", "instruction": ""}},
    "qa_result": {"verdict": "pass", "summary": "I would test the clock.", "suggested_commands": ["pytest -k clock"]},
    "critique_result": {"verdict": "acceptable", "blocking_concerns": [], "recommended_next_action": "Go on."},
    "reconciliation_result": {"status": "complete", "completed_plan_items": ["Check the expiry"]},
}  # fmt: skip
RECORDS: dict[str, JSON] = {
    "directive": {"schemaVersion": 1, "kind": "directive", "runId": RUN, "nonce": NONCE},
    "revision_packet": {"schemaVersion": 1, "kind": "revision_packet", "runId": RUN,
                        "createdAt": "2026-03-02T09:30:00Z", "sourceRole": "qa", "reasonCode": "qa_needs_revision",
                        "reason": "The clock is not tested.", "repairObjective": "Test the clock.",
                        "acceptanceCriteria": [], "evidenceRefs": []},
    "fanout": {"schemaVersion": 1, "kind": "fanout", "runId": RUN, "createdAt": "2026-03-02T09:30:00Z",
               "status": "completed",
               "bounds": {"requestedItems": 1, "maxItems": 4, "hardMaxItems": 8, "executedItems": 1,
                          "execution": "sequential"},
               "safety": {"sidecarOnly": True, "readOnlyRolesOnly": True, "canSatisfyRequiredGates": False},
               "items": [{"index": 0, "role": "verifier", "summonKind": "review", "status": "completed"}]},
}  # fmt: skip


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


def records(world: World, /, kind: str, who: str = RUNTIME, on: int | None = None, **changes: object) -> JSON:
    """The runtime leaves a record."""
    place = {} if on is None else {"on": on}
    app = {"app_id": 12345} if who == RUNTIME else {}
    return world.say(who, carried({**RECORDS[kind], **changes}, RECORD), **place, **app)


def decides(world: World, /, who: str = "ana", on: int | None = 12, **changes: Any) -> JSON:  # noqa: ANN401
    """The orchestrator decides, on the issue."""
    return world.say(who, answer("decision", **changes), **({} if on is None else {"on": on}))


def hooded(world: World, /, policy: str = PROFILE, **changes: Any) -> None:  # noqa: ANN401  (of several types)
    """The profile, and a decision that delegates."""
    world.under(policy).then(decides, **changes)


def implements(world: World, /, who: str = "octo-dev", **changes: Any) -> JSON:  # noqa: ANN401  (of several types)
    """The implementer hands in."""
    return world.say(who, answer("implementation_result", **changes))


def verifies(world: World, /, who: str = "ben", **changes: Any) -> JSON:  # noqa: ANN401  (of several types)
    """The verifier judges."""
    return world.say(who, answer("verification_result", **changes))


def leaves(world: World, /, name: str, kind: str, who: str = "ben", path: str = "", **changes: Any) -> None:  # noqa: ANN401
    """An answer is pushed as a file, and the product stays as it is."""
    text = json.dumps(answer_data(kind, **changes), indent=1) + "\n"
    pushes(world, name, who, {path or f".thehood/12/{kind}.json": text})


def pushes(world: World, name: str, who: str, files: Mapping[str, str | None]) -> None:
    """A push of files that leaves the product as it is."""
    world.commits(name, files, who).then(only_the_product)


def only_the_product(world: World) -> None:
    """The pull request changes one source file and evidence, and no tests."""
    world.touches(*sorted(["src/auth.py", *world.trees[-1]]))


@story(phases=GREEN)
def thehood_green(world: World) -> None:
    """Delegated, implemented, approved with a diff and a test log."""
    world.then(hooded).then(implements).then(verifies)


@story(phases=GREEN)
def thehood_in_the_programs_spelling(world: World) -> None:
    """The program writes camelCase, plain references and HTML comments: the same answers."""
    world.under(PROFILE)
    logs = "/home/Jane Doe/shop/.thehood/artifacts/run_7f3c/log"  # as the program names what it captures
    refs = [f"{logs}/git_diff-tool_5b1e.stdout.txt", f"{logs}/validation_test-tool_90aa.stdout.txt"]
    done = {"status": "changed", "changedFiles": ["src/auth.py"], "commandsRun": ["npm test"], "evidenceRefs": refs}
    checked = {"verdict": "approve", "summary": "Fine.", "failedCriteria": [], "risks": [], "evidenceRefs": refs}
    said = {"status": "ok", "summary": "Done."}
    world.says("ana", carried(camel(answer_data("decision")), carrier="html"), on=12)
    world.says("octo-dev", carried({**said, "data": {"implementationResult": done}}, carrier="html"))
    world.says("ben", carried({**said, "data": {"verificationResult": checked}}, carrier="html"))


@story(phases=BUILD_FAILED, codes="PG917", because="Verifier's verdict is invalid")
def thehood_names_tell_nothing(world: World) -> None:
    """Plain references whose names do not say what they are, are no evidence."""
    world.then(hooded).then(implements)
    verifies(world, evidence=[], evidence_refs=["artifact_17", "src/diff.py"])


@story(phases=QA_WAITS, because="Waiting for Test log")
def thehood_no_test_log(world: World) -> None:
    """An approval without a test log passes build, and QA waits for one."""
    world.then(hooded).then(implements).then(verifies, evidence=[DIFF])


@story(phases=GREEN)
def thehood_bug_without_test_log(world: World) -> None:
    """A bug needs no test log."""
    world.label("bug").then(hooded).then(implements).then(verifies, evidence=[DIFF])


@story(phases=BUILD_FAILED, codes="PG917 PG818", because="Verifier's verdict is invalid")
def thehood_tests_without_log(world: World) -> None:
    """A change with tests is not approved without their log."""
    world.then(hooded).touches("src/auth.py", "src/test_auth.py").then(implements)
    verifies(world, evidence=[DIFF])


@story(phases=BUILD_WAITS, because="/gate approve build", codes="PG836 PG818")
def thehood_protected_file(world: World) -> None:
    """A change of protected files waits for a human."""
    world.then(hooded).touches("src/auth.py", "tests/test_auth.py").then(implements).then(verifies)


@story(phases=GREEN, codes="PG836 PG818")
def thehood_protected_file_approved(world: World) -> None:
    """A human has approved it."""
    world.then(hooded).touches("src/auth.py", "tests/test_auth.py").then(implements).then(verifies)
    world.says("mona", "/gate approve build")


@story(phases=BUILD_WAITS, because="/gate approve build", codes="PG836")
def thehood_protected_by_word(world: World) -> None:
    """The implementer tells of a protected file that no pattern has."""
    hooded(world)
    implements(world, protected_file_changes=[{"path": "golden/a.txt", "reason": "The output changed."}])
    verifies(world)


@story(phases=GREEN, codes="PG818")
def thehood_own_patterns(world: World) -> None:
    """The policy protects other files."""
    hooded(world, f"{PROFILE}dialects: {{thehood: {{protected: ['golden/**']}}}}\n")
    world.touches("src/auth.py", "tests/test_auth.py").then(implements).then(verifies)


@story(phases=BUILD_FAILED, because="Verifier failed")
def thehood_revise(world: World) -> None:
    """The verifier asks for a repair."""
    world.then(hooded).then(implements)
    verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(phases=GREEN, codes="PG308")
def thehood_repaired(world: World) -> None:
    """Revised, repaired, captured again and approved."""
    world.then(hooded).then(implements)
    verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])
    world.then(records, "revision_packet", sourceRole="verifier", reasonCode="verifier_revise").push("b")
    world.then(implements).then(verifies)


@story(phases=GREEN, codes="PG308")
def thehood_captured_again(world: World) -> None:
    """Captured again after the packet."""
    world.then(hooded).then(implements).then(verifies).then(records, "revision_packet", on=12).then(implements)
    verifies(world)


@story(phases=GREEN, codes="PG001 PG205 PG308")
def thehood_edited_and_answered(world: World) -> None:
    """An answer was cut off, somebody wrote another one over it, and the verifier answers once more."""
    world.then(hooded).then(implements).then(verifies)
    cut_off = world.say("ben", '```thehood:agent-response\n{"status": "blocked", "summary": "Expired sess\n```\n')
    world.edit(cut_off, answer("decision", action="complete"), "octo-dev").then(verifies)


@story(phases=BUILD_FAILED, because="Verifier failed")
def thehood_abort(world: World) -> None:
    """The verifier gives up: it fails, and a human decides."""
    world.then(hooded).then(implements).then(verifies, verdict="abort")


@story(phases=BUILD_WAITS, because="Verifier says ask_user")
def thehood_ask_user(world: World) -> None:
    """The verifier asks the user."""
    world.then(hooded).then(implements).then(verifies, verdict="ask_user")


@story(phases=GREEN)
def thehood_user_answered(world: World) -> None:
    """The user was asked, and the verifier approves."""
    world.then(hooded).then(implements).then(verifies, verdict="ask_user").then(verifies)


@story(phases=BUILD_WAITS, because="Implementer says no_change")
def thehood_no_change(world: World) -> None:
    """An implementer that changed nothing."""
    world.then(hooded).then(implements, status="no_change", changed_files=[])


@story(phases=PLAN_WAITS, because="/gate approve plan")
def thehood_approval_asked_for(world: World) -> None:
    """The decision asks for a human's approval."""
    hooded(world, approval_request={"required": True, "reason": "It touches sessions.", "options": ["approve"]})


@story(phases=GREEN)
def thehood_plan_approved(world: World) -> None:
    """A human has approved the plan."""
    hooded(world, approval_request={"required": True, "reason": "It touches sessions."})
    world.says("mona", "/gate approve plan", on=12).then(implements).then(verifies)


@story(phases=PLAN_FAILED, because="Orchestrator failed")
def thehood_plan_aborted(world: World) -> None:
    """The orchestrator aborts."""
    world.then(hooded).then(decides, action="abort", reason="Out of scope.")


@story(phases=PLAN_WAITS, because="Orchestrator says revise_plan")
def thehood_plan_revised(world: World) -> None:
    """The plan is being revised."""
    world.then(hooded).then(decides, action="revise_plan")


@story(phases=GREEN)
def thehood_later_steps(world: World) -> None:
    """Later steps of the orchestrator take no plan back."""
    world.then(hooded).then(implements).then(decides, action="verify").then(verifies)
    decides(world, action="complete")


@story(phases=GREEN)
def thehood_advice(world: World) -> None:
    """Advice is shown and decides nothing."""
    world.then(hooded).then(implements).says("ana", answer("qa_result", verdict="needs_revision"))
    world.says("ana", answer("critique_result", verdict="unclear"))
    world.says("ana", answer("reconciliation_result", status="partial")).then(records, "fanout").then(verifies)


@story(phases=GREEN)
def thehood_acknowledged(world: World) -> None:
    """Every answer repeats its directive."""
    world.under(PROFILE).then(records, "directive", on=12).then(decides, thehoodDirectiveAck=ACK)
    world.then(implements, thehoodDirectiveAck=ACK).then(records, "directive", role="verifier", nonce="second")
    verifies(world, thehoodDirectiveAck={**ACK, "nonce": "second"})


@story(phases=BUILD_FAILED, codes="PG832", because="it does not acknowledge the directive")
def thehood_directive_of_the_policy(world: World) -> None:
    """The policy names the run, and an answer repeats nothing."""
    hooded(world, f"{PROFILE}dialects: {{thehood: {{directives: [{{run_id: {RUN}, role: verifier}}]}}}}\n")
    world.then(implements).then(verifies)


@story(phases=GREEN)
def thehood_runs_of_the_policy(world: World) -> None:
    """The policy names the runs of several pull requests."""
    runs = ", ".join(f"{{run_id: {run}, role: verifier}}" for run in (RUN, "run_of_another"))
    world.then(hooded, f"{PROFILE}dialects: {{thehood: {{directives: [{runs}]}}}}\n").then(implements)
    verifies(world, thehoodDirectiveAck=ACK)


@story(phases=GREEN)
def thehood_two_issues(world: World) -> None:
    """Two issues, each planned in a run of its own."""
    world.issue(13)
    world.under(PROFILE)
    for number, run in ((12, RUN), (13, "run_of_13")):
        records(world, "directive", on=number, role="orchestrator", runId=run)
        decides(world, on=number, thehoodDirectiveAck={**ACK, "runId": run})
    world.then(implements).then(verifies)


@story(phases=GREEN, codes="PG308")
def thehood_asked_and_answered_again(world: World) -> None:
    """Asked again, and answered again."""
    world.then(hooded).then(implements)
    for nonce in ("the first", "the second"):
        records(world, "directive", role="verifier", nonce=nonce)
        verifies(world, thehoodDirectiveAck={**ACK, "nonce": nonce})


@story(phases=GREEN, codes="PG830")
def thehood_final_report(world: World) -> None:
    """The runtime ends with a record that the gate does not know: it is said, and takes nothing back."""
    world.then(hooded).then(implements).then(verifies)
    final = {"schemaVersion": 1, "kind": "final_report", "runId": RUN, "stopReason": "approved after one revise"}
    world.says(RUNTIME, carried(final, RECORD), app_id=12345)


@story(phases=GREEN)
def thehood_in_files(world: World) -> None:
    """All answers are files of the branch."""
    world.under(IN_FILES).then(leaves, "p", "decision", "ana").then(leaves, "i", "implementation_result", "ana")
    leaves(world, "v", "verification_result")


@story(phases=GREEN)
def thehood_two_media(world: World) -> None:
    """One seat, a comment and a file: the verifier pushes, the others comment."""
    world.then(hooded, IN_FILES).then(implements).then(leaves, "v", "verification_result")


@story(phases=BUILD_FAILED, codes="PG308", because="Verifier failed")
def thehood_file_after_comment(world: World) -> None:
    """The verifier approved in a comment, and asks for a repair in a file."""
    world.then(hooded, IN_FILES).then(implements).then(verifies)
    leaves(world, "v", "verification_result", verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(phases=BUILD_WAITS, codes="PG308", because="Verifier is stale")
def thehood_file_before_work(world: World) -> None:
    """A file that approves, and work that was handed in after it."""
    world.then(hooded, IN_FILES).then(leaves, "v", "verification_result").then(implements)


@story(phases=GREEN)
def thehood_plan_in_a_file(world: World) -> None:
    """A plan in a file is approved on the issue."""
    world.under(IN_FILES)
    leaves(world, "p", "decision", "ana", approval_request={"required": True, "reason": "It touches sessions."})
    world.says("mona", "/gate approve plan", on=12).then(implements).then(verifies)


@story(phases=PLAN_WAITS, codes="PG708", because="Waiting for Orchestrator")
def thehood_plan_in_another_folder(world: World) -> None:
    """A decision in the folder of an issue that is not linked."""
    world.under(IN_FILES).then(leaves, "p", "decision", "ana", path=".thehood/13/decision.json")


@story(phases=GREEN)
def thehood_quick(world: World) -> None:
    """A quick issue needs only the verifier."""
    world.label("complexity:quick").under(PROFILE).then(verifies)


@story(phases=GREEN)
def thehood_names_commit(world: World) -> None:
    """An answer may name its commit."""
    world.then(hooded).then(implements, commit=commit("a")[:12]).then(verifies, commit=commit("a"))


@story(phases=BUILD_FAILED, codes="PG925", because="Verifier's verdict is invalid")
def thehood_misspelt(world: World) -> None:
    """Keys in two spellings."""
    world.then(hooded).then(implements).then(verifies, failedCriteria=["Expired sessions are refused"])


@story(phases=GREEN, codes="PG001")
def thehood_cut_off_and_again(world: World) -> None:
    """The verifier's answer is cut off, and then it answers again: the implementer need not."""
    world.then(hooded).then(implements)
    world.says("ben", '```thehood:agent-response\n{"status": "ok", "summary": "Expired sess\n```\n')
    world.look("the answer is cut off").then(verifies)


@story(phases=GREEN, codes="PG229")
def thehood_without_runtime(world: World) -> None:
    """Nobody is named as the runtime: a packet is ignored, and says so."""
    world.then(hooded, "version: 1\nprofile: thehood\n").then(implements).then(verifies)
    records(world, "revision_packet", who="ana")


@story(phases=PLAN_WAITS, because="was for earlier content")
def thehood_plan_replaced_in_its_file(world: World) -> None:
    """A human approved the decision, and the file was replaced since."""
    world.under(IN_FILES)
    asked = {"required": True, "reason": "It touches sessions."}
    world.then(leaves, "p", "decision", "ana", approval_request=asked).says("mona", "/gate approve plan", on=12)
    world.then(leaves, "q", "decision", "ana", approval_request=asked, reason="Another plan.").then(implements)
    verifies(world)


@story(phases=BUILD_WAITS, codes="PG022", because="Waiting for Verifier")
def thehood_fanout_claims_a_gate(world: World) -> None:
    """A fan-out that claims to satisfy a gate is a problem, and satisfies none."""
    world.then(hooded).then(implements)
    safety = {"sidecarOnly": True, "readOnlyRolesOnly": True, "canSatisfyRequiredGates": True}
    records(world, "fanout", safety=safety)


@story(phases=GREEN)
def thehood_runtime_tidies_up(world: World) -> None:
    """The runtime deletes a record of its own."""
    world.then(hooded).then(implements).then(verifies).delete(records(world, "fanout"), RUNTIME)


@story(phases=GREEN)
def thehood_answered_after_deletion(world: World) -> None:
    """Answers from after the deletion count."""
    world.then(hooded).delete(records(world, "revision_packet")).then(implements).then(verifies)


@story(phases=GREEN)
def thehood_work_and_file_in_one_push(world: World) -> None:
    """The work is pushed with its result."""
    hooded(world, IN_FILES)
    text = json.dumps(answer_data("implementation_result"))
    world.push("b", evidence={".thehood/12/implementer.json": text}).then(only_the_product)
    leaves(world, "v", "verification_result")


@story(phases=GREEN)
def thehood_approved_after_file_was_taken_out(world: World) -> None:
    """A file that asked for a repair is gone, and the verifier has approved since."""
    world.then(hooded, IN_FILES).then(implements)
    leaves(world, "v", "verification_result", verdict="revise", failed_criteria=["Expired sessions are refused"])
    world.then(pushes, "w", "ben", {".thehood/12/verification_result.json": None}).then(implements)
    verifies(world)


@story(phases=BUILD_WAITS, because="Verifier's BLOCKED was deleted by octo-dev")
def thehood_question_taken_out(world: World) -> None:
    """A file that asks the user is taken out of the branch by another account: an older approval does not count."""
    world.then(hooded, IN_FILES).then(implements).then(verifies)
    leaves(world, "v", "verification_result", verdict="ask_user")
    pushes(world, "w", "octo-dev", {".thehood/12/verification_result.json": None})


@story(phases=GREEN, codes="PG031 PG125 PG229 PG911")
def thehood_marker_mentioned(world: World) -> None:
    """Somebody who never judged speaks of the markers."""
    world.then(hooded).then(only_the_product).then(implements).then(verifies)
    world.says("mona", "The next answer should stand under `thehood:agent-response`. TheHood: runtime was slow today.")
    world.says("mona", "See the docs of TheHood:runtime.")


@story(phases=GREEN)
def thehood_within_the_task(world: World) -> None:
    """The task allows what was changed."""
    hooded(world, task={"allowed_paths": ["src/"], "disallowed_paths": ["infra/"], "tool_permissions": {"edit": True}})
    world.then(implements).then(verifies)


@story(phases=BUILD_FAILED, codes="PG841", because="is changed, and the task's disallowed_paths name it")
def thehood_beyond_the_task(world: World) -> None:
    """A file that the task disallows makes the implementer's answer invalid, whoever approves it."""
    world.then(hooded, task={"disallowed_paths": ["src/**"]}).then(implements).then(verifies)


@story(phases=BUILD_FAILED, codes="PG841", because="is changed, and the task's allowed_paths do not name it")
def thehood_outside_of_the_task(world: World) -> None:
    """A file that is none of those that the task allows."""
    world.then(hooded, task={"allowed_paths": ["docs/"]}).then(implements).then(verifies)


@story(phases=BUILD_FAILED, codes="PG841", because="the task has tool_permissions.edit: false")
def thehood_edits_without_permission(world: World) -> None:
    """A task without the permission to edit, and a change."""
    world.then(hooded, task={"tool_permissions": {"edit": False}}).then(implements).then(verifies)


@story(phases=GREEN, codes="PG818")
def thehood_other_files_told(world: World) -> None:
    """The implementer names a file that is not changed: shown, and it decides nothing."""
    world.then(hooded).then(implements, changed_files=["src/auth.py", "src/cart.py"]).then(verifies)


@story(phases=BUILD_WAITS, because="Waiting for Verifier")
def thehood_advice_alone(world: World) -> None:
    """What QA tester and critic say takes nobody's place."""
    world.then(hooded).then(implements).says("ben", answer("qa_result")).says("ben", answer("critique_result"))


@story(phases=BUILD_FAILED, because="Escalated")
def thehood_four_rounds(world: World) -> None:
    """The verifier has asked for a repair once too often."""
    hooded(world)
    for number in range(4):
        if number:
            world.push(f"c{number}")
        implements(world)
        verifies(world, verdict="revise", failed_criteria=["Expired sessions are refused"])


@story(phases="pending pending pending", because='Orchestrator says delegate, but next_role is "critic"')
def thehood_delegates_to_the_critic(world: World) -> None:
    """A delegation to the critic is no plan of the work, and the status says so."""
    world.then(hooded, next_role="critic").then(implements).then(verifies)
