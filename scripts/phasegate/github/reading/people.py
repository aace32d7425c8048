"""People: the present permission of each account that spoke."""

from __future__ import annotations

import html
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from phasegate.github.client.answers import GitHubError, MissingError, MovedError, RefusedError, Task
from phasegate.github.client.client import Client
from phasegate.github.reading.conversation import MOST_COUNTED, counted, edits_of, every_event
from phasegate.github.reading.nodes import DELETED_COMMENTS, JSON, LABELS, TYPES, Form, actor, happened
from phasegate.github.reading.opening import Opening, Target, issue_of
from phasegate.github.reading.queries import FORMER_ISSUE, place
from phasegate.model.frozen import dataclass
from phasegate.model.plan import WRITING, ApprovalPlace
from phasegate.model.snapshot import DispatchApproval
from phasegate.model.texts import Actor, Edit, Issue, NameEvent, Person, Team
from phasegate.reading.markdown.walk import shown_text

MOST_TEAMS = 20
NAMED_ROLES = ("admin", "maintain", "write", "triage", "read", "none")


def lookups(client: Client, repository: str, accounts: Iterable[Actor | None]) -> dict[int, Task]:
    """One look-up for each account of type User, by account id."""
    return {
        account.id: partial(_lookup, client, repository, account)
        for account in accounts
        if account is not None and account.type == "User" and account.id is not None
    }


def team_lookups(client: Client, slugs: Sequence[str]) -> dict[Hashable, Task]:
    """One look-up for each team in the policy."""
    return {("team", slug): partial(_team, client, slug) for slug in slugs[:MOST_TEAMS]}


def _team(client: Client, slug: str) -> Team:
    """A team. Without read access its members do not count."""
    organisation, _, name = (quote(part, safe="") for part in slug.partition("/"))
    try:
        members = client.pages(f"/orgs/{organisation}/teams/{name}/members", per_page=100)
    except (MissingError, RefusedError):
        return Team(slug=slug, readable=False)
    return Team(slug=slug, readable=True, members=tuple(sorted(member["id"] for member in members)))


def _lookup(client: Client, repository: str, account: Actor) -> Person | None:
    """The person, or None if the login belongs to nobody.

    If it now belongs to another account, somebody was renamed meanwhile, whose words must not count as a stranger's.
    """
    answer = client.find(f"/repos/{repository}/collaborators/{quote(account.login, safe='')}/permission")
    if answer is None:
        return None
    user, role, permission = answer.get("user") or {}, answer.get("role_name"), answer["permission"]
    if permission not in NAMED_ROLES:
        raise GitHubError(f"GitHub tells the permission of {account.login} in a way that it does not document")
    if user.get("id") != account.id:
        if user or permission in WRITING:
            raise MovedError(f"GitHub knows another account by the name {account.login}")
        return None
    if type(user["type"]) is not str or type(role) not in (str, type(None)):
        raise TypeError("a person without a type, or with a role that is none")
    return Person(
        login=account.login,
        id=user["id"],
        type=user["type"],
        permission=role if role in NAMED_ROLES else permission,
        role_name=role,
    )


MOST_RUNS = 20
APPROVAL = Form(
    DispatchApproval, "event", run="id", url="html_url", workflow="path", ref="head_branch?", at="created_at"
)
TITLE = re.compile(r"phase-gate approve ([a-z][a-z0-9-]{0,31}) #([1-9][0-9]{0,9}) ([0-9a-f]{40})", re.ASCII)


def dispatch_approvals(client: Client, target: Target, place: ApprovalPlace, since: str) -> list[DispatchApproval]:
    """Approvals of this pull request among the workflow's runs since the opening, newest first."""
    root = f"{target.root}/actions"
    path = f"{root}/workflows/{place.workflow.rpartition('/')[2]}/runs"
    try:
        runs, total = counted(client, path, "workflow_runs", event="workflow_dispatch", created=f">={since}")
    except MissingError:
        return []
    if len(runs) < min(total, MOST_COUNTED):
        raise MovedError(f"GET {path}: {len(runs)} of {total} runs were listed")
    titled = ((run, TITLE.fullmatch(run["display_title"])) for run in runs)
    mine = [(run, title) for run, title in titled if title and int(title[2]) == target.number][:MOST_RUNS]
    tasks = {run["id"]: partial(client.pages, f"{root}/runs/{run['id']}/approvals") for run, _ in mine}
    reviews = client.together(tasks)
    return [
        APPROVAL(
            run,
            phase=title[1],
            commit=title[3],
            environment=place.environment,
            approved_by=person,
            comment=given["comment"] or "",
        )
        for run, title in mine
        for given in reviews[run["id"]]
        if given["state"] == "approved" and (person := actor(given["user"])) is not None
        if place.environment in [environment["name"] for environment in given["environments"]]
    ]


MOST_FORMER = 20
FORMER = "former"
ADDED, REMOVED = "added", "removed"
_CLOSING = r"(?<![a-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?![a-z0-9])"
_PLACE = r"(?:https?://[^/\s]{1,200}/(?P<path>[\w.-]{1,100}/[\w.-]{1,100})/issues/|(?P<name>[\w.-]{1,100}/[\w.-]{1,100})#|#|GH-)"
# Emphasis and brackets may stand between: GitHub reads the words as they are shown.
_CLOSES = re.compile(
    rf"{_CLOSING}[*_~]{{0,3}}:?[*_~]{{0,3}}\s{{1,20}}[*_~\[<]{{0,4}}{_PLACE}(?P<number>[0-9]{{1,9}})(?![a-z0-9])",
    re.ASCII | re.IGNORECASE,
)
# Tags inside of a line and signs of escape, which a page does not show.
_UNSEEN = re.compile(r"</?[a-z][a-z0-9-]{0,20}(?:[ \t][^<>]{0,200})?/?>|\\(?=[!-/:-@\[-`{-~\n])", re.IGNORECASE)
# What may link, or set off what would: a line without any of it changes links only where it changes what is shown.
_TELLING = re.compile(rf"{_CLOSING}|#\d|\bGH-\d|/issues/|[`<>&\\]", re.ASCII | re.IGNORECASE)


def closed_issues(text: str, repository: str) -> dict[str, None]:
    """The issues that a description closes, as ``owner/name#number``, in order."""
    shown = shown_text(text)
    seen = (html.unescape(_UNSEEN.sub(instead, shown)) for instead in ("", " "))
    found = _CLOSES.finditer("\n".join((shown, *(" ".join(words.split()) for words in seen))))
    names = ((match["path"] or match["name"] or repository, match["number"]) for match in found)
    return dict.fromkeys(f"{name.lower()}#{int(number)}" for name, number in names)


@dataclass(frozen=True, kw_only=True, slots=True)
class Links:
    """When issues were linked and unlinked, oldest first. An event has no name if an old text is gone."""

    events: tuple[NameEvent, ...]
    changed_at: str | None

    @staticmethod
    def of(opened: Opening, events: list[JSON], versions: Mapping[str, JSON]) -> Links:
        """The links of a pull request, by its timeline and, if edited, the versions of its description."""
        repository = opened.repository["nameWithOwner"]
        history = _history(opened.pull, versions.get(opened.pull["id"]))
        found = sorted((*_by_hand(events), *_by_description(history, repository)), key=lambda event: event.at)
        by_hand = (event.at for event in _by_hand(events))
        told = ((_telling(edit.text, repository), edit.at) for edit in history)
        by_words = (at for (before, _), (after, at) in pairwise(told) if before is None or before != after)
        return Links(events=tuple(found), changed_at=max((*by_hand, *by_words), default=None))

    def changers(self, results: Mapping[Hashable, Any]) -> Iterator[Actor]:
        """Who removed links, or changed labels and types of issues that are or were linked.

        Adding a link lowers nothing, unless the earlier links are unknown.
        """
        lost = any(not event.name for event in self.events)
        found = [event for event in self.events if lost or event.action == REMOVED]
        for key, value in results.items():
            kind = key[0] if isinstance(key, tuple) else None
            if kind == "issue":
                found += happened(value, (*LABELS, *TYPES))
            elif kind == FORMER and value is not None:
                found += [*value.label_events, *value.type_events]
        yield from (event.actor for event in found if event.actor is not None)

    def former_tasks(self, client: Client, opened: Opening) -> dict[Hashable, Task]:
        """Requests for issues of this repository that were linked once and no longer are."""
        own = opened.repository["nameWithOwner"].lower()
        present = {issue["number"] for issue in opened.own_issues}
        names = dict.fromkeys(event.name.rpartition("#") for event in self.events)
        numbers = [int(number) for name, _, number in names if name == own and int(number) not in present]
        if len(numbers) > MOST_FORMER:
            named = f"#{opened.target.number} was linked to {len(numbers)} other issues"
            raise GitHubError(f"{named}; at most {MOST_FORMER} are read")
        return {(FORMER, number): partial(_former, client, opened, number) for number in numbers}


def _by_hand(events: list[JSON]) -> Iterator[NameEvent]:
    actions = {"ConnectedEvent": ADDED, "DisconnectedEvent": REMOVED}
    for event in (event for event in events if event["__typename"] in actions):
        ends = [end for end in (event["source"], event["subject"]) if end and end["__typename"] == "Issue"]
        for name in [f"{end['repository']['nameWithOwner'].lower()}#{end['number']}" for end in ends] or [""]:
            action = actions[event["__typename"]]
            yield NameEvent(name=name, action=action, at=event["createdAt"], actor=actor(event["actor"]))


def _by_description(history: tuple[Edit, ...], repository: str) -> Iterator[NameEvent]:
    last: dict[str, None] = {}
    for before, each in zip((None, *history), history, strict=False):
        if before is not None and before.text is None:
            yield NameEvent(name="", action=REMOVED, at=each.at, actor=each.editor)
        if each.text is not None:
            new = closed_issues(each.text, repository)
            for name in (name for name in (*last, *new) if name not in last or name not in new):
                yield NameEvent(name=name, action=REMOVED if name in last else ADDED, at=each.at, actor=each.editor)
            last = new


def _history(pull: JSON, versions: JSON | None) -> tuple[Edit, ...]:
    """The versions of the description, oldest first; one without a text if GitHub lacks some."""
    author = actor(pull["author"])
    if versions is None:
        return (Edit(at=pull["createdAt"], editor=author, text=pull["body"]),)
    found, whole = edits_of(versions)
    lost = () if whole else (Edit(at=pull["createdAt"], editor=author),)
    present = Edit(at=pull["lastEditedAt"], editor=found[-1].editor if found else None, text=pull["body"])
    return (*lost, *found) if found and found[-1].text == pull["body"] else (*lost, *found, present)


def _telling(text: str | None, repository: str) -> tuple[str, ...] | None:
    """The issues that a text closes and the lines that may link; None for a lost text."""
    if text is None:
        return None
    return (*closed_issues(text, repository), *filter(_TELLING.search, text.split("\n")))


def _former(client: Client, opened: Opening, number: int) -> Issue | None:
    """An issue with its labels, None if it never existed, or only its number if it is gone."""
    name, root = opened.repository["nameWithOwner"], opened.target.root
    try:
        found = client.find(f"{root}/issues/{number}")
    except GitHubError:  # it was moved to another repository, or deleted
        url = f"{opened.repository['url']}/issues/{number}"
        return Issue(repository=name, number=number, url=url, events_complete=False)
    if found is None or "pull_request" in found:
        return None
    told = client.graphql("FormerIssue", FORMER_ISSUE, {**place(opened.target.repository), "number": number})
    node = told["repository"]["issue"]
    return issue_of(node, every_event(client, "MoreIssueEvents", node), ())


def tidied(issues: Sequence[list[JSON]], pull_request: list[JSON]) -> Iterator[Actor | None]:
    """Authors of comments deleted from issues, and accounts that deleted somebody else's, by the events of each."""
    yield from (trace.author for events in issues for trace in happened(events, DELETED_COMMENTS))
    for events in (*issues, pull_request):
        yield from (trace.actor for trace in happened(events, DELETED_COMMENTS) if trace.actor != trace.author)


def acted(opened: Opening) -> Iterator[Actor | None]:
    """Everybody who linked, labelled or deleted something, as known from the first trip."""
    places = (opened.pull, *opened.own_issues)
    mine, *issues = ([node for node in each["timelineItems"]["nodes"] if node is not None] for each in places)
    yield from tidied(issues, mine)
    yield from Links.of(opened, mine, {}).changers({("issue", n): each for n, each in enumerate(issues)})
