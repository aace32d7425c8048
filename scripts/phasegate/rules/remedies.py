"""Remedies: one table says which event could end a need, and whose task it is.

In: a need of a phase, in a position. Out: tasks that may help, in the order to try, with the position after each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from phasegate.catalogue import by_code
from phasegate.model import report
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Severity, Where
from phasegate.model.report import Grant, Need, NeedKind, Party, Product, Remedy, State, Task, Why
from phasegate.model.signal import (
    Command,
    Does,
    Finding,
    HowTo,
    IssueFolder,
    Kind,
    Medium,
    Place,
    Role,
    Signal,
    Subject,
    Validity,
    Vote,
)
from phasegate.model.snapshot import ChangedFile, CheckRun
from phasegate.model.texts import Issue
from phasegate.policy.model import AgentAccount, NamedCheck, Phase
from phasegate.rules.accounts import is_bot, look_alike, same_name
from phasegate.rules.position import Position, Who, actors, speakers

NEW_ISSUE = 0  # the number of an issue still to be opened
FILES = frozenset({Medium.FILE})  # a role that speaks only in files
TOLD_FIRST = (Why.REFUSED, Why.INVALID, Why.DRIFTED, Why.COMMIT_UNKNOWN)  # a word is there and does not count
TAKEN = (Why.DELETED, Why.DISMISSED)  # removed words; their own account has to give them again
FORK = "PG231"  # files of forks never count
OWN_WORK = "PG202"  # another account is asked first, then the policy is changed
OF_EARLIER_WORK = "PG404"  # another pull request closed the plan's issue; a human can approve the plan again
OTHER_ROLE = "PG119"  # the word claims one role, the policy names its author for another
NOT_LOWERED = ("PG407", "PG408")  # set by an account that may not lower the requirements
GRANTABLE = ("PG201", OWN_WORK, "PG203", "PG204")  # refusals that a line of policy can lift


Offers = Iterator[tuple[Position, dict[str, object]]]  # the position after an event, and what its task says besides
Candidate = tuple[Task, Position]


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A need of a phase, in a position. ``only`` is the one account considered as speaker, if set."""

    position: Position
    phase: Phase
    need: Need
    how_to: dict[str, HowTo]
    only: Who | None = None

    @property
    def key(self) -> object:
        """The identity of the need, without its reason."""
        return self.phase.name, self.need.kind, self.need.name, self.need.issue, self.need.folder

    @property
    def place(self) -> int | None:
        """The issue to write on, or None for the pull request."""
        return self.need.issue if self.phase.where is Place.ISSUE else None

    @property
    def url(self) -> str:
        """The page to write on."""
        pages: dict[int | None, str] = {issue.number: issue.url for issue in self.position.snapshot.own_issues}
        return self.position.snapshot.pull_request.url if self.place is None else pages.get(self.place, "")

    @property
    def code(self) -> str:
        """The code of the need's problem, or ""."""
        return "" if self.need.problem is None else self.need.problem.code

    @property
    def role(self) -> Role:
        """The role that must speak: of a plan its creator, of a deleted word its author's role."""
        names = {NeedKind.PLAN: self.phase.creator or "", NeedKind.HISTORY: self.need.other}
        return self.position.ground.policy.role(names.get(self.need.kind, self.need.name))

    @property
    def vote(self) -> Vote | None:
        """The vote that the need is about."""
        own = (None, self.need.name, self.need.actor)
        votes = (vote for vote in self.position.evaluation.votes if vote.id == self.need.signal)
        return next((vote for vote in votes if vote.role in own), None)

    @property
    def wrong(self) -> tuple[Problem, ...]:
        """The need's problem, as reasons of a task."""
        return () if self.need.problem is None else (self.need.problem,)

    @property
    def fixing(self) -> dict[str, object]:
        """Fields of a task to fix something: it is the fixer's if the phase has one, else the author's."""
        fixer = self.phase.fixer
        return {"role": fixer or "", "actor": Party.ROLE if fixer else Party.AUTHOR, "reasons": self.wrong}

    def asked(self, role: Role) -> tuple[Who, dict[str, object]]:
        """Who would speak for a role, and fields of the task: who may, what to write, what is wrong now."""
        able = (self.only,) if self.only else speakers(self.position, role, self.phase, self.place)
        if self.need.why in TAKEN:  # its own account gives it again; like an edit, that needs no human
            able = tuple(each for each in able if each.account.login == self.need.by)
        logins = tuple(dict.fromkeys(each.account.login for each in able))
        told = {"role": role.name, "accounts": logins, "permission": "" if able else "write"}
        who = able[0] if able else self.position.somebody
        return who, {**told, "product": _product(self, role), **_refused(self)}


def say(case: Case) -> Offers:
    """A role speaks, with all parts of its document."""
    who, told = case.asked(case.role)
    words = (case.position.word(each, who, case.place, _medium(case, each)) for each in _document(case, case.role))
    if told["accounts"] or case.need.why not in TAKEN:
        yield case.position.spoken(tuple(words), who), {**told, "role": case.role.file}


def push_file(case: Case, other: Role | None = None) -> Offers:
    """A file of evidence is pushed that says the best it can, for each of its parts."""
    at, role = case.position, other or case.role
    path, (who, told) = _product(case, role).path, case.asked(role)
    contents = {item.commit: item.digest for item in at.snapshot.contents}
    snapshot = at.pushed(at.known_as(who, "write"), contents.get(at.head), who.account)
    if all(entry.path != path for entry in snapshot.files.entries):
        entries = (*snapshot.files.entries, ChangedFile(path=path))
        snapshot = replace(snapshot, files=replace(snapshot.files, entries=entries))
    pushed = replace(at, ground=replace(at.ground, snapshot=snapshot))
    issue = next((each.issue for each in at.ground.folders if each.path == case.need.folder), None)
    named = pushed.snapshot.ref_log.moves[-1].before if at.ground.policy.verdicts.require_commit else None
    words = list[Signal]()
    for part in _document(case, role):  # as the file says it; the head is the commit that brought it
        word, unbound = pushed.word(part, who, issue), part.about is Subject.NOTHING
        source = replace(word.source, id=f"{path}{part.name.removeprefix(part.file)}", number=0, app_id=None)
        source = replace(source, place=Place.PULL_REQUEST, medium=Medium.FILE, commit=pushed.head)
        word = replace(word, commit=named, source=source, where=Where(path=path))
        words.append(replace(word, kind=Kind.REPORT, outcome=None) if unbound else word)
    ids = {each.source.id for each in words}
    kept = (
        replace(each, source=replace(each.source, latest=False)) if each.source.id in ids else each
        for each in at.ground.signals
    )
    yield at.after(replace(pushed.ground, signals=(*kept, *words)), who), told


def push_other_file(case: Case) -> Offers:
    """The file that causes the errors is corrected and pushed, then this one again."""
    for name, items in fixed_elsewhere(case).items():
        codes, signals = {item.code for item in items}, []
        after, told = next(push_file(case, case.position.ground.policy.role(name)))
        for each in after.ground.signals:
            left = tuple(item for item in each.problems if item.code not in codes)
            signals.append(replace(each, problems=left) if each.source.id == case.need.signal else each)
        cured = replace(after, ground=replace(after.ground, signals=tuple(signals)))
        yield cured, {**told, "refused": case.need.signal, "reasons": items}


def answer(case: Case) -> Offers:
    """A human answers an agent that stopped, and the agent then says the best it can; after a FAIL, new content."""
    able, least = actors(case.position), case.position.ground.policy.humans.minimum_permission
    logins = tuple(dict.fromkeys(each.account.login for each in able))
    stopped = push_file if case.role.media == FILES else say
    for after, told in fix(case) if case.need.why is Why.FAILED else stopped(case):
        yield after, {**told, "role": case.need.name, "actor": Party.HUMAN, "accounts": logins, "permission": least}


def fixed_elsewhere(case: Case) -> dict[str, tuple[Problem, ...]]:
    """The errors that must be fixed in another file, by that file's seat."""
    vote, found = case.vote, dict[str, tuple[Problem, ...]]()
    for item in () if vote is None else vote.problems:
        name = by_code()[item.code].fixed_in
        if item.severity is Severity.ERROR and name in case.position.ground.policy.roles and name != case.need.name:
            found[name] = (*found.get(name, ()), item)
    return found


def _document(case: Case, role: Role) -> tuple[Role, ...]:
    """The seats that one document fills: its own, and those of its parts that a phase asks for."""
    policy = case.position.ground.policy
    parts = (each for each in policy.roles.values() if each.file == role.file and each.dialect == role.dialect)
    asked = {name for phase in policy.phases for name in phase.every_seat}
    return tuple(each for each in parts if each.name in asked or each.part_of is None)


def _product(case: Case, role: Role) -> Product:
    """What a role writes and where. A file goes to its issue's folder, its present path, or where its format says."""
    how = case.how_to.get(role.name) or HowTo(medium=Medium.COMMENT)
    in_file, at, vote = how.medium is Medium.FILE, case.position, case.vote
    there = vote.signal.where.path if vote is not None and vote.signal.source.pushed else None
    path = there or how.path if case.need.folder is None else f"{case.need.folder}/{role.file}"
    asks = at.ground.policy.verdicts.require_commit or not at.evaluation.timeline.complete
    return Product(
        medium=(_medium(case, role) or how.medium).value,
        url="" if in_file else case.url,
        heading=how.heading,
        marker=how.marker,
        schema=how.schema,
        request=how.request,
        reviewer=how.reviewer,
        example=how.example,
        path=path if in_file else "",
        names_commit=how.names_commit or (case.place is None and not in_file and asks),
    )


def _medium(case: Case, role: Role) -> Medium | None:
    """The medium in which a role must answer: where its unreadable text stands, or where its check run objects."""
    need, vote = case.need, case.vote
    where = need.problem.where.url if need.problem is not None and need.why is Why.DRIFTED else None
    unread = case.position.evaluation.unread if where is not None else ()
    media = [each.source.medium for each in unread if each.source.url == where]
    media += [] if vote is None or vote.signal.source.medium is not Medium.CHECK_RUN else [Medium.CHECK_RUN]
    return media[0] if media and media[0] in role.media else None


def _refused(case: Case) -> dict[str, object]:
    """Fields of a task about a word that is there and does not count, with every reason."""
    need = case.need
    reasons = tuple(dict.fromkeys((*case.wrong, *need.also)))
    return {"refused": need.signal, "reasons": reasons} if need.why in TOLD_FIRST or need.also else {}


def plan(case: Case) -> Offers:
    """A plan is written on the issue. It is a word like others if its creator has a seat."""
    role = case.position.ground.policy.role(case.phase.creator or "")
    who, told = case.asked(role)
    word = case.position.word(role, who, case.place)
    word = word if role.name in case.phase.seats else replace(word, kind=Kind.REPORT, outcome=None)
    yield case.position.spoken((word,), who), {**told, "permission": ""}


def fix(case: Case) -> Offers:
    """New content, or a new plan, for all findings of all phases."""
    at, need = case.position, case.need
    needs = (each for phase in at.phases for each in phase.needs if each.why is Why.FAILED)
    failing = {each.signal for each in needs if each.issue == need.issue}
    found: list[Finding] = []
    for signal in (vote.signal for vote in at.evaluation.votes if vote.id in failing):
        demanded = [item for item in signal.findings if item.id in (signal.must_fix or ())]
        found += demanded or signal.findings  # it may name none that it has
    told = {**case.fixing, "findings": tuple(dict.fromkeys(found)), "advice": _advice(case)}
    told |= {"hint": " ".join(f"{item.message}. {item.hint}" for item in need.also if item.hint)}
    after, made = next(plan(case)) if case.place is not None else (at.fixed(), {})
    yield after, {**told, "product": made.get("product") or Product(medium=report.WHERE_BRANCH)}


def _advice(case: Case) -> tuple[str, str]:
    """Whose diagnosis of this failure says what to do, and the advice. Both are "" if nobody's does."""
    policy, failed = case.position.ground.policy, case.vote
    for vote in reversed(case.position.evaluation.votes if failed else ()):
        own = vote.role is not None and vote.validity is Validity.VALID and vote.source.latest and vote.signal.notes
        about = failed and vote.source.issue == failed.source.issue and vote.source.at >= failed.source.at
        if own and about and policy.role(vote.role or "").does is Does.REPAIRS:
            return vote.role or "", vote.signal.notes
    return "", ""


def settle(case: Case) -> Offers:
    """New content; the reviewer resolves its threads and passes the whole change."""
    at, need, names = case.position, case.need, {each.id for each in case.need.standing}
    dialect = next(each for each in at.ground.policy.dialects if each.name == case.role.dialect)
    looks = dialect.footprint.whole or dialect.footprint.approves
    if not looks and not all(each.threaded for each in need.standing):
        return  # it never speaks of the whole change
    fixed = at.fixed()
    threads = tuple(each for each in fixed.snapshot.threads if f"thread-{each.id}" not in names)
    requests = tuple(each for each in fixed.snapshot.reviews if f"review-{each.id}" not in names)
    snapshot = replace(fixed.snapshot, threads=threads, reviews=requests)
    there = replace(fixed, ground=replace(fixed.ground, snapshot=snapshot))
    who, _ = case.asked(case.role)
    word = replace(there.word(case.role, who, case.place, _medium(case, case.role)), whole=True)
    how = case.how_to[case.role.name]
    product = Product(medium=report.WHERE_BRANCH, request=how.whole, reviewer=how.reviewer)
    yield there.spoken((word,), who), {**case.fixing, "product": product}


def clear_folder(case: Case) -> Offers:
    """The folder of evidence becomes usable."""
    at, need = case.position, case.need
    folders = tuple(replace(each, wrong=None) if each.path == need.name else each for each in at.ground.folders)
    hint, product = "".join(each.hint for each in case.wrong), Product(medium=report.WHERE_BRANCH, path=need.name)
    yield at.after(replace(at.ground, folders=folders)), {"product": product, "hint": hint, "reasons": case.wrong}


def new_head(case: Case) -> Offers:
    """An empty commit, whose statuses have room for the record."""
    at = case.position
    contents = {item.commit: item.digest for item in at.snapshot.contents}
    snapshot = at.pushed(at.snapshot, contents.get(at.head), at.snapshot.pull_request.author)
    room = replace(at.ground, snapshot=replace(snapshot, record=replace(snapshot.record, full=False)))
    hint = f"push a new commit, an empty one will do; {at.head[:7]} takes no more statuses"
    yield at.after(room), {"hint": hint, "product": Product(medium=report.WHERE_BRANCH)}


def run_check(case: Case) -> Offers:
    """The check succeeds, on a new commit if it failed on this one."""
    at = case.position.fixed() if case.need.why is Why.FAILED else case.position
    check, snapshot = next(each for each in case.phase.checks if each.name == case.need.name), at.snapshot
    run = CheckRun(name=check.name, status="completed", conclusion="success", app_id=check.app_id, commit=at.head)
    others = (each for each in snapshot.checks if each.name != check.name)
    statuses = tuple(each for each in snapshot.statuses if each.context.lower() != check.name.lower())
    snapshot = replace(snapshot, checks=(*others, run), statuses=statuses)
    product = Product(medium=Medium.CHECK_RUN.value, url=case.need.place)
    yield at.after(replace(at.ground, snapshot=snapshot)), {"product": product}


def _check_entry(check: NamedCheck) -> str:
    app = "" if check.app_id is None else f", app_id: {check.app_id}"
    return f"{{name: {json.dumps(check.name)}{app}{', skipped: allow' if check.skipped else ''}}}"


def allow_skip(case: Case) -> Offers:
    """The policy allows the check to be skipped."""
    at, own, name = case.position, case.phase, case.need.name
    checks = tuple(replace(each, skipped="allow") if each.name == name else each for each in own.checks)
    policy = at.ground.policy
    phases = tuple(replace(each, checks=checks) if each.name == own.name else each for each in policy.phases)
    entries = ", ".join(map(_check_entry, checks))  # all of them, so that the line takes nothing back
    text = f"phases: {{{own.name}: {{checks: [{entries}]}}}}"
    product = Product(medium=report.WHERE_POLICY, path=at.snapshot.policy.path, text=text)
    after = at.after(replace(at.ground, policy=replace(policy, phases=phases)))
    yield after, {"product": product, "hint": "if it may be skipped"}


def link(case: Case) -> Offers:
    """A new open issue is linked, in place of closed ones."""
    at, need, snapshot, policy = case.position, case.need, case.position.snapshot, case.position.ground.policy
    spent = {route.number for route in at.evaluation.route.issues if route.spent_by is not None}
    issue = Issue(repository=snapshot.repository.name, number=NEW_ISSUE, url="")
    issues = (*(each for each in snapshot.issues if each.number not in spent), issue)
    seats = (policy.role(name) for phase in policy.phases if phase.enabled for name in phase.seats)
    paths = (case.how_to[role.name].path for role in seats if role.per_issue and role.name in case.how_to)
    folders = [each for each in at.ground.folders if each.issue not in (*spent, None)]
    folders += [IssueFolder(issue=NEW_ISSUE, path=path.rpartition("/")[0]) for path in paths if path][:1]
    ground = replace(at.ground, snapshot=replace(snapshot, issues=issues), folders=tuple(folders))
    text = "" if need.place else "Closes #<number of the issue>"
    product = Product(medium=report.WHERE_DESCRIPTION, url=snapshot.pull_request.url, text=text)
    yield at.after(ground), {"product": product, "hint": need.place or ("spent" if need.why is Why.SPENT else "")}


def act(case: Case, verb: Remedy) -> Offers:
    """A human gives a command for the phase, or about a reviewer."""
    at, able = case.position, actors(case.position)
    phase = case.role.name if verb is Remedy.DISMISS else case.phase.name
    who, least = able[0] if able else at.somebody, at.ground.policy.humans.minimum_permission
    source, commit = at.source(who, Medium.COMMENT, case.place), at.head if case.place is None else None
    command = Command(verb=verb.value, phase=phase, reason="next", source=source, where=Where(), commit=commit)
    ground = replace(at.ground, snapshot=at.known_as(who, least), commands=(*at.ground.commands, command))
    bound = verb not in (Remedy.RESUME, Remedy.DISMISS)
    named = bound and commit is not None and not at.evaluation.timeline.complete
    text = f"/gate {verb.value} {phase}{f' {at.head[:7]}' * named}{': <reason>' * (verb is not Remedy.APPROVE)}"
    product = Product(medium=report.WHERE_COMMENT, url=case.url, text=text, names_commit=named)
    logins = tuple(dict.fromkeys(each.account.login for each in able))
    yield at.after(ground), {"accounts": logins, "permission": least, "product": product, **_refused(case)}


def grant(case: Case) -> Offers:
    """The policy lets the author of a refused word speak. Never offered for an author nobody can vouch for."""
    vote, ground, votes = case.vote, case.position.ground, case.position.evaluation.votes
    author, code = (None, "") if vote is None else (vote.signal.source.author, vote.why.code if vote.why else "")
    if vote is None or author is None or author.id is None:
        return
    source, twin = vote.signal.source, look_alike(ground.policy, author)
    known = case.position.evaluation.accounts.speaker(source).deserves_reply and (
        twin is None or same_name(twin, author.login)
    )
    if not known or (code not in GRANTABLE and (code != OTHER_ROLE or len(vote.signal.roles) != 1)):
        return
    spoken = ((each.role, each.signal.source.author) for each in votes)
    files = (ground.policy.role(name).file for name, who in spoken if name and who and who.id == author.id)
    named = (name for entry in ground.policy.agents.accounts if entry.id == author.id for name in entry.roles)
    roles = tuple(dict.fromkeys((case.role.file, *files, *named)))  # one line for all that the account speaks for
    app = source.app_id if is_bot(author) else None
    line = AgentAccount(login=author.login, id=author.id, app_id=app, roles=roles)
    yield case.position.granted(line), {**_line(case, line), **_refused(case)}


def name_somebody(case: Case) -> Offers:
    """The policy names an account for a role that nobody may fill, and that account speaks."""
    who = case.position.somebody
    line = AgentAccount(login=who.account.login, id=who.account.id, roles=(case.role.file,))
    named = replace(case, position=case.position.granted(line), only=who)
    speak = plan if case.need.kind is NeedKind.PLAN else push_file if case.role.media == FILES else say
    yield next(speak(named))[0], _line(case, replace(line, login="", id=None))


def _line(case: Case, line: AgentAccount) -> dict[str, object]:
    """Fields of a task about a line of policy. ``beside`` tells if the policy already has an agents section."""
    ground = case.position.ground
    beside = bool(ground.policy.agents.accounts) or "agents:" in (ground.snapshot.policy.text or "")
    told = Grant(login=line.login, id=line.id, app_id=line.app_id, roles=line.roles, beside=beside)
    product = Product(medium=report.WHERE_POLICY, path=ground.snapshot.policy.path)
    return {"role": case.role.name, "grant": told, "product": product}


class Row(NamedTuple):
    """An event that may end a need of this kind if ``when`` holds, and whose task it is."""

    kind: NeedKind | None  # none: any
    when: Callable[[Case], bool]
    event: Callable[[Case], Offers]
    do: Remedy
    whose: Party


def candidates(case: Case, rows: tuple[Row, ...]) -> Iterator[Candidate]:
    """The tasks that may help against a need, in the order of the table, with the position after each."""
    need = case.need
    for row in rows:
        for after, told in row.event(case) if row.kind in (None, need.kind) and row.when(case) else ():
            about = {"phase": case.phase.name, "need": need.name, "commit": need.commit, "issue": need.issue or None}
            yield Task(do=row.do, **{"actor": row.whose, **about, **told}), after  # type: ignore[arg-type]


def human(kind: NeedKind | None, when: Callable[[Case], bool], verb: Remedy) -> Row:
    """The table row of a command."""
    return Row(kind, when, partial(act, verb=verb), verb, Party.HUMAN)


def because(*whys: Why) -> Callable[[Case], bool]:
    """True if the need has one of these reasons; with no reasons given, always."""
    return lambda case: not whys or case.need.why in whys


def _may_override(case: Case) -> bool:
    """True if the policy allows overrides, and the phase failed or may wait forever."""
    failed = any(each.name == case.phase.name and each.state is State.FAILURE for each in case.position.phases)
    endless = case.need.why in (Why.DRIFTED, Why.NOT_DONE) or case.need.kind is NeedKind.LINKED_ISSUE
    endless = endless or case.code == FORK
    return case.position.ground.policy.overrides and (failed or endless)


def is_unfit(case: Case) -> bool:
    """True if a word cannot be corrected where it is, so that only an override may help."""
    return (case.need.why is Why.INVALID or case.code == FORK) and _may_override(case)


def never_answers(case: Case) -> bool:
    """True if something unreadable stands in a medium where the role only objects, so it may never answer there."""
    return DRIFTED(case) and _medium(case, case.role) in case.role.only_objects and _may_override(case)


# Kinds, conditions and tasks by short names, so that a row is a line.
SEAT, PLAN, FOLDER, CHECK = NeedKind.SEAT, NeedKind.PLAN, NeedKind.FOLDER, NeedKind.CHECK
GIVE, PUSH, LINE, LINK = Remedy.GIVE_VERDICT, Remedy.PUSH_EVIDENCE, Remedy.ADD_POLICY_LINE, Remedy.LINK_ISSUE
ROLE, AUTHOR, HUMAN, MAINTAINER = Party.ROLE, Party.AUTHOR, Party.HUMAN, Party.MAINTAINER
APPROVE, RESUME, OVERRIDE, DISMISS = Remedy.APPROVE, Remedy.RESUME, Remedy.OVERRIDE, Remedy.DISMISS
REFUSED, DRIFTED, FAILED, ANY = because(Why.REFUSED), because(Why.DRIFTED), because(Why.FAILED), because()
UNPLANNED, REMOVED, STANDS = because(Why.MISSING, Why.REFUSED, Why.INVALID), because(*TAKEN), because(Why.STANDS)
# 10.2: what may end a need. The rows of one need are tried in this order.
REMEDIES: tuple[Row, ...] = (
    Row(SEAT, lambda case: FAILED(case) and case.need.question != "", answer, Remedy.ANSWER, HUMAN),
    Row(SEAT, FAILED, fix, Remedy.FIX_FINDINGS, ROLE),  # the author's, where the phase has no fixer
    Row(SEAT, STANDS, settle, Remedy.FIX_FINDINGS, ROLE),
    human(SEAT, STANDS, DISMISS),
    Row(SEAT, because(Why.INVALID), push_other_file, PUSH, ROLE),
    human(SEAT, never_answers, OVERRIDE),
    Row(SEAT, lambda case: REFUSED(case) and case.code != OWN_WORK, grant, LINE, MAINTAINER),
    Row(SEAT, lambda case: case.need.question != "", answer, Remedy.ANSWER, HUMAN),
    Row(SEAT, lambda case: case.role.media == FILES, push_file, PUSH, ROLE),
    Row(SEAT, lambda case: case.role.media != FILES, say, GIVE, ROLE),
    Row(SEAT, lambda case: REFUSED(case) and case.code == OWN_WORK, grant, LINE, MAINTAINER),
    Row(SEAT, ANY, name_somebody, LINE, MAINTAINER),
    human(SEAT, is_unfit, OVERRIDE),
    Row(PLAN, because(Why.SPENT), link, LINK, AUTHOR),
    human(PLAN, lambda case: case.code == OF_EARLIER_WORK, APPROVE),
    Row(PLAN, REFUSED, grant, LINE, MAINTAINER),
    Row(PLAN, UNPLANNED, plan, Remedy.WRITE_PLAN, ROLE),
    Row(PLAN, UNPLANNED, name_somebody, LINE, MAINTAINER),
    Row(FOLDER, ANY, clear_folder, Remedy.FIX_FOLDER, AUTHOR),
    Row(FOLDER, ANY, link, LINK, AUTHOR),
    Row(NeedKind.LINKED_ISSUE, ANY, link, LINK, AUTHOR),
    human(NeedKind.HUMAN, ANY, APPROVE),
    Row(NeedKind.HISTORY, lambda case: REMOVED(case) and case.role.media != FILES, say, GIVE, ROLE),
    Row(NeedKind.HISTORY, because(Why.RECORD_FULL), new_head, Remedy.SEPARATE_HEAD, AUTHOR),
    human(NeedKind.HISTORY, ANY, RESUME),
    human(NeedKind.ATTEMPTS, ANY, RESUME),
    Row(NeedKind.WORKER, ANY, answer, Remedy.ANSWER, HUMAN),
    Row(CHECK, because(Why.MISSING), run_check, Remedy.PASS_CHECK, MAINTAINER),
    Row(CHECK, because(Why.RUNNING, Why.NOT_DONE, Why.FAILED), run_check, Remedy.PASS_CHECK, AUTHOR),
)
# What would help as well as the remedy found.
ALTERNATIVES: tuple[Row, ...] = (
    Row(SEAT, because(Why.REFUSED, Why.INVALID), grant, LINE, MAINTAINER),
    Row(CHECK, lambda case: case.need.said == "skipped", allow_skip, LINE, MAINTAINER),
    human(SEAT, STANDS, DISMISS),
    human(None, _may_override, OVERRIDE),
)
