"""A fault by its offset, as the strict readers find it, and the exception that carries it to a reader's edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phasegate.model.frozen import dataclass
from phasegate.model.problem import Fault
from phasegate.reading.document import json_path

if TYPE_CHECKING:
    from phasegate.reading.document import JsonPath, Lines


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """A fault by its offset; ``related`` is another offset that the message ends with, ``step`` the key it is about."""

    code: str
    message: str
    offset: int
    hint: str = ""
    related: int | None = None
    step: str | None = None

    def fault(self, lines: Lines, path: JsonPath) -> Fault:
        """The fault, with lines and columns; ``path`` leads to the container that was being read."""
        message = self.message
        if self.related is not None:
            place = lines.position(self.related)
            message = f"{message} {place.line}:{place.column}"
        way = json_path(path if self.step is None else (*path, self.step))
        return Fault(
            code=self.code, message=message, position=lines.position(self.offset), hint=self.hint, json_path=way
        )


class Refused(Exception):  # noqa: N818 - it carries a finding to the edge of a reader and never leaves it
    """Ends a reading."""

    def __init__(self, finding: Finding) -> None:
        """Carries this finding."""
        super().__init__(finding.message)
        self.finding = finding
