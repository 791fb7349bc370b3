"""Compare an OpenLineage event with writing the same rows by hand, and with the minimum that a Jupyter server does for
a POST; CPU time.
"""

import json
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import choose_sqlite_store
from serving import Client, Server, start_server

RUNS, ROUNDS = 100, 5
PATH = "/colophon/openlineage/api/v1/lineage"
#: CPU ms of Marquez and its PostgreSQL per event: the minimum of several measurements (42 to 61).
MARQUEZ_MS = 42
_TYPES = ("START", "COMPLETE")
_SHAPES = """PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE runs (program TEXT, id TEXT, start INTEGER, stop INTEGER, status TEXT, facts TEXT,
        PRIMARY KEY (program, id)) WITHOUT ROWID;
    CREATE TABLE facets (subject TEXT, part TEXT, facets TEXT, PRIMARY KEY (subject, part)) WITHOUT ROWID;
    CREATE TABLE accesses (run TEXT, data TEXT, mode TEXT, first INTEGER, last INTEGER,
        PRIMARY KEY (run, data, mode)) WITHOUT ROWID;
    CREATE TABLE edges (data TEXT, program TEXT, mode TEXT, start INTEGER, run TEXT, stop INTEGER,
        PRIMARY KEY (data, program, mode, start, run)) WITHOUT ROWID;
    CREATE TABLE columns (target TEXT, field TEXT, source TEXT, source_field TEXT, program TEXT, run TEXT,
        PRIMARY KEY (target, field, source, source_field, program)) WITHOUT ROWID;
    CREATE TABLE log (seq INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER, urn TEXT, what TEXT, run TEXT, value TEXT);"""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    events = [list(generate_events(round_)) for round_ in range(ROUNDS)]
    ours, raw = min(map(_measure_colophon, events)), min(map(_measure_raw_writes, events))
    yield (
        "OpenLineage event, no HTTP, CPU ms",
        f"{ours:.2f}",
        f"{raw:.2f} (raw sqlite3, the rows of runs, accesses, edges and facets)",
        f"{ours / raw:.1f}x",
        "reported",
    )
    with start_server("jupyter_colophon", "trivial") as server, server.open_client() as client:
        for event in events[0]:
            client.request("POST", PATH, event)
        posted = min(_measure_cpu_ms(server, client, PATH, part) for part in events[1:])
        trivial = min(_measure_cpu_ms(server, client, "/trivial", part) for part in events[1:])
    yield (
        "OpenLineage event over REST, CPU ms",
        f"{posted:.2f}",
        f"{trivial:.2f} (a trivial authenticated POST of the same event)",
        f"{posted / trivial:.1f}x",
        "<= 3x",
    )
    yield (
        "OpenLineage event over REST, CPU ms, beside Marquez",
        f"{posted:.2f}",
        f"{MARQUEZ_MS} (measured earlier on two such cores; not run here)",
        f"{posted / MARQUEZ_MS:.2f}x",
        "<= 0.2x",
    )


def generate_events(round_: int) -> Iterator[dict[str, Any]]:
    """Yield two events for each run of a job that reads two tables and writes one, with columns."""
    for number in range(RUNS):
        run = str(uuid.UUID(int=(round_ << 64) + number))
        for second, type_ in enumerate(_TYPES):
            yield _create_event(run, type_, f"2026-01-01T{number // 60:02d}:{number % 60:02d}:{second:02d}Z")


def _create_event(run: str, type_: str, at: str) -> dict[str, Any]:
    def create_table(name: str, **facets: Any) -> dict[str, Any]:
        fields = {"fields": [{"name": f"c{n}", "type": "BIGINT"} for n in range(10)]}
        return {"namespace": "postgres://db:5432", "name": f"shop.{name}", "facets": {"schema": fields, **facets}}

    def create_source(n: int) -> dict[str, Any]:
        created = {"type": "DIRECT", "subtype": "IDENTITY"}
        return {"namespace": "postgres://db:5432", "name": "shop.a", "field": f"c{n}", "transformations": [created]}

    columns = {"fields": {f"c{n}": {"inputFields": [create_source(n)]} for n in range(10)}}
    return {
        "eventTime": at,
        "eventType": type_,
        "producer": "https://example.org/bench",
        "run": {"runId": run, "facets": {"processing_engine": {"name": "spark", "version": "4"}}},
        "job": {"namespace": "bench", "name": "load", "facets": {"jobType": {"processingType": "BATCH"}}},
        "inputs": [create_table("a"), create_table("b")],
        "outputs": [create_table("c", columnLineage=columns)],
    }


def _measure_colophon(events: list[dict[str, Any]]) -> float:
    bodies = [json.dumps(event).encode() for event in events]
    with tempfile.TemporaryDirectory() as folder:
        catalog = open_or_create_catalog(choose_sqlite_store(Path(folder) / "ours.db"), IdentityRules())
        who = Principal("bench")
        catalog.collector.parse_and_store_event(bodies[0], who)
        began = time.thread_time()
        for body in bodies:
            catalog.collector.parse_and_store_event(body, who)
        took = time.thread_time() - began
        catalog.close()
    return 1_000 * took / len(bodies)


def _measure_raw_writes(events: list[dict[str, Any]]) -> float:
    bodies = [json.dumps(event) for event in events]
    with tempfile.TemporaryDirectory() as folder:
        store = sqlite3.connect(Path(folder) / "raw.db", isolation_level=None)
        store.executescript(_SHAPES)
        began = time.thread_time()
        for body in bodies:
            _write_event_rows(store, json.loads(body))
        took = time.thread_time() - began
        store.close()
    return 1_000 * took / len(bodies)


def _write_event_rows(store: sqlite3.Connection, event: dict[str, Any]) -> None:
    run, job, at = event["run"]["runId"], event["job"]["name"], event["eventTime"]
    store.execute("BEGIN IMMEDIATE")
    store.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, '{}')", (job, run, at, at, event["eventType"]))
    store.execute("INSERT OR REPLACE INTO facets VALUES (?, 'run', ?)", (run, json.dumps(event["run"])))
    store.execute("INSERT OR REPLACE INTO facets VALUES (?, 'job', ?)", (job, json.dumps(event["job"])))
    store.execute("INSERT INTO log VALUES (NULL, ?, ?, ?, ?, '{}')", (at, job, event["eventType"], run))
    for mode in ("inputs", "outputs"):
        for item in event[mode]:
            store.execute(
                "INSERT OR REPLACE INTO facets VALUES (?, 'facets', ?)", (item["name"], json.dumps(item["facets"]))
            )
            store.execute("INSERT OR REPLACE INTO accesses VALUES (?, ?, ?, ?, ?)", (run, item["name"], mode, at, at))
            store.execute(
                "INSERT OR REPLACE INTO edges VALUES (?, ?, ?, ?, ?, ?)", (item["name"], job, mode, at, run, at)
            )
            store.execute("INSERT INTO log VALUES (NULL, ?, ?, 'access', ?, '{}')", (at, item["name"], run))
    for field, created in event["outputs"][0]["facets"]["columnLineage"]["fields"].items():
        source = created["inputFields"][0]
        row = ("shop.c", field, source["name"], source["field"], job, run)
        store.execute("INSERT OR REPLACE INTO columns VALUES (?, ?, ?, ?, ?, ?)", row)
    store.execute("COMMIT")


def _measure_cpu_ms(server: Server, client: Client, path: str, events: list[dict[str, Any]]) -> float:
    """Return the CPU milliseconds of the server per event."""
    before = server.read_cpu_ms()
    for event in events:
        client.request("POST", path, event)
    return (server.read_cpu_ms() - before) / len(events)
