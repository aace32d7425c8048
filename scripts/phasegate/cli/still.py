"""Comments that change nothing: one question per pull request, before anything else is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from phasegate.cli.action import target_of
from phasegate.dialects.registry import default_plan, every_dialect, plan_of
from phasegate.github.client.answers import GitHubError, MovedError, as_documented
from phasegate.github.client.client import Client, make_client
from phasegate.github.event import remark
from phasegate.github.reading.mark import Standing, standing
from phasegate.github.reading.opening import Target
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import State
from phasegate.model.snapshot import PolicyFile
from phasegate.report.inert import plain, prose
from phasegate.rules.phases import WORST_FIRST
from phasegate.settings import Settings

DELETED = "deleted"
# Whatever the answer takes, there is time left to read everything.
SECONDS = 10.0
RUN = re.compile(r"https?://[A-Za-z0-9._:/-]{1,300}/actions/runs/[0-9]{1,20}", re.ASCII)


def unchanged(settings: Settings, payload: Mapping[str, Any], numbers: Iterable[int]) -> list[Standing]:
    """The status of each pull request, if a comment changed nothing for any of them, or else nothing.

    This takes one question for each. It is not worth it if something surely changed, or if more than statuses must be
    written. If the question is not answered, everything is read.
    """
    said = remark(settings.event, payload)
    if said is None or payload.get("action") == DELETED or settings.dry_run or settings.save_snapshot:
        return []
    if said.id is None or said.touched is None or any(map(plan_of(every_dialect()).carries, said.texts)):
        return []
    client = make_client(settings.api, SECONDS)
    targets = [target_of(settings, number) for number in numbers]
    heard = (said.id, said.touched)
    found = [each for each in (_standing(client, target, heard) for target in targets) if each is not None]
    return found if len(found) == len(targets) else []


def _standing(client: Client, target: Target, heard: tuple[int, str]) -> Standing | None:
    try:
        with as_documented(f"{target.repository}#{target.number}"):
            return standing(client, target, _plan, heard)
    except (GitHubError, MovedError):
        return None


def _plan(file: PolicyFile) -> ReadingPlan:
    """What to read. Without a policy file it is known without the deciding modules."""
    if file.is_default:
        return default_plan()
    from phasegate.gate import reading_plan  # noqa: PLC0415  (loaded only where there is a policy)

    return reading_plan(file)


def outputs(found: Sequence[Standing]) -> dict[str, str]:
    """The outputs from the worst pull request's statuses."""
    worst = min(found, key=lambda each: WORST_FIRST.index(State(each.state)))
    return {"state": worst.state, "next-action": plain(worst.says, 500)} | {
        name: worst.phases.get(name, "") for name in ("plan", "build", "qa")
    }


def lines(found: Iterable[Standing]) -> Iterable[str]:
    """The log line of each."""
    for each in found:
        yield f"#{each.number} at {each.head}: nothing that counts has changed since its statuses were written"
        yield f"  {each.state}: {plain(each.says, 300)}"


def summary(found: Iterable[Standing]) -> str:
    """The step summary: where to read the decision."""
    told = "".join(f"- #{each.number}: {prose(each.says)}{_link(each)}\n" for each in found)
    return f"## Phase Gate: nothing has changed\n\nThe comment changes nothing for the gate. Statuses:\n\n{told}"


def _link(each: Standing) -> str:
    return f" ([decided here]({each.url}))" if RUN.fullmatch(each.url) else ""
