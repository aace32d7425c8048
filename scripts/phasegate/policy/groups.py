"""Reviewers and groups of them in a policy: who is one, and of which seats some are enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from phasegate.model.problem import Problem
from phasegate.reading.document import JsonPath

At = Callable[[str, str, JsonPath], Problem]
Data = Mapping[str, Any]


def reviewers_in(data: Data) -> frozenset[str]:
    """The roles of the reviewers that a policy names: of accounts whose entry has a format."""
    accounts = (account for account in data["agents"]["accounts"] if "format" in account)
    return frozenset(name for account in accounts for name in account["roles"])


def grouped(data: Data) -> dict[str, Any]:
    """A policy in which each member of a group is a role of its phase like others, and the groups stand beside them."""
    phases = {name: {**phase, **_apart(phase["roles"])} for name, phase in data["phases"].items()}
    return {**data, "phases": phases}


def _apart(roles: list[Any]) -> dict[str, Any]:
    told = [item if isinstance(item, Mapping) else {"any": [item]} for item in roles]
    groups = [{"members": item["any"], "need": item["need"]} for item in told if "need" in item]
    return {"roles": list(dict.fromkeys(name for item in told for name in item["any"])), "groups": groups}


def group_problems(data: Data, at: At) -> Iterator[Problem]:
    """Groups that could never be met, or that name a role twice, which would then count twice."""
    for phase, told in data["phases"].items():
        path: JsonPath = ("phases", phase, "roles")
        groups = [item for item in told["roles"] if isinstance(item, Mapping)]
        named = Counter(name for item in told["roles"] for name in (item["any"] if item in groups else [item]))
        for name in (name for name, count in named.items() if count > 1):
            yield at("PG529", f"phase {phase}: {name} is named twice in its roles; a role has one seat", path)
        for group in groups:
            count, members = len(group["any"]), ", ".join(group["any"])
            if group["need"] > count:
                yield at(
                    "PG529", f"phase {phase}: {group['need']} of {members} are needed, and there are {count}", path
                )
