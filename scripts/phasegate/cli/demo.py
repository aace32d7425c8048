"""Gates a recorded pull request offline, as a reviewer would see it; or forges one, to show the gate refusing it."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from phasegate.cli.files import read_snapshot
from phasegate.cli.replay import show
from phasegate.cli.terminal import MARKDOWN, PASSED, Answer, Arguments, Terminal, UsageError
from phasegate.gate import judge, policy_in
from phasegate.model.frozen import replace
from phasegate.model.report import Disposition, Report, State
from phasegate.model.signal import Does
from phasegate.model.snapshot import Content, PolicyFile, RefMove, Snapshot
from phasegate.model.texts import Actor, Comment, Person, Team
from phasegate.policy.model import Policy
from phasegate.report.data import report_data, report_text
from phasegate.report.summary.page import summary
from phasegate.report.summary.sections import OVERRIDE

CASES = Path(__file__).parent / "demos"
REPORT = "phase-gate-report.json"


def _names() -> tuple[str, ...]:
    return tuple(sorted(case.stem for case in CASES.glob("*.json")))


ARGUMENTS: Arguments = {
    "--case CASE": (f"which recorded pull request: {', '.join(_names())}", {"default": "feature"}),
    **MARKDOWN,
    "--report FILE": (f"where to leave the report (default {REPORT})", {"default": Path(REPORT)}),
}


def run(options: argparse.Namespace, _terminal: Terminal) -> Answer:
    """Runs everything on one recorded pull request."""
    if options.case not in _names():
        raise UsageError(f'--case: there is no case "{options.case}" (cases: {", ".join(_names())})')
    if not options.report.name:
        raise UsageError("--report: the name of a file is missing")
    snapshot = read_snapshot(CASES / f"{options.case}.json")
    report, left = judge(snapshot), options.report
    try:
        left.write_text(report_text(report), encoding="utf-8")
    except OSError:  # a folder that is read-only
        left = Path(tempfile.mkdtemp(prefix="phase-gate-")) / left.name
        left.write_text(report_text(report), encoding="utf-8")

    def text(terminal: Terminal) -> str:
        if options.markdown:
            return summary(report)
        request = snapshot.pull_request
        name = f"{snapshot.repository.name}#{request.number}: {request.title} (recorded, nothing is sent anywhere)"
        terminal.paragraph(name)
        terminal.say()
        show(report, terminal)
        return f"Report: {left}"

    return Answer(PASSED, partial(report_data, report), text)


# Forged pull requests

STRANGER = Actor(login="phase-gate-stranger", type="User", id=2_147_483_646)
BOT = Actor(login="phase-gate-stranger[bot]", type="Bot", id=2_147_483_645)
LATER = "2999-12-31T00:00:00Z"
OTHER = "f" * 40
OWN_VERDICT, OWN_APPROVAL = "verdicts of the author", "the author's own approval"  # what a policy may allow
Change = Callable[[Comment], Comment]


def recorded_green(policy: PolicyFile, saved: Snapshot | None) -> Snapshot | None:
    """A pull request that is green under a policy: the saved one, or the recorded one with the most words."""
    known = [saved] if saved is not None else [read_snapshot(CASES / f"{name}.json") for name in _names()]
    tried = [replace(_appointed(snapshot, policy), policy=policy) for snapshot in known]
    green: list[tuple[Snapshot, Report]] = []
    for snapshot in tried:
        report = judge(snapshot)
        overridden = any(act.counts and act.command.verb == OVERRIDE for act in report.acts)
        if report.state is State.SUCCESS and not overridden:
            green.append((snapshot, report))
    return max(green, key=lambda pair: len(_counted(pair[1])), default=(None,))[0]


def _counted(report: Report) -> dict[str, str]:
    """The words that count, by place, with their roles."""
    counted = (each.vote for each in report.signals if each.disposition is Disposition.COUNTED)
    return {vote.signal.source.url: vote.role or "" for vote in counted}


def _appointed(snapshot: Snapshot, held: PolicyFile) -> Snapshot:
    """The recorded pull request, with its words given by the accounts that a policy names."""
    policy = policy_in(held)
    assert isinstance(policy, Policy)  # noqa: S101  (who asks has looked)
    accounts, roles = policy.agents.accounts, _counted(judge(snapshot))
    texts = (*snapshot.comments, *snapshot.reviews, *(said for issue in snapshot.issues for said in issue.comments))
    speakers = tuple({said.author.id for said in texts if said.url in roles and said.author and said.author.id})
    teams = tuple(Team(slug=each.team.lower(), readable=True, members=speakers) for each in accounts if each.team)

    def appoint(comment: Comment) -> Comment:
        role = roles[comment.url]
        account = next((each for each in accounts if not each.team and role in (each.roles or (role,))), None)
        if account is None:
            return comment
        kind = "Bot" if account.login.endswith("[bot]") else "User"
        author = Actor(login=account.login, type=kind, id=account.id or BOT.id)
        return replace(comment, author=author, app_id=account.app_id)

    named = tuple(
        Person(login=each.login, id=each.id, permission="write")
        for each in accounts
        if each.id and not each.login.endswith("[bot]")
    )
    made = _spoken(snapshot, frozenset(roles), appoint)
    return replace(made, people=(*named, *made.people), teams=teams)


def forgeries(green: Snapshot) -> Iterator[tuple[str, Snapshot]]:
    """Named pull requests that would stay green if the gate ignored what was done to one required word."""
    report, author = judge(green), green.pull_request.author
    words, acts = _counted(report), [act.command.source.url for act in report.acts if act.counts]
    policy = policy_in(green.policy)

    def by_author(said: Comment) -> Comment:
        return replace(said, author=author, app_id=None)

    for word, role in words.items():
        judging = isinstance(policy, Policy) and policy.role(role).does in (Does.CHALLENGES, Does.CONFIRMS)
        changes = {**WORDS, **({OWN_VERDICT: by_author, **FORMS} if judging else {})}
        for name, change in changes.items() if _is_needed(green, word) else ():
            yield name, _spoken(green, frozenset({word}), change)
    for at, file in enumerate(green.branch_files):
        for name, actor in BY_OTHERS.items():
            if file.pushed is not None:
                other = replace(file, pushed=replace(file.pushed, actor=actor))
                files = (*green.branch_files[:at], other, *green.branch_files[at + 1 :])
                yield name, replace(green, branch_files=files)
    for act in (act for act in acts if _is_needed(green, act)):
        yield "a stranger's approval", _spoken(green, frozenset({act}), lambda said: replace(said, author=STRANGER))
        yield OWN_APPROVAL, _spoken(green, frozenset({act}), lambda said: replace(said, author=author))
    request, log = green.pull_request, green.ref_log
    move = RefMove(at=LATER, before=request.head.sha, after=OTHER, actor=author)
    moved = replace(
        green,
        pull_request=replace(request, head=replace(request.head, sha=OTHER)),
        ref_log=replace(log, moves=(*log.moves, move)),
        contents=(*green.contents, Content(commit=OTHER, digest="sha256:" + "0" * 64, excluded=())),
    )
    yield "one more commit after the verdicts", moved


def _is_needed(green: Snapshot, word: str) -> bool:
    silent = _spoken(green, frozenset({word}), lambda said: replace(said, text="I have nothing to say."))
    return judge(silent).state is not State.SUCCESS


BY_OTHERS = {"a stranger's comments": STRANGER, "an unnamed bot's comments": BOT}
WORDS: dict[str, Change] = {
    "a stranger's comments": lambda said: replace(said, author=STRANGER, app_id=None),
    "an unnamed bot's comments": lambda said: replace(said, author=BOT, app_id=1),
    "comments by e-mail": lambda said: replace(said, via_email=True),
    "comments that somebody else edited": lambda said: replace(said, edited_at=LATER, editor=STRANGER),
}
# Changes of judging words. The author may report on the work itself in any form.
FORMS: dict[str, Change] = {
    "quoted verdicts": lambda said: replace(said, text="\n".join(f"> {line}" for line in said.text.splitlines())),
    "verdicts twice in a comment": lambda said: replace(said, text=f"{said.text}\n\n{said.text}"),
}


def _spoken(snapshot: Snapshot, where: frozenset[str], change: Change) -> Snapshot:
    def changed(comments: tuple[Comment, ...]) -> tuple[Comment, ...]:
        return tuple(change(each) if each.url in where else each for each in comments)

    issues = tuple(replace(issue, comments=changed(issue.comments)) for issue in snapshot.issues)
    return replace(snapshot, comments=changed(snapshot.comments), reviews=changed(snapshot.reviews), issues=issues)
