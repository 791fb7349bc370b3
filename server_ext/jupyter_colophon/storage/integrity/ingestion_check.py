"""Compare the index of ingestion runs (storage/entities/ingestion.py) with the system metadata of aspects."""

from collections.abc import Iterable, Sequence

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.ingestion import KEY, run_in
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext


def required(rows: Iterable[Row]) -> dict[Key, int]:
    """Return the index rows that these aspects or timeseries values require, with the time of the write (ms)."""
    newest: dict[Key, int] = {}
    for row in rows:
        run = None if row["value"] is None else _run(row)
        if run is not None:
            time = row["recorded"] if "recorded" in row else row["time"]
            newest[run, row["urn"], row["aspect"]] = max(time, newest.get((run, row["urn"], row["aspect"]), time))
    return newest


def missing(tx: TableContext, rows: Iterable[Row]) -> dict[Key, int]:
    """Return the required rows that the index lacks."""
    expected = required(rows)
    there = {tuple(row[name] for name in KEY) for row in tx.table("ingested").multi_read(list(expected))}
    return {key: time for key, time in expected.items() if key not in there}


def after(tx: TableContext, place: Key, limit: int) -> list[Key]:
    """Return the keys in the index after a key; () stands for the start."""
    return [
        tuple(row[name] for name in KEY) for row in tx.table("ingested").scan(sources_of_truth.beyond(place), limit)
    ]


def unclaimed(tx: TableContext, keys: Sequence[Key]) -> list[Key]:
    """Return those keys that no aspect requires.

    A key of an aspect with timeseries values is kept: its run may have written any of them.
    """
    expected = required(tx.table("aspects").multi_read(sorted({key[1:] for key in keys})))
    moments = tx.table("timeseries")
    return [key for key in keys if key not in expected and not any(moments.scan(Range.prefix(*key[1:]), 1))]


def repair(tx: TableContext, key: Key) -> None:
    """Write or delete the index row of one run and aspect, as its aspect requires."""
    run, urn, aspect = key
    rows = (
        *tx.table("aspects").scan(Range.prefix(urn, aspect)),
        *tx.table("timeseries").scan(Range.prefix(urn, aspect)),
    )
    time = required(rows).get(key)
    if time is not None:
        tx.table("ingested").upsert(dict(zip(KEY, key, strict=True)) | {"time": time})
        known = tx.table("ingestions").read((run,))
        tx.table("ingestions").upsert({"run": run, "time": max(time, known["time"] if known else time)})
    elif unclaimed(tx, [key]):
        tx.table("ingested").delete(key)


def _run(row: Row) -> str | None:
    """Return the run of a row, None if its system metadata are unreadable, which `source_check` reports."""
    try:
        return run_in(row["system"])
    except MetadataError:
        return None
