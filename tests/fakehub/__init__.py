"""GitHub's REST and GraphQL API on loopback, from one snapshot, held against GitHub's published descriptions.

``with FakeHub(snapshot) as hub:`` gives ``hub.url`` and ``hub.graphql_url``; ``python3 tests/fakehub FILE`` runs it.
"""

from __future__ import annotations

from tests.fakehub.hub import TOKEN, FakeHub

__all__ = ["TOKEN", "FakeHub"]
