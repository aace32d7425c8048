"""``git-result.json`` against the pull request it speaks of, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.dialects.pipeline_folder import Context, Folder
from phasegate.dialects.pipeline_types import Artifact, GitResult
from phasegate.model.problem import Problem
from phasegate.reading.excerpt import excerpt


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
