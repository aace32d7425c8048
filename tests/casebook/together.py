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
