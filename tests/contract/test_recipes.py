"""The recipes: each policy is shown as it is, is sound, passes an honest pull request and holds another one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from phasegate.gate import judge
from phasegate.model.problem import Severity
from phasegate.model.report import State
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.report.tasks import next_action
from tests.casebook.decided import snapshot_of
from tests.casebook.envelope import message
from tests.casebook.evidence import results
from tests.casebook.honest import everything_by
from tests.casebook.pipeline import piped
from tests.casebook.world import PEOPLE, World, block, commit, verdict
from tests.contract.test_readme import ROOT, fences, section

EXAMPLES = ROOT / "docs" / "examples"
RECIPES = ROOT / "docs" / "recipes.md"
BOT = "jkz-runner[bot]"
DEPENDABOT = {"login": "dependabot[bot]", "id": 49699333, "type": "Bot"}
Tell = Callable[[World], object]


def everything(world: World) -> None:
    """A feature that every role passed."""
    world.planned()
    world.built()
    world.tested()


def by_the_app(world: World, app: int = 12345) -> None:
    """Every agent's word comes from the bot, by that app."""
    world.say(BOT, "## jkz:architect\n\n1. Check the expiry.\n", on=12, app_id=app)
    for role in ("auditor", "curator"):
        world.say(BOT, verdict(role), on=12, app_id=app)
    world.say("mona", "/gate approve plan", on=12)
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.say(BOT, verdict(role), app_id=app)
    world.say("mona", "/gate approve qa")


def by_two_bots(world: World, judge: str = BOT) -> None:
    """One bot reviews, the other one tests."""
    world.planned()
    for role in ("judge", "inspector"):
        world.say(judge, verdict(role), app_id=12345)
    for role in ("sentinel", "lens"):
        world.say("helper[bot]", verdict(role))
    world.say("mona", "/gate approve qa")


def changes(world: World, *paths: str) -> None:
    """What the pull request changes."""
    world.changes["files"] = {"complete": True, "entries": [{"path": path} for path in paths]}


def of_dependabot(world: World, *paths: str) -> None:
    """Dependabot's own pull request."""
    world.issues.clear()
    world.author = "dependabot[bot]"
    for move in world.moves:
        move["actor"] = DEPENDABOT
    changes(world, *paths)


def labelled(world: World, label: str) -> None:
    """An issue with a label, and no QA."""
    world.label(label)
    world.planned()
    world.built()


def without_qa(world: World, path: str) -> None:
    """Nobody has tested it."""
    changes(world, path)
    world.planned()
    world.built()


def with_warden(world: World, *roles: str) -> None:
    """The build's roles, in this order."""
    world.planned()
    for role in roles:
        world.say("ana", f"## jkz:{role}\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []})}\n")
    world.tested()


def with_results(world: World, outcome: str) -> None:
    """Comments of all roles, and the tests' result in the branch."""
    piped(world, world.policy or "")
    world.leaves("t", test=results(outcome, classification=None if outcome == "PASS" else "fix_target"))
    everything(world)


def planned_in_envelopes(world: World, *kinds: str) -> None:
    """The plan's messages, then the rest in jkz."""
    for kind in kinds:
        world.say("ana", message(kind), on=12)
    world.built()
    world.tested()


def strictly(world: World, judged: str | None = None) -> None:
    """Every role by its own account, each verdict with its commit if one is told."""
    world.say("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    world.say("ben", verdict("auditor"), on=12)
    world.say(BOT, verdict("curator"), on=12, app_id=12345)
    world.say("mona", "/gate approve plan", on=12)
    for role, who in (("judge", "ana"), ("inspector", "ben"), ("sentinel", "ana"), ("lens", "ben")):
        world.judges(role, who=who, commit=judged)
    world.say("mona", "/gate approve qa")


# Of each policy: a pull request that passes, one that it holds, and the state that the second one ends in.
CASES: dict[str, tuple[Tell, Tell, str]] = {
    "app": (by_the_app, lambda world: by_the_app(world, app=666), "pending"),
    "bots-by-role": (by_two_bots, lambda world: by_two_bots(world, judge="helper[bot]"), "failure"),
    "one-account": (lambda world: everything_by(world, "octo-dev"), lambda world: world.planned(), "pending"),
    "exempt": (lambda world: changes(world, "docs/install.md", "README.md"),
               lambda world: changes(world, "docs/install.md", ".github/a.md"), "pending"),
    "review-only": (lambda world: world.built(), lambda world: void(world.judges("judge")), "pending"),
    "labels": (lambda world: labelled(world, "spike"), lambda world: labelled(world, "chores"), "pending"),
    "qa-by-path": (lambda world: without_qa(world, "src/auth.py"), lambda world: without_qa(world, "web/login.ts"),
                   "pending"),
    "own-role": (lambda world: with_warden(world, "judge", "warden", "inspector"),
                 lambda world: with_warden(world, "judge", "inspector"), "pending"),
    "comments-and-files": (lambda world: with_results(world, "PASS"), lambda world: with_results(world, "FAIL"),
                           "failure"),
    "envelope-plan": (lambda world: planned_in_envelopes(world, "triage_result", "plan_result"), everything,
                      "pending"),
    "strict": (lambda world: strictly(world, commit("a")), strictly, "failure"),
}  # fmt: skip

BECAUSE = {
    "app": "is named in the policy, but with another id or app id",
    "bots-by-role": "the policy names helper[bot] for sentinel, lens",
    "one-account": "Ask Judge",
    "exempt": "post the plan",
    "review-only": "Ask Inspector",
    "labels": "Ask Sentinel",
    "qa-by-path": "Ask Sentinel",
    "own-role": "Ask Warden",
    "comments-and-files": "push test-result.json",
    "envelope-plan": "Ask for the triage result",
    "strict": "it names no commit, but the policy requires one",
}


def void(value: object) -> None:
    """Nothing."""
    del value


def decided(name: str, tell: Tell) -> tuple[str, str]:
    """The state that a pull request ends in under an example, and why."""
    world = World(policy=(EXAMPLES / f"{name}.yml").read_text(encoding="utf-8"))
    tell(world)
    report = judge(snapshot_of(world))
    return report.state.value, next_action(report)


def test_examples__each_has_a_case_and_stands_in_a_recipe() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.yml")}
    shown = fences(RECIPES.read_text(encoding="utf-8"), "yaml")
    assert set(files) == set(CASES)
    assert sorted(shown) == sorted(files.values())


@pytest.mark.parametrize("name", CASES)
def test_example__is_sound(name: str) -> None:
    policy = load_policy((EXAMPLES / f"{name}.yml").read_text(encoding="utf-8"), f"{name}.yml")
    assert isinstance(policy, Policy), policy
    assert [item for item in policy.problems if item.severity is Severity.ERROR] == []
    assert {item.code for item in policy.problems} <= ({"PG223"} if name == "one-account" else set())


@pytest.mark.parametrize("name", CASES)
def test_example__passes_an_honest_pull_request(name: str) -> None:
    state, why = decided(name, CASES[name][0])
    assert state == "success", why


@pytest.mark.parametrize("name", CASES)
def test_example__holds_another_one(name: str) -> None:
    _, held, expected = CASES[name]
    state, why = decided(name, held)
    assert state == expected, why
    assert BECAUSE[name] in why


@pytest.mark.parametrize(
    ("paths", "expected"), [(("package.json",), "success"), (("package.json", "src/a.js"), "pending")]
)
def test_exempt__of_dependabot_takes_both_author_and_paths(
    paths: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PEOPLE, "dependabot[bot]", DEPENDABOT)
    state, why = decided("exempt", lambda world: of_dependabot(world, *paths))
    assert state == expected, why


def test_concepts__walk_from_plan_to_merge() -> None:
    part = section((ROOT / "docs" / "concepts.md").read_text(encoding="utf-8"), "One pull request, from plan to merge")
    told = re.findall(r"^\*\*\d+\. (\w+)\*\*, on the (issue|pull request):$", part, re.MULTILINE)
    world, green = World(), []
    for (who, where), text in zip(told, fences(part, "markdown"), strict=True):
        world.say("mona" if who == "You" else "ana", text, **({"on": 12} if where == "issue" else {}))
        report = judge(snapshot_of(world))
        green.append(sum(phase.state is State.SUCCESS for phase in report.phases))
    assert green == [0, 0, 0, 1, 1, 2, 2, 2, 3]
    assert judge(snapshot_of(world)).state is State.SUCCESS


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_page__shows_only_sound_policies(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for shown in (*fences(text, "yaml"), *fences(re.sub(r"^ {3}(?! )", "", text, flags=re.MULTILINE), "yaml")):
        if re.search(r"^version: 1$", shown, re.MULTILINE):
            seated = shown.replace("accounts: []", "accounts: [{format: codex}]")  # one profile has no other seats
            policy = load_policy(seated if "profile: review" in shown else shown, path.name)
            assert isinstance(policy, Policy), policy
            assert [item for item in policy.problems if item.severity is Severity.ERROR] == []
