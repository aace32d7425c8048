"""One file of the pipeline: its name and text come in, a typed artifact or what is wrong with the file goes out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, TypeAlias, TypeGuard, cast

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.pipeline.declaration import STATE
from phasegate.dialects.pipeline.types import (
    NAMES,
    Artifact,
    Check,
    Content,
    Criterion,
    DebugDiagnosis,
    GitResult,
    Kind,
    Plan,
    Progress,
    Retry,
    ReviewFinding,
    ReviewResult,
    Stage,
    StageRecord,
    State,
    TestResult,
    Verdict,
    WorkerResult,
    WorkStatus,
    kind_of,
)
from phasegate.model.codec import from_data
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Problem, Severity, Where, near
from phasegate.reading.document import (
    Document,
    Json,
    JsonPath,
    excerpt,
    excerpt_of,
    of_another_time,
    says_against,
    says_failed,
    taken_for,
    tells_of_some,
)
from phasegate.reading.json.reader import read_json
from phasegate.reading.schema.registry import objects_of, schema_text, validate
from phasegate.reading.yaml import read_yaml

Data: TypeAlias = dict[str, Any]
Against: TypeAlias = Callable[[str, Json, frozenset[str]], bool]

_UNKNOWN_KEY, _OURS, _MISPLACED, _OUT_OF_FORM = "PG023", "PG701", "PG702", "PG024"
_LOOSE = "PG718"
# What the original's own samples write otherwise, and nothing is decided by.
_STAGE_RESULT = re.compile(r"\$\.stages\.[a-z]{1,20}\.result", re.ASCII)
_CONFIDENCE = "$.self_assessment.confidence"
_LINE = "Write a line counted from 1, or a range such as 42-47."
_COMMIT = "Write 7 to 40 hexadecimal digits."
_FORMS = {"commit": _COMMIT, "commit_sha": _COMMIT, "line": _LINE, "root_cause_line": _LINE}
_TEXTS = ("description", "message", "summary", "issue", "text", "title")


def read_artifact(name: str, text: str, where: Where) -> Artifact[Content] | tuple[Problem, ...]:
    """The artifact in a text, by the name of its file; or everything that keeps it from being read."""
    if name not in NAMES:
        return (unknown_name(name, where),)
    kind = kind_of(name)
    document = read_yaml(text) if name == STATE else read_json(text)
    if isinstance(document, Fault):
        return (problem_of(document, where),)
    faults = (_renamed(_loosened(fault, document)) for fault in validate(kind.schema, document))
    problems = tuple(problem_of(fault, where) for fault in faults)
    if any(item.severity is Severity.ERROR and item.code != _MISPLACED for item in problems):
        return problems
    return _artifact(name, kind, document, where, problems)


def unknown_name(name: str, where: Where) -> Problem:
    """A file that is none of the pipeline's."""
    close = near(name, NAMES)
    meant = f"; did you mean {close[0]}?" if close else ""
    hint = f"Rename it to {close[0]}." if close else ""
    return problem("PG703", f"{excerpt(name)} is not an artifact of the pipeline{meant}", where, hint=hint)


def _artifact(
    name: str, kind: Kind, document: Document, where: Where, problems: tuple[Problem, ...]
) -> Artifact[Content]:
    known = _known_keys(kind.schema)
    data = {key: value for key, value in cast("Data", document.value).items() if key in known}
    content = _BUILDERS[kind.content](data)
    artifact = Artifact(name=name, where=where, document=document, content=content, problems=problems)
    alike = dict.fromkeys(near_keys(artifact, kind.schema))
    contrary = otherwise(artifact, (), document.value, known, OF_PASSED) if _passes(data) else ()
    artifact = replace(artifact, problems=(*problems, *alike, *islice(contrary, MOST)))
    if not isinstance(content, TestResult):
        return artifact
    shapes = sorted(shape_problems(cast("Artifact[TestResult]", artifact)), key=_not_wrong)
    return replace(artifact, problems=(*artifact.problems, *shapes[:MOST]))


def _not_wrong(item: Problem) -> bool:
    """What goes first where not all can be told: errors."""
    return item.severity is not Severity.ERROR


def _passes(data: Data) -> bool:
    """Whether a result says that the work is good."""
    return data.get("verdict") == Verdict.PASS or data.get("status") == WorkStatus.COMPLETED


@cache
def _known_keys(schema: str) -> frozenset[str]:
    """The keys that a schema has looked at; what stands under others may be anything."""
    return frozenset(json.loads(schema_text(schema))["properties"])


def _loosened(fault: Fault, document: Document) -> Fault:
    """A fault, a lesser one where everybody can tell what is meant: a stage's result in small letters, "high"."""
    path = fault.json_path or ""
    told = _at(document.value, path.split(".")[1:])
    in_letters = _STAGE_RESULT.fullmatch(path) and isinstance(told, str) and told.upper() in _RESULTS
    in_words = path == _CONFIDENCE and isinstance(told, str)
    return replace(fault, code=_LOOSE) if in_letters or in_words else fault


def _at(value: Json, path: list[str]) -> Json:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _renamed(fault: Fault) -> Fault:
    """Agents add keys of their own; only one that would be read elsewhere is more than a notice."""
    if fault.code != _UNKNOWN_KEY:
        last = (fault.json_path or "").rpartition(".")[2]
        return replace(fault, hint=_FORMS[last]) if fault.code == _OUT_OF_FORM and last in _FORMS else fault
    if fault.json_path == "$.escalation_history":
        message = "escalation_history stands here; only worker-result.json and test-result.json have one"
        return replace(fault, code=_MISPLACED, message=message, hint="")
    return replace(fault, code=_OURS)


def _plan(data: Data) -> Plan:
    mapping = data["acceptance_mapping"].items()
    criteria = (Criterion(id=_criterion_id(key), key=key, tests=_tests(value)) for key, value in mapping)
    return replace(from_data(Plan, data), criteria=tuple(criteria))


def _criterion_id(key: str) -> str:
    """The id that a criterion begins with: AC-1 of ``AC-1: Implement X``."""
    return key.partition(":")[0].strip()


def _tests(value: str | list[str] | None) -> tuple[str, ...]:
    tests = [value] if isinstance(value, str) else value or []
    return tuple(test.strip() for test in tests if test.strip())


def _worker(data: Data) -> WorkerResult:
    blockers = tuple(_text(item) for item in data["blockers"])
    return replace(from_data(WorkerResult, _without(data, "blockers")), blockers=blockers)


def _test(data: Data) -> TestResult:
    phase_2 = data.get("phase_2")
    return replace(
        from_data(TestResult, _without(data, "phase_1", "phase_2")),
        phase_1=checks_of(data["phase_1"], ("phase_1",)),
        phase_2=None if phase_2 is None else checks_of(phase_2, ("phase_2",)),
    )


def _review(data: Data) -> ReviewResult:
    return replace(
        from_data(ReviewResult, _without(data, "blockers", "concerns")),
        blockers=tuple(_finding(item) for item in data["blockers"]),
        concerns=tuple(_finding(item) for item in data["concerns"]),
    )


def _finding(item: str | Data) -> ReviewFinding:
    if isinstance(item, str):
        return ReviewFinding(text=item)
    return ReviewFinding(text=_text(item), file=item["file"], line=str(item["line"]))


def _text(item: str | Data) -> str:
    if isinstance(item, str):
        return item
    return next((item[key] for key in _TEXTS if isinstance(item.get(key), str)), "")


def _debug(data: Data) -> DebugDiagnosis:
    return from_data(DebugDiagnosis, data)


def _git(data: Data) -> GitResult:
    return from_data(GitResult, data)


def _state(data: Data) -> State:
    stages = (
        (Stage(name), from_data(StageRecord, _in_capitals(record or {})))
        for name, record in (data.get("stages") or {}).items()
        if name in _STAGES
    )
    return replace(
        from_data(State, _without(data, "stages", "retries")),
        criteria=tuple(_state_criteria(data.get("acceptance_criteria") or [])),
        stages=tuple(stages),
        retries=tuple(_retries(data.get("retries"), data.get("current_stage"))),
    )


def _in_capitals(record: Data) -> Data:
    """A stage with its result as the format writes it."""
    result = record.get("result")
    return {**record, "result": result.upper()} if isinstance(result, str) else record


def _state_criteria(items: list[Data]) -> Iterator[Criterion]:
    for index, item in enumerate(items):
        status = Progress(item["status"]) if item.get("status") else None
        yield Criterion(id=item["id"], key=index, tests=_tests(item.get("test_mapped")), status=status)


def _retries(noted: int | list[str | Data] | None, current: str | None) -> Iterator[Retry]:
    if isinstance(noted, int):
        yield Retry(stage=current or "", tier=None, count=noted, path=("retries",))
        return
    for index, item in enumerate(noted or []):
        named = {"stage": item} if isinstance(item, str) else item
        yield Retry(stage=named.get("stage") or "", tier=named.get("tier"), count=1, path=("retries", index))


def _without(data: Data, *keys: str) -> Data:
    return {key: value for key, value in data.items() if key not in keys}


_STAGES = tuple(stage.value for stage in Stage)
_RESULTS = tuple(verdict.value for verdict in Verdict)
_BUILDERS: dict[type[Content], Callable[[Data], Content]] = {
    Plan: _plan,
    WorkerResult: _worker,
    TestResult: _test,
    ReviewResult: _review,
    DebugDiagnosis: _debug,
    GitResult: _git,
    State: _state,
}


def near_keys(artifact: Artifact[Content], schema: str) -> Iterator[Problem]:
    """Keys that a reader takes for one of the format's and a machine does not, at every depth."""
    for words, way, item in _objects(artifact.document.value, schema):
        for key in item:
            meant = taken_for(key, words, LISTS & words)
            if meant is not None:
                message = f'the key {excerpt(key)} is easily mistaken for "{meant}"'
                yield artifact.key_problem("PG700", message, (*way, key))


def _objects(data: Json, schema: str) -> Iterator[tuple[frozenset[str], JsonPath, dict[str, Json]]]:
    """The objects of an artifact whose keys are words of the format, each with these words."""
    # the names of checks are everybody's own
    yield from (found for found in objects_of(schema, data) if not {*found[1][-1:]} & {*PHASES})
    if not isinstance(data, dict):
        return
    for phase in PHASES:
        for _, item, way in _items(data.get(phase), (phase,)):
            if isinstance(item, dict):
                yield _OF_A_TOOL, way, item
    for name in ("blockers", "concerns"):
        listed = data.get(name)
        for index, item in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(item, dict):
                yield _OF_A_FINDING, (name, index), item


PHASES = ("phase_1", "phase_2")
_TELLING = ("result", "status", "exit_code")
_PRINTED = "output"
_OF_A_TOOL = frozenset({"tool", _PRINTED, "summary", *_TELLING})
_OF_A_FINDING = frozenset({"file", "line", *_TEXTS})
LISTS = frozenset({"blockers", "concerns"})  # what holds something against the work
ALMOST = 0.87  # how like one of them a misspelt key is
MOST = 100  # of one rule and file; the rest is of the same kind


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
            message = f"{phase} is a single tool, but it also has {names}, whose meaning is unclear"
            yield artifact.problem("PG706", message, (phase, beside[0]))


def otherwise(
    artifact: Artifact[Content], way: JsonPath, item: Json, own: frozenset[str], against: Sequence[Against]
) -> Iterator[Problem]:
    """Members of a result that passes which say in other words than the format's that it does not, at any depth."""
    for key, value in item.items() if isinstance(item, dict) else ():
        if key in own or taken_for(key, own, LISTS & own) is not None:
            continue
        for below, said in _contrary((key,), value, own, against):
            told = ".".join(map(str, way)) or artifact.name
            message = f"{told} has passed, but its key {excerpt('.'.join(map(str, below)))} says {excerpt_of(said)}"
            yield artifact.key_problem("PG706", message, (*way, *below))


def _contrary(
    way: JsonPath, value: Json, own: frozenset[str], against: Sequence[Against]
) -> Iterator[tuple[JsonPath, Json]]:
    """The way to each member that says so, and what it says."""
    key = way[-1]
    if isinstance(key, str):
        if of_another_time(key, value):
            return
        if any(says(key, value, own) for says in against):
            yield way, value
            return
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield from _contrary((*way, name), member, frozenset(), against)


def _misspelt(key: str, value: Json, own: frozenset[str]) -> bool:
    """Whether a key is almost that of a list of what is held against the work, and lists something."""
    return tells_of_some(value) and bool(near(key, LISTS & own, ALMOST))


# What speaks against a result that passed, and against one that says itself that nothing was run.
OF_SKIPPED: tuple[Against, ...] = (says_failed,)
OF_PASSED: tuple[Against, ...] = (says_against, _misspelt)


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
    if Verdict.FAIL not in told.values():
        against = OF_PASSED if Verdict.PASS in told.values() else OF_SKIPPED
        yield from islice(otherwise(artifact, path, item, _OF_A_TOOL - {_PRINTED}, against), MOST)
    if len(set(told.values())) > 1:
        words = ", ".join(f"{key} says {result.value}" for key, result in told.items())
        yield artifact.problem("PG706", f"the check {excerpt(name)} contradicts itself: {words}", path)
    elif "result" not in told:
        result = _check(name, item, path).result.value
        by = f"by its {next(iter(told))}" if told else "as a plain word"
        message = f"the check {excerpt(name)} says {by} how it went; read as {result}"
        yield artifact.problem("PG705", message, path, hint=f'Write {excerpt(name)}: {{"result": "{result}"}}.')
