"""Human acts: approvals, overrides and resumes by those who may not give them, or that nobody gave."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack, green, qa_but
from tests.casebook.history import deletes, on_record
from tests.casebook.humans import DISPATCH, REVIEWS, approve_by_run, reviewed
from tests.casebook.story import QA_WAITS
from tests.casebook.world import PEOPLE, REPOSITORY, World, commit, verdict

APPROVE = "/gate approve qa"
WITHDRAW = "/gate withdraw qa"
acts = partial(attack, "human acts")
waits = partial(acts, state="pending", phases=QA_WAITS)


def approved(world: World, who: str = "mona", text: str = APPROVE, **extra: object) -> None:
    """Everything is green but for an approval that should not count."""
    qa_but(world)
    world.say(who, text, **extra)


waits("approved-by-stranger", "A stranger approves.", defence="human-permission", codes="PG210")(
    partial(approved, who="eve")
)
waits("approved-by-author", "The author approves the own work.", defence="not-the-author", codes="PG211")(
    partial(approved, who="octo-dev")
)
waits("approved-by-agent", "The account that judged approves as well.", defence="not-an-agent", codes="PG212")(
    partial(approved, who="ana")
)
waits("approved-by-app", "A program writes in a maintainer's name.", defence="a-person", codes="PG210")(
    partial(approved, app_id=777)
)
waits("approved-by-email", "An e-mail in a maintainer's name.", defence="no-email", codes="PG206")(
    partial(approved, via_email=True)
)
waits("approved-in-quote", "A maintainer quotes the agent that asks for it.", defence="own-lines")(
    partial(approved, text=f"> {APPROVE}\n\nNot yet.")
)
waits("approved-in-fence", "A maintainer shows what to write later.", defence="own-lines")(
    partial(approved, text=f"Later I shall write\n\n```\n{APPROVE}\n```\n")
)
waits("approved-in-details", "A pasted log holds the command.", defence="own-lines")(
    partial(approved, text=f"<details>\n\n{APPROVE}\n\n</details>\n")
)
waits("approved-in-comment", "The command is hidden from the reader.", defence="own-lines")(
    partial(approved, text=f"Thank you.\n\n<!--\n{APPROVE}\n-->\n")
)
waits(
    "approved-behind-code-that-is-none",
    "A maintainer answers a pasted text; GitHub takes the second piece of code in it for text, and the rest is hidden.",
    defence="code-as-github-reads-it",
)(partial(approved, text=f"What is `` `a` `<!-- ` for?\n{APPROVE}\n--> I do not get it.\n"))
waits("approved-as-a-question", "A question is no approval.", defence="exact-commands", codes="PG214")(
    partial(approved, text=f"{APPROVE}? I would rather not")
)
waits("overridden-without-reason", "An override says why.", defence="reasons", codes="PG215")(
    partial(approved, text="/gate override qa")
)
waits("overridden-by-author", "The author overrides.", defence="not-the-author", codes="PG211")(
    partial(approved, who="octo-dev", text="/gate override qa: it is late")
)


@waits("approved-by-bot", "A bot that may write approves.", defence="a-person", codes="PG210")
def _(world: World) -> None:
    world.permissions["helper[bot]"] = "write"
    approved(world, "helper[bot]")


@waits("approved-below-minimum", "The policy asks for more than write.", defence="human-permission", codes="PG210")
def _(world: World) -> None:
    world.policy = "version: 1\nhumans: {minimum_permission: maintain}\n"
    approved(world, "ben")


@waits("approved-by-named-agent", "An agent's account, without its app.", defence="not-an-agent", codes="PG212")
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, app_id: 12345, roles: [judge]}]}\n"
    approved(world, "ben")


@waits("approved-by-named-agent-of-no-word", "Its only word is invalid.", defence="not-an-agent", codes="PG102 PG212")
def _(world: World) -> None:
    world.policy = "version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n"
    world.planned()
    world.say("ben", "## jkz:judge\n\nFAIL\n")
    world.push("b")
    qa_but(world)
    world.say("ben", APPROVE)


@waits("approved-by-agent-whose-fail-is-gone", "It deleted its FAIL.", defence="silenced-agents", codes="PG212")
def _(world: World) -> None:
    world.planned()
    said = world.judges("judge", "FAIL", who="ben")
    on_record(world, said["id"], who="ben")
    deletes(world, said, "ben")
    world.say("mona", "/gate resume build: it was for another pull request")
    qa_but(world)
    world.say("ben", APPROVE)


@waits("approved-by-planner", "The account that wrote the plan.", defence="not-an-agent", codes="PG212")
def _(world: World) -> None:
    world.say("ben", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan", on=12)
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.say("ben", APPROVE)


@waits("approved-by-ghost", "Whoever approved is gone.", defence="known-human", codes="PG210")
def _(world: World) -> None:
    approved(world)
    world.comments[-1]["author"] = None


@waits("approved-by-editing", "The author writes it into a remark.", defence="untouched-acts", codes="PG205")
def _(world: World) -> None:
    qa_but(world)
    world.edit(world.say("mona", "I shall look at it."), APPROVE, "octo-dev")


@waits("approved-history-unreadable", "What it said before is not known.", defence="untouched-acts", codes="PG216")
def _(world: World) -> None:
    approved(world)
    world.comments[-1] |= {"edited_at": world.tick(), "editor": PEOPLE["mona"]}


@waits(
    "approved-and-dismissed",
    "The approval stood in a review that was dismissed.",
    defence="unheard-acts",
    codes="PG207",
)
def _(world: World) -> None:
    qa_but(world)
    world.review("mona", APPROVE, state="DISMISSED")


@waits(
    "approved-older-review", "A review of the commit before.", defence="act-as-given", because="was for earlier content"
)
def _(world: World) -> None:
    world.push("b")
    qa_but(world)
    world.review("mona", APPROVE, at="a")


@waits("overridden-older-content", "Overridden, then pushed.", defence="act-as-given")
def _(world: World) -> None:
    world.planned()
    world.say("mona", "/gate override qa: tested by hand")
    world.push("b")
    world.built()


@waits("overridden-although-forbidden", "The policy lets nobody override.", defence="no-overrides", codes="PG219")
def _(world: World) -> None:
    world.policy = "version: 1\noverrides: false\n"
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: it is late")


@waits(
    "approved-too-early",
    "Approved before anybody had tested.",
    defence="approval-last",
    because="before the last verdict",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", APPROVE)
    world.judges("sentinel")
    world.judges("lens")


@waits(
    "approved-before-change",
    "A FAIL since the approval became a PASS.",
    defence="approval-last",
    because="before the last verdict",
)
def _(world: World) -> None:
    green(world)
    world.edit(world.judges("sentinel", "FAIL"), verdict("sentinel"), "ana")


@acts(
    "approved-older-plan",
    "The approval of the plan is older than its last edit.",
    defence="plan-as-judged",
    state="pending",
    phases=WAITING,
    because="was for earlier content",
)
def _(world: World) -> None:
    plan = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.judges("auditor")
    world.judges("curator")
    world.say("mona", "/gate approve plan", on=12)
    world.edit(plan, "## jkz:architect\n\nAnother plan.\n", "ana")
    world.built()
    world.tested()
    world.judges("auditor")
    world.judges("curator")


RUNS = {
    ("approved-by-run-of-branch", "The branch brings its own approval workflow.", "the-named-run", "PG221"): {
        "ref": "sessions"
    },
    ("approved-by-run-of-other-workflow", "A run of another workflow.", "the-named-run", "PG221"): {
        "workflow": ".github/workflows/ci.yml"
    },
    ("approved-by-run-unprotected", "A run in an environment that nobody guards.", "the-named-run", "PG221"): {
        "environment": "anybody"
    },
    ("approved-by-run-on-push", "The workflow was not started by a person.", "the-named-run", "PG221"): {
        "event": "push"
    },
    ("approved-by-run-for-other-commit", "The run was let pass for another commit.", "heads-only", ""): {
        "commit": commit("elsewhere")
    },
}


def approved_by_run(world: World, changes: dict[str, str]) -> None:
    """Everything is green but for an approval by a run that should not count."""
    world.policy = DISPATCH
    qa_but(world)
    approve_by_run(world, **changes)


for (_name, _says, _defence, _codes), _changes in RUNS.items():
    waits(_name, _says, defence=_defence, codes=_codes)(partial(approved_by_run, changes=_changes))


@waits(
    "approved-by-an-agent-dismissed",
    "Who approves has judged before, in a review that was dismissed.",
    defence="not-an-agent",
    codes="PG207 PG212",
)
def _(world: World) -> None:
    qa_but(world)
    world.dismiss(world.review("ben", verdict("lens")))
    world.judges("lens")
    world.say("ben", APPROVE)


withdrawn = partial(waits, codes="PG224")


@withdrawn("withdrawal-written-over", "The author writes over the maintainer's withdrawal.", defence="withdrawals-stay")
def _(world: World) -> None:
    green(world)
    world.edit(world.say("mona", WITHDRAW), "Thank you.", "octo-dev")


@withdrawn("withdrawal-dismissed", "It stood in a review, which the author dismisses.", defence="withdrawals")
def _(world: World) -> None:
    green(world)
    world.dismiss(world.review("mona", WITHDRAW))


doubted = partial(waits, codes="PG214 PG237", because="may take it back")


@doubted("withdrawal-in-other-words", "It is merged on an approval that was taken back.", defence="withdrawals-meant")
def _(world: World) -> None:
    green(world)
    world.say("mona", f"{WITHDRAW} because of the timeout")


@doubted("withdrawal-of-all", "What is taken back is not named.", defence="withdrawals-meant", codes="PG213 PG237")
def _(world: World) -> None:
    qa_but(world)
    world.say("ben", APPROVE)
    world.say("ben", "/gate withdraw everything")


@doubted("withdrawal-by-email", "It came by e-mail.", defence="withdrawals-meant", codes="PG206 PG237")
def _(world: World) -> None:
    green(world)
    world.say("mona", WITHDRAW, via_email=True)


@doubted("withdrawal-in-other-words-written-over", "The author writes over it.", defence="withdrawals-stay")
def _(world: World) -> None:
    green(world)
    world.edit(world.say("mona", f"{WITHDRAW} because of the timeout"), "Thank you.", "octo-dev")


LINES = {
    "in-a-table": "| what |\n|---|\n| /gate withdraw qa |",
    "in-a-row": "| /gate withdraw qa |",
    "in-details": "<details>\n\n/gate withdraw qa\n\n</details>",
    "in-html": "<details>\n/gate withdraw qa\n</details>",
    "behind-a-tag": "Wait.<br>/gate hold qa",
    "in-a-heading": "## /gate stop qa",
    "in-an-item": "Two things:\n\n- the log\n- /gate withdraw qa",
    "struck-out": "~~/gate withdraw qa~~",
    "in-entities": "&#47;gate withdraw qa",
    "in-a-sentence": "/gate do not approve qa",
    "with-a-hyphen": "/gate un-approve qa",
    "turned-around": "/gate qa is not what I thought",
    "of-two-phases": "/gate approve build, not qa",
    "in-another-language": "/gate qa bitte nicht",
}
for _name, _text in LINES.items():
    _codes = "PG237" if _text[0] not in "/~" else "PG214 PG237"

    @waits(f"withdrawal-{_name}", "A line begins like a command.", defence="withdrawals-meant", codes=_codes)
    def _(world: World, text: str = _text) -> None:
        green(world)
        world.say("mona", text)


@waits("override-in-doubt", "An override was taken back.", defence="withdrawals-meant", codes="PG214 PG237")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: tested by hand")
    world.say("mona", f"{WITHDRAW} please")


# Whatever it took back: an approval of the plan can be withdrawn on the pull request, and one of QA on the issue.
taken_away = partial(acts, state="pending", phases=WAITING, defence="nothing-taken-away")
gone = partial(taken_away, codes="PG227", because="may have withdrawn it")


@gone("withdrawal-deleted", "The author deletes the maintainer's withdrawal.")
def _(world: World) -> None:
    green(world)
    deletes(world, world.say("mona", WITHDRAW))


@taken_away("withdrawal-deleted-by-an-agent", "An agent deletes the withdrawal of an override.", codes="PG227")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: tested by hand")
    deletes(world, world.say("mona", WITHDRAW), "ana")


@gone("withdrawal-deleted-by-nobody", "Who deleted it cannot be told.")
def _(world: World) -> None:
    green(world)
    deletes(world, world.say("mona", WITHDRAW))
    world.changes["deleted_comments"][-1]["actor"] = None


@taken_away(
    "withdrawal-out-of-its-history",
    "The author writes over it, and takes the version out of its history.",
    codes="PG125 PG216 PG227",
)
def _(world: World) -> None:
    green(world)
    said = world.say("mona", WITHDRAW)
    world.edit(said, "Thank you.", "octo-dev")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE["octo-dev"]}


ELSEWHERE = "version: 1\nagents: {accounts: [{login: ana, id: 21}], only: true}\n"


@taken_away(
    "withdrawal-on-an-issue-deleted", "The withdrawal of the plan's approval is deleted from the issue.", codes="PG227"
)
def _(world: World) -> None:
    world.policy = ELSEWHERE
    green(world)
    said = world.say("mona", "/gate withdraw plan", on=12)
    world.issues[0]["comments"].remove(said)
    trace = {"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": said["author"]}
    world.issues[0]["deleted_comments"] = [trace]


@waits(
    "withdrawn-on-the-issue",
    "The approval of QA was withdrawn on the issue, and still stands there.",
    defence="withdrawals",
    codes="PG224",
)
def _(world: World) -> None:
    green(world)
    world.say("mona", WITHDRAW, on=12)


@waits(
    "withdrawal-deleted-elsewhere",
    "The author deletes that withdrawal from the issue.",
    defence="nothing-taken-away",
    codes="PG227",
    because="may have withdrawn it",
)
def _(world: World) -> None:
    world.policy = ELSEWHERE
    world.planned()
    world.built()
    world.judges("sentinel")
    world.judges("lens")
    world.say("ben", APPROVE)
    trace = {"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ben"]}
    world.issues[0]["deleted_comments"] = [trace]


@taken_away(
    "plan-withdrawal-deleted-elsewhere",
    "The approval of the plan was withdrawn on the pull request, where the author deletes that.",
    codes="PG227",
)
def _(world: World) -> None:
    qa_but(world)
    deletes(world, world.say("mona", "/gate withdraw plan"))
    world.say("ben", APPROVE)


@acts(
    "merged-on-a-withdrawn-override",
    "The override of the plan stood on the pull request, and was withdrawn there.",
    defence="withdrawals",
    state="pending",
    phases=WAITING,
    codes="PG224",
)
def _(world: World) -> None:
    world.say("mona", "/gate override plan: there was no time")
    world.built()
    world.tested()
    world.say("mona", "/gate withdraw plan")


@acts(
    "reopened-override",
    "The override of a plan was for the pull request that closed the issue, which is open again.",
    defence="words-spent",
    state="pending",
    phases=WAITING,
    codes="PG404",
)
def _(world: World) -> None:
    world.say("mona", "/gate override plan: there was no time", on=12)
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]
    world.built()
    world.tested()


waits("reviewed-by-author", "A review of who opened the work.", defence="not-the-author")(
    partial(reviewed, who="octo-dev")
)
waits("reviewed-by-agent", "The account that judged presses GitHub's button too.", defence="not-an-agent")(
    partial(reviewed, who="ana")
)
waits("reviewed-by-stranger", "A stranger presses GitHub's button.", defence="human-permission")(
    partial(reviewed, who="eve")
)


@waits("review-dismissed", "An approving review was dismissed.", defence="reviews-as-approvals")
def _(world: World) -> None:
    reviewed(world)
    world.dismiss(world.reviews[-1], "mona")


@waits("review-taken-back", "Who approved requests changes since.", defence="reviews-as-approvals", codes="PG224")
def _(world: World) -> None:
    reviewed(world)
    world.review("mona", "", state="CHANGES_REQUESTED")


@waits("review-of-older-content", "A review of the head before.", defence="act-as-given")
def _(world: World) -> None:
    world.policy = REVIEWS
    world.push("b")
    qa_but(world)
    world.review("mona", "", state="APPROVED", at="a")
