"""Pull requests with evidence folders to be read from the fake, and a history of pushes to make them from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from phasegate.dialects.pipeline.declaration import worth_reading
from phasegate.dialects.registry import every_dialect, plan_of
from phasegate.github.reading.fetch import fetch
from phasegate.model.codec import from_data
from phasegate.model.plan import ChooseFolders, ReadingPlan
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import BranchFile
from tests.casebook.world import PEOPLE, World, commit
from tests.fakehub import FakeHub
from tests.fakehub.artifacts import blob_of
from tests.integration.runs import TARGET, client_of

JSON = dict[str, Any]
FOLDER = ".pipeline/12"
PLAN, TEST, REVIEW = (f"{FOLDER}/{name}.json" for name in ("plan", "test-result", "review-result"))
REMEMBERED = (TEST, REVIEW)
CHOICE = partial(worth_reading, None)


def everything(names: tuple[str, ...], numbers: tuple[int, ...], paths: tuple[str, ...]) -> tuple[str, ...]:
    del numbers, paths
    return names


def wanting(choice: ChooseFolders | None) -> ReadingPlan:
    """The reading plan of a policy that judges artifacts; without a choice, of one that does not."""
    plan = plan_of(every_dialect())
    shapes = () if choice is None else tuple(replace(shape, choose=choice) for shape in plan.evidence)
    return replace(plan, evidence=shapes)


def fetched(hub: FakeHub, choice: ChooseFolders | None = CHOICE) -> Snapshot:
    return fetch(client_of(hub), TARGET, lambda: "2026-03-02T15:00:00Z", lambda _: wanting(choice)).snapshot


def artifacts_of(snapshot: JSON) -> tuple[BranchFile, ...]:
    return tuple(from_data(BranchFile, each) for each in snapshot["branch_files"])


@dataclass
class History:
    """A branch told push by push; what each file's history is follows from what each push changes."""

    world: World = field(default_factory=lambda: World(moves=[]))
    states: dict[str, dict[str, str]] = field(default_factory=dict)
    now: dict[str, str] = field(default_factory=dict)
    files: dict[str, JSON] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The world's own push brought nothing."""
        self.states[commit("a")] = {}

    def push(self, name: str, who: str = "octo-dev", **changes: str | None) -> None:
        """Push a commit that changes files: ``plan``, ``test`` and ``review``."""
        paths = {"plan": PLAN, "test": TEST, "review": REVIEW}
        wanted = {**self.now, **{paths[key]: text for key, text in changes.items()}}
        self._move(name, who, {path: text for path, text in wanted.items() if text is not None})

    def reset(self, name: str, who: str = "octo-dev") -> None:
        self._move(name, who, self.states[commit(name)])

    def _move(self, name: str, who: str, after: Mapping[str, str]) -> None:
        self.world.push(name)
        move = self.world.moves[-1]
        move["actor"] = PEOPLE[who]
        self.states[commit(name)] = dict(after)
        pushed = {"at": move["at"], "commit": move["after"], "actor": move["actor"]}
        for path in sorted({*self.now, *after}):
            if self.now.get(path) != after.get(path):
                self._changed(path, after.get(path), pushed)
        self.now = dict(after)

    def _changed(self, path: str, text: str | None, pushed: JSON) -> None:
        before = self.files.get(path, {"earlier": []})
        earlier = list(before["earlier"])
        if "text" in before:
            kept = before["text"] if path in REMEMBERED else None
            earlier.append({"pushed": before["pushed"], "blob": before["blob"], "text": kept})
        made: JSON = {"path": path, "pushed": pushed, "earlier": earlier}
        if text is not None:
            data = text.encode()
            made |= {"text": text, "blob": blob_of(data), "size": len(data)}
        self.files[path] = made

    def snapshot(self, extra: Iterable[JSON] = (), **changes: object) -> JSON:
        artifacts = sorted([*self.files.values(), *extra], key=lambda each: str(each["path"]))
        return {**self.world.snapshot(), "branch_files": artifacts, **changes}


def told(snapshot: JSON, **extras: Any) -> tuple[BranchFile, ...]:  # noqa: ANN401 - as the hub takes them
    with FakeHub(snapshot, **extras) as hub:
        return fetched(hub).branch_files


def files(found: tuple[BranchFile, ...]) -> dict[str, BranchFile]:
    return {file.path: file for file in found}


def with_artifacts(*artifacts: JSON, **changes: object) -> JSON:
    return {**World().snapshot(), "branch_files": list(artifacts), **changes}


def rounds() -> History:
    history = History()
    history.push("planned", who="ana", plan='{"plan": 1}')
    history.push("tested", who="ben", test='{"verdict": "FAIL"}', review="{}")
    history.push("code")
    history.push("again", who="ben", test='{"verdict": "PASS"}', review=None)
    return history
