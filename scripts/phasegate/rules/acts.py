"""Acts: what humans command, in comments or by workflow runs, whether each counts and what it was given for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.ledger import VERBS
from phasegate.model.problem import Where
from phasegate.model.signal import APPROVE, DISMISS, OVERRIDE, WITHDRAW, Act, Command, Medium, Place, Source
from phasegate.model.snapshot import DispatchApproval, Snapshot
from phasegate.model.texts import Comment, Issue, ReviewThread
from phasegate.rules.accounts import Refusal, Row, first, is_one
from phasegate.rules.assess import UNHEARD_REVIEWS
from phasegate.rules.binding import short

if TYPE_CHECKING:
    from phasegate.rules.ledger import Ledger

NO_SUCH_PHASE = "PG213"  # the act names an unknown phase, so it may have been meant for any
SHARED = "PG212"  # the person's account also speaks as an agent; such people act by runs in a protected environment


class Given:
    """A command, or the run that stands for one, with its phase, place, commit and ``content``."""

    def __init__(self, ledger: Ledger, command: Command, run: DispatchApproval | None = None) -> None:
        self.ledger, self.policy, timeline = ledger, ledger.policy, ledger.timeline
        self.command, self.source, verb = command, command.source, command.verb
        self.phases = ", ".join(phase.name for phase in self.policy.phases)
        where = {phase.name: phase.where for phase in self.policy.phases}.get(command.phase)
        self.reviewers, self.dismisses = ", ".join(sorted(self.policy.reviewers)) or "none", verb == DISMISS
        if self.dismisses:  # a reviewer stands in the place of a phase: by its role, or by its format
            known = {each for name in self.policy.reviewers for each in (name, self.policy.role(name).dialect)}
            where = Place.PULL_REQUEST if command.phase in known else None
        self.no_phase = where is None
        self.home = "the issue that holds the plan" if where is Place.ISSUE else "the pull request"
        here, self.takes_back = self.source.place is Place.PULL_REQUEST, verb == WITHDRAW
        # An override, and every act if no issue is linked, may be on the pull request; a withdrawal may be anywhere.
        free = self.takes_back or (here and (verb == OVERRIDE or not ledger.snapshot.own_issues))
        self.misplaced = where is not None and where is not self.source.place and not free
        self.bound = here and VERBS[verb].bound
        self.names = self.bound and bool(command.commit)
        self.named, self.never_head = short(command.commit or ""), timeline.never_head(command.commit or "")
        self.heads = timeline.named(command.commit) if command.commit else ()
        self.meant = len(self.heads)
        self.too_early = self.meant == 1 and not timeline.was_head(self.heads[0], self.source.at)
        self.exact = f"/gate {verb} {command.phase} {short(timeline.head)}{': <reason>' if verb == OVERRIDE else ''}"
        self.line = f"/gate {verb} {command.phase}{': <reason>' if command.reason else ''}"
        self.commit = next(iter(self.heads), None) or self.source.commit or timeline.head_at(self.source.at)
        wanted = self.policy.humans.dispatch
        named = wanted and (
            wanted.workflow,
            wanted.environment,
            "workflow_dispatch",
            ledger.snapshot.repository.default_branch,
        )
        self.is_foreign = run is None or named != (run.workflow, run.environment, run.event, run.ref)

    @property
    def content(self) -> str | None:
        """The content that the act is for."""
        if self.source.place is Place.ISSUE:
            return self.ledger.plans.at(self.source.issue, self.source.at)
        return None if self.commit is None else self.ledger.timeline.content_at(self.commit, self.source.at)


# Why a command does not count: the first row of MEANT, then its author (4.8), or else the first row of UNFIT.
MEANT: tuple[Row[Given], ...] = (
    ("override", "PG219", lambda g: g.command.verb == OVERRIDE and not g.policy.overrides,
     "the policy does not allow overrides"),
    ("reviewer", NO_SUCH_PHASE, lambda g: g.no_phase and g.dismisses,
     'the policy names no reviewer "{0.command.phase}" (reviewers: {0.reviewers})'),
    ("phase", NO_SUCH_PHASE, lambda g: g.no_phase, 'there is no phase "{0.command.phase}" (phases: {0.phases})'),
    ("place", "PG209", lambda g: g.misplaced, "it belongs on {0.home}"),
)  # fmt: skip
UNFIT: tuple[Row[Given], ...] = (
    ("inline", "PG209", lambda g: g.command.inline, "it is in an inline thread, where no command counts"),
    ("spent", "PG404", lambda g: g.ledger.is_spent(g.source),
     "it is older than the merge that closed this issue, and belongs to it"),
    ("touched", "PG205", lambda g: g.source.tampered_by is not None and not (g.takes_back and g.source.by_author),
     "edited by {0.source.tampered_by}, who is not its author"),
    ("history", "PG216", lambda g: not g.source.history_complete and not (g.takes_back and g.source.by_author),
     "it was edited, and not all of its earlier versions can be read"),
    ("review", "PG207", lambda g: g.source.state in UNHEARD_REVIEWS and not g.takes_back,
     "it is in a review that is {0.source.state}"),
    ("no commit", "PG305", lambda g: g.bound and not g.names and g.commit is None,
     "the log of pushes does not show which commit it is for; name it: {0.exact}"),
    ("commits", "PG302", lambda g: g.names and len(g.heads) > 1, "commit {0.named} matches {0.meant} commits"),
    ("head", "PG301", lambda g: g.names and not g.heads, "commit {0.named} {0.never_head}"),
    ("not yet", "PG301", lambda g: g.names and g.too_early and g.ledger.timeline.complete,
     "commit {0.named} was not the head when this was written"),
    ("not seen", "PG301", lambda g: g.names and g.too_early,
     "commit {0.named} was not yet known to be the head when this was written"),
)  # fmt: skip
HINTS = {
    "PG209": "Write {0.line}, alone on its line, in a comment on {0.home}.",
    "PG305": "A commit must be named where the log of pushes cannot be read.",
    "PG302": "Write {0.exact}.",
    "PG301": "Write {0.exact}.",
}
RUNS: tuple[Row[Given], ...] = (
    ("no workflow", "PG221", lambda g: g.policy.humans.dispatch is None, "the policy names no workflow for approvals"),
    ("foreign", "PG221", lambda g: g.is_foreign,
     "it is not a run of the workflow and environment that the policy names"),
    ("phase", NO_SUCH_PHASE, lambda g: g.no_phase, 'there is no phase "{0.command.phase}"'),
)  # fmt: skip
# What takes back an act of the same account: a withdrawal, even a refused one, or a line that only looks like one.
TAKING_BACK: tuple[tuple[str, Callable[[Act], bool]], ...] = (
    ("command", lambda act: act.command.verb == WITHDRAW and act.counts),
    # somebody wrote to withdraw something, in that word, where it does not count
    ("meant", lambda act: act.command.verb == WITHDRAW and act.source.by_author and
     not (act.command.unread or act.command.guessed)),
    ("line", lambda act: bool(act.command.doubts) and act.source.by_author),
)  # fmt: skip


def assess_acts(ledger: Ledger, commands: tuple[Command, ...]) -> tuple[Act, ...]:
    """Each command, whether it counts and for what. A line hardly like a command needs an author who may act."""
    worth = (each for each in commands if not each.loose or not ledger.accounts.speaker(each.source).act_refusals)
    given = [assess_act(ledger, command) for command in worth if not command.doubts]
    acts = sorted((*given, *dispatched_acts(ledger), *reviewed_acts(ledger)), key=lambda act: act.source.moment)
    doubts = [Act(command=each, counts=False) for each in commands if each.doubts]
    withdrawals = [act for act in (*acts, *doubts) if any(row(act) for _, row in TAKING_BACK)]
    return tuple(_standing(ledger, act, withdrawals) for act in acts)


def assess_act(ledger: Ledger, command: Command) -> Act:
    """A command, whether it counts, and what it was given for."""
    wrong, who = command.problems, ledger.accounts.speaker(command.source).act_refusals
    if not wrong and command.unread:
        return refused(command, (*who, Refusal("PG210", "its author may not speak here"))[0], what="a /gate command")
    barred = who if command.verb or not wrong else ()
    if wrong and not barred:
        return Act(command=command, counts=False, why=wrong[0], problems=wrong)
    if wrong:  # that its author could not give it goes before how it is written
        act = refused(command, *barred)
        why = None if act.why is None else replace(act.why, message=f"{act.why.message}; {wrong[0].message}")
        return replace(act, why=why, problems=(*act.problems, *wrong))
    given = Given(ledger, command)
    meant = first(MEANT, given)
    unfit = None if meant is not None else first(UNFIT, given)
    if unfit is not None:
        unfit = unfit._replace(hint=HINTS.get(unfit.code, "").format(given))
    found = [each for each in (meant, *barred, unfit) if each is not None]
    return refused(command, *found) if found else Act(command=command, counts=True, content=given.content)


def refused(command: Command, *refusals: Refusal, what: str = "") -> Act:
    """A command that does not count, with every reason."""
    named, where = what or written(command), command.where
    hint = next((each.hint for each in refusals if each.hint), "")
    why = problem(refusals[0].code, "; ".join(each.reason for each in refusals), where, hint=hint)
    told = (problem(each.code, f"{named} does not count: {each.reason}", where, hint=each.hint) for each in refusals)
    return Act(command=command, counts=False, why=why, problems=tuple(told))


def written(command: Command) -> str:
    """A command as it was written."""
    return command.written or f"/gate {command.verb} {command.phase}"


def dispatched_acts(ledger: Ledger) -> Iterator[Act]:
    """The acts given by runs of the approval workflow. For a phase on issues each issue gets one."""
    for run in ledger.snapshot.dispatch_approvals:
        on_issues = any(phase.name == run.phase and phase.where is Place.ISSUE for phase in ledger.policy.phases)
        for issue in [issue.number for issue in ledger.snapshot.own_issues] if on_issues else [None]:
            source = Source(
                id=f"run-{run.run}",
                number=run.run,
                url=run.url,
                place=Place.ISSUE if on_issues else Place.PULL_REQUEST,
                issue=issue,
                author=run.approved_by,
                at=run.at,
                commit=run.commit,
            )
            command = Command(verb=APPROVE, phase=run.phase, source=source, where=Where(url=run.url))
            given, who = Given(ledger, replace(command, commit=run.commit), run), ledger.accounts.speaker(source)
            unfit = first(RUNS, given) or next((each for each in who.act_refusals if each.code != SHARED), None)
            known = given.meant == 1 and not given.too_early
            if unfit is not None:
                yield refused(command, unfit, what=f"the approval by run {run.run}")
            else:
                yield Act(command=command, counts=True, content=given.content if known else None)


REVIEWED = {"APPROVED": APPROVE, "CHANGES_REQUESTED": WITHDRAW}  # what a review on GitHub is for its phases


def reviewed_acts(ledger: Ledger) -> Iterator[Act]:
    """Reviews that count as acts because the policy says so, one for each phase on the pull request."""
    phases = [phase.name for phase in ledger.policy.phases if phase.enabled and phase.where is Place.PULL_REQUEST]
    for review in ledger.snapshot.reviews if ledger.policy.humans.reviews else ():
        verb, where = REVIEWED.get((review.state or "").upper()), Where(url=review.url)
        for phase in phases if verb is not None and review.commit is not None else ():
            source = source_of(review, f"review-{review.id}-{phase}")
            source = replace(source, app_id=review.app_id, via_email=review.via_email)
            named = review.commit if verb != WITHDRAW else None
            told = {"verb": verb or "", "phase": phase, "commit": named, "written": "the approving review"}
            act = assess_act(ledger, Command(**told, source=source, where=where))  # type: ignore[arg-type]
            if act.counts:
                yield act


def source_of(said: ReviewThread | Comment, name: str) -> Source:
    """Where a thread or a review stands; GitHub does not tell which app wrote it."""
    return Source(
        id=name,
        number=said.id,
        url=said.url,
        place=Place.PULL_REQUEST,
        medium=Medium.REVIEW,
        author=said.author,
        at=said.created_at,
        commit=said.commit,
    )


def _standing(ledger: Ledger, act: Act, withdrawals: Sequence[Act]) -> Act:
    """An act. It no longer counts if its author withdrew it, seems to have, or may have in a text that is gone."""
    command = act.command
    if not act.counts or not VERBS[command.verb].revocable:
        return act
    own = [each for each in withdrawals if _takes_back(each, act)]
    if any(each.counts for each in own):
        why = problem("PG224", f"withdrawn by {command.source.login}", command.where)
        return replace(act, counts=False, why=why, problems=(*act.problems, why))
    if own:
        last = own[-1].command
        said = last.written or f'"/gate {last.verb} {last.phase}"'
        hint = f"Write /gate {WITHDRAW} {command.phase} to take it back; if it holds, {command.verb} again."
        return refused(command, Refusal("PG237", f"the later {said} may take it back", hint))
    lost = lost_words(ledger, command.source)
    return act if lost is None else refused(command, lost)


def _takes_back(withdrawal: Act, act: Act) -> bool:
    """True if a withdrawal is about this act. In the same second it counts as later; in one text, lines decide."""
    own, theirs = withdrawal.command, act.command
    elsewhere = None not in (own.source.issue, theirs.source.issue) and own.source.issue != theirs.source.issue
    any_phase = not (own.phase or own.doubts) or (withdrawal.why is not None and withdrawal.why.code == NO_SUCH_PHASE)
    before = theirs.source.at <= own.source.at
    if own.source.id == theirs.source.id:
        before = (theirs.where.line or 0) <= (own.where.line or 0)
    meant = before and (any_phase or theirs.phase in (own.phase, *own.doubts))
    return meant and not elsewhere and is_one(own.source.author, theirs.source.author)


def lost_words(ledger: Ledger, source: Source) -> Refusal | None:
    """Why an act no longer counts: a text of its author was removed by somebody who could not have given the act.

    That text may have withdrawn the act: on the pull request, on the act's own issue, or on any issue if it has none.
    It is gone if it was deleted, or overwritten and unreadable.
    """
    issues = [issue for issue in ledger.snapshot.own_issues if source.issue in (None, issue.number)]
    places: list[Snapshot | Issue] = [ledger.snapshot, *issues]
    gone = [(each.at, each.actor, each.author) for place in places for each in place.deleted_comments]
    for text in (*(text for place in places for text in place.comments), *ledger.snapshot.reviews):
        own = [edit for edit in text.history if edit.editor is not None and edit.editor == text.author]
        if text.edited_at is not None and text.editor != text.author and (not own or own[-1].text is None):
            gone.append((text.edited_at, text.editor, text.author))
    for at, actor, author in gone:
        own_text = at >= source.at and is_one(author, source.author) and not is_one(actor, source.author)
        if own_text and ledger.accounts.speaker(replace(source, author=actor, app_id=None)).act_refusals:
            by = "somebody" if actor is None else actor.login
            return Refusal("PG227", f"at {at} {by} deleted a comment by {source.login}, which may have withdrawn it")
    return None
