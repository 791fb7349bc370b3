"""Facet values of documents: the entry of a document has a text for each, the facet and its value."""

from collections.abc import Iterable, Mapping, Sequence

from jupyter_colophon.core.search.search import FacetValues
from jupyter_colophon.storage.postgresql.execute import Execute
from jupyter_colophon.storage.search.facet_counts import collect_facet_counts

#: The table that had a row for each value, before schema version 5.
FORMER_CREATION = [
    """CREATE TABLE search_facets (entry bigint NOT NULL, facet text COLLATE "C" NOT NULL,
        value text COLLATE "C" NOT NULL, PRIMARY KEY (entry, facet, value))""",
]
#: The column of `search_entries`.
COLUMN = "facets text[] NOT NULL DEFAULT '{}'"
#: Between a facet, which does not contain it, and its value.
_SEPARATOR = "\x1f"
#: The values of an entry `e` of the former table.
FORMER_VALUES = f"""ARRAY(SELECT facet || E'\\x{ord(_SEPARATOR):02x}' || value FROM search_facets WHERE entry = e.id
    ORDER BY facet, value)"""
_COUNT = """SELECT value, COUNT(*) FROM search_entries, unnest(facets) AS value
    WHERE id = ANY(%s::bigint[]) GROUP BY value"""


class PostgresFacets:
    """The values in one transaction."""

    def __init__(self, execute: Execute) -> None:
        self._execute = execute

    def count_facet_values(self, entries: Sequence[int], facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return the number of these documents with each value, by facet."""
        # The plan depends on the number of documents.
        counts = self._execute(_COUNT, (list(entries),), prepare=False)
        pairs = ((*text.split(_SEPARATOR, 1), count) for text, count in counts)
        return collect_facet_counts((facet, value, count) for facet, value, count in pairs if facet in facets)


def encode_facets(values: FacetValues) -> str:
    """Return facet values as an array of PostgreSQL, as text."""
    texts = (f"{facet}{_SEPARATOR}{value}" for facet, value in sorted(values))
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in texts)
    return "{" + ",".join(f'"{text}"' for text in quoted) + "}"


def decode_facets(texts: Iterable[str]) -> FacetValues:
    """Return the facet values of a stored array."""
    return frozenset((facet, value) for text in texts for facet, _, value in [text.partition(_SEPARATOR)])
