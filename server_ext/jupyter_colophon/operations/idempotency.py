"""The header `Idempotency-Key`: a write that is repeated with the same key is applied once (spec WRITE-9)."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import Parameter

_KEY = re.compile(r"[!-~]{1,255}")


def _parse_idempotency_key(text: str) -> str:
    if not _KEY.fullmatch(text):
        raise InvalidQuery("must be 1 to 255 visible ASCII characters", "Idempotency-Key")
    return text


#: Declared by every operation that writes; empty if it is not sent.
IDEMPOTENCY_KEY: Final[Parameter[str]] = Parameter(
    "Idempotency-Key",
    "A unique key chosen by the caller for each write. A request repeated with the same key within a day is applied once.",
    {"type": "string", "pattern": f"^{_KEY.pattern}$"},
    _parse_idempotency_key,
    "",
    "header",
)


#: Headers that are part of the identity of a request.
FINGERPRINTED_HEADERS: Final = ("Content-Type", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since")


def compute_request_fingerprint(method: str, path: str, header_values: Iterable[str], body: bytes) -> str:
    """Return the fingerprint of a request; `path` is relative to the server's base URL, and includes the query.

    `header_values` are those of FINGERPRINTED_HEADERS, empty for a header that was not sent.
    """
    digest = sha256()
    for part in (method.encode(), path.encode(), *(value.encode() for value in header_values), body):
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()
