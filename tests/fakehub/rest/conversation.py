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


def _place(call: Call) -> JSON:
    name, number = call.repository()["name"], call.number("issue_number")
    found = call.state.issue(name, number) or call.state.pull(name, number)
    if found is None:
        raise not_found()
    return found
