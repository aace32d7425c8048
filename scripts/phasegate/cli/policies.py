"""Actions policies: which events and actors GitHub lets start which workflow, and the runs that show it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timezone
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from phasegate.cli.setup import EVENT_RULE, host_of
from phasegate.model.frozen import dataclass, replace
from phasegate.report.inert import plain

if TYPE_CHECKING:
    from phasegate.github.client.client import Client

JSON = dict[str, Any]
ACTOR_RULE = "restrict_actions_actors"
EVERYTHING = "~ALL"
ACTIVE, EVALUATE, DISABLED = "active", "evaluate", "disabled"
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
UNCLEAR = set("[]{}!\\")  # wildcards that GitHub may know and does not mention
SAID = 60  # characters of a foreign name


@dataclass(frozen=True, kw_only=True, slots=True)
class ActionsPolicy:
    """A policy that applies to the repository: where it comes from, the paths it is about, and what it allows.

    ``events``: one list for each of its rules about events. ``actors``: whether it has a rule about actors.
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
        """How a person finds it."""
        return f'the policy "{plain(self.name, SAID)}" of the {self.level} {plain(self.source, SAID)}'

    def covers(self, path: str) -> bool | None:
        """Whether it is about a workflow; none if its patterns can be read in two ways."""
        taken = True if not self.include else _any_fits(self.include, path)
        left_out = _any_fits(self.exclude, path)
        if taken is False or left_out is True:
            return False
        return True if taken and left_out is False else None


def _any_fits(patterns: Iterable[str], path: str) -> bool | None:
    """Whether one of some patterns is that of a path; none if only by one of the ways to read a star."""
    found = [_fits(pattern, path) for pattern in patterns]
    return True if True in found else None if None in found else False


def _fits(pattern: str, path: str) -> bool | None:
    """Whether a pattern is that of a path; none where GitHub does not say how it reads the pattern."""
    if pattern in (EVERYTHING, path):
        return True
    if UNCLEAR & set(pattern):
        return None
    tokens = TOKENS.findall(pattern)
    narrow, wide = (_matches(tokens, path, crosses) for crosses in (STARS, (*STARS, "*")))
    return narrow if narrow == wide else None


def _matches(tokens: Iterable[str], path: str, crosses: tuple[str, ...]) -> bool:
    """Whether a pattern ends where a path does; some of its wildcards cross slashes."""
    places = {0}
    for token in tokens:
        if token == FOLDERS:
            begin = min(places, default=len(path))
            places |= {at + 1 for at in range(begin, len(path)) if path[at] == "/"}
        elif token in crosses:
            places = set(range(min(places, default=len(path) + 1), len(path) + 1))
        elif token == "*":
            ends = {at: path.find("/", at) for at in places}  # of the name that a place is in
            places = {end for at in places for end in range(at, (len(path) if ends[at] < 0 else ends[at]) + 1)}
        else:
            places = {
                at + 1
                for at in places
                if path[at : at + 1] == token or (token == "?" and path[at : at + 1] not in ("", "/"))
            }
    return len(path) in places


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The newest run that ended of a workflow on an event; ``jobs`` is none if these could not be read."""

    conclusion: str
    at: str
    url: str
    jobs: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Execution:
    """What GitHub lets start here.

    ``policies`` is none if this token may not read them: then ``runs`` has the newest run that ended by path and event,
    or none, and ``under_way`` the ones that had only runs that did not end. ``odd``: answers of a form that is not
    documented. ``now``: GitHub's own time. ``host``: how gh names the server, where it is not github.com.
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
        """Whether the server is too old to have Actions policies."""
        told = VERSION.fullmatch(self.server or "")
        return told is not None and (int(told["major"]), int(told["minor"])) < FIRST_SERVER

    @property
    def blocks_by_default(self) -> bool:
        """Whether GitHub blocks ``pull_request_target`` here where no policy is about it."""
        return self.server is None and self.visibility not in ("private", "internal")


class OddError(Exception):
    """An answer of another form than GitHub documents."""


def readable(ask: Callable[[], Any]) -> Any:  # noqa: ANN401  (GitHub's answer, of whatever kind)
    """What GitHub answers; none where this token may not see it."""
    from phasegate.github.client.answers import MissingError, RefusedError  # noqa: PLC0415  (needs HTTP)

    try:
        return ask()
    except (MissingError, RefusedError):
        return None


def look(client: Client, root: str, rest: str, told: JSON, workflows: Mapping[str, Iterable[str]]) -> Execution:
    """What GitHub tells of the policies of a repository, and where that is not enough, of the runs of its workflows."""
    meta = client.find_any("/meta")
    installed = _part(meta, "installed_version")
    private = "private" if told.get("private") is True else "public"
    seen = Execution(
        visibility=str(told.get("visibility") or private),
        server=None if installed is None else str(installed)[:SAID],
        host=host_of(rest),
    )
    if seen.without_policies:
        return replace(seen, policies=())
    seen = _with_policies(seen, client, root, rest)
    known = seen.policies is not None and not seen.odd
    doubtful = any(each.covers(path) is None for each in seen.policies or () for path in workflows)
    return seen if known and not doubtful else _with_runs(seen, client, root, workflows)


def _with_policies(seen: Execution, client: Client, root: str, rest: str) -> Execution:
    from phasegate.github.client.answers import RefusedError  # noqa: PLC0415  (needs HTTP)

    try:
        listed = _listed(client, root)
    except RefusedError:
        return replace(seen, why="GitHub answered 403 (it takes Administration: write)")
    except OddError as error:
        return replace(seen, odd=(str(error),), why="the list could not be understood")
    if listed is None:
        return replace(seen, why="GitHub answered 404 (only an administrator sees them)")
    found: list[ActionsPolicy] = []
    odd: list[str] = []
    for item in listed:
        try:
            found.append(_policy(item if item.get("enforcement") == DISABLED else _whole(client, root, rest, item)))
        except OddError as error:  # noqa: PERF203  (one that is odd keeps no other from being read)
            odd.append(str(error))
    return replace(seen, policies=tuple(each for each in found if each.enforcement != DISABLED), odd=tuple(odd))


def _listed(client: Client, root: str) -> list[JSON] | None:
    """Every policy of the list, to its end; none where there is said to be no list."""
    listed: list[JSON] = []
    for page in range(1, MOST_PAGES + 1):
        told = client.find_any(f"{root}/actions/policies", per_page=LARGEST_PAGE, page=page)
        if told is None:
            return None
        items, total = _part(told, "policies"), _part(told, "total_count")
        sound = isinstance(items, list) and all(isinstance(each, dict) for each in items)
        if not sound or not isinstance(items, list) or not isinstance(total, int):
            raise OddError("the list of Actions policies is not of the form that GitHub documents")
        listed += items
        if len(listed) >= total:
            return listed
        if not items:
            raise OddError(f"only {len(listed)} of {total} Actions policies were listed")
    raise OddError(f"more than {LARGEST_PAGE * MOST_PAGES} Actions policies")


def _whole(client: Client, root: str, rest: str, item: JSON) -> JSON:
    """A policy in full, of which a list need not tell the rules; one that is inherited is read where it belongs."""
    name, number = plain(str(item.get("name")), SAID), item.get("id")
    path = f"{root}/actions/policies/{number}"
    if item.get("source_type") != "Repository":
        address = str(_part(_part(item.get("_links"), "self"), "href"))
        path = address.removeprefix(rest)
        if not address.startswith(f"{rest}/") or not OWN_ADDRESS.fullmatch(path):
            raise OddError(f'the policy "{name}" has an address that is not one of this API, which was not asked')
    found = readable(lambda: client.find_any(path))
    if found is None:
        raise OddError(
            f'the policy "{name}" of {plain(str(item.get("source")), SAID)} applies here and may not be read'
        )
    if not isinstance(found, dict) or found.get("id") != number:
        raise OddError(f'the answer for the policy "{name}" is not of the form that GitHub documents')
    return {**item, **found}


def _policy(told: JSON) -> ActionsPolicy:
    """A policy, every part of which must be of the documented form."""
    name = str(told.get("name"))
    odd = OddError(f'the policy "{plain(name, SAID)}" is not of the form that GitHub documents')
    if told.get("enforcement") not in (ACTIVE, EVALUATE, DISABLED) or told.get("source_type") not in tuple(LEVELS):
        raise odd
    rules, conditions = (told.get(key, default) for key, default in (("rules", []), ("conditions", {})))
    if not isinstance(rules, list) or not isinstance(conditions, dict):
        raise odd
    paths = conditions.get("workflow_path", {"include": [], "exclude": []})
    include, exclude = (_texts(_part(paths, key), odd) for key in ("include", "exclude"))
    kinds = [(_part(rule, "type"), _part(rule, "parameters")) for rule in rules]
    if any(not isinstance(kind, str) for kind, _ in kinds):
        raise odd
    events = [_texts(_part(given, "allowed_events"), odd) for kind, given in kinds if kind == EVENT_RULE]
    return ActionsPolicy(
        name=name,
        level=LEVELS[told["source_type"]],
        source=str(told.get("source")),
        enforcement=told["enforcement"],
        include=include,
        exclude=exclude,
        events=tuple(map(frozenset, events)),
        actors=any(kind == ACTOR_RULE for kind, _ in kinds),
        others=tuple(str(kind) for kind, _ in kinds if kind not in (EVENT_RULE, ACTOR_RULE)),
    )


def _part(value: object, key: str) -> object:
    """What an object has under a key; nothing if it is none."""
    return value.get(key) if isinstance(value, dict) else None


def _texts(value: object, odd: OddError) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise odd
    return tuple(value)


def _with_runs(seen: Execution, client: Client, root: str, workflows: Mapping[str, Iterable[str]]) -> Execution:
    """The newest run that ended, of each workflow and event: rather one that tells something than a cancelled one."""
    asked = {
        (path, event): partial(_runs, client, f"{root}/actions/workflows/{quote(PurePosixPath(path).name)}/runs", event)
        for path, events in workflows.items()
        for event in events
    }
    found = client.together(asked)
    ended = {key: [run for run in runs if isinstance(run.get("conclusion"), str)] for key, runs in found.items()}
    telling = {key: [run for run in runs if run["conclusion"] in TELLING] or runs for key, runs in ended.items()}
    runs = {key: _run(client, root, run[0]) if run else None for key, run in telling.items()}
    there = client.there(client.now())
    now = "" if there is None else datetime.fromtimestamp(there, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    under_way = frozenset(key for key, run in runs.items() if run is None and found[key])
    return replace(seen, runs=runs, under_way=under_way, now=now)


def _runs(client: Client, path: str, event: str) -> list[JSON]:
    """The newest runs of a workflow on an event; none if they cannot be seen."""
    runs = _part(readable(lambda: client.find_any(path, event=event, per_page=NEWEST_RUNS)), "workflow_runs")
    return [run for run in runs if isinstance(run, dict)] if isinstance(runs, list) else []


def _run(client: Client, root: str, run: JSON) -> Run:
    """A run that ended, and for one that did not start whether it had jobs."""
    at, url = (str(run.get(key)) for key in ("created_at", "html_url"))
    count = None
    if run["conclusion"] == REFUSED and isinstance(run.get("id"), int):
        path = f"{root}/actions/runs/{run['id']}/jobs"
        count = _part(readable(lambda: client.find_any(path, per_page=1)), "total_count")
    jobs = count if isinstance(count, int) else None
    return Run(conclusion=run["conclusion"], at=at if MOMENT.fullmatch(at) else "", url=plain(url), jobs=jobs)
