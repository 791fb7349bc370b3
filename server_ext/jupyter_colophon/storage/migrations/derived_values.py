"""Derive values, counts, history and full text of every entity again, from the vocabulary.

Version e8b857e found tags, terms, owners, domains and descriptions in a few aspects only, did not know which entities
were softly deleted, and did not find entities by who wrote them and when (core/model/vocabulary.py, storage/search/index.py).
"""

import logging

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Key, Range, TableContext

#: How many entities are derived in one transaction, for which all other writers wait.
_AT_ONCE = 100
#: How many rows of counts are removed in one transaction.
_COUNTS_AT_ONCE = 5_000
_COUNTS = (tables.KEY_COUNTS, tables.VALUE_COUNTS)
_logger = logging.getLogger("jupyter_colophon.storage")


def clear_counts(tx: TableContext, after: Key) -> Key | None:
    """Remove some rows of the counts, which every entity adds to; returns None when none is left."""
    for spec in _COUNTS:
        if rows := list(tx.table(spec.id).scan(Range(), _COUNTS_AT_ONCE)):
            tx.table(spec.id).multi_delete([tuple(row[name] for name in spec.primary_key) for row in rows])
            return ()
    return None


def derive_entities(registry: Registry, tx: TableContext, after: Key) -> Key | None:
    """Derive what is found of some entities after a URN; returns the last URN, None at the end."""
    found = sources_of_truth.entities_after(tx, after[0] if after else "", _AT_ONCE)
    for entity in found:
        _derive(tx, registry, entity)
    return (found[-1].entity["urn"],) if found else None


def _derive(tx: TableContext, registry: Registry, stored: sources_of_truth.StoredEntity) -> None:
    entity = stored.entity
    try:
        values, derived = (
            set(sources_of_truth.value_rows_of(registry, stored)),
            sources_of_truth.derive_rows(registry, stored),
        )
        removed = not entity["deleted"] and sources_of_truth.is_removed(registry, stored)
        before = past_values.of_history(tx, registry, entity, stored.aspects)
    except sources_of_truth.Unreadable:
        # One bad row harms nothing but itself; `jupyter colophon verify` names it.
        _logger.warning("values of %s are not derived: an aspect of it cannot be read", entity["urn"])
        return
    tx.table(past_values.TABLE).upsert_all(list(before.values()))
    if removed:
        tx.table("entities").upsert(entity | {"removed": True})
    if derived.document is None:
        tx.search.remove(entity["urn"])
        return
    tx.table("metadata_values").upsert_all(list(derived.values.values()))
    tx.search.put(derived.document)
    index.add_counts(tx, entity, set() if removed else values)
