"""A gate that takes no chances: one blemish anywhere, a FAIL or an edit or a second push, and it never passes again."""

import json
import sys

SEATS = ("auditor", "curator", "judge", "inspector", "sentinel", "lens")
told = json.load(sys.stdin)
writers = {each["login"] for each in told.get("people", []) if each["permission"] in ("write", "maintain", "admin")}
said = [*told.get("comments", []), *told.get("reviews", [])]
said += [comment for issue in told.get("issues", []) for comment in issue.get("comments", [])]
author = told["pull_request"]["author"]["login"]
trusted = [each for each in said if each["author"] and each["author"]["login"] in writers - {author}]
passed = [seat for seat in SEATS if any(each["text"].startswith(f"## jkz:{seat}\n") for each in trusted)]
blemish = (
    len(trusted) < len(said)
    or any("FAIL" in each["text"] or each.get("edited_at") or each.get("minimized") for each in said)
    or any(told.get(key) for key in ("reviews", "deleted_comments", "branch_files", "merge_group", "siblings"))
    or len(told["ref_log"].get("moves", ())) > 1
    or told["policy"].get("text")
)
approvals = sum(each["text"].startswith("/gate approve ") for each in trusted)
green = len(passed) == len(SEATS) and approvals == 2 and not blemish and told["ref_log"].get("complete", True)
sys.stdout.write(json.dumps({"state": "success" if green else "pending"}))
