"""Contradictions in an artifact of the pipeline: one row for each, over the validated document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from phasegate.dialects.pipeline.artifact import MOST, Artifact, checks
from phasegate.dialects.pipeline.declaration import DEBUG, GIT, PLAN, REVIEW, TEST, WORKER
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem
from phasegate.reading.document import excerpt
from phasegate.reading.keys import Data, Hit, Row, at, is_some


def failed_checks(data: Data, *phases: str) -> list[Hit]:
    """The failed checks, each with its name."""
    found = (check for check in checks(data, *phases) if check.result == "FAIL")
    return [(check.path, f"{check.path[0]}.{excerpt(check.name)[1:-1]}") for check in found]


def _second_after_failure(data: Data) -> list[Hit]:
    failed = failed_checks(data, "phase_1")
    names = ", ".join(name for _, name in failed[:5])
    return [(("phase_2",), names)] if failed and data.get("phase_2") is not None else []


def _lacking_triage(data: Data) -> list[Hit]:
    """What an inline triage lacks: it needs a FAIL, fix_target and a fix_instruction."""
    if not data.get("inline_triage"):
        return []
    given = {
        "the verdict FAIL": data["verdict"] == "FAIL",
        "the classification fix_target": data.get("classification") == "fix_target",
        "a fix_instruction": str(data.get("fix_instruction") or "").strip(),
    }
    lacking = next((name for name, told in given.items() if not told), None)
    return [(("inline_triage",), lacking)] if lacking else []


NEEDED = {
    "escalate": ("escalation_sub",),
    "fix_target": ("fix_instructions", "root_cause_file", "root_cause_line"),
    "plan_defect": ("plan_fix_instructions",),
}


_PULL_REQUEST = re.compile(r"https?://[^/\s]+/[^/\s]+/[^/\s]+/pull/([1-9][0-9]{0,14})/?", re.ASCII)


def _another_pull_request(data: Data) -> list[Hit]:
    url, number = data.get("pr_url"), data.get("pr_number")
    match = None if url is None else _PULL_REQUEST.fullmatch(url)
    if url is not None and match is None:
        return [(("pr_url",), f"is {excerpt(url)}, which is not the address of a pull request")]
    if match is not None and number is not None and int(match[1]) != number:
        return [(("pr_url",), f"leads to pull request {match[1]}, but pr_number is {number}")]
    return []


def no_paths(key: str) -> Callable[[Data], Iterable[Hit]]:
    """Entries of a list that are not repository paths as git writes them."""
    return lambda data: [
        ((key, index), excerpt(file)) for index, file in enumerate(data[key]) if not is_repository_path(file)
    ]


def is_repository_path(path: str) -> bool:
    """True if a path is written as git writes it."""
    rooted = path.startswith("~") or "\\" in path or not path.isprintable()
    return not rooted and not any(segment in ("", ".", "..") for segment in path.split("/"))


_SHOWN = 8


def _repeated_orders(data: Data) -> Iterator[Hit]:
    first: dict[int, int] = {}
    for index, step in enumerate(data["steps"]):
        earlier = first.setdefault(step["order"], index)
        if earlier != index:
            yield ("steps", index, "order"), f"steps[{index}]", step["order"], f"steps[{earlier}]"


def _unknown_dependencies(data: Data) -> Iterator[Hit]:
    orders = {step["order"] for step in data["steps"]}
    has = ", ".join(map(str, sorted(orders)[:_SHOWN])) + (", …" if len(orders) > _SHOWN else "")
    for index, step in enumerate(data["steps"]):
        for place, order in enumerate(step.get("depends_on") or ()):
            if order not in orders:
                yield ("steps", index, "depends_on", place), step["order"], order, has


def _circle(data: Data) -> list[Hit]:
    """A circle of steps that wait for each other, at the dependency that closes it."""
    steps = {step["order"]: index for index, step in reversed(list(enumerate(data["steps"])))}
    needs = {order: data["steps"][index].get("depends_on") or () for order, index in steps.items()}
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as found:
        found_ring: list[int] = found.args[1][:0:-1]  # each waits for the next one, the last one for the first
    else:
        return []
    first = found_ring.index(min(found_ring))
    ring = [*found_ring[first:], *found_ring[:first]]
    shown = [*map(str, ring[: _SHOWN - 1]), *(["…"] if len(ring) >= _SHOWN else []), str(ring[0])]
    return [(("steps", steps[ring[-1]], "depends_on", list(needs[ring[-1]]).index(ring[0])), " → ".join(shown))]


def _steps_outside(data: Data) -> Iterator[Hit]:
    planned = set(data["affected_files"])
    for index, step in enumerate(data["steps"]):
        if step.get("file") is not None and step["file"] not in planned:
            yield ("steps", index, "file"), step["order"], excerpt(step["file"])


def _files_without_step(data: Data) -> Iterator[Hit]:
    changed = {step.get("file") for step in data["steps"]}
    for index, file in enumerate(data["affected_files"]):
        if file not in changed:
            yield ("affected_files", index), excerpt(file)


def criterion_id(key: str) -> str:
    """The id at a criterion's beginning: AC-1 of ``AC-1: Implement X``."""
    return key.partition(":")[0].strip()


def tests_of(mapped: str | list[str] | None) -> tuple[str, ...]:
    """The tests that a criterion is mapped to."""
    tests = [mapped] if isinstance(mapped, str) else mapped or []
    return tuple(test.strip() for test in tests if test.strip())


TIERS = ("fast", "standard", "high")


def _saying_nothing(data: Data) -> Iterator[Hit]:
    for index, step in enumerate(data["steps"]):
        lacking = [key for key in ("action", "description") if not str(step.get(key) or "").strip()]
        if lacking:
            yield ("steps", index), step["order"], " and no ".join(lacking)


ROWS = (
    Row((PLAN,), "PG717", no_paths("affected_files"), "{0} is not a path from the root of the repository"),
    Row((PLAN,), "PG710", _repeated_orders, "{0} has the order {1}, which {2} has too"),
    Row((PLAN,), "PG710", _unknown_dependencies, "step {0} depends on step {1}, which is not in steps (has {2})"),
    Row((PLAN,), "PG710", _circle, "the steps {0} wait for each other"),
    Row((PLAN,), "PG710", _steps_outside, "step {0} changes {1}, which is not in affected_files"),
    Row((PLAN,), "PG710", _files_without_step, "{0} is in affected_files, but no step changes it"),
    Row((PLAN,), "PG715", lambda d: [(("acceptance_mapping", key), excerpt(criterion_id(key)))
        for key, mapped in d["acceptance_mapping"].items() if not tests_of(mapped)],
        "{0} is mapped to no test"),
    Row((PLAN,), "PG718", _saying_nothing, "step {0} has no {1}"),
    Row((WORKER,), "PG717", no_paths("files_changed"), "{0} is not a path from the root of the repository"),
    Row((WORKER,), "PG730", at("status")(lambda d: d["status"] == "completed" and d["blockers"]),
        "status is completed, but blockers is not empty"),
    Row((WORKER,), "PG750", at("status")(lambda d: d["status"] == "blocked" and not d["blockers"]),
        "status is blocked, but blockers is empty"),
    Row((TEST,), "PG730", lambda d: failed_checks(d) if d["verdict"] != "FAIL" else (),
        "{0} failed, but the verdict is {verdict}"),
    Row((TEST,), "PG730", at("verdict")(lambda d: d["verdict"] == "PASS" and not any(
        check.result != "SKIP" for check in checks(d, "phase_1"))), "the verdict is PASS, but no check of phase_1 ran"),
    Row((TEST,), "PG730", at("verdict")(lambda d: d["verdict"] == "FAIL" and not failed_checks(d)),
        "the verdict is FAIL, but no check of phase_1 or phase_2 failed"),
    Row((TEST,), "PG730", at("classification")(lambda d: d["verdict"] == "PASS" and d.get("classification")),
        "the verdict is PASS, but the classification is {classification}"),
    Row((TEST,), "PG730", at("fix_instruction")(lambda d: d["verdict"] == "PASS" and is_some(d.get("fix_instruction"))),
        "the verdict is PASS, but fix_instruction tells the worker what to fix"),
    Row((TEST,), "PG730", _second_after_failure,
        "phase_2 is given although {0} failed; it runs only after phase_1 has passed"),
    Row((TEST,), "PG750", _lacking_triage, "inline_triage is true, which needs {0}"),
    Row((REVIEW,), "PG730", at("verdict")(lambda d: d["verdict"] != "FAIL" and d["blockers"]),
        "the verdict is {verdict}, but blockers is not empty"),
    Row((REVIEW,), "PG730", at("verdict")(lambda d: d["verdict"] == "FAIL" and not d["blockers"] and not d["concerns"]),
        "the verdict is FAIL, but blockers and concerns are empty"),
    Row((REVIEW,), "PG742", at("verdict")(lambda d: d["verdict"] == "PASS" and d["concerns"]),
        "the verdict is PASS, but concerns is not empty"),
    Row((DEBUG,), "PG750", lambda d: [(("classification",), key) for key in NEEDED.get(d["classification"], ())
        if not str(d.get(key) or "").strip()],
        "the classification is {classification}, which needs {0}"),
    Row((GIT,), "PG760", _another_pull_request, "pr_url {0}"),
    Row((WORKER, TEST), "PG771", lambda d: [
        (("escalation_history", index, "to_tier"), step["from_tier"], step["to_tier"])
        for index, step in enumerate(d.get("escalation_history") or ())
        if TIERS.index(step["to_tier"]) <= TIERS.index(step["from_tier"])],
        "the work went from {0} to {1}, which is not a higher tier"),
)  # fmt: skip


def own_contradictions(artifact: Artifact) -> Iterator[Problem]:
    """The contradictions in an artifact."""
    data = artifact.data
    for row in ROWS:
        if artifact.kind in row.kinds:
            hits = ((path, row.says.format(*words, **data)) for path, *words in row.hits(data))
            yield from bounded(artifact.problem(row.code, message, path) for path, message in hits)


def bounded(problems: Iterator[Problem]) -> Iterator[Problem]:
    """The first of very many problems; each one costs a search for its line."""
    for number, item in enumerate(problems, start=1):
        if number < MOST:
            yield item
            continue
        more = next(problems, None) is not None
        yield replace(item, message=f"{item.message} (and more of this kind behind it)") if more else item
        return
