"""The policy: who may speak, which phases there are and what each needs, as typed data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import Enum
from functools import lru_cache

from phasegate.dialects.dialect import Dialect
from phasegate.model.frozen import dataclass
from phasegate.model.plan import INSTRUCTION_FILES, ApprovalPlace
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Place, Role
from phasegate.reading.globs import any_among, is_covered

NEVER_EXEMPT = ".github/"  # holds workflows and the policy


class ContradictoryFail(str, Enum):
    """How a FAIL with an empty ``must_fix`` counts."""

    PASS = "pass"
    INVALID = "invalid"


class Edited(str, Enum):
    """Whether an edited comment counts."""

    AUTHOR = "author"
    NEVER = "never"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentAccount:
    """An account or a team (``@org/team``) that the policy names; empty ``roles`` mean any role.

    A ``boxed`` one got its roles from its format: the policy did not say that it may judge its own work.
    """

    login: str
    id: int | None = None
    app_id: int | None = None
    roles: tuple[str, ...] = ()
    boxed: bool = False

    @property
    def team(self) -> str | None:
        """The team as org/team, if the entry names one with a leading @."""
        return self.login[1:] if self.login.startswith("@") else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agents:
    """Who may speak in addition to accounts with write permission, or with ``only`` in place of them."""

    only: bool = False
    author_may_judge: bool = False
    accounts: tuple[AgentAccount, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Humans:
    """Whose acts count, and whether approving ``reviews`` on GitHub are acts."""

    minimum_permission: str
    author_may_approve: bool
    agents_may_approve: bool
    reviews: bool = False
    dispatch: ApprovalPlace | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueType:
    """A type of issue and whether it requires QA. The type without labels is the default."""

    name: str
    labels: tuple[str, ...]
    qa_required: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueRules:
    """The policy's rules for linked issues."""

    required: bool
    types: tuple[IssueType, ...]
    quick_labels: tuple[str, ...]
    author_may_lower: bool = False

    @property
    def default_type(self) -> IssueType:
        """The type of an issue without a type label."""
        return next(item for item in self.types if not item.labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedCheck:
    """A check of the head that must succeed too, by name and optionally by app.

    It may be ``skipped`` if the policy allows it, unless it was red on the head.
    """

    name: str
    app_id: int | None = None
    skipped: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Seats of a phase of which ``need`` are enough."""

    members: tuple[str, ...]
    need: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """One phase: the words it needs, in which order and where.

    ``optional_seats`` may stay empty, but their words must be right. ``checks`` must agree with the judges.
    ``limits_reviewers``: the policy itself, not only its profile, sets ``max_attempts``. Without ``max_attempts`` no
    number of failing rounds escalates the phase. Of the seats of ``groups`` some are enough.
    """

    name: str
    enabled: bool
    dialect: str
    where: Place
    creator: str | None
    fixer: str | None
    seats: tuple[str, ...]
    quick_seats: tuple[str, ...]
    optional_seats: tuple[str, ...]
    parallel: bool
    human_approval: bool
    max_attempts: int | None
    by_issue_type: bool
    paths: tuple[str, ...]
    checks: tuple[NamedCheck, ...] = ()
    limits_reviewers: bool = False
    groups: tuple[Group, ...] = ()

    def concerns(self, paths: Iterable[str]) -> bool:
        """True if one of these files is among the phase's paths. Without paths it concerns every change."""
        return not self.paths or any_among(paths, self.paths)

    @property
    def every_seat(self) -> tuple[str, ...]:
        """All seats that it looks at, on any route."""
        return tuple(dict.fromkeys((*self.seats, *self.quick_seats, *self.optional_seats)))

    @property
    def workers(self) -> tuple[str, ...]:
        """The roles that make and fix the work of the phase."""
        return tuple(role for role in (self.creator, self.fixer) if role)


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictRules:
    """How verdicts are read."""

    contradictory_fail: ContradictoryFail
    require_commit: bool
    edited: Edited
    distinct_accounts: bool
    footers: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def _is_instruction(path: str, more: tuple[str, ...]) -> bool:
    return any_among((path,), tuple(pattern.casefold() for pattern in (*INSTRUCTION_FILES, *more)))


@lru_cache(maxsize=4096)
def replaces_folder(path: str, more: tuple[str, ...]) -> bool:
    """True if a changed path is itself a folder of such files: a link or submodule brings in everything below."""
    folders = (pattern.casefold().removeprefix("./") for pattern in (*INSTRUCTION_FILES, *more))
    return any(pattern.startswith(f"{path}/") for pattern in folders)


@dataclass(frozen=True, kw_only=True, slots=True)
class Instructions:
    """The files that agents take orders from: whether changing them needs a human, and additional ones."""

    guard: bool
    paths: tuple[str, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """All patterns of such files, in lower case."""
        return tuple(pattern.casefold() for pattern in (*INSTRUCTION_FILES, *self.paths))

    def among(self, paths: Iterable[str], targets: Iterable[str] = ()) -> tuple[str, ...]:
        """The files that agents take orders from, compared without case.

        ``targets`` are where links of the base lead from such files: a file, or a folder with everything below.
        """
        ends = tuple(target.casefold() for target in targets)
        lowered = ((path, path.casefold()) for path in paths)
        return tuple(
            path
            for path, low in lowered
            if _is_instruction(low, self.paths)
            or replaces_folder(low, self.paths)
            or any(f"{low}/".startswith(f"{end}/") or end.startswith(f"{low}/") for end in ends)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ExemptAuthor:
    """An account whose own pull requests need no phase, by id."""

    login: str
    id: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Exempt:
    """A kind of pull request that needs no phase: by its only authors, by what it changes, or both."""

    reason: str
    authors: tuple[ExemptAuthor, ...] = ()
    paths: tuple[str, ...] = ()

    def covers(self, paths: Iterable[str], instructions: Instructions, targets: tuple[str, ...] = ()) -> bool:
        """True if all files are among the paths, none is an instruction, and without authors none is below .github."""
        found = tuple(paths)
        own = not self.authors and any(f"{path.lower()}/".startswith(NEVER_EXEMPT) for path in found)
        return bool(found) and not own and not instructions.among(found, targets) and all(map(self.names, found))

    def names(self, path: str) -> bool:
        """True if a file is among the paths, even if it is never exempt."""
        return is_covered(path, self.paths)


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The whole policy, with every key filled in."""

    profile: str
    agents: Agents
    humans: Humans
    issue: IssueRules
    roles: Mapping[str, Role]
    dialects: tuple[Dialect, ...]
    phases: tuple[Phase, ...]
    verdicts: VerdictRules
    instructions: Instructions
    overrides: bool
    folder: str | None  # the name of an issue's folder with its number, where only one form of it counts
    exempt: tuple[Exempt, ...] = ()
    severities: dict[str, Severity | None] = field(default_factory=dict)
    source: str = "built-in profile"
    extends: bool = False
    floor: str | None = None  # where the policy is that this one raises
    digest: str = ""
    problems: tuple[Problem, ...] = ()
    merge_overlap: tuple[str, ...] = ()  # the paths that a merge queue may merge though others changed them too
    marks: tuple[str, ...] = ()  # of all its formats, those included that no phase uses
    reviewers: frozenset[str] = frozenset()  # the roles of accounts whose entry has a format

    def may_overlap(self, path: str) -> bool:
        """True if a merge queue may merge a file that others changed too."""
        return is_covered(path, self.merge_overlap)

    def role(self, name: str) -> Role:
        """The role of this name."""
        return self.roles[name]
