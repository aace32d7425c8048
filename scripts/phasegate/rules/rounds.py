"""Rounds: each content that was judged, with what every role said about it, rebuilt from the whole history."""

from __future__ import annotations

from phasegate.model.decision import Round, RoundFinding, RoundWord, Standing, Word
from phasegate.model.signal import Finding, Place
from phasegate.rules.bench import Bench
from phasegate.rules.freshness import short


def rounds(bench: Bench) -> tuple[Round, ...]:
    """The rounds of a phase at one place, the oldest first; the present content is always among them."""
    labels = _contents(bench)
    said: dict[str, list[Word]] = {content: [] for content in labels}
    for word in bench.words:
        if word.role in bench.seats and word.content in said and word.standing is not Standing.IGNORED:
            said[word.content].append(word)
    made: list[Round] = []
    known: dict[str, RoundFinding] = {}
    for content, label in labels.items():
        if said[content] or content == bench.content:
            made.append(_round(bench, content, label, said[content], known, made))
    return tuple(made)


def _round(  # noqa: PLR0913, PLR0917  (a round and what came before it)
    bench: Bench, content: str, label: str, words: list[Word], known: dict[str, RoundFinding], before: list[Round]
) -> Round:
    by_role: dict[str, list[Word]] = {}
    for word in words:
        by_role.setdefault(word.role or "", []).append(word)
    findings = tuple(
        _finding(word, finding, label, known) for word in words if word.failed for finding in word.signal.findings
    )
    return Round(
        content=content,
        label=label,
        current=content == bench.content,
        words=tuple(_summed_up(role, spoken) for role, spoken in by_role.items()),
        findings=tuple(dict.fromkeys(findings)),
        fixed=_fixed(findings, words, before),
    )


def _summed_up(role: str, words: list[Word]) -> RoundWord:
    """A role's last word on a content; a FAIL before it stays visible."""
    last = _outcome(words[-1])
    failed_before = any(word.failed for word in words[:-1]) and not words[-1].failed
    return RoundWord(role=role, outcome=f"FAIL, then {last}" if failed_before else last, signal=words[-1].id)


def _finding(word: Word, finding: Finding, label: str, known: dict[str, RoundFinding]) -> RoundFinding:
    """A finding with the round that raised it first: the same place or the same words are the same finding."""
    keys = [f"at {finding.location.strip().lower()}", f"says {finding.summary.strip().lower()}"]
    earlier = next((known[key] for key in keys if key in known), None)
    made = RoundFinding(
        id=finding.id,
        role=word.role or "",
        summary=finding.summary,
        location=finding.location,
        first_in=label if earlier is None else earlier.first_in,
    )
    for key in keys:
        known.setdefault(key, made)
    return made


def _fixed(findings: tuple[RoundFinding, ...], words: list[Word], before: list[Round]) -> tuple[RoundFinding, ...]:
    """What the last failing round held that this one, once judged, no longer does."""
    previous = next((item for item in reversed(before) if item.findings), None)
    if previous is None or not words:
        return ()
    places = {item.location.lower() for item in findings}
    texts = {item.summary.lower() for item in findings}
    return tuple(
        item for item in previous.findings if item.location.lower() not in places and item.summary.lower() not in texts
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
