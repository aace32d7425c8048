"""A head that no run reported on when it was pushed: then the event that should have told of it may be switched off.

GitHub shows nothing where a policy refuses an event, so a run that another event started says it.
"""

from __future__ import annotations

from contextlib import suppress

from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import Client
from phasegate.github.reading.opening import Target
from phasegate.github.reading.since import present_since
from phasegate.github.record import DAY, seconds
from phasegate.model.contexts import context_in
from phasegate.model.snapshot import Snapshot

# Runs wait for a runner; after this long one that was started has reported.
PATIENCE = 600.0
OPEN = "open"


def unreported(client: Client, snapshot: Snapshot, target: Target) -> str | None:
    """When the head came, if no run has reported on it since and one should have; none where that is not sure.

    GitHub's clock decides, not that of the runner. Of a head that is older than the retention the statuses may be gone.
    Only where all that is so, two requests tell since when the workflow stands on the default branch.
    """
    came, now = _came(snapshot), client.there(client.now())
    if target.workflow is None or came is None or now is None:
        return None
    if any(context_in(each.context) for each in snapshot.statuses):
        return None
    if not PATIENCE < now - seconds(came) < target.retention_days * DAY:
        return None
    tip, branch = snapshot.policy.commit, snapshot.repository.default_branch
    since = None
    with suppress(GitHubError), as_documented("the log of the default branch"):
        since = present_since(client, snapshot.repository.name, branch, tip, target.workflow) if tip else None
    return came if since is not None and since < seconds(came) else None


def _came(snapshot: Snapshot) -> str | None:
    """When the head became that of the open pull request: by a push, by opening it, or by opening it again."""
    pull = snapshot.pull_request
    moves = pull.head_moves(snapshot.ref_log.moves)
    if pull.state != OPEN or not moves or moves[-1].after != pull.head.sha:
        return None
    return max(moves[-1].at, pull.created_at, *(change.at for change in pull.state_changes))
