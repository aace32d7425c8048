"""Tasks as people get them: one sentence for each thing to do, proven to help or not, and the next action."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import (
    Grant,
    Need,
    NeedKind,
    NeedState,
    Party,
    Product,
    Remedy,
    Report,
    State,
    Task,
    Why,
)
from phasegate.model.signal import VERDICT, Finding, Place, role_title
from phasegate.report.inert import plain
from phasegate.report.status import IN_VAIN, LONGEST_LOGIN, is_exempt, overridden, overruled, stanza, withheld_text
from phasegate.report.wording import (
    AUTHOR,
    NO_ROLE,
    as_clause,
    ask,
    causes_text,
    corrected,
    first_of,
    link_todo,
    listing,
    need_text,
    note_text,
    phase_note,
    renewed,
    settle_todo,
    short,
    spent_todo,
    standing_text,
    subject,
    takes_text,
    then_ask,
    was_judged,
)

MAINTAINER = "Maintainer"
SAID_ANYWAY = (NO_ROLE, "PG225")  # whose hints say no more than who is asked, and under which heading
UNKNOWN_ROLE = "PG120"  # why a word does not count whose heading names no role
SPENT = "PG404"  # why words do not count of an issue that was closed and opened again
OWN_WORK = "PG202"  # why a word does not count of who made the work
POLICY_FILE = ".github/phase-gate.yml"
# Whom the switches of humans let act.
APPROVERS = {"author_may_approve": "authors of pull requests", "agents_may_approve": "accounts that agents use"}


def actor_title(task: Task) -> str:
    """Whose turn it is, as people say it."""
    if task.actor is Party.ROLE:
        return role_title(task.role)
    if task.actor is Party.HUMAN:
        return f"A human with {task.permission} permission" if task.permission else "A human"
    return AUTHOR if task.actor is Party.AUTHOR else MAINTAINER


def task_text(task: Task, report: Report, told: str = "") -> str:
    """What to do, in a sentence; what is there and does not count is said first, where it is not ``told`` already."""
    lead, todo = _lead(task, report), _TODOS[task.do](task, report)
    if not lead or lead in told:
        return todo
    stop = "" if lead.rstrip('"').endswith((".", "?", "!")) else "."
    return f"{lead}{stop} {todo}"


def _lead(task: Task, report: Report) -> str:
    """Why it is to be done although something is there; empty where nothing is, or the findings say it."""
    need = _need(task, report)
    elsewhere = task.do is Remedy.PUSH_EVIDENCE and task.need.partition("#")[0] != task.role.partition("#")[0]
    if need is None or elsewhere or task.do is Remedy.FIX_FINDINGS:
        return ""
    return need_text(need) if task.reasons else standing_text(need)


def _need(task: Task, report: Report) -> Need | None:
    """The need that a task is about, where it is one of today."""
    phases = (phase for phase in report.phases if phase.name == task.phase)
    return next((need for phase in phases for need in phase.needs if _is_about(task, need)), None)


def _is_about(task: Task, need: Need) -> bool:
    """True if a task of its phase is about this need."""
    return need.name == task.need and (need.issue or None) == task.issue


def need_todo(need: Need, report: Report) -> str:
    """What to do about a need, and whose turn it is: the sentence of its task, be it proven or not.

    Empty where the need is met or only waits for an earlier phase.
    """
    if need.state is NeedState.MET or need.kind is NeedKind.EARLIER_PHASE:
        return ""
    phase = next((phase.name for phase in report.phases if need in phase.needs), "")
    proven = (task for task in report.tasks if task.phase == phase and _is_about(task, need) and _fits(task, need))
    task = next(proven, None) or _unproven(need, phase, report)
    return _TODOS[task.do](task, report)


def _fits(task: Task, need: Need) -> bool:
    """True if a task ends this need and not another of the same name: in its folder, or of what was taken away."""
    if need.kind in (NeedKind.HISTORY, NeedKind.ATTEMPTS):
        return need.why is not Why.RECORD_FULL and (task.do is not Remedy.GIVE_VERDICT or need.why is Why.DELETED)
    return need.folder is None or _product(task).path.startswith(need.folder)


FOUND = (Why.FAILED, Why.STANDS)  # there are findings to fix
REFUSED = (Why.REFUSED, Why.INVALID, Why.DRIFTED, Why.COMMIT_UNKNOWN)  # there is something, and it does not count
# What is asked for where nothing could be shown to help.
UNPROVEN = {
    NeedKind.LINKED_ISSUE: Remedy.LINK_ISSUE,
    NeedKind.PLAN: Remedy.WRITE_PLAN,
    NeedKind.SEAT: Remedy.GIVE_VERDICT,
    NeedKind.FOLDER: Remedy.FIX_FOLDER,
    NeedKind.WORKER: Remedy.REPORT_AGAIN,
    NeedKind.HUMAN: Remedy.APPROVE,
    NeedKind.HISTORY: Remedy.RESUME,
    NeedKind.ATTEMPTS: Remedy.RESUME,
    NeedKind.CHECK: Remedy.PASS_CHECK,
}


def _unproven(need: Need, phase: str, report: Report) -> Task:
    """The task that a need asks for, with what the need itself tells."""
    do, how = UNPROVEN[need.kind], report.how_to.get(need.actor or need.name)
    if need.kind is NeedKind.SEAT and (need.folder is not None or need.why in FOUND):
        do = Remedy.FIX_FINDINGS if need.why in FOUND else Remedy.PUSH_EVIDENCE
    elif need.why is Why.SPENT:
        do = Remedy.LINK_ISSUE
    if need.why is Why.DRIFTED or (need.why is Why.REFUSED and need.folder is not None):
        do = Remedy.FIX_FOLDER  # to ask for the same again is no help: only the hint is told
    wrong = (need.problem, *need.also) if need.why in REFUSED or need.also else ()
    wrong = (need.problem,) if do is Remedy.FIX_FINDINGS else wrong
    command = f"/gate {do.value} {need.other if do is Remedy.APPROVE else f'{need.name}: <reason>'}"
    hint = ""
    if do is Remedy.LINK_ISSUE:
        hint = Why.SPENT.value if need.why is Why.SPENT else need.place
    elif do is Remedy.FIX_FOLDER and need.problem is not None:
        look = f"Look at {need.problem.where}. " if need.why is Why.DRIFTED else ""
        hint = f"{look}{need.problem.hint}"
    elif need.why is Why.RECORD_FULL:
        hint = f"push a new commit, an empty one will do; {short(report.head)} takes no more statuses"
    return Task(
        do=do,
        actor=Party.HUMAN if do in (Remedy.APPROVE, Remedy.RESUME) else Party.ROLE,
        role=need.actor if do in (Remedy.FIX_FINDINGS, Remedy.WRITE_PLAN) else need.name,
        phase=phase,
        need=need.name,
        commit=need.commit,
        issue=need.issue or None,
        findings=tuple(
            Finding(id="" if " " in each else each, severity="", summary=each, blocking=True, where=Where())
            for each in need.findings
        ),
        permission=need.permission,
        product=Product(
            medium="",
            heading="" if how is None else how.heading,
            path="" if need.folder is None else f"{need.folder}/{need.name.partition('#')[0]}",
            text=command,
            names_commit=need.why is Why.COMMIT_UNKNOWN,
        ),
        refused=need.signal,
        reasons=tuple(dict.fromkeys(item for item in wrong if item is not None)),
        hint=hint,
    )


def _subject(task: Task, report: Report) -> str:
    if task.commit is not None:
        return short(task.commit)
    if task.issue is not None:
        return f"the plan of #{task.issue}"
    return "the plan of the linked issue" if _on_issue(task, report) else "the new commit"


def _on_issue(task: Task, report: Report) -> bool:
    return any(phase.name == task.phase and phase.where is Place.ISSUE for phase in report.phases)


def _place(task: Task, report: Report) -> str:
    if task.issue is not None:
        return f"#{task.issue}"
    there = _on_issue(task, report) and task.do is not Remedy.OVERRIDE
    return "the linked issue" if there else "the pull request"


def _product(task: Task) -> Product:
    return task.product or Product(medium="")


def _verdict(task: Task, report: Report) -> str:
    need, noun = _need(task, report), _noun(task.role, report)
    subject = _subject(task, report) if noun == VERDICT or task.issue is None else f"#{task.issue}"
    title = role_title(task.role)
    if task.reasons and need is not None and need.why is Why.INVALID:
        return f"{corrected(title, noun, subject)}{_hints(task.reasons)}"
    naming = " that names this commit" if _product(task).names_commit else ""
    again = " again" if need is not None and need.why is Why.TOO_EARLY else ""
    takes = takes_text(need) if need is not None and need.why is Why.NOT_DONE else ""
    other = " from another account" if any(item.code == OWN_WORK for item in task.reasons) else ""
    if need is not None and need.why is Why.ONE_ACCOUNT:
        other = f" from an account other than {need.by}"
    if need is not None and need.why is Why.DELETED:
        other = f" from {need.by}"
    under = f" under the heading {_product(task).heading}" if any(i.code == NO_ROLE for i in task.reasons) else ""
    hints = "" if other else _hints(tuple(item for item in task.reasons if item.code not in SAID_ANYWAY))
    made = _product(task)
    how = f": comment {made.request}" if made.request else f": request a review from {made.reviewer}"
    how = "" if other or not (made.request or made.reviewer) else how
    if how and need is not None and need.why is Why.NOT_DONE:
        else_ = f"exempt them in the policy, or a human comments /gate override {task.phase}: <reason>"
        how += f" (if it never looks at such changes, {else_})"
    part = f" that includes its {role_title(task.need).lower()}" if _is_part(task, need) else ""
    return f"{ask(title, noun, subject)}{takes}{naming}{part}{other}{under}{again}{how}{hints}"


def _is_part(task: Task, need: Need | None) -> bool:
    """Whether a part is missing of what a role said."""
    return task.need != task.role and need is not None and need.why is Why.PART_NOT_RUN


def _noun(role: str, report: Report) -> str:
    """What the words of a role are called beside its name."""
    how = report.how_to.get(role)
    return VERDICT if how is None else how.noun


def _hints(reasons: tuple[Problem, ...]) -> str:
    hints = list(dict.fromkeys(item.hint for item in reasons if item.hint))
    told = hints[0] if hints else ""
    for hint in hints[1:]:
        told = _sentences(told, hint)
    return f" ({told})" if told else ""


def _file(task: Task, report: Report) -> str:
    name, own = task.role.partition("#")[0], task.need.partition("#")[0]
    what = name if "." in name else f"the {_noun(name, report) or 'file'} of {role_title(name)}"
    folder, _, file = _product(task).path.rpartition("/")
    where = f"in {folder}" if file == name else f"at {_product(task).path}"
    subject, other = _subject(task, report), any(item.code == OWN_WORK for item in task.reasons)
    if name != own and task.reasons:
        told = "; ".join(dict.fromkeys(item.message for item in task.reasons))
        return f"{told}: {as_clause(task.reasons[0].hint)} ({what} {where})"
    if other:
        return f"Push {what} {where} from another account, for {subject}"
    need, verb = _need(task, report), "Fix" if task.reasons and task.refused else "Push"
    again = "" if need is None else renewed(need, report)
    return f"{verb} {what} {where}, for {subject}{_hints(task.reasons)}{again}"


def _fix(task: Task, report: Report) -> str:
    need = _need(task, report)
    if need is not None and need.why is Why.STANDS:
        return settle_todo(need, role_title(task.role) if task.role else AUTHOR)
    ids = list(dict.fromkeys(finding.id for finding in task.findings if finding.id and not finding.id.isdigit()))
    need = _need(task, report)
    found = f" {first_of(ids)}" if ids else _summaries(task.findings, "" if need is None else causes_text(need))
    planned = _on_issue(task, report)
    asked = then_ask(role_title(task.need), _noun(task.need, report), "" if planned else "push, ")
    then = f"then push {task.need}" if "." in task.need else asked
    who = role_title(task.role) if task.role and _noun(task.role, report) else AUTHOR
    form = "".join(f" (its verdict also needs a correction: {item.message})" for item in task.reasons[:1])
    noise = f" (or: {task.hint})" if task.hint else ""
    return f"{who}: fix{found}{' in the plan' if planned else ''}{',' if ids else ';'} {then}{form}{noise}"


def _summaries(findings: tuple[Finding, ...], causes: str) -> str:
    texts = [finding.summary for finding in findings[:3] if finding.summary]
    return f": {', '.join(texts)}" if texts else f" what it found{f' ({causes})' if causes else ''}"


def _plan(task: Task, report: Report) -> str:
    heading = _product(task).heading
    headed = not task.reasons or any(item.code in (NO_ROLE, UNKNOWN_ROLE) for item in task.reasons)
    under = f" under the heading {heading}" if heading and headed else ""
    again = " again" if task.reasons else ""
    hints = _hints(() if headed else tuple(item for item in task.reasons if item.code != SPENT))
    return f"{role_title(task.role)}: post the plan{again} on {_place(task, report)}{under}{hints}"


def _act(task: Task, report: Report) -> str:
    if task.hint:  # no command helps
        return f"{AUTHOR}: {task.hint}"
    look = "" if task.do in (Remedy.APPROVE, Remedy.OVERRIDE, Remedy.DISMISS) else "look at what happened, then "
    return f"{actor_title(task)}: {look}comment {_product(task).text} on {_place(task, report)}"


def _answer(task: Task, report: Report) -> str:
    role, where = role_title(task.role), _place(task, report)
    document = role if "." in role else f"the {role.lower()}"
    named = "." not in role and _noun(task.role, report)
    then = f"ask {role} to go on" if named else f"ask for {document} again"
    return f"{actor_title(task)}: answer on {where}, then {then}"


def _link(task: Task, report: Report) -> str:
    del report
    if task.hint == "spent":
        return spent_todo(task.issue)
    return link_todo(task.hint)


def _relabel(task: Task, report: Report) -> str:
    del report
    why, name = task.reasons[0].message, plain(task.need, LONGEST_LOGIN)
    if "#" in name:
        again = f"if #{task.issue} need not be closed here, link it again and remove the link"
    elif task.hint == "added":
        again = f'if "{name}" is right, take it from #{task.issue} and set it again'
    else:
        again = f'if "{name}" is wrong, set it on #{task.issue} and take it away again'
    return f"{_sentences(why[:1].upper() + why[1:], actor_title(task))}: {again}"


def _policy_line(task: Task, report: Report) -> str:
    if task.grant is None and _product(task).text:
        return f"{MAINTAINER}: if it may be skipped, write in {_product(task).path}: {_product(task).text}"
    if task.grant is None:
        return f"{MAINTAINER}: change {_product(task).path or POLICY_FILE}"
    return f"{_policy_sentence(task, task.grant, report)}: {stanza(task.grant)}"


def _policy_sentence(task: Task, grant: Grant, report: Report) -> str:
    path = _product(task).path or POLICY_FILE
    where = f"under agents.accounts of {path}" if grant.beside else f"to {path}"
    title = role_title(task.role)
    if grant.alone:
        lets = "lets one account make, judge and approve; nobody checks its independence then"
        return f"{MAINTAINER}: if {grant.login} works alone here, with agents on the same account, add {where} ({lets})"
    if grant.approvers:
        where = f"under humans of {path}" if grant.beside else f"to {path}"
        lets = listing(APPROVERS[name] for name in grant.approvers)
        return f"{MAINTAINER}: if nobody else can approve here, add {where} (lets {lets} approve, resume and override)"
    if not grant.login:
        return f"{MAINTAINER}: name the account that speaks as {title}, {where}"
    own = ", also about its own work" if any(item.code == OWN_WORK for item in task.reasons) else ""
    named = "." in task.role or not _noun(task.role, report)
    what = f"is your {title}" if not named else f"writes your {title if '.' in title else title.lower()}"
    verb = "write" if named else "speak as"
    lets = f"lets it {verb} {listing(role_title(name) for name in grant.roles)}{own}"
    return f"{MAINTAINER}: if {grant.login} {what}, add {where} ({lets})"


def _check(task: Task, report: Report) -> str:
    need = _need(task, report)
    if need is None or need.state is NeedState.MET:
        return f"Wait until the check {task.need} has succeeded on {_subject(task, report)}"
    named = f"the check {need.name}"
    return {
        Why.MISSING: f"Let {named} run on {subject(need)}, or correct its name in phases.{need.other}.checks",
        Why.RUNNING: f"Wait for {named}",
        Why.NOT_DONE: f"Let {named} run again on {subject(need)}: {need.said} does not count as a pass",
    }.get(need.why, f"{AUTHOR}: fix what {named} found{f' ({need.place})' if need.place else ''}")


_TODOS: dict[Remedy, Callable[[Task, Report], str]] = {
    Remedy.GIVE_VERDICT: _verdict,
    Remedy.PUSH_EVIDENCE: _file,
    Remedy.WRITE_PLAN: _plan,
    Remedy.FIX_FINDINGS: _fix,
    Remedy.REPORT_AGAIN: lambda task, _: (
        f"{role_title(task.role)}: say what blocks the work, or report again when it continues"
    ),
    Remedy.ANSWER: _answer,
    **dict.fromkeys((Remedy.APPROVE, Remedy.RESUME, Remedy.OVERRIDE, Remedy.DISMISS), _act),
    Remedy.LINK_ISSUE: _link,
    Remedy.ADD_POLICY_LINE: _policy_line,
    Remedy.FIX_POLICY: lambda task, _: f"{MAINTAINER}: fix {_product(task).path}{_hints(task.reasons)}",
    Remedy.FIX_FOLDER: lambda task, _: task.hint,
    Remedy.PASS_CHECK: _check,
    Remedy.SEPARATE_HEAD: lambda task, _: f"{AUTHOR}: {task.hint}",
    Remedy.RELABEL: _relabel,
    Remedy.REQUEUE: lambda task, _: f"{AUTHOR}: {task.hint}",
    Remedy.REOPEN: lambda *_: f"{AUTHOR}: reopen the pull request to have it decided again",
}


LIMIT = 500
DEPENDENT = "PG223"
WITHHOLDING = ("PG406", "PG410", "PG411", "PG412")  # why there is no success though all phases are green


def next_action(report: Report, told: str = "") -> str:
    """What to do now; ``told`` is what need not be said again."""
    return plain(_action(report, told), LIMIT)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Whose turn it is and what to do; what of a policy is to be copied, and ``told``, which need not be said again."""

    text: str = ""
    line: str = ""
    told: str = ""


def turn(report: Report, beside: Iterable[Problem | None], headline: str = "") -> Turn:
    """The next action for a page that tells these problems beside it: why it is needed is left to them."""
    if report.state is State.SUCCESS:
        return Turn()
    task = report.tasks[0] if report.tasks and report.withheld is None else None
    if task is None or report.state is State.ERROR or set(task.reasons).isdisjoint(beside):
        text = next_action(report, headline)
        return Turn(text=text, told=text)
    if task.grant is not None and task.do is Remedy.ADD_POLICY_LINE:
        text = plain(f"{_policy_sentence(task, task.grant, report)}:", LIMIT)
        return Turn(text=text, line=plain(stanza(task.grant), LIMIT), told=plain(_hints(task.reasons), LIMIT))
    bare = replace(task, reasons=tuple(replace(item, hint="") for item in task.reasons))
    text = plain(_sentences(_TODOS[task.do](bare, report), _or_alone(report)), LIMIT)
    return Turn(text=text, told=text)


def _action(report: Report, told: str) -> str:
    if report.state is State.SUCCESS:
        exempt = next((phase_note(phase, report) for phase in report.phases if is_exempt(phase)), "")
        if exempt:
            return f"Ready to merge: {exempt[0].lower()}{exempt[1:]}"
        had_to = "" if all(was_judged(phase) for phase in report.phases) else " that had to run"
        alone = any(item.code == DEPENDENT for item in report.problems)
        rests = [*overridden(report), *overruled(report), *(["independence is not checked"] if alone else [])]
        return f"Ready to merge: all phases{had_to} are green" + (f" ({'; '.join(rests)})" if rests else "")
    if report.state is State.ERROR:
        return _mend(report)
    if report.tasks and report.withheld is None:
        todo = _sentences(task_text(report.tasks[0], report, told), _or_alone(report))
        vain = "" if report.tasks[0].do is Remedy.RELABEL else _in_vain(report.tasks[0], report)
        return _sentences(vain, todo)
    open_needs = sorted(_open_needs(report), key=lambda need: need.state is not NeedState.FAILED)
    if open_needs:
        return need_todo(open_needs[0], report) or need_text(open_needs[0])
    return _withheld(report)


def _or_alone(report: Report) -> str:
    """What else helps who does everything from one account; empty where others have a part in it."""
    grants = ((task, task.grant) for task in report.tasks if task.grant is not None)
    alone = (task for task, grant in grants if grant.alone or grant.approvers)
    lines = (_policy_line(task, report) for task in alone)
    return next((f"Or, {line[0].lower()}{line[1:]}" for line in lines), "")


def _in_vain(task: Task, report: Report) -> str:
    """That somebody has just overridden or resumed the phase in vain, or that it would be exempt but for something."""
    notes = (note for phase in report.phases if phase.name == task.phase for note in phase.notes)
    note = next((note for note in notes if note.kind in IN_VAIN), None)
    hint = "" if note is None or note.problem is None else note.problem.hint
    return "" if note is None else _sentences(note_text(note, report), hint)


def _mend(report: Report) -> str:
    """What keeps the gate from deciding; without a route it never got past the policy."""
    broken = next((item for item in report.problems if item.severity is Severity.ERROR), None)
    if report.route is None and broken is not None:
        return _sentences(f"Fix the policy at {broken.where}: {broken.message}", broken.hint)
    notes = (phase_note(phase, report) for phase in report.phases if phase.state is State.ERROR)
    return withheld_text(report) or next(filter(None, notes), "Run the gate again: nothing was decided")


def _open_needs(report: Report) -> Iterator[Need]:
    """What is missing, phase by phase; waiting for an earlier phase is nobody's turn unless nothing else is."""
    needs = [need for phase in report.phases for need in phase.needs if need.state is not NeedState.MET]
    yield from (need for need in needs if need_todo(need, report))
    yield from (need for need in needs if not need_todo(need, report))


def _withheld(report: Report) -> str:
    """All phases are green, or silent, and still it is not a success."""
    hint = next((item.hint for item in report.problems if item.code in WITHHOLDING), "")
    notes = (phase_note(phase, report) for phase in report.phases if phase.state is report.state)
    note = withheld_text(report) or next(filter(None, notes), "Nothing was decided")
    return _sentences(note, hint)


def _sentences(first: str, second: str) -> str:
    """Both, one after the other, each ended and begun as a sentence."""
    if not second or not first:
        return first or second
    stop = "" if first.endswith((".", "?", "!")) else "."
    return f"{first}{stop} {second[0].upper()}{second[1:]}"
