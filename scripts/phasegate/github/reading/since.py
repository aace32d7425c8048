"""Since when a file of a branch is as it is, by the server's log of that branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from phasegate.github.client.answers import MissingError, RefusedError
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import PAGE, each_query
from phasegate.github.reading.waves import Ask, in_pieces
from phasegate.github.record import seconds

JSON = dict[str, Any]


def moves_of(client: Client, repository: str, branch: str) -> list[JSON] | None:
    """The last movements of a branch by the server's log, the newest first; none where that is not told."""
    path = f"/repos/{repository}/activity"
    try:
        moves: list[JSON] = client.page(path, ref=f"refs/heads/{branch}", per_page=PAGE, direction="desc")
    except (MissingError, RefusedError):
        return None
    return moves


def blobs_at(client: Client, repository: str, path: str, commits: Iterable[str]) -> dict[str, str | None]:
    """The blob that stands at a path of each of some commits, if any."""
    owner, _, name = repository.partition("/")

    def ask_for(ask: Ask, some: Sequence[str]) -> dict[str, str | None]:
        told = ask("Blobs", blobs_query(some), {"owner": owner, "name": name, "path": path})["repository"]
        files = ((told[f"commit{index}"] or {}).get("file") or {} for index in range(len(some)))
        return {commit: file.get("oid") for commit, file in zip(some, files, strict=True)}

    wanted = list(dict.fromkeys(commits))
    return {commit: blob for piece in in_pieces(client, wanted, ask_for) for commit, blob in piece.items()}


def last_other(moves: list[JSON], was_other: Callable[[str], bool]) -> float:
    """Since when what stands on a branch is so; as far as the log is read, it may have been otherwise before it."""
    for move in moves:
        if was_other(move["before"]):
            return seconds(move["timestamp"])
    return seconds(moves[-1]["timestamp"]) if len(moves) >= PAGE else 0.0


def present_since(client: Client, repository: str, branch: str, tip: str, path: str) -> float | None:
    """Since when a file stands on a branch, by the server's log; none where it does not, or nobody can tell."""
    moves = moves_of(client, repository, branch)
    if moves is None:
        return None
    files = blobs_at(client, repository, path, [tip, *(move["before"] for move in moves)])
    if files[tip] is None:
        return None
    return last_other(moves, lambda before: files[before] is None) if moves else 0.0


def blobs_query(commits: Iterable[str]) -> str:
    """The query for what stands at one path of some commits."""
    asked = (f'commit{index}: object(oid: "{commit}") {{ ...at }}' for index, commit in enumerate(commits))
    query = each_query("Blobs($owner: String!, $name: String!, $path: String!)", asked)
    return f"{query}fragment at on Commit {{ file(path: $path) {{ oid }} }}"
