"""Lineage beside the same accesses in memory, and beside one question a node."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

import corpus
import stores
from clock import Spread, spreads
from csr import Csr
from jupyter_colophon.core.lineage.graph import MAX_LEVELS, MAX_RELATIONS, LineageQuestion, Window
from jupyter_colophon.service.lineage.lineage_traversal import Walk, Walker
from jupyter_colophon.storage.lineage.edges_as_of import Edges, Side
from jupyter_colophon.storage.spi import TableContext

ROUNDS, CASES = 3, 15
_MUCH = 1_000
_WINDOW = Window((corpus.DAYS - 90) * corpus.DAY_MS, corpus.DAYS * corpus.DAY_MS)


def rows(size: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    catalog, other = stores.filled(size), Csr(size)
    asked = _asked(other, size)

    def whole(number: int, limit: int, levels: int = MAX_LEVELS) -> object:
        return catalog.lineage.lineage(_question(number, limit, levels), stores.WHO)

    def engine(tx: TableContext) -> tuple[list[Spread], list[int]]:
        for number in asked:
            _compare(tx, other, number)
        cases = [
            (
                partial(_walk, tx.edges, number),
                partial(_in_memory, other, number),
                partial(_node_by_node, tx, number),
            )
            for number in asked
        ]
        return spreads(cases, ROUNDS), [len(_walk(tx.edges, number).levels) for number in asked]

    (ours, memory, nodes), found = catalog.provider.tx_runner.run(engine, read_only=True)
    what = f"lineage, 20 levels, 90 days, {size:,} accesses, {sorted(found)[len(found) // 2]:,} nodes (median)"
    yield what, str(ours), f"{memory} (numpy CSR)", f"{ours.p50 / memory.p50:.2g}x (p50)", "<= 10x"
    yield what, str(ours), f"{nodes} (one question a node)", f"{ours.p50 / nodes.p50:.2g}x (p50)", "<= 0.5x"
    for limit in (2_000, MAX_RELATIONS):
        cases = [(partial(whole, number, limit), partial(_in_memory, other, number, limit)) for number in asked]
        ours, memory = spreads(cases, ROUNDS)
        what = f"the whole answer, at most {limit:,} relations, {size:,} accesses"
        yield what, str(ours), f"{memory} (numpy CSR, nodes alone)", f"{ours.p50 / memory.p50:.2g}x (p50)", "-"


def _asked(other: Csr, size: int) -> list[int]:
    """Data that the first accesses touched and around which there is much: small walks take no time on any side."""
    touched = dict.fromkeys(one.data for one in islice(corpus.accesses(size), 200))
    return list(islice((one for one in touched if len(_in_memory(other, one)) >= _MUCH), CASES))


def _question(number: int, limit: int = MAX_RELATIONS, levels: int = MAX_LEVELS) -> LineageQuestion:
    return LineageQuestion(corpus.parsed(number), "both", levels, _WINDOW, limit)


def _in_memory(other: Csr, number: int, limit: int = MAX_RELATIONS, levels: int = MAX_LEVELS) -> set[int]:
    assert _WINDOW.start is not None
    assert _WINDOW.end is not None
    return other.walk(number, levels, _WINDOW.start, _WINDOW.end, limit)


def _walk(edges: Edges, number: int, levels: int = MAX_LEVELS) -> Walk:
    return Walker(edges, _never).walk(_question(number, levels=levels))


def _never() -> float:
    """A clock for walks whose time never runs out."""
    return 0.0


def _node_by_node(tx: TableContext, number: int) -> object:
    return _walk(OneByOne(tx), number)  # type: ignore[arg-type]  # all that a walk asks for


def _compare(tx: TableContext, other: Csr, number: int) -> None:
    """Both sides must find the same before their times mean anything; three levels are never cut."""
    ours = _walk(tx.edges, number, levels=3)
    theirs = _in_memory(other, number, levels=3)
    assert ours.truncated or set(ours.levels) == {corpus.urn_of(one) for one in theirs}, number


class OneByOne:
    """A transaction whose lineage is asked for one node at a time."""

    def __init__(self, tx: TableContext) -> None:
        self._tx = tx

    def around(
        self, side: Side, keys: Sequence[str], modes: Sequence[str], window: Window, limit: int
    ) -> list[tuple[str, str, str]]:
        """The same triples."""
        found: list[tuple[str, str, str]] = []
        for key in keys:
            found += self._tx.edges.around(side, [key], modes, window, limit)
        return found[:limit]
