"""What writes with an idempotency key were answered, so that the same request again is answered the same."""

import json
from collections.abc import Callable
from typing import TypeVar
from zlib import compress, crc32, decompress

from jupyter_colophon.core.changes.idempotency import KEPT_MS, Once
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.errors import IdempotencyKeyReused
from jupyter_colophon.storage.codecs import Form
from jupyter_colophon.storage.spi import Range, TableContext

T = TypeVar("T")
#: One in so many keyed writes forgets old keys, and at most so many: more than came in since the last one did.
_ONE_IN, _FORGOTTEN = 64, 256


def once(tx: TableContext, asked: Once | None, form: Form[T], now: int, work: Callable[[], T]) -> T:
    """The result of `work`; or, without doing it, what it was when the same request came with the same key.

    What `work` raises leaves no key behind. Raises IdempotencyKeyReused where the key came with another request.
    """
    if asked is None:
        return work()
    known = earlier(tx, asked, form, now)
    if known is not None:
        return known
    result = work()
    tx.table("idempotency_results").upsert(
        {
            "actor": asked.user,
            "key": asked.key,
            "fingerprint": asked.fingerprint,
            # Results of large runs compress well: their URNs are nearly all the same.
            "result": compress(compact(form.write(result)).encode(), level=1),
            "time": now,
        }
    )
    if crc32(asked.key.encode()) % _ONE_IN == 0:
        _forget_old(tx, now)
    return result


def earlier(tx: TableContext, asked: Once, form: Form[T], now: int) -> T | None:
    """What the same request was answered while it is known, if it came. Raises IdempotencyKeyReused."""
    row = tx.table("idempotency_results").read((asked.user, asked.key))
    if row is None or row["time"] < now - asked.known_ms:
        return None
    if row["fingerprint"] != asked.fingerprint:
        raise IdempotencyKeyReused(asked.key)
    return form.read(json.loads(decompress(row["result"])))


def _forget_old(tx: TableContext, now: int) -> None:
    table = tx.table("idempotency_results")
    for row in list(table.scan(Range(), _FORGOTTEN, order_by="time")):
        if row["time"] >= now - KEPT_MS:
            return
        table.delete((row["actor"], row["key"]))
