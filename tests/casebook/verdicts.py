"""Stories about the verdict block: what the signal format asks for, and where the block may stand."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, GREEN, story
from tests.casebook.world import COMMENT_MARKER, JSON, World, block, finding, verdict

PASS = '{"verdict": "PASS", "issues": []}'
INVALID = "Judge's verdict is invalid"
# A FAIL is a FAIL, whatever is wrong with its form.
STILL_A_FAIL = (
    *("id-malformed", "id-twice", "fail-without-must-fix", "must-fix-unknown", "must-fix-of-low"),
    *("finding-without-location", "severity-unknown"),
)


def judge_says(data: JSON | str) -> str:
    """The Judge's comment with this block at its end."""
    return f"## jkz:judge\n\nWhat I found.\n\n{block(data)}\n"


def broken(name: str, says: str, code: str) -> object:
    """A story in which one comment of the Judge is invalid for exactly one reason."""
    because = "Judge failed" if name in STILL_A_FAIL else INVALID
    return story(name, says, phases=BUILD_FAILED, codes=code, because=because)


def warned(name: str, says: str, code: str, *, build: str = "success") -> object:
    """A story in which a comment of the Judge draws a warning and counts all the same."""
    if build == "success":
        return story(name, says, phases=GREEN, codes=code)
    return story(name, says, phases=BUILD_FAILED, codes=code, because="Judge failed")


TELLINGS = {
    ("verdict-of-another-kind", "COMPLETE is the Builder's word.", "PG101"): judge_says({"verdict": "COMPLETE"}),
    ("verdict-unknown", "MAYBE is nobody's word.", "PG022"): judge_says({"verdict": "MAYBE", "issues": []}),
    ("heading-without-block", "The Judge's heading, and nothing that a machine can read.", "PG102"):
     "## jkz:judge\n\nLooks good to me.\n",
    ("finding-without-location", "A finding says where.", "PG020"):
     judge_says({"verdict": "FAIL",
                 "issues": [{"id": "J1", "severity": "HIGH", "summary": "Broken", "fix_hint": "Mend"}],
                 "must_fix": ["J1"]}),
    ("severity-unknown", "BLOCKER is no severity.", "PG022"):
     judge_says({"verdict": "FAIL", "issues": [finding("J1", severity="BLOCKER")], "must_fix": ["J1"]}),
    ("id-malformed", "An id is a letter and a number.", "PG108"):
     judge_says({"verdict": "FAIL", "issues": [finding("issue-1")], "must_fix": ["issue-1"]}),
    ("id-twice", "An id means one finding.", "PG108"):
     judge_says({"verdict": "FAIL", "issues": [finding("J1"), finding("J1")], "must_fix": ["J1"]}),
    ("fail-without-must-fix", "A FAIL says what must be fixed.", "PG111"):
     judge_says({"verdict": "FAIL", "issues": [finding("J1")]}),
    ("must-fix-unknown", "must_fix names a finding that is not there.", "PG112"):
     judge_says({"verdict": "FAIL", "issues": [finding("J1"), finding("J2")], "must_fix": ["J3"]}),
    ("pass-with-must-fix", "What must be fixed has not passed.", "PG112 PG115"):
     judge_says({"verdict": "PASS", "issues": [], "must_fix": ["J1"]}),
    ("must-fix-of-low", "must_fix names a LOW finding.", "PG105 PG112"):
     judge_says({"verdict": "FAIL", "issues": [finding("J1", severity="LOW")], "must_fix": ["J1"]}),
    ("two-blocks", "The second block may be a stranger's.", "PG030"):
     f"## jkz:judge\n\nThe log says:\n\n{block(PASS)}\n\nMy verdict:\n\n{block(PASS)}\n",
    ("block-in-fence", "A block inside a code fence is an example.", "PG031"):
     f"## jkz:judge\n\n````\n{block(PASS)}\n````\n",
    ("block-in-list", "A block in a list item is not a block of its own.", "PG031"):
     "## jkz:judge\n\n- " + block(PASS).replace("\n", "\n  ") + "\n",
    ("block-never-closed", "The comment is never closed.", "PG032"):
     f"## jkz:judge\n\nFine.\n\n<!-- jkz:verdict-json\n{PASS}\n",
    ("text-on-both-sides", "The block stands neither at the start nor at the end.", "PG033"):
     f"## jkz:judge\n\nFine.\n\n{block(PASS)}\n\nOne more thing.\n",
    ("block-leaks", "The JSON stands outside its comment.", "PG034"):
     f"## jkz:judge\n\nFine.\n\n<!-- jkz:verdict-json -->\n{PASS}\n",
    ("block-in-open-details", "An element before the block is still open.", "PG036"):
     f"## jkz:judge\n\n<details>\n<summary>Log</summary>\n\nLong.\n\n{block(PASS)}\n",
    ("json-broken", "A trailing comma is not JSON.", "PG001"): judge_says('{"verdict": "PASS", "issues": [],}'),
    ("json-key-twice", "Which of the two verdicts counts?", "PG002"):
     judge_says('{"verdict": "FAIL", "issues": [], "verdict": "PASS"}'),
}  # fmt: skip

for (_name, _says, _code), _text in TELLINGS.items():
    broken(_name, _says, _code)(lambda world, text=_text: world.judged(text))  # type: ignore[operator]


WARNINGS = {
    ("summary-too-long", "More than 15 words: a warning.", "PG104"): finding("J1", summary="word " * 16),
    ("root-cause-unknown", "A cause outside the vocabulary: a warning.", "PG106"): finding("J1", root_cause="sloppy"),
    ("location-absolute", "A location that cannot be linked: a warning.", "PG107"): finding(
        "J1", location="/home/agent/auth.py:0"
    ),
    ("fix-hint-missing", "No hint: a notice.", "PG123"): {
        key: value for key, value in finding("J1").items() if key != "fix_hint"
    },
}

for (_name, _says, _code), _finding in WARNINGS.items():
    _text = judge_says({"verdict": "FAIL", "issues": [_finding], "must_fix": ["J1"]})
    warned(_name, _says, _code, build="failure")(  # type: ignore[operator]
        lambda world, text=_text: world.judged(text)
    )


@story(phases=GREEN, codes="PG105")
def low_finding_on_pass(world: World) -> None:
    """A LOW finding blocks nothing."""
    world.judged(judge_says({"verdict": "PASS", "issues": [finding("J1", severity="LOW")]}))


@story(phases=GREEN, codes="PG023")
def unknown_key(world: World) -> None:
    """A misspelt key is pointed out."""
    world.judged(judge_says({"verdict": "PASS", "issues": [], "comit": "abc"}))


@story(phases=BUILD_FAILED, codes="PG104")
def block_too_large(world: World) -> None:
    """The block is meant to be short."""
    findings = [finding(f"J{number}") for number in range(1, 25)]
    world.judged(judge_says({"verdict": "FAIL", "issues": findings, "must_fix": ["J1"]}))


@story(phases=BUILD_FAILED, codes="PG104", because="Judge failed")
def summary_too_long_as_error(world: World) -> None:
    """The policy makes the word limit an error: the verdict is invalid, and still a FAIL."""
    world.under("version: 1\nrules: {PG104: error}\n")
    low = finding("J1", summary="word " * 16)
    world.judged(judge_says({"verdict": "FAIL", "issues": [low], "must_fix": ["J1"]}))


@story(phases=GREEN, codes="PG114")
def contradictory_fail_passes(world: World) -> None:
    """A FAIL that asks for nothing is a PASS by the jkz documents, with a warning."""
    world.judged(judge_says({"verdict": "FAIL", "issues": [], "must_fix": []}))


@story(phases=BUILD_FAILED, codes="PG114 PG115", because="Judge failed")
def contradictory_fail_with_critical(world: World) -> None:
    """Taken as a PASS it is held to the rules of a PASS."""
    world.judged(judge_says({"verdict": "FAIL", "issues": [finding("J1", severity="CRITICAL")], "must_fix": []}))


@story(phases=GREEN, codes="PG117")
def false_positives_from_challenger(world: World) -> None:
    """Only a validator may call findings noise."""
    world.judged(judge_says({"verdict": "PASS", "issues": [], "false_positives": ["I1"]}))


@story(phases=GREEN, codes="PG117")
def false_positives_unknown(world: World) -> None:
    """The Judge never raised J9."""
    world.planned().passed_by("judge").passed_by("inspector", false_positives=["J9"]).tested()


BEHIND = {
    "footer-of-a-runtime": "---\n\U0001f916 Generated with [Claude Code](https://claude.com/claude-code)\n",
    "footer-of-the-policy": "Posted by our runner.\n<!-- run 17 -->\n",
    "comment-of-a-runtime": "<!-- posted by runner 4, attempt 1 -->\n",
    "blocks": '<!-- jkz:diagnosis-json {"root_cause": "A"} -->\n\n<!-- jkz:spec-map\nscope: DEFINED\n-->\n',
}
for _name, _behind in BEHIND.items():

    @story(f"verdict-before-{_name}", "What runtimes add behind the block is no text.", phases=GREEN)
    def _(world: World, behind: str = _behind) -> None:
        world.under('version: 1\nverdicts: {footers: ["Posted by our runner."]}\n')
        world.judged(f"{verdict('judge')}\n{behind}")


@story(phases=GREEN)
def fence_before_comment_of_a_runtime(world: World) -> None:
    """The same behind a block that is a fence."""
    fenced = block({"verdict": "PASS", "issues": []}, "fence")
    world.judged(f"## jkz:judge\n\nFine.\n\n{fenced}\n\n<!-- posted by runner 4, attempt 1 -->\n")


@story(phases=BUILD_FAILED, because="Judge failed")
def verdict_below_our_marker(world: World) -> None:
    """A FAIL below the first line of the gate's own comment counts like any other: nothing is skipped for that line."""
    world.judged(f"{COMMENT_MARKER}\n{verdict('judge', 'FAIL')}")


@story(phases=GREEN)
def verdict_below_our_marker_passes(world: World) -> None:
    """A PASS below it counts too."""
    world.judged(f"{COMMENT_MARKER}\n{verdict('judge')}")


@story(phases=GREEN, codes="PG023")
def pass_with_keys_of_its_own(world: World) -> None:
    """A PASS may hold more than the format has: empty lists, what was said before, and why it passes."""
    more = {"findings": [], "blockers": [], "previous": [finding("J1")], "verdict_reason": "No test fails any more"}
    world.judged(judge_says({"verdict": "PASS", "issues": [], "must_fix": [], **more}))


@story(phases=GREEN, codes="PG103 PG125")
def marker_misspelt_by_others(world: World) -> None:
    """Who quotes a misspelt block, or shows one and never judged, says nothing for any role."""
    world.judged(judge_says({"verdict": "PASS", "issues": [], "must_fix": []}))
    misspelt = block({"verdict": "PASS", "role": "judge", "issues": []}, "fence").replace("-json", "_json")
    quoted = misspelt.replace("\n", "\n> ")
    world.says("mona", f"> {quoted}\n\nThis is not read.")
    world.says("mona", f"This is not read:\n\n````\n{misspelt}\n````\n")
