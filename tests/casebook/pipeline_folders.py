"""Stories of the pipeline profile: which folder is whose."""

from __future__ import annotations

from tests.casebook.evidence import FOLDER, files, plan, results, review, worker
from tests.casebook.pipeline import PLAN_WAITS, PROFILE, in_folder, piped, reviewed, two_issues, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import World, commit


@story(phases=GREEN, codes="PG010")
def pipeline_state_broken(world: World) -> None:
    """The planner's notes are optional: broken ones are a warning."""
    world.then(reviewed).leaves("s", state="status: 'in_progress\nresult: FAIL\n")


@story(phases=GREEN, codes="PG782")
def pipeline_state_lags(world: World) -> None:
    """Notes that lag behind green artifacts, or say that the work has stopped, are warnings that are shown."""
    reviewed(world)
    world.leaves("s", state="issue_number: 12\nstatus: failed\nstages:\n  test: {result: FAIL}\n")


@story(phases=GREEN)
def pipeline_folder_by_state(world: World) -> None:
    """A folder with a name of its own is the issue's by its state."""
    in_folder(world, "SPEC-X-002", state="issue: SPEC-X-002\nissue_number: 12\nstatus: in_progress\n")


@story(phases=GREEN)
def pipeline_folder_touched(world: World) -> None:
    """A folder with a name of its own is the issue's because the pull request changes it and no other."""
    in_folder(world, "SPEC-X-002")


@story(phases="failure failure failure", codes="PG708", because="could each be the folder of #12")
def pipeline_two_folders(world: World) -> None:
    """Two folders could be the issue's: nobody can tell which one counts."""
    world.then(reviewed).push("again", "b", by="ana", evidence={".pipeline/issue-12/plan.json": plan()})


@story(phases=GREEN, codes="PG709")
def pipeline_folder_by_template(world: World) -> None:
    """With a template in the policy only the folder that it names counts."""
    in_folder(world, "issue-12", policy=f'{PROFILE}artifacts: {{folder: "issue-{{number}}"}}\n')
    world.push("again", "own", by="ana", evidence={".pipeline/12/plan.json": plan()})
    world.contents[commit("again")] = world.contents[commit("b")]


@story(phases=GREEN, codes="PG709")
def pipeline_copy_elsewhere(world: World) -> None:
    """A copy of a result in the folder of an issue that is not linked says nothing here."""
    world.then(reviewed).push("m", "b", by="ana", evidence={".pipeline/20/worker-result-fast.json": worker()})


@story(phases=PLAN_WAITS, codes="PG233", because="line 3 of .gitignore")
def pipeline_ignored(world: World) -> None:
    """Git ignores the folder: the summary says so instead of waiting for it."""
    piped(world)
    world.changes["branch_files_ignored"] = {"path": ".gitignore", "line": 3, "pattern": ".pipeline/"}


@story(phases=PLAN_WAITS, codes="PG401", because="No linked issue")
def pipeline_no_issue(world: World) -> None:
    """Without a linked issue nobody can tell whose evidence it is."""
    world.then(reviewed).without_issues()


@story(phases=GREEN)
def pipeline_no_issue_needed(world: World) -> None:
    """Where the policy needs no issue, the folder that the pull request changes is its own."""
    world.then(in_folder, "sessions", policy=f"{PROFILE}issue: {{required: false}}\n").without_issues()


@story(phases=GREEN)
def pipeline_two_issues(world: World) -> None:
    """Each of two issues has its folder, and each folder its part of the work."""
    two_issues(world)


@story(phases=PLAN_WAITS, because="plan.json in .pipeline/13")
def pipeline_two_issues_one_folder(world: World) -> None:
    """The second issue has no evidence of its own."""
    world.issue(13)
    reviewed(world)


@story(phases=BUILD_WAITS, codes="PG303 PG703 PG720 PG722")
def pipeline_unknown_file(world: World) -> None:
    """A file beside the artifacts that nobody reads is product: it was not planned, and nobody reported it."""
    world.then(reviewed).push("n", evidence={f"{FOLDER}/worker_result.json": worker()})


@story(phases=GREEN)
def pipeline_lessons(world: World) -> None:
    """A file beside the folders belongs to no issue, and is left alone."""
    world.then(reviewed).push("l", "b", by="ana", evidence={".pipeline/lessons.yaml": "lessons: []\n"})


@story(phases="failure failure failure", codes="PG708", because="could be the folder of #12 and of #13")
def pipeline_two_issues_one_name(world: World) -> None:
    """A folder whose name tells no issue cannot be the folder of two."""
    world.issue(13)
    in_folder(world, "sessions")


@story(phases=GREEN)
def pipeline_two_issues_shared_file(world: World) -> None:
    """The work of two issues may touch the same files."""
    world.issue(13)
    piped(world)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    for number in (12, 13):
        evidence = {path.replace("/12/", f"/{number}/"): text for path, text in texts.items()}
        world.push(f"e{number}", "b", by="ana", evidence=evidence)


@story(phases=GREEN, codes="PG001")
def pipeline_broken_copy(world: World) -> None:
    """A copy counts for nothing, so one that is broken is only worth a warning."""
    world.then(reviewed).push("k", "b", by="ana", evidence={f"{FOLDER}/test-result-pass.json": "{"})


COMPLETED = ".pipeline/completed/12"


def moves(world: World) -> None:
    """The git stage moves the folder of the issue to where done work is kept."""
    there = {path.replace(FOLDER, COMPLETED): text for path, text in world.trees[-1].items()}
    world.push("m", "b", by="ana", evidence={**dict.fromkeys(world.trees[-1]), **there})


@story(phases=GREEN)
def pipeline_completed(world: World) -> None:
    """Every stage has passed, and the git stage moved the folder to the completed ones."""
    world.then(reviewed).then(moves)


@story(phases=GREEN)
def pipeline_completed_at_once(world: World) -> None:
    """The evidence is pushed to the completed folder alone."""
    in_folder(world, "completed/12")


@story(phases=GREEN)
def pipeline_completed_by_template(world: World) -> None:
    """The policy fixes the form of the folder's name; the completed one has it too."""
    in_folder(world, "completed/issue-12", f'{PROFILE}artifacts: {{folder: "issue-{{number}}"}}\n')


@story(phases="failure failure failure", codes="PG708", because="could each be the folder of #12")
def pipeline_completed_and_not(world: World) -> None:
    """The folder was copied, so there are two."""
    reviewed(world)
    copies = {path.replace(FOLDER, COMPLETED): text for path, text in world.trees[-1].items()}
    world.push("m", "b", by="ana", evidence=copies)


@story(phases=BUILD_WAITS, codes="PG303", because="was for")
def pipeline_completed_then_changed(world: World) -> None:
    """The product changed after the folder was moved."""
    world.then(reviewed).then(moves).push("c")


@story(phases=GREEN, codes="PG705")
def pipeline_one_tool(world: World) -> None:
    """The tests are told as the run of one tool, by its exit code."""
    worked(world)
    world.leaves("t", test=results(phase_1={"tool": "pytest", "exit_code": 0, "summary": "12 passed"}))
    world.leaves("r", review=review())


@story(phases=BUILD_FAILED, codes="PG705 PG730", because="test-result.json")
def pipeline_one_tool_failed(world: World) -> None:
    """The same with another exit code: the verdict contradicts it."""
    worked(world)
    world.leaves("t", test=results(second=None, phase_1={"tool": "pytest", "exit_code": 1, "summary": "1 failed"}))
    world.leaves("r", review=review())


@story(phases=GREEN)
def pipeline_run_again(world: World) -> None:
    """After a push the tests come to the very same result; run_at makes it another file."""
    world.then(worked).leaves("t", test=results(run_at="2026-03-02T09:10:00Z"))
    world.leaves("r", review=review(run_at="2026-03-02T09:12:00Z")).push("c")
    world.leaves("w2", worker=worker(run_at="2026-03-02T09:20:00Z"))
    world.leaves("t2", test=results(run_at="2026-03-02T09:21:00Z"))
    world.leaves("r2", review=review(run_at="2026-03-02T09:22:00Z"))


@story(phases="pending pending pending", codes="PG010 PG709", because="Waiting for plan.json in .pipeline/12")
def pipeline_unreadable_state(world: World) -> None:
    """The folder has a name of its own, and nobody can read whose it is: it is no issue's."""
    in_folder(world, "sessions", state="issue_number: [12\n")
