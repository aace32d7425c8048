"""Findings: what a reviewer holds against the work until the reviewer, or a human who may act, ends it (L8, 4.12).

In: votes, review threads and acts. Out: each finding with how it ended, or why it stands; standing ones are words of
the ledger. If a finding has a review thread, only the thread and who resolved it count. Any other finding stands
across contents until a word about the whole change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from phasegate.model.finding import ReviewFinding, Settled
from phasegate.model.frozen import replace
from phasegate.model.ledger import About, AnsweredBy, Word, made_up
from phasegate.model.problem import Where
from phasegate.model.signal import DISMISS, Act, Finding, Medium, Outcome, Role, Source, Vote
from phasegate.model.snapshot import REMOVED
from phasegate.model.texts import Actor, Comment, ReviewThread
from phasegate.rules.accounts import BOT, is_author, is_one
from phasegate.rules.acts import source_of
from phasegate.rules.assess import held_seats

if TYPE_CHECKING:
    from phasegate.rules.ledger import Ledger

APPROVED, REQUESTED = "APPROVED", "CHANGES_REQUESTED"  # what a review says
LINES = re.compile(r":[0-9]+(?:-[0-9]+)?\Z", re.ASCII)  # the line numbers after a location's path
NEW_PATHS = ("added", "renamed", "copied")  # GitHub's words for a file that is new at its path


class Raised(NamedTuple):
    """A finding as its reviewer raised it, in a review thread or in a vote: the facts that the rows below ask for."""

    at: Findings
    role: Role
    source: Source
    finding: Finding
    commit: str | None  # the head that it was raised on
    path: str  # the file that it is about
    thread: ReviewThread | None = None
    vote: Vote | None = None

    @property
    def resolver(self) -> Actor | None:
        """The account that resolved its thread."""
        return None if self.thread is None else self.thread.resolved_by

    @property
    def by_itself(self) -> bool:
        """True if the reviewer who raised it resolved it."""
        return is_one(self.source.author, self.resolver)

    @property
    def has_left(self) -> bool:
        """True if the pull request once changed its file and no longer does. A file new since then may be the same."""
        snapshot = self.at.ledger.snapshot
        files, held = snapshot.files, next((each.paths for each in snapshot.contents if each.commit == self.commit), ())
        gone = files.complete and self.path in (held or ()) and self.path not in files.paths
        return gone and all(each.path in (held or ()) for each in files.entries if each.status in NEW_PATHS)

    @property
    def is_changed(self) -> bool:
        """True if its file has other content than when it was raised; false if unknown."""
        thread, files = self.thread, self.at.ledger.snapshot.files
        if thread is None or thread.blob is None:
            return False
        entry = next((each for each in files.entries if thread.path in (each.path, each.previous_path)), None)
        if entry is None:  # gone, unless it was only renamed
            return files.complete and all(each.blob != thread.blob for each in files.entries)
        return entry.status == REMOVED or entry.blob != thread.blob

    @property
    def refusal(self) -> str | None:
        """Why the account that resolved it may not do so, or None."""
        if self.resolver is None or self.resolver.type == BOT:
            return "the account is gone" if self.resolver is None else "it is an app"
        gone = replace(self.source, author=self.resolver, app_id=None, medium=Medium.COMMENT)
        return next((each.reason for each in self.at.ledger.accounts.speaker(gone).act_refusals), None)

    @property
    def approvals(self) -> list[str | None]:
        """For each later approval of the present content by its reviewer: who asked for it, or None."""
        if self.vote is not None and not self.at.footprints[self.role.dialect].approves:
            return []
        reviews = self.at.ledger.approving(self.source.author, self.source.at)
        return [self.addressed(until=review.created_at) for review in reviews]

    @property
    def is_passed(self) -> bool:
        """True if its reviewer later passed the whole change, on the head it was raised on or a later one.

        On the same head only a review after a review counts, or a rating after one without findings: anything else may
        come from the very run that raised it. If the old content is back, or may be, a pass of other content does not
        end it (L7).
        """
        timeline, rated = self.at.ledger.timeline, self.vote is not None and not self.vote.signal.findings
        arrived, back = timeline.arrived, self.commit is None or timeline.is_current(self.commit, self.source.at)
        for vote in self.at.ledger.votes:
            source = vote.source
            said = vote.signal.whole and vote.why is None and vote.heard
            own = vote.role == self.role.name and vote.outcome is Outcome.PASS and source.by_author
            if said and own and vote.commit and (vote.fresh or not back) and source.is_after(self.source):
                again = source.medium is self.source.medium and (rated or source.medium is Medium.REVIEW)
                if (again and vote.commit == self.commit) or arrived(vote.commit) > arrived(self.commit or ""):
                    return True
        return False

    @property
    def dismissal(self) -> Act | None:
        """A human's act that dismissed this reviewer's findings after it was raised, or None."""
        acts = (act for act in self.at.ledger.acts if act.counts and act.command.verb == DISMISS)
        own = (act for act in acts if act.command.phase in (self.role.name, self.role.dialect))
        return next((act for act in own if act.source.at > self.source.at), None)

    def addressed(self, until: str = "~") -> str | None:
        """Who addressed the reviewer since and may have persuaded it to resolve the finding.

        That is the author, an agent or somebody without write permission: by the reviewer's handle, by a reply in the
        thread, or in a comment deleted since. Two events in the same second may have come in either order.
        """
        login, footprint = self.source.login.lower().removesuffix("[bot]"), self.at.footprints[self.role.dialect]
        for at, author, text in self._said():
            told = text is None or any(handle in text.lower() for handle in (f"@{login}", *footprint.handles))
            if self.source.at <= at <= until and told and self._may_persuade(author):
                return "somebody" if author is None else author.login
        return None

    def _said(self) -> Iterator[tuple[str, Actor | None, str | None]]:
        """Time, author and text of everything said here. The text is None if it addresses the reviewer anyway."""
        snapshot = self.at.ledger.snapshot
        for said in (*snapshot.comments, *snapshot.reviews):
            yield from ((edit.at, edit.editor or said.author, edit.text) for edit in said.versions)
            if not said.history_complete:
                yield said.edited_at or said.created_at, said.author, None
        yield from ((trace.at, trace.author, None) for trace in snapshot.deleted_comments)
        for thread in snapshot.threads:
            own = thread is self.thread
            yield thread.created_at, thread.author, thread.text
            if own and not thread.complete:
                yield "~", None, None
            for reply in thread.replies:
                text = None if own or reply.edited_at is not None else reply.text
                yield max(reply.at, reply.edited_at or ""), reply.author, text

    def _may_persuade(self, author: Actor | None) -> bool:
        """True if an account's words may make the reviewer take back a finding about that account's own work."""
        ledger = self.at.ledger
        if author is None or is_author(ledger.snapshot, author):
            return True
        if is_one(author, self.source.author):
            return False
        who = ledger.accounts.speaker(replace(self.source, author=author))
        return bool(who.entries) or author.id in ledger.accounts.agents or who.lacks("write")


# The state of a finding, and when it holds; the first row that holds decides.
Ends = tuple[tuple[str, Callable[[Raised], bool]], ...]
LIFTED: Ends = (
    ("advice", lambda raised: not raised.finding.blocking),
    ("dismissed", lambda raised: raised.dismissal is not None),
)
# 4.12: a review thread. GitHub tells neither when it was resolved nor why.
THREAD: Ends = (
    *LIFTED,
    ("open", lambda raised: raised.thread is not None and not raised.thread.resolved),
    # its file is what it was raised on, after it was something else
    ("returned", lambda raised: raised.by_itself and raised.thread is not None and raised.thread.blob is not None and
     not raised.is_changed and (bool(raised.thread.since) or raised.thread.outdated)),
    ("fixed", lambda raised: raised.by_itself and raised.is_changed),
    ("commanded", lambda raised: raised.by_itself and raised.addressed() is not None),
    ("withdrawn", lambda raised: raised.by_itself),
    ("resolved", lambda raised: raised.refusal is None),
    ("not_allowed", lambda _: True),
)  # fmt: skip
# 4.12: what stands in a body alone. "No new comments" is not among the rows.
BODY: Ends = (
    *LIFTED,
    ("left", lambda raised: raised.has_left),
    ("whole", lambda raised: raised.is_passed),
    ("approved", lambda raised: None in raised.approvals),
    ("asked", lambda raised: bool(raised.approvals)),
    ("unanswered", lambda _: True),
)  # fmt: skip
# L8: a request for changes stands, whatever content it was given for.
REQUEST: Ends = (
    *LIFTED,
    ("approved", lambda raised: None in raised.approvals),
    ("asked", lambda raised: bool(raised.approvals)),
    ("requested", lambda _: True),
)


class Findings:
    """All findings of the pull request's reviewers, and how each ended."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.reviewers = ledger, ledger.policy.reviewers
        self.footprints = {dialect.name: dialect.footprint for dialect in ledger.policy.dialects}

    @cached_property
    def raised(self) -> tuple[tuple[Raised, ReviewFinding], ...]:
        """Every finding with how it stands, oldest first."""
        if not self.reviewers:
            return ()
        sources = ((THREAD, self._in_threads()), (REQUEST, self._requests()), (BODY, self._in_bodies()))
        found = ((raised, _with_outcome(raised, ends)) for ends, several in sources for raised in several)
        return tuple(sorted(found, key=lambda each: (each[1].at, each[1].id)))

    def words(self) -> Iterator[Word]:
        """The findings as words of the ledger; those that stand are about whatever content is there."""
        for raised, told in self.raised:
            if raised.vote is not None and not told.stands:
                continue  # its vote is in the ledger anyway
            same = raised.commit is not None and self.ledger.timeline.is_current(raised.commit, told.at)
            failed = raised.vote is None or raised.vote.outcome is not Outcome.BLOCKED
            yield Word(
                seat=raised.role.name,
                vote=made_up(raised.source, raised.role),
                about=About.NOW if told.stands or same else About.OTHER,
                good=False,
                valid=True,
                failed=failed,
                fails=failed,
                stands=told.stands,
                answered_by=AnsweredBy.ITSELF,
                finding=told,
            )

    def settles(self, vote: Vote) -> bool:
        """True if everything a vote objects to is in threads, or was dismissed, and has ended.

        A word about the whole change does not by itself answer a vote about the present content (L9).
        """
        against = vote.why is None and vote.outcome in (Outcome.FAIL, Outcome.BLOCKED)
        if vote.role not in self.reviewers or not against:
            return False
        counts = sum(each.count for each in vote.signal.findings if each.blocking and each.threaded)
        own = [told for raised, told in self.raised if raised.vote is vote]
        threads = ((raised, told) for raised, told in self.raised if raised.role.name == vote.role)
        there = [told for raised, told in threads if raised.thread is not None and _is_with(raised.thread, vote)]
        if not counts and all(told.threaded for told in own):
            return False
        ended = not any(told.stands or told.settled is Settled.WHOLE for told in (*own, *there))
        return ended and (len(there) >= counts or bool(own))

    def _formal(self, said: ReviewThread | Comment, name: str) -> Iterator[tuple[Role, Source]]:
        """The reviewer's seats that may speak in a thread or review, each with the source."""
        source = source_of(said, name)
        for seat in held_seats(self.ledger, source):
            if seat in self.reviewers and not self.ledger.accounts.speaker(source, seat).refusals:
                yield self.ledger.policy.role(seat), source

    def _in_threads(self) -> Iterator[Raised]:
        for each in self.ledger.snapshot.threads:
            for role, source in self._formal(each, f"thread-{each.id}"):
                read = self.footprints[role.dialect].thread
                if read is not None:
                    found = read(each.text, Where(url=each.url))
                    # what another hand made of it is no severity
                    found = found if is_own_text(each) else replace(found, blocking=True)
                    yield Raised(self, role, source, found, source.commit, each.path, thread=each)

    def _requests(self) -> Iterator[Raised]:
        """Standing requests for changes. A dismissed one is judged elsewhere."""
        for each in self.ledger.snapshot.reviews:
            if (each.state or "").upper() == REQUESTED:
                told = Finding(id="", severity="", summary="requests changes", blocking=True, where=Where(url=each.url))
                for role, source in self._formal(each, f"review-{each.id}"):
                    yield Raised(self, role, source, told, source.commit, "")

    def _in_bodies(self) -> Iterator[Raised]:
        """Findings in votes without a thread; of a text, the newest version that has the finding."""
        found: dict[object, Raised] = {}
        for vote in self.ledger.votes:
            source, role = vote.source, vote.role or ""
            if vote.signal.across and vote.heard and source.by_author and role in self.reviewers:
                for each in self._without_thread(vote):
                    path, seat = LINES.sub("", each.location), self.ledger.policy.role(role)
                    raised = Raised(self, seat, source, each, vote.commit, path, vote=vote)
                    found[role, source.id, each.location, each.summary] = raised
        yield from found.values()

    def _without_thread(self, vote: Vote) -> Iterator[Finding]:
        """A vote's findings that no thread holds. Of a bare count, as many as no thread accounts for."""
        yield from (each for each in vote.signal.findings if not each.threaded)
        counts = [each for each in vote.signal.findings if each.threaded and each.blocking]
        threads = self.ledger.snapshot.threads
        missing = sum(each.count for each in counts) - sum(_is_with(each, vote) for each in threads)
        if counts and missing > 0:
            yield replace(counts[0], count=missing, threaded=True)
        if (vote.failed or vote.outcome is Outcome.BLOCKED) and not vote.signal.findings:
            word = vote.signal.said or "it failed"
            yield Finding(id="", severity="", summary=word, blocking=True, where=vote.signal.where)


def is_own_text(thread: ReviewThread) -> bool:
    """True if only its author edited a thread's first comment last."""
    return thread.edited_at is None or is_one(thread.editor, thread.author)


def _is_with(thread: ReviewThread, vote: Vote) -> bool:
    """True if a thread may hold a finding that a vote counts: same review, or the commit that a comment names."""
    if vote.source.medium is Medium.REVIEW:
        return thread.review == vote.source.number
    return thread.commit == vote.commit is not None and is_one(thread.author, vote.source.author)


def _with_outcome(raised: Raised, ends: Ends) -> ReviewFinding:
    """A finding with the first row that holds, and who did it."""
    settled = Settled(next(name for name, holds in ends if holds(raised)))
    by, reason = "", ""
    if settled is Settled.DISMISSED and raised.dismissal is not None:
        by, reason = raised.dismissal.source.login, raised.dismissal.command.reason
    elif settled in (Settled.COMMANDED, Settled.ASKED):
        by = (raised.approvals[-1] if settled is Settled.ASKED else raised.addressed()) or ""
    elif settled in (Settled.RESOLVED, Settled.NOT_ALLOWED):
        by = "" if raised.resolver is None else raised.resolver.login
        opened = "who opened this pull request" if is_author(raised.at.ledger.snapshot, raised.resolver) else ""
        reason = raised.refusal or opened
    return ReviewFinding(
        id=raised.source.id,
        role=raised.role.name,
        by=raised.source.login,
        url=raised.finding.where.url or raised.source.url,
        at=raised.source.at,
        summary=raised.finding.summary,
        severity=raised.finding.severity,
        path=raised.path,
        commit=raised.commit,
        threaded=raised.thread is not None,
        count=raised.finding.count,
        settled=settled,
        ended_by=by,
        reason=reason,
    )
