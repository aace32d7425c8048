"""What counts as visible text, beside GitHub's own engine: links, commands, evidence, carriers, lines of one's own.

A document in, every disagreement out; ``python3 tests explore markdown`` tries very many and tells the slowest.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.pool import Pool
from xml.etree.ElementTree import Element

from phasegate.dialects.commands import doubts, read_commands
from phasegate.dialects.dialect import Text
from phasegate.dialects.jkz.verdict import FOREIGN, named_lines
from phasegate.github.reading.people import closed_issues
from phasegate.model.problem import Where
from phasegate.model.signal import Medium, Place, Source
from phasegate.reading.markdown.page import Carrier, Page
from tests.unit.reading.markdown.rendered import ELEMENTS, marked_blocks, top_level_lines, tree
from tests.unit.reading.markdown.scraps import FOOTNOTES, HIDERS, SIGNS, TAGS

LINK, COMMAND, WITHDRAWAL, EVIDENCE = "Closes #17", "/gate approve build", "/gate hold qa", "J1 src/auth.py:42"
MARKER, PAYLOAD = "jkz:verdict-json", '{"verdict": "FAIL"}'
BLOCKS = (f"<!-- {MARKER}\n{PAYLOAD}\n-->", f"```{MARKER}\n{PAYLOAD}\n```")
GAPS = (
    "\n", "\n\n", " ", "", "\n\n\n", "\n> ", "\n- ", "\n    ", "\n  ", "<br>", "\r\n", "\u2028", "\x0c", "\x85", "_",
    "**",
)  # fmt: skip
SOURCE = Source(
    id="comment-1", number=1, url="", place=Place.PULL_REQUEST, medium=Medium.COMMENT, at="2026-03-02T09:00:00Z"
)
PHASES = ("plan", "build", "qa")
WORD = re.compile(rf"(?<![A-Za-z0-9]){LINK}(?![A-Za-z0-9])")
ODD = re.compile(r"<[!?](?!--)")  # declarations, which nobody writes before words
CODE = frozenset({"pre", "code"})
GONE = frozenset({"del", "s", "strike", "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"})
PROCESSES = 2


def document(chance: random.Random) -> str:
    """A document of scraps with something in it that would count if it were shown."""
    parts: list[str] = []
    wanted = chance.sample([LINK, COMMAND, WITHDRAWAL, EVIDENCE, chance.choice(BLOCKS)], k=chance.choice((1, 1, 2, 3)))
    for each in wanted:
        scraps = chance.choice((SIGNS + TAGS, TAGS, [*SIGNS, *FOOTNOTES], HIDERS))
        parts += chance.choices(scraps, k=chance.choice((0, 1, 2, 4, 8)))
        parts += (chance.choice(GAPS), each, chance.choice(GAPS))
    return "".join((*parts, *chance.choices(SIGNS + TAGS, k=chance.choice((0, 0, 1, 3)))))


def _lost_link(text: str) -> bool:
    odd = "<select" in text  # in which a browser shows no code as such
    return not odd and WORD.search(words(tree(text), CODE)) is not None and not closed_issues(text, "octo/shop")


def _hidden_command(text: str) -> bool:
    good = [each for each in read_commands(_said(text), PHASES) if each.phase == "build" and not each.problems]
    return bool(good) and not any(line.strip().startswith(COMMAND) for line in top_level_lines(text))


def _lost_withdrawal(text: str) -> bool:
    shown = not ODD.search(text) and WITHDRAWAL in top_level_lines(text)
    return shown and not any("qa" in each.doubts for each in doubts(_said(text), PHASES))


def _hidden_evidence(text: str) -> bool:
    own = (part for part in Page.of(text).parts if not (part.kind in FOREIGN or part.within or part.quotes))
    seen = any(place for part in own for place in named_lines(part.seen))
    return seen and "src/auth.py:42" not in words(tree(text), GONE)


def _no_carrier(text: str) -> bool:
    if not isinstance(Page.of(text).locate(MARKER, prefix="jkz:"), Carrier):
        return False
    blocks = marked_blocks(text, MARKER)
    return len(blocks) != 1 or bool(set(blocks[0].around) & ELEMENTS)


# What the reader takes for hidden and GitHub shows, or the other way round where that would pass something.
FAULTS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("a link that is shown is not found", LINK, _lost_link),
    ("a command that is not shown counts", COMMAND, _hidden_command),
    ("a line that is shown takes nothing back", WITHDRAWAL, _lost_withdrawal),
    ("evidence that is not shown counts", EVIDENCE, _hidden_evidence),
    ("a carrier that is none counts", MARKER, _no_carrier),
)


def _said(text: str) -> Text:
    return Text(source=SOURCE, where=Where(), body=text)


def words(page: Element, without: frozenset[str]) -> str:
    """The text that a browser shows, without what stands in some elements."""
    found: list[str] = []
    waiting: list[Element | str] = [page]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            found.append(item)
            continue
        waiting.append(item.tail or "")
        if str(item.tag) not in without and isinstance(item.tag, str):
            waiting += [*reversed(item), item.text or ""]
    return "".join(found)


def searched(job: tuple[int, int]) -> tuple[Counter[str], list[tuple[str, str]], float, str]:
    """The faults in some documents of a seed, and the slowest of them."""
    seed, count = job
    chance, counts, examples = random.Random(seed), Counter[str](), list[tuple[str, str]]()  # noqa: S311  (no secret)
    worst, slowest = 0.0, ""
    for _ in range(count):
        text = document(chance)
        began = time.process_time()
        Page.of(text).own_lines, Page.of(text).parts, closed_issues(text, "octo/shop")
        took = time.process_time() - began
        worst, slowest = (took, text) if took > worst else (worst, slowest)
        for fault in (name for name, holds, is_so in FAULTS if holds in text and is_so(text)):
            counts[fault] += 1
            examples += [(fault, text)] if counts[fault] <= 2 else []
    return counts, examples, worst, slowest


def main(arguments: Sequence[str]) -> int:
    """Search, and print counts, examples and the time of the slowest document."""
    parser = argparse.ArgumentParser(prog="python3 tests explore markdown", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many documents")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    jobs = [(asked.seed * 1_000_003 + number, min(1000, asked.count)) for number in range(max(1, asked.count // 1000))]
    with Pool(PROCESSES) as pool:
        found = list(pool.imap_unordered(searched, jobs))
    counts = sum((each[0] for each in found), Counter[str]())
    worst = max(found, key=lambda each: each[2])
    sys.stdout.write(f"{sum(count for _, count in jobs)} documents, {sum(counts.values())} disagreements\n")
    sys.stdout.writelines(f"  {count:6} {fault}\n" for fault, count in counts.most_common())
    sys.stdout.writelines(f"  {fault}: {text!r}\n" for each in found for fault, text in each[1])
    sys.stdout.write(f"the slowest took {worst[2] * 1000:.1f} ms, {len(worst[3])} characters\n")
    return 1 if counts else 0
