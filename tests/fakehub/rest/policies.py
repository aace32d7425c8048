"""Actions policies of a repository and of those above it, and what the server says of itself."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, RefusedError, error, invalid, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.call import Call, page_of
from tests.fakehub.shapes import request_faults, shape

CREATE = "POST /repos/{owner}/{repo}/actions/policies"


def meta(call: Call) -> Answer:
    """What the server says of itself; only GitHub Enterprise Server tells a version."""
    told = call.state.extras.installed
    more = {} if told is None else {"installed_version": told}
    return Answer(data=shape("api-overview", **more))


def list_policies(call: Call) -> Answer:
    """The policies that apply to a repository, inherited ones too; what they say is left to the single answers."""
    call.repository()
    every = [_policy(call, each) for each in _readable(call)]
    brief = [{key: value for key, value in each.items() if key not in ("conditions", "rules")} for each in every]
    shown, headers = page_of(call, brief)
    return Answer(data={"total_count": len(every), "policies": shown}, headers=headers)


def get_policy(call: Call) -> Answer:
    call.repository()
    return _one(call, "Repository", call.name)


def get_org_policy(call: Call) -> Answer:
    return _one(call, "Organization", call.params["org"])


def _one(call: Call, kind: str, source: str) -> Answer:
    number = call.number("policy_id")
    for each in _readable(call):
        made = _policy(call, each)
        if (made["id"], made["source_type"], made["source"]) == (number, kind, source):
            return Answer(data=made)
    raise not_found()


def create_policy(call: Call) -> Answer:
    """Write a policy; the API takes no key that it does not document."""
    call.repository()
    _readable(call)
    body = call.document()
    wrong = request_faults(CREATE, body)
    if wrong:
        raise invalid(wrong[0])
    paths = body.get("conditions", {}).get("workflow_path", {})
    if paths and not (paths["include"] or paths["exclude"]):
        raise invalid("workflow_path needs a pattern")
    if len(paths.get("include", ())) > 1 and "~ALL" in paths["include"]:
        raise invalid("~ALL cannot be combined with other patterns")
    made = {**body, "id": call.state.next_id()}
    call.state.policies.append(made)
    return Answer(status=201, data=_policy(call, made))


def _readable(call: Call) -> list[JSON]:
    refused = call.state.extras.policies_refused
    if refused == 404:
        raise not_found()
    if refused:
        accepted = {"X-Accepted-GitHub-Permissions": "administration=write"}
        raise RefusedError(error(refused, "Resource not accessible by integration", **accepted))
    return call.state.policies


def _policy(call: Call, told: JSON) -> JSON:
    kind = told.get("source_type", "Repository")
    source = told.get("source", call.state.name if kind == "Repository" else call.state.name.partition("/")[0])
    folder = {"Repository": "repos", "Organization": "orgs", "Enterprise": "enterprises"}[kind]
    own = f"{call.api}/{folder}/{source}/actions/policies/{told['id']}"
    page = f"https://github.com/{source}/settings/actions/policies/{told['id']}"
    links = {"self": {"href": own}, "html": {"href": page}}
    made = {"source_type": kind, "source": source, "_links": links, "node_id": node_id("Policy", told["id"])}
    return shape("actions-policy", **{**made, "target": "actions", **told})
