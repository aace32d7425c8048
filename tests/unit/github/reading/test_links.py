"""Links: which issues a pull request was linked to, by hand or by its description, when and by whom."""

from __future__ import annotations

from typing import Any

import pytest

from phasegate.github.reading.opening import Opening, Target
from phasegate.github.reading.people import Links, closed_issues

JSON = dict[str, Any]
DEV = {"__typename": "User", "login": "octo-dev", "databaseId": 11}
MONA = {"__typename": "User", "login": "mona", "databaseId": 31}
FENCE = "```"


@pytest.mark.parametrize(("text", "numbers"), [
    ("Closes #12", [12]),
    ("fixes: #12 and RESOLVED #13", [12, 13]),
    ("Fixes https://github.com/octo/shop/issues/12.", [12]),
    ("close GH-12", [12]),
    ("Fixes Octo/Shop#12", [12]),
    ("Fixes #12, #13", [12]),
    ("See #12; this prefixes #13", []),
    ("<!-- e.g. Closes #12 -->\nText", []),
    ("<!--\nCloses #12\n--> Closes #13", [13]),
    (f"{FENCE}\nCloses #12\n{FENCE}\nCloses #13", [13]),
    (f"<div>\n{FENCE}\nCloses #12\n{FENCE}\n</div>", [12]),
    ("A `<!--` sign. Closes #12 `-->`", [12]),
    ("Write `Closes #12` or ``Fixes `x` #13``.", []),
    ("    Closes #12", []),
    (f"- {FENCE}\n  Closes #12\n  {FENCE}\n\nCloses #13", [13]),
    ("Text <!-- Closes #12 --> more", []),
])  # fmt: skip
def test_closed_issues__are_those_that_github_may_link(text: str, numbers: list[int]) -> None:
    assert list(closed_issues(text, "octo/shop")) == [f"octo/shop#{number}" for number in numbers]


# What stood around a link that GitHub made, and that a scanner of lines took for hidden.
@pytest.mark.parametrize("text", [
    f"- {FENCE}\n  run\n\nCloses #17", f"1. one\n\n   {FENCE}\n   run\n\nCloses #17", f"> {FENCE}\n> run\n\nCloses #17",
    f"{FENCE} a`b\nCloses #17\n{FENCE}", "<!-->\nCloses #17\n-->", "<!--->\nCloses #17\n-->",
    "Text <!--> Closes #17 -->", f"Text\u2028{FENCE}\nCloses #17", f"\u2028{FENCE}\nCloses #17",
    f"\x85{FENCE}\nCloses #17", f"\x0c{FENCE}\nCloses #17", f"\x1c{FENCE}\nCloses #17", f"\x0b{FENCE}\nCloses #17",
    "_Closes #17_", "__Closes__ #17", "**Closes** #17", "Closes **#17**",
    "Closes [#17](https://github.com/octo/shop/issues/17)", f"<details>\n{FENCE}\n\nCloses #17\n</details>",
    "\\`Closes #17\\`", "A ` sign. Closes #17", "```` ` Closes #17 ```", "[a](b`c) Closes #17 `",
    "<!-- a\n\nCloses #17", "<a title='<!--'> Closes #17 <a title='-->'>", "Closes &#35;17", "C&#108;oses&nbsp;#17",
    "Closes \\#17", "Closes\\\n#17", "<b>Closes</b> #17", "Closes <b>#17</b>", "Text<b>Closes</b> #17",
    "Text<br>Closes <https://github.com/octo/shop/issues/17>", f"Closes{' ' * 30}#17",
])  # fmt: skip
def test_closed_issues__stand_behind_nothing_that_only_looks_hidden(text: str) -> None:
    assert list(closed_issues(text, "octo/shop")) == ["octo/shop#17"]
    assert ("octo/shop#17", "removed", "mona") in told(links(text, "Closes #9"))


def links(*texts: str | None, events: list[JSON] | None = None, whole: bool = True) -> Links:
    """The links of a pull request with these descriptions, a minute apart, the second of them by mona."""
    times = [f"2026-03-02T09:{minute:02}:00Z" for minute in range(len(texts))]
    edits = [
        {"editedAt": at, "editor": MONA if number == 1 else DEV, "diff": text, "deletedAt": None, "deletedBy": None}
        for number, (at, text) in enumerate(zip(times, texts, strict=True))
    ][: len(texts) if len(texts) > 1 else 0]
    connection = {"totalCount": len(edits), "nodes": list(reversed(edits))}
    pull = {"id": "PR", "author": DEV, "createdAt": times[0], "body": texts[-1], "lastEditedAt": times[-1]}
    opened = Opening(
        target=Target(repository="octo/shop", number=7, policy_path="p"),
        repository={"nameWithOwner": "octo/shop", "pullRequest": pull}, commit={}, comments=[], files=[],
    )  # fmt: skip
    versions = {"PR": {"id": "PR", "includesCreatedEdit": whole, "userContentEdits": connection}}
    return Links.of(opened, events or [], versions if edits else {})


def told(found: Links) -> list[tuple[str, str, str]]:
    return [(each.name, each.action, each.actor.login if each.actor else "?") for each in found.events]


def test_links__of_a_description_are_its_authors() -> None:
    found = links("Closes #12")
    assert told(found) == [("octo/shop#12", "added", "octo-dev")]
    assert found.changed_at is None


def test_links__change_with_who_edits_the_description() -> None:
    found = links("Closes #12", "Closes #9", "Closes #9\n\nMore words.")
    assert told(found)[1:] == [("octo/shop#12", "removed", "mona"), ("octo/shop#9", "added", "mona")]
    assert found.changed_at == "2026-03-02T09:01:00Z"


def test_links__are_the_same_where_only_prose_and_boxes_change() -> None:
    found = links("Closes #12\n- [ ] tested", "Closes #12\n- [x] tested\n\nThanks!")
    assert found.changed_at is None


@pytest.mark.parametrize("after", ["<!-- Closes #12 -->", "`Closes #12`", "Closes #13", "closes  #12"])
def test_links__may_have_changed_with_every_line_that_may_link(after: str) -> None:
    assert links("Closes #12", after).changed_at == "2026-03-02T09:01:00Z"


def test_links__change_with_what_stands_before_a_line_that_may_be_code() -> None:
    found = links("It follows:\n\n    run\n    Closes #12", "It follows:\n    run\n    Closes #12")
    assert found.changed_at == "2026-03-02T09:01:00Z"
    nested = links("- [ ] one\n    - `two`", "- [x] one\n    - `two`")
    assert nested.changed_at is None


def test_links__of_a_text_that_is_gone_are_not_known() -> None:
    assert ("", "removed", "octo-dev") in told(links("Closes #9", None, "Closes #9"))
    assert ("", "removed", "octo-dev") in told(links("Closes #9", "Closes #9 ", whole=False))


@pytest.mark.parametrize(("kind", "action"), [("ConnectedEvent", "added"), ("DisconnectedEvent", "removed")])
def test_links__by_hand_are_told_by_the_timeline(kind: str, action: str) -> None:
    issue = {"__typename": "Issue", "number": 9, "repository": {"nameWithOwner": "Octo/Shop"}}
    event = {"__typename": kind, "createdAt": "2026-03-02T10:00:00Z", "actor": MONA}
    for ends in ((issue, {"__typename": "PullRequest"}), ({"__typename": "PullRequest"}, issue)):
        found = links("", events=[{**event, "source": ends[0], "subject": ends[1]}])
        assert told(found) == [("octo/shop#9", action, "mona")]
        assert found.changed_at == "2026-03-02T10:00:00Z"
