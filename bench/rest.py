"""A create over REST beside the least that a Jupyter server does for an authenticated POST, in CPU time of the server."""

from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import quote

from jupyter_colophon.core.identity.names import home_dataset
from serving import Client, Server, serving

REQUESTS, ROUNDS = 200, 7
_VALUE = {"properties": {"owner": "ops", "refresh": "every morning"}, "tags": ["faa", "raw"]}


def rows() -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    with serving("jupyter_colophon", "trivial") as server, server.client() as client:
        client.ask("PUT", _path(-1), _VALUE)
        ours, trivial = [], []
        for round_ in range(ROUNDS):
            ours.append(_cpu_ms(server, partial(_create, client, round_ * REQUESTS)))
            trivial.append(_cpu_ms(server, lambda _: client.ask("POST", "/trivial", _VALUE)))
    yield (
        "REST create, CPU ms a request",
        f"{min(ours):.2f}",
        f"{min(trivial):.2f} (a trivial authenticated POST)",
        f"{min(ours) / min(trivial):.2f}x",
        "<= 2x",
    )


def _create(client: Client, base: int, at: int) -> object:
    return client.ask("PUT", _path(base + at), _VALUE)


def _path(number: int) -> str:
    urn = str(home_dataset("default", f"table{number}"))
    return f"/colophon/api/entities/{quote(urn, safe='')}/aspects/technicalMetadata"


def _cpu_ms(server: Server, ask: Callable[[int], object]) -> float:
    """CPU milliseconds of the server for one of many requests."""
    before = server.cpu_ms()
    for at in range(REQUESTS):
        ask(at)
    return (server.cpu_ms() - before) / REQUESTS
