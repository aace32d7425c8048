"""What a gate without a defence would make of GitHub's answers: permissive stand-ins for one function each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from phasegate.github.client.answers import Answer, Data
from phasegate.github.client.client import Client
from phasegate.github.reading import moves, opening
from phasegate.github.reading.conversation import Thread
from phasegate.github.reading.fingerprint import Counts, touched
from phasegate.github.reading.nodes import Modes
from phasegate.github.reading.opening import Target
from phasegate.github.reading.queries import PULL_REQUEST
from phasegate.github.record import is_record, read_record, seconds
from phasegate.github.writing import publish
from phasegate.github.writing.publish import Place
from phasegate.model.report import StatusLine
from phasegate.model.signal import Vote
from phasegate.model.snapshot import ChangedFile, CommitStatus, Record
from phasegate.model.texts import Actor, Comment, Person

JSON = dict[str, Any]
_main, _record_on = opening._main, moves.record_on


def first_page(path: str, votes: JSON, *, with_apps: bool) -> Thread:
    """The first page is all there is."""
    return Thread(path=path, total=len(votes["nodes"]), first=votes["nodes"], with_apps=with_apps)


def data_beside_errors(answer: Answer, *_: object) -> Data:
    """What came is all there is."""
    return Data(value=json.loads(answer.body)["data"])


def present_words(said: Iterable[Comment], since: int, counts: Counts) -> list[list[object]]:
    """What a comment says now is all that it ever said."""
    del since
    return [[each.id, each.text] for each in said if each.author is not None and counts([each.text], each.author)]


def times_of_words(said: Iterable[Comment], since: int, _: Counts) -> list[list[object]]:
    """What was touched at the same time is the same."""
    return [[each.id, touched(each)] for each in said if seconds(touched(each)) >= since]


def write_until_it_stands(client: Client, place: Place, line: StatusLine, _: int) -> None:
    """What was right once is right."""
    publish._write(client, place, line)


def withdraw_what_was_read(client: Client, place: Place, context: str, reason: str) -> None:
    """Look first."""
    publish.statuses_on(client, place)
    publish.withdraw(client, place, context, reason)


def latest_record(client: Client, repository: str, commit: str, names: list[str]) -> list[tuple[str, CommitStatus]]:
    """What stands last is all there is of the record."""
    found = _record_on(client, repository, commit, names)
    lines = [each for each in found if is_record(each[1].context)]
    return [each for each in found if each not in lines[1:]]


def any_record(statuses: list[tuple[str, CommitStatus]], own: Actor | None, _: int) -> str:
    """What is found first is all there is."""
    return "9" if read_record(statuses, own).signals else ""


def no_record(*_: object) -> Record:
    """Nobody remembers anything, and nobody asks."""
    return Record(since="2000-01-01T00:00:00Z")


def only_fails(vote: Vote) -> str | None:
    """Only a FAIL is worth remembering."""
    return "FAIL" if vote.failed else None


def policy_of_head(client: Client, target: Target) -> tuple[JSON, JSON]:
    """The policy as the pull request would have it."""
    repository, commit = _main(client, target)
    owner, _, name = target.repository.partition("/")
    policy = f"{repository['pullRequest']['headRefOid']}:{target.policy_path}"
    variables = {"owner": owner, "name": name, "number": target.number, "policy": policy, "page": 100}
    again = client.graphql("PullRequest", PULL_REQUEST, variables)
    return {**repository, "policy": again["repository"]["policy"]}, commit


def permission_by_login(client: Client, repository: str, account: Actor) -> Person | None:
    """Whoever has the login now is who spoke."""
    answer = client.find(f"/repos/{repository}/collaborators/{account.login}/permission")
    if answer is None or account.id is None:
        return None
    return Person(login=account.login, id=account.id, permission=answer["permission"])


def plain_files(commit: str, files: Iterable[ChangedFile], modes: Modes) -> tuple[ChangedFile, ...]:
    """Everything is a plain file."""
    del commit, modes
    return tuple(replace(file, mode="100644") for file in files)
