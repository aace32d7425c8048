"""TheHood's dialect: what the stories and the examples do not reach."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from phasegate.cli.main import main
from phasegate.dialects.dialect import Adjustable
from phasegate.dialects.registry import built_in
from phasegate.dialects.thehood.contradictions import evidence_kinds, says_high
from phasegate.dialects.thehood.declaration import PAYLOADS, PROTECTED, RECORDS, VARIABLES, Options
from phasegate.dialects.thehood.reader import Answers
from phasegate.dialects.thehood.rules import TESTS
from phasegate.model.signal import Medium, Outcome
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.globs import any_among
from phasegate.reading.schema.registry import schema_names, schema_text
from tests.casebook.thehood import IN_FILES, answer_data, camel, carried
from tests.casebook.thehood import PAYLOADS as SOUND
from tests.unit.dialects.described.shelf import text_of

SET = "version: 1\nprofile: thehood\ndialects: {thehood: %s}\n"
KINDS = (*PAYLOADS, *RECORDS)


@pytest.mark.parametrize("in_files", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_description__of_each_answer_and_record_is_sound(kind: str, *, in_files: bool) -> None:
    (form,) = Answers(Options()).format_of([kind], in_files=in_files).forms
    assert form.name == kind


def test_schemas__are_there_for_every_payload_record_and_block() -> None:
    found = {name.partition("/")[2] for name in schema_names() if name.startswith("thehood/")}
    contracts = {kind for kind in PAYLOADS if kind not in ("research_result", "integration_result", "citation_result")}
    assert found == {*contracts, *RECORDS, *VARIABLES, "agent_response", "options"}


def test_schema__of_the_options_shows_the_patterns_that_hold_without_any() -> None:
    items = json.loads(schema_text("thehood/options"))["properties"]["protected"]["items"]
    assert tuple(items["examples"]) == PROTECTED


@pytest.mark.parametrize(("ref", "kinds"), [
    ("runs/1/diff.patch", {"diff"}),
    ("artifact://run_1/git-diff", {"diff"}),
    ("runs/1/changes.patch", {"diff"}),
    ("runs/1/test.log", {"test_log"}),
    ("runs/1/npmTest.stdout.log", {"test_log"}),
    ("runs\\1\\unit-tests-output.txt", {"test_log"}),
    ("runs/1/lint.log", {"lint_log"}),
    ("runs/1/typecheck-report.json", {"typecheck_log"}),
    ("src/diff.py", set()), ("tests/test_log.py", set()), ("runs/1/different.txt", set()),
    ("runs/1/latest.log", set()), ("diff/readme", set()), ("artifact_17", set()),
    ("/home/Jane Doe/.thehood/artifacts/run_1/log/git_diff-tool_5b1e.stdout.txt", {"diff"}),
    ("/home/Jane Doe/.thehood/artifacts/run_1/log/validation_test-tool_9.stdout.txt", {"test_log"}),
    ("runs/1/git_diff-tool_5b1e.stderr.txt", set()),
    ("no diff was captured", set()),
    ("runs/1/no-diff.txt", set()),
    ("runs/1/test-log-missing.txt", set()),
    ("", set()),
])  # fmt: skip
def test_plain_reference__is_told_by_its_last_part(ref: str, kinds: set[str]) -> None:
    assert evidence_kinds({"evidence_refs": [ref]}) == kinds


@pytest.mark.parametrize("ref", ["n/a", "N/A.", " ", "none", "-", "TBD"])
def test_evidence__that_is_nowhere_is_none(ref: str) -> None:
    assert evidence_kinds({"evidence": [{"kind": "diff", "ref": ref}]}) == set()


@pytest.mark.parametrize(("risk", "high"), [
    ("HIGH: sessions never end", True),
    ("[high] sessions never end", True),
    ("**High**: sessions never end", True),
    ("Severity: high, sessions never end", True),
    ("High risk - sessions never end", True),
    ("critical", True), ("Highly unlikely races", False), ("High-level API is untested", False),
    ("High memory use on large carts", False),
    ("The risk is not high: nobody uses it", False),
    ("low: clocks differ", False),
])  # fmt: skip
def test_plain_risk__is_high_if_it_begins_with_that(risk: str, *, high: bool) -> None:
    assert says_high(risk) is high


@pytest.mark.parametrize("kind", SOUND)
def test_answer__reads_the_same_in_either_spelling_and_medium(kind: str) -> None:
    dialect = built_in("thehood")
    data = answer_data(kind)
    (one,) = dialect.read(text_of(carried(data)), dialect.roles).signals
    (other,) = dialect.read(text_of(carried(camel(data), carrier="html")), dialect.roles).signals
    told = [(each.roles, each.outcome, each.said, each.asks, each.problems) for each in (one, other)]
    assert told[0] == told[1]
    assert (one.roles, one.problems) == ((PAYLOADS[kind],), ())


@pytest.mark.parametrize("words", ["directive", "fanout", "revision_packet and decision"])
def test_answer_in_a_file__is_read_as_one_though_it_names_a_record(words: str) -> None:
    dialect = built_in("thehood")
    assert isinstance(dialect, Adjustable)
    filed = dialect.adjusted({"files": ".thehood/{folder}/{name}.json"})
    assert not isinstance(filed, str)
    data = camel({**answer_data("verification_result"), "summary": f"As the {words} asks."})
    text = text_of(json.dumps(data), Medium.FILE, path=".thehood/12/a.json")
    (signal,) = filed.read(text, filed.roles).signals
    assert (signal.roles, signal.outcome, signal.problems) == (("verifier",), Outcome.PASS, ())


@pytest.mark.parametrize(("path", "protected", "tests"), [
    ("tests/a.py", True, True), ("src/test/a.py", True, True), ("a.spec.ts", True, True),
    ("src/a.test.ts", True, True),
    ("src/__snapshots__/a.snap", True, True),
    ("src/fixtures/a.json", True, False), ("evals/a.yml", True, False), ("src/test_auth.py", False, True),
    ("src/auth_test.go", False, True), ("src/__tests__/a.js", False, True), ("src/CartTest.java", False, True),
    ("src/CartTests.cs", False, True), ("app/cart_spec.rb", False, True), ("Tests/Cart.swift", False, True),
    ("src/latest.py", False, False), ("src/contest/a.py", False, False),
])  # fmt: skip
def test_paths__are_protected_or_tests_by_their_patterns(path: str, *, protected: bool, tests: bool) -> None:
    assert (any_among((path,), PROTECTED), any_among((path,), TESTS)) == (protected, tests)


@pytest.mark.parametrize(("options", "code", "told"), [
    ("{files: '.github/{name}.json'}", "PG525", "orders"),
    ("{files: 'out/{folder}/{name}.json'}", "PG525", "evidence: true"),
    ("{files: '.hood/answer.json'}", "PG525", "{name}"),
    ("{filse: '.hood/{name}.json'}", "PG503", "files"),
    ("{directives: [{nonce: n1}]}", "PG020", "run_id"),
    ("{protected: ['tests/[a-z]*']}", "PG525", "is not a pattern"),
])  # fmt: skip
def test_settings__that_cannot_be_are_errors_with_their_place(options: str, code: str, told: str) -> None:
    found = load_policy(SET % options, "policy.yml")
    assert not isinstance(found, Policy)
    assert [(item.code, item.where.line) for item in found] == [(code, 3)]
    assert told in f"{found[0].message} {found[0].hint}"


def test_settings__open_the_medium_of_files() -> None:
    found = load_policy(SET % "{files: 'out/{folder}/{name}.json', evidence: true}", "policy.yml")
    assert isinstance(found, Policy)
    (dialect,) = found.dialects
    assert isinstance(dialect, Adjustable)
    (shape,) = dialect.footprint.evidence(None)
    assert shape.holds("out/12/answer.json")
    assert not shape.holds("out/answer.json")
    assert built_in("thehood").footprint.evidence(None) == ()


def test_roles__that_a_policy_tells_again_keep_what_guards_them() -> None:
    again = "roles: {critic: {does: challenges}, runtime: {does: creates}, verifier: {does: confirms}}\n"
    found = load_policy(f"version: 1\nprofile: thehood\n{again}", "policy.yml")
    assert isinstance(found, Policy)
    assert (found.role("critic").advisory, found.role("runtime").only_named) == (True, True)
    assert found.role("verifier").after == ("implementer", "revision-packet", "directive-to-verifier")


def test_lint__reads_a_file_below_the_path_of_the_policy_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / ".thehood" / "12"
    folder.mkdir(parents=True)
    (tmp_path / "policy.yml").write_text(IN_FILES, encoding="utf-8")
    file = folder / "verifier.json"
    file.write_text(json.dumps(answer_data("verification_result", evidence=[])), encoding="utf-8")
    assert main(["lint", "--json", "--policy", str(tmp_path / "policy.yml"), str(file)], {}) == 1
    told = json.loads(capsys.readouterr().out)
    assert [(item["code"], item["where"]["path"]) for item in told["problems"]] == [("PG917", str(file))]
    comment = tmp_path / "comment.md"
    comment.write_text(carried(answer_data("critique_result")), encoding="utf-8")
    assert main(["lint", "--json", "--policy", str(tmp_path / "policy.yml"), str(comment)], {}) == 0
    assert [each["role"] for each in json.loads(capsys.readouterr().out)["signals"]] == ["critic"]


CRITIC = "critique_result:\n  verdict: acceptable\n\n  blocking_concerns:\n    - x\n"
MODE = "run:\n  run_id: run_1\n  user_goal: Sessions expire\n  mode: fly\nmemory: {}\n"
WORKER = "worker: {role: planner, objective: x, confidence: 0.9, max_turn: 5}\n"


@pytest.mark.parametrize(("text", "expected"), [
    (MODE, [("PG022", 4, 9)]), (CRITIC, [("PG915", 4, 3)]), (WORKER, [("PG701", 1, 39), ("PG025", 1, 56)]),
], ids=["variables", "a document", "keys of their own"])  # fmt: skip
def test_lint__points_into_yaml(
    text: str, expected: list[tuple[str, int, int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "prompt.thehood.yml"
    path.write_text(text, encoding="utf-8")
    main(["lint", "--json", str(path)], {})
    found = json.loads(capsys.readouterr().out)["problems"]
    assert [(item["code"], item["where"]["line"], item["where"]["column"]) for item in found] == expected


def test_page__shows_a_policy_and_an_answer_that_are_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "thehood.md").read_text(encoding="utf-8")
    policy = load_policy(page.partition("```yaml\n")[2].partition("```")[0], "policy.yml")
    assert isinstance(policy, Policy)
    assert policy.problems == ()
    comment = tmp_path / "comment.md"
    comment.write_text(page.partition("````markdown\n")[2].partition("````")[0], encoding="utf-8")
    assert main(["lint", "--json", str(comment)], {}) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == []


def test_how_to__names_the_marker_and_the_schema_of_each_role() -> None:
    dialect = built_in("thehood")
    told = {role.name: dialect.how_to(role) for role in dialect.roles}
    assert told["test-log"].schema == "thehood/verification_result"
    assert told["revision-packet"].marker == "thehood:runtime"
    assert {how.schema for how in told.values()} <= set(schema_names())


@pytest.mark.parametrize("body", [
    carried({"status": "ok", "summary": "a", "data": {f"verification{n}": 1 for n in range(2_500)}}),
    "```thehood:agent-response\n" + '{"data": ' * 6_000 + "\n```",
    "thehood:agent-response " * 2_800,
    "```thehood:agent-response\n" + '"verif"' * 9_000 + "\n```",
], ids=["many keys", "deep", "many markers", "no json"])  # fmt: skip
def test_read__takes_no_long_time_over_anything(body: str) -> None:
    dialect = built_in("thehood")
    started = time.process_time()
    signals = dialect.read(text_of(body[:65_536]), dialect.roles).signals
    assert time.process_time() - started < 2
    assert all(signal.outcome is None for signal in signals)
