"""Evidence: the artifacts that a phase may ask for, each a role of its own, and the folder that an issue's are in."""

from __future__ import annotations

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Does, Role, Signal

FOLDER = ".pipeline"
NUMBER = "{number}"
TEST_RESULT = "test-result.json"
PHASE_2 = f"{TEST_RESULT}#phase_2"

ARTIFACTS: dict[str, Role] = {
    role.name: role
    for role in (
        Role(name="plan.json", does=Does.CREATES),
        Role(name="worker-result.json", does=Does.CREATES),
        Role(name=TEST_RESULT, does=Does.CHALLENGES),
        Role(name=PHASE_2, does=Does.CHALLENGES),
        Role(name="review-result.json", does=Does.CONFIRMS),
        Role(name="git-result.json", does=Does.CREATES),
        Role(name="debug-diagnosis.json", does=Does.REPAIRS),
        Role(name="state.yaml", does=Does.CREATES),
    )
}
# Each stands on those of the stages before it; what is left on the way stands on nothing.
STAGES = (
    ("plan.json",),
    ("worker-result.json",),
    (TEST_RESULT, PHASE_2),
    ("review-result.json",),
    ("git-result.json",),
)
STAGE_OF = {name: stage for stage, names in enumerate(STAGES) for name in names}


def is_artifact(role: str) -> bool:
    """Whether a role is that of an artifact, which no comment can speak for."""
    return role in ARTIFACTS


def file_of(artifact: str) -> str:
    """The file that an artifact is, or is a part of."""
    return artifact.partition("#")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class EvidenceFolder:
    """The folder of an issue, or of a pull request without one: where it is or would be, and what is wrong with it.

    ``rivals`` are the folders of which nobody can tell which one it is.
    """

    issue: int | None
    path: str
    rivals: tuple[str, ...] = ()
    wrong: Problem | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchEvidence:
    """What the folders of a pull request hold: signals, where each issue's are, and what is wrong beside them."""

    signals: tuple[Signal, ...] = ()
    folders: tuple[EvidenceFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
