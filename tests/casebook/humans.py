"""Stories about human acts: who may approve, where, and in which form."""

from __future__ import annotations

from tests.casebook.evidence import PRODUCT
from tests.casebook.story import GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, REPOSITORY, URL, World, commit


@story(phases=QA_WAITS, codes="PG210")
def approved_by_stranger(world: World) -> None:
    """A stranger approves."""
    world.unapproved().says("eve", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG210")
def approved_by_app(world: World) -> None:
    """A program writes the approval in a maintainer's name."""
    world.unapproved().says("mona", "/gate approve qa", app_id=777)


@story(phases=QA_WAITS, codes="PG211")
def approved_by_author(world: World) -> None:
    """The author approves the own work."""
    world.unapproved().says("octo-dev", "/gate approve qa")


DISPATCH = (
    "version: 1\nhumans: {dispatch: {workflow: .github/workflows/phase-gate-approve.yml, environment: phase-gate}}\n"
)


def approve_by_run(world: World, /, **changes: object) -> None:
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
    world.under(DISPATCH).unapproved().then(approve_by_run)


@story(phases=QA_WAITS, codes="PG221")
def approved_by_run_of_a_branch(world: World) -> None:
    """A run of a branch may be of a workflow that the branch changed."""
    world.under(DISPATCH).unapproved().then(approve_by_run, ref="sessions")


@story(phases=QA_WAITS, codes="PG221")
def approved_by_run_without_policy(world: World) -> None:
    """The policy names no workflow for approvals."""
    world.unapproved().then(approve_by_run)


@story(phases=QA_WAITS, codes="PG210")
def approved_by_run_of_stranger(world: World) -> None:
    """Let pass by somebody without write permission."""
    world.under(DISPATCH).unapproved().then(approve_by_run, approved_by=PEOPLE["eve"])


@story(phases=GREEN)
def approved_by_author_allowed(world: World) -> None:
    """The policy lets the author approve."""
    world.under("version: 1\nhumans: {author_may_approve: true}\n").unapproved()
    world.says("octo-dev", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG212")
def approved_by_agent(world: World) -> None:
    """An account that speaks as an agent approves."""
    world.unapproved().says("ana", "/gate approve qa")


@story(phases=GREEN)
def approved_by_agent_allowed(world: World) -> None:
    """The policy lets agents' accounts approve."""
    world.under("version: 1\nhumans: {agents_may_approve: true}\n").unapproved().says("ana", "/gate approve qa")


@story(phases=QA_WAITS, codes="PG213")
def approved_unknown_phase(world: World) -> None:
    """There is no such phase."""
    world.unapproved().says("mona", "/gate approve test")


@story(phases=QA_WAITS, codes="PG214")
def approved_malformed(world: World) -> None:
    """Commands are exact."""
    world.unapproved().says("mona", "/gate approve qa please")


@story(phases=QA_WAITS, codes="PG215 PG238")
def resumed_without_reason(world: World) -> None:
    """A resume says why."""
    world.unapproved().says("mona", "/gate resume qa")


@story(phases="pending pending pending", codes="PG209")
def approved_plan_on_pull_request(world: World) -> None:
    """A plan is approved where it stands."""
    world.says("ana", "## jkz:architect\n\nThe plan.\n", on=12).passed_by("auditor").passed_by("curator")
    world.says("mona", "/gate approve plan").built()


def steering(world: World, path: str = "AGENTS.md") -> None:
    """The pull request changes what agents take orders from."""
    world.touches(PRODUCT[0], {"path": path, "status": "added"})


@story(phases=GREEN)
def instructions_approved(world: World) -> None:
    """A human approved the build, after the judges."""
    world.then(steering).planned().built().says("mona", "/gate approve build").tested()


@story(phases=GREEN)
def instructions_approved_first(world: World) -> None:
    """Or before them: any order will do."""
    world.then(steering).planned().says("mona", "/gate approve build").built().tested()


@story(phases=GREEN)
def instructions_linked_elsewhere(world: World) -> None:
    """A link of the base leads to what is not changed."""
    world.changes["instruction_links"] = [{"path": "CLAUDE.md", "target": "src/auth.md"}]
    world.green()


@story(phases=GREEN)
def instructions_unguarded(world: World) -> None:
    """The policy does not guard them."""
    world.under("version: 1\ninstructions: {guard: false}\n").then(steering).green()


@story(phases=GREEN)
def instructions_of_nobody(world: World) -> None:
    """A file that only looks like one."""
    world.then(steering, "docs/how-AGENTS.md").green()


@story(phases=GREEN)
def instructions_judged_late(world: World) -> None:
    """The branch was brought up to date while the judges looked: they name the commit before, with the same content."""
    world.planned().push("b", content="a").passed_by("judge", "inspector", commit=commit("a")).tested()


@story(phases=GREEN)
def instructions_gone_and_approved(world: World) -> None:
    """The judges passed a commit while another was the head, and it is the head again: a human approves."""
    world.planned().push("b").passed_by("judge", "inspector", commit=commit("a")).push("c", content="a")
    world.says("mona", "/gate approve build").tested()


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
        world.unapproved().says("mona", "/gate approve qa").then(removes, who, by)


@story(phases=GREEN, codes="PG227")
def approved_after_a_deletion(world: World) -> None:
    """The approvals came after the deletion."""
    world.unapproved().then(removes, "mona", "octo-dev").says("mona", "/gate approve plan", on=12)
    world.says("mona", "/gate approve qa")


@story(phases=GREEN, codes="PG224")
def withdrawn_on_the_issue_and_approved_again(world: World) -> None:
    """Who withdrew on the issue approves again."""
    world.green().says("mona", "/gate withdraw qa", on=12).says("mona", "/gate approve qa")


@story(phases=GREEN)
def approved_and_an_older_commit_too(world: World) -> None:
    """Somebody approves an older commit afterwards: what was approved before stays so."""
    world.planned().push("b").built().tested().says("ben", f"/gate approve qa {commit('a')}")


@story(phases=GREEN, codes="PG224")
def withdrawn_and_approved_at_once(world: World) -> None:
    """Who approved an older commit withdraws that and approves anew, in one comment."""
    world.planned().says("mona", "/gate approve qa").push("b").built().passed_by("sentinel", "lens")
    world.says("mona", "/gate withdraw qa\n/gate approve qa\n")


@story(phases=QA_WAITS, codes="PG224")
def approved_and_withdrawn_at_once(world: World) -> None:
    """The last line holds."""
    world.unapproved().says("mona", "/gate approve qa\n/gate withdraw qa\n")


@story(phases=GREEN)
def withdrawal_taken_back(world: World) -> None:
    """Who withdrew thinks better of it."""
    world.unapproved().says("mona", "/gate approve qa")
    world.edit(world.say("mona", "/gate withdraw qa"), "I was wrong, it is good.", "mona")


@story(phases=GREEN, codes="PG205")
def withdrawal_made_up(world: World) -> None:
    """Somebody writes a withdrawal into a comment of who approved: it is none."""
    world.unapproved().says("mona", "/gate approve qa")
    world.edit(world.say("mona", "Well done."), "/gate withdraw qa", "octo-dev")


@story(phases=GREEN, codes="PG404")
def overridden_again(world: World) -> None:
    """Opened again, the issue is overridden again."""
    world.says("mona", "/gate override plan: there was no time", on=12)
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]
    world.says("mona", "/gate override plan: nor is there now", on=12).built().tested()


REVIEWS = "version: 1\nhumans: {reviews: true}\n"


def reviewed(world: World, who: str = "mona") -> None:
    """Everything is green but for an approval, and somebody presses GitHub's Approve button."""
    world.under(REVIEWS).unapproved().reviewed(who, "", state="APPROVED")


@story(phases=GREEN)
def approved_by_review(world: World) -> None:
    """GitHub's Approve button, which the policy lets count."""
    reviewed(world)


@story(phases=QA_WAITS, because="Waiting for a human's /gate approve qa")
def approved_by_review_that_counts_not(world: World) -> None:
    """Unless the policy says so, GitHub's Approve button is nothing here."""
    world.then(reviewed).under(None)
