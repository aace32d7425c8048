"""Runs of the gate against the fake: a client on a clock that nobody waits for, and the real program."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from phasegate.cli.live import Decision, decide, decide_and_publish
from phasegate.github.client.client import Client, Clock, Server
from phasegate.github.reading.opening import Target
from phasegate.model.frozen import replace
from phasegate.model.snapshot import POLICY, MergeGroup
from tests.casebook.world import JSON, REPOSITORY, World
from tests.fakehub import FakeHub
from tests.fakehub.state import completed

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# The fake's clock is a month ahead of what it tells: so long that nothing of it wears out.
RETENTION = 400
TARGET = Target(repository=REPOSITORY, number=7, policy_path=POLICY, retention_days=RETENTION)
OVERALL = "phase-gate"
CONTEXTS = ("phase-gate/plan", "phase-gate/build", "phase-gate/qa", OVERALL)
SECONDS = 80.0


@dataclass
class Sleepless:
    """A clock whose waits take no time but are counted."""

    waited: list[float] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.waited.append(seconds)

    def monotonic(self) -> float:
        with self._lock:
            return time.monotonic() + sum(self.waited)

    @property
    def clock(self) -> Clock:
        return Clock(monotonic=self.monotonic, epoch=time.time, sleep=self.sleep)


class Moving(Sleepless):
    """A clock on which waits pass, and nobody waits."""

    def epoch(self) -> float:
        with self._lock:
            return time.time() + sum(self.waited)


def client_of(hub: FakeHub, sleepless: Sleepless | None = None, seconds: float = SECONDS) -> Client:
    """A client of a hub that never really waits."""
    server = Server(rest=hub.url, graphql=hub.graphql_url, token=hub.token)
    return Client(server, (sleepless or Sleepless()).clock, seconds)


def target_in(hub: FakeHub, policy_path: str = POLICY) -> Target:
    """The pull request of a hub, for the commit of a merge queue if it stands in one."""
    told = hub.snapshot["merge_group"]
    parts = {name: told[name] for name in ("ref", "head", "base", "branch")} if told else {}
    group = MergeGroup(**parts) if told else None
    return replace(TARGET, policy_path=policy_path, group=group)


def state_of(snapshot: World | JSON, **extras: Any) -> str:  # noqa: ANN401 - as the hub takes them
    """The state of a pull request that is read from a hub."""
    with FakeHub(snapshot.snapshot() if isinstance(snapshot, World) else snapshot, **extras) as hub:
        return read(hub).report.state.value


def read(hub: FakeHub) -> Decision:
    return decide(client_of(hub), target_in(hub))


def run(hub: FakeHub, policy_path: str = POLICY) -> Decision:
    return decide_and_publish(client_of(hub), target_in(hub, policy_path), None)


def program(hub: FakeHub, *arguments: str) -> tuple[list[str], dict[str, str]]:
    command = [sys.executable, str(SCRIPTS), "check", "--repo", REPOSITORY, "--pr", "7", *arguments]
    return command, {**os.environ, **hub.environ}


def run_program(hub: FakeHub, *arguments: str) -> subprocess.CompletedProcess[str]:
    command, environ = program(hub, *arguments)
    return subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", check=False, timeout=60)


MOVED = ("pull_request", "ref_log", "contents", "files", "branch_files")


def moved(hub: FakeHub, world: World) -> None:
    """The branch has moved on, to where a world has it; what was said and written stays."""
    told = completed(world.snapshot())
    hub.snapshot.update({name: told[name] for name in MOVED})


def states(hub: FakeHub, sha: str | None = None) -> dict[str, str]:
    """The state of each of the gate's contexts on a commit, the head unless another is named."""
    latest = hub.latest_statuses(sha)
    return {context: latest[context]["state"] for context in CONTEXTS if context in latest}


def passing(comments: int = 0) -> World:
    world = World()
    world.planned()
    chat(world, comments)
    world.built()
    world.tested()
    return world


def edited(said: JSON, *texts: str, at: str, by: JSON | None = None) -> None:
    """Somebody, its author unless another is named, changes what was said; the history tells every text."""
    editor = by or said["author"]
    first = {"at": said["created_at"], "editor": said["author"], "text": said["text"]}
    later = [{"at": at, "editor": editor, "text": text} for text in texts]
    history = [*(said.get("history") or [first]), *later]
    said |= {"text": texts[-1], "edited_at": at, "editor": editor, "history": history}


def word(hub: FakeHub, text: str) -> JSON:
    """The first comment that holds a text."""
    found: JSON = next(each for each in hub.snapshot["comments"] if text in each["text"])
    return found


def chat(world: World, comments: int) -> None:
    at = world.tick()
    for number in range(comments):
        world.next_id += 1
        world.comments.append({
            "id": world.next_id,
            "url": f"https://github.com/{REPOSITORY}/pull/7#issuecomment-{world.next_id}",
            "author": {"login": "eve", "id": 66, "type": "User"},
            "created_at": at,
            "text": f"Remark {number}: nothing to add.",
        })  # fmt: skip
