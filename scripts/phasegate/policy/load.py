"""Policy file to Policy: parsed strictly, validated by schema, merged over its profile, then checked as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, cast

from phasegate.catalogue import by_code, problem, problem_of
from phasegate.dialects import registry
from phasegate.dialects.commands import COMMANDS
from phasegate.dialects.described.boxes import Unpacked, box_names, experiments, opened, reviewer_of
from phasegate.dialects.described.declaration import described_formats
from phasegate.dialects.dialect import Adjustable, Dialect
from phasegate.dialects.registry import DEFAULT_DIALECT, built_in, every_dialect
from phasegate.model.codec import from_data, text_digest
from phasegate.model.contexts import context_in
from phasegate.model.frozen import replace
from phasegate.model.problem import Fault, Problem, Severity, Where, near
from phasegate.model.signal import Does, Medium, Place, Role, Subject
from phasegate.policy.layers import Floor, available_profiles, lowered, merge, over_profile, profile_data, with_floor
from phasegate.policy.model import Agents, Exempt, Humans, Instructions, IssueRules, Phase, Policy, VerdictRules
from phasegate.reading.document import Document, JsonPath, json_path
from phasegate.reading.globs import reached
from phasegate.reading.schema.registry import validate
from phasegate.reading.yaml import POLICY_LIMITS, read_yaml

if TYPE_CHECKING:
    from phasegate.dialects.described.declaration import Described

REFUSED = "{}[]!\\"
EVERYTHING = "**"
OPENING = ("#", "```", "~~~")

Data = Mapping[str, Any]
At = Callable[[str, str, JsonPath], Problem]


@cache
def default_policy() -> Policy:
    """The policy of a repository without a policy file: the default profile unchanged."""
    return _build(profile_data(DEFAULT_DIALECT), source=f"built-in profile {DEFAULT_DIALECT}", digest=text_digest(""))


@lru_cache(maxsize=8)
def load_policy(
    text: str, path: str, schemas: tuple[tuple[str, str], ...] = (), floor: tuple[str, str] | None = None
) -> Policy | tuple[Problem, ...]:
    """The policy in a file's text, or everything wrong with the file.

    ``schemas`` are the paths and texts of JSON Schemas on the default branch that its formats name. ``floor`` is the
    path and text of the policy that it may extend; without it only the form of an extending policy is checked.
    """
    where = Where(path=path)
    document = read_yaml(text, limits=POLICY_LIMITS)
    if isinstance(document, Fault):
        return (problem_of(document, where),)
    if wrong := _form_problems("policy", document, where):
        return wrong
    written = cast("dict[str, Any]", document.value)
    if "extends" in written and floor is None:
        unread = problem("PG531", "the policy that it extends was not read, so only its form was checked", where)
        return replace(default_policy(), source=path, digest=text_digest(text), extends=True, problems=(unread,))
    base = _floor(*floor) if "extends" in written and floor is not None else Floor()
    if not isinstance(base, Floor):
        return base

    def at(code: str, message: str, path: JsonPath) -> Problem:
        return problem(code, message, where.at(document.key_position(path), json_path(path)))

    own, files = merge(base.own, with_floor(base.own, written)), dict(schemas)
    if (profile := own.get("profile", DEFAULT_DIALECT)) not in available_profiles():
        message = f'profile "{profile}" is not part of this version (it has {", ".join(available_profiles())})'
        return (problem("PG502", message, where.at(document.position(("profile",)), "$.profile")),)
    merged = over_profile(own)
    low = tuple(at("PG530", message, path) for path, message in lowered(base, written, merged))
    if wrong := low or tuple(_group_problems(merged, at)):
        return wrong
    found = opened(own, _grouped(merged), files, at)
    if not isinstance(found, Unpacked):
        return found
    formats, wrong = described_formats(found.formats, files, document, where)
    adjusted, unfit = _adjusted_dialects(Document(value=own, mark=document.mark, lines=document.lines), where, at)
    limited = {name for name, phase in own.get("phases", {}).items() if "max_attempts" in phase}
    phases = {name: {**phase, "limits_reviewers": name in limited} for name, phase in found.data["phases"].items()}
    data = {**found.data, "phases": phases, "formats": formats, "dialects": adjusted}
    wrong = (*wrong, *unfit) or tuple(_semantic_problems(data, at))
    if wrong:
        return wrong
    noted = (*_notes(data, document, where), *experiments(found.boxes, where))
    made = _build(data, source=path, digest=text_digest(text if floor is None else f"{text}\n{floor[1]}"))
    return replace(made, problems=noted, extends="extends" in written, floor=base.path)


def _form_problems(schema: str, document: Document, where: Where) -> tuple[Problem, ...]:
    """Violations of a schema. In a policy an unknown key is an error: it may be a misspelt safeguard."""
    faults = (replace(each, code="PG503") if each.code == "PG023" else each for each in validate(schema, document))
    return tuple(problem_of(fault, where) for fault in faults)


@lru_cache(maxsize=8)
def _floor(path: str, text: str) -> Floor | tuple[Problem, ...]:
    """The policy to extend, or everything wrong with it."""
    loaded, document = load_policy(text, path), read_yaml(text, limits=POLICY_LIMITS)
    if not isinstance(loaded, Policy) or isinstance(document, Fault):
        return loaded if isinstance(loaded, tuple) else ()
    if loaded.extends:
        return (problem("PG530", "an organisation's policy extends no other", Where(path=path)),)
    own: dict[str, Any] = cast("Any", document.value)
    taken = frozenset((*loaded.roles, *box_names(), *own.get("formats", {})))
    return Floor(path=path, own=own, merged=over_profile(own), taken=taken)


def _grouped(data: Data) -> dict[str, Any]:
    """The policy with each group member as a role of its phase, and the groups listed beside."""
    phases = {}
    for phase, told in data["phases"].items():
        items = [item if isinstance(item, Mapping) else {"any": [item]} for item in told["roles"]]
        groups = [{"members": item["any"], "need": item["need"]} for item in items if "need" in item]
        roles = list(dict.fromkeys(name for item in items for name in item["any"]))
        phases[phase] = {**told, "roles": roles, "groups": groups}
    return {**data, "phases": phases}


def _group_problems(data: Data, at: At) -> Iterator[Problem]:
    """Groups that can never be met, or that name a role twice, which would count twice."""
    for phase, told in data["phases"].items():
        path: JsonPath = ("phases", phase, "roles")
        groups = [item for item in told["roles"] if isinstance(item, Mapping)]
        named = Counter(name for item in told["roles"] for name in (item["any"] if item in groups else [item]))
        for name in (name for name, count in named.items() if count > 1):
            yield at("PG529", f"phase {phase}: {name} is named twice in its roles; a role has one seat", path)
        for need, members in ((group["need"], group["any"]) for group in groups):
            if need > len(members):
                message = f"phase {phase}: {need} of {', '.join(members)} are needed, and there are {len(members)}"
                yield at("PG529", message, path)


def _semantic_problems(data: Data, at: At) -> Iterator[Problem]:
    """What no schema can check: a policy that gates nothing, or names something that does not exist."""
    enabled = [phase for phase in data["phases"].values() if phase["enabled"]]
    if not enabled:
        yield at("PG504", "every phase is turned off, so nothing would be gated", ("phases",))
    elif data["issue"]["quick_labels"] and not any(_needed(phase, "quick_") for phase in enabled):
        message = "the quick route needs nothing, so it would always pass; name quick_roles or quick_artifacts, or "
        yield at("PG509", f"{message}empty quick_labels", ("phases",))
    default_types = [name for name, item in data["issue"]["types"].items() if not item["labels"]]
    if len(default_types) != 1:
        found = ", ".join(default_types) or "none"
        message = f"exactly one issue type must have no labels, as the default (found {found})"
        yield at("PG505", message, ("issue", "types"))
    if unknown := list(_dialect_problems(data, at)):
        yield from unknown
        return
    roles = _roles(data)
    for name, phase in data["phases"].items():
        yield from _phase_problems(name, phase, roles, at)
    yield from _format_problems(data, roles, at)
    yield from _role_problems(data, roles, at)
    yield from _rule_problems(data["rules"], at)
    yield from _text_problems(data, at)


def _role_problems(data: Data, roles: Mapping[str, Role], at: At) -> Iterator[Problem]:
    """Roles that share a letter, and accounts for unknown roles."""
    owners: dict[tuple[str, str], str] = {}
    for name, role in roles.items():
        first = name if role.letter is None else owners.setdefault((role.dialect, role.letter), name)
        if first != name:
            message = f"{first} and {name} have the same letter {role.letter}"
            yield at("PG511", message, ("roles", name if name in data["roles"] else first))
    for index, account in enumerate(data["agents"]["accounts"]):
        for name in account.get("roles", ()):
            if name not in roles or roles[name].part_of is not None:
                yield at("PG506", _no_such(name, "role", _whole(roles)), ("agents", "accounts", index, "roles"))


def _text_problems(data: Data, at: At) -> Iterator[Problem]:
    """Invalid patterns, patterns that make evidence instructions, and footers that would hide words."""
    instructions = data["instructions"]["paths"]
    lists: list[tuple[str, str, Sequence[str], JsonPath]] = [
        (f"phase {name}", "src/**, *.py or docs", phase["paths"], ("phases", name, "paths"))
        for name, phase in data["phases"].items()
    ]
    lists.append(("instructions", "docs/agents/**, *.md or prompts", instructions, ("instructions", "paths")))
    for index, item in enumerate(data.get("exempt", ())):
        lists.append(("exempt", "docs/**, *.md or LICENSE", item.get("paths", ()), ("exempt", index)))
    for named, examples, patterns, path in lists:
        for pattern in patterns:
            if any(letter in pattern for letter in REFUSED) or not pattern.strip("./"):
                yield at("PG510", f'{named}: "{pattern}" is not a pattern (write {examples})', path)
    for dialect in _dialects(data):
        # what a dialect reads as evidence nobody judges
        shapes = dialect.footprint.evidence(None)
        for taken in filter(None, dict.fromkeys(reached(shape, instructions) for shape in shapes)):
            message = f"{dialect.name} reads files of {taken} as evidence, and they are instructions of agents"
            yield at("PG904", message, ("instructions", "paths"))
    markers = (COMMANDS, *(trigger for dialect in every_dialect() for trigger in dialect.footprint.triggers))
    for index, footer in enumerate(data["verdicts"]["footers"]):
        line = footer.strip().lower()
        if line.startswith(OPENING) or "<!--" in line or any(marker in line for marker in markers):
            message = f'"{footer[:60]}" is no footer: it holds a marker, a heading, a command or the start of a block'
            yield at("PG519", message, ("verdicts", "footers", index))


def _dialect_problems(data: Data, at: At) -> Iterator[Problem]:
    named = {("phases", name, "dialect"): phase["dialect"] for name, phase in data["phases"].items()}
    named |= {("roles", name, "dialect"): role["dialect"] for name, role in data["roles"].items() if "dialect" in role}
    known = tuple(dict.fromkeys((*registry.BUILT_IN, *data["formats"], *box_names())))
    for path, dialect in named.items():
        if dialect not in known:
            told = f'there is no dialect or format "{dialect}" ({", ".join(known)}){_meant(dialect, known)}'
            yield at("PG502", f"{path[0][:-1]} {path[1]}: {told}", path)


def _dialects(data: Data) -> tuple[Dialect, ...]:
    """The dialects in use: those of phases and roles, and those whose seats a phase asks for."""
    named = [phase["dialect"] for phase in data["phases"].values()]
    named += [role["dialect"] for role in data["roles"].values() if "dialect" in role]
    files = {name for phase in data["phases"].values() for name in _files(phase)}
    asked = {name for phase in data["phases"].values() for name in _named_in(phase)}
    owners = [each.name for each in every_dialect() if any(role.name in files for role in each.roles)]
    owners += [each.name for each in data["formats"].values() if any(role.name in asked for role in each.roles)]
    return tuple(_dialect(data, name) for name in dict.fromkeys((*named, *owners)))


def _dialect(data: Data, name: str) -> Dialect:
    """A dialect by name: one of the policy's own formats, or a built-in one with the policy's settings."""
    own: Mapping[str, Dialect] = {**data["formats"], **data["dialects"]}
    return own[name] if name in own else built_in(name)


def _adjusted_dialects(document: Document, where: Where, at: At) -> tuple[dict[str, Dialect], tuple[Problem, ...]]:
    """The built-in dialects with settings in the policy, and what is wrong with these."""
    made: dict[str, Dialect] = {}
    wrong: list[Problem] = []
    told: dict[str, Any] = cast("Any", document.value).get("dialects", {})
    for name, options in told.items():
        path = ("dialects", name)
        dialect = built_in(name) if name in registry.BUILT_IN else None
        if not isinstance(dialect, Adjustable):
            known = ", ".join(each.name for each in every_dialect() if isinstance(each, Adjustable))
            wrong.append(at("PG525", f"{name} is no dialect that can be set ({known} can)", path))
            continue
        unfit = _form_problems(dialect.options, document.part(path), where)
        wrong += unfit
        found = dialect if unfit else dialect.adjusted(options)
        if isinstance(found, str):
            wrong.append(at("PG525", f"{name}: {found}", path))
        else:
            made[name] = found
    return made, tuple(wrong)


def _format_problems(data: Data, roles: Mapping[str, Role], at: At) -> Iterator[Problem]:
    """Formats in use whose roles are missing or belong to another dialect."""
    own: Mapping[str, Described] = data["formats"]
    used = [own[dialect.name] for dialect in _dialects(data) if dialect.name in own]
    owners: dict[str, str] = {role.name: each.name for each in every_dialect() for role in each.roles}
    for each in used:
        for role in each.roles:
            owner = owners.setdefault(role.name, each.name)
            if owner != each.name and role.name not in data["roles"]:
                message = f"{each.name} brings the role {role.name}, which {owner} has too; call it otherwise"
                yield at("PG906", message, ("formats", each.name))
        for name in sorted(each.named_roles):
            if name not in roles:
                yield at("PG906", f"{each.name}: {_no_such(name, 'role', _whole(roles))}", ("formats", each.name))
            elif roles[name].dialect != each.name:
                told = f"{each.name} speaks for {name}, but its words are those of {roles[name].dialect}"
                message = f"{told}; give the role the dialect {each.name}"
                yield at("PG906", message, ("formats", each.name))


def _files(phase: Data) -> tuple[str, ...]:
    return (*phase["artifacts"], *phase["quick_artifacts"], *phase["optional_artifacts"])


def _roles(data: Data) -> dict[str, Role]:
    """Every role by name: the dialects' roles, and the policy's over them."""
    brought = {role.name: _seated(role, data) for dialect in _dialects(data) for role in dialect.roles}
    own = {name: _own_role(name, role, data, brought.get(name)) for name, role in data["roles"].items()}
    every, named = {**brought, **own}, _reviewers_in(data)
    return {name: replace(role, only_named=role.only_named or name in named) for name, role in every.items()}


def _reviewers_in(data: Data) -> frozenset[str]:
    """The roles of reviewers that a policy names by accounts with a format."""
    return frozenset(name for account in data["agents"]["accounts"] if "format" in account for name in account["roles"])


def _seated(role: Role, data: Data) -> Role:
    """A dialect's role. A role of the profile takes the dialect of the phase that seats it."""
    phases = data["phases"].values()
    seating = (phase["dialect"] for phase in phases if role.name in (*phase["roles"], *phase["quick_roles"]))
    named = next(seating, role.dialect)
    if role.dialect != data["profile"] or named == role.dialect:
        return role
    return replace(role, dialect=named, media=_dialect(data, named).media)


def _own_role(name: str, told: Data, data: Data, brought: Role | None) -> Role:
    """A role of the policy. Its dialect is that of its phase unless it says otherwise.

    If the dialect has the role too, it keeps its earlier stages and its limits on who may fill it.
    """
    phases = [phase for phase in data["phases"].values() if name in _named_in(phase)]
    told_dialect = told.get("dialect") or (brought.dialect if brought else None)
    default = data["profile"] if data["profile"] in registry.BUILT_IN else DEFAULT_DIALECT
    dialect = _dialect(data, told_dialect or next((phase["dialect"] for phase in phases), default))
    plans = any(phase["where"] == Place.ISSUE.value for phase in phases)
    about = Subject.PLAN if plans else Subject.PRODUCT
    role = Role(name=name, does=Does(told["does"]), dialect=dialect.name, media=dialect.media, about=about)
    role = replace(role, letter=told.get("letter"))
    if brought is None or brought.dialect != dialect.name:
        return role
    kept = {key: getattr(brought, key) for key in ("after", "part_of", "advisory", "only_named")}
    return replace(role, about=Subject.NOTHING if brought.about is Subject.NOTHING else about, **kept)


def _named_in(phase: Data) -> list[str]:
    workers = (role for role in (phase["creator"], phase["fixer"]) if role)
    return [*phase["roles"], *phase["quick_roles"], *workers]


def _whole(roles: Mapping[str, Role]) -> list[str]:
    """The roles that an account can be named for; a part of a file goes with the file."""
    return [role.name for role in roles.values() if role.part_of is None]


def _rule_problems(rules: Mapping[str, str], at: At) -> Iterator[Problem]:
    adjustable = {code: item.adjustable for code, item in by_code().items()}
    for code in rules:
        if code not in adjustable:
            yield at("PG507", f"{code} is not a code of this version", ("rules", code))
        elif not adjustable[code]:
            yield at("PG508", f"{code} guards what the gate can trust; its severity is fixed", ("rules", code))


def _phase_problems(name: str, phase: Data, roles: Mapping[str, Role], at: At) -> Iterator[Problem]:
    files = [role.name for each in every_dialect() for role in each.roles if Medium.FILE in role.media]
    named = [("role", role, list(roles)) for role in dict.fromkeys(_named_in(phase))]
    named += [("artifact", file, files) for file in dict.fromkeys(_files(phase))]
    for thing, told, known in named:
        if told not in roles:
            yield at("PG506", f"phase {name}: {_no_such(told, thing, known)}", ("phases", name))
    if phase["enabled"] and phase["where"] == "issue" and phase["creator"] is None:
        yield at("PG512", f"phase {name} judges what stands on the issue, but nobody makes it", ("phases", name))
    if phase["enabled"] and not _needed(phase) and not phase["human_approval"]:
        yield at("PG509", f"phase {name} needs nothing, so it would always pass", ("phases", name))
    for index, check in enumerate(phase.get("checks", ())):
        told = check if isinstance(check, str) else check["name"]
        if context_in(told.strip()) is not None:
            message = f"phase {name}: {told} is what the gate itself sets, so it would wait for itself"
            yield at("PG528", message, ("phases", name, "checks", index))
    if phase["where"] == "issue" and phase.get("checks"):
        message = f"phase {name}: its words are about a plan on the issue, and checks are about a commit"
        yield at("PG528", message, ("phases", name, "checks"))
    yield from _advice_problems(name, phase, roles, at)
    if phase["enabled"]:
        yield from _medium_problems(name, phase, roles, at)


def _advice_problems(name: str, phase: Data, roles: Mapping[str, Role], at: At) -> Iterator[Problem]:
    for role in dict.fromkeys((*_needed(phase), *_needed(phase, "quick_"), *phase["optional_artifacts"])):
        if role in roles and roles[role].advisory:
            yield at("PG524", f"phase {name}: what {role} says is advice, and fills no seat", ("phases", name))


def _medium_problems(name: str, phase: Data, roles: Mapping[str, Role], at: At) -> Iterator[Problem]:
    """Roles that cannot speak in their dialect, and artifacts that are not files."""
    for key, instead in (("roles", "artifacts"), ("quick_roles", "quick_artifacts")):
        spoken = [roles[role] for role in dict.fromkeys(phase[key]) if role in roles]
        written = (role for role in spoken if role.media == {Medium.FILE} and role.dialect in registry.BUILT_IN)
        silent = [*dict.fromkeys((*(role for role in spoken if role.per_issue), *written))]
        if silent:
            told, dialect = ", ".join(role.name for role in silent), silent[0].dialect
            message = f"phase {name}: its {key} ({told}) speak in comments, and the dialect {dialect} has none"
            wrong = at("PG513", message, ("phases", name))
            yield replace(wrong, hint=f"Name {instead} in place of them ({key}: []), or another dialect.")
    for role in (roles[file] for file in dict.fromkeys(_files(phase)) if file in roles):
        if Medium.FILE not in role.media:
            yield at("PG513", f"phase {name}: {role.name} is a role, not a file; name it under roles", ("phases", name))


def _needed(phase: Data, route: str = "") -> list[str]:
    """The roles and artifacts that a phase needs, on the usual or the quick route."""
    return [*phase[f"{route}roles"], *phase[f"{route}artifacts"]]


def _notes(data: Data, document: Document, where: Where) -> Iterator[Problem]:
    described = {role.name for each in data["formats"].values() for role in each.roles}
    for index, account in enumerate(data["agents"]["accounts"]):
        login, path = account["login"].lower(), ("agents", "accounts", index)
        spot = where.at(document.position(path), f"$.agents.accounts[{index}]")
        if login == "github-actions[bot]":
            yield problem("PG217", "github-actions[bot] speaks for every workflow of the repository", spot)
        elif login.endswith("[bot]") and "format" not in account:
            name = reviewer_of(account["login"]) if described.isdisjoint(account.get("roles", ())) else None
            if name is not None:
                told = f"{account['login']} is the reviewer {name}, whose reviews are not read this way"
                yield replace(problem("PG218", told, spot), hint=f"Name it as {{format: {name}}}.")
            elif "id" not in account:
                yield problem("PG218", f"{account['login']} is named without its id", spot)
    humans, own = data["humans"], (data["agents"]["author_may_judge"], data["issue"]["author_may_lower"])
    if humans["author_may_approve"] and humans["agents_may_approve"] and all(own):
        message = "independence is not checked, only form, order, completeness and freshness: one account may do it all"
        yield problem("PG223", message, where)
    enabled = [phase for phase in data["phases"].values() if phase["enabled"]]
    if enabled and all(phase["paths"] for phase in enabled):
        message = (
            "every phase has paths, so a pull request that changes none of them is judged by nobody and stays pending"
        )
        yield problem("PG520", message, where)


def _no_such(name: str, thing: str, known: Sequence[str]) -> str:
    return f'there is no {thing} "{name}" ({thing}s: {", ".join(known) or "none"}){_meant(name, known)}'


def _meant(name: str, known: Sequence[str]) -> str:
    return "".join(f"; did you mean {close}?" for close in near(name, known))


def _phase(name: str, told: Data) -> Phase:
    seats = {
        "seats": [*told["roles"], *told["artifacts"]],
        "quick_seats": [*told["quick_roles"], *told["quick_artifacts"]],
        "optional_seats": told["optional_artifacts"],
    }
    kept = {key: value for key, value in told.items() if not key.endswith(("roles", "artifacts"))}
    checks = [{"name": check} if isinstance(check, str) else check for check in told.get("checks", ())]
    return from_data(Phase, {"name": name, **kept, **seats, "checks": checks})


def _build(data: Data, *, source: str, digest: str) -> Policy:
    types = [
        {"name": name, **item, "qa_required": item["qa"] == "required"} for name, item in data["issue"]["types"].items()
    ]
    overlap = data["merge_queue"]["overlap"]
    return Policy(
        profile=data["profile"],
        agents=from_data(Agents, data["agents"]),
        humans=from_data(Humans, data["humans"]),
        issue=from_data(IssueRules, {**data["issue"], "types": types}),
        roles=_roles(data),
        dialects=_dialects(data),
        marks=tuple(mark for each in data["formats"].values() for mark in each.footprint.triggers),
        phases=tuple(_phase(name, item) for name, item in data["phases"].items()),
        folder=data["artifacts"]["folder"],
        verdicts=from_data(VerdictRules, data["verdicts"]),
        instructions=from_data(Instructions, data["instructions"]),
        merge_overlap=tuple(overlap) if isinstance(overlap, list) else (EVERYTHING,) * overlap,
        reviewers=_reviewers_in(data),
        overrides=data["overrides"],
        exempt=tuple(from_data(Exempt, item) for item in data.get("exempt", ())),
        severities={code: None if word == "off" else Severity(word) for code, word in data["rules"].items()},
        source=source,
        digest=digest,
    )
