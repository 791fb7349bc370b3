"""Facet values of documents. Each value has a number, and the entry of a document has the numbers of its values.

So one read of the entries of matches gives what ranking, groups and facets need
(docs/decisions/0057-facet-values-are-stored-with-the-entry.md).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from jupyter_colophon.core.search.search import FacetValues
from jupyter_colophon.storage.search.facet_rows import collect_facet_counts
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection

CREATION = [
    """CREATE TABLE IF NOT EXISTS search_facet_values (
        id INTEGER PRIMARY KEY, facet TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (facet, value))""",
]
#: The column of `search_entries`: numbers of values, separated by commas.
COLUMN = "facet_values TEXT NOT NULL DEFAULT ''"
#: The table that stored them before, a row for each value of a document, and the statements that move some of its rows.
FORMER_TABLE = "search_facets"
MOVES = (
    """UPDATE search_entries SET facet_values = (SELECT group_concat(value) FROM search_facets WHERE entry = id)
        WHERE id IN (SELECT DISTINCT entry FROM search_facets ORDER BY entry LIMIT 10000)""",
    """DELETE FROM search_facets
        WHERE entry IN (SELECT DISTINCT entry FROM search_facets ORDER BY entry LIMIT 10000)""",
)
_ADD_VALUE = "INSERT OR IGNORE INTO search_facet_values (facet, value) VALUES (?, ?)"
_NUMBER = "(SELECT id FROM search_facet_values WHERE facet = ? AND value = ?)"
#: The stored texts of many entries as one text.
GATHERED = "group_concat(e.facet_values)"
_TEXTS = f"SELECT {GATHERED} FROM json_each(?) AS d CROSS JOIN search_entries AS e ON e.id = d.value"
_VALUES = "SELECT id, facet, value FROM search_facet_values WHERE id IN (SELECT value FROM json_each(?))"
_SEPARATOR = ","
#: The number of values whose numbers one statement reads.
_AT_ONCE = 100


class SqliteFacets:
    """The values on one connection."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._execute, self._execute_many = connection.execute, connection.execute_many

    def encode_facet_values(self, values: Sequence[FacetValues]) -> list[str]:
        """Return the stored text of each of these sets of values; values without a number get one."""
        pairs = sorted(set().union(*values))
        numbers = self._read_numbers(pairs)
        if len(numbers) < len(pairs):
            self._execute_many(_ADD_VALUE, [pair for pair in pairs if pair not in numbers])
            numbers = self._read_numbers(pairs)
        return [_SEPARATOR.join(map(str, sorted(numbers[pair] for pair in each))) for each in values]

    def decode_facet_values(self, texts: Sequence[str]) -> list[FacetValues]:
        """Return the values of each of these stored texts."""
        values = self._read_values(chain.from_iterable(map(_parse_numbers, texts)))
        return [frozenset(values[number] for number in _parse_numbers(text) if number in values) for text in texts]

    def read_joined_texts(self, entries: Sequence[int]) -> str:
        """Return the stored texts of these entries as one text."""
        return self._execute(_TEXTS, (json.dumps(entries),)).fetchone()[0] or ""

    def join_texts(self, *texts: str) -> str:
        """Return several gathered texts as one."""
        return _SEPARATOR.join(texts)

    def count_facet_values(self, gathered: str, facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return how often each value is in these gathered texts, by facet."""
        counts = Counter(gathered.split(_SEPARATOR))
        values = self._read_values(chain.from_iterable(map(_parse_numbers, counts)))
        return collect_facet_counts(
            (facet, value, counts[str(number)]) for number, (facet, value) in values.items() if facet in facets
        )

    def _read_numbers(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
        numbers: dict[tuple[str, str], int | None] = {}
        for at in range(0, len(pairs), _AT_ONCE):
            part = pairs[at : at + _AT_ONCE]
            statement = f"SELECT {', '.join([_NUMBER] * len(part))}"
            row = self._execute(statement, list(chain.from_iterable(part))).fetchone()
            numbers.update(zip(part, row, strict=True))
        return {pair: number for pair, number in numbers.items() if number is not None}

    def _read_values(self, numbers: Iterable[int]) -> dict[int, tuple[str, str]]:
        rows = self._execute(_VALUES, (json.dumps(list(set(numbers))),))
        return {number: (facet, value) for number, facet, value in rows}


def _parse_numbers(text: str) -> list[int]:
    """Return the numbers in a stored text; damaged parts are skipped."""
    return [int(number) for number in text.split(_SEPARATOR) if number.isdecimal()]
