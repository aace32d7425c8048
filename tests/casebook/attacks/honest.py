"""Tolerances: each kindness towards honest people, tried for what it does not give."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.honest import DOCS, NO_ISSUE, QUICK, bots_own, second_round, ticked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_WAITS
from tests.casebook.world import PEOPLE, World, block, commit, verdict

WAITING = "pending pending pending"
tried = partial(attack, "tolerance")


@tried(defence="every-push-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_pushed_by_another(world: World) -> None:
    """Somebody pushes to the exempt bot's pull request."""
    world.then(bots_own).push("b", by="octo-dev")


@tried(defence="every-push-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_upon_another(world: World) -> None:
    """The bot pushes upon what somebody else pushed: it is still in there."""
    world.then(bots_own).push("b", by="octo-dev").push("c", by="helper[bot]")


@tried(defence="never-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_workflow_of_anybody(world: World) -> None:
    """An entry without authors names a workflow."""
    world.under(DOCS.replace("docs/**", ".github/**")).without_issues().touches(".github/workflows/ci.yml")


@tried(defence="every-push-exempt", phases=WAITING, codes="PG401")
def exempt_opened_by_another(world: World) -> None:
    """Somebody opens a pull request of the bot's branch and adds nothing: it is not the bot's own."""
    bots_own(world)
    world.author = "octo-dev"


BASES = {
    "exempt-retargeted-by-another": ("Somebody points it at a base to which it brings in others' work.", "retargeted"),
    "exempt-base-forced-by-another": ("Somebody forces its base back, so that it brings in more.", "forced"),
}
for _name, (_says, _kind) in BASES.items():

    @tried(_name, _says, defence="aimed-by-its-author", phases=WAITING, codes="PG401 PG413")
    def _(world: World, kind: str = _kind) -> None:
        bots_own(world)
        change = {"at": world.tick(), "before": "develop", "after": "main", "actor": PEOPLE["octo-dev"], "kind": kind}
        world.base_changes.append(change)


@tried(defence="every-path-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_with_code(world: World) -> None:
    """A change of the documentation with one file of code in it."""
    changes_documentation(world, {"path": "src/auth.py"})


@tried(defence="every-path-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_renamed_from_code(world: World) -> None:
    """A file of code is renamed into the documentation."""
    changes_documentation(world, {"path": "docs/a.md", "status": "renamed", "previous_path": "src/auth.py"})


NAMES = {
    "exempt-folder-called-like-a-file": ("Code in a folder whose name ends as Markdown does.", "notes.md/conftest.py"),
    "exempt-folder-replaced": ("The folder itself becomes a link or a submodule.", "docs"),
}
for _name, (_says, _path) in NAMES.items():

    @tried(_name, _says, defence="covered-by-name", phases=WAITING, codes="PG401 PG413")
    def _(world: World, path: str = _path) -> None:
        changes_documentation(world, {"path": path})


@tried(defence="covered-by-name", phases=WAITING, codes="PG401")
def exempt_folder_called_like_the_file(world: World) -> None:
    """The changelog is exempt, and code is added to a folder of its name."""
    world.under("version: 1\nexempt: [{paths: [CHANGELOG.md], reason: notes are not judged}]\n")
    world.without_issues().touches("tests/CHANGELOG.md/conftest.py")


@tried(defence="never-exempt", phases=WAITING, codes="PG401 PG413")
def exempt_workflow(world: World) -> None:
    """All Markdown is exempt, and some of it steers the repository itself."""
    changes_documentation(world, {"path": ".github/ISSUE_TEMPLATE/bug.md"})


def changes_documentation(world: World, *entries: dict[str, str]) -> None:
    """A pull request that changes the documentation, and more."""
    world.under(DOCS.replace("'*.md'", "'**/*.md'")).without_issues().touches("docs/install.md", *entries)


@tried(defence="never-linked", codes="PG408", phases=WAITING)
def unlinked_to_have_no_plan(world: World) -> None:
    """The issue is unlinked where none is asked for: what was linked once needs its plan."""
    world.under(NO_ISSUE).unlink(12).built().tested()


@tried(defence="named-commits", phases=QA_WAITS, codes="PG301")
def approved_for_a_commit_that_never_was(world: World) -> None:
    """An approval names a commit that was never the head."""
    world.unapproved().says("mona", "/gate approve qa 0123abc")


@tried(defence="same-content", phases=BUILD_WAITS)
def approved_for_an_older_commit(world: World) -> None:
    """An approval names the commit before the last push."""
    world.green().push("b").says("mona", f"/gate approve qa {commit('a')}")


@tried(defence="withdrawals", phases=QA_WAITS, codes="PG224")
def merged_on_a_withdrawn_approval(world: World) -> None:
    """The approval was withdrawn, and still stands there."""
    world.green().says("mona", "/gate withdraw qa")


@tried(defence="only-boxes", phases=BUILD_FAILED, codes="PG205")
def box_and_a_word(world: World) -> None:
    """A box is ticked, and a word changed with it."""
    ticked(world, "[x] no")


@tried(defence="only-boxes", phases=BUILD_FAILED, codes="PG205")
def box_and_back_with_a_word(world: World) -> None:
    """A box is ticked, which is no edit; when that is taken back, a word changes with it."""
    ticked(world, "[x]")
    said = next(each for each in world.comments if "[x]" in each["text"])
    world.edit(said, said["text"].replace("[x] tests", "[ ] no tests"), "mona")


@tried(defence="rendered-boxes", phases=BUILD_FAILED, codes="PG205")
def box_inside_a_fence(world: World) -> None:
    """What looks like a box stands in a fence: it is text, and its change an edit."""
    world.planned()
    text = verdict("judge").replace("What I looked at", "```\n- [ ] tests\n```\n\nWhat I looked at")
    said = world.say("ana", text)
    world.edit(said, text.replace("[ ] tests", "[x] tests"), "mona").others_pass()


@tried(defence="readable-history", phases=BUILD_FAILED, codes="PG216")
def box_over_a_lost_fail(world: World) -> None:
    """A PASS is edited to a FAIL and back with a box ticked, and GitHub tells the two edits of one second the wrong
    way round: what does not fit the text is no mere tick.
    """
    world.planned()
    text = verdict("judge").replace("What I looked at", "- [ ] tests\n\nWhat I looked at")
    said = world.say("ana", text)
    world.edit(said, verdict("judge", "FAIL"), "ana").at_once().edit(said, text.replace("[ ]", "[x]"), "ana")
    said["history"][1:] = reversed(said["history"][1:])
    world.others_pass()


@tried(defence="rendered-boxes", phases=BUILD_FAILED, codes="PG205")
def box_in_code_at_the_start(world: World) -> None:
    """What looks like a box stands in code, on the first line of the comment."""
    world.planned()
    text = f"    - [ ] tests\n\n{verdict('judge')}"
    world.edit(world.say("ana", text), text.replace("[ ]", "[x]"), "mona").others_pass()


@tried(defence="fails-are-no-placeholders", phases=WAITING)
def placeholder_over_a_fail(world: World) -> None:
    """The Inspector's FAIL is edited to a placeholder and then to a PASS: the quick route stays cancelled."""
    world.label(QUICK)
    said = world.judges("inspector", "FAIL")
    world.edit(said, verdict("inspector"), "ana").passed_by("judge")


@tried(defence="recorded-failures", phases=WAITING)
def placeholder_over_a_fail_deleted(world: World) -> None:
    """The FAIL is edited to a placeholder, which its account deletes before it posts a PASS: the record has the
    FAIL.
    """
    world.label(QUICK)
    said = world.judges("inspector", "FAIL")
    world.on_record(said, "inspector", who="ana")
    world.edit(said, "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n", "ana").delete(said, "ana")
    world.passed_by("inspector").passed_by("judge")


@tried(defence="made-good-by-its-own", phases=WAITING, codes="PG102")
def placeholder_of_another_account(world: World) -> None:
    """A placeholder of one account is followed by a verdict of another: nobody has made it good."""
    world.label(QUICK).says("ben", "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n").passed_by("inspector")
    world.passed_by("judge")


@tried(defence="unread-objections", phases=WAITING, codes="PG001")
def fail_told_beside_a_broken_block(world: World) -> None:
    """The block is cut off, and only the text above it says FAIL: no mere placeholder."""
    world.label(QUICK)
    cut = block('{"verdict": ')
    world.says("ana", f"## jkz:inspector\n\nFAIL: tokens never expire.\n\n{cut}\n").passed_by("inspector")
    world.passed_by("judge")


@tried(defence="own-examples", phases=BUILD_FAILED, codes="PG031")
def example_of_a_judge(world: World) -> None:
    """The Judge hides the next verdict in a fence: who speaks for the role shows no examples."""
    world.green().says("ana", f"So:\n\n```\n{verdict('judge')}\n```\n")


@tried(defence="scope", phases=BUILD_FAILED, codes="PG720 PG722")
def second_round_hides_a_file(world: World) -> None:
    """A file outside the plan is left out of a later round's list."""
    second_round(world)
    hidden = [{"path": path} for path in ("src/auth.py", "src/backdoor.py", "tests/test_auth.py", *world.trees[-1])]
    world.touches(*hidden)
