"""Tasks: what would bring a pull request forward, each shown to do so, as data for people and machines."""

from __future__ import annotations

from enum import Enum

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Finding

WHERE_POLICY, WHERE_DESCRIPTION, WHERE_COMMENT, WHERE_BRANCH = "policy", "description", "comment", "branch"


class Party(str, Enum):
    """Whose turn it is."""

    ROLE = "role"
    HUMAN = "human"
    AUTHOR = "author"
    MAINTAINER = "maintainer"


class Remedy(str, Enum):
    """What there is to do."""

    GIVE_VERDICT = "give_verdict"
    PUSH_EVIDENCE = "push_evidence"
    WRITE_PLAN = "write_plan"
    FIX_FINDINGS = "fix_findings"
    REPORT_AGAIN = "report_again"
    APPROVE = "approve"
    RESUME = "resume"
    OVERRIDE = "override"
    LINK_ISSUE = "link_issue"
    ADD_POLICY_LINE = "add_policy_line"
    FIX_POLICY = "fix_policy"
    FIX_FOLDER = "fix_folder"
    SEPARATE_HEAD = "separate_head"
    REOPEN = "reopen"


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """A line of policy that lets one account speak for some roles; no login where none is known.

    ``beside`` others that the policy names already.
    """

    login: str
    id: int | None = None
    app_id: int | None = None
    roles: tuple[str, ...]
    beside: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """What a task ends in, and where it is put.

    ``medium`` is that of a role's words, or the policy, the description or the branch; ``text`` is exactly what to
    write, where that is known beforehand; ``commit`` if the words must name the one that they are about.
    """

    medium: str
    url: str = ""
    heading: str = ""
    marker: str = ""
    path: str = ""
    schema: str = ""
    says: str = ""
    text: str = ""
    names_commit: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One thing to do, by whom, on what, and what it turns green once those before it are done.

    ``accounts`` are those known here that may do it; none if any other with the permission may. ``refused`` is the word
    or act that is there and does not count, ``reasons`` every reason. An ``instead`` stands for the task before it.
    """

    do: Remedy
    actor: Party
    role: str = ""
    phase: str
    need: str = ""
    commit: str | None = None
    issue: int | None = None
    findings: tuple[Finding, ...] = ()
    accounts: tuple[str, ...] = ()
    permission: str = ""
    product: Product | None = None
    grant: Grant | None = None
    refused: str | None = None
    reasons: tuple[Problem, ...] = ()
    hint: str = ""
    turns_green: tuple[str, ...] = ()
    instead: bool = False
