"""The chain of seals over a log, such as the change log: no row can be removed or changed unnoticed (spec MODEL-15).

Each row is hashed together with the hash of the previous row, so all processes compute the same hash for a number.
After a number of rows, the hash is stored as a seal, signed with the store's key. Seals are created after the writes,
not in them: on PostgreSQL, a hash that is computed in the transaction would come from a snapshot without the previous
row.
"""

import hmac
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Final

from jupyter_colophon.core.errors import LogCompacted, LogReset
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The most rows of one seal.
SEAL_ROWS = 500
#: The hash before the first row.
BEGINNING = bytes(32)
# Never change this: sealed rows stay verifiable. A new field of the log is not hashed, or is hashed in a new way.
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
_ADDED: tuple[tuple[str, ...], ...] = (("previous_system", "system"), ("token",))


@dataclass(frozen=True, slots=True)
class SealedLog:
    """A log with seals: numbered rows in commit order, of which only the oldest are removed.

    `subject`, `row_word` and `rows_word` are what problems call it and its rows; the signature of a seal is valid for
    one `purpose` only. `delete_rows_through` never removes the newest row.
    """

    subject: str
    row_word: str
    rows_word: str
    #: The table of the seals.
    seals: str
    purpose: bytes
    read_rows: Callable[[TableContext, int, int], list[Row]]
    get_newest_number: Callable[[TableContext], int]
    delete_rows_through: Callable[[TableContext, int], int]
    #: Replaces rows by rows with the same numbers; their seals have to be replaced too.
    replace_rows: Callable[[TableContext, Sequence[Row]], None]
    list_hashed_values: Callable[[Row], list[Any]]


def _list_hashed_values_of_change(row: Row) -> list[Any]:
    values = [row[name] for name in _SEALED]
    # Fields that were added later: rows without them are hashed as before.
    for names in _ADDED:
        added = [row[name] for name in names]
        values += added if any(value is not None for value in added) else []
    return values


CHANGE_LOG: Final = SealedLog(
    subject="the change log",
    row_word="change",
    rows_word="changes",
    seals="log_seals",
    purpose=b"colophon: seal of the change log\0",
    read_rows=lambda tx, after, limit: tx.log.read_changes(after, limit, {}),
    get_newest_number=lambda tx: tx.log.get_newest_number(),
    delete_rows_through=lambda tx, through: tx.log.delete_changes_through(through),
    replace_rows=lambda tx, rows: tx.log.replace_changes(rows),
    list_hashed_values=_list_hashed_values_of_change,
)


@dataclass(frozen=True, slots=True)
class Seal:
    """The hash of the log up to the row `seq`, over `rows` rows since the previous seal.

    `newest` is the latest time of those rows, `time` the time of the seal (ms). A `checkpoint` starts a new chain:
    earlier rows were removed.
    """

    seq: int
    hash: bytes
    rows: int
    newest: int
    time: int
    checkpoint: bool = False
    signature: bytes = b""

    def with_signature(self, key: bytes, log: SealedLog = CHANGE_LOG) -> "Seal":
        """Return this seal with its signature."""
        values = asdict(self) | {"hash": self.hash.hex(), "signature": ""}
        text = json.dumps(values, sort_keys=True).encode()
        return replace(self, signature=hmac.digest(key, log.purpose + text, sha256))

    def has_valid_signature(self, key: bytes, log: SealedLog = CHANGE_LOG) -> bool:
        """Return whether the seal was signed with the store's key."""
        return hmac.compare_digest(self.signature, self.with_signature(key, log).signature)


#: Created once: `json.dumps` creates one for each call.
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def compute_chain_hash(before: bytes, rows: Iterable[Row], log: SealedLog = CHANGE_LOG) -> bytes:
    """Return the hash after these rows, which follow the row with the hash `before`."""
    for row in rows:
        text = _COMPACT.encode(log.list_hashed_values(row))
        before = sha256(before + text.encode("utf-8", "surrogatepass")).digest()
    return before


def find_newest_seal(tx: TableContext, log: SealedLog = CHANGE_LOG) -> Seal | None:
    """Return the newest seal."""
    return next((_parse_seal(row) for row in tx.get_table(log.seals).scan(Range(), 1, "desc")), None)


def find_seal(tx: TableContext, seq: int, log: SealedLog = CHANGE_LOG) -> Seal | None:
    """Return the seal of a number; None if there is none."""
    row = tx.get_table(log.seals).read((seq,))
    return None if row is None else _parse_seal(row)


def find_seal_up_to(tx: TableContext, seq: int, log: SealedLog = CHANGE_LOG) -> Seal | None:
    """Return the newest seal of a number or a smaller one."""
    return next((_parse_seal(row) for row in tx.get_table(log.seals).scan(Range(end=(seq,)), 1, "desc")), None)


def list_seals_after(tx: TableContext, after: int, limit: int, log: SealedLog = CHANGE_LOG) -> list[Seal]:
    """Return seals after a number, oldest first."""
    return [_parse_seal(row) for row in tx.get_table(log.seals).scan(Range((after,), begin_inclusive=False), limit)]


def get_last_removed_number(tx: TableContext, log: SealedLog = CHANGE_LOG) -> int:
    """Return the number up to which rows were removed, 0 if none were."""
    first = next(iter(list_seals_after(tx, -1, 1, log)), None)
    return first.seq if first is not None and first.checkpoint else 0


def require_changes_kept_after(tx: TableContext, after: int) -> None:
    """Raise LogCompacted if changes after this number were removed, LogReset if they never existed."""
    if after > (head := tx.log.get_newest_number()):
        raise LogReset(after, head)
    if after < (lowest := get_last_removed_number(tx)):
        raise LogCompacted(after, lowest)


@dataclass(frozen=True, slots=True)
class UnsealedRows:
    """How many rows have no seal, the time of the oldest of them, and the time of the newest seal (ms)."""

    count: int
    oldest: int | None
    sealed: int | None


def measure_unsealed_rows(tx: TableContext, log: SealedLog = CHANGE_LOG) -> UnsealedRows:
    """Return how many rows of a log have no seal, and since when."""
    before = find_newest_seal(tx, log)
    last = before.seq if before else 0
    oldest = next(iter(log.read_rows(tx, last, 1)), None)
    sealed = before.time if before else None
    if oldest is None:
        return UnsealedRows(0, None, sealed)
    return UnsealedRows(log.get_newest_number(tx) - last, oldest["time"], sealed)


def build_next_seal(tx: TableContext, key: bytes, now: int, log: SealedLog = CHANGE_LOG) -> tuple[int, Seal] | None:
    """Return the next missing seal and the number of the previous one; None if all rows are sealed."""
    before = find_newest_seal(tx, log)
    rows = log.read_rows(tx, before.seq if before else 0, SEAL_ROWS)
    if not rows:
        return None
    hash_ = compute_chain_hash(before.hash if before else BEGINNING, rows, log)
    newest = max(row["time"] for row in rows)
    seal = Seal(rows[-1]["seq"], hash_, len(rows), newest, now).with_signature(key, log)
    return (before.seq if before else 0), seal


def add_seal_unless_exists(tx: TableContext, after: int, seal: Seal, log: SealedLog = CHANGE_LOG) -> None:
    """Store a seal that follows the number `after`, unless another process has stored one meanwhile."""
    newest = find_newest_seal(tx, log)
    if (newest.seq if newest else 0) == after:
        tx.get_table(log.seals).upsert(asdict(seal))


def read_rows_of_seal(tx: TableContext, before: Seal | None, seal: Seal, log: SealedLog = CHANGE_LOG) -> list[Row]:
    """Return the rows of a seal, given the previous seal. For the first checkpoint these are rows that should have been
    removed.
    """
    rows = log.read_rows(tx, before.seq if before else 0, seal.rows + 1)
    return [row for row in rows if row["seq"] <= seal.seq]


def find_seal_problem(
    key: bytes, before: Seal | None, seal: Seal, rows: Sequence[Row], log: SealedLog = CHANGE_LOG
) -> str | None:
    """Return what is wrong with a seal and its rows, None if nothing is."""
    if not seal.has_valid_signature(key, log):
        return f"the seal of {log.row_word} {seal.seq} is not signed with this store's key"
    if seal.checkpoint and before is None:
        problem = f"{log.rows_word} before {seal.seq + 1} still exist, although they were removed from {log.subject}"
        return problem if rows else None
    after = before.seq if before else 0
    if len(rows) != seal.rows:
        return f"{len(rows)} of {seal.rows} sealed {log.rows_word} from {after + 1} to {seal.seq} exist"
    if compute_chain_hash(before.hash if before else BEGINNING, rows, log) != seal.hash:
        return f"{log.rows_word} from {after + 1} to {seal.seq} differ from the sealed ones"
    return None


def truncate_log_at_seal(
    tx: TableContext, key: bytes, older_than: int, rows_max: int, log: SealedLog = CHANGE_LOG
) -> int:
    """Remove the oldest part of the log up to a seal, which becomes a checkpoint; return the number of removed rows.

    Only sealed rows older than a time (ms) are removed, never the newest, and about `rows_max` rows at once.
    """
    chosen, rows, head = None, 0, log.get_newest_number(tx)
    for seal in list_seals_after(tx, get_last_removed_number(tx, log), 2 + rows_max // SEAL_ROWS, log):
        if seal.newest >= older_than or seal.seq >= head or rows >= rows_max:
            break
        chosen, rows = seal, rows + seal.rows
    if chosen is None:
        return 0
    table = tx.get_table(log.seals)
    table.upsert(asdict(replace(chosen, checkpoint=True).with_signature(key, log)))
    table.delete_range(Range(end=(chosen.seq,), end_inclusive=False))
    return log.delete_rows_through(tx, chosen.seq)


def _parse_seal(row: dict[str, Any]) -> Seal:
    return Seal(**row)
