"""Counts and durations of requests, in the text format of Prometheus."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from jupyter_colophon.core.server_load import REQUEST_KINDS, RequestKind, ServerLoad

#: Upper bounds of the durations, in seconds.
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(slots=True)
class RequestMetrics:
    """The metrics of one server. Labels are operations and statuses, never names of data or users."""

    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    _requests: Counter = field(init=False)
    _durations: Histogram = field(init=False)
    _shed: Counter = field(init=False)

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

        self._shed = Counter(
            "colophon_requests_shed",
            "Requests that were refused because of the load.",
            ("kind",),
            registry=self.registry,
        )
        for kind in REQUEST_KINDS:
            self._shed.labels(kind)

    def observe_load(self, measure: Callable[[], ServerLoad]) -> None:
        """Show what a function measures."""
        delay = Gauge("colophon_queue_delay_seconds", "How long requests wait to be served.", registry=self.registry)
        delay.set_function(lambda: measure().delay_s)
        used = Gauge("colophon_resident_memory_bytes", "Resident memory of the process.", registry=self.registry)
        used.set_function(lambda: measure().memory_bytes or 0)
        limit = Gauge(
            "colophon_memory_limit_bytes", "Resident memory from which requests are refused.", registry=self.registry
        )
        limit.set_function(lambda: measure().memory_limit_bytes or 0)

    def record_shed_request(self, kind: RequestKind) -> None:
        """Count a request that was refused because of the load."""
        self._shed.labels(kind).inc()

    def record_request(self, operation: str, status: int) -> None:
        """Count a request."""
        self._requests.labels(operation, str(status)).inc()

    def record_duration(self, *, is_read: bool, seconds: float) -> None:
        """Record how long a request took."""
        self._durations.labels("read" if is_read else "write").observe(seconds)

    def render(self) -> str:
        """Return the metrics as text."""
        return generate_latest(self.registry).decode()
