"""Idempotency keys: a write that is sent again because its answer was lost has its effect once."""

from dataclasses import dataclass

#: How long a key is known, in milliseconds (spec WRITE-9).
KEPT_MS = 24 * 60 * 60 * 1_000


@dataclass(frozen=True, slots=True)
class Once:
    """A user's idempotency key, and the fingerprint of the request that came with it: method, path and body.

    After `known_ms` the same request is another one.
    """

    user: str
    key: str
    fingerprint: str
    known_ms: int = KEPT_MS
