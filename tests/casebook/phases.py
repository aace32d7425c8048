"""Stories about the phases: order, roles, paths, and what is shared with others."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import URL, World, block, finding, verdict


@story("feature-green", "A feature that survived every challenge, in its second round.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")
    world.push("b")
    world.built()
    world.tested()


@story("fence-carrier", "The fence counts like the HTML comment.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:judge\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []}, 'fence')}\n")
    world.judges("inspector")
    world.tested()


@story(
    "feature-waiting-for-lens",
    "One of the two QA roles has not spoken.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Lens",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("sentinel")


@story("feature-without-qa", "A feature needs QA.", state="pending", phases=QA_WAITS, because="Waiting for Sentinel")
def _(world: World) -> None:
    world.planned()
    world.built()


@story("judge-failed", "The Judge fails the build.", state="failure", phases=BUILD_FAILED, because="Judge failed")
def _(world: World) -> None:
    world.planned()
    world.judges("judge", "FAIL")


@story(
    "inspector-missing",
    "A challenge alone does not pass a phase.",
    state="pending",
    phases=BUILD_WAITS,
    because="Waiting for Inspector",
)
def _(world: World) -> None:
    world.planned()
    world.judges("judge")


@story(
    "inspector-before-judge",
    "Whoever confirms speaks after whoever challenges.",
    state="pending",
    phases=BUILD_WAITS,
    because="Inspector spoke before Judge",
)
def _(world: World) -> None:
    world.planned()
    world.judges("inspector")
    world.judges("judge")


SLIPS = {
    "judge-slips-and-passes": (
        "A malformed PASS that its account then wrote right is that pass for the order.",
        block({"verdict": "PASS", "issues": "none"}),
        "PG021",
    ),
    "judge-is-cut-off-and-passes": (
        "So is one whose block cannot be read, if its own text says PASS.",
        '<!-- jkz:verdict-json\n{"verdict": "PASS", "issues": [',
        "PG032",
    ),
    "judge-is-late": ("A placeholder is none.", "Still looking.", "PG102"),
}
for _name, (_says, _text, _codes) in SLIPS.items():
    _green = _name != "judge-is-late"

    @story(
        _name,
        _says,
        state="success" if _green else "pending",
        phases=GREEN if _green else BUILD_WAITS,
        codes=_codes,
        because="" if _green else "Inspector spoke before Judge",
    )
    def _(world: World, text: str = _text) -> None:
        world.planned()
        world.say("ana", f"## jkz:judge\n\n{text}\n")
        world.judges("inspector")
        world.judges("judge")
        world.tested()


@story("judge-repeats-itself", "A repeated PASS asks nobody to confirm again.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("judge")
    world.tested()


@story(
    "judge-changed-its-mind-twice",
    "PASS, FAIL, PASS: what was confirmed was the first PASS.",
    state="pending",
    phases=BUILD_WAITS,
    because="Inspector spoke before Judge",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("judge", "FAIL")
    world.judges("judge")


@story("qa-in-any-order", "The two QA roles run in parallel.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.judges("lens")
    world.judges("sentinel")
    world.say("mona", "/gate approve qa")


@story("build-judged-before-the-plan", "Order is by state: the build was judged first.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.built()
    world.planned()
    world.tested()


@story("qa-judged-before-build", "QA was run before the build was judged.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.tested()
    world.built()


@story(
    "builder-blocked",
    "A Builder that is blocked keeps the build waiting.",
    state="pending",
    phases=BUILD_WAITS,
    because="Builder is blocked",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")


@story("doctor-unblocks", "The latest word of Builder and Doctor counts.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    world.say("ana", f"## jkz:doctor\n\nDatabase is there.\n\n{block({'verdict': 'FIXED'})}\n")
    world.built()
    world.tested()


@story(
    "sibling",
    "Success would be shared with another pull request of the same commit.",
    state="pending",
    phases=GREEN,
    codes="PG406",
    because="#8 has the same head commit",
)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.changes["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]


@story("merged", "What was merged keeps its success.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.built()
    world.tested()
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@story(
    "one-account-for-two-roles",
    "With distinct_accounts, challenger and confirmer are two accounts.",
    state="pending",
    phases="success pending pending",
    because="come from one account",
)
def _(world: World) -> None:
    world.policy = "version: 1\nphases: {plan: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    world.judges("judge", who="ana")
    world.judges("inspector", who="ana")


@story("two-accounts-for-two-roles", "Two accounts, as the policy asks.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = (
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")


@story("builder-twice", "The Builder reports each round; who judges never did.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.policy = (
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    for name in ("b", "c"):
        world.push(name)
        world.say("octo-dev", "## jkz:builder\n\nDone.\n")
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")


@story(
    "paths-not-touched",
    "A phase for some paths is not judged when none of them changed.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\n'
    world.planned()
    world.built()


@story(
    "paths-touched",
    "It is judged when one of them changed.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["src/**"]}}\n'
    world.planned()
    world.built()


@story(
    "paths-not-all-known",
    "Where GitHub does not list all files, the phase is judged.",
    state="pending",
    phases=QA_WAITS,
    because="Waiting for Sentinel",
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\ninstructions: {guard: false}\n'
    world.planned()
    world.built()
    world.changes["files"] = {"complete": False, "entries": [{"path": "src/auth.py"}]}


@story(
    "own-roles",
    "A policy with a role of its own: three judges on the build.",
    state="failure",
    phases="success failure success",
    because="Warden failed",
)
def _(world: World) -> None:
    world.policy = (
        "version: 1\n"
        "roles: {warden: {does: challenges, letter: W}}\n"
        "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {roles: [judge, warden, inspector]}}\n"
    )
    world.judges("judge")
    failing = {"verdict": "FAIL", "issues": [finding("W1")], "must_fix": ["W1"]}
    world.say("ana", f"## jkz:warden\n\nNot safe.\n\n{block(failing)}\n")
    world.judges("inspector")


@story("review-carries-verdict", "A review speaks of its own commit.", state="success", phases=GREEN)
def _(world: World) -> None:
    world.planned()
    world.review("ana", verdict("judge"))
    world.review("ben", verdict("inspector"), state="APPROVED")
    world.tested()


@story(
    "green-for-another-base",
    "A success towards a branch that is not the default one names it.",
    state="success",
    phases=GREEN,
    because="passed on 86f7e43 for next",
)
def _(world: World) -> None:
    world.base = "next"
    world.planned()
    world.built()
    world.tested()


@story(
    "paths-left-after-a-fail",
    "The work that failed has left the paths of the phase: an old FAIL is a round and no more.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {build: {paths: ["src/**"]}}\n'
    world.planned()
    world.judges("judge", "FAIL")
    world.push("b")
    world.changes["files"] = {"complete": True, "entries": [{"path": "lib/x.py"}]}
    world.tested()


@story(
    "paths-left-and-resumed",
    "After four failing rounds the work has left the paths of the phase, and a human resumed it.",
    state="success",
    phases=GREEN,
)
def _(world: World) -> None:
    world.policy = 'version: 1\nphases: {build: {paths: ["src/**"]}}\n'
    world.planned()
    for number in range(4):
        world.push(f"try{number}")
        world.judges("judge", "FAIL")
    world.push("b")
    world.changes["files"] = {"complete": True, "entries": [{"path": "lib/x.py"}]}
    world.say("mona", "/gate resume build: it is another change now")
    world.tested()
