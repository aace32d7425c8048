"""Filing what agents proposed, after the decision is published: told in the log, and never a reason to take it back."""

from __future__ import annotations

from phasegate.cli.terminal import Terminal
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client
from phasegate.github.writing.proposals import file_proposals
from phasegate.model.report import Report
from phasegate.report.inert import plain
from phasegate.report.summary.proposals import issue_drafts


def file_counted(client: Client, report: Report, terminal: Terminal) -> bool:
    """File the proposals that count; whether all of them are in the tracker now."""
    drafts = issue_drafts(report)
    try:
        filed = file_proposals(client, report.repository, drafts)
    except GitHubError as error:
        terminal.complain(f"proposals of {report.repository}#{report.pull_request} could not be filed: {error}")
        return False
    for each in filed:
        told = "filed as" if each.new else "is already"
        terminal.say(f"  proposal {told} #{each.number}: {plain(each.draft.title, 200)}")
    if len(filed) < len(drafts):
        terminal.say(f"  {len(drafts) - len(filed)} more proposals are left to the next run")
    return True
