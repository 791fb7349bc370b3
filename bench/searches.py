"""Compare search with raw tantivy and raw FTS5, for the same words over the same entities."""

from collections.abc import Callable, Iterator
from functools import partial

import corpus
import fts5
import lucene
import stores
from clock import Spread, measure_spreads
from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.search.search import RANKED_MAX
from jupyter_colophon.storage.search import values
from jupyter_colophon.storage.spi import TableContext, TextQuery

ROUNDS = 15
RANKED = "raw FTS5, all ranked"
#: The goals are for a million entities: in a small store, the constant cost of an answer dominates.
LARGE = 1_000_000
COMMON = [corpus.get_word(rank) for rank in range(12)]
MIDDLE = [corpus.get_word(rank) for rank in range(200, 2_000, 60)]
RARE = [corpus.get_word(rank) for rank in range(20_000, 50_000, 500)]
Side = Callable[[str], object]


def measure_rows(size: int) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    catalog = stores.open_filled_catalog(size)
    other = lucene.open_index(stores.get_or_create_folder() / f"lucene{size}")
    uncapped = fts5.open_table(stores.get_or_create_folder() / f"fts5-{size}.db")

    def get_goal(goal: float) -> float | None:
        return goal if size >= LARGE else None

    def search_service(text: str) -> object:
        return catalog.searcher.search_page_of_hits(SearchRequest(text, limit=20), stores.WHO)

    def measure_engine(tx: TableContext) -> list[tuple[str, ...]]:
        def search_index(text: str) -> object:
            return tx.search.find_matches(TextQuery(exact=(text,)), RANKED_MAX)

        return [
            _format_row(
                f"rare word, engine, {size:,} entities",
                _measure_words(RARE, search_index, other.search_word),
                "p99",
                get_goal(2),
            ),
            _format_row(
                f"middling word, engine, {size:,}", _measure_words(MIDDLE, search_index, other.search_word), "p99", None
            ),
            _format_row(
                f"common word, engine, {size:,}",
                _measure_words(COMMON, search_index, other.search_word),
                "p99",
                get_goal(8),
            ),
            _format_row(
                f"common word, engine, {size:,}",
                _measure_words(COMMON, search_index, uncapped.search_word, 3),
                "p99",
                get_goal(1 / 20),
                RANKED,
            ),
            _format_row(f"`key:value` prefix, engine, {size:,}", _measure_pairs(tx, other), "p50", get_goal(0.2)),
        ]

    yield from catalog.provider.tx_runner.run(measure_engine, read_only=True)
    for name, words in (("rare", RARE), ("middling", MIDDLE), ("common", COMMON)):
        yield _format_row(
            f"{name} word, whole search with facets, {size:,}",
            _measure_words(words, search_service, other.search_word),
            "p99",
            None,
        )
    yield _format_row(
        f"facets of a common word, whole search, {size:,}",
        _measure_words(COMMON, search_service, other.search_with_facets),
        "p50",
        get_goal(6),
    )


def _measure_pairs(tx: TableContext, other: lucene.LuceneSearch) -> list[Spread]:
    options = [("ns03", "source", f"feed{number}") for number in range(3, 500, 20)]
    cases = [(partial(_find_by_pair, tx, *item), partial(other.search_pairs, *item)) for item in options]
    return measure_spreads(cases, ROUNDS)


def _find_by_pair(tx: TableContext, namespace: str, key: str, value: str) -> object:
    return list(values.iterate_entities_with_value(tx, namespace, key, SearchPattern(value, "prefix"), limit=20))


def _measure_words(words: list[str], ours: Side, other: Side, rounds: int = ROUNDS) -> list[Spread]:
    return measure_spreads([(partial(ours, word), partial(other, word)) for word in words], rounds)


def _format_row(
    what: str, sides: list[Spread], at: str, goal: float | None, other: str = "raw tantivy"
) -> tuple[str, ...]:
    ratio = getattr(sides[0], at) / getattr(sides[1], at)
    return what, str(sides[0]), f"{sides[1]} ({other})", f"{ratio:.2g}x ({at})", f"<= {goal:g}x" if goal else "-"
