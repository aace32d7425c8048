"""What the tests of the pipeline share: a sound folder to change one thing in, and short ways to judge it."""

from __future__ import annotations

import copy
import json
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from phasegate.dialects.dialect import LocalFile
from phasegate.dialects.pipeline import rules as pipeline
from phasegate.dialects.pipeline.artifact import Artifact, Stage, read_artifact
from phasegate.dialects.pipeline.rules import Context, Folder, read_folder
from phasegate.model.problem import Problem, Where

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "pipeline"
JSON = dict[str, Any]
SHARED: dict[str, list[str]] = json.loads((EXAMPLES / "shared.json").read_text(encoding="utf-8"))
COMPLETE = EXAMPLES / "valid" / "complete" / "42"
ORDER = ("plan.json", "worker-result.json", "test-result.json", "review-result.json", "git-result.json")
SOUND: dict[str, JSON] = {name: json.loads((COMPLETE / name).read_text(encoding="utf-8")) for name in ORDER}
STATE = (COMPLETE / "state.yaml").read_text(encoding="utf-8")
CART, TESTS = SOUND["plan.json"]["affected_files"]


@cache
def _room() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="phase-gate-examples-")


@cache
def laid_out(example: Path) -> Path:
    """An example as a whole folder: its own files, and the sound ones that ``shared.json`` says it stands among."""
    if example.name not in SHARED:
        return example
    whole = Path(shutil.copytree(example, Path(_room().name) / example.name))
    for shared in SHARED[example.name]:
        _, issue, name = shared.split("/")
        shutil.copyfile(EXAMPLES / "valid" / shared, whole / issue / name)
    return whole


def sound(last: str = ORDER[-1], /, **changes: JSON) -> dict[str, Any]:
    """The artifacts up to one, with some keys changed: ``sound(test={"verdict": "FAIL"})``."""
    files = {name: copy.deepcopy(SOUND[name]) for name in ORDER[: ORDER.index(last) + 1]}
    for short, keys in changes.items():
        name = next(name for name in ORDER if name.startswith(short))
        files[name] = {**files[name], **keys}
    return files


def folder(files: dict[str, Any], name: str = "42", **facts: Any) -> Folder:  # noqa: ANN401  (fields of the context)
    """A folder of these artifacts; texts stand as they are."""
    made = [
        LocalFile(
            name=file,
            where=Where(path=f".pipeline/{name}/{file}"),
            text=content if isinstance(content, str) else json.dumps(content, indent=2),
        )
        for file, content in files.items()
    ]
    return read_folder(name, made, Where(path=f".pipeline/{name}"), Context(**facts))


def problems(files: dict[str, Any], name: str = "42", **facts: Any) -> tuple[Problem, ...]:  # noqa: ANN401  (as above)
    """What is wrong in a folder of these artifacts."""
    return pipeline.artifact_problems(folder(files, name, **facts))


def codes(files: dict[str, Any], name: str = "42", **facts: Any) -> list[str]:  # noqa: ANN401  (as above)
    """The codes of what is wrong, in order."""
    return [item.code for item in problems(files, name, **facts)]


def at_stage(stage: str, files: dict[str, Any], **facts: Any) -> list[str]:  # noqa: ANN401  (as above)
    """The codes of what keeps a stage from being done."""
    return [item.code for item in pipeline.stage_problems(folder(files, **facts), Stage(stage))]


def read(name: str, content: str | JSON) -> Artifact:
    """An artifact that can be read."""
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    found = read_artifact(name, text, Where(path=name))
    assert not found.broken, found
    return found


def refused(name: str, content: str | JSON | list[Any]) -> tuple[Problem, ...]:
    """Why an artifact cannot be read."""
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    found = read_artifact(name, text, Where(path=name))
    assert found.broken, found
    return found.problems
