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


@story("bug-without-qa", "A bug may go without QA, and the status says so.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("Bug")
    world.planned()
    world.built()


@story("refactor-without-qa", "So may a refactoring.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("refactor")
    world.planned()
    world.built()


@story("chore-without-qa", "And a chore.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("chore")
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
    world.label("bug")
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


@story(
    "bug-by-the-author",
    "The author's own label asks for nothing less, and the route says so.",
    state="pending",
    phases=QA_WAITS,
    codes="PG407",
    because='"bug" of #12 was set by octo-dev, who opened this pull request, so it does not count; waiting for',
)
def _(world: World) -> None:
    world.planned()
    world.label("bug", by="octo-dev")
    world.built()


@story("bug-by-the-author-by-policy", "Unless the policy lets the author lower.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nissue: {author_may_lower: true}\n"
    world.planned()
    world.label("bug", by="octo-dev")
    world.built()


@story("bug-by-the-author-approved", "Or somebody else approves the plan after that.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug", by="octo-dev")
    world.planned()
    world.built()


@story("bug-that-came-so", "A type label that came with the issue, from anybody else.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "eve")]}
    world.planned()
    world.built()


@story("bug-by-triage", "Triage permission is enough to call it a bug later on.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.permissions["eve"] = "triage"
    world.label("bug", by="eve")
    world.planned()
    world.built()


@story("native-bug", "GitHub's own issue type, set by a maintainer.", state="success", phases=GREEN)
def _(world: World) -> None:
    set_type(world, "Bug")
    world.planned()
    world.built()


@story("security-taken-off", "A maintainer takes the stricter label away.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = SECURITY
    world.label("bug")
    world.label("security")
    world.unlabel("security")
    world.planned()
    world.built()


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


@story("quick-route-with-a-plan", "A plan that is there and valid is no hindrance.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
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


@story("relinked-by-a-maintainer", "A maintainer links the bug that it really is.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.link(9, "mona", "bug")
    world.unlink(12, by="mona")
    world.planned(9)
    world.built()


@story("relinked-by-the-author-by-policy", "The policy lets the author lower.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nissue: {author_may_lower: true}\n"
    world.link(9, "octo-dev", "bug")
    world.unlink(12)
    world.planned(9)
    world.built()


@story("wrong-number-corrected", "The author mistyped the number; both are bugs.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.link(9, "octo-dev", "bug")
    world.unlink(12)
    world.planned(9)
    world.built()


@story("bug-linked-late", "No issue was linked at first; the author links the bug.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues.clear()
    world.link(9, "octo-dev", "bug")
    world.planned(9)
    world.built()


@story("relinked-to-more", "The author links one that asks for more, in place of a bug.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "mona")]}
    world.link(9, "octo-dev")
    world.unlink(12)
    world.planned(9)
    world.built()
    world.tested()


@story(
    "relinked-by-the-author",
    "The author links a bug in place of the feature: the feature still asks for QA, and the answer says why.",
    state="pending",
    phases=QA_WAITS,
    codes="PG408",
    because="#12 requires more and was unlinked by octo-dev, who opened this pull request",
)
def _(world: World) -> None:
    world.link(9, "octo-dev", "bug")
    world.unlink(12)
    world.planned(9)
    world.built()


@story("bug-set-again-by-a-maintainer", "The author's label is taken off and set again.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.label("bug", by="octo-dev")
    world.unlabel("bug")
    world.label("bug")
    world.planned()
    world.built()


@story("bug-by-an-app-beforehand", "An app labels new issues; that came with it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0] |= {"labels": ["bug"], "label_events": [came_so("bug", "helper[bot]")]}
    world.planned()
    world.built()


@story("stricter-label-removed-beforehand", "A maintainer saw that it is only a bug.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = SECURITY
    taken_off = {**came_so("security", "mona"), "action": "removed"}
    events = [came_so("security", "eve"), came_so("bug", "mona"), taken_off]
    world.issues[0] |= {"labels": ["bug"], "label_events": events}
    world.planned()
    world.built()


@story("reopened-as-a-bug", "Opened again, the issue was given the type Bug.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}]
    set_type(world, "Bug")
    world.planned()
    world.built()


@story(
    "renewed-plan",
    "Part one closed the issue; opened again, a human renews its plan, where no approval is asked for.",
    state="success",
    phases=GREEN,
    codes="PG404",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {plan: {human_approval: false}}\n"
    world.planned()
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}]
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.tested()


@story(
    "issue-with-a-twin",
    "An issue of another repository has the same number and was closed: the own one is as it was.",
    state="success",
    phases=GREEN,
    codes="PG402",
)
def _(world: World) -> None:
    world.planned()
    twin = world.issue(12, repository="octo/other")
    twin["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": "octo/other"}]
    world.issues.reverse()
    world.built()
    world.tested()
