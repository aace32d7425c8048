"""Patterns of a policy: a small part of regular expressions that cannot explode, checked before it is ever compiled.

A pattern's text comes in, a ``Pattern`` or a ``Refusal`` with the offset and the reason goes out. Everything that
repeats has an upper bound, and only single characters repeat; what a match can cost at most is computed from the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from phasegate.model.frozen import dataclass, replace

LONGEST_PATTERN = 600
LONGEST_SUBJECT = 4_000
MOST_GROUPS = 20
MOST_NESTED = 6
MOST_REPEATED = 1_000
MOST_STEPS = 10_000
MOST_BEGINNINGS = 32

_GROUP = re.compile(r"\(\?(?::|P<(?P<name>[a-z][a-z0-9_]{0,31})>)", re.ASCII)
_BOUNDS = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\}", re.ASCII)
_ANY = frozenset(chr(code) for code in range(128)) | {""}  # "" stands for every character beyond ASCII
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS = frozenset("0123456789")
_WORD = _LETTERS | _DIGITS | {"_"}
_SPACE = frozenset(" \t\n\r\f\v")
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_CLASSES |= {name.upper(): _ANY - members for name, members in _CLASSES.items()}
_CONTROLS = {"n": "\n", "t": "\t"}
_SPECIAL = frozenset(r"\[]{}()*+?|^$")

Chars: TypeAlias = "frozenset[str]"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why a pattern is refused, and at which offset."""

    reason: str
    offset: int

    def __str__(self) -> str:
        """The refusal as a sentence."""
        return f"the pattern is refused at character {self.offset + 1}: {self.reason}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A safe pattern: its named groups, and every literal text that a match can begin with.

    ``beginnings`` is empty if a match may begin with something that is not literal.
    """

    text: str
    groups: tuple[str, ...]
    beginnings: tuple[str, ...]

    def match(self, subject: str) -> re.Match[str] | None:
        """The match of the whole subject, or None; also None if the subject is too long."""
        if len(subject) > LONGEST_SUBJECT:
            return None
        return re.compile(self.text, re.ASCII).fullmatch(subject)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Node:
    """A piece of a pattern.

    ``first`` are the characters it can begin with; ``empty`` if it may match nothing; ``ways`` how many ways there are
    to match a text with it. ``tail`` are the characters that it may take or leave at its end, in ``tail_ways`` ways.
    ``lead`` are its literal texts, and ``open`` tells that what follows them is not literal.
    """

    first: Chars
    empty: bool = False
    ways: int = 1
    lead: tuple[str, ...] = ("",)
    open: bool = False
    single: bool = False
    tail: Chars = frozenset()
    tail_ways: int = 1


class _RefusedError(Exception):
    """Ends the reading of a pattern."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason=reason, offset=offset)


def read_pattern(text: str) -> Pattern | Refusal:
    """The pattern of a text, or why it is refused."""
    if len(text) > LONGEST_PATTERN:
        return Refusal(reason=f"it has {len(text)} characters; at most {LONGEST_PATTERN} are read", offset=0)
    reader = _Reader(text)
    try:
        node = reader.whole()
    except _RefusedError as refused:
        return refused.refusal
    if node.empty:
        return Refusal(reason="it matches an empty text", offset=0)
    beginnings = tuple(dict.fromkeys(node.lead)) if all(node.lead) else ()
    return Pattern(text=text, groups=tuple(reader.names), beginnings=beginnings)


class _Reader:
    """One pass over a pattern, with a method for each level of its grammar."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.names: list[str] = []

    def whole(self) -> _Node:
        """The whole pattern."""
        node = self._choice()
        if self.at < len(self.text):
            raise _RefusedError("a ) that closes nothing", self.at)
        if node.ways > MOST_STEPS:
            raise _RefusedError(_too_many(node.ways), 0)
        return node

    def _choice(self) -> _Node:
        branches = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else _either(branches)

    def _sequence(self) -> _Node:
        items: list[_Node] = []
        while self._peek() not in ("|", ")", ""):
            items.append(self._item())
        return _in_a_row(items, self.at)

    def _item(self) -> _Node:
        begin, atom = self.at, self._atom()
        sign = self._peek()
        if sign in ("*", "+"):
            least = 0 if sign == "*" else 1
            raise _RefusedError(f"{sign} repeats without an end; write a bound such as {{{least},200}}", self.at)
        if sign not in ("?", "{"):
            return atom
        if sign == "?":
            self.at += 1
            tail, ways = atom.first | atom.tail, atom.tail_ways + 1
            varied = replace(atom, empty=True, lead=("",), open=True, single=False, tail=tail, tail_ways=ways)
        else:
            varied = self._repeated(atom, begin)
        if self._peek() in ("*", "+", "?", "{"):
            raise _RefusedError("a repetition of a repetition", self.at)
        return varied

    def _repeated(self, atom: _Node, begin: int) -> _Node:
        bounds = _BOUNDS.match(self.text, self.at)
        if bounds is None or (bounds[2] and not bounds[3]):
            raise _RefusedError("a { that is no bound such as {7,40}; write \\{ for the sign itself", self.at)
        least, most = int(bounds[1]), int(bounds[3] or bounds[1])
        if not atom.single:
            raise _RefusedError("only a single character or a class may repeat, not a group", begin)
        if most < least or most < 1 or most > MOST_REPEATED:
            raise _RefusedError(f"bounds go up, from 0 or more to at most {MOST_REPEATED}", self.at)
        self.at = bounds.end()
        fixed = least == most and atom.lead[0] and not atom.open
        lead = tuple(text * least for text in atom.lead) if fixed and least <= MOST_BEGINNINGS else ("",)
        varied = replace(atom, empty=least == 0, lead=lead, open=lead == ("",), single=False)
        return varied if least == most else replace(varied, tail=atom.first, tail_ways=most - least + 1)

    def _atom(self) -> _Node:
        sign = self._peek()
        if sign in ("(", "[", "\\"):
            return {"(": self._group, "[": self._class, "\\": self._escape}[sign]()
        if sign in ("^", "$"):
            raise _RefusedError(f"{sign} is not needed: a pattern always matches the whole text", self.at)
        if sign in _SPECIAL:
            raise _RefusedError(f"{sign} stands for nothing here; write \\{sign} for the sign itself", self.at)
        self.at += 1
        return _Node(first=_ANY - {"\n"}, open=True, single=True) if sign == "." else _literal(sign)

    def _escape(self) -> _Node:
        at, letter = self.at, self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if letter in _CLASSES:
            return _Node(first=_CLASSES[letter], open=True, single=True)
        if letter in _CONTROLS:
            return _literal(_CONTROLS[letter])
        if letter.isdigit() or letter in ("g", "k"):
            raise _RefusedError("it refers back to a group", at)
        if not letter or letter.isalnum() or not letter.isascii():
            raise _RefusedError(f"\\{letter} is not read here (only \\d \\w \\s \\n \\t and escaped signs)", at)
        return _literal(letter)

    def _group(self) -> _Node:
        begin, opened = self.at, _GROUP.match(self.text, self.at)
        inside = begin + len("(?P<")
        if opened is None and self.text.startswith("(?P<", begin):
            raise _RefusedError("a group's name is of lower-case letters, digits and _", inside)
        if opened is None:
            raise _RefusedError("a group is named, (?P<name>...), or groups only, (?:...)", begin)
        if opened["name"] in self.names:
            raise _RefusedError(f"two groups have the name {opened['name']}", inside)
        self.names += [opened["name"]] if opened["name"] else []
        self.at, self.depth = opened.end(), self.depth + 1
        if len(self.names) > MOST_GROUPS:
            raise _RefusedError(f"it has more than {MOST_GROUPS} groups", inside)
        if self.depth > MOST_NESTED:
            raise _RefusedError(f"groups nest more than {MOST_NESTED} deep", begin)
        node = self._choice()
        if self._peek() != ")":
            raise _RefusedError("a group that is never closed", begin)
        self.at, self.depth = self.at + 1, self.depth - 1
        return replace(node, single=False)

    def _class(self) -> _Node:
        begin = self.at
        self.at += 1
        negated = self._peek() == "^"
        self.at += negated
        members: Chars = frozenset()
        while self._peek() not in ("]", ""):
            members |= self._member()
        if self._peek() != "]" or not members:
            raise _RefusedError("a class that is empty or never closed", begin)
        self.at += 1
        return _Node(first=_ANY - members if negated else members, open=True, single=True)

    def _member(self) -> Chars:
        at, low = self.at, self._member_sign()
        if len(low) > 1 or self._peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.at += 1
        high = self._member_sign()
        begin, end = "".join(low), "".join(high)
        if len(high) > 1 or not begin or not end or ord(end) < ord(begin):
            raise _RefusedError("a range goes from one ASCII character up to another", at)
        return frozenset(map(chr, range(ord(begin), ord(end) + 1)))

    def _member_sign(self) -> Chars:
        sign = self._peek()
        if sign == "[":
            raise _RefusedError("a [ inside a class; write \\[ for the sign itself", self.at)
        if sign == "\\":
            return self._escape().first
        self.at += 1
        return _literal(sign).first

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]


@lru_cache(maxsize=256)
def _literal(sign: str) -> _Node:
    return _Node(first=frozenset({sign if sign.isascii() else ""}), lead=(sign,), single=True)


def _either(branches: list[_Node]) -> _Node:
    """One of several branches. If they may begin alike, each may be tried."""
    first: Chars = frozenset()
    alike = False
    for branch in branches:
        alike, first = alike or bool(branch.first & first), first | branch.first
    leads = tuple(text for branch in branches for text in branch.lead)
    many, empty = len(leads) > MOST_BEGINNINGS, any(branch.empty for branch in branches)
    tail = frozenset[str]().union(*(branch.tail for branch in branches))
    return _Node(
        first=first,
        empty=empty,
        ways=(sum if alike else max)(branch.ways for branch in branches),
        tail=tail | first if empty else tail,
        tail_ways=sum(branch.tail_ways for branch in branches) if tail or empty else 1,
        lead=("",) if many else leads,
        open=many or any(branch.open for branch in branches),
    )


def _in_a_row(items: list[_Node], at: int) -> _Node:
    """Several pieces in order. A repeat that may take characters of the next piece is tried at each length.

    A piece that may end early has only one length as soon as something follows.
    """
    ways, tail, tail_ways = 1, frozenset[str](), 1
    for index, item in enumerate(items):
        rest = items[index + 1 :]
        ways *= item.ways
        if item.tail & _first_of(rest):
            ways *= item.tail_ways
        elif all(other.empty for other in rest):
            tail, tail_ways = tail | item.tail, tail_ways + item.tail_ways
        if ways > MOST_STEPS:
            raise _RefusedError(_too_many(ways), at)
    lead: tuple[str, ...] = ("",)
    opened = False
    for item in items:
        longer = tuple(begun + text for begun in lead for text in item.lead)
        opened = item.open or len(longer) > MOST_BEGINNINGS
        lead = longer if len(longer) <= MOST_BEGINNINGS else lead
        if opened:
            break
    empty = all(item.empty for item in items)
    return _Node(first=_first_of(items), empty=empty, ways=ways, tail=tail, tail_ways=tail_ways, lead=lead, open=opened)


def _first_of(items: list[_Node]) -> Chars:
    """The characters that may come next; anything may follow the end of a group."""
    first: Chars = frozenset()
    for item in items:
        first |= item.first
        if not item.empty:
            break
    return first


def _too_many(ways: int) -> str:
    told = "more" if ways > 10**9 else str(ways)
    return f"{told} ways to match one text; make neighbours that repeat begin with different signs, or bound them more"
