"""Stories of the review profile: nothing but reviewers, alone and several together."""

from __future__ import annotations

from tests.casebook.reviewers import (
    CLAUDE,
    CLEAN_BUGBOT,
    WAITS,
    account,
    actionable,
    codex,
    copilot,
    counted,
    greptile,
    reviews,
    runs,
    says,
    walkthrough,
)
from tests.casebook.story import GREEN, story
from tests.casebook.world import PEOPLE, World


def team(*names: str) -> str:
    """A whole policy: the reviewers of a team."""
    accounts = ", ".join(f"{{format: {name}}}" for name in names)
    return f"version: 1\nprofile: review\nagents: {{accounts: [{accounts}]}}\n"


@story(phases=GREEN)
def review_clean(world: World) -> None:
    """The whole policy is one reviewer, who is content: no issue, no plan."""
    world.policy = team("coderabbit")
    world.issues.clear()
    says(world, "coderabbit", walkthrough())


@story(phases="success failure success", because="CodeRabbit failed")
def review_findings(world: World) -> None:
    """Its findings are the author's to fix."""
    world.policy = team("coderabbit")
    reviews(world, "coderabbit", actionable(2))


@story(phases=GREEN)
def review_many_rounds(world: World) -> None:
    """Five contents with findings, then a clean one: no number of rounds escalates."""
    world.policy = team("copilot")
    for head in "bcdef":
        found = reviews(world, "copilot", copilot(count="1 comment"))
        opened = world.thread(account("copilot"), "This swallows the error.", review=found["id"])
        world.resolve(opened, PEOPLE["mona"])
        world.push(head)
    reviews(world, "copilot", copilot())


@story(phases=GREEN)
def review_two(world: World) -> None:
    """Two reviewers, both content."""
    world.policy = team("codex", "copilot")
    says(world, "codex", codex())
    reviews(world, "copilot", copilot())


@story(state="pending", phases=WAITS)
def review_one_of_two(world: World) -> None:
    """Two reviewers, one of them silent."""
    world.policy = team("codex", "copilot")
    says(world, "codex", codex())


@story(phases=GREEN, codes="PG527")
def review_six(world: World) -> None:
    """Six reviewers, all content."""
    world.policy = team("coderabbit", "codex", "copilot", "greptile", "bugbot", "claude-review")
    world.issues.clear()
    says(world, "coderabbit", walkthrough())
    says(world, "codex", codex())
    says(world, "greptile", greptile())
    reviews(world, "copilot", copilot())
    runs(world, "bugbot", **CLEAN_BUGBOT)
    runs(world, "claude-review", **CLAUDE, text=counted())


def human_too(world: World) -> None:
    """A reviewer is content, and a human has to approve."""
    world.policy = f"{team('codex')}phases: {{build: {{human_approval: true}}}}\n"
    says(world, "codex", codex())


@story(
    "review-approved-inline",
    "A maintainer approves in a review thread, where none counts: the line to write and its place are the answer.",
    state="pending",
    phases=WAITS,
    codes="PG209",
    because="inline thread",
)
def _(world: World) -> None:
    human_too(world)
    opened = world.thread(PEOPLE["ben"], "Why not a set?")
    world.reply(opened, "mona", "Never mind.\n\n/gate approve build")


@story(
    "review-approved-inline-misspelt",
    "A try there is answered with the line, and with where it does not count.",
    state="pending",
    phases=WAITS,
    codes="PG214",
)
def _(world: World) -> None:
    human_too(world)
    world.thread(PEOPLE["mona"], "/gate aprove build")


@story(
    "review-approved-inline-then-again",
    "The same line in a comment afterwards counts.",
    state="success",
    phases=GREEN,
    codes="PG209",
)
def _(world: World) -> None:
    human_too(world)
    world.thread(PEOPLE["mona"], "/gate approve build")
    world.say("mona", "/gate approve build")


@story(
    "review-quoted-inline",
    "A stranger writes such lines too, takes nothing back and gets no answer.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    human_too(world)
    opened = world.thread(PEOPLE["eve"], "/gate approve build")
    world.reply(opened, "eve", "/gate withdraw build")
    world.say("mona", "/gate approve build")
