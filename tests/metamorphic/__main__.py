"""Puts one objection into every green story, in all forms, places and fates: ``python3 tests explore metamorphic``.

``--only TEXT`` takes the combinations whose name holds it, ``--sample N`` some of every kind, the same each time,
``--show N`` prints more examples, ``--left-out`` takes the seats that a route, a type or a filter leaves out, and
``--chatter`` puts ordinary remarks into all stories instead.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from multiprocessing.pool import Pool
from operator import attrgetter

import pytest

from tests.casebook.every import STORIES
from tests.metamorphic.chatter import disturbed, remarks
from tests.metamorphic.run import ALLOWED, STUCK, UNFAIR, Outcome, combinations, run, sample, scenes
from tests.metamorphic.scene import quicken, scene_of
from tests.metamorphic.table import Combination

PROCESSES = 2


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for, and print counts and examples."""
    parser = argparse.ArgumentParser(prog="python3 tests explore metamorphic", description=__doc__)
    parser.add_argument("--only", default="", help="combinations whose name holds this text")
    parser.add_argument("--sample", type=int, metavar="N", help="so many combinations of all kinds")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="so many examples of each fault")
    parser.add_argument("--left-out", action="store_true", help="objections of seats that are not required")
    parser.add_argument("--chatter", action="store_true", help="ordinary remarks in all stories")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    asked = parser.parse_args(arguments)
    start()
    with Pool(asked.processes, start) as pool:
        return _chatter(pool, asked) if asked.chatter else _objections(pool, asked)


def start() -> None:
    """Make this process decide quickly."""
    quicken(pytest.MonkeyPatch())


def _chatter(pool: Pool, asked: argparse.Namespace) -> int:
    """Remarks in all stories; fail if one changes a state."""
    told = [each for found in pool.imap(partial(of_remarks, asked.only), STORIES, chunksize=4) for each in found]
    changed = [line for line in told if line]
    sys.stdout.write(f"remarks: {len(told)}, states changed: {len(changed)}\n")
    sys.stdout.writelines(f"  {line}\n" for line in changed[: asked.show])
    return 1 if changed else 0


def of_remarks(only: str, name: str) -> list[str]:
    """What the remarks in one story change, a line for each; empty where nothing does."""
    chosen = [each for each in remarks(name) if only in each.name]
    return [f"{each.name}  {changed}" if (changed := disturbed(each)) else "" for each in chosen]


def _objections(pool: Pool, asked: argparse.Namespace) -> int:
    """Objections in all green stories; fail if one leaves a story unfairly green."""
    if asked.sample is None:
        work: Iterable[object] = list(STORIES)
        job: Callable[..., list[Outcome]] = partial(of_story, asked.only, asked.left_out)
    else:
        chosen = sample(scenes(), asked.sample, asked.only)
        work, job = [list(each) for _, each in groupby(chosen, attrgetter("story"))], of_list
    found = [outcome for each in pool.imap(job, work, chunksize=4) for outcome in each]
    sys.stdout.writelines(f"{line}\n" for line in report(found, asked.show))
    return 1 if any(each.first == UNFAIR for each in found) else 0


def of_story(only: str, left_out: bool, name: str) -> list[Outcome]:  # noqa: FBT001  (bound by position)
    """Everything of one story."""
    scene = scene_of(name)
    found = () if scene is None else combinations(scene, left_out=left_out)
    return of_list([each for each in found if only in each.name])


def of_list(chosen: list[Combination]) -> list[Outcome]:
    """What becomes of these, as far as they can happen."""
    return [outcome for each in chosen if (outcome := run(each)) is not None]


def report(found: list[Outcome], most: int) -> Iterator[str]:
    """Counts by form, place and fate, and the first examples."""
    for part in ("form", "place", "fate"):
        yield f"{part:<34}{'combinations':>14}{'allowed':>10}{'unfair':>10}{'stuck':>10}"
        yield from table(found, lambda each, part=part: getattr(each.combination, part))  # type: ignore[misc]
        yield ""
    for what, chosen in (("unfairly green", is_unfair), ("stuck after everybody answered", is_stuck)):
        examples = sorted((each for each in found if chosen(each)), key=lambda each: each.combination.name)
        yield f"{what}: {len(examples)}"
        yield from (f"  {each.combination.name}  {each.reason}".rstrip() for each in examples[:most])


def is_unfair(outcome: Outcome) -> bool:
    """Whether the objection left it green."""
    return outcome.first == UNFAIR


def is_stuck(outcome: Outcome) -> bool:
    """Whether it is not green although everybody answered."""
    return outcome.then == STUCK


def table(found: list[Outcome], key: Callable[[Outcome], str]) -> Iterator[str]:
    """One line for each value of the key, and the sum."""
    counts = [Counter(map(key, each)) for each in (found, [o for o in found if o.first == ALLOWED])]
    counts += [Counter(map(key, filter(chosen, found))) for chosen in (is_unfair, is_stuck)]
    for name in (*counts[0], "all"):
        numbers = [each.total() if name == "all" else each[name] for each in counts]
        yield f"{name:<34}{numbers[0]:>14}{numbers[1]:>10}{numbers[2]:>10}{numbers[3]:>10}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
