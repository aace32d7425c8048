"""The gate's own record of failing verdicts: statuses on the commits that were failed, where no commenter can write.

One context, ``phase-gate/record``, whose description lists the role and the comment of each FAIL. A deleted or emptied
FAIL is noticed because the record still names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phasegate.model.decision import State, StatusLine, Word
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import CommitStatus, Record, SeenSignal

CONTEXT = "phase-gate/record"
PREFIX = "FAIL on record: "
LIMIT = 140
ENTRY = re.compile(r"([a-z][a-z0-9-]{0,31}) ((?:comment|review)-[0-9]{1,20})", re.ASCII)
NAME = re.compile(rf"{CONTEXT}(?:-[0-9]{{1,3}})?", re.ASCII | re.IGNORECASE)


def read_record(statuses: Iterable[tuple[str, CommitStatus]]) -> Record:
    """The record as it stands on commits."""
    found = [
        SeenSignal(source=source, role=role, outcome=Outcome.FAIL.value, at=status.at, commit=commit)
        for commit, status in statuses
        if NAME.fullmatch(status.context)
        for role, source in ENTRY.findall(status.description)
    ]
    return Record(signals=tuple(sorted(found, key=lambda seen: (seen.at, seen.source, seen.role))))


def record_lines(words: Iterable[Word], record: Record, head: str) -> dict[str, tuple[StatusLine, ...]]:
    """What must be written down that is not yet, by commit; words on an issue are kept at the head."""
    known = {(seen.source, seen.role) for seen in record.signals}
    fresh = [(word.commit or head, word) for word in words if word.failed and word.role is not None]
    wanted = {commit for commit, word in fresh if (word.signal.source.id, word.role) not in known}
    return {commit: tuple(_lines(_entries(commit, fresh, record))) for commit in sorted(wanted)}


def _entries(commit: str, fresh: list[tuple[str, Word]], record: Record) -> list[str]:
    """All entries of a commit, those that are there already first."""
    there = [f"{seen.role} {seen.source}" for seen in record.signals if seen.commit == commit]
    new = [f"{word.role} {word.signal.source.id}" for at, word in fresh if at == commit]
    return list(dict.fromkeys((*there, *new)))


def _lines(entries: list[str]) -> Iterator[StatusLine]:
    """As many statuses as the entries need."""
    lines: list[str] = []
    for entry in entries:
        if lines and len(lines[-1]) + len(entry) + 2 <= LIMIT:
            lines[-1] += f", {entry}"
        else:
            lines.append(PREFIX + entry)
    for number, description in enumerate(lines, start=1):
        context = CONTEXT if number == 1 else f"{CONTEXT}-{number}"
        yield StatusLine(context=context, state=State.SUCCESS, description=description)
