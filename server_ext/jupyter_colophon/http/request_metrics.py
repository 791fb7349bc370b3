"""Counts and durations of requests, in the text format of Prometheus."""

from dataclasses import dataclass, field
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

#: Upper bounds of the durations, in seconds.
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(slots=True)
class RequestMetrics:
    """The metrics of one server. Labels are operations and statuses, never names of data or users."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    _requests: Counter = field(init=False)
    _durations: Histogram = field(init=False)

    def __post_init__(self) -> None:
        self._requests = Counter(
            "colophon_requests", "Requests by operation and status.", ("operation", "status"), registry=self.registry
        )
        self._durations = Histogram(
            "colophon_request_duration_seconds",
            "Durations of requests, without streams and long polls.",
            ("kind",),
            buckets=_BUCKETS,
            registry=self.registry,
        )

    def record_request(self, operation: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(operation, str(status)).inc()

    def record_duration(self, *, is_read: bool, seconds: float) -> None:
        """Record how long a request took."""
        self._durations.labels("read" if is_read else "write").observe(seconds)

    def render(self) -> str:
        """Return the metrics as text."""
        return generate_latest(self.registry).decode()
