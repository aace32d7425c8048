"""Commit statuses: reading them, and the rules for writing one."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, RefusedError, error, invalid, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.call import Call, page_of, paged
from tests.fakehub.rest.repositories import repository
from tests.fakehub.shapes import request_faults, shape
from tests.fakehub.state import ACTIONS_BOT

LONGEST_DESCRIPTION = 140
LONGEST_CONTEXT = 255
MOST_OF_ONE_CONTEXT = 1000


def status(call: Call, told: JSON, sha: str, kind: str = "status") -> JSON:
    values = {
        "id": told["id"], "node_id": node_id("StatusContext", told["id"]), "url": call.address("statuses", sha),
        "state": told["state"], "description": told.get("description") or None, "target_url": told.get("url"),
        "context": told["context"], "created_at": told["at"], "updated_at": told["at"],
    }  # fmt: skip
    if kind == "status":
        values["creator"] = user(told["creator"]) if told.get("creator") else None
    return shape(kind, **values)


def latest(call: Call, sha: str) -> list[JSON]:
    """The latest status of each context, told apart without case; that before it, where a write is not known yet."""
    told: dict[str, list[JSON]] = {}
    for each in call.state.statuses.get(sha, []):
        told.setdefault(each["context"].lower(), []).append(each)
    return [some[-2 if call.state.unaware and len(some) > 1 else -1] for some in told.values()]


def list_statuses(call: Call) -> Answer:
    sha = call.git.resolve(call.params["ref"], call.repository()["name"])
    told = [each for each in call.state.statuses.get(sha or "", []) if each["context"] not in call.state.unlisted]
    return paged(call, [status(call, each, sha or "") for each in reversed(told)])


def combined_status(call: Call) -> Answer:
    """The latest status of each context, and what they amount to."""
    sha = call.git.resolve(call.params["ref"], call.repository()["name"])
    if sha is None:
        raise not_found()
    told = latest(call, sha)
    states = {each["state"] for each in told}
    overall = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    shown, headers = page_of(call, told)
    statuses = [status(call, each, sha, "simple-commit-status") for each in shown if isinstance(each, dict)]
    data = shape(
        "combined-commit-status",
        state=overall,
        statuses=statuses,
        sha=sha,
        total_count=len(told),
        repository=repository(call, call.repository()["name"], "minimal-repository"),
        url=call.address("commits", sha, "status"),
        commit_url=call.address("commits", sha),
    )
    return Answer(data=data, headers=headers)


def create_status(call: Call) -> Answer:
    """Set a status; the answer does not say who set it."""
    body, sha = call.document(), call.params["sha"].lower()
    call.repository()
    call.must_be_allowed("statuses", "write")
    if faults := request_faults("POST /repos/{owner}/{repo}/statuses/{sha}", body):
        raise invalid(faults[0], resource="Status", field="state")
    if sha not in call.git.commits:
        raise RefusedError(error(422, f"No commit found for SHA: {sha}"))
    context, description = body.get("context", "default"), body.get("description") or ""
    if len(description) > LONGEST_DESCRIPTION:
        raise invalid("description is too long (maximum is 140 characters)", resource="Status", field="description")
    if any(character > "\uffff" for character in description):
        raise invalid("description doesn't accept 4-byte Unicode", resource="Status", field="description")
    if len(context) > LONGEST_CONTEXT:
        raise invalid("context is too long (maximum is 255 characters)", resource="Status", field="context")
    known = call.state.statuses.setdefault(sha, [])
    if sum(each["context"].lower() == context.lower() for each in known) >= MOST_OF_ONE_CONTEXT:
        message = "This SHA and context has reached the maximum number of statuses."
        raise invalid(message, resource="Status", field="context")
    told = {
        "id": call.state.next_id(), "context": context, "state": body["state"], "description": description,
        "url": body.get("target_url"), "at": call.state.now(), "creator": ACTIONS_BOT,
    }  # fmt: skip
    known.append(told)
    made = status(call, told, sha)
    del made["creator"]
    return Answer(status=201, data=made, headers={"Location": call.address("statuses", sha)})
