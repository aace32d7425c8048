"""Decide one story in so many and print the digest of each report: run by a test as a program, on any interpreter."""

from __future__ import annotations

import hashlib
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
SCRIPTS = os.path.join(ROOT, "scripts")  # noqa: PTH118
NO_PACKAGES = 77


def main() -> int:
    """Bring the locked packages and decide the stories that the arguments choose: the first one, and every which."""
    first, step = map(int, sys.argv[1:])
    sys.path.insert(0, SCRIPTS)
    import bootstrap  # noqa: PLC0415  (its folder is known only now)

    try:
        sys.path.insert(1, bootstrap.ensure(os.path.join(SCRIPTS, "requirements.txt"), os.environ))  # noqa: PTH118
    except bootstrap.BootstrapError as failure:
        print(failure)  # noqa: T201
        return NO_PACKAGES
    from phasegate.cli.files import parse_snapshot  # noqa: PLC0415
    from phasegate.gate import judge  # noqa: PLC0415
    from phasegate.model.snapshot import Snapshot  # noqa: PLC0415
    from phasegate.report.data import report_text  # noqa: PLC0415
    from phasegate.report.summary.page import summary  # noqa: PLC0415

    sys.path.append(ROOT)
    from tests.casebook.attacks.every import ATTACKS  # noqa: PLC0415
    from tests.casebook.every import STORIES  # noqa: PLC0415

    told = sorted([*STORIES.items(), *ATTACKS.items()], key=lambda each: (each[0], type(each[1]).__name__))
    for name, story in told[first::step]:
        snapshot = parse_snapshot(story.snapshot_text(), name)
        assert isinstance(snapshot, Snapshot), snapshot
        report = judge(snapshot)
        digests = (hashlib.sha256(text.encode()).hexdigest() for text in (report_text(report), summary(report)))
        print(name, *digests)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
