"""What the gate says about every story and attack, one line of JSON each, so that two versions can be compared.

``python3 tests export FILE`` writes it. ``python3 tests export --compare OLD NEW`` prints what changed, by story, and
fails if something did; ``--states`` compares nothing but states. ``--attacks FILE`` writes the list of all attacks with
their defences, as Markdown, and ``--vectors FOLDER`` the conformance vectors.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from phasegate.model.report import NeedState, PhaseReport, Report
from phasegate.report.status import status_lines
from phasegate.report.summary.overview import overview
from phasegate.report.tasks import next_action
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of
from tests.casebook.every import STORIES
from tests.casebook.update import attack_page
from tests.casebook.vectors import write_vectors

JSON = dict[str, Any]


def rows() -> Iterator[JSON]:
    """A row for each story and attack, by name."""
    named = {f"story/{name}": each for name, each in STORIES.items()}
    named |= {f"attack/{name}": each for name, each in ATTACKS.items()}
    for name in sorted(named):
        yield {"name": name, **row(report_of(named[name]))}


def row(report: Report) -> JSON:
    """The states, why each open need is open, and the first lines that a person reads."""
    return {
        "state": report.state.value,
        "phases": {phase.name: phase.state.value for phase in report.phases},
        "reasons": {phase.name: reasons(phase) for phase in report.phases},
        "withheld": None if report.withheld is None else report.withheld.value,
        "status": status_lines(report)[-1].description,
        "headline": overview(report).headline,
        "next": next_action(report),
    }


def reasons(phase: PhaseReport) -> list[str]:
    """The open needs and the notes of a phase, sorted."""
    open_needs = [f"{need.name} {need.why.value}" for need in phase.needs if need.state is not NeedState.MET]
    return sorted([*open_needs, *(f"note {note.kind.value}" for note in phase.notes)])


def differences(old: JSON, new: JSON, keys: Sequence[str]) -> Iterator[str]:
    """What changed in a row, a line for each key."""
    for key in keys:
        if old.get(key) != new.get(key):
            before, after = (json.dumps(each.get(key), ensure_ascii=False) for each in (old, new))
            yield f"  {key}: {before}\n  {' ' * len(key)}> {after}"


def compare(old: dict[str, JSON], new: dict[str, JSON], *, states: bool) -> Iterator[str]:
    """What changed between two exports, by story."""
    for name in sorted({*old, *new}):
        if name not in new or name not in old:
            yield f"{name}\n  {'is new' if name in new else 'is gone'}"
            continue
        keys = ("state", "phases") if states else tuple(dict.fromkeys((*old[name], *new[name])))
        changed = list(differences(old[name], new[name], keys))
        if changed:
            yield "\n".join([name, *changed])


def read(path: Path) -> dict[str, JSON]:
    """The rows of an export by name."""
    found = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {each["name"]: each for each in found}


def main(arguments: Sequence[str]) -> int:
    """Write an export, or compare two."""
    parser = argparse.ArgumentParser(prog="python3 tests export", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--compare", action="store_true", help="compare two exports")
    parser.add_argument("--states", action="store_true", help="compare nothing but states")
    parser.add_argument("--attacks", action="store_true", help="write the list of attacks and their defences")
    parser.add_argument("--vectors", action="store_true", help="write the conformance vectors into a folder")
    asked = parser.parse_args(arguments)
    if len(asked.files) != (2 if asked.compare else 1):
        parser.error("name one file to write, or two to compare")
    if asked.vectors:
        manifest = write_vectors(asked.files[0])
        sys.stdout.write(f"{manifest['vectors']} vectors in {asked.files[0]}, {manifest['left_out']} left out\n")
        return 0
    if not asked.compare:
        lines = "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in (() if asked.attacks else rows()))
        text = attack_page() if asked.attacks else lines
        asked.files[0].write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"{text.count(chr(10))} lines in {asked.files[0]}\n")
        return 0
    old, new = map(read, asked.files)
    changed = list(compare(old, new, states=asked.states))
    sys.stdout.writelines(f"{each}\n" for each in changed)
    sys.stdout.write(f"{len(changed)} of {len({*old, *new})} changed\n")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
