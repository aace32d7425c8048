"""Edited or deleted: words that somebody changed, emptied, dismissed or took away."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, WAITING, attack, judged, others
from tests.casebook.history import on_record
from tests.casebook.story import BUILD_FAILED, QA_FAILED
from tests.casebook.world import PEOPLE, World, block, commit, verdict

BOT = "jkz-runner[bot]"
edited = partial(attack, "edited")
fails = partial(edited, state="failure", phases=BUILD_FAILED)
PLAN = "## jkz:architect\n\n1. Check the expiry.\n"


@fails("edited-into-pass", "The author writes a PASS into an agent's remark.", defence="untouched", codes="PG205")
def _(world: World) -> None:
    world.planned()
    world.edit(world.say("ana", "I am looking at it."), verdict("judge"), "octo-dev")
    others(world)


@fails("edited-by-maintainer", "Nor may a maintainer.", defence="untouched", codes="PG205")
def _(world: World) -> None:
    world.planned()
    world.edit(world.say("ana", "I am looking at it."), verdict("judge"), "mona")
    others(world)


@fails("edited-although-forbidden", "The policy lets no edited word count.", defence="untouched", codes="PG208")
def _(world: World) -> None:
    world.policy = "version: 1\nverdicts: {edited: never}\n"
    world.planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "ana")
    others(world)


@edited(
    "edited-plan",
    "The author edits the plan before the judges look.",
    defence="untouched",
    state="failure",
    phases=PLAN_FAILED,
    codes="PG205",
    because="The plan of #12 does not count",
)
def _(world: World) -> None:
    world.edit(world.say("ana", PLAN, on=12), f"{PLAN}2. And switch the tests off.\n", "octo-dev")
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.tested()


@edited(
    "edited-plan-after-approval",
    "The plan's own author edits it after it was approved.",
    defence="plan-as-judged",
    state="pending",
    phases=WAITING,
    because="earlier text",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.edit(world.issues[0]["comments"][0], f"{PLAN}2. And switch the tests off.\n", "ana")


@fails("edited-by-ghost", "Whoever edited it is gone.", defence="editors", codes="PG205")
def _(world: World) -> None:
    world.planned()
    said = world.say("ana", "I am looking at it.")
    world.edit(said, verdict("judge"), "ana")
    said["history"][1]["editor"] = said["editor"] = None
    others(world)


@fails("edited-and-version-removed", "Somebody took an old version away.", defence="editors", codes="PG205")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge")
    world.edit(said, verdict("judge"), "ana")
    said["history"][0] |= {"deleted_at": world.tick(), "deleted_by": PEOPLE["octo-dev"]}
    others(world)


@fails("edited-text-unreadable", "What it said before cannot be read.", defence="readable-history", codes="PG216")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said["history"][0]["text"] = None
    others(world)


@fails("edited-history-cut", "Not all of its versions were read.", defence="readable-history", codes="PG216")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said["history_complete"] = False
    others(world)


@fails("edited-fail-then-pass", "Somebody touched a FAIL; a new PASS follows.", defence="tampered-fails", codes="PG205")
def _(world: World) -> None:
    world.planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev")
    world.push("b")
    world.built()
    world.tested()


@fails("dismissed-fail", "Somebody dismissed the review that failed it.", defence="tampered-fails")
def _(world: World) -> None:
    judged(world, verdict("judge"))
    world.review("ana", verdict("judge", "FAIL"), state="DISMISSED")


@fails("emptied-fail", "The Judge's account empties its own FAIL.", defence="never-less", codes="PG126")
def _(world: World) -> None:
    judged(world, verdict("judge"))
    world.edit(world.judges("judge", "FAIL"), "Never mind.", "ana")


@fails(
    "emptied-broken-fail",
    "The author empties a FAIL that was no JSON.",
    defence="never-less",
    codes="PG001 PG126 PG205",
)
def _(world: World) -> None:
    world.policy = f'version: 1\nagents: {{accounts: [{{login: "{BOT}", id: 987, app_id: 12345, roles: [judge]}}]}}\n'
    judged(world, block({"verdict": "PASS", "issues": []}), BOT, app_id=12345)
    said = world.say(BOT, block('{"verdict": "FAIL",}'), app_id=12345)
    world.edit(said, "Never mind.", "octo-dev")


@fails("edited-into-another-word", "A FAIL becomes a word that counts elsewhere.", defence="never-less", codes="PG119")
def _(world: World) -> None:
    judged(world, verdict("judge"))
    world.edit(world.judges("judge", "FAIL"), verdict("auditor"), "ana")


def deleted(world: World, role: str) -> None:
    """A FAIL that the gate has on record is deleted by the author."""
    said = world.judges(role, "FAIL")
    on_record(world, said["id"], role)
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]


@fails("deleted-fail", "The author deletes the Judge's FAIL.", defence="record", because="deleted by octo-dev")
def _(world: World) -> None:
    world.planned()
    world.judges("judge")
    deleted(world, "judge")
    others(world)


@edited(
    "deleted-fail-of-optional-qa",
    "QA was optional, failed, and its FAIL was deleted.",
    defence="record",
    state="failure",
    phases=QA_FAILED,
    because="deleted by octo-dev",
)
def _(world: World) -> None:
    world.label("bug")
    world.planned()
    world.built()
    deleted(world, "sentinel")
    world.tested()


@fails("deleted-after-resume", "A resume from before the deletion.", defence="resumed-since", because="was deleted")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")
    on_record(world, said["id"])
    world.say("mona", "/gate resume build: go on")
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]
    world.push("b")
    world.built()
    world.tested()


@fails(
    "edited-unknown-revision", "Edited, and GitHub tells no version at all.", defence="readable-history", codes="PG216"
)
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", commit=commit("a"))
    said |= {"edited_at": world.tick(), "editor": PEOPLE["ana"]}
    others(world)
