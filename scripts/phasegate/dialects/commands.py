"""Commands: what humans write to the gate, each on its own line.

In: a text and the names of the phases. Out: commands; an attempt at one carries a problem with the exact line to
write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Text
from phasegate.dialects.raw import plain
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.ledger import VERBS
from phasegate.model.plan import Tries, holds_try
from phasegate.model.problem import Position, Problem, near
from phasegate.model.signal import APPROVE, DISMISS, OVERRIDE, RESUME, WITHDRAW, Command
from phasegate.reading.document import excerpt

COMMANDS = "/gate"
OTHER_WORDS = {  # what people write instead of our verbs
    **dict.fromkeys(("accept", "lgtm", "ok", "pass"), APPROVE),
    **dict.fromkeys(("cancel", "disapprove", "reject", "rescind", "retract", "revoke", "unapprove", "undo"), WITHDRAW),
    **dict.fromkeys(("block", "decline", "deny", "dont", "fail", "hold", "no", "not", "refuse", "stop"), WITHDRAW),
    **dict.fromkeys(("remove", "take", "veto"), WITHDRAW),
    **dict.fromkeys(("continue", "restart", "retry", "unblock"), RESUME),
    **dict.fromkeys(("bypass", "force", "skip", "waive"), OVERRIDE),
    **dict.fromkeys(("settle", "wontfix"), DISMISS),
}
ALONE = (APPROVE, "lgtm")  # written with a slash and no phase, as for other bots
WORD = r"[a-z][a-z0-9-]*"
COMMAND = late(
    rf"{COMMANDS}[ \t]+(?P<verb>[a-z]+)[ \t]+(?P<phase>{WORD})(?:[ \t]+(?P<commit>[0-9a-f]{{7,40}}))?"
    r"(?:[ \t]*:[ \t]*(?P<reason>\S.*)|(?:[ \t]*[.,;:!]+)?(?:[ \t]+thanks[ \t.!]*|[ \t]*))",
    re.ASCII | re.IGNORECASE,
)
TRY = late(
    r"(?:@[a-z0-9-]+(?:\[bot\])?[ \t,:]+)?(?:please[ \t,:]+)?"
    r"(?:[/\\!]+ ?|@?(?:phase[-_ ]?)?(?=gate))(?:(?:phase[-_ ]?)?gate[ \t:/_-]*)?"
    rf"(?P<verb>[a-z]+)(?:[ \t:_-]+(?P<phase>{WORD}))?(?P<rest>.*)",
    re.ASCII | re.IGNORECASE,
)
NUMBERED = late(r"[0-9]{1,3}[.)][ \t]+")
TAG = late(r"</?[a-z]{1,10} ?/?>", re.ASCII | re.IGNORECASE)
HEX = late(r"[0-9a-f]{4,40}", re.IGNORECASE)
NO_WORD, ANY_TAG = late(r"[^a-z0-9-]+"), late(r"<[^<>]{0,400}>")
BEFORE_COMMIT = ("for", "at", "on", "of", "commit", "sha", "head")
SHORTEST_COMMIT = 7
DRESS = ' \t*-+`~_"#'  # marks around a line; ">" is missing, because a quote is somebody else's
QUOTES = "`\"'<>*\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"  # what words are set off with in it
LONGEST_REST = 4  # words allowed around an attempt; more make it a sentence about a command
LONGEST_LINE = 200
NOT_INLINE = "Write it in a comment outside of inline threads, in which commands do not count."


@cache
def tries(phases: tuple[str, ...]) -> Tries:
    """Lower-case strings by which a text may hold an attempt at a command."""
    marks = ("/", "gate ")
    whole = tuple((verb, tuple(f"{mark}{verb} {phase}" for mark in marks for phase in phases)) for verb in VERBS)
    return (*whole, *((word, (f"/{word}",)) for word in ALONE if phases))


def read_commands(text: Text, phases: Sequence[str] = ()) -> Iterator[Command]:
    """The commands in a text; a line that only looks like one carries a problem."""
    body = text.body or ""
    if COMMANDS not in body.lower() and not holds_try(body.lower(), tries(tuple(phases))):
        return
    found = False
    for line in text.page.lines:
        blank = _blank(text, line.line)
        begun = line.text.lower().split(maxsplit=1)[:1] == [COMMANDS]
        read = _command(line.text.strip(), blank, phases) if begun else _tried(line.text.strip(), blank, phases)
        if read is not None:
            found = True
            yield read
    words = _undressed(next((line for line in body.splitlines() if line.strip(" \t`~")), ""))
    match = COMMAND.fullmatch(words)
    if not found and match is not None and match["verb"].lower() in VERBS:  # in a list, in code, in bold, as a heading
        yield _set_off(words, replace(_blank(text, 1), where=text.where), phases)


def inline_commands(text: Text, phases: Sequence[str]) -> Iterator[Command]:
    """Commands in a review thread. They never count, but are answered if their author may act."""
    for command in read_commands(text, phases):
        told = (replace(each, hint=f"{each.hint} {NOT_INLINE}") for each in command.problems)
        yield replace(command, inline=True, loose=True, problems=tuple(told))


def _blank(text: Text, line: int) -> Command:
    return Command(verb="", phase="", source=text.source, where=text.where.at(Position(line=line, column=1)))


def shows_command(raw: str) -> bool:
    """True if a reader may see a command in a text, even behind entities and invisible characters."""
    return COMMANDS in plain(raw).lower()


def doubts(text: Text, phases: Sequence[str]) -> Iterator[Command]:
    """Visible lines that begin like a command and name a phase, but are not commands. No words are guessed.

    A withdrawal in the wrong place takes something back; any other misplaced command does not.
    """
    if not shows_command(text.body or ""):
        return
    lines = {line.line: line.text for line in text.page.lines}
    for line in (replace(each, text=plain(each.text)) for each in text.page.own_lines):
        before, _, rest = line.text.lower().partition(COMMANDS)
        named = tuple(phase for phase in phases if phase in NO_WORD.split(rest))
        if not named or rest[:1].isalnum() or any(map(str.isalnum, ANY_TAG.sub("", before))):
            continue
        words = _undressed(line.text.strip("|> \t"))
        match = COMMAND.fullmatch(words) if _is_command(words, phases) else None
        if match is None or (match["verb"].lower() == WITHDRAW and lines.get(line.line, "").strip() != words):
            yield replace(_blank(text, line.line), written=excerpt(words), loose=True, doubts=named)


def overwritten_withdrawals(versions: Sequence[Text], phases: Sequence[str] = ()) -> Iterator[Command]:
    """Withdrawals that somebody else overwrote in the author's text: overwriting restores nothing."""
    if not versions[-1].source.by_author:
        own = next(version for version in reversed(versions) if version.source.by_author)
        yield from (command for command in read_commands(own, phases) if command.verb == WITHDRAW)
        yield from doubts(own, phases)


def _command(words: str, blank: Command, phases: Sequence[str]) -> Command:
    match = COMMAND.fullmatch(words)
    verb = "" if match is None else match["verb"].lower()
    if match is None or verb not in VERBS:
        return _misspelt(words, blank, phases)
    phase, reason = match["phase"].lower(), (match["reason"] or "").strip()
    command = replace(blank, verb=verb, phase=phase, reason=reason, commit=match["commit"])
    if VERBS[verb].reasoned and not reason:
        wrong = problem("PG215", f"/gate {verb} needs a reason", blank.where)
        return replace(command, problems=(_answered(wrong, _line(verb, phase)),))
    return command


@dataclass(frozen=True, kw_only=True, slots=True)
class Meant:
    """The command that a line was probably meant to be. An empty field is unknown."""

    verb: str = ""
    phase: str = ""
    told: str = ""
    rest: str = ""


def _meant(words: str, phases: Sequence[str]) -> Meant | None:
    """What a line was probably meant to be, without invisible characters and emphasis marks."""
    line = " ".join(TAG.sub("", words[:LONGEST_LINE])[:LONGEST_LINE].split())
    match = TRY.fullmatch("".join(letter for letter in line if letter.isprintable() and letter not in QUOTES))
    if match is None:
        return None
    told, phase = match["verb"].lower(), (match["phase"] or "").lower()
    verb = _like(told)
    if not verb and told in phases:
        verb, phase = _like(phase), told
    return Meant(verb=verb, phase=phase if verb else "", told=told, rest=match["rest"].strip())


def _like(word: str) -> str:
    return OTHER_WORDS.get(word) or next(iter(near(word, VERBS)), "")


def _line(verb: str, phase: str) -> str:
    return f"/gate {verb} {phase}{': <reason>' if VERBS[verb].reasoned else ''}"


def _misspelt(words: str, blank: Command, phases: Sequence[str]) -> Command:
    """A line that begins like a command but is none, with the probable command."""
    meant = _meant(words, phases) or Meant()
    wrong = problem("PG214", "it is not a command", blank.where)
    named = {meant.phase, *(word.strip(",.;/") for word in meant.rest.lower().split())}.intersection(phases)
    if meant.phase not in phases and len(named) == 1:
        meant = replace(meant, phase=next(iter(named)), rest="")
    if meant.verb and len(named) != 1:
        lines = " or ".join(_line(meant.verb, phase) for phase in phases or ("<phase>",))
        why = "each phase needs a line of its own" if named else "it names no phase"
        wrong, meant = replace(_answered(wrong, lines), message=why), replace(meant, phase="")
    elif meant.verb and (commit := _commit_in(meant.rest)):
        if len(commit) < SHORTEST_COMMIT:
            least = f"at least {SHORTEST_COMMIT} digits"
            told = f"{commit} is too short for a commit ({least})"
            wrong = replace(wrong, message=told, hint=f"Write {least} of the commit, or none.")
        else:
            wrong = replace(wrong, message="nothing but a commit may stand there")
            wrong = _asked(wrong, meant.verb, f"{meant.phase} {commit}")
    elif meant.verb and meant.told == meant.verb and meant.rest:
        alone = "" if VERBS[meant.verb].reasoned else f"/gate {meant.verb} {meant.phase}, alone on its line, or "
        hint = f"Write {alone}/gate {meant.verb} {meant.phase}: <reason>."
        wrong = replace(wrong, message=f"{excerpt(meant.rest)} follows the phase without a colon", hint=hint)
    elif meant.verb:
        wrong = _asked(wrong, meant.verb, meant.phase)
    return _try(meant, words, blank, wrong)


def _commit_in(rest: str) -> str:
    """The commit that somebody meant to name after a phase, or ""."""
    *words, last = rest.split() or [""]
    commit = last.rpartition("/")[2].strip("@#:.,()")
    named = HEX.fullmatch(commit) is not None and all(word.lower().strip(":(") in BEFORE_COMMIT for word in words)
    return commit if named else ""


def _tried(line: str, blank: Command, phases: Sequence[str]) -> Command | None:
    """A line probably meant as a command: quoted in marks, after other words, or with another prefix."""
    blank, meant = replace(blank, loose=True), _meant(line, phases)
    if _is_command(words := _undressed(line), phases):
        return _set_off(words, blank, phases)
    if phases and line.lower() in [f"/{word}" for word in ALONE]:
        return _misspelt(line, blank, phases)
    if meant is not None and meant.phase in phases:
        if not meant.rest.startswith(":") and len(meant.rest.split()) > LONGEST_REST:
            return None
        wrong = problem("PG214", "it is not a command", blank.where)
        return _try(meant, line, blank, _asked(wrong, meant.verb, meant.phase))
    before, _, after = line.lower().partition(f" {COMMANDS} ")
    words = f"{COMMANDS} {after.strip()}"
    behind = len(before.split()) <= LONGEST_REST and _is_command(words, phases)
    return _set_off(words, blank, phases, "other words stand before it on its line") if behind else None


def _undressed(line: str) -> str:
    """The line without marks that set it off."""
    return NUMBERED.sub("", TAG.sub("", line).strip(DRESS), count=1)


def _is_command(words: str, phases: Sequence[str]) -> bool:
    match = COMMAND.fullmatch(words)
    return match is not None and match["verb"].lower() in VERBS and match["phase"].lower() in phases


SET_OFF = "it is set off as a heading, list, code or bold; only the plain line counts"


def _set_off(words: str, blank: Command, phases: Sequence[str], how: str = SET_OFF) -> Command:
    command = _command(words, blank, phases)
    return replace(command, problems=(_answered(problem("PG214", how, blank.where), words), *command.problems))


def _try(meant: Meant, words: str, blank: Command, wrong: Problem) -> Command:
    told = replace(blank, verb=meant.verb, phase=meant.phase, guessed=meant.told in OTHER_WORDS)
    return replace(told, problems=(wrong,), written=excerpt(words))


def _asked(wrong: Problem, verb: str, phase: str) -> Problem:
    line = _line(verb, phase)
    return _answered(replace(wrong, message=f'{wrong.message}; did you mean "{line}"?'), line)


def _answered(wrong: Problem, line: str) -> Problem:
    return replace(wrong, hint=f"Write {line}, alone on its line.")
