"""Print where the CPU time of requests goes: of the trivial authenticated POST, and of a create, an update, a read, a search
and a lineage request, by stage (`stages.py`), on SQLite.

`python bench/costs.py`. The total is measured without the clock of the stages, whose own time of about a microsecond for
each call is in the stages; what no stage has is the event loop's and Tornado's.
"""

from collections.abc import Callable, Mapping
from urllib.parse import quote

from jupyter_colophon.core.identity.names import make_home_dataset_urn
from serving import Client, Server, start_server
from stages import STAGES

REQUESTS, ROUNDS, ENTITIES = 200, 7, 300
_VALUE = {"properties": {"owner": "ops", "refresh": "every morning"}, "tags": ["faa", "raw"]}
_API = "/colophon/api"


def main() -> None:
    """Measure all kinds of requests, and print a table."""
    with (
        start_server(
            "jupyter_colophon", "trivial", "stages", known=("jupyter_colophon", "trivial", "stages")
        ) as server,
        server.open_client() as client,
    ):
        _fill(client)
        print_cost_table(server, client, _list_requests(client))


def print_cost_table(
    server: Server,
    client: Client,
    kinds: Mapping[str, Callable[[int], object]],
    requests: int = REQUESTS,
    parts: int = 1,
) -> None:
    """Print the CPU time of each stage of each kind of request, by name; a request gets a number not used before.

    With `parts`, the times are those of one of the parts of a request.
    """
    totals = {name: _measure_total(server, send, requests) for name, send in kinds.items()}
    stages = {name: _measure_stages(client, send, requests) for name, send in kinds.items()}
    print("| CPU ms | " + " | ".join(kinds) + " |\n|---|" + "---|" * len(kinds))
    for stage in STAGES:
        costs = [stages[name].get(stage, (0, 0)) for name in kinds]
        # Stages that would be shown as 0.000 are left out.
        if any(taken / parts >= 0.0005 for taken, _ in costs):
            print(f"| {stage} | " + " | ".join(_format(taken / parts, calls / parts) for taken, calls in costs) + " |")
    print("| all, without the clock | " + " | ".join(f"{totals[name] / parts:.3f}" for name in kinds) + " |")


def _fill(client: Client) -> None:
    for number in range(ENTITIES):
        client.request("PUT", _get_path(number), _VALUE)
        client.request(
            "PUT", _get_path(number, "businessMetadata"), {"properties": {}, "tags": [f"rare{number % 100}"]}
        )
    for number in range(10):
        upstream = {"dataset": _get_urn(number + 1), "type": "TRANSFORMED"}
        client.request("PUT", _get_path(number, "upstreamLineage"), {"upstreams": [upstream]})


def _list_requests(client: Client) -> dict[str, Callable[[int], object]]:
    """Return what sends each kind of request, by name; each gets numbers that were not used before."""
    lineage = f"{_API}/lineage?urn={quote(_get_urn(3), safe='')}&levels=20"
    return {
        "trivial POST": lambda _: client.request("POST", "/trivial", _VALUE),
        "create": lambda number: client.request("PUT", _get_path(number), _VALUE),
        "update": lambda number: client.request(
            "PUT", _get_path(number % 50), {"properties": {"n": str(number)}, "tags": []}
        ),
        "read": lambda _: client.request("GET", _get_path(1)),
        "search": lambda _: client.request("GET", f"{_API}/search?q=rare7"),
        "lineage": lambda _: client.request("GET", lineage),
    }


def _measure_total(server: Server, send: Callable[[int], object], requests: int) -> float:
    return min(_measure_cpu_ms(server, send, ENTITIES + at * requests, requests) for at in range(ROUNDS))


def _measure_cpu_ms(server: Server, send: Callable[[int], object], first: int, requests: int) -> float:
    before = server.read_cpu_ms()
    _send_many(send, first, requests)
    return (server.read_cpu_ms() - before) / requests


def _send_many(send: Callable[[int], object], first: int, requests: int) -> None:
    for number in range(first, first + requests):
        send(number)


def _measure_stages(client: Client, send: Callable[[int], object], requests: int) -> dict[str, tuple[float, float]]:
    """Return CPU milliseconds and calls of each stage per request, the minimum of several rounds."""
    best: dict[str, tuple[float, float]] = {}
    for at in range(ROUNDS):
        client.request("POST", "/stages")
        _send_many(send, 1_000_000 + at * requests, requests)
        for stage, (taken, calls) in client.request("GET", "/stages").items():
            best[stage] = min(best.get(stage, (float("inf"), 0.0)), (taken / requests, calls / requests))
    return best


def _format(taken: float, calls: float) -> str:
    return f"{taken:.3f} ({calls:.0f})" if taken else "-"


def _get_urn(number: int) -> str:
    return str(make_home_dataset_urn("default", f"table{number}"))


def _get_path(number: int, aspect: str = "technicalMetadata") -> str:
    return f"{_API}/entities/{quote(_get_urn(number), safe='')}/aspects/{aspect}"


if __name__ == "__main__":
    main()
