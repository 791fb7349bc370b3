"""Measure how the costs of requests for one entity grow with the catalog: 100, 10,000 and 1,000,000 entities."""

import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, urlencode

import corpus
import stores
from serving import Client, Server, start_server

REQUESTS, ROUNDS = 100, 7
#: Reused stores already contain the values of an earlier run: writing the same values again would change nothing.
_RUN = time.time_ns()
Ask = Callable[[Client, int, int], object]


def measure_rows(sizes: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    measured = {size: _measure_size(size) for size in sizes}
    minimum = measured[sizes[0]]
    for size in sizes[1:]:
        for name, figure in measured[size].items():
            yield (
                f"{name}, {size:,} entities, CPU ms a request",
                f"{figure:.2f}",
                f"{minimum[name]:.2f} ({sizes[0]:,} entities)",
                f"{figure / minimum[name]:.2f}x",
                "<= 1.5x",
            )


def _measure_size(size: int) -> dict[str, float]:
    """Return the CPU milliseconds of the server by kind of request."""
    stores.open_filled_catalog(size)
    path = stores.get_or_create_folder() / f"filled{size}.db"
    # Writes remain in the store: this benchmark is the last one.
    with (
        start_server("jupyter_colophon", options=(f"--Colophon.database={path}",)) as server,
        server.open_client() as client,
    ):
        return {name: _measure_cpu_ms(server, client, ask, size) for name, ask in KINDS.items()}


def _measure_cpu_ms(server: Server, client: Client, ask: Ask, size: int) -> float:
    """Return the minimum of some rounds, each with other entities than those before; the first one is a warm-up."""
    rounds = []
    for round_ in range(ROUNDS + 1):
        before = server.read_cpu_ms()
        for at in range(REQUESTS):
            ask(client, (round_ * REQUESTS + at) * 7919 % size, round_)
        rounds.append((server.read_cpu_ms() - before) / REQUESTS)
    return min(rounds[1:])


def _read_entity(client: Client, number: int, _: int) -> object:
    return client.request("GET", f"{_get_entity_path(number)}")


def _write_entity(client: Client, number: int, round_: int) -> object:
    value = {"properties": {"note": f"written {round_} {_RUN}", "owner": "ops"}, "tags": ["bench"]}
    return client.request("PUT", f"{_get_entity_path(number)}/aspects/technicalMetadata", value)


def _search_entity(client: Client, number: int, _: int) -> object:
    result = client.request("GET", "/colophon/api/search?" + urlencode({"q": f"t{number:07}"}))
    assert result["total"] == 1, result
    return result


def _read_lineage(client: Client, number: int, _: int) -> object:
    return client.request("GET", "/colophon/api/lineage?" + urlencode({"urn": corpus.build_urn(number), "levels": 1}))


def _get_entity_path(number: int) -> str:
    return f"/colophon/api/entities/{quote(corpus.build_urn(number), safe='')}"


def _read_v3(client: Client, number: int, _: int) -> object:
    return client.request("GET", f"{_get_v3_path(number)}/metadata?scope=all")


def _search_v3(client: Client, number: int, _: int) -> object:
    result = client.request("GET", "/colophon/v3/metadata/search?" + urlencode({"query": f"t{number:07}"}))
    assert len(result) == 1, result
    return result


def _write_v3(client: Client, number: int, round_: int) -> object:
    return client.request("POST", f"{_get_v3_path(number)}/metadata/properties", {"note": f"written {round_} {_RUN}"})


def _get_v3_path(number: int) -> str:
    place = "apps/bench/jobs" if number % 5 == 4 else "datasets"
    return f"/colophon/v3/namespaces/ns{number % corpus.NAMESPACES:02}/{place}/{corpus.build_short_name(number)}"


KINDS: dict[str, Ask] = {
    "read": _read_entity,
    "search by a rare word": _search_entity,
    "lineage, one level": _read_lineage,
    "v3 metadata": _read_v3,
    "v3 search by a rare word": _search_v3,
    "write": _write_entity,
    "v3 properties": _write_v3,
}
