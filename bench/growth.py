"""What requests for one entity cost as the catalog grows: of 100, 10,000 and 1,000,000 entities."""

import time
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote, urlencode

import corpus
import stores
from serving import Client, Server, serving

REQUESTS, ROUNDS = 100, 7
#: Stores that are kept have what an earlier run said: to say it again would change nothing.
_RUN = time.time_ns()
Ask = Callable[[Client, int, int], object]


def rows(sizes: Sequence[int]) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    measured = {size: _measured(size) for size in sizes}
    least = measured[sizes[0]]
    for size in sizes[1:]:
        for name, figure in measured[size].items():
            yield (
                f"{name}, {size:,} entities, CPU ms a request",
                f"{figure:.2f}",
                f"{least[name]:.2f} ({sizes[0]:,} entities)",
                f"{figure / least[name]:.2f}x",
                "<= 1.5x",
            )


def _measured(size: int) -> dict[str, float]:
    """CPU milliseconds of the server, by the kind of request."""
    stores.filled(size)
    path = stores.folder() / f"filled{size}.db"
    # What is written stays in the store: this bench comes last.
    with serving("jupyter_colophon", options=(f"--Colophon.database={path}",)) as server, server.client() as client:
        return {name: _cpu_ms(server, client, ask, size) for name, ask in KINDS.items()}


def _cpu_ms(server: Server, client: Client, ask: Ask, size: int) -> float:
    """The least of some rounds, each over other entities than those before; the first one warms up."""
    rounds = []
    for round_ in range(ROUNDS + 1):
        before = server.cpu_ms()
        for at in range(REQUESTS):
            ask(client, (round_ * REQUESTS + at) * 7919 % size, round_)
        rounds.append((server.cpu_ms() - before) / REQUESTS)
    return min(rounds[1:])


def _read(client: Client, number: int, _: int) -> object:
    return client.ask("GET", f"{_entity(number)}")


def _write(client: Client, number: int, round_: int) -> object:
    value = {"properties": {"note": f"written {round_} {_RUN}", "owner": "ops"}, "tags": ["bench"]}
    return client.ask("PUT", f"{_entity(number)}/aspects/technicalMetadata", value)


def _search(client: Client, number: int, _: int) -> object:
    found = client.ask("GET", "/colophon/api/search?" + urlencode({"q": f"t{number:07}"}))
    assert found["total"] == 1, found
    return found


def _lineage(client: Client, number: int, _: int) -> object:
    return client.ask("GET", "/colophon/api/lineage?" + urlencode({"urn": corpus.urn_of(number), "levels": 1}))


def _entity(number: int) -> str:
    return f"/colophon/api/entities/{quote(corpus.urn_of(number), safe='')}"


def _read_v3(client: Client, number: int, _: int) -> object:
    return client.ask("GET", f"{_entity_v3(number)}/metadata?scope=all")


def _search_v3(client: Client, number: int, _: int) -> object:
    found = client.ask("GET", "/colophon/v3/metadata/search?" + urlencode({"query": f"t{number:07}"}))
    assert len(found) == 1, found
    return found


def _write_v3(client: Client, number: int, round_: int) -> object:
    return client.ask("POST", f"{_entity_v3(number)}/metadata/properties", {"note": f"said {round_} {_RUN}"})


def _entity_v3(number: int) -> str:
    place = "apps/bench/jobs" if number % 5 == 4 else "datasets"
    return f"/colophon/v3/namespaces/ns{number % corpus.NAMESPACES:02}/{place}/{corpus.name_of(number)}"


KINDS: dict[str, Ask] = {
    "read": _read,
    "search by a rare word": _search,
    "lineage, one level": _lineage,
    "v3 metadata": _read_v3,
    "v3 search by a rare word": _search_v3,
    "write": _write,
    "v3 properties": _write_v3,
}
