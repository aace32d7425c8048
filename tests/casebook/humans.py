"""Stories about human acts: who may approve, where, and in which form."""

from __future__ import annotations

from tests.casebook.evidence import PRODUCT
from tests.casebook.story import BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, REPOSITORY, URL, World, commit


def qa_but(world: World) -> None:
    """Everything is green but the approval of QA."""
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")


@story(phases=QA_WAITS, codes="PG210")
def approved_by_stranger(world: World) -> None:
    """A stranger approves."""
    qa_but(world)
    world.say("eve", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG210")
def approved_by_app(world: World) -> None:
    """A program writes the approval in a maintainer's name."""
    qa_but(world)
    world.say("mona", "/gate approve qa", app_id=777)


@story(phases=QA_WAITS, codes="PG211")
def approved_by_author(world: World) -> None:
    """The author approves the own work."""
    qa_but(world)
    world.say("octo-dev", "/gate approve qa")


DISPATCH = (
    "version: 1\nhumans: {dispatch: {workflow: .github/workflows/phase-gate-approve.yml, environment: phase-gate}}\n"
)


def approve_by_run(world: World, **changes: object) -> None:
    """Somebody lets a run of the approval workflow pass its protected environment."""
    run = {
        "run": 4711,
        "url": f"{URL}/actions/runs/4711",
        "workflow": ".github/workflows/phase-gate-approve.yml",
        "ref": "main",
        "event": "workflow_dispatch",
        "at": world.tick(),
        "phase": "qa",
        "environment": "phase-gate",
        "approved_by": PEOPLE["ana"],
        "commit": commit("a"),
    }
    world.changes["dispatch_approvals"] = [run | changes]


@story(phases=GREEN)
def approved_by_run(world: World) -> None:
    """Humans and agents share an account: the protected environment tells them apart."""
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world)


@story(phases=QA_WAITS, codes="PG221")
def approved_by_run_of_a_branch(world: World) -> None:
    """A run of a branch may be of a workflow that the branch changed."""
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, ref="sessions")


@story(phases=QA_WAITS, codes="PG221")
def approved_by_run_without_policy(world: World) -> None:
    """The policy names no workflow for approvals."""
    qa_but(world)
    approve_by_run(world)


@story(phases=QA_WAITS)
def approved_by_run_for_older_commit(world: World) -> None:
    """The run was let pass for another commit."""
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, commit=commit("elsewhere"))


@story(phases=QA_WAITS, codes="PG210")
def approved_by_run_of_stranger(world: World) -> None:
    """Let pass by somebody without write permission."""
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, approved_by=PEOPLE["eve"])


@story(phases=GREEN)
def approved_by_author_allowed(world: World) -> None:
    """The policy lets the author approve."""
    world.policy = "version: 1\nhumans: {author_may_approve: true}\n"
    qa_but(world)
    world.say("octo-dev", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG212")
def approved_by_agent(world: World) -> None:
    """An account that speaks as an agent approves."""
    qa_but(world)
    world.say("ana", "/gate approve qa")


@story(phases=GREEN)
def approved_by_agent_allowed(world: World) -> None:
    """The policy lets agents' accounts approve."""
    world.policy = "version: 1\nhumans: {agents_may_approve: true}\n"
    qa_but(world)
    world.say("ana", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG210")
def approved_below_minimum(world: World) -> None:
    """The policy asks for more than write permission."""
    world.policy = "version: 1\nhumans: {minimum_permission: maintain}\n"
    qa_but(world)
    world.say("ben", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG205")
def approved_edited_by_another(world: World) -> None:
    """Somebody writes an approval into a maintainer's comment."""
    qa_but(world)
    said = world.say("mona", "I shall look at it.")
    world.edit(said, "/gate approve qa", "octo-dev")


@story(phases=QA_WAITS, codes="PG213")
def approved_unknown_phase(world: World) -> None:
    """There is no such phase."""
    qa_but(world)
    world.say("mona", "/gate approve test")


@story(phases=QA_WAITS, codes="PG214")
def approved_malformed(world: World) -> None:
    """Commands are exact."""
    qa_but(world)
    world.say("mona", "/gate approve qa please")


@story(phases=QA_WAITS)
def approved_in_quote(world: World) -> None:
    """A quoted command is somebody else's."""
    qa_but(world)
    world.say("mona", "> /gate approve qa\n\nNot yet.")


@story(phases=QA_WAITS)
def approved_in_fence(world: World) -> None:
    """A fenced command is an example."""
    qa_but(world)
    world.say("mona", "Later I shall write\n\n```\n/gate approve qa\n```\n")


@story(phases=QA_WAITS, codes="PG215 PG238")
def resumed_without_reason(world: World) -> None:
    """A resume says why."""
    qa_but(world)
    world.say("mona", "/gate resume qa")


@story(phases="pending pending pending", codes="PG209")
def approved_plan_on_pull_request(world: World) -> None:
    """A plan is approved where it stands."""
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan")
    world.built()


def steering(world: World, path: str = "AGENTS.md") -> None:
    """The pull request changes what agents take orders from."""
    world.changes["files"] = {"complete": True, "entries": [{"path": PRODUCT[0]}, {"path": path, "status": "added"}]}


@story(phases=BUILD_WAITS, because="AGENTS.md may steer the agents")
def instructions_changed(world: World) -> None:
    """What agents take orders from is changed: their PASS of the build needs a human beside it."""
    steering(world)
    world.planned()
    world.built()
    world.tested()


@story(phases=GREEN)
def instructions_approved(world: World) -> None:
    """A human approved the build, after the judges."""
    steering(world)
    world.planned()
    world.built()
    world.say("mona", "/gate approve build")
    world.tested()


@story(phases=GREEN)
def instructions_approved_first(world: World) -> None:
    """Or before them: any order will do."""
    steering(world)
    world.planned()
    world.say("mona", "/gate approve build")
    world.built()
    world.tested()


@story(phases=GREEN)
def instructions_linked_elsewhere(world: World) -> None:
    """A link of the base leads to what is not changed."""
    world.changes["instruction_links"] = [{"path": "CLAUDE.md", "target": "src/auth.md"}]
    world.planned()
    world.built()
    world.tested()


@story(phases=GREEN)
def instructions_unguarded(world: World) -> None:
    """The policy does not guard them."""
    world.policy = "version: 1\ninstructions: {guard: false}\n"
    steering(world)
    world.planned()
    world.built()
    world.tested()


@story(phases=GREEN)
def instructions_of_nobody(world: World) -> None:
    """A file that only looks like one."""
    steering(world, "docs/how-AGENTS.md")
    world.planned()
    world.built()
    world.tested()


@story(phases=GREEN)
def instructions_judged_late(world: World) -> None:
    """The branch was brought up to date while the judges looked: they name the commit before, with the same content."""
    world.planned()
    world.push("b", content="a")
    for role in ("judge", "inspector"):
        world.judges(role, commit=commit("a"))
    world.tested()


@story(phases=GREEN)
def instructions_gone_and_approved(world: World) -> None:
    """The judges passed a commit while another was the head, and it is the head again: a human approves."""
    world.planned()
    world.push("b")
    for role in ("judge", "inspector"):
        world.judges(role, commit=commit("a"))
    world.push("c", content="a")
    world.say("mona", "/gate approve build")
    world.tested()


def removes(world: World, who: str, by: str) -> None:
    """Somebody deletes a remark on the pull request."""
    said = world.say(who, "A remark.")
    world.comments.remove(said)
    event = {"at": world.tick(), "actor": PEOPLE[by], "author": said["author"]}
    world.changes.setdefault("deleted_comments", []).append(event)


for _name, _says, _who, _by in (
    ("approver-tidied-up", "Whoever approved deletes an own remark.", "mona", "mona"),
    ("approver-moderated", "Somebody who could approve as well deletes a remark of who did.", "mona", "ben"),
    ("another-moderated", "The author deletes a remark of somebody else.", "ben", "octo-dev"),
):

    @story(_name, _says, phases=GREEN)
    def _(world: World, who: str = _who, by: str = _by) -> None:
        qa_but(world)
        world.say("mona", "/gate approve qa")
        removes(world, who, by)


@story(phases=GREEN, codes="PG227")
def approved_after_a_deletion(world: World) -> None:
    """The approvals came after the deletion."""
    qa_but(world)
    removes(world, "mona", "octo-dev")
    world.say("mona", "/gate approve plan", on=12)
    world.say("mona", "/gate approve qa")


@story(phases=GREEN, codes="PG224")
def withdrawn_on_the_issue_and_approved_again(world: World) -> None:
    """Who withdrew on the issue approves again."""
    world.planned()
    world.built()
    world.tested()
    world.say("mona", "/gate withdraw qa", on=12)
    world.say("mona", "/gate approve qa")


@story(phases=GREEN)
def approved_and_an_older_commit_too(world: World) -> None:
    """Somebody approves an older commit afterwards: what was approved before stays so."""
    world.planned()
    world.push("b")
    world.built()
    world.tested()
    world.say("ben", f"/gate approve qa {commit('a')}")


@story(phases=GREEN, codes="PG224")
def withdrawn_and_approved_at_once(world: World) -> None:
    """Who approved an older commit withdraws that and approves anew, in one comment."""
    world.planned()
    world.say("mona", "/gate approve qa")
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.say("mona", "/gate withdraw qa\n/gate approve qa\n")


@story(phases=QA_WAITS, codes="PG224")
def approved_and_withdrawn_at_once(world: World) -> None:
    """The last line holds."""
    qa_but(world)
    world.say("mona", "/gate approve qa\n/gate withdraw qa\n")


@story(phases=GREEN)
def withdrawal_taken_back(world: World) -> None:
    """Who withdrew thinks better of it."""
    qa_but(world)
    world.say("mona", "/gate approve qa")
    world.edit(world.say("mona", "/gate withdraw qa"), "I was wrong, it is good.", "mona")


@story(phases=GREEN, codes="PG205")
def withdrawal_made_up(world: World) -> None:
    """Somebody writes a withdrawal into a comment of who approved: it is none."""
    qa_but(world)
    world.say("mona", "/gate approve qa")
    world.edit(world.say("mona", "Well done."), "/gate withdraw qa", "octo-dev")


@story(phases=GREEN, codes="PG404")
def overridden_again(world: World) -> None:
    """Opened again, the issue is overridden again."""
    world.say("mona", "/gate override plan: there was no time", on=12)
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]
    world.say("mona", "/gate override plan: nor is there now", on=12)
    world.built()
    world.tested()


REVIEWS = "version: 1\nhumans: {reviews: true}\n"


def reviewed(world: World, who: str = "mona") -> None:
    """Everything is green but for an approval, and somebody presses GitHub's Approve button."""
    world.policy = REVIEWS
    qa_but(world)
    world.review(who, "", state="APPROVED")


@story(phases=GREEN)
def approved_by_review(world: World) -> None:
    """GitHub's Approve button, which the policy lets count."""
    reviewed(world)


@story(phases=QA_WAITS, because="Waiting for a human's /gate approve qa")
def approved_by_review_that_counts_not(world: World) -> None:
    """Unless the policy says so, GitHub's Approve button is nothing here."""
    reviewed(world)
    world.policy = None
