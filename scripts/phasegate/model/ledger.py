"""The ledger: what was said for a seat, commanded and taken away, as events that the tables of the rules ask about."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Where
from phasegate.model.signal import (
    APPROVE,
    DISMISS,
    OVERRIDE,
    RESUME,
    WITHDRAW,
    Kind,
    Role,
    Signal,
    Source,
    Unread,
    Validity,
    Vote,
)

if TYPE_CHECKING:
    from phasegate.model.report import Why  # much to load, where commands alone are read


class Verb(NamedTuple):
    """What a command of people is like: it needs a reason, is for one content, or can be taken back."""

    reasoned: bool = False
    bound: bool = True
    revocable: bool = False


VERBS = {
    APPROVE: Verb(revocable=True),
    RESUME: Verb(reasoned=True, bound=False),
    OVERRIDE: Verb(reasoned=True, revocable=True),
    DISMISS: Verb(reasoned=True, bound=False),
    WITHDRAW: Verb(bound=False),
}


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

    It is ``good`` if it passes by its form, ``fails`` if it fails what it is about or nobody can read it, and
    ``stands`` until it is replaced, dismissed or taken out of the branch. It was ``touched`` where another account
    changed the text. What no dialect could read is ``unread``, which says what it is; a ``finding`` of a reviewer is a
    fact. The votes of both are made up, for their place and content.
    """

    seat: str
    vote: Vote
    about: About
    good: bool
    valid: bool
    failed: bool
    fails: bool
    stands: bool
    answered_by: AnsweredBy = AnsweredBy.ANY_WORD
    touched: bool = False
    unread: Unread | None = None
    finding: ReviewFinding | None = None

    @property
    def source(self) -> Source:
        """Where it was given, by whom and when."""
        return self.vote.signal.source

    @property
    def is_vote(self) -> bool:
        """True if a dialect has read it."""
        return self.unread is None and self.finding is None

    @property
    def is_red(self) -> bool:
        """True if somebody must fix something: it fails the present content, or cannot be read."""
        return self.touched or (self.about is About.NOW and self.fails)


def made_up(source: Source, role: Role, commit: str | None = None, content: str | None = None) -> Vote:
    """A vote in the place of one, for what stands against a role that no dialect has read."""
    where = Where(url=source.url)
    signal = Signal(dialect=role.dialect, kind=Kind.UNREAD, digest="", source=source, where=where)
    return Vote(signal=signal, role=role.name, validity=Validity.INVALID, commit=commit, content=content)


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
