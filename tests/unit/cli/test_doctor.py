"""doctor: a healthy repository is called so, each mis-wired one is named with its fix, and forgeries are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.doctor import forged
from phasegate.cli.results import required_line
from phasegate.cli.setup import PLACEHOLDER, TEMPLATE, WORKFLOW, event_policy, triggers_in
from phasegate.cli.wiring import Finding, Wiring
from phasegate.model.snapshot import POLICY, BranchRules, PolicyFile, RequiredContext
from phasegate.model.texts import ACTIONS_APP
from phasegate.policy.layers import available_profiles
from tests.casebook.defences import DEFENCES
from tests.casebook.every import STORIES
from tests.casebook.world import ACTIONS_BOT, PEOPLE, verdict
from tests.fakehub import TOKEN, FakeHub
from tests.unit.cli.shell import GREEN, HOSTILE, Done, Shell, written

JSON = dict[str, Any]
PINNED = f"octo/phase-gate@{'a' * 40}"
GATE = TEMPLATE.read_text(encoding="utf-8").replace(PLACEHOLDER, PINNED)
ASKING = GATE.replace("pull-requests: read", "pull-requests: write").replace("with: {", "with: {comment: true, ")
AGENTS = 'version: 1\nagents: {accounts: [{login: "jkz-runner[bot]", id: 987, app_id: 12345, roles: [judge]}]}\n'
REQUIRED = {"context": "phase-gate", "app_id": ACTIONS_APP}
REVIEWS = {
    "require_code_owner_review": True, "required_approving_review_count": 1, "dismiss_stale_reviews_on_push": False,
    "require_last_push_approval": False, "required_review_thread_resolution": False,
}  # fmt: skip
QUEUE = {
    "check_response_timeout_minutes": 60, "max_entries_to_build": 5, "max_entries_to_merge": 5, "merge_method": "MERGE",
    "min_entries_to_merge": 1, "min_entries_to_merge_wait_minutes": 5,
}  # fmt: skip


def healthy() -> tuple[JSON, JSON]:
    """A repository that is wired as it should be: its snapshot, and the rest of it."""
    world = STORIES["feature-green"].world()
    world.policy = AGENTS
    snapshot = world.snapshot()
    snapshot["branch_rules"] = {"readable": True, "required": [dict(REQUIRED)]}
    status = {"context": "phase-gate", "state": "success", "at": "2026-03-02T10:00:00Z", "creator": ACTIONS_BOT}
    snapshot["statuses"] = [status]
    rule = {"type": "pull_request", "parameters": REVIEWS}
    tree = {WORKFLOW: GATE, ".github/CODEOWNERS": "/.github/ @octo/admins\n"}
    return snapshot, {"tree": tree, "rules": [rule], "policies": [{"id": 1, **event_policy(triggers_in(GATE))}]}


FORGED: dict[PolicyFile, list[Finding]] = {}


@pytest.fixture
def forged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forge once under each policy: what is found depends on nothing else."""

    def remembered(wiring: Wiring, saved: None) -> list[Finding]:
        if wiring.policy not in FORGED:
            FORGED[wiring.policy] = list(forged(wiring, saved))
        return FORGED[wiring.policy]

    monkeypatch.setattr("phasegate.cli.doctor.forged", remembered)


def look(shell: Shell, snapshot: JSON, more: JSON, *words: str) -> Done:
    with FakeHub(snapshot, **more) as hub:
        done = shell("doctor", "--repo", "octo/shop", *words, environ=hub.environ)
        assert hub.written == []
    return done


def test_doctor__a_healthy_repository_is_well(shell: Shell) -> None:
    done = look(shell, *healthy())
    assert (done.code, done.err) == (0, ""), done.out
    assert done.out.splitlines()[-1] == "Everything is fine"
    assert "phase-gate is required on main by ruleset 42, from GitHub Actions" in done.out
    assert "10 kinds of forgeries were refused" in done.out


def replaced(old: str, new: str) -> Callable[[JSON, JSON], None]:
    """The workflow with something else in it."""

    def change(snapshot: JSON, more: JSON) -> None:
        del snapshot
        assert old in GATE
        more["tree"][WORKFLOW] = GATE.replace(old, new)

    return change


def requires(*rules: JSON) -> Callable[[JSON, JSON], None]:
    return lambda snapshot, _: snapshot["branch_rules"].update(required=list(rules))


def has(path: str, text: str | None) -> Callable[[JSON, JSON], None]:
    """Another file on the default branch, or none."""

    def change(snapshot: JSON, more: JSON) -> None:
        if path == POLICY:
            world = STORIES["feature-green"].world()
            world.policy = text
            snapshot["policy"] = world.snapshot()["policy"]
        elif text is None:
            del more["tree"][path]
        else:
            more["tree"][path] = text

    return change


def says(author: str, app: int | None = None) -> Callable[[JSON, JSON], None]:
    def change(snapshot: JSON, more: JSON) -> None:
        del more
        said = {
            **snapshot["comments"][-1], "id": 4242, "author": PEOPLE[author], "text": verdict("judge"), "app_id": app,
        }  # fmt: skip
        snapshot["comments"].append(said)

    return change


def queue(strategy: str) -> Callable[[JSON, JSON], None]:
    rule = {"type": "merge_queue", "parameters": {**QUEUE, "grouping_strategy": strategy}}

    def change(snapshot: JSON, more: JSON) -> None:
        more["rules"].append(rule)
        if strategy == "ALLGREEN":
            replaced("  merge_group: {types: [checks_requested]}\n", "")(snapshot, more)

    return change


OTHER = """\
on: push
permissions: {statuses: write}
jobs:
  build: {name: %s, runs-on: ubuntu-latest, steps: [{run: make}]}
"""
WRONG: dict[str, tuple[Callable[[JSON, JSON], None], str, str]] = {
    "not required": (requires(), "required", "phase-gate is not required on main"),
    "only a phase": (requires({**REQUIRED, "context": "phase-gate/plan"}), "required", "is not required on main"),
    "the job": (requires(REQUIRED, {"context": "Decide the phases"}), "required", "green whatever the gate says"),
    "the record": (requires(REQUIRED, {"context": "phase-gate/record"}), "required", "not the gate's answer"),
    "a misspelt status": (requires(REQUIRED, {"context": "Phase Gate"}), "required", "which nothing writes"),
    "a phase that is none": (requires(REQUIRED, {"context": "phase-gate/tests"}), "required", "which nothing writes"),
    "another source": (requires({**REQUIRED, "app_id": 99}), "posted", "never satisfied"),
    "nothing posted": (lambda snapshot, _: snapshot["statuses"].clear(), "posted", "#7 has no status phase-gate"),
    "no workflow": (has(WORKFLOW, None), "workflow", "no workflow in .github/workflows runs the gate"),
    "zeros": (replaced(PINNED, PLACEHOLDER), "workflow", "is not pinned"),
    "pull_request": (replaced("pull_request_target:", "pull_request:"), "triggers", "own copy of the workflow"),
    "no comments": (
        replaced("issue_comment: {types: [created, edited, deleted]}", "push: {}"), "triggers", "issue_comment",
    ),
    "no edits": (replaced("[created, edited, deleted]", "[created]"), "triggers", "deleted, edited"),
    "a filter": (
        replaced("synchronize, edited, closed]}", "synchronize, edited, closed], paths: [src/**]}"), "triggers",
        "paths",
    ),
    "no statuses": (replaced("statuses: write", "statuses: read"), "permissions", "lacks statuses: write"),
    "all rights": (
        replaced("permissions:\n      contents: read", "permissions: write-all\n    env:\n      contents: read"),
        "permissions", "asks for write-all",
    ),
    "a checkout": (
        replaced("    steps:\n", "    steps:\n      - uses: actions/checkout@v5\n"), "permissions", "checks out code",
    ),
    "cancelled": (replaced("cancel-in-progress: false", "cancel-in-progress: true"), "concurrency", "cancels runs"),
    "chatter": (replaced("with: {", "with: {skip-chatter: true, "), "concurrency", "skips chatter"),
    "chatter behind a group of the workflow": (
        replaced(
            GATE[GATE.index("    steps:\n") :],
            "    concurrency: {group: a, queue: max}\n"
            + GATE[GATE.index("    steps:\n") :].replace("with: {", "with: {skip-chatter: true, "),
        ),
        "concurrency",
        "skips chatter",
    ),
    "comments by their text": (
        replaced("    runs-on", "    if: contains(github.event.comment.body, '/gate')\n    runs-on"), "concurrency",
        "skips comments by their text",
    ),
    "a job's name": (has(".github/workflows/ci.yml", OTHER % "Phase-Gate"), "names", "called like a status"),
    "broken policy": (has(POLICY, "version: 1\nagent: {}\n"), "policy", "PG"),
    "misplaced policy": (
        lambda snapshot, _: snapshot.update(policy={"path": POLICY, "misplaced": [".github/phase-gate.yaml"]}),
        "policy", "PG514",
    ),
    "queue": (queue("ALLGREEN"), "merge queue", "nothing runs on merge_group"),
    "loose queue": (queue("HEADGREEN"), "merge queue", "whose own group failed"),
}  # fmt: skip


@pytest.mark.usefixtures("forged_once")
@pytest.mark.parametrize("name", WRONG)
def test_doctor__names_what_is_wrong(shell: Shell, name: str) -> None:
    change, check, said = WRONG[name]
    snapshot, more = healthy()
    change(snapshot, more)
    done = look(shell, snapshot, more, "--json")
    wrong = [each for each in done.data["findings"] if each["level"] == "wrong"]
    assert (done.code, done.data["ok"]) == (1, False)
    assert [each for each in wrong if each["check"] == check and said in each["message"] and each["fix"]], wrong


TO_LOOK_AT: dict[str, tuple[Callable[[JSON, JSON], None], str, str]] = {
    "any source": (requires({"context": "phase-gate"}), "posted", "from any source"),
    "a tag": (replaced(PINNED, "octo/phase-gate@v1"), "workflow", "can be moved"),
    "watching": (replaced("with: {", "with: {dry-run: true, "), "workflow", "is a dry run"),
    "a condition": (replaced("    runs-on", "    if: github.actor != 'x'\n    runs-on"), "triggers", "has a condition"),
    "more rights": (replaced("contents: read", "contents: write"), "permissions", "contents: write"),
    "needless rights": (replaced("issues: read", "issues: write"), "permissions", "issues: write"),
    "another writer": (has(".github/workflows/ci.yml", OTHER % "Build"), "names", "may write statuses too"),
    "no owners": (has(".github/CODEOWNERS", "/docs/ @octo/writers\n"), "owners", "no code owners"),
    "owners unasked": (lambda _, more: more["rules"].clear(), "owners", "no ruleset of main"),
    "a bot": (says("helper[bot]", 777), "bots", "helper[bot] speaks as an agent and is ignored"),
    "own approval": (
        has(POLICY, "version: 1\nhumans: {author_may_approve: true}\n"), "forgeries", "author's own approval",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("forged_once")
@pytest.mark.parametrize("name", TO_LOOK_AT)
def test_doctor__warns_with_a_fix_and_passes(shell: Shell, name: str) -> None:
    change, check, said = TO_LOOK_AT[name]
    snapshot, more = healthy()
    change(snapshot, more)
    done = look(shell, snapshot, more, "--json")
    warned = [each for each in done.data["findings"] if each["level"] == "warning"]
    assert done.code == 0, done.out
    assert [each for each in warned if each["check"] == check and said in each["message"] and each["fix"]], warned


FINE: dict[str, Callable[[JSON, JSON], None]] = {
    "rights that an input takes": lambda _, more: more["tree"].update({WORKFLOW: ASKING}),
    "a named bot": says("jkz-runner[bot]", 12345),
}


@pytest.mark.usefixtures("forged_once")
@pytest.mark.parametrize("name", FINE)
def test_doctor__what_is_asked_for_and_named_is_no_finding(shell: Shell, name: str) -> None:
    snapshot, more = healthy()
    FINE[name](snapshot, more)
    assert look(shell, snapshot, more).out.splitlines()[-1] == "Everything is fine"


@pytest.mark.usefixtures("forged_once")
@pytest.mark.parametrize("named", [False, True])
def test_doctor__a_known_reviewer_gets_its_format(shell: Shell, *, named: bool) -> None:
    snapshot, more = healthy()
    rabbit = {"login": "coderabbitai[bot]", "id": 136622811, "type": "Bot"}
    snapshot["comments"].append({**snapshot["comments"][-1], "id": 4243, "author": rabbit, "text": "No findings."})
    if named:
        has(POLICY, "version: 1\nagents: {accounts: [{format: coderabbit}]}\n")(snapshot, more)
    found = [each for each in look(shell, snapshot, more, "--json").data["findings"] if each["check"] == "bots"]
    assert ["{format: coderabbit}" in each["fix"] for each in found] == ([] if named else [True])
    says("helper[bot]", 777)(snapshot, more)
    assert '{login: "helper[bot]", id: 555, app_id: 777, roles: [...]}' in look(shell, snapshot, more).out


@pytest.mark.usefixtures("forged_once")
def test_doctor__classic_protection_counts_too(shell: Shell) -> None:
    snapshot, more = healthy()
    snapshot["branch_rules"] = None
    checks = [{"context": "phase-gate", "app_id": ACTIONS_APP}]
    more["protection"] = {"contexts": ["phase-gate"], "enforcement_level": "everyone", "checks": checks}
    done = look(shell, snapshot, more)
    assert done.code == 0, done.out
    assert "phase-gate is required on main by branch protection, from GitHub Actions" in done.out


@pytest.mark.usefixtures("forged_once")
@pytest.mark.parametrize(("path", "status", "code"), [("/branches/main", 403, 1), ("", 404, 4)])
def test_doctor__what_it_may_not_see_is_not_called_well(shell: Shell, path: str, status: int, code: int) -> None:
    snapshot, more = healthy()
    snapshot["branch_rules"]["readable"] = False
    with FakeHub(snapshot, **more) as hub:
        hub.fail(f"GET /repos/octo/shop{path}", times=None, kind="status", status=status)
        done = shell("doctor", "--repo", "octo/shop", environ=hub.environ)
    assert done.code == code
    assert code == 4 or "could not be checked: what main requires" in done.out


@pytest.mark.parametrize(("words", "said"), [
    (["--dir", ".", "--repo", "octo/shop"], "name one of them"),
    (["--dir", "nowhere"], "--dir nowhere"),
    (["--repo", "shop"], "--repo is not owner/name"),
    (["--policy-path", "/etc/passwd"], "policy-path"),
])  # fmt: skip
def test_doctor__wrong_words_are_named(shell: Shell, words: list[str], said: str) -> None:
    assert shell("doctor", *words, environ={"GITHUB_TOKEN": TOKEN}).is_a_mistake_of_the_user(said)


@pytest.mark.parametrize("profile", available_profiles())
def test_doctor__refuses_forgeries_under_what_init_wrote(shell: Shell, tmp_path: Path, profile: str) -> None:
    agent = "coderabbit" if profile == "review" else "runner[bot]"
    assert shell("init", "--dir", tmp_path, "--profile", profile, "--agent", agent, "--action", PINNED).code == 0
    done = shell("doctor", "--dir", tmp_path, "--json")
    assert done.code == 0, done.out
    (proof,) = (each for each in done.data["findings"] if each["check"] == "forgeries")
    assert proof["level"] == "well"
    unseen = {each["check"] for each in done.data["findings"] if each["level"] == "unseen"}
    assert unseen == {"required", "posted", "event-policy", "bots"}


def test_doctor__an_ignored_evidence_folder_is_wrong(shell: Shell, tmp_path: Path) -> None:
    assert shell("init", "--dir", tmp_path, "--profile", "pipeline", "--action", PINNED).code == 0
    written(tmp_path / ".gitignore", "node_modules\n.pipeline/\n")
    done = shell("doctor", "--dir", tmp_path)
    assert done.code == 1
    assert '.gitignore:2 (".pipeline/") keeps .pipeline/ out of every commit' in done.out


@pytest.mark.parametrize("policy", [
    'agents: {only: true, accounts: [{login: "r[bot]", id: 9, app_id: 3}]}',
    'agents: {only: true, accounts: [{login: ana, id: 21}, {login: "@octo/judges", roles: [judge]}]}',
    "verdicts: {edited: never}",
])  # fmt: skip
def test_doctor__forges_under_the_repositorys_own_policy(shell: Shell, tmp_path: Path, policy: str) -> None:
    written(tmp_path / POLICY, f"version: 1\n{policy}\n")
    done = shell("doctor", "--dir", tmp_path, "--json")
    (proof,) = (each for each in done.data["findings"] if each["check"] == "forgeries")
    assert proof["level"] == "well", proof


def test_doctor__says_where_it_has_nothing_to_forge(shell: Shell, tmp_path: Path) -> None:
    assert "10 kinds of forgeries" in shell("doctor", "--dir", tmp_path, "--snapshot", GREEN).out
    phases = "phases: {build: {roles: [judge, inspector, auditor]}}"
    written(tmp_path / POLICY, f"version: 1\nissue: {{quick_labels: []}}\n{phases}\n")
    assert "a pull request that is green under this policy" in shell("doctor", "--dir", tmp_path).out


@pytest.mark.parametrize(
    ("defence", "name"), [("writers-speak", "a stranger's comments"), ("no-email", "comments by e-mail")]
)
def test_doctor__a_gate_without_a_defence_is_found_out(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defence: str, name: str
) -> None:
    DEFENCES[defence].switch_off(monkeypatch)
    done = shell("doctor", "--dir", tmp_path)
    assert done.code == 1
    assert f"{name} turned a pull request green" in done.out


def test_doctor__hostile_files_give_the_runner_no_command(shell: Shell, tmp_path: Path) -> None:
    text = GATE.replace(PINNED, "octo/phase-gate@::error::x").replace("gate:", '"##[error]x": {}\n  gate:')
    written(tmp_path / WORKFLOW, text)
    written(tmp_path / POLICY, f"version: 1\n{HOSTILE}\n")
    shell.harmless(1, "doctor", "--dir", tmp_path)


@pytest.mark.parametrize(("rules", "said"), [
    (None, "was not read"),
    (BranchRules(readable=False), "was not read"),
    (BranchRules(readable=True), "does NOT require phase-gate"),
    (BranchRules(readable=True, required=(RequiredContext(context="Phase-Gate"),)), "the branch requires phase-gate"),
])  # fmt: skip
def test_required_line__says_whether_it_gates(rules: BranchRules | None, said: str) -> None:
    assert said in required_line(rules, "octo/shop")
