"""Annotations in a check run, after the statuses are published: a failure is told and fails the run, nothing more."""

from __future__ import annotations

from phasegate.cli.live import Decision
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client
from phasegate.github.writing.check_run import publish_check_run
from phasegate.github.writing.publish import Place
from phasegate.model.drafts import CheckDraft
from phasegate.model.report import Report
from phasegate.report.annotations import check_draft
from phasegate.report.status import status_lines


def annotate(client: Client, decision: Decision, run_url: str | None) -> str:
    """Publish the annotations of a decision; what was done, in a line."""
    report = decision.report
    draft = check_draft(report, decision.snapshot)
    _must_be_no_context(draft, report)
    place = Place(repository=report.repository, commit=report.head, url=run_url)
    try:
        written = publish_check_run(client, place, draft)
    except GitHubError as error:
        raise GitHubError(f"the statuses are written, but the annotations are not: {error}") from error
    return f"{draft.title}: check run {'written' if written else 'is there already'}"


def _must_be_no_context(draft: CheckDraft, report: Report) -> None:
    """GitHub asks for both where a check run and a required status have one name, which it compares without case."""
    if draft.name.lower() in {line.context.lower() for line in status_lines(report)}:
        raise GitHubError(f'the check run "{draft.name}" is called like a status of the gate: rename the phase')
