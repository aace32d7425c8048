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


@story("approved-by-stranger", "A stranger approves.", state="pending", phases=QA_WAITS, codes="PG210")
def _(world: World) -> None:
    qa_but(world)
    world.say("eve", "/gate approve qa")


@story(
    "approved-by-app",
    "A program writes the approval in a maintainer's name.",
    state="pending",
    phases=QA_WAITS,
    codes="PG210",
)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa", app_id=777)


@story("approved-by-author", "The author approves the own work.", state="pending", phases=QA_WAITS, codes="PG211")
def _(world: World) -> None:
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


@story(
    "approved-by-run",
    "Humans and agents share an account: the protected environment tells them apart.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world)


@story(
    "approved-by-run-of-a-branch",
    "A run of a branch may be of a workflow that the branch changed.",
    state="pending",
    phases=QA_WAITS,
    codes="PG221",
)
def _(world: World) -> None:
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, ref="sessions")


@story(
    "approved-by-run-without-policy",
    "The policy names no workflow for approvals.",
    state="pending",
    phases=QA_WAITS,
    codes="PG221",
)
def _(world: World) -> None:
    qa_but(world)
    approve_by_run(world)


@story("approved-by-run-for-older-commit", "The run was let pass for another commit.", state="pending", phases=QA_WAITS)
def _(world: World) -> None:
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, commit=commit("elsewhere"))


@story(
    "approved-by-run-of-stranger",
    "Let pass by somebody without write permission.",
    state="pending",
    phases=QA_WAITS,
    codes="PG210",
)
def _(world: World) -> None:
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, approved_by=PEOPLE["eve"])


@story("approved-by-author-allowed", "The policy lets the author approve.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {author_may_approve: true}\n"
    qa_but(world)
    world.say("octo-dev", "/gate approve qa")


@story(
    "approved-by-agent", "An account that speaks as an agent approves.", state="pending", phases=QA_WAITS, codes="PG212"
)
def _(world: World) -> None:
    qa_but(world)
    world.say("ana", "/gate approve qa")


@story("approved-by-agent-allowed", "The policy lets agents' accounts approve.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {agents_may_approve: true}\n"
    qa_but(world)
    world.say("ana", "/gate approve qa")


@story(
    "approved-below-minimum",
    "The policy asks for more than write permission.",
    state="pending",
    phases=QA_WAITS,
    codes="PG210",
)
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {minimum_permission: maintain}\n"
    qa_but(world)
    world.say("ben", "/gate approve qa")


@story(
    "approved-edited-by-another",
    "Somebody writes an approval into a maintainer's comment.",
    state="pending",
    phases=QA_WAITS,
    codes="PG205",
)
def _(world: World) -> None:
    qa_but(world)
    said = world.say("mona", "I shall look at it.")
    world.edit(said, "/gate approve qa", "octo-dev")


@story("approved-unknown-phase", "There is no such phase.", state="pending", phases=QA_WAITS, codes="PG213")
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve test")


@story("approved-malformed", "Commands are exact.", state="pending", phases=QA_WAITS, codes="PG214")
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa please")


@story("approved-in-quote", "A quoted command is somebody else's.", state="pending", phases=QA_WAITS)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "> /gate approve qa\n\nNot yet.")


@story("approved-in-fence", "A fenced command is an example.", state="pending", phases=QA_WAITS)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "Later I shall write\n\n```\n/gate approve qa\n```\n")


@story("resumed-without-reason", "A resume says why.", state="pending", phases=QA_WAITS, codes="PG215 PG238")
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate resume qa")


@story(
    "approved-plan-on-pull-request",
    "A plan is approved where it stands.",
    state="pending",
    phases="pending pending pending",
    codes="PG209",
)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan")
    world.built()


def steering(world: World, path: str = "AGENTS.md") -> None:
    """The pull request changes what agents take orders from."""
    world.changes["files"] = {"complete": True, "entries": [{"path": PRODUCT[0]}, {"path": path, "status": "added"}]}


@story(
    "instructions-changed",
    "What agents take orders from is changed: their PASS of the build needs a human beside it.",
    state="pending",
    phases=BUILD_WAITS,
    because="AGENTS.md may steer the agents",
)
def _(world: World) -> None:
    steering(world)
    world.planned()
    world.built()
    world.tested()


@story("instructions-approved", "A human approved the build, after the judges.", state="success", phases=GREEN)
def _(world: World) -> None:
    steering(world)
    world.planned()
    world.built()
    world.say("mona", "/gate approve build")
    world.tested()


@story("instructions-approved-first", "Or before them: any order will do.", state="success", phases=GREEN)
def _(world: World) -> None:
    steering(world)
    world.planned()
    world.say("mona", "/gate approve build")
    world.built()
    world.tested()


@story(
    "instructions-linked-elsewhere", "A link of the base leads to what is not changed.", state="success", phases=GREEN
)
def _(world: World) -> None:
    world.changes["instruction_links"] = [{"path": "CLAUDE.md", "target": "src/auth.md"}]
    world.planned()
    world.built()
    world.tested()


@story("instructions-unguarded", "The policy does not guard them.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\ninstructions: {guard: false}\n"
    steering(world)
    world.planned()
    world.built()
    world.tested()


@story("instructions-of-nobody", "A file that only looks like one.", state="success", phases=GREEN)
def _(world: World) -> None:
    steering(world, "docs/how-AGENTS.md")
    world.planned()
    world.built()
    world.tested()


@story(
    "instructions-judged-late",
    "The branch was brought up to date while the judges looked: they name the commit before, with the same content.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.push("b", content="a")
    for role in ("judge", "inspector"):
        world.judges(role, commit=commit("a"))
    world.tested()


@story(
    "instructions-gone-and-approved",
    "The judges passed a commit while another was the head, and it is the head again: a human approves.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
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

    @story(_name, _says, state="success", phases=GREEN)
    def _(world: World, who: str = _who, by: str = _by) -> None:
        qa_but(world)
        world.say("mona", "/gate approve qa")
        removes(world, who, by)


@story(
    "approved-after-a-deletion", "The approvals came after the deletion.", state="success", phases=GREEN, codes="PG227"
)
def _(world: World) -> None:
    qa_but(world)
    removes(world, "mona", "octo-dev")
    world.say("mona", "/gate approve plan", on=12)
    world.say("mona", "/gate approve qa")


@story(
    "withdrawn-on-the-issue-and-approved-again",
    "Who withdrew on the issue approves again.",
    state="success",
    phases=GREEN,
    codes="PG224",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.say("mona", "/gate withdraw qa", on=12)
    world.say("mona", "/gate approve qa")


@story(
    "approved-and-an-older-commit-too",
    "Somebody approves an older commit afterwards: what was approved before stays so.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    world.built()
    world.tested()
    world.say("ben", f"/gate approve qa {commit('a')}")


@story(
    "withdrawn-and-approved-at-once",
    "Who approved an older commit withdraws that and approves anew, in one comment.",
    state="success",
    phases=GREEN,
    codes="PG224",
)
def _(world: World) -> None:
    world.planned()
    world.say("mona", "/gate approve qa")
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.say("mona", "/gate withdraw qa\n/gate approve qa\n")


@story("approved-and-withdrawn-at-once", "The last line holds.", state="pending", phases=QA_WAITS, codes="PG224")
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa\n/gate withdraw qa\n")


@story("withdrawal-taken-back", "Who withdrew thinks better of it.", state="success", phases=GREEN)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa")
    world.edit(world.say("mona", "/gate withdraw qa"), "I was wrong, it is good.", "mona")


@story(
    "withdrawal-made-up",
    "Somebody writes a withdrawal into a comment of who approved: it is none.",
    state="success",
    phases=GREEN,
    codes="PG205",
)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa")
    world.edit(world.say("mona", "Well done."), "/gate withdraw qa", "octo-dev")


@story("overridden-again", "Opened again, the issue is overridden again.", state="success", phases=GREEN, codes="PG404")
def _(world: World) -> None:
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


@story("approved-by-review", "GitHub's Approve button, which the policy lets count.", state="success", phases=GREEN)
def _(world: World) -> None:
    reviewed(world)


@story(
    "approved-by-review-that-counts-not",
    "Unless the policy says so, GitHub's Approve button is nothing here.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for a human's /gate approve qa",
)
def _(world: World) -> None:
    reviewed(world)
    world.policy = None
