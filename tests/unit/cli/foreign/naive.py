"""A gate as one writes it in an afternoon: the last verdict that a regular expression finds anywhere decides."""

import json
import re
import sys

told = json.load(sys.stdin)
said = [*told.get("comments", []), *told.get("reviews", [])]
said += [comment for issue in told.get("issues", []) for comment in issue.get("comments", [])]
verdicts = [
    found
    for text in sorted(said, key=lambda each: each["created_at"])
    for found in re.findall(r'"verdict":\s*"(PASS|FAIL)"', text["text"])
]
state = "pending" if not verdicts else "success" if verdicts[-1] == "PASS" else "failure"
sys.stdout.write(json.dumps({"state": state}))
