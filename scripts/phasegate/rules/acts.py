"""Acts: what humans command, in comments or by runs, with whether it counts and what it was given for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phasegate.catalogue import problem
from phasegate.model.frozen import replace
from phasegate.model.problem import Where
from phasegate.model.signal import (
    WITHDRAW,
    Act,
    Command,
    Place,
    Source,
    Vote,
)
from phasegate.model.snapshot import DispatchApproval
from phasegate.policy.model import Phase
from phasegate.rules.accounts import (
    Refusal,
    act_refusals,
    approves_own_work,
    ever_agents,
    lost_words,
    may_act,
    not_a_person,
    same_account,
    too_little_permission,
)
from phasegate.rules.assess import UNHEARD_REVIEWS, Facts, never_head
from phasegate.rules.binding import short
from phasegate.rules.route import linked_issues

WITHDRAWN = ("approve", "override")  # what can be taken back
NO_SUCH_PHASE = "PG213"  # why an act does not count that may have been meant for any


def assess_acts(facts: Facts, commands: tuple[Command, ...], votes: tuple[Vote, ...]) -> tuple[Act, ...]:
    """Each command with whether it counts and what it was given for."""
    speakers = ever_agents(facts.snapshot, votes)
    answered = (command for command in commands if is_answered(facts, command, speakers))
    given = (*(assess_act(facts, command, speakers) for command in answered), *dispatched_acts(facts))
    return tuple(
        _silenced(facts, act, speakers) for act in standing(sorted(given, key=lambda act: act.command.source.moment))
    )


def standing(acts: Sequence[Act]) -> tuple[Act, ...]:
    """The acts, in order of time, those not counted that their own author has withdrawn since, or seems to have."""
    taken_back = [act for act in acts if act.command.verb == WITHDRAW and (act.counts or may_take_back(act))]
    return tuple(_without(act, [each for each in taken_back if _takes_back(each, act)]) for act in acts)


def may_take_back(act: Act) -> bool:
    """Whether a withdrawal that does not count was meant all the same: its author wrote it, in whatever words."""
    return act.command.source.by_author and not act.command.unread


def _takes_back(withdrawal: Act, act: Act) -> bool:
    """Whether an act is one that a withdrawal is about; of one second the withdrawal counts as the later.

    What one text says is said in the order of its lines.
    """
    own, theirs = withdrawal.command, act.command
    elsewhere = None not in (own.source.issue, theirs.source.issue) and own.source.issue != theirs.source.issue
    author, other = own.source.author, theirs.source.author
    same = author is not None and other is not None and same_account(author, other)
    any_phase = not own.phase or (withdrawal.why is not None and withdrawal.why.code == NO_SUCH_PHASE)
    given = act.counts and theirs.verb in WITHDRAWN and (any_phase or theirs.phase == own.phase)
    before = theirs.source.at <= own.source.at
    if own.source.id == theirs.source.id:
        before = (theirs.where.line or 0) <= (own.where.line or 0)
    return given and same and not elsewhere and before


def _without(act: Act, withdrawals: Sequence[Act]) -> Act:
    """An act after what was said to take it back: withdrawn, or in doubt till its author says so in a command."""
    if not withdrawals:
        return act
    author, command = act.command.source.author, act.command
    if any(each.counts for each in withdrawals):
        why = problem("PG224", f"withdrawn by {'its author' if author is None else author.login}", command.where)
        return replace(act, counts=False, why=why, problems=(*act.problems, why))
    last = withdrawals[-1].command
    said = last.written or f'"/gate {last.verb} {last.phase}"'
    hint = f"Write /gate {WITHDRAW} {command.phase} to take it back; if it holds, {command.verb} again."
    return refused(command, Refusal(code="PG237", reason=f"the later {said} may take it back", hint=hint))


def _silenced(facts: Facts, act: Act, speakers: frozenset[int]) -> Act:
    """An act, not counted where words of who gave it were taken away since that may have taken it back."""
    command = act.command
    if not act.counts or command.verb not in WITHDRAWN:
        return act
    lost = next(lost_words(facts.policy, facts.snapshot, command.source, speakers), None)
    return act if lost is None else refused(command, lost)


UNBOUND = ("resume", WITHDRAW)  # what is about no content
_REASON = {"override": ": <reason>"}  # what must follow


def assess_act(facts: Facts, command: Command, speakers: frozenset[int]) -> Act:
    """A command, with whether it counts and what it was given for."""
    if command.problems:
        return _malformed(facts, command, speakers)
    if command.unread:
        return refused(command, _stranger(facts, command.source), what="a /gate command")
    barred = tuple(act_refusals(facts.policy, facts.snapshot, command.source, speakers))
    found = _forbidden(facts, command) or _misplaced(facts, command)
    if found is not None:
        return refused(command, found, *barred)
    unfit = _spent(facts, command) or _touched(command) or _unheard_place(command) or unknown_commit(facts, command)
    if barred or unfit is not None:
        return refused(command, *barred, *(() if unfit is None else (unfit,)))
    return Act(command=command, counts=True, content=_content(facts, command))


def _malformed(facts: Facts, command: Command, speakers: frozenset[int]) -> Act:
    """A try at a command; that its author could not give it goes before how it is written."""
    wrong = command.problems
    barred = tuple(act_refusals(facts.policy, facts.snapshot, command.source, speakers)) if command.verb else ()
    if not barred:
        return Act(command=command, counts=False, why=wrong[0], problems=wrong)
    act = refused(command, *barred)
    why = None if act.why is None else replace(act.why, message=f"{act.why.message}; {wrong[0].message}")
    return replace(act, why=why, problems=(*act.problems, *wrong))


def is_answered(facts: Facts, command: Command, speakers: frozenset[int]) -> bool:
    """Whether a line is worth an answer: one that hardly looks like a command only where its author could give it."""
    return not command.loose or may_act(facts.policy, facts.snapshot, command.source, speakers) is None


def unknown_commit(facts: Facts, command: Command) -> Refusal | None:
    """An act that names a commit which was not the head, or names none where the log does not tell which one was."""
    if command.source.place is Place.ISSUE or command.verb in UNBOUND:
        return None
    exact = f"/gate {command.verb} {command.phase} {short(facts.timeline.head)}{_REASON.get(command.verb, '')}"
    hint = f"Write {exact}."
    if command.commit is None:
        told = command.source.commit or facts.timeline.head_at(command.source.at)
        reason = f"the log of pushes does not show which commit it is for; name it: {exact}"
        hint = "A commit must be named where the log of pushes cannot be read."
        return None if told is not None else Refusal(code="PG305", reason=reason, hint=hint)
    heads = facts.timeline.named(command.commit)
    if len(heads) != 1:
        meant = f"matches {len(heads)} commits" if heads else never_head(facts, command.commit)
        code = "PG302" if heads else "PG301"
        return Refusal(code=code, reason=f"commit {short(command.commit)} {meant}", hint=hint)
    if not facts.timeline.was_head(heads[0], command.source.at):
        known = "was not the head" if facts.timeline.complete else "was not yet known to be the head"
        reason = f"commit {short(command.commit)} {known} when this was written"
        return Refusal(code="PG301", reason=reason, hint=hint)
    return None


def _stranger(facts: Facts, source: Source) -> Refusal:
    """Why a command counts nowhere, whatever it says."""
    unknown = Refusal(code="PG210", reason="its author may not speak here")
    return may_act(facts.policy, facts.snapshot, source, frozenset()) or unknown


def refused(command: Command, *refusals: Refusal, what: str = "") -> Act:
    """A command that does not count, and every reason why."""
    named = what or command.written or f"/gate {command.verb} {command.phase}"
    hint = next((each.hint for each in refusals if each.hint), "")
    why = problem(refusals[0].code, "; ".join(each.reason for each in refusals), command.where, hint=hint)
    told = (
        problem(each.code, f"{named} does not count: {each.reason}", command.where, hint=each.hint) for each in refusals
    )
    return Act(command=command, counts=False, why=why, problems=tuple(told))


def _spent(facts: Facts, command: Command) -> Refusal | None:
    """An act on an issue from before another merged pull request closed it: it was for that one."""
    if not facts.is_spent(command.source):
        return None
    return Refusal(code="PG404", reason="it is older than the merge that closed this issue, and belongs to it")


def _touched(command: Command) -> Refusal | None:
    source = command.source
    if command.verb == WITHDRAW and source.by_author:
        return None
    if source.tampered_by is not None:
        return Refusal(code="PG205", reason=f"edited by {source.tampered_by}, who is not its author")
    if not source.history_complete:
        return Refusal(code="PG216", reason="it was edited, and not all of its earlier versions can be read")
    return None


def _unheard_place(command: Command) -> Refusal | None:
    if command.source.state in UNHEARD_REVIEWS and command.verb != WITHDRAW:
        return Refusal(code="PG207", reason=f"it is in a review that is {command.source.state}")
    return None


def _forbidden(facts: Facts, command: Command) -> Refusal | None:
    if command.verb == "override" and not facts.policy.overrides:
        return Refusal(code="PG219", reason="the policy does not allow overrides")
    return None


def _misplaced(facts: Facts, command: Command) -> Refusal | None:
    phase = next((phase for phase in facts.policy.phases if phase.name == command.phase), None)
    if phase is None:
        names = ", ".join(phase.name for phase in facts.policy.phases)
        return Refusal(code="PG213", reason=f'there is no phase "{command.phase}" (phases: {names})')
    if phase.where is not command.source.place and not may_stand_here(facts, command):
        place = "the issue that holds the plan" if phase.where is Place.ISSUE else "the pull request"
        return Refusal(code="PG209", reason=f"it belongs on {place}")
    return None


def may_stand_here(facts: Facts, command: Command) -> bool:
    """Whether an act on the plan may be given here instead of on its issue.

    An override, and every act if no issue is linked, may be on the pull request. A withdrawal may be anywhere.
    """
    on_pull_request = command.source.place is Place.PULL_REQUEST
    given = on_pull_request and (command.verb == "override" or not linked_issues(facts.snapshot))
    return given or command.verb == WITHDRAW


def _content(facts: Facts, command: Command) -> str | None:
    source = command.source
    if source.place is Place.ISSUE:
        return facts.plans.at(source.issue, source.at)
    named = next(iter(facts.timeline.named(command.commit)), None) if command.commit else None
    commit = named or source.commit or facts.timeline.head_at(source.at)
    return None if commit is None else facts.timeline.content_at(commit, source.at)


def dispatched_acts(facts: Facts) -> Iterator[Act]:
    """The acts that such runs are; of a phase on issues, one for each issue."""
    for approval in facts.snapshot.dispatch_approvals:
        phase = next((phase for phase in facts.policy.phases if phase.name == approval.phase), None)
        for issue in _issues(facts, phase):
            yield _act(facts, approval, phase, issue)


def _issues(facts: Facts, phase: Phase | None) -> tuple[int | None, ...]:
    if phase is None or phase.where is Place.PULL_REQUEST:
        return (None,)
    return tuple(issue.number for issue in linked_issues(facts.snapshot))


def _act(facts: Facts, approval: DispatchApproval, phase: Phase | None, issue: int | None) -> Act:
    source = Source(
        id=f"run-{approval.run}",
        number=approval.run,
        url=approval.url,
        place=Place.PULL_REQUEST if phase is None else phase.where,
        issue=issue,
        author=approval.approved_by,
        at=approval.at,
        commit=approval.commit,
    )
    command = Command(verb="approve", phase=approval.phase, source=source, where=Where(url=approval.url))
    refusal = foreign_run(facts, approval) or _unfit_person(facts, source, approval)
    if refusal is not None or phase is None:
        reason = refusal.reason if refusal is not None else f'there is no phase "{approval.phase}"'
        code = refusal.code if refusal is not None else "PG213"
        return refused(command, Refusal(code=code, reason=reason), what=f"the approval by run {approval.run}")
    return Act(command=command, counts=True, content=_content_of_run(facts, source))


def foreign_run(facts: Facts, approval: DispatchApproval) -> Refusal | None:
    """A run that is not of the workflow, the branch, the event and the environment that the policy names."""
    wanted = facts.policy.humans.dispatch
    if wanted is None:
        return Refusal(code="PG221", reason="the policy names no workflow for approvals")
    found = (approval.workflow, approval.environment, approval.event, approval.ref)
    default = facts.snapshot.repository.default_branch
    if found != (wanted.workflow, wanted.environment, "workflow_dispatch", default):
        return Refusal(code="PG221", reason="it is not a run of the workflow and environment that the policy names")
    return None


def _unfit_person(facts: Facts, source: Source, approval: DispatchApproval) -> Refusal | None:
    person = approval.approved_by
    return (
        not_a_person(source, person)
        or too_little_permission(facts.policy, facts.snapshot, person)
        or approves_own_work(facts.policy, facts.snapshot, person)
    )


def _content_of_run(facts: Facts, source: Source) -> str | None:
    heads = facts.timeline.named(source.commit) if source.commit else ()
    if len(heads) != 1 or not facts.timeline.was_head(heads[0], source.at):
        return None
    if source.place is Place.ISSUE:
        return facts.plans.at(source.issue, source.at)
    return facts.timeline.content_at(heads[0], source.at)
