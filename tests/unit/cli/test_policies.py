"""Actions policies as doctor reads them: each row of what can be seen, runs where nothing can, and odd answers."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.cli.policies import ActionsPolicy
from phasegate.cli.setup import SIGNAL, SWEEP, TARGET, WORKFLOW, event_policy, triggers_in
from phasegate.model.frozen import replace
from tests.fakehub import FakeHub
from tests.unit.cli.shell import COMMAND, Shell
from tests.unit.cli.test_doctor import GATE, healthy
from tests.unit.cli.wired import doctor, found, written

pytestmark = pytest.mark.usefixtures("no_forgeries")
JSON = dict[str, Any]
TRIGGERS = triggers_in(GATE)
OURS = {"id": 1, **event_policy(TRIGGERS)}
ABOVE: JSON = {"source_type": "Organization", "source": "octo"}
SINCE, BEFORE, LATER = "2026-11-10T08:00:00Z", "2026-10-20T08:00:00Z", "2027-03-01T08:00:00Z"


def policy(number: int, *, events: list[str] | None = None, **told: object) -> JSON:
    """A policy with one rule about events, or with what else is told."""
    named = sorted(TRIGGERS) if events is None else events
    rule = {"type": "restrict_action_events", "parameters": {"allowed_events": named}}
    return {
        "id": number, "name": f"policy-{number}", "enforcement": "active", "conditions": {}, "rules": [rule], **told,
    }  # fmt: skip


def ran(conclusion: str | None, at: str = SINCE, event: str = TARGET, jobs: int = 1) -> JSON:
    url = f"https://github.com/octo/shop/actions/runs/{at[:4]}"
    told = {"run": 5, "workflow": WORKFLOW, "ref": "refs/heads/main", "event": event, "at": at, "url": url}
    return {**told, "conclusion": conclusion, "jobs": jobs}


def test_policy__none_is_wrong_in_a_public_repository_and_the_line_to_copy_makes_one(shell: Shell) -> None:
    done = doctor(shell, policies=[])
    ((level, message, fix),) = found(done)
    assert (done.code, level) == (1, "wrong")
    assert "no Actions policy allows it for .github/workflows/phase-gate.yml" in message
    assert fix.startswith("An administrator allows it (Settings, Actions, Policies)")
    (command,) = (each["command"] for each in done.data["findings"] if each["command"])
    assert command.startswith("echo '{")
    assert command.endswith(" -X POST repos/octo/shop/actions/policies --input -")


@pytest.mark.parametrize("visibility", ["private", "internal"])
def test_policy__none_is_well_where_there_is_no_default(shell: Shell, visibility: str) -> None:
    ((level, message, _),) = found(doctor(shell, policies=[], visibility=visibility))
    assert (level, message.endswith(f"not in {visibility} repositories")) == ("well", True)


EVERY = 'the policy "phase-gate" of the repository octo/shop lets every event start .github/workflows/phase-gate.yml'
MANY = [*(policy(number, enforcement="disabled") for number in range(2, 130)), policy(200, events=["push"])]
# The policies, the level of each finding and a part of the first one.
LEVELS: dict[str, tuple[list[JSON], list[str], str]] = {
    "names every trigger": ([OURS], ["well"], EVERY),
    "disabled": ([{**OURS, "enforcement": "disabled"}], ["wrong"], ""),
    "evaluated only": ([{**OURS, "enforcement": "evaluate"}], ["note", "wrong"], ""),
    "without rules": ([{**OURS, "rules": []}], ["note", "wrong"], "has no rules"),
}


@pytest.mark.parametrize("name", LEVELS)
def test_policy__allows_what_it_names_where_it_is_enforced(shell: Shell, name: str) -> None:
    policies, levels, said = LEVELS[name]
    done = doctor(shell, policies=policies)
    assert (done.code, [level for level, *_ in found(done)]) == (int("wrong" in levels), levels)
    assert said in found(done)[0][1]
    assert name != "names every trigger" or found(done)[0][1:] == (EVERY, "")


def test_policy__every_page_of_the_list_is_read(shell: Shell) -> None:
    done = doctor(shell, policies=MANY)
    assert any('"policy-200"' in message for level, message, _ in found(done) if level == "wrong")


@pytest.mark.parametrize(("version", "asked"), [("3.17.4", False), ("3.22.0", False), ("3.23.0", True), ("dev", True)])
def test_policy__a_server_has_no_default_and_before_3_23_none(shell: Shell, version: str, *, asked: bool) -> None:
    hubs: list[FakeHub] = []
    ((level, message, _),) = found(doctor(shell, hubs.append, policies=[], installed=version))
    assert level == "well"
    assert "GitHub Enterprise Server" in message
    assert any("actions/policies" in request.path for request in hubs[0].requests) == asked


REFUSES = {
    "own": (policy(2, events=["issue_comment"]), "of the repository octo/shop", "Add it to the policy"),
    "of the organization": (
        policy(2, events=["issue_comment"], **ABOVE), 'policy "policy-2" of the organization octo',
        "Ask an owner of the organization octo to allow it: a policy of the repository cannot",
    ),
    "all": (
        policy(2, events=["push"], conditions={"workflow_path": {"include": ["~ALL"], "exclude": []}}),
        "does not allow", "Add it",
    ),
    "all but others": (
        policy(2, events=[], conditions={"workflow_path": {"include": [], "exclude": [".github/workflows/ci.yml"]}}),
        "does not allow", "Add it",
    ),
    "by a glob": (
        policy(2, events=[], conditions={"workflow_path": {"include": [".github/workflows/phase-*"], "exclude": []}}),
        "does not allow", "Add it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSES)
@pytest.mark.parametrize("ours", [[OURS], []], ids=["beside ours", "alone"])
def test_policy__one_that_lacks_an_event_is_named_with_its_level(shell: Shell, ours: list[JSON], name: str) -> None:
    told, title, remedy = REFUSES[name]
    done = doctor(shell, policies=[*ours, told])
    ((level, message, fix),) = (each for each in found(done) if each[0] != "well")
    assert (done.code, level) == (1, "wrong")
    assert title in message
    assert f"{TARGET}, workflow_dispatch, so GitHub refuses such runs of {WORKFLOW}" in message
    assert fix.startswith(remedy)


@pytest.mark.parametrize("conditions", [
    {"workflow_path": {"include": [".github/workflows/ci.yml"], "exclude": []}},
    {"workflow_path": {"include": [".github/workflows/*"], "exclude": [WORKFLOW]}},
    {"workflow_path": {"include": ["~ALL"], "exclude": [".github/workflows/phase-gate*"]}},
])  # fmt: skip
def test_policy__one_about_other_workflows_neither_refuses_nor_allows(shell: Shell, conditions: JSON) -> None:
    refusing = policy(2, events=["push"], conditions=conditions)
    assert [level for level, *_ in found(doctor(shell, policies=[OURS, refusing]))] == ["well"]
    allowing = policy(2, conditions=conditions)
    assert [level for level, *_ in found(doctor(shell, policies=[allowing]))] == ["wrong"]


def test_policy__an_event_that_the_sweep_or_the_signal_needs_counts_too(shell: Shell) -> None:
    snapshot, more = healthy()
    tree = {**more["tree"], **written(target=False)}
    del snapshot
    done = doctor(shell, tree=tree, policies=[policy(2, events=sorted(triggers_in(tree[WORKFLOW])))])
    wrong = [message for level, message, _ in found(done) if level == "wrong"]
    assert len(wrong) == 2
    assert f"does not allow pull_request, pull_request_review, so GitHub refuses such runs of {SIGNAL}" in wrong[1]
    assert f"does not allow schedule, so GitHub refuses such runs of {SWEEP}" in wrong[0]


def test_policy__a_rule_about_actors_is_a_warning(shell: Shell) -> None:
    actors = {"type": "restrict_actions_actors", "parameters": {"allowed_actors": [{"id": 1, "type": "User"}]}}
    done = doctor(shell, policies=[{**OURS, "rules": [*OURS["rules"], actors]}])
    (warned,) = (each for each in found(done) if each[0] == "warning")
    assert done.code == 0
    assert "others' pushes, retargets and comments start none" in warned[1]


# Without the right to read policies the runs tell.

RUNS: dict[str, tuple[list[JSON], str, str]] = {
    "refused": ([ran("startup_failure", jobs=0)], "wrong", "was refused before it began (startup_failure, no job)"),
    "refused after a success": ([ran("success", BEFORE), ran("startup_failure", jobs=0)], "wrong", "was refused"),
    "another event refused": (
        [ran("success"), ran("startup_failure", event="issue_comment", jobs=0)], "wrong",
        "on issue_comment was refused",
    ),
    "not started for another reason": ([ran("startup_failure", jobs=1)], "warning", "did not start"),
    "success": ([ran("success")], "well", "ran on pull_request_target on 2026-11-10, so the event is allowed"),
    "success after a refusal": ([ran("startup_failure", BEFORE, jobs=0), ran("success")], "well", "is allowed"),
    "success under one that runs": ([ran("success"), ran(None, "2026-11-17T08:00:00Z")], "well", "is allowed"),
    "failure": ([ran("failure")], "well", "is allowed"),
    "success before the block": ([ran("success", BEFORE)], "warning", "did not run on pull_request_target since"),
    "none": ([], "warning", "never ran on pull_request_target, although #7 is open"),
    "only under way": ([ran(None)], "unseen", "have not ended yet"),
    "a clock that is off": ([ran("success", LATER)], "unseen", "no time that can be right"),
    "cancelled": ([ran("cancelled")], "unseen", "ended as cancelled"),
    "success under one that was cancelled": (
        [ran("success"), ran("cancelled", "2026-11-17T08:00:00Z")], "well", "is allowed",
    ),
    "refused under one that was cancelled": (
        [ran("startup_failure", jobs=0), ran("cancelled", "2026-11-17T08:00:00Z")], "wrong", "was refused",
    ),
}  # fmt: skip


@pytest.mark.parametrize("status", [403, 404])
@pytest.mark.parametrize("name", RUNS)
def test_runs__tell_where_policies_cannot_be_read(shell: Shell, name: str, status: int) -> None:
    runs, level, said = RUNS[name]

    def prepare(hub: FakeHub) -> None:
        hub.state.other_runs = [{**run, "run": 100 + number} for number, run in enumerate(runs)]

    done = doctor(shell, prepare, policies_refused=status)
    ((got, message, fix),) = found(done)
    assert (got, done.code) == (level, int(level == "wrong"))
    assert said in message
    assert level == "wrong" or f"GitHub answered {status}" in message or "did not start" in message
    assert bool(fix) == (level != "well")


UNREAD: dict[str, tuple[list[JSON], str, JSON, int, str]] = {
    "none, and nothing open": ([], "GET */pulls?*", {"kind": "wrong_type", "data": []}, 404, "unseen"),
    "runs": ([ran("success")], "GET */actions/workflows/*", {"kind": "status", "status": 403}, 403, "warning"),
    "jobs": ([ran("startup_failure", jobs=0)], "GET */jobs*", {"kind": "status", "status": 403}, 403, "warning"),
}


@pytest.mark.parametrize("name", UNREAD)
def test_runs__that_may_not_be_read_are_not_called_well(shell: Shell, name: str) -> None:
    runs, match, fault, refused, level = UNREAD[name]

    def prepare(hub: FakeHub) -> None:
        hub.state.other_runs = runs
        hub.fail(match, times=None, **fault)

    assert [got for got, *_ in found(doctor(shell, prepare, policies_refused=refused))] == [level]


@pytest.mark.parametrize("refused", [True, False])
def test_runs__of_a_private_repository_can_still_be_refused(shell: Shell, *, refused: bool) -> None:
    def prepare(hub: FakeHub) -> None:
        hub.state.other_runs = [ran("startup_failure" if refused else "success", jobs=0)]

    done = doctor(shell, prepare, policies_refused=403, visibility="private")
    assert [level for level, *_ in found(done)] == ["wrong" if refused else "note"]


# Answers of another form are said, and nothing is called well because of them.

LIST = "GET */actions/policies?*"
ONE = "GET */actions/policies/1"
ODD: dict[str, tuple[str, JSON, str]] = {
    "a list": (LIST, {"kind": "wrong_type", "data": []}, "the list of Actions policies is not of the form"),
    "no count": (LIST, {"kind": "wrong_type", "data": {"policies": []}}, "the list of Actions policies is not"),
    "no list": (LIST, {"kind": "nonsense", "at": "policies", "value": {}}, "the list of Actions policies is not"),
    "no policy": (LIST, {"kind": "nonsense", "at": "policies.0", "value": 1}, "the list of Actions policies is not"),
    "cut short": (LIST, {"kind": "wrong_type", "data": {"total_count": 2, "policies": []}}, "only 0 of 2"),
    "no answer for one": (ONE, {"kind": "status", "status": 404}, "applies here and may not be read"),
    "refused for one": (ONE, {"kind": "status", "status": 403}, "applies here and may not be read"),
    "another one": (ONE, {"kind": "nonsense", "at": "id", "value": 2}, 'the answer for the policy "phase-gate"'),
    "rules": (
        ONE, {"kind": "nonsense", "at": "rules", "value": {"a": 1}}, 'the policy "phase-gate" is not of the form',
    ),
    "a rule": (ONE, {"kind": "nonsense", "at": "rules.0", "value": "all"}, "is not of the form"),
    "events": (ONE, {"kind": "nonsense", "at": "rules.0.parameters", "value": None}, "is not of the form"),
    "an event": (ONE, {"kind": "nonsense", "at": "rules.0.parameters.allowed_events", "value": [1]}, "is not of the"),
    "no patterns": (ONE, {"kind": "nonsense", "at": "conditions.workflow_path", "value": []}, "is not of the form"),
    "no conditions": (ONE, {"kind": "nonsense", "at": "conditions", "value": []}, "is not of the form"),
    "level": (ONE, {"kind": "nonsense", "at": "source_type", "value": ["Repository"]}, "is not of the form"),
    "enforcement": (ONE, {"kind": "nonsense", "at": "enforcement", "value": "on"}, "is not of the form"),
    "paths": (ONE, {"kind": "nonsense", "at": "conditions.workflow_path", "value": ["x"]}, "is not of the form"),
    "patterns": (ONE, {"kind": "nonsense", "at": "conditions.workflow_path.include", "value": "x"}, "is not of the"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_policy__of_another_form_is_said_and_is_not_well(shell: Shell, name: str) -> None:
    match, fault, said = ODD[name]
    done = doctor(shell, lambda hub: hub.fail(match, times=None, **fault))
    levels = [level for level, *_ in found(done)]
    assert levels == ["unseen", "warning"]  # what is odd, and what the runs tell instead: nothing
    assert said in found(done)[0][1]
    assert not COMMAND.search(done.out)


def test_policy__a_pattern_that_can_be_read_in_two_ways_is_said(shell: Shell) -> None:
    unclear = policy(2, conditions={"workflow_path": {"include": [".github/*.yml"], "exclude": []}})
    done = doctor(shell, lambda hub: hub.state.other_runs.append(ran("success")), policies=[unclear])
    assert [level for level, *_ in found(done)] == ["unseen", "well"]
    assert "by its patterns .github/*.yml" in found(done)[0][1]


@pytest.mark.parametrize("address", [
    "http://127.0.0.2:9/orgs/octo/actions/policies/2", "{api}@127.0.0.2/orgs/octo/actions/policies/2",
    "{api}.example.com/orgs/octo/actions/policies/2", "{api}/orgs/octo/actions/policies/2?x=http://127.0.0.2",
    "{api}/orgs/octo/../../user", "",
])  # fmt: skip
def test_policy__the_token_goes_nowhere_else(shell: Shell, address: str) -> None:
    hubs: list[FakeHub] = []

    def prepare(hub: FakeHub) -> None:
        hubs.append(hub)
        links = {"self": {"href": address.format(api=hub.url)}}
        hub.state.policies = [OURS, policy(2, **ABOVE, _links=links)]

    done = doctor(shell, prepare)
    assert "has an address that is not one of this API, which was not asked" in found(done)[0][1]
    assert [level for level, *_ in found(done)] == ["unseen", "warning"]
    assert not [request for request in hubs[0].requests if request.path.startswith(("/orgs", "/user"))]


@pytest.mark.parametrize(("pattern", "covers"), [
    (WORKFLOW, True),
    (".github/workflows/*", True),
    (".github/workflows/*.yml", True),
    (".github/workflows/phase-gat?.yml", True),
    (".github/**", True),
    (".github/**/phase-gate.yml", True),
    ("**/phase-gate.yml", True),
    ("*", None),
    ("*.yml", None),
    (".github/*", None),
    (".github/workflows/phase-gate.[y]ml", None),
    ("!.github/workflows/phase-gate.yml", None),
    (".github/workflows", False),
    (".github/workflows/ci.yml", False),
    ("phase-gate.yml", False),
    (".github?workflows/phase-gate.yml", False),
    ("*" * 400 + "a" + "*a" * 400, False),
])  # fmt: skip
def test_covers__reads_a_pattern_as_github_does_or_cannot_tell(pattern: str, *, covers: bool | None) -> None:
    told = ActionsPolicy(name="x", level="repository", source="octo/shop", enforcement="active")
    assert replace(told, include=(pattern,)).covers(WORKFLOW) is covers
    opposite = None if covers is None else not covers
    assert replace(told, exclude=(pattern,)).covers(WORKFLOW) is opposite
