"""Labels and issues: a way round the judges, once they have failed the work."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, WAITING, attack
from tests.casebook.story import BUILD_FAILED, QA_WAITS
from tests.casebook.world import World, block, finding

labels = partial(attack, "labels")
QUICK = "complexity:quick"
PLAN = "## jkz:architect\n\nThe plan.\n"


def without_qa(world: World) -> None:
    """Everything but QA is green."""
    world.planned()
    world.built()


@labels(
    "bug-after-failing-qa",
    "QA fails; the author calls it a bug and pushes, so that nobody need test it.",
    defence="failed-before",
    state="pending",
    phases=QA_WAITS,
    codes="PG403",
)
def _(world: World) -> None:
    without_qa(world)
    world.judges("sentinel", "FAIL")
    world.label("bug")
    world.push("b")
    world.built()


@labels(
    "bug-after-malformed-qa",
    "The FAIL was badly written.",
    defence="failed-before",
    state="pending",
    phases=QA_WAITS,
    codes="PG111 PG403",
)
def _(world: World) -> None:
    without_qa(world)
    world.say("ana", f"## jkz:sentinel\n\n{block({'verdict': 'FAIL', 'issues': [finding('S1')]})}\n")
    world.label("bug")
    world.push("b")
    world.built()


@labels(
    "relinked-to-old-bug",
    "QA fails; the pull request is linked to an older bug instead.",
    defence="failed-before",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    world.issue(9, "bug")
    world.planned(9)
    without_qa(world)
    world.judges("sentinel", "FAIL")
    world.push("b")
    world.built()
    world.issues[:] = [issue for issue in world.issues if issue["number"] == 9]


@labels(
    "native-type-after-failing-qa",
    "The issue's type, not its label, is changed after QA failed.",
    defence="failed-before",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    without_qa(world)
    world.judges("lens", "FAIL")
    world.issues[0]["type"] = "Bug"
    world.push("b")
    world.built()


@labels(
    "quick-after-failing-inspector",
    "The quick route would leave the Inspector out, who has failed it.",
    defence="quick-hides-nothing",
    state="failure",
    phases=BUILD_FAILED,
    because="Inspector failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")
    world.judges("inspector", "FAIL")
    world.label(QUICK)


@labels(
    "quick-after-failing-plan",
    "The Auditor failed the plan, and then the issue becomes a quick one.",
    defence="quick-hides-nothing",
    state="failure",
    phases=PLAN_FAILED,
    because="Auditor failed",
)
def _(world: World) -> None:
    world.say("ana", PLAN, on=12)
    world.judges("auditor", "FAIL")
    world.judges("judge")
    world.label(QUICK)


@labels(
    "quick-after-escalation",
    "The plan failed four times; quick would skip it.",
    defence="quick-hides-nothing",
    state="failure",
    phases=PLAN_FAILED,
    because="Escalated",
)
def _(world: World) -> None:
    for number in range(4):
        world.say("ana", f"## jkz:architect\n\nPlan {number}.\n", on=12)
        world.judges("auditor", "FAIL")
    world.judges("judge")
    world.label(QUICK)


@labels(
    "relinked-to-quick",
    "QA fails; the pull request is linked to an older quick issue instead.",
    defence="quick-hides-nothing",
    state="failure",
    phases="pending pending failure",
    because="Sentinel failed",
)
def _(world: World) -> None:
    world.issue(9, QUICK)
    without_qa(world)
    world.judges("sentinel", "FAIL")
    world.issues[:] = [issue for issue in world.issues if issue["number"] == 9]


@labels(
    "quick-label-too-late",
    "The Sentinel, whom the quick route keeps, had failed before the label came.",
    defence="labels-in-time",
    state="pending",
    phases=WAITING,
    codes="PG403",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {qa: {quick_roles: [sentinel]}}\n"
    world.judges("judge")
    world.judges("sentinel", "FAIL")
    world.label(QUICK)
    world.push("b")
    world.judges("judge")
    world.judges("sentinel")
    world.say("mona", "/gate approve qa")


@labels(
    "quick-label-of-unknown-age",
    "Nobody can tell when the label came.",
    defence="labels-in-time",
    state="pending",
    phases=WAITING,
    codes="PG403",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {qa: {quick_roles: [sentinel]}}\n"
    world.label(QUICK)
    world.issues[0]["label_events"] = []
    world.judges("judge")
    world.judges("sentinel", "FAIL")
    world.push("b")
    world.judges("judge")
    world.judges("sentinel")
    world.say("mona", "/gate approve qa")
