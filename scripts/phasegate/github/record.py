"""The gate's own record of failing verdicts: statuses on the commits that were failed, where no commenter can write.

One context, ``phase-gate/record``, whose description lists the role, the comment and the commit of each FAIL. All of it
is carried on to each new head. A deleted or emptied FAIL is noticed because the record still names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phasegate.model.report import State, StatusLine
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import CommitStatus, Record, RecordedVote
from phasegate.model.vote import Vote

CONTEXT = "phase-gate/record"
PREFIX = "FAIL on record: "
LIMIT = 140
SHORT = 7
ENTRY = re.compile(r"([a-z][a-z0-9-]{0,31}) ((?:comment|review)-[0-9]{1,20})(?:@([0-9a-f]{7,40}))?", re.ASCII)
NAME = re.compile(rf"{CONTEXT}(?:-[0-9]{{1,3}})?", re.ASCII | re.IGNORECASE)


def read_record(statuses: Iterable[tuple[str, CommitStatus]]) -> Record:
    """The record as it stands on commits."""
    found = [
        RecordedVote(
            source=source,
            role=role,
            outcome=Outcome.FAIL.value,
            at=status.at,
            commit=failed or commit,
            recorded_on=commit,
        )
        for commit, status in statuses
        if NAME.fullmatch(status.context)
        for role, source, failed in ENTRY.findall(status.description)
    ]
    return Record(signals=tuple(sorted(found, key=lambda seen: (seen.at, seen.source, seen.role))))


def record_lines(votes: Iterable[Vote], record: Record, head: str) -> dict[str, tuple[StatusLine, ...]]:
    """What must be written on the head so that it names every FAIL; nothing where it does already."""
    entries = {(seen.source, seen.role): (seen.commit or head)[:SHORT] for seen in record.signals}
    for vote in votes:
        if vote.failed and vote.role is not None and not vote.signal.source.pushed:  # Git and its log keep those
            entries.setdefault((vote.signal.source.id, vote.role), (vote.commit or head)[:SHORT])
    there = {(seen.source, seen.role) for seen in record.signals if seen.recorded_on == head}
    if set(entries) <= there:
        return {}
    return {head: tuple(_lines([f"{role} {source}@{commit}" for (source, role), commit in entries.items()]))}


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
