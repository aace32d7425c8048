"""The toy dialect: the first line of a text in, its word out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from phasegate.dialects.dialect import Gathered, Reading, Surroundings, Text
from phasegate.model.codec import text_digest
from phasegate.model.signal import IssueFolder, Kind, Outcome, RoleClaim, Signal
from tests.toy.declaration import FOLDER, NAME, REPORT, WORD

LINE = re.compile(rf"{WORD} (?P<role>[a-z]+): (?P<word>PASS|FAIL)(?:\n.*)?", re.DOTALL)
IN_FILE = re.compile(r"(?P<word>PASS|FAIL)(?:\n.*)?", re.DOTALL)
PATH = re.compile(rf"{re.escape(FOLDER)}/(?P<issue>[0-9]+)/{re.escape(REPORT)}")


def read_text(text: Text) -> tuple[Signal, ...]:
    """The word of a comment, or of a report; nothing where there is none."""
    if text.source.pushed:
        place, found = PATH.fullmatch(text.source.id), IN_FILE.fullmatch(text.body or "")
        if place is None or found is None:
            return ()
        spoken = _signal(text, REPORT, found["word"])
        return (replace(spoken, source=replace(text.source, issue=int(place["issue"]))),)
    said = LINE.fullmatch(text.body or "")
    return () if said is None else (_signal(text, said["role"], said["word"]),)


def _signal(text: Text, role: str, word: str) -> Signal:
    return Signal(
        dialect=NAME,
        kind=Kind.VERDICT,
        claims=(RoleClaim(by="the first line", role=role),),
        outcome=Outcome(word),
        digest=text_digest(text.body or ""),
        source=text.source,
        where=text.where,
    )


def gather(readings: Sequence[Reading], around: Surroundings) -> Gathered:
    """Every word, and the folder of each linked issue."""
    folders = tuple(IssueFolder(issue=issue.number, path=f"{FOLDER}/{issue.number}") for issue in around.issues)
    return Gathered(signals=tuple(signal for reading in readings for signal in reading.signals), folders=folders)
