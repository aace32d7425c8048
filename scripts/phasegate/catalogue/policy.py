"""PG5xx and PG6xx: the policy file and the snapshot."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

ERROR, NOTICE = Severity.ERROR, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG502",
        title="The policy asks for something this version does not have",
        severity=ERROR,
        why="A gate that skips what it does not know would pass what it should not.",
        fix="Use what this version has, or a newer version of the action.",
        bad="profile: envelope with a version that only has jkz",
        good="profile: jkz",
    ),
    Entry(
        code="PG503",
        title="The policy has an unknown key",
        severity=ERROR,
        why="It may be a misspelt safeguard.",
        fix="Correct the key or remove it.",
        bad="agent: {only: true}",
        good="agents: {only: true}",
    ),
    Entry(
        code="PG504",
        title="The policy turns every phase off",
        severity=ERROR,
        why="A gate without phases gates nothing.",
        fix="Leave at least one phase on.",
        bad="phases: {plan: {enabled: false}, build: {enabled: false}, qa: {enabled: false}}",
        good="phases: {plan: {enabled: false}}",
    ),
    Entry(
        code="PG505",
        title="The issue types have no default, or several",
        severity=ERROR,
        why="An issue without a label of any type must still have a type.",
        fix="Give exactly one type an empty list of labels.",
        bad="issue: {types: {feature: {labels: [feature], qa: required}}}",
        good="issue: {types: {feature: {labels: [], qa: required}}}",
    ),
    Entry(
        code="PG506",
        title="The policy names a role that does not exist",
        severity=ERROR,
        why="A phase that waits for an unknown role would wait for ever.",
        fix="Correct the name, or add the role under roles.",
        bad="phases: {build: {roles: [jugde]}}",
        good="phases: {build: {roles: [judge]}}",
    ),
    Entry(
        code="PG507",
        title="The policy names an unknown problem code",
        severity=ERROR,
        why="The rule that was meant would keep its severity without anybody noticing.",
        fix="Use a code of `explain`.",
        bad="rules: {PG999: off}",
        good="rules: {PG104: error}",
    ),
    Entry(
        code="PG508",
        title="The policy changes a severity that is fixed",
        severity=ERROR,
        why="Some rules guard what the gate can trust; without them its answer would mean nothing.",
        fix="Remove the line; `explain` says which codes are adjustable.",
        bad="rules: {PG205: off}",
        good="rules: {PG104: error}",
    ),
    Entry(
        code="PG509",
        title="A phase needs nothing",
        severity=ERROR,
        why="It would always be green.",
        fix="Give it roles or human_approval, or turn it off.",
        bad="phases: {qa: {roles: [], human_approval: false}}",
        good="phases: {qa: {enabled: false}}",
    ),
    Entry(
        code="PG601",
        title="Nothing to check in this file",
        severity=ERROR,
        why="A check that finds nothing to check must not look like a check that passed.",
        fix="Check a comment body (.md), a policy file (.yml) or an artifact; does your runtime strip HTML comments?",
        bad="a comment without any jkz signal",
        good="a comment that ends with a verdict block",
    ),
    Entry(
        code="PG602",
        title="The snapshot is not the one that was saved",
        severity=ERROR,
        why="The digest of the policy inside it does not fit the policy's text.",
        fix="Use the snapshot as the run saved it.",
        bad="a snapshot whose policy text was changed by hand",
        good="the file of save-snapshot",
    ),
)
