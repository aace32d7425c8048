"""One phase at one place (the pull request, or one issue): what was said there and what is judged there."""

from __future__ import annotations

from phasegate.model.evidence import IssueFolder
from phasegate.model.frozen import dataclass
from phasegate.model.signal import Outcome, Place
from phasegate.model.texts import DeletedComment
from phasegate.model.vote import Act, Validity, Vote
from phasegate.policy.model import Phase
from phasegate.rules.assess import Facts
from phasegate.rules.binding import short


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseView:
    """A phase, its required roles, and the votes and acts that concern it, in order of time.

    ``told`` names each FAIL that is still to be found anywhere, by its comment and role. ``evidence`` are the folders
    of the issues that it concerns, each with the artifacts that are needed of it.
    """

    facts: Facts
    phase: Phase
    roles: tuple[str, ...]
    issue: int | None
    votes: tuple[Vote, ...]
    acts: tuple[Act, ...]
    spent_by: str | None = None
    told: frozenset[tuple[str, str | None]] = frozenset()
    evidence: tuple[tuple[IssueFolder, tuple[str, ...]], ...] = ()

    @property
    def seats(self) -> tuple[str, ...]:
        """All who have a say: the required roles, and the required artifacts."""
        return tuple(dict.fromkeys((*self.roles, *(name for _, names in self.evidence for name in names))))

    @property
    def content(self) -> str | None:
        """What would have to pass now."""
        if self.phase.where is Place.ISSUE:
            return self.facts.plans.current(self.issue)
        return self.facts.timeline.current

    @property
    def subject(self) -> str:
        """What is judged, as people name it."""
        if self.phase.where is Place.ISSUE:
            return f"the plan of #{self.issue}"
        return short(self.facts.timeline.head)

    @property
    def place(self) -> str:
        """Where it is judged, as people name it."""
        return f"#{self.issue}" if self.phase.where is Place.ISSUE else "the pull request"

    @property
    def resume_command(self) -> str:
        """What a human writes to go on."""
        return f"/gate resume {self.phase.name}: <reason>"

    def title(self, role: str) -> str:
        """A role as people write it."""
        return self.facts.policy.role(role).title

    def heard(self, role: str) -> list[Vote]:
        """The votes of a role that its author may give, in order of time, history included."""
        return [vote for vote in self.votes if vote.role == role and vote.validity is not Validity.IGNORED]

    def artifact(self, folder: IssueFolder, name: str) -> Vote | None:
        """What a file of a folder says as it stands, whether it counts or not."""
        found = (vote for vote in self.votes if vote.role == name and vote.signal.source.issue == folder.issue)
        return next((vote for vote in found if vote.signal.source.pushed and vote.signal.source.latest), None)

    def standing(self, role: str) -> list[Vote]:
        """Those of them that stand there now."""
        return [vote for vote in self.heard(role) if vote.validity is not Validity.EDITED_AWAY]

    def latest(self, role: str) -> Vote | None:
        """A role's latest vote."""
        return next(reversed(self.standing(role)), None)

    def standing_pass(self, role: str) -> Vote | None:
        """The first of the unbroken run of PASS votes about the present content that a role's votes end in."""
        first = None
        for vote in reversed(self.heard(role)):
            if vote.validity is Validity.EDITED_AWAY and vote.outcome is Outcome.PASS:
                continue
            if not (vote.passes and vote.fresh):
                break
            first = vote
        return first

    def given(self, verb: str) -> list[Act]:
        """The human acts of one kind that count."""
        return [act for act in self.acts if act.counts and act.command.verb == verb]

    def resumes(self) -> list[Act]:
        """The resumes of this phase."""
        return self.given("resume")

    def resumed_since(self, at: str) -> bool:
        """Whether a human resumed the phase after a moment."""
        return any(act.command.source.at > at for act in self.resumes())

    def last_change(self, source: str) -> str:
        """When the text of a comment was last changed."""
        return max(vote.signal.source.at for vote in self.votes if vote.signal.source.id == source)

    def deletions(self) -> tuple[DeletedComment, ...]:
        """The traces of comments deleted from this place."""
        snapshot = self.facts.snapshot
        if self.phase.where is Place.PULL_REQUEST:
            return snapshot.deleted_comments
        return next((issue.deleted_comments for issue in snapshot.issues if issue.number == self.issue), ())
