"""What a gate without a defence would make of GitHub's answers: permissive stand-ins for one function each."""

from __future__ import annotations

import json
from typing import Any

from phasegate.github.client.answers import Answer, Data
from phasegate.github.client.client import Client
from phasegate.github.reading import opening
from phasegate.github.reading.conversation import Thread
from phasegate.github.reading.opening import Target
from phasegate.github.reading.queries import PULL_REQUEST
from phasegate.model.actors import Actor, Person
from phasegate.model.snapshot import Record

JSON = dict[str, Any]
_main = opening._main


def first_page(path: str, votes: JSON, *, with_apps: bool) -> Thread:
    """The first page is all there is."""
    return Thread(path=path, total=len(votes["nodes"]), first=votes["nodes"], with_apps=with_apps)


def data_beside_errors(answer: Answer, *_: object) -> Data:
    """What came is all there is."""
    return Data(value=json.loads(answer.body)["data"])


def no_record(_: object) -> Record:
    """Nobody remembers anything."""
    return Record()


def policy_of_head(client: Client, target: Target) -> tuple[JSON, JSON]:
    """The policy as the pull request would have it."""
    repository, commit = _main(client, target)
    owner, _, name = target.repository.partition("/")
    policy = f"{repository['pullRequest']['headRefOid']}:{target.policy_path}"
    variables = {"owner": owner, "name": name, "number": target.number, "policy": policy}
    again = client.graphql("PullRequest", PULL_REQUEST, variables)
    return {**repository, "policy": again["repository"]["policy"]}, commit


def permission_by_login(client: Client, repository: str, account: Actor) -> Person | None:
    """Whoever has the login now is who spoke."""
    answer = client.find(f"/repos/{repository}/collaborators/{account.login}/permission")
    if answer is None or account.id is None:
        return None
    return Person(login=account.login, id=account.id, permission=answer["permission"])
