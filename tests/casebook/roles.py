"""Stories about which role a comment speaks for."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.verdicts import INVALID, PASS, judge_says
from tests.casebook.world import World, block, finding, verdict


@story(phases=BUILD_FAILED, codes="PG119", because="Judge failed")
def heading_and_ids_disagree(world: World) -> None:
    """The heading says Judge, an id has the letter of Lens: an invalid word of the Judge alone."""
    world.green()
    failing = {"verdict": "FAIL", "issues": [finding("L1")], "must_fix": ["L1"]}
    world.says("ana", judge_says(failing))


@story(phases=GREEN, codes="PG105 PG119")
def heading_and_ids_disagree_then_judged(world: World) -> None:
    """The Judge writes it anew: who has that letter need not say anything again."""
    world.planned()
    slip = {"verdict": "PASS", "issues": [finding("L1", severity="LOW")]}
    world.says("ana", judge_says(slip)).built().tested()


@story(phases=BUILD_FAILED, codes="PG119", because=INVALID)
def role_key_disagrees(world: World) -> None:
    """The heading says Judge, the role key says Inspector."""
    world.planned().says("ana", judge_says({"verdict": "PASS", "issues": [], "role": "inspector"}))


@story(phases=BUILD_FAILED, codes="PG119", because=INVALID)
def policy_maps_account_to_another_role(world: World) -> None:
    """The policy lets this account speak for Lens only."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [lens, sentinel]}]}\n").planned()
    world.says("ben", verdict("judge"))


@story(phases=GREEN)
def role_by_policy(world: World) -> None:
    """The policy tells the role of an account."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").planned()
    world.says("ben", block(PASS)).others_pass()


@story(
    phases=BUILD_WAITS, codes="PG120", because='Judge\'s PASS by ana is ignored: "jugde" is not a role of this policy'
)
def role_unknown(world: World) -> None:
    """A misspelt heading is nobody's word."""
    world.judged(f"## jkz:jugde\n\nFine.\n\n{block(PASS)}\n")


@story(phases=GREEN, codes="PG031 PG125")
def role_cannot_be_told(world: World) -> None:
    """Somebody quotes the Judge: nobody's word, and the Judge's own stands."""
    world.green()
    world.says("ben", "The Judge said this, is that right?\n\n> " + block(PASS).replace("\n", "\n> ") + "\n")


@story(phases=GREEN, codes="PG031 PG125")
def alert_quoted(world: World) -> None:
    """Somebody quotes a comment of the Judge that was a warning: nobody's word."""
    world.green()
    warning = f"> [!CAUTION]\n> {block(PASS).replace(chr(10), chr(10) + '> ')}"
    world.says("ben", "Is that right?\n\n> " + warning.replace("\n", "\n> ") + "\n")


@story(phases=GREEN, codes="PG001 PG125")
def broken_block_below_a_quoted_heading(world: World) -> None:
    """Somebody quotes the Judge's heading and shows a block that nobody can read, which names no role: nobody's
    word.
    """
    world.green().says("ben", f"> ## jkz:judge\n\nIs this how it is written?\n\n{block('{verdict: …}')}\n")


@story(phases=BUILD_FAILED, codes="PG102 PG124", because=INVALID)
def marker_unknown(world: World) -> None:
    """A misspelt marker is pointed out; the heading alone is an invalid word."""
    world.judged(f"## jkz:judge\n\nFine.\n\n<!-- jkz:verdict\n{PASS}\n-->\n")


@story(phases=BUILD_FAILED, codes="PG102", because=INVALID)
def invalid_after_pass(world: World) -> None:
    """The latest word is invalid: the gate never falls back to an older PASS."""
    world.planned().built().says("ana", "## jkz:judge\n\nOn second thoughts…\n")


@story(phases=BUILD_FAILED, codes="PG024 PG111", because=INVALID)
def role_key_with_spaces(world: World) -> None:
    """The role key names the Judge with spaces around it, without a heading: an invalid word of the Judge alone."""
    world.planned().built().says("ana", f"{block({'verdict': 'FAIL', 'issues': [], 'role': ' judge '})}\n")


@story(phases=BUILD_FAILED, codes="PG119", because="Judge failed")
def fail_under_the_auditors_heading(world: World) -> None:
    """The Judge's FAIL under the heading of a role that does not speak here: only its ids tell whose it is."""
    world.green().says("ana", verdict("judge", "FAIL").replace("jkz:judge", "jkz:auditor"))
