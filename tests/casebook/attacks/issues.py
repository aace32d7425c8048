"""Labels and issues: what a pull request is linked to, and what that lends it."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.attacks.labels import QUICK, bug, quick, without_qa
from tests.casebook.issues import SECURITY, came_so, set_type
from tests.casebook.story import BUILD_WAITS, QA_WAITS
from tests.casebook.world import REPOSITORY, World

labels = partial(attack, "labels")


@labels(
    "quick-issue-elsewhere",
    "The quick issue is one of the author's own repository.",
    defence="own-issues",
    state="pending",
    phases=WAITING,
    codes="PG401 PG402",
    because="No linked issue",
)
def _(world: World) -> None:
    world.issues.clear()
    world.issue(3, QUICK, repository="octo-dev/elsewhere")
    world.judges("judge")


@labels(
    "quick-issue-beside",
    "A second, quick issue is linked beside the real one.",
    defence="strictest-issue",
    state="pending",
    phases=WAITING,
    because="Waiting for Architect's plan",
)
def _(world: World) -> None:
    world.issue(13, QUICK)
    world.judges("judge")


@labels(
    "bug-beside", "A bug is linked beside the feature.", defence="strictest-issue", state="pending", phases=QA_WAITS
)
def _(world: World) -> None:
    world.issue(13, "bug")
    world.planned(13)
    without_qa(world)


@labels(
    "chore-label-on-feature",
    "GitHub says feature, the author's label says chore.",
    defence="strictest-type",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    world.label("chore")
    world.issues[0]["type"] = "Feature"
    without_qa(world)


@labels(
    "label-that-looks-like-quick",
    "The last letter of the label is a Kelvin sign.",
    defence="plain-letters",
    state="pending",
    phases=WAITING,
)
def _(world: World) -> None:
    world.label("complexity:quic\u212a")
    world.judges("judge")


@labels(
    "no-issue",
    "Without an issue nobody said that it is a bug.",
    defence="no-issue-is-a-feature",
    state="pending",
    phases=QA_WAITS,
    codes="PG401",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {plan: {enabled: false}}\n"
    world.issues.clear()
    world.built()


def closed(world: World, state: str) -> None:
    """Another pull request has closed the issue."""
    world.issues[0]["state"] = state
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]


@labels(
    "borrowed-plan",
    "The plan of an issue that another pull request has closed.",
    defence="spent-issues",
    state="pending",
    phases=WAITING,
    codes="PG404",
    because="its plan is spent",
)
def _(world: World) -> None:
    without_qa(world)
    closed(world, "closed")
    world.tested()


@labels(
    "borrowed-quick-label",
    "A closed issue is labelled quick once more.",
    defence="spent-issues",
    state="pending",
    phases=WAITING,
    codes="PG404",
)
def _(world: World) -> None:
    closed(world, "closed")
    world.label(QUICK)
    world.judges("judge")


@labels(
    "reopened-plan",
    "The issue is opened again, and its old plan is there.",
    defence="words-spent",
    state="pending",
    phases=WAITING,
    codes="PG404",
    because="The plan of #12 by ana is ignored: it is older than the merge that closed this issue",
)
def _(world: World) -> None:
    world.planned()
    closed(world, "open")
    world.built()
    world.tested()


PLANNED_ALONE = "version: 1\nphases: {plan: {human_approval: false}}\n"


def tested_by_ben(world: World) -> None:
    """Build and QA pass, by an account that had no part in the plan."""
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, who="ben")
    world.say("mona", "/gate approve qa")


for _name, _says, _text in (
    ("agent", "who was approved for part one only", ""),
    ("agent-alone", "where the policy asks for no approval of plans", PLANNED_ALONE),
):

    @labels(
        f"renewed-by-an-{_name}",
        f"The agent that wrote and judged the plan of part one renews it, {_says}.",
        defence="words-spent",
        state="pending",
        phases=WAITING,
        codes="PG212 PG404",
        because="ana's /gate approve plan does not count: ana speaks as an agent here",
    )
    def _(world: World, text: str = _text) -> None:
        world.policy = text or None
        world.planned()
        closed(world, "open")
        world.say("ana", "/gate approve plan", on=12)
        tested_by_ben(world)


@labels(
    "renewed-with-its-override",
    "A human renews the plan of part one, which was judged by nobody and overridden then.",
    defence="words-spent",
    state="pending",
    phases=WAITING,
    codes="PG404",
    because="The override by mona does not count: it is older than the merge that closed this issue",
)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    world.say("mona", "/gate override plan: there was no time", on=12)
    closed(world, "open")
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.tested()


@labels(
    "reopened-plan-beside-a-twin",
    "An issue of the author's own repository has the same number, and was closed by nobody.",
    defence="numbers-of-this-repository",
    state="pending",
    phases=WAITING,
    codes="PG402 PG404",
)
def _(world: World) -> None:
    world.planned()
    closed(world, "open")
    world.issue(12, repository="octo-dev/elsewhere")
    world.issues.reverse()
    world.built()
    world.tested()


@labels(
    "reopened-label",
    "The issue is opened again, planned anew, and its old label is there.",
    defence="labels-spent",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    world.label("bug")
    closed(world, "open")
    without_qa(world)


@labels(
    "second-issue-without-plan",
    "Only one of two linked issues is planned.",
    defence="each-its-plan",
    state="pending",
    phases=WAITING,
    because="plan on #13",
)
def _(world: World) -> None:
    world.issue(13)
    without_qa(world)
    world.tested()


@labels(
    "paths-cut-short",
    "Build concerns only src/, and the list of files was cut before it.",
    defence="all-paths",
    state="pending",
    phases=BUILD_WAITS,
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {build: {paths: ['src/**']}}\n"
    world.planned()
    world.tested()
    world.changes["files"] = {"complete": False, "entries": [{"path": "docs/a.md"}]}


@labels(
    "paths-moved-away",
    "The file is moved out of the folder that build concerns.",
    defence="all-paths",
    state="pending",
    phases=BUILD_WAITS,
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {build: {paths: ['src/**']}}\n"
    world.planned()
    world.tested()
    moved = {"path": "lib/auth.py", "previous_path": "src/auth.py", "status": "renamed"}
    world.changes["files"] = {"complete": True, "entries": [moved]}


@bug("bug-by-a-bot-that-may-write", "An app that may write calls it a bug: somebody asked it to.")
def _(world: World) -> None:
    world.permissions["helper[bot]"] = "write"
    world.label("bug", by="helper[bot]")
    without_qa(world)


@quick("quick-by-a-bot-that-may-write", "Such an app sends it down the quick route.")
def _(world: World) -> None:
    world.permissions["helper[bot]"] = "write"
    world.label(QUICK, by="helper[bot]")
    world.judges("judge")


@bug("bug-back-unseen", "A maintainer's label was taken off, and is there again without anybody having set it.")
def _(world: World) -> None:
    world.label("bug")
    world.unlabel("bug", by="octo-dev")
    world.issues[0]["labels"].append("bug")
    without_qa(world)


@bug("stricter-label-deleted", "The label that asks for QA is deleted from the repository: no event tells.")
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("bug")
    world.label("security")
    world.issues[0]["labels"].remove("security")
    without_qa(world)


@bug("stricter-type-gone-unseen", "So is GitHub's own type.")
def _(world: World) -> None:
    world.label("bug")
    set_type(world, "Feature")
    world.issues[0]["type"] = None
    without_qa(world)


for _name, _says, _by in (
    ("stricter-label-removed-by-agent-beforehand", "An agent takes it off just before the work is opened.", "ana"),
    ("stricter-label-removed-by-app-beforehand", "Or an app.", "helper[bot]"),
    ("stricter-label-removed-by-reader-beforehand", "Or somebody without triage permission.", "eve"),
):

    @bug(_name, _says)
    def _(world: World, by: str = _by) -> None:
        world.policy = SECURITY
        set_off = {**came_so("security", by), "action": "removed"}
        events = [came_so("bug", "mona"), came_so("security", "mona"), set_off]
        world.issues[0] |= {"labels": ["bug"], "label_events": events}
        without_qa(world)


@labels(
    "reopened-type",
    "The issue is opened again, planned anew, and GitHub's own type is the old one.",
    defence="labels-spent",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    set_type(world, "Bug")
    closed(world, "open")
    without_qa(world)


@labels(
    "borrowed-type",
    "A closed issue becomes a bug once more; a human overrides its plan.",
    defence="spent-issues",
    state="pending",
    phases=QA_WAITS,
    codes="PG404",
)
def _(world: World) -> None:
    closed(world, "closed")
    set_type(world, "Bug")
    world.say("mona", "/gate override plan: it is planned already")
    world.built()


@labels(
    "reopened-beside-a-stricter-label",
    "Opened again it is called a bug; the label that asks for QA is older and still there.",
    defence="strictest-type",
    state="pending",
    phases=QA_WAITS,
)
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("security")
    closed(world, "open")
    world.label("bug")
    without_qa(world)
