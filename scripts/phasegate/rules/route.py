"""What the linked issues ask for: their type, whether QA is required, and the lightweight route.

Several issues: the strictest. A label that arrived after a failing QA verdict lowers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import IssueRoute, Route, Told, TypeSource
from phasegate.model.signal import Kind, Outcome
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import ClosingPullRequest, Issue, NameEvent
from phasegate.model.vote import Validity, Vote
from phasegate.policy.model import IssueType, Policy
from phasegate.rules.accounts import same_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A type of issue, and what told it."""

    type: IssueType
    source: TypeSource


def linked_issues(snapshot: Snapshot) -> tuple[Issue, ...]:
    """The linked issues that count: those of the same repository."""
    return tuple(issue for issue in snapshot.issues if same_name(issue.repository, snapshot.repository.name))


def find_route(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> Route:
    """The route that the linked issues ask for."""
    failed_at = first_failure(policy, snapshot, votes)
    issues = linked_issues(snapshot)
    routes = tuple(_issue_route(policy, snapshot, issue, failed_at) for issue in issues)
    if fails_on_quick_route(policy, snapshot, votes):
        routes = tuple(replace(route, quick=False) for route in routes)
    problems = (
        *_foreign(snapshot),
        *_spent(routes),
        *(item for issue in issues for item in _late_labels(policy, issue, failed_at)),
    )
    if not routes:
        return _without_issue(policy, snapshot, problems)
    strictest = max(routes, key=lambda route: (not route.quick, route.qa_required))
    return Route(
        issues=routes,
        type=strictest.type,
        source=strictest.source,
        qa_required=any(route.qa_required for route in routes) or failed_at is not None,
        quick=all(route.quick for route in routes),
        qa_failed=failed_at is not None and not strictest.qa_required,
        problems=problems,
    )


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
        if vote.role in roles and vote.signal.kind is Kind.VERDICT and objects:
            yield vote.signal.source.at
    for seen in snapshot.record.signals:
        if seen.role in roles and seen.outcome == Outcome.FAIL.value:
            yield seen.at


def fails_on_quick_route(policy: Policy, snapshot: Snapshot, votes: tuple[Vote, ...]) -> bool:
    """Whether a role that the quick route would leave out has failed: no label silences what was found."""
    skipped = {role for phase in policy.phases for role in phase.seats if role not in phase.quick_seats}
    return any(True for _ in _failures(snapshot, votes, skipped))


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


def _issue_route(policy: Policy, snapshot: Snapshot, issue: Issue, failed_at: str | None) -> IssueRoute:
    spent = spent_by(snapshot, issue)
    since = spent_at(snapshot, issue)
    counted = [label for label in issue.labels if _in_time(label, issue, failed_at) and _set_since(label, issue, since)]
    labels = counted if spent is None else []
    match = _match(policy, issue, labels)
    return IssueRoute(
        number=issue.number,
        url=issue.url,
        type=match.type.name,
        source=match.source,
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
    added = _last_added(label, issue.label_events)
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
    added = _last_added(label, issue.label_events)
    return added is not None and added.at < failed_at


def _set_since(label: str, issue: Issue, moment: str) -> bool:
    """Whether a label was set for this work, not for what closed the issue before."""
    added = _last_added(label, issue.label_events)
    return not moment or (added is not None and added.at > moment)


def _last_added(name: str, events: tuple[NameEvent, ...]) -> NameEvent | None:
    return next((event for event in reversed(events) if event.action == "added" and same_name(event.name, name)), None)


def _late_labels(policy: Policy, issue: Issue, failed_at: str | None) -> Iterator[Problem]:
    lowering = [label for kind in policy.issue.types if not kind.qa_required for label in kind.labels]
    for label in issue.labels:
        if _is_any(label, (*lowering, *policy.issue.quick_labels)) and not _in_time(label, issue, failed_at):
            message = f'label "{label}" of #{issue.number} arrived after QA had failed, so it lowers nothing'
            yield problem("PG403", message, Where(url=issue.url))


def _spent(routes: tuple[IssueRoute, ...]) -> Iterator[Problem]:
    for route in routes:
        if route.spent_by is not None:
            message = f"#{route.number} was closed by {route.spent_by}: it lowers nothing and lends no plan"
            yield problem("PG404", message, Where(url=route.url))


def _foreign(snapshot: Snapshot) -> Iterator[Problem]:
    counted = linked_issues(snapshot)
    for issue in snapshot.issues:
        if issue not in counted:
            message = f"{issue.repository}#{issue.number} is of another repository and decides nothing here"
            yield problem("PG402", message, Where(url=issue.url))


def spent_at(snapshot: Snapshot, issue: Issue) -> str:
    """When another pull request last closed the issue; what is older than that was for that one."""
    return max((item.merged_at for item in _others(snapshot, issue)), default="")


def spent_by(snapshot: Snapshot, issue: Issue) -> str | None:
    """The pull request that an issue stands for, unless it was opened again."""
    others = _others(snapshot, issue)
    return f"#{others[-1].number}" if others and issue.state == "closed" else None


def _others(snapshot: Snapshot, issue: Issue) -> tuple[ClosingPullRequest, ...]:
    own = (snapshot.repository.name.lower(), snapshot.pull_request.number)
    return tuple(item for item in issue.closed_by if (item.repository.lower(), item.number) != own)
