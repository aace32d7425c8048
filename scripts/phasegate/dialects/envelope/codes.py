"""PG819 to PG829: what can be wrong with envelopes beyond what their description tells."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG818",
        title="A submission names other files than the pull request changes",
        severity=WARNING,
        adjustable=True,
        why="files_changed is what the reviewer looks at. A change that no submission names slips past, and a file "
        "that is named and not changed means that work is missing. All submissions are taken together.",
        fix="Hand in the work again with the files that it changes; or make this an error under rules in the policy.",
        bad="files_changed: [src/auth.py], and the pull request changes src/auth.py and src/cart.py",
        good="files_changed: [src/auth.py, src/cart.py]",
    ),
    Entry(
        code="PG819",
        title="A risk tag that is like one that asks for an audit",
        severity=WARNING,
        adjustable=True,
        why="The tags security, auth, data-mutation and concurrent ask for an audit. One that is misspelt, or another "
        "word for the same, would ask for nothing, so it is read as one of them.",
        fix="Write the tag as the message schema has it: security, auth, data-mutation or concurrent.",
        bad="risk_tags: [concurrency]",
        good="risk_tags: [concurrent]",
    ),
    Entry(
        code="PG820",
        title="An envelope that cannot be routed",
        severity=ERROR,
        why="An envelope is routed by its type and its signal. Without a signal, or with an unknown type, its "
        "meaning is unclear, but it is not silence: an agent wrote it.",
        fix="Begin the text with a line ---, write type and signal as plain keys with exact values in lower case, and "
        "end the envelope with a second line ---.",
        bad='---\n"type": review_verdict\n"signal": fail\n---',
        good="---\ntype: review_verdict\nsignal: fail\ncritical_count: 1\nac_coverage: {AC1: pass}\n---",
    ),
    Entry(
        code="PG821",
        title="The plan lacks research, or rests on research that was not verified",
        severity=WARNING,
        adjustable=True,
        why="The triage says how many questions must be answered before the plan is made. A plan without the answers, "
        "or with answers that nobody has verified, rests on assumptions.",
        fix="Post a verified research_result for each question, then the plan_result again.",
        bad="research_count: 3, and one research_result before plan_complete",
        good="research_count: 3, and three of them before plan_complete",
    ),
    Entry(
        code="PG822",
        title="A message that another agent writes",
        severity=ERROR,
        why="Each type has its agents: a review_verdict is the reviewer's. One that says of itself that the architect "
        "wrote it is not the reviewer's, whatever account posted it.",
        fix="Let the agent of the type write the message, or correct who it says to be from.",
        bad="type: review_verdict\nagent: architect\nsignal: pass",
        good="type: review_verdict\nagent: reviewer\nsignal: pass",
    ),
    Entry(
        code="PG823",
        title="The body of a message lacks a section, or has them in another order",
        severity=NOTICE,
        adjustable=True,
        why="The envelope routes a message, and its body says the rest. The next reader looks for sections with "
        "these names: each is a heading, or with most types the first words of a line.",
        fix="Add the section that the problem names.",
        bad="a worker_submission without ## Self-Assessment",
        good="a worker_submission with ## Result and ## Self-Assessment",
    ),
    Entry(
        code="PG824",
        title="A pass with something left open",
        severity=NOTICE,
        adjustable=True,
        why="Versions of the message schema disagree whether high findings, a failed type check, tests that "
        "ran in part or a check that was skipped go with a pass. The oldest says nothing, so this is a setting. "
        "Moderate findings of a review go with pass_with_notes, which shows them at delivery.",
        fix="Fail the work or pass it with notes; or make this an error under rules in the policy.",
        bad="signal: pass, security_findings: {critical: 0, high: 2, medium: 0, low: 0}",
        good="signal: fail, security_findings: {critical: 0, high: 2, medium: 0, low: 0}",
    ),
    Entry(
        code="PG825",
        title="The counts of an envelope are not those of its body",
        severity=NOTICE,
        adjustable=True,
        why="The envelope is what routes a message, and the findings stand in its body. Where the numbers differ, one "
        "of them was forgotten.",
        fix="Count the findings in the body again, or list the ones that are missing there.",
        bad="minor_count: 1, and two lines that begin with MINOR",
        good="minor_count: 2, and two lines that begin with MINOR",
    ),
    Entry(
        code="PG826",
        title="Newer versions of the message schema require more",
        severity=NOTICE,
        adjustable=True,
        why="The versions of the message schema disagree: moderate_count, minor_count, has_blockers and, for blocked "
        "and escalate, a line Route: in the body are optional in the first one and required in later ones. The "
        "envelope profile turns this off; error requires them.",
        fix="Write the key, also where it is 0 or false; say who acts next, such as Route: orchestrator.",
        bad="critical_count: 0",
        good="critical_count: 0\nmoderate_count: 0\nminor_count: 0",
    ),
    Entry(
        code="PG827",
        title="An agent stops where its type has no signal for it",
        severity=NOTICE,
        adjustable=True,
        why="By the table of signals any agent may say blocked or escalate, by the lists of the types only some. It "
        "counts as blocked and never as a pass; only type and signal are needed.",
        fix="Nothing, if the agent cannot go on; say in the body what it asks.",
        bad="type: review_verdict\nsignal: blocked",
        good="type: worker_submission\nsignal: blocked\nfiles_changed: []\nqa_check: fail",
    ),
    Entry(
        code="PG828",
        title="A review without its criteria",
        severity=ERROR,
        adjustable=True,
        why="The first version of the message schema requires ac_coverage in every review, since clean code that does "
        "not do what was asked is no pass. Newer ones leave it out where no criteria were assigned: set this to off.",
        fix="Add ac_coverage with pass or fail for each criterion.",
        bad="type: review_verdict\nsignal: pass\ncritical_count: 0",
        good="type: review_verdict\nsignal: pass\ncritical_count: 0\nac_coverage: {AC1: pass}",
    ),
    Entry(
        code="PG829",
        title="A commit after the approval that is not named by convention",
        severity=WARNING,
        adjustable=True,
        why="After lgtm the work is committed with a conventional commit, so that its kind can be read from the log.",
        fix="Begin the commit's first line with its kind, such as fix: or feat(cart): or refactor!:.",
        bad="stuff",
        good="fix(cart): count empty lines",
    ),
)
