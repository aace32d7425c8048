"""Everybody answers: each seat gives its pass once more by its own account, a human resumes, humans approve again."""

from __future__ import annotations

from phasegate.model.report import Report, Why
from phasegate.model.signal import Act, Medium
from tests.casebook import reviewers
from tests.casebook.world import PEOPLE, World, commit
from tests.metamorphic.scene import JSON, Scene, Seat, decide, raw_of, say
from tests.metamorphic.table import BY_ANOTHER, WITHDRAWN, Put, push


def everybody_answers(scene: Scene, put: Put, fate: str) -> Report:
    """The decision after all of that; a resume only where a word was taken away by another, or rounds are used up."""
    world = put.world
    texts: dict[object, Seat] = {}
    for seat in scene.seats:
        texts.setdefault((seat.path, seat.said.get("id")), seat)  # one text may fill two seats
    for seat in texts.values():
        speak_again(world, seat)
    if put.seat.named and put.medium is Medium.REVIEW:
        reviewed_again(world, put.seat)
    if fate in BY_ANOTHER or (fate == WITHDRAWN and is_doubtful(world)):
        resume(scene, world)
    for act in scene.acts:
        act_again(world, act)
    after = decide(world)
    if Why.ESCALATED not in {need.why for phase in after.phases for need in phase.needs}:
        return after
    resume(scene, world)
    for act in scene.acts:
        act_again(world, act)
    return decide(world)


def is_doubtful(world: World) -> bool:
    """L10, "surely": whether several comments were deleted, so that nobody can tell who deleted which."""
    holders = (world.changes, *world.issues)
    return sum(len(each.get("deleted_comments", ())) for each in holders) > 1


# How reviewers say in a review that they found nothing; of the others an approval without text is all that there is.
CLEAN = {"coderabbit": reviewers.actionable(0), "copilot": reviewers.copilot()}


def reviewed_again(world: World, seat: Seat) -> None:
    """A named reviewer answers its review by a review: what it finds now, and its approval."""
    if seat.dialect in CLEAN:
        world.review("ana", CLEAN[seat.dialect], author=seat.author)
    world.review("ana", "", state="APPROVED", author=seat.author)


def speak_again(world: World, seat: Seat) -> None:
    """The seat's pass, once more, on the present content."""
    if seat.medium is Medium.FILE:
        push(world, seat.author, {seat.path: f"{seat.text}{chr(10) * len(world.moves)}"})
    elif seat.medium is Medium.CHECK_RUN:
        times = {"started_at": world.tick(), "completed_at": world.tick(), "commit": commit(world.head)}
        world.next_id += 1
        again = {**seat.said, **times, "id": world.next_id * 2000}
        world.changes["checks"] = [*world.changes["checks"], again]
    elif seat.medium is Medium.REVIEW:
        world.review("ana", seat.text, state=seat.said["state"], author=seat.author)
    else:
        say(world, seat.text, seat.author, seat.app_id, seat.issue)


def resume(scene: Scene, world: World) -> None:
    """A human who may act resumes every phase."""
    acting = [act.command.source.author for act in scene.acts if act.command.source.author is not None]
    human = "mona" if "mona" in world.permissions else world.author
    author: JSON = PEOPLE[human] if not acting else {"login": acting[0].login, "id": acting[0].id, "type": "User"}
    for phase in scene.report.phases:
        numbers = [issue["number"] for issue in world.issues] if phase.where.value == "issue" else []
        for number in numbers or [None]:
            say(world, f"/gate resume {phase.name}: looked at it", author, issue=number)


def act_again(world: World, act: Act) -> None:
    """A human gives the same approval or override once more."""
    source = act.command.source
    said = raw_of(world, source, "")
    if said is not None and source.medium is Medium.REVIEW:
        world.review("ana", said["text"], state=said["state"], author=said["author"])
        return
    reason = f": {act.command.reason}" if act.command.reason else ""
    text = said["text"] if said is not None else f"/gate {act.command.verb} {act.command.phase}{reason}"
    author = said["author"] if said is not None else PEOPLE["mona"]
    say(world, text, author, issue=source.issue)
