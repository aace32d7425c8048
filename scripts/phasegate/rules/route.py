"""What a pull request must pass: its issues' types, QA, the quick route; or nothing if it is exempt (6).

Of several issues the strictest counts. A label set after a failing QA verdict does not lower the requirements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.report import IssueRoute, Route, Told, TypeSource
from phasegate.model.signal import APPROVE, ASKS, INVALID, Asks, Kind, Outcome, Place, Source, Validity, Vote
from phasegate.model.snapshot import RETARGETED, RecordedVote, Snapshot
from phasegate.model.texts import Actor, ClosingPullRequest, Issue, NameEvent
from phasegate.policy.model import Exempt, IssueType, Policy
from phasegate.rules.accounts import Row, Speaker, first, is_author, same_name
from phasegate.rules.binding import Timeline, short

if TYPE_CHECKING:
    from phasegate.rules.ledger import Ledger

ANEW = ("force_push", "branch_creation")  # pushes that may replace everything before them
OUTSIDE = ((False, "not among its paths"), (True, "never exempt"))
UNLISTED = "GitHub does not list every changed file"
UNLINKED = "GitHub does not list every file that agents may take orders from"
MOST_NAMED = 2  # files in the way that are named; the others are counted


class Lowering(Speaker):
    """Who set or removed a label, type or link of an issue. ``freely``: it sets a type, and not the quick route."""

    def __init__(self, asked: Asked, event: NameEvent | None, issue: int = 0, *, freely: bool = False) -> None:
        at, actor = ("", None) if event is None else (event.at, event.actor)
        super().__init__(asked.ledger.accounts, Source(id="", number=0, url="", place=Place.ISSUE, author=actor, at=at))
        self.came_with_it: bool = freely and event is not None and at < asked.snapshot.pull_request.created_at
        self.approved: bool = freely and any(each > at for each in asked.approved.get(issue, ()))
        if self.bot:  # an app does what somebody asks of it, and nobody can tell who
            self.permission = "no"


# 4.11: why an account cannot lower the requirements: the first row that holds.
LOWERING: tuple[Row[Lowering], ...] = (
    ("unknown", "PG407", lambda who: who.author is None, "by an unknown account"),
    ("author", "PG407", lambda who: who.opened and not who.approved and not who.policy.issue.author_may_lower,
     "by {0.login}, who opened this pull request"),
    ("agent", "PG407", lambda who: not who.came_with_it and not who.opened and who.is_agent,
     "by {0.login}, who speaks as an agent here"),
    ("triage", "PG407", lambda who: not who.came_with_it and who.lacks("triage"),
     "by {0.login}, who has {0.permission} permission, but triage is needed"),
)  # fmt: skip


class Asked:
    """What a pull request must pass: its issues, without changes by people who may not lower it, and what was said."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.policy, self.snapshot, self.votes = ledger, ledger.policy, ledger.snapshot, ledger.votes
        self.types, phases = self.policy.issue.types, self.policy.phases
        self.approved: dict[int | None, list[str]] = {}  # when others than the author approved the plan of an issue
        for act in ledger.acts:
            approves = act.counts and act.command.verb == APPROVE and act.source.place is Place.ISSUE
            if approves and not is_author(self.snapshot, act.source.author):
                self.approved.setdefault(act.source.issue, []).append(act.source.at)
        judging = {role for phase in phases if phase.by_issue_type for role in phase.seats}
        self.failed_at = min(_failures(self.snapshot, self.votes, judging), default=None)  # whatever became of it since
        self.left_out = {role for phase in phases for role in phase.seats if role not in phase.quick_seats}
        roles = {role for phase in phases for role in (*phase.every_seat, *phase.workers)}
        self.qa = tuple(vote for vote in asking(self.votes, Asks.QA) if vote.role in roles)
        self.qa_gone = any(True for _ in asked_and_gone(self.snapshot, self.votes, Asks.QA))
        self.linked = [self.route(issue, self.failed_at) for issue in self.snapshot.own_issues]
        self.held = tuple(_still_required(self))

    def asks_for_qa(self, issue: int) -> bool:
        """True if anything said about this issue, or about all, asks for QA."""
        return self.qa_gone or any(vote.source.issue in (None, issue) for vote in self.qa)

    def is_wrong(self, issue: int) -> bool:
        """True if the issue has an invalid plan, file or word, which the quick route would otherwise hide.

        A badly formed verdict is forgiven once its account gave a valid one, if it fails nothing and nobody else
        touched it.
        """
        skipped = (phase for phase in self.policy.phases if phase.enabled and not phase.quick_seats)
        makers = {role for phase in skipped if phase.where is Place.ISSUE for role in phase.workers}
        for vote in self.votes:
            source = vote.source
            wrong = vote.validity is Validity.INVALID and source.latest and vote.role in makers | self.left_out
            written = vote.signal.kind is Kind.VERDICT and not source.pushed and source.tampered_by is None
            good = written and not vote.failed and spoke_validly_since(vote, self.votes)
            if wrong and source.issue in (None, issue) and not good:
                return True
        return False

    def _labelled(self, label: str) -> bool | None:
        """True if the label is of a type that requires QA, False if only of other types, None if of no type."""
        return _requires_qa(kind for kind in self.types if _is_any(label, kind.labels))

    def _typed(self, native: str) -> bool | None:
        return _requires_qa(kind for kind in self.types if _is_any(native, (kind.name, *kind.labels)))

    def _without_lowering(self, issue: Issue) -> tuple[Issue, list[tuple[str, Problem]]]:
        """An issue without the changes that ask for less, where their author may not lower; and the refused changes."""
        refused: list[tuple[str, Problem]] = []
        strict = any(kind.qa_required for kind in self.types)

        def may_not(event: NameEvent | None, name: str, done: str, *, freely: bool = False) -> bool:
            why = first(LOWERING, Lowering(self, event, issue.number, freely=freely))
            if why is not None:
                message = f'"{name}" of #{issue.number} was {done} {why.reason}, so it does not count'
                refused.append((name, problem(why.code, message, Where(url=issue.url))))
            return why is not None

        def counts(label: str) -> bool:
            quick = is_labelled_quick(self.policy, (label,))  # it always takes a right to set one
            lower = quick or (strict and self._labelled(label) is False)
            return not lower or not may_not(_last_set(label, issue.label_events), label, "set", freely=not quick)

        labels = [label for label in issue.labels if counts(label)]
        gone = [event for event in _gone(issue.label_events, issue.labels) if self._labelled(event.name)]
        labels += [event.name for event in gone if may_not(event, event.name, "removed")]
        native = issue.type
        if native is not None and strict and self._typed(native) is False:
            native = None if may_not(_last_set(native, issue.type_events), native, "set", freely=True) else native
        were = [event for event in _gone(issue.type_events, (native or "",)) if self._typed(event.name)]
        held = next((event.name for event in were if may_not(event, event.name, "removed")), native)
        return replace(issue, labels=tuple(labels), type=held), refused

    def done_again(self, actor: Actor, at: str) -> Iterator[tuple[Snapshot, NameEvent, Issue, Problem]]:
        """Each refused change, as if an entitled account had made it at this time."""
        snapshot = self.snapshot
        for issue in snapshot.own_issues:
            for name, why in self._without_lowering(issue)[1]:
                labelled = _is_any(name, (*issue.labels, *(event.name for event in issue.label_events)))
                there = _is_any(name, (*issue.labels, issue.type or ""))
                own = NameEvent(name=name, action="added" if there else "removed", at=at, actor=actor)
                changed = replace(issue, type_events=(*issue.type_events, own))
                changed = replace(issue, label_events=(*issue.label_events, own)) if labelled else changed
                issues = tuple(changed if each is issue else each for each in snapshot.issues)
                yield replace(snapshot, issues=issues), own, issue, why
        for _, why in self.held:
            for issue, event in _unlinked(snapshot):
                if issue.number and event is not None:
                    own = replace(event, at=at, actor=actor)
                    pull_request = replace(snapshot.pull_request, links=(*snapshot.pull_request.links, own))
                    yield replace(snapshot, pull_request=pull_request), own, issue, why

    def route(self, given: Issue, failed_at: str | None) -> tuple[IssueRoute, tuple[Problem, ...]]:
        """The route that an issue asks for. Lowering counts if made in time, for this work, by an entitled account."""
        issue, refused = self._without_lowering(given)
        others, since = _others(self.snapshot, issue), spent_at(self.snapshot, issue)
        spent = f"#{others[-1].number}" if others and issue.state == "closed" else None

        def counts(label: str) -> bool:
            own = spent is None and _set_since(label, issue.label_events, since)
            return bool(self._labelled(label)) or (own and _in_time(label, issue, failed_at))

        labels, native = [label for label in issue.labels if counts(label)], issue.type
        if native is not None and not self._typed(native):
            native = native if spent is None and _set_since(native, issue.type_events, since) else None
        by_default = TypeSource(told=Told.DEFAULT, issue=issue.number, name=refused[0][0] if refused else "")
        matches = _matches(self.policy, replace(issue, type=native), labels)
        default = (self.policy.issue.default_type, by_default)
        kind, source = max(matches, key=lambda match: match[0].qa_required, default=default)
        quick = is_labelled_quick(self.policy, labels)
        told = {"type": kind.name, "source": source, "qa_required": kind.qa_required, "quick": quick}
        found = IssueRoute(number=issue.number, url=issue.url, spent_by=spent, **told)  # type: ignore[arg-type]
        return found, tuple(item for _, item in refused)


def _still_required(asked: Asked) -> Iterator[tuple[IssueRoute, Problem]]:
    """Unlinked issues that require more than the linked ones and were not unlinked by an entitled account."""
    routes = [route for route, _ in asked.linked]
    for issue, event in _unlinked(asked.snapshot):
        why = first(LOWERING, Lowering(asked, event))
        route, _ = asked.route(replace(issue, closed_by=()), None)
        needs_qa = route.qa_required and not any(other.qa_required for other in routes)
        more = needs_qa or (not route.quick and any(other.quick for other in routes))
        if why is not None and more:
            who = None if event is None or event.actor is None else event.actor.login
            source = TypeSource(told=Told.UNLINKED, issue=issue.number, set_by=who)
            what = f"#{issue.number} requires more and was unlinked" if issue.number else "an earlier link was removed"
            message = f"{what} {why.reason}; its requirements still apply"
            yield replace(route, source=source), problem("PG408", message, Where(url=issue.url))


def _unlinked(snapshot: Snapshot) -> Iterator[tuple[Issue, NameEvent | None]]:
    """Issues that were linked once and no longer are, each with the last event that unlinked it, if known."""
    pull_request, own = snapshot.pull_request, snapshot.repository.name
    present = {issue.number for issue in snapshot.own_issues}
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


# Why an issue labelled for the quick route does not take it: no label silences an objection (6.7).
NOT_QUICK: tuple[tuple[str, Callable[[Asked, int], bool]], ...] = (
    ("failed", lambda asked, _: any(True for _ in _failures(asked.snapshot, asked.votes, asked.left_out))),
    ("unlinked", lambda asked, _: any(not route.quick for route, _ in asked.held)),
    ("wrong", lambda asked, issue: asked.is_wrong(issue)),
    ("asked", lambda asked, issue: asked.asks_for_qa(issue)),
)


def find_route(ledger: Ledger) -> Route:
    """The route that the linked issues ask for."""
    asked, default = Asked(ledger), ledger.policy.issue.default_type
    problems, held = tuple(_problems(asked)), [route for route, _ in asked.held]
    holds, routes = any(route.qa_required for route in held), list[IssueRoute]()
    for route, _ in asked.linked:  # as it is after all that was said about its issue
        quick = route.quick and not any(row(asked, route.number) for _, row in NOT_QUICK)
        qa_required = route.qa_required or asked.asks_for_qa(route.number)
        routes.append(replace(route, quick=quick, qa_required=qa_required))
    if not routes:
        more = default.qa_required or bool(asked.qa) or holds or asked.qa_gone
        source = TypeSource(told=Told.NO_ISSUE)
        return Route(issues=(), type=default.name, source=source, qa_required=more, quick=False, problems=problems)
    judging = [route for route in routes if not route.quick] or routes  # a quick one asks for nothing beside others
    strictest = max((*judging, *held), key=lambda route: (not route.quick, route.qa_required))
    return Route(
        issues=tuple(routes),
        type=strictest.type,
        source=strictest.source,
        qa_required=any(route.qa_required for route in judging) or asked.failed_at is not None or holds,
        qa_asked_by=next((vote.role or "" for vote in asked.qa), ""),
        quick=all(route.quick for route in routes),
        qa_failed=asked.failed_at is not None and not strictest.qa_required,
        problems=problems,
    )


def _problems(asked: Asked) -> Iterator[Problem]:
    """What is wrong with the linked issues, their labels and types, and removed links."""
    snapshot, rules = asked.snapshot, asked.policy.issue
    for issue in (issue for issue in snapshot.issues if issue not in snapshot.own_issues):
        message = f"{issue.repository}#{issue.number} belongs to another repository and does not count here"
        yield problem("PG402", message, Where(url=issue.url))
    for route in (route for route, _ in asked.linked if route.spent_by is not None):
        message = f"#{route.number} was closed by {route.spent_by}: neither its plan nor its labels count here"
        yield problem("PG404", message, Where(url=route.url))
    lowering = [*rules.quick_labels, *(label for kind in rules.types if not kind.qa_required for label in kind.labels)]
    for issue, label in ((each, label) for each in snapshot.own_issues for label in each.labels):
        if _is_any(label, lowering) and not _in_time(label, issue, asked.failed_at):
            message = f'label "{label}" of #{issue.number} was set after QA had failed, so it does not count'
            yield problem("PG403", message, Where(url=issue.url))
    yield from (item for _, problems in asked.linked for item in problems)
    yield from (item for _, item in asked.held)
    if not asked.linked and rules.required:
        yield problem("PG401", "no issue is linked to this pull request", Where(url=snapshot.pull_request.url))


def is_labelled_quick(policy: Policy, labels: Iterable[str]) -> bool:
    """True if a label asks for the quick route."""
    return any(_is_any(label, policy.issue.quick_labels) for label in labels)


def _requires_qa(kinds: Iterable[IssueType]) -> bool | None:
    required = [kind.qa_required for kind in kinds]
    return any(required) if required else None


def _is_any(name: str, names: Iterable[str]) -> bool:
    return any(same_name(name, other) for other in names)


def _matches(policy: Policy, issue: Issue, labels: list[str]) -> Iterator[tuple[IssueType, TypeSource]]:
    """The matching types, in the policy's order, each with its source: a label and who set it, or the issue type."""
    for kind in policy.issue.types:
        label = next((label for label in labels if _is_any(label, kind.labels)), None)
        if label is not None:
            events = (event for event in reversed(issue.label_events) if event.action == "added")
            added = next((event for event in events if same_name(event.name, label)), None)
            at, by = (None, None) if added is None else (added.at, None if added.actor is None else added.actor.login)
            yield kind, TypeSource(told=Told.LABEL, name=label, issue=issue.number, set_by=by, set_at=at)
        elif issue.type is not None and _is_any(issue.type, (kind.name, *kind.labels)):
            yield kind, TypeSource(told=Told.ISSUE_TYPE, name=issue.type, issue=issue.number)


def _gone(events: tuple[NameEvent, ...], present: tuple[str, ...]) -> Iterator[NameEvent]:
    """The last removal of each missing name. The actor is None if no event shows it.

    A label can be deleted or renamed as a whole.
    """
    last = {event.name.lower(): event for event in sorted(events, key=lambda event: event.at)}
    for event in last.values():
        if not _is_any(event.name, present):
            yield event if event.action == "removed" else replace(event, action="removed", actor=None)


def _last_set(name: str, events: tuple[NameEvent, ...]) -> NameEvent | None:
    """The event that set a present label, or None if the last known event removed it."""
    last = next((event for event in reversed(events) if same_name(event.name, name)), None)
    return last if last is not None and last.action == "added" else None


def _in_time(label: str, issue: Issue, failed_at: str | None) -> bool:
    """True if a label was there before QA first failed. Without a known time it was not."""
    added = _last_set(label, issue.label_events)
    return failed_at is None or (added is not None and added.at < failed_at)


def _set_since(name: str, events: tuple[NameEvent, ...], moment: str) -> bool:
    """True if a label or type was set for this work, not before an earlier pull request closed the issue."""
    added = _last_set(name, events)
    return not moment or (added is not None and added.at > moment)


def spent_at(snapshot: Snapshot, issue: Issue) -> str:
    """When another pull request last closed the issue, or "". Anything older belongs to that one."""
    return max((item.merged_at for item in _others(snapshot, issue)), default="")


def _others(snapshot: Snapshot, issue: Issue) -> tuple[ClosingPullRequest, ...]:
    own = (snapshot.repository.name.lower(), snapshot.pull_request.number)
    return tuple(item for item in issue.closed_by if (item.repository.lower(), item.number) != own)


def _failures(snapshot: Snapshot, votes: Sequence[Vote], roles: set[str]) -> Iterator[str]:
    """Times of everything but PASS from these roles: present, in the edit history, and on record."""
    for vote in votes:
        objects = vote.heard and vote.outcome in (Outcome.FAIL, None)
        if vote.role in roles and vote.signal.kind is Kind.VERDICT and objects and not is_corrected(vote, votes):
            yield vote.source.at
    for seen in snapshot.record.signals:
        if seen.role in roles and not seen.outcome.startswith(ASKS):
            own = [vote for vote in votes if (vote.source.id, vote.role) == (seen.source, seen.role)]
            made = all(is_corrected(vote, votes) for vote in own) if own else _spoke_since(seen, votes)
            if seen.outcome != INVALID or not made:
                yield seen.at


def _valid(votes: Sequence[Vote], role: str | None, account: int | None) -> Iterator[Source]:
    """Sources of an account's valid words for a role."""
    said = (vote.source for vote in votes if vote.validity is Validity.VALID and vote.role == role)
    return (source for source in said if source.author is not None and source.author.id == account)


def _spoke_since(seen: RecordedVote, votes: Sequence[Vote]) -> bool:
    """True if the account of a recorded word gave a valid one for the same role later."""
    return any(source.at > seen.at for source in _valid(votes, seen.role, seen.account))


def spoke_validly_since(vote: Vote, votes: Sequence[Vote]) -> bool:
    """True if the account of a word gave a valid one for the same role later."""
    own = vote.source
    return own.author is not None and any(each.is_after(own) for each in _valid(votes, vote.role, own.author.id))


def is_corrected(vote: Vote, votes: Sequence[Vote]) -> bool:
    """True if a vote passes, or is a slip that objects to nothing and whose account gave a valid word later."""
    if vote.outcome is Outcome.PASS and vote.validity is Validity.VALID:
        return True
    own_pass = vote.outcome is Outcome.PASS and vote.source.tampered_by is None
    slip = (vote.outcome is None or own_pass) and not vote.signal.objects
    return slip and spoke_validly_since(vote, votes)


def asking(votes: Iterable[Vote], what: Asks) -> tuple[Vote, ...]:
    """The latest votes that ask for this. Only their author takes it back, with a new text and not by an edit."""
    heard = [vote for vote in votes if vote.heard]
    if not any(what in vote.signal.asks for vote in heard):
        return ()
    latest = {whose(vote): vote.source.id for vote in heard if vote.validity is not Validity.EDITED_AWAY}
    own = (vote for vote in heard if latest.get(whose(vote)) == vote.source.id)
    return tuple(vote for vote in own if what in vote.signal.asks)


def whose(vote: Vote) -> tuple[object, ...]:
    """The role, place and account of a vote."""
    source = vote.source
    return (vote.role, source.place, source.issue, source.account)


def asked_and_gone(snapshot: Snapshot, votes: Sequence[Vote], what: Asks) -> Iterator[str]:
    """Roles that asked for this in a removed text and did not speak again from that account."""
    asked = [seen for seen in snapshot.record.signals if seen.outcome == f"{ASKS}{what.value}"]
    there = {(vote.place, vote.role) for vote in votes if vote.heard} if asked else set()
    gone = (seen for seen in asked if (seen.source, seen.role) not in there)
    yield from (seen.role for seen in gone if not _spoke_since(seen, votes))


# ---- exemptions, and near misses


def exemption(ledger: Ledger) -> str:
    """Why the pull request needs no phase, or "" if it does."""
    policy, snapshot, timeline = ledger.policy, ledger.snapshot, ledger.timeline
    for item in policy.exempt:
        pushed = not item.authors or pushed_alone(item, snapshot, timeline)
        if pushed and (not item.paths or changes_only(item, policy, snapshot)):
            return item.reason
    return ""


def pushed_alone(item: Exempt, snapshot: Snapshot, timeline: Timeline) -> bool:
    """True if one of the accounts opened the pull request and pushed all its content, by a complete log.

    Towards another base the same pushes bring in something else, so whoever changed the base had a part in it.
    """
    return _is_by(item, snapshot) and timeline.complete and not any(True for _ in _pushed_by_others(snapshot, timeline))


def changes_only(item: Exempt, policy: Policy, snapshot: Snapshot) -> bool:
    """True if the list of changed files is complete and all of them are among the paths."""
    known = snapshot.files.complete and snapshot.instruction_links_complete
    return known and item.covers(snapshot.files.paths, policy.instructions, snapshot.steering)


def missed_exemption(ledger: Ledger) -> Problem | None:
    """Why a pull request just misses an exemption, or None if nobody would expect one.

    People may expect one if at least half of the changed files are among the paths, even if some are never exempt.
    """
    policy, snapshot, timeline = ledger.policy, ledger.snapshot, ledger.timeline
    changed, complete = snapshot.files.paths, snapshot.files.complete and snapshot.instruction_links_complete
    for item in policy.exempt:
        mostly = bool(changed) and 2 * sum(map(item.names, changed)) >= len(changed)
        if not (_is_by(item, snapshot) if item.authors else mostly):
            continue
        why: list[str] = []
        if item.authors and not pushed_alone(item, snapshot, timeline):
            unknown = ["the log of pushes does not show who pushed"]
            why += [*_pushed_by_others(snapshot, timeline)][:1] if timeline.complete else unknown
        outside = [path for path in changed if not item.covers((path,), policy.instructions, snapshot.steering)]
        if item.paths and not changes_only(item, policy, snapshot):
            found = {told: [path for path in outside if item.names(path) is never] for never, told in OUTSIDE}
            why += [_listed(paths, told) for told, paths in found.items() if paths and complete]
            unlisted = UNLINKED if snapshot.files.complete else UNLISTED
            why += [] if complete and changed else ["it changes no file" if complete else unlisted]
        back = item.covers([path for path in changed if path not in outside], policy.instructions, snapshot.steering)
        it = "it" if len(outside) == 1 else "them"
        hint = f"Take {it} out to be exempt again, or let the phases judge it." if complete and outside and back else ""
        message = f"not exempt ({item.reason}): {' and '.join(why)}"
        return problem("PG413", message, Where(url=snapshot.pull_request.url), hint=hint)
    return None


def _listed(paths: list[str], told: str) -> str:
    more = f" and {len(paths) - MOST_NAMED} more" if paths[MOST_NAMED:] else ""
    return f"{', '.join(paths[:MOST_NAMED])}{more} {'is' if len(paths) == 1 else 'are'} {told}"


def _is_by(item: Exempt, snapshot: Snapshot) -> bool:
    author = snapshot.pull_request.author
    return author is not None and author.id in {each.id for each in item.authors}


def _pushed_by_others(snapshot: Snapshot, timeline: Timeline) -> Iterator[str]:
    """What others pushed that is still there, and their changes of the base.

    Content that the author pushed stays the author's, even if somebody merges the base into it. The author's pushes on
    top of others' pushes count as the others', unless they replace them (``@dependabot recreate``).
    """
    pull = snapshot.pull_request
    author = None if pull.author is None else pull.author.id
    own, theirs = set[str](), list[str]()
    for move in snapshot.ref_log.moves:
        content, by = timeline.content(move.after), move.actor
        mine = by is not None and by.id == author is not None
        if mine and (not theirs or move.kind in ANEW):
            own.add(content)
        if content in own:
            theirs.clear()
        else:
            theirs.append(f"{'somebody' if by is None else by.login} pushed {short(move.after)}")
    yield from theirs[:1]
    for by in (change.actor for change in pull.base_changes):
        if by is None or by.id != author:
            yield f"{'somebody' if by is None else by.login} changed its base"
