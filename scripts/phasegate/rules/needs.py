"""What one phase needs, each with how it stands and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phasegate.model.decision import Act, Need, NeedKind, NeedState, Standing, Word
from phasegate.model.signal import Does, Kind, Outcome, Place
from phasegate.policy import Phase
from phasegate.rules.freshness import short
from phasegate.rules.weighing import Scales


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """One phase at one place (the pull request, or one issue): what was said there and what is judged there."""

    scales: Scales
    phase: Phase
    roles: tuple[str, ...]
    issue: int | None
    words: tuple[Word, ...]
    acts: tuple[Act, ...]

    @property
    def content(self) -> str | None:
        """What would have to pass now."""
        if self.phase.where is Place.ISSUE:
            return self.scales.plans.current(self.issue)
        return self.scales.timeline.current

    @property
    def subject(self) -> str:
        """What is judged, as people name it."""
        if self.phase.where is Place.ISSUE:
            return f"the plan of #{self.issue}"
        return short(self.scales.timeline.head)

    def title(self, role: str) -> str:
        """A role as people write it."""
        return self.scales.policy.role(role).title

    def heard(self, role: str) -> list[Word]:
        """The verdicts of a role that its author may give, in order of time."""
        return [word for word in self.words if word.role == role and word.standing is not Standing.IGNORED]

    def standing_pass(self, role: str) -> Word | None:
        """The first of the unbroken run of PASS words about the present content that a role's words end in."""
        first = None
        for word in reversed(self.heard(role)):
            if word.standing is Standing.EDITED_AWAY:
                continue
            if not (word.passes and word.fresh):
                break
            first = word
        return first


def needs(bench: Bench) -> Iterator[Need]:
    """Everything that the phase needs at this place."""
    if bench.phase.where is Place.ISSUE:
        yield plan_need(bench)
    for role in bench.roles:
        yield role_need(bench, role)
    worker = worker_need(bench)
    if worker is not None:
        yield worker
    if bench.phase.human_approval:
        yield human_need(bench)


def plan_need(bench: Bench) -> Need:
    """The plan itself."""
    plan = bench.scales.plans.latest(bench.issue)
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
    heard = [word for word in bench.heard(role) if word.standing is not Standing.EDITED_AWAY]
    ask = f"Ask {title} for a verdict on {bench.subject}"
    if not heard or bench.content is None:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, f"Waiting for {title} on {bench.subject}", todo=ask)
    latest = heard[-1]
    if latest.signal.source.tampered_by is None and not latest.fresh:
        return _need(NeedKind.ROLE, role, NeedState.WAITING, _stale(bench, title, latest), todo=ask, word=latest)
    if latest.standing is Standing.INVALID:
        text = f"{title}'s verdict is invalid: {latest.reason}"
        todo = f"{title}: post a corrected verdict on {bench.subject} ({_first_hint(latest)})"
        return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, word=latest)
    if latest.outcome is not Outcome.PASS:
        return _failed(bench, role, latest)
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


def _failed(bench: Bench, role: str, word: Word) -> Need:
    title, ids = bench.title(role), ", ".join(word.signal.must_fix or ())
    fixer = bench.title(bench.phase.fixer) if bench.phase.fixer else "Author"
    text = f"{title} failed {bench.subject}" + (f": {ids}" if ids else "")
    todo = f"{fixer}: fix {ids or 'what it names'}; then ask {title} again"
    return _need(NeedKind.ROLE, role, NeedState.FAILED, text, todo=todo, word=word)


def out_of_order(bench: Bench, role: str) -> str | None:
    """Why a confirming word came too early: those who challenge must have spoken on this content before."""
    if bench.phase.parallel or bench.scales.policy.role(role).does is not Does.CONFIRMS:
        return None
    own = bench.heard(role)[-1]
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
    own = bench.heard(role)[-1].signal.source.author
    others = [other for other in (bench.phase.creator, *bench.roles) if other and other != role]
    for other in others:
        author = _speaker(bench, other)
        if author is not None and own is not None and author == own.id:
            return f"{bench.title(role)} and {bench.title(other)} spoke from one account, {own.login}"
    return None


def _speaker(bench: Bench, role: str) -> int | None:
    """The account that speaks for a role; for a creator without words, the one that opened the pull request."""
    heard = [word for word in bench.heard(role) if word.standing is not Standing.EDITED_AWAY]
    if role == bench.phase.creator and not heard:
        plan = bench.scales.plans.latest(bench.issue)
        source = plan.signal.source.author if plan is not None else bench.scales.snapshot.pull_request.author
        return source.id if source is not None else None
    author = heard[-1].signal.source.author if heard else None
    return author.id if author is not None else None


def worker_need(bench: Bench) -> Need | None:
    """That nobody who makes or mends the work is blocked; only where the phase makes something."""
    if bench.phase.creator is None or bench.phase.where is Place.ISSUE:
        return None
    said = [
        word
        for word in bench.words
        if word.role in bench.phase.workers and word.standing is Standing.VALID and word.signal.kind is Kind.VERDICT
    ]
    if not said or said[-1].outcome is not Outcome.BLOCKED:
        return None
    title = bench.title(said[-1].role or "")
    todo = f"{title}: say what blocks the work, or report again once it goes on"
    name = said[-1].role or ""
    return _need(NeedKind.WORKER, name, NeedState.WAITING, f"{title} is blocked", todo=todo, word=said[-1])


def human_need(bench: Bench) -> Need:
    """A human's approval of this very content, given after the roles had passed it."""
    command = f"/gate approve {bench.phase.name}"
    place = f"#{bench.issue}" if bench.phase.where is Place.ISSUE else "the pull request"
    todo = f"A human with {bench.scales.policy.humans.minimum_permission} permission: comment {command} on {place}"
    given = [act for act in bench.acts if act.counts and act.command.verb == "approve"]
    if not given:
        text = f"Waiting for a human's {command}"
        return Need(kind=NeedKind.HUMAN, name="approve", state=NeedState.WAITING, text=text, todo=todo)
    latest = given[-1]
    who = latest.command.source.author.login if latest.command.source.author else "?"
    passed = [word.signal.source.moment for role in bench.roles if (word := bench.standing_pass(role))]
    if latest.content is None or latest.content != bench.content:
        text = f"The approval by {who} is for an earlier content"
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
    signal = signal_id(word) if word is not None else None
    return Need(kind=kind, name=name, state=state, text=text, todo=todo, signal=signal)


def signal_id(word: Word) -> str:
    """The name of a signal in the report: where it stands, which version of the text, and what it is."""
    source = word.signal.source
    version = "" if source.latest and source.version == 1 else f".{source.version}"
    return f"{source.id}{version}/{word.signal.kind.value}"
