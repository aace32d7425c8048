"""Edited or deleted: words that somebody changed, emptied, dismissed or took away."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, WAITING, attack
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_FAILED
from tests.casebook.world import PEOPLE, World, block, commit, verdict

BOT = "jkz-runner[bot]"
edited = partial(attack, "edited")
fails = partial(edited, phases=BUILD_FAILED)
PLAN = "## jkz:architect\n\n1. Check the expiry.\n"


@fails(defence="untouched", codes="PG205")
def edited_into_pass(world: World) -> None:
    """The author writes a PASS into an agent's remark."""
    world.planned().edit(world.say("ana", "I am looking at it."), verdict("judge"), "octo-dev").others_pass()


@fails(defence="untouched", codes="PG205")
def edited_by_maintainer(world: World) -> None:
    """Nor may a maintainer."""
    world.planned().edit(world.say("ana", "I am looking at it."), verdict("judge"), "mona").others_pass()


@fails(defence="untouched", codes="PG208")
def edited_although_forbidden(world: World) -> None:
    """The policy lets no edited word count."""
    world.under("version: 1\nverdicts: {edited: never}\n").planned()
    world.edit(world.judges("judge", "FAIL"), verdict("judge"), "ana").others_pass()


@edited(defence="untouched", phases=PLAN_FAILED, codes="PG205", because="The plan of #12 does not count")
def edited_plan(world: World) -> None:
    """The author edits the plan before the judges look."""
    world.edit(world.say("ana", PLAN, on=12), f"{PLAN}2. And switch the tests off.\n", "octo-dev")
    world.passed_by("auditor").passed_by("curator").says("mona", "/gate approve plan", on=12).built().tested()


@edited(defence="plan-as-judged", phases=WAITING, because="earlier text")
def edited_plan_after_approval(world: World) -> None:
    """The plan's own author edits it after it was approved."""
    world.green().edit(world.issues[0]["comments"][0], f"{PLAN}2. And switch the tests off.\n", "ana")


@fails(defence="editors", codes="PG205")
def edited_by_ghost(world: World) -> None:
    """Whoever edited it is gone."""
    world.planned()
    said = world.say("ana", "I am looking at it.")
    world.edit(said, verdict("judge"), "ana")
    said["history"][1]["editor"] = said["editor"] = None
    world.others_pass()


@fails(defence="editors", codes="PG205")
def edited_and_version_removed(world: World) -> None:
    """Somebody took an old version away."""
    world.planned()
    said = world.judges("judge")
    world.edit(said, verdict("judge"), "ana")
    said["history"][0] |= {"deleted_at": world.tick(), "deleted_by": PEOPLE["octo-dev"]}
    world.others_pass()


@fails(defence="readable-history", codes="PG216")
def edited_text_unreadable(world: World) -> None:
    """What it said before cannot be read."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said["history"][0]["text"] = None
    world.others_pass()


@fails(defence="readable-history", codes="PG216")
def edited_history_cut(world: World) -> None:
    """Not all of its versions were read."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.edit(said, verdict("judge"), "ana")
    said["history_complete"] = False
    world.others_pass()


@fails(defence="readable-history", codes="PG216")
def edited_in_one_second(world: World) -> None:
    """Two edits of one second are told in the wrong order, so that the FAIL would be lost."""
    world.planned()
    said = world.say("ana", "I am looking at it.")
    world.edit(said, verdict("judge", "FAIL"), "ana").at_once().edit(said, verdict("judge"), "ana")
    said["history"][1:] = reversed(said["history"][1:])
    world.others_pass()


@fails(defence="tampered-fails", codes="PG205")
def edited_fail_then_pass(world: World) -> None:
    """Somebody touched a FAIL; a new PASS follows."""
    world.planned().edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev").push("b").built().tested()


@fails(defence="unread-objections", codes="PG001 PG205")
def edited_broken_fail_then_pass(world: World) -> None:
    """Somebody touched a FAIL that was no JSON; a new PASS follows."""
    world.planned()
    said = world.say("ana", f"## jkz:judge\n\n{block('{verdict: FAIL}')}\n")
    world.edit(said, verdict("judge"), "octo-dev").push("b").built().tested()


@fails(defence="tampered-fails")
def dismissed_fail(world: World) -> None:
    """Somebody dismissed the review that failed it."""
    world.judged(verdict("judge")).reviewed("ana", verdict("judge", "FAIL"), state="DISMISSED")


@fails(defence="never-less", codes="PG126")
def emptied_fail(world: World) -> None:
    """The Judge's account empties its own FAIL."""
    world.judged(verdict("judge")).edit(world.judges("judge", "FAIL"), "Never mind.", "ana")


@fails(defence="never-less", codes="PG001 PG126 PG205")
def emptied_broken_word(world: World) -> None:
    """The author empties a word of the Judge that was no JSON."""
    world.under(f'version: 1\nagents: {{accounts: [{{login: "{BOT}", id: 987, app_id: 12345, roles: [judge]}}]}}\n')
    world.judged(block({"verdict": "PASS", "issues": []}), BOT, app_id=12345)
    said = world.say(BOT, block('{"verdict": "NO",}'), app_id=12345)
    world.edit(said, "Never mind.", "octo-dev")


@fails(defence="never-less", codes="PG119")
def edited_into_another_word(world: World) -> None:
    """A FAIL becomes a word that counts elsewhere."""
    world.judged(verdict("judge")).edit(world.judges("judge", "FAIL"), verdict("auditor"), "ana")


def deleted(world: World, role: str) -> None:
    """A FAIL that the gate has on record is deleted by the author."""
    said = world.judges(role, "FAIL")
    world.on_record(said, role)
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]


@fails(defence="record", because="deleted by octo-dev")
def deleted_fail(world: World) -> None:
    """The author deletes the Judge's FAIL."""
    world.planned().passed_by("judge").then(deleted, "judge").others_pass()


@edited(defence="record", phases=QA_FAILED, because="deleted by octo-dev")
def deleted_fail_of_optional_qa(world: World) -> None:
    """QA was optional, failed, and its FAIL was deleted."""
    world.label("bug").planned().built().then(deleted, "sentinel").tested()


@fails(defence="resumes-count", because="was deleted")
def deleted_after_resume(world: World) -> None:
    """A resume from before the deletion."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said).says("mona", "/gate resume build: go on")
    world.comments.remove(said)
    world.changes["deleted_comments"] = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}]
    world.push("b").built().tested()


@fails(defence="readable-history", codes="PG216")
def edited_unknown_revision(world: World) -> None:
    """Edited, and GitHub tells no version at all."""
    world.planned()
    said = world.judges("judge", commit=commit("a"))
    said |= {"edited_at": world.tick(), "editor": PEOPLE["ana"]}
    world.others_pass()


@fails(defence="resumes-count", because="was deleted")
def deleted_in_the_second_of_a_resume(world: World) -> None:
    """A resume in the very second of the deletion is not after it."""
    world.planned().then(deleted, "judge").at_once().says("mona", "/gate resume build: go on").push("b").built()
    world.tested()


@fails(defence="dismissed-then", because="FAIL was dismissed by octo-dev")
def dismissed_after_resume(world: World) -> None:
    """A resume from before the dismissal does not cover it."""
    world.planned()
    said = world.review("ana", verdict("judge", "FAIL"))
    world.says("mona", "/gate resume build: go on").dismiss(said).push("b").built().tested()


@fails(defence="dismissed-then", because="FAIL was dismissed by octo-dev")
def dismissed_in_the_second_of_a_resume(world: World) -> None:
    """Nor does one of the same second."""
    world.planned()
    said = world.review("ana", verdict("judge", "FAIL"))
    world.dismiss(said).at_once().says("mona", "/gate resume build: go on").push("b").built().tested()


VANISHING = {
    "broken-word": ("a word that cannot be read", block('{"verdict": "NO",}'), "PG001"),
    "pass-for-nothing": (
        "a PASS for a commit that never was the head",
        block({"verdict": "PASS", "issues": [], "commit": commit("never")}),
        "PG301",
    ),
    "heading-alone": ("a heading without a block", "No verdict yet.", "PG102"),
}
for _name, (_what, _text, _codes) in VANISHING.items():

    @fails(
        f"dismissed-{_name}",
        f"Somebody dismissed {_what}; an older PASS is there.",
        defence="dismissed-words",
        codes=_codes,
        because="Judge's verdict was dismissed by octo-dev",
    )
    def _(world: World, text: str = _text) -> None:
        world.judged(verdict("judge")).dismiss(world.review("ana", f"## jkz:judge\n\n{text}\n"))


@fails(defence="deleted-words", phases=BUILD_WAITS, because="Judge's verdict was deleted by octo-dev")
def deleted_broken_word(world: World) -> None:
    """The author deleted a word that cannot be read, which the gate had seen; an older PASS is there."""
    world.judged(verdict("judge"))
    said = world.say("ana", "## jkz:judge\n\nI fail this.\n")
    world.on_record(said, outcome="invalid", who="ana").delete(said)


@fails(defence="unread-objections", codes="PG001", because="FAIL was dismissed by octo-dev")
def dismissed_broken_fail(world: World) -> None:
    """Somebody dismissed a FAIL that was no JSON; a new PASS follows."""
    world.planned().dismiss(world.review("ana", f"## jkz:judge\n\n{block('{verdict: FAIL}')}\n")).push("b")
    world.built().tested()


DEMANDS = {
    "listed": "verdict: rejected\nmust_fix:\n  - J1",
    "as-members": '{"verdict": "rejected", "must_fix": {"J1": "tokens never expire"}}',
    "as-an-element": "<verdict>rejected</verdict><must_fix>J1</must_fix>",
    "in-a-table": "| verdict | rejected |\n| must_fix | J1 |",
}
for _name, _data in DEMANDS.items():

    @fails(
        f"dismissed-demands-{_name}",
        "Somebody dismissed a word that demands a fix in another notation; a new PASS follows.",
        defence="unread-objections",
        codes="PG021 PG022" if _name == "as-members" else "PG001",
        because="FAIL was dismissed by octo-dev",
    )
    def _(world: World, data: str = _data) -> None:
        world.planned().dismiss(world.review("ana", f"## jkz:judge\n\n{block(data)}\n")).push("b").built()
        world.tested()


@fails(defence="taken-back-by-itself", because="deleted by ana")
def deleted_own_fail(world: World) -> None:
    """The Judge's account deletes its own FAIL, and its older PASS would count again."""
    world.judged(verdict("judge"))
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said, "ana")


@fails(defence="taken-back-by-itself", because="deleted by ana")
def deleted_own_fail_answered_by_another(world: World) -> None:
    """Another account judges anew."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said, "ana").passed_by("judge", who="ben").others_pass()


@fails(defence="taken-back-by-itself", because="deleted by octo-dev")
def deleted_fail_answered(world: World) -> None:
    """The author deletes the FAIL, and the Judge judges anew."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said).passed_by("judge").others_pass()


@fails(defence="taken-back-by-itself", because="was deleted by")
def deleted_among_others(world: World) -> None:
    """The Judge deletes a remark of its own, somebody else its FAIL: nobody can tell which was which."""
    world.planned()
    said, remark = world.judges("judge", "FAIL"), world.say("ana", "A remark.")
    world.on_record(said, who="ana").delete(said).delete(remark, "ana").passed_by("judge").others_pass()


@fails(defence="taken-back-by-itself", because="deleted by ana")
def deleted_fail_of_nobody(world: World) -> None:
    """An old entry on record does not name the account."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said).delete(said, "ana").passed_by("judge").others_pass()


@fails(defence="resumes-count", because="Judge's FAIL was deleted by")
def deleted_after_resume_beside_another(world: World) -> None:
    """After a resume the author deletes the FAIL, and the Judge a placeholder of later: one deletion too many."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(world.say("ana", "A remark."), "ana")
    world.says("mona", "/gate resume build: go on")
    begun = world.say("ana", "## jkz:judge\n\nLooking.\n")
    world.on_record(begun, outcome="invalid", who="ana").delete(said).delete(begun, "ana").built().tested()


def taken_out(world: World, who: str = "octo-dev", editor: str = "ana", judged_on: str = "a") -> None:
    """A FAIL on record is edited, and somebody takes its text out of the comment's history."""
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana", judged=judged_on).edit(said, verdict("judge"), editor)
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE[who]}


revised = partial(fails, defence="versions-tell", codes="PG205")


@revised(because="edited by")
def fail_edited_and_version_removed(world: World) -> None:
    """The author edits it and takes the version away."""
    world.planned().then(taken_out, editor="octo-dev").push("b").built().tested()


@revised(because="octo-dev")
def own_edit_then_version_removed(world: World) -> None:
    """The Judge edits it, the author takes the version away."""
    world.planned().then(taken_out).push("b").built().tested()


@fails(defence="dismissed-then", codes="PG205", because="FAIL was edited by octo-dev")
def version_removed_after_resume(world: World) -> None:
    """A resume from before the version was removed does not cover that."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").edit(said, verdict("judge"), "ana")
    world.says("mona", "/gate resume build: go on")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE["octo-dev"]}
    world.push("b").built().tested()


STUCK = f"## jkz:builder\n\nThere is no database.\n\n{block({'verdict': 'BLOCKED'})}\n"


@fails(defence="deleted-words", phases=BUILD_WAITS, because="Builder's BLOCKED was deleted by octo-dev")
def blocked_builder_deleted(world: World) -> None:
    """The author deletes the Builder's BLOCKED, once the gate has seen it; dismissed or edited it would still block."""
    world.planned()
    said = world.say("ben", STUCK)
    world.on_record(said, "builder", outcome="BLOCKED", who="ben").delete(said).built().tested()


@fails(defence="unread-reviews", phases="success failure failure", because="Judge's FAIL was dismissed by octo-dev")
def request_dismissed_by_the_author(world: World) -> None:
    """The Judge requests changes without a word, and the author dismisses that."""
    world.planned().built().dismiss(world.review("ana", "", state="CHANGES_REQUESTED")).tested()


FAILS = '{"verdict": "FAIL", "must_fix": ["J1"]}'
NEAR = {
    "nothing-else": f"{FAILS}\n",
    "fence": f"```json\n{FAILS}\n```",
    "list": f"- ```json\n  {FAILS}\n  ```",
    "alert": f"> [!NOTE]\n> ```json\n> {FAILS}\n> ```",
    "indented-code": f"What I found:\n\n    {FAILS}",
    "pre": f"<pre>\n{FAILS}\n</pre>",
    "fold": f"<details>\n```json\n{FAILS}\n```\n</details>",
    "carriage-returns": f"```json\r{FAILS}\r```",
    "typographic-quotes": f"```json\n{FAILS}\n```".replace('"', "\N{LEFT DOUBLE QUOTATION MARK}"),
    "entities": f"<!-- verdict\n{FAILS}\n-->".replace('"', "&quot;"),
    "value-on-the-next-line": '```json\n{"verdict":\n  "FAIL"}\n```',
    "folded-value": "```yaml\nverdict: >-\n  FAIL\n```",
    "double-colon": block({"verdict": "FAIL", "issues": []}).replace("jkz:", "jkz::"),
    "transposed": block({"verdict": "FAIL", "issues": []}).replace("verdict-json", "verdct-json"),
}
for _name, _text in NEAR.items():

    @fails(
        f"near-word-in-{_name}",
        "The Judge fails the work under another marker, without a heading.",
        defence="near-words",
        codes="PG124 PG125 PG930" if "jkz" in _text else "PG930",
        because="a block says verdict: FAIL",
    )
    def _(world: World, text: str = _text) -> None:
        world.planned().built().says("ana", text).tested()
