"""The attack suite: every attack turns green without its one defence; ``test_cases`` shows how each is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasegate.dialects.described import places
from phasegate.gate import judge
from phasegate.github.client.answers import GitHubError
from phasegate.model import plan
from phasegate.policy.load import load_policy
from phasegate.report.status import status_lines
from tests.casebook.attacks.attack import Attack
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.attacks.expired import LIVE
from tests.casebook.attacks.live import LiveAttack
from tests.casebook.attacks.table import EVERY, KINDS
from tests.casebook.decided import snapshot_of
from tests.casebook.defences import DEFENCES
from tests.casebook.update import attack_page
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, run, states

# A saved snapshot can be changed by hand; what GitHub tells is read anew. To fill the record there takes its time.
ONLY_SAVED = {"policy-swapped", "failures-out-of-sight", "relinked-in-an-old-snapshot", "record-full"}
# Two accounts under one name: on GitHub that lasts for a moment, and nothing is decided in it.
CONTRADICTORY = {"forged-by-id-less-account"}
REMEMBERED = (load_policy, places._shown_lines, plan.glance)  # what is worked out once for a policy or a text
THREAT_MODEL = Path(__file__).resolve().parents[1] / "docs" / "threat-model.md"
# One attack for each defence: that what GitHub tells becomes such a snapshot is shown by each part of the reading.
TELLABLE = [attack for name, attack in ATTACKS.items() if name not in ONLY_SAVED | CONTRADICTORY]
THROUGH_GITHUB = {attack.defence: attack for attack in reversed(TELLABLE)}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """Nothing that was loaded with a defence switched off, or on, outlives its test."""
    for each in REMEMBERED:
        each.cache_clear()
    yield
    for each in REMEMBERED:
        each.cache_clear()


each_attack = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
each_live_attack = pytest.mark.parametrize("attack", LIVE.values(), ids=LIVE)


@each_attack
def test_attack__succeeds_without_its_defence(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(attack.world())
    DEFENCES[attack.defence].switch_off(monkeypatch)
    assert judge(snapshot).state.value == "success", status_lines(judge(snapshot))[-1].description


@pytest.mark.sampled(5)
@pytest.mark.parametrize("attack", THROUGH_GITHUB.values(), ids=lambda attack: attack.name)
def test_attack__gets_no_success_through_github(attack: Attack) -> None:
    told_of = attack.world().snapshot()
    with FakeHub(told_of) as hub:
        report = run(hub, told_of["policy"]["path"]).report
        assert {phase.name: phase.state.value for phase in report.phases} == attack.phases
        assert report.state.value == states(hub, decided_on(hub))[OVERALL] == attack.state
        assert successes(hub) == []


@pytest.mark.parametrize("name", sorted(CONTRADICTORY))
def test_attack__that_contradicts_itself_through_github_is_an_error(name: str) -> None:
    with FakeHub(ATTACKS[name].world().snapshot()) as hub:
        with pytest.raises(GitHubError, match="changed 3 times while it was read"):
            run(hub)
        assert states(hub) == {OVERALL: "error"}


def decided_on(hub: FakeHub) -> str:
    """The commit that the decision stands on: that of a merge queue, or the head."""
    queued, head = hub.snapshot["merge_group"], hub.snapshot["pull_request"]["head"]["sha"]
    return str(queued["head"] if queued else head)


def successes(hub: FakeHub) -> list[str]:
    """Every time that the overall success was written; a head that is queued may have one of its own."""
    queued, path = hub.snapshot["merge_group"], f"/statuses/{decided_on(hub)}"
    bodies = [told["body"] for told in hub.written if (path if queued else "/statuses/") in told["path"]]
    return [body["description"] for body in bodies if (body["context"], body["state"]) == (OVERALL, "success")]


def told(attack: LiveAttack) -> tuple[str, str | None, list[str]]:
    """What the gate says to an attack, which overall state stands in the end, and its successes."""
    with attack.hub() as hub:
        try:
            attack.happens(hub)
            said = status_lines(run(hub).report)[-1].description
        except GitHubError as error:
            said = str(error)
        return said, states(hub, decided_on(hub)).get(OVERALL), successes(hub)


@each_live_attack
def test_live_attack__is_refused(attack: LiveAttack) -> None:
    said, state, written_successes = told(attack)
    assert attack.because in said
    assert state in ("failure", "pending", "error")
    assert written_successes == []


@each_live_attack
def test_live_attack__succeeds_without_its_defence(attack: LiveAttack, monkeypatch: pytest.MonkeyPatch) -> None:
    DEFENCES[attack.defence].switch_off(monkeypatch)
    said, state, written_successes = told(attack)
    assert (state, len(written_successes)) == ("success", 0 if attack.keeps else 1), said


def test_defences__are_each_needed() -> None:
    assert {attack.defence for attack in EVERY} == set(DEFENCES)


def test_attacks__are_many_and_of_every_kind() -> None:
    assert len(ATTACKS) >= 80
    assert {attack.kind for attack in EVERY} == set(KINDS)
    assert not set(ATTACKS) & set(LIVE)


def test_threat_model__tells_every_kind() -> None:
    text = THREAT_MODEL.read_text(encoding="utf-8").partition("## The attacks")[2]
    first = " ".join(re.findall(r"^\| (.*?) \|", text.partition("\n## ")[0], re.MULTILINE)).lower()
    assert [kind for kind in KINDS if kind.lower() not in first] == []


def test_attack_page__lists_every_attack() -> None:
    page = attack_page()
    assert [attack.name for attack in EVERY if f"| {attack.name} |" not in page] == []
