"""A plain client for the tests of the fake: no retries, no redirects, nothing from the environment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import requests

from tests.fakehub.answer import JSON
from tests.fakehub.hub import FakeHub

REPOSITORY = "/repos/octo/shop"


class Client:
    """Asks one hub."""

    def __init__(self, hub: FakeHub, **headers: str) -> None:
        self.hub = hub
        self.session = requests.Session()
        self.session.trust_env = False
        self.session.headers.update({"Authorization": f"Bearer {hub.token}", "User-Agent": "test", **headers})

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:  # noqa: ANN401 - as requests has them
        """Any request; the path is below the repository unless it is a whole one."""
        whole = (
            path
            if path.startswith("http")
            else self.hub.url + (path if path.startswith("/") else f"{REPOSITORY}/{path}")
        )
        return self.session.request(method, whole, **{"allow_redirects": False, "timeout": 10, **more})

    def get(self, path: str, **more: Any) -> requests.Response:  # noqa: ANN401 - as requests has them
        return self.ask("GET", path, **more)

    def data(self, path: str) -> Any:  # noqa: ANN401 - a document
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def pages(self, path: str) -> Iterator[list[JSON]]:
        following: str | None = path
        while following:
            answer = self.get(following)
            assert answer.status_code == 200, answer.text
            yield answer.json()
            following = answer.links.get("next", {}).get("url")

    def post(self, path: str, body: object) -> requests.Response:
        return self.ask("POST", path, json=body)

    def graphql(self, query: str, **variables: object) -> JSON:
        answer = self.ask("POST", self.hub.graphql_url, json={"query": query, "variables": variables})
        assert answer.status_code == 200, answer.text
        made: JSON = answer.json()
        return made

    def pull(self, selection: str) -> JSON:
        place = 'repository(owner: "octo", name: "shop")'
        made = self.graphql(f"{{ {place} {{ pullRequest(number: 7) {{ {selection} }} }} }}")
        assert "errors" not in made, made
        found: JSON = made["data"]["repository"]["pullRequest"]
        return found


@contextlib.contextmanager
def serving(snapshot: JSON, **more: Any) -> Iterator[Client]:  # noqa: ANN401 - as FakeHub has them
    """A client of a hub that runs for as long as the context."""
    with FakeHub(snapshot, **more) as hub:
        client = Client(hub)
        with client.session:
            yield client
