"""Merge queues: attempts to get something merged that nobody judged, behind words that were said of something else."""

from __future__ import annotations

from tests.casebook.attacks.attack import attack
from tests.casebook.queue import FILE, OVERLAP
from tests.casebook.story import GREEN
from tests.casebook.world import World

KIND = "merge queue"


@attack(
    KIND,
    defence="queued-as-judged",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def queued_behind_another(world: World) -> None:
    """A harmless change is queued behind one of the same file that makes it harmful."""
    world.green().queued(differs=[FILE], beside=[FILE])


@attack(KIND, defence="queued-as-judged", state="failure", phases=GREEN, codes="PG412", because="src/backdoor.py")
def queued_with_a_stowaway(world: World) -> None:
    """Where overlapping files may pass, the commit brings in a file that the pull request does not touch."""
    world.under(OVERLAP).green().queued(differs=[FILE, "src/backdoor.py"], beside=[FILE, "src/backdoor.py"])


@attack(
    KIND,
    defence="queued-as-judged",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def queued_after_a_change(world: World) -> None:
    """Where overlapping files may pass, one differs that nobody else has changed."""
    world.under(OVERLAP).green().queued(differs=[FILE])


@attack(KIND, defence="queued-by-its-ref", state="failure", phases=GREEN, codes="PG410", because="is not of #7")
def queued_under_another_number(world: World) -> None:
    """The commit of #8 is decided by the words about #7."""
    world.green().queued(number=8)


@attack(KIND, defence="queued-by-its-ref", state="failure", phases=GREEN, codes="PG410", because="is not of #7")
def queued_for_a_release(world: World) -> None:
    """Judged for main, queued for a branch called like an entry of its queue."""
    world.green().queued("main/pr-7-0")


@attack(KIND, defence="queued-in-full", state="failure", phases=GREEN, codes="PG411", because="does not list all")
def queued_out_of_sight(world: World) -> None:
    """More files than GitHub lists, so that one of them is not seen."""
    world.green().queued(differs=None)


@attack(KIND, defence="queued-decided-again", state="failure", phases="success success pending", because="approve qa")
def queued_on_old_words(world: World) -> None:
    """It was green when it was queued, and its approval is gone since."""
    world.green()
    world.comments.pop()
    world.queued()
