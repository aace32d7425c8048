"""The gate's own record of words that are no PASS: statuses on the commits they judged, where no commenter can write.

One context, ``phase-gate/record``, whose description lists the role, the comment, the commit, the outcome and the
account of each. All of it is carried on to each new head. A word that is gone is noticed because the record still names
it. The record is the union of all that the gate's own account ever wrote there: nobody else adds or hides anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from phasegate.model.actors import Actor, is_own
from phasegate.model.report import State, StatusLine
from phasegate.model.signal import Kind, Outcome
from phasegate.model.snapshot import INVALID, CommitStatus, Record, RecordedVote
from phasegate.model.vote import Validity, Vote

CONTEXT = "phase-gate/record"
PREFIX = "On record: "
LIMIT = 140
SHORT = 7
ENTRY = re.compile(
    r"([a-z][a-z0-9-]{0,31}) ((?:comment|review)-[0-9]{1,20})(?:@([0-9a-f]{7,40}))?"
    r"(?: (FAIL|invalid))?(?: by ([0-9]{1,20}))?",
    re.ASCII,
)
NAME = re.compile(rf"{CONTEXT}(?:-[0-9]{{1,3}})?", re.ASCII | re.IGNORECASE)


def is_record(context: str) -> bool:
    """Whether a status of this context may be of the record."""
    return NAME.fullmatch(context) is not None


def read_record(statuses: Iterable[tuple[str, CommitStatus]], own: Actor | None) -> Record:
    """The record as it stands on commits: all that the gate's own account wrote, whatever came after it."""
    found = (
        RecordedVote(
            source=source,
            role=role,
            outcome=outcome or Outcome.FAIL.value,
            at=status.at,
            commit=failed or commit,
            recorded_on=commit,
            account=int(account) if account else None,
        )
        for commit, status in statuses
        if NAME.fullmatch(status.context) and is_own(status.creator, own)
        for role, source, failed, outcome, account in ENTRY.findall(status.description)
    )
    return Record(signals=tuple(sorted(dict.fromkeys(found), key=lambda seen: (seen.at, seen.source, seen.role))))


def record_lines(votes: Iterable[Vote], record: Record, head: str) -> dict[str, tuple[StatusLine, ...]]:
    """What must be written on the head so that it names every word that is no PASS; nothing where it does already."""
    entries: dict[tuple[str, str, str], str] = {}
    for seen in record.signals:
        entry = _entry(seen.commit or head, seen.outcome, seen.account)
        entries.setdefault((seen.source, seen.role, seen.outcome), entry)
    for vote in votes:
        outcome = recorded_outcome(vote)
        if outcome is not None and vote.role is not None:
            author = vote.signal.source.author
            entry = _entry(vote.commit or head, outcome, None if author is None else author.id)
            entries.setdefault((vote.signal.source.id, vote.role, outcome), entry)
    there = {(seen.source, seen.role, seen.outcome) for seen in record.signals if seen.recorded_on == head}
    if set(entries) <= there:
        return {}
    return {head: tuple(_lines([f"{role} {source}{entry}" for (source, role, _), entry in entries.items()]))}


def recorded_outcome(vote: Vote) -> str | None:
    """What goes on record about a vote: a FAIL, a word of a role that cannot be read, or nothing."""
    if vote.signal.source.pushed or vote.validity is Validity.IGNORED:  # Git and its log keep files
        return None
    if vote.failed:
        return Outcome.FAIL.value
    unread = vote.validity is Validity.INVALID and vote.signal.kind is Kind.VERDICT
    return INVALID if unread else None


def _entry(commit: str, outcome: str, account: int | None) -> str:
    by = "" if account is None else f" by {account}"
    return f"@{commit[:SHORT]} {outcome}{by}"


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
