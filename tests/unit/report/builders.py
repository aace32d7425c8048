"""Reports to render: small parts with sound defaults, and a whole one that has something in every section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

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
NOTICE = Severity.NOTICE
MET, FAILED, WAITING = NeedState.MET, NeedState.FAILED, NeedState.WAITING


def comment(number: int) -> str:
    """The address of a comment on the pull request."""
    return f"{BASE}/pull/12#issuecomment-{number}"


def source(number: int = 1, login: str = "ana", *, url: str | None = None) -> Source:
    """A comment on the pull request."""
    author, at = Actor(login=login, id=number, type="User"), "2026-01-31T09:00:00Z"
    place, url = Place.PULL_REQUEST, comment(number) if url is None else url
    return Source(id=f"comment-{number}", number=number, url=url, place=place, author=author, at=at)


def finding(
    name: str = "J1", summary: str = "Expired tokens are accepted", location: str = "src/auth.py:42"
) -> Finding:
    """A finding that blocks."""
    told = {"id": name, "severity": "HIGH", "summary": summary, "location": location}
    told |= {"root_cause": "missing_validation", "fix_hint": "Compare exp with now"}
    return Finding(**told, blocking=True, where=Where(url=comment(1)))  # type: ignore[arg-type]


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
    at, ignored = written or source(number), disposition is Disposition.IGNORED
    must_fix, where = tuple(item.id for item in findings) or None, Where(url=at.url)
    said: dict[str, Any] = {"dialect": "jkz", "kind": Kind.VERDICT, "outcome": outcome, "digest": "sha256:0"}
    signal = Signal(**said, findings=findings, must_fix=must_fix, source=at, where=where)
    counts: dict[str, Any] = {} if ignored else {"outcome": outcome, "commit": commit}
    validity = Validity.IGNORED if ignored else Validity.VALID
    vote = Vote(signal=signal, role=role, validity=validity, why=why, **counts)
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
    where: Place = Place.PULL_REQUEST,
    **told: Any,  # noqa: ANN401
) -> PhaseReport:
    """A phase."""
    told = {"notes": (), "rounds": (), **told}
    return PhaseReport(name=name, context=f"phase-gate/{name}", state=state, where=where, needs=needs, **told)


def problem(
    code: str, message: str, where: Where, *, severity: Severity = Severity.ERROR, hint: str = "Fix it."
) -> Problem:
    """A problem."""
    return Problem(code=code, severity=severity, message=message, where=where, hint=hint)


def act(
    verb: str = "approve", name: str = "plan", *, counts: bool = True, said: str = "", why: Problem | None = None
) -> Act:
    """A human act."""
    where = Where(url=comment(9), line=1, column=1)
    command = Command(verb=verb, phase=name, reason=said, source=source(9, "mona"), where=where)
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
        fixed, where = told.why is Why.FAILED, Where()
        if told.state is not NeedState.MET:
            found = [
                Finding(id=each, severity="HIGH", summary="", blocking=True, where=where) for each in told.findings
            ]
            about: dict[str, Any] = {"phase": name, "need": told.name, "commit": told.commit, "issue": told.issue}
            yield Task(
                **{**about, "do": Remedy.FIX_FINDINGS if fixed else Remedy.GIVE_VERDICT, "actor": Party.ROLE},
                role=told.actor if fixed else told.name,
                findings=tuple(found),
                product=Product(medium="branch" if fixed else "comment"),
                reasons=() if told.problem is None or fixed else (told.problem,),
            )


PROVENANCE = Provenance(
    snapshot_digest="sha256:5a17", policy_digest="sha256:90c1", policy_source="profile jkz", version="0.1.0"
)


def report(
    state: State = State.SUCCESS,
    *phases: PhaseReport,
    way: Route | None = None,
    url: str = f"{BASE}/pull/12",
    **told: Any,  # noqa: ANN401
) -> Report:
    """A report on pull request 12."""
    told = {"withheld": None, "siblings": (), "signals": (), "acts": (), "problems": (), **told}
    open_ = told["withheld"] is None and state in (State.FAILURE, State.PENDING)
    how_to = {"judge": HowTo(medium=Medium.COMMENT, heading="## jkz:judge", marker="jkz:verdict-json")}
    return Report(
        repository=REPOSITORY,
        pull_request=12,
        url=url,
        head=HEAD,
        context="phase-gate",
        **{"state": state, "phases": phases, "route": way, "how_to": how_to, "provenance": PROVENANCE, **told},
        tasks=tuple(tasks_of(*phases)) if open_ else (),
    )


def plan_phase() -> PhaseReport:
    """A plan that has passed in its second round."""
    approved = need("approve", MET, Why.PASSED, NeedKind.HUMAN, issue=7, by="mona")
    needs = (planned(7), passed("auditor", issue=7), passed("curator", issue=7), approved)
    second = round_of("#7 plan 2", current=True, auditor="PASS", curator="PASS")
    return phase(
        "plan", State.SUCCESS, *needs, where=Place.ISSUE, rounds=(round_of("#7 plan 1", auditor="FAIL"), second)
    )


def build_phase() -> PhaseReport:
    """A build that the Judge has failed three times, once with a broken block."""
    rounds = (round_of(OLD[:7], judge="FAIL"), round_of("b2c3d4e", judge="invalid", inspector="PASS"))
    last = round_of(SUBJECT, current=True, judge="FAIL")
    needs = (failed("judge", "J1", "J2", signal="comment-3/verdict"), awaited("inspector"))
    return phase("build", State.FAILURE, *needs, rounds=(*rounds, last))


def failing_report() -> Report:
    """A pull request in trouble: something in every section of the summary."""
    found = (finding(), finding("J2", "Errors are swallowed | silently", "the whole of src/"))
    judge = signal_report(3, "judge", Outcome.FAIL, findings=found, written=source(3, "jkz-runner[bot]"))
    where, hint = Where(url=comment(2)), "Ask for permission."
    stranger = problem("PG201", "eve has read permission, but write is needed", where, severity=NOTICE, hint=hint)
    own = problem("PG211", "mona opened this pull request", Where(url=comment(9), line=1, column=1))
    place = Where(url=comment(3), line=4, column=7, json_path="$.must_fix[2]")
    unknown = 'must_fix names "J3", which is not in issues[] (has J1, J2)'
    tier = problem("PG020", "tier is missing", Where(path=".pipeline/7/plan.json", line=3, column=1, json_path="$"))
    ignored = signal_report(2, "judge", disposition=Disposition.IGNORED, why=stranger, written=source(2, "eve"))
    return report(
        State.FAILURE,
        *(plan_phase(), build_phase(), phase("qa", State.PENDING, earlier("build"))),
        way=route(),
        signals=(signal_report(1, "inspector", disposition=Disposition.STALE, commit=OLD), ignored, judge),
        acts=(act(), act("override", "build", counts=False, said="ship it", why=own)),
        problems=(stranger, problem("PG112", unknown, place, hint="Remove it or add the finding."), tier),
    )
