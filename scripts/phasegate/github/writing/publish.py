"""Publishing: statuses on the head commit, only where something changed, the overall one last and only when proven.

Success is claimed when the parts were read back and the pull request still looks as it was judged: one request for each
such look, which is never repeated without another. After every write it is looked at once more, so that no run leaves
behind what a change meanwhile has made wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.answers import ATTEMPTS, GitHubError, InvalidError, MovedError, as_documented
from phasegate.github.client.client import AgainError, Client, Task
from phasegate.github.reading.fetch import Fingerprint
from phasegate.github.reading.queries import PAGE
from phasegate.github.record import SPARE
from phasegate.model.frozen import dataclass, replace
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus

MOST_PAGES = 10
# GitHub's machines do not all know of a write at once.
LAG = (1.0, 2.0)
AGAIN = "Something changed while this was published: it is decided again"
JSON = dict[str, Any]
Lines = tuple[StatusLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where statuses are written, and what they link to."""

    repository: str
    commit: str
    url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Edition:
    """What is to be published: a line for each phase, the overall one last, and what goes on record by commit."""

    lines: Lines
    record: Mapping[str, Lines]
    standing: tuple[CommitStatus, ...]
    sight: Fingerprint


def publish(client: Client, place: Place, edition: Edition) -> int:
    """Write what changed; how many statuses that were, without those on record.

    The record comes first. Bad news is not kept waiting: an overall state that is no success is written together with
    the parts. A success is tried once for each look at what it is about; where it no longer holds, it is taken back.
    """
    *parts, overall = _changed(edition.lines, edition.standing)
    bad_news = edition.lines[-1].state is not State.SUCCESS
    first = [line for line in (*parts, overall if bad_news else None) if line is not None]
    client.together(_record(client, place, edition.record))
    _write_parts(client, place, edition, first)
    if overall is not None and not bad_news:
        _claim(client, place, edition, overall)
        return len(first) + 1
    if edition.record or first:
        _look_again(edition.sight, client.together(edition.sight.tasks(client)))
    return len(first)


def _write_parts(client: Client, place: Place, edition: Edition, lines: list[StatusLine]) -> None:
    """Write bad news until it stands, and each success once for each look."""
    left = lines
    for attempt in range(1, ATTEMPTS + 1):
        tasks = {line.context: partial(_tried, client, place, line, attempt) for line in left}
        failed = [failure for failure in client.together(tasks).values() if failure is not None]
        if not failed:
            return
        left = [line for line, _ in failed]
        client.pause(max(error.seconds for _, error in failed), str(failed[0][1]))
        _look_again(edition.sight, client.together(edition.sight.tasks(client)))


def _tried(client: Client, place: Place, line: StatusLine, attempt: int) -> tuple[StatusLine, AgainError] | None:
    """Write a line; what became of a success that may not stand."""
    try:
        _write(client, place, line, attempt if line.state is State.SUCCESS else None)
    except AgainError as error:
        return line, error
    return None


def _claim(client: Client, place: Place, edition: Edition, overall: StatusLine) -> None:
    """Write the success with one request after each proof, and look once more when it stands."""
    _prove(client, place, edition)
    try:
        for attempt in range(1, ATTEMPTS + 1):
            failed = _tried(client, place, overall, attempt)
            if failed is not None:
                client.pause(failed[1].seconds, str(failed[1]))
            _prove(client, place, edition)
            if failed is None:
                return
    except MovedError:  # a write that failed may stand all the same
        taken_back = StatusLine(context=overall.context, state=State.PENDING, description=AGAIN)
        client.together(_writes(client, place, [taken_back]))
        raise


def _look_again(sight: Fingerprint, results: Mapping[Hashable, Any]) -> None:
    with as_documented(f"{sight.opened.target.repository}#{sight.opened.target.number}"):
        if not sight.holds(results):
            raise MovedError("it changed while the statuses were written")


def _record(client: Client, place: Place, record: Mapping[str, Lines]) -> dict[Hashable, Task]:
    return {
        (commit, number): partial(_remember, client, replace(place, commit=commit), line)
        for commit, lines in record.items()
        for number, line in enumerate(lines)
    }


def _remember(client: Client, place: Place, line: StatusLine, spare: tuple[str, ...] | None = None) -> None:
    """Write a line of the record; where a context takes no more, into the next one that does."""
    left = SPARE if spare is None else spare
    try:
        _write(client, place, line)
    except InvalidError:
        if not left:
            raise
        _remember(client, place, replace(line, context=left[0]), left[1:])


def _writes(client: Client, place: Place, lines: Iterable[StatusLine]) -> dict[Hashable, Task]:
    return {(place.commit, line.context): partial(_write, client, place, line) for line in lines}


def _changed(lines: Lines, standing: Iterable[CommitStatus]) -> list[StatusLine | None]:
    """Each line that is not there yet; GitHub tells contexts apart without case."""
    latest = {status.context.lower(): (status.state, status.description) for status in standing}
    return [
        None if latest.get(line.context.lower()) == (line.state.value, line.description) else line for line in lines
    ]


def _write(client: Client, place: Place, line: StatusLine, attempt: int | None = None) -> None:
    """Write a line; ``attempt``: with one request and no other, the caller counts."""
    body = {"state": line.state.value, "context": line.context, "description": line.description}
    if place.url is not None:
        body["target_url"] = place.url
    path = f"/repos/{place.repository}/statuses/{place.commit}"
    written = client.post(path, body) if attempt is None else client.post_once(path, body, attempt)
    if written.get("state") != line.state.value:
        raise GitHubError(f"{line.context}: GitHub did not take the status {line.state.value}")


def _prove(client: Client, place: Place, edition: Edition) -> None:
    """Read the parts back: success is only claimed of what is really there, and still is what was judged.

    Another run may have written something else meanwhile: it may know more, so all is read anew.
    """
    parts = edition.lines[:-1]
    for seconds in (*LAG, None):
        tasks = edition.sight.tasks(client) | {"statuses": partial(statuses_on, client, place)}
        results = client.together(tasks)
        _look_again(edition.sight, results)
        lacking = _lacking(parts, results["statuses"])
        if not lacking:
            return
        if seconds is None:
            line = lacking[0]
            raise MovedError(f"{line.context} was written as {line.state.value}, and something else stands there")
        client.pause(seconds, "reading the statuses back")


def _lacking(parts: Lines, found: Mapping[str, tuple[str, str]]) -> Lines:
    """The parts of which another state stands on the commit."""
    return tuple(line for line in parts if found.get(line.context.lower(), ("",))[0] != line.state.value)


def statuses_on(client: Client, place: Place) -> dict[str, tuple[str, str]]:
    """State and description of the latest status of each context on a commit, by context in lower case."""
    found: dict[str, tuple[str, str]] = {}
    read, path = 0, f"/repos/{place.repository}/commits/{place.commit}/status"
    for page in range(1, MOST_PAGES + 1):
        with as_documented(f"GET {path}"):
            answer = client.get(path, per_page=PAGE, page=page)
            latest = [(item["context"].lower(), item["state"], item["description"]) for item in answer["statuses"]]
            found |= {context: (state, description or "") for context, state, description in latest}
            read += len(latest)
            if read >= answer["total_count"]:
                return found
            if len(latest) < PAGE:
                raise MovedError(f"GET {path}: {read} read, {answer['total_count']} expected")
    raise GitHubError(f"GET {path}: more than {MOST_PAGES} pages")


def withdraw(client: Client, place: Place, context: str, reason: str) -> None:
    """Say that nothing could be decided, unless that is what the commit says already, as far as that can be told."""
    line = StatusLine(context=context, state=State.ERROR, description=reason)
    try:
        stands = statuses_on(client.briefly(), place).get(context.lower())
    except (GitHubError, MovedError):
        stands = None
    if stands != (line.state.value, line.description):
        client.together(_writes(client, place, [line]))
