"""Who may speak: as an agent for a role, or as a human for an act.

In: an account as GitHub names it, the policy, the live permissions of the snapshot. Out: a refusal, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from phasegate.catalogue import problem
from phasegate.model.codec import NO_CONTENT
from phasegate.model.frozen import dataclass, replace
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import INVALID, Does, Medium, Signal, Source, Validity, Vote
from phasegate.model.snapshot import RefMove, Snapshot
from phasegate.model.texts import Actor, Issue, NameEvent, Person
from phasegate.policy.model import AgentAccount, Policy

RANK = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
LIKENESSES = (("rn", "m"), ("vv", "w"), ("0", "o"), ("1", "l"), ("i", "l"), ("5", "s"))
BOT = "Bot"
JUDGING = (Does.CHALLENGES, Does.CONFIRMS)
DISMISSED = "DISMISSED"


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """Why a vote or an act does not count, with the code of the rule; a ``hint`` where the code's own does not fit."""

    code: str
    reason: str
    hint: str = ""


def same_name(one: str, other: str) -> bool:
    """Whether two names are the same without case; only ASCII letters fold, so look-alikes stay different."""
    return _fold(one) == _fold(other)


def same_account(one: Actor, other: Actor) -> bool:
    """Whether two accounts are one: by id, or by login where an id is not known."""
    if one.id is None or other.id is None:
        return same_name(one.login, other.login)
    return one.id == other.id


def is_bot(account: Actor) -> bool:
    """Whether an account is no person: by its type, or by the form of its login."""
    return account.type != "User" or account.login.endswith("[bot]")


def _fold(name: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in name)


def named_accounts(policy: Policy, snapshot: Snapshot, author: Actor, app_id: int | None) -> tuple[AgentAccount, ...]:
    """The entries of the policy that name this account, or a team that it is a member of."""
    return tuple(account for account in policy.agents.accounts if _names(account, snapshot, author, app_id))


def named_in(policy: Policy, snapshot: Snapshot, source: Source, author: Actor) -> tuple[AgentAccount, ...]:
    """The entries that name who speaks.

    Of a push GitHub does not tell the app, nor of a review: there the account's id must do, of a review only that of a
    bot, which is its app's own. Of a check run it tells nothing but the app.
    """
    if source.medium is Medium.CHECK_RUN:
        told = source.app_id
        return tuple(entry for entry in policy.agents.accounts if told is not None and entry.app_id == told)
    if not source.pushed and not (source.medium is Medium.REVIEW and author.type == BOT):
        return named_accounts(policy, snapshot, author, source.app_id)
    entries = policy.agents.accounts
    apps = ((account, None if account.id is None else account.app_id) for account in entries)
    return tuple(account for account, app_id in apps if _names(account, snapshot, author, app_id))


def _names(account: AgentAccount, snapshot: Snapshot, author: Actor, app_id: int | None) -> bool:
    if account.app_id is not None and account.app_id != app_id:
        return False
    if account.team is not None:
        return author.id in team_members(snapshot, account.team)
    if account.id is not None:
        return account.id == author.id
    return same_name(account.login, author.login)


def team_members(snapshot: Snapshot, slug: str) -> tuple[int, ...]:
    """The account ids of a team's members; empty if the team cannot be read."""
    return next((team.members for team in snapshot.teams if same_name(team.slug, slug) and team.readable), ())


def mapped_roles(policy: Policy, snapshot: Snapshot, source: Source) -> tuple[str, ...]:
    """The roles that the policy maps this author to; none where it does not say."""
    if source.author is None:
        return ()
    entries = named_in(policy, snapshot, source, source.author)
    if any(not entry.roles for entry in entries):
        return ()
    return tuple(dict.fromkeys(role for entry in entries for role in entry.roles))


def may_speak(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> Refusal | None:
    """Why the author's votes do not count for a role; none if they do."""
    return next(refusals(policy, snapshot, source, role), None)


def refusals(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> Iterator[Refusal]:
    """Every reason why the author's votes do not count for a role."""
    author = source.author
    if author is None:
        yield from gone_author()
        return
    named = bool(named_in(policy, snapshot, source, author))
    bot = unnamed_bot(policy, author) or another_app(policy, source, author)
    unknown = None if named else bot or unnamed_person(policy, snapshot, author)
    own = judges_own_work(policy, snapshot, source, role)
    found = (by_email(source), own, not_appointed(policy, snapshot, source, role), unknown)
    yield from (refusal for refusal in found if refusal is not None)


def gone_author() -> Iterator[Refusal]:
    """Why words of an account that no longer exists do not count."""
    yield Refusal(code="PG201", reason="its author's account no longer exists")


def not_appointed(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> Refusal | None:
    """The refusal for a role that only accounts named for it may fill, whatever permission others have."""
    told, author = None if role is None else policy.roles.get(role), source.author
    if told is None or not told.only_named or author is None:
        return None
    if any(told.file in entry.roles for entry in named_in(policy, snapshot, source, author)):
        return None
    known = [account.login for account in policy.agents.accounts if told.file in account.roles]
    if any(same_name(login, author.login) for login in known):
        return _otherwise(author)
    whose = f"; only {' and '.join(known)} may speak for {told.file}" if known else ""
    return Refusal(code="PG229", reason=f"the policy does not name {author.login} for {told.file}{whose}")


def may_have_spoken(policy: Policy, snapshot: Snapshot, author: Actor | None, role: str) -> bool:
    """Whether a text of which only the author is known may have been a word of a role."""
    if author is None:
        return True
    named = [entry for entry in policy.agents.accounts if _names(entry, snapshot, author, entry.app_id)]
    if named or policy.role(role).only_named:
        return any(not entry.roles or role in entry.roles for entry in named)
    return unnamed_bot(policy, author) is None and unnamed_person(policy, snapshot, author) is None


def by_email(source: Source) -> Refusal | None:
    """Words that were sent by e-mail: the sender can be forged."""
    if source.via_email:
        return Refusal(code="PG206", reason="it was written by e-mail, whose sender can be forged")
    return None


def judges_own_work(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> Refusal | None:
    """A judging role that speaks from the account that opened the pull request."""
    author = source.author
    if author is None or not is_author(snapshot, author) or _may_judge_own(policy, snapshot, source, role):
        return None
    return Refusal(code="PG202", reason=f"{author.login} opened this pull request and cannot judge it")


def judges_own_push(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> Refusal | None:
    """A judging role that speaks from an account that pushed product content to the pull request."""
    author = source.author
    if author is None or is_author(snapshot, author) or not pushed_product(snapshot, author):
        return None
    if _may_judge_own(policy, snapshot, source, role):
        return None
    return Refusal(code="PG202", reason=f"{author.login} pushed to this pull request and cannot judge it")


def _may_judge_own(policy: Policy, snapshot: Snapshot, source: Source, role: str | None) -> bool:
    """Whether an account may speak for a role on its own work: it makes and repairs, or the policy says that it may."""
    if policy.agents.author_may_judge or source.author is None:
        return policy.agents.author_may_judge
    told = None if role is None else policy.role(role)
    if told is not None and told.does not in JUDGING:
        return True
    entries = named_in(policy, snapshot, source, source.author)
    personal = (entry for entry in entries if entry.team is None and not entry.boxed)
    return told is not None and any(told.file in entry.roles for entry in personal)


def pushed_product(snapshot: Snapshot, account: Actor) -> bool:
    """Whether an account pushed product content, by the log; a push whose contents are not known changed them."""
    contents = {item.commit: item.digest for item in snapshot.contents}
    return any(
        move.actor is not None and same_account(move.actor, account) and _changes_product(move, contents)
        for move in (*snapshot.ref_log.moves, *forced_unlogged(snapshot))
    )


def forced_unlogged(snapshot: Snapshot) -> tuple[RefMove, ...]:
    """The forced pushes, from the pull request's own events, for when the log of pushes cannot be read."""
    return () if snapshot.ref_log.complete else snapshot.pull_request.head_forced


def _changes_product(move: RefMove, contents: Mapping[str, str | None]) -> bool:
    before = NO_CONTENT if move.before is None else contents.get(move.before)
    after = contents.get(move.after)
    return before is None or after is None or before != after


def unnamed_person(policy: Policy, snapshot: Snapshot, author: Actor) -> Refusal | None:
    """A person whom the policy does not name: write permission is needed, and may not be enough."""
    if policy.agents.only:
        reason = f"the policy lets only named accounts speak, and {author.login} is not named"
        return Refusal(code="PG201", reason=reason)
    permission = live_permission(snapshot, author)
    if RANK[permission] >= RANK["write"]:
        return None
    return _posing(policy, author) or Refusal(
        code="PG201", reason=f"{author.login} has {_named(permission)} permission, but write is needed"
    )


def another_app(policy: Policy, source: Source, author: Actor) -> Refusal | None:
    """An app that writes in the name of a person whom the policy names with the app that does."""
    for entry in policy.agents.accounts if source.app_id is not None else ():
        same = entry.id == author.id if entry.id is not None else same_name(entry.login, author.login)
        if entry.app_id is not None and entry.team is None and same:
            return _otherwise(author)
    return None


def _otherwise(author: Actor) -> Refusal:
    return Refusal(code="PG204", reason=f"{author.login} is named in the policy, but with another id or app id")


def unnamed_bot(policy: Policy, author: Actor) -> Refusal | None:
    """An app or a bot that the policy does not name."""
    if not is_bot(author):
        return None
    if any(same_name(account.login, author.login) for account in policy.agents.accounts):
        return _otherwise(author)
    reason = f"{author.login} is a {author.type.lower()}, which counts only if the policy names it"
    return _posing(policy, author) or Refusal(code="PG203", reason=reason)


def _posing(policy: Policy, author: Actor) -> Refusal | None:
    twin = look_alike(policy, author)
    if twin is None:
        return None
    reason = f"{author.login} is not {twin}, which the policy names, but another account that looks like it"
    return Refusal(code="PG204", reason=reason)


def look_alike(policy: Policy, author: Actor) -> str | None:
    """The named account that a login could be taken for."""
    shape = _shape(author.login)
    return next((account.login for account in policy.agents.accounts if _shape(account.login) == shape), None)


def _shape(login: str) -> str:
    """A login without what the eye passes over."""
    plain = _fold(login).removesuffix("[bot]").replace("-", "").replace("_", "")
    for likeness, letter in LIKENESSES:
        plain = plain.replace(likeness, letter)
    return plain


def _named(permission: str) -> str:
    """A permission as people say it."""
    return "no" if permission == "none" else permission


def live_permission(snapshot: Snapshot, author: Actor) -> str:
    """What the account may do now; an account that was not looked up may do nothing."""
    person = _person(snapshot, author)
    if person is None or person.permission not in RANK:
        return "none"
    return person.permission


def _person(snapshot: Snapshot, author: Actor) -> Person | None:
    return next((person for person in snapshot.people if author.id is not None and person.id == author.id), None)


def is_author(snapshot: Snapshot, account: Actor) -> bool:
    """Whether an account opened the pull request."""
    opened = snapshot.pull_request.author
    return opened is not None and same_account(opened, account)


def may_not_lower(
    policy: Policy, snapshot: Snapshot, event: NameEvent | None, speakers: frozenset[int], least: str | None
) -> str | None:
    """Why a label or type that somebody set or took away cannot ask for less; none if it can.

    ``least`` is the permission that it takes; none for what came with the issue, before there was a pull request.
    """
    if event is None or event.actor is None:
        return "by an unknown account"
    who, own = event.actor, is_author(snapshot, event.actor)
    if own and not policy.issue.author_may_lower:
        return f"by {who.login}, who opened this pull request"
    if least is None:
        return None
    if not own and is_agent(policy, snapshot, who, speakers):
        return f"by {who.login}, who speaks as an agent here"
    permission = triaging(snapshot, who)
    if RANK[permission] < RANK[least]:
        return f"by {who.login}, who has {_named(permission)} permission, but {least} is needed"
    return None


def triaging(snapshot: Snapshot, who: Actor) -> str:
    """What an account may do to lower the bar: an app does what somebody asks of it, and nobody can tell who."""
    return "none" if is_bot(who) else live_permission(snapshot, who)


def may_act(policy: Policy, snapshot: Snapshot, source: Source, speakers: frozenset[int]) -> Refusal | None:
    """Why a human act by this author does not count; none if it does. ``speakers`` have spoken as agents here."""
    return next(act_refusals(policy, snapshot, source, speakers), None)


def act_refusals(policy: Policy, snapshot: Snapshot, source: Source, speakers: frozenset[int]) -> Iterator[Refusal]:
    """Every reason why a human act by this author does not count; of who could give none anywhere, the first."""
    author = source.author
    if author is None or author.id is None:
        found = [gone_human()]
    else:
        never = not_a_person(source, author) or by_email(source) or too_little_permission(policy, snapshot, author)
        here = approves_own_work(policy, snapshot, author), speaks_as_agent(policy, snapshot, author, speakers)
        found = [never] if never is not None else [*here]
    yield from (refusal for refusal in found if refusal is not None)


def gone_human() -> Refusal | None:
    """Why an act of an account that no longer exists does not count."""
    return Refusal(code="PG210", reason="its author's account no longer exists")


def not_a_person(source: Source, author: Actor) -> Refusal | None:
    """An act by a bot, or written by an app in a person's name."""
    if is_bot(author) or source.app_id is not None:
        return Refusal(code="PG210", reason=f"{author.login} did not write it in person on GitHub")
    return None


def too_little_permission(policy: Policy, snapshot: Snapshot, author: Actor) -> Refusal | None:
    """An act by somebody with less permission than the policy asks for."""
    least, permission = policy.humans.minimum_permission, live_permission(snapshot, author)
    if RANK[permission] < RANK[least]:
        return Refusal(
            code="PG210", reason=f"{author.login} has {_named(permission)} permission, but {least} is needed"
        )
    return None


def approves_own_work(policy: Policy, snapshot: Snapshot, author: Actor) -> Refusal | None:
    """An act by the account that opened the pull request."""
    if is_author(snapshot, author) and not policy.humans.author_may_approve:
        return Refusal(code="PG211", reason=f"{author.login} opened this pull request")
    return None


def speaks_as_agent(policy: Policy, snapshot: Snapshot, author: Actor, speakers: frozenset[int]) -> Refusal | None:
    """An act by an account that agents use: named in the policy, whatever its app, or heard as an agent here."""
    if policy.humans.agents_may_approve or not is_agent(policy, snapshot, author, speakers):
        return None
    return Refusal(code="PG212", reason=f"{author.login} speaks as an agent here")


def is_agent(policy: Policy, snapshot: Snapshot, account: Actor, speakers: frozenset[int]) -> bool:
    """Whether agents use an account: it is named in the policy, whatever its app, or was heard as an agent here."""
    apps = (None, *(entry.app_id for entry in policy.agents.accounts))
    named = any(named_accounts(policy, snapshot, account, app_id) for app_id in apps)
    return named or account.id in speakers


def lost_words(policy: Policy, snapshot: Snapshot, source: Source, speakers: frozenset[int]) -> Iterator[Refusal]:
    """Why an act no longer counts: texts of who gave it are gone since, by somebody who could not have given it.

    One of them may have taken it back. ``speakers`` have spoken as agents here.
    """
    who = source.author
    traces = () if who is None else (each for place in withdrawn_at(snapshot, source) for each in _taken_away(place))
    for at, actor, author in traces:
        if at < source.at or who is None or author is None or not same_account(author, who):
            continue
        acting = None if actor is None else replace(source, author=actor, app_id=None)
        fair = actor is not None and same_account(actor, who)
        if not fair and (acting is None or may_act(policy, snapshot, acting, speakers) is not None):
            by = "somebody" if actor is None else actor.login
            reason = f"at {at} {by} deleted a comment by {who.login}, which may have withdrawn it"
            yield Refusal(code="PG227", reason=reason)


def withdrawn_at(snapshot: Snapshot, source: Source) -> tuple[Snapshot | Issue, ...]:
    """Where an act may have been taken back: on the pull request, on its own issue, or where it has none on any."""
    return (snapshot, *(issue for issue in snapshot.own_issues if source.issue in (None, issue.number)))


def _taken_away(place: Snapshot | Issue) -> Iterator[tuple[str, Actor | None, Actor | None]]:
    """When texts were taken away from a place, by whom and of whom: deleted, or written over and not to be read."""
    for trace in place.deleted_comments:
        yield trace.at, trace.actor, trace.author
    for text in (*place.comments, *(place.reviews if isinstance(place, Snapshot) else ())):
        if text.edited_at is None or text.editor == text.author:
            continue
        own = [edit for edit in text.history if edit.editor is not None and edit.editor == text.author]
        if not own or own[-1].text is None:
            yield text.edited_at, text.editor, text.author


def ever_agents(snapshot: Snapshot, votes: Iterable[Vote]) -> frozenset[int]:
    """The accounts that have ever spoken as agents here, whatever became of their words."""
    return heard_as_agents(votes) | frozenset(silenced_agents(snapshot, votes))


def heard_as_agents(votes: Iterable[Vote]) -> frozenset[int]:
    """The accounts that have spoken as agents: all whose words count or counted; a badly formed one makes no agent."""
    authors = (vote.signal.source.author for vote in votes if is_sound(vote) and vote.validity is not Validity.IGNORED)
    return frozenset(author.id for author in authors if author is not None and author.id is not None)


def is_sound(vote: Vote) -> bool:
    """Whether nothing is wrong with the words themselves, whatever became of them since."""
    return vote.why is None or vote.validity is Validity.IGNORED


def silenced_agents(snapshot: Snapshot, votes: Iterable[Vote]) -> Iterator[int]:
    """The accounts whose words as agents were dismissed or deleted since: they were said all the same.

    Of a FAIL on record that is gone nobody can tell how it was written; one that is there tells it itself.
    """
    told: set[tuple[str, str | None]] = set()
    for vote in votes:
        author = vote.signal.source.author
        if vote.role and vote.signal.source.state == DISMISSED and author is not None and author.id is not None:
            yield from (author.id,) if is_sound(vote) else ()
        if vote.failed and not is_sound(vote) and vote.signal.source.history_complete:
            told.add((vote.place, vote.role))
    said = (seen for seen in snapshot.record.signals if seen.outcome != INVALID)
    gone = (seen for seen in said if (seen.source, seen.role) not in told)
    yield from (seen.account for seen in gone if seen.account is not None)


def unreadable_teams(policy: Policy, snapshot: Snapshot) -> Iterator[Problem]:
    """An error for each team whose members are not known: they could judge, or act as humans, unseen."""
    for slug in dict.fromkeys(account.team for account in policy.agents.accounts if account.team is not None):
        if not any(same_name(team.slug, slug) and team.readable for team in snapshot.teams):
            owner = slug.partition("/")[0]
            message = f"the members of @{slug} cannot be read; it takes a token with Members: read of {owner}"
            yield problem("PG220", message, Where(path=policy.source))


def refused_file(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """Why a file of the branch does not count in this pull request."""
    if not signal.source.pushed:
        return None
    return _of_a_fork(snapshot, signal) or _merged_before(snapshot, signal) or _by_nobody(signal)


def _of_a_fork(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """Files from a fork never count: its owner can push anything under any name."""
    if not snapshot.of_a_fork:
        return None
    return problem("PG231", "the branch belongs to a fork, and files from forks do not count", signal.where)


def _merged_before(snapshot: Snapshot, signal: Signal) -> Problem | None:
    """What the base has too came by another pull request, and the log of this branch does not tell who pushed it."""
    if not signal.source.latest or any(entry.path == signal.where.path for entry in snapshot.files.entries):
        return None
    message = "this pull request does not change it, so it belongs to what was merged before"
    return problem("PG234", message, signal.where)


def _by_nobody(signal: Signal) -> Problem | None:
    if signal.source.author is not None or not signal.source.latest:
        return None
    return problem("PG232", "it is not known who pushed its last change", signal.where)


def leads(policy: Policy, snapshot: Snapshot, source: Source) -> bool:
    """Whether a refused word is worth an answer: of an app, or of somebody who can write to the repository."""
    author = source.author
    if author is None:
        return source.pushed
    entries = named_in(policy, snapshot, source, author)
    return source.pushed or bool(entries) or is_bot(author) or RANK[live_permission(snapshot, author)] >= RANK["write"]


def is_unheard(policy: Policy, snapshot: Snapshot, source: Source) -> bool:
    """Whether nothing that an account writes here can count, neither for a role nor as an act."""
    if source.pushed or may_speak(policy, snapshot, source, None) is None:
        return False
    return may_act(policy, snapshot, source, frozenset()) is not None


def is_stranger(policy: Policy, snapshot: Snapshot, source: Source) -> bool:
    """Whether it is not even answered."""
    return not leads(policy, snapshot, source) and is_unheard(policy, snapshot, source)
