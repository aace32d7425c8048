"""The checks of a phase of ``test-result.json``, in each of the shapes that agents write them in.

The format's own is ``{"lint": {"result": "PASS", "output": null}}``. Also read, with a notice: a ``status`` in place of
the result, the plain word, the exit code of a tool, and one tool alone in place of the whole phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

from phasegate.dialects.pipeline.types import Artifact, Check, TestResult, Verdict
from phasegate.model.problem import Problem
from phasegate.reading.document import Json
from phasegate.reading.excerpt import excerpt

PHASES = ("phase_1", "phase_2")
_TELLING = ("result", "status", "exit_code")
_OF_A_TOOL = ("tool", "output", "summary", *_TELLING)


def checks_of(phase: Json, path: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks of a phase whose shape its schema has accepted."""
    return tuple(_check(name, item, way) for name, item, way in _items(phase, path))


def shape_problems(artifact: Artifact[TestResult]) -> Iterator[Problem]:
    """What is told in another shape than the format's, or told twice and differently."""
    data = artifact.document.value
    for phase in PHASES:
        told = data.get(phase) if isinstance(data, dict) else None
        for name, item, way in _items(told, (phase,)):
            yield from _item_problems(artifact, name, item, way)
        beside = [key for key in told if key not in _OF_A_TOOL] if _is_one_tool(told) else []
        if beside:
            names = ", ".join(excerpt(key) for key in beside[:3])
            message = f"{phase} is one tool alone, and has {names} beside it, of which nobody can say what they are"
            yield artifact.problem("PG706", message, (phase, beside[0]))


def _items(phase: Json, path: tuple[str, ...]) -> Iterator[tuple[str, Json, tuple[str, ...]]]:
    if not isinstance(phase, dict):
        return
    if _is_one_tool(phase):
        yield str(phase["tool"] or "tool"), phase, path
        return
    for name, item in phase.items():
        yield name, item, (*path, name)


def _is_one_tool(phase: Json) -> TypeGuard[dict[str, Json]]:
    """Whether a phase is told as the run of one tool."""
    return isinstance(phase, dict) and "tool" in phase and "exit_code" in phase


def _check(name: str, item: Json, path: tuple[str, ...]) -> Check:
    told = _told(item)
    if not told:
        return Check(name=name, result=Verdict(item), path=path)
    key = next((key for key, result in told.items() if result is Verdict.FAIL), next(iter(told)))
    return Check(name=name, result=told[key], path=(*path, key))


def _told(item: Json) -> dict[str, Verdict]:
    """How the check went, by the key that says so."""
    if not isinstance(item, dict):
        return {}
    return {key: _verdict(key, item[key]) for key in _TELLING if key in item}


def _verdict(key: str, value: Json) -> Verdict:
    if key == "exit_code":
        return Verdict.PASS if value == 0 else Verdict.FAIL
    return Verdict(value)


def _item_problems(artifact: Artifact[TestResult], name: str, item: Json, path: tuple[str, ...]) -> Iterator[Problem]:
    told = _told(item)
    if len(set(told.values())) > 1:
        words = ", ".join(f"{key} says {result.value}" for key, result in told.items())
        yield artifact.problem("PG706", f"the check {excerpt(name)} contradicts itself: {words}", path)
    elif "result" not in told:
        result = _check(name, item, path).result.value
        by = f"by its {next(iter(told))}" if told else "as a plain word"
        message = f"the check {excerpt(name)} says {by} how it went; read as {result}"
        yield artifact.problem("PG705", message, path, hint=f'Write {excerpt(name)}: {{"result": "{result}"}}.')
