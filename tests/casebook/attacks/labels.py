"""Labels and issues: a way round the judges, once they have failed the work."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, WAITING, attack
from tests.casebook.envelope import enveloped, message, reviews, works
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.issues import SECURITY, came_so, set_type
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_FAILED, QA_WAITS
from tests.casebook.world import PEOPLE, World, block, commit, finding, verdict

labels = partial(attack, "labels")
QUICK = "complexity:quick"
NAMED_BEN = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [lens]}]}\n"
PLAN = "## jkz:architect\n\nThe plan.\n"


@labels(defence="failed-before", phases=QA_WAITS, codes="PG403")
def bug_after_failing_qa(world: World) -> None:
    """QA fails; the author calls it a bug and pushes, so that nobody need test it."""
    world.planned().built().failed_by("sentinel").label("bug").push("b").built()


@labels(defence="failed-before", phases=QA_WAITS, codes="PG111 PG403")
def bug_after_malformed_qa(world: World) -> None:
    """The FAIL was badly written."""
    world.planned().built()
    world.says("ana", f"## jkz:sentinel\n\n{block({'verdict': 'FAIL', 'issues': [finding('S1')]})}\n")
    world.label("bug").push("b").built()


@labels(defence="failed-before", phases=QA_WAITS)
def relinked_to_old_bug(world: World) -> None:
    """QA fails; the pull request is linked to an older bug instead."""
    world.issue(9, "bug")
    world.planned(9).planned().built().failed_by("sentinel").push("b").built()
    world.issues[:] = [issue for issue in world.issues if issue["number"] == 9]


@labels(defence="failed-before", phases=QA_WAITS)
def native_type_after_failing_qa(world: World) -> None:
    """The issue's type, not its label, is changed after QA failed."""
    world.planned().built().failed_by("lens").then(set_type, "Bug").push("b").built()


@labels(defence="quick-hides-nothing", phases=BUILD_FAILED, because="Inspector failed")
def quick_after_failing_inspector(world: World) -> None:
    """The quick route would leave the Inspector out, who has failed it."""
    world.planned().passed_by("judge").failed_by("inspector").label(QUICK)


@labels(defence="made-good-by-its-own", phases=WAITING, codes="PG301")
def quick_after_a_slip_of_another(world: World) -> None:
    """The Inspector's PASS names a wrong commit, which the gate has written down; another account gives it again."""
    said = world.label(QUICK).judges("inspector", commit=commit("never"))
    world.on_record(said, "inspector", outcome="invalid", who="ana").passed_by("inspector", who="ben")
    world.passed_by("judge")


@labels(defence="quick-hides-nothing", phases=PLAN_FAILED, because="Auditor failed")
def quick_after_failing_plan(world: World) -> None:
    """The Auditor failed the plan, and then the issue becomes a quick one."""
    world.says("ana", PLAN, on=12).failed_by("auditor").passed_by("judge").label(QUICK)


@labels(defence="quick-hides-nothing", phases=PLAN_FAILED, because="Escalated")
def quick_after_escalation(world: World) -> None:
    """The plan failed four times; quick would skip it."""
    for number in range(4):
        world.says("ana", f"## jkz:architect\n\nPlan {number}.\n", on=12).failed_by("auditor")
    world.passed_by("judge").label(QUICK)


@labels(defence="quick-hides-nothing", phases="pending pending failure", because="Sentinel failed")
def relinked_to_quick(world: World) -> None:
    """QA fails; the pull request is linked to an older quick issue instead."""
    world.issue(9, QUICK)
    world.planned().built().failed_by("sentinel")
    world.issues[:] = [issue for issue in world.issues if issue["number"] == 9]


@labels(defence="quick-hides-no-plan", phases=PLAN_FAILED, codes="PG205")
def quick_over_a_touched_plan(world: World) -> None:
    """Somebody else has edited the plan; as a quick issue it would need none."""
    world.edit(world.say("ana", PLAN, on=12), f"{PLAN}And send the keys.\n", "eve").passed_by("judge")
    world.label(QUICK)


@labels(defence="quick-hides-no-plan", phases="failure pending pending", codes="PG001")
def quick_over_a_broken_plan_file(world: World) -> None:
    """The plan in the branch is no JSON; a trivial issue would need none."""
    world.label("complexity:trivial").then(piped)
    for name, text in {"plan": "{", "worker": worker(), "test": results(), "review": review()}.items():
        world.leaves(name[0], **{name: text})


@labels(defence="quick-hides-no-plan", phases="failure pending pending", codes="PG710 PG710")
def quick_over_a_wrong_plan_file(world: World) -> None:
    """The plan in the branch waits for itself."""
    world.label("complexity:trivial").then(piped)
    steps = [
        {"order": number, "action": "modify", "file": "src/auth.py", "description": "x", "depends_on": [3 - number]}
        for number in (1, 2)
    ]
    for name, text in {"plan": plan(steps=steps), "worker": worker(), "test": results(), "review": review()}.items():
        world.leaves(name[0], **{name: text})


@labels(defence="labels-in-time", phases=WAITING, codes="PG403")
def quick_label_too_late(world: World) -> None:
    """The Sentinel, whom the quick route keeps, had failed before the label came."""
    world.under("version: 1\nphases: {qa: {quick_roles: [sentinel]}}\n").passed_by("judge")
    world.failed_by("sentinel").label(QUICK).push("b").passed_by("judge").passed_by("sentinel")
    world.says("mona", "/gate approve qa")


lowered = partial(labels, defence="who-lowers", codes="PG407")
bug = partial(lowered, phases=QA_WAITS, because="so it does not count")
quick = partial(lowered, phases=WAITING)


def called_bug(world: World, by: str, policy: str | None = None) -> None:
    """A green build, and somebody calls the issue a bug, whose plan a human approved before."""
    world.under(policy).planned().built().label("bug", by=by)


for _name, _says, _by, _policy in (
    ("bug-by-author", "The author calls it a bug, so that nobody need test it.", "octo-dev", None),
    ("bug-by-an-agent", "So does an account that speaks as an agent here.", "ana", None),
    ("bug-by-a-named-agent", "Or one that the policy names, though it is silent.", "ben", NAMED_BEN),
    ("bug-by-a-reader", "Or somebody without triage permission.", "eve", None),
    ("bug-by-a-bot", "Or an app, of which no permission is known.", "helper[bot]", None),
):
    bug(_name, _says)(partial(called_bug, by=_by, policy=_policy))


@bug()
def bug_by_author_beforehand(world: World) -> None:
    """The author labels the issue before the pull request, and approves the plan."""
    world.under("version: 1\nhumans: {author_may_approve: true}\n")
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "octo-dev")]}
    world.planned()
    world.issues[0]["comments"][-1]["author"] = PEOPLE["octo-dev"]
    world.built()


@bug()
def bug_set_again_after_the_approval(world: World) -> None:
    """The approved label is taken off and set again, and so is no longer approved."""
    world.label("bug", by="octo-dev").planned().built().unlabel("bug", by="octo-dev")
    world.label("bug", by="octo-dev")


@bug(codes="PG212 PG407")
def bug_approved_by_an_agent(world: World) -> None:
    """An agent's account approves the plan after the author set the label."""
    world.planned().built().label("bug", by="octo-dev").says("ana", "/gate approve plan", on=12)


@bug()
def bug_by_nobody(world: World) -> None:
    """Who set the label cannot be told."""
    world.label("bug")
    world.issues[0]["label_events"][-1]["actor"] = None
    world.planned().built()


@bug()
def bug_set_again_by_author(world: World) -> None:
    """A maintainer's label is taken off, and set again by the author."""
    world.label("bug").unlabel("bug").planned().built().label("bug", by="octo-dev")


@bug()
def native_type_by_author(world: World) -> None:
    """The author changes GitHub's own type from Feature to Bug."""
    world.then(set_type, "Feature").planned().built().then(set_type, "Bug", by="octo-dev", before="Feature")


@bug()
def native_type_by_nobody(world: World) -> None:
    """GitHub's own type is Bug, and no event tells since when."""
    world.issues[0]["type"] = "Bug"
    world.planned().built()


@bug()
def stricter_label_removed_by_author(world: World) -> None:
    """The author takes the label away that asks for QA."""
    world.under(SECURITY).label("bug").label("security").unlabel("security", by="octo-dev").planned().built()


@bug()
def stricter_label_removed_by_agent(world: World) -> None:
    """An agent takes it away."""
    world.under(SECURITY).label("bug").label("Security").unlabel("Security", by="ana").planned().built()


@bug()
def stricter_type_removed_by_author(world: World) -> None:
    """The author takes GitHub's own type away; a label says bug."""
    world.label("bug").then(set_type, "Feature")
    gone = {"name": "Feature", "action": "removed", "at": world.tick(), "actor": PEOPLE["octo-dev"]}
    world.issues[0] |= {"type": None, "type_events": [*world.issues[0]["type_events"], gone]}
    world.planned().built()


@quick()
def quick_by_author(world: World) -> None:
    """The author sends the own work down the quick route."""
    world.label(QUICK, by="octo-dev").passed_by("judge")


@quick()
def quick_by_the_judge(world: World) -> None:
    """The Judge's own account does."""
    world.label(QUICK, by="ana").passed_by("judge")


@quick()
def quick_that_came_so(world: World) -> None:
    """Whoever wrote the issue labelled it quick, and may not triage."""
    world.issues[0] |= {"labels": [QUICK], "label_events": [came_so(QUICK, "eve")]}
    world.passed_by("judge")


@quick()
def quick_label_of_unknown_age(world: World) -> None:
    """Nobody can tell when the label came, or by whom."""
    world.label(QUICK)
    world.issues[0]["label_events"] = []
    world.passed_by("judge")


relinked = partial(labels, defence="who-relinks", codes="PG408")
less_tested = partial(relinked, phases=QA_WAITS, because="its requirements still apply")


def relinked_by(world: World, by: str, policy: str | None = None) -> None:
    """A feature becomes another issue, a bug, whose plan is green."""
    world.under(policy).link(9, by, "bug").unlink(12, by=by).planned(9).built()


for _name, _says, _by, _policy in (
    ("relinked-by-author", "The author edits the description: now it closes a bug, not a feature.", "octo-dev", None),
    ("relinked-by-an-agent", "An account that speaks as an agent here does, in the sidebar.", "ana", None),
    ("relinked-by-a-named-agent", "Or one that the policy names, though it is silent.", "ben", NAMED_BEN),
    ("relinked-by-a-reader", "Or somebody without triage permission.", "eve", None),
):
    less_tested(_name, _says)(partial(relinked_by, by=_by, policy=_policy))


@less_tested()
def relinked_by_nobody(world: World) -> None:
    """Who unlinked the feature cannot be told."""
    relinked_by(world, "mona")
    world.links[-1]["actor"] = None


@less_tested()
def relinked_in_an_old_snapshot(world: World) -> None:
    """A saved snapshot tells that the links changed, and not how."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.relinked_at = world.tick()
    world.planned().built()


@less_tested()
def one_of_two_unlinked(world: World) -> None:
    """Two issues were linked; the author takes the one away that asks for QA."""
    world.issue(9, "bug")
    world.planned(9).built().unlink(12)


@less_tested()
def unlinked_then_relabelled(world: World) -> None:
    """The author unlinks the feature, and calls it a bug afterwards."""
    relinked_by(world, "octo-dev")
    world.former[0]["labels"].append("bug")
    world.former[0]["label_events"].append(
        {"name": "bug", "action": "added", "at": world.tick(), "actor": PEOPLE["octo-dev"]}
    )


@less_tested()
def relinked_back_and_forth(world: World) -> None:
    """A maintainer once changed the links; the last change is the author's."""
    world.link(9, "mona", "bug").unlink(12, by="mona")
    world.issues += world.former
    world.former.clear()
    world.links.append({**world.links[-1], "action": "added", "at": world.tick()})
    world.unlink(12).planned(9).built()


@less_tested()
def earlier_description_deleted(world: World) -> None:
    """The author deletes the version of the description that named the feature."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.links.append({"name": "", "action": "removed", "at": world.tick(), "actor": PEOPLE["octo-dev"]})
    world.relinked_at = world.links[-1]["at"]
    world.planned().built()


@less_tested()
def retargeted_away_from_the_feature(world: World) -> None:
    """Words link only on the default branch: the author takes another base."""
    world.issue(9, "bug")
    world.links += [{"name": "octo/shop#12", "action": "added", "at": world.opened, "actor": PEOPLE["octo-dev"]}]
    world.retarget("main", "release")
    world.base = "release"
    world.former.append(world.issues.pop(0))
    world.planned(9).built()


@relinked(phases=WAITING)
def relinked_to_a_quick_issue(world: World) -> None:
    """The author links a quick issue instead."""
    world.link(9, "octo-dev", QUICK).unlink(12).passed_by("judge")


silenced = partial(labels, defence="silenced-agents")
silenced_bug = partial(silenced, phases=QA_WAITS)


@silenced_bug(codes="PG207 PG407")
def bug_by_a_dismissed_agent(world: World) -> None:
    """The verdict of who calls it a bug was dismissed."""
    world.then(called_bug, "ben").dismiss(world.review("ben", verdict("lens")))


@silenced_bug(codes="PG407")
def bug_by_a_deleted_agent(world: World) -> None:
    """Or was deleted, and is on record."""
    world.label("bug", by="ben").planned()
    said = world.judges("judge", "FAIL", who="ben")
    world.on_record(said, who="ben").delete(said, "ben")
    world.says("mona", "/gate resume build: it was posted to the wrong pull request").built()


@silenced_bug(codes="PG207 PG407")
def stricter_label_removed_by_a_dismissed_agent(world: World) -> None:
    """Such an account takes it away."""
    world.under(SECURITY).label("bug").label("security").unlabel("security", by="ben").planned().built()
    world.dismiss(world.review("ben", verdict("lens")))


@silenced(phases=WAITING, codes="PG207 PG407")
def quick_by_a_dismissed_agent(world: World) -> None:
    """Such an account calls it quick."""
    world.label(QUICK, by="ben").passed_by("judge").dismiss(world.review("ben", verdict("judge")))


@silenced_bug(codes="PG207 PG407")
def bug_by_a_dismissed_reviewer(world: World) -> None:
    """It spoke in envelopes."""
    world.then(enveloped).label("bug", by="ben").then(works).then(reviews)
    world.dismiss(world.review("ben", message("review_verdict")))
