"""Inputs and environment to Settings; every message names the input."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import TypeVar

from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import POLICY

PUBLIC_API = "https://api.github.com"
PUBLIC_SERVER = "https://github.com"
ADDRESS = re.compile(
    r"https?://(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?(/[A-Za-z0-9._/-]*)?", re.ASCII
)
PROXY = re.compile(
    r"(?P<scheme>https?://)?([^@/\s]*@)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?/?", re.ASCII
)
SPARED = re.compile(r"(?P<name>[^:\[\]]+|\[[0-9a-f:.]+\]|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*)(:(?P<port>[0-9]+))?")
PORTS = {"http": "80", "https": "443"}
LARGEST_PORT = 65535
RETENTION = "GITHUB_RETENTION_DAYS"
# How long GitHub keeps statuses and runs: at least a day, which is assumed where it is not told, and at most this.
SHORTEST_RETENTION, LONGEST_RETENTION = 1, 400
Choice = TypeVar("Choice", bound=Enum)


class SettingsError(Exception):
    """An unusable input: its name, what is wrong, what is allowed."""


class Command(str, Enum):
    """What the step does."""

    GATE = "gate"
    APPROVE = "approve"  # the same, in a run that a reviewer of the protected environment let pass
    CONTEXT = "context"
    SWEEP = "sweep"


class FailOn(str, Enum):
    """Which states fail the step."""

    NEVER = "never"
    FAILURE = "failure"
    PENDING = "pending"


class Annotations(str, Enum):
    """Where problems in files are marked."""

    LOG = "log"  # by commands of the run, where it belongs to the pull request
    CHECK_RUN = "check-run"
    NONE = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    """GitHub's address and the token."""

    token: str = field(repr=False)
    rest: str = PUBLIC_API
    graphql: str = f"{PUBLIC_API}/graphql"
    proxies: Mapping[str, str] = field(default_factory=dict)
    certificates: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings of one run of the action. ``again`` if somebody restarted it.

    ``workflow`` is the path of the running workflow's file. ``retention_days`` is how long GitHub keeps a status.
    ``notices`` are assumptions, for the log.
    """

    api: Api
    repository: str
    event: str
    event_path: str
    pull_request: int | None
    policy_path: str
    fail_on: FailOn
    dry_run: bool
    skip_chatter: bool
    save_snapshot: bool
    create_issues: bool
    comment: bool
    annotations: Annotations
    base_in_context: bool
    command: Command
    summary_path: str | None
    temp: str | None
    run_url: str | None
    help_url: str | None
    again: bool = False
    workflow: str | None = None
    retention_days: int = SHORTEST_RETENTION
    notices: tuple[str, ...] = ()


def api_from_environ(environ: Mapping[str, str], token: str | None = None, address: str = "") -> Api:
    """GitHub's address and token, by default from the environment."""
    token = environ.get("GITHUB_TOKEN", "") if token is None else token
    if not token:
        raise SettingsError("token is empty: set GITHUB_TOKEN, such as to $(gh auth token); in a workflow leave it out")
    if any(character in token for character in "\r\n "):
        raise SettingsError("token holds a space or a line end: was it pasted with its quotes?")
    rest = _url(address, "api-url") if address else _url(environ.get("GITHUB_API_URL") or PUBLIC_API, "GITHUB_API_URL")
    beside = f"{rest.removesuffix('/v3')}/graphql"  # on GitHub Enterprise Server not below /api/v3
    told = "" if address else environ.get("GITHUB_GRAPHQL_URL", "")
    return Api(
        token=token,
        rest=rest,
        graphql=_url(told or beside, "GITHUB_GRAPHQL_URL"),
        proxies=_proxies(environ, rest),
        certificates=environ.get("REQUESTS_CA_BUNDLE") or environ.get("SSL_CERT_FILE") or None,
    )


def _url(value: str, name: str) -> str:
    if not ADDRESS.fullmatch(value):
        raise SettingsError(f'{name} is not an address such as {PUBLIC_API}: "{value[:100]}"')
    return value.rstrip("/")


def _proxies(environ: Mapping[str, str], url: str) -> dict[str, str]:
    address = ADDRESS.fullmatch(url)
    scheme = url.partition(":")[0]
    host = address["host"].strip("[]").lower() if address else ""
    port = (address["port"] if address else None) or PORTS.get(scheme)
    spared = (environ.get("no_proxy") or environ.get("NO_PROXY") or "").split(",")
    if any(_is_spared(entry.strip().lower(), host, port) for entry in spared):
        return {}
    name = next((name for name in (f"{scheme}_proxy", f"{scheme.upper()}_PROXY") if environ.get(name)), None)
    if name is None:
        return {}
    proxy = PROXY.fullmatch(environ[name])
    if proxy is None or int(proxy["port"] or 0) > LARGEST_PORT:  # without its value, which may hold a password
        raise SettingsError(f"{name} is not the address of an HTTP proxy, such as http://proxy.example:3128")
    return {scheme: proxy[0] if proxy["scheme"] else f"http://{proxy[0]}"}


def _is_spared(entry: str, host: str, port: str | None) -> bool:
    """True if an entry of no_proxy covers this host: a name, a suffix, or either with a port."""
    told = SPARED.fullmatch(entry)
    if told is None or (told["port"] and told["port"] != port):
        return False
    name = told["name"].strip("[]").removeprefix("*.").lstrip(".")
    return bool(name) and (name in ("*", host) or host.endswith(f".{name}"))


def settings_from_environ(environ: Mapping[str, str]) -> Settings:
    """The settings of a run of the action."""
    told = environ.get(RETENTION, "")
    days = int(told) if re.fullmatch("[1-9][0-9]{0,2}", told, re.ASCII) else 0
    assumed: tuple[str, ...] = ()
    if not SHORTEST_RETENTION <= days <= LONGEST_RETENTION:  # the shortest, and the log says so
        why = f'"{told[:100]}", not 1 to {LONGEST_RETENTION} days' if told else "missing"
        days, assumed = SHORTEST_RETENTION, (f"{RETENTION} is {why}: statuses are taken to be kept for one day",)
    repo = environ.get("GITHUB_REPOSITORY", "")
    workflow = environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].removeprefix(f"{repo}/")
    server, run = environ.get("GITHUB_SERVER_URL") or PUBLIC_SERVER, environ.get("GITHUB_RUN_ID", "")
    place = f"{server}/{repo}"
    # as far as the runner tells where the action is from
    name, version = environ.get("GITHUB_ACTION_REPOSITORY", ""), environ.get("GITHUB_ACTION_REF", "")
    action = re.fullmatch(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)@([A-Za-z0-9_./-]+)", f"{name}@{version}", re.ASCII)
    return Settings(
        api=api_from_environ(environ, environ.get("PHASE_GATE_TOKEN", ""), environ.get("PHASE_GATE_API_URL", "")),
        repository=repository(repo, "GITHUB_REPOSITORY"),
        event=environ.get("GITHUB_EVENT_NAME", ""),
        event_path=environ.get("GITHUB_EVENT_PATH", ""),
        pull_request=number(asked, "pull-request") if (asked := environ.get("PHASE_GATE_PULL_REQUEST")) else None,
        policy_path=policy_path(environ.get("PHASE_GATE_POLICY_PATH") or POLICY),
        fail_on=_choice(environ, "PHASE_GATE_FAIL_ON", FailOn.NEVER),
        dry_run=_boolean(environ, "PHASE_GATE_DRY_RUN"),
        skip_chatter=_boolean(environ, "PHASE_GATE_SKIP_CHATTER"),
        save_snapshot=_boolean(environ, "PHASE_GATE_SAVE_SNAPSHOT"),
        create_issues=_boolean(environ, "PHASE_GATE_CREATE_ISSUES"),
        comment=_boolean(environ, "PHASE_GATE_COMMENT"),
        annotations=_choice(environ, "PHASE_GATE_ANNOTATIONS", Annotations.LOG),
        base_in_context=_boolean(environ, "PHASE_GATE_BASE_IN_CONTEXT"),
        command=_choice(environ, "PHASE_GATE_COMMAND", Command.GATE),
        summary_path=environ.get("GITHUB_STEP_SUMMARY") or None,
        temp=environ.get("RUNNER_TEMP") or None,
        run_url=f"{place}/actions/runs/{run}" if re.fullmatch(r"[0-9]+", run, re.ASCII) else None,
        help_url=f"{server}/{action[1]}/blob/{action[2]}/docs/summary.md" if action else None,
        again=environ.get("GITHUB_RUN_ATTEMPT", "1") != "1",
        workflow=workflow if re.fullmatch(r"\.github/workflows/[A-Za-z0-9._ -]{1,200}", workflow, re.ASCII) else None,
        retention_days=days,
        notices=assumed,
    )


def repository(value: str, name: str) -> str:
    """A repository as owner/name."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}", value, re.ASCII):
        raise SettingsError(f'{name} is not owner/name: "{value[:100]}"')
    return value


def policy_path(value: str) -> str:
    """A path inside the repository."""
    parts = value.split("/")
    if not re.fullmatch(r"[A-Za-z0-9._/ -]{1,200}", value, re.ASCII) or ".." in parts or value.startswith("/"):
        raise SettingsError(f'policy-path is not a path inside the repository: "{value[:100]}"')
    return value


def number(value: str, name: str) -> int:
    """A positive number."""
    if not value:
        raise SettingsError(f"{name} is missing")
    if not re.fullmatch(r"[1-9][0-9]{0,9}", value, re.ASCII):
        raise SettingsError(f'{name} is not a number: "{value[:100]}"')
    return int(value)


def _input(variable: str) -> str:
    return variable.removeprefix("PHASE_GATE_").lower().replace("_", "-")


def _boolean(environ: Mapping[str, str], variable: str) -> bool:
    value = environ.get(variable) or "false"
    if value not in ("true", "false"):
        raise SettingsError(f'{_input(variable)} is true or false, not "{value[:100]}"')
    return value == "true"


def _choice(environ: Mapping[str, str], variable: str, default: Choice) -> Choice:
    kind, value = type(default), environ.get(variable) or default.value
    try:
        return kind(value)
    except ValueError:
        allowed = ", ".join(item.value for item in kind)
        raise SettingsError(f'{_input(variable)} is one of {allowed}, not "{value[:100]}"') from None
