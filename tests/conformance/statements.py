"""The statements of a dialect's documents: one YAML file for each page of docs/conformance, which is made of it.

A statement has what it ``says`` and either ``unchecked``, the reason why nothing can check it, or the ``code`` that
enforces it with two examples: one that ``holds`` and one that ``breaks`` it. An example is

- the name of a file or folder of tests/examples, or of one case of a collection there,
- ``story`` and the name of one of the case book; its code may also be the reason of a need,
- ``context`` and the name of a file of tests/conformance, for ``context check``,
- or a change: texts with what replaces them, each of which occurs once, in the example ``of`` this name (``breaks``
  takes that of ``holds`` unless it names one); ``at`` names the file of a folder, and ``@LONG@`` is a long text.

Beside the statements a dialect may have ``samples``, those of its documents as ``lint`` takes them, and ``beside``,
inputs that the original program answered too; see compared.py.

``each`` makes one statement for every value (a list), or value with its text (a map): ``{}`` stands for the value in
all texts, ``<>`` for the text.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

from phasegate.cli.main import main
from phasegate.context.protocol import check
from phasegate.model.report import NeedState, Report
from phasegate.reading.document import Document, Limits
from phasegate.reading.yaml import read_yaml
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.test_examples import EXAMPLES, INVALID, VALID
from tests.test_examples import Example as OneText
from tests.unit.dialects.pipeline.issue_folder import laid_out

FOLDER = Path(__file__).parent
DIALECTS = tuple(sorted(path.stem for path in FOLDER.glob("*.yml")))
LIMITS = Limits(characters=400_000, depth=16, events=200_000)
STORY, CONTEXT = "story ", "context "
INDEPENDENCE = "independence"  # in place of a code, where a report names phases of one account
HEAD = """\
# {title}, statement by statement

For people who work on the gate, or who implement the same format. To use the dialect, read [its page](../{dialect}.md).

Made from `tests/conformance/{dialect}.yml` by `python3 tests pytest --update-cases`; do not edit it.

{count} statements in our own words: {enforced} are enforced, each proven by an example that holds and one that breaks
it, and {unchecked} cannot be checked. A code is in [codes.md](../codes.md), or it is the reason of a need in the
[report](../report.md); an example is one of `tests/examples/{dialect}`, as it is or changed as shown; a case is one of
the case book.
"""


@dataclass(frozen=True, kw_only=True)
class Example:
    """A text, folder or story; ``changes`` replace what stands in it."""

    name: str
    at: str = ""
    changes: dict[str, str] = field(default_factory=dict)

    def shown(self) -> str:
        """The example in a cell of a table."""
        kind, _, rest = self.name.rpartition(" ")
        name = f"case {rest}" if f"{kind} " == STORY else f"{kind} `{rest}`".strip()
        place = f", `{self.at}`" if self.at else ""
        changes = "; ".join(f"{_code(old)} → {_code(new) if new else 'nothing'}" for old, new in self.changes.items())
        return f"{name}{place}: {changes}" if changes else f"{name}{place}"


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One checkable statement; either ``unchecked`` or all the others are there."""

    number: str
    section: str
    says: str
    unchecked: str = ""
    code: str = ""
    holds: Example | None = None
    breaks: Example | None = None


def _code(text: str) -> str:
    """A text as inline code of a table."""
    shown = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


@cache
def data(dialect: str) -> dict[str, Any]:
    """What the file of a dialect says."""
    document = read_yaml((FOLDER / f"{dialect}.yml").read_text(encoding="utf-8"), limits=LIMITS)
    assert isinstance(document, Document), document
    return cast("dict[str, Any]", document.value)


@cache
def statements(dialect: str) -> tuple[Statement, ...]:
    """The statements of a dialect, in order."""
    return tuple(
        each
        for section, rows in data(dialect)["sections"].items()
        for number, row in rows.items()
        for each in _expanded(section, number, row)
    )


def _expanded(section: str, number: str, row: dict[str, Any]) -> Iterator[Statement]:
    """A statement for each value of ``each``, or the row as it is."""
    known = {"says", "unchecked", "code", "holds", "breaks", "each"}
    assert row.keys() <= known, f"{number}: {row.keys() - known}"
    each = row.get("each")
    values = each.items() if isinstance(each, dict) else ((value, "") for value in each or [""])
    for value, text in values:
        full = {key: _filled(part, str(value), str(text)) for key, part in row.items() if key != "each"}
        holds = example_of(full["holds"]) if "holds" in full else None
        breaks = example_of(full["breaks"], holds.name if holds else "") if "breaks" in full else None
        told = {key: full.get(key, "") for key in ("says", "unchecked", "code")}
        name = f"{number} {value}" if each else number
        yield Statement(number=name, section=section, holds=holds, breaks=breaks, **told)


def _filled(part: Any, value: str, text: str) -> Any:  # noqa: ANN401  (YAML of any shape)
    if isinstance(part, dict):
        return {_filled(key, value, text): _filled(inner, value, text) for key, inner in part.items()}
    return part.replace("{}", value).replace("<>", text) if isinstance(part, str) and (value or text) else part


def example_of(told: str | dict[str, str], of: str = "") -> Example:
    """An example as a file of statements tells it."""
    if isinstance(told, str):
        return Example(name=told)
    changes = {key: value for key, value in told.items() if key not in ("of", "at")}
    return Example(name=told.get("of", of), at=told.get("at", ""), changes=changes)


def page(dialect: str) -> str:
    """The page of a dialect."""
    rows, title = statements(dialect), data(dialect)["title"]
    enforced = sum(1 for row in rows if row.code)
    counts = {"count": len(rows), "enforced": enforced, "unchecked": len(rows) - enforced}
    lines = [HEAD.format(title=title, dialect=dialect, **counts)]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines += [f"## {section}\n", "| no. | statement | enforced by | holds | breaks |", "|---|---|---|---|---|"]
        code = f"`{row.code}`" if row.code else f"not checked: {row.unchecked}"
        cells = [row.number, row.says, code, *(each.shown() if each else "" for each in (row.holds, row.breaks))]
        lines.append(f"| {' | '.join(cells)} |")
        if row is rows[-1] or rows[rows.index(row) + 1].section != section:
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def codes_of(dialect: str, examples: list[Example], room: Path) -> list[dict[str, str]]:
    """The codes that examples draw, each with how grave it is."""
    found: list[dict[str, str]] = [{} for _ in examples]
    paths: dict[str, int] = {}
    for number, example in enumerate(examples):
        if example.name.startswith(STORY):
            told = STORIES | ATTACKS
            found[number] = codes_of_report(report_of(told[example.name.removeprefix(STORY)]))
        elif example.name.startswith(CONTEXT):
            text = _changed(example, (FOLDER / example.name.removeprefix(CONTEXT)).read_text(encoding="utf-8"))
            found[number] = {fault.code: "fault" for fault in check(text, {"src/auth.py"}.__contains__).faults}
        else:
            paths[str(_written(dialect, example, room / str(number)))] = number
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main(["lint", "--json", *paths], {})
    for item in json.loads(out.getvalue())["problems"]:
        path = Path(item["where"]["path"])
        number = next(paths[str(place)] for place in (path, *path.parents) if str(place) in paths)
        found[number][item["code"]] = min(item["severity"], found[number].get(item["code"], "z"))
    return found


def codes_of_report(report: Report) -> dict[str, str]:
    """The codes of a report, with the reasons of its open needs and of its notes."""
    needs = (need for phase in report.phases for need in phase.needs if need.state is not NeedState.MET)
    notes = (note.kind.value for phase in report.phases for note in phase.notes)
    reasons = dict.fromkeys((*(need.why.value for need in needs), *notes), "reason")
    withheld = {} if report.withheld is None else {report.withheld.value: "reason"}
    withheld |= {INDEPENDENCE: "reason"} if report.one_account else {}
    return {**reasons, **withheld, **{item.code: "" for item in report.problems}}


@cache
def _texts(dialect: str) -> dict[str, OneText]:
    """The examples of a dialect that are one text, by their names with and without the ending."""
    found = {each.title: each for each in (*VALID, *INVALID) if each.name.startswith(f"{dialect}/")}
    return {**{name.rpartition(".")[0]: each for name, each in found.items()}, **found}


def _written(dialect: str, example: Example, place: Path) -> Path:
    """An example as a file or folder of its own, with its changes."""
    place.mkdir()
    known = _texts(dialect)
    if example.name in known:
        path = known[example.name].at(place)
        text = path.read_text(encoding="utf-8")
        path = place / path.name
        path.write_text(_changed(example, text), encoding="utf-8")
        return path
    folder = next(path for kind in ("valid", "invalid") if (path := EXAMPLES / dialect / kind / example.name).is_dir())
    whole = Path(shutil.copytree(laid_out(folder), place / example.name))
    if example.changes:
        (path,) = whole.rglob(example.at or "*.*")
        path.write_text(_changed(example, path.read_text(encoding="utf-8")), encoding="utf-8")
    return whole


def _changed(example: Example, text: str) -> str:
    for old, new in example.changes.items():
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {example.name}"
        text = text.replace(old, new.replace("@LONG@", "x" * 60_000))
    return text
