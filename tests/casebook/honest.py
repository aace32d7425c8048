"""Honest pull requests that used to get stuck: what was refused is said first, and what helps is proposed."""

from __future__ import annotations

from tests.casebook.attacks.nested import DOCUMENTS, Puts
from tests.casebook.evidence import PRODUCT, plan, results, review, worker
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, URL, World, block, commit, verdict

PASS = '{"verdict": "PASS", "issues": []}'
SOLO = "version: 1\nsolo: true\n"
DOCS = "version: 1\nexempt:\n  - {paths: [docs/**, '*.md'], reason: documentation needs no review by agents}\n"
BOT = """version: 1
exempt:
  - {authors: [{login: "helper[bot]", id: 555}], reason: dependency updates are tested by CI}
"""
NO_ISSUE = "version: 1\nissue: {required: false}\n"
PLAN_WAITS = "pending pending pending"


def waiting_for_the_judge(world: World) -> None:
    """Everything is green but the Judge."""
    world.planned().others_pass()


@story(
    phases=BUILD_WAITS,
    codes="PG202 PG203",
    because="Judge's PASS by helper[bot] is ignored: helper[bot] is a bot, which counts only if the policy names it",
)
def refused_for_two_reasons(world: World) -> None:
    """A bot that pushed to the branch judges it, and the policy does not name it: both are said at once."""
    world.push("b", by="helper[bot]").planned().passed_by("judge", who="helper[bot]").passed_by("inspector")


@story(phases=BUILD_WAITS, codes="PG203", because="Judge's PASS by helper[bot] is ignored")
def refused_on_the_new_head(world: World) -> None:
    """The Judge's older PASS is stale, and the new one is refused: the new one is what is talked about."""
    world.planned().passed_by("judge").push("b").passed_by("judge", who="helper[bot]").passed_by("inspector")


@story(
    phases=BUILD_WAITS,
    codes="PG209",
    because="Judge's PASS by ana is ignored: judge speaks on the pull request, not here",
)
def refused_in_the_wrong_place(world: World) -> None:
    """The Judge's PASS stands on the issue."""
    world.planned().says("ana", verdict("judge"), on=12)


@story(phases=BUILD_WAITS, codes="PG125", because="PASS by ana is ignored: it does not say which role it speaks for")
def refused_without_a_heading(world: World) -> None:
    """A block without any role: the way to tell it is said."""
    world.planned().says("ana", f"I looked at it.\n\n{block(PASS)}\n")


@story(phases=PLAN_WAITS, codes="PG203", because="The plan of #12 by helper[bot] is ignored: helper[bot] is a bot")
def refused_plan(world: World) -> None:
    """The plan was written by an unnamed bot: the plan is there, and does not count."""
    world.says("helper[bot]", "## jkz:architect\n\n1. Check the expiry.\n", on=12)


@story(
    phases=QA_WAITS,
    codes="PG211",
    because="octo-dev's /gate approve qa does not count: octo-dev opened this pull request",
)
def refused_approval_of_the_author(world: World) -> None:
    """The author approves QA: that very line is answered, and who may is asked."""
    world.unapproved().says("octo-dev", "/gate approve qa")


@story(
    phases=QA_WAITS,
    codes="PG214",
    because='mona\'s "/gate aprove qa" does not count: it is not a command; did you mean "/gate approve qa"?',
)
def refused_approval_misspelt(world: World) -> None:
    """A misspelt command is answered with the line that was meant."""
    world.unapproved().says("mona", "/gate aprove qa")


@story(phases=BUILD_FAILED, codes="PG212", because="escalated")
def refused_resume(world: World) -> None:
    """An agent resumes an escalated phase: that does not count, and a human is asked."""
    world.planned()
    for name in ("a", "b", "c", "d"):
        if name != "a":
            world.push(name)
        world.failed_by("judge")
    world.says("ana", "/gate resume build: I am sure now")


@story(phases=GREEN)
def thanked_approval(world: World) -> None:
    """What people write after a command."""
    world.unapproved().says("mona", "/Gate approve QA, thanks!")


@story(
    phases=QA_WAITS,
    codes="PG305",
    because="mona's /gate approve qa does not count: the log of pushes does not show which commit it is for; name it",
)
def unlogged_approval(world: World) -> None:
    """Where the log of pushes cannot be read, an approval without its commit is answered with the exact line."""
    world.gated().unlogged().planned().passed_by("judge", "inspector", "sentinel", "lens", commit=commit("a"))
    world.says("mona", "/gate approve qa")


@story(phases=GREEN)
def unlogged_approval_named(world: World) -> None:
    """The same with its commit."""
    world.gated().unlogged().planned().passed_by("judge", "inspector", "sentinel", "lens", commit=commit("a"))
    world.says("mona", f"/gate approve qa {commit('a')[:9]}")


@story(phases=GREEN, codes="PG223")
def solo(world: World) -> None:
    """One person with agents does everything from one account; it is said that nothing is independent."""
    world.under(SOLO).then(everything_by, "octo-dev")


def everything_by(world: World, who: str) -> None:
    """Plan, build, QA and all approvals from one account."""
    world.says(who, "## jkz:architect\n\n1. Check the expiry.\n", on=12)
    world.passed_by("auditor", "curator", who=who).says(who, "/gate approve plan", on=12)
    world.passed_by("judge", "inspector", "sentinel", "lens", who=who).says(who, "/gate approve qa")


@story(phases=GREEN)
def no_issue_asked_for(world: World) -> None:
    """The policy asks for no issue, and none was ever linked: there is no plan to judge."""
    world.under(NO_ISSUE).without_issues().built().tested()


@story(phases=GREEN, codes="PG401", because="Plan: Overridden by mona: a hotfix")
def no_issue_plan_overridden(world: World) -> None:
    """No issue is linked: a human overrides the plan on the pull request."""
    world.without_issues().built().tested().says("mona", "/gate override plan: a hotfix")


@story(phases=GREEN, codes="PG401", because="Exempt by the policy: documentation needs no review by agents")
def exempt_documentation(world: World) -> None:
    """The policy exempts changes of the documentation: a success that says so."""
    world.under(DOCS).without_issues().touches("docs/install.md", "README.md")


@story(phases=GREEN, codes="PG401", because="Exempt by the policy: dependency updates are tested by CI")
def exempt_bot(world: World) -> None:
    """The policy exempts a bot's own pull requests."""
    bots_own(world)


def bots_own(world: World) -> None:
    """A pull request that a bot opened and pushed alone."""
    world.policy, world.author = BOT, "helper[bot]"
    world.without_issues()
    for move in world.moves:
        move["actor"] = PEOPLE["helper[bot]"]


@story(phases=GREEN, codes="PG401")
def exempt_updated(world: World) -> None:
    """Somebody merges the base into the bot's own pull request."""
    world.then(bots_own).push("b", "a", by="octo-dev")


@story(phases=GREEN, codes="PG401")
def exempt_recreated(world: World) -> None:
    """Somebody pushed to it, and the bot made it anew."""
    world.then(bots_own).push("b", by="octo-dev").push("c", by="helper[bot]")
    world.moves[-1]["kind"] = "force_push"


@story(phases=GREEN, codes="PG401")
def exempt_workflow(world: World) -> None:
    """The policy exempts the bot's updates of workflows."""
    world.then(bots_own).under(BOT.replace("reason:", 'paths: [".github/workflows/*.yml"], reason:'))
    world.touches(".github/workflows/ci.yml")


@story(phases=GREEN, codes="PG401", because="Exempt by the policy: dependency updates are tested by CI")
def exempt_retargeted_by_itself(world: World) -> None:
    """The bot points its own pull request at another base."""
    bots_own(world)
    change = {"at": world.tick(), "before": "develop", "after": "main", "actor": PEOPLE["helper[bot]"]}
    world.base_changes.append(change)


@story(phases="success failure success", codes="PG401", because="Judge failed")
def exempt_and_failed(world: World) -> None:
    """An exempt pull request that the Judge fails all the same is failed."""
    world.then(bots_own).failed_by("judge")


@story(
    phases=GREEN, codes="PG401", because="Build: Overridden by mona: nobody builds with it yet; Exempt by the policy"
)
def exempt_failed_and_overridden(world: World) -> None:
    """Until a human overrides that; the status names the override beside the exemption."""
    world.then(bots_own).failed_by("judge").says("mona", "/gate override build: nobody builds with it yet")


@story(phases=GREEN)
def null_keys(world: World) -> None:
    """Optional keys that are null are not there."""
    world.planned().passed_by("judge", commit=None, must_fix=None, false_positives=None).others_pass()


@story(phases=GREEN)
def role_with_a_capital(world: World) -> None:
    """The role key in capitals is the same role."""
    world.judged(verdict("judge").replace('"issues"', '"role": "Judge",\n "issues"'))


@story(phases=BUILD_FAILED, because="Judge failed 86f7e43: J01")
def id_with_a_zero(world: World) -> None:
    """J01 is an id of its own."""
    world.planned().says("ana", verdict("judge", "FAIL").replace('"J1"', '"J01"'))


@story(phases=BUILD_FAILED, codes="PG102", because="there is no jkz:verdict-json block")
def block_in_a_json_fence(world: World) -> None:
    """A block under the wrong name of a fence is told the right one."""
    world.planned().says("ana", f"## jkz:judge\n\nFine.\n\n```json\n{PASS}\n```\n")


@story(phases=BUILD_FAILED, codes="PG033", because='there is text before it, and "Posted by our runner" follows')
def text_after_the_block(world: World) -> None:
    """The line that follows the block is quoted."""
    world.planned().says("ana", f"{verdict('judge')}\nPosted by our runner\n")


@story(phases=BUILD_WAITS, because="Waiting for Judge on 86f7e43 (mona's approving review on GitHub is no verdict")
def approved_on_github(world: World) -> None:
    """A review that approves is explained as what it is."""
    world.planned().reviewed("mona", "Looks good to me", state="APPROVED")


@story(phases=GREEN)
def boxes_ticked(world: World) -> None:
    """Somebody ticks a box in the Judge's comment: that is no edit."""
    ticked(world, "[x]")


def ticked(world: World, box: str, who: str = "mona") -> None:
    """Everything is green; in the Judge's comment a box is changed."""
    world.planned()
    text = verdict("judge").replace("What I looked at", "- [ ] migrations\n- [ ] tests\n\nWhat I looked at")
    said = world.say("ana", text)
    world.edit(said, text.replace("[ ] tests", f"{box} tests"), who).others_pass()


@story(phases=GREEN)
def boxes_ticked_and_unticked(world: World) -> None:
    """Somebody ticks a box in the Judge's comment and takes that back, and so does the Judge: neither is an edit."""
    ticked(world, "[x]")
    said = next(each for each in world.comments if "[x]" in each["text"])
    for who, box in (("mona", "[ ]"), ("ana", "[x]"), ("ana", "[ ]")):
        world.edit(said, said["text"].replace("- [ ] tests", "- [x] tests").replace("[x] tests", f"{box} tests"), who)


QUICK = "complexity:quick"


@story(phases=GREEN, codes="PG102")
def quick_with_a_placeholder(world: World) -> None:
    """The Inspector's placeholder, later edited to the verdict, cancels no quick route."""
    world.label(QUICK)
    said = world.say("ana", "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n\nLooking.\n")
    world.edit(said, verdict("inspector"), "ana").passed_by("judge")


@story(phases=GREEN, codes="PG102 PG301")
def quick_with_a_placeholder_answered(world: World) -> None:
    """The Inspector's verdict comes in a comment of its own: its placeholder, like a malformed word, cancels
    nothing.
    """
    world.label(QUICK).says("ana", "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n\nLooking.\n")
    world.passed_by("inspector", commit=commit("never")).passed_by("inspector").passed_by("judge")


@story(phases=GREEN, codes="PG301")
def quick_with_a_slip_on_record(world: World) -> None:
    """The Inspector's PASS names a wrong commit, which the gate has written down, and is given again."""
    said = world.label(QUICK).judges("inspector", commit=commit("never"))
    world.on_record(said, "inspector", outcome="invalid", who="ana").passed_by("inspector").passed_by("judge")


@story(phases=GREEN)
def quick_with_a_placeholder_deleted(world: World) -> None:
    """The Inspector's account deletes its placeholder and posts the verdict."""
    world.label(QUICK)
    said = world.say("ana", "## jkz:inspector \N{HOURGLASS WITH FLOWING SAND}\n\nLooking.\n")
    world.on_record(said, "inspector", outcome="invalid", who="ana").delete(said, "ana").passed_by("inspector")
    world.passed_by("judge")


@story(phases=GREEN, codes="PG031 PG125")
def talk_about_verdicts(world: World) -> None:
    """People talk about markers, roles and failures without beginning a block: nobody's words."""
    world.unapproved().says("mona", "The jkz:verdict-json of the Judge says FAIL for J1. Is that right?")
    world.says("mona", "## Why jkz:judge was red\n\nIts `jkz:verdict-json` failed in a list.\n")
    world.says("mona", "/gate approve qa")


@story(phases=GREEN, codes="PG031 PG125")
def example_in_a_fence(world: World) -> None:
    """A person who never judged shows how a verdict looks, and is still a person."""
    world.planned().built().says("mona", f"This is how it should look:\n\n````\n{verdict('judge')}\n````\n")
    world.tested()


@story(phases=PLAN_WAITS, codes="PG401", because="keywords link nothing from a pull request into main")
def other_base_without_issue(world: World) -> None:
    """Into another base than the default one keywords link nothing, and what does is said."""
    world.without_issues()
    world.changes["repository"] = {"name": "octo/shop", "url": URL, "default_branch": "trunk", "id": 1}
    world.built()


@story(state="pending", phases=GREEN, because="Reopen it to have it decided again")
def closed_and_green(world: World) -> None:
    """A green pull request was closed: opened again it is as green as before."""
    world.unapproved().says("mona", "/gate approve qa").close()


def second_round(world: World) -> None:
    """The pipeline goes through a second round, of which the worker reports only its own file."""
    world.then(piped).leaves("p", plan=plan()).leaves("w", worker=worker())
    world.leaves("t", test=results("FAIL", None, classification="fix_target")).push("c")
    world.leaves("w2", worker=worker(files_changed=[PRODUCT[0]], summary="The clock is compared."))
    world.leaves("t2", test=results()).leaves("r2", review=review())


@story(phases=GREEN, codes="PG722")
def pipeline_second_round(world: World) -> None:
    """In a later round the worker may list only the files of that round."""
    second_round(world)


@story(phases=GREEN, codes="PG404")
def part_two(world: World) -> None:
    """Part one closed the issue; opened again and planned again, it is approved again for part two."""
    world.planned()
    world.issues[0] |= {
        "closed_by": [{"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}],
        "state": "open",
    }
    world.green()


@story(phases=BUILD_WAITS, because="Judge's and Inspector's PASS were for another base branch: the base changed since")
def retargeted(world: World) -> None:
    """Everything was green before the base changed: that is what is said."""
    world.unapproved().retarget("release", by="mona")


@story(phases=GREEN, codes="PG214")
def approver_explains_commands(world: World) -> None:
    """Who approved shows, quotes and mentions commands, and approves in a table once more."""
    world.unapproved().says("mona", "/gate approve qa")
    for text in (
        "This takes it back:\n\n```\n/gate withdraw qa\n```",
        "> /gate hold qa\n\nThat is no command.",
        "<!-- /gate hold qa -->",
        "The gate said so of qa; see /gateway/qa.",
        "| step |\n|---|\n| /gate approve qa |",
        "/gate status",
    ):
        world.says("mona", text)
    world.says("ben", "/gate do not approve qa")


for _document, (_puts, _kind, _defence, _codes, _phases, _history) in DOCUMENTS.items():
    if _history is not None:

        @story(
            f"earlier-words-in-{_document}",
            "What was said before stands below the key that the format has for it.",
            phases=GREEN,
            codes=_codes.replace("PG115", "" if _document == "finding" else "PG023")
            .replace("PG730 ", "")
            .replace("PG915", ""),
        )
        def _(world: World, puts: Puts = _puts, key: str = _history) -> None:
            puts(world, {key: [{"verdict": "FAIL", "must_fix": ["J1"], "result": "FAIL"}]})


@story(phases=GREEN)
def verdict_in_talk(world: World) -> None:
    """An agent shows what a verdict would look like, value below key, and holds nothing against the work."""
    world.planned().built().says("ana", 'Soon:\n\n```yaml\nverdict: >-\n  PASS\nmust_fix: "none"\n```\n')
    world.tested()
