"""The reading stage: every version of every text through the dialects of the policy, and through the command reader.

Who wrote it is asked first: what only strangers wrote is searched for marks and noted, and never taken apart. What
an app that nobody named wrote is answered within bounds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from phasegate.catalogue import problem
from phasegate.dialects.commands import COMMANDS, doubts, inline_commands, overwritten_withdrawals, read_commands
from phasegate.dialects.dialect import (
    Added,
    Dialect,
    Foreseen,
    Gathered,
    Reading,
    Surroundings,
    Text,
    as_carried,
    capped,
    one_dialect,
    without_ticks,
)
from phasegate.dialects.near import near_words
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence, holds_phrase
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Command, IssueFolder, Kind, Medium, Outcome, Place, Role, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import ACTIONS_APP, Actor, BranchFile, Comment, Edit, Push, Reply, same_id

EARLIER, LATER = "an earlier version", "a later version"
MOST_UNREAD = 20
MOST_COMMANDS = 20  # of one text; the last are the ones that hold
# Characters of earlier versions that are taken apart: of one comment, and of all.
MOST_EARLIER_OF_ONE, MOST_EARLIER = 500_000, 2_000_000
# Characters, the newest first: of what can count for nothing and is answered, and of what is only searched for marks.
MOST_ANSWERED, MOST_SEARCHED = 500_000, 8_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """What was found in a snapshot's texts; ``unread`` are those without a word, and all reviews, which may object.

    ``left_out`` counts what strangers wrote before the newest of it, with marks or too much to be searched for any.
    """

    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    unread: tuple[Text, ...] = ()
    foreseen: Foreseen = ()


def collect(around: Surroundings, dialects: Sequence[Dialect], roles: Sequence[Role]) -> Collected:
    """All signals and commands of a snapshot, in the dialects that the policy uses."""
    readings: dict[str, list[Reading]] = {dialect.name: [] for dialect in dialects}
    commands: list[Command] = []
    triggers = {trigger for dialect in dialects for trigger in dialect.footprint.triggers}
    markers = tuple(sorted({*triggers, *around.marks}))
    added = Added(footers=around.footers, markers=markers, heads=around.snapshot.heads)
    texts = [Said(written=each, source=each.source) for each in written_texts(around.snapshot)]
    strange = _strange(around, texts, dialects)
    unread: list[Text] = []
    near: list[Signal] = []
    left = MOST_EARLIER
    for written in (each.written for each in texts if each.source.id not in strange):
        room = min(left, MOST_EARLIER_OF_ONE) if _readable(written.comment) else 0  # else nobody can tell ticks
        comment, looked_at = without_ticks(written.comment, added, room)
        versions, left = tuple(replace(written, comment=comment).versions(added)), left - looked_at
        given = tuple(deque(read_commands(versions[-1], around.phases), maxlen=MOST_COMMANDS))
        commands.extend((*given, *overwritten_withdrawals(versions, around.phases)))
        commands.extend(deque(doubts(versions[-1], around.phases), maxlen=MOST_COMMANDS))
        old, left = within(versions, left)
        speaking = [each for each in dialects if versions[-1].source.medium in each.media]
        found = {each.name: _readings(versions, old, each, roles) for each in speaking}
        told = any(reading.signals for each in found.values() for reading in each)
        found = found if told else dict([_unreadable(versions, name) for name in found][:1])
        near.extend(near_words(versions, found, dialects))
        if not told or written.medium is Medium.REVIEW:
            tries = (version for version in versions if not version.talk)
            unread.extend(version.marked(commands=told or bool(given)) for version in tries)
        for name, each in one_dialect(found).items():
            readings[name].extend(each)
        versions[-1].put_away()
    for text in thread_texts(around.snapshot):
        if not (around.stranger(text.source) or around.unheard(text.source)):
            commands.extend(deque(inline_commands(text, around.phases), maxlen=MOST_COMMANDS))
    for dialect in dialects:
        readings[dialect.name].extend(_files(around, dialect, roles))
    for text in check_texts(around.snapshot):
        runs = {each.name: _read(text, each, roles) for each in dialects if text.source.medium in each.media}
        for name, reading in runs.items():
            readings[name].append(reading)
        unread.extend(() if any(reading.signals for reading in runs.values()) else (text,))
    gathered = [dialect.together(readings[dialect.name], around) for dialect in dialects]
    gathered.append(Gathered(signals=tuple(near)))
    return _collected(gathered, commands, _searched_through(strange.values(), dialects), unread)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """A text with its author and time."""

    written: Written
    source: Source


def _strange(around: Surroundings, texts: Sequence[Said], dialects: Sequence[Dialect]) -> dict[str, Said]:
    """The texts that are only searched: of strangers, and of others that can count for nothing the oldest of very many.

    Texts without a mark cost next to nothing.
    """
    strange = {each.source.id: each for each in texts if around.stranger(each.source)}
    unheard = (each for each in texts if each.source.id not in strange and around.unheard(each.source))
    phrases = tuple(phrase for each in dialects for phrase in each.footprint.phrases)
    marked = [e for e in unheard if any(_noted(e, dialects)) or holds_phrase(e.written.comment.text, phrases)]
    left = MOST_ANSWERED
    for each in _newest_first(marked):
        left -= len(each.written.comment.text)
        if left < 0:
            strange[each.source.id] = each
    return strange


def _newest_first(texts: Iterable[Said]) -> list[Said]:
    return sorted(texts, key=lambda each: each.source.moment, reverse=True)


def _searched_through(strange: Collection[Said], dialects: Sequence[Dialect]) -> tuple[list[Signal | Command], int]:
    """What strangers wrote that holds a mark, the oldest first, and how many texts are too much to be searched."""
    found: list[Signal | Command] = []
    left, searched = MOST_SEARCHED, 0
    for each in _newest_first(strange):
        comment = each.written.comment
        left -= len(comment.text) + sum(len(edit.text or "") for edit in comment.history[:-1])
        if left < 0:
            break
        searched += 1
        found.extend(_noted(each, dialects))
    return found[::-1], len(strange) - searched


def _collected(
    gathered: Sequence[Gathered],
    commands: Sequence[Command],
    noted: tuple[list[Signal | Command], int],
    unread: Sequence[Text],
) -> Collected:
    """All together; of what strangers wrote the newest."""
    strange, unsearched = noted
    newest = strange[-MOST_UNREAD:]
    return Collected(
        unread=tuple(unread),
        signals=(
            *(_capped(signal) for each in gathered for signal in each.signals),
            *(each for each in newest if isinstance(each, Signal)),
        ),
        commands=(*commands, *(each for each in newest if isinstance(each, Command))),
        folders=tuple(folder for each in gathered for folder in each.folders),
        problems=tuple(item for each in gathered for item in capped(each.problems)),
        foreseen=tuple(told for each in gathered for told in each.foreseen),
        left_out=len(strange) - len(newest) + unsearched,
    )


def _capped(signal: Signal) -> Signal:
    found = capped(signal.problems)
    return signal if found is signal.problems else replace(signal, problems=found)


def _noted(said: Said, dialects: Sequence[Dialect]) -> Iterator[Signal | Command]:
    """A stranger's text that holds a mark of a dialect or a command in any version: that it is there, and no more.

    The search is literal, and in bytes, which is as quick for any text as reading it was.
    """
    comment, now = said.written.comment, said.source
    where, old = Where(url=comment.url), "\0".join(edit.text for edit in comment.history[:-1] if edit.text)
    last, earlier = ((text or "").encode("utf-8", "surrogatepass").lower() for text in (comment.text, old))
    for dialect in (each for each in dialects if now.medium in each.media):
        marks = tuple(trigger.encode() for trigger in dialect.footprint.triggers)
        if any(mark in text for text in (last, earlier) for mark in marks):
            yield Signal(dialect=dialect.name, kind=Kind.UNREAD, digest="", source=now, where=where)
            return
    if COMMANDS.encode() in last:
        yield Command(verb="", phase="", source=now, where=where, unread=True)


def _files(around: Surroundings, dialect: Dialect, roles: Sequence[Role]) -> Iterator[Reading]:
    """What the dialect makes of the files that it reads."""
    evidence: tuple[Evidence, ...] = dialect.footprint.evidence(around.folder)
    for file in around.snapshot.branch_files:
        below = (file.path == each.root or file.path.startswith(f"{each.root}/") for each in evidence)
        if any(below) or any(each.holds(file.path) for each in evidence):
            for text in file_versions(around.snapshot, file):
                yield dialect.read(text, roles)


def within(versions: tuple[Text, ...], left: int) -> tuple[int, int]:
    """How many of the oldest versions exceed the budget, and how much of the budget is left for other texts."""
    room = min(left, MOST_EARLIER_OF_ONE)
    for number, version in reversed(list(enumerate(versions[:-1], start=1))):
        size = len(version.body or "")
        if size > room:
            return number, left
        room, left = room - size, left - size
    return 0, left


def _glanced_at(version: Text, dialect: Dialect, roles: Sequence[str]) -> Reading:
    """An old version that is only searched for marks, and for a FAIL: what it says cannot be told, nor forgotten.

    ``roles`` are those that later versions speak for.
    """
    text = version.body or ""
    if not dialect.footprint.is_in(text):
        return Reading(text=version)
    signal = Signal(
        dialect=dialect.name,
        kind=Kind.VERDICT,
        claims=tuple(RoleClaim(by=LATER, role=role) for role in roles),
        outcome=Outcome.FAIL if dialect.footprint.may_fail(text) else None,
        digest=text_digest(version.body or ""),
        source=version.source,
        where=version.where,
        known=False,
        problems=(problem("PG228", "there are too many long versions to read this one", version.where),),
    )
    return Reading(text=version, signals=(signal,))


def _readings(versions: tuple[Text, ...], old: int, dialect: Dialect, roles: Sequence[Role]) -> list[Reading]:
    """What every version says; a role that one of them spoke for is never silent in the last."""
    found = [_read(version, dialect, roles) for version in versions[old:]]
    told = list(dict.fromkeys(role for reading in found for signal in reading.signals for role in signal.roles))
    found = [*(_glanced_at(version, dialect, told) for version in versions[:old]), *found]
    earlier = [signal for reading in found[:-1] for signal in reading.signals if signal.kind is not Kind.PROPOSAL]
    if not earlier:
        return found
    latest = tuple(_never_less(found[-1].signals, earlier, versions[-1].source))
    return [*found[:-1], replace(found[-1], signals=latest)]


def _read(version: Text, dialect: Dialect, roles: Sequence[Role]) -> Reading:
    reading = as_carried(dialect.read(version, roles))
    if not version.source.latest:
        version.put_away()
    return reading


def _unreadable(versions: tuple[Text, ...], dialect: str) -> tuple[str, list[Reading]]:
    """An invalid word for a text without a signal whose earlier version is missing: it may have held one."""
    latest = versions[-1]
    if all(version.body is not None for version in versions[:-1]):
        return dialect, []
    signal = Signal(
        dialect=dialect,
        kind=Kind.VERDICT,
        digest=text_digest(latest.body or ""),
        source=latest.source,
        where=latest.where,
        known=False,
        problems=(problem("PG216", "edited, and an earlier version was removed from its history", latest.where),),
    )
    return dialect, [Reading(text=latest, signals=(signal,))]


def _never_less(latest: tuple[Signal, ...], earlier: list[Signal], now: Source) -> Iterator[Signal]:
    """The signals of the text as it stands: a role that an earlier version spoke for cannot be edited away."""
    spoken = [signal for signal in latest if signal.kind is not Kind.PROPOSAL]
    claimed = {role for signal in spoken for role in signal.roles}
    lost = tuple(
        RoleClaim(by=EARLIER, role=role)
        for role in dict.fromkeys(role for signal in earlier for role in signal.roles)
        if role not in claimed
    )
    for signal in latest:
        yield signal if signal.kind is Kind.PROPOSAL else _with_earlier_roles(signal, lost)
    if not spoken:
        yield replace(_withdrawn(earlier[-1], lost, now), may_be=may_have_been(earlier))


def _with_earlier_roles(signal: Signal, lost: tuple[RoleClaim, ...]) -> Signal:
    """The signal as a word of those roles too that only an earlier version told; that is never a valid word."""
    if not lost:
        return signal
    told = ", ".join(claim.role for claim in lost)
    wrong = problem("PG119", f"its role is told only by {EARLIER}, as {told}", signal.where)
    problems = signal.problems if signal.roles else (*signal.problems, wrong)
    return replace(signal, claims=(*signal.claims, *lost), problems=problems)


def may_have_been(earlier: list[Signal]) -> tuple[str, ...]:
    """The roles that unreadable earlier versions may have spoken for."""
    return tuple(dict.fromkeys(role for signal in earlier for role in signal.may_be))


def _withdrawn(last: Signal, claims: tuple[RoleClaim, ...], now: Source) -> Signal:
    message = "the text no longer holds the signal that an earlier version held"
    return Signal(
        dialect=last.dialect,
        kind=last.kind,
        claims=claims,
        digest=last.digest,
        source=now,
        where=last.where,
        problems=(problem("PG126", message, last.where),),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A comment or a review, and where it stands."""

    comment: Comment
    medium: Medium
    issue: int | None = None

    @property
    def source(self) -> Source:
        """Who wrote it and when it was last touched, for which nothing has to be read."""
        comment = self.comment
        return self._source(
            at=comment.edited_at or comment.created_at,
            version=len(comment.history) or 1,
            edited=comment.edited_at is not None,
        )

    def _source(self, **told: Any) -> Source:  # noqa: ANN401  (the members that differ between versions)
        comment = self.comment
        return Source(
            id=f"{self.medium.value}-{comment.id}",
            number=comment.id,
            url=comment.url,
            place=Place.PULL_REQUEST if self.issue is None else Place.ISSUE,
            medium=self.medium,
            issue=self.issue,
            author=comment.author,
            app_id=comment.app_id,
            via_email=comment.via_email,
            state=None if comment.state is None else comment.state.upper(),
            commit=comment.commit,
            dismissed_at=comment.dismissed_at,
            dismissed_from=comment.dismissed_from,
            dismissed_by=None if comment.dismissed_by is None else comment.dismissed_by.login,
            **told,
        )

    def versions(self, added: Added = Added()) -> Iterator[Text]:  # noqa: B008  (frozen)
        """The versions of the text, the oldest first; the last one is what stands there now."""
        comment, where = self.comment, Where(url=self.comment.url)
        written = comment.versions
        edits = submitted(comment, written) if self.medium is Medium.REVIEW else written
        stranger, readable = _stranger(comment, written), _readable(comment)
        for number, edit in enumerate(edits, start=1):
            latest = number == len(edits)
            source = self._source(
                at=edit.at,
                version=number,
                latest=latest,
                by_author=number == 1 or same_id(edit.editor, comment.author),
                edited=len(edits) > 1 or (comment.edited_at is not None and comment.edited_at >= edit.at),
                tampered_by=None if stranger is None else stranger.login,
                tampered_at="" if stranger is None else stranger.at,
                history_complete=readable,
            )
            yield Text(source=source, where=where, body=comment.text if latest else edit.text, added=added)


def written_texts(snapshot: Snapshot) -> Iterator[Written]:
    """Every comment and review of the pull request, and every comment of its issues."""
    yield from (Written(comment=comment, medium=Medium.COMMENT) for comment in snapshot.comments)
    yield from (Written(comment=review, medium=Medium.REVIEW) for review in snapshot.reviews)
    for issue in snapshot.own_issues:
        yield from (Written(comment=each, medium=Medium.COMMENT, issue=issue.number) for each in issue.comments)


def thread_texts(snapshot: Snapshot) -> Iterator[Text]:
    """The comments in review threads, as far as they were read; only commands are looked for, to be answered."""
    for thread in snapshot.threads:
        first = Reply(at=thread.created_at, author=thread.author, text=thread.text, edited_at=thread.edited_at)
        for number, said in enumerate((first, *thread.replies)):
            source = Source(
                id=f"thread-{thread.id}-{number}",
                number=thread.id + number,
                url=thread.url,
                place=Place.PULL_REQUEST,
                author=said.author,
                at=said.edited_at or said.at,
            )
            yield Text(source=source, where=Where(url=thread.url), body=said.text)


def check_texts(snapshot: Snapshot) -> Iterator[Text]:
    """The texts of check runs, except those of GitHub Actions and of unknown apps."""
    for run in snapshot.checks:
        if run.app_id in (None, ACTIONS_APP) or run.app is None:
            continue
        source = Source(
            id=f"{Medium.CHECK_RUN.value}-{run.id}",
            number=run.id,
            url=run.url or snapshot.pull_request.url,
            place=Place.PULL_REQUEST,
            medium=Medium.CHECK_RUN,
            author=Actor(login=f"{run.app}[bot]", type="Bot"),
            app_id=run.app_id,
            at=run.completed_at or run.started_at or snapshot.taken_at,
            commit=run.commit or snapshot.pull_request.head.sha,
        )
        shown = {"name": run.name, "status": run.status, "conclusion": run.conclusion or ""}
        fields = {**shown, "title": run.title or "", "summary": run.summary or ""}
        yield Text(source=source, where=Where(url=source.url), body=run.text or "", fields=fields)


def submitted(review: Comment, written: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The versions of a review since it was submitted: the last text of its draft, and what came after.

    A version of the second of the submission counts as later, since it may have been said.
    """
    drafts = [edit for edit in written if edit.at < review.created_at]
    said = tuple(edit for edit in written if edit.at >= review.created_at)
    return (*(replace(edit, at=review.created_at) for edit in drafts[-1:]), *said)


def file_versions(snapshot: Snapshot, file: BranchFile) -> Iterator[Text]:
    """The versions of a file of the branch, the oldest first; the one at the head in any case."""
    for number, earlier in enumerate(file.earlier, start=1):
        source = _pushed(snapshot, file, earlier.pushed, number)
        yield Text(source=source, where=Where(path=file.path), body=earlier.text)
    if not file.gone:
        where = Where(path=file.path)
        body = file.text if file.refused is None else None
        source = _at_head(snapshot, file, len(file.earlier) + 1)
        yield Text(source=source, where=where, body=body, missing=None if body is not None else unread(file))


def unread(file: BranchFile) -> Problem:
    """Why a file was not read."""
    message = f"{file.path} was not read: {file.refused or 'its text is not known'}"
    return problem("PG230", message, Where(path=file.path))


def _at_head(snapshot: Snapshot, file: BranchFile, number: int) -> Source:
    pushed, head = file.pushed, snapshot.pull_request.head.sha
    return Source(
        id=file.path,
        number=0,
        url=f"{snapshot.repository.url}/blob/{head}/{file.path}",
        place=Place.PULL_REQUEST,
        medium=Medium.FILE,
        author=None if pushed is None else pushed.actor,
        at=snapshot.pull_request.created_at if pushed is None else pushed.at,
        version=number,
        commit=None if pushed is None else pushed.commit,
    )


def _pushed(snapshot: Snapshot, file: BranchFile, pushed: Push, number: int) -> Source:
    return Source(
        id=file.path,
        number=0,
        url=f"{snapshot.repository.url}/blob/{pushed.commit}/{file.path}",
        place=Place.PULL_REQUEST,
        medium=Medium.FILE,
        author=pushed.actor,
        at=pushed.at,
        version=number,
        latest=False,
        commit=pushed.commit,
    )


def _readable(comment: Comment) -> bool:
    """Whether every earlier version is known and the edits are consistent."""
    if not comment.history:
        return comment.history_complete and comment.edited_at is None
    known = all(edit.text is not None for edit in comment.history[:-1])
    last = comment.history[-1]
    told = comment.edited_at == last.at and (last.text is None or _folded(last.text) == _folded(comment.text))
    return comment.history_complete and known and told


def _folded(text: str) -> str:
    """A text without what GitHub may write one way in a body and another way in its history."""
    return text.replace("\r\n", "\n").strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Stranger:
    """Somebody other than the author who touched a text, and when that last happened."""

    login: str
    at: str


def _stranger(comment: Comment, edits: tuple[Edit, ...]) -> Stranger | None:
    """The account, other than the author, that edited the text or removed a version of it."""
    changed = [(edit.editor, edit.at) for edit in edits[1:]]
    if comment.edited_at is not None or comment.editor is not None:
        changed.append((comment.editor, comment.edited_at or comment.created_at))
    removed = [(edit.deleted_by, edit.deleted_at) for edit in edits if edit.deleted_at is not None]
    foreign = [(who, at) for who, at in (*changed, *removed) if not same_id(who, comment.author)]
    if not foreign:
        return None
    first = foreign[0][0]
    login = "an account that no longer exists" if first is None else first.login
    return Stranger(login=login, at=max(at for _, at in foreign))
