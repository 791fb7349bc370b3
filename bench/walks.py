"""Compare lineage with the same accesses in memory, and with one query per node."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import corpus
import stores
from clock import Spread, measure_spreads
from csr import AccessGraph
from jupyter_colophon.core.lineage.graph import MAX_LEVELS, MAX_RELATIONS, LineageRequest, TimeWindow
from jupyter_colophon.http.garbage_collection import adapt_collector_to_large_answers
from jupyter_colophon.service.lineage.lineage_traversal import LineageWalk, LineageWalker
from jupyter_colophon.storage.lineage.edges_as_of import LineageEdges, Side
from jupyter_colophon.storage.spi import TableContext

ROUNDS, CASES = 3, 15
_MUCH = 1_000
_WINDOW = TimeWindow((corpus.DAYS - 90) * corpus.DAY_MS, corpus.DAYS * corpus.DAY_MS)


def measure_rows(size: int) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    catalog, other = stores.open_filled_catalog(size), AccessGraph(size)
    options = _select_numbers(other, size)

    def query_service(number: int, limit: int, levels: int = MAX_LEVELS) -> object:
        return catalog.lineage.read_lineage(_create_query(number, limit, levels), stores.WHO)

    def measure_engine(tx: TableContext) -> tuple[list[Spread], list[int]]:
        for number in options:
            _require_same_results(tx, other, number)
        cases = [
            (
                partial(_walk_lineage, tx.edges, number),
                partial(_walk_in_memory, other, number),
                partial(_walk_node_by_node, tx, number),
            )
            for number in options
        ]
        return measure_spreads(cases, ROUNDS), [len(_walk_lineage(tx.edges, number).levels) for number in options]

    (ours, memory, nodes), result = catalog.provider.tx_runner.run(measure_engine, read_only=True)
    what = f"lineage, 20 levels, 90 days, {size:,} accesses, {sorted(result)[len(result) // 2]:,} nodes (median)"
    yield what, str(ours), f"{memory} (numpy CSR)", f"{ours.p50 / memory.p50:.2g}x (p50)", "<= 10x"
    yield what, str(ours), f"{nodes} (one question a node)", f"{ours.p50 / nodes.p50:.2g}x (p50)", "<= 0.5x"
    # As in a server.
    adapt_collector_to_large_answers()
    for limit in (2_000, MAX_RELATIONS):
        cases = [
            (partial(query_service, number, limit), partial(_walk_in_memory, other, number, limit))
            for number in options
        ]
        ours, memory = measure_spreads(cases, ROUNDS)
        what = f"the whole answer, at most {limit:,} relations, {size:,} accesses"
        yield what, str(ours), f"{memory} (numpy CSR, nodes alone)", f"{ours.p50 / memory.p50:.2g}x (p50)", "-"


def _select_numbers(other: AccessGraph, size: int) -> list[int]:
    """Return data of the first accesses with many neighbours: small traversals take no time on any side."""
    touched = dict.fromkeys(item.data for item in islice(corpus.generate_accesses(size), 200))
    return list(islice((item for item in touched if len(_walk_in_memory(other, item)) >= _MUCH), CASES))


def _create_query(number: int, limit: int = MAX_RELATIONS, levels: int = MAX_LEVELS) -> LineageRequest:
    return LineageRequest(corpus.parse_entity_urn(number), "both", levels, _WINDOW, limit)


def _walk_in_memory(other: AccessGraph, number: int, limit: int = MAX_RELATIONS, levels: int = MAX_LEVELS) -> set[int]:
    assert _WINDOW.start is not None
    assert _WINDOW.end is not None
    return other.find_reachable(number, levels, _WINDOW.start, _WINDOW.end, limit)


def _walk_lineage(edges: LineageEdges, number: int, levels: int = MAX_LEVELS) -> LineageWalk:
    return LineageWalker(edges, _read_stopped_clock).walk_graph(_create_query(number, levels=levels))


def _read_stopped_clock() -> float:
    """Return a constant time, so that traversals have no time limit."""
    return 0.0


def _walk_node_by_node(tx: TableContext, number: int) -> object:
    return _walk_lineage(OneByOne(tx), number)  # type: ignore[arg-type]  # all that a walk asks for


def _require_same_results(tx: TableContext, other: AccessGraph, number: int) -> None:
    """Check that both sides return the same before measuring; three levels never reach the limit."""
    ours = _walk_lineage(tx.edges, number, levels=3)
    theirs = _walk_in_memory(other, number, levels=3)
    assert ours.truncated or set(ours.levels) == {corpus.build_urn(item) for item in theirs}, number


class OneByOne:
    """A transaction whose lineage is queried one node at a time."""

    def __init__(self, tx: TableContext) -> None:
        self._tx = tx

    def find_neighbours(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: TimeWindow, limit: int
    ) -> list[tuple[str, str, str]]:
        """Return the same triples."""
        result: list[tuple[str, str, str]] = []
        for key in keys:
            result += self._tx.edges.find_neighbours(side, [key], modes, window, limit)
        return result[:limit]
