"""The list of attacks that CI keeps: each attack with its defence and the reason that the gate gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.casebook.attacks.attack import Attack
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.attacks.expired import LIVE
from tests.casebook.attacks.live import LiveAttack
from tests.casebook.defences import DEFENCES

TITLE = (
    "# The attacks, one by one",
    "",
    "Each attack is a whole pull request in `tests/casebook/attacks` or a story on a fake GitHub. A test shows two",
    "things of each: the gate refuses it, and the gate without that one defence would let it through.",
    "",
)
KINDS = (
    *("forged", "echoed", "malformed", "edited", "replayed", "evidence", "labels", "instructions"),
    "human acts",
    *("attempts", "order", "overruling", "policy", "scope", "envelope", "described", "thehood", "tolerance",
      "reviewers", "standing", "mixing", "merge queue", "through GitHub"),
)  # fmt: skip
EVERY: tuple[Attack | LiveAttack, ...] = (*ATTACKS.values(), *LIVE.values())
HEAD = ("| attack | what it tries | defence | what the gate says |", "|---|---|---|---|")


def reason(attack: Attack, report: dict[str, Any]) -> str:
    """Why a report refuses an attack: the problem that names it, or else the overall line."""
    named = [problem for problem in report["problems"] if problem["code"] in attack.codes]
    told = next((problem for problem in named if problem["severity"] != "notice"), next(iter(named), None))
    return report["description"] if told is None else f"{told['code']}: {told['message']}"


def attack_table(said: dict[str, str]) -> str:
    """All attacks by kind, and after them what each defence is; ``said`` is what the gate says to each attack."""
    return "".join(f"{line}\n" for line in (*TITLE, *_attacks(said), *_defences()))


def _attacks(said: dict[str, str]) -> Iterator[str]:
    yield f"{len(EVERY)} attacks, {len(DEFENCES)} defences."
    for kind in KINDS:
        yield from ("", f"## {kind[0].upper()}{kind[1:]}", "", *HEAD)
        for attack in EVERY:
            if attack.kind == kind:
                yield f"| {attack.name} | {_cell(attack.says)} | `{attack.defence}` | {_cell(said[attack.name])} |"


def _defences() -> Iterator[str]:
    yield from ("", "## The defences", "", "| defence | what it is |", "|---|---|")
    for defence in DEFENCES.values():
        yield f"| `{defence.name}` | {_cell(defence.what)} |"


def _cell(text: str) -> str:
    """A text as it stands in a table."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
