"""Fetching: everything about one pull request, complete or an error, in a few trips one after the other.

The first trip reads the pull request with its issues and first comments, and by REST the first page of comments and
files. The others read the parts that then turn out to be necessary. The last one also asks, in one question, whether
everything is still the same; if not, everything is read again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from phasegate.github.client.answers import LATER, CutShortError, GitHubError, MissingError, MovedError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading import nodes, opening
from phasegate.github.reading.conversation import contexts, mode_questions
from phasegate.github.reading.files import BranchFiles, with_queue
from phasegate.github.reading.fingerprint import THREADS, Look, Sight, at_once, look_again, looks_read, told_checks
from phasegate.github.reading.moves import OPEN, RecordFound, life_of, moves_of, whole_record
from phasegate.github.reading.nodes import Compared, changed_file, compared_content, happened
from phasegate.github.reading.opening import Target, Trip, issue_of
from phasegate.github.reading.parts import AGAIN, MOST_FILES, PARTS, Reading
from phasegate.github.reading.people import FORMER
from phasegate.github.reading.queries import PAGE
from phasegate.github.reading.waves import read_parts, wave
from phasegate.github.record import DAY, Life, seconds
from phasegate.model.contexts import context_in
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.snapshot import FORMAT, ChangedFiles, Content, PolicyFile, Snapshot
from phasegate.model.texts import Comment, Person, is_own

TRIES = 3
# What moved may still be moving, or not all of GitHub's machines know of it yet.
BETWEEN_TRIES = (1.0, 2.0)
JSON = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """A snapshot, and the pull request's state when it was read."""

    snapshot: Snapshot
    plan: ReadingPlan  # by what it was read
    sight: Sight
    looked: bool  # it was seen to look so still after it was read
    life: Life
    left: tuple[tuple[str, str], ...] = ()  # commits that are the head no more and have a success, with its context


Looks = Callable[[Client, Sight], bool]


def fetch(  # noqa: PLR0913, PLR0917  (what to read, and what the caller lends)
    client: Client,
    target: Target,
    now: Callable[[], str],
    plan: Callable[[PolicyFile], ReadingPlan],
    trip: Trip | None = None,
    noticed: Callable[[str], object] = str,
    looks: Looks = at_once,
) -> Fetched:
    """The snapshot of a pull request. One that keeps changing is an error, not a mixture.

    Authors, commits and files are looked up only if somebody's words need them. ``trip``: the first trip, if already
    started. ``noticed`` is called with each head as soon as it is known. ``looks``: when to look again.
    """
    moved = ""
    for attempt in range(TRIES):
        if attempt:
            client.pause(BETWEEN_TRIES[attempt - 1], "waiting until the pull request stays as it is")
        with as_documented(f"{target.repository}#{target.number}"):
            begun = trip or opening.set_out(client, target)
            trip = None
            try:
                opened = opening.opening_of(target, begun.results())
            finally:
                if "main" in begun.so_far:
                    noticed(begun.so_far["main"][0]["pullRequest"]["headRefOid"])
            try:
                policy = opening.policy_told(opened.repository, target.policy_path)
                policy, wanted = opening.with_plan(client, target.repository, policy, plan)
                wanted = replace(wanted, issues=tuple(issue["number"] for issue in opened.own_issues))
                files = BranchFiles.of(client, opened, wanted)
                return _fetched(Reading(client, opened, wanted, files), policy, now(), looks)
            except (CutShortError, MissingError, MovedError) as error:
                moved = str(error)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was read ({moved}). {LATER}")


def _fetched(reading: Reading, policy: PolicyFile, taken_at: str, looks: Looks) -> Fetched:
    """One attempt, after its first trip."""
    client, opened, plan, results = reading.client, reading.opened, reading.plan, reading.results
    read_parts(client, PARTS, reading, results)
    words = [item.assembled(reading.details, reading.versions, plan.carries) for item in reading.listed]
    read = looks_read(opened, plan, reading.events, reading.late_reviews, results)
    look = Look.of(opened, plan, reading.late_reviews, results.get(THREADS))
    sight = Sight.of(look, opened, read, (words[0], *words[2:]))
    if looked := bool(again := reading.named(AGAIN)):
        look_again(client, sight, again)
    looked = looked or looks(client, sight)
    life = life_of(client, opened, taken_at)
    snapshot = with_queue(
        client, _assembled(reading, policy, words, life, taken_at), opened.target.group, plan.leaves_out
    )
    left = results.get(("record", 0), RecordFound()).green
    return Fetched(snapshot=snapshot, plan=plan, sight=sight, looked=looked, left=left, life=life)


def _changed_files(reading: Reading) -> ChangedFiles:
    """The changed files by their list and, if it is doubtful, by a comparison of the head."""
    entries = [changed_file(entry) for page in reading.file_lists for entry in page]
    expected, told = reading.opened.pull["changedFiles"], reading.of("pinned")
    if reading.miscounted() and told in ([], [None]):
        raise MovedError(f"{len(entries)} changed files read, {expected} expected")
    if any(pinned is not None and set(pinned) != set(entries) for pinned in told):
        raise MovedError("the changed files were those of another head")
    complete = max(expected, len(entries)) <= MOST_FILES and None not in told
    return ChangedFiles(complete=complete, entries=tuple(entries))


def _contents(reading: Reading, files: ChangedFiles) -> tuple[Content, ...]:
    """The content of the head and of each compared older head."""
    compared: list[Compared] = sorted(reading.of("content"), key=lambda each: each.head)
    modes = reading.merged("modes") | {place: mode for each in compared for place, mode in each.modes.items()}
    present = compared_content(reading.head, files.entries if files.complete else None, modes, reading.plan)
    older = (compared_content(each.head, each.files, modes, reading.plan) for each in compared)
    return (Content(commit=reading.head, digest=present.digest), *older)


def _assembled(
    reading: Reading, policy: PolicyFile, words: list[tuple[Comment, ...]], life: Life, taken_at: str
) -> Snapshot:
    opened, files, results, own = reading.opened, _changed_files(reading), reading.results, reading.opened.own_issues
    events, *of_issues = reading.events
    pull, links = opening.pull_request_of(opened, events), reading.links
    issues = [issue_of(*each) for each in zip(own, of_issues, words[2:], strict=True)]
    foreign = [issue_of(node, [], ()) for node in opened.issues if node not in own]
    people: list[Person] = [found for found in reading.of("person") if found is not None]
    statuses = nodes.statuses(contexts(opened.commit))
    here = results.get(("own record", 0), [(reading.head, each) for each in statuses])
    older = results.get(("record", 0), RecordFound())
    return Snapshot(
        snapshot=FORMAT,
        taken_at=taken_at,
        repository=opening.repository_of(opened),
        pull_request=replace(pull, base_changes=reading.base_changes, links=links.events, relinked_at=links.changed_at),
        policy=policy,
        people=tuple(sorted(people, key=lambda person: person.id)),
        teams=tuple(reading.of("team")),
        comments=words[0],
        reviews=nodes.with_dismissals(words[1], events),
        threads=reading.review_threads.assembled(reading.of("blobs"), results["log"].moves),
        deleted_comments=happened(events, nodes.DELETED_COMMENTS),
        issues=(*issues, *foreign),
        former_issues=tuple(each for each in reading.of(FORMER) if each is not None),
        ref_log=results["log"],
        contents=_contents(reading, files),
        files=files,
        checks=told_checks(results),
        statuses=statuses,
        siblings=opening.siblings_of(opened, results["open"]),
        own_account=opened.own_account,
        record=whole_record(here, older, opened.own_account, reading.head, life),
        dispatch_approvals=tuple(each for found in reading.of("approvals") for each in found),
        cited_files=tuple(sorted(reading.of("cited"), key=lambda file: file.path)),
        instruction_links=tuple(link for links in reading.of("steering") for link in links or ()),
        instruction_links_complete=None not in reading.of("steering"),
        branch_files=reading.files.artifacts(results),
        branch_files_ignored=reading.files.ignored(results),
        branch_files_unseen=reading.files.unseen(results),
        commits=reading.files.commits(results),
        commits_complete=reading.files.commits_complete,
        base_in_context=opened.target.base_in_context,
    )


# Runs wait for a runner; after this long one that was started has reported.
PATIENCE = 600.0


def _present_since(client: Client, repository: str, branch: str, tip: str, path: str) -> float | None:
    """Since when a file is on a branch, by GitHub's log, or None if it is not, or unknown.

    Before the part of the log that was read it may have been different.
    """
    moves = moves_of(client, repository, branch)
    if moves is None:
        return None
    commits = dict.fromkeys([tip, *(move["before"] for move in moves)])
    told = wave(client, dict(enumerate(mode_questions(repository, [(commit, path) for commit in commits])))).values()
    there = {commit: held is not None for each in told for (commit, _), held in each.items()}
    if not there[tip]:
        return None
    came = next((move["timestamp"] for move in moves if not there[move["before"]]), None)
    if came is None and len(moves) >= PAGE:
        came = moves[-1]["timestamp"]
    return 0.0 if came is None else seconds(came)


def unreported(client: Client, snapshot: Snapshot, target: Target) -> str | None:
    """When the head came, if a run should have reported on it and none has; None if uncertain.

    GitHub's clock decides, not the runner's. The statuses of a head older than the retention may be gone. If
    everything else holds, two requests ask how long the workflow has been on the default branch.
    """
    came, now = _came(snapshot), client.there(client.now())
    if target.workflow is None or came is None or now is None:
        return None
    if any(context_in(each.context) and is_own(each.creator, snapshot.own_account) for each in snapshot.statuses):
        return None
    if not PATIENCE < now - seconds(came) < target.retention_days * DAY:
        return None
    tip, branch = snapshot.policy.commit, snapshot.repository.default_branch
    since = None
    with suppress(GitHubError), as_documented("the log of the default branch"):
        since = _present_since(client, snapshot.repository.name, branch, tip, target.workflow) if tip else None
    return came if since is not None and since < seconds(came) else None


def _came(snapshot: Snapshot) -> str | None:
    """When the head became the open pull request's: by a push, its opening, or its reopening."""
    pull = snapshot.pull_request
    moves = pull.head_moves(snapshot.ref_log.moves)
    if pull.state != OPEN or not moves or moves[-1].after != pull.head.sha:
        return None
    return max(moves[-1].at, pull.created_at, *(change.at for change in pull.state_changes))
