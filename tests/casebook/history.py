"""Stories about rounds: attempts, escalation, tampering, overruling, overriding, and words that were spent."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import JSON, PEOPLE, REPOSITORY, World, block, commit, verdict

GATE: JSON = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}


@story(phases=GREEN)
def three_attempts_used(world: World) -> None:
    """Three fix attempts are allowed: the fourth content passes."""
    world.planned().failing_rounds(3).passes_at_last()


@story(phases=BUILD_FAILED, because="Escalated: 4 failing rounds")
def escalated(world: World) -> None:
    """The fourth failing round escalates, whatever verdicts come later."""
    world.planned().failing_rounds(4).passes_at_last()


def requested_rounds(world: World, count: int) -> None:
    """A reviewer who has judged here requests changes of so many contents, without a word."""
    world.planned().passed_by("judge")
    for number in range(count):
        world.push(f"attempt-{number}").reviewed("ana", "", state="CHANGES_REQUESTED")
    world.passes_at_last()


@story(phases=GREEN)
def requests_three_rounds(world: World) -> None:
    """Requests for changes without a word, of three contents, leave an attempt."""
    requested_rounds(world, 3)


@story(phases="success failure failure", because="Escalated: 4 failing rounds")
def requests_make_rounds(world: World) -> None:
    """A request for changes is a FAIL, so that four of them on four contents escalate."""
    requested_rounds(world, 4)


@story(phases=GREEN)
def escalated_and_resumed(world: World) -> None:
    """A human resumes an escalated phase."""
    world.planned().failing_rounds(4).says("mona", "/gate resume build: the requirement was unclear, see #12")
    world.passes_at_last()


@story(phases=BUILD_FAILED, because="Escalated: 4 failing rounds")
def resumed_too_early(world: World) -> None:
    """A resume before the escalation does nothing."""
    world.planned().failing_rounds(3).says("mona", "/gate resume build: just in case").push("more")
    world.failed_by("judge").passes_at_last()


@story(phases=BUILD_FAILED, codes="PG212", because="escalated")
def resumed_by_agent(world: World) -> None:
    """An agent cannot resume what humans must look at."""
    world.planned().failing_rounds(4).says("ana", "/gate resume build: I am sure now").passes_at_last()


@story(phases=GREEN)
def same_content_failed_twice(world: World) -> None:
    """Two FAILs of one content are one failing round."""
    world.planned().failing_rounds(3).failed_by("inspector").failed_by("judge").passes_at_last()


@story(phases=BUILD_FAILED, because="Escalated: 2 failing rounds")
def max_attempts_by_policy(world: World) -> None:
    """The policy allows one attempt to fix."""
    world.under("version: 1\nphases: {build: {max_attempts: 1}}\n").planned().failing_rounds(2).push("last")
    world.built()


@story(phases=GREEN, codes="PG205")
def tampered_fail_resumed(world: World) -> None:
    """A human found out why and resumed."""
    world.planned().edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev").push("b")
    world.says("mona", "/gate resume build: octo-dev mended a typo by mistake").built().tested()


def replanned(world: World) -> None:
    """The plan of #12 failed, which is on record; a maintainer links #13 in its place."""
    world.says("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    said = world.judges("auditor", "FAIL")
    world.on_record(said, "auditor", who="ana").link(13, "mona").unlink(12, "mona").planned(13).built().tested()


@story(phases="failure pending pending", because="Auditor's FAIL was recorded here and has since disappeared")
def failed_plan_unlinked(world: World) -> None:
    """The issue whose plan failed is unlinked: nobody deleted that FAIL, and it is not forgotten."""
    replanned(world)


@story(phases=GREEN)
def failed_plan_unlinked_and_resumed(world: World) -> None:
    """A human has looked at that."""
    world.then(replanned).says("mona", "/gate resume plan: planned anew on #13", on=13)
    world.says("mona", "/gate approve plan", on=13)


def left_after_failing(world: World) -> None:
    """Ben failed the plain work, is on record with it, and may only read since."""
    world.planned().built().on_record(world.judges("judge", "FAIL", who="ben"), who="ben")
    world.permits("ben", "read")


@story(phases=BUILD_FAILED, codes="PG201", because="Judge failed 86f7e43: J1")
def failed_by_somebody_who_left(world: World) -> None:
    """The account that failed it may not speak any more; an older PASS is there, and the FAIL keeps counting."""
    world.then(left_after_failing).tested()


@story(phases=GREEN, codes="PG201")
def failed_by_somebody_who_left_and_judged_again(world: World) -> None:
    """Such a FAIL is answered like any other, by the seat's next word."""
    world.then(left_after_failing).built().tested()


@story(phases=BUILD_FAILED, codes="PG201", because="Judge failed 86f7e43: J1")
def failed_by_somebody_who_left_and_passed(world: World) -> None:
    """What that account writes since passes nothing."""
    world.then(left_after_failing).passed_by("judge", who="ben").others_pass()


@story(phases=GREEN)
def edited_fail_deleted_and_judged_again(world: World) -> None:
    """The Judge edits a FAIL into an old comment, deletes it and judges anew: like an edit of its own."""
    world.planned()
    first = world.judges("judge")
    world.edit(first, verdict("judge", "FAIL"), "ana").on_record(first, who="ana").delete(first, "ana").built()
    world.tested()


@story(phases=GREEN)
def deleted_fail_resumed(world: World) -> None:
    """A human looked at the deletion and resumed."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said)
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]
    world.says("mona", "/gate resume build: it was posted twice").built().tested()


@story(phases=GREEN)
def fail_on_record_still_there(world: World) -> None:
    """A FAIL that is on record and still there is an ordinary one."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said).push("b").built().tested()


@story(phases=BUILD_WAITS, because="another base")
def base_changed(world: World) -> None:
    """Pointed at another base, the same commit brings in something else."""
    world.green().retarget("develop")


@story(phases=GREEN)
def judged_after_base_change(world: World) -> None:
    """Judged after the change of base."""
    world.planned().retarget("develop").built().tested()


@story(phases="pending pending pending", codes="PG404", because="its plan is spent")
def issue_spent(world: World) -> None:
    """An issue that another pull request has closed lends no plan and lowers nothing."""
    world.label("bug").planned().built()
    world.issues[0]["state"] = "closed"
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]


@story(phases=GREEN)
def issue_closed_by_this(world: World) -> None:
    """Closed by this very pull request it still counts."""
    world.green()
    world.issues[0]["state"] = "closed"
    world.issues[0]["closed_by"] = [{"number": 7, "merged_at": world.tick(), "repository": REPOSITORY}]


@story(phases=BUILD_WAITS, codes="PG301")
def commit_named_before_it_was_there(world: World) -> None:
    """A PASS for a commit that nobody had pushed yet."""
    world.planned().passed_by("judge", commit=commit("b")).push("b").others_pass()


@story(phases=GREEN, codes="PG001 PG102")
def placeholders_are_no_rounds(world: World) -> None:
    """A heading without a block, and broken blocks that object to nothing, are no failing rounds."""
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}").says("ana", "## jkz:judge\n\nLooking at it.\n")
        world.says("ana", f"## jkz:judge\n\n{block('{verdict: PASS, issues: [], must_fix: []}')}\n")
    world.passes_at_last()


@story(phases=GREEN)
def dismissed_fail_resumed(world: World) -> None:
    """A human looked at the dismissal and resumed."""
    world.planned().dismiss(world.review("ana", verdict("judge", "FAIL")))
    world.says("mona", "/gate resume build: it was for another pull request").built().tested()


@story(phases=GREEN, codes="PG102")
def dismissed_placeholder_answered(world: World) -> None:
    """A placeholder was dismissed, and a verdict followed."""
    world.planned().dismiss(world.review("ana", "## jkz:judge\n\nLooking at it.\n")).built().tested()


@story(phases=GREEN)
def own_fail_deleted_and_answered(world: World) -> None:
    """The Judge's account deleted its own FAIL and judged anew: like an edit of its own, and still a round."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said, "ana").push("b").built().tested()


@story(phases=GREEN)
def own_fails_deleted_round_after_round(world: World) -> None:
    """An account that deletes its last verdict whenever it posts a new one: each was its own, and the rounds stay."""
    world.planned()
    for number in range(3):
        world.push(f"attempt-{number}")
        said = world.judges("judge", "FAIL")
        world.on_record(said, who="ana", judged=f"attempt-{number}").delete(said, "ana")
    world.passes_at_last()


@story(phases=GREEN)
def placeholder_deleted_and_answered(world: World) -> None:
    """The Judge's account deleted its placeholder and judged."""
    world.planned()
    said = world.say("ana", "## jkz:judge\n\nLooking at it.\n")
    world.on_record(said, outcome="invalid", who="ana").delete(said, "ana").built().tested()


@story(phases=GREEN)
def deleted_fail_resumed_and_spam_deleted(world: World) -> None:
    """A human resumed; a stranger's comment that is deleted later was not the Judge's."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said).says("mona", "/gate resume build: it was posted twice")
    world.delete(world.say("eve", "Buy this."), "mona").built().tested()


@story(phases=GREEN)
def deleted_fail_resumed_and_the_next_taken_back(world: World) -> None:
    """A human resumed after a FAIL was deleted; the next FAIL was deleted by its own account, which judged anew."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said).says("mona", "/gate resume build: it was posted twice")
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said, "ana").built().tested()


@story(phases=GREEN, codes="PG205")
def version_removed_and_resumed(world: World) -> None:
    """Somebody took the text of a FAIL out of its comment's history; a human found out why and resumed."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").edit(said, verdict("judge"), "ana")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE["mona"]}
    world.says("mona", "/gate resume build: it held a password").push("b").built().tested()


@story(phases=GREEN)
def blocked_builder_deleted_and_done(world: World) -> None:
    """The Builder deleted its BLOCKED, and the Doctor says that it is fixed."""
    world.planned()
    said = world.say("ben", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    world.on_record(said, "builder", outcome="BLOCKED", who="ben").delete(said, "ben")
    world.says("ben", f"## jkz:doctor\n\nIt is there.\n\n{block({'verdict': 'FIXED'})}\n").built().tested()


@story(phases=GREEN)
def record_of_a_stranger(world: World) -> None:
    """What another account writes under the name of the record adds nothing to it."""
    world.green()
    written = {"context": "phase-gate/record", "state": "success", "description": "On record: judge comment-1 FAIL"}
    world.changes["statuses"] = [{**written, "at": world.tick(), "creator": PEOPLE["eve"]}]
