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
    leaves,
    notice,
    policy,
    reviews,
    runs,
    says,
    walkthrough,
)
from tests.casebook.story import BUILD_WAITS
from tests.casebook.world import URL, World, commit

waits = partial(attack, "reviewers", state="pending", phases=WAITS)
fails = partial(attack, "reviewers", state="failure", phases=FAILS)


@fails(
    "coderabbit-tried-until-it-passed",
    "The policy sets max_attempts: 3, four contents have findings, and the fifth has none.",
    defence="escalation",
    because="Escalated: 4 failing rounds",
)
def _(world: World) -> None:
    findings_on(world, 4, ", max_attempts: 3")


TEXTS = {"coderabbit": walkthrough(), "codex": codex(), "greptile": greptile()}

for _name, _text in TEXTS.items():

    def _pasted(world: World, name: str = _name, text: str = _text) -> None:
        world.policy = policy(name)
        world.say("ben", text)

    def _twin(world: World, name: str = _name, text: str = _text) -> None:
        world.policy = policy(name)
        says(world, name, text, author={**account(name), "id": 4711})

    def _older(world: World, name: str = _name, text: str = _text) -> None:
        world.policy = policy(name)
        says(world, name, text)
        world.push("b")

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


@fails(
    "greptile-marked-lower",
    "The heading that people see tells a better score than the marker that machines read.",
    defence="described-vetoes",
    codes="PG918",
)
def _(world: World) -> None:
    world.policy = policy("greptile")
    says(world, "greptile", greptile_marked(5, 3))


@fails(
    "codex-findings-renamed",
    "The findings stand under another heading than usual, and a clean comment follows.",
    defence="lasting-words",
    codes="PG912",
)
def _(world: World) -> None:
    world.policy = policy("codex")
    reviews(world, "codex", CODEX_FINDINGS.replace("###", "##"))
    says(world, "codex", codex())


def _noticed(world: World, name: str, clean: str, words: str) -> None:
    """A notice after a clean word about the same content."""
    world.policy = policy(name)
    says(world, name, clean)
    says(world, name, words)


for _name, _clean, _words in (
    ("codex", codex(), CODEX_LIMITS.replace("Codex usage limits", "CODEX usage  limits")),
    ("coderabbit", walkthrough(), notice("rate limited").replace("auto-generated comment", "Auto-generated\ncomment")),
):
    waits(
        f"{_name}-limits-in-other-letters",
        "The notice that it did not run has other letters and spaces than those that were seen.",
        defence="notices-as-seen",
    )(partial(_noticed, name=_name, clean=_clean, words=_words))


@waits("copilot-pasted", "A colleague pastes Copilot's clean review.", defence="only-named", codes="PG229")
def _(world: World) -> None:
    world.policy = policy("copilot")
    world.review("ben", copilot())


@waits("copilot-hushed", "The only finding was suppressed.", defence="notices")
def _(world: World) -> None:
    world.policy = policy("copilot")
    reviews(world, "copilot", copilot(fold="Suppressed comments (1)"))


@fails("coderabbit-walked-over", "The walkthrough is renewed after the findings.", defence="lasting-words")
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    reviews(world, "coderabbit", actionable(2))
    says(world, "coderabbit", walkthrough())


@fails(
    "coderabbit-outside-the-diff",
    "The finding is put outside of the diff, where it is not counted.",
    defence="described-findings",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    reviews(world, "coderabbit", actionable(0, "⚠️ Outside diff range comments (2)"))


@fails(
    "coderabbit-echoed",
    "The reviewer is made to quote a coverage marker before its own.",
    defence="described-once",
    codes="PG030",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    forged = next(line for line in walkthrough().splitlines() if "coverage" in line)
    says(world, "coderabbit", f"{forged}\n\n{walkthrough(kind='partial')}")


@waits(
    "coderabbit-steered",
    "The pull request rewrites the reviewer's configuration.",
    defence="own-orders",
    because=".coderabbit.yaml may steer the agents",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    entries = [{"path": PRODUCT[0]}, {"path": ".coderabbit.yaml", "status": "modified"}]
    world.changes["files"] = {"complete": True, "entries": entries}
    says(world, "coderabbit", walkthrough())


@waits(
    "coderabbit-own-fix",
    "The reviewer pushes a fix of its own, and is content with it.",
    defence="pusher-does-not-judge",
    codes="PG202",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    world.push("b")
    world.moves[-1]["actor"] = account("coderabbit")
    says(world, "coderabbit", walkthrough("b"))


@waits(
    "coderabbit-made-to-repeat",
    "Somebody asks the reviewer to repeat its own marker, and it does.",
    defence="described-when",
    codes="PG222",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    marker = next(line for line in walkthrough().splitlines() if "coverage" in line)
    says(world, "coderabbit", f"You wrote:\n\n{marker}\n")


@fails("coderabbit-asked-silently", "It requests changes without a word.", defence="told-by-state")
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    reviews(world, "coderabbit", "", state="CHANGES_REQUESTED")
    says(world, "coderabbit", walkthrough())


@waits(
    "coderabbit-in-new-words",
    "Its findings are in words that nobody has seen, and the walkthrough covers the head.",
    defence="unread-reviews",
    codes="PG222",
)
def _(world: World) -> None:
    world.policy = policy("coderabbit")
    reviews(world, "coderabbit", UNSEEN)
    says(world, "coderabbit", walkthrough())


@waits("bugbot-in-new-words", "A second run finds something in new words.", defence="unread-reviews", codes="PG222")
def _(world: World) -> None:
    world.policy = policy("bugbot")
    runs(world, "bugbot", **CLEAN_BUGBOT)
    runs(world, "bugbot", **{**CLEAN_BUGBOT, "summary": UNSEEN, "conclusion": "neutral", "id": 10})


@fails("bugbot-run-outlasted", "A clean run ends after the newer one that found something.", defence="newest-run")
def _(world: World) -> None:
    world.policy = policy("bugbot")
    runs(world, "bugbot", **BUGBOT, summary=bugbot("and found 2 potential issues."))
    older = {"id": 8, "started_at": world.opened, "completed_at": world.tick()}
    runs(world, "bugbot", **{**CLEAN_BUGBOT, **older})


@waits(
    "bugbot-run-queued", "Asked for a second run, which is queued, the reviewer has not passed.", defence="newest-run"
)
def _(world: World) -> None:
    world.policy = policy("bugbot")
    runs(world, "bugbot", **CLEAN_BUGBOT)
    runs(world, "bugbot", **BUGBOT, status="queued", conclusion=None, started_at=None, completed_at=None)


@waits("copilot-hushed-in-a-heading", "Suppressed in a heading.", defence="notices")
def _(world: World) -> None:
    world.policy = policy("copilot")
    reviews(world, "copilot", f"{copilot()}\n### Comments suppressed due to low confidence (1)\n")


@waits(
    "greptile-commit-by-title",
    "The title of the commit that was reviewed is a link to another one, which becomes the head again.",
    defence="whole-lines",
    codes="PG912",
)
def _(world: World) -> None:
    world.policy = policy("greptile") + "instructions: {guard: false}\n"  # or a human would have to look anyway
    world.push("b")
    world.push("c")
    title = f"x]({URL}/commit/{commit('b')}) [y"
    says(world, "greptile", greptile(head="c").replace("[retry uploads]", f"[{title}]"))
    world.push("b")


for _name, _seat in (("gsd", "judge"), ("coderabbit", "inspector")):

    @attack(
        "order",
        f"{_name}-in-the-seat-of-{_seat}",
        "The Inspector confirms what nobody has challenged; one of the two is a reviewer of another dialect.",
        defence="confirmed-last",
        state="pending",
        phases=BUILD_WAITS,
        codes="PG527" if _name == "gsd" else "",
        because="spoke before",
    )
    def _(world: World, name: str = _name, seat: str = _seat) -> None:
        login = ", login: ben" if name == "gsd" else ""
        world.policy = f"version: 1\nagents: {{accounts: [{{format: {name}{login}, roles: [{seat}]}}]}}\n"
        world.planned()
        if seat == "judge":
            world.judges("inspector")
            leaves(world, "f", GSD, gsd(), by="ben")
        else:
            says(world, name, walkthrough())
            world.judges("judge")
        world.tested()


@fails("gsd-one-gap", "The gap stands under a key for one of them.", defence="described-keys", codes="PG527 PG025")
def _(world: World) -> None:
    world.policy = policy("gsd")
    leaves(world, "f", GSD, gsd(more='gap:\n  - truth: "refunds are idempotent"\n'))


@fails(
    "bmad-nfr-in-camels",
    "What it has to say of security stands under a key in other letters.",
    defence="described-keys",
    codes="PG025",
)
def _(world: World) -> None:
    world.policy = policy("bmad")
    leaves(world, "f", BMAD, bmad(more="nfrValidation: {security: FAIL}\n"))


@fails("gsd-gaps-passed", "Passed over a gap that it lists.", defence="described-vetoes", codes="PG527 PG918")
def _(world: World) -> None:
    world.policy = policy("gsd")
    leaves(world, "f", GSD, gsd(more=GAPS))


@fails(
    "greptile-outside-diff",
    "The best score over a finding that stands outside of the diff, in a fold.",
    defence="described-findings",
)
def _(world: World) -> None:
    world.policy = policy("greptile")
    fold = "<details><summary><h3>Comments Outside Diff (1)</h3></summary>\n\nText.\n\n</details>\n\n<sub>Last"
    says(world, "greptile", greptile().replace("<sub>Last", fold))


@waits("codex-late-word", "A clean word of the commit before the push, posted after it.", defence="same-content")
def _(world: World) -> None:
    world.policy = policy("codex")
    world.push("b")
    says(world, "codex", codex("a"))


@waits("codex-of-no-commit", "A clean word that names no commit.", defence="described-vetoes", codes="PG918")
def _(world: World) -> None:
    world.policy = policy("codex")
    says(world, "codex", codex(None))


@fails("bugbot-left-over", "A clean run over issues of before.", defence="described-vetoes", codes="PG918")
def _(world: World) -> None:
    world.policy = policy("bugbot")
    left = CLEAN_BUGBOT["summary"].replace("found! ✅", "found. 2 previously reported issues remain unresolved.")
    runs(world, "bugbot", **{**CLEAN_BUGBOT, "summary": left})


@waits("gsd-pushed-by-another", "Somebody else pushes the report.", defence="only-named", codes="PG229 PG527")
def _(world: World) -> None:
    world.policy = policy("gsd")
    leaves(world, "f", GSD, gsd(), by="ben")


@waits("bmad-expired-gate", "An old gate is pushed again.", defence="expiry", codes="PG926")
def _(world: World) -> None:
    world.policy = policy("bmad")
    leaves(world, "f", BMAD, bmad(more='expires: "2025-12-31"\n'))


@waits("bmad-waived-alone", "The agent waives its own gate.", defence="asks-for-a-human")
def _(world: World) -> None:
    world.policy = policy("bmad")
    leaves(world, "f", BMAD, bmad("WAIVED", CLAIMED))


@waits("bmad-stale", "The product has changed since the gate.", defence="same-content", codes="PG303")
def _(world: World) -> None:
    world.policy = policy("bmad")
    leaves(world, "f", BMAD, bmad())
    world.push("b")
