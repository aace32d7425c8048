"""What the gate is compared with: reads the same comments with plain ``requests``, page by page, and checks nothing."""

from __future__ import annotations

import os
import sys
from typing import Any

import requests


def read_all(session: requests.Session, address: str) -> list[Any]:
    """Every item of a list, at GitHub's own page size, as its links lead."""
    items: list[Any] = []
    following: str | None = address
    while following:
        answer = session.get(following, timeout=10)
        answer.raise_for_status()
        items += answer.json()
        following = answer.links.get("next", {}).get("url")
    return items


def main(repository: str, number: str, issue: str) -> None:
    """Read the pull request, its comments and reviews, the linked issue and its comments, one after the other."""
    root = f"{os.environ['GITHUB_API_URL']}/repos/{repository}"
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Authorization"] = f"Bearer {os.environ['GITHUB_TOKEN']}"
        for address in (f"{root}/pulls/{number}", f"{root}/issues/{issue}"):
            session.get(address, timeout=10).raise_for_status()
        places = (f"issues/{number}/comments", f"pulls/{number}/reviews", f"issues/{issue}/comments")
        count = sum(len(read_all(session, f"{root}/{place}")) for place in places)
    sys.stdout.write(f"{count} comments\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
