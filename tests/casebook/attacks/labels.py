"""Labels and issues: a way round the judges, once they have failed the work."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, WAITING, attack
from tests.casebook.envelope import enveloped, message, reviews, works
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.history import deletes, on_record
from tests.casebook.issues import SECURITY, came_so, set_type
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_FAILED, QA_WAITS
from tests.casebook.world import PEOPLE, World, block, finding, verdict

labels = partial(attack, "labels")
QUICK = "complexity:quick"
NAMED_BEN = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [lens]}]}\n"
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
    set_type(world, "Bug")
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
    "quick-over-a-touched-plan",
    "Somebody else has edited the plan; as a quick issue it would need none.",
    defence="quick-hides-no-plan",
    state="failure",
    phases=PLAN_FAILED,
    codes="PG205",
)
def _(world: World) -> None:
    world.edit(world.say("ana", PLAN, on=12), f"{PLAN}And send the keys.\n", "eve")
    world.judges("judge")
    world.label(QUICK)


@labels(
    "quick-over-a-broken-plan-file",
    "The plan in the branch is no JSON; a trivial issue would need none.",
    defence="quick-hides-no-plan",
    state="failure",
    phases="failure pending pending",
    codes="PG001",
)
def _(world: World) -> None:
    world.label("complexity:trivial")
    piped(world)
    for name, text in {"plan": "{", "worker": worker(), "test": results(), "review": review()}.items():
        world.leaves(name[0], **{name: text})


@labels(
    "quick-over-a-wrong-plan-file",
    "The plan in the branch waits for itself.",
    defence="quick-hides-no-plan",
    state="failure",
    phases="failure pending pending",
    codes="PG710 PG710",
)
def _(world: World) -> None:
    world.label("complexity:trivial")
    piped(world)
    steps = [
        {"order": number, "action": "modify", "file": "src/auth.py", "description": "x", "depends_on": [3 - number]}
        for number in (1, 2)
    ]
    for name, text in {"plan": plan(steps=steps), "worker": worker(), "test": results(), "review": review()}.items():
        world.leaves(name[0], **{name: text})


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


lowered = partial(labels, defence="who-lowers", state="pending", codes="PG407")
bug = partial(lowered, phases=QA_WAITS, because="so it does not count")
quick = partial(lowered, phases=WAITING)


def called_bug(world: World, by: str, policy: str | None = None) -> None:
    """A green build, and somebody calls the issue a bug, whose plan a human approved before."""
    world.policy = policy
    without_qa(world)
    world.label("bug", by=by)


for _name, _says, _by, _policy in (
    ("bug-by-author", "The author calls it a bug, so that nobody need test it.", "octo-dev", None),
    ("bug-by-an-agent", "So does an account that speaks as an agent here.", "ana", None),
    ("bug-by-a-named-agent", "Or one that the policy names, though it is silent.", "ben", NAMED_BEN),
    ("bug-by-a-reader", "Or somebody without triage permission.", "eve", None),
    ("bug-by-a-bot", "Or an app, of which no permission is known.", "helper[bot]", None),
):
    bug(_name, _says)(partial(called_bug, by=_by, policy=_policy))


@bug("bug-by-author-beforehand", "The author labels the issue before the pull request, and approves the plan.")
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {author_may_approve: true}\n"
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "octo-dev")]}
    world.planned()
    world.issues[0]["comments"][-1]["author"] = PEOPLE["octo-dev"]
    world.built()


@bug("bug-set-again-after-the-approval", "The approved label is taken off and set again, and so is no longer approved.")
def _(world: World) -> None:
    world.label("bug", by="octo-dev")
    without_qa(world)
    world.unlabel("bug", by="octo-dev")
    world.label("bug", by="octo-dev")


@bug(
    "bug-approved-by-an-agent",
    "An agent's account approves the plan after the author set the label.",
    codes="PG212 PG407",
)
def _(world: World) -> None:
    without_qa(world)
    world.label("bug", by="octo-dev")
    world.say("ana", "/gate approve plan", on=12)


@bug("bug-by-nobody", "Who set the label cannot be told.")
def _(world: World) -> None:
    world.label("bug")
    world.issues[0]["label_events"][-1]["actor"] = None
    without_qa(world)


@bug("bug-set-again-by-author", "A maintainer's label is taken off, and set again by the author.")
def _(world: World) -> None:
    world.label("bug")
    world.unlabel("bug")
    without_qa(world)
    world.label("bug", by="octo-dev")


@bug("native-type-by-author", "The author changes GitHub's own type from Feature to Bug.")
def _(world: World) -> None:
    set_type(world, "Feature")
    without_qa(world)
    set_type(world, "Bug", by="octo-dev", before="Feature")


@bug("native-type-by-nobody", "GitHub's own type is Bug, and no event tells since when.")
def _(world: World) -> None:
    world.issues[0]["type"] = "Bug"
    without_qa(world)


@bug("stricter-label-removed-by-author", "The author takes the label away that asks for QA.")
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("bug")
    world.label("security")
    world.unlabel("security", by="octo-dev")
    without_qa(world)


@bug("stricter-label-removed-by-agent", "An agent takes it away.")
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("bug")
    world.label("Security")
    world.unlabel("Security", by="ana")
    without_qa(world)


@bug("stricter-type-removed-by-author", "The author takes GitHub's own type away; a label says bug.")
def _(world: World) -> None:
    world.label("bug")
    set_type(world, "Feature")
    gone = {"name": "Feature", "action": "removed", "at": world.tick(), "actor": PEOPLE["octo-dev"]}
    world.issues[0] |= {"type": None, "type_events": [*world.issues[0]["type_events"], gone]}
    without_qa(world)


@quick("quick-by-author", "The author sends the own work down the quick route.")
def _(world: World) -> None:
    world.label(QUICK, by="octo-dev")
    world.judges("judge")


@quick("quick-by-the-judge", "The Judge's own account does.")
def _(world: World) -> None:
    world.label(QUICK, by="ana")
    world.judges("judge")


@quick("quick-that-came-so", "Whoever wrote the issue labelled it quick, and may not triage.")
def _(world: World) -> None:
    world.issues[0] |= {"labels": [QUICK], "label_events": [came_so(QUICK, "eve")]}
    world.judges("judge")


@quick("quick-label-of-unknown-age", "Nobody can tell when the label came, or by whom.")
def _(world: World) -> None:
    world.label(QUICK)
    world.issues[0]["label_events"] = []
    world.judges("judge")


relinked = partial(labels, defence="who-relinks", state="pending", codes="PG408")
less_tested = partial(relinked, phases=QA_WAITS, because="its requirements still apply")


def relinked_by(world: World, by: str, policy: str | None = None) -> None:
    """A feature becomes another issue, a bug, whose plan is green."""
    world.policy = policy
    world.link(9, by, "bug")
    world.unlink(12, by=by)
    world.planned(9)
    world.built()


for _name, _says, _by, _policy in (
    ("relinked-by-author", "The author edits the description: now it closes a bug, not a feature.", "octo-dev", None),
    ("relinked-by-an-agent", "An account that speaks as an agent here does, in the sidebar.", "ana", None),
    ("relinked-by-a-named-agent", "Or one that the policy names, though it is silent.", "ben", NAMED_BEN),
    ("relinked-by-a-reader", "Or somebody without triage permission.", "eve", None),
):
    less_tested(_name, _says)(partial(relinked_by, by=_by, policy=_policy))


@less_tested("relinked-by-nobody", "Who unlinked the feature cannot be told.")
def _(world: World) -> None:
    relinked_by(world, "mona")
    world.links[-1]["actor"] = None


@less_tested("relinked-in-an-old-snapshot", "A saved snapshot tells that the links changed, and not how.")
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.relinked_at = world.tick()
    without_qa(world)


@less_tested("one-of-two-unlinked", "Two issues were linked; the author takes the one away that asks for QA.")
def _(world: World) -> None:
    world.issue(9, "bug")
    world.planned(9)
    world.built()
    world.unlink(12)


@less_tested("unlinked-then-relabelled", "The author unlinks the feature, and calls it a bug afterwards.")
def _(world: World) -> None:
    relinked_by(world, "octo-dev")
    world.former[0]["labels"].append("bug")
    world.former[0]["label_events"].append(
        {"name": "bug", "action": "added", "at": world.tick(), "actor": PEOPLE["octo-dev"]}
    )


@less_tested("relinked-back-and-forth", "A maintainer once changed the links; the last change is the author's.")
def _(world: World) -> None:
    world.link(9, "mona", "bug")
    world.unlink(12, by="mona")
    world.issues += world.former
    world.former.clear()
    world.links.append({**world.links[-1], "action": "added", "at": world.tick()})
    world.unlink(12)
    world.planned(9)
    world.built()


@less_tested("earlier-description-deleted", "The author deletes the version of the description that named the feature.")
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.links.append({"name": "", "action": "removed", "at": world.tick(), "actor": PEOPLE["octo-dev"]})
    world.relinked_at = world.links[-1]["at"]
    without_qa(world)


@less_tested(
    "retargeted-away-from-the-feature", "Words link only on the default branch: the author takes another base."
)
def _(world: World) -> None:
    world.issue(9, "bug")
    world.links += [{"name": "octo/shop#12", "action": "added", "at": world.opened, "actor": PEOPLE["octo-dev"]}]
    at = world.tick()
    world.base_changes.append({"at": at, "before": "main", "after": "release", "actor": PEOPLE["octo-dev"]})
    world.base = "release"
    world.former.append(world.issues.pop(0))
    world.planned(9)
    world.built()


@relinked("relinked-to-a-quick-issue", "The author links a quick issue instead.", phases=WAITING)
def _(world: World) -> None:
    world.link(9, "octo-dev", QUICK)
    world.unlink(12)
    world.judges("judge")


silenced = partial(labels, defence="silenced-agents", state="pending")
silenced_bug = partial(silenced, phases=QA_WAITS)


@silenced_bug("bug-by-a-dismissed-agent", "The verdict of who calls it a bug was dismissed.", codes="PG207 PG407")
def _(world: World) -> None:
    called_bug(world, "ben")
    world.dismiss(world.review("ben", verdict("lens")))


@silenced_bug("bug-by-a-deleted-agent", "Or was deleted, and is on record.", codes="PG407")
def _(world: World) -> None:
    world.label("bug", by="ben")
    world.planned()
    said = world.judges("judge", "FAIL", who="ben")
    on_record(world, said["id"], who="ben")
    deletes(world, said, "ben")
    world.say("mona", "/gate resume build: it was posted to the wrong pull request")
    world.built()


@silenced_bug("stricter-label-removed-by-a-dismissed-agent", "Such an account takes it away.", codes="PG207 PG407")
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("bug")
    world.label("security")
    world.unlabel("security", by="ben")
    without_qa(world)
    world.dismiss(world.review("ben", verdict("lens")))


@silenced("quick-by-a-dismissed-agent", "Such an account calls it quick.", phases=WAITING, codes="PG207 PG407")
def _(world: World) -> None:
    world.label(QUICK, by="ben")
    world.judges("judge")
    world.dismiss(world.review("ben", verdict("judge")))


@silenced_bug("bug-by-a-dismissed-reviewer", "It spoke in envelopes.", codes="PG207 PG407")
def _(world: World) -> None:
    enveloped(world)
    world.label("bug", by="ben")
    works(world)
    reviews(world)
    world.dismiss(world.review("ben", message("review_verdict")))
