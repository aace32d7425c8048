"""The one state behind REST and GraphQL: snapshots of pull requests, and what was written since."""

from __future__ import annotations

import copy
import datetime as dt
import itertools
import threading
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from tests.fakehub.answer import JSON

ACTIONS_BOT: JSON = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
ACTIONS_APP = 15368
GHOST: JSON = {"login": "ghost", "id": 10137, "type": "User"}

LISTS = (
    "people", "teams", "comments", "reviews", "threads", "deleted_comments", "issues", "contents", "cited_files",
    "instruction_links",
)  # fmt: skip
MORE_LISTS = ("branch_files", "commits", "checks", "statuses", "siblings", "dispatch_approvals")
ISSUE_LISTS = ("labels", "label_events", "type_events", "comments", "deleted_comments", "closed_by")


@dataclass(frozen=True, kw_only=True)
class Extras:
    """What a snapshot does not tell.

    ``more``: further pull requests of the repository, each as a snapshot. ``closing``: issue number to the open pull
    requests that close it. ``commits``: commit to ``{"merge_base": …, "files": [changed files, each with text]}``.
    ``dismissals``: review id to ``{"at": …, "actor": …, "previous": "APPROVED"}``. ``gone``: commits that are no longer
    there. ``tree``: path to text of further files of the default branch. ``protection``: the required status checks of
    its branch protection. ``rules``: further rules of it. ``apps``: name of an app to its id. ``visibility``: of the
    repository. ``lacking``: what the token may not do, such as ``checks: write``, ``statuses: write`` or ``issues:
    read``, which are those that the fake knows. ``forbidden``: repositories that the token may not see though it is
    told that they are there. ``server``: ``oldest`` for the oldest that is supported. ``installed``: the version of a
    GitHub Enterprise Server. ``policies``: Actions policies, each as its answer has it, and what is left out is filled
    in; ``policies_refused``: the status that keeps the token from them, or 0. ``shared_policy``: the text of
    ``phase-gate.yml`` in the organisation's repository ``.github`` (none: no such repository; empty: no such file;
    "forbidden": the token may not see it).
    """

    more: Sequence[JSON] = ()
    closing: Mapping[int, Sequence[int]] = field(default_factory=dict)
    commits: Mapping[str, JSON] = field(default_factory=dict)
    dismissals: Mapping[int, JSON] = field(default_factory=dict)
    gone: Collection[str] = ()
    tree: dict[str, str] = field(default_factory=dict)
    protection: JSON | None = None
    rules: Sequence[JSON] = ()
    apps: Mapping[str, int] = field(default_factory=dict)
    visibility: str = "public"
    lacking: Sequence[str] = ()
    forbidden: Collection[str] = ()
    server: str = "newest"
    installed: str | None = None
    policies: Sequence[JSON] = ()
    policies_refused: int = 0
    shared_policy: str | None = None


class State:
    """Everything the hub knows; tests may change the snapshots while it runs, under ``lock``."""

    def __init__(self, snapshot: JSON, extras: Extras) -> None:
        self.lock = threading.RLock()
        self.extras = extras
        self.snapshots = [completed(snapshot), *(completed(more) for more in extras.more)]
        self.statuses: dict[str, list[JSON]] = {}
        self.checks: dict[str, list[JSON]] = {}
        self.filed_issues: list[JSON] = []
        self.lagging: str | None = None  # the head that the list of changed files still is about
        self.unaware = False  # whether REST does not know yet of the last status of each context
        self.unlisted: set[str] = set()  # contexts that the list of all statuses lacks
        self.miscounted: int | None = None  # how many changed files GraphQL counts
        self.hidden: set[int] = set()  # comments that REST does not list
        self.base_moves: list[JSON] = []  # how the default branch moved
        self.branch_moves: dict[str, list[JSON]] = {}  # how others moved that are no head
        self.policies: list[JSON] = list(extras.policies)
        self.other_runs: list[JSON] = []  # runs of the workflow that approve nothing here
        self._ids = itertools.count(900_001)
        self._seconds = itertools.count(1)
        for each in self.snapshots:
            head = each["pull_request"]["head"]["sha"]
            for status in each["statuses"]:
                self.statuses.setdefault(head, []).append({"id": self.next_id(), **status})
            for check in each["checks"]:
                self.checks.setdefault(head, []).append({"id": self.next_id(), **check})

    @property
    def main(self) -> JSON:
        return self.snapshots[0]

    @property
    def name(self) -> str:
        return str(self.main["repository"]["name"])

    def next_id(self) -> int:
        return next(self._ids)

    def now(self) -> str:
        """The hub's time: a second later each time it is asked, counted from the snapshot."""
        taken = dt.datetime.fromisoformat(self.main["taken_at"].replace("Z", "+00:00"))
        later = taken + dt.timedelta(seconds=next(self._seconds))
        return later.strftime("%Y-%m-%dT%H:%M:%SZ")

    def pass_time(self, seconds: int) -> None:
        """Let what comes next be so many seconds later than the snapshot."""
        self._seconds = itertools.count(seconds)

    def repositories(self) -> dict[str, JSON]:
        """The repositories by lower-case name: the pull requests', their forks, and those of linked issues."""
        named = {snapshot["repository"]["name"]: snapshot["repository"] for snapshot in self.snapshots}
        others = [snapshot["pull_request"]["head"]["repository"] for snapshot in self.snapshots]
        others += [issue["repository"] for snapshot in self.snapshots for issue in snapshot["issues"]]
        for name in filter(None, others):
            named.setdefault(
                name,
                {"name": name, "url": f"https://github.com/{name}", "default_branch": "main", "id": number_of(name)},
            )
        return {name.lower(): repository for name, repository in named.items()}

    def pulls(self) -> list[JSON]:
        """Every pull request as a snapshot: those told in full, and those only mentioned."""
        made = {key_of(snapshot): snapshot for snapshot in self.snapshots}
        for snapshot in [*self._siblings(), *self._closers(), *self._merged()]:
            made.setdefault(key_of(snapshot), snapshot)
        return list(made.values())

    def pull(self, repository: str, number: int) -> JSON | None:
        wanted = (repository.lower(), number)
        told = (each for each in self.snapshots if key_of(each) == wanted)
        return next(told, None) or next((each for each in self.pulls() if key_of(each) == wanted), None)

    def issues(self) -> list[JSON]:
        linked = [issue for snapshot in self.snapshots for issue in (*snapshot["former_issues"], *snapshot["issues"])]
        every = linked + self.filed_issues
        return list({(issue["repository"].lower(), issue["number"]): issue for issue in every}.values())

    def issue(self, repository: str, number: int) -> JSON | None:
        wanted = (repository.lower(), number)
        found = (each for each in self.issues() if (each["repository"].lower(), each["number"]) == wanted)
        return next(found, None)

    def closers_of(self, issue: JSON) -> list[JSON]:
        wanted = (issue["repository"].lower(), issue["number"])
        return [
            pull
            for pull in self.pulls()
            if any((each["repository"].lower(), each["number"]) == wanted for each in pull["issues"])
        ]

    def account(self, login: str) -> JSON | None:
        """An account by its login in any case: with what it may do if that was told, else as it appears."""
        people = (person for snapshot in self.snapshots for person in snapshot["people"])
        every = itertools.chain(people, _actors(self.snapshots))
        return next((actor for actor in every if actor["login"].lower() == login.lower()), None)

    def account_by_id(self, number: int) -> JSON | None:
        return next((actor for actor in _actors(self.snapshots) if actor.get("id") == number), None)

    def _siblings(self) -> Iterator[JSON]:
        for snapshot in self.snapshots:
            for sibling in snapshot["siblings"]:
                head = snapshot["pull_request"]["head"]
                yield _mentioned(
                    snapshot, number=sibling["number"], url=sibling["url"], base=sibling["base"], head=head
                )

    def _closers(self) -> Iterator[JSON]:
        for issue_number, numbers in self.extras.closing.items():
            issue = next((each for each in self.issues() if each["number"] == issue_number), None)
            for number in numbers:
                made = _mentioned(self.main, number=number)
                yield made | {"issues": [] if issue is None else [issue]}

    def _merged(self) -> Iterator[JSON]:
        for snapshot in self.snapshots:
            for issue in snapshot["issues"]:
                for closer in issue["closed_by"]:
                    told = {"state": "merged", "merged_at": closer["merged_at"]}
                    made = _mentioned(snapshot, number=closer["number"], name=closer["repository"], told=told)
                    yield made | {"issues": [issue]}


def completed(snapshot: JSON) -> JSON:
    """A copy with every list that a snapshot may leave out."""
    made: JSON = copy.deepcopy(snapshot)
    for name in LISTS + MORE_LISTS:
        made.setdefault(name, [])
    made.setdefault("branch_files_ignored", None)
    made.setdefault("branch_rules", None)
    made.setdefault("merge_group", None)
    made["files"].setdefault("complete", True)
    made["files"].setdefault("entries", [])
    made["ref_log"].setdefault("moves", [])
    pull = made["pull_request"]
    for name, value in {"body": "", "state": "open", "draft": False, "merge_base": None}.items():
        pull.setdefault(name, value)
    for name in ("base_changes", "state_changes", "head_forced", "links"):
        pull.setdefault(name, [])
    pull["head"].setdefault("repository", None)
    for name in ("issues", "former_issues"):
        made[name] = [completed_issue(issue) for issue in made.get(name, [])]
    return made


def completed_issue(issue: JSON) -> JSON:
    """An issue with everything that a snapshot may leave out."""
    empty: JSON = {name: [] for name in ISSUE_LISTS}
    return {**empty, "title": "", "state": "open", "author": None, "type": None, **issue}


def key_of(snapshot: JSON) -> tuple[str, int]:
    """What tells a pull request from every other."""
    return snapshot["repository"]["name"].lower(), snapshot["pull_request"]["number"]


def number_of(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF


def last_part(path: str) -> str:
    return PurePosixPath(path).name


def _mentioned(snapshot: JSON, *, number: int, name: str | None = None, **told: Any) -> JSON:  # noqa: ANN401
    """A pull request of which little is known, as a snapshot."""
    repository = snapshot["repository"]
    if name and name.lower() != repository["name"].lower():
        repository = {**repository, "name": name, "url": f"https://github.com/{name}", "id": number_of(name)}
    branch = {
        "ref": f"branch-{number}", "sha": f"{number_of(f'head of {number}'):040x}", "repository": repository["name"],
    }  # fmt: skip
    pull = {
        "number": number,
        "url": told.get("url") or f"{repository['url']}/pull/{number}",
        "title": f"Pull request {number}",
        "author": snapshot["pull_request"]["author"],
        "created_at": snapshot["pull_request"]["created_at"],
        "base": {**snapshot["pull_request"]["base"], "ref": told.get("base", snapshot["pull_request"]["base"]["ref"])},
        "head": told.get("head", branch),
        **told.get("told", {}),
    }
    return completed({
        **{key: snapshot[key] for key in ("snapshot", "taken_at", "policy", "people")},
        "repository": repository,
        "pull_request": pull,
        "ref_log": {"source": "none"},
        "files": {},
    })  # fmt: skip


def _actors(value: object) -> Iterator[JSON]:
    if isinstance(value, dict):
        if isinstance(value.get("login"), str):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _actors(item)
