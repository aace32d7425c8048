"""What a gate without a defence would do: permissive stand-ins for one function each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import replace
from itertools import islice
from typing import Any

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Reading, Text
from phasegate.dialects.jkz.reader import HEADING
from phasegate.gate import _overall, policy_in
from phasegate.model.ledger import Removal
from phasegate.model.problem import Fault, Position, Problem, Severity
from phasegate.model.report import Note, PhaseReport, Route, State, TypeSource, Withheld
from phasegate.model.signal import Asks, Outcome, Place, RoleClaim, Signal, Validity, Vote
from phasegate.model.snapshot import PolicyFile, Record, Sibling, Snapshot
from phasegate.model.texts import Actor, Issue
from phasegate.policy.load import default_policy
from phasegate.policy.model import AgentAccount, ContradictoryFail, Exempt, IssueType, Phase, Policy
from phasegate.reading.document import Document, Limits, Lines
from phasegate.reading.json import JSON_LIMITS, read_json
from phasegate.reading.markdown.carriers import Carrier, CarrierKind
from phasegate.reading.markdown.page import Line, Page, Part
from phasegate.reading.markdown.walk import PartKind
from phasegate.rules import accounts, acts, assess, ledger, needs, phases, removals, route
from phasegate.rules.binding import Plans, SpokenRoles, Timeline, consistent
from phasegate.rules.desk import Desk
from phasegate.rules.ladder import Refutation
from phasegate.rules.ledger import Ledger
from phasegate.rules.phases import worst

BLOCK = r"(?P<payload>\{.*?\})\W{0,8}?(?:-->|```|`|\n*\Z)"


def first_block(page: Page, marker: str, **_: object) -> Carrier | None:
    """The first block with the marker wins, wherever it stands."""
    at = page.text.find(marker)
    return block_at(page, object(), at, marker) if at >= 0 else None


def block_at(page: Page, found: object, at: int, marker: str) -> Carrier | None:
    """A block is what follows its marker, wherever that stands."""
    del found
    sheet, plain = Lines.of(page.text), re.sub(r"(?m)^> ?", "  ", page.text)
    block = re.compile(re.escape(marker) + r"\s*" + BLOCK, re.DOTALL).search(plain, at)
    if block is None:
        return None
    position = sheet.position(at)
    return Carrier(
        marker=marker,
        kind=CarrierKind.HTML_COMMENT,
        payload=block["payload"],
        position=position,
        first_line=position.line,
        last_line=position.line,
    )


def signs_of_a_quote(page: Page) -> list[Part]:
    """Whatever has the signs of a quote is one."""
    return [part for part in page.parts if part.kind is PartKind.QUOTE]


def any_heading(page: Page) -> Iterator[RoleClaim]:
    """A role's heading counts in a quote too."""
    for part in page.parts:
        for line in part.text.splitlines():
            match = HEADING.fullmatch(line.lstrip("># "))
            if match:
                yield RoleClaim(by="the heading", role=match[1].lower())


def all_lines(page: Page) -> tuple[Line, ...]:
    """Every line is a line of its author's, whatever it stands in."""
    written = enumerate(page.text.splitlines(), start=1)
    return tuple(Line(text=line.lstrip("> "), line=number) for number, line in written)


def plain_json(text: str, *, first: Position | None = None, limits: Limits = JSON_LIMITS) -> Document | Fault:
    """JSON as Python reads it: the last of two keys wins, NaN is a number, and what follows is not looked at."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return read_json(text, first=first, limits=limits)
    return Document(value, (0, 0, None), Lines.of(text, first))


def same_at_a_glance(account: AgentAccount, snapshot: Snapshot, author: Actor, app_id: int | None) -> bool:
    """An account is its login, as far as the eye can tell."""
    if account.team is not None:
        return _names(account, snapshot, author, app_id)
    return account.login.replace("_", "-").lower() == author.login.replace("_", "-").lower()


def everybody(account: AgentAccount, snapshot: Snapshot, author: Actor, app_id: int | None) -> bool:
    """Everybody is a member of every team."""
    return account.team is not None or _names(account, snapshot, author, app_id)


def everybodys_words(policy: Policy, signal: Signal) -> tuple[str, ...]:
    """Whatever is said, in whatever dialect, fills any seat."""
    del signal
    return tuple(policy.roles)


def lenient_fail(policy: Policy, signal: Signal, role: str) -> tuple[Outcome | None, tuple[Problem, ...]]:
    """A FAIL without demands is a PASS, whatever the policy says."""
    verdicts = replace(policy.verdicts, contradictory_fail=ContradictoryFail.PASS)
    return consistent(replace(policy, verdicts=verdicts), signal, role)


def failures_in_sight(snapshot: Snapshot, votes: tuple[Vote, ...], roles: set[str]) -> Iterator[str]:
    """Only what stands there has failed."""
    return _failures(replace(snapshot, record=Record()), votes, roles)


def own_example(ledger: Ledger, signal: Signal) -> SpokenRoles:
    """What is shown is an example, whoever shows it."""
    told = _spoken(ledger, signal)
    return replace(told, roles=(), problems=(problem("PG125", "an example", signal.where),)) if signal.shown else told


def headed_alone(ledger: Ledger, signal: Signal, roles: tuple[str, ...]) -> tuple[str, ...]:
    """A word is of the role that stands above it, whatever that is."""
    del ledger
    return tuple(role for role in roles if role == signal.roles[0])


def touched_is_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None, str]]:
    """What somebody touched is there, whatever became of its text."""
    touched = (vote for vote in votes if vote.signal.source.tampered_by is not None)
    return _words_found(votes) | {(vote.place, vote.role, Outcome.FAIL.value) for vote in touched}


_names = accounts._names
_commit = assess._commit
_refused_as = assess.refused_as
_spoken = assess._spoken
_asking = route.asking
_matches = route._matches
_decide_queued = phases.decide_queued
_find_route = route.find_route
_failures = route._failures
_attempts = needs.attempts
_words_found = ledger.words_found
_removals = removals.removals
_touched = removals._touched
_pushed_away = removals._pushed_away
_deleted = removals._deleted
_pushed_alone = route.pushed_alone
_content: Any = vars(acts.Given)["content"].fget
_skipped = phases._skipped


def _with(ledger: Ledger, **changes: object) -> Ledger:
    """A ledger that says something else."""
    other = copy(ledger)
    for name, value in changes.items():
        setattr(other, name, value)
    return other


def failures_alone(desk: Desk) -> Iterator[Removal]:
    """Only a FAIL on record blocks, and no other word."""
    return (gone for gone in _deleted(desk) if gone.failed)


def dismissed_failures(desk: Desk) -> Iterator[Removal]:
    """Only a FAIL cannot be dismissed or written over."""
    return (gone for gone in _touched(desk) if gone.failed)


def taken_at_once(desk: Desk) -> Iterator[Removal]:
    """What was taken away was taken away when it was given."""
    return (replace(gone, taken=(gone.given,)) for gone in _removals(desk))


def where_they_stand(ledger: Ledger, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """An objection counts only where it belongs, and for a role that it names."""
    del ledger
    return votes


def verdicts_alone(desk: Desk) -> Iterator[Removal]:
    """A report that is gone was never there."""
    objections = {vote.id for vote in desk.votes if vote.objection is not None}
    return (gone for gone in _pushed_away(desk) if gone.signal in objections)


def resumed_after_it(desk: Desk, gone: Removal) -> bool:
    """A resume covers every word that was given before it."""
    return desk.resumed_since(gone.given)


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """Whoever changed the base, the pushes tell."""
    unaimed = replace(snapshot, pull_request=replace(snapshot.pull_request, base_changes=()))
    return _pushed_alone(item, unaimed, timeline)


def no_commit_asked(ledger: Ledger, signal: Signal) -> tuple[str | None, accounts.Refusal | None]:
    """Nobody need name a commit."""
    verdicts = replace(ledger.policy.verdicts, require_commit=False)
    return _commit(_with(ledger, policy=replace(ledger.policy, verdicts=verdicts)), signal)


def head_about_then(timeline: Timeline, at: str) -> str | None:
    """The head of that second; where the log does not tell, the present one."""
    return next((after for moved, after in reversed(timeline.moves) if moved <= at), timeline.head)


def always_the_head(timeline: Timeline, commit: str) -> tuple[str, ...]:
    """Whatever commit is named, the head is meant."""
    del commit
    return (timeline.head,)


def current_plan(plans: Plans, issue: int | None, at: str) -> str | None:
    """A plan is its issue, whatever its text was at the time."""
    del at
    return plans.current(issue)


def present_content(given: acts.Given) -> str | None:
    """An act is for the commit that is there now."""
    here = given.source.place is Place.PULL_REQUEST
    return given.ledger.timeline.current if here else _content(given)


def laxest(ledger: Ledger) -> Route:
    """Of several issues the laxest tells the way."""
    found = _find_route(ledger)
    required = all(issue.qa_required for issue in found.issues)
    return replace(found, quick=any(issue.quick for issue in found.issues), qa_required=required)


def first_match(policy: Policy, issue: Issue, labels: list[str]) -> Iterator[tuple[IssueType, TypeSource]]:
    """The first type that matches, however lax."""
    return islice(_matches(policy, issue, labels), 1)


def folded(one: str, other: str) -> bool:
    """Names are the same if Unicode says so."""
    return one.casefold() == other.casefold()


def unasked(ledger: Ledger) -> Route:
    """Without an issue nothing is asked for."""
    found = _find_route(ledger)
    return found if found.issues else replace(found, qa_required=False)


def as_they_stand(votes: Iterable[Vote], what: Asks) -> tuple[Vote, ...]:
    """What an edit took away was never asked for."""
    return _asking([vote for vote in votes if vote.validity is not Validity.EDITED_AWAY], what)


def queued_as_green(
    policy: Policy, snapshot: Snapshot, state: State, withheld: Withheld | None
) -> tuple[State, Withheld | None]:
    """What stands in a queue was green once."""
    del state
    return _decide_queued(policy, snapshot, State.SUCCESS, withheld)


def first_issue(ledger: Ledger, phase: Phase) -> Iterator[Desk]:
    """One plan is enough: that of the first issue."""
    first = ledger.route.issues[0] if phase.where is Place.ISSUE else None
    yield Desk(ledger, phase, first)


def never_linked(ledger: Ledger, phase: Phase) -> Note | None:
    """No issue is linked if none is linked now."""
    snapshot = ledger.snapshot
    unlinked = replace(snapshot, pull_request=replace(snapshot.pull_request, relinked_at=None))
    return _skipped(_with(ledger, snapshot=unlinked), phase)


def listed_paths(ledger: Ledger, phase: Phase) -> Note | None:
    """The files are those that are listed, under their new names."""
    snapshot = ledger.snapshot
    entries = tuple(replace(entry, previous_path=None) for entry in snapshot.files.entries)
    files = replace(snapshot.files, complete=True, entries=entries)
    return _skipped(_with(ledger, snapshot=replace(snapshot, files=files)), phase)


def resumed_whenever(desk: Desk) -> tuple[set[str], bool]:
    """A resume begins anew, whenever it was given."""
    failed, escalated = _attempts(desk)
    return failed, escalated and not desk.given("resume")


def some_demand(said: Refutation) -> bool:
    """One refuted demand takes the whole FAIL back."""
    found = said.word.vote.signal.false_positives
    return bool(set(said.failure.signal.must_fix or ()) & set(found))


def every_id(part: Part, before: set[str]) -> set[str]:
    """Evidence for one id is evidence for those before it too."""
    return before if part.kind is PartKind.FENCE else before | set(re.findall(r"\b[A-Z][0-9]+\b", part.text))


def default_if_broken(held: PolicyFile) -> Policy:
    """Where the policy cannot be read, the defaults apply."""
    found = policy_in(held)
    return found if isinstance(found, Policy) else default_policy()


Overall = tuple[State, Withheld | None, tuple[Sibling, ...]]


def worst_alone(snapshot: Snapshot, reports: tuple[PhaseReport, ...]) -> Overall:
    """The phases alone tell the overall state."""
    del snapshot
    return worst(report.state for report in reports), None, ()


def alone(snapshot: Snapshot, reports: tuple[PhaseReport, ...]) -> Overall:
    """Nobody looks whether another pull request has the same commit."""
    return _overall(replace(snapshot, siblings=()), reports)


def failed_soundly(vote: Vote) -> bool:
    """Only a FAIL without any fault."""
    errors = [item for item in vote.problems if item.severity is Severity.ERROR]
    return vote.outcome is Outcome.FAIL and vote.validity is not Validity.IGNORED and not errors


def unread_version(version: Text, *_: object) -> Reading:
    """What is too much is nothing."""
    return Reading(text=version)


def refused_for_all(ledger: Ledger, signal: Signal, role: str | None) -> tuple[Problem, ...]:
    """What is wrong for one role is wrong for all, and nobody says anything of their own work."""
    named = (role, *signal.may_be, *signal.roles)
    own = next(filter(None, (ledger.accounts.speaker(signal.source, each).own_work for each in named)), None)
    barred = () if own is None else (problem(own.code, own.reason, signal.where),)
    return next(filter(None, (_refused_as(ledger, signal, each) for each in named)), barred)
