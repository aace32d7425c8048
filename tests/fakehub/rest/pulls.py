"""Pull requests, alone and in lists."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.call import Call, paged
from tests.fakehub.rest.repositories import repository
from tests.fakehub.shapes import shape
from tests.fakehub.state import number_of

LINKS = {
    "comments": "issues/{}/comments", "commits": "pulls/{}/commits", "self": "pulls/{}", "issue": "issues/{}",
    "review_comments": "pulls/{}/comments", "review_comment": "pulls/comments/{{/number}}",
}  # fmt: skip


def pull(call: Call, snapshot: JSON, kind: str = "pull-request") -> JSON:
    """A pull request; ``pull-request-simple`` is how lists show it."""
    told, name = snapshot["pull_request"], snapshot["repository"]["name"]
    merged_at = told.get("merged_at", snapshot["taken_at"]) if told["state"] == "merged" else None
    root = f"{call.api}/repos/{name}"
    links = {key: {"href": f"{root}/{path.format(told['number'])}"} for key, path in LINKS.items()}
    links |= {"html": {"href": told["url"]}, "statuses": {"href": f"{root}/statuses/{told['head']['sha']}"}}
    made = shape(
        kind,
        id=number_of(f"{name}#{told['number']}"),
        node_id=node_id("PullRequest", name, told["number"]),
        number=told["number"],
        state="open" if told["state"] == "open" else "closed",
        title=told["title"],
        body=told["body"] or None,
        user=user(told["author"]),
        url=f"{root}/pulls/{told['number']}",
        html_url=told["url"],
        created_at=told["created_at"],
        updated_at=snapshot["taken_at"],
        closed_at=merged_at
        if told["state"] == "merged"
        else (snapshot["taken_at"] if told["state"] == "closed" else None),
        merged_at=merged_at,
        draft=told["draft"],
        author_association="CONTRIBUTOR",
        head=_end(call, told["head"]),
        base=_end(call, {"repository": name, **told["base"]}),
        _links=links,
    )
    return made | (_counts(call, snapshot) if kind == "pull-request" else {})


def get_pull(call: Call) -> Answer:
    return Answer(data=pull(call, call.pull()))


def list_pulls(call: Call) -> Answer:
    """The pull requests of the repository, the newest first, by head, base and state."""
    name, wanted = call.repository()["name"].lower(), call.query.get("state", "open")
    found = [each for each in call.git.pulls if each["repository"]["name"].lower() == name]
    if wanted != "all":
        found = [each for each in found if (each["pull_request"]["state"] == "open") == (wanted == "open")]
    if "head" in call.query:
        found = [each for each in found if _label(each["pull_request"]["head"]) == call.query["head"]]
    if "base" in call.query:
        found = [each for each in found if each["pull_request"]["base"]["ref"] == call.query["base"]]
    found.sort(key=lambda each: -each["pull_request"]["number"])
    return paged(call, [pull(call, each, "pull-request-simple") for each in found])


def _end(call: Call, branch: JSON) -> JSON:
    """One end of a pull request; no repository where the fork is gone."""
    name = branch.get("repository")
    owner = (name or "ghost/gone").partition("/")[0]
    return {
        "label": _label(branch),
        "ref": branch["ref"],
        "sha": branch["sha"],
        "user": user({"login": owner, "id": number_of(owner), "type": "Organization"}),
        "repo": repository(call, name) if name else None,
    }


def _label(branch: JSON) -> str:
    owner = (branch.get("repository") or "unknown repository").partition("/")[0]
    return f"{owner}:{branch['ref']}"


def _counts(call: Call, snapshot: JSON) -> JSON:
    told = snapshot["pull_request"]
    changes = call.git.changes(told["base"]["sha"], told["head"]["sha"])
    return {
        "merged": told["state"] == "merged", "mergeable": None, "mergeable_state": "unknown",
        "comments": len(snapshot["comments"]), "review_comments": 0, "commits": len(call.git.commits_of(snapshot)),
        "additions": len(changes), "deletions": 0, "changed_files": len(changes),
    }  # fmt: skip
