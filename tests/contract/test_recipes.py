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
from tests.casebook import reviewers
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
PLAN = "## jkz:architect\n\n1. Check the expiry.\n"
Tell = Callable[[World], object]


# Of each policy: a pull request that passes, one that it holds, and the state that the second one ends in.


def by_the_app(world: World, app: int = 12345) -> World:
    """Every agent's word comes from the bot, by that app."""
    world.says(BOT, PLAN, on=12, app_id=app)
    for role in ("auditor", "curator"):
        world.say(BOT, verdict(role), on=12, app_id=app)
    world.say("mona", "/gate approve plan", on=12)
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.say(BOT, verdict(role), app_id=app)
    return world.says("mona", "/gate approve qa")


def by_two_bots(world: World, judge: str = BOT) -> World:
    """One bot reviews, the other one tests."""
    world.planned()
    for role, who in (("judge", judge), ("inspector", judge), ("sentinel", "helper[bot]"), ("lens", "helper[bot]")):
        world.say(who, verdict(role), **({"app_id": 12345} if who == judge else {}))
    return world.says("mona", "/gate approve qa")


def of_dependabot(world: World, *paths: str) -> World:
    """Dependabot's own pull request."""
    world.author = "dependabot[bot]"
    for move in world.moves:
        move["actor"] = DEPENDABOT
    return world.without_issues().touches(*paths)


def with_warden(world: World, *roles: str) -> World:
    """The build's roles, in this order."""
    world.planned()
    for role in roles:
        world.say("ana", f"## jkz:{role}\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []})}\n")
    return world.tested()


def with_results(world: World, outcome: str) -> World:
    """Comments of all roles, and the tests' result in the branch."""
    told = results(outcome, classification=None if outcome == "PASS" else "fix_target")
    return world.then(piped, world.policy or "").leaves("t", test=told).green()


def planned_in_envelopes(world: World) -> World:
    """The plan's messages, then the rest in jkz."""
    for kind in ("triage_result", "plan_result"):
        world.say("ana", message(kind), on=12)
    return world.built().tested()


def strictly(world: World, **judged: str) -> World:
    """Every role by its own account, each verdict with its commit if one is told."""
    world.says("ana", PLAN, on=12).says("ben", verdict("auditor"), on=12)
    world.says(BOT, verdict("curator"), on=12, app_id=12345).says("mona", "/gate approve plan", on=12)
    for role, who in (("judge", "ana"), ("inspector", "ben"), ("sentinel", "ana"), ("lens", "ben")):
        world.judges(role, who=who, **judged)
    return world.says("mona", "/gate approve qa")


# Of each policy: a pull request that passes, one that it holds, the state that the second one ends in, and why.
CASES: dict[str, tuple[Tell, Tell, str, str]] = {
    "one-reviewer": (lambda world: reviewers.says(world, "coderabbit", reviewers.walkthrough()),
                     lambda world: reviewers.reviews(world, "coderabbit", reviewers.actionable(2)),
                     "failure", "ask CodeRabbit again"),
    "app": (by_the_app, lambda world: by_the_app(world, app=666),
            "pending", "is named in the policy, but with another id or app id"),
    "bots-by-role": (by_two_bots, lambda world: by_two_bots(world, judge="helper[bot]"),
                     "failure", "the policy names helper[bot] for sentinel, lens"),
    "one-account": (lambda world: everything_by(world, "octo-dev"), World.planned, "pending", "Ask Judge"),
    "exempt": (lambda world: world.touches("docs/install.md", "README.md"),
               lambda world: world.touches("docs/install.md", ".github/a.md"), "pending", "post the plan"),
    "review-only": (World.built, lambda world: world.passed_by("judge"), "pending", "Ask Inspector"),
    "labels": (lambda world: world.label("spike").planned().built(),
               lambda world: world.label("chores").planned().built(), "pending", "Ask Sentinel"),
    "qa-by-path": (lambda world: world.touches("src/auth.py").planned().built(),
                   lambda world: world.touches("web/login.ts").planned().built(), "pending", "Ask Sentinel"),
    "own-role": (lambda world: with_warden(world, "judge", "warden", "inspector"),
                 lambda world: with_warden(world, "judge", "inspector"), "pending", "Ask Warden"),
    "comments-and-files": (lambda world: with_results(world, "PASS"), lambda world: with_results(world, "FAIL"),
                           "failure", "push test-result.json"),
    "envelope-plan": (planned_in_envelopes, World.green, "pending", "Ask for the triage result"),
    "strict": (lambda world: strictly(world, commit=commit("a")), strictly,
               "failure", "it names no commit, but the policy requires one"),
}  # fmt: skip


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
def test_example__passes_an_honest_pull_request_and_holds_another_one(name: str) -> None:
    honest, held, expected, because = CASES[name]
    state, why = decided(name, honest)
    assert state == "success", why
    state, why = decided(name, held)
    assert state == expected, why
    assert because in why


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
