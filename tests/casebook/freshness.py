"""Stories about which commit a verdict speaks of."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, story
from tests.casebook.world import PEOPLE, World, commit, verdict

UNTESTED = "version: 1\nphases: {qa: {enabled: false}}\n"


@story(
    "stale", "One changed byte of the product kills a verdict.", state="pending", phases=BUILD_WAITS, because="not for"
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.push("b")


@story("rebased", "A rebase that brings the same content in keeps it alive.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.push("a1", "same")
    world.planned()
    world.built()
    world.tested()
    world.push("a2", "same")


@story(
    "rebased-content-unknown",
    "Where GitHub does not list all files, only the same commit is fresh.",
    state="pending",
    phases=BUILD_WAITS,
    because="not for",
)
def _(world: World) -> None:
    world.push("a1", None)
    world.planned()
    world.built()
    world.tested()
    world.push("a2", None)


@story("named-commit", "A verdict names the head by a prefix.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", commit=commit("a")[:7])
    world.judges("inspector", commit=commit("a"))
    world.tested()


@story(
    "named-older-commit",
    "Written after the push, but about the commit before it.",
    state="pending",
    phases=BUILD_WAITS,
    because="not for",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    world.judges("judge", commit=commit("a")[:12])
    world.judges("inspector")
    world.tested()


@story(
    "commit-never-head",
    "A verdict copied from another pull request.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG301",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", commit=commit("elsewhere"))
    world.judges("inspector")
    world.tested()


@story(
    "commit-before-opening",
    "A commit the branch had before it was a pull request.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG301",
)
def _(world: World) -> None:
    world.moves.insert(0, {"at": "2026-03-02T08:00:00Z", "after": commit("old"), "kind": "push"})
    world.planned()
    world.judges("judge", commit=commit("old"))
    world.judges("inspector")
    world.tested()


@story("commit-ambiguous", "A prefix that two heads share.", state="failure", phases=BUILD_FAILED, codes="PG302")
def _(world: World) -> None:
    world.push("abcdef0" + "1" * 33)
    world.push("abcdef0" + "2" * 33)
    world.planned()
    world.judges("judge", commit="abcdef0")
    world.judges("inspector")
    world.tested()


@story(
    "commit-required",
    "The policy asks every verdict for its commit.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG304",
)
def _(world: World) -> None:
    world.policy = "version: 1\nverdicts: {require_commit: true}\n"
    world.planned()
    world.judges("judge")


@story("commit-required-and-named", "And gets it.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {qa: {enabled: false}}\nverdicts: {require_commit: true}\n"
    world.planned()
    world.judges("judge", commit=commit("a"))
    world.judges("inspector", commit=commit("a"))


@story(
    "log-incomplete",
    "The log of pushes cannot be read, and the verdict names no commit.",
    state="pending",
    phases=BUILD_WAITS,
    codes="PG305",
)
def _(world: World) -> None:
    world.changes["ref_log"] = {"source": "none", "complete": False}
    world.planned()
    world.gated()
    world.judges("judge")
    world.judges("inspector", commit=commit("a"))


@story("log-incomplete-commit-seen", "Named after the gate has seen it as the head.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = UNTESTED
    world.unlogged()
    world.planned()
    world.gated()
    world.judges("judge", commit=commit("a"))
    world.judges("inspector", commit=commit("a"))


@story("log-incomplete-reviewed", "A review tells its commit itself.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = UNTESTED
    world.unlogged()
    world.planned()
    world.review("ana", verdict("judge"))
    world.judges("inspector", commit=commit("a"))


@story("log-incomplete-forced", "A forced push tells the head.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = UNTESTED
    world.push("b")
    world.unlogged()
    ends = {"before": commit("a"), "after": commit("b"), "kind": "force_push"}
    world.head_forced = [{"at": world.tick(), "actor": PEOPLE["octo-dev"], **ends}]
    world.planned()
    world.judges("judge", commit=commit("b"))
    world.judges("inspector", commit=commit("b"))


@story(
    "push-in-same-second",
    "Written in the second of the push: taken for the older commit.",
    state="pending",
    phases=BUILD_WAITS,
    because="not for",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    said = world.judges("judge")
    said["created_at"] = world.moves[-1]["at"]
    world.judges("inspector")
    world.tested()


@story(
    "review-of-older-commit",
    "A review given for the commit before the push.",
    state="pending",
    phases=BUILD_WAITS,
    because="not for",
)
def _(world: World) -> None:
    world.planned()
    world.push("b")
    world.review("ana", verdict("judge"), at="a")
    world.judges("inspector")
    world.tested()


@story(
    "pass-and-fail-in-one-second",
    "PASS and FAIL in the same second: the FAIL counts as the later.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    failed = world.judges("judge", "FAIL")
    passed = world.judges("judge")
    passed["created_at"] = failed["created_at"]
    world.judges("inspector")
    world.tested()


@story("closed-and-reopened", "Closing and reopening changes no content.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.close()
    world.reopen()


@story("judged-after-reopening", "Pushed while closed, judged once reopened.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.close()
    world.push("b")
    world.reopen()
    world.built()
    world.tested()


@story(
    "rebased-while-closed",
    "Judged while closed; what was pushed meanwhile brings the same content in.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.push("a1", "same")
    world.close()
    world.push("a2", "same")
    world.planned()
    world.built()
    world.tested()
    world.reopen()


@story(
    "pushed-to-a-closed-pull-request",
    "While it is closed its head stays, whatever is pushed to the branch; only the overall success waits.",
    state="pending",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.close()
    world.push("b")
    world.head = "a"
    world.tested()


@story("judged-after-the-base-was-forced", "Judged anew, all is green.", state="success", phases=GREEN)
def _(world: World) -> None:
    ends = {"before": commit("base"), "after": commit("older base"), "kind": "forced"}
    world.base_changes.append({"at": world.tick(), "actor": PEOPLE["mona"], **ends})
    world.planned()
    world.built()
    world.tested()


@story(
    "commit-of-the-test-merge",
    "The Judge names the commit that its workflow checked out, by which GitHub tries the merge.",
    state="failure",
    phases=BUILD_FAILED,
    codes="PG301",
    because="is GitHub's test merge",
)
def _(world: World) -> None:
    world.test_merge = commit("tried")
    world.planned()
    world.judges("judge", commit=commit("tried"))
