"""The gate's own record of words other than PASS: statuses on the commits they judged, where no commenter can write.

One context, ``phase-gate/record``, whose description lists role, text, commit, outcome, account and time of each word.
Everything is copied to each new head. A removed word is noticed because the record still has it. The record is the
union of everything the gate's own account wrote: nobody else adds or hides anything. The line of the context without a
number, the seal, is written last. It says that everything on record for its pull request is there, how many words that
is and, before older statuses are deleted, since when the record has no gap. GitHub deletes statuses after the
retention period, so everything is written again, with its first dates, once a part reaches a quarter of that. A status
keeps the retention under which it was written. The seal names it too: if it has changed, everything is written again.
"""

from __future__ import annotations

import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterable, Iterator
from time import gmtime, strftime, strptime

from phasegate.model.contexts import context_in
from phasegate.model.frozen import dataclass, replace
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
    r"(?: (FAIL|BLOCKED|PARTIAL|invalid|asks-[a-z]{1,10}))?(?: by ([0-9]{1,20}))?"
    r"(?: at ([0-9]{9,10})(?![0-9])(?:\+([0-9]{1,9})(?![0-9]))?)?",
    re.ASCII,
)
SEAL = re.compile(
    r"On record of #(?P<number>[0-9]{1,10})(?: \((?P<words>[0-9]{1,6})(?:, (?P<days>[0-9]{1,3})d)?\))?"
    r"(?: since (?P<since>[0-9]{9,10}))?(?:, head (?P<head>[0-9]{9,10}))?: ",
    re.ASCII,
)
OF = re.compile(r"On record of #([0-9]{1,10})[: ]", re.ASCII)
NOTHING = "nothing"
TIME = "%Y-%m-%dT%H:%M:%SZ"
# GitHub takes so many statuses of a context on a commit; where one is full, a line goes into another
MOST_STATUSES = 1000
MOST_LINES = 900
SPARE = tuple(f"{CONTEXT}-{number}" for number in range(995, 1000))
# From so many on nothing is written only to renew it: what is new needs the rest.
MOST_RENEWED = 900
DAY = 86400
# What is kept in statuses or runs, how long, when it is written again, and what happens once it is gone.
FORGETTING = (
    ("the record of words", "retention", "by every run and sweep, from a quarter of it on", "the phase waits"),
    ("since when the record has no gap", "retention", "with the record", "the phase waits, if a comment was deleted"),
    ("when a head was first seen", "retention", "with the record", "words that name the head wait"),
    ("the statuses of the gate", "retention", "when they change, and by the sweep every day", "blocks: no status"),
    ("the mark in the link", "20 hours, or a quarter of the retention", "with its status", "everything is read"),
    ("approvals by runs (humans.dispatch)", "retention", "never", "blocks: approve again"),
    ("check runs of reviewers and checks", "retention", "by their app", "blocks: run them again"),
)
# How many parts of the retention a record may grow old before it is written anew. A sweep sees the youngest line only,
# so beside something new all that has reached a sixth of that age is written anew too.
PARTS, SPREAD = 4, 6
# The clocks of GitHub's machines differ a little.
MARGIN = 300
NAME = re.compile(rf"{CONTEXT}(?:-[0-9]{{1,3}})?", re.ASCII | re.IGNORECASE)
# A status and its commit.
Written = tuple[str, CommitStatus]
# Source, role and outcome of a word.
Key = tuple[str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """What a pull request's record needs to age: its opening, GitHub's time, and how long statuses are kept."""

    number: int
    opened: str
    now: str
    retention_days: int

    def age(self, at: str) -> int:
        """The number of seconds since a time."""
        return seconds(self.now) - seconds(at)

    @property
    def is_young(self) -> bool:
        """True if everything written since the opening still exists; false if the clock is behind."""
        return 0 <= self.age(self.opened) < self.retention_days * DAY

    def is_worn(self, at: str) -> bool:
        """True if something written at that time must be written again; well before a third of the retention."""
        return self.age(at) >= lasts(self.retention_days)

    def lives(self, at: str) -> bool:
        """True if everything written after this time still exists; false for a time in the future."""
        return -MARGIN <= self.age(at) <= self.retention_days * DAY


def lasts(retention_days: int) -> float:
    """The number of seconds before a record is written again."""
    return retention_days * DAY / PARTS


def seconds(at: str) -> int:
    """A time in seconds since 1970."""
    return timegm(strptime(at, TIME))


def is_record(context: str) -> bool:
    """True if a status of this context may belong to the record."""
    return NAME.fullmatch(context) is not None


def is_of(line: str, number: int) -> bool:
    """True if a line of the record belongs to a pull request, or names none."""
    told = OF.match(line)
    return told is None or int(told[1]) == number


def is_full(statuses: Iterable[Written]) -> bool:
    """True if a commit with these statuses has no more room for the record, whoever wrote them."""
    counts = Counter(status.context.lower() for _, status in statuses)
    return all(counts[context] >= MOST_STATUSES for context in SPARE)


def is_crowded(statuses: Iterable[Written]) -> bool:
    """True if a context has so many statuses on a commit that nothing is written only to renew it."""
    counts = Counter(status.context.lower() for _, status in statuses if is_record(status.context))
    return any(count >= MOST_RENEWED for count in counts.values())


def read_record(statuses: Iterable[Written], own: Actor | None) -> Record:
    """The record on some commits: everything the gate's own account wrote, whatever came later.

    Lines that were renewed on a commit count once, with their first dates.
    """
    found: dict[tuple[str, str, str, str], RecordedVote] = {}
    for commit, status in statuses:
        ours = NAME.fullmatch(status.context) and is_own(status.creator, own)
        for role, source, failed, outcome, account, said, later in ENTRY.findall(status.description) if ours else ():
            seen = RecordedVote(
                source=source,
                role=role,
                outcome=outcome or Outcome.FAIL.value,
                at=said_at(said, status),
                commit=failed or commit,
                recorded_on=commit,
                account=int(account) if account else None,
                first=said_at(str(int(said) + int(later)) if later else "", status),
                written=status.at,
            )
            key = (seen.source, seen.role, seen.outcome, commit)
            found[key] = _once(found.get(key, seen), seen)
    return Record(signals=tuple(sorted(found.values(), key=lambda seen: (seen.at, seen.source, seen.role))))


def _once(known: RecordedVote, seen: RecordedVote) -> RecordedVote:
    """Two lines on one commit about one word, merged: first said and recorded, and last written."""
    earlier = min(known, seen, key=lambda each: each.at)
    first, written = min(known.first or "", seen.first or ""), max(known.written or "", seen.written or "")
    return replace(earlier, first=first, written=written)


@dataclass(frozen=True, kw_only=True, slots=True)
class Seal:
    """The contents of the record's last line.

    ``since``: the record has no gap from here on, if given. ``head``: when the commit was first seen as the head.
    ``words``: the number of recorded words. ``days``: the retention at the time of writing, if given.
    """

    commit: str
    at: str
    since: str | None
    head: str
    words: int
    days: int | None


def seals(statuses: Iterable[Written], own: Actor | None, number: int) -> list[Seal]:
    """The seals of a pull request, newest first. Impossible dates are ignored."""
    found = []
    for commit, status in statuses:
        told = SEAL.match(status.description) if is_seal(status.context) and is_own(status.creator, own) else None
        if told is not None and int(told["number"]) == number:
            since, head = said_at(told["since"], status) if told["since"] else None, said_at(told["head"], status)
            days, words = None if told["days"] is None else int(told["days"]), int(told["words"] or 0)
            found.append(Seal(commit=commit, at=status.at, since=since, head=head, words=words, days=days))
    return sorted(found, key=lambda seal: seal.at, reverse=True)


def sealed_at(statuses: Iterable[Written], own: Actor | None, number: int) -> str:
    """When a commit was last said to hold everything on record for a pull request."""
    return next((seal.at for seal in seals(statuses, own, number)), "")


def kept_since(statuses: Iterable[Written], own: Actor | None, life: Life) -> str | None:
    """Since when the gate has kept a pull request on record without a gap, or None.

    The newest seal says so if it is still valid: everything after it is there as well. For a pull request younger than
    the retention nothing can have been deleted yet, so any of the gate's statuses will do.
    """
    told = list(statuses)
    newest = next(iter(seals(told, own, life.number)), None)
    if newest is not None and not (newest.since is None and life.is_young):
        since = newest.since or newest.at
        return since if life.lives(newest.at) and since >= life.opened else None
    ours = (status.at for _, status in told if context_in(status.context) and is_own(status.creator, own))
    since_opening = (at for at in ours if at >= life.opened and life.age(at) >= -MARGIN)
    return min(since_opening, default=None) if life.is_young else None


def first_seen(statuses: Iterable[Written], own: Actor | None, head: str, life: Life) -> str | None:
    """When the gate first saw a commit as the head, by its statuses and their seals."""
    here = [(commit, status) for commit, status in statuses if commit == head]
    ours = [status.at for _, status in here if context_in(status.context) and is_own(status.creator, own)]
    told = (*ours, *(seal.head for seal in seals(here, own, life.number)))
    return min((at for at in told if at >= life.opened), default=None)  # it may have been another's head before


def is_seal(context: str) -> bool:
    """True if a line of the record is the last one written."""
    return context.lower() == CONTEXT


def record_lines(
    votes: Iterable[Vote], record: Record, head: str, life: Life, *, accepted: bool = True
) -> dict[str, tuple[StatusLine, ...]]:
    """What to write on the head so that it names every word other than PASS that it lacks.

    If a part of the record is worn, everything is written again. ``accepted``: no phase waits for words that the
    record has lost.
    """
    entries = _entries(votes, record, head)
    if not entries and not life.is_worn(life.opened):
        return {}
    there = {
        (seen.source, seen.role, seen.outcome): seen.written or ""
        for seen in record.signals
        if seen.recorded_on == head
    }
    lacking = [key for key in entries if key not in there]
    lost = 0 if accepted else record.lost
    oldest = max((life.age(at) for at in (record.sealed, *there.values()) if at), default=0)
    worn = record.sealed is None or oldest >= lasts(life.retention_days) / (SPREAD if lacking else 1)
    if (worn or (record.lost and not lost)) and not record.crowded:
        lacking = list(entries)
    elif not lacking:
        return {}
    told = [f"{key[1]} {key[0]}{entries[key]}" for key in lacking]
    since, seen = (at if at and life.is_worn(at) else None for at in (record.since, record.sighted))
    dates = (f" since {seconds(since)}" if since else "") + (f", head {seconds(seen)}" if seen else "")
    seal = f"{PREFIX.format(number=life.number)[:-2]} ({len(entries) + lost}, {life.retention_days}d){dates}: "
    return {head: tuple(_lines(told, seal, PREFIX.format(number=life.number)))}


def _entries(votes: Iterable[Vote], record: Record, head: str) -> dict[Key, str]:
    """Every word other than PASS in its recorded form, with its time in seconds, for every head."""
    entries: dict[Key, str] = {}
    first: dict[Key, str] = {}
    for seen in record.signals:
        key = (seen.source, seen.role, seen.outcome)
        first[key] = min(first.get(key, seen.first or seen.at), seen.first or seen.at)
    for seen in record.signals:
        key = (seen.source, seen.role, seen.outcome)
        later = max(seconds(first[key]) - seconds(seen.at), 0)
        entries.setdefault(key, f"{_entry(seen.commit or head, seen.outcome, seen.account, seen.at)}+{later}")
    for vote, outcome in [(each, outcome) for each in votes for outcome in remembered(each)]:
        if vote.role is not None:
            source, author = vote.signal.source, vote.signal.source.author
            about = source.commit if source.pushed else vote.commit
            entry = _entry(about or head, outcome, None if author is None else author.id, source.at)
            entries.setdefault((vote.place, vote.role, outcome), entry)
    return entries


def _entry(commit: str, outcome: str, account: int | None, at: str) -> str:
    by = "" if account is None else f" by {account}"
    return f"@{commit[:SHORT]} {outcome}{by} at {seconds(at)}"


def remembered(vote: Vote) -> Iterator[str]:
    """Everything to record about a vote: an outcome other than PASS, and a valid vote's requests."""
    outcome = recorded_outcome(vote)
    if outcome is not None:
        yield outcome
    if vote.validity is Validity.VALID:
        yield from (f"{ASKS}{what.value}" for what in vote.signal.asks)


def recorded_outcome(vote: Vote) -> str | None:
    """The recorded outcome of a vote other than PASS. Of one that was edited away only a FAIL is recorded.

    A check run in progress is not a word yet.
    """
    under_way = vote.signal.source.medium is Medium.CHECK_RUN and not vote.failed
    if under_way or (vote.validity is Validity.EDITED_AWAY and not vote.failed):
        return None
    return vote.objection


def said_at(told: str | None, status: CommitStatus) -> str:
    """The time in a line of the record; at the latest, when the line was written."""
    return min(strftime(TIME, gmtime(int(told))), status.at) if told else status.at


def _lines(entries: list[str], seal: str, prefix: str) -> Iterator[StatusLine]:
    """As many statuses as the entries need, beginning with the seal. All of them are read."""
    lines = [seal]
    for entry in entries:
        if lines[-1].endswith(": ") and len(lines[-1]) + len(entry) <= LIMIT:
            lines[-1] += entry
        elif not lines[-1].endswith(": ") and len(lines[-1]) + len(entry) + 2 <= LIMIT:
            lines[-1] += f", {entry}"
        else:
            lines.append(prefix + entry)
    for index, description in enumerate(lines):
        number = index % MOST_LINES + 1
        context = CONTEXT if number == 1 else f"{CONTEXT}-{number}"
        told = f"{description}{NOTHING}" if description.endswith(": ") else description
        yield StatusLine(context=context, state=State.SUCCESS, description=told)
