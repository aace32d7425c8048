"""The files of init: workflows, policy, and the Actions policy that lets pull_request_target start the gate."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from phasegate import VERSION
from phasegate.model.contexts import context_name
from phasegate.model.frozen import dataclass
from phasegate.model.signal import OVERALL, Medium
from phasegate.model.snapshot import POLICY
from phasegate.policy.layers import PROFILES, available_profiles
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.yaml import read_yaml
from phasegate.settings import PUBLIC_API

JSON = dict[str, Any]
FOLDER = ".github/workflows"
WORKFLOW = f"{FOLDER}/phase-gate.yml"
SIGNAL = f"{FOLDER}/phase-gate-signal.yml"
SWEEP = f"{FOLDER}/phase-gate-sweep.yml"
ACTIONS_POLICY = ".github/phase-gate-actions-policy.json"
TEMPLATES = Path(__file__).parent / "templates"
TEMPLATE = TEMPLATES / "phase-gate.yml"
TAG = f"v{VERSION}"
PLACEHOLDER = "OWNER/phase-gate@0000000000000000000000000000000000000000"
SIGNAL_NAME = "Phase Gate signal"
TARGET = "pull_request_target"
BY_SIGNAL = (
    f"workflow_run: {{workflows: [{SIGNAL_NAME}], types: [requested]}} # zizmor: ignore[dangerous-triggers] see Forks"
)
BY_CHECK = "check_run: {types: [completed]}"
BASE_IN_CONTEXT = 'base-in-context: "true"'
EVENT_RULE = "restrict_action_events"
HEADS = {
    WORKFLOW: """\
# Phase Gate decides about pull requests and sets the status that the branch should require.
# It checks nothing out and runs nothing of the pull request: keep it so, and add no other step to this job.
""",
    SIGNAL: """\
# Wakes Phase Gate when a pull request or a review changes. It does nothing itself: keep it so, for a pull request
# runs its own copy of this file.
""",
    SWEEP: """\
# Every hour Phase Gate decides the pull requests that changed without an event.
""",
}
WATCHING = "statuses: read # the current statuses; nothing is written while dry-run is true"
READS_CHECKS = "checks: read # the check runs of reviewers"

# What init writes is what doctor asks for: the types of each event that change the answer, and the rights of the job.
_WRITTEN: Any = read_yaml(TEMPLATE.read_text(encoding="utf-8"))
_OPTIONAL = {"typed", "untyped", "checks_requested"}  # for policies that go by types, and branches with a queue
EVENTS: dict[str, set[str]] = {
    event: types for event, told in _WRITTEN.value["on"].items() if (types := {*told.get("types", ())} - _OPTIONAL)
}
NEEDED: dict[str, str] = _WRITTEN.value["jobs"]["gate"]["permissions"]

APP, ONE, PEOPLE = "app", "one", "people"


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """An account that agents post with, or a built-in reviewer: GitHub's knowledge of it, and its roles."""

    login: str
    roles: tuple[str, ...] = ()
    id: int | None = None
    app_id: int | None = None
    reviewer: str = ""

    @property
    def entry(self) -> str:
        """Its line in the policy."""
        if self.reviewer:
            return f"{{format: {self.reviewer}}}"
        parts = [f'login: "{self.login}"']
        parts += [f"{name}: {value}" for name, value in (("id", self.id), ("app_id", self.app_id)) if value]
        return "{" + ", ".join([*parts, f"roles: [{', '.join(self.roles)}]"]) + "}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """The setup that the user wants, and what could not be found out.

    Of several named reviewers ``need`` are enough; 0 means all. ``released``: the commit is known to be that of
    ``TAG``. ``shielded``: GitHub does not block ``pull_request_target`` by default here, because the repository is not
    public or the server has no such default. ``media``: where the policy's reviewers speak. ``api``: the address of
    GitHub's API, if it is not github.com's.
    """

    repository: str | None
    profile: str
    posting: str
    agents: tuple[Agent, ...]
    need: int = 0
    action: str | None
    commit: str | None
    watch: bool
    target: bool
    one_human: bool = False
    extends: bool = False
    floor: str | None = None  # the policy that raises the organisation's
    branch: str | None = None
    released: bool = False
    shielded: bool = False
    media: frozenset[Medium] = frozenset()
    api: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def host(self) -> str | None:
        """The name that gh uses for a GitHub other than github.com, or None."""
        return host_of(self.api)

    @property
    def signal(self) -> bool:
        """True if a signal workflow wakes the gate."""
        return not self.target or Medium.REVIEW in self.media

    @property
    def sweep(self) -> bool:
        """True if some changes raise no reliable event."""
        return not self.target or Medium.CHECK_RUN in self.media

    @property
    def context(self) -> str:
        """The status to require."""
        if not self.target and self.branch is None:
            return f"{OVERALL}: BRANCH"
        return context_name(base=None if self.target else self.branch)


def host_of(api: str | None) -> str | None:
    """The name that gh uses for an API's server, or None for github.com."""
    return None if api in (None, PUBLIC_API) else urlsplit(str(api)).netloc.removeprefix("api.")


def reviewer_media(policy: Policy) -> frozenset[Medium]:
    """Media in which reviewers named by a format may fill a seat."""
    seats = {name for phase in policy.phases if phase.enabled for name in phase.every_seat}
    return frozenset(medium for name in seats if policy.role(name).only_named for medium in policy.role(name).media)


def workflows(wanted: Wanted) -> dict[str, str]:
    """The workflows by path, tested, with the pin filled in."""
    texts = {WORKFLOW: _gate(wanted)}
    if wanted.signal:
        text = (TEMPLATES / "phase-gate-signal.yml").read_text(encoding="utf-8")
        texts[SIGNAL] = re.sub(r"  pull_request: .*\n", "", text) if wanted.target else text
    if wanted.sweep:
        texts[SWEEP] = _decides((TEMPLATES / "phase-gate-sweep.yml").read_text(encoding="utf-8"), wanted)
    return {path: HEADS[path] + text for path, text in texts.items()}


def _gate(wanted: Wanted) -> str:
    """The gate's own workflow. In its groups no run replaces a waiting one of another pull request."""
    text = TEMPLATE.read_text(encoding="utf-8")
    for needed, trigger, number in (
        (wanted.signal, BY_SIGNAL, "github.event.workflow_run.head_sha"),
        (Medium.CHECK_RUN in wanted.media, BY_CHECK, "github.event.check_run.head_sha"),
    ):
        if needed:
            text = text.replace("  workflow_dispatch:", f"  {trigger}\n  workflow_dispatch:")
            text = text.replace("|| inputs.number", f"|| {number} || inputs.number")
    if not wanted.target:
        text = re.sub(rf"  {TARGET}: .*\n", "", text).replace("github.event.number || ", "")
    return _decides(text, wanted)


def _decides(text: str, wanted: Wanted) -> str:
    """A workflow that uses the action, with its pin, permissions and inputs."""
    used = re.search(rf"{re.escape(PLACEHOLDER)} # .*", text)
    assert used  # noqa: S101  (the template is ours)
    if wanted.action and wanted.commit:
        text = text.replace(used[0], f"{wanted.action}@{wanted.commit}{f' # {TAG}' if wanted.released else ''}")
    elif wanted.action:
        text = text.replace(PLACEHOLDER, f"{wanted.action}@{PLACEHOLDER.partition('@')[2]}")
    if Medium.CHECK_RUN in wanted.media:
        text = text.replace("      contents: read", f"      {READS_CHECKS}\n      contents: read")
    if wanted.watch:
        text = re.sub(r"statuses: write # .*", WATCHING, text)
        text = text.replace("with: {", "with: {dry-run: true, ")
    return text if wanted.target else re.sub("(with: {.*)}", rf"\1, {BASE_IN_CONTEXT}}}", text)


def profiles() -> dict[str, str]:
    """The profiles by name, each with its first line as description."""
    heads = {
        name: (PROFILES / f"{name}.yml").read_text(encoding="utf-8").partition("\n")[0] for name in available_profiles()
    }
    return {name: head.partition(": ")[2].rstrip(".") for name, head in heads.items()}


def policy_text(wanted: Wanted) -> str:
    """The gate's policy."""
    return "".join(f"{line}\n" for line in _policy_lines(wanted))


def _policy_lines(wanted: Wanted) -> Iterator[str]:
    yield "# The rules that pull requests are judged by, read from the default branch, never from a pull request."
    yield f"# Check a change with Phase Gate's command: lint {POLICY}"
    yield "version: 1"
    if wanted.extends:
        yield "extends: organisation # the policy in its .github repository; the keys here may only ask for more"
    else:
        yield f"profile: {wanted.profile} # {profiles()[wanted.profile]}"
    if wanted.posting == ONE:
        yield "# One account for everything: form, order, completeness and freshness are checked, independence is not."
        yield "solo: true"
    elif wanted.agents and all(agent.reviewer for agent in wanted.agents):
        yield f"agents: {{accounts: [{', '.join(agent.entry for agent in wanted.agents)}]}}"
    elif wanted.agents:
        yield "agents:"
        yield "  only: false # true: nobody but the accounts below speaks as an agent, not even with write permission"
        yield "  accounts: # an app or a bot counts only if it is named here; ids tell it from one with a similar login"
        yield from (f"    - {agent.entry}" for agent in wanted.agents)
    elif not wanted.extends:
        yield "# People with write permission may speak as agents. An app or a bot counts only if it is named:"
        yield '# agents: {accounts: [{login: "runner[bot]", id: 1, app_id: 2, roles: [...]}]}'
    names = [agent.reviewer for agent in wanted.agents if agent.reviewer]
    if len(names) > 1:
        group = f"{{any: [{', '.join(names)}], need: {wanted.need or len(names) - 1}}}"
        line = f"phases: {{build: {{roles: [{group}]}}}} # enough of them; a finding of any still holds the merge"
        yield line if wanted.need else f"# {line}"
    if wanted.posting != ONE and not wanted.media:
        yield "# verdicts: {distinct_accounts: true} # makers, challengers and confirmers need an account each"
    if wanted.one_human:
        yield "humans: {author_may_approve: true} # one person opens the pull requests and also approves them"


def triggers_of(workflow: Mapping[str, Any]) -> JSON:
    """The events of a workflow, each with its filters."""
    told = workflow.get("on")
    names = [told] if isinstance(told, str) else told if isinstance(told, list) else []
    named = told if isinstance(told, dict) else {}
    filters = {str(name): value if isinstance(value, dict) else {} for name, value in named.items()}
    return {str(name): {} for name in names} or filters


def triggers_in(text: str) -> JSON:
    """The events of a workflow's text; empty if unreadable."""
    document = read_yaml(text)
    return triggers_of(document.value) if isinstance(document, Document) and isinstance(document.value, dict) else {}


def event_policy(events: Iterable[str], path: str = WORKFLOW) -> JSON:
    """The Actions policy that lets only these events start the gate's workflow, in the API's form."""
    return {
        "name": OVERALL,
        "enforcement": "active",
        "conditions": {"workflow_path": {"include": [path], "exclude": []}},
        "rules": [{"type": EVENT_RULE, "parameters": {"allowed_events": sorted(events)}}],
    }


def policy_to_import(events: Iterable[str]) -> str:
    """The same as a file for the form in the settings, which needs two more keys than the API."""
    told = event_policy(events)
    return json.dumps({"name": told.pop("name"), "target": "actions", **told, "bypass_actors": []}, indent=2) + "\n"


def event_policy_command(events: Iterable[str], name: str | None, host: str | None = None, path: str = WORKFLOW) -> str:
    """The command that creates the policy, to be copied. Without a name gh uses the clone's repository."""
    where = shlex.quote(f"repos/{name or '{owner}/{repo}'}/actions/policies")
    server = f"--hostname {shlex.quote(host)} " if host else ""
    return f"echo {shlex.quote(json.dumps(event_policy(events, path)))} | gh api {server}-X POST {where} --input -"
