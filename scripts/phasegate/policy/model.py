"""The policy: who may speak, which phases there are and what each needs, as typed data."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Severity
from phasegate.model.signal import Place, Role

DEFAULT_PROFILE = "jkz"


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
    """An account or a team (``@org/team``) that the policy names; an empty ``roles`` means any role."""

    login: str
    id: int | None = None
    app_id: int | None = None
    roles: tuple[str, ...] = ()

    @property
    def team(self) -> str | None:
        """The team as org/team, where the entry names one with a leading @."""
        return self.login[1:] if self.login.startswith("@") else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agents:
    """Who may speak besides, or with ``only`` instead of, accounts with write permission."""

    only: bool = False
    accounts: tuple[AgentAccount, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Dispatch:
    """Where humans approve by a run in a protected environment: the workflow on the default branch, the environment."""

    workflow: str
    environment: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Humans:
    """Whose human acts count."""

    minimum_permission: str
    author_may_approve: bool
    agents_may_approve: bool
    dispatch: Dispatch | None = None


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

    @property
    def default_type(self) -> IssueType:
        """The type of an issue that no label tells."""
        return next(item for item in self.types if not item.labels)


@dataclass(frozen=True, kw_only=True, slots=True)
class Phase:
    """One phase: what it needs, in which order, and where its words stand."""

    name: str
    enabled: bool
    dialect: str
    where: Place
    creator: str | None
    fixer: str | None
    roles: tuple[str, ...]
    quick_roles: tuple[str, ...]
    parallel: bool
    human_approval: bool
    max_attempts: int
    by_issue_type: bool
    artifacts: tuple[str, ...]
    quick_artifacts: tuple[str, ...]
    optional_artifacts: tuple[str, ...]
    paths: tuple[str, ...]

    @property
    def evidence(self) -> tuple[str, ...]:
        """The artifacts that the phase looks at."""
        return tuple(dict.fromkeys((*self.artifacts, *self.quick_artifacts, *self.optional_artifacts)))

    @property
    def judges(self) -> tuple[str, ...]:
        """All whose words it needs: roles, and artifacts."""
        return (*self.roles, *self.artifacts)

    @property
    def quick_judges(self) -> tuple[str, ...]:
        """Those of the quick route."""
        return (*self.quick_roles, *self.quick_artifacts)

    @property
    def workers(self) -> tuple[str, ...]:
        """The roles that make and mend what the phase judges."""
        return tuple(role for role in (self.creator, self.fixer) if role)


@dataclass(frozen=True, kw_only=True, slots=True)
class ArtifactRules:
    """How artifacts are found: the name of an issue's folder with its number, where only one form of it counts."""

    folder: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictRules:
    """How verdicts are read."""

    contradictory_fail: ContradictoryFail
    require_commit: bool
    edited: Edited
    distinct_accounts: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The whole policy, every key filled."""

    profile: str
    agents: Agents
    humans: Humans
    issue: IssueRules
    roles: tuple[Role, ...]
    phases: tuple[Phase, ...]
    verdicts: VerdictRules
    overrides: bool
    artifacts: ArtifactRules
    severities: dict[str, Severity | None] = field(default_factory=dict)
    source: str = "built-in profile"
    digest: str = ""
    problems: tuple[Problem, ...] = ()

    def role(self, name: str) -> Role:
        """A role that the policy has."""
        return next(role for role in self.roles if role.name == name)
