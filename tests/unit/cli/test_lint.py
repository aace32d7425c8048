"""lint: comments, policies and snapshots before anybody else sees them."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from phasegate.gate import judge
from phasegate.model.report import Why
from phasegate.reading.schema.registry import bundled_text
from tests.casebook.decided import snapshot_of
from tests.casebook.world import World, block, finding, verdict
from tests.test_examples import INVALID, VALID, Example
from tests.unit.cli.shell import GREEN, HOSTILE, ROOT, Shell, written
from tests.unit.cli.wrong_comments import WRONG

ANSWERS = Path(__file__).with_name("wrong_comments.txt")


def test_lint__a_sound_comment_passes(shell: Shell, tmp_path: Path) -> None:
    done = shell("lint", written(tmp_path / "a.md", verdict("judge")))
    assert (done.code, done.out) == (0, "1 checked, 1 signal: no problems · this is a verdict of Judge, PASS\n")


@pytest.mark.parametrize("examples", [VALID, INVALID], ids=["valid", "invalid"])
def test_lint__its_answer_keeps_to_its_schema(shell: Shell, tmp_path: Path, examples: list[Example]) -> None:
    done = shell("lint", "--json", *(example.at(tmp_path) for example in examples))
    validator = Draft202012Validator(json.loads(bundled_text("lint")))
    assert [error.message for error in validator.iter_errors(done.data)] == []
    assert done.data["files"]


def test_lint__an_artifact_and_a_policy_may_name_their_schema(shell: Shell, tmp_path: Path) -> None:
    for name in ("plan.json", "test-result.json", "state.yaml"):
        text = (ROOT / "tests" / "examples" / "pipeline" / "valid" / name).read_text(encoding="utf-8")
        named = text.replace("{", '{"$schema": "x",', 1) if name.endswith(".json") else f'"$schema": x\n{text}'
        assert shell("lint", written(tmp_path / name, named)).code == 0
    policy = written(tmp_path / "phase-gate.yml", "$schema: x\nversion: 1\n")
    assert (shell("lint", policy).code, shell("check", "--snapshot", GREEN, "--policy", policy).code) == (0, 0)


def test_lint__a_fault_is_shown_as_compilers_show_it(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "a.md", "## jkz:judge\n\n" + block('{"verdict": "PASS",\n "issues": [],}'))
    done = shell("lint", file)
    assert done.code == 1
    assert done.out.splitlines() == [
        'error[PG001]: a comma before the closing "}"',
        f"  --> {file}:5:14",
        "   |",
        ' 5 |  "issues": [],}',
        "   |              ^ remove the comma",
        "1 checked, 1 signal: 1 error · 1 fixable with --fix · this would NOT count as a verdict of Judge",
    ]


def test_lint__all_faults_of_a_comment_are_told_at_once_and_in_order(shell: Shell, tmp_path: Path) -> None:
    wrong = '{\'verdict\': "fail",\n "issues": [{"id": "X1", "severity": "high",}],\n "mustFix": ["X1"]}'
    done = shell("lint", "--json", written(tmp_path / "a.md", "## jkz:judge\n\n" + block(wrong)))
    places = [(item["where"]["line"], item["where"]["column"]) for item in done.data["problems"]]
    assert places == sorted(places)
    assert {"PG001", "PG020", "PG022", "PG025"} <= {item["code"] for item in done.data["problems"]}


def test_lint__what_breaks_the_schema_hides_no_fault_of_the_content(shell: Shell, tmp_path: Path) -> None:
    data = {
        "verdict": "FAIL",
        "issues": [{"id": "X-1", "severity": "high"}, {"id": "J1", "severity": "LOW"}, {"id": "J1"}, 4],
        "must_fix": ["J9", 3],
    }
    done = shell("lint", "--json", written(tmp_path / "a.md", "## jkz:judge\n\n" + block(json.dumps(data))))
    errors = sorted({item["code"] for item in done.data["problems"] if item["severity"] == "error"})
    assert errors == ["PG020", "PG021", "PG022", "PG108", "PG112"]


# what an agent reads first about a message, and in which words it is told the fix
TOLD = {
    "PG022-template-text.md": ("expected", "choose one of them"),
    "PG022-critical-findings-pass.md": ('expected "fail"', "critical_count is above 0: the signal is fail."),
    "PG022-broken-build-passes.md": ('expected "fail"', "build_status is fail: so is the signal."),
    "PG031-prose-before.md": ("there is text before the front matter", "Begin the text with the line ---"),
    "PG820-type-unknown.md": ("its type is not known: ", "type and signal as plain keys"),
}


@pytest.mark.parametrize("name", TOLD)
def test_lint__an_envelope_that_is_wrong_is_told_the_fix_first(shell: Shell, tmp_path: Path, name: str) -> None:
    (example,) = (each for each in INVALID if each.title == name)
    first, *_ = shell("lint", example.at(tmp_path), "--json").data["problems"]
    message, hint = TOLD[name]
    assert (message in first["message"], hint in first["hint"]) == (True, True), first


def test_lint__fix_corrects_what_has_one_right_answer(shell: Shell, tmp_path: Path) -> None:
    wrong = '{\'verdict\': "pass",\n "isues": [],}'
    file = written(tmp_path / "a.md", "## jkz:judge\n\n" + block(wrong))
    done = shell("lint", "--fix", file)
    assert (done.code, done.out.splitlines()[-1].split(" · ")[1:]) == (
        0,
        ["4 fixed", "this is a verdict of Judge, PASS"],
    )
    assert '{"verdict": "PASS",\n "issues": []}' in file.read_text(encoding="utf-8")
    again = shell("lint", "--fix", "-", given=block(wrong))
    assert '"verdict": "PASS"' in again.out


def test_lint__formats_for_other_programs(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "a b.md", "## jkz:judge\n\n" + block('{"verdict": "PASS", "issues": [],}'))
    told = shell("lint", "--format", "sarif", file)
    (result,) = told.data["runs"][0]["results"]
    assert (told.code, result["ruleId"], result["level"]) == (1, "PG001", "error")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("a%20b.md")
    assert place["region"] == {"startLine": 4, "startColumn": 33}
    line = shell("lint", "--format", "github", file).out
    assert line.startswith("::error file=")
    assert "line=4,col=33,title=PG001::a comma" in line


@pytest.mark.parametrize(("text", "code"), [
    ("/gate aprove plan", "PG214"),
    ("/gate approve", "PG214"),
    ("## jkz: judge\n\n" + block('{"verdict": "PASS", "issues": []}'), "PG125"),
])  # fmt: skip
def test_lint__what_never_counts_is_an_error(shell: Shell, text: str, code: str) -> None:
    done = shell("lint", "-", given=text)
    assert (done.code, f"error[{code}]" in done.out, "warning" in done.out) == (1, True, False)
    assert shell("lint", "-", given="/gate approve plan").code == 0


def test_lint__json_has_ok_problems_and_signals(shell: Shell) -> None:
    done = shell("lint", "--json", "-", given=verdict("judge", "FAIL", commit="3f2a91c"))
    assert (done.code, done.data["ok"], done.data["problems"]) == (0, True, [])
    (signal,) = done.data["signals"]
    assert (signal["role"], signal["outcome"], signal["valid"]) == ("judge", "FAIL", True)


def test_lint__json_says_what_would_count_not_what_was_written(shell: Shell) -> None:
    done = shell("lint", "--json", "-", given=verdict("judge", "FAIL", issues=[], must_fix=[]))
    (signal,) = done.data["signals"]
    assert (done.code, signal["outcome"], signal["problems"]) == (0, "PASS", ["PG114"])


@pytest.mark.parametrize("text", ["", "Looks good to me.", "\n\n", "jkz", "> /gate approve plan"])
def test_lint__nothing_to_check_is_not_a_pass(shell: Shell, tmp_path: Path, text: str) -> None:
    assert shell("lint", tmp_path).code == 1
    for done in (shell("lint", "-", given=text), shell("lint", written(tmp_path / "a.md", text))):
        assert done.code == 1
        assert "PG601" in done.out
        assert '{"verdict": "FAIL", "issues"' in done.out


def test_lint__of_a_folder_takes_what_it_knows_by_its_name(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / "notes.txt", "jkz")
    assert shell("lint", tmp_path).code == 1
    written(tmp_path / "workflows" / "ci.yml", "name: CI\n")
    written(tmp_path / "package.json", "{}")
    written(tmp_path / "a.md", verdict("judge"))
    assert shell("lint", tmp_path).code == 0
    (tmp_path / "b.md").write_bytes(b"\xff")
    written(tmp_path / "c.md", "## jkz:judge\n")
    assert "PG102" in shell("lint", tmp_path).out


def test_lint__warnings_do_not_fail_unless_the_policy_says_so(shell: Shell, tmp_path: Path) -> None:
    text = verdict("judge", "FAIL", issues=[finding("J1", summary="vote " * 16)])
    policy = written(tmp_path / "policy.yml", "version: 1\nrules: {PG104: error}\n")
    assert shell("lint", "-", given=text).code == 0
    assert shell("lint", "--policy", policy, "-", given=text).code == 1


def test_lint__the_policys_own_roles_are_known(shell: Shell, tmp_path: Path) -> None:
    policy = written(tmp_path / "policy.yml", "version: 1\nroles: {warden: {does: challenges, letter: W}}\n")
    text = "## jkz:warden\n\n" + block({"verdict": "FAIL", "issues": [finding("W1")], "must_fix": ["W1"]})
    assert "PG108" in shell("lint", "-", given=text).out
    told = shell("lint", "--policy", policy, "-", given=text).out
    assert told == "1 checked, 1 signal: no problems · this is a verdict of Warden, FAIL\n"


def test_lint__a_broken_policy_to_judge_by_is_a_mistake_of_the_user(shell: Shell, tmp_path: Path) -> None:
    policy = written(tmp_path / "policy.yml", "version: 1\nagent: {}\n")
    done = shell("lint", "--policy", policy, "-", given=verdict("judge"))
    assert done.is_a_mistake_of_the_user("--policy", "policy.yml:2:1", "PG503")


def test_lint__several_files_one_bad_one_hides_no_other(shell: Shell, tmp_path: Path) -> None:
    bad, worse = (written(tmp_path / name, "## jkz:judge\n\nFine.\n") for name in ("a.md", "b/c.md"))
    good = written(tmp_path / "d.md", verdict("lens"))
    done = shell("lint", "--json", bad, good, tmp_path / "b")
    assert [item["where"]["path"] for item in done.data["problems"]] == [str(bad), str(worse)]
    assert len(done.data["signals"]) == 3


def test_lint__a_policy_file_and_a_snapshot_by_their_names(shell: Shell, tmp_path: Path) -> None:
    policy = written(tmp_path / "phase-gate.yaml", "version: 1\nphases: {build: {roles: [jugde]}}\n")
    assert "PG506" in shell("lint", policy).out
    assert shell("lint", GREEN).code == 0
    assert "PG020" in shell("lint", written(tmp_path / "snapshot.json", "{}")).out


@pytest.mark.parametrize("name", ["a.txt", "a", "a.MD.bak", ".md"])
def test_lint__a_file_of_no_known_kind_is_a_mistake_of_the_user(shell: Shell, tmp_path: Path, name: str) -> None:
    file = written(tmp_path / name, "x")
    assert shell("lint", file).is_a_mistake_of_the_user("PATH", "cannot tell what kind of file")


def test_lint__links_in_a_folder_are_not_followed(shell: Shell, tmp_path: Path) -> None:
    outside = written(tmp_path / "outside/secret.md", "## jkz:judge\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.md").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    done = shell("lint", inside)
    assert "PG601" in done.out
    assert "secret" not in done.out


def test_lint__a_file_that_may_not_be_read_is_a_mistake_of_the_user(shell: Shell, tmp_path: Path) -> None:
    file = written(tmp_path / "a.md", "x")
    file.chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read everything")
    assert shell("lint", file).is_a_mistake_of_the_user("a.md")


def test_lint__hostile_text_reaches_neither_runner_nor_terminal(shell: Shell) -> None:
    issues = [finding("J1", root_cause=HOSTILE[:60])]
    data = {"verdict": "FAIL", "issues": issues, "must_fix": [HOSTILE[:16]], HOSTILE: 1}
    shell.harmless(1, "lint", "-", given=f"## jkz:judge\n\n{HOSTILE}\n\n{block(data)}")
    wrong = '{"verdict": "\x1b[31m::error::x ##[error]y \U0001f600", "issues": [],}'
    shown = shell("lint", "-", given="## jkz:judge\n\n" + block(wrong)).out
    assert [part for part in ("\x1b", "::error", "##[error]") if part in shown] == []


@pytest.mark.parametrize("text", [
    "<!--" * 16000, "`" * 65536, "> " * 32000, "[" * 65536, "*a " * 20000, "\x00" * 999,
    "\ud800\n\n" + block('{"verdict": "\udfff"}'),
], ids=ascii)  # fmt: skip
def test_lint__a_hostile_comment_of_the_largest_size_is_no_crash(shell: Shell, text: str) -> None:
    done = shell("lint", "--json", "-", given="## jkz:judge\n\n" + text)
    assert done.code == 1
    done.data["problems"][0]["message"].encode("utf-8", "surrogatepass")


def answers(shell: Shell) -> str:
    """What lint says to each of the wrong comments, and to what --fix makes of it."""
    told = []
    for name, (comment, _) in WRONG.items():
        first, fixed = shell("lint", "-", given=comment), shell("lint", "--fix", "-", given=comment).out
        after = "" if fixed == comment else f"--- with --fix\n{fixed.rstrip()}\n"
        told.append(f"=== {name}\n{comment.rstrip()}\n--- lint: exit {first.code}\n{first.out}{after}")
    return "\n".join(told)


def test_lint__twenty_wrong_comments_get_these_answers(shell: Shell, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-cases"):
        ANSWERS.write_text(answers(shell), encoding="utf-8", newline="\n")
    assert answers(shell) == ANSWERS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", WRONG)
def test_lint__a_wrong_comment_counts_once_it_is_fixed(shell: Shell, name: str) -> None:
    comment, counts = WRONG[name]
    before = shell("lint", "-", given=comment)
    assert (before.code, "this would NOT count as a verdict" in before.out) == (1, True)
    fixed = shell("lint", "--fix", "-", given=comment).out
    after = shell("lint", "-", given=fixed)
    assert (after.code == 0) is counts
    assert ("this is a verdict of Judge" in after.out) is counts
    if counts:
        world = World()
        world.planned()
        world.say("ana", fixed)
        build = next(phase for phase in judge(snapshot_of(world)).phases if phase.name == "build")
        assert next(need.why for need in build.needs if need.name == "judge") in (Why.PASSED, Why.FAILED)


VERDICT = '{"verdict": "PASS", "issues": [], "must_fix": []}'
SOUND = f"## jkz:judge\n\n```jkz:verdict-json\n{VERDICT}\n```\n"


@pytest.mark.parametrize(("text", "said"), [
    (SOUND.replace("\n", "\\n"), r"it holds \n where lines should end"),
    (f"## jkz:judge\n\n&lt;!-- jkz:verdict-json\n{VERDICT}\n--&gt;\n", "it holds &lt; and the like"),
    (f"````markdown\n{SOUND}````\n", "your comment is inside a code fence"),
    (SOUND.replace('"must_fix": []', '"must_fix": None'), "the word None is not a JSON value"),
])  # fmt: skip
def test_lint__says_what_happened_to_a_comment_on_its_way_and_fixes_it(shell: Shell, text: str, said: str) -> None:
    done = shell("lint", "-", given=text)
    assert done.code == 1
    assert said in done.out.splitlines()[0]
    fixed = shell("lint", "--fix", "-", given=text)
    assert (fixed.code, shell("lint", "-", given=fixed.out).code) == (0, 0)
    assert "this is a verdict of Judge" in fixed.err


def test_lint__fix_of_a_pipe_says_why_on_standard_error_and_as_json(shell: Shell) -> None:
    text = SOUND.replace('"PASS", "issues": []', '"FAIL", "issues": [{"id": "J1", "severity": "HIGH", "summary": "x"}]')
    done = shell("lint", "--fix", "-", given=text.replace(', "must_fix": []', ""))
    assert (done.code, "error" in done.out) == (1, False)
    assert [code for code in ("PG111", "PG020") if code not in done.err] == []
    answer = json.loads(shell("lint", "--fix", "--json", "-", given=SOUND.replace("[]}", "None}")).out)
    assert (answer["ok"], answer["text"]) == (True, SOUND.replace("[]}", "null}"))
    ack = '{"thehoodDirectiveAck": {"runId": "r1"}, "verdict": "PASS", "issues": []}'
    fixed = shell("lint", "--fix", "-", given=f"```json\n{ack}\n```\n")  # of another dialect, which stays
    assert (fixed.code, "jkz:" in fixed.out) == (1, False)


def test_lint__long_lines_fit_the_columns_that_are_asked_for(shell: Shell) -> None:
    long = SOUND.replace("[]}", f'["{"J" * 200}"]}}')
    done = shell("lint", "-", given=long, environ={"COLUMNS": "60"})
    excerpts = [line for line in done.out.splitlines() if " | " in line]
    assert 0 < max(map(len, excerpts)) <= 60
    padded = SOUND.replace("judge\n", f"judge\n\n{'x' * 65_536}\n")
    assert "GitHub takes 65,536" in shell("lint", "-", given=padded).out
    assert shell("lint", "-", given=SOUND).code == 0


def test_lint__a_workflow_is_no_policy(shell: Shell, tmp_path: Path) -> None:
    workflow = written(tmp_path / "workflows" / "phase-gate.yml", "on: push\n")
    policy = written(tmp_path / "phase-gate.yml", "version: 1\n")
    assert [each["path"] for each in shell("lint", tmp_path, "--json").data["files"]] == [str(policy)]
    assert shell("lint", workflow).is_a_mistake_of_the_user("this is a workflow and no policy")
