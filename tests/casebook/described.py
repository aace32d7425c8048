"""Stories of teams whose formats are described: honest words beside which the attacks on the same formats stand."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.described import (
    ANY_HIGH,
    FINDINGS,
    IN_ORDER,
    IN_REVIEWS,
    OF_COMMIT,
    PAIRS,
    TWO_FORMS,
    WORST,
    carried,
    ended,
    says,
)
from tests.casebook.story import GREEN, story
from tests.casebook.world import World, commit

ONE_LINE = TWO_FORMS.replace(
    'good: {read: {word: {marker: "our:clean", as: json}}, outcome: {of: word/says, map: {clean: pass}}}',
    "good: {read: {word: {line: true, pattern: 'Blocking: (?P<says>nothing) in (?P<n>[1-9][0-9]{0,3}) files'}}, "
    "outcome: {of: word/says, map: {nothing: pass}}, done: [{of: word/n, above: 0}]}",
)
APPROVED = f"<!-- our:word verdict=approve head={commit('a')} -->"
WORDS = {
    "false": (FINDINGS, carried("our:review", verdict="approve", blocked=False), "A veto that is told and not meant."),
    "null": (FINDINGS, carried("our:review", verdict="approve", blocked=None), "A veto of which nothing is said."),
    "own-pairs": (PAIRS, "<!-- our:review verdict=approve ran=true failed=0 errors=none -->", "Pairs of its own."),
    "pairs": (PAIRS, "<!-- our:review verdict=approve blocked=false -->", "The same as a pair."),
    "no-list": (ANY_HIGH, carried("our:review", verdict="approve", issues=None), "A list that is null has no members."),
    "left-out": (ANY_HIGH, carried("our:review", verdict="approve"), "A list that is left out has none either."),
    "low": (WORST, carried("our:worst", files="2", findings=[{"severity": "low"}]), "A count that is written as text."),
    "one-line": (ONE_LINE, "Blocking: nothing in 7 files", "Two forms whose lines begin alike."),
    "in-order": (
        IN_ORDER,
        f"{carried('our:style', says='clean')}\n\n{carried('our:safety', says='clean')}",
        "Two forms that both pass.",
    ),
    "status": (FINDINGS, carried("our:review", verdict="approve", status="done"), "A key that nobody asks for."),
}
passes = partial(story, phases=GREEN)

for _name, (_policy, _text, _says) in WORDS.items():

    @passes(f"described-{_name}", _says)
    def _word(world: World, policy: str = _policy, text: str = _text) -> None:
        says(world, policy, text)


for _end in ("success", "neutral"):

    @passes(f"described-run-{_end}", "A check run that ended well.")
    def _run(world: World, conclusion: str = _end) -> None:
        ended(world, conclusion)


@passes()
def described_run_cancelled_with_a_finding(world: World) -> None:
    """It had found something when it was cancelled; a later run finds nothing."""
    ended(world, "cancelled")
    world.changes["checks"][0]["title"] = "blocking: 1, files: 3"
    world.look("it still fails")
    ended(world, "success")
    world.changes["checks"][0]["id"] = 10


@passes()
def described_run_again(world: World) -> None:
    """A check run was cancelled, and the one after it ended well."""
    ended(world, "cancelled")
    (first,) = world.changes["checks"]
    ended(world, "success")
    world.changes["checks"] = [first, {**world.changes["checks"][0], "id": 10}]


@passes(codes="PG031 PG125")
def described_marker_mentioned(world: World) -> None:
    """Somebody who never judged speaks of the marker."""
    says(world, FINDINGS, carried("our:review", verdict="approve"))
    world.says("mona", "The next one should hold `our:review` again; our: review is not read.")


for _state in ("COMMENTED", "APPROVED"):

    @passes(f"described-review-{_state.lower()}", "A pass in a review that requests nothing.")
    def _reviewed(world: World, state: str = _state) -> None:
        world.under(IN_REVIEWS).reviewed("ana", carried("our:review", verdict="approve"), state=state)


@passes()
def described_other_commit(world: World) -> None:
    """A veto of another head, named in full or shortened."""
    world.push("b")
    approved = f"<!-- our:word verdict=approve head={commit('b')} -->"
    says(world, OF_COMMIT, f"[BLOCK-MERGE] {commit('a')}\n[BLOCK-MERGE] {commit('a')[:7]}\n\n{approved}")
