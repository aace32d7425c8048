"""GitHub's published REST answers: what an object must hold, and whether an answer keeps to it."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from tests.fakehub.answer import JSON, Answer

PUBLISHED = Path(__file__).resolve().parent / "published"
EPOCH = "2020-01-01T00:00:00Z"
MOST_REPORTED = 3

FORMATS = FormatChecker(())


@FORMATS.checks("date-time")
def _is_time(value: object) -> bool:
    form = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
    return not isinstance(value, str) or re.fullmatch(form, value) is not None


@FORMATS.checks("uri")
def _is_address(value: object) -> bool:
    return not isinstance(value, str) or re.match(r"(https?|git|ssh)://[^\s]+", value) is not None


@functools.cache
def published() -> JSON:
    loaded: JSON = json.loads((PUBLISHED / "rest.json").read_text(encoding="utf-8"))
    return loaded


def shape(name: str, /, **values: object) -> JSON:
    """An object of the published kind; what is required and not given is filled in, with null where that is allowed."""
    return {**_filler_of(name), **values}


@functools.cache
def _filler_of(name: str) -> JSON:
    made = _filler(published()["$defs"][name])
    # a definition that may be null is asked for by name only where it is not
    return made if isinstance(made, dict) else _filled_object(published()["$defs"][name])


def _filled_object(schema: JSON) -> JSON:
    return {name: _filler(schema["properties"][name]) for name in schema.get("required", ())}


def _filler(schema: JSON) -> object:
    """The plainest value that a schema allows."""
    kind = schema.get("type")
    if "$ref" in schema:
        value = _filler(published()["$defs"][schema["$ref"].rpartition("/")[2]])
    elif schema.get("enum"):
        value = None if None in schema["enum"] else schema["enum"][0]
    elif "anyOf" in schema or "oneOf" in schema:
        choices = schema.get("anyOf") or schema["oneOf"]
        value = None if {"type": "null"} in choices else _filler(choices[0])
    elif isinstance(kind, list) or kind is None:
        value = None
    elif kind == "object":
        value = _filled_object(schema)
    elif kind == "string":
        value = {"uri": "https://github.com/", "date-time": EPOCH}.get(schema.get("format", ""), "")
    else:
        value = {"array": [], "integer": 0, "number": 0, "boolean": False}[kind]
    return value


class Fidelity:
    """Holds every REST answer against the published description; an answer seen before is not read again."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()

    def faults(self, operation: str, answer: Answer) -> list[str]:
        """What is wrong with an answer; nothing for a kind of answer that is not JSON."""
        schema = _schema_for(operation, answer)
        if schema is None:
            return []
        if schema.get("type") == "array" and isinstance(answer.data, list):
            checks = [(f"{operation} {answer.status} item", schema["items"], item) for item in answer.data]
        else:
            checks = [(f"{operation} {answer.status} {answer.media}", schema, answer.data)]
        found = []
        for place, part, value in checks:
            key = (place, json.dumps(value))
            if key not in self._seen:
                problems = [f"{place}: {problem}" for problem in _problems(json.dumps(part), value)]
                found += problems
                if not problems:
                    self._seen.add(key)
        return found[:MOST_REPORTED]


def request_faults(operation: str, body: object) -> list[str]:
    schema = published()["operations"][operation].get("request")
    return _problems(json.dumps(schema), body) if schema else []


def _schema_for(operation: str, answer: Answer) -> JSON | None:
    """The published schema of an answer; errors without one of their own have GitHub's basic form."""
    if answer.raw is not None or answer.status in (204, 304):
        return None
    parts: JSON = published()["operations"][operation]
    media = answer.media.partition(";")[0]
    if media != "application/json":
        wanted = media.removesuffix("+json")
        return dict(parts[f"{answer.status} {wanted}"])
    default = {"$ref": "#/$defs/validation-error" if answer.status == 422 else "#/$defs/basic-error"}
    return dict(parts.get(str(answer.status), default))


def _problems(schema: str, value: object) -> list[str]:
    """The breaches of a schema, the most telling first."""
    errors = sorted(_validator(schema).iter_errors(value), key=lambda error: error.path)
    return [f"{error.json_path}: {_brief(error.message)}{_closest(error)}" for error in errors[:MOST_REPORTED]]


def _closest(error: Any) -> str:  # noqa: ANN401 - jsonschema's error, whose type has no public name everywhere
    if not error.context:
        return ""
    nearest = min(error.context, key=lambda inner: (-len(inner.path), str(inner.schema_path)))
    return f"; nearest: {nearest.json_path}: {_brief(nearest.message)}"


def _brief(text: str) -> str:
    """A message without the whole document in it."""
    longest = 200
    return text if len(text) <= longest else f"{text[: longest // 2]} … {text[-longest // 2 :]}"


@functools.cache
def _validator(schema: str) -> Draft202012Validator:
    """The validator of a schema whose references lead into the published definitions."""
    return Draft202012Validator({**json.loads(schema), "$defs": published()["$defs"]}, format_checker=FORMATS)
