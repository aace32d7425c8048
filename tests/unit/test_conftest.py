"""The guard that keeps tests off the network."""

from __future__ import annotations

import socket

import pytest


def test_refuse_network__name_is_not_looked_up() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"network: 'example\.org'"):
        socket.create_connection(("example.org", 443))


def test_refuse_network__address_is_not_connected_to() -> None:
    with socket.socket() as connection, pytest.raises(pytest.fail.Exception, match=r"network: '192\.0\.2\.1'"):
        connection.connect(("192.0.2.1", 443))


def test_refuse_network__loopback_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            client.sendall(b"x")
            assert accepted.recv(1) == b"x"
