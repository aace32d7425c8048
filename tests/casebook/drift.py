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


WAITS = "success pending success"
waits = partial(story, phases=WAITS)


def word(heading: str, head: str = "a") -> str:
    return f"## {heading}\n\n**Commit:** {commit(head)}\n"


GOOD, CHANGED = "Review verdict: clean", "Review result: clean"


@story(phases=GREEN)
def described_heading(world: World) -> None:
    """The reviewer writes as the format says."""
    world.under(POLICY).says("ben", word(GOOD))


@waits(codes="PG222", because="Our reviewer (ben) wrote on")
def drifted_heading(world: World) -> None:
    """The reviewer's heading has changed: the nearest miss is shown instead of silence."""
    world.under(POLICY).says("ben", word(CHANGED))


@waits(codes="PG222", because="but not in its format")
def drifted_after_pass(world: World) -> None:
    """A pass of an older commit, then a text of the head that cannot be read."""
    world.under(POLICY).says("ben", word(GOOD)).push("b").says("ben", word(CHANGED, "b"))


@waits(codes="PG222", because="it stands in a review")
def drifted_into_review(world: World) -> None:
    """The reviewer now writes reviews, and the format is one of comments."""
    world.under(POLICY).reviewed("ben", word(GOOD))


@story(phases=GREEN)
def drifted_and_back(world: World) -> None:
    """After a text that cannot be read the reviewer writes as the format says."""
    world.under(POLICY).says("ben", word(CHANGED)).says("ben", word(GOOD))


@waits(because="Waiting for Our reviewer")
def drifted_before_push(world: World) -> None:
    """What was written about an older head is no alarm."""
    world.under(POLICY).says("ben", word(CHANGED)).push("b")


@waits(because="Waiting for Our reviewer")
def drift_by_stranger(world: World) -> None:
    """A stranger cannot raise the alarm."""
    world.under(POLICY).says("eve", word(CHANGED))


@waits(because="Waiting for Our reviewer")
def drift_by_writer(world: World) -> None:
    """Nor can somebody who may speak, but is not named."""
    world.under(POLICY).says("ana", word(CHANGED))


@waits(because="Waiting for Our reviewer")
def drift_by_twin(world: World) -> None:
    """Nor an account with the login of one that is named."""
    world.under(POLICY).says("eve", word(CHANGED), author={"login": "ben", "id": 2200, "type": "User"})


@waits(because="Waiting for Our reviewer")
def drift_by_other_app(world: World) -> None:
    """Nor another app in the named one's name."""
    world.under(POLICY)
    bot = {"login": "jkz-runner[bot]", "id": 987, "type": "Bot"}
    world.says("eve", word(CHANGED), author=bot, app_id=666)


@waits(because="Waiting for Our reviewer")
def drift_by_email(world: World) -> None:
    """Nor a mail."""
    world.under(POLICY).says("ben", word(CHANGED), via_email=True)


@story(phases=GREEN)
def described_files(world: World) -> None:
    """Two files of one role, both good in the end."""
    world.under(STORIES).commits("b", {".stories/1.json": '{"verdict": "bad"}'})
    world.commits("c", {".stories/2.json": '{"verdict": "good"}'})
    world.commits("d", {".stories/1.json": '{"verdict": "good"}'})


@story(phases=GREEN, codes="PG303")
def described_file_of_older_content(world: World) -> None:
    """A file failed other content, then a good one."""
    world.under(STORIES).commits("b", {".stories/1.json": '{"verdict": "bad"}'}).push("c")
    world.commits("d", {".stories/2.json": '{"verdict": "good"}'})


@story(phases="success pending pending", codes="PG222", because="Judge (ben) wrote on")
def drifted_judge(world: World) -> None:
    """The Judge's heading and marker are gone: its account is named, so that is said."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").planned()
    world.says("ben", "## Judge\n\nPASS, no issues.\n")


GOOD_FILE, BAD_FILE = '{"verdict": "good"}', '{"verdict": "bad"}'
FOUND = ".stories/b.json"


@story(phases=GREEN)
def fail_file_answered(world: World) -> None:
    """Who failed the work passes it in the same file."""
    world.under(STORIES).commits("s", {FOUND: BAD_FILE}).commits("t", {FOUND: GOOD_FILE})


@story(phases=GREEN)
def fail_file_judged_anew(world: World) -> None:
    """The fix drops the file; its judge writes another."""
    world.under(STORIES).commits("s", {FOUND: BAD_FILE}).push("fix", evidence={FOUND: None})
    world.commits("t", {".stories/c.json": GOOD_FILE})


@story(phases=GREEN)
def fail_file_by_a_colleague(world: World) -> None:
    """Another agent judges anew, in the same file."""
    world.under(STORIES).commits("s", {FOUND: BAD_FILE}).push("fix").commits("t", {FOUND: GOOD_FILE}, "ben")


@story(phases=GREEN)
def fail_file_removed_and_resumed(world: World) -> None:
    """A human looked at the removal."""
    world.under(STORIES).commits("s", {".stories/a.json": GOOD_FILE}).commits("t", {FOUND: BAD_FILE})
    world.commits("u", {FOUND: None}, "octo-dev")
    world.says("mona", "/gate resume build: b is a story of another pull request")


@story(phases=GREEN)
def blocked_review_answered(world: World) -> None:
    """A dismissed BLOCKED, and a newer verdict."""
    limited = POLICY.replace("in: [comment]", "in: [comment, review]")
    world.under(limited.replace("problems: fail", "problems: fail, limited: blocked"))
    world.dismiss(world.review("ben", word("Review verdict: limited"))).says("ben", word(GOOD))


@story(phases=GREEN, codes="PG914")
def described_placeholders_are_no_rounds(world: World) -> None:
    """A word outside the map that holds nothing against the work is no round, once a verdict follows."""
    world.under(POLICY)
    for number in range(4):
        world.push(f"try{number}").says("ben", word("Review verdict: later", f"try{number}"))
    world.says("ben", word(GOOD, "try3"))


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
    world.under(policy)
    for role in ("one", "two"):
        world.says("ana", our_review(role=role, verdict="approve"))


def our_review(**keys: str) -> str:
    """A word in that format."""
    return f"<!-- our:review {json.dumps(keys)} -->\n"


@story(phases=GREEN)
def described_roles_by_map(world: World) -> None:
    """Two reviewers, told apart by a value."""
    reviewed_twice(world)


@story(phases="success failure success", because="Our reviewer failed")
def described_example_posted(world: World) -> None:
    """The form that the task shows, posted as it is, is a word of its seat that finds something to fix."""
    world.under(ROLES).says("ana", '<!-- our:review {"verdict": "reject", "role": "one"} -->')


@story(phases="success failure success", because="Our reviewer failed")
def described_example_posted_whole(world: World) -> None:
    """Nor does the line below it, on what a pass says instead, make it one."""
    world.under(ROLES)
    more = 'If nothing has to be fixed: "approve" in place of "reject".'
    world.says("ana", f'<!-- our:review {{"verdict": "reject", "role": "one"}} -->\n\n{more}')


@story(phases=GREEN, codes="PG914")
def described_role_answered(world: World) -> None:
    """A word of no known role blocks both reviewers, until both have spoken again."""
    world.then(reviewed_twice).says("ana", our_review(role="three", verdict="approve")).then(reviewed_twice)


@story(phases=GREEN, codes="PG001 PG126")
def described_role_edited_away_and_answered(world: World) -> None:
    """The same where its author thinks better of an empty word, and both speak again."""
    world.then(reviewed_twice).edit(world.say("ana", "<!-- our:review -->\n"), "Never mind.", "ana")
    reviewed_twice(world)


@story(phases="success failure success", codes="PG914", because="Our reviewer's verdict is invalid")
def described_role_of_a_named_account(world: World) -> None:
    """An account that the policy names for one role speaks for no other, whatever role it tells."""
    reviewed_twice(world, f"{ROLES}agents: {{accounts: [{{login: ben, id: 22, roles: [our-reviewer]}}]}}\n")
    world.says("ben", our_review(role="three", verdict="approve"))


@waits(because="Waiting for Our reviewer")
def drift_own_comment(world: World) -> None:
    """The gate's own comment, written with the account of an agent, is no word of the agent in a wrong format."""
    world.under(POLICY).says("ben", f"{COMMENT_MARKER}\n## ⏳ Build waits for Our reviewer\n")


@story(phases=GREEN, codes="PG236")
def described_stray_files(world: World) -> None:
    """A file in a folder too deep, or with another ending, is no evidence: each is named."""
    world.under(STORIES)
    stray = dict.fromkeys((".stories/a/2.json", ".stories/3.JSON"), '{"verdict": "bad"}')
    world.push("b", evidence=dict(stray)).commits("s", {".stories/1.json": '{"verdict": "good"}'})


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


@story(phases=GREEN)
def described_label_among_others(world: World) -> None:
    """A word that only begins like the label, a verdict in a sentence and a quoted veto change nothing."""
    world.under(NOTED)
    earlier = "> [BLOCK-MERGE] data loss\n\nThat is fixed now."
    world.says("ana", f"{earlier}\n\n✅ Verdicts of others: none\n\nThe verdict: below.\n\n**Verdict:** clean\n")
