"""Lives of honest pull requests, told step by step with what a person reads at each of them."""

from __future__ import annotations

from functools import partial

from tests.casebook import drift, envelope, reviewers, thehood
from tests.casebook.evidence import PRODUCT, plan, results, review, worker
from tests.casebook.honest import BOT, DOCS, SOLO, bots_own, everything_by
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import World, block, commit, finding, verdict

PASS = '{"verdict": "PASS", "issues": []}'
HEAD = commit("a")
PLAN_WAITS = "pending pending pending"
green = partial(story, phases=GREEN)


@green(codes="PG125")
def life_headings(world: World) -> None:
    """The Judge gets its heading wrong in four ways, then right."""
    world.planned()
    for heading in ("# jkz:judge", "**jkz:judge**", "## Judge"):
        world.says("ana", verdict("judge").replace("## jkz:judge", heading)).look(f"headed {heading}")
    world.says("ana", verdict("judge").replace("## jkz:judge", "## jkz:Judge")).look("headed ## jkz:Judge")
    world.others_pass()


@green(codes="PG030 PG033")
def life_block_moved(world: World) -> None:
    """The block is in the middle, twice, and at last first."""
    world.planned()
    said = world.say("ana", f"## jkz:judge\n\nIntro.\n\n{block(PASS)}\n\nMore remarks.\n")
    world.look("in the middle").edit(said, f"## jkz:judge\n\n{block(PASS, 'fence')}\n\n{block(PASS)}\n", "ana")
    world.look("in both carriers").edit(said, f"{block(PASS)}\n\n## jkz:judge\n\nIntro. More remarks.\n", "ana")
    world.look("first").others_pass()


@green(codes="PG024 PG301")
def life_commits(world: World) -> None:
    """Of the ways to name a commit the last one holds."""
    world.test_merge = commit("merge")
    world.planned()
    for named in (HEAD[:5], "HEAD", commit("merge"), commit("b")):
        world.passed_by("judge", commit=named).look(f"named {named}")
    world.push("b").look("what was named before is pushed").passed_by("judge", commit=commit("b")[:7].upper())
    world.others_pass()


@green()
def life_approving_review(world: World) -> None:
    """A verdict in an approving review counts; the approval beside it is explained once."""
    world.planned().reviewed("ana", verdict("judge"), state="APPROVED")
    world.look("the Judge's verdict in an approving review")
    world.reviewed("ana", verdict("inspector"), state="COMMENTED").reviewed("mona", "", state="APPROVED")
    world.look("somebody approves on GitHub").passed_by("sentinel", "lens").look("QA has spoken")
    world.says("mona", "/gate approve qa.")


@green(codes="PG209 PG211 PG212 PG213 PG214")
def life_approvals(world: World) -> None:
    """An approval is tried in seven ways."""
    world.unapproved()
    texts = ("`/gate approve qa`", "**/gate approve qa**", "/gate approve qa looks good to me", "/gate aprove qa")
    for text in (*texts, "/gate approve all", "> /gate approve qa"):
        world.says("mona", text).look(text)
    world.says("mona", "/gate approve qa", on=12).look("on the issue").says("octo-dev", "/gate approve qa")
    world.look("by the author").says("ana", "/gate approve qa").look("by an agent")
    world.says("mona", "/Gate Approve QA: sieht gut aus, thanks")


@green(codes="PG209")
def life_approved_early(world: World) -> None:
    """The plan is approved on the wrong page, QA too early."""
    world.says("ana", "## jkz:architect\n\n1. Check.\n", on=12).passed_by("auditor").passed_by("curator")
    world.says("mona", "/gate approve plan").look("on the pull request")
    world.says("mona", "/gate approve plan", on=12).built().says("mona", "/gate approve qa")
    world.look("before the verdicts").passed_by("sentinel", "lens").look("after the verdicts")
    world.says("mona", "/gate approve qa")


@green()
def life_two_issues(world: World) -> None:
    """Two issues, of which one is approved twice."""
    world.issue(13)
    world.planned().look("one is planned").says("ana", "## jkz:architect\n\n1. The other.\n", on=13)
    for role in ("auditor", "curator"):
        world.says("ana", verdict(role), on=13)
    world.says("mona", "/gate approve plan", on=12).look("the wrong one is approved again")
    world.says("mona", "/gate approve plan", on=13).built().tested()


@green(codes="PG211 PG214 PG215 PG401")
def life_hotfix(world: World) -> None:
    """No issue; the fourth override counts."""
    world.without_issues().built().tested().look("no issue")
    for who, text in (("octo-dev", ": mine"), ("mona", ""), ("mona", " hotfix")):
        world.says(who, f"/gate override plan{text}").look(f"{who} writes /gate override plan{text}")
    world.says("mona", "/gate override plan: production is down")


@story(phases=PLAN_WAITS, codes="PG401", because="The override by mona was for earlier content")
def life_hotfix_pushed(world: World) -> None:
    """Everything was overridden, then something is pushed."""
    world.without_issues()
    for phase in ("plan", "build", "qa"):
        world.says("mona", f"/gate override {phase}: production is down")
    world.look("overridden").push("b")


@green(codes="PG305")
def life_no_log(world: World) -> None:
    """The branch was renamed, and its log is gone: commits are named."""
    world.gated().planned().built().unlogged().look("the log is gone")
    world.passed_by("judge", "inspector", "sentinel", "lens", commit=HEAD[:8]).says("mona", "/gate approve qa")
    world.look("all but the approval name it").says("mona", f"/gate approve qa {HEAD[:7]}")


@green(codes="PG211 PG215")
def life_escalated(world: World) -> None:
    """Four failing rounds, a resume without a reason, one by the author, one that counts."""
    world.planned()
    for name in ("a", "b", "c", "d"):
        if name != "a":
            world.push(name)
        world.failed_by("judge")
    world.look("escalated").passed_by("judge").says("mona", "/gate resume build").look("without a reason")
    world.says("octo-dev", "/gate resume build: let me").look("by the author")
    world.says("mona", "/gate resume build: the plan was unclear").others_pass()


@green(codes="PG102")
def life_progress(world: World) -> None:
    """The Judge's comment shows its progress before each verdict."""
    world.planned()
    said = world.say("ana", "## jkz:judge \N{HOURGLASS WITH FLOWING SAND}\n\nWorking on it.\n")
    world.look("a placeholder").edit(said, verdict("judge"), "ana").look("the verdict").push("b")
    world.edit(said, "## jkz:judge \N{HOURGLASS WITH FLOWING SAND}\n\nOnce more.\n", "ana")
    world.look("a placeholder again").edit(said, verdict("judge"), "ana").others_pass()


@green()
def life_closed(world: World) -> None:
    """Closed, pushed to, and opened again."""
    world.planned().built().close().look("closed").push("b").look("pushed to while it was closed").reopen()
    world.look("opened again").built().tested()


@green()
def life_rebased(world: World) -> None:
    """A rebase keeps the verdicts, a conflict and another base do not."""
    world.green().push("b", content="a").look("rebased").push("c").look("a conflict was resolved").built()
    world.retarget("release", by="mona").look("retargeted").built().tested()


@green()
def life_windows(world: World) -> None:
    """Carriage returns, backslashes, and text that is not English."""
    world.says("ana", "## jkz:architect\r\n\r\n1. Prüfen.\r\n", on=12)
    for role in ("auditor", "curator"):
        world.says("ana", verdict(role).replace("\n", "\r\n"), on=12)
    world.says("mona", "/gate approve plan\r\n", on=12)
    world.failed_by("judge", issues=[finding("J1", location="src\\auth.py:42")])
    world.look("a finding at a Windows path").push("b")
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.says("ana", verdict(role).replace("What I looked at", "全部检查过了").replace("\n", "\r\n"))
    world.says("mona", "\r\n  /gate approve qa: 谢谢\r\n")


@green(codes="PG001 PG022")
def life_typography(world: World) -> None:
    """The block is typed by hand."""
    world.planned()
    for text in ("{\u201cverdict\u201d: \u201cPASS\u201d}", PASS.replace("]", "],"), PASS.replace("PASS", "pass")):
        world.says("ana", f"## jkz:judge\n\n{block(text)}\n").look(text)
    world.built().tested()


@green(codes="PG202 PG203")
def life_bot(world: World) -> None:
    """A bot's own pull request, to which somebody pushes a fix."""
    world.then(bots_own).look("exempt").push("b", by="octo-dev").look("a human pushed")
    world.issue(12)
    world.planned().passed_by("judge", who="helper[bot]").look("the bot judges its own work").built().tested()


@story(
    phases=PLAN_WAITS,
    codes="PG413",
    because="Not exempt (documentation needs no review by agents): src/a.py is not among its paths",
)
def life_documentation(world: World) -> None:
    """One file of code is added to documentation."""
    world.under(DOCS).touches("docs/a.md").look("documentation only").touches("docs/a.md", "src/a.py").push("b")


@green(codes="PG223")
def life_alone(world: World) -> None:
    """One person with agents, first without the preset."""
    world.then(everything_by, "octo-dev").look("without the preset, where others have write permission too")
    world.permissions = {"octo-dev": "admin", "eve": "read"}
    world.look("without the preset, and nobody else is there").under(SOLO)


@story(phases=BUILD_FAILED, codes="PG119")
def life_named_for_another(world: World) -> None:
    """A bot that the policy names as Judge speaks as Inspector too."""
    world.planned().passed_by("judge", who="helper[bot]").look("unnamed")
    world.under(BOT.split("exempt")[0] + "agents: {accounts: [{login: 'helper[bot]', id: 555, roles: [judge]}]}\n")
    world.look("named as Judge").passed_by("inspector", who="helper[bot]")


@green(codes="PG022 PG031 PG202 PG308")
def life_envelope(world: World) -> None:
    """Messages in the wrong order and dress."""
    world.under(envelope.PROFILE).look("nothing yet").says("ana", envelope.message("triage_result"), on=12)
    world.says("ana", envelope.message("plan_result"), on=12).look("planned")
    world.says("octo-dev", envelope.message("worker_submission", carrier="fence").replace("```envelope", "```yaml"))
    world.look("in a fence of another name")
    world.says("octo-dev", envelope.message("worker_submission").replace("rfr", "RFR")).look("in capitals")
    envelope.reviews(world)
    envelope.works(world)
    world.look("reviewed before it was handed in")
    envelope.reviews(world)
    envelope.audits(world, who="octo-dev")
    world.look("audited by the author")
    envelope.audits(world)


@green()
def life_thehood(world: World) -> None:
    """Verified without a log, revised, verified again."""
    world.under(thehood.PROFILE).look("nothing yet").then(thehood.decides).then(thehood.implements)
    world.then(thehood.verifies, verdict="revise", failed_criteria=["AC1"]).look("revise").push("b")
    world.then(thehood.implements).then(thehood.verifies, evidence=[thehood.DIFF]).look("without a test log")
    thehood.verifies(world)


@green()
def life_pipeline(world: World) -> None:
    """The author commits the artifacts, and the worker goes beyond the plan."""
    world.then(piped).look("nothing yet")
    steps = [{"order": 1, "action": "modify", "file": PRODUCT[0], "description": "Check it", "depends_on": []}]
    mapping = {"AC-1": f"{PRODUCT[0]}::doctest"}
    world.leaves("p", plan=plan(affected_files=[PRODUCT[0]], steps=steps, acceptance_mapping=mapping))
    world.leaves("w", worker=worker()).look("beyond the plan").leaves("p2", plan=plan())
    world.leaves("w2", worker=worker(summary="Again.")).leaves("t", by="octo-dev", test=results())
    world.look("tested by the author").leaves("t2", test=results(run_at="2026-03-02T10:00:00Z"))
    world.leaves("r", review=review())


@story(phases=GREEN, codes="PG912 PG913 PG914")
def life_described(world: World) -> None:
    """A described format, missed in three ways."""
    world.under(drift.POLICY).look("nothing yet").says("ben", drift.word("Review verdict: approved"))
    world.look("a value that is not in the map").says("ben", f"## {drift.GOOD}\n").look("without its commit")
    world.says("ben", drift.word(drift.GOOD))


@green()
def life_in_a_file(world: World) -> None:
    """A verdict kept in a file of a described format."""
    world.under(drift.STORIES).look("nothing yet")
    world.commits("f", {".stories/one.json": '{"verdict": "good"}'}, by="octo-dev").look("pushed by the author")
    world.commits("g", {".stories/one.json": '{"verdict": "good", "by": "ana"}'})


@green()
def life_coderabbit(world: World) -> None:
    """Silent, limited, then findings, then clean."""
    world.under(reviewers.policy("coderabbit")).look("silent")
    reviewers.says(world, "coderabbit", reviewers.notice("rate limited"))
    world.look("rate limited")
    reviewers.reviews(world, "coderabbit", reviewers.actionable(2))
    world.look("findings").push("b").look("fixed")
    reviewers.says(world, "coderabbit", reviewers.walkthrough("b"))


@story(phases=BUILD_WAITS)
def life_checked(world: World) -> None:
    """A check that the policy names is red, then fixed."""
    world.under("version: 1\nphases: {build: {checks: [unit tests]}}\n").planned().built()
    world.look("it has not run")
    run = {"name": "unit tests", "status": "completed", "conclusion": "failure", "commit": HEAD}
    world.changes["checks"] = [run]
    world.look("it is red").push("b")
    world.changes["checks"] = [{**run, "conclusion": "success", "commit": commit("b")}]


@story(phases=QA_WAITS, codes="PG407")
def life_label(world: World) -> None:
    """The author lowers the bar, which waits for somebody else."""
    world.planned().built().look("a feature").label("bug", by="octo-dev")


@green(codes="PG404")
def life_part_two(world: World) -> None:
    """The issue was closed by part one, and opened again."""
    world.green()
    merged = {"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}
    world.issues[0] |= {"closed_by": [merged], "state": "closed"}
    world.look("closed by part one")
    world.issues[0]["state"] = "open"
    world.look("opened again").planned()


@green()
def life_noise(world: World) -> None:
    """The Inspector calls a finding noise, first without evidence."""
    world.planned().failed_by("judge").passed_by("inspector", false_positives=["J1"]).look("without evidence")
    shown = "J1 is noise:\n\n```\n$ pytest -k expiry\n1 passed\n```\n"
    told = block({"verdict": "PASS", "issues": [], "false_positives": ["J1"]})
    world.says("ana", f"## jkz:inspector\n\n{shown}\n{told}\n").tested()


@green(codes="PG033")
def life_footers(world: World) -> None:
    """A runtime signs what it posts: with words that nobody knows, then with a footer of the policy."""
    world.under('version: 1\nverdicts: {footers: ["Sent by the night shift"]}\n').planned()
    said = world.say("ana", f"{verdict('judge')}\nPosted with love\n")
    world.look("signed in words that nobody knows")
    world.edit(said, f"{verdict('judge')}\nSent by the night shift\n<!-- run 17 -->\n", "ana")
    world.look("signed with the footer of the policy").others_pass()


@green(codes="PG223")
def life_solo_pipeline(world: World) -> None:
    """One person's agents commit plan and results from the account that pushed the product."""
    piped(world)
    world.permissions = {"octo-dev": "admin", "eve": "read"}
    world.leaves("p", by="octo-dev", plan=plan()).look("the plan by the author's account")
    for name, text in (("w", {"worker": worker()}), ("t", {"test": results()}), ("r", {"review": review()})):
        world.leaves(f"{name}0", by="octo-dev", **text)
    world.look("all results by the author's account").under("version: 1\nprofile: pipeline\nsolo: true\n")
    world.look("the policy says that one account does everything")


@green()
def life_deleted_and_posted_again(world: World) -> None:
    """The Judge's account deletes its FAIL, and posts anew after the fix."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.look("failed").on_record(said, who="ana").delete(said, "ana").look("deleted by its own account")
    world.push("b").passed_by("judge").look("posted anew on the fix").others_pass()


@green(codes="PG031 PG119 PG125")
def life_examples(world: World) -> None:
    """Somebody shows how a verdict is written; the Judge uses another role's letter once."""
    world.planned()
    world.says("mona", f"This is how it looks:\n\n````\n{block(PASS, 'fence')}\n````\n\nPlease write it so.\n")
    world.look("an example by somebody who never judged")
    world.says("ana", verdict("judge", "FAIL").replace("J1", "I1")).look("an id with the Inspector's letter")
    world.push("b").built().tested()


@green()
def life_memos(world: World) -> None:
    """The memos of state.yaml lag behind the results."""
    piped(world)
    world.leaves("p", plan=plan(), state="issue_number: 12\nstatus: in_progress\ncurrent_stage: plan\n")
    world.leaves("w", worker=worker()).look("the worker is done, the memo still plans")
    world.leaves("t", test=results()).leaves("r", review=review())
