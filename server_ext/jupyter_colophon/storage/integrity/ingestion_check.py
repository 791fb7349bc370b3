"""Compare the index of ingestion runs (storage/entities/ingestion.py) with the system metadata of aspects."""

from collections.abc import Iterable, Sequence

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.entities.ingestion import KEY, get_run_of_system_metadata
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext


def derive_ingestion_rows(rows: Iterable[Row]) -> dict[Key, int]:
    """Return the index rows that these aspects or timeseries values require, with the time of the write (ms)."""
    newest: dict[Key, int] = {}
    for row in rows:
        run = None if row["value"] is None else _get_run_or_none(row)
        if run is not None:
            time = row["recorded"] if "recorded" in row else row["time"]
            newest[run, row["urn"], row["aspect"]] = max(time, newest.get((run, row["urn"], row["aspect"]), time))
    return newest


def find_missing_ingestion_rows(tx: TableContext, rows: Iterable[Row]) -> dict[Key, int]:
    """Return the required rows that the index lacks."""
    expected = derive_ingestion_rows(rows)
    existing = {tuple(row[name] for name in KEY) for row in tx.get_table("ingested").read_many(list(expected))}
    return {key: time for key, time in expected.items() if key not in existing}


def list_ingestion_keys_after(tx: TableContext, after_key: Key, limit: int) -> list[Key]:
    """Return the keys in the index after a key; () means the start."""
    return [
        tuple(row[name] for name in KEY)
        for row in tx.get_table("ingested").scan(sources_of_truth.build_range_after_key(after_key), limit)
    ]


def find_unrequired_ingestion_keys(tx: TableContext, keys: Sequence[Key]) -> list[Key]:
    """Return those keys that no aspect requires.

    A key of an aspect with timeseries values is kept: its run may have written any of them.
    """
    expected = derive_ingestion_rows(tx.get_table("aspects").read_many(sorted({key[1:] for key in keys})))
    moments = tx.get_table("timeseries")
    return [key for key in keys if key not in expected and not any(moments.scan(Range.prefix(*key[1:]), 1))]


def rewrite_ingestion_row(tx: TableContext, key: Key) -> None:
    """Write or delete the index row of one run and aspect, as its aspect requires."""
    run, urn, aspect = key
    rows = (
        *tx.get_table("aspects").scan(Range.prefix(urn, aspect)),
        *tx.get_table("timeseries").scan(Range.prefix(urn, aspect)),
    )
    time = derive_ingestion_rows(rows).get(key)
    if time is not None:
        tx.get_table("ingested").upsert(dict(zip(KEY, key, strict=True)) | {"time": time})
        row = tx.get_table("ingestions").read((run,))
        tx.get_table("ingestions").upsert({"run": run, "time": max(time, row["time"] if row else time)})
    elif find_unrequired_ingestion_keys(tx, [key]):
        tx.get_table("ingested").delete(key)


def _get_run_or_none(row: Row) -> str | None:
    """Return the run of a row, None if its system metadata are unreadable, which `source_check` reports."""
    try:
        return get_run_of_system_metadata(row["system"])
    except MetadataError:
        return None
