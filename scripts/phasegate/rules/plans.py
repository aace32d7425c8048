"""The plan of each linked issue: which text it is now, and which it was when somebody judged it."""

from __future__ import annotations

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Kind, Place
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import DeletedComment, Issue
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import Policy
from phasegate.rules.accounts import may_have_spoken


@dataclass(frozen=True, kw_only=True, slots=True)
class LostPlan:
    """A comment that was deleted from an issue and may have been its plan."""

    issue: int
    trace: DeletedComment

    def problem(self, url: str | None) -> Problem:
        """Why words from before the deletion are about no plan that is there."""
        who, whose = self.trace.actor, self.trace.author
        deleted_by = "somebody" if who is None else who.login
        written_by = "an unknown account" if whose is None else whose.login
        what = f"a comment of {written_by} on #{self.issue}, perhaps the plan that was judged"
        return problem("PG307", f"at {self.trace.at} {deleted_by} deleted {what}", Where(url=url))


def lost_plans(policy: Policy, snapshot: Snapshot, creators: frozenset[str]) -> tuple[LostPlan, ...]:
    """The deleted comments that may have been plans: of whoever may write one, or of nobody knows whom."""

    def may_be_lost(trace: DeletedComment) -> bool:
        return any(may_have_spoken(policy, snapshot, trace.author, role) for role in creators)

    def lost_from(issue: Issue) -> list[LostPlan]:
        return [LostPlan(issue=issue.number, trace=each) for each in issue.deleted_comments if may_be_lost(each)]

    own = (issue for issue in snapshot.issues if issue.repository.lower() == snapshot.repository.name.lower())
    return tuple(lost for issue in own for lost in lost_from(issue))


@dataclass(frozen=True, kw_only=True, slots=True)
class Plans:
    """Every version of every plan, the oldest first."""

    votes: tuple[Vote, ...] = ()
    lost: tuple[LostPlan, ...] = ()

    @staticmethod
    def of(votes: tuple[Vote, ...], creators: frozenset[str], lost: tuple[LostPlan, ...] = ()) -> Plans:
        """The plans among weighed votes: what the creators of a phase on the issue wrote there."""
        plans = [
            vote
            for vote in votes
            if vote.role in creators
            and vote.validity is not Validity.IGNORED
            and vote.signal.source.place is Place.ISSUE
            and vote.signal.kind is not Kind.PROPOSAL
        ]
        return Plans(votes=tuple(sorted(plans, key=lambda vote: vote.signal.source.moment)), lost=lost)

    def latest(self, issue: int | None) -> Vote | None:
        """The plan that counts now."""
        return next((vote for vote in reversed(self.votes) if vote.signal.source.issue == issue), None)

    def current(self, issue: int | None) -> str | None:
        """The content of the plan that counts now."""
        vote = self.latest(issue)
        return None if vote is None else content(vote)

    def at(self, issue: int | None, at: str) -> str | None:
        """The content of the plan that stood before a moment; an edit in the same second counts as the later.

        Words from before a deletion that may have been of the plan are about none that is there.
        """
        here = (vote for vote in reversed(self.votes) if vote.signal.source.issue == issue)
        latest = next((vote for vote in here if vote.signal.source.at < at), None)
        lost = self.lost_since(issue, at)
        if latest is None or lost is None:
            return None if latest is None else content(latest)
        return f"lost plan:{lost.trace.at}:{content(latest)}"

    def lost_since(self, issue: int | None, at: str) -> LostPlan | None:
        """The last deletion since a moment that may have been of the plan; one in the same second counts as later."""
        since = (lost for lost in self.lost if lost.issue == issue and lost.trace.at >= at)
        return max(since, key=lambda lost: lost.trace.at, default=None)


def content(plan: Vote) -> str:
    """What a verdict on a plan judges: its text."""
    return plan.signal.digest
