"""All that decides, in one place to load it from: a live run does so while GitHub is being asked."""

from __future__ import annotations

from phasegate.dialects.registry import COMMENT_READERS, comment_reader
from phasegate.gate import judge
from phasegate.policy.load import default_policy, load_policy
from phasegate.policy.model import Policy
from phasegate.reading.schema.registry import get_ready as get_schemas_ready
from phasegate.report.status import LIMIT, status_lines
from phasegate.rules.phases import CONTEXT

__all__ = ["CONTEXT", "LIMIT", "Policy", "get_ready", "judge", "load_policy", "status_lines"]


def get_ready() -> None:
    """Do what takes long the first time."""
    get_schemas_ready()
    default_policy()
    for dialect in COMMENT_READERS:
        comment_reader(dialect)
