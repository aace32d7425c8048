"""The ledger's events: what was said for a seat, commanded or taken away. The tables of the rules ask about them."""

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
    """Properties of a command: whether it needs a reason, is for one content, and can be taken back."""

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
    """The content that a word judges: what would merge now, something else, or unknown."""

    NOW = "now"
    OTHER = "other"
    UNKNOWN = "unknown"


class AnsweredBy(str, Enum):
    """What answers an objection: any later word of its seat, one of its own kind or medium, or its own change."""

    ANY_WORD = "any word"
    OWN_KIND = "own kind"
    OWN_MEDIUM = "own medium"
    ITSELF = "itself"


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One version of one text, file or check run, for one seat.

    It is ``good`` if its form passes. It ``fails`` if it fails its content or is unreadable. It ``stands`` until it is
    replaced, dismissed or removed from the branch. It is ``touched`` if another account changed the text. ``unread``
    is set if no dialect could read it, and ``finding`` for a reviewer's finding; both have a made-up vote for place
    and content.
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
        """True if somebody must fix something: it fails the present content or is unreadable."""
        return self.touched or (self.about is About.NOW and self.fails)


def made_up(source: Source, role: Role, commit: str | None = None, content: str | None = None) -> Vote:
    """A stand-in vote for an objection that no dialect has read."""
    where = Where(url=source.url)
    signal = Signal(dialect=role.dialect, kind=Kind.UNREAD, digest="", source=source, where=where)
    return Vote(signal=signal, role=role.name, validity=Validity.INVALID, commit=commit, content=content)


@dataclass(frozen=True, kw_only=True, slots=True)
class Removal:
    """A word other than PASS that is no longer there as it was given.

    It ``failed`` the work or was ``malformed``. ``given`` is when it was given, ``taken`` when it may have been
    removed, ``by_itself`` if its author surely removed it. ``answers`` are the seats that may answer it. A ``newer``
    text of its seat may stand in its place. ``review`` is a dismissed review's number, ``push`` the commit that
    removed a file, ``beside`` the times of its account's other words that are gone. ``how``, ``by``, ``said`` and
    ``signal`` explain it to people.
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
