"""Tolerances: each kindness towards honest people, tried for what it does not give."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack, green, others, qa_but
from tests.casebook.history import deletes, on_record
from tests.casebook.honest import DOCS, NO_ISSUE, QUICK, bots_own, second_round, ticked
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_WAITS
from tests.casebook.world import PEOPLE, World, block, commit, verdict

WAITING = "pending pending pending"
tried = partial(attack, "tolerance")


@tried(
    "exempt-pushed-by-another",
    "Somebody pushes to the exempt bot's pull request.",
    defence="every-push-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    bots_own(world)
    world.push("b", by="octo-dev")


@tried(
    "exempt-upon-another",
    "The bot pushes upon what somebody else pushed: it is still in there.",
    defence="every-push-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    bots_own(world)
    world.push("b", by="octo-dev")
    world.push("c", by="helper[bot]")


@tried(
    "exempt-workflow-of-anybody",
    "An entry without authors names a workflow.",
    defence="never-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    world.policy = DOCS.replace("docs/**", ".github/**")
    world.issues.clear()
    world.changes["files"] = {"complete": True, "entries": [{"path": ".github/workflows/ci.yml"}]}


@tried(
    "exempt-opened-by-another",
    "Somebody opens a pull request of the bot's branch and adds nothing: it is not the bot's own.",
    defence="every-push-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401",
)
def _(world: World) -> None:
    bots_own(world)
    world.author = "octo-dev"


BASES = {
    "exempt-retargeted-by-another": ("Somebody points it at a base to which it brings in others' work.", "retargeted"),
    "exempt-base-forced-by-another": ("Somebody forces its base back, so that it brings in more.", "forced"),
}
for _name, (_says, _kind) in BASES.items():

    @tried(_name, _says, defence="aimed-by-its-author", state="pending", phases=WAITING, codes="PG401 PG413")
    def _(world: World, kind: str = _kind) -> None:
        bots_own(world)
        change = {"at": world.tick(), "before": "develop", "after": "main", "actor": PEOPLE["octo-dev"], "kind": kind}
        world.base_changes.append(change)


@tried(
    "exempt-with-code",
    "A change of the documentation with one file of code in it.",
    defence="every-path-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    changes_documentation(world, {"path": "src/auth.py"})


@tried(
    "exempt-renamed-from-code",
    "A file of code is renamed into the documentation.",
    defence="every-path-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    changes_documentation(world, {"path": "docs/a.md", "status": "renamed", "previous_path": "src/auth.py"})


NAMES = {
    "exempt-folder-called-like-a-file": ("Code in a folder whose name ends as Markdown does.", "notes.md/conftest.py"),
    "exempt-folder-replaced": ("The folder itself becomes a link or a submodule.", "docs"),
}
for _name, (_says, _path) in NAMES.items():

    @tried(_name, _says, defence="covered-by-name", state="pending", phases=WAITING, codes="PG401 PG413")
    def _(world: World, path: str = _path) -> None:
        changes_documentation(world, {"path": path})


@tried(
    "exempt-folder-called-like-the-file",
    "The changelog is exempt, and code is added to a folder of its name.",
    defence="covered-by-name",
    state="pending",
    phases=WAITING,
    codes="PG401",
)
def _(world: World) -> None:
    world.policy = "version: 1\nexempt: [{paths: [CHANGELOG.md], reason: notes are not judged}]\n"
    world.issues.clear()
    world.changes["files"] = {"complete": True, "entries": [{"path": "tests/CHANGELOG.md/conftest.py"}]}


@tried(
    "exempt-workflow",
    "All Markdown is exempt, and some of it steers the repository itself.",
    defence="never-exempt",
    state="pending",
    phases=WAITING,
    codes="PG401 PG413",
)
def _(world: World) -> None:
    changes_documentation(world, {"path": ".github/ISSUE_TEMPLATE/bug.md"})


def changes_documentation(world: World, *entries: dict[str, str]) -> None:
    """A pull request that changes the documentation, and more."""
    world.policy = DOCS.replace("'*.md'", "'**/*.md'")
    world.issues.clear()
    world.changes["files"] = {"complete": True, "entries": [{"path": "docs/install.md"}, *entries]}


@tried(
    "unlinked-to-have-no-plan",
    "The issue is unlinked where none is asked for: what was linked once needs its plan.",
    defence="never-linked",
    codes="PG408",
    state="pending",
    phases=WAITING,
)
def _(world: World) -> None:
    world.policy = NO_ISSUE
    world.unlink(12)
    world.built()
    world.tested()


@tried(
    "approved-for-a-commit-that-never-was",
    "An approval names a commit that was never the head.",
    defence="named-commits",
    state="pending",
    phases=QA_WAITS,
    codes="PG301",
)
def _(world: World) -> None:
    qa_but(world)
    world.say("mona", "/gate approve qa 0123abc")


@tried(
    "approved-for-an-older-commit",
    "An approval names the commit before the last push.",
    defence="same-content",
    state="pending",
    phases=BUILD_WAITS,
)
def _(world: World) -> None:
    green(world)
    world.push("b")
    world.say("mona", f"/gate approve qa {commit('a')}")


@tried(
    "merged-on-a-withdrawn-approval",
    "The approval was withdrawn, and still stands there.",
    defence="withdrawals",
    state="pending",
    phases=QA_WAITS,
    codes="PG224",
)
def _(world: World) -> None:
    green(world)
    world.say("mona", "/gate withdraw qa")


@tried(
    "box-and-a-word",
    "A box is ticked, and a word changed with it.",
    defence="only-boxes",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG205",
)
def _(world: World) -> None:
    ticked(world, "[x] no")


@tried(
    "box-and-back-with-a-word",
    "A box is ticked, which is no edit; when that is taken back, a word changes with it.",
    defence="only-boxes",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG205",
)
def _(world: World) -> None:
    ticked(world, "[x]")
    said = next(each for each in world.comments if "[x]" in each["text"])
    world.edit(said, said["text"].replace("[x] tests", "[ ] no tests"), "mona")


@tried(
    "box-inside-a-fence",
    "What looks like a box stands in a fence: it is text, and its change an edit.",
    defence="rendered-boxes",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG205",
)
def _(world: World) -> None:
    world.planned()
    text = verdict("judge").replace("What I looked at", "```\n- [ ] tests\n```\n\nWhat I looked at")
    said = world.say("ana", text)
    world.edit(said, text.replace("[ ] tests", "[x] tests"), "mona")
    others(world)


@tried(
    "box-over-a-lost-fail",
    "A PASS is edited to a FAIL and back with a box ticked, and GitHub tells the two edits of one second the wrong way"
    " round: what does not fit the text is no mere tick.",
    defence="readable-history",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG216",
)
def _(world: World) -> None:
    world.planned()
    text = verdict("judge").replace("What I looked at", "- [ ] tests\n\nWhat I looked at")
    said = world.say("ana", text)
    world.edit(said, verdict("judge", "FAIL"), "ana")
    world.at_once()
    world.edit(said, text.replace("[ ]", "[x]"), "ana")
    said["history"][1:] = reversed(said["history"][1:])
    others(world)


@tried(
    "box-in-code-at-the-start",
    "What looks like a box stands in code, on the first line of the comment.",
    defence="rendered-boxes",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG205",
)
def _(world: World) -> None:
    world.planned()
    text = f"    - [ ] tests\n\n{verdict('judge')}"
    world.edit(world.say("ana", text), text.replace("[ ]", "[x]"), "mona")
    others(world)


@tried(
    "placeholder-over-a-fail",
    "The Inspector's FAIL is edited to a placeholder and then to a PASS: the quick route stays cancelled.",
    defence="fails-are-no-placeholders",
    state="pending",
    phases=WAITING,
)
def _(world: World) -> None:
    world.label(QUICK)
    said = world.judges("inspector", "FAIL")
    world.edit(said, verdict("inspector"), "ana")
    world.judges("judge")


@tried(
    "placeholder-over-a-fail-deleted",
    "The FAIL is edited to a placeholder, which its account deletes before it posts a PASS: the record has the FAIL.",
    defence="recorded-failures",
    state="pending",
    phases=WAITING,
)
def _(world: World) -> None:
    world.label(QUICK)
    said = world.judges("inspector", "FAIL")
    on_record(world, said["id"], "inspector", who="ana")
    world.edit(said, "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n", "ana")
    deletes(world, said, "ana")
    world.judges("inspector")
    world.judges("judge")


@tried(
    "placeholder-of-another-account",
    "A placeholder of one account is followed by a verdict of another: nobody has made it good.",
    defence="made-good-by-its-own",
    state="pending",
    phases=WAITING,
    codes="PG102",
)
def _(world: World) -> None:
    world.label(QUICK)
    world.say("ben", "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n")
    world.judges("inspector")
    world.judges("judge")


@tried(
    "fail-told-beside-a-broken-block",
    "The block is cut off, and only the text above it says FAIL: no mere placeholder.",
    defence="unread-objections",
    state="pending",
    phases=WAITING,
    codes="PG001",
)
def _(world: World) -> None:
    world.label(QUICK)
    cut = block('{"verdict": ')
    world.say("ana", f"## jkz:inspector\n\nFAIL: tokens never expire.\n\n{cut}\n")
    world.judges("inspector")
    world.judges("judge")


@tried(
    "example-of-a-judge",
    "The Judge hides the next verdict in a fence: who speaks for the role shows no examples.",
    defence="own-examples",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG031",
)
def _(world: World) -> None:
    green(world)
    world.say("ana", f"So:\n\n```\n{verdict('judge')}\n```\n")


@tried(
    "second-round-hides-a-file",
    "A file outside the plan is left out of a later round's list.",
    defence="scope",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG720 PG722",
)
def _(world: World) -> None:
    second_round(world)
    hidden = [{"path": path} for path in ("src/auth.py", "src/backdoor.py", "tests/test_auth.py", *world.trees[-1])]
    world.changes["files"] = {"complete": True, "entries": hidden}
