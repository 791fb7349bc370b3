"""Measure what access policies cost: requests with 10,000 rules and without any, in the process and over HTTP."""

import getpass
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import quote, urlencode

import corpus
import stores
from clock import compare_sides
from jupyter_colophon.composition import Catalog, open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.lineage.graph import LineageRequest
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.service.policy import open_access_control
from serving import Client, Server, start_server

SIZE, RULES = 10_000, 10_000
#: Requests of one round over HTTP, and rounds; the sides take turns.
REQUESTS, ROUNDS = 10, 25
#: Rounds in the process.
CALLS = 100
USER = getpass.getuser()
Side = tuple[Server, Client]
Rule = dict[str, object]


def _grant(number: int) -> Rule:
    return {"role": "viewer", "to": [f"user:{USER}"], "on": {"namespace": [f"ns{number:02}"]}}


#: Rules that let the user read everything, by namespace and, if one denies by a tag, by the tags of each entity; and
#: rules that let the user read one of the namespaces.
_POLICIES: dict[str, list[Rule]] = {
    "by namespace": [_grant(number) for number in range(RULES)],
    "and a denied tag": [
        *(_grant(number) for number in range(RULES - 1)),
        {"deny": ["read"], "to": ["*"], "on": {"tag": ["unused"]}},
    ],
    "of others, one namespace readable": [
        _grant(3),
        *(_grant(number) | {"to": [f"user:other{number}"]} for number in range(RULES - 1)),
    ],
}


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    stores.open_filled_catalog(SIZE)
    for kind, rules in _POLICIES.items():
        folder = _write_policies(kind, rules)
        with ExitStack() as stack:
            yield from _measure_services(stack, kind, folder)
        with ExitStack() as stack:
            yield from _measure_requests(stack, kind, folder)


def _measure_services(stack: ExitStack, kind: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Measure the services alone, without a server."""
    catalogs = [_open_catalog(stack, None), _open_catalog(stack, folder)]
    for name, call in _CALLS.items():
        without, ours = compare_sides([partial(call, catalog) for catalog in catalogs], CALLS)
        yield _format_row(f"{name}, services alone, {RULES:,} rules {kind}", ours, without, "-")


def _measure_requests(stack: ExitStack, kind: str, folder: Path) -> Iterator[tuple[str, ...]]:
    sides = [_start_side(stack, {}), _start_side(stack, {"policy_folder": str(folder), "admins": ["another-user"]})]
    for name, (goal, path) in _REQUESTS.items():
        without, ours = _compare_cpu_ms(sides, path)
        yield _format_row(f"{name}, {RULES:,} rules {kind}", ours, without, goal)


def _format_row(what: str, ours: float, without: float, goal: str) -> tuple[str, ...]:
    return f"{what}, CPU ms", f"{ours:.3g}", f"{without:.3g} (no policies)", f"{ours / without - 1:+.1%}", goal


def _open_catalog(stack: ExitStack, folder: Path | None) -> Catalog:
    store = choose_sqlite_store(stores.get_or_create_folder() / f"filled{SIZE}.db")
    access = None if folder is None else open_access_control("", ["another-user"], {}, folder)
    catalog = open_or_create_catalog(store, IdentityRules(), authorizer=access)
    stack.callback(catalog.close)
    return catalog


def _start_side(stack: ExitStack, settings: dict[str, object]) -> Side:
    file = stores.get_or_create_folder() / f"filled{SIZE}.db"

    def write_config(home: Path) -> None:
        (home / ".jupyter").mkdir()
        (home / ".jupyter" / "jupyter_server_config.json").write_text(json.dumps({"Colophon": settings}))

    options = (f"--Colophon.database={file}",)
    server = stack.enter_context(start_server("jupyter_colophon", options=options, fill=write_config))
    return server, stack.enter_context(server.open_client())


def _write_policies(kind: str, rules: list[Rule]) -> Path:
    folder = stores.get_or_create_folder() / f"policies-{kind.replace(' ', '-').replace(',', '')}"
    folder.mkdir(exist_ok=True)
    (folder / "team.json").write_text(json.dumps({"rules": rules}))
    return folder


def _compare_cpu_ms(sides: list[Side], get_path: Callable[[int], str]) -> list[float]:
    """Return the least CPU milliseconds a request of each server; they take turns."""
    least = [float("inf")] * len(sides)
    for round_ in range(ROUNDS + 1):
        for at, (server, client) in enumerate(sides):
            before = server.read_cpu_ms()
            for number in range(REQUESTS):
                client.request("GET", f"/colophon/api/{get_path(number)}")
            # The first round fills caches.
            if round_:
                least[at] = min(least[at], (server.read_cpu_ms() - before) / REQUESTS)
    return least


#: In the namespace that can be read in any case.
_URN = corpus.build_urn(3)
_RARE = "t0000043"
_WHO = Principal(USER)


def _search(text: str, catalog: Catalog) -> object:
    return catalog.searcher.search_page_of_hits(SearchRequest(text, limit=20), _WHO)


_CALLS: dict[str, Callable[[Catalog], object]] = {
    "a read": lambda catalog: catalog.reader.read_entity(corpus.parse_entity_urn(3), None, _WHO),
    "a search by a common word": partial(_search, corpus.get_word(0)),
    "a search by a rare word": partial(_search, _RARE),
    "a list": lambda catalog: catalog.reader.list_visible_entities(EntityListing(namespace="ns03"), _WHO),
    "lineage": lambda catalog: catalog.lineage.read_lineage(
        LineageRequest(corpus.parse_entity_urn(3), "downstream", 3), _WHO
    ),
}
#: The goal, and the path of a request.
_REQUESTS: dict[str, tuple[str, Callable[[int], str]]] = {
    "a read": ("<= 5%", lambda number: f"entities/{quote(corpus.build_urn(20 * number + 3), safe='')}"),
    "a search by a common word": ("<= 3%", lambda _: "search?" + urlencode({"q": corpus.get_word(0)})),
    "a search by a rare word": ("<= 3%", lambda number: "search?" + urlencode({"q": f"t{20 * number + 3:07}"})),
    "a list": ("-", lambda _: "entities?" + urlencode({"namespace": "ns03"})),
    "lineage": (
        "-",
        lambda number: f"lineage?{urlencode({'urn': corpus.build_urn(20 * number + 3), 'direction': 'downstream'})}",
    ),
}
