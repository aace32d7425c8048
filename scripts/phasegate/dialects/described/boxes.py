"""Reviewers in a box: how each speaks, the account it is known by and what steers it, as data beside this module.

The name of a box comes in, its data goes out; nothing is read before somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from phasegate.catalogue import problem
from phasegate.model.frozen import dataclass
from phasegate.model.problem import Problem, Where, near
from phasegate.reading.document import JsonPath
from phasegate.reading.yaml import read_own_yaml

FOLDER = Path(__file__).parent / "boxed"


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    """A number that the policy may set, and its bounds."""

    default: int
    least: int
    most: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A reviewer that many teams have.

    ``known`` is its account (login, id, app id), empty where files speak for whoever pushes them. ``instructions`` are
    the files that it takes orders from. What is ``experimental`` is a guess, and says which.
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
        """The description with the numbers of a policy, and its account's app, in their places."""
        defaults = {name: setting.default for name, setting in self.settings.items()}
        filled = _filled(self.description, {"app_id": self.known.get("app_id"), **defaults, **values})
        assert isinstance(filled, Mapping)  # noqa: S101  (a map stays one)
        return filled


@cache
def box_names() -> tuple[str, ...]:
    """The reviewers that there is a box for."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.yml")))


@cache
def box(name: str) -> Box:
    """A box by its name."""
    data: Any = read_own_yaml((FOLDER / f"{name}.yml").read_text(encoding="utf-8"))
    return Box(
        name=name,
        description=data["format"],
        known=data["known"],
        instructions=tuple(data["instructions"]),
        experimental=data.get("experimental", ""),
        settings={key: Setting(**told) for key, told in data.get("settings", {}).items()},
    )


def _filled(told: object, values: Mapping[str, Any]) -> object:
    if isinstance(told, Mapping):
        if tuple(told) == ("setting",):
            return values[told["setting"]]
        return {key: _filled(inner, values) for key, inner in told.items()}
    return [_filled(inner, values) for inner in told] if isinstance(told, list) else told


At = Callable[[str, str, JsonPath], Problem]
Data = Mapping[str, Any]
SEATED_IN = ("build", "qa")


@dataclass(frozen=True, kw_only=True, slots=True)
class Unpacked:
    """A policy with its boxes unpacked: the descriptions that it uses, and the policy's data, both filled in."""

    formats: Data
    data: Data
    boxes: tuple[Box, ...]


def unpacked(own: Data, merged: Data) -> Unpacked:
    """The boxes that a policy names; ``own`` is what it says itself, ``merged`` with its profile's."""
    described: Data = own.get("formats", {})
    accounts = [account for account in merged["agents"]["accounts"] if account.get("format") in _known(described)]
    named = [account["format"] for account in accounts]
    named += [each.get("dialect") for key in ("phases", "roles") for each in merged[key].values()]
    boxes = tuple(box(name) for name in dict.fromkeys(named) if name in box_names())
    if not boxes and not accounts:
        return Unpacked(formats=described, data=merged, boxes=())
    renamed = {account["format"]: account["roles"][0] for account in accounts if _renames(account, described)}
    made = {each.name: _description(each, accounts, renamed) for each in boxes if each.name not in described}
    formats = {**made, **described}
    paths = [*merged["instructions"]["paths"], *(path for each in boxes for path in each.instructions)]
    data = {
        **merged,
        "agents": {**merged["agents"], "accounts": [_account(each, formats) for each in merged["agents"]["accounts"]]},
        "instructions": {**merged["instructions"], "paths": list(dict.fromkeys(paths))},
        "roles": {**{role: _role(name) for name, role in renamed.items()}, **merged["roles"]},
    }
    seats = [role for account in data["agents"]["accounts"] if "format" in account for role in account["roles"]]
    return Unpacked(formats=formats, data={**data, "phases": _seated(data["phases"], seats)}, boxes=boxes)


def _known(described: Data) -> tuple[str, ...]:
    return (*box_names(), *described)


def _renames(account: Data, described: Data) -> bool:
    """Whether a boxed reviewer speaks for a role of the policy instead of its own."""
    name, roles = account["format"], account.get("roles", ())
    return name not in described and len(roles) == 1 and len(box(name).roles) == 1 and roles[0] not in box(name).roles


def _role(name: str) -> Data:
    told = box(name).description["roles"]
    return {"does": next(iter(told.values()))["does"], "dialect": name}


def _description(each: Box, accounts: list[Data], renamed: Data) -> Data:
    own = next((account for account in accounts if account["format"] == each.name), {})
    told = {"app_id": own["app_id"]} if "app_id" in own else {}
    made = each.described({**told, **own.get("settings", {})})
    return {**made, "roles": {}, "role": renamed[each.name]} if each.name in renamed else made


def _account(account: Data, formats: Data) -> Data:
    """An account with what is known of the reviewer; where it has another login, ids are its own."""
    name = account.get("format")
    if name is None or name not in formats:
        return account
    known: Data = box(name).known if name in box_names() else {}
    same = account.get("login", known.get("login", "")).lower() == known.get("login", "").lower()
    own = {key: value for key, value in account.items() if key != "settings"}
    roles = {"roles": list(formats[name].get("roles", ())), "boxed": "roles" not in account}
    return {**roles, **(known if same else {}), **own}


def _seated(phases: Data, roles: list[str]) -> Data:
    """The phases with a seat for every reviewer that none of them names."""
    taken = {role for phase in phases.values() for role in (*phase["roles"], *phase["quick_roles"])}
    open_to = next((name for name in SEATED_IN if phases[name]["enabled"]), SEATED_IN[0])
    more = [role for role in dict.fromkeys(roles) if role not in taken]
    return {**phases, open_to: {**phases[open_to], "roles": [*phases[open_to]["roles"], *more]}}


def box_problems(merged: Data, described: Data, at: At) -> Iterator[Problem]:
    """What is wrong with the accounts that name a format."""
    first: dict[str, object] = {}
    seats: dict[str, str] = {}
    for index, account in enumerate(merged["agents"]["accounts"]):
        path: JsonPath = ("agents", "accounts", index)
        name = account.get("format")
        if name is None:
            if "settings" in account:
                yield at("PG526", "settings go with format", (*path, "settings"))
            continue
        if name not in _known(described):
            close = near(name, _known(described))
            meant = f"; did you mean {close[0]}?" if close else ""
            message = f'there is no format "{name}" ({", ".join(_known(described))}){meant}'
            yield at("PG502", message, (*path, "format"))
            continue
        yield from _account_problems(account, described, path, at)
        told = (account.get("settings"), account.get("app_id"))
        if first.setdefault(name, told) != told:
            yield at("PG526", f"format {name}: two accounts set it differently", path)
        for role in account.get("roles", ()):
            if seats.setdefault(role, name) != name:
                message = (
                    f"{role} already has the format {seats[role]}, and a role has one format; give {name} another role"
                )
                yield at("PG526", message, (*path, "roles"))


def _account_problems(account: Data, described: Data, path: JsonPath, at: At) -> Iterator[Problem]:
    name = account["format"]
    own = name in described
    if "login" not in account and not (name in box_names() and box(name).known):
        yield at("PG526", f"format {name}: say with login whose words these are", path)
    settings = {} if own else box(name).settings
    for key, value in account.get("settings", {}).items():
        setting = settings.get(key)
        if setting is None:
            known = ", ".join(settings) or "none"
            yield at("PG526", f"format {name} has no setting {key} (settings: {known})", (*path, "settings"))
        elif not setting.least <= value <= setting.most:
            message = f"format {name}: {key} is from {setting.least} to {setting.most}, not {value}"
            yield at("PG526", message, (*path, "settings"))


def experiments(boxes: tuple[Box, ...], where: Where) -> Iterator[Problem]:
    """That a box in use rests on a guess."""
    for each in boxes:
        if each.experimental:
            yield problem("PG527", f"format {each.name} is experimental: {each.experimental}", where)
