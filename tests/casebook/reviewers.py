"""Stories of reviewers that teams already have: one line of policy each, and what they post, as they post it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tests.casebook.story import GREEN, story
from tests.casebook.world import URL, World, commit

JSON = dict[str, Any]
WAITS, FAILS = "success pending success", "success failure success"
OTHERS = "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {creator: null, fixer: null, roles: []}}\n"
EXPERIMENTAL = ("claude-review", "gsd")
FILES = ("gsd", "bmad")


def policy(name: str, more: str = "") -> str:
    """All that a team writes, and nothing else to judge."""
    login = ", login: ana" if name in FILES else ""
    return f"version: 1\nagents: {{accounts: [{{format: {name}{login}{more}}}]}}\n{OTHERS}"


def known_as(name: str) -> Mapping[str, Any]:
    """What a reviewer is known by."""
    from phasegate.dialects.described.boxes import box  # noqa: PLC0415  (other stories are told without any package)

    return box(name).known


def account(name: str) -> JSON:
    """The account that a reviewer is known by."""
    known = known_as(name)
    return {"login": known["login"], "id": known["id"], "type": "Bot"}


def says(world: World, /, name: str, text: str, **extra: object) -> JSON:
    """A comment of the reviewer, written by its app."""
    return world.say("ana", text, **{"author": account(name), "app_id": known_as(name).get("app_id"), **extra})


def edits(world: World, said: JSON, text: str) -> None:
    """The reviewer edits its comment in place."""
    world.edit(said, text, "ana")
    said["editor"] = said["author"]
    for version in said["history"]:
        version["editor"] = said["author"]


def reviews(world: World, /, name: str, text: str, at: str | None = None, **extra: Any) -> JSON:  # noqa: ANN401
    """A review of the reviewer; GitHub tells the app of no review."""
    return world.review("ana", text, at=at, **{"author": account(name), **extra})


def runs(world: World, /, reviewer: str, **told: object) -> None:
    """A check run of the reviewer on the head."""
    known = known_as(reviewer)
    slug = known["login"].removesuffix("[bot]")
    before = world.changes.get("checks", ())
    made = {"status": "completed", "conclusion": "neutral", "app_id": known["app_id"], "app": slug}
    times = {"started_at": world.tick(), "completed_at": world.tick(), "commit": commit(world.head)}
    world.changes["checks"] = [*before, {**made, "id": 9 + len(before), **times, **told}]


# what each of them posts


def walkthrough(head: str = "a", kind: str = "reviewed", checks: str = "✅ 5", quote: str = '"') -> str:
    sha = commit(head)
    payload = f'{{"sourceCommitId":"{sha}","coveredCommitId":"{sha}","kind":"{kind}"}}'.replace('"', quote)
    return (
        "<!-- This is an auto-generated comment: summarize by coderabbit.ai -->\n<!-- final_review_risk_start -->\n\n"
        f"**Merge Risk:** _⚪ Minimal_ · up to `{sha[:5]}`\n\n<!-- final_review_risk_coverage:{payload} -->\n\n"
        "The parser change is small.\n\n<!-- final_review_risk_end -->\n\n"
        f"<details>\n<summary>🚥 Pre-merge checks | {checks}</summary>\n\nText.\n\n</details>\n"
    )


def checked(status: str) -> str:
    """A walkthrough over a check before merging that failed."""
    table = "| Check name | Status | Explanation | Resolution |\n| :-: | :- | :- | :- |\n"
    row = f"| Title check | {status} | Too long. | Shorten it. |\n"
    return walkthrough(checks="✅ 4 | ❌ 1").replace("Text.", f"### ❌ Failed checks (1)\n\n{table}{row}")


def notice(what: str) -> str:
    return f"<!-- This is an auto-generated comment: {what} by coderabbit.ai -->\n\n> [!WARNING]\n> See the details.\n"


def actionable(count: int, fold: str = "🧹 Nitpick comments (1)") -> str:
    return f"**Actionable comments posted: {count}**\n\n<details>\n<summary>{fold}</summary>\n\nText.\n\n</details>\n"


REPLY = "<!-- This is an auto-generated reply by CodeRabbit -->"
UNSEEN = "**3 issues need your attention**\n\nText.\n"


def codex(head: str | None = "a", apostrophe: str = "'") -> str:
    clean = f"Codex Review: Didn{apostrophe}t find any major issues. Onwards!\n"
    return clean if head is None else f"{clean}\n**Reviewed commit:** `{commit(head)[:10]}`\n"


CODEX_FINDINGS = "### 💡 Codex Review\n\nHere are some automated review suggestions for this pull request.\n"
CODEX_LIMITS = "You have reached your Codex usage limits for code reviews. You can see your limits in the dashboard.\n"


def copilot(seen: int = 7, count: str = "no new comments", fold: str = "") -> str:
    folded = f"\n<details>\n<summary>{fold}</summary>\n\nText.\n\n</details>\n" if fold else ""
    told = f"Copilot reviewed {seen} out of 7 changed files in this pull request and generated {count}."
    return f"## Pull request overview\n\nIt lists suppressed warnings.\n\n{told}\n{folded}"


def counted(important: int = 0) -> str:
    counts = f'{{"normal": {important}, "nit": 2, "pre_existing": 0}}'
    return f"| Severity | File:Line | Issue |\n|---|---|---|\n\n<!-- bughunter-severity: {counts} -->\n"


def greptile(score: int = 5, head: str = "a", tag: tuple[str, str] = ("<h3>", "</h3>")) -> str:
    return (
        f"<h3>Greptile Summary</h3>\n\nAdds a retry.\n\n{tag[0]}Confidence Score: {score}/5{tag[1]}\n\n"
        f"<sub>Last reviewed commit: [retry uploads]({URL}/commit/{commit(head)})</sub>\n"
    )


def greptile_marked(score: int = 5, marked: int = 5) -> str:
    """As it writes since September 2026: a button in the heading, and the score once more where nobody sees it."""
    button = '<a href="https://app.greptile.com/api/retrigger?id=67142400"><picture><img alt="Retrigger"></picture></a>'
    return (
        f"<!-- greptile_summary -->\n\n<h2>{button}Confidence Score: {score}/5</h2>\n\nThe change appears safe.\n\n"
        f"<!-- greptile_confidence_score:{marked} -->\n\n<sub>Reviews (1) · Last reviewed commit: "
        f'["retry uploads"]({URL}/commit/{commit("a")})</sub>\n'
    )


def bugbot(result: str, label: str = "Final Result:") -> str:
    return f"Bugbot Analysis Progress (3m 2s elapsed)\n\n{label} Bugbot completed review {result}\n"


def gsd(status: str = "passed", good: int = 4, unverified: int = 0, more: str = "") -> str:
    return (
        f"---\nphase: 07-billing\nverified: 2026-10-02T08:15:00Z\nstatus: {status}\n"
        f"score: {good}/4 must-haves verified\nbehavior_unverified: {unverified}\n{more}---\n\n# Report\n"
    )


def bmad(gate: str = "PASS", more: str = "") -> str:
    return f'schema: 1\nstory: "2.1"\ngate: {gate}\nstatus_reason: "Looked at"\nreviewer: "Quinn"\n{more}'


GSD, BMAD = ".planning/phases/07-billing/07-VERIFICATION.md", "docs/qa/gates/2.1-refunds.yml"
CLAUDE = {"name": "Claude Code Review", "title": "Code review found no issues"}
BUGBOT = {"name": "Cursor Bugbot", "title": "Bugbot Review"}
CLEAN_BUGBOT = {**BUGBOT, "conclusion": "success", "summary": bugbot("- no issues found! ✅")}
GAPS = 'gaps:\n  - truth: "refunds are idempotent"\n    status: failed\n'
HIGH = 'top_issues:\n  - {id: "SEC-001", severity: high, finding: "open redirect"}\n'
NFR = "nfr_validation:\n  _assessed: [security]\n  _quality_score: 90\n  security: {status: PASS, notes: fine}\n"
CLAIMED = 'waiver: {active: true, reason: "demo", approved_by: "mona"}\n'

Tell = Callable[[World], object]


def told(name: str, situation: str, says_it: str, state: str, tell: Tell, **more: str) -> None:
    """A story of one reviewer in one situation."""
    phases = {"success": GREEN, "pending": WAITS, "failure": FAILS}[state]
    settings = more.pop("settings", "")
    codes = more.pop("codes", "") + (" PG527" if name in EXPERIMENTAL else "")

    def keep(world: World) -> None:
        world.under(policy(name, settings)).then(tell)

    keep.__module__ = __name__
    story(f"{name}-{situation}", says_it, state=state, phases=phases, codes=codes, **more)(keep)


def comments(name: str, *texts: str) -> Tell:
    """The reviewer writes one comment and edits it in place."""

    def tell(world: World) -> None:
        said = says(world, name, texts[0])
        for text in texts[1:]:
            edits(world, said, text)

    return tell


def pushed_after(tell: Tell) -> Tell:
    """What was said is about an older commit."""

    def later(world: World) -> None:
        world.then(tell).push("b")

    return later


def in_turn(*tells: Tell) -> Tell:
    """One after the other."""

    def tell(world: World) -> None:
        for each in tells:
            each(world)

    return tell


def reviewing(name: str, text: str, **extra: Any) -> Tell:  # noqa: ANN401  (as a review has it)
    return lambda world: reviews(world, name, text, **extra)


def running(reviewer: str, **told: object) -> Tell:
    return lambda world: runs(world, reviewer, **told)


def filing(path: str, text: str) -> Tell:
    return lambda world: world.commits("f", {path: text})


# a reviewer in a situation takes a line or two
# fmt: off
rabbit = partial(told, "coderabbit")
WALKED, FOUND = comments("coderabbit", walkthrough()), reviewing("coderabbit", actionable(2))
rabbit("clean", "The walkthrough covers the head, and nothing vetoes.", "success", WALKED)
rabbit("findings", "A review with actionable comments.", "failure", FOUND, because="CodeRabbit failed")
rabbit("nitpicks", "A review with nothing but nitpicks, and the walkthrough.", "success",
       in_turn(reviewing("coderabbit", actionable(0)), WALKED))
rabbit("hidden-findings", "No actionable comments, but some outside of the diff.", "failure",
       in_turn(reviewing("coderabbit", actionable(0, "⚠️ Outside diff range comments (2)")), WALKED))
rabbit("pre-merge", "A check before merging has failed.", "failure",
       comments("coderabbit", walkthrough(checks="✅ 4 | ❌ 1")), codes="PG918")
for what in ("rate limited", "skip review", "review in progress", "review paused", "failure"):
    rabbit(
        what.replace(" ", "-"),
        f"{what.capitalize()}: nobody reviewed, although its commit status is green.",
        "pending",
        comments("coderabbit", notice(what)),
        because="CodeRabbit says",
    )
rabbit("edited-over", "A notice is written over the finished walkthrough: it is the latest word.", "pending",
       comments("coderabbit", walkthrough(), f"{notice('rate limited')}\n{walkthrough()}"))
rabbit("edited-in-place", "Limited at first, then the same comment is the walkthrough.", "success",
       comments("coderabbit", notice("rate limited"), walkthrough()))


def findings_on(world: World, contents: int, limit: str = "") -> None:
    """CodeRabbit finds something on several contents, and is content with the last one."""
    for number in range(contents):
        world.then(reviews, "coderabbit", actionable(2)).push(f"b{number}")
    world.then(says, "coderabbit", walkthrough(f"b{contents - 1}")).then(reviews, "coderabbit", actionable(0))
    world.under(policy("coderabbit").replace("roles: []", f"roles: []{limit}"))


rabbit(
    "finds-something-each-time",
    "Five contents have findings, the sixth has none: the policy sets no limit, so a reviewer makes no failing rounds.",
    "success",
    partial(findings_on, contents=5),
)
rabbit("escaped", "The payload is entity-escaped, as some readers met it.", "success",
       comments("coderabbit", walkthrough(quote="&quot;")))
rabbit("unknown-kind", "A kind of coverage that nobody has seen.", "failure",
       comments("coderabbit", walkthrough(kind="partial")), codes="PG914")
rabbit("changes-requested", "It requests changes and writes nothing else: the state is its word.", "failure",
       in_turn(WALKED, reviewing("coderabbit", "", state="CHANGES_REQUESTED")), because="CodeRabbit failed")
rabbit("approved-alone", "It approves on GitHub because somebody told it to: that shows no review.", "pending",
       reviewing("coderabbit", "", state="APPROVED"), because="Waiting for CodeRabbit")
rabbit("small-talk", "It answers somebody after the walkthrough.", "success",
       in_turn(WALKED, comments("coderabbit", f"{REPLY}\n\nReview triggered.\n")))
rabbit("failed-checks-below", "The failed checks stand in a heading.", "failure",
       comments("coderabbit", walkthrough().replace("Text.", "### ❌ Failed checks (1 error)")), codes="PG918")
rabbit("read-since", "A review that nobody can read, then one with nothing to do, and the walkthrough.", "success",
       in_turn(reviewing("coderabbit", UNSEEN), reviewing("coderabbit", actionable(0)), WALKED))
rabbit("silent", "It did not run at all.", "pending", lambda _: None, because="Waiting for CodeRabbit")
rabbit("thread-answer", "It answered in a thread: a review with an empty body is no word, and no change of its format.",
       "pending", reviewing("coderabbit", ""), because="Waiting for CodeRabbit")
rabbit("drifted", "It wrote in a form that nobody has seen.", "pending",
       comments("coderabbit", "## Walkthrough 2.0\n\nAll good!\n"), codes="PG222")


@story(phases=GREEN)
def coderabbit_own_fix_allowed(world: World) -> None:
    """The policy writes the role out, so the reviewer may judge what it pushed."""
    world.under(policy("coderabbit", ", roles: [coderabbit]")).push("b")
    world.moves[-1]["actor"] = account("coderabbit")
    says(world, "coderabbit", walkthrough("b"))


codexed = partial(told, "codex")
codexed("clean", "Clean in a comment that names the commit.", "success", comments("codex", codex()))
codexed("typographic", "The apostrophe is typographic.", "success", comments("codex", codex(apostrophe="\u2019")))
codexed("findings", "Findings in a review.", "failure", reviewing("codex", CODEX_FINDINGS))
codexed("limits", "Its limits are reached.", "pending", comments("codex", CODEX_LIMITS))
codexed("broken", "It failed.", "pending", comments("codex", "Something went wrong. Try again later.\n"))

pilot = partial(told, "copilot")
pilot("clean", "Every file was looked at, and nothing found.", "success", reviewing("copilot", copilot()))
pilot("findings", "Comments were made.", "failure", reviewing("copilot", copilot(count="3 comments")))
pilot("suppressed", "Nothing new, but a comment was suppressed.", "pending",
      reviewing("copilot", copilot(fold="Comments suppressed due to low confidence (1)")))
pilot("suppressed-otherwise", "The fold has another title.", "pending",
      reviewing("copilot", copilot(fold="Show 1 suppressed comment")), codes="PG918")
pilot("suppressed-in-the-open", "They stand under a heading.", "pending",
      reviewing("copilot", f"{copilot()}\n### Suppressed comments (1)\n\nText.\n"))
pilot("miscounted", "More files than there are.", "pending", reviewing("copilot", copilot(9)))
pilot("partly", "Six of seven files.", "pending", reviewing("copilot", copilot(6)))
pilot("nothing", "None of the files.", "failure", reviewing("copilot", copilot(0).replace("of 7", "of 0")),
      codes="PG917")
for number, why in enumerate(
    (
        "Copilot wasn\u2019t able to review any files in this pull request.",
        "Copilot was unable to review this pull request because the user has reached their quota limit.",
        "Copilot encountered an error and was unable to review this pull request.",
    ),
    start=1,
):
    pilot(f"did-not-run-{number}", why, "pending", reviewing("copilot", f"{why}\n"))
pilot("older-commit", "A review of an older commit.", "pending", pushed_after(reviewing("copilot", copilot())))

claude = partial(told, "claude-review")
claude("clean", "No important finding.", "success", running("claude-review", **CLAUDE, text=counted()))
claude("findings", "One.", "failure", running("claude-review", **CLAUDE, text=counted(1)))
for title in ("skipped — no new changes", "failed", "timed out", "declined"):
    claude(
        title.partition(" ")[0],
        f"Code review {title}.",
        "pending",
        running("claude-review", name=CLAUDE["name"], title=f"Code review {title}", text=counted()),
    )
for ended in ("skipped", "cancelled", "failure"):
    claude(
        f"ended-{ended}",
        f"The run ended as {ended}, with counts in its text: a review ends as neutral.",
        "pending",
        running("claude-review", **CLAUDE, conclusion=ended, text=counted()),
        because="not reviewed" if ended == "failure" else f"says {ended}",
    )
claude("in-progress", "It is looking again.", "pending",
       running("claude-review", **CLAUDE, status="in_progress", conclusion=None, completed_at=None, text=counted()))
claude("without-counts", "No marker is no word.", "pending", running("claude-review", **CLAUDE, text="Fine."),
       codes="PG222")
claude("older-commit", "The head has no check run of it.", "pending", lambda world: world.push("b"),
       because="Waiting for Claude review")

greptiled = partial(told, "greptile")


def rescored(world: World) -> None:
    """A score for the first commit, and in the same comment a better one for the second."""
    said = says(world, "greptile", greptile(3))
    world.push("b").then(edits, said, greptile(5, "b"))


SCORED = comments("greptile", greptile())
greptiled("clean", "Five of five.", "success", SCORED)
greptiled("findings", "Four of five.", "failure", comments("greptile", greptile(4)))
greptiled("threshold", "Four is enough for this team.", "success", comments("greptile", greptile(4)),
          settings=", settings: {score: 4}")
greptiled("marked", "Five of five, in heading and marker.", "success", comments("greptile", greptile_marked()))
greptiled("marked-findings", "Three of five, in both.", "failure", comments("greptile", greptile_marked(3, 3)))
greptiled("bold", "The score in bold type.", "success", comments("greptile", greptile(tag=("**", "**"))))
greptiled(
    "re-trigger",
    "Its footer counts reviews and links to the next one.",
    "success",
    comments(
        "greptile",
        greptile()
        .replace("<sub>Last", "<sub>Reviews (3): Last")
        .replace(")</sub>", ") | [Re-trigger Greptile](https://app.greptile.com/api/retrigger?id=12_a)</sub>"),
    ),
)
greptiled("credits", "A notice instead of a score.", "pending", comments("greptile", "Your free trial is over.\n"),
          codes="PG222")
greptiled("edited-in-place", "Five of five for the new head, in the same comment.", "success", rescored)

bug = partial(told, "bugbot")
bug("clean", "No issues.", "success", running("bugbot", **CLEAN_BUGBOT))
bug("findings", "Two.", "failure", running("bugbot", **BUGBOT, summary=bugbot("and found 2 potential issues.")))
bug("goes-on", "The line in which no issues were found goes on.", "failure",
    running("bugbot", **{**CLEAN_BUGBOT, "summary": bugbot("- no issues found! But 3 remain.")}), codes="PG912")
bug("unresolved", "Nothing new, and one of before is unresolved.", "failure",
    running("bugbot", **BUGBOT,
            summary=bugbot("- no issues found. 1 previously reported issue remains unresolved.", "**Final Result:**")))
REVIEWED = "✅ Bugbot reviewed your changes and found no new issues!\n"
bug("clean-beside-its-run", "A clean review stands beside the clean run.", "success",
    in_turn(running("bugbot", **CLEAN_BUGBOT), reviewing("bugbot", REVIEWED)))
bug("clean-review-alone", "That it found nothing new says nothing of earlier issues.", "pending",
    reviewing("bugbot", REVIEWED))
OVERVIEW = "<!-- ccr-overview-v2 -->\n\n### 🟢 Approval recommended\n\nFine.\n\n**Findings:** None\n"
TABLE = "| Review | Status | Commit | Review trigger |\n| --- | --- | --- | --- |\n"
pilot("overview", "The overview recommends approval, with nothing open.", "success", reviewing("copilot", OVERVIEW))
pilot("closer-look", "A closer look is asked for, after an overview that recommended approval.", "failure",
      in_turn(reviewing("copilot", OVERVIEW),
              reviewing("copilot", OVERVIEW.replace("🟢 Approval recommended", "🔵 Needs a closer look"))),
      because="Copilot failed")
pilot("overview-quoted", "Under a heading of its own the overview that the author wrote is quoted.", "failure",
      reviewing("copilot", f"### What the author claims\n\n{OVERVIEW.partition('-->')[2]}"), because="first heading",
      codes="PG912")


def tracker(status: str) -> str:
    row = f"| 📝 **Code Review** | {status} | `{commit('a')[:7]}` | PR opened |\n"
    return f"<!-- codex-pull-request-review-summary -->\n\n## Codex Review Summary\n\n{TABLE}{row}"


codexed("tracker", "Its tracker says that the review of this commit ended.", "success",
        comments("codex", tracker("✅ **Completed**")))
codexed("tracker-running", "The review runs.", "pending", comments("codex", tracker("🔄 **Running**")))
codexed("tracker-over-findings", "The tracker is completed after a review with findings: it takes nothing back.",
        "failure", in_turn(reviewing("codex", CODEX_FINDINGS), comments("codex", tracker("✅ **Completed**"))),
        because="Codex failed")
rabbit("warning", "A check in warning mode has failed: that is advice.", "success",
       comments("coderabbit", checked("⚠️ Warning")))
rabbit("error", "A check in error mode has failed.", "failure", comments("coderabbit", checked("❌ Error")),
       because="Title check", codes="PG918")
bug("error", "It never ran.", "pending", running("bugbot", **{**BUGBOT, "title": "Error"}, summary="Bugbot run failed"))
bug("run-again", "The first run found something and ended last; the one that began after it is clean.", "success",
    in_turn(running("bugbot", **BUGBOT, summary=bugbot("and found 2 potential issues."),
                    completed_at="2026-03-02T09:59:00Z"), running("bugbot", **CLEAN_BUGBOT)))
bug("skipped", "The run was skipped.", "pending", running("bugbot", **{**CLEAN_BUGBOT, "conclusion": "skipped"}))
bug("skipping", "It says that it skips.", "pending", comments("bugbot", "Skipping Bugbot: Bugbot is disabled.\n"))
bug("neutral-clean", "No issues, and yet neutral: that contradicts itself.", "failure",
    running("bugbot", **{**CLEAN_BUGBOT, "conclusion": "neutral"}), codes="PG914")

done = partial(told, "gsd")
done("clean", "All must-haves are verified.", "success", filing(GSD, gsd()))
done("findings", "Gaps were found.", "failure", filing(GSD, gsd("gaps_found", 3, more=GAPS)))
done("overcounted", "Five of four.", "failure", filing(GSD, gsd(good=5)), codes="PG918")
done("contradiction", "Passed, with three of four.", "failure", filing(GSD, gsd(good=3)), codes="PG918")
done("unverified", "Passed, with behaviour that nobody verified.", "pending", filing(GSD, gsd(unverified=1)),
     codes="PG918")
done("human", "It asks for a human.", "pending", filing(GSD, gsd("human_needed")))
done("older-commit", "The product has changed since.", "pending", pushed_after(filing(GSD, gsd())), codes="PG303")

gate = partial(told, "bmad")
gate("clean", "PASS.", "success", filing(BMAD, bmad()))
gate("concerns", "CONCERNS pass with notes.", "success", filing(BMAD, bmad("CONCERNS")))
gate("findings", "FAIL.", "failure", filing(BMAD, bmad("FAIL", HIGH)))
gate("high", "PASS with a high issue contradicts itself.", "failure", filing(BMAD, bmad(more=HIGH)), codes="PG115")
gate("requirement", "PASS with a requirement that failed contradicts itself.", "failure",
     filing(BMAD, bmad(more=NFR.replace("PASS", "FAIL"))), codes="PG022")
gate("assessed", "It lists what it assessed, and scores it.", "success", filing(BMAD, bmad(more=NFR)))
gate("valid-until", "PASS until later.", "success", filing(BMAD, bmad(more='expires: "2099-03-02T11:00:00+01:00"\n')))
gate("expired", "PASS until before this moment.", "pending",
     filing(BMAD, bmad(more='expires: "2026-03-02T09:05:00Z"\n')), codes="PG926", because="expired")
gate("undated", "It expires at a time that is none.", "failure", filing(BMAD, bmad(more="expires: soon\n")),
     codes="PG913")
gate("waived-and-approved", "Waived, and a human has approved.", "success",
     in_turn(filing(BMAD, bmad("WAIVED", CLAIMED)), lambda world: world.say("mona", "/gate approve build")))
# fmt: on
gate("waived-by-nobody", "Waived by nobody.", "failure", filing(BMAD, bmad("WAIVED")), codes="PG913")


@story(phases="success pending pending", because="Waiting for CodeRabbit")
def boxed_beside_jkz(world: World) -> None:
    """One line beside the default profile: the reviewer has a seat in build."""
    world.under("version: 1\nagents: {accounts: [{format: coderabbit}]}\n").planned().built()


@story(phases=GREEN)
def boxed_as_judge(world: World) -> None:
    """CodeRabbit is the team's Judge; Inspector and QA are agents of jkz."""
    world.under("version: 1\nagents: {accounts: [{format: coderabbit, roles: [judge]}]}\n").planned()
    world.then(says, "coderabbit", walkthrough()).others_pass()


UNREAD: dict[str, tuple[Tell, Tell]] = {
    "coderabbit": (WALKED, reviewing("coderabbit", UNSEEN)),
    "codex": (comments("codex", codex()), reviewing("codex", UNSEEN)),
    "copilot": (reviewing("copilot", copilot()), reviewing("copilot", UNSEEN)),
    "claude-review": (running("claude-review", **CLAUDE, text=counted()),
                      running("claude-review", **CLAUDE, text=UNSEEN, id=10)),
    "bugbot": (running("bugbot", **CLEAN_BUGBOT),
               running("bugbot", **{**CLEAN_BUGBOT, "summary": UNSEEN, "conclusion": "neutral"}, id=10)),
}  # fmt: skip
for _reviewer, _tells in UNREAD.items():
    told(
        _reviewer,
        "unread",
        "After a pass, a review or check run of the same head in a form that nobody has seen.",
        "pending",
        in_turn(*_tells),
        codes="PG222",
        because="but not in its format",
    )


@story(phases="error error error", codes="PG526", because="a role has one format")
def boxed_twice_in_one_seat(world: World) -> None:
    """Two reviewers for one role: the policy is wrong, and says which."""
    accounts = "{format: coderabbit, roles: [judge]}, {format: codex, roles: [judge]}"
    world.under(f"version: 1\nagents: {{accounts: [{accounts}]}}\n").then(says, "coderabbit", walkthrough())
