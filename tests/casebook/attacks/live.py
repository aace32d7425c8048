"""Through GitHub: attacks on the way between GitHub and the gate, told on the fake GitHub while the gate runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.casebook.attacks.attack import green, others, qa_but
from tests.casebook.world import PEOPLE, URL, World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.integration.runs import chat, run

KIND = "through GitHub"
STRICT = "version: 1\nverdicts: {distinct_accounts: true}\n"
LAX = "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\n"
Happens = Callable[[FakeHub], object]
Matches = Callable[[Request], bool]


@dataclass(frozen=True, kw_only=True)
class LiveAttack:
    """A pull request, what goes wrong while it is read or written, and the defence that stops it."""

    name: str
    says: str
    defence: str
    tell: Callable[[World], None]
    happens: Happens
    because: str
    extras: Mapping[str, Any] = field(default_factory=dict)
    kind: str = KIND

    def hub(self) -> FakeHub:
        """The fake GitHub with this pull request on it."""
        world = World()
        self.tell(world)
        return FakeHub(world.snapshot(), **self.extras)


LIVE: dict[str, LiveAttack] = {}


def live(  # noqa: PLR0913  (an attack and what stops it)
    name: str,
    says: str,
    *,
    defence: str,
    happens: Happens,
    because: str,
    extras: Mapping[str, Any] | None = None,
) -> Callable[[Callable[[World], None]], None]:
    """Tell an attack; ``because`` is a part of what the gate says in the end."""

    def keep(tell: Callable[[World], None]) -> None:
        assert name not in LIVE, name
        LIVE[name] = LiveAttack(
            name=name, says=says, defence=defence, tell=tell, happens=happens, because=because, extras=extras or {}
        )

    return keep


def nothing(hub: FakeHub) -> None:
    """GitHub answers as it should."""
    del hub


def always(match: str | Matches, **fault: Any) -> Happens:  # noqa: ANN401  (as the hub has them)
    """Every such request goes wrong."""
    return lambda hub: hub.fail(match, times=None, **fault)


def when(matches: Matches, change: Happens) -> Happens:
    """Let something change at the moment of the first such request."""

    def watch(hub: FakeHub) -> None:
        told: list[Request] = []

        def look(request: Request) -> bool:
            if not told and matches(request):
                told.append(request)
                change(hub)
            return False

        hub.fail(look, times=None)

    return watch


def first_write(request: Request) -> bool:
    """The first status is being written: everything has been read and judged."""
    return request.method == "POST" and "/statuses/" in request.path


def reading_back(request: Request) -> bool:
    """The parts were written and are read back."""
    return request.method == "GET" and request.path.endswith("/status")


def pull_request(request: Request) -> bool:
    """The query for the pull request itself."""
    return "query PullRequest" in request.text


def flooded(world: World) -> None:
    """A FAIL that lies beyond the first hundred comments."""
    green(world)
    chat(world, 110)
    world.judges("judge", "FAIL")


live(
    "flooded",
    "The FAIL stands behind a hundred remarks.",
    defence="read-to-the-end",
    happens=nothing,
    because="Judge failed",
)(flooded)
live(
    "page-cut-short",
    "The page with the FAIL comes back empty.",
    defence="read-to-the-end",
    happens=always(lambda request: request.target.endswith("/7/comments?per_page=100&page=2"), kind="empty_page"),
    because="changed 3 times",
)(flooded)


@live(
    "partial-answer-hides-issue",
    "GitHub answers only in part: the strict one of two issues is missing.",
    defence="whole-answers",
    happens=always(
        pull_request, kind="graphql_errors", null_at="repository.pullRequest.closingIssuesReferences.nodes.0"
    ),
    because="GitHub answered only in part",
)
def _(world: World) -> None:
    world.issue(13, "complexity:quick")
    world.judges("judge")


@live(
    "partial-answer-hides-policy",
    "GitHub answers only in part: the policy is missing, and the default one is laxer.",
    defence="whole-answers",
    happens=always(pull_request, kind="graphql_errors", null_at="repository.policy"),
    because="GitHub answered only in part",
)
def _(world: World) -> None:
    world.policy = STRICT
    green(world)


RACES: dict[tuple[str, str, str], Happens] = {
    ("race-with-fail", "The FAIL arrives while the statuses are written.", "Judge failed"): lambda hub: hub.add_comment(
        PEOPLE["ana"], verdict("judge", "FAIL")
    ),
    ("race-with-sibling", "A second pull request of the commit is opened.", "same head commit"): (
        lambda hub: hub.snapshot["siblings"].append({"number": 8, "url": f"{URL}/pull/8", "base": "release"})
    ),
    ("race-with-policy", "The policy becomes stricter.", "from one account"): (
        lambda hub: hub.snapshot["policy"].update(text=STRICT)
    ),
    ("race-with-approval", "The approval is deleted.", "approve qa"): lambda hub: hub.snapshot["comments"].pop(),
    ("race-with-issue", "Another issue, without a plan, is linked.", "plan on #13"): (
        lambda hub: hub.snapshot["issues"].append(
            {**json.loads(json.dumps(hub.snapshot["issues"][0])), "number": 13, "comments": []}
        )
    ),
}
for (_name, _says, _because), _change in RACES.items():
    live(_name, _says, defence="still-as-judged", happens=when(first_write, _change), because=_because)(green)


def overwrite(hub: FakeHub) -> None:
    """Another workflow writes one of the gate's own contexts."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    told = {"id": hub.state.next_id(), "context": "phase-gate/qa", "state": "failure", "at": hub.state.now()}
    hub.state.statuses[head].append({**told, "description": "not yet"})


live(
    "part-overwritten",
    "Another workflow turns a part red before the whole is written.",
    defence="read-back",
    happens=when(reading_back, overwrite),
    because="but GitHub has failure",
)(green)


def seen_then_deleted(hub: FakeHub) -> None:
    """A first run sees the FAIL; then the author deletes it."""
    run(hub)
    said = hub.snapshot["comments"].pop()
    hub.snapshot["deleted_comments"].append(
        {"at": hub.state.now(), "actor": PEOPLE["octo-dev"], "author": said["author"]}
    )


@live(
    "deleted-between-runs",
    "One run sees the FAIL, the next one should not.",
    defence="record-kept",
    happens=seen_then_deleted,
    because="Judge's FAIL was deleted by octo-dev",
)
def _(world: World) -> None:
    green(world)
    world.judges("judge", "FAIL")


@live(
    "policy-in-the-branch",
    "The pull request brings a laxer policy along.",
    defence="policy-of-default-branch",
    happens=nothing,
    because="Waiting for Architect's plan",
    extras={
        "commits": {
            commit("a"): {
                "merge_base": commit("base"),
                "files": [
                    {"path": ".github/phase-gate.yml", "status": "modified", "text": LAX},
                    {"path": "src/auth.py", "status": "modified"},
                ],
            }
        }
    },
)
def _(world: World) -> None:
    world.policy = "version: 1\n"
    world.built()
    world.changes["files"] = {
        "complete": True,
        "entries": [{"path": ".github/phase-gate.yml"}, {"path": "src/auth.py"}],
    }


@live(
    "too-many-issues",
    "Twenty quick issues are linked before the real one.",
    defence="bounded",
    happens=nothing,
    because="at most 20 are read",
)
def _(world: World) -> None:
    world.issues.clear()
    for number in range(20, 40):
        world.issue(number, "complexity:quick")
    world.issue(40)
    world.judges("judge")


@live(
    "movement-missing",
    "The log lacks a push, so that a PASS for what was taken back seems to be about what is there.",
    defence="unbroken-log",
    happens=nothing,
    because="It cannot be told which commit",
)
def _(world: World) -> None:
    world.push("bad", "bad")
    world.push("good")
    qa_but(world)
    world.say("mona", "/gate approve qa")
    world.push("bad-again", "bad")
    world.moves[:] = [move for move in world.moves if move["after"] != commit("good")]


@live(
    "login-of-somebody-else",
    "The login that spoke belongs by now to another account, which may write.",
    defence="permission-by-id",
    happens=lambda hub: hub.snapshot["people"].append(
        {"login": "eve", "id": 99, "type": "User", "permission": "write"}
    ),
    because="Waiting for Judge",
)
def _(world: World) -> None:
    del world.permissions["eve"]
    world.planned()
    world.say("eve", verdict("judge"))
    others(world)
