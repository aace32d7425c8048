"""Rounds: each content that was judged, with what every role said about it, rebuilt from the whole history."""

from __future__ import annotations

from phasegate.model.decision import Round, RoundWord, Standing, Word
from phasegate.model.signal import Place
from phasegate.rules.bench import Bench
from phasegate.rules.freshness import short
from phasegate.rules.needs import signal_id


def rounds(bench: Bench) -> tuple[Round, ...]:
    """The rounds of a phase at one place, the oldest first; the present content is always among them."""
    labels = _contents(bench)
    said: dict[str, dict[str, RoundWord]] = {content: {} for content in labels}
    for word in bench.words:
        if word.role in bench.roles and word.content in said and word.standing is not Standing.IGNORED:
            said[word.content][word.role] = RoundWord(role=word.role, outcome=_outcome(word), signal=signal_id(word))
    return tuple(
        Round(content=content, label=label, current=content == bench.content, words=tuple(said[content].values()))
        for content, label in labels.items()
        if said[content] or content == bench.content
    )


def _contents(bench: Bench) -> dict[str, str]:
    if bench.phase.where is Place.ISSUE:
        plans = [plan for plan in bench.scales.plans.words if plan.signal.source.issue == bench.issue]
        texts = dict.fromkeys(plan.signal.digest for plan in plans)
        return {text: f"#{bench.issue} plan {number}" for number, text in enumerate(texts, start=1)}
    timeline = bench.scales.timeline
    labels: dict[str, str] = {}
    for commit in timeline.heads:
        labels.setdefault(timeline.content(commit), short(commit))
    return labels


def _outcome(word: Word) -> str:
    if word.standing is Standing.INVALID or word.outcome is None:
        return "invalid"
    return word.outcome.value
