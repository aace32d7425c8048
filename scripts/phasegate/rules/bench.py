"""One phase at one place (the pull request, or one issue): what was said there and what is judged there."""

from __future__ import annotations

from phasegate.model.conversation import DeletedComment
from phasegate.model.decision import Act, Standing, Word
from phasegate.model.evidence import EvidenceFolder
from phasegate.model.frozen import dataclass
from phasegate.model.signal import Outcome, Place
from phasegate.policy import Phase
from phasegate.rules.freshness import short
from phasegate.rules.weighing import Scales


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """A phase, its required roles, and the words and acts that concern it, in order of time.

    ``told`` names each FAIL that is still to be found anywhere, by its comment and role. ``evidence`` are the folders
    of the issues that it concerns, each with the artifacts that are needed of it.
    """

    scales: Scales
    phase: Phase
    roles: tuple[str, ...]
    issue: int | None
    words: tuple[Word, ...]
    acts: tuple[Act, ...]
    spent_by: str | None = None
    told: frozenset[tuple[str, str | None]] = frozenset()
    evidence: tuple[tuple[EvidenceFolder, tuple[str, ...]], ...] = ()

    @property
    def seats(self) -> tuple[str, ...]:
        """All who have a say: the required roles, and the required artifacts."""
        return tuple(dict.fromkeys((*self.roles, *(name for _, names in self.evidence for name in names))))

    @property
    def content(self) -> str | None:
        """What would have to pass now."""
        if self.phase.where is Place.ISSUE:
            return self.scales.plans.current(self.issue)
        return self.scales.timeline.current

    @property
    def subject(self) -> str:
        """What is judged, as people name it."""
        if self.phase.where is Place.ISSUE:
            return f"the plan of #{self.issue}"
        return short(self.scales.timeline.head)

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
        return self.scales.policy.role(role).title

    def heard(self, role: str) -> list[Word]:
        """The words of a role that its author may give, in order of time, history included."""
        return [word for word in self.words if word.role == role and word.standing is not Standing.IGNORED]

    def artifact(self, folder: EvidenceFolder, name: str) -> Word | None:
        """What a file of a folder says as it stands, whether it counts or not."""
        found = (word for word in self.words if word.role == name and word.signal.source.issue == folder.issue)
        return next((word for word in found if word.signal.source.pushed and word.signal.source.latest), None)

    def standing(self, role: str) -> list[Word]:
        """Those of them that stand there now."""
        return [word for word in self.heard(role) if word.standing is not Standing.EDITED_AWAY]

    def latest(self, role: str) -> Word | None:
        """A role's latest word."""
        return next(reversed(self.standing(role)), None)

    def standing_pass(self, role: str) -> Word | None:
        """The first of the unbroken run of PASS words about the present content that a role's words end in."""
        first = None
        for word in reversed(self.heard(role)):
            if word.standing is Standing.EDITED_AWAY and word.outcome is Outcome.PASS:
                continue
            if not (word.passes and word.fresh):
                break
            first = word
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
        return max(word.signal.source.at for word in self.words if word.signal.source.id == source)

    def deletions(self) -> tuple[DeletedComment, ...]:
        """The traces of comments deleted from this place."""
        snapshot = self.scales.snapshot
        if self.phase.where is Place.PULL_REQUEST:
            return snapshot.deleted_comments
        return next((issue.deleted_comments for issue in snapshot.issues if issue.number == self.issue), ())
