"""Retention: what is kept in statuses, over the life of a pull request in which GitHub deletes the old ones."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli.live import Decision, decide_and_publish
from phasegate.github.client.answers import GitHubError
from phasegate.github.record import CONTEXT, MOST_RENEWED, seconds
from phasegate.model.frozen import replace
from tests.casebook.attacks.live import in_a_fork
from tests.casebook.world import PEOPLE, World, commit, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import CONTEXTS, OVERALL, TARGET, client_of, passing, run, states
from tests.integration.test_sweep import Swept

JSON = dict[str, Any]
MONTH, MINUTES = 30 * 86400, 0.01
RESUME = "/gate resume build: posted by mistake\n/gate resume qa: posted by mistake"
# Retention, and the days between two runs as long as the pull request is attended to; then after how many days.
LIVES = {90: (10.0, 200.0), 30: (5.0, 200.0), 1: (0.2, 6.0)}
REST = 10.0


def begun(world: World) -> FakeHub:
    """A hub whose clock is that of the pull request."""
    hub = FakeHub(world.snapshot())
    hub.date -= MONTH
    return hub


def says(hub: FakeHub, who: str, text: str) -> None:
    """Somebody says something; some minutes pass."""
    hub.add_comment(PEOPLE[who], text)
    hub.pass_days(MINUTES, 400)


def decided(hub: FakeHub, retention: int) -> Decision:
    target = replace(TARGET, retention_days=retention)
    return decide_and_publish(client_of(hub), target, None, renewed=True)


def deleted(hub: FakeHub, who: str = "octo-dev") -> None:
    hub.delete_comment(hub.snapshot["comments"][-1], PEOPLE[who])
    hub.pass_days(MINUTES, 400)


def on_record(hub: FakeHub) -> list[JSON]:
    return [each for each in hub.state.statuses[hub.head] if each["context"].startswith(CONTEXT)]


def lines(hub: FakeHub) -> list[str]:
    return [each["description"] for each in on_record(hub)]


def why(decision: Decision) -> list[str]:
    return [need.why.value for need in decision.report.phases[1].needs if need.state.value != "met"]


@pytest.mark.parametrize("retention", LIVES)
def test_life__a_deleted_fail_never_turns_green_until_a_human_resumes(retention: int) -> None:
    step, attended = LIVES[retention]
    with begun(passing()) as hub:
        assert decided(hub, retention).report.state.value == "success"
        says(hub, "ben", verdict("judge", "FAIL"))
        assert decided(hub, retention).report.state.value == "failure"
        deleted(hub)
        day, seen = 0.0, []
        while day < 200:
            passed = step if day < attended else REST
            hub.pass_days(passed, retention)
            day += passed
            seen.append(decided(hub, retention).report.state.value)
        assert set(seen) == ({"failure"} if attended >= 200 else {"failure", "pending"})
        assert states(hub)[OVERALL] == seen[-1]
        says(hub, "mona", RESUME)
        for _ in range(4):
            assert decided(hub, retention).report.state.value == "success"
            hub.pass_days(retention * 1.5, retention)


@pytest.mark.parametrize("retention", [90, 30, 1])
def test_unattended__a_fail_that_was_forgotten_waits_for_a_human(retention: int) -> None:
    with begun(passing()) as hub:
        decided(hub, retention)
        says(hub, "ana", verdict("judge", "FAIL"))
        decided(hub, retention)
        deleted(hub)
        decided(hub, retention)
        hub.pass_days(retention + 1, retention)
        found = decided(hub, retention)
        assert (found.report.state.value, why(found)) == ("pending", ["unrecorded"])
        said = hub.latest_statuses()[OVERALL]["description"]
        assert said.startswith("Build: octo-dev deleted a comment by ana at 2026-03-02")
        task = found.report.tasks[0]
        assert (task.do.value, task.phase, task.turns_green != ()) == ("resume", "build", True)
        says(hub, "mona", RESUME)
        assert decided(hub, retention).report.state.value == "success"


@pytest.mark.parametrize(("retention", "step"), [(90, 25.0), (30, 8.0), (1, 0.3)])
def test_honest__a_remark_that_is_deleted_while_the_gate_looks_holds_nothing(retention: int, step: float) -> None:
    with begun(passing()) as hub:
        for _ in range(9):
            assert decided(hub, retention).report.state.value == "success"
            hub.pass_days(step, retention)
        says(hub, "ana", "Working on it.")
        deleted(hub, "ana")
        for _ in range(3):
            hub.pass_days(step, retention)
            assert decided(hub, retention).report.state.value == "success"


@pytest.mark.parametrize("pushes", [1, 4])
def test_honest__nor_once_all_statuses_were_written_anew_and_the_head_was_pushed(pushes: int) -> None:
    with begun(passing()) as hub:
        decided(hub, 90)
        says(hub, "ana", "Working on it.")
        deleted(hub, "ana")
        for context in CONTEXTS:
            hub.add_status(context, "success")
        for number in range(pushes):
            hub.pass_days(1, 90)
            hub.snapshot["contents"].append({**hub.snapshot["contents"][-1], "commit": commit(f"later {number}")})
            hub.move_head(commit(f"later {number}"))
            assert decided(hub, 90).report.state.value == "success"


def test_unseen__a_comment_that_was_deleted_before_any_run_waits_after_a_push_too() -> None:
    with begun(passing()) as hub:
        says(hub, "ana", verdict("judge", "FAIL"))
        deleted(hub)
        for name in ("later", "latest"):
            assert why(decided(hub, 90)) == ["unrecorded"]
            hub.snapshot["contents"].append({**hub.snapshot["contents"][-1], "commit": commit(name)})
            hub.move_head(commit(name))
        assert why(decided(hub, 90)) == ["unrecorded"]


def test_young__everything_removed_is_not_everything_well() -> None:
    with begun(passing()) as hub:
        decided(hub, 90)
        says(hub, "ana", verdict("judge", "FAIL"))
        decided(hub, 90)
        deleted(hub)
        hub.state.statuses.clear()
        assert why(decided(hub, 90)) == ["unrecorded"]


def test_record__is_written_anew_in_time_with_its_first_dates() -> None:
    with begun(passing()) as hub:
        says(hub, "ana", verdict("judge", "FAIL"))
        decided(hub, 90)
        (first,) = lines(hub)
        written, said = seconds(hub.latest_statuses()[CONTEXT]["at"]), int(first.rpartition(" at ")[2])
        hub.pass_days(20, 90)
        decided(hub, 90)
        assert lines(hub) == [first]
        hub.pass_days(20, 90)
        decided(hub, 90)
        _, second = lines(hub)
        assert first.partition(": ")[2] in second
        assert " since 177244" in second
        assert second.endswith(f" at {said}+{written - said}")
        hub.pass_days(60, 90)
        assert lines(hub) == [second]
        assert why(decided(hub, 90)) == ["failed"]
        assert lines(hub)[-1] == second


def test_retention__that_was_raised_keeps_no_longer_what_was_written_before() -> None:
    with begun(passing()) as hub:
        decided(hub, 1)
        says(hub, "ben", verdict("judge", "FAIL"))
        decided(hub, 1)
        hub.pass_days(0.1, 1)
        raised = hub.state.now()
        decided(hub, 90)
        deleted(hub)
        for _ in range(12):
            hub.pass_days(0.2, 90)
            limit = hub.date - 86400
            for sha, told in hub.state.statuses.items():
                hub.state.statuses[sha] = [e for e in told if e["at"] >= raised or seconds(e["at"]) >= limit]
            assert decided(hub, 90).report.state.value == "failure"


def test_record__no_part_of_it_grows_older_than_a_third(tmp_path: Path) -> None:
    with begun(passing()) as hub:
        says(hub, "ana", verdict("judge", "FAIL"))
        decided(hub, 1)
        for hour in range(30):
            hub.pass_days(1 / 24, 1)
            if hour == 4:
                says(hub, "ana", verdict("inspector", "FAIL"))
                decided(hub, 1)
            Swept(tmp_path, hub, GITHUB_RETENTION_DAYS="1").run()
            (*_, judges) = (each for each in on_record(hub) if "judge comment" in each["description"])
            assert hub.date - seconds(judges["at"]) < 86400 / 3


def test_record__of_another_pull_request_with_this_commit_is_not_this_ones() -> None:
    other = copy.deepcopy(passing().snapshot())
    other["pull_request"] |= {"number": 8, "url": "https://github.com/octo/shop/pull/8"}
    other["pull_request"]["base"] |= {"ref": "dev"}
    with FakeHub(passing().snapshot(), more=[other]) as hub:
        eight = hub.state.snapshots[1]
        said = {"id": 4711, "url": "https://github.com/octo/shop/pull/8#issuecomment-4711", "author": PEOPLE["ana"]}
        eight["comments"].append({**said, "created_at": hub.state.now(), "text": verdict("judge", "FAIL")})
        decide_and_publish(client_of(hub), replace(TARGET, number=8), None)
        assert len(lines(hub)) == 1
        eight["pull_request"] |= {"state": "closed"}
        assert run(hub).report.state.value == "success"


def test_record__of_which_a_part_is_gone_blocks_until_a_human_resumes() -> None:
    world = passing()
    for role in ("judge", "inspector", "judge", "inspector"):
        world.judges(role, "FAIL")
    with begun(world) as hub:
        decided(hub, 90)
        (numbered,) = (each for each in on_record(hub) if each["context"] == f"{CONTEXT}-2")
        hub.state.statuses[hub.head].remove(numbered)
        del hub.snapshot["comments"][-4:]  # without a trace: nothing but the record tells of them
        for _ in range(2):
            assert "unseen" in why(decided(hub, 90))
            hub.pass_days(40, 90)
        said = {"id": 1, "url": "https://github.com/octo/shop/issues/12#issuecomment-1", "author": PEOPLE["mona"]}
        text = "/gate resume plan: nothing was said here"
        hub.snapshot["issues"][0]["comments"].append({**said, "created_at": hub.state.now(), "text": text})
        says(hub, "mona", RESUME)
        assert decided(hub, 90).report.state.value == "success"
        assert decided(hub, 90).snapshot.record.lost == 0


def test_sighting__the_first_counts_however_often_statuses_are_written_anew() -> None:
    world = World()
    in_a_fork(world)
    with begun(world) as hub:
        for _ in range(3):
            assert decided(hub, 90).report.state.value == "success"
            for context in CONTEXTS[:3]:
                hub.add_status(context, "success")
            hub.pass_days(40, 90)
        assert decided(hub, 90).report.state.value == "success"


def test_record__is_not_renewed_where_the_context_is_almost_full() -> None:
    with begun(passing()) as hub:
        says(hub, "ana", verdict("judge", "FAIL"))
        decided(hub, 90)
        (line,) = (each for each in on_record(hub) if each["context"] == CONTEXT)
        hub.state.statuses[hub.head] += [{**line, "id": hub.state.next_id()} for _ in range(MOST_RENEWED - 1)]
        hub.pass_days(40, 90)
        before = len(lines(hub))
        decided(hub, 90)
        assert len(lines(hub)) == before
        says(hub, "ana", verdict("inspector", "FAIL"))
        decided(hub, 90)
        assert len(lines(hub)) == before + 1


@pytest.mark.parametrize("days", [-1, -400, 4000])
def test_clock__that_is_off_makes_nothing_green(days: int) -> None:
    with begun(passing()) as hub:
        decided(hub, 90)
        says(hub, "ana", verdict("judge", "FAIL"))
        deleted(hub)
        hub.state.statuses.clear()
        hub.date += days * 86400
        with nullcontext() if days > 0 else pytest.raises(GitHubError, match="no longer is as it was read"):
            assert why(decided(hub, 90)) == ["unrecorded"]
        assert states(hub)[OVERALL] in ("pending", "error")


def test_run__of_an_ordinary_pull_request_writes_no_record() -> None:
    with begun(passing()) as hub:
        run(hub)
        assert lines(hub) == []
