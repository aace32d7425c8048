"""Node ids: the same for one thing in REST and in GraphQL, and opaque to clients."""

from __future__ import annotations

import base64
import binascii
import json

PREFIXES = {
    "Repository": "R", "PullRequest": "PR", "Issue": "I", "IssueComment": "IC", "PullRequestReview": "PRR",
    "UserContentEdit": "UCE", "User": "U", "Bot": "BOT", "Organization": "O", "Mannequin": "M", "App": "A",
    "Commit": "C", "Tree": "T", "Blob": "B", "StatusContext": "SC", "CheckRun": "CR", "CheckSuite": "CS", "Label": "LA",
}  # fmt: skip


def node_id(kind: str, *key: object) -> str:
    """The id of a thing, by its kind and what tells it from others of its kind."""
    packed = base64.urlsafe_b64encode(json.dumps([kind, *key]).encode()).decode().rstrip("=")
    return f"{PREFIXES.get(kind, 'N')}_kwDO{packed}"


def node_key(text: str) -> tuple[str, list[object]] | None:
    """The kind and key that an id stands for; none if it is not one of ours."""
    packed = text.partition("_kwDO")[2]
    try:
        kind, *key = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    except (binascii.Error, ValueError):
        return None
    return kind, key
