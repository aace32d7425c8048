"""Timelines in GraphQL: what happened to an issue or a pull request, by type and the oldest first."""

from __future__ import annotations

import json

from tests.fakehub.answer import JSON, NotModelledError
from tests.fakehub.graph.connections import Arguments, World, connection, names_in
from tests.fakehub.graph.people import actor
from tests.fakehub.nodes import node_id
from tests.fakehub.state import number_of

FOR_ISSUES = {
    "ClosedEvent", "CommentDeletedEvent", "IssueComment", "IssueTypeAddedEvent", "IssueTypeChangedEvent",
    "IssueTypeRemovedEvent", "LabeledEvent", "UnlabeledEvent",
}  # fmt: skip
FOR_PULLS = {
    "AutomaticBaseChangeSucceededEvent", "BaseRefChangedEvent", "BaseRefDeletedEvent", "BaseRefForcePushedEvent",
    "ClosedEvent", "CommentDeletedEvent", "ConnectedEvent", "DisconnectedEvent", "HeadRefForcePushedEvent",
    "IssueComment", "PullRequestCommit", "PullRequestReview", "ReopenedEvent", "ReviewDismissedEvent",
}  # fmt: skip


def timeline(world: World, events: list[JSON], known: set[str], page: Arguments) -> JSON:
    """A page of a timeline; asking for a type of event that the fake does not know is an error of the fake."""
    asked = names_in(page, "itemTypes")
    wanted = known if asked is None else {"".join(word.title() for word in name.split("_")) for name in asked}
    if wanted - known or page.get("skip"):
        message = f"timelineItems with {', '.join(sorted(wanted - known)) or 'skip'}"
        raise NotModelledError(message)
    since = str(page.get("since") or "")
    shown = [event for event in events if event["__typename"] in wanted and event.get("createdAt", since) >= since]
    shown.sort(key=lambda event: event.get("createdAt", ""))
    touched = (str(each.get("updatedAt") or each.get("createdAt") or "") for each in events)
    last = max(touched, default="") or world.state.main["pull_request"]["created_at"]
    return connection(world, shown, lambda event: event, page) | {"updatedAt": last}


def event(kind: str, told: JSON, **more: object) -> JSON:
    number = number_of(f"{kind} {told['at']} {json.dumps(more, default=lambda _: None, sort_keys=True)}")
    made = {"__typename": kind, "id": node_id(kind, number), "databaseId": number}
    return {**made, "createdAt": told["at"], "actor": actor(told.get("actor")), **more}


def deletions(place: JSON) -> list[JSON]:
    return [
        event("CommentDeletedEvent", told, deletedCommentAuthor=actor(told.get("author")))
        for told in place["deleted_comments"]
    ]


def issue_events(world: World, issue: JSON) -> list[JSON]:
    made = deletions(issue)
    for told in issue["label_events"]:
        kind = "LabeledEvent" if told["action"] == "added" else "UnlabeledEvent"
        made.append(event(kind, told, label=label(told["name"])))
    made += _type_events(issue["type_events"])
    for told in issue["closed_by"]:
        pull = world.state.pull(told["repository"], told["number"])
        closer = world.make("pull", pull) if pull else None
        made.append(event("ClosedEvent", {"at": told["merged_at"]}, closer=closer, stateReason="COMPLETED"))
    if issue["state"] == "closed" and not issue["closed_by"]:
        made.append(event("ClosedEvent", {"at": world.state.main["taken_at"]}, closer=None, stateReason="COMPLETED"))
    return made


def pull_events(world: World, snapshot: JSON) -> list[JSON]:
    name = snapshot["repository"]["name"]
    made = deletions(snapshot)
    for move in [*snapshot["ref_log"]["moves"], *snapshot["pull_request"]["head_forced"]]:
        if move.get("kind") == "force_push":
            ends = {"beforeCommit": move.get("before"), "afterCommit": move["after"]}
            commits = {key: world.make("commit", name, sha) if sha else None for key, sha in ends.items()}
            made.append(event("HeadRefForcePushedEvent", move, **commits))
    made += [_base_change(world, name, told) for told in snapshot["pull_request"]["base_changes"]]
    for told in snapshot["pull_request"]["state_changes"]:
        closed = {"closer": None} if told["state"] == "closed" else {}
        kind = "ClosedEvent" if told["state"] == "closed" else "ReopenedEvent"
        made.append(event(kind, told, stateReason=None, **closed))
    made += [_linked(world, snapshot, told) for told in by_hand(snapshot)]
    for said in snapshot["reviews"]:
        told = world.state.extras.dismissals.get(said["id"]) or _dismissal(said)
        if told:
            what = {"previousReviewState": told["previous"], "dismissalMessage": told.get("message")}
            made.append(event("ReviewDismissedEvent", told, **what, review=world.make("review", said, snapshot)))
    return made


def by_hand(snapshot: JSON) -> list[JSON]:
    """The links that were changed in the sidebar: by anybody but the author, who changes the description."""
    told = snapshot["pull_request"]
    if told.get("relinked_at") and not told["links"]:
        numbers = [issue["number"] for issue in snapshot["issues"]]
        return [{"name": f"#{numbers[0]}", "action": "added", "at": told["relinked_at"], "actor": None}]
    return [each for each in told["links"] if each["name"] and each["actor"] != told["author"]]


def _linked(world: World, snapshot: JSON, told: JSON) -> JSON:
    name = snapshot["repository"]["name"]
    found = world.state.issue(name, int(told["name"].rpartition("#")[2]))
    kind = "ConnectedEvent" if told["action"] == "added" else "DisconnectedEvent"
    ends = {"source": world.make("pull", snapshot), "subject": world.make("issue", found) if found else None}
    return event(kind, told, isCrossRepository=False, **ends)


def _base_change(world: World, name: str, told: JSON) -> JSON:
    if told.get("kind") == "forced":
        ends = {"beforeCommit": told["before"], "afterCommit": told["after"]}
        commits = {key: world.make("commit", name, sha) if sha else None for key, sha in ends.items()}
        return event("BaseRefForcePushedEvent", told, **commits)
    if told.get("kind") == "deleted":
        return event("BaseRefDeletedEvent", told, baseRefName=told["before"])
    return event("BaseRefChangedEvent", told, previousRefName=told["before"], currentRefName=told["after"])


def _dismissal(said: JSON) -> JSON | None:
    at = said.get("dismissed_at")
    previous = said.get("dismissed_from") or "COMMENTED"
    return {"at": at, "actor": said.get("dismissed_by"), "previous": previous} if at else None


def label(name: str) -> JSON:
    return {"id": node_id("Label", name), "name": name, "color": "ededed", "description": None}


def issue_type(name: str | None) -> JSON | None:
    return (
        None
        if name is None
        else {"id": node_id("IssueType", name), "name": name, "isEnabled": True, "description": None}
    )


def _type_events(told: list[JSON]) -> list[JSON]:
    """How the native type changed; one that goes as another comes is a single event."""
    made: list[JSON] = []
    for each in told:
        if each["action"] == "removed":
            made.append(event("IssueTypeRemovedEvent", each, issueType=issue_type(each["name"])))
        elif made and made[-1]["__typename"] == "IssueTypeRemovedEvent" and made[-1]["createdAt"] == each["at"]:
            types = {"prevIssueType": made.pop()["issueType"], "issueType": issue_type(each["name"])}
            made.append(event("IssueTypeChangedEvent", each, **types))
        else:
            made.append(event("IssueTypeAddedEvent", each, issueType=issue_type(each["name"])))
    return made
