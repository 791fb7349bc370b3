"""Renames of entities: older rows with the old name mean the entity that has the new name now."""

from collections.abc import Collection, Mapping

from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.storage.spi import Range, Row, TableContext

TABLE = "renames"


def record_rename(tx: TableContext, old: str, new: str, seq: int, time: int) -> None:
    """Record a rename under the number of its change."""
    tx.get_table(TABLE).upsert({"urn": old, "seq": seq, "time": time, "new": new})


def is_left_by_rename(tx: TableContext, row: Row) -> bool:
    """Return whether an entity's row is what its last rename left under the old name."""
    last = _read_last_rename(tx, row["urn"])
    return bool(row["deleted"]) and last is not None and last["time"] == row["updated"]


def resolve_present_names(tx: TableContext, urns: Collection[str], time: int) -> Mapping[str, str]:
    """Return the present names of those entities that were renamed after a time (ms), by their names at that time."""
    named: dict[str, list[Row]] = {}
    for row in tx.get_table(TABLE).scan_ranges([Range.prefix(urn) for urn in sorted(urns)]) if urns else ():
        if row["time"] > time:
            named.setdefault(row["urn"], []).append(row)
    return {urn: _resolve_final_name(tx, rows[0]) for urn, rows in named.items()}


def build_not_found_or_renamed_error(tx: TableContext, urn: str, kind: str = "entity") -> NotFound:
    """Return the error for an entity that does not exist; it names the entity that has its history now."""
    last = _read_last_rename(tx, urn)
    successor = "" if last is None else _resolve_final_name(tx, last)
    row = tx.get_table("entities").read((successor,)) if successor else None
    return NotFound(kind, urn, renamed_to=successor if row is not None and not row["deleted"] else "")


def _read_last_rename(tx: TableContext, urn: str) -> Row | None:
    return next(iter(tx.get_table(TABLE).scan(Range.prefix(urn), 1, "desc")), None)


def _resolve_final_name(tx: TableContext, row: Row) -> str:
    """Return the final name after a rename and all later ones."""
    while following := next(
        iter(tx.get_table(TABLE).scan(Range((row["new"], row["seq"] + 1), (row["new"],)), 1)), None
    ):
        row = following
    return str(row["new"])
