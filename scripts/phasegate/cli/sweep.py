"""Sweep: decides, in one job, the open pull requests that changed since their status. A line each, then a table."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import NamedTuple

from phasegate.cli.action import target_of
from phasegate.cli.live import Decision, decide, decide_and_publish, unreported_line
from phasegate.cli.terminal import Terminal
from phasegate.gate import reading_plan
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import SECONDS, Client, make_client
from phasegate.github.reading.opening import policy_alone, with_plan
from phasegate.github.reading.sweep import Due, Open, Place, look_around
from phasegate.github.record import lasts
from phasegate.model.frozen import dataclass
from phasegate.model.report import State
from phasegate.report.inert import plain, prose_cell
from phasegate.report.status import describe
from phasegate.report.wording import STATE_MARK, counted
from phasegate.settings import Settings

# What a sweep leaves of each of the hour's budgets to the runs of events.
KEEPS = 500
# How long a sweep begins with another pull request: small runners end a job after a quarter of an hour.
LONGEST = 12 * 60.0
# GitHub asks for at most 80 writes a minute and 500 an hour, of which events need some.
WRITES_AT_FIRST, WRITES_A_SECOND, MOST_WRITES = 50, 1.0, 300


class Swept(NamedTuple):
    """The outcome for a pull request: None if left to the next sweep, a text if it could not be decided."""

    item: Open
    due: Due
    outcome: Decision | str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sweep:
    """All outcomes. ``bugs`` are our own failures."""

    swept: tuple[Swept, ...]
    total: int
    bugs: tuple[Exception, ...] = ()

    @property
    def decisions(self) -> list[Decision]:
        """The decided ones."""
        return [each.outcome for each in self.swept if isinstance(each.outcome, Decision)]

    @property
    def undecided(self) -> list[tuple[int, str]]:
        """The undecided ones, with the reason."""
        return [(each.item.number, each.outcome) for each in self.swept if isinstance(each.outcome, str)]

    @property
    def left(self) -> int:
        """The number left to the next sweep."""
        return sum(each.outcome is None for each in self.swept)


def sweep(settings: Settings, terminal: Terminal, workflow: str | None = None) -> Sweep:
    """Decides what is due while budget and time last, and reports each one at once."""
    client = make_client(settings.api, LONGEST)
    policy = policy_alone(client, settings.repository, settings.policy_path)
    _, plan = with_plan(client, settings.repository, policy, reading_plan)
    place = Place(
        repository=settings.repository,
        policy_path=settings.policy_path,
        plan=plan,
        base_in_context=settings.base_in_context,
        lasts=lasts(settings.retention_days),
    )
    listed, total = look_around(client, place)
    client.find(f"/repos/{settings.repository}")  # which tells what is left of REST's budget
    terminal.say(f"{counted(total, 'open pull request')}, {len(listed)} to be decided")
    bugs: list[Exception] = []
    swept: list[Swept] = []
    began, goes_on = client.now(), True
    deciding = partial(_decided, client, settings, workflow, bugs)
    for item, due in listed:  # once there is no budget or time left, the rest is left to the next sweep
        goes_on = goes_on and _may_go_on(client, began)
        outcome = deciding(item.number) if goes_on else None
        limited = isinstance(outcome, str) and client.known.limited_until > client.now()
        if limited and _may_go_on(client, began):  # GitHub was asked too much for it: again, when it may be
            outcome = deciding(item.number)
        swept.append(Swept(item, due, outcome))
        _say(swept[-1], terminal)
    return Sweep(swept=tuple(swept), total=total, bugs=tuple(bugs))


def _may_go_on(client: Client, began: float) -> bool:
    """True if there is time, and enough of both budgets to spare for events; waits as GitHub asks."""
    known = client.known
    spare = all(budget.left >= KEEPS for budget in known.budgets.values()) and known.writes < MOST_WRITES
    early = (known.writes - WRITES_AT_FIRST) / WRITES_A_SECOND - (client.now() - began)
    wait = max(early, known.limited_until - client.now())
    if not spare or client.now() + max(wait, 0.0) - began >= LONGEST:
        return False
    if wait > 0:
        client.pause(wait, "writing no faster than GitHub asks")
    return True


def _decided(
    client: Client, settings: Settings, workflow: str | None, bugs: list[Exception], number: int
) -> Decision | str:
    """One pull request, in a time of its own. Its status is always written, to show when it was decided.

    A failure does not hold up the others.
    """
    target = target_of(settings, number, workflow)
    own = client.with_time(SECONDS)
    try:
        if settings.dry_run:
            return decide(own, target)
        return decide_and_publish(own, target, settings.run_url, renewed=True)
    except GitHubError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  (raised again when all have had their turn)
        bugs.append(error)
        return f"internal error ({type(error).__name__}), see the end of the log"


def _shown(each: Swept) -> tuple[State, str]:
    report = each.outcome.report if isinstance(each.outcome, Decision) else None
    return (State.ERROR, str(each.outcome)) if report is None else (report.state, describe(report))


def _say(each: Swept, terminal: Terminal) -> None:
    if each.outcome is None:
        return
    name, (state, told) = f"#{each.item.number}", _shown(each)
    terminal.say(f"  {name:<7} {state.value:<8} {plain(told, 300)} ({each.due.value})")
    if isinstance(each.outcome, Decision) and (warning := unreported_line(each.outcome.report)):
        terminal.say(f"          {warning}")


def table(found: Sweep) -> str:
    """The sweep as a Markdown table, one line per pull request."""
    counts = Counter(each.outcome.report.state for each in found.swept if isinstance(each.outcome, Decision))
    shown = ", ".join(f"{number} {state.value}" for state, number in sorted(counts.items()))
    parts = (
        f"{len(found.decisions)} of {counted(found.total, 'open pull request')} decided",
        shown,
        f"{len(found.undecided)} could not be decided" if found.undecided else "",
        f"{found.left} left to the next sweep" if found.left else "",
    )
    head = f"## Phase Gate sweep\n\n{'; '.join(part for part in parts if part)}.\n"
    rows = [_row(each) for each in found.swept if each.outcome is not None]
    if not rows:
        return head
    lines = [head, "| Pull request | State | What it says | Why it was looked at |", "|---|---|---|---|", *rows, ""]
    warned = ((each.report.pull_request, unreported_line(each.report)) for each in found.decisions)
    return "\n".join([*lines, *(f"- #{number}: {prose_cell(text, 700)}" for number, text in warned if text), ""])


def _row(each: Swept) -> str:
    state, told = _shown(each)
    mark = f"{STATE_MARK[state]} " if isinstance(each.outcome, Decision) else ""
    return f"| #{each.item.number} | {mark}{state.value} | {prose_cell(told, 300)} | {each.due.value} |"
