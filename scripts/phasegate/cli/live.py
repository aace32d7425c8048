"""A live pull request: fetched, decided, and published if nothing moved meanwhile."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import import_module

from phasegate.github.answers import LATER, GitHubError, MovedError, as_documented
from phasegate.github.client import Client, Clock, Server
from phasegate.github.fetch import Fetched, Interest, fetch
from phasegate.github.opening import Target
from phasegate.github.publish import Edition, Place, publish, withdraw
from phasegate.github.record import record_lines
from phasegate.model.codec import compact
from phasegate.model.decision import Report
from phasegate.model.snapshot import Snapshot
from phasegate.report.inert import plain
from phasegate.settings import Api

# Together with the last word, which may be said twice, this stays within two minutes.
SECONDS = 80.0
LAST_WORD_SECONDS = 20.0
TRIES = 3
JUDGING = "phasegate.cli.judging"
# The first requests are on their way by then; what is loaded meanwhile does not keep their answers waiting.
HEAD_START, TURN = 0.01, 0.0005


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """A report with the snapshot it was made from, and how many statuses had to be written."""

    snapshot: Snapshot
    report: Report
    written: int | None


def make_client(api: Api, seconds: float = SECONDS) -> Client:
    """A client on the real clock."""
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    return Client(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep), seconds)


def utc_now() -> str:
    """The time as snapshots write it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def interest() -> Interest:
    """What of a pull request is worth a look."""
    from phasegate.cli.judging import INTEREST  # noqa: PLC0415  (loaded while GitHub is asked)

    return INTEREST


def _judged(snapshot: Snapshot) -> Report:
    from phasegate.cli.judging import judge  # noqa: PLC0415  (loaded while GitHub is asked)

    return judge(snapshot)


def _get_ready() -> None:
    with suppress(Exception):  # whoever needs it will meet the same failure
        import_module(JUDGING).get_ready()


@contextmanager
def _getting_ready() -> Iterator[None]:
    """Load all that decides beside the reading: it takes about as long as the first answers."""
    if JUDGING in sys.modules:
        yield
        return
    timer = threading.Timer(HEAD_START, _get_ready)
    timer.daemon = True
    usual = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        sys.setswitchinterval(usual)


def decide(client: Client, target: Target) -> Decision:
    """Read and decide; nothing is written."""
    with _getting_ready():
        snapshot = fetch(client, target, utc_now, interest).snapshot
    return Decision(snapshot=snapshot, report=_judged(snapshot), written=None)


def decide_and_publish(client: Client, target: Target, run_url: str | None) -> Decision:
    """Read, decide and write; what cannot be done to its end leaves no success behind."""
    try:
        with _getting_ready():
            return _published(client, target, run_url)
    except GitHubError as error:
        say_undecided(client.with_time(LAST_WORD_SECONDS), target, str(error), run_url)
        raise


def _published(client: Client, target: Target, run_url: str | None) -> Decision:
    """Start over where the pull request moved meanwhile."""
    for _ in range(TRIES):
        fetched = fetch(client, target, utc_now, interest)
        snapshot = fetched.snapshot
        report = _judged(snapshot)
        place = Place(repository=target.repository, commit=report.head, url=run_url)
        try:
            written = publish(client, place, _edition(fetched, report))
        except MovedError:
            continue
        return Decision(snapshot=snapshot, report=report, written=written)
    raise GitHubError(f"#{target.number} changed {TRIES} times while it was judged. {LATER}")


def _edition(fetched: Fetched, report: Report) -> Edition:
    from phasegate.cli.judging import status_lines  # noqa: PLC0415  (loaded while GitHub is asked)

    words = (item.word for item in report.signals)
    return Edition(
        lines=status_lines(report),
        record=record_lines(words, fetched.snapshot.record, report.head),
        standing=fetched.snapshot.statuses,
        sight=fetched.sight,
    )


def say_undecided(client: Client, target: Target, reason: str, run_url: str | None) -> bool:
    """Put an error on the overall context, so that an older success does not stand for what could not be read."""
    from phasegate.cli.judging import CONTEXT, LIMIT  # noqa: PLC0415  (loaded while GitHub is asked)

    try:
        with as_documented(target.root):
            head = client.get(f"{target.root}/pulls/{target.number}")["head"]["sha"]
        place = Place(repository=target.repository, commit=head, url=run_url)
        withdraw(client, place, CONTEXT, plain(f"Could not decide: {reason}", LIMIT))
    except GitHubError:
        return False
    return True


def snapshot_text(snapshot: Snapshot) -> str:
    """A snapshot as it is saved."""
    return json.dumps(compact(snapshot), indent=1, ensure_ascii=True) + "\n"
