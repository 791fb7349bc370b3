"""Resolve locations of files to tables, once an event of OpenLineage has linked them.

Some events of a job have the facet `symlinks` and others do not, but all of them are about one dataset (spec
LINEAGE-22).
"""

from dataclasses import replace

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.event import Event, EventDataset
from jupyter_colophon.storage.spi import TableContext

_TABLE, _KIND = "openlineage_names", "symlink"


def replace_locations_by_tables(tx: TableContext, event: Event) -> Event:
    """Return the event with locations replaced by the tables that are known to be stored there."""
    named = {str(dataset.urn) for dataset in event.data if dataset.urn == dataset.location_urn}
    named |= {str(origin) for dataset in event.data for _, origin, _, _ in dataset.columns}
    rows = tx.get_table(_TABLE).read_many([(_KIND, urn, "") for urn in sorted(named)])
    tables = {Urn.parse(row["namespace"]): Urn.parse(row["urn"]) for row in rows}
    return (
        replace(event, data=tuple(_replace_location_by_table(dataset, tables) for dataset in event.data))
        if tables
        else event
    )


def find_table_at_location(tx: TableContext, location_urn: Urn) -> Urn | None:
    """Return the table that is known to be stored at a location."""
    row = tx.get_table(_TABLE).read((_KIND, str(location_urn), ""))
    return None if row is None else Urn.parse(row["urn"])


def record_table_location(tx: TableContext, location_urn: Urn, table: Urn, now: int) -> None:
    """Record that a table is stored at a location."""
    row = {"kind": _KIND, "namespace": str(location_urn), "name": "", "urn": str(table), "first": now}
    tx.get_table(_TABLE).upsert(row)


def _replace_location_by_table(dataset: EventDataset, tables: dict[Urn, Urn]) -> EventDataset:
    columns = {
        (spelling, tables.get(origin, origin), field, target): how
        for (spelling, origin, field, target), how in dataset.columns.items()
    }
    urn = tables.get(dataset.urn, dataset.urn) if dataset.urn == dataset.location_urn else dataset.urn
    return replace(dataset, urn=urn, columns=columns)
