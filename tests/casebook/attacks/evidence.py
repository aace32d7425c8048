"""Evidence: files in the branch that would speak for the wrong account, content, issue or pull request."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.drift import STORIES
from tests.casebook.evidence import files, plan, results, review, worker
from tests.casebook.pipeline import APPROVED, PROFILE, git_result, piped, reviewed, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS
from tests.casebook.world import World, commit

evidence = partial(attack, "evidence")
waits = partial(evidence, phases=BUILD_WAITS)
fails = partial(evidence, phases=BUILD_FAILED)
ONLY = f"{PROFILE}agents: {{only: true, accounts: [{{login: ben, id: 22}}]}}\n"
TESTER = f'{PROFILE}agents: {{accounts: [{{login: "jkz-runner[bot]", id: 987, roles: [worker-result.json]}}]}}\n'


def all_by(world: World, who: str, policy: str = PROFILE) -> None:
    """Every stage has passed, and one account has pushed it all."""
    piped(world, policy)
    texts = files(plan=plan(), worker=worker(), test=results(), review=review())
    world.push("e", "b", by=who, evidence=texts)


@evidence(phases=WAITING, codes="PG231", defence="no-evidence-from-forks", because="fork")
def fork_evidence(world: World) -> None:
    """The owner of a fork pushes a perfect folder."""
    reviewed(world)
    head = world.snapshot()["pull_request"] | {
        "head": {"ref": "sessions", "sha": commit("r"), "repository": "eve/shop"}
    }
    world.changes["pull_request"] = head


@waits(codes="PG303", defence="same-content", because="not for")
def old_pass_under_new_code(world: World) -> None:
    """The product is changed once everything has passed."""
    reviewed(world)
    world.push("evil")


@waits(codes="PG303", defence="same-base", because="another base branch")
def old_pass_for_another_base(world: World) -> None:
    """The pull request is pointed at another base once everything has passed."""
    reviewed(world)
    world.base_changes.append({"at": world.tick(), "before": "next", "after": "main"})


@waits(codes="PG306", defence="stage-by-stage", because="older than worker-result.json")
def tests_of_an_older_delivery(world: World) -> None:
    """The worker reports something else once the tests and the review have passed."""
    reviewed(world)
    world.leaves("w2", worker=worker(summary="Something else."))


@waits(codes="PG202", defence="author-does-not-judge", because="octo-dev opened this pull request")
def own_tests(world: World) -> None:
    """The author of the pull request pushes the results of the tests and the review."""
    all_by(world, "octo-dev")


@evidence(phases=WAITING, codes="PG203", defence="bots-by-name", because="counts only if the policy names it")
def bot_evidence(world: World) -> None:
    """An app that the policy does not name pushes a perfect folder."""
    world.permissions["helper[bot]"] = "write"
    all_by(world, "helper[bot]")


@evidence(phases=WAITING, codes="PG201", defence="writers-speak", because="is not named")
def unnamed_evidence(world: World) -> None:
    """A writer pushes a perfect folder where only named accounts may speak."""
    all_by(world, "ana", ONLY)


@evidence(phases="failure failure failure", codes="PG119", defence="one-role", because="plan.json is invalid")
def another_role_pushes(world: World) -> None:
    """The worker's account pushes the plan, its own tests and its own review."""
    all_by(world, "jkz-runner[bot]", TESTER)


@evidence(phases=WAITING, codes="PG232", defence="known-pusher", because="not known who pushed")
def pushed_by_nobody(world: World) -> None:
    """Nobody can tell who pushed the folder."""
    reviewed(world)
    for move in world.moves[1:]:
        move["actor"] = None


@waits(phases=WAITING, codes="PG234", defence="brought-here", because="merged before")
def plan_merged_before(world: World) -> None:
    """The plan of an earlier pull request is used once more."""
    reviewed(world)
    entries = [entry for entry in world.snapshot()["files"]["entries"] if not entry["path"].endswith("plan.json")]
    world.changes["files"] = {"complete": True, "entries": entries}


@evidence(phases=WAITING, codes="PG404", defence="spent-issues", because="spent")
def evidence_of_a_closed_issue(world: World) -> None:
    """The issue was closed by another pull request; its folder would serve once more."""
    reviewed(world)
    world.issues[0] |= {
        "state": "closed",
        "closed_by": [{"number": 5, "merged_at": "2026-03-01T10:00:00Z", "repository": "octo/shop"}],
    }


@evidence(phases=BUILD_WAITS, defence="approval-last", because="before the last push of evidence")
def approved_in_the_same_second(world: World) -> None:
    """The review is pushed in the second of the approval."""
    worked(world, f"{PROFILE}phases: {{build: {{human_approval: true}}}}\n")
    world.leaves("t", test=results())
    approval = world.say("mona", "/gate approve build")
    world.leaves("r", review=review())
    world.moves[-1]["at"] = approval["created_at"]


@waits(codes="PG306", defence="stage-by-stage", because="git-result.json is stale")
def older_delivery(world: World) -> None:
    """What the git agent delivered is older than the review that it stands on."""
    names = "[worker-result.json, test-result.json, review-result.json, git-result.json]"
    reviewed(world, f"{PROFILE}phases: {{build: {{artifacts: {names}}}}}\n")
    world.leaves("g", git=git_result(world))
    again = {
        "worker": worker(summary="Again."),
        "test": results(cost_estimate="1 $"),
        "review": review(cost_estimate="1 $"),
    }
    world.leaves("w2", **again)


@evidence(defence="files-stand", phases="success failure success", because="Story check failed")
def failing_file_outvoted(world: World) -> None:
    """Another file of the same role is pushed beside the one that says FAIL."""
    world.policy = STORIES
    world.commits("b", {".stories/1.json": '{"verdict": "bad"}'})
    world.commits("c", {".stories/2.json": '{"verdict": "good"}'})


def approved_elsewhere(world: World, other: str) -> None:
    """The plan that was approved is dropped, and another one, which lay beside it, is the issue's from then on."""
    world.policy = APPROVED
    world.push("b")
    world.push("p", "b", by="ana", evidence=files(plan=plan()))
    beside = {f".pipeline/{other}/plan.json": plan(summary="Something else")}
    world.push("o", "b", by="ana", evidence=beside)
    world.say("mona", "/gate approve plan")
    world.push("d", "b", evidence=files(plan=None))
    told = files(worker=worker(), test=results(), review=review())
    world.push("e", "b", by="ana", evidence={path.replace("/12/", f"/{other}/"): text for path, text in told.items()})


for _name in ("completed/12", "issue-12", "GH-12"):

    @evidence(
        f"approved-plan-dropped-beside-{_name.replace('/', '-')}",
        "The author removes the folder with the plan that was approved, so that another one is the issue's.",
        defence="folder-as-approved",
        phases="pending pending pending",
        because="came before the last push of evidence",
        codes="PG701",
    )
    def _(world: World, name: str = _name) -> None:
        approved_elsewhere(world, name)
