"""The defences by name: what each is, and the one function or constant that it is."""

from __future__ import annotations

import re

from phasegate.catalogue import problem
from phasegate.dialects.described.values import Held
from phasegate.dialects.pipeline.rules import fact_problems, scope_problems, tier_problems
from phasegate.github.reading.moves import RecordFound
from phasegate.model.report import Why
from phasegate.reading.globs import any_among
from phasegate.rules.binding import SpokenRoles, Timeline
from tests.casebook.attacks import naive, naive_envelopes, naive_evidence, naive_live
from tests.casebook.attacks.switch import (
    Defence,
    SwitchOff,
    always,
    in_row,
    instead,
    never,
    none_of_them,
    nothing,
    together,
    without,
)

DEFENCES: dict[str, Defence] = {}


def defence(name: str, what: str, target: str, stand_in: object) -> None:
    """Name a defence that one function or constant is."""
    assert name not in DEFENCES, name
    DEFENCES[name] = Defence(name=name, what=what, switch_off=instead(target, stand_in))


def rows(name: str, what: str, switch_off: SwitchOff) -> None:
    """Name a defence that rows of a table are."""
    assert name not in DEFENCES, name
    DEFENCES[name] = Defence(name=name, what=what, switch_off=switch_off)


# who may speak
rows(
    "writers-speak",
    "A vote counts only from a named account or a writer.",
    without("rules.accounts.UNKNOWN", "permission", "only named", "look-alike"),
)
defence(
    "live-permission",
    "Permission is looked up live, by account id; what was not looked up is none.",
    "rules.accounts.live_permission",
    lambda *_: "admin",
)
rows(
    "author-does-not-judge",
    "Whoever opened the pull request does not judge it.",
    without("rules.accounts.OWN_WORK", "opened"),
)
rows(
    "pusher-does-not-judge",
    "Nor does whoever pushed product content to it, by the server's log.",
    without("rules.accounts.OWN_WORK", "pushed"),
)
rows(
    "refused-by-role",
    "What an account may not say for one role takes nothing from what it says for another.",
    instead("rules.assess.refused_as", naive.refused_for_all),
)
rows(
    "no-objection-pushed-away",
    "Who pushes to the work takes back only what would have passed it.",
    without("rules.assess.HOLDS_BACK", "invalid"),
)
rows("team-members", "Of a team only its members count.", instead("rules.accounts._names", naive.everybody))
rows(
    "bots-by-name",
    "An app or a bot counts only when named.",
    without("rules.accounts.UNKNOWN", "another id", "look-alike", "bot"),
)
defence(
    "accounts-by-id",
    "A named account is told by its id and app id, not by its login.",
    "rules.accounts._names",
    naive.same_at_a_glance,
)
rows(
    "apps-of-a-person",
    "Nor does an app count in the name of a person whom the policy names with another one.",
    without("rules.accounts.UNKNOWN", "another app"),
)
rows("no-email", "What came by e-mail does not count.", without("rules.accounts.TRUST NO_HUMAN", "email"))
rows("known-author", "Words of an account that is gone do not count.", without("rules.accounts.UNKNOWN", "gone"))
defence("one-role", "All that tells a vote's role must agree.", "rules.binding._disagreement", none_of_them)
defence(
    "own-dialect",
    "A seat is filled only in the dialect and the media that it has.",
    "rules.binding._speaking",
    naive.everybodys_words,
)
rows("unheard-reviews", "A review that was not submitted does not count.", without("rules.assess.UNHEARD", "review"))

defence(
    "no-success-when-closed",
    "The success of a pull request that is closed unmerged is withdrawn.",
    "gate.is_closed",
    never,
)

defence(
    "artifact-keys",
    "A key that only a machine tells from one of the format's is refused.",
    "dialects.pipeline.artifact.slips",
    none_of_them,
)

# where a block may stand
defence(
    "one-marker",
    "A marker occurs once in a comment, counted raw.",
    "reading.markdown.page.Page.locate",
    naive.first_block,
)
defence(
    "block-of-its-own",
    "A block counts only at the top level of the page.",
    "reading.markdown.page.Page._misplaced",
    naive.block_at,
)
defence("not-enclosed", "No HTML element holds the block.", "reading.markdown.page._enclosed", nothing)
defence(
    "code-as-github-reads-it",
    "Code ends where GitHub's engine ends it; where others differ from it, nothing after that is trusted.",
    "reading.markdown.inline.Inline.finds_end",
    always,
)
defence("at-an-edge", "The block stands at the start or the end.", "reading.markdown.page._standing", nothing)
defence(
    "no-controls",
    "No character that readers of Markdown differ on.",
    "reading.markdown.carriers.control_faults",
    none_of_them,
)
defence(
    "whole-carrier",
    "An HTML comment ends where it seems to.",
    "reading.markdown.carriers._comment_faults",
    none_of_them,
)
defence(
    "closed-fence", "A fence that was cut off does not count.", "reading.markdown.carriers._fence_faults", none_of_them
)
defence("own-heading", "A role's heading counts only at top level.", "dialects.jkz.reader._headings", naive.any_heading)
rows(
    "hidden-blocks-speak",
    "A block where none counts speaks for every role that its text names, unless it stands in a real quote.",
    together(
        instead("dialects.jkz.reader.whose_hidden", none_of_them),
        instead("rules.ledger.at_home", naive.where_they_stand),
    ),
)
defence(
    "quotes-that-are-some",
    "A quote is one only where no HTML of the comment keeps it from being shown as one.",
    "reading.markdown.page.Page._quotes",
    property(naive.signs_of_a_quote),
)
defence(
    "alerts-are-no-quotes",
    "A note or a warning is its writer's own, though it is written as a quote.",
    "reading.markdown.walk.is_alert",
    never,
)
rows(
    "misspelt-markers-speak",
    "A block under what a person takes for the marker is an invalid word.",
    together(
        instead("dialects.jkz.reader.misspelt_marker", nothing), instead("dialects.collect.near_words", none_of_them)
    ),
)
rows(
    "faulty-blocks-speak",
    "A block with a fault speaks for every role that a heading or its raw text names, and is never nobody's.",
    together(
        instead("dialects.jkz.verdict.whose_block", none_of_them),
        instead("rules.ledger.at_home", naive.where_they_stand),
    ),
)
defence(
    "unread-objections",
    "A word with a fault is a FAIL if it holds one in any case, a demand or a severe finding, in every dialect.",
    "dialects.raw.is_objection",
    never,
)

defence(
    "slips-of-ids",
    "An id of another role gives way to a heading only where that is of a judge who speaks here.",
    "rules.assess._meant",
    naive.headed_alone,
)

# what a verdict says
defence("strict-json", "JSON that readers differ on is refused.", "dialects.jkz.verdict.read_json", naive.plain_json)
defence("schema", "A verdict keeps to its schema.", "dialects.jkz.verdict.validate", none_of_them)
defence("near-keys", "A key one slip away from a known one.", "dialects.jkz.verdict.near_key", nothing)
defence(
    "no-other-words",
    "A PASS that says FAIL under a key of its own contradicts itself.",
    "dialects.jkz.verdict.contradictions",
    none_of_them,
)
rows(
    "clean-pass", "A PASS holds nothing against the work.", without("rules.binding.AGAINST_PASS", "must_fix", "severe")
)
defence(
    "strict-fail", "Where the policy says so, an empty FAIL is no PASS.", "rules.assess.consistent", naive.lenient_fail
)
defence(
    "no-fall-back",
    "An invalid verdict is the latest vote of its role.",
    "rules.ladder.Seat.objections",
    property(lambda _: ()),
)
defence(
    "latest-word",
    "The latest vote of a role counts, not its best.",
    "rules.ladder.Seat.objections",
    property(lambda _: ()),
)
rows(
    "worse-is-later",
    "In one second the vote that is no PASS is the later.",
    instead("model.signal.Source.is_after", lambda one, other: one.moment > other.moment),
)

# what was touched
rows(
    "untouched",
    "A vote that another account edited is invalid.",
    without("rules.assess.TOUCHED", "another hand", "edited", "history"),
)
defence("editors", "Who changed a text, or took a version away, is looked up.", "dialects.collect._stranger", nothing)
defence("readable-history", "All that an edited vote said must be known.", "dialects.collect._readable", always)
defence(
    "tampered-fails",
    "A FAIL that was edited by another or dismissed blocks until a human resumes.",
    "rules.removals._touched",
    none_of_them,
)
defence(
    "since-submission",
    "A review dates from its submission, not from an edit of its draft.",
    "dialects.collect.submitted",
    lambda _, written: written,
)
rows(
    "never-less",
    "No edit takes a role's vote away.",
    together(
        instead("dialects.collect._never_less", lambda latest, *_: iter(latest)),
        instead("rules.removals._touched", none_of_them),
    ),
)
defence("record", "A FAIL on record that is gone blocks.", "rules.ledger._gone", lambda *_: ())
defence(
    "answers-by-time",
    "What is gone is answered by what was said after it, not by a comment that was begun after it.",
    "rules.removals._given",
    lambda *_: "",
)
rows(
    "resumes-count",
    "A resume covers a deletion only if that surely was before it.",
    in_row("rules.removals.ENDS", "resumed", naive.resumed_after_it),
)
defence(
    "versions-tell",
    "A FAIL on record is found only where a version of its text says it, whoever touched the rest.",
    "rules.ledger.words_told",
    naive.touched_is_told,
)
defence(
    "deleted-words",
    "Nor does any other word on record make way for an older PASS.",
    "rules.removals._deleted",
    naive.failures_alone,
)
defence("dismissed-words", "Nor one that was dismissed.", "rules.removals._touched", naive.dismissed_failures)
rows(
    "taken-back-by-itself",
    "Only its own account takes a FAIL back, by deleting it and judging anew, where nobody can doubt it.",
    in_row("rules.removals.ENDS", "answered", always),
)
rows(
    "dismissed-then",
    "A dismissal counts from when it happened, and so does the removal of a version.",
    instead("rules.desk.removals", naive.taken_at_once),
)

defence(
    "near-words",
    "A block in which a deciding key fails is an objection, whatever its marker.",
    "dialects.collect.near_words",
    none_of_them,
)

# which commit and content
defence(
    "same-content", "What was judged must be what would merge.", "rules.binding.Timeline.content", lambda *_: "same"
)
defence(
    "unknown-content",
    "Where files are not listed, only the same commit is the same.",
    "rules.binding.Timeline.content",
    lambda timeline, commit: timeline.contents.get(commit, "unknown"),
)
defence(
    "head-at-the-time",
    "A vote is about the head before it, by the server's log.",
    "rules.binding.Timeline.head_at",
    naive.head_about_then,
)
defence(
    "heads-only", "A commit counts only if it was the head here.", "rules.binding.Timeline.named", naive.always_the_head
)
rows(
    "seen-as-head",
    "Where the log cannot be read, only a commit that was seen as the head before may be named.",
    together(
        instead("rules.binding.Timeline.was_head", always), instead("rules.approvals.judged_at_another_head", nothing)
    ),
)
defence("already-there", "Nobody judges a commit to come.", "rules.binding.Timeline.arrived", lambda *_: "")
defence(
    "commit-asked-for", "Where the policy asks, a vote names its commit.", "rules.assess._commit", naive.no_commit_asked
)
defence(
    "same-base",
    "What was judged for another base is not what would merge.",
    "rules.binding.Timeline.content_at",
    lambda timeline, commit, _: Timeline.content(timeline, commit),
)
defence(
    "closed-is-frozen",
    "What is pushed while the pull request is closed is its head only once it is reopened.",
    "model.snapshot.PullRequest.head_moves",
    lambda _, moves: tuple(sorted(moves, key=lambda move: move.at)),
)
defence(
    "lost-plans",
    "Words from before the deletion of what may have been the plan bind to no other plan.",
    "rules.binding.Plans.lost_since",
    nothing,
)
defence("plan-as-judged", "Words on a plan are bound to its text.", "rules.binding.Plans.at", naive.current_plan)

# the way through the phases
defence("failed-before", "What arrives after QA failed lowers nothing.", "rules.route._failures", none_of_them)
rows(
    "quick-hides-nothing",
    "No label silences a role that failed.",
    together(without("rules.route.NOT_QUICK", "failed"), instead("rules.phases._objections", none_of_them)),
)
rows("quick-hides-no-plan", "Nor a plan that is there and wrong.", without("rules.route.NOT_QUICK", "wrong"))
rows(
    "who-lowers",
    "Who lowers the bar is not the author, not an agent, and may triage.",
    without("rules.route.LOWERING", "unknown", "author", "agent", "triage"),
)
defence("labels-in-time", "A label from after the FAIL does not count.", "rules.route._in_time", always)
rows(
    "own-issues",
    "Only issues of this repository count.",
    instead("model.snapshot.Snapshot.own_issues", property(lambda snapshot: snapshot.issues)),
)
defence(
    "numbers-of-this-repository",
    "A number is that of an issue of this repository.",
    "model.snapshot.Snapshot.own_issues",
    property(lambda snapshot: snapshot.issues),
)
defence("strictest-issue", "Of several issues the strictest counts.", "rules.ledger.find_route", naive.laxest)
rows("strictest-type", "Of several types the strictest counts.", instead("rules.route._matches", naive.first_match))
defence("plain-letters", "Names fold in ASCII only.", "rules.route.same_name", naive.folded)
defence("no-issue-is-a-feature", "Without an issue QA is required.", "rules.ledger.find_route", naive.unasked)
defence(
    "spent-issues", "An issue that another pull request closed lends nothing.", "rules.route._others", lambda *_: ()
)
rows(
    "words-spent",
    "Nor do its older votes and acts.",
    together(without("rules.assess.UNHEARD", "spent"), without("rules.acts.UNFIT", "spent")),
)
defence("labels-spent", "Nor do its older labels.", "rules.route._set_since", always)
defence("each-its-plan", "Each linked issue needs its plan.", "rules.phases.desks_of", naive.first_issue)
defence(
    "all-paths",
    "A phase is skipped only by a whole list, old names included.",
    "rules.phases._skipped",
    naive.listed_paths,
)

# human acts
rows(
    "human-permission",
    "An act needs the permission the policy asks for.",
    without("rules.accounts.NO_HUMAN", "permission"),
)
rows("not-the-author", "The author's acts do not count.", without("rules.accounts.NOT_HERE", "author"))
rows("not-an-agent", "Nor do those of an agent's account.", without("rules.accounts.NOT_HERE", "agent"))
rows("a-person", "Nor those of bots and of apps in a person's name.", without("rules.accounts.NO_HUMAN", "no person"))
rows("known-human", "Nor those of an account that is gone.", without("rules.accounts.NO_HUMAN", "gone"))
defence(
    "own-lines",
    "A command is a line of one's own at top level.",
    "reading.markdown.page.Page.lines",
    property(naive.all_lines),
)
defence(
    "exact-commands",
    "A command is exact.",
    "dialects.commands.COMMAND",
    re.compile(r"/gate +(?P<verb>[a-z]+) +(?P<phase>[a-z]+)(?P<commit>)(?::(?P<reason>.*))?.*"),
)
defence("reasons", "An override gives its reason.", "dialects.commands.REASONED", ())
rows("untouched-acts", "An act that was touched does not count.", without("rules.acts.UNFIT", "touched", "history"))
defence("links-followed", "A link of the base counts with what it leads to.", "model.snapshot.Snapshot.steering", ())
defence(
    "own-orders",
    "Where the judges' instructions are changed, a human approves the build too.",
    "rules.approvals._instructions",
    nothing,
)
rows("unheard-acts", "An act in a review taken back does not count.", without("rules.acts.UNFIT", "review"))
rows(
    "act-as-given",
    "An act is bound to the content it was given for.",
    instead("rules.acts.Given.content", property(naive.present_content)),
)
rows(
    "approval-last",
    "An approval comes after the verdicts.",
    without("rules.approvals.UNCOVERED", "verdict", "files", "objection", "overruling"),
)
rows(
    "approval-after-fail",
    "An approval covers neither a later FAIL nor what took it back later.",
    without("rules.approvals.UNCOVERED BESIDE", "objection", "overruling"),
)
rows(
    "the-named-run",
    "An approval by a run is one of the workflow, branch and environment that the policy names.",
    without("rules.acts.RUNS", "no workflow", "foreign"),
)
defence(
    "reviews-as-approvals",
    "A review approves while it stands, and until its account requests changes.",
    "rules.acts.REVIEWED",
    {"APPROVED": "approve", "DISMISSED": "approve"},
)
rows("no-overrides", "Where the policy says so, nobody overrides.", without("rules.acts.MEANT", "override"))

# attempts and order
rows("escalation", "Four failing rounds escalate.", without("rules.needs.HISTORY", "rounds"))
defence(
    "fail-is-fail",
    "A FAIL is a failing round, however badly it was written and whatever commit it names.",
    "model.signal.Vote.failed",
    property(naive.failed_soundly),
)
defence("deleted-rounds", "A deleted FAIL is a failing round.", "rules.ledger._gone", lambda *_: ())
defence("resume-after", "A resume before the escalation does nothing.", "rules.needs.attempts", naive.resumed_whenever)
rows("confirmed-last", "Who confirms speaks after who challenges.", without("rules.ladder.LADDER", "too early"))
defence(
    "own-pass",
    "A malformed word was to be a pass only where its own text says so, outside quotes.",
    "reading.markdown.page.Page.unquoted",
    property(lambda page: page.text),
)
defence(
    "edited-of-any-role",
    "A word that may be of several roles cannot be edited away from any of them.",
    "dialects.collect.may_have_been",
    lambda *_: (),
)
rows(
    "distinct-accounts",
    "Where the policy says so, one account has one part.",
    without("rules.ladder.LADDER", "one account"),
)
rows(
    "workers-done",
    "Nobody who builds says that the work is blocked.",
    without("rules.needs.PHASE", "worker not blocked"),
)

# overruling
defence(
    "evidence",
    "A finding is refuted only with evidence that exists.",
    "rules.ladder.refuted",
    lambda _, vote: set(vote.signal.false_positives),
)
defence("own-evidence", "Quoted evidence is somebody else's.", "dialects.jkz.verdict.FOREIGN", ())
defence(
    "evidence-to-be-seen",
    "Evidence is what a reader sees.",
    "reading.markdown.walk.Part.seen",
    property(lambda part: part.text),
)
defence("output-to-be-seen", "So is output.", "reading.markdown.walk.has_signs", bool)
defence("drawn-output", "Output is no picture.", "reading.markdown.walk._DRAWN", re.compile("(?!)"))
defence("own-evidence-in-lists", "In a list too.", "reading.markdown.walk._in_quote", never)
rows(
    "confirmers-overrule",
    "Only who confirms may overrule.",
    together(
        without(
            "rules.ladder.REFUTES", "a challenger failed", "a confirmer lifts it", "by passing the present content"
        ),
        without("rules.ladder.LADDER", "too early"),
    ),
)
rows("refuted-later", "Only a later vote refutes.", without("rules.ladder.REFUTES", "later"))
rows(
    "all-demands",
    "Every demand must be refuted.",
    in_row("rules.ladder.REFUTES", "and refuting every demand, with evidence", naive.some_demand),
)
defence("evidence-by-id", "Each finding needs its own evidence.", "dialects.jkz.verdict._named", naive.every_id)

# policy and scope
defence(
    "no-default-for-broken", "A broken policy is an error, not the default.", "gate.policy_in", naive.default_if_broken
)
defence(
    "policy-in-its-place",
    "A policy at another path, or none at the path that was given, is an error.",
    "gate.misplaced_policy",
    none_of_them,
)
defence("known-teams", "A team that cannot be read decides nothing: an error.", "gate.unreadable_teams", none_of_them)
defence("fixed-severities", "What guards trust cannot be turned off.", "policy.load._rule_problems", none_of_them)
defence("sound-policy", "A policy is checked as a whole.", "policy.load._semantic_problems", none_of_them)
defence("something-was-judged", "Success needs a phase that judged.", "gate._overall", naive.worst_alone)
defence("one-pull-request", "A success is withheld from a shared commit.", "gate._overall", naive.alone)

# through GitHub
# What a gate reads wrongly, a look that asks in another way would see.
UNSEEN = instead("github.reading.fingerprint.Sight.holds", always)
rows(
    "read-to-the-end",
    "Every list is read to the end that GitHub counts.",
    together(instead("github.reading.opening._thread", naive_live.first_page), UNSEEN),
)
rows(
    "whole-answers",
    "Data with errors beside it is not the whole.",
    together(instead("github.client.answers._with_errors", naive_live.data_beside_errors), UNSEEN),
)
defence(
    "still-as-judged",
    "Success needs another look at what was judged.",
    "github.reading.fingerprint.Sight.holds",
    always,
)
rows(
    "checks-as-judged",
    "Check runs and statuses that are checks are looked at again before success is written.",
    without("github.reading.fingerprint.AROUND", "statuses"),
)
rows(
    "all-events",
    "Every event counts, not only those of the first page.",
    without("github.reading.fingerprint.AROUND", "events"),
)
defence(
    "every-edit",
    "What a comment said in between counts too.",
    "github.reading.fingerprint.words",
    naive_live.present_words,
)
rows(
    "reviews-as-seen",
    "Every review is as it was when it was last touched, whatever its text is now.",
    without("github.reading.fingerprint.AROUND", "reviews"),
)
rows(
    "policy-whole",
    "The policy is its file, the schemas that it names, and that none stands in a wrong place.",
    without("github.reading.fingerprint.AROUND", "policy"),
)
defence(
    "settled",
    "Of what was touched within the second the text is compared, for a second change would not show.",
    "github.reading.fingerprint.words",
    naive_live.times_of_words,
)
rows(
    "own-list",
    "The list of open pull requests is whole and holds the one that is judged.",
    together(instead("github.reading.opening.listed_whole", nothing), UNSEEN),
)
defence(
    "only-elsewhere",
    "What may be missing for want of permission are issues and forks of others.",
    "github.client.answers._of_elsewhere",
    always,
)
defence(
    "reserve",
    "Enough of the budget is kept to withdraw what cannot be confirmed.",
    "github.client.client.Client._afford",
    nothing,
)
defence(
    "one-attempt",
    "A success is tried once for each look.",
    "github.writing.publish._tried",
    naive_live.write_until_it_stands,
)
defence(
    "head-is-known",
    "A success is withdrawn where it is known to stand.",
    "cli.live.Heads.latest",
    property(lambda _: ()),
)
defence(
    "withdrawn-unread",
    "What stands need not be read to be withdrawn.",
    "cli.live.withdraw",
    naive_live.withdraw_what_was_read,
)
defence("read-back", "Success needs the parts read back.", "github.writing.publish._prove", lambda *_: None)
defence(
    "record-times",
    "The record keeps when a word was said, however often it is carried on to a new head.",
    "github.record.said_at",
    lambda _, status: status.at,
)
defence(
    "record-kept",
    "Each FAIL that a run sees is kept on record.",
    "github.reading.fetch.whole_record",
    naive_live.no_record,
)
defence(
    "record-found",
    "The record is found on whichever head it was last written.",
    "github.reading.moves.last_record",
    lambda *_: RecordFound(),
)
defence(
    "record-whole",
    "Older heads are read until one tells that all that this pull request had on record stands there.",
    "github.reading.moves.sealed_at",
    naive_live.any_record,
)
defence(
    "record-lines",
    "Every line of the record that one interface tells of is read by the other.",
    "github.reading.moves.same_lines",
    nothing,
)
defence(
    "whole-record",
    "All statuses of the record count, not the latest alone.",
    "github.reading.moves.record_on",
    naive_live.latest_record,
)
rows(
    "covered-deletions",
    "A deleted comment that may have been a word, and that no record covers, makes its phase wait.",
    without("rules.needs.HISTORY", "deletion without a record"),
)
defence("own-seals", "Only the gate's own account tells what it has seen.", "github.record.is_own", always)
defence(
    "counted-words",
    "The record tells how many words it has: one that lost some is not whole.",
    "github.reading.moves.lost_words",
    lambda *_: 0,
)
rows("record-read", "A record that cannot be read blocks.", without("rules.needs.HISTORY", "record unread"))
rows(
    "whole-pages",
    "A page holds what it counts.",
    together(instead("github.reading.conversation.whole_page", nothing), UNSEEN),
)
defence(
    "modes-of-files",
    "Whoever changes the mode of a file has pushed it.",
    "github.reading.folders.Version.held",
    property(lambda version: version.oid),
)
defence(
    "pinned-list", "The list of changed files is about the head that is judged.", "github.reading.nodes.unpinned", never
)
defence(
    "contained-base",
    "What was judged for a base counts for another one only if that contains it.",
    "github.reading.moves.contains",
    always,
)
defence(
    "same-difference",
    "What was judged for a base counts for another one only if it brings in the same there.",
    "github.reading.moves.same_files",
    always,
)
defence("whole-folders", "A folder is told whole.", "github.reading.folders.whole_tree", nothing)
defence(
    "all-kept",
    "Every word of a seat that is no PASS goes on record.",
    "github.record.recorded_outcome",
    naive_live.only_fails,
)
rows(
    "policy-of-default-branch",
    "The policy is that of the default branch.",
    together(instead("github.reading.opening._main", naive_live.policy_of_head), UNSEEN),
)
defence(
    "bounded", "What is cut short without a way to read on is an error.", "github.reading.opening._bounded", nothing
)
defence("unbroken-log", "A log with gaps tells no head.", "github.reading.moves._unbroken", always)
defence(
    "permission-by-id",
    "A permission is that of the account that spoke.",
    "github.reading.people._lookup",
    naive_live.permission_by_login,
)

defence("modes", "The modes of files belong to the content.", "github.reading.nodes.with_modes", naive_live.plain_files)

# evidence in the branch
defence(
    "no-evidence-from-forks",
    "A fork's contributor cannot write evidence.",
    "model.snapshot.Snapshot.of_a_fork",
    property(never),
)
defence("known-pusher", "A file speaks for who pushed it.", "rules.assess.refused_as", lambda *_: ())
rows("brought-here", "A file counts where this pull request brings it.", without("rules.assess.FILES", "merged before"))
rows(
    "stage-by-stage",
    "What stands on a newer stage is stale.",
    without("rules.assess.STALE", "file at once", "newer file"),
)
defence(
    "own-folder",
    "Only the one folder of a linked issue counts.",
    "dialects.pipeline.gather.choose_folders",
    naive_evidence.first_folder,
)
defence(
    "folder-as-approved",
    "An approval of a plan in a file does not cover another folder's.",
    "dialects.pipeline.folder._since",
    lambda *_: "",
)
defence("state-of-its-issue", "A state is that of its issue.", "dialects.pipeline.gather.another_issue", none_of_them)
defence(
    "strict-artifacts",
    "An artifact that readers differ on is refused.",
    "dialects.pipeline.artifact.read_json",
    naive.plain_json,
)
defence(
    "verdict-agrees", "A verdict agrees with its checks.", "dialects.pipeline.rules.own_contradictions", none_of_them
)
defence(
    "scope",
    "Plan, report and changes are the same files.",
    "dialects.pipeline.rules.RULES",
    (fact_problems, tier_problems),
)
defence("both-names", "A rename changes two paths.", "dialects.pipeline.gather._changed", naive_evidence.new_names)
defence(
    "something-was-run",
    "A phase in which nothing ran says nothing.",
    "dialects.pipeline.gather.second_phase",
    naive_evidence.no_failure,
)
defence(
    "earlier-texts",
    "What a file said before stays in the history.",
    "dialects.pipeline.gather.earlier_signals",
    none_of_them,
)
defence(
    "gone-folders",
    "Nor is what stood in a folder that is gone forgotten.",
    "dialects.pipeline.gather.relics",
    lambda *_: {},
)
rows("nothing-unseen", "What cannot be read any more blocks.", without("rules.needs.HISTORY", "results out of sight"))
rows("approved-for-its-issue", "A plan is approved for its issue.", without("rules.approvals.UNCOVERED", "link"))
defence("optional-counts", "What need not be there counts where it is.", "rules.needs.optional_need", nothing)
defence(
    "optional-rounds",
    "Its failures are rounds too.",
    "rules.desk.Desk.counted",
    property(lambda desk: desk.phase.seats),
)
defence(
    "no-other-words-in-files",
    "So does a result, or a check of it.",
    "dialects.pipeline.artifact.contrary",
    none_of_them,
)
defence("one-shape", "A phase is told in one shape.", "dialects.pipeline.artifact.shape_problems", none_of_them)
defence(
    "whole-list",
    "The scope is judged by all changed files.",
    "dialects.pipeline.gather._whole",
    lambda _, folder: folder,
)
rows(
    "as-it-stands",
    "Only what stands at the head speaks.",
    instead("rules.ladder.Seat.words", property(naive_evidence.last_seen)),
)
defence(
    "tiers",
    "A complex issue is not for the fast tier.",
    "dialects.pipeline.rules.RULES",
    (scope_problems, fact_problems),
)

# words of a described format, and envelopes
defence(
    "described-once",
    "What gives a described word away occurs once in the text, counted raw.",
    "reading.markdown.page.Page._counted",
    naive_envelopes.first_of_them,
)
defence(
    "described-place",
    "A described word stands where its description says.",
    "dialects.described.places._block",
    naive_envelopes.anywhere,
)
defence(
    "described-schema",
    "A described word keeps to its schema.",
    "dialects.described.reader.schema_faults",
    lambda *_: (),
)
defence(
    "described-when",
    "A form is meant only if what it asks for holds.",
    "dialects.described.reader.all_hold",
    lambda *_: Held(holds=True),
)
defence(
    "whole-lines",
    "A pattern is held against the whole of a line.",
    "reading.patterns.Pattern.match",
    naive_envelopes.beginning,
)
rows(
    "told-by-state",
    "Changes that a reviewer requests count, whatever else it writes.",
    together(
        instead("dialects.described.declaration.Described._told_by_state", never),
        instead("rules.ledger.unread_words", none_of_them),
        in_row("rules.findings.REQUEST", "approved", always),
    ),
)
defence(
    "unread-reviews",
    "A reviewer's review or check run that nobody can read is not passed over.",
    "rules.ledger.unread_words",
    none_of_them,
)
defence(
    "newest-run",
    "Of check runs of one app and name the one that began last speaks, also while it is queued.",
    "model.snapshot.CheckRun.begun",
    property(lambda run: (run.completed_at or "", run.id)),
)
defence("described-vetoes", "What else a word says takes a pass back.", "dialects.described.words._vetoed", never)
defence(
    "described-all-values",
    "Every value that an address leads to is looked at, however many there are.",
    "dialects.described.values.Values.at",
    naive_envelopes.first_values,
)
defence(
    "described-gaps",
    "A member that lacks what all members are asked for is a fault.",
    "dialects.described.values.Values.gap",
    nothing,
)
defence(
    "described-kinds",
    "A value of another kind than the one that is wanted is a fault.",
    "dialects.described.values._of_kind",
    always,
)
defence(
    "described-nulls",
    "A member that says nothing where all are asked is a fault.",
    "dialects.described.values._unsaid",
    nothing,
)
defence(
    "described-veto-commit",
    "Only a veto that names another head of the pull request is not about this one.",
    "dialects.described.reader.names_another",
    naive_envelopes.names_something,
)
defence(
    "described-told-apart",
    "A form that a text comes near is there, unless another form reads that very line.",
    "dialects.described.reader._told_apart",
    naive_envelopes.well_read,
)
defence(
    "described-hidden-forms",
    "A form that passes does not hide one that does not.",
    "dialects.described.reader.Fit.passes",
    property(always),
)
rows(
    "described-when-misspelt",
    "A word of which only a machine cannot tell that it is of a form is one of it.",
    together(
        instead("dialects.described.reader.misspelt", never), instead("dialects.collect.near_words", none_of_them)
    ),
)
defence(
    "described-contradictions",
    "Plain words against the work count under any key.",
    "dialects.described.reader.contradicting",
    none_of_them,
)
rows(
    "markers-as-read",
    "What begins a block like a marker, and is none, is an invalid word.",
    together(
        instead("dialects.described.places.begins_like", never), instead("dialects.collect.near_words", none_of_them)
    ),
)
rows(
    "answers-as-read",
    "So is an answer under such a marker.",
    together(
        instead("dialects.thehood.declaration.begins_like", never), instead("dialects.collect.near_words", none_of_them)
    ),
)
defence(
    "one-dialect", "A text holds words of one dialect, or no pass.", "dialects.collect.one_dialect", lambda found: found
)
defence(
    "carrier-agrees",
    "No pass counts in a review that requests changes, nor in a check run that did not end well.",
    "dialects.dialect.said_around",
    lambda _: "",
)
defence(
    "described-letters",
    "A word in other letters than those that are meant is a fault.",
    "dialects.described.values._in_other_letters",
    never,
)
defence(
    "described-blocking-first",
    "Of many findings those that block are kept.",
    "dialects.described.reader.findings",
    naive_envelopes.first_findings,
)
defence(
    "described-findings",
    "Findings that have no thread are counted in the body.",
    "dialects.described.reader.findings",
    none_of_them,
)
defence(
    "described-keys",
    "A key that only a machine tells from one of the format's is a fault.",
    "dialects.described.reader.near_keys",
    none_of_them,
)
defence(
    "described-struck-out", "A line that may be struck out is none.", "reading.markdown.walk._struck_out", none_of_them
)
defence(
    "described-begun",
    "A line with tags is not inside something that began before it.",
    "dialects.described.places._may_go_on",
    never,
)
defence(
    "described-shown",
    "A line with tags is not where GitHub shows nothing.",
    "dialects.described.places._HIDING",
    re.compile("(?!)"),
)
rows(
    "described-as-seen",
    "What a reader sees at the start of a line counts as much as what is written there.",
    together(
        instead("dialects.described.places.as_seen", lambda _: ""), instead("dialects.collect.near_words", none_of_them)
    ),
)
defence(
    "described-veto-shown",
    "A veto is looked for wherever the text is shown.",
    "dialects.described.places._shown_anywhere",
    naive_envelopes.in_paragraphs,
)
rows(
    "described-veto-lines",
    "A line begins where the page shows one, also behind a tag and in a cell.",
    together(
        instead("dialects.described.places.sights", str.splitlines), instead("reading.markdown.page.Page.own_lines", ())
    ),
)
defence(
    "described-each-once",
    "A role speaks once in a document.",
    "dialects.described.reader._each_once",
    lambda signals: signals,
)
defence(
    "described-nothing",
    "What passes where there is nothing needs a sign of work, also where nothing is written as a word.",
    "dialects.described.checks._is_none",
    never,
)
defence("described-orders", "No file that agents take orders from is evidence.", "reading.globs.any_among", never)
rows(
    "described-roles",
    "A word that cannot be read is one of every role that its text names.",
    together(
        instead("dialects.described.reader._Reading._untold", lambda _: ((), ())),
        instead("rules.ledger.at_home", naive.where_they_stand),
    ),
)
defence("one-envelope", "A second envelope is seen however it is written.", "dialects.envelope.reader._others", never)
defence(
    "criteria-told", "A review that passes tells of criteria.", "dialects.envelope.contradictions.covers_nothing", never
)
rows(
    "unrouted-envelopes",
    "What looks like an envelope and is of no form is an invalid word.",
    together(
        instead("dialects.envelope.reader._unrouted", none_of_them),
        instead("dialects.collect.near_words", none_of_them),
    ),
)
rows(
    "said-in-order",
    "A word is stale once what it stands on was said again.",
    without("rules.assess.STALE", "newer word"),
)
defence("asks-for-a-human", "A word that asks for a human gets one.", "rules.desk.Desk.asks", never)
rows(
    "asks-for-qa", "A word that asks for QA gets it, whatever the label.", instead("rules.route.asking", lambda *_: ())
)
rows(
    "asks-stay",
    "An edit takes back nothing that a word asked for.",
    together(instead("rules.route.asking", naive.as_they_stand), instead("rules.desk.asking", naive.as_they_stand)),
)
rows(
    "asks-on-record",
    "What a text asked for is remembered when the text is gone.",
    together(instead("rules.route.asked_and_gone", none_of_them), instead("rules.desk.asked_and_gone", none_of_them)),
)
defence(
    "asks-of-others",
    "Only who asked for something takes it back.",
    "rules.route.whose",
    lambda vote: (vote.role, vote.signal.source.issue),
)
defence("approval-of-the-plan", "An approval of a plan is bound to its text.", "rules.approvals.is_unbound", always)
rows(
    "files-stand",
    "Each file stands for itself: one that fails is not outvoted by another of the same role.",
    without("rules.ledger.ANSWERED_BY", "facts speak as long as they are there"),
)

# answers to directives, and records of the runtime
rows(
    "only-named",
    "What only one program writes counts only from the account that the policy names for it.",
    without("rules.accounts.TRUST", "appointed otherwise", "nobody appointed", "not appointed"),
)
defence("advice-fills-no-seat", "Advice fills no seat.", "policy.load._advice_problems", none_of_them)
defence(
    "acknowledged",
    "An answer repeats the run and the nonce of its directive.",
    "dialects.thehood.rules.acknowledgement_problems",
    none_of_them,
)
defence(
    "evidence-shown",
    "An approval shows what it stands on.",
    "dialects.thehood.reader.evidence_kinds",
    lambda _: frozenset({"diff", "test_log"}),
)
defence(
    "evidence-by-name",
    "A plain reference is evidence only if its name says of what, and is no source file.",
    "dialects.thehood.contradictions._told_by_name",
    naive_envelopes.in_any_letters,
)
defence(
    "evidence-somewhere",
    "A reference that says that there is none is no evidence.",
    "dialects.thehood.contradictions.leads_somewhere",
    always,
)
defence(
    "packets-by-likeness",
    "A record of no known kind that is like a revision packet counts as one.",
    "dialects.thehood.reader.recorder",
    lambda *_: "runtime",
)
defence(
    "asked-again",
    "What a role said before it was asked again is not its answer.",
    "dialects.thehood.rules.unanswered",
    none_of_them,
)
defence("tests-logged", "Changed tests are approved with their log.", "dialects.thehood.rules.untested", none_of_them)
defence("protected-files", "Protected files take a human.", "dialects.thehood.rules.guarded", lambda signal, _: signal)
defence(
    "protected-by-word",
    "So do those that the implementer tells of, in any version of its last answer.",
    "dialects.thehood.rules.told_protected",
    lambda _: (),
)
defence(
    "camel-keys",
    "Only a key in camelCase is read as one in snake_case; no other becomes the same as another.",
    "reading.document.snake_key",
    naive_envelopes.in_small_letters,
)
defence("one-spelling", "All keys of a text have one spelling.", "dialects.described.values.mixed_spelling", nothing)
rows(
    "unrouted-answers",
    "An answer whose payload has no known name is an invalid word of whom it looks like.",
    together(
        instead("dialects.thehood.reader._unrouted", none_of_them), instead("dialects.collect.near_words", none_of_them)
    ),
)
defence(
    "answers-of-anybody",
    "An answer that names no payload may be one of every role.",
    "dialects.thehood.reader._may_be",
    lambda *_: (),
)
defence(
    "later-steps", "Only a decision that delegates is a plan.", "dialects.thehood.reader._step", lambda claim: claim
)
defence(
    "records-stay",
    "A record of the runtime that others took away is not forgotten.",
    "dialects.thehood.rules.vanished",
    lambda *_: (),
)
defence(
    "own-records",
    "Of a record that another edited, what the runtime wrote counts.",
    "dialects.thehood.rules.own_versions",
    naive_envelopes.latest_versions,
)
defence(
    "risky-words",
    "A tag that is like one of those that ask for an audit asks for it.",
    "dialects.envelope.contradictions.is_risky",
    never,
)
defence("high-risks", "A high risk takes an approval back.", "dialects.thehood.reader.says_high", never)
defence(
    "files-not-forgotten",
    "A report in a file that was not good and is gone lets no older one of another medium count again.",
    "rules.removals._pushed_away",
    naive.verdicts_alone,
)
defence(
    "phrases-at-a-glance",
    "Several words that begin a format are found whatever spaces and marks stand between them.",
    "dialects.dialect.holds_phrase",
    never,
)
defence(
    "every-push-exempt",
    "A pull request is exempt by its author only if that account made every push.",
    "rules.route.pushed_alone",
    always,
)
defence("aimed-by-its-author", "Nor if anybody else changed its base.", "rules.route.pushed_alone", naive.pushed_alone)
defence(
    "every-path-exempt",
    "A pull request is exempt by its paths only if all of them are.",
    "rules.route.changes_only",
    always,
)
defence(
    "covered-by-name",
    "A pattern that exempts means files of that name, or what is below a folder, and nothing else of its name.",
    "policy.model.is_covered",
    lambda path, patterns: any_among((path,), patterns),
)
defence(
    "never-exempt", "What stands below .github is exempt by no path.", "policy.model.NEVER_EXEMPT", "no such folder/"
)
defence(
    "never-linked",
    "A plan is left out only where no issue was ever linked.",
    "rules.phases._skipped",
    naive.never_linked,
)
rows(
    "named-commits",
    "A commit that an act names was the head by then.",
    without("rules.acts.UNFIT", "no commit", "commits", "head", "not yet", "not seen"),
)
rows("inline-commands", "Commands in review threads do not count.", without("rules.acts.UNFIT", "inline"))
rows("withdrawals", "Whoever approved can take it back.", without("rules.acts.TAKING_BACK", "command", "meant", "line"))
rows(
    "strayed-objections",
    "An objection in the wrong place keeps its role from passing by an older word.",
    instead("rules.ledger.at_home", naive.where_they_stand),
)
rows(
    "withdrawals-meant",
    "What its author seems to have taken back is in doubt.",
    without("rules.acts.TAKING_BACK", "meant", "line"),
)
defence(
    "withdrawals-stay",
    "A withdrawal that somebody else wrote over still is one.",
    "dialects.collect.overwritten_withdrawals",
    none_of_them,
)
rows(
    "nothing-taken-away",
    "An act does not count once somebody who could not give it took away words of who did.",
    instead("rules.acts.lost_words", nothing),
)
defence(
    "folders-replaced",
    "A link or submodule in place of a folder brings in all that agents take orders from below it.",
    "policy.model.replaces_folder",
    never,
)
defence(
    "judged-as-it-stood",
    "A pass that was written at another head than it names takes a human.",
    "rules.approvals.judged_at_another_head",
    nothing,
)
rows(
    "forced-by-whom",
    "Who forced the branch pushed it, also where the log cannot be read.",
    without("rules.accounts.PUSHES", "forced"),
)
defence("only-boxes", "An edit of more than boxes is an edit.", "dialects.dialect._unticked", lambda _: "")
defence("rendered-boxes", "Only what is rendered as a box is one.", "reading.markdown.page.Page.are_items", always)
defence(
    "fails-are-no-placeholders",
    "A word that objects is no placeholder, whatever followed.",
    "rules.route.made_good",
    always,
)
defence(
    "recorded-failures",
    "What the record has of a role that a quick route leaves out is not forgotten.",
    "rules.route._failures",
    naive.failures_in_sight,
)
defence(
    "made-good-by-its-own",
    "A badly formed word is made good only by its own account.",
    "rules.route.followed_by_own",
    always,
)
rows(
    "own-examples",
    "Who speaks for a role shows no examples of its words.",
    instead("rules.assess._spoken", naive.own_example),
)
defence(
    "blocked-unanswered",
    "What may have been said before a BLOCKED does not answer it.",
    "rules.needs._is_surely_later",
    always,
)
defence(
    "rounds-by-base",
    "A commit that failed for another base is another round.",
    "rules.binding.Timeline.for_base",
    lambda timeline, commit, _: timeline.content(commit),
)
rows(
    "nothing-buried",
    "What is too much to take apart is searched for a FAIL.",
    together(
        instead("dialects.collect._glanced_at", naive.unread_version),
        instead("dialects.collect.near_words", none_of_them),
    ),
)
rows(
    "who-relinks",
    "What an issue asks for holds, unless somebody unlinked it who may lower.",
    instead("rules.route._still_required", none_of_them),
)
defence(
    "regular-evidence",
    "Evidence leaves the content only as a regular file, neither a link nor a submodule.",
    "model.plan.REGULAR_MODES",
    ("100644", "100755", "120000", "160000"),
)
defence(
    "evidence-of-its-issue",
    "Only what can be evidence about a linked issue leaves the content.",
    "model.plan.Evidence.concerns",
    lambda self, path, _: self.holds(path),
)
# reviewers in a box
defence(
    "notices-as-seen",
    "A notice that nothing was reviewed is found as a reader finds it.",
    "dialects.described.places.holds_as_seen",
    lambda text, phrase: phrase in text,
)
rows(
    "lasting-words",
    "Findings in a form of their own stand, whatever the reviewer's other forms say of that content.",
    together(
        without(
            "rules.ledger.ANSWERED_BY",
            "what lasts is answered by what lasts",
            "a reviewer's review is answered by a review",
        ),
        in_row("rules.findings.BODY", "whole", always),
    ),
)
defence("notices", "What only holds the work back is told by phrases.", "dialects.described.places._said", nothing)
defence(
    "expiry",
    "A pass counts until the time that it names, held against that of the snapshot.",
    "dialects.described.declaration.unexpired",
    lambda signal, _now: signal,
)
rows(
    "checks-agree",
    "A PASS over a check that is red, absent or says nothing does not pass.",
    without("rules.needs.PHASE", "checks"),
)
defence(
    "statuses-of-others",
    "A commit status proves nothing if who did the work may have set it.",
    "rules.needs._unproven",
    none_of_them,
)
defence(
    "every-check-of-the-name",
    "Of several checks of one name all must be good.",
    "rules.needs.WORST_FIRST",
    (Why.PASSED,),
)
defence(
    "every-suite",
    "What failed or is under way in another check suite is not hidden by a newer run of the same name.",
    "rules.needs.still_counts",
    never,
)
rows(
    "never-silent",
    "In a format with several roles, a word that tells none of them is of all that it can be of.",
    together(
        instead(
            "rules.binding._of_any",
            lambda signal, _: SpokenRoles(roles=(), problems=(problem("PG125", "nobody's", signal.where),)),
        ),
        instead("rules.ledger.at_home", naive.where_they_stand),
    ),
)
defence(
    "contradictory-results",
    "So is a result that calls itself a PASS and holds a failed check or a blocker.",
    "dialects.pipeline.gather.holds_against",
    never,
)
defence(
    "removed-files",
    "Nor one in a file that somebody takes out of the branch, or writes over who may not speak.",
    "rules.removals._pushed_away",
    none_of_them,
)
defence(
    "no-way-back",
    "A branch that goes back to an older commit brings no newer text.",
    "rules.removals._is_newer",
    lambda _, after, __: after is not None,
)
defence(
    "silenced-agents",
    "An agent's account stays one when its words were dismissed or deleted.",
    "rules.ledger.silenced_agents",
    none_of_them,
)
# attempts and order
defence(
    "history-beside-paths",
    "A phase that the changed paths do not concern keeps its history, and a FAIL of this content.",
    "rules.phases._objections",
    none_of_them,
)
defence(
    "spare-contexts",
    "Where somebody filled a context of the record, it goes into another.",
    "github.writing.publish.SPARE",
    (),
)
defence(
    "room-to-take-back",
    "No success is written where a context takes hardly any more statuses.",
    "github.writing.publish._must_leave_room",
    nothing,
)
rows(
    "nothing-without-record",
    "Where all are full, nothing passes on that commit.",
    without("rules.needs.HISTORY", "record full"),
)

# merge queues
rows(
    "queued-as-judged",
    "A commit of a merge queue brings in what was judged, byte for byte.",
    without("rules.queue.QUEUE", "unjudged"),
)
rows(
    "queued-by-its-ref", "The ref of a queue names the pull request and its base.", without("rules.queue.QUEUE", "ref")
)
rows("queued-in-full", "What a queue brings in is known in full.", without("rules.queue.QUEUE", "unknown"))
rows(
    "queued-decided-again",
    "What stands in a queue is decided again.",
    instead("gate.decide_queued", naive.queued_as_green),
)
defence(
    "queued-on-its-base",
    "A commit of a queue stands on the base that its event names.",
    "github.reading.files.stands_on_its_base",
    always,
)

# findings that stand
THREAD, BODY, REQUEST = "rules.findings.THREAD", "rules.findings.BODY", "rules.findings.REQUEST"
rows(
    "open-threads",
    "An open thread of a reviewer stands.",
    together(without(THREAD, "open"), in_row(THREAD, "resolved", always)),
)
rows("who-resolved", "Who resolved a thread decides.", in_row(THREAD, "resolved", always))
rows("commanded", "A reviewer that was talked to proves nothing.", without(THREAD, "commanded"))
rows("what-was-found-is-back", "What was found is there again.", without(THREAD, "returned"))
defence("another-hand", "What another hand made of a comment is no severity.", "rules.findings.is_own_text", always)
rows("known-to-leave", "What leaves was here, and is not here by another name.", in_row(BODY, "left", always))
defence("renamed", "A new name is no change of a file.", "rules.findings.Raised.is_changed", property(lambda _: True))
rows("bodies-stand", "Findings without a thread stand across contents.", in_row(BODY, "whole", always))
rows("approved-by-itself", "An approval on command takes nothing back.", in_row(REQUEST, "approved", always))
defence(
    "who-acts", "Only a human who may act dismisses.", "rules.accounts.Speaker.act_refusals", property(lambda _: ())
)
