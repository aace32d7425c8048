"""The catalogue of codes: complete, in order, used, and the one source of ``explain`` and of the docs page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from phasegate.catalogue import Entry, entries, read_codes
from phasegate.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts" / "phasegate"
PAGE = ROOT / "docs" / "codes.md"
CODE = re.compile(r"\bPG[0-9]{3}\b")
CODES = [item.code for item in entries()]


FILES = sorted(PACKAGE.rglob("codes.yml"))


def used_codes() -> set[str]:
    """Every code that stands in the source."""
    quoted = (re.findall(r'"(PG[0-9]{3})"', path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py"))
    return {code for found in quoted for code in found}


def test_catalogue__codes_are_unique_and_sorted() -> None:
    assert sorted(set(CODES)) == CODES
    assert [code for code in CODES if not CODE.fullmatch(code)] == []
    listed = [code for path in FILES for code in re.findall(r"(?m)^(PG[0-9]{3}):$", path.read_text(encoding="utf-8"))]
    assert sorted(listed) == CODES, "an entry is listed twice, or in a file that the catalogue leaves out"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_read_codes__reads_what_a_yaml_parser_reads(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    whole = {code: {**told, "adjustable": "adjustable" in told} for code, told in yaml.safe_load(text).items()}
    assert {code: {**told, "adjustable": "adjustable" in told} for code, told in read_codes(text).items()} == whole


def test_catalogue__has_every_code_of_the_source_and_no_other() -> None:
    assert used_codes() == set(CODES)


@pytest.mark.parametrize("item", entries(), ids=lambda item: item.code)
def test_entry__says_why_how_to_mend_and_shows_both(item: Entry) -> None:
    assert all((item.title.strip(), item.why.strip(), item.fix.strip(), item.bad.strip(), item.good.strip()))
    assert item.bad != item.good
    assert item.fix[0].isupper()
    assert item.fix.rstrip()[-1] in ".?"
    assert "\n" not in item.title + item.why + item.fix
    assert set(CODE.findall(f"{item.why} {item.fix} {item.good}")) <= set(CODES)


def test_entries__what_guards_trust_cannot_be_turned_off() -> None:
    """Whoever may write the policy may not make a forged, tampered, stale or misplaced word count."""
    adjustable = {item.code for item in entries() if item.adjustable}
    guards = {code for code in CODES if code.startswith(("PG03", "PG2", "PG3", "PG4", "PG5", "PG6"))} - {"PG218"}
    contradictions = {"PG101", "PG102", "PG103", "PG108", "PG111", "PG112", "PG114", "PG115"}
    of_artifacts = {f"PG{code}" for code in (710, 713, 722, 730, 791)}
    of_others = {f"PG{code}" for code in (760, 780)}
    assert adjustable & (guards | contradictions | of_artifacts | of_others | {"PG119", "PG126"}) == set()


@pytest.mark.parametrize("code", CODES)
def test_explain__knows_every_code(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", code], {}) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"{code}  ")
    assert main(["explain", "--json", code.lower()], {}) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["code"] == code
    assert {"title", "severity", "why", "fix", "bad", "good", "adjustable"} <= set(answer)


def test_explain__without_a_code_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain"], {}) == 0
    assert [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()] == CODES


def test_docs__name_only_codes_that_exist() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob(".github/*.md"), *ROOT.glob("docs/**/*.md")]
    named = {code for path in documents for code in CODE.findall(path.read_text(encoding="utf-8"))}
    examples = {"PG999"}  # stands for a code that does not exist
    assert named - set(CODES) <= examples
