"""The codes of the pipeline dialect."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.dialects.pipeline.codes.artifacts import ARTIFACTS
from phasegate.dialects.pipeline.codes.state import STATE

ENTRIES: tuple[Entry, ...] = (*ARTIFACTS, *STATE)
