"""What a month of a busy repository costs: ``python3 tests/benchmarks/budget.py``.

One pull request's life is run against the fake GitHub, event by event, in the ways in which the workflow can be set up,
and the sweep of a repository with many open pull requests. What each event took is then laid out over a month, so that
the worst hour can be told. Prints the tables that docs/performance.md shows; 1 if the thriftiest way takes more than a
third of what a life took before, if any way needs more than nine tenths of what GitHub allows in an hour, or if the
sweeps need more than half of it where statuses are kept for a day.
"""

from __future__ import annotations

import argparse
import datetime as dt
import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
JSON = dict[str, Any]
PULLS, DAYS, WORKDAYS, OFFICE_HOURS = 200, 30, 22, 8
PUSHES, COMMENTS, EDITS, JUDGED = 12, 60, 24, (4, 8, 12)
WORDS_SAID = 4 + 2 * len(JUDGED) + 3  # on the plan, on the build, on QA
LIFE_HOURS, TALKED_ABOUT = 80, 60
# One life before there was a budget to keep: runs, requests, points and writes.
BEFORE = (75, 1164, 252, 97)
LIMIT = 1000
MOST = 900
# How many days statuses are kept by default; where it is one, the sweeps renew every record four times a day.
RETENTION, RENEWALS = 90, 4
NAMING = 'version: 1\nagents: {accounts: [{login: "jkz-runner[bot]", id: 987, roles: [judge, inspector]}]}\n'
WORDS = ("jkz:", "/gate")


@dataclass(kw_only=True)
class Cost:
    """What something took."""

    runs: int = 0
    requests: int = 0
    points: int = 0
    writes: int = 0

    def __add__(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(**{name: value + vars(other)[name] for name, value in vars(self).items()})

    def beyond(self, other: Cost) -> Cost:
        """What it took more than another one; a run is a run."""
        return Cost(**{name: value - vars(other)[name] for name, value in vars(self).items() if name != "runs"})

    def times(self, number: float) -> Cost:
        """So many of it."""
        told = {name: round(value * number) for name, value in vars(self).items()}
        return Cost(**told)


@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happens to a pull request: what it does to the world, and how GitHub tells it."""

    name: str
    happens: Callable[[Any], JSON]


@dataclass(kw_only=True)
class Way:
    """A way to set the workflow up: its inputs, the policy, and which events start a job at all.

    Where the policy names an agent, half of the remarks and of the progress are its own.
    """

    inputs: dict[str, str] = field(default_factory=dict)
    policy: str | None = None
    starts: Callable[[str, JSON], bool] = field(default=lambda _event, _payload: True)


def prepare() -> None:
    """Make the packages of the tests and of the gate importable."""
    sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]
    import bootstrap  # noqa: PLC0415 - can be found only now

    for name in ("tests", "scripts"):
        sys.path.insert(0, bootstrap.ensure(str(ROOT / name / "requirements.txt"), os.environ))


def life() -> Iterator[Event]:
    """One life: a plan, twelve pushes, three of them judged, QA, and chatter with progress that is edited in place."""
    yield Event(name="push", happens=push_event)
    yield from (word("issue", partial(planning, role=role)) for role in ("architect", "auditor", "curator", "human"))
    remarks = COMMENTS - WORDS_SAID
    for number in range(1, PUSHES + 1):
        if number > 1:
            yield Event(name="push", happens=push_event)
        for each in range(remarks * (number - 1) // PUSHES, remarks * number // PUSHES):
            yield Event(name="comment", happens=partial(remark_event, number=each))
        yield from [Event(name="comment", happens=progress_event)] * (EDITS // PUSHES)
        if number in JUDGED:
            outcome = "PASS" if number == PUSHES else "FAIL"
            yield word("comment", partial(judging, role="judge", outcome=outcome))
            yield word("comment", partial(judging, role="inspector"))
    yield from (word("comment", partial(judging, role=role)) for role in ("sentinel", "lens"))
    yield word("comment", lambda world: world.say("mona", "/gate approve qa"))


def word(name: str, say: Callable[[Any], object]) -> Event:
    """Something that the gate reads is said."""

    def happens(world: Any) -> JSON:  # noqa: ANN401 - can be found only later
        say(world)
        return comment_event(world, name)

    return Event(name=name, happens=happens)


def judging(world: Any, role: str, outcome: str = "PASS") -> None:  # noqa: ANN401 - can be found only later
    """A role's verdict."""
    world.judges(role, outcome)


def planning(world: Any, role: str) -> None:  # noqa: ANN401 - can be found only later
    """The plan, what both judges say of it, and the approval."""
    if role == "architect":
        world.say("ana", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=12)
    elif role == "human":
        world.say("mona", "/gate approve plan", on=12)
    else:
        world.judges(role)


def push_event(world: Any) -> JSON:  # noqa: ANN401 - can be found only later
    """A push, unless it is the first, which the world begins with."""
    if world.comments or len(world.moves) > 1 or world.issues[0]["comments"]:
        world.push(f"commit {len(world.moves)}")
    return {"pull_request": {"number": 7, "head": {"sha": world.moves[-1]["after"]}}}


def remark_event(world: Any, number: int) -> JSON:  # noqa: ANN401 - can be found only later
    """Somebody remarks something."""
    agent = "ben" if world.policy is None else "jkz-runner[bot]"
    world.say(agent if number % 2 else "ana", f"Working on step {number}: 1 of 10.")
    return comment_event(world, "comment")


def progress_event(world: Any) -> JSON:  # noqa: ANN401 - can be found only later
    """An agent edits its latest progress comment."""
    said = next(each for each in reversed(world.comments) if "Working on" in each["text"])
    before = said["text"]
    world.edit(said, f"{before.partition(':')[0]}: {len(before) % 10} of 10.", said["author"]["login"])
    return comment_event(world, "comment", said, before)


def comment_event(world: Any, name: str, said: JSON | None = None, before: str | None = None) -> JSON:  # noqa: ANN401
    """The event of a comment, as GitHub sends it."""
    words = said or (world.issues[0]["comments"] if name == "issue" else world.comments)[-1]
    place = {"number": 12} if name == "issue" else {"number": 7, "pull_request": {"url": "…"}}
    touched = words.get("edited_at") or words["created_at"]
    told = {"id": words["id"], "body": words["text"], "user": words["author"], "updated_at": touched}
    changes = {} if before is None else {"changes": {"body": {"from": before}}}
    return {"action": "created" if before is None else "edited", "issue": place, "comment": told, **changes}


def says_something(event: str, payload: JSON) -> bool:
    """As an ``if:`` of the job: whether an event is worth a runner."""
    if event != "issue_comment":
        return True
    before = payload.get("changes", {}).get("body", {}).get("from", "")
    return any(word in text for word in WORDS for text in (payload["comment"]["body"], before))


def points_of(request: Any) -> int:  # noqa: ANN401 - can be found only later
    """What a GraphQL query takes."""
    from graphql import parse  # noqa: PLC0415 - can be found only now

    from tests.fakehub.graph.execute import schema  # noqa: PLC0415 - can be found only now
    from tests.fakehub.graph.limits import cost, uses_of  # noqa: PLC0415 - can be found only now

    return cost(uses_of(schema(), parse(request.text), request.body.get("variables", {})))


def run(hub: Any, event: str, payload: JSON, inputs: dict[str, str]) -> Cost:  # noqa: ANN401 - can be found only later
    """One run of the action in this process."""
    from phasegate.cli import action  # noqa: PLC0415 - can be found only now
    from phasegate.cli.terminal import Terminal  # noqa: PLC0415 - can be found only now

    asked, written = len(hub.requests), len(hub.written)
    hub.budgets = {"core": LIMIT, "graphql": LIMIT}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "event.json"
        path.write_text(json.dumps(payload), encoding="utf-8")
        environ = {"GITHUB_API_URL": hub.url, "GITHUB_REPOSITORY": "octo/shop", "PHASE_GATE_TOKEN": hub.token}
        environ |= {"GITHUB_EVENT_NAME": event, "GITHUB_EVENT_PATH": str(path), "GITHUB_RUN_ID": str(asked + 1)}
        environ |= {"GITHUB_RETENTION_DAYS": str(RETENTION), "RUNNER_TEMP": folder, **inputs}
        out = io.StringIO()
        terminal = Terminal(stdin=io.StringIO(), stdout=out, stderr=out, environ=environ)
        code = action.run(argparse.Namespace(), terminal)
    assert code == 0, out.getvalue()
    made = hub.requests[asked:]
    rest = [request for request in made if request.path != "/graphql"]
    points = sum(points_of(request) for request in made if request.path == "/graphql")
    return Cost(runs=1, requests=len(rest), points=points, writes=len(hub.written) - written)


def lived(way: Way) -> list[Cost]:
    """What each event of one life takes."""
    from tests.casebook.world import World  # noqa: PLC0415 - can be found only now
    from tests.fakehub import FakeHub  # noqa: PLC0415 - can be found only now
    from tests.fakehub.state import completed  # noqa: PLC0415 - can be found only now

    world, found = World(policy=way.policy), []
    with FakeHub(world.snapshot()) as hub:
        for event in life():
            payload = event.happens(world)
            hub.state.snapshots[0] = completed(world.snapshot())
            hub.date = dt.datetime.fromisoformat(hub.snapshot["taken_at"].replace("Z", "+00:00")).timestamp() + 30
            name = "pull_request_target" if event.name == "push" else "issue_comment"
            found.append(run(hub, name, payload, way.inputs) if way.starts(name, payload) else Cost())
        assert hub.latest_statuses()["phase-gate"]["state"] == "success"
    return found


def swept(pulls: int) -> tuple[Cost, Cost, Cost]:
    """What a sweep takes that finds chatter only, in many pull requests, and what one decision by it adds.

    Then the same for one decision that writes a record anew.
    """
    import copy  # noqa: PLC0415 - rarely needed

    from tests.casebook.world import URL, commit  # noqa: PLC0415 - can be found only now
    from tests.fakehub import FakeHub  # noqa: PLC0415 - can be found only now
    from tests.integration.runs import passing  # noqa: PLC0415 - can be found only now

    first = passing(COMMENTS - 5).snapshot()
    more = []
    for number in range(100, 100 + pulls - 1):
        made = {**first, "pull_request": copy.deepcopy(first["pull_request"])}
        made["pull_request"] |= {"number": number, "url": f"{URL}/pull/{number}"}
        made["pull_request"]["head"] |= {"sha": commit(f"head {number}"), "ref": f"branch-{number}"}
        move = {**first["ref_log"]["moves"][0], "after": commit(f"head {number}")}
        made |= {"comments": [], "contents": [], "ref_log": {**first["ref_log"], "moves": [move]}}
        more.append(made)
    own = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
    inputs = {"PHASE_GATE_COMMAND": "sweep"}
    with FakeHub(first, more=more) as hub:
        hub.date -= 30 * 86400 - 3600
        hub.state.pass_time(3000)
        for each in hub.state.snapshots:  # which writes the marks that a sweep goes by
            run(hub, "workflow_dispatch", {}, {"PHASE_GATE_PULL_REQUEST": str(each["pull_request"]["number"])})
        for each in hub.state.snapshots[1 : TALKED_ABOUT + 1]:
            number, author = hub.state.next_id(), first["comments"][0]["author"]
            at = dt.datetime.fromtimestamp(hub.date, dt.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
            said = {"id": number, "url": f"{URL}#{number}", "author": author, "created_at": at}
            each["comments"].append({**said, "text": "Working on it: 1 of 10."})
        quiet = run(hub, "schedule", {}, inputs)
        hub.state.statuses[first["pull_request"]["head"]["sha"]][-1]["state"] = "error"
        one = run(hub, "schedule", {}, inputs)
        hub.state.statuses[first["pull_request"]["head"]["sha"]].append(aging(hub, own))
        renewed = run(hub, "schedule", {}, inputs)
    return quiet, one.beyond(quiet), renewed.beyond(quiet)


def aging(hub: Any, own: JSON) -> JSON:  # noqa: ANN401 - can be found only later
    """A line of the record that a third of the retention ago was new."""
    then = dt.datetime.fromtimestamp(hub.date, dt.timezone.utc) - dt.timedelta(days=RETENTION / 3)
    says = "On record of #7 (1): judge comment-9@86f7e43 FAIL by 21 at 1772442300"
    told = {"context": "phase-gate/record", "state": "success", "description": says, "creator": own, "id": 2}
    return {**told, "at": then.strftime("%Y-%m-%dT%H:%M:%SZ")}


def month(events: list[Cost], quiet: Cost, one: Cost, daily: int = 1) -> tuple[Cost, Cost]:
    """A month of the repository, and its worst hour: lives of ten office days each, sweeps around the clock.

    ``daily``: how often the sweeps decide each pull request in a day.
    """
    hours: dict[tuple[int, int], Cost] = {}
    for day in range(DAYS):
        for hour in range(24):
            hours[day, hour] = quiet + one.times(daily * PULLS / 24)
    chance = random.Random(16)  # noqa: S311 - the same month each time
    for _ in range(PULLS):
        begins = chance.randrange(WORKDAYS * OFFICE_HOURS)
        places = sorted(chance.randrange(LIFE_HOURS) for _ in events)
        for place, cost in zip(places, events, strict=True):
            day, hour = divmod((begins + place) % (WORKDAYS * OFFICE_HOURS), OFFICE_HOURS)
            hours[day, 9 + hour] += cost
    total = sum(hours.values(), Cost())
    worst = max(hours.values(), key=lambda cost: max(cost.requests, cost.points))
    return total, worst


def main(words: list[str]) -> int:
    """Measure, lay out, and print; 1 if an hour is over the limits."""
    parser = argparse.ArgumentParser(prog="tests/benchmarks/budget.py", description=__doc__)
    parser.parse_args(words)
    prepare()
    ways = {
        "the quick start": Way(),
        "the same, and the policy names the agent": Way(policy=NAMING),
        "with skip-chatter": Way(inputs={"PHASE_GATE_SKIP_CHATTER": "true"}),
        "with the job's if": Way(starts=says_something),
    }
    quiet, one, renewed = swept(PULLS)
    rows = ["| one pull request's life | runs | requests | points | writes |", "|---|---|---|---|---|"]
    rows.append("| before, without edits of progress comments | {} | {:,} | {} | {} |".format(*BEFORE))
    months = [
        "| a month | runs | minutes | requests | points | writes | worst hour: requests | points | writes |",
        "|---" * 9 + "|",
    ]
    aim = tuple(each // 3 for each in BEFORE[:3])
    kept = True
    for name, way in ways.items():
        events = lived(way)
        cost = sum(events, Cost())
        rows.append(f"| {name} | {cost.runs} | {cost.requests:,} | {cost.points} | {cost.writes} |")
        total, worst = month(events, quiet, one)
        months.append(row(name, total, worst))
        if name == "with the job's if":
            months.append(row("the same, statuses kept for a day", *month(events, quiet, renewed, RENEWALS)))
        kept = kept and max(worst.requests, worst.points) <= MOST
        if way.starts is says_something:
            kept = kept and all(
                one <= most for one, most in zip((cost.runs, cost.requests, cost.points), aim, strict=True)
            )
    rows.append("| the aim: a third | {} | {} | {} | |".format(*aim))
    print(f"{PULLS} pull requests of {PUSHES} pushes, {COMMENTS} comments and {EDITS} edits; a sweep each hour\n")  # noqa: T201
    print("\n".join([*rows, "", *months]))  # noqa: T201
    sweeps = f"A sweep that finds chatter in {TALKED_ABOUT} of {PULLS}: {quiet.requests} request, {quiet.points} points"
    print(f"\n{sweeps}; a decision by it: {one.requests} requests, {one.points} points, {one.writes} writes")  # noqa: T201
    told = f"{renewed.requests} requests, {renewed.points} points, {renewed.writes} writes"
    an_hour = renewed.times(RENEWALS * PULLS / 24)
    print(f"One that renews a record: {told}; where statuses are kept for a day, {an_hour.requests} requests an hour")  # noqa: T201
    return 0 if kept and max(an_hour.requests, an_hour.points) <= LIMIT // 2 else 1


def row(name: str, total: Cost, worst: Cost) -> str:
    """A month and its worst hour, as a line of the table."""
    return (
        f"| {name} | {total.runs:,} | {total.runs:,} | {total.requests:,} | {total.points:,} | {total.writes:,} "
        f"| {worst.requests} | {worst.points} | {worst.writes} |"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
