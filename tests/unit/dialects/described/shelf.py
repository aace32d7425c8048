"""What the tests of described formats share: the example formats, and texts that are read by them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from phasegate.dialects.described.boxes import box, box_names
from phasegate.dialects.described.build import build_format
from phasegate.dialects.described.checks import Wrong
from phasegate.dialects.described.declaration import Described
from phasegate.dialects.described.forms import Format
from phasegate.dialects.dialect import Text
from phasegate.model.problem import Where
from phasegate.model.signal import Medium, Signal
from phasegate.reading.document import Document
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import read_yaml
from tests.unit.rules.parties import actor, source

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "formats"
NAMES = tuple(sorted({*(path.stem for path in EXAMPLES.glob("*.yml")), *box_names()}))
SHA = "d593624b438419b951f0916c96b0e34c5ff905f2"
URL = "https://github.com/octo/shop/pull/7#issuecomment-1"


def data_of(text: str) -> Any:  # noqa: ANN401  (data of a description)
    """A description that its schema accepts."""
    document = read_yaml(text)
    assert isinstance(document, Document), document
    assert validate("format", document) == ()
    return document.value


def built(text: str, name: str = "ours", **files: str) -> Format | tuple[Wrong, ...]:
    """The format of a description, or what is wrong with it."""
    return build_format(name, data_of(text), files)


def codes_of(text: str) -> list[str]:
    """The codes of what is wrong with a description."""
    found = built(text)
    return [] if isinstance(found, Format) else [item.code for item in found]


def described(name: str) -> Described:
    """The dialect of an example format, or of a reviewer in a box."""
    return of(description(name), name)


def description(name: str) -> str:
    """The text of a description, of an example or of a box."""
    if name in box_names():
        return json.dumps(box(name).described({}), ensure_ascii=False)
    return (EXAMPLES / f"{name}.yml").read_text("utf-8")


def of(text: str, name: str = "ours") -> Described:
    """The dialect of a description that nothing is wrong with."""
    found = built(text, name)
    assert isinstance(found, Format), found
    return Described(found)


def sample(name: str) -> str:
    """A sample body, as it stands."""
    return (EXAMPLES / name).read_bytes().decode("utf-8")


def text_of(body: str, medium: Medium = Medium.COMMENT, **given: Any) -> Text:  # noqa: ANN401  (of several types)
    """One text as it comes to a dialect."""
    path, fields = given.pop("path", None), given.pop("fields", None)
    written = source(actor("ana"), id="text-1", url=URL, medium=medium, **given)
    return Text(source=written, where=Where(url=URL) if path is None else Where(path=path), body=body, fields=fields)


def read(dialect: Described, text: Text) -> tuple[Signal, ...]:
    """The words of a text, with the roles that the format brings."""
    return dialect.read(text, dialect.roles).signals


def said(dialect: Described, body: str, medium: Medium = Medium.COMMENT, **given: Any) -> Signal:  # noqa: ANN401
    """The one word of a text."""
    (signal,) = read(dialect, text_of(body, medium, **given))
    return signal


def codes(signal: Signal) -> list[str]:
    """The codes of a signal's problems."""
    return [item.code for item in signal.problems]
