"""The chain of seals over the change log: nobody takes out or alters a row of it unnoticed (spec MODEL-15).

Each row is hashed together with the hash of the row before it, so all processes reckon the same hash for a number. Every
so many rows the hash is kept as a seal, signed with the store's key. This happens after the writes, never in them: on
PostgreSQL a hash that is chained in the transaction would be made from a snapshot that lacks the row before.
"""

import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

from jupyter_colophon.core.errors import LogCompacted, LogReset
from jupyter_colophon.storage.spi import Range, Row, TableContext
from jupyter_colophon.storage.tables import CHANGE_GAINED

#: How many rows one seal is for, at most.
SEAL_ROWS = 500
#: The hash before the first row.
BEGINNING = bytes(32)
# Never changed: what is sealed stays verifiable. A field that the log gains is not sealed, or is sealed in a new way.
_SEALED: tuple[str, ...] = (
    "seq",
    "time",
    "urn",
    "type",
    "namespace",
    "name",
    "aspect",
    "operation",
    "version",
    "scope",
    "actor",
    "via",
    "run",
    "previous",
    "value",
)
_PURPOSE = b"colophon: seal of the change log\0"


@dataclass(frozen=True, slots=True)
class Seal:
    """The hash of the log up to the row `seq`, over `rows` rows since the seal before.

    `newest` is the latest time of those rows, `time` when they were sealed (ms). A `checkpoint` starts a new chain:
    what was before it is no longer kept.
    """

    seq: int
    hash: bytes
    rows: int
    newest: int
    time: int
    checkpoint: bool = False
    signature: bytes = b""

    def signed(self, key: bytes) -> "Seal":
        """This seal with its signature."""
        values = asdict(self) | {"hash": self.hash.hex(), "signature": ""}
        text = json.dumps(values, sort_keys=True).encode()
        return replace(self, signature=hmac.digest(key, _PURPOSE + text, sha256))

    def is_signed(self, key: bytes) -> bool:
        """Whether whoever has the store's key made it."""
        return hmac.compare_digest(self.signature, self.signed(key).signature)


def chained(before: bytes, rows: Iterable[Row]) -> bytes:
    """The hash after these rows, which follow the row with the hash `before`."""
    for row in rows:
        values = [row[name] for name in _SEALED]
        # The log gained these: rows that have none are hashed as they were before.
        gained = [row[name] for name in CHANGE_GAINED]
        values += gained if any(one is not None for one in gained) else []
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        before = sha256(before + text.encode("utf-8", "surrogatepass")).digest()
    return before


def last(tx: TableContext) -> Seal | None:
    """The newest seal."""
    return next((_seal(row) for row in tx.table("log_seals").scan(Range(), 1, "desc")), None)


def following(tx: TableContext, after: int, limit: int) -> list[Seal]:
    """Seals after a number, oldest first."""
    return [_seal(row) for row in tx.table("log_seals").scan(Range((after,), begin_inclusive=False), limit)]


def floor(tx: TableContext) -> int:
    """The number up to which changes are no longer kept; 0 while all are."""
    first = next(iter(following(tx, -1, 1)), None)
    return first.seq if first is not None and first.checkpoint else 0


def require_kept(tx: TableContext, after: int) -> None:
    """Raise LogCompacted where changes after this number are no longer kept, or (LogReset) never were."""
    if after > (head := tx.log.head()):
        raise LogReset(after, head)
    if after < (lowest := floor(tx)):
        raise LogCompacted(after, lowest)


def unsealed(tx: TableContext) -> int | None:
    """The time of the oldest row that no seal is for; None when all are sealed."""
    before = last(tx)
    return next((int(row["time"]) for row in tx.log.read(before.seq if before else 0, 1, {})), None)


def due(tx: TableContext, key: bytes, now: int) -> tuple[int, Seal] | None:
    """The seal that is missing next, and the number of the one before it; None when every row is sealed."""
    before = last(tx)
    rows = tx.log.read(before.seq if before else 0, SEAL_ROWS, {})
    if not rows:
        return None
    made = chained(before.hash if before else BEGINNING, rows)
    newest = max(row["time"] for row in rows)
    return (before.seq if before else 0), Seal(rows[-1]["seq"], made, len(rows), newest, now).signed(key)


def add(tx: TableContext, after: int, seal: Seal) -> None:
    """Keep a seal that follows the number `after`, unless another process has sealed meanwhile."""
    newest = last(tx)
    if (newest.seq if newest else 0) == after:
        tx.table("log_seals").upsert(asdict(seal))


def sealed(tx: TableContext, before: Seal | None, seal: Seal) -> list[Row]:
    """The rows that a seal is for; `before` is the seal before it. For the first checkpoint: what ought to be gone."""
    rows = tx.log.read(before.seq if before else 0, seal.rows + 1, {})
    return [row for row in rows if row["seq"] <= seal.seq]


def fault(key: bytes, before: Seal | None, seal: Seal, rows: Sequence[Row]) -> str | None:
    """What is wrong with a seal and its rows, if anything."""
    if not seal.is_signed(key):
        return f"the seal of change {seal.seq} is not signed with this store's key"
    if seal.checkpoint and before is None:
        return f"changes before {seal.seq + 1} are there again" if rows else None
    after = before.seq if before else 0
    if len(rows) != seal.rows:
        return f"of {seal.rows} sealed changes from {after + 1} to {seal.seq} there are {len(rows)}"
    if chained(before.hash if before else BEGINNING, rows) != seal.hash:
        return f"changes from {after + 1} to {seal.seq} are not those that were sealed"
    return None


def shorten(tx: TableContext, key: bytes, older_than: int, rows_max: int) -> int:
    """Remove a part of the log from its beginning, up to a seal, which becomes a checkpoint; returns how many rows went.

    Only sealed rows that are all older than a time (ms) go, and never the newest; about `rows_max` rows at once.
    """
    chosen, rows, head = None, 0, tx.log.head()
    for seal in following(tx, floor(tx), 2 + rows_max // SEAL_ROWS):
        if seal.newest >= older_than or seal.seq >= head or rows >= rows_max:
            break
        chosen, rows = seal, rows + seal.rows
    if chosen is None:
        return 0
    table = tx.table("log_seals")
    table.upsert(asdict(replace(chosen, checkpoint=True).signed(key)))
    table.delete_all(Range(end=(chosen.seq,), end_inclusive=False))
    return tx.log.compact(chosen.seq)


def _seal(row: dict[str, Any]) -> Seal:
    return Seal(**row)
