"""Stories about the policy file."""

from __future__ import annotations

from tests.casebook.story import GREEN, story
from tests.casebook.world import World

ERRORS = "error error error"


BROKEN = {
    ("policy-not-yaml", "A policy that is not YAML is an error, never a default.", "PG010"):
     "version: 1\nagents: {only: true\n",
    ("policy-unknown-key", "A misspelt safeguard is an error.", "PG503"): "version: 1\nagent: {only: true}\n",
    ("policy-without-version", "The version says how to read the file.", "PG020"): "profile: jkz\n",
    ("policy-wrong-type", "on is a word here, not a truth value.", "PG021"): "version: 1\noverrides: on\n",
    ("policy-other-profile", "A profile that this version does not have.", "PG502"): "version: 1\nprofile: somebody\n",
    ("policy-all-off", "A gate without phases gates nothing.", "PG504"):
     "version: 1\nphases: {plan: {enabled: false}, build: {enabled: false}, qa: {enabled: false}}\n",
    ("policy-two-defaults", "Two types without labels.", "PG505"):
     "version: 1\nissue: {types: {task: {labels: [], qa: optional}}}\n",
    ("policy-unknown-role", "A phase that would wait for ever.", "PG506"):
     "version: 1\nphases: {build: {roles: [jugde]}}\n",
    ("policy-unknown-code", "No such code.", "PG507"): "version: 1\nrules: {PG999: off}\n",
    ("policy-fixed-severity", "Tampering cannot be turned off.", "PG508"): "version: 1\nrules: {PG205: off}\n",
    ("policy-empty-phase", "A phase that needs nothing would always be green.", "PG509"):
     "version: 1\nphases: {build: {roles: []}}\n",
    ("policy-key-twice", "Which of the two counts?", "PG012"): "version: 1\noverrides: true\noverrides: false\n",
}  # fmt: skip

for (_name, _says, _code), _text in BROKEN.items():

    def _tell(world: World, text: str = _text) -> None:
        world.green().under(text)

    story(_name, _says, phases=ERRORS, codes=_code, because="Policy .github/phase-gate.yml:")(_tell)


@story(phases=ERRORS, codes="PG602")
def policy_not_as_saved(world: World) -> None:
    """Somebody changed the policy inside the snapshot."""
    world.green()
    world.changes["policy"] = {"path": ".github/phase-gate.yml", "text": "version: 1\n", "digest": "sha256:" + "0" * 64}


@story(phases=GREEN)
def policy_phase_off(world: World) -> None:
    """A phase that the policy turns off is green and says why."""
    world.under("version: 1\nphases: {plan: {enabled: false}, qa: {enabled: false}}\n").built()


@story(phases=GREEN)
def policy_severity_off(world: World) -> None:
    """A code that the policy turns off is not reported."""
    world.under("version: 1\nrules: {PG023: off}\n").planned().passed_by("judge", comit="abc").others_pass()
