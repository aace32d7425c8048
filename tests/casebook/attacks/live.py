"""Through GitHub: attacks on the way between GitHub and the gate, told on the fake GitHub while the gate runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from phasegate.github.client.answers import GitHubError
from phasegate.github.record import CONTEXT, MOST_STATUSES
from tests.casebook.attacks.evidence_history import failed_five_times
from tests.casebook.attacks.instructions import changing
from tests.casebook.attacks.vanished import LIMITED
from tests.casebook.drift import word
from tests.casebook.evidence import worker
from tests.casebook.freshness import merged_below
from tests.casebook.pipeline import reviewed
from tests.casebook.story import titled
from tests.casebook.world import PEOPLE, URL, World, block, commit, verdict
from tests.fakehub import FakeHub
from tests.fakehub.ledger import Request
from tests.fakehub.state import ACTIONS_BOT
from tests.integration.runs import chat, moved, run

KIND = "through GitHub"
REVIEW = "review-result.json"
STRICT = "version: 1\nverdicts: {distinct_accounts: true}\n"
OPTIONAL_REPORTS = "version: 1\nphases: {build: {optional_artifacts: [git-result.json]}}\n"
LAX = "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\n"
Happens = Callable[[FakeHub], object]
Matches = Callable[[Request], bool]


@dataclass(frozen=True)
class LiveAttack:
    """A pull request, what goes wrong while it is read or written, and the defence that stops it.

    ``keeps``: it is about a success that stands already, not about getting one.
    """

    name: str
    says: str
    defence: str
    tell: Callable[[World], object]
    happens: Happens
    because: str
    extras: Mapping[str, Any] = field(default_factory=dict)
    keeps: bool = False
    kind: str = KIND

    def hub(self) -> FakeHub:
        """The fake GitHub with this pull request on it."""
        world = World()
        self.tell(world)
        return FakeHub(world.snapshot(), **deepcopy(dict(self.extras)))


LIVE: dict[str, LiveAttack] = {}


def live(  # noqa: PLR0913  (an attack and what stops it)
    name: str = "",
    says: str = "",
    *,
    defence: str,
    happens: Happens,
    because: str,
    extras: Mapping[str, Any] | None = None,
    keeps: bool = False,
) -> Callable[[Callable[[World], object]], None]:
    """Tell an attack; ``because`` is a part of what the gate says in the end."""

    def keep(tell: Callable[[World], object]) -> None:
        title, point = titled(tell, name, says)
        assert title not in LIVE, title
        LIVE[title] = LiveAttack(title, point, defence, tell, happens, because, extras or {}, keeps)

    return keep


def nothing(hub: FakeHub) -> None:
    """GitHub answers as it should."""
    del hub


def always(match: str | Matches, **fault: Any) -> Happens:  # noqa: ANN401  (as the hub has them)
    """Every such request goes wrong."""
    return lambda hub: hub.fail(match, times=None, **fault)


def when(matches: Matches, change: Happens) -> Happens:
    """Let something change at the moment of the first such request."""

    def watch(hub: FakeHub) -> None:
        told: list[Request] = []

        def look(request: Request) -> bool:
            if not told and matches(request):
                told.append(request)
                change(hub)
            return False

        hub.fail(look, times=None)

    return watch


def first_write(request: Request) -> bool:
    """The first status is being written: everything has been read and judged."""
    return request.method == "POST" and "/statuses/" in request.path


def reading_back(request: Request) -> bool:
    """Somebody looks again."""
    return "query Look" in request.text


def pull_request(request: Request) -> bool:
    """The query for the pull request itself."""
    return "query PullRequest" in request.text


def flooded(world: World) -> None:
    """A FAIL that lies beyond the first hundred comments."""
    world.green().then(chat, 110).failed_by("judge")


# fmt: off
live("flooded", "The FAIL stands behind a hundred remarks.", defence="read-to-the-end", happens=nothing,
     because="Judge failed")(flooded)
live("page-cut-short", "The page with the FAIL comes back empty.", defence="read-to-the-end",
     happens=always(lambda request: request.target.endswith("/7/comments?per_page=100&page=2"), kind="empty_page"),
     because="changed 3 times")(flooded)
# fmt: on


@live(
    defence="whole-answers",
    happens=always(
        pull_request, kind="graphql_errors", null_at="repository.pullRequest.closingIssuesReferences.nodes.0"
    ),
    because="GitHub answered only in part",
)
def partial_answer_hides_issue(world: World) -> None:
    """GitHub answers only in part: the strict one of two issues is missing."""
    world.issue(13, "complexity:quick")
    world.passed_by("judge")


@live(
    defence="whole-answers",
    happens=always(pull_request, kind="graphql_errors", null_at="repository.policy"),
    because="GitHub answered only in part",
)
def partial_answer_hides_policy(world: World) -> None:
    """GitHub answers only in part: the policy is missing, and the default one is laxer."""
    world.under(STRICT).green()


RACES: dict[tuple[str, str, str], Happens] = {
    ("race-with-fail", "The FAIL arrives while the statuses are written.", "Judge failed"): lambda hub: hub.add_comment(
        PEOPLE["ana"], verdict("judge", "FAIL")
    ),
    ("race-with-sibling", "A second pull request of the commit is opened.", "same head commit"): (
        lambda hub: hub.snapshot["siblings"].append({"number": 8, "url": f"{URL}/pull/8", "base": "release"})
    ),
    ("race-with-policy", "The policy becomes stricter.", "from one account"): (
        lambda hub: hub.snapshot["policy"].update(text=STRICT)
    ),
    ("race-with-approval", "The approval is deleted.", "approve qa"): lambda hub: hub.snapshot["comments"].pop(),
    ("race-with-issue", "Another issue, without a plan, is linked.", "plan on #13"): (
        lambda hub: hub.snapshot["issues"].append(
            {**json.loads(json.dumps(hub.snapshot["issues"][0])), "number": 13, "comments": []}
        )
    ),
}
for (_name, _says, _because), _change in RACES.items():
    live(_name, _says, defence="still-as-judged", happens=when(first_write, _change), because=_because)(World.green)


def overwrite(hub: FakeHub) -> None:
    """Another workflow writes one of the gate's own contexts."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    told = {"id": hub.state.next_id(), "context": "phase-gate/qa", "state": "failure", "at": hub.state.now()}
    hub.state.statuses.setdefault(head, []).append({**told, "description": "not yet"})


def each_time(matches: Matches, change: Happens) -> Happens:
    """Let something change at the moment of every such request."""
    return lambda hub: hub.fail(lambda request: matches(request) and bool(change(hub)), times=None)


live("part-overwritten", "Another workflow turns a part red whenever the whole is to be written.", defence="read-back",
     happens=each_time(reading_back, overwrite), because="changed 3 times")(World.green)  # fmt: skip


def whole(request: Request) -> bool:
    """The overall success is being written."""
    body = request.body if isinstance(request.body, dict) else {}
    return (body.get("context"), body.get("state")) == ("phase-gate", "success")


def repeated(**fault: Any) -> Happens:  # noqa: ANN401  (as the hub has them)
    """The write of the success fails, somebody says FAIL, and the run dies right after the next one."""

    def watch(hub: FakeHub) -> None:
        written: list[Request] = []

        def first(request: Request) -> bool:
            if not whole(request) or written:
                return False
            written.append(request)
            hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
            return True

        def dead(request: Request) -> bool:
            del request
            return any(told["body"]["context"] == "phase-gate" for told in hub.written)

        hub.fail(first, times=None, **fault)
        hub.fail(dead, times=None, status=401)

    return watch


FAILURES: dict[str, dict[str, Any]] = {
    "refused-then-repeated": {"status": 502},
    "limited-then-repeated": {"kind": "secondary_limit", "retry_after": 5},
    "timed-out-then-repeated": {"kind": "status", "status": 504},
}
for _name, _fault in FAILURES.items():
    live(
        _name,
        "The write of the success fails; a FAIL arrives; the write is repeated, and the run is killed.",
        defence="one-attempt",
        happens=repeated(**_fault),
        because="401",
    )(World.green)


def outdated(*unread: str | Matches) -> Happens:
    """A success stands, a FAIL arrives, and the next run can read no more than the pull request itself."""

    def happens(hub: FakeHub) -> None:
        run(hub)
        hub.written.clear()
        hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
        for match in unread:
            hub.fail(match, times=None, status=401)

    return happens


live(
    "unreadable-pull-request",
    "What cannot be read keeps the old success standing: neither the log nor the pull request.",
    defence="head-is-known",
    happens=outdated("GET */activity*", "GET */pulls/7"),
    because="401",
    keeps=True,
)(World.green)
live(
    "unreadable-statuses",
    "What cannot be read keeps the old success standing: neither the log nor the statuses.",
    defence="withdrawn-unread",
    happens=outdated("GET */activity*", "GET */status*"),
    because="401",
    keeps=True,
)(World.green)


def out_of_budget(hub: FakeHub) -> None:
    """A success stands, a FAIL arrives, and the repository's other workflows have used up almost all requests."""
    run(hub)
    hub.written.clear()
    hub.add_comment(PEOPLE["ben"], verdict("judge", "FAIL"))
    hub.budgets["core"] = 5


live("budget-used-up",
     "What cannot be read any more keeps the old success standing: the budget of the hour is used up.",
     defence="reserve", happens=out_of_budget, because="are left until", keeps=True)(World.green)  # fmt: skip


def within_the_second(hub: FakeHub) -> None:
    """An approval is read in the second in which it is given, and edited away before that second is over."""
    said = hub.snapshot["comments"][-1]
    at, author = said["created_at"], said["author"]
    hub.date = datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()
    history = [{"at": at, "editor": author, "text": text} for text in (said["text"], "Not yet.")]
    changes = {"text": "Not yet.", "edited_at": at, "editor": author, "history": history}
    when(first_write, lambda _: said.update(changes))(hub)


live("edited-within-the-second",
     "The approval is edited away in its own second, which does not show in when it was last touched.",
     defence="settled", happens=within_the_second, because="approve qa")(World.green)  # fmt: skip


def looks(request: Request) -> bool:
    """Whatever tells which pull requests are open."""
    return "query PullRequest" in request.text or "query Look" in request.text


@live(
    defence="own-list",
    happens=always(looks, kind="item_missing", connection="pullRequests"),
    because="open pull requests were listed",
)
def sibling_not_listed(world: World) -> None:
    """The list of open pull requests lacks the one that has the same head commit."""
    world.green()
    world.changes["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]


@live(
    defence="only-elsewhere",
    happens=always(looks, kind="graphql_errors", type="FORBIDDEN", null_at="repository.policy"),
    because="the token may not read all of it",
)
def forbidden_hides_policy(world: World) -> None:
    """The token may not see the policy, and the default one is laxer."""
    world.under(STRICT).green()


def seen_then_deleted(hub: FakeHub, seen: Happens = run) -> None:
    """A first run sees the FAIL; then the author deletes it."""
    seen(hub)
    said = hub.snapshot["comments"].pop()
    hub.snapshot["deleted_comments"].append(
        {"at": hub.state.now(), "actor": PEOPLE["octo-dev"], "author": said["author"]}
    )


@live(defence="record-kept", happens=seen_then_deleted, because="Judge's FAIL was deleted by octo-dev")
def deleted_between_runs(world: World) -> None:
    """One run sees the FAIL, the next one should not."""
    world.green().failed_by("judge")


def carried_on(hub: FakeHub) -> None:
    """A FAIL is seen and deleted by the author; five pushes later the Judge deletes a remark and judges anew."""
    seen_then_deleted(hub)
    for number in range(5):
        hub.move_head(commit(f"again {number}"))
        run(hub)
    hub.snapshot["comments"].remove(hub.add_comment(PEOPLE["ana"], "A remark."))
    gone = {"at": hub.state.now(), "actor": PEOPLE["ana"], "author": PEOPLE["ana"]}
    hub.snapshot["deleted_comments"].append(gone)
    for role in ("judge", "inspector", "sentinel", "lens"):
        hub.add_comment(PEOPLE["ana"], verdict(role))
    hub.add_comment(PEOPLE["mona"], "/gate approve qa")


@live(defence="record-times", happens=carried_on, because="Judge's FAIL was deleted by ana")
def carried_on_until_it_looks_own(world: World) -> None:
    """The author deletes a FAIL; many pushes later its account deletes a remark: only when the FAIL was said tells
    whose deletion was whose.
    """
    world.green().failed_by("judge")


RECORDED = f"FAIL on record: judge comment-99@{commit('a')[:7]}"


def ran_at_opening(hub: FakeHub) -> None:
    """The run for the opening left a status on the head: what is deleted later is covered."""
    pull = hub.snapshot["pull_request"]
    told = {"context": "phase-gate/qa", "state": "pending", "at": pull["created_at"], "creator": ACTIONS_BOT}
    hub.state.statuses.setdefault(pull["head"]["sha"], []).insert(0, {"id": hub.state.next_id(), **told})


def on_record(head: str, *newer: str, trace: bool = True) -> Happens:
    """A FAIL stands on record on a commit, under what somebody wrote since; its comment was deleted."""

    def happens(hub: FakeHub) -> None:
        told = {"context": "phase-gate/record", "state": "success"}
        hub.state.statuses[commit(head)] = [
            {**told, "id": hub.state.next_id(), "at": hub.state.now(), "description": text, "creator": creator}
            for text, creator in [(RECORDED, ACTIONS_BOT), *((text, PEOPLE["octo-dev"]) for text in newer)]
        ]
        ran_at_opening(hub)
        gone = {"at": hub.state.now(), "actor": PEOPLE["octo-dev"], "author": PEOPLE["ana"]}
        hub.snapshot["deleted_comments"] += [gone] if trace else []

    return happens


def far_away(world: World) -> None:
    """A green pull request, seventy pushes of the same content later."""
    world.green()
    for number in range(70):
        world.push(f"again {number}", "a")


def in_a_fork(world: World, force: str = "") -> None:
    """A green pull request whose log cannot be read; every word names its commit."""
    world.push("b", "b")
    if force:
        world.push(force, force)
        world.moves[-1]["kind"] = "force_push"
    named = commit(world.head)
    world.gated().planned().passed_by("judge", "inspector", "sentinel", "lens", commit=named)
    world.under("version: 1\nphases: {qa: {human_approval: false}}\n")
    world.changes["ref_log"] = {"source": "none", "complete": False, "moves": world.moves}


# fmt: off
live("forgotten-after-many-pushes", "After seventy pushes of the same content a deleted FAIL should be out of reach.",
     defence="record-found", happens=on_record("a"), because="Judge's FAIL was deleted by octo-dev")(far_away)
live("forgotten-without-a-log", "In a fork whose log cannot be read, another push should make the FAIL forgotten.",
     defence="record-found", happens=on_record("a"), because="Judge's FAIL was deleted by octo-dev")(in_a_fork)
# fmt: on
live(
    "forgotten-by-force",
    "In a fork whose log cannot be read, the commits with the record are pushed away by force.",
    defence="record-found",
    happens=on_record("a"),
    because="Judge's FAIL was deleted by octo-dev",
)(partial(in_a_fork, force="c"))
live(
    "record-out-of-reach",
    "What was pushed away by force is gone, and with it what stood on record there.",
    defence="record-read",
    happens=on_record("a"),
    because="record of failures before",
    extras={"gone": [commit("b")]},
)(partial(in_a_fork, force="c"))
# fmt: off
live("record-written-over", "Another account writes a newer status over the record.", defence="whole-record",
     happens=on_record("a", "nothing failed here"), because="Judge's FAIL was deleted by octo-dev")(World.green)
live("record-written-over-before-a-push",
     "Another account writes a newer status over the record, and the same content is pushed again.",
     defence="record-found", happens=on_record("a", "nothing failed here"),
     because="Judge's FAIL was deleted by octo-dev")(far_away)
# fmt: on


OWN = "On record of #7: builder comment-98@86f7e43 invalid by 11"
Recorded = tuple[str, str, str, str]  # the head, the context, the text, and who wrote it


def recorded(*lines: Recorded) -> Happens:
    """Lines of the record, in the order in which they were written; the FAIL among them was deleted."""

    def happens(hub: FakeHub) -> None:
        for head, context, text, who in lines:
            status = {"id": hub.state.next_id(), "at": hub.state.now(), "state": "success", "context": context}
            creator = PEOPLE.get(who, ACTIONS_BOT)
            hub.state.statuses.setdefault(commit(head), []).append({**status, "description": text, "creator": creator})
        on_record("nowhere")(hub)

    return happens


def by_the_gate(heads: str, text: str, context: str = CONTEXT) -> list[Recorded]:
    """The same line on several heads, one after the other."""
    return [(head, context, text, "the gate") for head in heads]


def pushed_on(world: World) -> None:
    """A green pull request, five pushes of the same content later."""
    world.green()
    for name in "bcdef":
        world.push(name, "a")


FAILED = RECORDED.replace("FAIL on record:", "On record of #7:")
# fmt: off
live("record-of-another-pull-request",
     "Newer heads hold what another pull request with these commits had on record; no run saw them in this one.",
     defence="record-whole", happens=recorded(*by_the_gate("a", FAILED), *by_the_gate("bcd", OWN.replace("#7", "#9"))),
     because="Judge's FAIL was deleted by octo-dev")(pushed_on)
live("record-half-written", "The runs of newer heads were ended, by the next push, while they carried the record on.",
     defence="record-whole", happens=recorded(*by_the_gate("a", FAILED), *by_the_gate("bcd", OWN, f"{CONTEXT}-2")),
     because="Judge's FAIL was deleted by octo-dev")(pushed_on)
live("record-made-to-look-new",
     "Another account writes to the heads from before the FAIL, so that the record seems to be newest there.",
     defence="record-whole",
     happens=recorded(*by_the_gate("bcd", OWN), *by_the_gate("e", FAILED),
                      *((head, CONTEXT, "", "octo-dev") for head in "bcd")),
     because="Judge's FAIL was deleted by octo-dev")(pushed_on)
# fmt: on


HALVES = recorded(*by_the_gate("a", FAILED, f"{CONTEXT}-2"), *by_the_gate("a", OWN))


def listed_in_part(hub: FakeHub) -> None:
    """The list of statuses lacks the line that holds the FAIL."""
    HALVES(hub)
    hub.state.unlisted.add(f"{CONTEXT}-2")


for _name, _world in {
    "record-listed-in-part": World.green,
    "record-of-an-older-head-listed-in-part": pushed_on,
}.items():
    live(
        _name,
        "Of two lines of the record GitHub lists the one that holds no FAIL.",
        defence="record-lines",
        happens=listed_in_part,
        because="changed 3 times",
    )(_world)


def retargeted(world: World) -> None:
    """A green pull request that was pointed at another base afterwards."""
    world.green().retarget("next")


def older_folders(hub: FakeHub) -> None:
    """The folders of older heads come back empty."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    always(lambda request: "Evidence" in request.text, kind="no_entries", but=head)(hub)


def both(*happens: Happens) -> Happens:
    """One thing after the other."""
    return lambda hub: [each(hub) for each in happens]


live("timeline-cut-short", "The page of the timeline that tells of another base comes back empty.",
     defence="whole-pages", happens=always(pull_request, kind="empty_page", connection="timelineItems"),
     because="changed 3 times")(retargeted)  # fmt: skip
live(
    "contexts-cut-short",
    "The page of the statuses with the record comes back empty.",
    defence="whole-pages",
    happens=both(on_record("a", trace=False), always(pull_request, kind="no_contexts")),
    because="changed 3 times",
)(World.green)
live("folders-cut-short", "The folders with what failed before come back empty.", defence="whole-folders",
     happens=older_folders, because="changed 3 times")(failed_five_times)  # fmt: skip


def stacked(world: World) -> None:
    """A green pull request onto another one, pointed at main afterwards."""
    world.green().retarget("below")


def below(hub: FakeHub) -> None:
    """The branch that was the base, whose commit the default branch lacks."""
    told = {"before": "0" * 40, "after": commit("below"), "kind": "branch_creation", "at": "2026-03-02T08:00:00Z"}
    hub.state.branch_moves["below"] = [{**told, "actor": PEOPLE["octo-dev"]}]
    hub.snapshot["pull_request"]["merge_base"] = commit("base")


live("base-that-was-not-merged", "What it was judged for stands on another branch, and is no part of the new base.",
     defence="contained-base", happens=below, because="another base",
     extras={"commits": {commit("below"): {"merge_base": commit("base"), "files": []}}})(stacked)  # fmt: skip


def with_more(world: World) -> None:
    """A green pull request onto another one, which then is merged into main: less is brought in than was judged."""
    world.green().then(merged_below, keeps=[])


live("base-merged-with-what-was-judged",
     "The new base contains the former one, and this brings in something else than before.", defence="same-difference",
     happens=nothing, because="another base")(with_more)  # fmt: skip


def with_orders(world: World) -> None:
    """A green pull request that changes what instructions deep in the base lead to."""
    world.changes["instruction_links"] = [{"path": "packages/web/.claude", "target": "docs/agents"}]
    changing(world, ({"path": "docs/agents/review.md"},))


live(
    "orders-behind-a-link-far-down",
    "The base has a link in a deep folder where agents take orders, and what it leads to is changed.",
    defence="links-found",
    happens=nothing,
    because="docs/agents/review.md may steer the agents",
)(with_orders)
live(
    "orders-behind-a-link-that-is-not-listed",
    "The same in a repository so large that GitHub does not list its links.",
    defence="links-known",
    happens=always("GET */git/trees/*", kind="nonsense", at="truncated", value=True),
    because="A file that GitHub does not list may steer the agents",
)(with_orders)


def made_executable(hub: FakeHub) -> None:
    """The author pushes the results as they are, in another mode."""
    hub.move_head(commit("executable"), actor=PEOPLE["octo-dev"])
    snapshot = hub.snapshot
    move = snapshot["ref_log"]["moves"][-1]
    pushed = {"at": move["at"], "commit": move["after"], "actor": move["actor"]}
    for file in (each for each in snapshot["branch_files"] if each["path"].endswith(("test-result.json", REVIEW))):
        before = {"pushed": file["pushed"], "blob": file["blob"], "text": file["text"], "mode": "100644"}
        file |= {"earlier": [before], "pushed": pushed, "mode": "100755"}
    product = next(each["digest"] for each in snapshot["contents"] if each["commit"] == move["before"])
    snapshot["contents"].append({"commit": move["after"], "digest": product})


live("results-in-another-mode",
     "The author changes the mode of the results: they speak for who pushed their last change.",
     defence="modes-of-files", happens=made_executable,
     because="octo-dev opened this pull request")(reviewed)  # fmt: skip


def lags_behind(hub: FakeHub) -> None:
    """The machine that lists the changed files does not know of the last push."""
    hub.state.lagging = commit("a")


@live(
    defence="pinned-list",
    happens=lags_behind,
    because="changed 3 times",
    extras={
        "commits": {
            commit(name): {"merge_base": commit("base"), "files": [{"path": path, "status": "removed"}]}
            for name, path in (("a", "src/auth.py"), ("worse", "src/session.py"))
        }
    },
)
def list_of_another_head_that_removes(world: World) -> None:
    """The list of changed files still is that of the head which was passed; nothing of it names a commit."""
    world.green().push("worse")


@live(defence="all-kept", happens=seen_then_deleted, because="Judge's verdict was deleted by octo-dev")
def broken_word_deleted_between_runs(world: World) -> None:
    """One run sees a word that cannot be read, the next one should not."""
    world.green().says("ana", f"## jkz:judge\n\n{block('{verdict: NO}')}\n")


@live(defence="all-kept", happens=seen_then_deleted, because="Our reviewer's BLOCKED was deleted by octo-dev")
def blocked_word_deleted_between_runs(world: World) -> None:
    """One run sees that a reviewer is blocked, the next one should not."""
    world.under(LIMITED).says("ben", word("Review verdict: clean")).says("ben", word("Review verdict: limited"))


def filled(hub: FakeHub) -> None:
    """The author fills the context of the record; a run sees the FAIL, which then is deleted."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    told = {"state": "success", "description": "x", "creator": PEOPLE["octo-dev"], "at": hub.state.now()}
    for _ in range(MOST_STATUSES):
        hub.state.statuses.setdefault(head, []).append({"id": hub.state.next_id(), "context": CONTEXT, **told})
    with suppress(GitHubError):
        run(hub)
    seen_then_deleted(hub, seen=nothing)


@live(defence="spare-contexts", happens=filled, because="Judge's FAIL was deleted by octo-dev")
def record_filled(world: World) -> None:
    """The author writes statuses until the record takes no more; a run sees the FAIL, the next one should not."""
    world.green().failed_by("judge")


def all_but_one(hub: FakeHub) -> None:
    """The author fills the context of the whole until it takes one more."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    told = {"state": "pending", "description": "x", "creator": PEOPLE["octo-dev"], "at": hub.state.now()}
    for _ in range(MOST_STATUSES - 1):
        hub.state.statuses.setdefault(head, []).append({"id": hub.state.next_id(), "context": "Phase-Gate", **told})


live(
    "last-of-a-thousand",
    "The author writes statuses until the context takes one more: a success there would stay whatever is said later.",
    defence="room-to-take-back",
    happens=all_but_one,
    because="999 of the 1000 statuses that a commit takes of phase-gate are used: push another commit",
)(World.green)


def stuck(world: World) -> None:
    """Everything is green, but the worker's report, which need not be there, says that it is blocked."""
    world.under(OPTIONAL_REPORTS.replace("git-result", "worker-result")).green()
    world.leaves("w", worker=worker(status="blocked", blockers=["No access to the clock"]))


def seen_then_removed(hub: FakeHub) -> None:
    """A first run sees it; then the author takes the report out of the branch."""
    run(hub)
    world = World()
    stuck(world)
    world.leaves("x", "octo-dev", worker=None)
    moved(hub, world)


live(
    "blocked-report-removed-between-runs",
    "One run sees that the worker is blocked; what its report said before is not read again.",
    defence="all-kept",
    happens=seen_then_removed,
    because="worker-result.json's BLOCKED was recorded here and has since disappeared",
)(stuck)


@live(
    defence="policy-of-default-branch",
    happens=nothing,
    because="Waiting for Architect's plan",
    extras={
        "commits": {
            commit("a"): {
                "merge_base": commit("base"),
                "files": [
                    {"path": ".github/phase-gate.yml", "status": "modified", "text": LAX},
                    {"path": "src/auth.py", "status": "modified"},
                ],
            }
        }
    },
)
def policy_in_the_branch(world: World) -> None:
    """The pull request brings a laxer policy along."""
    world.under("version: 1\n").built().touches(".github/phase-gate.yml", "src/auth.py")


@live(defence="bounded", happens=nothing, because="at most 20 are read")
def too_many_issues(world: World) -> None:
    """Twenty quick issues are linked before the real one."""
    world.without_issues()
    for number in range(20, 40):
        world.issue(number, "complexity:quick")
    world.issue(40)
    world.passed_by("judge")


@live(defence="unbroken-log", happens=nothing, because="the log of pushes does not show one")
def movement_missing(world: World) -> None:
    """The log lacks a push, so that a PASS for what was taken back seems to be about what is there."""
    world.push("bad", "bad").push("good").unapproved().says("mona", "/gate approve qa").push("bad-again", "bad")
    world.moves[:] = [move for move in world.moves if move["after"] != commit("good")]


@live(
    defence="permission-by-id",
    happens=lambda hub: hub.snapshot["people"].append(
        {"login": "eve", "id": 99, "type": "User", "permission": "write"}
    ),
    because="another account by the name eve",
)
def login_of_somebody_else(world: World) -> None:
    """The login that spoke belongs by now to another account, which may write."""
    del world.permissions["eve"]
    world.planned().says("eve", verdict("judge")).others_pass()


# what REST does not tell of a file: its mode


def modes(before: str, after: str) -> dict[str, Any]:
    """The same bytes at two heads, in two modes."""
    same = {"path": "tool.txt", "text": "src/../secrets", "status": "added"}
    ends = {"a": {**same, "mode": before}, "b": {**same, "mode": after}}
    return {"commits": {commit(name): {"files": [file]} for name, file in ends.items()}}


def pushed_after_green(world: World) -> None:
    """Everything passes, and then there is another push."""
    world.green().push("b")


for name, says, extras in (
    ("made-executable", "The same bytes, executable now.", modes("100644", "100755")),
    ("made-a-link", "The same bytes, a symbolic link now.", modes("100644", "120000")),
    ("made-a-file", "What was a link is a file that is run.", modes("120000", "100755")),
):
    live(name, says, defence="modes", happens=nothing, because="not for", extras=extras)(pushed_after_green)


def smuggled(path: str, mode: str, text: str = "../../tool.txt") -> dict[str, Any]:
    """The product, and at the second head a file that looks like evidence."""
    product = {"path": "tool.txt", "text": "x"}
    added = {"path": path, "text": text, "mode": mode, "status": "added"}
    return {"commits": {commit("a"): {"files": [product]}, commit("b"): {"files": [product, added]}}}


def with_reports(world: World) -> None:
    """A pull request whose reports are evidence, and a push after everything has passed."""
    world.under(OPTIONAL_REPORTS).then(pushed_after_green)


SMUGGLED = (
    ("link-named-like-evidence", "A symbolic link in the issue's folder, under the name of a report.",
     smuggled(".pipeline/12/plan.json", "120000")),
    ("submodule-named-like-evidence", "A submodule in the issue's folder, under the name of a report.",
     smuggled(".pipeline/12/plan.json", "160000")),
)  # fmt: skip
for name, says, extras in SMUGGLED:
    live(name, says, defence="regular-evidence", happens=nothing, because="not for", extras=extras)(with_reports)

ELSEWHERE = (
    ("evidence-of-another-issue", "Any bytes in the folder of an issue that is not linked.", ".pipeline/99/plan.json"),
    ("evidence-of-another-issue-that-is-done", "Or among the folders of work that is done.",
     ".pipeline/completed/99/plan.json"),
    ("evidence-of-no-issue", "Or in a folder that can be no issue's.", ".pipeline/..evil/plan.json"),
)  # fmt: skip
for name, says, path in ELSEWHERE:
    live(
        name,
        says,
        defence="evidence-of-its-issue",
        happens=nothing,
        because="not for",
        extras=smuggled(path, "100644", "Product."),
    )(with_reports)


# what stands in a merge queue


def queued_green(world: World) -> None:
    """Everything passes, and it stands in a merge queue."""
    world.green().queued()


# fmt: off
live("queued-on-another-base",
     "The commit of the queue does not stand on the base that its event names, so that more would be merged.",
     defence="queued-on-its-base", happens=nothing, because="does not list all",
     extras={"commits": {commit("queued"): {"merge_base": commit("far below")}}})(queued_green)

live("queued-in-another-mode", "The same bytes, executable in the queue.", defence="modes", happens=nothing,
     because="tool.txt is not what was judged",
     extras={"commits": {commit("a"): {"files": [{"path": "tool.txt", "text": "x", "status": "added"}]},
                         commit("queued"): {"files": [{"path": "tool.txt", "text": "x", "status": "added",
                                                       "mode": "100755"}]}}})(queued_green)
# fmt: on
