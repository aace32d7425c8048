"""Digests: the same text or value gives the same digest on any machine."""

from __future__ import annotations

import hashlib
import json

from phasegate.model.codec import compact


def text_digest(text: str) -> str:
    """The digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def value_digest(value: object) -> str:
    """The digest of a frozen value, whatever the spacing and order of the JSON it was read from."""
    return text_digest(json.dumps(compact(value), sort_keys=True, ensure_ascii=True, separators=(",", ":")))
