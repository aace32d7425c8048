"""Stories about the phases: order, roles, paths, and what is shared with others."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import URL, World, block, finding, verdict


@story(phases=GREEN)
def feature_green(world: World) -> None:
    """A feature that survived every challenge, in its second round."""
    world.planned()
    world.judges("judge", "FAIL")
    world.push("b")
    world.built()
    world.tested()


@story(phases=GREEN)
def fence_carrier(world: World) -> None:
    """The fence counts like the HTML comment."""
    world.planned()
    world.say("ana", f"## jkz:judge\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []}, 'fence')}\n")
    world.judges("inspector")
    world.tested()


@story(phases=QA_WAITS, because="Waiting for Lens")
def feature_waiting_for_lens(world: World) -> None:
    """One of the two QA roles has not spoken."""
    world.planned()
    world.built()
    world.judges("sentinel")


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def feature_without_qa(world: World) -> None:
    """A feature needs QA."""
    world.planned()
    world.built()


@story(phases=BUILD_FAILED, because="Judge failed")
def judge_failed(world: World) -> None:
    """The Judge fails the build."""
    world.planned()
    world.judges("judge", "FAIL")


@story(phases=BUILD_WAITS, because="Waiting for Inspector")
def inspector_missing(world: World) -> None:
    """A challenge alone does not pass a phase."""
    world.planned()
    world.judges("judge")


@story(phases=BUILD_WAITS, because="Inspector spoke before Judge")
def inspector_before_judge(world: World) -> None:
    """Whoever confirms speaks after whoever challenges."""
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


@story(phases=GREEN)
def judge_repeats_itself(world: World) -> None:
    """A repeated PASS asks nobody to confirm again."""
    world.planned()
    world.built()
    world.judges("judge")
    world.tested()


@story(phases=BUILD_WAITS, because="Inspector spoke before Judge")
def judge_changed_its_mind_twice(world: World) -> None:
    """PASS, FAIL, PASS: what was confirmed was the first PASS."""
    world.planned()
    world.built()
    world.judges("judge", "FAIL")
    world.judges("judge")


@story(phases=GREEN)
def qa_in_any_order(world: World) -> None:
    """The two QA roles run in parallel."""
    world.planned()
    world.built()
    world.judges("lens")
    world.judges("sentinel")
    world.say("mona", "/gate approve qa")


@story(phases=GREEN)
def build_judged_before_the_plan(world: World) -> None:
    """Order is by state: the build was judged first."""
    world.built()
    world.planned()
    world.tested()


@story(phases=GREEN)
def qa_judged_before_build(world: World) -> None:
    """QA was run before the build was judged."""
    world.planned()
    world.tested()
    world.built()


@story(phases=BUILD_WAITS, because="Builder is blocked")
def builder_blocked(world: World) -> None:
    """A Builder that is blocked keeps the build waiting."""
    world.planned()
    world.built()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")


@story(phases=GREEN)
def doctor_unblocks(world: World) -> None:
    """The latest word of Builder and Doctor counts."""
    world.planned()
    world.say("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    world.say("ana", f"## jkz:doctor\n\nDatabase is there.\n\n{block({'verdict': 'FIXED'})}\n")
    world.built()
    world.tested()


@story(state="pending", phases=GREEN, codes="PG406", because="#8 has the same head commit")
def sibling(world: World) -> None:
    """Success would be shared with another pull request of the same commit."""
    world.planned()
    world.built()
    world.tested()
    world.changes["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]


@story(phases=GREEN)
def merged(world: World) -> None:
    """What was merged keeps its success."""
    world.planned()
    world.built()
    world.tested()
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@story(phases="success pending pending", because="come from one account")
def one_account_for_two_roles(world: World) -> None:
    """With distinct_accounts, challenger and confirmer are two accounts."""
    world.policy = "version: 1\nphases: {plan: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    world.judges("judge", who="ana")
    world.judges("inspector", who="ana")


@story(phases=GREEN)
def two_accounts_for_two_roles(world: World) -> None:
    """Two accounts, as the policy asks."""
    world.policy = (
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")


@story(phases=GREEN)
def builder_twice(world: World) -> None:
    """The Builder reports each round; who judges never did."""
    world.policy = (
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    for name in ("b", "c"):
        world.push(name)
        world.say("octo-dev", "## jkz:builder\n\nDone.\n")
    world.judges("judge", who="ana")
    world.judges("inspector", who="ben")


@story(phases=GREEN)
def paths_not_touched(world: World) -> None:
    """A phase for some paths is not judged when none of them changed."""
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\n'
    world.planned()
    world.built()


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def paths_touched(world: World) -> None:
    """It is judged when one of them changed."""
    world.policy = 'version: 1\nphases: {qa: {paths: ["src/**"]}}\n'
    world.planned()
    world.built()


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def paths_not_all_known(world: World) -> None:
    """Where GitHub does not list all files, the phase is judged."""
    world.policy = 'version: 1\nphases: {qa: {paths: ["web/**"]}}\ninstructions: {guard: false}\n'
    world.planned()
    world.built()
    world.changes["files"] = {"complete": False, "entries": [{"path": "src/auth.py"}]}


@story(phases="success failure success", because="Warden failed")
def own_roles(world: World) -> None:
    """A policy with a role of its own: three judges on the build."""
    world.policy = (
        "version: 1\n"
        "roles: {warden: {does: challenges, letter: W}}\n"
        "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {roles: [judge, warden, inspector]}}\n"
    )
    world.judges("judge")
    failing = {"verdict": "FAIL", "issues": [finding("W1")], "must_fix": ["W1"]}
    world.say("ana", f"## jkz:warden\n\nNot safe.\n\n{block(failing)}\n")
    world.judges("inspector")


@story(phases=GREEN)
def review_carries_verdict(world: World) -> None:
    """A review speaks of its own commit."""
    world.planned()
    world.review("ana", verdict("judge"))
    world.review("ben", verdict("inspector"), state="APPROVED")
    world.tested()


@story(phases=GREEN, because="passed on 86f7e43 for next")
def green_for_another_base(world: World) -> None:
    """A success towards a branch that is not the default one names it."""
    world.base = "next"
    world.planned()
    world.built()
    world.tested()


@story(phases=GREEN)
def paths_left_after_a_fail(world: World) -> None:
    """The work that failed has left the paths of the phase: an old FAIL is a round and no more."""
    world.policy = 'version: 1\nphases: {build: {paths: ["src/**"]}}\n'
    world.planned()
    world.judges("judge", "FAIL")
    world.push("b")
    world.changes["files"] = {"complete": True, "entries": [{"path": "lib/x.py"}]}
    world.tested()


@story(phases=GREEN)
def paths_left_and_resumed(world: World) -> None:
    """After four failing rounds the work has left the paths of the phase, and a human resumed it."""
    world.policy = 'version: 1\nphases: {build: {paths: ["src/**"]}}\n'
    world.planned()
    for number in range(4):
        world.push(f"try{number}")
        world.judges("judge", "FAIL")
    world.push("b")
    world.changes["files"] = {"complete": True, "entries": [{"path": "lib/x.py"}]}
    world.say("mona", "/gate resume build: it is another change now")
    world.tested()
