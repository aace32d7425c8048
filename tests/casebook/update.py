"""What ``--update-cases`` writes: expectations, summaries, pages of statements and recorded pull requests."""

from __future__ import annotations

from pathlib import Path

from phasegate.cli.demo import CASES as RECORDED
from phasegate.report.data import report_data
from phasegate.report.summary.page import summary
from tests.casebook.attacks.every import ATTACKS
from tests.casebook.attacks.expired import LIVE
from tests.casebook.attacks.table import attack_table, reason
from tests.casebook.chapters import CASES, case_files
from tests.casebook.decided import report_of
from tests.casebook.every import DEMOS, STORIES
from tests.conformance.compared import page_files
from tests.pictures import KINDS, report_of_kind

SUMMARIES = Path(__file__).resolve().parents[1] / "unit" / "report" / "summary" / "goldens"


def demo_files() -> dict[Path, str]:
    """The recorded pull requests of the demo with the text that they should have."""
    return {RECORDED / f"{demo}.json": STORIES[name].snapshot_text() for demo, name in DEMOS.items()}


def attack_page() -> str:
    """The attacks as they are now."""
    said = {name: attack.because for name, attack in LIVE.items()}
    said |= {name: reason(attack, report_data(report_of(attack))) for name, attack in ATTACKS.items()}
    return attack_table(said)


def summary_files() -> dict[Path, str]:
    """The summaries of the kinds of pull requests that are looked at as pages."""
    return {SUMMARIES / f"{kind}.md": summary(report_of_kind(kind)) for kind in KINDS}


def update() -> None:
    """Write everything anew, and remove what no story is kept in any more."""
    files = case_files()
    for path in CASES.rglob("*"):
        if path.is_file() and path not in files:
            path.unlink()
    for path, text in (files | demo_files() | summary_files() | page_files()).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
