"""What search knows of an entity, kept in step inside the transaction of the write (spec SEARCH-9)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from jupyter_colophon.core.documents import json_parsing
from jupyter_colophon.core.entities import entity as entities
from jupyter_colophon.core.entities.entity import STATUS
from jupyter_colophon.core.entities.entity_kinds import kind_of_row
from jupyter_colophon.core.model.registry import AspectSpec, EntityType, Scope
from jupyter_colophon.core.model.search_filters import COLUMNS
from jupyter_colophon.core.model.search_index_terms import (
    PART_KEY,
    WORD_BYTES_MAX,
    ValueRow,
    filter_term,
    fold,
    fts_word,
    index_words,
    path_pieces,
    type_words,
    value_rows,
)
from jupyter_colophon.core.model.vocabulary import REFERRED, Contribution, is_described
from jupyter_colophon.core.search.search import GROUPED, FacetValues
from jupyter_colophon.core.search.time_words import CREATED_KEY, UPDATED_KEY, time_words
from jupyter_colophon.storage.spi import Document, Row, TableContext

#: What is added to which count: by table and key.
Counts = Counter[tuple[str, tuple[Any, ...]]]
#: An aspect and its value, as it is stored, by the aspect's name.
Aspects = Mapping[str, tuple[AspectSpec, str]]
#: A save asks several times what the old value says and the new one, and the next save what this one wrote: values up to
#: this length are worth remembering, and so many of them.
_KEPT_LENGTH, _KEPT = 4_096, 512
#: Longer values are not counted by facets: nobody chooses by them.
_FACET_VALUE_LENGTH_MAX = 256


class Becoming(NamedTuple):
    """An entity's row, and what it said before and says now; one that is deleted says nothing any more."""

    entity: Row
    before: Aspects
    now: Aspects
    #: Words of texts that the model marks for search.
    marked: frozenset[str] = frozenset()


#: A term that every document has, so that "all" is a query too.
EVERYTHING = filter_term("entity", "any")
#: A term of every document but those of entities that were softly deleted.
NOT_REMOVED = filter_term("removed", "false")
#: A term of what tags, terms, owners and domains refer to: their names are looked for at query time.
REFERENCED = filter_term("referenced", "any")
_REFERENCED_TYPES = frozenset(type_ for types in REFERRED.values() for type_ in types)
CREATED_BY_KEY, UPDATED_BY_KEY = "created-by", "last-updated-by"


def refresh(tx: TableContext, changed: Iterable[Becoming]) -> None:
    """Bring search rows from what entities said before to what they say now; what many of them say is counted once."""
    values: list[Row] = []
    documents: list[Document] = []
    counts: Counts = Counter()
    for entity, before, now, marked in changed:
        old, new = rows(before), set() if entity["deleted"] else rows(now)
        gone, came = old - new, new - old
        if gone or came:
            values += _to_write(tx, entity, gone, came, new)
        was_removed, removed = is_removed(before), is_removed(now)
        _count(counts, entity, set() if was_removed else old, set() if removed else new)
        if entity["deleted"]:
            tx.search.remove(entity["urn"])
        else:
            documents.append(document(entity, new, marked, removed=removed))
    tx.table("metadata_values").upsert_all(values)
    tx.search.put(*documents)
    _add(tx, counts)


def _add(tx: TableContext, counts: Counts) -> None:
    """Add to the counts of keys and values; what nobody says any more goes."""
    for name in ("key_counts", "value_counts"):
        amounts = sorted((key, amount) for (table, key), amount in counts.items() if table == name)
        tx.table(name).increment_all({key: amount for key, amount in amounts if amount > 0}, "entities")
        tx.table(name).decrement_all({key: -amount for key, amount in amounts if amount < 0}, "entities")


def add_counts(tx: TableContext, entity: Row, said: set[ValueRow]) -> None:
    """Count what an entity says that was not counted before."""
    counts: Counts = Counter()
    _count(counts, entity, set(), said)
    _add(tx, counts)


def rows(aspects: Aspects) -> set[ValueRow]:
    """Everything that these aspects say."""
    return {row for spec, value in aspects.values() for row in reported_by(spec, value)}


def described(kind: EntityType, aspects: Mapping[str, Row]) -> Aspects:
    """Return those of an entity's rows of aspects that search reads: they have a value, and contribute something."""
    specs = {name: kind.aspect(name) for name, row in aspects.items() if row["value"] is not None}
    return {
        name: (spec, aspects[name]["value"])
        for name, spec in specs.items()
        if spec is not None and (name == STATUS or is_described(name, spec.contributes))
    }


def is_removed(aspects: Aspects) -> bool:
    """Return whether an entity with these aspects was softly deleted. Raises StoreDamaged."""
    if STATUS not in aspects:
        return False
    return entities.is_removed(json_parsing.stored(aspects[STATUS][1]))


def reported_by(spec: AspectSpec, text: str) -> tuple[ValueRow, ...]:
    """What a value of an aspect says, as it is stored. Raises StoreDamaged."""
    if not is_described(spec.name, spec.contributes):
        return ()
    return (_said_kept if len(text) <= _KEPT_LENGTH else _said_by)(spec.name, spec.scope, text, spec.contributes)


def _said_by(aspect: str, scope: Scope, text: str, annotated: tuple[Contribution, ...]) -> tuple[ValueRow, ...]:
    return tuple(value_rows(aspect, scope, json_parsing.stored(text), annotated))


_said_kept = lru_cache(maxsize=_KEPT)(_said_by)


def _to_write(tx: TableContext, entity: Row, gone: set[ValueRow], came: set[ValueRow], new: set[ValueRow]) -> list[Row]:
    """What an entity says anew, as rows of the table of values; what it says no more is taken away."""
    if not gone and len(came) == len(new):
        return list(stored(entity, new).values())
    were = {key_of(entity, row) for row in gone}
    # Several rows may have one key: of what is left of them, the row there is made anew.
    changed = were.union(key_of(entity, row) for row in came)
    are = stored(entity, (row for row in new if key_of(entity, row) in changed))
    tx.table("metadata_values").multi_delete(sorted(were - are.keys()))
    return [*are.values()]


def stored(entity: Row, said: Iterable[ValueRow]) -> dict[tuple[str, ...], Row]:
    """The rows of the table of values, by their key."""
    found: dict[tuple[str, ...], Row] = {}
    for row in sorted(said, key=lambda one: (one.key, one.shown)):
        key = key_of(entity, row)
        names = ("namespace", "key", "value", "urn", "scope")
        found[key] = dict(zip(names, key, strict=True)) | {"kind": row.kind, "shown": row.shown}
    return found


def key_of(entity: Row, row: ValueRow) -> tuple[str, str, str, str, str]:
    """Namespace, key, value, URN and scope of what an entity says: a key is compared without regard to case."""
    # Queries are trimmed, so values are compared without their outer blanks (spec SEARCH-2).
    return entity["namespace"], fold(row.key), row.value.strip(), entity["urn"], row.scope


def _count(counts: Counts, entity: Row, old: set[ValueRow], new: set[ValueRow]) -> None:
    if old == new:
        return
    namespace = entity["namespace"]
    of_each = (counted(entity, said) for said in (old - new, new - old, old & new))
    for (table, less), (_, more), (_, same) in zip(*of_each, strict=True):
        counts.subtract([(table, (namespace, *key)) for key in less - more - same])
        counts.update([(table, (namespace, *key)) for key in more - less - same])


def counted(entity: Row, said: Collection[ValueRow]) -> tuple[tuple[str, set[tuple[str, ...]]], ...]:
    """What is counted of an entity, by the table of the counts; without the namespace, which comes first."""
    if not said:
        return ("key_counts", set()), ("value_counts", set())
    return ("key_counts", keys_of(entity, said)), ("value_counts", _counted_values(said))


def keys_of(entity: Row, said: Iterable[ValueRow]) -> set[tuple[str, ...]]:
    """(folded, key, kind, scope, carrier): a tag is a key of its own for who looks for what there is (spec SEARCH-20)."""
    carrier = kind_of_row(entity["type"], entity["urn"])
    return {(fold(key), key, row.kind, row.scope, carrier) for row in said for key in [written_key(row)]}


def written_key(row: ValueRow) -> str:
    """The key under which people look for what a row says, as it was written."""
    return row.shown if row.kind == "tag" else row.key


def _counted_values(said: Iterable[ValueRow]) -> set[tuple[str, ...]]:
    return {(fold(row.key), row.value, row.shown) for row in said}


def document(
    entity: Row, said: set[ValueRow], marked: frozenset[str] = frozenset(), *, removed: bool = False
) -> Document:
    """What full-text search knows of an entity that says this, with words of texts that the model marks."""
    facets = {(row.facet, row.shown) for row in said if row.facet}
    columns = [(name, entity[column]) for name, column in COLUMNS.items() if entity[column]]
    terms = {EVERYTHING, *(filter_term(name, value) for name, value in columns)}
    terms |= {filter_term("scope", row.scope) for row in said}
    terms |= {filter_term(facet, shown) for facet, shown in facets}
    terms |= {filter_term(row.facet, row.urn) for row in said if row.urn}
    if not removed:
        terms.add(NOT_REMOVED)
    if entity["type"] in _REFERENCED_TYPES:
        terms.add(REFERENCED)
    kind = kind_of_row(entity["type"], entity["urn"])
    words = index_words(entity["name"], entity["namespace"], entity["type"], said, kind=kind, keyed=True)
    return Document(
        urn=entity["urn"],
        namespace=entity["namespace"],
        type=entity["type"],
        facet_values=_facet_values([*facets, *(pair for pair in columns if pair[0] not in GROUPED)]),
        words=frozenset(words | _named(entity, kind) | _stamped(entity) | marked),
        terms=frozenset(terms),
    )


def _facet_values(pairs: Iterable[tuple[str, str]]) -> FacetValues:
    return frozenset((facet, value) for facet, value in pairs if 0 < len(value) <= _FACET_VALUE_LENGTH_MAX)


def _stamped(entity: Row) -> set[str]:
    """Words for who created and last updated an entity, and when."""
    words = [*time_words(CREATED_KEY, entity["created"]), *time_words(UPDATED_KEY, entity["updated"])]
    words += [f"{CREATED_BY_KEY}:{fold(entity['created_by'])}", f"{UPDATED_BY_KEY}:{fold(entity['updated_by'])}"]
    return {fts_word(word) for word in words if len(word.encode()) <= WORD_BYTES_MAX}


def _named(entity: Row, kind: str) -> set[str]:
    """Words for `key:pattern`: the name behind the names of its type and kind, and the parts of a path."""
    name = fold(entity["name"]).strip()
    qualified = fold(f"{entity['namespace']}.{name}")
    words = [(fts_word(word), len(word.encode())) for word in (name, qualified)]
    aliases = _aliases(entity["type"], kind)
    whole = {alias + word for word, size in words for alias, taken in aliases if taken + size <= WORD_BYTES_MAX}
    pieces = (f"{PART_KEY}:{piece}" for piece in path_pieces(entity["name"]))
    return whole | {fts_word(piece) for piece in pieces if len(piece.encode()) <= WORD_BYTES_MAX}


@lru_cache(maxsize=1_024)
def _aliases(type_: str, kind: str) -> tuple[tuple[str, int], ...]:
    """Behind what the name of an entity of this type and kind is a word, encoded, and how many bytes that takes."""
    aliases = dict.fromkeys(("name", *type_words(type_, kind)))
    return tuple((fts_word(f"{alias}:"), len(alias.encode()) + 1) for alias in aliases)
