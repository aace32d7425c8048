"""The report: what the rules decided, from one need up to the whole."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Act, Cause, Finding, HowTo, Place, Vote


class State(str, Enum):
    """The four states that GitHub gives a commit status; unknown is never ``success``."""

    SUCCESS = "success"
    FAILURE = "failure"
    PENDING = "pending"
    ERROR = "error"


class Disposition(str, Enum):
    """What was done with a signal in the end."""

    COUNTED = "counted"
    STALE = "stale"
    SUPERSEDED = "superseded"
    OVERRULED = "overruled"
    INVALID = "invalid"
    IGNORED = "ignored"
    SHOWN = "shown"


class NeedState(str, Enum):
    """Whether something that a phase needs is there."""

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


RESULTS, RECORD = "results", "record"  # of which something is out of sight


class Why(str, Enum):
    """Why a need stands as it does; the sentence is made of this, the kind of need and the values beside it."""

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
    """One thing that a phase needs, how it stands, and why.

    ``name`` is the seat, phase, issue or act that it is about, ``place`` its file where several issues have one.
    ``commit`` is the head that is judged, or ``issue`` the
    one whose plan is; ``judged`` is the commit that the vote was for, ``said`` what it said in its own word, ``by``
    whose it is. ``other`` is another seat or phase that has to do with it, ``actor`` the role whose turn it is.
    ``problem`` is what decided, ``also`` what else is wrong with what is there. ``noun`` is what the words of a seat
    are called beside its name. The ``causes`` are the keys of the word that decided, or that ask for this; ``question``
    is what an agent asks that stopped for a human. ``standing`` are
    the findings of a reviewer that stand, ``idle`` the members of a group that did not run.
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
    """What a phase says of itself beyond its needs."""

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
    """Why a phase was not judged, or was judged otherwise than by its needs."""

    kind: NoteKind
    issues: tuple[int, ...] = ()
    begun: bool = False
    by: str = ""
    reason: str = ""
    problem: Problem | None = None


class Withheld(str, Enum):
    """Why there is no success although no phase stands against it."""

    NOTHING_JUDGED = "nothing_judged"
    SHARED_HEAD = "shared_head"
    CLOSED = "closed"
    MERGED = "merged"
    POLICY = "policy"
    OTHER_QUEUE = "other_queue"
    QUEUED_UNKNOWN = "queued_unknown"
    QUEUED_OTHERWISE = "queued_otherwise"


class Told(str, Enum):
    """What tells the type of an issue."""

    LABEL = "label"
    ISSUE_TYPE = "issue_type"
    DEFAULT = "default"
    NO_ISSUE = "no_issue"
    UNLINKED = "unlinked"


@dataclass(frozen=True, kw_only=True, slots=True)
class TypeSource:
    """What told a type: the label or native type by its name, of which issue, set by whom and when."""

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
    """Which way through the phases the linked issues ask for: the strictest of them, or that QA has failed before.

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
    """What a role said about one content."""

    role: str
    outcome: str
    signal: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RoundFinding:
    """A finding of a failing round, and the label of the round that it was first raised in."""

    id: str
    role: str
    summary: str
    location: str
    first_in: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Round:
    """One content that was judged, and what was said about it; commits for code, issue numbers for plans.

    ``fixed`` are the findings of the failing round before that nobody raised again.
    """

    content: str
    label: str
    current: bool
    votes: tuple[RoundVote, ...]
    findings: tuple[RoundFinding, ...] = ()
    fixed: tuple[RoundFinding, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseReport:
    """How a phase stands and why; a phase that was not judged says so in its note.

    A failing round with the number ``most_rounds`` escalates it.
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
    """A vote in the report: what was done with it and why."""

    id: str
    vote: Vote
    phase: str | None
    disposition: Disposition
    superseded_by: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Provenance:
    """What the decision was made from, so that it can be made again."""

    snapshot_digest: str
    policy_digest: str
    policy_source: str
    version: str
    policy_floor: str | None = None  # where the policy stands that this one extends


@dataclass(frozen=True, kw_only=True, slots=True)
class Queued:
    """The commit of a merge queue that was decided, and the paths at which it is not what was judged."""

    commit: str
    base: str
    branch: str
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The whole decision; what is withheld where the phases alone do not explain the overall state.

    ``left_out`` are the texts of strangers, older than those that are listed, which are only counted. ``tasks`` are the
    way to green, in order. ``findings`` are those of reviewers that a push does not end. ``aside`` is the base where it
    is not the default branch. In the phases of ``one_account`` one account made, challenged and confirmed the work.
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
    """What there is to do."""

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
    """A line of policy that lets one account speak for some roles; no login where none is known.

    ``beside`` others that the policy names already. ``alone``: that one account may do everything. ``approvers``: the
    switches of ``humans`` that would let this account approve.
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
    """What a task ends in, and where it is put.

    ``medium`` is that of a role's words, or the policy, the description or the branch; ``text`` is exactly what to
    write, where that is known beforehand. It ``names_commit`` if the words must name the one that they are about. A
    reviewer is asked by the comment ``request``, or by requesting a review from the account ``reviewer``. The
    ``example`` is the form of the words, filled in for the role and the commit.
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
        """How a reviewer is asked, behind what is asked of it; empty where nothing makes it look."""
        if self.request:
            return f': comment "{self.request}"'
        return ": request its review under Reviewers" if self.reviewer else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Task:
    """One thing to do, by whom, on what, and what it turns green once those before it are done.

    ``advice`` is whose diagnosis says how to fix what was found, and in which words.
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
