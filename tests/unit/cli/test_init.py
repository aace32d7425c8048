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

import pytest

from phasegate.cli.init import PLACEHOLDER, TAG, TEMPLATE, WORKFLOW
from phasegate.model.snapshot import POLICY
from phasegate.policy.load import available_profiles, load_policy
from phasegate.policy.model import AgentAccount, Policy
from tests.casebook.world import World
from tests.fakehub import TOKEN, FakeHub
from tests.unit.cli.shell import HOSTILE, Done, Shell

ROOT = Path(__file__).resolve().parents[3]
PINNED = f"octo/phase-gate@{'a' * 40}"


def policy_in(folder: Path) -> Policy:
    """The policy that was written."""
    found = load_policy((folder / POLICY).read_text(encoding="utf-8"), POLICY)
    assert isinstance(found, Policy), found
    return found


def zizmor() -> str:
    """The program that audits workflows."""
    folders = [str(Path(entry) / name) for entry in sys.path for name in ("bin", "Scripts")]
    found = shutil.which("zizmor", path=os.pathsep.join(folders))
    assert found
    return found


def test_template__is_the_workflow_that_is_shown_and_tested() -> None:
    shown = ROOT / "docs" / "examples" / "workflows" / "phase-gate.yml"
    assert TEMPLATE.read_text(encoding="utf-8") == shown.read_text(encoding="utf-8"), "copy one over the other"


@pytest.mark.parametrize("more", [[], ["--watch"], ["--agent", "runner[bot]"], ["--one-account"]], ids=str)
@pytest.mark.parametrize("profile", available_profiles())
def test_init__writes_a_policy_without_a_problem(shell: Shell, tmp_path: Path, profile: str, more: list[str]) -> None:
    done = shell("init", "--dir", tmp_path, "--repo", "octo/shop", "--profile", profile, *more)
    assert (done.code, done.err) == (0, "")
    policy = policy_in(tmp_path)
    assert policy.profile == profile
    assert shell("lint", tmp_path / POLICY).code == 0
    assert {item.code for item in policy.problems} <= {"PG218", "PG223"}  # no id is known here; one account for all


@pytest.mark.parametrize("more", [[], ["--watch"], ["--action", PINNED]], ids=str)
def test_init__writes_a_workflow_that_passes_schema_and_audit(shell: Shell, tmp_path: Path, more: list[str]) -> None:
    assert shell("init", "--dir", tmp_path, *more).code == 0
    path = str(tmp_path / WORKFLOW)
    schema = ["check_jsonschema", "--builtin-schema", "vendor.github-workflows", path]
    subprocess.run([sys.executable, "-S", "-m", *schema], check=True)
    audit = [zizmor(), "--offline", "--persona=pedantic", "--no-progress", "--strict-collection", path]
    assert subprocess.run(audit, check=False).returncode == 0


def test_init__watching_can_write_nothing(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, "--watch")
    text = (tmp_path / WORKFLOW).read_text(encoding="utf-8")
    assert "write" not in re.sub(r"#.*", "", text)
    assert "dry-run: true" in text
    assert "take dry-run out of the workflow" in done.out


def test_init__says_honestly_that_the_pin_is_not_known(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path)
    assert "NOT PINNED" in done.out
    assert "1 put the action and the commit of its release into" in done.out
    assert f"@{PLACEHOLDER.partition('@')[2]} # " in (tmp_path / WORKFLOW).read_text(encoding="utf-8")


def test_init__pins_what_it_is_told(shell: Shell, tmp_path: Path) -> None:
    done = shell("init", "--dir", tmp_path, "--action", PINNED)
    assert f"pinned to {TAG} (aaaaaaa)" in done.out
    assert f"uses: {PINNED} # {TAG}\n" in (tmp_path / WORKFLOW).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [WORKFLOW, POLICY])
def test_init__never_overwrites(shell: Shell, tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("mine\n", encoding="utf-8")
    done = shell("init", "--dir", tmp_path, "--json")
    assert done.code == 1
    assert (tmp_path / path).read_text(encoding="utf-8") == "mine\n"
    assert [file["path"] for file in done.data["files"] if not file["written"]] == [path]
    assert f"kept  {path}" in shell("init", "--dir", tmp_path).out


def test_init__does_not_write_through_a_link(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / ".github").mkdir()
    (tmp_path / POLICY).symlink_to(tmp_path / "elsewhere")
    assert shell("init", "--dir", tmp_path).code == 1
    assert not (tmp_path / "elsewhere").exists()


def asked(hub: FakeHub, shell: Shell, *words: str | Path) -> Done:
    """A command with a token."""
    return shell("init", *words, environ={"GITHUB_API_URL": hub.url, "GITHUB_TOKEN": TOKEN})


@pytest.mark.parametrize("login", ["jkz-runner[bot]", "jkz-runner"])
def test_init__looks_ids_up(shell: Shell, tmp_path: Path, login: str) -> None:
    with FakeHub(World().snapshot(), apps={"jkz-runner": 12345}) as hub:
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", f"{login}=judge,inspector")
    assert done.code == 0, done
    assert "octo/shop, default branch main" in done.out
    (account,) = policy_in(tmp_path).agents.accounts
    assert (account.login, account.app_id, account.roles) == ("jkz-runner[bot]", 12345, ("judge", "inspector"))
    assert account.id


def test_init__looks_up_a_person(shell: Shell, tmp_path: Path) -> None:
    with FakeHub(World().snapshot()) as hub:
        assert asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", "ana=judge").code == 0
    assert policy_in(tmp_path).agents.accounts == (AgentAccount(login="ana", id=21, roles=("judge",)),)


def test_init__an_account_that_nobody_knows_is_a_mistake(shell: Shell, tmp_path: Path) -> None:
    with FakeHub(World().snapshot()) as hub:
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", "nobody")
    assert done.is_a_mistake_of_the_user("--agent", '"nobody"')
    assert not (tmp_path / ".github").exists()


def test_init__without_github_says_what_it_does_not_know(shell: Shell, tmp_path: Path) -> None:
    with FakeHub(World().snapshot()) as hub:
        hub.fail("*", times=None, kind="status", status=403)
        done = asked(hub, shell, "--dir", tmp_path, "--repo", "octo/shop", "--agent", "ana=judge")
    assert done.code == 0
    assert "unknown: " in done.out
    assert policy_in(tmp_path).agents.accounts == (AgentAccount(login="ana", roles=("judge",)),)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "a b"], "is not a login"),
        (["--agent", HOSTILE], "is not a login"),
        (["--agent", "ana=jugde"], 'has no role "jugde"'),
        (["--agent", "ana", "--one-account"], "name one of them"),
        (["--action", "phase-gate@v1"], "OWNER/NAME@COMMIT"),
        (["--repo", "shop"], "--repo is not owner/name"),
        (["--dir", "nowhere"], "--dir nowhere"),
    ],
)
def test_init__wrong_words_are_named(shell: Shell, tmp_path: Path, words: list[str], said: str) -> None:
    assert shell("init", "--dir", tmp_path, *words).is_a_mistake_of_the_user(said)
    assert list(tmp_path.iterdir()) == []


class Person(io.StringIO):
    """Somebody at a terminal."""

    def isatty(self) -> bool:
        """A person sits there."""
        return True


def test_init__asks_a_person(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", Person)
    done = shell("init", "--dir", tmp_path, given="octo/shop\nx\n2\napp\nrunner[bot] ana\n")
    assert done.code == 0, done
    policy = policy_in(tmp_path)
    assert [account.login for account in policy.agents.accounts] == ["runner[bot]", "ana"]
    assert "Agents report as? [jkz]" in done.out
    assert policy.profile == "envelope"


def test_init__a_person_who_leaves_gets_nothing(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(io, "StringIO", Person)
    assert "the answers ended" in shell("init", "--dir", tmp_path, given="").err
    assert list(tmp_path.iterdir()) == []


def test_init__knows_the_repository_of_a_clone(shell: Shell, tmp_path: Path) -> None:
    for words in (["init", "--quiet"], ["remote", "add", "origin", "git@github.com:octo/shop.git"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)  # noqa: S607
    done = shell("init", "--dir", tmp_path, "--json", environ=dict(os.environ) | {"GITHUB_TOKEN": ""})
    assert done.data["repository"] == "octo/shop"
    assert json.dumps(done.data["next"][2]) == '"python3 scripts doctor --repo octo/shop"'


@pytest.mark.parametrize("origin", ["/srv/git/shop", "../octo/shop", "file:///srv/octo/shop"])
def test_init__takes_no_folder_for_a_repository_on_github(shell: Shell, tmp_path: Path, origin: str) -> None:
    for words in (["init", "--quiet"], ["remote", "add", "origin", origin]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)  # noqa: S607
    done = shell("init", "--dir", tmp_path, "--json", environ=dict(os.environ) | {"GITHUB_TOKEN": ""})
    assert done.data["repository"] is None
