"""The action's step without a runner: what it tells in log, outputs, summary and exit code, whatever happens."""

from __future__ import annotations

import argparse
import copy
import io
import json
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from phasegate import gate
from phasegate.cli import action, live, results
from phasegate.cli.live import Decision
from phasegate.cli.terminal import GITHUB, NOT_PASSED, PASSED, USAGE, Terminal
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import make_client
from phasegate.settings import Settings
from tests.casebook.every import STORIES
from tests.casebook.world import World, verdict
from tests.fakehub import TOKEN, FakeHub
from tests.fakehub.state import completed_issue

CONTEXT = "phase-gate"
AT = "2026-03-02T10:00:00Z"
OPENED = {"pull_request": {"number": 7}}
JSON = dict[str, Any]


class Step:
    """A step as the runner sets it up, and what it left."""

    def __init__(self, folder: Path, hub: FakeHub | None = None, payload: object = OPENED, **changes: str) -> None:
        self.folder = folder
        self.out, self.err = io.StringIO(), io.StringIO()
        (folder / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        self.environ = {
            "GITHUB_API_URL": hub.url if hub else "http://127.0.0.1:9", "GITHUB_EVENT_NAME": "pull_request_target",
            "GITHUB_EVENT_PATH": str(folder / "event.json"), "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REPOSITORY": "octo/shop", "GITHUB_RETENTION_DAYS": "400", "GITHUB_RUN_ID": "42",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "PHASE_GATE_TOKEN": TOKEN, "RUNNER_TEMP": str(folder),
            **changes,
        }  # fmt: skip

    def run(self) -> int:
        terminal = Terminal(stdin=io.StringIO(), stdout=self.out, stderr=self.err, environ=self.environ)
        return action.run(argparse.Namespace(), terminal)

    @property
    def outputs(self) -> dict[str, str]:
        lines = (self.folder / "output").read_text(encoding="utf-8").split("\n")
        found, place = {}, 0
        while lines[place]:
            name, _, delimiter = lines[place].partition("<<")
            end = lines.index(delimiter, place + 1)
            found[name] = "\n".join(lines[place + 1 : end])
            place = end + 1
        return found

    @property
    def states(self) -> list[str]:
        return [self.outputs[name] for name in action.STATES]

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")


def hub_of(name: str, policy: str | None = None) -> FakeHub:
    """A pull request of the case book, under another policy if one is given."""
    world = STORIES[name].world()
    return FakeHub((world if policy is None else world.under(policy)).snapshot())


def test_run__tells_log_outputs_summary_and_files(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub, PHASE_GATE_SAVE_SNAPSHOT="true")
        assert step.run() == PASSED
        target = hub.latest_statuses()[CONTEXT]
        link, _, mark = target["url"].partition("#")
        assert (target["state"], link) == ("success", "https://github.com/octo/shop/actions/runs/42")
        assert mark.startswith("seen-")
    assert tuple(step.outputs) == action.OUTPUTS
    assert step.states == ["success"] * 4
    assert json.loads(Path(step.outputs["report"]).read_text(encoding="utf-8"))["state"] == "success"
    assert json.loads(Path(step.outputs["snapshot"]).read_text(encoding="utf-8"))["snapshot"] == 1
    assert Path(step.outputs["timeline"]).read_text(encoding="utf-8").startswith("<!doctype html>\n")
    assert "[Timeline and snapshot](https://github.com/octo/shop/actions/runs/42#artifacts)" in step.summary
    assert step.summary.startswith("## ✅ Ready to merge\n")
    assert "statuses written" in step.out.getvalue()
    assert "whether the branch requires phase-gate was not read" in step.out.getvalue()
    assert TOKEN not in step.out.getvalue() + step.err.getvalue() + step.summary


def test_run__says_what_it_assumes_about_the_retention(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub, GITHUB_RETENTION_DAYS="9\n::error::x ##[error]y")
        assert step.run() == PASSED
        assert 'GITHUB_RETENTION_DAYS is "9 ' in step.out.getvalue()
        assert "\n::error::" not in step.out.getvalue()
        assert "##[" not in step.out.getvalue()
        step = Step(tmp_path, hub, GITHUB_RETENTION_DAYS="90")
        assert step.run() == PASSED
        assert "GITHUB_RETENTION_DAYS" not in step.out.getvalue()


def test_run__writes_only_what_changed(tmp_path: Path) -> None:
    with hub_of("bug-without-qa") as hub:
        assert Step(tmp_path, hub).run() == PASSED
        before = len(hub.written)
        step = Step(tmp_path, hub)
        assert step.run() == PASSED
        assert len(hub.written) == before
    assert "  0 statuses written" in step.out.getvalue()


@pytest.mark.parametrize(("name", "fail_on", "code"), [
    ("feature-green", "pending", PASSED),
    ("stale", "never", PASSED),
    ("stale", "failure", PASSED),
    ("stale", "pending", NOT_PASSED),
    ("judge-failed", "never", PASSED),
    ("judge-failed", "failure", NOT_PASSED),
    ("policy-not-yaml", "never", PASSED),
    ("policy-not-yaml", "failure", NOT_PASSED),
])  # fmt: skip
def test_run__fails_on_what_it_was_told_to(tmp_path: Path, name: str, fail_on: str, code: int) -> None:
    with hub_of(name) as hub:
        assert Step(tmp_path, hub, PHASE_GATE_FAIL_ON=fail_on).run() == code
        assert hub.latest_statuses()[CONTEXT]["state"] == STORIES[name].state


def test_run__keeps_a_comment_only_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []

    def keep(_: object, decision: Decision) -> str:
        kept.append(decision.report.pull_request)
        return "written"

    monkeypatch.setattr(results, "comment_on", keep)
    with hub_of("judge-failed") as hub:
        for inputs in ({}, {"PHASE_GATE_COMMENT": "true", "PHASE_GATE_DRY_RUN": "true"}):
            assert Step(tmp_path, hub, **inputs).run() == PASSED
        assert kept == []
        step = Step(tmp_path, hub, PHASE_GATE_COMMENT="true")
        assert step.run() == PASSED
    assert kept == [7]
    assert "  comment: written\n" in step.out.getvalue()


def test_run__a_comment_that_is_refused_leaves_the_statuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> list[object]:
        raise GitHubError("no permission")

    monkeypatch.setattr("phasegate.cli.live.keep_comment", refuse)
    with hub_of("judge-failed") as hub:
        step = Step(tmp_path, hub, PHASE_GATE_COMMENT="true")
        assert step.run() == GITHUB
        assert hub.latest_statuses()[CONTEXT]["state"] == "failure"
    assert "the statuses are written, but the comment is not: no permission" in step.err.getvalue()
    assert "but the comment is not" in step.summary


def test_run__wrong_input_is_named_everywhere(tmp_path: Path) -> None:
    step = Step(tmp_path, PHASE_GATE_FAIL_ON="sometimes")
    assert step.run() == USAGE
    message = 'fail-on is one of never, failure, pending, not "sometimes"'
    assert step.err.getvalue() == f"phase-gate: {message}\n"
    assert step.outputs["next-action"] == message
    assert step.states == ["error"] * 4
    assert step.summary.startswith("## 🛑 Phase Gate: nothing was decided\n")


@pytest.mark.parametrize("text", [
    b"", b"not JSON", b"[" * 10, b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe{}", b"[]",
    b'{"pull_request": {"number": NaN}}',
])  # fmt: skip
def test_run__payload_that_cannot_be_read(tmp_path: Path, text: bytes) -> None:
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub)
        (tmp_path / "event.json").write_bytes(text)
        assert step.run() == USAGE
        assert (step.states, hub.written) == (["error"] * 4, [])
    read = "cannot be read; pass the input pull-request" not in step.err.getvalue()
    assert read == (text == b"[]" or b"NaN" in text)
    assert not read or "the event's payload has no pull_request.number" in step.err.getvalue()


def test_run__issue_that_no_pull_request_closes(tmp_path: Path) -> None:
    with FakeHub(World().snapshot()) as hub:
        hub.state.filed_issues.append(completed_issue({**hub.snapshot["issues"][0], "number": 99}))
        step = Step(tmp_path, hub, {"issue": {"number": 99}}, GITHUB_EVENT_NAME="issues")
        assert (step.run(), hub.written) == (PASSED, [])
    assert step.outputs == dict.fromkeys(action.OUTPUTS, "")
    assert "No pull request is concerned; there is nothing to decide." in step.out.getvalue()


def test_run__undecided_withdraws_an_older_success(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        assert Step(tmp_path, hub).run() == PASSED
        hub.fail("GET */issues/7/comments*", times=None, kind="status", status=403)
        (tmp_path / "output").unlink()
        step = Step(tmp_path, hub)
        assert step.run() == GITHUB
        standing = hub.latest_statuses()[CONTEXT]
    assert standing["state"] == "error"
    assert standing["description"].startswith("Could not decide: GET /repos/octo/shop/issues/7/comments")
    assert "octo/shop#7 could not be decided: GET /repos/octo/shop/issues/7/comments" in step.err.getvalue()
    assert step.states == ["error"] * 4
    assert step.outputs["report"] == ""


def test_run__withdraws_even_when_the_time_to_read_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(action, "make_client", lambda api: make_client(api, -1.0))
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub)
        assert step.run() == GITHUB
        assert hub.latest_statuses()[CONTEXT]["state"] == "error"
    assert "out of time" in step.err.getvalue()


def test_run__status_that_cannot_be_written_fails_the_step(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        hub.fail("POST */statuses/*", times=None, kind="status", status=403)
        step = Step(tmp_path, hub)
        assert (step.run(), step.states) == (GITHUB, ["error"] * 4)
    assert "the token may not do this" in step.err.getvalue()


def asleep(over: threading.Event) -> None:
    over.wait(30.0)


def at_work(over: threading.Event) -> None:
    """Judge by computing, which leaves no other thread more of the processor than it must."""
    while not over.is_set():
        sum(range(1000))


@pytest.mark.parametrize("judging", [asleep, at_work])
def test_run__judging_that_does_not_end_in_time_withdraws_an_older_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judging: Callable[[threading.Event], None]
) -> None:
    over = threading.Event()
    with hub_of("feature-green") as hub:
        assert Step(tmp_path, hub).run() == PASSED
        (tmp_path / "output").unlink()
        monkeypatch.setattr(action, "make_client", lambda api: make_client(api, 2.0))
        monkeypatch.setattr(gate, "judge", lambda _: judging(over))
        step = Step(tmp_path, hub)
        began = time.monotonic()
        assert step.run() == GITHUB
        took = time.monotonic() - began
        over.set()
        standing = hub.latest_statuses()[CONTEXT]
    assert took < 15.0
    assert standing["state"] == "error"
    assert standing["description"].startswith("Could not decide: judging: out of time. There is too much to read.")


def test_run__an_event_of_an_issue_withdraws_though_no_pull_request_can_be_read(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        assert Step(tmp_path, hub).run() == PASSED
        assert hub.latest_statuses()[CONTEXT]["state"] == "success"
        hub.fail("GET *", kind="status", status=401, times=None)
        hub.fail(lambda each: each.path == "/graphql" and "Closing" not in each.text, status=401, times=None)
        assert Step(tmp_path, hub, {"issue": {"number": 12}}, GITHUB_EVENT_NAME="issues").run() == GITHUB
        assert hub.latest_statuses()[CONTEXT]["state"] == "error"


def test_run__a_slow_pull_request_starves_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others = threading.Event()
    decide = action._decide

    def slow(settings: Settings, number: int, head: str | None) -> Decision | action.Undecided:
        if number == 8:
            assert others.wait(20.0)
            return action.Undecided(name="octo/shop#8", reason="too slow")
        decided = decide(settings, number, head)
        others.set()
        return decided

    monkeypatch.setattr(action, "_decide", slow)
    with hub_of("feature-green") as hub:
        monkeypatch.setattr(action, "_heads", lambda _: {8: None, 7: None})
        step = Step(tmp_path, hub, GITHUB_EVENT_NAME="issues")
        assert step.run() == GITHUB
        assert hub.latest_statuses()[CONTEXT]["state"] == "success"
    assert "octo/shop#8 could not be decided: too slow" in step.err.getvalue()


def test_run__closing_withdraws_and_then_decides_those_of_the_same_head(tmp_path: Path) -> None:
    closed = STORIES["feature-green"].world().snapshot()
    closed["pull_request"] |= {"state": "closed"}
    twin = copy.deepcopy(STORIES["feature-green"].world().snapshot())
    twin["pull_request"] |= {"number": 8, "url": twin["pull_request"]["url"].replace("/7", "/8")}
    with FakeHub(closed, more=[twin]) as hub:
        step = Step(tmp_path, hub)
        step.run()
    told_in_order = [line for line in step.out.getvalue().splitlines() if line.startswith("octo/shop#")]
    assert [line.split()[0] for line in told_in_order] == ["octo/shop#7", "octo/shop#8"]


def test_run__a_bug_of_ours_withdraws_and_leaves_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Decision:
        raise ZeroDivisionError

    monkeypatch.setattr(live, "_judged", broken)
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub)
        with pytest.raises(ZeroDivisionError):
            step.run()
        standing = hub.latest_statuses()[CONTEXT]
    assert (standing["state"], standing["description"]) == (
        "error",
        "Could not decide: internal error, see the log of the run",
    )
    assert step.states == ["error"] * 4


def test_dry_run__writes_nothing_even_when_undecided(tmp_path: Path) -> None:
    with hub_of("feature-green") as hub:
        hub.fail("GET */issues/7/comments*", times=None, kind="status", status=403)
        step = Step(tmp_path, hub, PHASE_GATE_DRY_RUN="true")
        assert step.run() == GITHUB
        assert hub.written == []


@pytest.mark.parametrize(("event", "expected"), [("pull_request_target", 1), ("workflow_dispatch", 0)])
def test_run__annotates_where_the_run_belongs_to_the_pull_request(
    tmp_path: Path, event: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phasegate.cli.results.annotation_lines", lambda *_: ["::error file=a.json::wrong"])
    with hub_of("feature-green") as hub:
        step = Step(tmp_path, hub, GITHUB_EVENT_NAME=event, PHASE_GATE_PULL_REQUEST="7")
        step.run()
    assert step.out.getvalue().splitlines().count("::error file=a.json::wrong") == expected


def test_write_outputs__appends_with_a_delimiter_that_cannot_be_guessed(tmp_path: Path) -> None:
    path = tmp_path / "output"
    path.write_text("before=1\n", encoding="utf-8")
    action.write_outputs(path, {"one": "1", "two": "EOF\nstate=success"})
    text = path.read_bytes().decode()
    found = re.fullmatch(r"before=1\none<<(\w+)\n1\n\1\ntwo<<(\w+)\nEOF\nstate=success\n\2\n", text)
    assert found
    assert found[1] != found[2]
    assert all(re.fullmatch(r"phase_gate_[0-9a-f]{32}", delimiter) for delimiter in found.groups())


def test_run__needs_neither_outputs_nor_summary(tmp_path: Path) -> None:
    with hub_of("bug-without-qa") as hub:
        assert Step(tmp_path, hub, GITHUB_OUTPUT="", GITHUB_STEP_SUMMARY="").run() == PASSED
    assert not (tmp_path / "output").exists()


def remark(text: str, action_name: str = "created", **more: object) -> JSON:
    """An event of a comment on the pull request."""
    said: JSON = {"body": text, "user": {"login": "eve", "id": 66, "type": "User"}, "created_at": AT, "updated_at": AT}
    said |= {key: value for key, value in more.items() if key != "changes"}
    event: JSON = {"action": action_name, "issue": {"number": 7, "pull_request": {"url": "u"}}, "comment": said}
    return event | ({"changes": more["changes"]} if "changes" in more else {})


def chatter(folder: Path, hub: FakeHub, said: JSON, skip: str = "true") -> Step:
    step = Step(folder, hub, said, PHASE_GATE_SKIP_CHATTER=skip, GITHUB_EVENT_NAME="issue_comment")
    assert step.run() == PASSED
    return step


CHATTER = {
    "said": remark("Nice work!"),
    "edited": remark("at 40 %", "edited", changes={"body": {"from": "at 30 %"}}),
    "deleted": remark("Never mind", "deleted"),
}
WORDS = {
    "a verdict": remark(verdict("judge", "FAIL")),
    "a heading": remark("## jkz:judge\n\nFine."),
    "a command": remark("/gate approve qa"),
    "a verdict edited away": remark("Nice work!", "edited", changes={"body": {"from": verdict("judge", "FAIL")}}),
    "an edit that does not tell what was there": remark("Nice work!", "edited"),
    "a deleted one that was edited": remark("Nice work!", "deleted", updated_at="2026-03-02T10:09:00Z"),
    "a named agent": remark("I am at it", user={"login": "jkz-runner[bot]", "id": 987, "type": "Bot"}),
    "a named account under another name": remark("I am at it", user={"login": "renamed", "id": 987, "type": "User"}),
    "a named app": remark("I am at it", performed_via_github_app={"id": 12345}),
    "something else": remark("Nice work!", "pinned"),
}
NAMING = 'version: 1\nagents: {accounts: [{login: "jkz-runner[bot]", id: 987, app_id: 12345, roles: [judge]}]}\n'


@pytest.mark.parametrize("said", CHATTER.values(), ids=CHATTER)
def test_chatter__ends_after_reading_the_policy(tmp_path: Path, said: JSON) -> None:
    with hub_of("feature-green", NAMING) as hub:
        step = chatter(tmp_path, hub, said)
        assert [request.text.split("(")[0].strip() for request in hub.requests] == ["query Policy"]
        assert hub.written == []
    assert step.outputs == dict.fromkeys(action.OUTPUTS, "")


@pytest.mark.parametrize("said", WORDS.values(), ids=WORDS)
def test_chatter__is_nothing_that_may_count(tmp_path: Path, said: JSON) -> None:
    with hub_of("feature-green", NAMING) as hub:
        step = chatter(tmp_path, hub, said)
        assert hub.written != []
    assert step.outputs["state"] == "success"


@pytest.mark.parametrize(("policy", "skip"), [
    ("version: [", "true"), ('version: 1\nagents: {accounts: [{login: "@octo/agents"}]}\n', "true"), (None, "false"),
], ids=["broken", "a team", "not to be skipped"])  # fmt: skip
def test_chatter__is_decided_where_the_policy_cannot_tell(tmp_path: Path, policy: str | None, skip: str) -> None:
    with hub_of("feature-green", policy) as hub:
        step = chatter(tmp_path, hub, CHATTER["said"], skip)
        assert hub.written != []
    assert policy is not None or step.outputs["state"] == "success"


def test_run__a_success_names_its_base(tmp_path: Path) -> None:
    made = STORIES["feature-green"].world().snapshot()
    made["pull_request"]["base"]["ref"] = "release/" + "9" * 90
    with FakeHub(made) as hub:
        assert Step(tmp_path, hub).run() == PASSED
        said = hub.latest_statuses()[CONTEXT]["description"]
    assert said.startswith("Plan, Build and QA passed on ")
    assert ", into release/999" in said
    assert len(said) <= 140


def queued_step(folder: Path, hub: FakeHub, **changes: str) -> Step:
    told = hub.snapshot["merge_group"]
    parts = {"head_sha": told["head"], "base_sha": told["base"], "head_ref": told["ref"]}
    payload = {"merge_group": {**parts, "base_ref": f"refs/heads/{told['branch']}"}}
    return Step(folder, hub, payload, GITHUB_EVENT_NAME="merge_group", **changes)


def on_group(hub: FakeHub) -> JSON:
    """The overall status on the commit of the merge queue."""
    status: JSON = hub.latest_statuses(hub.snapshot["merge_group"]["head"])[CONTEXT]
    return status


@pytest.mark.parametrize("name", ["queued", "queued-with-another", "queued-too-early", "queued-and-failed"])
def test_merge_group__is_decided_beside_its_pull_request(tmp_path: Path, name: str) -> None:
    with hub_of(name) as hub:
        step = queued_step(tmp_path, hub, PHASE_GATE_ANNOTATIONS="check-run")
        assert step.run() == PASSED
        told = hub.latest_statuses(hub.snapshot["merge_group"]["head"])
        alone = hub.latest_statuses()[CONTEXT]["state"]
        assert not [each for each in hub.written if "/check-runs" in each["path"]]
    expected = STORIES[name].state
    assert told[CONTEXT]["state"] == expected == step.outputs["state"]
    assert {status["state"] for status in told.values()} <= {"success", "failure"}
    assert alone == {"queued-with-another": "success", "queued-too-early": "pending"}.get(name, expected)
    assert "merge group" in step.summary


def test_merge_group__writes_only_what_changed(tmp_path: Path) -> None:
    with hub_of("queued") as hub:
        for _ in range(2):
            assert queued_step(tmp_path, hub).run() == PASSED
            assert len(hub.written) == 8


@pytest.mark.parametrize("number", ["", "8"])
def test_merge_group__that_names_no_pull_request_or_another_one_gets_an_error(tmp_path: Path, number: str) -> None:
    world = STORIES["queued"].world()
    if not number:
        world.changes["merge_group"]["ref"] = "refs/heads/gh-readonly-queue/main/7"
    with FakeHub(world.snapshot()) as hub:
        step = queued_step(tmp_path, hub, **({"PHASE_GATE_PULL_REQUEST": number} if number else {}))
        assert (step.run(), on_group(hub)["state"]) == (USAGE, "error")
        assert number or "names no pull request" in on_group(hub)["description"]
        assert hub.latest_statuses() == {}
    assert step.states == ["error"] * 4


def test_merge_group__that_cannot_be_decided_gets_an_error_as_its_pull_request_does(tmp_path: Path) -> None:
    with hub_of("queued") as hub:
        hub.fail("GET */compare/*", times=None, kind="status", status=403)
        step = queued_step(tmp_path, hub)
        assert (step.run(), step.states) == (GITHUB, ["error"] * 4)
        assert on_group(hub)["state"] == hub.latest_statuses()[CONTEXT]["state"] == "error"
