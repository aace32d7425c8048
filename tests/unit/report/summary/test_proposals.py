"""Proposals in the summary and as issues: what is filed, what is not and why, and that foreign text does nothing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from phasegate.gate import judge
from phasegate.model.plan import IssueDraft
from phasegate.model.report import Report
from phasegate.report.data import report_data
from phasegate.report.inert import BREAK
from phasegate.report.summary.page import LONGEST_TITLE, issue_drafts, summary
from tests.casebook.decided import snapshot_of
from tests.casebook.every import STORIES
from tests.casebook.world import World, verdict
from tests.unit.report.oracle import NASTY, rendering

MARKER = re.compile(r"<!-- phase-gate-proposal: [0-9a-f]{64} -->")
TITLE = "Check the expiry in the old API too"
NO_PROPOSAL = re.compile("--|[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\ud800]")


def decided(world: World) -> Report:
    """The report on a world."""
    return judge(snapshot_of(world))


def told(name: str) -> Report:
    """The report on a story."""
    return decided(STORIES[name].world())


def section(report: Report) -> str:
    """The part of the summary about proposals."""
    found = re.search(r"<summary>\d+ proposals?</summary>\n\n(.*?)\n\n", summary(report), re.DOTALL)
    return found[1] if found else ""


def one_draft(report: Report) -> IssueDraft:
    """The one issue that would be filed."""
    (draft,) = issue_drafts(report)
    return draft


def fails(*texts: str) -> World:
    """A Judge that fails the work with a proposal, once for each text."""
    world = World()
    for text in texts:
        world.say("ana", verdict("judge", "FAIL") + f"\n<!-- jkz:propose-issue: {text} -->\n")
    return world


def test_draft__links_back_and_begins_with_its_marker() -> None:
    draft = one_draft(told("proposal"))
    first, second, *_ = draft.body.splitlines()
    assert (draft.title, first, draft.place) == (TITLE, draft.marker, 7)
    assert MARKER.fullmatch(first)
    assert "[a comment](https://github.com/octo/shop/pull/7#issuecomment-105) on #7." in second
    assert "See src/api/v1/auth.py; the same token is read there." in draft.body
    on_issue = one_draft(told("proposal-on-plan"))
    assert (on_issue.place, "on #12, for #7." in on_issue.body) == (12, True)
    assert one_draft(decided(fails(TITLE).push("b").passed_by("judge"))).title == TITLE, "an older round still proposes"


def test_draft__the_marker_hides_itself_and_nothing_else() -> None:
    draft = one_draft(told("proposal"))
    whole, rest = rendering(draft.body), rendering(draft.body.removeprefix(draft.marker))
    assert (whole.links, whole.codes, len(whole.tags)) == (rest.links, rest.codes, len(rest.tags) + 1)
    assert whole.loose.endswith(rest.loose)


def test_draft__is_the_same_whichever_pull_request_closes_the_issue() -> None:
    report = told("proposal-on-plan")
    assert one_draft(report).marker == one_draft(replace(report, pull_request=8)).marker
    assert one_draft(report).marker != one_draft(replace(report, repository="octo/else")).marker
    assert one_draft(report).marker == one_draft(replace(report, repository="Octo/Shop")).marker


def test_drafts__each_comment_has_its_own_and_stays_the_same_when_edited() -> None:
    world = fails(TITLE, "Rotate the keys")
    one, other = issue_drafts(decided(world))
    assert one.marker != other.marker
    world.edit(world.comments[0], world.comments[0]["text"].replace("too", "also"), "ana")
    edited = {draft.marker: draft for draft in issue_drafts(decided(world))}
    assert (edited[one.marker].title, edited[one.marker].at) == (TITLE.replace("too", "also"), one.at)


@pytest.mark.parametrize("name", [
    *("proposal-on-pass", "proposal-on-empty-fail", "proposals-two", "proposal-quoted-beside"),
    *("proposal-without-verb", "proposal-second-bar", "proposal-restates", "proposal-too-long"),
    *("proposal-hidden-characters", "proposal-leaks", "proposal-edited-by-another"),
])  # fmt: skip
def test_drafts__none_of_a_proposal_that_does_not_count_but_it_is_shown_with_the_reason(name: str) -> None:
    report = told(name)
    assert issue_drafts(report) == ()
    assert "not to be filed: PG" in section(report)


@pytest.mark.parametrize("name", ["proposal-by-stranger", "proposal-withdrawn", "feature-green"])
def test_proposals__of_strangers_and_of_the_past_have_no_section(name: str) -> None:
    report = told(name)
    assert issue_drafts(report) == ()
    assert section(report) == ""
    assert name != "proposal-by-stranger" or "Not read: a text by eve" in summary(report)


def test_drafts__a_rule_that_the_policy_turns_off_or_down_does_not_hold_a_proposal_back() -> None:
    assert one_draft(told("proposal-rule-off")).title.startswith("[auth]")
    for severity, filed in (("notice", 1), ("warning", 0), ("error", 0)):
        world = fails("[auth] Check the old API too")
        world.policy = f"version: 1\nrules: {{PG130: {severity}}}\n"
        assert len(issue_drafts(decided(world))) == filed


def test_drafts__a_verdict_that_does_not_count_files_nothing() -> None:
    text = verdict("judge", "FAIL", commit="0" * 40)
    report = decided(World().says("ana", f"{text}\n<!-- jkz:propose-issue: {TITLE} -->\n"))
    assert issue_drafts(report) == ()
    assert "the verdict beside it is no FAIL that counts" in section(report)


def test_data__has_the_description_of_a_proposal() -> None:
    signals = report_data(told("proposal"))["signals"]
    assert isinstance(signals, list)
    (found,) = [signal for signal in signals if signal["kind"] == "proposal"]
    assert found["description"].startswith("See src/api")
    assert all("description" not in signal for signal in signals if signal["kind"] != "proposal")


def test_summary__names_the_blocks_that_were_left() -> None:
    assert "- Architect by ana" in summary(told("plan-with-blocks"))
    assert "compact-plan, adr-json, spec-map\n" in summary(told("plan-with-blocks"))
    assert "for the next role" not in summary(told("diagnosis-without-heading"))


@pytest.mark.parametrize("nasty", [text for text in NASTY if not NO_PROPOSAL.search(text)])
def test_draft__is_inert_whatever_the_proposal_says(nasty: str) -> None:
    world = fails(f"Check the old API too {nasty[:60]}".replace("|", "/").replace("\n", " ") + f" | {nasty[:1900]}")
    world.policy = "version: 1\nrules: {PG130: off}\n"
    draft = one_draft(decided(world))
    shown = rendering(draft.body.removeprefix(draft.marker))
    assert shown.tags <= {"p", "code", "a"}
    assert set(shown.links) <= {f"https://github.com/octo/shop/pull/7#issuecomment-{world.comments[0]['id']}"}
    assert "@" not in shown.loose
    assert re.findall(r"#\w+|GH-[0-9]", shown.loose) == ["#7"]
    assert len(MARKER.findall(draft.body)) == 1
    assert len(draft.title) <= LONGEST_TITLE + draft.title.count(BREAK)
    assert not re.search(r"[@#][^\u200b]|://|[\x00-\x1f\x7f-\x9f\u202a-\u202e]|^\s*::|##\[", draft.title)


def test_draft__another_marker_in_a_text_is_not_at_its_beginning() -> None:
    forged = f"<!-- phase-gate-proposal: {'0' * 64} -->".replace("<!--", "").replace("-->", "")
    draft = one_draft(decided(fails(f"Check the old API too | {forged}")))
    assert draft.body.startswith(draft.marker)
    assert "0" * 64 not in draft.marker
