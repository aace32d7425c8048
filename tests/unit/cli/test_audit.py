"""audit: what another policy would have held or let through, of files, folders and GitHub, and what cannot be read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from phasegate.cli import audit
from phasegate.reading.document import Document
from phasegate.reading.json import read_json
from phasegate.reading.schema.registry import validate
from phasegate.report.html import page
from tests.casebook.every import STORIES
from tests.fakehub import FakeHub
from tests.unit.cli.shell import Shell, written
from tests.unit.report.oracle import NASTY, commands
from tests.unit.report.pages import assert_page_inert

GREEN, FAILED, STALE, STRANGER = "feature-green", "judge-failed", "stale", "stranger"
NAMED_ALONE = "version: 1\nagents: {only: true, accounts: [{login: ben, id: 22}]}\n"
PLAN_ALONE = "version: 1\nissue: {quick_labels: []}\nphases: {build: {enabled: false}, qa: {enabled: false}}\n"


def saved(folder: Path, *names: str, **changes: object) -> list[Path]:
    """Snapshots of stories as files; each is a pull request of its own."""
    paths = []
    for number, name in enumerate(names, 1):
        told = STORIES[name].world().snapshot()
        told["pull_request"] |= {"number": number, "url": f"https://github.com/octo/shop/pull/{number}", **changes}
        paths.append(folder / f"snapshot-{number}.json")
        paths[-1].write_text(json.dumps(told), encoding="utf-8")
    return paths


def ended(answer: dict[str, Any]) -> dict[str, str]:
    return {row["name"]: row["ended"] for row in answer["rows"]}


def test_audit__tells_what_another_policy_holds_and_lets_through(shell: Shell, tmp_path: Path) -> None:
    saved(tmp_path, GREEN, FAILED, STALE)
    strict = shell("audit", tmp_path, "--policy", written(tmp_path / "policy.yml", NAMED_ALONE), "--json")
    assert ended(strict.data) == {"octo/shop#1": "held", "octo/shop#2": "same", "octo/shop#3": "same"}
    assert (strict.code, strict.data["rules"]["held"]["Build: Judge refused"]) == (1, 1)
    document = read_json(strict.out)
    assert isinstance(document, Document)
    assert validate("audit", document) == ()
    loose = shell("audit", tmp_path, "--policy", written(tmp_path / "policy.yml", PLAN_ALONE), "--json")
    assert ended(loose.data) == {"octo/shop#1": "same", "octo/shop#2": "passes", "octo/shop#3": "passes"}
    assert (loose.code, loose.data["rules"]["passes"]["Build: Judge failed"]) == (0, 1)


def test_audit__of_merged_pull_requests_decides_the_moment_of_the_merge(shell: Shell, tmp_path: Path) -> None:
    later = {"at": "2026-03-02T09:30:00Z", "state": "closed", "actor": None}
    paths = saved(tmp_path, GREEN, FAILED, state="merged", state_changes=[later])
    told = json.loads(paths[0].read_text())
    told["comments"].append({**told["comments"][0], "id": 999, "created_at": "2026-03-03T09:00:00Z", "text": "FAIL"})
    told["ref_log"]["moves"].append({"at": "2026-03-03T09:00:00Z", "after": "f" * 40})
    paths[0].write_text(json.dumps(told), encoding="utf-8")
    assert ended(shell("audit", *paths, "--json").data) == {"octo/shop#1": "same", "octo/shop#2": "held"}


def test_audit__compares_with_the_report_that_the_run_left(shell: Shell, tmp_path: Path) -> None:
    (path,) = saved(tmp_path, FAILED)
    written(tmp_path / "report-1.json", '{"report": 1, "state": "success"}')
    answer = shell("audit", tmp_path, "--json").data
    assert (answer["snapshots"], ended(answer), answer["rows"][0]["was"]) == (1, {"octo/shop#1": "held"}, "success")
    written(tmp_path / "report-1.json", "[")
    assert ended(shell("audit", path, "--json").data) == {"octo/shop#1": "same"}


def test_audit__in_several_processes_says_the_same(shell: Shell, tmp_path: Path) -> None:
    paths = saved(tmp_path, GREEN, FAILED, STALE, STRANGER, GREEN)
    broken = written(tmp_path / "old.json", '{"snapshot": 0}')
    alone, many = (shell("audit", *paths, broken, "--jobs", jobs, "--json").data for jobs in ("1", "2"))
    assert alone == many
    assert ended(alone)["old.json"] == "unread"
    text = shell("audit", tmp_path, "--html", tmp_path / "audit.html")
    assert (text.code, "could not be decided" in text.out) == (1, True)
    assert_page_inert((tmp_path / "audit.html").read_text(encoding="utf-8"))


def test_audit__goes_on_where_it_was_ended(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = saved(tmp_path, GREEN, FAILED)
    kept = tmp_path / "kept.jsonl"
    shell("audit", first, "--resume", kept)
    kept.write_text(kept.read_text() + '{"key": "cut o', encoding="utf-8")
    decided: list[Path] = []
    real = audit.decide

    def counting(path: Path, policy: Path | None) -> dict[str, Any]:
        decided.append(path)
        return real(path, policy)

    monkeypatch.setattr(audit, "decide", counting)
    assert len(shell("audit", first, second, "--resume", kept, "--json").data["rows"]) == 2
    assert decided == [second]
    os.utime(first, (1, 1))
    shell("audit", first, "--resume", kept)
    shell("audit", second, "--resume", kept, "--policy", written(tmp_path / "policy.yml", NAMED_ALONE))
    assert decided == [second, first, second]


def test_audit__of_several_snapshots_of_one_the_last_counts(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "run-1").mkdir()
    saved(tmp_path / "run-1", FAILED)
    saved(tmp_path, GREEN)
    answer = shell("audit", tmp_path, "--json").data
    assert (answer["snapshots"], answer["pull_requests"], answer["rows"][0]["is"]) == (2, 1, "success")
    assert shell("audit", tmp_path, "--since", "2027-01-01", "--json").data["rows"] == []


def test_audit__reads_archives_of_artifacts_as_they_come(shell: Shell, tmp_path: Path) -> None:
    inside, *_ = saved(tmp_path, FAILED)
    with ZipFile(tmp_path / "phase-gate-1.zip", "w") as archive:
        for name in ("deep/snapshot-1.json", "../snapshot-2.json", "/etc/snapshot-3.json"):
            archive.writestr(name, inside.read_text().replace('"number": 1', f'"number": {name[-6]}'))
        archive.writestr("deep/report-1.json", '{"report": 1, "state": "success"}')
        archive.writestr("broken.json", '{"snapshot": 1')
    inside.unlink()
    (tmp_path / "cut.zip").write_bytes(b"PK")
    answer, named = (shell("audit", *words, "--json").data for words in ((tmp_path,), tuple(tmp_path.glob("*.zip"))))
    unread = {"broken.json": "unread", "cut.zip": "unread"}
    assert ended(answer) == ended(named) == {"octo/shop#1": "held", "octo/shop#2": "same", **unread}
    assert "cannot be read out of the archive" in next(
        row["said"] for row in answer["rows"] if row["name"] == "cut.zip"
    )


def test_audit__says_what_is_too_large_in_an_archive(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ZipFile(tmp_path / "phase-gate-1.zip", "w") as archive:
        archive.writestr("snapshot-1.json", '{"snapshot": 1' + " " * 100)
    monkeypatch.setattr(audit, "MAX_BYTES", 100)
    assert shell("audit", tmp_path, "--json").data["rows"][0]["said"].endswith("larger than 100 bytes")


@pytest.mark.parametrize("version", [0, 2])
def test_audit__names_the_version_of_a_snapshot_it_does_not_read(shell: Shell, tmp_path: Path, version: int) -> None:
    (tmp_path / "other.json").write_text(json.dumps({"snapshot": version, "taken_at": "2026-03-02T09:00:00Z"}))
    (row,) = shell("audit", tmp_path, "--json").data["rows"]
    assert row["said"].endswith(f"this is a snapshot of version {version}; this version of Phase Gate reads version 1")


def test_audit__the_last_merged_are_found_behind_older_ones_that_somebody_commented_on() -> None:
    asked: list[int] = []

    def pulls(**query: int) -> list[dict[str, Any]]:
        asked.append(query["page"])
        days = range(100, 0, -1) if query["page"] == 1 else range(150, 110, -1)
        talked = [{"number": day, "merged_at": f"2026-{day:03}", "updated_at": "2027"} for day in days]
        return talked if query["page"] == 1 else [each | {"updated_at": each["merged_at"]} for each in talked] * 3

    assert audit._merged(pulls, 3, "") == [150, 150, 150]
    assert asked == [1, 2]
    assert audit._merged(pulls, 3, "2026-200") == []
    assert asked == [1, 2, 1, 2]


def test_audit__a_github_that_does_not_answer_is_not_asked_for_every_one(shell: Shell, tmp_path: Path) -> None:
    told = [STORIES[GREEN].world().snapshot() for _ in range(5)]
    for number, each in enumerate(told, 20):
        each["pull_request"] |= {"state": "merged", "number": number}
    with FakeHub(told[0], more=told[1:]) as hub:
        hub.fail("POST /graphql*", times=None, status=401)
        done = shell("audit", "--repo", "octo/shop", "--save", tmp_path, "--json", environ=hub.environ)
        said = [row["said"] for row in done.data["rows"]]
        assert (done.code, sum("the token is not valid" in each for each in said)) == (1, 3)
        assert sum("3 times in a row, run it again" in each for each in said) == 2
    assert not list(tmp_path.rglob("*.json"))


def test_audit__reads_merged_pull_requests_once(shell: Shell, tmp_path: Path) -> None:
    told = STORIES[GREEN].world().snapshot()
    told["pull_request"] |= {"state": "merged"}
    with FakeHub(told) as hub:
        words = ("audit", "--repo", "octo/shop", "--last", "5", "--save", tmp_path, "--json")
        done = shell(*words, environ=hub.environ)
        assert (done.code, ended(done.data)) == (0, {"octo/shop#7": "same"})
        asked = len(hub.requests)
        assert shell(*words, environ=hub.environ).data == done.data
        assert len(hub.requests) == asked + 1
        assert hub.written == []


@pytest.mark.parametrize(("words", "told"), [
    ((), "name snapshots or folders"),
    (("x.json", "--repo", "octo/shop"), "name snapshots or folders"),
    (("x.json", "--jobs", "0"), "at least 1"),
    (("x.json", "--since", "yesterday"), "a date such as"),
    (("x.json", "--policy", "nowhere.yml"), "--policy nowhere.yml"),
    (("--repo", "nobody"), "--repo"),
])  # fmt: skip
def test_audit__wrong_usage(shell: Shell, words: tuple[str, ...], told: str) -> None:
    assert shell("audit", *words).is_a_mistake_of_the_user(told)


def test_audit__a_folder_without_snapshots_is_no_pass(shell: Shell, tmp_path: Path) -> None:
    written(tmp_path / "report-1.json", '{"report": 1, "state": "success"}')
    assert shell("audit", tmp_path).is_a_mistake_of_the_user("no snapshot is there")


@pytest.mark.parametrize("text", NASTY)
def test_audit__hostile_text_is_text(text: str, shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = {**audit._unread(text, text, text), "at": text, "was": text, "is": text, "ended": "held", "why": [text]}
    answer: dict[str, Any] = {"version": text, "policy": text, "snapshots": 1, "pull_requests": 1, "rows": [row]}
    answer |= {"counts": {"held": 1, "passes": 0, "same": 0, "unread": 0}, "rules": {"held": {text: 1}, "passes": {}}}
    assert_page_inert(page("Audit", audit._body(answer)))
    monkeypatch.setattr(audit, "_answer", lambda *_: answer)
    (tmp_path / "empty").mkdir()
    shown = shell("audit", tmp_path / "empty").out
    assert commands(shown) == []
    assert "\x1b" not in shown


def test_audit__a_stricter_policy_lets_nothing_through_and_a_looser_one_holds_nothing(
    shell: Shell, tmp_path: Path
) -> None:
    by_default = [name for name, story in STORIES.items() if story.world().policy is None and "quick" not in name]
    saved(tmp_path, *by_default[::20])
    strict, loose = (
        shell("audit", tmp_path, "--policy", written(tmp_path / "policy.yml", text), "--json").data["counts"]
        for text in (NAMED_ALONE, PLAN_ALONE)
    )
    assert (strict["passes"], loose["held"], strict["unread"], loose["unread"]) == (0, 0, 0, 0)
    assert strict["held"] > 3
    assert loose["passes"] > 3
