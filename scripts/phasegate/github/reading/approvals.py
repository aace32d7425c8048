"""Approvals by runs in a protected environment: which runs of the policy's workflow a person let pass, for what.

A run tells what it approves in its title, which the workflow on the default branch writes: ``phase-gate approve qa #7
<commit>``. Who let it pass is what the API says, not what the run says of itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from phasegate.github.client.client import Client
from phasegate.github.reading.nodes import rest_actor
from phasegate.github.reading.opening import Target
from phasegate.model.frozen import dataclass
from phasegate.model.snapshot import DispatchApproval

JSON = dict[str, Any]
MOST_RUNS = 20
TITLE = re.compile(r"phase-gate approve ([a-z][a-z0-9-]{0,31}) #([1-9][0-9]{0,9}) ([0-9a-f]{40})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalPlace:
    """Where the policy lets humans approve: the path of the workflow, the name of the environment."""

    workflow: str
    environment: str


def dispatch_approvals(client: Client, target: Target, place: ApprovalPlace) -> list[DispatchApproval]:
    """The approvals of this pull request among the latest runs of the workflow."""
    name = place.workflow.rpartition("/")[2]
    path = f"{target.root}/actions/workflows/{name}/runs"
    found = client.find(path, event="workflow_dispatch", per_page=100)
    runs = [] if found is None else found["workflow_runs"]
    mine = [(run, title) for run in runs if (title := _title(run, target)) is not None][:MOST_RUNS]
    root = f"{target.root}/actions/runs"
    reviews = client.together({run["id"]: partial(client.pages, f"{root}/{run['id']}/approvals") for run, _ in mine})
    return [each for run, title in mine for each in _approvals(reviews[run["id"]], place, run, title)]


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
