"""Stories about merge queues: the commit that would be merged, beside what was judged."""

from __future__ import annotations

from tests.casebook.attacks.attack import ERRORS, green
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import World

OVERLAP = "version: 1\nmerge_queue: {overlap: true}\n"
FILE = "src/auth.py"


@story("queued", "The queue brings in exactly what was judged.", state="success", phases=GREEN)
def _(world: World) -> None:
    green(world)
    world.queued()


@story(
    "queued-too-early",
    "Whoever waits in the queue would wait for ever: nobody decides its commit again.",
    state="failure",
    phases=BUILD_WAITS,
    because="Waiting for Inspector",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")
    world.queued()


@story(
    "queued-and-failed", "The Judge failed it after it was queued.", state="failure", phases=BUILD_FAILED, because="J1"
)
def _(world: World) -> None:
    green(world)
    world.judges("judge", "FAIL")
    world.queued()


@story(
    "queued-with-another",
    "An entry before it changed the same file: nobody judged what the two make together.",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def _(world: World) -> None:
    green(world)
    world.queued(differs=[FILE], beside=[FILE])


@story(
    "queued-with-a-changelog",
    "The policy lets the changelog overlap, and nothing else.",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def _(world: World) -> None:
    green(world)
    world.policy = "version: 1\nmerge_queue: {overlap: [CHANGELOG.md]}\n"
    world.changes["files"] = {"complete": True, "entries": [{"path": FILE}, {"path": "CHANGELOG.md"}]}
    world.queued(differs=["CHANGELOG.md"], beside=["CHANGELOG.md"])
    world.look("the changelog was changed by others too")
    world.queued(differs=["CHANGELOG.md", FILE], beside=["CHANGELOG.md", FILE])


@story(
    "queued-with-another-allowed",
    "The policy lets such files pass, and the status names them.",
    state="success",
    phases=GREEN,
    because="src/auth.py merged with others' changes",
)
def _(world: World) -> None:
    world.policy = OVERLAP
    green(world)
    world.queued(differs=[FILE], beside=[FILE])


@story(
    "queued-many-files",
    "GitHub does not list all that the queue would bring in.",
    state="failure",
    phases=GREEN,
    codes="PG411",
    because="does not list all",
)
def _(world: World) -> None:
    green(world)
    world.queued(differs=None)


@story(
    "queued-for-another-branch",
    "It stands in the queue of a branch that it does not go into.",
    state="failure",
    phases=GREEN,
    codes="PG410",
    because="is not of #7",
)
def _(world: World) -> None:
    green(world)
    world.queued("next")


@story("queued-under-a-broken-policy", "Nothing is decided.", state="error", phases=ERRORS, codes="PG503")
def _(world: World) -> None:
    world.policy = "version: 1\nmerge_queues: {}\n"
    green(world)
    world.queued()
