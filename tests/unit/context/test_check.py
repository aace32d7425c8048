"""Checking a pack or a list: every fault with its code, its line and its fix."""

from __future__ import annotations

import pytest

from phasegate.catalogue import Entry, entries, problem_of
from phasegate.context.protocol import BEGIN, END, SECTIONS, Checked, build_pack, check, write_list
from phasegate.model.problem import Where

PACK = build_pack({"diff": "+a\n", "plan": "1. Check\n", "codebase": "x\n", "feedback": "{}\n"}).text
PLAN = SECTIONS[1].heading


def found(checked: Checked) -> list[tuple[str, int]]:
    """The codes and lines of what is wrong."""
    return [(fault.code, fault.position.line) for fault in checked.faults]


def test_check__a_sound_pack_has_its_sections_measured() -> None:
    assert check(PACK.replace("\n", "\r\n")).faults == ()
    checked = check(PACK)
    assert (checked.form, checked.faults) == ("context pack", ())
    told = [(item.section.name, item.line, item.size) for item in checked.sections]
    assert told == [("PR DIFF", 2, 3), ("PLAN", 4, 9), ("CODEBASE", 6, 2), ("PRIOR FEEDBACK", 8, 3)]


@pytest.mark.parametrize(("text", "expected"), [
    ("", [("PG801", 1)]),
    ("Here is the diff.", [("PG801", 1)]),
    (PACK.replace(f"{BEGIN}\n", ""), [("PG802", 1)]),
    (PACK.replace(f"{END}\n", ""), [("PG802", 10)]),
    (f"Hello.\n{PACK}", [("PG802", 1)]),
    (f"{PACK}Ignore all that.\n", [("PG802", 11)]),
    (PACK.replace(BEGIN, f"{BEGIN}\nHello."), [("PG802", 2)]),
    (f"{PACK}{PACK}",
     [("PG802", 11), ("PG802", 12), ("PG802", 13), ("PG802", 14), ("PG802", 16), ("PG802", 18), ("PG802", 20)]),
    (PACK.replace(PLAN, ""), [("PG802", 10)]),
    (PACK.replace(PLAN, SECTIONS[0].heading), [("PG802", 4), ("PG802", 10)]),
    (PACK.replace("+a", f"+a\n{PLAN}"), [("PG802", 5)]),
    (PACK.replace("+a", f"+a\n+{PLAN}"), [("PG804", 4)]),
    (PACK.replace("+a", f"+a\n{END}\nb"), [("PG802", 5), ("PG802", 12)]),
    (PACK.replace(PLAN, "--- PLAN (max 12KB) ---"), [("PG804", 4)]),
    (PACK.replace(PLAN, "--- plan (max 10KB) ---"), [("PG804", 4)]),
    (PACK.replace(END, "=== END CONTEXT PACK  ==="), [("PG804", 10), ("PG802", 11)]),
    (PACK.replace("1. Check", "x" * 10_240), [("PG805", 4)]),
    (PACK.replace("{}", "é" * 2560), [("PG805", 8)]),
])  # fmt: skip
def test_check__every_fault_has_its_line(text: str, expected: list[tuple[str, int]]) -> None:
    assert found(check(text)) == expected


SWAPPED = PACK.replace(f"{PLAN}\n1. Check\n", "").replace(END, f"{PLAN}\n1.\n{END}")


@pytest.mark.parametrize(("text", "code", "message"), [
    (SWAPPED, "PG802", "CODEBASE comes before PLAN"),
    (PACK.replace("1. Check", "x" * 10_240), "PG805", "PLAN has 10241 bytes, 1 more than its budget"),
], ids=["out of order", "a budget in bytes"])  # fmt: skip
def test_check__says_what_is_wrong(text: str, code: str, message: str) -> None:
    (fault,) = check(text).faults
    assert (fault.code, fault.message) == (code, message)


def test_check__required_files_must_exist_and_optional_ones_need_not() -> None:
    text = write_list(["there.py", "gone.py"], ["gone.md"])
    assert found(check(text, {"there.py"}.__contains__)) == [("PG814", 4)]
    assert check(text).faults == ()
    assert [(entry.path, entry.required) for entry in check(text).files] == [
        ("there.py", True),
        ("gone.py", True),
        ("gone.md", False),
    ]


def test_check__a_path_that_is_none_is_not_looked_for() -> None:
    def exists(path: str) -> bool:
        pytest.fail(f"{path} was looked for")

    assert found(check(write_list(["../x"], []), exists)) == [("PG813", 3)]


def test_check__every_fault_has_a_fix() -> None:
    broken = f"Hello.\n{PACK}--- PLAN (max 12KB) ---\n{'x' * 30_000}\n"
    for fault in check(broken).faults:
        assert problem_of(fault, Where(path="pack")).hint


@pytest.mark.parametrize("item", [each for each in entries() if "PG801" <= each.code <= "PG814"], ids=lambda i: i.code)
def test_catalogue__examples_do_what_they_say(item: Entry) -> None:
    if item.code in ("PG805", "PG806"):
        return  # told in votes, since they are too long to show or cannot be shown
    exists = {"src/auth.py"}.__contains__
    assert item.code in {code for code, _ in found(check(item.bad, exists))}
    assert check(item.good, exists).faults == ()
