"""Wording: every sentence about a decision is made here, from the reasons that the rules give as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from phasegate.model.finding import ReviewFinding, Settled
from phasegate.model.frozen import replace
from phasegate.model.problem import Severity
from phasegate.model.report import (
    RECORD,
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
MOST_REASONS = 4  # in one sentence; the report has all
AUTHOR = "Author"
GONE = "recorded here and has since disappeared"  # who deleted it is unknown
NO_ROLE = "PG125"  # the word's role is unknown


def short(commit: str) -> str:
    """A commit as people write it."""
    return commit[:SHORT]


def phase_title(name: str) -> str:
    """A phase's name as people write it."""
    return "QA" if name == "qa" else name.replace("-", " ").capitalize()


def listing(names: Iterable[str]) -> str:
    """``A``, ``A and B``, ``A, B and C``; each name once."""
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def counted(count: int, thing: str) -> str:
    """``1 finding``, ``2 findings``."""
    return f"{count} {thing}{'' if count == 1 else 's'}"


def was_judged(phase: PhaseReport) -> bool:
    """True if the phase was judged or overridden. If not, its notes tell why."""
    return bool(phase.needs) or not phase.notes or any(note.kind is NoteKind.OVERRIDDEN for note in phase.notes)


def subject(need: Need) -> str:
    """What is judged."""
    return f"the plan of #{need.issue}" if need.commit is None else short(need.commit)


def whose(*needs: Need) -> str:
    """Votes in people's words: ``Reviewer's PASS``, ``Worker's report (done)``, ``Judge's and Inspector's PASS``."""
    need, titles = needs[0], [_title(each) for each in needs]
    told = f" ({need.said})" if need.said else ""
    if not need.noun:
        return f"{listing(titles)}{told}"
    owners, many = listing(f"{title}'s" for title in titles), "s" * bool(needs[1:])
    return f"{owners} {need.said if need.said.isupper() else f'{need.noun}{many}{told}'}"


def _title(need: Need) -> str:
    """The seat in people's words; a file with its folder if there are several."""
    return need.place or role_title(need.name)


def _message(need: Need) -> str:
    return "" if need.problem is None else need.problem.message


def _explained(need: Need) -> str:
    """An explanation in parentheses of what was found instead."""
    return "".join(f" ({item.message})" for item in need.also[:1])  # no stranger's text changes a status


def strangers(need: Need) -> str:
    """Texts in place of a missing word, by accounts whose words do not count."""
    who = "is ignored: its author" if need.count == 1 else "are ignored: their authors"
    return f"{counted(need.count, 'text')} {who} may not speak here"


def _steering(need: Need) -> str:
    if not need.findings and need.judged is not None:
        return f"A PASS was written while {short(need.judged)} was the head, whose files may have steered it"
    return f"{need.findings[0] if need.findings else 'A file that GitHub does not list'} may steer the agents"


def capitalised(text: str) -> str:
    """The text as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def decapitalised(text: str) -> str:
    """The text for the middle of a sentence."""
    return text[:1].lower() + text[1:]


def _reasons(need: Need) -> str:
    """The reasons, each once; if there are very many, the first ones and a number."""
    found = list(dict.fromkeys(item.message for item in (need.problem, *need.also) if item is not None))
    more = f"; and {len(found) - MOST_REASONS} more" if len(found) > MOST_REASONS else ""
    return "; ".join(found[:MOST_REASONS]) + more


def causes_text(need: Need) -> str:
    """The keys that overruled the word's own outcome or that ask for this, or ""."""
    return listing(f"{cause.key} is {cause.says}" for cause in need.causes) if need.causes else ""


def _failed(need: Need) -> str:
    verb = "says FAIL for" if need.folder is not None else "failed"
    causes, found = causes_text(need), ", ".join(need.findings)
    told = f"{found} ({causes})" if found and causes else found or causes
    against = _explained(need) or (f" ({role_title(need.other)} disagrees)" if need.other else "")
    asked = f'; "{need.question}"' if need.question else ""
    return f"{_title(need)} {verb} {subject(need)}{f': {told}' if told else ''}{against}{asked}"


# How a finding of a reviewer ended, or why it stands.
SETTLED = {
    Settled.OPEN: "its thread is open",
    Settled.UNANSWERED: "nothing was said about the whole change since",
    Settled.REQUESTED: "the request stands",
    Settled.ASKED: "{0.by} approved after {0.ended_by} addressed it",
    Settled.RETURNED: "its thread was resolved, but the file is back to what it was",
    Settled.COMMANDED: "{0.by} resolved its thread after {0.ended_by} addressed it, and the file is as it was",
    Settled.NOT_ALLOWED: "its thread was resolved by {somebody}: {0.reason}",
    Settled.FIXED: "resolved by {0.by} after its file changed",
    Settled.WITHDRAWN: "resolved by {0.by}",
    Settled.RESOLVED: "resolved by {0.ended_by}{because}",
    Settled.WHOLE: "{0.by} passed the whole change since",
    Settled.APPROVED: "{0.by} approved since",
    Settled.LEFT: "its file is no longer changed here",
    Settled.DISMISSED: "dismissed by {0.ended_by}: {0.reason}",
    Settled.ADVICE: "advice",
}


def settled_text(told: ReviewFinding) -> str:
    """How a reviewer's finding ended, or why it still stands."""
    because = f", {told.reason}" if told.reason else ""
    return SETTLED[told.settled].format(told, somebody=told.ended_by or "somebody", because=because)


def _stands(need: Need) -> str:
    if not need.standing:
        return f"A finding of {_title(need)} stands"
    first, count = need.standing[0], sum(each.count for each in need.standing)
    since = f" since {short(first.commit)}" if first.commit else ""
    vain = f"; {need.also[0].message}" if need.also else ""
    verb = "stands" if count == 1 else "stand"
    what = f"{counted(count, 'finding')} of {_title(need)} {verb}{since}"
    place = f" in {first.path}" if first.path and not first.threaded else ""
    return f"{what}: {first.summary}{place} ({settled_text(first)}){vain}"


def _group(need: Need) -> str:
    """How many members of a group passed, and which did not run."""
    members = listing(role_title(name) for name in need.findings or (need.name,))
    idle = "; ".join(f"{role_title(name)} {f'says {said}' if said else 'did not run'}" for name, said in need.idle)
    told = f"{need.count} of {need.limit} needed passes" if need.count < need.limit else "enough passed"
    return f"{members}: {told}{f' ({idle})' if idle else ''}"


def _no_issue(need: Need) -> str:
    base = f" (keywords link nothing from a pull request into {need.place})" if need.place else _explained(need)
    return f"No linked issue, so there is no plan{base}" if need.other else f"No linked issue{base}"


STALE = (Why.OLDER, Why.OLDER_THAN_GROUND, Why.OTHER_BASE)
# Present words and acts, and why they do not count. Without this people are asked for what they have just done.
STANDING = (
    *(*STALE, Why.PLAN_LOST, Why.TOO_EARLY, Why.ONE_ACCOUNT, Why.NOT_DONE, Why.UNRECORDED),
    *(Why.BLOCKED, Why.UNCOVERED, Why.EDITED, Why.DISMISSED, Why.DELETED, Why.UNSEEN, Why.ESCALATED),
)
IDLE = ("skipped", "cancelled")  # conclusions of a check that say nothing about the work
REWRITTEN = {"forced": "force-pushed", "deleted": "deleted"}
# Sentences by the event that followed an approval.
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
# A sentence for each reason. Names in braces are made below, or are fields of the need.
_TEXTS: dict[Why | tuple[NeedKind, Why], str | Callable[[Need], str]] = {
    Why.PASSED: "{title} passed{own_word}",
    Why.COMPLETED: "{title} says {said}",
    Why.VALID: "{title} is valid",
    Why.OVERRULED: "{title}'s FAIL was overruled by {other_role}",
    (NeedKind.PLAN, Why.PASSED): "Plan on #{issue}",
    (NeedKind.HUMAN, Why.PASSED): "Approved by {by}",
    (NeedKind.CHECK, Why.PASSED): "Check {name} {succeeded}",
    (NeedKind.LINKED_ISSUE, Why.MISSING): _no_issue,
    Why.EARLIER_PHASE: "Waiting for {phases}",
    Why.MISSING: "Waiting for {roles} {where}{asked_by}",
    (NeedKind.PLAN, Why.MISSING): "Waiting for {actor_role}'s plan on #{issue}",
    (NeedKind.HUMAN, Why.MISSING): "Waiting for a human's /gate approve {other}{on_issue}{asked_by}",
    (NeedKind.CHECK, Why.MISSING): "Check {name} has not run on {subject}",
    Why.PART_MISSING: "Waiting for {part}{of_which}",
    Why.REFUSED: "{refused_word}{by_whom} is ignored: {reasons}",
    (NeedKind.PLAN, Why.REFUSED): "The plan of #{issue}{by_whom} is ignored: {reasons}",
    (NeedKind.HUMAN, Why.REFUSED): "{Somebody}'s {said} does not count: {reasons}",
    Why.DRIFTED: "{drifted}",
    Why.OLDER: "{whose} {was} for {older}",
    Why.OTHER_BASE: "{whose} {was} {other_base}",
    Why.PLAN_LOST: "{whose} {was} for a plan that may be gone: {message}",
    Why.OLDER_THAN_GROUND: "{title} is stale: {message}",
    Why.COMMIT_UNKNOWN: "{whose} {does} not count: {no_commit}",
    Why.TOO_EARLY: "{title} spoke before {other_role} on {subject}",
    Why.ONE_ACCOUNT: "{title} and {other_role} come from one account, {by}",
    Why.NOT_DONE: "{title} says {said_at_all}{against}{question}",
    (NeedKind.CHECK, Why.NOT_DONE): "Check {name} {was_idle} on {subject}",
    Why.BLOCKED: "{title} is blocked{question}",
    Why.SPENT: "#{issue} was closed by {other}, so its plan is spent",
    Why.INSTRUCTIONS: "{steering}: waiting for a human's /gate approve {other}",
    Why.UNCOVERED: "The approval by {by} {uncovered}",
    Why.RUNNING: "Check {name} is {said_in_words} on {subject}",
    Why.FAILED: _failed,
    (NeedKind.CHECK, Why.FAILED): "Check {name} failed on {subject}{how}",
    Why.STANDS: _stands,
    Why.GROUP: _group,
    Why.INVALID: "{vote} is invalid: {reasons}",
    (NeedKind.PLAN, Why.INVALID): "The plan of #{issue} does not count: {reasons}",
    Why.UNUSABLE: "{message}",
    Why.EDITED: "{touched} was edited by {by}",
    Why.DISMISSED: "{touched} was dismissed{by_whom}",
    Why.DELETED: "{touched} was {gone}",
    Why.RECORD_FULL: "Nothing more can be recorded on {subject}: GitHub takes no more statuses for it",
    Why.UNRECORDED: "{by} deleted a comment by {said} at {at}, and no record tells what it said",
    Why.UNSEEN: "{unseen} before {at} could not be read",
    Why.ESCALATED: "Escalated: {rounds}, {limit} {attempts} allowed",
}
# The same in two or three words, for a cell with the seat's name; "" if the mark is enough.
_IN_SHORT: dict[Why | tuple[NeedKind, Why], str] = {
    Why.COMPLETED: "({said})",
    Why.OVERRULED: "overruled by {other_role}",
    (NeedKind.LINKED_ISSUE, Why.MISSING): "missing",
    Why.PART_MISSING: "{of_which_in_short}",
    Why.REFUSED: "ignored",
    Why.DRIFTED: "not in its format",
    Why.OLDER: "was for {older_in_short}",
    Why.OTHER_BASE: "was for {base_in_short}",
    Why.PLAN_LOST: "was for another plan",
    Why.OLDER_THAN_GROUND: "stale",
    Why.COMMIT_UNKNOWN: "names no known commit",
    Why.TOO_EARLY: "spoke before {other_role}",
    Why.ONE_ACCOUNT: "has one account with {other_role}",
    Why.NOT_DONE: "says {said_at_all}",
    Why.BLOCKED: "blocked",
    Why.SPENT: "spent",
    Why.UNCOVERED: "{uncovered}",
    Why.FAILED: "failed",
    Why.STANDS: "has findings that stand",
    Why.GROUP: "{count} of {limit}",
    (NeedKind.CHECK, Why.MISSING): "has not run",
    Why.RUNNING: "is running",
    (NeedKind.CHECK, Why.NOT_DONE): "decided nothing",
    Why.RECORD_FULL: "cannot be kept",
    Why.INVALID: "invalid",
    Why.UNUSABLE: "cannot be used",
    Why.EDITED: "edited by {by}",
    Why.DISMISSED: "dismissed",
    Why.DELETED: "deleted",
    Why.UNSEEN: "cannot be read",
    Why.UNRECORDED: "has a gap",
    Why.ESCALATED: "used up",
}
# The same for a headline with details below it; without an entry, the whole sentence.
_IN_HEADLINE: dict[Why | tuple[NeedKind, Why], str] = {
    Why.REFUSED: "{whose} does not count",
    (NeedKind.HUMAN, Why.REFUSED): "{somebody}'s {said} does not count",
    (NeedKind.PLAN, Why.REFUSED): "the plan of #{issue} does not count",
    Why.DRIFTED: "{drifted_in_short}",
    Why.INVALID: "{vote} is invalid",
    (NeedKind.PLAN, Why.INVALID): "the plan of #{issue} does not count",
    Why.UNUSABLE: "its files cannot be used",
    Why.ESCALATED: "escalated after {rounds}",
}
_WORDS: dict[str, Callable[[Need], str]] = {
    "title": _title,
    "subject": subject,
    "message": _message,
    "reasons": _reasons,
    "steering": _steering,
    "vote": lambda need: whose(replace(need, said="")),
    "other_role": lambda need: role_title(need.other),
    "actor_role": lambda need: role_title(need.actor),
    "somebody": lambda need: need.by or "somebody",
    "Somebody": lambda need: need.by or "Somebody",
    "by_whom": lambda need: f" by {need.by}" if need.by else "",
    "own_word": lambda need: "" if need.said.upper() in ("", "PASS") else f" ({need.said})",
    "said_at_all": lambda need: need.said or "nothing",
    "said_in_words": lambda need: need.said.replace("_", " "),
    "succeeded": lambda need: "was skipped, which the policy allows" if need.said == "skipped" else "succeeded",
    "was_idle": lambda need: f"was {need.said}" if need.said in IDLE else f"only says {need.said.replace('_', ' ')}",
    "how": lambda need: "" if need.said == "failure" else f" ({need.said.replace('_', ' ')})",
    "drifted": lambda need: (
        f"{need.by} requests changes on {subject(need)} without a verdict of {_title(need)}"
        if need.said
        else f"{_title(need)} ({need.by}) wrote on {subject(need)}, but not in its format: {_message(need)}"
    ),
    "drifted_in_short": lambda need: (
        f"{need.by} requests changes" if need.said else f"{_title(need)} wrote, but not in its format"
    ),
    "question": lambda need: f': "{need.question}"' if need.question else "",
    "against": lambda need: f", but {causes_text(need)}" if need.causes else "",
    "asked_by": lambda need: f" ({causes_text(need)})" if need.causes else _explained(need),
    "on_issue": lambda need: f" on #{need.issue}" if need.issue else "",
    "where": lambda need: f"in {need.folder}" if need.folder is not None else f"on {subject(need)}",
    "part": lambda need: (
        f"{role_title(need.name)} of {role_title(need.other)}"
        if need.folder is None
        else f"{need.name.removeprefix(f'{need.other}#')} in {need.folder}/{need.other}"
    ),
    "of_which": lambda need: (
        ", which is invalid" if need.said else ": no check in it ran" if need.folder else ": it names none"
    ),
    "unseen": lambda need: "The gate's record of failures" if need.said == RECORD else "Results pushed",
    "of_which_in_short": lambda need: "in an invalid file" if need.said else "not run",
    "refused_word": lambda need: (
        need.said or "A verdict" if need.problem is not None and need.problem.code == NO_ROLE else whose(need)
    ),
    "older": lambda need: (
        f"an earlier text of {subject(need)}"
        if need.commit is None
        else f"{short(need.judged or '?')}, not for {subject(need)}"
    ),
    "older_in_short": lambda need: short(need.judged or "?") if need.commit else "an earlier plan",
    "other_base": lambda need: (
        f"given before the base branch was {REWRITTEN.get(need.other, 'rewritten')}"
        if need.other
        else "for another base branch: the base changed since"
    ),
    "base_in_short": lambda need: "the base branch of before" if need.other else "another base branch",
    "uncovered": lambda need: UNCOVERED.get(need.said, UNCOVERED[""]),
    "touched": lambda need: f"{role_title(need.other)}'s {'verdict' if need.said == INVALID else need.said}",
    "gone": lambda need: f"deleted by {need.by}" if need.by else GONE,
    "rounds": lambda need: counted(need.count, "failing round"),
    "attempts": lambda need: "attempt to fix is" if need.limit == 1 else "attempts to fix are",
}


class _Words(dict[str, str]):
    """The words of a template by name, each made only if used; plural for several needs."""

    def __init__(self, *needs: Need) -> None:
        need, many = needs[0], bool(needs[1:])
        super().__init__(was="were" if many else "was", does="do" if many else "does")
        self.need, self.needs = need, needs
        if many:
            self["asked_by"] = ""

    def __missing__(self, name: str) -> str:
        if name == "whose":
            return whose(*self.needs)
        if name in ("roles", "phases"):
            title = role_title if name == "roles" else phase_title
            return listing(title(each.name) for each in self.needs)
        if name == "no_commit":
            return (
                _message(self.need) or f"it is not clear which commit {'they are' if self.needs[1:] else 'it is'} for"
            )
        made = _WORDS.get(name)
        return made(self.need) if made else str(getattr(self.need, name))


def need_text(*needs: Need) -> str:
    """A need's state as a sentence, or that of several needs with the same state.

    A command that should have met it and does not count comes first.
    """
    need = needs[0]
    text = _TEXTS.get((need.kind, need.why)) or _TEXTS[need.why]
    told = text.format_map(_Words(*needs)) if isinstance(text, str) else text(need)
    vain = need.also[:1] if need.kind in (NeedKind.HISTORY, NeedKind.ATTEMPTS) else ()
    told = decapitalised(told) if vain and need.why is Why.ESCALATED else told
    return "; ".join([*(item.message for item in vain), told])


def in_short(need: Need) -> str:
    """The same in two or three words, for use after the seat's name."""
    return (_IN_SHORT.get((need.kind, need.why)) or _IN_SHORT.get(need.why, "")).format_map(_Words(need))


def in_headline(need: Need) -> str:
    """Why a need is open, if details follow below."""
    text = _IN_HEADLINE.get((need.kind, need.why)) or _IN_HEADLINE.get(need.why)
    return text.format_map(_Words(need)) if text else need_text(need)


def standing_text(need: Need) -> str:
    """What is there and does not count, before it is asked for again; "" if nothing is."""
    if need.why is Why.INSTRUCTIONS:
        return _steering(need)
    part = need.why is Why.PART_MISSING and need.folder is not None and not need.said
    asked = need.why is Why.FAILED and need.question
    return need_text(need) if part or asked or need.why in STANDING else ""


def note_text(note: Note, report: Report) -> str:
    """A phase's note as a sentence."""
    told = "" if note.problem is None else note.problem.message
    issues = [f"#{number}" for number in note.issues]
    return {
        NoteKind.QUICK_ROUTE: f"Skipped on the quick route of {', '.join(issues)}",
        NoteKind.OPTIONAL: f"Optional ({route_reason(report.route)}) and not run{' on this content' * note.begun}",
        NoteKind.OVERRIDDEN: f"Overridden by {note.by}{''.join(f' on {issue}' for issue in issues)}: {note.reason}",
        NoteKind.EXEMPT: f"Exempt by the policy: {note.reason}",
        NoteKind.NOT_EXEMPT: capitalised(told),
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
    """All notes of a phase, or ""."""
    return "; ".join(note_text(note, report) for note in phase.notes)


def source_text(source: TypeSource) -> str:
    """Where an issue's type comes from."""
    name, issue, by = source.name, f"#{source.issue}", source.set_by
    default = f'"{name}" of {issue} does not count' if name else f"{issue} has no label of another type"
    link = issue if source.issue else "an earlier link"
    when = f", set by {by or 'an account that is gone'} on {source.set_at[:10]}" if source.set_at else ""
    return {
        Told.NO_ISSUE: "default, no linked issue",
        Told.UNLINKED: f"{link}, unlinked by {by or 'somebody'}, who may not lower it",
        Told.DEFAULT: f"default, {default}",
        Told.ISSUE_TYPE: f'issue type "{name}" of {issue}',
        Told.LABEL: f'label "{name}" of {issue}{when}',
    }[source.told]


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
    stale = f"it was for {short(vote.commit) if vote.commit else 'an unknown commit'}; the head is {short(report.head)}"
    stale += " with other content"
    if vote.signal.source.place is Place.ISSUE:
        stale = "the plan has changed since"
    edited = vote.validity is Validity.EDITED_AWAY
    again = f"{role_title(vote.role or 'it')} has spoken again since"
    return {
        Disposition.STALE: stale if vote.stale is None else vote.stale.message,
        Disposition.SUPERSEDED: "edited since; it stays in the history" if edited else again,
        Disposition.SHOWN: "no phase needs it now",
        Disposition.OVERRULED: "every finding that it demands to be fixed was refuted with evidence",
        Disposition.COUNTED: "latest vote of its role",
    }[item.disposition]
