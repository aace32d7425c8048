"""Evidence: the artifacts that a phase may ask for, each a role of its own, and the folder that an issue's are in."""

from __future__ import annotations

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Does, Role, Signal

FOLDER = ".pipeline"
NUMBER = "{number}"

PLAN, WORKER, TEST, REVIEW = "plan.json", "worker-result.json", "test-result.json", "review-result.json"
DEBUG, GIT, STATE = "debug-diagnosis.json", "git-result.json", "state.yaml"
PHASE_2 = f"{TEST}#phase_2"
# Copies that are checked like the file they are a copy of, and never count in its place.
COPIES = {"worker-result-fast.json": WORKER, "test-result-pass.json": TEST, "test-result-fail.json": TEST}
FILES = (PLAN, WORKER, TEST, REVIEW, DEBUG, GIT, STATE, *COPIES)

ARTIFACTS: dict[str, Role] = {
    role.name: role
    for role in (
        Role(name=PLAN, does=Does.CREATES),
        Role(name=WORKER, does=Does.CREATES),
        Role(name=TEST, does=Does.CHALLENGES),
        Role(name=PHASE_2, does=Does.CHALLENGES),
        Role(name=REVIEW, does=Does.CONFIRMS),
        Role(name=GIT, does=Does.CREATES),
        Role(name=DEBUG, does=Does.REPAIRS),
        Role(name=STATE, does=Does.CREATES),
    )
}
# Those that speak of the product as it is at their push; the others are reports about something else.
VERDICTS = (WORKER, TEST, PHASE_2, REVIEW)
# The results that judge the work, and what each of them says; their earlier texts tell of earlier rounds.
JUDGING = {TEST: (TEST, PHASE_2), REVIEW: (REVIEW,)}
# Each stands on those of the stages before it; what is left on the way stands on nothing.
STAGES = ((PLAN,), (WORKER,), (TEST, PHASE_2), (REVIEW,), (GIT,))
STAGE_OF = {name: stage for stage, names in enumerate(STAGES) for name in names}


def is_artifact(role: str) -> bool:
    """Whether a role is that of an artifact, which no comment can speak for."""
    return role in ARTIFACTS


def file_of(artifact: str) -> str:
    """The file that an artifact is, or is a part of."""
    return artifact.partition("#")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueFolder:
    """The folder of an issue, or of a pull request without one: where it is or would be, and what is wrong with it.

    ``rivals`` are the folders of which nobody can tell which one it is.
    """

    issue: int | None
    path: str
    rivals: tuple[str, ...] = ()
    wrong: Problem | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Gathered:
    """What the folders of a pull request hold: signals, where each issue's are, and what is wrong beside them."""

    signals: tuple[Signal, ...] = ()
    folders: tuple[IssueFolder, ...] = ()
    problems: tuple[Problem, ...] = ()
