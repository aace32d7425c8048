"""The toy has no codes of its own."""

from __future__ import annotations

from phasegate.catalogue import Entry

ENTRIES: tuple[Entry, ...] = ()
