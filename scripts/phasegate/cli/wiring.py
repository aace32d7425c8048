"""The wiring of a repository, in a checkout or as GitHub tells it: workflows, policy, rules, and who spoke last."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from phasegate.cli import policies
from phasegate.cli.files import read_text
from phasegate.cli.policies import readable
from phasegate.cli.setup import FOLDER, WORKFLOW, triggers_of
from phasegate.cli.terminal import Terminal, UsageError
from phasegate.gate import policy_in, reading_plan
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.snapshot import IGNORE_FILE, MISPLACED_POLICIES, PolicyFile, SchemaFile, SharedPolicy
from phasegate.policy.load import default_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.yaml import read_yaml
from phasegate.settings import api_from_environ, repository

if TYPE_CHECKING:
    from phasegate.github.client.client import Client

JSON = dict[str, Any]
LOCK = f"{FOLDER}/actions.lock"
OWNER_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # GitHub takes the first of them
ASIDE = (IGNORE_FILE, LOCK, *OWNER_FILES)
GATE = re.compile(r"[\w.-]+/[\w.-]*phase-gate[\w.-]*@(?P<ref>.+)")
DECIDES, SWEEPS = "gate", "sweep"
SIGNALLED = ("pull_request", "pull_request_review")  # what a signal workflow tells the gate of
NEWEST = 5  # open pull requests that are looked at


class Level(str, Enum):
    """How a check ended."""

    WELL = "well"
    NOTE = "note"
    WARNING = "warning"
    WRONG = "wrong"
    UNSEEN = "unseen"


class Finding(NamedTuple):
    """What a check found, how to fix it, and the line that does, to be copied."""

    level: Level
    message: str
    fix: str = ""
    command: str = ""


well, note, warning, wrong, unseen = (partial(Finding, level) for level in Level)


@dataclass(frozen=True, kw_only=True, slots=True)
class Required:
    """A status that the branch requires, by which rule, and from which app where one is named."""

    context: str
    app_id: int | None
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    """All that was seen of a repository; what is none could not be seen."""

    name: str
    branch: str
    files: Mapping[str, str]
    policy: PolicyFile
    required: tuple[Required, ...] | None = None
    rules: Mapping[str, JSON] | None = None
    pull_request: int | None = None
    posted: Mapping[str, str] | None = None
    comments: tuple[JSON, ...] | None = None
    execution: policies.Execution | None = None

    @property
    def live(self) -> bool:
        """Whether GitHub was asked."""
        return self.rules is not None or self.posted is not None or self.comments is not None

    @property
    def rules_of(self) -> Policy:
        """The policy in force; the default one stands in for one that is broken."""
        found = policy_in(self.policy)
        return found if isinstance(found, Policy) else default_policy()


def _policy_file(
    path: str, files: Mapping[str, str], read: Callable[[str], str | None], shared: SharedPolicy | None = None
) -> PolicyFile:
    text = files.get(path)
    if text is None:
        misplaced = tuple(each for each in MISPLACED_POLICIES if each in files)
        return PolicyFile(path=path, misplaced=misplaced, shared=shared)
    held = PolicyFile(path=path, text=text, digest=text_digest(text), shared=shared)
    schemas = tuple(SchemaFile(path=each, text=read(each)) for each in reading_plan(held).schemas)
    return replace(held, schemas=schemas)


def checkout(folder: Path, path: str, branch: str | None) -> Wiring:
    """A checkout of the default branch."""
    if not folder.is_dir():
        raise UsageError(f"--dir {folder}: no such folder")

    def read(name: str) -> str | None:
        file = folder / name
        return read_text(file, "--dir") if file.is_file() and not file.is_symlink() else None

    workflows = sorted(file for file in (folder / FOLDER).glob("*.y*ml") if file.is_file() and not file.is_symlink())
    names = [path, *ASIDE, *(f"{FOLDER}/{file.name}" for file in workflows)]
    names += () if (folder / path).is_file() else MISPLACED_POLICIES
    files = {name: text for name in names if (text := read(name)) is not None}
    policy = _policy_file(path, files, read)
    return Wiring(name=str(folder), branch=branch or "the default branch", files=files, policy=policy)


def live(name: str, path: str, branch: str | None, terminal: Terminal) -> Wiring:
    """The repository as GitHub tells it, with no permission but reading."""
    from phasegate.github.client.client import make_client  # noqa: PLC0415  (needs HTTP)
    from phasegate.github.reading.opening import policy_alone  # noqa: PLC0415  (as above)

    api = api_from_environ(terminal.environ)
    client, root = make_client(api), f"/repos/{repository(name, '--repo')}"
    told = client.get(root)
    base = branch or str(told["default_branch"])
    read = partial(_content, client, root)
    listed = client.find_any(f"{root}/contents/{FOLDER}")
    entries = [str(each["path"]) for each in listed if each["type"] == "file"] if isinstance(listed, list) else []
    names = [path, *ASIDE, *(each for each in entries if each.endswith((".yml", ".yaml")))]
    texts = client.together({each: partial(read, each) for each in names})
    if texts[path] is None:
        texts |= client.together({each: partial(read, each) for each in MISPLACED_POLICIES})
    files = {each: text for each, text in texts.items() if text is not None}
    pulls = readable(lambda: client.page(f"{root}/pulls", state="open", base=base, per_page=NEWEST))
    rules, required = _rules(client, root, base)
    newest = pulls[0] if pulls else None
    talks = (
        readable(partial(client.pages, f"{root}/issues/{each['number']}/comments", per_page=100))
        for each in pulls or ()
    )
    commit = newest["head"]["sha"] if newest else ""
    told_on = readable(lambda: client.pages(f"{root}/commits/{commit}/statuses", per_page=100)) if newest else None
    writers = ((each["context"].lower(), (each["creator"] or {}).get("login", "")) for each in reversed(told_on or ()))
    wiring = Wiring(
        name=name,
        branch=base,
        files=files,
        policy=_policy_file(path, files, read, policy_alone(client, name, path).shared),
        required=required,
        rules=rules,
        pull_request=newest and newest["number"],
        posted=None if told_on is None else dict(writers),  # of the latest status of each context
        comments=None if pulls is None else tuple(comment for talk in talks for comment in talk or ()),
    )
    return replace(wiring, execution=policies.look(client, root, api.rest, told, started(wiring)))


def _content(client: Client, root: str, path: str) -> str | None:
    found = client.find_any(f"{root}/contents/{path}")
    if not isinstance(found, dict) or found.get("type") != "file":
        return None
    return base64.b64decode(found.get("content", "")).decode("utf-8", "replace")


def _rules(client: Client, root: str, branch: str) -> tuple[dict[str, JSON] | None, tuple[Required, ...] | None]:
    """The rules of the branch by kind, and what both rulesets and branch protection require, as far as it is told."""
    told = readable(lambda: client.pages(f"{root}/rules/branches/{quote(branch)}"))
    classic = readable(lambda: client.get(f"{root}/branches/{quote(branch)}"))
    if told is None and classic is None:
        return None, None
    required = []
    for rule in told or ():
        if rule["type"] == "required_status_checks":
            source = f"ruleset {rule['ruleset_id']}"
            checks = rule["parameters"]["required_status_checks"]
            required += [
                Required(context=each["context"], app_id=each.get("integration_id"), source=source) for each in checks
            ]
    protected = ((classic or {}).get("protection") or {}).get("required_status_checks") or {}
    if protected.get("enforcement_level") != "off":
        apps = {each["context"]: each["app_id"] for each in protected.get("checks", ())}
        for context in dict.fromkeys((*protected.get("contexts", ()), *apps)):
            required.append(Required(context=context, app_id=apps.get(context), source="branch protection"))
    kinds = {rule["type"]: rule.get("parameters") or {} for rule in told or ()}
    return kinds, tuple(required) if told is not None or required else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """A job of a workflow; ``step`` is the one that runs the action, if any does."""

    path: str
    id: str
    workflow: JSON
    job: JSON
    step: JSON | None

    @property
    def command(self) -> str | None:
        """What the action does in it."""
        return None if self.step is None else str(self.inputs.get("command", DECIDES))

    @property
    def name(self) -> str:
        """What its check run is called."""
        return str(self.job.get("name") or self.id)

    @property
    def inputs(self) -> JSON:
        """What the gate is told."""
        return object_of((self.step or {}).get("with"))

    @property
    def triggers(self) -> JSON:
        """The events of its workflow, each with its filters."""
        return triggers_of(self.workflow)

    @property
    def names_base(self) -> bool:
        """Whether the statuses that it writes carry the name of the base branch."""
        return str(self.inputs.get("base-in-context")).lower() == "true"


def object_of(value: object) -> JSON:
    """A mapping as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def workflows_of(wiring: Wiring) -> dict[str, JSON]:
    """Every workflow that can be read, by its path."""
    documents = {path: read_yaml(text) for path, text in wiring.files.items() if path.startswith(f"{FOLDER}/")}
    return {path: object_of(each.value) for path, each in documents.items() if isinstance(each, Document)}


def jobs_of(wiring: Wiring) -> Iterator[Job]:
    """Every job of every workflow that can be read."""
    for path, workflow in workflows_of(wiring).items():
        for name, job in object_of(workflow.get("jobs")).items():
            steps = [object_of(step) for step in object_of(job).get("steps") or ()]
            used = ((step, str(step.get("uses", ""))) for step in steps)
            own = path == WORKFLOW
            step = next((step for step, uses in used if GATE.fullmatch(uses) or (own and uses.startswith("./"))), None)
            yield Job(path=path, id=name, workflow=workflow, job=object_of(job), step=step)


def gates_of(wiring: Wiring) -> list[Job]:
    """The jobs that run the gate."""
    return [job for job in jobs_of(wiring) if job.command == DECIDES]


def sweeps_of(wiring: Wiring) -> list[Job]:
    """The jobs that decide on a schedule what no event told."""
    return [job for job in jobs_of(wiring) if job.command == SWEEPS and "schedule" in job.triggers]


def signals_of(wiring: Wiring) -> dict[str, JSON]:
    """The workflows whose runs wake the gate, by their paths, each with its own events."""
    named = {
        str(name)
        for job in gates_of(wiring)
        for name in object_of(job.triggers.get("workflow_run")).get("workflows") or ()
    }
    every = workflows_of(wiring).items()
    return {path: triggers_of(each) for path, each in every if str(each.get("name") or path) in named}


def started(wiring: Wiring) -> dict[str, tuple[str, ...]]:
    """The workflows that the gate needs, each with the events that start it."""
    jobs = {job.path: tuple(job.triggers) for job in (*gates_of(wiring), *sweeps_of(wiring))}
    signals = signals_of(wiring).items()
    return jobs | {path: tuple(event for event in events if event in SIGNALLED) for path, events in signals}
