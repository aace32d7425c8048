"""Stories of findings that stand: review threads and who resolved them, findings without one, and what ends them."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.casebook.reviewers import (
    account,
    actionable,
    codex,
    copilot,
    edits,
    greptile,
    policy,
    reviews,
    says,
    walkthrough,
)
from tests.casebook.story import GREEN, story
from tests.casebook.world import PEOPLE, World, commit, digest_of_blob

JSON = dict[str, Any]
FAILS = "success failure success"
P1 = "**<sub><sub>![P1 Badge](https://img.shields.io/badge/P1-orange)</sub></sub>  Expired tokens are accepted**"
P2 = P1.replace("P1", "P2")
DISMISS = "/gate dismiss codex: it is a test fixture"

passes = partial(story, phases=GREEN)
fails = partial(story, phases=FAILS)


def found(world: World, text: str = P1, more: str = "", *, fixed: str = "") -> JSON:
    """Codex opens a thread on the first commit, and is content with the second, in which the file is ``fixed``."""
    world.under(f"{policy('codex')}{more}")
    opened = world.thread(account("codex"), text)
    world.push("b", fixed or "a").then(says, "codex", codex("b"))
    entry = {"path": "src/auth.py", "blob": digest_of_blob("b" if fixed else "a")}
    world.touches(entry)
    return opened


@passes()
def thread_resolved_by_reviewer(world: World) -> None:
    """The reviewer resolved its own thread, and nobody talked to it."""
    world.resolve(found(world), account("codex"))


@passes()
def thread_resolved_by_human(world: World) -> None:
    """A human who may approve resolved it."""
    world.resolve(found(world), PEOPLE["mona"])


@passes()
def thread_resolved_by_author_allowed(world: World) -> None:
    """The author resolved it, and the policy lets authors approve."""
    world.resolve(found(world, more="humans: {author_may_approve: true}\n"), PEOPLE["octo-dev"])


@passes()
def thread_fixed_and_commanded(world: World) -> None:
    """The author asked the reviewer to resolve it, and the file changed since."""
    opened = found(world, fixed="own")
    world.reply(opened, "octo-dev", "Fixed, please resolve.").resolve(opened, account("codex"))


@passes()
def thread_asked_by_maintainer(world: World) -> None:
    """A maintainer asked the reviewer whether it still holds, and it resolved it."""
    opened = found(world)
    world.reply(opened, "mona", "@codex does that still hold?").resolve(opened, account("codex"))


@passes()
def thread_chatter(world: World) -> None:
    """The author talks on the pull request and in other threads, but not to the reviewer."""
    opened = found(world)
    other = world.thread(PEOPLE["ben"], "Why not a set?")
    world.reply(other, "octo-dev", "It keeps the order.")
    world.says("octo-dev", "I have looked at what the reviewers found.").resolve(opened, account("codex"))


@passes()
def thread_of_a_stranger(world: World) -> None:
    """A thread of somebody whom the policy does not name holds nothing."""
    found(world, P2)
    world.thread(PEOPLE["eve"], P1)


@passes()
def thread_below_the_floor(world: World) -> None:
    """What the vendor itself calls advice does not block."""
    found(world, P2)


@passes()
def thread_dismissed(world: World) -> None:
    """A human who may act dismisses the reviewer's findings."""
    world.then(found).says("mona", DISMISS)


@fails(because="its thread is open")
def thread_reopened(world: World) -> None:
    """Resolved, and reopened."""
    opened = found(world)
    world.resolve(opened, PEOPLE["mona"]).resolve(opened, None)


@fails(because="its thread is open")
def thread_dismissed_before(world: World) -> None:
    """What is found after the dismissal stands."""
    world.then(found).says("mona", DISMISS)
    world.thread(account("codex"), P1)


@passes()
def body_found_again(world: World) -> None:
    """A fix of what is outside of the diff is taken back, and all that is there is rated anew."""
    world.then(outside).then(says, "coderabbit", walkthrough("b")).push("c", "a")
    world.then(says, "coderabbit", walkthrough("c")).then(reviews, "coderabbit", actionable(0))


@passes()
def body_whole(world: World) -> None:
    """Findings outside of the diff, a push, and a walkthrough that rates it all."""
    world.then(outside).then(says, "coderabbit", walkthrough("b"))


def outside(world: World) -> None:
    """CodeRabbit finds something outside of the diff of the first commit; there is a second one now."""
    world.under(policy("coderabbit"))
    said = says(world, "coderabbit", walkthrough())
    world.then(reviews, "coderabbit", actionable(0, "⚠️ Outside diff range comments (2)")).push("b")
    edits(world, said, "<!-- This is an auto-generated comment: review in progress by coderabbit.ai -->\n")


@passes()
def body_left(world: World) -> None:
    """The file with the finding was changed here, and is no longer."""
    left(world)


def left(world: World, *entries: JSON) -> None:
    """A finding outside of the diff of one of two files; the second commit changes only the other, and ``entries``."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", OUTSIDE)
    world.paths[commit("a")] = ["src/auth.py", "src/legacy.py"]
    world.push("b").touches("src/auth.py", *entries).then(says, "coderabbit", incremental("b"))


OUTSIDE = """\
**Actionable comments posted: 0**

<details>
<summary>⚠️ Outside diff range comments (1)</summary><blockquote>

<details>
<summary>src/legacy.py (1)</summary><blockquote>

`12-14`: _⚠️ Potential issue_ | _🟠 Major_

</blockquote></details>

</blockquote></details>
"""


def incremental(head: str) -> str:
    """A walkthrough without a section about the risk: it tells of the newest push alone."""
    return (
        "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n\n"
        "No actionable comments were generated in the recent review. 🎉\n\n"
        "<details>\n<summary>📥 Commits</summary>\n\nReviewing files that changed from the base of the PR "
        f"and between {commit('a')} and {commit(head)}.\n\n</details>\n"
    )


@passes()
def requested_then_approved(world: World) -> None:
    """Changes requested, and approved on the next commit by nobody's command."""
    world.then(requested).then(reviews, "coderabbit", "", state="APPROVED")


def requested(world: World) -> None:
    """CodeRabbit requests changes on the first commit, and rates the second one as clean."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", "", state="CHANGES_REQUESTED").push("b")
    says(world, "coderabbit", walkthrough("b"))


@fails()
def requested_and_clean(world: World) -> None:
    """A request for changes stands until it is withdrawn, whatever is said of a later commit."""
    requested(world)


LIMITED = "Copilot was unable to review this pull request because the user has reached their quota limit."
TWO_OF_THREE = (
    "version: 1\nprofile: review\nagents: {accounts: [{format: coderabbit}, {format: codex}, {format: copilot}]}\n"
    "phases: {build: {roles: [{any: [coderabbit, codex, copilot], need: 2}]}}\n"
)


def two_of_three(world: World) -> None:
    """CodeRabbit and Codex are content, and two of three are enough."""
    world.under(TWO_OF_THREE).then(says, "coderabbit", walkthrough()).then(says, "codex", codex())


@passes()
def two_of_three_(world: World) -> None:
    """Two of three reviewers passed, and the third did not run."""
    two_of_three(world)


@passes()
def two_of_three_limited(world: World) -> None:
    """The third says that it is at its limit."""
    world.then(two_of_three).then(reviews, "copilot", LIMITED)


@story(
    phases="success pending success", because="suppressed comments",
)  # fmt: skip
def two_of_three_suppressed(world: World) -> None:
    """Two passed, and the third keeps a comment to itself."""
    world.then(two_of_three).then(suppressed)


@story(phases=GREEN)
def rated_again(world: World) -> None:
    """Asked to look at the same commit again, the reviewer rates it higher."""
    world.under(policy("greptile")).then(says, "greptile", greptile(2)).then(says, "greptile", greptile())


@story(
    phases="success pending success", because="Codex says PASS for 86f7e43 only",
)  # fmt: skip
def two_of_three_before_a_push(world: World) -> None:
    """One passed what is there, and one what was there before."""
    world.then(two_of_three).push("b").then(says, "coderabbit", walkthrough("b"))


@story(
    phases="success pending success", because="suppressed comments (nothing was said about the whole change since)",
)  # fmt: skip
def two_of_three_suppressed_before(world: World) -> None:
    """Two passed after a push what the third keeps a comment about."""
    world.under(TWO_OF_THREE).then(suppressed).push("b").then(says, "coderabbit", walkthrough("b"))
    says(world, "codex", codex("b"))


def suppressed(world: World) -> None:
    """Copilot found something, and does not say it."""
    reviews(world, "copilot", copilot(fold="Suppressed comments (1)"))


@passes()
def two_of_three_dismissed(world: World) -> None:
    """Two passed, and a human dismissed what the third keeps to itself."""
    world.then(two_of_three).then(suppressed).says("mona", "/gate dismiss copilot: a matter of naming")


@passes()
def suppressed_and_dismissed(world: World) -> None:
    """A human dismissed it, and the reviewer looked once more."""
    world.under(policy("copilot")).then(suppressed).says("mona", "/gate dismiss copilot: a matter of naming")
    reviews(world, "copilot", copilot())


@passes(codes="PG918")
def counted_twice(world: World) -> None:
    """A count in the reviewer's own comment is told by the threads of that commit."""
    world.under(policy("coderabbit"))
    review = reviews(world, "coderabbit", actionable(1))
    opened = world.thread(account("coderabbit"), "Expired tokens are accepted", review=review["id"])
    says(world, "coderabbit", walkthrough().replace("The parser", "**Actionable comments posted: 1**\n\nThe parser"))
    world.resolve(opened, PEOPLE["mona"]).push("b", "a").then(reviews, "coderabbit", actionable(0))


@story(
    phases="success pending success", because="1 of 2 needed passes",
)  # fmt: skip
def one_of_three(world: World) -> None:
    """One of three passed, and two are needed."""
    world.under(TWO_OF_THREE).then(says, "codex", codex())
    says(world, "coderabbit", "<!-- This is an auto-generated comment: rate limited by coderabbit.ai -->\n")


@fails(because="its thread is open")
def two_of_three_with_a_finding(world: World) -> None:
    """Two passed, and a thread of the third is open."""
    two_of_three(world)
    world.thread(account("copilot"), "This swallows the error.")


@fails(because="Copilot failed")
def two_of_three_objected(world: World) -> None:
    """Two passed, and the third found something."""
    world.then(two_of_three).then(reviews, "copilot", copilot(count="3 comments"))


for _name, _roles, _because in (
    ("unknown", "{any: [coderabbit, codexx], need: 1}", "codexx"),
    ("doubled", "{any: [coderabbit, codex], need: 1}, codex", "named twice"),
    ("too-few", "{any: [coderabbit, codex], need: 3}", "there are 2"),
):

    def _grouped(world: World, roles: str = _roles) -> None:
        head = "version: 1\nprofile: review\nagents: {accounts: [{format: coderabbit}, {format: codex}]}\n"
        world.under(f"{head}phases: {{build: {{roles: [{roles}]}}}}\n")

    _code = "PG506" if _name == "unknown" else "PG529"
    _says = f"A group with {_name} members is a broken policy."
    story(f"group-{_name}", _says, phases="error error error", codes=_code, because=_because)(_grouped)
