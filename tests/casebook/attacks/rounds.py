"""Attempts and order: to go on trying until it passes, or to pass without having been asked."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import PLAN_FAILED, attack
from tests.casebook.attacks.edited import deleted
from tests.casebook.edits import bury
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, QA_FAILED, QA_WAITS
from tests.casebook.world import PEOPLE, World, block, commit, verdict

fails = partial(attack, "attempts", phases=BUILD_FAILED, because="Escalated: 4 failing rounds")
order = partial(attack, "order")
early = partial(order, phases=BUILD_WAITS)
DISTINCT = "version: 1\nphases: {plan: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
BLOCKED = '## jkz:builder\n\n<!-- jkz:verdict-json\n{"verdict": "BLOCKED"}\n-->\n'


@fails(defence="escalation")
def tried_until_it_passed(world: World) -> None:
    """Four contents failed, the fifth passes."""
    world.planned().failing_rounds(4).passes_at_last()


@fails(defence="escalation")
def tried_and_edited_away(world: World) -> None:
    """Each FAIL was edited to a PASS by its author."""
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}").edit(world.judges("judge", "FAIL"), verdict("judge"), "ana")
    world.others_pass()


def rebased(world: World, kind: str) -> None:
    """The base is forced, or another one is chosen."""
    number = len(world.base_changes)
    told = {"before": commit(f"b{number}"), "after": commit(f"b{number + 1}"), "actor": PEOPLE["octo-dev"]}
    names = {} if kind == "forced" else {"before": f"b{number}", "after": f"b{number + 1}"}
    world.base_changes.append({"at": world.tick(), "kind": kind, **told, **names})


for _kind in ("forced", "retargeted"):

    @fails(f"tried-on-{_kind}-bases", f"One commit failed on four bases ({_kind}).", defence="rounds-by-base")
    def _(world: World, kind: str = _kind) -> None:
        world.planned()
        for _ in range(4):
            world.failed_by("judge").then(rebased, kind)
        world.passes_at_last()


@fails(defence="nothing-buried", codes="PG228")
def tried_and_buried(world: World) -> None:
    """The fourth FAIL is buried under edits so long that nobody takes them all apart."""
    world.planned().failing_rounds(3).push("attempt-3")
    world.then(bury, world.judges("judge", "FAIL"), verdict("judge")).passes_at_last()


@fails(defence="escalation", codes="PG305", phases="success failure success")
def tried_without_log(world: World) -> None:
    """The log of pushes is gone, and with it the rounds."""
    world.under("version: 1\nphases: {qa: {enabled: false}}\n").planned().failing_rounds(4).push("last").gated()
    world.passed_by("judge", commit=commit("last")).passed_by("inspector", commit=commit("last"))
    world.changes["ref_log"] = {"source": "none", "complete": False}


@attack("attempts", defence="escalation", phases=PLAN_FAILED, because="Escalated: 4 failing rounds")
def tried_with_new_plans(world: World) -> None:
    """Four plans failed; each was deleted for the next one."""
    for number in range(4):
        plan = world.say("ana", f"## jkz:architect\n\nPlan {number}\n", on=12)
        world.failed_by("auditor")
        world.issues[0]["comments"].remove(plan)
    world.green()


@fails(defence="fail-is-fail", codes="PG301")
def tried_for_unknown_commits(world: World) -> None:
    """Each FAIL names a commit that never was."""
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}").failed_by("judge", commit=commit(f"nowhere-{number}"))
    world.passes_at_last()


@fails(defence="record")
def tried_and_deleted(world: World) -> None:
    """One of four FAILs was deleted, and a human let that pass."""
    world.planned().then(deleted, "judge").says("mona", "/gate resume build: it was posted twice")
    world.failing_rounds(3).passes_at_last()


@fails(defence="resume-after")
def resumed_in_advance(world: World) -> None:
    """A resume before the escalation."""
    world.planned().failing_rounds(3).says("mona", "/gate resume build: just in case").push("more")
    world.failed_by("judge").passes_at_last()


answered = partial(fails, because="escalated: 4 failing rounds")


@answered(defence="not-an-agent", codes="PG212")
def resumed_by_agent(world: World) -> None:
    """The agent resumes itself."""
    world.planned().failing_rounds(4).says("ana", "/gate resume build: I am sure now").passes_at_last()


@answered(defence="not-the-author", codes="PG211")
def resumed_by_author(world: World) -> None:
    """The author resumes."""
    world.planned().failing_rounds(4).says("octo-dev", "/gate resume build: once more").passes_at_last()


@order(defence="latest-word", phases=BUILD_FAILED, because="Judge failed")
def failed_after_passing(world: World) -> None:
    """The Judge passes it, looks again and fails it."""
    world.judged(verdict("judge")).failed_by("judge")


@order(defence="latest-word", phases=BUILD_FAILED, because="Judge failed")
def failed_in_a_review(world: World) -> None:
    """The PASS is a comment, the later FAIL a review."""
    world.green().reviewed("ana", verdict("judge", "FAIL"))


@order(defence="strayed-objections", phases=BUILD_FAILED, codes="PG209", because="Judge failed 86f7e43: J1")
def failed_on_the_issue(world: World) -> None:
    """The Judge's later FAIL stands on the issue: it is an objection of the Judge all the same."""
    world.green().says("ana", verdict("judge", "FAIL"), on=12)


@order(
    defence="strayed-objections",
    phases="failure pending pending",
    codes="PG209",
    because="Auditor failed the plan of #12: A1",
)
def plan_failed_on_the_pull_request(world: World) -> None:
    """The Auditor's later FAIL stands on the pull request."""
    world.green().says("ana", verdict("auditor", "FAIL"))


@order(defence="strayed-objections", phases=QA_FAILED, codes="PG209")
def bug_failed_on_the_issue(world: World) -> None:
    """QA need not run, and the Sentinel failed the work in the wrong place."""
    world.label("bug").planned().built().says("ana", verdict("sentinel", "FAIL"), on=12)


@order(defence="strayed-objections", phases=BUILD_WAITS, codes="PG209", because="Builder is blocked")
def blocked_on_the_issue(world: World) -> None:
    """The Builder says on the issue that it is blocked."""
    world.green().says("ana", f"## jkz:builder\n\n{block({'verdict': 'BLOCKED', 'issues': []})}\n", on=12)


@order(defence="worse-is-later", phases=BUILD_FAILED, because="Judge failed")
def passed_in_the_same_second(world: World) -> None:
    """FAIL and PASS in one second."""
    world.planned()
    failed = world.judges("judge", "FAIL")
    world.judges("judge")["created_at"] = failed["created_at"]
    world.others_pass()


@early(defence="confirmed-last")
def confirmed_first(world: World) -> None:
    """The Inspector confirms what nobody has challenged."""
    world.planned().passed_by("inspector").passed_by("judge").tested()


@early(defence="confirmed-last")
def confirmed_before_change(world: World) -> None:
    """The Judge's FAIL became a PASS since."""
    world.planned().built().edit(world.judges("judge", "FAIL"), verdict("judge"), "ana").tested()


@early(defence="distinct-accounts")
def one_account_for_two_roles(world: World) -> None:
    """The same account judges and confirms."""
    world.under(DISTINCT).built().passed_by("sentinel", who="ana").passed_by("lens", who="ben")
    world.says("mona", "/gate approve qa")


@early(defence="distinct-accounts")
def builder_judges(world: World) -> None:
    """The account that built it judges it."""
    world.under(DISTINCT).says("ana", "## jkz:builder\n\nDone.\n").passed_by("judge", who="ana")
    world.passed_by("inspector", who="ben").passed_by("sentinel", who="ana").passed_by("lens", who="ben")
    world.says("mona", "/gate approve qa")


@early(defence="distinct-accounts")
def builder_judges_behind_another(world: World) -> None:
    """Somebody else says to have built it after that."""
    world.under(DISTINCT).says("ana", "## jkz:builder\n\nDone.\n")
    world.says("octo-dev", "## jkz:builder\n\nDone too.\n").passed_by("judge", who="ana")
    world.passed_by("inspector", who="ben").passed_by("sentinel", who="ana").passed_by("lens", who="ben")
    world.says("mona", "/gate approve qa")


@early(defence="workers-done", because="Builder is blocked")
def builder_is_blocked(world: World) -> None:
    """The Builder says that it is not done."""
    world.unapproved().says("ana", BLOCKED).says("mona", "/gate approve qa")


BROKEN_FAILS = {
    "tried-with-broken-fails": '{"verdict": "FAIL",}',
    "tried-with-fails-in-lower-case": '{"verdict": "fail", "issues": []}',
    "tried-with-broken-demands": '{"must_fix": ["J1"],}',
    "tried-with-broken-findings": '{"issues": [{"id": "J1", "severity": "CRITICAL"}],}',
    "tried-with-fails-in-words": None,
}
for _name, _data in BROKEN_FAILS.items():

    @attack(
        "attempts",
        _name,
        "Each of four FAILs has a fault of form, and counts as a round all the same.",
        defence="unread-objections",
        phases=BUILD_FAILED,
        codes={"tried-with-fails-in-lower-case": "PG022", "tried-with-fails-in-words": "PG102"}.get(_name, "PG001"),
        because="Escalated: 4 failing rounds",
    )
    def _(world: World, data: str | None = _data) -> None:
        world.planned()
        for number in range(4):
            world.push(f"attempt-{number}")
            world.says("ana", f"## jkz:judge\n\n{'I fail this.' if data is None else block(data)}\n")
        world.passes_at_last()


@fails(defence="resume-after")
def resumed_in_the_same_second(world: World) -> None:
    """A resume in the second of the fourth failure is not after it."""
    world.planned().failing_rounds(4).at_once().says("mona", "/gate resume build: just in case")
    world.passes_at_last()


@order(defence="approval-last", phases=QA_WAITS, because="came before the last verdict")
def approved_in_the_second_of_a_verdict(world: World) -> None:
    """A human approves QA in the second in which Lens passes it."""
    world.unapproved().at_once().says("mona", "/gate approve qa")


@order(defence="approval-last", phases=QA_WAITS, because="came before the last verdict")
def approved_in_the_second_of_an_edit(world: World) -> None:
    """A human approves QA in the second in which Lens edits its verdict."""
    world.unapproved().edit(world.comments[-1], f"Looked again.\n\n{verdict('lens')}", "ana").at_once()
    world.says("mona", "/gate approve qa")


@early(defence="confirmed-last", because="Inspector spoke before Judge")
def confirmed_in_the_same_second(world: World) -> None:
    """The Inspector confirms in the second in which the Judge passes it."""
    world.planned().passed_by("judge").at_once().others_pass()


@early(defence="own-pass", because="Inspector spoke before Judge", codes="PG102")
def confirmed_before_a_quoted_pass(world: World) -> None:
    """The Judge's first word only quotes a PASS, so the Inspector had nothing to confirm."""
    world.planned().says("ana", "## jkz:judge\n\n> PASS, says the author.\n\nStill looking.\n")
    world.passed_by("inspector").passed_by("judge").tested()


@fails(defence="record")
def tried_and_taken_back(world: World) -> None:
    """Each FAIL was deleted by its own account, which judged anew."""
    world.planned()
    for number in range(4):
        world.push(f"attempt-{number}")
        said = world.judges("judge", "FAIL")
        world.on_record(said, who="ana", judged=f"attempt-{number}").delete(said, "ana")
    world.passes_at_last()


ONLY_BUILD = "version: 1\nphases: {build: {paths: ['src/**']}}\n"
ONLY_QA = "version: 1\nphases: {qa: {paths: ['src/**']}}\n"
beside = partial(attack, "attempts", phases=BUILD_FAILED, defence="history-beside-paths")


def away(world: World, policy: str = ONLY_BUILD) -> None:
    """What is changed now is none of the phase's paths."""
    world.under(policy).touches("lib/x.py")


@beside(because="Escalated: 4")
def escalated_and_moved(world: World) -> None:
    """After four failing rounds the work leaves the phase's paths."""
    world.planned().failing_rounds(4).push("b").then(away).tested()


@beside(codes="PG205", because="edited by octo-dev")
def edited_fail_and_moved(world: World) -> None:
    """The FAIL was edited by the author before."""
    world.planned().edit(world.judges("judge", "FAIL"), verdict("judge"), "octo-dev").push("b").then(away)
    world.tested()


@beside(because="deleted by octo-dev")
def deleted_fail_and_moved(world: World) -> None:
    """Or deleted, and is on record."""
    world.planned()
    said = world.judges("judge", "FAIL")
    world.on_record(said, who="ana").delete(said).push("b").then(away).tested()


@beside(because="dismissed by octo-dev")
def dismissed_fail_beside(world: World) -> None:
    """Or dismissed, on the very content."""
    world.planned().then(away).dismiss(world.review("ana", verdict("judge", "FAIL"))).tested()


@beside(because="Judge failed")
def fail_beside_the_paths(world: World) -> None:
    """The Judge fails what the phase need not look at."""
    world.planned().then(away).failed_by("judge").tested()


@beside(codes="PG001", because="Judge's verdict is invalid")
def broken_fail_beside_the_paths(world: World) -> None:
    """The FAIL is no JSON."""
    world.planned().then(away).says("ana", f"## jkz:judge\n\n{block('{verdict: FAIL}')}\n").tested()


@beside(phases=QA_FAILED, because="Sentinel failed")
def qa_fail_beside_the_paths(world: World) -> None:
    """The Sentinel does."""
    world.planned().then(away, ONLY_QA).built().failed_by("sentinel")
