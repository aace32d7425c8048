"""What the context command reads of a live pull request: what was decided, its diff, and which files its head has."""

from __future__ import annotations

import time

from phasegate.cli.connection import SECONDS, make_client
from phasegate.cli.live import decide
from phasegate.context.pack import SECTIONS
from phasegate.github.client.answers import GitHubError, as_documented
from phasegate.github.client.client import Client, Clock, Server
from phasegate.github.diff import DiffReader, read_diff
from phasegate.github.reading.opening import Target
from phasegate.model.report import Report
from phasegate.model.snapshot import Snapshot
from phasegate.settings import Api

FILE_MODES = ("100644", "100755")


def read_live(api: Api, target: Target) -> tuple[Snapshot, Report]:
    """The pull request, decided."""
    decision = decide(make_client(api), target)
    return decision.snapshot, decision.report


def diff_of(api: Api, target: Target, head: str) -> str:
    """The diff of a pull request; of this very head, or none."""
    client = make_client(api)
    diff = read_diff(_diff_reader(api), client, target.repository, target.number, SECTIONS[0].limit)
    if _head(client, target.repository, target.number) != head:
        raise GitHubError(f"{target.repository}#{target.number} got another commit while it was read. Run this again")
    return diff


def _diff_reader(api: Api) -> DiffReader:
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    return DiffReader(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep), SECONDS)


def _head(client: Client, repository: str, number: int) -> str:
    path = f"/repos/{repository}/pulls/{number}"
    with as_documented(f"GET {path}"):
        return str(client.get(path)["head"]["sha"])


def files_at_head(api: Api, repository: str, number: int) -> frozenset[str]:
    """The files of the head commit; links and submodules are none."""
    client = make_client(api)
    path = f"/repos/{repository}/git/trees/{_head(client, repository, number)}"
    tree = client.get(path, recursive="1")
    with as_documented(f"GET {path}"):
        if tree["truncated"]:
            raise GitHubError(f"GET {path}: too many files to list. Check against a clone with --root")
        return frozenset(entry["path"] for entry in tree["tree"] if entry["mode"] in FILE_MODES)
