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


def ran(world: World, /, conclusion: str | None = "success", **told: object) -> None:
    """A check of CI on the head."""
    number = len(world.changes.get("checks", ())) + 1
    status = "in_progress" if conclusion is None else "completed"
    made = {"name": "unit tests", "status": status, "conclusion": conclusion, "app_id": 15368, "app": "github-actions"}
    times = {"started_at": world.tick(), "completed_at": None if conclusion is None else world.tick()}
    run = {**made, **times, "id": number, "commit": commit(world.head), **told}
    world.changes["checks"] = [*world.changes.get("checks", ()), run]


def planned(world: World) -> None:
    """Triage and plan in envelopes."""
    world.says("ana", message("triage_result"), on=12)
    world.says("ana", message("plan_result", f"{with_tags()}\nhas_blockers: false"), on=12)


def worked(world: World) -> None:
    """The plan, the product, and the tests' artifact."""
    world.under(THREE).then(planned).push("b").leaves("t", test=results())


def checked(world: World, check: str = "unit tests") -> None:
    """A build that both judges passed, whose phase names a check."""
    world.under(CHECKED.replace("CHECK", check)).built()


def statused(world: World, creator: JSON | None, state: str = "success") -> None:
    """A commit status of the check that the policy names."""
    told = {"context": "ci/build", "state": state, "at": world.tick(), "creator": creator}
    world.changes["statuses"] = [told]


@story(phases=GREEN)
def three_dialects(world: World) -> None:
    """Planned in envelopes, judged in jkz, tested in artifacts, and CI agrees."""
    world.then(worked).then(ran).built().tested()


@story(phases="pending pending pending", because="Waiting for Triage result")
def three_dialects_without_plan(world: World) -> None:
    """The plan is written in jkz, which is not how this team plans."""
    world.under(THREE).planned().push("b").leaves("t", test=results()).then(ran).built().tested()


@story(phases=GREEN, codes="PG031 PG125")
def boxed_with_a_quote(world: World) -> None:
    """The auditor quotes the Inspector's verdict as people quote: each word is its own author's."""
    world.under(BOXED).planned().then(says, "coderabbit", walkthrough()).passed_by("inspector")
    quoted = "".join(f"> {line}\n" for line in verdict("inspector").splitlines())
    world.says("ben", f"{message('audit_verdict')}\n{quoted}")


@story(phases=BUILD_FAILED, codes="PG752", because="test-result.json says FAIL")
def three_dialects_red_artifact(world: World) -> None:
    """Judges and CI are content, the artifact is not."""
    world.under(THREE).then(planned).push("b").leaves("t", test=results("FAIL", None)).built().tested()
    ran(world, None)


@story(phases=GREEN)
def boxed_between_dialects(world: World) -> None:
    """CodeRabbit is the Judge, jkz inspects, and the auditor of envelopes decides QA."""
    world.under(BOXED).planned().then(says, "coderabbit", walkthrough()).passed_by("inspector")
    world.says("ben", message("audit_verdict"))


@story(phases=GREEN)
def boxed_inspector(world: World) -> None:
    """CodeRabbit confirms what the Judge of jkz has challenged."""
    world.under("version: 1\nagents: {accounts: [{format: coderabbit, roles: [inspector]}]}\n").planned()
    world.passed_by("judge").then(says, "coderabbit", walkthrough()).tested()


@story(phases="success success pending", because="Waiting for Audit verdict")
def boxed_between_dialects_no_audit(world: World) -> None:
    """QA is passed in jkz, but its seat is the auditor's."""
    world.under(BOXED).planned().then(says, "coderabbit", walkthrough()).others_pass()


@story(phases=GREEN)
def check_agrees(world: World) -> None:
    """The verdicts and the check agree."""
    world.then(checked).then(ran)


@story(phases=FAILS, codes="PG240", because="Check unit tests failed")
def check_red(world: World) -> None:
    """Everybody passed, and the check has failed."""
    world.then(checked).then(ran, "failure")


@story(phases=WAITS, because="is in progress")
def check_running(world: World) -> None:
    """It is still running."""
    world.then(checked).then(ran, None)


@story(phases=GREEN)
def check_may_be_skipped(world: World) -> None:
    """The policy allows that it is skipped."""
    world.then(checked, "{name: unit tests, skipped: allow}").then(ran, "skipped")


@story(phases=WAITS, codes="PG240", because="was skipped on")
def check_skipped_after_red(world: World) -> None:
    """Skipping does not answer what it said of the same head before."""
    world.then(checked, "{name: unit tests, skipped: allow}").then(ran, "failure", suite=1)
    ran(world, "skipped", suite=1)


@story(phases=WAITS, codes="PG240", because="was cancelled on")
def check_cancelled(world: World) -> None:
    """A run that was cancelled found nothing: it is run again."""
    world.then(checked).then(ran, "cancelled")


@story(phases=GREEN)
def check_run_again(world: World) -> None:
    """It failed, was run again and succeeded."""
    world.then(checked).then(ran, "failure").then(ran)


@story(phases=GREEN)
def check_in_one_suite(world: World) -> None:
    """Its workflow was run again: the last run counts."""
    world.then(checked).then(ran, "failure", suite=1).then(ran, suite=1)


@story(phases=GREEN)
def check_made_way(world: World) -> None:
    """A run that was cancelled made way for a later one."""
    world.then(checked).then(ran, "cancelled", suite=1).then(ran, suite=2)


@story(phases=GREEN)
def check_of_named_app(world: World) -> None:
    """Only the check of the named app counts."""
    world.then(checked, "{name: unit tests, app_id: 15368}").then(ran)
    ran(world, "failure", app_id=4711, app="other-ci")


@story(phases=GREEN)
def check_as_status(world: World) -> None:
    """A CI that reports commit statuses."""
    world.then(checked, "ci/build").then(statused, PEOPLE["helper[bot]"])


@story(phases=GREEN)
def check_as_status_of_a_writer(world: World) -> None:
    """Somebody who took no part in the work sets it."""
    world.then(checked, "ci/build").then(statused, PEOPLE["ben"])


@story(phases=FAILS, because="Check unit tests failed")
def check_before_verdict(world: World) -> None:
    """The check is red, and nobody has spoken yet."""
    world.under(CHECKED.replace("CHECK", "unit tests")).then(ran, "failure")


@story(phases=GREEN, codes="PG240")
def check_overridden(world: World) -> None:
    """A human lets it pass in the open."""
    world.then(checked).then(ran, "failure").says("mona", "/gate override build: the runner is down")


@story(phases="success success pending", because="Sentinel")
def risk_asks_for_another_dialect(world: World) -> None:
    """The plan's risk tags ask for QA, which another dialect decides."""
    world.under(THREE).label("bug").says("ana", message("triage_result"), on=12)
    world.says("ana", message("plan_result", f"{with_tags('security')}\nhas_blockers: false"), on=12).push("b")
    world.leaves("t", test=results()).then(ran).built()
