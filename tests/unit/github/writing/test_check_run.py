"""The check run: whole or in progress, written once, read back, and refused in plain votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from phasegate.github.client.answers import GitHubError
from phasegate.github.writing.beside import BATCH, MARK, publish_check_run
from phasegate.github.writing.publish import Place
from phasegate.model.plan import CHECK_NAME, Annotation, CheckDraft, Conclusion, Level
from phasegate.model.problem import Where
from phasegate.report.annotations import check_draft
from tests.casebook.world import World, commit
from tests.fakehub import FakeHub
from tests.fakehub.client import Client
from tests.integration.runs import client_of
from tests.unit.github.canned import Canned
from tests.unit.report.builders import report
from tests.unit.report.test_annotations import PLAN, fault, snapshot

HEAD = commit("a")
PLACE = Place(repository="octo/shop", commit=HEAD, url="https://github.com/octo/shop/actions/runs/42")
RUNS = f"/repos/octo/shop/commits/{HEAD}/check-runs"
MADE = "/repos/octo/shop/check-runs"
OTHER_APP = 4711
JSON = dict[str, Any]


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub(World().snapshot()) as started:
        yield started


def draft(count: int, conclusion: Conclusion = Conclusion.FAILURE) -> CheckDraft:
    notes = tuple(
        Annotation(
            path=PLAN, line=line, column=3 if line % 2 else None, level=Level.FAILURE, title="PG001",
            message=f"wrong {line}\nFix: Mend it", details=f"JSON path: $[{line}]",
        )
        for line in range(1, count + 1)
    )  # fmt: skip
    return CheckDraft(conclusion=conclusion, title=f"{count} problems", summary="Here.", annotations=notes)


def publish(hub: FakeHub, of: CheckDraft) -> bool:
    return publish_check_run(client_of(hub), PLACE, of)


def standing(hub: FakeHub) -> list[JSON]:
    with Client(hub).session:
        found: list[JSON] = Client(hub).data(f"commits/{HEAD}/check-runs?filter=all")["check_runs"]
    return found


def notes(hub: FakeHub, number: int) -> list[JSON]:
    client = Client(hub)
    with client.session:
        return [note for page in client.pages(f"check-runs/{number}/annotations?per_page=100") for note in page]


def bodies(hub: FakeHub) -> list[JSON]:
    return [each["body"] for each in hub.written]


@pytest.mark.parametrize("count", [0, 1, 50, 51, 120, 500])
def test_publish__brings_all_in_batches_and_ends_with_the_last(hub: FakeHub, count: int) -> None:
    assert publish(hub, draft(count))
    batches = [len(body["output"].get("annotations", [])) for body in bodies(hub)]
    assert (sum(batches), len(batches)) == (count, max(1, -(-count // BATCH)))
    assert max(batches) <= BATCH
    assert [(body["status"], body.get("conclusion")) for body in bodies(hub)] == [
        *[("in_progress", None)] * (len(batches) - 1),
        ("completed", "failure"),
    ]
    (run,) = standing(hub)
    assert (run["name"], run["head_sha"], run["status"], run["conclusion"]) == (
        CHECK_NAME, HEAD, "completed", "failure",
    )  # fmt: skip
    assert (run["details_url"], run["output"]["annotations_count"]) == (PLACE.url, count)
    assert [note["start_line"] for note in notes(hub, run["id"])] == list(range(1, count + 1))


def test_publish__of_very_many_problems_those_that_fit_ten_requests(hub: FakeHub) -> None:
    many = tuple(fault(Where(path=PLAN, line=line, column=1)) for line in range(1, 601))
    assert publish(hub, check_draft(report(problems=many), snapshot(PLAN)))
    assert len(hub.written) == 10
    (run,) = standing(hub)
    assert (run["output"]["title"], run["output"]["annotations_count"]) == ("600 problems in 1 file", 500)


def test_publish__columns_stand_where_they_are_known(hub: FakeHub) -> None:
    publish(hub, draft(2))
    first, second = notes(hub, standing(hub)[0]["id"])
    told = ("path", "start_line", "end_line", "start_column", "end_column", "annotation_level")
    assert [first[name] for name in told] == [PLAN, 1, 1, 3, 3, "failure"]
    assert [second[name] for name in told] == [PLAN, 2, 2, None, None, "failure"]
    votes = ("PG001", "wrong 1\nFix: Mend it", "JSON path: $[1]")
    assert (first["title"], first["message"], first["raw_details"]) == votes


@pytest.mark.parametrize("count", [0, 1, 120])
def test_publish__what_stands_already_is_not_written_again(hub: FakeHub, count: int) -> None:
    assert publish(hub, draft(count))
    before, asked = len(hub.written), len(hub.requests)
    assert not publish(hub, draft(count))
    assert (len(hub.written), len(hub.requests)) == (before, asked + 1)


@pytest.mark.parametrize("conclusion", list(Conclusion))
def test_publish__another_conclusion_needs_no_other_annotations(hub: FakeHub, conclusion: Conclusion) -> None:
    publish(hub, draft(60, Conclusion.SUCCESS))
    written = publish(hub, draft(60, conclusion))
    assert written == (conclusion is not Conclusion.SUCCESS)
    (run,) = standing(hub)
    assert (run["conclusion"], run["output"]["annotations_count"]) == (conclusion.value, 60)
    assert run["external_id"].startswith(MARK)


@pytest.mark.parametrize(("first", "second", "found"), [
    (draft(3), draft(2, Conclusion.SUCCESS), [("failure", 3), ("success", 2)]),
    (replace(draft(1), name=CHECK_NAME.lower()), draft(1), [("failure", 1), ("failure", 1)]),
], ids=["other annotations", "another name"])  # fmt: skip
def test_publish__what_is_another_check_run(
    hub: FakeHub, first: CheckDraft, second: CheckDraft, found: list[tuple[str, int]]
) -> None:
    publish(hub, first)
    assert publish(hub, second)
    assert [(run["conclusion"], run["output"]["annotations_count"]) for run in standing(hub)] == found


def foreign(hub: FakeHub, **changes: object) -> JSON:
    """Another app's check run of our name, newer than what stands on the head."""
    run = {"id": hub.state.next_id(), "name": CHECK_NAME, "app_id": OTHER_APP, "status": "completed", **changes}
    hub.state.checks.setdefault(HEAD, []).append(run)
    return run


@pytest.mark.parametrize("mark", [None, "", "x", "1234"])
@pytest.mark.parametrize("ending", [{"status": "in_progress"}, {"conclusion": "success"}])
def test_publish__another_apps_check_of_our_name_is_not_ours(hub: FakeHub, mark: str | None, ending: JSON) -> None:
    theirs = foreign(hub, external_id=mark, **ending)
    before = dict(theirs)
    assert publish(hub, draft(0))
    assert not publish(hub, draft(0))
    assert publish(hub, draft(0, Conclusion.SUCCESS))
    assert theirs == before
    assert not any(request.path.endswith(f"/{theirs['id']}") for request in hub.requests)
    assert [run["conclusion"] for run in standing(hub)] == [theirs.get("conclusion"), "success"]


@pytest.mark.parametrize(
    "ending",
    [{"status": "in_progress", "external_id": f"{MARK}other"}, {"status": "in_progress"}, {"conclusion": "success"}],
    ids=["unfinished", "as ours, unfinished", "as ours, another conclusion"],
)
def test_publish__another_app_that_copies_our_mark_does_not_stop_us(hub: FakeHub, ending: JSON) -> None:
    publish(hub, draft(0))
    theirs = foreign(hub, **{"external_id": standing(hub)[0]["external_id"], **ending})
    before = dict(theirs)
    assert publish(hub, draft(0))
    assert theirs == before
    assert [run["conclusion"] for run in standing(hub)] == ["failure", theirs.get("conclusion"), "failure"]
    assert not publish(hub, draft(0))


@pytest.mark.parametrize("status", [403, 404, 422, 502])
def test_publish__a_check_run_that_cannot_be_changed_is_written_anew(hub: FakeHub, status: int) -> None:
    publish(hub, draft(1, Conclusion.SUCCESS))
    hub.fail("PATCH */check-runs/*", times=None, kind="status", status=status)
    if status == 502:  # which may be over in a moment
        with pytest.raises(GitHubError, match="GitHub answered 502"):
            publish(hub, draft(1))
    else:
        assert publish(hub, draft(1))
    assert [run["conclusion"] for run in standing(hub)] == ["success", "failure"][: 1 if status == 502 else 2]


def test_publish__a_run_that_dies_between_batches_leaves_no_success(hub: FakeHub) -> None:
    hub.fail("PATCH */check-runs/*", times=None, kind="status", status=502)
    with pytest.raises(GitHubError, match="GitHub answered 502"):
        publish(hub, draft(120, Conclusion.SUCCESS))
    (run,) = standing(hub)
    assert (run["status"], run["conclusion"], run["output"]["annotations_count"]) == ("in_progress", None, 50)


def test_publish__the_next_run_ends_what_an_earlier_one_left_in_progress(hub: FakeHub) -> None:
    hub.fail("PATCH */check-runs/*", times=5, kind="status", status=502)
    with pytest.raises(GitHubError):
        publish(hub, draft(120))
    assert publish(hub, draft(120))
    assert [(run["status"], run["conclusion"], run["output"]["annotations_count"]) for run in standing(hub)] == [
        ("completed", "cancelled", 50),
        ("completed", "failure", 120),
    ]
    assert not publish(hub, draft(120))


def test_publish__a_batch_that_came_twice_is_noticed_and_written_anew(hub: FakeHub) -> None:
    hub.fail("PATCH */check-runs/*", times=1, kind="reset", when="before_headers")
    assert publish(hub, draft(60))
    assert [run["output"]["annotations_count"] for run in standing(hub)] == [70, 60]
    assert not publish(hub, draft(60))


def test_publish__without_the_permission_says_which(hub: FakeHub) -> None:
    (note,) = draft(1).annotations
    with pytest.raises(GitHubError, match="GitHub answered 422: Validation Failed: title is too long"):
        publish(hub, replace(draft(1), annotations=(replace(note, title="x" * 256),)))
    hub.state.extras = replace(hub.state.extras, lacking=("checks: write",))
    with pytest.raises(GitHubError) as refused:
        publish(hub, draft(1))
    assert str(refused.value).startswith(f"POST {MADE}: GitHub answered 403: the token may not do this.")
    assert "Annotations in a check run need checks: write among the permissions of the job" in str(refused.value)
    assert standing(hub) == []


def answer(**changes: object) -> JSON:
    output = {"annotations_count": changes.pop("count", 1)}
    return {"id": 5, "status": "completed", "conclusion": "failure", "external_id": "x", "output": output, **changes}


@pytest.mark.parametrize(("found", "told"), [
    (answer(count=0), "GitHub has failure with 0"),
    (answer(conclusion="success"), "GitHub has success with 1"),
    (answer(status="in_progress", conclusion=None), "GitHub has no conclusion with 1"),
])  # fmt: skip
def test_publish__what_is_read_back_otherwise_is_an_error(found: JSON, told: str) -> None:
    client = Canned({RUNS: {"check_runs": []}, MADE: {"id": 5}, f"{MADE}/5": found})
    message = f'the check run "{CHECK_NAME}" was written as failure with 1 annotations but {told}'
    with pytest.raises(GitHubError, match=message):
        publish_check_run(client, PLACE, draft(1))
    assert [path for path, _ in client.asked].count(MADE) == 2


def test_publish__waits_for_machines_that_lag() -> None:
    late = (answer(status="in_progress", conclusion=None), answer())
    client = Canned({RUNS: {"check_runs": []}, MADE: {"id": 5}, f"{MADE}/5": late})
    assert publish_check_run(client, PLACE, draft(1))
    assert (client.paused, [path for path, _ in client.asked].count(MADE)) == ([1.0], 1)


@pytest.mark.parametrize("runs", [{}, {"check_runs": [{"name": CHECK_NAME}]}, {"check_runs": None}])
def test_publish__an_answer_that_is_not_as_documented_is_githubs_failure(runs: JSON) -> None:
    with pytest.raises(GitHubError, match="not as it documents"):
        publish_check_run(Canned({RUNS: runs}), PLACE, draft(1))
