"""Who wrote what: agents by name and tier, the way from tier to tier, and how often a stage was tried."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from phasegate.dialects.pipeline.folder import Folder
from phasegate.dialects.pipeline.names import agent_names, kind_of, writer_and_tier
from phasegate.dialects.pipeline.types import Artifact, Complexity, Content, Signed, State, TestResult, Tier
from phasegate.model.evidence import COPIES, GIT
from phasegate.model.problem import Problem
from phasegate.reading.document import JsonPath
from phasegate.reading.excerpt import excerpt

MOST_RETRIES = 2
_TIERS = tuple(tier.value for tier in Tier)


def signature_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """What an artifact says of its writer that cannot be."""
    content = artifact.content
    if content.produced_by is not None:
        kind = kind_of(artifact.name)
        yield from agent_problems(artifact, content.produced_by, kind.writer, ("produced_by",), content.tier_used)
    yield from _escalation_problems(artifact)
    yield from _copy_problems(artifact)


def agent_problems(
    artifact: Artifact[Content], agent: str, writer: str, path: JsonPath, tier: Tier | None = None
) -> Iterator[Problem]:
    """What is wrong with the name of an agent that should be this writer."""
    found = writer_and_tier(agent)
    if found is None or found[0] != writer or found[1] not in (None, *_TIERS):
        message = f"{path[-1]} is {excerpt(agent)}; expected {agent_names(writer)}"
        yield artifact.problem("PG770", message, path)
    elif found[1] and tier and found[1] != tier.value:
        message = f"{path[-1]} is {excerpt(agent)}, but tier_used is {tier.value}"
        yield artifact.problem("PG770", message, path)


def _escalation_problems(artifact: Artifact[Signed]) -> Iterator[Problem]:
    history = artifact.content.escalation_history or ()
    for index, step in enumerate(history):
        if step.to_tier.rank <= step.from_tier.rank:
            message = f"the work went from {step.from_tier.value} to {step.to_tier.value}, which is not a higher tier"
            yield artifact.problem("PG772", message, ("escalation_history", index, "to_tier"))
    for index, (one, other) in enumerate(pairwise(history), start=1):
        if other.from_tier is not one.to_tier:
            message = f"this step begins at {other.from_tier.value}, but the one before it ended at {one.to_tier.value}"
            yield artifact.problem("PG773", message, ("escalation_history", index, "from_tier"))
    used = artifact.content.tier_used
    if history and used and history[-1].to_tier is not used:
        message = f"the last escalation ended at {history[-1].to_tier.value}, but tier_used is {used.value}"
        yield artifact.problem("PG774", message, ("tier_used",))


def _copy_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """A copy whose name says what its content does not."""
    if artifact.name not in COPIES:
        return
    wanted = artifact.name.removesuffix(".json").rpartition("-")[2]
    content = artifact.content
    key, told = ("verdict", content.verdict) if isinstance(content, TestResult) else ("tier_used", content.tier_used)
    if told is not None and told.value.lower() != wanted:
        message = f"the name says {wanted}, but {key} is {told.value}"
        yield artifact.problem("PG707", message, (key,))


def tier_problems(folder: Folder) -> Iterator[Problem]:
    """Agents of a tier that the issue's complexity does not allow, and a plan that a trivial issue does not need."""
    if folder.complexity is Complexity.COMPLEX:
        for artifact in folder.artifacts:
            if artifact.content.tier_used is Tier.FAST and artifact.name != GIT:
                message = "tier_used is fast, but the issue is complex"
                yield artifact.problem("PG771", message, ("tier_used",))
    if folder.complexity is Complexity.TRIVIAL and folder.plan is not None:
        yield folder.plan.problem("PG775", "the issue is trivial and has a plan all the same", ("complexity",))


def retry_problems(state: Artifact[State]) -> Iterator[Problem]:
    """Stages that were tried more often than the pipeline does."""
    counts: Counter[tuple[str, str | None]] = Counter()
    for retry in state.content.retries:
        before = counts[retry.stage, retry.tier]
        counts[retry.stage, retry.tier] += retry.count
        if before <= MOST_RETRIES < before + retry.count:
            what = f"the stage {excerpt(retry.stage)}" if retry.stage else "a stage"
            tier = f" at the tier {excerpt(retry.tier)}" if retry.tier else ""
            message = f"{what} was tried again more than {MOST_RETRIES} times{tier}"
            yield state.problem("PG786", message, retry.path)
