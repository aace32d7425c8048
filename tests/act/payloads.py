"""What GitHub sends with an event, as far as a runner hands it on."""

from __future__ import annotations

from typing import Any

from tests.casebook.world import PEOPLE, REPOSITORY, URL

JSON = dict[str, Any]
API = f"https://api.github.com/repos/{REPOSITORY}"


def pull_request_target(snapshot: JSON, action: str = "synchronize") -> JSON:
    """Something happened to the pull request."""
    told = snapshot["pull_request"]
    pull = {
        "number": told["number"],
        "html_url": told["url"],
        "state": "open",
        "title": told["title"],
        "body": told.get("body", ""),
        "user": account(told["author"]),
        "draft": False,
        "labels": [],
        "head": {"ref": told["head"]["ref"], "sha": told["head"]["sha"], "repo": repository()},
        "base": {"ref": told["base"]["ref"], "sha": told["base"]["sha"], "repo": repository()},
        "author_association": "CONTRIBUTOR",
    }
    return around(action, told["author"], number=told["number"], pull_request=pull)


def issue_comment(number: int, said: JSON, *, on_pull_request: bool = True) -> JSON:
    """Somebody said something on a pull request, or on an issue."""
    comment = {
        "id": said["id"],
        "html_url": said["url"],
        "body": said["text"],
        "user": account(said["author"]),
        "created_at": said["created_at"],
        "updated_at": said["created_at"],
        "author_association": "NONE",
    }
    about = issue(number)
    if on_pull_request:
        links = {"url": f"{API}/pulls/{number}", "html_url": f"{URL}/pull/{number}", "merged_at": None}
        about |= {"pull_request": links, "html_url": f"{URL}/pull/{number}"}
    return around("created", said["author"], issue=about, comment=comment)


def issues(number: int, label: str, action: str = "labeled") -> JSON:
    """An issue got a label."""
    named = {"id": 1, "name": label, "color": "d73a4a", "default": False}
    return around(action, PEOPLE["mona"], issue=issue(number) | {"labels": [named]}, label=named)


def workflow_dispatch() -> JSON:
    """Somebody pressed the button."""
    return {
        "ref": "refs/heads/main",
        "workflow": ".github/workflows/gate.yml",
        "inputs": None,
        "repository": repository(),
        "sender": account(PEOPLE["mona"]),
    }


def around(action: str, sender: JSON, **parts: Any) -> JSON:  # noqa: ANN401  (whatever the event is about)
    """What every payload has."""
    return {"action": action, **parts, "repository": repository(), "sender": account(sender)}


def issue(number: int) -> JSON:
    """An issue as events show it."""
    return {
        "number": number,
        "url": f"{API}/issues/{number}",
        "html_url": f"{URL}/issues/{number}",
        "title": "Sessions should expire",
        "state": "open",
        "labels": [],
        "user": account(PEOPLE["mona"]),
    }


def repository() -> JSON:
    """The repository as events show it."""
    owner, _, name = REPOSITORY.partition("/")
    return {
        "id": 1,
        "name": name,
        "full_name": REPOSITORY,
        "private": False,
        "html_url": URL,
        "default_branch": "main",
        "owner": {"login": owner, "id": 9, "type": "Organization"},
    }


def account(actor: JSON) -> JSON:
    """An account as events show it."""
    return {"login": actor["login"], "id": actor["id"], "type": actor["type"], "site_admin": False}


def merge_group(snapshot: JSON) -> JSON:
    """A merge queue asks for checks of a commit of its own."""
    told = snapshot["merge_group"]
    parts = {"head_sha": told["head"], "head_ref": told["ref"], "base_sha": told["base"]}
    group = {**parts, "base_ref": f"refs/heads/{told['branch']}", "head_commit": {"id": told["head"]}}
    return around("checks_requested", PEOPLE["mona"], merge_group=group)


def workflow_run(snapshot: JSON, action: str = "requested", of: str = "pull_request") -> JSON:
    """A workflow ran for a pull request; of a fork's it lists none, and of one that is gone it tells no repository."""
    told = snapshot["pull_request"]
    head, author = told["head"], account(told["author"])
    name = head.get("repository")
    owner = {"login": (name or "").partition("/")[0], "id": 10, "type": "User"}
    run = {
        "id": 41,
        "name": "Phase Gate signal",
        "path": ".github/workflows/phase-gate-signal.yml",
        "event": of,
        "status": "completed" if action == "completed" else "queued",
        "conclusion": "success" if action == "completed" else None,
        "head_branch": head["ref"],
        "head_sha": head["sha"],
        "head_repository": {"id": 2, "full_name": name, "fork": name != REPOSITORY, "owner": owner} if name else None,
        "pull_requests": [{"number": told["number"]}] if name == REPOSITORY and told.get("state") != "closed" else [],
        "actor": author,
        "triggering_actor": author,
    }
    workflow = {"id": 5, "name": run["name"], "path": run["path"], "state": "active"}
    return around(action, told["author"], workflow_run=run, workflow=workflow)


def check_run(head: str, name: str, app: int = 1210556) -> JSON:
    """An app has ended a check of a commit; of a fork's it tells neither branch nor pull request."""
    suite: JSON = {"id": 6, "head_branch": None, "head_sha": head, "pull_requests": [], "app": {"id": app}}
    run = {
        "id": 61,
        "name": name,
        "head_sha": head,
        "status": "completed",
        "conclusion": "success",
        "check_suite": suite,
        "app": {"id": app},
        "pull_requests": [],
    }
    return around("completed", PEOPLE["mona"], check_run=run)
