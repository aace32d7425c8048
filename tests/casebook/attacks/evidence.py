"""Evidence: files in the branch that would speak for the wrong account, content, issue or pull request."""

from __future__ import annotations

import json
from functools import partial

from tests.casebook.attacks.attack import WAITING, attack, green
from tests.casebook.evidence import diagnosis, files, plan, results, review, worker
from tests.casebook.pipeline import PROFILE, git_result, mixed, piped, reviewed, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_WAITS
from tests.casebook.world import World, commit

evidence = partial(attack, "evidence")
waits = partial(evidence, state="pending", phases=BUILD_WAITS)
fails = partial(evidence, state="failure", phases=BUILD_FAILED)
ONLY = f"{PROFILE}agents: {{only: true, accounts: [{{login: ben, id: 22}}]}}\n"
SECOND_ONLY = """version: 1
phases: {qa: {roles: [], human_approval: false, artifacts: ["test-result.json#phase_2"]}}
"""
TESTER = f'{PROFILE}agents: {{accounts: [{{login: "jkz-runner[bot]", id: 987, roles: [worker-result.json]}}]}}\n'


def all_by(world: World, who: str, policy: str = PROFILE) -> None:
    """Every stage has passed, and one account has pushed it all."""
    piped(world, policy)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("e", "b", by=who, evidence=texts)


@evidence(
    "fork-evidence",
    "The owner of a fork pushes a perfect folder.",
    state="pending",
    phases=WAITING,
    codes="PG231",
    defence="no-evidence-from-forks",
    because="fork",
)
def _(world: World) -> None:
    reviewed(world)
    head = world.snapshot()["pull_request"] | {
        "head": {"ref": "sessions", "sha": commit("r"), "repository": "eve/shop"}
    }
    world.changes["pull_request"] = head


@waits(
    "old-pass-under-new-code",
    "The product is changed once everything has passed.",
    codes="PG303",
    defence="same-content",
    because="stale",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("evil")


@waits(
    "old-pass-for-another-base",
    "The pull request is pointed at another base once everything has passed.",
    codes="PG303",
    defence="same-base",
    because="stale",
)
def _(world: World) -> None:
    reviewed(world)
    world.base_changes.append({"at": world.tick(), "before": "next", "after": "main"})


@waits(
    "tests-of-an-older-delivery",
    "The worker reports something else once the tests and the review have passed.",
    codes="PG306",
    defence="stage-by-stage",
    because="older than worker-result.json",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("w2", worker=worker(summary="Something else."))


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


@fails(
    "folder-copied-from-another-issue",
    "The green folder of another issue is copied, with its state.",
    codes="PG780",
    defence="state-of-its-issue",
    because="state.yaml is invalid",
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


@waits(
    "own-tests",
    "The author of the pull request pushes the results of the tests and the review.",
    codes="PG202",
    defence="author-does-not-judge",
    because="octo-dev opened this pull request",
)
def _(world: World) -> None:
    all_by(world, "octo-dev")


@evidence(
    "bot-evidence",
    "An app that the policy does not name pushes a perfect folder.",
    state="pending",
    phases=WAITING,
    codes="PG203",
    defence="bots-by-name",
    because="counts only when the policy names it",
)
def _(world: World) -> None:
    world.permissions["helper[bot]"] = "write"
    all_by(world, "helper[bot]")


@evidence(
    "unnamed-evidence",
    "A writer pushes a perfect folder where only named accounts may speak.",
    state="pending",
    phases=WAITING,
    codes="PG201",
    defence="writers-speak",
    because="is not named",
)
def _(world: World) -> None:
    all_by(world, "ana", ONLY)


@evidence(
    "another-role-pushes",
    "The worker's account pushes the plan, its own tests and its own review.",
    state="failure",
    phases="failure failure failure",
    codes="PG119",
    defence="one-role",
    because="plan.json is invalid",
)
def _(world: World) -> None:
    all_by(world, "jkz-runner[bot]", TESTER)


@evidence(
    "pushed-by-nobody",
    "Nobody can tell who pushed the folder.",
    state="pending",
    phases=WAITING,
    codes="PG232",
    defence="known-pusher",
    because="cannot be told who pushed",
)
def _(world: World) -> None:
    reviewed(world)
    for move in world.moves[1:]:
        move["actor"] = None


@waits(
    "plan-merged-before",
    "The plan of an earlier pull request is used once more.",
    state="pending",
    phases=WAITING,
    codes="PG234",
    defence="brought-here",
    because="merged before",
)
def _(world: World) -> None:
    reviewed(world)
    entries = [entry for entry in world.snapshot()["files"]["entries"] if not entry["path"].endswith("plan.json")]
    world.changes["files"] = {"complete": True, "entries": entries}


@evidence(
    "evidence-of-a-closed-issue",
    "The issue was closed by another pull request; its folder would serve once more.",
    state="pending",
    phases=WAITING,
    codes="PG404",
    defence="spent-issues",
    because="spent",
)
def _(world: World) -> None:
    reviewed(world)
    world.issues[0] |= {
        "state": "closed",
        "closed_by": [{"number": 5, "merged_at": "2026-03-01T10:00:00Z", "repository": "octo/shop"}],
    }


@fails(
    "two-verdicts-in-one-file",
    "The file says FAIL and PASS; which one counts depends on the reader.",
    codes="PG002",
    defence="strict-artifacts",
    because="test-result.json is invalid",
)
def _(world: World) -> None:
    worked(world)
    text = results().replace('"verdict": "PASS"', '"verdict": "FAIL",\n  "verdict": "PASS"', 1)
    world.leaves("t", test=text)
    world.leaves("r", review=review())


@evidence(
    "pass-over-a-failed-check",
    "The verdict is PASS, and the check beneath it failed.",
    state="failure",
    phases="success failure failure",
    codes="PG730 PG733",
    defence="verdict-agrees",
    because="test-result.json is invalid",
)
def _(world: World) -> None:
    worked(world)
    checks = {"lint": {"result": "PASS"}, "test": {"result": "FAIL"}}
    world.leaves("t", test=results(phase_1=checks))
    world.leaves("r", review=review())


@fails(
    "smuggled-file",
    "A file that nobody planned or reported is among the changes.",
    codes="PG720 PG722",
    defence="scope",
    because="worker-result.json is invalid",
)
def _(world: World) -> None:
    reviewed(world)
    entries = [*world.snapshot()["files"]["entries"], {"path": "src/backdoor.py", "status": "added"}]
    world.changes["files"] = {"complete": True, "entries": entries}


@fails(
    "removed-by-a-rename",
    "A rename onto a planned file takes an unplanned one away.",
    codes="PG720 PG722",
    defence="both-names",
    because="worker-result.json is invalid",
)
def _(world: World) -> None:
    reviewed(world)
    entries = world.snapshot()["files"]["entries"]
    moved = {"path": "src/auth.py", "status": "renamed", "previous_path": "src/guard.py"}
    kept = [entry for entry in entries if entry["path"] != "src/auth.py"]
    world.changes["files"] = {"complete": True, "entries": [*kept, moved]}


@evidence(
    "second-phase-of-nothing",
    "The second phase is there, and nothing in it was run.",
    state="pending",
    phases=QA_WAITS,
    defence="something-was-run",
    because="nothing was run",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(second="SKIP"))
    world.leaves("r", review=review())


@fails(
    "failures-overwritten",
    "Four failing rounds are overwritten by one that passes.",
    defence="earlier-texts",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world)
    world.leaves("p", plan=plan())
    for number in range(4):
        fresh = files(worker=worker(summary=f"Try {number}."), test=results("FAIL", None, cost_estimate=f"{number} $"))
        world.push(f"try{number}", by="ana", evidence=fresh)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review()))


@fails(
    "failures-left-behind",
    "Four failing rounds are left behind in a folder that is renamed.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world)
    world.leaves("p", plan=plan())
    for number in range(4):
        fresh = files(worker=worker(summary=f"Try {number}."), test=results("FAIL", None, cost_estimate=f"{number} $"))
        world.push(f"try{number}", by="ana", evidence=fresh)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/issue-12/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**dict.fromkeys(texts), **moved})


@fails(
    "failures-of-no-number",
    "The same with folders whose names tell no issue.",
    defence="gone-folders",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world)
    for number in range(4):
        fresh = files(plan=plan(), worker=worker(), test=results("FAIL", None, cost_estimate=f"{number} $"))
        evidence = {path.replace("/12/", "/first/"): text for path, text in fresh.items()}
        world.push(f"try{number}", by="ana", evidence=evidence)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    left = {path.replace("/12/", "/first/"): None for path in texts}
    moved = {path.replace("/12/", "/second/"): text for path, text in texts.items()}
    world.push("c", by="ana", evidence={**left, **moved})


def four_failures(world: World) -> None:
    """Four contents that the tests have failed."""
    piped(world)
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
    worked(world)
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
    defence="failing-files",
    because="Escalated",
)
def _(world: World) -> None:
    piped(world)
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
    because="cannot be read",
    phases="success failure failure",
)
def _(world: World) -> None:
    reviewed(world)
    world.changes["artifacts_unseen"] = world.moves[1]["at"]


@fails(
    "check-beside-a-tool",
    "A failed check is hidden beside a tool that ended well.",
    codes="PG701 PG705 PG706",
    defence="one-shape",
    because="test-result.json is invalid",
    phases="success failure failure",
)
def _(world: World) -> None:
    worked(world)
    checks = {"tool": "pytest", "exit_code": 0, "lint": {"result": "FAIL", "output": "boom"}}
    world.leaves("t", test=results(phase_1=checks))
    world.leaves("r", review=review())


@evidence(
    "files-beyond-the-list",
    "More files are changed than GitHub lists, so that one could be beyond the plan.",
    state="pending",
    phases=WAITING,
    codes="PG235",
    defence="whole-list",
    because="does not list all changed files",
)
def _(world: World) -> None:
    world.policy = PROFILE
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("b", None, by="ana", evidence=texts)
    world.changes["files"] = {"complete": False, "entries": world.snapshot()["files"]["entries"]}


@evidence(
    "second-phase-without-a-first",
    "The second phase has passed what the first one skipped.",
    state="pending",
    phases=QA_WAITS,
    defence="something-was-run",
    because="phase_2",
)
def _(world: World) -> None:
    world.policy = SECOND_ONLY
    world.push("b")
    checks = {"test": {"result": "SKIP", "output": None}}
    world.leaves("t", test=results("SKIP", "PASS", phase_1=checks))
    world.planned()
    world.built()


@evidence(
    "approved-in-the-same-second",
    "The review is pushed in the second of the approval.",
    state="pending",
    phases=BUILD_WAITS,
    defence="approval-last",
    because="before the last push of evidence",
)
def _(world: World) -> None:
    worked(world, f"{PROFILE}phases: {{build: {{human_approval: true}}}}\n")
    world.leaves("t", test=results())
    approval = world.say("mona", "/gate approve build")
    world.leaves("r", review=review())
    world.moves[-1]["at"] = approval["created_at"]


@waits(
    "older-delivery",
    "What the git agent delivered is older than the review that it stands on.",
    codes="PG306",
    defence="stage-by-stage",
    because="git-result.json is stale",
)
def _(world: World) -> None:
    names = "[worker-result.json, test-result.json, review-result.json, git-result.json]"
    reviewed(world, f"{PROFILE}phases: {{build: {{artifacts: {names}}}}}\n")
    world.leaves("g", git=git_result(world))
    again = {
        "worker": worker(summary="Again."),
        "test": results(cost_estimate="1 $"),
        "review": review(cost_estimate="1 $"),
    }
    world.leaves("w2", **again)


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


@fails(
    "tier-too-low",
    "A complex issue is handed to the fast tier, which passes it.",
    codes="PG771",
    defence="tiers",
    because="is invalid",
)
def _(world: World) -> None:
    world.label("complexity:complex")
    piped(world)
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=json.dumps({**json.loads(review()), "tier_used": "fast"}, indent=2) + "\n")
