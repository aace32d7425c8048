"""Codes for texts that cannot be read, documents of the wrong shape, and blocks in the wrong place."""

from __future__ import annotations

from phasegate.catalogue import placement, shapes, texts

ENTRIES = (*texts.ENTRIES, *shapes.ENTRIES, *placement.ENTRIES)
