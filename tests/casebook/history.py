"""Stories about rounds: attempts, escalation, tampering, overruling, overriding, and words that were spent."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import PEOPLE, REPOSITORY, World, commit, verdict


def failing_rounds(world: World, count: int) -> None:
    """The Judge fails so many contents, one after the other."""
    for number in range(count):
        world.push(f"attempt-{number}")
        world.judges("judge", "FAIL")


@story(
    "three-attempts-used",
    "Three fix attempts are allowed: the fourth content passes.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 3)
    world.push("last")
    world.built()
    world.tested()


@story(
    "escalated",
    "The fourth failing round escalates, whatever verdicts come later.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 4)
    world.push("last")
    world.built()
    world.tested()


@story("escalated-and-resumed", "A human resumes an escalated phase.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 4)
    world.say("mona", "/gate resume build: the requirement was unclear, see #12")
    world.push("last")
    world.built()
    world.tested()


@story(
    "resumed-too-early",
    "A resume before the escalation does nothing.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 3)
    world.say("mona", "/gate resume build: just in case")
    world.push("more")
    world.judges("judge", "FAIL")
    world.push("last")
    world.built()
    world.tested()


@story(
    "resumed-by-agent",
    "An agent cannot resume what humans must look at.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG212",
    because="Escalated",
)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 4)
    world.say("ana", "/gate resume build: I am sure now")
    world.push("last")
    world.built()
    world.tested()


@story(
    "failing-rounds-edited-away",
    "A FAIL that its author edited to PASS was still a failing round.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}")
        world.edit(world.judges("judge", "FAIL"), verdict("judge"), "ana")
    world.judges("inspector")
    world.tested()


@story(
    "same-content-failed-twice",
    "Two FAILs of one content are one failing round.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    failing_rounds(world, 3)
    world.judges("inspector", "FAIL")
    world.judges("judge", "FAIL")
    world.push("last")
    world.built()
    world.tested()


@story(
    "max-attempts-by-policy",
    "The policy allows one attempt to fix.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated: 2 failing rounds",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {build: {max_attempts: 1}}\n"
    world.planned()
    failing_rounds(world, 2)
    world.push("last")
    world.built()


@story(
    "tampered-fail-then-pass",
    "Somebody edited the Judge's FAIL; a later PASS does not clear that, a human must.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG205",
    because="Judge's FAIL was edited by octo-dev",
)
def _(world: World) -> None:
    world.planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev")
    world.push("b")
    world.built()
    world.tested()


@story(
    "tampered-fail-resumed",
    "A human found out why and resumed.",
    state="success",
    phases=GREEN,
    codes="PG205",
)
def _(world: World) -> None:
    world.planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev")
    world.push("b")
    world.say("mona", "/gate resume build: octo-dev mended a typo by mistake")
    world.built()
    world.tested()


def on_record(world: World, said: int, role: str = "judge") -> None:
    """The gate has written down that this comment failed the commit."""
    seen = {"source": f"comment-{said}", "role": role, "outcome": "FAIL", "at": world.tick(), "commit": commit("a")}
    world.changes["record"] = {"signals": [seen]}
    line = {"context": "phase-gate/record", "state": "success", "description": f"FAIL on record: {role} comment-{said}"}
    world.changes["statuses"] = [{**line, "at": seen["at"]}]


@story(
    "deleted-fail",
    "The Judge's FAIL was deleted, so that the older PASS would count again; the record remembers.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge's FAIL was deleted by octo-dev",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"])
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]
    world.judges("inspector")
    world.tested()


@story("deleted-fail-resumed", "A human looked at the deletion and resumed.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"])
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]
    world.say("mona", "/gate resume build: it was posted twice")
    world.built()
    world.tested()


@story(
    "fail-on-record-still-there",
    "A FAIL that is on record and still there is an ordinary one.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"])
    world.push("b")
    world.built()
    world.tested()


@story(
    "base-changed",
    "Pointed at another base, the same commit brings in something else.",
    state="pending",
    phases=BUILD_WAITS,
    because="another base",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.base_changes = [{"at": world.tick(), "before": "develop", "after": "main", "actor": PEOPLE["octo-dev"]}]


@story("judged-after-base-change", "Judged after the change of base.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.base_changes = [{"at": world.tick(), "before": "develop", "after": "main", "actor": PEOPLE["octo-dev"]}]
    world.built()
    world.tested()


@story(
    "issue-spent",
    "An issue that another pull request has closed lends no plan and lowers nothing.",
    state="pending",
    phases="pending pending pending",
    codes="PG404",
    because="its plan is spent",
)
def _(world: World) -> None:
    world.label("bug")
    world.planned()
    world.built()
    world.issues[0]["state"] = "closed"
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]


@story("issue-closed-by-this", "Closed by this very pull request it still counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.issues[0]["state"] = "closed"
    world.issues[0]["closed_by"] = [{"number": 7, "merged_at": world.tick(), "repository": REPOSITORY}]


@story(
    "commit-named-before-it-was-there",
    "A PASS for a commit that nobody had pushed yet.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG301",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", commit=commit("b"))
    world.push("b")
    world.judges("inspector")
    world.tested()
