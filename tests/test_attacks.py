"""The attack suite: every attack is refused for the reason it names, and turns green without its one defence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasegate.gate import judge
from phasegate.github.client.answers import GitHubError
from phasegate.report.data import report_text
from phasegate.report.status import status_lines
from tests.casebook.attacks.attack import Attack
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.attacks.live import LIVE, LiveAttack
from tests.casebook.attacks.table import BEGIN, END, EVERY, KINDS, attack_table, reason
from tests.casebook.defences import DEFENCES
from tests.fakehub import FakeHub
from tests.integration.runs import OVERALL, run, states
from tests.test_cases import CASES, answer_in, snapshot_of, write_case, written

FOLDER = CASES / "attacks"
THREAT_MODEL = Path(__file__).parents[1] / "docs" / "threat-model.md"
# A saved snapshot can be changed by hand; what GitHub tells is read anew.
ONLY_SAVED = {"policy-swapped", "failures-out-of-sight"}
THROUGH_GITHUB = {name: attack for name, attack in ATTACKS.items() if name not in ONLY_SAVED}
each_attack = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
each_live_attack = pytest.mark.parametrize("attack", LIVE.values(), ids=LIVE)


def files_of(attack: Attack) -> dict[str, str]:
    """The files of an attack, but for its report."""
    stopped = f"Kind: {attack.kind}. Stopped by `{attack.defence}`: {DEFENCES[attack.defence].what}\n"
    files = written(attack)
    return files | {"story.md": f"{files['story.md']}\n{stopped}"}


@pytest.fixture
def folder(attack: Attack, pytestconfig: pytest.Config) -> Path:
    """The folder of the attack under test; with ``--update-cases`` it is written anew."""
    if pytestconfig.getoption("--update-cases"):
        write_case(FOLDER / attack.name, files_of(attack))
    return FOLDER / attack.name


@each_attack
def test_attack__is_the_story(attack: Attack, folder: Path) -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != "expected.json"}
    assert files == files_of(attack), "run `python3 tests pytest --update-cases` and read the difference"


@each_attack
def test_attack__is_refused_with_the_expected_report(attack: Attack, folder: Path) -> None:
    report = report_text(judge(snapshot_of((folder / "snapshot.json").read_text(encoding="utf-8"))))
    assert report == (folder / "expected.json").read_text(encoding="utf-8")
    answer = answer_in(folder)
    assert attack.because in answer.pop("description")
    assert answer == {"state": attack.state, "phases": attack.phases, "codes": set(attack.codes)}
    assert attack.state != "success"


@each_attack
def test_attack__succeeds_without_its_defence(attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = snapshot_of(written(attack)["snapshot.json"])
    DEFENCES[attack.defence].switch_off(monkeypatch)
    assert judge(snapshot).state.value == "success", status_lines(judge(snapshot))[-1].description


@pytest.mark.parametrize("attack", THROUGH_GITHUB.values(), ids=THROUGH_GITHUB)
def test_attack__gets_no_success_through_github(attack: Attack) -> None:
    with FakeHub(attack.world().snapshot()) as hub:
        report = run(hub).report
        assert {phase.name: phase.state.value for phase in report.phases} == attack.phases
        assert report.state.value == states(hub)[OVERALL] == attack.state
        assert successes(hub) == []


def successes(hub: FakeHub) -> list[str]:
    """Every time that the overall success was written."""
    bodies = [told["body"] for told in hub.written if "/statuses/" in told["path"]]
    return [body["description"] for body in bodies if (body["context"], body["state"]) == (OVERALL, "success")]


def told(attack: LiveAttack) -> tuple[str, str | None, list[str]]:
    """What the gate says to an attack, which overall state stands in the end, and its successes."""
    with attack.hub() as hub:
        try:
            attack.happens(hub)
            said = status_lines(run(hub).report)[-1].description
        except GitHubError as error:
            said = str(error)
        return said, states(hub).get(OVERALL), successes(hub)


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
    assert (state, len(written_successes)) == ("success", 1), said


def test_defences__are_each_needed() -> None:
    assert {attack.defence for attack in EVERY} == set(DEFENCES)


def test_attacks__are_many_and_of_every_kind() -> None:
    assert len(ATTACKS) >= 80
    assert {attack.kind for attack in EVERY} == set(KINDS)
    assert not set(ATTACKS) & set(LIVE)


def test_attacks__have_a_story_each() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(ATTACKS)


def test_threat_model__lists_every_attack(pytestconfig: pytest.Config) -> None:
    said = {name: attack.because for name, attack in LIVE.items()}
    for name, attack in ATTACKS.items():
        folder = FOLDER / name
        if pytestconfig.getoption("--update-cases"):
            write_case(folder, files_of(attack))
        said[name] = reason(attack, json.loads((folder / "expected.json").read_text(encoding="utf-8")))
    page = THREAT_MODEL.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    new = before + attack_table(said) + rest.split(END)[1]
    if pytestconfig.getoption("--update-cases"):
        THREAT_MODEL.write_text(new, encoding="utf-8")
    assert THREAT_MODEL.read_text(encoding="utf-8") == new, (
        "run `python3 tests pytest tests/test_attacks.py --update-cases`"
    )
