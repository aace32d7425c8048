"""Tasks as sentences for people, whether or not proven to help, and the next action."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from phasegate.model.finding import Settled
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity
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
    Withheld,
)
from phasegate.model.signal import VERDICT, Place, role_title
from phasegate.report.inert import plain
from phasegate.report.status import (
    LONGEST_LOGIN,
    WITHOUT_EFFECT,
    is_exempt,
    overridden,
    overruled,
    stanza,
    withheld_text,
)
from phasegate.report.wording import (
    AUTHOR,
    NO_ROLE,
    STALE,
    capitalised,
    causes_text,
    decapitalised,
    listing,
    need_text,
    note_text,
    phase_note,
    short,
    standing_text,
    strangers,
    subject,
    was_judged,
)

MAINTAINER = "Maintainer"
SAID_ANYWAY = (NO_ROLE, "PG225")  # their hints only repeat who is asked, and under which heading
UNKNOWN_ROLE = "PG120"  # the word's heading names no role
SPENT = "PG404"  # the words are from before the issue was closed and reopened
OWN_WORK = "PG202"  # the word is by the author of the work
MOST_NAMED, LONGEST_ADVICE = 8, 300
POLICY_FILE = ".github/phase-gate.yml"
# Resolving a thread raises no event, so something else must make the gate look again.
NO_RUN = (
    "Resolving starts no run; a push, an edit of the reviewer's comment, a /gate comment, a re-run or the sweep does"
)
# The people that the switches of ``humans`` admit.
APPROVERS = {"author_may_approve": "authors of pull requests", "agents_may_approve": "accounts that agents use"}


def task_text(task: Task, report: Report, told: str = "") -> str:
    """One sentence that says what to do. It starts with the refused word, unless the caller has shown it (``told``)."""
    lead, todo = _lead(task, report), _TODOS[task.do](task, report)
    return todo if lead in told else _sentences(lead, todo)


def _lead(task: Task, report: Report) -> str:
    """The word that does not count, or that asks for this; "" if the task says it all."""
    need = _need(task, report)
    elsewhere = task.do is Remedy.PUSH_EVIDENCE and task.need.partition("#")[0] != task.role.partition("#")[0]
    if task.do is Remedy.RELABEL:
        return capitalised(task.reasons[0].message)
    if need is NO_NEED or elsewhere or task.do is Remedy.FIX_FINDINGS:
        return ""
    if need.why is Why.MISSING and need.also and need.kind is not NeedKind.CHECK:
        return need.also[0].message
    if need.why is Why.MISSING and need.kind is NeedKind.HUMAN:
        return causes_text(need)
    return need_text(need) if task.reasons else standing_text(need)


# For a task without a present need of its phase.
NO_NEED = Need(kind=NeedKind.SEAT, name="", state=NeedState.MET, why=Why.PASSED)


def _need(task: Task, report: Report) -> Need:
    phases = (phase for phase in report.phases if phase.name == task.phase)
    return next((need for phase in phases for need in phase.needs if _is_about(task, need)), NO_NEED)


def _is_about(task: Task, need: Need) -> bool:
    """True if a task of its phase is about this need."""
    return need.name == task.need and (need.issue or None) == task.issue


def need_todo(need: Need, report: Report) -> str:
    """What to do about a need: its task's sentence, or that of the phase's next task, which comes first.

    "" if the need is met or only waits for an earlier phase.
    """
    if need.state is NeedState.MET or need.kind is NeedKind.EARLIER_PHASE:
        return ""
    phase = next((phase.name for phase in report.phases if need in phase.needs), "")
    own = [task for task in report.tasks if task.phase == phase and not task.instead]
    proven = (task for task in own if _is_about(task, need) and _fits(task, need))
    task = next(proven, next(iter(own or report.tasks), None))
    return "" if task is None else _TODOS[task.do](task, report)


def _fits(task: Task, need: Need) -> bool:
    """True if a task ends this need and not a similar one: in its folder, or of a removed word."""
    if need.kind in (NeedKind.HISTORY, NeedKind.ATTEMPTS):
        again = need.why in (Why.DELETED, Why.DISMISSED)
        full = (need.why is Why.RECORD_FULL) is (task.do is Remedy.SEPARATE_HEAD)
        return full and (task.do is not Remedy.GIVE_VERDICT or again)
    return need.folder is None or _product(task).path.startswith(need.folder)


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
    return "the linked issue" if _on_issue(task, report) and task.do is not Remedy.OVERRIDE else "the pull request"


def _product(task: Task) -> Product:
    return task.product or Product(medium="")


def _verdict(task: Task, report: Report) -> str:
    need, noun, title = _need(task, report), _noun(task.role, report), role_title(task.role)
    subject = _subject(task, report) if noun == VERDICT or task.issue is None else f"#{task.issue}"
    if task.reasons and need.why is Why.INVALID:
        post = f"{title}: post a corrected {noun} on {subject}"
        post = post if noun else f"Post the {decapitalised(title)} on {subject} again, corrected"
        return f"{post}{_hints(task.reasons)}"
    made, codes = _product(task), {item.code for item in task.reasons}
    takes = [f"{cause.key} {cause.takes}" for cause in need.causes if cause.takes]
    other = {
        Why.ONE_ACCOUNT: f" from an account other than {need.by}",
        **dict.fromkeys((Why.DELETED, Why.DISMISSED), f" from {need.by}"),
    }.get(need.why, " from another account" if OWN_WORK in codes else "")
    how = "" if other else made.asking
    return "".join(
        [
            f"Ask {title} for a {noun} on {subject}" if noun else f"Ask for the {decapitalised(title)} on {subject}",
            f" with {listing(takes)}" if takes and need.why is Why.NOT_DONE else "",
            f" ({causes_text(need)})" if need.why is Why.MISSING and need.causes else "",
            " that names this commit" if made.names_commit else "",
            f" that includes its {role_title(task.need).lower()}"
            if task.need != task.role and need.why is Why.PART_MISSING and not need.said
            else "",
            other,
            f" under the heading {made.heading}" if NO_ROLE in codes else "",
            " again" if need.why is Why.TOO_EARLY else "",
            how,
            "" if other else _hints(item for item in task.reasons if item.code not in SAID_ANYWAY),
            _otherwise(task, report),
            f" ({strangers(need)})" if need.why is Why.MISSING and need.count else "",
        ]
    )


def _otherwise(task: Task, report: Report) -> str:
    """Alternatives where the same request may not help: a setting that allows it, then an override."""
    need, made, ways = _need(task, report), _product(task), list[str]()
    if need.kind is NeedKind.CHECK:
        told = (Remedy.ADD_POLICY_LINE, task.phase, task.need)
        allows = any((each.do, each.phase, each.need) == told for each in report.tasks)
        ways += [f"let the policy allow it in phases.{task.phase}.checks"] * allows
    elif made.request or made.reviewer:
        ways.append("exempt such changes in the policy")
    if any((each.do, each.phase) == (Remedy.OVERRIDE, task.phase) for each in report.tasks):
        ways.append(f"a human comments /gate override {task.phase}: <reason>")
    return f" (if that does not help, {', or '.join(ways)})" if ways and need.why is Why.NOT_DONE else ""


def _noun(role: str, report: Report) -> str:
    """The noun for a role's words, beside its name."""
    how = report.how_to.get(role)
    return VERDICT if how is None else how.noun


def _hints(reasons: Iterable[Problem]) -> str:
    told = reduce(_sentences, dict.fromkeys(item.hint for item in reasons if item.hint), "")
    return f" ({told})" if told else ""


def _file(task: Task, report: Report) -> str:
    name, own = task.role.partition("#")[0], task.need.partition("#")[0]
    what = name if "." in name else f"the {_noun(name, report) or 'file'} of {role_title(name)}"
    path = _product(task).path
    what = path if path.endswith(f"/{name}") else f"{what} as {path}"
    if name != own and task.reasons:
        told = "; ".join(dict.fromkeys(item.message for item in task.reasons))
        return f"{told}: {decapitalised(task.reasons[0].hint).rstrip('.')} ({what})"
    subject = _subject(task, report)
    need, how = _need(task, report), report.how_to.get(task.need)
    if any(item.code == OWN_WORK for item in task.reasons) or need.why is Why.ONE_ACCOUNT:
        return f"Push {what} for {subject} from another account"
    stale = how is not None and how.renew and need.why in STALE and need.folder is not None
    again = f"; should it come out the same, a new {how.renew} in it is enough to push it" if how and stale else ""
    verb = "Fix" if task.reasons and task.refused else "Push"
    return f"{verb} {what} for {subject}{_hints(task.reasons)}{_otherwise(task, report)}{again}"


def _fix(task: Task, report: Report) -> str:
    need, judge = _need(task, report), role_title(task.need)
    if need.why is Why.STANDS:
        return _settle(need, task)
    ids = list(dict.fromkeys(finding.id for finding in task.findings if finding.id and not finding.id.isdigit()))
    summaries = [finding.summary for finding in task.findings[:3] if finding.summary]
    if ids:  # data have them all
        more = f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else ""
        found = f" {', '.join(ids[:MOST_NAMED])}{more},"
    elif summaries:
        found = f": {', '.join(summaries)};"
    else:
        whose = judge if "." in judge or _noun(task.need, report) else f"the {decapitalised(judge)}"
        found = f" what {whose} found{f' ({causes_text(need)})' if need.causes else ''};"
    planned = _on_issue(task, report)
    if planned:
        found = f"{found[:-1]} in the plan{found[-1]}"
    asked = f"then ask {judge} again" if _noun(task.need, report) else f"then ask for the {decapitalised(judge)} again"
    then = f"then push {task.need}" if "." in task.need else f"{'push, ' * (not planned)}{asked}"
    who = role_title(task.role) if task.role and _noun(task.role, report) else AUTHOR
    form = "".join(f" (its verdict also needs a correction: {item.message})" for item in task.reasons[:1])
    noise = f" (or: {task.hint})" if task.hint else ""
    return f"{who}: fix{found} {then}{advice_text(task)}{form}{noise}"


def advice_text(task: Task) -> str:
    """A diagnosis's advice, quoted, or ""."""
    who, words = task.advice
    return f' ({role_title(who)} says: "{plain(words, LONGEST_ADVICE)}")' if words else ""


def _settle(need: Need, task: Task) -> str:
    """How to end standing findings: in threads by resolving them, elsewhere by a word about the whole change."""
    title, who = need.place or role_title(need.name), role_title(task.role) if task.role else AUTHOR
    if not need.standing:
        return f"{who}: fix what {title} found"
    first = need.standing[0]
    todo = f"{who}: fix: {first.summary}{f' ({first.url})' if first.url else ''}; push, then"
    if not any(each.threaded for each in need.standing):
        dismissed = f"(or a human with {need.permission} permission: comment /gate dismiss {need.name}: <reason>)"
        return f"{todo} ask {title} for a review of the whole change{_product(task).asking} {dismissed}"
    again = "" if first.settled is Settled.OPEN else "reopen the thread and "
    human = f"a human with {need.permission} permission may {again}resolve it"
    return f"{todo} {title} resolves the thread, or {human}. {NO_RUN}"


def _plan(task: Task, report: Report) -> str:
    heading = _product(task).heading
    headed = not task.reasons or any(item.code in (NO_ROLE, UNKNOWN_ROLE) for item in task.reasons)
    under = f" under the heading {heading}" if heading and headed else ""
    again = " again" if task.reasons else ""
    hints = "" if headed else _hints(item for item in task.reasons if item.code != SPENT)
    return f"{role_title(task.role)}: post the plan{again} on {_place(task, report)}{under}{hints}"


def _actor(task: Task) -> str:
    if task.actor is Party.HUMAN:
        return f"A human with {task.permission} permission" if task.permission else "A human"
    return {Party.ROLE: role_title(task.role), Party.AUTHOR: AUTHOR}.get(task.actor, MAINTAINER)


def _act(task: Task, report: Report) -> str:
    if task.hint:  # no command helps
        return f"{AUTHOR}: {task.hint}"
    look = "" if task.do in (Remedy.APPROVE, Remedy.OVERRIDE, Remedy.DISMISS) else "look at what happened, then "
    spent = any(item.code == SPENT for item in task.reasons)
    again = " if the plan fits this work too; otherwise have it planned again" if spent else ""
    other = _hints(task.reasons) if task.do is Remedy.OVERRIDE else ""  # what would make it unnecessary
    return f"{_actor(task)}: {look}comment {_product(task).text} on {_place(task, report)}{again}{other}"


def _answer(task: Task, report: Report) -> str:
    role = role_title(task.role)
    document = role if "." in role else f"the {role.lower()}"
    asked = f"ask {role} to go on" if "." not in role and _noun(task.role, report) else f"ask for {document} again"
    return f"{_actor(task)}: answer on {_place(task, report)}, then {asked}"


def _link(task: Task, report: Report) -> str:
    del report
    if task.hint == Why.SPENT.value:
        told = "Open an issue for this work, plan it there and link it"
        return told if task.issue is None else f"{told}, or reopen #{task.issue} and approve its plan again"
    if task.hint:
        return f"Link the issue under Development in the sidebar: keywords link nothing into {task.hint}"
    return "Link the issue this pull request closes (write 'Closes #N' in its description)"


def _relabel(task: Task, report: Report) -> str:
    del report
    name, on = plain(task.need, LONGEST_LOGIN), f"#{task.issue}"
    if "#" in name:
        again = f"if {on} need not be closed here, link it again and remove the link"
    elif task.hint == "added":
        again = f'if "{name}" is right, take it from {on} and set it again'
    else:
        again = f'if "{name}" is wrong, set it on {on} and take it away again'
    return f"{_actor(task)}: {again}"


def _policy_line(task: Task, report: Report) -> str:
    made = _product(task)
    if task.grant is not None:
        return f"{_policy_sentence(task, task.grant, report)}: {stanza(task.grant)}"
    if made.text:
        return f"{MAINTAINER}: {task.hint}, write in {made.path}: {made.text}"
    return f"{MAINTAINER}: {task.hint or f'change {made.path or POLICY_FILE}'}"


def _policy_sentence(task: Task, grant: Grant, report: Report) -> str:
    path, title = _product(task).path or POLICY_FILE, role_title(task.role)
    if grant.alone:
        who = f"{grant.login} works alone here, with agents on the same account"
        lets, below = "lets one account make, judge and approve; nobody checks its independence then", "agents.accounts"
    elif grant.approvers:
        lets = f"lets {listing(APPROVERS[name] for name in grant.approvers)} approve, resume and override"
        who, below = "nobody else can approve here", "humans"
    else:
        own = ", also about its own work" if any(item.code == OWN_WORK for item in task.reasons) else ""
        named = "." in task.role or not _noun(task.role, report)
        does = f"writes your {title if '.' in title else title.lower()}" if named else f"is your {title}"
        verb, roles = "write" if named else "speak as", listing(role_title(name) for name in grant.roles)
        who, lets, below = f"{grant.login} {does}", f"lets it {verb} {roles}{own}", "agents.accounts"
    where = f"under {below} of {path}" if grant.beside else f"to {path}"
    if not (grant.login or grant.alone or grant.approvers):
        return f"{MAINTAINER}: name the account that speaks as {title}, {where}"
    return f"{MAINTAINER}: if {who}, add {where} ({lets})"


def _check(task: Task, report: Report) -> str:
    need = _need(task, report)
    if need.state is NeedState.MET:
        return f"Wait until the check {task.need} has succeeded on {_subject(task, report)}"
    named = f"the check {need.name}"
    again = f"Run {named} again on {subject(need)}"
    if need.said.startswith("success by") and need.problem is not None:  # whose success proves nothing
        again = need.problem.hint.rstrip(".")
    return {
        Why.MISSING: f"Let {named} run on {subject(need)}, or correct its name in phases.{need.other}.checks",
        Why.RUNNING: f"Wait for {named}",
        Why.NOT_DONE: f"{again}{_otherwise(task, report)}",
        **dict.fromkeys(
            [Why.FAILED] * (need.said != "failure"), f"{AUTHOR}: see why {named} failed, then run it again"
        ),
    }.get(need.why, f"{AUTHOR}: fix what {named} found{f' ({need.place})' if need.place else ''}")


_TODOS: dict[Remedy, Callable[[Task, Report], str]] = {
    Remedy.GIVE_VERDICT: _verdict,
    Remedy.PUSH_EVIDENCE: _file,
    Remedy.WRITE_PLAN: _plan,
    Remedy.FIX_FINDINGS: _fix,
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
WITHHOLDING = ("PG406", "PG410", "PG411", "PG412")  # the overall status is not green although all phases are


def next_action(report: Report, told: str = "") -> str:
    """What to do now, without ``told``, which the reader has seen."""
    return plain(_action(report, told), LIMIT)


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Whose turn it is and what to do; what to copy into a policy; and ``told``, which the reader has seen."""

    text: str = ""
    line: str = ""
    told: str = ""


def turn(report: Report, beside: Iterable[Problem | None], headline: str = "") -> Turn:
    """The next action for a page that shows these problems beside it. The page also tells why."""
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
            return f"Ready to merge: {decapitalised(exempt)}"
        had_to = "" if all(was_judged(phase) for phase in report.phases) else " that had to run"
        alone = any(item.code == DEPENDENT for item in report.problems)
        rests = [*overridden(report), *overruled(report), *(["independence is not checked"] if alone else [])]
        return f"Ready to merge: all phases{had_to} are green" + (f" ({'; '.join(rests)})" if rests else "")
    broken = next((item for item in report.problems if item.severity is Severity.ERROR), None)
    if report.state is State.ERROR and broken is not None:
        return _sentences(f"Fix the policy at {broken.where}: {broken.message}", broken.hint)
    if report.tasks and report.withheld in (None, Withheld.NOTHING_JUDGED):
        first = report.tasks[0]
        # somebody has just overridden or resumed the phase in vain, or it would be exempt but for something
        noted = (note for phase in report.phases if phase.name == first.phase for note in phase.notes)
        note = next((note for note in noted if note.kind in WITHOUT_EFFECT and first.do is not Remedy.RELABEL), None)
        vain = "" if note is None else _sentences(note_text(note, report), note.problem.hint if note.problem else "")
        vain = "" if vain in told else vain
        return reduce(_sentences, (vain, task_text(first, report, told), _or_alone(report)))
    needs = [need for phase in report.phases for need in phase.needs if need.state is not NeedState.MET]
    if needs:  # waiting for an earlier phase is nobody's turn unless nothing else is
        need = min(needs, key=lambda need: (need.state is not NeedState.FAILED, not need_todo(need, report)))
        return need_todo(need, report) or need_text(need)
    hint = next((item.hint for item in report.problems if item.code in WITHHOLDING), "")
    notes = (phase_note(phase, report) for phase in report.phases if phase.state is report.state)
    return _sentences(withheld_text(report) or next(filter(None, notes), "Nothing was decided"), hint)


def _or_alone(report: Report) -> str:
    """What else helps a person who does everything from one account; "" if others take part."""
    alone = (task for task in report.tasks if task.grant is not None and (task.grant.alone or task.grant.approvers))
    return next((f"Or, {decapitalised(_policy_line(task, report))}" for task in alone), "")


def _sentences(first: str, second: str) -> str:
    """Both texts as sentences, one after the other."""
    if not second or not first:
        return first or second
    stop = "" if first.rstrip('"').endswith((".", "?", "!")) else "."
    return f"{first}{stop} {capitalised(second)}"
