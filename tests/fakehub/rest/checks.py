"""Check runs: reading them, and the rules for writing one."""

from __future__ import annotations

from urllib.parse import quote

from tests.fakehub.answer import JSON, Answer, RefusedError, error, invalid, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import app
from tests.fakehub.rest.call import Call, page_of, paged
from tests.fakehub.shapes import request_faults, shape
from tests.fakehub.state import ACTIONS_APP

LARGEST_TEXT = 64 * 1024
LONGEST_TITLE = 255


def output_of(told: JSON) -> JSON:
    """What was written into a check run: by a request, or as a snapshot tells it."""
    return {**{key: told.get(key) for key in ("title", "summary", "text")}, **told.get("output", {})}


def check_run(call: Call, told: JSON, sha: str) -> JSON:
    output = output_of(told)
    annotations = output.get("annotations", [])
    return shape(
        "check-run",
        id=told["id"],
        head_sha=sha,
        node_id=node_id("CheckRun", told["id"]),
        url=call.address("check-runs", told["id"]),
        html_url=told.get("url"),
        details_url=told.get("url"),
        external_id=told.get("external_id"),
        status=told["status"],
        conclusion=told.get("conclusion"),
        started_at=told.get("started_at"),
        completed_at=told.get("completed_at"),
        name=told["name"],
        output={
            "title": output.get("title"), "summary": output.get("summary"), "text": output.get("text"),
            "annotations_count": len(annotations),
            "annotations_url": call.address("check-runs", told["id"], "annotations"),
        },
        check_suite=None if told.get("suite") is None else {"id": told["suite"]},
        app=app(told.get("app_id"), {"login": told["app"]} if told.get("app") else None),
    )  # fmt: skip


def list_check_runs(call: Call) -> Answer:
    """The check runs of a commit, the latest of each name and app unless all are asked for."""
    sha = call.git.resolve(call.params["ref"], call.repository()["name"])
    if sha is None:
        raise RefusedError(error(422, f"No commit found for SHA: {call.params['ref']}"))
    told = call.state.checks.get(sha, [])
    if call.query.get("filter", "latest") == "latest":
        told = list({(each["name"], each.get("app_id")): each for each in told}.values())
    if "check_name" in call.query:
        told = [each for each in told if each["name"] == call.query["check_name"]]
    if "app_id" in call.query:
        told = [each for each in told if str(each.get("app_id")) == call.query["app_id"]]
    shown, headers = page_of(call, told)
    runs = [check_run(call, each, sha) for each in shown if isinstance(each, dict)]
    return Answer(data={"total_count": len(told), "check_runs": runs}, headers=headers)


def get_check_run(call: Call) -> Answer:
    told, sha = _known(call)
    return Answer(data=check_run(call, told, sha))


def list_annotations(call: Call) -> Answer:
    """The annotations of a check run, in the order in which they were sent."""
    told, sha = _known(call)
    return paged(call, [_annotation(call, each, sha) for each in told.get("output", {}).get("annotations", [])])


def _annotation(call: Call, told: JSON, sha: str) -> JSON:
    """An annotation; what was not told is null."""
    address = f"https://github.com/{call.name}/blob/{sha}/{quote(told['path'])}"
    return shape("check-annotation", **told) | {"blob_href": address}


def create_check_run(call: Call) -> Answer:
    body = call.document()
    call.must_be_allowed("checks", "write")
    call.repository()
    _must_keep_rules("POST /repos/{owner}/{repo}/check-runs", body)
    sha = body["head_sha"].lower()
    if sha not in call.git.commits:
        raise RefusedError(error(422, f"No commit found for SHA: {sha}"))
    told = {"id": call.state.next_id(), "name": body["name"], "status": "queued", "app_id": ACTIONS_APP}
    call.state.checks.setdefault(sha, []).append(told)
    _write(call, told, body)
    return Answer(status=201, data=check_run(call, told, sha))


def update_check_run(call: Call) -> Answer:
    """Change a check run; annotations are added to those that it has."""
    body = call.document()
    call.must_be_allowed("checks", "write")
    told, sha = _known(call)
    if (owner := told.get("app_id")) != ACTIONS_APP:
        words = f"Invalid app_id `{owner}` - check run can only be modified by the GitHub App that created it."
        raise RefusedError(error(403, words))
    _must_keep_rules("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", body)
    _write(call, told, body)
    return Answer(data=check_run(call, told, sha))


def _known(call: Call) -> tuple[JSON, str]:
    call.repository()
    number = call.number("check_run_id")
    every = ((each, sha) for sha, runs in call.state.checks.items() for each in runs)
    found = next((pair for pair in every if pair[0]["id"] == number), None)
    if found is None:
        raise not_found()
    return found


def _must_keep_rules(operation: str, body: JSON) -> None:
    """Refuse what the published description does, in its schemas or in words."""
    if faults := request_faults(operation, body):
        raise invalid(faults[0], resource="CheckRun", field="output")
    if body.get("status") == "completed" and "conclusion" not in body:
        raise invalid("conclusion is required when status is completed", resource="CheckRun", field="conclusion")
    if body.get("conclusion") == "stale":
        raise invalid("conclusion cannot be set to stale", resource="CheckRun", field="conclusion")
    for note in body.get("output", {}).get("annotations", []):
        if fault := _fault(note):
            raise invalid(fault, resource="CheckAnnotation", field="annotations")


def _fault(note: JSON) -> str | None:
    """Which of the limits that the description tells in words an annotation breaks, if any."""
    first, last = note["start_line"], note["end_line"]
    texts = [note["message"], note.get("raw_details", "")]
    columns = [note[name] for name in ("start_column", "end_column") if name in note]
    rules = {
        "lines start at 1 and end after they start": 1 <= first <= last,
        "columns are for annotations of one line": not columns or first == last,
        "columns start at 1 and end after they start": not columns or 1 <= columns[0] <= columns[-1],
        "message is missing": bool(note["message"]),
        "text is too large (maximum is 64 KB)": all(len(text.encode()) <= LARGEST_TEXT for text in texts),
        "title is too long (maximum is 255 characters)": len(note.get("title", "")) <= LONGEST_TITLE,
    }
    return next((rule for rule, kept in rules.items() if not kept), None)


def _write(call: Call, told: JSON, body: JSON) -> None:
    for name in ("name", "status", "conclusion", "completed_at", "external_id"):
        if name in body:
            told[name] = body[name]
    if "details_url" in body:
        told["url"] = body["details_url"]
    if "conclusion" in body:
        told["status"] = "completed"
        told.setdefault("completed_at", call.state.now())
    if "output" in body:
        former = told.get("output", {}).get("annotations", [])
        told["output"] = {**body["output"], "annotations": [*former, *body["output"].get("annotations", [])]}
