"""Words of a format that the policy describes, made so that a machine reads less than a person, or more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.world import World, commit

BUILD_FAILED = "success failure success"
HEAD = """version: 1
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: ours, creator: null, fixer: null, roles: [reviewer]}
formats:
  ours:
    in: [comment]
    roles: {reviewer: {does: challenges}}
    role: reviewer
"""
STORIES = f"""{HEAD}    read: {{word: {{marker: "our:stories", as: json}}}}
    outcome: {{first: [{{when: [{{all_of: word/stories/*/passes, equals: true}}], is: pass}}], otherwise: fail}}
    done: [{{of: word/stories, empty: false}}]
"""
WORST = f"""{HEAD}    read: {{word: {{marker: "our:worst", as: json}}}}
    outcome: {{first: [{{when: [{{any_of: word/findings/*/severity, in: [high]}}], is: fail}}], otherwise: pass}}
    done: [{{of: word/files, above: 0}}]
"""
FINDINGS = f"""{HEAD}    read: {{word: {{marker: "our:review", as: json}}}}
    outcome: {{of: word/verdict, map: {{approve: pass, reject: fail}}}}
    findings: {{of: word/issues/*, id: id, severity: severity, summary: what, blocking: [high]}}
    vetoes: [{{when: [{{of: word/blocked, equals: true}}], is: fail}}]
"""
LINES = f"""{HEAD}    read: {{line: {{line: true, pattern: 'review: (?P<says>[A-Z]{{1,8}})'}}}}
    outcome: {{of: line/says, map: {{PASS: pass, FAIL: fail}}}}
"""
TAGGED = LINES.replace("line: true,", "line: true, html: true,")
LOW = {"id": "a", "severity": "low", "what": "A long name"}
HIGH = {"id": "b", "severity": "high", "what": "A lost update"}

fails = partial(attack, "described", state="failure", phases=BUILD_FAILED)


def says(world: World, policy: str, text: str) -> None:
    """A word under a policy that asks for nothing else."""
    world.policy = policy
    world.say("ana", text)


def carried(marker: str, **told: object) -> str:
    """A marker with these values."""
    return f"<!-- {marker} {json.dumps(told)} -->"


LONG = [{"passes": True}] * 2_000


@fails(
    "described-last-of-many",
    "The one story that fails stands behind two thousand that pass.",
    defence="described-all-values",
    because="Reviewer failed",
)
def _(world: World) -> None:
    says(world, STORIES, carried("our:stories", stories=[*LONG, {"passes": False}]))


@fails(
    "described-finding-behind-many",
    "The finding that blocks is the two hundred and first.",
    defence="described-blocking-first",
    codes="PG116",
)
def _(world: World) -> None:
    says(world, FINDINGS, carried("our:review", verdict="approve", issues=[*[LOW] * 200, HIGH]))


GAPS: Mapping[str, object] = {"nothing": {}, "null": None, "list": [{"passes": False}]}


def with_gap(world: World, gap: object) -> None:
    """A story among others that does not say whether it passes."""
    says(world, STORIES, carried("our:stories", stories=[{"passes": True}, gap]))


for _name, _gap in GAPS.items():
    fails(
        f"described-gap-{_name}",
        "A member of the list does not have what all members are asked for.",
        defence="described-gaps",
        codes="PG913",
    )(partial(with_gap, gap=_gap))


@fails(
    "described-other-letters",
    "A severity in capitals is not among those that fail.",
    defence="described-letters",
    codes="PG914",
)
def _(world: World) -> None:
    says(world, WORST, carried("our:worst", files=2, findings=[{"severity": "High"}]))


UNTOLD: Mapping[str, object] = {"list": {**HIGH, "severity": ["high"]}, "text": "high", "none": {"id": "b"}}


def with_untold(world: World, issue: object) -> None:
    """A finding whose severity cannot be told."""
    says(world, FINDINGS, carried("our:review", verdict="approve", issues=[issue]))


for _name, _issue in UNTOLD.items():
    fails(
        f"described-untold-severity-{_name}",
        "Whether a finding blocks cannot be told.",
        defence="described-severities",
        codes="PG913",
    )(partial(with_untold, issue=_issue))


@fails(
    "described-near-key",
    "What would veto the pass stands under a key in other letters.",
    defence="described-keys",
    codes="PG929",
)
def _(world: World) -> None:
    says(world, FINDINGS, carried("our:review", verdict="approve", Blocked=True))


@fails(
    "described-look-alike-key",
    "What would veto the pass stands under a key with a letter of another alphabet.",
    defence="described-keys",
    codes="PG929",
)
def _(world: World) -> None:
    says(world, FINDINGS, carried("our:review", verdict="approve", blоcked=True))


@fails(
    "described-struck-out",
    "The line is struck out, with the lines around it.",
    defence="described-struck-out",
    codes="PG912",
)
def _(world: World) -> None:
    says(world, LINES, "~~I said:\nreview: PASS\nand was wrong~~")


TAGS = {
    "code": "`a\n@\nb`",
    "alternative": "![a\n@\nb](https://example.com/a.png)",
    "attribute": 'x <a title="\n@\n">b</a>',
    "title": '[a](https://example.com "\n@\n")',
    "cdata": "x <![CDATA[\n@\n]]>",
    "instruction": "x <?a\n@\n?>",
    "definition": '[a]: https://example.com "\n@\n"',
}
HIDING = {
    "hidden": "<span hidden>a\n@\n</span>",
    "template": "<template>\n\n@\n\n</template>",
}


def among_tags(world: World, around: str) -> None:
    """A line that a format takes with tags, where nobody sees it."""
    says(world, TAGGED, around.replace("@", "review: PASS"))


for _name, _around in TAGS.items():
    fails(
        f"described-line-in-{_name}",
        "The line stands inside something that began before it.",
        defence="described-begun",
        codes="PG912",
    )(partial(among_tags, around=_around))
for _name, _around in HIDING.items():
    fails(
        f"described-line-in-{_name}",
        "The line stands where GitHub shows nothing.",
        defence="described-shown",
        codes="PG912",
    )(partial(among_tags, around=_around))


@attack(
    "described",
    "described-stale-line",
    "The line is fine, and names another commit.",
    defence="same-content",
    state="pending",
    phases="success pending success",
)
def _(world: World) -> None:
    policy = LINES.replace("{1,8})'", "{1,8}) (?P<sha>[0-9a-f]{40})'") + "    commit: line/sha\n"
    says(world, policy, f"review: PASS {commit('a')}")
    world.push("b")
