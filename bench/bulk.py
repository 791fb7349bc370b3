"""Compare bulk ingestion from Parquet through the write path with writing the same rows by hand, in the same batches.

By hand means: into the same tables with the same indexes, with `executemany` and `synchronous=FULL` on SQLite and
`COPY` on PostgreSQL, in one transaction per batch. `python bench/bulk.py --count 1000000` prints the table. PostgreSQL
is that of the tests.
"""

import argparse
import logging
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, repeat
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.bulk_load import Batch
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_json
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import StorageChoice, choose_sqlite_store
from jupyter_colophon.http.garbage_collection import adapt_collector_to_large_answers
from jupyter_colophon.operations.native import documents
from jupyter_colophon.storage.sqlite.compressed_texts import decode_compressed_text

BATCH, GOAL = 500, 0.5
WHO = Principal("bench")
#: The tables with rows for a new entity. Counts are not written by hand: both sides would add them up in the same way.
TABLES = ("entities", "entity_names", "aspects", "aspect_versions", "change_log", "metadata_values")
SEARCH = ("search_entries", "search_texts")
#: Wall and CPU seconds, and both after each batch.
Timed = tuple[float, float, list[tuple[float, float]]]


def measure_rows(count: int, stores: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = write_parquet(folder / "entities.parquet", count)
        if "sqlite" in stores:
            ours = load_with_colophon(choose_sqlite_store(folder / "ours.db"), file, count)
            yield _format_row("SQLite", count, ours, _load_raw_sqlite(folder, count))
        if "postgresql" not in stores:
            return
        sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
        from support.stores import STORES

        with STORES["postgresql"](folder) as mine, STORES["postgresql"](folder) as other:
            ours = load_with_colophon(mine, file, count)
            yield _format_row("PostgreSQL", count, ours, _load_raw_postgresql(mine, other, count))


def _format_row(store: str, count: int, ours: Timed, raw: Timed) -> tuple[str, ...]:
    what = f"{count} new entities from Parquet into {store}, {BATCH} a transaction, entities a second"
    both = f"{count / ours[0]:.0f}", f"{count / raw[0]:.0f} (the same rows by hand)"
    ratio = f"{raw[0] / ours[0]:.2f}x"
    cpu = f"CPU us an entity {1e6 * ours[1] / count:.0f} / {1e6 * raw[1] / count:.0f}"
    return (
        what,
        *both,
        ratio,
        f">= {GOAL}x",
        cpu,
        f"ours by tenths: {_format_speed_by_tenth(ours)}",
        f"by hand: {_format_speed_by_tenth(raw)}",
    )


def _format_speed_by_tenth(timed: Timed) -> str:
    """Format entities per second and CPU us per entity of each tenth, to see whether writing gets slower as the store
    grows.
    """
    moments = timed[2]
    step = max(1, len(moments) // 10)
    ends = moments[::step]
    return " ".join(
        f"{step * BATCH / (after[0] - before[0]):.0f}/{1e6 * (after[1] - before[1]) / step / BATCH:.0f}"
        for before, after in pairwise(ends)
    )


def write_parquet(path: Path, count: int) -> Path:
    """Write one aspect for each entity, as a data source would deliver it."""
    value = (
        encode_canonical_json(
            {"properties": {"owner": f"team{at % 7}", "refresh": "every morning"}, "tags": ["faa", f"b{at % 5}"]}
        )
        for at in range(count)
    )
    urns = (f"urn:li:dataset:(urn:li:dataPlatform:spark,bulk.table{at},PROD)" for at in range(count))
    pq.write_table(pa.table({"urn": list(urns), "value": list(value)}), path)
    return path


def _run_batches(batches: Iterable[Callable[[], object]]) -> Timed:
    """Run the batches. Their preparation is not timed, so that they need not all be in memory at once."""
    wall = cpu = 0.0
    moments = [(wall, cpu)]
    for act in batches:
        begun, begun_cpu = time.perf_counter(), time.process_time()
        act()
        wall += time.perf_counter() - begun
        cpu += time.process_time() - begun_cpu
        moments.append((wall, cpu))
    return wall, cpu, moments


def load_with_colophon(store: StorageChoice, file: Path, count: int) -> Timed:
    """Load a file as the server does with the batches of a load, without HTTP."""
    adapt_collector_to_large_answers()
    catalog = open_or_create_catalog(store, IdentityRules())
    catalog.loads.open_or_resume_load("bench", WHO)

    batches = enumerate(pq.ParquetFile(file).iter_batches(BATCH))

    def apply() -> None:
        # Reading the file is included.
        number, batch = next(batches)
        read = [
            documents.parse_proposal(
                {
                    "aspect": "technicalMetadata",
                    "operation": "upsert",
                    "urn": item["urn"],
                    "value": parse_json(item["value"].encode()),
                }
            )
            for item in batch.to_pylist()
        ]
        done = catalog.loads.apply_batch_once(Batch("bench", 0, number, str(number)), read, WHO)
        assert not done.refused

    try:
        return _run_batches(repeat(apply, _count_batches(count)))
    finally:
        catalog.close()


def _count_batches(count: int) -> int:
    return -(-count // BATCH)


def _load_raw_sqlite(folder: Path, count: int) -> Timed:
    open_or_create_catalog(choose_sqlite_store(folder / "raw.db"), IdentityRules()).close()
    store = sqlite3.connect(folder / "raw.db", isolation_level=None)
    store.executescript("PRAGMA synchronous = FULL; INSERT INTO search_tokens (search_tokens) VALUES ('delete-all')")
    inserts: list[str] = []
    parts: list[tuple[Any, int]] = []
    for table in (*TABLES, *SEARCH, SEARCH[-1]):
        source = sqlite3.connect(folder / "ours.db")
        (rows,) = source.execute(f'SELECT count(*) FROM "{table}"').fetchone()
        # The text index is built from the rows of the last table.
        source.create_function("decode_compressed_text", 1, decode_compressed_text)
        columns = "id, decode_compressed_text(words)" if len(parts) == len(TABLES) + len(SEARCH) else "*"
        result = source.execute(f'SELECT {columns} FROM "{table}"')
        store.execute(f'DELETE FROM "{table}"')
        inserts.append(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(result.description))})')
        parts.append((result, -(-rows // _count_batches(count))))
    inserts[-1] = "INSERT INTO search_tokens (rowid, words) VALUES (?, ?)"

    def write(rows: Sequence[Sequence[Any]]) -> None:
        store.execute("BEGIN IMMEDIATE")
        for insert, part in zip(inserts, rows, strict=True):
            store.executemany(insert, part)
        store.execute("COMMIT")

    return _run_batches(_prepare_batches(write, parts, _count_batches(count)))


def _load_raw_postgresql(mine: StorageChoice, other: StorageChoice, count: int) -> Timed:
    open_or_create_catalog(other, IdentityRules()).close()
    copies, parts = [], []
    with _connect(mine) as source, _connect(other) as store:
        for table in (*TABLES, "search_entries", "search_words"):
            (rows,) = source.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
            # A server-side cursor, which does not fetch all rows.
            result = source.cursor(f"all_{table}")
            result.execute(f"SELECT * FROM {table}")
            store.execute(f"DELETE FROM {table}")
            copies.append(f"COPY {table} FROM STDIN")
            parts.append((result, -(-rows // _count_batches(count))))
        store.commit()

        def write(rows: Sequence[Sequence[Any]]) -> None:
            for copy, part in zip(copies, rows, strict=True):
                with store.cursor().copy(copy) as writer:
                    for row in part:
                        writer.write_row(row)
            store.commit()

        return _run_batches(_prepare_batches(write, parts, _count_batches(count)))


def _prepare_batches(
    write: Callable[[Sequence[Sequence[Any]]], None], parts: Sequence[tuple[Any, int]], batches: int
) -> Iterator[Callable[[], None]]:
    """Yield a write for each batch: an equal share of the remaining rows of each cursor."""
    for _ in range(batches):
        rows = [result.fetchmany(size) for result, size in parts]
        yield lambda rows=rows: write(rows)  # type: ignore[misc]


def _connect(store: StorageChoice) -> "psycopg.Connection[Any]":
    """Connect to the schema of a store."""
    url, schema = store.options["dsn"], store.options["schema"]
    connection = psycopg.connect(str(url))
    connection.execute(f'SET search_path TO "{schema}"')
    connection.commit()
    return connection


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--store", action="append", choices=("sqlite", "postgresql"))
    options = parser.parse_args()
    for row in measure_rows(options.count, options.store or ("sqlite", "postgresql")):
        print("| " + " | ".join(row) + " |", flush=True)
