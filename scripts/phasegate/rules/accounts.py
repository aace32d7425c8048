"""Who may speak: as an agent for a role, or as a human for an act.

In: an account as GitHub names it, the policy, the live permissions of the snapshot. Out: the rows that refuse it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple, TypeVar

from phasegate.catalogue import problem
from phasegate.model.codec import NO_CONTENT
from phasegate.model.problem import Problem, Where
from phasegate.model.signal import INVALID, Medium, Place, Source, Vote
from phasegate.model.snapshot import RefMove, Snapshot
from phasegate.model.texts import Actor
from phasegate.policy.model import AgentAccount, Policy

RANK = {"none": 0, "read": 1, "triage": 2, "write": 3, "maintain": 4, "admin": 5}
BOT, DISMISSED = "Bot", "DISMISSED"
FOLDED = str.maketrans(ascii_uppercase, ascii_lowercase)


class Refusal(NamedTuple):
    """Why a vote or an act does not count, with the rule's code. ``hint`` replaces the code's own hint."""

    code: str
    reason: str
    hint: str = ""


Case = TypeVar("Case")
Row = tuple[str, str, Callable[[Case], bool], str]  # its name, its code, when it holds, and what it says of the case


def every(rows: Iterable[Row[Case]], case: Case) -> Iterator[Refusal]:
    """The rows of a table that hold."""
    return (Refusal(code, says.format(case)) for _, code, holds, says in rows if holds(case))


def first(rows: Iterable[Row[Case]], case: Case) -> Refusal | None:
    """The first row of a table that holds."""
    return next(every(rows, case), None)


def same_name(one: str, other: str) -> bool:
    """True if two names differ at most in the case of ASCII letters; look-alikes of other scripts stay different."""
    return one.translate(FOLDED) == other.translate(FOLDED)


def is_one(one: Actor | None, other: Actor | None) -> bool:
    """True if both accounts are known and the same: by id, or by login where an id is missing."""
    if one is None or other is None:
        return False
    return same_name(one.login, other.login) if None in (one.id, other.id) else one.id == other.id


def is_bot(account: Actor) -> bool:
    """True if an account is not a person, by its type or by the form of its login."""
    return account.type != "User" or account.login.endswith("[bot]")


def is_author(snapshot: Snapshot, account: Actor | None) -> bool:
    """True if an account opened the pull request."""
    return is_one(snapshot.pull_request.author, account)


def live_permission(snapshot: Snapshot, author: Actor) -> str:
    """The account's present permission; "none" if it was not looked up."""
    known = (person.permission for person in snapshot.people if author.id is not None and person.id == author.id)
    return next((permission for permission in known if permission in RANK), "none")


def look_alike(policy: Policy, author: Actor) -> str | None:
    """The named account whose login differs from this one only in punctuation."""
    logins = [author.login, *(entry.login for entry in policy.agents.accounts)]
    own, *others = ("".join(filter(str.isalnum, login.lower().removesuffix("[bot]"))) for login in logins)
    return next((login for login, other in zip(logins[1:], others, strict=True) if other == own), None)


def _names(entry: AgentAccount, snapshot: Snapshot, author: Actor, app_id: int | None) -> bool:
    if entry.app_id is not None and entry.app_id != app_id:
        return False
    if entry.team is not None:
        teams = (team for team in snapshot.teams if team.readable and same_name(team.slug, entry.team))
        return any(author.id in team.members for team in teams)
    return entry.id == author.id if entry.id is not None else same_name(entry.login, author.login)


def _named_in(policy: Policy, snapshot: Snapshot, source: Source, author: Actor) -> tuple[AgentAccount, ...]:
    """The entries of the policy that name the author, or a team of theirs.

    GitHub does not tell which app pushed, or wrote a review. There the account's id decides; for a review only a bot's
    id, which belongs to its app. For a check run GitHub tells only the app.
    """
    entries, app = policy.agents.accounts, source.app_id
    if source.medium is Medium.CHECK_RUN:
        return tuple(entry for entry in entries if app is not None and entry.app_id == app)
    if not source.pushed and not (source.medium is Medium.REVIEW and author.type == BOT):
        return tuple(entry for entry in entries if _names(entry, snapshot, author, app))
    apps = ((entry, None if entry.id is None else entry.app_id) for entry in entries)
    return tuple(entry for entry, app_id in apps if _names(entry, snapshot, author, app_id))


def unreadable_teams(policy: Policy, snapshot: Snapshot) -> Iterator[Problem]:
    """An error for each team whose members are unknown. They could judge, or act as humans, unnoticed."""
    for slug in dict.fromkeys(account.team for account in policy.agents.accounts if account.team is not None):
        if not any(same_name(team.slug, slug) and team.readable for team in snapshot.teams):
            owner = slug.partition("/")[0]
            message = f"the members of @{slug} cannot be read; it takes a token with Members: read of {owner}"
            yield problem("PG220", message, Where(path=policy.source))


# Who pushed: by the log, or by the pull request's own events where the log cannot be read.
PUSHES: tuple[tuple[str, Callable[[Snapshot], tuple[RefMove, ...]]], ...] = (
    ("log", lambda snapshot: snapshot.ref_log.moves),
    ("forced", lambda snapshot: () if snapshot.ref_log.complete else snapshot.pull_request.head_forced),
)


class Accounts:
    """What policy and snapshot say of each account that speaks, worked out once per account.

    ``agents`` are the accounts known to have spoken as agents so far.
    """

    def __init__(self, policy: Policy, snapshot: Snapshot, agents: frozenset[int] = frozenset()) -> None:
        self.policy, self.snapshot, self.agents = policy, snapshot, agents
        self._known: dict[object, Speaker] = {}

    def speaker(self, source: Source, role: str | None = None) -> Speaker:
        """The author of a text, as seen for a role."""
        author = source.author
        account = None if author is None else (author.id, author.login, author.type)
        key = (account, source.app_id, source.via_email, source.medium, role)
        if key not in self._known:
            self._known[key] = Speaker(self, source, role or "")
        return self._known[key]

    def pushed_product(self, account: Actor | None) -> bool:
        """True if an account pushed product content."""
        return any(is_one(each, account) for each in self._pushers)

    @cached_property
    def _pushers(self) -> list[Actor | None]:
        """Who pushed product content. A push of unknown content counts as one."""
        contents = {NO_CONTENT: NO_CONTENT, **{item.commit: item.digest for item in self.snapshot.contents}}
        moves = (move for _, pushes in PUSHES for move in pushes(self.snapshot))
        sides = ((move.actor, contents.get(move.before or NO_CONTENT), contents.get(move.after)) for move in moves)
        return [actor for actor, before, after in sides if None in (before, after) or before != after]

    def account(self, author: Actor | None) -> Speaker:
        """An account by itself, without any text."""
        return self.speaker(Source(id="", number=0, url="", place=Place.ISSUE, author=author, at=""))


class Speaker:
    """The author of a text, for one role: the facts that the rows below ask for.

    ``mapped`` are the roles that the policy gives them, empty if it gives none. ``appointed`` are the logins that may
    fill the role, where only named accounts may and these are not among them. ``twin`` is the named account that they
    could be mistaken for, where they may not speak anyway.
    """

    def __init__(self, accounts: Accounts, source: Source, role: str = "") -> None:
        policy, snapshot = accounts.policy, accounts.snapshot
        self.accounts, self.policy, self.snapshot, self.source = accounts, policy, snapshot, source
        self.role, self.author, self.least = policy.roles.get(role), source.author, policy.humans.minimum_permission
        known, author = self.author is not None, self.author or Actor(login="", type="")
        self.login, self.kind = author.login, author.type.lower()
        self.permission = live_permission(snapshot, author).replace("none", "no")
        self.entries = _named_in(policy, snapshot, source, author) if known else ()
        named = policy.agents.accounts if known else ()
        self.with_any_app = [entry for entry in named if _names(entry, snapshot, author, entry.app_id)]
        self.unknown, self.bot = known and not self.entries, known and is_bot(author)
        self.opened = is_author(snapshot, self.author)
        anything = any(not entry.roles for entry in self.entries)
        self.mapped = () if anything else tuple(dict.fromkeys(role for entry in self.entries for role in entry.roles))
        seat = "" if self.role is None else self.role.file
        self.appointed: list[str] | None = None
        if self.role is not None and self.role.only_named and not any(seat in entry.roles for entry in self.entries):
            self.appointed = [entry.login for entry in named if seat in entry.roles] if known else None
        self.others = " and ".join(self.appointed or ())
        # they may judge their own work where they make and repair, or the policy names that very account
        own = any(seat in entry.roles and entry.team is None and not entry.boxed for entry in self.entries)
        maker = self.role is not None and (not self.role.judges or own)
        self.may_judge_own = policy.agents.author_may_judge or maker
        barred = self.unknown and (self.bot or self.lacks("write"))
        self.twin = look_alike(policy, author) if barred else None
        # a refused word of an app, or of somebody who can write here, is worth an answer
        self.deserves_reply = source.pushed or (known and bool(self.entries or self.bot or not self.lacks("write")))

    def lacks(self, least: str) -> bool:
        """True if they have less than this permission."""
        return self.author is not None and RANK.get(self.permission, 0) < RANK[least]

    def has_login(self, logins: Iterable[str] | None) -> bool:
        """True if their login is one of these."""
        return any(same_name(login, self.login) for login in logins or ())

    @property
    def is_agent(self) -> bool:
        """True if they are named as an agent, with any app, or have spoken as one."""
        return bool(self.with_any_app) or (self.author is not None and self.author.id in self.accounts.agents)

    @cached_property
    def refusals(self) -> tuple[Refusal, ...]:
        """Every reason why their words do not count for the role (4.2)."""
        return (*every(TRUST, self), *islice(every(UNKNOWN, self), 1))

    @cached_property
    def own_work(self) -> Refusal | None:
        """Why their passes do not count for the role although their other words do."""
        return first(OWN_WORK, self)

    @property
    def act_refusals(self) -> tuple[Refusal, ...]:
        """Every reason why an act of theirs does not count (4.8)."""
        never = first(NO_HUMAN, self)
        return tuple(every(NOT_HERE, self)) if never is None else (never,)

    @cached_property
    def is_unheard(self) -> bool:
        """True if nothing they write here can count or ever did, neither for a role nor as an act."""
        once = any(seen.account == self.source.account is not None for seen in self.snapshot.record.signals)
        return not (self.source.pushed or once) and bool(self.refusals) and bool(self.act_refusals)

    def may_have_spoken(self, role: str) -> bool:
        """True if a text of theirs whose content is unknown may have been a word of this role."""
        if self.author is None:
            return True
        if self.with_any_app or self.policy.role(role).only_named:
            return any(not entry.roles or role in entry.roles for entry in self.with_any_app)
        return not self.bot and not self.policy.agents.only and not self.lacks("write")


# 4.2: every row of TRUST that holds is reported, in this order, then the first row of UNKNOWN.
OTHERWISE = "{0.login} is named in the policy, but with another id or app id"
TRUST: tuple[Row[Speaker], ...] = (
    ("email", "PG206", lambda w: w.source.via_email, "it was written by e-mail, whose sender can be forged"),
    ("appointed otherwise", "PG204", lambda w: w.has_login(w.appointed), OTHERWISE),
    ("nobody appointed", "PG229", lambda w: w.appointed == [], "the policy does not name {0.login} for {0.role.file}"),
    ("not appointed", "PG229", lambda w: bool(w.appointed) and not w.has_login(w.appointed),
     "the policy does not name {0.login} for {0.role.file}; only {0.others} may speak for {0.role.file}"),
)  # fmt: skip
UNKNOWN: tuple[Row[Speaker], ...] = (
    ("gone", "PG201", lambda w: w.author is None, "its author's account no longer exists"),
    ("another id", "PG204", lambda w: w.unknown and w.bot and
     w.has_login(entry.login for entry in w.policy.agents.accounts), OTHERWISE),
    ("another app", "PG204", lambda w: w.unknown and not w.bot and w.source.app_id is not None and
     any(entry.app_id is not None and entry.team is None for entry in w.with_any_app), OTHERWISE),
    ("only named", "PG201", lambda w: w.unknown and not w.bot and w.policy.agents.only,
     "the policy lets only named accounts speak, and {0.login} is not named"),
    ("look-alike", "PG204", lambda w: w.twin is not None,
     "{0.login} is not {0.twin}, which the policy names, but another account that looks like it"),
    ("bot", "PG203", lambda w: w.unknown and w.bot,
     "{0.login} is a {0.kind}, which counts only if the policy names it"),
    ("permission", "PG201", lambda w: w.unknown and w.lacks("write"),
     "{0.login} has {0.permission} permission, but write is needed"),
)  # fmt: skip
# L2: having opened or pushed bars passes, not objections.
OWN_WORK: tuple[Row[Speaker], ...] = (
    ("opened", "PG202", lambda w: w.opened and not w.may_judge_own,
     "{0.login} opened this pull request and cannot judge it"),
    ("pushed", "PG202", lambda w: not w.opened and not w.may_judge_own and w.accounts.pushed_product(w.author),
     "{0.login} pushed to this pull request and cannot judge it"),
)  # fmt: skip
# 4.8: the first row of NO_HUMAN (accounts that can act nowhere), or else every row of NOT_HERE that holds.
NO_HUMAN: tuple[Row[Speaker], ...] = (
    ("gone", "PG210", lambda w: w.author is None or w.author.id is None, "its author's account no longer exists"),
    ("no person", "PG210", lambda w: w.bot or w.source.app_id is not None,
     "{0.login} did not write it in person on GitHub"),
    ("email", "PG206", lambda w: w.source.via_email, "it was written by e-mail, whose sender can be forged"),
    ("permission", "PG210", lambda w: w.lacks(w.least),
     "{0.login} has {0.permission} permission, but {0.least} is needed"),
)  # fmt: skip
NOT_HERE: tuple[Row[Speaker], ...] = (
    ("author", "PG211", lambda w: w.opened and not w.policy.humans.author_may_approve,
     "{0.login} opened this pull request"),
    ("agent", "PG212", lambda w: w.is_agent and not w.policy.humans.agents_may_approve,
     "{0.login} speaks as an agent here"),
)  # fmt: skip


def heard_as_agents(votes: Iterable[Vote]) -> frozenset[int]:
    """The accounts that have spoken as agents, in words that count or counted. A badly formed one makes no agent."""
    heard = (vote.source.account for vote in votes if vote.why is None and vote.heard)
    return frozenset(account for account in heard if account is not None)


def silenced_agents(snapshot: Snapshot, votes: Iterable[Vote]) -> Iterator[int]:
    """The accounts that spoke as agents in words that were dismissed or deleted since.

    Of a recorded FAIL that is gone nobody can tell how it was written; one that is still there shows it.
    """
    told: set[tuple[str, str | None]] = set()
    for vote in votes:
        source, sound = vote.source, vote.why is None or not vote.heard
        if sound and vote.role and source.state == DISMISSED and source.account:
            yield source.account
        if vote.failed and not sound and source.history_complete:
            told.add((vote.place, vote.role))
    said = (seen for seen in snapshot.record.signals if seen.outcome != INVALID and seen.account is not None)
    yield from (seen.account or 0 for seen in said if (seen.source, seen.role) not in told)
