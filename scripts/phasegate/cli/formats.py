"""Tries a described format on posted bodies and on forged variants (twins) of them."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from phasegate.cli.files import named_files, read_text
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Colour, Steps, Terminal, UsageError
from phasegate.dialects.described.boxes import box, box_names, newer_box
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.declaration import SHOWN, Described, described_formats
from phasegate.dialects.described.forms import Field, Format, may_pass
from phasegate.dialects.described.reader import Span, nearest, spans
from phasegate.dialects.dialect import Text, as_carried
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import GOOD, Medium, Outcome, Place, Signal, Source
from phasegate.model.texts import ACTIONS_APP, Actor
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.globs import ends_like
from phasegate.reading.yaml import POLICY_LIMITS, read_yaml
from phasegate.report.inert import plain

POLICY = Path(".github/phase-gate.yml")
MOST_SHOWN = 10
CARRIED = ("body", "medium", "state", "title", "conclusion", "field")  # keys of a body in a list
OUTSIDE = "value outside the map"
Data = dict[str, Any]


MADE: Arguments = {
    "--medium": ("where the bodies were posted", {"choices": [medium.value for medium in Medium]}),
    "--state STATE": ("of reviews; default COMMENTED", {"default": "COMMENTED"}),
    "--title TEXT": ("of check runs", {"type": str, "default": ""}),
}
ARGUMENTS: Arguments = {
    "step": Steps(
        "what to do",
        "try|check",
        {
            "try": (
                "show how saved comments are read, and their forged variants (twins)",
                {
                    "files FILE": (
                        "bodies as they were posted, files of the branch, or lists of bodies",
                        {"nargs": "+", "type": str},
                    ),
                    "--policy FILE": (f"whose formats; default {POLICY}", {"default": POLICY}),
                    "--format NAME": "only this format; without it all of the policy",
                    **MADE,
                },
            ),
            "check": (
                "read saved posts by a built-in description and by a newer one",
                {
                    "files FILE": (
                        "bodies, or lists of them as in tests/examples/reviewers",
                        {"nargs": "+", "type": str},
                    ),
                    "--format NAME": ("the built-in reviewer", {"required": True}),
                    "--description FILE": "the newer description",
                    **MADE,
                },
            ),
        },
    )
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Shows how bodies are read: with their twins, or by two descriptions."""
    del terminal
    return _try(options) if options.does == "try" else _check(options)


def _check(options: argparse.Namespace) -> Answer:
    """Compares the built-in description with a newer one on each body. Exits with 1 if anything differs."""
    old = _boxed(options.format).get(options.format)
    if old is None:
        raise UsageError(f'--format: "{options.format}" is no built-in reviewer (they are {", ".join(box_names())})')
    new = (
        old if options.description is None else _newer(options.format, read_text(options.description, "--description"))
    )
    rows: list[Data] = []
    for name, carried in ((name, carried) for path in options.files for name, carried in _bodies(path, options)):
        wanted = carried.pop("reads", None)
        told = [_reading(each, text_of(each, name, **carried)) for each in (old, new)]
        rows.append({"body": name, "old": told[0], "new": told[1], "expected": wanted})
    ok = all(row["old"] == row["new"] and row["expected"] in (None, row["new"]) for row in rows)

    def text(terminal: Terminal) -> str:
        for row in rows:
            expected = f", expected {row['expected']}" if row["expected"] not in (None, row["new"]) else ""
            changed = "" if row["old"] == row["new"] else terminal.coloured(" CHANGED", Colour.YELLOW)
            terminal.say(f"{plain(row['body'], 200)}: old {row['old']}, new {row['new']}{expected}{changed}")
        return f"bodies: {len(rows)}"

    return Answer(PASSED if ok else NOT_PASSED, lambda: {"ok": ok, "bodies": rows}, text)


def _newer(name: str, text: str) -> Described:
    """The dialect of a newer description of a built-in reviewer."""
    found = newer_box(name, text)
    if isinstance(found, str):
        raise UsageError(f"the newer description of {name}: {found}")
    made = build_format(name, found.described({}), {})
    if not isinstance(made, Format):
        raise UsageError(f"the newer description of {name}: {made[0].message}")
    return Described(made)


def _bodies(path: str, options: argparse.Namespace) -> Iterator[tuple[str, Data]]:
    """The bodies in a file: the file itself, or each member of a list with where and how it was posted."""
    text = read_text(Path(path), "FILE")
    document = read_yaml(text, limits=POLICY_LIMITS) if path.endswith((".yml", ".yaml")) else None
    listed = document.value if isinstance(document, Document) and isinstance(document.value, list) else None
    if listed is None:
        yield path, {"body": text, "medium": options.medium, "state": options.state, "title": options.title}
    for row in listed or ():
        told: Data = row if isinstance(row, dict) else {}
        carried: Data = {key: told[key] for key in CARRIED if key in told}
        if not isinstance(carried.get("body"), str):
            raise UsageError(f"{path}: each member has a name and a body")
        yield str(told.get("path", told.get("name", path))), {**carried, "reads": told.get("reads")}


def _reading(dialect: Described, text: Text) -> str:
    """A body's reading, in one of the words used in lists of bodies."""
    signals = dialect.read(text, dialect.roles).signals
    if not signals:
        return "below" if text.talk else "nothing"
    if any(errors(signal) and signal.outcome is None for signal in signals):
        return "invalid"
    told = {signal.outcome for signal in signals}
    return "fail" if Outcome.FAIL in told else "pass" if told <= {*GOOD} else "wait"


def _try(options: argparse.Namespace) -> Answer:
    """Shows how the bodies and their twins are read."""
    boxed = options.format in box_names() and not options.policy.is_file()
    formats = _boxed(options.format) if boxed else {**_boxed(options.format), **_formats(options.policy)}
    if options.format is not None and options.format not in formats:
        known = ", ".join(formats) or "none"
        raise UsageError(f'--format: "{options.format}" is no format of {options.policy} (it has {known})')
    wanted = [each for name, each in formats.items() if options.format in (None, name)]
    if not wanted:
        raise UsageError(f"--policy {options.policy}: it describes no format")
    bodies = {name: carried for path in options.files for name, carried in _bodies(path, options)}
    found = [item for path, carried in bodies.items() for each in wanted for item in tried(each, path, **carried)]
    wrong = [item for item in found if item.twin and item.counts]
    unread = [path for path in bodies if not any(item.path == path and item.signals for item in found)]
    sound = {item.path for item in found if item.signals and not item.twin and not item.invalid}
    invalid = [path for path in bodies if path not in unread and path not in sound]
    ok = not wrong and not unread and not invalid

    def text(terminal: Terminal) -> str:
        for item in (each for each in found if each.signals or each.twin):
            said = "; ".join(_word(signal) for signal in item.signals) or "nothing: it is not this format"
            if item.twin:
                mark = terminal.coloured("WOULD PASS", Colour.RED) if item.counts else "refused"
                terminal.say(f"    {item.twin:<22} {mark}: {plain(said, 300)}")
                continue
            terminal.say(f"{plain(item.path, 500)}: {item.format}: {plain(said, 500)}")
            for part in item.parts:
                value = json.dumps(part.value, ensure_ascii=False)
                terminal.say(f"    {part.form}/{part.name} at {part.line}:{part.column}: {plain(value, 300)}")
        for path in unread:
            near = (f"{each.name}: {nearest(each.forms, text_of(each, path, **bodies[path]))}" for each in wanted)
            terminal.say(f"{plain(path, 500)}: nothing is found; {plain('; '.join(near), 500)}")
        twins = f"twins that would count as a pass: {len(wrong)}" if wrong else "no twin would count as a pass"
        counts = f"bodies: {len(bodies)}, not read: {len(unread)}, invalid: {len(invalid)}"
        return f"{counts}; {twins}"

    def data() -> Data:
        return {"ok": ok, "unread": unread, "invalid": invalid, "tried": [_data(item) for item in found]}

    return Answer(PASSED if ok else NOT_PASSED, data, text)


def _boxed(name: str | None) -> dict[str, Described]:
    """The format of a boxed reviewer, by name."""
    made = build_format(name, box(name).described({}), {}) if name in box_names() and name else None
    return {name: Described(made)} if name and isinstance(made, Format) else {}


def _formats(path: Path) -> dict[str, Described]:
    """The formats of a policy with its configured reviewers, or of a file with only formats."""
    text = read_text(path, "--policy")
    if not re.search(r"^version:", text, re.MULTILINE):
        text = f"{text}\nversion: 1\n"
    files = named_files(text, str(path))
    loaded = load_policy(text, str(path), tuple(files.items()))
    document = read_yaml(text, limits=POLICY_LIMITS)
    if not isinstance(loaded, Policy) or not isinstance(document, Document) or not isinstance(document.value, dict):
        wrong = loaded[:MOST_SHOWN] if isinstance(loaded, tuple) else ()
        faults = " | ".join(f"{item.where}: {item.message}" for item in wrong)
        raise UsageError(f"--policy {faults or path} | lint {path} shows every line")
    every: Any = document.value.get("formats", {})
    own = {name: told for name, told in every.items() if "from" not in told}
    newer = {name: _newer(name, files[told["from"]]) for name, told in every.items() if "from" in told}
    set_up = {each.name: each for each in loaded.dialects if isinstance(each, Described) and each.name in box_names()}
    return {**described_formats(own, files, document, Where(path=str(path)))[0], **newer, **set_up}


def _word(signal: Signal) -> str:
    role = " or ".join(signal.roles) or "an unclear role"
    commit = f" for {signal.commit}" if signal.commit else ""
    wrong = errors(signal)
    outcome = "invalid" if wrong else signal.outcome.value if signal.outcome else "no outcome"
    return f"{role}: {outcome}{commit}{f' ({wrong[0]})' if wrong else ''}"


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """What a format finds in one text. ``twin`` tells how the text was changed, if it was."""

    path: str
    format: str
    twin: str
    parts: tuple[Span, ...]
    signals: tuple[Signal, ...]

    @property
    def counts(self) -> bool:
        """True if the gate would take it for a pass. Words outside the changed one are unaffected."""
        changed = self.twin == OUTSIDE and self.invalid
        return not changed and any(signal.outcome in GOOD and not errors(signal) for signal in self.signals)

    @property
    def invalid(self) -> bool:
        """True if it finds something that would not count."""
        return any(errors(signal) for signal in self.signals)


def errors(signal: Signal) -> list[str]:
    """Why a signal does not count."""
    return [f"{item.code} {item.message}" for item in signal.problems if item.severity is Severity.ERROR]


def tried(dialect: Described, path: str, body: str, **posted: Any) -> Iterator[Tried]:  # noqa: ANN401  (as text_of)
    """What a format finds in a body and, if anything, in its twins."""
    own = _tried(dialect, path, body, "", **posted)
    yield own
    if not own.signals:
        return
    said = next((signal.said for signal in own.signals if signal.said and signal.said in body), "")
    whole = own.signals[0].source.medium is Medium.FILE
    for name, twin in TWINS.items():
        if not (whole and name in ON_PAGES):
            yield _tried(dialect, path, twin(body), name, **posted)
    if own.signals[0].source.medium is Medium.CHECK_RUN:
        for name, changes in RUNS.items():
            yield _tried(dialect, path, body, name, **{**posted, **changes})
    if said:
        changed = re.sub(rf"(?<![\w-]){re.escape(said)}(?![\w-])", "otherwise", body)
        yield _tried(dialect, path, changed, OUTSIDE, **posted)


def _quoted(body: str) -> str:
    return "".join(f"> {line}\n" for line in body.splitlines())


TWINS: Mapping[str, Callable[[str], str]] = {
    "quoted": _quoted,
    "in another fence": lambda body: f"For example:\n\n~~~~text\n{body}\n~~~~\n",
    "twice": lambda body: f"{body}\n\n{body}",
    "echoed before": lambda body: f"{_quoted(body)}\n{body}",
    "echoed after": lambda body: f"{body}\n\n{_quoted(body)}",
    "upper case": str.upper,
    "empty": lambda _: "",
}
RUNS: Mapping[str, Data] = {  # of check runs: what another app wrote, and what is not finished
    "by another app": {"app_id": 1},
    "by GitHub Actions": {"app_id": ACTIONS_APP},
    "under way": {"status": "in_progress"},
    "ended as failure": {"conclusion": "failure"},
}
ON_PAGES = ("twice", "echoed before", "echoed after")


def _tried(dialect: Described, path: str, body: str, twin: str, **changes: Any) -> Tried:  # noqa: ANN401  (of a check run)
    text = text_of(dialect, path, body, **changes)
    return Tried(
        path=path,
        format=dialect.name,
        twin=twin,
        parts=tuple(spans(dialect.format, text)),
        signals=as_carried(dialect.read(text, dialect.roles)).signals,
    )


def text_of(dialect: Described, path: str, body: str, **posted: Any) -> Text:  # noqa: ANN401  (of several types)
    """A body as GitHub would deliver it: a file if its path is the format's, or else in the format's medium.

    ``posted`` overrides this: the medium, a review's state, and a check run's other texts.
    """
    shapes = [form.path for form in dialect.forms if form.path is not None]
    shape = next((each for each in shapes if ends_like(each, path)), None)
    spoken = next((each for each in SHOWN if each in dialect.media and each is not Medium.FILE), Medium.FILE)
    medium = Medium(posted.get("medium") or (Medium.FILE if shape is not None else spoken))
    checks = sorted((form for form in dialect.forms if form.check is not None), key=lambda form: not may_pass(form))
    check = next(iter(checks), None)
    where, fields, app = Where(path=path), {}, None
    if shape is not None and medium is Medium.FILE:
        length = shape.root.count("/") + bool(shape.root) + shape.folders + 1
        where = Where(path="/".join(path.replace("\\", "/").split("/")[-length:]))
    if medium is Medium.CHECK_RUN and check is not None and check.check is not None:
        app = posted.get("app_id", check.check.app_id)
        told = {"status": "completed", "conclusion": "success", "title": "", **posted}
        fields = {"name": check.check.name or "", **{key: told[key] for key in ("status", "conclusion", "title")}}
        field = posted.get("field", check.lead.field.value)
        if field != Field.TEXT.value:
            fields, body = {**fields, field: body.strip()}, ""
    state = posted.get("state", "COMMENTED") if medium is Medium.REVIEW else None
    bot = Actor(login=dialect.name, type="Bot", id=1)  # whose state alone may speak
    source = Source(
        id=path, number=0, url=path, place=Place.PULL_REQUEST, medium=medium, author=bot, at="", app_id=app, state=state
    )
    return Text(source=source, where=where, body=body, fields=fields)
