"""Attacks on findings that stand: threads resolved by the wrong one or on command, and what launders a finding."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.reviewers import WAITS, account, actionable, copilot, greptile, policy, reviews, says, walkthrough
from tests.casebook.standing import DISMISS, FAILS, P2, found, left, outside, requested
from tests.casebook.together import human_too
from tests.casebook.world import PEOPLE, World, commit

fails = partial(attack, "standing", phases=FAILS)
APP = {"login": "helper[bot]", "id": 555, "type": "Bot"}


@fails(defence="who-resolved", codes="PG242")
def resolved_by_author(world: World) -> None:
    """The author resolves the reviewer's thread."""
    world.resolve(found(world), PEOPLE["octo-dev"])


@fails(defence="who-resolved", codes="PG242")
def resolved_by_app(world: World) -> None:
    """An app that nobody named resolves it."""
    world.resolve(found(world), APP)


@fails(defence="who-resolved", codes="PG242")
def resolved_by_reader(world: World) -> None:
    """Somebody without write permission resolves it."""
    world.resolve(found(world), PEOPLE["eve"])


@fails(defence="who-resolved", codes="PG242")
def resolved_by_agent(world: World) -> None:
    """Another agent of the policy resolves it."""
    opened = found(world)
    world.under((world.policy or "").replace("{format: codex}", "{format: codex}, {login: mona, id: 31}"))
    world.resolve(opened, PEOPLE["mona"])


@fails(defence="commanded", codes="PG242")
def resolved_on_command(world: World) -> None:
    """The author's comment makes the reviewer resolve it."""
    opened = found(world)
    world.says("octo-dev", "@codex resolve").resolve(opened, account("codex"))


@fails(defence="commanded", codes="PG242")
def resolved_by_persuasion(world: World) -> None:
    """The author argues in the thread."""
    opened = found(world)
    world.reply(opened, "octo-dev", "Tokens cannot expire here.").resolve(opened, account("codex"))


@fails(defence="commanded", codes="PG242")
def command_deleted(world: World) -> None:
    """The comment with the command is deleted afterwards."""
    opened = found(world)
    said = world.say("octo-dev", "@codex resolve")
    world.resolve(opened, account("codex")).delete(said, "octo-dev")


@fails(defence="commanded", codes="PG242")
def command_edited_away(world: World) -> None:
    """The command is edited into small talk."""
    opened = found(world)
    said = world.say("octo-dev", "@codex resolve")
    world.edit(said, "Thanks!", "octo-dev").resolve(opened, account("codex"))


@fails(defence="commanded", codes="PG242")
def command_in_another_thread(world: World) -> None:
    """The command stands in another thread."""
    opened = found(world)
    other = world.thread(PEOPLE["ben"], "Why not a set?")
    world.reply(other, "eve", "@codex resolve").resolve(opened, account("codex"))


@fails(defence="what-was-found-is-back", codes="PG242")
def fixed_and_reverted(world: World) -> None:
    """Fixed, resolved, and reverted."""
    opened = found(world, fixed="own")
    world.resolve(opened, account("codex")).push("c", "a")
    opened["since"] = [world.changes["files"]["entries"][0]["blob"]]
    world.changes["files"]["entries"][0]["blob"] = opened["blob"]
    says(world, "codex", f"Codex Review: Didn't find any major issues. Nice!\n\n**Reviewed commit:** `{head(world)}`\n")


def head(world: World) -> str:
    """The head as Codex names it."""
    return str(world.moves[-1]["after"])[:10]


@fails(defence="another-hand")
def thread_lowered_by_hand(world: World) -> None:
    """Somebody edits the severity in the reviewer's comment."""
    found(world, P2, "").update(edited_at="2026-03-02T09:59:00Z", editor=PEOPLE["octo-dev"])


@fails(defence="open-threads")
def pushed_over(world: World) -> None:
    """A finding in a thread, a push, and a clean word about the push."""
    found(world, fixed="own")


@fails(defence="who-acts", codes="PG211")
def dismissed_by_author(world: World) -> None:
    """The author dismisses the findings."""
    world.then(found).says("octo-dev", DISMISS)


@fails(defence="bodies-stand")
def outside_then_incremental(world: World) -> None:
    """Nothing new in the next push: what was outside of the diff stands."""
    world.then(outside).then(reviews, "coderabbit", actionable(0))


@fails(defence="known-to-leave")
def outside_of_the_change(world: World) -> None:
    """What was found in a file that was never changed here cannot leave."""
    left(world)
    world.paths[commit("a")] = ["src/auth.py"]


@fails(defence="known-to-leave")
def renamed_away(world: World) -> None:
    """The file with the finding gets another name, and nothing else."""
    left(world, {"path": "src/modern.py", "status": "added"})


@fails(defence="renamed", codes="PG242")
def renamed_on_command(world: World) -> None:
    """The author renames the file, and has the reviewer resolve."""
    opened = found(world)
    entry = {"path": "src/session.py", "status": "added", "blob": opened["blob"]}
    world.touches(entry).says("octo-dev", "@codex resolve").resolve(opened, account("codex"))


@fails(defence="bodies-stand")
def found_again(world: World) -> None:
    """The walkthrough rates a fix that the next push takes back; the review of that tells of nothing new."""
    world.then(outside).then(says, "coderabbit", walkthrough("b")).push("c", "a")
    reviews(world, "coderabbit", actionable(0))


@fails(defence="bodies-stand")
def score_of_the_same_run(world: World) -> None:
    """The score is told beside a finding outside of the diff."""
    world.under(policy("greptile"))
    badge = '- <img alt="P1" src="x">&nbsp;**Alert is lost** `src/auth.py:25` <a href="x">▶</a>'
    says(world, "greptile", f"<!-- greptile_outside_diff -->\n\n<h3>Comments Outside Diff</h3>\n\n{badge}\n")
    says(world, "greptile", greptile())


@attack("standing", defence="bodies-stand", phases=WAITS)
def suppressed_then_nothing_new(world: World) -> None:
    """A finding is suppressed; the reviews after it, of the same commit, tell of nothing new."""
    world.under(policy("copilot")).then(reviews, "copilot", copilot(fold="Suppressed comments (1)"))
    for _again in range(3):
        reviews(world, "copilot", copilot())


@fails(defence="bodies-stand")
def comments_then_nothing_new(world: World) -> None:
    """The comments of a review are deleted; the next push has none."""
    world.under(policy("copilot")).then(reviews, "copilot", copilot(count="3 comments")).push("b")
    reviews(world, "copilot", copilot())


@fails(defence="approved-by-itself")
def approved_on_command(world: World) -> None:
    """The author has the reviewer approve."""
    world.then(requested).says("octo-dev", "@coderabbitai approve")
    reviews(world, "coderabbit", "", state="APPROVED")


@fails(defence="bodies-stand")
def counted_threads_deleted(world: World) -> None:
    """The threads of a review are deleted."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", actionable(2)).push("b")
    reviews(world, "coderabbit", actionable(0))


@attack("standing", defence="inline-commands", phases=WAITS, codes="PG209")
def approved_inline(world: World) -> None:
    """A command in a review thread is none."""
    human_too(world)
    world.thread(PEOPLE["mona"], "/gate approve build")


@attack("standing", defence="withdrawals-meant", phases=WAITS, codes="PG209 PG237")
def withdrawn_inline(world: World) -> None:
    """Who approved takes it back in a thread."""
    world.then(human_too).says("mona", "/gate approve build")
    world.thread(PEOPLE["mona"], "/gate withdraw build")
