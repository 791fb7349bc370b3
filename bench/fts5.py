"""Another reference for search: the same words in a simple FTS5 table, with all matches ranked by `bm25()`."""

import sqlite3
from functools import cache
from pathlib import Path

import corpus
import lucene

_BEST = "SELECT urn FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 20"


def index_entities(path: Path, count: int) -> None:
    """Index `count` entities."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    store = sqlite3.connect(part, isolation_level=None)
    store.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -200000")
    store.execute("CREATE VIRTUAL TABLE words USING fts5 (urn UNINDEXED, body)")
    store.execute("BEGIN")
    rows = (
        (corpus.build_urn(thing.number), lucene.build_searchable_text(thing))
        for thing in corpus.generate_entities(count)
    )
    store.executemany("INSERT INTO words VALUES (?, ?)", rows)
    store.execute("COMMIT")
    store.close()
    part.rename(path)


class Fts5Search:
    """A table, open for queries."""

    def __init__(self, path: Path) -> None:
        self._store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def search_word(self, text: str) -> list[str]:
        """Return the URNs of the best 20 matches of a word."""
        return [urn for (urn,) in self._store.execute(_BEST, (f'"{text}"',))]


@cache
def open_table(path: Path) -> Fts5Search:
    """Open the table in a file."""
    return Fts5Search(path)
