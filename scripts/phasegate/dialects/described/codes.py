"""PG9xx: what can be wrong with the description of a format, and with a text that is read by it."""

from __future__ import annotations

from phasegate.catalogue import Entry
from phasegate.model.problem import Severity

ERROR, WARNING, NOTICE = Severity.ERROR, Severity.WARNING, Severity.NOTICE

_DESCRIPTIONS: tuple[Entry, ...] = (
    Entry(
        code="PG901",
        title="A pattern of a format is refused",
        severity=ERROR,
        why="Patterns run on text from strangers. One that can match in very many ways takes for ever on some texts, "
        "and one that begins with anything matches everywhere.",
        fix="Give every repetition a bound, repeat only single characters, and begin the pattern of a line with fixed "
        "words.",
        bad="pattern: '(\\w+\\s*)+: (?P<word>.*)'",
        good="pattern: 'Verdict: (?P<word>[A-Z-]{1,20})'",
    ),
    Entry(
        code="PG902",
        title="A JSON Schema of a format is refused or was not read",
        severity=ERROR,
        why="A schema that refers to another place, to itself, or that uses a keyword which is not checked would not "
        "say what it seems to say.",
        fix="Use keywords of draft 2020-12 that are read here, and references into the schema's own $defs.",
        bad="schema: {$ref: 'https://example.com/verdict.json'}",
        good="schema: {type: object, required: [verdict]}",
    ),
    Entry(
        code="PG903",
        title="An address in a format leads nowhere",
        severity=ERROR,
        why="A value that can never be found would make every verdict invalid.",
        fix="Write the name of a part, then its keys or groups: word/verdict.",
        bad="read: {word: {…}}, outcome: {of: verdict/word, …}",
        good="read: {word: {…}}, outcome: {of: word/verdict, …}",
    ),
    Entry(
        code="PG904",
        title="A format reads from a place that is not evidence",
        severity=ERROR,
        why="Evidence is not part of the judged product. Workflows, agents' instructions and source files must "
        "always be part of it; and check runs of GitHub Actions can be written by any workflow of the branch.",
        fix="Use a folder of its own, best one that begins with a dot, and data files; or name another app.",
        bad="path: .github/reviews/{name}.json",
        good="path: .reviews/{name}.json",
    ),
    Entry(
        code="PG905",
        title="A format would pass although nothing was done",
        severity=ERROR,
        why="An agent that never ran also reports no findings, or 0 failures.",
        fix="Say under done what proves that the work was done: a completed run, a count above 0.",
        bad="outcome: {first: [{when: [{of: word/failed, at_most: 0}], is: pass}]}",
        good="outcome: {…}, done: [{of: word/tests, above: 0}]",
    ),
    Entry(
        code="PG906",
        title="A name or the words of a format are taken, or its role does not exist",
        severity=ERROR,
        why="A name means one thing: a dialect that is built in, or a format. Words by which two of them are told "
        "would make each text one of both; and a role must be one that can be asked for.",
        fix="Choose another name or longer words, or bring the role under roles of the format or of the policy.",
        bad="formats: {@PROFILE@: {…}}",
        good="formats: {our-reviewer: {roles: {our-reviewer: {does: challenges}}, …}}",
    ),
    Entry(
        code="PG907",
        title="A format is incomplete, or says two things at once",
        severity=ERROR,
        why="What is left open would have to be guessed.",
        fix="Say each thing once, as the message says.",
        bad="read: {word: {marker: 'our:verdict', label: Verdict}}",
        good="read: {word: {marker: 'our:verdict', as: json}}",
    ),
)
_WORDS: tuple[Entry, ...] = (
    Entry(
        code="PG911",
        title="The words of a format are misspelt",
        severity=ERROR,
        why="A person would take it for the agent's verdict; a machine would skip it and count an older one.",
        fix="Write them exactly as in the format.",
        bad="<!-- Our:Verdict {…} -->",
        good="<!-- our:verdict {…} -->",
    ),
    Entry(
        code="PG912",
        title="A part of the format is missing or does not match",
        severity=ERROR,
        why="The first part shows that the text has this format; its meaning is clear only if all parts are there.",
        fix="Write the part in the place and the form that the format describes.",
        bad="Verdict: PASS | FAIL",
        good="Verdict: PASS",
    ),
    Entry(
        code="PG913",
        title="A value that the format needs is missing or has the wrong type",
        severity=ERROR,
        why="Role, outcome and commit are read from values; without them the meaning is unclear.",
        fix="Write the value, of the type that the message names.",
        bad='{"failed": "some"}',
        good='{"failed": 2}',
    ),
    Entry(
        code="PG914",
        title="The format does not know a value",
        severity=ERROR,
        why="The meaning of a value outside the map is unclear. The verdict is invalid, and never falls back to an "
        "older one.",
        fix="Use one of the values that the message names, exactly as written.",
        bad='{"verdict": "mostly fine"}',
        good='{"verdict": "pass"}',
    ),
    Entry(
        code="PG915",
        title="Two things that must agree do not",
        severity=ERROR,
        why="A document in the wrong place, or a copy of another one, is about something else; and a pass that its "
        "own text, review or check run contradicts may be no pass.",
        fix="Make them agree.",
        bad='.reviews/7.json with {"number": "8"}',
        good='.reviews/7.json with {"number": "7"}',
    ),
    Entry(
        code="PG916",
        title="The text is written in several forms at once",
        severity=ERROR,
        why="Each form may say something else, and choosing one would be a guess.",
        fix="Keep only one of them.",
        bad="a comment with the clean line and the list of findings",
        good="a comment with the clean line",
    ),
    Entry(
        code="PG930",
        title="A block fails the work, but not as its dialect is written",
        severity=ERROR,
        why="Whoever holds a seat has objected. What is misspelt or in the wrong place is not silence.",
        fix="Post the verdict again as the dialect has it, where its phase is judged.",
        bad='a fence without its marker that holds {"verdict": "FAIL"}',
        good="the same under the marker of the dialect, where the role speaks",
    ),
    Entry(
        code="PG917",
        title="It passes, but nothing shows that the work was done",
        severity=ERROR,
        why="An agent that never ran also reports no findings.",
        fix="Let the agent report what it looked at, as the format requires.",
        bad='{"failed": 0, "tests": 0}',
        good='{"failed": 0, "tests": 41}',
    ),
    Entry(
        code="PG918",
        title="Something else in the text vetoes the pass",
        severity=NOTICE,
        why="The format lists signs that veto a pass.",
        fix="Resolve it, then let the agent speak again.",
        bad="no comments, and a line that says that 1 comment was suppressed",
        good="no comments",
    ),
    Entry(
        code="PG926",
        title="A pass has expired",
        severity=WARNING,
        why="Its author set an expiry time, which is compared with the time when the pull request was read.",
        fix="Let the agent look again, or give it a later time.",
        bad='gate: PASS, expires: "2020-01-01T00:00:00Z"',
        good='gate: PASS, expires: "2099-01-01T00:00:00Z"',
    ),
    Entry(
        code="PG919",
        title="A commit is not written as one",
        severity=ERROR,
        why="A verdict is bound to the commit that it names; otherwise it is unclear what was judged.",
        fix="Write 7 to 40 hexadecimal digits.",
        bad="head=HEAD",
        good="head=3f2a91c",
    ),
    Entry(
        code="PG920",
        title="Edited, and the format does not count edited texts",
        severity=ERROR,
        why="The format says that its author never edits; so the edit is not the agent's.",
        fix="Let the agent post again.",
        bad="a comment of a format with edits: never, edited an hour later",
        good="a new comment",
    ),
    Entry(
        code="PG921",
        title="A text has more problems than are shown",
        severity=NOTICE,
        why="The number of problems per text is limited.",
        fix="Fix those that are shown first.",
        bad="a document with 400 wrong values",
        good="a document with none",
    ),
    Entry(
        code="PG922",
        title="A document contains no verdict, too many, or two of one role",
        severity=ERROR,
        why="An empty list says nothing about the work, and it is no pass; a document that is too long is not read "
        "in part, since the rest may say something else. Of two verdicts of one role it is unclear which one counts.",
        fix="Write one member for each role that speaks.",
        bad="dimensions: {}",
        good="dimensions: {security: {decision: approve}}",
    ),
    Entry(
        code="PG923",
        title="The text is no list of key=value or no JSON lines",
        severity=ERROR,
        why="It is unclear where one value ends and the next begins.",
        fix="Write key=value with a space between pairs, each key once; or one JSON value in each line.",
        bad="verdict = PASS verdict=FAIL",
        good="verdict=PASS head=3f2a91c",
    ),
    Entry(
        code="PG924",
        title="A key that the format's schema does not have",
        severity=ERROR,
        why="The format's schema lists all keys; another one may be a misspelt key that changes the meaning.",
        fix="Correct the key, remove it, or add it to the schema.",
        bad='{"verdict": "pass", "blocker": ["lost update"]}',
        good='{"verdict": "fail", "blockers": ["lost update"]}',
    ),
    Entry(
        code="PG925",
        title="Keys in two spellings",
        severity=ERROR,
        why="A program that looks for one spelling misses the other, and a text with both was put together from two.",
        fix="Spell all keys in snake_case, or all in camelCase.",
        bad='{"changed_files": [], "unresolvedRisks": ["data loss"]}',
        good='{"changed_files": [], "unresolved_risks": ["data loss"]}',
    ),
)

ENTRIES = (*_DESCRIPTIONS, *_WORDS)
