"""Stories about agents whose words change: what nobody can read is said to be there, and it is never a pass."""

from __future__ import annotations

import json
from functools import partial

from tests.casebook.story import GREEN, story
from tests.casebook.world import COMMENT_MARKER, World, commit

POLICY = """\
version: 1
agents:
  accounts:
    - {login: ben, id: 22, roles: [our-reviewer]}
    - {login: "jkz-runner[bot]", id: 987, app_id: 12345, roles: [our-reviewer]}
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: our-review, creator: null, fixer: null, roles: [our-reviewer]}
formats:
  our-review:
    roles: {our-reviewer: {does: challenges}}
    in: [comment]
    read:
      title: {heading: true, level: 2, pattern: 'Review verdict: (?P<word>[a-z]{1,10})'}
      commit: {label: Commit, pattern: '(?P<sha>[0-9a-f]{7,40})'}
    role: our-reviewer
    outcome: {of: title/word, map: {clean: pass, problems: fail}}
    commit: commit/sha
"""
STORIES = """\
version: 1
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: stories, creator: null, fixer: null, roles: [story-check]}
formats:
  stories:
    roles: {story-check: {does: challenges}}
    in: [file]
    path: ".stories/{name}.json"
    read: {doc: {whole: true, as: json}}
    role: story-check
    outcome: {of: doc/verdict, map: {good: pass, bad: fail}}
"""


def leaves(world: World, name: str, files: dict[str, str | None], by: str = "ana") -> None:
    """A push of evidence that leaves the product as it is."""
    content = world.contents[commit(world.head)]
    world.push(name, by=by, evidence=files)
    world.contents[commit(name)] = content


WAITS = "success pending success"
waits = partial(story, state="pending", phases=WAITS)


def word(heading: str, head: str = "a") -> str:
    return f"## {heading}\n\n**Commit:** {commit(head)}\n"


GOOD, CHANGED = "Review verdict: clean", "Review result: clean"


@story("described-heading", "The reviewer writes as the format says.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(GOOD))


@waits(
    "drifted-heading",
    "The reviewer's heading has changed: the nearest miss is shown instead of silence.",
    codes="PG222",
    because="Our reviewer (ben) wrote on",
)
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(CHANGED))


@waits(
    "drifted-after-pass",
    "A pass of an older commit, then a text of the head that cannot be read.",
    codes="PG222",
    because="but not in its format",
)
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(GOOD))
    world.push("b")
    world.say("ben", word(CHANGED, "b"))


@waits(
    "drifted-into-review",
    "The reviewer now writes reviews, and the format is one of comments.",
    codes="PG222",
    because="it stands in a review",
)
def _(world: World) -> None:
    world.policy = POLICY
    world.review("ben", word(GOOD))


@story(
    "drifted-and-back",
    "After a text that cannot be read the reviewer writes as the format says.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(CHANGED))
    world.say("ben", word(GOOD))


@waits("drifted-before-push", "What was written about an older head is no alarm.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(CHANGED))
    world.push("b")


@waits("drift-by-stranger", "A stranger cannot raise the alarm.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    world.say("eve", word(CHANGED))


@waits("drift-by-writer", "Nor can somebody who may speak, but is not named.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ana", word(CHANGED))


@waits("drift-by-twin", "Nor an account with the login of one that is named.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    world.say("eve", word(CHANGED), author={"login": "ben", "id": 2200, "type": "User"})


@waits("drift-by-other-app", "Nor another app in the named one's name.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    bot = {"login": "jkz-runner[bot]", "id": 987, "type": "Bot"}
    world.say("eve", word(CHANGED), author=bot, app_id=666)


@waits("drift-by-email", "Nor a mail.", because="Waiting for Our reviewer")
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", word(CHANGED), via_email=True)


@story("described-files", "Two files of one role, both good in the end.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "b", {".stories/1.json": '{"verdict": "bad"}'})
    leaves(world, "c", {".stories/2.json": '{"verdict": "good"}'})
    leaves(world, "d", {".stories/1.json": '{"verdict": "good"}'})


@story(
    "described-file-of-older-content",
    "A file failed other content, then a good one.",
    state="success",
    phases=GREEN,
    codes="PG303",
)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "b", {".stories/1.json": '{"verdict": "bad"}'})
    world.push("c")
    leaves(world, "d", {".stories/2.json": '{"verdict": "good"}'})


@story(
    "drifted-judge",
    "The Judge's heading and marker are gone: its account is named, so that is said.",
    state="pending",
    phases="success pending pending",
    codes="PG222",
    because="Judge (ben) wrote on",
)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    world.planned()
    world.say("ben", "## Judge\n\nPASS, no issues.\n")


GOOD_FILE, BAD_FILE = '{"verdict": "good"}', '{"verdict": "bad"}'
FOUND = ".stories/b.json"


@story("fail-file-answered", "Who failed the work passes it in the same file.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "s", {FOUND: BAD_FILE})
    leaves(world, "t", {FOUND: GOOD_FILE})


@story("fail-file-judged-anew", "The fix drops the file; its judge writes another.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "s", {FOUND: BAD_FILE})
    world.push("fix", evidence={FOUND: None})
    leaves(world, "t", {".stories/c.json": GOOD_FILE})


@story("fail-file-by-a-colleague", "Another agent judges anew, in the same file.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "s", {FOUND: BAD_FILE})
    world.push("fix")
    leaves(world, "t", {FOUND: GOOD_FILE}, "ben")


@story("fail-file-removed-and-resumed", "A human looked at the removal.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = STORIES
    leaves(world, "s", {".stories/a.json": GOOD_FILE})
    leaves(world, "t", {FOUND: BAD_FILE})
    leaves(world, "u", {FOUND: None}, "octo-dev")
    world.say("mona", "/gate resume build: b is a story of another pull request")


@story("blocked-review-answered", "A dismissed BLOCKED, and a newer verdict.", state="success", phases=GREEN)
def _(world: World) -> None:
    limited = POLICY.replace("in: [comment]", "in: [comment, review]")
    world.policy = limited.replace("problems: fail", "problems: fail, limited: blocked")
    world.dismiss(world.review("ben", word("Review verdict: limited")))
    world.say("ben", word(GOOD))


@story(
    "described-placeholders-are-no-rounds",
    "A word outside the map that holds nothing against the work is no round, once a verdict follows.",
    state="success",
    phases=GREEN,
    codes="PG914",
)
def _(world: World) -> None:
    world.policy = POLICY
    for number in range(4):
        world.push(f"try{number}")
        world.say("ben", word("Review verdict: later", f"try{number}"))
    world.say("ben", word(GOOD, "try3"))


ROLES = """\
version: 1
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: our-review, creator: null, fixer: null, roles: [our-reviewer, second]}
formats:
  our-review:
    roles: {our-reviewer: {does: challenges}, second: {does: confirms}}
    in: [comment, review]
    read: {word: {marker: "our:review", as: json}}
    role: {of: word/role, map: {one: our-reviewer, two: second}}
    outcome: {of: word/verdict, map: {approve: pass, reject: fail}}
"""


def reviewed_twice(world: World, policy: str = ROLES) -> None:
    """Both reviewers approve in a format of the policy, which tells them by a map."""
    world.policy = policy
    for role in ("one", "two"):
        world.say("ana", our_review(role=role, verdict="approve"))


def our_review(**keys: str) -> str:
    """A word in that format."""
    return f"<!-- our:review {json.dumps(keys)} -->\n"


@story("described-roles-by-map", "Two reviewers, told apart by a value.", state="success", phases=GREEN)
def _(world: World) -> None:
    reviewed_twice(world)


@story(
    "described-role-answered",
    "A word of no known role blocks both reviewers, until both have spoken again.",
    state="success",
    phases=GREEN,
    codes="PG914",
)
def _(world: World) -> None:
    reviewed_twice(world)
    world.say("ana", our_review(role="three", verdict="approve"))
    reviewed_twice(world)


@story(
    "described-role-edited-away-and-answered",
    "The same where its author thinks better of an empty word, and both speak again.",
    state="success",
    phases=GREEN,
    codes="PG001 PG126",
)
def _(world: World) -> None:
    reviewed_twice(world)
    world.edit(world.say("ana", "<!-- our:review -->\n"), "Never mind.", "ana")
    reviewed_twice(world)


@story(
    "described-role-of-a-named-account",
    "An account that the policy names for one role speaks for no other, whatever role it tells.",
    state="failure",
    phases="success failure success",
    codes="PG914",
    because="Our reviewer's verdict is invalid",
)
def _(world: World) -> None:
    reviewed_twice(world, f"{ROLES}agents: {{accounts: [{{login: ben, id: 22, roles: [our-reviewer]}}]}}\n")
    world.say("ben", our_review(role="three", verdict="approve"))


@waits(
    "drift-own-comment",
    "The gate's own comment, written with the account of an agent, is no word of the agent in a wrong format.",
    because="Waiting for Our reviewer",
)
def _(world: World) -> None:
    world.policy = POLICY
    world.say("ben", f"{COMMENT_MARKER}\n## ⏳ Build waits for Our reviewer\n")


@story(
    "described-stray-files",
    "A file in a folder too deep, or with another ending, is no evidence: each is named.",
    state="success",
    phases=GREEN,
    codes="PG236",
)
def _(world: World) -> None:
    world.policy = STORIES
    stray = dict.fromkeys((".stories/a/2.json", ".stories/3.JSON"), '{"verdict": "bad"}')
    world.push("b", evidence=dict(stray))
    leaves(world, "s", {".stories/1.json": '{"verdict": "good"}'})


NOTED = """\
version: 1
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: noted, creator: null, fixer: null, roles: [our-reviewer]}
formats:
  noted:
    roles: {our-reviewer: {does: challenges}}
    in: [comment]
    read: {verdict: {label: Verdict}}
    role: our-reviewer
    outcome: {of: verdict, map: {clean: pass, findings: fail}}
    vetoes: [{line: "[BLOCK-MERGE]", is: fail}]
"""


@story(
    "described-label-among-others",
    "A word that only begins like the label, a verdict in a sentence and a quoted veto change nothing.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = NOTED
    earlier = "> [BLOCK-MERGE] data loss\n\nThat is fixed now."
    world.say("ana", f"{earlier}\n\n✅ Verdicts of others: none\n\nThe verdict: below.\n\n**Verdict:** clean\n")
