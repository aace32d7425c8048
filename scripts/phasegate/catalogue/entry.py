"""One entry of the catalogue."""

from __future__ import annotations

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Severity


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """What a code means, for ``explain`` and the docs.

    ``adjustable`` codes may be given another severity by the policy; the others guard what the gate can trust.
    """

    code: str
    title: str
    severity: Severity
    adjustable: bool = False
    why: str
    fix: str
    bad: str
    good: str
