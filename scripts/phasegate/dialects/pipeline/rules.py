"""The pipeline dialect: the files of an issue's folder in, everything that is wrong in and between them out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from phasegate.dialects.dialect import Checked, LocalFile
from phasegate.dialects.pipeline.artifact import Artifact, Complexity, Stage, outcome, unknown_name
from phasegate.dialects.pipeline.contradictions import bounded, criterion_id, own_contradictions, tests_of
from phasegate.dialects.pipeline.declaration import FILES, GIT, OTHERS, PLAN, WORKER
from phasegate.dialects.pipeline.folder import Context, Folder, read_folder
from phasegate.dialects.pipeline.state import gate_problems, order_problems, state_problems, undiagnosed
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.reading.document import excerpt

ISSUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_TEST_FILE = re.compile(r"[^\s:#>]+")


def scope_problems(folder: Folder) -> Iterator[Problem]:
    """Where the files that were planned, reported and changed are not the same."""
    plan, worker, context = folder.artifact(PLAN), folder.artifact(WORKER), folder.context
    if plan is not None:
        yield from _outside(plan, worker, context)
        done = worker is not None and worker.get("status") == "completed"
        changed = context.changed_files if context.changed_files is not None else _reported(worker) if done else None
        untouched = set(plan.get("affected_files")) - set(changed) if changed is not None else set()
        for index, file in enumerate(plan.get("affected_files")):
            if file in untouched:
                message = f"{excerpt(file)} is planned, but was not changed"
                yield plan.problem("PG721", message, ("affected_files", index))
    if worker is not None and context.changed_files is not None:
        yield from _misreported(worker, context)


def _reported(worker: Artifact | None) -> Sequence[str]:
    files: Sequence[str] = () if worker is None else worker.get("files_changed")
    return files


def _outside(plan: Artifact, worker: Artifact | None, context: Context) -> Iterator[Problem]:
    """Files that were changed beyond the plan: told of the worker's report once there is one."""
    planned, reported = set(plan.get("affected_files")), _reported(worker)
    for index, file in enumerate(reported):
        if worker is not None and file not in planned and context.of_work([file]):
            message = f"{excerpt(file)} is outside of the plan"
            yield worker.problem("PG720", message, ("files_changed", index))
    known = planned | {*reported} | context.of_others
    for file in context.of_work(context.changed_files or ()):
        if file not in known:
            message = f"{excerpt(file)} is outside of the plan"
            blamed, key = (plan, "affected_files") if worker is None else (worker, "files_changed")
            yield blamed.problem("PG720", message, (key,))


def _misreported(worker: Artifact, context: Context) -> Iterator[Problem]:
    reported, changed = _reported(worker), context.of_work(context.changed_files or ())
    really, known = set(changed), {*reported} | context.of_others
    for index, file in enumerate(reported):
        if file not in really and context.of_work([file]):
            message = f"files_changed names {excerpt(file)}, which was not changed"
            yield worker.problem("PG722", message, ("files_changed", index))
    for file in changed:
        if file not in known:
            message = f"{excerpt(file)} was changed, but files_changed does not name it"
            missing = worker.problem("PG722", message, ("files_changed",))
            yield replace(missing, severity=Severity.WARNING) if context.later_round else missing


def untested_problems(folder: Folder) -> Iterator[Problem]:
    """Criteria that are mapped to a test in a file that is neither planned nor changed."""
    plan = folder.artifact(PLAN)
    if plan is None:
        return
    changed = folder.context.changed_files or ()
    known = {*plan.get("affected_files"), *_reported(folder.artifact(WORKER)), *changed}
    for key, mapped in plan.get("acceptance_mapping").items():
        for test in tests_of(mapped):
            match = _TEST_FILE.match(test)
            file = match.group() if match else test
            if file not in known:
                what = f"{excerpt(criterion_id(key))} is mapped to a test in {excerpt(file)}"
                message = f"{what}, which is neither planned nor changed"
                yield plan.problem("PG716", message, ("acceptance_mapping", key))


def fact_problems(folder: Folder) -> Iterator[Problem]:
    """What the git agent says of a commit, a branch or a pull request that is not this one."""
    git, context = folder.artifact(GIT), folder.context
    if git is None:
        return
    commit, branch, number, url = map(git.get, ("commit_sha", "branch", "pr_number", "pr_url"))
    if context.commits is not None:
        meant = {each for each in context.commits if each.lower().startswith(commit.lower())}
        if len(meant) != 1:
            what = "is not a commit of this pull request" if not meant else "could be more than one commit"
            yield git.problem("PG760", f"commit_sha {commit} {what}", ("commit_sha",))
    if context.branch is not None and branch != context.branch:
        message = f"branch is {excerpt(branch)}; this pull request comes from {excerpt(context.branch)}"
        yield git.problem("PG760", message, ("branch",))
    if None not in (context.number, number) and number != context.number:
        yield git.problem("PG760", f"pr_number is {number}; this is pull request {context.number}", ("pr_number",))
    if context.url is not None and url is not None and _plain(url) != _plain(context.url):
        yield git.problem("PG760", f"pr_url is {excerpt(url)}; this is {excerpt(context.url)}", ("pr_url",))


def _plain(url: str) -> str:
    return url.rstrip("/").lower()


def tier_problems(folder: Folder) -> Iterator[Problem]:
    """Agents of the fast tier on a complex issue."""
    if folder.complexity is not Complexity.COMPLEX:
        return
    for artifact in folder.artifacts:
        if artifact.get("tier_used") == "fast" and artifact.name != GIT:
            yield artifact.problem("PG771", "tier_used is fast, but the issue is complex", ("tier_used",))


Rule: TypeAlias = Callable[[Folder], Iterator[Problem]]
RULES: tuple[Rule, ...] = (untested_problems, scope_problems, fact_problems, tier_problems)


def own_problems(artifact: Artifact) -> tuple[Problem, ...]:
    """What is wrong in one file, whatever stands beside it."""
    return _in_order(_found(Folder(id="", where=artifact.where, artifacts=(artifact,)), (untested_problems,)))


def artifact_problems(folder: Folder) -> tuple[Problem, ...]:
    """Everything that is wrong in a folder: in each file, and between them."""
    found = _found(folder, (*RULES, order_problems, undiagnosed))
    return _in_order((*found, *bounded(state_problems(folder))))


def stage_problems(folder: Folder, stage: Stage) -> tuple[Problem, ...]:
    """What keeps a stage from being done. Its own FAIL does not: that is a word, given as it should be."""
    context = folder.context if stage.rank >= Stage.IMPLEMENT.rank else replace(folder.context, changed_files=None)
    found = _found(replace(folder.up_to(stage), context=context), RULES)
    return _in_order((*found, *bounded(state_problems(folder)), *gate_problems(folder, stage)))


def _found(folder: Folder, rules: Iterable[Rule]) -> Iterator[Problem]:
    for broken in folder.broken:
        yield from broken.problems
    for artifact in folder.artifacts:
        yield from (*artifact.problems, *own_contradictions(artifact))
    for rule in rules:
        yield from bounded(rule(folder))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """By file in the order of the stages, then by line and column."""
    return tuple(sorted(problems, key=_place))


def _place(problem: Problem) -> tuple[int, int, int]:
    where = problem.where
    name = (where.path or "").rpartition("/")[2]
    return (FILES.index(name) if name in FILES else len(FILES), where.line or 0, where.column or 0)


ENDINGS = (".json", ".yaml", ".yml")


def check_file(file: LocalFile) -> Checked:
    """What is wrong in one artifact, whatever stands beside it."""
    read = read_folder("", [file], Where())
    said = next((outcome(artifact) for artifact in read.artifacts), None)
    return Checked(path=str(file.where.path), outcome=said, problems=_in_order(_found(read, (untested_problems,))))


def check_folder(folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
    """What is wrong in the artifacts of an issue, and in what only looks like one."""
    read = read_folder(folder.rpartition("/")[2], files, Where(path=folder))
    others = (file for file in files if file.name.endswith(ENDINGS) and file.name not in (*FILES, *OTHERS))
    problems = (*artifact_problems(read), *(unknown_name(file.name, file.where) for file in others))
    outcomes = {str(item.where): outcome(item) for item in read.artifacts}
    broken = (str(item.problems[0].where.path) for item in read.broken)
    paths = dict.fromkeys((*outcomes, *broken, *(str(item.where.path) for item in problems)))
    return tuple(
        Checked(
            path=path, outcome=outcomes.get(path), problems=tuple(item for item in problems if item.where.path == path)
        )
        for path in paths
    )
