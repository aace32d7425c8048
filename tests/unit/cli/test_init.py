"""init: two files that work as they are, for every profile; nothing is overwritten, nothing is made up."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import setup
from phasegate.cli.terminal import Terminal
from phasegate.model.snapshot import POLICY
from phasegate.policy.layers import available_profiles
from phasegate.policy.load import load_policy
from phasegate.policy.model import AgentAccount, Policy
from tests.casebook.world import World
from tests.fakehub import TOKEN, FakeHub
from tests.unit.cli.shell import HOSTILE, ROOT, Done, Shell, written

EXAMPLES = ROOT / "docs" / "examples" / "workflows"
PINNED = f"octo/phase-gate@{'a' * 40}"


def policy_in(folder: Path) -> Policy:
    found = load_policy(text_in(folder, POLICY), POLICY)
    assert isinstance(found, Policy), found
    return found


def text_in(folder: Path, path: str) -> str:
    return (folder / path).read_text(encoding="utf-8")


def zizmor() -> str:
    folders = [str(Path(entry) / name) for entry in sys.path for name in ("bin", "Scripts")]
    found = shutil.which("zizmor", path=os.pathsep.join(folders))
    assert found
    return found


@pytest.mark.parametrize("path", sorted(setup.TEMPLATES.iterdir()), ids=lambda path: path.name)
def test_template__is_the_workflow_that_is_shown_and_tested(path: Path) -> None:
    shown = EXAMPLES / path.name
    assert path.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), "copy one over the other"


@pytest.mark.parametrize("more", [[], ["--watch"], ["--agent", "runner[bot]"], ["--one-account"]], ids=str)
@pytest.mark.parametrize("profile", [name for name in available_profiles() if name != "review"])
def test_init__writes_a_policy_without_a_problem(shell: Shell, tmp_path: Path, profile: str, more: list[str]) -> None:
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", "--profile", profile, *more)
    assert (done.code, done.err) == (0, "")
    policy = policy_in(tmp_path)
    assert policy.profile == profile
    assert shell("lint", tmp_path / POLICY).code == 0
    assert {item.code for item in policy.problems} <= {"PG218", "PG223"}  # no id is known here; one account for all


def test_init__writes_the_policy_of_a_team_of_reviewers(shell: Shell, tmp_path: Path) -> None:
    options = ("--profile", "review", "--agent", "coderabbit", "--agent", "bugbot")
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", *options)
    assert (done.code, done.err) == (0, "")
    policy = policy_in(tmp_path)
    assert [phase.seats for phase in policy.phases if phase.enabled] == [("coderabbit", "bugbot")]
    assert policy.problems == ()


REVIEWED = "version: 1\nagents: {accounts: [{format: codex}, {format: bugbot}]}\n"


@pytest.mark.parametrize("policy", ["", REVIEWED], ids=["no policy", "reviewers"])
@pytest.mark.parametrize("more", [[], ["--watch"], ["--action", PINNED], ["--without-target", "--watch"]], ids=str)
def test_init__writes_workflows_that_pass_audit(shell: Shell, tmp_path: Path, more: list[str], policy: str) -> None:
    if policy:
        written(tmp_path / POLICY, policy)
    assert shell("init", "--dir", tmp_path, *more).code == (1 if policy else 0)
    paths = [str(path) for path in sorted((tmp_path / setup.WORKFLOW).parent.iterdir())]
    assert len(paths) == (3 if policy or "--without-target" in more else 1)
    schema = ["check_jsonschema", "--builtin-schema", "vendor.github-workflows", *paths]
    subprocess.run([sys.executable, "-S", "-m", *schema], check=True)
    audit = [zizmor(), "--offline", "--persona=pedantic", "--no-progress", "--strict-collection", *paths]
    assert subprocess.run(audit, check=False).returncode == 0


def test_init__watching_can_write_nothing(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, "--watch")
    text = text_in(tmp_path, setup.WORKFLOW)
    assert "write" not in re.sub(r"#.*", "", text)
    assert "dry-run: true" in text
    assert "take dry-run out of the workflow" in done.out


def test_init__says_honestly_that_the_pin_is_not_known(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path)
    assert "NOT PINNED" in done.out
    assert "1 put the action and the commit of its release into" in done.out
    assert f"@{setup.PLACEHOLDER.partition('@')[2]} # " in text_in(tmp_path, setup.WORKFLOW)


@pytest.mark.parametrize("own", [True, False])
def test_init__asks_github_whether_the_commit_is_the_version(shell: Shell, tmp_path: Path, *, own: bool) -> None:
    snapshot = World().snapshot()
    head = snapshot["pull_request"]["head"]["sha"]
    told = f"octo/shop@{head if own else 'a' * 40}"
    with FakeHub(snapshot) as hub:
        hub.fail(f"GET */commits/{setup.TAG}", kind="wrong_type", data={"sha": head})
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--action", told, "--json")
    assert done.data["action"]["version"] == (setup.TAG if own else None)
    text = text_in(tmp_path, setup.WORKFLOW)
    assert f"uses: {told}{f' # {setup.TAG}' if own else ''}\n" in text


@pytest.mark.parametrize("path", [setup.WORKFLOW, POLICY])
def test_init__never_overwrites(shell: Shell, tmp_path: Path, path: str) -> None:
    written(tmp_path / path, "mine\n")
    done = shell("init", "--dir", tmp_path, "--json")
    assert (done.code, text_in(tmp_path, path)) == (1, "mine\n")
    assert [file["path"] for file in done.data["files"] if not file["written"]] == [path]
    assert f"kept  {path}" in shell("init", "--dir", tmp_path).out


def test_init__does_not_write_through_a_link(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / POLICY).symlink_to(tmp_path / "elsewhere")
    assert shell("init", "--dir", tmp_path).code == 1
    assert not (tmp_path / "elsewhere").exists()


def test_init__calls_a_commit_a_version_only_where_it_is_known_to_be(shell: Shell, tmp_path: Path) -> None:
    words = ("--action", PINNED, "--reviewer", "coderabbit")
    done = shell("init", "--dir", tmp_path, *words)
    assert f"pinned to aaaaaaa, which is not known to be {setup.TAG}" in done.out
    assert f"uses: {PINNED}\n" in text_in(tmp_path, setup.WORKFLOW)
    again = shell("init", "--dir", tmp_path, *words, "--json")
    assert (again.code, again.data["ok"]) == (0, True)
    assert {(file["written"], file["differs"]) for file in again.data["files"]} == {(False, False)}


def asked(hub: FakeHub, shell: Shell, *words: str | Path) -> Done:
    return shell("init", *words, environ=hub.environ)


@pytest.mark.parametrize(("agent", "account"), [
    ("jkz-runner[bot]=judge,inspector", ("jkz-runner[bot]", 12345, ("judge", "inspector"))),
    ("jkz-runner=judge,inspector", ("jkz-runner[bot]", 12345, ("judge", "inspector"))),
    ("ana=judge", ("ana", None, ("judge",))),
    ("nobody", None),
])  # fmt: skip
def test_init__looks_ids_up(shell: Shell, tmp_path: Path, agent: str, account: tuple[object, ...] | None) -> None:
    with FakeHub(World().snapshot(), apps={"jkz-runner": 12345}) as hub:
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", agent)
    if account is None:
        assert done.is_a_mistake_of_the_user("--agent", '"nobody"')
        assert not (tmp_path / ".github").exists()
        return
    assert done.code == 0, done
    assert "octo/shop, default branch main" in done.out
    (found,) = policy_in(tmp_path).agents.accounts
    assert (found.login, found.app_id, found.roles) == account
    assert found.id
    assert account[0] != "ana" or found.id == 21


def test_init__without_github_says_what_it_does_not_know(shell: Shell, tmp_path: Path) -> None:
    with FakeHub(World().snapshot()) as hub:
        hub.fail("*", times=None, kind="status", status=403)
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", "ana=judge")
    assert done.code == 0
    assert "unknown: " in done.out
    assert policy_in(tmp_path).agents.accounts == (AgentAccount(login="ana", roles=("judge",)),)


@pytest.mark.parametrize(("words", "said"), [
    (["--agent", "a b"], "is not a login"),
    (["--agent", HOSTILE], "is not a login"),
    (["--agent", "ana=jugde"], 'has no role "jugde"'),
    (["--agent", "ana", "--one-account"], "name one of them"),
    (["--agent", "coderabbitai[bot]=judge"], "speaks for itself alone"),
    (["--profile", "review"], "name its reviewers, such as --reviewer bugbot"),
    (["--profile", "review", "--agent", "rabbit"], '"rabbit" is no built-in reviewer'),
    (["--reviewer", "coderabit"], "no built-in reviewer"),
    (["--reviewer", "coderabbit,codex", "--need=3"], "--need 3"),
    (["--reviewer", "coderabbit,codex", "--need=-1"], "--need -1"),
    (["--reviewer", "coderabbit,codexx"], 'did you mean "codex"?'),
    (["--action", "phase-gate@v1"], "OWNER/NAME@COMMIT"),
    (["--repo", "shop"], "--repo is not owner/name"),
    (["--dir", "nowhere"], "--dir nowhere"),
])  # fmt: skip
def test_init__wrong_words_are_named(shell: Shell, tmp_path: Path, words: list[str], said: str) -> None:
    assert shell("init", "--dir", tmp_path, *words).is_a_mistake_of_the_user(said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [["--reviewer", "coderabbit,codex"], ["--profile", "review", "--agent", "coderabbitai[bot]", "--agent", "codex"]],
)
def test_init__names_reviewers_by_their_format(shell: Shell, tmp_path: Path, words: list[str]) -> None:
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", *words)
    assert done.code == 0, done
    text = text_in(tmp_path, POLICY)
    assert all(part in text for part in ("profile: review", "{format: coderabbit}", "{format: codex}"))
    assert policy_in(tmp_path).profile == "review"


@pytest.mark.parametrize(("need", "groups"), [("", 0), ("2", 1)])
def test_init__offers_some_of_several_reviewers(shell: Shell, tmp_path: Path, need: str, groups: int) -> None:
    wanted = ["--need", need] if need else []
    reviewers = ("--reviewer", "coderabbit,codex,copilot", "--one-human")
    assert shell("init", "--dir", tmp_path, *reviewers, *wanted).code == 0
    assert "any: [coderabbit, codex, copilot], need: 2" in text_in(tmp_path, POLICY)
    policy = policy_in(tmp_path)
    assert policy.humans.author_may_approve
    assert [len(phase.groups) for phase in policy.phases if phase.name == "build"] == [groups]


CODERABBIT = "agents: {accounts: [{format: coderabbit}]}\n"


class Person(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", Person)


@pytest.mark.usefixtures("at_terminal")
def test_init__asks_a_person(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, given="\nocto/shop\nx\n2\napp\nrunner[bot] ana\n\n")
    assert done.code == 0, done
    policy = policy_in(tmp_path)
    assert [account.login for account in policy.agents.accounts] == ["runner[bot]", "ana"]
    assert "Agents report as? [jkz]" in done.out
    assert policy.profile == "envelope"


@pytest.mark.parametrize("alone", ["yes", ""])
@pytest.mark.usefixtures("at_terminal")
def test_init__asks_first_for_reviewers(shell: Shell, tmp_path: Path, alone: str) -> None:
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", given=f"coderabit\nCodeRabbit, codex\n{alone}\n")
    assert done.code == 0, done
    assert 'did you mean "coderabbit"?' in done.out
    assert done.out.index("Which reviewers do you use?") < done.out.index("Does one person open")
    policy = policy_in(tmp_path)
    assert (policy.profile, policy.humans.author_may_approve) == ("review", bool(alone))
    assert {account.login for account in policy.agents.accounts} == {
        "coderabbitai[bot]",
        "chatgpt-codex-connector[bot]",
    }


@pytest.mark.parametrize(("words", "profile", "roles"), [
    (["--agent", "CodeRabbitAI[bot]"], "review", [("coderabbit",)]),
    (["--agent", "coderabbitai[bot]", "--agent", "ana=judge"], "jkz", [("coderabbit",), ("judge",)]),
    (["--reviewer", "coderabbit", "--profile", "jkz"], "jkz", [("coderabbit",)]),
])  # fmt: skip
def test_init__knows_a_reviewer_by_its_login(
    shell: Shell, tmp_path: Path, words: list[str], profile: str, roles: list[tuple[str, ...]]
) -> None:
    assert shell("init", "--dir", tmp_path, "--repo", "octo/shop", *words).code == 0
    policy = policy_in(tmp_path)
    assert (policy.profile, [account.roles for account in policy.agents.accounts]) == (profile, roles)
    assert policy.agents.accounts[0].id == 136622811


def test_init__raises_the_policy_of_the_organisation(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", "--organisation", "--reviewer", "codex")
    assert (done.code, "raises your organisation's policy" in done.out) == (0, True)
    shared = ("octo/.github/phase-gate.yml", "version: 1\nprofile: review\n" + CODERABBIT)
    found = load_policy(text_in(tmp_path, POLICY), POLICY, (), shared)
    assert isinstance(found, Policy)
    assert [account.login for account in found.agents.accounts] == ["coderabbitai[bot]", "chatgpt-codex-connector[bot]"]


@pytest.mark.parametrize("shared", ["codex", None])
def test_init__hears_the_reviewers_of_the_organisation(shell: Shell, tmp_path: Path, shared: str | None) -> None:
    policy = None if shared is None else f"version: 1\nprofile: review\nagents: {{accounts: [{{format: {shared}}}]}}\n"
    with FakeHub(World().snapshot(), shared_policy=policy) as hub:
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--organisation", "--json")
    assert (tmp_path / setup.SIGNAL).exists() == (shared is not None)
    unknown = [each for each in done.data["unknown"] if "which reviewers the organisation's policy names" in each]
    assert len(unknown) == (shared is None)


def test_init__a_policy_that_cannot_be_read_is_said(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / POLICY, "agents: {\n")
    assert "unknown: whether .github/phase-gate.yml names reviewers" in shell("init", "--dir", tmp_path).out


@pytest.mark.usefixtures("at_terminal")
def test_init__a_person_who_leaves_gets_nothing(shell: Shell, tmp_path: Path) -> None:
    assert "the answers ended" in shell("init", "--dir", tmp_path, given="").err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("origin", "why"), [
    ("git@github.com:octo/shop.git", ""),
    ("/srv/git/shop", "no clone of one on GitHub"),
    ("../octo/shop", "no clone of one on GitHub"),
    ("file:///srv/octo/shop", "no clone of one on GitHub"),
    ("git@gitlab.example:octo/shop.git", "gitlab.example and not on github.com"),
    ("https://github.com.example/octo/shop", "github.com.example and not on github.com"),
])  # fmt: skip
def test_init__knows_the_repository_of_a_clone_on_github(shell: Shell, tmp_path: Path, origin: str, why: str) -> None:
    for words in (["init", "--quiet"], ["remote", "add", "origin", origin]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)  # noqa: S607
    done = shell("init", "--dir", tmp_path, "--json", environ=dict(os.environ) | {"GITHUB_TOKEN": ""})
    assert done.data["repository"] == (None if why else "octo/shop")
    if why:
        assert why in done.data["unknown"][0]
    else:
        assert done.data["next"][3].endswith(" doctor --repo octo/shop")


# The Actions policy, without which GitHub starts no workflow for pull_request_target in a public repository.

GH = """\
#!{python}
import sys, urllib.request
words = sys.argv[1:]
if words[:2] == ["auth", "token"]:
    print("{token}")
    sys.exit()
assert words[0] == "api" and words[-2:] == ["--input", "-"], words
path = words[words.index("POST") + 1].replace("{{owner}}/{{repo}}", "octo/shop")
headers = {{"Authorization": "Bearer {token}", "User-Agent": "gh"}}
urllib.request.urlopen(urllib.request.Request("{url}/" + path, sys.stdin.buffer.read(), headers, method="POST"))
"""


def run_in(folder: Path, line: str, hub: FakeHub) -> subprocess.CompletedProcess[str]:
    """What a line that init printed does in a shell there, with a gh that asks the fake."""
    programs = folder.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "gh").write_text(GH.format(python=sys.executable, token=TOKEN, url=hub.url), encoding="utf-8")
    (programs / "gh").chmod(0o755)
    environ = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-c", line],  # noqa: S607
        cwd=folder,
        env=environ,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def printed(done: Done, begin: str) -> str:
    """The line to copy that begins so; it stands alone and whole."""
    (line,) = (line for line in done.out.splitlines() if line.startswith(begin))
    return line


def test_event_policy__names_the_triggers_of_the_workflow() -> None:
    told = setup.event_policy(setup.triggers_in(setup.TEMPLATE.read_text(encoding="utf-8")))
    events = ["issue_comment", "issues", "merge_group", "pull_request_target", "workflow_dispatch"]
    assert told["rules"] == [{"type": "restrict_action_events", "parameters": {"allowed_events": events}}]
    assert told["conditions"] == {"workflow_path": {"include": [setup.WORKFLOW], "exclude": []}}
    imported = json.loads(setup.policy_to_import(events))
    assert imported == {**told, "target": "actions", "bypass_actors": []}


@pytest.mark.parametrize("more", [[], ["--watch"]], ids=str)
def test_init__the_policy_it_writes_allows_what_its_workflow_runs_on(
    shell: Shell, tmp_path: Path, more: list[str]
) -> None:
    written(tmp_path / POLICY, REVIEWED)
    shell("init", "--dir", tmp_path, *more)
    policy = json.loads(text_in(tmp_path, setup.ACTIONS_POLICY))
    events = policy["rules"][0]["parameters"]["allowed_events"]
    assert "workflow_run" in events
    assert sorted(setup.triggers_in(text_in(tmp_path, setup.WORKFLOW))) == events


def test_init__takes_the_events_of_a_workflow_that_is_there(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / setup.WORKFLOW, "on: [pull_request_target, push]\n")
    shell("init", "--dir", tmp_path)
    policy = json.loads(text_in(tmp_path, setup.ACTIONS_POLICY))
    assert policy["rules"][0]["parameters"]["allowed_events"] == ["pull_request_target", "push"]


@pytest.mark.parametrize("name", [["--repo", "octo/shop"], []], ids=["known", "not known"])
def test_init__the_line_that_it_prints_makes_the_policy(shell: Shell, tmp_path: Path, name: list[str]) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    with FakeHub(World().snapshot()) as hub:
        done = shell("init", "--dir", folder, *name)
        ended = run_in(folder, printed(done, "echo "), hub)
        assert ended.returncode == 0, ended.stderr
        (made,) = hub.written
    assert (made["path"], made["status"]) == ("/repos/octo/shop/actions/policies", 201)
    assert made["body"] == setup.event_policy(setup.triggers_in(text_in(folder, setup.WORKFLOW)))
    assert "Nobody knows yet whether it lifts the block for other workflows" in done.out


def test_init__the_check_that_it_prints_can_be_started(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    with FakeHub(World().snapshot()) as hub:
        done = asked(hub, shell, "--dir", folder, "--repo", "octo/shop")
        ended = run_in(folder, printed(done, "GITHUB_API_URL="), hub)
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("octo/shop, main\n")


def test_init__a_terminal_cuts_no_line_to_copy(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Terminal, "width", 40)
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop")
    events = setup.triggers_in(setup.TEMPLATE.read_text(encoding="utf-8"))
    assert setup.event_policy_command(events, "octo/shop") in done.out.splitlines()


@pytest.mark.parametrize(("more", "needed"), [
    ({"visibility": "public"}, True), ({"visibility": "private"}, False), ({"visibility": "internal"}, False),
    ({"installed": "3.23.0"}, False), (None, True),
], ids=str)  # fmt: skip
def test_init__writes_the_actions_policy_where_github_blocks_the_event(
    shell: Shell, tmp_path: Path, more: dict[str, Any] | None, *, needed: bool
) -> None:
    with FakeHub(World().snapshot(), **(more or {"visibility": "private"})) as hub:
        if more is None:  # what it may not see counts as public
            hub.fail("GET /repos/octo/shop", times=None, kind="status", status=403)
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop")
    assert (done.code, (tmp_path / setup.ACTIONS_POLICY).exists()) == (0, needed)
    assert ("actions/policies" in done.out) == needed


# Reviews and check runs start no run of the gate; neither does anything where pull_request_target may not be used.


def test_init__without_the_event_writes_a_signal_and_a_sweep(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, "--without-target", "--action", PINNED, "--json")
    assert done.code == 0
    assert {file["path"] for file in done.data["files"]} == {setup.WORKFLOW, setup.SIGNAL, setup.SWEEP, POLICY}
    gate, sweep = (text_in(tmp_path, path) for path in (setup.WORKFLOW, setup.SWEEP))
    events = setup.triggers_in(gate)
    assert set(events) == {"workflow_run", "issue_comment", "issues", "merge_group", "workflow_dispatch"}
    assert events["workflow_run"] == {"workflows": [setup.SIGNAL_NAME], "types": ["requested"]}
    assert all(', base-in-context: "true"}\n' in text and PINNED in text for text in (gate, sweep))
    signal = text_in(tmp_path, setup.SIGNAL)
    assert f"name: {setup.SIGNAL_NAME}\n" in signal
    assert list(setup.triggers_in(signal)) == ["pull_request", "pull_request_review"]
    assert "permissions: {}" in signal
    assert "uses:" not in signal
    (group,) = re.findall(r"concurrency: .*", gate)
    # whoever names a branch "7" must not get into the group of pull request 7, nor all signals into one
    assert "github.event.workflow_run.head_sha || inputs.number || github.sha" in group
    assert "head_branch" not in group


def test_example__without_the_event_is_what_init_writes(shell: Shell, tmp_path: Path) -> None:
    shell("init", "--dir", tmp_path, "--without-target")
    workflow = re.sub(r"^(#.*\n)+", "", text_in(tmp_path, setup.WORKFLOW))
    assert workflow == (EXAMPLES / "phase-gate-without-target.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("online", [True, False])
def test_init__without_the_event_names_the_status_of_the_branch(shell: Shell, tmp_path: Path, *, online: bool) -> None:
    with FakeHub(World().snapshot()) as hub:
        environ = {"GITHUB_API_URL": hub.url, "GITHUB_TOKEN": TOKEN if online else ""}
        done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", "--without-target", environ=environ)
    assert f'require the status "phase-gate: {"main" if online else "BRANCH"}"' in done.out


@pytest.mark.parametrize(("policy", "files", "checks"), [
    ("agents: {accounts: [{format: copilot}]}", {setup.SIGNAL}, False),
    ("agents: {accounts: [{format: bugbot}]}", {setup.SIGNAL, setup.SWEEP}, True),
    ("agents: {accounts: [{format: claude-review}]}", {setup.SWEEP}, True),
    ("agents: {accounts: [{format: coderabbit}]}", {setup.SIGNAL}, False),
    ('agents: {accounts: [{login: "runner[bot]", id: 1, app_id: 2}]}', set(), False),
    ("phases: {plan: {enabled: false}}", set(), False),
])  # fmt: skip
def test_init__hears_the_reviewers_of_a_policy_that_is_there(
    shell: Shell, tmp_path: Path, policy: str, files: set[str], *, checks: bool
) -> None:
    written(tmp_path / POLICY, f"version: 1\n{policy}\n")
    done = shell("init", "--dir", tmp_path, "--json")
    assert {file["path"] for file in done.data["files"]} == {setup.WORKFLOW, POLICY, setup.ACTIONS_POLICY, *files}
    text = text_in(tmp_path, setup.WORKFLOW)
    assert ("workflow_run" in setup.triggers_in(text)) == (setup.SIGNAL in files)
    assert ("check_run" in setup.triggers_in(text)) == ("check_run.head_sha ||" in text) == checks
    if setup.SIGNAL in files:
        assert list(setup.triggers_in(text_in(tmp_path, setup.SIGNAL))) == ["pull_request_review"]
    assert "pull_request_target" in setup.triggers_in(text)
    assert ("checks: read" in text) == checks
