"""Waves: the questions of one wave are one, as long as that is not more than GitHub answers in time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from phasegate.github.client.answers import TooLargeError
from phasegate.github.reading.conversation import mode_questions
from phasegate.github.reading.waves import MOST_ASKED, wave
from tests.casebook.world import commit
from tests.unit.github.canned import Canned

JSON = dict[str, Any]
FILE = {"mode": 0o100644, "oid": "1" * 40}
PLACES = [(commit("a"), f"src/{number}.py") for number in range(MOST_ASKED + 150)]


class Modes(Canned):
    """Tells the mode of every path; ``most`` of them at once."""

    def __init__(self, most: int) -> None:
        super().__init__({})
        self.most = most

    def graphql(self, name: str, query: str, variables: Mapping[str, Any]) -> JSON:
        """The mode of each path that is asked for, in the names of the question."""
        del query
        paths = [key for key in variables if "path" in key]
        self.asked.append((name, {"paths": len(paths)}))
        if len(paths) > self.most:
            raise TooLargeError(name)
        if not paths[0].startswith("q"):
            return {"repository": {f"commit{key.removeprefix('path')}": {"file": FILE} for key in paths}}
        told: JSON = {}
        for lot, _, key in (each.partition("_") for each in paths):
            told.setdefault(f"{lot}_repository", {})[f"commit{key.removeprefix('path')}"] = {"file": FILE}
        return told


@pytest.mark.parametrize(("most", "sizes"), [(10_000, [400, 150]), (399, [400, 150, 100, 100, 100, 100])])
def test_wave__asks_so_much_at_once_and_what_is_too_much_alone(most: int, sizes: list[int]) -> None:
    client = Modes(most)
    found = wave(client, dict(enumerate(mode_questions("octo/shop", PLACES))))
    assert {place: held for told in found.values() for place, held in told.items()} == dict.fromkeys(
        PLACES, ("100644", "1" * 40)
    )
    assert sorted(each["paths"] for _, each in client.asked) == sorted(sizes)
