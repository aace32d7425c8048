"""Workflow runs that wait for a person, and who let them go on; and what is left of the token's requests."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, NotModelledError, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.call import Call, page_of
from tests.fakehub.rest.repositories import repository
from tests.fakehub.shapes import shape
from tests.fakehub.state import last_part, number_of


def list_runs(call: Call) -> Answer:
    """The runs of a workflow, of one event and branch if asked for."""
    call.repository()
    file = call.params["workflow_id"]
    wanted = {"event": call.query.get("event"), "ref": call.query.get("branch")}
    found = [
        each
        for told in (*(snapshot["dispatch_approvals"] for snapshot in call.state.snapshots), call.state.other_runs)
        for each in told
        if last_part(each["workflow"]) == file
        and all(value is None or each[key] == value for key, value in wanted.items())
    ]
    since = call.query.get("created", "")
    if since and not since.startswith(">="):
        message = f"runs created {since}"
        raise NotModelledError(message)
    found = sorted((each for each in found if each["at"] >= since[2:]), key=lambda each: each["at"], reverse=True)
    shown, headers = page_of(call, [_run(call, each) for each in found])
    return Answer(data={"total_count": len(found), "workflow_runs": shown}, headers=headers)


def _run(call: Call, told: JSON) -> JSON:
    name = call.repository()["name"]
    head = call.git.default_head()
    number = told.get("number", call.state.main["pull_request"]["number"])
    return shape(
        "workflow-run",
        id=told["run"],
        node_id=node_id("WorkflowRun", told["run"]),
        name=last_part(told["workflow"]),
        path=told["workflow"],
        head_branch=told["ref"].removeprefix("refs/heads/"),
        head_sha=head,
        event=told["event"],
        status="completed" if told.get("conclusion", "success") else "in_progress",
        conclusion=told.get("conclusion", "success"),
        display_title=f"phase-gate approve {told.get('phase')} #{number} {told.get('commit')}",
        url=call.address("actions", "runs", told["run"]),
        html_url=told["url"],
        created_at=told["at"],
        updated_at=told["at"],
        actor=user(told.get("approved_by")),
        triggering_actor=user(told.get("approved_by")),
        repository=repository(call, name, "minimal-repository"),
        head_repository=repository(call, name, "minimal-repository"),
    )


def list_jobs(call: Call) -> Answer:
    """The jobs of a run; one that was refused has none."""
    call.repository()
    number = call.number("run_id")
    found = [each for each in call.state.other_runs if each["run"] == number]
    if not found:
        raise not_found()
    jobs = [shape("job", id=number, run_id=number, status="completed") for _ in range(found[0].get("jobs", 1))]
    return Answer(data={"total_count": len(jobs), "jobs": jobs})


def list_approvals(call: Call) -> Answer:
    return Answer(data=[_approval(call, told) for told in _runs(call)])


def _runs(call: Call) -> list[JSON]:
    call.repository()
    number = call.number("run_id")
    found = [
        each for snapshot in call.state.snapshots for each in snapshot["dispatch_approvals"] if each["run"] == number
    ]
    if not found:
        raise not_found()
    return found


def _approval(call: Call, told: JSON) -> JSON:
    name = told["environment"]
    environment = {"id": number_of(name), "name": name, "url": call.address("environments", name)}
    return {
        "state": "approved", "comment": told.get("comment", ""), "user": user(told["approved_by"]),
        "environments": [environment],
    }  # fmt: skip
