"""Publishing annotations: a check run on the head commit, beside the statuses and without any say in them.

GitHub takes fifty annotations at a time, so the check run is ended only by the request that brings the last of them: a
run of ours that dies on the way leaves a check in progress, and no success. What stands there already is not repeated.
Any app may use our name, so only a check run with our mark is taken for ours, and one that we may not change is left.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phasegate.github.client.answers import GitHubError, InvalidError, MissingError, RefusedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.queries import PAGE
from phasegate.github.writing.publish import Place
from phasegate.model.digest import text_digest
from phasegate.model.drafts import Annotation, CheckDraft

BATCH = 50
# What the external id of our check runs begins with.
MARK = "phase-gate:"
# GitHub's machines do not all know of a write at once.
LAG = (1.0, 2.0)
COMPLETED = "completed"
# For a check run that an earlier run of ours could not bring to its end; it would be in progress for two weeks.
CANCELLED = {"status": COMPLETED, "conclusion": "cancelled"}
PERMISSION = (
    "Annotations in a check run need checks: write among the permissions of the job, and the token of a workflow or an "
    "app: a person's token cannot write check runs"
)
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Standing:
    """A check run as it stands on the commit; no conclusion while it is in progress."""

    number: int
    content: str | None
    count: int
    conclusion: str | None


@dataclass(frozen=True, slots=True)
class _Publication:
    """One check run on its way to a commit."""

    client: Client
    place: Place
    draft: CheckDraft

    def publish(self) -> bool:
        standing = self._latest()
        if standing is None or (standing.content, standing.count) != (self._content, len(self.draft.annotations)):
            if standing is not None and standing.conclusion is None:
                self._changed(standing.number, CANCELLED)
            self._write_anew()
            return True
        if standing.conclusion == self.draft.conclusion.value:
            return False
        if self._changed(standing.number, {**self._output([]), **self._end}):
            self._expect(standing.number)
        else:
            self._write_anew()
        return True

    @property
    def _root(self) -> str:
        return f"/repos/{self.place.repository}/check-runs"

    @property
    def _content(self) -> str:
        """What tells a check run from one that shows something else, whatever its conclusion."""
        shown = [_body(item) for item in self.draft.annotations]
        return MARK + text_digest(json.dumps([self.draft.title, self.draft.summary, shown]))

    @property
    def _end(self) -> JSON:
        """What ends the check run."""
        return {"status": COMPLETED, "conclusion": self.draft.conclusion.value, **self._link}

    @property
    def _link(self) -> JSON:
        return {} if self.place.url is None else {"details_url": self.place.url}

    def _output(self, batch: list[JSON]) -> JSON:
        marks = {"annotations": batch} if batch else {}
        return {"output": {"title": self.draft.title, "summary": self.draft.summary, **marks}}

    def _latest(self) -> _Standing | None:
        """The newest check run on the commit with our name and our mark."""
        path = f"/repos/{self.place.repository}/commits/{self.place.commit}/check-runs"
        with as_documented(f"GET {path}"):
            found = self.client.get(path, check_name=self.draft.name, filter="latest", per_page=PAGE)["check_runs"]
            named = [_standing(item) for item in found if item["name"] == self.draft.name]
            ours = [run for run in named if run.content is not None and run.content.startswith(MARK)]
        return max(ours, key=lambda run: run.number, default=None)

    def _changed(self, number: int, body: JSON) -> bool:
        """Change a check run that stands there, if we may: another app can have copied our mark."""
        try:
            self.client.patch(f"{self._root}/{number}", body)
        except (RefusedError, MissingError, InvalidError):
            return False
        return True

    def _write_anew(self) -> None:
        """Write a new check run, and another one where a repeated request has brought a batch twice."""
        if self._wrong(self._write()):
            self._expect(self._write())

    def _write(self) -> int:
        """A new check run, batch by batch; its number."""
        bodies = [_body(item) for item in self.draft.annotations]
        batches = [bodies[start : start + BATCH] for start in range(0, len(bodies), BATCH)] or [[]]
        begin = {"name": self.draft.name, "head_sha": self.place.commit, "external_id": self._content, **self._link}
        ends: list[JSON] = [{"status": "in_progress"}] * (len(batches) - 1) + [self._end]
        made = self.client.post(self._root, {**begin, **self._output(batches[0]), **ends[0]})
        with as_documented(f"POST {self._root}"):
            number = int(made["id"])
        for batch, end in zip(batches[1:], ends[1:], strict=True):
            self.client.patch(f"{self._root}/{number}", {**self._output(batch), **end})
        return number

    def _expect(self, number: int) -> None:
        if wrong := self._wrong(number):
            raise GitHubError(wrong)

    def _wrong(self, number: int) -> str:
        """What is wrong with a check run that was written, read back; nothing if it is as it should be."""
        expected = (self.draft.conclusion.value, len(self.draft.annotations))
        found = self._read(number)
        for seconds in LAG:
            if (found.conclusion, found.count) == expected:
                return ""
            self.client.pause(seconds, "reading the check run back")
            found = self._read(number)
        if (found.conclusion, found.count) == expected:
            return ""
        told = f'the check run "{self.draft.name}" was written as {expected[0]} with {expected[1]} annotations'
        return f"{told} but GitHub has {found.conclusion or 'no conclusion'} with {found.count}"

    def _read(self, number: int) -> _Standing:
        with as_documented(f"GET {self._root}/{number}"):
            return _standing(self.client.get(f"{self._root}/{number}"))


def publish_check_run(client: Client, place: Place, draft: CheckDraft) -> bool:
    """Let a check run stand on the commit; whether anything had to be written for it."""
    try:
        return _Publication(client, place, draft).publish()
    except RefusedError as error:
        raise GitHubError(f"{error}. {PERMISSION}") from error


def _standing(item: Mapping[str, Any]) -> _Standing:
    return _Standing(
        number=item["id"],
        content=item["external_id"],
        count=item["output"]["annotations_count"],
        conclusion=item["conclusion"] if item["status"] == COMPLETED else None,
    )


def _body(item: Annotation) -> JSON:
    """An annotation as GitHub takes it."""
    columns = {} if item.column is None else {"start_column": item.column, "end_column": item.column}
    return {
        "path": item.path,
        "start_line": item.line,
        "end_line": item.line,
        **columns,
        "annotation_level": item.level.value,
        "title": item.title,
        "message": item.message,
        "raw_details": item.details,
    }
