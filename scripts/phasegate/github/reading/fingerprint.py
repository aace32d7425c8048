"""What a pull request looked like, to tell later whether it still does: the first trip again, and the later pages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from phasegate.github.client.client import Client
from phasegate.github.client.side_by_side import Task
from phasegate.github.reading.content import changed_file
from phasegate.github.reading.conversation import Thread, app_of
from phasegate.github.reading.opening import Opening, opening_of, opening_tasks
from phasegate.github.reading.parts import siblings_of
from phasegate.model.frozen import dataclass

JSON = dict[str, Any]
LATER = "later page"
# The gate itself changes the statuses of the commits; the base may move without changing what would merge.
PASSING = ("commits", "baseRefOid")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fingerprint:
    """All that was judged, as it looked."""

    opened: Opening
    threads: tuple[Thread, ...]
    looks: object

    @staticmethod
    def of(opened: Opening, threads: tuple[Thread, ...], later: Iterable[list[JSON]]) -> Fingerprint:
        """What was seen; ``later`` are the pages beyond the first hundred of each thread."""
        return Fingerprint(opened=opened, threads=threads, looks=_looks(opened, later))

    def tasks(self, client: Client) -> dict[Hashable, Task]:
        """The requests that look again."""
        pages = [page for thread in self.threads for page in thread.pages(client, first=2)]
        later: dict[Hashable, Task] = {(LATER, number): page for number, page in enumerate(pages)}
        return {**opening_tasks(client, self.opened.target), **later}

    def holds(self, results: Mapping[Hashable, Any]) -> bool:
        """Whether everything still looks the same."""
        later = [page for key, page in results.items() if isinstance(key, tuple) and key[0] == LATER]
        return _looks(opening_of(self.opened.target, results), later) == self.looks


def _looks(opened: Opening, later: Iterable[list[JSON]]) -> object:
    """Everything of it that a decision is made from."""
    repository = {
        **opened.repository,
        "defaultBranchRef": (opened.repository["defaultBranchRef"] or {}).get("name"),
        "pullRequest": {key: value for key, value in opened.pull.items() if key not in PASSING},
    }
    return (
        repository,
        siblings_of(opened),
        [changed_file(entry) for entry in opened.files],
        [(item["id"], app_of(item)) for item in opened.comments],
        [_trace(item) for page in later for item in page],
    )


def _trace(item: JSON) -> tuple[object, ...]:
    """What shows that a comment or a review was changed."""
    return item["id"], item["body"], item.get("updated_at"), item.get("state"), app_of(item)
