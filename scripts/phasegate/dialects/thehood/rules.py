"""The rules between texts: the directive of an answer, the evidence that a change needs, and guarded files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from phasegate.catalogue import problem
from phasegate.dialects.dialect import Gathered, Reading, Surroundings
from phasegate.dialects.thehood.contradictions import EVIDENCE, TESTED, evidence_kinds
from phasegate.dialects.thehood.declaration import (
    ASKED,
    IMPLEMENTER,
    NO_PATTERN,
    ORCHESTRATOR,
    PACKET,
    RUNTIME,
    STEP,
    TEST_LOG,
    VERIFIER,
    Directive,
    Options,
)
from phasegate.dialects.thehood.reader import Found, paths_of, with_problems
from phasegate.model.frozen import replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import Asks, Cause, Medium, Outcome, Place, RoleClaim, Signal, Source
from phasegate.model.snapshot import Snapshot
from phasegate.reading.document import Json, excerpt
from phasegate.reading.globs import any_among

TESTS = (
    *("**/test/**", "**/tests/**", "**/Test/**", "**/Tests/**", "**/__tests__/**", "**/__snapshots__/**"),
    *("*.spec.*", "*.test.*", "test_*.*", "*_test.*", "*_spec.*", "*Test.*", "*Tests.*"),
)
MOST_TOLD = 5
_NUMBER = re.compile(r"(?:(?:issue|gh)[-_]?|#)?0*([1-9][0-9]{0,14})", re.ASCII | re.IGNORECASE)


Gone = tuple[str, str]  # a removed record of the runtime: when it was last there, and who removed it


def together(readings: Sequence[Reading], around: Surroundings, options: Options) -> Gathered:
    """Every word after these rules. An approval with a test log also fills the log's seat."""
    posted = posted_directives(readings, around)
    directives = (*options.directives, *(each for _, each in posted))
    protected = protected_files(readings, around.snapshot, options)
    gone = vanished(readings, around)
    scope = tuple(_scope_problems(readings, around))
    decided = (signal for reading in readings for signal in reading.signals if ORCHESTRATOR in signal.roles)
    planned = {_placed(signal, around).source.issue for signal in decided}
    found: list[Signal] = []
    for reading in readings:
        for signal in reading.signals:
            placed = _placed(signal, around)
            if STEP in placed.roles and placed.source.issue not in (None, *planned):
                # of an orchestrator that has decided nothing yet: its seat waits, and can say why
                claims = tuple(replace(claim, role=ORCHESTRATOR) for claim in placed.claims)
                placed = replace(placed, claims=claims, outcome=Outcome.BLOCKED)
            wrong = [*acknowledgement_problems(placed, reading.content, directives), *_overtaken(placed, gone)]
            wrong += [item for of, item in scope if of is reading]
            evidence = evidence_kinds(_payload(reading))
            approves = VERIFIER in placed.roles and placed.outcome is Outcome.PASS
            wrong += untested(placed, evidence, around.snapshot) if approves else ()
            judged = with_problems(placed, tuple(wrong))
            found.extend((guarded(judged, protected), *tested(judged, evidence)))
    foreseen = tuple((VERIFIER, cause) for cause in guards(protected, Where()))
    return Gathered(signals=(*found, *unanswered(posted, readings)), foreseen=foreseen)


def _scope_problems(readings: Sequence[Reading], around: Surroundings) -> Iterator[tuple[Reading, Problem]]:
    """Changes beyond the task or the implementer's own statement, reported on the last answer."""
    works = [each for each in readings if _is_sound(each, IMPLEMENTER) and each.text.source.issue is None]
    if not works or not around.snapshot.files.complete:
        return
    last = max(works, key=_moment)
    evidence = {each.text.where.path for each in readings if each.text.source.pushed}
    really = dict.fromkeys(path for path in _changed(around.snapshot) if path not in evidence)
    where = last.signals[0].where
    files = {file for each in works for file in paths_of(_payload(each), "changed_files")}
    for file in [each for each in paths_of(_payload(last), "changed_files") if each not in really][:MOST_TOLD]:
        told = f"changed_files names {excerpt(file)}, which the pull request does not change"
        yield last, problem("PG818", told, where)
    for file in [each for each in really if each not in files][:MOST_TOLD]:
        yield last, problem("PG818", f"{excerpt(file)} is changed, and changed_files does not name it", where)
    for task in _tasks(readings, around):
        for told in _outside(task, tuple(really)):
            yield last, problem("PG841", told, where)


def _tasks(readings: Sequence[Reading], around: Surroundings) -> Iterator[dict[str, Json]]:
    """The task of each issue's last plan by an entitled author."""
    plans: dict[int | None, Reading] = {}
    for each in sorted(readings, key=_moment):
        if _is_sound(each, ORCHESTRATOR) and around.speaks(each.text.source, ORCHESTRATOR):
            plans[each.text.source.issue] = each
    tasks = (_payload(each).get("task") for each in plans.values())
    yield from (task for task in tasks if isinstance(task, dict))


def _outside(task: dict[str, Json], changed: tuple[str, ...]) -> Iterator[str]:
    allowed, refused = (_patterns(task.get(key)) for key in ("allowed_paths", "disallowed_paths"))
    tools = task.get("tool_permissions")
    if isinstance(tools, dict) and tools.get("edit") is False and changed:
        yield f"the task has tool_permissions.edit: false, and {excerpt(changed[0])} is changed"
    for file in [each for each in changed if refused and any_among((each,), refused)][:MOST_TOLD]:
        yield f"{excerpt(file)} is changed, and the task's disallowed_paths name it"
    for file in [each for each in changed if allowed and not any_among((each,), allowed)][:MOST_TOLD]:
        yield f"{excerpt(file)} is changed, and the task's allowed_paths do not name it"


def _patterns(told: Json) -> tuple[str, ...]:
    """The paths of a task as patterns; a folder stands for everything in it."""
    paths = (
        [each.strip().removeprefix("./") for each in told if isinstance(each, str)] if isinstance(told, list) else []
    )
    sound = [each for each in paths if each.strip("/.") and not set(each) & NO_PATTERN]
    return tuple(pattern for each in sound for pattern in (each.rstrip("/"), f"{each.rstrip('/')}/**"))


def _is_sound(reading: Reading, role: str) -> bool:
    good = (Outcome.PASS, Outcome.COMPLETE)
    return reading.text.source.latest and any(
        role in signal.roles and signal.outcome in good for signal in reading.signals
    )


def _payload(reading: Reading) -> Mapping[str, Json]:
    return reading.content.payload if isinstance(reading.content, Found) else {}


def posted_directives(readings: Sequence[Reading], around: Surroundings) -> list[tuple[Signal, Directive]]:
    """The directives posted by the runtime, oldest first. Anybody else's are ignored.

    If others edited a text or a file is gone, the runtime's last version counts. A malformed one counts as far as it
    can be read.
    """
    last: dict[str, Reading] = {}
    for reading in own_versions(readings, around):
        if isinstance(reading.content, Directive) and reading.content.run_id:
            last[reading.text.source.id] = reading
    return [
        (signal, reading.content)
        for reading in sorted(last.values(), key=_moment)
        for signal in reading.signals
        if isinstance(reading.content, Directive)
    ]


def unanswered(posted: Sequence[tuple[Signal, Directive]], readings: Sequence[Reading]) -> Iterator[Signal]:
    """Directives that no answer repeats. Their role's earlier words are not an answer."""
    answered = {
        (role, *reading.content.acknowledged)
        for reading in readings
        if isinstance(reading.content, Found)
        for signal in reading.signals
        for role in signal.roles
    }
    for asking, directive in posted:
        role = directive.role or ""
        if role in ASKED and (role, directive.run_id, directive.nonce) not in answered:
            source = replace(asking.source, issue=None, latest=True)  # whoever edited it since, it was asked
            claim = RoleClaim(by="the directive", role=ASKED[role])
            yield replace(asking, claims=(claim,), source=source)


def own_versions(readings: Sequence[Reading], around: Surroundings) -> list[Reading]:
    """The versions of the runtime's texts that it wrote itself."""
    return [each for each in readings if each.text.source.by_author and around.speaks(each.text.source, RUNTIME)]


def vanished(readings: Sequence[Reading], around: Surroundings) -> tuple[Gone, ...]:
    """When others took records of the runtime away: deleted comments, or packets removed from their files.

    A deleted comment may have been a packet; nobody can tell.
    """
    snapshot, found = around.snapshot, list[Gone]()
    # as of a push, of which GitHub does not tell by which app
    pushed = partial(Source, id="", number=0, url="", place=Place.PULL_REQUEST, medium=Medium.FILE, at="", latest=False)
    for trace in (*snapshot.deleted_comments, *(each for issue in around.issues for each in issue.deleted_comments)):
        by_another = trace.author is not None and trace.actor != trace.author
        if by_another and around.speaks(pushed(author=trace.author), RUNTIME):
            found.append((trace.at, "somebody" if trace.actor is None else trace.actor.login))
    own = own_versions(readings, around)
    packets = [each.text.source for each in own if any(PACKET in signal.roles for signal in each.signals)]
    standing = {source.id for source in packets if source.latest}
    found += [(source.at, "a later push") for source in packets if source.pushed and source.id not in standing]
    return tuple(found)


def _overtaken(signal: Signal, gone: Sequence[Gone]) -> Iterator[Problem]:
    """A problem if work or an approval is older than a removed record, which may have made it stale."""
    good = signal.outcome in (Outcome.PASS, Outcome.COMPLETE) and {IMPLEMENTER, VERIFIER} & set(signal.roles)
    later = next((by for at, by in gone if at >= signal.source.at), None)
    if good and later is not None:
        message = f"a record of the runtime was removed by {later} after this, perhaps a revision packet"
        yield problem("PG837", message, signal.where)


def acknowledgement_problems(signal: Signal, answer: object, directives: Sequence[Directive]) -> Iterator[Problem]:
    """A problem if an answer does not repeat the run and nonce of its possible directive."""
    roles = signal.roles
    if not roles or {RUNTIME, PACKET} & set(roles):
        return
    told = answer.acknowledged if isinstance(answer, Found) else (None, None)
    wrong = [_unlike(*told, *each) for each in _asking(signal, [each for each in directives if each.asks(roles)])]
    if wrong and all(wrong):
        yield problem("PG832", wrong[-1], signal.where)


def _asking(signal: Signal, asked: Sequence[Directive]) -> Iterator[tuple[str, Directive]]:
    """The directives that an answer may be to, each with the last run at its place.

    That is the last one before the answer at each place that asks, or any of the policy's if none is posted.
    """
    posted = [each for each in asked if each.at]
    if not posted:
        yield from ((each.run_id, each) for each in asked)
        return
    issue = signal.source.issue
    if issue is not None:
        places = [[each for each in posted if each.issue in (None, issue)]]
    else:
        asking = dict.fromkeys(each.issue for each in posted)
        asking = {None: None} if None in asking else asking
        places = [[each for each in posted if each.issue == place] for place in asking]
    for here in filter(None, places):
        before = [each for each in here if each.at <= signal.source.at]
        yield here[-1].run_id, (before or here[:1])[-1]


def _unlike(own: str | None, nonce: str | None, run: str, directive: Directive) -> str:
    """How an answer differs from the directive that it must repeat, or ""."""
    if own is None:
        return f"it does not acknowledge the directive of {run}"
    if own != run:
        return f"it answers {own}, but the directive is from {run}"
    if directive.nonce not in (None, nonce):
        return f"its nonce is {nonce}, but the directive's is {directive.nonce}"
    return ""


def untested(signal: Signal, evidence: frozenset[str], snapshot: Snapshot) -> Iterator[Problem]:
    """A problem if a change with tests is approved without a test log. An incomplete list of files counts as tests."""
    paths = _changed(snapshot)
    if TESTED in evidence or (snapshot.files.complete and not any_among(paths, TESTS)):
        return
    message = "it approves a change with tests, but its evidence contains no test_log"
    yield problem("PG917", message, signal.where, hint=EVIDENCE)


def _changed(snapshot: Snapshot) -> list[str]:
    """The paths that the pull request changes, with both paths of a rename."""
    return [path for entry in snapshot.files.entries for path in (entry.path, entry.previous_path) if path]


def guarded(signal: Signal, protected: Sequence[str]) -> Signal:
    """An approval of a change to protected files. It asks for a human and says why."""
    if VERIFIER not in signal.roles or signal.outcome is not Outcome.PASS or not protected:
        return signal
    causes = guards(protected, signal.where)
    asks = tuple(dict.fromkeys((*signal.asks, Asks.HUMAN)))
    message = f"{causes[0].key} is {causes[0].says}, so a human must approve build too"
    guarding = replace(signal, asks=asks, causes=(*signal.causes, *causes))
    return with_problems(guarding, (problem("PG836", message, signal.where),))


def guards(protected: Sequence[str], where: Where) -> tuple[Cause, ...]:
    """Why a human is asked: the first protected file that changed."""
    more = f" (as are {len(protected) - 1} more)" if len(protected) > 1 else ""
    says = f"protected{more}"
    return tuple(Cause(key=excerpt(path), says=says, asks=Asks.HUMAN, where=where) for path in protected[:1])


def protected_files(readings: Sequence[Reading], snapshot: Snapshot, options: Options) -> tuple[str, ...]:
    """Changed files that need a human, by path or by the implementer's statement. Unlisted files need one."""
    files = snapshot.files
    changed = (path for path in _changed(snapshot) if any_among((path,), options.protected))
    unknown = () if files.complete else ("a file that GitHub does not list",)
    return tuple(dict.fromkeys((*changed, *told_protected(readings), *unknown)))


def told_protected(readings: Sequence[Reading]) -> tuple[str, ...]:
    """The protected files named in any version of an implementer's last answer."""
    own = [reading for reading in readings if any(IMPLEMENTER in signal.roles for signal in reading.signals)]
    last = {reading.text.source.author: reading.text.source.id for reading in sorted(own, key=_moment)}
    told = (_payload(each) for each in own if last[each.text.source.author] == each.text.source.id)
    return tuple(path for payload in told for path in paths_of(payload, "protected_file_changes"))


def _moment(reading: Reading) -> tuple[str, int]:
    return reading.text.source.moment


def tested(signal: Signal, evidence: frozenset[str]) -> Iterator[Signal]:
    """The word for the test log's seat, if a sound approval has a log as evidence."""
    if VERIFIER in signal.roles and signal.outcome is Outcome.PASS and TESTED in evidence:
        claim = RoleClaim(by="the evidence", role=TEST_LOG)
        yield replace(signal, claims=(claim,), findings=(), asks=(), problems=())


def _placed(signal: Signal, around: Surroundings) -> Signal:
    """The signal at its issue: a decision in a file belongs to its folder's issue, a packet to the pull request."""
    source = signal.source
    if PACKET in signal.roles and source.issue is not None:
        return replace(signal, source=replace(source, issue=None))
    if not source.pushed or ORCHESTRATOR not in signal.roles:
        return signal
    folder = source.id.rpartition("/")[0].rpartition("/")[2]
    named = _NUMBER.fullmatch(folder)
    linked = [issue.number for issue in around.issues]
    number = int(named[1]) if named else linked[0] if len(linked) == 1 else None
    if number in linked:
        return replace(signal, source=replace(source, issue=number))
    message = f"the folder {folder} does not name a linked issue ({', '.join(f'#{each}' for each in linked) or 'none'})"
    return with_problems(signal, (problem("PG708", message, signal.where),))
