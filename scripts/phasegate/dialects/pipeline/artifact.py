"""Reads one file of the pipeline. In: name and text. Out: a document to read by key, and its problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import islice
from typing import Any, NamedTuple, TypeGuard

from phasegate.catalogue import problem, problem_of
from phasegate.dialects.pipeline.declaration import COPIES, DEBUG, FILES, GIT, NAME, PLAN, REVIEW, STATE, TEST, WORKER
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Fault, Problem, Severity, Where, near
from phasegate.model.signal import Outcome
from phasegate.reading.document import Document, Json, JsonPath, Lines, excerpt, excerpt_of, json_path
from phasegate.reading.json import read_json
from phasegate.reading.keys import FAILED, NOT_PASSED, contradictions, slip_of
from phasegate.reading.schema.registry import misspelt_keys, objects_of, validate
from phasegate.reading.yaml import read_yaml


class Stage(str, Enum):
    """The stages, in order."""

    TRIAGE = "triage"
    PLAN = "plan"
    IMPLEMENT = "implement"
    TEST = "test"
    REVIEW = "review"
    GIT = "git"

    @property
    def rank(self) -> int:
        """Its index in the order."""
        return list(Stage).index(self)


class Complexity(str, Enum):
    """How hard an issue is."""

    TRIVIAL = "trivial"
    STANDARD = "standard"
    COMPLEX = "complex"


ARTIFACT_OF = {Stage.PLAN: PLAN, Stage.IMPLEMENT: WORKER, Stage.TEST: TEST, Stage.REVIEW: REVIEW, Stage.GIT: GIT}
STAGES = tuple(ARTIFACT_OF)  # every folder has their artifacts, but a trivial issue needs no plan
VERDICTS = ("PASS", "FAIL", "SKIP")
OUTCOMES = {
    "PASS": Outcome.PASS,
    "FAIL": Outcome.FAIL,
    "completed": Outcome.COMPLETE,
    "blocked": Outcome.BLOCKED,
    "escalate": Outcome.BLOCKED,
}
SAYING = {WORKER: "status", TEST: "verdict", REVIEW: "verdict"}  # the key of a result's outcome
PHASES = ("phase_1", "phase_2")
MOST = 100  # problems of one rule and file; more would be of the same kind
# The keys of a check, and of a blocker or concern. None of them holds a list or an object.
OF_A_CHECK = dict.fromkeys(("tool", "output", "summary", "result", "status", "exit_code"), False)
TELLING = ("result", "status", "exit_code")
TEXTS = ("description", "message", "summary", "issue", "text", "title")
OF_A_FINDING = dict.fromkeys(("file", "line", *TEXTS), False)
FINDINGS = ("blockers", "concerns")
HISTORY = ("previous", "escalation_history")  # values below these are from earlier
RULED = {*SAYING.values(), *FINDINGS, *PHASES}  # keys that have rules of their own


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """One file of a folder: a document that its schema accepts, read by key, and the places of its values.

    If it is unreadable or its schema rejects it, it is ``broken``: it is there and says nothing.
    """

    name: str
    where: Where
    document: Document = Document(value=None, mark=(0, 0, None), lines=Lines.of(""))
    problems: tuple[Problem, ...] = ()
    broken: bool = False

    @property
    def kind(self) -> str:
        """The file itself, or the file that it is a copy of."""
        return COPIES.get(self.name, self.name)

    @property
    def schema(self) -> str:
        """The name of its schema."""
        return f"{NAME}/{self.kind.partition('.')[0]}"

    @property
    def data(self) -> dict[str, Any]:
        """The document."""
        value = self.document.value
        return value if isinstance(value, dict) else {}

    def get(self, *path: str) -> Any:  # noqa: ANN401  (its schema knows the type)
        """The value at a path, or None."""
        value: Any = self.document.value
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    def problem(self, code: str, message: str, path: JsonPath = (), *, hint: str = "") -> Problem:
        """A problem at a value of the file."""
        return problem(code, message, self.where.at(self.document.position(path), json_path(path)), hint=hint)

    def key_problem(self, code: str, message: str, path: JsonPath, *, hint: str = "") -> Problem:
        """A problem at a key of the file."""
        return problem(code, message, self.where.at(self.document.key_position(path), json_path(path)), hint=hint)


def outcome(artifact: Artifact) -> Outcome | None:
    """The outcome of a valid artifact. A plan or a delivery is complete by being there; a SKIP has no outcome."""
    if artifact.kind in SAYING and not artifact.broken:
        return OUTCOMES.get(artifact.get(SAYING[artifact.kind]))
    return None if artifact.broken or artifact.kind in (DEBUG, STATE) else Outcome.COMPLETE


def second_phase(test: Artifact) -> Outcome | None:
    """The outcome of ``phase_2``, the pipeline's QA. None if it did not run, or passed in a result that did not."""
    results = {check.result for check in checks(test.data, "phase_2")}
    if "FAIL" in results:
        return Outcome.FAIL
    return Outcome.PASS if "PASS" in results and test.get("verdict") == "PASS" else None


class Check(NamedTuple):
    """One check of a phase. ``path`` leads to its result."""

    name: str
    result: str
    path: JsonPath


def checks(test: dict[str, Any], *phases: str) -> list[Check]:
    """The checks of some phases, or of both, in any shape that agents write."""
    found: list[Check] = []
    for name, item, way in _items(test, phases or PHASES):
        told = _told(item)
        key = next((key for key, result in told.items() if result == "FAIL"), next(iter(told), ""))
        found.append(Check(name, told.get(key, ""), (*way, key) if key else way))
    return found


def _items(test: dict[str, Any], phases: tuple[str, ...]) -> Iterator[tuple[str, Json, JsonPath]]:
    """The checks of phases as written: by name, or a single tool."""
    for phase in phases:
        told = test.get(phase)
        if _is_one_tool(told):
            yield str(told["tool"] or "tool"), told, (phase,)
        elif isinstance(told, dict):
            yield from ((name, item, (phase, name)) for name, item in told.items())


def _is_one_tool(phase: Json) -> TypeGuard[dict[str, Json]]:
    return isinstance(phase, dict) and "tool" in phase and "exit_code" in phase


def _told(item: Any) -> dict[str, str]:  # noqa: ANN401  (any shape)
    """A check's result, by the key that holds it; a plain word has the key ""."""
    if not isinstance(item, dict):
        return {"": item}
    told = {key: item[key] for key in TELLING if key in item}
    if "exit_code" in told:
        told["exit_code"] = "PASS" if told["exit_code"] == 0 else "FAIL"
    return told


def holds_against(artifact: Artifact) -> bool:
    """True if a result has a failed check or a blocker, whatever it calls itself."""
    if artifact.kind == TEST:
        return any(check.result == "FAIL" for check in checks(artifact.data))
    return artifact.kind == REVIEW and bool(artifact.get("blockers"))


_UNKNOWN_KEY, _OURS, _MISPLACED, _OUT_OF_FORM, _LOOSE = "PG023", "PG701", "PG771", "PG024", "PG718"
# What the original's own samples write otherwise, and nothing is decided by.
_STAGE_RESULT = re.compile(r"\$\.stages\.[a-z]{1,20}\.result", re.ASCII)
_CONFIDENCE = "$.self_assessment.confidence"
_LINE = "Write a line counted from 1, or a range such as 42-47."
_COMMIT = "Write 7 to 40 hexadecimal digits."
_FORMS = {"commit": _COMMIT, "commit_sha": _COMMIT, "line": _LINE}


def read_artifact(name: str, text: str | Problem | None, where: Where) -> Artifact:
    """The artifact in a text, by file name. A problem in place of the text tells why it could not be read."""
    artifact = Artifact(name=name, where=where)
    if text is None or isinstance(text, Problem):
        return replace(artifact, problems=() if text is None else (text,), broken=True)
    document = read_yaml(text) if name == STATE else read_json(text)
    if isinstance(document, Fault):
        return replace(artifact, problems=(problem_of(document, where),), broken=True)
    artifact = replace(artifact, document=document)
    faults = (_of_the_pipeline(fault, artifact) for fault in validate(artifact.schema, document))
    problems = tuple(problem_of(fault, where) for fault in faults)
    if any(item.severity is Severity.ERROR and item.code != _MISPLACED for item in problems):
        return replace(artifact, problems=problems, broken=True)
    misspelt = tuple(slips(artifact))
    places = {item.where for item in misspelt}
    unknown = tuple(item for item in problems if item.where not in places)
    shapes = sorted(shape_problems(artifact), key=lambda item: item.severity is not Severity.ERROR)
    return replace(artifact, problems=(*unknown, *misspelt, *islice(contrary(artifact), MOST), *shapes[:MOST]))


def as_warning(item: Problem) -> Problem:
    """The problem; an error becomes a warning, for a file that decides nothing."""
    return replace(item, severity=Severity.WARNING) if item.severity is Severity.ERROR else item


def unknown_name(name: str, where: Where) -> Problem:
    """A file that is not the pipeline's."""
    close = near(name, FILES)
    meant = f"; did you mean {close[0]}?" if close else ""
    hint = f"Rename it to {close[0]}." if close else ""
    return problem("PG703", f"{excerpt(name)} is not an artifact of the pipeline{meant}", where, hint=hint)


def _of_the_pipeline(fault: Fault, artifact: Artifact) -> Fault:
    """A schema fault in the pipeline's words; milder if it is obvious what is meant."""
    path = fault.json_path or ""
    steps = path.split(".")[1:]
    told = artifact.get(*steps)
    if isinstance(told, str) and (path == _CONFIDENCE or (_STAGE_RESULT.fullmatch(path) and told.upper() in VERDICTS)):
        return replace(fault, code=_LOOSE)
    if fault.code == _OUT_OF_FORM and steps and steps[-1] in _FORMS:
        return replace(fault, hint=_FORMS[steps[-1]])
    if path == "$.escalation_history" and fault.code == _UNKNOWN_KEY:
        message = "escalation_history does not belong here; only worker-result.json and test-result.json have one"
        return replace(fault, code=_MISPLACED, message=message, hint="")
    return replace(fault, code=_OURS) if fault.code == _UNKNOWN_KEY else fault


def slips(artifact: Artifact) -> Iterator[Problem]:
    """Keys one slip away from a known one, at any depth. Names of checks are free."""
    found = [each for each in objects_of(artifact.schema, artifact.document.value) if each[1][-1:] not in _BY_PHASE]
    found += [(OF_A_CHECK, way, item) for _, item, way in _items(artifact.data, PHASES) if isinstance(item, dict)]
    for name in FINDINGS:
        listed = artifact.get(name)
        items = enumerate(listed) if isinstance(listed, list) else ()
        found += [(OF_A_FINDING, (name, index), item) for index, item in items if isinstance(item, dict)]
    yield from (problem_of(fault, artifact.where) for fault in misspelt_keys(found, artifact.document))


_BY_PHASE = [(phase,) for phase in PHASES]


def contrary(artifact: Artifact) -> Iterator[Problem]:
    """Deciding keys, at any depth, whose values contradict that a result or one of its checks passed."""
    if artifact.kind not in SAYING:
        return
    if artifact.get(SAYING[artifact.kind]) in ("PASS", "completed"):
        own = RULED if artifact.kind == WORKER else RULED - {"status"}
        known, _, data = next(objects_of(artifact.schema, artifact.document.value))
        others = {key: value for key, value in data.items() if key not in own and not slip_of(key, value, known)}
        yield from _contradicting(artifact, artifact.name, others, ())
    for _, item, way in _items(artifact.data, PHASES) if artifact.kind == TEST else ():
        results = _told(item).values()
        if isinstance(item, dict) and "FAIL" not in results:
            # what stands beside a single tool has a rule of its own
            keys = OF_A_CHECK if len(way) == 1 else item
            told = {
                key: item[key]
                for key in keys
                if key in item and key not in TELLING and not slip_of(key, item[key], OF_A_CHECK)
            }
            yield from _contradicting(artifact, ".".join(map(str, way)), told, way, ran="PASS" in results)


def _contradicting(
    artifact: Artifact, name: str, told: dict[str, Json], path: JsonPath, *, ran: bool = True
) -> Iterator[Problem]:
    for way, value in contradictions(told, NOT_PASSED if ran else FAILED, HISTORY):
        message = f"{name} has passed, but its key {excerpt('.'.join(map(str, way)))} says {excerpt_of(value)}"
        yield artifact.key_problem(
            "PG730", message, (*path, *way), hint=f"Say FAIL, or remove {json_path((*path, *way))}."
        )


def shape_problems(artifact: Artifact) -> Iterator[Problem]:
    """Checks in another shape than the format's, or with two results."""
    for name, item, way in _items(artifact.data, PHASES) if artifact.kind == TEST else ():
        told = _told(item)
        if len(set(told.values())) > 1:
            words = ", ".join(f"{key} says {result}" for key, result in told.items())
            yield artifact.problem("PG730", f"the check {excerpt(name)} contradicts itself: {words}", way)
        elif "result" not in told:
            key, result = next(iter(told.items()))
            by = f"by its {key}" if key else "as a plain word"
            message = f"the check {excerpt(name)} says {by} how it went; read as {result}"
            yield artifact.problem("PG705", message, way, hint=f'Write {excerpt(name)}: {{"result": "{result}"}}.')
        beside = [key for key in item if key not in OF_A_CHECK] if _is_one_tool(item) and len(way) == 1 else []
        if beside:
            names = ", ".join(excerpt(key) for key in beside[:3])
            message = f"{way[0]} is a single tool, but it also has {names}, whose meaning is unclear"
            yield artifact.problem("PG730", message, (*way, beside[0]))
