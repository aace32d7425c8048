"""Every GraphQL query in the code is one that the oldest supported and the newest published GitHub understand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from graphql import OperationDefinitionNode, get_named_type, is_input_type, is_leaf_type, parse, validate

from phasegate.github.client.answers import KINDS, TIMES
from phasegate.github.client.client import IF_KNOWN
from phasegate.github.reading import mark, queries, sweep, threads
from phasegate.github.reading.queries import Window, look_query, swept_query
from phasegate.github.reading.waves import joined
from phasegate.github.writing import beside
from tests.fakehub.graph.execute import schema
from tests.fakehub.graph.limits import cost, node_count, refusals, uses_of
from tests.fakehub.published.oldest import FILE, cut, used_by

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts" / "phasegate"
MOST_NODES = 500_000
OID = "a" * 40
SPECIFIED = ("String", "Int", "Float", "ID")

STATUSES = queries.statuses_query([OID, OID])
MODES = queries.places_query("Modes", "mode oid", [OID, OID])
EVIDENCE = queries.places_query("Evidence", "...found", [OID, OID])
QUERIES = {
    **{
        name: text
        for name, text in vars(queries).items()
        if name.isupper() and name[0] != "_" and "query " in str(text)[:30]
    },
    "look": look_query("Look", Window()),
    "look at many reviews": look_query("Look", Window.over(20), late=3, bodies=True),
    "look at many threads": look_query("Look", Window(), late=1, threads=3),
    "THREADS": threads.THREADS,
    "statuses": STATUSES,
    "modes": MODES,
    "evidence": EVIDENCE,
    "texts": queries.texts_query(2),
    "SWEEP": sweep.SWEEP,
    "swept": swept_query([7, 8], sweep.FROM_AFAR, threads=False),
    "swept closely": swept_query([7, 8], Window(), threads=True),
    "STILL": mark.STILL,
    "asked as one": joined([look_query("Look", Window.over(20), late=1), queries.HISTORY, MODES, STATUSES, EVIDENCE]),
    "asked as one without a look": joined([queries.HISTORY, MODES]),
    "PROPOSALS": beside.PROPOSALS,
    "CLOSE": beside.CLOSE,
    "COMMENTS": beside.COMMENTS,
    "DELETE": beside.DELETE,
}


def known_everywhere(query: str) -> str:
    """A query as a server is asked that does not know all of it."""
    return "\n".join(line for line in query.splitlines() if not line.endswith(IF_KNOWN))


@pytest.mark.parametrize("name", QUERIES)
def test_query__is_small_and_understood_by_the_newest_and_without_what_is_new_by_the_oldest(name: str) -> None:
    assert [fault.message for fault in validate(schema(), parse(QUERIES[name]))] == []
    uses = uses_of(schema(), parse(QUERIES[name]), {"page": queries.PAGE, "q0_page": queries.PAGE})
    assert refusals(uses) == []
    assert node_count(uses) < MOST_NODES
    older = parse(known_everywhere(QUERIES[name]))
    assert [fault.message for fault in validate(schema("oldest"), older)] == []
    assert validate(schema("oldest"), parse(QUERIES[name])) == [] or IF_KNOWN in QUERIES[name]


def test_oldest__really_lacks_something() -> None:
    faults = [fault.message for fault in validate(schema("oldest"), parse(queries.PULL_REQUEST))]
    assert any("IssueTypeAddedEvent" in fault for fault in faults)
    assert any("ISSUE_TYPE_ADDED_EVENT" in fault for fault in faults)
    assert "issueType" in schema("oldest").type_map["Issue"].fields  # type: ignore[attr-defined]


def test_oldest__holds_what_the_queries_use_and_nothing_else() -> None:
    """So whoever uses something new must look it up in the published schema of that server."""
    used = used_by(list(map(known_everywhere, QUERIES.values())), schema())
    there = {name for name in schema("oldest").type_map if not name.startswith("__")}
    assert there <= {*used, *SPECIFIED, "Boolean"}
    assert set(used) <= there
    text = FILE.read_text(encoding="utf-8")
    assert "github/docs" in text.splitlines()[1]
    assert cut(schema("oldest"), used) in text


def test_joined__takes_the_point_of_one() -> None:
    uses = uses_of(schema(), parse(QUERIES["asked as one"]), {"q0_page": queries.PAGE})
    assert cost(uses) == 1


def test_kinds__are_those_of_the_schema() -> None:
    """What an answer may hold under each name is what GitHub documents for whatever the queries ask for."""
    named = {"DateTime": TIMES, "Boolean": (bool,), "Int": (int,), "BigInt": (int, str)}
    expected: dict[str, tuple[type, ...]] = {"__typename": (str,)}
    for name, fields in used_by(list(QUERIES.values()), schema()).items():
        for field in fields:
            kind = schema().type_map[name]
            told = getattr(kind, "fields", {}).get(field) if not is_input_type(kind) else None
            if told is not None and is_leaf_type(get_named_type(told.type)):
                leaf = named.get(get_named_type(told.type).name, (str,))
                assert expected.setdefault(field, leaf) == leaf, field
    assert expected == KINDS


def test_queries__are_all_here() -> None:
    """An operation that stands in the code is among those that are checked."""
    known = set()
    for text in QUERIES.values():
        operations = (node for node in parse(text).definitions if isinstance(node, OperationDefinitionNode))
        known |= {node.name.value for node in operations if node.name is not None}
    found: set[str] = set()
    for path in sorted(SCRIPTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found |= set(
            re.findall(r"^(?:    return f?\")?(?:f?\"\"\"\n)?(?:query|mutation) (\w+)[({]", text, re.MULTILINE)
        )
        found |= set(re.findall(r"(?:(?:graphql|divisible|ask|asked|look_query)\(\s*|return )\"([A-Z]\w+)\", ", text))
        found |= set(re.findall(r"each_query\(\s*f?\"(\w+)\(", text))
    assert found <= known, found - known
    assert {"PullRequest", "Look", "Proposals", "CloseIssue", "Details"} <= found
