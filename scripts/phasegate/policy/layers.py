"""The layers of a policy: its profile, its organisation's policy as a floor, and its own keys.

In: policies as data. Out: one merged policy. Only keys of a floor with a row may change, and only to ask for more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from phasegate.catalogue import by_code
from phasegate.dialects.registry import DEFAULT_DIALECT
from phasegate.policy.model import Edited
from phasegate.reading.document import JsonPath
from phasegate.reading.yaml import read_own_yaml

Data = Mapping[str, Any]
Rises = Callable[[Any, Any], bool]
PROFILES = Path(__file__).parent / "profiles"
BOXED = {"format", "settings"}  # keys of an account with a seat of its own; it speaks for no other

# What `solo` turns on: one account may do everything.
ALONE: dict[str, Any] = {
    "agents": {"author_may_judge": True},
    "humans": {"author_may_approve": True, "agents_may_approve": True},
    "issue": {"author_may_lower": True},
}


def available_profiles() -> tuple[str, ...]:
    """The names of the built-in profiles."""
    return tuple(sorted(file.stem for file in PROFILES.glob("*.yml")))


def profile_data(name: str) -> dict[str, Any]:
    """The data of a built-in profile."""
    return cast("dict[str, Any]", read_own_yaml((PROFILES / f"{name}.yml").read_text(encoding="utf-8")))


def over_profile(own: Data) -> dict[str, Any]:
    """A policy on top of its profile."""
    profile = profile_data(own.get("profile", DEFAULT_DIALECT))
    return merge(merge(profile, ALONE if own.get("solo") else {}), own)


def merge(base: Data, own: Data) -> dict[str, Any]:
    """Maps are merged key by key; any other value replaces the profile's."""
    merged = dict(base)
    for key, value in own.items():
        inner = base.get(key)
        merged[key] = merge(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return merged


def _order(*values: object) -> Rises:
    """A check that values only go from weakest to strictest."""
    return lambda old, new: values.index(new) >= values.index(old)


def _more(old: list[Any] | None, new: list[Any]) -> bool:
    return all(item in new for item in old or ())


def _fewer(old: list[Any] | None, new: list[Any]) -> bool:
    return all(item in (old or ()) for item in new)


def _own_format(old: object, new: object) -> bool:
    """True if a format was added that does not turn product files into evidence."""
    parts = new.values() if isinstance(new, Mapping) else new if isinstance(new, list) else ()
    marked = isinstance(new, Mapping) and new.get("evidence") is True
    return old is None and not marked and all(_own_format(None, part) for part in parts)


def _narrower(old: object, new: object) -> bool:
    """True if more files are guarded: none, a list, or all."""
    return new is False or old is True or (isinstance(old, list) and isinstance(new, list) and _fewer(old, new))


ON, OFF = _order(False, True), _order(True, False)  # noqa: FBT003  (values of keys)
SEVERITIES = _order("off", "notice", "warning", "error")
# One row for each key that may become stricter; * is any one name.
RISES: dict[str, Rises] = {
    "agents.only": ON,
    "agents.author_may_judge": OFF,
    "humans.minimum_permission": _order("write", "maintain", "admin"),
    "humans.author_may_approve": OFF,
    "humans.agents_may_approve": OFF,
    "humans.reviews": OFF,
    "issue.required": ON,
    "issue.author_may_lower": OFF,
    "issue.types.*": lambda old, new: old is None and new["qa"] == "required",
    "issue.types.*.qa": _order("optional", "required"),
    "issue.quick_labels": _fewer,
    "roles.*": lambda old, _new: old is None,
    "phases.*.enabled": ON,
    "phases.*.roles": _more,
    "phases.*.quick_roles": _more,
    "phases.*.artifacts": _more,
    "phases.*.quick_artifacts": _more,
    "phases.*.optional_artifacts": _more,
    "phases.*.checks": _more,
    "phases.*.paths": lambda old, new: not new or (bool(old) and _more(old, new)),  # no paths are all paths
    "phases.*.human_approval": ON,
    "phases.*.max_attempts": lambda old, new: new is not None and (old is None or new <= old),
    "phases.*.parallel": OFF,
    "phases.*.by_issue_type": OFF,
    "verdicts.contradictory_fail": _order("pass", "invalid"),
    "verdicts.require_commit": ON,
    "verdicts.edited": _order(*(each.value for each in Edited)),
    "verdicts.distinct_accounts": ON,
    "verdicts.footers": _fewer,
    "instructions.guard": ON,
    "instructions.paths": _more,
    "merge_queue.overlap": _narrower,
    "exempt": _fewer,
    "overrides": OFF,
    "formats.*": _own_format,
}
# Said of the file itself, or seen in what it sets.
SILENT = ("$schema", "version", "extends", "solo", "agents.accounts")


class Floor(NamedTuple):
    """An organisation's policy: its path, its data alone and over its profile, and the names that it defines."""

    path: str | None = None
    own: Data = MappingProxyType({})
    merged: Data = MappingProxyType({})
    taken: frozenset[str] = frozenset()  # roles and formats that nobody may redefine


def lowered(floor: Floor, own: Data, merged: Data) -> Iterator[tuple[JsonPath, str]]:
    """Where a policy asks for less than its floor, and what it says there."""
    if floor.path is None:
        return
    for key in ("roles", "formats"):
        for name in floor.taken.intersection(own.get(key, {})):
            yield (key, name), f"{key}.{name}: {floor.path} uses {name} as it is"
    for path, old, new in _changes(floor.merged, merged):
        told, was = (json.dumps(value)[:100] for value in (new, old))
        yield path, f"{'.'.join(map(str, path))}: {told} asks for less than {was} in {floor.path}"
    agents = floor.own.get("agents", {})
    listed = agents.get("accounts", [])
    for account in own.get("agents", {}).get("accounts", []) if listed or agents.get("only", False) else ():
        if account not in listed and not set(account) <= BOXED:
            named = account.get("login") or account.get("team") or account.get("format")
            yield ("agents", "accounts"), f"{floor.path} names who may speak, and {named} is not among them"


def _changes(floor: Data, own: Data, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any, Any]]:
    """Where a policy changes its floor without asking for more: path, old value, new value."""
    for key, new in own.items():
        here, old = (*path, key), floor.get(key)
        if old == new or ".".join(map(str, here)) in SILENT:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping) and not (path and here[0] in ("roles", "formats")):
            yield from _changes(old, new, here)
        elif path == ("rules",):
            fixed = by_code().get(str(key))
            if not SEVERITIES(old or (fixed.severity.value if fixed else "error"), new):
                yield here, old, new
        elif not _row(here)(old, new):
            yield here, old, new


def _row(path: JsonPath) -> Rises:
    names = [str(step) for step in path]
    starred = (".".join((*names[:at], "*", *names[at + 1 :])) for at in range(len(names)))
    return next((RISES[each] for each in (".".join(names), *starred) if each in RISES), lambda _old, _new: False)


def with_floor(floor: Data, own: Data) -> dict[str, Any]:
    """A repository's own keys, with the organisation's accounts before its own."""
    named = floor.get("agents", {}).get("accounts", []) + own.get("agents", {}).get("accounts", [])
    agents = {**own.get("agents", {}), "accounts": [each for n, each in enumerate(named) if each not in named[:n]]}
    return {**own, "agents": agents} if named else dict(own)
