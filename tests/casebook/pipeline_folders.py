"""Stories of the pipeline profile: which folder is whose."""

from __future__ import annotations

from tests.casebook.evidence import FOLDER, files, plan, results, review, worker
from tests.casebook.pipeline import PLAN_WAITS, PROFILE, in_folder, piped, reviewed, two_issues, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import World, commit


@story(
    "pipeline-state-of-another-issue",
    "The state in the folder is that of another issue.",
    state="failure",
    phases="failure failure failure",
    codes="PG780",
    because="state.yaml belongs to",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("s", state="issue_number: 11\nstatus: in_progress\n")


@story(
    "pipeline-state-broken",
    "The planner's notes are optional: broken ones are a warning.",
    state="success",
    phases=GREEN,
    codes="PG010",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("s", state="status: 'in_progress\nresult: FAIL\n")


@story(
    "pipeline-state-lags",
    "Notes that lag behind green artifacts, or say that the work has stopped, are warnings that are shown.",
    state="success",
    phases=GREEN,
    codes="PG782",
)
def _(world: World) -> None:
    reviewed(world)
    world.leaves("s", state="issue_number: 12\nstatus: failed\nstages:\n  test: {result: FAIL}\n")


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
    world.changes["branch_files_ignored"] = {"path": ".gitignore", "line": 3, "pattern": ".pipeline/"}


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
    "A file beside the artifacts that nobody reads is product: it was not planned, and nobody reported it.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG303 PG703 PG720 PG722",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("n", evidence={f"{FOLDER}/worker_result.json": worker()})


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
    "pipeline-two-issues-shared-file", "The work of two issues may touch the same files.", state="success", phases=GREEN
)
def _(world: World) -> None:
    world.issue(13)
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    for number in (12, 13):
        evidence = {path.replace("/12/", f"/{number}/"): text for path, text in texts.items()}
        world.push(f"e{number}", "b", by="ana", evidence=evidence)


@story(
    "pipeline-broken-copy",
    "A copy counts for nothing, so one that is broken is only worth a warning.",
    state="success",
    phases=GREEN,
    codes="PG001",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("k", "b", by="ana", evidence={f"{FOLDER}/test-result-pass.json": "{"})


COMPLETED = ".pipeline/completed/12"


def moves(world: World) -> None:
    """The git stage moves the folder of the issue to where done work is kept."""
    there = {path.replace(FOLDER, COMPLETED): text for path, text in world.trees[-1].items()}
    world.push("m", "b", by="ana", evidence={**dict.fromkeys(world.trees[-1]), **there})


@story(
    "pipeline-completed",
    "Every stage has passed, and the git stage moved the folder to the completed ones.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed(world)
    moves(world)


@story(
    "pipeline-completed-at-once", "The evidence is pushed to the completed folder alone.", state="success", phases=GREEN
)
def _(world: World) -> None:
    in_folder(world, "completed/12")


@story(
    "pipeline-completed-by-template",
    "The policy fixes the form of the folder's name; the completed one has it too.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    in_folder(world, "completed/issue-12", f'{PROFILE}artifacts: {{folder: "issue-{{number}}"}}\n')


@story(
    "pipeline-completed-and-not",
    "The folder was copied, so there are two.",
    state="failure",
    phases="failure failure failure",
    codes="PG708",
    because="could each be the folder of #12",
)
def _(world: World) -> None:
    reviewed(world)
    copies = {path.replace(FOLDER, COMPLETED): text for path, text in world.trees[-1].items()}
    world.push("m", "b", by="ana", evidence=copies)


@story(
    "pipeline-completed-then-changed",
    "The product changed after the folder was moved.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG303",
    because="was for",
)
def _(world: World) -> None:
    reviewed(world)
    moves(world)
    world.push("c")


@story(
    "pipeline-one-tool",
    "The tests are told as the run of one tool, by its exit code.",
    state="success",
    phases=GREEN,
    codes="PG705",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(phase_1={"tool": "pytest", "exit_code": 0, "summary": "12 passed"}))
    world.leaves("r", review=review())


@story(
    "pipeline-one-tool-failed",
    "The same with another exit code: the verdict contradicts it.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG705 PG730",
    because="test-result.json",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(second=None, phase_1={"tool": "pytest", "exit_code": 1, "summary": "1 failed"}))
    world.leaves("r", review=review())


@story(
    "pipeline-run-again",
    "After a push the tests come to the very same result; run_at makes it another file.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results(run_at="2026-03-02T09:10:00Z"))
    world.leaves("r", review=review(run_at="2026-03-02T09:12:00Z"))
    world.push("c")
    world.leaves("w2", worker=worker(run_at="2026-03-02T09:20:00Z"))
    world.leaves("t2", test=results(run_at="2026-03-02T09:21:00Z"))
    world.leaves("r2", review=review(run_at="2026-03-02T09:22:00Z"))


@story(
    "pipeline-unreadable-state",
    "The folder has a name of its own, and nobody can read whose it is: it is no issue's.",
    state="pending",
    phases="pending pending pending",
    codes="PG010 PG709",
    because="Waiting for plan.json in .pipeline/12",
)
def _(world: World) -> None:
    in_folder(world, "sessions", state="issue_number: [12\n")
