"""Through GitHub, at the worst moment: what changes after everything was read, where a quick look could miss it."""

from __future__ import annotations

from typing import Any

from tests.casebook.attacks.live import LIVE, Happens, first_write, live, when
from tests.casebook.world import PEOPLE, World, commit, verdict
from tests.fakehub import FakeHub
from tests.integration.runs import chat

__all__ = ["LIVE"]

JSON = dict[str, Any]
CHECKED = 'version: 1\nphases: {build: {checks: ["unit tests"]}}\n'
SCHEMA = "schemas/review.json"
STRICTER = '{"type": "object", "required": ["verdict", "ticket"]}'
DESCRIBED = f"""version: 1
phases:
  plan: {{enabled: false}}
  qa: {{enabled: false}}
  build: {{dialect: our-review, creator: null, fixer: null, roles: [our-reviewer]}}
formats:
  our-review:
    about: What our reviewer ends its comments with.
    roles: {{our-reviewer: {{does: challenges}}}}
    in: [comment]
    read: {{word: {{marker: "our:review", as: json, schema_file: {SCHEMA}}}}}
    role: our-reviewer
    outcome: {{of: word/verdict, map: {{approve: pass, reject: fail}}}}
"""


CI = {"login": "ci[bot]", "id": 4242, "type": "Bot"}


def reports(hub: FakeHub, state: str) -> None:
    """The team's CI writes its status on the head."""
    head = hub.snapshot["pull_request"]["head"]["sha"]
    told = {"id": hub.state.next_id(), "context": "unit tests", "state": state, "at": hub.state.now(), "creator": CI}
    hub.state.statuses.setdefault(head, []).append({**told, "description": state})


@live(defence="checks-as-judged", happens=when(first_write, lambda hub: reports(hub, "failure")), because="unit tests")
def race_with_ci_status(world: World) -> None:
    """The CI reports by a status, and takes its success back while the statuses are written."""
    world.under(CHECKED).green().gated()
    world.changes["statuses"] = [
        {"context": "unit tests", "state": "success", "at": world.tick(), "description": "1204 passed", "creator": CI}
    ]


def relabels(hub: FakeHub) -> None:
    """The author takes the label away and sets it again, as if the maintainer had not."""
    for action in ("removed", "added"):
        event = {"name": "bug", "action": action, "at": hub.state.now(), "actor": PEOPLE["octo-dev"]}
        hub.snapshot["issues"][0]["label_events"].append(event)


@live(defence="all-events", happens=when(first_write, relabels), because="Sentinel")
def relabelled_beyond_a_page(world: World) -> None:
    """Behind a hundred events the author takes the label that lowers away, and sets it again."""
    world.label("bug")
    for number in range(60):
        world.label(f"area-{number}").unlabel(f"area-{number}")
    world.planned().built()


def rewrites(said: JSON, hub: FakeHub, who: str, *texts: str) -> None:
    """Somebody edits a comment, time after time."""
    first = {"at": said["created_at"], "editor": said["author"], "text": said["text"]}
    edits = [{"at": hub.state.now(), "editor": PEOPLE[who], "text": text} for text in texts]
    history = [*said.get("history", [first]), *edits]
    said |= {"text": texts[-1], "edited_at": edits[-1]["at"], "editor": PEOPLE[who], "history": history}


def said_with(hub: FakeHub, words: str) -> JSON:
    """The comment that holds some words."""
    found: JSON = next(each for each in hub.snapshot["comments"] if words in each["text"])
    return found


def there_and_back(words: str, between: str, who: str) -> Happens:
    """A comment is edited to something else, and back to what it was."""

    def happens(hub: FakeHub) -> None:
        said = said_with(hub, words)
        rewrites(said, hub, who, between, said["text"])

    return when(first_write, happens)


def late(world: World) -> None:
    """Green, with the words of build and QA beyond the first hundred comments."""
    world.planned().then(chat, 110).built().tested()


def with_progress(world: World) -> None:
    """Green, beside a comment of the Judge's account that says nothing yet."""
    world.says("ana", "Still looking at it.").green()


def with_late_progress(world: World) -> None:
    """The same, beyond the first hundred comments."""
    world.then(chat, 110).says("ana", "Still looking at it.").green()


FAILED = verdict("judge", "FAIL")
# fmt: off
live("tampered-and-restored", "Somebody edits the PASS on the second page, and restores it at once.",
     defence="every-edit", happens=there_and_back("jkz:judge", FAILED, "octo-dev"), because="octo-dev")(late)
live("failed-and-restored", "The Judge edits its PASS on the second page to FAIL, and back at once.",
     defence="every-edit", happens=there_and_back("jkz:judge", FAILED, "ana"), because="Judge")(late)
live("failed-in-passing",
     "A comment that says nothing becomes the Judge's FAIL, and says nothing again at the next look.",
     defence="every-edit", happens=there_and_back("Still looking", FAILED, "ana"), because="Judge")(with_progress)
live("failed-in-passing-beyond-a-page", "The same, beyond the first hundred comments.", defence="every-edit",
     happens=there_and_back("Still looking", FAILED, "ana"), because="Judge")(with_late_progress)
# fmt: on


def revises(hub: FakeHub) -> None:
    """The author of the pull request edits a review, and restores it."""
    said = hub.snapshot["reviews"][-1]
    rewrites(said, hub, "octo-dev", FAILED, said["text"])


@live(defence="reviews-as-seen", happens=when(first_write, revises), because="octo-dev")
def review_tampered_and_restored(world: World) -> None:
    """Somebody edits the PASS in the last of many reviews, and restores it at once."""
    world.planned()
    for _ in range(105):
        world.reviewed("eve", "I have a question here.").at_once()
    world.others_pass().reviewed("ana", verdict("judge")).passed_by("inspector")


def moves_the_default_branch(hub: FakeHub, path: str, text: str) -> None:
    """Somebody pushes a file to the default branch."""
    tree: Any = hub.state.extras.tree
    tree[path] = text
    hub.snapshot["policy"]["commit"] = commit("a later tip")


@live(
    defence="policy-whole",
    happens=when(first_write, lambda hub: moves_the_default_branch(hub, SCHEMA, STRICTER)),
    because="Our reviewer",
    extras={"tree": {SCHEMA: '{"type": "object", "required": ["verdict"]}'}},
)
def race_with_schema(world: World) -> None:
    """The schema that the policy names becomes stricter on the default branch; the policy's own file stays."""
    world.under(DESCRIBED).says("ana", '<!-- our:review {"verdict": "approve"} -->')


live(
    "race-with-misplaced-policy",
    "Somebody commits a policy to a path where nobody reads it, while the defaults are applied.",
    defence="policy-whole",
    happens=when(first_write, lambda hub: moves_the_default_branch(hub, ".github/phase-gate.yaml", "version: 1\n")),
    because="phase-gate.yaml",
    extras={"tree": {}},
)(World.green)
