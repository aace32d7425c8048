"""Teams that the policy names: which of them this token may not read, so that nobody of them counts."""

from __future__ import annotations

from collections.abc import Iterator

from phasegate.catalogue import problem
from phasegate.model.problem import Problem, Where
from phasegate.model.snapshot import Snapshot
from phasegate.policy import Policy
from phasegate.rules.trust import same_name


def unreadable_teams(policy: Policy, snapshot: Snapshot) -> Iterator[Problem]:
    """A warning for each team whose members are not known."""
    for slug in dict.fromkeys(account.team for account in policy.agents.accounts if account.team is not None):
        if not any(same_name(team.slug, slug) and team.readable for team in snapshot.teams):
            message = f"the members of @{slug} cannot be read with this token, so nobody of that team counts"
            yield problem("PG220", message, Where(path=policy.source))
