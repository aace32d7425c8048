"""Stories about who may speak, and about words that were touched."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import PEOPLE, World, block, commit, digest, verdict

BOT = "jkz-runner[bot]"
NAMED_BOT = f'version: 1\nagents: {{accounts: [{{login: "{BOT}", id: 987, app_id: 12345, roles: [judge]}}]}}\n'


@story(phases=BUILD_WAITS, codes="PG201")
def stranger(world: World) -> None:
    """Anybody can comment; a stranger's PASS does not count."""
    world.planned().passed_by("judge", who="eve").others_pass()


@story(phases=GREEN, codes="PG201")
def stranger_fails(world: World) -> None:
    """Nor can a stranger's FAIL stop anything."""
    world.green().failed_by("judge", who="eve")


@story(phases=GREEN, codes="PG201 PG210")
def strangers_flood(world: World) -> None:
    """Twenty-five strangers' texts are noted, not taken apart: the newest twenty are listed, the rest is counted."""
    world.planned().built()
    for number in range(24):
        said = world.say("eve", verdict("judge", "FAIL") + f"<!-- jkz:verdict-json {{{number}, J1 a:1 -->\n" * 3)
        world.edit(said, f"never mind {number}", "eve")
    world.says("eve", "/gate approve qa\n/gate override everything\n").tested()


@story(phases="pending pending success", codes="PG201")
def only_named_agents(world: World) -> None:
    """With agents.only, write permission is not enough."""
    world.under("version: 1\nagents: {only: true}\nphases: {plan: {enabled: true}, qa: {enabled: false}}\n")
    world.planned().built()


@story(phases=BUILD_WAITS, codes="PG202", because="Judge's PASS by octo-dev is ignored")
def author_judges(world: World) -> None:
    """Whoever opened the pull request does not judge it."""
    world.planned().passed_by("judge", who="octo-dev").others_pass()


@story(phases=BUILD_FAILED, because="Judge failed 86f7e43: J1")
def author_fails(world: World) -> None:
    """Having opened the pull request bars passes, not objections."""
    world.planned().built().failed_by("judge", who="octo-dev").tested()


@story(phases=GREEN)
def author_fails_and_is_answered(world: World) -> None:
    """The Judge answers it."""
    world.planned().failed_by("judge", who="octo-dev").built().tested()


@story(phases=GREEN)
def request_dismissed_by_a_human(world: World) -> None:
    """A human who may act lifts a request for changes by dismissing it; the older PASS will do."""
    world.planned().built().dismiss(world.review("ana", "", state="CHANGES_REQUESTED"), "mona").tested()


@story(phases=GREEN)
def author_judges_by_policy(world: World) -> None:
    """Unless the policy names that account for the role."""
    world.under("version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n").planned()
    world.passed_by("judge", who="octo-dev").others_pass()


@story(phases=BUILD_WAITS, codes="PG202", because="Judge's PASS by octo-dev is ignored")
def author_named_for_another_role(world: World) -> None:
    """Named for another role, the author is still the author."""
    world.under("version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [lens]}]}\n").planned()
    world.passed_by("judge", who="octo-dev").others_pass()


@story(phases=GREEN, codes="PG223")
def one_account_for_all(world: World) -> None:
    """One person whose agents use the same account."""
    world.under(
        "version: 1\nagents: {author_may_judge: true}\nissue: {author_may_lower: true}\n"
        "humans: {author_may_approve: true, agents_may_approve: true}\n"
    )
    world.says("octo-dev", "## jkz:architect\n\nThe plan.\n", on=12)
    world.passed_by("auditor", "curator", who="octo-dev").says("octo-dev", "/gate approve plan", on=12)
    world.passed_by("judge", "inspector", "sentinel", "lens", who="octo-dev")
    world.says("octo-dev", "/gate approve qa")


@story(phases=BUILD_FAILED)
def pusher_fails(world: World) -> None:
    """What a pusher says against the work counts."""
    world.push("b", by="ben").planned().built().failed_by("judge", who="ben")


@story(phases=GREEN)
def pusher_judges_by_policy(world: World) -> None:
    """Unless the policy lists the role for that account."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").push("b", by="ben")
    world.planned().passed_by("judge", who="ben").others_pass()


@story(phases=GREEN, codes="PG119 PG202")
def author_slips_and_judges_again(world: World) -> None:
    """An author who may judge names a second role by mistake, and says it again."""
    world.under("version: 1\nagents: {accounts: [{login: octo-dev, id: 11, roles: [judge]}]}\n").planned()
    slip = {"verdict": "PASS", "issues": [], "role": "inspector"}
    world.says("octo-dev", f"## jkz:judge\n\nFine.\n\n{block(slip)}\n").passed_by("judge", who="octo-dev")
    world.others_pass()


@story(phases=GREEN, codes="PG202 PG301")
def pusher_slips_and_another_judges(world: World) -> None:
    """A badly formed word of who pushed later is made good by another account."""
    world.planned().passed_by("judge", who="ben", commit="1234567").push("b", by="ben").passed_by("judge")
    world.others_pass()


@story(phases=GREEN)
def catch_up_by_a_judge(world: World) -> None:
    """Whoever only brings the branch up to date may judge it."""
    world.push("b", "a", by="ben").planned().passed_by("judge", who="ben").others_pass()


@story(phases=BUILD_WAITS, codes="PG203")
def bot_unnamed(world: World) -> None:
    """A bot counts only when named."""
    world.planned().says("helper[bot]", verdict("judge"), app_id=777).others_pass()


@story(phases=GREEN)
def bot_named(world: World) -> None:
    """A bot that the policy names by id and app."""
    world.under(NAMED_BOT).planned().says(BOT, verdict("judge"), app_id=12345).others_pass()


@story(phases=GREEN)
def app_of_a_person(world: World) -> None:
    """An agent that writes with a person's account counts by its app; so does that person, who may write."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, app_id: 12345, roles: [judge]}]}\n")
    world.planned().says("ben", verdict("judge"), app_id=12345).says("ben", verdict("inspector")).tested()


@story(phases=BUILD_WAITS, codes="PG204")
def bot_other_id(world: World) -> None:
    """The right login with another account id."""
    world.under(NAMED_BOT).planned()
    said = world.say(BOT, verdict("judge"), app_id=12345)
    said["author"] = {"login": BOT, "id": 988, "type": "Bot"}
    world.others_pass()


@story(phases=GREEN, codes="PG217")
def github_actions_named(world: World) -> None:
    """Naming github-actions[bot] draws a warning."""
    world.under('version: 1\nagents: {accounts: [{login: "github-actions[bot]", id: 41898282}]}\n').green()


@story(phases=GREEN, codes="PG218")
def bot_named_by_login(world: World) -> None:
    """A bot named by its login alone draws a notice."""
    world.under(f'version: 1\nagents: {{accounts: [{{login: "{BOT}", roles: [judge]}}]}}\n').planned()
    world.says(BOT, verdict("judge"), app_id=12345).others_pass()


TEAM = 'version: 1\nagents: {only: true, accounts: [{login: "@octo/agents"}]}\nphases: {plan: {enabled: false}}\n'


@story(phases=GREEN)
def team_named(world: World) -> None:
    """A member of a team that the policy names."""
    world.under(TEAM).team(21).built().tested()


@story(phases="error error error", codes="PG220", because="it takes a token with Members: read of octo")
def team_unreadable(world: World) -> None:
    """The token may not read the team: it is not known who is an agent."""
    world.under(TEAM).team(readable=False).built()


@story(phases=BUILD_WAITS, codes="PG202")
def team_member_is_author(world: World) -> None:
    """Being in the team does not let the author judge."""
    world.under(TEAM).team(11, 21).passed_by("judge", who="octo-dev").others_pass()


def forced_unlogged(world: World, by: str) -> None:
    """Somebody forces the branch, and nothing but the pull request tells of it."""
    move = {"at": world.tick(), "before": commit("a"), "after": commit("b"), "kind": "force_push", "actor": PEOPLE[by]}
    world.head_forced.append(move)
    world.head, world.contents[commit("b")] = "b", digest("b")
    world.unlogged()


@story(phases=GREEN)
def forced_by_another(world: World) -> None:
    """Who forced the branch does not judge; the others do."""
    world.planned().then(forced_unlogged, "ben")
    world.passed_by("judge", "inspector", "sentinel", "lens", commit=commit("b"))
    world.says("mona", f"/gate approve qa {commit('b')}")
