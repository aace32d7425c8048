"""An orchestrator that knows nothing but ``next``: it does what the first task says until the pull request is green."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from phasegate.dialects.described.boxes import box_names
from phasegate.gate import judge
from phasegate.model.report import Remedy, Report, State
from phasegate.report.data import report_data
from phasegate.report.tasks import next_action
from tests.casebook import reviewers, thehood
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.decided import report_of, snapshot_of
from tests.casebook.drift import GOOD, our_review, word
from tests.casebook.envelope import message
from tests.casebook.every import STORIES
from tests.casebook.evidence import PRODUCT, plan, results, review, worker
from tests.casebook.honest import everything_by
from tests.casebook.mixing import checked, ran
from tests.casebook.pipeline import git_result
from tests.casebook.thehood import ACK, answer_data, carried
from tests.casebook.world import LETTERS, PEOPLE, World, block, commit, finding

MOST = 30
BEYOND_THE_TASK = "PG841"
JSON = dict[str, Any]
Do = Callable[[World, JSON], object]


def decided(world: World) -> Report:
    """What the gate says now."""
    return judge(snapshot_of(world))


def tasks(world: World) -> list[JSON]:
    """The way to green, as a machine gets it."""
    return told(decided(world))


def told(report: Report) -> list[JSON]:
    """The tasks of a report, as a machine gets them."""
    found = json.loads(json.dumps(report_data(report)["next"]))
    assert isinstance(found, list)
    return found


def who(world: World, task: JSON) -> str:
    """An account that may do it; where none is known, one that is new here."""
    if task["accounts"]:
        return str(task["accounts"][0])
    PEOPLE.setdefault("newcomer", {"login": "newcomer", "id": 900, "type": "User"})
    world.permissions["newcomer"] = "write"
    return "newcomer"


def place(task: JSON) -> JSON:
    return {"on": task["issue"]} if task["issue"] is not None else {}


# What agents know by themselves: how their own words are written. The orchestrator knows nothing of it.


def last_word(world: World, task: JSON) -> JSON | None:
    """The role's last word, if it holds something against the content that is still there."""
    signals = json.loads(json.dumps(report_data(decided(world))["signals"]))
    own = [each for each in signals if (each["role"], each["issue"]) == (task["role"], task["issue"]) and each["fresh"]]
    last: JSON = own[-1] if own else {"disposition": "overruled"}
    against = last["disposition"] != "overruled" and (last["said"] == "FAIL" or "PG115" in last["problems"])
    return last if against else None


def jkz(world: World, task: JSON) -> str:
    """A plan, or a verdict under its heading: of what has not been fixed since, a FAIL again, in the right form."""
    made, said = task["produce"], {"builder": "COMPLETE", "doctor": "FIXED"}.get(task["role"], "PASS")
    if not made["schema"]:
        return f"{made['heading']}\n\n1. Do it.\n"
    data: JSON = {"verdict": said, "issues": []}
    last = last_word(world, task) if said == "PASS" else None
    if last is not None:
        found = last["findings"] or [finding("J1")]
        letter = LETTERS.get(task["role"], task["role"][0].upper())
        ids = [f"{letter}{number}" for number, _ in enumerate(found, 1)]
        issues = [finding(name, summary=each["summary"]) for name, each in zip(ids, found, strict=True)]
        data = {"verdict": "FAIL", "issues": issues, "must_fix": ids}
    data |= {"commit": task["commit"]} if made["names_commit"] else {}
    return f"{made['heading']}\n\n{block(data)}\n"


def enveloped(world: World, task: JSON) -> str:
    """A message of the type that the schema names."""
    del world
    return message(task["produce"]["schema"].rpartition("/")[2])


def answered(world: World, task: JSON) -> str:
    """An answer with the payload that the schema names; the runtime knows the directive of its own run."""
    own: JSON = {"thehoodDirectiveAck": ACK} if "directives" in (world.policy or "") else {}
    return carried(answer_data(task["produce"]["schema"].rpartition("/")[2], **own))


DIALECTS: dict[str, Callable[[World, JSON], str]] = {"": jkz, "jkz": jkz, "envelope": enveloped, "thehood": answered}
# Where they have spoken in a review, they answer in one.
REVIEWED: dict[str, Callable[[World], object]] = {
    "coderabbit": lambda world: reviewers.reviews(world, "coderabbit", reviewers.actionable(0))
}


def _ours(world: World) -> str:
    """What the team's own reviewer writes, in the format that the policy has."""
    headed = "Review verdict" in (world.policy or "")
    return word(GOOD, world.head) if headed else our_review(role="one", verdict="approve")


ROLES: dict[str, Callable[[World], object]] = {
    "our-reviewer": lambda world: world.say("ben", _ours(world)),
    "second": lambda world: world.say("ana", our_review(role="two", verdict="approve")),
    "coderabbit": lambda world: reviewers.says(world, "coderabbit", reviewers.walkthrough(world.head)),
    "codex": lambda world: reviewers.says(world, "codex", reviewers.codex(world.head)),
    "copilot": lambda world: reviewers.reviews(world, "copilot", reviewers.copilot()),
    "greptile": lambda world: reviewers.says(world, "greptile", reviewers.greptile(head=world.head)),
    "claude-review": lambda world: reviewers.runs(world, "claude-review", text=reviewers.counted(), **reviewers.CLAUDE),
    "bugbot": lambda world: reviewers.runs(world, "bugbot", **reviewers.CLEAN_BUGBOT),
}
WHOLE: dict[str, Callable[[World], object]] = {
    "copilot": lambda world: reviewers.reviews(world, "copilot", reviewers.OVERVIEW)
}
WRITTEN: dict[str, Callable[..., str]] = {
    "pipeline/plan": plan,
    "pipeline/worker-result": worker,
    "pipeline/test-result": results,
    "pipeline/review-result": review,
}
ARTIFACTS = (
    "plan.json", "worker-result.json", "test-result.json", "review-result.json", "git-result.json", "state.yaml",
)  # fmt: skip
FILED = {"story-check": ".stories/one.json", "gsd": reviewers.GSD, "bmad": reviewers.BMAD}


def copy(world: World, said: JSON) -> JSON:
    """The same words again, by the same account."""
    world.next_id += 1
    url = f"{said['url'].rstrip('0123456789')}{world.next_id}"
    own = {key: said[key] for key in ("author", "app_id", "text", "state", "commit") if key in said}
    return own | {"id": world.next_id, "url": url, "created_at": world.tick()}


def speaks(world: World, task: JSON) -> None:
    """Words of a role, where the task says, made of nothing but what it says of them and what the agent knows.

    Where the work goes beyond what was delegated, as the task says, it is delegated again first.
    """
    if any(each["code"] == BEYOND_THE_TASK for each in (task["refused"] or {"reasons": ()})["reasons"]):
        thehood.decides(world)
    last = last_word(world, task)
    said = [each for each in (*world.comments, *world.reviews) if last is not None and each["url"] == last["url"]]
    if said and task["produce"]["schema"] != "jkz/verdict":
        (world.reviews if "state" in said[0] else world.comments).append(copy(world, said[0]))
        return
    if task["role"] in ROLES:
        own = REVIEWED if task["produce"]["medium"] == "review" and task["role"] in REVIEWED else ROLES
        own[task["role"]](world)
        return
    text = DIALECTS[task["produce"]["schema"].partition("/")[0]](world, task)
    world.say(who(world, task), text, **place(task))


def answers(world: World, task: JSON) -> None:
    """A human answers what an agent asks; the agent that asked goes on."""
    if task["actor"] == "human":
        world.say(who(world, task), "Yes, please.", **place(task))
        signals = report_data(decided(world))["signals"]
        own = [each for each in json.loads(json.dumps(signals)) if each["role"] == task["role"]]
        task = task | {"accounts": [own[-1]["author"]["login"]]}
    then = {"file": "push_evidence", "branch": "fix_findings"}.get(task["produce"]["medium"], "give_verdict")
    DOES[then](world, task)


def pushes(world: World, task: JSON) -> None:
    """A file of evidence that fits the schema that the task names, at the path that it names."""
    made, content = task["produce"], world.contents[commit(world.head)]
    path = FILED.get(task["role"], made["path"])
    world.push(f"{world.head}.", by=who(world, task), evidence={path: evidence(world, task)})
    world.contents[commit(world.head)] = content


def evidence(world: World, task: JSON) -> str:
    """What the agent writes into its file; another text each time."""
    made, again = task["produce"], f"again: {world.head}\n"
    if task["role"] in FILED:
        texts = {"gsd": reviewers.gsd(more=again), "bmad": reviewers.bmad(more=again)}
        return texts.get(task["role"], f'{{"verdict": "good", "run": "{world.head}"}}')
    if made["schema"] == "pipeline/git-result":
        return git_result(world)
    if made["schema"] == "pipeline/state":
        return 'issue_id: "12"\n'
    names = {"commit": task["commit"] or commit(world.head)} if made["names_commit"] else {}
    known = tuple(f"/{name}" for name in ARTIFACTS)
    changed = [entry["path"] for entry in world.snapshot()["files"]["entries"] if not entry["path"].endswith(known)]
    if made["schema"] == "pipeline/plan":
        files = list(dict.fromkeys((*PRODUCT, *changed)))
        step = {"action": "modify", "description": "Do it", "depends_on": []}
        names = {"affected_files": files, "steps": [{**step, "order": n, "file": f} for n, f in enumerate(files, 1)]}
    return WRITTEN[made["schema"]](**names)


def acts(world: World, task: JSON) -> None:
    """A human writes the line that the task holds."""
    world.say(who(world, task), task["produce"]["text"].replace("<reason>", "looked at it"), **place(task))


def fixes(world: World, task: JSON) -> None:
    """Whoever fixes pushes another commit, or plans again."""
    if task["issue"] is not None:
        speaks(world, task)
        return
    world.push(f"{world.head}+", by=world.author)
    if task["need"] in ROLES and task["need"] in box_names():
        looks_again(world, task["need"])


def looks_again(world: World, reviewer: str) -> None:
    """A reviewer whose findings were fixed resolves its threads, approves what it asked for, and reviews the whole."""
    own = reviewers.account(reviewer)
    for thread in world.changes.get("threads", []):
        if thread["author"] == own:
            world.resolve(thread, own)
    if any((each["author"], each.get("state")) == (own, "CHANGES_REQUESTED") for each in world.reviews):
        reviewers.reviews(world, reviewer, "", state="APPROVED")
    WHOLE.get(reviewer, ROLES[reviewer])(world)


def names(world: World, task: JSON) -> None:
    """The maintainer adds the line to the policy, in place of what it says of the same account."""
    line = yaml.safe_load(task["produce"]["text"])
    policy = yaml.safe_load(world.policy or "version: 1")
    if "exempt" in line:
        world.policy = yaml.safe_dump(policy | line, sort_keys=False)
        return
    agents = policy.setdefault("agents", {})
    entry = line[0] if isinstance(line, list) else line["agents"]["accounts"][0]
    if entry["login"] == "<account>":
        entry |= {"login": who(world, task), "id": 900}
    others = [each for each in agents.get("accounts", []) if each.get("login") != entry["login"]]
    agents["accounts"] = [*others, entry]
    world.policy = yaml.safe_dump(policy, sort_keys=False)


def clears(world: World, task: JSON) -> None:
    """The author puts the folder of evidence right: it is no longer ignored, and the only one of its issue."""
    world.changes.pop("branch_files_ignored", None)
    folder, content = task["produce"]["path"], world.contents[commit(world.head)]
    rivals: dict[str, str | None] = dict.fromkeys(path for path in world.trees[-1] if not path.startswith(f"{folder}/"))
    notes = {path: 'issue_id: "12"\n' for path in world.trees[-1] if path == f"{folder}/state.yaml"}
    world.push(f"{world.head}.", evidence={**rivals, **notes})
    world.contents[commit(world.head)] = content


def succeeds(world: World, task: JSON) -> None:
    """Whoever made the check red pushes a fix; it runs and succeeds."""
    before = [run for run in world.changes.get("checks", ()) if run["name"] == task["need"]]
    if before and before[-1].get("conclusion") == "failure":
        world.push(f"{world.head}+", by=world.author)
    others = [run for run in world.changes.get("checks", ()) if run["name"] != task["need"]]
    app = {"app_id": before[0]["app_id"]} if before and "app_id" in before[0] else {}
    run = {"name": task["need"], "status": "completed", "conclusion": "success", "commit": commit(world.head), **app}
    world.changes["checks"] = [*others, run]


def relabels(world: World, task: JSON) -> None:
    """Somebody who may does again what does not count."""
    by = who(world, task)
    if "#" in task["need"]:
        world.link(task["issue"], by=by)
        world.unlink(task["issue"], by=by)
        return
    issue = next(issue for issue in world.issues if issue["number"] == task["issue"])
    steps = [world.unlabel, world.label]
    for step in steps if task["need"] in issue["labels"] else reversed(steps):
        step(task["need"], task["issue"], by=by)


def parts(world: World, task: JSON) -> None:
    """The other pull request with the same head is closed; or a commit is pushed that brings nothing."""
    if world.changes.pop("siblings", None) is None:
        assert "empty" in task["text"]
        world.push(f"{world.head}+", world.head)
        world.changes["record"].pop("full")


def mends(world: World, task: JSON) -> None:
    """The maintainer goes back to a policy that can be read, or to the snapshot as it was saved."""
    assert task["produce"]["path"] == ".github/phase-gate.yml"
    if world.changes.pop("policy", None) is None:
        world.policy = None


def links(world: World) -> None:
    """The author links an issue."""
    world.issues[:] = [issue for issue in world.issues if "closed_by" not in issue]
    world.issue(40)


DOES: dict[str, Do] = {
    "give_verdict": speaks,
    "push_evidence": pushes,
    "write_plan": speaks,
    "answer": answers,
    "fix_findings": fixes,
    "approve": acts,
    "resume": acts,
    "override": acts,
    "dismiss": acts,
    "link_issue": lambda world, _: links(world),
    "add_policy_line": names,
    "fix_folder": clears,
    "pass_check": succeeds,
    "relabel": relabels,
    "requeue": lambda world, _: world.queued(),  # by its author, alone this time
    "reopen": lambda world, _: world.reopen(),
    "separate_head": parts,
    "fix_policy": mends,
}


def orchestrate(world: World) -> list[str]:
    """Do what comes first until nothing is left; what was done, and what it should turn green does."""
    done: list[str] = []
    report = decided(world)
    while found := told(report):
        assert len(done) < MOST, done
        task = found[0]
        done.append(f"{task['do']} {task['role'] or task['phase']}")
        DOES[task["do"]](world, task)
        report = decided(world)
        states = {phase.context: phase.state.value for phase in report.phases} | {report.context: report.state.value}
        assert all(states[context] == "success" for context in task["turns_green"]), (task["text"], states)
    return done


# What these reviewers have to say again belongs into a review or check run.
STUCK = [name for name, story in STORIES.items() if story.state != "success"]
AGAIN = 3  # how often one thing may be asked for: since it was written, other content was pushed

BEYOND = ("closed-and-green", "sibling")  # what keeps them from green is in no phase
DECIDED = [name for name in STUCK if name not in BEYOND and STORIES[name].state != "error"]

# For every kind of remedy a pull request whose first task is of that kind.
KINDS = {
    Remedy.GIVE_VERDICT: "author-judges",
    Remedy.PUSH_EVIDENCE: "pipeline-no-folder",
    Remedy.WRITE_PLAN: "no-plan",
    Remedy.FIX_FINDINGS: "judge-failed",
    Remedy.ANSWER: "thehood-ask-user",
    Remedy.APPROVE: "approved-by-author",
    Remedy.RESUME: "resumed-too-early",
    Remedy.LINK_ISSUE: "no-linked-issue",
    Remedy.ADD_POLICY_LINE: "bot-unnamed",
    Remedy.FIX_POLICY: "policy-unknown-key",
    Remedy.FIX_FOLDER: "pipeline-ignored",
    Remedy.PASS_CHECK: "check-red",
    Remedy.SEPARATE_HEAD: "sibling",
    Remedy.REOPEN: "closed-and-green",
    Remedy.RELABEL: "bug-by-the-author",
    Remedy.REQUEUE: "queued-with-another",
    Remedy.DISMISS: "codex-findings",
}

# For every reason to refuse a word or an act a pull request of which that reason is the first thing said.
REFUSALS = {
    "PG102": "block-in-a-json-fence", "PG119": "role-key-disagrees", "PG120": "role-unknown",
    "PG125": "refused-without-a-heading", "PG126": "edited-away-by-author", "PG201": "only-named-agents",
    "PG202": "author-judges", "PG203": "bot-unnamed", "PG204": "bot-other-id", "PG205": "edited-by-another",
    "PG206": "by-email", "PG207": "review-dismissed", "PG208": "edited-by-author-forbidden",
    "PG209": "refused-in-the-wrong-place", "PG210": "approved-by-app", "PG211": "refused-approval-of-the-author",
    "PG212": "approved-by-agent", "PG213": "approved-unknown-phase", "PG214": "refused-approval-misspelt",
    "PG216": "history-unreadable", "PG221": "approved-by-run-of-a-branch", "PG222": "drifted-heading",
    "PG301": "commit-never-head", "PG302": "commit-ambiguous", "PG304": "commit-required",
    "PG305": "unlogged-approval",
}  # fmt: skip


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", STUCK)
def test_orchestrator__brings_a_stuck_pull_request_to_green(name: str) -> None:
    world = STORIES[name].world()
    assert decided(world).state.value != "success"
    done = orchestrate(world)
    assert decided(world).state.value == "success", done
    assert max(map(done.count, done)) <= AGAIN, done


@pytest.mark.parametrize("name", STUCK)
def test_tasks__tell_no_judge_which_verdict_to_give(name: str) -> None:
    """A hint names PASS only beside FAIL; what is there and does not count may be quoted."""
    for task in told(report_of(STORIES[name])):
        judging = task["do"] in ("give_verdict", "push_evidence")
        for reason in task["refused"]["reasons"] if judging and task["refused"] else ():
            assert "PASS" not in reason["hint"] or "FAIL" in reason["hint"], reason
            assert 'did you mean "PASS"' not in reason["message"], reason


@pytest.mark.parametrize("name", DECIDED)
def test_tasks__are_the_whole_way(name: str) -> None:
    """Without doing anything yet, the list ends where every context is green."""
    report = report_of(STORIES[name])
    green = {phase.context for phase in report.phases if phase.state.value == "success"}
    turned = {context for task in report.tasks if not task.instead for context in task.turns_green}
    assert green | turned == {phase.context for phase in report.phases}
    assert len(report.tasks) <= 50
    head = commit(STORIES[name].world().head)
    assert {task.commit for task in report.tasks} <= {head, None}


@pytest.mark.parametrize("name", DECIDED)
def test_examples__posted_as_they_are_are_words_and_pass_nothing(name: str) -> None:
    """Whoever copies the form that a task shows is heard in that seat, and turns nothing green."""
    for task in tasks(STORIES[name].world()):
        world, made = STORIES[name].world(), task["produce"] or {"example": ""}
        if task["do"] != "give_verdict" or not made["example"] or task["refused"] or task["commit"] is None:
            continue
        text = made["example"].partition("\n\nIf nothing")[0]
        if made["medium"] == "review":
            said = world.review(who(world, task), text)
        else:
            said = world.say(who(world, task), text, **place(task))
        report = decided(world)
        heard = [each.vote for each in report.signals if each.vote.signal.source.url == said["url"]]
        assert [(vote.role, vote.why) for vote in heard] == [(task["role"], None)]
        assert report.state is not State.SUCCESS


def test_remedies__have_a_story_each() -> None:
    assert set(KINDS) | {Remedy.OVERRIDE} == set(Remedy)


@pytest.mark.parametrize("kind", KINDS)
def test_remedy__brings_its_phase_forward(kind: Remedy) -> None:
    world = STORIES[KINDS[kind]].world()
    task = next(task for task in tasks(world) if task["do"] == kind.value)
    before = decided(world)
    DOES[task["do"]](world, task)
    assert len(tasks(world)) < len(before.tasks) or decided(world).state.value == "success"


def test_solo__turns_everything_green_for_who_is_alone() -> None:
    world = World(permissions={"octo-dev": "admin"})
    everything_by(world, "octo-dev")
    (alone,) = [task for task in tasks(world) if task["produce"]["text"] == "solo: true"]
    assert (alone["do"], alone["actor"], alone["instead"]) == ("add_policy_line", "maintainer", True)
    world.policy = f"version: 1\n{alone['produce']['text']}\n"
    report = decided(world)
    assert [phase.context for phase in report.phases if phase.state.value == "success"] == alone["turns_green"]
    assert report.state.value == "success"


@pytest.mark.parametrize("other", ["mona", "ana"])
def test_solo__is_not_proposed_where_somebody_else_is_there(other: str) -> None:
    world = World(permissions={"octo-dev": "admin", other: "write"})
    everything_by(world, "octo-dev")
    assert "solo: true" not in [task["produce"]["text"] for task in tasks(world) if task["produce"]]


@pytest.mark.parametrize("speaks", [False, True])
def test_solo__is_proposed_where_somebody_else_only_set_a_label(*, speaks: bool) -> None:
    world = World(permissions={"octo-dev": "admin", "mona": "write"}).label("bug")
    everything_by(world, "octo-dev")
    if speaks:
        world.says("mona", "I have a look tomorrow.")
    assert ("solo: true" in [task["produce"]["text"] for task in tasks(world) if task["produce"]]) is not speaks


def test_switch__is_proposed_where_nobody_else_may_approve() -> None:
    world = World(permissions={"octo-dev": "admin", "ana": "write"})
    waiting_for_approval(world, approver="octo-dev")
    (line,) = [task for task in tasks(world) if task["do"] == "add_policy_line"]
    assert (line["actor"], line["instead"], line["turns_green"]) == ("maintainer", True, ["phase-gate/plan"])
    assert line["produce"]["text"] == "humans: {author_may_approve: true}"
    world.policy = f"version: 1\n{line['produce']['text']}\n"
    assert "phase-gate/plan" not in {context for task in tasks(world) for context in task["turns_green"]}
    world.permissions["mona"] = "write"
    world.policy = None
    assert not [task for task in tasks(world) if task["do"] == "add_policy_line"]


def test_speakers__are_not_those_whose_approvals_they_would_undo() -> None:
    world = World(permissions={"octo-dev": "admin", "mona": "write"})
    waiting_for_approval(world, approver="mona")
    asked = [task for task in tasks(world) if task["do"] == "give_verdict"]
    assert asked
    assert not any("mona" in task["accounts"] for task in asked)


def waiting_for_approval(world: World, approver: str) -> None:
    """A plan that an agent without a further part here made and judged, and that somebody approves."""
    world.says("ana", "## jkz:architect\n\n1. Check the expiry.\n", on=12).passed_by("auditor", "curator")
    world.say(approver, "/gate approve plan", on=12)


# What these reviewers have to say again belongs into a review or check run.
@pytest.mark.parametrize(("name", "medium"), [("coderabbit-unread", "review"), ("bugbot-unread", "check_run")])
def test_tasks__say_where_a_reviewer_has_to_speak_again(name: str, medium: str) -> None:
    (task, *_) = tasks(STORIES[name].world())
    assert (task["do"], task["produce"]["medium"]) == ("give_verdict", medium)


# A reviewer that gives reviews only of what it finds cannot take back one of this head that nobody can read.
@pytest.mark.parametrize(("name", "instead"), [("codex-unread", False), ("judge-failed", True)])
def test_override__is_asked_for_or_stands_beside_what_failed_and_turns_it_green(name: str, *, instead: bool) -> None:
    world = STORIES[name].world()
    (override,) = [task for task in tasks(world) if task["do"] == "override"]
    assert (override["instead"], override["turns_green"]) == (instead, ["phase-gate/build"])
    assert instead or len(tasks(world)) == 1
    acts(world, override)
    assert decided(world).phases[1].state.value == "success"


def test_skip__is_allowed_by_a_line_that_keeps_apps_and_other_checks() -> None:
    world = World()
    checked(world, "{name: unit tests, app_id: 15368}, lint")
    ran(world, "skipped")
    ran(world, name="lint")
    (line,) = [task for task in tasks(world) if task["do"] == "add_policy_line"]
    kept = [{"name": "unit tests", "app_id": 15368, "skipped": "allow"}, {"name": "lint"}]
    assert yaml.safe_load(line["produce"]["text"]) == {"phases": {"build": {"checks": kept}}}
    assert "let the policy allow it" in next_action(decided(world))


def test_skip__is_not_proposed_where_the_check_was_red() -> None:
    assert "let the policy" not in next_action(report_of(STORIES["check-skipped-after-red"]))


def test_status_of_the_author__is_not_asked_for_again() -> None:
    said = next_action(report_of(ATTACKS["check-as-status-of-author"]))
    assert "Let another app or writer set the status, or name the app_id" in said
    assert "again" not in said


@pytest.mark.parametrize("code", REFUSALS)
def test_refusal__is_the_first_thing_said(code: str) -> None:
    world = STORIES[REFUSALS[code]].world()
    report, first = decided(world), tasks(world)[0]
    reason = next(item for item in first["refused"]["reasons"] if item["code"] == code)
    said = next_action(report)
    assert reason["message"][:60] in said
    assert said.index(reason["message"][:40]) < len(said) // 2 + 120
    assert first["refused"]["url"]


def test_strangers__are_proposed_to_nobody() -> None:
    world = World().planned().says("eve", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'issues': []})}\n")
    said = json.dumps(tasks(world))
    assert not re.search(r"\beve\b", said)
    assert "add_policy_line" not in said


def test_tasks__are_never_none_where_it_is_not_green() -> None:
    assert [name for name in STUCK if not report_of(STORIES[name]).tasks] == []
    merged = "success-outlives-its-merge"
    assert [name for name, attack in ATTACKS.items() if not report_of(attack).tasks] == [merged]
