"""Checks a comment's body: reports everything wrong at once, and the comment with the unambiguous fixes."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from phasegate.catalogue import problem
from phasegate.cli.terminal import in_order
from phasegate.dialects.commands import read_commands
from phasegate.dialects.dialect import Added, Dialect, Text
from phasegate.dialects.registry import every_dialect
from phasegate.model.frozen import dataclass, late, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.signal import Kind, Medium, Outcome, Place, Signal, Source, role_title
from phasegate.policy.model import Policy
from phasegate.reading.markdown.carriers import Straight, straightened
from phasegate.reading.schema.registry import schema_text
from phasegate.rules.binding import adjusted, consistent, spoken_roles

MOST_PASSES = 20  # a text may have many faults that hide each other
LONGEST_COMMENT = 65_536  # GitHub refuses longer ones
UNKNOWN_KEY = "PG023"
MISPLACED = ("PG031", "PG601")  # a block in a place where it does not count, or no block
FENCED = late(r"\s*(`{3,}|~{3,})[^\n`]*\n(?s:(?P<inside>.*))\n\1\s*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Linted:
    """The result for one text."""

    path: str
    problems: tuple[Problem, ...] = ()
    signals: tuple[Signal, ...] = ()
    outcome: Outcome | None = None
    empty: bool = False
    meant: tuple[Signal, ...] = ()  # the first signal once the rest is corrected
    cured: int = 0  # how many of the problems are gone once the block stands where it should


def corrected(text: str, problems: Iterable[Problem]) -> tuple[str, int]:
    """A text with the fixes of its problems, and their number. It works from the end, so that places stay right."""
    lines, count, last = text.split("\n"), 0, (len(text) + 1, 0)
    for item in reversed(in_order(problems)):
        line, column, fix = item.where.line or 0, item.where.column or 0, item.fix
        if fix is None or not 0 < line <= len(lines) or (line, column) == last:
            continue
        whole = lines[line - 1]
        begin = column - 1 + whole[column - 1 :].startswith(('"', "'")) * (not whole.startswith(fix.old, column - 1))
        if whole.startswith(fix.old, begin):
            lines[line - 1] = whole[:begin] + fix.new + whole[begin + len(fix.old) :]
            count, last = count + 1, (line, column)
    return "\n".join(lines), count


def known_dialects(policy: Policy) -> tuple[Dialect, ...]:
    """The dialects to try: the policy's own as configured, then all other built-in ones."""
    known = every_dialect()
    own = tuple(dialect for dialect in policy.dialects if dialect not in known)
    return (*own, *(dialect for dialect in known if dialect.name not in {each.name for each in own}))


def lint_comment(text: str, path: str, policy: Policy) -> Linted:
    """Everything wrong in a comment. Faults that hide others are first corrected on a copy."""
    if len(text) > LONGEST_COMMENT:
        message = f"the comment has {len(text):,} characters; GitHub takes {LONGEST_COMMENT:,}"
        return Linted(path=path, problems=(problem("PG601", message, Where(path=path), hint="Shorten it."),))
    wrapped = unwrapped_copy(text, path, policy)
    if wrapped is not None:
        better, cause, before = wrapped
        inside = lint_comment(better, path, policy)
        rest = tuple(replace(item, where=before(item.where), fix=None) for item in inside.problems)
        return replace(inside, problems=(cause, *rest), meant=inside.meant or inside.signals[:1], cured=1)
    first = linted = _lint_once(text, path, policy)
    told: list[Problem] = []
    back: list[Back] = []
    cured = 0
    for _ in range(MOST_PASSES):
        wrong = [item for item in linted.problems if item.severity is Severity.ERROR]
        copy = _corrected_copy(text, linted.problems) or straightened_copy(text, wrong, path, policy)
        if copy is None:
            break
        text, gone, undo = copy
        told += [_moved_back(item, back) for item in gone]
        cured += sum(item.fix is None for item in gone)
        back.append(undo)
        linted = _lint_once(text, path, policy)
    remaining = (_moved_back(item, back) for item in linted.problems)
    problems = tuple(dict.fromkeys((*told, *remaining))) if back else first.problems
    return replace(first, problems=problems, meant=linted.signals[:1], cured=cured)


Back = Callable[[Where], Where]  # a place in a copy, as a place in the text
Copy = tuple[str, list[Problem], Back]


class Wrapping(NamedTuple):
    """A change of a whole comment on its way, and how to undo it."""

    sign: str
    message: str
    hint: str
    undo: Callable[[str], str]
    before: Back


def _unescaped(text: str) -> str:
    import html  # noqa: PLC0415  (its table of names is much to load, and hardly any comment needs it)

    return html.unescape(text) if "&" in text else text


WRAPPINGS = (
    Wrapping(
        "\\n",
        r"it holds \n where lines should end: it was escaped before it was posted",
        "Post it with real line breaks.",
        lambda text: text.replace("\\n", "\n"),
        lambda where: replace(where, line=1, column=None),
    ),
    Wrapping(
        "&",
        "it holds &lt; and the like where < should stand: it was escaped before it was posted",
        "Post it without HTML escapes.",
        _unescaped,
        lambda where: where,
    ),
    Wrapping(
        "",
        "your comment is inside a code fence",
        "Post it without the fence around it.",
        lambda text: FENCED.sub(r"\g<inside>", text) if FENCED.fullmatch(text) else text,
        lambda where: replace(where, line=None if where.line is None else where.line + 1),
    ),
)


def unwrapped_copy(text: str, path: str, policy: Policy) -> tuple[str, Problem, Back] | None:
    """The comment with such a change undone, and the cause, if its block then counts."""
    before = {item.code for item in _lint_once(text, path, policy).problems}
    for wrapping in WRAPPINGS if before.intersection(MISPLACED) else ():
        better = wrapping.undo(text)
        after = _lint_once(better, path, policy) if better != text else Linted(path=path, empty=True)
        if not after.empty and not any(item.code in MISPLACED for item in after.problems):
            at = text.index(wrapping.sign)
            line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
            cause = problem("PG031", wrapping.message, Where(path=path, line=line, column=column), hint=wrapping.hint)
            return better, cause, wrapping.before
    return None


def _corrected_copy(text: str, problems: Sequence[Problem]) -> Copy | None:
    """The text with fixes, the fixed problems, and a map of places back to the text."""
    found = in_order(item for item in problems if item.fix)
    better, count = corrected(text, found)

    def before(where: Where) -> Where:
        column, shift = where.column or 0, 0
        for each in found:
            if each.fix and each.where.line == where.line and column > (each.where.column or 0) + shift:
                shift += len(each.fix.new) - len(each.fix.old)
        return replace(where, column=max(1, column - shift)) if shift else where

    return (better, found, before) if count else None


def straightened_copy(text: str, problems: Sequence[Problem], path: str, policy: Policy) -> Copy | None:
    """The text with its block moved where it counts, and the problems that this cures."""
    for better in _straight(text, path, policy):
        after = _lint_once(better.text, path, policy)
        left = {item.code for item in after.problems}
        gone = [item for item in problems if item.code not in left]
        lines = better.lines

        def before(where: Where, lines: tuple[int, ...] = lines) -> Where:
            known = [number for number in lines[: where.line or 0] if number]
            return replace(where, line=known[-1]) if known and (where.line or 0) <= len(lines) else where

        if gone and not after.empty:
            return better.text, gone, before
    return None


def _straight(text: str, path: str, policy: Policy) -> Iterator[Straight]:
    """The text with each block corrected that it may be meant to hold.

    If nothing in the text names a dialect, a block with keys unknown to the marker is another's.
    """
    own = _spoken_dialects(text, path, policy)
    for marker, key in _blocks(policy, own):
        better = straightened(text, marker, key)
        if better is not None:
            problems = () if own else _lint_once(better.text, path, policy).problems
            if not any(item.code == UNKNOWN_KEY for item in problems):
                yield better


def _spoken_dialects(text: str, path: str, policy: Policy) -> set[str]:
    """The dialects of a text as it stands; if none reads it, those whose words occur in it."""
    spoken = {signal.dialect for signal in _read(text, path, policy)[1]}
    low = text.lower()
    return spoken or {
        each.name for each in known_dialects(policy) if any(word.lower() in low for word in each.footprint.triggers)
    }


def _blocks(policy: Policy, own: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The markers of these dialects' blocks, or of all if there are none, each with its first required key."""
    told: dict[tuple[str, str], None] = {}
    for dialect in known_dialects(policy):
        for how in map(dialect.how_to, dialect.roles if not own or dialect.name in own else ()):
            if how.marker and how.schema:
                told.update(((how.marker, key), None) for key in json.loads(schema_text(how.schema))["required"][:1])
    return tuple(told)


def _moved_back(item: Problem, back: Sequence[Back]) -> Problem:
    """A problem of a corrected copy, at its place in the original."""
    where = item.where
    for undo in reversed(back):
        where = undo(where)
    return replace(item, where=where)


def _read(text: str, path: str, policy: Policy) -> tuple[Text, tuple[Signal, ...]]:
    """A text as a comment, and its signals in any dialect."""
    readers = [each for each in known_dialects(policy) if each.media & {Medium.COMMENT, Medium.REVIEW}]
    source = Source(id="lint", number=0, url=path, place=Place.PULL_REQUEST, at="")
    markers = tuple(trigger for dialect in readers for trigger in dialect.footprint.triggers)
    added = Added(footers=policy.verdicts.footers, markers=markers)
    body, roles = Text(source=source, where=Where(path=path), body=text, added=added), tuple(policy.roles.values())
    return body, tuple(signal for dialect in readers for signal in dialect.read(body, roles).signals)


def _lint_once(text: str, path: str, policy: Policy) -> Linted:
    """What is wrong in a comment, in any dialect."""
    body, signals = _read(text, path, policy)
    given = tuple(read_commands(body, tuple(phase.name for phase in policy.phases)))
    if not signals and not given:
        blocks = _blocks(policy, _spoken_dialects(text, path, policy))
        marker = next((name for name, key in blocks if straightened(text, name, key)), None)
        wrong = problem("PG601", "no signal to check was found", Where(path=path))
        wrong = replace(wrong, hint=f"{wrong.hint}{_smallest(policy)}")
        if marker is not None:
            message = f"this looks like what a block {marker} holds, but there is no such block"
            wrong = replace(wrong, message=message, hint=f"Write ```{marker} before it and ``` after it.")
        return Linted(path=path, problems=(wrong,), empty=True)
    problems = (
        *(item for signal in signals for item in signal_problems(policy, signal)),
        *(replace(item, severity=Severity.ERROR) for command in given for item in command.problems),
    )
    return Linted(path=path, problems=problems, signals=signals)


def _smallest(policy: Policy) -> str:
    """The smallest word of the first role that judges in comments, or ""."""
    dialects = {dialect.name: dialect for dialect in policy.dialects}
    roles = [policy.role(name) for phase in policy.phases if phase.enabled for name in phase.seats]
    for role in roles:
        how = dialects[role.dialect].how_to(role)
        if role.judges and how.example and how.medium in (Medium.COMMENT, Medium.REVIEW):
            return f"\nThe form of {role_title(role.name)}'s {role.noun}:\n{how.example}"
    return ""


def holds_block(text: str, path: str, policy: Policy) -> bool:
    """True if a text looks like the content of a comment's block."""
    return any(True for _ in _straight(text, path, policy))


def signal_problems(policy: Policy, signal: Signal) -> tuple[Problem, ...]:
    """The problems of a signal, as a pull request would report them."""
    told = spoken_roles(policy, signal, ())
    contradictions = (item for role in told.roles[:1] for item in consistent(policy, signal, role)[1])
    known = told.problems if signal.kind is Kind.VERDICT else ()
    bare = [each.id for each in signal.refutations if not each.output and not each.lines]
    refuting = [problem("PG226", f"{', '.join(bare)} called noise without evidence", signal.where)] if bare else ()
    mapped = any(account.roles for account in policy.agents.accounts)
    found = adjusted(policy, (*signal.problems, *known, *contradictions, *refuting))
    if told.roles or mapped:
        return found
    # the gate only notes and skips it, but the author thinks that it counts
    return tuple(replace(item, severity=Severity.ERROR) if item in known else item for item in found)
