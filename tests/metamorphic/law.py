"""By the law: whether a pull request may stay green although an objection was put into it. No names of stories."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phasegate.model.report import Report
from phasegate.model.signal import GOOD, Kind, Medium, Validity
from tests.metamorphic.failing import Objection
from tests.metamorphic.scene import Scene, Seat
from tests.metamorphic.table import BLANK, DISMISSED, REQUESTED, Put

HOME = "where it speaks"
# Blocks, closed or cut off: fences, HTML comments, front matter.
BLOCKS = re.compile(
    r"(?ms)^(?P<fence>```|~~~)[^\n]*\n(?P<a>.*?)(?:^(?P=fence)|\Z)|<!--(?P<b>.*?)(?:-->|\Z)|\A---\n(?P<c>.*?)(?:^---$|\Z)"
)


def blocks(text: str) -> Iterator[str]:
    """The blocks of a text, whole or cut off."""
    for match in BLOCKS.finditer(text):
        yield match["a"] or match["b"] or match["c"] or ""


def is_word(put: Put, fail: Objection, place: str, seen: Report) -> bool:
    """L2: whether what was put there is a word; ``seen`` is the decision while it stood there as it was written."""
    text = put.said.get("text", "")
    if put.said.get("state") == REQUESTED:
        return True  # a review that requests changes, even without text
    if put.medium in (Medium.FILE, Medium.CHECK_RUN):
        return True  # the seat's own file or check run
    if put.seat.named and put.medium is Medium.REVIEW and Medium.REVIEW in put.seat.media:
        return True  # a formal review of a named reviewer
    if any(re.search(fail.decides, block) for block in blocks(text)):
        return True  # the form, or a miss of it with a block that fails
    return place == HOME and any(signal for signal in _read(put, seen))


def _read(put: Put, seen: Report) -> Iterator[object]:
    """What the dialects read in it, for whatever seat."""
    for each in seen.signals:
        signal = each.vote.signal
        if signal.source.id == put.source and signal.kind in (Kind.VERDICT, Kind.REPORT) and not signal.shown:
            yield signal


def is_pass(put: Put, after: Report) -> bool:
    """Whether what stands there now is a valid pass of the seat that was read as such; of a file, whoever pushed it."""
    for each in after.signals:
        vote, source = each.vote, each.vote.signal.source
        there = vote.signal.where.path == put.path if put.medium is Medium.FILE else source.id == put.source
        good = vote.validity is Validity.VALID and vote.outcome in GOOD and source.latest
        if there and good and vote.role == put.seat.role:
            return True
    return False


def has_answer(scene: Scene, put: Put) -> bool:
    """Whether those who filled the seats can answer it by saying the same again.

    L9: a reviewer may have no clean word in the form in which it objects. 6.7: a seat that the quick route left out and
    that has objected is asked for from then on.
    """
    quick = scene.report.route is not None and scene.report.route.quick
    return not quick and not (put.seat.named and put.medium is Medium.REVIEW and put.seat.medium is not Medium.REVIEW)


def landing(scene: Scene, put: Put, *, told: bool) -> list[Seat]:
    """L3: the seats whose word it is: the one that it names, else those of its author, at that place if any."""
    if told:
        return [put.seat]
    own = [seat for seat in scene.seats if seat.author["login"] == put.seat.author["login"]]
    return [seat for seat in own if (seat.issue is None) == (put.issue is None)] or own


def is_lifted(scene: Scene, put: Put, fail: Objection, form: str, fate: str) -> bool:
    """L11: an override decides later words too; a human who may act lifts a review by dismissing it."""
    told = form != BLANK and (fail.tells_role or form != "role by a key alone")
    seats = landing(scene, put, told=told)
    if all(seat.phase in scene.overridden for seat in seats):
        return True
    return fate == DISMISSED and scene.policy.humans.author_may_approve
