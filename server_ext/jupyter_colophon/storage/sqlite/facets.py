"""Facet values of documents. Each value has a number, and the entry of a document has the numbers of its values.

So one read of the entries of matches gives what ranking, groups and facets need
(docs/decisions/0057-facet-values-are-stored-with-the-entry.md). The namespace and the type of a document together are one
more value, whose number the entry has in a column of its own.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from jupyter_colophon.core.errors import StoreDamaged
from jupyter_colophon.core.search.search import FacetValues, MatchGroup
from jupyter_colophon.storage.search.facet_counts import collect_facet_counts
from jupyter_colophon.storage.spi import Document
from jupyter_colophon.storage.sqlite.guarded import GuardedConnection

CREATION = [
    """CREATE TABLE IF NOT EXISTS search_facet_values (
        id INTEGER PRIMARY KEY, facet TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (facet, value))""",
]
#: The columns of `search_entries`: numbers of values, separated by commas, and the number of the group.
COLUMN = "facet_values TEXT NOT NULL DEFAULT ''"
GROUP_COLUMN = "group_number INTEGER NOT NULL DEFAULT 0"
#: The facet of groups, and the value of the group of an entry, as an expression. No type has a colon in its name.
GROUP = "type:namespace"
GROUP_VALUE = "type || ':' || namespace"
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
_TEXTS = f"""SELECT {GATHERED} FROM json_each(?) AS d
    CROSS JOIN search_entries AS e INDEXED BY search_entries_for_matches ON e.id = d.value"""
_VALUES = "SELECT id, facet, value FROM search_facet_values WHERE id IN (SELECT value FROM json_each(?))"
_SEPARATOR = ","
#: The number of values whose numbers one statement reads.
_AT_ONCE = 100


class SqliteFacets:
    """The values on one connection."""

    def __init__(self, connection: GuardedConnection) -> None:
        self._execute, self._execute_many = connection.execute, connection.execute_many

    def encode_facet_values(self, documents: Sequence[Document]) -> list[tuple[int, str]]:
        """Return the number of the group and the stored text of each document; values without a number get one."""
        groups = [_format_group((document.namespace, document.type)) for document in documents]
        values = [document.facet_values for document in documents]
        numbers = self._read_or_add_numbers(set(groups).union(*values))
        return [
            (numbers[group], _SEPARATOR.join(map(str, sorted(numbers[pair] for pair in each))))
            for group, each in zip(groups, values, strict=True)
        ]

    def encode_groups(self, groups: Sequence[MatchGroup]) -> list[int]:
        """Return the number of each of these groups; groups without a number get one."""
        pairs = list(map(_format_group, groups))
        numbers = self._read_or_add_numbers(set(pairs))
        return [numbers[pair] for pair in pairs]

    def read_groups(self, numbers: Sequence[int]) -> list[MatchGroup]:
        """Return the groups with these numbers. Raises StoreDamaged."""
        values = self._read_values(numbers)
        parts = [values.get(number, ("", ""))[1].partition(":") for number in numbers]
        if not all(separator for _, separator, _ in parts):
            raise StoreDamaged("the search index is damaged: run `jupyter colophon reindex`")
        return [(namespace, type_) for type_, _, namespace in parts]

    def decode_facet_values(self, texts: Sequence[str]) -> list[FacetValues]:
        """Return the values of each of these stored texts."""
        values = self._read_values(chain.from_iterable(map(_parse_numbers, texts)))
        return [frozenset(values[number] for number in _parse_numbers(text) if number in values) for text in texts]

    def read_joined_texts(self, entries: Sequence[int]) -> str:
        """Return the stored texts of these entries as one text."""
        return self._execute(_TEXTS, (json.dumps(entries),)).fetchone()[0] or ""

    def count_facet_values(self, gathered: str, facets: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
        """Return how often each value is in these gathered texts, by facet."""
        counts = Counter(gathered.split(_SEPARATOR))
        values = self._read_values(chain.from_iterable(map(_parse_numbers, counts)))
        return collect_facet_counts(
            (facet, value, counts[str(number)]) for number, (facet, value) in values.items() if facet in facets
        )

    def _read_or_add_numbers(self, values: Collection[tuple[str, str]]) -> dict[tuple[str, str], int]:
        pairs = sorted(values)
        numbers = self._read_numbers(pairs)
        if len(numbers) < len(pairs):
            self._execute_many(_ADD_VALUE, [pair for pair in pairs if pair not in numbers])
            numbers = self._read_numbers(pairs)
        return numbers

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


def _format_group(group: MatchGroup) -> tuple[str, str]:
    """Return a group as a facet and its value."""
    namespace, type_ = group
    return GROUP, f"{type_}:{namespace}"


def _parse_numbers(text: str) -> list[int]:
    """Return the numbers in a stored text; damaged parts are skipped."""
    return [int(number) for number in text.split(_SEPARATOR) if number.isdecimal()]
