"""The plan of each linked issue: which text it is now, and which it was when somebody judged it."""

from __future__ import annotations

from phasegate.model.decision import Standing, Word
from phasegate.model.frozen import dataclass
from phasegate.model.signal import Kind, Place


@dataclass(frozen=True, kw_only=True, slots=True)
class Plans:
    """Every version of every plan, the oldest first."""

    words: tuple[Word, ...] = ()

    @staticmethod
    def of(words: tuple[Word, ...], creators: frozenset[str]) -> Plans:
        """The plans among weighed words: what the creators of a phase on the issue wrote there."""
        plans = [
            word
            for word in words
            if word.role in creators
            and word.standing is not Standing.IGNORED
            and word.signal.source.place is Place.ISSUE
            and word.signal.kind is not Kind.PROPOSAL
        ]
        return Plans(words=tuple(sorted(plans, key=lambda word: word.signal.source.moment)))

    def latest(self, issue: int | None) -> Word | None:
        """The plan that counts now."""
        return next((word for word in reversed(self.words) if word.signal.source.issue == issue), None)

    def current(self, issue: int | None) -> str | None:
        """The content of the plan that counts now."""
        word = self.latest(issue)
        return None if word is None else content(word)

    def at(self, issue: int | None, at: str) -> str | None:
        """The content of the plan that stood before a moment; an edit in the same second counts as the later."""
        here = (word for word in reversed(self.words) if word.signal.source.issue == issue)
        latest = next((word for word in here if word.signal.source.at < at), None)
        return None if latest is None else content(latest)


def content(plan: Word) -> str:
    """What a verdict on a plan judges: its text."""
    return plan.signal.digest
