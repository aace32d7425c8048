"""formats: what a description finds in bodies and their twins; descriptions learnt from some, judged on others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.cli.learning import learn, tried
from phasegate.model.signal import Outcome
from tests.unit.cli.shell import HOSTILE, Shell
from tests.unit.dialects.described.shelf import EXAMPLES, NAMES, SHA, data_of, described, of, sample

PATHS = {
    "gsd": ".planning/phases/07-billing/07-VERIFICATION.md",
    "bmad": "docs/qa/gates/2.1-refunds.yml",
    "ralph": ".ralph/prd.json",
    "review-result": ".results/42/review-result.json",
    "ai-sdlc": f".ai-sdlc/transcript-leaves/{SHA}.jsonl",
}
SAMPLES = [(name, file.name) for name in NAMES for file in sorted((EXAMPLES / name).iterdir())]
OTHER = "0123456789abcdef0123456789abcdef01234567"
LEARNT = (
    "agent-response",
    "al-runner",
    "dev-loops",
    "marked-json",
    "marker-words",
    "message-schema",
    "plain-fence",
    "prflow",
)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """A policy that describes prflow's marker."""
    text = (EXAMPLES / "prflow.yml").read_text(encoding="utf-8")
    path = tmp_path / "policy.yml"
    path.write_text("formats:\n  prflow:\n" + "".join(f"    {line}\n" for line in text.splitlines()), encoding="utf-8")
    return path


def loose(tmp_path: Path) -> Path:
    """A policy whose format takes too much for a pass: whatever it is, the outcome is the same."""
    path = tmp_path / "loose.yml"
    path.write_text(
        "version: 1\nformats:\n  loose:\n    roles: {scribe: {does: challenges}}\n    in: [file]\n"
        "    path: .notes/done.md\n    read: {all: {whole: true, as: text}}\n    role: scribe\n    outcome: pass\n"
        "    done: [{of: all, empty: false}]\n",
        encoding="utf-8",
    )
    return path


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


def test_try__a_body_that_is_not_read_is_said_with_the_nearest_line(shell: Shell, policy: Path, tmp_path: Path) -> None:
    body = tmp_path / "body.md"
    body.write_text("<!-- prflow:review-result verdict=APPROVE -->\n", encoding="utf-8")
    done = shell("formats", "try", body, "--policy", policy)
    assert done.code == 1
    assert 'line 1, "<!-- prflow:review-result verdict=APPROVE -->", is nearest to "prflow:review-verdict"' in done.out


def test_try__a_twin_that_would_pass_is_an_error(shell: Shell, tmp_path: Path) -> None:
    body = tmp_path / ".notes" / "done.md"
    body.parent.mkdir()
    body.write_text("All done.\n", encoding="utf-8")
    done = shell("formats", "try", body, "--policy", loose(tmp_path))
    assert (done.code, "WOULD PASS" in done.out) == (1, True), done


@pytest.mark.parametrize("arguments", [("--format", "other"), ("--policy", "nowhere.yml")])
def test_try__mistakes_of_the_user(shell: Shell, policy: Path, arguments: tuple[str, str]) -> None:
    body = EXAMPLES / "prflow" / "pass.md"
    assert shell("formats", "try", body, "--policy", policy, *arguments).is_a_mistake_of_the_user(arguments[0])


@pytest.mark.parametrize("name", LEARNT)
def test_learn__from_two_samples_reads_others_of_the_same_format(name: str) -> None:
    good, bad = (sample(f"{name}/{file}.md") for file in ("pass", "fail"))
    found = learn([good, bad], [Outcome.PASS, Outcome.FAIL], "our-reviewer")
    assert found is not None
    dialect = of(json.dumps(found))
    for body, outcome in ((good, Outcome.PASS), (bad, Outcome.FAIL)):
        other = body.replace(SHA, OTHER).replace("d593624b", OTHER[:8])
        own, *twins = tried(dialect, "body.md", other)
        assert [(each.outcome, each.roles) for each in own.signals] == [(outcome, ("our-reviewer",))]
        assert not any(twin.counts for twin in twins)


def test_learn__other_samples_of_the_shelf() -> None:
    bodies = [sample(f"marker-words/{name}.md") for name in ("pass", "fail")]
    found = learn(bodies, [Outcome.PASS, Outcome.FAIL], "our-reviewer")
    dialect = of(json.dumps(found))
    (own, *_) = tried(dialect, "body.md", sample("marker-words/other-veto.md"))
    assert [each.outcome for each in own.signals] == [Outcome.PASS]
    unknown = sample("marker-words/pass.md").replace(":ok:", ":fine:")
    (own, *_) = tried(dialect, "body.md", unknown)
    assert [each.outcome for each in own.signals] == [None]


def test_learn__prints_a_description_that_try_takes(shell: Shell, tmp_path: Path) -> None:
    good, bad = EXAMPLES / "dev-loops" / "pass.md", EXAMPLES / "dev-loops" / "fail.md"
    done = shell("formats", "learn", f"{good}=pass", f"{bad}=fail", "--name", "loops", "--role", "gatekeeper")
    assert done.code == 0, done
    path = tmp_path / "learnt.yml"
    path.write_text(done.out, encoding="utf-8")
    tries = shell("formats", "try", good, bad, "--policy", path, "--format", "loops")
    assert (tries.code, "gatekeeper: FAIL" in tries.out) == (0, True), tries
    data = shell("formats", "learn", f"{good}=pass", f"{bad}=fail", "--json").data
    assert data_of(json.dumps(data["formats"]["our-review"]))["role"] == "our-reviewer"


def test_learn__sentences_that_begin_alike_are_no_format(shell: Shell, tmp_path: Path) -> None:
    for name, text in (("a", "Looks right to me.\n"), ("b", "Looks wrong to me.\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = shell("formats", "learn", f"{tmp_path / 'a'}=pass", f"{tmp_path / 'b'}=fail")
    assert (done.code, done.out) == (1, "")
    assert "no single place tells the outcomes" in done.err


@pytest.mark.parametrize("bodies", [("x.md",), ("x.md=maybe",), ("=pass",), ("nowhere.md=pass",), (HOSTILE,)])
def test_learn__mistakes_of_the_user(shell: Shell, bodies: tuple[str, ...]) -> None:
    assert shell("formats", "learn", *bodies).is_a_mistake_of_the_user("FILE")


def test_learn__of_failures_alone_is_a_mistake(shell: Shell) -> None:
    bad = EXAMPLES / "prflow" / "fail.md"
    assert shell("formats", "learn", f"{bad}=fail").is_a_mistake_of_the_user("at least one body that passes")


@pytest.mark.parametrize("name", ["prflow", "phoenix", "dev-loops", "al-runner", "marked-json"])
def test_learn__from_one_sample_is_judged_on_others(name: str) -> None:
    found = learn([sample(f"{name}/pass.md")], [Outcome.PASS], "our-reviewer")
    assert found is not None
    dialect = of(json.dumps(found))
    good = sample(f"{name}/pass.md").replace(SHA, OTHER).replace("d593624b", OTHER[:8])
    own, *twins = tried(dialect, "body.md", good)
    assert [each.outcome for each in own.signals] == [Outcome.PASS]
    assert not any(twin.counts for twin in twins)
    assert not any(each.counts for each in tried(dialect, "body.md", sample(f"{name}/fail.md")))


def test_learn__says_what_it_was_not_shown(shell: Shell) -> None:
    done = shell("formats", "learn", f"{EXAMPLES / 'prflow' / 'pass.md'}=pass")
    assert (done.code, "add the other words to the map" in done.out) == (0, True)


def test_learn__numbers_and_commits_are_no_words() -> None:
    bodies = [f"## Review: {word}\n\n<!-- ours sha={SHA} score={n} -->\n" for word, n in (("✅ OK", 8), ("❌ NO", 3))]
    found = learn(bodies, [Outcome.PASS, Outcome.FAIL], "our-reviewer")
    assert found is not None
    assert found["outcome"] == {"of": "word/word", "map": {"✅ OK": "pass", "❌ NO": "fail"}}
    assert learn([f"<!-- ours sha={SHA} -->\n"], [Outcome.PASS], "our-reviewer") is None


def test_try__shows_values_and_every_fault_of_the_policy(shell: Shell, policy: Path, tmp_path: Path) -> None:
    body = EXAMPLES / "prflow" / "pass.md"
    assert '"verdict": "APPROVE"' in shell("formats", "try", body, "--policy", policy).out
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("formats: {x: {in: comment, role: Judge}}\n", encoding="utf-8")
    told = shell("formats", "try", body, "--policy", wrong)
    assert (told.code, "formats.x.in" in told.err, "formats.x.role" in told.err) == (2, True, True)


def test_try__a_reviewer_in_a_box_needs_no_policy(shell: Shell, tmp_path: Path) -> None:
    body = tmp_path / "clean.md"
    body.write_text(sample("codex/pass.md"), encoding="utf-8")
    done = shell("formats", "try", str(body), "--format", "codex", "--policy", str(tmp_path / "none.yml"))
    assert done.code == 0, done.out
    assert "codex: PASS" in done.out


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


def test_learn__one_of_several_members_that_decide_is_no_verdict() -> None:
    bodies = [MEMBERS.replace("@", word) for word in ("approve", "deny")]
    assert learn(bodies, [Outcome.PASS, Outcome.FAIL], "our-reviewer") is None


def test_try__a_body_that_is_invalid_is_an_error(shell: Shell, policy: Path, tmp_path: Path) -> None:
    body = tmp_path / "body.md"
    body.write_text("<!-- prflow:review-verdict verdict=MAYBE -->\n", encoding="utf-8")
    done = shell("formats", "try", body, "--policy", policy)
    assert (done.code, "not read: 0, invalid: 1" in done.out) == (1, True), done


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
