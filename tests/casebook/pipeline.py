"""Stories of the pipeline profile: evidence that the agents push, stage by stage."""

from __future__ import annotations

import json

from tests.casebook.evidence import FOLDER, PRODUCT, files, plan, results, review, worker
from tests.casebook.story import BUILD_WAITS, GREEN, story
from tests.casebook.world import URL, World, commit

PROFILE = "version: 1\nprofile: pipeline\n"
ALONE = f"{PROFILE}agents: {{author_may_judge: true}}\n"  # one account works, tests and reviews
APPROVED = f"{PROFILE}phases: {{plan: {{human_approval: true}}}}\n"
DISTINCT = f"{PROFILE}verdicts: {{distinct_accounts: true}}\n"
NAMING = f"{PROFILE}verdicts: {{require_commit: true}}\n"
PLAN_WAITS = "pending pending pending"
PLAN_FAILED = "failure pending pending"
BOT = f"""{PROFILE}agents:
  only: true
  accounts:
    - login: "jkz-runner[bot]"
      id: 987
      app_id: 12345
      roles: [plan.json, worker-result.json, test-result.json, review-result.json]
"""


def piped(world: World, policy: str = PROFILE) -> None:
    """A repository of the pipeline, with the product of the pull request pushed by its author."""
    world.under(policy).push("b")


def worked(world: World, policy: str = PROFILE) -> None:
    """Everything but tests and review."""
    world.then(piped, policy).leaves("p", plan=plan()).leaves("w", worker=worker())


def reviewed(world: World, policy: str = PROFILE) -> None:
    """Every stage has passed."""
    world.then(worked, policy).leaves("t", test=results()).leaves("r", review=review())


def in_folder(world: World, /, name: str, policy: str = PROFILE, **more: str) -> None:
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


def git_result(world: World, /, **changes: object) -> str:
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


@story(phases=GREEN)
def pipeline_green(world: World) -> None:
    """Every stage has left its artifact, and each passed."""
    reviewed(world)


@story(phases=PLAN_WAITS, because="plan.json in .pipeline/12")
def pipeline_no_folder(world: World) -> None:
    """No agent has pushed anything yet."""
    piped(world)


@story(phases=BUILD_WAITS, because="worker-result.json")
def pipeline_plan_only(world: World) -> None:
    """The plan is there and valid, the worker's result is awaited."""
    world.then(piped).leaves("p", plan=plan())


@story(phases=BUILD_WAITS, because="test-result.json")
def pipeline_untested(world: World) -> None:
    """The worker is done, the tests are awaited."""
    worked(world)


@story(phases=BUILD_WAITS, because="review-result.json")
def pipeline_unreviewed(world: World) -> None:
    """Tests have passed, the review is awaited."""
    world.then(worked).leaves("t", test=results())


@story(phases=PLAN_FAILED, codes="PG710", because="plan.json is invalid")
def pipeline_invalid_plan(world: World) -> None:
    """A plan whose steps depend on each other in a circle is no plan."""
    piped(world)
    steps = [
        {"order": 1, "file": "src/auth.py", "depends_on": [2]},
        {"order": 2, "file": "tests/test_auth.py", "depends_on": [1]},
    ]
    world.leaves("p", plan=plan(steps=[{"action": "modify", "description": "x", **step} for step in steps]))


@story(phases=GREEN)
def pipeline_in_one_push(world: World) -> None:
    """One push may bring the product and all the evidence for it, where the policy lets one account do both."""
    world.under(ALONE)
    world.push("b", by="ana", evidence=files(plan=plan(), worker=worker(), test=results(), review=review()))


@story(phases=GREEN)
def pipeline_before_opening(world: World) -> None:
    """Agents that push before they open the pull request are heard as well."""
    reviewed(world)
    world.opened = world.tick()


@story(phases=GREEN)
def pipeline_rebased(world: World) -> None:
    """A rebase that brings the same changes leaves the evidence fresh."""
    world.then(reviewed).push("rebased", "b")


@story(phases=BUILD_WAITS, codes="PG303", because="worker-result.json (completed) was for")
def pipeline_stale(world: World) -> None:
    """The product was changed after the evidence was pushed: nothing of it speaks of what would merge."""
    world.then(reviewed).push("c")


@story(phases=GREEN)
def pipeline_commit_named(world: World) -> None:
    """A result may name the commit that it judged, which makes the same words about another commit another file."""
    world.then(worked).leaves("t", test=results(commit=commit("w")))
    world.leaves("r", review=review(commit=commit("w")[:7]))


@story(phases=BUILD_WAITS, codes="PG303", because="test-result.json (PASS) was for")
def pipeline_older_commit_named(world: World) -> None:
    """A result that names an older commit speaks of that one, even if it was pushed later."""
    world.then(worked).leaves("t", test=results(commit=commit("a"))).leaves("r", review=review())


@story(phases="success failure failure", codes="PG301", because="test-result.json is invalid")
def pipeline_unknown_commit_named(world: World) -> None:
    """A result that names a commit which never was the head is invalid."""
    world.then(worked).leaves("t", test=results(commit=commit("elsewhere"))).leaves("r", review=review())


@story(phases=BUILD_WAITS, codes="PG306", because="test-result.json is stale")
def pipeline_worked_again(world: World) -> None:
    """A new delivery makes the tests and the review of the old one stale, even if the product is the same."""
    world.then(reviewed).leaves("w2", worker=worker(summary="Sessions expire, said more clearly."))


@story(phases=BUILD_WAITS, codes="PG306", because="worker-result.json is stale")
def pipeline_planned_again(world: World) -> None:
    """A new plan asks for a new delivery."""
    world.then(reviewed).leaves("p2", plan=plan(commit_plan=["feat: sessions expire"]))


@story(phases=GREEN)
def pipeline_trivial(world: World) -> None:
    """A trivial issue needs no plan."""
    world.label("complexity:trivial").then(piped).leaves("w", worker=worker()).leaves("t", test=results())
    world.leaves("r", review=review())
