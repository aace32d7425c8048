"""The step summary for reviewers: what to do now, where each phase is, who said what, what is wrong, the proof."""

from __future__ import annotations

from phasegate.model.report import Report
from phasegate.report.inert import prose
from phasegate.report.links import Links
from phasegate.report.next_action import next_action
from phasegate.report.summary import sections
from phasegate.report.summary.problems import problems
from phasegate.report.summary.proposals import proposals
from phasegate.report.summary.sections import Section, fitted, left_out, size
from phasegate.report.wording import STATE_MARK, phase_note, withheld_text

LIMIT = 900_000
# Room for the sentence that says what was left out.
CUT_NOTICE = 600


def summary(report: Report, limit: int = LIMIT) -> str:
    """The report as Markdown of at most ``limit`` bytes."""
    links = Links.of(report)
    parts = (
        _head(report, links),
        sections.phases(report, links),
        sections.rounds(report, links),
        sections.findings(report, links),
        proposals(report, links),
        sections.beside(report, links),
        problems(report, links),
        sections.not_counted(report, links),
        sections.acts(report, links),
        sections.route(report, links),
    )
    proof = sections.provenance(report)
    text, missing = fitted(parts, limit - size(proof))
    if missing:
        text, missing = fitted(parts, limit - size(proof) - CUT_NOTICE)
        text += left_out(missing)
    return _within(limit, text + proof, text)


def _within(limit: int, *choices: str) -> str:
    """The first choice that fits."""
    return next((text for text in choices if size(text) <= limit), "")


def _head(report: Report, links: Links) -> Section:
    title = f"## {STATE_MARK[report.state]} Phase Gate: {report.state.value} on {sections.subject(report, links)}\n\n"
    action, withheld = next_action(report), withheld_text(report)
    told = any(withheld in text for text in (action, *(phase_note(phase, report) for phase in report.phases)))
    note = "" if told else f"\n{prose(withheld)}\n"
    return Section(opening="", items=(f"{title}**Now:** {prose(action)}\n{note}",), things="headings")
