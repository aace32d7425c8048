"""The report: the rules' decision, from single needs up to the whole."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Act, Cause, Finding, HowTo, Place, Vote


class State(str, Enum):
    """The four states of a GitHub commit status. Unknown is never ``success``."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"


class Disposition(str, Enum):
    """What became of a signal."""

    COUNTED = "counted"
    STALE = "stale"
    SUPERSEDED = "superseded"
    OVERRULED = "overruled"
    INVALID = "invalid"
    IGNORED = "ignored"
    SHOWN = "shown"


class NeedState(str, Enum):
    """The state of a need."""

    MET = "met"
    FAILED = "failed"
    WAITING = "waiting"


class NeedKind(str, Enum):
    """What a phase may need."""

    LINKED_ISSUE = "linked_issue"
    EARLIER_PHASE = "earlier_phase"
    PLAN = "plan"
    SEAT = "seat"
    FOLDER = "folder"
    WORKER = "worker"
    HUMAN = "human"
    HISTORY = "history"
    ATTEMPTS = "attempts"
    CHECK = "check"


RESULTS, RECORD = "results", "record"  # which of the two could not be read to its end


class Why(str, Enum):
    """The reason for a need's state. With the need's kind and values it gives the sentence."""

    # it is there
    PASSED = "passed"
    COMPLETED = "completed"
    VALID = "valid"
    OVERRULED = "overruled"
    # it is awaited
    MISSING = "missing"
    RUNNING = "running"
    EARLIER_PHASE = "earlier_phase"
    PART_MISSING = "part_missing"
    REFUSED = "refused"
    DRIFTED = "drifted"
    GROUP = "group"
    OLDER = "older"
    OTHER_BASE = "other_base"
    PLAN_LOST = "plan_lost"
    OLDER_THAN_GROUND = "older_than_ground"
    COMMIT_UNKNOWN = "commit_unknown"
    TOO_EARLY = "too_early"
    ONE_ACCOUNT = "one_account"
    NOT_DONE = "not_done"
    BLOCKED = "blocked"
    SPENT = "spent"
    INSTRUCTIONS = "instructions"
    UNCOVERED = "uncovered"
    UNRECORDED = "unrecorded"
    # somebody must fix something
    FAILED = "failed"
    STANDS = "stands"
    INVALID = "invalid"
    UNUSABLE = "unusable"
    EDITED = "edited"
    DISMISSED = "dismissed"
    DELETED = "deleted"
    UNSEEN = "unseen"
    RECORD_FULL = "record_full"
    ESCALATED = "escalated"


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """One thing that a phase needs, its state, and why.

    ``name`` is its seat, phase, issue or act; ``place`` its file, if several issues have one. ``commit`` is the head
    that is judged, or ``issue`` the issue whose plan is. ``judged`` is the vote's commit, ``said`` its own word for
    the outcome, ``by`` its author. ``other`` is another seat or phase involved, ``actor`` the role whose turn it is.
    ``problem`` decided; ``also`` are further problems. ``noun`` is what a seat's words are called beside its name.
    ``causes`` are the keys of the word that decided, or that ask for this. ``question`` is from an agent that stopped
    for a human. ``standing`` are a reviewer's findings that stand, ``idle`` the members of a group that did not run.
    """

    kind: NeedKind
    name: str
    state: NeedState
    why: Why
    signal: str | None = None
    commit: str | None = None
    issue: int | None = None
    folder: str | None = None
    place: str = ""
    judged: str | None = None
    said: str = ""
    by: str = ""
    other: str = ""
    actor: str = ""
    findings: tuple[str, ...] = ()
    count: int = 0
    limit: int = 0
    at: str = ""
    permission: str = ""
    problem: Problem | None = None
    also: tuple[Problem, ...] = ()
    noun: str = "verdict"
    standing: tuple[ReviewFinding, ...] = ()
    idle: tuple[tuple[str, str], ...] = ()
    causes: tuple[Cause, ...] = ()
    question: str = ""


class NoteKind(str, Enum):
    """What a phase reports besides its needs."""

    TURNED_OFF = "turned_off"
    QUICK_ROUTE = "quick_route"
    NO_PATHS = "no_paths"
    NO_ISSUE = "no_issue"
    EXEMPT = "exempt"
    NOT_EXEMPT = "not_exempt"
    NOT_LOWERED = "not_lowered"
    OPTIONAL = "optional"
    OVERRIDDEN = "overridden"
    OVERRIDE_REFUSED = "override_refused"
    OVERRIDE_OLDER = "override_older"
    RESUME_IDLE = "resume_idle"
    POLICY = "policy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """Why a phase was not judged, or not by its needs."""

    kind: NoteKind
    issues: tuple[int, ...] = ()
    begun: bool = False
    by: str = ""
    reason: str = ""
    problem: Problem | None = None


class Withheld(str, Enum):
    """Why the overall status is not green although every phase is."""

    NOTHING_JUDGED = "nothing_judged"
    SHARED_HEAD = "shared_head"
    CLOSED = "closed"
    MERGED = "merged"
    POLICY = "policy"
    OTHER_QUEUE = "other_queue"
    QUEUED_UNKNOWN = "queued_unknown"
    QUEUED_OTHERWISE = "queued_otherwise"


class Told(str, Enum):
    """Where an issue's type comes from."""

    LABEL = "label"
    ISSUE_TYPE = "issue_type"
    DEFAULT = "default"
    NO_ISSUE = "no_issue"
    UNLINKED = "unlinked"


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeSource:
    """The source of a type: the label or native type, of which issue, set by whom and when."""

    told: Told
    name: str = ""
    issue: int | None = None
    set_by: str | None = None
    set_at: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class IssueRoute:
    """What one linked issue asks for."""

    number: int
    url: str
    type: str
    source: TypeSource
    qa_required: bool
    quick: bool
    spent_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """The route through the phases: the strictest one that a linked issue asks for, or QA because it failed before.

    ``qa_asked_by`` is the role whose own words ask for QA.
    """

    issues: tuple[IssueRoute, ...]
    type: str
    source: TypeSource
    qa_required: bool
    quick: bool
    qa_failed: bool = False
    qa_asked_by: str = ""
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundVote:
    """A role's vote on one content."""

    role: str
    outcome: str
    signal: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundFinding:
    """A finding of a failing round, and the label of the round that first raised it."""

    id: str
    role: str
    summary: str
    location: str
    first_in: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One judged content and its votes; labelled by commits for code, by issue numbers for plans.

    ``fixed`` are findings of the previous failing round that nobody raised again.
    """

    content: str
    label: str
    current: bool
    votes: tuple[RoundVote, ...]
    findings: tuple[RoundFinding, ...] = ()
    fixed: tuple[RoundFinding, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseReport:
    """The state of a phase and why. A phase that was not judged has a note.

    The failing round with the number ``most_rounds`` escalates it.
    """

    name: str
    context: str
    state: State
    where: Place
    notes: tuple[Note, ...] = ()
    needs: tuple[Need, ...] = ()
    rounds: tuple[Round, ...] = ()
    most_rounds: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SignalReport:
    """A vote in the report: what became of it, and why."""

    id: str
    vote: Vote
    phase: str | None
    disposition: Disposition
    superseded_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """The inputs of the decision, so that it can be repeated."""

    snapshot_digest: str
    policy_digest: str
    policy_source: str
    version: str
    policy_floor: str | None = None  # where the policy stands that this one extends


@dataclass(frozen=True, kw_only=True, slots=True)
class Queued:
    """The merge queue's commit that was decided, and the paths where it differs from the judged content."""

    commit: str
    base: str
    branch: str
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The whole decision. ``withheld`` tells why the overall status is not green although every phase is.

    ``left_out`` counts strangers' texts older than those listed. ``tasks`` are the way to green, in order.
    ``findings`` are reviewers' findings that outlive a push. ``aside`` is the base, if it is not the default branch.
    In ``one_account`` phases one account made, challenged and confirmed the work.
    """

    repository: str
    pull_request: int
    url: str
    head: str
    state: State
    context: str
    withheld: Withheld | None = None
    siblings: tuple[int, ...] = ()
    route: Route | None = None
    phases: tuple[PhaseReport, ...]
    signals: tuple[SignalReport, ...] = ()
    acts: tuple[Act, ...] = ()
    problems: tuple[Problem, ...]
    provenance: Provenance
    how_to: Mapping[str, HowTo]
    findings: tuple[ReviewFinding, ...] = ()
    left_out: int = 0
    queued: Queued | None = None
    tasks: tuple[Task, ...] = ()
    aside: str = ""
    one_account: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusLine:
    """A commit status as GitHub takes it."""

    context: str
    state: State
    description: str


WHERE_POLICY, WHERE_DESCRIPTION, WHERE_COMMENT, WHERE_BRANCH = "policy", "description", "comment", "branch"


class Party(str, Enum):
    """Whose turn it is."""

    ROLE = "role"
    HUMAN = "human"
    AUTHOR = "author"
    MAINTAINER = "maintainer"


class Remedy(str, Enum):
    """What to do."""

    GIVE_VERDICT = "give_verdict"
    PUSH_EVIDENCE = "push_evidence"
    WRITE_PLAN = "write_plan"
    FIX_FINDINGS = "fix_findings"
    ANSWER = "answer"
    APPROVE = "approve"
    RESUME = "resume"
    OVERRIDE = "override"
    DISMISS = "dismiss"
    LINK_ISSUE = "link_issue"
    ADD_POLICY_LINE = "add_policy_line"
    FIX_POLICY = "fix_policy"
    FIX_FOLDER = "fix_folder"
    PASS_CHECK = "pass_check"
    SEPARATE_HEAD = "separate_head"
    RELABEL = "relabel"
    REQUEUE = "requeue"
    REOPEN = "reopen"


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """A line of policy that lets one account speak for some roles. The login is empty if unknown.

    ``beside``: the policy already names agents. ``alone``: one account may do everything. ``approvers``: the switches
    of ``humans`` that would let this account approve.
    """

    login: str
    id: int | None = None
    app_id: int | None = None
    roles: tuple[str, ...]
    beside: bool = False
    alone: bool = False
    approvers: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """The result of a task, and where to put it.

    ``medium`` is that of a role's words, or the policy, the description or the branch. ``text`` is exactly what to
    write, if that is known. ``names_commit``: the words must name the commit that they judge. A reviewer is asked by
    the comment ``request``, or by requesting a review from ``reviewer``. ``example`` shows the words, with role and
    commit filled in.
    """

    medium: str
    url: str = ""
    heading: str = ""
    marker: str = ""
    path: str = ""
    schema: str = ""
    text: str = ""
    names_commit: bool = False
    request: str = ""
    reviewer: str = ""
    example: str = ""

    @property
    def asking(self) -> str:
        """How to ask the reviewer, or "" if it cannot be asked."""
        if self.request:
            return f': comment "{self.request}"'
        return ": request its review under Reviewers" if self.reviewer else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One thing to do, by whom, on what, and what it turns green once the tasks before it are done.

    ``advice`` is from a role that diagnosed the failure: its name and its words. ``accounts`` are known accounts that
    may do it; if empty, any other with the permission may. ``refused`` is the word or act that does not count, with
    all ``reasons``. With ``instead`` it is an alternative to the task before it.
    """

    do: Remedy
    actor: Party
    role: str = ""
    phase: str
    need: str = ""
    commit: str | None = None
    issue: int | None = None
    findings: tuple[Finding, ...] = ()
    advice: tuple[str, str] = ("", "")
    accounts: tuple[str, ...] = ()
    permission: str = ""
    product: Product | None = None
    grant: Grant | None = None
    refused: str | None = None
    reasons: tuple[Problem, ...] = ()
    hint: str = ""
    turns_green: tuple[str, ...] = ()
    instead: bool = False
