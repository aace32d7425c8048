"""The dialects that are built in: the only place that lists them; and what is worth fetching for some of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import cast

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Dialect, Text
from phasegate.model.frozen import late, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.problem import Position, Problem, Where
from phasegate.model.signal import WITHDRAW, Command, Does, Source, Subject
from phasegate.reading.document import excerpt

BUILT_IN = ("jkz", "pipeline", "envelope", "thehood")
DEFAULT_DIALECT = BUILT_IN[0]
RESERVED = BUILT_IN  # no format of a policy may be called so
COMMANDS = "/gate"


@cache
def built_in(name: str) -> Dialect:
    """A built-in dialect as it declares itself."""
    return cast("Dialect", import_module(f"phasegate.dialects.{name}.declaration").DIALECT)


def names() -> tuple[str, ...]:
    """What the built-in dialects are called."""
    return BUILT_IN


@cache
def every_dialect() -> tuple[Dialect, ...]:
    """All built-in dialects."""
    return tuple(built_in(name) for name in names())


def example() -> dict[str, str]:
    """The words that examples in the catalogue are written with: those of the default dialect's first judge."""
    dialect = built_in(DEFAULT_DIALECT)
    role = next(role for role in dialect.roles if role.does is Does.CHALLENGES and role.about is Subject.PRODUCT)
    how = dialect.how_to(role)
    return {"@MARKER@": how.marker, "@HEADING@": how.heading, "@ROLE@": role.name, "@PROFILE@": dialect.name}


def plan_of(dialects: Sequence[Dialect], folder: str | None = None) -> ReadingPlan:
    """What the words of these dialects, and human commands, look like from afar."""
    footprints = [dialect.footprint for dialect in dialects]
    return ReadingPlan(
        triggers=(COMMANDS, *(trigger for each in footprints for trigger in each.triggers)),
        cites=lambda text: [path for each in footprints for path in each.cites(text)],
        evidence=tuple(dict.fromkeys(item for each in footprints for item in each.evidence(folder))),
        check_apps=tuple(dict.fromkeys(app for each in footprints for app in each.check_apps)),
    )


WORD = r"[a-z][a-z0-9-]*"
COMMAND = late(
    rf"{COMMANDS}[ \t]+(?P<verb>[a-z]+)[ \t]+(?P<phase>{WORD})(?:[ \t]+(?P<commit>[0-9a-f]{{7,40}}))?"
    r"(?:[ \t]*:[ \t]*(?P<reason>\S.*)|[ \t]*[.,;:!]*(?:[ \t]+thanks[ \t.!]*|[ \t]*))",
    re.ASCII | re.IGNORECASE,
)
BEGUN = late(
    rf"{COMMANDS}(?:[ \t]+(?P<verb>[a-z-]+))?(?:[ \t]+(?P<phase>{WORD}))?(?P<rest>.*)", re.ASCII | re.IGNORECASE
)
DRESS = ' \t*-+`~_"'  # what a line may be set off with; a quoted one is somebody else's
REASONED = ("resume", "override")
VERBS = ("approve", *REASONED, WITHDRAW)


def read_commands(text: Text) -> Iterator[Command]:
    """The commands in a text; a line that only looks like one carries a problem."""
    body = text.body or ""
    if COMMANDS not in body.lower():
        return
    found = [line for line in text.page.lines if line.text.lower().split(maxsplit=1)[:1] == [COMMANDS]]
    for line in found:
        yield _command(line.text.strip(), text.source, text.where.at(Position(line=line.line, column=1)))
    if not found:
        yield from _dressed(body, text.source, text.where)


def _dressed(body: str, source: Source, where: Where) -> Iterator[Command]:
    """A command that a text begins with, in a list, in code or bold: it was meant, and it is none."""
    first = next((line for line in body.splitlines() if line.strip(" \t`~")), "")
    words = first.strip(DRESS)
    match = COMMAND.fullmatch(words)
    if match is None or match["verb"].lower() not in VERBS or words == first.strip():
        return
    command = _command(words, source, where)
    wrong = problem("PG214", "it is set off as a list, code or bold; only the plain line counts", where)
    yield replace(command, problems=(_answered(wrong, words), *command.problems))


def overwritten_withdrawals(versions: Sequence[Text]) -> Iterator[Command]:
    """What its author took back in a text that somebody else wrote over: that gives nothing again."""
    if not versions[-1].source.by_author:
        own = next(version for version in reversed(versions) if version.source.by_author)
        yield from (command for command in read_commands(own) if command.verb == WITHDRAW)


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
    rest = "" if begun is None else begun["rest"].strip()
    if verb and phase and told == verb and rest:
        alone = "" if verb in REASONED else f"/gate {verb} {phase}, alone on its line, or "
        hint = f"Write {alone}/gate {verb} {phase}: <reason>."
        wrong = replace(wrong, message=f"{excerpt(rest)} follows the phase without a colon", hint=hint)
    elif verb and phase:
        ending = ": <reason>" if verb in REASONED else ""
        meant = f"/gate {verb} {phase}{ending}"
        wrong = _answered(replace(wrong, message=f'{wrong.message}; did you mean "{meant}"?'), meant)
    return Command(verb=verb, phase=phase if verb else "", source=source, where=where, problems=(wrong,))


def _answered(wrong: Problem, line: str) -> Problem:
    return replace(wrong, hint=f"Write {line}, alone on its line.")
