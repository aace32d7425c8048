"""What TheHood's dialect declares: its seats, its advisers, its runtime, and its settings in a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from phasegate.dialects.dialect import (
    Adjustable,
    Checked,
    Deciding,
    Dialect,
    Footprint,
    Gathered,
    LocalFile,
    Reading,
    Surroundings,
    Text,
)
from phasegate.model.codec import from_data
from phasegate.model.frozen import dataclass
from phasegate.model.plan import Evidence, begins_like
from phasegate.model.signal import Does, HowTo, Medium, Role, Subject

if TYPE_CHECKING:
    from phasegate.dialects.thehood.reader import Answers
    from phasegate.reading.document import Json

NAME = "thehood"
MARKER, RECORD = "thehood:agent-response", "thehood:runtime"
SPOKEN = frozenset({Medium.COMMENT, Medium.REVIEW})
ORCHESTRATOR, STEP, IMPLEMENTER, VERIFIER = "orchestrator", "orchestrator-step", "implementer", "verifier"
TEST_LOG, RUNTIME, PACKET = "test-log", "runtime", "revision-packet"
# A directive's effect on the role that it asks, until the role answers.
ASKED = {IMPLEMENTER: "directive-to-implementer", VERIFIER: "directive-to-verifier"}
# The payloads of answers and the records of the runtime, each with its author.
PAYLOADS = {
    "decision": ORCHESTRATOR,
    "implementation_result": IMPLEMENTER,
    "verification_result": VERIFIER,
    "qa_result": "qa-tester",
    "critique_result": "critic",
    "reconciliation_result": "reconciler",
    "research_result": "researcher",
    "integration_result": "integrator",
    "citation_result": "citation",
}
# The smallest payload of each role that a phase waits for; a judging one finds something to fix.
EXAMPLES = {
    "decision": '{"action": "delegate", "reason": "Why.", "next_role": "implementer"}',
    "implementation_result": '{"status": "changed", "changed_files": '
    '[{"path": "src/auth.py", "change_type": "modified"}]}',
    "verification_result": '{"verdict": "revise", "summary": "Expired tokens are accepted.", "evidence": '
    '[{"kind": "diff", "ref": "diff.patch", "finding": "No expiry."}], "failed_criteria": ["AC1"], "risks": [], '
    '"next_action": {"role": "implementer", "instruction": "Compare the expiry with the clock."}}',
}
RECORDS = {"critic_trigger": RUNTIME, "revision_packet": PACKET, "fanout": RUNTIME, "directive": RUNTIME}
VERIFIED = (
    '\n\nIf nothing has to be fixed: "verdict": "approve", the diff and the log of the tests as evidence, '
    '"failed_criteria": [] and "next_action": {"role": "none", "instruction": ""}.'
)
WITHOUT_CONTRACT = ("research_result", "integration_result", "citation_result")
VARIABLES = ("run", "orchestrator", "worker", "verifier", "memory", "reconciliation")
LINTED = (".thehood.json", ".thehood.yml", ".thehood.yaml")
SEATS = {"planner": ORCHESTRATOR, "qa": "qa-tester"}  # a directive's name for a role, and the name of its seat
NO_PATTERN = frozenset("{}[]!\\")
PROTECTED = (
    "**/test/**",
    "**/tests/**",
    "**/*.spec.*",
    "**/*.test.*",
    "**/__snapshots__/**",
    "**/fixtures/**",
    "**/evals/**",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Directive:
    """What an answer must acknowledge: a run, and the nonce and role if given.

    A posted directive has a time and, on an issue, the issue's number.
    """

    run_id: str
    nonce: str | None = None
    role: str | None = None
    at: str = ""
    issue: int | None = None

    def asks(self, roles: tuple[str, ...]) -> bool:
        """True if it addresses one of these seats."""
        return self.role is None or SEATS.get(self.role, self.role) in roles


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """A policy's settings."""

    files: str | None = None
    evidence: bool = False
    directives: tuple[Directive, ...] = ()
    protected: tuple[str, ...] = PROTECTED


def _roles(media: frozenset[Medium]) -> Iterator[Role]:
    role = partial(Role, dialect=NAME, media=media)
    yield role(name=ORCHESTRATOR, does=Does.CREATES, about=Subject.NOTHING)
    judged = (IMPLEMENTER, PACKET, ASKED[VERIFIER])
    yield role(name=IMPLEMENTER, does=Does.CREATES, after=(PACKET, ASKED[IMPLEMENTER]))
    yield role(name=VERIFIER, does=Does.CHALLENGES, after=judged)
    yield role(name=TEST_LOG, does=Does.CHALLENGES, after=(VERIFIER, *judged), part_of=VERIFIER)
    advice = partial(role, about=Subject.NOTHING, advisory=True)
    for name in ("qa-tester", "critic"):
        yield advice(name=name, does=Does.CHALLENGES)
    for name in (STEP, "reconciler", "researcher", "integrator", "citation"):
        yield advice(name=name, does=Does.CREATES)
    yield advice(name=RUNTIME, does=Does.CREATES, only_named=True)
    for name in (PACKET, *ASKED.values()):
        yield advice(name=name, does=Does.CREATES, only_named=True, part_of=RUNTIME)


DECIDING = (
    Deciding(key="verdict", values=("revise", "abort", "ask_user")),
    Deciding(key="status", values=("failed", "blocked")),
    Deciding(key="action", values=("abort", "revise_plan", "ask_user")),
)


class TheHood(Adjustable):
    """The dialect: answers and records in comments and reviews, and in files if the policy says so."""

    name = NAME
    reader = "phasegate.dialects.thehood.reader"
    options = f"{NAME}/options"

    def __init__(self, told: Options = Options(), shape: Evidence | None = None) -> None:  # noqa: B008  (it is frozen)
        self.told = told
        self.shape = shape
        self.media = SPOKEN if shape is None else SPOKEN | {Medium.FILE}
        self.roles = tuple(_roles(self.media))
        self.footprint = Footprint(
            triggers=(MARKER, RECORD),
            phrases=tuple("".join(filter(str.isalnum, mark)) for mark in (MARKER, RECORD)),
            evidence=self._evidence,
            failing=("revise", "abort"),
            deciding=DECIDING,
        )

    def adjusted(self, told: Mapping[str, Json]) -> Dialect | str:
        """The dialect with a policy's settings."""
        from phasegate.reading.globs import read_path  # noqa: PLC0415  (loaded when it is asked for)

        options = from_data(Options, {**told})
        shape = None if options.files is None else read_path(options.files, evidence=options.evidence)
        if isinstance(shape, str):
            return f"files: {shape}"
        if shape is not None and shape.names:
            return "files: the name varies, write {name}.json"
        wrong = next((each for each in options.protected if set(each) & NO_PATTERN or not each.strip("./")), None)
        if wrong is not None:
            return f'protected: "{wrong}" is not a pattern (write **/tests/**, *.test.* or golden)'
        return TheHood(options, shape)

    def _evidence(self, folder: str | None) -> tuple[Evidence, ...]:
        del folder
        return () if self.shape is None else (self.shape,)

    @cached_property
    def _answers(self) -> Answers:
        from phasegate.dialects.thehood.reader import Answers  # noqa: PLC0415  (loaded when it is asked for)

        return Answers(self.told)

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The answer or record in one text."""
        body = text.body or ""
        if text.source.medium not in self.media:
            return Reading(text=text)
        if text.source.pushed:
            held = self.shape is not None and self.shape.holds(text.where.path or "")
            return self._answers.read(text, roles) if held else Reading(text=text)
        if not any(trigger in body.lower() or begins_like(trigger, body) for trigger in (MARKER, RECORD)):
            return Reading(text=text)
        return self._answers.read(text, roles)

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """The answers, compared with directives, evidence and the pull request's changes."""
        if not any(reading.signals for reading in readings):
            return Gathered()
        from phasegate.dialects.thehood.rules import together  # noqa: PLC0415  (loaded when it is asked for)

        return together(readings, around, self.told)

    def owns(self, path: str) -> bool:
        """True if a local file is one of its documents: by the policy's path, or by the end of its name."""
        from phasegate.reading.globs import ends_like  # noqa: PLC0415  (loaded when it is asked for)

        return path.endswith(LINTED) or (self.shape is not None and ends_like(self.shape, path))

    def check_file(self, file: LocalFile) -> Checked:
        """Checks one answer, record or block of variables."""
        from phasegate.dialects.thehood.reader import check_file  # noqa: PLC0415  (loaded when it is asked for)

        return check_file(file, self.roles)

    def how_to(self, role: Role) -> HowTo:
        """A block with the marker and the role's payload."""
        kind = next((kind for kind, name in {**PAYLOADS, **RECORDS}.items() if name == role.file), "agent_response")
        schema = "agent_response" if kind in WITHOUT_CONTRACT else kind
        marker = RECORD if role.file == RUNTIME else MARKER
        said = f'{{"status": "ok", "summary": "What you did.", "data": {{"{kind}": {EXAMPLES.get(kind)}}}}}'
        example = f"What you did, in a sentence.\n\n```{marker}\n{said}\n```" if kind in EXAMPLES else ""
        example += VERIFIED * (kind == "verification_result")
        return HowTo(medium=Medium.COMMENT, marker=marker, schema=f"{NAME}/{schema}", example=example)


DIALECT = TheHood()
