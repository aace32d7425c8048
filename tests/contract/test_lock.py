"""The locks: complete, hashed, in agreement with the lists they were made from and with what they install."""

from __future__ import annotations

import importlib.metadata
import os
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bootstrap

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ("scripts", "tests")
PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^ ;\\]+)(?: ; (?P<marker>[^\\]+?))? \\")


def direct_names(folder: str) -> set[str]:
    """What is asked for."""
    lines = (ROOT / folder / "requirements.in").read_text(encoding="utf-8").splitlines()
    names = (line.partition("#")[0].strip() for line in lines)
    return {canonicalize_name(name) for name in names if name and not name.startswith("-c ")}


def entries(folder: str) -> list[str]:
    """The lock's entries: a pin with its hashes and the comment on who needs it."""
    text = (ROOT / folder / "requirements.txt").read_text(encoding="utf-8")
    return [entry for entry in re.split(r"\n(?=[^ ])", text) if not entry.startswith("#")]


def pins(folder: str) -> dict[tuple[str, str], str]:
    """The locked versions, by name and marker."""
    found = [PIN.match(entry) for entry in entries(folder)]
    return {(canonicalize_name(pin["name"]), pin["marker"] or ""): pin["version"] for pin in found if pin}


@pytest.mark.parametrize("folder", LOCKS)
def test_lock__every_entry_is_an_exact_pin_with_hashes_and_none_names_an_index(folder: str) -> None:
    assert entries(folder)
    for name in ("requirements.in", "requirements.txt"):
        text = (ROOT / folder / name).read_text(encoding="utf-8")
        assert not re.search(r"://|index-url|find-links|trusted-host", text)
    for entry in entries(folder):
        assert PIN.match(entry), entry
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


@pytest.mark.parametrize("folder", LOCKS)
def test_lock__holds_what_is_asked_for(folder: str) -> None:
    asked = [entry for entry in entries(folder) if f"-r {folder}/requirements.in" in entry]
    assert {canonicalize_name(entry.partition("==")[0]) for entry in asked} == direct_names(folder)


def test_lock__tests_run_with_the_versions_of_the_product() -> None:
    product = {(name, version) for (name, _), version in pins("scripts").items()}
    checks = {(name, version) for (name, _), version in pins("tests").items()}
    shared = {name for name, _ in product} & {name for name, _ in checks}
    assert "jsonschema" in shared
    assert {pin for pin in checks if pin[0] in shared} <= product


@pytest.mark.parametrize("folder", LOCKS)
def test_lock__installs_all_that_its_packages_need(folder: str) -> None:
    place = bootstrap.ensure(str(ROOT / folder / "requirements.txt"), os.environ)
    installed = {canonicalize_name(found.name): found for found in importlib.metadata.distributions(path=[place])}
    assert direct_names(folder) <= set(installed)
    for found in installed.values():
        for need in map(Requirement, found.requires or []):
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                other = installed.get(canonicalize_name(need.name))
                assert other, f"{found.name} needs {need}, which is not in the lock"
                assert need.specifier.contains(other.version, prereleases=True), f"{found.name} needs {need}"
