"""A repository's wiring, in a checkout or from GitHub: workflows, policy, rules, and recent authors.

It also checks what starts the gate: triggers, what wakes it for each reviewer, and the lock of actions.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from phasegate.cli.files import read_text
from phasegate.cli.setup import (
    BY_CHECK,
    BY_SIGNAL,
    EVENTS,
    FOLDER,
    SIGNAL,
    SWEEP,
    TARGET,
    WORKFLOW,
    reviewer_media,
    triggers_of,
)
from phasegate.cli.terminal import Terminal, UsageError
from phasegate.gate import policy_in, reading_plan
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.signal import Medium
from phasegate.model.snapshot import IGNORE_FILE, MISPLACED_POLICIES, PolicyFile, SchemaFile, SharedPolicy
from phasegate.policy.load import default_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.yaml import read_yaml
from phasegate.report.inert import plain
from phasegate.settings import api_from_environ, repository

if TYPE_CHECKING:
    from phasegate.cli.policies import Execution
    from phasegate.github.client.client import Client

JSON = dict[str, Any]
LOCK = f"{FOLDER}/actions.lock"
OWNER_FILES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")  # GitHub takes the first of them
ASIDE = (IGNORE_FILE, LOCK, *OWNER_FILES)
GATE = re.compile(r"[\w.-]+/[\w.-]*phase-gate[\w.-]*@(?P<ref>.+)")
DECIDES, SWEEPS = "gate", "sweep"
SIGNALLED = ("pull_request", "pull_request_review")  # events that a signal workflow passes on to the gate
NEWEST = 5  # open pull requests to look at
UNSAFE = ("pull_request", "pull_request_review", "pull_request_review_comment")
FILTERS = ("paths", "paths-ignore", "branches-ignore", "branches")  # the last may be meant
TRIGGER = BY_SIGNAL.partition(" #")[0]


class Level(str, Enum):
    """The result of a check."""

    WELL = "well"
    NOTE = "note"
    WARNING = "warning"
    WRONG = "wrong"
    UNSEEN = "unseen"


class Finding(NamedTuple):
    """A check's finding, its fix, and a command to copy."""

    level: Level
    message: str
    fix: str = ""
    command: str = ""


well, note, warning, wrong, unseen = (partial(Finding, level) for level in Level)


@dataclass(frozen=True, kw_only=True, slots=True)
class Required:
    """A status required by the branch, by which rule, and from which app if one is named."""

    context: str
    app_id: int | None
    source: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Wiring:
    """Everything seen of a repository. None means that it could not be seen."""

    name: str
    branch: str
    files: Mapping[str, str]
    policy: PolicyFile
    required: tuple[Required, ...] | None = None
    rules: Mapping[str, JSON] | None = None
    pull_request: int | None = None
    posted: Mapping[str, str] | None = None
    comments: tuple[JSON, ...] | None = None
    execution: Execution | None = None

    @property
    def live(self) -> bool:
        """True if GitHub was asked."""
        return self.rules is not None or self.posted is not None or self.comments is not None

    @property
    def rules_of(self) -> Policy:
        """The policy in force; the default one if it is broken."""
        found = policy_in(self.policy)
        return found if isinstance(found, Policy) else default_policy()


def readable(ask: Callable[[], Any]) -> Any:  # noqa: ANN401  (GitHub's answer, of whatever kind)
    """GitHub's answer, or None if this token may not see it."""
    from phasegate.github.client.answers import MissingError, RefusedError  # noqa: PLC0415  (needs HTTP)

    try:
        return ask()
    except (MissingError, RefusedError):
        return None


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


def live(name: str, path: str, branch: str | None, terminal: Terminal, look: Callable[..., Execution]) -> Wiring:
    """The repository from GitHub, using only read permission."""
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
    return replace(wiring, execution=look(client, root, api.rest, told, started(wiring)))


def _content(client: Client, root: str, path: str) -> str | None:
    found = client.find_any(f"{root}/contents/{path}")
    if not isinstance(found, dict) or found.get("type") != "file":
        return None
    return base64.b64decode(found.get("content", "")).decode("utf-8", "replace")


def _rules(client: Client, root: str, branch: str) -> tuple[dict[str, JSON] | None, tuple[Required, ...] | None]:
    """The branch's rules by kind, and everything required by rulesets and branch protection, as far as visible."""
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
    """A job of a workflow. ``step`` is the one that runs the action, if any."""

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
        """The name of its check run."""
        return str(self.job.get("name") or self.id)

    @property
    def inputs(self) -> JSON:
        """The gate's inputs."""
        return object_of((self.step or {}).get("with"))

    @property
    def triggers(self) -> JSON:
        """The events of its workflow, each with its filters."""
        return triggers_of(self.workflow)

    @property
    def names_base(self) -> bool:
        """True if its statuses carry the base branch's name."""
        return str(self.inputs.get("base-in-context")).lower() == "true"


def object_of(value: object) -> JSON:
    """A mapping unchanged; anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def workflows_of(wiring: Wiring) -> dict[str, JSON]:
    """Every readable workflow, by path."""
    documents = {path: read_yaml(text) for path, text in wiring.files.items() if path.startswith(f"{FOLDER}/")}
    return {path: object_of(each.value) for path, each in documents.items() if isinstance(each, Document)}


def jobs_of(wiring: Wiring) -> Iterator[Job]:
    """Every job of every readable workflow."""
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
    """The jobs that sweep on a schedule."""
    return [job for job in jobs_of(wiring) if job.command == SWEEPS and "schedule" in job.triggers]


def signals_of(wiring: Wiring) -> dict[str, JSON]:
    """Workflows whose runs wake the gate, by path, each with its own events."""
    named = {
        str(name)
        for job in gates_of(wiring)
        for name in object_of(job.triggers.get("workflow_run")).get("workflows") or ()
    }
    every = workflows_of(wiring).items()
    return {path: triggers_of(each) for path, each in every if str(each.get("name") or path) in named}


def started(wiring: Wiring) -> dict[str, tuple[str, ...]]:
    """Workflows that the gate needs, each with its starting events."""
    jobs = {job.path: tuple(job.triggers) for job in (*gates_of(wiring), *sweeps_of(wiring))}
    signals = signals_of(wiring).items()
    return jobs | {path: tuple(event for event in events if event in SIGNALLED) for path, events in signals}


# What starts the gate.


def check_triggers(wiring: Wiring) -> Iterator[Finding]:
    """The gate hears of every change of its answer, and never runs a pull request's own copy of itself."""
    gates = gates_of(wiring)
    for job in gates:
        yield from _unsafe(job)
    heard = _heard(gates)
    silent = [event for event in EVENTS if event not in heard]
    if gates and TARGET in silent and _is_signalled(wiring, "pull_request"):
        yield from _without_target(wiring)
        silent.remove(TARGET)
    missing = {event: (EVENTS[event], "it with these types") for event in silent if gates}
    missing |= {
        event: (EVENTS.get(event, set()) - got, "these types") for event, got in heard.items() if got is not None
    }
    for event, (types, what) in missing.items():
        if types:
            yield wrong(f"nothing runs on {event}: {', '.join(sorted(types))}", f"Add {what} to {gates[0].path}.")


def _unsafe(job: Job) -> Iterator[Finding]:
    for event, told in job.triggers.items():
        if event in UNSAFE:
            message = f"{job.path} runs on {event}, with the pull request's own copy of the workflow"
            yield wrong(message, f"Remove it; {TARGET} is the safe one.")
        if event in EVENTS:
            yield from _filtered(job.path, event, told, FILTERS[:-1])
    if "if" in job.job:
        message = f"{job.path}: the job {job.id} has a condition; events that it filters out change no status"
        yield warning(message, "Let every event in; skip-chatter ends irrelevant runs early.")


def _filtered(path: str, event: str, told: JSON, filters: Iterable[str]) -> Iterator[Finding]:
    for each in filters:
        if each in told:
            yield wrong(f"{path}: {each} of {event} leaves pull requests without a status", "Take the filter out.")


def _heard(gates: Iterable[Job]) -> dict[str, set[str] | None]:
    """The types of each event that start a gate; None for all."""
    heard: dict[str, set[str] | None] = {}
    for job in gates:
        for event, told in job.triggers.items():
            types, before = told.get("types"), heard.get(event, set())
            new = None if types is None and event != TARGET else {str(each) for each in types or ()}
            heard[event] = None if new is None or before is None else before | new
    return heard


def _is_signalled(wiring: Wiring, event: str) -> bool:
    """True if a workflow of this repository wakes the gate on an event."""
    runs = (job.triggers["workflow_run"] for job in gates_of(wiring) if "workflow_run" in job.triggers)
    kinds = [object_of(told).get("types") for told in runs]
    heard = any(types is None or {"requested", "completed"} & {str(each) for each in types} for types in kinds)
    return heard and any(event in events for events in signals_of(wiring).values())


def _without_target(wiring: Wiring) -> Iterator[Finding]:
    """The mode without pull_request_target: a signal, a sweep, and statuses that name the base."""
    gates, sweeps = gates_of(wiring), sweeps_of(wiring)
    for path, events in signals_of(wiring).items():
        yield from _filtered(path, "pull_request", object_of(events.get("pull_request")), FILTERS)
    if not sweeps:
        message = f"without {TARGET} an author can silence the signal, and nothing decides what it did not tell"
        yield wrong(message, f"Add {SWEEP}: init --without-target writes it.")
    for job in (each for each in (*gates, *sweeps) if not each.names_base):
        message = f"{job.path}: without {TARGET} a pull request keeps its success when its base branch is changed"
        fix = (
            'Add base-in-context: "true" to the inputs of the action, and require the status with the base in its name.'
        )
        yield wrong(message, fix)
    if sweeps and all(each.names_base for each in (*gates, *sweeps)):
        message = (
            f"a signal and a sweep stand in for {TARGET}: what the signal does not tell is decided within the hour"
        )
        yield note(message)


def check_waking(wiring: Wiring) -> Iterator[Finding]:
    """Something wakes the gate for each medium of the policy's reviewers."""
    gates, media = gates_of(wiring), reviewer_media(wiring.rules_of)
    swept = bool(sweeps_of(wiring))
    if gates and Medium.REVIEW in media and not _is_signalled(wiring, "pull_request_review"):
        late = "is heard up to an hour late" if swept else "is not heard until the next comment or push"
        message = f"the policy names a reviewer that speaks in reviews, and a review {late}"
        fix = (
            f"Add {SIGNAL} (init writes it: on: [pull_request, pull_request_review]), and to {gates[0].path}: {TRIGGER}"
        )
        yield (warning if swept else wrong)(message, fix)
    told = [object_of(job.triggers["check_run"]).get("types") for job in gates if "check_run" in job.triggers]
    by_event = any(types is None or "completed" in types for types in told)
    if gates and Medium.CHECK_RUN in media and not swept:
        message = "the policy names a reviewer that reports in check runs, and nothing wakes the gate for all of these"
        if by_event:
            message = "GitHub starts no workflow for some check runs, such as those of a commit that Actions made"
        fix = f"Add the sweep as {SWEEP}, and for an answer at once to {gates[0].path}: {BY_CHECK}"
        yield (warning if by_event else wrong)(message, fix)


def check_lock(wiring: Wiring) -> Iterator[Finding]:
    """A lock of actions has the gate's pin. GitHub refuses workflows in it that use anything else."""
    text = wiring.files.get(LOCK)
    if text is None:
        return
    lock = workflows_of(wiring).get(LOCK)
    locked = object_of(lock).get("workflows")
    if lock is None or not isinstance(locked, dict) or not isinstance(lock.get("dependencies"), dict):
        yield unseen(f"{LOCK}, which is not of the form that GitHub documents")
        return
    for job in (*gates_of(wiring), *sweeps_of(wiring)):
        used = str(object_of(job.step).get("uses"))
        if not used.startswith("./"):
            yield from _locked(lock, job, used)


def _locked(lock: JSON, job: Job, used: str) -> Iterator[Finding]:
    listed = object_of(lock["workflows"]).get(job.path)
    fix = "Run gh actions-lock again, and commit the file."
    if listed is None:
        yield note(f"{LOCK} does not list {job.path}: where a policy requires a lock, its runs are refused", fix)
        return
    names = {str(each).lower() for each in listed} if isinstance(listed, list) else set()
    known = {str(each).lower() for each in lock["dependencies"]}
    if used.lower() not in names & known:
        yield wrong(f"{LOCK} lacks {plain(used)}, so GitHub refuses the runs of {job.path} (Invalid lockfile)", fix)
