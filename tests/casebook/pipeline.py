"""Stories of the pipeline profile: evidence that the agents push, stage by stage."""

from __future__ import annotations

import json

from tests.casebook.evidence import FOLDER, PRODUCT, diagnosis, files, plan, results, review, worker
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, STORIES, story
from tests.casebook.world import URL, World, commit

PROFILE = "version: 1\nprofile: pipeline\n"
APPROVED = f"{PROFILE}phases: {{plan: {{human_approval: true}}}}\n"
DISTINCT = f"{PROFILE}verdicts: {{distinct_accounts: true}}\n"
NAMING = f"{PROFILE}verdicts: {{require_commit: true}}\n"
PLAN_WAITS = "pending pending pending"
PLAN_FAILED = "failure pending pending"
BOT = f"""{PROFILE}agents:
  only: true
  accounts:
    - {{login: "jkz-runner[bot]", id: 987, app_id: 12345}}
"""


def piped(world: World, policy: str = PROFILE) -> None:
    """A repository of the pipeline, with the product of the pull request pushed by its author."""
    world.policy = policy
    world.push("b")


def worked(world: World, policy: str = PROFILE) -> None:
    """Everything but tests and review."""
    piped(world, policy)
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker())


def reviewed(world: World, policy: str = PROFILE) -> None:
    """Every stage has passed."""
    worked(world, policy)
    world.leaves("t", test=results())
    world.leaves("r", review=review())


def in_folder(world: World, name: str, policy: str = PROFILE, **more: str) -> None:
    """Every stage has passed, in a folder of this name."""
    piped(world, policy)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review(), **more)
    world.push(
        "e", "b", by="ana", evidence={path.replace(FOLDER, f".pipeline/{name}"): text for path, text in texts.items()}
    )


def two_issues(world: World) -> None:
    """Two issues, each with its folder and its own file of the product."""
    world.issue(13)
    piped(world)
    for number, path in ((12, PRODUCT[0]), (13, PRODUCT[1])):
        steps = [{"order": 1, "action": "modify", "file": path, "description": "Do it", "depends_on": []}]
        mapping = {"AC-1": f"{PRODUCT[1]}::test_{number}"} if path == PRODUCT[1] else {"AC-1": f"{path}::doctest"}
        texts = {
            "plan.json": plan(affected_files=[path], steps=steps, acceptance_mapping=mapping),
            "worker-result.json": worker(files_changed=[path]),
            "test-result.json": results(),
            "review-result.json": review(),
        }
        world.push(f"e{number}", "b", by="ana", evidence={f".pipeline/{number}/{name}": texts[name] for name in texts})


def git_result(world: World, **changes: object) -> str:
    """A sound ``git-result.json``."""
    data = {
        "branch": "sessions",
        "commit_sha": commit(world.head)[:7],
        "commit_message": "feat(12): sessions expire",
        "pr_number": 7,
        "pr_url": f"{URL}/pull/7",
    }
    return json.dumps({**data, **changes}, indent=2) + "\n"


def mixed(world: World) -> None:
    """The jkz pipeline, whose build asks for the tests' artifact besides."""
    piped(world, "version: 1\nphases: {build: {artifacts: [test-result.json]}}\n")


@story("pipeline-green", "Every stage has left its artifact, and each passed.", state="success", phases=GREEN)
def _(world: World) -> None:
    reviewed(world)


@story(
    "pipeline-no-folder",
    "No agent has pushed anything yet.",
    state="pending",
    phases=PLAN_WAITS,
    because="plan.json in .pipeline/12",
)
def _(world: World) -> None:
    piped(world)


@story(
    "pipeline-plan-only",
    "The plan is there and valid, the worker's result is awaited.",
    state="pending",
    phases=BUILD_WAITS,
    because="worker-result.json",
)
def _(world: World) -> None:
    piped(world)
    world.leaves("p", plan=plan())


@story(
    "pipeline-untested",
    "The worker is done, the tests are awaited.",
    state="pending",
    phases=BUILD_WAITS,
    because="test-result.json",
)
def _(world: World) -> None:
    worked(world)


@story(
    "pipeline-unreviewed",
    "Tests have passed, the review is awaited.",
    state="pending",
    phases=BUILD_WAITS,
    because="review-result.json",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results())


@story(
    "pipeline-invalid-plan",
    "A plan whose steps depend on each other in a circle is no plan.",
    state="failure",
    phases=PLAN_FAILED,
    codes="PG712",
    because="plan.json is invalid",
)
def _(world: World) -> None:
    piped(world)
    steps = [
        {"order": 1, "file": "src/auth.py", "depends_on": [2]},
        {"order": 2, "file": "tests/test_auth.py", "depends_on": [1]},
    ]
    world.leaves("p", plan=plan(steps=[{"action": "modify", "description": "x", **step} for step in steps]))


@story(
    "pipeline-in-one-push",
    "One push may bring the product and all the evidence for it.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = PROFILE
    world.push("b", by="ana", evidence=files(plan=plan(), worker=worker(), test=results(), review=review()))


@story(
    "pipeline-before-opening",
    "Agents that push before they open the pull request are heard as well.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed(world)
    world.opened = world.tick()


@story(
    "pipeline-rebased",
    "A rebase that brings the same changes leaves the evidence fresh.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed(world)
    world.push("rebased", "b")


@story(
    "pipeline-stale",
    "The product was changed after the evidence was pushed: nothing of it speaks of what would merge.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG303",
    because="worker-result.json says completed of",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("c")


@story(
    "pipeline-commit-named",
    "A result may name the commit that it judged, which makes the same words about another commit another file.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(commit=commit("w")))
    world.leaves("r", review=review(commit=commit("w")[:7]))


@story(
    "pipeline-older-commit-named",
    "A result that names an older commit speaks of that one, even if it was pushed later.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG303",
    because="test-result.json says PASS of",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(commit=commit("a")))
    world.leaves("r", review=review())


@story(
    "pipeline-unknown-commit-named",
    "A result that names a commit which never was the head is invalid.",
    state="failure",
    phases="success failure failure",
    codes="PG301",
    because="test-result.json is invalid",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(commit=commit("elsewhere")))
    world.leaves("r", review=review())


@story(
    "pipeline-worked-again",
    "A new delivery makes the tests and the review of the old one stale, even if the product is the same.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG306",
    because="test-result.json is stale",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("w2", worker=worker(summary="Sessions expire, said more clearly."))


@story(
    "pipeline-planned-again",
    "A new plan asks for a new delivery.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG306",
    because="worker-result.json is stale",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("p2", plan=plan(commit_plan=["feat: sessions expire"]))


@story(
    "pipeline-tests-failed",
    "A failed test fails the build, and the debugger has told where to mend it.",
    state="failure",
    phases=BUILD_FAILED,
    because="test-result.json says FAIL of",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results("FAIL", None), debug=diagnosis())


@story(
    "pipeline-undiagnosed",
    "A failure that nobody has diagnosed is a failure, and the diagnosis is asked for.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG752",
    because="test-result.json says FAIL of",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results("FAIL", None))


@story(
    "pipeline-review-failed",
    "The reviewer's blocker fails the build.",
    state="failure",
    phases=BUILD_FAILED,
    because="Expired tokens are accepted",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results())
    world.leaves("r", review=review("FAIL"), debug=diagnosis(failure_source="reviewer"))


@story(
    "pipeline-mended",
    "After a failed round the product was mended and every stage ran again.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results("FAIL", None), debug=diagnosis())
    world.push("c", by="ana", evidence=files(worker=worker(summary="Mended."), debug=None))
    world.leaves("t2", test=results())
    world.leaves("r2", review=review())


@story(
    "pipeline-escalated",
    "Four contents have failed the tests: a human must look, whatever the fifth says.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    worked(world)
    for number in range(4):
        failed = results("FAIL", None, cost_estimate=f"{number} $")
        fresh = files(worker=worker(summary=f"Try {number}."), test=failed, debug=diagnosis())
        world.push(f"try{number}", by="ana", evidence=fresh)
    world.push("c", by="ana", evidence=files(worker=worker(), test=results(), review=review(), debug=None))


@story(
    "pipeline-resumed",
    "A human resumed the build after four failing rounds.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    STORIES["pipeline-escalated"].tell(world)
    world.say("mona", "/gate resume build: the fixture was wrong, the work is fine")


@story(
    "pipeline-blocked",
    "A worker that is blocked has delivered nothing.",
    state="pending",
    phases=BUILD_WAITS,
    because="worker-result.json says blocked",
)
def _(world: World) -> None:
    piped(world)
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker(status="blocked", blockers=["The token format is not known"]))


@story(
    "pipeline-skipped",
    "Tests that were skipped are no PASS.",
    state="pending",
    phases=BUILD_WAITS,
    because="test-result.json says SKIP",
)
def _(world: World) -> None:
    worked(world)
    checks = {"lint": {"result": "SKIP", "output": None}}
    world.leaves("t", test=results("SKIP", None, phase_1=checks))


@story(
    "pipeline-no-second-phase",
    "A feature needs the second phase of the tests.",
    state="pending",
    phases=QA_WAITS,
    because="phase_2",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(second=None))
    world.leaves("r", review=review())


@story(
    "pipeline-second-phase-skipped",
    "A second phase of which nothing was run is no PASS.",
    state="pending",
    phases=QA_WAITS,
    because="of which nothing was run",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(second="SKIP"))
    world.leaves("r", review=review())


@story(
    "pipeline-bug-without-second-phase",
    "A bug needs no second phase.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.label("bug")
    worked(world)
    world.leaves("t", test=results(second=None))
    world.leaves("r", review=review())


@story(
    "pipeline-trivial",
    "A trivial issue needs no plan.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.label("complexity:trivial")
    piped(world)
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=review())


@story(
    "pipeline-complex-and-fast",
    "A complex issue is not for the fast tier.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG771",
    because="worker-result.json is invalid",
)
def _(world: World) -> None:
    world.label("complexity:complex")
    piped(world)
    world.leaves("p", plan=plan(tier_used="high"))
    world.leaves("w", worker=worker(tier_used="fast"))


@story(
    "pipeline-review-without-tests",
    "A review of what was not tested does not pass.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG790",
    because="test-result.json is missing",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("r", review=review())


@story(
    "pipeline-beyond-the-plan",
    "A file that was changed beyond the plan fails the build.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG720 PG722",
    because="worker-result.json is invalid",
)
def _(world: World) -> None:
    reviewed(world)
    entries = [*world.snapshot()["files"]["entries"], {"path": "src/secrets.py", "status": "added"}]
    world.changes["files"] = {"complete": True, "entries": entries}


@story(
    "pipeline-planned-but-untouched",
    "A planned file that was not changed is worth a warning.",
    state="success",
    phases=GREEN,
    codes="PG721",
)
def _(world: World) -> None:
    piped(world)
    more = [{"order": 3, "action": "modify", "file": "docs/auth.md", "description": "Tell it", "depends_on": [1]}]
    first = json.loads(plan())
    world.leaves("p", plan=plan(affected_files=[*PRODUCT, "docs/auth.md"], steps=[*first["steps"], *more]))
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=review())


@story(
    "pipeline-git-result",
    "What the git agent says of this pull request is true.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("g", git=git_result(world))


@story(
    "pipeline-git-result-of-another",
    "The git agent speaks of another pull request.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG761",
    because="git-result.json is invalid",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("g", git=git_result(world, pr_number=8, pr_url=None))


@story(
    "pipeline-state-of-another-issue",
    "The state in the folder is that of another issue.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG780",
    because="state.yaml is invalid",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("s", state="issue_number: 11\nstatus: in_progress\n")


@story(
    "pipeline-folder-by-state",
    "A folder with a name of its own is the issue's by its state.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    in_folder(world, "SPEC-X-002", state="issue: SPEC-X-002\nissue_number: 12\nstatus: in_progress\n")


@story(
    "pipeline-folder-touched",
    "A folder with a name of its own is the issue's because the pull request changes it and no other.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    in_folder(world, "SPEC-X-002")


@story(
    "pipeline-two-folders",
    "Two folders could be the issue's: nobody can tell which one counts.",
    state="failure",
    phases="failure failure failure",
    codes="PG708",
    because="could each be the folder of #12",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("again", "b", by="ana", evidence={".pipeline/issue-12/plan.json": plan()})


@story(
    "pipeline-folder-by-template",
    "With a template in the policy only the folder that it names counts.",
    state="success",
    phases=GREEN,
    codes="PG709",
)
def _(world: World) -> None:
    in_folder(world, "issue-12", policy=f'{PROFILE}artifacts: {{folder: "issue-{{number}}"}}\n')
    world.push("again", "own", by="ana", evidence={".pipeline/12/plan.json": plan()})
    world.contents[commit("again")] = world.contents[commit("b")]


@story(
    "pipeline-ignored",
    "Git ignores the folder: the summary says so instead of waiting for it.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG233",
    because="line 3 of .gitignore",
)
def _(world: World) -> None:
    piped(world)
    world.changes["artifacts_ignored"] = {"path": ".gitignore", "line": 3, "pattern": ".pipeline/"}


@story(
    "pipeline-no-issue",
    "Without a linked issue nobody can tell whose evidence it is.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG401",
    because="No linked issue",
)
def _(world: World) -> None:
    reviewed(world)
    world.issues.clear()


@story(
    "pipeline-no-issue-needed",
    "Where the policy needs no issue, the folder that the pull request changes is its own.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    in_folder(world, "sessions", policy=f"{PROFILE}issue: {{required: false}}\n")
    world.issues.clear()


@story(
    "pipeline-two-issues",
    "Each of two issues has its folder, and each folder its part of the work.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    two_issues(world)


@story(
    "pipeline-two-issues-one-folder",
    "The second issue has no evidence of its own.",
    state="pending",
    phases=PLAN_WAITS,
    because="plan.json in .pipeline/13",
)
def _(world: World) -> None:
    world.issue(13)
    reviewed(world)


@story(
    "pipeline-unknown-file",
    "A file beside the artifacts that nobody reads is worth a warning.",
    state="success",
    phases=GREEN,
    codes="PG703",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("n", "b", by="ana", evidence={f"{FOLDER}/worker_result.json": worker()})


@story(
    "pipeline-rule-turned-down",
    "The policy makes a rule of its own weight.",
    state="success",
    phases=GREEN,
    codes="PG742",
)
def _(world: World) -> None:
    worked(world, f"{PROFILE}rules: {{PG742: notice}}\n")
    world.leaves("t", test=results())
    world.leaves("r", review=review(concerns=[{"file": "src/auth.py", "line": 3, "description": "A long name"}]))


@story(
    "pipeline-by-a-named-bot",
    "The pipeline's account is named with id and app: a push tells the account, and that is enough.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = BOT
    world.push("b", by="jkz-runner[bot]", evidence=files(plan=plan(), worker=worker(), test=results(), review=review()))


@story(
    "pipeline-lessons",
    "A file beside the folders belongs to no issue, and is left alone.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed(world)
    world.push("l", "b", by="ana", evidence={".pipeline/lessons.yaml": "lessons: []\n"})


@story(
    "pipeline-two-issues-one-name",
    "A folder whose name tells no issue cannot be the folder of two.",
    state="failure",
    phases="failure failure failure",
    codes="PG708",
    because="could be the folder of #12 and of #13",
)
def _(world: World) -> None:
    world.issue(13)
    in_folder(world, "sessions")


@story(
    "pipeline-own-quick-label",
    "Which issues go without a plan is the policy's to say.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.label("tiny")
    piped(world, f"{PROFILE}issue: {{quick_labels: [tiny]}}\n")
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=review())


@story(
    "pipeline-one-account",
    "Where the policy asks for accounts of their own, who pushes the work does not judge it.",
    state="pending",
    phases=BUILD_WAITS,
    because="were pushed from one account, ana",
)
def _(world: World) -> None:
    reviewed(world, DISTINCT)


@story(
    "pipeline-distinct-accounts",
    "Worker, tester and reviewer push from accounts of their own.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    piped(world, DISTINCT)
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker())
    world.leaves("t", by="ben", test=results())
    world.leaves("r", by="mona", review=review())


@story(
    "pipeline-commit-asked-for",
    "Where the policy asks for it, a result names the commit that it judged.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG304",
    because="names no commit",
)
def _(world: World) -> None:
    worked(world, NAMING)


@story(
    "pipeline-commit-given",
    "Every result names the commit that it judged.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    piped(world, NAMING)
    world.leaves("p", plan=plan())
    for name, texts in (("w", {"worker": worker}), ("t", {"test": results}), ("r", {"review": review})):
        judged = commit(world.head)
        world.leaves(name, **{key: make(commit=judged) for key, make in texts.items()})


@story(
    "mixed-quick",
    "On the quick route the artifact is not asked for, unless quick_artifacts names it.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.label("complexity:quick")
    mixed(world)
    world.judges("judge")


@story(
    "pipeline-two-issues-shared-file",
    "The work of two issues may touch the same files.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.issue(13)
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    for number in (12, 13):
        evidence = {path.replace("/12/", f"/{number}/"): text for path, text in texts.items()}
        world.push(f"e{number}", "b", by="ana", evidence=evidence)


@story(
    "pipeline-plan-approved",
    "A plan may be approved before the work begins: the approval is for its text.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = APPROVED
    world.leaves("p", plan=plan())
    world.say("mona", "/gate approve plan")
    world.push("b")
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=review())


@story(
    "pipeline-plan-changed-after-approval",
    "A plan that was changed has to be approved again.",
    state="pending",
    phases=PLAN_WAITS,
    because="before the last push of evidence",
)
def _(world: World) -> None:
    world.policy = APPROVED
    world.leaves("p", plan=plan())
    world.say("mona", "/gate approve plan")
    world.leaves("p2", plan=plan(commit_plan=["feat: sessions expire"]))


@story(
    "mixed-green",
    "The Judge's and Inspector's words and the tests' artifact: both must pass, and do.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    mixed(world)
    world.leaves("t", test=results())
    world.planned()
    world.built()
    world.tested()


@story(
    "mixed-without-artifact",
    "The words have passed, the artifact is missing.",
    state="pending",
    phases=BUILD_WAITS,
    because="test-result.json",
)
def _(world: World) -> None:
    mixed(world)
    world.planned()
    world.built()
    world.tested()


@story(
    "mixed-artifact-failed",
    "The words have passed, the tests have not.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG752",
    because="test-result.json says FAIL",
)
def _(world: World) -> None:
    mixed(world)
    world.leaves("t", test=results("FAIL", None))
    world.planned()
    world.built()
    world.tested()


@story(
    "mixed-without-words",
    "The artifact has passed, the Judge has not spoken.",
    state="pending",
    phases=BUILD_WAITS,
    because="Judge",
)
def _(world: World) -> None:
    mixed(world)
    world.leaves("t", test=results())
    world.planned()
