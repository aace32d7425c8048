"""Formats as data: what agents write is described, and read by the description.

What a policy describes comes in, dialects go out; a policy without formats loads nothing of this package but this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from phasegate.catalogue import problem
from phasegate.dialects.commands import COMMANDS
from phasegate.dialects.registry import BUILT_IN, every_dialect
from phasegate.model.problem import Fault, Problem, Where
from phasegate.reading.document import Document, JsonPath, json_path

if TYPE_CHECKING:
    from phasegate.dialects.described.declaration import Described


def described_formats(
    told: Mapping[str, Any], files: Mapping[str, str], document: Document, where: Where
) -> tuple[dict[str, Described], tuple[Problem, ...]]:
    """The dialects that some descriptions make, and all that is wrong with them."""
    if not told:
        return {}, ()
    from phasegate.dialects.described.build import build_format  # noqa: PLC0415  (only where there are formats)
    from phasegate.dialects.described.declaration import Described  # noqa: PLC0415
    from phasegate.dialects.described.forms import Format  # noqa: PLC0415

    def at(path: JsonPath, code: str, message: str) -> None:
        wrong.append(problem(code, message, where.at(document.key_position(path), json_path(path))))

    made: dict[str, Described] = {}
    wrong: list[Problem] = []
    for name, description in told.items():
        if name in BUILT_IN:
            at(("formats", name), "PG906", f"{name} is the name of a dialect; call the format otherwise")
            continue
        built = build_format(name, description, files)
        if isinstance(built, Format):
            made[name] = Described(built)
            continue
        for item in built:
            at(("formats", name, *item.path), item.code, f"format {name}: {item.message}")
    for name, message in _confusions(made):
        at(("formats", name), "PG906", f"format {name}: {message}")
    return made, tuple(wrong)


def _confusions(made: Mapping[str, Described]) -> Iterator[tuple[str, str]]:
    """Formats that could be taken for a command, for a built-in dialect, or one for another in the same medium."""
    from phasegate.dialects.described.forms import LINES, At  # noqa: PLC0415  (only where there are formats)

    taken = {trigger: each.name for each in every_dialect() for trigger in each.footprint.triggers}
    leads = [(name, form.lead, form.media) for name, each in made.items() for form in each.forms]
    chosen = (*LINES, At.SAYS)  # of lines and phrases of one format that begin alike, what reads is meant
    for name, lead, media in leads:
        others = [
            sign
            for other, part, others in leads
            if media & others and lead is not part
            if name != other or lead.at not in chosen or part.at not in chosen
            for sign in part.signs
        ]
        for sign in lead.signs:
            lowered = sign.lower()
            owner = next((taken[trigger] for trigger in taken if trigger in lowered), None)
            if owner is not None or COMMANDS in lowered:
                yield name, f'"{sign}" belongs to {owner or "human commands"}; use words of its own'
            wider = next((other for other in others if other != sign and other.lower() in lowered), None)
            if wider is not None:
                yield name, f'"{sign}" holds "{wider}", by which another form is told; use other words'


def schema_paths(text: str) -> tuple[str, ...]:
    """The paths of the schemas and descriptions that the formats of a policy's text name, for whoever fetches them."""
    if "schema_file" not in text and "from" not in text:
        return ()
    from phasegate.reading.yaml import POLICY_LIMITS, read_yaml  # noqa: PLC0415  (the codes here are listed without it)

    document = read_yaml(text, limits=POLICY_LIMITS)
    value = None if isinstance(document, Fault) else document.value
    formats = value.get("formats") if isinstance(value, dict) else None
    return tuple(dict.fromkeys(_named(formats))) if isinstance(formats, dict) else ()


def _named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("schema_file", "from") and isinstance(inner, str):
                yield inner
            else:
                yield from _named(inner)
