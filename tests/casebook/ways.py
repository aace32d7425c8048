"""Ways out for honest people who got stuck, step by step: the first thing that they read is what to do."""

from __future__ import annotations

from functools import partial

from tests.casebook import drift
from tests.casebook.evidence import plan, results, review, worker
from tests.casebook.honest import DOCS, bots_own, waiting_for_approval
from tests.casebook.pipeline import piped
from tests.casebook.story import BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import PEOPLE, World, block, commit, verdict

green = partial(story, state="success", phases=GREEN)


@green("way-quoted-fail", "A maintainer quotes a FAIL under the heading of the Judge, and is no agent.", codes="PG102")
def _(world: World) -> None:
    world.planned()
    world.say("mona", "## jkz:judge\n\nIt said FAIL here because of the expiry. I looked, and it is right.\n")
    world.look("quoted as if it were the Judge's word")
    world.push("b")
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.look("fixed and judged")
    world.say("mona", "/gate approve qa")


def changed(world: World, *paths: str, complete: bool = True) -> None:
    """What the pull request changes now."""
    world.changes["files"] = {"complete": complete, "entries": [{"path": path} for path in paths]}


@green("way-back-to-exempt", "A pull request of documentation grows, and is exempt again once the code is taken out.")
def _(world: World) -> None:
    world.policy = DOCS.replace("'*.md'", "'**/*.md'")
    for what, paths in (
        ("one file of code", ("docs/a.md", "src/a.py")),
        ("three that never are", ("docs/a.md", "docs/b.md", "docs/c.md", ".github/a.md", "x.py", "AGENTS.md")),
        ("hardly any documentation", ("docs/a.md", "src/a.py", "src/b.py")),
        ("only instructions among the documentation", ("docs/AGENTS.md",)),
    ):
        changed(world, *paths)
        world.look(what)
    changed(world, "docs/a.md", "docs/b.md", complete=False)
    world.look("more files than GitHub lists")
    changed(world)
    world.look("no file at all")
    changed(world, "docs/a.md")


@story(
    "way-bot-without-a-log",
    "Nobody can tell who pushed to a bot's pull request.",
    state="pending",
    phases="pending pending pending",
    codes="PG401 PG413",
    because="Not exempt (dependency updates are tested by CI): the log of pushes does not show who pushed",
)
def _(world: World) -> None:
    bots_own(world)
    world.gated()
    world.unlogged()


@green("way-to-a-command", "An approval is tried in more ways: each is answered.", codes="PG213 PG214")
def _(world: World) -> None:
    waiting_for_approval(world)
    for text in (
        *("/approve qa", "/gate-approve qa", "gate approve qa", "@phase-gate approve qa", "@bot /gate approve qa"),
        *("/gate approved qa", "/gate approve", "/gate approve QA please", "/gate approve qa thank you"),
        *("/gate qa approve", "/gate lgtm qa", "/gate status", "/gate approve build and qa", "/gate approve `qa`"),
        *("/gate\N{NO-BREAK SPACE}approve qa", "Looks good.\n\n**/gate approve qa**", "/gate approve testing"),
    ):
        world.say("mona", text)
        world.look(text)
    world.say("mona", "/gate approve qa, thanks!")


@green("way-to-a-plain-line", "A command is set off, or is not alone on its line, or its commit is.", codes="PG214")
def _(world: World) -> None:
    waiting_for_approval(world)
    named = commit(world.head)
    for text in (
        *("LGTM /gate approve qa", "Looks good to me! /gate approve qa", "1. /gate approve qa", "\t/gate approve qa"),
        *("<p>/gate approve qa</p>", "/gate approve qa<br>", "/ gate approve qa", "/gate approve the qa"),
        *("/gate approve phase-gate/qa", f"/gate approve qa {named[:6]}", f"/gate approve qa at {named[:8]}"),
        *(f"/gate approve qa `{named[:7]}`", f"/gate approve qa https://github.com/octo/shop/commit/{named}"),
    ):
        world.say("mona", text)
        world.look(text)
    for who in ("mona", "ana", "octo-dev"):
        world.say(who, "Please comment /gate approve qa once you have looked at it.")
    world.look("people talk about it")
    world.say("mona", f"/gate approve qa {named}, thanks!")


@green("way-to-withdraw", "An approval is taken back in a line that is not a command: it waits.", codes="PG214 PG237")
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("mona", "/gate approve qa")
    world.say("ben", "/gate unapprove qa")
    world.look("by somebody who did not approve")
    for text in (
        *("/gate unapprove qa", "/gate withdraw", "/gate withdraw qa because of the timeout", "`/gate withdraw qa`"),
        *("/gate withdraw tests", "It times out, /gate withdraw qa", "/gate don't approve qa"),
    ):
        said = world.say("mona", text)
        world.look(text)
        world.edit(said, "I looked again, it is good.", "mona")
        world.look("and taken back")
    world.say("mona", "/gate withdraw the approval of qa")
    world.say("mona", "/gate approve qa")


@green("way-to-an-override", "The same of an override.", codes="PG214 PG237")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: tested by hand")
    world.say("mona", "/gate withdraw qa please")
    world.look("in doubt")
    world.say("mona", "/gate override qa: I did test it by hand")


@green("way-to-name-a-commit", "The log cannot be read, and a commit must be named.", codes="PG213 PG214 PG301 PG305")
def _(world: World) -> None:
    world.unlogged()
    world.gated()
    world.planned()
    world.judges("judge", "FAIL", commit=commit("a"))
    for text in ("/gate override build: it is late", "/gate override build 3f2a91c: it is late"):
        world.say("mona", text)
        world.look(text)
    world.say("mona", f"/gate override build {commit('a')[:7]}: it is late")
    world.judges("sentinel", "FAIL", commit=commit("a"))
    for text in ("/gate override: it is late", "/gate override tests: it is late"):
        world.say("mona", text)
        world.look(text)
    world.say("mona", f"/gate override qa {commit('a')[:7]}: it is late")


@green("way-on-from-an-override", "An override for earlier content leads until the judges go on without it.")
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    world.say("mona", "/gate override build: it is late")
    world.push("b")
    world.look("pushed")
    world.judges("judge")
    world.look("and judged")
    world.judges("inspector")
    world.tested()


@green("way-of-quoting", "Whoever approved quotes the withdrawal of somebody else.", codes="PG224")
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("ben", "/gate approve qa")
    world.say("ben", "/gate withdraw qa")
    world.say("mona", "/gate approve qa")
    world.say("mona", "> /gate withdraw qa\n\nI do not see why.\n")


@green("way-past-a-resume", "A phase that only failed is resumed: what helps is said.", codes="PG209 PG214 PG215")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens", "FAIL")
    for text in ("/gate resume qa: please test it again", "/gate resume qa", "/gate retry qa"):
        world.say("mona", text)
        world.look(text)
    world.push("b")
    world.look("fixed")
    world.say("mona", "/gate resume plan: the tests run again")
    world.say("mona", "/gate resume build: the tests run again")
    world.look("while others are awaited")
    world.built()
    world.tested()


@story(
    "way-withdrawn",
    "And then with the line that was named.",
    state="pending",
    phases=QA_WAITS,
    codes="PG214 PG224",
    because="Waiting for a human's /gate approve qa",
)
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("mona", "/gate approve qa")
    world.say("mona", "/gate unapprove qa")
    world.say("mona", "/gate withdraw qa")


@story("way-tries-of-others", "They only ask.", state="pending", phases=QA_WAITS, codes="PG210 PG211 PG214")
def _(world: World) -> None:
    waiting_for_approval(world)
    for who in ("octo-dev", "ana", "eve"):
        for text in ("/approve qa", "@mona /gate approve qa", "Please write\n\n`/gate approve qa`\n"):
            world.say(who, text)
    world.look("who could not approve asks others")
    world.say("octo-dev", "/gate aprove qa")


@green("way-to-a-heading", "A described heading with two spaces in it, then with one.", codes="PG911")
def _(world: World) -> None:
    world.policy = drift.POLICY
    said = world.say("ben", drift.word("Review  verdict: clean"))
    world.look("two spaces")
    world.edit(said, drift.word(drift.GOOD), "ben")


@green("way-to-a-role", "What looks like the Judge's heading and is none is named.", codes="PG035 PG125")
def _(world: World) -> None:
    world.planned()
    for heading in ("### jkz:judge", "## \N{WHITE HEAVY CHECK MARK} jkz:judge", "## jkz: judge", "**Judge**"):
        world.say("ana", verdict("judge").replace("## jkz:judge", heading))
        world.look(heading)
    world.say("ana", "\ufeff" + verdict("judge"))
    world.look("a byte order mark before the heading")
    world.built()
    world.tested()


@green("way-to-a-verdict", "Other words for PASS, and a block that is folded away.", codes="PG022 PG031")
def _(world: World) -> None:
    world.planned()
    for word in ("APPROVED", "lgtm"):
        world.judges("judge", verdict=word)
        world.look(word)
    folded = f"<details>\n\n{block({'verdict': 'PASS', 'issues': []})}\n\n</details>"
    world.say("ana", f"## jkz:judge\n\n{folded}\n")
    world.look("folded away")
    world.built()
    world.tested()


@green("way-to-the-right-place", "The Judge fails the work on the issue, then where it counts.", codes="PG209")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("ana", verdict("judge", "FAIL"), on=12)
    world.look("on the issue")
    world.say("ana", f"## jkz:builder\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n", on=12)
    world.say("ana", f"## jkz:doctor\n\n{block({'verdict': 'FIXED', 'issues': []})}\n")
    world.judges("judge", "FAIL")
    world.look("on the pull request")
    world.push("b")
    world.built()
    world.tested()
    world.say("ana", verdict("lens"), on=12)


@green("way-from-a-button", "Who should judge only presses Approve.")
def _(world: World) -> None:
    world.planned()
    world.review("ana", "", state="APPROVED")
    world.look("the button")
    world.built()
    world.tested()


@green("way-past-a-label", "The author calls it a bug; somebody else sets the label again.")
def _(world: World) -> None:
    world.planned()
    world.label("bug", by="octo-dev")
    world.look("labelled by the author, before the build")
    world.built()
    world.look("built")
    world.unlabel("bug")
    world.label("bug")


@story(
    "way-past-a-quick-label",
    "The author calls it quick, which is no plan spared.",
    state="pending",
    phases="pending pending pending",
    codes="PG407",
    because='"complexity:quick" of #12 was set by octo-dev',
)
def _(world: World) -> None:
    world.label("complexity:quick", by="octo-dev")


@green("way-to-an-issue", "An issue of another repository is linked, then one of this.", codes="PG402")
def _(world: World) -> None:
    world.issues.clear()
    world.issue(3, repository="octo/other")
    world.look("of another repository")
    world.issue(12)
    world.planned()
    world.built()
    world.tested()


@story("way-of-a-blocked-builder", "What is not made need not be judged.", state="pending", phases=BUILD_WAITS)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:builder\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n")


@green("way-past-a-quote", "Three people answer a FAIL by quoting it: it leads nowhere.", codes="PG031 PG125")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL")["text"].replace("\n", "\n> ")
    world.push("b")
    world.built()
    for who in ("mona", "ana", "octo-dev"):
        world.say(who, f"> {said}\n\nThat is fixed now.\n")
        world.look(f"{who} quotes it")
    world.tested()


@green("way-to-a-marker", "Near misses of the marker are answered.", codes="PG031 PG102 PG124")
def _(world: World) -> None:
    world.planned()
    for text in (
        block({"verdict": "PASS", "issues": []}).replace("verdict-json", "verdict_json"),
        '```json jkz:verdict-json\n{"verdict": "PASS", "issues": []}\n```',
    ):
        world.say("ana", f"## jkz:judge\n\n{text}\n")
        world.look(text.splitlines()[0])
    world.built()
    world.tested()


@green("way-of-words-that-came-early", "Nobody is asked again for what is there without hearing why it does not do.")
def _(world: World) -> None:
    world.planned()
    world.judges("inspector")
    world.judges("judge")
    world.look("the Inspector spoke first")
    world.judges("inspector")
    world.say("mona", "/gate approve qa")
    world.judges("sentinel")
    world.judges("lens")
    world.look("approved before the verdicts")
    world.say("mona", "/gate approve qa")
    world.base_changes.append({"at": world.tick(), "before": "release", "after": "main", "actor": PEOPLE["mona"]})
    world.look("retargeted")
    world.built()
    world.tested()


@green(
    "way-to-a-resume",
    "A FAIL was dismissed; three resumes are answered by name, the fourth counts.",
    codes="PG211 PG214 PG215",
)
def _(world: World) -> None:
    world.planned()
    failed = world.review("ana", verdict("judge", "FAIL"), state="CHANGES_REQUESTED")
    world.dismiss(failed, "octo-dev")
    world.push("b")
    world.built()
    world.look("dismissed by the author, and fixed")
    for who, what in (("octo-dev", "resume build: mine"), ("mona", "resume build"), ("mona", "retry")):
        text = f"/gate {what}"
        world.say(who, text)
        world.look(f"{who} writes {text}")
    world.say("mona", "/gate resume build: I looked at it")
    world.tested()


@green("way-of-two-reasons", "The author approves in the wrong place: both are said at once.", codes="PG209 PG211")
def _(world: World) -> None:
    waiting_for_approval(world)
    world.say("octo-dev", "/gate approve qa", on=12)
    world.look("by the author, on the issue")
    world.say("mona", "/gate approve qa")


LONE = "version: 1\nagents: {accounts: [{login: 'jkz-runner[bot]', id: 987, app_id: 12345}]}\n"


@green("way-of-a-lone-maintainer", "One person whose agents have a bot approves; the policy can let them.")
def _(world: World) -> None:
    bot = {"app_id": 12345}
    world.policy, world.permissions = LONE, {"octo-dev": "admin"}
    world.say("jkz-runner[bot]", "## jkz:architect\n\n1. Check the expiry.\n", on=12, **bot)
    for role in ("auditor", "curator"):
        world.say("jkz-runner[bot]", verdict(role), on=12, **bot)
    world.look("planned by the bot")
    world.say("octo-dev", "/gate approve plan", on=12)
    world.look("approved by the only person")
    world.policy = f"{LONE}humans: {{author_may_approve: true}}\n"
    for role in ("judge", "inspector", "sentinel", "lens"):
        world.say("jkz-runner[bot]", verdict(role), **bot)
    world.say("octo-dev", "/gate approve qa")


@green(
    "way-past-a-finding",
    "The Inspector calls a finding noise: by another id, by a line that is not there, then right.",
    codes="PG117",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    for named, shown in (("J2", "See src/auth.py:42."), ("J1", "J1 is handled in src/gone.py:3."), ("J1", PROOF)):
        told = block({"verdict": "PASS", "issues": [], "false_positives": [named]})
        world.say("ana", f"## jkz:inspector\n\n{shown}\n\n{told}\n")
        world.look(f"{named}: {shown}")
    world.tested()


PROOF = "J1 is noise:\n\n```\n$ pytest -k expiry\n1 passed\n```"


@green(
    "way-to-a-pattern",
    "A described heading in capitals, of another level, and with a commit cut short.",
    codes="PG912 PG913",
)
def _(world: World) -> None:
    world.policy = drift.POLICY
    good = drift.word(drift.GOOD)
    for text in (good.replace("clean", "Clean"), good.replace("##", "#"), good.replace(commit("a"), "86f7e4")):
        world.say("ben", text)
        world.look(text.splitlines()[0])
    world.say("ben", good)


@green(
    "way-to-a-plan",
    "A plan under headings that are none is answered; talk of it is no plan.",
    codes="PG102 PG120 PG125 PG201",
)
def _(world: World) -> None:
    for heading in ("# jkz:architect", "**jkz:architect**", "## jkz:architect: sessions expire", "## jkz:architekt"):
        world.say("ana", f"{heading}\n\n1. Check the expiry.\n", on=12)
        world.look(heading)
    world.say("eve", "# jkz:architect\n\n1. Trust me.\n", on=12)
    world.look("a stranger's")
    world.planned()
    world.say("mona", "### jkz:architect\n\nIts plan is good.\n", on=12)
    world.built()
    world.tested()


@green(
    "way-past-a-broken-word",
    "After a broken verdict others answer who may not: the newest is what is talked about.",
    codes="PG001 PG201 PG202 PG203",
)
def _(world: World) -> None:
    world.planned()
    world.say("ana", verdict("judge").replace('"PASS",', '"PASS"'))
    world.look("broken")
    for who in ("helper[bot]", "octo-dev", "eve"):
        world.judges("judge", who=who)
        world.look(f"a good one by {who}")
    world.built()
    world.tested()


@green(
    "way-of-a-reviewer-who-fixes",
    "The reviewer pushes the fix: somebody else reviews it, and a human looks at the old FAIL.",
)
def _(world: World) -> None:
    piped(world)
    world.leaves("p", plan=plan())
    world.leaves("w", worker=worker())
    world.leaves("t", by="ben", test=results())
    world.leaves("r", review=review("FAIL"))
    world.push("c", by="ana")
    world.leaves("w2", worker=worker(summary="Fixed."), review=review(run_at="2026-03-02T10:00:00Z"))
    world.leaves("t2", by="ben", test=results(run_at="2026-03-02T10:00:00Z"))
    world.look("fixed and reviewed by one account")
    world.leaves("r2", by="ben", review=review(run_at="2026-03-02T11:00:00Z"))
    world.look("reviewed by another")
    world.say("mona", "/gate resume build: the FAIL was right, and is fixed")


@green(
    "way-past-a-fail",
    "Who may not judge answers a FAIL: that is named, and nobody is asked to trust it.",
    codes="PG202 PG203",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    for who in ("helper[bot]", "octo-dev"):
        world.judges("judge", who=who)
        world.look(f"a PASS by {who}")
    world.push("b")
    world.built()
    world.tested()


@green("way-to-a-folder", "A plan in the folder of another issue, in none, and under another name: each is named.")
def _(world: World) -> None:
    piped(world)
    before: dict[str, str | None] = {}
    for number, path in enumerate((".pipeline/13/plan.json", ".pipeline/plan.json", ".pipeline/12/Plan.json")):
        world.push(f"e{number}", "b", by="ben", evidence={**before, path: plan()})
        world.look(path)
        before = {path: None}
    world.push("p", "b", by="ben", evidence={**before, ".pipeline/12/plan.json": plan()})
    world.leaves("w", worker=worker())
    world.leaves("t", test=results())
    world.leaves("r", review=review())
