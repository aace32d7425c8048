"""The snapshot: everything read about one pull request, as one immutable value.

schemas/snapshot.schema.json explains each member. Times are UTC strings of one form (``2026-01-31T09:00:00Z``), so
that they compare as text. A list that GitHub may cut short has a ``complete`` flag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from phasegate.model.frozen import dataclass, replace
from phasegate.model.texts import (
    Actor,
    BranchFile,
    Comment,
    DeletedComment,
    IgnoreRule,
    Issue,
    NameEvent,
    Person,
    ReviewThread,
    Team,
)

FORMAT = 1
POLICY = ".github/phase-gate.yml"  # the default path of the policy
SHARED_POLICY = "phase-gate.yml"  # in the repository .github of an organisation
# wrong places that people use; .github/workflows/phase-gate.yml is the workflow's
MISPLACED_POLICIES = (
    ".github/phase-gate.yaml", ".github/phase-gate.json", ".github/phasegate.yml", ".github/phasegate.yaml",
    ".github/phase_gate.yml", ".github/phase_gate.yaml", ".github/Phase-Gate.yml", ".github/phase-gates.yml",
    ".github/phase-gate-policy.yml", ".github/phase-gate/policy.yml", ".github/phase-gate/phase-gate.yml",
    ".github/.phase-gate.yml", ".github/.phase-gate.yaml", "phase-gate.yml", "phase-gate.yaml", ".phase-gate.yml",
    ".phase-gate.yaml", "phasegate.yml", "phasegate.yaml", ".phasegate.yml", "phase-gate.json",
    ".config/phase-gate.yml", "docs/phase-gate.yml",
)  # fmt: skip
IGNORE_FILE = ".gitignore"
REMOVED = "removed"  # the status of a changed path that is gone
RETARGETED, FORCED, DELETED = "retargeted", "forced", "deleted"  # how a base changed
CLOSED, REOPENED = "closed", "reopened"
QUEUE_REF = re.compile(
    r"refs/heads/gh-readonly-queue/(?P<branch>.+)/pr-(?P<number>[1-9][0-9]{0,9})-[0-9a-f]{40,64}", re.ASCII
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RefMove:
    """The head branch went from one commit to another, by the server's own log."""

    at: str
    after: str
    before: str | None = None
    kind: str = "push"
    actor: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RefLog:
    """The movements of the head branch, oldest first, and where they were read."""

    source: str
    complete: bool = True
    moves: tuple[RefMove, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Content:
    """The digest of the content that a commit would merge, or None if GitHub does not list all its files.

    ``paths`` are those an older head changed; reviewers' findings may be in files that have left.
    """

    commit: str
    digest: str | None = None
    excluded: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """One path that the pull request changes."""

    path: str
    status: str = "modified"
    previous_path: str | None = None
    blob: str | None = None
    mode: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFiles:
    """What the pull request changes."""

    complete: bool = True
    entries: tuple[ChangedFile, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every changed path once, with the old names of renamed files."""
        both = (path for entry in self.entries for path in (entry.path, entry.previous_path))
        return tuple(dict.fromkeys(path for path in both if path))


@dataclass(frozen=True, kw_only=True, slots=True)
class InstructionLink:
    """A symbolic link of the base at a path with instructions for agents, and its targets, step by step."""

    path: str
    target: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckRun:
    """The result of one check on the head, with its app's text if a format of the policy reads it."""

    name: str
    status: str
    conclusion: str | None = None
    app_id: int | None = None
    url: str | None = None
    completed_at: str | None = None
    id: int = 0
    app: str | None = None
    commit: str | None = None
    started_at: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    suite: int | None = None

    @property
    def begun(self) -> tuple[str, int]:
        """Its order among runs: by start, not by end. One that has not started yet is newest."""
        return self.started_at or self.completed_at or "~", self.id


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitStatus:
    """The latest status of one context on the head."""

    context: str
    state: str
    at: str
    description: str = ""
    creator: Actor | None = None
    url: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sibling:
    """Another open pull request with the same head commit."""

    number: int
    url: str
    base: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BaseChange:
    """A change of the base: another branch, or (``kind``) that branch was forced or deleted.

    ``keeps``: heads that bring in the same content into the present base, which contains the former one.
    """

    at: str
    before: str
    after: str
    actor: Actor | None = None
    kind: str = RETARGETED
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class StateChange:
    """The pull request was ``closed``, or ``reopened``."""

    at: str
    state: str
    actor: Actor | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Branch:
    """One end of a pull request. The repository is None if the fork is gone."""

    ref: str
    sha: str
    repository: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PullRequest:
    """The pull request itself."""

    number: int
    url: str
    title: str
    author: Actor | None
    created_at: str
    base: Branch
    head: Branch
    body: str = ""
    state: str = "open"
    draft: bool = False
    merge_base: str | None = None
    base_changes: tuple[BaseChange, ...] = ()
    relinked_at: str | None = None
    links: tuple[NameEvent, ...] = ()
    state_changes: tuple[StateChange, ...] = ()
    head_forced: tuple[RefMove, ...] = ()
    head_title: str = ""
    test_merge: str | None = None

    def head_moves(self, moves: Iterable[RefMove]) -> tuple[RefMove, ...]:
        """The movements as the pull request saw them: pushes while it was closed count when it was reopened.

        Of several such pushes only the last became its head. While it is closed, none does.
        """
        found: list[RefMove] = []
        for move in sorted(moves, key=lambda move: move.at):
            taken = self._taken_at(move.at)
            if taken is None:
                continue
            if found and taken != move.at and found[-1].at == taken:
                found.pop()
            found.append(move if taken == move.at else replace(move, at=taken))
        return tuple(sorted(found, key=lambda move: move.at))

    def _taken_at(self, at: str) -> str | None:
        """When a movement took effect. In the second of the closing it counts as later."""
        closed = None
        for change in sorted(self.state_changes, key=lambda change: change.at):
            if change.state == CLOSED:
                closed = change.at if closed is None else closed
            elif closed is not None:
                if closed <= at <= change.at:
                    return change.at
                closed = None
        return None if closed is not None and closed <= at else at


@dataclass(frozen=True, kw_only=True, slots=True)
class Repository:
    """The repository that the pull request would change."""

    name: str
    url: str
    default_branch: str
    id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SchemaFile:
    """A JSON Schema of the default branch named by a format of the policy. The text is None if it is missing."""

    path: str
    text: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedPolicy:
    """The policy in the ``.github`` repository of the pull request's organisation."""

    repository: str
    path: str
    text: str
    digest: str
    commit: str

    @property
    def place(self) -> str:
        """Its place, for people."""
        return f"{self.repository}/{self.path}"


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyFile:
    """The policy on the default branch. The text is None if there is no such file.

    ``shared`` is the organisation's policy, if it is used and the token can read it.
    """

    path: str
    misplaced: tuple[str, ...] = ()
    text: str | None = None
    digest: str | None = None
    commit: str | None = None
    schemas: tuple[SchemaFile, ...] = ()
    shared: SharedPolicy | None = None

    @property
    def is_default(self) -> bool:
        """True if the built-in profile applies because there is no policy."""
        return self.text is None and self.shared is None and not self.misplaced


@dataclass(frozen=True, kw_only=True, slots=True)
class CitedFile:
    """The number of lines of a file at a commit that a verdict names, or None if it is missing there."""

    commit: str
    path: str
    lines: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedVote:
    """A signal that an earlier run recorded where no commenter can write."""

    source: str
    role: str
    outcome: str
    at: str
    digest: str | None = None
    phase: str | None = None
    commit: str | None = None
    recorded_on: str | None = None
    content: str | None = None
    account: int | None = None
    first: str | None = None
    written: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """The gate's own record of the signals it has seen."""

    complete: bool = True
    full: bool = False
    crowded: bool = False
    unseen: str | None = None
    since: str | None = None
    sighted: str | None = None
    sealed: str | None = None
    lost: int = 0
    signals: tuple[RecordedVote, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class DispatchApproval:
    """A human act given by approving a run in a protected environment, as the API reports it."""

    run: int
    url: str
    workflow: str
    ref: str
    event: str
    at: str
    phase: str
    environment: str
    approved_by: Actor
    commit: str | None = None
    comment: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequiredContext:
    """A check that the rules of the base branch require, with the app it must come from where one is named."""

    context: str
    app_id: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchRules:
    """What the base branch requires, as far as the token may read it."""

    readable: bool
    required: tuple[RequiredContext, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeGroup:
    """The merge queue's commit for which the pull request is judged, from the event, and what it brings in."""

    ref: str
    head: str
    base: str
    branch: str
    differs: tuple[str, ...] | None = None
    beside: tuple[str, ...] = ()

    @property
    def number(self) -> int | None:
        """The pull request in the ref, if the ref belongs to this branch's queue.

        A branch may itself be named like a queue entry, so only the end of the ref gives the number.
        """
        told = QUEUE_REF.fullmatch(self.ref)
        return int(told["number"]) if told is not None and told["branch"] == self.branch else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Snapshot:
    """Everything that one decision is made from."""

    snapshot: int
    taken_at: str
    repository: Repository
    pull_request: PullRequest
    policy: PolicyFile
    people: tuple[Person, ...] = ()
    teams: tuple[Team, ...] = ()
    comments: tuple[Comment, ...] = ()
    reviews: tuple[Comment, ...] = ()
    threads: tuple[ReviewThread, ...] = ()
    deleted_comments: tuple[DeletedComment, ...] = ()
    issues: tuple[Issue, ...] = ()
    former_issues: tuple[Issue, ...] = ()
    ref_log: RefLog
    contents: tuple[Content, ...] = ()
    files: ChangedFiles
    cited_files: tuple[CitedFile, ...] = ()
    instruction_links: tuple[InstructionLink, ...] = ()
    instruction_links_complete: bool = True
    branch_files: tuple[BranchFile, ...] = ()
    branch_files_ignored: IgnoreRule | None = None
    branch_files_unseen: str | None = None
    commits: tuple[str, ...] = ()
    commits_complete: bool = True
    checks: tuple[CheckRun, ...] = ()
    statuses: tuple[CommitStatus, ...] = ()
    siblings: tuple[Sibling, ...] = ()
    own_account: Actor | None = None
    record: Record = Record()
    dispatch_approvals: tuple[DispatchApproval, ...] = ()
    branch_rules: BranchRules | None = None
    merge_group: MergeGroup | None = None
    base_in_context: bool = False
    unreported: str | None = None

    @property
    def heads(self) -> tuple[str, ...]:
        """The known head commits, from the log of pushes or from the pull request."""
        forced = self.pull_request.head_forced
        told = [self.pull_request.head.sha, *(move.after for move in (*self.ref_log.moves, *forced))]
        return tuple(dict.fromkeys((*told, *(move.before for move in forced if move.before))))

    @property
    def own_issues(self) -> tuple[Issue, ...]:
        """The linked issues of this repository. Another repository's may have the same number."""
        own = self.repository.name.lower()
        return tuple(issue for issue in self.issues if issue.repository.lower() == own)

    @property
    def steering(self) -> tuple[str, ...]:
        """Targets of the base's links at paths with instructions for agents."""
        return tuple(link.target for link in self.instruction_links)

    @property
    def of_a_fork(self) -> bool:
        """True if the branch is in another repository or in one that is gone: its owner can push anything."""
        head = self.pull_request.head.repository
        return head is None or head.lower() != self.repository.name.lower()
