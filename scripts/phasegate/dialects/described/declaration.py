"""The dialect that a format makes, as it declares itself. Builder and reader are loaded on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from phasegate.catalogue import problem
from phasegate.dialects.commands import COMMANDS
from phasegate.dialects.described.forms import LINES, At, Form, Format, Says, outcomes
from phasegate.dialects.dialect import (
    REQUESTED,
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
from phasegate.dialects.registry import BUILT_IN, every_dialect
from phasegate.model.frozen import replace
from phasegate.model.plan import glance
from phasegate.model.problem import Fault, Problem, Severity, Where
from phasegate.model.signal import GOOD, Finding, HowTo, Kind, Medium, Outcome, Place, Role, Signal, Source
from phasegate.reading.document import Document, JsonPath, json_path
from phasegate.reading.globs import ends_like, local_end

# The order in which media are offered to an agent that asks how to report.
SHOWN = (Medium.COMMENT, Medium.REVIEW, Medium.FILE, Medium.CHECK_RUN)
PAGES = {Medium.COMMENT, Medium.REVIEW}
# Signs of bold type and headings, which may be written in more than one way.
MARKS = "*_#> `"


class Described(Dialect):
    """The dialect of a format."""

    reader = "phasegate.dialects.described.reader"

    def __init__(self, told: Format) -> None:
        self.format, self.forms, self.name, self.media = told, told.forms, told.name, told.media
        self._examples: dict[str, str] = {}
        _role = partial(Role, dialect=self.name, media=self.media, only_objects=told.only_objects)
        self.roles = tuple(_role(name=name, does=does) for name, does in told.roles.items())
        self.paths = tuple(dict.fromkeys(form.path for form in self.forms if form.path is not None))
        checks = [form.check for form in self.forms if form.check is not None]
        # A form needs one of its first part's signs; files and check runs are recognised by path and name.
        spoken = [form for form in self.forms if form.media & PAGES]
        triggers = tuple(dict.fromkeys(sign.lstrip(MARKS).lower() for form in spoken for sign in form.lead.signs))
        failing: list[str] = []  # words for a FAIL, and those that are values of a key
        deciding: list[str] = []
        for form in self.forms:
            says = form.outcome or Says()
            failing += (*form.failing, *(form.lead.signs if says.always is Outcome.FAIL else ()))
            rules = [when for rule in says.rules if rule.outcome is Outcome.FAIL for when in rule.when]
            wanted = (value for when in rules for value in when.wanted if isinstance(value, str) and value)
            deciding += (*form.failing, *wanted)
        self.footprint = Footprint(
            triggers=triggers,
            phrases=tuple(filter(None, (glance(trigger) for trigger in triggers if not trigger.isalnum()))),
            evidence=lambda _: self.paths,
            check_apps=tuple(dict.fromkeys(check.app_id for check in checks)),
            check_names=tuple(check.name for check in checks if check.name),
            failing=tuple(dict.fromkeys(failing)),
            deciding=(Deciding(key="", values=tuple(dict.fromkeys(deciding))),) if deciding else (),
            thread=None if told.threads is None else self._thread,
            approves=told.approves,
            whole=any(form.whole is not None for form in self.forms),
            handles=told.handles,
        )

    @property
    def named_roles(self) -> frozenset[str]:
        """The roles that its forms name by constants or maps."""
        constants = (form.role.always for form in self.forms if form.role.always is not None)
        mapped = (role for form in self.forms for role in (form.role.values or {}).values())
        return frozenset((*constants, *mapped))

    def _thread(self, body: str, where: Where) -> Finding:
        from phasegate.dialects.described.words import thread_finding  # noqa: PLC0415  (loaded when it is asked for)

        return thread_finding(self.format.threads or (), self.format.floor, body, where)

    def read(self, text: Text, roles: Sequence[Role]) -> Reading:
        """The words of one text. A text without a trigger is not parsed."""
        on_page = text.source.medium in PAGES
        if on_page and not self.footprint.is_in(text.body or "") and not self._told_by_state(text.source):
            return Reading(text=text)
        from phasegate.dialects.described.reader import read_words  # noqa: PLC0415  (loaded when it is asked for)

        found, _ = read_words(self.format, text, roles)
        silent = all(signal.kind is Kind.REPORT and signal.outcome is None for signal in found)
        text.talk = bool(found) and silent and text.source.state != REQUESTED
        return Reading(text=text, signals=() if text.talk else found)

    def _told_by_state(self, source: Source) -> bool:
        """True if its state alone may make a review a word. Only a bot's: people's states are their own."""
        bot = source.author is not None and source.author.type == "Bot"
        return bot and source.state is not None and any(form.lead.at is At.WHOLE for form in self.forms)

    def together(self, readings: Sequence[Reading], around: Surroundings) -> Gathered:
        """Each text speaks for itself. A pass may expire."""
        signals = (signal for reading in readings for signal in reading.signals)
        return Gathered(signals=tuple(unexpired(signal, around.snapshot.taken_at) for signal in signals))

    def owns(self, path: str) -> bool:
        """True if a local file is one of its documents, by the end of its path."""
        return any(ends_like(each, path) for each in self.paths)

    def check_file(self, file: LocalFile) -> Checked:
        """Checks one local file, by the end of its path. A file elsewhere is not checked."""
        path = file.where.path or file.name
        shape = next((each for each in self.paths if ends_like(each, path)), None)
        if shape is None:
            return Checked(path=str(file.where))
        tail = local_end(shape, path)
        source = Source(id="lint", number=0, url=tail, place=Place.PULL_REQUEST, medium=Medium.FILE, at="")
        missing, body = (file.text, None) if isinstance(file.text, Problem) else (None, file.text)
        text = Text(source=source, where=Where(path=tail), body=body, missing=missing)
        return checked(str(file.where), self.read(text, self.roles).signals, file)

    def nearest(self, text: Text, role: Role) -> str:
        """How close a text comes to a form that the role may use."""
        from phasegate.dialects.described.reader import nearest  # noqa: PLC0415  (loaded when it is asked for)

        return nearest(self._spoken_by(role), text)

    def _spoken_by(self, role: Role) -> list[Form]:
        return [form for form in self.forms if form.role.always in (None, role.name)] or list(self.forms)

    def how_to(self, role: Role) -> HowTo:
        """The form in which a role may pass, and how to ask its agent for it."""
        forms = self._spoken_by(role)
        form = min(forms, key=lambda each: (Outcome.PASS not in outcomes(each), Outcome.FAIL in outcomes(each)))
        medium, lead = next(medium for medium in SHOWN if medium in form.media), form.lead
        return HowTo(
            medium=medium,
            marker=lead.words if medium is not Medium.FILE else "",
            heading=lead.signs[0] if lead.signs and not lead.words else "",
            path=form.template if medium is Medium.FILE else "",
            schema=lead.schema_file or "",
            request=self.format.request,
            whole=self.format.whole or self.format.request,
            reviewer=self.format.reviewer,
            example="" if self.format.request or self.format.reviewer else self._example(role),
        )

    def _example(self, role: Role) -> str:
        """The smallest word by which a role objects. Made once, because it is read to prove it."""
        if role.name not in self._examples:
            from phasegate.dialects.described.example import example  # noqa: PLC0415  (seldom needed)

            self._examples[role.name] = example(self.format, role, (role, *self.roles))
        return self._examples[role.name]


def unexpired(signal: Signal, now: str) -> Signal:
    """The signal; an expired pass becomes invalid. ``now`` is the snapshot's time."""
    if signal.outcome not in GOOD or not signal.expires or now < signal.expires:
        return signal
    over = problem("PG926", f"its {signal.said or 'pass'} expired at {signal.expires}", signal.where)
    return replace(signal, outcome=Outcome.BLOCKED, said="expired", problems=(*signal.problems, over))


def checked(path: str, signals: tuple[Signal, ...], file: LocalFile) -> Checked:
    """The result for a local file: its first outcome, unless a later one is worse."""
    outcomes = [signal.outcome for signal in signals if signal.outcome is not None]
    found = [item for signal in signals for item in signal.problems]
    problems = tuple(replace(item, where=replace(item.where, path=file.where.path, url=None)) for item in found)
    errors = any(item.severity is Severity.ERROR for item in problems)
    worst = next((outcome for outcome in outcomes if outcome in (Outcome.FAIL, Outcome.BLOCKED)), None)
    return Checked(path=path, outcome=worst or (outcomes[0] if outcomes and not errors else None), problems=problems)


def described_formats(
    told: Mapping[str, Any], files: Mapping[str, str], document: Document, where: Where
) -> tuple[dict[str, Described], tuple[Problem, ...]]:
    """The dialects of some descriptions, and everything wrong with these."""
    if not told:
        return {}, ()
    from phasegate.dialects.described.build import build_format  # noqa: PLC0415  (only where there are formats)

    def at(path: JsonPath, code: str, message: str) -> None:
        wrong.append(problem(code, message, where.at(document.key_position(path), json_path(path))))

    made: dict[str, Described] = {}
    wrong: list[Problem] = []
    for name, description in told.items():
        if name in BUILT_IN:
            at(("formats", name), "PG906", f"{name} is the name of a dialect; call the format otherwise")
            continue
        built = build_format(name, description, files)
        if isinstance(built, Format):
            made[name] = Described(built)
            continue
        for item in built:
            at(("formats", name, *item.path), item.code, f"format {name}: {item.message}")
    for name, message in _confusions(made):
        at(("formats", name), "PG906", f"format {name}: {message}")
    return made, tuple(wrong)


def _confusions(made: Mapping[str, Described]) -> Iterator[tuple[str, str]]:
    """Formats that could be mistaken for a command, a built-in dialect, or each other in one medium."""
    taken = {trigger: each.name for each in every_dialect() for trigger in each.footprint.triggers}
    leads = [(name, form.lead, form.media) for name, each in made.items() for form in each.forms]
    chosen = (*LINES, At.SAYS)  # of lines and phrases of one format that begin alike, what reads is meant
    for name, lead, media in leads:
        others = [
            sign
            for other, part, others in leads
            if media & others and lead is not part
            if name != other or lead.at not in chosen or part.at not in chosen
            for sign in part.signs
        ]
        for sign in lead.signs:
            lowered = sign.lower()
            owner = next((taken[trigger] for trigger in taken if trigger in lowered), None)
            if owner is not None or COMMANDS in lowered:
                yield name, f'"{sign}" belongs to {owner or "human commands"}; use words of its own'
            wider = next((other for other in others if other != sign and other.lower() in lowered), None)
            if wider is not None:
                yield name, f'"{sign}" holds "{wider}", by which another form is told; use other words'


def schema_paths(text: str) -> tuple[str, ...]:
    """The paths of schemas and descriptions named in a policy's text, to be fetched."""
    if "schema_file" not in text and "from" not in text:
        return ()
    from phasegate.reading.yaml import POLICY_LIMITS, read_yaml  # noqa: PLC0415  (the codes here are listed without it)

    document = read_yaml(text, limits=POLICY_LIMITS)
    value = None if isinstance(document, Fault) else document.value
    formats = value.get("formats") if isinstance(value, dict) else None
    return tuple(dict.fromkeys(_named(formats))) if isinstance(formats, dict) else ()


def _named(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("schema_file", "from") and isinstance(inner, str):
                yield inner
            else:
                yield from _named(inner)
