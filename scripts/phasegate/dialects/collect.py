"""The reading stage: every version of every text goes through the policy's dialects and the command reader.

The author is checked first. Strangers' texts are searched for marks and noted, but never parsed. Texts of an unknown
app are answered within bounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.commands import COMMANDS, doubts, inline_commands, overwritten_withdrawals, read_commands
from phasegate.dialects.dialect import (
    Added,
    Dialect,
    Foreseen,
    Gathered,
    Known,
    Reading,
    Surroundings,
    Text,
    capped,
    drop_checkbox_edits,
    one_dialect,
    read_by,
)
from phasegate.dialects.raw import near_words
from phasegate.model.codec import text_digest
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import Evidence, holds_phrase
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Command, IssueFolder, Kind, Medium, Outcome, Place, Role, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import ACTIONS_APP, Actor, BranchFile, Comment, Edit, Push, Reply, same_id

EARLIER, LATER = "an earlier version", "a later version"
MOST_UNREAD = 20
MOST_COMMANDS = 20  # of one text; only the last ones are kept
# Characters per author: of earlier versions that are parsed, of texts that cannot count and are answered, and of texts
# that are only searched for marks.
MOST_OF_ONE = 500_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """What the snapshot's texts hold. ``unread`` are texts without a word, and all reviews, since they may object.

    ``left_out`` counts strangers' older texts that hold marks or were too long to search.
    """

    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    unread: tuple[Text, ...] = ()
    foreseen: Foreseen = ()


def collect(around: Surroundings, dialects: Sequence[Dialect], roles: Sequence[Role]) -> Collected:
    """All signals and commands of a snapshot, in the policy's dialects."""
    readings: dict[str, list[Reading]] = {dialect.name: [] for dialect in dialects}
    commands: list[Command] = []
    known: Known = {} if around.known is None else around.known
    triggers = {trigger for dialect in dialects for trigger in dialect.footprint.triggers}
    markers = tuple(sorted({*triggers, *around.marks}))
    added = Added(footers=around.footers, markers=markers, heads=around.snapshot.heads)
    texts = [(each.source, each) for each in written_texts(around.snapshot)]
    oldest_first = sorted(texts, key=lambda told: told[0].moment)
    strange = _untrusted_texts(around, oldest_first, dialects)
    left: dict[Actor | None, int] = defaultdict(lambda: MOST_OF_ONE)
    unread: list[Text] = []
    near: list[Signal] = []
    for source, written in ((source, each) for source, each in texts if source.id not in strange):
        room = left[source.author] if written.comment.history else 0
        key = (id(written.comment), written.medium, written.issue, room)
        heard = known.get(key) or _heard(written, around, dialects, roles, added, room)
        if not any(version.of_heads for version in heard.versions):
            known[key] = heard
        left[source.author] -= heard.spent
        commands.extend(heard.commands)
        near.extend(heard.near)
        unread.extend(heard.unread)
        for name, each in heard.readings.items():
            readings[name].extend(each)
    for text in thread_texts(around.snapshot):
        if not (around.stranger(text.source) or around.unheard(text.source)):
            commands.extend(deque(inline_commands(text, around.phases), maxlen=MOST_COMMANDS))
    for dialect in dialects:
        readings[dialect.name].extend(_files(around, dialect, roles))
    for text in check_texts(around.snapshot):
        runs = {
            each.name: read_by(text, each, roles, around.known) for each in dialects if text.source.medium in each.media
        }
        for name, reading in runs.items():
            readings[name].append(reading)
        unread.extend(() if any(reading.signals for reading in runs.values()) else (text,))
    gathered = [dialect.together(readings[dialect.name], around) for dialect in dialects]
    gathered.append(Gathered(signals=tuple(near)))
    searched = _searched([said for said in oldest_first if said[0].id in strange], dialects)
    return _collected(gathered, commands, *searched, unread)


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What all versions of a comment or review say. ``spent`` counts the characters of its earlier versions."""

    comment: Comment  # kept alive, because its identity is the key
    versions: tuple[Text, ...]
    commands: tuple[Command, ...]
    readings: dict[str, list[Reading]]
    near: tuple[Signal, ...]
    unread: tuple[Text, ...]
    spent: int


def _heard(  # noqa: PLR0913, PLR0917  (a text, and all that it is read by)
    written: Written, around: Surroundings, dialects: Sequence[Dialect], roles: Sequence[Role], added: Added, room: int
) -> Heard:
    """What a comment or review says. Earlier versions are read up to ``room`` characters."""
    ticks = room if _readable(written.comment) else 0  # else nobody can tell them
    comment, looked_at = drop_checkbox_edits(written.comment, added, ticks)
    versions = tuple(replace(written, comment=comment).versions(added))
    given = tuple(deque(read_commands(versions[-1], around.phases), maxlen=MOST_COMMANDS))
    unsure = deque(doubts(versions[-1], around.phases), maxlen=MOST_COMMANDS)
    old, rest = within(versions, room - looked_at)
    speaking = [each for each in dialects if written.medium in each.media]
    found = {each.name: _readings(versions, old, each, roles, around.known) for each in speaking}
    told = any(reading.signals for each in found.values() for reading in each)
    found = found if told else dict([_unreadable(versions, name) for name in found][:1])
    near = tuple(near_words(versions, found, dialects))
    tries = [] if told and written.medium is not Medium.REVIEW else [each for each in versions if not each.talk]
    unread = tuple(version.marked(commands=told or bool(given)) for version in tries)
    versions[-1].forget_page()
    return Heard(
        comment=written.comment,
        versions=versions,
        commands=(*given, *overwritten_withdrawals(versions, around.phases), *unsure),
        readings=one_dialect(found),
        near=near,
        unread=unread,
        spent=room - rest,
    )


Said: TypeAlias = "tuple[Source, Written]"


def _untrusted_texts(around: Surroundings, oldest_first: Sequence[Said], dialects: Sequence[Dialect]) -> set[str]:
    """Texts that are only searched for marks: strangers', and an account's oldest if it wrote many and cannot count."""
    strange = {source.id for source, _ in oldest_first if around.stranger(source)}
    phrases = tuple(phrase for each in dialects for phrase in each.footprint.phrases)
    answered: Counter[Actor | None] = Counter()
    for source, written in reversed(oldest_first):
        if source.id not in strange and around.unheard(source):
            text = written.comment.text
            marked = any(True for _ in _noted(source, written, dialects)) or holds_phrase(text, phrases)
            answered[source.author] += len(text) if marked else 0
            if marked and answered[source.author] > MOST_OF_ONE:
                strange.add(source.id)
    return strange


def _searched(oldest_first: Sequence[Said], dialects: Sequence[Dialect]) -> tuple[list[Signal | Command], int]:
    """Strangers' texts that hold a mark, oldest first, and the number of texts too long to search."""
    found: list[Signal | Command] = []
    sizes: Counter[Actor | None] = Counter()
    left_out = 0
    for source, written in reversed(oldest_first):
        versions = (written.comment.text, *(edit.text or "" for edit in written.comment.history[:-1]))
        sizes[source.author] += sum(map(len, versions))
        if sizes[source.author] > MOST_OF_ONE:
            left_out += 1
        else:
            found.extend(_noted(source, written, dialects))
    return found[::-1], left_out


def _collected(
    gathered: Sequence[Gathered],
    commands: Sequence[Command],
    strange: Sequence[Signal | Command],
    unsearched: int,
    unread: Sequence[Text],
) -> Collected:
    """Everything together, with only the newest of strangers' texts."""
    newest = strange[-MOST_UNREAD:]
    told = (replace(each, problems=capped(each.problems)) for part in gathered for each in part.signals)
    return Collected(
        unread=tuple(unread),
        signals=(*told, *(each for each in newest if isinstance(each, Signal))),
        commands=(*commands, *(each for each in newest if isinstance(each, Command))),
        folders=tuple(folder for each in gathered for folder in each.folders),
        problems=tuple(item for each in gathered for item in capped(each.problems)),
        foreseen=tuple(told for each in gathered for told in each.foreseen),
        left_out=len(strange) - len(newest) + unsearched,
    )


def _noted(now: Source, written: Written, dialects: Sequence[Dialect]) -> Iterator[Signal | Command]:
    """Notes that some version of a stranger's text holds a mark of a dialect or a command.

    The search is literal and in bytes. That is as quick for any text as reading it was.
    """
    comment = written.comment
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
    evidence: tuple[Evidence, ...] = dialect.footprint.evidence(around.folder)
    for file in around.snapshot.branch_files:
        below = (file.path == each.root or file.path.startswith(f"{each.root}/") for each in evidence)
        if any(below) or any(each.holds(file.path) for each in evidence):
            for text in file_versions(around.snapshot, file):
                yield read_by(text, dialect, roles, around.known)


def within(versions: tuple[Text, ...], left: int) -> tuple[int, int]:
    """How many of the oldest versions exceed the author's limit, and how much of it remains for other texts."""
    for number, version in reversed(list(enumerate(versions[:-1], start=1))):
        size = len(version.body or "")
        if size > left:
            return number, left
        left -= size
    return 0, left


def _glanced_at(version: Text, dialect: Dialect, roles: Sequence[str]) -> Reading:
    """An old version that is only searched for marks and a FAIL: its content is unknown but cannot be ignored.

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


def _readings(
    versions: tuple[Text, ...], old: int, dialect: Dialect, roles: Sequence[Role], known: Known | None
) -> list[Reading]:
    """The reading of every version. A role that an earlier version spoke for is never silent in the last."""
    found = [read_by(version, dialect, roles, known) for version in versions[old:]]
    told = list(dict.fromkeys(role for reading in found for signal in reading.signals for role in signal.roles))
    found = [*(_glanced_at(version, dialect, told) for version in versions[:old]), *found]
    earlier = [signal for reading in found[:-1] for signal in reading.signals if signal.kind is not Kind.PROPOSAL]
    if not earlier:
        return found
    latest = tuple(_never_less(found[-1].signals, earlier, versions[-1].source))
    return [*found[:-1], replace(found[-1], signals=latest)]


def _unreadable(versions: tuple[Text, ...], dialect: str) -> tuple[str, list[Reading]]:
    """An invalid word for a text without a signal if an earlier version is missing: that one may have held a word."""
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
    """The signals of the present text. A role that an earlier version spoke for cannot be edited away.

    A signal that speaks for a role only because of that is always invalid.
    """
    spoken = [signal for signal in latest if signal.kind is not Kind.PROPOSAL]
    claimed = {role for signal in spoken for role in signal.roles}
    roles = dict.fromkeys(role for signal in earlier for role in signal.roles if role not in claimed)
    lost = tuple(RoleClaim(by=EARLIER, role=role) for role in roles)
    for signal in latest:
        if signal.kind is Kind.PROPOSAL or not lost:
            yield signal
            continue
        wrong = problem("PG119", f"its role is told only by {EARLIER}, as {', '.join(roles)}", signal.where)
        problems = signal.problems if signal.roles else (*signal.problems, wrong)
        yield replace(signal, claims=(*signal.claims, *lost), problems=problems)
    if not spoken:
        last, message = earlier[-1], "the text no longer holds the signal that an earlier version held"
        yield Signal(
            dialect=last.dialect,
            kind=last.kind,
            claims=lost,
            may_be=may_have_been(earlier),
            digest=last.digest,
            source=now,
            where=last.where,
            problems=(problem("PG126", message, last.where),),
        )


def may_have_been(earlier: list[Signal]) -> tuple[str, ...]:
    """Roles that unreadable earlier versions may have spoken for."""
    return tuple(dict.fromkeys(role for signal in earlier for role in signal.may_be))


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A comment or review, and where it stands."""

    comment: Comment
    medium: Medium
    issue: int | None = None

    @property
    def source(self) -> Source:
        """Its author and last change, known without reading the text."""
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
        """The versions of the text, oldest first; the last one is the present text."""
        comment, where = self.comment, Where(url=self.comment.url)
        written = comment.versions
        edits = submitted(comment, written) if self.medium is Medium.REVIEW else written
        (by, tampered_at), readable = _stranger(comment, written) or (None, ""), _readable(comment)
        for number, edit in enumerate(edits, start=1):
            latest = number == len(edits)
            source = self._source(
                at=edit.at,
                version=number,
                latest=latest,
                by_author=number == 1 or same_id(edit.editor, comment.author),
                edited=len(edits) > 1 or (comment.edited_at is not None and comment.edited_at >= edit.at),
                tampered_by=by,
                tampered_at=tampered_at,
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
    """The known comments of review threads. Only commands are looked for, to answer them."""
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
    """The versions of a review since its submission: the last draft, then later ones.

    A version in the second of the submission counts as later, because it may have been visible.
    """
    drafts = [edit for edit in written if edit.at < review.created_at]
    said = tuple(edit for edit in written if edit.at >= review.created_at)
    return (*(replace(edit, at=review.created_at) for edit in drafts[-1:]), *said)


def file_versions(snapshot: Snapshot, file: BranchFile) -> Iterator[Text]:
    """The versions of a branch file, oldest first; always includes the one at the head."""
    where, head = Where(path=file.path), snapshot.pull_request.head.sha
    for number, earlier in enumerate(file.earlier, start=1):
        source = _file_source(snapshot, file.path, earlier.pushed, earlier.pushed.commit)
        yield Text(source=replace(source, version=number, latest=False), where=where, body=earlier.text)
    if not file.gone:
        source = replace(_file_source(snapshot, file.path, file.pushed, head), version=len(file.earlier) + 1)
        body = file.text if file.refused is None else None
        yield Text(source=source, where=where, body=body, missing=None if body is not None else unread(file))


def unread(file: BranchFile) -> Problem:
    """Why a file was not read."""
    message = f"{file.path} was not read: {file.refused or 'its text is not known'}"
    return problem("PG230", message, Where(path=file.path))


def _file_source(snapshot: Snapshot, path: str, pushed: Push | None, shown_at: str) -> Source:
    return Source(
        id=path,
        number=0,
        url=f"{snapshot.repository.url}/blob/{shown_at}/{path}",
        place=Place.PULL_REQUEST,
        medium=Medium.FILE,
        author=None if pushed is None else pushed.actor,
        at=snapshot.pull_request.created_at if pushed is None else pushed.at,
        commit=None if pushed is None else pushed.commit,
    )


def _readable(comment: Comment) -> bool:
    """True if every earlier version is known and the edits are consistent."""
    if not comment.history:
        return comment.history_complete and comment.edited_at is None
    known = all(edit.text is not None for edit in comment.history[:-1])
    last = comment.history[-1]
    # GitHub may write line ends one way in a body and another way in its history
    texts = {text.replace("\r\n", "\n").strip() for text in (comment.text, last.text) if text is not None}
    return comment.history_complete and known and comment.edited_at == last.at and len(texts) == 1


def _stranger(comment: Comment, edits: tuple[Edit, ...]) -> tuple[str, str] | None:
    """The account other than the author that edited the text or removed a version, and when it last did so."""
    changed = [(edit.editor, edit.at) for edit in edits[1:]]
    if comment.edited_at is not None or comment.editor is not None:
        changed.append((comment.editor, comment.edited_at or comment.created_at))
    removed = [(edit.deleted_by, edit.deleted_at) for edit in edits if edit.deleted_at is not None]
    foreign = [(who, at) for who, at in (*changed, *removed) if not same_id(who, comment.author)]
    if not foreign:
        return None
    first = foreign[0][0]
    return "an account that no longer exists" if first is None else first.login, max(at for _, at in foreign)
