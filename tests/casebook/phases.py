"""Stories about the phases: order, types of issues, the plan, the quick route, human approval."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_FAILED, QA_WAITS, story
from tests.casebook.world import URL, World, block, finding, verdict

WAITING = "pending pending pending"


@story("feature-green", "A feature that survived every challenge, in its second round.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    world.push("b")
    world.built()
    world.tested()


@story("fence-carrier", "The fence counts like the HTML comment.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:judge\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []}, 'fence')}\n")
    world.judges("inspector")
    world.tested()


@story(
    "feature-waiting-for-lens",
    "One of the two QA roles has not spoken.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Lens",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel")


@story(
    "feature-without-qa",
    "A feature needs QA.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.planned()
    world.built()


@story("bug-without-qa", "A bug may go without QA, and the status says so.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0]["labels"] = ["Bug"]
    world.planned()
    world.built()


@story(
    "bug-with-failing-qa",
    "QA was optional, but it ran and failed.",
    state="failure",
    phases=QA_FAILED,
    because="Sentinel failed",
)
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [{"name": "bug", "action": "added", "at": world.tick()}]}
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")


@story(
    "bug-qa-failed-on-older-commit",
    "An optional QA that has failed once must pass before the merge.",
    state="pending",
    phases=QA_WAITS,
    because="Sentinel",
)
def _(world: World) -> None:
    world.label("bug")
    world.planned()
    world.judges("sentinel", "FAIL")
    world.push("b")
    world.built()


@story(
    "bug-with-qa-unapproved",
    "Where QA ran, a human approves it.",
    state="pending",
    phases=QA_WAITS,
    because="/gate approve qa",
)
def _(world: World) -> None:
    world.label("bug")
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")


@story("chore-plus-bug", "Of chore and another type the other wins; both go without QA.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("chore")
    world.label("bug")
    world.planned()
    world.built()


@story(
    "chore-plus-native-feature",
    "GitHub's own issue type says feature, a label says chore: the strictest counts.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.label("chore")
    world.issues[0]["type"] = "Feature"
    world.planned()
    world.built()


@story(
    "label-after-failing-qa",
    "A label that arrives after QA has failed lowers nothing.",
    state="failure",
    phases=QA_FAILED,
    codes="PG403",
    because="Sentinel failed",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")
    world.label("bug")


@story(
    "quick-label-after-failing-qa",
    "Nor does the label of the quick route.",
    state="failure",
    phases=QA_FAILED,
    codes="PG403",
    because="Sentinel failed",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")
    world.label("complexity:quick")


@story("quick-route", "The quick route needs only the Judge.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("complexity:quick")
    world.judges("judge")


@story(
    "quick-route-judge-failed",
    "The quick route still needs its Judge.",
    state="failure",
    phases="success failure success",
    because="Judge failed",
)
def _(world: World) -> None:
    world.label("complexity:quick")
    world.judges("judge", "FAIL")


@story(
    "no-linked-issue",
    "Without an issue there is no plan, and the strictest type counts.",
    state="pending",
    phases=WAITING,
    codes="PG401",
    because="No linked issue",
)
def _(world: World) -> None:
    world.issues.clear()
    world.built()
    world.tested()


@story(
    "foreign-issue",
    "An issue of another repository lends neither plan nor label.",
    state="pending",
    phases=WAITING,
    codes="PG401 PG402",
    because="No linked issue",
)
def _(world: World) -> None:
    world.issues.clear()
    world.issue(3, "complexity:quick", repository="eve/elsewhere")
    world.planned(3)
    world.built()


@story("two-issues", "Each linked issue has its plan; the strictest type counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issue(13, "bug")
    world.planned(12)
    world.planned(13)
    world.built()
    world.tested()


@story(
    "two-issues-one-without-plan",
    "The second linked issue has no plan.",
    state="pending",
    phases=WAITING,
    because="plan on #13",
)
def _(world: World) -> None:
    world.issue(13, "bug")
    world.planned(12)
    world.built()
    world.tested()


@story(
    "two-issues-one-quick",
    "One quick issue does not make the whole pull request quick.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.issue(13, "complexity:quick")
    world.planned(12)
    world.built()


@story("no-plan", "Nobody has planned.", state="pending", phases=WAITING, because="Waiting for Architect's plan")
def _(world: World) -> None:
    world.built()
    world.tested()


@story(
    "plan-not-approved",
    "The plan waits for its human.",
    state="pending",
    phases=WAITING,
    because="/gate approve plan",
)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.built()


@story(
    "plan-failed",
    "The Auditor fails the plan; the Architect mends it.",
    state="failure",
    phases="failure pending pending",
    because="Auditor failed the plan of #12: A1",
)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor", "FAIL")


@story(
    "plan-edited-after-approval",
    "An edit of the plan makes verdicts and approval stale.",
    state="pending",
    phases=WAITING,
    because="earlier text of the plan of #12",
)
def _(world: World) -> None:
    world.planned()
    world.edit(world.issues[0]["comments"][0], "## jkz:architect\n\nAnother plan altogether.\n", "ana")
    world.built()


@story(
    "plan-edited-by-another",
    "A plan that somebody else edited does not count.",
    state="failure",
    phases="failure pending pending",
    codes="PG205",
    because="The plan of #12 does not count",
)
def _(world: World) -> None:
    world.planned()
    world.edit(world.issues[0]["comments"][0], "## jkz:architect\n\nAnother plan altogether.\n", "octo-dev")
    world.built()


@story(
    "approval-before-verdicts",
    "An approval given before the judges have spoken approves nothing.",
    state="pending",
    phases=QA_WAITS,
    because="came before the last verdict",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", "/gate approve qa")
    world.judges("sentinel")
    world.judges("lens")


@story(
    "approval-of-older-commit",
    "An approval is bound to the content it was given for.",
    state="pending",
    phases=QA_WAITS,
    because="is for an earlier content",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")


@story("judge-failed", "The Judge fails the build.", state="failure", phases=BUILD_FAILED, because="Judge failed")
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")


@story(
    "inspector-missing",
    "A challenge alone does not pass a phase.",
    state="pending",
    phases=BUILD_WAITS,
    because="Waiting for Inspector",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")


@story(
    "inspector-before-judge",
    "Whoever confirms speaks after whoever challenges.",
    state="pending",
    phases=BUILD_WAITS,
    because="Inspector spoke before Judge",
)
def _(world: World) -> None:
    world.planned()
    world.judges("inspector")
    world.judges("judge")


@story("judge-repeats-itself", "A repeated PASS asks nobody to confirm again.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("judge")
    world.tested()


@story(
    "judge-changed-its-mind-twice",
    "PASS, FAIL, PASS: what was confirmed was the first PASS.",
    state="pending",
    phases=BUILD_WAITS,
    because="Inspector spoke before Judge",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("judge", "FAIL")
    world.judges("judge")


@story("qa-in-any-order", "The two QA roles run in parallel.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("lens")
    world.judges("sentinel")
    world.say("mona", "/gate approve qa")


@story(
    "builder-blocked",
    "A Builder that is blocked keeps the build waiting.",
    state="pending",
    phases=BUILD_WAITS,
    because="Builder is blocked",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")


@story("doctor-unblocks", "The latest word of Builder and Doctor counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    world.say("ana", f"## jkz:doctor\n\nDatabase is there.\n\n{block({'verdict': 'FIXED'})}\n")
    world.built()
    world.tested()


@story(
    "sibling",
    "Success would be shared with another pull request of the same commit.",
    state="pending",
    phases=GREEN,
    codes="PG406",
    because="#8 has the same head commit",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.changes["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]


@story(
    "one-account-for-two-roles",
    "With distinct_accounts, challenger and confirmer are two accounts.",
    state="pending",
    phases="success pending pending",
    because="spoke from one account",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {plan: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    world.judges("judge", who="ana")
    world.judges("inspector", who="ana")


@story("two-accounts-for-two-roles", "Two accounts, as the policy asks.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = (
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")


@story(
    "paths-not-touched",
    "A phase for some paths is not judged when none of them changed.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\n'
    world.planned()
    world.built()


@story(
    "paths-touched",
    "It is judged when one of them changed.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["src/**"]}}\n'
    world.planned()
    world.built()


@story(
    "paths-not-all-known",
    "Where GitHub does not list all files, the phase is judged.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\n'
    world.planned()
    world.built()
    world.changes["files"] = {"complete": False, "entries": [{"path": "src/auth.py"}]}


@story(
    "own-roles",
    "A policy with a role of its own: three judges on the build.",
    state="failure",
    phases="success failure success",
    because="Warden failed",
)
def _(world: World) -> None:
    world.policy = (
        "version: 1\n"
        "roles: {warden: {does: challenges, letter: W}}\n"
        "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {roles: [judge, warden, inspector]}}\n"
    )
    world.judges("judge")
    failing = {"verdict": "FAIL", "issues": [finding("W1")], "must_fix": ["W1"]}
    world.say("ana", f"## jkz:warden\n\nNot safe.\n\n{block(failing)}\n")
    world.judges("inspector")


@story("review-carries-verdict", "A review speaks of its own commit.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.review("ana", verdict("judge"))
    world.review("ben", verdict("inspector"), state="APPROVED")
    world.tested()
