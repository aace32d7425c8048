"""The log of ref movements, from GitHub's own record, and the gate's record on the heads in it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import partial
from itertools import pairwise
from time import gmtime, strftime
from typing import TYPE_CHECKING, Any

from phasegate.github.client.answers import MissingError, MovedError, RefusedError
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import MOST_PAGES, contexts
from phasegate.github.reading.nodes import HEAD_FORCED
from phasegate.github.reading.queries import PAGE, PULL_COMMITS, statuses_query
from phasegate.github.reading.waves import Asked, Question
from phasegate.github.record import (
    Life,
    first_seen,
    is_crowded,
    is_full,
    is_of,
    is_record,
    kept_since,
    read_record,
    sealed_at,
    seals,
    seconds,
)
from phasegate.model.contexts import context_in, is_overall
from phasegate.model.frozen import dataclass, replace
from phasegate.model.snapshot import FORCED, BaseChange, ChangedFile, CommitStatus, PullRequest, Record, RefLog, RefMove
from phasegate.model.texts import Actor, DeletedComment, FileVersion, Push, is_own

if TYPE_CHECKING:
    from phasegate.github.reading.opening import Opening, Target

JSON = dict[str, Any]
SHORTEST = 7
MOST_OLDER_HEADS = 60
NOWHERE = "0" * 40
TIME = "%Y-%m-%dT%H:%M:%SZ"
# The log may not know of a push at once, and may note that a branch was made after it was.
LAG = (1.0, 2.0)
LATE_SECONDS = 5
OPEN, FORCE = "open", "force_push"
UNREADABLE = RefLog(source="none", complete=False)


def ref_log(client: Client, pull_request: PullRequest) -> RefLog:
    """The movements of the head branch; empty and incomplete if this token may not read them."""
    repository = pull_request.head.repository
    if repository is None:
        return UNREADABLE
    moves: tuple[RefMove, ...] = ()
    try:
        for wait in (*LAG, None):
            moves = _moves(client, f"/repos/{repository}/activity", pull_request)
            if wait is None or pull_request.state != OPEN or (moves and moves[-1].after == pull_request.head.sha):
                break
            client.pause(wait, "waiting for the log of the branch")
    except (MissingError, RefusedError):
        return UNREADABLE
    return RefLog(source="activity", complete=_unbroken(moves, pull_request), moves=moves)


def _moves(client: Client, path: str, pull_request: PullRequest) -> tuple[RefMove, ...]:
    """The movements since the branch was created. The name may have been used before."""
    entries = client.pages(path, ref=f"refs/heads/{pull_request.head.ref}", per_page=100, direction="asc")
    if len({entry["id"] for entry in entries}) != len(entries):
        raise MovedError(f"{path}: some movements are listed twice")
    arrived = (
        RefMove(
            at=entry["timestamp"],
            before=None if entry["before"] == NOWHERE else entry["before"],
            after=entry["after"],
            kind=entry["activity_type"],
            actor=nodes.actor(entry["actor"]),
        )
        for entry in entries
        if entry["after"] != NOWHERE
    )
    moves = tuple(sorted(arrived, key=lambda move: move.at))
    created = [index for index, move in enumerate(moves) if move.before is None and _begins(move, pull_request)]
    return moves[created[-1] :] if created else moves


def _begins(move: RefMove, pull_request: PullRequest) -> bool:
    """True if a movement precedes the opening. The creation of a branch may be logged a little later."""
    late = 0 if move.before is not None else LATE_SECONDS
    return seconds(move.at) - seconds(pull_request.created_at) <= late


def _unbroken(moves: tuple[RefMove, ...], pull_request: PullRequest) -> bool:
    """True if the log goes back to the opening without a gap and ends at the head, or reaches it while closed."""
    ends = {move.after for move in (moves[-1:] if pull_request.state == OPEN else moves)}
    if pull_request.head.sha not in ends or not _begins(moves[0], pull_request):
        return False
    since = (pair for pair in pairwise(moves) if pair[1].at > pull_request.created_at)
    return all(later.before in (None, earlier.after) for earlier, later in since)


def moves_of(client: Client, repository: str, branch: str) -> list[JSON] | None:
    """The last movements of a branch by GitHub's log, newest first, or None if unreadable."""
    path = f"/repos/{repository}/activity"
    try:
        return client.page(path, ref=f"refs/heads/{branch}", per_page=PAGE, direction="desc")
    except (MissingError, RefusedError):
        return None


def former_base(client: Client, repository: str, change: BaseChange, since: str) -> str | None:
    """The commit of the base when it changed: where it was forced from, or the last one in its branch's log.

    The log must go back to ``since`` and show that nothing was removed from the branch after that.
    """
    if change.kind == FORCED or not change.before:
        return change.before or None
    told = moves_of(client, repository, change.before) or []
    moves = [move for move in reversed(told) if move["timestamp"] <= change.at]
    if moves and moves[-1]["after"] == NOWHERE:  # it was deleted, and its pull requests got another base
        moves.pop()
    start = sum(move["timestamp"] < since for move in moves) - 1
    grew = (a["after"] == b["before"] != NOWHERE and b["activity_type"] != FORCE for a, b in pairwise(moves[start:]))
    if start < 0 or moves[-1]["timestamp"] == change.at or not all(grew):
        return None
    tip: str = moves[-1]["after"]
    return tip


def contains(client: Client, root: str, base: str, commit: str) -> bool:
    """True if a commit is in the history of a base."""
    told = client.find(f"{root}/compare/{base}...{commit}", per_page=1)
    return told is not None and told["ahead_by"] == 0


def same_files(one: tuple[ChangedFile, ...] | None, other: tuple[ChangedFile, ...] | None) -> bool:
    """True if two complete comparisons list the same files."""
    return one is not None and other is not None and {*one} == {*other}


def older_heads(log: RefLog, head: str) -> tuple[str, ...]:
    """The earlier head commits, up to a limit."""
    return tuple(dict.fromkeys(move.after for move in log.moves if move.after != head))[-MOST_OLDER_HEADS:]


def judged_heads(moves: Sequence[RefMove], head: str, words: Iterable[tuple[str, list[str]]]) -> tuple[str, ...]:
    """Older heads that words may be about: the head when they were written, or one that they name."""
    older = dict.fromkeys(move.after for move in moves if move.after != head)
    times = [move.at for move in moves]
    found: dict[str, None] = {}
    for text, written in words:
        for at in written:
            before = bisect_left(times, at)
            if before:
                found[moves[before - 1].after] = None
        lowered = text.lower()
        found |= dict.fromkeys(commit for commit in older if commit[:SHORTEST] in lowered)
    return tuple(commit for commit in found if commit in older)[-MOST_OLDER_HEADS:]


def pushed_heads(log: RefLog, head: str, accounts: frozenset[int]) -> tuple[str, ...]:
    """Older heads before and after these accounts' pushes, which may have changed the product."""
    pushes = (move for move in log.moves if move.actor is not None and move.actor.id in accounts)
    ends = dict.fromkeys(commit for move in pushes for commit in (move.before, move.after) if commit is not None)
    return tuple(commit for commit in ends if commit != head)[-MOST_OLDER_HEADS:]


class Unseen(Enum):
    """A head's content that could not be read."""

    UNSEEN = "unseen"


UNSEEN = Unseen.UNSEEN
# Whoever merges a pull request into the branch is not who wrote what it brings.
MERGES = ("pr_merge", "merge_queue_merge")
Held = str | None | Unseen


@dataclass(frozen=True, kw_only=True, slots=True)
class History:
    """The push that brought a file's present version, or None if unknown, and its earlier versions."""

    pushed: Push | None = None
    earlier: tuple[FileVersion, ...] = ()


def history_of(log: RefLog, held: Sequence[Held], texts: Mapping[str, str]) -> History:
    """The history of one file from its blob after each movement (or absent, or unseen), the last being the head's.

    ``texts``: known texts by blob. An earlier version has no actor if nobody can be named for it. A held value may
    include the mode: whoever changes the mode has changed the file.
    """
    if not log.complete or not log.moves:
        return History()
    *before, (last, _, certain) = _pushes(log.moves, held)
    blobs = ((push, was.partition(" ")[0]) for push, was, _ in before if isinstance(was, str))
    return History(
        pushed=last if certain else None,
        earlier=tuple(FileVersion(pushed=push, blob=blob, text=texts.get(blob)) for push, blob in blobs),
    )


def _pushes(moves: Sequence[RefMove], held: Sequence[Held]) -> Iterator[tuple[Push, Held, bool]]:
    """Distinct contents, oldest first, with their push, and whether that surely brought them."""
    for index, (move, now) in enumerate(zip(moves, held, strict=True)):
        if index == 0:
            certain = move.before is None  # a branch that was there before its log begins may have had the file already
        elif now is UNSEEN or now != held[index - 1]:
            follows = move.before in (None, moves[index - 1].after) and move.kind not in MERGES
            certain = follows and held[index - 1] is not UNSEEN
        else:
            continue
        yield Push(at=move.at, commit=move.after, actor=move.actor if certain else None), now, certain


HEADS_AT_ONCE = 100
MOST_HEADS = 2000
READ_AT_ONCE, MOST_READ = 3, 30
# A run withdraws the success on so many older heads; there is hardly ever more than one.
MOST_LEFT = 20
Recorded = tuple[str, CommitStatus]
Reported = dict[str, list[CommitStatus] | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """Earlier head commits, newest first, each with when it was left at the latest.

    ``lost``: when there last was one that can no longer be named.
    """

    heads: Mapping[str, str]
    lost: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordFound:
    """The record on older heads, and when the branch was last at an unread head that may hold more.

    ``green``: heads with a success among those looked at, each with its context. ``latest``: the last status of each
    of the gate's contexts on heads that were not read further.
    """

    statuses: tuple[Recorded, ...] = ()
    latest: tuple[Recorded, ...] = ()
    unseen: str | None = None
    green: tuple[tuple[str, str], ...] = ()


def record_on(client: Client, repository: str, commit: str, names: Iterable[str]) -> list[Recorded]:
    """Every status of the gate on a commit, by any author, replaced ones included.

    ``names``: the contexts listed by GraphQL.
    """
    listed = client.pages(f"/repos/{repository}/commits/{commit}/statuses", per_page=PAGE)
    found = [(commit, nodes.REST_STATUS(item)) for item in listed if context_in(item["context"])]
    same_lines(names, found)
    return found


def same_lines(names: Iterable[str], found: Iterable[Recorded]) -> None:
    """Refuses a list of statuses that lacks a line of the record, since its length is unknown.

    GraphQL names the contexts that must be in it.
    """
    told = {name.lower() for name in names if is_record(name)}
    if told - {status.context.lower() for _, status in found}:
        raise MovedError("only one of GitHub's interfaces lists a status of the record")


def past_heads(client: Client, pull: JSON, repository: str, log: RefLog, events: list[JSON]) -> Past:
    """The heads before this one: by the log, and beyond it by the commits and force pushes."""
    head: str = pull["headRefOid"]
    known: dict[str, str] = {}
    for move, later in reversed(list(pairwise(log.moves))):
        if move.after != head:
            known.setdefault(move.after, later.at)
    if log.complete:
        return Past(heads=known)
    pushes = [event for event in events if event["__typename"] == HEAD_FORCED]
    commits = _commits(client, pull["id"])
    last = max((str(event["createdAt"]) for event in pushes), default=str(pull["createdAt"]))
    found = [(commit, last) for commit in reversed(commits or [])]
    lost = [last] if commits is None else []
    for event in pushes:
        at = str(event["createdAt"])
        behind = _behind(client, f"/repos/{repository}/compare/{pull['baseRefOid']}", event["beforeCommit"])
        found += [(commit, at) for commit in behind or []]
        lost += [at] if behind is None else []
    heads = {commit: at for commit, at in {**dict(found), **known}.items() if commit != head}
    return Past(heads=heads, lost=max(lost, default=None))


def _commits(client: Client, identity: str) -> list[str] | None:
    """The commits of a pull request, oldest first; None if GitHub lists fewer than it counts."""
    found: list[str] = []
    before = None
    for _ in range(MOST_PAGES):
        node = client.graphql("Commits", PULL_COMMITS, {"id": identity, "before": before})["node"]
        if node is None:
            raise MovedError("query Commits: it is gone")
        page = node["commits"]
        found = [*(each["commit"]["oid"] for each in page["nodes"]), *found]
        if not page["pageInfo"]["hasPreviousPage"]:
            return found if len(set(found)) == page["totalCount"] else None
        before = page["pageInfo"]["startCursor"]
    return None


def _behind(client: Client, path: str, commit: JSON | None) -> list[str] | None:
    """The commits that a force push removed; None if GitHub does not list them all."""
    if commit is None:
        return None
    told = client.find(f"{path}...{commit['oid']}", per_page=PAGE)
    if told is None or told["total_commits"] != len(told["commits"]):
        return None
    return [commit["oid"], *(each["sha"] for each in reversed(told["commits"]))]


def last_record(client: Client, target: Target, past: Past, own: Actor | None, told: Reported) -> RecordFound:
    """The record on the last heads where it was written, back to one that surely holds everything before it.

    ``told``: statuses already known for some of them. A head may hold less: a run may have ended while it wrote, or
    the record there may be another pull request's.
    """
    heads = list(past.heads)
    for start in range(0, min(len(heads), MOST_HEADS), HEADS_AT_ONCE):
        if heads[start] not in told:
            told |= status_question(target.repository, heads[start : start + HEADS_AT_ONCE]).alone(client)
    lines = ((head, each.at) for head, found in told.items() for each in found or () if is_record(each.context))
    written = dict(sorted(lines, key=lambda line: line[1]))
    left, sealed, read = sorted(written, key=lambda head: written[head], reverse=True), "", list[Recorded]()
    while left and not written[left[0]] < sealed and len(written) - len(left) < MOST_READ:
        few, left = left[:READ_AT_ONCE], left[READ_AT_ONCE:]
        names = {head: [each.context for each in told[head] or ()] for head in few}
        reading = partial(record_on, client, target.repository)
        found = client.together({head: partial(reading, head, names[head]) for head in few})
        read += [each for statuses in found.values() for each in statuses]
        sealed = sealed_at(read, own, target.number)
    full = [head for head in written if is_full(each for each in read if each[0] == head)]
    unsure = [head for head in left if not written[head] < sealed]
    gone = [head for head, found in told.items() if found is None and not past.heads[head] < sealed]
    unread = [past.heads[head] for head in (*full, *unsure, *gone, *heads[MOST_HEADS:])]
    unread += [] if past.lost is None else [past.lost]
    ours = [(head, each) for head, found in told.items() for each in found or () if context_in(each.context)]
    known = dict(read)
    return RecordFound(
        statuses=tuple(read),
        latest=tuple((head, each) for head, each in ours if head not in known and not is_record(each.context)),
        unseen=max(unread, default=None),
        green=tuple(
            (head, each.context) for head, each in ours if each.state == "success" and is_overall(each.context)
        ),
    )


def left_green(
    client: Client, opened: Opening, green: Iterable[tuple[str, str]], listed: Iterable[JSON]
) -> tuple[tuple[str, str], ...]:
    """Older heads whose success nobody needs: no open pull request and no base is there."""
    heads = {node["headRefOid"] for node in listed}
    root = f"{opened.target.root}/compare/{opened.pull['baseRefOid']}"
    left = [(commit, context) for commit, context in green if commit not in heads][:MOST_LEFT]
    told = client.together({commit: partial(client.find, f"{root}...{commit}", per_page=1) for commit, _ in left})
    return tuple((commit, context) for commit, context in left if (told[commit] or {}).get("ahead_by"))


def status_question(repository: str, heads: list[str]) -> Question:
    """The statuses on each of some commits; nothing for missing ones."""
    owner, _, name = repository.partition("/")

    def asks(some: Sequence[str]) -> Asked:
        return "Statuses", statuses_query(some), {"owner": owner, "name": name}

    def tells(answer: JSON, some: Sequence[str]) -> Reported:
        commits = [(head, answer["repository"][f"head{number}"]) for number, head in enumerate(some)]
        told = ((head, commit and (commit["status"] or {}).get("contexts", [])) for head, commit in commits)
        return {head: found if found is None else list(nodes.statuses(found)) for head, found in told}

    return Question(items=heads, asks=asks, tells=tells)


def life_of(client: Client, opened: Opening, taken_at: str) -> Life:
    """The age of a pull request by GitHub's clock, which also dates its statuses."""
    there = client.there(client.now())
    return Life(
        number=opened.target.number,
        opened=opened.pull["createdAt"],
        now=taken_at if there is None else strftime(TIME, gmtime(there)),
        retention_days=opened.target.retention_days,
    )


def uncovered(
    client: Client, opened: Opening, deleted: Iterable[DeletedComment], older: Iterable[Recorded] = ()
) -> list[DeletedComment]:
    """Comments deleted since the opening and not covered by the last statuses of the head, nor of older heads."""
    life = life_of(client, opened, opened.pull["createdAt"])
    here = [(opened.pull["headRefOid"], each) for each in nodes.statuses(contexts(opened.commit))]
    since = kept_since((*here, *older), opened.own_account, life)
    return [each for each in deleted if each.at >= life.opened and (since is None or each.at <= since)]


def with_first(client: Client, opened: Opening, found: RecordFound, deleted: Iterable[DeletedComment]) -> RecordFound:
    """The record with every status of the oldest heads that the gate wrote on, if a deletion needs them.

    Usually only each context's last status is read there. Its first one may be older than the deletion.
    """
    if not uncovered(client, opened, deleted, (*found.statuses, *found.latest)):
        return found
    ours = [(status.at, head) for head, status in found.latest if is_own(status.creator, opened.own_account)]
    oldest = dict.fromkeys(head for at, head in sorted(ours) if at >= opened.pull["createdAt"])
    reading = partial(record_on, client, opened.target.repository, names=())
    read = client.together({head: partial(reading, head) for head in list(oldest)[:READ_AT_ONCE]})
    return replace(found, statuses=(*found.statuses, *(each for statuses in read.values() for each in statuses)))


def lost_words(found: Record, counted: int) -> int:
    """How many words counted by a seal are gone. A part of the record may be older than the seal."""
    return max(counted - len({(seen.source, seen.role, seen.outcome) for seen in found.signals}), 0)


def whole_record(here: list[Recorded], older: RecordFound, own: Actor | None, head: str, life: Life) -> Record:
    """Everything on record, whether it is complete, and since when. A seal gives the number of words."""
    read = (*here, *older.statuses)
    found = read_record((each for each in read if is_of(each[1].description, life.number)), own)
    told = seals(read, own, life.number)
    lost = lost_words(found, told[0].words) if told else 0
    unseen = max(filter(None, (older.unseen, told[0].at if lost else None)), default=None)
    return replace(
        found,
        complete=unseen is None,
        unseen=unseen,
        full=is_full(here),
        crowded=is_crowded(here),
        since=None if lost else kept_since((*read, *older.latest), own, life),
        sighted=first_seen(here, own, head, life),
        sealed=next(
            (each.at for each in told if each.commit == head and each.days in (None, life.retention_days)), None
        ),
        lost=lost,
    )
