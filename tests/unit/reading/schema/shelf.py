"""Schemas of one's own for a test, and the faults of a text by them."""

from __future__ import annotations

import json
from pathlib import Path

from phasegate.model.problem import Fault
from phasegate.reading.document import Document, Json
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import Schemas


def shelf(folder: Path, **contents: Json) -> Schemas:
    """Schemas in a folder; two underscores in a name stand for a slash."""
    for name, schema in contents.items():
        path = folder / f"{name.replace('__', '/')}.schema.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(schema), encoding="utf-8")
    return Schemas(folder)


def document(text: str) -> Document:
    """The document, which these tests know to be readable."""
    found = read_json(text)
    assert isinstance(found, Document)
    return found


def check(folder: Path, schema: Json, text: str) -> list[str]:
    """The faults of a text by one schema, as lines."""
    return [line(fault) for fault in shelf(folder, only=schema).validate("only", document(text))]


def line(fault: Fault) -> str:
    return f"{fault.code} {fault.position.line}:{fault.position.column} {fault.json_path} {fault.message}"
