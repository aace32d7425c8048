"""Evidence folders over the API: read with who pushed what, in no more trips, and never on somebody's word."""

from __future__ import annotations

import random
from typing import Any

import pytest

from phasegate.cli.files import parse_snapshot, snapshot_text
from phasegate.github.client.answers import GitHubError
from phasegate.model.report import Why
from phasegate.model.texts import IgnoreRule
from tests.casebook.attacks.evidence_history import four_failures
from tests.casebook.evidence import files as cited_files
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.overruling import refute
from tests.casebook.pipeline import PROFILE
from tests.casebook.world import PEOPLE, REPOSITORY, World, commit
from tests.fakehub import FakeHub
from tests.fakehub.artifacts import blob_of
from tests.integration.evidence import (
    FOLDER,
    PLAN,
    REVIEW,
    TEST,
    History,
    artifacts_of,
    fetched,
    files,
    rounds,
    told,
    with_artifacts,
)
from tests.integration.runs import moved, passing, read, run, state_of
from tests.integration.test_trips import LATENCY, trips

JSON = dict[str, Any]


def test_artifacts__are_read_as_they_were_put_there() -> None:
    snapshot = rounds().snapshot()
    with FakeHub(snapshot) as hub:
        whole = fetched(hub)
    assert parse_snapshot(snapshot_text(whole), "saved.json") == whole
    found = whole.branch_files
    assert found == artifacts_of(snapshot)
    assert [file.path for file in found] == [PLAN, REVIEW, TEST]
    by_path = files(found)
    assert by_path[TEST].earlier[0].text == '{"verdict": "FAIL"}'
    assert by_path[REVIEW].blob is None
    assert by_path[REVIEW].refused is None


@pytest.mark.seeds(12)
def test_artifacts__of_any_history_without_resets_come_back_the_same(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a made-up history
    history = History()
    for number in range(chance.randint(2, 9)):
        keys = chance.sample(["plan", "test", "review"], chance.randint(0, 3))
        texts = {key: chance.choice(["1", "2", None]) for key in keys}
        history.push(f"push {number}", chance.choice(["ana", "ben", "eve"]), **texts)
    history.push("last", plan="there at the end")
    snapshot = history.snapshot()
    assert told(snapshot) == artifacts_of(snapshot)


@pytest.mark.seeds(12)
def test_artifacts__of_any_history_with_resets_come_back_the_same(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a made-up history
    history = History()
    names = ["start"]
    history.push("start", plan="0", test="0", review="0")
    for number in range(chance.randint(3, 9)):
        if chance.random() < 0.5:
            history.reset(chance.choice(names), "eve")
        else:
            names.append(f"push {number}")
            key = chance.choice(["plan", "test", "review"])
            history.push(names[-1], "ana", **{key: chance.choice(["0", "1", "2"])})
    snapshot = history.snapshot()
    assert told(snapshot) == artifacts_of(snapshot)


def test_artifacts__a_strangers_file_stays_the_strangers() -> None:
    history = History()
    history.push("forged", who="eve", test='{"verdict": "PASS"}')
    history.push("merge", who="ana")
    pushed: Any = files(told(history.snapshot()))[TEST].pushed
    assert (pushed.actor.login, pushed.commit) == ("eve", commit("forged"))


def test_artifacts__a_head_that_is_gone_names_nobody() -> None:
    history = History()
    history.push("forged", who="eve", test='{"verdict": "PASS"}')
    history.push("merge", who="ana", plan="{}")
    found = files(told(history.snapshot(), gone=[commit("forged")]))
    assert (found[TEST].pushed, found[TEST].earlier) == (None, ())
    assert found[PLAN].pushed is None
    assert found[TEST].text == '{"verdict": "PASS"}'


def test_artifacts__without_a_readable_log_name_nobody() -> None:
    snapshot = rounds().snapshot(ref_log={"source": "none", "complete": False, "moves": []})
    found = told(snapshot)
    assert found
    assert all(file.pushed is None and not file.earlier for file in found)


def test_artifacts__of_a_fork_are_read_by_its_own_log() -> None:
    snapshot = rounds().snapshot()
    snapshot["pull_request"]["head"]["repository"] = "eve/shop"
    assert told(snapshot) == artifacts_of(snapshot)


def test_artifacts__more_heads_than_are_looked_at_name_nobody_of_before() -> None:
    history = History()
    history.push("early", who="eve", test="{}")
    for number in range(70):
        history.push(f"push {number}", plan=str(number) if number in (20, 69) else history.now.get(PLAN))
    with FakeHub(history.snapshot()) as hub:
        found = files(fetched(hub).branch_files)
        asked = [request for request in hub.requests if "Evidence" in request.text]
    pushed: Any = found[PLAN].pushed
    assert (found[TEST].pushed, pushed.commit) == (None, commit("push 69"))
    assert [each.pushed.commit for each in found[PLAN].earlier] == [commit("push 20")]
    assert len(asked) == 2, "what is listed, and what sixty heads held"


@pytest.mark.parametrize("pattern", [".pipeline/", ".*", "/.pipeline/**"])
def test_ignore_file__that_keeps_evidence_out_is_named(pattern: str) -> None:
    rule = {"path": ".gitignore", "line": 3, "pattern": pattern}
    with FakeHub(with_artifacts(branch_files_ignored=rule)) as hub:
        found = fetched(hub)
    assert (found.branch_files, found.branch_files_ignored) == (
        (),
        IgnoreRule(path=".gitignore", line=3, pattern=pattern),
    )


def test_ignore_file__about_other_things_and_one_that_is_a_link_say_nothing() -> None:
    link = {"path": ".gitignore", "mode": "120000", "text": ".pipeline"}
    other = {"path": ".gitignore", "text": "*.pyc\n"}
    for each in (link, other):
        with FakeHub(with_artifacts(each)) as hub:
            assert fetched(hub).branch_files_ignored is None


@pytest.mark.parametrize("count", [1, 99, 100, 101, 250, 251, 260])
def test_commits__are_all_that_github_lists_and_it_is_told_where_it_counts_more(count: int) -> None:
    commits = [commit(f"commit {number}") for number in range(count - 1)] + [commit("a")]
    with FakeHub(with_artifacts(commits=commits)) as hub:
        found = fetched(hub)
    assert (found.commits, found.commits_complete) == (tuple(commits[:250]), count <= 250)
    assert parse_snapshot(snapshot_text(found), "saved.json") == found


def test_commits__that_are_cut_short_are_an_error() -> None:
    commits = [commit(f"commit {number}") for number in range(120)] + [commit("a")]
    with FakeHub(with_artifacts(commits=commits)) as hub:
        hub.fail("GET */pulls/7/commits*page=2*", times=None, kind="empty_page")
        with pytest.raises(GitHubError, match="100 commits read, 121 expected"):
            fetched(hub)


def test_people__who_pushed_are_looked_up_once() -> None:
    history = rounds()
    history.world.say("ana", "```jkz:verdict-json\n{}\n```")
    with FakeHub(history.snapshot()) as hub:
        found = {person.login for person in fetched(hub).people}
        asked = [request.path.split("/")[-2] for request in hub.requests if request.path.endswith("/permission")]
    assert found == {"octo-dev", "ana", "ben"}
    assert sorted(asked) == ["ana", "ben", "octo-dev"]


def test_contents__of_every_older_head_are_compared() -> None:
    history = rounds()
    with FakeHub(history.snapshot()) as hub:
        found = {content.commit for content in fetched(hub).contents}
    assert found == {commit(name) for name in ("a", "planned", "tested", "code", "again")}


def test_trips__are_no_more_with_artifacts() -> None:
    def pipeline() -> JSON:
        history = rounds()
        history.world.comments += passing().comments
        return history.snapshot()

    def reads(hub: FakeHub) -> None:
        assert len(fetched(hub).branch_files) == 3

    asked = trips(pipeline, reads, 3, 2 * LATENCY)
    without = trips(pipeline, lambda hub: fetched(hub, None), 3, 2 * LATENCY)
    # listing, commits; folder, heads, four comparisons, modes, and those who pushed and said nothing
    assert asked <= without + 2 + 2 + 4 + 1 + 2


def test_trips__nothing_more_is_asked_where_no_artifacts_are_judged() -> None:
    with FakeHub(rounds().snapshot()) as hub:
        found = read(hub).snapshot
        assert not any("Evidence" in request.text or "/commits" in request.path for request in hub.requests)
        count = len(hub.requests)
    assert (found.branch_files, found.branch_files_ignored, found.commits) == ((), None, ())
    with FakeHub({**rounds().snapshot(), "branch_files": []}) as hub:
        read(hub)
        assert len(hub.requests) == count


@pytest.mark.parametrize("asked", [".gitignore", "test-result.json"])
def test_faults__what_is_told_in_part_is_an_error(asked: str) -> None:
    with FakeHub(rounds().snapshot()) as hub:
        hub.fail(lambda request: asked in str(request.body), times=None, kind="graphql_errors")
        with pytest.raises(GitHubError):
            fetched(hub)


def test_faults__what_goes_wrong_once_is_mended() -> None:
    snapshot = rounds().snapshot()
    with FakeHub(snapshot) as hub:
        hub.fail(lambda request: "Evidence" in request.text, times=2, kind="status", status=502)
        assert fetched(hub).branch_files == artifacts_of(snapshot)


def test_race__a_head_that_moves_meanwhile_is_read_anew() -> None:
    history = rounds()
    with FakeHub(history.snapshot()) as hub:

        def pushes(moving: FakeHub) -> None:
            moving.move_head(commit("later"), actor=PEOPLE["eve"])
            pushed = {"at": moving.snapshot["ref_log"]["moves"][-1]["at"], "commit": commit("later")}
            data = b'{"forged": true}'
            new = {"path": f"{FOLDER}/state.yaml", "text": data.decode(), "blob": blob_of(data), "pushed": pushed}
            moving.snapshot["branch_files"].append(new)

        hub.at_request(8, pushes)
        found = fetched(hub)
    assert found.pull_request.head.sha == commit("later")
    pushed: Any = files(found.branch_files)[f"{FOLDER}/state.yaml"].pushed
    assert pushed.actor.login == "eve"
    assert found.repository.name == REPOSITORY


@pytest.mark.parametrize("how", ["flushed", "gone"])
def test_history__that_is_out_of_sight_blocks_until_a_human_has_looked(how: str) -> None:
    world = World()
    four_failures(world)
    for number in range(61 if how == "flushed" else 1):
        world.push(f"noise{number}", "c")
    again = {"plan": plan(commit_plan=["x"]), "worker": worker(), "test": results(), "review": review()}
    world.push("c", "c", by="ana", evidence=cited_files(**again))
    lost = [commit(f"try{number}") for number in range(4)] if how == "gone" else []
    with FakeHub(world.snapshot(), gone=lost) as hub:
        blocked = read(hub).report
    assert blocked.state.value == "failure"
    assert any(need.why is Why.UNSEEN for phase in blocked.phases for need in phase.needs)
    for phase in ("build", "qa"):
        world.say("mona", f"/gate resume {phase}: I have looked at the older commits")
    assert state_of(world, gone=lost) == "success"


def green(world: World, name: str) -> None:
    texts = cited_files(plan=plan(commit_plan=["x"]), worker=worker(), test=results(), review=review())
    evidence = {path.replace("/12/", f"/{name}/"): text for path, text in texts.items()}
    world.push("green", "c", by="ana", evidence=evidence)


def test_history__of_more_folders_than_are_read_blocks() -> None:
    world = World(policy=PROFILE)
    failed = {".pipeline/zzz/test-result.json": results("FAIL", None)}
    world.push("fail", by="ana", evidence=failed)
    world.push("noise", "c", evidence={f".pipeline/a{number:02}/README.md": "noise" for number in range(25)})
    green(world, "12")
    assert state_of(world) == "failure"


def test_history__of_many_folders_that_are_gone_can_be_resumed() -> None:
    world = World(policy=PROFILE)
    many = {f".pipeline/{number}/plan.json": plan() for number in range(100, 125)}
    world.push("many", evidence=many)
    world.push("clean", "c", evidence=dict.fromkeys(many))
    green(world, "12")
    assert state_of(world) == "failure"
    for phase in ("build", "qa"):
        world.say("mona", f"/gate resume {phase}: those were plans")
    assert state_of(world) == "success"


def test_history__of_a_folder_whose_place_something_else_took_is_not_lost() -> None:
    world = World()
    four_failures(world)
    old = dict.fromkeys(world.trees[-1])
    texts = cited_files(plan=plan(commit_plan=["x"]), worker=worker(), test=results(), review=review())
    moved = {path.replace("/12/", "/issue-12/"): text for path, text in texts.items()}
    world.push("green", by="ana", evidence={**old, **moved})
    snapshot = world.snapshot()
    there = {
        "path": ".pipeline/12", "text": "a file", "pushed": {"at": world.moves[-1]["at"], "commit": commit("green")},
    }  # fmt: skip
    snapshot["branch_files"].append({**there, "blob": blob_of(b"a file"), "size": 6})
    assert state_of(snapshot) == "failure"


@pytest.mark.parametrize("mode", ["100755", "120000"])
def test_contents__the_same_mode_is_the_same_content(mode: str) -> None:
    world = passing()
    world.push("b")
    file = {"path": "tool.sh", "text": "x", "mode": mode, "status": "added"}
    assert state_of(world, commits={commit(name): {"files": [file]} for name in "ab"}) == "success"


def test_contents__evidence_may_be_executable() -> None:
    world = passing()
    world.policy = "version: 1\nphases: {build: {optional_artifacts: [git-result.json]}}\n"
    world.push("b")
    product = {"path": "tool.sh", "text": "x"}
    report = {"path": ".pipeline/12/git-result.json", "text": "{}", "mode": "100755", "status": "added"}
    commits = {commit("a"): {"files": [product, report]}, commit("b"): {"files": [product]}}
    assert state_of(world, commits=commits) == "success"


def test_cited_files__of_those_who_may_speak_alone_are_asked_for() -> None:
    world = World()
    world.planned()
    names = " ".join(f"docs/{number}.md:1" for number in range(60))
    for _ in range(3):
        refute(world, names, "J1", who="eve")
    world.judges("judge", "FAIL")
    refute(world, "See src/session.py:12.", "J1")
    world.changes["cited_files"] = [{"commit": commit("a"), "path": "src/session.py", "lines": 40}]
    world.tested()
    with FakeHub(world.snapshot()) as hub:
        assert read(hub).report.state.value == "success"
        assert not [request for request in hub.requests if "/contents/docs/" in request.path]


@pytest.mark.parametrize("who", ["ana", "ben"])
def test_record__a_blocked_worker_that_completes_is_not_held_against_the_work(who: str) -> None:
    world = World()
    world.policy = f"{PROFILE}agents: {{author_may_judge: true}}\n"
    texts = cited_files(plan=plan(), worker=worker(status="blocked", blockers=["No clock"]))
    world.push("b", by="ana", evidence=texts)
    with FakeHub(world.snapshot()) as hub:
        assert run(hub).report.state.value == "pending"
        world.leaves("w", who, worker=worker())
        world.leaves("t", who, test=results())
        world.leaves("r", who, review=review())
        moved(hub, world)
        decision = run(hub)
    assert [(seen.role, seen.outcome) for seen in decision.snapshot.record.signals] == [
        ("worker-result.json", "BLOCKED")
    ]
    assert decision.report.state.value == "success"
