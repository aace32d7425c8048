"""Stories about what the linked issue decides: its type, its labels, the quick route."""

from __future__ import annotations

from tests.casebook.story import GREEN, QA_FAILED, QA_WAITS, story
from tests.casebook.world import JSON, PEOPLE, World

WAITING = "pending pending pending"
SECURITY = "version: 1\nissue: {types: {security: {labels: [security], qa: required}}}\n"


def came_so(label: str, by: str) -> JSON:
    """A label that was set before the pull request was opened."""
    return {"name": label, "action": "added", "at": "2026-03-02T09:01:00Z", "actor": PEOPLE[by]}


def set_type(world: World, name: str, by: str = "mona", before: str | None = None) -> None:
    """Give the issue a native type, in place of another one if there was one."""
    at = world.tick()
    gone = [] if before is None else [{"name": before, "action": "removed", "at": at, "actor": PEOPLE[by]}]
    told = [*world.issues[0].get("type_events", []), *gone]
    world.issues[0]["type_events"] = [*told, {"name": name, "action": "added", "at": at, "actor": PEOPLE[by]}]
    world.issues[0]["type"] = name


@story(phases=GREEN)
def bug_without_qa(world: World) -> None:
    """A bug may go without QA, and the status says so."""
    world.label("Bug").planned().built()


@story(phases=GREEN)
def refactor_without_qa(world: World) -> None:
    """So may a refactoring."""
    world.label("refactor").planned().built()


@story(phases=GREEN)
def chore_without_qa(world: World) -> None:
    """And a chore."""
    world.label("chore").planned().built()


@story(phases=QA_FAILED, because="Sentinel failed")
def bug_with_failing_qa(world: World) -> None:
    """QA was optional, but it ran and failed."""
    world.label("bug").planned().built().failed_by("sentinel")


@story(phases=QA_WAITS, because="Sentinel")
def bug_qa_failed_on_older_commit(world: World) -> None:
    """An optional QA that has failed once must pass before the merge."""
    world.label("bug").planned().failed_by("sentinel").push("b").built()


@story(phases=QA_WAITS, because="/gate approve qa")
def bug_with_qa_unapproved(world: World) -> None:
    """Where QA ran, a human approves it."""
    world.label("bug").unapproved()


@story(
    phases=QA_WAITS,
    codes="PG407",
    because='"bug" of #12 was set by octo-dev, who opened this pull request, so it does not count; waiting for',
)
def bug_by_the_author(world: World) -> None:
    """The author's own label asks for nothing less, and the route says so."""
    world.planned().label("bug", by="octo-dev").built()


@story(phases=GREEN)
def bug_by_the_author_by_policy(world: World) -> None:
    """Unless the policy lets the author lower."""
    world.under("version: 1\nissue: {author_may_lower: true}\n").planned().label("bug", by="octo-dev").built()


@story(phases=GREEN)
def bug_by_the_author_approved(world: World) -> None:
    """Or somebody else approves the plan after that."""
    world.label("bug", by="octo-dev").planned().built()


@story(phases=GREEN)
def bug_that_came_so(world: World) -> None:
    """A type label that came with the issue, from anybody else."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "eve")]}
    world.planned().built()


@story(phases=GREEN)
def bug_by_triage(world: World) -> None:
    """Triage permission is enough to call it a bug later on."""
    world.permits("eve", "triage").label("bug", by="eve").planned().built()


@story(phases=GREEN)
def native_bug(world: World) -> None:
    """GitHub's own issue type, set by a maintainer."""
    world.then(set_type, "Bug").planned().built()


@story(phases=GREEN)
def security_taken_off(world: World) -> None:
    """A maintainer takes the stricter label away."""
    world.under(SECURITY).label("bug").label("security").unlabel("security").planned().built()


@story(phases=GREEN)
def chore_plus_bug(world: World) -> None:
    """Of chore and another type the other wins; both go without QA."""
    world.label("chore").label("bug").planned().built()


@story(phases=QA_FAILED, codes="PG403", because="Sentinel failed")
def label_after_failing_qa(world: World) -> None:
    """A label that arrives after QA has failed lowers nothing."""
    world.planned().built().failed_by("sentinel").label("bug")


@story(phases=QA_FAILED, codes="PG403", because="Sentinel failed")
def quick_label_after_failing_qa(world: World) -> None:
    """Nor does the label of the quick route."""
    world.planned().built().failed_by("sentinel").label("complexity:quick")


@story(phases=GREEN)
def quick_route(world: World) -> None:
    """The quick route needs only the Judge."""
    world.label("complexity:quick").passed_by("judge")


@story(phases=GREEN)
def quick_route_with_a_plan(world: World) -> None:
    """A plan that is there and valid is no hindrance."""
    world.says("ana", "## jkz:architect\n\nThe plan.\n", on=12).label("complexity:quick").passed_by("judge")


@story(phases="success failure success", because="Judge failed")
def quick_route_judge_failed(world: World) -> None:
    """The quick route still needs its Judge."""
    world.label("complexity:quick").failed_by("judge")


@story(phases=WAITING, codes="PG401", because="No linked issue")
def no_linked_issue(world: World) -> None:
    """Without an issue there is no plan, and the strictest type counts."""
    world.without_issues().built().tested()


@story(phases=WAITING, codes="PG401 PG402", because="No linked issue")
def foreign_issue(world: World) -> None:
    """An issue of another repository lends neither plan nor label."""
    world.without_issues()
    world.issue(3, "complexity:quick", repository="eve/elsewhere")
    world.planned(3).built()


@story(phases=GREEN)
def two_issues(world: World) -> None:
    """Each linked issue has its plan; the strictest type counts."""
    world.issue(13, "bug")
    world.planned(12).planned(13).built().tested()


@story(phases=WAITING, because="plan on #13")
def two_issues_one_without_plan(world: World) -> None:
    """The second linked issue has no plan."""
    world.issue(13, "bug")
    world.planned(12).built().tested()


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def two_issues_one_quick(world: World) -> None:
    """One quick issue does not make the whole pull request quick."""
    world.issue(13, "complexity:quick")
    world.planned(12).built()


@story(phases=GREEN)
def bug_with_a_quick_issue(world: World) -> None:
    """A quick issue beside a bug does not ask for more than the bug."""
    world.issue(13, "complexity:quick")
    world.label("bug").planned().built()


@story(phases=GREEN)
def relinked_by_a_maintainer(world: World) -> None:
    """A maintainer links the bug that it really is."""
    world.link(9, "mona", "bug").unlink(12, by="mona").planned(9).built()


@story(phases=GREEN)
def relinked_by_the_author_by_policy(world: World) -> None:
    """The policy lets the author lower."""
    world.under("version: 1\nissue: {author_may_lower: true}\n").link(9, "octo-dev", "bug").unlink(12)
    world.planned(9).built()


@story(phases=GREEN)
def wrong_number_corrected(world: World) -> None:
    """The author mistyped the number; both are bugs."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.link(9, "octo-dev", "bug").unlink(12).planned(9).built()


@story(phases=GREEN)
def bug_linked_late(world: World) -> None:
    """No issue was linked at first; the author links the bug."""
    world.without_issues().link(9, "octo-dev", "bug").planned(9).built()


@story(phases=GREEN)
def relinked_to_more(world: World) -> None:
    """The author links one that asks for more, in place of a bug."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.link(9, "octo-dev").unlink(12).planned(9).built().tested()


@story(phases=GREEN)
def bug_set_again_by_a_maintainer(world: World) -> None:
    """The author's label is taken off and set again."""
    world.label("bug", by="octo-dev").unlabel("bug").label("bug").planned().built()


@story(phases=GREEN)
def bug_by_an_app_beforehand(world: World) -> None:
    """An app labels new issues; that came with it."""
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "helper[bot]")]}
    world.planned().built()


@story(phases=GREEN)
def stricter_label_removed_beforehand(world: World) -> None:
    """A maintainer saw that it is only a bug."""
    world.under(SECURITY)
    taken_off = {**came_so("security", "mona"), "action": "removed"}
    events = [came_so("security", "eve"), came_so("bug", "mona"), taken_off]
    world.issues[0] |= {"labels": ["bug"], "label_events": events}
    world.planned().built()


@story(phases=GREEN)
def reopened_as_a_bug(world: World) -> None:
    """Opened again, the issue was given the type Bug."""
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}]
    world.then(set_type, "Bug").planned().built()


@story(phases=GREEN, codes="PG404")
def renewed_plan(world: World) -> None:
    """Part one closed the issue; opened again, a human renews its plan, where no approval is asked for."""
    world.under("version: 1\nphases: {plan: {human_approval: false}}\n").planned()
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}]
    world.says("mona", "/gate approve plan", on=12).built().tested()


@story(phases=GREEN, codes="PG402")
def issue_with_a_twin(world: World) -> None:
    """An issue of another repository has the same number and was closed: the own one is as it was."""
    world.planned()
    twin = world.issue(12, repository="octo/other")
    twin["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/other"}]
    world.issues.reverse()
    world.built().tested()
