"""Actions policies: the events and actors that GitHub lets start a workflow, and the runs that show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from phasegate.cli.setup import EVENT_RULE, TARGET, event_policy_command, host_of
from phasegate.cli.wiring import (
    JSON,
    Finding,
    Job,
    Level,
    Wiring,
    gates_of,
    note,
    readable,
    started,
    unseen,
    warning,
    well,
    wrong,
)
from phasegate.model.frozen import dataclass, replace
from phasegate.report.inert import plain

if TYPE_CHECKING:
    from phasegate.github.client.client import Client

ENFORCED = "2026-11-02T00:00:00Z"  # from here on GitHub blocks pull_request_target by default
SETTINGS = "Settings, Actions, Policies"
ACTOR_RULE = "restrict_actions_actors"
EVERYTHING = "~ALL"
ENFORCEMENTS = ("active", "evaluate", "disabled")
ACTIVE, _, DISABLED = ENFORCEMENTS
LEVELS = {"Repository": "repository", "Organization": "organization", "Enterprise": "enterprise"}
# Where an inherited policy may be read; anything else that an answer calls its address is not asked.
OWN_ADDRESS = re.compile(r"/(orgs|enterprises|repos/[\w.-]+)/[\w.-]+/actions/policies/[0-9]{1,18}", re.ASCII)
FIRST_SERVER = (3, 23)  # the first GitHub Enterprise Server with Actions policies
VERSION = re.compile(r"(?P<major>[0-9]{1,4})\.(?P<minor>[0-9]{1,4})(\..*)?", re.ASCII)
LARGEST_PAGE, MOST_PAGES = 100, 20
NEWEST_RUNS = 10
MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", re.ASCII)
REFUSED = "startup_failure"
BEGAN = ("success", "failure")
TELLING = (REFUSED, *BEGAN)
FOLDERS, STARS = "**/", ("**",)
TOKENS = re.compile(r"\*\*/|\*\*|.", re.DOTALL)
UNCLEAR = set("[]{}!\\")  # wildcards that GitHub may know but does not document
SAID = 60  # characters of a foreign name


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionsPolicy:
    """A policy that applies to the repository: its origin, the paths it covers, and what it allows.

    ``events``: one list for each rule about events. ``actors``: true if it has a rule about actors.
    """

    name: str
    level: str
    source: str
    enforcement: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    events: tuple[frozenset[str], ...] = ()
    actors: bool = False
    others: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name for people."""
        return f'the policy "{plain(self.name, SAID)}" of the {self.level} {plain(self.source, SAID)}'

    def covers(self, path: str) -> bool | None:
        """True if it covers a workflow; None if its patterns are ambiguous."""
        taken = {_fits(pattern, path) for pattern in self.include} or {True}
        left_out = {_fits(pattern, path) for pattern in self.exclude}
        if True in left_out or taken == {False}:
            return False
        return True if True in taken and None not in left_out else None


def _fits(pattern: str, path: str) -> bool | None:
    """True if a pattern matches a path; None if GitHub does not document how it reads the pattern."""
    if pattern in (EVERYTHING, path):
        return True
    if UNCLEAR & set(pattern):
        return None
    narrow, wide = (_matches(TOKENS.findall(pattern), path, crosses) for crosses in (STARS, (*STARS, "*")))
    return narrow if narrow == wide else None


def _matches(tokens: Iterable[str], path: str, crosses: tuple[str, ...]) -> bool:
    """True if a pattern ends where a path does. Some of its wildcards cross slashes."""
    places, last = {0}, len(path)
    for token in tokens:
        ways = ((at, end) for at in places for end in range(at, last + 1))
        if token == FOLDERS:
            places |= {end + 1 for _, end in ways if path[end : end + 1] == "/"}
        elif token in crosses:
            places = set(range(min(places, default=last + 1), last + 1))
        elif token == "*":
            places = {end for at, end in ways if "/" not in path[at:end]}
        else:
            places = {
                at + 1 for at in places if at < last and (path[at] == token or (token == "?" and path[at] != "/"))
            }
    return last in places


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The newest finished run of a workflow on an event. ``jobs`` is None if unreadable."""

    conclusion: str
    at: str
    url: str
    jobs: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """What GitHub lets start here.

    ``policies`` is None if this token may not read them. Then ``runs`` has the newest finished run by path and event,
    or None, and ``under_way`` those with only unfinished runs. ``odd``: answers in an undocumented form. ``now``:
    GitHub's time. ``host``: the name that gh uses for the server, unless it is github.com.
    """

    visibility: str
    server: str | None
    policies: tuple[ActionsPolicy, ...] | None = None
    why: str = ""
    odd: tuple[str, ...] = ()
    runs: Mapping[tuple[str, str], Run | None] | None = None
    under_way: frozenset[tuple[str, str]] = frozenset()
    now: str = ""
    host: str | None = None

    @property
    def without_policies(self) -> bool:
        """True if the server is too old for Actions policies."""
        told = VERSION.fullmatch(self.server or "")
        return told is not None and (int(told["major"]), int(told["minor"])) < FIRST_SERVER

    @property
    def blocks_by_default(self) -> bool:
        """True if GitHub blocks ``pull_request_target`` here unless a policy covers it."""
        return self.server is None and self.visibility not in ("private", "internal")


class OddError(Exception):
    """An answer in a form that GitHub does not document."""


def look(client: Client, root: str, rest: str, told: JSON, workflows: Mapping[str, Iterable[str]]) -> Execution:
    """A repository's Actions policies and, if these are not enough, its workflows' runs."""
    from phasegate.github.client.answers import RefusedError  # noqa: PLC0415  (needs HTTP)

    meta = client.find_any("/meta")
    installed = meta.get("installed_version") if isinstance(meta, dict) else None
    private = "private" if told.get("private") is True else "public"
    seen = Execution(
        visibility=str(told.get("visibility") or private),
        server=None if installed is None else str(installed)[:SAID],
        host=host_of(rest),
    )
    if seen.without_policies:
        return replace(seen, policies=())
    try:
        listed = _listed(client, root)
        why = "" if listed is not None else "GitHub answered 404 (only an administrator sees them)"
    except RefusedError:
        listed, why = None, "GitHub answered 403 (it takes Administration: write)"
    except OddError as error:
        listed, why = None, "the list could not be understood"
        seen = replace(seen, odd=(str(error),))
    if listed is not None:
        read = [_policy(client, root, rest, item) for item in listed]
        found = tuple(each for each in read if isinstance(each, ActionsPolicy) and each.enforcement != DISABLED)
        seen = replace(seen, policies=found, odd=tuple(each for each in read if isinstance(each, str)))
        if not seen.odd and not any(each.covers(path) is None for each in found for path in workflows):
            return seen
    return _with_runs(replace(seen, why=why), client, root, workflows)


def _listed(client: Client, root: str) -> list[JSON] | None:
    """Every policy in the list; None if there is no list."""
    listed: list[JSON] = []
    for page in range(1, MOST_PAGES + 1):
        told = client.find_any(f"{root}/actions/policies", per_page=LARGEST_PAGE, page=page)
        if told is None:
            return None
        items, total = (told.get("policies"), told.get("total_count")) if isinstance(told, dict) else (None, None)
        sound = isinstance(items, list) and all(isinstance(each, dict) for each in items)
        if not sound or not isinstance(items, list) or not isinstance(total, int):
            raise OddError("the list of Actions policies is not of the form that GitHub documents")
        listed += items
        if len(listed) >= total:
            return listed
        if not items:
            raise OddError(f"only {len(listed)} of {total} Actions policies were listed")
    raise OddError(f"more than {LARGEST_PAGE * MOST_PAGES} Actions policies")


def _policy(client: Client, root: str, rest: str, item: JSON) -> ActionsPolicy | str:
    """A policy in full, since a list may omit the rules, or what is odd about it.

    An inherited one is read where it belongs.
    """
    name, number = plain(str(item.get("name")), SAID), item.get("id")
    path = f"{root}/actions/policies/{number}"
    disabled = item.get("enforcement") == DISABLED
    try:
        if not disabled and item.get("source_type") != "Repository":
            address = str(item["_links"]["self"]["href"])
            path = address.removeprefix(rest)
            if not address.startswith(f"{rest}/") or not OWN_ADDRESS.fullmatch(path):
                return f'the policy "{name}" has an address that is not one of this API, which was not asked'
        told = item if disabled else readable(lambda: client.find_any(path))
        if told is None:
            return f'the policy "{name}" of {plain(str(item.get("source")), SAID)} applies here and may not be read'
        if not isinstance(told, dict) or told.get("id") != number:
            return f'the answer for the policy "{name}" is not of the form that GitHub documents'
        return _made({**item, **told})
    except (AttributeError, LookupError, TypeError, ValueError):
        return f'the policy "{name}" is not of the form that GitHub documents'


def _made(told: JSON) -> ActionsPolicy:
    """A policy in the documented form. Any other form raises an exception."""
    paths = told.get("conditions", {}).get("workflow_path", {"include": [], "exclude": []})
    kinds = [(str(rule["type"]), rule["parameters"]) for rule in told.get("rules", [])]
    return ActionsPolicy(
        name=str(told.get("name")),
        level=LEVELS[told["source_type"]],
        source=str(told.get("source")),
        enforcement=ENFORCEMENTS[ENFORCEMENTS.index(told["enforcement"])],
        include=_texts(paths["include"]),
        exclude=_texts(paths["exclude"]),
        events=tuple(frozenset(_texts(given["allowed_events"])) for kind, given in kinds if kind == EVENT_RULE),
        actors=any(kind == ACTOR_RULE for kind, _ in kinds),
        others=tuple(kind for kind, _ in kinds if kind not in (EVENT_RULE, ACTOR_RULE)),
    )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise TypeError("a list of texts is wanted")
    return tuple(value)


def _with_runs(seen: Execution, client: Client, root: str, workflows: Mapping[str, Iterable[str]]) -> Execution:
    """The newest finished run of each workflow and event, preferring informative ones to cancelled ones."""
    asked = {
        (path, event): partial(_runs, client, f"{root}/actions/workflows/{quote(PurePosixPath(path).name)}/runs", event)
        for path, events in workflows.items()
        for event in events
    }
    found = client.together(asked)
    runs: dict[tuple[str, str], Run | None] = {}
    for key, listed in found.items():
        ended = [run for run in listed if isinstance(run.get("conclusion"), str)]
        newest = next((run for run in ended if run["conclusion"] in TELLING), ended[0] if ended else None)
        runs[key] = None if newest is None else _run(client, root, newest)
    there = client.there(client.now())
    now = "" if there is None else datetime.fromtimestamp(there, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    under_way = frozenset(key for key, run in runs.items() if run is None and found[key])
    return replace(seen, runs=runs, under_way=under_way, now=now)


def _runs(client: Client, path: str, event: str) -> list[JSON]:
    """The newest runs of a workflow on an event; empty if invisible."""
    told = readable(lambda: client.find_any(path, event=event, per_page=NEWEST_RUNS))
    runs = told.get("workflow_runs") if isinstance(told, dict) else None
    return [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []


def _run(client: Client, root: str, run: JSON) -> Run:
    """A finished run and, if it did not start, whether it had jobs."""
    at, url = (str(run.get(key)) for key in ("created_at", "html_url"))
    told = None
    if run["conclusion"] == REFUSED and isinstance(run.get("id"), int):
        told = readable(lambda: client.find_any(f"{root}/actions/runs/{run['id']}/jobs", per_page=1))
    jobs = told.get("total_count") if isinstance(told, dict) else None
    jobs = jobs if isinstance(jobs, int) else None
    return Run(conclusion=run["conclusion"], at=at if MOMENT.fullmatch(at) else "", url=plain(url), jobs=jobs)


# What of it refuses or allows the gate.


def check_event_policy(wiring: Wiring) -> Iterator[Finding]:
    """GitHub lets every event that the gate needs start its workflows."""
    seen, workflows = wiring.execution, started(wiring)
    if not gates_of(wiring):
        return
    if seen is None:
        yield unseen(f"whether GitHub lets {TARGET} start the gate", "Ask with --repo OWNER/NAME.")
        return
    if seen.without_policies:
        yield well(f"GitHub Enterprise Server {plain(str(seen.server))} has no Actions policies")
        return
    for odd in seen.odd:
        yield unseen(odd, f"Look at it in {SETTINGS}.")
    found = [finding for policy in seen.policies or () for finding in _of_policy(policy, workflows)]
    yield from found
    if any(each.level is Level.WRONG for each in found):
        return
    if seen.runs is not None:
        yield from _of_runs(wiring, seen)
    else:
        yield from _allowed(wiring, seen)


def _of_policy(policy: ActionsPolicy, workflows: dict[str, tuple[str, ...]]) -> Iterator[Finding]:
    if policy.enforcement != ACTIVE:
        yield note(f"{policy.title} is only evaluated: it neither allows nor refuses yet")
        return
    covered = {path: policy.covers(path) for path in workflows}
    if not policy.events and not policy.actors and True in covered.values():
        known = f"only rules that doctor does not know ({', '.join(map(plain, policy.others))})"
        other = known if policy.others else "no rules"
        yield note(f"{policy.title} has {other}: no event is allowed by it")
    for path in (path for path, told in covered.items() if told is None):
        patterns = ", ".join(plain(each) for each in (*policy.include, *policy.exclude))
        yield unseen(f"whether {policy.title} is about {path}, by its patterns {patterns}")
    for path in (path for path, told in covered.items() if told):
        lacking = sorted({event for allowed in policy.events for event in workflows[path] if event not in allowed})
        if lacking:
            own = policy.level == "repository"
            fix = (
                f"Ask an owner of the {policy.level} {plain(policy.source)} to allow it: a policy of the repository "
                "cannot. Or use init --without-target."
            )
            fix = f"Add it to the policy ({SETTINGS})." if own else fix
            message = f"{policy.title} does not allow {', '.join(lacking)}, so GitHub refuses such runs of {path}"
            yield wrong(message, fix)
    if policy.actors and any(told is not False for told in covered.values()):
        message = f"{policy.title} lists who may start runs: others' pushes, retargets and comments start none"
        yield warning(message, f"Remove its rule about actors for these workflows ({SETTINGS}), or add the sweep.")


def _allowed(wiring: Wiring, seen: Execution) -> Iterator[Finding]:
    """Whether a policy allows the event blocked by default, if every policy is known and none refuses it."""
    blocked = f"GitHub blocks {TARGET} by default"
    for job in gates_of(wiring):
        active = (each for each in seen.policies or () if each.enforcement == ACTIVE and each.events)
        policy = next((each for each in active if each.covers(job.path)), None)
        if TARGET not in job.triggers:
            yield well(f"no policy refuses what starts {job.path}")
        elif policy is not None:
            yield well(f"{policy.title} lets every event start {job.path}")
        elif seen.blocks_by_default:
            message = f"{blocked} in public repositories, and no Actions policy allows it for {job.path}"
            yield wrong(message, f"An administrator allows it ({SETTINGS}), or runs this line:", _command(wiring, job))
        else:
            where = f"{seen.visibility} repositories" if seen.server is None else "GitHub Enterprise Server"
            yield well(f"{blocked} in public repositories on github.com, not in {where}")


def _command(wiring: Wiring, job: Job) -> str:
    host = wiring.execution.host if wiring.execution else None
    return event_policy_command(job.triggers, wiring.name, host, job.path)


def _of_runs(wiring: Wiring, seen: Execution) -> Iterator[Finding]:
    """What the newest runs show, if not all policies were readable."""
    runs = seen.runs or {}
    unread = f"the Actions policies cannot be read: {seen.why}"
    unread = unread if seen.why else "not all Actions policies could be judged"
    refused = [(key, run) for key, run in runs.items() if run is not None and run.conclusion == REFUSED]
    for (path, event), run in refused:
        sure = run.jobs == 0
        what = "was refused before it began" if sure else "did not start"
        message = f"the newest run of {path} on {event} {what} ({REFUSED}{', no job' if sure else ''}): {run.url}"
        fix = f"Its page says why. If a policy does, change it ({SETTINGS}), or ask an owner of the organization to."
        job = next((job for job in gates_of(wiring) if job.path == path), None)
        command = ""
        if job is not None and event == TARGET and seen.blocks_by_default:
            fix, command = f"{fix} If it is GitHub's default, an administrator runs this line:", _command(wiring, job)
        yield (wrong if sure else warning)(message, fix, command)
    for job in gates_of(wiring):
        if not any(path == job.path for (path, _), _ in refused):
            level, told = _shown(wiring, seen, job)
            fix = "" if level is Level.WELL else f"Run doctor with an administrator's token, or look at {SETTINGS}."
            yield Finding(level, f"{unread}; {told}", fix)


def _shown(wiring: Wiring, seen: Execution, job: Job) -> tuple[Level, str]:
    """What the runs that were not refused show about the event blocked by default."""
    key = (job.path, TARGET)
    run = (seen.runs or {}).get(key)
    if TARGET not in job.triggers or not seen.blocks_by_default:
        return Level.NOTE, f"GitHub blocks no trigger of {job.path} by default, and none of its newest runs was refused"
    if run is None and key in seen.under_way:
        return Level.UNSEEN, f"the runs of {job.path} on {TARGET} have not ended yet"
    if run is None and wiring.pull_request is not None:
        return Level.WARNING, f"{job.path} never ran on {TARGET}, although #{wiring.pull_request} is open"
    if run is None:
        return Level.UNSEEN, f"{job.path} never ran on {TARGET}"
    return _dated(seen, job, run)


def _dated(seen: Execution, job: Job, run: Run) -> tuple[Level, str]:
    """What a started run shows: nothing if it is older than the block, or its date is off."""
    if not run.at or (seen.now and run.at[:10] > seen.now[:10]):
        return Level.UNSEEN, f"the newest run of {job.path} on {TARGET} has no time that can be right ({run.url})"
    if run.at < ENFORCED:
        return Level.WARNING, f"{job.path} did not run on {TARGET} since GitHub blocks it (last on {run.at[:10]})"
    if run.conclusion not in BEGAN:
        return Level.UNSEEN, f"the newest run of {job.path} on {TARGET} ended as {plain(run.conclusion)} ({run.url})"
    return Level.WELL, f"{job.path} ran on {TARGET} on {run.at[:10]}, so the event is allowed"
