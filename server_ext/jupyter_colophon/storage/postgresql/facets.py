"""Facet values of documents as rows."""

from collections.abc import Mapping, Sequence

from jupyter_colophon.core.search.search import FacetValues
from jupyter_colophon.storage.postgresql.execute import Execute
from jupyter_colophon.storage.search.facet_rows import (
    collect_facet_counts,
    collect_facet_values,
    find_facet_row_changes,
)

CREATION = [
    """CREATE TABLE search_facets (entry bigint NOT NULL, facet text COLLATE "C" NOT NULL,
        value text COLLATE "C" NOT NULL, PRIMARY KEY (entry, facet, value))""",
]
_READ = "SELECT entry, facet, value FROM search_facets WHERE entry = ANY(%s::bigint[])"
_ROWS = "SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[])"
_ADD = f"INSERT INTO search_facets (entry, facet, value) {_ROWS}"
_REMOVE = "DELETE FROM search_facets WHERE entry = %s AND facet = %s AND value = %s"
_FORGET = "DELETE FROM search_facets WHERE entry = %s"
_COUNT = """SELECT facet, value, COUNT(*) FROM search_facets
    WHERE entry = ANY(%s::bigint[]) AND facet = ANY(%s::text[]) GROUP BY facet, value"""


class PostgresFacets:
    """The rows in one transaction."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def read_facet_values(self, entries: Sequence[int]) -> Mapping[int, FacetValues]:
        """Return the values of these documents."""
        return collect_facet_values(self._execute(_READ, (list(entries),)))

    def write_facet_differences(self, old: Mapping[int, FacetValues], new: Mapping[int, FacetValues]) -> None:
        """Write the added and delete the removed values of documents."""
        removed, added = find_facet_row_changes(old, new)
        for row in removed:
            # Row by row: a statement for all of them would be planned again each time.
            self._execute(_REMOVE, row)
        if added:
            self._execute(_ADD, tuple(map(list, zip(*added, strict=True))))

    def delete_facet_values(self, entry: int) -> None:
        """Delete the rows of a document."""
        self._execute(_FORGET, (entry,))

    def count_facet_values(self, entries: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        # The plan depends on the number of documents.
        return collect_facet_counts(self._execute(_COUNT, (list(entries), list(facets)), prepare=False))
