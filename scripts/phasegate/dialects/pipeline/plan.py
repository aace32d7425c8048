"""The rules of ``plan.json``: numbered steps that can be carried out, files that match, a test for each criterion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from phasegate.dialects.pipeline.folder import Context, Folder
from phasegate.dialects.pipeline.types import Artifact, Content, GitResult, Plan, WorkerResult, WorkStatus
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Severity
from phasegate.reading.document import JsonPath, excerpt

_SHOWN = 8
_TEST_FILE = re.compile(r"[^\s:#>]+")


def plan_problems(plan: Artifact[Plan], changed: Sequence[str] = ()) -> Iterator[Problem]:
    """What is wrong in a plan; ``changed`` are files that the work has changed besides those planned."""
    yield from path_problems(plan, ("affected_files",), plan.content.affected_files)
    yield from _repeated_orders(plan)
    yield from _unknown_dependencies(plan)
    yield from _circles(plan)
    yield from _files(plan)
    yield from _untested(plan, changed)


def _repeated_orders(plan: Artifact[Plan]) -> Iterator[Problem]:
    first: dict[int, int] = {}
    for index, step in enumerate(plan.content.steps):
        earlier = first.setdefault(step.order, index)
        if earlier != index:
            message = f"steps[{index}] has the order {step.order}, which steps[{earlier}] has too"
            yield plan.problem("PG710", message, ("steps", index, "order"))


def _unknown_dependencies(plan: Artifact[Plan]) -> Iterator[Problem]:
    orders = {step.order for step in plan.content.steps}
    has = ", ".join(str(known) for known in sorted(orders)[:_SHOWN]) + (", …" if len(orders) > _SHOWN else "")
    for index, step in enumerate(plan.content.steps):
        for place, order in enumerate(step.depends_on):
            if order not in orders:
                message = f"step {step.order} depends on step {order}, which is not in steps (has {has})"
                yield plan.problem("PG711", message, ("steps", index, "depends_on", place))


def _circles(plan: Artifact[Plan]) -> Iterator[Problem]:
    """Each circle once, at the dependency that closes it."""
    steps = {step.order: index for index, step in reversed(list(enumerate(plan.content.steps)))}
    waiting = _waiting(plan, steps)
    seen: set[int] = set()
    for start in sorted(waiting):
        trail: list[int] = []
        order = start
        while order not in seen:
            seen.add(order)
            trail.append(order)
            order = waiting[order]
        if order in trail:
            circle = trail[trail.index(order) :]
            last = plan.content.steps[steps[circle[-1]]]
            path = ("steps", steps[circle[-1]], "depends_on", last.depends_on.index(order))
            yield plan.problem("PG712", f"the steps {_arrows([*circle, order])} wait for each other", path)


def _waiting(plan: Artifact[Plan], steps: dict[int, int]) -> dict[int, int]:
    """The steps that can never begin, each with one that it waits for in vain; by taking away those that can."""
    all_needs = {order: plan.content.steps[index].depends_on for order, index in steps.items()}
    needs = {order: {need for need in wanted if need in steps} for order, wanted in all_needs.items()}
    needed_by: dict[int, list[int]] = {order: [] for order in needs}
    for order, wanted in needs.items():
        for need in wanted:
            needed_by[need].append(order)
    open_needs = {order: len(wanted) for order, wanted in needs.items()}
    ready = [order for order, count in open_needs.items() if count == 0]
    while ready:
        for order in needed_by[ready.pop()]:
            open_needs[order] -= 1
            if open_needs[order] == 0:
                ready.append(order)
    return {
        order: next(need for need in all_needs[order] if open_needs.get(need))
        for order, count in open_needs.items()
        if count
    }


def _arrows(orders: list[int]) -> str:
    shown = [str(order) for order in orders]
    if len(shown) > _SHOWN:
        shown = [*shown[: _SHOWN - 1], "…", shown[-1]]
    return " → ".join(shown)


def _files(plan: Artifact[Plan]) -> Iterator[Problem]:
    planned = set(plan.content.affected_files)
    changed = {step.file for step in plan.content.steps}
    for index, step in enumerate(plan.content.steps):
        if step.file is not None and step.file not in planned:
            message = f"step {step.order} changes {excerpt(step.file)}, which is not in affected_files"
            yield plan.problem("PG713", message, ("steps", index, "file"))
    for index, file in enumerate(plan.content.affected_files):
        if file not in changed:
            message = f"{excerpt(file)} is in affected_files, but no step changes it"
            yield plan.problem("PG714", message, ("affected_files", index))


def _untested(plan: Artifact[Plan], changed: Sequence[str]) -> Iterator[Problem]:
    known = {*plan.content.affected_files, *changed}
    for criterion in plan.content.criteria:
        path = ("acceptance_mapping", criterion.key)
        if not criterion.tests:
            yield plan.problem("PG715", f"{excerpt(criterion.id)} is mapped to no test", path)
        for test in criterion.tests:
            match = _TEST_FILE.match(test)
            file = match.group() if match else test
            if file not in known:
                what = f"{excerpt(criterion.id)} is mapped to a test in {excerpt(file)}"
                message = f"{what}, which is neither planned nor changed"
                yield plan.problem("PG716", message, path)


_NO_SEGMENTS = ("", ".", "..")


def path_problems(artifact: Artifact[Content], path: JsonPath, files: Sequence[str]) -> Iterator[Problem]:
    """The entries of a list that are no paths of a repository."""
    for index, file in enumerate(files):
        if not is_repository_path(file):
            message = f"{excerpt(file)} is not a path from the root of the repository"
            yield artifact.problem("PG717", message, (*path, index))


def is_repository_path(path: str) -> bool:
    """Whether a path is written as git writes it."""
    rooted = path.startswith("~") or "\\" in path or not path.isprintable()
    return not rooted and not any(segment in _NO_SEGMENTS for segment in path.split("/"))


def scope_problems(folder: Folder) -> Iterator[Problem]:
    """Where the files that were planned, reported and changed are not the same."""
    plan, worker, context = folder.plan, folder.worker, folder.context
    if plan is not None:
        yield from _outside(plan, worker, context)
        yield from _untouched(plan, worker, context)
    if worker is not None and context.changed_files is not None:
        yield from _misreported(worker, context)


def _outside(plan: Artifact[Plan], worker: Artifact[WorkerResult] | None, context: Context) -> Iterator[Problem]:
    planned = set(plan.content.affected_files)
    reported = set(worker.content.files_changed if worker else ())
    if worker is not None:
        for index, file in enumerate(worker.content.files_changed):
            if file not in planned and context.of_work([file]):
                message = f"{excerpt(file)} was changed, but is not in the plan's affected_files"
                yield worker.problem("PG720", message, ("files_changed", index))
    for file in context.of_work(context.changed_files or ()):
        if file not in planned and file not in reported and file not in context.of_others:
            message = f"{excerpt(file)} was really changed, but is not in the plan's affected_files"
            yield _to_blame(plan, worker, message)


def _to_blame(plan: Artifact[Plan], worker: Artifact[WorkerResult] | None, message: str) -> Problem:
    """What was changed beyond the plan, told of the worker's report once there is one."""
    if worker is None:
        return plan.problem("PG720", message, ("affected_files",))
    return worker.problem("PG720", message, ("files_changed",))


def _untouched(plan: Artifact[Plan], worker: Artifact[WorkerResult] | None, context: Context) -> Iterator[Problem]:
    if context.changed_files is not None:
        changed = set(context.changed_files)
    elif worker is not None and worker.content.status is WorkStatus.COMPLETED:
        changed = set(worker.content.files_changed)
    else:
        return
    for index, file in enumerate(plan.content.affected_files):
        if file not in changed:
            message = f"{excerpt(file)} is planned, but was not changed"
            yield plan.problem("PG721", message, ("affected_files", index))


def _misreported(worker: Artifact[WorkerResult], context: Context) -> Iterator[Problem]:
    reported, changed = set(worker.content.files_changed), context.of_work(context.changed_files or ())
    really = set(changed)
    for index, file in enumerate(worker.content.files_changed):
        if file not in really and context.of_work([file]):
            message = f"files_changed names {excerpt(file)}, which was not changed"
            yield worker.problem("PG722", message, ("files_changed", index))
    for file in changed:
        if file not in reported and file not in context.of_others:
            message = f"{excerpt(file)} was changed, but files_changed does not name it"
            missing = worker.problem("PG722", message, ("files_changed",))
            yield replace(missing, severity=Severity.WARNING) if context.later_round else missing


def fact_problems(folder: Folder) -> Iterator[Problem]:
    """What the git agent says of a commit, a branch or a pull request that is not this one."""
    if folder.git is not None:
        yield from _commit(folder.git, folder.context)
        yield from _pull_request(folder.git, folder.context)


def _commit(git: Artifact[GitResult], context: Context) -> Iterator[Problem]:
    named = git.content.commit_sha.lower()
    if context.commits is not None:
        meant = [commit for commit in context.commits if commit.lower().startswith(named)]
        if len(set(meant)) != 1:
            what = "is not a commit of this pull request" if not meant else "could be more than one commit"
            yield git.problem("PG760", f"commit_sha {git.content.commit_sha} {what}", ("commit_sha",))
    if context.branch is not None and git.content.branch != context.branch:
        message = f"branch is {excerpt(git.content.branch)}; this pull request comes from {excerpt(context.branch)}"
        yield git.problem("PG763", message, ("branch",))


def _pull_request(git: Artifact[GitResult], context: Context) -> Iterator[Problem]:
    content = git.content
    if None not in (context.number, content.pr_number) and content.pr_number != context.number:
        message = f"pr_number is {content.pr_number}; this is pull request {context.number}"
        yield git.problem("PG761", message, ("pr_number",))
    if context.url is not None and content.pr_url is not None and _plain(content.pr_url) != _plain(context.url):
        message = f"pr_url is {excerpt(content.pr_url)}; this is {excerpt(context.url)}"
        yield git.problem("PG762", message, ("pr_url",))


def _plain(url: str) -> str:
    return url.rstrip("/").lower()
