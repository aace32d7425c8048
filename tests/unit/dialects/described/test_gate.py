"""Described formats through the whole gate: one in comments, one in files, one in check runs."""

from __future__ import annotations

import json

import pytest

from phasegate.cli.files import parse_snapshot
from phasegate.dialects.described.boxes import box, box_names
from phasegate.gate import judge, reading_plan
from phasegate.model.report import Need, NeedState, State, Why
from phasegate.model.snapshot import PolicyFile, Snapshot
from phasegate.policy.load import load_policy
from phasegate.policy.model import Policy
from tests.casebook import drift
from tests.casebook.evidence import review
from tests.casebook.world import JSON, World, commit, digest
from tests.unit.dialects.described.shelf import EXAMPLES, SHA, sample
from tests.unit.rules.parties import codes, decided, edits, phase
from tests.unit.rules.parties import need as need_of

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


def seats(world: World) -> dict[str, tuple[str, str]]:
    """What became of each seat of the build."""
    return {item.name: (item.state.value, item.why.value) for item in phase(world, "build").needs}


def need(world: World, name: str) -> Need:
    """What became of one seat of the build."""
    return need_of(world, "build", name)


def word(verdict: str = "APPROVE", head: str = "a") -> str:
    return f"Looked at it.\n\n<!-- our:review head={commit(head)} verdict={verdict} -->\n"


def run(world: World, /, text: str = "Result: clean", **changes: object) -> None:
    """A check run of the watcher on the head."""
    told: JSON = {"name": "Watcher", "status": "completed", "conclusion": "neutral", "app_id": 1210556, "app": "cursor"}
    told |= {"id": 9, "completed_at": world.tick(), "commit": commit(world.head), "text": text}
    world.changes["checks"] = [told | changes]


def starts(world: World, /, **changes: object) -> None:
    """A check run of the watcher that is under way."""
    run(world, "", status="in_progress", conclusion=None, completed_at=None, started_at=world.tick(), **changes)


def green() -> World:
    """Everything said, and all of it good; the file leaves the product as it is."""
    return World(policy=POLICY).commits("b", {".stories/7.json": GOOD}).says("ana", word(head="b")).then(run)


def with_file(text: str) -> World:
    """Nothing but a file."""
    return World(policy=POLICY).push("b", by="ana", evidence={".stories/7.json": text})


def test_all_pass__is_green() -> None:
    report = decided(green())
    assert report.state is State.SUCCESS, report.problems
    assert set(seats(green()).values()) == {("met", "passed")}


def renamed_app() -> World:
    """The policy names another app for the watcher."""
    return green().under(POLICY.replace("app_id: 1210556, roles", "app_id: 99, roles", 1))


SEATS: dict[str, tuple[World, str, str, str, str | None]] = {
    "a comment that fails": (green().says("ana", word("REJECT", "b")), "our-reviewer", "failed", "failed", None),
    "of a commit that never was":
     (green().says("ana", word(head="elsewhere")), "our-reviewer", "failed", "invalid", "PG301"),
    "edited away by its author":
     (green().says("ana", word("APPROVE", "b")).then(edits, "Never mind."), "our-reviewer", "failed", "invalid", None),
    "broken": (green().says("ana", word("MAYBE", "b")), "our-reviewer", "failed", "invalid", "PG914"),
    "a quotation is nobody's": (green().says("ben", f"> {word('REJECT', 'b').splitlines()[-1]}\n\nI disagree."),
     "our-reviewer", "met", "passed", None),
    "a review that fails": (green().reviewed("ana", word("REJECT", "b")), "our-reviewer", "failed", "failed", None),
    "a review that passes": (green().reviewed("ana", word("REJECT", "b")).reviewed("ana", word("APPROVE", "b")),
     "our-reviewer", "met", "passed", None),
    "a file before a change of the product":
     (green().push("c", by="octo-dev"), "story-check", "waiting", "older", None),
    **{f"a file that shows no work: {text!r}": (with_file(text), "story-check", "failed", "invalid", None)
       for text in ('{"checked": 0, "failed": 0}', '{"failed": 0}', "{}", "", "[]")},
    "a check run that fails": (green().then(run, "Result: dirty"), "watcher", "failed", "failed", None),
    "a check run under way": (green().then(starts), "watcher", "waiting", "not_done", None),
    "a check run of Actions": (green().then(run, app_id=15368), "watcher", "waiting", "missing", None),
    "a check run of another app": (green().then(run, app_id=555), "watcher", "waiting", "missing", None),
    "a check run of an app that is not named": (renamed_app(), "watcher", "waiting", "refused", None),
}  # fmt: skip


@pytest.mark.parametrize(("world", "name", "state", "why", "code"), SEATS.values(), ids=SEATS)
def test_seat(world: World, name: str, state: str, why: str, code: str | None) -> None:
    assert seats(world)[name] == (state, why)
    assert code is None or code in codes(world)


def test_nothing_said__waits_for_each_seat() -> None:
    names = ("our-reviewer", "story-check", "watcher")
    assert seats(World(policy=POLICY)) == dict.fromkeys(names, ("waiting", "missing"))


def test_file__that_fails_fails_the_build_with_its_findings() -> None:
    found = need(green().commits("c", {".stories/7.json": BAD}), "story-check")
    assert (found.state, found.findings) == (NeedState.FAILED, ("refunds twice",))


def test_check_run__under_way_waits_also_where_its_text_will_tell_the_role() -> None:
    told = "pattern: '(?P<by>watcher): (?P<word>[a-z]{1,10})'"
    policy = POLICY.replace("pattern: 'Result: (?P<word>[a-z]{1,10})'", told)
    world = green().under(policy.replace("role: watcher\n", "role: {of: word/by, map: {watcher: watcher}}\n"))
    run(world, "watcher: clean")
    assert seats(world)["watcher"] == ("met", "passed")
    done = world.changes["checks"]
    starts(world, id=10)
    world.changes["checks"] = [*done, *world.changes["checks"]]
    assert seats(world)["watcher"] == ("waiting", "not_done")


def alone(build: str, formats: str) -> World:
    """A pull request that gates this build and nothing else, with these formats."""
    phases = f"phases: {{plan: {{enabled: false}}, qa: {{enabled: false}}, build: {build}}}\n"
    return World(policy=f"version: 1\n{phases}formats:\n{formats}")


def test_format__beside_a_built_in_dialect_fills_its_own_seat() -> None:
    formats = POLICY[POLICY.index("  our-review:") : POLICY.index("  stories:")]
    world = alone("{roles: [judge, inspector, our-reviewer]}", formats).built()
    told = {"judge": ("met", "passed"), "inspector": ("met", "passed"), "our-reviewer": ("waiting", "missing")}
    assert seats(world) == told
    assert seats(world.says("ana", word()))["inspector"] == ("waiting", "too_early")
    assert decided(world.passed_by("inspector")).state is State.SUCCESS


def test_files_of_two_dialects__each_fill_their_own_seats() -> None:
    formats = POLICY[POLICY.index("  stories:") : POLICY.index("  watch:")]
    world = alone("{roles: [judge, inspector, story-check], artifacts: [review-result.json]}", formats)
    assert seats(world.leaves("b", review=review()))["story-check"] == ("waiting", "missing")
    names = ("judge", "inspector", "story-check", "review-result.json")
    assert seats(world.commits("c", {".stories/7.json": GOOD}).built()) == dict.fromkeys(names, ("met", "passed"))


def test_several_words_in_one_comment__each_fill_their_own_seat() -> None:
    told = (EXAMPLES / "apm2.yml").read_text(encoding="utf-8").replace("\n", "\n    ")
    build = "{dialect: apm2, creator: null, fixer: null, roles: [security, code-quality]}"
    world = alone(build, f"  apm2:\n    {told}\n").says("ana", sample("apm2/both.md").replace(SHA, commit("a")))
    found = {item.name: (item.why, item.said) for item in phase(world, "build").needs}
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


OWN_ROLE = "    roles: {our-reviewer: {does: challenges}}\n"
ELSEWHERE = (
    POLICY.replace(OWN_ROLE, "").replace("our-reviewer", "judge").replace("build: {dialect: our-review, ", "build: {")
)

REFUSED = {
    "a format that is not there": (POLICY.replace("dialect: our-review", "dialect: our-reviev"),
     "PG502", "6:$.phases.build.dialect", "did you mean our-review?"),
    "a reserved name": (POLICY.replace("  stories:", "  thehood:"), "PG906", "15:$.formats.thehood", ""),
    "a role that does not exist":
     (POLICY.replace("role: our-reviewer", "role: our-reviever"), "PG906", "", "did you mean our-reviewer"),
    "a role of another dialect":
     (ELSEWHERE.replace("qa: {enabled: false}", "qa: {dialect: our-review, roles: [lens]}"),
      "PG906", "", "give the role the dialect our-review"),
    "a pattern": (POLICY.replace("(?P<word>[a-z]{1,10})", "(?P<word>[a-z]+)"),
     "PG901", "28:$.formats.watch.read.word.pattern", "at character 23"),
    "an unknown key": (POLICY.replace("    commit: word/head", "    comit: word/head"),
     "PG503", '14:$.formats["our-review"].comit', ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "place", "told"), REFUSED.values(), ids=REFUSED)
def test_policy__is_refused_for(text: str, code: str, place: str, told: str) -> None:
    (first, where, message), *more = refused(text)
    assert {first, *(other for other, *_ in more)} == {code}
    assert where.endswith(place)
    assert told in message


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


def test_policy__own_roles_take_the_format_of_their_phase() -> None:
    policy = load_policy(POLICY.replace(OWN_ROLE, "") + "roles: {our-reviewer: {does: challenges}}\n", "policy.yml")
    assert isinstance(policy, Policy), policy
    assert policy.role("our-reviewer").dialect == "our-review"


def test_policy__schemas_by_path_are_handed_in() -> None:
    text = POLICY.replace("{whole: true, as: json}", "{whole: true, as: json, schema_file: schemas/story.json}")
    assert [code for code, *_ in refused(text)] == ["PG901"]
    schema = json.dumps({"type": "object", "required": ["checked", "owner"]})
    assert isinstance(load_policy(text, "policy.yml", (("schemas/story.json", schema),)), Policy)
    data = green().under(text).snapshot()
    data["policy"]["schemas"] = [{"path": "schemas/story.json", "text": schema}]
    snapshot = parse_snapshot(json.dumps(data), "snapshot.json")
    assert isinstance(snapshot, Snapshot)
    assert "PG020" in {item.code for item in judge(snapshot).problems}


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
