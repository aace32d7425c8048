"""Stories about the plan phase, and about approvals that come too early or too late."""

from __future__ import annotations

from tests.casebook.story import GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, World

WAITING = "pending pending pending"


@story(phases=WAITING, because="Waiting for Architect's plan")
def no_plan(world: World) -> None:
    """Nobody has planned."""
    world.built().tested()


@story(phases=WAITING, because="/gate approve plan")
def plan_not_approved(world: World) -> None:
    """The plan waits for its human."""
    world.says("ana", "## jkz:architect\n\nThe plan.\n", on=12).passed_by("auditor").passed_by("curator")
    world.built()


@story(phases="failure pending pending", because="Auditor failed the plan of #12: A1")
def plan_failed(world: World) -> None:
    """The Auditor fails the plan; the Architect mends it."""
    world.says("ana", "## jkz:architect\n\nThe plan.\n", on=12).failed_by("auditor")


@story(phases=WAITING, because="earlier text of the plan of #12")
def plan_edited_after_approval(world: World) -> None:
    """An edit of the plan makes verdicts and approval stale."""
    world.planned()
    world.edit(world.issues[0]["comments"][0], "## jkz:architect\n\nAnother plan altogether.\n", "ana").built()


@story(phases="failure pending pending", codes="PG205", because="The plan of #12 does not count")
def plan_edited_by_another(world: World) -> None:
    """A plan that somebody else edited does not count."""
    world.planned()
    world.edit(world.issues[0]["comments"][0], "## jkz:architect\n\nAnother plan altogether.\n", "octo-dev")
    world.built()


@story(phases=QA_WAITS, because="was for earlier content")
def approval_of_older_commit(world: World) -> None:
    """An approval is bound to the content it was given for."""
    world.green().push("b").built().passed_by("sentinel", "lens")


def deleted(world: World, who: str) -> None:
    """A comment of somebody is deleted from the issue."""
    trace = {"at": world.tick(), "actor": PEOPLE[who], "author": PEOPLE[who]}
    world.issues[0].setdefault("deleted_comments", []).append(trace)


@story(phases=GREEN)
def stranger_deletes_a_comment(world: World) -> None:
    """Who may not plan deleted no plan."""
    world.planned().then(deleted, "eve").built().tested()


@story(phases=GREEN)
def judged_after_a_deletion(world: World) -> None:
    """Words from after a deletion are about what stands there."""
    world.says("ana", "## jkz:architect\n\nA first thought.\n", on=12).then(deleted, "ana").green()


@story(phases=GREEN)
def other_agent_deletes_a_comment(world: World) -> None:
    """An agent that the policy names for another role wrote no plan."""
    named = ("{login: ana, id: 21}", "{login: ben, id: 22, roles: [judge]}")
    world.under(f"version: 1\nagents: {{accounts: [{', '.join(named)}]}}\n").planned().then(deleted, "ben")
    world.built().tested()


@story(phases=GREEN, codes="PG307")
def plan_deleted_and_judged_again(world: World) -> None:
    """Asked again, they pass the plan that is left."""
    world.planned().then(deleted, "ana").passed_by("auditor").passed_by("curator")
    world.says("mona", "/gate approve plan", on=12).built().tested()
