"""People: what each account that spoke may do in the repository now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

from phasegate.github.client.answers import MissingError, MovedError, RefusedError
from phasegate.github.client.client import Client
from phasegate.github.reading.nodes import rest_actor
from phasegate.github.reading.opening import Target
from phasegate.model.actors import Actor, Person, Team
from phasegate.model.plan import ApprovalPlace
from phasegate.model.snapshot import DispatchApproval

MOST_TEAMS = 20
NAMED_ROLES = ("admin", "maintain", "write", "triage", "read", "none")
Lookup = Callable[[], "Person | None"]


def lookups(client: Client, repository: str, accounts: Iterable[Actor | None]) -> dict[int, Lookup]:
    """One look-up for each account of type User, by account id."""
    return {
        account.id: partial(_lookup, client, repository, account)
        for account in accounts
        if account is not None and account.type == "User" and account.id is not None
    }


def team_lookups(client: Client, slugs: Iterable[str]) -> dict[str, Callable[[], Team]]:
    """One look-up for each team that the policy names, by its slug."""
    return {slug: partial(_team, client, slug) for slug in list(slugs)[:MOST_TEAMS]}


def _team(client: Client, slug: str) -> Team:
    """A team; one that this token may not read has no members that count."""
    organisation, _, name = slug.partition("/")
    try:
        members = client.pages(
            f"/orgs/{quote(organisation, safe='')}/teams/{quote(name, safe='')}/members", per_page=100
        )
    except (MissingError, RefusedError):
        return Team(slug=slug, readable=False)
    return Team(slug=slug, readable=True, members=tuple(sorted(member["id"] for member in members)))


def _lookup(client: Client, repository: str, account: Actor) -> Person | None:
    """The person; none where the login belongs to nobody, or by now to somebody else."""
    answer = client.find(f"/repos/{repository}/collaborators/{quote(account.login, safe='')}/permission")
    if answer is None:
        return None
    user, role = answer.get("user") or {}, answer.get("role_name")
    if user.get("id") != account.id:
        return None
    return Person(
        login=account.login,
        id=user["id"],
        type=user["type"],
        permission=role if role in NAMED_ROLES else answer["permission"],
        role_name=role,
    )


JSON = dict[str, Any]
MOST_RUNS = 20
# GitHub lists no more of them.
MOST_LISTED = 1000
TITLE = re.compile(r"phase-gate approve ([a-z][a-z0-9-]{0,31}) #([1-9][0-9]{0,9}) ([0-9a-f]{40})", re.ASCII)


def dispatch_approvals(client: Client, target: Target, place: ApprovalPlace, since: str) -> list[DispatchApproval]:
    """The approvals of this pull request among the runs of the workflow since it was opened, the latest first."""
    name = place.workflow.rpartition("/")[2]
    runs = _runs(client, f"{target.root}/actions/workflows/{name}/runs", since)
    mine = [(run, title) for run in runs if (title := _title(run, target)) is not None][:MOST_RUNS]
    root = f"{target.root}/actions/runs"
    reviews = client.together({run["id"]: partial(client.pages, f"{root}/{run['id']}/approvals") for run, _ in mine})
    return [each for run, title in mine for each in _approvals(reviews[run["id"]], place, run, title)]


def _runs(client: Client, path: str, since: str) -> list[JSON]:
    """Every run that somebody started by hand since a time, as many as GitHub counts."""
    found: list[JSON] = []
    for page in range(1, MOST_LISTED // 100 + 1):
        told = client.find(path, event="workflow_dispatch", created=f">={since}", per_page=100, page=page)
        if told is None:
            return found
        found += told["workflow_runs"]
        if len(found) >= min(told["total_count"], MOST_LISTED):
            return found
        if not told["workflow_runs"]:
            raise MovedError(f"GET {path}: {len(found)} of {told['total_count']} runs were listed")
    return found


def _title(run: JSON, target: Target) -> re.Match[str] | None:
    title = TITLE.fullmatch(run["display_title"])
    return title if title is not None and int(title[2]) == target.number else None


def _approvals(
    reviews: list[JSON], place: ApprovalPlace, run: JSON, title: re.Match[str]
) -> Iterator[DispatchApproval]:
    for given in reviews:
        person = rest_actor(given["user"])
        names = [environment["name"] for environment in given["environments"]]
        if given["state"] == "approved" and person is not None and place.environment in names:
            yield DispatchApproval(
                run=run["id"],
                url=run["html_url"],
                workflow=run["path"],
                ref=run["head_branch"] or "",
                event=run["event"],
                at=run["created_at"],
                phase=title[1],
                environment=place.environment,
                approved_by=person,
                commit=title[3],
                comment=given["comment"] or "",
            )
