"""Stories of people who are answered: what refused them is said first, and the first task leads on."""

from __future__ import annotations

from functools import partial

from tests.casebook import envelope, reviewers, thehood
from tests.casebook.evidence import diagnosis, plan, results, review, worker
from tests.casebook.history import deletes, on_record
from tests.casebook.honest import waiting_for_approval
from tests.casebook.pipeline import piped, worked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import World, block, finding, verdict

green = partial(story, state="success", phases=GREEN)
CHECKED = "version: 1\nphases: {build: {checks: [{name: unit tests}]}}\n"
SKIPPABLE = CHECKED.replace("unit tests", "unit tests, skipped: allow")


@green(
    "answer-malformed-fail",
    "A FAIL that breaks its form in four ways is fixed before it is asked for again.",
    codes="PG020 PG022 PG024 PG114 PG115",
)
def _(world: World) -> None:
    world.planned()
    bare = finding("J1")
    del bare["location"]
    for what, keys in (
        ("without a location", {"issues": [bare]}),
        ("with an empty one", {"issues": [finding("J1", location="")]}),
        ("with an empty must_fix beside a HIGH", {"must_fix": []}),
        ("in small letters", {"verdict": "fail"}),
    ):
        world.judges("judge", "FAIL", **keys)
        world.look(what)
    world.push("b")
    world.built()
    world.tested()


@story(
    "answer-malformed-review",
    "A reviewer's file fails and breaks its form: its blocker is to be fixed.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG020",
    because="review-result.json says FAIL",
)
def _(world: World) -> None:
    worked(world)
    world.leaves("t", test=results())
    world.leaves("r", review=review("FAIL", blockers=[{"file": "src/auth.py", "description": "Expired tokens pass"}]))


@green(
    "answer-strangers-word",
    "A reader, and an account that is gone, judge: that is said, and names nobody.",
    codes="PG201",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", who="eve")
    world.look("by somebody who may only read")
    world.judges("judge")["author"] = None
    world.look("and by an account that is gone")
    world.built()
    world.tested()


@green("answer-approve-without-a-phase", "What other programs are told is answered with the line.", codes="PG214")
def _(world: World) -> None:
    waiting_for_approval(world)
    for text in ("/approve", "/lgtm"):
        world.say("mona", text)
        world.look(text)
    world.say("mona", "/gate approve qa")


@green("answer-review-of-an-agent", "Reviews approve here, and an agent's does not: that is why.")
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {reviews: true}\n"
    waiting_for_approval(world)
    world.review("ana", "", state="APPROVED")
    world.look("an agent presses the button")
    world.review("mona", "", state="APPROVED")


@green("answer-request-without-a-verdict", "The Judge's account requests changes and writes no block.")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.review("ana", "Wait, this leaks", state="CHANGES_REQUESTED")
    world.look("changes are requested")
    world.push("b")
    world.built()
    world.tested()


@green("answer-fenced", "The Judge's whole comment stands in a fence.", codes="PG031")
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"```markdown\n{verdict('judge')}```\n")
    world.look("in a fence")
    world.built()
    world.tested()


@story(
    "answer-fenced-message",
    "So does a message.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG031",
    because="the whole text is inside a code fence",
)
def _(world: World) -> None:
    envelope.enveloped(world)
    world.say("octo-dev", f"```markdown\n{envelope.message('worker_submission')}```\n")


@green("answer-own-dismissal", "The Judge's account dismisses its FAIL: it judges anew, and no human has to resume.")
def _(world: World) -> None:
    world.planned()
    failed = world.review("ana", verdict("judge", "FAIL"), state="CHANGES_REQUESTED")
    world.dismiss(failed, "ana")
    world.look("dismissed by its own account")
    world.push("b")
    world.built()
    world.tested()


@green(
    "answer-protected-tests",
    "Protected tests are changed: the approval is foreseen, and its reason told.",
    codes="PG836",
)
def _(world: World) -> None:
    thehood.hooded(world)
    thehood.touches(world, "src/auth.py", "tests/test_auth.py")
    changed = [{"path": path, "change_type": "modified"} for path in ("src/auth.py", "tests/test_auth.py")]
    thehood.implements(world, changed_files=changed)
    world.look("implemented")
    thehood.verifies(world)
    world.look("verified")
    world.say("mona", "/gate approve build")


@green("answer-checks", "A check was cancelled, skipped, then late, and red: each is told, with what leads on.")
def _(world: World) -> None:
    world.policy = CHECKED
    world.planned()
    world.built()
    for said in ("cancelled", "skipped", "timed_out", "failure"):
        world.changes["checks"] = [{"name": "unit tests", "status": "completed", "conclusion": said}]
        world.look(said)
    world.policy = SKIPPABLE
    world.look("red, where it may be skipped")
    world.changes["checks"][0]["conclusion"] = "skipped"
    world.tested()


@story(
    "answer-limited",
    "A reviewer is out of budget and says until when.",
    state="pending",
    phases="success pending success",
    because="Next included review available in 31 minutes",
)
def _(world: World) -> None:
    world.policy = reviewers.policy("coderabbit")
    notice = reviewers.notice("rate limited")
    reviewers.says(world, "coderabbit", f"{notice}> \n> **Next included review available in 31 minutes.**\n")


@story("answer-blocked", "The Builder is blocked: a human answers.", state="pending", phases=BUILD_WAITS)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:builder\n\nWhich clock?\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n")


@green(
    "answer-nothing-to-judge",
    "No phase concerns the files: a line of policy would help; somebody looks.",
    codes="PG520",
)
def _(world: World) -> None:
    phases = ", ".join(f"{name}: {{paths: ['src/**']}}" for name in ("plan", "build", "qa"))
    world.policy = f"version: 1\nphases: {{{phases}}}\n"
    world.changes["files"] = {"complete": True, "entries": [{"path": "README.md"}]}
    world.look("nobody has looked")
    world.say("mona", "/gate override build: only the readme")


@story(
    "answer-approved-again",
    "Part one closed the issue; reopened, its plan is approved again for part two.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG211 PG404",
)
def _(world: World) -> None:
    world.planned()
    merged = {"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}
    world.issues[0] |= {"closed_by": [merged], "state": "closed"}
    world.look("closed")
    world.issues[0]["state"] = "open"
    world.look("opened again")
    world.say("octo-dev", "/gate approve plan", on=12)
    world.look("approved by the author")
    world.say("mona", "/gate approve plan", on=12)


@green(
    "answer-foreign-diagnosis",
    "The policy does not name the bot for its diagnosis, which decides nothing.",
    codes="PG119",
)
def _(world: World) -> None:
    files = ("plan.json", "worker-result.json", "test-result.json", "review-result.json")
    piped(world)
    world.policy = (
        "version: 1\nprofile: pipeline\n"
        f"agents: {{only: true, accounts: [{{login: ana, id: 21, roles: [{', '.join(files)}]}}]}}\n"
    )
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker())
    world.leaves("t", test=results(), debug=diagnosis())
    world.leaves("r", review=review())


@green("answer-wrong-override", "An override of no phase is answered, until one that counts follows.", codes="PG213")
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    world.say("mona", "/gate override builds: a hotfix")
    world.look("of a phase that is none")
    world.say("mona", "/gate override build: a hotfix")
    world.look("of the right one")
    world.tested()


@green("answer-fail-replaced", "The Judge's account deletes its FAIL and passes: the round still shows it.")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"], who="ana")
    deletes(world, said, "ana")
    world.built()
    world.tested()


@story(
    "answer-author-labels-after-the-approval",
    "The author's label is from after the approval of the plan: it waits for somebody else.",
    state="pending",
    phases=QA_WAITS,
    codes="PG407",
)
def _(world: World) -> None:
    world.planned()
    world.label("bug", by="octo-dev")
    world.built()
