"""Merge queues: attempts to get something merged that nobody judged, behind words that were said of something else."""

from __future__ import annotations

from tests.casebook.attacks.attack import attack, green
from tests.casebook.queue import FILE, OVERLAP
from tests.casebook.story import GREEN
from tests.casebook.world import World

KIND = "merge queue"


@attack(
    KIND,
    "queued-behind-another",
    "A harmless change is queued behind one of the same file that makes it harmful.",
    defence="queued-as-judged",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def _(world: World) -> None:
    green(world)
    world.queued(differs=[FILE], beside=[FILE])


@attack(
    KIND,
    "queued-with-a-stowaway",
    "Where overlapping files may pass, the commit brings in a file that the pull request does not touch.",
    defence="queued-as-judged",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/backdoor.py",
)
def _(world: World) -> None:
    world.policy = OVERLAP
    green(world)
    world.queued(differs=[FILE, "src/backdoor.py"], beside=[FILE, "src/backdoor.py"])


@attack(
    KIND,
    "queued-after-a-change",
    "Where overlapping files may pass, one differs that nobody else has changed.",
    defence="queued-as-judged",
    state="failure",
    phases=GREEN,
    codes="PG412",
    because="src/auth.py is not what was judged",
)
def _(world: World) -> None:
    world.policy = OVERLAP
    green(world)
    world.queued(differs=[FILE])


@attack(
    KIND,
    "queued-under-another-number",
    "The commit of #8 is decided by the words about #7.",
    defence="queued-by-its-ref",
    state="failure",
    phases=GREEN,
    codes="PG410",
    because="is not of #7",
)
def _(world: World) -> None:
    green(world)
    world.queued(number=8)


@attack(
    KIND,
    "queued-for-a-release",
    "Judged for main, queued for a branch called like an entry of its queue.",
    defence="queued-by-its-ref",
    state="failure",
    phases=GREEN,
    codes="PG410",
    because="is not of #7",
)
def _(world: World) -> None:
    green(world)
    world.queued("main/pr-7-0")


@attack(
    KIND,
    "queued-out-of-sight",
    "More files than GitHub lists, so that one of them is not seen.",
    defence="queued-in-full",
    state="failure",
    phases=GREEN,
    codes="PG411",
    because="does not list all",
)
def _(world: World) -> None:
    green(world)
    world.queued(differs=None)


@attack(
    KIND,
    "queued-on-old-words",
    "It was green when it was queued, and its approval is gone since.",
    defence="queued-decided-again",
    state="failure",
    phases="success success pending",
    because="approve qa",
)
def _(world: World) -> None:
    green(world)
    world.comments.pop()
    world.queued()
