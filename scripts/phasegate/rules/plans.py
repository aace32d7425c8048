"""The plan of each linked issue: which text it is now, and which it was when somebody judged it."""

from __future__ import annotations

from phasegate.model.frozen import dataclass
from phasegate.model.signal import Kind, Place
from phasegate.model.vote import Validity, Vote


@dataclass(frozen=True, kw_only=True, slots=True)
class Plans:
    """Every version of every plan, the oldest first."""

    votes: tuple[Vote, ...] = ()

    @staticmethod
    def of(votes: tuple[Vote, ...], creators: frozenset[str]) -> Plans:
        """The plans among weighed votes: what the creators of a phase on the issue wrote there."""
        plans = [
            vote
            for vote in votes
            if vote.role in creators
            and vote.validity is not Validity.IGNORED
            and vote.signal.source.place is Place.ISSUE
            and vote.signal.kind is not Kind.PROPOSAL
        ]
        return Plans(votes=tuple(sorted(plans, key=lambda vote: vote.signal.source.moment)))

    def latest(self, issue: int | None) -> Vote | None:
        """The plan that counts now."""
        return next((vote for vote in reversed(self.votes) if vote.signal.source.issue == issue), None)

    def current(self, issue: int | None) -> str | None:
        """The content of the plan that counts now."""
        vote = self.latest(issue)
        return None if vote is None else content(vote)

    def at(self, issue: int | None, at: str) -> str | None:
        """The content of the plan that stood before a moment; an edit in the same second counts as the later."""
        here = (vote for vote in reversed(self.votes) if vote.signal.source.issue == issue)
        latest = next((vote for vote in here if vote.signal.source.at < at), None)
        return None if latest is None else content(latest)


def content(plan: Vote) -> str:
    """What a verdict on a plan judges: its text."""
    return plan.signal.digest
