"""The header `Idempotency-Key`: a write that is sent again with it has its effect once (spec WRITE-9)."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.operations.parameter import Parameter

_KEY = re.compile(r"[!-~]{1,255}")


def _read(text: str) -> str:
    if not _KEY.fullmatch(text):
        raise InvalidQuery("1 to 255 visible ASCII characters", "Idempotency-Key")
    return text


#: What every operation that writes declares. Empty where it is not sent.
IDEMPOTENCY_KEY: Final[Parameter[str]] = Parameter(
    "Idempotency-Key",
    "A unique key chosen by the caller for each write. A request repeated with the same key within a day is applied once.",
    {"type": "string", "pattern": f"^{_KEY.pattern}$"},
    _read,
    "",
    "header",
)


#: Headers that change what a request asks for.
ASKING: Final = ("Content-Type", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since")


def fingerprint(method: str, path: str, asking: Iterable[str], body: bytes) -> str:
    """What tells one request from another; `path` is with its query, below the server's base URL.

    `asking` are the values of the headers ASKING, empty where one was not sent.
    """
    digest = sha256()
    for part in (method.encode(), path.encode(), *(value.encode() for value in asking), body):
        digest.update(b"%d:" % len(part) + part)
    return digest.hexdigest()
