"""Reviewers in a box: what looks like their word, and must not count."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import attack
from tests.casebook.evidence import PRODUCT
from tests.casebook.reviewers import (
    BMAD,
    BUGBOT,
    CLAIMED,
    CLEAN_BUGBOT,
    CODEX_FINDINGS,
    CODEX_LIMITS,
    FAILS,
    GAPS,
    GSD,
    UNSEEN,
    WAITS,
    account,
    actionable,
    bmad,
    bugbot,
    codex,
    copilot,
    findings_on,
    greptile,
    greptile_marked,
    gsd,
    notice,
    policy,
    reviews,
    runs,
    says,
    walkthrough,
)
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import URL, World, commit

waits = partial(attack, "reviewers", phases=WAITS)
fails = partial(attack, "reviewers", phases=FAILS)


@fails(defence="escalation", because="Escalated: 4 failing rounds")
def coderabbit_tried_until_it_passed(world: World) -> None:
    """The policy sets max_attempts: 3, four contents have findings, and the fifth has none."""
    findings_on(world, 4, ", max_attempts: 3")


TEXTS = {"coderabbit": walkthrough(), "codex": codex(), "greptile": greptile()}

for _name, _text in TEXTS.items():

    def _pasted(world: World, name: str = _name, text: str = _text) -> None:
        world.under(policy(name)).says("ben", text)

    def _twin(world: World, name: str = _name, text: str = _text) -> None:
        world.under(policy(name)).then(says, name, text, author={**account(name), "id": 4711})

    def _older(world: World, name: str = _name, text: str = _text) -> None:
        world.under(policy(name)).then(says, name, text).push("b")

    waits(
        f"{_name}-pasted",
        "Somebody with write permission pastes what the reviewer would say.",
        defence="only-named",
        codes="PG229",
    )(_pasted)
    waits(
        f"{_name}-twin", "An account with the reviewer's login and another id.", defence="accounts-by-id", codes="PG204"
    )(_twin)
    waits(f"{_name}-stale", "A push after the reviewer was content.", defence="same-content")(_older)


@fails(defence="described-vetoes", codes="PG918")
def greptile_marked_lower(world: World) -> None:
    """The heading that people see tells a better score than the marker that machines read."""
    world.under(policy("greptile")).then(says, "greptile", greptile_marked(5, 3))


@fails(defence="lasting-words", codes="PG912")
def codex_findings_renamed(world: World) -> None:
    """The findings stand under another heading than usual, and a clean comment follows."""
    world.under(policy("codex")).then(reviews, "codex", CODEX_FINDINGS.replace("###", "##"))
    says(world, "codex", codex())


def _noticed(world: World, name: str, clean: str, words: str) -> None:
    """A notice after a clean word about the same content."""
    world.under(policy(name)).then(says, name, clean).then(says, name, words)


for _name, _clean, _words in (
    ("codex", codex(), CODEX_LIMITS.replace("Codex usage limits", "CODEX usage  limits")),
    ("coderabbit", walkthrough(), notice("rate limited").replace("auto-generated comment", "Auto-generated\ncomment")),
):
    waits(
        f"{_name}-limits-in-other-letters",
        "The notice that it did not run has other letters and spaces than those that were seen.",
        defence="notices-as-seen",
    )(partial(_noticed, name=_name, clean=_clean, words=_words))


@waits(defence="only-named", codes="PG229")
def copilot_pasted(world: World) -> None:
    """A colleague pastes Copilot's clean review."""
    world.under(policy("copilot")).reviewed("ben", copilot())


@waits(defence="notices")
def copilot_hushed(world: World) -> None:
    """The only finding was suppressed."""
    world.under(policy("copilot")).then(reviews, "copilot", copilot(fold="Suppressed comments (1)"))


@fails(defence="lasting-words")
def coderabbit_walked_over(world: World) -> None:
    """The walkthrough is renewed after the findings."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", actionable(2))
    says(world, "coderabbit", walkthrough())


@fails(defence="described-findings")
def coderabbit_outside_the_diff(world: World) -> None:
    """The finding is put outside of the diff, where it is not counted."""
    world.under(policy("coderabbit"))
    reviews(world, "coderabbit", actionable(0, "⚠️ Outside diff range comments (2)"))


@fails(defence="described-once", codes="PG030")
def coderabbit_echoed(world: World) -> None:
    """The reviewer is made to quote a coverage marker before its own."""
    world.under(policy("coderabbit"))
    forged = next(line for line in walkthrough().splitlines() if "coverage" in line)
    says(world, "coderabbit", f"{forged}\n\n{walkthrough(kind='partial')}")


@waits(defence="own-orders", because=".coderabbit.yaml may steer the agents")
def coderabbit_steered(world: World) -> None:
    """The pull request rewrites the reviewer's configuration."""
    world.under(policy("coderabbit"))
    entries = [{"path": PRODUCT[0]}, {"path": ".coderabbit.yaml", "status": "modified"}]
    world.touches(*entries).then(says, "coderabbit", walkthrough())


@waits(defence="pusher-does-not-judge", codes="PG202")
def coderabbit_own_fix(world: World) -> None:
    """The reviewer pushes a fix of its own, and is content with it."""
    world.under(policy("coderabbit")).push("b")
    world.moves[-1]["actor"] = account("coderabbit")
    says(world, "coderabbit", walkthrough("b"))


@waits(defence="described-when", codes="PG222")
def coderabbit_made_to_repeat(world: World) -> None:
    """Somebody asks the reviewer to repeat its own marker, and it does."""
    world.under(policy("coderabbit"))
    marker = next(line for line in walkthrough().splitlines() if "coverage" in line)
    says(world, "coderabbit", f"You wrote:\n\n{marker}\n")


@fails(defence="told-by-state")
def coderabbit_asked_silently(world: World) -> None:
    """It requests changes without a word."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", "", state="CHANGES_REQUESTED")
    says(world, "coderabbit", walkthrough())


@waits(defence="unread-reviews", codes="PG222")
def coderabbit_in_new_words(world: World) -> None:
    """Its findings are in words that nobody has seen, and the walkthrough covers the head."""
    world.under(policy("coderabbit")).then(reviews, "coderabbit", UNSEEN)
    says(world, "coderabbit", walkthrough())


@waits(defence="unread-reviews", codes="PG222")
def bugbot_in_new_words(world: World) -> None:
    """A second run finds something in new words."""
    world.under(policy("bugbot")).then(runs, "bugbot", **CLEAN_BUGBOT)
    runs(world, "bugbot", **{**CLEAN_BUGBOT, "summary": UNSEEN, "conclusion": "neutral", "id": 10})


@fails(defence="newest-run")
def bugbot_run_outlasted(world: World) -> None:
    """A clean run ends after the newer one that found something."""
    world.under(policy("bugbot"))
    runs(world, "bugbot", **BUGBOT, summary=bugbot("and found 2 potential issues."))
    older = {"id": 8, "started_at": world.opened, "completed_at": world.tick()}
    runs(world, "bugbot", **{**CLEAN_BUGBOT, **older})


@waits(defence="newest-run")
def bugbot_run_queued(world: World) -> None:
    """Asked for a second run, which is queued, the reviewer has not passed."""
    world.under(policy("bugbot")).then(runs, "bugbot", **CLEAN_BUGBOT)
    runs(world, "bugbot", **BUGBOT, status="queued", conclusion=None, started_at=None, completed_at=None)


@waits(defence="notices")
def copilot_hushed_in_a_heading(world: World) -> None:
    """Suppressed in a heading."""
    world.under(policy("copilot"))
    reviews(world, "copilot", f"{copilot()}\n### Comments suppressed due to low confidence (1)\n")


@waits(defence="whole-lines", codes="PG912")
def greptile_commit_by_title(world: World) -> None:
    """The title of the commit that was reviewed is a link to another one, which becomes the head again."""
    world.policy = policy("greptile") + "instructions: {guard: false}\n"  # or a human would have to look anyway
    world.push("b").push("c")
    title = f"x]({URL}/commit/{commit('b')}) [y"
    world.then(says, "greptile", greptile(head="c").replace("[retry uploads]", f"[{title}]")).push("b")


for _name, _seat in (("gsd", "judge"), ("coderabbit", "inspector")):

    @attack(
        "order",
        f"{_name}-in-the-seat-of-{_seat}",
        "The Inspector confirms what nobody has challenged; one of the two is a reviewer of another dialect.",
        defence="confirmed-last",
        phases=BUILD_WAITS,
        codes="PG527" if _name == "gsd" else "",
        because="spoke before",
    )
    def _(world: World, name: str = _name, seat: str = _seat) -> None:
        login = ", login: ben" if name == "gsd" else ""
        world.under(f"version: 1\nagents: {{accounts: [{{format: {name}{login}, roles: [{seat}]}}]}}\n")
        world.planned()
        if seat == "judge":
            world.passed_by("inspector").commits("f", {GSD: gsd()}, by="ben")
        else:
            world.then(says, name, walkthrough()).passed_by("judge")
        world.tested()


@fails(defence="described-keys", codes="PG527 PG025")
def gsd_one_gap(world: World) -> None:
    """The gap stands under a key for one of them."""
    world.under(policy("gsd")).commits("f", {GSD: gsd(more='gap:\n  - truth: "refunds are idempotent"\n')})


@fails(defence="described-keys", codes="PG025")
def bmad_nfr_in_camels(world: World) -> None:
    """What it has to say of security stands under a key in other letters."""
    world.under(policy("bmad")).commits("f", {BMAD: bmad(more="nfrValidation: {security: FAIL}\n")})


@fails(defence="described-vetoes", codes="PG527 PG918")
def gsd_gaps_passed(world: World) -> None:
    """Passed over a gap that it lists."""
    world.under(policy("gsd")).commits("f", {GSD: gsd(more=GAPS)})


@fails(defence="described-findings")
def greptile_outside_diff(world: World) -> None:
    """The best score over a finding that stands outside of the diff, in a fold."""
    world.under(policy("greptile"))
    fold = "<details><summary><h3>Comments Outside Diff (1)</h3></summary>\n\nText.\n\n</details>\n\n<sub>Last"
    says(world, "greptile", greptile().replace("<sub>Last", fold))


@waits(defence="same-content")
def codex_late_word(world: World) -> None:
    """A clean word of the commit before the push, posted after it."""
    world.under(policy("codex")).push("b").then(says, "codex", codex("a"))


@waits(defence="described-vetoes", codes="PG918")
def codex_of_no_commit(world: World) -> None:
    """A clean word that names no commit."""
    world.under(policy("codex")).then(says, "codex", codex(None))


@fails(defence="described-vetoes", codes="PG918")
def bugbot_left_over(world: World) -> None:
    """A clean run over issues of before."""
    world.under(policy("bugbot"))
    left = CLEAN_BUGBOT["summary"].replace("found! ✅", "found. 2 previously reported issues remain unresolved.")
    runs(world, "bugbot", **{**CLEAN_BUGBOT, "summary": left})


@waits(defence="only-named", codes="PG229 PG527")
def gsd_pushed_by_another(world: World) -> None:
    """Somebody else pushes the report."""
    world.under(policy("gsd")).commits("f", {GSD: gsd()}, by="ben")


@waits(defence="expiry", codes="PG926")
def bmad_expired_gate(world: World) -> None:
    """An old gate is pushed again."""
    world.under(policy("bmad")).commits("f", {BMAD: bmad(more='expires: "2025-12-31"\n')})


@waits(defence="asks-for-a-human")
def bmad_waived_alone(world: World) -> None:
    """The agent waives its own gate."""
    world.under(policy("bmad")).commits("f", {BMAD: bmad("WAIVED", CLAIMED)})


@waits(defence="same-content", codes="PG303")
def bmad_stale(world: World) -> None:
    """The product has changed since the gate."""
    world.under(policy("bmad")).commits("f", {BMAD: bmad()}).push("b")
