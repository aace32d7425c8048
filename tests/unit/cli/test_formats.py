"""formats: what a description finds in bodies and their twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasegate.cli.formats import tried
from tests.unit.cli.shell import ROOT, Shell, written
from tests.unit.dialects.described.shelf import EXAMPLES, NAMES, SHA, described, of, sample

PATHS = {
    "gsd": ".planning/phases/07-billing/07-VERIFICATION.md", "bmad": "docs/qa/gates/2.1-refunds.yml",
    "ralph": ".ralph/prd.json", "review-result": ".results/42/review-result.json",
    "ai-sdlc": f".ai-sdlc/transcript-leaves/{SHA}.jsonl",
}  # fmt: skip
SAMPLES = [(name, file.name) for name in NAMES for file in sorted((EXAMPLES / name).iterdir())]


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy that describes prflow's marker."""
    lines = (EXAMPLES / "prflow.yml").read_text(encoding="utf-8").splitlines()
    return written(tmp_path / "policy.yml", "formats:\n  prflow:\n" + "".join(f"    {line}\n" for line in lines))


# Takes too much for a pass: whatever it is, the outcome is the same.
LOOSE = """\
version: 1
formats:
  loose:
    roles: {scribe: {does: challenges}}
    in: [file]
    path: .notes/done.md
    read: {all: {whole: true, as: text}}
    role: scribe
    outcome: pass
    done: [{of: all, empty: false}]
"""


@pytest.mark.parametrize(("name", "file"), SAMPLES)
def test_try__no_twin_of_a_real_sample_counts(name: str, file: str) -> None:
    path = PATHS.get(name, file)
    assert [
        item.twin for item in tried(described(name), path, sample(f"{name}/{file}")) if item.twin and item.counts
    ] == []


def test_try__shows_spans_role_outcome_and_commit(shell: Shell, policy: Path) -> None:
    done = shell("formats", "try", EXAMPLES / "prflow" / "pass.md", "--policy", policy)
    assert done.code == 0, done
    for part in (
        f"reviewer: PASS for {SHA}",
        "form/word at 1:",
        "quoted ",
        "value outside the map",
        "empty ",
        "refused: ",
    ):
        assert part in done.out


def test_try__names_the_code_of_each_twin(shell: Shell, policy: Path) -> None:
    done = shell("formats", "try", EXAMPLES / "prflow" / "pass.md", "--policy", policy, "--json")
    twins = {item["twin"]: item for item in done.data["tried"]}
    assert set(twins) == {
        *(None, "quoted", "in another fence", "twice", "echoed before", "echoed after", "upper case", "empty"),
        "value outside the map",
    }
    assert twins["value outside the map"]["signals"][0]["problems"] == ["PG914"]
    assert twins["empty"]["signals"] == []
    assert twins[None]["counts_as_pass"]


def test_try__a_twin_that_would_pass_is_an_error(shell: Shell, tmp_path: Path) -> None:
    body = written(tmp_path / ".notes" / "done.md", "All done.\n")
    done = shell("formats", "try", body, "--policy", written(tmp_path / "loose.yml", LOOSE))
    assert (done.code, "WOULD PASS" in done.out) == (1, True), done


@pytest.mark.parametrize(("text", "said"), [
    ("<!-- prflow:review-verdict verdict=MAYBE -->\n", "not read: 0, invalid: 1"),
    ("<!-- prflow:review-result verdict=APPROVE -->\n",
     'line 1, "<!-- prflow:review-result verdict=APPROVE -->", is nearest to "prflow:review-verdict"'),
], ids=["invalid", "not read"])  # fmt: skip
def test_try__a_body_that_does_not_count_is_an_error(
    shell: Shell, policy: Path, tmp_path: Path, text: str, said: str
) -> None:
    done = shell("formats", "try", written(tmp_path / "body.md", text), "--policy", policy)
    assert (done.code, said in done.out) == (1, True), done


@pytest.mark.parametrize("arguments", [("--format", "other"), ("--policy", "nowhere.yml")])
def test_try__mistakes_of_the_user(shell: Shell, policy: Path, arguments: tuple[str, str]) -> None:
    body = EXAMPLES / "prflow" / "pass.md"
    assert shell("formats", "try", body, "--policy", policy, *arguments).is_a_mistake_of_the_user(arguments[0])


def test_try__shows_values_and_every_fault_of_the_policy(shell: Shell, policy: Path, tmp_path: Path) -> None:
    body = EXAMPLES / "prflow" / "pass.md"
    assert '"verdict": "APPROVE"' in shell("formats", "try", body, "--policy", policy).out
    wrong = written(tmp_path / "wrong.yml", "formats: {x: {in: comment, role: Judge}}\n")
    told = shell("formats", "try", body, "--policy", wrong)
    assert (told.code, "formats.x.in" in told.err, "formats.x.role" in told.err) == (2, True, True)


def test_try__a_reviewer_in_a_box_needs_no_policy(shell: Shell, tmp_path: Path) -> None:
    body = written(tmp_path / "clean.md", sample("codex/pass.md"))
    done = shell("formats", "try", body, "--format", "codex", "--policy", tmp_path / "none.yml")
    assert (done.code, "codex: PASS" in done.out) == (0, True), done


CREW = """\
roles: {security: {does: challenges}, style: {does: challenges}}
in: [comment]
read: {word: {marker: "crew:verdict", followed_by: yaml, as: yaml}}
each: word/reviewers
role: {of: key, map: {security: security, style: style}}
outcome: {of: each/decision, map: {approve: pass, deny: fail}}
"""
MEMBERS = "<!-- crew:verdict -->\n```yaml\nreviewers:\n  security: {decision: @}\n  style: {decision: approve}\n```\n"


def test_try__a_member_that_a_twin_left_alone_is_no_pass_of_the_twin() -> None:
    found = {item.twin: item for item in tried(of(CREW), "body.md", MEMBERS.replace("@", "deny"))}
    assert (found[""].counts, found["value outside the map"].counts) == (True, False)


def test_try__check_runs_have_twins_of_their_own() -> None:
    found = {item.twin: item for item in tried(of(WATCHED), "run.md", "Result: clean\n")}
    assert found[""].counts
    assert {"by another app", "by GitHub Actions", "under way", "ended as failure", "quoted", "twice"} <= set(found)
    assert [twin for twin, item in found.items() if twin and item.counts] == []


WATCHED = """\
roles: {watcher: {does: confirms}}
in: [check_run]
check: {app_id: 1210556, name: Watcher}
read: {word: {last_line: true, pattern: 'Result: (?P<word>[a-z]{1,10})'}}
role: watcher
outcome: {of: word/word, map: {clean: pass, dirty: fail}}
"""


BODIES = ROOT / "tests" / "examples" / "reviewers" / "coderabbit.yml"
BOXED = ROOT / "scripts" / "phasegate" / "dialects" / "described" / "boxed" / "coderabbit.yml"


def test_formats_check__shows_both_readings(shell: Shell, tmp_path: Path) -> None:
    same = shell("formats", "check", BODIES, "--format", "coderabbit")
    assert (same.code, "clean, all checks passed: old pass, new pass" in same.out) == (0, True), same
    text = BOXED.read_text("utf-8").replace("risk: {severity: moderate}", "risk: {severity: high}")
    newer = written(tmp_path / "newer.yml", text)
    told = shell("formats", "check", BODIES, "--format", "coderabbit", "--description", newer)
    assert told.code == 1
    assert "merge risk Moderate: old fail, new pass, expected fail CHANGED" in told.out
    posted = ("--medium", "review", "--state", "CHANGES_REQUESTED")
    approved = written(tmp_path / "approved.md", "Fine.\n")
    assert "coderabbit: FAIL" in shell("formats", "try", approved, "--format", "coderabbit", *posted).out
