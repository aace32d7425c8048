"""A body as it would come from GitHub, and its standing twins: what a description finds in each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from phasegate.dialects.described.declaration import SHOWN, Described
from phasegate.dialects.described.model import Field
from phasegate.dialects.described.reader import Span, spans
from phasegate.dialects.dialect import Text, as_carried
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Severity, Where
from phasegate.model.signal import GOOD, Medium, Place, Signal, Source
from phasegate.model.texts import ACTIONS_APP
from phasegate.reading.globs import ends_like

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
