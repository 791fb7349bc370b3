"""Write and read cursors: opaque to clients and signed, so that they cannot be forged (spec SEARCH-21)."""

import base64
import hashlib
import hmac
import json
from typing import Any

from jupyter_colophon.core.errors import InvalidQuery

_SIGNATURE_BYTES = 12


class Cursors:
    """Writes and reads cursors with a key that all processes of a store share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def write(self, kind: str, place: Any) -> str:
        """Return a position as text for a URL."""
        body = json.dumps([kind, place], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._sign(body) + body).decode().rstrip("=")

    def read(self, kind: str, text: str) -> Any:
        """Return the position in a cursor. Raises InvalidQuery unless it was written for this kind of list."""
        try:
            raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        except ValueError:
            raise InvalidQuery("invalid cursor for this list", "cursor") from None
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._sign(body)):
            raise InvalidQuery("invalid cursor for this list", "cursor")
        written_for, place = json.loads(body)
        if written_for != kind:
            raise InvalidQuery("invalid cursor for this list", "cursor")
        return place

    def _sign(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)[:_SIGNATURE_BYTES]
