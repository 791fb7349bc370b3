"""The webhook: changes are posted as JSON, signed with a shared secret.

`X-Colophon-Signature: t=<seconds since 1970>,v1=<HMAC-SHA256, hex, of "<t>." and the body>`. Any status from 200 to 299
acknowledges the changes; a redirect does not. The content of the response is neither stored nor logged.
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
from jupyter_colophon.core.errors import DeliveryFailed, InvalidConfiguration, quote_and_truncate_text
from jupyter_colophon.relay.sink_protocol import DELIVERY_TIMEOUT_S, SinkContext
from jupyter_colophon.relay.ssrf_guard import WebhookTarget, parse_webhook_url, resolve_allowed_address

CONNECT_S: Final = 5.0
_OPTIONS: Final = ("allow_private", "format", "secret", "secret_file", "timeout_seconds", "url")
_MIN_SECRET_CHARS: Final = 16
_TIMEOUT_S: Final = 10.0


def create(context: SinkContext) -> "Webhook":
    """Create a webhook from its options. Raises InvalidConfiguration, which shows no value."""
    options = context.options
    for name in options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {quote_and_truncate_text(str(name))}")
    form, timeout, private = (
        options.get("format", FORMS[0]),
        options.get("timeout_seconds", _TIMEOUT_S),
        options.get("allow_private", False),
    )
    if form not in FORMS:
        raise InvalidConfiguration(f"the option format must be one of {', '.join(FORMS)}")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= DELIVERY_TIMEOUT_S:
        raise InvalidConfiguration(
            f"the option timeout_seconds must be a number above 0 and up to {DELIVERY_TIMEOUT_S:g}"
        )
    if not isinstance(private, bool):
        raise InvalidConfiguration("the option allow_private must be True or False")
    return Webhook(
        context.name,
        parse_webhook_url(options.get("url")),
        _read_secret(options),
        context.formatter,
        form,
        float(timeout),
        private,
    )


@dataclass(slots=True)
class Webhook:
    """Post changes to one URL. Its repr contains no secret."""

    name: str
    target: WebhookTarget = field(repr=False)
    secret: bytes = field(repr=False)
    formatter: ChangeFormatter = field(repr=False)
    form: str
    timeout_s: float
    private: bool

    @property
    def is_local(self) -> bool:
        """Return False: it is shared by all processes."""
        return False

    def deliver(self, changes: Sequence[Change]) -> None:
        """Post the changes as one document. Raises DeliveryFailed."""
        documents = [
            document
            for change in changes
            if (document := self.formatter.format_change_as(change, self.form)) is not None
        ]
        if not documents:
            return
        body = json.dumps({"sink": self.name, "format": self.form, "changes": documents}, ensure_ascii=False).encode()
        status = self._post_body(body, f"{changes[0].seq}-{changes[-1].seq}")
        if not 200 <= status < 300:
            raise DeliveryFailed(f"{self.target.display_host} answered {status}")

    def close(self) -> None:
        """Do nothing: there are no open connections."""

    def _post_body(self, body: bytes, delivery: str) -> int:
        connection = self._create_pinned_connection()
        # A deadline for the whole request: a receiver that sends single bytes would avoid the socket timeout.
        deadline = threading.Timer(self.timeout_s, _close_socket, (connection,))
        deadline.daemon = True
        deadline.start()
        try:
            connection.request("POST", self.target.path, body, self._build_headers(body, delivery))
            answer = connection.getresponse()
            answer.read(1)
        except (OSError, http.client.HTTPException) as error:
            raise DeliveryFailed(f"{self.target.display_host} cannot be reached ({type(error).__name__})") from None
        finally:
            deadline.cancel()
            connection.close()
        return answer.status

    def _build_headers(self, body: bytes, delivery: str) -> Mapping[str, str]:
        now = str(int(time.time()))
        signature = hmac.digest(self.secret, now.encode() + b"." + body, sha256).hex()
        return {
            "Content-Type": "application/json",
            "User-Agent": "jupyter-colophon",
            "X-Colophon-Sink": self.name,
            "X-Colophon-Delivery": delivery,
            "X-Colophon-Signature": f"t={now},v1={signature}",
        }

    def _create_pinned_connection(self) -> "_PinnedConnection":
        where = self.target
        address = resolve_allowed_address(where.host, where.port, private=self.private)
        return _PinnedConnection(where, address, min(CONNECT_S, self.timeout_s), self.timeout_s)


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to the address that was checked, with TLS for the host name."""

    def __init__(self, where: WebhookTarget, address: str, connect_s: float, timeout_s: float) -> None:
        super().__init__(where.host, where.port, timeout=timeout_s)
        self._address, self._connect_s, self._secure = address, connect_s, where.secure
        self.default_port = 443 if where.secure else 80

    def connect(self) -> None:
        """Connect, and verify the certificate."""
        self.sock = socket.create_connection((self._address, self.port), self._connect_s)
        if self._secure:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
        self.sock.settimeout(self.timeout)


def _close_socket(connection: _PinnedConnection) -> None:
    """Shut down the socket at the deadline; pending reads and writes fail."""
    sock = connection.sock
    if sock is not None:
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


def _read_secret(options: Mapping[str, Any]) -> bytes:
    secret, file = options.get("secret"), options.get("secret_file")
    if file is not None:
        try:
            secret = Path(str(file)).expanduser().read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidConfiguration(f"the secret_file cannot be read ({type(error).__name__})") from None
    if not isinstance(secret, str) or len(secret) < _MIN_SECRET_CHARS:
        raise InvalidConfiguration(
            f"the secret (option secret_file or secret) must have at least {_MIN_SECRET_CHARS} characters"
        )
    return secret.encode()
