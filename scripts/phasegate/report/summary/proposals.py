"""Proposals of follow-up work: as a section of the summary, and as issues to file with every foreign text inert."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phasegate.model.digest import text_digest
from phasegate.model.drafts import IssueDraft
from phasegate.model.problem import Severity
from phasegate.model.report import Report, SignalReport
from phasegate.model.signal import Kind
from phasegate.model.vote import Validity
from phasegate.report.inert import BREAK, EMPTY, Links, plain, prose
from phasegate.report.summary.sections import Section
from phasegate.report.wording import role_title

LONGEST_TITLE = 120
LONGEST_DESCRIPTION = 2000
GRAVE = (Severity.ERROR, Severity.WARNING)
# In a title GitHub links nothing, but programs that pass titles on do.
LIVE = re.compile(r"[@#]|:(?=//)|www(?=\.)|(?<=GH)-", re.IGNORECASE)
CLOSING = "Filed by Phase Gate, since its input `create-issues` is on. Close it if it is not wanted."


def proposals(report: Report, links: Links) -> Section:
    """What agents propose to do beyond this pull request, and whether it can be filed."""
    beside = _failed_comments(report)
    items = tuple(_line(item, beside, links) for item in _made(report))
    return Section(items=items, things="proposals")


def issue_drafts(report: Report) -> tuple[IssueDraft, ...]:
    """The issues that the proposals which count would be, each comment's once, the oldest first."""
    beside, links = _failed_comments(report), Links.of(report)
    made = {item.id: _draft(report, item, links) for item in _made(report) if not _refusal(item, beside)}
    return tuple(made.values())


def _made(report: Report) -> Iterator[SignalReport]:
    """The proposals that stand, made by somebody who may speak."""
    for item in report.signals:
        if item.vote.signal.kind is Kind.PROPOSAL and item.vote.validity in (Validity.VALID, Validity.INVALID):
            yield item


def _failed_comments(report: Report) -> frozenset[str]:
    """The comments that hold a FAIL which is sound as it stands."""
    votes = (item.vote for item in report.signals)
    return frozenset(vote.signal.source.id for vote in votes if vote.validity is Validity.VALID and vote.failed)


def _refusal(item: SignalReport, beside: frozenset[str]) -> str:
    """Why a proposal is not filed; empty if it is."""
    grave = next((found for found in item.vote.problems if found.severity in GRAVE), None)
    if grave is not None:
        return f"{grave.code} {grave.message}"
    return "" if item.vote.signal.source.id in beside else "the verdict beside it is no FAIL that counts"


def _line(item: SignalReport, beside: frozenset[str], links: Links) -> str:
    signal = item.vote.signal
    by = "" if signal.source.author is None else f", {prose(signal.source.author.login)}"
    told = f"**{prose(signal.title) or EMPTY}** by {_speaker(item)}{by}{links.comment(signal.source.url)}"
    refusal = _refusal(item, beside)
    if refusal:
        return f"- ⚠️ {told}; not to be filed: {prose(refusal)}\n"
    return f"- {told}" + (f"<br>{prose(signal.description)}\n" if signal.description else "\n")


def _speaker(item: SignalReport) -> str:
    return prose(role_title(item.vote.role)) if item.vote.role else "an agent"


def _draft(report: Report, item: SignalReport, links: Links) -> IssueDraft:
    """An issue as it would be filed."""
    signal = item.vote.signal
    # Not of the pull request: several may close one issue, and what was proposed there is still to be filed once.
    key = text_digest(f"{report.repository.lower()} {signal.source.id}").removeprefix("sha256:")
    marker = f"<!-- phase-gate-proposal: {key} -->"
    place = report.pull_request if signal.source.issue is None else signal.source.issue
    where = f"#{place}" if place == report.pull_request else f"#{place}, for #{report.pull_request}"
    comment = links.to(signal.source.url, "a comment")
    origin = f"Follow-up work that {_speaker(item)} proposed in {comment} on {where}."
    description = prose(signal.description, LONGEST_DESCRIPTION)
    body = "\n\n".join(part for part in (f"{marker}\n{origin}", description, CLOSING) if part)
    return IssueDraft(
        marker=marker,
        title=LIVE.sub(lambda match: match[0] + BREAK, plain(signal.title, LONGEST_TITLE)),
        body=f"{body}\n",
        place=place,
        at=_first_said(report, signal.source.id),
    )


def _first_said(report: Report, source: str) -> str:
    """When a comment first held a signal; it may have been filed since, whenever it was edited."""
    sources = (item.vote.signal.source for item in report.signals)
    return min(each.at for each in sources if each.id == source)
