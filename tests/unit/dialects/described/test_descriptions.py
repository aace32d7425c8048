"""Descriptions: what is refused, with which code and at which place, before any text is read by them."""

from __future__ import annotations

import time

import pytest

from phasegate.dialects.described.forms import Format
from phasegate.model.plan import Evidence
from phasegate.model.signal import Outcome
from phasegate.reading.document import Document
from phasegate.reading.globs import read_path
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import read_yaml
from tests.unit.dialects.described.shelf import NAMES, built, codes, codes_of, description, of, read, said, text_of

BASE = """\
in: [comment]
read: {word: {marker: "our:word", as: json}}
role: judge
outcome: {of: word/verdict, map: {ok: pass, bad: fail}}
"""


def changed(**keys: str) -> str:
    """The plain description with other keys."""
    lines = {line.partition(":")[0]: line for line in BASE.splitlines()}
    lines |= {key: f"{key}: {value}" for key, value in keys.items()}
    return "\n".join(lines.values())


def message(text: str) -> str:
    """The one thing that is wrong with a description."""
    found = built(text)
    assert not isinstance(found, Format)
    (item,) = found
    return item.message


@pytest.mark.parametrize("name", NAMES)
def test_examples__are_sound(name: str) -> None:
    assert isinstance(built(description(name), name), Format)


MAPPED = "Changes requested"


@pytest.mark.parametrize(("keys", "code", "path"), [
    ({"read": "{word: {marker: 'our:word'}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {marker: 'our:word', label: x, as: json}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {as: json}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {marker: our, as: json}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {fence: json, as: json}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {front_matter: true}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {whole: true, as: json}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {marker: 'our:word', as: json, level: 2}}"}, "PG907", ("read", "word", "level")),
    ({"read": "{word: {marker: 'our:word', as: json, optional: true}}"}, "PG907", ("read", "word")),
    ({"read": "{word: {marker: 'our:word', as: json}, name: {label: Our name, spelling: either}}"}, "PG907",
     ("read", "name", "spelling")),
    ({"read": "{word: {marker: 'our:word', as: json, own_spelling: [runId]}}"}, "PG907",
     ("read", "word", "own_spelling")),
    ({"read": "{word: {marker: 'our:word', as: json, field: title}}"}, "PG907", ("read", "word", "field")),
    ({"read": "{word: {marker: 'our:word', as: json, words: [a]}}"}, "PG907", ("read", "word", "words")),
    ({"read": "{word: {marker: 'our:word', as: text, schema: {}}}", "outcome": "blocked"}, "PG907", ("read", "word")),
    ({"read": "{each: {marker: 'our:word', as: json}}", "outcome": "blocked"}, "PG907", ("read", "each")),
    ({"read": "{word: {first_line: true}}", "outcome": "blocked"}, "PG907", ("read", "word")),
    ({"in": "[comment, file]"}, "PG907", ("in",)),
    ({"path": ".x/y.json"}, "PG907", ("path",)),
    ({"commit": "carrier"}, "PG907", ("commit",)),
    ({"commit": "wort/head"}, "PG907", ("commit",)),
    ({"commit": "path/nam"}, "PG907", ("commit",)),
    ({"commit": "each/sha"}, "PG907", ("commit",)),
    ({"role": "{of: key}"}, "PG907", ("role", "of")),
    ({"when": "[{of: nothing/here, equals: 1}]"}, "PG907", ("when", 0, "of")),
    ({"agree": "[[word/a, wort/b]]"}, "PG907", ("agree", 0, 1)),
    ({"findings": "{of: 'wort/*'}"}, "PG907", ("findings", "of")),
    ({"when": "[{equals: 1, empty: true}]"}, "PG907", ("when", 0)),
    ({"outcome": "{of: word/x}"}, "PG907", ("outcome",)),
    ({"outcome": "{of: word/x, true_is: pass}"}, "PG907", ("outcome",)),
    ({"outcome": "{map: {a: pass}}"}, "PG907", ("outcome",)),
    ({"outcome": "{of: word/x, true_is: pass, false_is: pass}"}, "PG907", ("outcome",)),
    ({"outcome": "{of: word/x, map: {ok: pass, Changes requested: pass}}"}, "PG907", ("outcome", "map", MAPPED)),
    ({"vetoes": "[{line: a, marker: b}]"}, "PG907", ("vetoes", 0)),
    ({"vetoes": "[{is: fail}]"}, "PG907", ("vetoes", 0)),
])  # fmt: skip
def test_description__is_refused_at_its_place(keys: dict[str, str], code: str, path: tuple[str | int, ...]) -> None:
    found = built(changed(**keys))
    assert not isinstance(found, Format)
    assert (code, path) in {(item.code, item.path) for item in found}


@pytest.mark.parametrize("key", ["in", "read", "role"])
def test_description__needs_media_parts_and_role(key: str) -> None:
    text = "\n".join(line for line in BASE.splitlines() if not line.startswith(f"{key}:"))
    assert codes_of(text) == ["PG907"]


@pytest.mark.parametrize("name", ["of", "when", "done", "map", "value", "texts", "row"])
def test_part__may_be_called_like_a_key(name: str) -> None:
    keys = {"read": f"{{{name}: {{marker: 'our:word', as: json}}}}", "outcome": f"{{of: {name}/x, map: {{ok: pass}}}}"}
    assert codes_of(changed(**keys)) == []
    lost = f"{{first: {{marker: 'our:word', as: json}}, {name}: {{value: nowhere/x, as: text}}}}"
    assert codes_of(changed(read=lost, outcome="{of: first/x, map: {ok: pass}}")) == ["PG907"]


def test_verdict__needs_an_outcome_and_a_report_does_not() -> None:
    text = "\n".join(BASE.splitlines()[:-1])
    assert codes_of(text) == ["PG907"]
    assert codes_of(f"{text}\nkind: report") == []


def test_forms__inherit_and_their_faults_are_told_where_they_stand() -> None:
    forms = "forms:\n  one: {}\n  two: {read: {word: {marker: 'other:word', as: json}}, commit: nowhere/x}\n"
    found = built(BASE + forms)
    assert not isinstance(found, Format)
    assert [(item.code, item.path) for item in found] == [("PG907", ("forms", "two", "commit"))]
    shared = built(BASE + "commit: nowhere/x\nforms: {one: {}, two: {}}\n")
    assert not isinstance(shared, Format)
    assert {item.path for item in shared} == {("commit",)}


HOLLOW = [
    "{first: [{when: [{of: word/failed, at_most: 0}], is: pass}]}",
    "{first: [{when: [{of: word/failed, below: 4}], is: pass}]}",
    "{first: [{when: [{of: word/failed, equals: 0}], is: pass}]}",
    "{first: [{when: [{of: word/failed, in: [0, 1]}], is: pass}]}",
    "{first: [{when: [{of: word/issues, empty: true}], is: pass}]}",
    "{first: [{when: [{of: word/seen, at_least: {of: word/all}}], is: pass}]}",
    "{first: [{when: [{all_of: 'word/*/failed', equals: 0}], is: pass}]}",
    "{first: [{when: [{of: word/x, present: true}], is: pass}]}",
    "{first: [{when: [{of: word/failed, above: 0}], is: fail}], otherwise: pass}",
    "{first: [{when: [{of: word/failed, equals: '0'}], is: pass}]}",
    "{first: [{when: [{of: word/issues, in: [none, No]}], is: pass}]}",
    "{of: word/failed, map: {'0': pass, '1': fail}}", "{of: word/failed, map: {'00': pass}}",
    "{of: word/issues, map: {none: pass, some: fail}}", "{of: word/issues, map: {'': pass}}",
]  # fmt: skip


@pytest.mark.parametrize("outcome", HOLLOW)
def test_pass_of_nothing__needs_a_sign_of_work(outcome: str) -> None:
    assert codes_of(changed(outcome=outcome)) == ["PG905"]
    assert codes_of(changed(outcome=outcome, done="[{of: word/tests, above: 0}]")) == []
    assert codes_of(changed(outcome=outcome, done="[{of: word/status, equals: completed}]")) == []
    assert codes_of(changed(outcome=outcome, done="[{of: word/tests, at_least: 0}]")) == ["PG905"]
    assert codes_of(changed(outcome=outcome, done="[{of: word/tests, equals: '0'}]")) == ["PG905"]


@pytest.mark.parametrize("outcome", [
    "{first: [{when: [{of: word/verdict, equals: ok}], is: pass}]}",
    "{first: [{when: [{of: word/failed, equals: 0}, {of: word/tests, above: 0}], is: pass}]}",
    "{first: [{when: [{all_of: 'word/*/ok', equals: true}], is: pass}]}",
    "{first: [{when: [{of: word/score, at_least: 4}], is: pass}]}",
    "{first: [{when: [{of: word/failed, above: 0}], is: fail}], otherwise: blocked}",
    "{of: word/ok, true_is: pass, false_is: fail}", "{of: word/failed, map: {'0': blocked, '1': fail, '5': pass}}",
    "{of: word/says, map: {no findings: pass}}", "pass",
])  # fmt: skip
def test_pass_of_something__needs_no_other_sign(outcome: str) -> None:
    assert codes_of(changed(outcome=outcome)) == []


@pytest.mark.parametrize("path", [
    ".github/reviews/{name}.json", ".GitHub/{name}.json", ".claude/{name}.json", ".agents/{name}.json",
    ".windsurf/{folder}/x.json", ".x/CLAUDE.local.md", ".x/{name}.local.md", ".vscode/{name}.json",
    "docs/.cursor/{name}.json", ".windsurf/{folder}/x.yml", ".Kiro/{name}.txt", ".x/QWEN.md", ".x/AGENTS.md",
    ".x/{name}.md", ".x/{folder}/{name}.md", ".x/{name}.py", ".x/{name}", "{name}.json", "{folder}/x.json",
    ".x/{folder}/{folder}/x.json", ".x/{folder}/y/x.json", ".x/a{name}.json", ".x/{name}{name}.json",
    "../{name}.json", ".x//y.json", "/x/y.json", ".x/./y.json", "prd.json", "docs/{name}.yml",
])  # fmt: skip
def test_path__that_is_no_evidence_is_refused(path: str) -> None:
    assert isinstance(read_path(path, evidence=False), str)


@pytest.mark.parametrize(("path", "holds", "others"), [
    (".x/{name}.json", ".x/a.json", (".x/.json", ".x/.mcp.json", ".x/y/a.json", "x/a.json", ".x/a.jsonl", ".x")),
    (".x/y/{folder}/z.json", ".x/y/1/z.json", (".x/y/z.json", ".x/1/z.json", ".x/y/1/2/z.json")),
    (".x/{folder}/{name}-R.md", ".x/1/a-R.md", (".x/1/-R.md", ".x/1/a-r.md", ".x/.claude/a-R.md")),
    ("docs/qa/{name}.yml", "docs/qa/1.yml", ("docs/1.yml", "docs/qa/x/1.yml")),
    ("prd.json", "prd.json", ("x/prd.json",)),
])  # fmt: skip
def test_path__takes_in_what_it_says_and_nothing_else(path: str, holds: str, others: tuple[str, ...]) -> None:
    shape = read_path(path, evidence=True)
    assert isinstance(shape, Evidence)
    assert shape.holds(holds)
    assert [other for other in others if shape.holds(other)] == []


WHOLE = {"in": "[file]", "path": ".x/{name}.json", "read": "{word: {whole: true, as: json}}", "outcome": "pass"}


@pytest.mark.parametrize(("keys", "codes"), [
    ({}, []), (WHOLE, ["PG905"]), ({"in": "[check_run]", "check": "{app_id: 15368}"}, ["PG904"]),
], ids=["plain", "a file that passes by being there", "check runs of Actions"])  # fmt: skip
def test_description__is_sound_or_refused(keys: dict[str, str], codes: list[str]) -> None:
    assert codes_of(changed(**keys)) == codes


STRICT = "{additionalProperties: false, properties: {verdict: {enum: [ok, bad]}}}"


@pytest.mark.parametrize(("keys", "body", "edited", "code"), [
    ({"edits": "never"}, '{"verdict": "ok"}', True, "PG920"),
    ({"read": f"{{word: {{marker: 'our:word', as: json, schema: {STRICT}}}}}"},
     '{"verdict": "ok", "but": "not"}', False, "PG924"),
], ids=["edited where never", "a key that a strict schema does not have"])  # fmt: skip
def test_word__that_does_not_count(keys: dict[str, str], body: str, code: str, *, edited: bool) -> None:
    dialect = of(changed(**keys) + "\nroles: {judge: {does: challenges}}")
    (signal,) = read(dialect, text_of(f"<!-- our:word {body} -->", edited=edited))
    assert [item.code for item in signal.problems] == [code]
    assert edited or signal.outcome is None


@pytest.mark.parametrize(
    "pattern", ["(?P<word>.{1,20})", "a(?P<w>b{1,3})", "(?:ab|cdefg)x", "x{0,3}verdict", "(?P<w>[a-z]{1,9}): ok"]
)
def test_line__whose_pattern_begins_with_anything_is_refused(pattern: str) -> None:
    keys = {"read": f"{{word: {{first_line: true, pattern: '{pattern}'}}}}", "outcome": "blocked"}
    assert codes_of(changed(**keys)) == ["PG901"]


HOSTILE_SCHEMAS = [
    "{$ref: 'https://example.com/x.json'}", "{$ref: 'file:///etc/passwd'}", "{$ref: '#'}",
    "{$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/a'}}}",
    "{$ref: '#/$defs/a', $defs: {a: {$ref: '#/$defs/b'}, b: {not: {$ref: '#/$defs/a'}}}}", "{$dynamicRef: '#x'}",
    "{$id: 'https://example.com/'}", "{$schema: 'http://json-schema.org/draft-07/schema#'}",
    "{properties: {a: {pattern: '^(a+)+$'}}}", "{patternProperties: {'(x*)*': {}}}", "{format: date-time}",
    "{type: strnig}", "{required: verdict}", "{properties: [a]}", "{allOf: {}}", "{minLength: '1'}",
    "{multipleOf: 0}", "{enum: x}", "{items: 3}",
]  # fmt: skip


@pytest.mark.parametrize("schema", HOSTILE_SCHEMAS)
def test_hostile_schema__is_refused(schema: str) -> None:
    found = built(changed(read=f"{{word: {{marker: 'our:word', as: json, schema: {schema}}}}}"))
    assert not isinstance(found, Format)
    assert {item.code for item in found} == {"PG901"}
    assert all(item.path[:3] == ("read", "word", "schema") for item in found)


def test_schema_that_unfolds_without_end__is_refused_at_once() -> None:
    both = "{{$ref: '#/$defs/d{0}'}}, {{$ref: '#/$defs/d{0}'}}"
    doubling = ", ".join(f"d{number}: {{allOf: [{both.format(number + 1)}]}}" for number in range(30))
    schema = f"{{$ref: '#/$defs/d0', $defs: {{{doubling}, d30: {{}}}}}}"
    began = time.process_time()
    assert codes_of(changed(read=f"{{word: {{marker: 'our:word', as: json, schema: {schema}}}}}")) == ["PG901"]
    assert time.process_time() - began < 2


PARTS = ", ".join(["{not: {const: 1}}"] * 900)


@pytest.mark.parametrize("schema", [
    "{allOf: [" + ", ".join(["{$ref: '#/$defs/a'}"] * 300) + "], $defs: {a: {allOf: [" + PARTS + "]}}}",
    "{allOf: [" + ", ".join([PARTS] * 3) + "]}",
    "{enum: [" + ", ".join(map(str, range(2_500))) + "]}",
], ids=["references", "parts", "values"])  # fmt: skip
def test_schema_of_too_many_parts__is_refused_at_once(schema: str) -> None:
    began = time.process_time()
    assert codes_of(changed(read=f"{{word: {{marker: 'our:word', as: json, schema: {schema}}}}}")) == ["PG901"]
    assert time.process_time() - began < 5


def test_many_values_against_a_large_schema__are_refused_at_once() -> None:
    schema = f"{{properties: {{l: {{items: {{allOf: [{PARTS}]}}}}}}}}"
    dialect = of(changed(read=f"{{word: {{marker: 'our:word', as: json, schema: {schema}}}}}"))
    began = time.process_time()
    listed = ", ".join(["2"] * 10_000)
    assert codes(said(dialect, f'<!-- our:word {{"verdict": "ok", "l": [{listed}]}} -->')) == ["PG922"]
    assert time.process_time() - began < 3
    assert codes(said(dialect, '<!-- our:word {"verdict": "ok", "l": [2, 3]} -->')) == []


def test_schema_by_path__that_is_broken_is_refused() -> None:
    text = changed(read="{word: {marker: 'our:word', as: json, schema_file: s.json}}")
    assert "was not read" in message(text)
    found = built(text, **{"s.json": "{"})
    assert not isinstance(found, Format)
    assert found[0].code == "PG901"
    assert isinstance(built(text, **{"s.json": '{"type": "object"}'}), Format)


@pytest.mark.parametrize("text", [
    "in: [comment]\nmarker: x", "in: [telegram]", "read: {word: {marker: x, regex: y}}", "read: {Word: {marker: x}}",
    "outcome: passed", "role: Judge", "edits: anybody", "evidence: false", "when: [{of: a/b}]", "commit: ''",
])  # fmt: skip
def test_schema_of_formats__is_strict(text: str) -> None:
    document = read_yaml(text)
    assert isinstance(document, Document)
    assert validate("format", document)


def test_text_without_a_trigger__costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasegate.reading.markdown.page.Page.of", None)
    assert read(of(BASE + "roles: {judge: {does: challenges}}"), text_of("Nothing of ours in it. " * 2000)) == ()


EITHER = """\
in: [comment]
read: {word: {marker: "our:word", as: json, spelling: either, own_spelling: [theirId]}}
role: judge
outcome: {of: word/the_data/the_verdict, map: {ok: pass, bad: fail}}
run: word/the_data/theirId/runId
"""


@pytest.mark.parametrize("payload", [
    '{"the_data": {"the_verdict": "ok", "theirId": {"runId": "r1", "run_no": 2}}}',
    '{"theData": {"theVerdict": "ok", "theirId": {"runId": "r1", "run_no": 2}}}',
])  # fmt: skip
def test_spelling__is_one_of_two_and_read_the_same(payload: str) -> None:
    (signal,) = read(of(EITHER), text_of(f"```our:word\n{payload}\n```"))
    assert (signal.outcome, signal.run, signal.problems) == (Outcome.PASS, "r1", ())


def test_spelling__both_at_once_is_an_invalid_word_with_its_place() -> None:
    (signal,) = read(of(EITHER), text_of('```our:word\n{"theData": {"the_verdict": "bad"}}\n```'))
    (found,) = signal.problems
    assert (signal.outcome, found.code, found.where.line, found.where.column) == (None, "PG925", 2, 14)
    assert '"the_verdict" and "theData"' in found.message


def test_spelling__faults_stand_where_the_value_is_written() -> None:
    (signal,) = read(of(EITHER), text_of('```our:word\n{"theData":\n  {"theVerdict": "fine"}}\n```'))
    assert [(item.code, item.where.line, item.where.column) for item in signal.problems] == [("PG914", 3, 18)]


def test_empty__a_null_is_neither_empty_nor_full() -> None:
    told = (
        "outcome: {of: word/verdict, map: {ok: pass}}\nvetoes: [{when: [{of: word/found, empty: false}], is: fail}]\n"
    )
    text = f"in: [comment]\nread: {{word: {{marker: 'our:word', as: json}}}}\nrole: judge\n{told}"
    found = [said(of(text), f'```our:word\n{{"verdict": "ok", "found": {value}}}\n```') for value in ("null", "[1]")]
    assert [signal.outcome for signal in found] == [Outcome.PASS, Outcome.FAIL]
    hollow = text.replace("empty: false", "empty: true")
    assert said(of(hollow), '```our:word\n{"verdict": "ok", "found": null}\n```').outcome is Outcome.PASS


SCORED = """\
in: [comment]
read: {word: {front_matter: true, as: AS}}
role: judge
roles: {judge: {does: challenges}}
outcome: {first: [{when: [{of: word/score, at_least: 0.8}], is: pass}], otherwise: fail}
"""


@pytest.mark.parametrize("score", ["0.85", "0.8", "0.80", "1"])
@pytest.mark.parametrize(("written", "word"), [("json", '{{"score": {}}}'), ("yaml", "score: {}")])
def test_decimal__compares_alike_in_yaml_and_json(written: str, word: str, score: str) -> None:
    dialect = of(SCORED.replace("{front_matter: true, as: AS}", f'{{marker: "our:word", as: {written}}}'))
    assert said(dialect, f"<!-- our:word\n{word.format(score)}\n-->").outcome is Outcome.PASS
    assert said(dialect, f"<!-- our:word\n{word.format('0.79')}\n-->").outcome is Outcome.FAIL
