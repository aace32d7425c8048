"""The stand-in for rpds-py beside the real one: both say the same, but for one mistake of the real one."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import rpds as real
from hypothesis import given
from hypothesis import strategies as some

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
# As they are used: addresses, and pairs of them. Keys of different kinds with one hash make the real one panic.
KEYS = some.sampled_from(["a", "b", "", "ü", "https://x.example/a#b", ("a", "b"), ("b", "")])
VALUES = some.one_of(KEYS, some.none(), some.lists(some.integers(), max_size=2))
PAIRS = some.lists(some.tuples(KEYS, VALUES), max_size=6)
Step = Callable[[Any, ModuleType], Any]


def load(name: str = "rpds_stand_in") -> ModuleType:
    """The stand-in as a module, under a name that is not that of the real one."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / "stand_in" / "rpds.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ours = load()


def plain(value: Any) -> Any:  # noqa: ANN401  (whatever a step gave)
    """A result in a form that does not tell whose it is, nor the order of what has none."""
    kind = type(value).__name__
    if kind == "HashTrieMap":
        return "map", frozenset((key, repr(value[key])) for key in value), len(value)
    if kind == "HashTrieSet":
        return "set", frozenset(value), len(value)
    return ("list", list(value), bool(value)) if kind == "List" else (type(value).__name__, value)


def after(module: ModuleType, start: Any, steps: list[Step]) -> list[Any]:  # noqa: ANN401  (one of the three)
    """What comes of each step, which goes on with the result of the one before if that is one of the three."""
    found, held = [plain(start)], start
    for step in steps:
        try:
            result = step(held, module)
        except (KeyError, IndexError, TypeError) as error:
            found.append(type(error).__name__)
            continue
        found.append(plain(result))
        held = result if type(result) is type(start) else held
    return found


def equal(held: Any, other: Any, module: ModuleType) -> bool:  # noqa: ANN401  (two maps of the module)
    """Whether two maps are equal; the real one takes a missing key for one whose value is None, so it is not asked."""
    if module is real and None in other.values():
        return bool(dict(held.items()) == dict(other.items()))
    return bool(held == other)


map_steps = some.one_of(
    some.builds(lambda key, value: lambda held, _: held.insert(key, value), KEYS, VALUES),
    some.builds(lambda key: lambda held, _: held.remove(key), KEYS),
    some.builds(lambda key: lambda held, _: held[key], KEYS),
    some.builds(lambda key, value: lambda held, _: held.get(key, value), KEYS, VALUES),
    some.builds(lambda key: lambda held, _: key in held, KEYS),
    some.builds(lambda pairs: lambda held, _: held.update(dict(pairs)), PAIRS),
    some.builds(lambda pairs: lambda held, module: held.update(module.HashTrieMap(pairs)), PAIRS),
    some.builds(lambda pairs: lambda held, module: equal(held, module.HashTrieMap(pairs), module), PAIRS),
    some.just(lambda held, module: module.HashTrieMap.convert(held)),
    some.just(lambda held, _: sorted(map(repr, held.items()))),
    some.just(lambda held, _: sorted(map(repr, held.keys()))),
    some.just(lambda held, _: held == dict(held.items())),
    some.just(lambda held, module: held == module.HashTrieMap(list(held.items()))),
    some.just(lambda held, module: hash(held) == hash(module.HashTrieMap(list(held.items())))),
    some.just(lambda held, _: isinstance(held, Mapping)),
)
set_steps = some.one_of(
    some.builds(lambda key: lambda held, _: held.insert(key), VALUES),
    some.builds(lambda key: lambda held, _: held.discard(key), KEYS),
    some.builds(lambda key: lambda held, _: key in held, KEYS),
    some.builds(lambda keys: lambda held, module: held.update(module.HashTrieSet(keys)), some.lists(KEYS)),
    some.builds(lambda keys: lambda held, _: held.update(keys), some.lists(KEYS)),
    some.builds(lambda keys: lambda held, module: held == module.HashTrieSet(keys), some.lists(KEYS)),
    some.builds(lambda keys: lambda held, _: held == frozenset(keys), some.lists(KEYS)),
    some.just(lambda held, module: hash(held) == hash(module.HashTrieSet(list(held)))),
)
list_steps = some.one_of(
    some.builds(lambda item: lambda held, _: held.push_front(item), VALUES),
    some.builds(lambda items: lambda held, module: held == module.List(items), some.lists(VALUES)),
    some.builds(lambda item: lambda held, _: item in held, VALUES),
    some.just(lambda held, _: held == list(held)),
    some.just(lambda held, _: repr(held)),
    some.just(lambda held, module: hash(held) == hash(module.List(list(held)))),
)


@given(PAIRS, some.lists(map_steps, max_size=12))
def test_map__does_what_the_real_one_does(pairs: list[Any], steps: list[Step]) -> None:
    both = ((module, module.HashTrieMap(pairs)) for module in (real, ours))
    first, second = (after(module, start, steps) for module, start in both)
    assert first == second


def test_map__is_right_where_the_real_one_is_wrong() -> None:
    one, other = [("a", None)], [("b", None)]
    assert ours.HashTrieMap(one) != ours.HashTrieMap(other)
    assert real.HashTrieMap(one) == real.HashTrieMap(other), "it is right by now: compare without `equal` above"


@given(some.lists(KEYS, max_size=6), some.lists(set_steps, max_size=12))
def test_set__does_what_the_real_one_does(keys: list[Any], steps: list[Step]) -> None:
    both = ((module, module.HashTrieSet(keys)) for module in (real, ours))
    first, second = (after(module, start, steps) for module, start in both)
    assert first == second


@given(some.lists(VALUES, max_size=6), some.lists(list_steps, max_size=12))
def test_list__does_what_the_real_one_does(items: list[Any], steps: list[Step]) -> None:
    both = ((module, module.List(items)) for module in (real, ours))
    first, second = (after(module, start, steps) for module, start in both)
    assert first == second


def test_all__never_change() -> None:
    held, keys, items = ours.HashTrieMap({"a": 1}), ours.HashTrieSet("a"), ours.List([1])
    assert (len(held.insert("b", 2)), len(keys.insert("b")), list(items.push_front(0))) == (2, 2, [0, 1])
    assert (len(held), len(keys), list(items)) == (1, 1, [1])


@pytest.mark.parametrize("make", ["HashTrieMap({'a': 1})", "HashTrieSet(['a'])", "List([1, 2])"])
def test_all__look_like_the_real_ones(make: str) -> None:
    first, second = (eval(make, vars(module).copy()) for module in (real, ours))  # noqa: S307  (of this file)
    assert repr(first) == repr(second)


@pytest.mark.parametrize("name", ["Queue", "Stack", "HashTrieMapView"])
def test_module__says_what_it_lacks(name: str) -> None:
    with pytest.raises(ImportError, match=rf"^rpds\.{name} is asked for, .* Add it to scripts/stand_in"):
        getattr(ours, name)


def test_stand_in__serves_all_that_referencing_and_jsonschema_do() -> None:
    program = """
import json, pathlib, sys
import rpds
print(rpds.__file__)
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
schemas = [json.loads(path.read_text("utf-8")) for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))]
known = Registry().with_resources([(each["$id"], Resource.from_contents(each)) for each in schemas]).crawl()
assert len(known.remove(schemas[0]["$id"])) == len(known) - 1
for each in schemas:
    Draft202012Validator.check_schema(each)
    print(each["$id"], len(list(Draft202012Validator(each, registry=known).iter_errors({"a": [1]}))))
"""
    places = [path for path in sys.path if path]
    told = []
    for first in (str(SCRIPTS / "stand_in"), str(Path(real.__file__).parents[1])):
        start = f"import sys; sys.path[:0] = {[first, *places]!r}\n"
        command = [sys.executable, "-I", "-S", "-c", start + program, str(SCRIPTS.parent / "schemas")]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        used, *found = done.stdout.splitlines()
        assert Path(used).is_relative_to(first)
        told.append(found)
    assert told[0] == told[1] != []
