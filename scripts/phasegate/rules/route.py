"""What the linked issues ask for: their type, whether QA is required, and the lightweight route.

Several issues: the strictest. A label that was set after a failing QA verdict does not lower the requirements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import IssueRoute, Route, Told, TypeSource
from phasegate.model.signal import ASKS, INVALID, Asks, Kind, Outcome, Place, Validity, Vote
from phasegate.model.snapshot import RETARGETED, RecordedVote, Snapshot
from phasegate.model.texts import ClosingPullRequest, Issue, NameEvent
from phasegate.policy.model import IssueType, Policy
from phasegate.rules.accounts import ever_agents, may_not_lower, same_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A type of issue, and what told it."""

    type: IssueType
    source: TypeSource


def linked_issues(snapshot: Snapshot) -> tuple[Issue, ...]:
    """The linked issues that count: those of the same repository."""
    return snapshot.own_issues


def find_route(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> Route:
    """The route that the linked issues ask for."""
    failed_at = first_failure(policy, snapshot, votes)
    issues, speakers = linked_issues(snapshot), ever_agents(snapshot, votes)
    raised = [without_lowering(policy, snapshot, issue, speakers) for issue in issues]
    routes = tuple(_issue_route(policy, snapshot, item, failed_at) for item in raised)
    held = _still_required(policy, snapshot, speakers, routes)
    slow = fails_on_quick_route(policy, snapshot, votes) or any(not each.route.quick for each in held)
    routes = tuple(
        replace(route, quick=route.quick and not slow and not invalid_on_quick_route(policy, votes, route.number))
        for route in routes
    )
    asked = _asking_for_qa(policy, votes)
    gone = any(True for _ in asked_and_gone(snapshot, votes, Asks.QA))
    routes = tuple(_as_asked(route, asked) for route in routes)
    routes = tuple(replace(route, qa_required=True, quick=False) for route in routes) if gone else routes
    problems = (
        *_foreign(snapshot),
        *_spent(routes),
        *(item for issue in issues for item in _late_labels(policy, issue, failed_at)),
        *(item for issue in raised for item in issue.problems),
        *(each.problem for each in held),
    )
    holds = any(each.route.qa_required for each in held)
    if not routes:
        return replace(
            route := _without_issue(policy, snapshot, problems),
            qa_required=route.qa_required or bool(asked) or holds or gone,
        )
    strictest = max((*routes, *(each.route for each in held)), key=lambda route: (not route.quick, route.qa_required))
    return Route(
        issues=routes,
        type=strictest.type,
        source=strictest.source,
        qa_required=any(route.qa_required for route in routes) or failed_at is not None or holds,
        qa_asked_by=next((vote.role or "" for vote in asked), ""),
        quick=all(route.quick for route in routes),
        qa_failed=failed_at is not None and not strictest.qa_required,
        problems=problems,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class StillRequired:
    """The route of an issue that an account unlinked which may not lower it, and why it still applies."""

    route: IssueRoute
    problem: Problem


def _still_required(
    policy: Policy, snapshot: Snapshot, speakers: frozenset[int], routes: tuple[IssueRoute, ...]
) -> tuple[StillRequired, ...]:
    """The unlinked issues that require more than the linked ones and were not unlinked by an entitled account."""
    held: list[StillRequired] = []
    for issue, event in _unlinked(snapshot):
        why = may_not_lower(policy, snapshot, event, speakers, "triage")
        counted = without_lowering(policy, snapshot, replace(issue, closed_by=()), speakers)
        route = _issue_route(policy, snapshot, counted, None)
        if why is not None and asks_for_more_than(route, routes):
            who = None if event is None or event.actor is None else event.actor.login
            source = TypeSource(told=Told.UNLINKED, issue=issue.number, set_by=who)
            what = f"#{issue.number} requires more and was unlinked" if issue.number else "an earlier link was removed"
            message = f"{what} {why}; its requirements still apply"
            held.append(
                StillRequired(
                    route=replace(route, source=source),
                    problem=problem("PG408", message, Where(url=issue.url)),
                )
            )
    return tuple(held)


def asks_for_more_than(route: IssueRoute, routes: tuple[IssueRoute, ...]) -> bool:
    """Whether an issue that is no longer linked asks for more than those that are."""
    needs_qa = route.qa_required and not any(other.qa_required for other in routes)
    return needs_qa or (not route.quick and any(other.quick for other in routes))


def _unlinked(snapshot: Snapshot) -> Iterator[tuple[Issue, NameEvent | None]]:
    """The issues that were linked once and no longer are, each with the last event that unlinked it, if known."""
    pull_request, own = snapshot.pull_request, snapshot.repository.name
    present = {issue.number for issue in linked_issues(snapshot)}
    aside = not same_name(pull_request.base.ref, snapshot.repository.default_branch)
    moved = [change for change in pull_request.base_changes if aside and change.kind == RETARGETED]
    for issue in snapshot.former_issues:
        events = [event for event in pull_request.links if same_name(event.name, f"{own}#{issue.number}")]
        if issue.number in present or not any(event.action == "added" for event in events):
            continue
        if events[-1].action == "removed":
            yield issue, events[-1]
        elif moved:  # words of the description link only where the base is the default branch
            yield issue, NameEvent(name=events[-1].name, action="removed", at=moved[-1].at, actor=moved[-1].actor)
        elif not issue.events_complete:
            yield issue, None
    lost = Issue(repository=own, number=0, url=pull_request.url)
    if pull_request.relinked_at is not None and not pull_request.links:
        yield lost, None
    gone = [event for event in pull_request.links if not event.name]
    if gone:
        yield lost, pull_request.links[-1] if pull_request.links[-1].at > gone[-1].at else gone[-1]


def first_failure(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> str | None:
    """When a role of a phase that depends on the issue's type first failed this pull request, however badly written.

    Neither an edit nor a deletion takes that back.
    """
    roles = {role for phase in policy.phases if phase.by_issue_type for role in phase.seats}
    return min(_failures(snapshot, votes, roles), default=None)


def _failures(snapshot: Snapshot, votes: tuple[Vote, ...], roles: set[str]) -> Iterator[str]:
    """The times of all that is no PASS from these roles: as it stands, in the history, and on record."""
    for vote in votes:
        objects = vote.validity is not Validity.IGNORED and vote.outcome in (Outcome.FAIL, None)
        if vote.role in roles and vote.signal.kind is Kind.VERDICT and objects and not made_good(vote, votes):
            yield vote.signal.source.at
    for seen in (seen for seen in snapshot.record.signals if not seen.outcome.startswith(ASKS)):
        if seen.role in roles and not (seen.outcome == INVALID and recorded_made_good(seen, votes)):
            yield seen.at


def recorded_made_good(seen: RecordedVote, votes: tuple[Vote, ...]) -> bool:
    """Whether a badly formed word on record was made good, as it stands or (where it is gone) by what followed it."""
    told = [vote for vote in votes if (vote.signal.source.id, vote.role) == (seen.source, seen.role)]
    if told:
        return all(made_good(vote, votes) for vote in told)
    valid = (vote for vote in votes if vote.validity is Validity.VALID and vote.role == seen.role)
    authors = ((vote.signal.source.author, vote.signal.source.at) for vote in valid)
    return any(who is not None and who.id == seen.account and at > seen.at for who, at in authors)


def made_good(vote: Vote, votes: tuple[Vote, ...]) -> bool:
    """Whether a word is a placeholder or badly formed, objects to nothing, and a valid one of its account followed."""
    if vote.outcome is not None or vote.signal.objects:
        return vote.validity is Validity.VALID and vote.outcome is Outcome.PASS
    return followed_by_own(vote, votes)


def followed_by_own(vote: Vote, votes: tuple[Vote, ...]) -> bool:
    """Whether the account of a word gave a valid one for the same role after it."""
    author, source = vote.signal.source.author, vote.signal.source
    valid = (other for other in votes if other.validity is Validity.VALID and other.role == vote.role)
    return author is not None and any(
        other.signal.source.author is not None
        and other.signal.source.author.id == author.id
        and other.signal.source.is_after(source)
        for other in valid
    )


def asking(votes: Iterable[Vote], what: Asks) -> tuple[Vote, ...]:
    """The latest votes that ask for something: only who asked takes it back, by a new text and not by an edit."""
    heard = ever_heard(votes)
    if not any(what in vote.signal.asks for vote in heard):
        return ()
    latest = {
        whose(vote): vote.signal.source.id for vote in heard if vote.validity in (Validity.VALID, Validity.INVALID)
    }
    own = (vote for vote in heard if latest.get(whose(vote)) == vote.signal.source.id)
    return tuple(vote for vote in own if what in vote.signal.asks)


def asked_and_gone(snapshot: Snapshot, votes: Iterable[Vote], what: Asks) -> Iterator[str]:
    """The roles that asked for something in a text that was taken away, and did not speak again from that account."""
    asked = [seen for seen in snapshot.record.signals if seen.outcome == f"{ASKS}{what.value}"]
    heard = ever_heard(votes) if asked else []
    there = {(vote.place, vote.role) for vote in heard}
    last: dict[tuple[str | None, int | None], str] = {}
    for vote in heard:
        author, at = vote.signal.source.author, vote.signal.source.at
        if vote.validity is Validity.VALID and author is not None:
            last[vote.role, author.id] = max(at, last.get((vote.role, author.id), ""))
    gone = (seen for seen in asked if (seen.source, seen.role) not in there)
    yield from (seen.role for seen in gone if is_open(seen, last.get((seen.role, seen.account), "")))


def is_open(asked: RecordedVote, answered: str) -> bool:
    """Whether nobody took back what a text asked for that is gone; ``answered`` is when its account spoke last."""
    return answered <= asked.at


def ever_heard(votes: Iterable[Vote]) -> list[Vote]:
    """The votes that count or counted, what was edited away included."""
    return [vote for vote in votes if vote.validity is not Validity.IGNORED]


def whose(vote: Vote) -> tuple[object, ...]:
    """Who spoke, for which seat and where."""
    source = vote.signal.source
    return (vote.role, source.place, source.issue, None if source.author is None else source.author.id)


def _asking_for_qa(policy: Policy, votes: tuple[Vote, ...]) -> tuple[Vote, ...]:
    """What roles of the phases said that asks for QA."""
    roles = {role for phase in policy.phases for role in (*phase.every_seat, *phase.workers)}
    return tuple(vote for vote in asking(votes, Asks.QA) if vote.role in roles)


def _as_asked(route: IssueRoute, asked: tuple[Vote, ...]) -> IssueRoute:
    """The route of an issue, with QA and all phases where what was said about it asks for that."""
    here = (None, route.number)
    if not any(vote.signal.source.issue in here for vote in asked):
        return route
    return replace(route, qa_required=True, quick=False)


def fails_on_quick_route(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> bool:
    """Whether a role that the quick route would leave out has failed: no label silences what was found."""
    skipped = {role for phase in policy.phases for role in phase.seats if role not in phase.quick_seats}
    return any(True for _ in _failures(snapshot, votes, skipped))


def invalid_on_quick_route(policy: Policy, votes: tuple[Vote, ...], issue: int) -> bool:
    """Whether something of an issue is there and wrong that the quick route would not look at: a plan, or its file."""
    skipped = [phase for phase in policy.phases if phase.enabled and not phase.quick_seats]
    makers = {role for phase in skipped if phase.where is Place.ISSUE for role in phase.workers}
    left_out = {role for phase in policy.phases for role in phase.seats if role not in phase.quick_seats}
    standing = (vote for vote in votes if vote.validity is Validity.INVALID and vote.signal.source.latest)
    wrong = (vote for vote in standing if vote.role in makers | left_out and not answered_verdict(vote, votes))
    return any(vote.signal.source.issue in (None, issue) for vote in wrong)


def answered_verdict(vote: Vote, votes: tuple[Vote, ...]) -> bool:
    """Whether a verdict is badly formed, fails nothing and was followed by a valid one of its account.

    A plan or a file that is wrong stays so till it is changed, and so does what somebody else touched.
    """
    source = vote.signal.source
    written = vote.signal.kind is Kind.VERDICT and not source.pushed and source.tampered_by is None
    return written and not vote.failed and followed_by_own(vote, votes)


def _without_issue(policy: Policy, snapshot: Snapshot, problems: tuple[Problem, ...]) -> Route:
    default = policy.issue.default_type
    missing = problem("PG401", "no issue is linked to this pull request", Where(url=snapshot.pull_request.url))
    return Route(
        issues=(),
        type=default.name,
        source=TypeSource(told=Told.NO_ISSUE),
        qa_required=default.qa_required,
        quick=False,
        problems=(*problems, missing) if policy.issue.required else problems,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Raised:
    """An issue with the labels and the type that count, and what is said about those that do not."""

    issue: Issue
    refused: str = ""
    problems: tuple[Problem, ...] = ()


def without_lowering(policy: Policy, snapshot: Snapshot, issue: Issue, speakers: frozenset[int]) -> Raised:
    """An issue without what asks for less and with what asks for more, where who changed it may not lower."""
    opened = snapshot.pull_request.created_at
    names: list[str] = []
    problems: list[Problem] = []

    def refused(event: NameEvent | None, name: str, done: str, free_before: str = opened) -> bool:
        early = event is not None and event.at < free_before
        why = may_not_lower(policy, snapshot, event, speakers, None if early else "triage")
        if why is not None:
            names.append(name)
            message = f'"{name}" of #{issue.number} was {done} {why}, so it does not count'
            problems.append(problem("PG407", message, Where(url=issue.url)))
        return why is not None

    def counts(label: str) -> bool:
        event = last_set(label, issue.label_events)
        if is_labelled_quick(policy, (label,)):
            return not refused(event, label, "set", free_before="")
        return not _asks_for_less(policy, _labelled(policy, label)) or not refused(event, label, "set")

    labels = [label for label in issue.labels if counts(label)]
    gone = [e for e in _gone(issue.label_events, issue.labels) if _asks_for_more(_labelled(policy, e.name))]
    labels += [event.name for event in gone if refused(event, event.name, "removed", free_before="")]
    native = issue.type
    if native is not None and _asks_for_less(policy, _typed(policy, native)):
        native = None if refused(last_set(native, issue.type_events), native, "set") else native
    were = [e for e in _gone(issue.type_events, (native or "",)) if _asks_for_more(_typed(policy, e.name))]
    held = next((event.name for event in were if refused(event, event.name, "removed", free_before="")), native)
    counted = replace(issue, labels=tuple(labels), type=held)
    return Raised(issue=counted, refused=names[0] if names else "", problems=tuple(problems))


def _labelled(policy: Policy, label: str) -> list[IssueType]:
    return [kind for kind in policy.issue.types if _is_any(label, kind.labels)]


def _typed(policy: Policy, native: str) -> list[IssueType]:
    return [kind for kind in policy.issue.types if _is_any(native, (kind.name, *kind.labels))]


def _asks_for_less(policy: Policy, kinds: list[IssueType]) -> bool:
    """Whether these types ask for less than the strictest one would."""
    strict = _asks_for_more(list(policy.issue.types))
    return strict and bool(kinds) and not _asks_for_more(kinds)


def _asks_for_more(kinds: list[IssueType]) -> bool:
    """Whether one of these types asks for QA."""
    return any(kind.qa_required for kind in kinds)


def _gone(events: tuple[NameEvent, ...], present: tuple[str, ...]) -> Iterator[NameEvent]:
    """The last removal of each label that is gone; none if no event shows who removed it."""
    last = {event.name.lower(): event for event in sorted(events, key=lambda event: event.at)}
    for event in last.values():
        if not _is_any(event.name, present):
            yield event if event.action == "removed" else unseen_removal(event)


def unseen_removal(added: NameEvent) -> NameEvent:
    """What took away a name that was set last and is not there: a label can be deleted or renamed as a whole."""
    return replace(added, action="removed", actor=None)


def _issue_route(policy: Policy, snapshot: Snapshot, raised: Raised, failed_at: str | None) -> IssueRoute:
    issue = raised.issue
    spent = spent_by(snapshot, issue)
    since = spent_at(snapshot, issue)
    kept = [label for label in issue.labels if spent is None and _set_since(label, issue.label_events, since)]
    labels = [
        label
        for label in issue.labels
        if _asks_for_more(_labelled(policy, label)) or (label in kept and _in_time(label, issue, failed_at))
    ]
    native = issue.type
    if native is not None and not _asks_for_more(_typed(policy, native)):
        native = native if spent is None and _set_since(native, issue.type_events, since) else None
    match = _match(policy, replace(issue, type=native), labels)
    by_default = match.source.told is Told.DEFAULT
    return IssueRoute(
        number=issue.number,
        url=issue.url,
        type=match.type.name,
        source=replace(match.source, name=raised.refused) if by_default else match.source,
        qa_required=match.type.qa_required,
        quick=is_labelled_quick(policy, labels),
        spent_by=spent,
    )


def is_labelled_quick(policy: Policy, labels: Iterable[str]) -> bool:
    """Whether a label asks for the quick route."""
    return any(_is_any(label, policy.issue.quick_labels) for label in labels)


def _match(policy: Policy, issue: Issue, labels: list[str]) -> Match:
    """The strictest type that matches; of equally strict ones the first that the policy lists."""
    default = Match(type=policy.issue.default_type, source=TypeSource(told=Told.DEFAULT, issue=issue.number))
    matches = list(_matches(policy, issue, labels))
    return max(matches, key=lambda match: match.type.qa_required, default=default)


def _matches(policy: Policy, issue: Issue, labels: list[str]) -> Iterator[Match]:
    for kind in policy.issue.types:
        label = next((label for label in labels if _is_any(label, kind.labels)), None)
        if label is not None:
            yield Match(type=kind, source=_by_label(label, issue))
        elif issue.type is not None and _is_any(issue.type, (kind.name, *kind.labels)):
            yield Match(type=kind, source=TypeSource(told=Told.ISSUE_TYPE, name=issue.type, issue=issue.number))


def _by_label(label: str, issue: Issue) -> TypeSource:
    """A label, and who set it and when where that is known."""
    events = (event for event in reversed(issue.label_events) if event.action == "added")
    added = next((event for event in events if same_name(event.name, label)), None)
    source = TypeSource(told=Told.LABEL, name=label, issue=issue.number)
    if added is None:
        return source
    return replace(source, set_by=None if added.actor is None else added.actor.login, set_at=added.at)


def _is_any(name: str, names: tuple[str, ...]) -> bool:
    return any(same_name(name, other) for other in names)


def _in_time(label: str, issue: Issue, failed_at: str | None) -> bool:
    """Whether a label was there before QA first failed; a label whose arrival is not known was not."""
    if failed_at is None:
        return True
    added = last_set(label, issue.label_events)
    return added is not None and added.at < failed_at


def _set_since(name: str, events: tuple[NameEvent, ...], moment: str) -> bool:
    """Whether a label or type was set for this work, not for what closed the issue before."""
    added = last_set(name, events)
    return not moment or (added is not None and added.at > moment)


def last_set(name: str, events: tuple[NameEvent, ...]) -> NameEvent | None:
    """The event that set a label that is there; none if the last known event removed it."""
    last = next((event for event in reversed(events) if same_name(event.name, name)), None)
    return last if last is not None and last.action == "added" else None


def _late_labels(policy: Policy, issue: Issue, failed_at: str | None) -> Iterator[Problem]:
    lowering = [label for kind in policy.issue.types if not kind.qa_required for label in kind.labels]
    for label in issue.labels:
        if _is_any(label, (*lowering, *policy.issue.quick_labels)) and not _in_time(label, issue, failed_at):
            message = f'label "{label}" of #{issue.number} was set after QA had failed, so it does not count'
            yield problem("PG403", message, Where(url=issue.url))


def _spent(routes: tuple[IssueRoute, ...]) -> Iterator[Problem]:
    for route in routes:
        if route.spent_by is not None:
            message = f"#{route.number} was closed by {route.spent_by}: neither its plan nor its labels count here"
            yield problem("PG404", message, Where(url=route.url))


def _foreign(snapshot: Snapshot) -> Iterator[Problem]:
    counted = linked_issues(snapshot)
    for issue in snapshot.issues:
        if issue not in counted:
            message = f"{issue.repository}#{issue.number} belongs to another repository and does not count here"
            yield problem("PG402", message, Where(url=issue.url))


def spent_at(snapshot: Snapshot, issue: Issue) -> str:
    """When another pull request last closed the issue; what is older than that was for that one."""
    return max((item.merged_at for item in _others(snapshot, issue)), default="")


def spent_by(snapshot: Snapshot, issue: Issue) -> str | None:
    """The pull request that closed the issue, unless the issue was reopened."""
    others = _others(snapshot, issue)
    return f"#{others[-1].number}" if others and issue.state == "closed" else None


def _others(snapshot: Snapshot, issue: Issue) -> tuple[ClosingPullRequest, ...]:
    own = (snapshot.repository.name.lower(), snapshot.pull_request.number)
    return tuple(item for item in issue.closed_by if (item.repository.lower(), item.number) != own)
