"""Sets up a repository: an annotated workflow with pinned actions and a policy, from a user's answers or options."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from phasegate.cli import setup
from phasegate.cli.files import read_text, refusing
from phasegate.cli.setup import ACTIONS_POLICY, APP, ONE, PEOPLE, SIGNAL, SWEEP, TAG, TARGET, WORKFLOW, Agent, Wanted
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Terminal, UsageError, program
from phasegate.dialects.described.boxes import box, box_names, reviewer_of
from phasegate.dialects.registry import DEFAULT_DIALECT
from phasegate.model.codec import to_data
from phasegate.model.frozen import replace
from phasegate.model.problem import near
from phasegate.model.snapshot import POLICY
from phasegate.policy.layers import PROFILES
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.report.inert import plain
from phasegate.settings import PUBLIC_API, api_from_environ, repository

if TYPE_CHECKING:
    from phasegate.github.client.client import Client

ROOT = Path(__file__).resolve().parents[3]
PIN = re.compile(r"(?P<name>[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})(@(?P<commit>[0-9a-f]{40}))?", re.ASCII)
# An address with a host; a clone of a local folder has no repository on GitHub.
REMOTE = re.compile(
    r"(?:[a-z+]{2,9}://(?:[A-Za-z0-9_.:-]+@)?|[A-Za-z0-9_.-]+@)(?P<host>[A-Za-z0-9_.-]+)(?::[0-9]+)?[/:]"
    r"(?P<name>[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}?)(?:\.git)?/?",
    re.ASCII,
)
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?", re.ASCII)
BOT = "[bot]"
SECONDS = 20
OF_FLOOR = "which reviewers the organisation's policy names"
NO_ANSWER = "the answers ended: give them as options (--help lists these)"

HOW_THEY_POST = {
    APP: "as apps, bots or accounts of their own",
    ONE: "as one account for all, which also opens the pull requests",
    PEOPLE: "as people with write permission",
}
# The profiles with their descriptions, the default one first, and the built-in reviewers with a known account.
PROFILE_NAMES = dict(sorted(setup.profiles().items(), key=lambda each: each[0] != DEFAULT_DIALECT))
REVIEWERS = tuple(name for name in box_names() if box(name).known)
REVIEW = "review"
# The Actions policy is known to let the gate's own workflow start, and no more than that.
ONLY_OURS = f"Nobody knows yet whether it lifts the block for other workflows too: look at yours that use {TARGET}."


ARGUMENTS: Arguments = {
    "--dir DIR": ("the repository's folder (default: .)", {"default": Path()}),
    "--repo OWNER/NAME": "the repository on GitHub (default: that of the clone)",
    "--profile NAME": (f"how agents report: {', '.join(PROFILE_NAMES)}", {"choices": PROFILE_NAMES}),
    "--reviewer NAME[,NAME]": f"the reviewers that you use: {', '.join(REVIEWERS)}",
    "--need N": ("how many of these reviewers are enough (default: all of them)", {"type": int, "default": 0}),
    "--agent LOGIN[=ROLES]": (
        "an account that agents post with, such as 'runner[bot]' or 'runner[bot]=ROLE,ROLE'; may be repeated",
        {"action": "append"},
    ),
    "--one-human": "one person opens the pull requests and also approves, dismisses and overrides",
    "--one-account": (
        "people and agents share one account: the gate checks form, order and freshness, but not independence"
    ),
    "--organisation": "raise the policy in your organisation's .github repository instead of starting from a profile",
    "--action OWNER/NAME[@COMMIT]": f"the action and its commit (default: that of {TAG}, if it is known)",
    "--without-target": (
        f"for where an administrator does not allow {TARGET}: a signal workflow and an hourly sweep instead"
    ),
    "--watch": "start with a dry run: decide, but write no status",
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Asks for missing answers, looks up the rest, writes the files, and lists the remaining steps."""
    folder: Path = options.dir
    if not folder.is_dir():
        raise UsageError(f"--dir {folder}: no such folder")
    wanted = _wanted(options, terminal)
    policy = setup.policy_text(wanted)
    found = load_policy(policy, POLICY)
    if not isinstance(found, Policy):
        raise UsageError(f"--agent: {found[0].message} (fix: {found[0].hint})")
    texts = {**setup.workflows(wanted), POLICY: policy}
    triggers = setup.triggers_in(_present(folder / WORKFLOW) or texts[WORKFLOW])
    # what an Actions policy must allow; nothing where GitHub blocks none of it by default
    events = tuple(triggers) if TARGET in triggers and not wanted.shielded else ()
    if events:
        texts[ACTIONS_POLICY] = setup.policy_to_import(events)
    written = {path: _write(folder / path, text) for path, text in texts.items()}
    steps = tuple(_steps(wanted, events, folder))
    fine = "kept" not in written.values()
    data = {
        "ok": fine,
        "repository": wanted.repository,
        "default_branch": wanted.branch,
        "profile": wanted.profile,
        "agents": [to_data(agent) for agent in wanted.agents],
        "action": {"repository": wanted.action, "commit": wanted.commit, "version": TAG if wanted.released else None},
        "files": [{"path": path, "written": how == "wrote", "differs": how == "kept"} for path, how in written.items()],
        "require": wanted.context,
        "unknown": list(wanted.unknown),
        "next": [f"{step}: {command}" if command else step for step, command in steps],
    }
    code = PASSED if fine else NOT_PASSED
    return Answer(code, lambda: data, partial(_tell, wanted, written, steps, folder))


def _present(path: Path) -> str | None:
    if not path.is_file() or path.is_symlink():
        return None
    return read_text(path, "--dir")


def _write(path: Path, text: str) -> str:
    """Writes a new file: "wrote", or "same" or "kept" if it existed with this or another text."""
    with refusing("--dir:", path), suppress(FileExistsError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return "wrote"
    return "same" if _present(path) == text else "kept"


# The wanted setup: from options, answers, git and GitHub.


def _wanted(options: argparse.Namespace, terminal: Terminal) -> Wanted:
    asking = terminal.stdin.isatty() and not options.json
    if options.agent and options.one_account:
        raise UsageError("--agent and --one-account: name one of them")
    told, wrong = _reviewers(options.reviewer or "")
    if wrong:
        raise UsageError(f"--reviewer: {wrong}")
    if asking and not (options.reviewer or options.agent or options.profile or options.organisation):
        told = _asked_reviewers(terminal)
    name, why_not = _repository(options, terminal, asking)
    logins = [*told, *(options.agent or ())]
    profile = _profile(options, terminal, asking, [each for each in logins if _reviewer(each) is None], told)
    posting = ONE if options.one_account else APP if logins or options.organisation else PEOPLE
    if not _roles(profile) and not logins and not options.organisation:
        raise UsageError(f"--profile {profile}: name its reviewers, such as --reviewer {','.join(REVIEWERS[:2])}")
    if asking and posting is PEOPLE:
        posting = _chosen(terminal, "They post as?", HOW_THEY_POST)
        asked = "Their logins, such as runner[bot] (several with a space)?"
        logins = _answer(terminal, asked, "").split() if posting == APP else []
        if posting == APP and not logins:
            raise UsageError("--agent: no account was named")
    agents = tuple(dict.fromkeys(_agent(text, profile) for text in logins))
    if options.need and not 0 < options.need <= sum(bool(agent.reviewer) for agent in agents):
        raise UsageError(f"--need {options.need}: name at least so many with --reviewer")
    alone = options.one_human
    if asking and posting is not ONE and not alone:
        asked = "Does one person open the pull requests and also approve them?"
        alone = _answer(terminal, asked, "no").lower() in ("y", "yes")
    action, commit, released = _pin(options.action, terminal.environ)
    found = Wanted(
        repository=name,
        profile=profile,
        posting=posting,
        agents=agents,
        need=options.need,
        one_human=alone,
        extends=options.organisation,
        action=action,
        commit=commit,
        released=released,
        watch=options.watch,
        target=not options.without_target,
        unknown=(why_not,) if why_not else (),
    )
    return _looked_up(_with_reviewers(found, options.dir), terminal)


def _profile(
    options: argparse.Namespace,
    terminal: Terminal,
    asking: bool,  # noqa: FBT001
    others: Sequence[str],
    reviewers: Sequence[str],
) -> str:
    """The named or fitting profile. Reviewers alone need only the Build phase."""
    if options.profile or options.organisation:
        return str(options.profile or DEFAULT_DIALECT)
    if not others and (reviewers or options.agent) and not options.one_account:
        return REVIEW
    named = {name: told for name, told in PROFILE_NAMES.items() if name != REVIEW}
    return _chosen(terminal, "Agents report as?", named) if asking else DEFAULT_DIALECT


def _reviewer(text: str) -> str | None:
    return text.lower() if text.lower() in REVIEWERS else reviewer_of(text)


def _reviewers(text: str) -> tuple[list[str], str]:
    """The words of an answer, and what is wrong with the first that names no built-in reviewer."""
    words = text.replace(",", " ").split()
    word = next((word for word in words if _reviewer(word) is None), None)
    if word is None:
        return words, ""
    close = near(word, REVIEWERS)
    meant = f'; did you mean "{close[0]}"?' if close else f" ({', '.join(REVIEWERS)})"
    return words, f'"{plain(word)}" is no built-in reviewer{meant}'


def _asked_reviewers(terminal: Terminal) -> list[str]:
    terminal.say(f"  {', '.join(REVIEWERS)}; several with a comma")
    while True:
        words, wrong = _reviewers(_answer(terminal, "Which reviewers do you use?", "none").removeprefix("none"))
        if not wrong:
            return words
        terminal.say(f"  {wrong}")


def _with_reviewers(told: Wanted, folder: Path) -> Wanted:
    """Where the policy's reviewers speak, by the existing policy or the one that init writes."""
    there = _present(folder / POLICY)
    text = setup.policy_text(told) if there is None else there
    policy = load_policy(text, POLICY)
    if isinstance(policy, Policy):
        return replace(told, floor=text) if policy.extends else replace(told, media=setup.reviewer_media(policy))
    wrong = f"whether {POLICY} names reviewers whose words start no run: it is broken. Check it with lint"
    return replace(told, unknown=(wrong,))


def _repository(options: argparse.Namespace, terminal: Terminal, asking: bool) -> tuple[str | None, str]:  # noqa: FBT001
    """The repository, or why it is unknown."""
    told, why_not = (options.repo, "") if options.repo is not None else _remote(options.dir, terminal.environ)
    if told is None and asking:
        told = _answer(terminal, "Repository on GitHub (OWNER/NAME)?", "")
    return (repository(told, "--repo"), "") if told else (None, why_not)


def _answer(terminal: Terminal, question: str, default: str) -> str:
    terminal.stdout.write(f"{question} [{plain(default)}] " if default else f"{question} ")
    terminal.stdout.flush()
    line = terminal.stdin.readline()
    if not line:
        raise UsageError(NO_ANSWER)
    return line.strip() or default


def _chosen(terminal: Terminal, question: str, choices: Mapping[str, str]) -> str:
    """One of some choices, by name or number; the first by default."""
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


def _agent(text: str, profile: str) -> Agent:
    """A built-in reviewer, or an account with roles: by default all roles of the profile's phases."""
    login, _, told = text.partition("=")
    known, reviewer = _roles(profile), _reviewer(login)
    if reviewer is not None and told:
        raise UsageError(f"--agent: {plain(login)} is a reviewer that speaks for itself alone; drop ={plain(told)}")
    if reviewer is not None:
        return Agent(login=box(reviewer).known["login"], roles=box(reviewer).roles, reviewer=reviewer)
    if not known:
        raise UsageError(f'--agent: "{plain(login)}" is no built-in reviewer ({", ".join(REVIEWERS)})')
    if not LOGIN.fullmatch(login):
        raise UsageError(f'--agent: "{plain(login)}" is not a login such as runner or runner[bot]')
    roles = tuple(filter(None, told.split(","))) if told else known
    for role in roles:
        if role not in known:
            raise UsageError(f'--agent: the profile {profile} has no role "{plain(role)}" (roles: {", ".join(known)})')
    return Agent(login=login, roles=roles)


def _roles(profile: str) -> tuple[str, ...]:
    """The roles required by a profile's phases; none if it is for reviewers that a policy names."""
    loaded = load_policy((PROFILES / f"{profile}.yml").read_text(encoding="utf-8"), profile)
    if not isinstance(loaded, Policy):
        return ()
    named = [name for phase in loaded.phases for name in (phase.creator, *phase.every_seat) if name]
    return tuple(dict.fromkeys(loaded.role(name).part_of or name for name in named))


def _pin(told: str | None, environ: Mapping[str, str]) -> tuple[str | None, str | None, bool]:
    """The action's repository, the commit to pin, and whether this copy's clone has it as this version."""
    match = PIN.fullmatch(told) if told else None
    if told and match is None:
        raise UsageError(f'--action: "{plain(told)}" is not OWNER/NAME@COMMIT with a commit of 40 digits')
    name = tagged = None
    if (ROOT / ".git").exists():
        name, _ = _remote(ROOT, environ)
        tagged = _git(ROOT, environ, "rev-parse", "--verify", "--quiet", f"refs/tags/{TAG}^{{commit}}") or None
    if match is None:
        return name, tagged, tagged is not None
    same = name is not None and match["name"].lower() == name.lower()
    return match["name"], match["commit"], same and tagged is not None and match["commit"] == tagged


def _remote(folder: Path, environ: Mapping[str, str]) -> tuple[str | None, str]:
    """A clone's repository, or why it is unknown."""
    match = REMOTE.fullmatch(_git(folder, environ, "config", "--get", "remote.origin.url"))
    if match is None:
        return None, f"the repository: {folder} is no clone of one on GitHub; run init in a clone, or add --repo"
    server = urlsplit(environ.get("GITHUB_API_URL") or PUBLIC_API).netloc.lower()
    host = match["host"].lower().removeprefix("ssh.")
    if host in (server, server.removeprefix("api.")):
        return match["name"], ""
    wrong = f"the repository: the remote origin is on {plain(host)} and not on {server.removeprefix('api.')}"
    return None, f"{wrong}; add --repo OWNER/NAME, or for GitHub Enterprise Server set GITHUB_API_URL"


def _git(folder: Path, environ: Mapping[str, str], *words: str) -> str:
    """The answer of git in a folder, or "" if it cannot be asked."""
    try:
        done = subprocess.run(  # noqa: S603  (a list of our own making)
            ["git", "-C", str(folder), *words],  # noqa: S607  (where git is differs from machine to machine)
            capture_output=True,
            check=False,
            env={"PATH": environ.get("PATH", os.defpath), "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def _looked_up(told: Wanted, terminal: Terminal) -> Wanted:
    """With a token, GitHub's knowledge of the repository, the accounts and the action."""
    if not terminal.environ.get("GITHUB_TOKEN"):
        reason = "the ids of the accounts were not looked up: there is no token in GITHUB_TOKEN"
        unknown = [reason] if any(not agent.reviewer for agent in told.agents) else []
        unknown += [f"{OF_FLOOR}: there is no token in GITHUB_TOKEN"] if told.floor else []
        return replace(told, unknown=(*told.unknown, *unknown))
    from phasegate.github.client.answers import GitHubError  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.client.client import make_client  # noqa: PLC0415  (needs HTTP)

    api = api_from_environ(terminal.environ)
    client = make_client(api)
    found = replace(told, api=None if api.rest == PUBLIC_API else api.rest)
    with terminal.progress("Asking GitHub …"):
        for look in (_with_repository, _with_floor, _with_agents, _with_commit):
            try:
                found = look(client, found)
            except GitHubError as error:  # noqa: PERF203  (one that fails keeps no other from being made)
                found = replace(found, unknown=(*found.unknown, str(error)))
    return found


def _with_repository(client: Client, told: Wanted) -> Wanted:
    """The branch, and whether GitHub blocks nothing here. Enterprise Server, known by its version, does not."""
    if told.api is not None and "installed_version" in (client.find("/meta") or ()):
        told = replace(told, shielded=True)
    if told.repository is None:
        return told
    found = client.get(f"/repos/{told.repository}")
    private = found.get("visibility") in ("private", "internal") or found.get("private") is True
    return replace(told, branch=str(found["default_branch"]), shielded=told.shielded or private)


def _with_floor(client: Client, told: Wanted) -> Wanted:
    """Where the reviewers in the organisation's policy speak, too."""
    if told.floor is None or told.repository is None:
        return told
    from phasegate.github.reading.opening import policy_alone  # noqa: PLC0415  (needs HTTP)

    shared = policy_alone(client, told.repository, POLICY).shared
    policy = None if shared is None else load_policy(told.floor, POLICY, (), (shared.place, shared.text))
    if isinstance(policy, Policy):
        return replace(told, media=setup.reviewer_media(policy))
    why = "this token cannot read it, or it is not there" if policy is None else policy[0].message
    return replace(told, unknown=(*told.unknown, f"{OF_FLOOR}: {why}"))


def _with_agents(client: Client, told: Wanted) -> Wanted:
    """The accounts as GitHub knows them. An app is also found by its bare name."""

    def known(agent: Agent) -> Agent:
        slug = agent.login.removesuffix(BOT)
        account = client.find_any(f"/users/{quote(agent.login)}")
        app = client.find_any(f"/apps/{quote(slug)}") if account is None or agent.login.endswith(BOT) else None
        if account is None and isinstance(app, dict):
            account = client.find_any(f"/users/{quote(f'{slug}{BOT}')}")
        if not isinstance(account, dict):
            raise UsageError(f'--agent: GitHub knows no account "{agent.login}" (an app\'s login ends in {BOT})')
        number = app["id"] if isinstance(app, dict) else None
        return replace(agent, login=account["login"], id=account["id"], app_id=number)

    return replace(told, agents=tuple(agent if agent.reviewer else known(agent) for agent in told.agents))


def _with_commit(client: Client, told: Wanted) -> Wanted:
    """This version's commit in the action's repository, to pin unless another is named."""
    if told.action is None or told.released:
        return told
    found = client.find(f"/repos/{told.action}/commits/{TAG}")
    tagged = None if found is None else str(found["sha"])
    commit = told.commit or tagged
    return replace(told, commit=commit, released=tagged is not None and commit == tagged)


# The output.


def _steps(wanted: Wanted, events: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    """The remaining steps, each with a line to copy if any. All of them work in the folder."""
    branch = wanted.branch or "the default branch"
    name = wanted.repository or '"$(gh repo view --json nameWithOwner --jq .nameWithOwner)"'
    token = f"$(gh auth token --hostname {wanted.host})" if wanted.host else "$(gh auth token)"
    server = f"GITHUB_API_URL={wanted.api} " if wanted.api else ""
    proof = f"{server}GITHUB_TOKEN={token} {program(folder)} doctor --repo {name}"
    places = f"{WORKFLOW} and {SWEEP}" if wanted.sweep else WORKFLOW
    pin = "" if wanted.action and wanted.commit else f"put the action and the commit of its release into {places}, "
    yield f"{pin}commit these files to {branch}", ""
    if events:
        asked = f"let {TARGET} start the gate, which GitHub blocks in public repositories: an administrator imports"
        yield (
            f"{asked} {ACTIONS_POLICY} (Settings, Actions, Policies) or runs the line below. {ONLY_OURS}",
            setup.event_policy_command(events, wanted.repository, wanted.host),
        )
    opened = "" if wanted.profile == REVIEW else " that closes an issue"
    yield f"open a pull request{opened}, and read the summary of its run", ""
    yield "check that the gate holds", proof
    watching = "take dry-run out of the workflow (statuses: write), then " if wanted.watch else ""
    where = f" on {branch}" if wanted.target or wanted.branch else ", with the name of the branch for BRANCH"
    yield f'{watching}require the status "{wanted.context}"{where}', ""


def _tell(
    wanted: Wanted, written: Mapping[str, str], steps: Sequence[tuple[str, str]], folder: Path, terminal: Terminal
) -> None:
    name = wanted.repository or "not known"
    terminal.paragraph(f"{name}{f', default branch {wanted.branch}' if wanted.branch else ''}", "Repository ")
    pin = f"pinned to {(wanted.commit or '')[:7]}, which is not known to be {TAG}"
    if wanted.released:
        pin = f"pinned to {TAG} ({(wanted.commit or '')[:7]})"
    if not wanted.action or not wanted.commit:
        pin = f"NOT PINNED: the commit of {TAG} is not known here (--action OWNER/NAME@COMMIT)"
    named = "; ".join(
        f"{agent.reviewer} reviews" if agent.reviewer else f"{agent.login} speaks as {', '.join(agent.roles)}"
        for agent in wanted.agents
    )
    if wanted.posting == ONE:
        named = "one account may do all: independence is not checked"
    if wanted.extends:
        named = "raises your organisation's policy"
    about = {
        WORKFLOW: pin,
        SIGNAL: "wakes the gate for reviews" if wanted.target else "wakes the gate for pull requests and reviews",
        SWEEP: "every hour decides what raised no event",
        POLICY: named or "people with write permission speak",
        ACTIONS_POLICY: f"lets {TARGET} start the gate; to be imported",
    }
    widest = max(map(len, written))
    others = {"same": "it is there already", "kept": "it is there with another text, and was left as it is"}
    for path, how in written.items():
        terminal.paragraph(others.get(how, about[path]), f"{how:<5} {path:<{widest}}  ")
    for reason in wanted.unknown:
        terminal.paragraph(reason, "unknown: ")
    here = folder.resolve() == Path.cwd()
    terminal.say("Next:" if here else f"Next, in {plain(str(folder))}:")
    for number, (step, command) in enumerate(steps, start=1):
        terminal.paragraph(step, f"  {number} ")
        if command:
            terminal.say(plain(command, len(command)))  # whole: a line that was wrapped cannot be copied
