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
from phasegate.model.report import NeedKind
from phasegate.model.snapshot import POLICY, PolicyFile
from phasegate.policy import load
from phasegate.policy.layers import available_profiles
from phasegate.policy.model import Policy
from tests import toy as toy_package
from tests.casebook.decided import snapshot_of
from tests.casebook.world import World, verdict
from tests.toy import declaration as toy_declaration
from tests.unit.rules.parties import edits

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
def test_sources__know_no_word_of_a_dialect_and_import_none(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    inside = tuple(f"phasegate.dialects.{name}" for name in registry.BUILT_IN)
    found = [f"{node.lineno}: {node.module}" for node in imports if (node.module or "").startswith(inside)]
    found += knows(text)
    assert not found, "\n".join([str(path.relative_to(ROOT)), *found])


@pytest.mark.parametrize(("text", "known"), [
    ('MARKER = "jkz:verdict-json"', True),
    ('"""Such as ``jkz:judge``."""', True),
    ("ROLE = 'judge'", True), ('read(".pipeline/12")', True), ('NAME = "plan.json"', True),
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
def test_dialect__has_a_package_that_declares_it_and_its_roles(name: str) -> None:
    dialect = registry.built_in(name)
    assert (DIALECTS / name / "declaration.py").is_file()
    assert (DIALECTS / name / "codes.yml").is_file()
    assert dialect.name == name
    members = [member for member in (*vars(Dialect), *Dialect.__annotations__) if not member.startswith("_")]
    assert [member for member in members if not hasattr(dialect, member)] == []
    assert {role.dialect for role in dialect.roles} == {name}


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
    for name, module in (("toy", toy_package), ("toy.declaration", toy_declaration)):
        monkeypatch.setitem(sys.modules, f"phasegate.dialects.{name}", module)
    monkeypatch.setattr(registry, "BUILT_IN", (*registry.BUILT_IN, "toy"))
    for each in cached:
        each.cache_clear()
    yield
    monkeypatch.undo()
    for each in cached:
        each.cache_clear()


with_toy = pytest.mark.usefixtures("registered")


def test_toy__is_not_part_of_this_version() -> None:
    assert not isinstance(load.load_policy(POLICY_OF_TOY, POLICY), Policy)


def seats(world: World) -> dict[str, str]:
    """Why each seat of the build stands as it does, and the state of all."""
    report = judge(snapshot_of(world))
    build = next(phase for phase in report.phases if phase.name == "build")
    found = {need.name: need.why.value for need in build.needs if need.kind is NeedKind.SEAT}
    return {**found, "all": report.state.value}


def toy(*texts: str, who: str = "ana", policy: str = POLICY_OF_TOY) -> World:
    """A pull request on which this was said."""
    world = World(policy=policy)
    for text in texts:
        world.say(who, text)
    return world


def filed(*texts: str) -> World:
    """A pull request to which this report was pushed, as it was written."""
    world = World(policy=WITH_REPORT)
    for text in texts:
        world.commits(f"t {text}", {".toy/12/report.txt": text})
    return world


SENTRY = f"version: 1\nroles: {{sentry: {{does: challenges, dialect: toy}}}}\nphases: {{{ALONE}}}\n"
GOOD = "TOY reviewer: PASS\n\nI looked at everything."

TOLD: dict[str, tuple[World, str, str, str]] = {
    "nothing": (toy(), "reviewer", "missing", "pending"),
    "a pass": (toy(GOOD), "reviewer", "passed", "success"),
    "a fail":
     (toy(GOOD).reviewed("ana", "TOY reviewer: FAIL\nThe expiry is not compared."), "reviewer", "failed", "failure"),
    "a stale pass": (toy(GOOD).push("b"), "reviewer", "older", "pending"),
    "an edit takes no fail back":
     (toy("TOY reviewer: FAIL").then(edits, "Never mind."), "reviewer", "invalid", "failure"),
    "a jkz verdict does not fill its seat": (toy(policy=JUDGE_IN_TOY).built(), "judge", "missing", "pending"),
    "its own word does":
     (toy(policy=JUDGE_IN_TOY).passed_by("judge").says("ana", "TOY judge: PASS").passed_by("inspector"),
      "judge", "passed", "success"),
    "a jkz fail does not fail it":
     (toy("TOY judge: PASS", policy=JUDGE_IN_TOY).failed_by("judge").passed_by("inspector"),
     "judge", "passed", "success"),
    "its word does not fill a seat of jkz":
     (toy("TOY judge: PASS", "TOY judge: FAIL", policy=SENTRY).passed_by("inspector"),
     "judge", "missing", "pending"),
    "nor does it fail one": (toy("TOY judge: FAIL", policy=SENTRY).built(), "judge", "passed", "success"),
    "one comment in two dialects for one seat":
     (toy(f"TOY judge: FAIL\n\n{verdict('judge')}", policy=JUDGE_IN_TOY), "judge", "failed", "failure"),
    "no file": (filed(), "report.txt", "missing", "pending"),
    "a file that fails": (filed("FAIL\n"), "report.txt", "failed", "failure"),
    "a file that passes": (filed("FAIL\n", "PASS\n"), "report.txt", "passed", "success"),
    "a file of older content": (filed("PASS\n").push("b"), "report.txt", "older", "pending"),
}  # fmt: skip


@with_toy
@pytest.mark.parametrize(("world", "name", "why", "state"), TOLD.values(), ids=TOLD)
def test_toy(world: World, name: str, why: str, state: str) -> None:
    assert (seats(world)[name], seats(world)["all"]) == (why, state)


@with_toy
@pytest.mark.parametrize(("who", "code"), [("eve", "PG201"), ("octo-dev", "PG202"), ("helper[bot]", "PG203")])
def test_toy__who_may_not_speak_may_not_in_it_either(who: str, code: str) -> None:
    world = toy("TOY reviewer: PASS", who=who)
    assert code in {item.code for item in judge(snapshot_of(world)).problems}
    assert seats(world)["reviewer"] in ("missing", "refused")


@with_toy
def test_toy__its_words_are_worth_fetching_and_its_file_alone_leaves_the_content() -> None:
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
    assert plan.carries("TOY reviewer: PASS")
    assert not plan.carries("Looks good to me.")


def test_default_phases__are_those_of_the_default_profile() -> None:
    assert tuple(phase.name for phase in load.default_policy().phases) == registry.DEFAULT_PHASES
