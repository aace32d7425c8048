"""The shipped schemas. In: a name and a ``Document``. Out: faults in document order.

Nothing is ever fetched: a reference to an unknown schema is our own error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from phasegate.model.problem import Fault
from phasegate.reading.document import Document, Json, JsonPath, excerpt, json_path
from phasegate.reading.keys import Known, holds_more, slip_of

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from referencing import Registry
    from referencing.jsonschema import Schema

_PACKAGE = Path(__file__).resolve().parents[2]
# Inside an installed package, or else beside the folder `scripts`.
_FOLDER = (_PACKAGE.parents[1] if _PACKAGE.parent.name == "scripts" else _PACKAGE) / "schemas"
_ENDING = ".schema.json"
_ERRORS_READ = 2_000
_PREFIX, _DEFINED = "urn:phase-gate:schema:", "#/$defs/"
_OUTSIDE = re.compile(r'"\$ref":\s*"([^#"]+)')


class Schemas:
    """The schemas of one folder, each loaded and compiled on first use."""

    def __init__(self, folder: Path) -> None:
        """Takes a folder of ``<name>.schema.json`` files, also one level down."""
        self._folder = folder
        self._names: tuple[str, ...] | None = None
        self._validators: dict[str, Draft202012Validator] = {}
        self._read: dict[str, dict[str, Json]] = {}
        self._known: dict[int, Known] = {}  # by the schema of an object, which is kept

    def names(self) -> tuple[str, ...]:
        """All names, sorted: ``policy``, ``<dialect>/<document>``."""
        if self._names is None:
            found = [*self._folder.glob(f"*{_ENDING}"), *self._folder.glob(f"*/*{_ENDING}")]
            relative = (path.relative_to(self._folder).as_posix() for path in found)
            self._names = tuple(sorted(name.removesuffix(_ENDING) for name in relative))
        return self._names

    def text(self, name: str) -> str:
        """The schema as shipped; ``KeyError`` for a name that is not in ``names``."""
        if name not in self.names():
            raise KeyError(name)
        return (self._folder / f"{name}{_ENDING}").read_text(encoding="utf-8")

    def bundled(self, name: str) -> str:
        """The schema for editors: referenced definitions of other schemas are copied in."""
        text = self.text(name)
        if not _OUTSIDE.search(text):
            return text
        definitions: dict[str, Json] = {}
        called: dict[tuple[str, str], str] = {}

        def led(part: Json, home: str) -> Json:
            """A part of the schema ``home`` with every reference pointing to a local definition."""
            if isinstance(part, list):
                return [led(item, home) for item in part]
            if not isinstance(part, dict):
                return part
            return {
                key: refer(value, home) if key == "$ref" and isinstance(value, str) else led(value, home)
                for key, value in part.items()
            }

        def refer(reference: str, home: str) -> str:
            """The same reference to a local definition, which is copied in on first use."""
            address, _, definition = reference.partition(_DEFINED)
            owner = address.removeprefix(_PREFIX) or home
            if (owner, definition) not in called:
                taken = definition in called.values()
                here = called[owner, definition] = f"{owner.replace('/', '-')}-{definition}" if taken else definition
                definitions[here] = led(json.loads(self.text(owner))["$defs"][definition], owner)
            return f"{_DEFINED}{called[owner, definition]}"

        own = {key: led(value, name) for key, value in json.loads(text).items() if key != "$defs"}
        return json.dumps(own | {"$defs": definitions}, indent=2, ensure_ascii=False) + "\n"

    def validate(self, name: str, document: Document) -> tuple[Fault, ...]:
        """The document's violations of the schema of this name."""
        from phasegate.reading.schema.validator import faults_of  # noqa: PLC0415 - imports jsonschema

        return faults_of(self._validator(name), document, _ERRORS_READ)

    def _validator(self, name: str) -> Draft202012Validator:
        if name not in self._validators:
            # slow to start, needed only here
            from referencing import Registry  # noqa: PLC0415
            from referencing.jsonschema import DRAFT202012  # noqa: PLC0415

            from phasegate.reading.schema.validator import StrictValidator  # noqa: PLC0415

            led = [name]  # to these, itself first
            for each in led:
                told = set(_OUTSIDE.findall(self.text(each)))
                met = [other for other in self.names() if any(uri.endswith(f":{other}") for uri in told)]
                led += [other for other in met if other not in led]
            others = [DRAFT202012.create_resource(self._contents(each)) for each in led[1:]]
            registry: Registry[Schema] = Registry().with_resources(
                [(uri, each) for each in others if (uri := each.id())]
            )
            self._validators[name] = StrictValidator(self._contents(name), registry=registry)
        return self._validators[name]

    def _contents(self, name: str) -> dict[str, Json]:
        """The schema without ``$schema``, which would make jsonschema use its own validator."""
        if name not in self._read:
            self._read[name] = json.loads(self.text(name))
            self._read[name].pop("$schema", None)
        return self._read[name]

    def objects(self, name: str, value: Json) -> Iterator[tuple[Known, JsonPath, dict[str, Json]]]:
        """The objects of a document, at any depth, with their paths and known keys."""
        return self._objects(name, self._contents(name), value, ())

    def _objects(
        self, name: str, schema: dict[str, Json], value: Json, way: JsonPath
    ) -> Iterator[tuple[Known, JsonPath, dict[str, Json]]]:
        if not isinstance(value, dict | list):
            return
        parts = list(self._parts(name, schema))
        if isinstance(value, dict):
            known = self._known.get(id(schema))
            if known is None:
                members = ((where, *each) for where, part in parts for each in _schemas(part, "properties").items())
                known = {
                    key: holds_more(part for _, part in self._parts(where, inner)) for where, key, inner in members
                }
                self._known[id(schema)] = known
            if known:
                yield known, way, value
        for key, item in enumerate(value) if isinstance(value, list) else value.items():
            for where, part in parts:
                inner = part.get("items") if isinstance(value, list) else _schemas(part, "properties").get(str(key))
                if isinstance(inner, dict):
                    yield from self._objects(where, inner, item, (*way, key))

    def _parts(self, name: str, schema: Json) -> Iterator[tuple[str, dict[str, Json]]]:
        """A schema and those that it refers to for the same value, each with its document's name."""
        if not isinstance(schema, dict):
            return
        yield name, schema
        told = schema.get("$ref")
        if isinstance(told, str):
            uri, _, inside = told.partition("#/$defs/")
            other = next((each for each in self.names() if uri.endswith(f":{each}")), name)
            yield from self._parts(other, _schemas(self._contents(other), "$defs").get(inside))
        for key in ("if", "then", "else"):
            yield from self._parts(name, schema.get(key))


def _schemas(schema: dict[str, Json], key: str) -> dict[str, Json]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


_SHIPPED = Schemas(_FOLDER)
# Of the shipped schemas; ``KeyError`` for a name that is not one of ``schema_names``.
schema_names, schema_text, bundled_text = _SHIPPED.names, _SHIPPED.text, _SHIPPED.bundled
objects_of, validate = _SHIPPED.objects, _SHIPPED.validate


def misspelt_keys(objects: Iterable[tuple[Known, JsonPath, dict[str, Json]]], document: Document) -> Iterator[Fault]:
    """The keys of some objects that are one slip away from a known key."""
    for known, way, item in objects:
        for key, meant in ((key, slip_of(key, value, known)) for key, value in item.items()):
            if meant is not None:
                message, path = f'unknown key {excerpt(key)} (did you mean "{meant}"?)', (*way, key)
                place = document.key_position(path)
                yield Fault(code="PG025", message=message, position=place, json_path=json_path(path))


def get_ready() -> None:
    """Loads what validating needs, which is slow the first time."""
    for name in _SHIPPED.names()[:1]:
        _SHIPPED._validator(name)  # noqa: SLF001 - of this module


def bundled_schemas(folder: Path) -> dict[Path, str]:
    """The schema files of a folder, each with a self-contained text."""
    schemas = Schemas(folder)
    return {folder / f"{name}{_ENDING}": schemas.bundled(name) for name in schemas.names()}
