"""Which function answers which operation, by the published names of the paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from tests.fakehub.answer import Answer
from tests.fakehub.rest import (
    accounts,
    checks,
    commits,
    conversation,
    files,
    policies,
    pulls,
    repositories,
    runs,
    statuses,
)
from tests.fakehub.rest.call import Call

REPOSITORY = "/repos/{owner}/{repo}"

ROUTES: dict[str, Callable[[Call], Answer]] = {
    "GET /apps/{app_slug}": accounts.get_app,
    "GET /meta": policies.meta,
    "GET /orgs/{org}/actions/policies/{policy_id}": policies.get_org_policy,
    "GET /orgs/{org}/teams/{team_slug}/members": accounts.team_members,
    "GET /users/{username}": accounts.get_user,
    f"GET {REPOSITORY}": repositories.get_repository,
    f"GET {REPOSITORY}/actions/policies": policies.list_policies,
    f"GET {REPOSITORY}/actions/policies/{{policy_id}}": policies.get_policy,
    f"GET {REPOSITORY}/actions/runs/{{run_id}}/approvals": runs.list_approvals,
    f"GET {REPOSITORY}/actions/runs/{{run_id}}/jobs": runs.list_jobs,
    f"GET {REPOSITORY}/actions/workflows/{{workflow_id}}/runs": runs.list_runs,
    f"GET {REPOSITORY}/activity": commits.activity,
    f"GET {REPOSITORY}/branches/{{branch}}": repositories.get_branch,
    f"GET {REPOSITORY}/check-runs/{{check_run_id}}": checks.get_check_run,
    f"GET {REPOSITORY}/check-runs/{{check_run_id}}/annotations": checks.list_annotations,
    f"GET {REPOSITORY}/collaborators/{{username}}/permission": accounts.permission,
    f"GET {REPOSITORY}/commits/{{ref}}/check-runs": checks.list_check_runs,
    f"GET {REPOSITORY}/commits/{{ref}}/status": statuses.combined_status,
    f"GET {REPOSITORY}/commits/{{ref}}/statuses": statuses.list_statuses,
    f"GET {REPOSITORY}/commits/{{ref}}": commits.get_commit,
    f"GET {REPOSITORY}/compare/{{basehead}}": commits.compare,
    f"GET {REPOSITORY}/contents/{{path}}": files.contents,
    f"GET {REPOSITORY}/git/trees/{{tree_sha}}": files.tree,
    f"GET {REPOSITORY}/issues/{{issue_number}}": conversation.get_issue,
    f"GET {REPOSITORY}/issues/{{issue_number}}/comments": conversation.list_comments,
    f"GET {REPOSITORY}/pulls": pulls.list_pulls,
    f"GET {REPOSITORY}/pulls/{{pull_number}}": pulls.get_pull,
    f"GET {REPOSITORY}/pulls/{{pull_number}}/commits": commits.pull_commits,
    f"GET {REPOSITORY}/pulls/{{pull_number}}/files": commits.pull_files,
    f"GET {REPOSITORY}/pulls/{{pull_number}}/reviews": conversation.list_reviews,
    f"GET {REPOSITORY}/rules/branches/{{branch}}": repositories.branch_rules,
    f"PATCH {REPOSITORY}/check-runs/{{check_run_id}}": checks.update_check_run,
    f"POST {REPOSITORY}/actions/policies": policies.create_policy,
    f"POST {REPOSITORY}/check-runs": checks.create_check_run,
    f"POST {REPOSITORY}/issues": conversation.create_issue,
    f"POST {REPOSITORY}/statuses/{{sha}}": statuses.create_status,
}

# These parts of a path may hold slashes; the contents of the root have no path at all.
WITH_SLASHES = {
    "path": "(?P<path>.*)", "ref": "(?P<ref>.+)", "branch": "(?P<branch>.+)", "basehead": "(?P<basehead>.+)",
}  # fmt: skip


def _pattern(operation: str) -> re.Pattern[str]:
    pieces = re.split(r"\{(\w+)\}", operation)
    made = [
        WITH_SLASHES.get(piece, f"(?P<{piece}>[^/]+)") if index % 2 else re.escape(piece)
        for index, piece in enumerate(pieces)
    ]
    return re.compile("".join(made).replace("contents/(?P", "contents/?(?P"))


PATTERNS = {operation: _pattern(operation) for operation in ROUTES}


def operation_of(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """The operation that a request is for, and the parts of its path; none for a path that the fake does not know."""
    for operation, pattern in PATTERNS.items():
        match = pattern.fullmatch(f"{method} {path}")
        if match:
            return operation, {name: unquote(value) for name, value in match.groupdict().items()}
    return None
