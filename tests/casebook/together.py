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
    world.under(team("coderabbit")).without_issues().then(says, "coderabbit", walkthrough())


@story(phases="success failure success", because="CodeRabbit failed")
def review_findings(world: World) -> None:
    """Its findings are the author's to fix."""
    world.under(team("coderabbit")).then(reviews, "coderabbit", actionable(2))


@story(phases=GREEN)
def review_many_rounds(world: World) -> None:
    """Five contents with findings, then a clean one: no number of rounds escalates."""
    world.under(team("copilot"))
    for head in "bcdef":
        found = reviews(world, "copilot", copilot(count="1 comment"))
        opened = world.thread(account("copilot"), "This swallows the error.", review=found["id"])
        world.resolve(opened, PEOPLE["mona"]).push(head)
    reviews(world, "copilot", copilot())


@story(phases=GREEN)
def review_two(world: World) -> None:
    """Two reviewers, both content."""
    world.under(team("codex", "copilot")).then(says, "codex", codex()).then(reviews, "copilot", copilot())


@story(phases=WAITS)
def review_one_of_two(world: World) -> None:
    """Two reviewers, one of them silent."""
    world.under(team("codex", "copilot")).then(says, "codex", codex())


@story(phases=GREEN, codes="PG527")
def review_six(world: World) -> None:
    """Six reviewers, all content."""
    world.under(team("coderabbit", "codex", "copilot", "greptile", "bugbot", "claude-review")).without_issues()
    world.then(says, "coderabbit", walkthrough()).then(says, "codex", codex())
    world.then(says, "greptile", greptile()).then(reviews, "copilot", copilot())
    world.then(runs, "bugbot", **CLEAN_BUGBOT).then(runs, "claude-review", **CLAUDE, text=counted())


def human_too(world: World) -> None:
    """A reviewer is content, and a human has to approve."""
    world.under(f"{team('codex')}phases: {{build: {{human_approval: true}}}}\n").then(says, "codex", codex())


@story(phases=WAITS, codes="PG209", because="inline thread")
def review_approved_inline(world: World) -> None:
    """A maintainer approves in a review thread, where none counts: the line to write and its place are the answer."""
    human_too(world)
    opened = world.thread(PEOPLE["ben"], "Why not a set?")
    world.reply(opened, "mona", "Never mind.\n\n/gate approve build")


@story(phases=WAITS, codes="PG214")
def review_approved_inline_misspelt(world: World) -> None:
    """A try there is answered with the line, and with where it does not count."""
    human_too(world)
    world.thread(PEOPLE["mona"], "/gate aprove build")


@story(phases=GREEN, codes="PG209")
def review_approved_inline_then_again(world: World) -> None:
    """The same line in a comment afterwards counts."""
    human_too(world)
    world.thread(PEOPLE["mona"], "/gate approve build")
    world.says("mona", "/gate approve build")


@story(phases=GREEN)
def review_quoted_inline(world: World) -> None:
    """A stranger writes such lines too, takes nothing back and gets no answer."""
    human_too(world)
    opened = world.thread(PEOPLE["eve"], "/gate approve build")
    world.reply(opened, "eve", "/gate withdraw build").says("mona", "/gate approve build")
