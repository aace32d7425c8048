"""The dialects, and which of them have words in comments; the others speak in files alone."""

from __future__ import annotations

SPEAKS_IN_COMMENTS = {"jkz": True, "pipeline": False}
