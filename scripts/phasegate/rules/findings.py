"""Findings that stand: what a reviewer holds against the work until it, or a human who may act, ends it (L8, 4.12).

In: weighed votes, review threads and acts. Out: each finding with how it ended, or why it still stands; those that
stand are facts of the ledger. One with a review thread is told by the thread alone, and who resolved it decides. Any
other stands across contents until a word about the whole change.
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
LINES = re.compile(r":[0-9]+(?:-[0-9]+)?\Z", re.ASCII)  # of a location, behind its path
NEW_PATHS = ("added", "renamed", "copied")  # as GitHub calls files that stand at a path since


class Raised(NamedTuple):
    """A finding as its reviewer raised it, in a review thread or in the words of a vote: what the rows below ask."""

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
        """Who resolved its thread."""
        return None if self.thread is None else self.thread.resolved_by

    @property
    def by_itself(self) -> bool:
        """True if its reviewer resolved it."""
        return is_one(self.source.author, self.resolver)

    @property
    def has_left(self) -> bool:
        """True if the pull request changed its file then and no longer does; a file that is new since may be it."""
        snapshot = self.at.ledger.snapshot
        files, held = snapshot.files, next((each.paths for each in snapshot.contents if each.commit == self.commit), ())
        gone = files.complete and self.path in (held or ()) and self.path not in files.paths
        return gone and all(each.path in (held or ()) for each in files.entries if each.status in NEW_PATHS)

    @property
    def is_changed(self) -> bool:
        """True if its file is another one than it was raised on; where that is not known, it is not."""
        thread, files = self.thread, self.at.ledger.snapshot.files
        if thread is None or thread.blob is None:
            return False
        entry = next((each for each in files.entries if thread.path in (each.path, each.previous_path)), None)
        if entry is None:  # gone, unless it was only renamed
            return files.complete and all(each.blob != thread.blob for each in files.entries)
        return entry.status == REMOVED or entry.blob != thread.blob

    @property
    def refusal(self) -> str | None:
        """Why who resolved it may not; none if they may."""
        if self.resolver is None or self.resolver.type == BOT:
            return "the account is gone" if self.resolver is None else "it is an app"
        gone = replace(self.source, author=self.resolver, app_id=None, medium=Medium.COMMENT)
        return next((each.reason for each in self.at.ledger.accounts.speaker(gone).act_refusals), None)

    @property
    def approvals(self) -> list[str | None]:
        """Who asked for each later approval of what is there now by its reviewer; none for one nobody asked for."""
        if self.vote is not None and not self.at.footprints[self.role.dialect].approves:
            return []
        reviews = self.at.ledger.approving(self.source.author, self.source.at)
        return [self.addressed(until=review.created_at) for review in reviews]

    @property
    def is_passed(self) -> bool:
        """True if its reviewer passed the whole change later, on no earlier head than it was raised on.

        On the same head that takes a review after a review, or a rating after one that lists none: what else says
        so may be of the very run that raised it. What is there again as it was then, or may be, is not ended by a pass
        of something else (L7).
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
        """A human's act that dismissed the reviewer's findings after it was raised."""
        acts = (act for act in self.at.ledger.acts if act.counts and act.command.verb == DISMISS)
        own = (act for act in acts if act.command.phase in (self.role.name, self.role.dialect))
        return next((act for act in own if act.source.at > self.source.at), None)

    def addressed(self, until: str = "~") -> str | None:
        """Who addressed the reviewer since, and may have talked it into resolving it.

        That is the author, an agent or somebody without write permission: by its handle, by a reply in the thread, or
        by a comment that was deleted since. Two things of one second may have come either way.
        """
        login, footprint = self.source.login.lower().removesuffix("[bot]"), self.at.footprints[self.role.dialect]
        for at, author, text in self._said():
            told = text is None or any(handle in text.lower() for handle in (f"@{login}", *footprint.handles))
            if self.source.at <= at <= until and told and self._may_persuade(author):
                return "somebody" if author is None else author.login
        return None

    def _said(self) -> Iterator[tuple[str, Actor | None, str | None]]:
        """What was said on the pull request: when, by whom and what; no text where it addresses the reviewer anyway."""
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
        """True if what somebody says to the reviewer may make it take back what it found about their own work."""
        ledger = self.at.ledger
        if author is None or is_author(ledger.snapshot, author):
            return True
        if is_one(author, self.source.author):
            return False
        who = ledger.accounts.speaker(replace(self.source, author=author))
        return bool(who.entries) or author.id in ledger.accounts.agents or who.lacks("write")


# How a finding stands, and when; the first row that holds does.
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
    """Everything that the reviewers of a pull request hold against it, and how each of it ended."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.reviewers = ledger, ledger.policy.reviewers
        self.footprints = {dialect.name: dialect.footprint for dialect in ledger.policy.dialects}

    @cached_property
    def raised(self) -> tuple[tuple[Raised, ReviewFinding], ...]:
        """Every finding with how it stands, the oldest first."""
        if not self.reviewers:
            return ()
        sources = ((THREAD, self._in_threads()), (REQUEST, self._requests()), (BODY, self._in_bodies()))
        found = ((raised, _told(raised, ends)) for ends, several in sources for raised in several)
        return tuple(sorted(found, key=lambda each: (each[1].at, each[1].id)))

    def words(self) -> Iterator[Word]:
        """The findings as facts of the ledger: those that stand are about whatever is there."""
        for raised, told in self.raised:
            if raised.vote is not None and not told.stands:
                continue  # what its vote says is in the ledger anyway
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
        """True if all that a vote holds against the work is told by threads, or was dismissed, and has ended.

        A vote about what is there now is not answered by a word about the whole change alone (L9).
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
        """The seats of a reviewer that may speak in a thread or a review, with where that stands."""
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
        """Standing requests for changes; one that was dismissed is a matter of its own."""
        for each in self.ledger.snapshot.reviews:
            if (each.state or "").upper() == REQUESTED:
                told = Finding(id="", severity="", summary="requests changes", blocking=True, where=Where(url=each.url))
                for role, source in self._formal(each, f"review-{each.id}"):
                    yield Raised(self, role, source, told, source.commit, "")

    def _in_bodies(self) -> Iterator[Raised]:
        """What votes hold against the work without a thread; of one text the newest version that says it."""
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
        """The findings of a vote that no thread tells; of counted ones, as many as have no thread that is there."""
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
    """True if nobody but its author edited what a thread begins with last."""
    return thread.edited_at is None or is_one(thread.editor, thread.author)


def _is_with(thread: ReviewThread, vote: Vote) -> bool:
    """True if what a vote counts may be told by a thread: of the same review, or of the commit that a comment names."""
    if vote.source.medium is Medium.REVIEW:
        return thread.review == vote.source.number
    return thread.commit == vote.commit is not None and is_one(thread.author, vote.source.author)


def _told(raised: Raised, ends: Ends) -> ReviewFinding:
    """A finding with the first row that holds, and who did that."""
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
