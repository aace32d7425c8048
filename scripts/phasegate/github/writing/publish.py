"""Publishing: statuses on the head commit, only if something changed, with the overall one last and only if proven.

A success is claimed when the parts were read back and the pull request still looks as it was judged: one write for
each look, never repeated without another look. After every write one more look follows, so that no run leaves behind
what a change has made wrong meanwhile.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Collection, Hashable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from phasegate.github.client.answers import ATTEMPTS, LATER, GitHubError, InvalidError, MovedError, Task, as_documented
from phasegate.github.client.client import AgainError, Client
from phasegate.github.reading.conversation import counted
from phasegate.github.reading.fingerprint import LOOK, Sight, look_again
from phasegate.github.reading.queries import PAGE
from phasegate.github.reading.waves import wave
from phasegate.github.record import MOST_STATUSES, SPARE, is_seal
from phasegate.model.contexts import LONGEST as LONGEST_CONTEXT
from phasegate.model.frozen import dataclass, replace
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus

# So many statuses of a context's limit are kept free for a success, because it may have to be taken back.
KEPT_STATUSES = 100
# GitHub asks not to write all at once, whatever the number of pull requests.
WRITES_AT_ONCE = 3
TURN_SECONDS = 5.0
# GitHub ends a request after ten seconds: by then it is known whether a write stands.
CLAIM_SECONDS = 12.0
LAST_CHARACTER = "\uffff"
LONGEST = 140
# GitHub's machines learn of a write at different times.
LAG = (1.0, 2.0)
ANOTHER = "push another commit"
AGAIN = "Something changed while this was published: it is decided again"
JSON = dict[str, Any]
Lines = tuple[StatusLine, ...]
Tasks = dict[Hashable, Task]
_turns = threading.BoundedSemaphore(WRITES_AT_ONCE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where statuses are written, and what they link to."""

    repository: str
    commit: str
    url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Edition:
    """What to publish: a line for each phase, the overall one last, and the record by commit.

    ``foreign``: contexts, in lower case, whose last status is by somebody else and counts for nothing. ``left``: lines
    that replace a success on former heads or in unused contexts, by commit and context. ``looked``: true if the state
    was confirmed after everything was read. ``renewed``: the overall line is written even if unchanged.
    """

    lines: Lines
    record: Mapping[str, Lines]
    left: Mapping[tuple[str, str], StatusLine]
    standing: tuple[CommitStatus, ...]
    sight: Sight
    foreign: frozenset[str] = frozenset()
    looked: bool = False
    renewed: bool = False


def publish(client: Client, place: Place, edition: Edition) -> int:
    """Writes what changed and returns the number of statuses, without the record's."""
    lines = tuple(map(writable, edition.lines))
    for context in (line.context for line in lines if len(line.context) > LONGEST_CONTEXT):  # nothing is written
        told = f"the context {context[:60]}… is {len(context)} characters long, and GitHub takes {LONGEST_CONTEXT}"
        raise GitHubError(f"{told}: use a base branch with a shorter name, or base-in-context: false")
    ours = (each for each in edition.standing if each.context.lower() not in edition.foreign)
    latest = {status.context.lower(): (status.state, status.description) for status in ours}
    anew = lines[-1:] if edition.renewed else ()
    changed = [line for line in lines if line in anew or not stands(line, latest.get(line.context.lower()))]
    news = _good_news if lines[-1].state is State.SUCCESS else _bad_news
    news(client, place, edition, changed)
    return len(changed)


def _good_news(client: Client, place: Place, edition: Edition, changed: list[StatusLine]) -> None:
    """Publishes a success: first the record, and the overall status last."""
    seal, others = _record(client, place, edition.record)
    first = {**(others or seal), **_taken_back(client, place, edition.left)}
    if edition.looked:
        client.together(first)
    else:
        _beside_a_look(client, edition, first)
    client.together(seal if others else {})
    overall = [line for line in changed if line.context == edition.lines[-1].context]
    parts = [line for line in changed if line not in overall]
    _write_parts(client, place, edition, parts)
    if overall:
        _claim(client, place, edition, overall[0])
    elif first or parts:
        _look(client, edition)


def _bad_news(client: Client, place: Place, edition: Edition, changed: list[StatusLine]) -> None:
    """Publishes anything but a success. It waits for nothing, so it is written beside the record.

    A passed phase, which a change meanwhile could make wrong, is written before the last look; the rest beside it.
    """
    seal, others = _record(client, place, edition.record)
    left = _taken_back(client, place, edition.left)
    good = [line for line in changed if line.state is State.SUCCESS]
    bad = [line for line in reversed(changed) if line.state is not State.SUCCESS]  # the overall one first
    if others or not edition.looked:
        first = {**(others or seal), **left}
        now = bad[: _room(first)] if good else bad
        _beside_a_look(client, edition, {**_writes(client, place, now), **first})
        seal, left, bad = seal if others else {}, {}, bad[len(now) :]
        if not good:
            client.together(seal)
            return
    if good:
        now = bad[: _room((*seal, *left, *good))]
        _write_parts(client, place, edition, now + good, {**seal, **left})
        seal, left, bad = {}, {}, bad[len(now) :]
    if good or seal or left or bad:
        _beside_a_look(client, edition, {**seal, **left, **_writes(client, place, bad)})


def _room(taken: Collection[object]) -> int:
    """How many more writes may run in parallel with these; at least one."""
    return max(WRITES_AT_ONCE - len(taken), 1)


def _beside_a_look(client: Client, edition: Edition, writes: Tasks) -> None:
    """Looks again while some writes run. They are completed even if the pull request has moved."""

    def look() -> MovedError | None:
        try:
            _look(client, edition)
        except MovedError as error:
            return error
        return None

    moved: MovedError | None = client.together({**writes, LOOK: look})[LOOK]
    if moved is not None:
        raise moved


def _write_parts(
    client: Client, place: Place, edition: Edition, lines: list[StatusLine], beside: Tasks | None = None
) -> None:
    """Writes bad news until it stands, and each success once per look."""
    if not lines:
        return
    left = lines
    for attempt in range(1, ATTEMPTS + 1):
        tasks: Tasks = {line.context: partial(_tried, client, place, line, attempt) for line in left}
        answers = client.together({**tasks, **(beside or {})} if attempt == 1 else tasks)
        failed = [answers[name] for name in tasks if answers[name] is not None]
        if not failed:
            return
        left = [line for line, _ in failed]
        client.pause(max(error.seconds for _, error in failed), str(failed[0][1]))
        _look(client, edition)
    raise GitHubError(f"{left[0].context}: GitHub did not take the status. {LATER}")


def _tried(client: Client, place: Place, line: StatusLine, attempt: int) -> tuple[StatusLine, AgainError] | None:
    """Writes a line. Returns a success that may not stand, or a line that GitHub takes only in plain letters."""
    try:
        _write(client, place, line, attempt if line.state is State.SUCCESS else None)
    except AgainError as error:
        return line, error
    except InvalidError as error:
        return _plainer(line, error), AgainError(str(error), 0.0)
    return None


def _claim(client: Client, place: Place, edition: Edition, overall: StatusLine) -> None:
    """Writes the success with one request after each proof, and looks once more when it stands.

    No request is started that may outlast the run: it would arrive after the line that takes it back.
    """
    parts, line = edition.lines[:-1], overall
    tasks: Tasks = {LOOK: partial(_prove, client, edition, parts)}
    if overall.context.lower() in {each.context.lower() for each in edition.standing}:
        tasks[overall.context] = partial(_must_leave_room, client, place, overall.context)
    client.together(tasks)
    try:
        for attempt in range(1, ATTEMPTS + 1):
            client.leave_time(CLAIM_SECONDS, "publishing a success")
            failed = _tried(client, place, line, attempt)
            if failed is None:
                _prove(client, edition, (*parts, overall))
                return
            line = failed[0]
            client.pause(failed[1].seconds, str(failed[1]))
            _prove(client, edition, parts)
    except MovedError:  # a write that failed may stand all the same
        taken_back = StatusLine(context=overall.context, state=State.PENDING, description=AGAIN)
        client.together(_writes(client, place, [taken_back]))
        raise
    raise GitHubError(f"{overall.context}: GitHub did not take the status. {LATER}")


def _must_leave_room(client: Client, place: Place, context: str) -> None:
    """Refuses a success in a nearly full context, where nothing could take it back.

    Anybody with write permission can fill it. If a commit has few statuses in all, one look is enough.
    """
    path, most = f"/repos/{place.repository}/commits/{place.commit}/statuses", MOST_STATUSES - KEPT_STATUSES
    if not client.page(path, per_page=PAGE, page=most // PAGE):
        return
    with as_documented(f"GET {path}"):
        found = sum(each["context"].lower() == context.lower() for each in client.pages(path, per_page=PAGE))
    if found >= most:
        used = f"{found} of the {MOST_STATUSES} statuses that a commit takes of {context} are used"
        raise GitHubError(f"{used}: {ANOTHER}")


def _look(client: Client, edition: Edition) -> Mapping[Hashable, Any]:
    """Looks again and returns what was seen, if all is as it was judged."""
    sight = edition.sight
    with as_documented(f"{sight.look.target.repository}#{sight.look.target.number}"):
        results = wave(client, sight.look.reads(client))
        look_again(client, sight, results)
        return results


def _record(client: Client, place: Place, record: Mapping[str, Lines]) -> tuple[Tasks, ...]:
    """The writes of the record: the lines that say the others are there, and those others."""
    lines = [(commit, number, line) for commit, each in record.items() for number, line in enumerate(each)]
    return tuple(
        {
            (commit, number): partial(_remember, client, replace(place, commit=commit), line)
            for commit, number, line in lines
            if is_seal(line.context) is seals
        }
        for seals in (True, False)
    )


def _taken_back(client: Client, place: Place, left: Mapping[tuple[str, str], StatusLine]) -> Tasks:
    """Writes that withdraw a success where nothing is judged any more. A commit that takes no status is not ours."""

    def let_go(commit: str, line: StatusLine) -> None:
        with suppress(InvalidError):
            _write(client, replace(place, commit=commit), line)

    return {("left", *key): partial(let_go, key[0], line) for key, line in left.items()}


def _remember(client: Client, place: Place, line: StatusLine, spare: tuple[str, ...] | None = None) -> None:
    """Writes a line of the record, in the next context if one is full."""
    left = SPARE if spare is None else spare
    try:
        _write(client, place, line)
    except InvalidError:
        if not left:
            raise
        _remember(client, place, replace(line, context=left[0]), left[1:])


def _writes(client: Client, place: Place, lines: Iterable[StatusLine]) -> Tasks:
    return {(place.commit, line.context): partial(_written, client, place, line) for line in lines}


def _written(client: Client, place: Place, line: StatusLine) -> None:
    """Writes a line until it stands, in plain letters if GitHub requires that."""
    try:
        _write(client, place, line)
    except InvalidError as error:
        _write(client, place, _plainer(line, error))


def _plainer(line: StatusLine, error: InvalidError) -> StatusLine:
    """The rejected line in letters that every server takes."""
    if line.description.isascii():
        raise error
    return replace(line, description=in_ascii(line.description))


def stands(line: StatusLine, found: tuple[str, str] | None) -> bool:
    """True if a context already says this line, perhaps in plain letters."""
    return found in ((line.state.value, line.description), (line.state.value, in_ascii(line.description)))


def writable(line: StatusLine) -> StatusLine:
    """A line without characters that GitHub rejects."""
    text = "".join(character if character <= LAST_CHARACTER else "?" for character in line.description)
    return replace(line, description=text)


def in_ascii(text: str) -> str:
    """A text in plain letters, without accents."""
    known = text.translate({0x2013: "-", 0x2014: "-", 0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2026: "."})
    bare = (each for each in unicodedata.normalize("NFKD", known) if not unicodedata.combining(each))
    return "".join(each if each.isascii() else "?" for each in bare)[:LONGEST]


def _write(client: Client, place: Place, line: StatusLine, attempt: int | None = None) -> None:
    """Writes a line. ``attempt``: with a single request, counted by the caller."""
    body = {"state": line.state.value, "context": line.context, "description": line.description}
    if place.url is not None:
        body["target_url"] = place.url
    path = f"/repos/{place.repository}/statuses/{place.commit}"
    # a turn to write is waited for, but not a connection that hangs: what takes a success back must get through
    taken = _turns.acquire(timeout=TURN_SECONDS)
    try:
        written = client.post(path, body) if attempt is None else client.post_once(path, body, attempt)
    except InvalidError as error:
        full = f"A commit takes {MOST_STATUSES} statuses of a context: if it has, {ANOTHER}"
        raise InvalidError(f"{error}. {full}") from error
    finally:
        if taken:
            _turns.release()
    if written.get("state") != line.state.value:
        raise GitHubError(f"{line.context}: GitHub did not take the status {line.state.value}")
    if not str(written.get("url", place.commit)).lower().endswith(place.commit):
        raise GitHubError(f"{line.context}: GitHub put the status on another commit than {place.commit}")


def _prove(client: Client, edition: Edition, lines: Lines) -> None:
    """Reads lines back: success is claimed only if it is really there, and still is what was judged.

    Another run may have written something else and may know more, so everything is read again.
    """
    for seconds in (*LAG, None):
        found = edition.sight.statuses(_look(client, edition))
        lacking = [line for line in lines if found.get(line.context.lower(), ("",))[0] != line.state.value]
        if not lacking:
            return
        if seconds is None:
            line = lacking[0]
            raise MovedError(f"{line.context} was written as {line.state.value}, and something else stands there")
        client.pause(seconds, "reading the statuses back")


def statuses_on(client: Client, place: Place) -> dict[str, tuple[str, str]]:
    """State and description of each context's latest status on a commit, by context in lower case."""
    path = f"/repos/{place.repository}/commits/{place.commit}/status"
    with as_documented(f"GET {path}"):
        found, total = counted(client, path, "statuses")
        if len(found) < total:
            raise MovedError(f"GET {path}: {len(found)} read, {total} expected")
        return {each["context"].lower(): (each["state"], each["description"] or "") for each in found}


def withdraw(client: Client, place: Place, context: str, reason: str) -> None:
    """Says that nothing could be decided, unless the commit visibly says so already."""
    try:
        found = statuses_on(client.briefly(), place).get(context.lower())
    except (GitHubError, MovedError):
        found = None
    if not stands(_undecided(context, reason), found):
        take_back(client, place, context, reason)


def take_back(client: Client, place: Place, context: str, reason: str) -> None:
    """Says that nothing could be decided, whatever GitHub shows: it may not know yet of this run's writes."""
    client.together(_writes(client, place, [_undecided(context, reason)]))


def _undecided(context: str, reason: str) -> StatusLine:
    return writable(StatusLine(context=context, state=State.ERROR, description=reason))
