"""The schemas: sound in themselves, described throughout, and of the same shape as the types and files they are for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from phasegate.dialects.pipeline.declaration import ARTIFACTS, DEBUG, STATE
from phasegate.model import snapshot, texts
from phasegate.model.plan import INSTRUCTION_FILES
from phasegate.policy.layers import PROFILES, available_profiles
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.schema.registry import schema_names, schema_text, validate
from phasegate.reading.yaml import read_yaml
from tests.pages import pages, schema_page

ROOT = Path(__file__).resolve().parents[2]
URN = "urn:phase-gate:schema:"
JSON = dict[str, Any]
SCHEMAS: dict[str, JSON] = {name: json.loads(schema_text(name)) for name in schema_names()}
SNAPSHOT = SCHEMAS["snapshot"]
MODELS: dict[str, type[Any]] = {
    name: kind
    for module in (snapshot, texts)
    for name, kind in vars(module).items()
    if is_dataclass(kind) and isinstance(kind, type)
}
TIMES = {"at", "taken_at", "created_at", "edited_at", "deleted_at", "merged_at", "completed_at"}


def parts(schema: object, path: str = "$") -> Iterator[tuple[str, JSON]]:
    """Every object inside a schema with its path, itself included."""
    if isinstance(schema, dict):
        yield path, schema
        for key, value in schema.items():
            yield from parts(value, f"{path}.{key}")
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from parts(value, f"{path}[{index}]")


def of_model(name: str) -> JSON:
    """The part of the snapshot's schema that is for one type."""
    part: JSON = SNAPSHOT if name == "Snapshot" else SNAPSHOT["$defs"][name]
    return part


def optional(annotation: object) -> bool:
    """Whether a type has None among its values."""
    return get_origin(annotation) in (Union, UnionType) and type(None) in get_args(annotation)


def takes_null(part: JSON) -> bool:
    """Whether a property's schema has null among its values."""
    kinds = part.get("type", [])
    return "null" in kinds or any(branch.get("type") == "null" for branch in part.get("anyOf", []))


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema__is_valid_and_has_an_id_a_title_and_a_description(name: str) -> None:
    schema = SCHEMAS[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"{URN}{name}"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema__describes_every_property_and_definition(name: str) -> None:
    silent = []
    for path, part in parts(SCHEMAS[name]):
        if ".if" in path or path.endswith((".properties", ".$defs")):
            continue
        described = {**part.get("properties", {}), **part.get("$defs", {})}
        silent += [f"{path}.{key}" for key, value in described.items() if not value.get("description", "").strip()]
    assert silent == []


def references(name: str) -> Iterator[tuple[str, str]]:
    """What a schema refers to: the name of a schema and of a definition in it."""
    for _, part in parts(SCHEMAS[name]):
        if isinstance(part.get("$ref"), str):
            document, _, definition = part["$ref"].partition("#/$defs/")
            yield document.removeprefix(URN) or name, definition


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema__refers_only_to_what_is_shipped(name: str) -> None:
    assert [found for found in references(name) if found[1] not in SCHEMAS.get(found[0], {}).get("$defs", {})] == []


def test_schemas__have_no_definition_that_nobody_refers_to() -> None:
    used = {found for name in SCHEMAS for found in references(name)}
    assert {(name, key) for name, schema in SCHEMAS.items() for key in schema.get("$defs", {})} - used == set()


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema__unique_items_are_bounded(name: str) -> None:
    """`uniqueItems` is quadratic in jsonschema: a bound comes first."""
    unbounded = [path for path, part in parts(SCHEMAS[name]) if part.get("uniqueItems") and "maxItems" not in part]
    assert unbounded == []


def test_snapshot_schema__has_a_definition_for_each_type_and_no_other() -> None:
    assert set(SNAPSHOT["$defs"]) == set(MODELS) - {"Snapshot"}


@pytest.mark.parametrize("name", sorted(MODELS))
def test_snapshot_schema__has_the_properties_of_its_type(name: str) -> None:
    part = of_model(name)
    assert set(part["properties"]) == {item.name for item in fields(MODELS[name])}
    assert part["additionalProperties"] is False


@pytest.mark.parametrize("name", sorted(MODELS))
def test_snapshot_schema__requires_what_has_no_default(name: str) -> None:
    needed = {item.name for item in fields(MODELS[name]) if item.default is MISSING and item.default_factory is MISSING}
    assert set(of_model(name)["required"]) == needed


@pytest.mark.parametrize("name", sorted(MODELS))
def test_snapshot_schema__takes_null_where_the_type_does(name: str) -> None:
    hints = get_type_hints(MODELS[name])
    told = {key: takes_null(part) for key, part in of_model(name)["properties"].items()}
    assert told == {key: optional(hints[key]) for key in told}


def test_snapshot_schema__times_have_one_form() -> None:
    """Times are compared as text, which is only right while all of them have the same form."""
    forms = {
        f"{name}.{key}": part.get("pattern", "")
        for name in MODELS
        for key, part in of_model(name)["properties"].items()
        if key in TIMES
    }
    assert [key for key, form in forms.items() if not re.fullmatch(form, "2026-01-31T09:00:00Z")] == []
    for other in ("2026-01-31T09:00:00+00:00", "2026-01-31T09:00:00.5Z", "2026-01-31 09:00:00Z", "2026-01-31T09:00Z"):
        assert [key for key, form in forms.items() if re.fullmatch(form, other)] == []


def unfilled(schema: JSON, data: object, path: str = "$") -> Iterator[str]:
    """The keys that a schema knows and a profile leaves out; lists and maps of one's own names are no such keys."""
    reference = schema.get("$ref")
    if reference:
        schema = SCHEMAS["policy"]["$defs"][reference.rpartition("/")[2]]
    for key, part in schema.get("properties", {}).items():
        if key in ("$schema", "extends"):
            continue  # for editors and for repositories, and nothing to fill
        if not isinstance(data, dict) or key not in data:
            yield f"{path}.{key}"
        else:
            yield from unfilled(part, data[key], f"{path}.{key}")


@pytest.mark.parametrize("name", available_profiles())
def test_profile__passes_the_policy_schema_and_fills_every_key(name: str) -> None:
    text = (PROFILES / f"{name}.yml").read_text(encoding="utf-8")
    document = read_yaml(text)
    assert isinstance(document, Document)
    assert validate("policy", document) == ()
    assert list(unfilled(SCHEMAS["policy"], document.value)) == []
    seated = text.replace("accounts: []", "accounts: [{format: codex}]")  # one profile is for reviewers alone
    assert isinstance(load_policy(seated, f"{name}.yml"), Policy)


def test_profiles__are_among_those_the_schema_names() -> None:
    assert set(available_profiles()) <= set(SCHEMAS["policy"]["properties"]["profile"]["examples"])


def test_readme__policy_examples_are_sound() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```yaml\n(version:.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    assert examples
    for text in examples:
        policy = load_policy(text, "README.md")
        assert isinstance(policy, Policy), policy
        assert policy.problems == ()


@pytest.mark.parametrize(("name", "text"), pages().items(), ids=pages())
def test_docs_page__is_what_is_made(name: str, text: str) -> None:
    assert (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") == text, "run `python3 tests pages`"


def test_docs__of_the_next_action_tell_every_key() -> None:
    text = (ROOT / "docs" / "next.md").read_text(encoding="utf-8").partition("## The list")[2].partition("## ")[0]
    told = {key for cell in re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE) for key in re.findall(r"`(\w+)`", cell)}
    assert told == set(SCHEMAS["next"]["$defs"]["task"]["properties"])


def keys_of(schema: object) -> set[str]:
    """Every key that a schema knows."""
    return {key for _, part in parts(schema) if isinstance(part.get("type"), str) for key in part.get("properties", {})}


@pytest.mark.parametrize("name", ["policy", "report", "next", "snapshot"])
def test_page__tells_every_key(name: str) -> None:
    told = set(re.findall(r"^\| `([^`]+)` \|", schema_page(name), re.MULTILINE))
    assert keys_of(SCHEMAS[name]) <= told


@pytest.mark.parametrize("name", available_profiles())
def test_page__of_the_policy_shows_the_profiles(name: str) -> None:
    text = (PROFILES / f"{name}.yml").read_text(encoding="utf-8")
    assert f"## The profile {name}\n\n```yaml\n{text}```\n" in schema_page("policy")


def test_policy_schema__has_the_artifacts_that_there_are() -> None:
    definitions = json.loads(schema_text("policy"))["$defs"]
    never_waited_for = {DEBUG, STATE}
    assert set(definitions["artifact"]["examples"]) == set(ARTIFACTS) - never_waited_for
    assert set(definitions["optional_artifact"]["examples"]) == {role.file for role in ARTIFACTS.values()}


def test_policy__lists_the_very_files_that_agents_take_orders_from() -> None:
    paths = SCHEMAS["policy"]["properties"]["instructions"]["properties"]["paths"]
    assert paths["items"]["examples"] == list(INSTRUCTION_FILES)
