"""Vanished: words that are no PASS, taken away in whatever medium, so that an older PASS would count again."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.drift import POLICY, STORIES, word
from tests.casebook.envelope import audits, enveloped, message, reviews, works
from tests.casebook.evidence import results, review
from tests.casebook.pipeline import ALONE as PIPELINE
from tests.casebook.pipeline import piped, reviewed
from tests.casebook.story import BUILD_FAILED, BUILD_WAITS
from tests.casebook.world import JSON, World, block, finding, verdict

ALONE = "success failure success"
WAITS = "success pending success"
GOOD, BAD, WAIT = (f'{{"verdict": "{said}"}}' for said in ("good", "bad", "wait"))
OLD, NEW = ".stories/a.json", ".stories/b.json"
BLOCKING = STORIES.replace("bad: fail", "bad: fail, wait: blocked")
LIMITED = POLICY.replace("in: [comment]", "in: [comment, review]").replace(
    "problems: fail", "problems: fail, limited: blocked"
)
OPTIONAL = "version: 1\nphases: {build: {optional_artifacts: [review-result.json]}}\n"
STUCK = message(
    "worker_submission", "signal: blocked\nfiles_changed:\n- src/auth.py\nac_coverage:\n  AC1: fail\nqa_check: fail"
)
gone = partial(attack, "evidence", defence="removed-files")
told = partial(attack, "edited")


def checked(world: World, text: str, policy: str = STORIES) -> None:
    """A story passed; then another one says something else about the same content."""
    world.under(policy).commits("s", {OLD: GOOD}).commits("t", {NEW: text})


FILES = {
    "fail-file-removed": ("The author takes the file away in which the work failed.", BAD, "octo-dev", "FAIL"),
    "fail-file-removed-by-another": ("Another agent's account does.", BAD, "ben", "FAIL"),
    "broken-file-removed": ("It was no JSON.", '{"verdict": ', "octo-dev", "verdict"),
}
for _name, (_says, _text, _who, _what) in FILES.items():

    @gone(_name, _says, phases=ALONE, because=f"Story check's {_what} was deleted by {_who}")
    def _(world: World, text: str = _text, who: str = _who) -> None:
        world.then(checked, text, BLOCKING).commits("u", {NEW: None}, who)


@gone(phases=WAITS, because="Story check's BLOCKED was deleted by octo-dev")
def blocked_file_removed(world: World) -> None:
    """It said that its work was blocked."""
    world.then(checked, WAIT, BLOCKING).commits("u", {NEW: None}, "octo-dev")


@gone(phases=ALONE, because="was deleted by ana")
def fail_file_removed_by_itself(world: World) -> None:
    """Its own account takes it away."""
    world.then(checked, BAD).commits("u", {NEW: None})


@gone(phases=ALONE, codes="PG202", because="by octo-dev")
def fail_file_written_over(world: World) -> None:
    """The author writes a PASS over it."""
    world.then(checked, BAD).commits("u", {NEW: GOOD}, "octo-dev")


KINDS = STORIES.replace("    role: story-check", "    when: [{of: doc/kind, equals: check}]\n    role: story-check")


@gone(phases=ALONE, because="by octo-dev")
def fail_file_emptied(world: World) -> None:
    """The author writes something over it that is no word."""
    world.under(KINDS).commits("s", {OLD: '{"kind": "check", "verdict": "good"}'})
    world.commits("t", {NEW: '{"kind": "check", "verdict": "bad"}'})
    world.commits("u", {NEW: '{"kind": "note"}'}, "octo-dev")


@gone(phases=ALONE, because="deleted by octo-dev")
def fail_file_forced_away(world: World) -> None:
    """The author forces the branch back."""
    world.then(checked, BAD).commits("s", {NEW: None}, "octo-dev")
    world.moves[-1]["kind"] = "force_push"


@gone(defence="no-way-back", phases=BUILD_FAILED, because="review-result.json's FAIL was deleted by ben")
def fail_file_forced_back(world: World) -> None:
    """Another agent's account forces the branch back to an older PASS."""
    world.then(reviewed).leaves("r2", review=review("FAIL")).leaves("r", "ben", review=review())
    world.moves[-1]["kind"] = "force_push"


OPTIONAL_RESULTS = {
    "optional-fail-removed": ("The author removes a FAIL that need not have been there.", review("FAIL")),
    "optional-broken-removed": ("It was no JSON, and nobody can tell what it said.", '{"verdict": "FAIL",'),
}
for _name, (_says, _text) in OPTIONAL_RESULTS.items():

    @gone(_name, _says, phases=BUILD_FAILED, because="review-result.json's FAIL was deleted by octo-dev")
    def _(world: World, text: str = _text) -> None:
        world.under(OPTIONAL).green().leaves("r", review=text).leaves("s", "octo-dev", review=None)


@told(defence="dismissed-words", phases=WAITS, because="Our reviewer's BLOCKED was dismissed by octo-dev")
def blocked_review_dismissed(world: World) -> None:
    """The author dismisses a review that said the work is blocked; an older PASS is there."""
    world.under(LIMITED).says("ben", word("Review verdict: clean"))
    world.dismiss(world.review("ben", word("Review verdict: limited")))


@told(defence="deleted-words", phases=WAITS, because="Our reviewer's BLOCKED was deleted by octo-dev")
def blocked_comment_deleted(world: World) -> None:
    """The author deletes it, once the gate has seen it."""
    world.under(LIMITED).says("ben", word("Review verdict: clean"))
    said = world.say("ben", word("Review verdict: limited"))
    world.on_record(said, "our-reviewer", outcome="BLOCKED", who="ben").delete(said)


@told(defence="dismissed-words", phases=BUILD_WAITS, because="Worker submission's BLOCKED was dismissed by ana")
def blocked_worker_dismissed(world: World) -> None:
    """The worker's envelope said that it is blocked."""
    world.then(enveloped).then(works).then(reviews).then(audits).dismiss(world.review("octo-dev", STUCK), "ana")


@told(defence="nothing-without-record", phases="failure failure failure", because="Nothing more can be recorded")
def record_full(world: World) -> None:
    """The author fills all contexts of the record on this commit: what fails it now could vanish unseen."""
    world.green()
    world.changes["record"] = {"full": True}


# A word with a fault that holds something against the work is a FAIL, in every dialect and however it goes away.
objection = partial(attack, "attempts", phases=BUILD_FAILED, defence="unread-objections")
VERDICTS: dict[str, tuple[str, JSON, str]] = {
    "fail-without-demands": ("A FAIL with a HIGH finding and an empty must_fix",
                             {"verdict": "FAIL", "issues": [finding("J1")], "must_fix": []}, "PG114 PG115"),
    "pass-with-demands": ("A PASS with a must_fix", {"verdict": "PASS", "issues": [], "must_fix": ["J1"]},
                          "PG112 PG115"),
    "pass-with-critical": ("A PASS with a CRITICAL finding",
                           {"verdict": "PASS", "issues": [finding("J1", severity="CRITICAL")]}, "PG115"),
    "pass-with-lower-case-severity": ("A PASS whose finding is of the severity high",
                                      {"verdict": "PASS", "issues": [finding("J1", severity="high")]}, "PG022"),
}  # fmt: skip


for _name, (_says, _data, _codes) in VERDICTS.items():
    _text = f"## jkz:judge\n\n{block(_data)}\n"

    @objection(f"{_name}-four-times", f"{_says}, four times.", codes=_codes, because="Escalated: 4 failing rounds")
    def _(world: World, text: str = _text) -> None:
        world.planned()
        for number in range(4):
            world.push(f"try{number}").says("ana", text)
        world.passes_at_last()

    @objection(f"{_name}-dismissed", f"{_says}, dismissed by the author.", codes=_codes, because="was dismissed by")
    def _(world: World, text: str = _text) -> None:
        world.planned().dismiss(world.review("ana", text)).passes_at_last()

    @objection(f"{_name}-edited", f"{_says}, edited by the author.", codes=f"{_codes} PG205", because="was edited by")
    def _(world: World, text: str = _text) -> None:
        world.planned().edit(world.say("ana", text), verdict("judge"), "octo-dev").passes_at_last()


ENVELOPES = {
    "envelope-not-yaml": ("An envelope that is no YAML",
                          "---\ntype: review_verdict\nsignal: fail\n  bad: [\n---\n\nWhat I found.\n", "PG010"),
    "envelope-said-twice": ("An envelope that says fail twice",
                            "Found.\n\n```envelope\ntype: review_verdict\nsignal: fail\nsignal: fail\n```\n", "PG030"),
    "envelope-in-capitals": ("An envelope that says FAIL",
                             message("review_verdict", "signal: FAIL\ncritical_count: 1\nac_coverage:\n  AC1: fail"),
                             "PG022"),
}  # fmt: skip
for _name, (_says, _text, _codes) in ENVELOPES.items():

    @objection(f"{_name}-six-times", f"{_says}, six times.", codes=_codes, because="Escalated: 6 failing rounds")
    def _(world: World, text: str = _text) -> None:
        enveloped(world)
        for number in range(6):
            world.then(works).says("ana", text).push(f"try{number}")
        world.then(works).then(reviews).then(audits)

    @objection(f"{_name}-dismissed", f"{_says}, dismissed by the author.", codes=_codes, because="FAIL was dismissed")
    def _(world: World, text: str = _text) -> None:
        world.then(enveloped).then(works).dismiss(world.review("ana", text)).push("b").then(works).then(reviews)
        audits(world)


DESCRIBED = {
    "described-other-word": ("A value outside the map that says failing", "Review verdict: failing", "PG914"),
    "described-in-capitals": ("The failing word in capitals", "Review verdict: PROBLEMS", "PG912"),
    "described-with-a-sign": ("The failing word with a sign", "Review verdict: problems!", "PG912"),
    "described-said-twice": ("The failing word twice", "Review verdict: problems\n\n## Review verdict: problems",
                             "PG030"),
}  # fmt: skip
for _name, (_says, _text, _codes) in DESCRIBED.items():

    @objection(
        f"{_name}-four-times",
        f"{_says}, four times.",
        phases=ALONE,
        codes=_codes,
        because="Escalated: 4 failing rounds",
    )
    def _(world: World, text: str = _text) -> None:
        world.under(LIMITED)
        for number in range(4):
            world.push(f"try{number}").says("ben", word(text, f"try{number}"))
        world.push("last").says("ben", word("Review verdict: clean", "last"))

    @objection(
        f"{_name}-dismissed",
        f"{_says}, dismissed.",
        phases=ALONE,
        codes=_codes,
        because="FAIL was dismissed by octo-dev",
    )
    def _(world: World, text: str = _text) -> None:
        world.under(LIMITED).dismiss(world.review("ben", word(text))).push("b")
        world.says("ben", word("Review verdict: clean", "b"))


@objection(phases=ALONE, because="Escalated: 4")
def broken_files_four_times(world: World) -> None:
    """A file that ends after its FAIL, four times."""
    world.under(STORIES)
    for number in range(4):
        world.push(f"try{number}").commits(f"s{number}", {OLD: f'{{"verdict": "bad", "n": {number},'})
    world.push("last").commits("s", {OLD: GOOD})


@objection(defence="contradictory-results", because="Escalated: 4 failing rounds")
def contradictory_results_four_times(world: World) -> None:
    """Tests that pass though one of them failed, four times."""
    piped(world, PIPELINE)
    for number in range(4):
        failed = results(phase_1={"lint": {"result": "FAIL", "output": str(number)}})
        world.push(f"try{number}", by="ana", evidence={".pipeline/12/test-result.json": failed})
    reviewed(world, PIPELINE)


PUSHED_AWAY: dict[str, tuple[str, JSON, str]] = {
    "critical-pass-pushed-away": ("A PASS with a CRITICAL finding", {"issues": [finding("J1", severity="CRITICAL")]},
                                  "PG115"),
    "pass-for-nothing-pushed-away": ("A PASS for a commit that never was the head", {"commit": "1234567"}, "PG301"),
}  # fmt: skip
for _name, (_says, _keys, _code) in PUSHED_AWAY.items():

    @told(
        _name,
        f"{_says}; its account pushes something and takes it back, so that it may not judge any more.",
        defence="no-objection-pushed-away",
        phases=BUILD_FAILED,
        codes=f"PG202 {_code}",
        because="Judge's verdict is invalid",
    )
    def _(world: World, keys: JSON = _keys) -> None:
        world.green().passed_by("judge", who="ben", **keys).then(pushed_and_taken_back)


@told(defence="no-objection-pushed-away", phases=BUILD_FAILED, codes="PG202 PG205", because="edited by octo-dev")
def touched_pass_pushed_away(world: World) -> None:
    """The author edits the last PASS, whose account then pushes something that is taken back."""
    world.green()
    world.edit(world.judges("judge", who="ben"), verdict("judge").replace("found", "found there"), "octo-dev")
    pushed_and_taken_back(world)


def pushed_and_taken_back(world: World) -> None:
    """The Judge's other account pushes to the branch, and the author takes that back."""
    world.push("b", by="ben").push("a")


EDITED_IN = {
    "broken-word-edited-in-and-deleted": ("pending", "## jkz:judge\n\nWait, one thing.\n", "octo-dev", "verdict"),
    "fail-edited-in-and-deleted": ("failure", verdict("judge", "FAIL"), "ana", "FAIL"),
}
for _name, (_state, _text, _who, _what) in EDITED_IN.items():

    @told(
        _name,
        "The Judge writes it into the first of its two comments, which is deleted: the second is the later one by its "
        "number alone.",
        defence="answers-by-time",
        state=_state,
        phases=f"success {_state} pending",
        because=f"Judge's {_what} was deleted by {_who}",
    )
    def _(world: World, outcome: str = _what, text: str = _text, who: str = _who) -> None:
        world.then(edited_in, outcome.replace("verdict", "invalid"), text).delete(world.comments[0], who)


def edited_in(world: World, outcome: str, text: str) -> None:
    """The Judge passes it in two comments; then the first of them says something else, and the gate sees it."""
    world.planned()
    first = world.judges("judge")
    world.built().tested().edit(first, text, "ana").on_record(first, outcome=outcome, who="ana")
