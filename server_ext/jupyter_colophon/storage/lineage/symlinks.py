"""Which dataset is meant by the place of its files, once an event of OpenLineage told that a table of the catalog is there.

Some events of a job tell it (the facet `symlinks`), others do not: all of them are about one dataset (spec LINEAGE-22).
"""

from dataclasses import replace

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.openlineage.event import Event, EventDataset
from jupyter_colophon.storage.spi import TableContext

_TABLE, _KIND = "openlineage_names", "symlink"


def resolved(tx: TableContext, event: Event) -> Event:
    """The event about the tables that are known to be where it says."""
    named = {one.urn for one in event.data if one.urn == one.place}
    named |= {origin for one in event.data for _, origin, _, _ in one.columns}
    rows = tx.table(_TABLE).multi_read([(_KIND, str(urn), "") for urn in sorted(named, key=str)])
    known = {Urn.parse(row["namespace"]): Urn.parse(row["urn"]) for row in rows}
    return replace(event, data=tuple(_resolved(one, known) for one in event.data)) if known else event


def table_at(tx: TableContext, place: Urn) -> Urn | None:
    """The table that is known to be at a place."""
    row = tx.table(_TABLE).read((_KIND, str(place), ""))
    return None if row is None else Urn.parse(row["urn"])


def learn(tx: TableContext, place: Urn, table: Urn, now: int) -> None:
    """A table is at a place."""
    row = {"kind": _KIND, "namespace": str(place), "name": "", "urn": str(table), "first": now}
    tx.table(_TABLE).upsert(row)


def _resolved(one: EventDataset, known: dict[Urn, Urn]) -> EventDataset:
    columns = {
        (spelling, known.get(origin, origin), field, target): how
        for (spelling, origin, field, target), how in one.columns.items()
    }
    urn = known.get(one.urn, one.urn) if one.urn == one.place else one.urn
    return replace(one, urn=urn, columns=columns)
