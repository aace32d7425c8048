"""The rules of an issue's folder. In: its files. Out: everything wrong in them and between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Checked, LocalFile
from phasegate.dialects.pipeline.artifact import (
    ARTIFACT_OF,
    SAYING,
    STAGES,
    Artifact,
    Complexity,
    Stage,
    as_warning,
    outcome,
    read_artifact,
    unknown_name,
)
from phasegate.dialects.pipeline.contradictions import bounded, criterion_id, own_contradictions, tests_of
from phasegate.dialects.pipeline.declaration import DEBUG, FILES, FOLDER, GIT, OTHERS, PLAN, REVIEW, STATE, TEST, WORKER
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Outcome
from phasegate.reading.document import JsonPath, excerpt

ISSUE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", re.ASCII)
_TEST_FILE = re.compile(r"[^\s:#>]+")
_NUMBER = re.compile(r"(?:.*[^0-9])?0*([1-9][0-9]{0,14})", re.ASCII | re.DOTALL)
_TRIVIAL = "Let the stages run in order; if the issue is trivial, say so by its label or by --complexity trivial."


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What is known of the pull request or the working tree; None for anything unknown.

    ``commits`` are full ids of all present and former commits of the pull request. ``evidence`` are folders whose
    files are not part of the work. ``asked`` are the required artifacts, if the policy requires only some.
    ``of_others`` are files reported by the workers of other issues. In a ``later_round`` a worker may report only what
    that round changed.
    """

    changed_files: tuple[str, ...] | None = None
    commits: tuple[str, ...] | None = None
    branch: str | None = None
    number: int | None = None
    url: str | None = None
    issues: tuple[int, ...] | None = None
    complexity: Complexity | None = None
    evidence: tuple[str, ...] = (f"{FOLDER}/",)
    asked: frozenset[str] | None = None
    later_round: bool = False
    of_others: frozenset[str] = frozenset()

    def is_work(self, path: str) -> bool:
        """True if a path is part of the work, not a file of the pipeline."""
        return not (path.startswith(self.evidence) and path.rpartition("/")[2] in (*FILES, *OTHERS))


@dataclass(frozen=True, kw_only=True, slots=True)
class Folder:
    """The artifacts of one issue, broken ones included."""

    id: str
    where: Where
    parts: tuple[Artifact, ...] = ()
    context: Context = Context()

    def artifact(self, name: str) -> Artifact | None:
        """A readable file of the folder, or None."""
        return next((item for item in self.parts if item.name == name and not item.broken), None)

    def get(self, name: str, *path: str) -> Any:  # noqa: ANN401  (its schema knows the type)
        """A value in one of its files, or None."""
        found = self.artifact(name)
        return None if found is None else found.get(*path)

    @property
    def complexity(self) -> Complexity | None:
        """How hard the issue is: complex if anybody says so, or else by the plan, or else by outside knowledge."""
        planned = self.get(PLAN, "complexity")
        told = (Complexity(planned) if planned else None, self.context.complexity)
        return Complexity.COMPLEX if Complexity.COMPLEX in told else told[0] or told[1]

    def has(self, name: str) -> bool:
        """True if a file is there, even a broken one."""
        return any(item.name == name for item in self.parts)

    def is_broken(self, name: str) -> bool:
        """True if a file is there but unreadable. Then only that is reported, not what follows from it."""
        return self.has(name) and self.artifact(name) is None

    def asks_for(self, stage: Stage) -> bool:
        """True if the artifact of a stage must be there before those of later stages."""
        asked = self.context.asked is None or ARTIFACT_OF[stage] in self.context.asked
        return asked and (stage is not Stage.PLAN or self.complexity is not Complexity.TRIVIAL)

    def file(self, name: str) -> Where:
        """Where a file of the folder is, or would be."""
        path = f"{self.where.path}/{name}" if self.where.path else name
        return Where(url=self.where.url, path=path)


def read_folder(name: str, files: Iterable[LocalFile], where: Where, context: Context = Context()) -> Folder:  # noqa: B008  (it is frozen)
    """The folder of an issue. Files unknown to the pipeline are ignored."""
    parts = (read_artifact(file.name, file.text, file.where) for file in files if file.name in FILES)
    return folder_of(name, parts, where, context)


def folder_of(name: str, parts: Iterable[Artifact], where: Where, context: Context) -> Folder:
    """The folder of an issue, from its parsed files.

    The planner's notes are optional and decide nothing, so their problems are warnings.
    """
    ordered = sorted(parts, key=lambda part: FILES.index(part.name))
    told = (
        replace(part, problems=tuple(map(as_warning, part.problems))) if part.name == STATE else part
        for part in ordered
    )
    return Folder(id=name, where=where, parts=tuple(told), context=context)


# ---- between the files


def scope_problems(folder: Folder) -> Iterator[Problem]:
    """Differences between the files planned, reported and changed."""
    plan, worker, context = folder.artifact(PLAN), folder.artifact(WORKER), folder.context
    reported: list[str] = folder.get(WORKER, "files_changed") or []
    work = [(index, file) for index, file in enumerate(reported) if context.is_work(file)]
    changed = [file for file in context.changed_files or () if context.is_work(file)]
    named = {*reported, *context.of_others}
    if plan is not None:
        planned = dict.fromkeys(plan.get("affected_files"))
        blamed, key = (plan, "affected_files") if worker is None else (worker, "files_changed")
        beyond: list[tuple[str, JsonPath]] = [(file, (key, index)) for index, file in work if file not in planned]
        beyond += [(file, (key,)) for file in changed if file not in planned and file not in named]
        for file, path in beyond:
            yield blamed.problem("PG720", f"{excerpt(file)} is outside of the plan", path)
        done = reported if folder.get(WORKER, "status") == "completed" else planned
        touched = set(done if context.changed_files is None else context.changed_files)
        for index, file in enumerate(plan.get("affected_files")):
            if file not in touched:
                message = f"{excerpt(file)} is planned, but was not changed"
                yield plan.problem("PG721", message, ("affected_files", index))
    if worker is not None and context.changed_files is not None:
        really = set(changed)
        for index, file in work:
            if file not in really:
                message = f"files_changed names {excerpt(file)}, which was not changed"
                yield worker.problem("PG722", message, ("files_changed", index))
        for file in changed:
            if file not in named:
                message = f"{excerpt(file)} was changed, but files_changed does not name it"
                missing = worker.problem("PG722", message, ("files_changed",))
                yield as_warning(missing) if context.later_round else missing


def untested_problems(folder: Folder) -> Iterator[Problem]:
    """Criteria mapped to a test in a file that is neither planned nor changed."""
    plan = folder.artifact(PLAN)
    if plan is None:
        return
    changed = folder.context.changed_files or ()
    known = {*plan.get("affected_files"), *(folder.get(WORKER, "files_changed") or ()), *changed}
    for key, mapped in plan.get("acceptance_mapping").items():
        for test in tests_of(mapped):
            match = _TEST_FILE.match(test)
            file = match.group() if match else test
            if file not in known:
                what = f"{excerpt(criterion_id(key))} is mapped to a test in {excerpt(file)}"
                message = f"{what}, which is neither planned nor changed"
                yield plan.problem("PG716", message, ("acceptance_mapping", key))


def fact_problems(folder: Folder) -> Iterator[Problem]:
    """Statements of the git agent about another commit, branch or pull request."""
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
    if None not in (context.url, url) and url.rstrip("/").lower() != str(context.url).rstrip("/").lower():
        yield git.problem("PG760", f"pr_url is {excerpt(url)}; this is {excerpt(str(context.url))}", ("pr_url",))


def tier_problems(folder: Folder) -> Iterator[Problem]:
    """Agents of the fast tier on a complex issue."""
    if folder.complexity is not Complexity.COMPLEX:
        return
    for part in folder.parts:
        if part.get("tier_used") == "fast" and part.name != GIT and not part.broken:
            yield part.problem("PG771", "tier_used is fast, but the issue is complex", ("tier_used",))


Rule: TypeAlias = Callable[[Folder], Iterator[Problem]]
RULES: tuple[Rule, ...] = (untested_problems, scope_problems, fact_problems, tier_problems)


# ---- the planner's notes against the files


def another_issue(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """A state that belongs to another folder, or to an issue that the pull request does not close."""
    issue, number = state.get("issue"), state.get("issue_number")
    names = {str(told) for told in (issue, number) if told is not None}
    match = _NUMBER.fullmatch(folder.id)
    if names and folder.id not in names and (match is None or int(match[1]) != number):
        told = " and ".join(excerpt(name) for name in sorted(names))
        message = f"state.yaml belongs to {told}, but is in the folder of {excerpt(folder.id)}"
        yield state.problem("PG780", message, ("issue",) if issue is not None else ("issue_number",))
    issues = folder.context.issues
    if issues is not None and number is not None and number not in issues:
        linked = ", ".join(f"#{each}" for each in issues) or "none"
        message = f"issue_number is {number}, which is not linked to this pull request (linked: {linked})"
        yield state.problem("PG780", message, ("issue_number",))


def other_records(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """Stages noted with another result or file than they have."""
    for stage, record in (state.get("stages") or {}).items():
        name = ARTIFACT_OF.get(Stage(stage)) if stage in list(Stage) else None
        if name is None or not record:
            continue
        path, left = ("stages", stage), record.get("artifact_path")
        if left is not None and not f"/{left}".endswith(f"/{folder.id}/{name}"):
            message = f"artifact_path is {excerpt(left)}; the stage {stage} leaves …/{folder.id}/{name}"
            yield state.problem("PG782", message, (*path, "artifact_path"))
        elif left is not None and not folder.has(name):
            message = f"artifact_path names {name}, which is not in the folder"
            yield state.problem("PG782", message, (*path, "artifact_path"))
        noted = str(record.get("result") or "").upper()
        ended = stage_outcome(folder, Stage(stage))
        said = "SKIP" if ended is None else "PASS" if ended in PASSED else "FAIL"
        if noted and folder.artifact(name) is not None and noted != said:
            message = f"stages.{stage}.result is {noted}, but {name} says {said}"
            yield state.problem("PG782", message, (*path, "result"))


def ahead(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """Stages noted as done that are not, and work noted as stopped that is not."""
    current, key = state.get("current_stage"), "current_stage"
    done = [stage for stage in STAGES if current is not None and stage.rank < Stage(current).rank]
    if state.get("status") == "completed":
        done, key = list(STAGES), "status"
    if state.get("status") in ("failed", "paused") and all(passed(folder, stage) for stage in STAGES[1:4]):
        message = f"status is {state.get('status')}, but work, tests and review have passed"
        yield state.problem("PG782", message, ("status",))
    for stage in done:
        name = ARTIFACT_OF[stage]
        if folder.is_broken(name) or (stage is Stage.PLAN and folder.complexity is Complexity.TRIVIAL):
            continue
        if not passed(folder, stage):
            how = "has not passed" if folder.has(name) else "is not there"
            yield state.problem("PG782", f"{key} is {state.get(key)}, but {name} {how}", (key,))


def other_criteria(folder: Folder, state: Artifact) -> Iterator[Problem]:
    """Criteria that are not in the plan, or noted as met but not."""
    criteria, plan = state.get("acceptance_criteria") or [], folder.artifact(PLAN)
    mapping = {} if plan is None else plan.get("acceptance_mapping")
    planned = {criterion_id(key): tests_of(mapped) for key, mapped in mapping.items()}
    for index, criterion in enumerate(criteria):
        path, name, tests = ("acceptance_criteria", index), criterion["id"], tests_of(criterion.get("test_mapped"))
        if plan is not None and name not in planned:
            message = f"the criterion {excerpt(name)} is not in the plan's acceptance_mapping"
            yield state.problem("PG782", message, (*path, "id"))
        elif plan is not None and tests and set(tests) != set(planned[name]):
            here, there = (", ".join(map(excerpt, each[:2])) or "no test" for each in (tests, planned[name]))
            message = f"{excerpt(name)} is mapped to {here}, in {PLAN} to {there}"
            yield state.problem("PG782", message, (*path, "test_mapped"))
        stage = {"implemented": Stage.IMPLEMENT, "verified": Stage.TEST}.get(criterion.get("status"))
        if stage is not None and not folder.is_broken(ARTIFACT_OF[stage]) and not passed(folder, stage):
            message = f"{excerpt(name)} is {criterion['status']}, but {ARTIFACT_OF[stage]} does not say so"
            yield state.problem("PG782", message, (*path, "status"))
    noted = {criterion["id"] for criterion in criteria}
    for name in planned:
        if noted and name not in noted:
            message = f"the plan's criterion {excerpt(name)} is not among acceptance_criteria"
            yield state.key_problem("PG782", message, ("acceptance_criteria",))


def state_problems(folder: Folder) -> Iterator[Problem]:
    """Contradictions between the planner's notes and the files."""
    state = folder.artifact(STATE)
    if state is not None:
        for rule in (another_issue, other_records, ahead, other_criteria):
            yield from rule(folder, state)


# ---- the order of the stages

PASSED = (Outcome.PASS, Outcome.COMPLETE)


def stage_outcome(folder: Folder, stage: Stage) -> Outcome | None:
    """The outcome of a stage's artifact; None if it is missing or broken."""
    artifact = folder.artifact(ARTIFACT_OF[stage])
    return None if artifact is None else outcome(artifact)


def passed(folder: Folder, stage: Stage) -> bool:
    """True if the artifact of a stage lets the next stage begin."""
    return stage_outcome(folder, stage) in PASSED


def order_problems(folder: Folder) -> Iterator[Problem]:
    """Artifacts that build on others which are missing or have not passed."""
    missing: list[str] = []
    for stage in STAGES:
        name = ARTIFACT_OF[stage]
        if folder.has(name):
            if missing:
                are = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
                artifact = folder.artifact(name)
                where = folder.file(name) if artifact is None else artifact.where.at(artifact.document.position(), "$")
                yield problem("PG790", f"{name} is there, but {are}", where, hint=_TRIVIAL if PLAN in missing else "")
            missing = []
        elif folder.asks_for(stage):
            missing.append(name)
    for earlier, later in pairwise(STAGES):
        if passed(folder, later):
            yield from _not_passed(folder, earlier, f"{ARTIFACT_OF[later]} stands on it")


def _not_passed(folder: Folder, stage: Stage, therefore: str) -> Iterator[Problem]:
    artifact = folder.artifact(ARTIFACT_OF[stage])
    if artifact is not None and artifact.kind in SAYING and not passed(folder, stage):
        key = SAYING[artifact.kind]
        says = f"says {artifact.get(key)} and " if artifact.get(key) else ""
        yield artifact.problem("PG791", f"{artifact.name} {says}has not passed, but {therefore}", (key,))


def undiagnosed(folder: Folder) -> Iterator[Problem]:
    """Failures without a diagnosis, and without a fix named by the tester."""
    told = (TEST, REVIEW) if folder.has(DEBUG) else (TEST,) if folder.get(TEST, "inline_triage") else ()
    for artifact in (folder.artifact(name) for name in (TEST, REVIEW) if name not in told):
        if artifact is not None and artifact.get("verdict") == "FAIL":
            yield artifact.problem("PG752", f"{artifact.name} says FAIL, but there is no {DEBUG}", ("verdict",))


def gate_problems(folder: Folder, stage: Stage) -> Iterator[Problem]:
    """What keeps a stage from being done: missing artifacts, and earlier ones that have not passed."""
    for each in STAGES[: STAGES.index(stage) + 1]:
        name = ARTIFACT_OF[each]
        if each is not stage and folder.has(name):
            yield from _not_passed(folder, each, f"the stage {stage.value} comes after it")
        elif not folder.has(name) and folder.asks_for(each):
            message = f"the stage {stage.value} needs {name}, which is missing"
            yield problem("PG792", message, folder.file(name), hint=_TRIVIAL if name == PLAN else "")


# ---- all of it together


def own_problems(artifact: Artifact) -> tuple[Problem, ...]:
    """What is wrong in one file on its own."""
    return _in_order(_found(Folder(id="", where=artifact.where, parts=(artifact,)), (untested_problems,)))


def artifact_problems(folder: Folder) -> tuple[Problem, ...]:
    """Everything wrong in a folder: in each file, and between them."""
    return _in_order(_found(folder, (*RULES, order_problems, undiagnosed, state_problems)))


def stage_problems(folder: Folder, stage: Stage) -> tuple[Problem, ...]:
    """What keeps a stage from being done. Its own FAIL does not: that is a proper word.

    Only the state and the artifacts up to this stage are read, without copies.
    """
    names = [STATE, *(name for each, name in ARTIFACT_OF.items() if each.rank <= stage.rank)]
    context = folder.context if stage.rank >= Stage.IMPLEMENT.rank else replace(folder.context, changed_files=None)
    up_to = replace(folder, parts=tuple(part for part in folder.parts if part.name in names), context=context)
    beside = (*bounded(state_problems(folder)), *gate_problems(folder, stage))
    return _in_order((*_found(up_to, RULES), *beside))


def _found(folder: Folder, rules: Iterable[Rule]) -> Iterator[Problem]:
    for part in folder.parts:
        yield from part.problems
        yield from () if part.broken else own_contradictions(part)
    for rule in rules:
        yield from bounded(rule(folder))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems by file in the order of the stages, then by line and column."""

    def place(item: Problem) -> tuple[int, int, int]:
        name = (item.where.path or "").rpartition("/")[2]
        return (FILES.index(name) if name in FILES else len(FILES), item.where.line or 0, item.where.column or 0)

    return tuple(sorted(problems, key=place))


def check_file(file: LocalFile) -> Checked:
    """What is wrong in one artifact on its own."""
    artifact = read_artifact(file.name, file.text, file.where)
    return Checked(path=str(file.where.path), outcome=outcome(artifact), problems=own_problems(artifact))


def check_folder(folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
    """What is wrong in the artifacts of an issue, and in files that only look like one."""
    read = read_folder(folder.rpartition("/")[2], files, Where(path=folder))
    known, endings = (*FILES, *OTHERS), (".json", ".yaml", ".yml")
    others = (file for file in files if file.name.endswith(endings) and file.name not in known)
    problems = (*artifact_problems(read), *(unknown_name(file.name, file.where) for file in others))
    outcomes = {str(part.where): outcome(part) for part in read.parts}
    return tuple(
        Checked(
            path=path, outcome=outcomes.get(path), problems=tuple(item for item in problems if item.where.path == path)
        )
        for path in dict.fromkeys((*outcomes, *(str(item.where.path) for item in problems)))
    )
