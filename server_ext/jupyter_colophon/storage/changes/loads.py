"""Store loads: their states, the outcomes of their batches, and the rejected rows."""

import json
from collections.abc import Callable
from dataclasses import replace
from zlib import compress, decompress

from jupyter_colophon.core.changes.bulk_load import (
    KEPT_MS,
    REFUSALS_KEPT,
    Batch,
    BatchResult,
    Ending,
    Load,
    RowRejection,
    StoredRejection,
)
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.errors import IdempotencyKeyReused, LoadEnded, NotFound
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

#: How many old loads are deleted when a new one is opened: more than are added.
_FORGOTTEN = 4


def open_or_create_load(tx: TableContext, actor: str, name: str, now: int) -> Load:
    """Return the load of this name, opening it if it does not exist. Raises LoadEnded."""
    row = tx.get_table("loads").read((actor, name))
    if row is not None:
        return _require_open_load(_parse_load(row))
    for old in list(tx.get_table("loads").scan(Range(), _FORGOTTEN, order_by="touched")):
        if old["touched"] < now - KEPT_MS:
            _delete_load_rows(tx, old)
    load = Load(name, "open", now, now)
    tx.get_table("loads").upsert(_build_load_row(actor, load))
    return load


def require_load(tx: TableContext, actor: str, name: str) -> Load:
    """Return the load of this name. Raises NotFound."""
    row = tx.get_table("loads").read((actor, name))
    if row is None:
        raise NotFound("load", name)
    return _parse_load(row)


def apply_batch_once_and_store_result(
    tx: TableContext, actor: str, batch: Batch, now: int, apply_rows: Callable[[], BatchResult]
) -> BatchResult:
    """Return the outcome of a batch: the result of `apply`, or the stored result of the same batch.

    Raises NotFound, LoadEnded, and IdempotencyKeyReused if another batch had its place.
    """
    load = _require_open_load(require_load(tx, actor, batch.load))
    table, place = tx.get_table("load_batches"), (actor, batch.load, batch.partition, batch.number)
    row = table.read(place)
    if row is not None:
        if row["fingerprint"] != batch.fingerprint:
            raise IdempotencyKeyReused("/".join(map(str, place[1:])))
        return _decode_batch_result(row["result"])
    done = apply_rows()
    row = _build_rejection_key(place) | {
        "fingerprint": batch.fingerprint,
        "result": compress(_encode_batch_result(done), level=1),
    }
    table.upsert(row)
    for refused_row in done.refused[: max(0, REFUSALS_KEPT - load.refused)]:
        rejection = {
            "row": refused_row.row,
            "urn": refused_row.urn,
            "refusal": encode_canonical_json(codecs.REFUSAL.write(refused_row.refusal)),
        }
        tx.get_table("load_rejections").upsert(_build_rejection_key(place) | rejection)
    counted = replace(
        load,
        touched=now,
        batches=load.batches + 1,
        written=load.written + done.written,
        unchanged=load.unchanged + done.unchanged,
        refused=load.refused + len(done.refused),
    )
    tx.get_table("loads").upsert(_build_load_row(actor, counted))
    return done


def end_load_and_delete_results(tx: TableContext, actor: str, name: str, state: Ending, now: int) -> Load:
    """End a load; ending it again in the same way changes nothing. Raises NotFound, LoadEnded if it ended otherwise."""
    load = require_load(tx, actor, name)
    if load.state == state:
        return load
    done = replace(_require_open_load(load), state=state, touched=now)
    tx.get_table("loads").upsert(_build_load_row(actor, done))
    # An ended load accepts no batch, so the outcomes are not needed again.
    tx.get_table("load_batches").delete_range(Range.prefix(actor, name))
    return done


def list_rejected_rows(tx: TableContext, actor: str, name: str, after: Key, limit: int) -> list[StoredRejection]:
    """Return rejected rows, ordered by place, after a place."""
    require_load(tx, actor, name)
    keys = Range((actor, name, *after), (actor, name), begin_inclusive=not after)
    return [
        StoredRejection(
            row["partition"],
            row["number"],
            RowRejection(row["row"], row["urn"], codecs.REFUSAL.read(parse_stored_json(row["refusal"]))),
        )
        for row in tx.get_table("load_rejections").scan(keys, limit)
    ]


def _require_open_load(load: Load) -> Load:
    if load.state != "open":
        raise LoadEnded(load.id, load.state)
    return load


def _delete_load_rows(tx: TableContext, row: Row) -> None:
    for table in ("load_batches", "load_rejections"):
        tx.get_table(table).delete_range(Range.prefix(row["actor"], row["id"]))
    tx.get_table("loads").delete((row["actor"], row["id"]))


def _parse_load(row: Row) -> Load:
    return Load(**{name: row[name] for name in Load.__slots__})


def _build_load_row(actor: str, load: Load) -> Row:
    return {"actor": actor} | {name: getattr(load, name) for name in Load.__slots__}


def _build_rejection_key(place: tuple[str, str, int, int]) -> Row:
    return dict(zip(("actor", "load", "partition", "number"), place, strict=True))


def _encode_batch_result(result: BatchResult) -> bytes:
    refused = [[rejection.row, rejection.urn, codecs.REFUSAL.write(rejection.refusal)] for rejection in result.refused]
    return encode_canonical_json([result.written, result.unchanged, refused]).encode("utf-8", "surrogatepass")


def _decode_batch_result(encoded_result: bytes) -> BatchResult:
    written, unchanged, refused = json.loads(decompress(encoded_result))
    return BatchResult(
        written,
        unchanged,
        tuple(RowRejection(row, urn, codecs.REFUSAL.read(document)) for row, urn, document in refused),
    )
