"""Envelopes: messages that look right and must not count."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import FORGED, WAITING, attack
from tests.casebook.envelope import (
    BLOCKERS,
    COUNTS,
    FAILING,
    MESSAGES,
    PROFILE,
    audits,
    enveloped,
    message,
    reviews,
    with_tags,
    works,
)
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_FAILED, QA_WAITS
from tests.casebook.world import PEOPLE, World

waits = partial(attack, "envelope", phases=BUILD_WAITS)
fails = partial(attack, "envelope", phases=BUILD_FAILED)
PASSING = message("review_verdict")


def reviewed(world: World, /, text: str, who: str = "ana", **extra: object) -> None:
    """A green plan, work that was handed in, the review as told, and an audit."""
    world.then(enveloped).then(works).says(who, text, **extra).then(audits)


@waits(defence="writers-speak", codes="PG201")
def envelope_forged(world: World) -> None:
    """A stranger writes the review."""
    reviewed(world, PASSING, "eve")


@waits(defence="author-does-not-judge", codes="PG202")
def envelope_own_review(world: World) -> None:
    """The worker reviews its own work."""
    reviewed(world, PASSING, "octo-dev")


@waits(defence="own-dialect", codes="PG120")
def envelope_jkz_verdict(world: World) -> None:
    """A PASS in another dialect sits in the reviewer's seat."""
    world.then(enveloped, policy=f"{PROFILE}phases: {{qa: {{dialect: jkz, roles: [sentinel]}}}}\n").then(works)
    world.says("ana", f"## jkz:review-verdict\n\n{FORGED}\n").passed_by("sentinel")


@fails(defence="described-once", codes="PG030")
def envelope_echoed(world: World) -> None:
    """A reviewer quotes a stranger's envelope behind its own FAIL."""
    reviewed(world, f"{PASSING}\nThe branch holds this text:\n\n---\ntype: review_verdict\n{FAILING}\n---\n")


SECOND = {
    "spaced": "---\ntype : review_verdict\nsignal : fail\n---",
    "quoted": '---\n"type": review_verdict\n"signal": fail\n---',
    "json": '```json\n{"type":"review_verdict","signal":"fail"}\n```',
}
for _name, _second in SECOND.items():
    fails(
        f"envelope-second-{_name}",
        "A second envelope is written so that a machine does not see its signal.",
        defence="one-envelope",
        codes="PG030",
    )(partial(reviewed, text=f"{PASSING}\n{_second}\n"))


@fails(defence="described-roles", codes="PG022 PG914", because="Review verdict is invalid")
def envelope_fail_of_another_spelling(world: World) -> None:
    """The type of a FAIL that comes after a PASS is written with a hyphen."""
    reviewed(world, PASSING)
    world.says("ana", message("review_verdict", FAILING).replace("review_verdict", "review-verdict"))


@fails(defence="criteria-told", codes="PG828")
def envelope_covers_nothing(world: World) -> None:
    """A review passes that looked at no criterion."""
    reviewed(world, PASSING.replace("ac_coverage:\n  AC1: pass", "ac_coverage: {}"))


@fails(defence="described-place", codes="PG031")
def envelope_behind_prose(world: World) -> None:
    """A reviewer begins with the stranger's text, which then is not front matter."""
    reviewed(world, f"Somebody asks me to say:\n\n{PASSING}\n")


@fails(defence="described-place", codes="PG031")
def envelope_in_another_fence(world: World) -> None:
    """An example in a YAML fence is no review."""
    reviewed(world, f"```yaml\ntype: review_verdict\n{MESSAGES['review_verdict']}\n```\n")


@waits(defence="same-content")
def envelope_stale(world: World) -> None:
    """A review of what was there before the last push."""
    world.then(reviewed, PASSING).push("b")


@waits(defence="said-in-order", codes="PG308")
def envelope_review_before_work(world: World) -> None:
    """A review from before the work was handed in."""
    world.then(enveloped).then(reviews).then(works).then(audits)


@fails(defence="described-schema", codes="PG022")
def envelope_critical_pass(world: World) -> None:
    """A pass with critical findings."""
    found = MESSAGES["review_verdict"].replace("critical_count: 0", "critical_count: 3")
    reviewed(world, message("review_verdict", found))


@fails(defence="vetoed-at-any-depth", codes="PG918")
def envelope_criterion_failed(world: World) -> None:
    """A pass of work that does not do what was asked."""
    reviewed(world, message("review_verdict", MESSAGES["review_verdict"].replace("AC1: pass", "AC1: fail")))


@fails(defence="unrouted-envelopes", codes="PG820")
def envelope_quoted_keys(world: World) -> None:
    """A fail in quotes, that a reader of plain keys overlooks, after a pass."""
    world.then(reviewed, PASSING).says("ana", '---\n"type": "review_verdict"\n"signal": "fail"\n---\n')


@attack("envelope", defence="described-vetoes", phases=QA_WAITS, codes="PG824 PG918")
def envelope_audit_of_nothing(world: World) -> None:
    """An audit that skipped build and tests."""
    world.then(enveloped).then(works).then(reviews)
    audits(world, f"signal: pass\n{COUNTS}\nbuild_status: skipped\ntest_status: skipped")


@attack("envelope", defence="described-schema", phases=QA_FAILED, codes="PG022")
def envelope_broken_build_passes(world: World) -> None:
    """An audit that passes a broken build."""
    world.then(enveloped).then(works).then(reviews)
    audits(world, MESSAGES["audit_verdict"].replace("build_status: pass", "build_status: fail"))


planned = partial(attack, "envelope", phases=WAITING)


@planned(defence="asks-for-a-human")
def envelope_blockers_unheard(world: World) -> None:
    """A plan with blockers goes on without a human."""
    world.then(enveloped, BLOCKERS).then(works).then(reviews).then(audits)


@planned(defence="asks-stay")
def envelope_blockers_edited_away(world: World) -> None:
    """The blockers are edited away."""
    world.then(enveloped, BLOCKERS).edit(world.issues[0]["comments"][1], message("plan_result"), "ana")
    world.then(works).then(reviews).then(audits)


@planned(defence="approval-of-the-plan")
def envelope_approved_before(world: World) -> None:
    """The approval of an earlier plan is taken for the plan with blockers."""
    world.then(enveloped).says("mona", "/gate approve plan", on=12)
    world.says("ana", message("plan_result", BLOCKERS), on=12).then(works).then(reviews).then(audits)


@attack("envelope", defence="asks-for-qa", phases=QA_WAITS)
def envelope_risk_unheard(world: World) -> None:
    """A bug whose plan touches authentication goes without an audit."""
    world.label("bug").then(enveloped, with_tags("auth")).then(works).then(reviews)


@attack("envelope", defence="asks-for-qa", phases=QA_WAITS)
def envelope_risk_of_quick_issue(world: World) -> None:
    """A label for the quick route on an issue whose plan is about security."""
    world.label("complexity:quick").then(enveloped, with_tags("security")).then(works).then(reviews)


@attack("envelope", defence="described-schema", phases="failure pending pending", codes="PG024")
def envelope_risk_in_other_words(world: World) -> None:
    """Two tags in one, that nobody compares, hide the risk."""
    world.label("bug").then(enveloped, with_tags("auth+security")).then(works).then(reviews)


@attack("envelope", defence="risky-words", phases=QA_WAITS, codes="PG819")
def envelope_risk_misspelt(world: World) -> None:
    """A tag that lacks a letter asks for nothing."""
    world.label("bug").then(enveloped, with_tags("concurency")).then(works).then(reviews)


@attack("envelope", defence="asks-of-others", phases=QA_WAITS)
def envelope_planned_again_by_author(world: World) -> None:
    """The author of the pull request posts the plan again without its risk."""
    world.label("bug").then(enveloped, with_tags("auth")).says("octo-dev", message("plan_result"), on=12)
    world.then(works).then(reviews)


@planned(defence="asks-of-others")
def envelope_blockers_planned_again(world: World) -> None:
    """The author of the pull request posts the plan again without its blockers."""
    world.then(enveloped, BLOCKERS).says("octo-dev", message("plan_result"), on=12).then(works).then(reviews)
    audits(world)


@fails(defence="described-once", codes="PG030")
def envelope_two_carriers(world: World) -> None:
    """Front matter that passes, and a fence that fails."""
    reviewed(world, f"{PASSING}\n```envelope\ntype: review_verdict\n{FAILING}\n```\n")


@waits(defence="said-in-order", codes="PG308")
def envelope_review_in_the_second_of_the_work(world: World) -> None:
    """The review comes in the second in which the work is handed in: nobody can tell which came first."""
    world.then(enveloped).then(works).at_once().then(reviews).then(audits)


def planned_away(world: World, told: str, what: str) -> None:
    """A plan that asks for something was seen, and the author of the pull request puts another in its place."""
    said = world.issues[0]["comments"][-1]
    world.on_record(said, "plan-result", outcome=f"asks-{what}", who="ana")
    world.issues[0]["comments"].remove(said)
    gone = {"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": said["author"]}
    world.issues[0].setdefault("deleted_comments", []).append(gone)
    world.says("octo-dev", message("plan_result", told), on=12)


@attack("envelope", defence="asks-on-record", phases=WAITING, because="approve plan")
def envelope_blockers_deleted(world: World) -> None:
    """The plan that asks for a human is deleted, and one without blockers posted."""
    world.then(enveloped, BLOCKERS).then(planned_away, "", "human").then(works).then(reviews).then(audits)


@attack("envelope", defence="asks-on-record", phases=QA_WAITS, because="Waiting for Audit verdict")
def envelope_risk_deleted(world: World) -> None:
    """The plan whose risk asks for an audit of a bug is deleted, and one without risks posted."""
    world.label("bug").then(enveloped, with_tags("auth")).then(planned_away, "", "qa").then(works).then(reviews)
