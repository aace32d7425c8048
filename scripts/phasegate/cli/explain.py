"""Explains a problem code: what it means, why it matters, how to fix it."""

from __future__ import annotations

import argparse

from phasegate.catalogue import Entry, entries
from phasegate.cli.terminal import PASSED, Answer, Arguments, Terminal, UsageError, unknown
from phasegate.model.codec import to_data

ARGUMENTS: Arguments = {"code CODE": ("a code such as PG112; without it, all are listed", {"nargs": "?"})}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """One entry of the catalogue, or the list."""
    del terminal
    known = {item.code: item for item in entries()}
    code = None if options.code is None else options.code.upper()
    if code is not None and code not in known:
        raise UsageError(f"CODE: {unknown(options.code, known)} (explain without a code lists all)")
    chosen = list(known.values()) if code is None else [known[code]]
    if code is not None:
        return Answer(PASSED, lambda: to_data(chosen[0]), lambda _: explained(chosen[0]))
    return Answer(
        PASSED,
        lambda: [to_data(item) for item in chosen],
        lambda _: "\n".join(f"{item.code}  {item.severity.value:<8} {item.title}" for item in chosen),
    )


def explained(item: Entry) -> str:
    """One entry for a person."""
    adjustable = "the policy can change it" if item.adjustable else "not adjustable"
    return "\n".join(
        (
            f"{item.code}  {item.title}",
            f"severity: {item.severity.value} ({adjustable})",
            "",
            item.why,
            "",
            f"Fix: {item.fix}",
            "",
            "Wrong:",
            *(f"    {line}" for line in item.bad.splitlines()),
            "Right:",
            *(f"    {line}" for line in item.good.splitlines()),
        )
    )
