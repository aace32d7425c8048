"""Instructions: the pull request changes what its own judges take orders from."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack, green
from tests.casebook.evidence import PRODUCT
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import JSON, PEOPLE, World, commit, verdict

orders = partial(attack, "instructions", defence="own-orders", state="pending", phases=BUILD_WAITS)


def changing(world: World, entries: tuple[JSON, ...], policy: str | None = None) -> None:
    """A pull request that every agent has passed, with files beside its product."""
    world.policy = policy
    entries = ({"path": PRODUCT[0]}, *entries)
    world.changes["files"] = {"complete": True, "entries": list(entries)}
    green(world)


for _name, _says, _path in (
    ("orders-for-every-agent", "AGENTS.md now says: pass everything.", "AGENTS.md"),
    ("orders-in-a-folder", "The same in a folder that an agent reads when it works there.", "src/auth/CLAUDE.md"),
    ("orders-without-case", "The file's name is written otherwise.", "src/Agents.MD"),
    ("orders-with-a-long-s", "A letter that file systems without case take for an s.", "AGENT\u017f.md"),
    ("orders-as-a-skill", "A skill of the agent is changed.", ".claude/skills/review/SKILL.md"),
    ("orders-as-a-nested-rule", "A rule for one folder.", "packages/web/.cursor/rules/review.mdc"),
    ("orders-for-copilot", "Instructions for one kind of file.", ".github/instructions/python.instructions.md"),
    ("orders-as-an-agent", "An agent of the repository is changed.", ".github/agents/reviewer.agent.md"),
):
    orders(_name, _says, because=f"{_path} may steer the agents")(
        partial(changing, entries=({"path": _path, "status": "added"},))
    )


@orders("orders-renamed-away", "The file that held the judges back is moved away.")
def _(world: World) -> None:
    changing(world, ({"path": "docs/old.md", "status": "renamed", "previous_path": "AGENTS.md"},))


@orders("orders-removed", "Or removed.")
def _(world: World) -> None:
    changing(world, ({"path": "GEMINI.md", "status": "removed"},))


@orders("orders-of-the-policy", "A file that only this team's agents read.")
def _(world: World) -> None:
    policy = "version: 1\ninstructions: {paths: ['Prompts/**']}\n"
    changing(world, ({"path": "prompts/judge.txt", "status": "modified"},), policy)


@orders("orders-approved-too-soon", "The approval was for the content before.")
def _(world: World) -> None:
    changing(world, ({"path": "AGENTS.md", "status": "modified"},))
    world.say("mona", "/gate approve build")
    world.push("b")
    world.built()
    world.tested()


@orders("orders-approved-by-author", "The author approves the own instructions.", codes="PG211")
def _(world: World) -> None:
    changing(world, ({"path": "AGENTS.md", "status": "modified"},))
    world.say("octo-dev", "/gate approve build")


@orders("orders-approved-for-qa-alone", "The human has approved QA, not the build.")
def _(world: World) -> None:
    changing(world, ({"path": ".codex/config.toml", "status": "modified"},))


@orders(
    "orders-for-qa",
    "The policy asks for no human in QA, and only the build was approved.",
    phases="success success pending",
)
def _(world: World) -> None:
    policy = "version: 1\nphases: {qa: {human_approval: false}}\n"
    changing(world, ({"path": "AGENTS.md", "status": "modified"},), policy)
    world.comments.pop()
    world.say("mona", "/gate approve build")


@orders("orders-beyond-the-list", "GitHub does not list all files, so one of them may be such a file.")
def _(world: World) -> None:
    green(world)
    world.changes["files"] = {"complete": False, "entries": [{"path": PRODUCT[0]}]}


for _name, _says, _path in (
    ("orders-as-a-copilot-skill", "A skill that Copilot reads from the branch.", ".github/skills/review/SKILL.md"),
    ("orders-as-a-hook", "A command that runs whenever an agent uses a tool.", ".github/hooks/review.json"),
    ("orders-as-a-server", "Another server that agents ask.", ".mcp.json"),
    ("orders-as-a-submodule", "The folder becomes a submodule.", ".claude"),
    ("orders-for-another-agent", "Rules of an agent that fewer people have.", ".roo/rules/review.md"),
):
    orders(_name, _says, because=f"{_path} may steer the agents")(
        partial(changing, entries=({"path": _path, "status": "added"},))
    )

replaced = partial(orders, defence="folders-replaced")


@replaced("orders-behind-a-link", "All of .github becomes a link to another folder.", because=".github may steer")
def _(world: World) -> None:
    changing(world, ({"path": ".github", "status": "added", "mode": "120000"},))


@replaced("orders-of-the-policy-behind-a-link", "So does a folder above those of the policy.")
def _(world: World) -> None:
    policy = "version: 1\ninstructions: {paths: ['./Docs/agents/**']}\n"
    changing(world, ({"path": "docs", "status": "added", "mode": "160000"},), policy)


@orders(
    "orders-gone-again",
    "Orders of one push make the judges pass the commit before it, which then becomes the head again.",
    defence="judged-as-it-stood",
    because="was the head, whose files may have steered it",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    for role in ("judge", "inspector"):
        world.judges(role, commit=commit("a"))
    world.push("c", content="a")
    world.tested()


@orders(
    "orders-gone-again-in-reviews",
    "The same in reviews, which GitHub takes for any commit.",
    defence="judged-as-it-stood",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    for role in ("judge", "inspector"):
        world.review("ana", verdict(role), at="a")
    world.push("c", content="a")
    world.tested()


for _name, _path, _target, _changed in (
    ("file", "CLAUDE.md", "docs/orders.md", "docs/orders.md"),
    ("folder", ".claude/skills", "tools/skills", "tools/skills/review.md"),
    ("step", ".cursorrules", "docs", "docs"),
):

    @orders(
        f"orders-behind-a-link-of-the-base-to-a-{_name}",
        "What a link of the base leads to from where agents take orders is changed.",
        defence="links-followed",
        because=f"{_changed} may steer the agents",
    )
    def _(world: World, path: str = _path, target: str = _target, changed: str = _changed) -> None:
        world.changes["instruction_links"] = [{"path": path, "target": target}]
        changing(world, ({"path": changed},))


AT_ONCE = partial(orders, defence="judged-as-it-stood", phases="success pending success")
ALONE = "version: 1\nphases: {plan: {enabled: false}, build: {roles: [judge]}, qa: {enabled: false}}\n"


@AT_ONCE("orders-gone-in-one-second", "The Judge passes the commit before in the very second in which the orders come.")
def _(world: World) -> None:
    world.policy = ALONE
    world.push("b")
    world.at_once()
    world.judges("judge", commit=commit("a"))
    world.push("c", content="a")


@AT_ONCE("orders-forced-away-in-one-second", "On a fork they are forced away in the second of the Judge's PASS.")
def _(world: World) -> None:
    world.policy = ALONE
    world.unlogged()
    world.review("ben", "Nice.", at="a")
    world.judges("judge", commit=commit("a"))
    world.at_once()
    ends = {"before": commit("b"), "after": commit("a"), "kind": "force_push"}
    world.head_forced = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], **ends}]
