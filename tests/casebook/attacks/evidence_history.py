"""Evidence: failures that are to be forgotten, and folders that are not the issue's."""

from __future__ import annotations

from collections.abc import Callable

from tests.casebook.attacks.attack import WAITING, green
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
    piped(world, ALONE)
    world.leaves("p", plan=plan())
    for number in range(4):
        failed = results("FAIL", None, cost_estimate=f"{number} $")
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed)
        world.push(f"try{number}", by="ana", evidence=evidence)


def begun_anew(world: World, **texts: str) -> None:
    """The same work under another issue, in whose folder everything stands anew."""
    old = dict.fromkeys(world.trees[-1])
    new = {path.replace("/12/", "/13/"): text for path, text in files(**texts).items()}
    world.push("c", by="ana", evidence={**old, **new})


@evidence(
    "folder-of-another-issue",
    "The pull request brings the green folder of another issue.",
    state="pending",
    phases=WAITING,
    codes="PG709",
    defence="own-folder",
    because="plan.json in .pipeline/12",
)
def _(world: World) -> None:
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("e", "b", by="ana", evidence={path.replace("/12/", "/11/"): text for path, text in texts.items()})


@evidence(
    "folder-copied-from-another-issue",
    "The green folder of another issue is copied, with its state.",
    state="failure",
    phases="failure failure failure",
    codes="PG780",
    defence="state-of-its-issue",
    because="state.yaml belongs to",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("s", state="issue_number: 11\nstatus: in_progress\n")


@evidence(
    "failure-beside-a-green-folder",
    "Beside the folder with the failure stands a green one for the same issue.",
    state="failure",
    phases="failure failure failure",
    codes="PG708",
    defence="own-folder",
    because="could each be the folder",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("f", "b", by="ana", evidence={".pipeline/issue-12/test-result.json": results("FAIL", None)})


@fails(
    "failures-overwritten",
    "Four failing rounds are overwritten by one that passes.",
    defence="earlier-texts",
    because="Escalated",
)
def _(world: World) -> None:
    four_failures(world)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


@fails(
    "failures-left-behind",
    "Four failing rounds are left behind in a folder that is renamed.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    four_failures(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/issue-12/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**dict.fromkeys(texts), **moved})


@fails(
    "failures-moved-to-completed",
    "Four failing rounds are left behind, and a passing one stands among the completed folders.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    four_failures(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/completed/12/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**dict.fromkeys(texts), **moved})


@fails(
    "failures-of-no-number",
    "The same with folders whose names tell no issue.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world, ALONE)
    for number in range(4):
        fresh = files(plan=plan(), worker=worker(), test=results("FAIL", None, cost_estimate=f"{number} $"))
        evidence = {path.replace("/12/", "/first/"): text for path, text in fresh.items()}
        world.push(f"try{number}", by="ana", evidence=evidence)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    left = {path.replace("/12/", "/first/"): None for path in texts}
    moved = {path.replace("/12/", "/second/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**left, **moved})


@fails(
    "failures-under-another-issue",
    "After four failing rounds another issue is linked.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    four_failures(world)
    world.issues.clear()
    world.issue(13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(), review=review())


@evidence(
    "qa-failure-under-another-issue",
    "After a failed second phase a bug is linked, for which QA is optional.",
    state="pending",
    phases=QA_WAITS,
    codes="PG403",
    defence="gone-folders",
    because="phase_2",
)
def _(world: World) -> None:
    worked(world, ALONE)
    checks = {"lint": {"result": "PASS", "output": None}}
    world.leaves("t", test=results("FAIL", "FAIL", phase_1=checks), debug=diagnosis())
    world.issues.clear()
    world.issue(13)
    world.label("bug", 13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(second=None), review=review())


@evidence(
    "failure-in-a-folder-without-a-number",
    "The failure stands in a folder beside the one that counts.",
    state="failure",
    phases="failure failure failure",
    codes="PG708",
    defence="own-folder",
    because="could each be the folder of #12",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("f", "b", by="ana", evidence={".pipeline/spec/test-result.json": results("FAIL", None)})


@evidence(
    "folder-hijacked-by-its-state",
    "A state that names this issue is put into the green folder of another.",
    state="pending",
    phases=WAITING,
    codes="PG709",
    defence="own-folder",
    because="plan.json in .pipeline/12",
)
def _(world: World) -> None:
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    theirs = {path.replace("/12/", "/11/"): text for path, text in texts.items()}
    world.push("e", "b", by="ana", evidence=theirs)
    state = "issue: 11\nissue_number: 12\n"
    world.push("s", "b", by="octo-dev", evidence={".pipeline/11/state.yaml": state})


@fails(
    "failures-badly-written",
    "Six failing results that also break a rule of form, then one that passes.",
    defence="fail-is-fail",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world, ALONE)
    world.leaves("p", plan=plan())
    for number in range(6):
        failed = results("FAIL", "SKIP", cost_estimate=f"{number} $")
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed)
        world.push(f"try{number}", by="ana", evidence=evidence)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


@fails(
    "failures-out-of-sight",
    "Many pushes later the failing results of the first ones are no longer read.",
    defence="nothing-unseen",
    because="could not be read",
    phases="success failure failure",
)
def _(world: World) -> None:
    reviewed(world)
    world.changes["branch_files_unseen"] = world.moves[1]["at"]


@waits(
    "failure-removed",
    "The failing result is removed in the hope of an older one.",
    defence="as-it-stands",
    because="test-result.json in .pipeline/12",
)
def _(world: World) -> None:
    mixed(world)
    world.leaves("t", test=results())
    world.leaves("t2", test=results("FAIL", None))
    world.leaves("t3", test=None)
    green(world)


def five_times(world: World, failed: Callable[[int], str]) -> None:
    """Five contents with a failing result each, then one that passes."""
    piped(world, ALONE)
    world.leaves("p", plan=plan())
    for number in range(5):
        evidence = files(worker=worker(summary=f"Try {number}."), test=failed(number))
        world.push(f"try{number}", by="ana", evidence=evidence)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


def failed_five_times(world: World) -> None:
    """Five contents that failed, then one that passes."""
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $"))


@fails(
    "failures-that-are-no-json",
    "Failing results that cannot be parsed are replaced by one that passes.",
    defence="fail-is-fail",
    because="Escalated",
)
def _(world: World) -> None:
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $").rstrip()[:-1] + ",}")


@fails(
    "failures-long-and-escaped",
    "Long failing results that write FAIL in another way are replaced by one that passes.",
    defence="earlier-texts",
    because="Escalated",
)
def _(world: World) -> None:
    long = "x" * 40_000
    five_times(
        world, lambda number: results("FAIL", None, cost_estimate=f"{number} {long}").replace("FAIL", "F\\u0041IL")
    )


@evidence(
    "contradictions-at-length",
    "Long results that say PASS over a failed check are replaced by one that passes.",
    state="failure",
    phases="success failure pending",
    defence="verdict-agrees",
    because="Escalated",
)
def _(world: World) -> None:
    failed = {"test": {"result": "FAIL", "output": "x" * 40_000}}
    five_times(world, lambda number: results(phase_1=failed, cost_estimate=f"{number} $"))


@fails(
    "failures-by-merges",
    "The failing results came by merges, for which nobody can be named.",
    defence="earlier-texts",
    because="Escalated",
)
def _(world: World) -> None:
    five_times(world, lambda number: results("FAIL", None, cost_estimate=f"{number} $"))
    for move in world.moves[3:8]:
        move["kind"] = "pr_merge"


@fails(
    "failures-under-a-template",
    "After four failing rounds another issue is linked, where a template names the folders.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    four_failures(world)
    world.policy = f'{ALONE}artifacts: {{folder: "{{number}}"}}\n'
    world.issues.clear()
    world.issue(13)
    begun_anew(world, plan=plan(), worker=worker(), test=results(), review=review())


@fails(
    "failures-undone",
    "Four failing results overwrite a file of the base, which is put back; the green ones stand for another issue.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    path = ".pipeline/11/test-result.json"
    world.push("base", evidence={path: results(cost_estimate="of the base")})
    piped(world, ALONE)
    for number in range(4):
        failed = results("FAIL", None, cost_estimate=f"{number} $")
        world.push(f"try{number}", by="ana", evidence={path: failed})
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("c", by="ana", evidence={**texts, path: results(cost_estimate="of the base")})
    entries = [entry for entry in world.snapshot()["files"]["entries"] if entry["path"] != path]
    world.changes["files"] = {"complete": True, "entries": entries}


@fails(
    "optional-failure",
    "A result that the policy does not ask for is there and says FAIL.",
    codes="PG752",
    defence="optional-counts",
    because="review-result.json says FAIL",
)
def _(world: World) -> None:
    worked(world, OPTIONAL)
    world.leaves("t", test=results())
    world.leaves("r", review=review("FAIL"))


@waits(
    "optional-blocked",
    "A report that the policy does not ask for says that the work is blocked.",
    defence="optional-counts",
    because="worker-result.json says blocked",
)
def _(world: World) -> None:
    piped(world, "version: 1\nphases: {build: {optional_artifacts: [worker-result.json]}}\n")
    world.leaves("w", worker=worker(status="blocked", blockers=["No access to the clock"]))
    green(world)


@fails(
    "optional-invalid-and-old",
    "A broken result that the policy does not ask for is hidden behind a push.",
    codes="PG306 PG730",
    defence="optional-counts",
    because="review-result.json",
)
def _(world: World) -> None:
    worked(world, OPTIONAL)
    world.leaves("t", test=results())
    world.leaves("r", review=review("PASS", blockers=[{"file": "src/auth.py", "line": 4, "description": "Broken"}]))
    world.push("c")
    world.leaves("w2", worker=worker(summary="Once more."))
    world.leaves("t2", test=results(cost_estimate="2 $"))


@fails(
    "optional-failures-overwritten",
    "Four failing rounds of a result that the policy does not ask for, then one that passes.",
    defence="optional-rounds",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world, OPTIONAL)
    world.leaves("p", plan=plan())
    for number in range(4):
        failed = files(test=results(cost_estimate=f"{number} $"), review=review("FAIL", nits=[f"{number}"]))
        world.push(f"try{number}", by="ana", evidence=failed)
    world.push("c", by="ana", evidence=files(test=results(), review=review()))


@evidence(
    "plan-approved-then-relinked",
    "The plan of one issue is approved; then the pull request is linked to another, whose plan stood there.",
    state="pending",
    phases=WAITING,
    defence="approved-for-its-issue",
    because="came before other issues may have been linked",
)
def _(world: World) -> None:
    reviewed(world, APPROVED)
    world.say("mona", "/gate approve plan")
    world.relinked_at = world.tick()


@evidence(
    "plan-approved-then-issue-added",
    "The plan of one issue is approved; then another issue is linked, whose plan stood there.",
    state="pending",
    phases=WAITING,
    defence="approved-for-its-issue",
    because="came before other issues may have been linked",
)
def _(world: World) -> None:
    two_issues(world)
    world.policy = APPROVED
    world.say("mona", "/gate approve plan")
    world.relinked_at = world.tick()


@evidence(
    "plan-approved-by-run-then-relinked",
    "The same, where the approval was given in a protected environment.",
    state="pending",
    phases=WAITING,
    defence="approved-for-its-issue",
    because="came before other issues may have been linked",
)
def _(world: World) -> None:
    reviewed(world, APPROVED + DISPATCH.partition("\n")[2])
    approve_by_run(world, phase="plan", commit=commit("r"), approved_by=PEOPLE["mona"])
    world.relinked_at = world.tick()
