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
    world.planned()
    world.look("planned")
    world.say("ana", verdict("judge", "FAIL") + proposal(f"{TITLE} | See src/api/v1/auth.py"))
    world.look("the Judge fails it, and proposes what does not belong to it")
    shown = "J1 is noise: `src/auth.py:42` compares it already.\n\n```\n$ pytest -k expiry\n1 passed\n```\n"
    told = {"verdict": "PASS", "issues": [], "false_positives": ["J1"]}
    world.say("ana", f"## jkz:inspector\n\n{shown}\n{block(told)}\n")
    world.look("the Inspector refutes it with evidence")
    world.judges("sentinel", "FAIL", must_fix=[])
    world.look("the Sentinel fails it with nothing to fix")
    world.judges("sentinel")
    world.look("the Sentinel passes it")
    said = world.say("ana", '## jkz:lens\n\njkz:verdict-json\n{"verdict": "PASS", "issues": []}\n')
    world.look("the Lens's block is outside of its comment")
    world.edit(said, verdict("lens"), "ana")
    world.say("mona", "/gate approve qa")
    merged(world)


@green()
def walk_jkz_pipeline(world: World) -> None:
    """Plan, Build and QA, each challenged, each repaired once, with a human between them."""
    world.look("opened")
    world.say("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    world.judges("auditor", "FAIL")
    world.look("the Auditor fails the plan")
    world.say("ana", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.look("the plan waits for its checkpoint")
    world.say("mona", "/gate approve plan", on=12)
    world.say("octo-dev", f"## jkz:builder\n\nOpened.\n\n{block({'verdict': 'COMPLETE'})}\n")
    world.look("built")
    world.judges("judge", "FAIL")
    world.look("the Judge fails the work")
    world.push("b")
    world.say("octo-dev", f"## jkz:doctor\n\nJ1 is fixed.\n\n{block({'verdict': 'FIXED'})}\n")
    world.look("the Doctor has repaired it")
    world.built()
    world.look("challenged and confirmed")
    world.judges("lens")
    world.judges("sentinel", "FAIL")
    world.look("the Sentinel fails what the Lens passed")
    world.push("c")
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.look("QA waits for its checkpoint")
    world.say("mona", "/gate approve qa")
    merged(world)


@green(codes="PG308")
def walk_message_schema(world: World) -> None:
    """Triage, research, plan, work, review and audit with a revision, each an envelope."""
    world.policy = envelope.PROFILE
    world.say("mona", message("triage_request", "signal: execute"), on=12)
    world.say("ana", message("triage_result", RESEARCH), on=12)
    world.look("research is needed")
    world.say("mona", message("research_request", "signal: research\ntopic: clocks"), on=12)
    world.say("ana", message("research_result"), on=12)
    world.say("mona", message("architecture_request", "signal: plan"), on=12)
    world.say("ana", message("plan_result", envelope.with_tags("security", "data-mutation")), on=12)
    world.look("planned")
    world.say("mona", message("task_assignment", "signal: execute").replace("What I did, in words.", TASK))
    stuck = message("worker_submission", BLOCKED)
    world.say("octo-dev", stuck.replace("Sessions expire.", "Route: user. Which clock?"))
    world.look("the worker is blocked")
    envelope.works(world)
    world.look("handed in")
    envelope.reviews(world, envelope.FAILING)
    envelope.audits(world)
    world.look("the reviewer fails it")
    world.say("mona", message("revision_request"))
    world.push("b")
    envelope.works(world)
    world.look("handed in again")
    passing = envelope.MESSAGES["review_verdict"].replace("minor_count: 0", "minor_count: 1")
    envelope.reviews(world, passing.replace("signal: pass", "signal: pass_with_notes"))
    world.look("reviewed")
    envelope.audits(world)
    world.say("mona", message("approval"))
    merged(world)


@green()
def walk_pipeline_artifacts(world: World) -> None:
    """Plan, work, failing tests, diagnosis, repair, review and delivery, each a file."""
    piped(world)
    world.look("nothing yet")
    world.leaves("p", plan=plan())
    world.look("planned")
    world.leaves("w", worker=worker())
    world.look("implemented")
    world.leaves("t", test=results("FAIL", None, classification="fix_target"))
    world.look("a test fails, and nobody has looked why")
    world.leaves("d", debug=diagnosis())
    world.look("diagnosed")
    world.push("c")
    world.leaves("w2", worker=worker(summary="The expiry is compared with the clock."))
    world.look("repaired")
    world.leaves("t2", test=results(), debug=None)
    world.look("tested")
    world.leaves("r", review=review())
    world.look("reviewed")
    world.leaves("g", git=git_result(world))
    merged(world)


@green(codes="PG308")
def walk_thehood(world: World) -> None:
    """Delegated, implemented, advised, revised, criticised, repaired and approved."""
    world.policy = thehood.PROFILE
    thehood.records(world, "directive", on=12)
    thehood.decides(world, thehoodDirectiveAck=thehood.ACK)
    world.look("delegated")
    thehood.implements(world, thehoodDirectiveAck=thehood.ACK)
    world.look("implemented")
    world.say("ben", thehood.answer("qa_result", thehoodDirectiveAck=thehood.ACK))
    world.look("the QA tester advises")
    failed = ["Expired sessions are refused"]
    thehood.verifies(world, verdict="revise", failed_criteria=failed, thehoodDirectiveAck=thehood.ACK)
    world.look("the verifier asks for a repair")
    world.say("ben", thehood.answer("critique_result", verdict="needs_revision", thehoodDirectiveAck=thehood.ACK))
    thehood.records(world, "revision_packet", sourceRole="verifier", reasonCode="verifier_revise")
    world.look("criticised, and a repair begins")
    world.push("b")
    thehood.implements(world, thehoodDirectiveAck=thehood.ACK)
    world.look("repaired")
    thehood.verifies(world, thehoodDirectiveAck=thehood.ACK)
    world.say("ana", thehood.answer("reconciliation_result", thehoodDirectiveAck=thehood.ACK))
    merged(world)
