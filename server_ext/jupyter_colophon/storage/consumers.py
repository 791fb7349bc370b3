"""How far each consumer of lineage has been told, and which process tells it: one at a time, across processes."""

from jupyter_colophon.storage.spi import Row, TableContext

_TABLE = "consumers"


def begun(tx: TableContext, name: str) -> int:
    """The number of the change up to which a consumer was told; a new one begins with what comes now."""
    row = _row(tx, name)
    if row is None:
        row = {"name": name, "seq": tx.log.head(), "owner": "", "until": 0}
        tx.table(_TABLE).upsert(row)
    return int(row["seq"])


def claim(tx: TableContext, name: str, seq: int, owner: str, now: int, until: int) -> str:
    """Whether this process may tell of a change: `mine`, `told` where it was told already, or `another` process is at it."""
    row = _row(tx, name) or {"name": name, "seq": 0, "owner": "", "until": 0}
    if row["seq"] >= seq:
        return "told"
    if row["owner"] not in ("", owner) and row["until"] > now:
        return "another"
    tx.table(_TABLE).upsert(row | {"owner": owner, "until": until})
    return "mine"


def advance(tx: TableContext, name: str, seq: int) -> None:
    """A consumer was told of everything up to this change."""
    row = _row(tx, name)
    if row is not None and row["seq"] < seq:
        tx.table(_TABLE).update({"name": name, "seq": seq})


def release(tx: TableContext, name: str, owner: str) -> None:
    """This process tells it no more: another one need not wait for the lease to end."""
    row = _row(tx, name)
    if row is not None and row["owner"] == owner:
        tx.table(_TABLE).update({"name": name, "owner": "", "until": 0})


def _row(tx: TableContext, name: str) -> Row | None:
    return tx.table(_TABLE).read((name,))
