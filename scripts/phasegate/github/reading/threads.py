"""Review threads: what reviewers opened on lines, who replied, and who resolved it; every thread, or an error.

They are read only where the policy names a reviewer whose threads count. GitHub tells neither when a thread was
resolved nor why; a thread that was resolved or reopened raises no event, so each look compares their states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, TooLargeError
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.conversation import mode_questions, whole_page
from phasegate.github.reading.nodes import Modes
from phasegate.github.reading.opening import Target
from phasegate.github.reading.queries import ACTOR, PAGES, THREAD_STATES
from phasegate.github.reading.waves import Question
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import RefMove
from phasegate.model.texts import Actor, Reply, ReviewThread

JSON = dict[str, Any]
MOST_PAGES = 100
MOST_HEADS = 20  # at which the file of a thread is looked up
BOT = "[bot]"

THREADS = (
    """
query Threads($owner: String!, $name: String!, $number: Int!, $page: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: $page, after: $after) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes {
          STATES path
          comments(first: 50) {
            totalCount
            nodes {
              fullDatabaseId url body createdAt lastEditedAt originalLine
              author { ...actor }
              editor { ...actor }
              originalCommit { oid }
              pullRequestReview { fullDatabaseId }
            }
          }
        }
      }
    }
  }
}
""".replace("STATES", THREAD_STATES)
    + ACTOR
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Threads:
    """Every review thread as GitHub sent it; ``ends`` are the cursors after which the further hundreds begin."""

    nodes: tuple[JSON, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def states(self) -> list[object]:
        """What is compared to tell whether one was resolved, reopened or added."""
        return states(self.nodes)

    def questions(self, target: Target, plan: ReadingPlan, moves: Sequence[RefMove]) -> list[Question]:
        """What looks up the file of each finding that its reviewer resolved itself: there, and at later heads."""
        found = [each for each in self._resolved(plan) if each.resolved_by and _is_one(each.author, each.resolved_by)]
        places = [(commit, each.path) for each in found for commit in (each.commit, *_later(each, moves)) if commit]
        return mode_questions(target.repository, list(dict.fromkeys(places)))

    def people(self, plan: ReadingPlan) -> Iterator[Actor | None]:
        """Whose permission matters: who resolved a reviewer's thread, and who replied where it did so itself."""
        resolved = tuple(self._resolved(plan))
        yield from (each.resolved_by for each in resolved)
        yield from (reply.author for each in resolved for reply in each.replies)

    def _resolved(self, plan: ReadingPlan) -> Iterator[ReviewThread]:
        told = (thread for thread in self.assembled() if thread.resolved and thread.author is not None)
        return (thread for thread in told if thread.author is not None and plan.names(thread.author))

    def assembled(self, looked_up: Iterable[Modes] = (), moves: Sequence[RefMove] = ()) -> tuple[ReviewThread, ...]:
        """The threads as the snapshot holds them; of files at commits mode and object id were looked up."""
        blobs = {place: entry[1] for found in looked_up for place, entry in found.items() if entry is not None}
        made = (_with_blobs(_thread(node), blobs, moves) for node in self.nodes)
        return tuple(sorted(made, key=lambda thread: (thread.created_at, thread.id)))


NO_THREADS = Threads()


def states(told: Iterable[JSON]) -> list[object]:
    """How each thread stands."""
    return [[node["id"], node["isResolved"], (node["resolvedBy"] or {}).get("login")] for node in told]


def read_threads(client: Client, target: Target) -> Threads:
    """All threads, a hundred at a time; where that is too much for one answer, fewer."""
    *larger, smallest = PAGES
    for page in larger:
        with suppress(TooLargeError):
            return _read(client, target, page)
    return _read(client, target, smallest)


def _read(client: Client, target: Target, page: int) -> Threads:
    repository, number = target.repository, target.number
    owner, _, name = repository.partition("/")
    found, ends, after = list[JSON](), list[str](), None
    ask = client.graphql if page == PAGES[-1] else client.divisible
    for _ in range(MOST_PAGES):
        variables = {"owner": owner, "name": name, "number": number, "page": page, "after": after}
        pull = ask("Threads", THREADS, variables)["repository"]["pullRequest"]
        if pull is None:
            raise MissingError(f"{repository}#{number} is not there any more")
        listed = pull["reviewThreads"]
        found += listed["nodes"]
        whole_page("Threads", listed, len(found))
        after = listed["pageInfo"]["endCursor"]
        if len(found) % PAGES[0] == 0 and listed["pageInfo"]["hasNextPage"]:
            ends.append(after)
        if not listed["pageInfo"]["hasNextPage"]:
            if len({node["id"] for node in found}) != len(found):
                raise MovedError(f"{repository}#{number}: GitHub lists a review thread twice")
            return Threads(nodes=tuple(found), ends=tuple(ends))
    raise GitHubError(f"{repository}#{number} has more than {MOST_PAGES * page} review threads")


def _later(thread: ReviewThread, moves: Sequence[RefMove]) -> list[str]:
    """The last heads since a thread was opened."""
    return [move.after for move in moves if move.at >= thread.created_at][-MOST_HEADS:]


def _with_blobs(thread: ReviewThread, blobs: Mapping[tuple[str, str], str], moves: Sequence[RefMove]) -> ReviewThread:
    own = blobs.get((thread.commit or "", thread.path))
    later = (blobs.get((head, thread.path), own) for head in _later(thread, moves))
    return replace(thread, blob=own, since=tuple(dict.fromkeys(each for each in later if each and each != own)))


def _thread(node: JSON) -> ReviewThread:
    first, *rest = node["comments"]["nodes"]
    commit = (first["originalCommit"] or {}).get("oid")
    review = (first["pullRequestReview"] or {}).get("fullDatabaseId")
    return ReviewThread(
        id=nodes.number(first["fullDatabaseId"]),
        url=first["url"],
        path=node["path"],
        author=nodes.actor(first["author"]),
        created_at=first["createdAt"],
        text=first["body"],
        edited_at=first["lastEditedAt"],
        editor=nodes.actor(first["editor"]),
        commit=commit,
        line=first["originalLine"],
        review=None if review is None else nodes.number(review),
        replies=tuple(
            Reply(
                at=reply["createdAt"],
                author=nodes.actor(reply["author"]),
                text=reply["body"],
                edited_at=reply["lastEditedAt"],
            )
            for reply in rest
        ),
        complete=len(rest) + 1 >= node["comments"]["totalCount"],
        resolved=node["isResolved"],
        resolved_by=_resolver(node["resolvedBy"]),
        outdated=node["isOutdated"],
    )


def _resolver(node: JSON | None) -> Actor | None:
    """Who resolved a thread; GitHub calls an app a user there, and writes its login as REST does."""
    if node is None:
        return None
    return Actor(login=node["login"], id=node["databaseId"], type="Bot" if node["login"].endswith(BOT) else "User")


def _is_one(author: Actor | None, other: Actor) -> bool:
    return author is not None and (author.id == other.id or author.login == other.login)
