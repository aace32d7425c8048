"""Sweeps: only what changed is decided, within the budget, and what is left is done by the next one."""

from __future__ import annotations

import copy
import datetime as dt
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import sweep as sweeping
from phasegate.cli.terminal import GITHUB, PASSED
from phasegate.github.reading.sweep import DAILY, Due
from tests.casebook.world import PEOPLE, URL, World, commit, digest, verdict
from tests.fakehub import FakeHub
from tests.fakehub.state import completed
from tests.integration.runs import OVERALL, edited, passing
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
POLICY = ".github/phase-gate.yml"
DEPENDABOT = {"login": "dependabot[bot]", "id": 49699333, "type": "Bot"}
LOOKING = 4  # the policy, the list, how each looks from afar, and what is left of the budget


def pull(number: int, issue: int = 12, **told: object) -> JSON:
    made = copy.deepcopy(passing().snapshot())
    made["pull_request"] |= {"number": number, "url": f"{URL}/pull/{number}", **told}
    old, head = made["pull_request"]["head"]["sha"], commit(f"head of {number}")
    made["pull_request"]["head"] |= {"sha": head, "ref": f"branch-{number}"}
    for said in made["comments"]:
        said |= {"id": said["id"] + number * 1000, "url": f"{URL}/pull/{number}#issuecomment-{said['id']}"}
    for where, key in (("ref_log", "after"), ("contents", "commit")):
        for each in made[where]["moves"] if where == "ref_log" else made[where]:
            each |= {key: head if each[key] == old else each[key]}
    if issue != 12:
        made["issues"][0] |= {"number": issue, "url": f"{URL}/issues/{issue}"}
        for said in made["issues"][0]["comments"]:
            said["id"] += issue * 100_000
    return made


class Swept(Step):
    """A sweep as the runner starts it."""

    def __init__(self, folder: Path, hub: FakeHub, **changes: str) -> None:
        own = Path(tempfile.mkdtemp(dir=folder))
        super().__init__(own, hub, GITHUB_EVENT_NAME="schedule", PHASE_GATE_COMMAND="sweep", **changes)

    @property
    def decided(self) -> list[int]:
        """The pull requests that it has a line for, in their order."""
        lines = [line.split() for line in self.out.getvalue().splitlines() if line.startswith("  #")]
        return [int(line[0].removeprefix("#")) for line in lines]


def three() -> FakeHub:
    """Three open pull requests, an hour after the last thing that happened."""
    return an_hour_later(FakeHub(passing().snapshot(), more=[pull(8), pull(9, 13)]))


def swept(folder: Path, hub: FakeHub, code: int = PASSED, **changes: str) -> Swept:
    step = Swept(folder, hub, **changes)
    assert step.run() == code, step.err.getvalue()
    return step


def touch(hub: FakeHub, number: int, text: str = "## jkz:judge") -> JSON:
    snapshot = next(each for each in hub.state.snapshots if each["pull_request"]["number"] == number)
    new = hub.state.next_id()
    url = f"{URL}/pull/{number}#issuecomment-{new}"
    said = {"id": new, "url": url, "author": PEOPLE["ana"], "created_at": later(hub), "text": text}
    snapshot["comments"].append(said)
    return said


def later(hub: FakeHub, seconds: float = 0.0) -> str:
    return dt.datetime.fromtimestamp(hub.date + seconds, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def test_sweep__decides_what_has_no_status_and_then_only_what_changed(tmp_path: Path) -> None:
    with three() as hub:
        first = swept(tmp_path, hub)
        assert sorted(first.decided) == [7, 8, 9]
        assert {hub.latest_statuses(commit(f"head of {n}"))[OVERALL]["state"] for n in (8, 9)} == {"success"}
        asked = len(hub.requests)
        quiet = swept(tmp_path, hub)
        assert (quiet.decided, len(hub.requests) - asked) == ([], LOOKING)
        assert quiet.outputs["state"] == ""
        touch(hub, 8)
        assert swept(tmp_path, hub).decided == [8]
    assert first.outputs["state"] == "success"
    assert "3 of 3 open pull requests decided" in first.summary
    assert "| #8 | ✅ success |" in first.summary
    assert Due.NO_STATUS.value in first.summary


def test_sweep__a_status_of_somebody_else_in_a_context_of_the_gate_is_written_over(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        for context in ("phase-gate/build", "phase-gate/unknown", "phase-gate/record"):
            hub.add_status(context, "success", PEOPLE["octo-dev"], description="I say so")
        hub.state.pass_time(3100)
        assert swept(tmp_path, hub).decided == [7]
        assert hub.latest_statuses()["phase-gate/build"]["creator"]["login"] == "github-actions[bot]"
        assert swept(tmp_path, hub).decided == []


def test_sweep__the_last_touched_comes_first(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        for number, seconds in ((7, 10.0), (9, 30.0), (8, 20.0)):
            touch(hub, number)["created_at"] = later(hub, seconds)
        assert swept(tmp_path, hub).decided == [9, 8, 7]


def test_sweep__an_edit_is_seen_though_the_pull_request_was_not_touched(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        edited(hub.snapshot["comments"][0], verdict("judge", "FAIL"), at=later(hub))
        step = swept(tmp_path, hub)
        assert step.decided == [7]
        assert hub.latest_statuses()[OVERALL]["state"] == "failure"
    assert Due.CHANGED.value in step.summary
    assert step.outputs["state"] == "failure"


def test_sweep__a_linked_issue_that_changed_concerns_all_that_close_it(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        said = {"id": hub.state.next_id(), "url": f"{URL}/issues/13#issuecomment-1", "author": PEOPLE["mona"]}
        hub.state.snapshots[2]["issues"][0]["comments"].append(
            {**said, "created_at": later(hub), "text": "/gate approve plan"}
        )
        step = swept(tmp_path, hub)
        assert step.decided == [9]
    assert Due.CHANGED.value in step.summary


def test_sweep__what_changed_does_not_wait_for_its_turn_of_the_day(tmp_path: Path) -> None:
    """Of those that nothing happened to since yesterday one in six is decided at a time, the oldest status first."""
    with three() as hub:
        swept(tmp_path, hub)
        hub.date += DAILY + 600
        touch(hub, 8, verdict("judge", "FAIL"))
        step = swept(tmp_path, hub)
        assert step.decided[0] == 8
        assert len(step.decided) == 2
    assert Due.CHANGED.value in step.summary
    assert Due.DAILY.value in step.summary


def test_sweep__chatter_does_not_keep_a_pull_request_from_its_turn_of_the_day(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        hub.date += DAILY + 4 * 3600
        touch(hub, 8, "Nice!")
        assert sorted(swept(tmp_path, hub).decided) == [7, 8, 9]


def test_sweep__another_policy_concerns_all(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        for each in hub.state.snapshots:
            each["policy"] |= {"text": "version: 1\n", "digest": digest("version: 1\n")}
        step = swept(tmp_path, hub)
        assert sorted(step.decided) == [7, 8, 9]
        assert swept(tmp_path, hub).decided == []
    assert Due.CHANGED.value in step.summary


def test_sweep__every_one_is_decided_once_a_day_a_share_at_a_time(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        hub.date += DAILY - 3600
        assert swept(tmp_path, hub).decided == []
        hub.date += 3600
        step = swept(tmp_path, hub)
        assert len(step.decided) == 1
        hub.date += 4 * 3600
        assert sorted(swept(tmp_path, hub).decided) == [7, 8, 9]
    assert Due.DAILY.value in step.summary


def test_sweep__a_status_of_somebody_else_or_an_error_is_decided_again(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        hub.state.statuses[commit("a")][-1]["creator"] = PEOPLE["eve"]
        hub.state.statuses[commit("head of 8")][-1]["state"] = "error"
        assert sorted(swept(tmp_path, hub).decided) == [7, 8]


def test_sweep__what_the_budget_does_not_reach_is_left_to_the_next(tmp_path: Path) -> None:
    with three() as hub:
        hub.budgets["core"] = sweeping.KEEPS + 8
        step = swept(tmp_path, hub)
        assert len(step.decided) == 1
        hub.budgets["core"] = 1000
        rest = swept(tmp_path, hub)
        assert sorted([*step.decided, *rest.decided]) == [7, 8, 9]
    assert "2 left to the next sweep" in step.summary


def test_sweep__one_that_cannot_be_decided_keeps_no_other_waiting(tmp_path: Path) -> None:
    with three() as hub:
        hub.fail("GET */issues/8/comments*", times=None, kind="status", status=403)
        step = swept(tmp_path, hub, GITHUB)
        assert sorted(step.decided) == [7, 8, 9]
        assert hub.latest_statuses(commit("head of 8"))[OVERALL]["state"] == "error"
        assert hub.latest_statuses(commit("head of 9"))[OVERALL]["state"] == "success"
    assert (step.outputs["state"], "#8" in step.outputs["next-action"]) == ("error", True)
    assert "1 could not be decided" in step.summary


def test_sweep__repairs_what_a_read_only_token_could_not_write(tmp_path: Path) -> None:
    snapshot = pull(8, author=DEPENDABOT)
    with FakeHub(snapshot, lacking=["statuses: write"]) as hub:
        event = Step(tmp_path, hub, PHASE_GATE_PULL_REQUEST="8")
        assert event.run() == GITHUB
        assert "Dependabot" in event.err.getvalue()
        assert hub.latest_statuses() == {}
    with FakeHub(snapshot) as hub:
        assert swept(tmp_path, hub).decided == [8]
        assert OVERALL in hub.latest_statuses()


def test_sweep__a_list_that_cannot_be_read_fails_the_step(tmp_path: Path) -> None:
    with three() as hub:
        hub.fail(lambda request: "query Sweep(" in request.text, times=None, kind="status", status=403)
        step = swept(tmp_path, hub, GITHUB)
        assert hub.written == []
    assert step.states == ["error"] * 4


def test_sweep__dry_run_writes_nothing(tmp_path: Path) -> None:
    with three() as hub:
        step = swept(tmp_path, hub, PHASE_GATE_DRY_RUN="true")
        assert (sorted(step.decided), hub.written) == ([7, 8, 9], [])


def test_sweep__more_than_a_page_takes_a_point_for_each_hundred(tmp_path: Path) -> None:
    more = [pull(100 + each, state="open") for each in range(120)]
    with FakeHub(passing().snapshot(), more=more) as hub:
        hub.budgets["core"] = 10  # nothing is decided
        step = swept(tmp_path, hub)
        lists = [request for request in hub.requests if "query Sweep(" in request.text]
    assert (step.decided, len(lists)) == ([], 2)
    assert "121 left to the next sweep" in step.summary


def test_sweep__one_that_is_not_among_the_last_touched_hundred_is_as_it_was(tmp_path: Path) -> None:
    """Each question lists the hundred open pull requests that were touched last, to find those with the same head."""
    with three() as hub:
        swept(tmp_path, hub)
        hub.state.snapshots += [completed(pull(100 + each)) for each in range(110)]
        hub.budgets["core"] = sweeping.KEEPS
        told = swept(tmp_path, hub).summary
    assert "110 left to the next sweep" in told


def test_sweep__chatter_is_no_change_whoever_edits_it(tmp_path: Path) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        said = touch(hub, 8, "Working on it: 1 of 3")
        edited(said, "Working on it: 2 of 3", at=later(hub, 60))
        touch(hub, 9, "Nice.")
        asked = len(hub.requests)
        assert swept(tmp_path, hub).decided == []
        assert len(hub.requests) - asked == LOOKING + 1
        said["history"][0]["text"] = "## jkz:judge"
        assert swept(tmp_path, hub).decided == [8]


def an_hour_later(hub: FakeHub) -> FakeHub:
    """The hub, an hour after the last thing that happened."""
    hub.state.pass_time(3000)
    hub.date -= 30 * 86400 - 3600
    return hub


def alone(world: World) -> FakeHub:
    return an_hour_later(FakeHub(world.snapshot()))


def test_sweep__an_agent_that_the_policy_names_may_chat_too(tmp_path: Path) -> None:
    with alone(passing().under("version: 1\nagents: {accounts: [{login: ana, id: 21}]}\n")) as hub:
        swept(tmp_path, hub)
        touch(hub, 7, "Working on it: 1 of 3")
        assert swept(tmp_path, hub).decided == []
        touch(hub, 7, "## jkz:judge")
        assert swept(tmp_path, hub).decided == [7]


def reviewed(hub: FakeHub) -> None:
    review = {"id": 5, "url": f"{URL}/pull/7#pullrequestreview-5", "author": PEOPLE["ana"], "text": "Fine."}
    hub.snapshot["reviews"].append({**review, "created_at": later(hub), "state": "COMMENTED", "commit": commit("a")})


@pytest.mark.parametrize("change", [lambda hub: hub.move_head(commit("b")), reviewed], ids=["push", "review"])
def test_sweep__a_push_and_a_review_are_changes(tmp_path: Path, change: Callable[[FakeHub], None]) -> None:
    with three() as hub:
        swept(tmp_path, hub)
        change(hub)
        assert swept(tmp_path, hub).decided == [7]


def test_sweep__where_words_expire_a_success_is_looked_at_every_hour(tmp_path: Path) -> None:
    with alone(passing().under("version: 1  # no format of it expires\n")) as hub:
        swept(tmp_path, hub)
        assert swept(tmp_path, hub).decided == []
        hub.date += 3600
        step = swept(tmp_path, hub)
        assert step.decided == [7]
    assert Due.EXPIRY.value in step.summary


@pytest.mark.parametrize(("retention", "hours", "due"), [("1", 5, False), ("1", 7, True), ("90", 7, False)])
def test_sweep__decides_before_a_status_wears_out(tmp_path: Path, retention: str, hours: int, *, due: bool) -> None:
    with three() as hub:
        swept(tmp_path, hub, GITHUB_RETENTION_DAYS=retention)
        hub.date += hours * 3600
        again = swept(tmp_path, hub, GITHUB_RETENTION_DAYS=retention)
        assert (sorted(again.decided), Due.RECORD.value in again.summary) == (([7, 8, 9], True) if due else ([], False))


def test_sweep__renews_a_record_of_forty_days(tmp_path: Path) -> None:
    with three() as hub:
        said = touch(hub, 7, verdict("judge", "FAIL"))
        hub.pass_days(0.01, 90)
        swept(tmp_path, hub, GITHUB_RETENTION_DAYS="90")
        hub.pass_days(40, 90)
        for each in hub.state.statuses.values():
            each += [{**told, "at": later(hub, -3600)} for told in each if told["context"] == OVERALL]
        again = swept(tmp_path, hub, GITHUB_RETENTION_DAYS="90")
        assert again.decided == [7]
        assert Due.RECORD.value in again.summary
        known = hub.state.statuses[hub.head]
        old, new = (told["description"] for told in known if told["context"] == "phase-gate/record")
        assert f"comment-{said['id']}" in old
        assert f"{old.partition(': ')[2]}+" in new
