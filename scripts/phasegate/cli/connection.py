"""A client of GitHub on the real clock; it loads little, so that the first requests are soon under way."""

from __future__ import annotations

import time

from phasegate.github.client.client import Client, Clock, Server
from phasegate.settings import Api

# To read, judge and publish: with the last word, which may be said twice, a decision stays within two minutes.
SECONDS = 80.0
# What comes after the statuses are written has a time of its own on top of that; the annotations have this.
ANNOTATING_SECONDS = 40.0


def make_client(api: Api, seconds: float = SECONDS) -> Client:
    """A client on the real clock."""
    server = Server(
        rest=api.rest, graphql=api.graphql, token=api.token, proxies=api.proxies, certificates=api.certificates
    )
    return Client(server, Clock(monotonic=time.monotonic, epoch=time.time, sleep=time.sleep), seconds)
