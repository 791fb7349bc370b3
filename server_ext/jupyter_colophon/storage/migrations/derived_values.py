"""Derive values, counts, history and full text of every entity again, from the vocabulary.

Version e8b857e indexed tags, terms, owners, domains and descriptions of a few aspects only, did not record soft
deletions, and did not index entities by writer and time (core/model/vocabulary.py, storage/search/index.py).
"""

import logging

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Key, Range, TableContext

#: The number of entities in one transaction, which blocks all other writers.
_AT_ONCE = 100
#: The number of counter rows that are deleted in one transaction.
_COUNTS_AT_ONCE = 5_000
_COUNTS = (tables.KEY_COUNTS, tables.VALUE_COUNTS)
_logger = logging.getLogger("jupyter_colophon.storage")


def delete_some_counters(tx: TableContext, after: Key) -> Key | None:
    """Delete some rows of the counters, to which every entity adds; return None when none is left."""
    for spec in _COUNTS:
        if rows := list(tx.get_table(spec.id).scan(Range(), _COUNTS_AT_ONCE)):
            tx.get_table(spec.id).delete_many([tuple(row[name] for name in spec.primary_key) for row in rows])
            return ()
    return None


def derive_rows_of_some_entities(registry: Registry, tx: TableContext, after: Key) -> Key | None:
    """Derive the rows of some entities after a URN; return the last URN, None at the end."""
    entities = sources_of_truth.list_stored_entities_after(tx, after[0] if after else "", _AT_ONCE)
    for entity in entities:
        _write_derived_rows(tx, registry, entity)
    return (entities[-1].entity["urn"],) if entities else None


def _write_derived_rows(tx: TableContext, registry: Registry, stored: sources_of_truth.StoredEntity) -> None:
    entity = stored.entity
    try:
        values, derived = (
            set(sources_of_truth.derive_search_value_rows(registry, stored)),
            sources_of_truth.derive_all_rows(registry, stored),
        )
        removed = not entity["deleted"] and sources_of_truth.is_entity_left_out_of_lists(registry, stored)
        before = past_values.derive_past_value_rows(tx, registry, entity, stored.aspects)
    except sources_of_truth.UnreadableAspect:
        # A damaged row is skipped; `jupyter colophon verify` reports it.
        _logger.warning(
            "search values of %s cannot be derived, because one of its aspects cannot be read: run `jupyter colophon verify`",
            entity["urn"],
        )
        return
    tx.get_table(past_values.TABLE).upsert_many(list(before.values()))
    if removed:
        tx.get_table("entities").upsert(entity | {"removed": True})
    if derived.document is None:
        tx.search.remove_document(entity["urn"])
        return
    tx.get_table("metadata_values").upsert_many(list(derived.values.values()))
    tx.search.put_documents(derived.document)
    index.add_entity_to_counters(tx, entity, set() if removed else values)
