"""Replayed or stale: true words about something else than what would merge."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN
from tests.casebook.world import World, commit, verdict

replayed = partial(attack, "replayed")
waits = partial(replayed, phases=BUILD_WAITS)
fails = partial(replayed, phases=BUILD_FAILED, because="Judge's verdict is invalid")


def passed_by_name(world: World, name: str) -> None:
    """All of build and QA pass, each verdict with the commit that the Judge names."""
    world.passed_by("judge", commit=name).others_pass()


@waits(defence="same-content", because="not for")
def pushed_after_pass(world: World) -> None:
    """The author pushes once everything is green."""
    world.green().push("b")


@waits(defence="same-content", because="not for")
def older_commit_named(world: World) -> None:
    """Written after the push, about the commit before."""
    world.planned().push("b").then(passed_by_name, commit("a"))


@waits(defence="same-content", because="not for")
def older_commit_reviewed(world: World) -> None:
    """A review of the commit before the push."""
    world.planned().push("b").reviewed("ana", verdict("judge"), at="a").others_pass()


@waits(defence="unknown-content", because="not for")
def files_not_listed(world: World) -> None:
    """Too many files to compare: nobody knows what changed."""
    world.push("a1", None).green().push("a2", None)


@waits(defence="head-at-the-time", because="not for")
def pushed_in_the_same_second(world: World) -> None:
    """The push comes in the second of the PASS."""
    world.planned().push("b")
    world.judges("judge")["created_at"] = world.moves[-1]["at"]
    world.others_pass()


@waits(defence="head-at-the-time", codes="PG305", phases="success pending success")
def log_unreadable(world: World) -> None:
    """Nobody knows which commit was the head."""
    world.under("version: 1\nphases: {qa: {enabled: false}}\n").planned().gated().passed_by("judge")
    world.passed_by("inspector", commit=commit("a")).unlogged()


@fails(defence="heads-only", codes="PG301")
def other_pull_request(world: World) -> None:
    """A PASS for a commit of another pull request."""
    world.planned().then(passed_by_name, commit("elsewhere"))


@fails(defence="heads-only", codes="PG301")
def commit_from_before(world: World) -> None:
    """The branch was there before it was a pull request."""
    world.moves.insert(0, {"at": "2026-03-02T08:00:00Z", "after": commit("old"), "kind": "push"})
    world.planned().then(passed_by_name, commit("old"))


@fails(defence="heads-only", codes="PG302")
def two_commits_in_one(world: World) -> None:
    """A prefix that two heads share."""
    world.push("abcdef0" + "1" * 33).push("abcdef0" + "2" * 33).planned().then(passed_by_name, "abcdef0")


@replayed(defence="already-there", phases=BUILD_WAITS, codes="PG301")
def commit_named_in_the_second_of_its_push(world: World) -> None:
    """A PASS names the commit in the second in which it is pushed: nobody can tell which came first."""
    world.under("version: 1\ninstructions: {guard: false}\n").planned().push("b").at_once()
    world.passed_by("judge", commit=commit("b")).others_pass()


@replayed(
    defence="already-there", phases=BUILD_WAITS, codes="PG301", because="mona's /gate approve build does not count"
)
def approved_in_the_second_of_the_push(world: World) -> None:
    """So does an approval beside new instructions."""
    world.touches("AGENTS.md").planned().push("b").at_once().says("mona", f"/gate approve build {commit('b')}")
    world.built().tested()


@replayed(defence="already-there", phases=BUILD_WAITS, codes="PG301")
def commit_not_there_yet(world: World) -> None:
    """A PASS for a commit that nobody had pushed yet."""
    world.planned().passed_by("judge", commit=commit("b")).push("b").others_pass()


@fails(defence="commit-asked-for", phases="success failure success", codes="PG304")
def commit_not_named(world: World) -> None:
    """The policy asks for the commit."""
    world.under("version: 1\nphases: {qa: {enabled: false}}\nverdicts: {require_commit: true}\n").planned()
    world.passed_by("judge").passed_by("inspector", commit=commit("a"))


@replayed(defence="plan-as-judged", phases=WAITING, because="earlier text")
def new_plan_after_approval(world: World) -> None:
    """A second plan, after the first was passed and approved."""
    world.green().says("ana", "## jkz:architect\n\nSomething quite different.\n", on=12)


@fails(defence="schema", codes="PG024")
def commit_too_short(world: World) -> None:
    """Six digits may mean any commit."""
    world.planned().then(passed_by_name, commit("a")[:6])


@waits(defence="head-at-the-time", codes="PG305")
def judged_before_the_log_begins(world: World) -> None:
    """Said before the first push that is on the log."""
    world.judged(verdict("judge"))
    world.comments[0]["created_at"] = "2026-03-02T08:00:00Z"


@replayed(defence="no-success-when-closed", state="pending", phases=GREEN, because="closed without merging")
def success_outlives_its_pull_request(world: World) -> None:
    """Green towards an unprotected base, then closed: the same head is to be merged from another pull request."""
    world.green()
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "closed"}


@replayed(defence="no-success-when-closed", state="pending", phases=GREEN, because="merged into next")
def success_outlives_its_merge(world: World) -> None:
    """Green towards an unprotected base and merged there: the same head is to be merged from another pull request."""
    world.green()
    world.base = "next"
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@replayed(defence="no-success-when-closed", state="pending", phases=GREEN, because="closed without merging")
def closed_by_override(world: World) -> None:
    """The same with an override that a human gave before it was closed."""
    world.planned().built().says("mona", "/gate override qa: a hotfix for the release branch")
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "closed"}
