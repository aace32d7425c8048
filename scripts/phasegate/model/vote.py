"""Votes: a signal for one seat once it was assessed, and human acts likewise."""

from __future__ import annotations

from enum import Enum

from phasegate.model.digest import text_digest
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem
from phasegate.model.signal import Command, Kind, Outcome, Signal, Source

INVALID = "invalid"  # what is remembered of a word that could not be read
GOOD = (Outcome.PASS, Outcome.COMPLETE, Outcome.FIXED)


class Validity(str, Enum):
    """What a vote is worth before anybody asks which commit it speaks of."""

    VALID = "valid"
    INVALID = "invalid"
    IGNORED = "ignored"
    EDITED_AWAY = "edited_away"


@dataclass(frozen=True, kw_only=True, slots=True)
class Drift:
    """A text without any word, by an account that the policy names for a role, and how it misses the role's format."""

    source: Source
    role: str
    problem: Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    """A signal for one role, assessed: may its author speak, is it sound, which commit and content it judged.

    ``why`` is the problem that decided its validity, ``stale`` why it no longer is about what would merge, where more
    than the commit tells that.
    """

    signal: Signal
    role: str | None
    validity: Validity
    why: Problem | None = None
    outcome: Outcome | None = None
    commit: str | None = None
    content: str | None = None
    fresh: bool = False
    stale: Problem | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the report: where it stands, which version of the text, and what it is."""
        source = self.signal.source
        version = "" if source.latest and source.version == 1 else f".{source.version}"
        return f"{source.id}{version}/{self.signal.kind.value}"

    @property
    def passes(self) -> bool:
        """Whether this is a sound PASS, whatever commit it speaks of."""
        return self.validity is Validity.VALID and self.outcome is Outcome.PASS

    @property
    def failed(self) -> bool:
        """Whether its author failed the work with it, however badly written and even if the text was changed since."""
        if self.validity is Validity.IGNORED:
            return False
        unknown = not self.signal.known and self.signal.source.pushed and not self.signal.source.latest
        faulty = self.why is not None or self.outcome is None
        said = self.outcome is Outcome.FAIL or (faulty and self.signal.objects)
        return unknown or (said and self.signal.source.by_author)

    @property
    def objection(self) -> str | None:
        """What is remembered of it however it goes away: that it failed, could not be read, or was no PASS."""
        if self.validity is Validity.IGNORED:
            return None
        if self.failed:
            return Outcome.FAIL.value
        if self.signal.kind is not Kind.VERDICT or (self.why is None and self.outcome in (*GOOD, None)):
            return None
        return INVALID if self.why is not None or self.outcome is None else self.outcome.value

    @property
    def place(self) -> str:
        """Where it was said, in a word without spaces: of a file, a digest of its path and of the push."""
        source = self.signal.source
        if not source.pushed:
            return source.id
        told = text_digest(f"{self.signal.where.path} {source.commit}").partition(":")[2]
        return f"{source.medium.value}-{told[:12]}"

    @property
    def order(self) -> tuple[str, bool, int]:
        """Votes in order of time; in one second a vote that is no PASS counts as the later."""
        return (self.signal.source.at, not self.passes, self.signal.source.number)


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """A human command, assessed."""

    command: Command
    counts: bool
    why: Problem | None = None
    content: str | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def id(self) -> str:
        """Its name in the report: where it stands, and what it asks for."""
        return f"{self.command.source.id}/{self.command.verb or 'command'}"
