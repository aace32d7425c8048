"""Weighing: what was read of a pull request goes in, votes, acts and the route come out, ready for the phases."""

from __future__ import annotations

from phasegate.model.frozen import dataclass, replace
from phasegate.model.signal import Command, IssueFolder, Place, Signal
from phasegate.model.snapshot import Snapshot
from phasegate.model.vote import Drift, Validity, Vote
from phasegate.policy.model import Exempt, Policy
from phasegate.rules.acts import assess_acts
from phasegate.rules.assess import Facts
from phasegate.rules.binding import Plans, Timeline, lost_plans, settled
from phasegate.rules.dispositions import with_references
from phasegate.rules.phases import Evaluation
from phasegate.rules.route import find_route


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """A pull request once its texts were read: signals, commands and folders, and what nobody could read."""

    policy: Policy
    snapshot: Snapshot
    signals: tuple[Signal, ...]
    commands: tuple[Command, ...]
    folders: tuple[IssueFolder, ...] = ()
    drifts: tuple[Drift, ...] = ()


def weigh(ground: Ground) -> Evaluation:
    """Plans are assessed first, since verdicts on a plan are bound to its text; what nobody can read comes last."""
    policy, snapshot = ground.policy, ground.snapshot
    bare = Facts(policy=policy, snapshot=snapshot, timeline=Timeline.of(snapshot), plans=Plans())
    creators = frozenset(phase.creator for phase in policy.phases if phase.where is Place.ISSUE and phase.creator)
    on_issues = tuple(signal for signal in ground.signals if signal.source.issue is not None)
    planned = replace(
        bare, plans=Plans.of(_assessed(bare, on_issues), creators, lost_plans(policy, snapshot, creators))
    )
    known = _assessed(planned, tuple(signal for signal in ground.signals if _is_told(signal)))
    facts = replace(planned, voices=_voices(known), drifts=ground.drifts)
    unknown = _assessed(facts, tuple(signal for signal in ground.signals if not _is_told(signal)))
    assessed = tuple(sorted((*known, *unknown), key=lambda vote: vote.order))
    votes = with_references(policy, settled(policy, facts.timeline, assessed))
    acts = assess_acts(facts, ground.commands, votes)
    return Evaluation(
        facts=facts,
        votes=votes,
        acts=acts,
        route=find_route(policy, snapshot, votes),
        folders=ground.folders,
        exempt=exemption(policy, snapshot, facts.timeline),
    )


def _is_told(signal: Signal) -> bool:
    """Whether a signal tells by itself for whom it speaks."""
    return (signal.known or bool(signal.claims)) and not signal.shown


def exemption(policy: Policy, snapshot: Snapshot, timeline: Timeline) -> str:
    """Why the pull request needs no phase; empty if it does."""
    for item in policy.exempt:
        pushed = not item.authors or pushed_alone(item, snapshot, timeline)
        if pushed and (not item.paths or changes_only(item, policy, snapshot)):
            return item.reason
    return ""


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """Whether one of the accounts opened the pull request and made every push to it, by a log that tells them all."""
    author, moves = snapshot.pull_request.author, snapshot.ref_log.moves
    if author is None or author.id not in {each.id for each in item.authors} or not timeline.complete:
        return False
    return all(move.actor is not None and move.actor.id == author.id for move in moves)


def changes_only(item: Exempt, policy: Policy, snapshot: Snapshot) -> bool:
    """Whether every changed file is among the paths, by a list that is complete."""
    files = snapshot.files
    paths = (path for entry in files.entries for path in (entry.path, entry.previous_path) if path)
    return files.complete and item.covers(paths, policy.instructions)


def _voices(votes: tuple[Vote, ...]) -> dict[int, tuple[str, ...]]:
    """The roles that each account has spoken for here."""
    spoken: dict[int, dict[str, None]] = {}
    for vote in votes:
        author = vote.signal.source.author
        if vote.role is not None and vote.validity is not Validity.IGNORED and author is not None:
            spoken.setdefault(author.id or 0, {})[vote.role] = None
    return {account: tuple(roles) for account, roles in spoken.items()}


def _assessed(facts: Facts, signals: tuple[Signal, ...]) -> tuple[Vote, ...]:
    votes = (vote for signal in signals for vote in facts.assess(signal))
    return tuple(sorted(votes, key=lambda vote: vote.order))
