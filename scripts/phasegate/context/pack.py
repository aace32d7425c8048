"""The context pack: contents go in, the text with its four budgeted sections comes out.

Budgets are hard caps in bytes; under a smaller total the pack is cut from the bottom up, so that the diff is cut last.
No content can begin or end a section: what looks like a delimiter of the pack is rewritten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from phasegate.model.frozen import dataclass
from phasegate.model.report import NeedKind, NeedState, Report, SignalReport
from phasegate.model.signal import Place, Validity
from phasegate.model.snapshot import Snapshot

KB = 1024
BEGIN, END = "=== CONTEXT PACK ===", "=== END CONTEXT PACK ==="
# What a section that is cut to nothing still needs to say so.
NOTICE_ROOM = 64

# Everything that a reader could take for a delimiter, wherever in a line it stands.
_GAP, _SPACE = r"[^\S\n]{0,8}", r"[^\S\n]{1,8}"
_NAMES = rf"PR{_SPACE}DIFF|PLAN|CODEBASE|PRIOR{_SPACE}FEEDBACK"
LOOK_ALIKE = re.compile(
    rf"[=\u2550\uff1d]{{3}}{_GAP}(?:END{_SPACE})?CONTEXT{_SPACE}PACK{_GAP}[=\u2550\uff1d]{{3}}"
    rf"|[-\u2010-\u2015\u2212\uff0d]{{3}}{_GAP}(?:{_NAMES}){_GAP}(?:\([^()\n]{{0,20}}\))?{_GAP}"
    r"[-\u2010-\u2015\u2212\uff0d]{3}",
    re.IGNORECASE,
)
HARMLESS = "~~~"
FINDING = ("id", "severity", "summary", "location", "root_cause", "fix_hint")  # what a verdict says of one, in order
_UNPRINTABLE = re.compile("\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A section of the pack and its budget in KB."""

    name: str
    budget: int

    @property
    def heading(self) -> str:
        """The line that begins the section."""
        return f"--- {self.name} (max {self.budget}KB) ---"

    @property
    def limit(self) -> int:
        """The most bytes between its heading and the next delimiter."""
        return self.budget * KB


SECTIONS = (
    Section(name="PR DIFF", budget=50),
    Section(name="PLAN", budget=10),
    Section(name="CODEBASE", budget=20),
    Section(name="PRIOR FEEDBACK", budget=5),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Contents:
    """What goes into the sections, as it was found."""

    diff: str = ""
    plan: str = ""
    codebase: str = ""
    feedback: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A section as it stands in the pack: of ``whole`` bytes so many are shown; ``rewritten`` delimiters."""

    section: Section
    text: str
    whole: int
    rewritten: int

    @property
    def size(self) -> int:
        """The bytes between its heading and the next delimiter."""
        return len(self.text.encode())

    @property
    def cut(self) -> bool:
        """Whether something was left out."""
        return self.size != self.whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """The whole pack."""

    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """The pack as an agent gets it."""
        sections = "".join(f"{part.section.heading}\n{part.text}" for part in self.parts)
        return f"{BEGIN}\n{sections}{END}\n"


def build_pack(contents: Contents, total: int | None = None) -> Pack:
    """The pack within its budgets and, if one is given, within a total number of bytes."""
    given = (contents.diff, contents.plan, contents.codebase, contents.feedback)
    sound = [made_harmless(text) for text in given]
    limits = _limits([len(text.encode()) for text, _ in sound], total)
    parts = (
        Part(section=section, text=fitted(text, limit), whole=len(text.encode()), rewritten=rewritten)
        for section, (text, rewritten), limit in zip(SECTIONS, sound, limits, strict=True)
    )
    return Pack(parts=tuple(parts))


def made_harmless(text: str) -> tuple[str, int]:
    """The text with its delimiters rewritten and whole lines, and how many delimiters there were."""
    printable = _UNPRINTABLE.sub(_REPLACEMENT, text)
    harmless, rewritten = LOOK_ALIKE.subn(lambda match: f"{HARMLESS}{match[0][3:-3]}{HARMLESS}", printable)
    ended = harmless if harmless.endswith("\n") or not harmless else f"{harmless}\n"
    return ended, rewritten


def _limits(sizes: list[int], total: int | None) -> list[int]:
    """How many bytes each section may have; what is too much for the total is taken from the last ones first."""
    allowed = [min(size, section.limit) for size, section in zip(sizes, SECTIONS, strict=True)]
    frame = len(Pack(parts=()).text) + sum(len(section.heading) + 1 for section in SECTIONS)
    over = 0 if total is None else max(0, frame + sum(allowed) - total)
    for index in reversed(range(len(allowed))):
        taken = min(over, max(0, allowed[index] - NOTICE_ROOM))
        allowed[index] -= taken
        over -= taken
    return allowed


def fitted(text: str, limit: int) -> str:
    """The text within a number of bytes; where it is cut, a last line says so. Lines are kept whole if they are short.

    No character is cut in two.
    """
    whole = text.encode()
    if len(whole) <= limit:
        return text
    room = limit - len(_notice(len(whole), len(whole))) - 1
    head = whole[: max(room, 0)].decode(errors="ignore")
    lines = head[: head.rfind("\n") + 1]
    kept = lines if len(lines) * 2 >= len(head) else f"{head}\n"
    return kept + _notice(len(kept.encode()), len(whole))


def _notice(shown: int, whole: int) -> str:
    return f"[cut here: {shown} of {whole} bytes shown]\n"


def plan_of(report: Report, snapshot: Snapshot, compact: Callable[[str], str]) -> str:
    """The plan that counts, in its compact form where ``compact`` finds one in its comment; one for each issue."""
    by_id = {item.id: item for item in report.signals}
    needs = [need for phase in report.phases for need in phase.needs if need.kind is NeedKind.PLAN]
    texts: dict[str, str] = {}
    for need in needs:
        if need.signal and need.state is NeedState.MET:
            source = by_id[need.signal].vote.signal.source
            issues = (issue for issue in snapshot.own_issues if issue.number == source.issue)
            comments = (comment for issue in issues for comment in issue.comments)
            said = next((comment.text for comment in comments if comment.id == source.number), "")  # as it is now
            texts[need.name] = compact(said)
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"[plan of {name}]\n{text}" for name, text in texts.items())


def feedback_of(report: Report) -> str:
    """The compact verdicts on the code of the last round before this one, a line each; nothing in a first round."""
    by_id = {item.id: item for item in report.signals}
    counted: list[SignalReport] = []
    for phase in report.phases:
        if phase.where is Place.PULL_REQUEST:
            now = next((index for index, item in enumerate(phase.rounds) if item.current), len(phase.rounds))
            earlier = [item for item in phase.rounds[:now] if item.votes]
            counted += [by_id[vote.signal] for item in earlier[-1:] for vote in item.votes if vote.signal in by_id]
    return "".join(f"{_compact(item)}\n" for item in counted if item.vote.validity is Validity.VALID)


def _compact(item: SignalReport) -> str:
    """A verdict as the signal format writes it, in one line."""
    signal = item.vote.signal
    told = {
        "role": item.vote.role,
        "verdict": None if signal.outcome is None else signal.outcome.value,
        "commit": item.vote.commit,
        "issues": [
            {name: value for name in FINDING if (value := getattr(finding, name))} for finding in signal.findings
        ],
        "must_fix": list(signal.must_fix or ()),
        "false_positives": list(signal.false_positives),
    }
    kept = {key: value for key, value in told.items() if value or key == "issues"}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
