"""Restriction of webhooks to public addresses, not this machine or its network (SSRF).

The connection uses the address that was checked, so that a changed name resolution cannot circumvent the check.
"""

import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from jupyter_colophon.core.errors import DeliveryFailed, InvalidConfiguration

_PORTS: Final = {"http": 80, "https": 443}
#: The prefix of IPv6 addresses that contain an IPv4 address: NAT64.
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class WebhookTarget:
    """The parts of a webhook's URL. Only `display_host` may be logged: paths and queries of such URLs can be secrets."""

    secure: bool
    host: str
    port: int
    path: str

    @property
    def display_host(self) -> str:
        """Return the host."""
        return self.host


def parse_webhook_url(url: object) -> WebhookTarget:
    """Parse a URL. Raises InvalidConfiguration without showing it."""
    wrong = InvalidConfiguration(
        "the option url must be https://host/path or http://host/path, without user and password"
    )
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        raise wrong
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError:
        raise wrong from None
    if not port or not parts.hostname or parts.username is not None or parts.password is not None:
        raise wrong
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebhookTarget(parts.scheme == "https", parts.hostname, port, path)


def resolve_allowed_address(host: str, port: int, *, private: bool) -> str:
    """Return an address of the host. Raises DeliveryFailed if it has none, or, unless `private` is set, if any is not public."""
    try:
        results = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise DeliveryFailed(f"the host {host} has no address") from None
    addresses = list(dict.fromkeys(str(result[4][0]) for result in results))
    if not private and not _are_public(addresses):
        raise DeliveryFailed(f"{host} is on this machine or its network (see the option allow_private)")
    return addresses[0]


def _are_public(addresses: Sequence[str]) -> bool:
    return all(_is_public(ipaddress.ip_address(address.partition("%")[0])) for address in addresses)


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return _is_public(inner)
    return address.is_global and not address.is_multicast
