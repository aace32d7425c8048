"""Checks a repository's wiring, in a checkout or live, and proves with forged pull requests that its gate refuses."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from phasegate.cli.demo import OWN_APPROVAL, OWN_VERDICT, forgeries, recorded_green
from phasegate.cli.files import read_snapshot
from phasegate.cli.policies import check_event_policy, look
from phasegate.cli.setup import FOLDER, NEEDED, WORKFLOW
from phasegate.cli.terminal import NOT_PASSED, PASSED, Answer, Arguments, Colour, Terminal, UsageError
from phasegate.cli.wiring import (
    GATE,
    JSON,
    OWNER_FILES,
    Finding,
    Level,
    Wiring,
    check_lock,
    check_triggers,
    check_waking,
    checkout,
    gates_of,
    jobs_of,
    live,
    note,
    object_of,
    unseen,
    warning,
    well,
    wrong,
)
from phasegate.dialects.described.boxes import reviewer_of
from phasegate.gate import judge, policy_in, reading_plan
from phasegate.github.record import CONTEXT as RECORD
from phasegate.model.contexts import context_name
from phasegate.model.plan import CHECK_NAME
from phasegate.model.report import State
from phasegate.model.signal import OVERALL
from phasegate.model.snapshot import IGNORE_FILE, POLICY
from phasegate.model.texts import ACTIONS_APP
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from phasegate.reading.document import Document
from phasegate.reading.globs import ignored_by
from phasegate.reading.yaml import read_yaml
from phasegate.report.inert import plain
from phasegate.settings import policy_path

if TYPE_CHECKING:
    from phasegate.model.snapshot import Snapshot

COMMIT = re.compile(r"[0-9a-f]{40}")
# Other write permissions of the job, and the input that needs each.
ASKED_FOR = {
    "checks": ("annotations", "check-run"),
    "pull-requests": ("comment", "true"),
    "issues": ("create-issues", "true"),
}
ACTIONS_LOGIN = "github-actions[bot]"
WIDEST = len("event-policy")
INIT = "init writes one that does"
COUNTED = {Level.WRONG: "wrong", Level.WARNING: "to review", Level.UNSEEN: "could not be checked"}
Named = tuple[str, Finding]  # a finding with the name of its check
MARKS = {
    Level.WELL: ("✓", Colour.GREEN),
    Level.NOTE: ("·", Colour.PLAIN),
    Level.WARNING: ("!", Colour.YELLOW),
    Level.WRONG: ("✗", Colour.RED),
    Level.UNSEEN: ("?", Colour.YELLOW),
}


ARGUMENTS: Arguments = {
    "--dir DIR": "a checkout of the default branch (default: .)",
    "--repo OWNER/NAME": "check the repository on GitHub instead, with the token in GITHUB_TOKEN",
    "--branch NAME": "the branch that pull requests go to (default: the default one)",
    "--policy-path PATH": (f"default: {POLICY}", {"default": POLICY}),
    "--snapshot FILE": "a saved snapshot of a green pull request to plant forgeries in (default: a recorded one)",
}


def run(options: argparse.Namespace, terminal: Terminal) -> Answer:
    """Checks everything, and reports the findings with their fixes."""
    if options.dir is not None and options.repo is not None:
        raise UsageError("--dir and --repo: name one of them")
    path = policy_path(options.policy_path)
    if options.repo is None:
        wiring = checkout(options.dir or Path(), path, options.branch)
    else:
        with terminal.progress(f"Looking at {options.repo} …"):
            wiring = live(options.repo, path, options.branch, terminal, look)
    saved = None if options.snapshot is None else read_snapshot(options.snapshot)
    found = [(name, finding) for name, check in CHECKS for finding in check(wiring)]
    found += [("forgeries", finding) for finding in forged(wiring, saved)]
    fine = is_well(wiring, found)
    data = {
        "ok": fine,
        "where": wiring.name,
        "branch": wiring.branch,
        "live": wiring.live,
        "findings": [{"check": name, **each._asdict(), "level": each.level.value} for name, each in found],
    }
    return Answer(PASSED if fine else NOT_PASSED, lambda: data, partial(_tell, wiring, found))


def is_well(wiring: Wiring, found: Iterable[Named]) -> bool:
    """True if nothing is wrong and, with GitHub asked, the required statuses were seen."""
    decisive = "required" if wiring.live else None
    return not any(
        each.level is Level.WRONG or (each.level is Level.UNSEEN and name == decisive) for name, each in found
    )


# The checks.


def check_required(wiring: Wiring) -> Iterator[Finding]:
    """The overall status must be required, and no status that is green regardless of the gate."""
    if wiring.required is None:
        yield unseen(f"what {wiring.branch} requires", "Ask with --repo OWNER/NAME.")
        return
    contexts, overall = contexts_of(wiring), overall_of(wiring)
    for each in (each for each in wiring.required if each.context.lower() in contexts):
        source = {None: "any source", ACTIONS_APP: "GitHub Actions"}.get(each.app_id, f"app {each.app_id}")
        message = f"{each.context} is required on {wiring.branch} by {each.source}, from {source}"
        yield well(message)
    if all(each.context.lower() != overall.lower() for each in wiring.required):
        message = f"{overall} is not required on {wiring.branch}: it blocks nothing"
        yield wrong(message, f'Require the status "{overall}" in the rules of {wiring.branch}.')
    jobs = {job.name.lower() for job in gates_of(wiring)}
    for each in (each for each in wiring.required if each.context.lower() not in contexts):
        name, why = each.context.lower(), ""
        if name in jobs:
            why = "a job that is green whatever the gate says"
        elif name in (RECORD, CHECK_NAME.lower()):
            why = "which is not the gate's answer"
        elif re.sub("[^a-z]", "", name).startswith(re.sub("[^a-z]", "", OVERALL)):
            why = "which nothing writes: pull requests wait for ever"
        if why:
            message = f'"{each.context}" is required, {why}'
            yield wrong(message, f'Require the status "{overall}" and not this.')


def overall_of(wiring: Wiring) -> str:
    """The status to require. Its name carries the base if the gate may miss a change of the base."""
    return context_name(base=_base_of(wiring))


def _base_of(wiring: Wiring) -> str | None:
    """The base in the statuses' names, or None."""
    return wiring.branch if any(job.names_base for job in gates_of(wiring)) else None


def contexts_of(wiring: Wiring) -> set[str]:
    """The gate's statuses under the policy, in lower case."""
    names = ("", *(phase.name for phase in wiring.rules_of.phases))
    return {context_name(name, _base_of(wiring)).lower() for name in names}


def check_source(wiring: Wiring) -> Iterator[Finding]:
    """A required status must come from the gate's app, and must be posted at all."""
    if wiring.posted is None:
        yield unseen("a status on an open pull request", "Open a pull request, and run doctor again.")
        return
    overall = overall_of(wiring)
    writer = wiring.posted.get(overall.lower())
    if writer is None:
        message = f"the head of #{wiring.pull_request} has no status {overall}"
        fix = f"Is {WORKFLOW} on the default branch, without dry-run? Start it by hand for #{wiring.pull_request}."
        yield wrong(message, fix)
        return
    for each in wiring.required or ():
        if each.context.lower() not in contexts_of(wiring):
            continue
        by_actions = writer == ACTIONS_LOGIN
        if each.app_id is None:
            message = f"{each.context} is accepted from any source: every token that may write statuses can set it"
            yield warning(message, "Choose the app that writes it as the expected source.")
        elif (each.app_id == ACTIONS_APP) != by_actions:
            message = f"{each.context} is required from app {each.app_id}, but {writer} writes it: never satisfied"
            yield wrong(message, f"Choose the app of {writer} as the expected source.")
    yield well(f"{writer} wrote {overall} on #{wiring.pull_request}")


def check_workflow(wiring: Wiring) -> Iterator[Finding]:
    """A workflow runs the gate at a pinned commit, and every workflow is readable."""
    for path, text in wiring.files.items():
        if path.startswith(f"{FOLDER}/") and not isinstance(read_yaml(text), Document):
            yield unseen(f"{path}, which is not plain YAML")
    gates = gates_of(wiring)
    if not gates:
        yield wrong(f"no workflow in {FOLDER} runs the gate", f"Add one: {INIT}.")
    for job in gates:
        match = GATE.fullmatch(str((job.step or {})["uses"]))
        ref = match["ref"] if match else "0" * 39 + "1"
        if not ref.strip("0"):
            yield wrong(f"{job.path} is not pinned: replace the zeros with a commit", "Pin the commit of a release.")
        elif not COMMIT.fullmatch(ref):
            message = f'{job.path} uses "{plain(ref)}", which can be moved to other code'
            yield warning(message, "Pin the commit of a release, with its version as a comment.")
        if job.inputs.get("dry-run") in (True, "true"):
            yield warning(f"{job.path} is a dry run: it writes no status", "Remove dry-run when you have seen enough.")


def check_permissions(wiring: Wiring) -> Iterator[Finding]:
    """The job has the permissions it needs, and no others."""
    for job in gates_of(wiring):
        if "token" in job.inputs:
            yield unseen(f"the permissions of the token that {job.path} passes")
            continue
        told = job.job.get("permissions", job.workflow.get("permissions"))
        if not isinstance(told, dict):
            message = f"{job.path} names no permissions" if told is None else f"{job.path} asks for {told}"
            yield wrong(message, f"Name the permissions that it needs: {_spoken(NEEDED)}.")
            continue
        needed = NEEDED | ({"statuses": "read"} if job.inputs.get("dry-run") in (True, "true") else {})
        lacking = {key: level for key, level in needed.items() if told.get(key) not in (level, "write")}
        if lacking:
            yield wrong(f"{job.path} lacks {_spoken(lacking)}", "Add them to the job.")
        asked = {key for key, (name, value) in ASKED_FOR.items() if str(job.inputs.get(name)).lower() == value}
        asked |= {key for key, level in NEEDED.items() if level == "write"}
        more = {key: value for key, value in told.items() if value == "write" and key not in asked}
        if more:
            message = f"{job.path} may do more than it needs: {_spoken(more)}"
            yield warning(message, "Take it away.")
        if any("actions/checkout@" in str(object_of(step).get("uses")) for step in job.job.get("steps") or ()):
            message = f"{job.path}: the gate's job checks out code, although its token can write statuses"
            yield wrong(message, "Do that in another workflow, without statuses: write.")


def _spoken(permissions: Mapping[str, object]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in permissions.items())


def check_concurrency(wiring: Wiring) -> Iterator[Finding]:
    """No started run is cancelled, and where chatter is skipped every event is kept."""
    for job in gates_of(wiring):
        groups = [object_of(each.get("concurrency")) for each in (job.workflow, job.job) if each.get("concurrency")]
        keeps = bool(groups) and all(group.get("queue") == "max" for group in groups)
        if any(group.get("cancel-in-progress") not in (None, False, "false") for group in groups):
            message = f"{job.path} cancels runs in progress: a decision may be written only in part"
            yield wrong(message, "Set cancel-in-progress: false.")
        if "comment.body" in f"{job.job.get('if')} {(job.step or {}).get('if')}" and not keeps:
            message = f"{job.path} skips comments by their text, but keeps only one waiting run: a verdict may be lost"
            yield wrong(message, "Set concurrency.queue: max, or remove the if.")
        group = " ".join(str(each.get("group")) for each in groups)
        shared = [event for event in ("workflow_run", "check_run") if event in job.triggers and event not in group]
        if groups and shared and not keeps:
            message = f"{job.path}: runs on {shared[0]} share a group, in which a newer one replaces one that waits"
            yield warning(message, f"Write github.event.{shared[0]}.head_sha || before github.sha in the group.")
        if job.inputs.get("skip-chatter") in (True, "true") and not keeps:
            message = f"{job.path} skips chatter, but keeps only one waiting run: a verdict may be lost"
            yield wrong(message, "Set concurrency.queue: max, or remove skip-chatter.")


def check_names(wiring: Wiring) -> Iterator[Finding]:
    """No job is named like one of the gate's statuses, and no other job can write one."""
    contexts = {OVERALL, *contexts_of(wiring)}
    for job in jobs_of(wiring):
        if job.name.lower() in contexts:
            message = f'{job.path}: the job "{job.name}" is called like a status of the gate'
            yield wrong(message, "Give the job another name.")
        told = object_of(job.job.get("permissions", job.workflow.get("permissions")))
        if job.step is None and told.get("statuses") == "write" and OVERALL not in job.path:
            message = f"{job.path}: the job {job.id} may write statuses too, including {OVERALL}"
            yield warning(message, "Remove statuses: write if the job does not need it.")


def check_policy(wiring: Wiring) -> Iterator[Finding]:
    """The policy is valid, and its evidence is not ignored by git."""
    found = policy_in(wiring.policy)
    if not wiring.live and wiring.policy.text is not None:
        alone = load_policy(wiring.policy.text, wiring.policy.path)
        if isinstance(alone, Policy) and alone.extends:
            yield unseen(f"the policy of the organisation, which {alone.source} extends", "Ask with --repo OWNER/NAME.")
            return
    for item in found if not isinstance(found, Policy) else found.problems:
        level = Level.WARNING if isinstance(found, Policy) else Level.WRONG
        yield Finding(level, f"{item.where}: {item.code} {item.message}", item.hint)
    if isinstance(found, Policy):
        shared = wiring.policy.shared
        told = "the built-in profile applies" if shared is None else f"{shared.place} applies, as there is none here"
        told += "" if wiring.live else ", unless the organisation has a policy"
        if wiring.policy.text is not None:
            told = f"{wiring.policy.path} is sound{f' and extends {found.floor}' if found.floor else ''}"
        yield well(f"{told} ({found.profile})")
    for shape in reading_plan(wiring.policy).evidence:
        folder = f"{shape.root}/1" if shape.folders else shape.root
        paths = [f"{folder}/{name}" for name in shape.names or (f"x{shape.ending}",)]
        rule = ignored_by(wiring.files.get(IGNORE_FILE, ""), paths)
        if rule is not None:
            message = f'{rule.path}:{rule.line} ("{plain(rule.pattern)}") keeps {shape.root}/ out of every commit'
            yield wrong(message, "Remove that line: the evidence must be in the branch.")


def check_owners(wiring: Wiring) -> Iterator[Finding]:
    """Who may change the gate itself."""
    text = next((wiring.files[name] for name in OWNER_FILES if name in wiring.files), "")
    words = [line.partition("#")[0].split() for line in text.splitlines()]
    patterns = "\n".join(line[0] if line[1:] else f"!{line[0]}" for line in words if line)
    if ignored_by(patterns, [wiring.policy.path, WORKFLOW]) is None:
        fix = "Add /.github/ @OWNER/TEAM to .github/CODEOWNERS, and require the review of code owners."
        yield warning(".github/ has no code owners: any reviewer can approve a change of the gate", fix)
    elif wiring.rules is None:
        yield unseen("whether the review of code owners is required")
    elif not wiring.rules.get("pull_request", {}).get("require_code_owner_review"):
        message = f"no ruleset of {wiring.branch} requires the review of code owners (branch protection was not seen)"
        yield warning(message, "Require it, so that .github/ changes only with its owners' approval.")
    else:
        yield well(".github/ changes only with its code owners' approval")
    if not any("token" in job.inputs for job in gates_of(wiring)):
        message = "anyone who may push a branch can push a workflow that writes the same status with the same source"
        yield note(message, "If that matters, let your own app write it (input token) and require it from that app.")


def check_queue(wiring: Wiring) -> Iterator[Finding]:
    """A merge queue needs its own answer, one for each entry."""
    queue = (wiring.rules or {}).get("merge_queue")
    if queue is None:
        return
    if not any("merge_group" in job.triggers for job in gates_of(wiring)):
        message = f"{wiring.branch} has a merge queue, but nothing runs on merge_group: it waits for ever"
        yield wrong(message, "Add the trigger merge_group to the gate's workflow.")
    if queue.get("grouping_strategy") == "HEADGREEN":
        message = "the merge queue merges entries whose own group failed"
        yield wrong(message, "Require all entries of a group to pass (ALLGREEN).")


def check_bots(wiring: Wiring) -> Iterator[Finding]:
    """Reviewers, and bots using the policy's formats, that the policy does not name."""
    plan = reading_plan(wiring.policy)
    if wiring.comments is None:
        yield unseen("who speaks on pull requests")
        return
    named = wiring.rules_of.agents.accounts
    seen: dict[str, JSON] = {}
    for comment in wiring.comments:
        user = comment["user"] or {}
        if user.get("type") == "Bot" and (reviewer_of(user["login"]) or plan.carries(comment["body"] or "")):
            seen[user["login"]] = comment
    for login, comment in seen.items():
        number, app = comment["user"]["id"], (comment.get("performed_via_github_app") or {}).get("id")
        if any(each.id == number or each.login.lower() == login.lower() for each in named):
            continue
        reviewer = reviewer_of(login)
        if reviewer is not None:
            message = f"{login} reviews here, and nothing that it says counts: the policy does not name it"
            yield warning(message, f"If it should count, add to agents.accounts: {{format: {reviewer}}}")
            continue
        entry = f'{{login: "{login}", id: {number}{f", app_id: {app}" if app else ""}, roles: [...]}}'
        message = f"{login} speaks as an agent and is ignored: the policy does not name it ({comment['html_url']})"
        yield warning(message, f"If it is yours, add to agents.accounts: {entry}")


# The checks, in the order of the answer, named as in docs/doctor.md.
CHECKS: tuple[tuple[str, Callable[[Wiring], Iterable[Finding]]], ...] = (
    ("required", check_required),
    ("posted", check_source),
    ("event-policy", check_event_policy),
    ("workflow", check_workflow),
    ("lock", check_lock),
    ("triggers", check_triggers),
    ("triggers", check_waking),
    ("permissions", check_permissions),
    ("concurrency", check_concurrency),
    ("names", check_names),
    ("policy", check_policy),
    ("owners", check_owners),
    ("merge queue", check_queue),
    ("bots", check_bots),
)


# The proof.


def forged(wiring: Wiring, saved: Snapshot | None) -> Iterator[Finding]:
    """Green pull requests under the repository's policy, each green only by something that must not count."""
    if not isinstance(policy_in(wiring.policy), Policy):
        yield unseen("whether forgeries are refused, because the policy cannot be used")
        return
    green = recorded_green(wiring.policy, saved)
    if green is None:
        fix = "Save one of your own pull requests (input save-snapshot) and pass it with --snapshot."
        yield unseen("a pull request that is green under this policy, to forge", fix)
        return
    passed: dict[str, bool] = {}
    for name, snapshot in forgeries(green):
        passed[name] = passed.get(name, False) or judge(snapshot).state is State.SUCCESS
    for name in (name for name, green_too in passed.items() if green_too):
        allowed = name in (OWN_VERDICT, OWN_APPROVAL)
        fix = "The policy allows it. Keep it only if that is intended."
        fix = fix if allowed else "Do not rely on the gate, and report this."
        yield (warning if allowed else wrong)(f"{name} turned a pull request green", fix)
    refused = [name for name, green_too in passed.items() if not green_too]
    yield well(f"{len(refused)} kinds of forgeries were refused: {', '.join(refused)}")


# What is said.


def _tell(wiring: Wiring, found: Sequence[Named], terminal: Terminal) -> str:
    terminal.paragraph(f"{wiring.name}, {wiring.branch}")
    for name, each in found:
        mark, colour = MARKS[each.level]
        lead = "could not be checked: " if each.level is Level.UNSEEN else ""
        terminal.paragraph(f"{lead}{each.message}", f"  {mark} {name:<{WIDEST}}  ", colour)
        if each.fix and each.level is not Level.WELL:
            terminal.paragraph(each.fix, f"    {'':<{WIDEST}}  fix: ")
        if each.command:
            terminal.say(plain(each.command, len(each.command)))  # whole: a line that was wrapped cannot be copied
    counts = Counter(each.level for _, each in found)
    fine = "Nothing wrong was found" if counts[Level.UNSEEN] else "Everything is fine"
    begin = fine if is_well(wiring, found) else "The gate is not wired as it should be"
    told = ", ".join(f"{counts[level]} {what}" for level, what in COUNTED.items() if counts[level])
    return f"{begin}{': ' if told else ''}{told}"
