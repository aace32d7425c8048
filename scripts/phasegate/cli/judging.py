"""All that decides, in one place to load it from: a live run does so while GitHub is being asked."""

from __future__ import annotations

from functools import partial

from phasegate.cli import decided
from phasegate.dialects.pipeline_choice import worth_reading
from phasegate.dialects.registry import evidence_paths, may_carry
from phasegate.gate import judge
from phasegate.github.approvals import ApprovalPlace
from phasegate.github.evidence import FolderChoice
from phasegate.github.fetch import Interest
from phasegate.model.snapshot import PolicyFile
from phasegate.policy import Policy
from phasegate.policy.load import default_policy, load_policy
from phasegate.reading.schemas import get_ready as get_schemas_ready
from phasegate.report.status import LIMIT, status_lines
from phasegate.rules.phases import CONTEXT

__all__ = ["CONTEXT", "INTEREST", "LIMIT", "decided", "get_ready", "judge", "status_lines"]


def approval_place(file: PolicyFile) -> ApprovalPlace | None:
    """Where a policy lets humans approve by runs; nowhere where it says nothing, or cannot be used."""
    policy = None if file.text is None else load_policy(file.text, file.path)
    if not isinstance(policy, Policy) or policy.humans.dispatch is None:
        return None
    wanted = policy.humans.dispatch
    return ApprovalPlace(workflow=wanted.workflow, environment=wanted.environment)


def folder_choice(file: PolicyFile) -> FolderChoice | None:
    """Which evidence folders a policy wants to be read; none where it judges no artifacts."""
    policy = None if file.text is None else load_policy(file.text, file.path)
    if not isinstance(policy, Policy) or not any(phase.evidence for phase in policy.phases if phase.enabled):
        return None
    return partial(worth_reading, policy.artifacts.folder)


INTEREST = Interest(carries=may_carry, evidence=evidence_paths, approvals=approval_place, folders=folder_choice)


def get_ready() -> None:
    """Do what takes long the first time."""
    get_schemas_ready()
    default_policy()
