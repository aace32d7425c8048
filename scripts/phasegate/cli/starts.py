"""Checks of what starts the gate: triggers, what wakes it for each reviewer, Actions policies, the lock of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from phasegate.cli.policies import ACTIVE, BEGAN, REFUSED, ActionsPolicy, Execution, Run
from phasegate.cli.setup import BY_CHECK, BY_SIGNAL, EVENTS, SIGNAL, SWEEP, TARGET, event_policy_command, reviewer_media
from phasegate.cli.wiring import (
    JSON,
    LOCK,
    Finding,
    Job,
    Level,
    Wiring,
    gates_of,
    note,
    object_of,
    signals_of,
    started,
    sweeps_of,
    unseen,
    warning,
    well,
    workflows_of,
    wrong,
)
from phasegate.model.signal import Medium
from phasegate.report.inert import plain

UNSAFE = ("pull_request", "pull_request_review", "pull_request_review_comment")
FILTERS = ("paths", "paths-ignore", "branches-ignore", "branches")  # the last may be meant
ENFORCED = "2026-11-02T00:00:00Z"  # since when GitHub blocks pull_request_target by default
SETTINGS = "Settings, Actions, Policies"
TRIGGER = BY_SIGNAL.partition(" #")[0]


def check_triggers(wiring: Wiring) -> Iterator[Finding]:
    """The gate hears of all that can change its answer, and never runs a pull request's own copy of itself."""
    gates = gates_of(wiring)
    for job in gates:
        yield from _unsafe(job)
    heard = _heard(gates)
    silent = [event for event in EVENTS if event not in heard]
    if gates and TARGET in silent and _is_signalled(wiring, "pull_request"):
        yield from _without_target(wiring)
        silent.remove(TARGET)
    missing = {event: (EVENTS[event], "it with these types") for event in silent if gates}
    missing |= {
        event: (EVENTS.get(event, set()) - got, "these types") for event, got in heard.items() if got is not None
    }
    for event, (types, what) in missing.items():
        if types:
            message = f"nothing runs on {event}: {', '.join(sorted(types))}"
            yield wrong(message, f"Add {what} to {gates[0].path}.")


def _unsafe(job: Job) -> Iterator[Finding]:
    """What is wrong with the triggers of one job."""
    for event, told in job.triggers.items():
        if event in UNSAFE:
            message = f"{job.path} runs on {event}, with the pull request's own copy of the workflow"
            yield wrong(message, f"Remove it; {TARGET} is the safe one.")
        if event in EVENTS:
            yield from _filtered(job.path, event, told, FILTERS[:-1])
    if "if" in job.job:
        message = f"{job.path}: the job {job.id} has a condition; events that it filters out change no status"
        yield warning(message, "Let every event in; skip-chatter ends irrelevant runs early.")


def _filtered(path: str, event: str, told: JSON, filters: Iterable[str]) -> Iterator[Finding]:
    for each in filters:
        if each in told:
            yield wrong(f"{path}: {each} of {event} leaves pull requests without a status", "Take the filter out.")


def _heard(gates: Iterable[Job]) -> dict[str, set[str] | None]:
    """The types of each event on which a gate runs; none for all of them."""
    heard: dict[str, set[str] | None] = {}
    for job in gates:
        for event, told in job.triggers.items():
            types, before = told.get("types"), heard.get(event, set())
            new = None if types is None and event != TARGET else {str(each) for each in types or ()}
            heard[event] = None if new is None or before is None else before | new
    return heard


def _is_signalled(wiring: Wiring, event: str) -> bool:
    """Whether a workflow of this repository wakes the gate on an event."""
    runs = (job.triggers["workflow_run"] for job in gates_of(wiring) if "workflow_run" in job.triggers)
    kinds = [object_of(told).get("types") for told in runs]
    heard = any(types is None or {"requested", "completed"} & {str(each) for each in types} for types in kinds)
    return heard and any(event in events for events in signals_of(wiring).values())


def _without_target(wiring: Wiring) -> Iterator[Finding]:
    """The mode without pull_request_target: a signal, a sweep, and statuses that name the base."""
    gates, sweeps = gates_of(wiring), sweeps_of(wiring)
    for path, events in signals_of(wiring).items():
        yield from _filtered(path, "pull_request", object_of(events.get("pull_request")), FILTERS)
    if not sweeps:
        message = f"without {TARGET} an author can silence the signal, and nothing decides what it did not tell"
        yield wrong(message, f"Add {SWEEP}: init --without-target writes it.")
    for job in (each for each in (*gates, *sweeps) if not each.names_base):
        message = f"{job.path}: without {TARGET} a pull request keeps its success when its base branch is changed"
        fix = (
            'Add base-in-context: "true" to the inputs of the action, and require the status with the base in its name.'
        )
        yield wrong(message, fix)
    if sweeps and all(each.names_base for each in (*gates, *sweeps)):
        message = (
            f"a signal and a sweep stand in for {TARGET}: what the signal does not tell is decided within the hour"
        )
        yield note(message)


def check_waking(wiring: Wiring) -> Iterator[Finding]:
    """Something wakes the gate for each medium in which the reviewers of the policy speak."""
    gates, media = gates_of(wiring), reviewer_media(wiring.rules_of)
    swept = bool(sweeps_of(wiring))
    if gates and Medium.REVIEW in media and not _is_signalled(wiring, "pull_request_review"):
        late = "is heard up to an hour late" if swept else "is not heard until the next comment or push"
        message = f"the policy names a reviewer that speaks in reviews, and a review {late}"
        fix = (
            f"Add {SIGNAL} (init writes it: on: [pull_request, pull_request_review]), and to {gates[0].path}: {TRIGGER}"
        )
        yield (warning if swept else wrong)(message, fix)
    told = [object_of(job.triggers["check_run"]).get("types") for job in gates if "check_run" in job.triggers]
    by_event = any(types is None or "completed" in types for types in told)
    if gates and Medium.CHECK_RUN in media and not swept:
        message = "the policy names a reviewer that reports in check runs, and nothing wakes the gate for all of these"
        if by_event:
            message = "GitHub starts no workflow for some check runs, such as those of a commit that Actions made"
        fix = f"Add the sweep as {SWEEP}, and for an answer at once to {gates[0].path}: {BY_CHECK}"
        yield (warning if by_event else wrong)(message, fix)


# Actions policies.


def check_event_policy(wiring: Wiring) -> Iterator[Finding]:
    """GitHub lets every event that the gate needs start its workflows."""
    seen, workflows = wiring.execution, started(wiring)
    if not gates_of(wiring):
        return
    if seen is None:
        message = f"whether GitHub lets {TARGET} start the gate"
        yield unseen(message, "Ask with --repo OWNER/NAME.")
        return
    if seen.without_policies:
        yield well(f"GitHub Enterprise Server {plain(str(seen.server))} has no Actions policies")
        return
    for odd in seen.odd:
        yield unseen(odd, f"Look at it in {SETTINGS}.")
    found = [finding for policy in seen.policies or () for finding in _of_policy(policy, workflows)]
    yield from found
    if any(each.level is Level.WRONG for each in found):
        return
    if seen.runs is not None:
        yield from _of_runs(wiring, seen)
    else:
        yield from _allowed(wiring, seen)


def _of_policy(policy: ActionsPolicy, workflows: dict[str, tuple[str, ...]]) -> Iterator[Finding]:
    """What one policy refuses, or may refuse."""
    if policy.enforcement != ACTIVE:
        yield note(f"{policy.title} is only evaluated: it neither allows nor refuses yet")
        return
    covered = {path: policy.covers(path) for path in workflows}
    if not policy.events and not policy.actors and True in covered.values():
        known = f"only rules that doctor does not know ({', '.join(map(plain, policy.others))})"
        other = known if policy.others else "no rules"
        yield note(f"{policy.title} has {other}: no event is allowed by it")
    for path in (path for path, told in covered.items() if told is None):
        patterns = ", ".join(plain(each) for each in (*policy.include, *policy.exclude))
        yield unseen(f"whether {policy.title} is about {path}, by its patterns {patterns}")
    for path in (path for path, told in covered.items() if told):
        lacking = sorted({event for allowed in policy.events for event in workflows[path] if event not in allowed})
        if lacking:
            own = policy.level == "repository"
            fix = (
                f"Ask an owner of the {policy.level} {plain(policy.source)} to allow it: a policy of the repository "
                "cannot. Or use init --without-target."
            )
            fix = f"Add it to the policy ({SETTINGS})." if own else fix
            message = f"{policy.title} does not allow {', '.join(lacking)}, so GitHub refuses such runs of {path}"
            yield wrong(message, fix)
    if policy.actors and any(told is not False for told in covered.values()):
        message = f"{policy.title} lists who may start runs: others' pushes, retargets and comments start none"
        fix = f"Remove its rule about actors for these workflows ({SETTINGS}), or add the sweep."
        yield warning(message, fix)


def _allowed(wiring: Wiring, seen: Execution) -> Iterator[Finding]:
    """Whether a policy allows the event that GitHub blocks by default, where every policy is known and none refuses."""
    blocked = f"GitHub blocks {TARGET} by default"
    for job in gates_of(wiring):
        active = (each for each in seen.policies or () if each.enforcement == ACTIVE and each.events)
        policy = next((each for each in active if each.covers(job.path)), None)
        if TARGET not in job.triggers:
            yield well(f"no policy refuses what starts {job.path}")
        elif policy is not None:
            yield well(f"{policy.title} lets every event start {job.path}")
        elif seen.blocks_by_default:
            message = f"{blocked} in public repositories, and no Actions policy allows it for {job.path}"
            fix = f"An administrator allows it ({SETTINGS}), or runs this line:"
            yield wrong(message, fix, _command(wiring, job))
        else:
            where = f"{seen.visibility} repositories" if seen.server is None else "GitHub Enterprise Server"
            yield well(f"{blocked} in public repositories on github.com, not in {where}")


def _command(wiring: Wiring, job: Job) -> str:
    """The line that makes a policy for the workflow of a job."""
    host = wiring.execution.host if wiring.execution else None
    return event_policy_command(job.triggers, wiring.name, host, job.path)


def _of_runs(wiring: Wiring, seen: Execution) -> Iterator[Finding]:
    """What the newest runs show, where not all policies could be read."""
    runs = seen.runs or {}
    unread = f"the Actions policies cannot be read: {seen.why}"
    unread = unread if seen.why else "not all Actions policies could be judged"
    refused = [(key, run) for key, run in runs.items() if run is not None and run.conclusion == REFUSED]
    for (path, event), run in refused:
        sure = run.jobs == 0
        what = "was refused before it began" if sure else "did not start"
        message = f"the newest run of {path} on {event} {what} ({REFUSED}{', no job' if sure else ''}): {run.url}"
        fix = f"Its page says why. If a policy does, change it ({SETTINGS}), or ask an owner of the organization to."
        job = next((job for job in gates_of(wiring) if job.path == path), None)
        command = ""
        if job is not None and event == TARGET and seen.blocks_by_default:
            fix, command = f"{fix} If it is GitHub's default, an administrator runs this line:", _command(wiring, job)
        yield (wrong if sure else warning)(message, fix, command)
    for job in gates_of(wiring):
        if not any(path == job.path for (path, _), _ in refused):
            level, told = _shown(wiring, seen, job)
            fix = "" if level is Level.WELL else f"Run doctor with an administrator's token, or look at {SETTINGS}."
            yield Finding(level, f"{unread}; {told}", fix)


def _shown(wiring: Wiring, seen: Execution, job: Job) -> tuple[Level, str]:
    """What the runs of a workflow that were not refused show about the event that GitHub blocks by default."""
    key = (job.path, TARGET)
    run = (seen.runs or {}).get(key)
    if TARGET not in job.triggers or not seen.blocks_by_default:
        return Level.NOTE, f"GitHub blocks no trigger of {job.path} by default, and none of its newest runs was refused"
    if run is None and key in seen.under_way:
        return Level.UNSEEN, f"the runs of {job.path} on {TARGET} have not ended yet"
    if run is None and wiring.pull_request is not None:
        return Level.WARNING, f"{job.path} never ran on {TARGET}, although #{wiring.pull_request} is open"
    if run is None:
        return Level.UNSEEN, f"{job.path} never ran on {TARGET}"
    return _dated(seen, job, run)


def _dated(seen: Execution, job: Job, run: Run) -> tuple[Level, str]:
    """What a run that began shows: nothing if it is older than the block, or dated by a clock that is off."""
    if not run.at or (seen.now and run.at[:10] > seen.now[:10]):
        return Level.UNSEEN, f"the newest run of {job.path} on {TARGET} has no time that can be right ({run.url})"
    if run.at < ENFORCED:
        return Level.WARNING, f"{job.path} did not run on {TARGET} since GitHub blocks it (last on {run.at[:10]})"
    if run.conclusion not in BEGAN:
        return Level.UNSEEN, f"the newest run of {job.path} on {TARGET} ended as {plain(run.conclusion)} ({run.url})"
    return Level.WELL, f"{job.path} ran on {TARGET} on {run.at[:10]}, so the event is allowed"


def check_lock(wiring: Wiring) -> Iterator[Finding]:
    """A lock of actions has the gate's pin; GitHub refuses runs of a workflow in it that uses anything else."""
    text = wiring.files.get(LOCK)
    if text is None:
        return
    lock = workflows_of(wiring).get(LOCK)
    locked = object_of(lock).get("workflows")
    if lock is None or not isinstance(locked, dict) or not isinstance(lock.get("dependencies"), dict):
        yield unseen(f"{LOCK}, which is not of the form that GitHub documents")
        return
    for job in (*gates_of(wiring), *sweeps_of(wiring)):
        used = str(object_of(job.step).get("uses"))
        if not used.startswith("./"):
            yield from _locked(lock, job, used)


def _locked(lock: JSON, job: Job, used: str) -> Iterator[Finding]:
    """Whether a lock has what a job uses."""
    listed = object_of(lock["workflows"]).get(job.path)
    fix = "Run gh actions-lock again, and commit the file."
    if listed is None:
        message = f"{LOCK} does not list {job.path}: where a policy requires a lock, its runs are refused"
        yield note(message, fix)
        return
    names = {str(each).lower() for each in listed} if isinstance(listed, list) else set()
    known = {str(each).lower() for each in lock["dependencies"]}
    if used.lower() not in names & known:
        message = f"{LOCK} lacks {plain(used)}, so GitHub refuses the runs of {job.path} (Invalid lockfile)"
        yield wrong(message, fix)
