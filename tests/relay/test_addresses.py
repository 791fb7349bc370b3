"""Webhooks connect to public addresses only (SSRF)."""

import pytest
from jupyter_colophon.core.errors import DeliveryFailed
from jupyter_colophon.relay.ssrf_guard import resolve_allowed_address

PRIVATE = [
    "127.0.0.1",
    "127.1",
    "0.0.0.0",
    "2130706433",
    "0x7f000001",
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "localhost",
    "::1",
    "::",
    "fe80::1",
    "fc00::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
]


@pytest.mark.parametrize("host", PRIVATE)
def test_private_addresses_are_rejected(host: str) -> None:
    with pytest.raises(DeliveryFailed, match=r"on this machine or its network|has no address"):
        resolve_allowed_address(host, 80, private=False)


@pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_are_allowed(host: str) -> None:
    assert resolve_allowed_address(host, 443, private=False) == host


def test_private_addresses_can_be_allowed() -> None:
    assert resolve_allowed_address("127.0.0.1", 80, private=True) == "127.0.0.1"
