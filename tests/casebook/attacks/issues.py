"""Labels and issues: what a pull request is linked to, and what that lends it."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.attacks.labels import QUICK, bug, quick
from tests.casebook.issues import SECURITY, came_so, set_type
from tests.casebook.story import BUILD_WAITS, QA_WAITS
from tests.casebook.world import REPOSITORY, World

labels = partial(attack, "labels")


@labels(defence="own-issues", phases=WAITING, codes="PG401 PG402", because="No linked issue")
def quick_issue_elsewhere(world: World) -> None:
    """The quick issue is one of the author's own repository."""
    world.without_issues()
    world.issue(3, QUICK, repository="octo-dev/elsewhere")
    world.passed_by("judge")


@labels(defence="strictest-issue", phases=WAITING, because="Waiting for Architect's plan")
def quick_issue_beside(world: World) -> None:
    """A second, quick issue is linked beside the real one."""
    world.issue(13, QUICK)
    world.passed_by("judge")


@labels(defence="strictest-issue", phases=QA_WAITS)
def bug_beside(world: World) -> None:
    """A bug is linked beside the feature."""
    world.issue(13, "bug")
    world.planned(13).planned().built()


@labels(defence="strictest-type", phases=QA_WAITS)
def chore_label_on_feature(world: World) -> None:
    """GitHub says feature, the author's label says chore."""
    world.label("chore")
    world.issues[0]["type"] = "Feature"
    world.planned().built()


@labels(defence="plain-letters", phases=WAITING)
def label_that_looks_like_quick(world: World) -> None:
    """The last letter of the label is a Kelvin sign."""
    world.label("complexity:quic\u212a").passed_by("judge")


@labels(defence="no-issue-is-a-feature", phases=QA_WAITS, codes="PG401")
def no_issue(world: World) -> None:
    """Without an issue nobody said that it is a bug."""
    world.under("version: 1\nphases: {plan: {enabled: false}}\n").without_issues().built()


def closed(world: World, state: str) -> None:
    """Another pull request has closed the issue."""
    world.issues[0]["state"] = state
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]


@labels(defence="spent-issues", phases=WAITING, codes="PG404", because="its plan is spent")
def borrowed_plan(world: World) -> None:
    """The plan of an issue that another pull request has closed."""
    world.planned().built().then(closed, "closed").tested()


@labels(defence="spent-issues", phases=WAITING, codes="PG404")
def borrowed_quick_label(world: World) -> None:
    """A closed issue is labelled quick once more."""
    world.then(closed, "closed").label(QUICK).passed_by("judge")


@labels(
    defence="words-spent",
    phases=WAITING,
    codes="PG404",
    because="The plan of #12 by ana is ignored: it is older than the merge that closed this issue",
)
def reopened_plan(world: World) -> None:
    """The issue is opened again, and its old plan is there."""
    world.planned().then(closed, "open").built().tested()


PLANNED_ALONE = "version: 1\nphases: {plan: {human_approval: false}}\n"


def tested_by_ben(world: World) -> None:
    """Build and QA pass, by an account that had no part in the plan."""
    world.passed_by("judge", "inspector", "sentinel", "lens", who="ben").says("mona", "/gate approve qa")


for _name, _says, _text in (
    ("agent", "who was approved for part one only", ""),
    ("agent-alone", "where the policy asks for no approval of plans", PLANNED_ALONE),
):

    @labels(
        f"renewed-by-an-{_name}",
        f"The agent that wrote and judged the plan of part one renews it, {_says}.",
        defence="words-spent",
        phases=WAITING,
        codes="PG212 PG404",
        because="ana's /gate approve plan does not count: ana speaks as an agent here",
    )
    def _(world: World, text: str = _text) -> None:
        world.under(text or None).planned().then(closed, "open").says("ana", "/gate approve plan", on=12)
        tested_by_ben(world)


@labels(
    defence="words-spent",
    phases=WAITING,
    codes="PG404",
    because="The override by mona does not count: it is older than the merge that closed this issue",
)
def renewed_with_its_override(world: World) -> None:
    """A human renews the plan of part one, which was judged by nobody and overridden then."""
    world.says("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    world.says("mona", "/gate override plan: there was no time", on=12).then(closed, "open")
    world.says("mona", "/gate approve plan", on=12).built().tested()


@labels(defence="numbers-of-this-repository", phases=WAITING, codes="PG402 PG404")
def reopened_plan_beside_a_twin(world: World) -> None:
    """An issue of the author's own repository has the same number, and was closed by nobody."""
    world.planned().then(closed, "open")
    world.issue(12, repository="octo-dev/elsewhere")
    world.issues.reverse()
    world.built().tested()


@labels(defence="labels-spent", phases=QA_WAITS)
def reopened_label(world: World) -> None:
    """The issue is opened again, planned anew, and its old label is there."""
    world.label("bug").then(closed, "open").planned().built()


@labels(defence="each-its-plan", phases=WAITING, because="plan on #13")
def second_issue_without_plan(world: World) -> None:
    """Only one of two linked issues is planned."""
    world.issue(13)
    world.green()


@labels(defence="all-paths", phases=BUILD_WAITS)
def paths_cut_short(world: World) -> None:
    """Build concerns only src/, and the list of files was cut before it."""
    world.under("version: 1\nphases: {build: {paths: ['src/**']}}\n").planned().tested()
    world.touches("docs/a.md", complete=False)


@labels(defence="all-paths", phases=BUILD_WAITS)
def paths_moved_away(world: World) -> None:
    """The file is moved out of the folder that build concerns."""
    world.under("version: 1\nphases: {build: {paths: ['src/**']}}\n").planned().tested()
    moved = {"path": "lib/auth.py", "previous_path": "src/auth.py", "status": "renamed"}
    world.touches(moved)


@bug()
def bug_by_a_bot_that_may_write(world: World) -> None:
    """An app that may write calls it a bug: somebody asked it to."""
    world.permits("helper[bot]", "write").label("bug", by="helper[bot]").planned().built()


@quick()
def quick_by_a_bot_that_may_write(world: World) -> None:
    """Such an app sends it down the quick route."""
    world.permits("helper[bot]", "write").label(QUICK, by="helper[bot]").passed_by("judge")


@bug()
def bug_back_unseen(world: World) -> None:
    """A maintainer's label was taken off, and is there again without anybody having set it."""
    world.label("bug").unlabel("bug", by="octo-dev")
    world.issues[0]["labels"].append("bug")
    world.planned().built()


@bug()
def stricter_label_deleted(world: World) -> None:
    """The label that asks for QA is deleted from the repository: no event tells."""
    world.under(SECURITY).label("bug").label("security")
    world.issues[0]["labels"].remove("security")
    world.planned().built()


@bug()
def stricter_type_gone_unseen(world: World) -> None:
    """So is GitHub's own type."""
    world.label("bug").then(set_type, "Feature")
    world.issues[0]["type"] = None
    world.planned().built()


for _name, _says, _by in (
    ("stricter-label-removed-by-agent-beforehand", "An agent takes it off just before the work is opened.", "ana"),
    ("stricter-label-removed-by-app-beforehand", "Or an app.", "helper[bot]"),
    ("stricter-label-removed-by-reader-beforehand", "Or somebody without triage permission.", "eve"),
):

    @bug(_name, _says)
    def _(world: World, by: str = _by) -> None:
        world.under(SECURITY)
        set_off = {**came_so("security", by), "action": "removed"}
        events = [came_so("bug", "mona"), came_so("security", "mona"), set_off]
        world.issues[0] |= {"labels": ["bug"], "label_events": events}
        world.planned().built()


@labels(defence="labels-spent", phases=QA_WAITS)
def reopened_type(world: World) -> None:
    """The issue is opened again, planned anew, and GitHub's own type is the old one."""
    world.then(set_type, "Bug").then(closed, "open").planned().built()


@labels(defence="spent-issues", phases=QA_WAITS, codes="PG404")
def borrowed_type(world: World) -> None:
    """A closed issue becomes a bug once more; a human overrides its plan."""
    world.then(closed, "closed").then(set_type, "Bug")
    world.says("mona", "/gate override plan: it is planned already").built()


@labels(defence="strictest-type", phases=QA_WAITS)
def reopened_beside_a_stricter_label(world: World) -> None:
    """Opened again it is called a bug; the label that asks for QA is older and still there."""
    world.under(SECURITY).label("security").then(closed, "open").label("bug").planned().built()
