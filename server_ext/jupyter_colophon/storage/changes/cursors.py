"""How far each follower of the change log has come. A new one begins with the changes after its first transaction."""

from typing import NamedTuple

from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import Row, TableContext

_TABLE = "cursors"


class Resumed(NamedTuple):
    """Where a follower continues, and how many changes it skips there, because they were removed from the log."""

    seq: int
    skipped: int


def read(tx: TableContext, name: str) -> Row | None:
    """Return a follower's row: `seq`, the last change it handled, and `lost`; None before it has begun."""
    return tx.table(_TABLE).read((name,))


def begin(tx: TableContext, name: str) -> int:
    """Have a new follower begin with what comes from now on; return where any follower stands."""
    row = read(tx, name) or _create(tx, name)
    return int(row["seq"])


def resume(tx: TableContext, name: str) -> Resumed:
    """Return where a follower continues: after changes that were removed from the log, which count as `lost`."""
    row = read(tx, name) or _create(tx, name)
    floor, head = signed_chain.floor(tx), tx.log.head()
    skipped = max(0, floor - row["seq"])
    # The store may have been restored to an earlier time.
    seq = min(row["seq"] + skipped, head)
    if seq != row["seq"]:
        tx.table(_TABLE).upsert(row | {"seq": seq, "skipped": row["skipped"] + skipped})
    return Resumed(seq, skipped)


def advance(tx: TableContext, name: str, seq: int) -> None:
    """Record that a follower has handled everything up to this change."""
    row = read(tx, name)
    if row is not None and row["seq"] < seq:
        tx.table(_TABLE).update({"name": name, "seq": seq})


def forget(tx: TableContext, name: str) -> None:
    """Keep no position of a follower that exists no more."""
    tx.table(_TABLE).delete((name,))


def _create(tx: TableContext, name: str) -> Row:
    row: Row = {"name": name, "seq": tx.log.head(), "skipped": 0}
    tx.table(_TABLE).upsert(row)
    return row
