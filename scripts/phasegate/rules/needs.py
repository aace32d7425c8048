"""What one phase needs, each with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.actors import Actor
from phasegate.model.report import Need, NeedKind, NeedState
from phasegate.model.signal import Does, Kind, Outcome, Place
from phasegate.model.vote import Validity, Vote
from phasegate.rules.accounts import same_account
from phasegate.rules.artifacts import artifact_needs, pushers
from phasegate.rules.attempts import attempts_need
from phasegate.rules.binding import short
from phasegate.rules.history import history_needs
from phasegate.rules.overruling import overruled_by
from phasegate.rules.view import PhaseView


def needs(view: PhaseView) -> Iterator[Need]:
    """Everything that the phase needs at this place."""
    if view.phase.where is Place.ISSUE:
        yield plan_need(view)
    for role in view.roles:
        yield role_need(view, role)
    yield from artifact_needs(view)
    worker = worker_need(view)
    if worker is not None:
        yield worker
    if view.phase.human_approval:
        yield human_need(view)
    yield from history_needs(view)
    escalated = attempts_need(view)
    if escalated is not None:
        yield escalated


def plan_need(view: PhaseView) -> Need:
    """The plan itself."""
    plan = view.facts.plans.latest(view.issue)
    if view.spent_by is not None:
        text = f"#{view.issue} was closed by {view.spent_by}, so its plan is spent"
        todo = "Open an issue for this work, plan it there and link it"
        return Need(kind=NeedKind.PLAN, name=f"#{view.issue}", state=NeedState.WAITING, text=text, todo=todo)
    creator = view.title(view.phase.creator or "architect")
    if plan is None:
        text = f"Waiting for {creator}'s plan on #{view.issue}"
        todo = f"{creator}: post the plan on #{view.issue} under the heading ## jkz:{creator.lower()}"
        return Need(kind=NeedKind.PLAN, name=f"#{view.issue}", state=NeedState.WAITING, text=text, todo=todo)
    if plan.validity is Validity.INVALID:
        text = f"The plan of #{view.issue} does not count: {plan.reason}"
        todo = f"{creator}: post the plan again on #{view.issue}"
        return _need(NeedKind.PLAN, f"#{view.issue}", NeedState.FAILED, text, todo=todo, vote=plan)
    return _need(NeedKind.PLAN, f"#{view.issue}", NeedState.MET, f"Plan on #{view.issue}", vote=plan)


def role_need(view: PhaseView, role: str) -> Need:
    """A required role's latest vote."""
    title = view.title(role)
    latest = view.latest(role)
    ask = f"Ask {title} for a verdict on {view.subject}"
    if latest is None or view.content is None:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, f"Waiting for {title} on {view.subject}", todo=ask)
    if latest.signal.source.tampered_by is None and not latest.fresh:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, _stale(view, title, latest), todo=ask, vote=latest)
    if latest.validity is Validity.INVALID:
        text = f"{title}'s verdict is invalid: {latest.reason}"
        todo = f"{title}: post a corrected verdict on {view.subject} ({_first_hint(latest)})"
        return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, vote=latest)
    if latest.outcome is not Outcome.PASS:
        return _overruled(view, role, latest) or _failed(view, role, latest)
    disorder = out_of_order(view, role) or shared_account(view, role)
    if disorder:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, disorder, todo=f"{ask} again", vote=latest)
    return _need(NeedKind.ROLE, role, NeedState.MET, f"{title} passed", vote=latest)


def _stale(view: PhaseView, title: str, vote: Vote) -> str:
    said = vote.outcome.value if vote.outcome and vote.validity is Validity.VALID else "invalid verdict"
    if view.phase.where is Place.ISSUE:
        return f"{title}'s {said} is for an earlier text of {view.subject}"
    if vote.commit is None:
        return f"{title}'s {said} is for a commit that cannot be told"
    return f"{title}'s {said} is for {short(vote.commit)}, stale on {view.subject}"


def _overruled(view: PhaseView, role: str, vote: Vote) -> Need | None:
    confirming = overruled_by(view, vote)
    if confirming is None:
        return None
    text = f"{view.title(role)}'s FAIL was overruled by {view.title(confirming.role or '')}"
    return _need(NeedKind.ROLE, role, NeedState.MET, text, vote=vote)


def _failed(view: PhaseView, role: str, vote: Vote) -> Need:
    title, ids = view.title(role), ", ".join(vote.signal.must_fix or ())
    fixer = view.title(view.phase.fixer) if view.phase.fixer else "Author"
    text = f"{title} failed {view.subject}" + (f": {ids}" if ids else "") + _contradicted(view, role, vote)
    todo = f"{fixer}: fix {ids or 'what it names'}; then ask {title} again"
    return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, vote=vote)


def _contradicted(view: PhaseView, role: str, vote: Vote) -> str:
    """Who has passed the same content after this FAIL without refuting it."""
    others = (view.latest(other) for other in view.roles if other != role)
    against = [
        view.title(other.role or "")
        for other in others
        if other is not None
        and other.passes
        and other.fresh
        and other.signal.source.moment > vote.signal.source.moment
        and view.facts.policy.role(other.role or "").does is Does.CONFIRMS
    ]
    return f" ({against[0]} disagrees)" if against and not view.phase.parallel else ""


def out_of_order(view: PhaseView, role: str) -> str | None:
    """Why a confirming vote came too early: those who challenge must have spoken on this content before."""
    if view.phase.parallel or view.facts.policy.role(role).does is not Does.CONFIRMS:
        return None
    own = view.standing(role)[-1]
    for other in view.roles:
        if view.facts.policy.role(other).does is not Does.CHALLENGES:
            continue
        challenge = view.standing_pass(other)
        if challenge is not None and own.signal.source.moment < challenge.signal.source.moment:
            return f"{view.title(role)} spoke before {view.title(other)} on {view.subject}"
    return None


def shared_account(view: PhaseView, role: str) -> str | None:
    """With ``distinct_accounts``: why this role's vote comes from an account that has another part in the phase."""
    if not view.facts.policy.verdicts.distinct_accounts:
        return None
    own = view.standing(role)[-1].signal.source.author
    others = [other for other in (view.phase.creator, *view.roles) if other and other != role]
    for other in others:
        author = _speaker(view, other)
        if author is not None and own is not None and same_account(author, own):
            return f"{view.title(role)} and {view.title(other)} spoke from one account, {own.login}"
    for name, pusher in pushers(view):
        if own is not None and same_account(pusher, own):
            return f"{view.title(role)} spoke from the account that pushed {name}, {own.login}"
    return None


def _speaker(view: PhaseView, role: str) -> Actor | None:
    """The account that speaks for a role; for a creator without votes, the one that opened the pull request."""
    heard = view.standing(role)
    if role == view.phase.creator and not heard:
        plan = view.facts.plans.latest(view.issue)
        return plan.signal.source.author if plan is not None else view.facts.snapshot.pull_request.author
    return heard[-1].signal.source.author if heard else None


def worker_need(view: PhaseView) -> Need | None:
    """That nobody who makes or mends the work is blocked; only where the phase makes something."""
    if view.phase.creator is None or view.phase.where is Place.ISSUE:
        return None
    said = [vote for vote in view.votes if vote.role in view.phase.workers and vote.signal.kind is Kind.VERDICT]
    blocked = blocking_vote([vote for vote in said if vote.validity is not Validity.IGNORED])
    if blocked is None:
        return None
    name = blocked.role or ""
    title = view.title(name)
    todo = f"{title}: say what blocks the work, or report again once it goes on"
    return _need(NeedKind.WORKER, name, NeedState.WAITING, f"{title} is blocked", todo=todo, vote=blocked)


def blocking_vote(votes: list[Vote]) -> Vote | None:
    """A BLOCKED after which no valid vote says otherwise; somebody else's edit takes none back."""
    for vote in reversed(votes):
        if vote.outcome is Outcome.BLOCKED:
            return vote
        if vote.validity is Validity.VALID:
            return None
    return None


def human_need(view: PhaseView) -> Need:
    """A human's approval of this very content, given after the roles had passed it."""
    command = f"/gate approve {view.phase.name}"
    todo = f"A human with {view.facts.policy.humans.minimum_permission} permission: comment {command} on {view.place}"
    given = view.given("approve")
    if not given:
        text = f"Waiting for a human's {command}"
        return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.WAITING, text=text, todo=todo)
    latest = given[-1]
    who = latest.command.source.author.login if latest.command.source.author else "?"
    passed = [vote.signal.source.moment for role in view.roles if (vote := view.standing_pass(role))]
    evidence = [vote for folder, names in view.evidence for name in names if (vote := view.artifact(folder, name))]
    reports = bool(evidence) and not view.roles and all(vote.signal.kind is Kind.REPORT for vote in evidence)
    if not reports and (latest.content is None or latest.content != view.content):
        text = f"The approval by {who} is for an earlier content"
    elif any(vote.signal.source.at >= latest.command.source.at for vote in evidence):
        text = f"The approval by {who} came before the last push of evidence"
    elif any(latest.command.source.moment < moment for moment in passed):
        text = f"The approval by {who} came before the last verdict"
    else:
        return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.MET, text=f"Approved by {who}")
    return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.WAITING, text=text, todo=todo)


def _first_hint(vote: Vote) -> str:
    return next((item.hint for item in vote.problems if item.message == vote.reason), "see its problems")


def _need(  # noqa: PLR0913  (the parts of a need)
    kind: NeedKind, name: str, state: NeedState, text: str, *, todo: str = "", vote: Vote | None = None
) -> Need:
    signal = None if vote is None else vote.id
    return Need(kind=kind, name=name, state=state, text=text, todo=todo, signal=signal)
