"""A green pull request of the case book: who sits where, by which words, and which approvals count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import pytest

from phasegate import gate
from phasegate.dialects import collect
from phasegate.dialects.dialect import Dialect, Known, Reading, Text, read_by
from phasegate.gate import judge, policy_in
from phasegate.model.codec import from_data
from phasegate.model.report import NeedKind, NeedState, NoteKind, Report, SignalReport, State
from phasegate.model.signal import Act, Medium, Place, Role, Source
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import Actor
from phasegate.policy.model import Policy
from tests.casebook import reviewers
from tests.casebook.every import STORIES
from tests.casebook.story import Story
from tests.casebook.world import LETTERS, PEOPLE, REPOSITORY, URL, World, verdict

JSON = dict[str, Any]


_READ: Known = {}


def quicken(patch: pytest.MonkeyPatch) -> None:
    """Decide without the search for next steps, and read each text of a story once: no state depends on either."""
    patch.setattr(gate, "_tasks", lambda *_: ())

    def read(text: Text, dialect: Dialect, roles: Sequence[Role], known: Known | None) -> Reading:
        del known
        return read_by(text, dialect, roles, _READ)

    patch.setattr(collect, "read_by", read)


def forget() -> None:
    """Forget what was read of the story before: the same text may be read otherwise under another policy."""
    _READ.clear()


def snapshot_of(world: World) -> Snapshot:
    """The snapshot of a world."""
    return from_data(Snapshot, world.snapshot())


def decide(world: World) -> Report:
    """What the gate says now."""
    return judge(snapshot_of(world))


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A required seat of a green pull request, and the word that fills it as the world has it."""

    phase: str
    role: str
    dialect: str
    medium: Medium
    issue: int | None
    author: JSON
    app_id: int | None
    said: JSON
    text: str
    path: str
    named: bool  # a reviewer whose entry in the policy has a format
    media: frozenset[Medium]
    required: bool = True


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A green story, decided."""

    story: Story
    report: Report
    policy: Policy

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The required seats that a word fills, in the order of the policy: who challenges before who confirms."""
        world = self.story.world()
        signals = {each.id: each for each in self.report.signals}
        found: list[Seat] = []
        for phase in self.report.phases:
            for need in phase.needs:
                if need.kind is NeedKind.SEAT and need.state is NeedState.MET and need.signal in signals:
                    found += self._seat(world, phase.name, need.name, signals[need.signal])
        return tuple(found)

    def _seat(self, world: World, phase: str, role: str, told: SignalReport) -> Iterator[Seat]:
        source, signal = told.vote.signal.source, told.vote.signal
        said = raw_of(world, source, signal.where.path or "")
        known = self.policy.role(role)
        if said is None or source.author is None or (known.part_of and "#" not in role):
            return
        told_of = {"medium": source.medium, "issue": source.issue, "path": signal.where.path or ""}
        author = said.get("author") or account(source.author, known.dialect)
        by = {"author": author, "app_id": source.app_id or _app_of(self.policy, source.author)}
        about: JSON = {"dialect": known.dialect, "named": known.only_named, "media": known.media, **told_of, **by}
        yield Seat(phase=phase, role=role, said=said, text=said.get("text") or "", **about)

    @cached_property
    def left_out(self) -> tuple[Seat, ...]:
        """The jkz seats that a route, a type, a path filter or an exemption leaves out, to be filled by ana."""
        world = self.story.world()
        numbers = [issue["number"] for issue in world.issues if issue["repository"] == REPOSITORY]
        asked = {need.name for phase in self.report.phases for need in phase.needs if need.kind is NeedKind.SEAT}
        found = []
        for phase in (each for each in self.policy.phases if each.enabled and each.name not in self.overridden):
            on_issue = phase.where is Place.ISSUE
            if on_issue and not numbers:
                continue
            for role in sorted({*phase.seats, *phase.optional_seats} - asked):
                known = self.policy.role(role)
                if known.dialect == "jkz" and role in LETTERS:
                    issue = numbers[0] if on_issue else None
                    found.append(Seat(phase=phase.name, role=role, issue=issue, **_ana(role, known)))
        return tuple(found)

    @property
    def acts(self) -> tuple[Act, ...]:
        """The approvals and overrides that count."""
        return tuple(act for act in self.report.acts if act.counts and act.command.verb in ("approve", "override"))

    @property
    def overridden(self) -> frozenset[str]:
        """The phases that a human decided by an override, later words included."""
        told = ((phase.name, note.kind) for phase in self.report.phases for note in phase.notes)
        return frozenset(name for name, kind in told if kind is NoteKind.OVERRIDDEN)


def _ana(role: str, known: Role) -> JSON:
    """The rest of a seat that nobody has filled yet."""
    told = {"dialect": known.dialect, "medium": Medium.COMMENT, "author": PEOPLE["ana"], "app_id": None}
    said = {"said": {}, "text": verdict(role), "path": "", "named": known.only_named, "media": known.media}
    return {**told, **said, "required": False}


def account(told: Actor, dialect: str) -> JSON:
    """The account of who pushed a file or made a check run, as a comment of it would have it."""
    if told.id is None:
        return PEOPLE.get(told.login) or reviewers.account(dialect)
    return {"login": told.login, "id": told.id, "type": told.type}


def _app_of(policy: Policy, author: Actor | None) -> int | None:
    """The app that an account writes with by the policy; a push does not tell it."""
    entries = (entry for entry in policy.agents.accounts if author is not None and entry.id == author.id)
    return next((entry.app_id for entry in entries), None)


def say(world: World, text: str, author: JSON, app_id: int | None = None, issue: int | None = None) -> JSON:
    """A comment on the pull request, or on the issue of its own repository with this number."""
    said = world.say("ana", text, author=author, **({} if app_id is None else {"app_id": app_id}))
    if issue is not None:
        world.comments.remove(said)
        said["url"] = f"{URL}/issues/{issue}#issuecomment-{said['id']}"
        own = sorted(world.issues, key=lambda each: bool(each["repository"] != REPOSITORY))
        next(each for each in own if each["number"] == issue)["comments"].append(said)
    return said


def raw_of(world: World, source: Source, path: str) -> JSON | None:
    """What the world has of a comment, review, check run or file; none where the story tells its snapshot otherwise."""
    if source.medium is Medium.FILE:
        text = world.trees[-1].get(path) if world.trees else None
        return None if text is None else {"text": text}
    kept = {
        Medium.COMMENT: [*world.comments, *(each for issue in world.issues for each in issue["comments"])],
        Medium.REVIEW: world.reviews,
        Medium.CHECK_RUN: world.changes.get("checks", []),
    }[source.medium]
    return next((each for each in kept if each.get("id", 0) == source.number), None)


@lru_cache(maxsize=1)
def scene_of(name: str) -> Scene | None:
    """The scene of a story, if it is green."""
    story = STORIES[name]
    forget()
    snapshot = snapshot_of(story.world())
    policy, report = policy_in(snapshot.policy), judge(snapshot)
    if report.state is not State.SUCCESS or not isinstance(policy, Policy):
        return None
    return Scene(story=story, report=report, policy=policy)
