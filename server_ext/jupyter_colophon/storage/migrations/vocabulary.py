"""Migration 9: values, counts, history and full text of every entity are derived again, from the vocabulary.

Catalogs from before found tags, terms, owners, domains and descriptions in a few aspects only, did not know which entities
were softly deleted, and did not find entities by who wrote them and when (core/vocabulary.py, storage/index.py).
"""

import logging

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage import index, past, tables, truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import Range, TableContext

#: How many entities are derived in one transaction, for which all other writers wait.
_AT_ONCE = 100
#: How many rows of counts are removed in one transaction.
_COUNTS_AT_ONCE = 5_000
_COUNTS = (tables.KEY_CARRIERS, tables.VALUE_COUNTS)
#: A place begins with the name of its phase.
_CLEARING, _DERIVING = "counts", "entities"
_logger = logging.getLogger("jupyter_colophon.storage")


def vocabulary(registry: Registry) -> Migration:
    """Clear the counts, which every entity adds to, then derive entity by entity; a place is a phase and the last URN."""

    def step(tx: TableContext, place: str) -> str | None:
        phase, _, urn = place.partition(" ")
        if phase != _DERIVING:
            return f"{_CLEARING} " if _clear_counts(tx) else f"{_DERIVING} "
        found = truth.entities_after(tx, urn, _AT_ONCE)
        for told in found:
            _derive(tx, registry, told)
        return f"{_DERIVING} {found[-1].entity['urn']}" if found else None

    return Migration("derive what entities say from the vocabulary", step)


def _clear_counts(tx: TableContext) -> bool:
    """Remove some rows of counts; whether there were any."""
    for spec in _COUNTS:
        if rows := list(tx.table(spec.id).scan(Range(), _COUNTS_AT_ONCE)):
            tx.table(spec.id).multi_delete([tuple(row[name] for name in spec.primary_key) for row in rows])
            return True
    return False


def _derive(tx: TableContext, registry: Registry, told: truth.Told) -> None:
    entity = told.entity
    try:
        said, derived = set(truth.said(registry, told)), truth.derived(registry, told)
        removed = not entity["deleted"] and truth.is_removed(registry, told)
        before = past.of_history(tx, registry, entity, told.aspects)
    except truth.Unreadable:
        # One bad row harms nothing but itself; `jupyter colophon verify` names it.
        _logger.warning("values of %s are not derived: an aspect of it cannot be read", entity["urn"])
        return
    tx.table(past.TABLE).upsert_all(list(before.values()))
    if removed:
        tx.table("entities").upsert(entity | {"removed": True})
    if derived.document is None:
        tx.search.remove(entity["urn"])
        return
    tx.table("metadata_values").upsert_all(list(derived.values.values()))
    tx.search.put(derived.document)
    index.add_counts(tx, entity, set() if removed else said)
