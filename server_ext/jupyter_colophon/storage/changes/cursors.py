"""How far each follower of the change log has come. A new follower starts with the changes after its first transaction."""

from typing import NamedTuple

from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.spi import Row, TableContext

_TABLE = "cursors"


class ResumePoint(NamedTuple):
    """The change after which a follower continues, and the number of changes that it skips because they were removed
    from the log.
    """

    seq: int
    skipped: int


def read(tx: TableContext, name: str) -> Row | None:
    """Return a follower's row: `seq`, the last change it handled, and `skipped`; None before it has started."""
    return tx.get_table(_TABLE).read((name,))


def begin(tx: TableContext, name: str) -> int:
    """Start a new follower after the newest change; return the position of any follower."""
    row = read(tx, name) or _create(tx, name)
    return int(row["seq"])


def resume(tx: TableContext, name: str) -> ResumePoint:
    """Return where a follower continues: after changes that were removed from the log, which count as `skipped`."""
    row = read(tx, name) or _create(tx, name)
    floor, head = signed_chain.get_truncated_through(tx), tx.log.get_head()
    skipped = max(0, floor - row["seq"])
    # The store may have been restored to an earlier time.
    seq = min(row["seq"] + skipped, head)
    if seq != row["seq"]:
        tx.get_table(_TABLE).upsert(row | {"seq": seq, "skipped": row["skipped"] + skipped})
    return ResumePoint(seq, skipped)


def advance(tx: TableContext, name: str, seq: int) -> None:
    """Record that a follower has handled everything up to this change."""
    row = read(tx, name)
    if row is not None and row["seq"] < seq:
        tx.get_table(_TABLE).update({"name": name, "seq": seq})


def forget(tx: TableContext, name: str) -> None:
    """Delete the position of a follower that no longer exists."""
    tx.get_table(_TABLE).delete((name,))


def _create(tx: TableContext, name: str) -> Row:
    row: Row = {"name": name, "seq": tx.log.get_head(), "skipped": 0}
    tx.get_table(_TABLE).upsert(row)
    return row
