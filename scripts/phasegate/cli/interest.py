"""What of a pull request is worth a look when it is read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from phasegate.dialects.registry import evidence_paths, may_carry
from phasegate.github.reading.approvals import ApprovalPlace
from phasegate.github.reading.fetch import Interest
from phasegate.github.reading.files import FolderChoice
from phasegate.model.snapshot import PolicyFile
from phasegate.reading.globs import ignored_by

if TYPE_CHECKING:
    from phasegate.policy.model import Policy


def approval_place(file: PolicyFile) -> ApprovalPlace | None:
    """Where a policy lets humans approve by runs; nowhere where it says nothing, or cannot be used."""
    policy = _policy(file)
    if policy is None or policy.humans.dispatch is None:
        return None
    wanted = policy.humans.dispatch
    return ApprovalPlace(workflow=wanted.workflow, environment=wanted.environment)


def folder_choice(file: PolicyFile) -> FolderChoice | None:
    """Which evidence folders a policy wants to be read; none where it judges no artifacts."""
    policy = _policy(file)
    if policy is None or not any(phase.evidence for phase in policy.phases if phase.enabled):
        return None
    from phasegate.dialects.pipeline.choice import worth_reading  # noqa: PLC0415  (not always needed)

    return partial(worth_reading, policy.artifacts.folder)


def _policy(file: PolicyFile) -> Policy | None:
    """The policy of a file, where there is one that can be used."""
    if file.text is None:
        return None
    from phasegate.cli.judging import Policy, load_policy  # noqa: PLC0415  (slow to load, and not always needed)

    policy = load_policy(file.text, file.path)
    return policy if isinstance(policy, Policy) else None


INTEREST = Interest(
    carries=may_carry,
    evidence=evidence_paths,
    approvals=approval_place,
    folders=folder_choice,
    ignored_by=ignored_by,
)
