"""An orchestrator that knows nothing but ``next``: it does what the first task says until the pull request is green."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from phasegate.gate import judge
from phasegate.model.report import Report
from phasegate.report.data import report_data
from tests.casebook.decided import snapshot_of
from tests.casebook.every import STORIES
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.world import PEOPLE, World, block, commit

MOST = 30
JSON = dict[str, Any]
Do = Callable[[World, JSON], None]


def decided(world: World) -> Report:
    """What the gate says now."""
    return judge(snapshot_of(world))


def tasks(world: World) -> list[JSON]:
    """The way to green, as a machine gets it."""
    found = json.loads(json.dumps(report_data(decided(world))))["next"]
    assert isinstance(found, list)
    return found


def who(world: World, task: JSON) -> str:
    """An account that may do it; where none is known, one that is new here."""
    if task["accounts"]:
        return str(task["accounts"][0])
    PEOPLE.setdefault("newcomer", {"login": "newcomer", "id": 900, "type": "User"})
    world.permissions["newcomer"] = "write"
    return "newcomer"


def place(task: JSON) -> JSON:
    return {"on": task["issue"]} if task["issue"] is not None else {}


def speaks(world: World, task: JSON) -> None:
    """Words of a role, made of nothing but what the task says of them."""
    made = task["produce"]
    data = {"verdict": made["says"], "issues": []} | ({"commit": task["commit"]} if made["names_commit"] else {})
    body = block(data) if made["schema"] == "jkz/verdict" else "1. Do it.\n"
    text = f"{made['heading']}\n\n{body}\n"
    world.say(who(world, task), text, **place(task))


WRITTEN: dict[str, Callable[..., str]] = {
    "pipeline/plan": plan,
    "pipeline/worker-result": worker,
    "pipeline/test-result": results,
    "pipeline/review-result": review,
}


def pushes(world: World, task: JSON) -> None:
    """A file of evidence that fits the schema that the task names, at the path that it names."""
    made, content = task["produce"], world.contents[commit(world.head)]
    names = {"commit": task["commit"] or commit(world.head)} if made["names_commit"] else {}
    text = WRITTEN[made["schema"]](**names)
    world.push(f"{world.head}.", by=who(world, task), evidence={made["path"]: text})
    world.contents[commit(world.head)] = content


def acts(world: World, task: JSON) -> None:
    """A human writes the line that the task holds."""
    world.say(who(world, task), task["produce"]["text"].replace("<reason>", "looked at it"), **place(task))


def fixes(world: World, task: JSON) -> None:
    """Whoever fixes pushes another commit, or plans again."""
    if task["issue"] is not None:
        speaks(world, task)
        return
    world.push(f"{world.head}+", by=world.author)


def links(world: World, task: JSON) -> None:
    """The author links an issue."""
    del task
    world.issues[:] = [issue for issue in world.issues if "closed_by" not in issue]
    world.issue(40)


def names(world: World, task: JSON) -> None:
    """The maintainer adds the line to the policy."""
    line = task["produce"]["text"]
    assert world.policy is None or "accounts" not in world.policy
    world.policy = f"{world.policy or 'version: 1'}\n{line}\n"


DOES: dict[str, Do] = {
    "give_verdict": speaks,
    "push_evidence": pushes,
    "write_plan": speaks,
    "report_again": speaks,
    "fix_findings": fixes,
    "approve": acts,
    "resume": acts,
    "override": acts,
    "link_issue": links,
    "add_policy_line": names,
}


def orchestrate(world: World) -> list[str]:
    """Do what comes first until nothing is left; what was done, and what it should turn green does."""
    done: list[str] = []
    while found := tasks(world):
        assert len(done) < MOST, done
        task = found[0]
        done.append(f"{task['do']} {task['role'] or task['phase']}")
        DOES[task["do"]](world, task)
        states = {phase.context: phase.state.value for phase in decided(world).phases}
        assert all(states[context] == "success" for context in task["turns_green"]), (task["text"], states)
    return done


STUCK = (
    "bot-unnamed",
    "author-judges",
    "judge-failed",
    "role-unknown",
    "two-blocks",
    "edited-by-another",
    "approved-by-author",
    "approved-malformed",
    "approved-plan-on-pull-request",
    "resumed-too-early",
    "plan-edited-after-approval",
    "no-linked-issue",
    "log-incomplete",
    "inspector-before-judge",
    "builder-blocked",
    "base-changed",
    "commit-never-head",
    "two-issues-one-without-plan",
    "by-email",
    "wrong-place",
    "pipeline-no-folder",
    "pipeline-stale",
    "pipeline-tests-failed",
    "pipeline-no-second-phase",
    "pipeline-escalated",
)


@pytest.mark.parametrize("name", STUCK)
def test_orchestrator__brings_a_stuck_pull_request_to_green(name: str) -> None:
    world = STORIES[name].world()
    assert decided(world).state.value != "success"
    done = orchestrate(world)
    assert decided(world).state.value == "success", done
    assert len(done) == len(set(done)) or len(done) < MOST // 2


@pytest.mark.parametrize("name", STUCK)
def test_tasks__are_the_whole_way(name: str) -> None:
    """Without doing anything yet, the list ends where every context is green."""
    report = decided(STORIES[name].world())
    green = {phase.context for phase in report.phases if phase.state.value == "success"}
    told = {context for task in report.tasks if not task.instead for context in task.turns_green}
    assert green | told == {phase.context for phase in report.phases}
    assert len(report.tasks) <= 50
    head = commit(STORIES[name].world().head)
    assert {task.commit for task in report.tasks} <= {head, None}
