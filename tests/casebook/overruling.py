"""Stories about verdicts that are overruled with evidence, and phases that a human overrides."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, GREEN, QA_WAITS, story
from tests.casebook.world import World, block

REFUTED = "## jkz:inspector\n\nJ1 is noise: the expiry is checked in the caller.\n\n{evidence}\n\n{block}\n"


def refute(world: World, evidence: str, *ids: str, who: str = "ana") -> None:
    """The Inspector passes and calls findings noise."""
    data = {"verdict": "PASS", "issues": [], "false_positives": list(ids)}
    world.says(who, REFUTED.format(evidence=evidence, block=block(data)))


@story(phases=GREEN)
def overruled(world: World) -> None:
    """The Inspector refutes the Judge's only finding, with output."""
    world.planned().failed_by("judge").then(refute, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.tested()


@story(phases=QA_WAITS)
def overruled_and_passed_again(world: World) -> None:
    """The Inspector's next PASS need not say it again."""
    world.planned().failed_by("judge").then(refute, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.passed_by("inspector")


@story(phases=BUILD_FAILED, because="Judge failed")
def overruled_and_failed_since(world: World) -> None:
    """An Inspector who fails the work after that has to refute anew."""
    world.planned().failed_by("judge").then(refute, "```\n$ pytest tests/test_expiry.py\n1 passed\n```", "J1")
    world.failed_by("inspector").others_pass()


@story(phases=GREEN)
def overruled_by_line(world: World) -> None:
    """Or with a line of a file that exists."""
    world.planned().failed_by("judge").then(refute, "See src/session.py:12.", "J1").cites("src/session.py", 40)
    world.tested()


@story(phases=GREEN)
def overruled_beside_a_comment(world: World) -> None:
    """Beside a comment of its runtime, and with what would begin one in code."""
    world.planned().failed_by("judge")
    refute(world, "Not J1 <!-- run 4 --> but `<!--` is read there, see `src/session.py:12`.", "J1")
    world.cites("src/session.py", 40).tested()


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

    @story(f"overruled-by-line-in-{_name}", _says, phases=GREEN)
    def _(world: World, evidence: str = _evidence) -> None:
        world.planned().failed_by("judge").then(refute, evidence, "J1").cites("src/session.py", 40).tested()


@story(phases=BUILD_FAILED, because="Judge failed")
def overruled_by_missing_line(world: World) -> None:
    """A line that the file does not have proves nothing."""
    world.planned().failed_by("judge").then(refute, "See src/session.py:120.", "J1").cites("src/session.py", 40)
    world.tested()


@story(phases=BUILD_FAILED, because="Judge failed")
def overruled_without_evidence(world: World) -> None:
    """Saying that a finding is noise is not enough."""
    world.planned().failed_by("judge").then(refute, "Trust me.", "J1").tested()


@story(phases=BUILD_FAILED, because="Judge failed")
def overruled_with_quoted_output(world: World) -> None:
    """What is quoted is somebody else's and proves nothing."""
    world.planned().failed_by("judge").then(refute, "> J1\n>\n> ```\n> 1 passed\n> ```", "J1").tested()


@story(phases=GREEN, because="Overridden by mona")
def overridden(world: World) -> None:
    """A human overrides QA, with name and reason."""
    world.planned().built().failed_by("sentinel")
    world.says("mona", "/gate override qa: the staging system is down, tested by hand")


@story(phases=QA_WAITS)
def overridden_older_commit(world: World) -> None:
    """An override is bound to the content it was given for."""
    world.planned().says("mona", "/gate override qa: the staging system is down, tested by hand").push("b")
    world.built()


@story(phases=QA_WAITS, codes="PG219")
def override_forbidden(world: World) -> None:
    """The policy lets nobody override."""
    world.under("version: 1\noverrides: false\n").planned().built()
    world.says("mona", "/gate override qa: it is late")


@story(phases=QA_WAITS, codes="PG211")
def overridden_by_author(world: World) -> None:
    """The author cannot override."""
    world.planned().built().says("octo-dev", "/gate override qa: it is late")


@story(phases=GREEN)
def overruled_in_qa_and_approved(world: World) -> None:
    """Approved after the Sentinel's FAIL was refuted."""
    world.planned().built().failed_by("sentinel")
    data = {"verdict": "PASS", "issues": [], "false_positives": ["S1"]}
    world.says("ana", f"## jkz:lens\n\nS1 is noise:\n\n```\n1 passed\n```\n\n{block(data)}\n")
    world.says("mona", "/gate approve qa")


@story(phases=GREEN)
def failed_then_passed_then_approved(world: World) -> None:
    """A FAIL of the same content that its author took back by a PASS, approved after both."""
    world.planned().built().failed_by("sentinel").tested()
