"""Described formats through the whole gate: one in comments, one in files, one in check runs."""

from __future__ import annotations

import json

import pytest

from phasegate.cli.files import parse_snapshot
from phasegate.dialects.described.boxes import box, box_names
from phasegate.gate import judge, reading_plan
from phasegate.model.report import Need, NeedState, Report, State, Why
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from tests.casebook import drift
from tests.casebook.evidence import review
from tests.casebook.world import World, commit, digest
from tests.unit.dialects.described.shelf import EXAMPLES, SHA, sample

POLICY = """\
version: 1
agents: {accounts: [{login: "cursor[bot]", id: 777, app_id: 1210556, roles: [watcher]}]}
phases:
  plan: {enabled: false}
  qa: {enabled: false}
  build: {dialect: our-review, creator: null, fixer: null, roles: [our-reviewer, story-check, watcher]}
formats:
  our-review:
    roles: {our-reviewer: {does: challenges}}
    in: [comment, review]
    read: {word: {marker: "our:review", as: key=value}}
    role: our-reviewer
    outcome: {of: word/verdict, map: {APPROVE: pass, REJECT: fail}}
    commit: word/head
  stories:
    roles: {story-check: {does: challenges}}
    in: [file]
    path: ".stories/{name}.json"
    read: {doc: {whole: true, as: json}}
    role: story-check
    outcome: {first: [{when: [{of: doc/failed, above: 0}], is: fail}, {when: [{of: doc/failed, equals: 0}], is: pass}]}
    done: [{of: doc/checked, above: 0}]
    findings: {of: "doc/findings/*", id: id, summary: what}
  watch:
    roles: {watcher: {does: confirms}}
    in: [check_run]
    check: {app_id: 1210556, name: Watcher}
    read: {word: {last_line: true, pattern: 'Result: (?P<word>[a-z]{1,10})'}}
    role: watcher
    outcome: {of: word/word, map: {clean: pass, dirty: fail}}
"""
GOOD = '{"checked": 3, "failed": 0}'
BAD = '{"checked": 3, "failed": 1, "findings": [{"id": "S1", "what": "refunds twice"}]}'


def taken(world: World) -> Snapshot:
    snapshot = parse_snapshot(json.dumps(world.snapshot()), "snapshot.json")
    assert isinstance(snapshot, Snapshot), snapshot
    return snapshot


def decided(world: World) -> Report:
    return judge(taken(world))


def need(world: World, name: str) -> Need:
    """What became of one seat of the build."""
    build = next(phase for phase in decided(world).phases if phase.name == "build")
    return next(item for item in build.needs if item.name == name)


def codes(world: World) -> set[str]:
    return {item.code for item in decided(world).problems}


def word(verdict: str = "APPROVE", head: str = "a") -> str:
    return f"Looked at it.\n\n<!-- our:review head={commit(head)} verdict={verdict} -->\n"


def opened() -> World:
    return World(policy=POLICY)


def run(world: World, text: str = "Result: clean", **changes: object) -> None:
    """A check run of the watcher on the head."""
    world.changes["checks"] = [
        {
            "name": "Watcher",
            "status": "completed",
            "conclusion": "neutral",
            "app_id": 1210556,
            "app": "cursor",
            "id": 9,
            "completed_at": world.tick(),
            "commit": commit(world.head),
            "text": text,
            **changes,
        }
    ]


def green() -> World:
    """Everything said, and all of it good; the file leaves the product as it is."""
    world = opened()
    world.push("b", content="own", by="ana", evidence={".stories/7.json": GOOD})
    world.contents[commit("b")] = world.contents[commit("a")]
    world.say("ana", word(head="b"))
    run(world)
    return world


def test_all_pass__is_green() -> None:
    report = decided(green())
    assert report.state is State.SUCCESS, report.problems
    assert {item.name: item.why for item in report.phases[1].needs} == {
        "our-reviewer": Why.PASSED,
        "story-check": Why.PASSED,
        "watcher": Why.PASSED,
    }


def test_nothing_said__waits_for_each_seat() -> None:
    world = opened()
    assert {name: need(world, name).why for name in ("our-reviewer", "story-check", "watcher")} == dict.fromkeys(
        ("our-reviewer", "story-check", "watcher"), Why.MISSING
    )


def test_comment__that_fails_fails_the_build() -> None:
    world = green()
    world.say("ana", word("REJECT", "b"))
    assert (need(world, "our-reviewer").state, decided(world).state) == (NeedState.FAILED, State.FAILURE)


def test_comment__that_names_a_commit_that_never_was_is_invalid() -> None:
    world = green()
    world.say("ana", word(head="elsewhere"))
    assert need(world, "our-reviewer").why is Why.INVALID
    assert "PG301" in codes(world)


def test_comment__whose_word_its_author_edits_away_is_invalid() -> None:
    world = green()
    said = world.say("ana", word("APPROVE", "b"))
    world.edit(said, "Never mind.", "ana")
    assert need(world, "our-reviewer").why is Why.INVALID


def test_comment__that_is_broken_is_the_latest_word() -> None:
    world = green()
    world.say("ana", word("MAYBE", "b"))
    assert need(world, "our-reviewer").why is Why.INVALID
    assert "PG914" in codes(world)


def test_comment__that_quotes_a_word_is_nobodys() -> None:
    world = green()
    world.say("ben", f"> {word('REJECT', 'b').splitlines()[-1]}\n\nI disagree.")
    assert need(world, "our-reviewer").why is Why.PASSED


def test_review__is_bound_to_the_commit_that_it_names() -> None:
    world = green()
    world.review("ana", word("REJECT", "b"))
    assert need(world, "our-reviewer").state is NeedState.FAILED
    world.review("ana", word("APPROVE", "b"))
    assert need(world, "our-reviewer").why is Why.PASSED


def test_file__that_fails_fails_the_build_with_its_findings() -> None:
    world = green()
    world.push("c", content="own", by="ana", evidence={".stories/7.json": BAD})
    world.contents[commit("c")] = world.contents[commit("a")]
    found = need(world, "story-check")
    assert (found.state, found.findings) == (NeedState.FAILED, ("refunds twice",))


def test_file__before_a_change_of_the_product_is_stale() -> None:
    world = green()
    world.push("c", by="octo-dev")
    assert need(world, "story-check").why is Why.OLDER


@pytest.mark.parametrize("text", ['{"checked": 0, "failed": 0}', '{"failed": 0}', "{}", "", "[]"])
def test_file__that_shows_no_work_is_invalid(text: str) -> None:
    world = opened()
    world.push("b", by="ana", evidence={".stories/7.json": text})
    assert need(world, "story-check").why is Why.INVALID


def test_check_run__that_fails_fails_the_build() -> None:
    world = green()
    run(world, "Result: dirty")
    assert need(world, "watcher").state is NeedState.FAILED


def test_check_run__under_way_waits() -> None:
    world = green()
    run(world, "", status="in_progress", conclusion=None, completed_at=None, started_at=world.tick())
    assert (need(world, "watcher").state, need(world, "watcher").why) == (NeedState.WAITING, Why.NOT_DONE)


def test_check_run__under_way_waits_also_where_its_text_will_tell_the_role() -> None:
    world = green()
    assert world.policy is not None
    told = "pattern: '(?P<by>watcher): (?P<word>[a-z]{1,10})'"
    policy = world.policy.replace("pattern: 'Result: (?P<word>[a-z]{1,10})'", told)
    world.policy = policy.replace("role: watcher\n", "role: {of: word/by, map: {watcher: watcher}}\n")
    run(world, "watcher: clean")
    assert need(world, "watcher").state is NeedState.MET
    done = world.changes["checks"]
    run(world, "", id=10, status="in_progress", conclusion=None, completed_at=None, started_at=world.tick())
    world.changes["checks"] = [*done, *world.changes["checks"]]
    assert need(world, "watcher").why is Why.NOT_DONE


@pytest.mark.parametrize("app", [15368, 555])
def test_check_run__of_another_app_is_no_word(app: int) -> None:
    world = green()
    run(world, app_id=app)
    assert need(world, "watcher").why is Why.MISSING


def test_check_run__of_an_app_that_the_policy_does_not_name_is_refused() -> None:
    world = green()
    assert world.policy is not None
    world.policy = world.policy.replace("app_id: 1210556, roles", "app_id: 99, roles", 1)
    assert need(world, "watcher").why is Why.REFUSED


def test_format__beside_a_built_in_dialect_fills_its_own_seat() -> None:
    formats = POLICY[POLICY.index("formats:") : POLICY.index("  stories:")]
    phases = (
        "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {roles: [judge, inspector, our-reviewer]}}\n"
    )
    world = World(policy=f"version: 1\n{phases}{formats}")
    world.built()
    assert [(item.name, item.why) for item in decided(world).phases[1].needs] == [
        ("judge", Why.PASSED),
        ("inspector", Why.PASSED),
        ("our-reviewer", Why.MISSING),
    ]
    world.say("ana", word())
    assert need(world, "inspector").why is Why.TOO_EARLY
    world.judges("inspector")
    assert decided(world).state is State.SUCCESS


def test_files_of_two_dialects__each_fill_their_own_seats() -> None:
    formats = POLICY[POLICY.index("  stories:") : POLICY.index("  watch:")]
    build = "build: {roles: [judge, inspector, story-check], artifacts: [review-result.json]}"
    phases = f"phases: {{plan: {{enabled: false}}, qa: {{enabled: false}}, {build}}}\n"
    world = World(policy=f"version: 1\n{phases}formats:\n{formats}")
    world.leaves("b", review=review())
    assert need(world, "story-check").why is Why.MISSING
    world.push("c", by="ana", evidence={".stories/7.json": GOOD})
    world.contents[commit("c")] = world.contents[commit("a")]
    world.built()
    assert {item.name: item.why for item in decided(world).phases[1].needs} == {
        "judge": Why.PASSED,
        "inspector": Why.PASSED,
        "story-check": Why.PASSED,
        "review-result.json": Why.PASSED,
    }


def test_several_words_in_one_comment__each_fill_their_own_seat() -> None:
    told = (EXAMPLES / "apm2.yml").read_text(encoding="utf-8").replace("\n", "\n    ")
    build = "build: {dialect: apm2, creator: null, fixer: null, roles: [security, code-quality]}"
    phases = f"phases: {{plan: {{enabled: false}}, qa: {{enabled: false}}, {build}}}\n"
    world = World(policy=f"version: 1\n{phases}formats:\n  apm2:\n    {told}\n")
    world.say("ana", sample("apm2/both.md").replace(SHA, commit("a")))
    found = {item.name: (item.why, item.said) for item in decided(world).phases[1].needs}
    assert found == {"security": (Why.PASSED, "approve"), "code-quality": (Why.FAILED, "deny")}


@pytest.mark.parametrize("text", [
    "## Review  verdict: clean", "## **Review** verdict: clean", "## Review\N{NO-BREAK SPACE}verdict: clean",
    "## Review&nbsp;verdict: clean", "## Review <b>verdict</b>: clean", "## REVIEW\tVERDICT: clean",
])  # fmt: skip
def test_reading_plan__sees_a_phrase_as_a_reader_does(text: str) -> None:
    plan = reading_plan(PolicyFile(path="p.yml", text=drift.POLICY, digest=digest(drift.POLICY)))
    assert plan.carries(text)
    assert not plan.carries("The verdict of this review is not known.")


def test_reading_plan__knows_triggers_and_evidence() -> None:
    plan = reading_plan(PolicyFile(path="p.yml", text=POLICY, digest=digest(POLICY)))
    assert plan.carries("<!-- Our:Review x -->")
    assert not plan.carries("Nice work!")
    assert plan.leaves_out(".stories/7.json", "100644")
    assert not plan.leaves_out(".stories/x/7.json", "100644")
    assert not plan.leaves_out(".stories/7.py", "100644")


def refused(text: str) -> list[tuple[str, str, str]]:
    """The codes, places and messages of what is wrong with a policy."""
    found = load_policy(text, "policy.yml")
    assert not isinstance(found, Policy)
    return [(item.code, f"{item.where.line}:{item.where.json_path}", item.message) for item in found]


def test_policy__names_a_format_that_is_not_there() -> None:
    ((code, place, message),) = refused(POLICY.replace("dialect: our-review", "dialect: our-reviev"))
    assert (code, place) == ("PG502", "6:$.phases.build.dialect")
    assert message.endswith("did you mean our-review?")


def test_policy__a_reserved_name_is_refused() -> None:
    found = refused(POLICY.replace("  stories:", "  thehood:"))
    assert found[0][:2] == ("PG906", "15:$.formats.thehood")


@pytest.mark.parametrize("marker", ["jkz:verdict-json", "say /gate approve", "our:review-two"])
def test_policy__words_that_belong_to_another_are_refused(marker: str) -> None:
    second = POLICY[POLICY.index("  our-review:") : POLICY.index("  stories:")].replace("our-review:", "second:", 1)
    found = refused(POLICY + second.replace("our:review", marker).replace("our-reviewer", "second-reviewer"))
    assert {code for code, *_ in found} == {"PG906"}
    assert all("second" in message for _, _, message in found)


def test_policy__forms_told_alike_are_refused_in_one_medium_alone() -> None:
    held = POLICY.replace('marker: "our:review"', 'marker: "Result: ours"')
    assert isinstance(load_policy(held, "policy.yml"), Policy)
    run = POLICY[POLICY.index("  watch:") :].replace("watch:", "second:").replace("watcher", "second-watcher")
    found = refused(POLICY + run.replace("Watcher", "Second").replace("Result:", "The Result:"))
    assert [(code, place) for code, place, _ in found] == [("PG906", "31:$.formats.second")]


def test_policy__a_role_of_a_format_must_exist() -> None:
    found = refused(POLICY.replace("role: our-reviewer", "role: our-reviever"))
    assert [code for code, *_ in found] == ["PG906"]
    assert "did you mean our-reviewer" in found[0][2]


def test_policy__a_role_of_another_dialect_is_told() -> None:
    text = POLICY.replace("    roles: {our-reviewer: {does: challenges}}\n", "").replace("our-reviewer", "judge")
    elsewhere = text.replace("build: {dialect: our-review, ", "build: {")
    found = refused(elsewhere.replace("qa: {enabled: false}", "qa: {dialect: our-review, roles: [lens]}"))
    assert [code for code, *_ in found] == ["PG906"]
    assert "give the role the dialect our-review" in found[0][2]


def test_policy__own_roles_take_the_format_of_their_phase() -> None:
    text = POLICY.replace("    roles: {our-reviewer: {does: challenges}}\n", "")
    policy = load_policy(text + "roles: {our-reviewer: {does: challenges}}\n", "policy.yml")
    assert isinstance(policy, Policy), policy
    assert policy.role("our-reviewer").dialect == "our-review"


def test_policy__a_pattern_is_refused_with_its_place() -> None:
    text = POLICY.replace("(?P<word>[a-z]{1,10})", "(?P<word>[a-z]+)")
    ((code, place, message),) = refused(text)
    assert (code, place) == ("PG901", "28:$.formats.watch.read.word.pattern")
    assert "at character 23" in message


def test_policy__schemas_by_path_are_handed_in() -> None:
    text = POLICY.replace("{whole: true, as: json}", "{whole: true, as: json, schema_file: schemas/story.json}")
    assert [code for code, *_ in refused(text)] == ["PG901"]
    schema = json.dumps({"type": "object", "required": ["checked", "owner"]})
    assert isinstance(load_policy(text, "policy.yml", (("schemas/story.json", schema),)), Policy)
    world = green()
    world.policy = text
    data = world.snapshot()
    data["policy"]["schemas"] = [{"path": "schemas/story.json", "text": schema}]
    snapshot = parse_snapshot(json.dumps(data), "snapshot.json")
    assert isinstance(snapshot, Snapshot)
    assert "PG020" in {item.code for item in judge(snapshot).problems}


def test_policy__format_with_an_unknown_key_is_refused() -> None:
    ((code, place, _),) = refused(POLICY.replace("    commit: word/head", "    comit: word/head"))
    assert (code, place) == ("PG503", '14:$.formats["our-review"].comit')


def test_docs__the_example_is_read_as_they_say() -> None:
    page = (EXAMPLES.parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    blocks = (block.partition("\n")[::2] for block in page.split("```")[1::2])
    policy, comment = [
        text for info, text in blocks if (info == "yaml" and "version: 1" in text) or info == "markdown"
    ][:2]
    world = World(policy=policy)
    world.say("ana", comment.replace("3f2a91c", commit("a")[:7]))
    report = decided(world)
    assert report.state is State.SUCCESS, report.problems


@pytest.mark.parametrize("page", ["formats.md", "reviewers.md", "mixing.md"])
def test_docs__every_policy_in_them_is_one(page: str) -> None:
    text = (EXAMPLES.parents[2] / "docs" / page).read_text(encoding="utf-8")
    blocks = [block.partition("\n")[::2] for block in text.split("```")[1::2]]
    policies = [body for info, body in blocks if info == "yaml" and "version: 1" in body]
    assert policies
    for body in policies:
        assert isinstance(load_policy(body, "docs"), Policy), load_policy(body, "docs")


@pytest.mark.parametrize("name", box_names())
def test_docs__tell_of_every_box_whose_it_is_and_what_steers_it(name: str) -> None:
    text = (EXAMPLES.parents[2] / "docs" / "reviewers.md").read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| `{name}` |")]
    told = [str(value) for value in box(name).known.values()] + list(box(name).instructions)
    assert [value for value in told if value not in row] == []
    assert ("experimental" in row) is bool(box(name).experimental)
