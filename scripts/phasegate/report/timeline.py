"""The timeline: every event of a snapshot as a mark in a lane, with the state after each.

A mark tells whether a word counts now, or why not. The state after an event is decided on the snapshot cut there.
Everything unknown of the past is listed once (``AS_NOW``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from phasegate.model.finding import ReviewFinding
from phasegate.model.frozen import dataclass
from phasegate.model.ledger import VERBS
from phasegate.model.past import AS_NOW, doubts, until
from phasegate.model.problem import Severity
from phasegate.model.report import Disposition, Report, SignalReport, State
from phasegate.model.signal import WITHDRAW, Act, Kind, Medium, Outcome, role_title
from phasegate.model.snapshot import FORCED, RETARGETED, Snapshot
from phasegate.model.texts import Actor, Comment, NameEvent
from phasegate.report.status import describe
from phasegate.report.wording import counted, disposition_text, settled_text, short

BRANCH = "pull request"  # the lane of events without a phase
GOOD, BAD, IDLE, PLAIN = "good", "bad", "idle", "plain"
SIGNS: dict[Outcome | None, str] = {
    Outcome.PASS: "✓",
    Outcome.COMPLETE: "✓",
    Outcome.FIXED: "✓",
    Outcome.FAIL: "✗",
    Outcome.BLOCKED: "‖",
}
ACTED = {verb: "☆" if verb == WITHDRAW else "★" for verb in VERBS}
Said = tuple[State, str]  # the overall state, and why
Decide = Callable[[Sequence[str]], Mapping[str, Said]]
LINKS = {"added": "linked", "removed": "unlinked"}
LABELS = {"added": "set", "removed": "removed"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """One event: its lane, sign and tone, who did what, why it counts or not, and its text."""

    at: str
    lane: str = BRANCH
    sign: str
    tone: str = PLAIN
    who: str
    what: str
    why: str = ""
    url: str = ""
    text: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """All events of one second, and what the gate would have said after them; None if it was not asked.

    ``doubts`` tell why it may have said something else.
    """

    at: str
    marks: tuple[Mark, ...]
    state: State | None
    said: str
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """The lanes in order, the moments from first to last, and remarks on all of them."""

    lanes: tuple[str, ...]
    moments: tuple[Moment, ...]
    notes: tuple[str, ...]


def timeline(snapshot: Snapshot, report: Report, decide: Decide) -> Timeline:
    """The whole timeline. ``decide`` gives past decisions, newest time first, and may leave out the last ones."""
    marks: dict[str, list[Mark]] = {}
    for mark in _marks(snapshot, report):
        marks.setdefault(mark.at, []).append(mark)
    *past, now = sorted(marks)
    opened = snapshot.pull_request.created_at
    told = {**decide([at for at in reversed(past) if at >= opened]), now: (report.state, describe(report))}
    moments: list[Moment] = []
    for at in (*past, now):
        untold = (None, "there was no pull request yet" if at < opened else "not worked out")
        state, said = told.get(at, untold)
        unsure = () if state is None or at == now else doubts(snapshot, at)
        moments.append(Moment(at=at, marks=tuple(marks[at]), state=state, said=said, doubts=unsure))
    unasked = sum(moment.state is None and moment.at >= opened for moment in moments)
    notes = [f"GitHub keeps no history of some things, which are shown as they are now: {AS_NOW}."]
    if unasked:
        notes.append(f"The state after the first {counted(unasked, 'event')} was not worked out: there are too many.")
    if report.left_out:
        notes.append(f"{counted(report.left_out, 'text')} of strangers are not shown.")
    lanes = (BRANCH, *(phase.name for phase in report.phases))
    return Timeline(lanes=lanes, moments=tuple(moments), notes=tuple(notes))


def _marks(snapshot: Snapshot, report: Report) -> Iterator[Mark]:
    texts = [*snapshot.comments, *snapshot.reviews]
    texts += [said for issue in (*snapshot.issues, *snapshot.former_issues) for said in issue.comments]
    known = {said.url: said for said in texts}
    phases = {phase.name for phase in report.phases}
    words = [_word(item, report, known, snapshot) for item in report.signals]
    acts = [_act(act, known, phases) for act in report.acts]
    lanes = {mark.url: mark.lane for mark in (*acts, *words)}
    threads = {thread.url: thread for thread in snapshot.threads}
    said_at = {(mark.url, mark.at) for mark in (*acts, *words)}
    yield Mark(
        at=snapshot.pull_request.created_at,
        sign="○",
        who=_login(snapshot.pull_request.author),
        what=f"opened #{report.pull_request}",
        why=snapshot.pull_request.title,
        url=report.url,
    )
    yield from words
    yield from acts
    yield from (_finding(told, report, threads[told.url].text) for told in report.findings if told.url in threads)
    yield from _pushes(snapshot)
    for said in known.values():
        if said.url in lanes or said.dismissed_at is not None:
            yield from _changes(said, lanes.get(said.url, BRANCH), said_at)
    yield from _events(snapshot)


def _word(item: SignalReport, report: Report, known: dict[str, Comment], snapshot: Snapshot) -> Mark:
    vote, source, outcome = item.vote, item.vote.signal.source, item.vote.signal.outcome
    said = vote.signal.said or (outcome.value if outcome else vote.signal.kind.value)
    role = role_title(vote.role) if vote.role else "Somebody"
    invalid = item.disposition is Disposition.INVALID or (vote.signal.kind is Kind.VERDICT and outcome is None)
    counts = item.disposition in (Disposition.COUNTED, Disposition.INVALID)
    objects = invalid or outcome in (Outcome.FAIL, Outcome.BLOCKED, Outcome.PARTIAL)
    return Mark(
        at=source.at,
        lane=item.phase or BRANCH,
        sign="?" if invalid else SIGNS.get(outcome, "•"),
        tone=IDLE if not counts else BAD if objects else GOOD,
        who=source.login,
        what=f"{role}: {said}" + (f" on {short(vote.commit)}" if vote.commit else ""),
        why=f"{item.disposition.value}: {disposition_text(item, report)}".rstrip(": "),
        url=source.url,
        text=_text(source.url, source.at, known) or _file_text(item, snapshot),
    )


def _finding(told: ReviewFinding, report: Report, text: str) -> Mark:
    """A reviewer's thread, which holds its phase while it stands."""
    seats = {
        name: phase.name for phase in report.phases for need in phase.needs for name in (*need.findings, need.name)
    }
    place = f" in {told.path}" if told.path else ""
    return Mark(
        at=told.at,
        lane=seats.get(told.role, BRANCH),
        sign="✗",
        tone=BAD if told.stands else IDLE,
        who=told.by,
        what=f"{role_title(told.role)}: finding{place}",
        why=f"{'stands' if told.stands else 'ended'}: {settled_text(told)}",
        url=told.url,
        text=text,
    )


def _file_text(item: SignalReport, snapshot: Snapshot) -> str:
    source, path = item.vote.signal.source, item.vote.signal.where.path
    if source.medium is Medium.CHECK_RUN:
        runs = (run for run in snapshot.checks if run.id == source.number)
        return "\n\n".join(part for run in runs for part in (run.title, run.summary, run.text) if part)
    files = [file for file in snapshot.branch_files if file.path == path]
    versions = [(file.pushed, file.text) for file in files]
    versions += [(each.pushed, each.text) for file in files for each in file.earlier]
    return next((text or "" for pushed, text in versions if pushed is not None and pushed.at == source.at), "")


def _act(act: Act, known: dict[str, Comment], phases: set[str]) -> Mark:
    command = act.command
    refused = [each.message for each in (act.why, *act.problems) if each is not None]
    hurts = any(each.severity is Severity.ERROR for each in act.problems)
    return Mark(
        at=command.source.at,
        lane=command.phase if command.phase in phases else BRANCH,
        sign=ACTED.get(command.verb, "☆"),
        tone=GOOD if act.counts and not hurts else IDLE,
        who=command.source.login,
        what=f"/gate {command.verb} {command.phase}".rstrip(),
        why="counts" if act.counts else f"does not count: {'; '.join(refused)}",
        url=command.source.url,
        text=command.reason or _text(command.source.url, command.source.at, known),
    )


def _text(url: str, at: str, known: dict[str, Comment]) -> str:
    """The text that stood there after a time."""
    if url not in known:
        return ""
    versions = until(at, known[url].versions)
    return (versions[-1].text or "") if versions else known[url].text


def _pushes(snapshot: Snapshot) -> Iterator[Mark]:
    contents = {each.commit: each.digest for each in snapshot.contents}
    before: str | None = None
    for move in snapshot.pull_request.head_moves(snapshot.ref_log.moves):
        digest = contents.get(move.after)
        same = digest is not None and digest == before
        why = "" if digest is None else "the content is the same as before" if same else "the content is another one"
        what = f"{'forced' if 'force' in move.kind else 'pushed'} {short(move.after)}"
        yield Mark(at=move.at, sign="↑", who=_login(move.actor), what=what, why=why if before else "")
        before = digest


def _changes(said: Comment, lane: str, told: set[tuple[str, str]]) -> Iterator[Mark]:
    """Changes of a text with a word or act: edits that left no word, and a dismissal."""
    own = _login(said.author)
    mark = partial(Mark, lane=lane, url=said.url)
    for version in said.versions:
        by = _login(version.editor)
        if version.at != said.created_at and (said.url, version.at) not in told:
            what = f"edited {'their own' if by == own else f'the text of {own}'}: no word is left in it"
            yield mark(at=version.at, sign="✎", who=by, what=what, text=version.text or "")
        if version.deleted_at is not None:
            what = "removed a version from the history"
            yield mark(at=version.deleted_at, sign="✎", who=_login(version.deleted_by), what=what)
    if said.dismissed_at is not None:
        yield mark(at=said.dismissed_at, sign="⊘", who=_login(said.dismissed_by), what=f"dismissed the review of {own}")


def _events(snapshot: Snapshot) -> Iterator[Mark]:
    """Labels, types, links, deletions, and events of the pull request itself."""
    request = snapshot.pull_request
    deleted = [("", gone) for gone in snapshot.deleted_comments]
    for issue in (*snapshot.issues, *snapshot.former_issues):
        on = f" on #{issue.number}"
        yield from _named(issue.label_events, "#", "label", LABELS, on)
        yield from _named(issue.type_events, "#", "type", LABELS, on)
        deleted += [(on, gone) for gone in issue.deleted_comments]
    yield from _named(request.links, "↔", "issue", LINKS, "")
    for on, gone in deleted:
        what = f"deleted a comment of {_login(gone.author)}{on}"
        yield Mark(at=gone.at, sign="⌫", who=_login(gone.actor), what=what, why="its text cannot be told")
    for change in request.base_changes:
        how = {RETARGETED: "changed the base from", FORCED: "forced the base from"}.get(change.kind, "deleted the base")
        ends = f"{how} {change.before[:40]}" + (f" to {change.after[:40]}" if change.after else "")
        yield Mark(at=change.at, sign="⇄", who=_login(change.actor), what=ends)
    for state in request.state_changes:
        yield Mark(at=state.at, sign="○", who=_login(state.actor), what=f"{state.state} the pull request")


def _named(events: Iterable[NameEvent], sign: str, thing: str, verbs: dict[str, str], on: str) -> Iterator[Mark]:
    for event in events:
        what = f"{verbs.get(event.action, event.action)} {thing} {event.name}{on}".rstrip()
        yield Mark(at=event.at, sign=sign, who=_login(event.actor), what=what)


def _login(actor: Actor | None) -> str:
    return "somebody" if actor is None else actor.login
