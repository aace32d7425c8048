"""Annotating after a decision: what is told, and that the check run is called like no status."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phasegate.cli.live import Decision, annotate
from phasegate.github.client.answers import GitHubError, RefusedError
from phasegate.model.plan import CHECK_NAME
from phasegate.model.report import State
from tests.unit.github.canned import JSON, Canned
from tests.unit.report.builders import HEAD, phase, report
from tests.unit.report.test_annotations import snapshot

RUNS, MADE = f"/repos/octo/shop/commits/{HEAD}/check-runs", "/repos/octo/shop/check-runs"
DECISION = Decision(snapshot=snapshot(), report=report(State.SUCCESS, phase("build")), written=2)


def answers(**changes: object) -> dict[str, object]:
    """A commit without check runs, and one that is written as it should be."""
    made: JSON = {"id": 5, "status": "completed", "conclusion": "success", "external_id": "x"}
    return {
        RUNS: {"check_runs": []}, MADE: {"id": 5}, f"{MADE}/5": made | {"output": {"annotations_count": 0}}, **changes,
    }  # fmt: skip


def test_annotate__tells_what_was_done() -> None:
    told = annotate(Canned(answers()), DECISION, None)
    assert told == "No problems in the files of this pull request: check run written"


def test_annotate__links_to_the_run_where_there_is_one() -> None:
    for url in (None, "https://github.com/octo/shop/actions/runs/42"):
        client = Canned(answers())
        annotate(client, DECISION, url)
        (body,) = [told for path, told in client.asked if path == MADE]
        assert body.get("details_url") == url


def test_annotate__a_failure_says_that_the_statuses_stand() -> None:
    with pytest.raises(GitHubError, match="the statuses are written, but the annotations are not: no"):
        annotate(Canned(answers() | {MADE: RefusedError("no")}), DECISION, None)


@pytest.mark.parametrize("place", ["overall", "phase"])
def test_annotate__refuses_to_be_called_like_a_status(place: str) -> None:
    given = DECISION.report
    if place == "overall":
        given = replace(given, context=CHECK_NAME.upper())
    else:
        given = replace(given, phases=(replace(given.phases[0], context=CHECK_NAME.upper()),))
    client = Canned(answers())
    with pytest.raises(GitHubError, match="is called like a status of the gate"):
        annotate(client, replace(DECISION, report=given), None)
    assert client.asked == []
