"""Human acts: approvals, overrides and resumes by those who may not give them, or that nobody gave."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import WAITING, attack
from tests.casebook.honest import DOCS
from tests.casebook.humans import DISPATCH, REVIEWS, approve_by_run, reviewed
from tests.casebook.story import QA_WAITS
from tests.casebook.world import PEOPLE, REPOSITORY, World, commit, verdict

APPROVE = "/gate approve qa"
WITHDRAW = "/gate withdraw qa"
acts = partial(attack, "human acts")
waits = partial(acts, phases=QA_WAITS)


def approved(world: World, /, who: str = "mona", text: str = APPROVE, **extra: object) -> None:
    """Everything is green but for an approval that should not count."""
    world.unapproved().says(who, text, **extra)


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


@waits(defence="a-person", codes="PG210")
def approved_by_bot(world: World) -> None:
    """A bot that may write approves."""
    world.permits("helper[bot]", "write").then(approved, "helper[bot]")


@waits(defence="human-permission", codes="PG210")
def approved_below_minimum(world: World) -> None:
    """The policy asks for more than write."""
    world.under("version: 1\nhumans: {minimum_permission: maintain}\n").then(approved, "ben")


@waits(defence="not-an-agent", codes="PG212")
def approved_by_named_agent(world: World) -> None:
    """An agent's account, without its app."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, app_id: 12345, roles: [judge]}]}\n")
    approved(world, "ben")


@waits(defence="not-an-agent", codes="PG102 PG212")
def approved_by_named_agent_of_no_word(world: World) -> None:
    """Its only word is invalid."""
    world.under("version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [judge]}]}\n").planned()
    world.says("ben", "## jkz:judge\n\nFAIL\n").push("b").unapproved().says("ben", APPROVE)


@waits(defence="silenced-agents", codes="PG212")
def approved_by_agent_whose_fail_is_gone(world: World) -> None:
    """It deleted its FAIL."""
    world.planned()
    said = world.judges("judge", "FAIL", who="ben")
    world.on_record(said, who="ben").delete(said, "ben")
    world.says("mona", "/gate resume build: it was for another pull request").unapproved().says("ben", APPROVE)


@waits(defence="not-an-agent", codes="PG212")
def approved_by_planner(world: World) -> None:
    """The account that wrote the plan."""
    world.says("ben", "## jkz:architect\n\nThe plan.\n", on=12).passed_by("auditor").passed_by("curator")
    world.says("mona", "/gate approve plan", on=12).built().passed_by("sentinel", "lens").says("ben", APPROVE)


@waits(defence="known-human", codes="PG210")
def approved_by_ghost(world: World) -> None:
    """Whoever approved is gone."""
    approved(world)
    world.comments[-1]["author"] = None


@waits(defence="untouched-acts", codes="PG205")
def approved_by_editing(world: World) -> None:
    """The author writes it into a remark."""
    world.unapproved().edit(world.say("mona", "I shall look at it."), APPROVE, "octo-dev")


@waits(defence="untouched-acts", codes="PG216")
def approved_history_unreadable(world: World) -> None:
    """What it said before is not known."""
    approved(world)
    world.comments[-1] |= {"edited_at": world.tick(), "editor": PEOPLE["mona"]}


@waits(defence="unheard-acts", codes="PG207")
def approved_and_dismissed(world: World) -> None:
    """The approval stood in a review that was dismissed."""
    world.unapproved().reviewed("mona", APPROVE, state="DISMISSED")


@waits(defence="act-as-given", because="was for earlier content")
def approved_older_review(world: World) -> None:
    """A review of the commit before."""
    world.push("b").unapproved().reviewed("mona", APPROVE, at="a")


@waits(defence="act-as-given")
def overridden_older_content(world: World) -> None:
    """Overridden, then pushed."""
    world.planned().says("mona", "/gate override qa: tested by hand").push("b").built()


@acts(defence="not-the-author", phases="success failure success", codes="PG211", because="Judge failed")
def exempt_and_overridden_by_author(world: World) -> None:
    """The author overrides what the Judge found in an exempt pull request."""
    world.under(DOCS).touches("docs/a.md").failed_by("judge").says("octo-dev", "/gate override build: it is late")


@waits(defence="no-overrides", codes="PG219")
def overridden_although_forbidden(world: World) -> None:
    """The policy lets nobody override."""
    world.under("version: 1\noverrides: false\n").planned().built()
    world.says("mona", "/gate override qa: it is late")


@waits(defence="approval-last", because="before the last verdict")
def approved_too_early(world: World) -> None:
    """Approved before anybody had tested."""
    world.planned().built().says("mona", APPROVE).passed_by("sentinel", "lens")


@waits(defence="approval-last", because="before the last verdict")
def approved_before_change(world: World) -> None:
    """A FAIL since the approval became a PASS."""
    world.green().edit(world.judges("sentinel", "FAIL"), verdict("sentinel"), "ana")


@acts(defence="plan-as-judged", phases=WAITING, because="was for earlier content")
def approved_older_plan(world: World) -> None:
    """The approval of the plan is older than its last edit."""
    plan = world.say("ana", "## jkz:architect\n\nThe plan.\n", on=12)
    world.passed_by("auditor").passed_by("curator").says("mona", "/gate approve plan", on=12)
    world.edit(plan, "## jkz:architect\n\nAnother plan.\n", "ana").built().tested().passed_by("auditor")
    world.passed_by("curator")


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
    world.under(DISPATCH).unapproved().then(approve_by_run, **changes)


for (_name, _says, _defence, _codes), _changes in RUNS.items():
    waits(_name, _says, defence=_defence, codes=_codes)(partial(approved_by_run, changes=_changes))


@waits(defence="not-an-agent", codes="PG207 PG212")
def approved_by_an_agent_dismissed(world: World) -> None:
    """Who approves has judged before, in a review that was dismissed."""
    world.unapproved().dismiss(world.review("ben", verdict("lens"))).passed_by("lens").says("ben", APPROVE)


withdrawn = partial(waits, codes="PG224")


@withdrawn(defence="withdrawals-stay")
def withdrawal_written_over(world: World) -> None:
    """The author writes over the maintainer's withdrawal."""
    world.green().edit(world.say("mona", WITHDRAW), "Thank you.", "octo-dev")


@withdrawn(defence="withdrawals")
def withdrawal_dismissed(world: World) -> None:
    """It stood in a review, which the author dismisses."""
    world.green().dismiss(world.review("mona", WITHDRAW))


doubted = partial(waits, codes="PG214 PG237", because="may take it back")


@doubted(defence="withdrawals-meant")
def withdrawal_in_other_words(world: World) -> None:
    """It is merged on an approval that was taken back."""
    world.green().says("mona", f"{WITHDRAW} because of the timeout")


@doubted(defence="withdrawals-meant", codes="PG213 PG237")
def withdrawal_of_all(world: World) -> None:
    """What is taken back is not named."""
    world.unapproved().says("ben", APPROVE).says("ben", "/gate withdraw everything")


@doubted(defence="withdrawals-meant", codes="PG206 PG237")
def withdrawal_by_email(world: World) -> None:
    """It came by e-mail."""
    world.green().says("mona", WITHDRAW, via_email=True)


@doubted(defence="withdrawals-stay")
def withdrawal_in_other_words_written_over(world: World) -> None:
    """The author writes over it."""
    world.green().edit(world.say("mona", f"{WITHDRAW} because of the timeout"), "Thank you.", "octo-dev")


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
        world.green().says("mona", text)


@waits(defence="withdrawals-meant", codes="PG214 PG237")
def override_in_doubt(world: World) -> None:
    """An override was taken back."""
    world.planned().built().says("mona", "/gate override qa: tested by hand").says("mona", f"{WITHDRAW} please")


# Whatever it took back: an approval of the plan can be withdrawn on the pull request, and one of QA on the issue.
taken_away = partial(acts, phases=WAITING, defence="nothing-taken-away")
gone = partial(taken_away, codes="PG227", because="may have withdrawn it")


@gone()
def withdrawal_deleted(world: World) -> None:
    """The author deletes the maintainer's withdrawal."""
    world.green().delete(world.say("mona", WITHDRAW))


@taken_away(codes="PG227")
def withdrawal_deleted_by_an_agent(world: World) -> None:
    """An agent deletes the withdrawal of an override."""
    world.planned().built().says("mona", "/gate override qa: tested by hand")
    world.delete(world.say("mona", WITHDRAW), "ana")


@gone()
def withdrawal_deleted_by_nobody(world: World) -> None:
    """Who deleted it cannot be told."""
    world.green().delete(world.say("mona", WITHDRAW))
    world.changes["deleted_comments"][-1]["actor"] = None


@taken_away(codes="PG125 PG216 PG227")
def withdrawal_out_of_its_history(world: World) -> None:
    """The author writes over it, and takes the version out of its history."""
    world.green()
    said = world.say("mona", WITHDRAW)
    world.edit(said, "Thank you.", "octo-dev")
    said["history"][0] |= {"text": None, "deleted_at": world.tick(), "deleted_by": PEOPLE["octo-dev"]}


ELSEWHERE = "version: 1\nagents: {accounts: [{login: ana, id: 21}], only: true}\n"


@taken_away(codes="PG227")
def withdrawal_on_an_issue_deleted(world: World) -> None:
    """The withdrawal of the plan's approval is deleted from the issue."""
    world.under(ELSEWHERE).green()
    said = world.say("mona", "/gate withdraw plan", on=12)
    world.issues[0]["comments"].remove(said)
    trace = {"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": said["author"]}
    world.issues[0]["deleted_comments"] = [trace]


@waits(defence="withdrawals", codes="PG224")
def withdrawn_on_the_issue(world: World) -> None:
    """The approval of QA was withdrawn on the issue, and still stands there."""
    world.green().says("mona", WITHDRAW, on=12)


@waits(defence="nothing-taken-away", codes="PG227", because="may have withdrawn it")
def withdrawal_deleted_elsewhere(world: World) -> None:
    """The author deletes that withdrawal from the issue."""
    world.under(ELSEWHERE).unapproved().says("ben", APPROVE)
    trace = {"at": world.tick(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ben"]}
    world.issues[0]["deleted_comments"] = [trace]


@taken_away(codes="PG227")
def plan_withdrawal_deleted_elsewhere(world: World) -> None:
    """The approval of the plan was withdrawn on the pull request, where the author deletes that."""
    world.unapproved().delete(world.say("mona", "/gate withdraw plan")).says("ben", APPROVE)


@acts(defence="withdrawals", phases=WAITING, codes="PG224")
def merged_on_a_withdrawn_override(world: World) -> None:
    """The override of the plan stood on the pull request, and was withdrawn there."""
    world.says("mona", "/gate override plan: there was no time").built().tested()
    world.says("mona", "/gate withdraw plan")


@acts(defence="words-spent", phases=WAITING, codes="PG404")
def reopened_override(world: World) -> None:
    """The override of a plan was for the pull request that closed the issue, which is open again."""
    world.says("mona", "/gate override plan: there was no time", on=12)
    world.issues[0]["closed_by"] = [{"number": 5, "merged_at": world.tick(), "repository": REPOSITORY}]
    world.built().tested()


waits("reviewed-by-author", "A review of who opened the work.", defence="not-the-author")(
    partial(reviewed, who="octo-dev")
)
waits("reviewed-by-agent", "The account that judged presses GitHub's button too.", defence="not-an-agent")(
    partial(reviewed, who="ana")
)
waits("reviewed-by-stranger", "A stranger presses GitHub's button.", defence="human-permission")(
    partial(reviewed, who="eve")
)


@waits(defence="reviews-as-approvals")
def review_dismissed(world: World) -> None:
    """An approving review was dismissed."""
    world.then(reviewed).dismiss(world.reviews[-1], "mona")


@waits(defence="reviews-as-approvals", codes="PG224")
def review_taken_back(world: World) -> None:
    """Who approved requests changes since."""
    world.then(reviewed).reviewed("mona", "", state="CHANGES_REQUESTED")


@waits(defence="act-as-given")
def review_of_older_content(world: World) -> None:
    """A review of the head before."""
    world.under(REVIEWS).push("b").unapproved().reviewed("mona", "", state="APPROVED", at="a")
