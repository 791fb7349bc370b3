"""The webhook: changes are posted as JSON, signed with a secret that both sides know.

`X-Colophon-Signature: t=<seconds since 1970>,v1=<HMAC-SHA256, hex, of "<t>." and the body>`. Any status from 200 to 299
is a receipt; a redirect is none. Nothing of what the other side says is kept or shown.
"""

import hmac
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.changes.change_formatter import FORMS, ChangeFormatter
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import DeliveryFailed, InvalidConfiguration, shown
from jupyter_colophon.relay.sink_protocol import DELIVERY_S, SinkContext
from jupyter_colophon.relay.ssrf_guard import Target, resolved, target

CONNECT_S: Final = 5.0
_OPTIONS: Final = ("allow_private", "format", "secret", "secret_file", "timeout_s", "url")
_SECRET_LEAST: Final = 16
_TIMEOUT_S: Final = 10.0


def create(context: SinkContext) -> "Webhook":
    """A webhook of its options. Raises InvalidConfiguration, which shows no value."""
    options = context.options
    for name in options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {shown(str(name))}")
    form, timeout, private = (
        options.get("format", FORMS[0]),
        options.get("timeout_s", _TIMEOUT_S),
        options.get("allow_private", False),
    )
    if form not in FORMS:
        raise InvalidConfiguration(f"the option format must be one of {', '.join(FORMS)}")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= DELIVERY_S:
        raise InvalidConfiguration(f"the option timeout_s must be a number above 0 and up to {DELIVERY_S:g}")
    if not isinstance(private, bool):
        raise InvalidConfiguration("the option allow_private must be True or False")
    return Webhook(
        context.name, target(options.get("url")), _secret(options), context.formatter, form, float(timeout), private
    )


@dataclass(slots=True)
class Webhook:
    """Posts changes to one URL. Whoever sees a repr of it sees no secret."""

    name: str
    target: Target = field(repr=False)
    secret: bytes = field(repr=False)
    formatter: ChangeFormatter = field(repr=False)
    form: str
    timeout_s: float
    private: bool

    @property
    def is_local(self) -> bool:
        """No: it is one for all processes."""
        return False

    def deliver(self, changes: Sequence[Change]) -> None:
        """Post them as one document. Raises DeliveryFailed."""
        documents = [one for change in changes if (one := self.formatter.format(change, self.form)) is not None]
        if not documents:
            return
        body = json.dumps({"sink": self.name, "format": self.form, "changes": documents}, ensure_ascii=False).encode()
        status = self._posted(body, f"{changes[0].seq}-{changes[-1].seq}")
        if not 200 <= status < 300:
            raise DeliveryFailed(f"{self.target.shown} answered {status}")

    def close(self) -> None:
        """Nothing is kept open."""

    def _posted(self, body: bytes, delivery: str) -> int:
        connection = self._connection()
        # A deadline for all of it: one that sends a byte now and then would have time without end.
        deadline = threading.Timer(self.timeout_s, _cut, (connection,))
        deadline.daemon = True
        deadline.start()
        try:
            connection.request("POST", self.target.path, body, self._headers(body, delivery))
            answer = connection.getresponse()
            answer.read(1)
        except (OSError, http.client.HTTPException) as error:
            raise DeliveryFailed(f"{self.target.shown} cannot be reached ({type(error).__name__})") from None
        finally:
            deadline.cancel()
            connection.close()
        return answer.status

    def _headers(self, body: bytes, delivery: str) -> Mapping[str, str]:
        now = str(int(time.time()))
        signature = hmac.digest(self.secret, now.encode() + b"." + body, sha256).hex()
        return {
            "Content-Type": "application/json",
            "User-Agent": "jupyter-colophon",
            "X-Colophon-Sink": self.name,
            "X-Colophon-Delivery": delivery,
            "X-Colophon-Signature": f"t={now},v1={signature}",
        }

    def _connection(self) -> "_Pinned":
        where = self.target
        address = resolved(where.host, where.port, private=self.private)
        return _Pinned(where, address, min(CONNECT_S, self.timeout_s), self.timeout_s)


class _Pinned(http.client.HTTPConnection):
    """A connection to the address that was looked at, whatever the name leads to meanwhile; with TLS to the name."""

    def __init__(self, where: Target, address: str, connect_s: float, timeout_s: float) -> None:
        super().__init__(where.host, where.port, timeout=timeout_s)
        self._address, self._connect_s, self._secure = address, connect_s, where.secure
        self.default_port = 443 if where.secure else 80

    def connect(self) -> None:
        """Connect, and check who is there."""
        self.sock = socket.create_connection((self._address, self.port), self._connect_s)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
        self.sock.settimeout(self.timeout)


def _cut(connection: _Pinned) -> None:
    """Time is over: whoever reads or writes there gets an error."""
    found = connection.sock
    if found is not None:
        with suppress(OSError):
            found.shutdown(socket.SHUT_RDWR)


def _secret(options: Mapping[str, Any]) -> bytes:
    given, file = options.get("secret"), options.get("secret_file")
    if file is not None:
        try:
            given = Path(str(file)).expanduser().read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfiguration(f"its secret_file cannot be read ({type(error).__name__})") from None
    if not isinstance(given, str) or len(given) < _SECRET_LEAST:
        raise InvalidConfiguration(
            f"its secret (option secret_file or secret) must have at least {_SECRET_LEAST} characters"
        )
    return given.encode()
