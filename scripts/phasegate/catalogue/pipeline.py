"""PG7xx: what can be wrong in the pipeline's artifacts and between them."""

from __future__ import annotations

from phasegate.catalogue import pipeline_files, pipeline_plan, pipeline_results, pipeline_state

ENTRIES = (*pipeline_files.ENTRIES, *pipeline_plan.ENTRIES, *pipeline_results.ENTRIES, *pipeline_state.ENTRIES)
