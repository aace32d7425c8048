"""conformance: two foreign gates and our own go through the same door, and so do programs that do not answer."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import time
from pathlib import Path

import pytest

from phasegate.reading.document import Document
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.every import STORIES
from tests.casebook.story import Story
from tests.casebook.vectors import BY_KIND, BY_NOTE, BY_REASON, ELSE, STATEMENTS, WITHHELD, vector, write_vectors
from tests.unit.cli.shell import ROOT, Done, Shell

FOREIGN = Path(__file__).parent / "foreign"
# Always the same: every fortieth by name, with one plain green and one plain attack.
NAMED = (
    "feature-green", "forged-by-stranger", "policy-unknown-role", "envelope-green", "pipeline-green",
    "judge-failed-and-answered",
)  # fmt: skip
EVERY = sorted([*STORIES.values(), *ATTACKS.values()], key=lambda story: story.name)
SAMPLE = [*EVERY[::40], *(each for each in EVERY if each.name in NAMED)]
# How each foreign gate mostly fails: what it is seen to do more than the other.
ENDS = {"naive": "unfairly_green", "strict": "too_strict"}


# A program that starts another one in a session of its own, which keeps the output open after it.
LIVES_ON = (
    "import subprocess, sys; "
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'], start_new_session=True)"
)


def called(program: Path | str) -> str:
    given = [str(program)] if isinstance(program, Path) else ["-c", program]
    return shlex.join([sys.executable, "-I", "-S", *given])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("conformance")
    write_vectors(made, SAMPLE)
    return made


def asked(shell: Shell, folder: Path, command: str, *more: str) -> Done:
    return shell("conformance", "run", "--cmd", command, "--vectors", folder, *more)


@pytest.mark.parametrize("gate", ENDS)
def test_conformance__shows_how_a_foreign_gate_fails(shell: Shell, folder: Path, gate: str) -> None:
    done = asked(shell, folder, called(FOREIGN / f"{gate}.py"), "--json")
    document = read_json(done.out)
    assert isinstance(document, Document)
    assert validate("conformance", document) == ()
    ended = done.data["all"]
    assert (done.code, max(ENDS.values(), key=ended.__getitem__)) == (1, ENDS[gate])
    assert ended["crashed"] + ended["hung"] + ended["nonsense"] == 0
    assert sum(ended.values()) == len({story.name for story in SAMPLE} - without_vector(folder))
    text = asked(shell, folder, called(FOREIGN / f"{gate}.py"), "--sample", "2").out
    assert "vectors  held  unfairly green  too strict" in text
    assert any(line.startswith("everyday ") for line in text.splitlines())


def without_vector(folder: Path) -> set[str]:
    """The stories of the sample that depend on what this gate remembers."""
    known = {json.loads(line)["id"] for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()}
    return {story.name for story in SAMPLE} - known


def test_conformance__our_own_gate_goes_through_the_same_door(shell: Shell, folder: Path) -> None:
    ours = shlex.join([sys.executable, str(ROOT / "scripts"), "check", "--snapshot", "-", "--json"])
    done = asked(shell, folder, ours, "--sample", "6", "--timeout", "60")
    assert done.code == 0, done.out
    assert asked(shell, folder, ours, "--only", "policy-unknown-role", "--timeout", "60").code == 0


@pytest.mark.parametrize(("program", "ended"), [
    ("raise SystemExit(3)", "crashed"),
    ("raise KeyError('moves')", "crashed"),
    ("import os; os.abort()", "crashed"),
    ('print(\'{"state": "success"}\'); raise SystemExit(3)', "crashed"),
    ("import time; time.sleep(60)", "hung"),
    ("import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])", "hung"),
    (f"{LIVES_ON}; print('{{}}')", "hung"),
    ("pass", "nonsense"),
    ("print('::error::\\x1b[31msuccess')", "nonsense"),
    ('print(\'{"state": ["success"]}\')', "nonsense"),
    ('print(\'{"state": "green"}\')', "nonsense"),
    ("while True: print('x' * 99999)", "nonsense"),
])  # fmt: skip
def test_conformance__what_is_no_answer_is_told(shell: Shell, folder: Path, program: str, ended: str) -> None:
    began = time.monotonic()
    seconds = "1" if ended == "hung" else "20"
    done = asked(shell, folder, called(program), "--only", "feature-green", "--timeout", seconds)
    assert f"{ended}: 1" in done.out
    assert "0 of 1 held" in done.out
    assert (done.code, "\x1b" in done.out, "\n::" in done.out) == (1, False, False)
    assert ("exit code 1: KeyError: 'moves'" in done.out) == ("moves" in program)
    assert time.monotonic() - began < 30


def test_conformance__shows_what_a_program_gets(shell: Shell, folder: Path) -> None:
    shown = shell("conformance", "show", "forged-by-stranger", "--vectors", folder)
    assert shown.data["pull_request"]["number"] == 7
    assert not {"record", "own_account", "state", "answer"} & set(shown.data)


@pytest.mark.parametrize(("more", "told"), [
    (("--vectors", "nowhere"), "there is no manifest.json (unpack"),
    (("--only", "of-nobody"), 'no vector is of "of-nobody"'),
    (("--cmd", "./not-there"), "--cmd ./not-there: No such file"),
    (("--cmd", ""), "a program is missing"),
    (("--cmd", "'"), "No closing quotation"),
    (("--jobs", "0"), "more than zero"),
])  # fmt: skip
def test_conformance__wrong_usage(shell: Shell, folder: Path, more: tuple[str, str], told: str) -> None:
    assert asked(shell, folder, called("pass"), *more).is_a_mistake_of_the_user(told)


@pytest.mark.parametrize(("name", "text", "told"), [
    ("manifest.json", "[]", "this is no JSON object"),
    ("manifest.json", '{"files": []}', "it lists no files"),
    ("jkz.jsonl", "{}\n", "this is not the file that manifest.json lists"),
    ("manifest.json", '{"files": {"gone.jsonl": {}}}', "gone.jsonl"),
])  # fmt: skip
def test_conformance__damaged_vectors(  # noqa: PLR0913, PLR0917  (what is damaged, and what is said)
    shell: Shell, folder: Path, tmp_path: Path, name: str, text: str, told: str
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged)
    (damaged / name).write_text(text, encoding="utf-8")
    assert asked(shell, damaged, called("pass")).is_a_mistake_of_the_user(told)


@pytest.mark.parametrize("story", SAMPLE[::4], ids=lambda story: story.name)
def test_vector__keeps_to_its_schema_and_is_the_same_each_time(story: Story) -> None:
    made = [vector(each) for each in (story, story)]
    assert made[0] == made[1]
    document = read_json(json.dumps(made[0]))
    assert isinstance(document, Document)
    assert made[0] is None or validate("vector", document) == ()


def test_vectors__test_every_sentence_of_the_page() -> None:
    led = {*BY_REASON.values(), *BY_KIND.values(), *BY_NOTE.values(), *WITHHELD.values(), *ELSE}
    assert led == set(STATEMENTS)
