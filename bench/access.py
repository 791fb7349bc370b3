"""Measure what access policies cost a request: reads and searches with 10,000 rules, and without any."""

import getpass
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote, urlencode

import corpus
import stores
from serving import Client, Server, start_server

SIZE, RULES, REQUESTS, ROUNDS = 10_000, 10_000, 10, 7
#: Rules that decide by namespace, and rules that also need the tags of each entity.
_KINDS: dict[str, list[dict[str, object]]] = {
    "by namespace": [],
    "by namespace and tag": [{"deny": ["read"], "to": ["*"], "on": {"tag": ["unused"]}}],
}
Side = tuple[Server, Client]


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    stores.open_filled_catalog(SIZE)
    for kind, more in _KINDS.items():
        with ExitStack() as stack:
            sides = [_start_side(stack, {}), _start_side(stack, _write_policies(kind, more))]
            for name, goal, ask in _REQUESTS:
                without, ours = _compare_cpu_ms(sides, ask)
                what = f"{name}, {RULES:,} rules {kind}, CPU ms"
                yield what, f"{ours:.2f}", f"{without:.2f} (no policies)", f"{ours / without - 1:+.1%}", goal


def _start_side(stack: ExitStack, settings: dict[str, object]) -> Side:
    file = stores.get_or_create_folder() / f"filled{SIZE}.db"

    def write_config(home: Path) -> None:
        (home / ".jupyter").mkdir()
        (home / ".jupyter" / "jupyter_server_config.json").write_text(json.dumps({"Colophon": settings}))

    options = (f"--Colophon.database={file}",)
    server = stack.enter_context(start_server("jupyter_colophon", options=options, fill=write_config))
    return server, stack.enter_context(server.open_client())


def _write_policies(kind: str, more: list[dict[str, object]]) -> dict[str, object]:
    """Write policies that let the user read everything; return the settings of a server with them."""
    folder = stores.get_or_create_folder() / f"policies-{kind.replace(' ', '-')}"
    folder.mkdir(exist_ok=True)
    grants = [
        {"role": "viewer", "to": [f"user:{getpass.getuser()}"], "on": {"namespace": [f"ns{number:02}"]}}
        for number in range(RULES - len(more))
    ]
    (folder / "team.json").write_text(json.dumps({"rules": [*grants, *more]}))
    return {"policy_folder": str(folder), "admins": ["another-user"]}


def _compare_cpu_ms(sides: list[Side], ask: Callable[[Client, int], object]) -> list[float]:
    """Return the least CPU milliseconds a request of each server; they take turns."""
    least = [float("inf")] * len(sides)
    for round_ in range(ROUNDS + 1):
        for at, (server, client) in enumerate(sides):
            before = server.read_cpu_ms()
            for number in range(REQUESTS):
                ask(client, number)
            if round_:
                least[at] = min(least[at], (server.read_cpu_ms() - before) / REQUESTS)
    return least


def _read_entity(client: Client, number: int) -> object:
    return client.request("GET", f"/colophon/api/entities/{quote(corpus.build_urn(number), safe='')}")


def _search_common_word(client: Client, _: int) -> object:
    return client.request("GET", "/colophon/api/search?" + urlencode({"q": corpus.get_word(0)}))


def _search_rare_word(client: Client, number: int) -> object:
    return client.request("GET", "/colophon/api/search?" + urlencode({"q": f"t{number:07}"}))


_REQUESTS: tuple[tuple[str, str, Callable[[Client, int], object]], ...] = (
    ("a read", "<= 5%", _read_entity),
    ("a search by a common word", "<= 3%", _search_common_word),
    ("a search by a rare word", "<= 3%", _search_rare_word),
)
