"""Names of the gate's statuses: ``phase-gate``, ``phase-gate/build``, and with the base ``phase-gate/build: main``.

This is the only place that makes such a name or recognises one. GitHub compares contexts without case, and branches
with it, so a base that is not all lower case carries a digest: no other branch has the same context.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from phasegate.model.frozen import dataclass, replace
from phasegate.model.signal import OVERALL

if TYPE_CHECKING:
    from phasegate.model.report import Report

LONGEST = 255  # GitHub's limit
# No branch can be called so: a name holds neither a colon nor a space.
BEFORE_BASE, BEFORE_DIGEST = ": ", " #"
DIGEST_LENGTH = 16
PLAIN = re.compile(r"[!-9;-@\[-`a-~]+", re.ASCII)
SHOWN = re.compile(r"[^!-~]", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Context:
    """What the name of one of the gate's statuses says. ``phase`` is empty for the overall status.

    ``base`` is the base branch in the name, in lower case, or None if the name has no base.
    """

    phase: str
    base: str | None

    @property
    def overall(self) -> bool:
        """True for the status of the whole pull request."""
        return not self.phase


def context_name(phase: str = "", base: str | None = None) -> str:
    """The context of a phase, or of the whole. ``base`` is the branch to name, if any."""
    name = f"{OVERALL}/{phase}" if phase else OVERALL
    if base is None or PLAIN.fullmatch(base):
        return name if base is None else f"{name}{BEFORE_BASE}{base}"
    # what GitHub might take for another branch is told apart by a digest
    digest = sha256(base.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    return f"{name}{BEFORE_BASE}{SHOWN.sub('?', base)}{BEFORE_DIGEST}{digest}"


def context_in(name: str) -> Context | None:
    """The context of a name in either form, or None if it is not one of the gate's."""
    told, colon, base = name.lower().partition(BEFORE_BASE)
    whole, slash, phase = told.partition("/")
    if whole != OVERALL or bool(slash) != bool(phase):
        return None
    return Context(phase=phase, base=base if colon else None)


def is_overall(name: str) -> bool:
    """True for the overall status of a pull request, in either form."""
    found = context_in(name)
    return found is not None and found.overall


def is_of(name: str, base: str | None) -> bool:
    """True if a name is one of the gate's in this form: with this base, or without one."""
    found, wanted = context_in(name), context_in(context_name(base=base))
    return found is not None and wanted is not None and found.base == wanted.base


def with_base(report: Report, base: str) -> Report:
    """A report whose contexts name the base, so that none of its statuses serves another base."""

    def named(context: str) -> str:
        found = context_in(context)
        return context if found is None else context_name(found.phase, base)

    return replace(
        report,
        context=named(report.context),
        phases=tuple(replace(phase, context=named(phase.context)) for phase in report.phases),
        tasks=tuple(replace(task, turns_green=tuple(map(named, task.turns_green))) for task in report.tasks),
    )
