"""Search beside raw tantivy and raw FTS5, each asked for the same words over the same entities."""

from collections.abc import Callable, Iterator
from functools import partial

import corpus
import fts5
import lucene
import stores
from clock import Spread, spreads
from jupyter_colophon.core.search.query_language import Pattern
from jupyter_colophon.core.search.search import SearchQuestion
from jupyter_colophon.service.search.search import RANKED_MAX
from jupyter_colophon.storage.search import values
from jupyter_colophon.storage.spi import TableContext, Words

ROUNDS = 15
RANKED = "raw FTS5, all ranked"
#: The goals are for a million entities: in a small store what any answer costs outweighs what is looked for.
LARGE = 1_000_000
COMMON = [corpus.word(rank) for rank in range(12)]
MIDDLE = [corpus.word(rank) for rank in range(200, 2_000, 60)]
RARE = [corpus.word(rank) for rank in range(20_000, 50_000, 500)]
Side = Callable[[str], object]


def rows(size: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    catalog = stores.filled(size)
    other = lucene.opened(stores.folder() / f"lucene{size}")
    uncapped = fts5.opened(stores.folder() / f"fts5-{size}.db")

    def aim(goal: float) -> float | None:
        return goal if size >= LARGE else None

    def whole(text: str) -> object:
        return catalog.searcher.search(SearchQuestion(text, limit=20), stores.WHO)

    def engine(tx: TableContext) -> list[tuple[str, ...]]:
        def ours(text: str) -> object:
            return tx.search.match(Words(exact=(text,)), RANKED_MAX)

        return [
            _row(f"rare word, engine, {size:,} entities", _measured(RARE, ours, other.word), "p99", aim(2)),
            _row(f"middling word, engine, {size:,}", _measured(MIDDLE, ours, other.word), "p99", None),
            _row(f"common word, engine, {size:,}", _measured(COMMON, ours, other.word), "p99", aim(8)),
            _row(
                f"common word, engine, {size:,}", _measured(COMMON, ours, uncapped.word, 3), "p99", aim(1 / 20), RANKED
            ),
            _row(f"`key:value` prefix, engine, {size:,}", _pairs(tx, other), "p50", aim(0.2)),
        ]

    yield from catalog.provider.tx_runner.run(engine, read_only=True)
    for name, words in (("rare", RARE), ("middling", MIDDLE), ("common", COMMON)):
        yield _row(f"{name} word, whole search with facets, {size:,}", _measured(words, whole, other.word), "p99", None)
    yield _row(
        f"facets of a common word, whole search, {size:,}", _measured(COMMON, whole, other.facets), "p50", aim(6)
    )


def _pairs(tx: TableContext, other: lucene.Lucene) -> list[Spread]:
    asked = [("ns03", "source", f"feed{number}") for number in range(3, 500, 20)]
    cases = [(partial(_with_pair, tx, *one), partial(other.pairs, *one)) for one in asked]
    return spreads(cases, ROUNDS)


def _with_pair(tx: TableContext, namespace: str, key: str, value: str) -> object:
    return list(values.entities_with(tx, namespace, key, Pattern(value, "prefix"), limit=20))


def _measured(words: list[str], ours: Side, other: Side, rounds: int = ROUNDS) -> list[Spread]:
    return spreads([(partial(ours, word), partial(other, word)) for word in words], rounds)


def _row(what: str, sides: list[Spread], at: str, goal: float | None, other: str = "raw tantivy") -> tuple[str, ...]:
    ratio = getattr(sides[0], at) / getattr(sides[1], at)
    return what, str(sides[0]), f"{sides[1]} ({other})", f"{ratio:.2g}x ({at})", f"<= {goal:g}x" if goal else "-"
