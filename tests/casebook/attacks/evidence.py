"""Evidence: files in the branch that would speak for the wrong account, content, issue or pull request."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.drift import STORIES, leaves
from tests.casebook.evidence import files, plan, results, review, worker
from tests.casebook.pipeline import APPROVED, PROFILE, git_result, piped, reviewed, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS
from tests.casebook.world import World, commit

evidence = partial(attack, "evidence")
waits = partial(evidence, state="pending", phases=BUILD_WAITS)
fails = partial(evidence, state="failure", phases=BUILD_FAILED)
ONLY = f"{PROFILE}agents: {{only: true, accounts: [{{login: ben, id: 22}}]}}\n"
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
    because="not for",
)
def _(world: World) -> None:
    reviewed(world)
    world.push("evil")


@waits(
    "old-pass-for-another-base",
    "The pull request is pointed at another base once everything has passed.",
    codes="PG303",
    defence="same-base",
    because="another base branch",
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
    because="counts only if the policy names it",
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
    because="not known who pushed",
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


@evidence(
    "failing-file-outvoted",
    "Another file of the same role is pushed beside the one that says FAIL.",
    defence="files-stand",
    state="failure",
    phases="success failure success",
    because="Story check failed",
)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "b", {".stories/1.json": '{"verdict": "bad"}'})
    leaves(world, "c", {".stories/2.json": '{"verdict": "good"}'})


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
        state="pending",
        phases="pending pending pending",
        because="came before the last push of evidence",
        codes="PG701",
    )
    def _(world: World, name: str = _name) -> None:
        approved_elsewhere(world, name)
