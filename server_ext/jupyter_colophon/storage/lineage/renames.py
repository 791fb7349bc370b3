"""Which entity got which name, and when: what was written before a rename means the entity that has the new name now."""

from collections.abc import Collection, Mapping

from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.storage.spi import Range, Row, TableContext

TABLE = "renames"


def note_rename(tx: TableContext, old: str, new: str, seq: int, time: int) -> None:
    """Record a rename under the number of its change."""
    tx.table(TABLE).upsert({"urn": old, "seq": seq, "time": time, "new": new})


def is_left_behind(tx: TableContext, row: Row) -> bool:
    """Return whether an entity's row is what its last rename left under the old name."""
    last = _last(tx, row["urn"])
    return bool(row["deleted"]) and last is not None and last["time"] == row["updated"]


def resolve_names(tx: TableContext, urns: Collection[str], time: int) -> Mapping[str, str]:
    """Return the present names of those entities that were renamed after a time (ms), by the names that they had then."""
    named: dict[str, list[Row]] = {}
    for row in tx.table(TABLE).multi_scan([Range.prefix(urn) for urn in sorted(urns)]) if urns else ():
        if row["time"] > time:
            named.setdefault(row["urn"], []).append(row)
    return {urn: _follow(tx, rows[0]) for urn, rows in named.items()}


def absent_entity(tx: TableContext, urn: str, kind: str = "entity") -> NotFound:
    """Return the error for an entity that does not exist; it names the one that has its history now."""
    last = _last(tx, urn)
    found = "" if last is None else _follow(tx, last)
    row = tx.table("entities").read((found,)) if found else None
    return NotFound(kind, urn, renamed_to=found if row is not None and not row["deleted"] else "")


def _last(tx: TableContext, urn: str) -> Row | None:
    return next(iter(tx.table(TABLE).scan(Range.prefix(urn), 1, "desc")), None)


def _follow(tx: TableContext, row: Row) -> str:
    """Return the name to which a rename led, with all renames after it."""
    while following := next(iter(tx.table(TABLE).scan(Range((row["new"], row["seq"] + 1), (row["new"],)), 1)), None):
        row = following
    return str(row["new"])
