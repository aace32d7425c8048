"""The catalogue of problem codes, collected from every part: messages, ``explain`` and the docs come from it."""

from __future__ import annotations

import json
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Fault, Fix, Problem, Severity, Where

# Each describes its own codes in a codes.yml beside the rules that raise them; so does every dialect.
PARTS = ("reading", "rules", "policy", "context", "dialects.described")


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What a code means, for ``explain`` and the docs.

    The policy may change the severity of ``adjustable`` codes; the others guard what the gate can trust. ``fixed_in``
    is the seat whose file must be changed, if it is not the file with the problem.
    """

    code: str
    title: str
    severity: Severity
    adjustable: bool = False
    why: str
    fix: str
    bad: str
    good: str
    fixed_in: str = ""


@cache
def by_code() -> dict[str, Entry]:
    """Every entry by its code, with its examples as templates."""
    registry = import_module("phasegate.dialects.registry")
    parts = (*PARTS, *(f"dialects.{name}" for name in registry.BUILT_IN))
    specs = filter(None, (find_spec(f"phasegate.{part}") for part in parts))
    files = (Path(folder, "codes.yml") for spec in specs for folder in spec.submodule_search_locations or ())
    found = {code: told for file in files for code, told in read_codes(file.read_text(encoding="utf-8")).items()}
    return {code: _entry(code, **found[code]) for code in sorted(found)}


def _entry(code: str, *, severity: str, adjustable: str = "", **told: str) -> Entry:
    return Entry(code=code, severity=Severity(severity), adjustable=bool(adjustable), **told)


def read_codes(text: str) -> dict[str, dict[str, str]]:
    """The little of YAML that a ``codes.yml`` is written in; every run needs it, and a parser takes 50 times as long.

    Codes with keys, each with a line, a line in the quotes of JSON, or a block of lines.
    """
    found: dict[str, dict[str, str]] = {}
    entry, key = dict[str, str](), ""
    for line in text.splitlines():
        if line.startswith("PG"):
            entry = found[line.rstrip(":")] = {}
        elif line.startswith("    ") or not line:
            entry[key] += f"{line[4:]}\n"
        elif not line.startswith("#"):
            key, _, value = line.strip().partition(": ")
            entry[key] = "" if value == "|" else json.loads(value) if value.startswith('"') else value
    return found


def shown(item: Entry) -> Entry:
    """An entry with a dialect's words in its examples, for ``@MARKER@``, ``@HEADING@``, ``@ROLE@``, ``@PROFILE@``."""
    bad, good = item.bad, item.good
    example: dict[str, str] = import_module("phasegate.dialects.registry").example()
    for token, word in example.items():
        bad, good = bad.replace(token, word), good.replace(token, word)
    return replace(item, bad=bad, good=good)


@cache
def entries() -> tuple[Entry, ...]:
    """Every entry in the order of codes, with its examples as people see them."""
    return tuple(map(shown, by_code().values()))


def entry(code: str) -> Entry:
    """The entry of an existing code, with its examples as people see them."""
    return shown(by_code()[code])


def problem(code: str, message: str, where: Where, *, hint: str = "", fix: Fix | None = None) -> Problem:
    """A problem with its code's severity, and the code's hint unless another is given."""
    listed = by_code()[code]
    told = hint or listed.fix
    return Problem(code=code, severity=listed.severity, message=message, where=where, hint=told, fix=fix)


def problem_of(fault: Fault, document: Where) -> Problem:
    """A reader's fault as a problem of its document."""
    return problem(
        fault.code, fault.message, document.at(fault.position, fault.json_path), hint=fault.hint, fix=fault.fix
    )
