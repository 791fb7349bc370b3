"""What search knows of an entity, kept in step inside the transaction of the write (catalog.md 4.4)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from jupyter_colophon.core.kinds import kind_of_row
from jupyter_colophon.core.registry import Scope
from jupyter_colophon.core.terms import (
    WORD_BYTES_MAX,
    ValueRow,
    filter_term,
    fold,
    fts_word,
    index_words,
    type_words,
    value_rows,
)
from jupyter_colophon.storage.spi import Document, Row, TableContext

#: What is added to which count: by table and key.
Counts = Counter[tuple[str, tuple[Any, ...]]]
#: An aspect's scope and value, by the aspect's name.
Aspects = Mapping[str, tuple[Scope, Any]]


class Becoming(NamedTuple):
    """An entity's row, and what it said before and says now; one that is deleted says nothing any more."""

    entity: Row
    before: Aspects
    now: Aspects


#: A term that every document has, so that "all" is a query too.
EVERYTHING = filter_term("entity", "any")


def refresh(tx: TableContext, changed: Iterable[Becoming]) -> None:
    """Bring search rows from what entities said before to what they say now; what many of them say is counted once."""
    values: list[Row] = []
    documents: list[Document] = []
    counts: Counts = Counter()
    for entity, before, now in changed:
        old, new = rows(before), set() if entity["deleted"] else rows(now)
        values += _to_write(tx, entity, old, new)
        _count(counts, entity, old, new)
        if entity["deleted"]:
            tx.search.remove(entity["urn"])
        else:
            documents.append(document(entity, new))
    tx.table("metadata_values").upsert_all(values)
    tx.search.put(*documents)
    _add(tx, counts)


def _add(tx: TableContext, counts: Counts) -> None:
    """Add to the counts of keys and values; what nobody says any more goes."""
    more: dict[str, dict[tuple[Any, ...], int]] = {"key_carriers": {}, "value_counts": {}}
    for (table, key), amount in sorted(counts.items()):
        if amount > 0:
            more[table][key] = amount
        elif amount < 0 and tx.table(table).increment(key, "entities", amount) <= 0:
            tx.table(table).delete(key)
    for table, amounts in more.items():
        tx.table(table).increment_all(amounts, "entities")


def rows(aspects: Aspects) -> set[ValueRow]:
    """Everything that these aspects say."""
    return {row for name, (scope, value) in aspects.items() for row in value_rows(name, scope, value)}


def _to_write(tx: TableContext, entity: Row, old: set[ValueRow], new: set[ValueRow]) -> list[Row]:
    """What an entity says anew, as rows of the table of values; what it says no more is taken away."""
    were, are = stored(entity, old), stored(entity, new)
    for key in were.keys() - are.keys():
        tx.table("metadata_values").delete(key)
    return [row for key, row in are.items() if were.get(key) != row]


def stored(entity: Row, said: Iterable[ValueRow]) -> dict[tuple[str, ...], Row]:
    """The rows of the table of values, by their key: a key is compared without regard to case."""
    found: dict[tuple[str, ...], Row] = {}
    for row in sorted(said, key=lambda one: (one.key, one.shown)):
        # Queries are trimmed, so values are compared without their outer blanks (catalog.md 4.3.2).
        key = (entity["namespace"], fold(row.key), row.value.strip(), entity["urn"], row.scope)
        names = ("namespace", "key", "value", "urn", "scope")
        found[key] = dict(zip(names, key, strict=True)) | {"kind": row.kind, "shown": row.shown}
    return found


def _count(counts: Counts, entity: Row, old: set[ValueRow], new: set[ValueRow]) -> None:
    if old == new:
        return
    namespace = entity["namespace"]
    for (table, were), (_, are) in zip(counted(entity, old), counted(entity, new), strict=True):
        counts.subtract([(table, (namespace, *key)) for key in were - are])
        counts.update([(table, (namespace, *key)) for key in are - were])


def counted(entity: Row, said: Iterable[ValueRow]) -> tuple[tuple[str, set[tuple[str, ...]]], ...]:
    """What is counted of an entity, by the table of the counts; without the namespace, which comes first."""
    return ("key_carriers", keys_of(entity, said)), ("value_counts", _counted_values(said))


def keys_of(entity: Row, said: Iterable[ValueRow]) -> set[tuple[str, ...]]:
    """(folded, key, kind, scope, carrier): a tag is a key of its own for who looks for what there is (catalog.md 3.6)."""
    carrier = kind_of_row(entity["type"], entity["urn"])
    return {(fold(key), key, row.kind, row.scope, carrier) for row in said for key in [written_key(row)]}


def written_key(row: ValueRow) -> str:
    """The key under which people look for what a row says, as it was written."""
    return row.shown if row.kind == "tag" else row.key


def _counted_values(said: Iterable[ValueRow]) -> set[tuple[str, ...]]:
    return {(fold(row.key), row.value, row.shown) for row in said}


def document(entity: Row, said: set[ValueRow]) -> Document:
    """What full-text search knows of an entity that says this."""
    tags = tuple(sorted({row.shown for row in said if row.kind == "tag"}))
    terms = {EVERYTHING, filter_term("namespace", entity["namespace"]), filter_term("type", entity["type"])}
    terms |= {filter_term("tag", tag) for tag in tags}
    terms |= {filter_term("scope", row.scope) for row in said}
    terms |= {filter_term("owner", row.value) for row in said if row.key == "owner"}
    if entity["platform"]:
        terms.add(filter_term("platform", entity["platform"]))
    kind = kind_of_row(entity["type"], entity["urn"])
    words = index_words(entity["name"], entity["namespace"], entity["type"], said, kind=kind, keyed=True)
    return Document(
        urn=entity["urn"],
        namespace=entity["namespace"],
        type=entity["type"],
        tags=tags,
        words=frozenset(words | _named(entity, kind)),
        terms=frozenset(terms),
    )


def _named(entity: Row, kind: str) -> set[str]:
    """Words for `key:pattern`: the name behind the names of its type and kind."""
    name = fold(entity["name"]).strip()
    qualified = fold(f"{entity['namespace']}.{name}")
    words = [(fts_word(word), len(word.encode())) for word in (name, qualified)]
    aliases = _aliases(entity["type"], kind)
    return {alias + word for word, size in words for alias, taken in aliases if taken + size <= WORD_BYTES_MAX}


@lru_cache(maxsize=1_024)
def _aliases(type_: str, kind: str) -> tuple[tuple[str, int], ...]:
    """Behind what the name of an entity of this type and kind is a word, encoded, and how many bytes that takes."""
    aliases = dict.fromkeys(("name", *type_words(type_, kind)))
    return tuple((fts_word(f"{alias}:"), len(alias.encode()) + 1) for alias in aliases)
