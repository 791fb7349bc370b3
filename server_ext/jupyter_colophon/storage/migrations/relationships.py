"""Migration 4: entities are found by those that they name.

Catalogs of earlier releases have no such table; what their aspects name is told here.
"""

from jupyter_colophon.core.registry import Registry
from jupyter_colophon.storage import relationships, truth
from jupyter_colophon.storage.migrations.runner import Migration
from jupyter_colophon.storage.spi import TableContext


def relationships_told(registry: Registry) -> Migration:
    """Tell relationships, entity by entity; a place is the URN of the last one that was told."""

    def step(tx: TableContext, place: str) -> str | None:
        found = truth.entities_after(tx, place)
        for told in found:
            rows = relationships.of_entity(registry, told.entity, told.aspects)
            tx.table(relationships.TABLE).upsert_all([*rows.values()])
        return found[-1].entity["urn"] if found else None

    return Migration("tell who names whom", step)
