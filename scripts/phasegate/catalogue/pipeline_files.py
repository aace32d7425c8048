"""PG701 to PG709: files of the pipeline that are misnamed, misplaced, cannot be read, or have a shape of their own."""

from __future__ import annotations

from phasegate.catalogue.entry import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

ENTRIES: tuple[Entry, ...] = (
    Entry(
        code="PG701",
        title="An artifact has a key that the format does not have",
        severity=NOTICE,
        adjustable=True,
        why="Agents may add keys of their own; but a misspelt key is silently without effect.",
        fix="Correct the spelling of the key, or leave it if it is your own.",
        bad='{"verdict": "PASS", "phase_1": {…}, "clasification": null}',
        good='{"verdict": "PASS", "phase_1": {…}, "classification": null}',
    ),
    Entry(
        code="PG702",
        title="An escalation_history stands where it has no place",
        severity=ERROR,
        adjustable=True,
        why="Only the worker and the tester are escalated from tier to tier; nobody reads a history elsewhere.",
        fix="Move escalation_history to worker-result.json or test-result.json, or remove it.",
        bad='review-result.json: {"verdict": "PASS", …, "escalation_history": []}',
        good='worker-result.json: {"status": "completed", …, "escalation_history": []}',
    ),
    Entry(
        code="PG703",
        title="A file beside the artifacts is none of the pipeline's",
        severity=WARNING,
        adjustable=True,
        why="The name of a file tells what it is; under another name an artifact is not read by anybody.",
        fix="Give the file the name of the artifact, or move it out of the folder.",
        bad=".pipeline/42/worker_result.json",
        good=".pipeline/42/worker-result.json",
    ),
    Entry(
        code="PG704",
        title="A file cannot be read as an artifact",
        severity=ERROR,
        why="A symbolic link shows what stands elsewhere, a text that is not UTF-8 reads differently in each program, "
        "and a file of many megabytes is no report. Nothing of them is guessed at.",
        fix="Put a regular file of UTF-8 text, at most four megabytes long, in its place.",
        bad=".pipeline/42/test-result.json -> ../41/test-result.json",
        good=".pipeline/42/test-result.json as a file of its own",
    ),
    Entry(
        code="PG705",
        title="A check tells its result in another shape than the format's",
        severity=NOTICE,
        adjustable=True,
        why="The shape is known and read; but other programs look for a result and see neither PASS nor FAIL here.",
        fix="Write the check as an object with a result.",
        bad='"phase_1": {"lint": "PASS", "test": {"status": "PASS"}}',
        good='"phase_1": {"lint": {"result": "PASS"}, "test": {"result": "PASS"}}',
    ),
    Entry(
        code="PG706",
        title="A check tells two different results",
        severity=ERROR,
        why="One of them is wrong, and nobody can say which.",
        fix="Keep the result that the check had.",
        bad='"test": {"result": "PASS", "exit_code": 1}',
        good='"test": {"result": "FAIL", "exit_code": 1}',
    ),
    Entry(
        code="PG707",
        title="The name of a copy says something else than its content",
        severity=WARNING,
        adjustable=True,
        why="Copies such as test-result-pass.json are kept to be looked at; a wrong name misleads.",
        fix="Rename the copy after its content.",
        bad='test-result-pass.json: {"verdict": "FAIL", …}',
        good='test-result-fail.json: {"verdict": "FAIL", …}',
    ),
    Entry(
        code="PG708",
        title="It cannot be told which folder is the issue's",
        severity=ERROR,
        why="Of two folders one could hold the failure that the other leaves out.",
        fix="Keep one folder for each issue, or let artifacts.folder in the policy fix the form of its name.",
        bad=".pipeline/42/ and .pipeline/issue-42/",
        good=".pipeline/42/",
    ),
    Entry(
        code="PG709",
        title="A folder of another issue is changed",
        severity=WARNING,
        adjustable=True,
        why="Evidence belongs to the pull request of its own issue, and counts for nothing here.",
        fix="Link the issue that the folder belongs to, or leave the folder as it is.",
        bad="a pull request that closes #42 and changes .pipeline/41/plan.json",
        good="a pull request that closes #42 and changes .pipeline/42/plan.json",
    ),
)
