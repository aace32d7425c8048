"""Lives of honest pull requests, told step by step with what a person reads at each of them."""

from __future__ import annotations

from functools import partial

from tests.casebook import drift, envelope, reviewers, thehood
from tests.casebook.evidence import PRODUCT, plan, results, review, worker
from tests.casebook.history import deletes, on_record
from tests.casebook.honest import BOT, DOCS, SOLO, bots_own, everything_by, waiting_for_approval
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, World, block, commit, finding, verdict

PASS = '{"verdict": "PASS", "issues": []}'
HEAD = commit("a")
PLAN_WAITS = "pending pending pending"
green = partial(story, phases=GREEN)


@green(codes="PG125")
def life_headings(world: World) -> None:
    """The Judge gets its heading wrong in four ways, then right."""
    world.planned()
    for heading in ("# jkz:judge", "**jkz:judge**", "## Judge"):
        world.say("ana", verdict("judge").replace("## jkz:judge", heading))
        world.look(f"headed {heading}")
    world.say("ana", verdict("judge").replace("## jkz:judge", "## jkz:Judge"))
    world.look("headed ## jkz:Judge")
    world.judges("inspector")
    world.tested()


@green(codes="PG030 PG033")
def life_block_moved(world: World) -> None:
    """The block is in the middle, twice, and at last first."""
    world.planned()
    said = world.say("ana", f"## jkz:judge\n\nIntro.\n\n{block(PASS)}\n\nMore remarks.\n")
    world.look("in the middle")
    world.edit(said, f"## jkz:judge\n\n{block(PASS, 'fence')}\n\n{block(PASS)}\n", "ana")
    world.look("in both carriers")
    world.edit(said, f"{block(PASS)}\n\n## jkz:judge\n\nIntro. More remarks.\n", "ana")
    world.look("first")
    world.judges("inspector")
    world.tested()


@green(codes="PG024 PG301")
def life_commits(world: World) -> None:
    """Of the ways to name a commit the last one holds."""
    world.test_merge = commit("merge")
    world.planned()
    for named in (HEAD[:5], "HEAD", commit("merge"), commit("b")):
        world.judges("judge", commit=named)
        world.look(f"named {named}")
    world.push("b")
    world.look("what was named before is pushed")
    world.judges("judge", commit=commit("b")[:7].upper())
    world.judges("inspector")
    world.tested()


@green()
def life_approving_review(world: World) -> None:
    """A verdict in an approving review counts; the approval beside it is explained once."""
    world.planned()
    world.review("ana", verdict("judge"), state="APPROVED")
    world.look("the Judge's verdict in an approving review")
    world.review("ana", verdict("inspector"), state="COMMENTED")
    world.review("mona", "", state="APPROVED")
    world.look("somebody approves on GitHub")
    world.judges("sentinel")
    world.judges("lens")
    world.look("QA has spoken")
    world.say("mona", "/gate approve qa.")


@green(codes="PG209 PG211 PG212 PG213 PG214")
def life_approvals(world: World) -> None:
    """An approval is tried in seven ways."""
    waiting_for_approval(world)
    texts = ("`/gate approve qa`", "**/gate approve qa**", "/gate approve qa looks good to me", "/gate aprove qa")
    for text in (*texts, "/gate approve all", "> /gate approve qa"):
        world.say("mona", text)
        world.look(text)
    world.say("mona", "/gate approve qa", on=12)
    world.look("on the issue")
    world.say("octo-dev", "/gate approve qa")
    world.look("by the author")
    world.say("ana", "/gate approve qa")
    world.look("by an agent")
    world.say("mona", "/Gate Approve QA: sieht gut aus, thanks")


@green(codes="PG209")
def life_approved_early(world: World) -> None:
    """The plan is approved on the wrong page, QA too early."""
    world.say("ana", "## jkz:architect\n\n1. Check.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan")
    world.look("on the pull request")
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.say("mona", "/gate approve qa")
    world.look("before the verdicts")
    world.judges("sentinel")
    world.judges("lens")
    world.look("after the verdicts")
    world.say("mona", "/gate approve qa")


@green()
def life_two_issues(world: World) -> None:
    """Two issues, of which one is approved twice."""
    world.issue(13)
    world.planned()
    world.look("one is planned")
    world.say("ana", "## jkz:architect\n\n1. The other.\n", on=13)
    for role in ("auditor", "curator"):
        world.say("ana", verdict(role), on=13)
    world.say("mona", "/gate approve plan", on=12)
    world.look("the wrong one is approved again")
    world.say("mona", "/gate approve plan", on=13)
    world.built()
    world.tested()


@green(codes="PG211 PG214 PG215 PG401")
def life_hotfix(world: World) -> None:
    """No issue; the fourth override counts."""
    world.issues.clear()
    world.built()
    world.tested()
    world.look("no issue")
    for who, text in (("octo-dev", ": mine"), ("mona", ""), ("mona", " hotfix")):
        world.say(who, f"/gate override plan{text}")
        world.look(f"{who} writes /gate override plan{text}")
    world.say("mona", "/gate override plan: production is down")


@story(phases=PLAN_WAITS, codes="PG401", because="The override by mona was for earlier content")
def life_hotfix_pushed(world: World) -> None:
    """Everything was overridden, then something is pushed."""
    world.issues.clear()
    for phase in ("plan", "build", "qa"):
        world.say("mona", f"/gate override {phase}: production is down")
    world.look("overridden")
    world.push("b")


@green(codes="PG305")
def life_no_log(world: World) -> None:
    """The branch was renamed, and its log is gone: commits are named."""
    world.gated()
    world.planned()
    world.built()
    world.unlogged()
    world.look("the log is gone")
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.judges(role, commit=HEAD[:8])
    world.say("mona", "/gate approve qa")
    world.look("all but the approval name it")
    world.say("mona", f"/gate approve qa {HEAD[:7]}")


@green(codes="PG211 PG215")
def life_escalated(world: World) -> None:
    """Four failing rounds, a resume without a reason, one by the author, one that counts."""
    world.planned()
    for name in ("a", "b", "c", "d"):
        if name != "a":
            world.push(name)
        world.judges("judge", "FAIL")
    world.look("escalated")
    world.judges("judge")
    world.say("mona", "/gate resume build")
    world.look("without a reason")
    world.say("octo-dev", "/gate resume build: let me")
    world.look("by the author")
    world.say("mona", "/gate resume build: the plan was unclear")
    world.judges("inspector")
    world.tested()


@green(codes="PG102")
def life_progress(world: World) -> None:
    """The Judge's comment shows its progress before each verdict."""
    world.planned()
    said = world.say("ana", "## jkz:judge \N{HOURGLASS WITH FLOWING SAND}\n\nWorking on it.\n")
    world.look("a placeholder")
    world.edit(said, verdict("judge"), "ana")
    world.look("the verdict")
    world.push("b")
    world.edit(said, "## jkz:judge \N{HOURGLASS WITH FLOWING SAND}\n\nOnce more.\n", "ana")
    world.look("a placeholder again")
    world.edit(said, verdict("judge"), "ana")
    world.judges("inspector")
    world.tested()


@green()
def life_closed(world: World) -> None:
    """Closed, pushed to, and opened again."""
    world.planned()
    world.built()
    world.close()
    world.look("closed")
    world.push("b")
    world.look("pushed to while it was closed")
    world.reopen()
    world.look("opened again")
    world.built()
    world.tested()


@green()
def life_rebased(world: World) -> None:
    """A rebase keeps the verdicts, a conflict and another base do not."""
    world.planned()
    world.built()
    world.tested()
    world.push("b", content="a")
    world.look("rebased")
    world.push("c")
    world.look("a conflict was resolved")
    world.built()
    world.base_changes.append({"at": world.tick(), "before": "release", "after": "main", "actor": PEOPLE["mona"]})
    world.look("retargeted")
    world.built()
    world.tested()


@green()
def life_windows(world: World) -> None:
    """Carriage returns, backslashes, and text that is not English."""
    world.say("ana", "## jkz:architect\r\n\r\n1. Prüfen.\r\n", on=12)
    for role in ("auditor", "curator"):
        world.say("ana", verdict(role).replace("\n", "\r\n"), on=12)
    world.say("mona", "/gate approve plan\r\n", on=12)
    world.judges("judge", "FAIL", issues=[finding("J1", location="src\\auth.py:42")])
    world.look("a finding at a Windows path")
    world.push("b")
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.say("ana", verdict(role).replace("What I looked at", "全部检查过了").replace("\n", "\r\n"))
    world.say("mona", "\r\n  /gate approve qa: 谢谢\r\n")


@green(codes="PG001 PG022")
def life_typography(world: World) -> None:
    """The block is typed by hand."""
    world.planned()
    for text in ("{\u201cverdict\u201d: \u201cPASS\u201d}", PASS.replace("]", "],"), PASS.replace("PASS", "pass")):
        world.say("ana", f"## jkz:judge\n\n{block(text)}\n")
        world.look(text)
    world.built()
    world.tested()


@green(codes="PG202 PG203")
def life_bot(world: World) -> None:
    """A bot's own pull request, to which somebody pushes a fix."""
    bots_own(world)
    world.look("exempt")
    world.push("b", by="octo-dev")
    world.look("a human pushed")
    world.issue(12)
    world.planned()
    world.judges("judge", who="helper[bot]")
    world.look("the bot judges its own work")
    world.built()
    world.tested()


@story(
    phases=PLAN_WAITS,
    codes="PG413",
    because="Not exempt (documentation needs no review by agents): src/a.py is not among its paths",
)
def life_documentation(world: World) -> None:
    """One file of code is added to documentation."""
    world.policy = DOCS
    world.changes["files"] = {"complete": True, "entries": [{"path": "docs/a.md"}]}
    world.look("documentation only")
    world.changes["files"] = {"complete": True, "entries": [{"path": "docs/a.md"}, {"path": "src/a.py"}]}
    world.push("b")


@green(codes="PG223")
def life_alone(world: World) -> None:
    """One person with agents, first without the preset."""
    everything_by(world, "octo-dev")
    world.look("without the preset, where others have write permission too")
    world.permissions = {"octo-dev": "admin", "eve": "read"}
    world.look("without the preset, and nobody else is there")
    world.policy = SOLO


@story(phases=BUILD_FAILED, codes="PG119")
def life_named_for_another(world: World) -> None:
    """A bot that the policy names as Judge speaks as Inspector too."""
    world.planned()
    world.judges("judge", who="helper[bot]")
    world.look("unnamed")
    world.policy = BOT.split("exempt")[0] + "agents: {accounts: [{login: 'helper[bot]', id: 555, roles: [judge]}]}\n"
    world.look("named as Judge")
    world.judges("inspector", who="helper[bot]")


@green(codes="PG022 PG031 PG202 PG308")
def life_envelope(world: World) -> None:
    """Messages in the wrong order and dress."""
    world.policy = envelope.PROFILE
    world.look("nothing yet")
    world.say("ana", envelope.message("triage_result"), on=12)
    world.say("ana", envelope.message("plan_result"), on=12)
    world.look("planned")
    world.say("octo-dev", envelope.message("worker_submission", carrier="fence").replace("```envelope", "```yaml"))
    world.look("in a fence of another name")
    world.say("octo-dev", envelope.message("worker_submission").replace("rfr", "RFR"))
    world.look("in capitals")
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
    world.policy = thehood.PROFILE
    world.look("nothing yet")
    thehood.decides(world)
    thehood.implements(world)
    thehood.verifies(world, verdict="revise", failed_criteria=["AC1"])
    world.look("revise")
    world.push("b")
    thehood.implements(world)
    thehood.verifies(world, evidence=[thehood.DIFF])
    world.look("without a test log")
    thehood.verifies(world)


@green()
def life_pipeline(world: World) -> None:
    """The author commits the artifacts, and the worker goes beyond the plan."""
    piped(world)
    world.look("nothing yet")
    steps = [{"order": 1, "action": "modify", "file": PRODUCT[0], "description": "Check it", "depends_on": []}]
    mapping = {"AC-1": f"{PRODUCT[0]}::doctest"}
    world.leaves("p", plan=plan(affected_files=[PRODUCT[0]], steps=steps, acceptance_mapping=mapping))
    world.leaves("w", worker=worker())
    world.look("beyond the plan")
    world.leaves("p2", plan=plan())
    world.leaves("w2", worker=worker(summary="Again."))
    world.leaves("t", by="octo-dev", test=results())
    world.look("tested by the author")
    world.leaves("t2", test=results(run_at="2026-03-02T10:00:00Z"))
    world.leaves("r", review=review())


@story(phases=GREEN, codes="PG912 PG913 PG914")
def life_described(world: World) -> None:
    """A described format, missed in three ways."""
    world.policy = drift.POLICY
    world.look("nothing yet")
    world.say("ben", drift.word("Review verdict: approved"))
    world.look("a value that is not in the map")
    world.say("ben", f"## {drift.GOOD}\n")
    world.look("without its commit")
    world.say("ben", drift.word(drift.GOOD))


@green()
def life_in_a_file(world: World) -> None:
    """A verdict kept in a file of a described format."""
    world.policy = drift.STORIES
    world.look("nothing yet")
    drift.leaves(world, "f", {".stories/one.json": '{"verdict": "good"}'}, by="octo-dev")
    world.look("pushed by the author")
    drift.leaves(world, "g", {".stories/one.json": '{"verdict": "good", "by": "ana"}'})


@green()
def life_coderabbit(world: World) -> None:
    """Silent, limited, then findings, then clean."""
    world.policy = reviewers.policy("coderabbit")
    world.look("silent")
    reviewers.says(world, "coderabbit", reviewers.notice("rate limited"))
    world.look("rate limited")
    reviewers.reviews(world, "coderabbit", reviewers.actionable(2))
    world.look("findings")
    world.push("b")
    world.look("fixed")
    reviewers.says(world, "coderabbit", reviewers.walkthrough("b"))


@story(phases=BUILD_WAITS)
def life_checked(world: World) -> None:
    """A check that the policy names is red, then fixed."""
    world.policy = "version: 1\nphases: {build: {checks: [unit tests]}}\n"
    world.planned()
    world.built()
    world.look("it has not run")
    run = {"name": "unit tests", "status": "completed", "conclusion": "failure", "commit": HEAD}
    world.changes["checks"] = [run]
    world.look("it is red")
    world.push("b")
    world.changes["checks"] = [{**run, "conclusion": "success", "commit": commit("b")}]


@story(phases=QA_WAITS, codes="PG407")
def life_label(world: World) -> None:
    """The author lowers the bar, which waits for somebody else."""
    world.planned()
    world.built()
    world.look("a feature")
    world.label("bug", by="octo-dev")


@green(codes="PG404")
def life_part_two(world: World) -> None:
    """The issue was closed by part one, and opened again."""
    world.planned()
    world.built()
    world.tested()
    merged = {"number": 5, "merged_at": world.tick(), "repository": "octo/shop"}
    world.issues[0] |= {"closed_by": [merged], "state": "closed"}
    world.look("closed by part one")
    world.issues[0]["state"] = "open"
    world.look("opened again")
    world.planned()


@green()
def life_noise(world: World) -> None:
    """The Inspector calls a finding noise, first without evidence."""
    world.planned()
    world.judges("judge", "FAIL")
    world.judges("inspector", false_positives=["J1"])
    world.look("without evidence")
    shown = "J1 is noise:\n\n```\n$ pytest -k expiry\n1 passed\n```\n"
    told = block({"verdict": "PASS", "issues": [], "false_positives": ["J1"]})
    world.say("ana", f"## jkz:inspector\n\n{shown}\n{told}\n")
    world.tested()


@green(codes="PG033")
def life_footers(world: World) -> None:
    """A runtime signs what it posts: with words that nobody knows, then with a footer of the policy."""
    world.policy = 'version: 1\nverdicts: {footers: ["Sent by the night shift"]}\n'
    world.planned()
    said = world.say("ana", f"{verdict('judge')}\nPosted with love\n")
    world.look("signed in words that nobody knows")
    world.edit(said, f"{verdict('judge')}\nSent by the night shift\n<!-- run 17 -->\n", "ana")
    world.look("signed with the footer of the policy")
    world.judges("inspector")
    world.tested()


@green(codes="PG223")
def life_solo_pipeline(world: World) -> None:
    """One person's agents commit plan and results from the account that pushed the product."""
    piped(world)
    world.permissions = {"octo-dev": "admin", "eve": "read"}
    world.leaves("p", by="octo-dev", plan=plan())
    world.look("the plan by the author's account")
    for name, text in (("w", {"worker": worker()}), ("t", {"test": results()}), ("r", {"review": review()})):
        world.leaves(f"{name}0", by="octo-dev", **text)
    world.look("all results by the author's account")
    world.policy = "version: 1\nprofile: pipeline\nsolo: true\n"
    world.look("the policy says that one account does everything")


@green()
def life_deleted_and_posted_again(world: World) -> None:
    """The Judge's account deletes its FAIL, and posts anew after the fix."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.look("failed")
    on_record(world, said["id"], who="ana")
    deletes(world, said, "ana")
    world.look("deleted by its own account")
    world.push("b")
    world.judges("judge")
    world.look("posted anew on the fix")
    world.judges("inspector")
    world.tested()


@green(codes="PG031 PG119 PG125")
def life_examples(world: World) -> None:
    """Somebody shows how a verdict is written; the Judge uses another role's letter once."""
    world.planned()
    world.say("mona", f"This is how it looks:\n\n````\n{block(PASS, 'fence')}\n````\n\nPlease write it so.\n")
    world.look("an example by somebody who never judged")
    world.say("ana", verdict("judge", "FAIL").replace("J1", "I1"))
    world.look("an id with the Inspector's letter")
    world.push("b")
    world.built()
    world.tested()


@green()
def life_memos(world: World) -> None:
    """The memos of state.yaml lag behind the results."""
    piped(world)
    world.leaves("p", plan=plan(), state="issue_number: 12\nstatus: in_progress\ncurrent_stage: plan\n")
    world.leaves("w", worker=worker())
    world.look("the worker is done, the memo still plans")
    world.leaves("t", test=results())
    world.leaves("r", review=review())
