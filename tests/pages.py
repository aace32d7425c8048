"""Makes the pages of the docs that say what schemas and the catalogue say: ``python3 tests pages``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from phasegate.catalogue import Entry, entries
from phasegate.policy.layers import PROFILES, available_profiles
from phasegate.reading.schema.registry import schema_text

DOCS = Path(__file__).resolve().parents[1] / "docs"
Node = Mapping[str, Any]
LITTLE = 5  # so many allowed values stand in the table; more of them stand below it
BOUNDS = (("from", "minimum"), ("to", "maximum"))


def pages() -> dict[str, str]:
    """The pages by their names."""
    return {"policy": schema_page("policy"), "report": schema_page("report"), "codes": codes_page(entries())}


def codes_page(items: Iterable[Entry]) -> str:
    """The catalogue as a page of the docs."""
    head = (
        "# Problem codes\n\n"
        "Made by `python3 tests pages`. A signal with an error is invalid; the policy can change the\n"
        "severity of adjustable codes under `rules`.\n"
    )
    return head + "".join(_entry(item) for item in items)


def _entry(item: Entry) -> str:
    adjustable = ", adjustable" if item.adjustable else ""
    return (
        f"\n## {item.code}: {item.title}\n\n{item.severity.value}{adjustable}. {item.why}\n\n{item.fix}\n\n"
        f"Wrong:\n\n````text\n{item.bad}\n````\n\nRight:\n\n````text\n{item.good}\n````\n"
    )


def schema_page(name: str) -> str:
    """A schema as a page of the docs: a table for each object, with the value of each key and what it means."""
    schema = json.loads(schema_text(name))
    given = name == "policy"  # what people write; every other schema is of an answer
    lines = [
        f"# {schema.get('title', name)}: every key",
        "",
        schema.get("description", ""),
        "This page is made from the schema by `python3 tests pages`.",
        *(["The profiles at the end show every default."] if given else []),
    ]
    for paths, node in _sections(schema).values():
        lines += ["", *_section(schema, paths, node, given=given)]
    if given:
        for profile in available_profiles():
            text = (PROFILES / f"{profile}.yml").read_text(encoding="utf-8")
            lines += ["", f"## The profile {profile}", "", "```yaml", *text.splitlines(), "```"]
    return "".join(f"{line}\n" for line in lines)


def _sections(schema: Node) -> dict[str, tuple[list[str], Node]]:
    """Every object with keys of its own, once, with the paths that lead to it."""
    found: dict[str, tuple[list[str], Node]] = {}
    waiting = [("", schema)]
    while waiting:
        path, at = waiting.pop(0)
        for below, part in _objects(schema, path, at):
            key = str(part.get("$ref", below))
            node = _resolved(schema, part)
            found.setdefault(key, ([], node))[0].append(below)
            if len(found[key][0]) == 1:
                waiting[:0] = [(f"{below}.{name}".lstrip("."), value) for name, value in node["properties"].items()]
    return found


def _objects(schema: Node, path: str, part: Node) -> Iterator[tuple[str, Node]]:
    """The objects that a value is, or holds as members, with their paths."""
    node = _resolved(schema, part)
    if "properties" in node:
        yield path, part
    for choice in node.get("anyOf", ()):
        yield from _objects(schema, path, choice)
    if isinstance(node.get("items"), dict):
        yield from _objects(schema, f"{path}[]", node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        yield from _objects(schema, f"{path}.<name>", node["additionalProperties"])


def _resolved(schema: Node, part: Node) -> Node:
    reference = str(part.get("$ref", ""))
    if not reference.startswith("#/$defs/"):
        return part
    target: Node = schema["$defs"][reference.rpartition("/")[2]]
    return {**target, **{key: value for key, value in part.items() if key != "$ref"}}


def _section(schema: Node, paths: list[str], node: Node, *, given: bool) -> Iterator[str]:
    """One table. What people give may be left out unless it is required; what they are given is there unless told."""
    if paths != [""]:
        yield f"## {', '.join(f'`{path}`' for path in paths)}"
        yield ""
        if len(paths) == 1:
            yield node.get("description", "")
            yield ""
    yield "| key | value | meaning |"
    yield "|---|---|---|"
    required = node.get("required", ())
    for name, part in node["properties"].items():
        remark = {(True, True): " Required.", (False, False): " May be missing."}.get((given, name in required), "")
        meaning = _resolved(schema, part).get("description", "").replace("<", "&lt;")
        cells = (f"`{name}`", _value(schema, part), meaning + remark)
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    for text in _long(schema, node):
        yield ""
        yield text


def _long(schema: Node, node: Node) -> Iterator[str]:
    """The values that do not fit into the table."""
    for name, part in node["properties"].items():
        whole = _resolved(schema, part)
        one = _resolved(schema, whole.get("items", whole))
        told = one.get("enum", one.get("examples", ()))
        if len(told) > LITTLE:
            yield f"`{name}`: {', '.join(f'`{value}`' for value in told)}."


def _value(schema: Node, part: Node) -> str:
    """What may stand there, in words."""
    node = _resolved(schema, part)
    choices = [choice for choice in node.get("anyOf", ()) if set(choice) != {"required"}]
    if str(part.get("$ref", "")).startswith("urn:"):
        return f"see `schema {part['$ref'].partition('schema:')[2].partition('#')[0]}`"
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node:
        told = ("null" if value is None else f"`{value}`" for value in node["enum"])
        return " or ".join(told) if len(node["enum"]) <= LITTLE else "a word, see below"
    if choices:
        return " or ".join(_value(schema, choice) for choice in choices)
    kinds = node.get("type", "object")
    return " or ".join(_kind(schema, node, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _kind(schema: Node, node: Node, kind: str) -> str:
    if kind == "array":
        return f"list of: {_value(schema, node['items'])}" if "items" in node else "list"
    if kind == "object" and isinstance(node.get("additionalProperties"), dict):
        return f"map of names to: {_value(schema, node['additionalProperties'])}"
    if kind == "object":
        return "keys, see below" if "properties" in node else "keys"
    if kind == "string" and 0 < len(node.get("examples", ())) <= LITTLE:
        return f"text such as {', '.join(f'`{value}`' for value in node['examples'])}"
    if kind == "integer":
        least, most = (f" {word} {node[key]}" if key in node else "" for word, key in BOUNDS)
        return f"number{least}{most}"
    return {"boolean": "`true` or `false`", "string": "text", "null": "null"}.get(kind, kind)


if __name__ == "__main__":
    for page, text in pages().items():
        (DOCS / f"{page}.md").write_text(text, encoding="utf-8")
