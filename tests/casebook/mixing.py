"""Stories of mixed pipelines, and of phases whose words must agree with the real conclusions of CI."""

from __future__ import annotations

from tests.casebook.envelope import message, with_tags
from tests.casebook.evidence import results
from tests.casebook.reviewers import says, walkthrough
from tests.casebook.story import BUILD_FAILED, GREEN, story
from tests.casebook.world import JSON, PEOPLE, World, commit, verdict

# a team plans in envelopes, builds with jkz and keeps test results as artifacts
THREE = """\
version: 1
phases:
  plan:
    dialect: envelope
    creator: plan-result
    fixer: plan-result
    roles: [triage-result, plan-result]
    human_approval: false
  build: {artifacts: [test-result.json], checks: [unit tests]}
"""
# a reviewer in a box sits where jkz has its Judge, and the auditor of envelopes decides QA
BOXED = """\
version: 1
agents: {accounts: [{format: coderabbit, roles: [judge]}]}
roles: {audit-verdict: {does: challenges, dialect: envelope}}
phases:
  qa: {roles: [audit-verdict], human_approval: false}
"""
CHECKED = "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}, build: {checks: [CHECK]}}\n"
WAITS, FAILS = "success pending success", "success failure success"


def ran(world: World, conclusion: str | None = "success", **told: object) -> None:
    """A check of CI on the head."""
    number = len(world.changes.get("checks", ())) + 1
    status = "in_progress" if conclusion is None else "completed"
    made = {"name": "unit tests", "status": status, "conclusion": conclusion, "app_id": 15368, "app": "github-actions"}
    times = {"started_at": world.tick(), "completed_at": None if conclusion is None else world.tick()}
    run = {**made, **times, "id": number, "commit": commit(world.head), **told}
    world.changes["checks"] = [*world.changes.get("checks", ()), run]


def planned(world: World) -> None:
    """Triage and plan in envelopes."""
    world.say("ana", message("triage_result"), on=12)
    world.say("ana", message("plan_result", f"{with_tags()}\nhas_blockers: false"), on=12)


def worked(world: World) -> None:
    """The plan, the product, and the tests' artifact."""
    world.policy = THREE
    planned(world)
    world.push("b")
    world.leaves("t", test=results())


def checked(world: World, check: str = "unit tests") -> None:
    """A build that both judges passed, whose phase names a check."""
    world.policy = CHECKED.replace("CHECK", check)
    world.built()


def statused(world: World, creator: JSON | None, state: str = "success") -> None:
    """A commit status of the check that the policy names."""
    told = {"context": "ci/build", "state": state, "at": world.tick(), "creator": creator}
    world.changes["statuses"] = [told]


@story(
    "three-dialects",
    "Planned in envelopes, judged in jkz, tested in artifacts, and CI agrees.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    worked(world)
    ran(world)
    world.built()
    world.tested()


@story(
    "three-dialects-without-plan",
    "The plan is written in jkz, which is not how this team plans.",
    state="pending",
    phases="pending pending pending",
    because="Waiting for Triage result",
)
def _(world: World) -> None:
    world.policy = THREE
    world.planned()
    world.push("b")
    world.leaves("t", test=results())
    ran(world)
    world.built()
    world.tested()


@story(
    "boxed-with-a-quote",
    "The auditor quotes the Inspector's verdict as people quote: each word is its own author's.",
    state="success",
    phases=GREEN,
    codes="PG031 PG125",
)
def _(world: World) -> None:
    world.policy = BOXED
    world.planned()
    says(world, "coderabbit", walkthrough())
    world.judges("inspector")
    quoted = "".join(f"> {line}\n" for line in verdict("inspector").splitlines())
    world.say("ben", f"{message('audit_verdict')}\n{quoted}")


@story(
    "three-dialects-red-artifact",
    "Judges and CI are content, the artifact is not.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG752",
    because="test-result.json says FAIL",
)
def _(world: World) -> None:
    world.policy = THREE
    planned(world)
    world.push("b")
    world.leaves("t", test=results("FAIL", None))
    world.built()
    world.tested()
    ran(world, None)


@story(
    "boxed-between-dialects",
    "CodeRabbit is the Judge, jkz inspects, and the auditor of envelopes decides QA.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = BOXED
    world.planned()
    says(world, "coderabbit", walkthrough())
    world.judges("inspector")
    world.say("ben", message("audit_verdict"))


@story("boxed-inspector", "CodeRabbit confirms what the Judge of jkz has challenged.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{format: coderabbit, roles: [inspector]}]}\n"
    world.planned()
    world.judges("judge")
    says(world, "coderabbit", walkthrough())
    world.tested()


@story(
    "boxed-between-dialects-no-audit",
    "QA is passed in jkz, but its seat is the auditor's.",
    state="pending",
    phases="success success pending",
    because="Waiting for Audit verdict",
)
def _(world: World) -> None:
    world.policy = BOXED
    world.planned()
    says(world, "coderabbit", walkthrough())
    world.judges("inspector")
    world.tested()


@story("check-agrees", "The verdicts and the check agree.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world)
    ran(world)


@story(
    "check-red",
    "Everybody passed, and the check has failed.",
    state="failure",
    phases=FAILS,
    codes="PG240",
    because="Check unit tests failed",
)
def _(world: World) -> None:
    checked(world)
    ran(world, "failure")


@story(
    "check-absent",
    "Everybody passed, and the check has not run on the head.",
    state="pending",
    phases=WAITS,
    codes="PG240",
    because="Check unit tests has not run",
)
def _(world: World) -> None:
    checked(world)


@story("check-running", "It is still running.", state="pending", phases=WAITS, because="is in progress")
def _(world: World) -> None:
    checked(world)
    ran(world, None)


@story(
    "check-skipped",
    "GitHub counts a skipped check as passed; here it says nothing.",
    state="pending",
    phases=WAITS,
    codes="PG240",
    because="was skipped on",
)
def _(world: World) -> None:
    checked(world)
    ran(world, "skipped")


@story("check-may-be-skipped", "The policy allows that it is skipped.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world, "{name: unit tests, skipped: allow}")
    ran(world, "skipped")


@story(
    "check-skipped-after-red",
    "Skipping does not answer what it said of the same head before.",
    state="pending",
    phases=WAITS,
    codes="PG240",
    because="was skipped on",
)
def _(world: World) -> None:
    checked(world, "{name: unit tests, skipped: allow}")
    ran(world, "failure", suite=1)
    ran(world, "skipped", suite=1)


@story(
    "check-cancelled",
    "A run that was cancelled found nothing: it is run again.",
    state="pending",
    phases=WAITS,
    codes="PG240",
    because="was cancelled on",
)
def _(world: World) -> None:
    checked(world)
    ran(world, "cancelled")


@story("check-run-again", "It failed, was run again and succeeded.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world)
    ran(world, "failure")
    ran(world)


@story("check-in-one-suite", "Its workflow was run again: the last run counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world)
    ran(world, "failure", suite=1)
    ran(world, suite=1)


@story("check-made-way", "A run that was cancelled made way for a later one.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world)
    ran(world, "cancelled", suite=1)
    ran(world, suite=2)


@story(
    "check-of-two-apps",
    "Two apps have a check of this name, and one of them is red.",
    state="failure",
    phases=FAILS,
    codes="PG240",
)
def _(world: World) -> None:
    checked(world)
    ran(world, "failure")
    ran(world, app_id=4711, app="other-ci")


@story("check-of-named-app", "Only the check of the named app counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world, "{name: unit tests, app_id: 15368}")
    ran(world)
    ran(world, "failure", app_id=4711, app="other-ci")


@story("check-as-status", "A CI that reports commit statuses.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world, "ci/build")
    statused(world, PEOPLE["helper[bot]"])


@story("check-as-status-of-a-writer", "Somebody who took no part in the work sets it.", state="success", phases=GREEN)
def _(world: World) -> None:
    checked(world, "ci/build")
    statused(world, PEOPLE["ben"])


@story(
    "check-before-verdict",
    "The check is red, and nobody has spoken yet.",
    state="failure",
    phases=FAILS,
    because="Check unit tests failed",
)
def _(world: World) -> None:
    world.policy = CHECKED.replace("CHECK", "unit tests")
    ran(world, "failure")


@story("check-overridden", "A human lets it pass in the open.", state="success", phases=GREEN, codes="PG240")
def _(world: World) -> None:
    checked(world)
    ran(world, "failure")
    world.say("mona", "/gate override build: the runner is down")


@story(
    "risk-asks-for-another-dialect",
    "The plan's risk tags ask for QA, which another dialect decides.",
    state="pending",
    phases="success success pending",
    because="Sentinel",
)
def _(world: World) -> None:
    world.policy = THREE
    world.label("bug")
    world.say("ana", message("triage_result"), on=12)
    world.say("ana", message("plan_result", f"{with_tags('security')}\nhas_blockers: false"), on=12)
    world.push("b")
    world.leaves("t", test=results())
    ran(world)
    world.built()
