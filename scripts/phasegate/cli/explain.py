"""Say what a problem code means, why it matters and how to fix it."""

from __future__ import annotations

import argparse

from phasegate.catalogue import Entry, entries
from phasegate.cli.terminal import PASSED, Answer, Arguments, Terminal, UsageError
from phasegate.model.codec import to_data
from phasegate.model.problem import near

ARGUMENTS: Arguments = {
    "--markdown": "print the whole catalogue as a page of the docs",
    "code CODE": ("a code such as PG112; without it, all are listed", {"nargs": "?"}),
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer | int:
    """One entry of the catalogue, or the list."""
    known = {item.code: item for item in entries()}
    code = None if options.code is None else options.code.upper()
    if code is not None and code not in known:
        close = near(code, known)
        meant = f"; did you mean {close[0]}?" if close else ""
        raise UsageError(f'CODE: "{options.code}" is not a code{meant} (explain without a code lists all)')
    chosen = list(known.values()) if code is None else [known[code]]
    if options.markdown:
        terminal.stdout.write(page(chosen))
        return PASSED
    if code is not None:
        return Answer(PASSED, lambda: to_data(chosen[0]), lambda _: explained(chosen[0]))
    return Answer(
        PASSED,
        lambda: [to_data(item) for item in chosen],
        lambda _: "\n".join(f"{item.code}  {item.severity.value:<8} {item.title}" for item in chosen),
    )


def page(items: list[Entry]) -> str:
    """The catalogue as a page of the docs."""
    head = (
        "# Problem codes\n\n"
        "Made by `python3 scripts explain --markdown`. A signal with an error is invalid; the policy can change the\n"
        "severity of adjustable codes under `rules`.\n"
    )
    return head + "".join(_section(item) for item in items)


def _section(item: Entry) -> str:
    adjustable = ", adjustable" if item.adjustable else ""
    return (
        f"\n## {item.code}: {item.title}\n\n{item.severity.value}{adjustable}. {item.why}\n\n{item.fix}\n\n"
        f"Wrong:\n\n````text\n{item.bad}\n````\n\nRight:\n\n````text\n{item.good}\n````\n"
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
