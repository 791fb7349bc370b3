"""Idempotency keys: a write that is retried because its response was lost is applied once."""

from dataclasses import dataclass

#: How long a key is kept, in milliseconds (spec WRITE-9).
KEPT_MS = 24 * 60 * 60 * 1_000


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A user's idempotency key, and the fingerprint of its request: method, path and body.

    After `known_ms` the key can be used again.
    """

    user: str
    key: str
    fingerprint: str
    known_ms: int = KEPT_MS
