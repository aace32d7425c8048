"""The reading stage: all signals of all versions, and nothing that was said can be edited away."""

from __future__ import annotations

import pytest

from phasegate.catalogue import problem
from phasegate.dialects.collect import MOST_UNREAD, Collected, collect
from phasegate.dialects.dialect import MOST_PROBLEMS, capped
from phasegate.dialects.registry import built_in, plan_of
from phasegate.gate import _surroundings, strays
from phasegate.model.frozen import replace
from phasegate.model.problem import Where
from phasegate.model.signal import Kind, Outcome, Signal
from phasegate.model.snapshot import ChangedFile, ChangedFiles
from phasegate.policy.load import default_policy
from phasegate.reading.markdown.page import Page
from tests.casebook.world import World, block, verdict
from tests.unit.dialects.jkz.readers import PASS, ROLES, codes
from tests.unit.rules.parties import edits, taken


def heard(world: World) -> Collected:
    """What is found in a world."""
    return collect(_surroundings(default_policy(), taken(world)), (built_in("jkz"),), ROLES)


def latest(world: World) -> list[Signal]:
    """The signals of the texts as they stand."""
    return [signal for signal in heard(world).signals if signal.source.latest]


PROPOSAL = "<!-- jkz:propose-issue: Check the old API too -->"


def failed_then(*texts: str) -> World:
    """A FAIL of the Judge that was edited to these texts."""
    world = World().failed_by("judge")
    for text in texts:
        edits(world, text)
    return world


WITHDRAWN = (Kind.VERDICT, None, {"judge"}, ["PG126"])
Said = tuple[Kind, Outcome | None, set[str], list[str]]

LATEST: dict[str, tuple[World, list[Said]]] = {
    "edited out": (failed_then("Never mind."), [WITHDRAWN]),
    "emptied": (failed_then(""), [WITHDRAWN]),
    "an empty comment in HTML": (failed_then("<!-- -->"), [WITHDRAWN]),
    "withdrawn twice": (failed_then("Never mind.", "Really."), [WITHDRAWN]),
    "of another role": (failed_then(verdict("lens")), [(Kind.VERDICT, Outcome.PASS, {"judge", "lens"}, [])]),
    "back to a verdict": (failed_then("Never mind.", verdict("judge")), [(Kind.VERDICT, Outcome.PASS, {"judge"}, [])]),
    "a proposal may be withdrawn": (World().says("ana", PROPOSAL).then(edits, "Never mind."), []),
    "a proposal withdraws a verdict":
     (failed_then(PROPOSAL), [(Kind.PROPOSAL, None, set(), ["PG130"]), WITHDRAWN]),
    "of ana": (World().passed_by("judge"), [(Kind.VERDICT, Outcome.PASS, {"judge"}, [])]),
    "of mona": (World().passed_by("judge", who="mona"), [(Kind.VERDICT, Outcome.PASS, {"judge"}, [])]),
    "of the author": (World().passed_by("judge", who="octo-dev"), [(Kind.VERDICT, Outcome.PASS, {"judge"}, [])]),
}  # fmt: skip


@pytest.mark.parametrize(("world", "expected"), LATEST.values(), ids=LATEST)
def test_collect__what_stands_there_now(world: World, expected: list[Said]) -> None:
    found = latest(world)
    assert [(signal.kind, signal.outcome, set(signal.roles), codes(signal)) for signal in found] == expected


def test_collect__every_version_gives_its_signals() -> None:
    world = failed_then(verdict("judge"), "Never mind.")
    told = [(signal.outcome, signal.source.at) for signal in heard(world).signals]
    outcomes = (Outcome.FAIL, Outcome.PASS, None)
    assert told == list(zip(outcomes, (each["at"] for each in world.comments[0]["history"]), strict=True))


def test_collect__a_verdict_that_was_quoted_instead_is_an_invalid_word_of_its_role() -> None:
    (signal,) = latest(failed_then("> " + block(PASS).replace("\n", "\n> ")))
    assert ("judge" in signal.roles, signal.outcome) == (True, None)
    assert signal.problems


def test_collect__commands_are_read_from_the_text_that_stands_there() -> None:
    world = World()
    said = world.say("mona", "/gate approve qa")
    assert [command.phase for command in heard(world).commands] == ["qa"]
    world.edit(said, "Not yet.", "mona")
    assert heard(world).commands == ()


def test_collect__one_hostile_comment_hides_no_other() -> None:
    world = World()
    for text in ("<!--" * 5000, "`" * 9000, "> " * 3000, "[" * 9000, "\x00jkz:", "## jkz:" + "a" * 9000):
        world.say("eve", text)
    world.judges("judge")
    assert [signal.outcome for signal in heard(world).signals if signal.roles == ("judge",)] == [Outcome.PASS]


def test_collect__the_description_of_the_pull_request_is_nobodys_word() -> None:
    world = World()
    request = world.snapshot()["pull_request"]
    body = verdict("judge") + "\n/gate approve qa"
    world.changes["pull_request"] = {**request, "title": "## jkz:judge", "body": body}
    assert heard(world) == Collected(signals=(), commands=())


def test_collect__what_a_stranger_wrote_is_noted_and_never_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def parsed(_: str) -> Page:
        raise AssertionError("it was taken apart")

    monkeypatch.setattr(Page, "of", parsed)
    world = World()
    world.failed_by("judge", "eve").says("eve", "JKZ:judge").then(edits, "never mind", "eve")
    world.says("eve", "/GATE approve qa").says("eve", "Nice work!")
    found = heard(world.says("eve", "- [ ] read it").then(edits, "- [x] read it", "eve"))
    assert [(signal.kind, signal.claims, signal.problems) for signal in found.signals] == [(Kind.UNREAD, (), ())] * 2
    assert [(command.unread, command.verb, command.phase) for command in found.commands] == [(True, "", "")]
    assert found.left_out == 0


def test_collect__of_what_strangers_wrote_the_newest_is_kept_and_the_rest_counted() -> None:
    world = World()
    for number in range(MOST_UNREAD + 5):
        world.say("eve", f"jkz: {number}")
    found = heard(world)
    assert [signal.source.number for signal in found.signals] == [106 + number for number in range(MOST_UNREAD)]
    assert found.left_out == 5


def test_collect__strangers_texts_beyond_a_bound_are_not_even_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.dialects.collect.MOST_OF_ONE", 100)
    world = World()
    world.edit(world.say("eve", "jkz: " + "a" * 45), "jkz: " + "a" * 40, "eve")
    for number in range(9):
        world.say("eve", f"jkz: {number:045}")
    found = heard(world)
    assert [(signal.kind, signal.source.number) for signal in found.signals] == [(Kind.UNREAD, 109), (Kind.UNREAD, 110)]
    assert found.left_out == 8


def test_collect__of_an_app_that_nobody_named_the_newest_verdicts_are_taken_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size = len(verdict("judge"))
    monkeypatch.setattr("phasegate.dialects.collect.MOST_OF_ONE", 2 * size)
    world = World()
    for _ in range(4):
        world.say("helper[bot]", verdict("judge"))
    for _ in range(50):
        world.say("helper[bot]", "The build took 3 minutes. " * 100)
    world.say("ana", verdict("inspector"))
    found = [(signal.kind, signal.source.number) for signal in heard(world).signals]
    unread, taken_apart = [(Kind.UNREAD, 101), (Kind.UNREAD, 102)], [(Kind.VERDICT, n) for n in (103, 104, 155)]
    assert found == [*taken_apart, *unread]


def test_capped__keeps_the_first_and_one_of_every_code_and_says_how_many_more() -> None:
    where = Where(path="a")
    many = [problem("PG104", f"word {number}", where) for number in range(200)]
    found = capped((*many, problem("PG112", "must_fix names J9", where)))
    assert len(found) == MOST_PROBLEMS + 1
    assert found[MOST_PROBLEMS - 1].message == "word 49 (and 150 more like it)"
    assert (found[-1].code, found[-1].message) == ("PG112", "must_fix names J9")


def test_capped__leaves_what_is_few_alone() -> None:
    few = tuple(problem("PG104", f"word {number}", Where(path="a")) for number in range(MOST_PROBLEMS))
    assert capped(few) is few


def test_strays__are_named_unless_something_is_said_already() -> None:
    paths = [".pipeline/12/sub/plan.json", ".pipeline/12/other.json", ".pipeline/99/x", ".pipeline/12/plan.json", "a"]
    told = [problem("PG709", "another issue's", Where(path=".pipeline/99"))]
    entries = tuple(ChangedFile(path=path) for path in paths)
    files = replace(taken(World()), files=ChangedFiles(entries=entries))
    found = strays(plan_of([built_in("pipeline")]).evidence, files, told)
    assert [item.where.path for item in found] == paths[:2]
