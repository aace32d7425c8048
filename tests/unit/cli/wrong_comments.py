"""Twenty comments as agents really get them wrong, each with what it is about."""

from __future__ import annotations

FINDING = (
    '{"id": "J1", "severity": "HIGH", "summary": "Expired tokens are accepted", "location": "src/auth.py:42", '
    '"root_cause": "missing_validation", "fix_hint": "Compare the expiry with the clock"}'
)
FAIL = f'{{"verdict": "FAIL",\n "issues": [{FINDING}],\n "must_fix": ["J1"]}}'
PASS = '{"verdict": "PASS", "issues": [], "must_fix": []}'


def fenced(inside: str, info: str = "jkz:verdict-json", signs: str = "```") -> str:
    return f"{signs}{info}\n{inside}\n{signs}\n"


JUDGE = "## jkz:judge\n\nI read every changed line.\n\n"

# By what is wrong; whether the verdict counts once --fix has been at it.
WRONG: dict[str, tuple[str, bool]] = {
    "a json fence in place of the block": (JUDGE + fenced(FAIL, "json"), True),
    "bare JSON below the heading": (f"{JUDGE}{FAIL}\n", True),
    "bare JSON and nothing else": (f"{FAIL}\n", True),
    "the whole comment in a fence": (fenced(JUDGE + fenced(PASS), "markdown", "````"), True),
    "the block in another fence": (JUDGE + fenced(fenced(PASS).rstrip("\n"), "", "````"), True),
    "a signature behind the block": (f"{JUDGE}{fenced(PASS)}\n-- \nReviewed by the night shift\n", True),
    "text on both sides and faults inside": (
        f"{JUDGE}{fenced(FAIL.replace('FAIL', 'fail').replace('HIGH', 'high'))}\nLet me know what you think!\n",
        True,
    ),
    "the marker in capitals": (JUDGE + fenced(PASS, "JKZ:Verdict-JSON"), True),
    "the marker with an underscore": (f"{JUDGE}<!-- jkz:verdict_json\n{PASS}\n-->\n", True),
    "smart quotes": (JUDGE + fenced("{“verdict”: “PASS”, “issues”: []}"), True),
    "single quotes and a trailing comma": (JUDGE + fenced("{'verdict': 'PASS', 'issues': [],}"), True),
    "camel case and lower case": (
        JUDGE + fenced(FAIL.replace("must_fix", "mustFix").replace("HIGH", "high").replace("fix_hint", "fixHint")),
        True,
    ),
    "the fence is not closed": (f"{JUDGE}```jkz:verdict-json\n{PASS}\n", True),
    "cut off in the middle": (f"{JUDGE}```jkz:verdict-json\n{FAIL[:90]}", False),
    "a heading that names no role": (f"## jkz:juge\n\n{fenced(PASS)}", False),
    "another role's letter": (JUDGE + fenced(FAIL.replace("J1", "I1")), False),
    "ids of its own making": (JUDGE + fenced(FAIL.replace("J1", "ISSUE-1")), False),
    "a PASS with something to fix": (JUDGE + fenced(FAIL.replace("FAIL", "PASS")), False),
    "two blocks": (JUDGE + fenced(PASS) + "\nOn second thought:\n\n" + fenced(FAIL), False),
    "quoted from somebody else": (f"{JUDGE}> ```jkz:verdict-json\n> {PASS}\n> ```\n", False),
}
