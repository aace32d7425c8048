"""Chatter: ordinary remarks by who sits in a seat, put into any story, change no state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from phasegate.gate import policy_in
from phasegate.model.report import Report
from phasegate.model.signal import Medium, Validity
from phasegate.policy.model import Policy
from tests.casebook.every import STORIES
from tests.casebook.world import World
from tests.metamorphic.scene import JSON, decide, forget, say, snapshot_of

REMARKS = {
    "thanks": "Thanks, that was quick!\n",
    "question": "Why does `expiry` take seconds here and not milliseconds?\n",
    "looks good": "LGTM, nice work.\n",
    "quoted finding": "> J1: Expired tokens are accepted (src/auth.py:42)\n\nGood catch, see the last push.\n",
    "code": "How about this?\n\n```python\nif token.expires < now:\n    raise ExpiredError\n```\n",
    "link": "See https://example.com/rfc/7519 and #12 for the background.\n",
    "emoji": "\N{PARTY POPPER} \N{ROCKET}\n",
    "later": "I will look at it tomorrow.\n",
    "list": "Still to do:\n\n- [x] the clock\n- [ ] a test for leap seconds\n1. then the docs\n",
    "table": "| token | before | after |\n|---|---|---|\n| expired | accepted | refused |\n",
    "fail in prose": "Would this FAIL if the clock went backwards? The old one failed, I think.\n",
    "quoted verdict": "> The verdict was FAIL, with one finding to fix.\n\nThat was about the older commit.\n",
    "verdict in passing": "It said `verdict: FAIL` before, with `must_fix: [J1]`; that was the old one.\n",
    "folded verdict": "<details>\n<summary>The verdict: FAIL, for now</summary>\nFixed since.\n</details>\n",
    "settings": '```json\n{"expires": 3600, "issuer": "shop"}\n```\n',
    "log": "```\n$ pytest -q\n41 passed, 1 failed, 2 skipped\n```\n\nOnly on my machine, never mind.\n",
    "mention": "@octo-dev could you rebase this, please?\n",
}
PLACES = ("pull request", "issue", "review")


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One remark of one account in one story."""

    story: str
    login: str
    remark: str
    place: str

    @property
    def name(self) -> str:
        """Its name, for ``--only``."""
        return f"{self.story} / {self.login} / {self.remark} / {self.place}"


@lru_cache(maxsize=1)
def before(name: str) -> Report:
    """What the gate says about a story as it is."""
    forget()
    return decide(STORIES[name].world())


@lru_cache(maxsize=1)
def holders(name: str) -> dict[str, tuple[JSON, int | None, bool]]:
    """The accounts that were heard for a seat, each with its app, and whether their reviews are always words."""
    policy = policy_in(snapshot_of(STORIES[name].world()).policy)
    found: dict[str, tuple[JSON, int | None, bool]] = {}
    for each in before(name).signals:
        vote, source = each.vote, each.vote.signal.source
        heard = vote.validity is not Validity.IGNORED and source.medium not in (Medium.FILE, Medium.CHECK_RUN)
        if heard and vote.role is not None and source.author is not None and source.author.id is not None:
            told = source.author
            author = {"login": told.login, "id": told.id, "type": told.type}
            named = isinstance(policy, Policy) and policy.role(vote.role).only_named
            found[told.login] = (author, source.app_id, named)
    return found


def remarks(name: str) -> Iterator[Remark]:
    """All remarks of all who sit in a seat of a story; a formal review of a named reviewer is no remark."""
    world = STORIES[name].world()
    for login, (_, _, named) in holders(name).items():
        for remark in REMARKS:
            yield Remark(story=name, login=login, remark=remark, place="pull request")
            if world.issues:
                yield Remark(story=name, login=login, remark=remark, place="issue")
            if not named:
                yield Remark(story=name, login=login, remark=remark, place="review")


def disturbed(told: Remark) -> str:
    """How the remark changes states; empty if it does not."""
    world = STORIES[told.story].world()
    author, app_id, _ = holders(told.story)[told.login]
    put(world, told, author, app_id)
    old, new = states(before(told.story)), states(decide(world))
    return "" if old == new else f"{' '.join(old)} -> {' '.join(new)}"


def put(world: World, told: Remark, author: JSON, app_id: int | None) -> None:
    """Somebody makes the remark, now."""
    if told.place == "review":
        world.review("ana", REMARKS[told.remark], author=author)
    else:
        say(world, REMARKS[told.remark], author, app_id, world.issues[0]["number"] if told.place == "issue" else None)


def states(report: Report) -> tuple[str, ...]:
    """The states of a report: of every phase, and of the whole."""
    return (*(phase.state.value for phase in report.phases), report.state.value)
