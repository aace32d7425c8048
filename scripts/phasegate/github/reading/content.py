"""What a commit would bring in: the changed paths with their blobs against the merge base, as one digest."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterable
from typing import Any

from phasegate.model.digest import text_digest
from phasegate.model.evidence import FOLDER
from phasegate.model.snapshot import REMOVED, ChangedFile, Content

JSON = dict[str, Any]
EVIDENCE = f"{FOLDER}/"
MOST_COMPARED = 300


def changed_file(entry: JSON) -> ChangedFile:
    """A changed file as REST tells it."""
    status = entry["status"]
    return ChangedFile(
        path=entry["filename"],
        status=status,
        previous_path=entry.get("previous_filename") if status == "renamed" else None,
        blob=None if status == REMOVED else entry["sha"],
    )


def content_digest(files: Iterable[ChangedFile]) -> str | None:
    """The digest of changed files, the evidence folder aside; none where a blob is not known.

    A rename is a path that is gone and one that is there, so it does not matter how GitHub tells the two.
    """
    present: dict[str, str | None] = {}
    for file in files:
        if file.status != REMOVED and file.blob is None:
            return None
        if file.previous_path is not None:
            present.setdefault(file.previous_path, None)
        present[file.path] = file.blob
    product = sorted((path, blob) for path, blob in present.items() if not path.startswith(EVIDENCE))
    return text_digest(json.dumps(product, ensure_ascii=True, separators=(",", ":")))


def line_count(entry: object) -> int | None:
    """How many lines a file has, as REST tells its content; none of what is not a text file of ordinary size."""
    if not isinstance(entry, dict) or entry.get("type") != "file" or entry.get("encoding") != "base64":
        return None
    try:
        content = b64decode(entry.get("content") or "")
    except ValueError:
        return None
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def compared_content(commit: str, comparison: JSON | None) -> Content:
    """What a comparison says of a commit; nothing where GitHub may have left files out."""
    files = None if comparison is None else comparison.get("files")
    if not isinstance(files, list) or len(files) >= MOST_COMPARED:
        return Content(commit=commit)
    changed = [changed_file(entry) for entry in files]
    evidence = tuple(file.path for file in changed if file.path.startswith(EVIDENCE))
    return Content(commit=commit, digest=content_digest(changed), excluded=evidence)
