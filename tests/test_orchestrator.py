"""An orchestrator that knows nothing but ``next``: it does what the first task says until the pull request is green."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from phasegate.gate import judge
from phasegate.model.report import Remedy, Report
from phasegate.report.data import report_data
from phasegate.report.tasks import next_action
from phasegate.rules import weighing
from tests.casebook.decided import report_of, snapshot_of
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
    policy = world.policy or "version: 1\n"
    assert "accounts" not in policy
    listed = policy.replace("agents: {", f"agents: {{accounts: [{line.removeprefix('- ')}], ")
    world.policy = listed if line.startswith("- ") else f"{policy}{line}\n"


def clears(world: World, task: JSON) -> None:
    """The author puts the folder of evidence right: here it is no longer ignored."""
    del task
    del world.changes["branch_files_ignored"]


def reopens(world: World, task: JSON) -> None:
    """The author opens the pull request again."""
    del task
    world.reopen()


def parts(world: World, task: JSON) -> None:
    """The other pull request with the same head is closed."""
    del task
    world.changes.pop("siblings")


def mends(world: World, task: JSON) -> None:
    """The maintainer goes back to a policy that can be read."""
    assert task["produce"]["path"] == ".github/phase-gate.yml"
    world.policy = None


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
    "fix_folder": clears,
    "reopen": reopens,
    "separate_head": parts,
    "fix_policy": mends,
}


def orchestrate(world: World) -> list[str]:
    """Do what comes first until nothing is left; what was done, and what it should turn green does."""
    done: list[str] = []
    while found := tasks(world):
        assert len(done) < MOST, done
        task = found[0]
        done.append(f"{task['do']} {task['role'] or task['phase']}")
        DOES[task["do"]](world, task)
        report = decided(world)
        states = {phase.context: phase.state.value for phase in report.phases} | {report.context: report.state.value}
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
    "only-named-agents",
    "pipeline-ignored",
    "closed-and-green",
    "sibling",
    "policy-unknown-key",
    "refused-plan",
    "refused-resume",
    "issue-spent",
    "no-plan",
)

BEYOND = ("closed-and-green", "sibling", "policy-unknown-key")  # what keeps them from green is in no phase

# For every kind of remedy a pull request whose first task is of that kind.
KINDS = {
    Remedy.GIVE_VERDICT: "author-judges",
    Remedy.PUSH_EVIDENCE: "pipeline-no-folder",
    Remedy.WRITE_PLAN: "no-plan",
    Remedy.FIX_FINDINGS: "judge-failed",
    Remedy.REPORT_AGAIN: "builder-blocked",
    Remedy.APPROVE: "approved-by-author",
    Remedy.RESUME: "resumed-too-early",
    Remedy.LINK_ISSUE: "no-linked-issue",
    Remedy.ADD_POLICY_LINE: "bot-unnamed",
    Remedy.FIX_POLICY: "policy-unknown-key",
    Remedy.FIX_FOLDER: "pipeline-ignored",
    Remedy.SEPARATE_HEAD: "sibling",
    Remedy.REOPEN: "closed-and-green",
}

# For every reason to refuse a word or an act a pull request of which that reason is the first thing said.
REFUSALS = {
    "PG102": "block-in-a-json-fence",
    "PG119": "role-key-disagrees",
    "PG120": "role-unknown",
    "PG125": "refused-without-a-heading",
    "PG126": "edited-away-by-author",
    "PG201": "only-named-agents",
    "PG202": "author-judges",
    "PG203": "bot-unnamed",
    "PG204": "bot-other-id",
    "PG205": "edited-by-another",
    "PG206": "by-email",
    "PG207": "review-dismissed",
    "PG208": "edited-by-author-forbidden",
    "PG209": "refused-in-the-wrong-place",
    "PG210": "approved-by-app",
    "PG211": "refused-approval-of-the-author",
    "PG212": "approved-by-agent",
    "PG213": "approved-unknown-phase",
    "PG214": "refused-approval-misspelt",
    "PG216": "history-unreadable",
    "PG221": "approved-by-run-of-a-branch",
    "PG222": "drifted-heading",
    "PG301": "commit-never-head",
    "PG302": "commit-ambiguous",
    "PG304": "commit-required",
    "PG305": "unlogged-approval",
}


@pytest.mark.parametrize("name", STUCK)
def test_orchestrator__brings_a_stuck_pull_request_to_green(name: str) -> None:
    world = STORIES[name].world()
    assert decided(world).state.value != "success"
    done = orchestrate(world)
    assert decided(world).state.value == "success", done
    assert len(done) == len(set(done)) or len(done) < MOST // 2


@pytest.mark.parametrize("name", [name for name in STUCK if name not in BEYOND])
def test_tasks__are_the_whole_way(name: str) -> None:
    """Without doing anything yet, the list ends where every context is green."""
    report = decided(STORIES[name].world())
    green = {phase.context for phase in report.phases if phase.state.value == "success"}
    told = {context for task in report.tasks if not task.instead for context in task.turns_green}
    assert green | told == {phase.context for phase in report.phases}
    assert len(report.tasks) <= 50
    head = commit(STORIES[name].world().head)
    assert {task.commit for task in report.tasks} <= {head, None}


def test_remedies__have_a_story_each() -> None:
    assert set(KINDS) | {Remedy.OVERRIDE, Remedy.REQUEUE} == set(Remedy)


@pytest.mark.parametrize("kind", KINDS)
def test_remedy__brings_its_phase_forward(kind: Remedy) -> None:
    world = STORIES[KINDS[kind]].world()
    first = tasks(world)[0]
    assert first["do"] == kind.value
    before = decided(world)
    DOES[first["do"]](world, first)
    assert len(tasks(world)) < len(before.tasks) or decided(world).state.value == "success"


def test_override__stands_beside_what_failed_and_turns_it_green() -> None:
    world = STORIES["judge-failed"].world()
    override = next(task for task in tasks(world) if task["do"] == "override")
    assert (override["instead"], override["turns_green"]) == (True, ["phase-gate/build"])
    acts(world, override)
    assert [phase.state.value for phase in decided(world).phases][1] == "success"


@pytest.mark.parametrize("code", REFUSALS)
def test_refusal__is_the_first_thing_said(code: str) -> None:
    world = STORIES[REFUSALS[code]].world()
    report, first = decided(world), tasks(world)[0]
    reason = next(item for item in first["refused"]["reasons"] if item["code"] == code)
    said = next_action(report)
    assert reason["message"][:60] in said
    assert said.index(reason["message"][:40]) < len(said) // 2 + 120
    assert first["refused"]["url"]


def test_strangers__are_proposed_to_nobody() -> None:
    world = World()
    world.planned()
    world.say("eve", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'issues': []})}\n")
    told = json.dumps(tasks(world))
    assert "eve" not in told
    assert "add_policy_line" not in told


def test_tasks__votes_that_are_kept_between_remedies_are_those_of_weighing_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = {name: report_of(story).tasks for name, story in STORIES.items()}
    monkeypatch.setattr(weighing, "_still_holds", lambda _old, _new: False)
    anew = {name: judge(snapshot_of(story.world())).tasks for name, story in STORIES.items()}
    assert [name for name in kept if kept[name] != anew[name]] == []
    assert sum(map(bool, kept.values())) > len(kept) // 2
