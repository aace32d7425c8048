"""What the toy dialect declares: a reviewer who speaks in comments, and a report in a file of the branch."""

from __future__ import annotations

from collections.abc import Sequence

from phasegate.dialects.dialect import Dialect, Footprint, Gathered, Reading, Surroundings, Text
from phasegate.model.plan import Evidence
from phasegate.model.signal import Does, HowTo, Medium, Role

NAME = "toy"
FOLDER = ".toy"
REPORT = "report.txt"
WORD = "TOY"
MEDIA = frozenset({Medium.COMMENT, Medium.REVIEW})
ROLES = (
    Role(name="reviewer", does=Does.CHALLENGES, dialect=NAME, media=MEDIA),
    Role(name=REPORT, does=Does.CHALLENGES, dialect=NAME, media=frozenset({Medium.FILE}), per_issue=True),
)


def _evidence(template: str | None) -> tuple[Evidence, ...]:
    del template
    return (Evidence(root=FOLDER, folders=True, names=(REPORT,), remembered=(REPORT,), choose=_choose),)


def _choose(names: tuple[str, ...], issues: tuple[int, ...], changed: tuple[str, ...]) -> tuple[str, ...]:
    del names, changed
    return tuple(map(str, issues))


class Toy(Dialect):
    """The dialect: ``TOY reviewer: PASS`` as the first line of a comment, PASS or FAIL as that of a report."""

    name = NAME
    roles = ROLES
    media = MEDIA
    footprint = Footprint(triggers=(WORD.lower(),), evidence=_evidence)

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The word of one text."""
        del roles
        from tests.toy.reader import read_text  # noqa: PLC0415  (loaded when it is asked for)

        return Reading(text=text, signals=read_text(text))

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """Every word, the reports each in the folder of its issue."""
        from tests.toy.reader import gather  # noqa: PLC0415  (loaded when it is asked for)

        return gather(readings, around)

    def owns(self, path: str) -> bool:
        """Whether a local file is a report."""
        return path == REPORT

    def get_ready(self) -> None:
        """There is nothing to load."""

    def how_to(self, role: Role) -> HowTo:
        """A line, or a file."""
        if Medium.FILE in role.media:
            return HowTo(medium=Medium.FILE, path=f"{FOLDER}/{{number}}/{REPORT}")
        return HowTo(medium=Medium.COMMENT, heading=f"{WORD} {role.name}: PASS")


DIALECT: Dialect = Toy()
