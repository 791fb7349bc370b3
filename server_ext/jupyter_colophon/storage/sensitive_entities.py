"""Find which entities are marked as sensitive: themselves, or one of their columns."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from jupyter_colophon.core.entities.containment import get_urn_prefix_of_children
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.confidential import CONFIDENTIAL, MARKING_KINDS
from jupyter_colophon.core.model.search_index_terms import ValueRow, encode_filter_term
from jupyter_colophon.core.model.vocabulary import TAGS_KEY, TERMS_KEY
from jupyter_colophon.storage.spi import Range, TableContext, TextQuery

_KEYS: Final = (TAGS_KEY, TERMS_KEY)
#: A query for any entity that is marked.
_ANY_MARKED: Final = TextQuery(terms=(tuple(encode_filter_term(kind, CONFIDENTIAL) for kind in MARKING_KINDS),))
#: How many entities are looked up at once.
_AT_ONCE: Final = 50


def find_sensitive_entities(tx: TableContext, urns: Collection[str]) -> set[str]:
    """Return those of these entities that are marked, or of which a column is. A column counts as its dataset."""
    if not urns or not tx.search.find_matches(_ANY_MARKED, 1):
        return set()
    subjects_by_urn = {urn: replace_column_with_dataset(urn) for urn in urns}
    subjects = sorted(set(subjects_by_urn.values()))
    marked: set[str] = set()
    for start in range(0, len(subjects), _AT_ONCE):
        marked |= _find_marked_subjects(tx, subjects[start : start + _AT_ONCE])
    return {urn for urn, subject in subjects_by_urn.items() if subject in marked}


def replace_column_with_dataset(urn: str) -> str:
    """Return the dataset of a column, and any other entity unchanged: a mark on a column or its dataset marks both."""
    if not urn.startswith("urn:li:schemaField:"):
        return urn
    return str(Urn.parse(urn).parse_part_as_urn(0))


def has_mark(values: Iterable[ValueRow]) -> bool:
    """Return whether the values of an entity mark it or one of its columns."""
    return any(row.value.strip() == CONFIDENTIAL and row.key in _KEYS for row in values)


def _find_marked_subjects(tx: TableContext, subjects: Collection[str]) -> set[str]:
    rows = tx.get_table("entities").read_many([(subject,) for subject in subjects])
    ranges = [keys for row in rows for keys in _list_ranges(row["namespace"], row["urn"])]
    marked = tx.get_table("metadata_values").scan_ranges(ranges) if ranges else ()
    return {replace_column_with_dataset(row["urn"]) for row in marked}


def _list_ranges(namespace: str, urn: str) -> Iterator[Range]:
    """Yield the ranges of values that mark an entity or a column of it."""
    prefix = get_urn_prefix_of_children(Urn.parse(urn)) if urn.startswith("urn:li:dataset:") else None
    for key in _KEYS:
        place = (namespace, key, CONFIDENTIAL)
        yield Range.prefix(*place, urn)
        if prefix is not None:
            # "-" is the character after ",", so this range has exactly the URNs with the prefix.
            yield Range((*place, prefix), (*place, prefix[:-1] + "-"), end_inclusive=False)
