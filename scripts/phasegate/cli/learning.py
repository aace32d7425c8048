"""What descriptions find in bodies and in their standing twins, and a description learnt from some of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.declaration import SHOWN, Described, Field, Format
from phasegate.dialects.described.reader import Span, spans
from phasegate.dialects.dialect import Text, as_carried
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault, Severity, Where
from phasegate.model.signal import GOOD, Medium, Outcome, Place, Signal, Source
from phasegate.model.texts import ACTIONS_APP
from phasegate.reading.document import Document
from phasegate.reading.globs import ends_like
from phasegate.reading.json.reader import read_json
from phasegate.reading.patterns import Pattern, read_pattern
from phasegate.reading.yaml import read_yaml

OUTSIDE = "value outside the map"
Data = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """What a format finds in one text; ``twin`` is how the text was changed, if it was."""

    path: str
    format: str
    twin: str
    parts: tuple[Span, ...]
    signals: tuple[Signal, ...]

    @property
    def counts(self) -> bool:
        """Whether the gate would take it as a pass; other words than the one that was changed are as they were."""
        changed = self.twin == OUTSIDE and self.invalid
        return not changed and any(signal.outcome in GOOD and not errors(signal) for signal in self.signals)

    @property
    def invalid(self) -> bool:
        """Whether something is found that would not count."""
        return any(errors(signal) for signal in self.signals)


def errors(signal: Signal) -> list[str]:
    """What keeps a signal from counting."""
    return [f"{item.code} {item.message}" for item in signal.problems if item.severity is Severity.ERROR]


def tried(dialect: Described, path: str, body: str) -> Iterator[Tried]:
    """What a format finds in a body and, where that is something, in its twins."""
    own = _tried(dialect, path, body, "")
    yield own
    if not own.signals:
        return
    said = next((signal.said for signal in own.signals if signal.said and signal.said in body), "")
    whole = own.signals[0].source.medium is Medium.FILE
    for name, twin in TWINS.items():
        if not (whole and name in ON_PAGES):
            yield _tried(dialect, path, twin(body), name)
    if own.signals[0].source.medium is Medium.CHECK_RUN:
        for name, changes in RUNS.items():
            yield _tried(dialect, path, body, name, **changes)
    if said:
        changed = re.sub(rf"(?<![\w-]){re.escape(said)}(?![\w-])", "otherwise", body)
        yield _tried(dialect, path, changed, OUTSIDE)


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
        parts=tuple(part for each in dialect.formats.values() for part in spans(each, text)),
        signals=as_carried(dialect.read(text, dialect.roles)).signals,
    )


def text_of(dialect: Described, path: str, body: str, **changes: Any) -> Text:  # noqa: ANN401  (of a check run)
    """A body as it would come from GitHub: as a file if its path is one of the format's, else where it is spoken."""
    shapes = [form.path for form in dialect.forms if form.path is not None]
    shape = next((each for each in shapes if ends_like(each, path)), None)
    spoken = next((each for each in SHOWN if each in dialect.media and each is not Medium.FILE), Medium.FILE)
    medium = Medium.FILE if shape is not None else spoken
    check = next((form for form in dialect.forms if form.check is not None), None)
    where, fields, app = Where(path=path), {}, None
    if shape is not None:
        length = shape.root.count("/") + bool(shape.root) + shape.folders + 1
        where = Where(path="/".join(path.replace("\\", "/").split("/")[-length:]))
    if medium is Medium.CHECK_RUN and check is not None and check.check is not None:
        app = changes.get("app_id", check.check.app_id)
        status = changes.get("status", "completed")
        fields = {"name": check.check.name or "", "status": status, "conclusion": changes.get("conclusion", "success")}
        if check.lead.field is not Field.TEXT:
            fields, body = {**fields, check.lead.field.value: body.strip()}, ""
    state = "COMMENTED" if medium is Medium.REVIEW else None
    source = Source(
        id=path, number=0, url=path, place=Place.PULL_REQUEST, medium=medium, at="", app_id=app, state=state
    )
    return Text(source=source, where=where, body=body, fields=fields)


TELLING = ("verdict", "outcome", "decision", "signal", "result", "status", "conclusion", "state", "word", "gate")
COMMITS = ("commit", "sha", "head")
OUTCOMES = {"pass": Outcome.PASS, "fail": Outcome.FAIL, "blocked": Outcome.BLOCKED}
SHA = r"[0-9a-f]{7,40}"
_COMMENT = re.compile(r"<!--\s*([A-Za-z][\w:./-]{2,60})(?:\s+(.*?))?\s*-->", re.DOTALL)
_FENCE = re.compile(r"^```([\w:./-]+)[ \t]*\n(.*?)\n```[ \t]*$", re.DOTALL | re.MULTILINE)
_PAIR = re.compile(r'([A-Za-z_][\w.-]*)=(?:"([^"\n]*)"|(\S+))')
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_LABEL = re.compile(r"^\*\*([A-Za-z][^*:\n]{0,40}):\*\*[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*$", re.MULTILINE)
ORDINARY = ("json", "yaml", "yml", "text", "")


@dataclass(frozen=True, kw_only=True, slots=True)
class Guess:
    """How the bodies may be written: the parts to read, and what each body then holds by address."""

    read: Data
    values: tuple[Mapping[str, object], ...]


def learn(bodies: Sequence[str], outcomes: Sequence[Outcome], role: str) -> Data | None:
    """The first description that reads all bodies as they were told."""
    for guess in _guesses(bodies):
        for key in _telling(guess.values, outcomes):
            data = _described(guess, key, outcomes, role)
            if _reads(data, bodies, outcomes):
                return data
    return None


def _guesses(bodies: Sequence[str]) -> Iterator[Guess]:
    for stands in ({}, {"stands": "anywhere"}):
        yield from (Guess(read={"word": {**part, **stands}}, values=values) for part, values in _marked(bodies))
    yield from _in_ordinary_fences(bodies)
    yield from _in_front_matter(bodies)
    yield from _in_labels(bodies)
    yield from _in_marker_words(bodies)
    yield from _in_lines(bodies)


def _marked(bodies: Sequence[str]) -> Iterator[tuple[Data, tuple[Mapping[str, object], ...]]]:
    """Markers in HTML comments or fences that every body has once."""
    found = [
        {name: payload or "" for name, payload in (*_COMMENT.findall(body), *_FENCE.findall(body))} for body in bodies
    ]
    for name in (name for name in found[0] if name not in ORDINARY and all(name in each for each in found)):
        for codec, read in (("json", _as_json), ("key=value", _as_pairs)):
            values = [read(each[name]) for each in found]
            if all(values):
                yield {"marker": name, "as": codec}, tuple(_flat("word", each) for each in values)


def _in_ordinary_fences(bodies: Sequence[str]) -> Iterator[Guess]:
    for info, read in (("json", _as_json), ("yaml", _as_yaml)):
        found = [[read(text) for name, text in _FENCE.findall(body) if name == info] for body in bodies]
        values = [each[0] for each in found if len(each) == 1 and each[0]]
        if len(values) == len(bodies):
            for holds in _only_there(values, bodies, '"{}"' if info == "json" else "{}:"):
                part = {"fence": info, "holds": holds, "as": info, "stands": "anywhere"}
                yield Guess(read={"word": part}, values=tuple(_flat("word", each) for each in values))


def _in_front_matter(bodies: Sequence[str]) -> Iterator[Guess]:
    found = [_FRONT.match(body) for body in bodies]
    values = [_as_yaml(match[1]) for match in found if match]
    if len(values) == len(bodies) and all(values):
        for holds in _only_there(values, bodies, "{}:"):
            part = {"front_matter": True, "holds": holds}
            yield Guess(read={"word": part}, values=tuple(_flat("word", each) for each in values))


def _only_there(values: Sequence[Data], bodies: Sequence[str], form: str) -> Iterator[str]:
    """Keys of all documents that each body holds once, as they are written there."""
    common = (key for key in values[0] if all(key in each for each in values))
    signs = sorted((form.format(key) for key in common), key=len, reverse=True)
    yield from (sign for sign in signs if all(body.count(sign) == 1 for body in bodies))


def _in_labels(bodies: Sequence[str]) -> Iterator[Guess]:
    found = [{name: value.strip("`") for name, value in _LABEL.findall(body)} for body in bodies]
    common = [name for name in found[0] if all(name in each for each in found)]
    parts = {re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_"): name for name in common}
    for lead in parts:
        order = [lead, *(key for key in parts if key != lead and _is_commit(key, [each[parts[key]] for each in found]))]
        read = {key: {"label": parts[key]} for key in order}
        yield Guess(read=read, values=tuple({key: each[parts[key]] for key in order} for each in found))


def _in_marker_words(bodies: Sequence[str]) -> Iterator[Guess]:
    """HTML comments such as ``name:word:role:sha``, one in each body."""
    found = [re.findall(r"<!--\s*([\w./-]+:[\w:./-]+)\s*-->", body) for body in bodies]
    if any(len(each) != 1 for each in found):
        return
    (name, *_), *others = words = [each[0].split(":") for each in found]
    if all(each[0] == name and len(each) == len(words[0]) for each in others):
        columns = list(zip(*(each[1:] for each in words), strict=True))
        commits = [all(re.fullmatch(SHA, text) for text in column) for column in columns]
        names = ["sha" if commit else f"word{number}" for number, commit in enumerate(commits)]
        groups = (f"(?P<{key}>{SHA if key == 'sha' else '[A-Za-z_-]{1,40}'})" for key in names)
        values = tuple({f"word/{key}": text for key, text in zip(names, each[1:], strict=True)} for each in words)
        yield Guess(read={"word": {"marker": f"{name}:", "pattern": ":".join(groups)}}, values=values)


def _in_lines(bodies: Sequence[str]) -> Iterator[Guess]:
    """A heading, or the first or last line, with a word that varies after words that do not."""
    lines = [[line for line in body.splitlines() if line.strip()] or [""] for body in bodies]
    headings = [_HEADING.findall(body) for body in bodies]
    if all(headings):
        level = len(headings[0][0][0])
        yield from _with_word({"heading": True, "level": level}, [each[0][1] for each in headings])
    yield from _with_word({"first_line": True}, [each[0].strip("*_ ") for each in lines])
    yield from _with_word({"last_line": True}, [each[-1].strip("*_ ") for each in lines])


def _with_word(part: Data, lines: Sequence[str]) -> Iterator[Guess]:
    prefix = re.sub(r"[\w-]*\Z", "", _common(lines) if len(set(lines)) > 1 else lines[0].partition(": ")[0] + ": ")
    # a sentence that happens to begin alike is no form
    if "heading" not in part and not prefix.rstrip().endswith(":"):
        return
    if not re.search(r"\w", prefix):
        return
    word, sha = "(?P<word>[A-Za-z_-]{1,30})", f"(?P<sha>{SHA})"
    between = {match[1] for line in lines if (match := re.match(rf"[\w-]+(\W+){SHA}\b", line[len(prefix) :]))}
    middle = [f"{_escaped(text)}{sha}" for text in between] if len(between) == 1 else []
    rests = (*(f"{text}{end}" for text in middle for end in ("", "(?:.{0,300})")), "", "(?:.{0,300})")
    for rest in (*(f"{word}{rest}" for rest in rests), "(?P<word>[^a-z\\n]{1,40})"):  # at last: ✅ APPROVED
        pattern = read_pattern(f"{_escaped(prefix)}{rest}")
        matches = [re.fullmatch(pattern.text, line) for line in lines] if isinstance(pattern, Pattern) else [None]
        if isinstance(pattern, Pattern) and all(matches):
            values = ({f"word/{key}": text for key, text in each.groupdict().items()} for each in matches if each)
            yield Guess(read={"word": {**part, "pattern": pattern.text}}, values=tuple(values))


def _common(lines: Sequence[str]) -> str:
    """What all lines begin with."""
    first, last = min(lines), max(lines)
    return first[: next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))]


def _escaped(text: str) -> str:
    return re.sub(r"([\\.\[\]{}()*+?|^$])", r"\\\1", text)


def _as_json(text: str, read: Callable[[str], Document | Fault] = read_json) -> Data:
    document = read(text)
    return document.value if isinstance(document, Document) and isinstance(document.value, dict) else {}


def _as_yaml(text: str) -> Data:
    return _as_json(text, read_yaml)


def _as_pairs(text: str) -> Data:
    return {key: quoted or plain_ for key, quoted, plain_ in _PAIR.findall(text)}


def _flat(address: str, value: object) -> dict[str, object]:
    """The scalars of a document by their addresses."""
    if isinstance(value, dict):
        steps = ((key.replace("~", "~0").replace("/", "~1"), inner) for key, inner in value.items())
        return {where: one for key, inner in steps for where, one in _flat(f"{address}/{key}", inner).items()}
    return {address: value} if isinstance(value, (str, bool)) else {}


def _telling(values: Sequence[Mapping[str, object]], outcomes: Sequence[Outcome]) -> list[str]:
    """The addresses whose values tell the outcomes, the likeliest first."""
    common = [key for key in values[0] if all(key in each for each in values)]
    fit = {key: _likely(key) for key in common if _tells([each[key] for each in values], outcomes)}
    least = len(TELLING) + (len(set(outcomes)) > 1)  # where only passes are shown, the name must tell it
    likely = (key for key in fit if fit[key] < least and not _one_of_several(key, common))
    return sorted(likely, key=lambda key: fit[key])


def _one_of_several(key: str, common: Sequence[str]) -> bool:
    """Whether what tells the outcome is told of several members, of which one alone decides nothing."""
    steps = key.split("/")
    others = (other.split("/") for other in common if other != key)
    return any(len(other) == len(steps) and other[:-2] == steps[:-2] and other[-1] == steps[-1] for other in others)


def _likely(key: str) -> int:
    return next((n for n, word in enumerate(TELLING) if word in key.rpartition("/")[2].lower()), len(TELLING))


def _tells(said: Sequence[object], outcomes: Sequence[Outcome]) -> bool:
    pairs = set(zip(said, outcomes, strict=True))
    told = not all(isinstance(value, str) and re.fullmatch(rf"[0-9]+|{SHA}", value) for value in said)  # no words
    return told and len({value for value, _ in pairs}) == len(pairs) and len({type(value) for value in said}) == 1


def _is_commit(key: str, said: Sequence[object]) -> bool:
    named = any(word in key.lower() for word in COMMITS)
    return named and all(isinstance(value, str) and re.fullmatch(SHA, value) for value in said)


def _described(guess: Guess, key: str, outcomes: Sequence[Outcome], role: str) -> Data:
    said = [each[key] for each in guess.values]
    names = {value: name for name, value in OUTCOMES.items()}
    told = {value: names[outcome] for value, outcome in zip(said, outcomes, strict=True)}
    flags = isinstance(said[0], bool)
    outcome: Data = {"true_is": told.get(True), "false_is": told.get(False)} if flags else {"map": told}
    common = [other for other in guess.values[0] if all(other in each for each in guess.values)]
    commit = next((at for at in common if at != key and _is_commit(at, [each[at] for each in guess.values])), None)
    return {
        "roles": {role: {"does": "challenges"}},
        "in": ["comment", "review"],
        "read": guess.read,
        "role": role,
        "outcome": {"of": key, **outcome},
        **({} if commit is None else {"commit": commit}),
    }


def _reads(data: Data, bodies: Sequence[str], outcomes: Sequence[Outcome]) -> bool:
    """Whether a description reads the bodies as they were told, and none of their twins as a pass."""
    built = build_format("learnt", data, {})
    if not isinstance(built, Format):
        return False
    dialect = Described("learnt", {"learnt": built})
    for body, outcome in zip(bodies, outcomes, strict=True):
        own, *twins = tried(dialect, "body.md", body)
        told = [signal.outcome for signal in own.signals if not errors(signal)]
        if told != [outcome] or any(twin.counts for twin in twins):
            return False
    return True
