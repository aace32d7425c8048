"""Stories about the phases: order, roles, paths, and what is shared with others."""

from __future__ import annotations

from tests.casebook.story import BUILD_FAILED, BUILD_WAITS, GREEN, QA_WAITS, story
from tests.casebook.world import URL, World, block, finding, verdict


@story(phases=GREEN)
def feature_green(world: World) -> None:
    """A feature that survived every challenge, in its second round."""
    world.planned().failed_by("judge").push("b").built().tested()


@story(phases=GREEN)
def feature_of_a_team(world: World) -> None:
    """One account plans, another one judges, and the build passes in its second round: what the demo shows."""
    world.says("ben", "## jkz:architect\n\n1. Check the expiry.\n2. Test it.\n", on=12)
    world.says("ana", verdict("auditor"), on=12).says("ana", verdict("curator"), on=12)
    world.says("mona", "/gate approve plan", on=12).failed_by("judge").push("b").built().tested()


@story(phases=GREEN)
def fence_carrier(world: World) -> None:
    """The fence counts like the HTML comment."""
    world.judged(f"## jkz:judge\n\nFine.\n\n{block({'verdict': 'PASS', 'issues': []}, 'fence')}\n")


@story(phases=QA_WAITS, because="Waiting for Lens")
def feature_waiting_for_lens(world: World) -> None:
    """One of the two QA roles has not spoken."""
    world.planned().built().passed_by("sentinel")


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def feature_without_qa(world: World) -> None:
    """A feature needs QA."""
    world.planned().built()


@story(phases=BUILD_FAILED, because="Judge failed")
def judge_failed(world: World) -> None:
    """The Judge fails the build."""
    world.planned().failed_by("judge")


@story(phases=BUILD_WAITS, because="Waiting for Inspector")
def inspector_missing(world: World) -> None:
    """A challenge alone does not pass a phase."""
    world.planned().passed_by("judge")


@story(phases=BUILD_WAITS, because="Inspector spoke before Judge")
def inspector_before_judge(world: World) -> None:
    """Whoever confirms speaks after whoever challenges."""
    world.planned().passed_by("inspector").passed_by("judge")


SLIPS = {
    "judge-slips-and-passes": (
        "A malformed PASS that its account then wrote right is that pass for the order.",
        block({"verdict": "PASS", "issues": "none"}),
        "PG021",
    ),
    "judge-writes-small-and-passes": (
        "Also one whose word is in other letters.",
        block({"verdict": "pass", "issues": []}),
        "PG022",
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
        world.planned().says("ana", f"## jkz:judge\n\n{text}\n").passed_by("inspector").passed_by("judge")
        world.tested()


@story(phases=GREEN)
def judge_repeats_itself(world: World) -> None:
    """A repeated PASS asks nobody to confirm again."""
    world.planned().built().passed_by("judge").tested()


@story(phases=BUILD_WAITS, because="Inspector spoke before Judge")
def judge_changed_its_mind_twice(world: World) -> None:
    """PASS, FAIL, PASS: what was confirmed was the first PASS."""
    world.planned().built().failed_by("judge").passed_by("judge")


@story(phases=GREEN)
def qa_in_any_order(world: World) -> None:
    """The two QA roles run in parallel."""
    world.planned().built().passed_by("lens").passed_by("sentinel").says("mona", "/gate approve qa")


@story(phases=GREEN)
def build_judged_before_the_plan(world: World) -> None:
    """Order is by state: the build was judged first."""
    world.built().planned().tested()


@story(phases=GREEN)
def qa_judged_before_build(world: World) -> None:
    """QA was run before the build was judged."""
    world.planned().tested().built()


@story(phases=BUILD_WAITS, because="Builder is blocked")
def builder_blocked(world: World) -> None:
    """A Builder that is blocked keeps the build waiting."""
    world.planned().built().says("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")


@story(phases=GREEN)
def doctor_unblocks(world: World) -> None:
    """The latest word of Builder and Doctor counts."""
    world.planned().says("ana", f"## jkz:builder\n\nNo database.\n\n{block({'verdict': 'BLOCKED'})}\n")
    world.says("ana", f"## jkz:doctor\n\nDatabase is there.\n\n{block({'verdict': 'FIXED'})}\n").built()
    world.tested()


@story(state="pending", phases=GREEN, codes="PG406", because="#8 has the same head commit")
def sibling(world: World) -> None:
    """Success would be shared with another pull request of the same commit."""
    world.green()
    world.changes["siblings"] = [{"number": 8, "url": f"{URL}/pull/8", "base": "release"}]


@story(phases=GREEN)
def merged(world: World) -> None:
    """What was merged keeps its success."""
    world.green()
    world.changes["pull_request"] = world.snapshot()["pull_request"] | {"state": "merged"}


@story(phases="success pending pending", because="come from one account")
def one_account_for_two_roles(world: World) -> None:
    """With distinct_accounts, challenger and confirmer are two accounts."""
    world.under("version: 1\nphases: {plan: {enabled: false}}\nverdicts: {distinct_accounts: true}\n")
    world.passed_by("judge", "inspector", who="ana")


@story(phases=GREEN)
def two_accounts_for_two_roles(world: World) -> None:
    """Two accounts, as the policy asks."""
    world.under(
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    world.passed_by("judge", who="ana").passed_by("inspector", who="ben")


@story(phases=GREEN)
def builder_twice(world: World) -> None:
    """The Builder reports each round; who judges never did."""
    world.under(
        "version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\nverdicts: {distinct_accounts: true}\n"
    )
    for name in ("b", "c"):
        world.push(name).says("octo-dev", "## jkz:builder\n\nDone.\n")
    world.passed_by("judge", who="ana").passed_by("inspector", who="ben")


@story(phases=GREEN)
def paths_not_touched(world: World) -> None:
    """A phase for some paths is not judged when none of them changed."""
    world.under('version: 1\nphases: {qa: {paths: ["web/**"]}}\n').planned().built()


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def paths_touched(world: World) -> None:
    """It is judged when one of them changed."""
    world.under('version: 1\nphases: {qa: {paths: ["src/**"]}}\n').planned().built()


@story(phases=QA_WAITS, because="Waiting for Sentinel")
def paths_not_all_known(world: World) -> None:
    """Where GitHub does not list all files, the phase is judged."""
    world.under('version: 1\nphases: {qa: {paths: ["web/**"]}}\ninstructions: {guard: false}\n').planned()
    world.built().touches("src/auth.py", complete=False)


@story(phases="success failure success", because="Warden failed")
def own_roles(world: World) -> None:
    """A policy with a role of its own: three judges on the build."""
    world.under(
        "version: 1\n"
        "roles: {warden: {does: challenges, letter: W}}\n"
        "phases: {plan: {enabled: false}, qa: {enabled: false}, build: {roles: [judge, warden, inspector]}}\n"
    )
    world.passed_by("judge")
    failing = {"verdict": "FAIL", "issues": [finding("W1")], "must_fix": ["W1"]}
    world.says("ana", f"## jkz:warden\n\nNot safe.\n\n{block(failing)}\n").passed_by("inspector")


@story(phases=GREEN)
def review_carries_verdict(world: World) -> None:
    """A review speaks of its own commit."""
    world.planned().reviewed("ana", verdict("judge")).reviewed("ben", verdict("inspector"), state="APPROVED")
    world.tested()


@story(phases=GREEN, because="passed on 86f7e43 for next")
def green_for_another_base(world: World) -> None:
    """A success towards a branch that is not the default one names it."""
    world.base = "next"
    world.green()


@story(phases=GREEN)
def paths_left_after_a_fail(world: World) -> None:
    """The work that failed has left the paths of the phase: an old FAIL is a round and no more."""
    world.under('version: 1\nphases: {build: {paths: ["src/**"]}}\n').planned().failed_by("judge").push("b")
    world.touches("lib/x.py").tested()


@story(phases=GREEN)
def paths_left_and_resumed(world: World) -> None:
    """After four failing rounds the work has left the paths of the phase, and a human resumed it."""
    world.under('version: 1\nphases: {build: {paths: ["src/**"]}}\n').planned()
    for number in range(4):
        world.push(f"try{number}").failed_by("judge")
    world.push("b").touches("lib/x.py").says("mona", "/gate resume build: it is another change now").tested()
