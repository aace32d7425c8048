"""What the pipeline dialect declares: its files, each with a seat of its own, and the folder of an issue's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from phasegate.dialects.dialect import (
    Checked,
    Deciding,
    Dialect,
    Footprint,
    Gathered,
    LocalFile,
    Reading,
    Surroundings,
    Text,
)
from phasegate.model.frozen import late
from phasegate.model.plan import Evidence
from phasegate.model.signal import Does, HowTo, Medium, Role, Subject

NAME = "pipeline"
FOLDER = ".pipeline"
NUMBER = "{number}"
COMPLETED = "completed"  # the git stage moves the folders of finished issues here
RUN_AT = "run_at"

PLAN, WORKER, TEST, REVIEW = "plan.json", "worker-result.json", "test-result.json", "review-result.json"
DEBUG, GIT, STATE = "debug-diagnosis.json", "git-result.json", "state.yaml"
PHASE_2 = f"{TEST}#phase_2"
# Copies are checked like their original and never count in its place.
COPIES = {"worker-result-fast.json": WORKER, "test-result-pass.json": TEST, "test-result-fail.json": TEST}
FILES = (PLAN, WORKER, TEST, REVIEW, DEBUG, GIT, STATE, *COPIES)
# Files of the pipeline that are not a word about the work.
OTHERS = ("pipeline-trace.json", "lessons.yaml")
# The results that judge the work, with their words. Their earlier versions are earlier rounds.
JUDGING = {TEST: (TEST, PHASE_2), REVIEW: (REVIEW,)}
# The smallest file of each stage; a judging one finds something to fix.
EXAMPLES = {
    PLAN: '{"affected_files": ["src/auth.py"], "steps": [{"order": 1, "action": "modify", "file": "src/auth.py", '
    '"description": "Check the expiry", "depends_on": []}], "acceptance_mapping": {"AC-1": "src/auth.py"}}',
    WORKER: '{"status": "completed", "files_changed": ["src/auth.py"], "blockers": [], "summary": "What was done"}',
    TEST: '{"verdict": "FAIL", "phase_1": {"test": {"result": "FAIL", "output": "test_expiry failed"}}, '
    '"phase_2": null, "classification": "fix_target"}\n\nIf nothing has to be fixed: PASS for the verdict and for '
    'every check that ran, and "classification": null.',
    REVIEW: '{"verdict": "FAIL", "blockers": [{"file": "src/auth.py", "line": 42, "description": "Expired tokens are '
    'accepted"}], "concerns": [], "nits": []}\n\nIf nothing has to be fixed: "verdict": "PASS" and "blockers": [].',
}

_AFTER_WORK = (PLAN, WORKER)
_AFTER_TESTS = (*_AFTER_WORK, TEST, PHASE_2)
_in_files = partial(Role, dialect=NAME, media=frozenset({Medium.FILE}), remembered=False, per_issue=True)
ROLES = (
    _in_files(name=PLAN, does=Does.CREATES, about=Subject.NOTHING),
    _in_files(name=WORKER, does=Does.CREATES, after=(PLAN,)),
    _in_files(name=TEST, does=Does.CHALLENGES, after=_AFTER_WORK, remembered=True),
    _in_files(name=PHASE_2, does=Does.CHALLENGES, after=_AFTER_WORK, remembered=True, part_of=TEST),
    _in_files(name=REVIEW, does=Does.CONFIRMS, after=_AFTER_TESTS, remembered=True),
    _in_files(name=GIT, does=Does.CREATES, after=(*_AFTER_TESTS, REVIEW), about=Subject.NOTHING),
    _in_files(name=DEBUG, does=Does.REPAIRS, about=Subject.NOTHING),
    _in_files(name=STATE, does=Does.CREATES, about=Subject.NOTHING),
)
ARTIFACTS = {role.name: role for role in ROLES}


_BY_NAME = late(r"(?:(?:issue|gh)[-_]?|#)?0*([1-9][0-9]{0,14})", re.ASCII | re.IGNORECASE)


def number_of(name: str) -> int | None:
    """The issue that a folder is named after: ``42``, ``issue-42``, ``GH-42``, also below ``completed``."""
    match = _BY_NAME.fullmatch(name.removeprefix(f"{COMPLETED}/"))
    return int(match[1]) if match else None


def usual_name(issue: int, template: str | None) -> str:
    """The name of an issue's folder if nothing else tells it."""
    return str(issue) if template is None else template.replace(NUMBER, str(issue))


def folder_in(path: str) -> str:
    """The name of the folder that holds a file, or "" if it is elsewhere."""
    root, _, rest = path.partition("/")
    name, _, inside = rest.partition("/")
    if root != FOLDER or not inside:
        return ""
    moved, _, below = inside.partition("/")
    return f"{COMPLETED}/{moved}" if name == COMPLETED and below else name


def touched_in(paths: Iterable[str]) -> dict[str, None]:
    """The names of the folders that hold some files, in order."""
    return dict.fromkeys(filter(None, map(folder_in, paths)))


def worth_reading(
    template: str | None, names: Sequence[str], issues: Sequence[int], changed: Iterable[str]
) -> tuple[str, ...]:
    """The folders that may be the pull request's: named after an issue that it closes, or changed by it.

    An issue without a folder is given its usual one, to see whether it is ignored or was there.
    """
    usual = {issue: usual_name(issue, template) for issue in issues}
    touched = touched_in(changed)
    if template is not None:
        return tuple(dict.fromkeys((*usual.values(), *(name for name in names if name in touched))))
    found = [name for name in names if number_of(name) in issues or name in touched]
    numbers = {number_of(name) for name in found}
    return (*found, *(name for issue, name in usual.items() if issue not in numbers))


def may_be_own(template: str | None, name: str, issues: Sequence[int]) -> bool:
    """True if a folder can belong to one of some issues: by its number, or by a name without one."""
    if template is not None and name in [usual_name(issue, template) for issue in issues]:
        return True
    number = number_of(name)
    return number in issues if number is not None else not name.startswith(".")


def _evidence(template: str | None) -> tuple[Evidence, ...]:
    files = partial(
        Evidence, folders=True, names=FILES, remembered=tuple(JUDGING), silent=OTHERS, own=partial(may_be_own, template)
    )
    return (files(root=FOLDER, choose=partial(worth_reading, template)), files(root=f"{FOLDER}/{COMPLETED}"))


class Pipeline(Dialect):
    """The dialect: artifacts that agents leave in a folder of the branch."""

    name = NAME
    reader = "phasegate.dialects.pipeline.gather"
    roles = ROLES
    media = frozenset({Medium.FILE})
    footprint = Footprint(
        evidence=_evidence,
        deciding=(
            Deciding(key="verdict", values=("FAIL",)),
            Deciding(key="status", values=("blocked", "failed")),
            Deciding(key="blockers"),
        ),
    )

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """A file. It is parsed later with the others of its folder, if that is a linked issue's."""
        del roles
        return Reading(text=text)

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """The signals of each issue's folder."""
        from phasegate.dialects.pipeline.gather import gather  # noqa: PLC0415  (loaded when it is asked for)

        return gather(readings, around)

    def owns(self, path: str) -> bool:
        """True if a file is an artifact, by its name."""
        return path.rpartition("/")[2] in FILES

    def check_file(self, file: LocalFile) -> Checked:
        """Checks one artifact on its own."""
        from phasegate.dialects.pipeline.rules import check_file  # noqa: PLC0415  (loaded when it is asked for)

        return check_file(file)

    def check_folder(self, folder: str, files: Sequence[LocalFile]) -> tuple[Checked, ...]:
        """Checks the artifacts of one issue, and files that look like one."""
        from phasegate.dialects.pipeline.rules import check_folder  # noqa: PLC0415  (loaded when it is asked for)

        return check_folder(folder, files)

    def nearest(self, text: Text, role: Role) -> str:
        """The pipeline speaks only in files."""
        del text
        return f"{role.name} is a file"

    def how_to(self, role: Role) -> HowTo:
        """A file in the issue's folder."""
        schema = f"{NAME}/{role.file.partition('.')[0]}"
        return HowTo(
            medium=Medium.FILE,
            path=f"{FOLDER}/{NUMBER}/{role.file}",
            schema=schema,
            names_commit=role.file in (WORKER, *JUDGING),
            example=EXAMPLES.get(role.file, ""),
            renew=RUN_AT if role.file in (WORKER, TEST, REVIEW) else "",
        )


DIALECT = Pipeline()
