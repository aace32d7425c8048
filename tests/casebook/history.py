"""Stories about rounds: attempts, escalation, tampering, overruling, overriding, and words that were spent."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import JSON, PEOPLE, REPOSITORY, World, block, commit, verdict

GATE: JSON = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}


def failing_rounds(world: World, count: int) -> None:
    """The Judge fails so many contents, one after the other."""
    for number in range(count):
        world.push(f"attempt-{number}")
        world.judges("judge", "FAIL")


@story(
    "three-attempts-used", "Three fix attempts are allowed: the fourth content passes.", state="success", phases=GREEN
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


def requested_rounds(world: World, count: int) -> None:
    """A reviewer who has judged here requests changes of so many contents, without a word."""
    world.planned()
    world.judges("judge")
    for number in range(count):
        world.push(f"attempt-{number}")
        world.review("ana", "", state="CHANGES_REQUESTED")
    world.push("last")
    world.built()
    world.tested()


@story(
    "requests-three-rounds",
    "Requests for changes without a word, of three contents, leave an attempt.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    requested_rounds(world, 3)


@story(
    "requests-make-rounds",
    "A request for changes is a FAIL, so that four of them on four contents escalate.",
    state="failure",
    phases="success failure failure",
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    requested_rounds(world, 4)


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
    because="escalated",
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


@story("same-content-failed-twice", "Two FAILs of one content are one failing round.", state="success", phases=GREEN)
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


@story("tampered-fail-resumed", "A human found out why and resumed.", state="success", phases=GREEN, codes="PG205")
def _(world: World) -> None:
    world.planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev")
    world.push("b")
    world.say("mona", "/gate resume build: octo-dev mended a typo by mistake")
    world.built()
    world.tested()


def on_record(  # noqa: PLR0913  (what is on record of a word)
    world: World, said: int, role: str = "judge", *, outcome: str = "FAIL", who: str | None = None, judged: str = "a"
) -> None:
    """The gate has written down that this comment failed the commit, or was no valid word."""
    at, account = world.tick(), None if who is None else PEOPLE[who]["id"]
    seen = {"source": f"comment-{said}", "role": role, "outcome": outcome, "at": at, "commit": commit(judged)}
    by = "" if account is None else f" by {account}"
    world.changes.setdefault("record", {"signals": []})["signals"].append({**seen, "account": account})
    written = f"On record: {role} comment-{said}@{commit(judged)[:7]} {outcome}{by}"
    number = len(world.changes.setdefault("statuses", [])) + 1
    context = "phase-gate/record" if number == 1 else f"phase-gate/record-{number}"
    line = {"context": context, "state": "success", "description": written, "creator": GATE, "at": at}
    world.changes["statuses"].append(line)


def deletes(world: World, said: JSON, who: str = "octo-dev") -> None:
    """Somebody deletes a comment of the pull request, now."""
    world.comments.remove(said)
    event = {"at": world.tick(), "actor": PEOPLE[who], "author": said["author"]}
    world.changes.setdefault("deleted_comments", []).append(event)


def replanned(world: World) -> None:
    """The plan of #12 failed, which is on record; a maintainer links #13 in its place."""
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    said = world.judges("auditor", "FAIL")
    on_record(world, said["id"], "auditor", who="ana")
    world.link(13, "mona")
    world.unlink(12, "mona")
    world.planned(13)
    world.built()
    world.tested()


@story(
    "failed-plan-unlinked",
    "The issue whose plan failed is unlinked: nobody deleted that FAIL, and it is not forgotten.",
    state="failure",
    phases="failure pending pending",
    because="Auditor's FAIL was recorded here and has since disappeared",
)
def _(world: World) -> None:
    replanned(world)


@story("failed-plan-unlinked-and-resumed", "A human has looked at that.", state="success", phases=GREEN)
def _(world: World) -> None:
    replanned(world)
    world.say("mona", "/gate resume plan: planned anew on #13", on=13)
    world.say("mona", "/gate approve plan", on=13)


def left_after_failing(world: World) -> None:
    """Ben failed the plain work, is on record with it, and may only read since."""
    world.planned()
    world.built()
    on_record(world, world.judges("judge", "FAIL", who="ben")["id"], who="ben")
    world.permissions["ben"] = "read"


@story(
    "failed-by-somebody-who-left",
    "The account that failed it may not speak any more; an older PASS is there, and the FAIL keeps counting.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG201",
    because="Judge failed 86f7e43: J1",
)
def _(world: World) -> None:
    left_after_failing(world)
    world.tested()


@story(
    "failed-by-somebody-who-left-and-judged-again",
    "Such a FAIL is answered like any other, by the seat's next word.",
    state="success",
    phases=GREEN,
    codes="PG201",
)
def _(world: World) -> None:
    left_after_failing(world)
    world.built()
    world.tested()


@story(
    "failed-by-somebody-who-left-and-passed",
    "What that account writes since passes nothing.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG201",
    because="Judge failed 86f7e43: J1",
)
def _(world: World) -> None:
    left_after_failing(world)
    world.judges("judge", who="ben")
    world.judges("inspector")
    world.tested()


@story(
    "edited-fail-deleted-and-judged-again",
    "The Judge edits a FAIL into an old comment, deletes it and judges anew: like an edit of its own.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    first = world.judges("judge")
    world.edit(first, verdict("judge", "FAIL"), "ana")
    on_record(world, first["id"], who="ana")
    deletes(world, first, "ana")
    world.built()
    world.tested()


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


@story(
    "placeholders-are-no-rounds",
    "A heading without a block, and broken blocks that object to nothing, are no failing rounds.",
    state="success",
    phases=GREEN,
    codes="PG001 PG102",
)
def _(world: World) -> None:
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}")
        world.say("ana", "## jkz:judge\n\nLooking at it.\n")
        world.say("ana", f"## jkz:judge\n\n{block('{verdict: PASS, issues: [], must_fix: []}')}\n")
    world.push("last")
    world.built()
    world.tested()


@story("dismissed-fail-resumed", "A human looked at the dismissal and resumed.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.dismiss(world.review("ana", verdict("judge", "FAIL")))
    world.say("mona", "/gate resume build: it was for another pull request")
    world.built()
    world.tested()


@story(
    "dismissed-placeholder-answered",
    "A placeholder was dismissed, and a verdict followed.",
    state="success",
    phases=GREEN,
    codes="PG102",
)
def _(world: World) -> None:
    world.planned()
    world.dismiss(world.review("ana", "## jkz:judge\n\nLooking at it.\n"))
    world.built()
    world.tested()


@story(
    "own-fail-deleted-and-answered",
    "The Judge's account deleted its own FAIL and judged anew: like an edit of its own, and still a round.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    deletes(world, said, "ana")
    world.push("b")
    world.built()
    world.tested()


@story(
    "own-fails-deleted-round-after-round",
    "An account that deletes its last verdict whenever it posts a new one: each was its own, and the rounds stay.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    for number in range(3):
        world.push(f"attempt-{number}")
        said = world.judges("judge", "FAIL")
        on_record(world, said["id"], who="ana", judged=f"attempt-{number}")
        deletes(world, said, "ana")
    world.push("last")
    world.built()
    world.tested()


@story(
    "placeholder-deleted-and-answered",
    "The Judge's account deleted its placeholder and judged.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.say("ana", "## jkz:judge\n\nLooking at it.\n")
    on_record(world, said["id"], outcome="invalid", who="ana")
    deletes(world, said, "ana")
    world.built()
    world.tested()


@story(
    "deleted-fail-resumed-and-spam-deleted",
    "A human resumed; a stranger's comment that is deleted later was not the Judge's.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    deletes(world, said)
    world.say("mona", "/gate resume build: it was posted twice")
    deletes(world, world.say("eve", "Buy this."), "mona")
    world.built()
    world.tested()


@story(
    "deleted-fail-resumed-and-the-next-taken-back",
    "A human resumed after a FAIL was deleted; the next FAIL was deleted by its own account, which judged anew.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    deletes(world, said)
    world.say("mona", "/gate resume build: it was posted twice")
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    deletes(world, said, "ana")
    world.built()
    world.tested()


@story(
    "version-removed-and-resumed",
    "Somebody took the text of a FAIL out of its comment's history; a human found out why and resumed.",
    state="success",
    phases=GREEN,
    codes="PG205",
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    world.edit(said, verdict("judge"), "ana")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE["mona"]}
    world.say("mona", "/gate resume build: it held a password")
    world.push("b")
    world.built()
    world.tested()


@story(
    "blocked-builder-deleted-and-done",
    "The Builder deleted its BLOCKED, and the Doctor says that it is fixed.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    said = world.say("ben", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    on_record(world, said["id"], "builder", outcome="BLOCKED", who="ben")
    deletes(world, said, "ben")
    world.say("ben", f"## jkz:doctor\n\nIt is there.\n\n{block({'verdict': 'FIXED'})}\n")
    world.built()
    world.tested()


@story(
    "record-of-a-stranger",
    "What another account writes under the name of the record adds nothing to it.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    written = {"context": "phase-gate/record", "state": "success", "description": "On record: judge comment-1 FAIL"}
    world.changes["statuses"] = [{**written, "at": world.tick(), "creator": PEOPLE["eve"]}]
