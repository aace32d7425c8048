"""Evidence: results that say PASS and are none, and work beyond its plan."""

from __future__ import annotations

import json
from functools import partial

from tests.casebook.attacks.attack import WAITING
from tests.casebook.attacks.evidence import evidence, fails
from tests.casebook.drift import STORIES
from tests.casebook.evidence import FOLDER, files, plan, results, review, worker
from tests.casebook.pipeline import ALONE, piped, reviewed, worked
from tests.casebook.story import QA_WAITS
from tests.casebook.world import World

SECOND_ONLY = """version: 1
phases: {qa: {roles: [], human_approval: false, artifacts: ["test-result.json#phase_2"]}}
"""


@fails(codes="PG002", defence="strict-artifacts", because="test-result.json is invalid")
def two_verdicts_in_one_file(world: World) -> None:
    """The file says FAIL and PASS; which one counts depends on the reader."""
    worked(world)
    text = results().replace('"verdict": "PASS"', '"verdict": "FAIL",\n  "verdict": "PASS"', 1)
    world.leaves("t", test=text).leaves("r", review=review())


@evidence(
    phases="success failure failure", codes="PG730", defence="verdict-agrees", because="test-result.json is invalid"
)
def pass_over_a_failed_check(world: World) -> None:
    """The verdict is PASS, and the check beneath it failed."""
    worked(world)
    checks = {"lint": {"result": "PASS"}, "test": {"result": "FAIL"}}
    world.leaves("t", test=results(phase_1=checks)).leaves("r", review=review())


@fails(codes="PG720 PG722", defence="scope", because="worker-result.json is invalid")
def smuggled_file(world: World) -> None:
    """A file that nobody planned or reported is among the changes."""
    reviewed(world)
    entries = [*world.snapshot()["files"]["entries"], {"path": "src/backdoor.py", "status": "added"}]
    world.touches(*entries)


@fails(codes="PG720 PG722", defence="both-names", because="worker-result.json is invalid")
def removed_by_a_rename(world: World) -> None:
    """A rename onto a planned file takes an unplanned one away."""
    reviewed(world)
    entries = world.snapshot()["files"]["entries"]
    moved = {"path": "src/auth.py", "status": "renamed", "previous_path": "src/guard.py"}
    kept = [entry for entry in entries if entry["path"] != "src/auth.py"]
    world.touches(*kept, moved)


@evidence(phases=QA_WAITS, defence="something-was-run", because="no check in it ran")
def second_phase_of_nothing(world: World) -> None:
    """The second phase is there, and nothing in it was run."""
    world.then(worked).leaves("t", test=results(second="SKIP")).leaves("r", review=review())


@fails(
    codes="PG701 PG705 PG730",
    defence="one-shape",
    because="test-result.json is invalid",
    phases="success failure failure",
)
def check_beside_a_tool(world: World) -> None:
    """A failed check is hidden beside a tool that ended well."""
    worked(world)
    checks = {"tool": "pytest", "exit_code": 0, "lint": {"result": "FAIL", "output": "boom"}}
    world.leaves("t", test=results(phase_1=checks)).leaves("r", review=review())


@evidence(phases=WAITING, codes="PG235", defence="whole-list", because="does not list all changed files")
def files_beyond_the_list(world: World) -> None:
    """More files are changed than GitHub lists, so that one could be beyond the plan."""
    world.under(f"{ALONE}instructions: {{guard: false}}\n")
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("b", None, by="ana", evidence=texts)
    world.touches(*world.snapshot()["files"]["entries"], complete=False)


@evidence(phases=QA_WAITS, defence="something-was-run", because="phase_2")
def second_phase_without_a_first(world: World) -> None:
    """The second phase has passed what the first one skipped."""
    world.under(SECOND_ONLY).push("b")
    checks = {"test": {"result": "SKIP", "output": None}}
    world.leaves("t", test=results("SKIP", "PASS", phase_1=checks)).planned().built()


@fails(codes="PG771", defence="tiers", because="is invalid")
def tier_too_low(world: World) -> None:
    """A complex issue is handed to the fast tier, which passes it."""
    world.label("complexity:complex").then(piped).leaves("p", plan=plan()).leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=json.dumps({**json.loads(review()), "tier_used": "fast"}, indent=2) + "\n")


def _result(world: World, text: str, reviewed_as: str = "") -> None:
    """A test result as told, and everything else green."""
    world.then(worked).leaves("t", test=text).leaves("r", review=reviewed_as or review())


def _with(text: str, **keys: object) -> str:
    return json.dumps({**json.loads(text), **keys}, indent=2) + "\n"


def _told_beside(key: str, told: object, world: World) -> None:
    _result(world, _with(results(), **{key: told}))


def _reviewed_beside(key: str, told: object, world: World) -> None:
    _result(world, results(), _with(review(), **{key: told}))


def _checked_beside(told: dict[str, object], world: World) -> None:
    _result(world, results(phase_1={"test": {"result": "PASS", "output": None, **told}}))


FAILED = {"e2e": {"result": "FAIL", "output": None}}
KEYS, WORDS = "artifact-keys", "no-other-words-in-files"
NO = False


@evidence(
    phases="success failure failure", codes="PG025", defence="artifact-keys", because="test-result.json is invalid"
)
def two_verdicts_in_other_letters(world: World) -> None:
    """The file says PASS to a machine and FAIL to a reader."""
    _result(world, _with(results(), Verdict="FAIL"))


BESIDE = (
    ("second-phase-in-one-word", "The second phase failed under a key without its line.",
     partial(_told_beside, "phase2", FAILED), "PG025", KEYS),
    ("result-says-otherwise", "Another key of the result says that it failed.", partial(_told_beside, "status", "FAIL"),
     "PG730", WORDS),
    ("exit-code-in-one-word", "A check passed, and its exit code beside it says that it did not.",
     partial(_checked_beside, {"exitCode": 1}), "PG025", KEYS),
    ("check-says-otherwise", "A check passed under one key and failed under another.",
     partial(_checked_beside, {"verdict": "FAIL"}), "PG730", WORDS),
    ("result-says-no", "Another key of the result says no.", partial(_told_beside, "passed", NO), "PG730", WORDS),
    ("check-says-no", "A check passed under one key, and another one says that it was no success.",
     partial(_checked_beside, {"success": False}), "PG730", WORDS),
    ("check-counts-failures", "A check passed, and counts what failed.",
     partial(_checked_beside, {"passed": 41, "failed": 1}), "PG730", WORDS),
    ("check-within-a-check", "A check passed, and one of the checks that it is made of did not.",
     partial(_checked_beside, {"suites": {"unit": {"result": "PASS"}, "e2e": {"result": "FAIL"}}}), "PG730", WORDS),
    ("check-timed-out", "A check passed under one key and ran out of time under another.",
     partial(_checked_beside, {"conclusion": "timed_out"}), "PG730", WORDS),
    ("third-phase", "A phase failed that the format does not have.", partial(_told_beside, "phase_3", FAILED), "PG730",
     WORDS),
    ("result-counts-failures", "The result passed, and counts the tests that failed.",
     partial(_told_beside, "tests_failed", 3), "PG730", WORDS),
    ("failures-in-a-list-of-ones-own", "The result passed, and one of the checks that it lists besides did not.",
     partial(_told_beside, "details", [{"name": "unit", "result": "PASS"}, {"name": "e2e", "status": "failed"}]),
     "PG730", WORDS),
    ("check-did-not-run", "A check passed that was not run.", partial(_checked_beside, {"ran": False}), "PG730", WORDS),
    ("check-of-no-tests", "A check passed in which no test was run.",
     partial(_checked_beside, {"output": {"tests_run": 0}}), "PG730", WORDS),
    ("check-skipped", "A check passed that was skipped.", partial(_checked_beside, {"skipped": True}), "PG730", WORDS),
    ("actual-verdict", "The result passed, and says beside it what its verdict was.",
     partial(_told_beside, "actual_verdict", "FAIL"), "PG730", WORDS),
    ("in-the-end-it-failed", "The result passed, and its last word is that it did not.",
     partial(_told_beside, "final_verdict", "FAIL"), "PG730", WORDS),
)  # fmt: skip
for name, says, tell, code, stops in BESIDE:
    evidence(
        name,
        says,
        phases="success failure failure",
        codes=code if code == "PG025" or name == "check-of-no-tests" else "PG701 PG730",
        defence=stops,
        because="test-result.json is invalid",
    )(tell)


@fails(codes="PG025", defence="artifact-keys", because="review-result.json is invalid")
def one_blocker(world: World) -> None:
    """The blocker stands under a key for one of them."""
    found = [{"file": "src/auth.py", "line": "3", "description": "The token is never checked"}]
    _result(world, results(), _with(review(), blocker=found))


@fails(codes="PG701 PG730", defence="no-other-words-in-files", because="review-result.json is invalid")
def review_says_otherwise(world: World) -> None:
    """The review passes under one key and blocks under another."""
    _result(world, results(), _with(review(), decision="Rejected"))


for name, says, key, code, stops in (
    ("blockers-with-a-digit", "The blockers stand under a key with a 1 for an l.", "b1ockers", "PG025", KEYS),
    ("blockers-misspelt", "The blockers stand under a key that lacks a letter.", "blokers", "PG025", KEYS),
    ("blockers-called-otherwise", "The blockers stand under another name.", "must_fix", "PG730", WORDS),
):
    codes = code if code == "PG025" else "PG701 PG730"
    fails(name, says, codes=codes, defence=stops, because="review-result.json is invalid")(
        partial(_reviewed_beside, key, ["The token is never checked"])
    )


@fails(codes="PG701 PG730", defence="no-other-words-in-files", because="worker-result.json is invalid")
def worker_is_not_done(world: World) -> None:
    """The work is completed, and waits for an answer."""
    world.then(piped).leaves("p", plan=plan())
    world.leaves("w", worker=_with(worker(), blocked_by=["The token format is not known"]))
    world.leaves("t", test=results()).leaves("r", review=review())


@fails(codes="PG730", defence="verdict-agrees", because="test-result.json is invalid", phases="success failure failure")
def pass_with_a_fix_to_make(world: World) -> None:
    """The tests pass, and tell the worker what to fix."""
    _result(world, _with(results(), fix_instruction="Compare the expiry with the clock."))


@fails(codes="PG025", defence="artifact-keys", because="review-result.json is invalid")
def blockers_with_a_space(world: World) -> None:
    """The blockers stand under a key that only looks like theirs."""
    found = [{"file": "src/auth.py", "line": "3", "description": "The token is never checked"}]
    _result(world, results(), _with(review(), **{"blockers ": found}))


@fails(codes="PG025", defence="artifact-keys", because="review-result.json is invalid")
def blockers_with_what_cannot_be_seen(world: World) -> None:
    """The same with a character that nobody sees."""
    _result(world, results(), _with(review(), **{"blockers\u200b": ["The token is never checked"]}))


@evidence(
    phases="success failure failure", codes="PG025", defence="artifact-keys", because="test-result.json is invalid"
)
def result_in_other_letters(world: World) -> None:
    """A check passed to a machine and failed to a reader."""
    checks = {"lint": {"result": "PASS"}, "test": {"result": "PASS", "Result": "FAIL"}}
    _result(world, results(phase_1=checks))


@fails(codes="PG025", defence="artifact-keys", because="review-result.json is invalid")
def blockers_in_another_script(world: World) -> None:
    """The same with a letter of another script."""
    _result(world, results(), _with(review(), blоckers=["The token is never checked"]))


@evidence(phases="failure pending pending", codes="PG025", defence="artifact-keys", because="plan.json is invalid")
def step_in_other_letters(world: World) -> None:
    """A step of the plan names one file to a machine and another one to a reader."""
    piped(world)
    steps = json.loads(plan())["steps"]
    world.leaves("p", plan=plan(steps=[{**steps[0], "File": "src/secrets.py"}, *steps[1:]]))
    world.leaves("w", worker=worker()).leaves("t", test=results()).leaves("r", review=review())


@evidence(
    phases="success failure failure", codes="PG730", defence="verdict-agrees", because="test-result.json is invalid"
)
def pass_with_a_defect(world: World) -> None:
    """The verdict is PASS, and the failure is classified."""
    _result(world, _with(results(), classification="plan_defect"))


@evidence(phases="success failure success", codes="PG025", defence="described-keys", because="is invalid")
def described_file_in_other_letters(world: World) -> None:
    """A file in a team's own format is good to a machine and bad to a reader."""
    world.under(STORIES).commits("s", {".stories/1.json": '{"verdict": "good", "Verdict": "bad"}'})


@fails(codes="PG306 PG703", defence="out-of-place-results", because="test-result.json says FAIL")
def failure_under_another_name(world: World) -> None:
    """The tests failed since, and say so in the file that the program keeps for failures."""
    world.then(reviewed).push("m", "b", by="ana", evidence={f"{FOLDER}/test-result-fail.json": results("FAIL", None)})


@fails(codes="PG703 PG709", defence="out-of-place-results", because="review-result.json says FAIL")
def failure_in_the_folder_of_another_issue(world: World) -> None:
    """The reviewer fails the work after having passed it, in a folder that is not the issue's."""
    world.then(reviewed).push("m", "b", by="ana", evidence={".pipeline/99/review-result.json": review("FAIL")})


@fails(codes="PG730", defence="no-other-words-in-files", because="review-result.json is invalid")
def failing_verdict_among_the_nits(world: World) -> None:
    """The review passes, and one of its nits says that it fails."""
    _result(world, results(), review(nits=[{"description": "Expired tokens are accepted", "verdict": "FAIL"}]))
