"""Migration 3: keys are counted by kinds of entity, and what was said before is listed.

Catalogs from before counted keys over all kinds together, in a table that nothing reads any more.
"""

import logging
from collections import Counter

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage import index, past, tables, truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import Key, TableContext

#: How many entities are told in one transaction, for which all other writers wait.
_AT_ONCE = 100
#: Of some of these, full text knows another word: their kind.
_RENAMED = frozenset({"dataset", "custom", "schemaField"})
_logger = logging.getLogger("jupyter_colophon.storage")


def carriers(registry: Registry) -> Migration:
    """Count and list entity by entity; a place is the URN of the last one that was told."""

    def step(tx: TableContext, place: str) -> str | None:
        found = truth.entities_after(tx, place, _AT_ONCE)
        counts: Counter[Key] = Counter()
        for told in found:
            try:
                said = set(truth.said(registry, told))
                before = past.of_history(tx, registry, told.entity, told.aspects)
            except truth.Unreadable:
                # One bad row harms nothing but itself; `jupyter colophon verify` names it.
                _logger.warning("keys of %s are not counted: an aspect of it cannot be read", told.entity["urn"])
                continue
            tx.table(tables.PAST_VALUES.id).upsert_all(list(before.values()))
            if told.entity["type"] in _RENAMED and (document := truth.derived(registry, told).document) is not None:
                tx.search.put(document)
            counts.update((told.entity["namespace"], *key) for key in index.keys_of(told.entity, said))
        tx.table(tables.KEY_CARRIERS.id).increment_all(counts, "entities")
        return found[-1].entity["urn"] if found else None

    return Migration("count keys by kinds of entity", step)
