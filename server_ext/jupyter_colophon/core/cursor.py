"""Write and read cursors: opaque to clients and signed, so that they cannot be forged (spec SEARCH-21)."""

import base64
import hashlib
import hmac
import json
from typing import Any

from jupyter_colophon.core.errors import InvalidQuery

_SIGNATURE_BYTES = 12


class CursorCodec:
    """Writes and reads cursors with a key that all processes of a store share."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def encode_cursor(self, kind: str, position: Any) -> str:
        """Return a position as text for a URL."""
        body = json.dumps([kind, position], separators=(",", ":")).encode()
        return base64.urlsafe_b64encode(self._compute_signature(body) + body).decode().rstrip("=")

    def decode_cursor(self, kind: str, cursor: str) -> Any:
        """Return the position in a cursor. Raises InvalidQuery unless it was written for this kind of list."""
        try:
            raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except ValueError:
            raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor") from None
        signature, body = raw[:_SIGNATURE_BYTES], raw[_SIGNATURE_BYTES:]
        if not hmac.compare_digest(signature, self._compute_signature(body)):
            raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")
        written_for, place = json.loads(body)
        if written_for != kind:
            raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")
        return place

    def _compute_signature(self, body: bytes) -> bytes:
        return hmac.digest(self._key, body, hashlib.sha256)[:_SIGNATURE_BYTES]
