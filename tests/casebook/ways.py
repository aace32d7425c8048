"""Ways out for honest people who got stuck, step by step: the first thing that they read is what to do."""

from __future__ import annotations

from functools import partial

from tests.casebook.story import GREEN, story
from tests.casebook.world import World

green = partial(story, state="success", phases=GREEN)


@green("way-quoted-fail", "A maintainer quotes a FAIL under the heading of the Judge, and is no agent.", codes="PG102")
def _(world: World) -> None:
    world.planned()
    world.say("mona", "## jkz:judge\n\nIt said FAIL here because of the expiry. I looked, and it is right.\n")
    world.look("quoted as if it were the Judge's word")
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.look("fixed and judged")
    world.say("mona", "/gate approve qa")
