"""The quick data classes behave as those of the standard library."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from phasegate.model.frozen import dataclass

SCRIPTS = Path(__file__).resolve().parents[3] / "scripts" / "phasegate"


def made(decorator: Any) -> tuple[type[Any], type[Any]]:  # noqa: ANN401 - either decorator
    """A class and a child of it, made with a decorator."""

    @decorator(frozen=True, kw_only=True, slots=True)
    class Base:
        name: str
        size: int = 0
        tags: list[str] = field(default_factory=list)

        @property
        def title(self) -> str:
            return self.name.title()

    @decorator(frozen=True, kw_only=True, slots=True)
    class Child(Base):
        secret: str = field(default="s", repr=False)

    return Base, Child


OURS, THEIRS = made(dataclass), made(dataclasses.dataclass)
BOTH = pytest.mark.parametrize("which", [0, 1], ids=["base", "child"])


@BOTH
def test_dataclass__has_the_fields_and_slots_of_the_standard_one(which: int) -> None:
    ours, theirs = OURS[which], THEIRS[which]
    assert all(map(is_dataclass, (ours, theirs)))
    assert [(item.name, item.default, item.kw_only, item.repr) for item in fields(ours)] == [
        (item.name, item.default, item.kw_only, item.repr) for item in fields(theirs)
    ]
    assert ours.__slots__ == theirs.__slots__
    assert not hasattr(ours(name="a"), "__dict__")


@BOTH
def test_dataclass__says_of_itself_what_the_standard_one_says(which: int) -> None:
    ours, theirs = OURS[which](name="a", size=2), THEIRS[which](name="a", size=2)
    assert repr(ours) == repr(theirs)
    assert ours.title == "A"
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)


@BOTH
def test_dataclass__is_equal_to_its_like_and_to_nothing_else(which: int) -> None:
    ours = OURS[which]
    assert ours(name="a") == ours(name="a", size=0)
    assert ours(name="a") != ours(name="b")
    assert OURS[0](name="a") != OURS[1](name="a")
    assert ours(name="a") != "a"


def test_dataclass__has_the_hash_of_its_values() -> None:
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Point:
        x: int
        y: int

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Nothing:
        pass

    assert len({Point(x=1, y=2), Point(x=1, y=2), Point(x=2, y=1)}) == 2
    assert len({Nothing() for _ in range(3)}) == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(OURS[0](name="a"))


@BOTH
def test_dataclass__cannot_be_changed(which: int) -> None:
    one = OURS[which](name="a")
    with pytest.raises(FrozenInstanceError):
        one.name = "b"
    with pytest.raises(FrozenInstanceError):
        del one.name
    assert replace(one, name="b").name == "b"
    assert one.name == "a"


@pytest.mark.parametrize(
    ("given", "told"), [({}, "name"), ({"size": 1}, "name"), ({"name": "a", "colour": "red"}, "colour")]
)
def test_dataclass__takes_exactly_its_fields(given: dict[str, Any], told: str) -> None:
    for each in (*OURS, *THEIRS):
        with pytest.raises(TypeError, match=rf"'{told}'"):
            each(**given)
        with pytest.raises(TypeError):
            each("a")


def test_dataclass__makes_a_default_for_each() -> None:
    assert OURS[0](name="a").tags is not OURS[0](name="b").tags
    assert OURS[0](name="a", tags=["x"]).tags == ["x"]


@pytest.mark.parametrize(
    "changed", [{"init": False, "default": 0}, {"compare": False}, {"hash": False}, {"hash": True}], ids=str
)
def test_dataclass__refuses_a_field_it_would_treat_as_any_other(changed: dict[str, Any]) -> None:
    class Point:
        x: int = field(**changed)

    with pytest.raises(TypeError, match="only frozen"):
        dataclass(frozen=False, kw_only=True, slots=True)
    with pytest.raises(TypeError, match=r"Point\.x: init, compare and hash of a field would be ignored"):
        dataclass(frozen=True, kw_only=True, slots=True)(Point)


def test_dataclass__refuses_a_post_init_that_would_not_run() -> None:
    class Plain:
        x: int

        def __post_init__(self) -> None:
            raise AssertionError

    class Child(Plain):
        y: int = 0

    for each in (Plain, Child):
        with pytest.raises(TypeError, match=f"{each.__name__}: __post_init__ would not run"):
            dataclass(frozen=True, kw_only=True, slots=True)(each)


def test_dataclass__a_method_of_ones_own_stays() -> None:
    @dataclass(frozen=True, kw_only=True, slots=True)
    class Place:
        path: str

        def __str__(self) -> str:
            return self.path

        def __repr__(self) -> str:
            return f"<{self.path}>"

    assert (str(Place(path="a")), repr(Place(path="a"))) == ("a", "<a>")


def test_sources__use_it_wherever_they_can() -> None:
    form = "@dataclass(frozen=True, kw_only=True, slots=True)"
    standard = re.compile(r"^from dataclasses import .*\bdataclass\b", re.MULTILINE)
    for path in SCRIPTS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        only = form in text and set(re.findall(r"^@dataclass.*$", text, re.MULTILINE)) == {form}
        assert not (only and standard.search(text)), path
