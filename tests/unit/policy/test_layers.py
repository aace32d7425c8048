"""An organisation's policy as a floor: what a repository may raise, and that nothing else is let through."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.dialects.registry import every_dialect
from phasegate.policy.layers import RISES
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy

ROOT = Path(__file__).resolve().parents[3]
FLOOR = "octo/.github/phase-gate.yml"
STRICT = """\
version: 1
humans: {minimum_permission: maintain}
agents: {accounts: [{login: "runner[bot]", id: 987, roles: [judge, inspector]}]}
issue: {quick_labels: []}
phases: {build: {human_approval: true, max_attempts: 3, checks: [ci], paths: ["src/**"]}}
overrides: false
rules: {PG104: warning}
formats:
  acme:
    roles: {acme: {does: challenges}}
    in: [comment]
    read: {word: {marker: "acme:review", as: key=value}}
    role: acme
    outcome: {of: word/verdict, map: {APPROVE: pass, REJECT: fail}}
"""
LOOSE = """\
{roles: {acme: {does: confirms}}, in: [comment], read: {word: {marker: x, as: key=value}}, role: acme,
 outcome: {of: word/verdict, map: {REJECT: pass}}}"""


OWN_FORMAT = """\
formats:
  notes:
    in: [comment]
    roles: {notes: {does: challenges}}
    role: notes
    read: {word: {marker: "our:notes", as: key=value}}
    outcome: {of: word/says, map: {ok: pass, bad: fail}}
"""
# A format of the repository's own, by which its files would be evidence and no longer what is judged.
FILES_AS_EVIDENCE = """\
formats:
  notes:
    in: [file]
    path: "src/{name}.json"
    evidence: true
    roles: {notes: {does: challenges}}
    role: notes
    read: {word: {whole: true, as: json, schema: {type: object, required: [verdict]}}}
    outcome: {of: word/verdict, map: {ok: pass, bad: fail}}
"""


def extended(own: str, floor: str = STRICT) -> Policy | list[str]:
    """The policy that a repository gets, or what is said about it."""
    text = f"version: 1\nextends: organisation\n{own}\n"
    found = load_policy(text, ".github/phase-gate.yml", (), (FLOOR, floor))
    return found if isinstance(found, Policy) else [f"{item.code} {item.message}" for item in found]


@pytest.mark.parametrize("own", [
    "", "humans: {minimum_permission: admin}", "phases: {build: {max_attempts: 2}}",
    "phases: {build: {checks: [ci, lint]}}", "phases: {build: {paths: []}}",
    'phases: {build: {paths: ["src/**", "web/**"]}}', "phases: {build: {roles: [judge, inspector, lens]}}",
    "agents: {accounts: [{format: coderabbit}]}", "issue: {types: {spike: {labels: [spike], qa: required}}}",
    "issue: {types: {bug: {labels: [bug], qa: required}}}", "verdicts: {require_commit: true, edited: never}",
    "rules: {PG104: error}", "roles: {warden: {does: challenges, letter: W}}", "solo: false", OWN_FORMAT,
])  # fmt: skip
def test_extends__takes_what_asks_for_more(own: str) -> None:
    policy = extended(own)
    assert isinstance(policy, Policy), policy
    assert (policy.floor, policy.extends, policy.overrides) == (FLOOR, True, False)
    assert policy.agents.accounts[0].login == "runner[bot]"
    assert policy.digest != getattr(extended("# another text"), "digest", "")


@pytest.mark.parametrize(("own", "told"), [
    ("profile: envelope", "profile"),
    ("solo: true", "agents.author_may_judge"),
    ("humans: {minimum_permission: write}", 'humans.minimum_permission: "write" asks for less than "maintain"'),
    ("humans: {author_may_approve: true}", "humans.author_may_approve"),
    ("humans: {reviews: true}", "humans.reviews"),
    ("phases: {plan: {enabled: false}}", "phases.plan.enabled"),
    ("phases: {build: {roles: [judge]}}", "phases.build.roles"),
    ("phases: {build: {human_approval: false}}", "phases.build.human_approval"),
    ("phases: {build: {max_attempts: 9}}", "phases.build.max_attempts"),
    ("phases: {build: {checks: []}}", "phases.build.checks"),
    ('phases: {build: {paths: ["web/**"]}}', "phases.build.paths"),
    ('phases: {qa: {paths: ["web/**"]}}', "phases.qa.paths"),
    ("phases: {qa: {dialect: envelope}}", "phases.qa.dialect"),
    ("issue: {required: false}", "issue.required"),
    ("issue: {types: {bug: {labels: [bug, feature], qa: optional}}}", "issue.types.bug.labels"),
    ("issue: {types: {spike: {labels: [spike], qa: optional}}}", "issue.types.spike"),
    ('issue: {quick_labels: ["size/XS"]}', "issue.quick_labels"),
    ("overrides: true", "overrides"),
    ('exempt: [{paths: ["*.md"], reason: docs}]', "exempt"),
    ('verdicts: {footers: ["Sent by a runtime"]}', "verdicts.footers"),
    ("instructions: {guard: false}", "instructions.guard"),
    ("merge_queue: {overlap: true}", "merge_queue.overlap"),
    ('merge_queue: {overlap: ["*.md"]}', "merge_queue.overlap"),
    ("rules: {PG104: notice}", "rules.PG104"),
    ("rules: {PG130: off}", "rules.PG130"),
    (f"formats: {{acme: {LOOSE}}}", "formats.acme"),
    (f"formats: {{coderabbit: {LOOSE}}}", "formats.coderabbit"),
    ("formats: {coderabbit: {from: loose.yml}}", "formats.coderabbit"),
    (FILES_AS_EVIDENCE, "formats.notes"),
    ("roles: {judge: {does: challenges, dialect: acme}}", "roles.judge"),
    ('agents: {accounts: [{login: "mine[bot]", id: 5}]}', "mine[bot] is not among them"),
    ("agents: {accounts: [{format: coderabbit, roles: [judge]}]}", "coderabbit is not among them"),
])  # fmt: skip
def test_extends__refuses_what_asks_for_less(own: str, told: str) -> None:
    found = extended(own)
    assert isinstance(found, list)
    assert any(each.startswith("PG530") and told in each for each in found), found


def test_extends__where_the_organisation_names_nobody_a_repository_names_its_own() -> None:
    policy = extended('agents: {accounts: [{login: "mine[bot]", id: 5}]}', "version: 1\n")
    assert isinstance(policy, Policy)
    assert isinstance(
        extended('agents: {accounts: [{login: "mine[bot]"}]}', "version: 1\nagents: {only: true}\n"), list
    )


@pytest.mark.parametrize("own", ["false", '["*.md"]', "[]"])
@pytest.mark.parametrize("floor", ["true", '["*.md", "docs/**"]'])
def test_extends__lets_fewer_files_overlap(own: str, floor: str) -> None:
    policy = extended(f"merge_queue: {{overlap: {own}}}", f"version: 1\nmerge_queue: {{overlap: {floor}}}\n")
    assert isinstance(policy, Policy), policy


def test_extends__keeps_how_the_organisation_sets_a_dialect() -> None:
    floor = "version: 1\nprofile: thehood\ndialects: {thehood: {protected: [src/**]}}\n"
    policy = extended("", floor)
    assert isinstance(policy, Policy), policy
    assert policy.dialects[0] not in every_dialect()  # it is the one that the organisation sets
    told = extended("dialects: {thehood: {protected: [docs/**]}}", floor)
    assert isinstance(told, list)
    assert "dialects.thehood.protected" in told[0]


def test_extends__a_floor_that_is_broken_says_where() -> None:
    found = load_policy("version: 1\nextends: organisation\n", "p.yml", (), (FLOOR, "version: 2\n"))
    assert isinstance(found, tuple)
    assert {str(item.where).partition(":")[0] for item in found} == {FLOOR}


def test_extends__a_floor_extends_nothing() -> None:
    found = extended("", "version: 1\nextends: organisation\n")
    assert found == ["PG530 an organisation's policy extends no other"]


def test_extends__alone_says_that_only_the_form_was_checked() -> None:
    found = load_policy("version: 1\nextends: organisation\nphases: {build: {roles: [wombat]}}\n", "p.yml")
    assert isinstance(found, Policy)
    assert [item.code for item in found.problems] == ["PG531"]


def test_rises__every_row_is_a_key_of_the_schema() -> None:
    schema = json.loads((ROOT / "schemas" / "policy.schema.json").read_text(encoding="utf-8"))
    assert {row.partition(".")[0] for row in RISES} <= set(schema["properties"])
