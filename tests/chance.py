"""Chance in tests: an ordinary run draws the same every time, and ``python3 tests explore`` draws from a seed.

``conftest.py`` puts it in force. Tests draw by hypothesis, or from the number that ``@pytest.mark.seeds`` gives them.
"""

from __future__ import annotations

import atexit
from tempfile import TemporaryDirectory

import hypothesis
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.internal.conjecture import providers

USUAL = 100  # examples of a property
SEARCH = 10  # times as many in a search
STORAGE = TemporaryDirectory(prefix="hypothesis-")  # what hypothesis keeps between properties, for this process alone
atexit.register(STORAGE.cleanup)


def fix_chance(seed: int | None) -> None:
    """Draw the same in every run, whatever ran before and wherever; or more, from this seed, which hypothesis knows."""
    set_hypothesis_home_dir(STORAGE.name)
    # Constants of whatever modules are imported would be drawn too: examples would depend on order and process.
    providers.is_local_module_file = lambda _: False  # type: ignore[assignment,attr-defined]
    hypothesis.settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=USUAL)
    search = hypothesis.settings(database=None, deadline=None, max_examples=USUAL * SEARCH, print_blob=True)
    hypothesis.settings.register_profile("search", search)
    hypothesis.settings.load_profile("same" if seed is None else "search")


def examples(count: int) -> hypothesis.settings:
    """The settings of a property with another number of examples than usual."""
    return hypothesis.settings(max_examples=count * hypothesis.settings().max_examples // USUAL)


def seeds(count: int, seed: int | None) -> range:
    """The numbers that a test draws from: always the first ones, or in a search others."""
    first = 0 if seed is None else seed * count
    return range(first, first + count)
