"""Stories of the pipeline profile: what a policy changes, and artifacts beside comments."""

from __future__ import annotations

from tests.casebook.evidence import diagnosis, files, plan, results, review, worker
from tests.casebook.pipeline import APPROVED, BOT, DISTINCT, NAMING, PLAN_WAITS, PROFILE, mixed, piped, reviewed, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import World, commit, verdict

QA_IN_FILES = 'qa: {dialect: pipeline, roles: [], artifacts: ["test-result.json#phase_2"]}'


@story(phases=GREEN, codes="PG742")
def pipeline_rule_turned_down(world: World) -> None:
    """The policy makes a rule of its own weight."""
    world.then(worked, f"{PROFILE}rules: {{PG742: notice}}\n").leaves("t", test=results())
    world.leaves("r", review=review(concerns=[{"file": "src/auth.py", "line": 3, "description": "A long name"}]))


@story(phases=GREEN)
def pipeline_by_a_named_bot(world: World) -> None:
    """The pipeline's account is named with id and app: a push tells the account, and that is enough."""
    world.under(BOT)
    world.push("b", by="jkz-runner[bot]", evidence=files(plan=plan(), worker=worker(), test=results(), review=review()))


@story(phases=GREEN)
def pipeline_own_quick_label(world: World) -> None:
    """Which issues go without a plan is the policy's to say."""
    world.label("tiny").then(piped, f"{PROFILE}issue: {{quick_labels: [tiny]}}\n").leaves("w", worker=worker())
    world.leaves("t", test=results()).leaves("r", review=review())


@story(phases=BUILD_WAITS, because="come from one account, ana")
def pipeline_one_account(world: World) -> None:
    """Where the policy asks for accounts of their own, who pushes the work does not judge it."""
    reviewed(world, DISTINCT)


@story(phases=GREEN)
def pipeline_distinct_accounts(world: World) -> None:
    """Worker, tester and reviewer push from accounts of their own."""
    world.then(piped, DISTINCT).leaves("p", plan=plan()).leaves("w", worker=worker())
    world.leaves("t", by="ben", test=results()).leaves("r", by="mona", review=review())


@story(phases=BUILD_FAILED, codes="PG304", because="names no commit")
def pipeline_commit_asked_for(world: World) -> None:
    """Where the policy asks for it, a result names the commit that it judged."""
    worked(world, NAMING)


@story(phases=GREEN)
def pipeline_commit_given(world: World) -> None:
    """Every result names the commit that it judged."""
    world.then(piped, NAMING).leaves("p", plan=plan())
    for name, texts in (("w", {"worker": worker}), ("t", {"test": results}), ("r", {"review": review})):
        judged = commit(world.head)
        world.leaves(name, **{key: make(commit=judged) for key, make in texts.items()})


@story(phases=GREEN)
def mixed_quick(world: World) -> None:
    """On the quick route the artifact is not asked for, unless quick_artifacts names it."""
    world.label("complexity:quick").then(mixed).passed_by("judge")


@story(phases=GREEN)
def pipeline_plan_approved(world: World) -> None:
    """A plan may be approved before the work begins: the approval is for its text."""
    world.under(APPROVED).leaves("p", plan=plan()).says("mona", "/gate approve plan").push("b")
    world.leaves("w", worker=worker()).leaves("t", test=results()).leaves("r", review=review())


@story(phases=PLAN_WAITS, because="before the last push of evidence")
def pipeline_plan_changed_after_approval(world: World) -> None:
    """A plan that was changed has to be approved again."""
    world.under(APPROVED).leaves("p", plan=plan()).says("mona", "/gate approve plan")
    world.leaves("p2", plan=plan(commit_plan=["feat: sessions expire"]))


@story(phases=GREEN)
def mixed_green(world: World) -> None:
    """The Judge's and Inspector's words and the tests' artifact: both must pass, and do."""
    world.then(mixed).leaves("t", test=results()).green()


@story(phases=BUILD_WAITS, because="test-result.json")
def mixed_without_artifact(world: World) -> None:
    """The words have passed, the artifact is missing."""
    world.then(mixed).green()


@story(phases=BUILD_FAILED, codes="PG752", because="test-result.json says FAIL")
def mixed_artifact_failed(world: World) -> None:
    """The words have passed, the tests have not."""
    world.then(mixed).leaves("t", test=results("FAIL", None)).green()


@story(phases=BUILD_WAITS, because="Judge")
def mixed_without_words(world: World) -> None:
    """The artifact has passed, the Judge has not spoken."""
    world.then(mixed).leaves("t", test=results()).planned()


@story(phases=BUILD_WAITS, because="Judge and test-result.json come from one account")
def mixed_one_account(world: World) -> None:
    """Who pushed the work does not judge it, in a comment either."""
    piped(world, "version: 1\nverdicts: {distinct_accounts: true}\nphases: {build: {artifacts: [test-result.json]}}\n")
    world.leaves("t", test=results())
    world.says("octo-dev", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=12)
    world.says("ana", verdict("auditor"), on=12).says("ben", verdict("curator"), on=12)
    world.says("mona", "/gate approve plan", on=12).passed_by("judge", who="ana")
    world.passed_by("inspector", who="ben")


@story(phases=BUILD_FAILED, codes="PG720 PG722", because="is invalid")
def pipeline_claimed_by_nobody(world: World) -> None:
    """A report that nobody asked for excuses no file that another issue's plan lacks."""
    world.issue(13)
    world.label("tiny", 13)
    phases = "phases: {build: {quick_artifacts: [test-result.json]}, qa: {quick_artifacts: [test-result.json#phase_2]}}"
    phases = phases.replace("test-result.json#phase_2", '"test-result.json#phase_2"')
    reviewed(world, f"{PROFILE}issue: {{quick_labels: [tiny]}}\n{phases}\n")
    theirs = {"worker-result.json": worker(files_changed=["src/backdoor.py"]), "test-result.json": results()}
    world.push("e", "b", by="ana", evidence={f".pipeline/13/{name}": text for name, text in theirs.items()})
    entries = [*world.snapshot()["files"]["entries"], {"path": "src/backdoor.py", "status": "added"}]
    world.touches(*entries)


@story(phases=GREEN)
def mixed_qa_in_files(world: World) -> None:
    """Plan and build are judged in words, QA in files: each seat is filled in its own dialect."""
    world.then(piped, f"version: 1\nphases: {{{QA_IN_FILES}}}\n").planned().built().leaves("t", test=results())
    world.says("mona", "/gate approve qa")


@story(phases=QA_WAITS, because="test-result.json")
def mixed_qa_in_words(world: World) -> None:
    """QA is judged in files, but its roles speak in comments: their words fill no seat that the policy gives to
    files.
    """
    world.then(piped, f"version: 1\nphases: {{{QA_IN_FILES}}}\n").green()


OPTIONAL = f"{PROFILE}phases: {{build: {{artifacts: [test-result.json], optional_artifacts: [review-result.json]}}}}\n"


@story(phases=GREEN)
def pipeline_optional_passed(world: World) -> None:
    """A review that nobody asked for has passed."""
    reviewed(world, OPTIONAL)


@story(phases=GREEN, codes="PG303 PG306")
def pipeline_optional_failed_before(world: World) -> None:
    """A review that nobody asked for failed an older content: it is a round, and neither passes nor fails this one."""
    world.then(worked, OPTIONAL).leaves("t", test=results()).leaves("r", review=review("FAIL"))
    world.leaves("d", debug=diagnosis(failure_source="reviewer")).push("c")
    world.leaves("t2", test=results(cost_estimate="2 $"))


@story(phases=GREEN)
def pipeline_plan_approved_after_relinking(world: World) -> None:
    """The plan was approved once the right issue was linked."""
    reviewed(world, APPROVED)
    world.relinked_at = world.tick()
    world.says("mona", "/gate approve plan")


@story(phases=PLAN_WAITS, because="before the last push of evidence")
def pipeline_plan_moved_after_approval(world: World) -> None:
    """The folder with the approved plan is moved: what stands in the new one has to be approved again."""
    world.then(reviewed, APPROVED).says("mona", "/gate approve plan")
    moved = {path.replace("/12/", "/issue-12/"): text for path, text in world.trees[-1].items()}
    world.push("m", "b", by="ana", evidence={**dict.fromkeys(world.trees[-1]), **moved})
