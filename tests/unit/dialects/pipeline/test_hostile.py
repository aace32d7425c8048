"""Whatever stands in the files of a folder, each is answered: never an exception, always a place, a cause and a fix."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from phasegate.dialects.pipeline.artifact import STAGES, Complexity, outcome, read_artifact
from phasegate.dialects.pipeline.rules import artifact_problems, own_problems, stage_problems
from phasegate.model.problem import Where
from tests.casebook.pipeline import reviewed
from tests.casebook.world import World
from tests.chance import examples
from tests.unit.dialects.pipeline.issue_folder import CART, EXAMPLES, STATE, TESTS, codes, folder, problems, sound
from tests.unit.rules.parties import decided

DEBUG = json.loads((EXAMPLES / "valid" / "debug-diagnosis.json").read_text(encoding="utf-8"))
FILES: dict[str, Any] = {**sound(), "debug-diagnosis.json": DEBUG, "state.yaml": yaml.safe_load(STATE)}
WORDS = ["PASS", "FAIL", "SKIP", "fast", "high", "completed", "blocked", "complex", "trivial", "plan_defect", "git", ""]
KEYS = [
    *("verdict", "phase_1", "phase_2", "tier_used", "steps", "escalation_history", "produced_by", "status", "stages"),
    *("blockers", "result", "tool", "exit_code", "criteria", "retries", "depends_on", "order", "artifact_path"),
]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**14)
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def spoiled(draw: st.DrawFn) -> dict[str, str]:
    """A sound folder in which some values, keys or files are others or gone."""
    files = copy.deepcopy(FILES)
    for name in draw(st.lists(st.sampled_from(sorted(files)), max_size=4)):
        files[name] = _changed(draw, files[name])
    kept = {name for name in files if draw(st.integers(0, 9))}
    texts = {name: json.dumps(content) for name, content in files.items() if name in kept}
    for name in draw(st.lists(st.sampled_from(sorted(texts)), max_size=1)) if texts else []:
        texts[name] = texts[name][: draw(st.integers(0, len(texts[name])))]
    return texts


def _changed(draw: st.DrawFn, value: Any) -> Any:  # noqa: ANN401  (JSON data has no narrower type)
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)) | st.sampled_from(KEYS))
        return {**value, key: _changed(draw, value.get(key))}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        index = draw(st.integers(0, len(value) - 1))
        return [*value[:index], _changed(draw, value[index]), *value[index:]]
    return draw(VALUES)


@examples(200)
@given(
    files=spoiled(),
    changed=st.none() | st.lists(st.sampled_from([CART, TESTS, "x", ".pipeline/42/y"])).map(tuple),
    complexity=st.none() | st.sampled_from(Complexity),
)
def test_folder__anything_is_answered(
    files: dict[str, str], changed: tuple[str, ...] | None, complexity: Complexity | None
) -> None:
    read = folder(files, changed_files=changed, complexity=complexity, commits=("a" * 40,), number=8, issues=(1,))
    found = [*artifact_problems(read), *(item for stage in STAGES for item in stage_problems(read, stage))]
    for artifact in read.parts:
        found += own_problems(artifact)
        outcome(artifact)
    for problem in found:
        assert problem.message
        assert problem.hint
        assert str(problem.where).startswith(".pipeline/42/")
    assert {item.name for item in read.parts} == set(files)


def test_artifact__what_stands_under_unknown_keys_is_not_read() -> None:
    keys = {"criteria": 5, "blockers": None, "escalation_history": "x"}
    assert codes(sound("plan.json", plan=keys)) == ["PG701", "PG701", "PG771"]
    state = json.dumps({"tier_used": 42, "criteria": {}, "escalation_history": [{}]})
    assert codes({**sound("plan.json"), "state.yaml": state}) == ["PG701", "PG701", "PG771"]


def test_folder__nothing_is_concluded_from_a_broken_file() -> None:
    found = problems({**sound(), "test-result.json": "{", "state.yaml": STATE})
    assert [(problem.code, str(problem.where)) for problem in found] == [("PG001", ".pipeline/42/test-result.json:1:2")]


@pytest.mark.parametrize(("most", "codes_told"), [(10**6, {"PG231"}), (100, {"PG230", "PG231"})])
def test_folder__of_a_fork_is_not_taken_apart_where_it_is_very_much(
    most: int, codes_told: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("phasegate.dialects.pipeline.gather.MOST_OF_A_FORK", most)
    world = World()
    reviewed(world)
    told = world.snapshot()["pull_request"]
    world.changes["pull_request"] = told | {"head": told["head"] | {"repository": "eve/shop"}}
    report = decided(world)
    assert (report.state.value, {item.code for item in report.problems}) == ("pending", codes_told)


def test_folder__of_no_linked_issue_is_not_read_where_there_is_very_much(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(name: str, text: str, where: Where) -> object:
        read.append(str(where.path))
        return read_artifact(name, text, where)

    monkeypatch.setattr("phasegate.dialects.pipeline.gather.read_artifact", noted)
    monkeypatch.setattr("phasegate.dialects.pipeline.gather.MOST_EARLIER", 100_000)
    world = World()
    reviewed(world)
    world.push("m", "b", by="ana", evidence={f".pipeline/{n}/plan.json": " " * 40_000 for n in range(20, 30)})
    assert decided(world).state.value == "success"
    assert {path.rpartition("/")[0] for path in read} == {".pipeline/12"}
