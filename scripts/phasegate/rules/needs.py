"""What one phase needs, each with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.conversation import Actor
from phasegate.model.decision import Need, NeedKind, NeedState, Standing, Word
from phasegate.model.signal import Does, Kind, Outcome, Place
from phasegate.rules.artifacts import artifact_needs, pushers
from phasegate.rules.attempts import attempts_need
from phasegate.rules.bench import Bench
from phasegate.rules.freshness import short
from phasegate.rules.history import history_needs
from phasegate.rules.overruling import overruled_by
from phasegate.rules.trust import same_account


def needs(bench: Bench) -> Iterator[Need]:
    """Everything that the phase needs at this place."""
    if bench.phase.where is Place.ISSUE:
        yield plan_need(bench)
    for role in bench.roles:
        yield role_need(bench, role)
    yield from artifact_needs(bench)
    worker = worker_need(bench)
    if worker is not None:
        yield worker
    if bench.phase.human_approval:
        yield human_need(bench)
    yield from history_needs(bench)
    escalated = attempts_need(bench)
    if escalated is not None:
        yield escalated


def plan_need(bench: Bench) -> Need:
    """The plan itself."""
    plan = bench.scales.plans.latest(bench.issue)
    if bench.spent_by is not None:
        text = f"#{bench.issue} was closed by {bench.spent_by}, so its plan is spent"
        todo = "Open an issue for this work, plan it there and link it"
        return Need(kind=NeedKind.PLAN, name=f"#{bench.issue}", state=NeedState.WAITING, text=text, todo=todo)
    creator = bench.title(bench.phase.creator or "architect")
    if plan is None:
        text = f"Waiting for {creator}'s plan on #{bench.issue}"
        todo = f"{creator}: post the plan on #{bench.issue} under the heading ## jkz:{creator.lower()}"
        return Need(kind=NeedKind.PLAN, name=f"#{bench.issue}", state=NeedState.WAITING, text=text, todo=todo)
    if plan.standing is Standing.INVALID:
        text = f"The plan of #{bench.issue} does not count: {plan.reason}"
        todo = f"{creator}: post the plan again on #{bench.issue}"
        return _need(NeedKind.PLAN, f"#{bench.issue}", NeedState.FAILED, text, todo=todo, word=plan)
    return _need(NeedKind.PLAN, f"#{bench.issue}", NeedState.MET, f"Plan on #{bench.issue}", word=plan)


def role_need(bench: Bench, role: str) -> Need:
    """A required role's latest word."""
    title = bench.title(role)
    latest = bench.latest(role)
    ask = f"Ask {title} for a verdict on {bench.subject}"
    if latest is None or bench.content is None:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, f"Waiting for {title} on {bench.subject}", todo=ask)
    if latest.signal.source.tampered_by is None and not latest.fresh:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, _stale(bench, title, latest), todo=ask, word=latest)
    if latest.standing is Standing.INVALID:
        text = f"{title}'s verdict is invalid: {latest.reason}"
        todo = f"{title}: post a corrected verdict on {bench.subject} ({_first_hint(latest)})"
        return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, word=latest)
    if latest.outcome is not Outcome.PASS:
        return _overruled(bench, role, latest) or _failed(bench, role, latest)
    disorder = out_of_order(bench, role) or shared_account(bench, role)
    if disorder:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, disorder, todo=f"{ask} again", word=latest)
    return _need(NeedKind.ROLE, role, NeedState.MET, f"{title} passed", word=latest)


def _stale(bench: Bench, title: str, word: Word) -> str:
    said = word.outcome.value if word.outcome and word.standing is Standing.VALID else "invalid verdict"
    if bench.phase.where is Place.ISSUE:
        return f"{title}'s {said} is for an earlier text of {bench.subject}"
    if word.commit is None:
        return f"{title}'s {said} is for a commit that cannot be told"
    return f"{title}'s {said} is for {short(word.commit)}, stale on {bench.subject}"


def _overruled(bench: Bench, role: str, word: Word) -> Need | None:
    confirming = overruled_by(bench, word)
    if confirming is None:
        return None
    text = f"{bench.title(role)}'s FAIL was overruled by {bench.title(confirming.role or '')}"
    return _need(NeedKind.ROLE, role, NeedState.MET, text, word=word)


def _failed(bench: Bench, role: str, word: Word) -> Need:
    title, ids = bench.title(role), ", ".join(word.signal.must_fix or ())
    fixer = bench.title(bench.phase.fixer) if bench.phase.fixer else "Author"
    text = f"{title} failed {bench.subject}" + (f": {ids}" if ids else "") + _contradicted(bench, role, word)
    todo = f"{fixer}: fix {ids or 'what it names'}; then ask {title} again"
    return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, word=word)


def _contradicted(bench: Bench, role: str, word: Word) -> str:
    """Who has passed the same content after this FAIL without refuting it."""
    others = (bench.latest(other) for other in bench.roles if other != role)
    against = [
        bench.title(other.role or "")
        for other in others
        if other is not None
        and other.passes
        and other.fresh
        and other.signal.source.moment > word.signal.source.moment
        and bench.scales.policy.role(other.role or "").does is Does.CONFIRMS
    ]
    return f" ({against[0]} disagrees)" if against and not bench.phase.parallel else ""


def out_of_order(bench: Bench, role: str) -> str | None:
    """Why a confirming word came too early: those who challenge must have spoken on this content before."""
    if bench.phase.parallel or bench.scales.policy.role(role).does is not Does.CONFIRMS:
        return None
    own = bench.standing(role)[-1]
    for other in bench.roles:
        if bench.scales.policy.role(other).does is not Does.CHALLENGES:
            continue
        challenge = bench.standing_pass(other)
        if challenge is not None and own.signal.source.moment < challenge.signal.source.moment:
            return f"{bench.title(role)} spoke before {bench.title(other)} on {bench.subject}"
    return None


def shared_account(bench: Bench, role: str) -> str | None:
    """With ``distinct_accounts``: why this role's word comes from an account that has another part in the phase."""
    if not bench.scales.policy.verdicts.distinct_accounts:
        return None
    own = bench.standing(role)[-1].signal.source.author
    others = [other for other in (bench.phase.creator, *bench.roles) if other and other != role]
    for other in others:
        author = _speaker(bench, other)
        if author is not None and own is not None and same_account(author, own):
            return f"{bench.title(role)} and {bench.title(other)} spoke from one account, {own.login}"
    for name, pusher in pushers(bench):
        if own is not None and same_account(pusher, own):
            return f"{bench.title(role)} spoke from the account that pushed {name}, {own.login}"
    return None


def _speaker(bench: Bench, role: str) -> Actor | None:
    """The account that speaks for a role; for a creator without words, the one that opened the pull request."""
    heard = bench.standing(role)
    if role == bench.phase.creator and not heard:
        plan = bench.scales.plans.latest(bench.issue)
        return plan.signal.source.author if plan is not None else bench.scales.snapshot.pull_request.author
    return heard[-1].signal.source.author if heard else None


def worker_need(bench: Bench) -> Need | None:
    """That nobody who makes or mends the work is blocked; only where the phase makes something."""
    if bench.phase.creator is None or bench.phase.where is Place.ISSUE:
        return None
    said = [word for word in bench.words if word.role in bench.phase.workers and word.signal.kind is Kind.VERDICT]
    blocked = blocking_word([word for word in said if word.standing is not Standing.IGNORED])
    if blocked is None:
        return None
    name = blocked.role or ""
    title = bench.title(name)
    todo = f"{title}: say what blocks the work, or report again once it goes on"
    return _need(NeedKind.WORKER, name, NeedState.WAITING, f"{title} is blocked", todo=todo, word=blocked)


def blocking_word(words: list[Word]) -> Word | None:
    """A BLOCKED after which no valid word says otherwise; somebody else's edit takes none back."""
    for word in reversed(words):
        if word.outcome is Outcome.BLOCKED:
            return word
        if word.standing is Standing.VALID:
            return None
    return None


def human_need(bench: Bench) -> Need:
    """A human's approval of this very content, given after the roles had passed it."""
    command = f"/gate approve {bench.phase.name}"
    todo = (
        f"A human with {bench.scales.policy.humans.minimum_permission} permission: comment {command} on {bench.place}"
    )
    given = bench.given("approve")
    if not given:
        text = f"Waiting for a human's {command}"
        return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.WAITING, text=text, todo=todo)
    latest = given[-1]
    who = latest.command.source.author.login if latest.command.source.author else "?"
    passed = [word.signal.source.moment for role in bench.roles if (word := bench.standing_pass(role))]
    evidence = [word for folder, names in bench.evidence for name in names if (word := bench.artifact(folder, name))]
    reports = bool(evidence) and not bench.roles and all(word.signal.kind is Kind.REPORT for word in evidence)
    if not reports and (latest.content is None or latest.content != bench.content):
        text = f"The approval by {who} is for an earlier content"
    elif any(word.signal.source.at >= latest.command.source.at for word in evidence):
        text = f"The approval by {who} came before the last push of evidence"
    elif any(latest.command.source.moment < moment for moment in passed):
        text = f"The approval by {who} came before the last verdict"
    else:
        return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.MET, text=f"Approved by {who}")
    return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.WAITING, text=text, todo=todo)


def _first_hint(word: Word) -> str:
    return next((item.hint for item in word.problems if item.message == word.reason), "see its problems")


def _need(  # noqa: PLR0913  (the parts of a need)
    kind: NeedKind, name: str, state: NeedState, text: str, *, todo: str = "", word: Word | None = None
) -> Need:
    signal = None if word is None else word.id
    return Need(kind=kind, name=name, state=state, text=text, todo=todo, signal=signal)
