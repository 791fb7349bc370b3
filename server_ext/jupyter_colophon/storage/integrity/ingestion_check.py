"""The index of runs of ingestions (storage/entities/ingestion.py) held against what aspects and moments say of their runs."""

from collections.abc import Iterable, Sequence

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.ingestion import KEY, run_in
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext


def wanted(rows: Iterable[Row]) -> dict[Key, int]:
    """What these rows of aspects, or of moments, ask the index for, and when it was told (ms)."""
    found: dict[Key, int] = {}
    for row in rows:
        run = None if row["value"] is None else _run(row)
        if run is not None:
            time = row["recorded"] if "recorded" in row else row["time"]
            found[run, row["urn"], row["aspect"]] = max(time, found.get((run, row["urn"], row["aspect"]), time))
    return found


def lacking(tx: TableContext, rows: Iterable[Row]) -> dict[Key, int]:
    """What the index lacks of that."""
    asked = wanted(rows)
    there = {tuple(row[name] for name in KEY) for row in tx.table("ingested").multi_read(list(asked))}
    return {key: time for key, time in asked.items() if key not in there}


def after(tx: TableContext, place: Key, limit: int) -> list[Key]:
    """What the index holds after a place; () is before the first."""
    return [
        tuple(row[name] for name in KEY) for row in tx.table("ingested").scan(sources_of_truth.beyond(place), limit)
    ]


def untold(tx: TableContext, keys: Sequence[Key]) -> list[Key]:
    """Those of these that nothing asks the index for; a run may have told of any moment of an aspect that has some."""
    asked = wanted(tx.table("aspects").multi_read(sorted({key[1:] for key in keys})))
    moments = tx.table("timeseries")
    return [key for key in keys if key not in asked and not any(moments.scan(Range.prefix(*key[1:]), 1))]


def mend(tx: TableContext, key: Key) -> None:
    """Have in the index what has to be there of one run and aspect, and nothing else."""
    run, urn, aspect = key
    rows = (
        *tx.table("aspects").scan(Range.prefix(urn, aspect)),
        *tx.table("timeseries").scan(Range.prefix(urn, aspect)),
    )
    time = wanted(rows).get(key)
    if time is not None:
        tx.table("ingested").upsert(dict(zip(KEY, key, strict=True)) | {"time": time})
        known = tx.table("ingestions").read((run,))
        tx.table("ingestions").upsert({"run": run, "time": max(time, known["time"] if known else time)})
    elif untold(tx, [key]):
        tx.table("ingested").delete(key)


def _run(row: Row) -> str | None:
    """None where it cannot be read, which `soundness` tells."""
    try:
        return run_in(row["system"])
    except MetadataError:
        return None
