"""Human commands: ``/gate approve <phase>`` and its kin, each as the only text on a line of a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Text
from phasegate.dialects.registry import COMMANDS as PREFIX
from phasegate.model.late import late
from phasegate.model.problem import Position, Where
from phasegate.model.signal import Command, Source

COMMAND = late(r"/gate[ \t]+(?P<verb>[a-z]+)[ \t]+(?P<phase>[a-z][a-z0-9-]*)(?::[ \t]*(?P<reason>\S.*))?", re.ASCII)
REASONED = ("resume", "override")
VERBS = ("approve", *REASONED)


def read_commands(text: Text) -> Iterator[Command]:
    """The commands in a text; a line that only looks like one carries a problem."""
    if PREFIX not in (text.body or "").lower():
        return
    for line in text.page.lines:
        words = line.text.strip()
        if words.lower().split(maxsplit=1)[:1] == [PREFIX]:
            yield _command(words, text.source, text.where.at(Position(line=line.line, column=1)))


def _command(words: str, source: Source, where: Where) -> Command:
    match = COMMAND.fullmatch(words)
    verb = match["verb"] if match else ""
    superfluous = match is not None and match["reason"] is not None and verb not in REASONED
    if match is None or verb not in VERBS or superfluous:
        wrong = problem("PG214", "this line begins like a command but is none", where)
        return Command(verb=verb, phase=match["phase"] if match else "", source=source, where=where, problems=(wrong,))
    reason = (match["reason"] or "").strip()
    if verb in REASONED and not reason:
        wrong = problem("PG215", f"/gate {verb} needs a reason", where)
        return Command(verb=verb, phase=match["phase"], source=source, where=where, problems=(wrong,))
    return Command(verb=verb, phase=match["phase"], reason=reason, source=source, where=where)
