"""Stories of the envelope profile: typed messages from triage to audit."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_FAILED, QA_WAITS, story
from tests.casebook.world import JSON, World, commit

PROFILE = "version: 1\nprofile: envelope\n"
PLAN_WAITS = "pending pending pending"
COUNTS = "security_findings: {critical: 0, high: 0, medium: 0, low: 0}"
MESSAGES = {
    "triage_result": "signal: triage_complete\ntier: 2\nresearch_needed: false",
    "plan_result": "signal: plan_complete\nplan_file: .claude/plans/sessions-expire.md\nwave_count: 1\nrisk_tags: []",
    "research_result": "signal: research_complete\ntopic: clocks\nverified: true",
    "worker_submission": "signal: rfr\nfiles_changed:\n- src/auth.py\nac_coverage:\n  AC1: pass\nqa_check: pass",
    "review_verdict": "signal: pass\ncritical_count: 0\nmoderate_count: 0\nminor_count: 0\nac_coverage:\n  AC1: pass",
    "audit_verdict": f"signal: pass\n{COUNTS}\nbuild_status: pass\ntest_status: pass",
    "revision_request": "signal: revise\niteration: 1\nmax_iterations: 5\nfix_severity: all",
    "approval": "signal: lgtm",
}
BODIES = {
    "worker_submission": "## Result\n\nSessions expire.\n\n## Self-Assessment\n\nAC1 holds.\n",
    "architecture_request": "No research needed — proceed.\n",
    "review_verdict": "What I found, in words.\n\n## AC Coverage\n\nAC1 was looked at.\n",
    "audit_verdict": "CLEAN\n\n## Runtime\n\n12 tested, 12 passed, 0 failed.\n",
    "triage_result": "## Triage\n\nSessions never expire.\n",
    "research_result": (
        "**Answer:** UTC.\n\n**Verified Facts:** its manual says so.\n\n**Version Constraints:** none.\n\n"
        "**Gotchas:** none.\n\n**Unverified claims:** none.\n"
    ),
    "revision_request": "## Issues to fix\n\n- Review: a lost update.\n",
}
FAILING = "signal: fail\ncritical_count: 1\nac_coverage:\n  AC1: fail"


def message(kind: str, told: str = "", carrier: str = "front matter") -> str:
    """A message that breaks no rule, unless something else is told."""
    text = f"type: {kind}\n{told or MESSAGES[kind]}"
    body = BODIES.get(kind, "What I did, in words.\n")
    body += "\n## Research Questions\n\n1. Which clock?\n" if "research_needed: true" in text else ""
    return f"{body}\n```envelope\n{text}\n```\n" if carrier == "fence" else f"---\n{text}\n---\n\n{body}"


def enveloped(world: World, told: str = "", policy: str = PROFILE) -> None:
    """The profile, and a plan on the issue."""
    world.under(policy).says("ana", message("triage_result"), on=12)
    world.says("ana", message("plan_result", told), on=12)


def works(world: World, told: str = "") -> JSON:
    """The worker hands in."""
    return world.say("octo-dev", message("worker_submission", told))


def reviews(world: World, told: str = "", who: str = "ana") -> JSON:
    """The reviewer judges."""
    return world.say(who, message("review_verdict", told))


def audits(world: World, told: str = "", who: str = "ben") -> JSON:
    """The auditor judges."""
    return world.say(who, message("audit_verdict", told))


def with_tags(*tags: str) -> str:
    """A plan with risk tags."""
    return MESSAGES["plan_result"].replace("[]", f"[{', '.join(tags)}]")


@story(phases=GREEN)
def envelope_green(world: World) -> None:
    """Triage, plan, work, review and audit, each in its envelope."""
    world.then(enveloped).then(works).then(reviews).then(audits)


@story(phases=GREEN, codes="PG031 PG125")
def envelope_signal_in_a_sentence(world: World) -> None:
    """People use the word for other things."""
    world.then(enveloped).then(works).then(reviews).then(audits)
    world.says("octo-dev", "The tests gave me a signal: the clock is slow.")
    world.says("mona", "The next `review_verdict` could have `signal: pass_with_notes`, if you ask me.")


@story(phases=BUILD_FAILED, codes="PG031")
def envelope_objection_in_a_sentence(world: World) -> None:
    """The reviewer takes a pass back in words that are no message."""
    world.then(enveloped).then(works).then(reviews).then(audits)
    world.says("ana", "I looked again: my review_verdict has signal: needs more work.")


@story(phases=BUILD_WAITS, codes="PG222")
def envelope_drifted(world: World) -> None:
    """The reviewer whom the policy names says something that is no message."""
    enveloped(world, policy=f"{PROFILE}agents: {{accounts: [{{login: ben, id: 22, roles: [review-verdict]}}]}}\n")
    world.then(works).says("ben", "type review verdict: looks good to me")


@story(phases=BUILD_FAILED, codes="PG119", because="its sources name different roles")
def envelope_emitter_of_another_seat(world: World) -> None:
    """The auditor's account sends a review: each message has its own emitter."""
    accounts = "[{login: ana, id: 21}, {login: octo-dev, id: 11}, {login: ben, id: 22, roles: [audit-verdict]}]"
    world.then(enveloped, policy=f"{PROFILE}agents: {{only: true, accounts: {accounts}}}\n").then(works)
    reviews(world, who="ben")


@story(phases=GREEN)
def envelope_in_fences(world: World) -> None:
    """Where front matter is stripped, a fence carries it."""
    world.under(PROFILE)
    for kind in ("triage_result", "plan_result"):
        world.says("ana", message(kind, carrier="fence"), on=12)
    world.says("octo-dev", message("worker_submission", carrier="fence"))
    for kind in ("review_verdict", "audit_verdict"):
        world.says("ana", message(kind, carrier="fence"))


@story(phases=GREEN)
def envelope_with_notes(world: World) -> None:
    """A pass with notes passes."""
    world.then(enveloped).then(works)
    reviews(world, MESSAGES["review_verdict"].replace("signal: pass", "signal: pass_with_notes"))
    audits(world)


@story(phases=BUILD_FAILED, because="Review verdict failed")
def envelope_failing(world: World) -> None:
    """The reviewer fails the work."""
    world.then(enveloped).then(works).then(reviews, FAILING)


@story(phases=GREEN)
def envelope_second_round(world: World) -> None:
    """Failed, asked to revise, handed in again and passed."""
    world.then(enveloped).then(works).then(reviews, FAILING).says("ana", message("revision_request")).push("b")
    world.then(works).then(reviews).then(audits).says("ana", message("approval"))


def rounds(world: World, count: int) -> None:
    """So many failing rounds, then one that passes."""
    enveloped(world)
    for number in range(count):
        world.then(works).then(reviews, FAILING).push(f"fix-{number}")
    world.then(works).then(reviews).then(audits)


@story(phases=GREEN)
def envelope_five_rounds(world: World) -> None:
    """Five failing rounds are five chances."""
    rounds(world, 5)


@story(phases=BUILD_FAILED, because="Escalated")
def envelope_six_rounds(world: World) -> None:
    """The sixth failing round is one too many."""
    rounds(world, 6)


BLOCKERS = f"{MESSAGES['plan_result']}\nhas_blockers: true"


@story(phases=GREEN)
def envelope_blockers_approved(world: World) -> None:
    """A human has decided on the blockers."""
    world.then(enveloped, BLOCKERS).says("mona", "/gate approve plan", on=12).then(works).then(reviews)
    audits(world)


@story(phases=PLAN_WAITS, because="Plan result says blocked")
def envelope_plan_blocked(world: World) -> None:
    """The architect is blocked."""
    enveloped(world, MESSAGES["plan_result"].replace("plan_complete", "blocked"))


@story(phases=BUILD_WAITS, because="Worker submission says escalate")
def envelope_worker_escalates(world: World) -> None:
    """Beyond the worker: a human is asked, and the work waits."""
    world.then(enveloped).then(works, MESSAGES["worker_submission"].replace("rfr", "escalate"))


@story(phases=GREEN)
def envelope_bug_of_other_risks(world: World) -> None:
    """A bug with risks of another kind needs no audit."""
    world.label("bug")
    enveloped(world, with_tags("external-api", "breaking-change", "new-library", "authoring-tool", "none"))
    world.then(works).then(reviews)


@story(phases=GREEN)
def envelope_bug_without_audit(world: World) -> None:
    """A bug needs no audit."""
    world.label("bug").then(enveloped, with_tags("external-api")).then(works).then(reviews)


@story(phases=QA_WAITS, because="Waiting for Audit verdict")
def envelope_bug_with_risk(world: World) -> None:
    """The plan's risk tags ask for an audit, whatever the label."""
    world.label("bug").then(enveloped, with_tags("external-api", "data-mutation")).then(works).then(reviews)


@story(phases=GREEN)
def envelope_bug_with_risk_audited(world: World) -> None:
    """The audit that was asked for passed."""
    world.label("bug").then(enveloped, with_tags("auth")).then(works).then(reviews).then(audits)


@story(phases=QA_FAILED, because="Audit verdict failed")
def envelope_audit_failing(world: World) -> None:
    """The audit fails."""
    world.then(enveloped).then(works).then(reviews)
    audits(
        world, f"signal: fail\n{COUNTS.replace('critical: 0', 'critical: 1')}\nbuild_status: pass\ntest_status: pass"
    )


@story(phases=PLAN_WAITS, because="Waiting for Triage result")
def envelope_no_triage(world: World) -> None:
    """A plan without triage waits for it."""
    world.under(PROFILE).says("ana", message("plan_result"), on=12)


@story(phases=PLAN_WAITS, codes="PG308", because="Plan result is stale")
def envelope_triage_after_plan(world: World) -> None:
    """A plan that is older than its triage is made again."""
    world.under(PROFILE).says("ana", message("plan_result"), on=12).says("ana", message("triage_result"), on=12)


@story(phases=GREEN, codes="PG821 PG821")
def envelope_research_missing(world: World) -> None:
    """The plan came before the research: it counts, and says so."""
    world.under(PROFILE)
    asked = "signal: triage_complete\ntier: 2\nresearch_needed: true\nresearch_count: 2"
    world.says("ana", message("triage_result", asked), on=12)
    found = MESSAGES["research_result"].replace("true", "false")
    world.says("ana", message("research_result", found), on=12).says("ana", message("plan_result"), on=12)
    world.then(works).then(reviews).then(audits)


@story(phases=GREEN)
def envelope_names_commit(world: World) -> None:
    """A verdict may name its commit."""
    world.then(enveloped).then(works)
    world.then(reviews, f"{MESSAGES['review_verdict']}\ncommit: '{commit('a')[:12]}'").then(audits)


@story(phases=GREEN)
def envelope_quick(world: World) -> None:
    """A quick issue needs only the review."""
    world.label("complexity:quick").under(PROFILE).then(reviews)


HIGH = MESSAGES["audit_verdict"].replace("high: 0", "high: 2")


@story(phases=GREEN, codes="PG824")
def envelope_high_findings(world: World) -> None:
    """High findings under a pass are told."""
    world.then(enveloped).then(works).then(reviews).then(audits, HIGH)


@story(phases=QA_FAILED, codes="PG824", because="Audit verdict is invalid")
def envelope_high_findings_refused(world: World) -> None:
    """The policy holds with the newer version, in which high findings force a fail."""
    world.then(enveloped, policy=f"{PROFILE}rules: {{PG824: error}}\n").then(works).then(reviews)
    audits(world, HIGH)


@story(phases=GREEN)
def envelope_planned_again(world: World) -> None:
    """Who saw a risk plans again without it."""
    world.label("bug").then(enveloped, with_tags("auth")).says("ana", message("plan_result"), on=12).then(works)
    reviews(world)


UNCOVERED = "signal: pass\ncritical_count: 0\nmoderate_count: 0\nminor_count: 0"


def reviewed_without_criteria(world: World, policy: str) -> None:
    """All is well, but the review does not tell of criteria."""
    world.then(enveloped, policy=policy).then(works).then(reviews, UNCOVERED).then(audits)


@story(phases=BUILD_FAILED, codes="PG828", because="Review verdict is invalid")
def envelope_review_without_criteria(world: World) -> None:
    """A review must tell how each criterion was met."""
    reviewed_without_criteria(world, PROFILE)


@story(phases=GREEN)
def envelope_review_without_criteria_allowed(world: World) -> None:
    """The policy holds with the newer version, in which criteria may be left out."""
    reviewed_without_criteria(world, f'{PROFILE}rules: {{PG828: "off"}}\n')


@story(phases=BUILD_FAILED, codes="PG826", because="Review verdict is invalid")
def envelope_counts_required(world: World) -> None:
    """The policy holds with the newer version, in which every count is told."""
    enveloped(world, MESSAGES["plan_result"] + "\nhas_blockers: false", policy=f"{PROFILE}rules: {{PG826: error}}\n")
    world.then(works).then(reviews, "signal: pass\ncritical_count: 0\nac_coverage:\n  AC1: pass").then(audits)


def approved_then_committed(world: World, title: str) -> None:
    """All is well, the work is approved, and then committed once more without a change."""
    world.then(enveloped).then(works).then(reviews).then(audits).says("ana", message("approval"))
    world.push("amended", "a")
    world.head_title = title


@story(phases=GREEN)
def envelope_commit_by_convention(world: World) -> None:
    """The commit after lgtm tells its kind."""
    approved_then_committed(world, "feat(auth)!: sessions expire")


@story(phases=GREEN, codes="PG829")
def envelope_commit_of_no_kind(world: World) -> None:
    """The commit after lgtm is not named by convention: a warning."""
    approved_then_committed(world, "Sessions expire")


@story(phases=GREEN, codes="PG818")
def envelope_other_files_told(world: World) -> None:
    """A submission names a file that is not changed: shown, and it decides nothing."""
    enveloped(world)
    works(world, MESSAGES["worker_submission"].replace("- src/auth.py", "- src/auth.py\n- src/cart.py"))
    world.then(reviews).then(audits)


@story(phases=BUILD_WAITS, codes="PG827", because='Review verdict says blocked: "What I found, in words."')
def envelope_review_is_blocked(world: World) -> None:
    """A reviewer may stop without counts: its question is shown, and answering is a human's task."""
    world.then(enveloped).then(works).then(reviews, "signal: blocked").then(audits)


@story(phases=BUILD_FAILED, codes="PG701 PG822", because="agent is architect")
def envelope_review_by_the_architect(world: World) -> None:
    """An architect's review_verdict is not the reviewer's."""
    world.then(enveloped).then(works).then(reviews, f"{MESSAGES['review_verdict']}\nagent: architect")
    audits(world)


@story(phases=PLAN_WAITS, codes="PG827", because='research_result.signal is escalate: "UTC or local time?"')
def envelope_research_escalates(world: World) -> None:
    """A researcher whose last word is that a human must decide: the plan waits for one, who is told the question."""
    enveloped(world)
    world.says("ben", "---\ntype: research_result\nsignal: escalate\n---\n\nUTC or local time?\n", on=12)
    world.then(works).then(reviews).then(audits)


@story(phases=GREEN, codes="PG827")
def envelope_research_answered(world: World) -> None:
    """The same researcher has found the answer since."""
    enveloped(world)
    world.says("ben", "---\ntype: research_result\nsignal: escalate\n---\n\nUTC or local time?\n", on=12)
    world.says("ben", message("research_result"), on=12).then(works).then(reviews).then(audits)


@story(phases=GREEN, codes="PG701")
def envelope_own_keys(world: World) -> None:
    """A key of its own is noted and decides nothing."""
    world.then(enveloped).then(works).then(reviews, f"{MESSAGES['review_verdict']}\nconfidence: 0.9")
    audits(world)
