"""Store the results of writes with an idempotency key, so that a repeated request returns the same result."""

import json
from collections.abc import Callable
from typing import TypeVar
from zlib import compress, crc32, decompress

from jupyter_colophon.core.changes.idempotency import KEPT_MS, IdempotencyKey
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.errors import IdempotencyKeyReused
from jupyter_colophon.storage.codecs import Codec
from jupyter_colophon.storage.spi import Range, TableContext

T = TypeVar("T")
#: One in this many keyed writes deletes old keys, and this many at most: more than are added in between.
_ONE_IN, _FORGOTTEN = 64, 256


def run_once_and_store_result(
    tx: TableContext, request: IdempotencyKey | None, codec: Codec[T], now: int, run: Callable[[], T]
) -> T:
    """Return the result of `run`, or, without running it, the result of the same request with the same key.

    An exception of `run` stores no key. Raises IdempotencyKeyReused if the key belongs to another request.
    """
    if request is None:
        return run()
    earlier = find_stored_result(tx, request, codec, now)
    if earlier is not None:
        return earlier
    result = run()
    tx.get_table("idempotency_results").upsert(
        {
            "actor": request.user,
            "key": request.key,
            "fingerprint": request.fingerprint,
            # Results of large runs compress well: their URNs are nearly identical.
            "result": compress(encode_canonical_json(codec.write(result)).encode(), level=1),
            "time": now,
        }
    )
    if crc32(request.key.encode()) % _ONE_IN == 0:
        _delete_expired_results(tx, now)
    return result


def find_stored_result(tx: TableContext, request: IdempotencyKey, codec: Codec[T], now: int) -> T | None:
    """Return the stored result of the same request, None if there is none or it has expired. Raises
    IdempotencyKeyReused.
    """
    row = tx.get_table("idempotency_results").read((request.user, request.key))
    if row is None or row["time"] < now - request.known_ms:
        return None
    if row["fingerprint"] != request.fingerprint:
        raise IdempotencyKeyReused(request.key)
    return codec.read(json.loads(decompress(row["result"])))


def _delete_expired_results(tx: TableContext, now: int) -> None:
    table = tx.get_table("idempotency_results")
    for row in list(table.scan(Range(), _FORGOTTEN, order_by="time")):
        if row["time"] >= now - KEPT_MS:
            return
        table.delete((row["actor"], row["key"]))
