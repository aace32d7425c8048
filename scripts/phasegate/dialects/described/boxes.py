"""Boxed reviewers: how each reports, its account and its settings, as data beside this module.

In: the name of a box. Out: its data. Nothing is read before it is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from phasegate.catalogue import problem
from phasegate.dialects.described.forms import SEVERITIES, rank_of
from phasegate.dialects.registry import DEFAULT_DIALECT, every_dialect
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Fault, Problem, Where, near
from phasegate.reading.document import Document, Json, JsonPath, excerpt_of
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import POLICY_LIMITS, read_own_yaml, read_yaml

SEVERITY_WORDS = tuple(word for words in SEVERITIES for word in words)
FOLDER = Path(__file__).parent / "boxed"


At = Callable[[str, str, JsonPath], Problem]
Data = Mapping[str, Any]
SEATED_IN = ("build", "qa")
Value: TypeAlias = "int | str | list[str]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A policy setting of a box: a number within bounds, the severity from which findings block, or paths."""

    default: Value
    least: int = 0
    most: int = 0

    def wrong(self, value: Json) -> str:
        """Why a value cannot be set, or ""."""
        if isinstance(self.default, int):
            fits = isinstance(value, int) and self.least <= value <= self.most
            return "" if fits else f"is from {self.least} to {self.most}, not {excerpt_of(value)}"
        if isinstance(self.default, list):
            return "" if isinstance(value, list) else f"is a list of paths, not {excerpt_of(value)}"
        if isinstance(value, str) and rank_of(value) is not None:
            return ""
        close = near(value, SEVERITY_WORDS) if isinstance(value, str) else ()
        meant = f"did you mean {close[0]}?" if close else f"severities are {', '.join(SEVERITY_WORDS)}"
        return f"is a severity, not {excerpt_of(value)}; {meant}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A reviewer that many teams use.

    ``known`` is its account (login, id, app id), empty if its words are files pushed by anybody. ``instructions`` are
    the files that it takes orders from. ``experimental`` says which part is a guess.
    """

    name: str
    description: Mapping[str, Any]
    known: Mapping[str, Any] = field(default_factory=dict)
    instructions: tuple[str, ...] = ()
    experimental: str = ""
    settings: Mapping[str, Setting] = field(default_factory=dict)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that it speaks for."""
        return tuple(self.description["roles"])

    def described(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The description with the policy's settings and the account's app filled in."""
        defaults = {name: setting.default for name, setting in self.settings.items()}
        filled = _filled(self.description, {"app_id": self.known.get("app_id"), **defaults, **values})
        assert isinstance(filled, Mapping)  # noqa: S101  (a map stays one)
        return filled


@cache
def box_names() -> tuple[str, ...]:
    """The reviewers with a box."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.yml")))


@cache
def box(name: str) -> Box:
    """The box of this name."""
    return _box(name, read_own_yaml((FOLDER / f"{name}.yml").read_text(encoding="utf-8")))


@cache
def reviewer_of(login: str) -> str | None:
    """The boxed reviewer with this login. Only a box whose text has the login is read."""
    wanted = login.lower()
    held = (name for name in box_names() if wanted in (FOLDER / f"{name}.yml").read_text(encoding="utf-8").lower())
    return next((name for name in held if box(name).known.get("login", "").lower() == wanted), None)


def _box(name: str, data: Any) -> Box:  # noqa: ANN401  (data of a description)
    return Box(
        name=name,
        description=data["format"],
        known=data["known"],
        instructions=tuple(data["instructions"]),
        experimental=data.get("experimental", ""),
        settings={  # told by a default with bounds, or by ``severity`` or ``paths``
            key: Setting(**told) if "default" in told else Setting(default=next(iter(told.values())))
            for key, told in data.get("settings", {}).items()
        },
    )


Shelf: TypeAlias = "Callable[[str], Box]"
KEYS = ("format", "instructions", "known")


def newer_box(name: str, text: str | None) -> Box | str:
    """The built-in reviewer with a newer description, or why that is impossible."""
    old = box(name)
    document = None if text is None else read_yaml(text, limits=POLICY_LIMITS)
    if not isinstance(document, Document):
        return document.message if isinstance(document, Fault) else "it was not read from the default branch"
    data: Any = document.value
    if not isinstance(data, dict) or any(key not in data for key in KEYS):
        return f"a description of a built-in reviewer has the keys {', '.join(KEYS)}"
    try:
        new = replace(_box(old.name, data), known=old.known, instructions=old.instructions)
        filled = read_json(json.dumps(new.described({})))
    except (TypeError, KeyError, AttributeError, ValueError):
        return "its settings, or where they stand in the description, are not written as in the built-in files"
    if isinstance(filled, Fault) or not isinstance(data["format"], dict):
        return "format is no description"
    for fault in validate("format", filled):
        return f"{fault.message} ({fault.json_path})"
    return new if new.roles == old.roles else f"its roles are {', '.join(new.roles)}, not {', '.join(old.roles)}"


def _filled(told: object, values: Mapping[str, Any]) -> object:
    if isinstance(told, Mapping):
        if tuple(told) == ("setting",):
            return values[told["setting"]]
        return {key: _filled(inner, values) for key, inner in told.items()}
    return [_filled(inner, values) for inner in told] if isinstance(told, list) else told


@dataclass(frozen=True, kw_only=True, slots=True)
class Unpacked:
    """A policy with its boxes unpacked: the descriptions that it uses, and its data with the boxes' values."""

    formats: Data
    data: Data
    boxes: tuple[Box, ...]


def opened(own: Data, merged: Data, files: Mapping[str, str], at: At) -> Unpacked | tuple[Problem, ...]:
    """The boxes that a policy names, or everything wrong with how it names them.

    ``own`` is the policy's own data, ``merged`` includes its profile, ``files`` are on the default branch. A box
    described by a file keeps its account and instructions: the file can change only how the reviewer's texts are read.
    """
    newer: dict[str, Box] = {}
    wrong: list[Problem] = []
    for name, path in ((name, each["from"]) for name, each in own.get("formats", {}).items() if "from" in each):
        here: JsonPath = ("formats", name, "from")
        if name not in box_names():
            wrong.append(at("PG502", f'from goes with a built-in reviewer, and "{name}" is none', here))
        elif isinstance(found := newer_box(name, files.get(path)), Box):
            newer[name] = found
        else:
            wrong.append(at("PG901", f"format {name}: {path}: {found}", here))

    def boxes_of(name: str) -> Box:
        return newer.get(name) or box(name)

    described = {name: told for name, told in own.get("formats", {}).items() if "from" not in told}
    wrong += box_problems(merged, described, boxes_of, at)
    return tuple(wrong) or _unpacked(described, merged, boxes_of)


def _unpacked(described: Data, merged: Data, boxes_of: Shelf) -> Unpacked:
    known = (*box_names(), *described)
    accounts = [account for account in merged["agents"]["accounts"] if account.get("format") in known]
    named = [account["format"] for account in accounts]
    named += [each.get("dialect") for key in ("phases", "roles") for each in merged[key].values()]
    boxes = tuple(boxes_of(name) for name in dict.fromkeys(named) if name in box_names())
    first = next((account["format"] for account in accounts), DEFAULT_DIALECT)
    phases: Data = {name: {**phase, "dialect": phase["dialect"] or first} for name, phase in merged["phases"].items()}
    if not boxes and not accounts:
        return Unpacked(formats=described, data={**merged, "phases": phases}, boxes=())
    renamed: dict[str, str] = {}  # reviewers that speak for a role of the policy instead of their own
    for name, roles in ((each["format"], each.get("roles", ())) for each in accounts):
        own = () if name in described else box(name).roles
        if len(roles) == len(own) == 1 and roles[0] not in own:
            renamed[name] = roles[0]
    formats: dict[str, Data] = {}
    for each in (each for each in boxes if each.name not in described):
        account: Data = next((account for account in accounts if account["format"] == each.name), {})
        app = {"app_id": account["app_id"]} if "app_id" in account else {}
        role = {"roles": {}, "role": renamed[each.name]} if each.name in renamed else {}
        formats[each.name] = {**each.described({**app, **account.get("settings", {})}), **role}
    formats |= described
    paths = [*merged["instructions"]["paths"], *(path for each in boxes for path in each.instructions)]
    named_accounts = [_account(each, formats) for each in merged["agents"]["accounts"]]
    does = {role.name: role.does.value for dialect in every_dialect() for role in dialect.roles}
    own_does = {role: next(iter(box(name).description["roles"].values()))["does"] for name, role in renamed.items()}
    roles_told = {role: {"does": does.get(role, own_does[role]), "dialect": name} for name, role in renamed.items()}
    # a reviewer that no phase names gets a seat
    taken = {role for phase in phases.values() for role in (*phase["roles"], *phase["quick_roles"])}
    seats = dict.fromkeys(role for account in named_accounts if "format" in account for role in account["roles"])
    open_to = next((name for name in SEATED_IN if phases[name]["enabled"]), SEATED_IN[0])
    more = [*phases[open_to]["roles"], *(role for role in seats if role not in taken)]
    data = {
        **merged,
        "agents": {**merged["agents"], "accounts": named_accounts},
        "instructions": {**merged["instructions"], "paths": list(dict.fromkeys(paths))},
        "roles": {**roles_told, **merged["roles"]},
        "phases": {**phases, open_to: {**phases[open_to], "roles": more}},
    }
    return Unpacked(formats=formats, data=data, boxes=boxes)


def _account(account: Data, formats: Data) -> Data:
    """An account with the reviewer's known ids. With another login it keeps its own ids."""
    name = account.get("format")
    if name is None or name not in formats:
        return account
    known: Data = box(name).known if name in box_names() else {}
    same = account.get("login", known.get("login", "")).lower() == known.get("login", "").lower()
    own = {key: value for key, value in account.items() if key != "settings"}
    roles = {"roles": list(formats[name].get("roles", ())), "boxed": "roles" not in account}
    return {**roles, **(known if same else {}), **own}


def box_problems(merged: Data, described: Data, boxes: Shelf, at: At) -> Iterator[Problem]:
    """What is wrong with accounts that name a format, and with formats that need an account."""
    known = (*box_names(), *described)
    named = [account.get("format") for account in merged["agents"]["accounts"]]
    for name, told in described.items():
        lasts = any(each.get("lasting") == "across" for each in (told, *told.get("forms", {}).values()))
        if (lasts or "threads" in told) and name not in named:
            message = f"findings of format {name} stand only where an account of agents.accounts has format: {name}"
            yield at("PG526", message, ("formats", name))
    first: dict[str, object] = {}
    seats: dict[str, str] = {}
    for index, account in enumerate(merged["agents"]["accounts"]):
        path: JsonPath = ("agents", "accounts", index)
        name = account.get("format")
        if name is None:
            if "settings" in account:
                yield at("PG526", "settings go with format", (*path, "settings"))
            continue
        if name not in known:
            close = near(name, known)
            meant = f"; did you mean {close[0]}?" if close else ""
            yield at("PG502", f'there is no format "{name}" ({", ".join(known)}){meant}', (*path, "format"))
            continue
        yield from _account_problems(account, described, boxes, path, at)
        told = (account.get("settings"), account.get("app_id"))
        if first.setdefault(name, told) != told:
            yield at("PG526", f"format {name}: two accounts set it differently", path)
        for role in account.get("roles", ()):
            if seats.setdefault(role, name) != name:
                message = (
                    f"{role} already has the format {seats[role]}, and a role has one format; give {name} another role"
                )
                yield at("PG526", message, (*path, "roles"))


def _account_problems(account: Data, described: Data, boxes: Shelf, path: JsonPath, at: At) -> Iterator[Problem]:
    name = account["format"]
    if "login" not in account and not (name in box_names() and box(name).known):
        yield at("PG526", f"format {name}: say with login whose words these are", path)
    settings = {} if name in described else boxes(name).settings
    for key, value in account.get("settings", {}).items():
        setting = settings.get(key)
        if setting is None:
            known = ", ".join(settings) or "none"
            yield at("PG526", f"format {name} has no setting {key} (settings: {known})", (*path, "settings"))
        elif wrong := setting.wrong(value):
            yield at("PG526", f"format {name}: {key} {wrong}", (*path, "settings"))


def experiments(boxes: tuple[Box, ...], where: Where) -> Iterator[Problem]:
    """A notice for each box in use that rests on a guess."""
    for each in boxes:
        if each.experimental:
            yield problem("PG527", f"format {each.name} is experimental: {each.experimental}", where)
