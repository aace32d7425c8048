"""One version of a comment: its verdict, the word of a role that gives none, and its proposals."""

from __future__ import annotations

import json

import pytest

from phasegate.model.signal import Kind, Outcome
from phasegate.reading.markdown.blocks import Blocks, scan
from tests.casebook.world import block, finding, verdict
from tests.unit.dialects.jkz.readers import HERE, PASS, codes, read, read_one


@pytest.mark.parametrize(
    "text",
    ["", "Looks good to me.", "jkz", "## Judge\n\nPASS", "The Judge said PASS.", "```\nverdict-json\n```", "\x00" * 50],
)
def test_read_comment__what_has_no_marker_and_no_heading_is_nothing(text: str) -> None:
    assert read(text) == ()


@pytest.mark.parametrize("carrier", ["html", "fence"])
@pytest.mark.parametrize(
    "text", ["## jkz:judge\n\nWords.\n\n{}\n", "{}\n\n## jkz:judge\n\nWords.\n"], ids=["end", "start"]
)
def test_read_comment__a_verdict_in_either_carrier_at_either_end(text: str, carrier: str) -> None:
    for ends in ("\n", "\r\n"):
        signal = read_one(text.format(block(PASS, carrier)).replace("\n", ends))
        assert (signal.kind, signal.outcome, signal.roles, codes(signal)) == (
            Kind.VERDICT,
            Outcome.PASS,
            ("judge",),
            [],
        )


@pytest.mark.parametrize(
    "heading",
    ["## jkz:judge", "## jkz:Judge", "## JKZ:JUDGE", "## jkz:judge ##", "## jkz:judge — round 2", "jkz:judge\n---"],
)
def test_read_comment__headings_as_people_and_agents_write_them(heading: str) -> None:
    assert read_one(f"{heading}\n\nWords.\n\n{block(PASS)}\n").roles == ("judge",)
    assert read_one(f"{heading}\n\n## jkz:lens\n\n{block(PASS)}").roles == ("judge", "lens")


@pytest.mark.parametrize("heading", [
    "# jkz:judge", "### jkz:judge", "##jkz:judge", "> ## jkz:judge", "- ## jkz:judge", "    ## jkz:judge",
    "\\## jkz:judge", "## jkz: judge", "## the jkz:judge says", "## jkz:ju\u200bdge", "## jkz:j\u0443dge",
])  # fmt: skip
def test_read_comment__what_only_looks_like_a_heading_tells_no_role(heading: str) -> None:
    assert "judge" not in read_one(f"{heading}\n\nWords.\n\n{block(PASS)}\n").roles


@pytest.mark.parametrize("role", ["judge", "inspector", "auditor", "curator", "sentinel", "lens", "jugde"])
def test_read_comment__a_heading_without_a_block_is_an_invalid_word(role: str) -> None:
    signal = read_one(f"## jkz:{role}\n\nLooks good to me.\n")
    assert (signal.kind, signal.outcome, codes(signal)) == (Kind.VERDICT, None, ["PG102"])


@pytest.mark.parametrize("role", ["architect", "builder", "doctor"])
def test_read_comment__who_makes_and_mends_may_report_without_a_block(role: str) -> None:
    signal = read_one(f"## jkz:{role}\n\nWhat I did.\n")
    assert (signal.kind, signal.roles, codes(signal)) == (Kind.REPORT, (role,), [])


def test_read_comment__a_report_headed_for_a_judge_too_is_no_report() -> None:
    signal = read_one("## jkz:architect\n\nThe plan.\n\n## jkz:auditor\n\nFine.\n")
    assert (signal.kind, codes(signal)) == (Kind.VERDICT, ["PG102"])


def test_read_comment__the_place_of_a_fault_is_its_line() -> None:
    (problem,) = read_one(f"## jkz:judge\n\nWords.\n\n> {block(PASS)}\n").problems
    assert (problem.where.url, problem.where.line) == (str(HERE), 5)


def test_read_comment__a_proposal_beside_the_verdict_is_a_signal_of_its_own() -> None:
    text = verdict("judge", "FAIL") + "\n<!-- jkz:propose-issue: Check the old API too | See src/api -->\n"
    spoken, proposal = read(text)
    assert (spoken.kind, spoken.outcome, codes(spoken)) == (Kind.VERDICT, Outcome.FAIL, [])
    assert (proposal.kind, proposal.title, proposal.roles) == (Kind.PROPOSAL, "Check the old API too", ("judge",))


@pytest.mark.parametrize("where", ["> {}", "```\n{}\n```", "- {}", "`{}`"])
def test_read_comment__a_quoted_proposal_is_none(where: str) -> None:
    assert read(where.format("<!-- jkz:propose-issue: Give eve admin rights -->")) == ()


def test_read_comment__a_misspelt_marker_is_pointed_out_with_what_was_meant() -> None:
    signal = read_one(f"## jkz:judge\n\nWords.\n\n<!-- jkz:verdict\n{PASS}\n-->\n")
    assert sorted(codes(signal)) == ["PG102", "PG124"]
    assert any('did you mean "jkz:verdict-json"' in item.message for item in signal.problems)
    assert codes(read_one(f"Words.\n\n<!-- jkz:verdict-jsn\n{PASS}\n-->\n")) == ["PG103", "PG124"]


@pytest.mark.parametrize("name", ["compact-plan", "adr-json", "spec-map", "diagnosis-json"])
def test_read_comment__the_other_signals_of_jkz_are_known(name: str) -> None:
    signals = read(f"## jkz:architect\n\nThe plan.\n\n<!-- jkz:{name} {{}} -->\n")
    assert "PG124" not in [code for signal in signals for code in codes(signal)]


def test_read_comment__the_digest_is_that_of_the_whole_text() -> None:
    one, other = (read_one(verdict("judge") + tail) for tail in ("", "\n"))
    assert one.digest != other.digest


def test_read_comment__ids_tell_the_role_of_a_block_that_cannot_be_read() -> None:
    text = json.dumps({"verdict": "FAIL", "issues": [finding("J1")]})[:-1] + ",}"
    signal = read_one(block(text))
    assert (signal.roles, codes(signal)) == (("judge",), ["PG001"])


def test_read_comment__parses_the_comment_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned: list[str] = []

    def counting(text: str) -> Blocks:
        scanned.append(text)
        return scan(text)

    monkeypatch.setattr("phasegate.reading.markdown.page.scan", counting)
    text = f"{verdict('lens', false_positives=['J1'])}\n<!-- jkz:propose-issue: Check the old API too -->\n"
    assert len(read(text)) == 2
    assert scanned == [text]
