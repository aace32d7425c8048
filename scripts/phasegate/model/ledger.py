"""The ledger: what was said for a seat and what was taken away, as events that the tables of the rules ask about."""

from __future__ import annotations

from enum import Enum

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass
from phasegate.model.report import Why
from phasegate.model.signal import Outcome, Source, Unread, Vote


class About(str, Enum):
    """The content that a word judges: what would merge now, something else, or nobody can tell."""

    NOW = "now"
    OTHER = "other"
    UNKNOWN = "unknown"


class AnsweredBy(str, Enum):
    """What answers an objection: a later word of its seat of any kind, of its own kind or medium, or its own change."""

    ANY_WORD = "any word"
    OWN_KIND = "own kind"
    OWN_MEDIUM = "own medium"
    ITSELF = "itself"


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One version of one text, file or check run, for one seat.

    It is ``good`` if it passes by its form, and ``stands`` until it is replaced, dismissed or taken out of the branch.
    ``commit`` and ``content`` are those that it is about, as far as that is known.
    It was ``touched`` where another account changed the text. One that no dialect could read has no vote, and
    ``unread`` says what it is; nor has a ``finding`` of a reviewer, which is a fact.
    """

    seat: str
    source: Source
    about: About
    good: bool
    valid: bool
    failed: bool
    stands: bool
    commit: str | None = None
    content: str | None = None
    answered_by: AnsweredBy = AnsweredBy.ANY_WORD
    touched: bool = False
    lasting: bool = False
    vote: Vote | None = None
    unread: Unread | None = None
    finding: ReviewFinding | None = None

    @property
    def is_red(self) -> bool:
        """Whether somebody must fix something: it fails the present content, or cannot be read."""
        if self.touched:
            return True
        fails = self.failed if self.vote is None else self.vote.outcome is Outcome.FAIL or not self.valid
        return self.about is About.NOW and fails

    @property
    def id(self) -> str:
        """Its name in the report."""
        return self.source.id if self.vote is None else self.vote.id

    @property
    def account(self) -> int | None:
        """The id of the account that gave it."""
        return None if self.source.author is None else self.source.author.id


@dataclass(frozen=True, kw_only=True, slots=True)
class Removal:
    """A word that was no PASS and is no longer there as it was given.

    It ``failed`` the work, or was ``malformed``. ``given`` is when it was said, ``taken`` when it may have been
    removed, ``by_itself`` if whoever gave it surely removed it. Each of ``answers`` is a seat that may answer it. A
    ``newer`` text of its seat may stand in its place.
    ``review`` is the number of a dismissed one, ``push`` the commit that took a file away, ``beside`` when other words
    of its account that are gone were given.
    ``how``, ``by``, ``said`` and ``signal`` tell people what happened.
    """

    seat: str
    failed: bool
    malformed: bool = False
    given: str
    taken: tuple[str, ...]
    account: int | None
    by_itself: bool
    answers: tuple[str, ...]
    newer: bool = False
    review: int | None = None
    push: str = ""
    beside: tuple[str, ...] = ()
    how: Why
    by: str = ""
    said: str = ""
    signal: str | None = None
