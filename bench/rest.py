"""Compare creating an entity over REST with the minimum that a Jupyter server does for an authenticated POST; CPU time
of the server.
"""

from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import quote

from jupyter_colophon.core.identity.names import make_home_dataset_urn
from serving import Client, Server, start_server

REQUESTS, ROUNDS = 200, 7
_VALUE = {"properties": {"owner": "ops", "refresh": "every morning"}, "tags": ["faa", "raw"]}


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with start_server("jupyter_colophon", "trivial") as server, server.open_client() as client:
        client.request("PUT", _get_path(-1), _VALUE)
        ours, trivial = [], []
        for round_ in range(ROUNDS):
            ours.append(_measure_cpu_ms(server, partial(_create_entity, client, round_ * REQUESTS)))
            trivial.append(_measure_cpu_ms(server, lambda _: client.request("POST", "/trivial", _VALUE)))
    yield (
        "REST create, CPU ms a request",
        f"{min(ours):.2f}",
        f"{min(trivial):.2f} (a trivial authenticated POST)",
        f"{min(ours) / min(trivial):.2f}x",
        "<= 2x",
    )


def _create_entity(client: Client, base: int, at: int) -> object:
    return client.request("PUT", _get_path(base + at), _VALUE)


def _get_path(number: int) -> str:
    urn = str(make_home_dataset_urn("default", f"table{number}"))
    return f"/colophon/api/entities/{quote(urn, safe='')}/aspects/technicalMetadata"


def _measure_cpu_ms(server: Server, ask: Callable[[int], object]) -> float:
    """Return the CPU milliseconds of the server per request, over many requests."""
    before = server.read_cpu_ms()
    for at in range(REQUESTS):
        ask(at)
    return (server.read_cpu_ms() - before) / REQUESTS
