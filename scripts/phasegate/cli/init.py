"""Set up a repository: a workflow and a policy, annotated and pinned, for the answers or options that a user gives."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from phasegate import VERSION
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal, UsageError
from phasegate.dialects.registry import DEFAULT_DIALECT
from phasegate.model.codec import to_data
from phasegate.model.frozen import dataclass, replace
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import POLICY
from phasegate.policy.load import PROFILES, available_profiles, load_policy
from phasegate.policy.model import Policy
from phasegate.report.inert import plain, safe_json
from phasegate.settings import SettingsError, api_from_environ, repository

if TYPE_CHECKING:
    from phasegate.github.client.client import Client

WORKFLOW = ".github/workflows/phase-gate.yml"
TEMPLATE = Path(__file__).parent / "templates" / "phase-gate.yml"
ROOT = Path(__file__).resolve().parents[3]
TAG = f"v{VERSION}"
PLACEHOLDER = "OWNER/phase-gate@0000000000000000000000000000000000000000"
PIN = re.compile(r"(?P<name>[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})(@(?P<commit>[0-9a-f]{40}))?", re.ASCII)
# An address with a host; a clone of a folder tells nothing of where it is on GitHub.
REMOTE = re.compile(
    r"(?:[a-z+]{2,9}://|[A-Za-z0-9_.-]+@)[A-Za-z0-9_.@:-]+[/:]"
    r"([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}?)(?:\.git)?/?",
    re.ASCII,
)
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?", re.ASCII)
BOT = "[bot]"
SECONDS = 20

APP, ONE, PEOPLE = "app", "one", "people"
HOW_THEY_POST = {
    APP: "as apps, bots or accounts of their own",
    ONE: "as one account for all, which also opens the pull requests",
    PEOPLE: "as people with write permission",
}
HEAD = """\
# Phase Gate decides about pull requests and sets the status that the branch should require.
# It checks nothing out and runs nothing of the pull request: keep it so, and add no other step to this job.
"""
WATCHING = "statuses: read # the current statuses; nothing is written while dry-run is true"


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """An account that agents post with, what GitHub knows of it, and the roles that it may speak for."""

    login: str
    roles: tuple[str, ...] = ()
    id: int | None = None
    app_id: int | None = None

    @property
    def entry(self) -> str:
        """Its line of the policy."""
        parts = [f'login: "{self.login}"']
        parts += [f"{name}: {value}" for name, value in (("id", self.id), ("app_id", self.app_id)) if value]
        return "{" + ", ".join([*parts, f"roles: [{', '.join(self.roles)}]"]) + "}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What is to be set up, and what could not be found out."""

    repository: str | None
    branch: str | None
    profile: str
    posting: str
    agents: tuple[Agent, ...]
    action: str | None
    commit: str | None
    watch: bool
    unknown: tuple[str, ...] = ()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    parser.add_argument("--dir", type=Path, default=Path(), metavar="DIR", help="the repository's folder (default: .)")
    parser.add_argument("--repo", metavar="OWNER/NAME", help="the repository on GitHub (default: that of the clone)")
    how = f"how agents report: {', '.join(_profiles())}"
    parser.add_argument("--profile", choices=_profiles(), metavar="NAME", help=how)
    who = "an account that agents post with, such as 'runner[bot]' or 'runner[bot]=ROLE,ROLE'; may be repeated"
    parser.add_argument("--agent", action="append", metavar="LOGIN[=ROLES]", help=who)
    one = "people and agents share one account: the gate checks form, order and freshness, but not independence"
    parser.add_argument("--one-account", action="store_true", help=one)
    pin = f"the action and its commit (default: where this copy of {TAG} comes from, if that is known)"
    parser.add_argument("--action", metavar="OWNER/NAME[@COMMIT]", help=pin)
    parser.add_argument("--watch", action="store_true", help="start with a dry run: decide, but write no status")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Ask what was not told, look up what can be, write both files, and say what is left to do."""
    folder: Path = options.dir
    if not folder.is_dir():
        raise UsageError(f"--dir {folder}: no such folder")
    wanted = _wanted(options, terminal)
    policy = _policy_text(wanted)
    found = load_policy(policy, POLICY)
    if not isinstance(found, Policy):
        raise UsageError(f"--agent: {found[0].message} (fix: {found[0].hint})")
    texts = {WORKFLOW: _workflow_text(wanted), POLICY: policy}
    written = {path: _write(folder / path, text) for path, text in texts.items()}
    steps = tuple(_steps(wanted))
    if options.json:
        terminal.say(safe_json(_data(wanted, written, steps)))
    else:
        _tell(wanted, written, steps, terminal)
    return PASSED if all(written.values()) else NOT_PASSED


def _write(path: Path, text: str) -> bool:
    """Write a new file; whether there was none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise UsageError(f"--dir: {path}: {error.strerror or error}") from None
    return True


# What is wanted: options, answers, and what git and GitHub know.


def _wanted(options: argparse.Namespace, terminal: Terminal) -> Wanted:
    asking = terminal.stdin.isatty() and not options.json
    if options.agent and options.one_account:
        raise UsageError("--agent and --one-account: name one of them")
    name = _repository(options, terminal, asking)
    profile = options.profile or (_chosen(terminal, "Agents report as?", _profiles()) if asking else DEFAULT_DIALECT)
    posting = ONE if options.one_account else APP if options.agent else PEOPLE
    logins = options.agent or []
    if asking and posting is PEOPLE:
        posting = _chosen(terminal, "They post as?", HOW_THEY_POST)
        logins = _asked_logins(terminal) if posting == APP else []
    agents = tuple(_agent(text, profile) for text in logins)
    action, commit = _pin(options.action, terminal.environ)
    told = Wanted(
        repository=name,
        branch=None,
        profile=profile,
        posting=posting,
        agents=agents,
        action=action,
        commit=commit,
        watch=options.watch,
    )
    return _looked_up(told, terminal)


def _profiles() -> dict[str, str]:
    """The profiles, the default one first, each with what its file says of itself."""
    names = sorted(available_profiles(), key=lambda name: name != DEFAULT_DIALECT)
    heads = {name: (PROFILES / f"{name}.yml").read_text(encoding="utf-8").partition("\n")[0] for name in names}
    return {name: head.partition(": ")[2].rstrip(".") for name, head in heads.items()}


def _repository(options: argparse.Namespace, terminal: Terminal, asking: bool) -> str | None:  # noqa: FBT001
    told = options.repo or _remote(options.dir, terminal.environ)
    if asking and not options.repo:
        told = _answer(terminal, "Repository on GitHub?", told or "")
    try:
        return repository(told, "--repo") if told else None
    except SettingsError as error:
        raise UsageError(str(error)) from None


def _answer(terminal: Terminal, question: str, default: str) -> str:
    terminal.stdout.write(f"{question} [{plain(default)}] " if default else f"{question} ")
    terminal.stdout.flush()
    line = terminal.stdin.readline()
    if not line:
        raise UsageError("the answers ended: give them as options (--help lists these)")
    return line.strip() or default


def _chosen(terminal: Terminal, question: str, choices: Mapping[str, str]) -> str:
    """One of some choices, by name or number; the first one by default."""
    names = list(choices)
    for number, name in enumerate(names, start=1):
        terminal.say(f"  {number} {name}: {choices[name]}")
    while True:
        answer = _answer(terminal, question, names[0])
        if answer in names:
            return answer
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:3]) <= len(names):
            return names[int(answer[:3]) - 1]
        terminal.say(f"  one of {', '.join(names)}")


def _asked_logins(terminal: Terminal) -> list[str]:
    told = _answer(terminal, "Their logins, such as runner[bot] (several with a space)?", "")
    if not told:
        raise UsageError("--agent: no account was named")
    return told.split()


def _agent(text: str, profile: str) -> Agent:
    """An account with its roles, by default all that the phases of the profile ask for."""
    login, _, told = text.partition("=")
    if not LOGIN.fullmatch(login):
        raise UsageError(f'--agent: "{plain(login)}" is not a login such as runner or runner[bot]')
    known = _roles(profile)
    roles = tuple(filter(None, told.split(","))) if told else known
    for role in roles:
        if role not in known:
            raise UsageError(f'--agent: the profile {profile} has no role "{plain(role)}" (roles: {", ".join(known)})')
    return Agent(login=login, roles=roles)


def _roles(profile: str) -> tuple[str, ...]:
    loaded = load_policy((PROFILES / f"{profile}.yml").read_text(encoding="utf-8"), profile)
    assert isinstance(loaded, Policy)  # noqa: S101  (the profile is ours)
    named = [name for phase in loaded.phases for name in (phase.creator, *phase.every_seat) if name]
    return tuple(dict.fromkeys(loaded.role(name).part_of or name for name in named))


def _pin(told: str | None, environ: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The action's repository and the commit of this version, as told, or as the clone of this copy knows them."""
    if told:
        match = PIN.fullmatch(told)
        if match is None:
            raise UsageError(f'--action: "{plain(told)}" is not OWNER/NAME@COMMIT with a commit of 40 digits')
        return match["name"], match["commit"]
    if not (ROOT / ".git").exists():
        return None, None
    commit = _git(ROOT, environ, "rev-parse", "--verify", "--quiet", f"refs/tags/{TAG}^{{commit}}")
    return _remote(ROOT, environ), commit or None


def _remote(folder: Path, environ: Mapping[str, str]) -> str | None:
    """The repository that a clone came from."""
    match = REMOTE.fullmatch(_git(folder, environ, "config", "--get", "remote.origin.url"))
    return match[1] if match else None


def _git(folder: Path, environ: Mapping[str, str], *words: str) -> str:
    """What git says in a folder; nothing where it cannot be asked."""
    kept = {name: environ.get(name, os.defpath) for name in ("PATH",)}
    try:
        done = subprocess.run(  # noqa: S603  (a list of our own making)
            ["git", "-C", str(folder), *words],  # noqa: S607  (where git is differs from machine to machine)
            capture_output=True,
            check=False,
            env={**kept, "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _looked_up(told: Wanted, terminal: Terminal) -> Wanted:
    """What GitHub knows of the repository, of the accounts and of the action, where there is a token to ask with."""
    token = terminal.environ.get("GITHUB_TOKEN", "")
    if not token:
        reason = "the ids of the accounts were not looked up: there is no token in GITHUB_TOKEN"
        return replace(told, unknown=(reason,) if told.agents else ())
    from phasegate.github.client.answers import GitHubError  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.client.client import make_client  # noqa: PLC0415  (needs HTTP)

    try:
        client = make_client(api_from_environ(terminal.environ, token))
    except SettingsError as error:
        raise UsageError(str(error)) from None
    found = told
    with terminal.progress("Asking GitHub …"):
        for look in (_with_branch, _with_ids, _with_commit):
            try:
                found = look(client, found)
            except GitHubError as error:  # noqa: PERF203  (one that fails keeps no other from being made)
                found = replace(found, unknown=(*found.unknown, str(error)))
    return found


def _with_branch(client: Client, told: Wanted) -> Wanted:
    if told.repository is None:
        return told
    return replace(told, branch=str(client.get(f"/repos/{told.repository}")["default_branch"]))


def _with_ids(client: Client, told: Wanted) -> Wanted:
    return replace(told, agents=tuple(_known(client, agent) for agent in told.agents))


def _known(client: Client, agent: Agent) -> Agent:
    """The account as GitHub knows it; an app is also found by its name alone."""
    slug = agent.login.removesuffix(BOT)
    account = client.find_any(f"/users/{quote(agent.login)}")
    app = client.find_any(f"/apps/{quote(slug)}") if account is None or agent.login.endswith(BOT) else None
    if account is None and isinstance(app, dict):
        agent = replace(agent, login=f"{slug}{BOT}")
        account = client.find_any(f"/users/{quote(agent.login)}")
    if not isinstance(account, dict):
        raise UsageError(f'--agent: GitHub knows no account "{agent.login}" (an app\'s login ends in {BOT})')
    return replace(agent, login=account["login"], id=account["id"], app_id=app["id"] if isinstance(app, dict) else None)


def _with_commit(client: Client, told: Wanted) -> Wanted:
    """The commit of this version in the action's repository."""
    if told.action is None or told.commit is not None:
        return told
    found = client.find(f"/repos/{told.action}/commits/{TAG}")
    return replace(told, commit=None if found is None else str(found["sha"]))


# What is written, and what is said.


def _workflow_text(wanted: Wanted) -> str:
    """The workflow that is tested, with the pin in it."""
    text = TEMPLATE.read_text(encoding="utf-8")
    used = re.search(rf"{re.escape(PLACEHOLDER)} # .*", text)
    assert used  # noqa: S101  (the template is ours)
    if wanted.action and wanted.commit:
        text = text.replace(used[0], f"{wanted.action}@{wanted.commit} # {TAG}")
    elif wanted.action:
        text = text.replace(PLACEHOLDER, f"{wanted.action}@{PLACEHOLDER.partition('@')[2]}")
    if wanted.watch:
        text = re.sub(r"statuses: write # .*", WATCHING, text)
        text = text.replace("with: {", "with: {dry-run: true, ")
    return HEAD + text


def _policy_text(wanted: Wanted) -> str:
    return "\n".join((*_policy_lines(wanted), ""))


def _policy_lines(wanted: Wanted) -> Iterator[str]:
    yield "# The rules that pull requests are judged by, read from the default branch, never from a pull request."
    yield f"# Check a change with: python3 scripts lint {POLICY}"
    yield "version: 1"
    yield f"profile: {wanted.profile} # {_profiles()[wanted.profile]}"
    if wanted.posting == ONE:
        yield "# One account for everything: form, order, completeness and freshness are checked, independence is not."
        yield "agents: {author_may_judge: true}"
        yield "humans: {author_may_approve: true, agents_may_approve: true}"
    elif wanted.agents:
        yield "agents:"
        yield "  only: false # true: nobody but the accounts below speaks as an agent, not even with write permission"
        yield "  accounts: # an app or a bot counts only if it is named here; ids tell it from one with a similar login"
        yield from (f"    - {agent.entry}" for agent in wanted.agents)
    else:
        yield "# People with write permission may speak as agents. An app or a bot counts only if it is named:"
        yield '# agents: {accounts: [{login: "runner[bot]", id: 1, app_id: 2, roles: [...]}]}'


def _steps(wanted: Wanted) -> Iterator[str]:
    """What is left to do."""
    branch, name = wanted.branch or "the default branch", wanted.repository or "OWNER/NAME"
    pin = "" if wanted.action and wanted.commit else f"put the action and the commit of its release into {WORKFLOW}, "
    yield f"{pin}commit both files to {branch}"
    yield "open a pull request that closes an issue, and read the summary of its run"
    yield f"python3 scripts doctor --repo {name}"
    watching = "take dry-run out of the workflow (statuses: write), then " if wanted.watch else ""
    yield f'{watching}require the status "{OVERALL}" on {branch}'


def _pinned(wanted: Wanted) -> str:
    if wanted.action and wanted.commit:
        return f"pinned to {TAG} ({wanted.commit[:7]})"
    return f"NOT PINNED: the commit of {TAG} is not known here (--action OWNER/NAME@COMMIT)"


def _speaking(wanted: Wanted) -> str:
    if wanted.posting == ONE:
        return "one account may do all: independence is not checked"
    told = [f"{agent.login} speaks as {', '.join(agent.roles)}" for agent in wanted.agents]
    return "; ".join(told) or "people with write permission speak"


def _tell(wanted: Wanted, written: Mapping[str, bool], steps: Sequence[str], terminal: Terminal) -> None:
    name = wanted.repository or "not known (--repo OWNER/NAME tells)"
    terminal.paragraph(f"{name}{f', default branch {wanted.branch}' if wanted.branch else ''}", "Repository ")
    about = {WORKFLOW: _pinned(wanted), POLICY: _speaking(wanted)}
    for path, new in written.items():
        told = about[path] if new else "it is there already and was left as it is"
        terminal.paragraph(told, f"{'wrote' if new else 'kept '} {path:<{len(WORKFLOW)}}  ")
    for reason in wanted.unknown:
        terminal.paragraph(reason, "unknown: ")
    terminal.say("Next:")
    for number, step in enumerate(steps, start=1):
        terminal.paragraph(step, f"  {number} ")


def _data(wanted: Wanted, written: Mapping[str, bool], steps: Sequence[str]) -> dict[str, object]:
    return {
        "ok": all(written.values()),
        "repository": wanted.repository,
        "default_branch": wanted.branch,
        "profile": wanted.profile,
        "agents": [to_data(agent) for agent in wanted.agents],
        "action": {"repository": wanted.action, "commit": wanted.commit, "version": TAG},
        "files": [{"path": path, "written": new} for path, new in written.items()],
        "unknown": list(wanted.unknown),
        "next": list(steps),
    }
