"""Ways out for honest people who got stuck, step by step: the first thing that they read is what to do."""

from __future__ import annotations

from functools import partial

from tests.casebook import drift
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.honest import DOCS, bots_own
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import World, block, commit, verdict

green = partial(story, phases=GREEN)


@green(codes="PG102")
def way_quoted_fail(world: World) -> None:
    """A maintainer quotes a FAIL under the heading of the Judge, and is no agent."""
    world.planned()
    world.says("mona", "## jkz:judge\n\nIt said FAIL here because of the expiry. I looked, and it is right.\n")
    world.look("quoted as if it were the Judge's word").push("b").built().passed_by("sentinel", "lens")
    world.look("fixed and judged").says("mona", "/gate approve qa")


@green()
def way_back_to_exempt(world: World) -> None:
    """A pull request of documentation grows, and is exempt again once the code is taken out."""
    world.under(DOCS.replace("'*.md'", "'**/*.md'"))
    for what, paths in (
        ("one file of code", ("docs/a.md", "src/a.py")),
        ("three that never are", ("docs/a.md", "docs/b.md", "docs/c.md", ".github/a.md", "x.py", "AGENTS.md")),
        ("hardly any documentation", ("docs/a.md", "src/a.py", "src/b.py")),
        ("only instructions among the documentation", ("docs/AGENTS.md",)),
    ):
        world.touches(*paths).look(what)
    world.touches("docs/a.md", "docs/b.md", complete=False).look("more files than GitHub lists").touches()
    world.look("no file at all").touches("docs/a.md")


@story(
    phases="pending pending pending",
    codes="PG401 PG413",
    because="Not exempt (dependency updates are tested by CI): the log of pushes does not show who pushed",
)
def way_bot_without_a_log(world: World) -> None:
    """Nobody can tell who pushed to a bot's pull request."""
    world.then(bots_own).gated().unlogged()


@green(codes="PG213 PG214")
def way_to_a_command(world: World) -> None:
    """An approval is tried in more ways: each is answered."""
    world.unapproved()
    for text in (
        *("/approve qa", "/gate-approve qa", "gate approve qa", "@phase-gate approve qa", "@bot /gate approve qa"),
        *("/gate approved qa", "/gate approve", "/gate approve QA please", "/gate approve qa thank you"),
        *("/gate qa approve", "/gate lgtm qa", "/gate status", "/gate approve build and qa", "/gate approve `qa`"),
        *("/gate\N{NO-BREAK SPACE}approve qa", "Looks good.\n\n**/gate approve qa**", "/gate approve testing"),
    ):
        world.says("mona", text).look(text)
    world.says("mona", "/gate approve qa, thanks!")


@green(codes="PG214")
def way_to_a_plain_line(world: World) -> None:
    """A command is set off, or is not alone on its line, or its commit is."""
    world.unapproved()
    named = commit(world.head)
    for text in (
        *("LGTM /gate approve qa", "Looks good to me! /gate approve qa", "1. /gate approve qa", "\t/gate approve qa"),
        *("<p>/gate approve qa</p>", "/gate approve qa<br>", "/ gate approve qa", "/gate approve the qa"),
        *("/gate approve phase-gate/qa", f"/gate approve qa {named[:6]}", f"/gate approve qa at {named[:8]}"),
        *(f"/gate approve qa `{named[:7]}`", f"/gate approve qa https://github.com/octo/shop/commit/{named}"),
    ):
        world.says("mona", text).look(text)
    for who in ("mona", "ana", "octo-dev"):
        world.says(who, "Please comment /gate approve qa once you have looked at it.")
    world.look("people talk about it").says("mona", f"/gate approve qa {named}, thanks!")


@green(codes="PG214 PG237")
def way_to_withdraw(world: World) -> None:
    """An approval is taken back in a line that is not a command: it waits."""
    world.unapproved().says("mona", "/gate approve qa").says("ben", "/gate unapprove qa")
    world.look("by somebody who did not approve")
    for text in (
        *("/gate unapprove qa", "/gate withdraw", "/gate withdraw qa because of the timeout", "`/gate withdraw qa`"),
        *("/gate withdraw tests", "It times out, /gate withdraw qa", "/gate don't approve qa"),
    ):
        said = world.say("mona", text)
        world.look(text).edit(said, "I looked again, it is good.", "mona").look("and taken back")
    world.says("mona", "/gate withdraw the approval of qa").says("mona", "/gate approve qa")


@green(codes="PG214 PG237")
def way_to_an_override(world: World) -> None:
    """The same of an override."""
    world.planned().built().says("mona", "/gate override qa: tested by hand")
    world.says("mona", "/gate withdraw qa please").look("in doubt")
    world.says("mona", "/gate override qa: I did test it by hand")


@green(codes="PG213 PG214 PG301 PG305")
def way_to_name_a_commit(world: World) -> None:
    """The log cannot be read, and a commit must be named."""
    world.unlogged().gated().planned().failed_by("judge", commit=commit("a"))
    for text in ("/gate override build: it is late", "/gate override build 3f2a91c: it is late"):
        world.says("mona", text).look(text)
    world.says("mona", f"/gate override build {commit('a')[:7]}: it is late")
    world.failed_by("sentinel", commit=commit("a"))
    for text in ("/gate override: it is late", "/gate override tests: it is late"):
        world.says("mona", text).look(text)
    world.says("mona", f"/gate override qa {commit('a')[:7]}: it is late")


@green()
def way_on_from_an_override(world: World) -> None:
    """An override for earlier content leads until the judges go on without it."""
    world.planned().failed_by("judge").says("mona", "/gate override build: it is late").push("b").look("pushed")
    world.passed_by("judge").look("and judged").others_pass()


@green(codes="PG224")
def way_of_quoting(world: World) -> None:
    """Whoever approved quotes the withdrawal of somebody else."""
    world.unapproved().says("ben", "/gate approve qa").says("ben", "/gate withdraw qa")
    world.says("mona", "/gate approve qa").says("mona", "> /gate withdraw qa\n\nI do not see why.\n")


@green(codes="PG209 PG214 PG215")
def way_past_a_resume(world: World) -> None:
    """A phase that only failed is resumed: what helps is said."""
    world.planned().built().passed_by("sentinel").failed_by("lens")
    for text in ("/gate resume qa: please test it again", "/gate resume qa", "/gate retry qa"):
        world.says("mona", text).look(text)
    world.push("b").look("fixed").says("mona", "/gate resume plan: the tests run again")
    world.says("mona", "/gate resume build: the tests run again").look("while others are awaited").built()
    world.tested()


@story(phases=QA_WAITS, codes="PG214 PG224", because="Waiting for a human's /gate approve qa")
def way_withdrawn(world: World) -> None:
    """And then with the line that was named."""
    world.unapproved().says("mona", "/gate approve qa").says("mona", "/gate unapprove qa")
    world.says("mona", "/gate withdraw qa")


@story(phases=QA_WAITS, codes="PG210 PG211 PG214")
def way_tries_of_others(world: World) -> None:
    """They only ask."""
    world.unapproved()
    for who in ("octo-dev", "ana", "eve"):
        for text in ("/approve qa", "@mona /gate approve qa", "Please write\n\n`/gate approve qa`\n"):
            world.says(who, text)
    world.look("who could not approve asks others").says("octo-dev", "/gate aprove qa")


@green(codes="PG911")
def way_to_a_heading(world: World) -> None:
    """A described heading with two spaces in it, then with one."""
    world.under(drift.POLICY)
    said = world.say("ben", drift.word("Review  verdict: clean"))
    world.look("two spaces").edit(said, drift.word(drift.GOOD), "ben")


@green(codes="PG035 PG125")
def way_to_a_role(world: World) -> None:
    """What looks like the Judge's heading and is none is named."""
    world.planned()
    for heading in ("### jkz:judge", "## \N{WHITE HEAVY CHECK MARK} jkz:judge", "## jkz: judge", "**Judge**"):
        world.says("ana", verdict("judge").replace("## jkz:judge", heading)).look(heading)
    world.says("ana", "\ufeff" + verdict("judge")).look("a byte order mark before the heading").built().tested()


@green(codes="PG022 PG031")
def way_to_a_verdict(world: World) -> None:
    """Other words for PASS, and a block that is folded away."""
    world.planned()
    for word in ("APPROVED", "lgtm"):
        world.passed_by("judge", verdict=word).look(word)
    folded = f"<details>\n\n{block({'verdict': 'PASS', 'issues': []})}\n\n</details>"
    world.says("ana", f"## jkz:judge\n\n{folded}\n").look("folded away").built().tested()


@green(codes="PG209")
def way_to_the_right_place(world: World) -> None:
    """The Judge fails the work on the issue, then where it counts."""
    world.planned().built().says("ana", verdict("judge", "FAIL"), on=12).look("on the issue")
    world.says("ana", f"## jkz:builder\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n", on=12)
    world.says("ana", f"## jkz:doctor\n\n{block({'verdict': 'FIXED', 'issues': []})}\n").failed_by("judge")
    world.look("on the pull request").push("b").built().tested().says("ana", verdict("lens"), on=12)


@green()
def way_from_a_button(world: World) -> None:
    """Who should judge only presses Approve."""
    world.planned().reviewed("ana", "", state="APPROVED").look("the button").built().tested()


@green()
def way_past_a_label(world: World) -> None:
    """The author calls it a bug; somebody else sets the label again."""
    world.planned().label("bug", by="octo-dev").look("labelled by the author, before the build").built()
    world.look("built").unlabel("bug").label("bug")


@story(phases="pending pending pending", codes="PG407", because='"complexity:quick" of #12 was set by octo-dev')
def way_past_a_quick_label(world: World) -> None:
    """The author calls it quick, which is no plan spared."""
    world.label("complexity:quick", by="octo-dev")


@green(codes="PG402")
def way_to_an_issue(world: World) -> None:
    """An issue of another repository is linked, then one of this."""
    world.without_issues()
    world.issue(3, repository="octo/other")
    world.look("of another repository")
    world.issue(12)
    world.green()


@story(phases=BUILD_WAITS)
def way_of_a_blocked_builder(world: World) -> None:
    """What is not made need not be judged."""
    world.planned().says("ana", f"## jkz:builder\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n")


@green(codes="PG031 PG125")
def way_past_a_quote(world: World) -> None:
    """Three people answer a FAIL by quoting it: it leads nowhere."""
    world.planned()
    said = world.judges("judge", "FAIL")["text"].replace("\n", "\n> ")
    world.push("b").built()
    for who in ("mona", "ana", "octo-dev"):
        world.says(who, f"> {said}\n\nThat is fixed now.\n").look(f"{who} quotes it")
    world.tested()


@green(codes="PG031 PG102 PG124")
def way_to_a_marker(world: World) -> None:
    """Near misses of the marker are answered."""
    world.planned()
    for text in (
        block({"verdict": "PASS", "issues": []}).replace("verdict-json", "verdict_json"),
        '```json jkz:verdict-json\n{"verdict": "PASS", "issues": []}\n```',
    ):
        world.says("ana", f"## jkz:judge\n\n{text}\n").look(text.splitlines()[0])
    world.built().tested()


@green()
def way_of_words_that_came_early(world: World) -> None:
    """Nobody is asked again for what is there without hearing why it does not do."""
    world.planned().passed_by("inspector").passed_by("judge").look("the Inspector spoke first")
    world.passed_by("inspector").says("mona", "/gate approve qa").passed_by("sentinel", "lens")
    world.look("approved before the verdicts").says("mona", "/gate approve qa").retarget("release", by="mona")
    world.look("retargeted").built().tested()


@green(codes="PG211 PG214 PG215")
def way_to_a_resume(world: World) -> None:
    """A FAIL was dismissed; three resumes are answered by name, the fourth counts."""
    world.planned()
    failed = world.review("ana", verdict("judge", "FAIL"), state="CHANGES_REQUESTED")
    world.dismiss(failed, "octo-dev").push("b").built().look("dismissed by the author, and fixed")
    for who, what in (("octo-dev", "resume build: mine"), ("mona", "resume build"), ("mona", "retry")):
        text = f"/gate {what}"
        world.says(who, text).look(f"{who} writes {text}")
    world.says("mona", "/gate resume build: I looked at it").tested()


@green(codes="PG209 PG211")
def way_of_two_reasons(world: World) -> None:
    """The author approves in the wrong place: both are said at once."""
    world.unapproved().says("octo-dev", "/gate approve qa", on=12).look("by the author, on the issue")
    world.says("mona", "/gate approve qa")


LONE = "version: 1\nagents: {accounts: [{login: 'jkz-runner[bot]', id: 987, app_id: 12345}]}\n"


@green()
def way_of_a_lone_maintainer(world: World) -> None:
    """One person whose agents have a bot approves; the policy can let them."""
    bot = {"app_id": 12345}
    world.policy, world.permissions = LONE, {"octo-dev": "admin"}
    world.says("jkz-runner[bot]", "## jkz:architect\n\n1. Check the expiry.\n", on=12, **bot)
    for role in ("auditor", "curator"):
        world.says("jkz-runner[bot]", verdict(role), on=12, **bot)
    world.look("planned by the bot").says("octo-dev", "/gate approve plan", on=12)
    world.look("approved by the only person").under(f"{LONE}humans: {{author_may_approve: true}}\n")
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.says("jkz-runner[bot]", verdict(role), **bot)
    world.says("octo-dev", "/gate approve qa")


@green(codes="PG117")
def way_past_a_finding(world: World) -> None:
    """The Inspector calls a finding noise: by another id, by a line that is not there, then right."""
    world.planned().failed_by("judge")
    for named, shown in (("J2", "See src/auth.py:42."), ("J1", "J1 is handled in src/gone.py:3."), ("J1", PROOF)):
        told = block({"verdict": "PASS", "issues": [], "false_positives": [named]})
        world.says("ana", f"## jkz:inspector\n\n{shown}\n\n{told}\n").look(f"{named}: {shown}")
    world.tested()


PROOF = "J1 is noise:\n\n```\n$ pytest -k expiry\n1 passed\n```"


@green(codes="PG912 PG913")
def way_to_a_pattern(world: World) -> None:
    """A described heading in capitals, of another level, and with a commit cut short."""
    world.under(drift.POLICY)
    good = drift.word(drift.GOOD)
    for text in (good.replace("clean", "Clean"), good.replace("##", "#"), good.replace(commit("a"), "86f7e4")):
        world.says("ben", text).look(text.splitlines()[0])
    world.says("ben", good)


@green(codes="PG102 PG120 PG125 PG201")
def way_to_a_plan(world: World) -> None:
    """A plan under headings that are none is answered; talk of it is no plan."""
    for heading in ("# jkz:architect", "**jkz:architect**", "## jkz:architect: sessions expire", "## jkz:architekt"):
        world.says("ana", f"{heading}\n\n1. Check the expiry.\n", on=12).look(heading)
    world.says("eve", "# jkz:architect\n\n1. Trust me.\n", on=12).look("a stranger's").planned()
    world.says("mona", "### jkz:architect\n\nIts plan is good.\n", on=12).built().tested()


@green(codes="PG001 PG201 PG202 PG203")
def way_past_a_broken_word(world: World) -> None:
    """After a broken verdict others answer who may not: the newest is what is talked about."""
    world.planned().says("ana", verdict("judge").replace('"PASS",', '"PASS"')).look("broken")
    for who in ("helper[bot]", "octo-dev", "eve"):
        world.passed_by("judge", who=who).look(f"a good one by {who}")
    world.built().tested()


@green()
def way_of_a_reviewer_who_fixes(world: World) -> None:
    """The reviewer pushes the fix: somebody else reviews it, and a human looks at the old FAIL."""
    world.then(piped).leaves("p", plan=plan()).leaves("w", worker=worker())
    world.leaves("t", by="ben", test=results()).leaves("r", review=review("FAIL")).push("c", by="ana")
    world.leaves("w2", worker=worker(summary="Fixed."), review=review(run_at="2026-03-02T10:00:00Z"))
    world.leaves("t2", by="ben", test=results(run_at="2026-03-02T10:00:00Z"))
    world.look("fixed and reviewed by one account")
    world.leaves("r2", by="ben", review=review(run_at="2026-03-02T11:00:00Z")).look("reviewed by another")
    world.says("mona", "/gate resume build: the FAIL was right, and is fixed")


@green(codes="PG202 PG203")
def way_past_a_fail(world: World) -> None:
    """Who may not judge answers a FAIL: that is named, and nobody is asked to trust it."""
    world.planned().failed_by("judge")
    for who in ("helper[bot]", "octo-dev"):
        world.passed_by("judge", who=who).look(f"a PASS by {who}")
    world.push("b").built().tested()


@green()
def way_to_a_folder(world: World) -> None:
    """A plan in the folder of another issue, in none, and under another name: each is named."""
    piped(world)
    before: dict[str, str | None] = {}
    for number, path in enumerate((".pipeline/13/plan.json", ".pipeline/plan.json", ".pipeline/12/Plan.json")):
        world.push(f"e{number}", "b", by="ben", evidence={**before, path: plan()}).look(path)
        before = {path: None}
    world.push("p", "b", by="ben", evidence={**before, ".pipeline/12/plan.json": plan()})
    world.leaves("w", worker=worker()).leaves("t", test=results()).leaves("r", review=review())
