"""Stories about verdicts that are overruled with evidence, and phases that a human overrides."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, GREEN, QA_WAITS, story
from tests.casebook.world import World, block, commit, finding

REFUTED = "## jkz:inspector\n\nJ1 is noise: the expiry is checked in the caller.\n\n{evidence}\n\n{block}\n"


def refute(world: World, evidence: str, *ids: str, who: str = "ana") -> None:
    """The Inspector passes and calls findings noise."""
    data = {"verdict": "PASS", "issues": [], "false_positives": list(ids)}
    world.say(who, REFUTED.format(evidence=evidence, block=block(data)))


@story("overruled", "The Inspector refutes the Judge's only finding, with output.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.tested()


@story(
    "overruled-and-passed-again", "The Inspector's next PASS need not say it again.", state="pending", phases=QA_WAITS
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.judges("inspector")


@story(
    "overruled-and-failed-since",
    "An Inspector who fails the work after that has to refute anew.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.judges("inspector", "FAIL")
    world.judges("inspector")
    world.tested()


@story("overruled-by-line", "Or with a line of a file that exists.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "See src/session.py:12.", "J1")
    world.changes["cited_files"] = [{"commit": commit("a"), "path": "src/session.py", "lines": 40}]
    world.tested()


@story(
    "overruled-beside-a-comment",
    "Beside a comment of its runtime, and with what would begin one in code.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "Not J1 <!-- run 4 --> but `<!--` is read there, see `src/session.py:12`.", "J1")
    world.changes["cited_files"] = [{"commit": commit("a"), "path": "src/session.py", "lines": 40}]
    world.tested()


for _name, _says, _evidence in (
    ("code", "As people write it, in code.", "See `src/session.py:12`, which took ~5 ms (~6 before)."),
    (
        "link-text",
        "Or as the words of a link.",
        "See [src/session.py:12](https://x.example/blob/main/src/session.py#L12).",
    ),
    ("table", "Or in a table.", "| finding | why |\n|---|---|\n| J1 | `src/session.py:12` checks it |"),
    ("prices", "Beside prices, which are no formula.", "It saves $5 of $6, see src/session.py:12, 7 $ at most."),
    ("bold", "Or set off by tags.", "See <b>src/session.py:12</b>."),
    ("label", "Or behind the id in brackets, which is no definition.", "[J1]: refuted by src/session.py:12 alone"),
    ("output-in-a-list", "Or as output in a list.", "- J1 is noise:\n\n  ```\n  ok\n  ```"),
):

    @story(f"overruled-by-line-in-{_name}", _says, state="success", phases=GREEN)
    def _(world: World, evidence: str = _evidence) -> None:
        world.planned()
        world.judges("judge", "FAIL")
        refute(world, evidence, "J1")
        world.changes["cited_files"] = [{"commit": commit("a"), "path": "src/session.py", "lines": 40}]
        world.tested()


@story(
    "overruled-by-missing-line",
    "A line that the file does not have proves nothing.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "See src/session.py:120.", "J1")
    world.changes["cited_files"] = [{"commit": commit("a"), "path": "src/session.py", "lines": 40}]
    world.tested()


@story(
    "overruled-without-evidence",
    "Saying that a finding is noise is not enough.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "Trust me.", "J1")
    world.tested()


@story(
    "overruled-with-quoted-output",
    "What is quoted is somebody else's and proves nothing.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    refute(world, "> J1\n>\n> ```\n> 1 passed\n> ```", "J1")
    world.tested()


@story(
    "overruled-in-part",
    "One of two findings is refuted; the other still blocks.",
    state="failure",
    phases=BUILD_FAILED,
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL", issues=[finding("J1"), finding("J2")], must_fix=["J1", "J2"])
    refute(world, "```\n1 passed\n```", "J1")
    world.tested()


@story(
    "overruled-before-the-fail",
    "A refutation given before the FAIL refutes nothing.",
    state="failure",
    phases=BUILD_FAILED,
    codes="",
    because="Judge failed",
)
def _(world: World) -> None:
    world.planned()
    refute(world, "```\n1 passed\n```", "J1")
    world.judges("judge", "FAIL")
    world.tested()


@story(
    "overridden",
    "A human overrides QA, with name and reason.",
    state="success",
    phases=GREEN,
    because="Overridden by mona",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")
    world.say("mona", "/gate override qa: the staging system is down, tested by hand")


@story(
    "overridden-older-commit", "An override is bound to the content it was given for.", state="pending", phases=QA_WAITS
)
def _(world: World) -> None:
    world.planned()
    world.say("mona", "/gate override qa: the staging system is down, tested by hand")
    world.push("b")
    world.built()


@story("override-forbidden", "The policy lets nobody override.", state="pending", phases=QA_WAITS, codes="PG219")
def _(world: World) -> None:
    world.policy = "version: 1\noverrides: false\n"
    world.planned()
    world.built()
    world.say("mona", "/gate override qa: it is late")


@story("overridden-by-author", "The author cannot override.", state="pending", phases=QA_WAITS, codes="PG211")
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("octo-dev", "/gate override qa: it is late")


@story("overruled-in-qa-and-approved", "Approved after the Sentinel's FAIL was refuted.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")
    data = {"verdict": "PASS", "issues": [], "false_positives": ["S1"]}
    world.say("ana", f"## jkz:lens\n\nS1 is noise:\n\n```\n1 passed\n```\n\n{block(data)}\n")
    world.say("mona", "/gate approve qa")


@story(
    "failed-then-passed-then-approved",
    "A FAIL of the same content that its author took back by a PASS, approved after both.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel", "FAIL")
    world.tested()
