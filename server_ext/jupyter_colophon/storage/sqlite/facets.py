"""Facet values of documents as rows. Each value has a number, so that rows are small and counting compares numbers."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence

from jupyter_colophon.core.search.search import FacetValues
from jupyter_colophon.storage.search.facet_rows import (
    collect_facet_counts,
    collect_facet_values,
    find_facet_row_changes,
)
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection

CREATION = [
    """CREATE TABLE IF NOT EXISTS search_facet_values (
        id INTEGER PRIMARY KEY, facet TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (facet, value))""",
    """CREATE TABLE IF NOT EXISTS search_facets (
        entry INTEGER NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (entry, value)) WITHOUT ROWID""",
]
_READ = """SELECT f.entry, v.facet, v.value FROM search_facets AS f JOIN search_facet_values AS v ON v.id = f.value
    WHERE f.entry IN (SELECT value FROM json_each(?))"""
_ADD_VALUE = "INSERT OR IGNORE INTO search_facet_values (facet, value) VALUES (?, ?)"
_ADD = """INSERT OR IGNORE INTO search_facets (entry, value)
    SELECT ?, id FROM search_facet_values WHERE facet = ? AND value = ?"""
_REMOVE = """DELETE FROM search_facets
    WHERE entry = ? AND value = (SELECT id FROM search_facet_values WHERE facet = ? AND value = ?)"""
_FORGET = "DELETE FROM search_facets WHERE entry = ?"
# Counting in Python takes half as long as GROUP BY, for which SQLite sorts.
_NUMBERS = """SELECT COALESCE(group_concat(f.value), '')
    FROM json_each(?) AS d CROSS JOIN search_facets AS f ON f.entry = d.value"""
_VALUES = """SELECT id, facet, value FROM search_facet_values
    WHERE id IN (SELECT value FROM json_each(?)) AND facet IN (SELECT value FROM json_each(?))"""


class SqliteFacets:
    """The rows on one connection."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._execute, self._execute_many = connection.execute, connection.execute_many

    def read_facet_values(self, entries: Sequence[int]) -> Mapping[int, FacetValues]:
        """Return the values of these documents."""
        return collect_facet_values(self._execute(_READ, (json.dumps(list(entries)),)))

    def write_facet_differences(self, old: Mapping[int, FacetValues], new: Mapping[int, FacetValues]) -> None:
        """Write the added and delete the removed values of documents."""
        removed, added = find_facet_row_changes(old, new)
        if removed:
            self._execute_many(_REMOVE, removed)
        # Nearly always, all values have a number already.
        if added and self._execute_many(_ADD, added).rowcount < len(added):
            self._execute_many(_ADD_VALUE, sorted({(facet, value) for _, facet, value in added}))
            self._execute_many(_ADD, added)

    def delete_facet_values(self, entry: int) -> None:
        """Delete the rows of a document."""
        self._execute(_FORGET, (entry,))

    def count_facet_values(self, entries: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        (numbers,) = self._execute(_NUMBERS, (json.dumps(sorted(entries)),)).fetchone()
        counts = {int(number): count for number, count in Counter(numbers.split(",")).items() if number}
        values = self._execute(_VALUES, (json.dumps(list(counts)), json.dumps(list(facets))))
        return collect_facet_counts((facet, value, counts[number]) for number, facet, value in values)
