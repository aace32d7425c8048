"""Stories of people who are answered: what refused them is said first, and the first task leads on."""

from __future__ import annotations

from functools import partial

from tests.casebook import envelope, reviewers, thehood
from tests.casebook.evidence import diagnosis, plan, results, review, worker
from tests.casebook.pipeline import piped, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import World, block, finding, verdict

green = partial(story, phases=GREEN)
CHECKED = "version: 1\nphases: {build: {checks: [{name: unit tests}]}}\n"
SKIPPABLE = CHECKED.replace("unit tests", "unit tests, skipped: allow")


@green(codes="PG020 PG022 PG024 PG114 PG115")
def answer_malformed_fail(world: World) -> None:
    """A FAIL that breaks its form in five ways is fixed before it is asked for again."""
    world.planned()
    bare = finding("J1")
    del bare["location"]
    for what, keys in (
        ("without a location", {"issues": [bare]}),
        ("with an empty one", {"issues": [finding("J1", location="")]}),
        ("with an empty must_fix beside a HIGH", {"must_fix": []}),
        ("in small letters", {"verdict": "fail"}),
        ("in another form of the word", {"verdict": "FAILED"}),
    ):
        world.failed_by("judge", **keys).look(what)
    world.push("b").built().tested()


@story(phases=BUILD_FAILED, codes="PG020", because="review-result.json says FAIL")
def answer_malformed_review(world: World) -> None:
    """A reviewer's file fails and breaks its form: its blocker is to be fixed."""
    world.then(worked).leaves("t", test=results())
    world.leaves("r", review=review("FAIL", blockers=[{"file": "src/auth.py", "description": "Expired tokens pass"}]))


@green(codes="PG201")
def answer_strangers_word(world: World) -> None:
    """A reader, and an account that is gone, judge: that is said, and names nobody."""
    world.planned().passed_by("judge", who="eve").look("by somebody who may only read")
    world.judges("judge")["author"] = None
    world.look("and by an account that is gone").built().tested()


@green(codes="PG214")
def answer_approve_without_a_phase(world: World) -> None:
    """What other programs are told is answered with the line."""
    world.unapproved()
    for text in ("/approve", "/lgtm"):
        world.says("mona", text).look(text)
    world.says("mona", "/gate approve qa")


@green()
def answer_review_of_an_agent(world: World) -> None:
    """Reviews approve here, and an agent's does not: that is why."""
    world.under("version: 1\nhumans: {reviews: true}\n").unapproved().reviewed("ana", "", state="APPROVED")
    world.look("an agent presses the button").reviewed("mona", "", state="APPROVED")


@green()
def answer_request_without_a_verdict(world: World) -> None:
    """The Judge's account requests changes and writes no block."""
    world.planned().built().reviewed("ana", "Wait, this leaks", state="CHANGES_REQUESTED")
    world.look("changes are requested").push("b").built().tested()


@green(codes="PG031")
def answer_fenced(world: World) -> None:
    """The Judge's whole comment stands in a fence."""
    world.planned().says("ana", f"```markdown\n{verdict('judge')}```\n").look("in a fence").built().tested()


@story(phases=BUILD_FAILED, codes="PG031", because="the whole text is inside a code fence")
def answer_fenced_message(world: World) -> None:
    """So does a message."""
    envelope.enveloped(world)
    world.says("octo-dev", f"```markdown\n{envelope.message('worker_submission')}```\n")


@green()
def answer_own_dismissal(world: World) -> None:
    """The Judge's account dismisses its FAIL: it judges anew, and no human has to resume."""
    world.planned()
    failed = world.review("ana", verdict("judge", "FAIL"), state="CHANGES_REQUESTED")
    world.dismiss(failed, "ana").look("dismissed by its own account").push("b").built().tested()


@green(codes="PG836")
def answer_protected_tests(world: World) -> None:
    """Protected tests are changed: the approval is foreseen, and its reason told."""
    world.then(thehood.hooded).touches("src/auth.py", "tests/test_auth.py")
    changed = [{"path": path, "change_type": "modified"} for path in ("src/auth.py", "tests/test_auth.py")]
    world.then(thehood.implements, changed_files=changed).look("implemented").then(thehood.verifies)
    world.look("verified").says("mona", "/gate approve build")


@green()
def answer_checks(world: World) -> None:
    """A check was cancelled, skipped, then late, and red: each is told, with what leads on."""
    world.under(CHECKED).planned().built()
    for said in ("cancelled", "skipped", "timed_out", "failure"):
        world.changes["checks"] = [{"name": "unit tests", "status": "completed", "conclusion": said}]
        world.look(said)
    world.under(SKIPPABLE).look("red, where it may be skipped")
    world.changes["checks"][0]["conclusion"] = "skipped"
    world.tested()


@story(phases="success pending success", because="Next included review available in 31 minutes")
def answer_limited(world: World) -> None:
    """A reviewer is out of budget and says until when."""
    world.under(reviewers.policy("coderabbit"))
    notice = reviewers.notice("rate limited")
    reviewers.says(world, "coderabbit", f"{notice}> \n> **Next included review available in 31 minutes.**\n")


@story(phases=BUILD_WAITS)
def answer_blocked(world: World) -> None:
    """The Builder is blocked: a human answers."""
    world.planned()
    world.says("ana", f"## jkz:builder\n\nWhich clock?\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n")


@green(codes="PG520")
def answer_nothing_to_judge(world: World) -> None:
    """No phase concerns the files: a line of policy would help; somebody looks."""
    phases = ", ".join(f"{name}: {{paths: ['src/**']}}" for name in ("plan", "build", "qa"))
    world.under(f"version: 1\nphases: {{{phases}}}\n").touches("README.md").look("nobody has looked")
    world.says("mona", "/gate override build: only the readme")


@story(phases=BUILD_WAITS, codes="PG211 PG404")
def answer_approved_again(world: World) -> None:
    """Part one closed the issue; reopened, its plan is approved again for part two."""
    world.planned()
    merged = {"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}
    world.issues[0] |= {"closed_by": [merged], "state": "closed"}
    world.look("closed")
    world.issues[0]["state"] = "open"
    world.look("opened again").says("octo-dev", "/gate approve plan", on=12).look("approved by the author")
    world.says("mona", "/gate approve plan", on=12)


@green(codes="PG119")
def answer_foreign_diagnosis(world: World) -> None:
    """The policy does not name the bot for its diagnosis, which decides nothing."""
    files = ("plan.json", "worker-result.json", "test-result.json", "review-result.json")
    piped(world)
    world.under(
        "version: 1\nprofile: pipeline\n"
        f"agents: {{only: true, accounts: [{{login: ana, id: 21, roles: [{', '.join(files)}]}}]}}\n"
    )
    world.leaves("p", plan=plan()).leaves("w", worker=worker()).leaves("t", test=results(), debug=diagnosis())
    world.leaves("r", review=review())


@green(codes="PG213")
def answer_wrong_override(world: World) -> None:
    """An override of no phase is answered, until one that counts follows."""
    world.planned().failed_by("judge").says("mona", "/gate override builds: a hotfix")
    world.look("of a phase that is none").says("mona", "/gate override build: a hotfix")
    world.look("of the right one").tested()


@green()
def answer_fail_replaced(world: World) -> None:
    """The Judge's account deletes its FAIL and passes: the round still shows it."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said, "ana").built().tested()
