"""How far each follower of the change log has come. A new follower starts with the changes after its first transaction."""

from itertools import takewhile
from typing import NamedTuple

from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import Range, Row, TableContext

_TABLE = "cursors"


class ResumePoint(NamedTuple):
    """The change after which a follower continues, and the number of changes that it skips because they were removed
    from the log.
    """

    seq: int
    skipped: int


def find_follower_row(tx: TableContext, follower: str) -> Row | None:
    """Return a follower's row: `seq`, the last change it handled, and `skipped`; None before it has started."""
    return tx.get_table(_TABLE).read((follower,))


def list_positions_with_prefix(tx: TableContext, prefix: str) -> dict[str, int]:
    """Return the last handled changes of the followers whose names begin with this, by their names."""
    rows = tx.get_table(_TABLE).scan(Range((prefix,)))
    found = takewhile(lambda row: str(row["name"]).startswith(prefix), rows)
    return {row["name"]: row["seq"] for row in found}


def get_or_create_position(tx: TableContext, follower: str) -> int:
    """Start a new follower after the newest change; return the position of any follower."""
    row = find_follower_row(tx, follower) or _create_follower_row(tx, follower)
    return int(row["seq"])


def start_at_oldest_change(tx: TableContext, follower: str) -> None:
    """Start a new follower before the oldest change that the log has."""
    if find_follower_row(tx, follower) is None:
        row = {"name": follower, "seq": signed_chain.get_last_removed_number(tx), "skipped": 0}
        tx.get_table(_TABLE).upsert(row)


def get_resume_point(tx: TableContext, follower: str) -> ResumePoint:
    """Return where a follower continues: after changes that were removed from the log, which count as `skipped`."""
    row = find_follower_row(tx, follower) or _create_follower_row(tx, follower)
    floor, head = signed_chain.get_last_removed_number(tx), tx.log.get_newest_number()
    skipped = max(0, floor - row["seq"])
    # The store may have been restored to an earlier time.
    seq = min(row["seq"] + skipped, head)
    if seq != row["seq"]:
        tx.get_table(_TABLE).upsert(row | {"seq": seq, "skipped": row["skipped"] + skipped})
    return ResumePoint(seq, skipped)


def write_position(tx: TableContext, follower: str, seq: int) -> None:
    """Record that a follower has handled everything up to this change."""
    row = find_follower_row(tx, follower)
    if row is not None and row["seq"] < seq:
        tx.get_table(_TABLE).update({"name": follower, "seq": seq})


def delete_position(tx: TableContext, follower: str) -> None:
    """Delete the position of a follower that no longer exists."""
    tx.get_table(_TABLE).delete((follower,))


def _create_follower_row(tx: TableContext, follower: str) -> Row:
    row: Row = {"name": follower, "seq": tx.log.get_newest_number(), "skipped": 0}
    tx.get_table(_TABLE).upsert(row)
    return row
