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

NEVER_EXEMPT = ".github/"  # where workflows and the policy stand


class ContradictoryFail(str, Enum):
    """What a FAIL with an empty ``must_fix`` is."""

    PASS = "pass"
    INVALID = "invalid"


class Edited(str, Enum):
    """Whether an edited comment counts."""

    AUTHOR = "author"
    NEVER = "never"


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentAccount:
    """An account or a team (``@org/team``) that the policy names; an empty ``roles`` means any role.

    Of one that is ``boxed`` the roles came with its format: the policy did not write that it may judge its own work.
    """

    login: str
    id: int | None = None
    app_id: int | None = None
    roles: tuple[str, ...] = ()
    boxed: bool = False

    @property
    def team(self) -> str | None:
        """The team as org/team, where the entry names one with a leading @."""
        return self.login[1:] if self.login.startswith("@") else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agents:
    """Who may speak besides, or with ``only`` instead of, accounts with write permission."""

    only: bool = False
    author_may_judge: bool = False
    accounts: tuple[AgentAccount, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Humans:
    """Whose human acts count, and whether approving ``reviews`` on GitHub are such acts."""

    minimum_permission: str
    author_may_approve: bool
    agents_may_approve: bool
    reviews: bool = False
    dispatch: ApprovalPlace | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueType:
    """A type of issue and whether QA is required for it; the type without labels is the default."""

    name: str
    labels: tuple[str, ...]
    qa_required: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueRules:
    """What the linked issue decides."""

    required: bool
    types: tuple[IssueType, ...]
    quick_labels: tuple[str, ...]
    author_may_lower: bool = False

    @property
    def default_type(self) -> IssueType:
        """The type of an issue that no label tells."""
        return next(item for item in self.types if not item.labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class NamedCheck:
    """A check of the head that must be good too: by name, and where it is given only of that app.

    It may be ``skipped`` where that is allowed, unless it was red on the head.
    """

    name: str
    app_id: int | None = None
    skipped: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Seats of a phase of which some are enough: ``need`` of its members."""

    members: tuple[str, ...]
    need: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """One phase: whose words it needs, in which order, and where they stand.

    ``optional_seats`` need not be filled; what is there must be right. ``checks`` must agree with who passed.
    ``limits_reviewers`` if the policy itself sets ``max_attempts``, and not only its profile.
    Without ``max_attempts`` no number of failing rounds escalates it. Of the seats of ``groups`` some are enough.
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
        """True if one of these files is among the paths of the phase; without paths it concerns every change."""
        return not self.paths or any_among(paths, self.paths)

    @property
    def every_seat(self) -> tuple[str, ...]:
        """All whose words it looks at, on whatever route."""
        return tuple(dict.fromkeys((*self.seats, *self.quick_seats, *self.optional_seats)))

    @property
    def workers(self) -> tuple[str, ...]:
        """The roles that make and fix what the phase judges."""
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
    """True if a changed path is itself a folder of such files: a link or a submodule brings in all that is below it."""
    folders = (pattern.casefold().removeprefix("./") for pattern in (*INSTRUCTION_FILES, *more))
    return any(pattern.startswith(f"{path}/") for pattern in folders)


@dataclass(frozen=True, kw_only=True, slots=True)
class Instructions:
    """The files that agents take orders from: whether a change of them asks for a human, and which more there are."""

    guard: bool
    paths: tuple[str, ...]

    @property
    def patterns(self) -> tuple[str, ...]:
        """All patterns of such files, in small letters."""
        return tuple(pattern.casefold() for pattern in (*INSTRUCTION_FILES, *self.paths))

    def among(self, paths: Iterable[str], targets: Iterable[str] = ()) -> tuple[str, ...]:
        """Those of some files that agents take orders from; compared as file systems without case do.

        ``targets`` are what links of the base lead to from such files: a file, or a folder with all that is below it.
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
    """A kind of pull requests that need no phase: by who alone pushed to them, by what they change, or both."""

    reason: str
    authors: tuple[ExemptAuthor, ...] = ()
    paths: tuple[str, ...] = ()

    def covers(self, paths: Iterable[str], instructions: Instructions, targets: tuple[str, ...] = ()) -> bool:
        """True if all of some files are among the paths, none an instruction, nor below .github without authors."""
        found = tuple(paths)
        own = not self.authors and any(f"{path.lower()}/".startswith(NEVER_EXEMPT) for path in found)
        return bool(found) and not own and not instructions.among(found, targets) and all(map(self.names, found))

    def names(self, path: str) -> bool:
        """True if a file surely is among the paths, whatever it is."""
        return is_covered(path, self.paths)


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The whole policy, every key filled."""

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
        """A role that the policy has."""
        return self.roles[name]
