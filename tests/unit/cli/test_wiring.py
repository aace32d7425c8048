"""What wakes the gate, as doctor sees it: signals, the sweep, the mode without pull_request_target, and the lock."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasegate.cli.setup import SIGNAL, SWEEP, WORKFLOW
from phasegate.cli.wiring import LOCK
from phasegate.model.snapshot import POLICY
from tests.fakehub import FakeHub
from tests.unit.cli.shell import Done, Shell
from tests.unit.cli.test_doctor import GATE, PINNED, has, healthy
from tests.unit.cli.wired import doctor, found, written

pytestmark = pytest.mark.usefixtures("no_forgeries")


def checkout(shell: Shell, tmp_path: Path, files: dict[str, str]) -> Done:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return shell("doctor", "--dir", tmp_path, "--json")


REVIEWS = "version: 1\nagents: {accounts: [{format: copilot}]}\n"
CHECKS = "version: 1\nagents: {accounts: [{format: claude-review}]}\n"
FILES = 'version: 1\nagents: {accounts: [{format: gsd, login: "our-runner[bot]", id: 987, app_id: 5}]}\n'


@pytest.mark.parametrize("target", [True, False])
@pytest.mark.parametrize(
    "policy", ["version: 1\n", REVIEWS, CHECKS, FILES], ids=["comments", "reviews", "check runs", "files"]
)
def test_waking__what_init_writes_hears_every_reviewer(
    shell: Shell, tmp_path: Path, policy: str, *, target: bool
) -> None:
    done = checkout(shell, tmp_path, {**written(target=target, policy=policy), POLICY: policy})
    assert [each for each in found(done, "triggers") if each[0] in ("wrong", "warning")] == []
    modes = [message for level, message, _ in found(done, "triggers") if level == "note"]
    assert bool(modes) != target
    assert "concurrency" not in {each["check"] for each in done.data["findings"]}


SWEEPING = written(target=False)[SWEEP].replace(', base-in-context: "true"', "")
ON_CHECKS = GATE.replace("  merge_group:", "  check_run: {types: [completed]}\n  merge_group:")
LACKING: dict[str, tuple[dict[str, str], str, str, str]] = {
    "reviews": (
        {WORKFLOW: GATE, POLICY: REVIEWS}, "wrong", "is not heard until the next comment or push",
        "workflow_run: {workflows: [Phase Gate signal], types: [requested]}",
    ),
    "reviews, with a sweep": ({WORKFLOW: GATE, POLICY: REVIEWS, SWEEP: SWEEPING}, "warning", "an hour late", SIGNAL),
    "reviews, with a signal of another name": (
        {
            **written(policy=REVIEWS),
            SIGNAL: "name: CI\non: [pull_request, pull_request_review]\njobs: {}\n",
            POLICY: REVIEWS,
        },
        "wrong",
        "is not heard",
        SIGNAL,
    ),
    "reviews, with a signal for pushes": (
        {**written(policy=REVIEWS), SIGNAL: "name: Phase Gate signal\non: [pull_request]\njobs: {}\n", POLICY: REVIEWS},
        "wrong", "is not heard", SIGNAL,
    ),
    "check runs": (
        {WORKFLOW: GATE, POLICY: CHECKS}, "wrong", "reports in check runs", "check_run: {types: [completed]}",
    ),
    "check runs, without a sweep": ({WORKFLOW: ON_CHECKS, POLICY: CHECKS}, "warning", "for some check runs", SWEEP),
}  # fmt: skip


@pytest.mark.parametrize("name", LACKING)
def test_waking__what_is_missing_is_named_with_the_line_to_add(shell: Shell, tmp_path: Path, name: str) -> None:
    files, level, said, line = LACKING[name]
    done = checkout(shell, tmp_path, files)
    ((got, message, fix),) = (each for each in found(done, "triggers") if each[0] in ("wrong", "warning"))
    assert got == level
    assert said in message
    assert line in fix


WITHOUT = written(target=False)
UNSAFE_MODE: dict[str, tuple[dict[str, str], str]] = {
    "no sweep": ({path: text for path, text in WITHOUT.items() if path != SWEEP}, "an author can silence the signal"),
    "no base": ({**WITHOUT, WORKFLOW: WITHOUT[WORKFLOW].replace(', base-in-context: "true"', "")}, "keeps its success"),
    "no base in the sweep": ({**WITHOUT, SWEEP: SWEEPING}, f"{SWEEP}: without"),
    "no signal": (
        {path: text for path, text in WITHOUT.items() if path != SIGNAL},
        "nothing runs on pull_request_target",
    ),
    "a filter": (
        {**WITHOUT, SIGNAL: WITHOUT[SIGNAL].replace("pull_request: {", "pull_request: {paths: [src/**], ")},
        "paths of pull_request leaves pull requests without a status",
    ),
    "in progress only": (
        {**WITHOUT, WORKFLOW: WITHOUT[WORKFLOW].replace("types: [requested]", "types: [in_progress]")},
        "nothing runs on pull_request_target",
    ),
}


@pytest.mark.parametrize("name", UNSAFE_MODE)
def test_without_target__each_part_of_the_mode_is_needed(shell: Shell, tmp_path: Path, name: str) -> None:
    files, said = UNSAFE_MODE[name]
    done = checkout(shell, tmp_path, files)
    wrong = [message for level, message, _ in found(done, "triggers") if level == "wrong"]
    assert done.code == 1
    assert [message for message in wrong if said in message], wrong


def test_without_target__the_status_to_require_carries_the_base(shell: Shell) -> None:
    snapshot, more = healthy()
    more |= {"tree": {**more["tree"], **WITHOUT}, "policies": []}

    def said(context: str) -> Done:
        snapshot["branch_rules"]["required"] = [{"context": context, "app_id": 15368}]
        snapshot["statuses"][0]["context"] = "phase-gate: main"
        with FakeHub(snapshot, **more) as hub:
            return shell("doctor", "--repo", "octo/shop", "--json", environ=hub.environ)

    assert said("phase-gate: main").code == 0
    wrong = said("phase-gate")
    assert [message for level, message, _ in found(wrong, "required") if level == "wrong"] == [
        "phase-gate: main is not required on main: it blocks nothing",
        '"phase-gate" is required, which nothing writes: pull requests wait for ever',
    ]


def test_concurrency__runs_that_replace_each_other_are_a_warning(shell: Shell, tmp_path: Path) -> None:
    text = WITHOUT[WORKFLOW].replace("github.event.workflow_run.head_sha || ", "")
    done = checkout(shell, tmp_path, {**WITHOUT, WORKFLOW: text})
    ((level, message, fix),) = found(done, "concurrency")
    assert (level, "replaces one that waits" in message) == ("warning", True)
    assert "github.event.workflow_run.head_sha ||" in fix


# The lock of actions.

DEPENDENCY = f'"{PINNED}": {{ref: v0.1.0, commit: sha1-{"a" * 40}, owner_id: 1, repo_id: 2}}'
LOCKS: dict[str, tuple[str, list[str]]] = {
    "with the pin": (f'workflows: {{{WORKFLOW}: ["{PINNED}"]}}\ndependencies: {{{DEPENDENCY}}}\n', []),
    "without": (f'workflows: {{{WORKFLOW}: ["octo/other@v1"]}}\ndependencies: {{{DEPENDENCY}}}\n', ["wrong"]),
    "without the dependency": (f'workflows: {{{WORKFLOW}: ["{PINNED}"]}}\ndependencies: {{}}\n', ["wrong"]),
    "for other workflows": (f"workflows: {{}}\ndependencies: {{{DEPENDENCY}}}\n", ["note"]),
    "of another form": ("workflows: []\n", ["unseen"]),
    "that is none": ("workflows: {\n", ["unseen"]),
}


@pytest.mark.parametrize("name", LOCKS)
def test_lock__that_lacks_the_pin_is_said(shell: Shell, tmp_path: Path, name: str) -> None:
    text, levels = LOCKS[name]
    done = checkout(shell, tmp_path, {WORKFLOW: GATE, LOCK: text})
    assert [level for level, *_ in found(done, "lock")] == levels
    assert all("actions.lock" in message for _, message, _ in found(done, "lock"))


def test_lock__is_read_on_github_too(shell: Shell) -> None:
    snapshot, more = healthy()
    has(LOCK, LOCKS["without"][0])(snapshot, more)
    assert [level for level, *_ in found(doctor(shell, tree=more["tree"]), "lock")] == ["wrong"]
