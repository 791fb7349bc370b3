"""Limits of how much one principal sends: requests, and bytes of bodies. Used on the event loop.

Each limit is a token bucket per principal: it fills at a constant rate up to a bound. A full bucket is equal to none, so
those of principals that have stopped sending are dropped.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import TooManyRequests
from jupyter_colophon.settings import Settings

_MINUTE_S = 60.0


@dataclass(slots=True)
class _Bucket:
    """What is left, negative if more was taken, and when (monotonic)."""

    level: float
    updated: float


class TokenBuckets:
    """The buckets of one limit, by principal; the one that was used last is the last."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of buckets that are not full."""
        return len(self._buckets)

    def find_wait_s(self, user: str, amount: float, rate: float, bound: float) -> float:
        """Return in how many seconds a bucket contains an amount; 0 if it does now."""
        bucket = self._buckets.get(user)
        missing = 0.0 if bucket is None else amount - self._compute_level(bucket, rate, bound)
        return max(0.0, missing / rate)

    def take(self, user: str, amount: float, rate: float, bound: float) -> None:
        """Take an amount from a bucket, also if it contains less."""
        self._drop_full_buckets(rate, bound)
        bucket = self._buckets.get(user)
        level = bound if bucket is None else self._compute_level(bucket, rate, bound)
        self._buckets[user] = _Bucket(level - amount, self._now())
        self._buckets.move_to_end(user)

    def _compute_level(self, bucket: _Bucket, rate: float, bound: float) -> float:
        return min(bound, bucket.level + (self._now() - bucket.updated) * rate)

    def _drop_full_buckets(self, rate: float, bound: float) -> None:
        """Drop full buckets, beginning with the one that was not used for the longest time."""
        while self._buckets:
            user, bucket = next(iter(self._buckets.items()))
            if self._compute_level(bucket, rate, bound) < bound:
                return
            del self._buckets[user]


class RateLimits:
    """The limits of the settings."""

    def __init__(self, settings: Settings, now: Callable[[], float] = time.monotonic) -> None:
        self._settings = settings
        self._requests, self._bytes = TokenBuckets(now), TokenBuckets(now)

    def count_request(self, principal: Principal, *, has_body: bool) -> None:
        """Count a request. Raises TooManyRequests if a limit is exceeded; the request does not count then."""
        settings = self._settings
        if has_body and settings.max_body_bytes_per_minute:
            most = settings.max_body_bytes_per_minute
            wait_s = self._bytes.find_wait_s(principal.user, 1, most / _MINUTE_S, most)
            _require_no_wait(
                wait_s, f"{most} bytes of request bodies per minute (c.Colophon.max_body_bytes_per_minute)"
            )
        if settings.max_requests_per_second:
            rate, burst = settings.max_requests_per_second, settings.max_request_burst
            wait_s = self._requests.find_wait_s(principal.user, 1, rate, burst)
            _require_no_wait(wait_s, f"{rate:g} requests per second (c.Colophon.max_requests_per_second)")
            self._requests.take(principal.user, 1, rate, burst)

    def count_body_bytes(self, principal: Principal, count: int) -> None:
        """Count bytes of a body that have arrived. The body is accepted whatever its size; later ones may be refused."""
        if most := self._settings.max_body_bytes_per_minute:
            self._bytes.take(principal.user, count, most / _MINUTE_S, most)


def _require_no_wait(wait_s: float, limit: str) -> None:
    if wait_s > 0:
        raise TooManyRequests(limit, math.ceil(wait_s))
