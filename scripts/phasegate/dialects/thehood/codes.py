"""PG83x: what can be wrong with answers and records beyond what their description tells."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG830",
        title="An answer without a known payload",
        severity=ERROR,
        why="The payload under data says which role answers. Without one its meaning is unclear, but it is not "
        "silence: an agent wrote it.",
        fix="Put the payload of the role under data, by its exact name, such as verification_result; of a record of "
        "the runtime, name its kind.",
        bad='{"status": "ok", "summary": "Fine.", "data": {"verification": {"verdict": "approve"}}}',
        good='{"status": "ok", "summary": "Fine.", "data": {"verification_result": {"verdict": "approve", ...}}}',
    ),
    Entry(
        code="PG831",
        title="An approval without evidence",
        severity=ERROR,
        why="An approval is only worth something if the agent looked at the diff and, where tests change, at their "
        "results. An agent that saw neither approves just as readily.",
        fix="Add evidence of kind diff, and of kind test_log where tests are changed; plain evidenceRefs are "
        "recognised by their names, such as diff.patch and test.log.",
        bad='"verdict": "approve", "evidence": [{"kind": "file_read", "ref": "src/auth.py"}]',
        good='"verdict": "approve", "evidence": [{"kind": "diff", "ref": "runs/1/diff.patch"}]',
    ),
    Entry(
        code="PG832",
        title="An answer to another directive",
        severity=ERROR,
        why="Each directive has a run and a nonce, and an answer repeats them. Otherwise it answers another "
        "question: from another run, or from before the last directive.",
        fix="Answer the current directive: repeat its runId and nonce under thehoodDirectiveAck, in the payload.",
        bad='"thehoodDirectiveAck": {"runId": "run_1", "nonce": "of an earlier directive", ...}',
        good='"thehoodDirectiveAck": {"runId": "run_1", "nonce": "of the last directive", ...}',
    ),
    Entry(
        code="PG833",
        title="A control field is too long or too deep",
        severity=NOTICE,
        adjustable=True,
        why="Control fields are for the machine. Plans and reports in them are cut, and nobody reads nested JSON.",
        fix="Write plans, reports and rationale as Markdown in the string markdown of the payload.",
        bad='"reason": "(two pages)"',
        good='"reason": "The expiry is not compared.", "markdown": "(two pages)"',
    ),
    Entry(
        code="PG834",
        title="A fan-out exceeds its bounds",
        severity=ERROR,
        why="A fan-out asks a bounded number of side questions. Counts that do not fit together were not made by the "
        "runtime, or its bound was not kept.",
        fix="Let the runtime write the record: executedItems is the number of items and at most maxItems, and that at "
        "most hardMaxItems.",
        bad='"bounds": {"requestedItems": 9, "maxItems": 4, "hardMaxItems": 8, "executedItems": 9}',
        good='"bounds": {"requestedItems": 9, "maxItems": 4, "hardMaxItems": 8, "executedItems": 4}',
    ),
    Entry(
        code="PG835",
        title="A decision in a file that belongs to no clear issue",
        severity=ERROR,
        why="A plan belongs to one issue, but several are linked, or the folder names another one.",
        fix="Put the file in a folder with the number of the linked issue as its name.",
        bad="files: .thehood/{name}.json, and two issues are linked",
        good="files: .thehood/{folder}/{name}.json, and the decision in .thehood/12/",
    ),
    Entry(
        code="PG836",
        title="A protected file is changed",
        severity=NOTICE,
        why="Tests and their expectations define what is right. If they change together with the work, anything can "
        "pass, so an agent's approval is not enough.",
        fix="Look at the change of the file, then comment /gate approve build; or say in the policy under "
        "dialects.thehood.protected which files are meant.",
        bad="a change of tests/test_auth.py that only the verifier approved",
        good="the same, and a human's /gate approve build",
    ),
    Entry(
        code="PG838",
        title="An answer contradicts itself",
        severity=ERROR,
        why="Two of its control fields cannot both be true: nothing was changed, and files are listed; the work is "
        "acceptable, and a concern blocks it. Nobody can tell which one the agent meant.",
        fix="Correct the one that is wrong: the word, or the list that the problem names.",
        bad='"status": "no_change", "changed_files": ["src/auth.py"]',
        good='"status": "changed", "changed_files": ["src/auth.py"]',
    ),
    Entry(
        code="PG839",
        title="A stop or a question without its reason",
        severity=WARNING,
        adjustable=True,
        why="Whoever is asked to decide must know what about.",
        fix="Say why beside it.",
        bad='"stop": {"should_stop": true, "reason": null}',
        good='"stop": {"should_stop": true, "reason": "The budget is used up."}',
    ),
    Entry(
        code="PG840",
        title="The implementer names other files than the pull request changes",
        severity=WARNING,
        adjustable=True,
        why="changed_files is what the verifier looks at. All answers of implementers are taken together.",
        fix="Answer again with the files that are changed.",
        bad='"changed_files": ["src/auth.py"], and the pull request changes src/cart.py too',
        good='"changed_files": ["src/auth.py", "src/cart.py"]',
    ),
    Entry(
        code="PG841",
        title="A change that the task does not allow",
        severity=ERROR,
        adjustable=True,
        why="The orchestrator's task says where work may be done, and whether files may be edited at all.",
        fix="Undo the change, or let the orchestrator delegate again with a task that allows it.",
        bad='"disallowed_paths": ["infra/"], and the pull request changes infra/main.tf',
        good='"disallowed_paths": ["infra/"], and nothing below infra/ is changed',
    ),
    Entry(
        code="PG837",
        title="A record of the runtime was removed",
        severity=ERROR,
        why="A revision packet makes earlier work and approvals stale. Deleting it, or taking its file out of the "
        "branch, must not make them count again.",
        fix="Let the implementer and the verifier answer again.",
        bad="a revision packet, deleted by the author of the pull request",
        good="the repair that the packet asks for, and a new approval",
    ),
)
