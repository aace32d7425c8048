"""The session: who asks, in which version, and which certificates are trusted; nothing from the surroundings."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.util.ssl_ import create_urllib3_context

from phasegate import VERSION
from phasegate.github.client.answers import GitHubError
from phasegate.github.client.side_by_side import SIDE_BY_SIDE

API_VERSION = "2022-11-28"


class _Adapter(HTTPAdapter):
    """Connections with one TLS context for all: reading the certificates anew for each takes longer than an answer."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        super().__init__(pool_connections=2, pool_maxsize=SIDE_BY_SIDE, max_retries=0)

    def init_poolmanager(self, *sizes: Any, **options: Any) -> None:  # noqa: ANN401  (as requests calls it)
        """Give the context to direct connections."""
        super().init_poolmanager(*sizes, ssl_context=self._context, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:  # noqa: ANN401  (as requests calls it)
        """Give the context to connections through a proxy."""
        return super().proxy_manager_for(proxy, ssl_context=self._context, **options)

    def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:  # noqa: ANN401  (as requests calls it)
        """The context has the certificates, and verifies."""


def new_session(token: str, proxies: Mapping[str, str], certificates: str | None, url: str) -> requests.Session:
    """A session for one server."""
    if not (token.isascii() and token.isprintable()):
        raise GitHubError("the token holds characters that no token has: was it pasted with something beside it?")
    session = requests.Session()
    session.trust_env = False
    session.proxies = dict(proxies)
    session.headers.update(
        {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {token}",
            "User-Agent": f"phase-gate/{VERSION}",
            "X-GitHub-Api-Version": API_VERSION,
        }
    )
    session.mount("http://", HTTPAdapter(pool_connections=2, pool_maxsize=SIDE_BY_SIDE, max_retries=0))
    if url.startswith("https://"):
        session.mount("https://", _Adapter(_context(certificates)))
    return session


def _context(certificates: str | None) -> ssl.SSLContext:
    """TLS as requests would have it, with the certificates that were chosen or those that requests brings."""
    chosen = Path(certificates or DEFAULT_CA_BUNDLE_PATH)
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    try:
        if chosen.is_dir():
            context.load_verify_locations(capath=str(chosen))
        else:
            context.load_verify_locations(cafile=str(chosen))
    except (OSError, ssl.SSLError):
        message = "the certificates of REQUESTS_CA_BUNDLE or SSL_CERT_FILE cannot be read"
        raise GitHubError(f"{message}: name a file in PEM form, or none") from None
    return context
