"""What people say: issues, comments, reviews, and the timeline that both stand in."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, invalid, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import app, user
from tests.fakehub.rest.call import Call, paged
from tests.fakehub.shapes import request_faults, shape
from tests.fakehub.state import ACTIONS_BOT, completed_issue, number_of


def comment(call: Call, said: JSON, number: int) -> JSON:
    """A comment; whether it was edited cannot be told from it for certain."""
    minimized = {"minimized": {"reason": said["minimized"]}} if said.get("minimized") else {}
    return shape(
        "issue-comment", id=said["id"], node_id=node_id("IssueComment", said["id"]),
        url=call.address("issues", "comments", said["id"]), html_url=said["url"],
        issue_url=call.address("issues", number), user=user(said["author"]), body=said["text"],
        created_at=said["created_at"], updated_at=said.get("edited_at") or said["created_at"],
        author_association="CONTRIBUTOR", performed_via_github_app=app(said.get("app_id"), said["author"]), **minimized,
    )  # fmt: skip


def review(call: Call, said: JSON, number: int) -> JSON:
    """A review; the time of its last edit is not told at all, and one that is pending has no time yet."""
    links = {"html": {"href": said["url"]}, "pull_request": {"href": call.address("pulls", number)}}
    submitted = {} if said.get("state") == "PENDING" else {"submitted_at": said["created_at"]}
    return shape(
        "pull-request-review", id=said["id"], node_id=node_id("PullRequestReview", said["id"]),
        user=user(said["author"]) if said["author"] else None, body=said["text"],
        state=said.get("state") or "COMMENTED", html_url=said["url"], pull_request_url=call.address("pulls", number),
        _links=links, commit_id=said.get("commit"), author_association="CONTRIBUTOR", **submitted,
    )  # fmt: skip


def issue(call: Call, told: JSON) -> JSON:
    kind = {} if told["type"] is None else {"type": issue_type(told["type"])}
    closed = told["state"] == "closed"
    return shape(
        "issue",
        id=number_of(f"{told['repository']}#{told['number']}"),
        node_id=node_id("Issue", told["repository"], told["number"]),
        number=told["number"],
        url=call.address("issues", told["number"]),
        html_url=told["url"],
        title=told["title"],
        body=told.get("body") or None,
        state=told["state"],
        closed_at=call.state.main["taken_at"] if closed else None,
        user=user(told["author"]),
        labels=[{"name": name, "id": number_of(name), "color": "ededed"} for name in told["labels"]],
        comments=len(told["comments"]),
        created_at=told.get("created_at", call.state.main["pull_request"]["created_at"]),
        author_association="CONTRIBUTOR",
        **kind,
    )


def issue_type(name: str) -> JSON:
    return shape("issue-type", id=number_of(name), node_id=node_id("IssueType", name), name=name)


def get_issue(call: Call) -> Answer:
    """An issue by number; a pull request is one too."""
    number = call.number("issue_number")
    told = call.state.issue(call.repository()["name"], number)
    if told:
        return Answer(data=issue(call, told))
    pull = call.state.pull(call.repository()["name"], number)
    if pull is None:
        raise not_found()
    part = pull["pull_request"]
    like = {name: part[name] for name in ("number", "url", "title", "author", "body", "created_at")}
    state = "open" if part["state"] == "open" else "closed"
    made = issue(call, completed_issue({**like, "repository": call.name, "state": state}))
    links = {"url": call.address("pulls", number), "html_url": part["url"], "diff_url": None, "patch_url": None}
    return Answer(data=made | {"comments": len(pull["comments"]), "pull_request": links})


def list_comments(call: Call) -> Answer:
    """The comments of an issue or a pull request, the oldest first; review comments are not among them."""
    number, said = call.number("issue_number"), _place(call)["comments"]
    if since := call.query.get("since"):
        said = [each for each in said if (each.get("edited_at") or each["created_at"]) >= since]
    made = paged(call, [each for each in said if each["id"] not in call.state.hidden])
    shown = made.data if isinstance(made.data, list) else []
    return Answer(data=[comment(call, each, number) for each in shown], headers=made.headers)


def list_reviews(call: Call) -> Answer:
    """The reviews of a pull request, the oldest first; a pending one as if it were written with the hub's token."""
    number = call.number("pull_number")
    return paged(call, [review(call, each, number) for each in call.pull()["reviews"]])


def create_issue(call: Call) -> Answer:
    body, name = call.document(), call.repository()["name"]
    if faults := request_faults("POST /repos/{owner}/{repo}/issues", body):
        raise invalid(faults[0], resource="Issue", field="body")
    numbers = [each["number"] for each in call.state.issues()]
    numbers += [each["pull_request"]["number"] for each in call.git.pulls]
    number = max(numbers) + 1
    labels = [each if isinstance(each, str) else each["name"] for each in body.get("labels", [])]
    filed = {"title": str(body["title"]), "body": body.get("body") or "", "author": ACTIONS_BOT, "labels": labels}
    place = {"repository": name, "number": number, "url": f"https://github.com/{name}/issues/{number}"}
    told = completed_issue({**filed, **place})
    call.state.filed_issues.append(told)
    return Answer(status=201, data=issue(call, told), headers={"Location": call.address("issues", number)})


def timeline(call: Call) -> Answer:
    """What happened to an issue or a pull request, the oldest first."""
    place, number = _place(call), call.number("issue_number")
    events = [(each["created_at"], _commented(call, each, number)) for each in place["comments"]]
    events += [(each["at"], _event(call, "comment_deleted", each)) for each in place["deleted_comments"]]
    for each in place.get("label_events", []):
        label = {"label": {"name": each["name"], "color": "ededed"}}
        events.append((each["at"], _event(call, _named("labeled", "unlabeled", each), each, "labeled", **label)))
    for each in place.get("type_events", []):
        kind = {"issue_type": shape("issue-type-webhook", id=number_of(each["name"]), name=each["name"])}
        event = _named("issue_type_added", "issue_type_removed", each)
        events.append((each["at"], _event(call, event, each, "issue-type-added", **kind)))
    if "pull_request" in place:
        events += _pull_events(call, place)
    return paged(call, [event for _, event in sorted(events, key=lambda pair: pair[0])])


def _place(call: Call) -> JSON:
    name, number = call.repository()["name"], call.number("issue_number")
    found = call.state.issue(name, number) or call.state.pull(name, number)
    if found is None:
        raise not_found()
    return found


def _named(added: str, removed: str, event: JSON) -> str:
    return added if event["action"] == "added" else removed


def _event(call: Call, event: str, told: JSON, kind: str = "state-change", **more: object) -> JSON:
    number = number_of(f"{event} {told['at']} {more}")
    return shape(
        f"{kind}-issue-event", id=number, node_id=node_id("Event", number),
        url=call.address("issues", "events", number), actor=user(told.get("actor")), event=event, created_at=told["at"],
        **more,
    )  # fmt: skip


def _commented(call: Call, said: JSON, number: int) -> JSON:
    return {**comment(call, said, number), "event": "commented", "actor": user(said["author"])}


def _pull_events(call: Call, snapshot: JSON) -> list[tuple[str, JSON]]:
    events = [
        (move["at"], _event(call, "head_ref_force_pushed", move, commit_id=move["after"]))
        for move in snapshot["ref_log"]["moves"]
        if move.get("kind") == "force_push"
    ]
    events += [
        (each["at"], _event(call, "base_ref_changed", each)) for each in snapshot["pull_request"]["base_changes"]
    ]
    for said in snapshot["reviews"]:
        if said.get("state") != "PENDING":
            made = review(call, said, snapshot["pull_request"]["number"])
            seen = {"event": "reviewed", "user": user(said["author"]), "commit_id": said.get("commit") or ""}
            events.append((said["created_at"], {**made, **seen, "state": made["state"].lower()}))
        told = call.state.extras.dismissals.get(said["id"])
        if told:
            which = {"state": told["previous"].lower(), "review_id": said["id"], "dismissal_message": None}
            made = _event(call, "review_dismissed", told, "review-dismissed", dismissed_review=which)
            events.append((told["at"], made))
    return events
