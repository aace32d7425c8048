"""The reading stage: every version of every text through the dialects and the command reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from phasegate.catalogue import problem
from phasegate.dialects.commands import read_commands
from phasegate.dialects.registry import comment_reader
from phasegate.dialects.versions import Version, all_versions
from phasegate.model.digest import text_digest
from phasegate.model.frozen import dataclass
from phasegate.model.signal import Command, Kind, Role, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot

EARLIER = "an earlier version"


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What was found in a snapshot's texts."""

    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]


def collect(snapshot: Snapshot, dialects: tuple[str, ...], roles: tuple[Role, ...]) -> Heard:
    """All signals and commands of a snapshot, in the dialects that the policy uses."""
    signals: list[Signal] = []
    commands: list[Command] = []
    for versions in all_versions(snapshot):
        found = [signal for dialect in dialects for signal in _signals(versions, dialect, roles)]
        signals.extend(found or _unreadable(versions, dialects[0]))
        commands.extend(_commands(versions))
    return Heard(signals=tuple(signals), commands=tuple(commands))


def _commands(versions: tuple[Version, ...]) -> Iterator[Command]:
    latest = versions[-1]
    yield from read_commands(latest.text or "", latest.source, latest.where)


def _signals(versions: tuple[Version, ...], dialect: str, roles: tuple[Role, ...]) -> Iterator[Signal]:
    read = comment_reader(dialect)
    if read is None:
        return
    found = [read(version.text or "", version.source, version.where, roles) for version in versions]
    earlier = [signal for signals in found[:-1] for signal in signals]
    yield from earlier
    spoken = [signal for signal in earlier if signal.kind is not Kind.PROPOSAL]
    yield from _never_less(found[-1], spoken, versions[-1].source)


def _unreadable(versions: tuple[Version, ...], dialect: str) -> Iterator[Signal]:
    """A text without a signal that had an earlier version which nobody can read: what it said may have been one."""
    latest = versions[-1]
    if any(version.text is None for version in versions[:-1]):
        message = "edited, and an earlier text was taken out of its history"
        yield Signal(
            dialect=dialect,
            kind=Kind.VERDICT,
            digest=text_digest(latest.text or ""),
            source=latest.source,
            where=latest.where,
            problems=(problem("PG216", message, latest.where),),
        )


def _never_less(latest: tuple[Signal, ...], earlier: list[Signal], now: Source) -> Iterator[Signal]:
    """The signals of the text as it stands: a role that an earlier version spoke for cannot be edited away."""
    spoken = [signal for signal in latest if signal.kind is not Kind.PROPOSAL]
    claimed = {role for signal in spoken for role in signal.roles}
    lost = tuple(
        RoleClaim(by=EARLIER, role=role)
        for role in dict.fromkeys(role for signal in earlier for role in signal.roles)
        if role not in claimed
    )
    for signal in latest:
        yield signal if signal.kind is Kind.PROPOSAL else _with_earlier_roles(signal, lost)
    if earlier and not spoken:
        yield _withdrawn(earlier[-1], lost, now)


def _with_earlier_roles(signal: Signal, lost: tuple[RoleClaim, ...]) -> Signal:
    """The signal as a word of those roles too that only an earlier version told; that is never a valid word."""
    if not lost:
        return signal
    told = ", ".join(claim.role for claim in lost)
    wrong = problem("PG119", f"its role is told only by {EARLIER}, as {told}", signal.where)
    problems = signal.problems if signal.roles else (*signal.problems, wrong)
    return replace(signal, claims=(*signal.claims, *lost), problems=problems)


def _withdrawn(last: Signal, claims: tuple[RoleClaim, ...], now: Source) -> Signal:
    message = "the text no longer holds the signal that an earlier version held"
    return Signal(
        dialect=last.dialect,
        kind=last.kind,
        claims=claims,
        digest=last.digest,
        source=now,
        where=last.where,
        problems=(problem("PG126", message, last.where),),
    )
