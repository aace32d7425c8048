"""Policy files: what they change, what is wrong with them and where, and that nothing broken becomes a default."""

from __future__ import annotations

import pytest

from phasegate.model.codec import text_digest
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Does
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import AgentAccount, ContradictoryFail, Edited, Policy

PATH = ".github/phase-gate.yml"


def loaded(text: str) -> Policy:
    """A policy that nothing is wrong with."""
    policy = load_policy(f"version: 1\n{text}", PATH)
    assert isinstance(policy, Policy), policy
    return policy


def faults(text: str) -> tuple[Problem, ...]:
    """What is wrong with a policy."""
    found = load_policy(text, PATH)
    assert not isinstance(found, Policy)
    assert found, "nothing to say is no answer"
    return found


def codes(text: str) -> list[str]:
    """The codes of what is wrong with a policy."""
    return [item.code for item in faults(text)]


def test_default_policy__is_the_table_of_the_jkz_profile() -> None:
    policy = default_policy()
    table = {phase.name: (phase.seats, phase.human_approval, phase.where.value) for phase in policy.phases}
    assert table == {
        "plan": (("auditor", "curator"), True, "issue"),
        "build": (("judge", "inspector"), False, "pull_request"),
        "qa": (("sentinel", "lens"), True, "pull_request"),
    }
    assert all(phase.enabled and phase.max_attempts == 3 for phase in policy.phases)
    assert [phase.name for phase in policy.phases if phase.parallel] == ["qa"]


def test_default_policy__has_the_safe_defaults() -> None:
    policy = default_policy()
    assert (policy.agents.only, policy.agents.accounts, policy.severities) == (False, (), {})
    humans = policy.humans
    assert (humans.minimum_permission, humans.author_may_approve, humans.agents_may_approve) == ("write", False, False)
    verdicts = policy.verdicts
    assert (verdicts.edited, verdicts.contradictory_fail) == (Edited.AUTHOR, ContradictoryFail.PASS)
    types = {kind.name: (kind.labels, kind.qa_required) for kind in policy.issue.types}
    assert types == {
        "bug": (("bug",), False),
        "refactor": (("refactor",), False),
        "chore": (("chore",), False),
        "feature": ((), True),
    }


def test_load_policy__a_version_alone_is_the_default_with_its_own_source() -> None:
    policy = loaded("")
    assert policy.phases == default_policy().phases
    assert (policy.source, policy.digest) == (PATH, text_digest("version: 1\n"))


def test_load_policy__maps_are_merged_and_lists_replaced() -> None:
    policy = loaded("phases: {build: {roles: [judge]}}\nissue: {quick_labels: []}\n")
    build = next(phase for phase in policy.phases if phase.name == "build")
    assert (build.seats, build.quick_seats, build.max_attempts) == (("judge",), ("judge",), 3)
    assert (policy.issue.quick_labels, policy.issue.required) == ((), True)


def test_load_policy__phases_keep_their_order_whatever_the_files() -> None:
    policy = loaded("phases: {qa: {max_attempts: 1}, build: {max_attempts: 2}, plan: {max_attempts: 4}}\n")
    assert [(phase.name, phase.max_attempts) for phase in policy.phases] == [("plan", 4), ("build", 2), ("qa", 1)]


def test_load_policy__accounts_roles_and_severities() -> None:
    policy = loaded(
        'agents: {only: true, accounts: [{login: "a[bot]", id: 1, app_id: 2, roles: [judge]}, {login: b}]}\n'
        "roles: {warden: {does: challenges, letter: W}}\n"
        "rules: {PG104: error, PG105: off}\n"
    )
    assert policy.agents.accounts == (
        AgentAccount(login="a[bot]", id=1, app_id=2, roles=("judge",)),
        AgentAccount(login="b"),
    )
    assert (policy.role("warden").does, policy.role("warden").letter) == (Does.CHALLENGES, "W")
    assert policy.severities == {"PG104": Severity.ERROR, "PG105": None}


@pytest.mark.parametrize(("text", "code"), [
    ("", "PG021"),
    ("\n\n", "PG021"),
    ("# version: 1\n", "PG021"),
    ("null\n", "PG021"), ("[]\n", "PG021"), ("version\n", "PG021"), ("profile: jkz\n", "PG020"),
    ("version: 2\n", "PG022"), ("version: '1'\n", "PG022"), ("version: 1.0\n", "PG022"), ("version: true\n", "PG022"),
    ("version: 1\nprofile: null\n", "PG021"),
    ("version: 1\nagents: null\n", "PG021"),
    ("version: 1\nphases: null\n", "PG021"),
    ("version: 1\noverrides: yes\n", "PG021"),
    ("version: 1\noverrides: 'true'\n", "PG021"),
    ("version: 1\nagents: {only: True}\n", "PG021"),
    ("version: 1\nphases: {build: {roles: judge}}\n", "PG021"),
    ("version: 1\nformats: {codex: from}\n", "PG021"),
    ("version: 1\nphases: {deploy: {enabled: true}}\n", "PG503"),
    ("version: 1\nhumans: {minimum_permission: triage}\n", "PG022"),
    ("version: 1\nagents: {accounts: [{id: 1}]}\n", "PG020"),
    ("version: 1\nrules: {PG104: fatal}\n", "PG022"),
    ("version: 1\n\tprofile: jkz\n", "PG010"),
    ("version: 1\nprofile: &a jkz\n", "PG011"),
    ("version: 1\n<<: {overrides: true}\n", "PG011"),
    ("version: 1\n---\nversion: 1\n", "PG011"),
    ("version: 1\nversion: 1\n", "PG012"),
    ("version: 1\nx: " + "[" * 50 + "]" * 50, "PG013"),
])  # fmt: skip
def test_load_policy__a_broken_file_is_never_a_default(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_load_policy__a_byte_order_mark_is_refused_or_harmless() -> None:
    found = load_policy("\ufeffversion: 1\nagents: {only: true}\n", PATH)
    assert not isinstance(found, Policy) or found.agents.only


@pytest.mark.parametrize(
    ("text", "meant"),
    [("agent: {only: true}", "agents"), ("verdicts: {require_comit: true}", "require_commit"), ("overides: false", "")],
)
def test_load_policy__a_misspelt_safeguard_is_an_error_with_what_was_meant(text: str, meant: str) -> None:
    (fault,) = faults(f"version: 1\n{text}\n")
    assert (fault.code, fault.severity) == ("PG503", Severity.ERROR)
    assert meant in fault.message + fault.hint


def test_load_policy__says_file_line_column_and_path() -> None:
    (fault,) = faults("version: 1\nphases:\n  build:\n    human_approval: maybe\n")
    assert (str(fault.where), fault.where.json_path) == (f"{PATH}:4:21", "$.phases.build.human_approval")


def test_load_policy__says_everything_that_is_wrong_at_once() -> None:
    found = codes("version: 1\nphases: {build: {roles: [jugde]}}\nrules: {PG999: off, PG205: off}\n")
    assert sorted(found) == ["PG506", "PG507", "PG508"]


@pytest.mark.parametrize(("text", "code"), [
    ("phases: {plan: {enabled: false}, build: {enabled: false}, qa: {enabled: false}}", "PG504"),
    ("issue: {types: {task: {labels: [], qa: optional}}}", "PG505"),
    ("issue: {types: {feature: {labels: [feature], qa: required}}}", "PG505"),
    ("phases: {build: {roles: [jugde]}}", "PG506"),
    ("phases: {build: {quick_roles: [jugde]}}", "PG506"),
    ("phases: {build: {creator: bilder}}", "PG506"),
    ("phases: {build: {fixer: docter}}", "PG506"),
    ("agents: {accounts: [{login: a, roles: [jugde]}]}", "PG506"),
    ("rules: {PG999: off}", "PG507"), ("rules: {PG030: off}", "PG508"), ("rules: {PG205: warning}", "PG508"),
    ("rules: {PG115: notice}", "PG508"),
    ("phases: {build: {roles: []}}", "PG509"),
    ("phases: {qa: {roles: [], human_approval: false}}", "PG509"),
    ("phases: {build: {dialect: pipeline}}", "PG513"),
    ("phases: {build: {dialect: pipeline, roles: [], artifacts: [test-result.json]}}", "PG513"),
    ("phases: {build: {dialect: somebody}}", "PG502"),
    ("profile: nobodys", "PG502"),
    ("agents: {accounts: [{login: eve, id: 66, roles: []}]}", "PG024"),
    ("roles: {jury: {does: challenges, letter: J}}", "PG511"),
    ("phases: {plan: {creator: null}}", "PG512"),
])  # fmt: skip
def test_load_policy__what_cannot_be_meant_is_an_error(text: str, code: str) -> None:
    assert code in codes(f"version: 1\n{text}\n")


def test_load_policy__a_phase_that_needs_a_human_alone_may_be() -> None:
    assert loaded("phases: {qa: {roles: [], human_approval: true}}").problems == ()


@pytest.mark.parametrize(("account", "code"), [
    ('{login: "github-actions[bot]"}', ["PG217"]),
    ('{login: "GitHub-Actions[bot]", id: 41898282, app_id: 15368}', ["PG217"]),
    ('{login: "jkz-runner[bot]"}', ["PG218"]),
    ('{login: "coderabbitai[bot]", id: 136622811}', ["PG218"]),
    ("{format: coderabbit}", []),
    ('{login: "jkz-runner[bot]", id: 987}', []),
    ("{login: octocat}", []),
])  # fmt: skip
def test_load_policy__notes_on_accounts_that_are_hard_to_trust(account: str, code: list[str]) -> None:
    policy = loaded(f"agents: {{accounts: [{account}]}}\n")
    assert [item.code for item in policy.problems] == code
    assert all(item.where.line == 2 for item in policy.problems)


def test_phase__concerns_files_among_its_paths_and_without_paths_all() -> None:
    plan, _, qa = loaded('phases: {qa: {paths: ["web/**", "*.css"]}}').phases
    assert plan.concerns(["src/auth.py"])
    assert plan.concerns([])
    assert qa.concerns(["src/auth.py", "lib/theme.css"])
    assert not qa.concerns(["src/auth.py", "src/web/a.py"])
    assert not qa.concerns([])


def test_box__brings_account_role_seat_and_instructions() -> None:
    policy = loaded("agents: {accounts: [{format: bugbot}]}")
    assert policy.agents.accounts == (
        AgentAccount(login="cursor[bot]", id=206951365, app_id=1210556, roles=("bugbot",), boxed=True),
    )
    assert policy.phases[1].seats == ("judge", "inspector", "bugbot")
    assert policy.roles["bugbot"].only_named
    assert ".cursor/" in policy.instructions.paths
    seated = loaded("agents: {accounts: [{format: bugbot}]}\nphases: {qa: {roles: [bugbot]}}")
    assert [phase.seats for phase in seated.phases[1:]] == [("judge", "inspector"), ("bugbot",)]
    team = loaded("agents: {accounts: [{format: codex, roles: [judge]}]}")
    assert (team.roles["judge"].dialect, team.phases[1].seats) == ("codex", ("judge", "inspector"))


@pytest.mark.parametrize(("account", "expected"), [
    ("{format: bugbot, id: 5, app_id: 7}", ("cursor[bot]", 5, 7)),
    ('{format: bugbot, login: "ours[bot]", id: 5}', ("ours[bot]", 5, None)),
    ('{format: bugbot, login: "Cursor[bot]"}', ("Cursor[bot]", 206951365, 1210556)),
])  # fmt: skip
def test_box__another_account_has_ids_of_its_own(account: str, expected: tuple[str, int | None, int | None]) -> None:
    (made,) = loaded(f"agents: {{accounts: [{account}]}}").agents.accounts
    assert (made.login, made.id, made.app_id) == expected


def test_box__an_own_description_takes_its_place() -> None:
    own = "roles: {codex: {does: challenges}}, role: codex, in: [comment], outcome: {of: w/v, map: {ok: pass}}"
    read = "read: {w: {first_line: true, pattern: 'Codex says (?P<v>[a-z]{1,9})'}}"
    policy = loaded(f"agents: {{accounts: [{{format: codex}}]}}\nformats: {{codex: {{{own}, {read}}}}}")
    assert policy.dialects[-1].footprint.triggers == ("codex says ",)
    assert policy.agents.accounts[0].id == 199175422


@pytest.mark.parametrize(("text", "code", "words"), [
    ("agents: {accounts: [{format: codx}]}", "PG502", "did you mean codex?"),
    ("agents: {accounts: [{login: ana, settings: {score: 3}}]}", "PG526", "settings go with format"),
    ("agents: {accounts: [{format: codex, settings: {score: 3}}]}", "PG526", "no setting score"),
    ("agents: {accounts: [{format: greptile, settings: {score: 0}}]}", "PG526", "from 1 to 5"),
    ("agents: {accounts: [{format: bmad}]}", "PG526", "say with login"),
    ("agents: {accounts: [{format: codex}, {format: codex, app_id: 3}]}", "PG526", "differently"),
    ("agents: {accounts: [{format: codex, roles: [judge]}, {format: coderabbit, roles: [judge]}]}", "PG526",
     "judge already has the format codex"),
    ("phases: {plan: {checks: [ci]}}", "PG528", "about a commit"),
])  # fmt: skip
def test_box__what_is_told_wrongly_is_refused(text: str, code: str, words: str) -> None:
    (found,) = faults(f"version: 1\n{text}\n")
    assert found.code == code
    assert words in found.message


EVIDENCE = """\
version: 1
formats:
  ours:
    in: [file]
    path: "reviews/rules/{name}.json"
    evidence: true
    roles: {ours: {does: challenges}}
    role: ours
    read: {word: {whole: true, as: json, schema: {type: object, required: [verdict]}}}
    outcome: {of: word/verdict, map: {ok: pass, bad: fail}}
roles: {ours: {does: challenges, dialect: ours}}
phases: {build: {artifacts: [ours]}}
"""


def test_evidence__that_agents_take_orders_from_is_refused() -> None:
    assert isinstance(load_policy(EVIDENCE, PATH), Policy)
    assert codes(f"{EVIDENCE}instructions: {{paths: ['Reviews/rules/**']}}\n") == ["PG904"]


@pytest.mark.parametrize("path", [".github", ".GitHub/x.md", "docs/AGENTS.md", ".roo", ".MCP.json"])
def test_exempt__never_covers_what_steers_agents_or_workflows(path: str) -> None:
    policy = loaded("exempt: [{paths: ['**'], reason: all of it}]\n")
    assert not policy.exempt[0].covers((path,), policy.instructions)
    assert policy.exempt[0].covers((f"docs/{path}.txt",), policy.instructions)
