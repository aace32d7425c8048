"""Human commands: one version of a text goes in, the commands on its lines come out.

Each stands on a line of its own. What begins like one and is none carries a problem with the exact line to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Text
from phasegate.dialects.registry import COMMANDS
from phasegate.model.frozen import replace
from phasegate.model.late import late
from phasegate.model.problem import Position, Problem, Where
from phasegate.model.signal import Command, Source

WORD = r"[a-z][a-z0-9-]*"
COMMAND = late(
    rf"{COMMANDS}[ \t]+(?P<verb>[a-z]+)[ \t]+(?P<phase>{WORD})(?:[ \t]+(?P<commit>[0-9a-f]{{7,40}}))?"
    r"(?:[ \t]*:[ \t]*(?P<reason>\S.*)|[ \t]*[.,;:!]*(?:[ \t]+thanks[ \t.!]*|[ \t]*))",
    re.ASCII | re.IGNORECASE,
)
BEGUN = late(rf"{COMMANDS}(?:[ \t]+(?P<verb>[a-z-]+))?(?:[ \t]+(?P<phase>{WORD}))?.*", re.ASCII | re.IGNORECASE)
REASONED = ("resume", "override")
VERBS = ("approve", *REASONED, "withdraw")


def read_commands(text: Text) -> Iterator[Command]:
    """The commands in a text; a line that only looks like one carries a problem."""
    if COMMANDS not in (text.body or "").lower():
        return
    for line in text.page.lines:
        words = line.text.strip()
        if words.lower().split(maxsplit=1)[:1] == [COMMANDS]:
            yield _command(words, text.source, text.where.at(Position(line=line.line, column=1)))


def _command(words: str, source: Source, where: Where) -> Command:
    match = COMMAND.fullmatch(words)
    verb = "" if match is None else match["verb"].lower()
    if match is None or verb not in VERBS:
        return _misspelt(words, source, where)
    phase, reason = match["phase"].lower(), (match["reason"] or "").strip()
    command = Command(verb=verb, phase=phase, reason=reason, source=source, where=where, commit=match["commit"])
    if verb in REASONED and not reason:
        wrong = problem("PG215", f"/gate {verb} needs a reason", where)
        return replace(command, problems=(_answered(wrong, f"/gate {verb} {phase}: <reason>"),))
    return command


def _misspelt(words: str, source: Source, where: Where) -> Command:
    """A line that is none, with the command that was probably meant."""
    begun = BEGUN.fullmatch(words)
    told = "" if begun is None else (begun["verb"] or "").lower()
    phase = "" if begun is None else (begun["phase"] or "").lower()
    verb = next(iter(get_close_matches(told, VERBS, n=1)), "")
    wrong = problem("PG214", "this line begins like a command but is none", where)
    if verb and phase:
        ending = ": <reason>" if verb in REASONED else ""
        meant = f"/gate {verb} {phase}{ending}"
        wrong = _answered(replace(wrong, message=f'{wrong.message}; did you mean "{meant}"?'), meant)
    return Command(verb=verb, phase=phase if verb else "", source=source, where=where, problems=(wrong,))


def _answered(wrong: Problem, line: str) -> Problem:
    return replace(wrong, hint=f"Write {line}, alone on its line.")
