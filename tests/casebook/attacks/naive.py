"""What a gate without a defence would do: permissive stand-ins for one function each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from phasegate.dialects.dialect import Reading, Text
from phasegate.dialects.jkz.reader import HEADING
from phasegate.gate import _overall, policy_in
from phasegate.model.problem import Fault, Position, Problem, Severity
from phasegate.model.report import (
    IssueRoute,
    Need,
    NeedKind,
    NeedState,
    Note,
    PhaseReport,
    Route,
    State,
    Told,
    TypeSource,
    Why,
    Withheld,
)
from phasegate.model.signal import Command, Outcome, Place, RoleClaim, Signal, Validity, Vote
from phasegate.model.snapshot import PolicyFile, Record, Sibling, Snapshot
from phasegate.model.texts import Actor
from phasegate.policy.load import default_policy
from phasegate.policy.model import AgentAccount, ContradictoryFail, Phase, Policy
from phasegate.reading.document import Document, Limits, Lines
from phasegate.reading.json.reader import JSON_LIMITS, read_json
from phasegate.reading.markdown.carriers import Carrier, CarrierKind, Sheet
from phasegate.reading.markdown.page import Line, Page, Part
from phasegate.reading.markdown.walk import PartKind
from phasegate.rules import accounts, acts, assess, history, needs, phases, route
from phasegate.rules.binding import Plans, Timeline, consistent
from phasegate.rules.history import Attempts
from phasegate.rules.phases import Evaluation, worst
from phasegate.rules.view import PhaseView, Seat

BLOCK = r"(?P<payload>\{.*?\})\W{0,8}?(?:-->|```|`|\n*\Z)"


def first_block(page: Page, marker: str, **_: object) -> Carrier | None:
    """The first block with the marker wins, wherever it stands."""
    at = page.text.find(marker)
    return block_at(page, object(), at, marker) if at >= 0 else None


def block_at(page: Page, found: object, at: int, marker: str) -> Carrier | None:
    """A block is what follows its marker, wherever that stands."""
    del found
    sheet, plain = Sheet.of(page.text), re.sub(r"(?m)^> ?", "  ", page.text)
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
        closed=True,
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
    del app_id
    if account.team is not None:
        return author.id in accounts.team_members(snapshot, account.team)
    return accounts._shape(account.login) == accounts._shape(author.login)


def everybody(snapshot: Snapshot, slug: str) -> tuple[int, ...]:
    """Everybody is a member of every team."""
    del slug
    return tuple(person.id for person in snapshot.people)


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


def headed_alone(facts: assess.Facts, signal: Signal, roles: tuple[str, ...]) -> tuple[str, ...]:
    """A word is of the role that stands above it, whatever that is."""
    del facts
    return tuple(role for role in roles if role == signal.roles[0])


def touched_is_told(votes: tuple[Vote, ...]) -> frozenset[tuple[str, str | None, str]]:
    """What somebody touched is there, whatever became of its text."""
    touched = (vote for vote in votes if vote.signal.source.tampered_by is not None)
    return history.words_told(votes) | {(vote.place, vote.role, Outcome.FAIL.value) for vote in touched}


_standing = PhaseView.standing
_latest = PhaseView.latest
_commit = assess.Facts._commit
_find_route = route.find_route
_failures = route._failures
_count_attempts = history.count_attempts
_content = acts._content
_view = phases._view
_skipped = phases._skipped
_human_need = needs.human_need


def only_sound(view: PhaseView, seat: Seat) -> list[Vote]:
    """What cannot be read was not said."""
    return [vote for vote in _standing(view, seat) if vote.validity is not Validity.INVALID]


def best_vote(view: PhaseView, seat: Seat) -> Vote | None:
    """A PASS once given stands."""
    passed = (vote for vote in reversed(view.standing(seat)) if vote.passes)
    return next(passed, None) or _latest(view, seat)


def no_commit_asked(facts: assess.Facts, signal: Signal) -> tuple[str | None, tuple[Problem, ...]]:
    """Nobody need name a commit."""
    verdicts = replace(facts.policy.verdicts, require_commit=False)
    return _commit(replace(facts, policy=replace(facts.policy, verdicts=verdicts)), signal)


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


def present_content(facts: assess.Facts, command: Command) -> str | None:
    """An act is for the commit that is there now."""
    return facts.timeline.current if command.source.place is Place.PULL_REQUEST else _content(facts, command)


def laxest(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> Route:
    """Of several issues the laxest tells the way."""
    found = _find_route(policy, snapshot, votes)
    required = all(issue.qa_required for issue in found.issues)
    return replace(found, quick=any(issue.quick for issue in found.issues), qa_required=required)


def first_match(policy: Policy, issue: object, labels: list[str]) -> route.Match:
    """The first type that matches, however lax."""
    found = route._matches(policy, issue, labels)  # type: ignore[arg-type]
    return next(found, route.Match(type=policy.issue.default_type, source=TypeSource(told=Told.DEFAULT)))


def folded(one: str, other: str) -> bool:
    """Names are the same if Unicode says so."""
    return one.casefold() == other.casefold()


def unasked(policy: Policy, snapshot: Snapshot, problems: tuple[Problem, ...]) -> Route:
    """Without an issue nothing is asked for."""
    del policy, snapshot
    source = TypeSource(told=Told.NO_ISSUE)
    return Route(issues=(), type="none", source=source, qa_required=False, quick=False, problems=problems)


def first_issue(evaluation: Evaluation, phase: Phase, asked: IssueRoute | None) -> PhaseView:
    """One plan is enough: every issue has that of the first."""
    first = evaluation.route.issues[0] if asked is not None else None
    return _view(evaluation, phase, first)


def listed_paths(evaluation: Evaluation, phase: Phase) -> Note | None:
    """The files are those that are listed, under their new names."""
    snapshot = evaluation.facts.snapshot
    entries = tuple(replace(entry, previous_path=None) for entry in snapshot.files.entries)
    files = replace(snapshot.files, complete=True, entries=entries)
    facts = replace(evaluation.facts, snapshot=replace(snapshot, files=files))
    return _skipped(replace(evaluation, facts=facts), phase)


def resumed_whenever(view: PhaseView) -> Attempts:
    """A resume begins anew, whenever it was given."""
    counted = _count_attempts(view)
    return replace(counted, escalated=counted.escalated and not view.resumes())


def any_approval(view: PhaseView) -> Need:
    """An approval of this content is an approval, whenever it was given."""
    given = any(act.content == view.content for act in view.given("approve"))
    met = Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.MET, why=Why.APPROVED)
    return met if given else _human_need(view)


def some_demand(view: PhaseView, confirming: Vote, failure: Vote) -> bool:
    """One refuted demand takes the whole FAIL back."""
    del view
    return bool(set(failure.signal.must_fix or ()) & set(confirming.signal.false_positives))


def anybody_overrules(view: PhaseView, failure: Vote) -> Vote | None:
    """Whoever calls a finding noise takes it back."""
    votes = (view.latest(seat) for seat in view.seats)
    return next((vote for vote in votes if vote and some_demand(view, vote, failure)), None)


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


def refused_for_all(facts: assess.Facts, signal: Signal, roles: tuple[str, ...]) -> dict[str, tuple[Problem, ...]]:
    """What is wrong for one role is wrong for all."""
    found = next(filter(None, (facts.refused_as(signal, role) for role in roles)), ())
    return dict.fromkeys(roles, found)


def said_against_it(_: Validity, outcome: Outcome | None) -> bool:
    """Only what says so is an objection."""
    return outcome in (Outcome.FAIL, Outcome.BLOCKED)
