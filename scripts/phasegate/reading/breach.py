"""One place where a document breaks its schema, as plain data: what jsonschema found comes in, typed fields go out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from phasegate.model.frozen import dataclass

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from phasegate.reading.document import Json, JsonPath

_ABOUT_KEYS = ("additionalProperties", "properties")


@dataclass(frozen=True, kw_only=True, slots=True)
class Breach:
    """A keyword that a value breaks.

    ``wanted`` is the keyword's value (several, where branches of a schema were joined), ``known`` the members that
    the schema names beside it, ``detail`` what the keyword's own check adds.
    """

    path: JsonPath
    keyword: str
    wanted: tuple[Json, ...]
    instance: Json
    known: dict[str, Json]
    about_key: bool
    detail: str


def breach_of(error: ValidationError) -> Breach:
    """The breach that one error of jsonschema is."""
    schema = error.schema if isinstance(error.schema, dict) else {}
    known = schema.get("properties")
    keyword = str(error.validator)
    return Breach(
        path=tuple(error.absolute_path),
        keyword=keyword,
        wanted=(cast("Json", error.validator_value),),
        instance=cast("Json", error.instance),
        known=known if isinstance(known, dict) else {},
        about_key=keyword in _ABOUT_KEYS or "propertyNames" in list(error.absolute_schema_path)[-2:],
        detail=error.message,
    )
