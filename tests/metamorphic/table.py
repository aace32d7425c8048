"""The table: forms of an objection, places to put it, and what becomes of it. Every row is a function of a world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phasegate.github.record import Life, read_record, record_lines
from phasegate.model.codec import to_data
from phasegate.model.report import Report
from phasegate.model.signal import Medium
from phasegate.model.snapshot import CommitStatus
from phasegate.model.texts import Actor
from tests.casebook.history import GATE
from tests.casebook.world import PEOPLE, REPOSITORY, World, commit
from tests.metamorphic.failing import Objection
from tests.metamorphic.scene import JSON, Scene, Seat, say, snapshot_of

BLANK, DISMISSED, WITHDRAWN = "blank request for changes", "dismissed", "deleted by its author"
REQUESTED = "CHANGES_REQUESTED"
TALK = "Never mind, that was for another pull request.\n"


@dataclass(frozen=True, kw_only=True)
class Combination:
    """One objection of one seat in one story, and what becomes of it."""

    story: str
    role: str
    form: str
    place: str
    fate: str

    @property
    def name(self) -> str:
        """Its name, for ``--only``."""
        return f"{self.story} / {self.role} / {self.form} / {self.place} / {self.fate}"


def _cut_off(fail: Objection) -> str | None:
    """The text up to the middle of its block, or of what is left after the failing key."""
    cut = fail.whole[: len(fail.whole) * 3 // 4].rstrip()
    return cut if cut != fail.whole.rstrip() else None


# ---- forms: the text, from a whole and valid FAIL; none where the dialect has no such form
FORMS: dict[str, Callable[[Objection], str | None]] = {
    "whole": lambda fail: fail.whole,
    "cut off": _cut_off,
    "misspelt": lambda fail: fail.whole.replace(*fail.misspelt) if fail.misspelt else None,
    "role by a key alone": lambda fail: fail.bare,
    BLANK: lambda _: "",
}


@dataclass(kw_only=True)
class Put:
    """An objection in a world: as what, where, and how the world has it."""

    world: World
    seat: Seat
    medium: Medium
    issue: int | None
    said: JSON
    path: str = ""
    before: str | None = None  # what the file said

    @property
    def source(self) -> str:
        """The name of its source in the report."""
        return f"{self.medium.value}-{self.said.get('id', 0)}"


# ---- places: where the seat speaks, on the issue instead of the pull request or the other way, in another medium
def at_home(world: World, seat: Seat, fail: Objection, text: str) -> Put | None:
    """Where the seat speaks when it objects."""
    medium = fail.medium or seat.medium
    if medium is Medium.FILE:
        return _pushed(world, seat, text)
    if medium is Medium.CHECK_RUN:
        return _run(world, seat, fail, text)
    return _reviewed(world, seat, text) if medium is Medium.REVIEW else _said(world, seat, text, seat.issue)


def elsewhere(world: World, seat: Seat, fail: Objection, text: str) -> Put | None:
    """On the issue instead of the pull request, or the other way; a file's text in a comment."""
    if seat.medium is Medium.CHECK_RUN:
        return None
    shown = text if seat.medium is not Medium.FILE else f"```json\n{text}```\n"
    if seat.issue is not None or fail.medium is Medium.REVIEW or seat.medium is Medium.FILE:
        return _said(world, seat, shown, None)
    own = [issue["number"] for issue in world.issues if issue["repository"] == REPOSITORY]
    return _said(world, seat, shown, own[0]) if own else None


def in_review(world: World, seat: Seat, fail: Objection, text: str) -> Put | None:
    """In a review instead of a comment or file, or in a comment instead of a review."""
    medium = fail.medium or seat.medium
    if medium is Medium.CHECK_RUN:
        return None
    shown = text if medium is not Medium.FILE else f"```json\n{text}```\n"
    return _said(world, seat, shown, None) if medium is Medium.REVIEW else _reviewed(world, seat, shown)


PLACES: dict[str, Callable[[World, Seat, Objection, str], Put | None]] = {
    "where it speaks": at_home,
    "elsewhere": elsewhere,
    "other medium": in_review,
}


def asks_for_changes(world: World, seat: Seat) -> Put:
    """A review without text that requests changes."""
    return _reviewed(world, seat, "", state=REQUESTED)


def _said(world: World, seat: Seat, text: str, issue: int | None) -> Put:
    said = say(world, text, seat.author, seat.app_id, issue)
    return Put(world=world, seat=seat, medium=Medium.COMMENT, issue=issue, said=said)


def _reviewed(world: World, seat: Seat, text: str, state: str = "COMMENTED") -> Put:
    said = world.review("ana", text, state=state, author=seat.author)
    return Put(world=world, seat=seat, medium=Medium.REVIEW, issue=None, said=said)


def _run(world: World, seat: Seat, fail: Objection, text: str) -> Put:
    again = {"id": world.next_id * 1000, "started_at": world.tick(), "completed_at": world.tick()}
    world.next_id += 1
    run = {**seat.said, **again, "commit": commit(world.head), "text": text, **fail.fields}
    world.changes["checks"] = [*world.changes["checks"], run]
    return Put(world=world, seat=seat, medium=Medium.CHECK_RUN, issue=None, said=run)


def _pushed(world: World, seat: Seat, text: str) -> Put:
    before = world.trees[-1].get(seat.path)
    push(world, seat.author, {seat.path: text})
    return Put(world=world, seat=seat, medium=Medium.FILE, issue=seat.issue, said={}, path=seat.path, before=before)


def push(world: World, actor: JSON, files: dict[str, str | None]) -> None:
    """A push of evidence that leaves the product as it is; checks run again and end as before."""
    content, before = world.contents[commit(world.head)], world.head
    world.push(f"{before}.{len(world.moves)}", evidence=files)
    world.moves[-1]["actor"] = actor
    world.contents[commit(world.head)] = content
    runs = [run for run in world.changes.get("checks", ()) if run.get("commit") == commit(before)]
    if runs:
        world.changes["checks"] = [*world.changes["checks"], *({**run, "commit": commit(world.head)} for run in runs)]


# ---- fates: what becomes of it
def another(put: Put) -> JSON:
    """Somebody else with write permission; the pull request's author, unless that is whose word it is."""
    author = PEOPLE[put.world.author]
    return author if author["login"] != put.seat.author["login"] else PEOPLE["ben"]


def stays(put: Put, _: Report) -> None:
    """Nothing happens to it."""
    del put


def emptied(put: Put, _: Report) -> None:
    """Its author writes something else in its place."""
    _edited(put, TALK, put.seat.author)


def turned(put: Put, _: Report) -> None:
    """Its author edits it into a pass."""
    _edited(put, put.seat.text, put.seat.author)


def rewritten(put: Put, _: Report) -> None:
    """Somebody else edits it into a pass."""
    _edited(put, put.seat.text, another(put))


def _edited(put: Put, text: str, editor: JSON) -> None:
    """The text is replaced; a file by a push."""
    if put.medium is Medium.FILE:
        push(put.world, editor, {put.path: f"{text}\n"})
        return
    said = put.said
    first = {"at": said["created_at"], "editor": said["author"], "text": said["text"]}
    at = put.world.tick()
    said |= {"text": text, "edited_at": at, "editor": editor}
    said["history"] = [first, {"at": at, "editor": editor, "text": text}]


def deleted(put: Put, seen: Report) -> None:
    """Somebody else deletes it."""
    _removed(put, seen, another(put))


def withdrawn(put: Put, seen: Report) -> None:
    """Its author deletes it."""
    _removed(put, seen, put.seat.author)


def _removed(put: Put, seen: Report, by: JSON) -> None:
    """A comment is deleted once the gate has seen it; a file by a push."""
    world = put.world
    if put.medium is Medium.FILE:
        push(world, by, {put.path: None})
        return
    put_on_record(world, seen)
    issue = next((each for each in world.issues if put.said in each["comments"]), None)
    (world.comments if issue is None else issue["comments"]).remove(put.said)
    holder: dict[str, Any] = world.changes if issue is None else issue
    event = {"at": world.tick(), "actor": by, "author": put.said["author"]}
    holder["deleted_comments"] = [*holder.get("deleted_comments", ()), event]


def put_on_record(world: World, seen: Report) -> None:
    """Write down what a run of the gate writes down after this decision."""
    snapshot = snapshot_of(world)
    pull = snapshot.pull_request
    life = Life(number=pull.number, opened=pull.created_at, now=snapshot.taken_at, retention_days=90)
    lines = record_lines((each.vote for each in seen.signals), snapshot.record, pull.head.sha, life)
    own, at = Actor(**GATE), world.tick()
    written = [
        (head, CommitStatus(context=line.context, state="success", at=at, description=line.description, creator=own))
        for head, each in lines.items()
        for line in each
    ]
    found = [to_data(seen) for seen in read_record(written, own).signals]
    record = world.changes.get("record", {})
    world.changes["record"] = {**record, "sealed": at, "signals": [*record.get("signals", ()), *found]}


def dismissed(put: Put, _: Report) -> None:
    """The pull request's author dismisses it."""
    put.world.dismiss(put.said, put.world.author)


Fate = Callable[[Put, Report], None]
FATES: dict[str, Fate] = {
    "stays": stays,
    "emptied by its author": emptied,
    "turned into a pass by its author": turned,
    "turned into a pass by another": rewritten,
    "deleted by another": deleted,
    WITHDRAWN: withdrawn,
    DISMISSED: dismissed,
}
# What can happen to which medium: on GitHub reviews are dismissed, never deleted; a newer check run replaces an older.
EDITS = ("stays", "emptied by its author", "turned into a pass by its author", "turned into a pass by another")
HAPPENS = {
    Medium.COMMENT: (*EDITS, "deleted by another", WITHDRAWN),
    Medium.REVIEW: (*EDITS, DISMISSED),
    Medium.FILE: ("stays", *EDITS[2:], "deleted by another", WITHDRAWN),
    Medium.CHECK_RUN: ("stays",),
}


def can_happen(put: Put, fate: str) -> bool:
    """Whether GitHub lets it happen: nobody requests changes on their own pull request, no blank text is edited."""
    if put.said.get("state") == REQUESTED and put.seat.author["login"] == put.world.author:
        return False
    return fate in HAPPENS[put.medium] and (put.said.get("text") != "" or fate in ("stays", DISMISSED))


BY_ANOTHER = ("turned into a pass by another", "deleted by another", DISMISSED)


def put_in(scene: Scene, seat: Seat, fail: Objection, told: Combination) -> Put | None:
    """A new world of the story with the objection in it; only a review that requests changes can be dismissed."""
    world, text = scene.story.world(), FORMS[told.form](fail)
    if told.form == BLANK:
        return asks_for_changes(world, seat) if told.place == "other medium" else None
    put = None if text is None else PLACES[told.place](world, seat, fail, text)
    if put is not None and told.fate == DISMISSED and put.medium is Medium.REVIEW:
        put.said["state"] = REQUESTED
    return put
