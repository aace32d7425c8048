"""The rules of a plan: its steps, its files, its tests; and that they take linear time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from phasegate.dialects.dialect import LocalFile
from phasegate.dialects.pipeline.contradictions import is_repository_path
from phasegate.dialects.pipeline.rules import artifact_problems, own_problems, read_folder
from phasegate.model.problem import Problem, Where
from tests.unit.dialects.pipeline.issue_folder import CART, SOUND, TESTS, codes, read, sound
from tests.unit.reading.growth import grows_linearly

SAID = {"action": "modify", "description": "Do it."}


def steps(*depends: list[int]) -> list[dict[str, Any]]:
    """Steps 1, 2, 3 … with these dependencies; the first two change the files of the plan."""
    files = [CART, TESTS]
    return [
        {**SAID, "order": order, "file": files[order - 1] if order <= len(files) else None, "depends_on": wanted}
        for order, wanted in enumerate(depends, start=1)
    ]


def found(**keys: Any) -> list[Problem]:  # noqa: ANN401  (keys of a plan)
    """What is wrong in a plan with these keys."""
    return list(own_problems(read("plan.json", {**SOUND["plan.json"], **keys})))


def found_codes(**keys: Any) -> list[str]:  # noqa: ANN401  (keys of a plan)
    """The codes of that."""
    return [problem.code for problem in found(**keys)]


@pytest.mark.parametrize(("depends", "message"), [
    ([[1], []], "the steps 1 → 1 wait for each other"),
    ([[2], [1]], "the steps 1 → 2 → 1 wait for each other"),
    ([[], [4], [2], [3]], "the steps 2 → 4 → 3 → 2 wait for each other"),
    ([[], [3], [2], [2], [4]], "the steps 2 → 3 → 2 wait for each other"),
    ([[2], [3], [1]], "the steps 1 → 2 → 3 → 1 wait for each other"),
])  # fmt: skip
def test_depends_on__a_circle_is_told_once(depends: list[list[int]], message: str) -> None:
    (problem,) = found(steps=steps(*depends))
    assert (problem.code, problem.message) == ("PG710", message)
    assert problem.where.json_path is not None
    assert ".depends_on[" in problem.where.json_path


def test_depends_on__a_long_circle_is_shortened_in_the_message() -> None:
    ring = steps(*[[order % 30 + 1] for order in range(1, 31)])
    (problem,) = found(steps=ring)
    assert "1 → 2 → 3 → 4 → 5 → 6 → 7 → … → 1" in problem.message


def test_order__repeated_is_told_at_the_later_step_and_hides_no_other_fault() -> None:
    plan = steps([], [9], [3])
    plan[2]["order"] = 1
    problems = found(steps=plan)
    assert [problem.code for problem in problems] == ["PG710", "PG710", "PG710"]
    assert problems[1].where.json_path == "$.steps[2].order"


NOWHERE = [*steps([], []), {**SAID, "order": 3}, {**SAID, "order": 4, "file": None}]
ELSEWHERE = {"affected_files": [CART, TESTS, "a.py"], "steps": [*steps([], []), {**SAID, "order": 3, "file": "b.py"}]}
ORDERS: list[list[list[int]]] = [[[], [1], [1], [2, 3]], [[2], []], [[], []], [[3], [1], []]]


FOUND = (
    *(f"{TESTS}::test_x", TESTS, f"{TESTS}::TestCart::test_x[1-2]", f"{TESTS} > cart > refuses", f"{TESTS}#L12"),
    *(f"{TESTS}:12", [TESTS, f"{TESTS}::test_y"]),
)


@pytest.mark.parametrize(("keys", "expected"), [
    *(({"steps": steps(*depends)}, []) for depends in ORDERS),
    ({"steps": NOWHERE}, []), (ELSEWHERE, ["PG710", "PG710"]),
    *(({"acceptance_mapping": {"AC-1": test}}, []) for test in FOUND),
    *(({"acceptance_mapping": {"AC-1: x": test}}, ["PG715"]) for test in ("", "  ", None, [], [""])),
])  # fmt: skip
def test_plan(keys: dict[str, Any], expected: list[str]) -> None:
    assert found_codes(**keys) == expected


def test_acceptance_mapping__a_test_elsewhere_is_told_at_its_value() -> None:
    problems = found(acceptance_mapping={"AC-1: x": [TESTS, "manual check"], "AC 2": "tests/none.py::t"})
    assert [problem.code for problem in problems] == ["PG716", "PG716"]
    assert problems[1].where.json_path == '$.acceptance_mapping["AC 2"]'


def test_acceptance_mapping__a_test_that_the_work_has_changed_counts() -> None:
    files = sound("worker-result.json", plan={"acceptance_mapping": {"AC-1": "tests/other.py"}})
    assert codes(files) == ["PG716"]
    assert codes(files, changed_files=(CART, TESTS, "tests/other.py")) == ["PG720", "PG722"]


@pytest.mark.parametrize("path", ["a", "a/b.py", ".github/x.yml", "a b/ü.py", "...", "a/.b", "@x/y"])
def test_path__as_git_writes_it(path: str) -> None:
    assert is_repository_path(path)


@pytest.mark.parametrize("path", ["", "/a", "./a", "a/../b", "a//b", "a/", "~/a", "a\\b", "C:\\a", "a\nb", "..", "."])
def test_path__any_other_way_is_told(path: str) -> None:
    assert not is_repository_path(path)


def test_plan__very_many_problems_are_bounded() -> None:
    problems = found(steps=[{**SAID, "order": 1, "depends_on": [7] * 5}] * 2_000, affected_files=["a"])
    assert len(problems) == 202
    assert sum("and more of this kind behind it" in problem.message for problem in problems) == 2


def chain(length: int, first: list[int]) -> str:
    """A plan of so many steps, each after the one before it."""
    files = [f"src/module_{order}.py" for order in range(length)]
    plan = {
        "affected_files": files,
        "steps": [
            {**SAID, "order": order, "file": file, "depends_on": [order - 1] if order else first}
            for order, file in enumerate(files)
        ],
        "acceptance_mapping": {f"AC-{order}": f"{file}::test" for order, file in enumerate(files)},
    }
    return json.dumps(plan)


def judge(text: str) -> tuple[Problem, ...]:
    """All that is done with a plan."""
    file = LocalFile(name="plan.json", where=Where(path="plan.json"), text=text)
    return artifact_problems(read_folder("42", [file], Where(path=".")))


@pytest.mark.parametrize("circle", [False, True], ids=["chain", "circle"])
def test_plan__a_thousand_steps_take_linear_time(circle: bool) -> None:  # noqa: FBT001  (a parameter of pytest)
    def make(length: int) -> str:
        return chain(length, [length - 1] if circle else [])

    assert [item.code for item in judge(make(1_000))] == (["PG710"] if circle else [])
    assert grows_linearly(judge, make, 500)


def test_plan__every_step_on_every_other_takes_linear_time() -> None:
    def make(size: int) -> str:
        width = int(size**0.5)
        items = [{**SAID, "order": order, "depends_on": list(range(order))} for order in range(width)]
        return json.dumps({"affected_files": ["a"], "steps": items, "acceptance_mapping": {"AC-1": "a"}})

    assert grows_linearly(judge, make, 20_000)
