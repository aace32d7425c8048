"""Dialects: nobody outside of one knows a word of it, each is complete, and one package is all that it takes."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasegate import catalogue
from phasegate.cli.main import COMMANDS
from phasegate.dialects import registry
from phasegate.dialects.dialect import Dialect
from phasegate.gate import judge, reading_plan
from phasegate.github.reading.nodes import compared_content, compared_files
from phasegate.model.codec import text_digest
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import Need, NeedKind, Why
from phasegate.model.signal import Vote
from phasegate.model.snapshot import POLICY, PolicyFile
from phasegate.policy import load
from phasegate.policy.layers import available_profiles
from phasegate.policy.model import Policy
from tests import toy
from tests.casebook.decided import snapshot_of
from tests.casebook.world import World, commit, verdict
from tests.toy import declaration as toy_declaration

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "scripts" / "phasegate"
DIALECTS = SOURCES / "dialects"
each_dialect = pytest.mark.parametrize("name", registry.BUILT_IN)

# What people write in a dialect, as opposed to what it is called in a policy.
MARKERS = ("jkz:", "verdict-json", "propose-issue", "compact-plan")
# The registry lists the dialects, a profile is a policy in the words of one, `stage` and `route` are the own
# commands of the pipeline and of envelopes.
EXEMPT = ("dialects/registry.py", "cli/stage.py", "cli/route.py")


def words_of(dialect: Dialect) -> Iterator[str]:
    """The words that only the dialect itself may know: its roles in quotes, its files and the folder they are in.

    A role that a command of ours is called like, too, is no such word.
    """
    yield from (f'"{role.name}"' for role in dialect.roles if role.name not in COMMANDS)
    for shape in dialect.footprint.evidence(None):
        yield from (shape.root, *shape.names)


WORDS = (*MARKERS, *dict.fromkeys(word for name in registry.BUILT_IN for word in words_of(registry.built_in(name))))
ROLES = "|".join(re.escape(role.name) for dialect in registry.every_dialect() for role in dialect.roles)
WORD = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}" for word in sorted(WORDS, key=len, reverse=True)))
# A role as a policy or a verdict would name it: `creator: architect`, `roles: [judge, inspector]`.
NAMED = re.compile(rf"[:,\[]\s*(?:{ROLES})\s*(?:[,\]}}\"\\]|$)")


def strangers() -> list[Path]:
    """The sources that belong to no dialect."""
    inside = [DIALECTS / name for name in registry.BUILT_IN]
    found = (path for path in sorted(SOURCES.rglob("*.py")) if not any(path.is_relative_to(each) for each in inside))
    return [path for path in found if str(path.relative_to(SOURCES)) not in EXEMPT]


def knows(text: str) -> list[str]:
    """The lines that hold a word of a dialect; a string counts as it is written, whichever quotes it has."""
    lines = enumerate(text.replace("'", '"').splitlines(), start=1)
    return [f"{number}: {line.strip()}" for number, line in lines if _tells(line)]


def _tells(line: str) -> bool:
    return bool(WORD.search(line)) or (" import " not in line and bool(NAMED.search(line)))


@pytest.mark.parametrize("path", strangers(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_sources__know_no_word_of_a_dialect(path: Path) -> None:
    found = knows(path.read_text(encoding="utf-8"))
    assert not found, "\n".join([str(path.relative_to(ROOT)), *found])


@each_dialect
def test_dialect__has_all_that_a_dialect_has(name: str) -> None:
    members = [member for member in (*vars(Dialect), *Dialect.__annotations__) if not member.startswith("_")]
    assert [member for member in members if not hasattr(registry.built_in(name), member)] == []


@pytest.mark.parametrize("path", strangers(), ids=lambda path: str(path.relative_to(SOURCES)))
def test_sources__import_nothing_of_a_dialect(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    inside = tuple(f"phasegate.dialects.{name}" for name in registry.BUILT_IN)
    found = [f"{node.lineno}: {node.module}" for node in nodes if (node.module or "").startswith(inside)]
    assert not found, "\n".join([str(path.relative_to(ROOT)), *found])


@pytest.mark.parametrize(("text", "known"), [
    ('MARKER = "jkz:verdict-json"', True),
    ('"""Such as ``jkz:judge``."""', True),
    ("ROLE = 'judge'", True),
    ('read(".pipeline/12")', True),
    ('NAME = "plan.json"', True),
    ('good="phases: {plan: {creator: architect}}",', True),
    ("roles: [judge, inspector]", True),
    ("def judge(snapshot: Snapshot) -> Report:", False),
    ("from phasegate.gate import evaluate, judge, policy_in", False),
    ('PROFILE = "jkz"', False),
    ('DIALECT = "pipeline"', False),
    ('"""The judge has spoken."""', False),
    ('KIND = "plan"', False),
])  # fmt: skip
def test_knows__tells_words_from_names(text: str, *, known: bool) -> None:
    assert bool(knows(text)) is known


@each_dialect
def test_dialect__has_a_package_that_declares_it(name: str) -> None:
    folder = DIALECTS / name
    assert (folder / "declaration.py").is_file()
    assert (folder / "codes.yml").is_file()
    assert registry.built_in(name).name == name


@each_dialect
def test_dialect__declares_roles_of_its_own(name: str) -> None:
    roles = registry.built_in(name).roles
    assert roles
    assert {role.dialect for role in roles} == {name}
    assert len({role.name for role in roles}) == len(roles)


def test_dialects__bring_no_role_that_another_brings() -> None:
    names = [role.name for dialect in registry.every_dialect() for role in dialect.roles]
    assert len(set(names)) == len(names)


@each_dialect
def test_dialect__has_schemas_examples_and_a_page(name: str) -> None:
    assert list((ROOT / "schemas" / name).glob("*.schema.json"))
    for kind in ("valid", "invalid"):
        assert list((ROOT / "tests" / "examples" / name / kind).iterdir()), kind
    assert (ROOT / "docs" / f"{name}.md").is_file()
    assert (ROOT / "docs" / "conformance" / f"{name}.md").is_file()


@each_dialect
def test_dialect__has_a_profile_or_a_part_in_one(name: str) -> None:
    profiles = [load.load_policy(f"version: 1\nprofile: {each}\n", POLICY) for each in available_profiles()]
    used = {phase.dialect for each in profiles if isinstance(each, Policy) for phase in each.phases}
    assert name in used


# A toy dialect, registered as one line of the registry would.

ALONE = "plan: {enabled: false}, qa: {enabled: false}"
BUILD = "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}, build: {dialect: toy, %s}}\n"
POLICY_OF_TOY = BUILD % "roles: [reviewer], quick_roles: [reviewer]"
WITH_REPORT = BUILD % "roles: [], quick_roles: [], artifacts: [report.txt], quick_artifacts: [report.txt]"
JUDGE_IN_TOY = f"version: 1\nroles: {{judge: {{does: challenges, dialect: toy}}}}\nphases: {{{ALONE}}}\n"


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy is one of the built-in dialects."""
    cached = (registry.built_in, registry.every_dialect, load.load_policy, catalogue.by_code)
    for name, module in (("toy", toy), ("toy.declaration", toy_declaration)):
        monkeypatch.setitem(sys.modules, f"phasegate.dialects.{name}", module)
    monkeypatch.setattr(registry, "BUILT_IN", (*registry.BUILT_IN, "toy"))
    for each in cached:
        each.cache_clear()
    yield
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()


with_toy = pytest.mark.usefixtures("registered")


def seat(world: World, name: str = "reviewer") -> Need:
    """How a seat of the build stands."""
    build = next(phase for phase in judge(snapshot_of(world)).phases if phase.name == "build")
    return next(need for need in build.needs if (need.kind, need.name) == (NeedKind.SEAT, name))


def votes(world: World, role: str | None) -> list[Vote]:
    """What was made of the words of a role."""
    return [item.vote for item in judge(snapshot_of(world)).signals if item.vote.role == role]


def test_toy__is_not_part_of_this_version() -> None:
    found = load.load_policy(POLICY_OF_TOY, POLICY)
    assert not isinstance(found, Policy)


@with_toy
def test_toy__a_pass_fills_the_seat() -> None:
    world = World(policy=POLICY_OF_TOY)
    assert (seat(world).why, judge(snapshot_of(world)).state.value) == (Why.MISSING, "pending")
    world.say("ana", "TOY reviewer: PASS\n\nI looked at everything.")
    assert (seat(world).why, judge(snapshot_of(world)).state.value) == (Why.PASSED, "success")


@with_toy
def test_toy__a_fail_fails() -> None:
    world = World(policy=POLICY_OF_TOY)
    world.say("ana", "TOY reviewer: PASS")
    world.review("ana", "TOY reviewer: FAIL\nThe expiry is not compared.")
    assert (seat(world).why, judge(snapshot_of(world)).state.value) == (Why.FAILED, "failure")


@with_toy
def test_toy__a_stale_pass_waits() -> None:
    world = World(policy=POLICY_OF_TOY)
    world.say("ana", "TOY reviewer: PASS")
    world.push("b")
    found = seat(world)
    assert (found.why, found.judged, found.commit) == (Why.OLDER, commit("a"), commit("b"))
    assert judge(snapshot_of(world)).state.value == "pending"


@with_toy
@pytest.mark.parametrize(("who", "code"), [("eve", "PG201"), ("octo-dev", "PG202"), ("helper[bot]", "PG203")])
def test_toy__who_may_not_speak_may_not_in_it_either(who: str, code: str) -> None:
    world = World(policy=POLICY_OF_TOY)
    world.say(who, "TOY reviewer: PASS")
    assert code in {item.code for item in judge(snapshot_of(world)).problems}
    assert seat(world).state.value == "waiting"


@with_toy
def test_toy__an_edit_takes_no_fail_back() -> None:
    world = World(policy=POLICY_OF_TOY)
    world.edit(world.say("ana", "TOY reviewer: FAIL"), "Never mind.", "ana")
    assert (seat(world).why, judge(snapshot_of(world)).state.value) == (Why.INVALID, "failure")


@with_toy
def test_toy__a_jkz_verdict_does_not_fill_its_seat() -> None:
    world = World(policy=JUDGE_IN_TOY)
    world.judges("judge")
    world.judges("inspector")
    assert seat(world, "judge").why is Why.MISSING
    assert votes(world, "judge") == []
    world.say("ana", "TOY judge: PASS")
    world.judges("inspector")
    assert (seat(world, "judge").why, seat(world, "inspector").why) == (Why.PASSED, Why.PASSED)
    assert judge(snapshot_of(world)).state.value == "success"


@with_toy
def test_toy__a_jkz_fail_does_not_fail_its_seat_either() -> None:
    world = World(policy=JUDGE_IN_TOY)
    world.say("ana", "TOY judge: PASS")
    world.judges("judge", "FAIL")
    world.judges("inspector")
    assert judge(snapshot_of(world)).state.value == "success"


@with_toy
def test_toy__its_word_does_not_fill_a_seat_of_jkz() -> None:
    both = f"roles: {{sentry: {{does: challenges, dialect: toy}}}}\nphases: {{{ALONE}}}\n"
    world = World(policy=f"version: 1\n{both}")
    world.say("ana", "TOY judge: PASS")
    world.say("ana", "TOY judge: FAIL")
    world.judges("inspector")
    assert seat(world, "judge").why is Why.MISSING
    world.judges("judge")
    world.judges("inspector")
    assert judge(snapshot_of(world)).state.value == "success"


@with_toy
def test_toy__one_comment_may_not_speak_in_two_dialects_for_one_seat() -> None:
    world = World(policy=JUDGE_IN_TOY)
    world.say("ana", f"TOY judge: FAIL\n\n{verdict('judge')}")
    assert seat(world, "judge").why is Why.FAILED


@with_toy
def test_toy__its_file_fills_a_seat() -> None:
    world = World(policy=WITH_REPORT)
    assert (seat(world, "report.txt").why, seat(world, "report.txt").folder) == (Why.MISSING, ".toy/12")
    world.push("t", "a", by="ana", evidence={".toy/12/report.txt": "FAIL\n"})
    assert seat(world, "report.txt").why is Why.FAILED
    world.push("t2", "a", by="ana", evidence={".toy/12/report.txt": "PASS\n"})
    assert (seat(world, "report.txt").why, judge(snapshot_of(world)).state.value) == (Why.PASSED, "success")
    world.push("b")
    assert seat(world, "report.txt").why in (Why.OLDER, Why.OLDER_THAN_GROUND)


@with_toy
def test_toy__its_file_and_no_other_leaves_the_content() -> None:
    held = PolicyFile(path=POLICY, text=POLICY_OF_TOY, digest=text_digest(POLICY_OF_TOY))
    plan, without = reading_plan(held), reading_plan(PolicyFile(path=POLICY))
    product = {"filename": "src/auth.py", "status": "modified", "sha": "1" * 40}
    report = {"filename": ".toy/12/report.txt", "status": "added", "sha": "2" * 40}
    other = {"filename": ".toy/12/install.sh", "status": "added", "sha": "2" * 40}

    def content(*files: dict[str, str], by: ReadingPlan = plan) -> str | None:
        modes = {("3" * 40, file["filename"]): ("100644", file["sha"]) for file in files}
        return compared_content("3" * 40, compared_files({"files": list(files)}), modes, by).digest

    assert content(product, report) == content(product)
    assert content(product, other) != content(product)
    assert content(product, report, by=without) != content(product)


@with_toy
def test_toy__its_words_are_worth_fetching() -> None:
    plan = reading_plan(PolicyFile(path=POLICY, text=POLICY_OF_TOY, digest=text_digest(POLICY_OF_TOY)))
    assert plan.carries("TOY reviewer: PASS")
    assert not plan.carries("Looks good to me.")


def test_default_phases__are_those_of_the_default_profile() -> None:
    assert tuple(phase.name for phase in load.default_policy().phases) == registry.DEFAULT_PHASES
