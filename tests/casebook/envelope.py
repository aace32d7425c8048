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
    world.policy = policy
    world.say("ana", message("triage_result"), on=12)
    world.say("ana", message("plan_result", told), on=12)


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


@story("envelope-green", "Triage, plan, work, review and audit, each in its envelope.", state="success", phases=GREEN)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world)
    audits(world)


@story(
    "envelope-signal-in-a-sentence",
    "People use the word for other things.",
    state="success",
    phases=GREEN,
    codes="PG031 PG125",
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world)
    audits(world)
    world.say("octo-dev", "The tests gave me a signal: the clock is slow.")
    world.say("mona", "The next `review_verdict` could have `signal: pass_with_notes`, if you ask me.")


@story(
    "envelope-objection-in-a-sentence",
    "The reviewer takes a pass back in words that are no message.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG031",
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world)
    audits(world)
    world.say("ana", "I looked again: my review_verdict has signal: needs more work.")


@story(
    "envelope-drifted",
    "The reviewer whom the policy names says something that is no message.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG222",
)
def _(world: World) -> None:
    enveloped(world, policy=f"{PROFILE}agents: {{accounts: [{{login: ben, id: 22, roles: [review-verdict]}}]}}\n")
    works(world)
    world.say("ben", "type review verdict: looks good to me")


@story(
    "envelope-emitter-of-another-seat",
    "The auditor's account sends a review: each message has its own emitter.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG119",
    because="its sources name different roles",
)
def _(world: World) -> None:
    accounts = "[{login: ana, id: 21}, {login: octo-dev, id: 11}, {login: ben, id: 22, roles: [audit-verdict]}]"
    enveloped(world, policy=f"{PROFILE}agents: {{only: true, accounts: {accounts}}}\n")
    works(world)
    reviews(world, who="ben")


@story("envelope-in-fences", "Where front matter is stripped, a fence carries it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = PROFILE
    for kind in ("triage_result", "plan_result"):
        world.say("ana", message(kind, carrier="fence"), on=12)
    world.say("octo-dev", message("worker_submission", carrier="fence"))
    for kind in ("review_verdict", "audit_verdict"):
        world.say("ana", message(kind, carrier="fence"))


@story("envelope-with-notes", "A pass with notes passes.", state="success", phases=GREEN)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, MESSAGES["review_verdict"].replace("signal: pass", "signal: pass_with_notes"))
    audits(world)


@story(
    "envelope-failing",
    "The reviewer fails the work.",
    state="failure",
    phases=BUILD_FAILED,
    because="Review verdict failed",
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, FAILING)


@story("envelope-second-round", "Failed, asked to revise, handed in again and passed.", state="success", phases=GREEN)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, FAILING)
    world.say("ana", message("revision_request"))
    world.push("b")
    works(world)
    reviews(world)
    audits(world)
    world.say("ana", message("approval"))


def rounds(world: World, count: int) -> None:
    """So many failing rounds, then one that passes."""
    enveloped(world)
    for number in range(count):
        works(world)
        reviews(world, FAILING)
        world.push(f"fix-{number}")
    works(world)
    reviews(world)
    audits(world)


@story("envelope-five-rounds", "Five failing rounds are five chances.", state="success", phases=GREEN)
def _(world: World) -> None:
    rounds(world, 5)


@story(
    "envelope-six-rounds",
    "The sixth failing round is one too many.",
    state="failure",
    phases=BUILD_FAILED,
    because="Escalated",
)
def _(world: World) -> None:
    rounds(world, 6)


BLOCKERS = f"{MESSAGES['plan_result']}\nhas_blockers: true"


@story(
    "envelope-blockers",
    "A plan with blockers waits for a human.",
    state="pending",
    phases=PLAN_WAITS,
    because="/gate approve plan",
)
def _(world: World) -> None:
    enveloped(world, BLOCKERS)
    works(world)
    reviews(world)
    audits(world)


@story("envelope-blockers-approved", "A human has decided on the blockers.", state="success", phases=GREEN)
def _(world: World) -> None:
    enveloped(world, BLOCKERS)
    world.say("mona", "/gate approve plan", on=12)
    works(world)
    reviews(world)
    audits(world)


@story(
    "envelope-plan-blocked",
    "The architect is blocked.",
    state="pending",
    phases=PLAN_WAITS,
    because="Plan result says blocked",
)
def _(world: World) -> None:
    enveloped(world, MESSAGES["plan_result"].replace("plan_complete", "blocked"))


@story(
    "envelope-worker-escalates",
    "Beyond the worker: a human is asked, and the work waits.",
    state="pending",
    phases=BUILD_WAITS,
    because="Worker submission says escalate",
)
def _(world: World) -> None:
    enveloped(world)
    works(world, MESSAGES["worker_submission"].replace("rfr", "escalate"))


@story("envelope-bug-of-other-risks", "A bug with risks of another kind needs no audit.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug")
    enveloped(world, with_tags("external-api", "breaking-change", "new-library", "authoring-tool", "none"))
    works(world)
    reviews(world)


@story("envelope-bug-without-audit", "A bug needs no audit.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug")
    enveloped(world, with_tags("external-api"))
    works(world)
    reviews(world)


@story(
    "envelope-bug-with-risk",
    "The plan's risk tags ask for an audit, whatever the label.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Audit verdict",
)
def _(world: World) -> None:
    world.label("bug")
    enveloped(world, with_tags("external-api", "data-mutation"))
    works(world)
    reviews(world)


@story("envelope-bug-with-risk-audited", "The audit that was asked for passed.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug")
    enveloped(world, with_tags("auth"))
    works(world)
    reviews(world)
    audits(world)


@story("envelope-audit-failing", "The audit fails.", state="failure", phases=QA_FAILED, because="Audit verdict failed")
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world)
    audits(
        world, f"signal: fail\n{COUNTS.replace('critical: 0', 'critical: 1')}\nbuild_status: pass\ntest_status: pass"
    )


@story(
    "envelope-no-triage",
    "A plan without triage waits for it.",
    state="pending",
    phases=PLAN_WAITS,
    because="Waiting for Triage result",
)
def _(world: World) -> None:
    world.policy = PROFILE
    world.say("ana", message("plan_result"), on=12)


@story(
    "envelope-triage-after-plan",
    "A plan that is older than its triage is made again.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG308",
    because="Plan result is stale",
)
def _(world: World) -> None:
    world.policy = PROFILE
    world.say("ana", message("plan_result"), on=12)
    world.say("ana", message("triage_result"), on=12)


@story(
    "envelope-research-missing",
    "The plan came before the research: it counts, and says so.",
    state="success",
    phases=GREEN,
    codes="PG821 PG821",
)
def _(world: World) -> None:
    world.policy = PROFILE
    asked = "signal: triage_complete\ntier: 2\nresearch_needed: true\nresearch_count: 2"
    world.say("ana", message("triage_result", asked), on=12)
    found = MESSAGES["research_result"].replace("true", "false")
    world.say("ana", message("research_result", found), on=12)
    world.say("ana", message("plan_result"), on=12)
    works(world)
    reviews(world)
    audits(world)


@story("envelope-names-commit", "A verdict may name its commit.", state="success", phases=GREEN)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, f"{MESSAGES['review_verdict']}\ncommit: '{commit('a')[:12]}'")
    audits(world)


@story("envelope-quick", "A quick issue needs only the review.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("complexity:quick")
    world.policy = PROFILE
    reviews(world)


HIGH = MESSAGES["audit_verdict"].replace("high: 0", "high: 2")


@story("envelope-high-findings", "High findings under a pass are told.", state="success", phases=GREEN, codes="PG824")
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world)
    audits(world, HIGH)


@story(
    "envelope-high-findings-refused",
    "The policy holds with the newer version, in which high findings force a fail.",
    state="failure",
    phases=QA_FAILED,
    codes="PG824",
    because="Audit verdict is invalid",
)
def _(world: World) -> None:
    enveloped(world, policy=f"{PROFILE}rules: {{PG824: error}}\n")
    works(world)
    reviews(world)
    audits(world, HIGH)


@story("envelope-planned-again", "Who saw a risk plans again without it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug")
    enveloped(world, with_tags("auth"))
    world.say("ana", message("plan_result"), on=12)
    works(world)
    reviews(world)


UNCOVERED = "signal: pass\ncritical_count: 0\nmoderate_count: 0\nminor_count: 0"


def reviewed_without_criteria(world: World, policy: str) -> None:
    """All is well, but the review does not tell of criteria."""
    enveloped(world, policy=policy)
    works(world)
    reviews(world, UNCOVERED)
    audits(world)


@story(
    "envelope-review-without-criteria",
    "A review must tell how each criterion was met.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG828",
    because="Review verdict is invalid",
)
def _(world: World) -> None:
    reviewed_without_criteria(world, PROFILE)


@story(
    "envelope-review-without-criteria-allowed",
    "The policy holds with the newer version, in which criteria may be left out.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    reviewed_without_criteria(world, f'{PROFILE}rules: {{PG828: "off"}}\n')


@story(
    "envelope-counts-required",
    "The policy holds with the newer version, in which every count is told.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG826",
    because="Review verdict is invalid",
)
def _(world: World) -> None:
    enveloped(world, MESSAGES["plan_result"] + "\nhas_blockers: false", policy=f"{PROFILE}rules: {{PG826: error}}\n")
    works(world)
    reviews(world, "signal: pass\ncritical_count: 0\nac_coverage:\n  AC1: pass")
    audits(world)


def approved_then_committed(world: World, title: str) -> None:
    """All is well, the work is approved, and then committed once more without a change."""
    enveloped(world)
    works(world)
    reviews(world)
    audits(world)
    world.say("ana", message("approval"))
    world.push("amended", "a")
    world.head_title = title


@story("envelope-commit-by-convention", "The commit after lgtm tells its kind.", state="success", phases=GREEN)
def _(world: World) -> None:
    approved_then_committed(world, "feat(auth)!: sessions expire")


@story(
    "envelope-commit-of-no-kind",
    "The commit after lgtm is not named by convention: a warning.",
    state="success",
    phases=GREEN,
    codes="PG829",
)
def _(world: World) -> None:
    approved_then_committed(world, "Sessions expire")


@story(
    "envelope-other-files-told",
    "A submission names a file that is not changed: shown, and it decides nothing.",
    state="success",
    phases=GREEN,
    codes="PG818",
)
def _(world: World) -> None:
    enveloped(world)
    works(world, MESSAGES["worker_submission"].replace("- src/auth.py", "- src/auth.py\n- src/cart.py"))
    reviews(world)
    audits(world)


@story(
    "envelope-review-is-blocked",
    "A reviewer may stop without counts: its question is shown, and answering is a human's task.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG827",
    because='Review verdict says blocked: "What I found, in words."',
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, "signal: blocked")
    audits(world)


@story(
    "envelope-review-by-the-architect",
    "An architect's review_verdict is not the reviewer's.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG701 PG822",
    because="agent is architect",
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, f"{MESSAGES['review_verdict']}\nagent: architect")
    audits(world)


@story(
    "envelope-research-escalates",
    "A researcher whose last word is that a human must decide: the plan waits for one, who is told the question.",
    state="pending",
    phases=PLAN_WAITS,
    codes="PG827",
    because='research_result.signal is escalate: "UTC or local time?"',
)
def _(world: World) -> None:
    enveloped(world)
    world.say("ben", "---\ntype: research_result\nsignal: escalate\n---\n\nUTC or local time?\n", on=12)
    works(world)
    reviews(world)
    audits(world)


@story(
    "envelope-research-answered",
    "The same researcher has found the answer since.",
    state="success",
    phases=GREEN,
    codes="PG827",
)
def _(world: World) -> None:
    enveloped(world)
    world.say("ben", "---\ntype: research_result\nsignal: escalate\n---\n\nUTC or local time?\n", on=12)
    world.say("ben", message("research_result"), on=12)
    works(world)
    reviews(world)
    audits(world)


@story(
    "envelope-own-keys", "A key of its own is noted and decides nothing.", state="success", phases=GREEN, codes="PG701"
)
def _(world: World) -> None:
    enveloped(world)
    works(world)
    reviews(world, f"{MESSAGES['review_verdict']}\nconfidence: 0.9")
    audits(world)
