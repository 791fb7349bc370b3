"""The metrics of the service, for Prometheus."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.operations.native import health
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import LinesAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
#: The gauges: their names, what they are, and their places in the health document.
_GAUGES: Final = (
    ("colophon_change_log_head", "Sequence number of the newest change.", ("changeLog", "head")),
    ("colophon_subscribers", "Subscribers of the change log.", ("subscribers",)),
    ("colophon_kernel_tokens", "Kernels with a token.", ("kernelTokens",)),
    ("colophon_inbox_pending", "Batches of proposals that are not applied yet.", ("inbox", "pending")),
    ("colophon_dead_letters", "Proposals that could not be applied.", ("deadLetters",)),
    (
        "colophon_system_app_workers_requested",
        "Worker processes of system applications that this server is to run.",
        ("systemAppWorkers", "requested"),
    ),
    (
        "colophon_system_app_workers_running",
        "Worker processes of system applications that run in this server.",
        ("systemAppWorkers", "running"),
    ),
    (
        "colophon_system_app_worker_restarts",
        "Worker processes of system applications that were started in place of others that failed.",
        ("systemAppWorkers", "restarts"),
    ),
)

#: The gauges of work in the background: their names, what they are, and their members in the health document.
_WORK_GAUGES: Final = (
    ("colophon_work_pending", "Changes or batches that work in the background has not handled.", "pending"),
    ("colophon_work_stalled_seconds", "For how long work has waited without progress.", "stalledSeconds"),
)


@declare_operation(
    "readMetrics",
    "GET /metrics",
    decided_by="public",
    answers={200: {"type": "string", "description": "Metrics in the text format of Prometheus."}},
    content_type=METRICS,
)
def read_metrics(services: ProcessServices, request: OperationRequest) -> LinesAnswer:
    """Read counts and durations of requests, and the state of the service, as Prometheus reads them."""
    document = health.read_health.function(services, request).document
    return LinesAnswer(iter((services.render_request_metrics() + _render_gauges(document)).splitlines()))


def _render_gauges(document: Mapping[str, Any]) -> str:
    # The command line loads this module, and starts faster without it.
    from prometheus_client import CollectorRegistry, Gauge, generate_latest

    registry = CollectorRegistry()

    def add_gauge(name: str, meaning: str, value: int) -> None:
        Gauge(name, meaning, registry=registry).set(value)

    add_gauge("colophon_up", "Whether the store accepts writes.", int(document["store"]["status"] == "ok"))
    for name, meaning, place in _GAUGES:
        value: Any = document
        for step in place:
            value = value[step]
        # What is unknown while the store is unavailable is left out.
        if value is not None:
            add_gauge(name, meaning, value)
    for gauge, meaning, member in _WORK_GAUGES:
        work = Gauge(gauge, meaning, ["work"], registry=registry)
        for item in document["backgroundWork"]:
            work.labels(item["name"]).set(item[member])
    lags = [sink["lag"] for sink in document["sinks"]]
    if lags:
        add_gauge("colophon_sink_lag", "Changes that the slowest sink has not received.", max(lags))
    return generate_latest(registry).decode()
