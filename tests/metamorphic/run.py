"""Runs combinations: every green story, seat, form, place and fate goes in, what the gate made of each comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice

from phasegate.model.report import Report, State
from tests.casebook.every import STORIES
from tests.metamorphic.answers import everybody_answers
from tests.metamorphic.failing import Objection, objection_of
from tests.metamorphic.law import has_answer, is_lifted, is_pass, is_word
from tests.metamorphic.scene import Scene, decide, scene_of
from tests.metamorphic.table import DISMISSED, FATES, FORMS, PLACES, Combination, Put, can_happen, put_in

ALLOWED, BLOCKED, UNFAIR = "allowed", "blocked", "unfairly green"
GREEN_AGAIN, STUCK, NOT_ASKED = "green again", "stuck", "not asked"


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the gate said: to the objection, and after everybody answered."""

    combination: Combination
    first: str
    then: str
    reason: str = ""


def combinations(scene: Scene, *, left_out: bool = False) -> Iterator[Combination]:
    """All of a scene, those that cannot happen included; of required seats, or of those that are left out."""
    for seat in scene.left_out if left_out else scene.seats:
        for form in FORMS:
            for place in PLACES:
                for fate in FATES:
                    yield Combination(story=scene.story.name, role=seat.role, form=form, place=place, fate=fate)


def scenes() -> Iterator[Scene]:
    """Every green story."""
    for name in STORIES:
        scene = scene_of(name)
        if scene is not None:
            yield scene


@dataclass(frozen=True, kw_only=True)
class Set:
    """The objection of a combination, put into its world."""

    scene: Scene
    fail: Objection
    put: Put


def set_up(told: Combination) -> Set | None:
    """The world of a combination with the objection in it; none where that cannot happen."""
    scene = scene_of(told.story)
    assert scene is not None
    seat = next(each for each in (*scene.seats, *scene.left_out) if each.role == told.role)
    fail = objection_of(scene, seat, scene.story.world())
    if fail is None:
        return None
    put = put_in(scene, seat, fail, told)
    return None if put is None or not can_happen(put, told.fate) else Set(scene=scene, fail=fail, put=put)


def is_possible(told: Combination) -> bool:
    """Whether a combination can happen."""
    return set_up(told) is not None


def run(told: Combination) -> Outcome | None:
    """Decide a combination; none where it cannot happen."""
    found = set_up(told)
    if found is None:
        return None
    scene, fail, put = found.scene, found.fail, found.put
    seen = _seen(told.story, told.role, told.form, told.place, told.fate if told.fate == DISMISSED else "stays")
    word = is_word(put, fail, told.place, seen)
    FATES[told.fate](put, seen)
    after = seen if told.fate == "stays" else decide(put.world)
    first = BLOCKED
    if after.state is State.SUCCESS:
        fair = not word or is_lifted(scene, put, fail, told.form, told.fate)
        fair = fair or is_pass(put, after)
        first = ALLOWED if fair else UNFAIR
    if not put.seat.required or not has_answer(scene, put):
        return Outcome(combination=told, first=first, then=NOT_ASKED)
    again = everybody_answers(scene, put, told.fate)
    then = GREEN_AGAIN if again.state is State.SUCCESS else STUCK
    return Outcome(combination=told, first=first, then=then, reason="" if then == GREEN_AGAIN else reasons(again))


@lru_cache(maxsize=64)
def _seen(story: str, role: str, form: str, place: str, fate: str) -> Report:
    """The decision while the objection stands there as it was written."""
    found = set_up(Combination(story=story, role=role, form=form, place=place, fate=fate))
    assert found is not None
    return decide(found.put.world)


def reasons(report: Report) -> str:
    """Why it is not green, in a few words."""
    found = [
        f"{phase.name}: {need.name or need.kind.value} {need.why.value}"
        for phase in report.phases
        for need in phase.needs
        if need.state.value != "met"
    ]
    return "; ".join(found[:4])


def sample(found: Iterable[Scene], count: int, only: str = "") -> list[Combination]:
    """Some combinations, the same each time and of as many kinds as possible, in the order of their stories."""
    kinds: dict[tuple[str, ...], list[tuple[str, Combination]]] = {}
    for scene in found:
        dialects = {seat.role: seat.dialect for seat in scene.seats}
        for each in combinations(scene):
            if only in each.name:
                kind = (dialects[each.role], each.form, each.place, each.fate)
                kinds.setdefault(kind, []).append((sha256(each.name.encode()).hexdigest(), each))
    ranked = [(rank, mark, each) for kind in kinds.values() for rank, (mark, each) in enumerate(sorted(kind))]
    possible = (each for _, _, each in sorted(ranked, key=lambda row: row[:2]) if is_possible(each))
    return sorted(islice(possible, count), key=lambda each: each.name)
