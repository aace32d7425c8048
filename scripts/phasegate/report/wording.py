"""Wording: every sentence about a decision is made here, out of the reasons that the rules give as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from phasegate.model.finding import ReviewFinding, Settled
from phasegate.model.frozen import replace
from phasegate.model.problem import Severity
from phasegate.model.report import (
    Disposition,
    Need,
    NeedKind,
    NeedState,
    Note,
    NoteKind,
    PhaseReport,
    Report,
    Route,
    SignalReport,
    State,
    Told,
    TypeSource,
    Why,
)
from phasegate.model.signal import INVALID, Place, Validity, role_title

STATE_MARK = {State.SUCCESS: "✅", State.FAILURE: "❌", State.PENDING: "⏳", State.ERROR: "🛑"}
NEED_MARK = {NeedState.MET: "✅", NeedState.FAILED: "❌", NeedState.WAITING: "⏳"}
SEVERITY_MARK = {Severity.ERROR: "❌", Severity.WARNING: "⚠️", Severity.NOTICE: "\N{INFORMATION SOURCE}\ufe0f"}

SHORT = 7
MOST_NAMED = 8
MOST_REASONS = 4  # that are told in one sentence; the report holds all
AUTHOR = "Author"
GONE = "put on record and no longer counts here"  # and nobody is known to have deleted it
NO_ROLE = "PG125"  # why a word does not count of which nobody can tell the role


def short(commit: str) -> str:
    """A commit as people write it."""
    return commit[:SHORT]


def phase_title(name: str) -> str:
    """A phase as people write it."""
    return "QA" if name == "qa" else name.replace("-", " ").capitalize()


def listing(names: Iterable[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``; each name once."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def counted(count: int, thing: str) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def first_of(names: Sequence[str]) -> str:
    """The first of many names, and how many more there are; data have them all."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def was_judged(phase: PhaseReport) -> bool:
    """Whether the phase was judged at all; one that was not says why in its notes."""
    return bool(phase.needs) or not phase.notes


def _steering(need: Need) -> str:
    """What may have steered the agents."""
    if not need.findings and need.judged is not None:
        return f"A PASS was written while {short(need.judged)} was the head, whose files may have steered it:"
    return f"{need.findings[0] if need.findings else 'A file that GitHub does not list'} may steer the agents:"


def subject(need: Need) -> str:
    """What is judged."""
    return f"the plan of #{need.issue}" if need.commit is None else short(need.commit)


def _place(need: Need) -> str:
    """Where it is judged."""
    return "the pull request" if need.commit is not None else f"#{need.issue}"


def _title(need: Need) -> str:
    """The seat as people name it; a file with its folder where there are several."""
    return need.place or role_title(need.name)


def whose(need: Need) -> str:
    """The vote as people name it: ``Reviewer's PASS``, ``Worker's report (done)``, ``report.json (PASS)``."""
    told = f" ({need.said})" if need.said else ""
    if not need.noun:
        return f"{_title(need)}{told}"
    return f"{_title(need)}'s {need.said if need.said.isupper() else f'{need.noun}{told}'}"


def _in_own_word(need: Need) -> str:
    """How a pass was put, where that says more than that it is one."""
    return "" if need.said.upper() in ("", "PASS") else f" ({need.said})"


def _message(need: Need) -> str:
    return "" if need.problem is None else need.problem.message


def _missing(need: Need) -> str:
    if need.kind is NeedKind.PLAN:
        return f"Waiting for {role_title(need.actor)}'s plan on #{need.issue}"
    where = f"in {need.folder}" if need.folder is not None else f"on {subject(need)}"
    return f"Waiting for {role_title(need.name)} {where}{_explained(need)}"


def _explained(need: Need) -> str:
    """A parenthesis that explains what was found instead."""
    return "".join(f" ({item.message})" for item in need.also[:1])


def _part(need: Need, why: str) -> str:
    if need.folder is None:
        return f"Waiting for {role_title(need.name)} of {role_title(need.other)}, {why}"
    return f"Waiting for {need.name.removeprefix(f'{need.other}#')} in {need.folder}/{need.other}, {why}"


def _refused(need: Need) -> str:
    if need.kind is NeedKind.HUMAN:
        return f"{need.by or 'Somebody'}'s {need.said} does not count: {_reasons(need)}"
    by = f" by {need.by}" if need.by else ""
    if need.kind is NeedKind.PLAN:
        return f"The plan of #{need.issue}{by} is ignored: {_reasons(need)}"
    untold = need.problem is not None and need.problem.code == NO_ROLE
    word = need.said or "A verdict" if untold else whose(need)
    return f"{word}{by} is ignored: {_reasons(need)}"


def as_clause(hint: str) -> str:
    """A fix as the end of a sentence."""
    return f"{hint[:1].lower()}{hint[1:].rstrip('.')}"


def _reasons(need: Need) -> str:
    """The reasons, each once; of very many, how many there are."""
    found = list(dict.fromkeys(item.message for item in (need.problem, *need.also) if item is not None))
    more = f"; and {len(found) - MOST_REASONS} more" if len(found) > MOST_REASONS else ""
    return "; ".join(found[:MOST_REASONS]) + more


def causes_text(need: Need) -> str:
    """The keys that decided although the word says otherwise, or that ask for this; empty if there are none."""
    return listing(f"{cause.key} is {cause.says}" for cause in need.causes) if need.causes else ""


def takes_text(need: Need) -> str:
    """The values that would let the word count; empty where nothing is known."""
    takes = [f"{cause.key} {cause.takes}" for cause in need.causes if cause.takes]
    return f" with {listing(takes)}" if takes else ""


def _not_done(need: Need) -> str:
    against = f", but {causes_text(need)}" if need.causes else ""
    return f"{_title(need)} says {need.said or 'nothing'}{against}{_question(need)}"


def _question(need: Need) -> str:
    return f': "{need.question}"' if need.question else ""


def _failed(need: Need) -> str:
    verb = "says FAIL of" if need.folder is not None else "failed"
    causes, found = causes_text(need), ", ".join(need.findings)
    told = f"{found} ({causes})" if found and causes else found or causes
    found = f": {told}" if told else ""
    against = _explained(need) or (f" ({role_title(need.other)} disagrees)" if need.other else "")
    return f"{_title(need)} {verb} {subject(need)}{found}{against}"


# How a finding of a reviewer ended, or why it stands.
SETTLED: dict[Settled, Callable[[ReviewFinding], str]] = {
    Settled.OPEN: lambda _: "its thread is open",
    Settled.UNANSWERED: lambda _: "nothing was said about the whole change since",
    Settled.REQUESTED: lambda _: "the request stands",
    Settled.RETURNED: lambda _: "its thread was resolved, and what it was found in is back",
    Settled.COMMANDED: lambda told: (
        f"{told.by} resolved its thread after {told.ended_by} addressed it, and the file is as it was"
    ),
    Settled.NOT_ALLOWED: lambda told: f"its thread was resolved by {told.ended_by or 'nobody'}: {told.reason}",
    Settled.FIXED: lambda told: f"resolved by {told.by} after its file changed",
    Settled.WITHDRAWN: lambda told: f"resolved by {told.by}",
    Settled.RESOLVED: lambda told: f"resolved by {told.ended_by}{f', {told.reason}' if told.reason else ''}",
    Settled.WHOLE: lambda told: f"{told.by} passed the whole change since",
    Settled.APPROVED: lambda told: f"{told.by} approved since",
    Settled.LEFT: lambda _: "its file is no longer changed here",
    Settled.DISMISSED: lambda told: f"dismissed by {told.ended_by}: {told.reason}",
    Settled.ADVICE: lambda _: "advice",
}


def settled_text(told: ReviewFinding) -> str:
    """How a finding of a reviewer ended, or why it still stands."""
    return SETTLED[told.settled](told)


def _stands(need: Need) -> str:
    if not need.standing:
        return f"A finding of {_title(need)} stands"
    first, count = need.standing[0], sum(each.count for each in need.standing)
    since = f" since {short(first.commit)}" if first.commit else ""
    vain = f"; {need.also[0].message}" if need.also else ""
    verb = "stands" if count == 1 else "stand"
    what = f"{counted(count, 'finding')} of {_title(need)} {verb}{since}"
    return f"{what}: {first.summary} ({settled_text(first)}){vain}"


def _group(need: Need) -> str:
    """How many members of a group have passed, and which did not run."""
    members = listing(role_title(name) for name in need.findings or (need.name,))
    idle = "; ".join(f"{role_title(name)} {f'says {said}' if said else 'did not run'}" for name, said in need.idle)
    told = f"{need.count} of {need.limit} that are needed passed" if need.count < need.limit else "enough passed"
    return f"{members}: {told}{f' ({idle})' if idle else ''}"


def _invalid(need: Need) -> str:
    if need.kind is NeedKind.PLAN:
        return f"The plan of #{need.issue} does not count: {_reasons(need)}"
    return f"{whose(replace(need, said=''))} is invalid: {_reasons(need)}"


def _touched(need: Need, how: str) -> str:
    return f"{role_title(need.other)}'s {'verdict' if need.said == INVALID else need.said} was {how}"


def _no_issue(need: Need) -> str:
    base = f" (keywords link nothing from a pull request into {need.place})" if need.place else _explained(need)
    return f"No linked issue, so there is no plan{base}" if need.other else f"No linked issue{base}"


def _check(need: Need, told: str) -> str:
    return f"Check {need.name} {told} on {subject(need)}"


STALE = (Why.OLDER, Why.OLDER_THAN_GROUND, Why.OTHER_BASE)
# Words and acts that are there, and why they do not do: without that people are asked for what they have just done.
STANDING = (
    *(*STALE, Why.PLAN_LOST, Why.TOO_EARLY, Why.ONE_ACCOUNT, Why.NOT_DONE, Why.UNRECORDED),
    *(Why.UNCOVERED, Why.EDITED, Why.DISMISSED, Why.DELETED, Why.RECORD_UNREAD, Why.UNSEEN, Why.ESCALATED),
)
REWRITTEN = {"forced": "force-pushed", "deleted": "deleted"}
# By the event that followed an approval.
UNCOVERED = {
    "content": "was for earlier content",
    "deletion": "came before the plan may have been deleted",
    "link": "came before other issues may have been linked",
    "files": "came before the last push of evidence",
    "verdict": "came before the last verdict",
    "objection": "came before a FAIL of the same content",
    "overruling": "came before the FAIL was overruled",
    "": "no longer covers what is there",
}
_TEXTS: dict[Why | tuple[NeedKind, Why], Callable[[Need], str]] = {
    Why.PASSED: lambda need: f"{_title(need)} passed{_in_own_word(need)}",
    Why.COMPLETED: lambda need: f"{_title(need)} says {need.said}",
    Why.VALID: lambda need: f"{_title(need)} is valid",
    Why.OVERRULED: lambda need: f"{_title(need)}'s FAIL was overruled by {role_title(need.other)}",
    (NeedKind.PLAN, Why.PASSED): lambda need: f"Plan on #{need.issue}",
    (NeedKind.HUMAN, Why.PASSED): lambda need: f"Approved by {need.by}",
    (NeedKind.CHECK, Why.PASSED): lambda need: (
        f"Check {need.name} {'succeeded' if need.said != 'skipped' else 'was skipped, which the policy allows'}"
    ),
    (NeedKind.LINKED_ISSUE, Why.MISSING): _no_issue,
    Why.EARLIER_PHASE: lambda need: f"Waiting for {phase_title(need.name)}",
    Why.MISSING: _missing,
    Why.PART_NOT_RUN: lambda need: _part(need, "of which nothing was run" if need.folder else "which names none"),
    Why.PART_OF_INVALID: lambda need: _part(need, "which is invalid"),
    Why.REFUSED: _refused,
    Why.DRIFTED: lambda need: (
        f"{_title(need)} ({need.by}) wrote on {subject(need)}, but not in its format: {_message(need)}"
    ),
    Why.OLDER: lambda need: (
        f"{whose(need)} was for an earlier text of {subject(need)}"
        if need.commit is None
        else f"{whose(need)} was for {short(need.judged or '?')}, not for {subject(need)}"
    ),
    Why.OTHER_BASE: lambda need: (
        f"{whose(need)} was given before the base branch was {REWRITTEN.get(need.other, 'rewritten')}"
        if need.other
        else f"{whose(need)} was for another base branch: the base changed since"
    ),
    Why.PLAN_LOST: lambda need: f"{whose(need)} does not bind to another plan: {_message(need)}",
    Why.OLDER_THAN_GROUND: lambda need: f"{_title(need)} is stale: {_message(need)}",
    Why.COMMIT_UNKNOWN: lambda need: (
        f"{whose(need)} does not count: {_message(need) or 'it is not clear which commit it is for'}"
    ),
    Why.TOO_EARLY: lambda need: f"{_title(need)} spoke before {role_title(need.other)} on {subject(need)}",
    Why.ONE_ACCOUNT: lambda need: f"{_title(need)} and {role_title(need.other)} come from one account, {need.by}",
    Why.NOT_DONE: _not_done,
    Why.BLOCKED: lambda need: f"{_title(need)} is blocked{_question(need)}",
    Why.SPENT: lambda need: f"#{need.issue} was closed by {need.other}, so its plan is spent",
    (NeedKind.HUMAN, Why.MISSING): lambda need: (
        f"Waiting for a human's /gate approve {need.other}{f' on #{need.issue}' * bool(need.issue)}"
        f"{f' ({causes_text(need)})' if need.causes else _explained(need)}"
    ),
    Why.INSTRUCTIONS: lambda need: f"{_steering(need)} waiting for a human's /gate approve {need.other}",
    Why.UNCOVERED: lambda need: f"The approval by {need.by} {UNCOVERED.get(need.said, UNCOVERED[''])}",
    (NeedKind.CHECK, Why.MISSING): lambda need: _check(need, "has not run"),
    Why.RUNNING: lambda need: _check(need, f"is {need.said.replace('_', ' ')}"),
    (NeedKind.CHECK, Why.NOT_DONE): lambda need: _check(need, f"only says {need.said.replace('_', ' ')}"),
    (NeedKind.CHECK, Why.FAILED): lambda need: _check(need, f"says {need.said.replace('_', ' ')}"),
    Why.FAILED: _failed,
    Why.STANDS: _stands,
    Why.GROUP: _group,
    Why.INVALID: _invalid,
    Why.UNUSABLE: _message,
    Why.EDITED: lambda need: _touched(need, f"edited by {need.by}"),
    Why.DISMISSED: lambda need: _touched(need, f"dismissed by {need.by}" if need.by else "dismissed"),
    Why.DELETED: lambda need: _touched(need, f"deleted by {need.by}" if need.by else GONE),
    Why.RECORD_UNREAD: lambda need: f"What failed up to {need.at} cannot be read from the record",
    Why.RECORD_FULL: lambda need: f"Nothing more can be put on record on {subject(need)}, whose statuses are full",
    Why.UNRECORDED: lambda need: (
        f"{need.by} deleted a comment by {need.said} at {need.at}, and no record tells what it said"
    ),
    Why.UNSEEN: lambda need: f"What the results said up to {need.at} cannot be read",
    Why.ESCALATED: lambda need: (
        f"Escalated: {counted(need.count, 'failing round')}, {need.limit} "
        f"{'attempt to fix is' if need.limit == 1 else 'attempts to fix are'} allowed"
    ),
}


def need_text(need: Need) -> str:
    """How a need stands, in a sentence; a command that should have met it and does not count is said first."""
    told = (_TEXTS.get((need.kind, need.why)) or _TEXTS[need.why])(need)
    vain = need.also[:1] if need.kind in (NeedKind.HISTORY, NeedKind.ATTEMPTS) else ()
    return "; ".join([*(item.message for item in vain), _lower(told) if vain and need.why is Why.ESCALATED else told])


def standing_text(need: Need) -> str:
    """What is there and does not do, before the same is asked for again; empty where nothing is."""
    if need.why is Why.INSTRUCTIONS:
        return _steering(need).removesuffix(":")
    part = need.why is Why.PART_NOT_RUN and need.folder is not None
    said = need.why in STANDING and need.kind is not NeedKind.CHECK
    return need_text(need) if part or said else ""


def ask(title: str, noun: str, on: str) -> str:
    """How words of a role are asked for."""
    return f"Ask {title} for a {noun} on {on}" if noun else f"Ask for the {_lower(title)} on {on}"


def renewed(need: Need, report: Report) -> str:
    """How a stale file is pushed again that would come out the same."""
    how = report.how_to.get(need.name)
    if how is None or not how.renew or need.why not in STALE or need.folder is None:
        return ""
    return f"; should it come out the same, a new {how.renew} in it is enough to push it"


def corrected(title: str, noun: str, on: str) -> str:
    """How words that cannot be read are asked for again."""
    return f"{title}: post a corrected {noun} on {on}" if noun else f"Post the {_lower(title)} on {on} again, corrected"


def then_ask(title: str, noun: str, before: str) -> str:
    """Who is asked once something is fixed, and what is done before that."""
    return f"{before}then ask {title} again" if noun else f"{before}then ask for the {_lower(title)} again"


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


# What has the gate look again where a thread was resolved, which raises no event.
NO_RUN = (
    "Resolving starts no run; a push, an edit of the reviewer's comment, a /gate comment, a re-run or the sweep does"
)


def settle_todo(need: Need, who: str) -> str:
    """What ends findings that stand: in threads, who resolves them; elsewhere, a word about the whole change."""
    if not need.standing:
        return f"{who}: fix what {_title(need)} found"
    first, title = need.standing[0], _title(need)
    todo = f"{who}: fix: {first.summary}{f' ({first.url})' if first.url else ''}; push, then"
    if not any(each.threaded for each in need.standing):
        return f"{todo} ask {title} for a review of the whole change"
    again = "" if first.settled is Settled.OPEN else "reopen the thread and "
    human = f"a human with {need.permission} permission may {again}resolve it"
    return f"{todo} {title} resolves the thread, or {human}. {NO_RUN}"


def spent_todo(issue: int | None) -> str:
    """What to do where another pull request has closed the issue."""
    told = "Open an issue for this work, plan it there and link it"
    return told if issue is None else f"{told}, or reopen #{issue} and plan it anew"


def link_todo(base: str) -> str:
    """How to link an issue; into another base than the default one keywords do not."""
    if base:
        return f"Link the issue under Development in the sidebar: keywords link nothing into {base}"
    return "Link the issue this pull request closes (write 'Closes #N' in its description)"


def note_text(note: Note, report: Report) -> str:
    """What a phase says of itself, in a sentence."""
    if note.kind is NoteKind.QUICK_ROUTE:
        return f"Skipped on the quick route of {', '.join(f'#{number}' for number in note.issues)}"
    if note.kind is NoteKind.OPTIONAL:
        ran = "not run on this content" if note.begun else "not run"
        return f"Optional ({route_reason(report.route)}) and {ran}"
    if note.kind is NoteKind.OVERRIDDEN:
        return f"Overridden by {note.by}{''.join(f' on #{number}' for number in note.issues)}: {note.reason}"
    told = "" if note.problem is None else note.problem.message
    return {
        NoteKind.EXEMPT: f"Exempt by the policy: {note.reason}",
        NoteKind.NOT_EXEMPT: f"{told[:1].upper()}{told[1:]}",
        NoteKind.NOT_LOWERED: told,
        NoteKind.OVERRIDE_REFUSED: f"The override by {note.by} does not count: {told}",
        NoteKind.RESUME_IDLE: f"The resume by {note.by} does nothing: {told}",
        NoteKind.OVERRIDE_OLDER: f"The override by {note.by} was for earlier content",
        NoteKind.POLICY: f"Policy {'' if note.problem is None else note.problem.where}: {told}",
        NoteKind.TURNED_OFF: "Turned off by the policy",
        NoteKind.NO_ISSUE: "No linked issue, and the policy asks for none",
        NoteKind.NO_PATHS: "No changed file is among the paths of this phase",
    }[note.kind]


def phase_note(phase: PhaseReport, report: Report) -> str:
    """All notes of a phase; empty if it has none."""
    return "; ".join(note_text(note, report) for note in phase.notes)


def source_text(source: TypeSource) -> str:
    """What told the type of an issue."""
    if source.told is Told.NO_ISSUE:
        return "default, no linked issue"
    if source.told is Told.UNLINKED:
        link = f"#{source.issue}" if source.issue else "an earlier link"
        return f"{link}, unlinked by {source.set_by or 'somebody'}, who may not lower it"
    if source.told is Told.DEFAULT and source.name:
        return f'default, "{source.name}" of #{source.issue} does not count'
    if source.told is Told.DEFAULT:
        return f"default, #{source.issue} has no label of another type"
    if source.told is Told.ISSUE_TYPE:
        return f'issue type "{source.name}" of #{source.issue}'
    when = f", set by {source.set_by or 'an account that is gone'} on {source.set_at[:10]}" if source.set_at else ""
    return f'label "{source.name}" of #{source.issue}{when}'


def route_reason(route: Route | None) -> str:
    """Why QA is required or not."""
    if route is None:
        return "no route"
    if route.source.told is Told.NO_ISSUE:
        return f"no linked issue counts as {route.type}"
    if route.qa_failed:
        return "QA has failed this pull request before"
    if route.qa_asked_by:
        return f"{role_title(route.qa_asked_by)} asks for QA"
    return f"{route.type} by {source_text(route.source)}"


def disposition_text(item: SignalReport, report: Report) -> str:
    """Why a signal was treated as it was."""
    vote = item.vote
    if item.disposition in (Disposition.IGNORED, Disposition.INVALID):
        return "" if vote.why is None else vote.why.message
    if item.disposition is Disposition.SUPERSEDED:
        again = f"{role_title(vote.role or 'it')} has spoken again since"
        return "edited since; it stays in the history" if vote.validity is Validity.EDITED_AWAY else again
    if item.disposition is Disposition.STALE:
        return _stale_text(item, report)
    return {
        Disposition.SHOWN: "no phase needs it now",
        Disposition.OVERRULED: "every finding that it demands to be fixed was refuted with evidence",
        Disposition.COUNTED: "latest vote of its role",
    }[item.disposition]


def _stale_text(item: SignalReport, report: Report) -> str:
    vote = item.vote
    if vote.stale is not None:
        return vote.stale.message
    if vote.signal.source.place is Place.ISSUE:
        return "the plan has changed since"
    judged, head = short(vote.commit) if vote.commit else "an unknown commit", short(report.head)
    return f"it was for {judged}; the head is {head} with other content"
