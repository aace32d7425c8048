"""Paths of the repository, and the scope of the work: planned, reported and really changed files against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phasegate.dialects.pipeline.folder import Context, Folder
from phasegate.dialects.pipeline.types import Artifact, Content, GitResult, Plan, WorkerResult, WorkStatus
from phasegate.model.problem import Problem
from phasegate.reading.document import JsonPath
from phasegate.reading.excerpt import excerpt

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
            yield worker.problem("PG722", message, ("files_changed",))


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
