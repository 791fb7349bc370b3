"""Maintain the search rows and documents of entities within the transaction of the write (spec SEARCH-9)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain, starmap
from operator import attrgetter
from typing import NamedTuple

from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.entities import entity as entities
from jupyter_colophon.core.entities.entity import STATUS
from jupyter_colophon.core.entities.entity_kinds import get_entity_kind_of_row
from jupyter_colophon.core.identity.names import is_variable_urn
from jupyter_colophon.core.model.certification import CERTIFIED, list_certification_words
from jupyter_colophon.core.model.registry import AspectSpec, EntityType, Scope
from jupyter_colophon.core.model.search_filters import COLUMNS
from jupyter_colophon.core.model.search_index_terms import (
    PART_KEY,
    WORD_BYTES_MAX,
    ValueRow,
    build_value_rows,
    collect_name_index_words,
    encode_filter_term,
    encode_index_word,
    encode_words_of_value,
    fold_text_for_comparison,
    list_names_of_entity_type,
    list_path_parts_and_suffixes,
)
from jupyter_colophon.core.model.vocabulary import REFERRED, Contribution, has_contributions
from jupyter_colophon.core.search.search import GROUPED, FacetValues
from jupyter_colophon.core.search.time_words import CREATED_KEY, UPDATED_KEY, list_time_words
from jupyter_colophon.storage.spi import AbsentTerm, Document, Key, Row, TableContext

#: The amount to add to each counter, by table and key.
Counts = defaultdict[str, Counter[Key]]
#: Each aspect with its stored value, by the aspect's name.
Aspects = Mapping[str, tuple[AspectSpec, str]]
#: The longest value to cache, and the size of the cache: a save parses the old and the new value several times, and the
#: next save parses this one.
_CACHED_LENGTH_MAX, _CACHE_SIZE = 4_096, 512
#: The longest value of which its words and counters are cached, and the size of these caches.
_KEPT_LENGTH, _KEPT = 64, 4_096
#: The longest value that facets count: longer ones are not useful as filters.
_FACET_VALUE_LENGTH_MAX = 256


class EntityChange(NamedTuple):
    """An entity's row with its aspects before and after a change; a deleted entity has none after it."""

    entity: Row
    before: Aspects
    now: Aspects
    #: The words of strings that the model marks for search.
    marked: frozenset[str] = frozenset()


_get_key_and_text = attrgetter("key", "shown")
#: A term of every document, which makes "all" a query.
EVERYTHING = encode_filter_term("entity", "any")
#: The terms of softly deleted entities, and of all others. The index reads the first term faster, as few documents have
#: it.
REMOVED, PRESENT = encode_filter_term("removed", "true"), encode_filter_term("removed", "false")
NOT_REMOVED = AbsentTerm(REMOVED)
#: A term of the entities that tags, terms, owners and domains refer to: their names are looked up at query time.
REFERENCED = encode_filter_term("referenced", "any")
_REFERENCED_TYPES = frozenset(type_ for types in REFERRED.values() for type_ in types)
CREATED_BY_KEY, UPDATED_BY_KEY = "created-by", "last-updated-by"


def update_search_rows_and_counters(tx: TableContext, changed: Iterable[EntityChange]) -> None:
    """Update search rows, documents and counters for these changes."""
    add_to_counters(tx, update_search_rows(tx, changed))


def update_search_rows(tx: TableContext, changed: Iterable[EntityChange]) -> Counts:
    """Update search rows and documents for these changes; return what to add to the counters, once for all entities."""
    written: list[Row] = []
    documents: list[Document] = []
    counts: Counts = defaultdict(Counter)
    for entity, before, now, marked in changed:
        old, new = collect_aspect_value_rows(before), set() if entity["deleted"] else collect_aspect_value_rows(now)
        removed_values, added_values = old - new, new - old
        if removed_values or added_values:
            written += _delete_rows_and_build_added_rows(tx, entity, removed_values, added_values, new)
        was_removed, removed = (is_left_out_of_lists(entity["urn"], aspects) for aspects in (before, now))
        _count_value_changes(counts, entity, set() if was_removed else old, set() if removed else new)
        if entity["deleted"]:
            tx.search.remove_document(entity["urn"])
        else:
            documents.append(build_search_document(entity, new, marked, removed=removed))
    tx.get_table("metadata_values").upsert_many(written)
    if documents:
        tx.search.put_documents(*documents)
    return counts


def add_to_counters(tx: TableContext, counts: Counts) -> None:
    """Add to the counters of keys and values, and delete those that drop to zero."""
    for name in ("key_counts", "value_counts"):
        amounts = sorted(counts[name].items())
        if added := {key: amount for key, amount in amounts if amount > 0}:
            tx.get_table(name).increment_many(added, "entities")
        if removed := {key: -amount for key, amount in amounts if amount < 0}:
            tx.get_table(name).decrement_many(removed, "entities")


def add_entity_to_counters(tx: TableContext, entity: Row, values: set[ValueRow]) -> None:
    """Count the values of an entity that was not counted before."""
    counts: Counts = defaultdict(Counter)
    _count_value_changes(counts, entity, set(), values)
    add_to_counters(tx, counts)


def collect_aspect_value_rows(aspects: Aspects) -> set[ValueRow]:
    """Return all values in these aspects."""
    return set(chain.from_iterable([parse_aspect_value_rows(spec, value) for spec, value in aspects.values()]))


def select_searchable_aspects(kind: EntityType, aspects: Mapping[str, Row]) -> Aspects:
    """Return the aspects of an entity that search reads: they have a value and contribute to search."""
    return {
        name: (spec, row["value"])
        for name, row in aspects.items()
        if row["value"] is not None
        and (spec := kind.find_aspect(name)) is not None
        and (name == STATUS or has_contributions(name, spec.contributes))
    }


def is_left_out_of_lists(urn: str, aspects: Aspects) -> bool:
    """Return whether searches and lists leave an entity out: it is softly deleted, or a variable of a notebook."""
    return is_variable_urn(urn) or is_removed_by_status(aspects)


def is_removed_by_status(aspects: Aspects) -> bool:
    """Return whether an entity with these aspects is softly deleted. Raises StoreDamaged."""
    if STATUS not in aspects:
        return False
    text = aspects[STATUS][1]
    return (_cached_removal if len(text) <= _CACHED_LENGTH_MAX else _parse_removal)(text)


def _parse_removal(text: str) -> bool:
    return entities.is_status_removed(json_parsing.parse_stored_json(text))


_cached_removal = lru_cache(maxsize=_CACHE_SIZE)(_parse_removal)


def parse_aspect_value_rows(spec: AspectSpec, text: str) -> tuple[ValueRow, ...]:
    """Return the values in an aspect's stored text. Raises StoreDamaged."""
    if not has_contributions(spec.name, spec.contributes):
        return ()
    return (_cached_values if len(text) <= _CACHED_LENGTH_MAX else _parse_value_rows_cached)(
        spec.name, spec.scope, text, spec.contributes
    )


def _parse_value_rows_cached(
    aspect: str, scope: Scope, text: str, annotated: tuple[Contribution, ...]
) -> tuple[ValueRow, ...]:
    return tuple(build_value_rows(aspect, scope, json_parsing.parse_stored_json(text), annotated))


_cached_values = lru_cache(maxsize=_CACHE_SIZE)(_parse_value_rows_cached)


def _delete_rows_and_build_added_rows(
    tx: TableContext, entity: Row, removed: set[ValueRow], added: set[ValueRow], new: set[ValueRow]
) -> list[Row]:
    """Delete the rows of removed values, and return the rows to write to the table of values."""
    if not removed and len(added) == len(new):
        return list(build_stored_value_rows(entity, new).values())
    before = {get_value_key(entity, row) for row in removed}
    # Several values may share a key: rebuild the row from those that remain.
    changed = before.union(get_value_key(entity, row) for row in added)
    after = build_stored_value_rows(entity, (row for row in new if get_value_key(entity, row) in changed))
    tx.get_table("metadata_values").delete_many(sorted(before - after.keys()))
    return [*after.values()]


def build_stored_value_rows(entity: Row, values: Iterable[ValueRow]) -> dict[tuple[str, ...], Row]:
    """Return the rows of the table of values, by their key."""
    rows: dict[tuple[str, ...], Row] = {}
    for row in sorted(values, key=_get_key_and_text):
        key = namespace, name, value, urn, scope = get_value_key(entity, row)
        rows[key] = {
            "namespace": namespace,
            "key": name,
            "value": value,
            "urn": urn,
            "scope": scope,
            "kind": row.kind,
            "shown": row.shown,
        }
    return rows


def get_value_key(entity: Row, row: ValueRow) -> tuple[str, str, str, str, str]:
    """Return namespace, key, value, URN and scope of a value; keys are compared without regard to case."""
    # Queries are trimmed, so values are compared without surrounding whitespace (spec SEARCH-2).
    return entity["namespace"], fold_text_for_comparison(row.key), row.value.strip(), entity["urn"], row.scope


def _count_value_changes(counts: Counts, entity: Row, old: set[ValueRow], new: set[ValueRow]) -> None:
    if old == new:
        return
    for (table, before), (_, now) in zip(build_counter_keys(entity, old), build_counter_keys(entity, new), strict=True):
        counter = counts[table]
        for key in before - now:
            counter[key] -= 1
        for key in now - before:
            counter[key] += 1


def build_counter_keys(entity: Row, values: Collection[ValueRow]) -> tuple[tuple[str, set[Key]], ...]:
    """Return the counter keys of an entity by table."""
    if not values:
        return ("key_counts", set()), ("value_counts", set())
    kind = get_entity_kind_of_row(entity["type"], entity["urn"])
    keys = [_get_counter_keys(entity["namespace"], row, kind) for row in values]
    return ("key_counts", {key for key, _ in keys}), ("value_counts", {key for _, key in keys})


def build_key_counter_keys(entity: Row, values: Iterable[ValueRow]) -> set[tuple[str, ...]]:
    """Return (folded, key, kind, scope, carrier) of each value.

    A tag counts as a key in key statistics (spec SEARCH-20).
    """
    carrier = get_entity_kind_of_row(entity["type"], entity["urn"])
    return {_build_key_counter_key(row, carrier) for row in values}


def get_display_key(row: ValueRow) -> str:
    """Return the key under which a value is found, as it was written."""
    return row.shown if row.kind == "tag" else row.key


def _get_counter_keys(namespace: str, row: ValueRow, carrier: str) -> tuple[Key, Key]:
    """Return the keys of a value's row in `key_counts` and in `value_counts`."""
    build = _cached_counter_keys if len(row.shown) <= _KEPT_LENGTH else _build_counter_keys_of_value
    return build(namespace, row, carrier)


def _build_counter_keys_of_value(namespace: str, row: ValueRow, carrier: str) -> tuple[Key, Key]:
    value_key = (namespace, fold_text_for_comparison(row.key), row.value, row.shown)
    return (namespace, *_build_key_counter_key(row, carrier)), value_key


def _build_key_counter_key(row: ValueRow, carrier: str) -> tuple[str, ...]:
    key = get_display_key(row)
    return fold_text_for_comparison(key), key, row.kind, row.scope, carrier


_cached_counter_keys = lru_cache(maxsize=_KEPT)(_build_counter_keys_of_value)


class _IndexedValue(NamedTuple):
    """What a value adds to the document of its entity: facet values, terms and words."""

    facets: FacetValues
    terms: frozenset[str]
    words: frozenset[str]


def _index_value(row: ValueRow) -> _IndexedValue:
    filters: list[tuple[str, str]] = [("scope", row.scope)]
    filters += [(row.facet, row.shown)] if row.facet else []
    filters += [(row.facet, row.urn)] if row.urn else []
    certification = list_certification_words(row.shown) if row.facet == CERTIFIED else ()
    return _IndexedValue(
        _collect_facet_values([(row.facet, row.shown)] if row.facet else ()),
        frozenset((*starmap(encode_filter_term, filters), *map(encode_index_word, certification))),
        encode_words_of_value(row),
    )


# Owners, tags and other short values recur in many entities.
_cached_indexed_value = lru_cache(maxsize=_KEPT)(_index_value)


def build_search_document(
    entity: Row, values: set[ValueRow], marked: frozenset[str] = frozenset(), *, removed: bool = False
) -> Document:
    """Return the full-text document of an entity with these values, and words of texts that the model marks."""
    indexed = [(_cached_indexed_value if len(row.shown) <= _KEPT_LENGTH else _index_value)(row) for row in values]
    facets, terms = _index_columns(entity["type"], tuple(map(entity.__getitem__, COLUMNS.values())))
    kind = get_entity_kind_of_row(entity["type"], entity["urn"])
    names = collect_name_index_words(entity["name"], entity["namespace"], entity["type"], kind)
    return Document(
        urn=entity["urn"],
        namespace=entity["namespace"],
        type=entity["type"],
        facet_values=facets.union(*[value.facets for value in indexed]),
        words=names.union(
            _collect_name_words(entity, kind),
            _collect_audit_words(*[entity[name] for name in ("created_by", "updated_by", "created", "updated")]),
            marked,
            *[value.words for value in indexed],
        ),
        terms=terms.union((REMOVED if removed else PRESENT,), *[value.terms for value in indexed]),
    )


# Few types, namespaces and platforms have many entities.
@lru_cache(maxsize=_CACHE_SIZE)
def _index_columns(type_: str, values: tuple[str | None, ...]) -> tuple[FacetValues, frozenset[str]]:
    """Return the facet values and the terms that the columns of an entity add to its document."""
    columns = [(name, value) for name, value in zip(COLUMNS, values, strict=True) if value]
    terms = {EVERYTHING, *starmap(encode_filter_term, columns)}
    if type_ in _REFERENCED_TYPES:
        terms.add(REFERENCED)
    return _collect_facet_values(pair for pair in columns if pair[0] not in GROUPED), frozenset(terms)


def _collect_facet_values(pairs: Iterable[tuple[str, str]]) -> FacetValues:
    return frozenset((facet, value) for facet, value in pairs if 0 < len(value) <= _FACET_VALUE_LENGTH_MAX)


# The new entities of a batch have the same users and times.
@lru_cache(maxsize=_CACHE_SIZE)
def _collect_audit_words(created_by: str, updated_by: str, created: int, updated: int) -> frozenset[str]:
    """Return the words for who created and last updated an entity, and when."""
    users = (
        f"{CREATED_BY_KEY}:{fold_text_for_comparison(created_by)}",
        f"{UPDATED_BY_KEY}:{fold_text_for_comparison(updated_by)}",
    )
    times = list_time_words(CREATED_KEY, created), list_time_words(UPDATED_KEY, updated)
    return _encode_words(users).union(*map(_encode_words, times))


# The same users and hours recur in many entities.
@lru_cache(maxsize=_CACHE_SIZE)
def _encode_words(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(encode_index_word(word) for word in words if len(word.encode()) <= WORD_BYTES_MAX)


def _collect_name_words(entity: Row, kind: str) -> set[str]:
    """Return the words for `key:pattern`: the name after the names of its type and kind, and the parts of a path."""
    name = fold_text_for_comparison(entity["name"]).strip()
    qualified = fold_text_for_comparison(f"{entity['namespace']}.{name}")
    words = [(encode_index_word(word), len(word.encode())) for word in (name, qualified)]
    aliases = _encode_aliases(entity["type"], kind)
    named = {
        alias + word for word, size in words for alias, alias_size in aliases if alias_size + size <= WORD_BYTES_MAX
    }
    pieces = (f"{PART_KEY}:{piece}" for piece in list_path_parts_and_suffixes(entity["name"]))
    return named | {encode_index_word(piece) for piece in pieces if len(piece.encode()) <= WORD_BYTES_MAX}


@lru_cache(maxsize=1_024)
def _encode_aliases(type_: str, kind: str) -> tuple[tuple[str, int], ...]:
    """Return the keys under which the name of an entity of this type and kind is found, encoded, with their size in
    bytes.
    """
    aliases = dict.fromkeys(("name", *list_names_of_entity_type(type_, kind)))
    return tuple((encode_index_word(f"{alias}:"), len(alias.encode()) + 1) for alias in aliases)
