"""Instructions: the pull request changes what its own judges take orders from."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.evidence import PRODUCT
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import JSON, PEOPLE, World, commit, verdict

orders = partial(attack, "instructions", defence="own-orders", phases=BUILD_WAITS)


def changing(world: World, entries: tuple[JSON, ...], policy: str | None = None) -> None:
    """A pull request that every agent has passed, with files beside its product."""
    world.under(policy)
    entries = ({"path": PRODUCT[0]}, *entries)
    world.touches(*entries).green()


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


@orders()
def orders_renamed_away(world: World) -> None:
    """The file that held the judges back is moved away."""
    changing(world, ({"path": "docs/old.md", "status": "renamed", "previous_path": "AGENTS.md"},))


@orders()
def orders_removed(world: World) -> None:
    """Or removed."""
    changing(world, ({"path": "GEMINI.md", "status": "removed"},))


@orders()
def orders_of_the_policy(world: World) -> None:
    """A file that only this team's agents read."""
    policy = "version: 1\ninstructions: {paths: ['Prompts/**']}\n"
    changing(world, ({"path": "prompts/judge.txt", "status": "modified"},), policy)


@orders()
def orders_approved_too_soon(world: World) -> None:
    """The approval was for the content before."""
    world.then(changing, ({"path": "AGENTS.md", "status": "modified"},)).says("mona", "/gate approve build")
    world.push("b").built().tested()


@orders(codes="PG211")
def orders_approved_by_author(world: World) -> None:
    """The author approves the own instructions."""
    world.then(changing, ({"path": "AGENTS.md", "status": "modified"},)).says("octo-dev", "/gate approve build")


@orders()
def orders_approved_for_qa_alone(world: World) -> None:
    """The human has approved QA, not the build."""
    changing(world, ({"path": ".codex/config.toml", "status": "modified"},))


@orders(phases="success success pending")
def orders_for_qa(world: World) -> None:
    """The policy asks for no human in QA, and only the build was approved."""
    policy = "version: 1\nphases: {qa: {human_approval: false}}\n"
    changing(world, ({"path": "AGENTS.md", "status": "modified"},), policy)
    world.comments.pop()
    world.says("mona", "/gate approve build")


@orders()
def orders_beyond_the_list(world: World) -> None:
    """GitHub does not list all files, so one of them may be such a file."""
    world.green().touches(PRODUCT[0], complete=False)


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


@replaced(because=".github may steer")
def orders_behind_a_link(world: World) -> None:
    """All of .github becomes a link to another folder."""
    changing(world, ({"path": ".github", "status": "added", "mode": "120000"},))


@replaced()
def orders_of_the_policy_behind_a_link(world: World) -> None:
    """So does a folder above those of the policy."""
    policy = "version: 1\ninstructions: {paths: ['./Docs/agents/**']}\n"
    changing(world, ({"path": "docs", "status": "added", "mode": "160000"},), policy)


@orders(defence="judged-as-it-stood", because="was the head, whose files may have steered it")
def orders_gone_again(world: World) -> None:
    """Orders of one push make the judges pass the commit before it, which then becomes the head again."""
    world.planned().push("b").passed_by("judge", "inspector", commit=commit("a")).push("c", content="a")
    world.tested()


@orders(defence="judged-as-it-stood")
def orders_gone_again_in_reviews(world: World) -> None:
    """The same in reviews, which GitHub takes for any commit."""
    world.planned().push("b")
    for role in ("judge", "inspector"):
        world.reviewed("ana", verdict(role), at="a")
    world.push("c", content="a").tested()


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


@orders(defence="own-orders", because="A file that GitHub does not list may steer the agents")
def orders_behind_links_that_are_not_listed(world: World) -> None:
    """The repository is so large that GitHub does not list its links."""
    world.changes["instruction_links_complete"] = False
    changing(world, ({"path": "docs/orders.md"},))


AT_ONCE = partial(orders, defence="judged-as-it-stood", phases="success pending success")
ALONE = "version: 1\nphases: {plan: {enabled: false}, build: {roles: [judge]}, qa: {enabled: false}}\n"


@AT_ONCE()
def orders_gone_in_one_second(world: World) -> None:
    """The Judge passes the commit before in the very second in which the orders come."""
    world.under(ALONE).push("b").at_once().passed_by("judge", commit=commit("a")).push("c", content="a")


@AT_ONCE()
def orders_forced_away_in_one_second(world: World) -> None:
    """On a fork they are forced away in the second of the Judge's PASS."""
    world.under(ALONE).unlogged().reviewed("ben", "Nice.", at="a").passed_by("judge", commit=commit("a"))
    world.at_once()
    ends = {"before": commit("b"), "after": commit("a"), "kind": "force_push"}
    world.head_forced = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], **ends}]
