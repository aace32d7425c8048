"""The gate's own record of words that are no PASS: statuses on the commits they judged, where no commenter can write.

One context, ``phase-gate/record``, whose description lists the role, the text, the commit, the outcome, the account and
the time of each. All of it is carried on to each new head. A word that is gone is noticed because it stands there.
The record is the union of all that the gate's own account ever wrote there: nobody else adds or hides anything. The
line of the context without a number is written last: it tells that all that its pull request had on record is there.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterable, Iterator
from time import gmtime, strftime, strptime

from phasegate.model.report import State, StatusLine
from phasegate.model.signal import ASKS, Medium, Outcome, Validity, Vote
from phasegate.model.snapshot import CommitStatus, Record, RecordedVote
from phasegate.model.texts import Actor, is_own

CONTEXT = "phase-gate/record"
PREFIX = "On record of #{number}: "
LIMIT = 140
SHORT = 7
ENTRY = re.compile(
    r"([a-z][a-z0-9._#-]{0,47}) ((?:comment|review|check_run)-[0-9]{1,20}|file-[0-9a-f]{12})(?:@([0-9a-f]{7,40}))?"
    r"(?: (FAIL|BLOCKED|PARTIAL|invalid|asks-[a-z]{1,10}))?(?: by ([0-9]{1,20}))?(?: at ([0-9]{9,10})(?![0-9]))?",
    re.ASCII,
)
TIME = "%Y-%m-%dT%H:%M:%SZ"
# GitHub takes so many statuses of a context on a commit; where one is full, a line goes into another
MOST_STATUSES = 1000
MOST_LINES = 900
SPARE = tuple(f"{CONTEXT}-{number}" for number in range(995, 1000))
NAME = re.compile(rf"{CONTEXT}(?:-[0-9]{{1,3}})?", re.ASCII | re.IGNORECASE)


def is_record(context: str) -> bool:
    """Whether a status of this context may be of the record."""
    return NAME.fullmatch(context) is not None


def is_full(statuses: Iterable[tuple[str, CommitStatus]]) -> bool:
    """Whether a commit with these statuses takes no more of the record, whoever wrote them."""
    counts = Counter(status.context.lower() for _, status in statuses)
    return all(counts[context] >= MOST_STATUSES for context in SPARE)


def read_record(statuses: Iterable[tuple[str, CommitStatus]], own: Actor | None) -> Record:
    """The record as it stands on commits: all that the gate's own account wrote, whatever came after it."""
    found = (
        RecordedVote(
            source=source,
            role=role,
            outcome=outcome or Outcome.FAIL.value,
            at=said_at(said, status),
            commit=failed or commit,
            recorded_on=commit,
            account=int(account) if account else None,
        )
        for commit, status in statuses
        if NAME.fullmatch(status.context) and is_own(status.creator, own)
        for role, source, failed, outcome, account, said in ENTRY.findall(status.description)
    )
    return Record(signals=tuple(sorted(dict.fromkeys(found), key=lambda seen: (seen.at, seen.source, seen.role))))


def sealed_at(statuses: Iterable[tuple[str, CommitStatus]], own: Actor | None, number: int) -> str:
    """When it was last told that all that a pull request had on record stands on a commit."""
    ours = (status for _, status in statuses if is_seal(status.context) and is_own(status.creator, own))
    return max((each.at for each in ours if each.description.startswith(PREFIX.format(number=number))), default="")


def is_seal(context: str) -> bool:
    """Whether a line of the record is the one that is written last."""
    return context.lower() == CONTEXT


def record_lines(votes: Iterable[Vote], record: Record, head: str, number: int) -> dict[str, tuple[StatusLine, ...]]:
    """What must be written on the head so that it names every word that is no PASS, as far as it does not already.

    ``number``: the pull request whose record it is; a commit may be the head of several.
    """
    entries: dict[tuple[str, str, str], str] = {}
    for seen in record.signals:
        entry = _entry(seen.commit or head, seen.outcome, seen.account, seen.at)
        entries.setdefault((seen.source, seen.role, seen.outcome), entry)
    for vote, outcome in [(each, outcome) for each in votes for outcome in remembered(each)]:
        if vote.role is not None:
            source = vote.signal.source
            about = source.commit if source.pushed else vote.commit
            entry = _entry(about or head, outcome, None if source.author is None else source.author.id, source.at)
            entries.setdefault((vote.place, vote.role, outcome), entry)
    there = {(seen.source, seen.role, seen.outcome) for seen in record.signals if seen.recorded_on == head}
    lacking = [f"{key[1]} {key[0]}{entry}" for key, entry in entries.items() if key not in there]
    return {head: tuple(_lines(lacking, PREFIX.format(number=number)))} if lacking else {}


def remembered(vote: Vote) -> Iterator[str]:
    """All that goes on record about a vote: that it is no PASS, and what a valid one asks for."""
    outcome = recorded_outcome(vote)
    if outcome is not None:
        yield outcome
    if vote.validity is Validity.VALID:
        yield from (f"{ASKS}{what.value}" for what in vote.signal.asks)


def recorded_outcome(vote: Vote) -> str | None:
    """What goes on record about a vote: that it is no PASS; of one that was edited away only that it failed.

    A check run that is under way is no word yet.
    """
    under_way = vote.signal.source.medium is Medium.CHECK_RUN and not vote.failed
    if under_way or (vote.validity is Validity.EDITED_AWAY and not vote.failed):
        return None
    return vote.objection


def _entry(commit: str, outcome: str, account: int | None, at: str) -> str:
    """A word as it is written down; when it was said is told in seconds, since every head gets the whole list."""
    by = "" if account is None else f" by {account}"
    return f"@{commit[:SHORT]} {outcome}{by} at {timegm(strptime(at, TIME))}"


def said_at(told: str, status: CommitStatus) -> str:
    """When a word on record was said; where an entry does not tell, it was by the time that this was written."""
    return min(strftime(TIME, gmtime(int(told))), status.at) if told else status.at


def _lines(entries: list[str], prefix: str) -> Iterator[StatusLine]:
    """As many statuses as the entries need; whatever their contexts, all of them are read."""
    lines: list[str] = []
    for entry in entries:
        if lines and len(lines[-1]) + len(entry) + 2 <= LIMIT:
            lines[-1] += f", {entry}"
        else:
            lines.append(prefix + entry)
    for index, description in enumerate(lines):
        number = index % MOST_LINES + 1
        context = CONTEXT if number == 1 else f"{CONTEXT}-{number}"
        yield StatusLine(context=context, state=State.SUCCESS, description=description)
