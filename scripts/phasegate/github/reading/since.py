"""Whether a head went unreported: no run reported on it, though the workflow stood on the default branch.

GitHub shows nothing where a policy refuses an event: then no run reports on a head when it is pushed, and a run that
another event started says it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.conversation import mode_questions
from phasegate.github.reading.moves import moves_of
from phasegate.github.reading.opening import Target
from phasegate.github.reading.queries import PAGE
from phasegate.github.reading.waves import wave
from phasegate.github.record import DAY, seconds
from phasegate.model.contexts import context_in
from phasegate.model.snapshot import Snapshot
from phasegate.model.texts import is_own

JSON = dict[str, Any]
# Runs wait for a runner; after this long one that was started has reported.
PATIENCE = 600.0
OPEN = "open"


def _present_since(client: Client, repository: str, branch: str, tip: str, path: str) -> float | None:
    """Since when a file stands on a branch, by the server's log, or None if it does not, or nobody can tell.

    As far as the log is read it may have been otherwise before it.
    """
    moves = moves_of(client, repository, branch)
    if moves is None:
        return None
    commits = dict.fromkeys([tip, *(move["before"] for move in moves)])
    told = wave(client, dict(enumerate(mode_questions(repository, [(commit, path) for commit in commits])))).values()
    there = {commit: held is not None for each in told for (commit, _), held in each.items()}
    if not there[tip]:
        return None
    came = next((move["timestamp"] for move in moves if not there[move["before"]]), None)
    if came is None and len(moves) >= PAGE:
        came = moves[-1]["timestamp"]
    return 0.0 if came is None else seconds(came)


def unreported(client: Client, snapshot: Snapshot, target: Target) -> str | None:
    """When the head came, if no run has reported on it since and one should have, or None if that is not sure.

    GitHub's clock decides, not that of the runner. Of a head that is older than the retention the statuses may be gone.
    Only where all that is so, two requests tell since when the workflow stands on the default branch.
    """
    came, now = _came(snapshot), client.there(client.now())
    if target.workflow is None or came is None or now is None:
        return None
    if any(context_in(each.context) and is_own(each.creator, snapshot.own_account) for each in snapshot.statuses):
        return None
    if not PATIENCE < now - seconds(came) < target.retention_days * DAY:
        return None
    tip, branch = snapshot.policy.commit, snapshot.repository.default_branch
    since = None
    with suppress(GitHubError), as_documented("the log of the default branch"):
        since = _present_since(client, snapshot.repository.name, branch, tip, target.workflow) if tip else None
    return came if since is not None and since < seconds(came) else None


def _came(snapshot: Snapshot) -> str | None:
    """When the head became that of the open pull request: by a push, by opening it, or by opening it again."""
    pull = snapshot.pull_request
    moves = pull.head_moves(snapshot.ref_log.moves)
    if pull.state != OPEN or not moves or moves[-1].after != pull.head.sha:
        return None
    return max(moves[-1].at, pull.created_at, *(change.at for change in pull.state_changes))
