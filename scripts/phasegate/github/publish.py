"""Publishing: statuses on the head commit, only where something changed, the overall one last and only when proven."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from phasegate.github.answers import GitHubError
from phasegate.github.client import Client
from phasegate.model.decision import State, StatusLine
from phasegate.model.snapshot import CommitStatus

JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where statuses are written, and what they link to."""

    repository: str
    commit: str
    url: str | None = None


def publish(
    client: Client,
    place: Place,
    lines: tuple[StatusLine, ...],
    standing: Iterable[CommitStatus],
    record: Mapping[str, tuple[StatusLine, ...]],
) -> int:
    """Write what changed; how many statuses that were. The last line is the overall one.

    Bad news is not kept waiting: an overall state that is no success is written together with the parts. What must be
    put on record is written first of all.
    """
    _record(client, place, record)
    *parts, overall = _changed(lines, standing)
    final = lines[-1]
    together = [line for line in (*parts, overall) if line is not None] if final.state is not State.SUCCESS else []
    first = together or [line for line in parts if line is not None]
    client.together({line.context: partial(_write, client, place, line) for line in first})
    if final.state is not State.SUCCESS or (overall is None and not first):
        return len(first)
    _prove(client, place, lines[:-1])
    if overall is None:
        return len(first)
    _write(client, place, overall)
    return len(first) + 1


def _record(client: Client, place: Place, record: Mapping[str, tuple[StatusLine, ...]]) -> None:
    tasks = {
        (commit, line.context): partial(_write, client, replace(place, commit=commit), line)
        for commit, lines in record.items()
        for line in lines
    }
    client.together(tasks)


def _changed(lines: tuple[StatusLine, ...], standing: Iterable[CommitStatus]) -> list[StatusLine | None]:
    """Each line that is not there yet; GitHub tells contexts apart without case."""
    latest = {status.context.lower(): (status.state, status.description) for status in standing}
    return [
        None if latest.get(line.context.lower()) == (line.state.value, line.description) else line for line in lines
    ]


def _write(client: Client, place: Place, line: StatusLine) -> None:
    body = {"state": line.state.value, "context": line.context, "description": line.description}
    if place.url is not None:
        body["target_url"] = place.url
    written = client.post(f"/repos/{place.repository}/statuses/{place.commit}", body)
    if not isinstance(written, dict) or written.get("state") != line.state.value:
        raise GitHubError(f"{line.context}: GitHub did not take the status {line.state.value}")


def _prove(client: Client, place: Place, parts: tuple[StatusLine, ...]) -> None:
    """Read the parts back: success is only claimed of what is really there."""
    answer = client.get(f"/repos/{place.repository}/commits/{place.commit}/status", per_page=100)
    found = {status["context"].lower(): status["state"] for status in answer["statuses"]}
    for line in parts:
        state = found.get(line.context.lower())
        if state != line.state.value:
            raise GitHubError(f"{line.context} was written as {line.state.value} but GitHub has {state or 'none'}")


def withdraw(client: Client, place: Place, context: str, reason: str) -> None:
    """Say that nothing could be decided."""
    _write(client, place, StatusLine(context=context, state=State.ERROR, description=reason))
