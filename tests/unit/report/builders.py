"""Reports to render: small parts with sound defaults, and a whole one that has something in every section."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import (
    Disposition,
    IssueRoute,
    Need,
    NeedKind,
    NeedState,
    Note,
    NoteKind,
    Party,
    PhaseReport,
    Product,
    Provenance,
    Remedy,
    Report,
    Round,
    RoundVote,
    Route,
    SignalReport,
    State,
    Task,
    Told,
    TypeSource,
    Why,
    Withheld,
)
from phasegate.model.signal import (
    Act,
    Command,
    Finding,
    HowTo,
    Kind,
    Medium,
    Outcome,
    Place,
    Signal,
    Source,
    Validity,
    Vote,
)
from phasegate.model.texts import Actor

REPOSITORY = "octo/shop"
BASE = f"https://github.com/{REPOSITORY}"
HEAD = "3f2a91c0d4e5f60718293a4b5c6d7e8f90a1b2c3"
OLD = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4"
SUBJECT = HEAD[:7]
MET, FAILED, WAITING = NeedState.MET, NeedState.FAILED, NeedState.WAITING


def comment(number: int) -> str:
    """The address of a comment on the pull request."""
    return f"{BASE}/pull/12#issuecomment-{number}"


def source(number: int = 1, login: str = "ana", *, url: str | None = None) -> Source:
    """A comment on the pull request."""
    return Source(
        id=f"comment-{number}",
        number=number,
        url=comment(number) if url is None else url,
        place=Place.PULL_REQUEST,
        author=Actor(login=login, id=number, type="User"),
        at="2026-01-31T09:00:00Z",
    )


def finding(
    name: str = "J1", summary: str = "Expired tokens are accepted", location: str = "src/auth.py:42"
) -> Finding:
    """A finding that blocks."""
    return Finding(
        id=name,
        severity="HIGH",
        summary=summary,
        location=location,
        root_cause="missing_validation",
        fix_hint="Compare exp with now",
        blocking=True,
        where=Where(url=comment(1)),
    )


def signal_report(  # noqa: PLR0913  (the parts that tests vary)
    number: int = 1,
    role: str | None = "judge",
    outcome: Outcome = Outcome.PASS,
    disposition: Disposition = Disposition.COUNTED,
    *,
    why: Problem | None = None,
    findings: tuple[Finding, ...] = (),
    commit: str | None = HEAD,
    written: Source | None = None,
) -> SignalReport:
    """A verdict in the report."""
    at = written or source(number)
    signal = Signal(
        dialect="jkz",
        kind=Kind.VERDICT,
        outcome=outcome,
        findings=findings,
        must_fix=tuple(item.id for item in findings) if findings else None,
        digest="sha256:0",
        source=at,
        where=Where(url=at.url),
    )
    ignored = disposition is Disposition.IGNORED
    vote = Vote(
        signal=signal,
        role=role,
        validity=Validity.IGNORED if ignored else Validity.VALID,
        why=why,
        outcome=None if ignored else outcome,
        commit=None if ignored else commit,
    )
    return SignalReport(id=f"comment-{number}/verdict", vote=vote, phase="build", disposition=disposition)


def need(name: str, state: NeedState, why: Why, kind: NeedKind = NeedKind.SEAT, /, **values: object) -> Need:
    """Something that a phase needs; on the head, unless it is about the plan of an issue."""
    about: dict[str, object] = {"actor": name} if "issue" in values else {"actor": name, "commit": HEAD}
    return Need(kind=kind, name=name, state=state, why=why, **{**about, **values})  # type: ignore[arg-type]


def passed(role: str, **values: object) -> Need:
    """A role that has passed."""
    return need(role, MET, Why.PASSED, **values)


def awaited(role: str, **values: object) -> Need:
    """A role that has not spoken."""
    return need(role, WAITING, Why.MISSING, **values)


def failed(role: str, *findings: str, fixer: str = "doctor", **values: object) -> Need:
    """A role that has failed the work."""
    return need(role, FAILED, Why.FAILED, said="FAIL", findings=findings, actor=fixer, **values)


def planned(number: int) -> Need:
    """The plan of an issue."""
    return need(f"#{number}", MET, Why.PASSED, NeedKind.PLAN, issue=number)


def earlier(name: str) -> Need:
    """A phase that comes first."""
    return need(name, WAITING, Why.EARLIER_PHASE, NeedKind.EARLIER_PHASE)


def overridden(reason: str = "hotfix", by: str = "mona", issues: tuple[int, ...] = ()) -> Note:
    """That a human has overridden a phase."""
    return Note(kind=NoteKind.OVERRIDDEN, by=by, reason=reason, issues=issues)


def round_of(label: str, *, current: bool = False, **votes: str) -> Round:
    """What the roles said about one content."""
    said = tuple(RoundVote(role=role, outcome=outcome, signal="-") for role, outcome in votes.items())
    return Round(content=f"sha256:{label}", label=label, current=current, votes=said)


def phase(
    name: str,
    state: State = State.SUCCESS,
    *needs: Need,
    notes: tuple[Note, ...] = (),
    where: Place = Place.PULL_REQUEST,
    rounds: tuple[Round, ...] = (),
) -> PhaseReport:
    """A phase."""
    return PhaseReport(
        name=name, context=f"phase-gate/{name}", state=state, where=where, notes=notes, needs=needs, rounds=rounds
    )


def problem(
    code: str, message: str, where: Where, *, severity: Severity = Severity.ERROR, hint: str = "Fix it."
) -> Problem:
    """A problem."""
    return Problem(code=code, severity=severity, message=message, where=where, hint=hint)


def act(
    verb: str = "approve", name: str = "plan", *, counts: bool = True, said: str = "", why: Problem | None = None
) -> Act:
    """A human act."""
    command = Command(
        verb=verb, phase=name, reason=said, source=source(9, "mona"), where=Where(url=comment(9), line=1, column=1)
    )
    return Act(command=command, counts=counts, why=why)


def route() -> Route:
    """The route of one issue."""
    told = TypeSource(told=Told.LABEL, name="bug", issue=7)
    issue = IssueRoute(number=7, url=f"{BASE}/issues/7", type="bug", source=told, qa_required=False, quick=False)
    return Route(issues=(issue,), type="bug", source=told, qa_required=False, quick=False)


def tasks_of(*phases: PhaseReport) -> Iterator[Task]:
    """A task for each open seat, as the rules find them: what failed is to be fixed first."""
    needs = [(each.name, told) for each in phases for told in each.needs if told.kind is NeedKind.SEAT]
    for name, told in sorted(needs, key=lambda each: each[1].state is not NeedState.FAILED):
        fixed = told.why is Why.FAILED
        if told.state is not NeedState.MET:
            yield Task(
                do=Remedy.FIX_FINDINGS if fixed else Remedy.GIVE_VERDICT,
                actor=Party.ROLE,
                role=told.actor if fixed else told.name,
                phase=name,
                need=told.name,
                commit=told.commit,
                issue=told.issue,
                findings=tuple(
                    Finding(id=each, severity="HIGH", summary="", blocking=True, where=Where())
                    for each in told.findings
                ),
                product=Product(medium="branch" if fixed else "comment"),
                reasons=() if told.problem is None or fixed else (told.problem,),
            )


def report(  # noqa: PLR0913  (the parts that tests vary)
    state: State = State.SUCCESS,
    *phases: PhaseReport,
    withheld: Withheld | None = None,
    siblings: tuple[int, ...] = (),
    way: Route | None = None,
    signals: tuple[SignalReport, ...] = (),
    acts: tuple[Act, ...] = (),
    problems: tuple[Problem, ...] = (),
    url: str = f"{BASE}/pull/12",
) -> Report:
    """A report on pull request 12."""
    return Report(
        repository=REPOSITORY,
        pull_request=12,
        url=url,
        head=HEAD,
        state=state,
        context="phase-gate",
        withheld=withheld,
        siblings=siblings,
        route=way,
        phases=phases,
        signals=signals,
        acts=acts,
        problems=problems,
        provenance=Provenance(
            snapshot_digest="sha256:5a17", policy_digest="sha256:90c1", policy_source="profile jkz", version="0.1.0"
        ),
        how_to={"judge": HowTo(medium=Medium.COMMENT, heading="## jkz:judge", marker="jkz:verdict-json")},
        tasks=tuple(tasks_of(*phases)) if withheld is None and state in (State.FAILURE, State.PENDING) else (),
    )


def plan_phase() -> PhaseReport:
    """A plan that has passed in its second round."""
    return phase(
        "plan",
        State.SUCCESS,
        planned(7),
        passed("auditor", issue=7),
        passed("curator", issue=7),
        need("approve", MET, Why.PASSED, NeedKind.HUMAN, issue=7, by="mona"),
        where=Place.ISSUE,
        rounds=(
            round_of("#7 plan 1", auditor="FAIL"),
            round_of("#7 plan 2", current=True, auditor="PASS", curator="PASS"),
        ),
    )


def build_phase() -> PhaseReport:
    """A build that the Judge has failed three times, once with a broken block."""
    return phase(
        "build",
        State.FAILURE,
        failed("judge", "J1", "J2", signal="comment-3/verdict"),
        awaited("inspector"),
        rounds=(
            round_of(OLD[:7], judge="FAIL"),
            round_of("b2c3d4e", judge="invalid", inspector="PASS"),
            round_of(SUBJECT, current=True, judge="FAIL"),
        ),
    )


def failing_report() -> Report:
    """A pull request in trouble: something in every section of the summary."""
    judge = signal_report(
        3,
        "judge",
        Outcome.FAIL,
        findings=(finding(), finding("J2", "Errors are swallowed | silently", "the whole of src/")),
        written=source(3, "jkz-runner[bot]"),
    )
    stranger = problem(
        "PG201",
        "eve has read permission, but write is needed",
        Where(url=comment(2)),
        severity=Severity.NOTICE,
        hint="Ask for permission.",
    )
    own = problem("PG211", "mona opened this pull request", Where(url=comment(9), line=1, column=1))
    return report(
        State.FAILURE,
        plan_phase(),
        build_phase(),
        phase("qa", State.PENDING, earlier("build")),
        way=route(),
        signals=(
            signal_report(1, "inspector", disposition=Disposition.STALE, commit=OLD),
            signal_report(2, "judge", disposition=Disposition.IGNORED, why=stranger, written=source(2, "eve")),
            judge,
        ),
        acts=(act(), act("override", "build", counts=False, said="ship it", why=own)),
        problems=(
            stranger,
            problem(
                "PG112",
                'must_fix names "J3", which is not in issues[] (has J1, J2)',
                Where(url=comment(3), line=4, column=7, json_path="$.must_fix[2]"),
                hint="Remove it or add the finding.",
            ),
            problem("PG020", "tier is missing", Where(path=".pipeline/7/plan.json", line=3, column=1, json_path="$")),
        ),
    )
