"""One pull request for each of the five documents: its whole flow with a failure on the way, until it is merged."""

from __future__ import annotations

from functools import partial

from tests.casebook import envelope, thehood
from tests.casebook.envelope import message
from tests.casebook.evidence import diagnosis, plan, results, review, worker
from tests.casebook.pipeline import git_result, piped
from tests.casebook.proposals import TITLE, proposal
from tests.casebook.story import GREEN, story
from tests.casebook.world import World, block, verdict

green = partial(story, phases=GREEN)
RESEARCH = "signal: triage_complete\ntier: 2\nresearch_needed: true\nresearch_count: 1"
BLOCKED = "signal: blocked\nfiles_changed: []\nqa_check: fail"
TASK = """\
## Task

Sessions expire.

## Acceptance Criteria

AC1: after an hour.

## Context

Clocks are in UTC.

## Files

src/auth.py"""


def merged(world: World) -> None:
    """Somebody looks once more, and merges."""
    world.look("everything has passed")
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@green(codes="PG031 PG114 PG115")
def walk_signal_format(world: World) -> None:
    """Verdicts, a proposal, a refuted finding, a contradiction and a block outside of its comment."""
    world.planned().look("planned")
    world.says("ana", verdict("judge", "FAIL") + proposal(f"{TITLE} | See src/api/v1/auth.py"))
    world.look("the Judge fails it, and proposes what does not belong to it")
    shown = "J1 is noise: `src/auth.py:42` compares it already.\n\n```\n$ pytest -k expiry\n1 passed\n```\n"
    told = {"verdict": "PASS", "issues": [], "false_positives": ["J1"]}
    world.says("ana", f"## jkz:inspector\n\n{shown}\n{block(told)}\n")
    world.look("the Inspector refutes it with evidence").failed_by("sentinel", must_fix=[])
    world.look("the Sentinel fails it with nothing to fix").passed_by("sentinel").look("the Sentinel passes it")
    said = world.say("ana", '## jkz:lens\n\njkz:verdict-json\n{"verdict": "PASS", "issues": []}\n')
    world.look("the Lens's block is outside of its comment").edit(said, verdict("lens"), "ana")
    world.says("mona", "/gate approve qa").then(merged)


@green()
def walk_jkz_pipeline(world: World) -> None:
    """Plan, Build and QA, each challenged, each repaired once, with a human between them."""
    world.look("opened").says("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12).failed_by("auditor")
    world.look("the Auditor fails the plan")
    world.says("ana", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=12).passed_by("auditor")
    world.passed_by("curator").look("the plan waits for its checkpoint")
    world.says("mona", "/gate approve plan", on=12)
    world.says("octo-dev", f"## jkz:builder\n\nOpened.\n\n{block({'verdict': 'COMPLETE'})}\n").look("built")
    world.failed_by("judge").look("the Judge fails the work").push("b")
    world.says("octo-dev", f"## jkz:doctor\n\nJ1 is fixed.\n\n{block({'verdict': 'FIXED'})}\n")
    world.look("the Doctor has repaired it").built().look("challenged and confirmed").passed_by("lens")
    world.failed_by("sentinel").look("the Sentinel fails what the Lens passed").push("c").built()
    world.passed_by("sentinel", "lens").look("QA waits for its checkpoint").says("mona", "/gate approve qa")
    merged(world)


@green(codes="PG308")
def walk_message_schema(world: World) -> None:
    """Triage, research, plan, work, review and audit with a revision, each an envelope."""
    world.under(envelope.PROFILE).says("mona", message("triage_request", "signal: execute"), on=12)
    world.says("ana", message("triage_result", RESEARCH), on=12).look("research is needed")
    world.says("mona", message("research_request", "signal: research\ntopic: clocks"), on=12)
    world.says("ana", message("research_result"), on=12)
    world.says("mona", message("architecture_request", "signal: plan"), on=12)
    world.says("ana", message("plan_result", envelope.with_tags("security", "data-mutation")), on=12)
    world.look("planned")
    world.says("mona", message("task_assignment", "signal: execute").replace("What I did, in words.", TASK))
    stuck = message("worker_submission", BLOCKED)
    world.says("octo-dev", stuck.replace("Sessions expire.", "Route: user. Which clock?"))
    world.look("the worker is blocked")
    envelope.works(world)
    world.look("handed in")
    envelope.reviews(world, envelope.FAILING)
    envelope.audits(world)
    world.look("the reviewer fails it").says("mona", message("revision_request")).push("b")
    envelope.works(world)
    world.look("handed in again")
    passing = envelope.MESSAGES["review_verdict"].replace("minor_count: 0", "minor_count: 1")
    envelope.reviews(world, passing.replace("signal: pass", "signal: pass_with_notes"))
    world.look("reviewed")
    envelope.audits(world)
    world.says("mona", message("approval")).then(merged)


@green()
def walk_pipeline_artifacts(world: World) -> None:
    """Plan, work, failing tests, diagnosis, repair, review and delivery, each a file."""
    world.then(piped).look("nothing yet").leaves("p", plan=plan()).look("planned").leaves("w", worker=worker())
    world.look("implemented").leaves("t", test=results("FAIL", None, classification="fix_target"))
    world.look("a test fails, and nobody has looked why").leaves("d", debug=diagnosis()).look("diagnosed")
    world.push("c").leaves("w2", worker=worker(summary="The expiry is compared with the clock."))
    world.look("repaired").leaves("t2", test=results(), debug=None).look("tested").leaves("r", review=review())
    world.look("reviewed").leaves("g", git=git_result(world)).then(merged)


@green(codes="PG308")
def walk_thehood(world: World) -> None:
    """Delegated, implemented, advised, revised, criticised, repaired and approved."""
    world.under(thehood.PROFILE).then(thehood.records, "directive", on=12)
    world.then(thehood.decides, thehoodDirectiveAck=thehood.ACK).look("delegated")
    world.then(thehood.implements, thehoodDirectiveAck=thehood.ACK).look("implemented")
    world.says("ben", thehood.answer("qa_result", thehoodDirectiveAck=thehood.ACK))
    world.look("the QA tester advises")
    failed = ["Expired sessions are refused"]
    thehood.verifies(world, verdict="revise", failed_criteria=failed, thehoodDirectiveAck=thehood.ACK)
    world.look("the verifier asks for a repair")
    world.says("ben", thehood.answer("critique_result", verdict="needs_revision", thehoodDirectiveAck=thehood.ACK))
    thehood.records(world, "revision_packet", sourceRole="verifier", reasonCode="verifier_revise")
    world.look("criticised, and a repair begins").push("b")
    world.then(thehood.implements, thehoodDirectiveAck=thehood.ACK).look("repaired")
    thehood.verifies(world, thehoodDirectiveAck=thehood.ACK)
    world.says("ana", thehood.answer("reconciliation_result", thehoodDirectiveAck=thehood.ACK)).then(merged)
