"""Stories about which role a comment speaks for."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.verdicts import INVALID, PASS, after_judge, judge_says
from tests.casebook.world import World, block, finding, verdict


@story(
    "heading-and-ids-disagree",
    "The heading says Judge, an id has the letter of Lens: an invalid word of the Judge alone.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG119",
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    failing = {"verdict": "FAIL", "issues": [finding("L1")], "must_fix": ["L1"]}
    world.say("ana", judge_says(failing))


@story(
    "heading-and-ids-disagree-then-judged",
    "The Judge writes it anew: who has that letter need not say anything again.",
    state="success",
    phases=GREEN,
    codes="PG105 PG119",
)
def _(world: World) -> None:
    world.planned()
    slip = {"verdict": "PASS", "issues": [finding("L1", severity="LOW")]}
    world.say("ana", judge_says(slip))
    world.judges("judge")
    world.judges("inspector")
    world.tested()


@story(
    "role-key-disagrees",
    "The heading says Judge, the role key says Inspector.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG119",
    because=INVALID,
)
def _(world: World) -> None:
    world.planned()
    world.say("ana", judge_says({"verdict": "PASS", "issues": [], "role": "inspector"}))


@story(
    "policy-maps-account-to-another-role",
    "The policy lets this account speak for Lens only.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG119",
    because=INVALID,
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [lens, sentinel]}]}\n"
    world.planned()
    world.say("ben", verdict("judge"))


@story("role-by-policy", "The policy tells the role of an account.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    world.planned()
    world.say("ben", block(PASS))
    world.judges("inspector")
    world.tested()


@story(
    "role-unknown",
    "A misspelt heading is nobody's word.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG120",
    because='Judge\'s PASS by ana is ignored: "jugde" is not a role of this policy',
)
def _(world: World) -> None:
    after_judge(world, f"## jkz:jugde\n\nFine.\n\n{block(PASS)}\n")


@story(
    "role-cannot-be-told",
    "Somebody quotes the Judge: nobody's word, and the Judge's own stands.",
    state="success",
    phases=GREEN,
    codes="PG031 PG125",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.say("ben", "The Judge said this, is that right?\n\n> " + block(PASS).replace("\n", "\n> ") + "\n")


@story(
    "alert-quoted",
    "Somebody quotes a comment of the Judge that was a warning: nobody's word.",
    state="success",
    phases=GREEN,
    codes="PG031 PG125",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    warning = f"> [!CAUTION]\n> {block(PASS).replace(chr(10), chr(10) + '> ')}"
    world.say("ben", "Is that right?\n\n> " + warning.replace("\n", "\n> ") + "\n")


@story(
    "broken-block-below-a-quoted-heading",
    "Somebody quotes the Judge's heading and shows a block that nobody can read, which names no role: nobody's word.",
    state="success",
    phases=GREEN,
    codes="PG001 PG125",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.say("ben", f"> ## jkz:judge\n\nIs this how it is written?\n\n{block('{verdict: …}')}\n")


@story(
    "marker-unknown",
    "A misspelt marker is pointed out; the heading alone is an invalid word.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG102 PG124",
    because=INVALID,
)
def _(world: World) -> None:
    after_judge(world, f"## jkz:judge\n\nFine.\n\n<!-- jkz:verdict\n{PASS}\n-->\n")


@story(
    "invalid-after-pass",
    "The latest word is invalid: the gate never falls back to an older PASS.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG102",
    because=INVALID,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("ana", "## jkz:judge\n\nOn second thoughts…\n")


@story(
    "role-key-with-spaces",
    "The role key names the Judge with spaces around it, without a heading: an invalid word of the Judge alone.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG024 PG111",
    because=INVALID,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("ana", f"{block({'verdict': 'FAIL', 'issues': [], 'role': ' judge '})}\n")


@story(
    "fail-under-the-auditors-heading",
    "The Judge's FAIL under the heading of a role that does not speak here: only its ids tell whose it is.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG119",
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.say("ana", verdict("judge", "FAIL").replace("jkz:judge", "jkz:auditor"))
