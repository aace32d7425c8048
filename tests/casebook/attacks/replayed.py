"""Replayed or stale: true words about something else than what would merge."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack, green, judged, others
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN
from tests.casebook.world import World, commit, verdict

replayed = partial(attack, "replayed")
waits = partial(replayed, state="pending", phases=BUILD_WAITS)
fails = partial(replayed, state="failure", phases=BUILD_FAILED, because="Judge's verdict is invalid")


def passed_by_name(world: World, name: str) -> None:
    """All of build and QA pass, each verdict with the commit that the Judge names."""
    world.judges("judge", commit=name)
    others(world)


@waits("pushed-after-pass", "The author pushes once everything is green.", defence="same-content", because="not for")
def _(world: World) -> None:
    green(world)
    world.push("b")


@waits(
    "older-commit-named", "Written after the push, about the commit before.", defence="same-content", because="not for"
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    passed_by_name(world, commit("a"))


@waits("older-commit-reviewed", "A review of the commit before the push.", defence="same-content", because="not for")
def _(world: World) -> None:
    world.planned()
    world.push("b")
    world.review("ana", verdict("judge"), at="a")
    others(world)


@waits(
    "files-not-listed",
    "Too many files to compare: nobody knows what changed.",
    defence="unknown-content",
    because="not for",
)
def _(world: World) -> None:
    world.push("a1", None)
    green(world)
    world.push("a2", None)


@waits(
    "pushed-in-the-same-second",
    "The push comes in the second of the PASS.",
    defence="head-at-the-time",
    because="not for",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    world.judges("judge")["created_at"] = world.moves[-1]["at"]
    others(world)


@waits(
    "log-unreadable",
    "Nobody knows which commit was the head.",
    defence="head-at-the-time",
    codes="PG305",
    phases="success pending success",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {qa: {enabled: false}}\n"
    world.planned()
    world.gated()
    world.judges("judge")
    world.judges("inspector", commit=commit("a"))
    world.unlogged()


@fails("other-pull-request", "A PASS for a commit of another pull request.", defence="heads-only", codes="PG301")
def _(world: World) -> None:
    world.planned()
    passed_by_name(world, commit("elsewhere"))


@fails("commit-from-before", "The branch was there before it was a pull request.", defence="heads-only", codes="PG301")
def _(world: World) -> None:
    world.moves.insert(0, {"at": "2026-03-02T08:00:00Z", "after": commit("old"), "kind": "push"})
    world.planned()
    passed_by_name(world, commit("old"))


@fails("two-commits-in-one", "A prefix that two heads share.", defence="heads-only", codes="PG302")
def _(world: World) -> None:
    world.push("abcdef0" + "1" * 33)
    world.push("abcdef0" + "2" * 33)
    world.planned()
    passed_by_name(world, "abcdef0")


@replayed(
    "commit-named-in-the-second-of-its-push",
    "A PASS names the commit in the second in which it is pushed: nobody can tell which came first.",
    defence="already-there",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG301",
)
def _(world: World) -> None:
    world.policy = "version: 1\ninstructions: {guard: false}\n"
    world.planned()
    world.push("b")
    world.at_once()
    world.judges("judge", commit=commit("b"))
    others(world)


@replayed(
    "approved-in-the-second-of-the-push",
    "So does an approval beside new instructions.",
    defence="already-there",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG301",
    because="mona's /gate approve build does not count",
)
def _(world: World) -> None:
    world.changes["files"] = {"complete": True, "entries": [{"path": "AGENTS.md"}]}
    world.planned()
    world.push("b")
    world.at_once()
    world.say("mona", f"/gate approve build {commit('b')}")
    world.built()
    world.tested()


@replayed(
    "commit-not-there-yet",
    "A PASS for a commit that nobody had pushed yet.",
    defence="already-there",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG301",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", commit=commit("b"))
    world.push("b")
    others(world)


@fails(
    "commit-not-named",
    "The policy asks for the commit.",
    defence="commit-asked-for",
    phases="success failure success",
    codes="PG304",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {qa: {enabled: false}}\nverdicts: {require_commit: true}\n"
    world.planned()
    world.judges("judge")
    world.judges("inspector", commit=commit("a"))


@replayed(
    "new-plan-after-approval",
    "A second plan, after the first was passed and approved.",
    defence="plan-as-judged",
    state="pending",
    phases=WAITING,
    because="earlier text",
)
def _(world: World) -> None:
    green(world)
    world.say("ana", "## jkz:architect\n\nSomething quite different.\n", on=12)


@fails("commit-too-short", "Six digits may mean any commit.", defence="schema", codes="PG024")
def _(world: World) -> None:
    world.planned()
    passed_by_name(world, commit("a")[:6])


@waits(
    "judged-before-the-log-begins",
    "Said before the first push that is on the log.",
    defence="head-at-the-time",
    codes="PG305",
)
def _(world: World) -> None:
    judged(world, verdict("judge"))
    world.comments[0]["created_at"] = "2026-03-02T08:00:00Z"


@replayed(
    "success-outlives-its-pull-request",
    "Green towards an unprotected base, then closed: the same head is to be merged from another pull request.",
    defence="no-success-when-closed",
    state="pending",
    phases=GREEN,
    because="closed without merging",
)
def _(world: World) -> None:
    green(world)
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "closed"}


@replayed(
    "success-outlives-its-merge",
    "Green towards an unprotected base and merged there: the same head is to be merged from another pull request.",
    defence="no-success-when-closed",
    state="pending",
    phases=GREEN,
    because="merged into next",
)
def _(world: World) -> None:
    green(world)
    world.base = "next"
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@replayed(
    "closed-by-override",
    "The same with an override that a human gave before it was closed.",
    defence="no-success-when-closed",
    state="pending",
    phases=GREEN,
    because="closed without merging",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: a hotfix for the release branch")
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "closed"}
