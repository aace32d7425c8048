"""The session: whom it trusts, and that it reads the certificates once, over real TLS on loopback."""

from __future__ import annotations

import http.server
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from phasegate.github.client.answers import GitHubError
from phasegate.github.client.client import Client, Server, new_session
from tests.integration.runs import Sleepless

OPENSSL = shutil.which("openssl")
needs_openssl = pytest.mark.skipif(OPENSSL is None, reason="openssl makes the certificate")


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers everything with an object."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the standard library's name)
        """Say nothing."""


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for this machine, with its key, that nobody else trusts."""
    folder = tmp_path_factory.mktemp("tls")
    made = folder / "own.pem"
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    keys = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command = [OPENSSL or "", "req", "-x509", *keys, "-keyout", str(folder / "key"), "-out", str(made), *names]
    subprocess.run(command, check=True, capture_output=True)
    made.write_text((folder / "key").read_text() + made.read_text(), encoding="utf-8")
    return made


@pytest.fixture
def port(certificate: Path) -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # type: ignore[method-assign]
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join(timeout=5)


def client_of(host: str, port: int, certificates: str | None) -> Client:
    server = Server(rest=f"https://{host}:{port}", graphql="", token="t-0123", certificates=certificates)  # noqa: S106
    return Client(server, Sleepless().clock, 30)


@needs_openssl
def test_tls__certificates_that_were_chosen_are_trusted_for_their_name(port: int, certificate: Path) -> None:
    assert client_of("127.0.0.1", port, str(certificate)).get("/x") == {}
    with pytest.raises(GitHubError, match="certificate is not trusted"):
        client_of("localhost", port, str(certificate)).get("/x")


@needs_openssl
def test_tls__those_of_the_system_are_trusted(port: int, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GitHubError, match=r"not trusted on this machine\. Set REQUESTS_CA_BUNDLE"):
        client_of("127.0.0.1", port, None).get("/x")
    monkeypatch.setenv(ssl.get_default_verify_paths().openssl_cafile_env, str(certificate))
    assert client_of("127.0.0.1", port, None).get("/x") == {}


@needs_openssl
def test_tls__certificates_are_read_once_for_all(port: int, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, barrier = client_of("127.0.0.1", port, str(certificate)), threading.Barrier(8, timeout=10)

    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("the certificates are read again")

    def ask() -> object:
        barrier.wait()
        return client.get("/x")

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", forbidden)
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", forbidden)
    assert client.together(dict.fromkeys(range(8), ask)) == {key: {} for key in range(8)}


@pytest.mark.parametrize("content", [None, "", "not a certificate"])
def test_tls__certificates_that_cannot_be_read_are_an_error(tmp_path: Path, content: str | None) -> None:
    chosen = tmp_path / "own.pem"
    if content is not None:
        chosen.write_text(content, encoding="utf-8")
    with pytest.raises(GitHubError, match="REQUESTS_CA_BUNDLE or SSL_CERT_FILE cannot be read"):
        client_of("127.0.0.1", 1, str(chosen))
    client_of("127.0.0.1", 1, str(tmp_path))  # a folder of them will do


def test_session__goes_through_the_proxy_that_was_chosen() -> None:
    chosen = {"https": "http://proxy.test:3128"}
    session = new_session("t-0123", chosen, None, "https://github.test")
    assert (session.proxies, session.trust_env, session.verify) == (chosen, False, True)
    manager = session.get_adapter("https://github.test").proxy_manager_for("http://proxy.test:3128")  # type: ignore[attr-defined]
    assert manager.connection_pool_kw["ssl_context"].verify_mode is ssl.CERT_REQUIRED
    assert manager.connection_pool_kw["ssl_context"].check_hostname


@pytest.mark.parametrize("token", ["gh\u20acs", "ghs\x00", "gh\ts"])
def test_session__refuses_a_token_that_is_none(token: str) -> None:
    with pytest.raises(GitHubError, match="no token has") as caught:
        new_session(token, {}, None, "http://127.0.0.1:1")
    assert token not in str(caught.value)
