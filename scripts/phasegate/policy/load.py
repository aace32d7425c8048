"""Policy file to Policy: read strictly, checked by schema, merged over its profile, then checked as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from phasegate.catalogue import entries, problem, problem_of
from phasegate.model.codec import from_data
from phasegate.model.dialects import SPEAKS_IN_COMMENTS
from phasegate.model.digest import text_digest
from phasegate.model.evidence import ARTIFACTS, file_of
from phasegate.model.problem import Fault, Problem, Severity, Where
from phasegate.model.signal import Role
from phasegate.policy.model import (
    DEFAULT_PROFILE,
    AgentAccount,
    Agents,
    ArtifactRules,
    Humans,
    IssueRules,
    IssueType,
    Phase,
    Policy,
    VerdictRules,
)
from phasegate.reading.document import Document, JsonPath, json_path
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml.reader import read_yaml

REFUSED = "{}[]!\\"
PROFILES = Path(__file__).parent / "profiles"
At = Callable[[str, str, JsonPath], Problem]


@cache
def default_policy() -> Policy:
    """The policy of a repository that has no policy file: the default profile as it stands."""
    return _build(_profile(DEFAULT_PROFILE), source=f"built-in profile {DEFAULT_PROFILE}", digest=text_digest(""))


@lru_cache(maxsize=8)
def load_policy(text: str, path: str) -> Policy | tuple[Problem, ...]:
    """The policy that a file's text asks for, or everything that is wrong with the file."""
    where = Where(path=path)
    document = read_yaml(text)
    if isinstance(document, Fault):
        return (problem_of(document, where),)
    faults = validate("policy", document)
    if faults:
        return tuple(problem_of(_as_error(fault), where) for fault in faults)
    own = cast("dict[str, Any]", document.value)
    profile = own.get("profile", DEFAULT_PROFILE)
    if profile not in available_profiles():
        message = f'profile "{profile}" is not part of this version (it has {", ".join(available_profiles())})'
        return (problem("PG502", message, where.at(document.position(("profile",)), "$.profile")),)
    merged = _merge(_profile(profile), own)
    wrong = tuple(_semantic_problems(merged, document, where))
    if wrong:
        return wrong
    noted = tuple(_account_notes(merged["agents"]["accounts"], document, where))
    return replace(_build(merged, source=path, digest=text_digest(text)), problems=noted)


def available_profiles() -> tuple[str, ...]:
    """The names of the built-in profiles."""
    return tuple(sorted(file.stem for file in PROFILES.glob("*.yml")))


def _profile(name: str) -> dict[str, Any]:
    document = read_yaml((PROFILES / f"{name}.yml").read_text(encoding="utf-8"))
    assert isinstance(document, Document), document  # noqa: S101  (our own file; a test reads every profile)
    return cast("dict[str, Any]", document.value)


def _as_error(fault: Fault) -> Fault:
    """In a policy an unknown key is never a mere warning: it may be a misspelt safeguard."""
    if fault.code != "PG023":
        return fault
    return replace(fault, code="PG503")


def _merge(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Maps are merged key by key; everything else of one's own replaces the profile's."""
    merged = dict(base)
    for key, value in own.items():
        inner = base.get(key)
        merged[key] = _merge(inner, value) if isinstance(inner, dict) and isinstance(value, dict) else value
    return merged


def _semantic_problems(data: Mapping[str, Any], document: Document, where: Where) -> Iterator[Problem]:
    def at(code: str, message: str, path: JsonPath) -> Problem:
        return problem(code, message, where.at(document.key_position(path), json_path(path)))

    yield from _idle_problems(data, at)
    default_types = [name for name, item in data["issue"]["types"].items() if not item["labels"]]
    if len(default_types) != 1:
        found = ", ".join(default_types) or "none"
        message = f"exactly one issue type has no labels and is the default (found {found})"
        yield at("PG505", message, ("issue", "types"))
    for name, phase in data["phases"].items():
        yield from _phase_problems(name, phase, data["roles"], at)
    yield from _role_problems(data["roles"], at)
    files = tuple(dict.fromkeys(map(file_of, ARTIFACTS)))
    for index, account in enumerate(data["agents"]["accounts"]):
        for role in account.get("roles", ()):
            if role not in data["roles"] and role not in files:
                known = (*data["roles"], *files)
                yield at("PG506", _no_such_role(role, known), ("agents", "accounts", index, "roles"))
    yield from _rule_problems(data["rules"], at)


def _idle_problems(data: Mapping[str, Any], at: At) -> Iterator[Problem]:
    """A policy that would let a pull request through with nobody judging it."""
    enabled = [phase for phase in data["phases"].values() if phase["enabled"]]
    if not enabled:
        yield at("PG504", "every phase is turned off, so nothing would be gated", ("phases",))
    elif data["issue"]["quick_labels"] and not any(_needed(phase, "quick_") for phase in enabled):
        message = (
            "the quick route needs nothing, so it would always pass; name quick_roles or quick_artifacts, "
            "or empty quick_labels"
        )
        yield at("PG509", message, ("phases",))


def _role_problems(roles: Mapping[str, Any], at: At) -> Iterator[Problem]:
    owners: dict[str, str] = {}
    for name, role in roles.items():
        letter = role.get("letter")
        if letter is not None and owners.setdefault(letter, name) != name:
            yield at("PG511", f"{owners[letter]} and {name} have the same letter {letter}", ("roles", name))


def _rule_problems(rules: Mapping[str, str], at: At) -> Iterator[Problem]:
    adjustable = {item.code: item.adjustable for item in entries()}
    for code in rules:
        if code not in adjustable:
            yield at("PG507", f"{code} is not a code of this version", ("rules", code))
        elif not adjustable[code]:
            yield at("PG508", f"{code} guards what the gate can trust; its severity is fixed", ("rules", code))


def _phase_problems(name: str, phase: Mapping[str, Any], roles: Mapping[str, Any], at: At) -> Iterator[Problem]:
    named = [*phase["roles"], *phase["quick_roles"], *(role for role in (phase["creator"], phase["fixer"]) if role)]
    for role in dict.fromkeys(named):
        if role not in roles:
            yield at("PG506", f"phase {name}: {_no_such_role(role, roles)}", ("phases", name))
    if phase["enabled"] and phase["where"] == "issue" and phase["creator"] is None:
        yield at("PG512", f"phase {name} judges what stands on the issue, but nobody makes it", ("phases", name))
    if phase["enabled"] and not _needed(phase) and not phase["human_approval"]:
        yield at("PG509", f"phase {name} needs nothing, so it would always pass", ("phases", name))
    for pattern in phase["paths"]:
        if any(letter in pattern for letter in REFUSED) or not pattern.strip("./"):
            message = f'phase {name}: "{pattern}" is not a pattern (write src/**, *.py or docs)'
            yield at("PG510", message, ("phases", name, "paths"))
    spoken = [*phase["roles"], *phase["quick_roles"]]
    if phase["enabled"] and spoken and not SPEAKS_IN_COMMENTS.get(phase["dialect"], True):
        told = ", ".join(dict.fromkeys(spoken))
        message = f"phase {name}: its roles ({told}) speak in comments, and the dialect {phase['dialect']} has none"
        yield at("PG513", message, ("phases", name))
    if phase["dialect"] not in available_profiles():
        message = f'phase {name}: dialect "{phase["dialect"]}" is not part of this version'
        yield at("PG502", message, ("phases", name, "dialect"))


def _needed(phase: Mapping[str, Any], route: str = "") -> list[str]:
    """What a phase needs to be said, on the usual or on the quick route."""
    return [*phase[f"{route}roles"], *phase[f"{route}artifacts"]]


def _account_notes(accounts: list[dict[str, Any]], document: Document, where: Where) -> Iterator[Problem]:
    for index, account in enumerate(accounts):
        login, path = account["login"].lower(), ("agents", "accounts", index)
        spot = where.at(document.position(path), f"$.agents.accounts[{index}]")
        if login == "github-actions[bot]":
            yield problem("PG217", "github-actions[bot] speaks for every workflow of the repository", spot)
        elif login.endswith("[bot]") and "id" not in account:
            yield problem("PG218", f"{account['login']} is named without its id", spot)


def _no_such_role(role: str, roles: Iterable[str]) -> str:
    known = list(roles)
    close = get_close_matches(role, known, n=1)
    meant = f"; did you mean {close[0]}?" if close else ""
    return f'there is no role "{role}" (roles: {", ".join(known) or "none"}){meant}'


def _build(data: Mapping[str, Any], *, source: str, digest: str) -> Policy:
    types = data["issue"]["types"].items()
    return Policy(
        profile=data["profile"],
        agents=Agents(
            only=data["agents"]["only"],
            accounts=tuple(from_data(AgentAccount, account) for account in data["agents"]["accounts"]),
        ),
        humans=from_data(Humans, data["humans"]),
        issue=IssueRules(
            required=data["issue"]["required"],
            types=tuple(
                IssueType(name=name, labels=tuple(item["labels"]), qa_required=item["qa"] == "required")
                for name, item in types
            ),
            quick_labels=tuple(data["issue"]["quick_labels"]),
        ),
        roles=(*(from_data(Role, {"name": name, **item}) for name, item in data["roles"].items()), *ARTIFACTS.values()),
        phases=tuple(from_data(Phase, {"name": name, **item}) for name, item in data["phases"].items()),
        artifacts=from_data(ArtifactRules, data["artifacts"]),
        verdicts=from_data(VerdictRules, data["verdicts"]),
        overrides=data["overrides"],
        severities={code: None if word == "off" else Severity(word) for code, word in data["rules"].items()},
        source=source,
        digest=digest,
    )
