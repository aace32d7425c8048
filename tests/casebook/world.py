"""A small world to tell pull requests in: a repository, its people, and a clock that ticks a minute at a time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec

from tests.casebook.evidence import PRODUCT, Tree, artifacts, files

COMMENT_MARKER = "<!-- phase-gate-summary -->"  # what the gate's own comment begins with
REPOSITORY = "octo/shop"
URL = f"https://github.com/{REPOSITORY}"
JSON = dict[str, Any]
Texts = Mapping[str, str | None]
P = ParamSpec("P")

PEOPLE: dict[str, JSON] = {
    "octo-dev": {"login": "octo-dev", "id": 11, "type": "User"},
    "ana": {"login": "ana", "id": 21, "type": "User"},
    "ben": {"login": "ben", "id": 22, "type": "User"},
    "mona": {"login": "mona", "id": 31, "type": "User"},
    "eve": {"login": "eve", "id": 66, "type": "User"},
    "jkz-runner[bot]": {"login": "jkz-runner[bot]", "id": 987, "type": "Bot"},
    "helper[bot]": {"login": "helper[bot]", "id": 555, "type": "Bot"},
}
ACTIONS_BOT: JSON = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
PERMISSIONS = {"octo-dev": "write", "ana": "write", "ben": "write", "mona": "maintain", "eve": "read"}
LETTERS = {"auditor": "A", "curator": "C", "judge": "J", "inspector": "I", "sentinel": "S", "lens": "L"}


def commit(name: str) -> str:
    """The commit id that stands for a short name."""
    return name if len(name) == 40 else hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()


def digest_of_blob(name: str) -> str:
    """The object id of the changed file at a commit, where commits differ in it."""
    return commit(f"blob of {name}")


def digest(text: str) -> str:
    """A digest as the gate writes them."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def finding(name: str, **changes: str) -> JSON:
    """A finding that breaks no rule."""
    return {
        "id": name,
        "severity": "HIGH",
        "summary": "Expired tokens are accepted",
        "location": "src/auth.py:42",
        "root_cause": "missing_validation",
        "fix_hint": "Compare the expiry with the clock",
        **changes,
    }


def block(data: JSON | str, carrier: str = "html") -> str:
    """A verdict block, in an HTML comment or in a fence."""
    text = data if isinstance(data, str) else json.dumps(data, indent=1)
    if carrier == "fence":
        return f"```jkz:verdict-json\n{text}\n```"
    return f"<!-- jkz:verdict-json\n{text}\n-->"


def verdict(role: str, outcome: str = "PASS", **keys: object) -> str:
    """A comment of a role that breaks no rule: heading, a line of prose, the block at the end."""
    data: JSON = {"verdict": outcome, "issues": []}
    if outcome == "FAIL":
        name = f"{LETTERS[role]}1"
        data |= {"issues": [finding(name)], "must_fix": [name]}
    return f"## jkz:{role}\n\nWhat I looked at, and what I found.\n\n{block(data | keys)}\n"


@dataclass
class World:
    """One pull request as it grows. Every act takes a minute. ``watched``: the gate has run since the opening."""

    minute: int = 0
    next_id: int = 100
    head: str = "a"
    opened: str = ""
    base: str = "main"
    author: str = "octo-dev"
    policy: str | None = None
    comments: list[JSON] = field(default_factory=list)
    reviews: list[JSON] = field(default_factory=list)
    issues: list[JSON] = field(default_factory=list)
    moves: list[JSON] = field(default_factory=list)
    contents: dict[str, str | None] = field(default_factory=dict)
    paths: dict[str, list[str]] = field(default_factory=dict)
    changes: JSON = field(default_factory=dict)
    base_changes: list[JSON] = field(default_factory=list)
    state_changes: list[JSON] = field(default_factory=list)
    head_forced: list[JSON] = field(default_factory=list)
    relinked_at: str | None = None
    links: list[JSON] = field(default_factory=list)
    former: list[JSON] = field(default_factory=list)
    head_title: str = ""
    test_merge: str | None = None
    permissions: dict[str, str] = field(default_factory=lambda: dict(PERMISSIONS))
    trees: list[Tree] = field(default_factory=list)
    looks: list[tuple[str, str]] = field(default_factory=list)
    watched: bool = True

    def __post_init__(self) -> None:
        """Issue 12 exists, the branch is pushed."""
        self.issue(12)
        self.push(self.head)
        self.opened = self.tick()

    def tick(self) -> str:
        """The time, a minute later than before."""
        self.minute += 1
        return f"2026-03-02T{9 + self.minute // 60:02}:{self.minute % 60:02}:00Z"

    def issue(self, number: int, *labels: str, repository: str = REPOSITORY) -> JSON:
        """A linked issue with its labels."""
        at = self.tick()
        made: JSON = {
            "repository": repository,
            "number": number,
            "url": f"https://github.com/{repository}/issues/{number}",
            "title": "Sessions should expire",
            "labels": list(labels),
            "label_events": [{"name": label, "action": "added", "at": at, "actor": PEOPLE["mona"]} for label in labels],
            "comments": [],
        }
        self.issues.append(made)
        return made

    def label(self, label: str, number: int = 12, by: str = "mona") -> World:
        """Label an issue, now."""
        return self._labelling(number, label, "added", by)

    def unlabel(self, label: str, number: int = 12, by: str = "mona") -> World:
        """Take a label from an issue, now."""
        return self._labelling(number, label, "removed", by)

    def _labelling(self, number: int, label: str, action: str, by: str) -> World:
        issue = next(issue for issue in self.issues if issue["number"] == number)
        (issue["labels"].append if action == "added" else issue["labels"].remove)(label)
        issue["label_events"].append({"name": label, "action": action, "at": self.tick(), "actor": PEOPLE[by]})
        return self

    def link(self, number: int, by: str = "octo-dev", *labels: str) -> World:
        """Link an issue, now."""
        self.issue(number, *labels)
        self._linking(number, "added", by)
        return self

    def unlink(self, number: int, by: str = "octo-dev") -> World:
        """Link it no longer: the author changes the description, anybody else the sidebar."""
        self._linking(number, "removed", by)
        self.former += [issue for issue in self.issues if issue["number"] == number]
        self.issues[:] = [issue for issue in self.issues if issue["number"] != number]
        return self

    def _linking(self, number: int, action: str, by: str) -> None:
        name = f"{REPOSITORY}#{number}"
        if action == "removed" and not any(event["name"] == name for event in self.links):
            first = {"name": name, "action": "added", "at": self.opened, "actor": PEOPLE[self.author]}
            self.links.insert(0, first)
        self.links.append({"name": name, "action": action, "at": self.tick(), "actor": PEOPLE[by]})
        self.relinked_at = self.links[-1]["at"]

    def push(self, name: str, content: str | None = "own", *, by: str = "", evidence: Texts | None = None) -> World:
        """Move the head; ``content`` names what the commit brings in, if not something of its own.

        ``evidence`` are the files of the evidence folder that it changes, none in place of those that it removes.
        """
        kind = "push" if self.moves else "branch_creation"
        before = self.moves[-1]["after"] if self.moves else None
        actor = PEOPLE[by or self.author]
        self.moves.append({"at": self.tick(), "before": before, "after": commit(name), "kind": kind, "actor": actor})
        tree = {**(self.trees[-1] if self.trees else {}), **(evidence or {})}
        self.trees.append({path: text for path, text in tree.items() if text is not None})
        self.contents[commit(name)] = None if content is None else digest(name if content == "own" else content)
        self.head = name
        return self

    def close(self, by: str = "octo-dev") -> World:
        """Close the pull request."""
        self.state_changes.append({"at": self.tick(), "state": "closed", "actor": PEOPLE[by]})
        return self

    def reopen(self, by: str = "octo-dev") -> World:
        """Open it again; what was pushed meanwhile becomes its head."""
        self.state_changes.append({"at": self.tick(), "state": "reopened", "actor": PEOPLE[by]})
        return self

    def unlogged(self) -> World:
        """The log of pushes cannot be read."""
        self.changes["ref_log"] = {"source": "none", "complete": False}
        return self

    def gated(self) -> World:
        """The gate has run, and left a status on the head."""
        status = {"context": "phase-gate/plan", "state": "pending", "at": self.tick(), "creator": ACTIONS_BOT}
        self.changes["statuses"] = [status]
        return self

    def leaves(self, name: str, by: str = "ana", **texts: str | None) -> World:
        """A push of artifacts that leaves the product as it is."""
        return self.commits(name, files(**texts), by)

    def say(self, who: str, text: str, **extra: object) -> JSON:
        """A comment on the pull request, or with ``on`` on an issue."""
        number = extra.pop("on", None)
        self.next_id += 1
        place = f"{'pull/7' if number is None else f'issues/{number}'}#issuecomment-{self.next_id}"
        said: JSON = {
            "id": self.next_id,
            "url": f"{URL}/{place}",
            "author": PEOPLE[who],
            "created_at": self.tick(),
            "text": text,
            **extra,
        }
        if number is None:
            self.comments.append(said)
        else:
            next(issue for issue in self.issues if issue["number"] == number)["comments"].append(said)
        return said

    def says(self, who: str, text: str, **extra: object) -> World:
        """The same, and the story goes on."""
        self.say(who, text, **extra)
        return self

    def then(self, step: Callable[Concatenate[World, P], object], *args: P.args, **kwargs: P.kwargs) -> World:
        """A step of a chapter's own."""
        step(self, *args, **kwargs)
        return self

    def under(self, policy: str | None) -> World:
        """The policy on the default branch is this one."""
        self.policy = policy
        return self

    def touches(self, *paths: str | JSON, complete: bool = True) -> World:
        """These are the files that the pull request changes, by their path or with what else is told of them."""
        entries = [{"path": path} if isinstance(path, str) else path for path in paths]
        self.changes["files"] = {"complete": complete, "entries": entries}
        return self

    def cites(self, path: str, lines: int) -> World:
        """A file that verdicts cite is there at the first head, this long."""
        self.changes["cited_files"] = [{"commit": commit("a"), "path": path, "lines": lines}]
        return self

    def permits(self, who: str, permission: str) -> World:
        """This is the permission of an account."""
        self.permissions[who] = permission
        return self

    def team(self, *members: int, name: str = "octo/agents", readable: bool = True) -> World:
        """These are the members of a team, as far as the token can read them."""
        self.changes["teams"] = [{"slug": name, "readable": readable, "members": list(members)}]
        return self

    def without_issues(self) -> World:
        """No issue is linked."""
        self.issues.clear()
        return self

    def retarget(self, before: str, after: str = "main", by: str = "octo-dev") -> World:
        """Point it at another base, now."""
        change = {"at": self.tick(), "before": before, "after": after, "actor": PEOPLE[by]}
        self.base_changes.append(change)
        return self

    def commits(self, name: str, files: Texts, by: str = "ana") -> World:
        """A push of evidence that leaves the product as it is; none in place of a file removes it."""
        content = self.contents[commit(self.head)]
        self.push(name, by=by, evidence=files)
        self.contents[commit(name)] = content
        return self

    def review(self, who: str, text: str, state: str = "COMMENTED", at: str | None = None, **extra: object) -> JSON:
        """A review, of the head unless another commit is named."""
        self.next_id += 1
        said: JSON = {
            "id": self.next_id,
            "url": f"{URL}/pull/7#pullrequestreview-{self.next_id}",
            "author": PEOPLE[who],
            "created_at": self.tick(),
            "text": text,
            "state": state,
            "commit": commit(at or self.head),
            **extra,
        }
        self.reviews.append(said)
        return said

    def reviewed(self, who: str, text: str = "", state: str = "COMMENTED", **extra: Any) -> World:  # noqa: ANN401
        """The same, and the story goes on."""
        self.review(who, text, state, **extra)
        return self

    def thread(self, author: JSON, text: str, path: str = "src/auth.py", **extra: object) -> JSON:
        """A review thread on a line of the head."""
        self.next_id += 1
        opened: JSON = {"id": self.next_id, "url": f"{URL}/pull/7#discussion_r{self.next_id}", "path": path}
        opened |= {"author": author, "created_at": self.tick(), "text": text, "commit": commit(self.head), "line": 3}
        opened |= {"blob": digest_of_blob(self.head), **extra}
        self.changes.setdefault("threads", []).append(opened)
        return opened

    def reply(self, thread: JSON, who: str, text: str) -> World:
        """A reply in a review thread."""
        said = {"at": self.tick(), "author": PEOPLE[who], "text": text}
        thread["replies"] = [*thread.get("replies", []), said]
        return self

    def resolve(self, thread: JSON, by: JSON | None) -> World:
        """Resolve a review thread; GitHub does not tell when that was. Without an account: reopen it."""
        self.tick()
        thread |= {"resolved": by is not None, "resolved_by": by}
        return self

    def delete(self, said: JSON, by: str = "octo-dev", **trace: object) -> World:
        """Delete a comment; ``trace`` tells otherwise what is left of it."""
        place = next((issue for issue in self.issues if said in issue["comments"]), None)
        (self.comments if place is None else place["comments"]).remove(said)
        left = {"at": self.tick(), "actor": PEOPLE[by], "author": said["author"], **trace}
        (self.changes if place is None else place).setdefault("deleted_comments", []).append(left)
        return self

    def on_record(
        self, said: JSON, role: str = "judge", *, outcome: str = "FAIL", who: str | None = None, judged: str = "a"
    ) -> World:
        """The gate has written down that this comment failed the commit, or was no valid word."""
        name, at, account = f"comment-{said['id']}", self.tick(), None if who is None else PEOPLE[who]["id"]
        seen = {"source": name, "role": role, "outcome": outcome, "at": at, "commit": commit(judged)}
        self.changes.setdefault("record", {"signals": []})["signals"].append({**seen, "account": account})
        by = "" if account is None else f" by {account}"
        written = f"On record: {role} {name}@{commit(judged)[:7]} {outcome}{by}"
        number = len(self.changes.setdefault("statuses", [])) + 1
        context = "phase-gate/record" if number == 1 else f"phase-gate/record-{number}"
        line = {"context": context, "state": "success", "description": written, "creator": ACTIONS_BOT, "at": at}
        self.changes["statuses"].append(line)
        return self

    def drafts(self, who: str, *texts: str) -> JSON:
        """A review that is being written, text after text; it counts once it is submitted."""
        history = [{"at": self.tick(), "editor": PEOPLE[who], "text": text} for text in texts]
        draft = self.review(who, texts[-1], state="PENDING")
        draft |= {"edited_at": history[-1]["at"], "editor": PEOPLE[who], "history": history}
        return draft

    def submit(self, draft: JSON) -> World:
        """Submit it, about the head."""
        draft |= {"created_at": self.tick(), "state": "COMMENTED", "commit": commit(self.head)}
        return self

    def edit(self, said: JSON, text: str, who: str) -> World:
        """Replace the text of a comment; GitHub keeps every version."""
        first = {"at": said["created_at"], "editor": said["author"], "text": said["text"]}
        at = self.tick()
        history = [*said.get("history", [first]), {"at": at, "editor": PEOPLE[who], "text": text}]
        said |= {"text": text, "edited_at": at, "editor": PEOPLE[who], "history": history}
        return self

    def dismiss(self, said: JSON, who: str = "octo-dev") -> World:
        """Dismiss a review, now."""
        former = {"dismissed_from": said["state"]}
        said |= {"state": "DISMISSED", "dismissed_at": self.tick(), "dismissed_by": PEOPLE[who], **former}
        return self

    def look(self, what: str) -> World:
        """Somebody looks at the pull request after this: what they read then is part of the expectation."""
        self.looks.append((what, json.dumps(self.snapshot())))
        return self

    def at_once(self) -> World:
        """What happens next happens in the same minute and second."""
        self.minute -= 1
        return self

    def judges(self, role: str, outcome: str = "PASS", who: str = "ana", **keys: object) -> JSON:
        """A role's verdict where its phase is judged."""
        on = {"on": 12} if role in ("auditor", "curator") else {}
        return self.say(who, verdict(role, outcome, **keys), **on)

    def passed_by(self, *roles: str, who: str = "ana", **keys: object) -> World:
        """Roles pass it, where their phase is judged."""
        for role in roles:
            self.judges(role, "PASS", who, **keys)
        return self

    def failed_by(self, role: str, who: str = "ana", **keys: object) -> World:
        """A role fails it."""
        self.judges(role, "FAIL", who, **keys)
        return self

    def planned(self, number: int = 12) -> World:
        """A plan that both judges passed and a human approved."""
        self.says("ana", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=number)
        for role in ("auditor", "curator"):
            self.says("ana", verdict(role), on=number)
        return self.says("mona", "/gate approve plan", on=number)

    def built(self) -> World:
        """A build that both judges passed."""
        return self.passed_by("judge", "inspector")

    def tested(self) -> World:
        """QA passed and approved."""
        return self.passed_by("sentinel", "lens").says("mona", "/gate approve qa")

    def unapproved(self) -> World:
        """Everything is green but the approval of QA."""
        return self.planned().built().passed_by("sentinel", "lens")

    def green(self) -> World:
        """Everything passed."""
        return self.planned().built().tested()

    def others_pass(self) -> World:
        """Everything after the Judge is green."""
        return self.passed_by("inspector").tested()

    def judged(self, text: str, who: str = "ana", **extra: object) -> World:
        """A green plan, the Judge's comment as told, and everything else green."""
        return self.planned().says(who, text, **extra).others_pass()

    def failing_rounds(self, count: int) -> World:
        """The Judge fails so many contents, one after the other."""
        for number in range(count):
            self.push(f"attempt-{number}").failed_by("judge")
        return self

    def passes_at_last(self) -> World:
        """One more content, which everybody passes."""
        return self.push("last").built().tested()

    def queued(self, branch: str = "main", number: int = 7, **more: object) -> World:
        """The pull request stands in a merge queue; ``more``: what its commit there brings in besides, and the like."""
        ref = f"refs/heads/gh-readonly-queue/{branch}/pr-{number}-{commit('queue base')}"
        ends = {"head": commit("queued"), "base": commit("queue base"), "branch": branch}
        self.changes["merge_group"] = {"ref": ref, **ends, "differs": [], **more}
        return self

    def snapshot(self) -> JSON:
        """The snapshot of this moment."""
        people = [{**PEOPLE[name], "permission": permission} for name, permission in self.permissions.items()]
        closed = self.state_changes and self.state_changes[-1]["state"] == "closed"
        seldom = {"state_changes": self.state_changes, "head_forced": self.head_forced, "state": closed and "closed"}
        seldom |= {"relinked_at": self.relinked_at, "links": self.links}
        seldom |= {"head_title": self.head_title, "test_merge": self.test_merge}
        changed = sorted([*PRODUCT, *self.trees[-1]]) if any(self.trees) else PRODUCT[:1]
        told: JSON = {
            "snapshot": 1,
            "taken_at": self.tick(),
            "repository": {"name": REPOSITORY, "url": URL, "default_branch": "main", "id": 1},
            "pull_request": {
                "number": 7,
                "url": f"{URL}/pull/7",
                "title": "Sessions expire",
                "author": PEOPLE[self.author],
                "created_at": self.opened,
                "base": {"ref": self.base, "sha": commit("base"), "repository": REPOSITORY},
                "head": {"ref": "sessions", "sha": commit(self.head), "repository": REPOSITORY},
                "base_changes": self.base_changes,
                **{key: value for key, value in seldom.items() if value},
            },
            "policy": {
                "path": ".github/phase-gate.yml",
                "text": self.policy,
                "digest": None if self.policy is None else digest(self.policy),
            },
            "people": people,
            "comments": self.comments,
            "reviews": self.reviews,
            "issues": self.issues,
            **({"former_issues": self.former} if self.former else {}),
            "ref_log": {"source": "activity", "complete": True, "moves": self.moves},
            "contents": [
                {"commit": name, "digest": content} | ({"paths": self.paths[name]} if name in self.paths else {})
                for name, content in self.contents.items()
            ],
            "files": {"complete": True, "entries": [{"path": path} for path in changed]},
            **({"branch_files": artifacts(self.moves, self.trees)} if any(self.trees) else {}),
            **self.changes,
        }
        deleted = (told.get("deleted_comments"), *(issue.get("deleted_comments") for issue in self.issues))
        return {**told, **self._watching(told)} if self.watched and any(deleted) else told

    def _watching(self, told: JSON) -> JSON:
        """What the run for the opening left, which matters once a comment is deleted."""
        first = {"context": "phase-gate/qa", "state": "pending", "at": self.opened, "creator": ACTIONS_BOT}
        record = {**told.get("record", {}), "since": self.opened, "sighted": self.opened}
        return {"statuses": [first, *told.get("statuses", [])], "record": record}
