"""Help for whoever describes a format: what a description finds in posted bodies, and a description made from some."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasegate.cli.files import UsageError, read_text
from phasegate.cli.learning import OUTCOMES, Tried, errors, learn, text_of, tried
from phasegate.cli.terminal import NOT_PASSED, PASSED, Terminal
from phasegate.dialects.described import described_formats, schema_paths
from phasegate.dialects.described.boxes import box, box_names
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.declaration import Described, Format
from phasegate.dialects.described.reader import nearest
from phasegate.model.problem import Where
from phasegate.model.signal import Outcome, Signal
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.yaml import POLICY_LIMITS, read_yaml
from phasegate.report.inert import plain, safe_json

POLICY = Path(".github/phase-gate.yml")
MOST_SHOWN = 10
Data = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of this command."""
    does = parser.add_subparsers(title="what to do", metavar="try|learn", required=True, dest="does")
    tried = does.add_parser("try", help="show how saved comments are read, and their forged variants (twins)")
    tried.add_argument("files", nargs="+", metavar="FILE", help="bodies as they were posted, or files of the branch")
    tried.add_argument("--policy", type=Path, default=POLICY, metavar="FILE", help=f"whose formats; default {POLICY}")
    tried.add_argument("--format", metavar="NAME", help="only this format; without it all of the policy")
    learnt = does.add_parser("learn", help="propose a description from saved comments and their outcomes")
    learnt.add_argument("bodies", nargs="+", metavar="FILE=OUTCOME", help="pass, fail or blocked; best one of each")
    learnt.add_argument("--name", default="our-review", help="the format's name; default our-review")
    learnt.add_argument("--role", default="our-reviewer", help="who speaks; default our-reviewer")
    for each in (tried, learnt):
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Try a description, or learn one."""
    return _try(options, terminal) if options.does == "try" else _learn(options, terminal)


def _try(options: argparse.Namespace, terminal: Terminal) -> int:
    boxed = options.format in box_names() and not options.policy.is_file()
    formats = _boxed(options.format) if boxed else {**_boxed(options.format), **_formats(options.policy)}
    if options.format is not None and options.format not in formats:
        known = ", ".join(formats) or "none"
        raise UsageError(f'--format: "{options.format}" is no format of {options.policy} (it has {known})')
    wanted = [each for name, each in formats.items() if options.format in (None, name)]
    if not wanted:
        raise UsageError(f"--policy {options.policy}: it describes no format")
    bodies = [(path, read_text(Path(path), "FILE")) for path in options.files]
    found = [item for path, body in bodies for each in wanted for item in tried(each, path, body)]
    wrong = [item for item in found if item.twin and item.counts]
    unread = [path for path, _ in bodies if not any(item.path == path and item.signals for item in found)]
    invalid = [path for path, _ in bodies if path not in unread and not any(_reads(item, path) for item in found)]
    ok = not wrong and not unread and not invalid
    if options.json:
        told = {"unread": unread, "invalid": invalid, "tried": [_data(item) for item in found]}
        terminal.say(safe_json({"ok": ok, **told}))
        return PASSED if ok else NOT_PASSED
    for item in found:
        if item.signals or item.twin:
            _show(item, terminal)
    for path in unread:
        terminal.say(f"{plain(path, 500)}: nothing is found; {plain(_nearest(wanted, path, dict(bodies)[path]), 500)}")
    twins = f"twins that would count as a pass: {len(wrong)}" if wrong else "no twin would count as a pass"
    terminal.say(f"bodies: {len(bodies)}, not read: {len(unread)}, invalid: {len(invalid)}; {twins}")
    return PASSED if ok else NOT_PASSED


def _reads(item: Tried, path: str) -> bool:
    """Whether a format reads a body itself, and all that it says counts."""
    return item.path == path and not item.twin and bool(item.signals) and not item.invalid


def _boxed(name: str | None) -> dict[str, Described]:
    """The format of a reviewer in a box, by its name."""
    made = build_format(name, box(name).described({}), {}) if name in box_names() and name else None
    return {name: Described(name, {name: made})} if name and isinstance(made, Format) else {}


def _formats(path: Path) -> dict[str, Described]:
    """The formats of a policy, or of a file with nothing but formats."""
    text = read_text(path, "--policy")
    if not re.search(r"^version:", text, re.MULTILINE):
        text = f"{text}\nversion: 1\n"
    files = {name: read_text(Path(name), "schema_file") for name in schema_paths(text) if Path(name).is_file()}
    loaded = load_policy(text, str(path), tuple(files.items()))
    document = read_yaml(text, limits=POLICY_LIMITS)
    if not isinstance(loaded, Policy) or not isinstance(document, Document) or not isinstance(document.value, dict):
        wrong = loaded[:MOST_SHOWN] if isinstance(loaded, tuple) else ()
        faults = " | ".join(f"{item.where}: {item.message}" for item in wrong)
        raise UsageError(f"--policy {faults or path} | lint {path} shows every line")
    told: Any = document.value.get("formats", {})
    return described_formats(told, files, document, Where(path=str(path)))[0]


def _nearest(dialects: Sequence[Described], path: str, body: str) -> str:
    return "; ".join(f"{each.name}: {nearest(each.forms, text_of(each, path, body))}" for each in dialects)


def _verdict(item: Tried) -> str:
    if not item.signals:
        return "nothing: it is not this format"
    return "; ".join(_word(signal) for signal in item.signals)


def _word(signal: Signal) -> str:
    role = " or ".join(signal.roles) or "an unclear role"
    commit = f" for {signal.commit}" if signal.commit else ""
    wrong = errors(signal)
    outcome = signal.outcome.value if signal.outcome else "no outcome"
    return f"{role}: {'invalid' if wrong else outcome}{commit}{f' ({wrong[0]})' if wrong else ''}"


def _show(item: Tried, terminal: Terminal) -> None:
    if item.twin:
        mark = terminal.coloured("WOULD PASS", "31") if item.counts else "refused"
        terminal.say(f"    {item.twin:<22} {mark}: {plain(_verdict(item), 300)}")
        return
    terminal.say(f"{plain(item.path, 500)}: {item.format}: {plain(_verdict(item), 500)}")
    for part in item.parts:
        value = json.dumps(part.value, ensure_ascii=False)
        terminal.say(f"    {part.form}/{part.name} at {part.line}:{part.column}: {plain(value, 300)}")


def _data(item: Tried) -> Data:
    return {
        "path": item.path,
        "format": item.format,
        "twin": item.twin or None,
        "counts_as_pass": item.counts,
        "parts": [
            {"form": part.form, "name": part.name, "line": part.line, "column": part.column} for part in item.parts
        ],
        "signals": [
            {
                "roles": list(signal.roles),
                "outcome": signal.outcome.value if signal.outcome else None,
                "said": signal.said,
                "commit": signal.commit,
                "problems": [item.code for item in signal.problems],
            }
            for signal in item.signals
        ],
    }


def _learn(options: argparse.Namespace, terminal: Terminal) -> int:
    samples = [_sample(text) for text in options.bodies]
    outcomes = {outcome for _, _, outcome in samples}
    if Outcome.PASS not in outcomes:
        raise UsageError("FILE=OUTCOME: give at least one body that passes, best with one that does not")
    bodies, told = [body for _, body, _ in samples], [outcome for *_, outcome in samples]
    found = learn(bodies, told, options.role)
    if found is None:
        terminal.complain(
            "no single place tells the outcomes of these bodies (a marker, a fence, front matter, a label, a heading, "
            "the first or the last line, with a word that differs); describe it by hand: docs/formats.md, More examples"
        )
        return NOT_PASSED
    if options.json:
        terminal.say(safe_json({"formats": {options.name: found}}))
        return PASSED
    others = "" if len(outcomes) > 1 else "\n# only passes were shown: add the other words to the map"
    terminal.say(f"# read as expected: {len(bodies)}. Check this, then run: formats try{others}\nformats:")
    terminal.say(f"  {options.name}:")
    for key, value in found.items():
        terminal.say(f"    {key}: {json.dumps(value, ensure_ascii=False)}")
    return PASSED


def _sample(text: str) -> tuple[str, str, Outcome]:
    path, _, outcome = text.rpartition("=")
    if outcome not in OUTCOMES or not path:
        raise UsageError(f'FILE=OUTCOME: "{text}" does not end in =pass, =fail or =blocked')
    return path, read_text(Path(path), "FILE").replace("\r\n", "\n"), OUTCOMES[outcome]
