"""Policy and scope: a gate that asks for nothing, and a success that belongs to something else."""

from __future__ import annotations

from functools import partial

from tests.casebook.attacks.attack import ERRORS, attack
from tests.casebook.evidence import PRODUCT, plan, results, review, worker
from tests.casebook.pipeline import PROFILE, piped
from tests.casebook.story import BUILD_WAITS, GREEN, QA_WAITS
from tests.casebook.world import PEOPLE, URL, World, block, commit, finding, verdict

policy = partial(attack, "policy", phases=ERRORS, because="Policy .github/phase-gate.yml:")
scope = partial(attack, "scope")
BROKEN = {
    ("policy-cut-off", "Half a policy is not the default one.", "PG010"): "version: 1\nagents: {only: true\n",
    ("policy-safeguard-misspelt", "distinct_acounts asks for nothing.", "PG503"): (
        "version: 1\nverdicts: {distinct_acounts: true}\n"
    ),
    ("policy-key-twice", "Which of the two counts?", "PG012"): "version: 1\noverrides: false\noverrides: true\n",
    ("policy-with-alias", "Only a small core of YAML is read.", "PG011"): "version: 1\nagents: &a {only: true}\n",
    ("policy-word-for-truth", "on is a word, no truth value.", "PG021"): (
        "version: 1\nverdicts: {require_commit: on}\n"
    ),
    ("policy-footer-that-approves", "An approval is declared a footer.", "PG519"): (
        'version: 1\nverdicts: {footers: ["/gate approve qa"]}\n'
    ),
    ("policy-of-another-version", "A version that this gate does not know.", "PG022"): "version: 2\n",
    ("policy-of-another-profile", "A profile that this gate does not have.", "PG502"): "version: 1\nprofile: nobody\n",
    ("policy-for-nobody", "A role that nobody has.", "PG506"): "version: 1\nphases: {build: {roles: [jugde]}}\n",
}


def under(world: World, text: str) -> None:
    """A pull request that passes the default policy, under this one."""
    world.green().under(text)


for (_name, _says, _code), _text in BROKEN.items():
    policy(_name, _says, defence="no-default-for-broken", codes=_code)(partial(under, text=_text))


@policy(defence="no-default-for-broken", codes="PG602")
def policy_swapped(world: World) -> None:
    """The policy is not the one that was read."""
    world.green()
    text = "version: 1\noverrides: false\n"
    world.changes["policy"] = {"path": ".github/phase-gate.yml", "text": text, "digest": "sha256:" + "0" * 64}


@policy(defence="fixed-severities", codes="PG508")
def policy_turns_tampering_off(world: World) -> None:
    """Tampering is declared harmless."""
    world.under("version: 1\nrules: {PG205: off}\n").planned()
    world.edit(world.say("ana", "I am looking at it."), verdict("judge"), "octo-dev").others_pass()


@policy(defence="fixed-severities", codes="PG508")
def policy_turns_roles_off(world: World) -> None:
    """That a block has one role is declared harmless."""
    world.under("version: 1\nrules: {PG119: notice}\n").planned()
    world.says("ana", f"## jkz:judge\n\n{block({'verdict': 'PASS', 'role': 'inspector', 'issues': []})}\n")
    world.tested()


@policy(defence="fixed-severities", codes="PG508")
def policy_turns_criticals_off(world: World) -> None:
    """A PASS with a CRITICAL finding is declared harmless."""
    world.under("version: 1\nrules: {PG115: warning}\n")
    data = {"verdict": "PASS", "issues": [finding("J1", severity="CRITICAL")]}
    world.judged(f"## jkz:judge\n\n{block(data)}\n")


@policy(defence="fixed-severities", codes="PG508")
def policy_turns_commits_off(world: World) -> None:
    """Words about another commit are declared harmless."""
    world.under("version: 1\nrules: {PG301: off}\n").planned().passed_by("judge", commit=commit("elsewhere"))
    world.others_pass()


@policy(defence="sound-policy", codes="PG505")
def policy_two_defaults(world: World) -> None:
    """A second type without labels needs no QA."""
    world.under(
        "version: 1\nissue: {types: {bug: {labels: [], qa: optional}, feature: {labels: [feature], qa: required}, "
        "chore: {labels: [], qa: optional}}}\n"
    )
    world.planned().built()


@attack(
    "policy",
    defence="something-was-judged",
    state="pending",
    phases=GREEN,
    codes="PG520",
    because="nobody has looked at it",
)
def policy_judges_nothing(world: World) -> None:
    """Every phase concerns paths that this pull request does not touch."""
    world.under(
        "version: 1\nphases: {plan: {paths: ['app/**']}, build: {paths: ['app/**']}, qa: {paths: ['app/**']}}\n"
    )


@attack(
    "policy",
    defence="something-was-judged",
    state="pending",
    phases=GREEN,
    codes="PG520",
    because="nobody has looked at it",
)
def policy_judges_nothing_of_a_push(world: World) -> None:
    """Nothing but the plan was overridden, on its issue; what is pushed after that is looked at by nobody."""
    phases = ", ".join(f"{name}: {{paths: ['app/**']}}" for name in ("plan", "build", "qa"))
    world.under(f"version: 1\nphases: {{{phases}}}\n")
    world.says("mona", "/gate override plan: there was no time", on=12).push("b")


policy("policy-names-nobody", "An account is named for a role that is none.", defence="sound-policy", codes="PG506")(
    partial(under, text="version: 1\nagents: {accounts: [{login: ben, id: 22, roles: [jugde]}]}\n")
)


def steps(*told: tuple[int, list[int]]) -> list[dict[str, object]]:
    """Steps of a plan: their orders, and what each waits for."""
    return [
        {"order": order, "action": "modify", "file": file, "description": "x", "depends_on": waits}
        for (order, waits), file in zip(told, PRODUCT, strict=True)
    ]


FAILED_CHECK = {"lint": {"result": "PASS"}, "test": {"result": "FAIL"}}
BLOCKER = {"file": "src/auth.py", "line": 3, "description": "Expired tokens pass"}
SILENCED = (
    ("policy-turns-failed-checks-off", "That a PASS has no failed check is declared harmless.", "PG730: off",
     {"test": results(phase_1=FAILED_CHECK)}),
    ("policy-turns-empty-tests-off", "A PASS for which nothing ran.", "PG730: notice",
     {"test": results(phase_1={"lint": {"result": "SKIP"}})}),
    ("policy-turns-blockers-off", "A review that passes with blockers.", "PG730: warning",
     {"review": review(blockers=[BLOCKER])}),
    ("policy-turns-blocked-work-off", "Completed work that is blocked.", "PG730: off",
     {"worker": worker(blockers=["No key"])}),
    ("policy-turns-circles-off", "Steps of a plan that wait for each other.", "PG710: off",
     {"plan": plan(steps=steps((1, [2]), (2, [1])))}),
    ("policy-turns-missing-steps-off", "A step that waits for one that is not there.", "PG710: off",
     {"plan": plan(steps=steps((1, [7]), (2, [])))}),
    ("policy-turns-order-off", "Two steps that are both the first.", "PG710: off",
     {"plan": plan(steps=steps((1, []), (1, [])))}),
)  # fmt: skip
for _name, _says, _rules, _texts in SILENCED:

    @policy(_name, _says, defence="fixed-severities", codes="PG508")
    def _(world: World, rules: str = _rules, texts: dict[str, str] = _texts) -> None:
        piped(world, f"{PROFILE}rules: {{{rules}}}\n")
        own = {"plan": plan(), "worker": worker(), "test": results(), "review": review(), **texts}
        for name, text in own.items():
            world.leaves(name[0], **{name: text})


def without_policy(world: World, path: str = ".github/phase-gate.yml", misplaced: tuple[str, ...] = ()) -> None:
    """A pull request that passes the default policy, where somebody meant another one."""
    world.green()
    world.changes["policy"] = {"path": path, "misplaced": list(misplaced)}


for _path in (
    ".github/phase-gate.yaml",
    "phase-gate.yml",
    "phase-gate.yaml",
    ".phase-gate.yml",
    ".github/phasegate.yml",
    ".github/Phase-Gate.yml",
    ".phasegate.yml",
    ".github/phase-gates.yml",
    ".github/phase-gate-policy.yml",
):
    attack(
        "policy",
        f"policy-at-{_path.replace('/', '-').replace('.', '_')}",
        "The policy stands where nobody reads it.",
        defence="policy-in-its-place",
        phases=ERRORS,
        codes="PG514",
        because=f"Policy {_path}: the policy is not read from",
    )(partial(without_policy, misplaced=(_path,)))

attack(
    "policy",
    "policy-not-where-told",
    "The workflow names a path at which there is no policy.",
    defence="policy-in-its-place",
    phases=ERRORS,
    codes="PG515",
    because="Policy .github/gate.yml: there is no policy at",
)(partial(without_policy, path=".github/gate.yml"))


UNREAD = 'version: 1\nagents: {accounts: [{login: "@octo/agents"}, {login: "@Octo/readers"}]}\n'


@policy(defence="known-teams", codes="PG220")
def team_unreadable_approves(world: World) -> None:
    """Somebody of an unreadable team of agents approves."""
    under(world, UNREAD)
    world.changes["teams"] = [
        {"slug": "octo/readers", "readable": True, "members": [21]},
        {"slug": "octo/agents", "readable": False, "members": []},
    ]


@policy(defence="known-teams", codes="PG220")
def team_never_asked_for(world: World) -> None:
    """The team is not among those that were read."""
    world.then(under, UNREAD.replace(", {", ", {roles: [lens], ")).team(21, name="octo/reader")


def with_sibling(world: World, number: int, base: str) -> None:
    """A pull request that passes, and another one of the same commit."""
    world.green()
    world.changes["siblings"] = [{"number": number, "url": f"{URL}/pull/{number}", "base": base}]


for _name, _says, _number, _base in (
    ("sibling-to-other-base", "The same commit is also offered to the release branch.", 8, "release"),
    ("sibling-to-same-base", "The same commit, twice to the same base.", 6, "main"),
):
    scope(
        _name,
        _says,
        defence="one-pull-request",
        state="pending",
        phases=GREEN,
        codes="PG406",
        because="has the same head commit",
    )(partial(with_sibling, number=_number, base=_base))


@scope(defence="same-base", phases=BUILD_WAITS, because="another base")
def base_changed_after_pass(world: World) -> None:
    """Pointed at another base, it brings in more."""
    world.green().retarget("docs")


@scope(defence="same-base", phases=BUILD_WAITS, because="another base")
def base_changed_and_back(world: World) -> None:
    """There and back: what it was judged for is not known."""
    world.green()
    world.base_changes = [
        {"at": world.tick(), "before": before, "after": after, "actor": PEOPLE["octo-dev"]}
        for before, after in (("main", "docs"), ("docs", "main"))
    ]


@scope(defence="same-base", phases=QA_WAITS, because="was for earlier content")
def approved_for_other_base(world: World) -> None:
    """The approval was given before the base was changed."""
    world.green().retarget("docs").built().passed_by("sentinel", "lens")
