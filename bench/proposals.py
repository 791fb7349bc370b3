"""Compare a batch of 500 DataHub proposals over REST with writing the same rows by hand with `sqlite3` (FULL), and with
the minimum that a Jupyter server does for an authenticated POST of the same bytes; in CPU time of the server.
"""

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from serving import Client, Server, start_server
from writes import SHAPES

PROPOSALS, ROUNDS = 500, 5
#: A trivial request takes less time than the kernel's counts are exact to.
TRIVIAL_REQUESTS = 20


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with start_server("jupyter_colophon", "trivial") as server, server.open_client() as client:
        send_proposals(client, -1)
        ours = [_measure_cpu_ms(server, partial(send_proposals, client, round_)) for round_ in range(ROUNDS)]
        trivial = [
            _measure_cpu_ms(server, partial(_send_trivial_requests, client)) / TRIVIAL_REQUESTS for _ in range(ROUNDS)
        ]
    raw = [_measure_raw_ms() for _ in range(ROUNDS)]
    for other, what, goal in (
        (raw, "raw sqlite3, the same rows", "<= 2.5x"),
        (trivial, "a trivial POST of these bytes", ""),
    ):
        mine, theirs = min(ours) / PROPOSALS, min(other) / PROPOSALS
        yield (
            f"DataHub batch of {PROPOSALS}, CPU ms a proposal",
            f"{mine:.3f}",
            f"{theirs:.3f} ({what})",
            f"{mine / theirs:.1f}x",
            goal or "none",
        )


def send_proposals(client: Client, round_: int) -> object:
    """Send a batch of new entities; those of another round have other names."""
    return client.request("POST", "/colophon/datahub/aspects?action=ingestProposalBatch", _build_batch(round_))


def _send_trivial_requests(client: Client) -> None:
    for _ in range(TRIVIAL_REQUESTS):
        client.request("POST", "/trivial", _build_batch(0))


def _build_batch(round_: int) -> dict[str, Any]:
    return {"proposals": [_create_proposal(round_ * PROPOSALS + at) for at in range(PROPOSALS)], "async": "false"}


def _create_proposal(number: int) -> dict[str, Any]:
    return {
        "entityType": "dataset",
        "entityUrn": f"urn:li:dataset:(urn:li:dataPlatform:hive,bench.t{number},PROD)",
        "changeType": "UPSERT",
        "aspectName": "datasetProperties",
        "aspect": {"value": json.dumps(_create_value(number)), "contentType": "application/json"},
        "systemMetadata": {"lastObserved": 1_795_000_000_000 + number, "runId": "bench"},
    }


def _create_value(number: int) -> dict[str, Any]:
    return {"name": f"t{number}", "description": "every morning", "customProperties": {"owner": f"team{number % 7}"}}


def _measure_cpu_ms(server: Server, ask: Callable[[], object]) -> float:
    before = server.read_cpu_ms()
    ask()
    return server.read_cpu_ms() - before


def _measure_raw_ms() -> float:
    """Measure writing the three aspects of the entity (key, status and value), their versions, changes and search rows."""
    with tempfile.TemporaryDirectory() as folder:
        store = sqlite3.connect(Path(folder) / "raw.db", isolation_level=None)
        store.executescript(SHAPES)
        before = time.process_time()
        store.execute("BEGIN IMMEDIATE")
        for number in range(PROPOSALS):
            _write_rows(store, number)
        store.execute("COMMIT")
        return 1_000 * (time.process_time() - before)


def _write_rows(store: sqlite3.Connection, number: int) -> None:
    urn, name = _create_proposal(number)["entityUrn"], f"bench.t{number}"
    values = {"datasetKey": {"name": name}, "status": {"removed": False}, "datasetProperties": _create_value(number)}
    for aspect, value in values.items():
        row, about = (
            (urn, aspect, 1, encode_canonical_json(value), "bench", None, number),
            (urn, "dataset", "default", name),
        )
        store.execute("INSERT INTO aspects VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        store.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        change = (
            number,
            *about,
            aspect,
            "create",
            1,
            "SYSTEM",
            "bench",
            None,
            None,
            None,
            encode_canonical_json(value),
        )
        store.execute(f"INSERT INTO log VALUES (NULL{', ?' * 14})", change)
    for key, value in (("name", f"t{number}"), ("description", "every morning"), ("owner", f"team{number % 7}")):
        store.execute(
            "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?)", ("default", key, value, urn, "SYSTEM", "property", value)
        )
    words = f"{name} bench t{number} every morning team{number % 7} dataset hive"
    store.execute("INSERT INTO entries VALUES (?, ?, 'default', 'dataset')", (number + 1, urn))
    store.execute("INSERT INTO texts VALUES (?, ?)", (number + 1, words))
    store.execute("INSERT INTO full_text (rowid, words) VALUES (?, ?)", (number + 1, words))


if __name__ == "__main__":
    for row in measure_rows():
        print("| " + " | ".join(row) + " |")
