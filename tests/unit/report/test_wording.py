"""Wording: there is a sentence for every reason, and something to do about everything that is not met."""

from __future__ import annotations

import pytest

from phasegate.model.finding import ReviewFinding, Settled
from phasegate.model.frozen import replace
from phasegate.model.problem import Where
from phasegate.model.report import Need, NeedKind, NeedState, NoteKind, Party, Product, Remedy, State, Task, Why
from phasegate.report.tasks import need_todo, task_text
from phasegate.report.wording import listing, need_text, note_text
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.unit.report.builders import HEAD, OLD, need, overridden, phase, problem, report, route

IN_FILES = (Why.PART_MISSING,)
WRONG = problem("PG101", "the block cannot be read", Where(), hint="Write it again.")


def told(why: Why, kind: NeedKind = NeedKind.SEAT, state: NeedState = NeedState.WAITING) -> Need:
    """A need with a value for everything that a sentence may tell."""
    values = {"judged": OLD, "said": "PASS", "by": "ana", "other": "inspector", "at": "2026-03-02", "issue": 7}
    counts = {"count": 4, "limit": 3, "findings": ("J1",), "permission": "write", "problem": WRONG, "commit": HEAD}
    found = ReviewFinding(
        id="thread-1", role="judge", by="ana", summary="J1", settled=Settled.OPEN, url="", at="2026-03-02"
    )
    folder = ".pipeline/7" if why in IN_FILES else None
    return need("judge", state, why, kind, **values, **counts, folder=folder, standing=(found,))


@pytest.mark.parametrize("why", Why)
def test_need_text__there_is_a_sentence_for_every_reason(why: Why) -> None:
    text = need_text(told(why))
    assert text
    assert "None" not in text
    assert not text.endswith((".", ":", " "))


def test_need_todo__is_the_sentence_of_the_task_that_was_proven() -> None:
    found = report_of(STORIES["judge-failed"])
    missing = next(each for phase in found.phases for each in phase.needs if each.name == "lens")
    proven = next(task for task in found.tasks if task.need == "lens")
    assert need_todo(missing, found) == task_text(proven, found) == "Ask Lens for a verdict on the new commit"
    assert need_todo(missing, replace(found, tasks=())) == ""


def test_need_todo__of_a_full_record_is_no_command_that_helps_another_need() -> None:
    full = need("build", NeedState.FAILED, Why.RECORD_FULL, NeedKind.HISTORY)
    rounds = need("build", NeedState.FAILED, Why.ESCALATED, NeedKind.ATTEMPTS)
    resume = Task(do=Remedy.RESUME, actor=Party.HUMAN, phase="build", need="build", product=Product(medium="comment"))
    push = Task(do=Remedy.SEPARATE_HEAD, actor=Party.AUTHOR, phase="build", need="build", hint="push a new commit")
    found = replace(report(State.FAILURE, phase("build", State.FAILURE, full, rounds)), tasks=(resume, push))
    assert need_todo(full, found).startswith("Author: push a new commit")
    assert need_todo(rounds, found).startswith("A human: look at what happened")


def test_need_todo__an_earlier_phase_is_nobodys_turn() -> None:
    assert need_todo(told(Why.EARLIER_PHASE, NeedKind.EARLIER_PHASE), report()) == ""


@pytest.mark.parametrize("kind", NoteKind)
def test_note_text__there_is_a_sentence_for_every_note(kind: NoteKind) -> None:
    base = overridden("hotfix", "mona", (7,))
    note = type(base)(kind=kind, issues=base.issues, by=base.by, reason=base.reason, problem=WRONG)
    assert note_text(note, report(State.SUCCESS, way=route()))


@pytest.mark.parametrize(
    ("names", "text"), [(["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C"), (["A", "A"], "A")]
)
def test_listing__names_each_once(names: list[str], text: str) -> None:
    assert listing(names) == text
