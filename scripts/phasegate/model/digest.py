"""Digests: the same text or value gives the same digest on any machine."""

from __future__ import annotations

import hashlib
import json

from phasegate.model.codec import compact

LONG = 16_384


def text_digest(text: str) -> str:
    """The digest of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def value_digest(value: object) -> str:
    """The digest of a frozen value, whatever the spacing and order of the JSON it was read from.

    A long text stands in it as an object with its own digest, which is quicker than writing it as JSON once more.
    """
    data = _with_short_texts(compact(value))
    return text_digest(json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":")))


def _with_short_texts(data: object) -> object:
    if isinstance(data, str):
        return {"digest": text_digest(data)} if len(data) > LONG else data
    if isinstance(data, dict):
        return {key: _with_short_texts(value) for key, value in data.items()}
    return [_with_short_texts(value) for value in data] if isinstance(data, list) else data


NO_CONTENT = text_digest("[]")  # of a commit that changes nothing of the product
