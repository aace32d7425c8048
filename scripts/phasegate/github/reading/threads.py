"""Review threads: what reviewers opened on lines, who replied, and who resolved it; all threads, or an error.

They are read only if the policy names a reviewer whose threads count. GitHub tells neither when nor why a thread was
resolved. Resolving or reopening one raises no event, so each look compares the threads' states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from phasegate.github.client.answers import MissingError, MovedError
from phasegate.github.client.client import Client
from phasegate.github.reading.conversation import mode_questions, whole_page
from phasegate.github.reading.nodes import Form, Modes, actor
from phasegate.github.reading.opening import Target
from phasegate.github.reading.queries import PAGE, PLACE, THREAD_STATES, each_query, place
from phasegate.github.reading.waves import Ask, Question, connections, in_pages
from phasegate.model.frozen import dataclass
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import RefMove
from phasegate.model.texts import Actor, Reply, ReviewThread

JSON = dict[str, Any]
MOST_PAGES = 100
MOST_HEADS = 20  # heads at which a thread's file is looked up
BOT = "[bot]"

THREADS = each_query(
    f"Threads({PLACE}, $number: Int!, $page: Int!, $after: String)",
    [
        """pullRequest(number: $number) {
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
    }""".replace("STATES", THREAD_STATES)
    ],
)
THREAD = Form(
    ReviewThread,
    "url author editor",
    id="fullDatabaseId",
    created_at="createdAt",
    text="body",
    edited_at="lastEditedAt",
    commit="originalCommit?.oid",
    line="originalLine",
    review="pullRequestReview?.fullDatabaseId",
)
REPLY = Form(Reply, "author", at="createdAt", text="body", edited_at="lastEditedAt")


@dataclass(frozen=True, kw_only=True, slots=True)
class Threads:
    """Every review thread in raw form. ``ends`` are the cursors of the further hundreds."""

    nodes: tuple[JSON, ...] = ()
    ends: tuple[str, ...] = ()

    @property
    def states(self) -> list[object]:
        """Values that change when a thread is resolved, reopened or added."""
        return states(self.nodes)

    def questions(self, target: Target, plan: ReadingPlan, moves: Sequence[RefMove]) -> list[Question]:
        """Questions for the file of each finding that its reviewer resolved itself: at its head, and at later ones."""
        resolved = ((each, each.author, each.resolved_by) for each in self._resolved(plan))
        found = [each for each, who, by in resolved if who and by and (who.id == by.id or who.login == by.login)]
        commits = ((each, commit) for each in found for commit in (each.commit, *_later(each.created_at, moves)))
        places = [(commit, each.path) for each, commit in commits if commit]
        return mode_questions(target.repository, list(dict.fromkeys(places)))

    def people(self, plan: ReadingPlan) -> Iterator[Actor | None]:
        """Accounts whose permission matters: who resolved a reviewer's thread, replied there, or wrote a command."""
        resolved = tuple(self._resolved(plan))
        yield from (each.resolved_by for each in resolved)
        yield from (reply.author for each in resolved for reply in each.replies)
        said = (comment for node in self.nodes for comment in node["comments"]["nodes"])
        yield from (actor(each["author"]) for each in said if plan.carries(each["body"]))

    def _resolved(self, plan: ReadingPlan) -> Iterator[ReviewThread]:
        resolved = (thread for thread in self.assembled() if thread.resolved)
        return (thread for thread in resolved if thread.author is not None and plan.names(thread.author))

    def assembled(self, looked_up: Iterable[Modes] = (), moves: Sequence[RefMove] = ()) -> tuple[ReviewThread, ...]:
        """The threads for the snapshot, with the modes and object ids looked up."""
        blobs = {place: entry[1] for found in looked_up for place, entry in found.items() if entry is not None}
        made = (_thread(node, blobs, moves) for node in self.nodes)
        return tuple(sorted(made, key=lambda thread: (thread.created_at, thread.id)))


NO_THREADS = Threads()


def states(told: Iterable[JSON]) -> list[object]:
    """The state of each thread."""
    return [[node["id"], node["isResolved"], (node["resolvedBy"] or {}).get("login")] for node in told]


def read_threads(client: Client, target: Target) -> Threads:
    """All threads, a hundred at a time, or fewer if that is too much for one answer."""
    return in_pages(client, partial(_read, target))


def _read(target: Target, ask: Ask, page: int) -> Threads:
    found, ends, named = list[JSON](), list[str](), f"{target.repository}#{target.number}"

    def listed(answer: JSON) -> JSON:
        if answer["repository"]["pullRequest"] is None:
            raise MissingError(f"{named} is not there any more")
        threads: JSON = answer["repository"]["pullRequest"]["reviewThreads"]
        return threads

    variables = {**place(target.repository), "number": target.number, "page": page}
    for each in map(listed, connections(ask, ("Threads", THREADS), variables, listed, MOST_PAGES)):
        found += each["nodes"]
        whole_page("Threads", each, len(found))
        more = each["pageInfo"]["hasNextPage"] and len(found) % PAGE == 0
        ends += [each["pageInfo"]["endCursor"]] if more else []
    if len({node["id"] for node in found}) != len(found):
        raise MovedError(f"{named}: GitHub lists a review thread twice")
    return Threads(nodes=tuple(found), ends=tuple(ends))


def _later(at: str, moves: Sequence[RefMove]) -> list[str]:
    return [move.after for move in moves if move.at >= at][-MOST_HEADS:]


def _thread(node: JSON, blobs: Mapping[tuple[str, str], str], moves: Sequence[RefMove]) -> ReviewThread:
    first, *rest = node["comments"]["nodes"]
    path, commit = node["path"], (first["originalCommit"] or {}).get("oid", "")
    own = blobs.get((commit, path))
    later = (blobs.get((head, path)) for head in _later(first["createdAt"], moves))
    return THREAD(
        first,
        path=path,
        replies=tuple(map(REPLY, rest)),
        complete=len(rest) + 1 >= node["comments"]["totalCount"],
        resolved=node["isResolved"],
        resolved_by=_resolver(node["resolvedBy"]),
        outdated=node["isOutdated"],
        blob=own,
        since=tuple(dict.fromkeys(each for each in later if each and each != own)),
    )


def _resolver(node: JSON | None) -> Actor | None:
    """Who resolved a thread. GitHub calls an app a user here, with its login as in REST."""
    if node is None:
        return None
    return Actor(login=node["login"], id=node["databaseId"], type="Bot" if node["login"].endswith(BOT) else "User")
