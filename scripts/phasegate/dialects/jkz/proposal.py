"""The jkz issue proposal: title and description of each marker in a comment, and what breaks the discipline.

A proposal with a problem is shown and not filed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.dialects.jkz.declaration import PREFIX
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Finding, Kind, Outcome, Signal
from phasegate.reading.document import Lines, character_name, excerpt
from phasegate.reading.markdown.page import Carrier, Page

MARKER = "jkz:propose-issue"
SEPARATOR = "|"
FEWEST_WORDS = 2
LONGEST_TITLE = 100
LONGEST_DESCRIPTION = 2000
KEPT = 3000
MOST_PROPOSALS = 10  # of several none is filed, so that nothing is lost by leaving the rest out
PLAIN_WORD = late(r"[A-Za-z][a-z]{1,40}(?:-[A-Za-z]?[a-z]{1,40}){0,3}[:,]?|[Dd]on['\u2019]t", re.ASCII)
# Controls, and what turns or hides the text around it; joiners, which letters and emoji need, are not among them.
HIDDEN = r"\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
IN_TITLE = late(rf"[\t\n{HIDDEN}\U000e0000-\U000e0fff]")
IN_DESCRIPTION = late(rf"[{HIDDEN}\U000e0000-\U000e0fff]")

TOKEN = late(r"[^\x00-/:-`{-\xa9]+")  # lower-case letters, digits, and all that is not ASCII
LITTLE_WORDS = frozenset(
    (
        *("a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "by", "for", "from", "has", "have"),
        *("in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "so", "still", "that", "the", "there"),
        *("these", "this", "those", "to", "too", "was", "were", "when", "where", "which", "with"),
    )
)
# What no imperative is, and the verbs that only look like it.
NO_VERBS = (LITTLE_WORDS - {"be", "have"}) | frozenset(
    (
        *("about", "above", "after", "again", "against", "always", "among", "another", "because", "before", "below"),
        *("between", "both", "but", "can", "could", "did", "does", "during", "each", "either", "every", "few", "had"),
        *("he", "here", "his", "how", "however", "if", "inside", "instead", "just", "many", "may", "maybe", "might"),
        *("more", "most", "much", "must", "my", "need", "neither", "never", "none", "nothing", "now", "off", "only"),
        *("other", "our", "outside", "perhaps", "please", "several", "she", "should", "since", "some", "such", "than"),
        *("their", "them", "then", "they", "thing", "though", "through", "under", "unless", "until", "up", "via", "we"),
        *("what", "while", "who", "whose", "why", "will", "within", "without", "would", "yet", "you", "your"),
        *("bad", "better", "broken", "bug", "different", "good", "invalid", "new", "old", "possible", "potential"),
        *("same", "unknown", "unsafe", "wrong"),
    )
)
NO_VERB = late(r".*[aeiouy].*ing|.*(?:tion|sion|ment|ness|ity|ance|ence|ism|ed|ly)|.*[^s]s")
VERBS_AFTER_ALL = frozenset(
    (
        *("caution", "commission", "condition", "decommission", "envision", "mention", "partition", "position"),
        *("provision", "question", "ration", "reposition", "repartition", "section", "transition", "version"),
        *("augment", "comment", "complement", "decrement", "document", "experiment", "fragment", "implement"),
        *("increment", "instrument", "reimplement", "segment", "supplement", "uncomment", "harness", "witness"),
        *("advance", "balance", "distance", "enhance", "finance", "rebalance"),
        *(
            "commence",
            "dereference",
            "evidence",
            "experience",
            "fence",
            "influence",
            "reference",
            "sequence",
            "silence",
        ),
        *("alias", "bias", "canvas", "focus", "refocus"),
        *("embed", "exceed", "feed", "heed", "proceed", "reseed", "seed", "shed", "shred", "speed", "succeed", "weed"),
        *("apply", "comply", "fly", "imply", "multiply", "rally", "reapply", "rely", "reply", "supply", "tally"),
    )
)
ENDINGS = ("ing", "ion", "ed", "es", "s", "e", "y")
SHORTEST_STEM = 3
NOTHING_NEW = 0.75
FEWEST_COMMON = 2
WHOLE_SUMMARY = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class _Proposal:
    """One marker taken apart; offsets are those of its text."""

    carrier: Carrier
    where: Where
    title: str
    description: str

    @staticmethod
    def of(carrier: Carrier, where: Where) -> _Proposal:
        title, _, description = carrier.payload.partition(SEPARATOR)
        return _Proposal(carrier=carrier, where=where, title=title.strip(), description=description.strip())

    def problem(self, code: str, message: str, *, offset: int = 0, hint: str = "") -> Problem:
        position = Lines.of(self.carrier.payload, self.carrier.position).position(offset)
        return problem(code, message, self.where.at(position), hint=hint)


def is_proposal(carrier: Carrier) -> bool:
    """Whether a marker holds words at all, whatever may be wrong with them."""
    return any(character.isalpha() for character in carrier.payload)


def read_proposals(page: Page, base: Signal, spoken: Signal | None) -> Iterator[Signal]:
    """The proposals of a comment; ``spoken`` is the word that they stand beside, if there is one."""
    several = page.text.count(MARKER)
    proposals = [carrier for carrier in page.carriers_with(PREFIX) if carrier.marker == MARKER]
    for carrier in proposals[:MOST_PROPOSALS]:
        found = _Proposal.of(carrier, base.where)
        yield replace(
            base,
            kind=Kind.PROPOSAL,
            title=found.title[:KEPT],
            description=found.description[:KEPT],
            where=base.where.at(carrier.position),
            problems=tuple(_problems(found, several, spoken)),
        )


def _problems(found: _Proposal, several: int, spoken: Signal | None) -> Iterator[Problem]:
    if several > 1:
        yield found.problem("PG130", f"{MARKER} occurs {several} times in the comment; at most one proposal is made")
    reason = _not_beside_a_fail(spoken)
    if reason:
        yield found.problem("PG131", f"a proposal is made only on a FAIL verdict: {reason}")
    fault = found.carrier.fault
    if fault is not None:
        yield problem("PG137", fault.message, found.where.at(fault.position), hint=fault.hint)
        return
    yield from _form(found)
    for finding in spoken.findings if spoken else ():
        if restates(found.title, finding):
            message = f"the title says again what {finding.id} says: {excerpt(finding.summary)}"
            yield found.problem("PG134", message)


def _not_beside_a_fail(spoken: Signal | None) -> str:
    """Why there is no FAIL that a proposal could stand beside; empty if there is one."""
    if spoken is None or spoken.kind is not Kind.VERDICT:
        return "there is no verdict in this comment"
    if spoken.outcome is None or any(item.severity is Severity.ERROR for item in spoken.problems):
        return "the verdict in this comment is invalid"
    if spoken.outcome is not Outcome.FAIL:
        return f"this comment says {spoken.outcome.value}"
    return "" if spoken.must_fix else "the FAIL in this comment asks for nothing, which makes it none"


def _form(found: _Proposal) -> Iterator[Problem]:
    yield from _lengths(found)
    hidden = IN_TITLE.search(found.title) or IN_DESCRIPTION.search(found.description)
    if hidden:
        message = f"the {_part(found, hidden[0])} holds the character {character_name(hidden[0])}"
        yield found.problem("PG136", message, offset=found.carrier.payload.index(hidden[0]))
    if found.title:
        yield from _verb(found)
    second = found.carrier.payload.find(SEPARATOR, found.carrier.payload.find(SEPARATOR) + 1)
    if SEPARATOR in found.description:
        message = "a second | follows: the first one separates the title from the description"
        yield found.problem("PG133", message, offset=second)


def _part(found: _Proposal, character: str) -> str:
    return "title" if character in found.title else "description"


def _lengths(found: _Proposal) -> Iterator[Problem]:
    words = len(found.title.split())
    if words < FEWEST_WORDS:
        told = f'is only "{found.title[:40]}"' if words else "is missing"
        yield found.problem("PG135", f"the title {told}: it takes a verb and what to do it to")
    if len(found.title) > LONGEST_TITLE:
        yield found.problem("PG135", f"the title has {len(found.title)} characters (at most {LONGEST_TITLE})")
    if len(found.description) > LONGEST_DESCRIPTION:
        message = f"the description has {len(found.description)} characters (at most {LONGEST_DESCRIPTION})"
        yield found.problem("PG135", message)


def _verb(found: _Proposal) -> Iterator[Problem]:
    first = found.title.split(maxsplit=1)[0]
    if not may_be_imperative(first):
        yield found.problem("PG132", f"the title begins with {excerpt(first)}, which is not a verb in the imperative")


def may_be_imperative(first: str) -> bool:
    """Whether the first word of a title may be a verb in the imperative; refused is only what clearly is none.

    That is what is no plain word, little words, and other forms and other words by their ending. Of a word with a
    hyphen both ends count.
    """
    if not PLAIN_WORD.fullmatch(first):
        return False
    parts = first.lower().rstrip(":,").split("-")
    begin, end = parts[0], parts[-1]
    if begin in NO_VERBS or end in NO_VERBS:
        return False
    return end in VERBS_AFTER_ALL or not NO_VERB.fullmatch(end)


def restates(title: str, finding: Finding) -> bool:
    """Whether a title only says again what a finding says.

    Compared are stems of words, without little words and without the title's verb. A title says nothing new if three
    quarters of its words, two at least, stand in the finding's summary and hint, or if it holds all words of a summary
    of three or more.
    """
    said = set(_stems(title.partition(" ")[2]))
    summary = set(_stems(finding.summary))
    common = said & (summary | set(_stems(finding.fix_hint or "")))
    if len(common) >= FEWEST_COMMON and len(common) >= NOTHING_NEW * len(said):
        return True
    return len(summary) >= WHOLE_SUMMARY and summary <= said


def _stems(text: str) -> Iterator[str]:
    for word in TOKEN.findall(text.lower()):
        if word not in LITTLE_WORDS:
            yield _stem(word)


def _stem(word: str) -> str:
    """A word without its ending, so that ``logged``, ``logging`` and ``logs`` are one."""
    for ending in ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= SHORTEST_STEM:
            return stem[:-1] if stem[-1] == stem[-2] else stem
    return word
