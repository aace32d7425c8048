"""Honest pull requests that used to get stuck: what was refused is said first, and what helps is proposed."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, World, block, commit, verdict

PASS = '{"verdict": "PASS", "issues": []}'
SOLO = "version: 1\nsolo: true\n"
DOCS = "version: 1\nexempt:\n  - {paths: [docs/**, '*.md'], reason: documentation needs no review by agents}\n"
BOT = """version: 1
exempt:
  - {authors: [{login: "helper[bot]", id: 555}], reason: dependency updates are tested by CI}
"""
NO_ISSUE = "version: 1\nissue: {required: false}\n"
PLAN_WAITS = "pending pending pending"


def waiting_for_the_judge(world: World) -> None:
    """Everything is green but the Judge."""
    world.planned()
    world.judges("inspector")
    world.tested()


def waiting_for_approval(world: World) -> None:
    """Everything is green but the approval of QA."""
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")


@story(
    "refused-for-two-reasons",
    "A bot that pushed to the branch judges it, and the policy does not name it: both are said at once.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG202 PG203",
    because="Judge's PASS by helper[bot] is ignored: helper[bot] is a Bot, which counts only when the policy names it",
)
def _(world: World) -> None:
    world.push("b", by="helper[bot]")
    world.planned()
    world.judges("judge", who="helper[bot]")
    world.judges("inspector")


@story(
    "refused-on-the-new-head",
    "The Judge's older PASS is stale, and the new one is refused: the new one is what is talked about.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG203",
    because="Judge's PASS by helper[bot] is ignored",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")
    world.push("b")
    world.judges("judge", who="helper[bot]")
    world.judges("inspector")


@story(
    "refused-in-the-wrong-place",
    "The Judge's PASS stands on the issue.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG209",
    because="Judge's PASS by ana is ignored: judge speaks on the pull request, not here",
)
def _(world: World) -> None:
    world.planned()
    world.say("ana", verdict("judge"), on=12)


@story(
    "refused-without-a-heading",
    "A block without any role: the way to tell it is said.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG125",
    because="Judge's PASS by ana is ignored: it cannot be told which role speaks",
)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"I looked at it.\n\n{block(PASS)}\n")


@story(
    "refused-plan",
    "The plan was written by an unnamed bot: the plan is there, and does not count.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG203",
    because="The plan of #12 by helper[bot] is ignored: helper[bot] is a Bot",
)
def _(world: World) -> None:
    world.say("helper[bot]", "## jkz:architect\n\n1. Check the expiry.\n", on=12)


@story(
    "refused-approval-of-the-author",
    "The author approves QA: that very line is answered, and who may is asked.",
    state="pending",
    phases=QA_WAITS,
    codes="PG211",
    because="octo-dev's /gate approve qa does not count: octo-dev opened this pull request",
)
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("octo-dev", "/gate approve qa")


@story(
    "refused-approval-misspelt",
    "A misspelt command is answered with the line that was meant.",
    state="pending",
    phases=QA_WAITS,
    codes="PG214",
    because="mona's /gate approve qa does not count: this line begins like a command but is none; did you mean \"/gate",
)
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("mona", "/gate aprove qa")


@story(
    "refused-resume",
    "An agent resumes an escalated phase: that does not count, and a human is asked.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG212",
    because="Escalated",
)
def _(world: World) -> None:
    world.planned()
    for name in ("a", "b", "c", "d"):
        if name != "a":
            world.push(name)
        world.judges("judge", "FAIL")
    world.say("ana", "/gate resume build: I am sure now")


@story("thanked-approval", "What people write after a command.", state="success", phases=GREEN)
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("mona", "/Gate approve QA, thanks!")


@story(
    "withdrawn-approval",
    "Whoever approved takes it back.",
    state="pending",
    phases=QA_WAITS,
    codes="PG224",
    because="Waiting for a human's /gate approve qa",
)
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("mona", "/gate approve qa")
    world.say("mona", "/gate withdraw qa")


@story(
    "unlogged-approval",
    "Where the log of pushes cannot be read, an approval without its commit is answered with the exact line.",
    state="pending",
    phases=QA_WAITS,
    codes="PG305",
    because="mona's /gate approve qa does not count: the log of pushes does not tell which commit it is for; name it",
)
def _(world: World) -> None:
    world.gated()
    world.unlogged()
    world.planned()
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, commit=commit("a"))
    world.say("mona", "/gate approve qa")


@story("unlogged-approval-named", "The same with its commit.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.gated()
    world.unlogged()
    world.planned()
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, commit=commit("a"))
    world.say("mona", f"/gate approve qa {commit('a')[:9]}")


@story(
    "solo",
    "One person with agents does everything from one account; it is said that nothing is independent.",
    state="success",
    phases=GREEN,
    codes="PG223",
)
def _(world: World) -> None:
    world.policy = SOLO
    everything_by(world, "octo-dev")


def everything_by(world: World, who: str) -> None:
    """Plan, build, QA and all approvals from one account."""
    world.say(who, "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    for role in ("auditor", "curator"):
        world.judges(role, who=who)
    world.say(who, "/gate approve plan", on=12)
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, who=who)
    world.say(who, "/gate approve qa")


@story(
    "no-issue-asked-for",
    "The policy asks for no issue, and none was ever linked: there is no plan to judge.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = NO_ISSUE
    world.issues.clear()
    world.built()
    world.tested()


@story(
    "no-issue-plan-overridden",
    "No issue is linked: a human overrides the plan on the pull request.",
    state="success",
    phases=GREEN,
    codes="PG401",
    because="Plan: Overridden by mona: a hotfix",
)
def _(world: World) -> None:
    world.issues.clear()
    world.built()
    world.tested()
    world.say("mona", "/gate override plan: a hotfix")


@story(
    "exempt-documentation",
    "The policy exempts changes of the documentation: a success that says so.",
    state="success",
    phases=GREEN,
    codes="PG401",
    because="Exempt by the policy: documentation needs no review by agents",
)
def _(world: World) -> None:
    world.policy = DOCS
    world.issues.clear()
    world.changes["files"] = {"complete": True, "entries": [{"path": "docs/install.md"}, {"path": "README.md"}]}


@story(
    "exempt-bot",
    "The policy exempts a bot's own pull requests.",
    state="success",
    phases=GREEN,
    codes="PG401",
    because="Exempt by the policy: dependency updates are tested by CI",
)
def _(world: World) -> None:
    bots_own(world)


def bots_own(world: World) -> None:
    """A pull request that a bot opened and pushed alone."""
    world.policy, world.author = BOT, "helper[bot]"
    world.issues.clear()
    for move in world.moves:
        move["actor"] = PEOPLE["helper[bot]"]


@story(
    "exempt-and-failed",
    "An exempt pull request that the Judge fails all the same is failed.",
    state="failure",
    phases="success failure success",
    codes="PG401",
    because="Judge failed",
)
def _(world: World) -> None:
    bots_own(world)
    world.judges("judge", "FAIL")
