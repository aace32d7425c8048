"""Stories about who may speak, and about words that were touched."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import PEOPLE, World, block, commit, digest, verdict

BOT = "jkz-runner[bot]"
NAMED_BOT = f'version: 1\nagents: {{accounts: [{{login: "{BOT}", id: 987, app_id: 12345, roles: [judge]}}]}}\n'


def others(world: World) -> None:
    """Everything but the Judge is green."""
    world.judges("inspector")
    world.tested()


@story(
    "stranger",
    "Anybody can comment; a stranger's PASS does not count.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG201",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", who="eve")
    others(world)


@story("stranger-fails", "Nor can a stranger's FAIL stop anything.", state="success", phases=GREEN, codes="PG201")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.judges("judge", "FAIL", who="eve")


@story(
    "strangers-flood",
    "Twenty-five strangers' texts are noted, not taken apart: the newest twenty are listed, the rest is counted.",
    state="success",
    phases=GREEN,
    codes="PG201 PG210",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    for number in range(24):
        said = world.say("eve", verdict("judge", "FAIL") + f"<!-- jkz:verdict-json {{{number}, J1 a:1 -->\n" * 3)
        world.edit(said, f"never mind {number}", "eve")
    world.say("eve", "/gate approve qa\n/gate override everything\n")
    world.tested()


@story(
    "unknown-permission",
    "An account whose permission was not looked up may do nothing.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG201",
    because="Waiting for Judge",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", who="ben")
    others(world)
    del world.permissions["ben"]


@story(
    "only-named-agents",
    "With agents.only, write permission is not enough.",
    state="pending",
    phases="pending pending success",
    codes="PG201",
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {only: true}\nphases: {plan: {enabled: true}, qa: {enabled: false}}\n"
    world.planned()
    world.built()


@story(
    "author-judges",
    "Whoever opened the pull request does not judge it.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG202",
    because="Judge's PASS by octo-dev is ignored",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", who="octo-dev")
    others(world)


@story(
    "author-fails",
    "Having opened the pull request bars passes, not objections.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed 86f7e43: J1",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("judge", "FAIL", who="octo-dev")
    world.tested()


@story("author-fails-and-is-answered", "The Judge answers it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL", who="octo-dev")
    world.built()
    world.tested()


@story(
    "request-dismissed-by-a-human",
    "A human who may act lifts a request for changes by dismissing it; the older PASS will do.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.dismiss(world.review("ana", "", state="CHANGES_REQUESTED"), "mona")
    world.tested()


@story("author-judges-by-policy", "Unless the policy names that account for the role.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n"
    world.planned()
    world.judges("judge", who="octo-dev")
    others(world)


@story(
    "author-named-for-another-role",
    "Named for another role, the author is still the author.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG202",
    because="Judge's PASS by octo-dev is ignored",
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [lens]}]}\n"
    world.planned()
    world.judges("judge", who="octo-dev")
    others(world)


@story(
    "one-account-for-all", "One person whose agents use the same account.", state="success", phases=GREEN, codes="PG223"
)
def _(world: World) -> None:
    world.policy = (
        "version: 1\nagents: {author_may_judge: true}\nissue: {author_may_lower: true}\n"
        "humans: {author_may_approve: true, agents_may_approve: true}\n"
    )
    world.say("octo-dev", "## jkz:architect\n\nThe plan.\n", on=12)
    for role in ("auditor", "curator"):
        world.judges(role, who="octo-dev")
    world.say("octo-dev", "/gate approve plan", on=12)
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, who="octo-dev")
    world.say("octo-dev", "/gate approve qa")


@story(
    "pusher-judges",
    "Whoever pushed to the pull request does not judge it either.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG202",
    because="Judge's PASS by ben is ignored",
)
def _(world: World) -> None:
    world.push("b", by="ben")
    world.planned()
    world.judges("judge", who="ben")
    others(world)


@story("pusher-fails", "What a pusher says against the work counts.", state="failure", phases=BUILD_FAILED)
def _(world: World) -> None:
    world.push("b", by="ben")
    world.planned()
    world.built()
    world.judges("judge", "FAIL", who="ben")


@story("pusher-judges-by-policy", "Unless the policy lists the role for that account.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    world.push("b", by="ben")
    world.planned()
    world.judges("judge", who="ben")
    others(world)


@story(
    "author-slips-and-judges-again",
    "An author who may judge names a second role by mistake, and says it again.",
    state="success",
    phases=GREEN,
    codes="PG119 PG202",
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n"
    world.planned()
    slip = {"verdict": "PASS", "issues": [], "role": "inspector"}
    world.say("octo-dev", f"## jkz:judge\n\nFine.\n\n{block(slip)}\n")
    world.judges("judge", who="octo-dev")
    others(world)


@story(
    "pusher-slips-and-another-judges",
    "A badly formed word of who pushed later is made good by another account.",
    state="success",
    phases=GREEN,
    codes="PG202 PG301",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", who="ben", commit="1234567")
    world.push("b", by="ben")
    world.judges("judge")
    others(world)


@story("catch-up-by-a-judge", "Whoever only brings the branch up to date may judge it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.push("b", "a", by="ben")
    world.planned()
    world.judges("judge", who="ben")
    others(world)


@story("bot-unnamed", "A bot counts only when named.", state="pending", phases=BUILD_WAITS, codes="PG203")
def _(world: World) -> None:
    world.planned()
    world.say("helper[bot]", verdict("judge"), app_id=777)
    others(world)


@story("bot-named", "A bot that the policy names by id and app.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = NAMED_BOT
    world.planned()
    world.say(BOT, verdict("judge"), app_id=12345)
    others(world)


@story(
    "app-of-a-person",
    "An agent that writes with a person's account counts by its app; so does that person, who may write.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, app_id: 12345, roles: [judge]}]}\n"
    world.planned()
    world.say("ben", verdict("judge"), app_id=12345)
    world.say("ben", verdict("inspector"))
    world.tested()


@story("bot-other-app", "The right login with another app id.", state="pending", phases=BUILD_WAITS, codes="PG204")
def _(world: World) -> None:
    world.policy = NAMED_BOT
    world.planned()
    world.say(BOT, verdict("judge"), app_id=666)
    others(world)


@story("bot-other-id", "The right login with another account id.", state="pending", phases=BUILD_WAITS, codes="PG204")
def _(world: World) -> None:
    world.policy = NAMED_BOT
    world.planned()
    said = world.say(BOT, verdict("judge"), app_id=12345)
    said["author"] = {"login": BOT, "id": 988, "type": "Bot"}
    others(world)


@story(
    "github-actions-named", "Naming github-actions[bot] draws a warning.", state="success", phases=GREEN, codes="PG217"
)
def _(world: World) -> None:
    world.policy = 'version: 1\nagents: {accounts: [{login: "github-actions[bot]", id: 41898282}]}\n'
    world.planned()
    world.built()
    world.tested()


@story(
    "bot-named-by-login", "A bot named by its login alone draws a notice.", state="success", phases=GREEN, codes="PG218"
)
def _(world: World) -> None:
    world.policy = f'version: 1\nagents: {{accounts: [{{login: "{BOT}", roles: [judge]}}]}}\n'
    world.planned()
    world.say(BOT, verdict("judge"), app_id=12345)
    others(world)


TEAM = 'version: 1\nagents: {only: true, accounts: [{login: "@octo/agents"}]}\nphases: {plan: {enabled: false}}\n'


@story("team-named", "A member of a team that the policy names.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = TEAM
    world.changes["teams"] = [{"slug": "octo/agents", "readable": True, "members": [21]}]
    world.built()
    world.tested()


@story(
    "team-unreadable",
    "The token may not read the team: it is not known who is an agent.",
    state="error",
    phases="error error error",
    codes="PG220",
    because="it takes a token with Members: read of octo",
)
def _(world: World) -> None:
    world.policy = TEAM
    world.changes["teams"] = [{"slug": "octo/agents", "readable": False, "members": []}]
    world.built()


@story(
    "team-member-is-author",
    "Being in the team does not let the author judge.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG202",
)
def _(world: World) -> None:
    world.policy = TEAM
    world.changes["teams"] = [{"slug": "octo/agents", "readable": True, "members": [11, 21]}]
    world.judges("judge", who="octo-dev")
    world.judges("inspector")
    world.tested()


@story(
    "look-alike-login",
    "An account whose login looks like a named one.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG204",
)
def _(world: World) -> None:
    world.policy = NAMED_BOT
    world.planned()
    said = world.say(BOT, verdict("judge"), app_id=12345)
    said["author"] = {"login": "jkz-runn3r[bot]".replace("3", "e").replace("-", "_"), "id": 4242, "type": "Bot"}
    others(world)


def forced_unlogged(world: World, by: str) -> None:
    """Somebody forces the branch, and nothing but the pull request tells of it."""
    move = {"at": world.tick(), "before": commit("a"), "after": commit("b"), "kind": "force_push", "actor": PEOPLE[by]}
    world.head_forced.append(move)
    world.head, world.contents[commit("b")] = "b", digest("b")
    world.unlogged()


@story("forced-by-another", "Who forced the branch does not judge; the others do.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    forced_unlogged(world, "ben")
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, commit=commit("b"))
    world.say("mona", f"/gate approve qa {commit('b')}")
