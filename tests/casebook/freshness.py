"""Stories about which commit a verdict speaks of."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import PEOPLE, World, commit, verdict

UNTESTED = "version: 1\nphases: {qa: {enabled: false}}\n"


@story(phases=BUILD_WAITS, because="not for")
def stale(world: World) -> None:
    """One changed byte of the product kills a verdict."""
    world.green().push("b")


@story(phases=GREEN)
def rebased(world: World) -> None:
    """A rebase that brings the same content in keeps it alive."""
    world.push("a1", "same").green().push("a2", "same")


@story(phases=GREEN)
def named_commit(world: World) -> None:
    """A verdict names the head by a prefix."""
    world.planned().passed_by("judge", commit=commit("a")[:7]).passed_by("inspector", commit=commit("a"))
    world.tested()


@story(phases=BUILD_WAITS, because="not for")
def named_older_commit(world: World) -> None:
    """Written after the push, but about the commit before it."""
    world.planned().push("b").passed_by("judge", commit=commit("a")[:12]).others_pass()


@story(phases=BUILD_FAILED, codes="PG301")
def commit_never_head(world: World) -> None:
    """A verdict copied from another pull request."""
    world.planned().passed_by("judge", commit=commit("elsewhere")).others_pass()


@story(phases=BUILD_FAILED, codes="PG302")
def commit_ambiguous(world: World) -> None:
    """A prefix that two heads share."""
    world.push("abcdef0" + "1" * 33).push("abcdef0" + "2" * 33).planned().passed_by("judge", commit="abcdef0")
    world.others_pass()


@story(phases=BUILD_FAILED, codes="PG304")
def commit_required(world: World) -> None:
    """The policy asks every verdict for its commit."""
    world.under("version: 1\nverdicts: {require_commit: true}\n").planned().passed_by("judge")


@story(phases=GREEN)
def commit_required_and_named(world: World) -> None:
    """And gets it."""
    world.under("version: 1\nphases: {qa: {enabled: false}}\nverdicts: {require_commit: true}\n").planned()
    world.passed_by("judge", commit=commit("a")).passed_by("inspector", commit=commit("a"))


@story(phases=BUILD_WAITS, codes="PG305")
def log_incomplete(world: World) -> None:
    """The log of pushes cannot be read, and the verdict names no commit."""
    world.changes["ref_log"] = {"source": "none", "complete": False}
    world.planned().gated().passed_by("judge").passed_by("inspector", commit=commit("a"))


@story(phases=GREEN)
def log_incomplete_commit_seen(world: World) -> None:
    """Named after the gate has seen it as the head."""
    world.under(UNTESTED).unlogged().planned().gated().passed_by("judge", commit=commit("a"))
    world.passed_by("inspector", commit=commit("a"))


@story(phases=GREEN)
def log_incomplete_reviewed(world: World) -> None:
    """A review tells its commit itself."""
    world.under(UNTESTED).unlogged().planned().reviewed("ana", verdict("judge"))
    world.passed_by("inspector", commit=commit("a"))


@story(phases=GREEN)
def log_incomplete_forced(world: World) -> None:
    """A forced push tells the head."""
    world.under(UNTESTED).push("b").unlogged()
    ends = {"before": commit("a"), "after": commit("b"), "kind": "force_push"}
    world.head_forced = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], **ends}]
    world.planned().passed_by("judge", commit=commit("b")).passed_by("inspector", commit=commit("b"))


@story(phases=GREEN)
def closed_and_reopened(world: World) -> None:
    """Closing and reopening changes no content."""
    world.green().close().reopen()


@story(phases=GREEN)
def judged_after_reopening(world: World) -> None:
    """Pushed while closed, judged once reopened."""
    world.planned().close().push("b").reopen().built().tested()


@story(phases=GREEN)
def rebased_while_closed(world: World) -> None:
    """Judged while closed; what was pushed meanwhile brings the same content in."""
    world.push("a1", "same").close().push("a2", "same").green().reopen()


@story(state="pending", phases=GREEN)
def pushed_to_a_closed_pull_request(world: World) -> None:
    """While it is closed its head stays, whatever is pushed to the branch; only the overall success waits."""
    world.planned().built().close().push("b")
    world.head = "a"
    world.tested()


@story(phases=GREEN)
def part_below_merged(world: World) -> None:
    """The part below of a stack was merged, and with it what this one adds still is the same."""
    world.planned().failed_by("judge").push("b").built().tested().then(merged_below, keeps=["a", "b"])
    world.push("c", "b")


def merged_below(world: World, keeps: list[str]) -> None:
    """The base is merged into its own base, which takes its place; some heads bring in the same as before."""
    told = {"before": "below", "after": "main", "actor": PEOPLE["mona"], "keeps": [commit(name) for name in keeps]}
    world.base_changes.append({"at": world.tick(), **told})


@story(phases=GREEN)
def judged_after_the_base_was_forced(world: World) -> None:
    """Judged anew, all is green."""
    ends = {"before": commit("base"), "after": commit("older base"), "kind": "forced"}
    world.base_changes.append({"at": world.tick(), "actor": PEOPLE["mona"], **ends})
    world.green()


@story(phases=BUILD_FAILED, codes="PG301", because="is GitHub's test merge")
def commit_of_the_test_merge(world: World) -> None:
    """The Judge names the commit that its workflow checked out, by which GitHub tries the merge."""
    world.test_merge = commit("tried")
    world.planned().passed_by("judge", commit=commit("tried"))
