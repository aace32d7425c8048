"""The mark: the fingerprint of a decision, at the end of the link of each status that the gate writes.

If a later question finds the same fingerprint, a run for a comment or a sweep reads nothing else of the pull request.
Of the comments, only those count that hold something for the gate in any version, or are by an account that a seat
waits for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from phasegate.github.client.client import Client
from phasegate.github.reading import nodes
from phasegate.github.reading.fingerprint import Looks, Sight, check_tasks, looks_told, places_of
from phasegate.github.reading.opening import Target, policy_told
from phasegate.github.reading.queries import Window, look_query
from phasegate.github.record import is_record, lasts, seconds
from phasegate.model.codec import text_digest
from phasegate.model.contexts import context_in, context_name, is_of
from phasegate.model.frozen import dataclass, replace
from phasegate.model.plan import ReadingPlan
from phasegate.model.report import State, StatusLine
from phasegate.model.snapshot import CommitStatus, PolicyFile, Snapshot
from phasegate.model.texts import Actor, is_own

JSON = dict[str, Any]
HOUR = 3600
# What no event tells, such as a permission that is gone, is noticed within a day; what expires, within an hour.
LASTS, EXPIRING_LASTS = 20 * HOUR, HOUR
# How often a status is written anew at most, because it was decided on what changed none; GitHub takes 1,000 in all.
WORN = 6 * HOUR
LENGTH, LESS, SHORT, MOST_AWAITED = 32, 16, 8, 12
MARK = re.compile(
    rf"#(?P<kind>seen|told)-(?P<since>[0-9]{{1,11}})-(?P<digest>[0-9a-f]{{{LENGTH}}})-(?P<scene>[0-9a-f]{{{LESS}}})"
    rf"(?P<awaited>(?:-[0-9a-f]{{{SHORT}}})*)",
    re.ASCII,
)
# Two things of almost the same time may have come in another order than they are told.
MARGIN = 5
# A success is confirmed anew by every run, and what could not be decided is tried again.
MAY_STAND = (State.PENDING.value, State.FAILURE.value)
STILL = look_query("Still", Window(), threads=1, at_head=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """The end of a status's link.

    ``since``: the time, in seconds, from which comments are compared. ``scene``: the digest of everything else.
    ``awaited``: the accounts whose every comment counts, as the beginning of a digest of their logins. ``whole``: true
    if one question reads everything that counts; otherwise only a sweep uses the mark, which decides everything once a
    day anyway.
    """

    since: int
    digest: str
    scene: str
    awaited: frozenset[str]
    whole: bool

    @staticmethod
    def found_in(link: str) -> Mark | None:
        """The mark at the end of a link, or None."""
        match = MARK.search(link)
        if match is None:
            return None
        return Mark(
            since=int(match["since"]),
            digest=match["digest"],
            scene=match["scene"],
            awaited=frozenset(filter(None, match["awaited"].split("-"))),
            whole=match["kind"] == "seen",
        )

    @staticmethod
    def of(looks: Looks, states: Mapping[str, str], since: int, awaited: frozenset[str], *, whole: bool) -> Mark:
        """The mark of a pull request's state and decision, with an empty digest if the state is incomplete."""
        seen = replace(looks, plan=replace(looks.plan, schemas=()))  # the default branch may move on
        beside = (sorted(map(list, states.items())), sorted(awaited))
        told = seen.fingerprint(since, partial(_counts, looks.plan, awaited), *beside) or ""
        scene = seen.scene(*beside)[:LESS]
        return Mark(since=since, digest=told[:LENGTH], scene=scene, awaited=awaited, whole=whole)

    def is_of(self, looks: Looks, states: Mapping[str, str]) -> bool:
        """True if everything that counts is still the same."""
        return Mark.of(looks, states, self.since, self.awaited, whole=self.whole).digest == self.digest

    def is_scene_of(self, looks: Looks, states: Mapping[str, str]) -> bool:
        """True if everything except comments is still the same, and no comment was touched since."""
        return Mark.of(looks, states, self.since, self.awaited, whole=self.whole).scene == self.scene

    def __str__(self) -> str:
        """The mark in the form used in links."""
        kind = "seen" if self.whole else "told"
        return "-".join([f"#{kind}-{self.since}", self.digest, self.scene, *sorted(self.awaited)])


def mark_of(snapshot: Snapshot, sight: Sight, lines: Iterable[StatusLine], awaited: Iterable[str]) -> str:
    """The mark of a decision; "" if texts may have changed in the second in which they were read.

    GitHub may answer next time what it did not answer now. Then the mark is not ``whole``.
    """
    logins, looks = frozenset(map(_short, awaited)), sight.looks
    if looks.bodies or len(logins) > MOST_AWAITED:
        return ""
    states = {line.context.lower(): line.state.value for line in lines}
    whole = snapshot.ref_log.complete and snapshot.files.complete and _can_tell(looks.plan)
    return str(Mark.of(looks, states, sight.since, logins, whole=whole))


def is_worn(standing: Iterable[CommitStatus], link: str, now: float) -> bool:
    """True if none of our statuses has the mark of a link, and the last one was written a while ago."""
    ours = [each for each in standing if _is_ours(each)]
    mark, marks = Mark.found_in(link), [Mark.found_in(each.url or "") for each in ours]
    return mark not in marks and now - max((seconds(each.at) for each in ours), default=0) >= WORN


def _short(login: str) -> str:
    return text_digest(login.lower()).partition(":")[2][:SHORT]


def _can_tell(plan: ReadingPlan) -> bool:
    """True if everything that counts under a policy fits into one question."""
    return bool(plan.triggers) and not plan.schemas and plan.approvals is None


def _counts(plan: ReadingPlan, awaited: frozenset[str], texts: list[str], author: Actor) -> bool:
    """True if a comment with these texts makes a difference.

    For an account that the policy names, it must hold something or be awaited.
    """
    if plan.is_chatter(texts, author):
        return False
    by_name = author.login.lower() in plan.named and not plan.teams
    return not by_name or _short(author.login) in awaited or any(map(plan.carries, texts))


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """The statuses on a head in contexts of the gate for its base: its own, others', and the overall one.

    ``stray``: true if there is a success in the name of another base.
    """

    ours: tuple[CommitStatus, ...]
    foreign: tuple[CommitStatus, ...]
    overall: CommitStatus | None
    stray: bool

    @staticmethod
    def among(statuses: Iterable[CommitStatus], base: str | None, account: Actor | None) -> Written:
        """The gate's statuses among all of a head, without the record."""
        written = [each for each in statuses if _is_ours(each)]
        here = [each for each in written if is_of(each.context, base)]
        named = context_name(base=base).lower()
        return Written(
            ours=tuple(each for each in here if is_own(each.creator, account)),
            foreign=tuple(each for each in here if not is_own(each.creator, account)),
            overall=next((each for each in here if each.context.lower() == named), None),
            stray=any(each.state == State.SUCCESS.value for each in written if each not in here),
        )

    @property
    def is_last(self) -> bool:
        """True if the gate wrote the overall status, and nobody wrote to a context of the gate since."""
        last = self.overall
        return last in self.ours and not any(seconds(each.at) + MARGIN > seconds(last.at) for each in self.foreign)

    @property
    def states(self) -> dict[str, str]:
        """The states of its own statuses by context in lower case."""
        return {each.context.lower(): each.state for each in self.ours}

    @property
    def marks(self) -> list[Mark]:
        """The marks in their links."""
        return [mark for each in self.ours if (mark := Mark.found_in(each.url or "")) is not None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """The status on a head for which nothing has changed: the overall state, its description, and its run.

    ``phases``: the state of each phase.
    """

    number: int
    head: str
    state: str
    phases: Mapping[str, str]
    says: str
    url: str


def standing(
    client: Client, target: Target, plans: Callable[[PolicyFile], ReadingPlan], heard: tuple[int, str]
) -> Standing | None:
    """The status on the head, if it was decided from the present state; None if not, or unknown.

    ``heard``: the event's comment, and when it was touched. One of GitHub's machines that does not know this comment
    yet may lack others, too.
    """
    answer = client.divisible("Still", STILL, target.named)
    repository = answer["repository"]
    pull, own = repository["pullRequest"], nodes.viewer(answer.get("viewer"))
    commits = [node["commit"] for node in pull["commits"]["nodes"]]
    whole = len(pull["reviews"]["nodes"]) == pull["reviews"]["totalCount"]
    whole = whole and None not in pull["closingIssuesReferences"]["nodes"]  # which may be one of this repository
    at_head = [each["oid"] for each in commits] == [pull["headRefOid"]]
    if pull["number"] != target.number or pull["state"] != "OPEN" or not at_head or not whole:
        return None
    statuses = nodes.statuses((commits[0]["status"] or {}).get("contexts", []))
    written = Written.among(statuses, pull["baseRefName"] if target.base_in_context else None, own)
    overall = written.overall
    if overall is None or overall.state not in MAY_STAND or written.foreign or written.stray:
        return None
    plan = plans(policy_told(repository, target.policy_path))
    if not _can_tell(plan) or not _is_up_to_date(repository, *heard):
        return None
    if not _holds(client, target, repository, plan, written):
        return None
    return Standing(
        number=target.number,
        head=pull["headRefOid"],
        state=overall.state,
        phases={named.phase: each.state for each in written.ours if (named := context_in(each.context)) is not None},
        says=overall.description,
        url=MARK.sub("", overall.url or ""),
    )


def _is_ours(status: CommitStatus) -> bool:
    return context_in(status.context) is not None and not is_record(status.context)


def _holds(client: Client, target: Target, repository: JSON, plan: ReadingPlan, written: Written) -> bool:
    """True if one of our statuses was written for the present state, and not too long ago."""
    now, longest = client.there(client.now()), EXPIRING_LASTS if plan.expiring else LASTS
    most = min(longest, lasts(target.retention_days))
    recent = tuple(each for each in written.ours if now is not None and now - seconds(each.at) < most)
    marks = [mark for mark in replace(written, ours=recent).marks if mark.whole]
    if not marks:
        return False
    commit = repository["pullRequest"]["commits"]["nodes"][0]["commit"]
    tasks = check_tasks(client, target.root, commit["oid"], plan.runs_of)
    looks = looks_told(Window(), repository, commit, plan, [], client.together(tasks) if tasks else {})
    return looks is not None and not any(looks.hidden) and any(each.is_of(looks, written.states) for each in marks)


def _is_up_to_date(repository: JSON, comment: int, touched: str) -> bool:
    """True if a comment was returned with this change or a later one."""
    told = [node for place in places_of(repository) for node in place["comments"]["nodes"]]
    return any(
        nodes.number(node["fullDatabaseId"]) == comment and seconds(node["updatedAt"]) >= seconds(touched)
        for node in told
    )
