"""Stories about merge queues: the commit that would be merged, beside what was judged."""

from __future__ import annotations

from tests.casebook.attacks.attack import ERRORS
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import World

OVERLAP = "version: 1\nmerge_queue: {overlap: true}\n"
FILE = "src/auth.py"


@story(phases=GREEN)
def queued(world: World) -> None:
    """The queue brings in exactly what was judged."""
    world.green().queued()


@story(state="failure", phases=BUILD_WAITS, because="Waiting for Inspector")
def queued_too_early(world: World) -> None:
    """Whoever waits in the queue would wait for ever: nobody decides its commit again."""
    world.planned().passed_by("judge").queued()


@story(phases=BUILD_FAILED, because="J1")
def queued_and_failed(world: World) -> None:
    """The Judge failed it after it was queued."""
    world.green().failed_by("judge").queued()


@story(state="failure", phases=GREEN, codes="PG412", because="src/auth.py is not what was judged")
def queued_with_another(world: World) -> None:
    """An entry before it changed the same file: nobody judged what the two make together."""
    world.green().queued(differs=[FILE], beside=[FILE])


@story(state="failure", phases=GREEN, codes="PG412", because="CHANGELOG.md and src/auth.py are not what was judged")
def queued_with_a_changelog(world: World) -> None:
    """The policy lets the changelog overlap, and nothing else."""
    world.green().under("version: 1\nmerge_queue: {overlap: [CHANGELOG.md]}\n").touches(FILE, "CHANGELOG.md")
    world.queued(differs=["CHANGELOG.md"], beside=["CHANGELOG.md"])
    world.look("the changelog was changed by others too")
    world.queued(differs=["CHANGELOG.md", FILE], beside=["CHANGELOG.md", FILE])


@story(phases=GREEN, because="src/auth.py merged with others' changes")
def queued_with_another_allowed(world: World) -> None:
    """The policy lets such files pass, and the status names them."""
    world.under(OVERLAP).green().queued(differs=[FILE], beside=[FILE])


@story(state="failure", phases=GREEN, codes="PG410", because="is not of #7")
def queued_for_another_branch(world: World) -> None:
    """It stands in the queue of a branch that it does not go into."""
    world.green().queued("next")


@story(phases=ERRORS, codes="PG503")
def queued_under_a_broken_policy(world: World) -> None:
    """Nothing is decided."""
    world.under("version: 1\nmerge_queues: {}\n").green().queued()
