"""Repositories, their branches and the rules of these."""

from __future__ import annotations

from tests.fakehub.answer import JSON, Answer, RefusedError, error, not_found
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.call import Call, paged
from tests.fakehub.rest.commits import commit
from tests.fakehub.shapes import shape
from tests.fakehub.state import number_of


def repository(call: Call, name: str, kind: str = "repository") -> JSON:
    known = call.state.repositories()[name.lower()]
    login, _, short = known["name"].partition("/")
    values = {
        "id": known.get("id") or number_of(known["name"]),
        "node_id": node_id("Repository", known["name"]),
        "name": short,
        "full_name": known["name"],
        "owner": user({"login": login, "id": number_of(login), "type": "Organization"}),
        "private": call.state.extras.visibility != "public",
        "visibility": call.state.extras.visibility,
        "html_url": known["url"],
        "url": f"{call.api}/repos/{known['name']}",
        "default_branch": known["default_branch"],
        "fork": known["name"] != call.state.name,
    }
    if kind == "simple-repository":
        del values["visibility"], values["default_branch"]
    return shape(kind, **values)


def get_repository(call: Call) -> Answer:
    return Answer(data=repository(call, call.repository()["name"], "full-repository"))


def get_branch(call: Call) -> Answer:
    name = call.params["branch"]
    sha = call.git.resolve(f"refs/heads/{name}", call.repository()["name"])
    if sha is None:
        raise not_found()
    told = call.state.extras.protection
    checks = told or {"contexts": [], "enforcement_level": "off", "checks": []}
    protection = shape("branch-protection", enabled=told is not None, required_status_checks=checks)
    links = {"self": call.address("branches", name), "html": f"https://github.com/{call.name}/tree/{name}"}
    return Answer(data=shape(
        "branch-with-protection", name=name, commit=commit(call, sha), _links=links,
        protected=told is not None or bool(_required(call)), protection=protection,
        protection_url=call.address("branches", name, "protection"),
    ))  # fmt: skip


def branch_rules(call: Call) -> Answer:
    """The active rules of a branch, of the repository and of its owner."""
    call.repository()
    rules = call.state.main["branch_rules"]
    if rules and not rules["readable"]:
        raise RefusedError(error(403, "Resource not accessible by integration"))
    checks = [
        {"context": each["context"]} | ({"integration_id": each["app_id"]} if each.get("app_id") else {})
        for each in _required(call)
    ]
    parameters = {"required_status_checks": checks, "strict_required_status_checks_policy": False}
    rule = {
        "type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": call.name,
        "ruleset_id": 42, "parameters": parameters,
    }  # fmt: skip
    around = {key: rule[key] for key in ("ruleset_source_type", "ruleset_source", "ruleset_id")}
    return paged(call, [*([rule] if checks else []), *({**each, **around} for each in call.state.extras.rules)])


def _required(call: Call) -> list[JSON]:
    """The contexts that the base branch requires; no other branch has rules."""
    main = call.state.main
    if call.params["branch"] != main["pull_request"]["base"]["ref"] or not main["branch_rules"]:
        return []
    return list(main["branch_rules"].get("required", []))
