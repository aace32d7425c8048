"""The example of a role's words: as small as it can be, well formed, and it passes nothing if it is copied as it is."""

from __future__ import annotations

import json

import pytest

from phasegate.dialects.registry import every_dialect
from phasegate.gate import judge, policy_in
from phasegate.model.signal import Outcome
from phasegate.model.snapshot import POLICY, PolicyFile
from phasegate.policy.model import Policy
from phasegate.report.data import report_data
from tests.casebook.decided import snapshot_of
from tests.casebook.world import World, commit, digest

FOLDERS = "PG7"  # the first codes of what other files of a folder have to do with it
PROFILES = ("jkz", "envelope", "pipeline", "thehood")


def asked(profile: str) -> list[tuple[str, str]]:
    """The seats of a profile and the makers of what they judge, each with its example."""
    text = text_of(profile)
    policy = policy_in(PolicyFile(path=POLICY, text=text, digest=digest(text)))
    assert isinstance(policy, Policy)
    dialects = {each.name: each for each in every_dialect()}
    names = dict.fromkeys(name for phase in policy.phases for name in (*phase.seats, *phase.workers))
    roles = [policy.role(name) for name in names]
    told = [(role.file, dialects[role.dialect].how_to(role)) for role in roles if role.file == role.name]
    return [(name, how.example) for name, how in told if how.schema]


def text_of(profile: str) -> str:
    return f"version: 1\nprofile: {profile}\n"


CASES = [(profile, name, example) for profile in PROFILES for name, example in asked(profile)]


@pytest.mark.parametrize(("profile", "name", "example"), CASES, ids=[f"{profile}-{name}" for profile, name, _ in CASES])
def test_example__is_well_formed_and_passes_nothing(profile: str, name: str, example: str) -> None:
    assert example, name
    world = World(policy=text_of(profile))
    text = example.replace("{commit}", commit("a")).partition("\n\nIf nothing")[0]
    if name.endswith(".json"):
        world.push("p", "a", by="ana", evidence={f".pipeline/12/{name}": text + "\n"})
    else:
        on = {"on": 12} if name in ("auditor", "curator", "orchestrator", "triage-result", "plan-result") else {}
        world.say("ana", text, **on)
    report = judge(snapshot_of(world))
    signals = [each for each in report.signals if each.vote.role == name]
    assert signals, json.dumps(report_data(report)["problems"])
    wrong = [item.code for each in signals for item in each.vote.problems if item.severity.value == "error"]
    assert not [code for code in wrong if code < FOLDERS]
    assert (signals[0].vote.signal.outcome is Outcome.FAIL) == ("If nothing has to be fixed" in example)
