"""Evidence: failures that are to be forgotten, and folders that are not the issue's."""

from __future__ import annotations

from collections.abc import Callable

from tests.casebook.attacks.attack import WAITING
from tests.casebook.attacks.evidence import evidence, fails, waits
from tests.casebook.evidence import diagnosis, files, plan, results, review, worker
from tests.casebook.humans import DISPATCH, approve_by_run
from tests.casebook.pipeline import ALONE, APPROVED, mixed, piped, reviewed, two_issues, worked
from tests.casebook.story import QA_WAITS
from tests.casebook.world import PEOPLE, World, commit

OPTIONAL = f"""{ALONE}phases:
  build:
    artifacts: [test-result.json]
    optional_artifacts: [worker-result.json, review-result.json, git-result.json]
"""


def four_failures(world: World) -> None:
    """Four contents that the tests have failed."""
    world.then(piped, ALONE).leaves("p", plan=plan())
    for number in range(4):
        failed = results("FAIL", None, cost_estimate=f"{number} $")
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed)
        world.push(f"try{number}", by="ana", evidence=evidence)


def begun_anew(world: World, /, **texts: str) -> None:
    """The same work under another issue, in whose folder everything stands anew."""
    old = dict.fromkeys(world.trees[-1])
    new = {path.replace("/12/", "/13/"): text for path, text in files(**texts).items()}
    world.push("c", by="ana", evidence={**old, **new})


@evidence(phases=WAITING, codes="PG709", defence="own-folder", because="plan.json in .pipeline/12")
def folder_of_another_issue(world: World) -> None:
    """The pull request brings the green folder of another issue."""
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("e", "b", by="ana", evidence={path.replace("/12/", "/11/"): text for path, text in texts.items()})


@evidence(
    phases="failure failure failure", codes="PG780", defence="state-of-its-issue", because="state.yaml belongs to"
)
def folder_copied_from_another_issue(world: World) -> None:
    """The green folder of another issue is copied, with its state."""
    world.then(reviewed).leaves("s", state="issue_number: 11\nstatus: in_progress\n")


@evidence(phases="failure failure failure", codes="PG708", defence="own-folder", because="could each be the folder")
def failure_beside_a_green_folder(world: World) -> None:
    """Beside the folder with the failure stands a green one for the same issue."""
    reviewed(world)
    world.push("f", "b", by="ana", evidence={".pipeline/issue-12/test-result.json": results("FAIL", None)})


@fails(defence="earlier-texts", because="Escalated")
def failures_overwritten(world: World) -> None:
    """Four failing rounds are overwritten by one that passes."""
    four_failures(world)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


@fails(defence="gone-folders", because="Escalated")
def failures_left_behind(world: World) -> None:
    """Four failing rounds are left behind in a folder that is renamed."""
    four_failures(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/issue-12/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**dict.fromkeys(texts), **moved})


@fails(defence="gone-folders", because="Escalated")
def failures_moved_to_completed(world: World) -> None:
    """Four failing rounds are left behind, and a passing one stands among the completed folders."""
    four_failures(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/completed/12/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**dict.fromkeys(texts), **moved})


@fails(defence="gone-folders", because="Escalated")
def failures_of_no_number(world: World) -> None:
    """The same with folders whose names tell no issue."""
    piped(world, ALONE)
    for number in range(4):
        fresh = files(plan=plan(), worker=worker(), test=results("FAIL", None, cost_estimate=f"{number} $"))
        evidence = {path.replace("/12/", "/first/"): text for path, text in fresh.items()}
        world.push(f"try{number}", by="ana", evidence=evidence)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    left = {path.replace("/12/", "/first/"): None for path in texts}
    moved = {path.replace("/12/", "/second/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**left, **moved})


@fails(defence="gone-folders", because="Escalated")
def failures_under_another_issue(world: World) -> None:
    """After four failing rounds another issue is linked."""
    world.then(four_failures).without_issues()
    world.issue(13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(), review=review())


@evidence(phases=QA_WAITS, codes="PG403", defence="gone-folders", because="phase_2")
def qa_failure_under_another_issue(world: World) -> None:
    """After a failed second phase a bug is linked, for which QA is optional."""
    worked(world, ALONE)
    checks = {"lint": {"result": "PASS", "output": None}}
    world.leaves("t", test=results("FAIL", "FAIL", phase_1=checks), debug=diagnosis()).without_issues()
    world.issue(13)
    world.label("bug", 13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(second=None), review=review())


@evidence(
    phases="failure failure failure", codes="PG708", defence="own-folder", because="could each be the folder of #12"
)
def failure_in_a_folder_without_a_number(world: World) -> None:
    """The failure stands in a folder beside the one that counts."""
    reviewed(world)
    world.push("f", "b", by="ana", evidence={".pipeline/spec/test-result.json": results("FAIL", None)})


@evidence(phases=WAITING, codes="PG709", defence="own-folder", because="plan.json in .pipeline/12")
def folder_hijacked_by_its_state(world: World) -> None:
    """A state that names this issue is put into the green folder of another."""
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    theirs = {path.replace("/12/", "/11/"): text for path, text in texts.items()}
    world.push("e", "b", by="ana", evidence=theirs)
    state = "issue: 11\nissue_number: 12\n"
    world.push("s", "b", by="octo-dev", evidence={".pipeline/11/state.yaml": state})


@fails(defence="fail-is-fail", because="Escalated")
def failures_badly_written(world: World) -> None:
    """Six failing results that also break a rule of form, then one that passes."""
    world.then(piped, ALONE).leaves("p", plan=plan())
    for number in range(6):
        failed = results("FAIL", "SKIP", cost_estimate=f"{number} $")
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed)
        world.push(f"try{number}", by="ana", evidence=evidence)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


@fails(defence="nothing-unseen", because="could not be read", phases="success failure failure")
def failures_out_of_sight(world: World) -> None:
    """Many pushes later the failing results of the first ones are no longer read."""
    reviewed(world)
    world.changes["branch_files_unseen"] = world.moves[1]["at"]


@waits(defence="as-it-stands", because="test-result.json in .pipeline/12")
def failure_removed(world: World) -> None:
    """The failing result is removed in the hope of an older one."""
    world.then(mixed).leaves("t", test=results()).leaves("t2", test=results("FAIL", None))
    world.leaves("t3", test=None).green()


def five_times(world: World, failed: Callable[[int], str]) -> None:
    """Five contents with a failing result each, then one that passes."""
    world.then(piped, ALONE).leaves("p", plan=plan())
    for number in range(5):
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed(number))
        world.push(f"try{number}", by="ana", evidence=evidence)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


def failed_five_times(world: World) -> None:
    """Five contents that failed, then one that passes."""
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $"))


@fails(defence="fail-is-fail", because="Escalated")
def failures_that_are_no_json(world: World) -> None:
    """Failing results that cannot be parsed are replaced by one that passes."""
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $").rstrip()[:-1] + ",}")


@fails(defence="earlier-texts", because="Escalated")
def failures_long_and_escaped(world: World) -> None:
    """Long failing results that write FAIL in another way are replaced by one that passes."""
    long = "x" * 40_000
    five_times(
        world, lambda number: results("FAIL", None, cost_estimate=f"{number} {long}").replace("FAIL", "F\\u0041IL")
    )


@evidence(phases="success failure pending", defence="verdict-agrees", because="Escalated")
def contradictions_at_length(world: World) -> None:
    """Long results that say PASS over a failed check are replaced by one that passes."""
    failed = {"test": {"result": "FAIL", "output": "x" * 40_000}}
    five_times(world, lambda number: results(phase_1=failed, cost_estimate=f"{number} $"))


@fails(defence="earlier-texts", because="Escalated")
def failures_by_merges(world: World) -> None:
    """The failing results came by merges, for which nobody can be named."""
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $"))
    for move in world.moves[3:8]:
        move["kind"] = "pr_merge"


@fails(defence="gone-folders", because="Escalated")
def failures_under_a_template(world: World) -> None:
    """After four failing rounds another issue is linked, where a template names the folders."""
    world.then(four_failures).under(f'{ALONE}artifacts: {{folder: "{{number}}"}}\n').without_issues()
    world.issue(13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(), review=review())


@fails(defence="gone-folders", because="Escalated")
def failures_undone(world: World) -> None:
    """Four failing results overwrite a file of the base, which is put back; the green ones stand for another issue."""
    path = ".pipeline/11/test-result.json"
    world.push("base", evidence={path: results(cost_estimate="of the base")}).then(piped, ALONE)
    for number in range(4):
        failed = results("FAIL", None, cost_estimate=f"{number} $")
        world.push(f"try{number}", by="ana", evidence={path: failed})
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("c", by="ana", evidence={**texts, path: results(cost_estimate="of the base")})
    entries = [entry for entry in world.snapshot()["files"]["entries"] if entry["path"] != path]
    world.touches(*entries)


@fails(codes="PG752", defence="optional-counts", because="review-result.json says FAIL")
def optional_failure(world: World) -> None:
    """A result that the policy does not ask for is there and says FAIL."""
    world.then(worked, OPTIONAL).leaves("t", test=results()).leaves("r", review=review("FAIL"))


@waits(defence="optional-counts", because="worker-result.json says blocked")
def optional_blocked(world: World) -> None:
    """A report that the policy does not ask for says that the work is blocked."""
    piped(world, "version: 1\nphases: {build: {optional_artifacts: [worker-result.json]}}\n")
    world.leaves("w", worker=worker(status="blocked", blockers=["No access to the clock"])).green()


@fails(codes="PG306 PG730", defence="optional-counts", because="review-result.json")
def optional_invalid_and_old(world: World) -> None:
    """A broken result that the policy does not ask for is hidden behind a push."""
    world.then(worked, OPTIONAL).leaves("t", test=results())
    world.leaves("r", review=review("PASS", blockers=[{"file": "src/auth.py", "line": 4, "description": "Broken"}]))
    world.push("c").leaves("w2", worker=worker(summary="Once more."))
    world.leaves("t2", test=results(cost_estimate="2 $"))


@fails(defence="optional-rounds", because="Escalated")
def optional_failures_overwritten(world: World) -> None:
    """Four failing rounds of a result that the policy does not ask for, then one that passes."""
    world.then(piped, OPTIONAL).leaves("p", plan=plan())
    for number in range(4):
        failed = files(test=results(cost_estimate=f"{number} $"), review=review("FAIL", nits=[f"{number}"]))
        world.push(f"try{number}", by="ana", evidence=failed)
    world.push("c", by="ana", evidence=files(test=results(), review=review()))


@evidence(phases=WAITING, defence="approved-for-its-issue", because="came before other issues may have been linked")
def plan_approved_then_relinked(world: World) -> None:
    """The plan of one issue is approved; then the pull request is linked to another, whose plan stood there."""
    world.then(reviewed, APPROVED).says("mona", "/gate approve plan")
    world.relinked_at = world.tick()


@evidence(phases=WAITING, defence="approved-for-its-issue", because="came before other issues may have been linked")
def plan_approved_then_issue_added(world: World) -> None:
    """The plan of one issue is approved; then another issue is linked, whose plan stood there."""
    world.then(two_issues).under(APPROVED).says("mona", "/gate approve plan")
    world.relinked_at = world.tick()


@evidence(phases=WAITING, defence="approved-for-its-issue", because="came before other issues may have been linked")
def plan_approved_by_run_then_relinked(world: World) -> None:
    """The same, where the approval was given in a protected environment."""
    reviewed(world, APPROVED + DISPATCH.partition("\n")[2])
    approve_by_run(world, phase="plan", commit=commit("r"), approved_by=PEOPLE["mona"])
    world.relinked_at = world.tick()
