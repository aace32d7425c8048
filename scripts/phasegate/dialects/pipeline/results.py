"""Each result against its own content: what an agent says in the end, and what it lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from phasegate.dialects.pipeline.plan import path_problems
from phasegate.dialects.pipeline.types import (
    Artifact,
    Check,
    Classification,
    Content,
    DebugDiagnosis,
    GitResult,
    ReviewResult,
    TestResult,
    Verdict,
    WorkerResult,
    WorkStatus,
)
from phasegate.model.problem import Problem
from phasegate.reading.excerpt import excerpt

_SHOWN = 5
_PULL_REQUEST = re.compile(r"https?://[^/\s]+/[^/\s]+/[^/\s]+/pull/([1-9][0-9]{0,14})/?", re.ASCII)


def result_problems(artifact: Artifact[Content]) -> Iterator[Problem]:
    """What an artifact says that the rest of it contradicts."""
    content = artifact.content
    if isinstance(content, WorkerResult):
        yield from _worker(cast("Artifact[WorkerResult]", artifact))
    elif isinstance(content, TestResult):
        yield from _test(cast("Artifact[TestResult]", artifact))
    elif isinstance(content, ReviewResult):
        yield from _review(cast("Artifact[ReviewResult]", artifact))
    elif isinstance(content, DebugDiagnosis):
        yield from _debug(cast("Artifact[DebugDiagnosis]", artifact))
    elif isinstance(content, GitResult):
        yield from _git(cast("Artifact[GitResult]", artifact))


def _worker(worker: Artifact[WorkerResult]) -> Iterator[Problem]:
    content = worker.content
    yield from path_problems(worker, ("files_changed",), content.files_changed)
    if content.status is WorkStatus.COMPLETED and content.blockers:
        message = f"status is completed, but blockers lists {_counted(len(content.blockers))}"
        yield worker.problem("PG723", message, ("status",))
    if content.status is WorkStatus.BLOCKED and not content.blockers:
        yield worker.problem("PG724", "status is blocked, but blockers is empty", ("status",))


def _test(test: Artifact[TestResult]) -> Iterator[Problem]:
    content = test.content
    failed = [check for check in (*content.phase_1, *(content.phase_2 or ())) if check.result is Verdict.FAIL]
    if content.verdict is not Verdict.FAIL:
        for check in failed:
            message = f"{_named(check)} failed, but the verdict is {content.verdict.value}"
            yield test.problem("PG730", message, check.path)
    if content.verdict is Verdict.PASS and all(check.result is Verdict.SKIP for check in content.phase_1):
        ran = "every check of phase_1 was skipped" if content.phase_1 else "phase_1 is empty"
        yield test.problem("PG731", f"the verdict is PASS, but {ran}", ("verdict",))
    if content.verdict is Verdict.FAIL and not failed:
        yield test.problem("PG732", "the verdict is FAIL, but no check of phase_1 or phase_2 failed", ("verdict",))
    if content.verdict is Verdict.PASS and content.classification is not None:
        message = f"the verdict is PASS, but it is classified as {content.classification.value}, which is a defect"
        yield test.problem("PG735", message, ("classification",))
    yield from _second_phase(test)
    yield from _triage(test)


def _second_phase(test: Artifact[TestResult]) -> Iterator[Problem]:
    failed = [check for check in test.content.phase_1 if check.result is Verdict.FAIL]
    if failed and test.content.phase_2 is not None:
        names = ", ".join(_named(check) for check in failed[:_SHOWN])
        message = f"phase_2 is given although {names} failed; it runs only after phase_1 has passed"
        yield test.key_problem("PG733", message, ("phase_2",))


def _triage(test: Artifact[TestResult]) -> Iterator[Problem]:
    content = test.content
    if not content.inline_triage:
        return
    if content.verdict is not Verdict.FAIL:
        message = f"inline_triage is true, but the verdict is {content.verdict.value}"
        yield test.problem("PG734", message, ("inline_triage",))
    elif content.classification is not Classification.FIX_TARGET:
        found = content.classification.value if content.classification else "missing"
        message = f"inline_triage is true, which goes with the classification fix_target; it is {found}"
        yield test.problem("PG734", message, ("inline_triage",))
    elif not (content.fix_instruction or "").strip():
        message = "inline_triage is true, but there is no fix_instruction for the worker"
        yield test.problem("PG734", message, ("inline_triage",))


def _review(review: Artifact[ReviewResult]) -> Iterator[Problem]:
    content = review.content
    if content.verdict is not Verdict.FAIL and content.blockers:
        message = f"the verdict is {content.verdict.value}, but blockers lists {_counted(len(content.blockers))}"
        yield review.problem("PG740", message, ("verdict",))
    if content.verdict is Verdict.FAIL and not content.blockers and not content.concerns:
        yield review.problem("PG741", "the verdict is FAIL, but blockers and concerns are empty", ("verdict",))
    if content.verdict is Verdict.PASS and content.concerns:
        message = f"the verdict is PASS, but concerns lists {_counted(len(content.concerns))}"
        yield review.problem("PG742", message, ("verdict",))


def _debug(debug: Artifact[DebugDiagnosis]) -> Iterator[Problem]:
    content = debug.content
    needs: dict[Classification, dict[str, object]] = {
        Classification.FIX_TARGET: {
            "fix_instructions": content.fix_instructions,
            "root_cause_file": content.root_cause_file,
            "root_cause_line": content.root_cause_line,
        },
        Classification.PLAN_DEFECT: {"plan_fix_instructions": content.plan_fix_instructions},
        Classification.ESCALATE: {},
    }
    for key, value in needs[content.classification].items():
        if not str(value or "").strip():
            message = f"the classification is {content.classification.value}, which needs {key}"
            yield debug.problem("PG750", message, ("classification",), hint=f"Write {key}.")
    if content.classification is Classification.ESCALATE and content.escalation_sub is None:
        message = "the classification is escalate, but there is no escalation_sub"
        yield debug.problem("PG751", message, ("classification",))


def _git(git: Artifact[GitResult]) -> Iterator[Problem]:
    content = git.content
    if content.pr_url is None:
        return
    match = _PULL_REQUEST.fullmatch(content.pr_url)
    if match is None:
        message = f"pr_url is {excerpt(content.pr_url)}, which is not the address of a pull request"
        yield git.problem("PG762", message, ("pr_url",))
    elif content.pr_number is not None and int(match[1]) != content.pr_number:
        message = f"pr_url leads to pull request {match[1]}, but pr_number is {content.pr_number}"
        yield git.problem("PG762", message, ("pr_url",))


def _named(check: Check) -> str:
    return f"{check.path[0]}.{excerpt(check.name)[1:-1]}"


def _counted(number: int) -> str:
    return f"{number} of them" if number > 1 else "one"
