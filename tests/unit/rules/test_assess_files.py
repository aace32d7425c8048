"""Files of the branch as evidence: who pushed them, and which content they speak for."""

from __future__ import annotations

import pytest

from phasegate.model.signal import Validity, Vote
from phasegate.report.wording import need_text
from tests.casebook.evidence import files, plan, results, review, worker
from tests.casebook.pipeline import ALONE, PROFILE, mixed, piped, reviewed, worked
from tests.casebook.world import World, block, commit, verdict
from tests.unit.rules.parties import codes, need, votes

TEST = "test-result.json"


def said(world: World, name: str = TEST) -> Vote:
    """What a file says as it stands."""
    return next(vote for vote in votes(world, name) if vote.signal.source.latest)


@pytest.mark.parametrize(("by", "code"), [("eve", "PG201"), ("octo-dev", "PG202"), ("helper[bot]", "PG203")])
def test_file__speaks_for_whoever_pushed_it(by: str, code: str) -> None:
    world = World().then(worked).leaves("t", by=by, test=results())
    assert said(world).validity is Validity.IGNORED
    assert code in codes(world)


def test_file__of_the_author_counts_where_nobody_is_judged() -> None:
    world = World().then(piped).leaves("p", by="octo-dev", plan=plan()).leaves("w", by="octo-dev", worker=worker())
    assert {said(world, "plan.json").validity, said(world, "worker-result.json").validity} == {Validity.VALID}


def test_file__stays_with_its_first_pusher_while_it_is_not_changed() -> None:
    world = World().then(worked).leaves("t", by="octo-dev", test=results()).leaves("r", by="ana", review=review())
    author = said(world).signal.source.author
    assert author is not None
    assert author.login == "octo-dev"


def test_file__changed_back_speaks_for_whoever_changed_it_back() -> None:
    world = (
        World().then(worked).leaves("t", by="ana", test=results()).leaves("t2", by="ana", test=results("FAIL", None))
    )
    assert said(world.leaves("t3", by="octo-dev", test=results())).validity is Validity.IGNORED


def test_file__is_stale_once_the_product_has_changed() -> None:
    world = World().then(reviewed)
    vote = said(world)
    assert (vote.validity, vote.fresh, vote.commit) == (Validity.VALID, True, commit("t"))
    assert (said(world.push("c")).validity, said(world).fresh) == (Validity.VALID, False)


def test_file__that_names_a_commit_is_stale_if_its_push_was() -> None:
    world = World().then(worked, ALONE).push("c", by="ana", evidence=files(test=results(commit=commit("w"))))
    vote = said(world.push("back", "b"))
    assert (vote.commit, vote.fresh) == (commit("w"), False)


def test_file__of_one_second_with_what_it_stands_on_is_stale() -> None:
    world = World().then(worked).leaves("t", test=results())
    world.moves[-1]["at"] = world.moves[-2]["at"]
    assert not said(world).fresh
    stale = said(world).stale
    assert stale is not None
    assert "in the same second as worker-result.json" in stale.message


def test_file__that_was_refused_says_why() -> None:
    world = World().then(reviewed)
    told = world.snapshot()["branch_files"]
    link = {"mode": "120000", "text": None, "refused": "a symbolic link"}
    world.changes["branch_files"] = [file | (link if file["path"].endswith(TEST) else {}) for file in told]
    found = need(world, "build", TEST)
    assert found.state.value == "failed"
    assert "a symbolic link" in need_text(found)
    assert codes(world) == {"PG230"}


@pytest.mark.parametrize("role", [TEST, "test-result.json#phase_2"])
def test_comment__cannot_speak_as_a_file(role: str) -> None:
    world = World().then(mixed).says("ana", block({"verdict": "PASS", "issues": [], "role": role}))
    world.says("ana", f"## jkz:{role}\n\n" + verdict("judge").partition("\n\n")[2])
    assert [vote for vote in votes(world, role) if vote.validity is not Validity.IGNORED] == []
    assert need(world, "build", TEST).state.value == "waiting"


def test_comment__of_an_account_that_only_pushes_a_file_has_no_role() -> None:
    world = World().then(mixed)
    account = "{login: ana, id: 21, roles: [test-result.json]}"
    world.policy = f"{world.policy}agents: {{accounts: [{account}]}}\n"
    world.say("ana", verdict("judge").partition("\n\n")[2])
    assert votes(world, TEST) == []


def test_account__named_for_the_tests_speaks_for_their_second_phase() -> None:
    account = "{login: ana, id: 21, roles: [plan.json, worker-result.json, test-result.json, review-result.json]}"
    assert codes(World().then(reviewed, f"{PROFILE}agents: {{accounts: [{account}]}}\n")) == set()


@pytest.mark.parametrize(("evidence", "failed"), [(None, True), ([".pipeline/11/test-result.json"], True), ([], False)])
def test_relic__counts_only_if_this_pull_request_brought_it(evidence: list[str] | None, *, failed: bool) -> None:
    path = ".pipeline/11/test-result.json"
    world = World().then(piped).push("main", by="ana", evidence={path: results("FAIL", None)})
    world.push("c", evidence={path: None})
    known = {"commit": commit("main"), "digest": world.contents[commit("main")], "excluded": evidence}
    others = [content for content in world.snapshot()["contents"] if content["commit"] != commit("main")]
    world.changes["contents"] = [*others, known]
    assert any(vote.failed for vote in votes(world, TEST)) is failed
