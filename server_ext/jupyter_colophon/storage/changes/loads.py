"""The rows of loads: which are open, what became of their batches, and which rows they refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from zlib import compress, decompress

from jupyter_colophon.core.changes.bulk_load import (
    KEPT_MS,
    REFUSALS_KEPT,
    Applied,
    Batch,
    Ending,
    KeptRefusal,
    Load,
    LoadEnded,
    RowRefusal,
)
from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.errors import IdempotencyKeyReused, NotFound
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

#: How many old loads are forgotten when a new one is opened: more than come in.
_FORGOTTEN = 4


def opened(tx: TableContext, actor: str, name: str, now: int) -> Load:
    """The load of this name, which is opened where there is none. Raises LoadEnded."""
    row = tx.table("loads").read((actor, name))
    if row is not None:
        return _still_open(_load(row))
    for old in list(tx.table("loads").scan(Range(), _FORGOTTEN, order_by="touched")):
        if old["touched"] < now - KEPT_MS:
            _forget(tx, old)
    made = Load(name, "open", now, now)
    tx.table("loads").upsert(_row(actor, made))
    return made


def existing(tx: TableContext, actor: str, name: str) -> Load:
    """The load of this name. Raises NotFound."""
    row = tx.table("loads").read((actor, name))
    if row is None:
        raise NotFound("load", name)
    return _load(row)


def applied(tx: TableContext, actor: str, batch: Batch, now: int, work: Callable[[], Applied]) -> Applied:
    """What became of a batch: what `work` does, or did when it came first.

    Raises NotFound, LoadEnded for its load, and IdempotencyKeyReused where another batch had its place.
    """
    load = _still_open(existing(tx, actor, batch.load))
    table, place = tx.table("load_batches"), (actor, batch.load, batch.partition, batch.number)
    row = table.read(place)
    if row is not None:
        if row["fingerprint"] != batch.fingerprint:
            raise IdempotencyKeyReused("/".join(map(str, place[1:])))
        return _read(row["result"])
    done = work()
    kept = _named(place) | {"fingerprint": batch.fingerprint, "result": compress(_written(done), level=1)}
    table.upsert(kept)
    for one in done.refused[: max(0, REFUSALS_KEPT - load.refused)]:
        rejection = {"row": one.row, "urn": one.urn, "refusal": compact(codecs.REFUSAL.write(one.refusal))}
        tx.table("load_rejections").upsert(_named(place) | rejection)
    counted = replace(
        load,
        touched=now,
        batches=load.batches + 1,
        written=load.written + done.written,
        unchanged=load.unchanged + done.unchanged,
        refused=load.refused + len(done.refused),
    )
    tx.table("loads").upsert(_row(actor, counted))
    return done


def ended(tx: TableContext, actor: str, name: str, state: Ending, now: int) -> Load:
    """End a load; one that ended so already stays as it is. Raises NotFound, LoadEnded where it ended otherwise."""
    load = existing(tx, actor, name)
    if load.state == state:
        return load
    done = replace(_still_open(load), state=state, touched=now)
    tx.table("loads").upsert(_row(actor, done))
    # None of them is taken any more, so what became of them is not asked for again.
    tx.table("load_batches").delete_all(Range.prefix(actor, name))
    return done


def refusals(tx: TableContext, actor: str, name: str, after: Key, limit: int) -> list[KeptRefusal]:
    """Rows that were refused, by their places, from behind one on."""
    existing(tx, actor, name)
    keys = Range((actor, name, *after), (actor, name), begin_inclusive=not after)
    return [
        KeptRefusal(
            row["partition"],
            row["number"],
            RowRefusal(row["row"], row["urn"], codecs.REFUSAL.read(stored(row["refusal"]))),
        )
        for row in tx.table("load_rejections").scan(keys, limit)
    ]


def _still_open(load: Load) -> Load:
    if load.state != "open":
        raise LoadEnded(load.id, load.state)
    return load


def _forget(tx: TableContext, row: Row) -> None:
    for table in ("load_batches", "load_rejections"):
        tx.table(table).delete_all(Range.prefix(row["actor"], row["id"]))
    tx.table("loads").delete((row["actor"], row["id"]))


def _load(row: Row) -> Load:
    return Load(**{name: row[name] for name in Load.__slots__})


def _row(actor: str, load: Load) -> Row:
    return {"actor": actor} | {name: getattr(load, name) for name in Load.__slots__}


def _named(place: tuple[str, str, int, int]) -> Row:
    return dict(zip(("actor", "load", "partition", "number"), place, strict=True))


def _written(done: Applied) -> bytes:
    refused = [[one.row, one.urn, codecs.REFUSAL.write(one.refusal)] for one in done.refused]
    return compact([done.written, done.unchanged, refused]).encode("utf-8", "surrogatepass")


def _read(answer: bytes) -> Applied:
    written, unchanged, refused = json.loads(decompress(answer))
    return Applied(
        written, unchanged, tuple(RowRefusal(row, urn, codecs.REFUSAL.read(document)) for row, urn, document in refused)
    )
