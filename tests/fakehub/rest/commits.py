"""Commits, what they bring in, and how branches moved."""

from __future__ import annotations

from urllib.parse import quote

from tests.fakehub.answer import JSON, Answer, invalid, not_found
from tests.fakehub.git import MOST_FILES_OF_COMPARE, MOST_FILES_OF_PULL, Change, former_base
from tests.fakehub.nodes import node_id
from tests.fakehub.rest.accounts import user
from tests.fakehub.rest.call import Call, page_of, paged, paged_by_cursor
from tests.fakehub.shapes import shape
from tests.fakehub.state import number_of
from tests.fakehub.trees import root_of

MOST_COMMITS = 250
ZERO = "0" * 40


def commit(call: Call, sha: str) -> JSON:
    """A commit; its dates are as forgeable as its author's name, and here all the same."""
    person = {"name": "Mona Lisa", "email": "mona@example.com", "date": "2020-01-01T00:00:00Z"}
    tree = {"sha": root_of(call.git.tree(sha)), "url": call.address("git", "trees", sha)}
    inner = {
        "url": call.address("git", "commits", sha), "author": person, "committer": person,
        "message": f"Commit {sha[:7]}", "comment_count": 0, "tree": tree,
    }  # fmt: skip
    parent = call.git.parent(sha)
    url = call.address("commits", parent)
    return shape(
        "commit",
        sha=sha,
        node_id=node_id("Commit", call.name, sha),
        url=call.address("commits", sha),
        html_url=f"https://github.com/{call.name}/commit/{sha}",
        comments_url=call.address("commits", sha, "comments"),
        commit=inner,
        author=None,
        committer=None,
        parents=[] if parent == sha else [{"sha": parent, "url": url, "html_url": url}],
    )


def changed_file(call: Call, change: Change, head: str, base: str) -> JSON:
    """A changed file of a commit, or where it is gone of the one before; its mode is not told."""
    at = base if change.status == "removed" else head
    path = quote(change.path)
    lines = {"additions": 1, "deletions": 0, "changes": 1}
    more = {"previous_filename": change.previous_path} if change.previous_path else {}
    return shape(
        "diff-entry", sha=change.blob, filename=change.path, status=change.status,
        blob_url=f"https://github.com/{call.name}/blob/{at}/{path}",
        raw_url=f"https://github.com/{call.name}/raw/{at}/{path}",
        contents_url=f"{call.address('contents', path)}?ref={at}", **lines, **more,
    )  # fmt: skip


def get_commit(call: Call) -> Answer:
    sha = call.commit("ref")
    if "vnd.github.sha" in call.accept:
        return Answer(raw=sha.encode(), media="application/vnd.github.sha")
    changes = call.git.changes(call.git.parent(sha), sha)[:MOST_FILES_OF_COMPARE]
    told = [changed_file(call, change, sha, call.git.parent(sha)) for change in changes]
    return Answer(data=commit(call, sha) | {"files": told})


def compare(call: Call) -> Answer:
    """What a commit brings in against what it has in common with another: at most 300 files, on the first page."""
    base_name, dots, head_name = call.params["basehead"].partition("...")
    name = call.repository()["name"]
    base = call.git.resolve(base_name.rpartition(":")[2], name)
    head = call.git.resolve(head_name.rpartition(":")[2], _repository_of(call, head_name))
    if not dots or base is None or head is None:
        raise not_found()
    common = call.git.merge_base(base, head)
    chain = [sha for sha in call.git.chain(head) if sha not in call.git.chain(common) and sha != common]
    behind = [sha for sha in call.git.chain(base) if sha not in call.git.chain(common) and sha != common]
    if not behind and base != common:
        behind = [base]
    state = {(False, False): "identical", (True, False): "ahead", (False, True): "behind"}
    shown, headers = page_of(call, chain[:MOST_COMMITS])
    files = call.git.changes(base, head)[:MOST_FILES_OF_COMPARE] if call.query.get("page", "1") == "1" else []
    url = call.address("compare", call.params["basehead"])
    data = shape(
        "commit-comparison", url=url, base_commit=commit(call, base), merge_base_commit=commit(call, common),
        status=state.get((bool(chain), bool(behind)), "diverged"), ahead_by=len(chain), behind_by=len(behind),
        total_commits=len(chain), commits=[commit(call, str(sha)) for sha in shown],
        files=[changed_file(call, change, head, common) for change in files],
    )  # fmt: skip
    return Answer(data=data, headers=headers)


def pull_commits(call: Call) -> Answer:
    """The commits of a pull request, the oldest first: at most 250."""
    found = call.git.commits_of(call.pull())[:MOST_COMMITS]
    return paged(call, [commit(call, sha) for sha in found])


def pull_files(call: Call) -> Answer:
    """The files that a pull request changes: at most 3000."""
    pull = call.pull()["pull_request"]
    base, head = pull["base"]["sha"], call.state.lagging or pull["head"]["sha"]
    changes = call.git.changes(base, head)[:MOST_FILES_OF_PULL]
    shown, headers = page_of(call, changes)
    told = [changed_file(call, change, head, base) for change in shown if isinstance(change, Change)]
    return Answer(data=told, headers=headers)


def activity(call: Call) -> Answer:
    """How the branches of a repository moved, the newest first."""
    name = call.repository()["name"].lower()
    if call.query.get("direction", "desc") not in ("asc", "desc"):
        raise invalid("direction must be asc or desc")
    moves = []
    for snapshot in call.git.pulls:
        head, log = snapshot["pull_request"]["head"], snapshot["ref_log"]
        if log["source"] != "activity" or (head["repository"] or "").lower() != name:
            continue
        ref = f"refs/heads/{head['ref']}"
        if call.query.get("ref", ref) in (ref, head["ref"]):
            moves += [_move(move, ref) for move in log["moves"]]
    others = {**_left(call), **call.state.branch_moves, call.repository()["default_branch"]: call.state.base_moves}
    for branch, told in others.items() if name == call.state.name.lower() else ():
        ref = f"refs/heads/{branch}"
        if call.query.get("ref", ref) in (ref, branch):
            moves += [_move(move, ref) for move in told]
    moves = list({move["id"]: move for move in moves}.values())
    moves.sort(key=lambda move: move["timestamp"], reverse=call.query.get("direction", "desc") == "desc")
    return paged_by_cursor(call, moves)


def _left(call: Call) -> dict[str, list[JSON]]:
    """How the former bases moved that the present one contains: each was made long ago."""
    changes = [change for snapshot in call.git.pulls for change in snapshot["pull_request"]["base_changes"]]
    made = {"before": ZERO, "at": "2026-01-01T00:00:00Z", "kind": "branch_creation"}
    return {each["before"]: [{**made, "after": former_base(each["before"])}] for each in changes if "keeps" in each}


def _move(move: JSON, ref: str) -> JSON:
    actor = move.get("actor")
    number = number_of(f"{ref} {move['at']} {move['after']}")
    return shape(
        "activity", id=number, node_id=node_id("Push", number), before=move.get("before") or ZERO, after=move["after"],
        ref=ref, timestamp=move["at"], activity_type=move.get("kind", "push"), actor=user(actor) if actor else None,
    )  # fmt: skip


def _repository_of(call: Call, name: str) -> str:
    """The repository in which the head of a comparison stands: ``owner:branch`` may be a fork's."""
    owner = name.partition(":")[0] if ":" in name else ""
    heads = (snapshot["pull_request"]["head"]["repository"] or "" for snapshot in call.git.pulls)
    return next((head for head in heads if owner and head.lower().startswith(f"{owner.lower()}/")), call.name)
