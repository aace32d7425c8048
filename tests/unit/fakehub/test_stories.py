"""Whole pull requests from the case book: the fake can play them, and never gives an answer that GitHub could not."""

from __future__ import annotations

import pytest

from tests.casebook.every import STORIES
from tests.fakehub.client import REPOSITORY, serving

SAID = """id fullDatabaseId url body createdAt lastEditedAt includesCreatedEdit createdViaEmail
    author { __typename login } editor { login }
    userContentEdits(first: 10) { totalCount nodes { editedAt diff deletedAt editor { login } } }"""
EVERYTHING = f"""number title author {{ login }} headRefOid baseRefOid changedFiles
    comments(first: 100) {{ totalCount nodes {{ {SAID} isMinimized }} }}
    reviews(first: 100) {{ totalCount nodes {{ {SAID} state submittedAt commit {{ oid }} }} }}
    timelineItems(first: 100) {{ totalCount nodes {{ __typename }} }}
    commits(last: 1) {{ nodes {{ commit {{ oid status {{ state }} }} }} }}
    closingIssuesReferences(first: 10) {{ nodes {{ number labels(first: 20) {{ nodes {{ name }} }}
        comments(first: 50) {{ nodes {{ {SAID} }} }} timelineItems(first: 50) {{ nodes {{ __typename }} }} }} }}"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", list(STORIES)[::7])
def test_story__can_be_played(name: str) -> None:
    snapshot = STORIES[name].world().snapshot()
    head, base = snapshot["pull_request"]["head"]["sha"], snapshot["pull_request"]["base"]["sha"]
    with serving(snapshot) as client:
        seen = client.pull(EVERYTHING)
        assert [said["body"] for said in seen["comments"]["nodes"]] == [said["text"] for said in snapshot["comments"]]
        assert [said["body"] for said in seen["reviews"]["nodes"]] == [said["text"] for said in snapshot["reviews"]]
        assert seen["headRefOid"] == client.data("pulls/7")["head"]["sha"] == head
        for path in ("issues/7/comments", "pulls/7/reviews", f"git/trees/{head}?recursive=1"):
            assert client.get(f"{REPOSITORY}/{path}").status_code == 200
        for content in snapshot["contents"]:
            assert client.get(f"compare/{base}...{content['commit']}").status_code == 200
