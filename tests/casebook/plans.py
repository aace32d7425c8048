"""Stories about the plan phase, and about approvals that come too early or too late."""

from __future__ import annotations

from tests.casebook.story import GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, World

WAITING = "pending pending pending"


@story("no-plan", "Nobody has planned.", state="pending", phases=WAITING, because="Waiting for Architect's plan")
def _(world: World) -> None:
    world.built()
    world.tested()


@story(
    "plan-not-approved", "The plan waits for its human.", state="pending", phases=WAITING, because="/gate approve plan"
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
    because="was for earlier content",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")


def deleted(world: World, who: str) -> None:
    """A comment of somebody is deleted from the issue."""
    trace = {"at": world.tick(), "actor": PEOPLE[who], "author": PEOPLE[who]}
    world.issues[0].setdefault("deleted_comments", []).append(trace)


@story("stranger-deletes-a-comment", "Who may not plan deleted no plan.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    deleted(world, "eve")
    world.built()
    world.tested()


@story(
    "judged-after-a-deletion", "Words from after a deletion are about what stands there.", state="success", phases=GREEN
)
def _(world: World) -> None:
    world.say("ana", "## jkz:architect\n\nA first thought.\n", on=12)
    deleted(world, "ana")
    world.planned()
    world.built()
    world.tested()


@story(
    "other-agent-deletes-a-comment",
    "An agent that the policy names for another role wrote no plan.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    named = ("{login: ana, id: 21}", "{login: ben, id: 22, roles: [judge]}")
    world.policy = f"version: 1\nagents: {{accounts: [{', '.join(named)}]}}\n"
    world.planned()
    deleted(world, "ben")
    world.built()
    world.tested()


@story(
    "plan-deleted-and-judged-again",
    "Asked again, they pass the plan that is left.",
    state="success",
    phases=GREEN,
    codes="PG307",
)
def _(world: World) -> None:
    world.planned()
    deleted(world, "ana")
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.tested()
