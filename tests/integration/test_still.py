"""Comments that change nothing: one question tells, and whatever else has changed is decided all the same."""

from __future__ import annotations

import copy
import datetime as dt
import functools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from phasegate.cli import action
from phasegate.cli.terminal import NOT_PASSED, PASSED
from phasegate.gate import reading_plan
from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.reading.mark import STILL, WORN, standing
from tests.casebook.world import ACTIONS_BOT, PEOPLE, URL, World, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.fakehub.state import completed
from tests.integration.runs import OVERALL, TARGET, client_of, states
from tests.unit.cli.test_action import Step

JSON = dict[str, Any]
NAMING = 'version: 1\nagents: {accounts: [{login: "jkz-runner[bot]", id: 987, roles: [judge]}]}\n'
RUN = "https://github.com/octo/shop/actions/runs/42"


@dataclass
class Scene:
    """A pull request that the gate has decided, and what happens to it then."""

    folder: Path
    world: World = field(default_factory=World)
    hub: FakeHub = field(init=False)

    def __post_init__(self) -> None:
        """The plan is approved, and the Judge has passed the build: the Inspector is awaited."""
        self.world.planned().says("ben", "Working on it: 1 of 10.").passed_by("judge")
        self.hub = FakeHub(self.world.snapshot())

    def pushed(self) -> Step:
        """A run that decides in any case."""
        return self._run({"pull_request": {"number": 7}}, "pull_request_target")

    def heard(self, said: JSON, before: str | None = None, on: int | None = None, **inputs: str) -> Step:
        place = {"number": 7, "pull_request": {"url": "u"}} if on is None else {"number": on}
        times = {"created_at": said["created_at"], "updated_at": said.get("edited_at") or said["created_at"]}
        comment = {"id": said["id"], "body": said["text"], "user": said["author"], **times}
        changes = {} if before is None else {"changes": {"body": {"from": before}}}
        name = "created" if before is None else "edited"
        return self._run({"action": name, "issue": place, "comment": comment, **changes}, "issue_comment", **inputs)

    def chat(self, **inputs: str) -> Step:
        return self.heard(self.world.say("eve", "Nice work!"), None, None, **inputs)

    def _run(self, payload: JSON, event: str, **inputs: str) -> Step:
        self.tell()
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        step = Step(folder, self.hub, payload, GITHUB_EVENT_NAME=event, **inputs)
        step.code = step.run()  # type: ignore[attr-defined]
        return step

    def tell(self) -> None:
        """Let the hub be where the world is."""
        self.hub.state.snapshots[0] = completed(self.world.snapshot())
        self.hub.date = dt.datetime.fromisoformat(self.hub.snapshot["taken_at"].replace("Z", "+00:00")).timestamp() + 9

    def asked(self, act: Callable[[], Step]) -> tuple[Step, list[str]]:
        """What a run asked for, each by the query's name or the path."""
        before = len(self.hub.requests)
        step = act()
        return step, [_name(request) for request in self.hub.requests[before:]]


def _name(request: Request) -> str:
    return request.text.split("(")[0].split()[-1] if request.path == "/graphql" else request.path


@pytest.fixture
def scene(tmp_path: Path) -> Any:  # noqa: ANN401  (a generator)
    made = Scene(tmp_path)
    with made.hub:
        made.pushed()
        assert states(made.hub)[OVERALL] == "pending"
        made.world.minute += 90
        yield made


def test_try_at_a_command__is_answered_without_a_policy_file_too(scene: Scene) -> None:
    tried = scene.world.say("mona", "/approve build")
    assert len(scene.asked(lambda: scene.heard(tried))[1]) > 1


@pytest.mark.parametrize("inputs", [
    {"GITHUB_RUN_ATTEMPT": "2"}, {"PHASE_GATE_DRY_RUN": "true"}, {"PHASE_GATE_SAVE_SNAPSHOT": "true"},
    {"PHASE_GATE_PULL_REQUEST": "7"},
], ids=str)  # fmt: skip
def test_chatter__is_read_whole_where_somebody_asks_for_that(scene: Scene, inputs: dict[str, str]) -> None:
    step, asked = scene.asked(lambda: scene.chat(**inputs))
    assert "Still" not in asked
    assert len(asked) > 1
    assert step.outputs["report"] != ""


def test_chatter__takes_one_question_and_leaves_all_as_it_is(scene: Scene) -> None:
    before = scene.hub.latest_statuses()
    step, asked = scene.asked(scene.chat)
    assert asked == ["Still"]
    assert scene.hub.latest_statuses() == before
    assert step.states == ["pending", "success", "pending", "pending"]
    assert tuple(step.outputs) == action.OUTPUTS
    assert step.outputs["next-action"] == scene.hub.latest_statuses()[OVERALL]["description"]
    assert step.outputs["report"] == step.outputs["next"] == ""
    assert f"([decided here]({RUN}))" in step.summary
    assert "nothing that counts has changed" in step.out.getvalue()


def test_chatter__may_fail_the_step_by_what_stands(scene: Scene) -> None:
    codes = [scene.chat(PHASE_GATE_FAIL_ON=each).code for each in ("never", "failure", "pending")]  # type: ignore[attr-defined]
    assert codes == [PASSED, PASSED, NOT_PASSED]


def edits(scene: Scene) -> Step:
    said = said_with(scene, "Working")
    before = ""
    for step in range(2, 9):
        before = said["text"]
        scene.world.edit(said, f"Working on it: {step} of 10.", "ben")
    return scene.heard(said, before)


def many(scene: Scene) -> Step:
    for number in range(30):
        scene.world.at_once()
        scene.world.say("eve", f"Remark {number}")
    return scene.chat()


def long_after(scene: Scene) -> Step:
    scene.world.minute += 300
    return scene.chat()


CHATTER: tuple[Callable[[Scene], Step], ...] = (
    edits,
    lambda scene: scene.heard(scene.world.say("ben", "I have seen this too.", on=12), on=12),
    lambda scene: scene.heard(scene.world.say("helper[bot]", "Coverage: 93 %")),
    long_after,
    many,
)


@pytest.mark.parametrize("act", CHATTER, ids=["edits", "on the issue", "from a bot", "long after", "many"])
def test_chatter__of_every_kind_is_seen_through(scene: Scene, act: Callable[[Scene], Step]) -> None:
    _, asked = scene.asked(lambda: act(scene))
    assert asked[-1] == "Still"
    assert set(asked) <= {"ClosingPullRequests", "Still"}


def said_with(scene: Scene, text: str) -> JSON:
    return next(each for each in scene.world.comments if text in each["text"])


def fails_in_passing(scene: Scene) -> None:
    said = scene.world.judges("judge", "FAIL", who="ben")
    scene.world.at_once()
    scene.world.edit(said, "Never mind.", "ben")


def fails_in_passing_long_ago(scene: Scene) -> None:
    said = said_with(scene, "Working")
    scene.world.edit(said, verdict("judge", "FAIL"), "ben")
    for step in range(30):
        scene.world.edit(said, f"Working on it: {step} of 40.", "ben")


def deletes(scene: Scene) -> None:
    scene.world.delete(said_with(scene, "jkz:judge"))


def changes_base(scene: Scene, **change: str) -> None:
    scene.world.base_changes.append({"at": scene.world.tick(), "actor": PEOPLE["octo-dev"], **change})


def retargets(scene: Scene) -> None:
    changes_base(scene, before="main", after="release")
    scene.world.base = "release"


def status(scene: Scene, context: str, state: str, who: JSON = ACTIONS_BOT, head: str = "a", **more: object) -> None:
    scene.hub.add_status(context, state, who, commit(head), **{"description": "Fine", "url": None, **more})


def marked(scene: Scene) -> str:
    url: str = scene.hub.latest_statuses()[OVERALL]["url"]
    return url


def asks_for_the_earlier(scene: Scene) -> None:
    """A mark that was right once, for another head."""
    for each in scene.hub.state.statuses[commit("a")]:
        scene.hub.state.statuses.setdefault(commit("b"), []).append({**each})
    scene.world.push("b", content="a")


MISPLACED = {"path": ".github/phase-gate.yml", "text": None, "digest": None, "misplaced": [".github/phase-gate.yaml"]}
POLICY = "version: 1\nphases: {qa: {enabled: false}}\n"
CHANGES: dict[str, Callable[[Scene], object]] = {
    # whose own run was replaced by a later event
    "fails": lambda scene: scene.world.judges("judge", "FAIL", who="ben"),
    "fails on second thought": lambda scene: scene.world.edit(
        said_with(scene, "Working"), verdict("judge", "FAIL"), "ben"
    ),
    "fails in passing": fails_in_passing,
    "fails in passing, long ago": fails_in_passing_long_ago,
    "takes it back": lambda scene: scene.world.edit(said_with(scene, "jkz:judge"), "Never mind.", "ana"),
    "tampers": lambda scene: scene.world.edit(
        said_with(scene, "jkz:judge"), said_with(scene, "jkz:judge")["text"] + "\n", "eve"
    ),
    "deletes": deletes,
    "reviews": lambda scene: scene.world.review("ben", verdict("judge", "FAIL"), state="CHANGES_REQUESTED"),
    "labels": lambda scene: scene.world.label("bug"),
    "links": lambda scene: scene.world.link(13),
    "unlinks": lambda scene: scene.world.unlink(12),
    "closes the issue": lambda scene: scene.world.issues[0].update(state="closed"),
    "changes the plan": lambda scene: scene.world.edit(
        scene.world.issues[0]["comments"][0], "## jkz:architect\n\n1. Something else.\n", "ana"
    ),
    "judges the plan": lambda scene: scene.world.say("ben", verdict("auditor", "FAIL"), on=12),
    "changes the policy": lambda scene: setattr(scene.world, "policy", POLICY),
    "misplaces the policy": lambda scene: scene.world.changes.update(policy={**MISPLACED}),
    "pushes": lambda scene: scene.world.push("b"),
    "retargets": retargets,
    "forces the base": lambda scene: changes_base(
        scene, before=commit("base"), after=commit("older base"), kind="forced"
    ),
    "closes": lambda scene: scene.world.close(),
    "shares the head": lambda scene: scene.world.changes.update(
        siblings=[{"number": 8, "url": f"{URL}/pull/8", "base": "main"}]
    ),
    "writes a phase": lambda scene: status(scene, "phase-gate/build", "success"),
    "writes a success": lambda scene: status(scene, OVERALL, "success", url=marked(scene)),
    "writes as somebody else": lambda scene: status(
        scene, "Phase-Gate/plan", "success", PEOPLE["ben"], url=marked(scene)
    ),
    "could not decide": lambda scene: status(scene, OVERALL, "error"),
    "a day later": lambda scene: [
        each.update(at="2026-03-01T09:00:00Z") for each in scene.hub.state.statuses[commit("a")]
    ],
    "asks for the earlier": asks_for_the_earlier,
}


@pytest.mark.parametrize("change", CHANGES)
def test_chatter__hides_nothing_that_happened_before_it(scene: Scene, change: str) -> None:
    CHANGES[change](scene)
    step, asked = scene.asked(scene.chat)
    assert "PullRequest" in asked
    told = step.outputs["state"]
    again = scene.pushed()
    assert again.outputs["state"] == told
    assert states(scene.hub)[OVERALL] == told != "success"


def test_chatter__a_success_is_confirmed_by_every_run(scene: Scene) -> None:
    scene.world.judges("inspector")
    scene.world.tested()
    assert scene.pushed().outputs["state"] == "success"
    _, asked = scene.asked(scene.chat)
    assert "PullRequest" in asked
    assert "Still" in asked


@pytest.mark.parametrize("text", ["## jkz:judge\n\nFine.", "/gate approve qa"])
def test_words__are_not_looked_through_first(scene: Scene, text: str) -> None:
    _, asked = scene.asked(lambda: scene.heard(scene.world.say("ben", text)))
    assert "Still" not in asked


def named(scene: Scene, policy: str = NAMING) -> Callable[[], Step]:
    """An account that the policy names remarks something."""
    scene.world.policy = policy
    scene.world.push("b")
    scene.pushed()
    return lambda: scene.heard(scene.world.say("jkz-runner[bot]", "Working on it: 1 of 10."))


def test_named__is_told_at_once_that_it_wrote_something_else_and_then_no_more(scene: Scene) -> None:
    remarks = named(scene)
    step, asked = scene.asked(remarks)
    assert "PullRequest" in asked
    assert "jkz-runner[bot]" in step.outputs["next-action"] + scene.hub.latest_statuses()[OVERALL]["description"]
    assert scene.asked(remarks)[1] == ["Still"]
    scene.world.say("jkz-runner[bot]", verdict("judge", "FAIL"))
    assert scene.chat().outputs["state"] == "failure"


def test_named__for_no_role_is_read_only_where_it_holds_something(scene: Scene) -> None:
    remarks = named(scene, 'version: 1\nagents: {accounts: [{login: "jkz-runner[bot]", id: 987}]}\n')
    assert scene.asked(remarks)[1] == ["Still"]
    scene.world.say("jkz-runner[bot]", verdict("judge", "FAIL"))
    assert scene.chat().outputs["state"] == "failure"


CHECKS = f"/repos/octo/shop/commits/{commit('b')}/check-runs"
POLICIES: dict[str, tuple[str, list[str]]] = {
    "plain": ("version: 1\n", ["Still"]),
    "with checks": ("version: 1\nphases: {build: {checks: [tests]}}\n", ["Still", CHECKS]),
    "with a team": ('version: 1\nagents: {accounts: [{login: "@octo/agents"}]}\n', []),
    "with approvals by runs": (
        "version: 1\nhumans: {dispatch: {workflow: .github/workflows/approve.yml, environment: approval}}\n",
        [],
    ),
    "broken": ("version: [", []),
}


@pytest.mark.parametrize("name", POLICIES)
def test_policy__may_need_more_than_one_question(scene: Scene, name: str) -> None:
    scene.world.policy, enough = POLICIES[name]
    scene.world.push("b")
    scene.pushed()
    _, asked = scene.asked(scene.chat)
    assert asked == enough or ("PullRequest" in asked and not enough)


def test_checks__that_ended_are_seen(scene: Scene) -> None:
    scene.world.policy = POLICIES["with checks"][0]
    check: JSON = {"name": "tests", "status": "in_progress", "conclusion": None, "app_id": 15368, "id": 5}
    scene.world.push("b")
    scene.hub.state.checks[commit("b")] = [check]
    scene.pushed()
    assert scene.asked(scene.chat)[1] == ["Still", CHECKS]
    check |= {"status": "completed", "conclusion": "failure", "completed_at": "2026-03-02T12:00:00Z"}
    assert "PullRequest" in scene.asked(scene.chat)[1]
    status(scene, "tests", "failure", PEOPLE["ben"], head="b")
    assert scene.chat().outputs["state"] == "failure"


def test_event__is_not_told_yet(scene: Scene) -> None:
    """A machine of GitHub's that lags behind: what it does not know of may be more than the remark."""
    said = scene.world.say("eve", "Nice work!")
    scene.world.comments.remove(said)
    assert "PullRequest" in scene.asked(lambda: scene.heard(said))[1]
    scene.world.comments.append(said)
    assert scene.asked(lambda: scene.heard(said))[1] == ["Still"]
    later = {**said, "edited_at": scene.world.tick()}
    assert "PullRequest" in scene.asked(lambda: scene.heard(later, "Nice"))[1]


def test_mark__is_not_left_where_the_log_of_pushes_was_not_told(scene: Scene) -> None:
    scene.world.push("b")
    scene.world.unlogged()
    scene.pushed()
    assert "PullRequest" in scene.asked(scene.chat)[1]
    del scene.world.changes["ref_log"]
    scene.chat()
    assert scene.asked(scene.chat)[1] == ["Still"]


def test_mark__wears_out_sooner_where_statuses_are_kept_for_a_day(scene: Scene) -> None:
    scene.world.minute += 7 * 60
    assert scene.asked(lambda: scene.chat(GITHUB_RETENTION_DAYS="90"))[1] == ["Still"]
    assert "PullRequest" in scene.asked(lambda: scene.chat(GITHUB_RETENTION_DAYS="1"))[1]
    assert scene.asked(lambda: scene.chat(GITHUB_RETENTION_DAYS="1"))[1] == ["Still"]


@pytest.mark.parametrize("kind", ["status", "graphql_timeout", "html", "empty", "wrong_type", "huge", "reset"])
def test_question__is_not_answered(scene: Scene, kind: str) -> None:
    options: JSON = {"status": {"status": 502}, "huge": {"size": 40_000_000}}.get(kind, {})
    scene.hub.fail("POST /graphql", times=None, kind=kind, containing="query Still", **options)
    scene.world.judges("judge", "FAIL", who="ben")
    assert scene.chat().outputs["state"] == "failure"


NONSENSE: tuple[object, ...] = (None, 0, 10**9, "", [], {}, [None])


def _spots(value: Any, *path: Any) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401  (JSON)
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from _spots(each, *path, key)


def test_answer__with_nonsense_in_any_place_hides_no_fail(scene: Scene) -> None:
    scene.world.judges("judge", "FAIL", who="ben")
    said = scene.world.say("eve", "Nice work!")
    scene.tell()
    owner = {"owner": "octo", "name": "shop", "number": 7, "policy": "HEAD:.github/phase-gate.yml"}
    client = client_of(scene.hub)
    answer = client.graphql("Still", STILL, owner)
    wrong, tried = [], 0
    for path in _spots(answer):
        for value in NONSENSE:
            made = copy.deepcopy(answer)
            *above, last = path
            functools.reduce(lambda found, key: found[key], above, made)[last] = value
            tried += 1
            client.divisible = lambda *_, made=made: made  # type: ignore[method-assign]
            try:
                with as_documented("the answer"):
                    if standing(client, TARGET, reading_plan, (said["id"], said["created_at"])) is not None:
                        wrong.append((path, value))
            except GitHubError:
                pass
    assert tried > 1000
    assert {path[-1] for path, _ in wrong} <= {"body"}  # a text may be anything that is one
    assert {type(value) for _, value in wrong} <= {str}


def test_mark__is_written_anew_after_a_while_where_nothing_else_is_to_be_written(scene: Scene) -> None:
    scene.world.say("eve", "What does jkz:judge mean?")
    assert "PullRequest" in scene.asked(scene.chat)[1]
    written = len(scene.hub.written)
    assert "PullRequest" in scene.asked(scene.chat)[1]
    assert not any("/statuses/" in each["path"] for each in scene.hub.written[written:])
    scene.world.minute += WORN // 60
    assert "PullRequest" in scene.asked(scene.chat)[1]
    new = [each["body"] for each in scene.hub.written[written:] if "/statuses/" in each["path"]]
    assert [each["context"] for each in new] == [OVERALL]
    assert scene.asked(scene.chat)[1] == ["Still"]
